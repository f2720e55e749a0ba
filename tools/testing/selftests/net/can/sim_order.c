// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order in which a controller sends: first come, first served, or with the private
 * flag bus-order of ethtool in the order of the bus. Then no frame keeps a more urgent
 * one waiting, also if it is in the chip and loses every arbitration. Each frame is sent
 * once and echoed once, those with the same identifier in the same order.
 *
 * A generator keeps the bus busy with frames between the two.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/ethtool.h>
#include <net/if.h>

#include "qdisc.h"
#include "simtest.h"

#define JAM		BUS "/generator.jam"
#define OTHER_IF	"simif1"
#define FLAG		"bus-order"

#define BITRATE		125000
#define JAM_ID		0x100
#define URGENT_ID	0x080
#define LATE_ID		0x700
#define EFF		CAN_EFF_FLAG

/* Frames of the generator in which the driver could have sent one */
#define A_WHILE		50

/* 20 times as long on the slow buses of a debug kernel */
#define FRAMES		(sim_clock_counts() ? 600U : 200U)
#define AT_ONCE		50
#define MANY		6

/* of a driver, for frames that were accepted */
#define MORE_THAN_SLOTS	100
#define LONG_TEST	900

/* all but those of the generator */
static int leave_out(int fd, canid_t id)
{
	struct can_filter filter = {
		.can_id = id | CAN_INV_FILTER,
		.can_mask = CAN_SFF_MASK | CAN_EFF_FLAG,
	};

	return ct_raw_filters(fd, &filter, 1);
}

FIXTURE(order) {
	char path[64];
	int fd;
};

/* The driver accepts @depth frames before the queue of the interface is stopped. */
FIXTURE_VARIANT(order) {
	const char *kind;
	int depth;
	bool bus_order;
};

FIXTURE_VARIANT_ADD(order, sja1000_fifo) { "sja1000", 2, false };
FIXTURE_VARIANT_ADD(order, sja1000) { "sja1000", 2, true };
FIXTURE_VARIANT_ADD(order, mpc5200_fifo) { "mpc5200", 3, false };
FIXTURE_VARIANT_ADD(order, mpc5200) { "mpc5200", 3, true };
FIXTURE_VARIANT_ADD(order, mcp2515_fifo) { "mcp2515", 2, false };
FIXTURE_VARIANT_ADD(order, mcp2515) { "mcp2515", 2, true };

FIXTURE_SETUP(order)
{
	if (variant->bus_order && ct_baseline())
		SKIP(return, "needs the patched modules");
	if (!sim_open_chip(_metadata, "generator.jam generator.rx", variant->kind,
			   self->path))
		return;
	ASSERT_EQ(0, sim_slow_down(BUS));
	ASSERT_EQ(0, sim_set_all(JAM, "bitrate=%u id=%03X count=0", BITRATE, JAM_ID));
	ASSERT_EQ(0, sim_set_all(BUS "/generator.rx", "bitrate=%u", BITRATE));
	self->fd = CT_OK(sim_start(BITRATE, "", 0, true));
	ASSERT_EQ(0, leave_out(self->fd, JAM_ID));
	ASSERT_EQ(0, ct_link_queue(CHIP_IF, 1000));
	if (variant->bus_order)
		ASSERT_EQ(0, sim_link_set_flags(CHIP_IF, 1));
}

SIM_TEARDOWN(order)

/* The generator fills the bus, and the chip has a frame that loses against it. */
static void begin_to_lose(struct __test_metadata *_metadata, FIXTURE_DATA(order) *self)
{
	int64_t lost;

	ASSERT_EQ(0, sim_run(JAM, true));
	lost = CT_OK(sim_number(self->path, "lost_arbitration"));
	ASSERT_EQ(0, ct_send_id(self->fd, LATE_ID));
	ASSERT_EQ(0, sim_await_above(self->path, "lost_arbitration", lost));
}

static void expect_late_frame(struct __test_metadata *_metadata,
			      FIXTURE_DATA(order) *self, int sent)
{
	ASSERT_EQ(0, sim_run(JAM, false));
	EXPECT_EQ(LATE_ID, ct_recv_id(self->fd));
	EXPECT_EQ(0, sim_await(self->path, "sent", sent));
	EXPECT_EQ(0, sim_number(BUS, "error_frames"));
}

