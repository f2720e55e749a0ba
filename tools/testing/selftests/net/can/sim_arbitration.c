// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arbitration on simulated CAN buses: frames of several nodes are sent in the order of
 * the bits on the wire, and the nodes that lose report the bit.
 *
 * While one node jams the bus with frames of the highest priority, the others prepare
 * their frames. They are ready when they have lost arbitration. Then the jam ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/can.h>
#include <linux/can/error.h>

#include "simtest.h"

#define JAM		BUS "/generator.jam"
#define JAM_ID		"id=000 dlc=0 count=0"

#define EFF		CAN_EFF_FLAG
#define RTR		CAN_RTR_FLAG

#define MOST_NODES	24
#define LONG_TEST	120

static bool is_jam(const struct sim_record *record)
{
	return record->frame.can_id == 0 && record->frame.len == 0;
}

/* The frames after the last one of the jam */
static int records_after_jam(struct sim_record *records)
{
	int count = sim_records(BUS, records), after = count;

	while (after > 0 && !is_jam(&records[after - 1]))
		after--;
	if (after <= 0)
		return -ENODATA;
	memmove(records, records + after, (count - after) * sizeof(*records));
	return count - after;
}

static void set_id(char *text, canid_t id)
{
	if (id & EFF)
		sprintf(text, "id=%08X rtr=%d", id & CAN_EFF_MASK, !!(id & RTR));
	else
		sprintf(text, "id=%03X rtr=%d", id & CAN_SFF_MASK, !!(id & RTR));
}

static int by_priority(const void *a, const void *b)
{
	unsigned int bit;

	return sim_wire_compare(a, b, &bit);
}

/* A generator for each frame */
FIXTURE(order) { };

FIXTURE_VARIANT(order) {
	canid_t ids[MOST_NODES];
};

FIXTURE_VARIANT_ADD(order, standard) {
	.ids = { 0x7ff, 0x001, 0x400, 0x3ff, 0x002, 0x7fe, 0x200, 0x555,
		 0x2aa, 0x003 },
};

FIXTURE_VARIANT_ADD(order, remote_after_data) {
	.ids = { RTR | 0x123, 0x123, RTR | 0x122, 0x124, RTR | 0x124, 0x122 },
};

FIXTURE_VARIANT_ADD(order, extended) {
	.ids = { EFF | 0x1fffffff, EFF | 0x00000001, EFF | 0x00040000,
		 EFF | 0x0003ffff, EFF | 0x10000000, EFF | 0x0fffffff,
		 EFF | 0x15555555, EFF | 0x0aaaaaaa },
};

FIXTURE_VARIANT_ADD(order, extended_after_standard_of_the_same_base) {
	.ids = { EFF | 0x123 << 18, 0x123, EFF | 0x122 << 18 | 0x3ffff,
		 RTR | 0x123, EFF | 0x124 << 18, 0x122, 0x124,
		 EFF | RTR | 0x123 << 18, EFF | 0x123 << 18 | 1 },
};

FIXTURE_VARIANT_ADD(order, identifier_as_a_number_is_not_the_order) {
	/* 0x7ff comes after each extended frame but those of base 0x7ff */
	.ids = { 0x7ff, EFF | 0x1ffbffff, EFF | 0x000007ff, EFF | 0x00000001,
		 0x001, EFF | 0x1ffc0000, EFF | 0x1fffffff },
};

FIXTURE_VARIANT_ADD(order, one_bit_each) {
	.ids = { EFF | 1 << 28, EFF | 1 << 27, EFF | 1 << 26, EFF | 1 << 23,
		 EFF | 1 << 20, EFF | 1 << 18, EFF | 1 << 17, EFF | 1 << 16,
		 EFF | 1 << 10, EFF | 1 << 5, EFF | 1 << 1, EFF | 1,
		 EFF | RTR | 1, EFF | RTR, EFF, 1 << 10, 1 << 9, 1 << 7, 1 << 4,
		 1 << 1, 1, RTR | 1, RTR },
};

static int count_ids(const canid_t *ids)
{
	int count = 0;

	while (count < MOST_NODES && ids[count])
		count++;
	return count;
}

static void node_of(char *path, int number)
{
	sprintf(path, BUS "/generator.n%d", number);
}

