// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transactions of the gateway's generic netlink family: a new table of rules is
 * put in the place of the old one whole, or not at all. A transaction belongs to
 * a socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <linux/can.h>
#include <linux/userfaultfd.h>

#include "cantest.h"
#include "cgw.h"
#include "gw_flow.h"
#include "gwnl.h"
#include "kselftest_harness.h"

#define FRAMES	2000	/* on each source, or CAN_CHURN_FRAMES */
#define CHANGES	100
#define MANY	4096	/* rules, or CAN_GW_RULES */
#define LIMIT	"/proc/sys/net/can/gw_max_rules"

#define IN0	10
#define IN1	11
#define ONE	20
#define TWO	21
#define NOBODY	123456

FIXTURE(gw_nl_txn) {
	struct gwnl gw;		/* the one with the transaction */
	struct gwnl other;
};

FIXTURE_SETUP(gw_nl_txn)
{
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(IN0, ct_vcan_add_at("in0", CANFD_MTU, IN0));
	ASSERT_EQ(IN1, ct_vcan_add_at("in1", CANFD_MTU, IN1));
	ASSERT_EQ(ONE, ct_vcan_add_at("one", CANFD_MTU, ONE));
	ASSERT_EQ(TWO, ct_vcan_add_at("two", CANFD_MTU, TWO));
	ASSERT_EQ(0, gwnl_open(&self->gw));
	ASSERT_EQ(0, gwnl_open(&self->other));
}

FIXTURE_TEARDOWN(gw_nl_txn)
{
	gwnl_close(&self->gw);
	gwnl_close(&self->other);
}

/* a rule that is known by its name */
static struct gwnl_rule named(const char *name, int source)
{
	struct gwnl_rule rule = { .source = source, .destination = ONE };

	snprintf(rule.name, sizeof(rule.name), "%s", name);
	return rule;
}

static int add(struct gwnl *gw, const char *name, int source)
{
	struct gwnl_rule rule = named(name, source);

	return gwnl_add(gw, &rule, NULL);
}

/* a rule is refused when it is added, with @err, or at last with the table */
static int rejected_later(struct gwnl *gw, int err, uint32_t rules)
{
	int end = gwnl_commit(gw, rules, NULL);

	return err && !end ? 0 : end;
}

static void append_name(const struct gwnl_rule *rule, void *data)
{
	char *names = data;

	if (strlen(names) + strlen(rule->name) < 250)
		strcat(names, rule->name);
}

/* names of all rules as one text, in the order of the dump */
static const char *names(struct gwnl *gw)
{
	static char text[256];

	text[0] = '\0';
	if (gwnl_dump(gw, CAN_GW_CMD_RULE_GET, NULL, append_name, text) < 0)
		return "no dump";
	return text;
}

/* what there was before any transaction: "a" of IN0, "b" of IN1, the newest first */
static void old_table(struct __test_metadata *_metadata, struct gwnl *gw)
{
	ASSERT_EQ(0, add(gw, "a", IN0));
	ASSERT_EQ(0, add(gw, "b", IN1));
	ASSERT_STREQ("ba", names(gw));
}

TEST_F(gw_nl_txn, commit_replaces_all_rules)
{
	struct can_gw_table_get_rsp table, after;
	uint64_t before[2], handles[3];
	int64_t generation;

	old_table(_metadata, &self->gw);
	ASSERT_EQ(2, gwnl_handles(&self->gw, before, 2));
	generation = gwnl_generation(&self->gw);
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	ASSERT_EQ(0, add(&self->gw, "y", IN1));
	ASSERT_EQ(0, add(&self->gw, "z", IN0));
	EXPECT_STREQ("ba", names(&self->gw));
	EXPECT_STREQ("ba", names(&self->other));
	EXPECT_EQ(generation, gwnl_generation(&self->other));

	ASSERT_EQ(0, gwnl_commit(&self->gw, 3, &table))
		TH_LOG("%s", self->gw.ys->err.msg);
	EXPECT_STREQ("zyx", names(&self->gw));
	EXPECT_EQ(3U, table.rules);
	EXPECT_EQ(0U, table.source);
	EXPECT_NE(generation, table.generation);
	ASSERT_EQ(0, gwnl_table(&self->other, 0, &after));
	EXPECT_EQ(0, memcmp(&table, &after, sizeof(table)));

	/* they are new rules */
	ASSERT_EQ(3, gwnl_handles(&self->gw, handles, 3));
	EXPECT_LT(before[0], handles[2]);
	EXPECT_LT(handles[2], handles[1]);
	EXPECT_LT(handles[1], handles[0]);
}

