// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of gateway rules: none of them may miss a frame while several CPUs
 * route frames by the same rules, and they are freed with their rules.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "cantest.h"
#include "cgw.h"
#include "gw_sender.h"
#include "kselftest_harness.h"

#define THREADS	4
#define FRAMES	2000

FIXTURE(gw_counters) {
	int src;
	int up;
	int down;
	struct gw_sender senders[THREADS];
};

FIXTURE_SETUP(gw_counters)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	self->src = CT_OK(ct_vcan_add("vcan0", CAN_MTU));
	self->up = CT_OK(ct_vcan_add("vcan1", CAN_MTU));
	self->down = CT_OK(ct_vcan_add("vcan2", CAN_MTU));
	ASSERT_EQ(0, ct_link_up("vcan2", false));
}

FIXTURE_TEARDOWN(gw_counters) { }

/* One rule sends all frames, one finds its destination down, and one makes a length
 * that no frame has.
 */
TEST_F_TIMEOUT(gw_counters, count_every_frame_on_several_cpus, 300)
{
	struct cgw_rule to_up = { .src = self->src, .dst = self->up };
	struct cgw_rule to_down = { .src = self->src, .dst = self->down };
	struct cgw_rule too_long = {
		.src = self->src, .dst = self->up,
		.set = { .type = CGW_MOD_LEN, .cf.len = 0x40 },
	};
	struct cgw_entry entries[3];
	unsigned int all = THREADS * FRAMES;
	int i;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	/* the first one is listed last */
	ASSERT_EQ(0, cgw_add(&to_up));
	ASSERT_EQ(0, cgw_add(&to_down));
	ASSERT_EQ(0, cgw_add(&too_long));
	for (i = 0; i < THREADS; i++) {
		self->senders[i].ifindex = self->src;
		self->senders[i].number = i;
		self->senders[i].frames = FRAMES;
		ASSERT_EQ(0, gw_sender_start(&self->senders[i]));
	}
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_join(self->senders[i].thread, NULL));
		EXPECT_EQ(0, self->senders[i].error)
			TH_LOG("thread %d", i);
	}

	/* on PREEMPT_RT, receivers may run before the rules */
	for (i = 0; i < CT_TIMEOUT_MS; i++) {
		ASSERT_EQ(3, cgw_list(entries, 3));
		if (entries[0].deleted >= all && entries[1].dropped >= all &&
		    entries[2].handled >= all)
			break;
		usleep(1000);
	}
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(i == 2 ? all : 0, entries[i].handled);
		EXPECT_EQ(i == 1 ? all : 0, entries[i].dropped);
		EXPECT_EQ(i == 0 ? all : 0, entries[i].deleted);
	}
}

/* Rules of a round, and bytes per CPU of their counters, in kB */
#define RULES		4096
#define ROUND_KB	(RULES * 32 / 1024)
#define ROUNDS		8

/* Return: per-CPU memory of the whole system in kB, or -ENOENT. */
static long percpu_kb(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	long kb = -ENOENT;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Percpu: %ld kB", &kb) == 1)
			break;
	if (file)
		fclose(file);
	return kb;
}

TEST_F_TIMEOUT(gw_counters, are_freed_with_their_rules, 600)
{
	struct can_filter filter = {
		.can_mask = CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_EFF_MASK,
	};
	struct cgw_rule rule = {
		.src = self->src, .dst = self->up, .filter = &filter,
	};
	long kb[ROUNDS];
	int i, round;

	if (!ct_own_machine())
		SKIP(return, "looks at the memory of the whole machine");
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < RULES; i++) {
			filter.can_id = CAN_EFF_FLAG | i;
			ASSERT_EQ(0, cgw_add(&rule));
		}
		kb[round] = CT_OK(percpu_kb());
		ASSERT_EQ(0, cgw_flush());
	}
	/* what a round frees may still be there in the next one */
	EXPECT_LE(kb[ROUNDS - 1], kb[1] + 3 * ROUND_KB * get_nprocs_conf());
}

TEST_HARNESS_MAIN
