// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the model of the MSCAN by accesses to its registers.
 *
 * Two chips, those of an MPC5121 and an MPC5200, and a node without registers
 * are on a bus whose clock the test sets, so everything runs in the context of
 * the test. Each access to a register takes the bus's lock, as drivers do.
 */
#include <kunit/test.h>
#include <linux/bitfield.h>
#include <linux/prandom.h>

#include "mscan-model.h"

/* 1 Mbit/s with eight quanta, at 16 MHz */
#define CLOCK_HZ	16000000
#define BTR0_1M		0x01
#define BTR1_1M		0x14
#define BIT_NS		1000

#define JOIN_NS		(11 * BIT_NS)
#define RECOVERY_NS	(128 * JOIN_NS)

/* The end of an error frame and the intermission are the first sequence. */
#define AFTER_ERROR_NS	(127 * JOIN_NS)

/* Longer than any frame or error frame with eleven recessive bits */
#define FRAME_NS	(200 * BIT_NS)

#define EXCHANGED	3000
#define FILTERED	4000

/* A node that acknowledges, sends frames on request, and counts received ones */
struct peer {
	struct can_sim_node node;
	struct can_sim_frame out;
	unsigned int to_send;
	struct can_sim_frame in;
	unsigned int got;
};

struct fixture {
	struct can_sim_bus bus;
	struct can_sim_mscan chip;
	struct can_sim_mscan other;
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

	peer->out.data[0]++;
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

static void msc_test_ignore_interrupt(struct can_sim_mscan *mscan, bool active)
{
}

/* Accesses to the chips */

static u8 msc_test_read(struct can_sim_mscan *mscan, unsigned int offset)
{
	unsigned long flags = can_sim_lock(&mscan->chip.node);
	u8 value = can_sim_mscan_read(mscan, offset);

	can_sim_unlock(&mscan->chip.node, flags);
	return value;
}

static void msc_test_write(struct can_sim_mscan *mscan, unsigned int offset,
			   u8 value)
{
	unsigned long flags = can_sim_lock(&mscan->chip.node);

	can_sim_mscan_write(mscan, offset, value);
	can_sim_unlock(&mscan->chip.node, flags);
}

/* Make the bus handle all events up to now. */
static void msc_test_sync(struct fixture *f)
{
	unsigned long flags = can_sim_lock(&f->peer.node);

	can_sim_unlock(&f->peer.node, flags);
}

static void msc_test_pass(struct fixture *f, u64 ns)
{
	f->now += ns;
	msc_test_sync(f);
}

/* Set the clock to the end of the present frame or error frame.
 *
 * Return: false if there is none.
 */
static bool msc_test_pass_frame(struct fixture *f)
{
	u64 before;

	msc_test_sync(f);
	before = f->bus.records;
	while (f->bus.records == before) {
		if (f->bus.next == CAN_SIM_NEVER)
			return false;
		f->now = max(f->now, f->bus.next);
		msc_test_sync(f);
	}
	return true;
}

/* Start a chip like a driver, with a filter that accepts everything. */
static void msc_test_start(struct fixture *f, struct can_sim_mscan *mscan,
			   u8 ctl1)
{
	unsigned int i;

	msc_test_write(mscan, MSC_CTL0, MSC_CTL0_INITRQ);
	msc_test_write(mscan, MSC_CTL1, MSC_CTL1_CANE | ctl1);
	msc_test_write(mscan, MSC_BTR0, BTR0_1M);
	msc_test_write(mscan, MSC_BTR1, BTR1_1M);
	msc_test_write(mscan, MSC_IDAC, 0);
	for (i = 0; i < MSC_FILTERS_END - MSC_FILTERS; i++)
		msc_test_write(mscan, MSC_FILTERS + i, 0xff);
	msc_test_write(mscan, MSC_CTL0, 0);
	msc_test_pass(f, FRAME_NS);
}

static void peer_on(struct fixture *f)
{
	unsigned long flags = can_sim_lock(&f->peer.node);

	f->peer.node.timing = f->chip.chip.node.timing;
	can_sim_node_on(&f->peer.node);
	can_sim_unlock(&f->peer.node, flags);
	msc_test_pass(f, FRAME_NS);
}

static void peer_off(struct fixture *f)
{
	unsigned long flags = can_sim_lock(&f->peer.node);

	can_sim_node_off(&f->peer.node);
	can_sim_unlock(&f->peer.node, flags);
}

/* A chip in operation, and a peer that acknowledges its frames */
static void msc_test_start_with_peer(struct fixture *f)
{
	msc_test_start(f, &f->chip, 0);
	peer_on(f);
}

/* The first byte of data is a counter. */
static void peer_sends(struct fixture *f, const struct can_sim_frame *frame,
		       unsigned int times)
{
	unsigned long flags = can_sim_lock(&f->peer.node);

	f->peer.out = *frame;
	f->peer.to_send = times;
	can_sim_node_request(&f->peer.node);
	can_sim_unlock(&f->peer.node, flags);
}

static void msc_test_set_counters(struct can_sim_mscan *mscan, unsigned int tec,
				  unsigned int rec)
{
	unsigned long flags = can_sim_lock(&mscan->chip.node);

	can_sim_node_set_counters(&mscan->chip.node, tec, rec);
	can_sim_unlock(&mscan->chip.node, flags);
}

/* Inject an error into each of the next frames. */
static void msc_test_disturb(struct fixture *f, enum can_sim_error_type type,
			     unsigned int frames)
{
	f->bus.inject.type = type;
	f->bus.inject.first = f->bus.inject.count;
	f->bus.inject.frames = frames;
}

/* Independent conversion of frames to bytes */

#define FRAME_BYTES 13

static const u8 byte_offset[] = {
	0x00, 0x01, 0x04, 0x05,				/* identifier */
	0x08, 0x09, 0x0c, 0x0d, 0x10, 0x11, 0x14, 0x15,	/* data */
	0x18, 0x19,					/* length, priority */
};

static unsigned int msc_test_data_len(const struct can_sim_frame *frame)
{
	if (frame->id & CAN_RTR_FLAG)
		return 0;
	return frame->dlc > 8 ? 8 : frame->dlc;
}

static void msc_test_frame_bytes(const struct can_sim_frame *frame, u8 *byte)
{
	bool rtr = frame->id & CAN_RTR_FLAG;
	u32 id = frame->id & CAN_EFF_MASK;

	memset(byte, 0, FRAME_BYTES);
	if (frame->id & CAN_EFF_FLAG) {
		byte[0] = id >> 21;
		byte[1] = (id >> 18 & 7) << 5 | 0x18 | (id >> 15 & 7);
		byte[2] = id >> 7;
		byte[3] = id << 1 | rtr;
	} else {
		byte[0] = id >> 3;
		byte[1] = id << 5 | rtr << 4;
	}
	memcpy(byte + 4, frame->data, msc_test_data_len(frame));
	byte[12] = frame->dlc;
}

static void msc_test_fill(struct can_sim_mscan *mscan, unsigned int buffer,
			  const struct can_sim_frame *frame, u8 priority)
{
	u8 byte[FRAME_BYTES];
	unsigned int i;

	msc_test_frame_bytes(frame, byte);
	msc_test_write(mscan, MSC_TBSEL, BIT(buffer));
	for (i = 0; i < FRAME_BYTES; i++)
		msc_test_write(mscan, MSC_TX + byte_offset[i], byte[i]);
	msc_test_write(mscan, MSC_TX + 0x19, priority);
}

static void msc_test_send(struct can_sim_mscan *mscan, unsigned int buffer,
			  const struct can_sim_frame *frame, u8 priority)
{
	msc_test_fill(mscan, buffer, frame, priority);
	msc_test_write(mscan, MSC_TFLG, BIT(buffer));
}

static bool msc_test_foreground_is(struct can_sim_mscan *mscan,
				   const struct can_sim_frame *frame)
{
	u8 byte[FRAME_BYTES];
	unsigned int i;

	msc_test_frame_bytes(frame, byte);
	for (i = 0; i < FRAME_BYTES; i++)
		if (msc_test_read(mscan, MSC_RX + byte_offset[i]) != byte[i])
			return false;
	return true;
}

static struct can_sim_frame msc_test_random_frame(struct fixture *f)
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

/* Reset values and writable bits (3.2) */

struct reg_value {
	unsigned int reg;
	u8 value;
};

static void msc_test_expect_values(struct kunit *test,
				   const struct reg_value *values,
				   unsigned int count)
{
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < count; i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    msc_test_read(&f->chip, values[i].reg),
				    values[i].value, "register 0x%02x",
				    values[i].reg);
}

