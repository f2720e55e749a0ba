// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often a frame may be routed: can-gw's module parameter max_hops, the
 * limit of a rule (CGW_LIM_HOPS, cangw -l), and routes that form a loop.
 *
 * max_hops is read-only once the module is loaded, so this program loads it again
 * for each value, which removes all rules of the machine. It does so only where
 * there are no others (ct_own_machine()). Elsewhere, or where it is impossible
 * (built in), only the variant with the current value runs.
 *
 * Every test runs on one CPU, where the virtual interfaces keep the order of
 * frames. Each interface of a chain has a listener; when a sentinel that is sent to
 * the last interface arrives, the frame before it has been routed or deleted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "cantest.h"
#include "cgw.h"
#include "kselftest_harness.h"

#define ID		0x100
#define ID_SENTINEL	0x7ff
#define HOPS_DEFAULT	1	/* of the module parameter */
#define HOPS_HIGHEST	6	/* and the most that it takes */

/* longer than any frame may travel */
#define CHAIN		(HOPS_HIGHEST + 3)

static const struct can_filter only_id = { ID, CAN_SFF_MASK };

/* the first line of a file of the module, empty when there is none */
static void module_file(const char *name, char *line, size_t size)
{
	char path[128];
	FILE *f;

	line[0] = 0;
	snprintf(path, sizeof(path), "/sys/module/can_gw/%s", name);
	f = fopen(path, "r");
	if (!f)
		return;
	if (!fgets(line, size, f))
		line[0] = 0;
	fclose(f);
}

/* enough to tell the module under test from another build of it */
static void module_identity(char *identity, size_t size)
{
	static const char * const files[] = {
		"srcversion", "coresize", "taint",
	};
	unsigned int i;

	for (i = 0; i < 3; i++)
		module_file(files[i], identity + i * (size / 3), size / 3);
}

static bool module_unload(void)
{
	return !system("modprobe -q -r can-gw 2>/dev/null");
}

static bool module_load(const char *options)
{
	char command[128];

	snprintf(command, sizeof(command), "modprobe can-gw %s 2>/dev/null",
		 options);
	return !system(command);
}

/*
 * Loads the module again with @options.
 *
 * Return: 1 when that is not possible, a negative errno value when it failed and
 * the module has its default again.
 */
static int module_reload(const char *options)
{
	char before[192] = "", after[192] = "";

	module_identity(before, sizeof(before));
	if (!ct_own_machine() || !module_unload())
		return 1;
	if (!module_load(options)) {
		module_load("");
		return -EINVAL;
	}
	module_identity(after, sizeof(after));
	return memcmp(before, after, sizeof(before)) ? -ESTALE : 0;
}

/*
 * The module stays loaded for all tests of a variant, because loading it takes far
 * longer than a test. The program itself, not the processes of its tests, loads it
 * with the default at its end.
 */
static pid_t program;

__attribute__((constructor)) static void remember_program(void)
{
	program = getpid();
}

__attribute__((destructor)) static void restore_default(void)
{
	if (getpid() == program && ct_own_machine() &&
	    cgw_max_hops() > HOPS_DEFAULT)
		module_reload("");
}

/*
 * A chain of interfaces, and a rule from each to the next.
 */

FIXTURE(gw_hops) {
	int max;			/* max_hops */
	int index[CHAIN + 1];
	int fd[CHAIN + 1];		/* a listener on each */
	int tx;				/* on the first one */
};

FIXTURE_VARIANT(gw_hops) {
	int max;	/* 0: as it is */
};

FIXTURE_VARIANT_ADD(gw_hops, as_loaded) { 0 };
FIXTURE_VARIANT_ADD(gw_hops, max_1) { 1 };
FIXTURE_VARIANT_ADD(gw_hops, max_2) { 2 };
FIXTURE_VARIANT_ADD(gw_hops, max_3) { 3 };
FIXTURE_VARIANT_ADD(gw_hops, max_4) { 4 };
FIXTURE_VARIANT_ADD(gw_hops, max_5) { 5 };
FIXTURE_VARIANT_ADD(gw_hops, max_6) { 6 };

FIXTURE_SETUP(gw_hops)
{
	char name[IFNAMSIZ], options[32];
	int i, err;

	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, ct_netns_new());
	for (i = 0; i <= CHAIN; i++) {
		snprintf(name, sizeof(name), "v%d", i);
		self->index[i] = CT_OK(ct_vcan_add(name, CAN_MTU));
		self->fd[i] = CT_OK(ct_raw_open(self->index[i]));
	}
	self->tx = CT_OK(ct_raw_open(self->index[0]));

	/* last, so that a failure above leaves the module alone */
	if (variant->max && variant->max != cgw_max_hops()) {
		snprintf(options, sizeof(options), "max_hops=%d", variant->max);
		err = module_reload(options);
		if (err == 1)
			SKIP(return, "can-gw cannot be unloaded, or " CT_NOT_OWN);
		ASSERT_EQ(0, err)
			TH_LOG("modprobe does not load the same can-gw");
	}
	self->max = cgw_max_hops();
}

