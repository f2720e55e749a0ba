// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the model of the SJA1000 by accesses to its registers.
 *
 * Two chips and a node without registers are on a bus whose clock the test
 * sets, so everything runs in the context of the test. Each access to a
 * register takes the bus's lock, as drivers do.
 */
#include <kunit/test.h>
#include <linux/bitfield.h>
#include <linux/prandom.h>

#include "sja1000-model.h"

/* 1 Mbit/s with eight quanta, at 16 MHz */
#define BTR0_1M		0x00
#define BTR1_1M		0x14
#define BIT_NS		1000

/* Longer than any frame or error frame with eleven recessive bits */
#define FRAME_NS	(200 * BIT_NS)

/* Most messages to fill the FIFO */
#define MANY 22

/* A node that acknowledges, sends frames on request, and stores the last
 * received one
 */
struct peer {
	struct can_sim_node node;
	struct can_sim_frame out;
	unsigned int to_send;
	struct can_sim_frame in;
	unsigned int got;
};

struct fixture {
	struct can_sim_bus bus;
	struct can_sim_sja1000 chip;
	struct can_sim_sja1000 other;
	struct peer peer;
	u64 now;
	struct rnd_state rnd;
};

static u64 fixture_clock(struct can_sim_bus *bus)
{
	return container_of(bus, struct fixture, bus)->now;
}

static bool peer_load(struct can_sim_node *node, struct can_sim_frame *frame)
{
	struct peer *peer = container_of(node, struct peer, node);

	*frame = peer->out;
	return peer->to_send;
}

static void peer_sent(struct can_sim_node *node)
{
	struct peer *peer = container_of(node, struct peer, node);

	if (--peer->to_send)
		can_sim_node_request(node);
}

static void peer_received(struct can_sim_node *node,
			  const struct can_sim_frame *frame)
{
	struct peer *peer = container_of(node, struct peer, node);

	peer->in = *frame;
	peer->got++;
}

static const struct can_sim_node_ops peer_ops = {
	.load = peer_load,
	.sent = peer_sent,
	.received = peer_received,
};

static void sja_test_ignore_interrupt(struct can_sim_sja1000 *sja, bool active)
{
}

/* Accesses to the chips */

static u8 sja_test_read_reg(struct can_sim_sja1000 *sja, unsigned int reg)
{
	unsigned long flags = can_sim_lock(&sja->chip.node);
	u8 value = can_sim_sja1000_read(sja, reg);

	can_sim_unlock(&sja->chip.node, flags);
	return value;
}

static void sja_test_write_reg(struct can_sim_sja1000 *sja, unsigned int reg,
			       u8 value)
{
	unsigned long flags = can_sim_lock(&sja->chip.node);

	can_sim_sja1000_write(sja, reg, value);
	can_sim_unlock(&sja->chip.node, flags);
}

/* Make the bus handle all events up to now. */
static void sja_test_sync(struct fixture *f)
{
	unsigned long flags = can_sim_lock(&f->peer.node);

	can_sim_unlock(&f->peer.node, flags);
}

static void sja_test_pass(struct fixture *f, u64 ns)
{
	f->now += ns;
	sja_test_sync(f);
}

/* Set the clock to the end of the present frame or error frame.
 *
 * Return: false if there is none.
 */
static bool sja_test_pass_frame(struct fixture *f)
{
	u64 before;

	sja_test_sync(f);
	before = f->bus.records;
	while (f->bus.records == before) {
		if (f->bus.next == CAN_SIM_NEVER)
			return false;
		f->now = max(f->now, f->bus.next);
		sja_test_sync(f);
	}
	return true;
}

/* Start a chip like a driver, with a filter that accepts everything. */
static void sja_test_configure(struct can_sim_sja1000 *sja)
{
	unsigned int i;

	sja_test_write_reg(sja, SJA_MOD, SJA_MOD_RM);
	sja_test_write_reg(sja, SJA_CDR, SJA_CDR_PELICAN);
	sja_test_write_reg(sja, SJA_BTR0, BTR0_1M);
	sja_test_write_reg(sja, SJA_BTR1, BTR1_1M);
	for (i = 0; i < 4; i++)
		sja_test_write_reg(sja, SJA_AMR + i, 0xff);
}

static void sja_test_operate(struct fixture *f, struct can_sim_sja1000 *sja,
			     u8 mode)
{
	sja_test_configure(sja);
	sja_test_write_reg(sja, SJA_MOD, mode);
	sja_test_write_reg(sja, SJA_IER, 0xff);
	sja_test_pass(f, FRAME_NS);
}

static void peer_on(struct fixture *f)
{
	unsigned long flags;

	f->peer.node.timing = f->chip.chip.node.timing;
	flags = can_sim_lock(&f->peer.node);
	can_sim_node_on(&f->peer.node);
	can_sim_unlock(&f->peer.node, flags);
	sja_test_pass(f, FRAME_NS);
}

/* A chip in operation, and a peer that acknowledges its frames */
static void sja_test_operate_with_peer(struct fixture *f)
{
	sja_test_operate(f, &f->chip, 0);
	peer_on(f);
}

static void peer_sends(struct fixture *f, const struct can_sim_frame *frame,
		       unsigned int times)
{
	unsigned long flags = can_sim_lock(&f->peer.node);

	f->peer.out = *frame;
	f->peer.to_send = times;
	can_sim_node_request(&f->peer.node);
	can_sim_unlock(&f->peer.node, flags);
}

/* Inject this error into each of the next frames. */
static void sja_test_disturb(struct fixture *f, enum can_sim_error_type type,
			     unsigned int frames)
{
	f->bus.inject.type = type;
	f->bus.inject.first = f->bus.inject.count;
	f->bus.inject.frames = frames;
}

/* Independent conversion of frames to bytes */

static unsigned int sja_test_data_len(const struct can_sim_frame *frame)
{
	if (frame->id & CAN_RTR_FLAG)
		return 0;
	return frame->dlc > 8 ? 8 : frame->dlc;
}

static unsigned int sja_test_frame_bytes(const struct can_sim_frame *frame,
					 u8 *bytes)
{
	bool rtr = frame->id & CAN_RTR_FLAG;
	unsigned int i, at;

	if (frame->id & CAN_EFF_FLAG) {
		bytes[0] = 0x80 | (rtr ? 0x40 : 0) | frame->dlc;
		bytes[1] = frame->id >> 21;
		bytes[2] = frame->id >> 13;
		bytes[3] = frame->id >> 5;
		bytes[4] = (frame->id & 0x1f) << 3 | (rtr ? 4 : 0);
		at = 5;
	} else {
		bytes[0] = (rtr ? 0x40 : 0) | frame->dlc;
		bytes[1] = frame->id >> 3;
		bytes[2] = (frame->id & 7) << 5 | (rtr ? 0x10 : 0);
		at = 3;
	}
	for (i = 0; i < sja_test_data_len(frame); i++)
		bytes[at++] = frame->data[i];
	return at;
}

static void sja_test_fill_buffer(struct can_sim_sja1000 *sja,
				 const struct can_sim_frame *frame)
{
	u8 bytes[SJA_BUFFER_BYTES];
	unsigned int i, count = sja_test_frame_bytes(frame, bytes);

	for (i = 0; i < count; i++)
		sja_test_write_reg(sja, SJA_BUFFER + i, bytes[i]);
}

static void sja_test_send(struct can_sim_sja1000 *sja,
			  const struct can_sim_frame *frame)
{
	sja_test_fill_buffer(sja, frame);
	sja_test_write_reg(sja, SJA_CMR, SJA_CMR_TR);
}

/* Chip and peer begin at the same time. */
static void sja_test_both_send(struct fixture *f,
			       const struct can_sim_frame *mine, u8 command,
			       const struct can_sim_frame *theirs,
			       unsigned int times)
{
	unsigned long flags;

	sja_test_fill_buffer(&f->chip, mine);
	flags = can_sim_lock(&f->peer.node);
	f->peer.out = *theirs;
	f->peer.to_send = times;
	can_sim_node_request(&f->peer.node);
	can_sim_sja1000_write(&f->chip, SJA_CMR, command);
	can_sim_unlock(&f->peer.node, flags);
}

