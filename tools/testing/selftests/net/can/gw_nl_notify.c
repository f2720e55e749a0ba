// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notifications of the gateway's generic netlink family: one for every change of the
 * rules, by whichever interface, and none for anything else.
 *
 * To show that there is no notification, a test makes another change, whose
 * notification has to be the next one.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>

#include "cantest.h"
#include "cgw.h"
#include "gwnl.h"
#include "kselftest_harness.h"

#define SRC	10
#define DST	20
#define OTHER	30
#define UID	0xcafe
#define MANY	500U

FIXTURE(gw_nl_notify) {
	struct gwnl gw;
	struct gwnl ear;
	struct ynl_ntf_base_type *event;	/* the last one */
	union {					/* its attributes */
		struct can_gw_rule_get_rsp *rule;
		struct can_gw_rule_del_ntf_rsp *gone;
		struct can_gw_table_get_rsp *table;
	};
	int64_t generation;	/* after the last change */
};

FIXTURE_SETUP(gw_nl_notify)
{
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(SRC, ct_vcan_add_at("src", CAN_MTU, SRC));
	ASSERT_EQ(DST, ct_vcan_add_at("dst", CAN_MTU, DST));
	ASSERT_EQ(OTHER, ct_vcan_add_at("other", CAN_MTU, OTHER));
	ASSERT_EQ(0, gwnl_open(&self->gw));
	ASSERT_EQ(0, gwnl_open(&self->ear));
	ASSERT_EQ(0, ynl_subscribe(self->ear.ys, CAN_GW_MCGRP_RULES));
	self->generation = gwnl_generation(&self->gw);
	ASSERT_LE(0, self->generation);
}

FIXTURE_TEARDOWN(gw_nl_notify)
{
	if (self->event)
		ynl_ntf_free(self->event);
	gwnl_close(&self->gw);
	gwnl_close(&self->ear);
}

/* Wait for the next notification. Return: its command, or a negative errno value. */
static int next_event(FIXTURE_DATA(gw_nl_notify) *self)
{
	struct pollfd pfd = {
		.fd = ynl_socket_get_fd(self->ear.ys), .events = POLLIN,
	};

	if (self->event)
		ynl_ntf_free(self->event);
	self->event = NULL;
	if (!ynl_has_ntf(self->ear.ys)) {
		if (poll(&pfd, 1, CT_TIMEOUT_MS) != 1)
			return -ETIMEDOUT;
		if (ynl_ntf_check(self->ear.ys))
			return -EPROTO;
	}
	self->event = ynl_ntf_dequeue(self->ear.ys);
	if (!self->event)
		return -ENOMSG;
	self->rule = (void *)self->event->data;
	return self->event->cmd;
}

#define EXPECT_EVENT(_cmd) ASSERT_EQ(_cmd, next_event(self))

/* the difference between a rule and that of the notification */
static const char *event_differs(const FIXTURE_DATA(gw_nl_notify) *self,
				 const struct gwnl_rule *rule)
{
	struct gwnl_rule got;

	gwnl_take_rule(&got, self->rule);
	return gwnl_differs(rule, &got);
}

/* each change has its own, one above the last one */
#define EXPECT_GENERATION() do {					\
	int64_t _now = gwnl_generation(&self->gw);			\
									\
	EXPECT_LT(self->generation, _now);				\
	self->generation = _now;					\
} while (0)

static struct gwnl_rule plain(int source, int destination)
{
	return (struct gwnl_rule){
		.source = source, .destination = destination,
	};
}

static struct cgw_rule updated(uint8_t byte)
{
	return (struct cgw_rule){
		.src = SRC, .dst = DST, .uid = UID,
		.set = { .type = CGW_MOD_DATA, .cf.data = { byte } },
	};
}

