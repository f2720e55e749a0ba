// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulated CAN buses in configfs: invalid operations and their errors, after which
 * nothing is left partly made or removed, and buses that are made, used and removed at
 * any time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <net/if.h>

#include <linux/can.h>

#include "kselftest_harness.h"
#include "cantest.h"
#include "simbus.h"

#define BUS		"simbus0"
#define OTHER		"simbus1"
#define GEN		"generator.gen"
#define CHIP_IF		"simif0"

/* Slow enough for each driver on a slow CPU */
#define BITRATE		250000

#define LONG_TEST	900

#define NOBODY		65534

static bool interface_exists(const char *name)
{
	return if_nametoindex(name);
}

static void expect_result(struct __test_metadata *_metadata, int expected,
			  int result, const char *of)
{
	EXPECT_EQ(expected, result)
		TH_LOG("%s", of);
}

/* A bus with a generator, not live */
FIXTURE(bus) {
};

FIXTURE_SETUP(bus)
{
	if (sim_open())
		SKIP(return, "no cansim");
	ASSERT_EQ(0, sim_bus_make(BUS, GEN));
}

FIXTURE_TEARDOWN(bus)
{
	sim_close();
}

TEST_F_TIMEOUT(bus, names_of_nodes_that_are_rejected, LONG_TEST)
{
	static const struct {
		const char *node;
		int err;
	} cases[] = {
		{ "generator", -EINVAL },
		{ "generator.", -EINVAL },
		{ "generator..", -EINVAL },
		{ "generator...", -EINVAL },
		{ "generator.a b", -EINVAL },
		{ "generator.a\tb", -EINVAL },
		{ "generator.a:b", -EINVAL },
		{ "generator.can%d", -EINVAL },
		{ "generator.abcdefghijklmnop", -EINVAL },
		{ "generator-x", -EINVAL },
		{ ".x", -ENODEV },
		{ "nosuchkind.x", -ENODEV },
		{ "Generator.x", -ENODEV },
		{ "generator .x", -ENODEV },
		{ "generato.x", -ENODEV },
		{ "generators.x", -ENODEV },
		{ GEN, -EEXIST },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		expect_result(_metadata, cases[i].err,
			      sim_node_add(BUS, cases[i].node), cases[i].node);
	/* no node was added */
	EXPECT_EQ(0, sim_remove(BUS "/" GEN));
	EXPECT_EQ(0, sim_remove(BUS));
}

TEST_F_TIMEOUT(bus, names_of_nodes_that_are_accepted, LONG_TEST)
{
	static const char * const nodes[] = {
		"generator.a", "generator.abcdefghijklmno", "generator.a.b",
		"generator.-", "generator.#",
	};
	char path[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nodes); i++)
		expect_result(_metadata, 0, sim_node_add(BUS, nodes[i]),
			      nodes[i]);
	EXPECT_EQ(0, sim_live(BUS, true));
	EXPECT_EQ(0, sim_live(BUS, false));
	for (i = 0; i < ARRAY_SIZE(nodes); i++) {
		snprintf(path, sizeof(path), BUS "/%s", nodes[i]);
		EXPECT_EQ(0, sim_remove(path));
	}
}

TEST_F_TIMEOUT(bus, directories_can_only_be_made_at_their_level, LONG_TEST)
{
	EXPECT_EQ(-EEXIST, sim_bus_add(BUS));
	EXPECT_EQ(-EPERM, sim_node_add(BUS "/" GEN, "generator.x"));
	EXPECT_EQ(-ENOENT, sim_node_add("nosuchbus", "generator.x"));
	EXPECT_EQ(-ENOTEMPTY, sim_remove(BUS));
	EXPECT_EQ(-ENOENT, sim_remove(BUS "/generator.x"));
}

/* A refused value does not change the attribute. */
static void expect_rejections(struct __test_metadata *_metadata,
			      const char *path, const char *attribute,
			      const char *good, int err, const char *bad)
{
	char list[256], *value, *state = NULL;

	EXPECT_EQ(0, sim_set(path, attribute, good))
		TH_LOG("%s = %s", attribute, good);
	EXPECT_TRUE(sim_is(path, attribute, good))
		TH_LOG("%s = %s", attribute, good);
	snprintf(list, sizeof(list), "%s", bad);
	for (value = strtok_r(list, "|", &state); value;
	     value = strtok_r(NULL, "|", &state)) {
		EXPECT_EQ(err, sim_set(path, attribute, value))
			TH_LOG("%s = %s", attribute, value);
		EXPECT_TRUE(sim_is(path, attribute, good))
			TH_LOG("%s after %s", attribute, value);
	}
}