static bool sja_test_window_shows(struct can_sim_sja1000 *sja,
				  const struct can_sim_frame *frame)
{
	u8 bytes[SJA_BUFFER_BYTES];
	unsigned int i, count = sja_test_frame_bytes(frame, bytes);

	for (i = 0; i < count; i++)
		if (sja_test_read_reg(sja, SJA_BUFFER + i) != bytes[i])
			return false;
	return true;
}

static struct can_sim_frame sja_test_random_frame(struct fixture *f)
{
	struct can_sim_frame frame = {};
	u32 chance = prandom_u32_state(&f->rnd);

	frame.id = prandom_u32_state(&f->rnd);
	frame.id &= chance & 1 ? CAN_EFF_MASK : CAN_SFF_MASK;
	frame.id |= chance & 1 ? CAN_EFF_FLAG : 0;
	frame.id |= chance & 6 ? 0 : CAN_RTR_FLAG;
	frame.dlc = chance >> 8 & 0xf;
	prandom_bytes_state(&f->rnd, frame.data, sizeof(frame.data));
	return frame;
}

static const struct can_sim_frame short_frame = { .id = 0x123 };
static const struct can_sim_frame a_frame = {
	.id = 0x2a5, .dlc = 3, .data = { 0x11, 0x22, 0x33 },
};

/* Reset values (6.4.2) */

struct reset_value {
	unsigned int reg;
	u8 value;
};

static const struct reset_value hardware_reset_values[] = {
	{ SJA_MOD, 0x01 }, { SJA_CMR, 0x00 }, { SJA_SR, 0x3c },
	{ SJA_IR, 0x00 }, { 5, 0x00 }, { 9, 0x00 }, { 10, 0x00 },
	{ SJA_ALC, 0x00 }, { SJA_ECC, 0x00 }, { SJA_EWLR, 96 },
	{ SJA_RXERR, 0x00 }, { SJA_TXERR, 0x00 }, { SJA_RMC, 0x00 },
	{ SJA_RBSA, 0x00 }, { SJA_CDR, 0x00 }, { 112, 0x00 }, { 127, 0x00 },
};

static void expect_hardware_reset(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hardware_reset_values); i++) {
		const struct reset_value *v = &hardware_reset_values[i];

		KUNIT_EXPECT_EQ_MSG(test, sja_test_read_reg(&f->chip, v->reg),
				    v->value, "register %u", v->reg);
	}
}

static void hardware_reset(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	expect_hardware_reset(test);

	sja_test_operate_with_peer(f);
	sja_test_disturb(f, CAN_SIM_CRC_ERROR, 20);
	peer_sends(f, &a_frame, 3);
	sja_test_pass(f, 50 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 3);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_RRB);

	flags = can_sim_lock(&f->chip.chip.node);
	can_sim_sja1000_reset(&f->chip);
	can_sim_unlock(&f->chip.chip.node, flags);
	KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
	expect_hardware_reset(test);
}

/* Registers that are writable in reset mode and keep their values in operation */
static const struct reset_value settings[] = {
	{ SJA_IER, 0xa5 }, { SJA_BTR0, 0xc3 }, { SJA_BTR1, 0x9c },
	{ SJA_OCR, 0x1a }, { SJA_EWLR, 200 }, { SJA_RXERR, 17 },
	{ SJA_TXERR, 33 }, { SJA_RBSA, 24 }, { SJA_CDR, 0xea },
	{ SJA_RAM + 63, 0x5a }, { SJA_RAM + 79, 0xa6 },
};

static void expect_settings(struct kunit *test, const char *when)
{
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(settings); i++)
		KUNIT_EXPECT_EQ_MSG(test, sja_test_read_reg(&f->chip, settings[i].reg),
				    settings[i].value, "register %u %s",
				    settings[i].reg, when);
}

static void sja_test_write_settings(struct fixture *f)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(settings); i++)
		sja_test_write_reg(&f->chip, settings[i].reg,
				   settings[i].value);
}

static void reset_mode_keeps_settings(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	sja_test_write_settings(f);
	expect_settings(test, "in reset mode");
	for (i = 0; i < SJA_FILTER_BYTES; i++)
		sja_test_write_reg(&f->chip, SJA_ACR + i, 0x70 + i);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_AFM | SJA_MOD_STM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD),
			SJA_MOD_AFM | SJA_MOD_STM);
	expect_settings(test, "in operation");

	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD),
			SJA_MOD_AFM | SJA_MOD_STM | SJA_MOD_RM);
	expect_settings(test, "in reset mode again");
	for (i = 0; i < SJA_FILTER_BYTES; i++)
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_ACR + i),
				0x70 + i);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_BUFFER + 8), 0);
}

static void operation_protects_settings(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int reg;
	u8 before;

	sja_test_operate(f, &f->chip, 0);
	for (reg = SJA_BTR0; reg < SJA_RAM + SJA_RAM_BYTES; reg++) {
		if ((reg >= SJA_BUFFER &&
		     reg < SJA_BUFFER + SJA_BUFFER_BYTES) ||
		    reg >= SJA_RAM + SJA_RAM_TX)
			continue;
		before = sja_test_read_reg(&f->chip, reg);
		sja_test_write_reg(&f->chip, reg, ~before);
		KUNIT_EXPECT_EQ_MSG(test, sja_test_read_reg(&f->chip, reg),
				    reg == SJA_CDR ? before | SJA_CDR_CD :
						     before,
				    "register %u", reg);
	}
	sja_test_write_reg(&f->chip, SJA_SR, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), 0x0c);
	sja_test_write_reg(&f->chip, SJA_MOD,
			   SJA_MOD_AFM | SJA_MOD_STM | SJA_MOD_LOM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), 0);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_AFM | SJA_MOD_STM | SJA_MOD_LOM |
			   SJA_MOD_RM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), SJA_MOD_RM);
}

static void needs_pelican_mode(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_configure(&f->chip);
	sja_test_write_reg(&f->chip, SJA_CDR, 0x10);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_CDR), 0);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), SJA_MOD_RM);
	sja_test_write_reg(&f->chip, SJA_CDR, SJA_CDR_PELICAN);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), 0);
}

static void bit_timing(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct can_sim_timing *timing = &f->chip.chip.node.timing;

	sja_test_write_reg(&f->chip, SJA_BTR0, 0x80 | 39);
	sja_test_write_reg(&f->chip, SJA_BTR1, 0x80 | 0x20 | 12);
	KUNIT_EXPECT_EQ(test, timing->clock, 8000000);
	KUNIT_EXPECT_EQ(test, timing->brp, 40);
	KUNIT_EXPECT_EQ(test, timing->sjw, 3);
	KUNIT_EXPECT_EQ(test, timing->seg1, 13);
	KUNIT_EXPECT_EQ(test, timing->seg2, 3);
	f->chip.crystal = 24000000;
	sja_test_write_reg(&f->chip, SJA_BTR0, 0);
	KUNIT_EXPECT_EQ(test, timing->clock, 12000000);
	KUNIT_EXPECT_EQ(test, timing->brp, 1);
}

/* Interrupts (6.4.6, 6.4.7) */

static void cause_receive(struct fixture *f)
{
	peer_sends(f, &a_frame, 1);
	sja_test_pass(f, FRAME_NS);
}

static void cause_transmit(struct fixture *f)
{
	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, FRAME_NS);
}

static void cause_warning(struct fixture *f)
{
	sja_test_disturb(f, CAN_SIM_BIT_ERROR, 12);
	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, 11 * FRAME_NS);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_AT);
	sja_test_pass(f, 2 * FRAME_NS);
}

static void cause_overrun(struct fixture *f)
{
	peer_sends(f, &short_frame, 22);
	sja_test_pass(f, 23 * FRAME_NS);
}

static void cause_wake_up(struct fixture *f)
{
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_SM);
	sja_test_pass(f, FRAME_NS);
	peer_sends(f, &a_frame, 1);
	sja_test_pass(f, FRAME_NS);
}