static const struct reg_value reset_values[] = {
	{ MSC_CTL0, 0x01 }, { MSC_CTL1, 0x11 }, { MSC_BTR0, 0 },
	{ MSC_BTR1, 0 }, { MSC_RFLG, 0 }, { MSC_RIER, 0 },
	{ MSC_TFLG, 0x07 }, { MSC_TIER, 0 }, { MSC_TARQ, 0 },
	{ MSC_TAAK, 0 }, { MSC_TBSEL, 0 }, { MSC_IDAC, 0 },
	{ 0x18, 0 }, { MSC_MISC, 0 }, { MSC_RXERR, 0 }, { MSC_TXERR, 0 },
	{ 0x20, 0 }, { 0x29, 0 }, { 0x34, 0 }, { 0x3d, 0 },
};

static void msc_test_expect_reset(struct kunit *test)
{
	msc_test_expect_values(test, reset_values, ARRAY_SIZE(reset_values));
}

static void hardware_reset(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	msc_test_expect_reset(test);

	msc_test_start_with_peer(f);
	msc_test_write(&f->chip, MSC_RIER, 0xff);
	msc_test_write(&f->chip, MSC_TIER, 0x07);
	peer_sends(f, &a_frame, 7);
	msc_test_pass(f, 10 * FRAME_NS);
	msc_test_set_counters(&f->chip, 130, 100);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x5b);

	flags = can_sim_lock(&f->chip.chip.node);
	can_sim_mscan_reset(&f->chip);
	can_sim_unlock(&f->chip.chip.node, flags);
	KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
	msc_test_expect_reset(test);
}

static void reset_ends_bus_off(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	msc_test_start(f, &f->chip, MSC_CTL1_BORM);
	peer_on(f);
	msc_test_set_counters(&f->chip, 256, 0);
	msc_test_pass(f, 2 * RECOVERY_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_MISC),
			MSC_MISC_BOHOLD);
	flags = can_sim_lock(&f->chip.chip.node);
	can_sim_mscan_reset(&f->chip);
	can_sim_unlock(&f->chip.chip.node, flags);
	msc_test_expect_reset(test);

	msc_test_start(f, &f->chip, 0);
	peer_sends(f, &a_frame, 1);
	msc_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_RXF);
}

/* There are gaps between the registers, and timestamps are not writable. */
static void register_gaps(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int offset;

	for (offset = 0x20; offset < 0x40; offset += 4)
		msc_test_write(&f->chip, offset, 0x40 | offset);
	for (offset = 0; offset < 0x80; offset += 4) {
		msc_test_write(&f->chip, offset + 2, 0xff);
		msc_test_write(&f->chip, offset + 3, 0xff);
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, offset + 2),
				0);
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, offset + 3),
				0);
	}
	for (offset = 0x20; offset < 0x40; offset += 4) {
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, offset),
				0x40 | offset);
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, offset + 1),
				0);
	}

	msc_test_start(f, &f->chip, 0);
	msc_test_write(&f->chip, MSC_TBSEL, 0x01);
	msc_test_write(&f->chip, 0x60, 0xa5);
	for (offset = 0x60; offset < 0x80; offset += 4) {
		msc_test_write(&f->chip, offset + 2, 0xff);
		msc_test_write(&f->chip, offset + 3, 0xff);
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, offset + 2),
				0);
	}
	msc_test_write(&f->chip, 0x7c, 0xff);
	msc_test_write(&f->chip, 0x7d, 0xff);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, 0x60), 0xa5);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, 0x61), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, 0x7c), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, 0x7d), 0);
}

/* Registers that are writable in initialisation mode and readable in both modes */
static const struct reg_value configuration[] = {
	{ MSC_CTL1, 0xed }, { MSC_BTR0, 0xc3 }, { MSC_BTR1, 0x9c },
	{ MSC_IDAC, 0x20 }, { 0x20, 0x11 }, { 0x21, 0x12 }, { 0x24, 0x13 },
	{ 0x25, 0x14 }, { 0x28, 0x21 }, { 0x29, 0x22 }, { 0x2c, 0x23 },
	{ 0x2d, 0x24 }, { 0x30, 0x15 }, { 0x31, 0x16 }, { 0x34, 0x17 },
	{ 0x35, 0x18 }, { 0x38, 0x25 }, { 0x39, 0x26 }, { 0x3c, 0x27 },
	{ 0x3d, 0x28 },
};

/* Registers that are writable outside of it and are reset by it */
static const struct reg_value operation[] = {
	{ MSC_RIER, 0xc3 }, { MSC_TIER, 0x05 }, { MSC_TBSEL, 0x02 },
};

static void initialisation_protects(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(operation); i++) {
		msc_test_write(&f->chip, operation[i].reg, operation[i].value);
		KUNIT_EXPECT_EQ(test,
				msc_test_read(&f->chip, operation[i].reg),
				0);
	}
	msc_test_write(&f->chip, MSC_TFLG, 0x07);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x07);

	for (i = 0; i < ARRAY_SIZE(configuration); i++)
		msc_test_write(&f->chip, configuration[i].reg,
			       configuration[i].value);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1), 0xed);
	msc_test_write(&f->chip, MSC_CTL0, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1), 0xec);
	for (i = 0; i < ARRAY_SIZE(configuration); i++)
		msc_test_write(&f->chip, configuration[i].reg, 0x55);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1), 0xec);
	msc_test_expect_values(test, configuration + 1,
			       ARRAY_SIZE(configuration) - 1);
}

/* An MPC5200 has neither BORM nor BOHOLD. */
static void mpc5200_has_no_bus_off_hold(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->other, MSC_CTL1_BORM);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->other, MSC_CTL1),
			MSC_CTL1_CANE);
	msc_test_set_counters(&f->other, 256, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->other, MSC_MISC), 0);
}

/* Handshakes (3.2.1, 4.4.5) */

static void operation_registers(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	msc_test_start(f, &f->chip, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1) & 0x03, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0) & 0x13,
			0x10);
	for (i = 0; i < ARRAY_SIZE(operation); i++)
		msc_test_write(&f->chip, operation[i].reg, operation[i].value);
	msc_test_expect_values(test, operation, ARRAY_SIZE(operation));
}

static void initialisation_handshake(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	msc_test_write(&f->chip, MSC_TIER, 0x05);
	msc_test_write(&f->chip, MSC_RIER, 0xff);
	peer_sends(f, &a_frame, 6);
	msc_test_pass(f, 10 * FRAME_NS);
	msc_test_set_counters(&f->chip, 130, 0);
	msc_test_send(&f->chip, 1, &a_frame, 0);
	msc_test_send(&f->chip, 2, &a_frame, 0);
	msc_test_pass(f, 20 * BIT_NS);
	msc_test_write(&f->chip, MSC_TARQ, 0x06);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x4b);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x05);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TARQ), 0x02);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TAAK), 0x04);

	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_INITRQ | MSC_CTL0_TIME);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0), 0x01);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1) & 0x03,
			0x01);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x08);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RIER), 0x3c);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x07);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TIER), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TARQ), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TAAK), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TBSEL), 0);
	KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
}