TEST_F_TIMEOUT(order, of_two_frames_while_the_bus_is_busy, LONG_TEST)
{
	int64_t frames;

	begin_to_lose(_metadata, self);
	ASSERT_EQ(0, ct_send_id(self->fd, URGENT_ID));
	if (variant->bus_order) {
		EXPECT_EQ(0, sim_await(self->path, "sent", 1));
		EXPECT_EQ(URGENT_ID, ct_recv_id(self->fd));
		expect_late_frame(_metadata, self, 2);
		return;
	}
	frames = CT_OK(sim_number(BUS, "frames"));
	ASSERT_EQ(0, sim_await_above(BUS, "frames", frames + A_WHILE));
	EXPECT_EQ(0, sim_number(self->path, "sent"));
	expect_late_frame(_metadata, self, 2);
	EXPECT_EQ(URGENT_ID, ct_recv_id(self->fd));
}

/* The chip gives the frame back again and again. */
TEST_F_TIMEOUT(order, of_many_urgent_frames, LONG_TEST)
{
	int i;

	begin_to_lose(_metadata, self);
	for (i = 1; i <= AT_ONCE; i++) {
		ASSERT_EQ(0, ct_send_id(self->fd, URGENT_ID + i % 3));
		if (variant->bus_order)
			ASSERT_EQ(URGENT_ID + i % 3, ct_recv_id(self->fd));
	}
	EXPECT_EQ(variant->bus_order ? AT_ONCE : 0, sim_number(self->path, "sent"));
	expect_late_frame(_metadata, self, AT_ONCE + 1);
	for (i = 1; !variant->bus_order && i <= AT_ONCE; i++)
		ASSERT_EQ(URGENT_ID + i % 3, ct_recv_id(self->fd));
}

/* A frame that does not win against the one in the chip waits for it. */
TEST_F_TIMEOUT(order, of_the_same_identifier_is_kept, LONG_TEST)
{
	struct can_frame frame;
	int i;

	begin_to_lose(_metadata, self);
	for (i = 0; i < AT_ONCE; i++) {
		ct_frame(&frame, LATE_ID, 1, (uint8_t[]){ i });
		ASSERT_EQ(0, ct_send(self->fd, &frame, sizeof(frame)));
	}
	expect_late_frame(_metadata, self, AT_ONCE + 1);
	for (i = 0; i < AT_ONCE; i++) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
		EXPECT_EQ(i, frame.data[0]);
	}
}

/* Frames in the chip and in the driver are dropped and counted. */
TEST_F_TIMEOUT(order, down_and_up_with_frames_that_lose, LONG_TEST)
{
	struct sim_link before, after;
	struct can_frame frame;
	int i;

	begin_to_lose(_metadata, self);
	for (i = 1; i < variant->depth; i++)
		ASSERT_EQ(0, ct_send_id(self->fd, LATE_ID - i));
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &before));
	ASSERT_EQ(0, sim_link_down(CHIP_IF));
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &after));
	if (!ct_baseline())
		EXPECT_EQ(before.stats.tx_dropped + variant->depth, after.stats.tx_dropped);
	EXPECT_EQ(0U, after.stats.tx_packets);
	EXPECT_EQ(-ENETDOWN, ct_recv(self->fd, &frame, sizeof(frame), 0));
	ASSERT_EQ(0, sim_link_up(CHIP_IF, BITRATE, ""));
	ASSERT_EQ(0, ct_send_id(self->fd, URGENT_ID));
	EXPECT_EQ(URGENT_ID, ct_recv_id(self->fd));
	EXPECT_EQ(1, sim_number(self->path, "sent"));
	if (variant->bus_order)
		EXPECT_EQ(1, sim_link_flags(CHIP_IF));
}