TEST_F(gw_nl_txn, commit_for_a_source_replaces_its_rules_only)
{
	struct can_gw_table_get_rsp table;
	struct gwnl_rule got;
	uint64_t b;

	ASSERT_EQ(0, add(&self->gw, "a", IN0));
	ASSERT_EQ(0, add(&self->gw, "b", IN1));
	ASSERT_EQ(1, gwnl_dump(&self->gw, CAN_GW_CMD_RULE_GET,
			       &(struct gwnl_rule){ .source = IN1 }, NULL,
			       NULL));
	ASSERT_EQ(2, gwnl_handles(&self->gw, &b, 1));
	ASSERT_EQ(0, gwnl_begin(&self->gw, IN0));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	ASSERT_EQ(0, add(&self->gw, "y", IN0));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 2, &table));
	EXPECT_EQ((uint32_t)IN0, table.source);
	EXPECT_EQ(2U, table.rules);
	EXPECT_STREQ("yxb", names(&self->gw));
	ASSERT_EQ(0, gwnl_get(&self->gw, b, &got));
	EXPECT_STREQ("b", got.name);
	ASSERT_EQ(0, gwnl_table(&self->gw, 0, &table));
	EXPECT_EQ(3U, table.rules);

	/* and the other way round */
	ASSERT_EQ(0, gwnl_begin(&self->gw, IN1));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 0, &table));
	EXPECT_EQ(0U, table.rules);
	EXPECT_STREQ("yx", names(&self->gw));
}

TEST_F(gw_nl_txn, empty_commit_removes_all_rules)
{
	struct can_gw_table_get_rsp table;

	old_table(_metadata, &self->gw);
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 0, &table));
	EXPECT_EQ(0U, table.rules);
	EXPECT_STREQ("", names(&self->gw));
	/* and once more, where there is nothing to remove */
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 0, &table));
	EXPECT_EQ(0U, table.rules);
}

TEST_F(gw_nl_txn, commit_adds_rules_of_all_kinds_as_given)
{
	struct gwnl_rule rule[3] = { 0 }, got;
	uint64_t handles[3];
	int i;

	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	for (i = 0; i < 3; i++) {
		rule[i] = named("whole", IN0);
		rule[i].frames = i;
		rule[i].uid = 100 + i;
		rule[i].filter_id = 0x123;
		rule[i].filter_mask = CAN_SFF_MASK;
		rule[i].op[GWNL_AND] = (struct gwnl_operand){
			.fields = GWNL_FIELD(DATA), .data_len = 8,
			.data = { 1, 2, 3, 4, 5, 6, 7, i },
		};
		rule[i].xor = (struct gwnl_csum){
			.given = true, .from = 0, .to = -2, .result = -1,
		};
		ASSERT_EQ(0, gwnl_add(&self->gw, &rule[i], NULL));
	}
	ASSERT_EQ(0, gwnl_commit(&self->gw, 3, NULL));
	ASSERT_EQ(3, gwnl_handles(&self->gw, handles, 3));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, gwnl_get(&self->gw, handles[2 - i], &got));
		EXPECT_STREQ("", gwnl_differs(&rule[i], &got));
	}
}

/* what the old table has is free for the new one, and taken only once */
TEST_F(gw_nl_txn, uid_of_the_old_table_may_be_reused)
{
	struct gwnl_rule rule = named("a", IN0), got;
	uint64_t handle;

	rule.uid = 0xcafe;
	rule.op[GWNL_SET].fields = GWNL_FIELD(ID);
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	EXPECT_EQ(-EEXIST, gwnl_add(&self->gw, &rule, NULL));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_EQ(-ECANCELED, gwnl_commit(&self->gw, 1, NULL));
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 1, NULL));
	ASSERT_EQ(1, gwnl_handles(&self->gw, &handle, 1));
	ASSERT_EQ(0, gwnl_get(&self->gw, handle, &got));
	EXPECT_EQ(0xcafeU, got.uid);
	/* the index of uids is that of the new table */
	EXPECT_EQ(-EEXIST, gwnl_add(&self->gw, &rule, NULL));
	ASSERT_EQ(0, gwnl_del(&self->gw, handle));
	EXPECT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
}

TEST_F(gw_nl_txn, uid_of_another_source_is_rejected)
{
	struct gwnl_rule rule = named("b", IN1);
	int err;

	rule.uid = 0xcafe;
	rule.op[GWNL_SET].fields = GWNL_FIELD(ID);
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	ASSERT_EQ(0, gwnl_begin(&self->gw, IN0));
	rule.source = IN0;
	gwnl_set_name(&rule, "x");
	err = gwnl_add(&self->gw, &rule, NULL);
	EXPECT_GT(0, rejected_later(&self->gw, err, 1));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_STREQ("b", names(&self->gw));
}