#define NO_NUMBERS	" |x|1x|1 2|--1|0x|one|-"

TEST_F_TIMEOUT(bus, values_of_buses_that_are_rejected, LONG_TEST)
{
	static const struct {
		const char *attribute;
		const char *good;
		int err;
		const char *bad;
	} cases[] = {
		{ "inject_type", "stuff", -EINVAL, "x|Bit|bits|bit stuff| bit|1" },
		{ "inject_type", "none", -EINVAL, "ok|no" },
		{ "inject_frames", "0 18446744073709551615", -EINVAL,
		  " |x|1|1 |1 x|x 1|1 2 3|1,2|-1 1|1 -1|1 0x" },
		{ "inject_frames", "3 4", -ERANGE,
		  "18446744073709551616 0|0 18446744073709551616" },
		{ "inject_ppm", "1000000", -EINVAL, NO_NUMBERS "|-1" },
		{ "inject_ppm", "0", -ERANGE, "1000001|4294967296" },
		{ "inject_bit", "-1", -EINVAL, NO_NUMBERS },
		{ "inject_bit", "0", -ERANGE, "-2|1000|2147483648" },
		{ "inject_seed", "18446744073709551615", -EINVAL,
		  NO_NUMBERS "|-1" },
		{ "inject_seed", "0", -ERANGE, "18446744073709551616" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		expect_rejections(_metadata, BUS, cases[i].attribute,
				  cases[i].good, cases[i].err, cases[i].bad);
}

TEST_F_TIMEOUT(bus, values_of_generators_that_are_rejected, LONG_TEST)
{
	static const struct {
		const char *attribute;
		const char *good;
		int err;
		const char *bad;
	} cases[] = {
		{ "access_ns", "100000", -EINVAL, NO_NUMBERS "|-1" },
		{ "access_ns", "0", -ERANGE, "100001|4294967296" },
		{ "bitrate", "10000", -EINVAL, NO_NUMBERS "|-1" },
		{ "bitrate", "1000000", -ERANGE, "0|9999|1000001|4294967296" },
		{ "listen_only", "1", -EINVAL, NO_NUMBERS "|-1" },
		{ "listen_only", "0", -ERANGE, "2" },
		{ "id", "000", -EINVAL, "0|00|0000|0000000|000000000|-00|g00|0x0" },
		{ "id", "7FF", -ERANGE, "800|FFF|20000000|FFFFFFFF" },
		{ "id", "00000000", -EINVAL, "123 |123\n\n| 123" },
		{ "id", "1FFFFFFF", -ERANGE, "800" },
		{ "id_mode", "increment", -EINVAL, "x|Random|fixed random" },
		{ "id_mode", "random", -EINVAL, "1" },
		{ "id_mode", "fixed", -EINVAL, "0" },
		{ "dlc", "8", -EINVAL, NO_NUMBERS "|-1" },
		{ "dlc", "0", -ERANGE, "9|15" },
		{ "dlc", "random", -EINVAL, "rand" },
		{ "data", "increment", -EINVAL, "x|1|123|001122334455667788" },
		{ "data", "random", -EINVAL, "00 11|0x11|00.11" },
		{ "data", "1122334455667788", -EINVAL, "1122334455667788 |-1" },
		{ "rtr", "1", -EINVAL, NO_NUMBERS "|-1" },
		{ "rtr", "0", -ERANGE, "2" },
		{ "period_ns", "3600000000000", -EINVAL, NO_NUMBERS "|-1" },
		{ "period_ns", "0", -ERANGE, "3600000000001" },
		{ "burst", "4294967295", -EINVAL, NO_NUMBERS "|-1" },
		{ "burst", "1", -ERANGE, "0|4294967296" },
		{ "count", "18446744073709551615", -EINVAL, NO_NUMBERS "|-1" },
		{ "count", "0", -ERANGE, "18446744073709551616" },
		{ "seed", "18446744073709551615", -EINVAL, NO_NUMBERS "|-1" },
		{ "seed", "0", -ERANGE, "18446744073709551616" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		expect_rejections(_metadata, BUS "/" GEN, cases[i].attribute,
				  cases[i].good, cases[i].err, cases[i].bad);
}

TEST_F_TIMEOUT(bus, statistics_are_read_only, LONG_TEST)
{
	static const char * const bus[] = {
		"frames", "error_frames", "bits", "busy_ns", "time_ns",
		"skipped_ns", "utilisation", "recent", "cpu_ns",
	};
	static const char * const node[] = {
		"sent", "received", "lost_arbitration", "errors", "overruns",
		"high_water", "accesses", "tec", "rec", "state",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bus); i++)
		expect_result(_metadata, -EACCES, sim_set(BUS, bus[i], "0"),
			      bus[i]);
	for (i = 0; i < ARRAY_SIZE(node); i++)
		expect_result(_metadata, -EACCES,
			      sim_set(BUS "/" GEN, node[i], "0"), node[i]);
}

TEST_F_TIMEOUT(bus, only_root_sees_frames, LONG_TEST)
{
	struct sim_record records[SIM_RECORDS];
	int count;

	ASSERT_EQ(0, seteuid(NOBODY));
	count = sim_records(BUS, records);
	ASSERT_EQ(0, seteuid(0));
	EXPECT_EQ(-EACCES, count);
	EXPECT_EQ(0, sim_records(BUS, records));
}

TEST_F_TIMEOUT(bus, live_can_be_set_and_cleared_once, LONG_TEST)
{
	EXPECT_EQ(-EINVAL, sim_set(BUS, "live", "2"));
	EXPECT_EQ(-EINVAL, sim_set(BUS, "live", "x"));
	EXPECT_TRUE(sim_is(BUS, "live", "0"));
	EXPECT_EQ(-EPERM, sim_live(BUS, false));
	EXPECT_EQ(0, sim_live(BUS, true));
	EXPECT_TRUE(sim_is(BUS, "live", "1"));
	EXPECT_EQ(-EPERM, sim_live(BUS, true));
	EXPECT_EQ(0, sim_live(BUS, false));
	EXPECT_TRUE(sim_is(BUS, "live", "0"));
	EXPECT_EQ(-EPERM, sim_live(BUS, false));
}

TEST_F_TIMEOUT(bus, directories_of_a_live_bus_cannot_change, LONG_TEST)
{
	ASSERT_EQ(0, sim_live(BUS, true));
	EXPECT_EQ(-EBUSY, sim_remove(BUS "/" GEN));
	EXPECT_GT(0, sim_remove(BUS));
	EXPECT_EQ(-EBUSY, sim_node_add(BUS, "generator.x"));
	EXPECT_EQ(-ENOENT, sim_remove(BUS "/generator.x"));
	EXPECT_EQ(-EEXIST, sim_bus_add(BUS));

	/* another bus works */
	ASSERT_EQ(0, sim_bus_make(OTHER, GEN));
	ASSERT_EQ(0, sim_live(OTHER, true));
	EXPECT_EQ(0, sim_live(OTHER, false));
	EXPECT_EQ(0, sim_live(BUS, false));
	EXPECT_EQ(0, sim_remove(BUS "/" GEN));
	EXPECT_EQ(0, sim_remove(BUS));
}

TEST_F_TIMEOUT(bus, an_empty_bus_can_be_live, LONG_TEST)
{
	ASSERT_EQ(0, sim_bus_add(OTHER));
	EXPECT_EQ(0, sim_live(OTHER, true));
	EXPECT_EQ(-EBUSY, sim_remove(OTHER));
	EXPECT_TRUE(sim_is(OTHER, "utilisation", "0.00"));
	EXPECT_TRUE(sim_is(OTHER, "recent", ""));
	EXPECT_EQ(0, sim_live(OTHER, false));
	EXPECT_EQ(0, sim_remove(OTHER));
}

TEST_F_TIMEOUT(bus, settings_of_a_node_cannot_change_while_live, LONG_TEST)
{
	ASSERT_EQ(0, sim_live(BUS, true));
	EXPECT_EQ(-EBUSY, sim_set(BUS "/" GEN, "bitrate", "500000"));
	EXPECT_EQ(-EBUSY, sim_set(BUS "/" GEN, "listen_only", "1"));
	EXPECT_TRUE(sim_is(BUS "/" GEN, "bitrate", "1000000"));
	EXPECT_TRUE(sim_is(BUS "/" GEN, "listen_only", "0"));
	/* an invalid value has its own error */
	EXPECT_EQ(-ERANGE, sim_set(BUS "/" GEN, "bitrate", "1"));
	EXPECT_EQ(0, sim_set(BUS "/" GEN, "access_ns", "1000"));
	EXPECT_EQ(0, sim_set(BUS, "inject_type", "crc"));
	EXPECT_EQ(0, sim_set(BUS, "inject_ppm", "1"));
}

TEST_F_TIMEOUT(bus, a_pattern_cannot_change_during_its_run, LONG_TEST)
{
	static const char * const values[] = {
		"id=001", "id_mode=random", "dlc=1", "data=random", "rtr=1",
		"period_ns=1", "burst=2", "count=1", "seed=1",
	};
	unsigned int i;

	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, sim_run(BUS "/" GEN, true));
	EXPECT_EQ(-EBUSY, sim_run(BUS "/" GEN, true));
	for (i = 0; i < ARRAY_SIZE(values); i++)
		expect_result(_metadata, -EBUSY,
			      sim_set_all(BUS "/" GEN, "%s", values[i]),
			      values[i]);
	EXPECT_EQ(0, sim_run(BUS "/" GEN, false));
	EXPECT_EQ(0, sim_run(BUS "/" GEN, false));
	for (i = 0; i < ARRAY_SIZE(values); i++)
		expect_result(_metadata, 0,
			      sim_set_all(BUS "/" GEN, "%s", values[i]),
			      values[i]);
}

TEST_F_TIMEOUT(bus, a_generator_runs_on_a_live_bus_only, LONG_TEST)
{
	EXPECT_EQ(-ENETDOWN, sim_run(BUS "/" GEN, true));
	EXPECT_EQ(-ENETDOWN, sim_run(BUS "/" GEN, false));
	EXPECT_EQ(-EINVAL, sim_set(BUS "/" GEN, "run", "x"));
	EXPECT_TRUE(sim_is(BUS "/" GEN, "run", "0"));
	ASSERT_EQ(0, sim_live(BUS, true));
	EXPECT_EQ(0, sim_run(BUS "/" GEN, true));
	EXPECT_TRUE(sim_is(BUS "/" GEN, "run", "1"));
	EXPECT_EQ(0, sim_live(BUS, false));
	EXPECT_TRUE(sim_is(BUS "/" GEN, "run", "0"));
	ASSERT_EQ(0, sim_live(BUS, true));
	EXPECT_TRUE(sim_is(BUS "/" GEN, "run", "0"));
}

TEST_F_TIMEOUT(bus, a_generator_that_only_listens_does_not_run, LONG_TEST)
{
	ASSERT_EQ(0, sim_set(BUS "/" GEN, "listen_only", "1"));
	ASSERT_EQ(0, sim_live(BUS, true));
	EXPECT_EQ(-EINVAL, sim_run(BUS "/" GEN, true));
	EXPECT_TRUE(sim_is(BUS "/" GEN, "run", "0"));
}

TEST_F_TIMEOUT(bus, statistics_begin_with_live_and_stay_after_it, LONG_TEST)
{
	static const char * const counters[] = {
		"frames", "error_frames", "bits", "busy_ns",
	};
	unsigned int i;

	ASSERT_EQ(0, sim_node_add(BUS, "generator.rx"));
	for (i = 0; i < ARRAY_SIZE(counters); i++)
		EXPECT_EQ(0, sim_number(BUS, counters[i]));
	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, sim_set_all(BUS, "inject_type=bit inject_ppm=500000"));
	ASSERT_EQ(0, sim_generate(BUS "/" GEN, "count=20"));
	ASSERT_EQ(0, sim_live(BUS, false));
	EXPECT_EQ(20, sim_number(BUS, "frames"));
	for (i = 0; i < ARRAY_SIZE(counters); i++)
		EXPECT_LT(0, sim_number(BUS, counters[i]));
	EXPECT_EQ(20, sim_number(BUS "/" GEN, "sent"));
	EXPECT_EQ(20, sim_number(BUS "/generator.rx", "received"));
	EXPECT_FALSE(sim_is(BUS, "recent", ""));

	ASSERT_EQ(0, sim_live(BUS, true));
	for (i = 0; i < ARRAY_SIZE(counters); i++)
		EXPECT_EQ(0, sim_number(BUS, counters[i]));
	EXPECT_EQ(0, sim_number(BUS "/" GEN, "sent"));
	EXPECT_EQ(0, sim_number(BUS "/" GEN, "tec"));
	EXPECT_EQ(0, sim_number(BUS "/generator.rx", "received"));
	EXPECT_EQ(0, sim_number(BUS "/generator.rx", "rec"));
	EXPECT_TRUE(sim_is(BUS, "recent", ""));
}

TEST_F_TIMEOUT(bus, buses_are_independent, LONG_TEST)
{
	ASSERT_EQ(0, sim_bus_make(OTHER, GEN " generator.rx"));
	ASSERT_EQ(0, sim_node_add(BUS, "generator.rx"));
	ASSERT_EQ(0, sim_live(BUS, true));
	EXPECT_TRUE(sim_is(OTHER, "live", "0"));
	EXPECT_EQ(-ENETDOWN, sim_run(OTHER "/" GEN, true));
	ASSERT_EQ(0, sim_live(OTHER, true));
	ASSERT_EQ(0, sim_generate(BUS "/" GEN, "count=10"));
	EXPECT_EQ(10, sim_number(BUS, "frames"));
	EXPECT_EQ(0, sim_number(OTHER, "frames"));
	EXPECT_EQ(0, sim_number(OTHER "/generator.rx", "received"));
	EXPECT_TRUE(sim_is(OTHER, "recent", ""));
	ASSERT_EQ(0, sim_live(BUS, false));
	ASSERT_EQ(0, sim_generate(OTHER "/" GEN, "count=5"));
	EXPECT_EQ(5, sim_number(OTHER, "frames"));
	EXPECT_EQ(10, sim_number(BUS, "frames"));
}

static int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? -errno : 0;
}