/* The chip then neither acknowledges nor sends nor receives. */
static void initialisation_is_off_the_bus(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	msc_test_send(&f->chip, 0, &a_frame, 0);
	msc_test_pass(f, 20 * BIT_NS);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_INITRQ);
	msc_test_pass(f, 2 * FRAME_NS);
	peer_sends(f, &a_frame, 1);
	msc_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 1);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);

	msc_test_write(&f->chip, MSC_CTL0, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1) & 0x03, 0);
	msc_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG) & 0x03,
			0x01);
}

static void synchronisation(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 began;

	msc_test_start(f, &f->chip, 0);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_INITRQ);
	msc_test_write(&f->chip, MSC_CTL0, 0);
	began = f->now;
	msc_test_pass(f, JOIN_NS - 1);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0), 0);
	msc_test_pass(f, 1);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0),
			MSC_CTL0_SYNCH);
	KUNIT_EXPECT_EQ(test, f->now - began, JOIN_NS);
	msc_test_set_counters(&f->chip, 256, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0), 0);
}

static void disabled_chip_is_absent(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_INITRQ);
	msc_test_write(&f->chip, MSC_CTL1, 0);
	msc_test_write(&f->chip, MSC_CTL0, 0);
	peer_sends(f, &a_frame, 1);
	msc_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 1);
}

/* Sleep mode (4.5.5) */

static void sleep_handshake(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0),
			MSC_CTL0_SLPRQ);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1) & 0x03,
			0x02);

	peer_sends(f, &a_frame, 1);
	msc_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 1);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1) & 0x03,
			0x02);

	msc_test_write(&f->chip, MSC_CTL0, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1) & 0x03, 0);
	msc_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_RXF);
}

/* Both requests, as when the driver stops the chip */
static void sleep_and_initialisation(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ | MSC_CTL0_INITRQ);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1) & 0x03,
			0x03);
	msc_test_start_with_peer(f);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ | MSC_CTL0_INITRQ);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1) & 0x03,
			0x03);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1) & 0x03,
			0x02);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ | MSC_CTL0_INITRQ);
	msc_test_write(&f->chip, MSC_CTL0, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1) & 0x03, 0);
	peer_sends(f, &a_frame, 1);
	msc_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_RXF);
}

static bool msc_test_asleep(struct fixture *f)
{
	return msc_test_read(&f->chip, MSC_CTL1) & MSC_CTL1_SLPAK;
}

/* The frame that is being received is the last one. */
static void sleep_waits_for_reception(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	peer_sends(f, &a_frame, 1);
	msc_test_pass(f, 20 * BIT_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0),
			MSC_CTL0_RXACT | MSC_CTL0_SYNCH);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ);
	KUNIT_EXPECT_FALSE(test, msc_test_asleep(f));

	/* the request cannot be cancelled */
	msc_test_write(&f->chip, MSC_CTL0, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0) & 0x03,
			0x02);

	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_FALSE(test, msc_test_asleep(f));
	f->now = f->bus.idle;
	KUNIT_EXPECT_FALSE(test, msc_test_asleep(f));
	f->now++;
	KUNIT_EXPECT_TRUE(test, msc_test_asleep(f));
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_RXF);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 0);
}

/* Without a gap between frames the bus is not idle. */
static void no_sleep_on_a_full_bus(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	peer_sends(f, &a_frame, 5);
	msc_test_pass(f, 20 * BIT_NS);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	msc_test_pass(f, 20 * BIT_NS);
	KUNIT_EXPECT_FALSE(test, msc_test_asleep(f));
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 3);
	msc_test_pass(f, 5 * FRAME_NS);
	KUNIT_EXPECT_TRUE(test, msc_test_asleep(f));
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 0);
}

/* The transmitter is switched off during the frame. */
static void sleep_after_a_broken_frame(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, MSC_CTL1_LISTEN);
	peer_on(f);
	peer_sends(f, &a_frame, 1);
	msc_test_pass(f, 20 * BIT_NS);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ);
	KUNIT_EXPECT_FALSE(test, msc_test_asleep(f));
	peer_off(f);
	msc_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_TRUE(test, msc_test_asleep(f));
}

static void sleep_waits_for_transmission(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	msc_test_send(&f->chip, 0, &a_frame, 0);
	msc_test_send(&f->chip, 2, &short_frame, 0);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	msc_test_pass(f, 10 * BIT_NS);
	KUNIT_EXPECT_FALSE(test, msc_test_asleep(f));
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	msc_test_pass(f, 10 * BIT_NS);
	KUNIT_EXPECT_TRUE(test, msc_test_asleep(f));
	KUNIT_EXPECT_EQ(test, f->peer.got, 2);
}

/* Without acknowledgment, an abort ends the wait. */
static void sleep_after_abort(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, 0);
	msc_test_send(&f->chip, 0, &a_frame, 0);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ);
	msc_test_pass(f, 5 * FRAME_NS);
	KUNIT_EXPECT_FALSE(test, msc_test_asleep(f));
	msc_test_write(&f->chip, MSC_TARQ, 0x01);
	msc_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_TRUE(test, msc_test_asleep(f));
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x07);
}

/* A frame that waits for the recovery from bus off has to be sent first. */
static void sleep_waits_while_bus_off(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, 0);
	msc_test_set_counters(&f->chip, 256, 0);
	msc_test_send(&f->chip, 0, &a_frame, 0);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ);
	msc_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_FALSE(test, msc_test_asleep(f));
	msc_test_write(&f->chip, MSC_TARQ, 0x01);
	KUNIT_EXPECT_TRUE(test, msc_test_asleep(f));
}

/* Aborts, transmissions and the FIFO wait for the end of sleep mode. */
static void sleep_stops_transmission_and_fifo(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	peer_sends(f, &a_frame, 2);
	msc_test_pass(f, 4 * FRAME_NS);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ);
	msc_test_write(&f->chip, MSC_RFLG, MSC_RFLG_RXF);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0);
	msc_test_send(&f->chip, 0, &short_frame, 0);
	msc_test_send(&f->chip, 1, &a_frame, 0);
	msc_test_write(&f->chip, MSC_TARQ, 0x02);
	msc_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x04);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);

	msc_test_write(&f->chip, MSC_CTL0, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_RXF);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RX + 0x08), 0x12);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x06);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TAAK), 0x02);
	msc_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x07);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
	KUNIT_EXPECT_EQ(test, f->peer.in.id, 0x123);
}

/* The frame that wakes a chip is lost for it, without an effect on others. */
static void bus_wakes_up(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	msc_test_start(f, &f->other, 0);
	msc_test_write(&f->chip, MSC_RIER, MSC_RFLG_WUPIF);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_WUPE | MSC_CTL0_SLPRQ);
	msc_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_TRUE(test, msc_test_asleep(f));
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0), 0x06);
	KUNIT_EXPECT_FALSE(test, f->chip.interrupting);

	peer_sends(f, &a_frame, 1);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_FALSE(test, msc_test_asleep(f));
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0),
			MSC_CTL0_WUPE);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_WUPIF);
	KUNIT_EXPECT_TRUE(test, f->chip.interrupting);

	/* no sleep before the flag is cleared */
	msc_test_pass(f, FRAME_NS);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_WUPE | MSC_CTL0_SLPRQ);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0), 0x14);
	peer_sends(f, &a_frame, 1);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_WUPIF | MSC_RFLG_RXF);
	msc_test_write(&f->chip, MSC_RFLG, MSC_RFLG_WUPIF);
	KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
	msc_test_pass(f, FRAME_NS);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_WUPE | MSC_CTL0_SLPRQ);
	KUNIT_EXPECT_TRUE(test, msc_test_asleep(f));
}

