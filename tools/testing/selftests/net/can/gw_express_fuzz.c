// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random requests to both control planes of the gateway (gw_fuzzer.h), many of them for
 * express rules, with interfaces that can have these, and others. Meanwhile frames come
 * from generators, interfaces go down and up, and lose their drivers, and buses are
 * removed and made. Two rules that were there before route each frame once, one of them
 * in the interrupt.
 *
 *	generator -> simfzk0 -> "in", the rules that stay, "out" -> simfzk1 -> "last"
 *	simfz0, simfz1: a generator and two controllers each, one of each namespace
 *
 * Frames on the latter may go round in circles, so these buses are slow.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>

#include "cantest.h"
#include "gw_fuzzer.h"
#include "gw_reports.h"
#include "simbus.h"
#include "kselftest_harness.h"

#define IN_BUS		"simfzk0"
#define OUT_BUS		"simfzk1"
#define IN		IN_BUS "/sja1000.simfzin"
#define OUT		OUT_BUS "/mpc5200.simfzout"
#define LAST		OUT_BUS "/sja1000.simfzlast"
#define GEN		IN_BUS "/generator.gen"
#define LAST_IFINDEX	(GW_FUZZ_KEPT_DST + 1)

#define BITRATE		500000
#define SLOWDOWN	"10"
#define PERIOD_NS	500000
#define FRAMES		3	/* of a run of the first generator */
#define ID		0x100
#define MARK		4	/* byte of the data that tells the rule */
#define EXPRESS_IN	2	/* one of so many requests */

/* The first two interfaces are virtual ones. */
#define VIRTUAL		2

/* The rules that stay */
enum { EXPRESS, ORDINARY, KEPT_RULES };

static const struct chip {
	const char *bus;
	const char *kind;
	const char *name;
	int link;
	bool home;
	bool destination;
} chips[] = {
	{ "simfz0", "sja1000", "simfzc0", 2, true, true },
	{ "simfz0", "mcp2515", "simfzc1", 2, false, false },
	{ "simfz1", "mpc5200", "simfzc2", 3, true, true },
	{ "simfz1", "sja1000", "simfzc3", 3, false, true },
};

FIXTURE(gw_express_fuzz) {
	struct gw_fuzz *f;
	struct gw_reports reports;
	struct gwnl_rule kept[KEPT_RULES];
	char spi[NAME_MAX];
	int first_ns;
	int last_fd;
	unsigned int run;
};

static struct gw_fuzz_ns *ns_of(struct gw_fuzz *f, const struct chip *chip)
{
	return chip->home ? &f->home : &f->away;
}

static void chip_path(const struct chip *chip, char path[64])
{
	snprintf(path, 64, "%s/%s.%s", chip->bus, chip->kind, chip->name);
}

/* A bus that is not live yet, with a generator */
static int make_bus(const char *bus)
{
	char gen[64];

	snprintf(gen, sizeof(gen), "%s/generator.gen", bus);
	return sim_bus_make(bus, "generator.gen") ?:
	       sim_set_all(gen, "bitrate=%d", BITRATE) ?:
	       sim_set_all(bus, "slowdown=" SLOWDOWN) ?: sim_slow_down(bus);
}

static int make_buses(void)
{
	char path[64];
	unsigned int i;
	int err;

	err = make_bus(IN_BUS) ?: make_bus(OUT_BUS) ?: make_bus("simfz0") ?:
	      make_bus("simfz1") ?: sim_bus_add(IN) ?: sim_bus_add(OUT) ?:
	      sim_bus_add(LAST);
	for (i = 0; i < ARRAY_SIZE(chips) && !err; i++) {
		chip_path(&chips[i], path);
		err = sim_bus_add(path);
	}
	return err;
}

/* Move the interface of a new controller to its namespace. The caller stays there. */
static int take_chip(FIXTURE_DATA(gw_express_fuzz) *self, const struct chip *chip)
{
	struct gw_fuzz_ns *ns = ns_of(self->f, chip);
	char path[64], name[16];
	int err = ct_netns_set(self->first_ns);

	chip_path(chip, path);
	if (!err && sim_get(path, "interface", name, sizeof(name)) > 0 &&
	    !strcmp(chip->kind, "mcp2515"))
		sim_spi_device(name, self->spi);
	return err ?: sim_link_move(path, ns->ns, chip->name,
				    GW_FUZZ_FIRST_LINK + chip->link) ?:
	       ct_netns_set(ns->ns) ?:
	       sim_link_up(chip->name, BITRATE, "restart-ms 100");
}

/* Make a bus live, and let its generator send frames of all kinds. */
static int begin_bus(FIXTURE_DATA(gw_express_fuzz) *self, const char *bus)
{
	char gen[64];
	unsigned int i;
	int err = ct_netns_set(self->first_ns) ?: sim_live(bus, true);

	for (i = 0; i < ARRAY_SIZE(chips) && !err; i++)
		if (!strcmp(chips[i].bus, bus))
			err = take_chip(self, &chips[i]);
	snprintf(gen, sizeof(gen), "%s/generator.gen", bus);
	return err ?: sim_set_all(gen, "id_mode=random dlc=random data=random period_ns=%d",
				  PERIOD_NS) ?:
	       sim_run(gen, true);
}

