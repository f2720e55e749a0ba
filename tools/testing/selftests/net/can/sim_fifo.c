// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive FIFOs of simulated controllers: while interrupts are held back they store
 * exactly as many frames as their data sheets say, the next one overruns, the
 * driver reports it, and afterwards reception goes on.
 *
 * No driver reads a FIFO while interrupts are held back, so the tests do not depend on
 * the speed of the machine.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>

#include "simtest.h"

#define TX		BUS "/generator.tx"
#define RX		BUS "/generator.rx"

#define LONG_TEST	120

/* A controller, a generator, and another one that acknowledges */
FIXTURE(chip) {
	char path[64];
	int fd;
};

SIM_CHIP_VARIANTS(chip);

static void open_chip(struct __test_metadata *_metadata,
		      FIXTURE_DATA(chip) *self, const struct sim_chip *chip,
		      const char *attributes)
{
	if (!sim_open_chip(_metadata, "generator.tx generator.rx", chip->kind,
			   self->path))
		return;
	ASSERT_EQ(0, sim_set_all(self->path, "%s", attributes));
	self->fd = CT_OK(sim_start(1000000, "", CAN_ERR_MASK, false));
}

FIXTURE_SETUP(chip)
{
	open_chip(_metadata, self, variant->chip, "");
}

SIM_TEARDOWN(chip)

static int hold(FIXTURE_DATA(chip) *self, bool yes)
{
	return sim_set(self->path, "irq_hold", yes ? "1" : "0");
}

static int over_errors(void)
{
	struct sim_link link;
	int err = sim_link_get(CHIP_IF, &link);

	return err ?: (int)link.stats.rx_over_errors;
}

/* Frames that a socket received, numbered from 0 on, and error frames; the last
 * overflow was reported after overflow_after frames.
 */
struct received {
	int frames;
	int overflows;
	int overflow_after;
	int others;
	bool in_order;
};

static void count(struct received *got, const struct can_frame *frame)
{
	if (!(frame->can_id & CAN_ERR_FLAG)) {
		/* the number is in the identifier, the length may be 0 */
		got->in_order &= (frame->can_id & 0xff) ==
				     (unsigned int)got->frames;
		got->frames++;
	} else if (frame->can_id & CAN_ERR_CRTL &&
		   frame->data[1] & CAN_ERR_CRTL_RX_OVERFLOW) {
		got->overflows++;
		got->overflow_after = got->frames;
	} else {
		got->others++;
	}
}

/* Everything up to a last frame, which the generator RX sends now */
static int receive_all(FIXTURE_DATA(chip) *self, struct received *got)
{
	struct can_frame frame;
	int err;

	memset(got, 0, sizeof(*got));
	got->in_order = true;
	err = sim_generate(RX, "id=7FF dlc=0 count=1");
	if (err)
		return err;
	for (;;) {
		if (ct_recv(self->fd, &frame, sizeof(frame), CT_TIMEOUT_MS) < 0)
			return -ETIMEDOUT;
		if (frame.can_id == 0x7ff)
			return 0;
		count(got, &frame);
	}
}

/* Wait until the driver has delivered the frames of the FIFO. */
static int settle(FIXTURE_DATA(chip) *self, int frames)
{
	struct sim_link link;
	int ms, err;

	for (ms = 0; ms < CT_TIMEOUT_MS; ms++) {
		err = sim_link_get(CHIP_IF, &link);
		if (err)
			return err;
		if (link.stats.rx_packets >= (unsigned int)frames)
			return 0;
		usleep(1000);
	}
	return -ETIMEDOUT;
}

/* @sent frames come while interrupts are held back, @fit of them fit. */
static void fill(struct __test_metadata *_metadata, FIXTURE_DATA(chip) *self,
		 const char *pattern, int sent, int fit)
{
	int64_t overruns = sim_number(self->path, "overruns");
	int64_t received = sim_number(self->path, "received");
	int before = over_errors();
	struct received got;
	struct sim_link link;

	ASSERT_EQ(0, sim_link_get(CHIP_IF, &link));
	ASSERT_EQ(0, hold(self, true));
	ASSERT_EQ(0, sim_generate(TX, "%s id_mode=increment count=%d", pattern,
				  sent));
	EXPECT_EQ(received + sent, sim_number(self->path, "received"));
	EXPECT_EQ(overruns + sent - fit, sim_number(self->path, "overruns"));
	ASSERT_EQ(0, hold(self, false));
	ASSERT_EQ(0, settle(self, link.stats.rx_packets + fit));

	ASSERT_EQ(0, receive_all(self, &got));
	EXPECT_EQ(fit, got.frames);
	EXPECT_TRUE(got.in_order);
	EXPECT_EQ(sent > fit, got.overflows);
	EXPECT_EQ(0, got.others);
	EXPECT_EQ(before + (sent > fit), over_errors());
}