FIXTURE_TEARDOWN(gw_hops)
{
	cgw_flush();
}

static int add_rule(int src, int dst, uint16_t flags, int limit)
{
	struct cgw_rule rule = {
		.src = src, .dst = dst, .flags = flags | CGW_FLAGS_CAN_ECHO,
		.limit_hops = limit, .filter = &only_id,
	};

	return cgw_add(&rule);
}

static int add_chain(const int *index, int limit_first)
{
	int i, err = 0;

	for (i = 0; i < CHAIN && !err; i++)
		err = add_rule(index[i], index[i + 1], 0, i ? 0 : limit_first);
	return err;
}

/* the next frame on this interface is one that is sent now */
static int nothing_left(int ifindex, int listener)
{
	int fd = ct_raw_open(ifindex), err;

	if (fd < 0)
		return fd;
	err = ct_send_id(fd, ID_SENTINEL);
	close(fd);
	return err ?: ct_recv_id(listener) == ID_SENTINEL ? 0 : -EPROTO;
}

/* a frame from the first interface travels @hops, and no further */
static void expect_hops(struct __test_metadata *_metadata,
			const FIXTURE_DATA(gw_hops) *self, int hops)
{
	int i;

	ASSERT_EQ(0, ct_send_id(self->tx, ID));
	for (i = 0; i <= hops; i++)
		ASSERT_EQ(ID, ct_recv_id(self->fd[i]));
	for (i = hops; i <= CHAIN; i++)
		ASSERT_EQ(0, nothing_left(self->index[i], self->fd[i]));
}

/* the rules of add_chain() after that */
static void expect_chain_counts(struct __test_metadata *_metadata,
				const FIXTURE_DATA(gw_hops) *self, int hops)
{
	int i;

	for (i = 0; i < CHAIN; i++)
		EXPECT_EQ(CGW_COUNTS(i < hops, 0, i == hops),
			  cgw_counts(self->index[i], self->index[i + 1]))
			TH_LOG("limit %d, rule %d", hops, i);
}

TEST_F_TIMEOUT(gw_hops, parameter_has_the_requested_value, 120)
{
	if (variant->max)
		EXPECT_EQ(variant->max, self->max);
	EXPECT_LE(1, self->max);
	EXPECT_GE(HOPS_HIGHEST, self->max);
}

TEST_F_TIMEOUT(gw_hops, frame_is_deleted_after_max_hops, 120)
{
	ASSERT_EQ(0, add_chain(self->index, 0));
	expect_hops(_metadata, self, self->max);
	expect_chain_counts(_metadata, self, self->max);
}

/* each frame has a count of its own */
TEST_F_TIMEOUT(gw_hops, frames_sent_anywhere_travel_max_hops, 120)
{
	int first, last, i, fd;

	ASSERT_EQ(0, add_chain(self->index, 0));
	for (first = 0; first + self->max < CHAIN; first++) {
		last = first + self->max;
		fd = CT_OK(ct_raw_open(self->index[first]));
		ASSERT_EQ(0, ct_send_id(fd, ID));
		for (i = first; i <= last; i++)
			ASSERT_EQ(ID, ct_recv_id(self->fd[i]));
		ASSERT_EQ(0, nothing_left(self->index[last], self->fd[last]));
		ASSERT_EQ(0, nothing_left(self->index[last + 1],
					  self->fd[last + 1]));
		close(fd);
	}
}

TEST_F_TIMEOUT(gw_hops, limit_of_the_first_rule_is_applied, 120)
{
	int limit;

	for (limit = 1; limit <= self->max; limit++) {
		ASSERT_EQ(0, add_chain(self->index, limit));
		expect_hops(_metadata, self, limit);
		expect_chain_counts(_metadata, self, limit);
		ASSERT_EQ(0, cgw_flush());
	}
}

/* a limit counts for frames that no rule has routed before */
TEST_F_TIMEOUT(gw_hops, limit_of_a_later_rule_is_ignored, 120)
{
	int i;

	for (i = 0; i < CHAIN; i++)
		ASSERT_EQ(0, add_rule(self->index[i], self->index[i + 1], 0,
				      i ? 1 : 0));
	expect_hops(_metadata, self, self->max);
}