TEST_F_TIMEOUT(bus, the_module_stays_while_there_is_a_bus, LONG_TEST)
{
	EXPECT_EQ(-EAGAIN, unload("cansim"));
	ASSERT_EQ(0, sim_live(BUS, true));
	EXPECT_EQ(-EAGAIN, unload("cansim"));
	ASSERT_EQ(0, sim_run(BUS "/" GEN, true));
	EXPECT_EQ(-EAGAIN, unload("cansim"));
	EXPECT_EQ(0, sim_live(BUS, false));
	EXPECT_EQ(0, sim_remove(BUS "/" GEN));
	EXPECT_EQ(-EAGAIN, unload("cansim"));
}

/* Threads that read attributes all the time; @chip is the path of a controller or NULL */
struct readers {
	pthread_t thread[2];
	const char *chip;
	atomic_bool stop;
	atomic_int failed;
};

static void *read_all(void *arg)
{
	static const char * const attributes[] = {
		"live", "frames", "utilisation", "recent", "time_ns",
		"inject_ppm", GEN "/sent", GEN "/run", GEN "/state",
		GEN "/data", GEN "/id",
	};
	struct readers *readers = arg;
	char text[4096];
	unsigned int i;

	while (!readers->stop) {
		for (i = 0; i < ARRAY_SIZE(attributes); i++)
			if (sim_get(BUS, attributes[i], text, sizeof(text)) < 0)
				readers->failed++;
		if (readers->chip &&
		    sim_get(readers->chip, "interface", text, sizeof(text)) < 0)
			readers->failed++;
		usleep(100);
	}
	return NULL;
}