static int move_kept(FIXTURE_DATA(gw_express_fuzz) *self)
{
	int home = self->f->home.ns;

	return ct_netns_set(self->first_ns) ?: sim_live(IN_BUS, true) ?:
	       sim_live(OUT_BUS, true) ?:
	       sim_link_move(IN, home, "in", GW_FUZZ_KEPT_SRC) ?:
	       sim_link_move(OUT, home, "out", GW_FUZZ_KEPT_DST) ?:
	       sim_link_move(LAST, home, "last", LAST_IFINDEX) ?:
	       ct_netns_set(home) ?: sim_link_up("in", BITRATE, "") ?:
	       sim_link_up("out", BITRATE, "") ?: sim_link_up("last", BITRATE, "");
}

static int add_virtual(struct gw_fuzz_ns *ns, int number)
{
	int index = GW_FUZZ_FIRST_LINK + number;
	char name[16];

	snprintf(name, sizeof(name), "fuzz%d", number);
	return ct_netns_set(ns->ns) ?:
	       ct_vcan_add_at(name, number ? CANXL_MTU : CANFD_MTU, index) == index ?
	       0 : -ENODEV;
}

static int open_ns(struct gw_fuzz_ns *ns, bool home)
{
	int i, err = gw_fuzz_ns_open(ns, home);

	for (i = 0; i < VIRTUAL && !err; i++)
		err = add_virtual(ns, i);
	for (i = 0; i < (int)ARRAY_SIZE(chips); i++) {
		if (chips[i].home != home)
			continue;
		ns->sources |= 1U << chips[i].link;
		ns->destinations |= (uint32_t)chips[i].destination << chips[i].link;
	}
	return err;
}

static int add_kept(FIXTURE_DATA(gw_express_fuzz) *self)
{
	struct gwnl *gw = &self->f->home.control;
	int i, err;

	err = gw_fuzz_skip_handles(gw, GW_FUZZ_KEPT_SRC, GW_FUZZ_KEPT_DST);
	for (i = 0; i < KEPT_RULES && !err; i++) {
		struct gwnl_rule *rule = &self->kept[i];

		*rule = (struct gwnl_rule){
			.source = GW_FUZZ_KEPT_SRC, .destination = GW_FUZZ_KEPT_DST,
			.express = i == EXPRESS,
		};
		rule->op[GWNL_OR].fields = GWNL_FIELD(DATA);
		rule->op[GWNL_OR].data_len = MARK + 1;
		rule->op[GWNL_OR].data[MARK] = 1 << i;
		err = gwnl_add(gw, rule, &self->f->kept[i]);
	}
	return err;
}

FIXTURE_SETUP(gw_express_fuzz)
{
	static struct gw_fuzz fuzz = { .express_in = EXPRESS_IN };
	int err;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (sim_open())
		SKIP(return, "no cansim");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	err = make_buses();
	if (err == -ENODEV) {
		sim_close();
		SKIP(return, "no sja1000, mpc5200 or mcp2515");
	}
	ASSERT_EQ(0, err);
	self->f = &fuzz;
	gw_fuzz_seed(&fuzz);
	gw_reports_begin(&self->reports);
	self->first_ns = CT_OK(ct_netns_get());
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, open_ns(&fuzz.away, false));
	ASSERT_EQ(0, open_ns(&fuzz.home, true));
	ASSERT_EQ(0, begin_bus(self, "simfz0"));
	ASSERT_EQ(0, begin_bus(self, "simfz1"));
	ASSERT_EQ(0, move_kept(self));
	self->last_fd = CT_OK(sim_socket("last", 0, false));
	ASSERT_EQ(0, add_kept(self));
}

FIXTURE_TEARDOWN(gw_express_fuzz)
{
	gw_fuzz_ns_close(&self->f->home);
	gw_fuzz_ns_close(&self->f->away);
	sim_close();
}

/* Each frame of a new run arrives once by each rule. */
static void expect_routed(struct __test_metadata *_metadata,
			  FIXTURE_DATA(gw_express_fuzz) *self)
{
	canid_t id = ID + self->run++ % 0x100;
	unsigned int seen = 0, bit, i;
	struct can_frame frame;

	ASSERT_EQ(0, sim_generate(GEN, "count=%d id=%03X period_ns=%d", FRAMES, id,
				  PERIOD_NS));
	for (i = 0; i < KEPT_RULES * FRAMES; i++) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->last_fd, &frame, sizeof(frame), CT_TIMEOUT_MS))
			TH_LOG("frames that came: 0x%x", seen);
		ASSERT_EQ(id, frame.can_id);
		ASSERT_GT(FRAMES, frame.data[0]);
		ASSERT_TRUE(frame.data[MARK] == 1 << EXPRESS ||
			    frame.data[MARK] == 1 << ORDINARY);
		bit = 1U << (KEPT_RULES * frame.data[0] + frame.data[MARK] - 1);
		EXPECT_EQ(0U, seen & bit)
			TH_LOG("frame %d by rule %d again", frame.data[0],
			       frame.data[MARK]);
		seen |= bit;
	}
}