TEST_F_TIMEOUT(chip, takes_as_many_frames_as_its_fifo_holds, LONG_TEST)
{
	int frames;

	for (frames = 1; frames <= variant->chip->fifo; frames++)
		fill(_metadata, self, "id=000 dlc=8", frames, frames);
	EXPECT_EQ(0, sim_number(self->path, "overruns"));
}

TEST_F_TIMEOUT(chip, overruns_with_the_next_frame, LONG_TEST)
{
	int fit = variant->chip->fifo;

	fill(_metadata, self, "id=000 dlc=8", fit + 1, fit);
	/* and goes on as before */
	fill(_metadata, self, "id=000 dlc=8", fit, fit);
	fill(_metadata, self, "id=000 dlc=8", fit + 1, fit);
	EXPECT_EQ(2, sim_number(self->path, "overruns"));
}

TEST_F_TIMEOUT(chip, counts_each_frame_that_is_lost, LONG_TEST)
{
	int fit = variant->chip->fifo;

	fill(_metadata, self, "id=000 dlc=8", fit + 30, fit);
	EXPECT_EQ(30, sim_number(self->path, "overruns"));
}

TEST_F_TIMEOUT(chip, holds_extended_frames, LONG_TEST)
{
	/* 5 + 8 bytes of 64 in an SJA1000; a buffer of its own elsewhere */
	int fit = variant->chip == &sim_sja1000 ? 4 : variant->chip->fifo;

	fill(_metadata, self, "id=00000000 dlc=8", fit, fit);
	EXPECT_EQ(0, sim_number(self->path, "overruns"));
	fill(_metadata, self, "id=00000000 dlc=8", fit + 1, fit);
}

/* A frame in the FIFO is not lost when the FIFO is full later. */
TEST_F_TIMEOUT(chip, keeps_the_oldest_frames, LONG_TEST)
{
	int fit = variant->chip->fifo, i;
	struct can_frame frame;
	uint8_t data;

	ASSERT_EQ(0, hold(self, true));
	for (i = 0; i < fit + 2; i++)
		ASSERT_EQ(0, sim_generate(TX, "dlc=8 data=%02X%014d count=1",
					  i, 0));
	ASSERT_EQ(0, hold(self, false));
	for (i = 0; i < fit; i++) {
		do {
			ASSERT_LT(0, ct_recv(self->fd, &frame, sizeof(frame),
					     CT_TIMEOUT_MS));
		} while (frame.can_id & CAN_ERR_FLAG);
		data = i;
		EXPECT_EQ(data, frame.data[0]);
	}
}

TEST_F(chip, tells_how_full_its_fifo_was)
{
	int fit = variant->chip->fifo;
	/* bytes in an SJA1000 */
	int unit = variant->chip == &sim_sja1000 ? 11 : 1;

	EXPECT_EQ(0, sim_number(self->path, "high_water"));
	fill(_metadata, self, "id=000 dlc=8", 1, 1);
	EXPECT_EQ(unit, sim_number(self->path, "high_water"));
	fill(_metadata, self, "id=000 dlc=8", fit, fit);
	EXPECT_EQ(fit * unit, sim_number(self->path, "high_water"));
	fill(_metadata, self, "id=000 dlc=8", fit + 2, fit);
	EXPECT_EQ(fit * unit, sim_number(self->path, "high_water"));
}

/* After five frames of eleven bytes an SJA1000 has room for nine. */
TEST_F(chip, fills_the_last_byte)
{
	static const struct {
		int dlc;
		int overruns;
	} cases[] = { { 6, 0 }, { 7, 1 } };
	unsigned int i;

	if (variant->chip != &sim_sja1000)
		SKIP(return, "each frame has a buffer of its own");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t overruns = sim_number(self->path, "overruns");
		struct received got;

		ASSERT_EQ(0, hold(self, true));
		ASSERT_EQ(0, sim_generate(TX, "dlc=8 count=5 id=000 id_mode=increment"));
		ASSERT_EQ(0, sim_generate(TX, "dlc=%d count=1 id=005",
					  cases[i].dlc));
		EXPECT_EQ(overruns + cases[i].overruns,
			  sim_number(self->path, "overruns"));
		ASSERT_EQ(0, hold(self, false));
		ASSERT_EQ(0, receive_all(self, &got));
		EXPECT_EQ(6 - cases[i].overruns, got.frames);
		EXPECT_TRUE(got.in_order);
		EXPECT_EQ(cases[i].overruns, got.overflows);
	}
	EXPECT_EQ(64, sim_number(self->path, "high_water"));
}