/* The order of the frames that the driver has already accepted, also of the one in the chip */
TEST_F_TIMEOUT(order, changes_while_frames_wait, LONG_TEST)
{
	int i;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	ASSERT_EQ(0, sim_link_set_flags(CHIP_IF, 0));
	begin_to_lose(_metadata, self);
	for (i = 1; i < variant->depth; i++)
		ASSERT_EQ(0, ct_send_id(self->fd, URGENT_ID + i));
	EXPECT_EQ(0, sim_number(self->path, "sent"));
	ASSERT_EQ(0, sim_link_set_flags(CHIP_IF, 1));
	for (i = 1; i < variant->depth; i++)
		EXPECT_EQ(URGENT_ID + i, ct_recv_id(self->fd));
	/* and back */
	ASSERT_EQ(0, sim_link_set_flags(CHIP_IF, 0));
	ASSERT_EQ(0, ct_send_id(self->fd, URGENT_ID));
	expect_late_frame(_metadata, self, variant->depth + 1);
	EXPECT_EQ(URGENT_ID, ct_recv_id(self->fd));
}

/* Also those that wait in the queueing discipline: frames that lose are in all places of the
 * driver. Urgent ones come in any order, and several at once.
 */
TEST_F_TIMEOUT(order, with_can_prio, LONG_TEST)
{
	struct qd_stats stats;
	int i, round;

	if (!variant->bus_order)
		return;
	ASSERT_EQ(0, qd_replace(CHIP_IF, "can_prio"));
	begin_to_lose(_metadata, self);
	for (i = 1; i < AT_ONCE; i++)
		ASSERT_EQ(0, ct_send_id(self->fd, LATE_ID + i % 3));
	ASSERT_EQ(0, qd_stats(CHIP_IF, &stats));
	EXPECT_LT(AT_ONCE / 2, stats.qlen);
	for (round = 0; round < AT_ONCE; round++) {
		for (i = 0; i < MANY; i++)
			ASSERT_EQ(0, ct_send_id(self->fd, URGENT_ID + (round & 1 ? i : MANY - i)));
		/* which of them goes first depends on when it was written */
		for (i = 0; i < MANY; i++)
			ASSERT_GT(JAM_ID, CT_OK(ct_recv_id(self->fd))) TH_LOG("%d", round);
	}
	EXPECT_EQ(AT_ONCE * MANY, sim_number(self->path, "sent"));
	ASSERT_EQ(0, sim_run(JAM, false));
	for (i = 0; i < AT_ONCE; i++)
		ASSERT_LT(JAM_ID, CT_OK(ct_recv_id(self->fd)));
	EXPECT_EQ(0, sim_await(self->path, "sent", AT_ONCE * MANY + AT_ONCE));
	ASSERT_EQ(0, qd_stats(CHIP_IF, &stats));
	EXPECT_EQ(0, stats.qlen);
	EXPECT_EQ(0, stats.drops);
}

/* Each of them is more urgent than all before, so the driver could accept it. */
TEST_F_TIMEOUT(order, ever_more_urgent_frames_that_lose, LONG_TEST)
{
	int i;

	if (!variant->bus_order)
		return;
	ASSERT_EQ(0, qd_replace(CHIP_IF, "can_prio"));
	begin_to_lose(_metadata, self);
	for (i = 1; i < MORE_THAN_SLOTS; i++)
		ASSERT_EQ(0, ct_send_id(self->fd, LATE_ID - i));
	for (i = 0; i < AT_ONCE; i++) {
		ASSERT_EQ(0, ct_send_id(self->fd, URGENT_ID));
		ASSERT_EQ(URGENT_ID, ct_recv_id(self->fd));
	}
	EXPECT_EQ(AT_ONCE, sim_number(self->path, "sent"));
	ASSERT_EQ(0, sim_run(JAM, false));
	for (i = 0; i < MORE_THAN_SLOTS; i++)
		ASSERT_LT(JAM_ID, CT_OK(ct_recv_id(self->fd)));
}

TEST_F_TIMEOUT(order, unbind_with_frames_that_lose, LONG_TEST)
{
	begin_to_lose(_metadata, self);
	ASSERT_EQ(0, ct_send_id(self->fd, LATE_ID - 1));
	ASSERT_EQ(0, sim_live(BUS, false));
	ASSERT_EQ(0, sim_live(BUS, true));
	if (!ct_baseline())
		EXPECT_EQ(0, sim_link_flags(CHIP_IF));
}

/* Random frames, seen by another controller on the bus */
FIXTURE(mix) {
	char path[64];
	int fd;
	int other;
};