TEST_F(gw_nl_txn, abort_changes_nothing)
{
	int64_t digest;

	old_table(_metadata, &self->gw);
	digest = gwnl_digest(&self->gw);
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	ASSERT_EQ(0, gwnl_abort(&self->gw));
	EXPECT_EQ(digest, gwnl_digest(&self->gw));
	/* it has ended: this is added to the running table */
	ASSERT_EQ(0, add(&self->gw, "c", IN0));
	EXPECT_STREQ("cba", names(&self->gw));
}

TEST_F(gw_nl_txn, closing_the_socket_changes_nothing)
{
	int64_t digest;

	old_table(_metadata, &self->gw);
	digest = gwnl_digest(&self->gw);
	ASSERT_EQ(0, gwnl_begin(&self->other, 0));
	ASSERT_EQ(0, add(&self->other, "x", IN0));
	gwnl_close(&self->other);
	EXPECT_EQ(digest, gwnl_digest(&self->gw));

	/* another socket that gets its port id has no transaction */
	ASSERT_EQ(0, gwnl_open(&self->other));
	EXPECT_GT(0, gwnl_commit(&self->other, 1, NULL));
	EXPECT_EQ(digest, gwnl_digest(&self->gw));
	EXPECT_EQ(0, gwnl_begin(&self->other, 0));
}

/*
 * The kernel copies the argument of some socket options with the RTNL mutex held. A
 * page fault of that copy holds the mutex until it has been answered here.
 */
struct rtnl_hold {
	int uffd;
	int sock;
	void *page;
	size_t len;
	pthread_t thread;
};

static void *hold_rtnl(void *data)
{
	struct rtnl_hold *hold = data;

	/* the page that it gets is no multicast group */
	setsockopt(hold->sock, IPPROTO_IP, IP_ADD_MEMBERSHIP, hold->page,
		   sizeof(struct ip_mreqn));
	return NULL;
}