FIXTURE_SETUP(order)
{
	int i, count = count_ids(variant->ids);
	char path[64], id[64];

	if (!sim_open_bus(_metadata, "generator.jam"))
		return;
	for (i = 0; i < count; i++) {
		node_of(path, i);
		set_id(id, variant->ids[i]);
		ASSERT_EQ(0, sim_bus_add(path));
		ASSERT_EQ(0, sim_set_all(path, "%s count=1 dlc=%d", id, i % 9));
	}
	ASSERT_EQ(0, sim_set_all(JAM, JAM_ID));
	ASSERT_EQ(0, sim_live(BUS, true));
}

SIM_TEARDOWN(order)

static void send_all(struct __test_metadata *_metadata, int first, int step,
		     int count)
{
	char path[64];
	int i, number;

	ASSERT_EQ(0, sim_run(JAM, true));
	ASSERT_EQ(0, sim_await_above(BUS, "frames", 0));
	for (i = 0; i < count; i++) {
		number = (first + i * step) % count;
		node_of(path, number);
		ASSERT_EQ(0, sim_run(path, true));
		ASSERT_EQ(0, sim_await_above(path, "lost_arbitration", 0));
	}
	ASSERT_EQ(0, sim_run(JAM, false));
	for (i = 0; i < count; i++) {
		node_of(path, i);
		ASSERT_EQ(0, sim_await(path, "run", 0));
	}
}

/* It depends neither on which node was ready first nor on the order of creation. */
TEST_F_TIMEOUT(order, is_that_of_the_bits_on_the_wire, LONG_TEST)
{
	int i, round, count = count_ids(variant->ids);
	struct sim_record records[SIM_RECORDS];
	struct can_frame frames[MOST_NODES];

	memset(frames, 0, sizeof(frames));
	for (i = 0; i < count; i++)
		frames[i].can_id = variant->ids[i];
	qsort(frames, count, sizeof(frames[0]), by_priority);

	for (round = 0; round < 2; round++) {
		send_all(_metadata, round, round ? count - 1 : 1, count);
		ASSERT_EQ(count, records_after_jam(records));
		for (i = 0; i < count; i++) {
			EXPECT_EQ(frames[i].can_id, records[i].frame.can_id);
			EXPECT_STREQ("ok", records[i].outcome);
		}
	}
	EXPECT_EQ(0, sim_number(BUS, "error_frames"));
}

/* Each frame begins right after the one before. */
TEST_F_TIMEOUT(order, leaves_no_gap, LONG_TEST)
{
	struct sim_record records[SIM_RECORDS];
	int count = count_ids(variant->ids);

	send_all(_metadata, 0, 1, count);
	ASSERT_EQ(count, records_after_jam(records));
	sim_expect_no_gap(_metadata, records, count, 1000000);
}

/* Each frame of the jam that began when a node was ready is one more loss, and so
 * is each frame that goes before its own.
 */
TEST_F_TIMEOUT(order, each_loss_is_counted, LONG_TEST)
{
	struct sim_record records[SIM_RECORDS];
	int i, j, count = count_ids(variant->ids);
	int64_t lost[MOST_NODES];
	char path[64];

	send_all(_metadata, 0, 1, count);
	ASSERT_EQ(count, records_after_jam(records));
	EXPECT_EQ(0, sim_number(JAM, "lost_arbitration"));
	for (i = 0; i < count; i++) {
		node_of(path, i);
		lost[i] = sim_number(path, "lost_arbitration");
		EXPECT_EQ(1, sim_number(path, "sent"));
		EXPECT_EQ(0, sim_number(path, "errors"));
		/* it receives all frames but its own */
		EXPECT_EQ(sim_number(BUS, "frames") - 1,
			  sim_number(path, "received"));
	}
	/* without the losses against others, the first ready node has lost most often */
	for (i = 0; i < count; i++)
		for (j = 0; j < count && records[j].frame.can_id !=
				     variant->ids[i]; j++)
			lost[i]--;
	for (i = 1; i < count; i++) {
		EXPECT_GE(lost[i - 1], lost[i]);
		EXPECT_LT(0, lost[i]);
	}
}

/* The bit in which arbitration is lost, by hand */
struct loss {
	canid_t winner;
	canid_t loser;
	unsigned int bit;
};