static void cause_passive(struct fixture *f)
{
	sja_test_disturb(f, CAN_SIM_BIT_ERROR, 16);
	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, 20 * FRAME_NS);
}

static void cause_lost_arbitration(struct fixture *f)
{
	sja_test_both_send(f, &a_frame, SJA_CMR_TR, &short_frame, 1);
	sja_test_pass(f, 2 * FRAME_NS);
}

static void cause_bus_error(struct fixture *f)
{
	sja_test_disturb(f, CAN_SIM_CRC_ERROR, 1);
	peer_sends(f, &a_frame, 1);
	sja_test_pass(f, 2 * FRAME_NS);
}

static const struct interrupt_case {
	const char *name;
	u8 bit;
	void (*cause)(struct fixture *f);
} interrupt_cases[] = {
	{ "RI", SJA_IR_RI, cause_receive },
	{ "TI", SJA_IR_TI, cause_transmit },
	{ "EI", SJA_IR_EI, cause_warning },
	{ "DOI", SJA_IR_DOI, cause_overrun },
	{ "WUI", SJA_IR_WUI, cause_wake_up },
	{ "EPI", SJA_IR_EPI, cause_passive },
	{ "ALI", SJA_IR_ALI, cause_lost_arbitration },
	{ "BEI", SJA_IR_BEI, cause_bus_error },
};

KUNIT_ARRAY_PARAM_DESC(interrupt, interrupt_cases, name);

static void interrupt_if_enabled(struct kunit *test)
{
	const struct interrupt_case *c = test->param_value;
	struct fixture *f = test->priv;
	u8 stays = c->bit & SJA_IR_RI;

	sja_test_operate_with_peer(f);
	sja_test_write_reg(&f->chip, SJA_IER, c->bit);
	KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
	c->cause(f);
	KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), c->bit);
	KUNIT_EXPECT_EQ(test, f->chip.interrupting, !!stays);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), stays);
}

static void no_interrupt_if_disabled(struct kunit *test)
{
	const struct interrupt_case *c = test->param_value;
	struct fixture *f = test->priv;
	u8 stays = c->bit & SJA_IR_RI;

	sja_test_operate_with_peer(f);
	sja_test_write_reg(&f->chip, SJA_IER, 0xff & ~c->bit);
	c->cause(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR) & c->bit, 0);
	sja_test_write_reg(&f->chip, SJA_IER, c->bit);
	KUNIT_EXPECT_EQ(test, f->chip.interrupting, !!stays);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), stays);
}

static void interrupt_line_follows_enable(struct kunit *test)
{
	const struct interrupt_case *c = test->param_value;
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	c->cause(f);
	sja_test_write_reg(&f->chip, SJA_IER, 0);
	KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
	sja_test_write_reg(&f->chip, SJA_IER, c->bit);
	KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR) & c->bit,
			c->bit);
}

/* Only EI stays set when reset mode is entered (6.4.2). */
static void reset_mode_clears_interrupt(struct kunit *test)
{
	const struct interrupt_case *c = test->param_value;
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	c->cause(f);
	sja_test_write_reg(&f->chip, SJA_IER, c->bit);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	KUNIT_EXPECT_EQ(test, f->chip.interrupting, c->bit == SJA_IR_EI);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR) & c->bit,
			c->bit & SJA_IR_EI);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) &
			(SJA_SR_DOS | SJA_SR_RBS), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 0);
}

/* Status register (6.4.5) */

#define SR_TRANSFER (SJA_SR_TS | SJA_SR_RS)
#define SR_BUFFER (SJA_SR_TCS | SJA_SR_TBS)

static void status_of_transfers(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_configure(&f->chip);
	peer_on(f);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	sja_test_pass(f, 11 * BIT_NS - 1);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SR_TRANSFER | SR_BUFFER);
	sja_test_pass(f, 1);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SR_BUFFER);

	sja_test_send(&f->chip, &a_frame);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SJA_SR_TS);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SR_BUFFER);

	peer_sends(f, &a_frame, 1);
	sja_test_pass(f, 20 * BIT_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SJA_SR_RS | SR_BUFFER);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SR_BUFFER | SJA_SR_RBS);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_RRB);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SR_BUFFER);
}

/* The chip is switched on during a frame, and waits for its end. */
static void status_in_the_middle_of_a_frame(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_configure(&f->chip);
	sja_test_configure(&f->other);
	sja_test_write_reg(&f->other, SJA_MOD, 0);
	peer_on(f);
	peer_sends(f, &a_frame, 2);
	sja_test_pass(f, 5 * BIT_NS);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	sja_test_pass(f, 30 * BIT_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SR_TRANSFER | SR_BUFFER);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 0);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 1);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->other, SJA_RMC), 2);
}

static void loser_of_arbitration_receives(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_both_send(f, &a_frame, SJA_CMR_TR, &short_frame, 1);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SJA_SR_TS);
	sja_test_pass(f, 20 * BIT_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SJA_SR_RS);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SJA_SR_RBS);
	KUNIT_EXPECT_TRUE(test, sja_test_window_shows(&f->chip, &short_frame));
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SR_BUFFER | SJA_SR_RBS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
	KUNIT_EXPECT_MEMEQ(test, &f->peer.in, &a_frame, sizeof(a_frame));
}

/* Transmit buffer (6.4.13) */

static void transmit_buffer_is_locked(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_send(&f->chip, &a_frame);
	sja_test_write_reg(&f->chip, SJA_BUFFER + 1, 0xff);
	sja_test_write_reg(&f->chip, SJA_BUFFER + 4, 0xff);
	KUNIT_EXPECT_EQ(test,
			sja_test_read_reg(&f->chip, SJA_RAM + SJA_RAM_TX + 4),
			0x22);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_MEMEQ(test, &f->peer.in, &a_frame, sizeof(a_frame));
	sja_test_write_reg(&f->chip, SJA_BUFFER + 4, 0xff);
	KUNIT_EXPECT_EQ(test,
			sja_test_read_reg(&f->chip, SJA_RAM + SJA_RAM_TX + 4),
			0xff);
}

static void buffer_is_read_back(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	sja_test_operate(f, &f->chip, 0);
	for (i = 0; i < SJA_BUFFER_BYTES; i++)
		sja_test_write_reg(&f->chip, SJA_BUFFER + i, 0xc0 + i);
	for (i = 0; i < SJA_BUFFER_BYTES; i++)
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, 96 + i),
				0xc0 + i);
}

static void random_frames_are_sent(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	sja_test_operate_with_peer(f);
	for (i = 0; i < 500; i++) {
		struct can_sim_frame frame = sja_test_random_frame(f);

		sja_test_send(&f->chip, &frame);
		sja_test_pass_frame(f);
		KUNIT_ASSERT_EQ(test, f->peer.got, i + 1);
		KUNIT_ASSERT_EQ(test, f->peer.in.id, frame.id);
		KUNIT_ASSERT_EQ(test, f->peer.in.dlc, frame.dlc);
		KUNIT_ASSERT_MEMEQ(test, f->peer.in.data, frame.data,
				   sja_test_data_len(&frame));
	}
}

/* Commands (6.4.4) */

static void abort_waiting_frame(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	peer_sends(f, &short_frame, 1);
	sja_test_pass(f, 5 * BIT_NS);
	sja_test_send(&f->chip, &a_frame);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SJA_SR_RS);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_AT);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SJA_SR_RS | SJA_SR_TBS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_TI);
	sja_test_pass(f, 10 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SJA_SR_TBS | SJA_SR_RBS);
}

static void abort_does_not_stop_a_frame(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, 5 * BIT_NS);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_AT);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SJA_SR_TS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), 0);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SR_BUFFER);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_TI);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
}

static void abort_ends_retransmission(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_disturb(f, CAN_SIM_BIT_ERROR, 1);
	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, 5 * BIT_NS);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_AT);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SR_BUFFER,
			SJA_SR_TBS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR),
			SJA_IR_TI | SJA_IR_BEI);
	sja_test_pass(f, 10 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
}