TEST_F(gw_nl_notify, rules_of_the_family_are_notified_completely)
{
	struct gwnl_rule rule = plain(SRC, DST), got;

	gwnl_set_name(&rule, "one");
	rule.filter_id = 0x123;
	rule.filter_mask = 0x7ff;
	rule.op[GWNL_AND] = (struct gwnl_operand){
		.fields = GWNL_FIELD(DATA), .data_len = 2, .data = { 1, 2 },
	};
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	EXPECT_EVENT(CAN_GW_CMD_RULE_ADD_NTF);
	EXPECT_EQ(rule.handle, self->rule->handle);
	EXPECT_STREQ("", event_differs(self, &rule));
	ASSERT_EQ(0, gwnl_get(&self->gw, rule.handle, &got));
	EXPECT_STREQ("", event_differs(self, &got));
	EXPECT_GENERATION();

	gwnl_set_name(&rule, "two");
	rule.destination = OTHER;
	ASSERT_EQ(0, gwnl_replace(&self->gw, &rule));
	EXPECT_EVENT(CAN_GW_CMD_RULE_CHANGE_NTF);
	EXPECT_EQ(rule.handle, self->rule->handle);
	EXPECT_STREQ("", event_differs(self, &rule));
	EXPECT_GENERATION();

	ASSERT_EQ(0, gwnl_del(&self->gw, rule.handle));
	EXPECT_EVENT(CAN_GW_CMD_RULE_DEL_NTF);
	ASSERT_EQ(1U, self->gone->YNL_COUNT(handle));
	EXPECT_EQ(rule.handle, self->gone->handle[0]);
	EXPECT_EQ((uint32_t)CAN_GW_REASON_REQUEST, self->gone->reason);
	EXPECT_GENERATION();
	EXPECT_EQ(self->generation, self->gone->generation);
}

TEST_F(gw_nl_notify, largest_rule_is_notified)
{
	struct gwnl_rule rule = plain(SRC, DST);
	int op;

	rule.frames = CAN_GW_FRAMES_XL;
	for (op = 0; op < GWNL_OPS; op++) {
		rule.op[op].fields = GWNL_FIELD(DATA);
		rule.op[op].data_len = CAN_GW_MAX_DATA;
		memset(rule.op[op].data, 0x11 + op, CAN_GW_MAX_DATA);
	}
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	EXPECT_EVENT(CAN_GW_CMD_RULE_ADD_NTF);
	EXPECT_STREQ("", event_differs(self, &rule));
}

TEST_F(gw_nl_notify, rules_of_rtnetlink_are_notified)
{
	struct cgw_rule rule = updated(1);
	uint64_t handle;

	ASSERT_EQ(0, cgw_add(&rule));
	EXPECT_EVENT(CAN_GW_CMD_RULE_ADD_NTF);
	handle = self->rule->handle;
	EXPECT_NE(0U, handle);
	EXPECT_EQ((uint32_t)SRC, self->rule->source);
	EXPECT_EQ((uint32_t)DST, self->rule->destination);
	EXPECT_EQ((uint32_t)UID, self->rule->uid);
	EXPECT_EQ(1, *(uint8_t *)self->rule->set.data);
	EXPECT_GENERATION();

	rule = updated(2);
	ASSERT_EQ(0, cgw_add(&rule));
	EXPECT_EVENT(CAN_GW_CMD_RULE_CHANGE_NTF);
	EXPECT_EQ(handle, self->rule->handle);
	EXPECT_EQ(2, *(uint8_t *)self->rule->set.data);
	EXPECT_GENERATION();

	ASSERT_EQ(0, cgw_del(&rule));
	EXPECT_EVENT(CAN_GW_CMD_RULE_DEL_NTF);
	ASSERT_EQ(1U, self->gone->YNL_COUNT(handle));
	EXPECT_EQ(handle, self->gone->handle[0]);
	EXPECT_EQ((uint32_t)CAN_GW_REASON_REQUEST, self->gone->reason);
	EXPECT_GENERATION();
	EXPECT_EQ(self->generation, self->gone->generation);
}