static const struct loss losses[] = {
	{ 0x000, 0x400, 0 },
	{ 0x000, 0x7ff, 0 },
	{ 0x000, 0x200, 1 },
	{ 0x400, 0x600, 1 },
	{ 0x000, 0x001, 10 },
	{ 0x122, 0x123, 10 },
	{ 0x123, RTR | 0x123, 11 },
	{ 0x123, EFF | 0x123 << 18, 11 },
	{ RTR | 0x123, EFF | 0x123 << 18, 12 },
	{ RTR | 0x123, EFF | RTR | 0x123 << 18 | 0x3ffff, 12 },
	{ EFF | 0x123 << 18, EFF | 0x123 << 18 | 0x20000, 13 },
	{ EFF | 0x123 << 18, EFF | 0x123 << 18 | 0x3ffff, 13 },
	{ EFF | 0x1fffffe0, EFF | 0x1ffffff0, 26 },
	{ EFF | 0x1ffffffe, EFF | 0x1fffffff, 30 },
	{ EFF | 0x15555555, EFF | RTR | 0x15555555, 31 },
	{ EFF, EFF | RTR, 31 },
};

TEST(losses_by_hand_agree_with_the_computation)
{
	struct can_frame winner = { 0 }, loser = { 0 };
	unsigned int i, bit;

	for (i = 0; i < ARRAY_SIZE(losses); i++) {
		winner.can_id = losses[i].winner;
		loser.can_id = losses[i].loser;
		EXPECT_GT(0, sim_wire_compare(&winner, &loser, &bit));
		EXPECT_EQ(losses[i].bit, bit);
	}
}

/* slow enough for each driver */
#define JAM_BITRATE	125000

/* One jams the bus, the other one acknowledges. */
#define GENERATORS	"generator.jam generator.rx"

static int set_generators(void)
{
	return sim_slow_down(BUS) ?:
	       sim_set_all(JAM, "bitrate=%u " JAM_ID, JAM_BITRATE) ?:
	       sim_set_all(BUS "/generator.rx", "bitrate=%u", JAM_BITRATE);
}

/* A controller against the generator that jams the bus */
FIXTURE(chip) {
	char path[64];
	int fd;
};

SIM_CHIP_VARIANTS(chip);

FIXTURE_SETUP(chip)
{
	const char *options = variant->chip->bus_errors ? "berr-reporting on" : "";

	if (!sim_open_chip(_metadata, GENERATORS, variant->chip->kind, self->path))
		return;
	ASSERT_EQ(0, set_generators());
	self->fd = CT_OK(sim_start(JAM_BITRATE, options, CAN_ERR_MASK, true));
}

SIM_TEARDOWN(chip)

static void lose(struct __test_metadata *_metadata, FIXTURE_DATA(chip) *self,
		 const struct loss *loss)
{
	int64_t lost = sim_number(self->path, "lost_arbitration");
	struct can_frame frame;
	char id[64];

	set_id(id, loss->winner);
	ASSERT_EQ(0, sim_set_all(JAM, "%s", id));
	ct_frame(&frame, loss->loser, 4, NULL);
	if (loss->loser & RTR)
		memset(frame.data, 0, sizeof(frame.data));
	ASSERT_EQ(0, sim_run(JAM, true));
	ASSERT_EQ(0, ct_send(self->fd, &frame, sizeof(frame)));
	ASSERT_EQ(0, sim_await_above(self->path, "lost_arbitration", lost));
	ASSERT_EQ(0, sim_run(JAM, false));
}

/* The socket gets its own frame, which was sent, and an error frame for each
 * loss if the driver tells them.
 */
static int await_sent(int fd, canid_t id, unsigned int bit, bool told)
{
	bool sent = false, lost = !told;
	struct can_frame frame;

	while (!sent || !lost) {
		if (ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS) < 0)
			return -ETIMEDOUT;
		if (frame.can_id == id)
			sent = true;
		if (!(frame.can_id & CAN_ERR_FLAG))
			continue;
		/* a slow machine may overrun the receive FIFO */
		if (!(frame.can_id & CAN_ERR_LOSTARB))
			continue;
		if (!told)
			return -EBADMSG;
		if (frame.data[0] != bit)
			return -ERANGE;
		lost = true;
	}
	return 0;
}

TEST_F_TIMEOUT(chip, tells_at_which_bit_it_lost_and_sends_later, LONG_TEST)
{
	struct sim_record records[SIM_RECORDS];
	unsigned int i;
	int count;

	for (i = 0; i < ARRAY_SIZE(losses); i++) {
		lose(_metadata, self, &losses[i]);
		EXPECT_EQ(0, await_sent(self->fd, losses[i].loser,
					losses[i].bit,
					variant->chip->lost_arbitration))
			TH_LOG("%X against %X", losses[i].loser,
			       losses[i].winner);
		EXPECT_EQ(i + 1, sim_number(self->path, "sent"));
		count = sim_records(BUS, records);
		ASSERT_LT(0, count);
		EXPECT_EQ(losses[i].loser, records[count - 1].frame.can_id);
	}
	EXPECT_EQ(0, sim_number(BUS, "error_frames"));
	EXPECT_EQ(0, sim_number(self->path, "tec"));
}