static void abort_during_arbitration(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_both_send(f, &a_frame, SJA_CMR_TR, &short_frame, 1);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_AT);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SJA_SR_TS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), 0);
	sja_test_pass(f, 20 * BIT_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SJA_SR_RS | SJA_SR_TBS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR),
			SJA_IR_TI | SJA_IR_ALI);
	sja_test_pass(f, 10 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
}

/* An abort without a transmission has no effect on the next transmission. */
static void abort_without_request(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_AT);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), 0);
	sja_test_disturb(f, CAN_SIM_BIT_ERROR, 1);
	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, 10 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
}

static void sja_test_single_shot(struct fixture *f)
{
	sja_test_fill_buffer(&f->chip, &a_frame);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_TR | SJA_CMR_AT);
	sja_test_pass(f, 10 * FRAME_NS);
}

static void single_shot_succeeds(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_single_shot(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SR_BUFFER);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_TI);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
}

static void single_shot_without_acknowledgment(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate(f, &f->chip, 0);
	sja_test_single_shot(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SJA_SR_TBS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR),
			SJA_IR_TI | SJA_IR_BEI);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 8);
	KUNIT_EXPECT_EQ(test, f->bus.records, 1);
}

static void single_shot_loses_arbitration(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_both_send(f, &a_frame, SJA_CMR_TR | SJA_CMR_AT, &short_frame,
			   1);
	sja_test_pass(f, 10 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SJA_SR_TBS | SJA_SR_RBS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR),
			SJA_IR_TI | SJA_IR_ALI | SJA_IR_RI);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);

	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
}

/* An error in a frame of another node does not end the transmission. */
static void single_shot_waits(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_disturb(f, CAN_SIM_CRC_ERROR, 1);
	peer_sends(f, &a_frame, 1);
	sja_test_pass(f, 20 * BIT_NS);
	sja_test_fill_buffer(&f->chip, &short_frame);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_TR | SJA_CMR_AT);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_BEI);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_TI);
	KUNIT_EXPECT_MEMEQ(test, &f->peer.in, &short_frame,
			   sizeof(short_frame));
}

static void lost_arbitration_is_tried_again(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_both_send(f, &a_frame, SJA_CMR_TR, &short_frame, 5);
	sja_test_pass(f, 10 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SR_BUFFER | SJA_SR_RBS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 5);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
}

static void nothing_is_sent_in_reset_mode(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_fill_buffer(&f->chip, &a_frame);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_TR);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SR_TRANSFER | SR_BUFFER);
	sja_test_pass(f, 10 * FRAME_NS);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	sja_test_pass(f, 10 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
}

static void reset_mode_ends_transmission(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, 10 * BIT_NS);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SR_TRANSFER | SJA_SR_TBS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), 0);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	sja_test_pass(f, 10 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SJA_SR_TBS);
}

/* Self reception, self test and listen-only mode (6.4.3, 6.4.4) */

static void self_reception(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_fill_buffer(&f->chip, &a_frame);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_SRR);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SJA_SR_TS);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR),
			SJA_IR_TI | SJA_IR_RI);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 1);
	KUNIT_EXPECT_TRUE(test, sja_test_window_shows(&f->chip, &a_frame));
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
	sja_test_write_reg(&f->chip, SJA_CMR,
			   SJA_CMR_TR | SJA_CMR_SRR | SJA_CMR_RRB);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_TI);
	KUNIT_EXPECT_EQ(test, f->peer.got, 2);
}

static void self_reception_is_filtered(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_configure(&f->chip);
	sja_test_write_reg(&f->chip, SJA_ACR, short_frame.id >> 3);
	sja_test_write_reg(&f->chip, SJA_AMR, 0);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_AFM);
	peer_on(f);
	sja_test_fill_buffer(&f->chip, &a_frame);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_SRR);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 0);
	sja_test_fill_buffer(&f->chip, &short_frame);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_SRR);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 1);
	KUNIT_EXPECT_TRUE(test, sja_test_window_shows(&f->chip, &short_frame));
}

static void self_reception_without_room(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	peer_sends(f, &short_frame, 21);
	sja_test_pass(f, 22 * FRAME_NS);
	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SR_BUFFER | SJA_SR_RBS);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_SRR);
	sja_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SR_BUFFER | SJA_SR_RBS | SJA_SR_DOS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 21);
	KUNIT_EXPECT_TRUE(test, sja_test_window_shows(&f->chip, &short_frame));
}

static void self_reception_single_shot(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate(f, &f->chip, 0);
	sja_test_fill_buffer(&f->chip, &a_frame);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_SRR | SJA_CMR_AT);
	sja_test_pass(f, 10 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SJA_SR_TBS);
	KUNIT_EXPECT_EQ(test, f->bus.records, 1);
}

/* A frame that was sent is in the free part of the FIFO (6.4.2). */
static void sent_frame_is_seen_in_the_window(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_send(&f->chip, &a_frame);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 0);
	KUNIT_EXPECT_TRUE(test, sja_test_window_shows(&f->chip, &a_frame));
	cause_receive(f);
	sja_test_send(&f->chip, &short_frame);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 1);
	KUNIT_EXPECT_TRUE(test, sja_test_window_shows(&f->chip, &a_frame));
}

static void self_test_needs_no_acknowledgment(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate(f, &f->chip, SJA_MOD_STM);
	sja_test_fill_buffer(&f->chip, &a_frame);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_SRR);
	sja_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR),
			SJA_IR_TI | SJA_IR_RI);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SR_BUFFER | SJA_SR_RBS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 0);
}

static void listen_only(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate(f, &f->chip, SJA_MOD_LOM);
	sja_test_operate(f, &f->other, 0);
	sja_test_send(&f->other, &a_frame);
	sja_test_pass_frame(f);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->other, SJA_TXERR), 16);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RXERR), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_BEI);

	peer_on(f);
	sja_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 1);
	KUNIT_EXPECT_TRUE(test, sja_test_window_shows(&f->chip, &a_frame));

	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, 10 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SJA_SR_RBS);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_AT);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SJA_SR_RBS | SJA_SR_TBS);
}

/* Sleep mode (6.4.3) */

static void sleep_until_bus_activity(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_SM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), SJA_MOD_SM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), 0);
	sja_test_pass(f, FRAME_NS);

	peer_sends(f, &a_frame, 1);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 1);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_WUI);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RXERR), 0);
	sja_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 1);
}

static void driver_ends_sleep(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate(f, &f->other, 0);
	sja_test_operate_with_peer(f);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_SM);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_WUI);
	sja_test_pass(f, FRAME_NS);
	cause_receive(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 1);

	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_RRB);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_SM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), SJA_MOD_SM);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), SJA_MOD_RM);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM | SJA_MOD_SM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), SJA_MOD_RM);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_SM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), 0);
}

static void frame_that_wakes_is_not_received(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate(f, &f->other, 0);
	sja_test_operate_with_peer(f);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_SM);
	sja_test_pass(f, FRAME_NS);
	peer_sends(f, &a_frame, 2);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 1);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_WUI);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 0);
	sja_test_pass(f, FRAME_NS);
	peer_sends(f, &a_frame, 1);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 1);
}

static void expect_no_sleep(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_SM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR) & SJA_IR_WUI,
			SJA_IR_WUI);
}

static void no_sleep_while_busy(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_configure(&f->chip);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	sja_test_write_reg(&f->chip, SJA_IER, SJA_IR_WUI);
	expect_no_sleep(test);
	peer_on(f);

	peer_sends(f, &a_frame, 1);
	sja_test_pass(f, 20 * BIT_NS);
	expect_no_sleep(test);
	sja_test_pass_frame(f);
	expect_no_sleep(test);
	sja_test_pass(f, FRAME_NS);
	sja_test_write_reg(&f->chip, SJA_IER, SJA_IR_WUI | SJA_IR_RI);
	expect_no_sleep(test);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_RRB);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_SM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), SJA_MOD_SM);
}

/* Receive FIFO (6.4.14) */

static void expect_window(struct kunit *test, const struct can_sim_frame *frame)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_TRUE_MSG(test, sja_test_window_shows(&f->chip, frame),
			      "id %x dlc %u", frame->id, frame->dlc);
}