static void bus_does_not_end_initialisation(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->other, 0);
	msc_test_start_with_peer(f);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_INITRQ);
	msc_test_write(&f->chip, MSC_CTL0,
		       MSC_CTL0_INITRQ | MSC_CTL0_WUPE | MSC_CTL0_SLPRQ);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1) & 0x03,
			0x03);
	msc_test_pass(f, FRAME_NS);
	peer_sends(f, &a_frame, 1);
	msc_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0), 0x07);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL1) & 0x03,
			0x03);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0);
}

/* It listens, but does not acknowledge; an error frame wakes it as well. */
static void errors_wake_up(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_WUPE | MSC_CTL0_SLPRQ);
	msc_test_pass(f, FRAME_NS);
	peer_sends(f, &a_frame, 1);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 1);
	KUNIT_EXPECT_FALSE(test, msc_test_asleep(f));
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.rec, 0);
	msc_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_WUPIF | MSC_RFLG_RXF);
}

/* Receive FIFO (4.2.3) */

static void fifo_depth(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct can_sim_frame frame = a_frame;

	msc_test_start_with_peer(f);
	KUNIT_EXPECT_FALSE(test,
			   msc_test_read(&f->chip, MSC_CTL0) & MSC_CTL0_RXFRM);
	msc_test_write(&f->chip, MSC_RIER, MSC_RFLG_RXF);
	KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
	peer_sends(f, &frame, 5);
	msc_test_pass(f, 10 * FRAME_NS);
	KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_RXF);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.high, 5);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.overruns, 0);

	/* the sixth and the seventh frame are lost */
	frame.data[0] = 0x80;
	peer_sends(f, &frame, 1);
	msc_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x03);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.overruns, 1);
	msc_test_write(&f->chip, MSC_RFLG, MSC_RFLG_OVRIF);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x01);
	peer_sends(f, &frame, 1);
	msc_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x03);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.overruns, 2);
}

/* An overrun keeps the frames in the FIFO, which takes further frames
 * afterwards.
 */
static void fifo_after_overrun(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct can_sim_frame frame = a_frame;
	unsigned int i;

	msc_test_start_with_peer(f);
	peer_sends(f, &frame, 7);
	msc_test_pass(f, 12 * FRAME_NS);
	msc_test_write(&f->chip, MSC_RFLG, 0x03);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x01);
	frame.data[0] = 0x90;
	peer_sends(f, &frame, 1);
	msc_test_pass(f, 2 * FRAME_NS);
	for (i = 1; i < 6; i++) {
		frame.data[0] = i < 5 ? a_frame.data[0] + i : 0x90;
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
				0x01);
		KUNIT_EXPECT_TRUE(test,
				  msc_test_foreground_is(&f->chip, &frame));
		msc_test_write(&f->chip, MSC_RFLG, MSC_RFLG_RXF);
	}
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RX), 0);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.overruns, 2);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.high, 5);
}

static void received_frame_flag(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_INITRQ);
	msc_test_write(&f->chip, MSC_IDAC,
		       FIELD_PREP(MSC_IDAC_IDAM, MSC_IDAM_CLOSED));
	msc_test_write(&f->chip, MSC_CTL0, 0);
	msc_test_pass(f, FRAME_NS);
	peer_sends(f, &a_frame, 1);
	msc_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0),
			MSC_CTL0_RXFRM | MSC_CTL0_SYNCH);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0);
	msc_test_write(&f->chip, MSC_CTL0, 0);
	KUNIT_EXPECT_TRUE(test,
			  msc_test_read(&f->chip, MSC_CTL0) & MSC_CTL0_RXFRM);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_RXFRM);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0),
			MSC_CTL0_SYNCH);
}

/* Flags and interrupts (3.2.5 to 3.2.8, 4.7) */

/* Each flag is cleared by writing 1 only, and has an enable bit. */
static void flags_and_interrupts(struct kunit *test)
{
	static const u8 flags[] = {
		MSC_RFLG_CSCIF, MSC_RFLG_OVRIF, MSC_RFLG_RXF,
	};
	struct fixture *f = test->priv;
	unsigned int i, j;

	msc_test_start_with_peer(f);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		u8 enable = flags[i] | MSC_RFLG_STATUS, rest;

		msc_test_write(&f->chip, MSC_RIER, MSC_RFLG_STATUS);
		msc_test_set_counters(&f->chip, i % 2 ? 0 : 100, 0);
		peer_sends(f, &short_frame, 6);
		msc_test_pass(f, 10 * FRAME_NS);
		rest = msc_test_read(&f->chip, MSC_RFLG);
		KUNIT_EXPECT_EQ(test, rest & MSC_RFLG_FLAGS, 0x43);
		KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
		msc_test_write(&f->chip, MSC_RIER, enable);
		KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
		msc_test_write(&f->chip, MSC_RIER, ~enable | MSC_RFLG_STATUS);
		KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
		msc_test_write(&f->chip, MSC_RIER, enable);

		msc_test_write(&f->chip, MSC_RFLG, ~flags[i] & ~MSC_RFLG_RXF);
		rest = msc_test_read(&f->chip, MSC_RFLG);
		KUNIT_EXPECT_EQ(test, rest & MSC_RFLG_FLAGS,
				flags[i] | MSC_RFLG_RXF);
		KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
		for (j = 0; j < MSC_RX_BUFFERS; j++)
			msc_test_write(&f->chip, MSC_RFLG, MSC_RFLG_FLAGS);
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG) & MSC_RFLG_FLAGS,
				0);
		KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
	}
}

static void transmit_flags(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	msc_test_start_with_peer(f);
	for (i = 0; i < MSC_TX_BUFFERS; i++) {
		msc_test_write(&f->chip, MSC_TIER, BIT(i));
		KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
		msc_test_fill(&f->chip, i, &a_frame, 0);
		msc_test_write(&f->chip, MSC_TFLG, 0);
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG),
				0x07);
		msc_test_write(&f->chip, MSC_TFLG, BIT(i));
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG),
				0x07 & ~BIT(i));
		KUNIT_EXPECT_FALSE(test, f->chip.interrupting);

		/* a second write has no effect */
		msc_test_write(&f->chip, MSC_TFLG, BIT(i));
		KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG),
				0x07);
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TAAK), 0);
		KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
		msc_test_pass(f, FRAME_NS);
		KUNIT_EXPECT_EQ(test, f->peer.got, i + 1);
		KUNIT_EXPECT_EQ(test, f->peer.in.id, a_frame.id);
		KUNIT_EXPECT_EQ(test, f->peer.in.dlc, a_frame.dlc);
		KUNIT_EXPECT_MEMEQ(test, f->peer.in.data, a_frame.data, 3);
	}
}

/* The window shows the lowest selected buffer while this is empty. */
static void window_selection(struct kunit *test)
{
	static const u8 lowest[] = { 0, 1, 2, 1, 4, 1, 2, 1 };
	struct fixture *f = test->priv;
	unsigned int i;

	msc_test_start(f, &f->chip, 0);
	for (i = 0; i < MSC_TX_BUFFERS; i++) {
		msc_test_write(&f->chip, MSC_TBSEL, BIT(i));
		msc_test_write(&f->chip, MSC_TX, 0xa0 | BIT(i));
	}
	for (i = 0; i < ARRAY_SIZE(lowest); i++) {
		msc_test_write(&f->chip, MSC_TBSEL, 0xf8 | i);
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TBSEL),
				lowest[i]);
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TX),
				i ? 0xa0 | lowest[i] : 0);
	}
	msc_test_write(&f->chip, MSC_TFLG, 0x02);
	msc_test_write(&f->chip, MSC_TBSEL, 0x02);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TX), 0);
	msc_test_write(&f->chip, MSC_TX, 0x77);
	msc_test_write(&f->chip, MSC_TARQ, 0x02);
	msc_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TX), 0xa2);
}

/* Local priority (4.2.2) */

struct order {
	u8 priority[MSC_TX_BUFFERS];
	u8 buffer[MSC_TX_BUFFERS];
};