FIXTURE_VARIANT(mix) {
	const char *kind;
	bool bus_order;
	unsigned int period_ns;
	const char *qdisc;
	unsigned int errors_ppm;
	bool spi_errors;
	bool cs_stays;
};

FIXTURE_VARIANT_ADD(mix, sja1000_fifo) {
	.kind = "sja1000", .bus_order = false, .period_ns = 2500000,
};

FIXTURE_VARIANT_ADD(mix, sja1000) {
	.kind = "sja1000", .bus_order = true, .period_ns = 2500000,
};

FIXTURE_VARIANT_ADD(mix, sja1000_often) {
	.kind = "sja1000", .bus_order = true, .period_ns = 1000000,
};

FIXTURE_VARIANT_ADD(mix, sja1000_can_prio) {
	.kind = "sja1000", .bus_order = true, .period_ns = 1000000,
	.qdisc = "can_prio",
};

FIXTURE_VARIANT_ADD(mix, sja1000_errors) {
	.kind = "sja1000", .bus_order = true, .period_ns = 1500000,
	.qdisc = "can_prio", .errors_ppm = 50000,
};

FIXTURE_VARIANT_ADD(mix, mpc5200_can_prio) {
	.kind = "mpc5200", .bus_order = true, .period_ns = 1000000,
	.qdisc = "can_prio",
};

FIXTURE_VARIANT_ADD(mix, mpc5200_errors) {
	.kind = "mpc5200", .bus_order = true, .period_ns = 1500000,
	.qdisc = "can_prio", .errors_ppm = 50000,
};

FIXTURE_VARIANT_ADD(mix, mpc5200_fifo) {
	.kind = "mpc5200", .bus_order = false, .period_ns = 2500000,
};

FIXTURE_VARIANT_ADD(mix, mpc5200) {
	.kind = "mpc5200", .bus_order = true, .period_ns = 2500000,
};

FIXTURE_VARIANT_ADD(mix, mpc5200_often) {
	.kind = "mpc5200", .bus_order = true, .period_ns = 1000000,
};

FIXTURE_VARIANT_ADD(mix, mpc5121) {
	.kind = "mpc5121", .bus_order = true, .period_ns = 1000000,
};

FIXTURE_VARIANT_ADD(mix, mcp2515_fifo) {
	.kind = "mcp2515", .bus_order = false, .period_ns = 2500000,
};

FIXTURE_VARIANT_ADD(mix, mcp2515) {
	.kind = "mcp2515", .bus_order = true, .period_ns = 2500000,
};

FIXTURE_VARIANT_ADD(mix, mcp2515_often) {
	.kind = "mcp2515", .bus_order = true, .period_ns = 1000000,
};

FIXTURE_VARIANT_ADD(mix, mcp2515_can_prio) {
	.kind = "mcp2515", .bus_order = true, .period_ns = 1000000,
	.qdisc = "can_prio",
};

FIXTURE_VARIANT_ADD(mix, mcp2515_errors) {
	.kind = "mcp2515", .bus_order = true, .period_ns = 1500000,
	.qdisc = "can_prio", .errors_ppm = 50000,
};

FIXTURE_VARIANT_ADD(mix, mcp2515_spi_errors) {
	.kind = "mcp2515", .bus_order = true, .period_ns = 1500000,
	.qdisc = "can_prio", .spi_errors = true,
};

FIXTURE_VARIANT_ADD(mix, mcp2515_cs_stays) {
	.kind = "mcp2515", .bus_order = true, .period_ns = 1500000,
	.qdisc = "can_prio", .spi_errors = true, .cs_stays = true,
};

FIXTURE_VARIANT_ADD(mix, mcp2510_spi_errors) {
	.kind = "mcp2510", .bus_order = true, .period_ns = 1500000,
	.qdisc = "can_prio", .spi_errors = true,
};

static const canid_t mix_ids[] = {
	0x050, 0x0ff, 0x100, 0x101, 0x650, EFF | 0x100 << 18, EFF | 0x0ff << 18 | 1,
	EFF | 0x1fffffff,
};

#define MIX_IDS		((int)ARRAY_SIZE(mix_ids))
#define MIX_JAM_ID	0x300