static void expect_kept(struct __test_metadata *_metadata,
			FIXTURE_DATA(gw_express_fuzz) *self)
{
	struct gwnl_rule got;
	int i;

	for (i = 0; i < KEPT_RULES; i++) {
		ASSERT_EQ(0, gwnl_get(&self->f->home.control, self->f->kept[i], &got));
		EXPECT_STREQ("", gwnl_differs(&self->kept[i], &got));
	}
	expect_routed(_metadata, self);
}

/* Now that no request resets them, the counters are exact. */
static void expect_counted(struct __test_metadata *_metadata,
			   FIXTURE_DATA(gw_express_fuzz) *self)
{
	struct gwnl *gw = &self->f->home.control;
	struct gwnl_rule got;
	int i;

	for (i = 0; i < KEPT_RULES; i++)
		ASSERT_EQ(0, gwnl_reset(gw, self->f->kept[i], &got));
	expect_routed(_metadata, self);
	for (i = 0; i < KEPT_RULES; i++) {
		ASSERT_EQ(0, gwnl_matched(gw, self->f->kept[i], FRAMES, &got));
		EXPECT_EQ((uint64_t)FRAMES, got.stats.matched);
		EXPECT_EQ((uint64_t)FRAMES, got.stats.sent);
	}
}

/* The driver of the MCP2515 leaves it, and comes back. */
static int replace_driver(FIXTURE_DATA(gw_express_fuzz) *self, const struct chip *chip)
{
	return sim_spi_driver("unbind", self->spi) ?:
	       sim_spi_driver("bind", self->spi) ?: take_chip(self, chip);
}

static int replace_bus(FIXTURE_DATA(gw_express_fuzz) *self, const char *bus)
{
	return sim_live(bus, false) ?: begin_bus(self, bus);
}

static int restart_chip(FIXTURE_DATA(gw_express_fuzz) *self, const struct chip *chip)
{
	return ct_netns_set(ns_of(self->f, chip)->ns) ?: sim_link_down(chip->name) ?:
	       sim_link_up(chip->name, BITRATE, "");
}

static int replace_virtual(struct gw_fuzz *f, struct gw_fuzz_ns *ns)
{
	int number = gw_fuzz_pick(f, VIRTUAL);
	char name[16];

	snprintf(name, sizeof(name), "fuzz%d", number);
	return ct_netns_set(ns->ns) ?: ct_link_del(name) ?: add_virtual(ns, number);
}

static void housekeeping(struct __test_metadata *_metadata,
			 FIXTURE_DATA(gw_express_fuzz) *self)
{
	struct gw_fuzz *f = self->f;
	struct gw_fuzz_ns *ns = gw_fuzz_pick(f, 2) ? &f->home : &f->away;
	const struct chip *chip = &chips[gw_fuzz_pick(f, ARRAY_SIZE(chips))];

	switch (gw_fuzz_pick(f, 8)) {
	case 0:
		ASSERT_EQ(0, replace_virtual(f, ns));
		break;
	case 1:
		ASSERT_EQ(0, gw_fuzz_replace_socket(f, ns));
		break;
	case 2:
		ASSERT_EQ(0, gw_fuzz_empty_source(ns, gw_fuzz_link(f)));
		break;
	case 3:
		ASSERT_EQ(0, restart_chip(self, chip));
		break;
	case 4:
		ASSERT_EQ(0, replace_bus(self, chip->bus));
		break;
	case 5:
		if (!strcmp(chip->kind, "mcp2515"))
			ASSERT_EQ(0, replace_driver(self, chip));
		break;
	default:
		EXPECT_STREQ("", gw_fuzz_agrees(ns) ?: "");
		break;
	}
}

TEST_F_TIMEOUT(gw_express_fuzz, random_requests_keep_unrelated_rules, 3600)
{
	struct gw_fuzz *f = self->f;
	time_t ends = gw_fuzz_ends();

	ASSERT_STRNE("", self->spi);
	while (gw_fuzz_goes_on(f, ends)) {
		EXPECT_STREQ("", gw_fuzz_round(f) ?: "");
		housekeeping(_metadata, self);
		ASSERT_TRUE(__test_passed(_metadata))
			TH_LOG("after %u messages", f->sent);
		if (!gw_fuzz_pick(f, 5))
			expect_kept(_metadata, self);
	}
	expect_kept(_metadata, self);
	EXPECT_STREQ("", gw_fuzz_end(f, KEPT_RULES) ?: "");
	if (f->sent >= GW_FUZZ_ENOUGH) {
		EXPECT_LT(0U, f->express_accepted);
		EXPECT_LT(0U, f->express_rejected);
	}
	expect_kept(_metadata, self);
	expect_counted(_metadata, self);
	sim_close();
	EXPECT_EQ(0, gw_reports_count(&self->reports));
}

TEST_HARNESS_MAIN