/* Frames of equal length differ in their identifiers. */
static void sja_test_fill_fifo(struct kunit *test, struct can_sim_frame frame,
			       unsigned int bytes)
{
	struct fixture *f = test->priv;
	unsigned int fit = 64 / bytes, i;

	for (i = 0; i < fit; i++, frame.id++) {
		peer_sends(f, &frame, 1);
		sja_test_pass_frame(f);
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC),
				i + 1);
	}
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_DOS,
			0);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.high, fit * bytes);
	peer_sends(f, &frame, 1);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ_MSG(test,
			    sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_DOS,
			    SJA_SR_DOS, "%u frames of %u bytes", fit, bytes);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), fit);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.overruns, 1);

	frame.id -= fit;
	for (i = 0; i < fit; i++, frame.id++) {
		expect_window(test, &frame);
		sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_RRB);
	}
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 0);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_CDO);
	f->chip.chip.node.stats.overruns = 0;
	f->chip.chip.node.stats.high = 0;
}

/* Number of frames in 64 bytes, for each number of data bytes (figure 8) */
static void fifo_capacity(struct kunit *test)
{
	static const u8 standard[] = { 21, 16, 12, 10, 9, 8, 7, 6, 5 };
	static const u8 extended[] = { 12, 10, 9, 8, 7, 6, 5, 5, 4 };
	struct fixture *f = test->priv;
	struct can_sim_frame frame;
	unsigned int dlc, len;

	sja_test_operate_with_peer(f);
	for (dlc = 0; dlc <= 15; dlc++) {
		frame = sja_test_random_frame(f);
		frame.id = 0x100;
		frame.dlc = dlc;
		len = min(dlc, 8u);
		KUNIT_EXPECT_EQ(test, 64 / (3 + len), standard[len]);
		sja_test_fill_fifo(test, frame, 3 + len);
		frame.id = 0x100 | CAN_RTR_FLAG;
		sja_test_fill_fifo(test, frame, 3);
		frame.id = 0x100 | CAN_EFF_FLAG;
		KUNIT_EXPECT_EQ(test, 64 / (5 + len), extended[len]);
		sja_test_fill_fifo(test, frame, 5 + len);
		frame.id = 0x100 | CAN_EFF_FLAG | CAN_RTR_FLAG;
		sja_test_fill_fifo(test, frame, 5);
	}
}

static void fifo_holds_exactly_64_bytes(struct kunit *test)
{
	struct can_sim_frame frame = { .id = 0x7ff | CAN_EFF_FLAG, .dlc = 8 };
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	peer_sends(f, &frame, 4);
	sja_test_pass(f, 5 * FRAME_NS);
	frame.dlc = 7;
	peer_sends(f, &frame, 1);
	sja_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.high, 64);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_DOS,
			0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 5);
	peer_sends(f, &short_frame, 1);
	sja_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_DOS,
			SJA_SR_DOS);
}

static void overrun_lasts_until_cleared(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	cause_overrun(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR),
			SJA_IR_DOI | SJA_IR_RI);
	cause_receive(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_RI);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.overruns, 2);

	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_RRB);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 20);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SR_BUFFER | SJA_SR_DOS | SJA_SR_RBS);
	peer_sends(f, &short_frame, 1);
	sja_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 21);

	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_CDO);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SR_BUFFER | SJA_SR_RBS);
	cause_receive(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR),
			SJA_IR_DOI | SJA_IR_RI);
}

static void broken_frame_is_no_overrun(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	peer_sends(f, &short_frame, 21);
	sja_test_pass(f, 22 * FRAME_NS);
	sja_test_disturb(f, CAN_SIM_CRC_ERROR, 1);
	peer_sends(f, &short_frame, 1);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_DOS,
			0);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_DOS,
			SJA_SR_DOS);
}

static void release_of_empty_buffer(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	cause_receive(f);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_RRB);
	KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RBSA), 6);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_RRB);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RBSA), 6);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 0);
	cause_receive(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 1);
	expect_window(test, &a_frame);
}

/* The window shows the RAM from RBSA on; address 0 follows 63. */
static void window_is_circular(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int at = 0, i, k, bytes;
	u8 expected[SJA_BUFFER_BYTES];

	sja_test_operate_with_peer(f);
	for (i = 0; i < 300; i++) {
		struct can_sim_frame frame = sja_test_random_frame(f);

		peer_sends(f, &frame, 1);
		sja_test_pass_frame(f);
		expect_window(test, &frame);
		KUNIT_ASSERT_EQ(test, sja_test_read_reg(&f->chip, SJA_RBSA),
				at);
		bytes = sja_test_frame_bytes(&frame, expected);
		for (k = 0; k < bytes; k++)
			KUNIT_ASSERT_EQ(test, expected[k],
					sja_test_read_reg(&f->chip, 32 + (at + k) % 64));
		sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_RRB);
		at = (at + bytes) % 64;
	}
}

static void reset_mode_keeps_start_address(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	peer_sends(f, &a_frame, 3);
	sja_test_pass(f, 4 * FRAME_NS);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_RRB);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RBSA), 6);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	sja_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 0);
	expect_window(test, &a_frame);
	peer_sends(f, &short_frame, 1);
	sja_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 1);
	expect_window(test, &short_frame);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, 32 + 6),
			short_frame.dlc);

	/* the data sheet's example */
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	sja_test_write_reg(&f->chip, SJA_RBSA, 24);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	sja_test_pass(f, FRAME_NS);
	cause_receive(f);
	expect_window(test, &a_frame);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, 56), a_frame.dlc);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, 57), a_frame.id >> 3);
}

/* Acceptance filter (6.4.15): the figures of the data sheet, bit by bit */

struct bits {
	bool bit[32];
	unsigned int count;
};

static void sja_test_add_bits(struct bits *bits, u32 value, unsigned int count)
{
	while (count--)
		bits->bit[bits->count++] = value >> count & 1;
}

/* Bits of the frame, in the order of @bits, against bits of code and mask. */
static bool sja_test_bits_match(const u8 *filter, const struct bits *bits,
				const u8 *at)
{
	unsigned int i;

	for (i = 0; i < bits->count; i++) {
		u8 mask = 0x80 >> at[i] % 8;
		bool code = filter[at[i] / 8] & mask;
		bool any = filter[4 + at[i] / 8] & mask;

		if (!any && code != bits->bit[i])
			return false;
	}
	return true;
}

static bool naive_range(const u8 *filter, const struct bits *bits,
			unsigned int first)
{
	u8 at[32];
	unsigned int i;

	for (i = 0; i < bits->count; i++)
		at[i] = first + i;
	return sja_test_bits_match(filter, bits, at);
}

static bool naive_extended(const u8 *filter, bool single,
			   const struct can_sim_frame *frame)
{
	struct bits bits = {};

	if (!single) {
		sja_test_add_bits(&bits, (frame->id & CAN_EFF_MASK) >> 13, 16);
		return naive_range(filter, &bits, 0) ||
		       naive_range(filter, &bits, 16);
	}
	sja_test_add_bits(&bits, frame->id & CAN_EFF_MASK, 29);
	sja_test_add_bits(&bits, !!(frame->id & CAN_RTR_FLAG), 1);
	return naive_range(filter, &bits, 0);
}

static bool naive_standard(const u8 *filter, bool single,
			   const struct can_sim_frame *frame)
{
	/* identifier, RTR and data; the second half of the data is at another
	 * position
	 */
	static const u8 first_of_two[] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		28, 29, 30, 31,
	};
	struct bits head = {}, data = {}, all;

	sja_test_add_bits(&head, frame->id & CAN_SFF_MASK, 11);
	sja_test_add_bits(&head, !!(frame->id & CAN_RTR_FLAG), 1);
	all = head;
	if (!single) {
		if (sja_test_data_len(frame))
			sja_test_add_bits(&all, frame->data[0], 8);
		return sja_test_bits_match(filter, &all, first_of_two) ||
		       naive_range(filter, &head, 16);
	}
	if (sja_test_data_len(frame) > 0)
		sja_test_add_bits(&data, frame->data[0], 8);
	if (sja_test_data_len(frame) > 1)
		sja_test_add_bits(&data, frame->data[1], 8);
	return naive_range(filter, &head, 0) && naive_range(filter, &data, 16);
}