FIXTURE_SETUP(mix)
{
	if (variant->bus_order && ct_baseline())
		SKIP(return, "needs the patched modules");
	if (!sim_open_chip(_metadata, "generator.jam", variant->kind, self->path))
		return;
	if (variant->cs_stays)
		ASSERT_EQ(0, sim_set(self->path, "cs_change", "0"));
	ASSERT_EQ(0, sim_bus_add(BUS "/sja1000." OTHER_IF));
	ASSERT_EQ(0, sim_slow_down(BUS));
	ASSERT_EQ(0, sim_set_all(JAM, "bitrate=%u id=%03X dlc=2 count=0 period_ns=%u",
				 BITRATE, MIX_JAM_ID, variant->period_ns));
	self->fd = CT_OK(sim_start(BITRATE, "", 0, true));
	ASSERT_EQ(0, ct_link_queue(CHIP_IF, 1000));
	ASSERT_EQ(0, sim_link_up(OTHER_IF, BITRATE, ""));
	self->other = CT_OK(sim_socket(OTHER_IF, 0, false));
	ASSERT_EQ(0, leave_out(self->fd, MIX_JAM_ID));
	ASSERT_EQ(0, leave_out(self->other, MIX_JAM_ID));
	if (variant->bus_order)
		ASSERT_EQ(0, sim_link_set_flags(CHIP_IF, 1));
	if (variant->qdisc)
		ASSERT_EQ(0, qd_replace(CHIP_IF, variant->qdisc));
	ASSERT_EQ(0, sim_set_all(BUS, "inject_type=bit inject_bit=-1 inject_ppm=%u inject_seed=1",
				 variant->errors_ppm));
	ASSERT_EQ(0, sim_run(JAM, true));
}

SIM_TEARDOWN(mix)

static int index_of(canid_t id)
{
	int i;

	for (i = 0; i < MIX_IDS && mix_ids[i] != id; i++)
		;
	return i;
}

static uint32_t number_of(const struct can_frame *frame)
{
	uint32_t number;

	memcpy(&number, frame->data, sizeof(number));
	return number;
}

/* Of an MSCAN, a late driver cannot tell which of two frames was sent first. */
TEST_F_TIMEOUT(mix, is_sent_once_and_echoed_once, LONG_TEST)
{
	bool same_order = !variant->bus_order || strncmp(variant->kind, "mpc", 3);
	uint32_t next[MIX_IDS] = { 0 }, sent[MIX_IDS] = { 0 }, echoed[MIX_IDS] = { 0 };
	uint32_t written = 0, last, frames = FRAMES;
	struct can_frame frame, echo;
	unsigned int seed = 1;
	int i, k, overtaken = 0;

	while (written < frames) {
		for (i = 0; i < AT_ONCE; i++, written++) {
			k = rand_r(&seed) % MIX_IDS;
			ct_frame(&frame, mix_ids[k], 8, NULL);
			memcpy(frame.data, &written, sizeof(written));
			memcpy(frame.data + 4, &sent[k], sizeof(sent[k]));
			sent[k]++;
			ASSERT_EQ(0, ct_send(self->fd, &frame, sizeof(frame)));
			if (variant->spi_errors)
				ASSERT_EQ(0, sim_set(self->path, "spi_errors", "1"));
		}
		last = 0;
		for (i = 0; i < AT_ONCE; i++) {
			ASSERT_EQ((ssize_t)sizeof(frame), ct_recv(self->other, &frame,
								  sizeof(frame), CT_TIMEOUT_MS))
				TH_LOG("frame %d", i);
			ASSERT_EQ((ssize_t)sizeof(echo), ct_recv(self->fd, &echo, sizeof(echo),
								 CT_TIMEOUT_MS))
				TH_LOG("echo %d", i);
			if (same_order)
				ASSERT_EQ(0, memcmp(&frame, &echo, sizeof(frame)));
			k = index_of(echo.can_id);
			ASSERT_LT(k, MIX_IDS);
			ASSERT_EQ(0, memcmp(echo.data + 4, &echoed[k], sizeof(echoed[k])));
			echoed[k]++;
			k = index_of(frame.can_id);
			ASSERT_LT(k, MIX_IDS);
			ASSERT_EQ(0, memcmp(frame.data + 4, &next[k], sizeof(next[k])));
			next[k]++;
			overtaken += number_of(&frame) < last;
			last = number_of(&frame);
		}
	}
	EXPECT_EQ((int64_t)frames, sim_number(self->path, "sent"));
	EXPECT_EQ(0, memcmp(next, sent, sizeof(next)));
	EXPECT_EQ(0, memcmp(echoed, sent, sizeof(echoed)));
	EXPECT_EQ(variant->bus_order, overtaken > 0);
}

