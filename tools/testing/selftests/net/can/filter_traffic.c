// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive filters are added and removed on all CPUs while frames are sent, and the
 * filters that stay miss no frame: sockets and gateway rules that keep their filters
 * get each frame exactly once, and the frames of each sender in order.
 *
 * Each CPU has a thread that sends numbered frames from it (vcan keeps the
 * order per CPU only). It sends a few, reads them from every socket that they
 * must have reached, and then sends the next ones. So no queue overflows, however
 * slow the machine is.
 *
 * Meanwhile other threads set long and short lists of filters, many with the
 * masks of those that stay and some equal to them, add and remove gateway
 * rules, and read /proc/net/can. The test ends when these have done their work. It
 * runs several times from the beginning, because the kernel builds its structures
 * for many filters of one mask only once as long as they stay.
 *
 * Threads do not assert. The first failure is stored, and then all of them end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <linux/can.h>
#include <linux/can/gw.h>
#include <linux/can/raw.h>
#include <linux/sock_diag.h>

#include "kselftest_harness.h"
#include "cantest.h"
#include "cgw.h"

#define LONG_TEST	400	/* seconds: for machines that are emulated */

#define RUNS		12	/* runs of the whole test */
#define LISTS		8	/* set by each thread that changes filters */
#define BATCHES		3	/* of gateway rules that come and go */
#define BATCH		32
#define WINDOW		8	/* frames that a sender sends at a time */

#define EFF_ONE		(CAN_EFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG)

/*
 * Masks that tell senders apart, each without one of the upper bits; the same
 * ones without the lower half are for the frames of all senders.
 */
#define MASKS		12
#define OWN_MASK(n)	(EFF_ONE & ~(1U << (16 + (n))))
#define ALL_MASK(n)	(OWN_MASK(n) & ~0xffffU)

/* identifiers, by the number of the sender */
#define SENT_ID(n)	(CAN_EFF_FLAG | 0x1abc0000 | (n))
#define ROUTED_ID(n)	(CAN_EFF_FLAG | 0x05550000 | (n))
#define SINK_ID		(CAN_EFF_FLAG | 0x06660000)
#define OTHER_ID	(CAN_EFF_FLAG | 0x0a430000)

/* sockets that get the frames of one sender */
enum fixed {
	FIXED_MASKED,	/* one filter with each of the masks, joined */
	FIXED_ONE,	/* one identifier */
	FIXED_ANY,	/* on all interfaces */
	FIXED_ROUTED,	/* at the destination of the gateway */
	FIXED_SOCKETS,
};

struct traffic;

struct sender {
	struct traffic *traffic;
	pthread_t thread;
	unsigned int number;	/* also of the CPU */
	int tx;
	int fd[FIXED_SOCKETS];
	__u32 sent;
	__u32 arrived;		/* at traffic->all, under its lock */
};

/* a thread that does something else meanwhile */
struct helper {
	struct traffic *traffic;
	pthread_t thread;
	unsigned int number;
	__u32 state;
};

struct traffic {
	int vcan;
	int out;
	int sink;
	int first;		/* socket that was there before all others */
	int all;		/* gets the frames of all senders */
	pthread_mutex_t lock;
	struct sender *senders;
	unsigned int count;
	struct helper *helpers;
	unsigned int changers;
	atomic_int changing;	/* helpers that have not done their work */
	atomic_uint windows;	/* sent and read */
	atomic_bool failed;
	atomic_flag has_failure;
	char failure[160];
};

/* stores only the first failure, because others may follow from it */
static __printf(2, 3) void fail(struct traffic *traffic, const char *format,
				...)
{
	va_list args;

	if (!atomic_flag_test_and_set(&traffic->has_failure)) {
		va_start(args, format);
		vsnprintf(traffic->failure, sizeof(traffic->failure), format,
			  args);
		va_end(args);
	}
	atomic_store(&traffic->failed, true);
}

/* the number in the next frame of @fd, whose sender is in @number */
static ssize_t recv_number(int fd, unsigned int *number, __u32 *value)
{
	struct can_frame frame;
	ssize_t len = ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS);

	if (len < 0)
		return len;
	memcpy(value, frame.data, sizeof(*value));
	*number = frame.can_id & 0xffff;
	return 0;
}