static int rtnl_hold(struct rtnl_hold *hold)
{
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	struct uffd_msg msg;

	hold->len = sysconf(_SC_PAGESIZE);
	hold->page = mmap(NULL, hold->len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	hold->sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	hold->uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	range.range.start = (uintptr_t)hold->page;
	range.range.len = hold->len;
	if (hold->page == MAP_FAILED || hold->sock < 0 || hold->uffd < 0 ||
	    ioctl(hold->uffd, UFFDIO_API, &api) ||
	    ioctl(hold->uffd, UFFDIO_REGISTER, &range))
		return -errno;
	if (pthread_create(&hold->thread, NULL, hold_rtnl, hold))
		return -EAGAIN;
	if (read(hold->uffd, &msg, sizeof(msg)) != sizeof(msg))
		return -EIO;
	return msg.event == UFFD_EVENT_PAGEFAULT ? 0 : -EPROTO;
}

static int rtnl_release(struct rtnl_hold *hold)
{
	struct uffdio_zeropage zero = {
		.range = { .start = (uintptr_t)hold->page, .len = hold->len },
	};
	int err = ioctl(hold->uffd, UFFDIO_ZEROPAGE, &zero) ? -errno : 0;

	if (!err)
		err = -pthread_join(hold->thread, NULL);
	close(hold->uffd);
	close(hold->sock);
	munmap(hold->page, hold->len);
	return err;
}

static void *close_socket(void *data)
{
	gwnl_close(data);
	return NULL;
}

/* before threads of lower priority, which have the same CPU */
static int urgent(pthread_t thread, bool on)
{
	struct sched_param param = { .sched_priority = on };

	return -pthread_setschedparam(thread, on ? SCHED_FIFO : SCHED_OTHER,
				      &param);
}

/*
 * A port id is free for others as soon as its socket is closed, while the kernel waits
 * for the RTNL mutex to end the transaction. Here the next socket with this id gets the
 * mutex first: the thread that closes does not run until it has begun its own.
 */
TEST_F(gw_nl_txn, next_socket_with_the_same_port_id_has_no_transaction)
{
	struct sockaddr_nl addr;
	socklen_t len = sizeof(addr);
	struct rtnl_hold hold;
	pthread_t closer;
	struct gwnl next;

	ASSERT_EQ(0, ct_pin_cpu());
	old_table(_metadata, &self->gw);
	ASSERT_EQ(0, gwnl_begin(&self->other, 0));
	ASSERT_EQ(0, add(&self->other, "x", IN0));
	ASSERT_EQ(0, getsockname(ynl_socket_get_fd(self->other.ys),
				 (struct sockaddr *)&addr, &len));
	ASSERT_EQ(0, gwnl_open(&next));
	ASSERT_EQ(0, gwnl_new_socket(&next));

	ASSERT_EQ(0, rtnl_hold(&hold));
	ASSERT_EQ(0, pthread_create(&closer, NULL, close_socket, &self->other));
	while (bind(ynl_socket_get_fd(next.ys), (struct sockaddr *)&addr, len)) {
		ASSERT_EQ(EADDRINUSE, errno);
		sched_yield();
	}
	ASSERT_EQ(0, urgent(hold.thread, true));
	ASSERT_EQ(0, urgent(pthread_self(), true));
	ASSERT_EQ(0, rtnl_release(&hold));
	EXPECT_EQ(0, gwnl_begin(&next, 0));
	EXPECT_EQ(0, add(&next, "y", IN0));

	/* and what the other socket leaves behind is not this one's */
	ASSERT_EQ(0, urgent(pthread_self(), false));
	ASSERT_EQ(0, pthread_join(closer, NULL));
	EXPECT_STREQ("ba", names(&self->gw));
	EXPECT_EQ(0, gwnl_commit(&next, 1, NULL));
	EXPECT_STREQ("y", names(&self->gw));
	gwnl_close(&next);
}

static int child_begins(int tell)
{
	struct gwnl gw;
	int err = gwnl_open(&gw) ?: gwnl_begin(&gw, 0) ?: add(&gw, "x", IN0);

	if (write(tell, &err, sizeof(err)) != sizeof(err))
		return 1;
	for (;;)
		pause();
}

TEST_F(gw_nl_txn, killing_the_process_changes_nothing)
{
	int64_t digest;
	int pipes[2], err = -1, status;
	pid_t child;

	old_table(_metadata, &self->gw);
	digest = gwnl_digest(&self->gw);
	ASSERT_EQ(0, pipe2(pipes, O_CLOEXEC));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(child_begins(pipes[1]));
	ASSERT_EQ((ssize_t)sizeof(err), read(pipes[0], &err, sizeof(err)));
	EXPECT_EQ(0, err);
	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(digest, gwnl_digest(&self->gw));
	EXPECT_EQ(0, gwnl_begin(&self->gw, 0));
	close(pipes[0]);
	close(pipes[1]);
}

TEST_F(gw_nl_txn, rejected_rule_makes_the_commit_fail)
{
	struct gwnl_rule bad = named("bad", IN0);
	int64_t digest, generation;

	old_table(_metadata, &self->gw);
	digest = gwnl_digest(&self->gw);
	generation = gwnl_generation(&self->gw);
	bad.destination = NOBODY;
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	ASSERT_EQ(0, add(&self->gw, "y", IN0));
	EXPECT_EQ(-ENODEV, gwnl_add(&self->gw, &bad, NULL));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	ASSERT_EQ(0, add(&self->gw, "z", IN0));
	/* with the number that was asked for, and with that which there is */
	EXPECT_EQ(-ECANCELED, gwnl_commit(&self->gw, 4, NULL));
	EXPECT_NE(NULL, strpbrk(self->gw.ys->err.msg, "3"))
		TH_LOG("'%s' does not name the third rule",
		       self->gw.ys->err.msg);
	EXPECT_EQ(digest, gwnl_digest(&self->gw));
	EXPECT_EQ(generation, gwnl_generation(&self->gw));

	/* the transaction has ended */
	EXPECT_GT(0, gwnl_commit(&self->gw, 3, NULL));
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	EXPECT_EQ(-ENODEV, gwnl_add(&self->gw, &bad, NULL));
	EXPECT_EQ(-ECANCELED, gwnl_commit(&self->gw, 1, NULL));
	EXPECT_EQ(digest, gwnl_digest(&self->gw));
	EXPECT_EQ(generation, gwnl_generation(&self->gw));
}

/* what the policy refuses does not reach the transaction, but the count tells */
TEST_F(gw_nl_txn, commit_with_a_wrong_number_of_rules_is_rejected)
{
	static const uint32_t counts[] = { 0, 1, 3, UINT32_MAX };
	struct gwnl_rule bad = named("bad", IN0);
	unsigned int i;

	old_table(_metadata, &self->gw);
	bad.has = GWNL_HAS(UID);
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
		ASSERT_EQ(0, add(&self->gw, "x", IN0));
		EXPECT_EQ(-ERANGE, gwnl_add(&self->gw, &bad, NULL));
		ASSERT_EQ(0, add(&self->gw, "y", IN0));
		EXPECT_EQ(-ECANCELED, gwnl_commit(&self->gw, counts[i], NULL));
		EXPECT_TRUE(gwnl_explained(&self->gw));
		EXPECT_STREQ("ba", names(&self->gw));
		/* it has ended, and another one begins with nothing */
		EXPECT_GT(0, gwnl_abort(&self->gw));
	}
}