/* Frames of its own do not go through its FIFO. */
TEST_F(chip, sending_does_not_fill_the_fifo)
{
	int i, frames = 3 * variant->chip->fifo;
	struct can_frame frame;

	ASSERT_EQ(0, ct_raw_set(self->fd, CAN_RAW_RECV_OWN_MSGS, 1));
	for (i = 0; i < frames; i++) {
		ASSERT_EQ(0, ct_send_id(self->fd, 0x123));
		ASSERT_LT(0, ct_recv(self->fd, &frame, sizeof(frame),
				     CT_TIMEOUT_MS));
	}
	EXPECT_EQ(frames, sim_number(self->path, "sent"));
	EXPECT_EQ(0, sim_number(self->path, "received"));
	EXPECT_EQ(0, sim_number(self->path, "high_water"));
}

/* The FIFO of an SJA1000 has 64 bytes, and frames of different sizes. */
FIXTURE(sja1000) {
	FIXTURE_DATA(chip) chip;
};

FIXTURE_VARIANT(sja1000) {
	const char *pattern;
	int bytes;
};

FIXTURE_VARIANT_ADD(sja1000, standard_0) { "id=000 dlc=0", 3 };
FIXTURE_VARIANT_ADD(sja1000, standard_1) { "id=000 dlc=1", 4 };
FIXTURE_VARIANT_ADD(sja1000, standard_2) { "id=000 dlc=2", 5 };
FIXTURE_VARIANT_ADD(sja1000, standard_3) { "id=000 dlc=3", 6 };
FIXTURE_VARIANT_ADD(sja1000, standard_4) { "id=000 dlc=4", 7 };
FIXTURE_VARIANT_ADD(sja1000, standard_5) { "id=000 dlc=5", 8 };
FIXTURE_VARIANT_ADD(sja1000, standard_6) { "id=000 dlc=6", 9 };
FIXTURE_VARIANT_ADD(sja1000, standard_7) { "id=000 dlc=7", 10 };
FIXTURE_VARIANT_ADD(sja1000, standard_8) { "id=000 dlc=8", 11 };
FIXTURE_VARIANT_ADD(sja1000, extended_0) { "id=00000000 dlc=0", 5 };
FIXTURE_VARIANT_ADD(sja1000, extended_3) { "id=00000000 dlc=3", 8 };
FIXTURE_VARIANT_ADD(sja1000, extended_8) { "id=00000000 dlc=8", 13 };
FIXTURE_VARIANT_ADD(sja1000, standard_remote_0) { "id=000 rtr=1 dlc=0", 3 };
FIXTURE_VARIANT_ADD(sja1000, standard_remote_8) { "id=000 rtr=1 dlc=8", 3 };
FIXTURE_VARIANT_ADD(sja1000, extended_remote_8) { "id=00000000 rtr=1 dlc=8", 5 };

FIXTURE_SETUP(sja1000)
{
	open_chip(_metadata, &self->chip, &sim_sja1000, "");
}

SIM_TEARDOWN(sja1000)

TEST_F_TIMEOUT(sja1000, takes_frames_up_to_64_bytes, LONG_TEST)
{
	int fit = 64 / variant->bytes;

	fill(_metadata, &self->chip, variant->pattern, fit, fit);
	EXPECT_EQ(fit * variant->bytes,
		  sim_number(self->chip.path, "high_water"));
	EXPECT_EQ(0, sim_number(self->chip.path, "overruns"));
	fill(_metadata, &self->chip, variant->pattern, fit + 1, fit);
}

/* On a line that interrupts for as long as it is active, a handler does not keep
 * interrupts off until it has read the whole FIFO: it reads two frames, and another
 * interrupt follows. On an edge-triggered one it reads them all, and in a thread.
 */
#define BATCH		2
#define BEFORE_ID	0x2ff
#define OWN_ID		0x300

FIXTURE(line) {
	FIXTURE_DATA(chip) chip;
};

FIXTURE_VARIANT(line) {
	const struct sim_chip *chip;
	const char *attributes;
	int fit;
	bool edge;
};