/* the next frame of a socket for one sender has to be number @expected */
static void read_fixed(struct sender *sender, enum fixed fixed, __u32 expected)
{
	unsigned int number;
	__u32 value;
	ssize_t err;

	err = recv_number(sender->fd[fixed], &number, &value);
	if (err)
		fail(sender->traffic, "socket %d, frame %u of sender %u: %s",
		     fixed, expected, sender->number, strerror(-err));
	else if (number != sender->number || value != expected)
		fail(sender->traffic,
		     "socket %d, frame %u of sender %u: got %u of %u", fixed,
		     expected, sender->number, value, number);
}

/* read for all senders until the frames of this one are there */
static void read_all(struct sender *sender)
{
	struct traffic *traffic = sender->traffic;
	unsigned int number;
	__u32 value;
	ssize_t err;

	pthread_mutex_lock(&traffic->lock);
	while (sender->arrived != sender->sent &&
	       !atomic_load(&traffic->failed)) {
		err = recv_number(traffic->all, &number, &value);
		if (err)
			fail(traffic, "all, frame %u of sender %u: %s",
			     sender->arrived, sender->number, strerror(-err));
		else if (number >= traffic->count ||
			 value != traffic->senders[number].arrived)
			fail(traffic, "all: got %u of %u", value, number);
		else
			traffic->senders[number].arrived++;
	}
	pthread_mutex_unlock(&traffic->lock);
}

static void send_window(struct sender *sender)
{
	struct can_frame frame;
	int i, err;

	for (i = 0; i < WINDOW; i++) {
		ct_frame(&frame, SENT_ID(sender->number), 8, NULL);
		memcpy(frame.data, &sender->sent, sizeof(sender->sent));
		err = ct_send(sender->tx, &frame, sizeof(frame));
		if (err)
			fail(sender->traffic, "sender %u: %s", sender->number,
			     strerror(-err));
		sender->sent++;
	}
}

static void *send_frames(void *arg)
{
	struct sender *sender = arg;
	struct traffic *traffic = sender->traffic;
	enum fixed fixed;
	__u32 number;

	if (ct_pin_nth_cpu(sender->number))
		fail(traffic, "CPU %u is gone", sender->number);
	do {
		number = sender->sent;
		send_window(sender);
		for (; number < sender->sent; number++)
			for (fixed = 0; fixed < FIXED_SOCKETS; fixed++)
				if (!atomic_load(&traffic->failed))
					read_fixed(sender, fixed, number);
		read_all(sender);
		atomic_fetch_add(&traffic->windows, 1);
	} while (atomic_load(&traffic->changing) &&
		 !atomic_load(&traffic->failed));
	return NULL;
}

/* some frames flow between two changes, also when there is one CPU only */
static void wait_for_frames(struct traffic *traffic)
{
	unsigned int before = atomic_load(&traffic->windows);

	while (atomic_load(&traffic->windows) == before &&
	       !atomic_load(&traffic->failed))
		sched_yield();
}

/* of few masks, so that there are many of each; some match frames that are sent */
static void random_filters(struct helper *helper, struct can_filter *filters,
			   int count)
{
	unsigned int first = ct_random(&helper->state) % (MASKS + 1);
	unsigned int masks = 1 + ct_random(&helper->state) % 3;
	unsigned int n;

	for (; count--; filters++) {
		n = (first + ct_random(&helper->state) % masks) % (MASKS + 1);
		filters->can_mask = n < MASKS ? OWN_MASK(n) : EFF_ONE;
		if (ct_random(&helper->state) % 16)
			filters->can_id = OTHER_ID ^
					  (ct_random(&helper->state) & 0xffff);
		else
			filters->can_id = SENT_ID(ct_random(&helper->state) %
						  helper->traffic->count);
	}
}