/* All other nodes receive the frame, and the loser receives those of the winner. */
TEST_F_TIMEOUT(chip, nothing_is_lost, LONG_TEST)
{
	int64_t frames;

	lose(_metadata, self, &losses[0]);
	ASSERT_EQ(0, sim_await(self->path, "sent", 1));
	frames = sim_number(BUS, "frames");
	EXPECT_EQ(1, sim_number(JAM, "received"));
	EXPECT_EQ(frames, sim_number(BUS "/generator.rx", "received"));
	EXPECT_EQ(frames - 1, sim_number(self->path, "received"));
	EXPECT_EQ(frames - 1, sim_number(JAM, "sent"));
}

/* Several drivers with several frames each; those of one keep their order. */
FIXTURE(mixed) {
	int count;
	int fd[5];
};

static const char * const kinds[] = {
	"sja1000", "mpc5200", "mpc5121", "mcp2515", "mcp2510",
};

#define PER_CHIP	3

FIXTURE_SETUP(mixed)
{
	char node[32], name[16];
	unsigned int i;

	if (!sim_open_bus(_metadata, GENERATORS))
		return;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		snprintf(node, sizeof(node), "%s.simif%d", kinds[i],
			 self->count);
		if (!sim_node_add(BUS, node))
			self->count++;
	}
	if (self->count < 2) {
		sim_close();
		SKIP(return, "fewer than two kinds of controllers");
	}
	ASSERT_EQ(0, set_generators());
	ASSERT_EQ(0, sim_live(BUS, true));
	for (i = 0; i < (unsigned int)self->count; i++) {
		snprintf(name, sizeof(name), "simif%u", i);
		ASSERT_EQ(0, sim_link_up(name, JAM_BITRATE, ""));
		self->fd[i] = CT_OK(sim_socket(name, 0, true));
	}
}

SIM_TEARDOWN(mixed)

/* Frame @number of a chip; later ones have lower and higher priorities. */
static canid_t id_of(int chip, int number)
{
	static const canid_t base[] = { 0x300, 0x100, 0x500 };

	return base[number] + 0x10 * chip;
}

static int all_lose(struct sim_record *records)
{
	int count = sim_records(BUS, records), i;

	for (i = 0; i < count; i++)
		if (!is_jam(&records[i]))
			return -EBUSY;
	return count;
}

/*
 * Each chip sends its frames in the order in which a socket wrote them, but its
 * driver may be late with the next one, and then others go first: the frames of a
 * chip are in order, and the first frames of all chips are by priority.
 */
TEST_F_TIMEOUT(mixed, first_frames_by_priority_and_each_chip_in_order, LONG_TEST)
{
	int sent[5] = { 0 }, first = 0, i, n, count, total = PER_CHIP * self->count;
	struct sim_record records[SIM_RECORDS];
	struct can_frame frame;

	ASSERT_EQ(0, sim_run(JAM, true));
	for (n = 0; n < PER_CHIP; n++)
		for (i = 0; i < self->count; i++) {
			ct_frame(&frame, id_of(i, n), 8, NULL);
			ASSERT_EQ(0, ct_send(self->fd[i], &frame,
					     sizeof(frame)));
		}
	for (i = 0; i < self->count; i++) {
		char path[64];

		snprintf(path, sizeof(path), BUS "/%s.simif%d", kinds[i], i);
		if (self->count == ARRAY_SIZE(kinds))
			ASSERT_EQ(0, sim_await_above(path, "lost_arbitration", 3));
	}
	ASSERT_LT(0, all_lose(records));
	ASSERT_EQ(0, sim_run(JAM, false));
	for (i = 0; i < self->count; i++)
		for (n = 0; n < PER_CHIP;) {
			ASSERT_LT(0, ct_recv(self->fd[i], &frame, sizeof(frame),
					     CT_TIMEOUT_MS));
			if (frame.can_id == id_of(i, n))
				n++;
		}
	count = records_after_jam(records);
	ASSERT_EQ(total, count);
	for (i = 0; i < count; i++) {
		canid_t id = records[i].frame.can_id;

		n = id >> 4 & 0xf;
		ASSERT_GT(self->count, n);
		EXPECT_EQ(id_of(n, sent[n]), id);
		if (!sent[n])
			EXPECT_EQ(first++, n);
		sent[n]++;
	}
}

TEST_HARNESS_MAIN