TEST_F(gw_nl_txn, commit_needs_the_number_of_rules)
{
	struct can_gw_transaction_commit_req req = { 0 };
	const struct ynl_error *error = &self->gw.ys->err;

	old_table(_metadata, &self->gw);
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	EXPECT_EQ(NULL, can_gw_transaction_commit(self->gw.ys, &req));
	EXPECT_EQ(EINVAL, (int)error->code);
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_NE(NULL, strstr(error->msg, "missing attribute: .rules"));
	EXPECT_STREQ("ba", names(&self->gw));
}

TEST_F(gw_nl_txn, transactions_of_two_sockets_do_not_mix)
{
	old_table(_metadata, &self->gw);
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_begin(&self->other, 0));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	ASSERT_EQ(0, add(&self->other, "p", IN0));
	ASSERT_EQ(0, add(&self->gw, "y", IN1));
	ASSERT_EQ(0, add(&self->other, "q", IN1));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 2, NULL));
	EXPECT_STREQ("yx", names(&self->gw));
	ASSERT_EQ(0, add(&self->other, "r", IN1));
	EXPECT_STREQ("yx", names(&self->gw));
	ASSERT_EQ(0, gwnl_commit(&self->other, 3, NULL));
	EXPECT_STREQ("rqp", names(&self->gw));

	/* each for a source, and one is given up */
	ASSERT_EQ(0, gwnl_begin(&self->gw, IN0));
	ASSERT_EQ(0, gwnl_begin(&self->other, IN1));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	ASSERT_EQ(0, add(&self->other, "y", IN1));
	ASSERT_EQ(0, gwnl_abort(&self->other));
	EXPECT_STREQ("rqp", names(&self->gw));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 1, NULL));
	EXPECT_STREQ("xrq", names(&self->gw));
}

TEST_F(gw_nl_txn, commit_replaces_rules_that_others_have_added)
{
	struct cgw_rule old = { .src = IN0, .dst = TWO };

	old_table(_metadata, &self->gw);
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	ASSERT_EQ(0, add(&self->other, "c", IN0));
	ASSERT_EQ(0, cgw_add(&old));
	EXPECT_STREQ("cba", names(&self->other));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 1, NULL));
	EXPECT_STREQ("x", names(&self->other));
	EXPECT_EQ(1, cgw_list(NULL, 0));
}

TEST_F(gw_nl_txn, second_begin_is_rejected)
{
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	EXPECT_EQ(-EBUSY, gwnl_begin(&self->gw, 0));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_EQ(-EBUSY, gwnl_begin(&self->gw, IN0));
	/* and the first one goes on */
	ASSERT_EQ(0, add(&self->gw, "y", IN0));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 2, NULL));
	EXPECT_STREQ("yx", names(&self->gw));
}

TEST_F(gw_nl_txn, begin_needs_an_existing_source)
{
	static const struct {
		uint32_t source;
		int error;
	} bad[] = {
		{ NOBODY, -ENODEV }, { 1 /* lo */, -ENODEV },
		{ 0x80000000 | IN0, -ENODEV },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(bad[i].error, gwnl_begin(&self->gw, bad[i].source));
		EXPECT_TRUE(gwnl_explained(&self->gw));
		EXPECT_EQ(NLMSG_HDRLEN + 4U, self->gw.ys->err.attr_offs);
		EXPECT_GT(0, gwnl_abort(&self->gw));
	}
}

TEST_F(gw_nl_txn, commit_and_abort_need_a_transaction)
{
	old_table(_metadata, &self->gw);
	EXPECT_GT(0, gwnl_commit(&self->gw, 0, NULL));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_GT(0, gwnl_abort(&self->gw));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	/* the transaction of another socket does not help */
	ASSERT_EQ(0, gwnl_begin(&self->other, 0));
	EXPECT_GT(0, gwnl_commit(&self->gw, 0, NULL));
	EXPECT_GT(0, gwnl_abort(&self->gw));
	ASSERT_EQ(0, gwnl_abort(&self->other));
	EXPECT_GT(0, gwnl_abort(&self->other));
	EXPECT_STREQ("ba", names(&self->gw));
}