static const struct order orders[] = {
	{ { 0, 0, 0 }, { 0, 1, 2 } },
	{ { 3, 2, 1 }, { 2, 1, 0 } },
	{ { 1, 0, 1 }, { 1, 0, 2 } },
	{ { 0xff, 0x80, 0x7f }, { 2, 1, 0 } },
	{ { 5, 5, 4 }, { 2, 0, 1 } },
};

/* The buffers are filled while the bus is busy; the order of identifiers is
 * reversed.
 */
static void local_priority(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i, j;

	msc_test_start_with_peer(f);
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		peer_sends(f, &short_frame, 1);
		msc_test_pass(f, 20 * BIT_NS);
		for (j = 0; j < MSC_TX_BUFFERS; j++) {
			struct can_sim_frame frame = { .id = 0x700 - j };

			msc_test_send(&f->chip, j, &frame,
				      orders[i].priority[j]);
		}
		KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
		for (j = 0; j < MSC_TX_BUFFERS; j++) {
			KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
			KUNIT_EXPECT_EQ_MSG(test, 0x700 - f->peer.in.id,
					    orders[i].buffer[j],
					    "order %u, frame %u", i, j);
		}
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG),
				0x07);
	}
}

/* A frame with a higher priority overtakes waiting frames, but not the one that
 * is on the bus.
 */
static void priority_counts_when_a_frame_begins(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct can_sim_frame frame = { .id = 0x100 };

	msc_test_start_with_peer(f);
	msc_test_send(&f->chip, 0, &frame, 5);
	frame.id++;
	msc_test_send(&f->chip, 1, &frame, 6);
	msc_test_pass(f, 20 * BIT_NS);
	frame.id++;
	msc_test_send(&f->chip, 2, &frame, 1);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_EQ(test, f->peer.in.id, 0x100);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_EQ(test, f->peer.in.id, 0x102);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_EQ(test, f->peer.in.id, 0x101);
}

/* Abort (3.2.9, 3.2.10) */

static void abort_before_start(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	peer_sends(f, &short_frame, 1);
	msc_test_pass(f, 20 * BIT_NS);
	msc_test_send(&f->chip, 0, &a_frame, 0);
	msc_test_send(&f->chip, 2, &a_frame, 0);
	msc_test_write(&f->chip, MSC_TIER, 0x04);
	msc_test_write(&f->chip, MSC_TARQ, 0x06);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x06);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TAAK), 0x04);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TARQ), 0);
	KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
	msc_test_pass(f, 5 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);

	/* only another frame in the buffer clears it */
	msc_test_write(&f->chip, MSC_TAAK, 0x04);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TAAK), 0x04);
	msc_test_send(&f->chip, 2, &a_frame, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TAAK), 0);
}

static void abort_too_late(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	msc_test_send(&f->chip, 1, &a_frame, 0);
	msc_test_pass(f, 20 * BIT_NS);
	msc_test_write(&f->chip, MSC_TARQ, 0x02);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TARQ), 0x02);
	msc_test_write(&f->chip, MSC_TARQ, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TARQ), 0x02);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x05);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x07);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TARQ), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TAAK), 0);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
}

static void abort_after_lost_arbitration(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	peer_sends(f, &short_frame, 1);
	msc_test_pass(f, BIT_NS);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	msc_test_send(&f->chip, 0, &a_frame, 0);
	peer_sends(f, &short_frame, 1);
	msc_test_pass(f, 4 * BIT_NS);
	msc_test_write(&f->chip, MSC_TARQ, 0x01);
	msc_test_write(&f->chip, MSC_TIER, 0x01);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x06);
	KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
	msc_test_pass(f, 20 * BIT_NS);
	KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.lost, 1);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x07);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TAAK), 0x01);
	msc_test_pass(f, 5 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 0);
}

static void abort_after_error(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	msc_test_disturb(f, CAN_SIM_CRC_ERROR, 1);
	msc_test_send(&f->chip, 0, &a_frame, 0);
	msc_test_send(&f->chip, 1, &short_frame, 1);
	msc_test_pass(f, 20 * BIT_NS);
	msc_test_write(&f->chip, MSC_TARQ, 0x01);
	msc_test_write(&f->chip, MSC_TIER, 0x01);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TAAK), 0);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x05);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TAAK), 0x01);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
	KUNIT_EXPECT_EQ(test, f->peer.in.id, short_frame.id);
}

/* Without abort it is sent again. */
static void error_is_repeated(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start_with_peer(f);
	msc_test_disturb(f, CAN_SIM_CRC_ERROR, 2);
	msc_test_send(&f->chip, 0, &a_frame, 0);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x06);
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x07);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.tec, 15);
}

/* Acceptance filters (4.3), bit by bit */

/* A bit of the identifier registers, or -1 if the frame does not have it. */
static int msc_test_idr_bit(const struct can_sim_frame *frame, unsigned int bit)
{
	u8 byte[FRAME_BYTES];

	if (!(frame->id & CAN_EFF_FLAG) && bit >= 16)
		return -1;
	msc_test_frame_bytes(frame, byte);
	return byte[bit / 8] >> (7 - bit % 8) & 1;
}

static bool naive_match(const struct can_sim_frame *frame, const u8 *code,
			const u8 *mask, unsigned int bytes)
{
	unsigned int bit;

	for (bit = 0; bit < 8 * bytes; bit++) {
		u8 weight = 0x80 >> bit % 8;
		int level = msc_test_idr_bit(frame, bit);

		if (level < 0 || mask[bit / 8] & weight)
			continue;
		if (level != !!(code[bit / 8] & weight))
			return false;
	}
	return true;
}

static int naive_hit(const struct can_sim_frame *frame, const u8 *code,
		     const u8 *mask, unsigned int mode)
{
	static const unsigned int filters[] = { 2, 4, 8, 0 };
	static const unsigned int bytes[] = { 4, 2, 1, 0 };
	unsigned int i;

	for (i = 0; i < filters[mode]; i++)
		if (naive_match(frame, code + i * bytes[mode],
				mask + i * bytes[mode], bytes[mode]))
			return i;
	return -1;
}

static void msc_test_set_filters(struct fixture *f, const u8 *code,
				 const u8 *mask, unsigned int mode)
{
	static const u8 offset[] = {
		0x20, 0x21, 0x24, 0x25, 0x30, 0x31, 0x34, 0x35,
	};
	unsigned int i;

	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_INITRQ);
	msc_test_write(&f->chip, MSC_IDAC, mode << 4);
	for (i = 0; i < MSC_FILTER_BYTES; i++) {
		msc_test_write(&f->chip, offset[i], code[i]);
		msc_test_write(&f->chip, offset[i] + 8, mask[i]);
	}
	msc_test_write(&f->chip, MSC_CTL0, 0);
	msc_test_pass(f, JOIN_NS);
}

/* One bit of 2^rounds is compared. */
static void msc_test_random_mask(struct fixture *f, u8 *mask,
				 unsigned int rounds)
{
	unsigned int i;

	memset(mask, 0, MSC_FILTER_BYTES);
	while (rounds--)
		for (i = 0; i < MSC_FILTER_BYTES; i++)
			mask[i] |= prandom_u32_state(&f->rnd);
}