TEST_F(gw_nl_notify, flush_of_all_is_notified_as_an_empty_table)
{
	struct gwnl_rule rule = plain(SRC, DST);
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
		EXPECT_EVENT(CAN_GW_CMD_RULE_ADD_NTF);
	}
	ASSERT_EQ(0, cgw_flush());
	EXPECT_EVENT(CAN_GW_CMD_TABLE_NTF);
	EXPECT_EQ(0U, self->table->rules);
	EXPECT_EQ(0U, self->table->source);
	EXPECT_GENERATION();
	EXPECT_EQ(self->generation, self->table->generation);
}

TEST_F(gw_nl_notify, commit_is_one_notification)
{
	struct gwnl_rule rule = plain(SRC, DST);
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, gwnl_begin(&self->gw, i ? SRC : 0));
		ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
		ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
		ASSERT_EQ(0, gwnl_commit(&self->gw, 2, NULL));
		EXPECT_EVENT(CAN_GW_CMD_TABLE_NTF);
		EXPECT_EQ(2U, self->table->rules);
		EXPECT_EQ(i ? (uint32_t)SRC : 0U, self->table->source);
		EXPECT_GENERATION();
		EXPECT_EQ(self->generation, self->table->generation);
	}
}

/* handles in a list, each of them once */
static bool listed(const uint64_t *list, unsigned int count, uint64_t handle)
{
	unsigned int i, found = 0;

	for (i = 0; i < count; i++)
		found += list[i] == handle;
	return found == 1;
}

TEST_F_TIMEOUT(gw_nl_notify, rules_removed_with_an_interface_are_notified, 120)
{
	static uint64_t mine[MANY], gone[2 * MANY];
	struct gwnl_rule rule, stays = plain(SRC, DST);
	unsigned int i, count = 0;

	ASSERT_EQ(0, gwnl_add(&self->gw, &stays, &stays.handle));
	EXPECT_EVENT(CAN_GW_CMD_RULE_ADD_NTF);
	for (i = 0; i < MANY; i++) {
		rule = i % 2 ? plain(OTHER, SRC) : plain(SRC, OTHER);
		ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &mine[i]));
		EXPECT_EVENT(CAN_GW_CMD_RULE_ADD_NTF);
	}
	EXPECT_GENERATION();
	ASSERT_EQ(0, ct_link_del("other"));
	while (count < MANY) {
		EXPECT_EVENT(CAN_GW_CMD_RULE_DEL_NTF);
		EXPECT_EQ((uint32_t)CAN_GW_REASON_INTERFACE, self->gone->reason);
		EXPECT_LT(self->generation, self->gone->generation);
		ASSERT_NE(0U, self->gone->YNL_COUNT(handle));
		ASSERT_LE(count + self->gone->YNL_COUNT(handle), 2 * MANY);
		memcpy(gone + count, self->gone->handle,
		       self->gone->YNL_COUNT(handle) * sizeof(*gone));
		count += self->gone->YNL_COUNT(handle);
	}
	EXPECT_EQ(MANY, count);
	for (i = 0; i < MANY; i++)
		EXPECT_TRUE(listed(gone, count, mine[i]));
	EXPECT_GENERATION();
	EXPECT_EQ(self->generation, self->gone->generation);

	/* and nothing else is said before the next change */
	ASSERT_EQ(0, gwnl_del(&self->gw, stays.handle));
	EXPECT_EVENT(CAN_GW_CMD_RULE_DEL_NTF);
	ASSERT_EQ(1U, self->gone->YNL_COUNT(handle));
	EXPECT_EQ(stays.handle, self->gone->handle[0]);
	EXPECT_EQ((uint32_t)CAN_GW_REASON_REQUEST, self->gone->reason);
}