TEST_F(gw_nl_txn, commit_for_an_old_generation_is_rejected)
{
	struct can_gw_transaction_commit_req req = {
		._present = { .rules = 1, .generation = 1 }, .rules = 1,
	};
	struct can_gw_transaction_commit_rsp *rsp;

	old_table(_metadata, &self->gw);
	req.generation = gwnl_generation(&self->gw);
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	ASSERT_EQ(0, add(&self->other, "c", IN0));
	EXPECT_EQ(NULL, can_gw_transaction_commit(self->gw.ys, &req));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_STREQ("cba", names(&self->gw));
	EXPECT_GT(0, gwnl_abort(&self->gw));

	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	req.generation = gwnl_generation(&self->gw);
	rsp = can_gw_transaction_commit(self->gw.ys, &req);
	ASSERT_NE(NULL, rsp);
	can_gw_transaction_commit_rsp_free(rsp);
	EXPECT_STREQ("x", names(&self->gw));
}

TEST_F(gw_nl_txn, commit_is_rejected_when_a_destination_is_removed)
{
	struct gwnl_rule rule = named("x", IN0);
	int64_t digest;

	old_table(_metadata, &self->gw);
	digest = gwnl_digest(&self->gw);
	rule.destination = TWO;
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	ASSERT_EQ(0, add(&self->gw, "y", IN0));
	ASSERT_EQ(0, ct_link_del("two"));
	EXPECT_EQ(-ENODEV, gwnl_commit(&self->gw, 2, NULL));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_EQ(digest, gwnl_digest(&self->gw));

	/* the same, with another interface that has its index now */
	ASSERT_EQ(TWO, ct_vcan_add_at("two", CAN_MTU, TWO));
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	ASSERT_EQ(0, ct_link_del("two"));
	ASSERT_EQ(TWO, ct_vcan_add_at("two", CAN_MTU, TWO));
	EXPECT_EQ(-ENODEV, gwnl_commit(&self->gw, 1, NULL));
	EXPECT_EQ(digest, gwnl_digest(&self->gw));
}

TEST_F(gw_nl_txn, commit_is_rejected_when_the_source_is_removed)
{
	ASSERT_EQ(0, add(&self->gw, "b", IN1));
	ASSERT_EQ(0, gwnl_begin(&self->gw, IN0));
	ASSERT_EQ(0, gwnl_begin(&self->other, IN0));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	ASSERT_EQ(0, ct_link_del("in0"));
	EXPECT_GT(0, gwnl_commit(&self->gw, 1, NULL));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	/* without a rule, too */
	EXPECT_GT(0, gwnl_commit(&self->other, 0, NULL));
	EXPECT_TRUE(gwnl_explained(&self->other));
	EXPECT_STREQ("b", names(&self->gw));
	EXPECT_EQ(0, gwnl_begin(&self->gw, IN1));
}

TEST_F(gw_nl_txn, rule_of_another_source_is_rejected)
{
	ASSERT_EQ(0, gwnl_begin(&self->gw, IN0));
	EXPECT_GT(0, add(&self->gw, "x", IN1));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_NE(0U, self->gw.ys->err.attr_offs);
	EXPECT_EQ(-ECANCELED, gwnl_commit(&self->gw, 1, NULL));
	EXPECT_STREQ("", names(&self->gw));
}

TEST_F(gw_nl_txn, active_rules_cannot_be_changed_in_a_transaction)
{
	struct gwnl_rule rule = named("a", IN0);

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	gwnl_set_name(&rule, "x");
	EXPECT_EQ(-EBUSY, gwnl_replace(&self->gw, &rule));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_EQ(-EBUSY, gwnl_del(&self->gw, rule.handle));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_STREQ("a", names(&self->gw));
	/* by another socket they are */
	EXPECT_EQ(0, gwnl_replace(&self->other, &rule));
	EXPECT_STREQ("x", names(&self->gw));
	EXPECT_EQ(0, gwnl_del(&self->other, rule.handle));
	EXPECT_STREQ("", names(&self->gw));
	EXPECT_EQ(0, gwnl_abort(&self->gw));
}

TEST_F(gw_nl_txn, transaction_stays_in_the_namespace_of_its_socket)
{
	struct gwnl away;

	old_table(_metadata, &self->gw);
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(IN0, ct_vcan_add_at("in0", CAN_MTU, IN0));
	ASSERT_EQ(ONE, ct_vcan_add_at("one", CAN_MTU, ONE));
	ASSERT_EQ(0, gwnl_open(&away));
	ASSERT_EQ(0, add(&away, "c", IN0));
	/* the socket is still at home */
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_begin(&away, 0));
	ASSERT_EQ(0, add(&self->gw, "x", IN0));
	ASSERT_EQ(0, add(&away, "p", IN0));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 1, NULL));
	EXPECT_STREQ("x", names(&self->gw));
	EXPECT_STREQ("c", names(&away));
	ASSERT_EQ(0, gwnl_commit(&away, 1, NULL));
	EXPECT_STREQ("x", names(&self->gw));
	EXPECT_STREQ("p", names(&away));
	gwnl_close(&away);
}