static void filters(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i, mode, hits[4] = {};

	msc_test_start_with_peer(f);
	for (i = 0; i < FILTERED; i++) {
		u8 code[MSC_FILTER_BYTES], mask[MSC_FILTER_BYTES];
		struct can_sim_frame frame = msc_test_random_frame(f);
		int hit;

		mode = i % 4;
		prandom_bytes_state(&f->rnd, code, sizeof(code));
		msc_test_random_mask(f, mask, mode == MSC_IDAM_8_BITS ? 1 : 3);
		msc_test_set_filters(f, code, mask, mode);
		hit = naive_hit(&frame, code, mask, mode);
		peer_sends(f, &frame, 1);
		KUNIT_ASSERT_TRUE(test, msc_test_pass_frame(f));
		KUNIT_ASSERT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
				hit < 0 ? 0 : MSC_RFLG_RXF);
		if (hit < 0)
			continue;
		hits[mode]++;
		KUNIT_ASSERT_EQ(test, msc_test_read(&f->chip, MSC_IDAC),
				mode << 4 | hit);
		KUNIT_ASSERT_TRUE(test,
				  msc_test_foreground_is(&f->chip, &frame));
	}
	for (mode = 0; mode < 3; mode++) {
		KUNIT_EXPECT_GT(test, hits[mode], FILTERED / 40);
		KUNIT_EXPECT_LT(test, hits[mode], FILTERED / 4 * 9 / 10);
	}
	KUNIT_EXPECT_EQ(test, hits[3], 0);
}

/* The hit indicator is that of the frame in the foreground buffer. */
static void hit_indicator_follows_the_fifo(struct kunit *test)
{
	static const u8 mask[8] = { 0, 0xff, 0, 0xff, 0, 0xff, 0, 0xff };
	static const u8 code[8] = { 0x10, 0, 0x20, 0, 0x30, 0, 0x40, 0 };
	static const u16 ids[] = { 0x207, 0x080, 0x1ff };
	static const u8 hits[] = { 3, 0, 2 };
	struct fixture *f = test->priv;
	unsigned int i;

	msc_test_start_with_peer(f);
	msc_test_set_filters(f, code, mask, MSC_IDAM_16_BITS);
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		struct can_sim_frame frame = { .id = ids[i] };

		if (i == 2)
			frame.id = 0x187;
		peer_sends(f, &frame, 1);
		msc_test_pass(f, 2 * FRAME_NS);
	}
	for (i = 0; i < ARRAY_SIZE(hits); i++) {
		KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_IDAC),
				0x10 | hits[i]);
		msc_test_write(&f->chip, MSC_RFLG, MSC_RFLG_RXF);
	}
}

/* Status changes (3.2.5, 3.2.6) */

struct status_step {
	unsigned int tec;
	unsigned int rec;
	u8 rstat;
	u8 tstat;
};

static const struct status_step status_steps[] = {
	{ 96, 96, 0, 0 }, { 97, 96, 0, 1 }, { 96, 97, 1, 0 },
	{ 127, 127, 1, 1 }, { 128, 127, 1, 2 }, { 0, 128, 2, 0 },
	{ 255, 255, 2, 2 }, { 10, 97, 1, 0 }, { 0, 0, 0, 0 },
};

static void status_follows_counters(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	msc_test_start(f, &f->chip, 0);
	msc_test_write(&f->chip, MSC_RIER, 0);
	for (i = 0; i < ARRAY_SIZE(status_steps); i++) {
		const struct status_step *step = &status_steps[i];

		msc_test_set_counters(&f->chip, step->tec, step->rec);
		KUNIT_EXPECT_EQ_MSG(test, msc_test_read(&f->chip, MSC_RFLG),
				    step->rstat << 4 | step->tstat << 2,
				    "step %u", i);
	}
}

/* State before, state after, and whether the selections 0 to 3 include this
 * change
 */
struct selection {
	u8 from;
	u8 to;
	u8 by;
};

static const struct selection selections[] = {
	{ 0, 1, 0x8 }, { 1, 0, 0x8 }, { 0, 2, 0xc }, { 1, 2, 0xc },
	{ 2, 1, 0xc }, { 2, 0, 0xc }, { 0, 3, 0xe }, { 2, 3, 0xe },
};

static void selected_status_changes(struct kunit *test)
{
	static const unsigned int counter[] = { 0, 100, 200, 256 };
	struct fixture *f = test->priv;
	unsigned int i, level;

	for (i = 0; i < 2 * ARRAY_SIZE(selections) * 4; i++) {
		const struct selection *s = &selections[i / 8];
		bool rx = i & 1 && s->to < 3;

		level = i / 2 % 4;
		msc_test_start(f, &f->chip, 0);
		msc_test_write(&f->chip, MSC_RIER, 0);
		msc_test_set_counters(&f->chip, rx ? 0 : counter[s->from],
				      rx ? counter[s->from] : 0);
		msc_test_write(&f->chip, MSC_RIER,
			       0x40 | level << (rx ? 4 : 2));
		msc_test_set_counters(&f->chip, rx ? 0 : counter[s->to],
				      rx ? counter[s->to] : 0);
		KUNIT_EXPECT_EQ_MSG(test,
				    msc_test_read(&f->chip, MSC_RFLG) >> 6,
				    s->by >> level & 1,
				    "%s from %u to %u, level %u",
				    rx ? "rx" : "tx", s->from, s->to, level);
		KUNIT_EXPECT_EQ(test, f->chip.interrupting,
				s->by >> level & 1);
		msc_test_set_counters(&f->chip, 0, 0);
		msc_test_pass(f, 2 * RECOVERY_NS);
	}
}

/* Bus off is also a state of the receiver, with its own selection. */
static void receiver_status_shows_bus_off(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, 0);
	msc_test_write(&f->chip, MSC_RIER, 0x10);
	msc_test_set_counters(&f->chip, 256, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x7c);
	KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
	msc_test_write(&f->chip, MSC_RIER, 0x50);
	KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
	msc_test_pass(f, RECOVERY_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x7c);
	msc_test_write(&f->chip, MSC_RFLG, 0x40);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x40);
}

/* The status does not change while CSCIF is set. */
static void status_is_kept_while_flag_is_set(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, 0);
	msc_test_write(&f->chip, MSC_RIER, 0x7c);
	msc_test_set_counters(&f->chip, 100, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x44);
	msc_test_set_counters(&f->chip, 200, 100);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x44);
	msc_test_write(&f->chip, MSC_RFLG, 0x7c);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x58);
	KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
	msc_test_write(&f->chip, MSC_RFLG, 0x40);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x18);
	KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
}

/* Without another node the chip becomes error passive, and stays so. */
static void single_node_stays_passive(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, 0);
	msc_test_write(&f->chip, MSC_RIER, 0x7c);
	msc_test_send(&f->chip, 0, &a_frame, 0);
	msc_test_pass(f, 13 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x44);
	msc_test_write(&f->chip, MSC_RFLG, 0x40);
	msc_test_pass(f, 100 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x48);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.tec, 128);
	peer_on(f);
	msc_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x07);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
}

/* Error counters (3.2.14, 3.2.15) */

static void error_counters(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, 0);
	msc_test_start(f, &f->other, 0);
	msc_test_set_counters(&f->chip, 17, 42);
	msc_test_set_counters(&f->other, 256, 42);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TXERR), 17);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RXERR), 42);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->other, MSC_TXERR), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->other, MSC_RXERR), 0);
	msc_test_write(&f->other, MSC_CTL0, MSC_CTL0_SLPRQ);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->other, MSC_TXERR), 255);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->other, MSC_RXERR), 42);
	msc_test_write(&f->other, MSC_CTL0, MSC_CTL0_SLPRQ | MSC_CTL0_INITRQ);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->other, MSC_TXERR), 255);
}

/* Bus off (5.2) */

/* 32 errors in attempts to send a frame */
static void msc_test_go_bus_off(struct kunit *test, struct can_sim_mscan *mscan)
{
	struct fixture *f = test->priv;

	msc_test_disturb(f, CAN_SIM_BIT_ERROR, 32);
	msc_test_send(mscan, 0, &a_frame, 0);
	while (mscan->chip.node.state != CAN_SIM_BUS_OFF)
		KUNIT_ASSERT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_EQ(test, mscan->chip.node.stats.errors, 32);
	KUNIT_EXPECT_EQ(test,
			msc_test_read(mscan, MSC_RFLG) & MSC_RFLG_STATUS,
			0x3c);
	KUNIT_EXPECT_EQ(test, msc_test_read(mscan, MSC_TFLG), 0x06);
}