static int start_readers(struct readers *readers, const char *chip)
{
	unsigned int i;

	readers->chip = chip;
	readers->stop = false;
	readers->failed = 0;
	for (i = 0; i < ARRAY_SIZE(readers->thread); i++)
		if (pthread_create(&readers->thread[i], NULL, read_all,
				   readers))
			return -EAGAIN;
	return 0;
}

/* Return: number of reads that have failed. */
static int stop_readers(struct readers *readers)
{
	unsigned int i;

	readers->stop = true;
	for (i = 0; i < ARRAY_SIZE(readers->thread); i++)
		pthread_join(readers->thread[i], NULL);
	return readers->failed;
}

TEST_F_TIMEOUT(bus, live_many_times_with_a_run_and_readers, LONG_TEST)
{
	struct readers readers;
	int round;

	ASSERT_EQ(0, sim_node_add(BUS, "generator.rx"));
	ASSERT_EQ(0, start_readers(&readers, NULL));
	for (round = 0; round < 50; round++) {
		ASSERT_EQ(0, sim_live(BUS, true));
		ASSERT_EQ(0, sim_run(BUS "/" GEN, true));
		ASSERT_EQ(0, sim_await_above(BUS, "frames", 0));
		ASSERT_EQ(0, sim_live(BUS, false));
	}
	EXPECT_EQ(0, stop_readers(&readers));
}