/* Frames: two sources, each of whose frames is routed by two rules. */

struct committing {
	struct gw_flow flow;
	struct gwnl gw;
	bool one_source;
};

static int add_pair(struct committing *c, int source, unsigned int first)
{
	struct gwnl_rule rule;
	unsigned int i;
	int err = 0;

	for (i = 0; i < 2 && !err; i++) {
		rule = gw_flow_rule(&c->flow, source, first + i);
		err = gwnl_add(&c->gw, &rule, NULL);
	}
	return err;
}

/* marks 1, 2; 3, 4; 5, 6 */
static int commit_tables(unsigned int number, void *data)
{
	struct committing *c = data;
	unsigned int first = 1 + 2 * ((number + 1) % 3);
	int source = number % 2, err;

	if (c->one_source)
		return gwnl_begin(&c->gw, c->flow.source[source]) ?:
		       add_pair(c, source, first) ?:
		       gwnl_commit(&c->gw, 2, NULL);
	err = gwnl_begin(&c->gw, 0) ?: add_pair(c, 0, first) ?:
	      add_pair(c, 1, first);
	if (err)
		return err;
	/* now and then it is not wanted */
	return number % 8 == 7 ? gwnl_abort(&c->gw) :
				 gwnl_commit(&c->gw, 4, NULL);
}

static void expect_flow(struct __test_metadata *_metadata, bool one_source)
{
	struct committing c = {
		.flow = {
			.source = { IN0, IN1 }, .sources = 2, .copies = 2,
			.destination = { 0, ONE, TWO, TWO, ONE, TWO, TWO },
		},
		.one_source = one_source,
	};
	const char *failure;

	ASSERT_EQ(0, gw_flow_open(&c.flow));
	ASSERT_EQ(0, gwnl_open(&c.gw));
	ASSERT_EQ(0, add_pair(&c, 0, 1));
	ASSERT_EQ(0, add_pair(&c, 1, 1));
	failure = gw_flow_run(&c.flow, ct_env("CAN_CHURN_FRAMES", FRAMES),
			      CHANGES, commit_tables, &c);
	ASSERT_EQ(NULL, failure)
		TH_LOG("%s: %d (%#x), %u frames, %u changes: %s", failure,
		       c.flow.error, c.flow.error, c.flow.sent,
		       c.flow.changes, c.gw.ys->err.msg);
	TH_LOG("%u frames on each source, %u changes", c.flow.sent,
	       c.flow.changes);
	EXPECT_EQ(4, gwnl_handles(&c.gw, NULL, 0));
	gwnl_close(&c.gw);
	gw_flow_close(&c.flow);
}

TEST_F_TIMEOUT(gw_nl_txn, each_frame_is_routed_by_the_old_or_the_new_table, 400)
{
	expect_flow(_metadata, false);
}

TEST_F_TIMEOUT(gw_nl_txn,
	       each_frame_is_routed_by_the_old_or_the_new_rules_of_its_source,
	       400)
{
	expect_flow(_metadata, true);
}

/* Numbers of rules. */

static void put_rule(struct nlmsghdr *nlh, int number)
{
	const uint32_t mask = CAN_EFF_FLAG | CAN_EFF_MASK | CAN_RTR_FLAG;
	struct nlattr *operand;

	ynl_attr_put_u32(nlh, CAN_GW_A_RULE_SOURCE, number % 2 ? IN1 : IN0);
	ynl_attr_put_u32(nlh, CAN_GW_A_RULE_DESTINATION, ONE);
	ynl_attr_put_u32(nlh, CAN_GW_A_RULE_FILTER_ID, CAN_EFF_FLAG | number);
	ynl_attr_put_u32(nlh, CAN_GW_A_RULE_FILTER_MASK, mask);
	operand = ynl_attr_nest_start(nlh, CAN_GW_A_RULE_OR);
	ynl_attr_put_u32(nlh, CAN_GW_A_OPERAND_ID, number);
	ynl_attr_nest_end(nlh, operand);
}

TEST_F_TIMEOUT(gw_nl_txn, many_rules_are_committed_together, 600)
{
	int many = ct_env("CAN_GW_RULES", MANY), i;
	struct can_gw_table_get_rsp table;

	old_table(_metadata, &self->gw);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
		ASSERT_EQ(0, gwnl_batch(&self->gw, many, put_rule))
			TH_LOG("%s", self->gw.ys->err.msg);
		ASSERT_EQ(0, gwnl_commit(&self->gw, many, &table))
			TH_LOG("%s", self->gw.ys->err.msg);
		EXPECT_EQ((uint32_t)many, table.rules);
		EXPECT_EQ(many, gwnl_handles(&self->gw, NULL, 0));
	}
	/* and as much is given up */
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_batch(&self->gw, many, put_rule));
	ASSERT_EQ(0, gwnl_abort(&self->gw));
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 0, &table));
	EXPECT_EQ(0U, table.rules);
}