/* The chip recovers by itself and sends waiting frames. */
static void msc_test_automatic_recovery(struct kunit *test,
					struct can_sim_mscan *mscan)
{
	struct fixture *f = test->priv;

	msc_test_start(f, mscan, 0);
	peer_on(f);
	msc_test_go_bus_off(test, mscan);
	KUNIT_EXPECT_EQ(test, msc_test_read(mscan, MSC_MISC), 0);
	f->now = f->bus.idle;
	msc_test_pass(f, AFTER_ERROR_NS - 1);
	KUNIT_EXPECT_EQ(test, msc_test_read(mscan, MSC_RFLG), 0x3c);
	msc_test_pass(f, 1);
	KUNIT_EXPECT_EQ(test, msc_test_read(mscan, MSC_RFLG), 0);
	KUNIT_EXPECT_EQ(test, mscan->chip.node.tec, 0);
	msc_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(mscan, MSC_TFLG), 0x07);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
}

static void recovery_of_mpc5200(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, MSC_CTL1_LISTEN);
	msc_test_automatic_recovery(test, &f->other);
}

static void recovery_of_mpc5121(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_automatic_recovery(test, &f->chip);
}

/* The sequences precede the request. */
static void bus_off_is_held(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, MSC_CTL1_BORM);
	peer_on(f);
	msc_test_go_bus_off(test, &f->chip);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_MISC),
			MSC_MISC_BOHOLD);
	msc_test_write(&f->chip, MSC_RIER, 0x7c);
	msc_test_pass(f, 3 * RECOVERY_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x3c);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_MISC),
			MSC_MISC_BOHOLD);
	msc_test_write(&f->chip, MSC_MISC, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_MISC),
			MSC_MISC_BOHOLD);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);

	msc_test_write(&f->chip, MSC_MISC, MSC_MISC_BOHOLD);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_MISC), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_CSCIF);
	KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
	msc_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x07);
}

/* The request precedes the sequences. */
static void bus_off_is_released_early(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, MSC_CTL1_BORM);
	peer_on(f);
	msc_test_go_bus_off(test, &f->chip);
	f->now = f->bus.idle;
	msc_test_pass(f, AFTER_ERROR_NS - JOIN_NS);
	msc_test_write(&f->chip, MSC_MISC, MSC_MISC_BOHOLD);
	msc_test_write(&f->chip, MSC_RIER, 0x7c);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_MISC), 0);
	msc_test_pass(f, JOIN_NS - 1);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x3c);
	KUNIT_EXPECT_FALSE(test, f->chip.interrupting);
	msc_test_pass(f, 1);
	KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_CSCIF);
	msc_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
}

/* Neither initialisation nor sleep mode ends bus off; both stop the recovery. */
static void msc_test_bus_off_lasts(struct kunit *test, u8 mode)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, 0);
	msc_test_set_counters(&f->chip, 256, 0);
	msc_test_pass(f, 100 * JOIN_NS);
	msc_test_write(&f->chip, MSC_CTL0, mode);
	msc_test_pass(f, 3 * RECOVERY_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x3c);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TXERR), 255);
	msc_test_write(&f->chip, MSC_CTL0, 0);
	msc_test_pass(f, 28 * JOIN_NS - 1);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x3c);
	msc_test_pass(f, 1);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TXERR), 0);
}

static void bus_off_lasts_in_initialisation(struct kunit *test)
{
	msc_test_bus_off_lasts(test, MSC_CTL0_INITRQ);
}

static void bus_off_lasts_in_sleep(struct kunit *test)
{
	msc_test_bus_off_lasts(test, MSC_CTL0_SLPRQ);
}

/* As when the driver restarts a chip that was stopped while it was held */
static void held_bus_off_is_released_in_initialisation(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, MSC_CTL1_BORM);
	peer_on(f);
	msc_test_set_counters(&f->chip, 256, 0);
	msc_test_pass(f, 2 * RECOVERY_NS);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_INITRQ);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_MISC),
			MSC_MISC_BOHOLD);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x3c);

	/* without release it is still bus off afterwards */
	msc_test_write(&f->chip, MSC_CTL0, 0);
	msc_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_CTL0), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0x3c);

	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_INITRQ);
	msc_test_write(&f->chip, MSC_MISC, MSC_MISC_BOHOLD);
	msc_test_write(&f->chip, MSC_CTL0, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_MISC), 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0);
	peer_sends(f, &a_frame, 1);
	msc_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_RXF);
}

/* Listen only and loop back (3.2.2) */

static void listen_only(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, MSC_CTL1_LISTEN);
	peer_on(f);
	peer_sends(f, &a_frame, 1);
	msc_test_pass(f, 3 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 1);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0);
	msc_test_start(f, &f->other, 0);
	msc_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_RXF);
	KUNIT_EXPECT_TRUE(test, msc_test_foreground_is(&f->chip, &a_frame));
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.rec, 0);

	msc_test_send(&f->chip, 0, &a_frame, 0);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x07);
	msc_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
}

/* The chip receives its own frame only, after the time of its bits. */
static void loop_back(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 ns = (can_sim_wire_length(&a_frame) + 3) * BIT_NS;

	msc_test_start(f, &f->chip, MSC_CTL1_LOOPB);
	peer_on(f);
	peer_sends(f, &short_frame, 1);
	msc_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.to_send, 1);
	msc_test_send(&f->chip, 2, &a_frame, 1);
	msc_test_send(&f->chip, 1, &a_frame, 0);
	msc_test_write(&f->chip, MSC_TARQ, 0x04);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_SLPRQ);
	msc_test_pass(f, ns - 1);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x01);
	msc_test_pass(f, 1);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x05);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG),
			MSC_RFLG_RXF);
	KUNIT_EXPECT_TRUE(test, msc_test_foreground_is(&f->chip, &a_frame));
	KUNIT_EXPECT_FALSE(test,
			   msc_test_read(&f->chip, MSC_CTL1) & MSC_CTL1_SLPAK);
	msc_test_pass(f, ns);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x07);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TAAK), 0);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
	KUNIT_EXPECT_TRUE(test,
			  msc_test_read(&f->chip, MSC_CTL1) & MSC_CTL1_SLPAK);
}

static void loop_back_restarts(struct kunit *test)
{
	struct fixture *f = test->priv;

	msc_test_start(f, &f->chip, MSC_CTL1_LOOPB);
	msc_test_send(&f->chip, 0, &a_frame, 0);
	msc_test_pass(f, 20 * BIT_NS);
	msc_test_write(&f->chip, MSC_CTL0, MSC_CTL0_INITRQ);
	msc_test_write(&f->chip, MSC_CTL0, 0);
	msc_test_send(&f->chip, 1, &short_frame, 0);
	msc_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_TFLG), 0x07);
	KUNIT_EXPECT_TRUE(test, msc_test_foreground_is(&f->chip, &short_frame));
	msc_test_write(&f->chip, MSC_RFLG, MSC_RFLG_RXF);
	KUNIT_EXPECT_EQ(test, msc_test_read(&f->chip, MSC_RFLG), 0);
}

/* Bit timing (3.2.3, 3.2.4): 33 MHz / (3 * (1 + 8 + 2)) */
static void bit_timing(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int bits = can_sim_wire_length(&a_frame);
	u64 began;

	f->chip.clock = 33000000;
	msc_test_write(&f->chip, MSC_CTL1, MSC_CTL1_CANE);
	msc_test_write(&f->chip, MSC_BTR0, 0xc2);
	msc_test_write(&f->chip, MSC_BTR1, 0x97);
	msc_test_write(&f->chip, MSC_CTL0, 0);
	peer_on(f);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.timing.sjw, 4);
	msc_test_send(&f->chip, 0, &a_frame, 0);
	began = f->now;
	KUNIT_EXPECT_TRUE(test, msc_test_pass_frame(f));
	KUNIT_EXPECT_EQ(test, f->now - began, bits * 1000);
}