TEST_F_TIMEOUT(gw_hops, limit_is_1_to_max_hops, 120)
{
	char buf[CGW_MSG_SIZE];
	struct nlmsghdr *nlh;
	int limit;

	for (limit = 0; limit <= 255; limit++) {
		/* by hand, because 0 means no attribute in struct cgw_rule */
		nlh = cgw_msg(buf, RTM_NEWROUTE, 0);
		mnl_attr_put_u8(nlh, CGW_LIM_HOPS, limit);
		mnl_attr_put_u32(nlh, CGW_SRC_IF, self->index[0]);
		mnl_attr_put_u32(nlh, CGW_DST_IF, self->index[1]);
		EXPECT_EQ(limit && limit <= self->max ? 0 : -EINVAL, ct_nl(nlh))
			TH_LOG("limit %d", limit);
	}
	EXPECT_EQ(self->max, cgw_list(NULL, 0));
}

/*
 * A loop of two: the second rule would send the frame to its first interface. It
 * does not and counts nothing, unless the hop limit, which is checked before,
 * deletes the frame.
 */
TEST_F_TIMEOUT(gw_hops, loop_of_two_ends_at_the_first_interface, 120)
{
	int v0 = self->index[0], v1 = self->index[1];

	ASSERT_EQ(0, add_rule(v0, v1, 0, 0));
	ASSERT_EQ(0, add_rule(v1, v0, 0, 0));
	ASSERT_EQ(0, ct_send_id(self->tx, ID));
	ASSERT_EQ(ID, ct_recv_id(self->fd[0]));
	ASSERT_EQ(ID, ct_recv_id(self->fd[1]));
	ASSERT_EQ(0, nothing_left(v1, self->fd[1]));
	ASSERT_EQ(0, nothing_left(v0, self->fd[0]));
	EXPECT_EQ(CGW_COUNTS(1, 0, 0), cgw_counts(v0, v1));
	EXPECT_EQ(self->max == 1 ? CGW_COUNTS(0, 0, 1) : CGW_COUNTS(0, 0, 0),
		  cgw_counts(v1, v0));
}

/* a loop that may pass its start is followed until the frame is deleted */
TEST_F_TIMEOUT(gw_hops, loop_with_iif_tx_ok_ends_after_max_hops, 120)
{
	int handled[3] = { 0 }, deleted[3] = { 0 };
	int *index = self->index, size, hop, i;

	for (size = 1; size <= 3; size++) {
		for (i = 0; i < size; i++)
			ASSERT_EQ(0, add_rule(index[i], index[(i + 1) % size],
					      CGW_FLAGS_CAN_IIF_TX_OK, 0));
		memset(handled, 0, sizeof(handled));
		memset(deleted, 0, sizeof(deleted));
		ASSERT_EQ(0, ct_send_id(self->tx, ID));
		for (hop = 0; hop <= self->max; hop++) {
			ASSERT_EQ(ID, ct_recv_id(self->fd[hop % size]));
			if (hop < self->max)
				handled[hop % size]++;
			else
				deleted[hop % size]++;
		}
		/* beginning with the last interface of the frame */
		for (i = 0; i < size; i++, hop++)
			ASSERT_EQ(0, nothing_left(index[(hop - 1) % size],
						  self->fd[(hop - 1) % size]));
		for (i = 0; i < size; i++)
			EXPECT_EQ(CGW_COUNTS(handled[i], 0, deleted[i]),
				  cgw_counts(index[i], index[(i + 1) % size]));
		ASSERT_EQ(0, cgw_flush());
	}
}

/* two rules at each interface double the frames at each hop, up to the limit */
TEST_F_TIMEOUT(gw_hops, loop_of_duplicate_rules_ends, 120)
{
	int v0 = self->index[0], hop, i, frames = 1, total = 0;
	struct cgw_entry entries[2];

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, add_rule(v0, v0, CGW_FLAGS_CAN_IIF_TX_OK, 0));
	ASSERT_EQ(0, ct_send_id(self->tx, ID));
	for (hop = 0; hop <= self->max; hop++, frames *= 2) {
		for (i = 0; i < frames; i++)
			ASSERT_EQ(ID, ct_recv_id(self->fd[0]));
		if (hop < self->max)
			total += frames;
	}
	ASSERT_EQ(0, nothing_left(v0, self->fd[0]));
	ASSERT_EQ(2, cgw_list(entries, 2));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ((uint32_t)total, entries[i].handled);
		EXPECT_EQ((uint32_t)frames / 2, entries[i].deleted);
	}
}

