// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random requests to both control planes of the gateway (gw_fuzzer.h), while virtual
 * interfaces come and go. Afterwards the rules that were there before are there, route
 * frames, and have their handles; and meanwhile the two planes agree about the rules.
 *
 * These interfaces cannot have express rules, which are refused: gw_express_fuzz has some
 * that can.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>

#include "cantest.h"
#include "cgw.h"
#include "gw_fuzzer.h"
#include "gw_reports.h"
#include "kselftest_harness.h"

#define KEPT_RULES	3
#define EXPRESS_IN	8	/* one of so many requests */

struct link_name {
	char name[8];
};

static struct link_name link_name(int number)
{
	struct link_name name;

	snprintf(name.name, sizeof(name.name), "fuzz%d", number);
	return name;
}

static int add_link(int number)
{
	static const int mtus[] = { CAN_MTU, CANFD_MTU, CANXL_MTU };
	int index = GW_FUZZ_FIRST_LINK + number;

	return ct_vcan_add_at(link_name(number).name, mtus[number % 3],
			      index) == index ? 0 : -ENODEV;
}

static int replace_link(struct gw_fuzz *f, struct gw_fuzz_ns *ns)
{
	int number = gw_fuzz_pick(f, GW_FUZZ_LINKS);

	return ct_netns_set(ns->ns) ?:
	       ct_link_del(link_name(number).name) ?: add_link(number);
}

static int ns_open(struct gw_fuzz_ns *ns, bool home)
{
	int i, err = gw_fuzz_ns_open(ns, home);

	for (i = 0; i < GW_FUZZ_LINKS && !err; i++)
		err = add_link(i);
	return err;
}

FIXTURE(gw_fuzz) {
	struct gw_fuzz *f;
	struct gw_reports reports;
	struct gwnl_rule kept[KEPT_RULES];
	int tx, rx;
};

FIXTURE_SETUP(gw_fuzz)
{
	static struct gw_fuzz fuzz = { .express_in = EXPRESS_IN };
	int i;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	self->f = &fuzz;
	gw_fuzz_seed(&fuzz);
	gw_reports_begin(&self->reports);
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, ns_open(&fuzz.away, false));
	ASSERT_EQ(0, ns_open(&fuzz.home, true));
	ASSERT_EQ(GW_FUZZ_KEPT_SRC, ct_vcan_add_at("in", CANXL_MTU, GW_FUZZ_KEPT_SRC));
	ASSERT_EQ(GW_FUZZ_KEPT_DST, ct_vcan_add_at("out", CANXL_MTU, GW_FUZZ_KEPT_DST));
	self->tx = ct_raw_open_xl(GW_FUZZ_KEPT_SRC);
	ASSERT_LE(0, self->tx);
	self->rx = ct_raw_open_xl(GW_FUZZ_KEPT_DST);
	ASSERT_LE(0, self->rx);
	ASSERT_EQ(0, gw_fuzz_skip_handles(&fuzz.home.control, GW_FUZZ_KEPT_SRC,
					  GW_FUZZ_KEPT_DST));
	for (i = 0; i < KEPT_RULES; i++) {
		struct gwnl_rule *rule = &self->kept[i];

		*rule = (struct gwnl_rule){
			.source = GW_FUZZ_KEPT_SRC, .destination = GW_FUZZ_KEPT_DST,
			.frames = i, .flags = CAN_GW_FLAGS_ECHO,
		};
		rule->op[GWNL_OR].fields = GWNL_FIELD(DATA);
		rule->op[GWNL_OR].data_len = 1;
		rule->op[GWNL_OR].data[0] = 0x10 << i;
		ASSERT_EQ(0, gwnl_add(&fuzz.home.control, rule, &fuzz.kept[i]));
	}
}

FIXTURE_TEARDOWN(gw_fuzz)
{
	gw_fuzz_ns_close(&self->f->home);
	gw_fuzz_ns_close(&self->f->away);
	close(self->tx);
	close(self->rx);
}