/* Two chips send each other frames with all three buffers. */

struct sender {
	struct can_sim_mscan *mscan;
	struct can_sim_frame frame[MSC_TX_BUFFERS];
	u8 priority[MSC_TX_BUFFERS];
	u8 full;
	unsigned int sent;
};

/* Identifiers are odd for one of them, and even for the other. */
static void msc_test_refill(struct fixture *f, struct sender *sender)
{
	unsigned int i;

	for (i = 0; i < MSC_TX_BUFFERS; i++) {
		struct can_sim_frame *frame = &sender->frame[i];

		if (sender->full & BIT(i) || prandom_u32_state(&f->rnd) & 1)
			continue;
		*frame = msc_test_random_frame(f);
		frame->id &= ~1;
		frame->id |= sender->mscan == &f->chip;
		sender->priority[i] = prandom_u32_state(&f->rnd) & 3;
		msc_test_send(sender->mscan, i, frame, sender->priority[i]);
		sender->full |= BIT(i);
	}
}

static unsigned int naive_choice(const struct sender *sender)
{
	unsigned int priority, i;

	for (priority = 0;; priority++)
		for (i = 0; i < MSC_TX_BUFFERS; i++)
			if (sender->full & BIT(i) &&
			    sender->priority[i] == priority)
				return i;
}

/* The other chip has received the frame of the sender that was on the bus, if
 * any.
 */
static void msc_test_check_exchange(struct kunit *test, struct sender *sender,
				    struct can_sim_mscan *receiver)
{
	u8 sent = msc_test_read(sender->mscan, MSC_TFLG) & sender->full;
	unsigned int choice;

	if (!sent) {
		KUNIT_ASSERT_EQ(test, msc_test_read(receiver, MSC_RFLG), 0);
		return;
	}
	choice = naive_choice(sender);
	KUNIT_ASSERT_EQ(test, sent, BIT(choice));
	KUNIT_ASSERT_EQ(test, msc_test_read(receiver, MSC_RFLG),
			MSC_RFLG_RXF);
	KUNIT_ASSERT_TRUE(test, msc_test_foreground_is(receiver,
						       &sender->frame[choice]));
	msc_test_write(receiver, MSC_RFLG, MSC_RFLG_RXF);
	sender->full &= ~sent;
	sender->sent++;
}

static void two_chips_exchange_frames(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct sender one = { .mscan = &f->chip };
	struct sender other = { .mscan = &f->other };
	unsigned int i;

	msc_test_start(f, &f->chip, 0);
	msc_test_start(f, &f->other, 0);
	for (i = 0; i < EXCHANGED; i++) {
		while (!one.full && !other.full) {
			msc_test_refill(f, &one);
			msc_test_refill(f, &other);
		}
		KUNIT_ASSERT_TRUE(test, msc_test_pass_frame(f));
		msc_test_check_exchange(test, &one, &f->other);
		msc_test_check_exchange(test, &other, &f->chip);
		msc_test_pass(f, 2 * BIT_NS);
		msc_test_refill(f, &one);
		msc_test_refill(f, &other);
	}
	KUNIT_EXPECT_EQ(test, one.sent + other.sent, EXCHANGED);
	KUNIT_EXPECT_GT(test, one.sent, EXCHANGED / 4);
	KUNIT_EXPECT_GT(test, other.sent, EXCHANGED / 4);
	KUNIT_EXPECT_EQ(test, f->bus.stats.errors, 0);
}

static void msc_test_add_chip(struct fixture *f, struct can_sim_mscan *mscan,
			      bool mpc5121)
{
	unsigned long flags;

	can_sim_mscan_init(mscan, mpc5121, msc_test_ignore_interrupt);
	mscan->clock = CLOCK_HZ;
	can_sim_bus_add(&f->bus, &mscan->chip.node);
	flags = can_sim_lock(&mscan->chip.node);
	can_sim_mscan_reset(mscan);
	can_sim_unlock(&mscan->chip.node, flags);
}

static int mscan_test_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	test->priv = f;
	f->now = NSEC_PER_SEC;
	prandom_seed_state(&f->rnd, 1);
	can_sim_bus_init(&f->bus, fixture_clock);
	msc_test_add_chip(f, &f->chip, true);
	msc_test_add_chip(f, &f->other, false);
	f->peer.node.ops = &peer_ops;
	can_sim_bus_add(&f->bus, &f->peer.node);
	return 0;
}

static struct kunit_case mscan_cases[] = {
	KUNIT_CASE(hardware_reset),
	KUNIT_CASE(reset_ends_bus_off),
	KUNIT_CASE(register_gaps),
	KUNIT_CASE(initialisation_protects),
	KUNIT_CASE(mpc5200_has_no_bus_off_hold),
	KUNIT_CASE(operation_registers),
	KUNIT_CASE(initialisation_handshake),
	KUNIT_CASE(initialisation_is_off_the_bus),
	KUNIT_CASE(synchronisation),
	KUNIT_CASE(disabled_chip_is_absent),
	KUNIT_CASE(sleep_handshake),
	KUNIT_CASE(sleep_and_initialisation),
	KUNIT_CASE(sleep_waits_for_reception),
	KUNIT_CASE(no_sleep_on_a_full_bus),
	KUNIT_CASE(sleep_after_a_broken_frame),
	KUNIT_CASE(sleep_waits_for_transmission),
	KUNIT_CASE(sleep_after_abort),
	KUNIT_CASE(sleep_waits_while_bus_off),
	KUNIT_CASE(sleep_stops_transmission_and_fifo),
	KUNIT_CASE(bus_wakes_up),
	KUNIT_CASE(bus_does_not_end_initialisation),
	KUNIT_CASE(errors_wake_up),
	KUNIT_CASE(fifo_depth),
	KUNIT_CASE(fifo_after_overrun),
	KUNIT_CASE(received_frame_flag),
	KUNIT_CASE(flags_and_interrupts),
	KUNIT_CASE(transmit_flags),
	KUNIT_CASE(window_selection),
	KUNIT_CASE(local_priority),
	KUNIT_CASE(priority_counts_when_a_frame_begins),
	KUNIT_CASE(abort_before_start),
	KUNIT_CASE(abort_too_late),
	KUNIT_CASE(abort_after_lost_arbitration),
	KUNIT_CASE(abort_after_error),
	KUNIT_CASE(error_is_repeated),
	KUNIT_CASE(filters),
	KUNIT_CASE(hit_indicator_follows_the_fifo),
	KUNIT_CASE(status_follows_counters),
	KUNIT_CASE(selected_status_changes),
	KUNIT_CASE(receiver_status_shows_bus_off),
	KUNIT_CASE(status_is_kept_while_flag_is_set),
	KUNIT_CASE(single_node_stays_passive),
	KUNIT_CASE(error_counters),
	KUNIT_CASE(recovery_of_mpc5200),
	KUNIT_CASE(recovery_of_mpc5121),
	KUNIT_CASE(bus_off_is_held),
	KUNIT_CASE(bus_off_is_released_early),
	KUNIT_CASE(bus_off_lasts_in_initialisation),
	KUNIT_CASE(bus_off_lasts_in_sleep),
	KUNIT_CASE(held_bus_off_is_released_in_initialisation),
	KUNIT_CASE(listen_only),
	KUNIT_CASE(loop_back),
	KUNIT_CASE(loop_back_restarts),
	KUNIT_CASE(bit_timing),
	KUNIT_CASE(two_chips_exchange_frames),
	{}
};

static struct kunit_suite mscan_suite = {
	.name = "can-sim-mscan",
	.init = mscan_test_init,
	.test_cases = mscan_cases,
};

kunit_test_suite(mscan_suite);

MODULE_DESCRIPTION("KUnit suite of the simulated MSCAN");
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_LICENSE("GPL");