/*
 * A vxcan pair is a bus to another system, where counting begins again. A
 * loop over such a pair has no end; here a rule is removed to end it.
 */
TEST_F_TIMEOUT(gw_hops, vxcan_resets_the_hop_count_so_a_loop_never_ends, 120)
{
	struct cgw_entry entry;
	int x0, x1, far, near, i;

	x0 = CT_OK(ct_vxcan_add("x0", "x1", -1, CAN_MTU));
	x1 = if_nametoindex("x1");
	ASSERT_LT(0, x1);
	near = CT_OK(ct_raw_open(x0));
	far = CT_OK(ct_raw_open(x1));

	ASSERT_EQ(0, add_rule(x1, x0, CGW_FLAGS_CAN_IIF_TX_OK, 1));
	ASSERT_EQ(0, ct_send_id(near, ID));
	for (i = 0; i < 20 * HOPS_HIGHEST; i++)
		ASSERT_EQ(ID, ct_recv_id(far));
	ASSERT_EQ(0, cgw_find(x1, x0, &entry));
	EXPECT_LT(10U * HOPS_HIGHEST, entry.handled);
	EXPECT_EQ(0U, entry.dropped + entry.deleted);
	EXPECT_EQ(0, cgw_flush());
}

/*
 * The module parameter.
 */

/* refused where the parameter has one byte, as in later kernels */
#define HIGHEST "max_hops=4294967295"

FIXTURE(gw_parameter) {
	bool reloaded;
};

FIXTURE_VARIANT(gw_parameter) {
	const char *options;
	int max;	/* 0: refused */
};

FIXTURE_VARIANT_ADD(gw_parameter, default_is_1) { "", 1 };
FIXTURE_VARIANT_ADD(gw_parameter, zero_becomes_1) { "max_hops=0", 1 };
FIXTURE_VARIANT_ADD(gw_parameter, seven_becomes_6) { "max_hops=7", 6 };
FIXTURE_VARIANT_ADD(gw_parameter, highest_byte_becomes_6) { "max_hops=255", 6 };
FIXTURE_VARIANT_ADD(gw_parameter, highest_number_becomes_6) { HIGHEST, 6 };
FIXTURE_VARIANT_ADD(gw_parameter, hexadecimal_is_read) { "max_hops=0x3", 3 };
FIXTURE_VARIANT_ADD(gw_parameter, negative_is_rejected) { "max_hops=-1", 0 };
FIXTURE_VARIANT_ADD(gw_parameter, word_is_rejected) { "max_hops=many", 0 };

FIXTURE_SETUP(gw_parameter)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
}

FIXTURE_TEARDOWN(gw_parameter)
{
	if (self->reloaded)
		EXPECT_EQ(0, module_reload(""));
}

TEST_F(gw_parameter, max_hops)
{
	int err = module_reload(variant->options);

	if (err == 1)
		SKIP(return, "can-gw cannot be unloaded, or " CT_NOT_OWN);
	self->reloaded = true;
	if (!strcmp(variant->options, HIGHEST) && err == -EINVAL)
		return;
	ASSERT_EQ(variant->max ? 0 : -EINVAL, err);
	if (variant->max)
		EXPECT_EQ(variant->max, cgw_max_hops());
}

/* rules do not keep the module from being unloaded: they are removed with it */
FIXTURE(gw_unload) {
	bool reloaded;
};

FIXTURE_SETUP(gw_unload)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, ct_netns_new());
}

FIXTURE_TEARDOWN(gw_unload)
{
	cgw_flush();
	if (self->reloaded)
		EXPECT_EQ(0, module_reload(""));
}

TEST_F(gw_unload, unloading_removes_all_rules)
{
	int v0, v1, tx, rx, err;

	v0 = CT_OK(ct_vcan_add("v0", CAN_MTU));
	v1 = CT_OK(ct_vcan_add("v1", CAN_MTU));
	tx = CT_OK(ct_raw_open(v0));
	rx = CT_OK(ct_raw_open(v1));
	ASSERT_EQ(0, add_rule(v0, v1, 0, 0));
	ASSERT_EQ(0, ct_send_id(tx, ID));
	ASSERT_EQ(ID, ct_recv_id(rx));

	err = module_reload("");
	if (err == 1)
		SKIP(return, "can-gw cannot be unloaded, or " CT_NOT_OWN);
	self->reloaded = true;
	ASSERT_EQ(0, err);
	EXPECT_EQ(0, cgw_list(NULL, 0));
	ASSERT_EQ(0, ct_send_id(tx, ID));
	EXPECT_EQ(0, nothing_left(v1, rx));
}

TEST_HARNESS_MAIN