/* A filter that accepts about half of such frames */
static void sja_test_random_filter(struct fixture *f, u8 *filter,
				   const struct can_sim_frame *frame)
{
	u8 bytes[SJA_BUFFER_BYTES] = {};
	unsigned int i;

	sja_test_frame_bytes(frame, bytes);
	for (i = 0; i < 4; i++) {
		filter[i] = prandom_u32_state(&f->rnd) % 4 ? bytes[1 + i % 2] :
			    prandom_u32_state(&f->rnd);
		filter[4 + i] = prandom_u32_state(&f->rnd) |
				prandom_u32_state(&f->rnd) |
				prandom_u32_state(&f->rnd);
	}
}

static void sja_test_set_filter(struct fixture *f, const u8 *filter, u8 mode)
{
	unsigned int i;

	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	for (i = 0; i < SJA_FILTER_BYTES; i++)
		sja_test_write_reg(&f->chip, SJA_ACR + i, filter[i]);
	sja_test_write_reg(&f->chip, SJA_MOD, mode);
	sja_test_pass(f, 20 * BIT_NS);
}

static void filters_follow_the_data_sheet(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i, accepted = 0, count = 8000;
	u8 filter[SJA_FILTER_BYTES];

	sja_test_operate_with_peer(f);
	for (i = 0; i < count; i++) {
		struct can_sim_frame frame = sja_test_random_frame(f);
		bool single = i & 1, expected;

		sja_test_random_filter(f, filter, &frame);
		sja_test_set_filter(f, filter, single ? SJA_MOD_AFM : 0);
		peer_sends(f, &frame, 1);
		sja_test_pass_frame(f);
		expected = frame.id & CAN_EFF_FLAG ?
			   naive_extended(filter, single, &frame) :
			   naive_standard(filter, single, &frame);
		KUNIT_ASSERT_EQ_MSG(test, sja_test_read_reg(&f->chip, SJA_RMC),
				    expected,
				    "%s filter %8ph, id %x, dlc %x, data %2ph",
				    single ? "single" : "dual", filter,
				    frame.id, frame.dlc, frame.data);
		accepted += expected;
	}
	KUNIT_EXPECT_GT(test, accepted, count / 5);
	KUNIT_EXPECT_LT(test, accepted, count - count / 5);
}

/* Captured events (6.4.8, 6.4.9) */

static void expect_lost_at(struct kunit *test, u32 mine, u32 theirs, u8 bit)
{
	struct fixture *f = test->priv;
	struct can_sim_frame my_frame = { .id = mine };
	struct can_sim_frame their_frame = { .id = theirs };

	sja_test_both_send(f, &my_frame, SJA_CMR_TR, &their_frame, 1);
	sja_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR) & SJA_IR_ALI,
			SJA_IR_ALI);
	KUNIT_EXPECT_EQ_MSG(test, sja_test_read_reg(&f->chip, SJA_ALC), bit,
			    "%x against %x", mine, theirs);
	sja_test_write_reg(&f->chip, SJA_CMR, SJA_CMR_RRB);
}

static void arbitration_lost_capture(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 ext = CAN_EFF_FLAG;

	sja_test_operate_with_peer(f);
	expect_lost_at(test, 0x400, 0x000, 0);
	expect_lost_at(test, 0x7ff, 0x3ff, 0);
	expect_lost_at(test, 0x555, 0x554, 10);
	expect_lost_at(test, 0x555 | CAN_RTR_FLAG, 0x555, 11);
	expect_lost_at(test, ext | 0x555 << 18, 0x555, 11);
	expect_lost_at(test, ext | 0x555 << 18, 0x555 | CAN_RTR_FLAG, 12);
	expect_lost_at(test, ext | 0x20000, ext, 13);
	expect_lost_at(test, ext | 1, ext, 30);
	expect_lost_at(test, ext | CAN_RTR_FLAG, ext, 31);
}

static void arbitration_lost_capture_is_kept(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct can_sim_frame mine = { .id = 0x555 };
	struct can_sim_frame theirs = { .id = 0x554 };

	sja_test_operate_with_peer(f);
	sja_test_write_reg(&f->chip, SJA_IER, 0);
	sja_test_both_send(f, &mine, SJA_CMR_TR, &short_frame, 1);
	sja_test_pass(f, 3 * FRAME_NS);
	sja_test_write_reg(&f->chip, SJA_IER, 0xff);

	/* captured without an interrupt, so there is none now */
	sja_test_both_send(f, &mine, SJA_CMR_TR, &theirs, 1);
	sja_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR) & SJA_IR_ALI,
			0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_ALC), 0);
	expect_lost_at(test, 0x555, 0x554, 10);

	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_ALC), 10);
}

static const struct ecc_case {
	const char *name;
	enum can_sim_error_type type;
	bool transmits;
	u8 ecc;
} ecc_cases[] = {
	{ "no ACK", CAN_SIM_ACK_ERROR, true, 0xc0 | 0x19 },
	{ "form error", CAN_SIM_FORM_ERROR, false, 0x40 | 0x20 | 0x18 },
	{ "checksum", CAN_SIM_CRC_ERROR, false, 0xc0 | 0x20 | 0x1b },
	{ "stuff error", CAN_SIM_STUFF_ERROR, false, 0x80 | 0x20 | 0x0a },
	{ "bit error", CAN_SIM_BIT_ERROR, true, 0x0a },
};

KUNIT_ARRAY_PARAM_DESC(ecc, ecc_cases, name);

/* The data makes both stuff bits and other bits likely. */
static void error_is_captured(struct kunit *test)
{
	const struct ecc_case *c = test->param_value;
	struct can_sim_frame frame = { .id = 0x555, .dlc = 8 };
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	f->bus.inject.bit = c->type == CAN_SIM_BIT_ERROR ? 50 : -1;
	sja_test_disturb(f, c->type, 1);
	if (c->transmits)
		sja_test_send(&f->chip, &frame);
	else
		peer_sends(f, &frame, 1);
	sja_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR) & SJA_IR_BEI,
			SJA_IR_BEI);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_ECC), c->ecc);
}

static void error_code_capture_is_kept(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	cause_bus_error(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR) & SJA_IR_BEI,
			SJA_IR_BEI);
	sja_test_disturb(f, CAN_SIM_ACK_ERROR, 1);
	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR) & SJA_IR_BEI,
			0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_ECC), 0xfb);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_ECC), 0xfb);

	sja_test_disturb(f, CAN_SIM_ACK_ERROR, 1);
	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR) & SJA_IR_BEI,
			SJA_IR_BEI);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_ECC), 0xd9);
}

/* Error counters, warnings and bus off (6.4.10 to 6.4.12) */

static void counters_up_and_down(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	sja_test_operate_with_peer(f);
	sja_test_disturb(f, CAN_SIM_BIT_ERROR, 3);
	sja_test_send(&f->chip, &a_frame);
	for (i = 1; i <= 3; i++) {
		sja_test_pass_frame(f);
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR),
				8 * i);
	}
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 23);

	sja_test_disturb(f, CAN_SIM_CRC_ERROR, 2);
	peer_sends(f, &a_frame, 1);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RXERR), 1);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RXERR), 2);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RXERR), 1);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 23);
}

/* A single node becomes error passive, but not bus off. */
static void warning_and_passive(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	sja_test_operate(f, &f->chip, 0);
	sja_test_send(&f->chip, &a_frame);
	for (i = 1; i <= 16; i++) {
		u8 status, expected = SJA_IR_BEI;

		sja_test_pass_frame(f);
		status = sja_test_read_reg(&f->chip, SJA_SR) & (SJA_SR_BS | SJA_SR_ES);
		expected |= i == 12 ? SJA_IR_EI : 0;
		expected |= i == 16 ? SJA_IR_EPI : 0;
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR),
				8 * i);
		KUNIT_EXPECT_EQ(test, status, i >= 12 ? SJA_SR_ES : 0);
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR),
				expected);
		sja_test_read_reg(&f->chip, SJA_ECC);
	}
	sja_test_pass(f, 10 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 128);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_BEI);
}