/* @fit: frames without data */
FIXTURE_VARIANT_ADD(line, sja1000) { &sim_sja1000, "", 21, false };
FIXTURE_VARIANT_ADD(line, sja1000_edge) { &sim_sja1000, "irq_edge=1", 21, true };
FIXTURE_VARIANT_ADD(line, sja1000_unshared) { &sim_sja1000, "irq_shared=0", 21, false };
FIXTURE_VARIANT_ADD(line, mpc5200) { &sim_mpc5200, "", 5, false };
FIXTURE_VARIANT_ADD(line, mpc5121) { &sim_mpc5121, "", 5, false };
FIXTURE_VARIANT_ADD(line, sja1000_edge_unshared) {
	&sim_sja1000, "irq_edge=1 irq_shared=0", 21, true
};

FIXTURE_SETUP(line)
{
	open_chip(_metadata, &self->chip, variant->chip, variant->attributes);
}

SIM_TEARDOWN(line)

TEST_F(line, handler_reads_two_frames_at_most)
{
	int64_t before;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (variant->edge)
		SKIP(return, "edge-triggered");
	before = sim_interrupts(self->chip.path);
	fill(_metadata, &self->chip, "id=000 dlc=0", variant->fit, variant->fit);
	/* and one for the frame by which fill() ends */
	EXPECT_LE(before + (variant->fit + BATCH - 1) / BATCH + 1,
		  sim_interrupts(self->chip.path));
}

/* Another controller may keep the line active, so there might not be a second edge. */
TEST_F(line, handler_reads_all_frames_after_an_edge)
{
	int64_t before;

	if (!variant->edge)
		SKIP(return, "level-triggered");
	before = sim_interrupts(self->chip.path);
	fill(_metadata, &self->chip, "id=000 dlc=0", variant->fit, variant->fit);
	EXPECT_GE(before + 2, sim_interrupts(self->chip.path));
}

TEST_F(line, overrun_is_reported_after_the_frames)
{
	struct received got;

	ASSERT_EQ(0, hold(&self->chip, true));
	ASSERT_EQ(0, sim_generate(TX, "id=000 dlc=0 id_mode=increment count=%d",
				  variant->fit + 1));
	ASSERT_EQ(0, hold(&self->chip, false));
	ASSERT_EQ(0, receive_all(&self->chip, &got));
	EXPECT_EQ(variant->fit, got.frames);
	EXPECT_TRUE(got.in_order);
	EXPECT_EQ(1, got.overflows);
	EXPECT_EQ(variant->fit, got.overflow_after);
}

/* A frame that arrived after another one was sent may be the answer to it, so it comes
 * after the echo. A frame that was read before the other one was sent comes before.
 *
 * Of two frames that it is given, an SJA1000 sends the first while interrupts are held
 * back, and an MSCAN both.
 */
TEST_F(line, transmissions_are_echoed_before_the_answer)
{
	int sent = variant->chip == &sim_sja1000 ? 1 : 2;
	int i, frames = 0, echoes = 0;
	struct can_frame frame;

	ASSERT_EQ(0, ct_raw_set(self->chip.fd, CAN_RAW_RECV_OWN_MSGS, 1));
	ASSERT_EQ(0, sim_generate(TX, "id=%03X dlc=0 id_mode=fixed count=1",
				  BEFORE_ID));
	ASSERT_EQ(0, settle(&self->chip, 1));
	ASSERT_EQ(0, hold(&self->chip, true));
	ASSERT_EQ(0, sim_generate(TX, "id=000 dlc=0 id_mode=increment count=%d",
				  variant->fit - 1));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, ct_send_id(self->chip.fd, OWN_ID + i));
	ASSERT_EQ(0, sim_await_above(self->chip.path, "sent", sent - 1));
	ASSERT_EQ(0, sim_generate(TX, "id=%03X dlc=0 id_mode=fixed count=1",
				  variant->fit - 1));
	ASSERT_EQ(0, hold(&self->chip, false));
	ASSERT_LT(0, ct_recv(self->chip.fd, &frame, sizeof(frame),
			     CT_TIMEOUT_MS));
	EXPECT_EQ((canid_t)BEFORE_ID, frame.can_id);
	while (frames < variant->fit || echoes < 2) {
		ASSERT_LT(0, ct_recv(self->chip.fd, &frame, sizeof(frame),
				     CT_TIMEOUT_MS));
		if (frame.can_id >= OWN_ID) {
			EXPECT_EQ((canid_t)OWN_ID + echoes, frame.can_id);
			echoes++;
			continue;
		}
		EXPECT_EQ((canid_t)frames, frame.can_id);
		/* it is the answer */
		if (frame.can_id == (canid_t)variant->fit - 1)
			EXPECT_LE(sent, echoes);
		frames++;
	}
	EXPECT_EQ(0, sim_number(self->chip.path, "overruns"));
}

TEST_HARNESS_MAIN