/* A thread makes and removes nodes: live either includes them or is refused. */
static void *make_nodes(void *arg)
{
	atomic_bool *stop = arg;

	while (!*stop) {
		sim_node_add(BUS, "generator.x");
		sim_remove(BUS "/generator.x");
	}
	return NULL;
}

TEST_F_TIMEOUT(bus, live_while_nodes_are_added_and_removed, LONG_TEST)
{
	atomic_bool stop = false;
	pthread_t thread;
	int round, err, live = 0;

	ASSERT_EQ(0, pthread_create(&thread, NULL, make_nodes, &stop));
	for (round = 0; round < 200; round++) {
		err = sim_set(BUS, "live", "1");
		EXPECT_TRUE(err == 0 || err == -EBUSY)
			TH_LOG("%d", err);
		if (err)
			continue;
		live++;
		EXPECT_EQ(-EBUSY, sim_remove(BUS "/" GEN));
		EXPECT_EQ(0, sim_live(BUS, false));
	}
	stop = true;
	pthread_join(thread, NULL);
	EXPECT_LT(0, live);
	sim_remove(BUS "/generator.x");
	EXPECT_EQ(0, sim_remove(BUS "/" GEN));
	EXPECT_EQ(0, sim_remove(BUS));
}

/* A controller and a generator on a bus, not live */
FIXTURE(chip) {
	char name[32];
	char path[64];
};