TEST_F_TIMEOUT(gw_nl_txn, error_in_the_middle_of_many_is_reported, 120)
{
	struct can_gw_table_get_rsp table;

	old_table(_metadata, &self->gw);
	ASSERT_EQ(0, gwnl_begin(&self->gw, IN0));
	/* every other rule is of another source */
	EXPECT_GT(0, gwnl_batch(&self->gw, 100, put_rule));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_EQ(-ECANCELED, gwnl_commit(&self->gw, 50, &table));
	EXPECT_STREQ("ba", names(&self->gw));
}

static int set_limit(int limit)
{
	FILE *file = fopen(LIMIT, "we");
	int err;

	if (!file)
		return -errno;
	fprintf(file, "%d\n", limit);
	err = fclose(file) ? -errno : 0;
	return err;
}

TEST_F(gw_nl_txn, limit_applies_to_every_request)
{
	struct cgw_rule old = { .src = IN0, .dst = TWO };
	struct gwnl_rule rule = named("x", IN0);
	struct can_gw_table_get_rsp table;
	int64_t digest;

	ASSERT_EQ(0, set_limit(3));
	ASSERT_EQ(0, gwnl_table(&self->gw, 0, &table));
	EXPECT_EQ(3U, table.limit);
	ASSERT_EQ(0, add(&self->gw, "a", IN0));
	ASSERT_EQ(0, add(&self->gw, "b", IN1));
	ASSERT_EQ(0, cgw_add(&old));
	digest = gwnl_digest(&self->gw);
	EXPECT_EQ(-ENOSPC, add(&self->gw, "c", IN0));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	rule.frames = CAN_GW_FRAMES_XL;
	EXPECT_EQ(-ENOSPC, gwnl_add(&self->gw, &rule, NULL));
	EXPECT_EQ(-ENOSPC, cgw_add(&old));
	EXPECT_EQ(digest, gwnl_digest(&self->gw));

	/* what makes place for another one is not refused */
	ASSERT_EQ(0, cgw_del(&old));
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	EXPECT_EQ(0, gwnl_replace(&self->gw, &rule));
	EXPECT_EQ(-ENOSPC, cgw_add(&old));
}

TEST_F(gw_nl_txn, limit_applies_to_the_new_table)
{
	struct can_gw_table_get_rsp table;
	int i, err = 0;

	ASSERT_EQ(0, set_limit(3));
	old_table(_metadata, &self->gw);
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, add(&self->gw, "x", IN0));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 3, &table));
	EXPECT_STREQ("xxx", names(&self->gw));

	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	for (i = 0; i < 4 && !err; i++)
		err = add(&self->gw, "y", IN0);
	EXPECT_GT(0, rejected_later(&self->gw, err, 4));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_STREQ("xxx", names(&self->gw));

	/* with those of the other sources */
	ASSERT_EQ(0, gwnl_begin(&self->gw, IN1));
	err = add(&self->gw, "y", IN1);
	EXPECT_GT(0, rejected_later(&self->gw, err, 1));
	EXPECT_STREQ("xxx", names(&self->gw));
	ASSERT_EQ(0, gwnl_begin(&self->gw, IN0));
	ASSERT_EQ(0, add(&self->gw, "y", IN0));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 1, NULL));
	EXPECT_EQ(0, add(&self->gw, "z", IN1));
	EXPECT_STREQ("zy", names(&self->gw));
}

/* rules that there are stay, and each namespace has its own limit */
TEST_F(gw_nl_txn, lower_limit_removes_no_rules)
{
	struct can_gw_table_get_rsp table;
	uint32_t limit;
	struct gwnl away;

	ASSERT_EQ(0, gwnl_table(&self->gw, 0, &table));
	limit = table.limit;
	old_table(_metadata, &self->gw);
	ASSERT_EQ(0, set_limit(1));
	EXPECT_STREQ("ba", names(&self->gw));
	EXPECT_EQ(-ENOSPC, add(&self->gw, "c", IN0));
	EXPECT_GT(0, set_limit(-1));
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(0, gwnl_open(&away));
	ASSERT_EQ(0, gwnl_table(&away, 0, &table));
	EXPECT_EQ(limit, table.limit);
	gwnl_close(&away);
}

TEST_HARNESS_MAIN