/* Both interrupts also occur when the counters decrease. */
static void back_to_error_active(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	sja_test_operate(f, &f->chip, 0);
	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, 30 * FRAME_NS);
	peer_on(f);
	sja_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 127);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR),
			SJA_IR_EPI | SJA_IR_EI | SJA_IR_TI | SJA_IR_BEI);
	for (i = 126; i >= 95; i--) {
		sja_test_send(&f->chip, &a_frame);
		sja_test_pass(f, FRAME_NS);
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR),
				i);
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR),
				SJA_IR_TI | (i == 95 ? SJA_IR_EI : 0));
	}
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR), SR_BUFFER);
}

static void sja_test_set_rxerr(struct fixture *f, u8 value)
{
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	sja_test_write_reg(&f->chip, SJA_RXERR, value);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	sja_test_pass(f, FRAME_NS);
	sja_test_read_reg(&f->chip, SJA_IR);
}

static void sja_test_receive_error(struct kunit *test, u8 rxerr, u8 interrupt)
{
	struct fixture *f = test->priv;

	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RXERR), rxerr);
	KUNIT_EXPECT_EQ_MSG(test, sja_test_read_reg(&f->chip, SJA_IR),
			    interrupt, "RXERR %u", rxerr);
}

static void receiver_becomes_passive(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_write_reg(&f->chip, SJA_IER, SJA_IR_EPI | SJA_IR_EI);
	sja_test_set_rxerr(f, 94);
	sja_test_disturb(f, CAN_SIM_CRC_ERROR, 2);
	peer_sends(f, &a_frame, 1);
	sja_test_receive_error(test, 95, 0);
	sja_test_receive_error(test, 96, SJA_IR_EI);
	sja_test_receive_error(test, 95, SJA_IR_EI);
	sja_test_set_rxerr(f, 126);
	sja_test_disturb(f, CAN_SIM_CRC_ERROR, 2);
	peer_sends(f, &a_frame, 1);
	sja_test_receive_error(test, 127, 0);
	sja_test_receive_error(test, 128, SJA_IR_EPI);
	sja_test_receive_error(test, 127, SJA_IR_EPI);
}

/* New values of limit and counters take effect when reset mode is left. */
static void written_counters_take_effect_in_operation(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate(f, &f->chip, 0);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	sja_test_write_reg(&f->chip, SJA_RXERR, 140);
	sja_test_write_reg(&f->chip, SJA_TXERR, 10);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_ES,
			0);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR),
			SJA_IR_EI | SJA_IR_EPI);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_ES,
			SJA_SR_ES);

	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	sja_test_write_reg(&f->chip, SJA_EWLR, 141);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_ES,
			SJA_SR_ES);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_EI);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_ES,
			0);

	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	sja_test_write_reg(&f->chip, SJA_RXERR, 0);
	sja_test_write_reg(&f->chip, SJA_TXERR, 0);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_EPI);
}

static void sja_test_go_bus_off(struct fixture *f)
{
	sja_test_operate_with_peer(f);
	sja_test_disturb(f, CAN_SIM_BIT_ERROR, 32);
	sja_test_send(&f->chip, &a_frame);
	sja_test_pass(f, 40 * FRAME_NS);
}

static void bus_off(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	sja_test_operate_with_peer(f);
	sja_test_set_rxerr(f, 10);
	sja_test_disturb(f, CAN_SIM_BIT_ERROR, 32);
	sja_test_send(&f->chip, &a_frame);
	for (i = 1; i <= 31; i++) {
		sja_test_pass_frame(f);
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR),
				8 * i);
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), 0);
	}
	sja_test_read_reg(&f->chip, SJA_IR);
	sja_test_read_reg(&f->chip, SJA_ECC);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), SJA_MOD_RM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
			SJA_SR_BS | SJA_SR_ES | SR_TRANSFER | SJA_SR_TBS);
	KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_EI);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 127);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RXERR), 0);
	sja_test_write_reg(&f->chip, SJA_RXERR, 55);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RXERR), 0);
	KUNIT_EXPECT_NE(test, f->chip.chip.node.rec, 55);
	sja_test_pass(f, 1000 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 127);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
}

static void bus_off_recovery(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	sja_test_go_bus_off(f);
	sja_test_read_reg(&f->chip, SJA_IR);
	sja_test_pass(f, FRAME_NS);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	sja_test_send(&f->chip, &a_frame);
	for (i = 128; i--;) {
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR),
				i);
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR),
				SJA_SR_BS | SJA_SR_ES | SR_TRANSFER);
		sja_test_pass(f, 11 * BIT_NS - 1);
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR),
				i);
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), 0);
		sja_test_pass(f, 1);
	}
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) &
			(SJA_SR_BS | SJA_SR_ES), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_EI);
	sja_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
}

/* Each frame of other nodes ends with one sequence of recessive bits. */
static void bus_off_recovery_under_traffic(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	sja_test_operate(f, &f->other, 0);
	sja_test_go_bus_off(f);
	sja_test_pass(f, FRAME_NS);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	peer_sends(f, &a_frame, 200);
	for (i = 127; i > 0; i--) {
		sja_test_pass_frame(f);
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR),
				i);
		sja_test_pass(f, CAN_SIM_INTERMISSION_BITS * BIT_NS);
		KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR),
				i - 1);
	}
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_BS,
			SJA_SR_BS);
	sja_test_pass(f, CAN_SIM_INTERMISSION_BITS * BIT_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_BS,
			0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 0);
	sja_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RMC), 1);
}

static void reset_mode_freezes_recovery(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_go_bus_off(f);
	sja_test_read_reg(&f->chip, SJA_IR);
	sja_test_pass(f, FRAME_NS);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	sja_test_pass(f, 100 * 11 * BIT_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 27);
	expect_no_sleep(test);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	sja_test_pass(f, 100 * 11 * BIT_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 27);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_BS,
			SJA_SR_BS);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	sja_test_pass(f, 27 * 11 * BIT_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_BS,
			SJA_SR_BS);
	sja_test_pass(f, 11 * BIT_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_BS,
			0);
}

/* Linux writes the counters, and the chip takes part after eleven bits. */
static void written_counter_ends_bus_off(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_go_bus_off(f);
	sja_test_read_reg(&f->chip, SJA_IR);
	sja_test_write_reg(&f->chip, SJA_TXERR, 0);
	sja_test_write_reg(&f->chip, SJA_RXERR, 3);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_RXERR), 3);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_BS,
			SJA_SR_BS);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_BS,
			0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_EI);
	sja_test_pass(f, FRAME_NS);
	cause_transmit(f);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
}

static void driver_forces_bus_off(struct kunit *test)
{
	struct fixture *f = test->priv;

	sja_test_operate_with_peer(f);
	sja_test_write_reg(&f->chip, SJA_MOD, SJA_MOD_RM);
	sja_test_write_reg(&f->chip, SJA_TXERR, 255);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 255);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_BS,
			0);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), SJA_MOD_RM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 127);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_BS,
			SJA_SR_BS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_IR), SJA_IR_EI);

	sja_test_write_reg(&f->chip, SJA_TXERR, 255);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 255);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), SJA_MOD_RM);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 127);
	sja_test_write_reg(&f->chip, SJA_MOD, 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_MOD), 0);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_TXERR), 127);
	sja_test_pass(f, 128 * 11 * BIT_NS);
	KUNIT_EXPECT_EQ(test, sja_test_read_reg(&f->chip, SJA_SR) & SJA_SR_BS,
			0);
}

/* Traffic */

/* One of two chips: the frames that it sends, and those that it has to receive */
struct endpoint {
	struct can_sim_sja1000 *sja;
	struct can_sim_frame sent[MANY];
	unsigned int head;
	unsigned int received;
	unsigned int to_send;
};

/* Identifiers of the two chips differ in their last bit, so that they never
 * collide.
 */
static void endpoint_sends(struct fixture *f, struct endpoint *endpoint,
			   u32 last_bit)
{
	struct can_sim_frame frame = sja_test_random_frame(f);

	frame.id = (frame.id & ~1) | last_bit;
	endpoint->sent[endpoint->head++ % MANY] = frame;
	endpoint->to_send--;
	sja_test_send(endpoint->sja, &frame);
}