SIM_CHIP_VARIANTS(chip);

FIXTURE_SETUP(chip)
{
	if (sim_open())
		SKIP(return, "no cansim");
	snprintf(self->name, sizeof(self->name), "%s." CHIP_IF,
		 variant->chip->kind);
	snprintf(self->path, sizeof(self->path), BUS "/%s", self->name);
	ASSERT_EQ(0, sim_bus_make(BUS, GEN));
	ASSERT_EQ(0, sim_slow_down(BUS));
	ASSERT_EQ(0, sim_set_all(BUS "/" GEN, "bitrate=%u", BITRATE));
	if (sim_node_add(BUS, self->name) == -ENODEV) {
		sim_close();
		SKIP(return, "no %s", variant->chip->kind);
	}
}

FIXTURE_TEARDOWN(chip)
{
	sim_close();
}

TEST_F_TIMEOUT(chip, its_interface_exists_while_live, LONG_TEST)
{
	int round;

	for (round = 0; round < 2; round++) {
		EXPECT_FALSE(interface_exists(CHIP_IF));
		ASSERT_EQ(0, sim_live(BUS, true));
		EXPECT_TRUE(interface_exists(CHIP_IF));
		ASSERT_EQ(0, sim_live(BUS, false));
	}
	EXPECT_FALSE(interface_exists(CHIP_IF));
}

TEST_F_TIMEOUT(chip, interface_is_the_current_name, LONG_TEST)
{
	int home, other;

	EXPECT_TRUE(sim_is(self->path, "interface", ""));
	EXPECT_EQ(-EACCES, sim_set(self->path, "interface", "simif1"));
	ASSERT_EQ(0, sim_live(BUS, true));
	EXPECT_TRUE(sim_is(self->path, "interface", CHIP_IF));
	ASSERT_EQ(0, sim_link_set(CHIP_IF, "name simif1"));
	EXPECT_TRUE(sim_is(self->path, "interface", "simif1"));

	home = ct_netns_get();
	ASSERT_EQ(0, ct_netns_new());
	other = ct_netns_get();
	ASSERT_EQ(0, ct_netns_set(home));
	ASSERT_EQ(0, ct_link_move("simif1", other));
	EXPECT_FALSE(interface_exists("simif1"));
	EXPECT_TRUE(sim_is(self->path, "interface", "simif1"));
	ASSERT_EQ(0, ct_netns_set(other));
	ASSERT_EQ(0, sim_link_set("simif1", "name simif2"));
	EXPECT_TRUE(sim_is(self->path, "interface", "simif2"));
	ASSERT_EQ(0, ct_netns_set(home));
	close(other);
	close(home);

	ASSERT_EQ(0, sim_live(BUS, false));
	EXPECT_TRUE(sim_is(self->path, "interface", ""));
}

TEST_F_TIMEOUT(chip, a_generator_has_no_interface, LONG_TEST)
{
	EXPECT_EQ(-ENOENT, sim_number(BUS "/" GEN, "interface"));
}

TEST_F_TIMEOUT(chip, interrupts_exist_while_live, LONG_TEST)
{
	EXPECT_EQ(0, sim_number(self->path, "irq"));
	EXPECT_EQ(-ENETDOWN, sim_set(self->path, "irq_hold", "1"));
	EXPECT_EQ(-EINVAL, sim_set(self->path, "irq_hold", "x"));
	EXPECT_TRUE(sim_is(self->path, "irq_hold", "0"));
	EXPECT_EQ(-EACCES, sim_set(self->path, "irq", "5"));
	ASSERT_EQ(0, sim_live(BUS, true));
	EXPECT_LT(0, sim_number(self->path, "irq"));
	EXPECT_EQ(0, sim_set(self->path, "irq_hold", "1"));
	EXPECT_TRUE(sim_is(self->path, "irq_hold", "1"));
	ASSERT_EQ(0, sim_live(BUS, false));
	EXPECT_TRUE(sim_is(self->path, "irq_hold", "0"));
	EXPECT_EQ(0, sim_number(self->path, "irq"));
	ASSERT_EQ(0, sim_live(BUS, true));
	EXPECT_TRUE(sim_is(self->path, "irq_hold", "0"));
}