/* A frame in one-shot mode is not taken back: each ends after one attempt. */
FIXTURE(once) {
	char path[64];
	int fd;
};

FIXTURE_SETUP(once)
{
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (!sim_open_chip(_metadata, "generator.jam generator.rx", "sja1000", self->path))
		return;
	ASSERT_EQ(0, sim_slow_down(BUS));
	ASSERT_EQ(0, sim_set_all(JAM, "bitrate=%u id=%03X count=0", BITRATE, JAM_ID));
	ASSERT_EQ(0, sim_set_all(BUS "/generator.rx", "bitrate=%u", BITRATE));
	self->fd = CT_OK(sim_start(BITRATE, "one-shot on", 0, true));
	ASSERT_EQ(0, leave_out(self->fd, JAM_ID));
	ASSERT_EQ(0, sim_link_set_flags(CHIP_IF, 1));
}

SIM_TEARDOWN(once)

TEST_F_TIMEOUT(once, urgent_frames_follow_failed_ones, LONG_TEST)
{
	struct sim_link link;
	int i;

	ASSERT_EQ(0, sim_run(JAM, true));
	for (i = 0; i < AT_ONCE; i++) {
		ASSERT_EQ(0, ct_send_id(self->fd, LATE_ID));
		ASSERT_EQ(0, ct_send_id(self->fd, URGENT_ID));
		ASSERT_EQ(URGENT_ID, ct_recv_id(self->fd));
	}
	ASSERT_EQ(0, sim_run(JAM, false));
	EXPECT_EQ(AT_ONCE, sim_number(self->path, "sent"));
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &link));
	EXPECT_EQ((unsigned int)AT_ONCE, link.stats.tx_packets);
	EXPECT_EQ((unsigned int)AT_ONCE, link.stats.tx_errors);
}

/* The private flag of ethtool */
FIXTURE(flag) {
	char path[64];
};

FIXTURE_VARIANT(flag) {
	const char *kind;
};

FIXTURE_VARIANT_ADD(flag, sja1000) { "sja1000" };
FIXTURE_VARIANT_ADD(flag, mpc5200) { "mpc5200" };
FIXTURE_VARIANT_ADD(flag, mcp2515) { "mcp2515" };

FIXTURE_SETUP(flag)
{
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (!sim_open_chip(_metadata, "generator.rx", variant->kind, self->path))
		return;
	ASSERT_EQ(0, sim_live(BUS, true));
}

SIM_TEARDOWN(flag)

TEST_F(flag, is_off_and_can_be_set)
{
	EXPECT_EQ(0, sim_link_flags(CHIP_IF));
	EXPECT_EQ(0, sim_link_set_flags(CHIP_IF, 1));
	EXPECT_EQ(1, sim_link_flags(CHIP_IF));
	EXPECT_EQ(-EINVAL, sim_link_set_flags(CHIP_IF, 2));
	EXPECT_EQ(1, sim_link_flags(CHIP_IF));
	EXPECT_EQ(0, sim_link_set_flags(CHIP_IF, 0));
	EXPECT_EQ(0, sim_link_flags(CHIP_IF));
}

TEST_F(flag, has_a_name)
{
	struct {
		struct ethtool_gstrings head;
		char name[ETH_GSTRING_LEN];
	} strings = {
		.head = { .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_PRIV_FLAGS, .len = 1 },
	};

	ASSERT_EQ(0, sim_link_ethtool(CHIP_IF, &strings));
	EXPECT_EQ(1U, strings.head.len);
	EXPECT_STREQ(FLAG, strings.name);
}

TEST_HARNESS_MAIN