/* a frame of each kind arrives, marked by its rule, once and in its order */
static void expect_routed(struct __test_metadata *_metadata,
			  FIXTURE_DATA(gw_fuzz) *self)
{
	struct canxl_frame xl = {
		.prio = 0x123, .flags = CANXL_XLF, .len = 8,
	}, got;
	const uint8_t zero[64] = { 0 };
	struct canfd_frame fd;
	struct can_frame cc;

	ct_frame(&cc, 0x123, 8, zero);
	ct_fdframe(&fd, 0x123, 64, zero);
	ASSERT_EQ(0, ct_send(self->tx, &cc, sizeof(cc)));
	ASSERT_EQ(0, ct_send(self->tx, &fd, sizeof(fd)));
	ASSERT_EQ(0, ct_send(self->tx, &xl, CANXL_HDR_SIZE + 8));
	ASSERT_EQ((ssize_t)sizeof(cc),
		  ct_recv(self->rx, &cc, sizeof(cc), CT_TIMEOUT_MS));
	EXPECT_EQ(0x10, cc.data[0]);
	ASSERT_EQ((ssize_t)sizeof(fd),
		  ct_recv(self->rx, &fd, sizeof(fd), CT_TIMEOUT_MS));
	EXPECT_EQ(0x20, fd.data[0]);
	ASSERT_EQ((ssize_t)CANXL_HDR_SIZE + 8,
		  ct_recv(self->rx, &got, sizeof(got), CT_TIMEOUT_MS));
	EXPECT_EQ(0x40, got.data[0]);
}

static void expect_kept(struct __test_metadata *_metadata,
			FIXTURE_DATA(gw_fuzz) *self)
{
	struct gw_fuzz *f = self->f;
	struct gwnl_rule got;
	int i;

	for (i = 0; i < KEPT_RULES; i++) {
		ASSERT_EQ(0, gwnl_get(&f->home.control, f->kept[i], &got));
		EXPECT_STREQ("", gwnl_differs(&self->kept[i], &got));
	}
	expect_routed(_metadata, self);
}

/* The refusal names the interface. */
static void expect_no_express(struct __test_metadata *_metadata,
			      FIXTURE_DATA(gw_fuzz) *self)
{
	struct gwnl *gw = &self->f->home.control;
	struct gwnl_rule rule = self->kept[CAN_GW_FRAMES_CC];
	int64_t generation = gwnl_generation(gw);

	rule.express = true;
	EXPECT_EQ(-EOPNOTSUPP, gwnl_add(gw, &rule, NULL));
	EXPECT_NE(NULL, strstr(gw->ys->err.msg, "driver of in cannot be the source"))
		TH_LOG("%s", gw->ys->err.msg);
	rule.handle = self->f->kept[CAN_GW_FRAMES_CC];
	EXPECT_EQ(-EOPNOTSUPP, gwnl_replace(gw, &rule));
	EXPECT_NE(NULL, strstr(gw->ys->err.msg, "driver of in cannot be the source"))
		TH_LOG("%s", gw->ys->err.msg);
	EXPECT_EQ(generation, gwnl_generation(gw));
}

static void housekeeping(struct __test_metadata *_metadata, struct gw_fuzz *f)
{
	struct gw_fuzz_ns *ns = gw_fuzz_pick(f, 2) ? &f->home : &f->away;

	switch (gw_fuzz_pick(f, 4)) {
	case 0:
		ASSERT_EQ(0, replace_link(f, ns));
		break;
	case 1:
		ASSERT_EQ(0, gw_fuzz_replace_socket(f, ns));
		break;
	case 2:
		ASSERT_EQ(0, gw_fuzz_empty_source(ns, gw_fuzz_link(f)));
		break;
	case 3:
		EXPECT_STREQ("", gw_fuzz_agrees(ns) ?: "");
		break;
	}
}

TEST_F_TIMEOUT(gw_fuzz, random_requests_keep_unrelated_rules, 3600)
{
	struct gw_fuzz *f = self->f;
	time_t ends = gw_fuzz_ends();

	expect_no_express(_metadata, self);
	while (gw_fuzz_goes_on(f, ends)) {
		EXPECT_STREQ("", gw_fuzz_round(f) ?: "");
		housekeeping(_metadata, f);
		ASSERT_TRUE(__test_passed(_metadata))
			TH_LOG("after %u messages", f->sent);
		if (!gw_fuzz_pick(f, 5))
			expect_kept(_metadata, self);
	}
	expect_kept(_metadata, self);
	EXPECT_STREQ("", gw_fuzz_end(f, KEPT_RULES) ?: "");
	EXPECT_EQ(0U, f->express_accepted);
	if (f->sent >= GW_FUZZ_ENOUGH)
		EXPECT_LT(0U, f->express_rejected);
	ASSERT_EQ(0, ct_netns_set(f->home.ns));
	expect_kept(_metadata, self);
	EXPECT_EQ(0, gw_reports_count(&self->reports));
}

TEST_HARNESS_MAIN