static void endpoint_receives(struct kunit *test, struct endpoint *endpoint,
			      struct endpoint *from)
{
	while (sja_test_read_reg(endpoint->sja, SJA_SR) & SJA_SR_RBS) {
		const struct can_sim_frame *frame;

		KUNIT_ASSERT_LT(test, endpoint->received, from->head);
		frame = &from->sent[endpoint->received++ % MANY];
		KUNIT_ASSERT_TRUE_MSG(test,
				      sja_test_window_shows(endpoint->sja,
							    frame),
				      "frame %u", endpoint->received);
		sja_test_write_reg(endpoint->sja, SJA_CMR, SJA_CMR_RRB);
	}
}

/* Like an interrupt handler, which is sometimes late */
static void endpoint_works(struct kunit *test, struct endpoint *endpoint,
			   struct endpoint *from, u32 last_bit)
{
	struct fixture *f = test->priv;
	u8 ir = endpoint->sja->interrupting ?
		sja_test_read_reg(endpoint->sja, SJA_IR) : 0;

	KUNIT_ASSERT_EQ(test, ir & (SJA_IR_BEI | SJA_IR_EI | SJA_IR_DOI), 0);
	if (ir & SJA_IR_ALI)
		sja_test_read_reg(endpoint->sja, SJA_ALC);
	if (ir & SJA_IR_RI && prandom_u32_state(&f->rnd) % 4)
		endpoint_receives(test, endpoint, from);
	if (endpoint->to_send &&
	    sja_test_read_reg(endpoint->sja, SJA_SR) & SJA_SR_TBS)
		endpoint_sends(f, endpoint, last_bit);
}

static void two_chips_exchange_frames(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct endpoint *endpoints = kunit_kcalloc(test, 2, sizeof(*endpoints),
						   GFP_KERNEL);
	unsigned int i, frames = 5000;

	KUNIT_ASSERT_NOT_NULL(test, endpoints);
	sja_test_operate(f, &f->chip, 0);
	sja_test_operate(f, &f->other, 0);
	endpoints[0].sja = &f->chip;
	endpoints[1].sja = &f->other;
	endpoints[0].to_send = frames;
	endpoints[1].to_send = frames;
	do {
		endpoint_works(test, &endpoints[0], &endpoints[1], 0);
		endpoint_works(test, &endpoints[1], &endpoints[0], 1);
	} while (sja_test_pass_frame(f));
	endpoint_receives(test, &endpoints[0], &endpoints[1]);
	endpoint_receives(test, &endpoints[1], &endpoints[0]);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, endpoints[i].received, frames);
		KUNIT_EXPECT_EQ(test, endpoints[i].head, frames);
		KUNIT_EXPECT_GT(test, endpoints[i].sja->chip.node.stats.lost,
				100);
	}
	KUNIT_EXPECT_EQ(test, f->bus.stats.frames, 2 * frames);
}

static int sja1000_test_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	unsigned long flags;

	if (!f)
		return -ENOMEM;
	prandom_seed_state(&f->rnd, 1000);
	can_sim_bus_init(&f->bus, fixture_clock);
	can_sim_sja1000_init(&f->chip, sja_test_ignore_interrupt);
	can_sim_sja1000_init(&f->other, sja_test_ignore_interrupt);
	f->peer.node.ops = &peer_ops;
	can_sim_bus_add(&f->bus, &f->chip.chip.node);
	can_sim_bus_add(&f->bus, &f->other.chip.node);
	can_sim_bus_add(&f->bus, &f->peer.node);
	flags = can_sim_lock(&f->peer.node);
	can_sim_sja1000_reset(&f->chip);
	can_sim_sja1000_reset(&f->other);
	can_sim_unlock(&f->peer.node, flags);
	test->priv = f;
	return 0;
}

static struct kunit_case sja1000_test_cases[] = {
	KUNIT_CASE(hardware_reset),
	KUNIT_CASE(reset_mode_keeps_settings),
	KUNIT_CASE(operation_protects_settings),
	KUNIT_CASE(needs_pelican_mode),
	KUNIT_CASE(bit_timing),
	KUNIT_CASE_PARAM(interrupt_if_enabled, interrupt_gen_params),
	KUNIT_CASE_PARAM(no_interrupt_if_disabled, interrupt_gen_params),
	KUNIT_CASE_PARAM(interrupt_line_follows_enable, interrupt_gen_params),
	KUNIT_CASE_PARAM(reset_mode_clears_interrupt, interrupt_gen_params),
	KUNIT_CASE(status_of_transfers),
	KUNIT_CASE(status_in_the_middle_of_a_frame),
	KUNIT_CASE(loser_of_arbitration_receives),
	KUNIT_CASE(transmit_buffer_is_locked),
	KUNIT_CASE(buffer_is_read_back),
	KUNIT_CASE(random_frames_are_sent),
	KUNIT_CASE(abort_waiting_frame),
	KUNIT_CASE(abort_does_not_stop_a_frame),
	KUNIT_CASE(abort_ends_retransmission),
	KUNIT_CASE(abort_during_arbitration),
	KUNIT_CASE(abort_without_request),
	KUNIT_CASE(single_shot_succeeds),
	KUNIT_CASE(single_shot_without_acknowledgment),
	KUNIT_CASE(single_shot_loses_arbitration),
	KUNIT_CASE(single_shot_waits),
	KUNIT_CASE(lost_arbitration_is_tried_again),
	KUNIT_CASE(nothing_is_sent_in_reset_mode),
	KUNIT_CASE(reset_mode_ends_transmission),
	KUNIT_CASE(self_reception),
	KUNIT_CASE(self_reception_is_filtered),
	KUNIT_CASE(self_reception_without_room),
	KUNIT_CASE(self_reception_single_shot),
	KUNIT_CASE(sent_frame_is_seen_in_the_window),
	KUNIT_CASE(self_test_needs_no_acknowledgment),
	KUNIT_CASE(listen_only),
	KUNIT_CASE(sleep_until_bus_activity),
	KUNIT_CASE(driver_ends_sleep),
	KUNIT_CASE(frame_that_wakes_is_not_received),
	KUNIT_CASE(no_sleep_while_busy),
	KUNIT_CASE(fifo_capacity),
	KUNIT_CASE(fifo_holds_exactly_64_bytes),
	KUNIT_CASE(overrun_lasts_until_cleared),
	KUNIT_CASE(broken_frame_is_no_overrun),
	KUNIT_CASE(release_of_empty_buffer),
	KUNIT_CASE(window_is_circular),
	KUNIT_CASE(reset_mode_keeps_start_address),
	KUNIT_CASE(filters_follow_the_data_sheet),
	KUNIT_CASE(arbitration_lost_capture),
	KUNIT_CASE(arbitration_lost_capture_is_kept),
	KUNIT_CASE_PARAM(error_is_captured, ecc_gen_params),
	KUNIT_CASE(error_code_capture_is_kept),
	KUNIT_CASE(counters_up_and_down),
	KUNIT_CASE(warning_and_passive),
	KUNIT_CASE(back_to_error_active),
	KUNIT_CASE(receiver_becomes_passive),
	KUNIT_CASE(written_counters_take_effect_in_operation),
	KUNIT_CASE(bus_off),
	KUNIT_CASE(bus_off_recovery),
	KUNIT_CASE(bus_off_recovery_under_traffic),
	KUNIT_CASE(reset_mode_freezes_recovery),
	KUNIT_CASE(written_counter_ends_bus_off),
	KUNIT_CASE(driver_forces_bus_off),
	KUNIT_CASE(two_chips_exchange_frames),
	{}
};

static struct kunit_suite sja1000_test_suite = {
	.name = "can-sim-sja1000",
	.init = sja1000_test_init,
	.test_cases = sja1000_test_cases,
};

kunit_test_suite(sja1000_test_suite);

MODULE_DESCRIPTION("KUnit suite of the simulated SJA1000");
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_LICENSE("GPL");