TEST_F_TIMEOUT(chip, a_generator_has_no_interrupt, LONG_TEST)
{
	EXPECT_EQ(-ENOENT, sim_number(BUS "/" GEN, "irq"));
	EXPECT_EQ(-ENOENT, sim_number(BUS "/" GEN, "irq_hold"));
}

/* The nodes before it on the bus are removed again. */
TEST_F_TIMEOUT(chip, a_name_in_use_undoes_live, LONG_TEST)
{
	char node[64];
	int round;

	snprintf(node, sizeof(node), "%s.simif1", variant->chip->kind);
	ASSERT_EQ(0, sim_bus_add(OTHER));
	ASSERT_EQ(0, sim_node_add(OTHER, node));
	ASSERT_EQ(0, sim_node_add(OTHER, self->name));
	ASSERT_EQ(0, sim_live(BUS, true));
	for (round = 0; round < 2; round++) {
		EXPECT_EQ(-EEXIST, sim_live(OTHER, true));
		EXPECT_TRUE(sim_is(OTHER, "live", "0"));
		EXPECT_FALSE(interface_exists("simif1"));
		EXPECT_TRUE(interface_exists(CHIP_IF));
	}
	/* the one that has the name works */
	EXPECT_EQ(0, sim_link_up(CHIP_IF, BITRATE, ""));
	EXPECT_EQ(0, sim_generate(BUS "/" GEN, "count=1"));

	/* without the name, the other bus becomes live */
	snprintf(node, sizeof(node), OTHER "/%s", self->name);
	EXPECT_EQ(0, sim_remove(node));
	EXPECT_EQ(0, sim_live(OTHER, true));
	EXPECT_TRUE(interface_exists("simif1"));
}

TEST_F_TIMEOUT(chip, a_name_twice_on_a_bus_undoes_live, LONG_TEST)
{
	static const char * const others[] = {
		"sja1000", "mpc5200", "mcp2515",
	};
	unsigned int i, tried = 0;
	char node[64];

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		snprintf(node, sizeof(node), "%s." CHIP_IF, others[i]);
		if (sim_node_add(BUS, node))
			continue;
		tried++;
		EXPECT_EQ(-EEXIST, sim_live(BUS, true));
		EXPECT_TRUE(sim_is(BUS, "live", "0"));
		EXPECT_FALSE(interface_exists(CHIP_IF));
		snprintf(node, sizeof(node), BUS "/%s." CHIP_IF, others[i]);
		EXPECT_EQ(0, sim_remove(node));
	}
	EXPECT_EQ(0, sim_live(BUS, true));
	if (!tried)
		SKIP(return, "no other chip");
}

TEST_F_TIMEOUT(chip, its_module_stays_while_there_is_one, LONG_TEST)
{
	static const char * const modules[] = {
		"cansim_sja1000", "cansim_mscan", "cansim_mcp251x",
	};
	int busy = 0;
	unsigned int i;

	/* other buses use the same modules */
	if (!ct_own_machine())
		SKIP(return, CT_NOT_OWN);
	for (i = 0; i < ARRAY_SIZE(modules); i++)
		busy += unload(modules[i]) == -EAGAIN;
	EXPECT_LE(1, busy);
	EXPECT_EQ(0, sim_live(BUS, true));
	for (i = 0, busy = 0; i < ARRAY_SIZE(modules); i++)
		busy += unload(modules[i]) == -EAGAIN;
	EXPECT_EQ(1, busy);
	EXPECT_EQ(0, sim_live(BUS, false));

	/* without a node it can be removed, and is loaded again for a node */
	EXPECT_EQ(0, sim_remove(self->path));
	for (i = 0; i < ARRAY_SIZE(modules); i++)
		EXPECT_NE(-EAGAIN, unload(modules[i]));
	EXPECT_EQ(0, sim_node_add(BUS, self->name));
}

/* Traffic in both directions */
struct traffic {
	pthread_t sender;
	pthread_t reader;
	atomic_bool stop;
	int fd;
};

static void *send_always(void *arg)
{
	struct traffic *traffic = arg;
	struct can_frame frame;

	ct_frame(&frame, 0x700, 8, NULL);
	while (!traffic->stop)
		if (write(traffic->fd, &frame, sizeof(frame)) < 0)
			usleep(100);
	return NULL;
}