TEST_F(gw_nl_notify, requests_without_effect_are_not_notified)
{
	struct gwnl_rule rule = plain(SRC, DST), bad = plain(SRC, 123456), got;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	EXPECT_EVENT(CAN_GW_CMD_RULE_ADD_NTF);
	EXPECT_GENERATION();

	EXPECT_EQ(-ENODEV, gwnl_add(&self->gw, &bad, NULL));
	EXPECT_EQ(-ENOENT, gwnl_del(&self->gw, rule.handle + 1));
	EXPECT_EQ(0, gwnl_get(&self->gw, rule.handle, &got));
	EXPECT_EQ(0, gwnl_reset(&self->gw, rule.handle, &got));
	EXPECT_EQ(1, gwnl_handles(&self->gw, NULL, 0));
	bad = plain(SRC, OTHER);
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_add(&self->gw, &bad, NULL));
	ASSERT_EQ(0, gwnl_abort(&self->gw));
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	EXPECT_EQ(-ECANCELED, gwnl_commit(&self->gw, 1, NULL));
	EXPECT_EQ(self->generation, gwnl_generation(&self->gw));

	ASSERT_EQ(0, gwnl_del(&self->gw, rule.handle));
	EXPECT_EVENT(CAN_GW_CMD_RULE_DEL_NTF);
	EXPECT_EQ(rule.handle, self->gone->handle[0]);
}

TEST_F(gw_nl_notify, other_namespaces_are_not_notified)
{
	struct gwnl_rule rule = plain(SRC, DST);
	struct gwnl away;
	uint64_t handle, there;

	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(SRC, ct_vcan_add_at("src", CAN_MTU, SRC));
	ASSERT_EQ(DST, ct_vcan_add_at("dst", CAN_MTU, DST));
	ASSERT_EQ(0, gwnl_open(&away));
	ASSERT_EQ(0, gwnl_add(&away, &rule, &there));
	ASSERT_EQ(0, gwnl_begin(&away, 0));
	ASSERT_EQ(0, gwnl_commit(&away, 0, NULL));
	ASSERT_EQ(0, gwnl_add(&away, &rule, &there));
	ASSERT_EQ(0, ct_link_del("dst"));
	EXPECT_EQ(self->generation, gwnl_generation(&self->gw));

	rule.destination = OTHER;
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &handle));
	EXPECT_EVENT(CAN_GW_CMD_RULE_ADD_NTF);
	EXPECT_EQ((uint32_t)OTHER, self->rule->destination);
	EXPECT_EQ(handle, self->rule->handle);
	gwnl_close(&away);
}

/* who follows the notifications knows the table, without looking again */
TEST_F_TIMEOUT(gw_nl_notify, notifications_keep_a_list_of_handles_current, 120)
{
	uint64_t known[64], handles[64];
	unsigned int count = 0, i, j;
	uint32_t random = 815;
	struct gwnl_rule rule;

	for (i = 0; i < 100; i++) {
		rule = plain(SRC, DST);
		if (count == ARRAY_SIZE(known) ||
		    (count && ct_random(&random) % 3 == 0)) {
			rule.handle = known[ct_random(&random) % count];
			ASSERT_EQ(0, gwnl_del(&self->gw, rule.handle));
			EXPECT_EVENT(CAN_GW_CMD_RULE_DEL_NTF);
			for (j = 0; known[j] != self->gone->handle[0]; j++)
				ASSERT_LT(j, count);
			memmove(known + j, known + j + 1,
				(--count - j) * sizeof(*known));
		} else {
			ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
			EXPECT_EVENT(CAN_GW_CMD_RULE_ADD_NTF);
			known[count++] = self->rule->handle;
		}
		EXPECT_GENERATION();
	}
	ASSERT_EQ((int)count, gwnl_handles(&self->gw, handles, 64));
	for (i = 0; i < count; i++)
		EXPECT_EQ(known[i], handles[count - 1 - i]);
}

TEST_HARNESS_MAIN