static void *change_filters(void *arg)
{
	static const int counts[] = { 512, 100, 7, 0, 512, 33 };
	struct can_filter filters[CAN_RAW_FILTER_MAX];
	struct helper *helper = arg;
	struct traffic *traffic = helper->traffic;
	int fd, i, count, err;

	/* it is never read, so its frames are soon dropped */
	fd = ct_raw_open(helper->number % 2 ? 0 : traffic->vcan);
	if (fd < 0 || ct_sock_set(fd, SO_RCVBUF, 1))
		fail(traffic, "no socket to change filters of");

	for (i = 0; i < LISTS && !atomic_load(&traffic->failed); i++) {
		count = counts[ct_random(&helper->state) % ARRAY_SIZE(counts)];
		random_filters(helper, filters, count);
		err = ct_raw_filters(fd, filters, count);
		if (err)
			fail(traffic, "%d filters: %s", count, strerror(-err));
		wait_for_frames(traffic);
	}
	close(fd);
	atomic_fetch_sub(&traffic->changing, 1);
	return NULL;
}

/* a rule for one of the filters, to an interface without receivers */
static int request_rule(const struct traffic *traffic,
			const struct can_filter *filter,
			int (*request)(const struct cgw_rule *rule))
{
	struct cgw_rule rule = {
		.src = traffic->vcan,
		.dst = traffic->sink,
		.filter = filter,
	};

	rule.set.type = CGW_MOD_ID;
	rule.set.cf.can_id = SINK_ID;
	return request(&rule);
}

/* the oldest goes first */
static void *change_rules(void *arg)
{
	struct helper *helper = arg;
	struct traffic *traffic = helper->traffic;
	struct can_filter filters[BATCH];
	int i, n, err = 0;

	for (i = 0; i < BATCHES && !atomic_load(&traffic->failed); i++) {
		random_filters(helper, filters, BATCH);
		for (n = 0; n < BATCH && !err; n++)
			err = request_rule(traffic, &filters[n], cgw_add);
		wait_for_frames(traffic);
		for (n = 0; n < BATCH && !err; n++)
			err = request_rule(traffic, &filters[n], cgw_del);
		if (err)
			fail(traffic, "rule %d: %s", n, strerror(-err));
		wait_for_frames(traffic);
	}
	atomic_fetch_sub(&traffic->changing, 1);
	return NULL;
}

/* the number of lines of a file that start with @begin */
static int count_lines(const char *path, const char *begin)
{
	FILE *file = fopen(path, "re");
	char line[256];
	int count = 0;

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, begin, strlen(begin)))
			count++;
	fclose(file);
	return count;
}

/* filters that stay are also shown all the time */
static void *read_proc(void *arg)
{
	struct helper *helper = arg;
	struct traffic *traffic = helper->traffic;
	unsigned int n = 0;
	char line[64];
	int shown;

	while (atomic_load(&traffic->changing) &&
	       !atomic_load(&traffic->failed)) {
		n++;
		snprintf(line, sizeof(line), "   vcan0  %08x  %08x  ",
			 SENT_ID(n % traffic->count), EFF_ONE);
		shown = count_lines("/proc/net/can/rcvlist_eff", line);
		if (shown < 1)
			fail(traffic, "shown %d times:%s", shown, line);

		/* of the joined filters, with the bits that they compare */
		snprintf(line, sizeof(line), "   vcan0  %08x  %08x  ",
			 SENT_ID(n % traffic->count) & OWN_MASK(n % MASKS),
			 OWN_MASK(n % MASKS));
		shown = count_lines("/proc/net/can/rcvlist_fil", line);
		if (shown < 1)
			fail(traffic, "shown %d times:%s", shown, line);
	}
	return NULL;
}

/* a socket on an interface, with room for the windows of all senders */
static int open_fixed(const struct traffic *traffic, int ifindex,
		      const struct can_filter *filters, int count)
{
	int bytes = (1 << 18) + traffic->count * WINDOW * 4096;
	int fd = ct_raw_socket();

	return fd < 0 ? fd : ct_sock_set(fd, SO_RCVBUFFORCE, bytes) ?:
	       ct_raw_set(fd, CAN_RAW_JOIN_FILTERS, 1) ?:
	       ct_raw_filters(fd, filters, count) ?: ct_raw_bind(fd, ifindex) ?: fd;
}

static int open_masked(const struct traffic *traffic, canid_t id, bool all)
{
	struct can_filter filters[MASKS];
	int n;

	for (n = 0; n < MASKS; n++) {
		filters[n].can_id = id;
		filters[n].can_mask = all ? ALL_MASK(n) : OWN_MASK(n);
	}
	return open_fixed(traffic, traffic->vcan, filters, MASKS);
}