static void *read_always(void *arg)
{
	struct traffic *traffic = arg;
	struct can_frame frame;

	while (!traffic->stop)
		ct_recv(traffic->fd, &frame, sizeof(frame), 1);
	return NULL;
}

static int start_traffic(struct traffic *traffic)
{
	traffic->stop = false;
	traffic->fd = sim_socket(CHIP_IF, CAN_ERR_MASK, true);
	if (traffic->fd < 0)
		return traffic->fd;
	if (pthread_create(&traffic->sender, NULL, send_always, traffic) ||
	    pthread_create(&traffic->reader, NULL, read_always, traffic))
		return -EAGAIN;
	return 0;
}

static void stop_traffic(struct traffic *traffic)
{
	traffic->stop = true;
	pthread_join(traffic->sender, NULL);
	pthread_join(traffic->reader, NULL);
	close(traffic->fd);
}

TEST_F_TIMEOUT(chip, its_interface_works_in_another_namespace, LONG_TEST)
{
	struct can_frame frame;
	int home, other, fd;
	char move[64];

	ASSERT_EQ(0, sim_live(BUS, true));
	home = CT_OK(ct_netns_get());
	ASSERT_EQ(0, ct_netns_new());
	other = CT_OK(ct_netns_get());
	ASSERT_EQ(0, ct_netns_set(home));
	snprintf(move, sizeof(move), "netns /proc/%d/fd/%d", getpid(), other);
	ASSERT_EQ(0, sim_link_set(CHIP_IF, move));
	EXPECT_FALSE(interface_exists(CHIP_IF));

	ASSERT_EQ(0, ct_netns_set(other));
	ASSERT_TRUE(interface_exists(CHIP_IF));
	ASSERT_EQ(0, sim_link_up(CHIP_IF, BITRATE, ""));
	fd = CT_OK(sim_socket(CHIP_IF, 0, false));
	ASSERT_EQ(0, sim_generate(BUS "/" GEN, "count=1"));
	EXPECT_LT(0, ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
	EXPECT_EQ(0, sim_live(BUS, false));
	EXPECT_FALSE(interface_exists(CHIP_IF));
	EXPECT_EQ(0, ct_netns_set(home));
	EXPECT_FALSE(interface_exists(CHIP_IF));
}

TEST_F_TIMEOUT(chip, live_ends_under_traffic, LONG_TEST)
{
	struct traffic traffic;
	struct readers readers;
	int round;

	ASSERT_EQ(0, start_readers(&readers, self->path));
	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, sim_live(BUS, true));
		ASSERT_EQ(0, sim_link_up(CHIP_IF, BITRATE, ""));
		ASSERT_EQ(0, start_traffic(&traffic));
		ASSERT_EQ(0, sim_run(BUS "/" GEN, true));
		ASSERT_EQ(0, sim_await_above(self->path, "received", 9));
		if (round % 2)
			ASSERT_EQ(0, sim_run(BUS "/" GEN, false));
		if (round % 2)
			ASSERT_EQ(0, sim_await_above(self->path, "sent", 3));
		EXPECT_EQ(0, sim_live(BUS, false));
		EXPECT_FALSE(interface_exists(CHIP_IF));
		stop_traffic(&traffic);
	}
	EXPECT_EQ(0, stop_readers(&readers));
}

TEST_F_TIMEOUT(chip, live_ends_with_interrupts_delayed, LONG_TEST)
{
	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, sim_link_up(CHIP_IF, BITRATE, ""));
	ASSERT_EQ(0, sim_set(self->path, "irq_hold", "1"));
	ASSERT_EQ(0, sim_generate(BUS "/" GEN, "count=10"));
	EXPECT_EQ(0, sim_live(BUS, false));
	EXPECT_FALSE(interface_exists(CHIP_IF));
}

/* Interfaces are set down and up while the bus is busy. */
TEST_F_TIMEOUT(chip, goes_down_and_up_under_traffic, LONG_TEST)
{
	struct traffic traffic;
	int round;

	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, sim_run(BUS "/" GEN, true));
	for (round = 0; round < 2; round++) {
		int64_t received = sim_number(self->path, "received");

		ASSERT_EQ(0, sim_link_up(CHIP_IF, BITRATE, ""));
		ASSERT_EQ(0, start_traffic(&traffic));
		EXPECT_EQ(0, sim_await_above(self->path, "received",
					     received + 9));
		EXPECT_EQ(0, sim_link_down(CHIP_IF));
		EXPECT_TRUE(sim_is(self->path, "state", "off"));
		stop_traffic(&traffic);
	}
}

TEST_HARNESS_MAIN