static int add_route(const struct traffic *traffic, unsigned int number)
{
	const struct can_filter filter = { SENT_ID(number), OWN_MASK(1) };
	struct cgw_rule rule = {
		.src = traffic->vcan,
		.dst = traffic->out,
		.flags = CGW_FLAGS_CAN_ECHO,	/* to sockets on "out" */
		.filter = &filter,
	};

	rule.set.type = CGW_MOD_ID;
	rule.set.cf.can_id = ROUTED_ID(number);
	return cgw_add(&rule);
}

static int open_sender(struct traffic *traffic, struct sender *sender)
{
	const unsigned int n = sender->number;
	const struct can_filter one = { SENT_ID(n), EFF_ONE };
	const struct can_filter any = { SENT_ID(n), OWN_MASK(0) };
	const struct can_filter routed = { ROUTED_ID(n), EFF_ONE };
	int i;

	sender->traffic = traffic;
	sender->sent = 0;
	sender->arrived = 0;
	sender->tx = ct_raw_open(traffic->vcan);
	if (sender->tx < 0)
		return sender->tx;
	sender->fd[FIXED_MASKED] = open_masked(traffic, SENT_ID(n), false);
	sender->fd[FIXED_ONE] = open_fixed(traffic, traffic->vcan, &one, 1);
	sender->fd[FIXED_ANY] = open_fixed(traffic, 0, &any, 1);
	sender->fd[FIXED_ROUTED] = open_fixed(traffic, traffic->out, &routed,
					      1);
	for (i = 0; i < FIXED_SOCKETS; i++)
		if (sender->fd[i] < 0)
			return sender->fd[i];
	i = ct_raw_filters(sender->tx, NULL, 0);
	return i ? i : add_route(traffic, n);
}

FIXTURE(filter_traffic)
{
	struct traffic traffic;
};

FIXTURE_VARIANT(filter_traffic)
{
	int before;	/* filters of each mask that are older than all others */
};

FIXTURE_VARIANT_ADD(filter_traffic, fixed_filters_are_oldest) { 0 };
FIXTURE_VARIANT_ADD(filter_traffic, fixed_filters_are_newer) { 5 };

/* raise the limit of descriptors, because each CPU needs some */
static int allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return -errno;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) ? -errno : 0;
}

/* a sender for each CPU */
static int make_senders(struct traffic *traffic)
{
	cpu_set_t cpus;
	unsigned int i;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return -errno;
	traffic->count = CPU_COUNT(&cpus);
	traffic->senders = calloc(traffic->count, sizeof(*traffic->senders));
	if (!traffic->senders)
		return -ENOMEM;
	for (i = 0; i < traffic->count; i++)
		traffic->senders[i].number = i;
	return 0;
}

/* threads that change filters, and one each for rules and for /proc */
static int make_helpers(struct traffic *traffic)
{
	unsigned int i;

	traffic->changers = traffic->count + 1;
	traffic->helpers = calloc(traffic->changers + 2,
				  sizeof(*traffic->helpers));
	if (!traffic->helpers)
		return -ENOMEM;
	for (i = 0; i < traffic->changers + 2; i++) {
		traffic->helpers[i].traffic = traffic;
		traffic->helpers[i].number = i;
		traffic->helpers[i].state = 59 + i;
	}
	return 0;
}

FIXTURE_SETUP(filter_traffic)
{
	struct traffic *traffic = &self->traffic;

	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(0, allow_descriptors());
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw");
	traffic->vcan = CT_OK(ct_vcan_add("vcan0", CAN_MTU));
	traffic->out = CT_OK(ct_vcan_add("out", CAN_MTU));
	traffic->sink = CT_OK(ct_vcan_add("sink", CAN_MTU));
	pthread_mutex_init(&traffic->lock, NULL);
	atomic_flag_clear(&traffic->has_failure);
	ASSERT_EQ(0, make_senders(traffic));
	ASSERT_EQ(0, make_helpers(traffic));
}

FIXTURE_TEARDOWN(filter_traffic) { }

/* filters of all masks, which match no frame that is sent */
static int open_first(const struct traffic *traffic, int each)
{
	struct can_filter filters[CAN_RAW_FILTER_MAX];
	int n, count = 0;

	while (each--) {
		for (n = 0; n < MASKS; n++) {
			filters[count].can_id = OTHER_ID | each;
			filters[count++].can_mask = OWN_MASK(n);
			filters[count].can_id = OTHER_ID | each;
			filters[count++].can_mask = ALL_MASK(n);
		}
	}
	return open_fixed(traffic, traffic->vcan, filters, count);
}

static void begin(struct __test_metadata *_metadata, struct traffic *traffic,
		  int before)
{
	unsigned int i;

	traffic->first = CT_OK(open_first(traffic, before));
	for (i = 0; i < traffic->count; i++)
		ASSERT_EQ(0, open_sender(traffic, &traffic->senders[i]));
	traffic->all = CT_OK(open_masked(traffic, SENT_ID(0), true));
}

/* all threads, until the helpers have done their changes */
static void run(struct __test_metadata *_metadata, struct traffic *traffic)
{
	struct helper *helper = traffic->helpers;
	unsigned int i;

	atomic_store(&traffic->changing, traffic->changers + 1);
	for (i = 0; i < traffic->count; i++)
		ASSERT_EQ(0, pthread_create(&traffic->senders[i].thread, NULL,
					    send_frames,
					    &traffic->senders[i]));
	for (i = 0; i < traffic->changers; i++, helper++)
		ASSERT_EQ(0, pthread_create(&helper->thread, NULL,
					    change_filters, helper));
	ASSERT_EQ(0, pthread_create(&helper[0].thread, NULL, change_rules,
				    &helper[0]));
	ASSERT_EQ(0, pthread_create(&helper[1].thread, NULL, read_proc,
				    &helper[1]));

	for (i = 0; i < traffic->count; i++)
		ASSERT_EQ(0, pthread_join(traffic->senders[i].thread, NULL));
	for (i = 0; i < traffic->changers + 2; i++)
		ASSERT_EQ(0, pthread_join(traffic->helpers[i].thread, NULL));
	ASSERT_FALSE(traffic->failed)
		TH_LOG("%s", traffic->failure);
}

/* no frame is left in the queue, and none was dropped */
static void end_fixed(struct __test_metadata *_metadata, int fd)
{
	__u32 info[SK_MEMINFO_VARS];
	socklen_t len = sizeof(info);
	struct can_frame frame;

	ASSERT_EQ(-ETIMEDOUT, ct_recv(fd, &frame, sizeof(frame), 0));
	ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len));
	ASSERT_EQ(sizeof(info), len);
	ASSERT_EQ(0U, info[SK_MEMINFO_DROPS]);
	close(fd);
}

/* the gateway has counted the frames of each sender; the newest rule is listed first */
static void end_rules(struct __test_metadata *_metadata,
		      struct traffic *traffic)
{
	struct cgw_entry *entries = calloc(traffic->count, sizeof(*entries));
	unsigned int i;

	ASSERT_NE(NULL, entries);
	ASSERT_EQ((int)traffic->count, cgw_list(entries, traffic->count));
	for (i = 0; i < traffic->count; i++) {
		ASSERT_EQ(traffic->senders[traffic->count - 1 - i].sent,
			  entries[i].handled);
		ASSERT_EQ(0U, entries[i].dropped + entries[i].deleted);
	}
	free(entries);
	ASSERT_EQ(0, cgw_flush());
}

static void end(struct __test_metadata *_metadata, struct traffic *traffic)
{
	struct sender *sender;
	unsigned int i, k;

	end_rules(_metadata, traffic);
	end_fixed(_metadata, traffic->all);
	end_fixed(_metadata, traffic->first);
	for (i = 0; i < traffic->count; i++) {
		sender = &traffic->senders[i];
		close(sender->tx);
		for (k = 0; k < FIXED_SOCKETS; k++)
			end_fixed(_metadata, sender->fd[k]);
	}
	ASSERT_EQ(1, count_lines("/proc/net/can/stats",
				 "        0 current receive list entries"));
}

TEST_F_TIMEOUT(filter_traffic, fixed_filters_receive_every_frame, LONG_TEST)
{
	int i;

	for (i = 0; i < RUNS; i++) {
		begin(_metadata, &self->traffic, variant->before);
		run(_metadata, &self->traffic);
		end(_metadata, &self->traffic);
	}
}

TEST_HARNESS_MAIN
