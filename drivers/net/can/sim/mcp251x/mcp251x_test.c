// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the model of the MCP2510 and MCP2515 by SPI commands.
 *
 * Two chips and a node without registers are on a bus whose clock the test
 * sets, so everything runs in the context of the test. Commands take no time,
 * except in the tests of transfers. Each command takes the bus's lock, as the
 * SPI controller does.
 *
 * Sections, tables and figures are those of DS20001801J unless said otherwise.
 */
#include <kunit/test.h>
#include <linux/bitfield.h>
#include <linux/can.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "mcp251x-command.h"

#define CRYSTAL 16000000

/* 1 Mbit/s with eight quanta of two cycles of the crystal */
#define CNF1_1M		0x00
#define CNF2_1M		(MCP_BTLMODE | FIELD_PREP(MCP_PHSEG1, 2) | 1)
#define CNF3_1M		1
#define BIT_NS		1000

/* Longer than any frame or error frame with eleven recessive bits */
#define FRAME_NS	(200 * BIT_NS)

/* A byte at 10 MHz */
#define SPI_HZ		10000000
#define BYTE_NS		800

#define MAX_SPI	16

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
	struct can_sim_mcp251x chip;
	struct can_sim_mcp251x other;
	struct peer peer;
	u64 now;
	struct rnd_state rnd;
	unsigned int transfers;
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

static void mcp_test_ignore_interrupt(struct can_sim_mcp251x *mcp, bool active)
{
}

static void mcp_test_count_transfer(struct can_sim_mcp251x *mcp)
{
	container_of(mcp, struct fixture, chip)->transfers++;
}

/* Accesses to the chips */

static void mcp_test_spi(struct can_sim_mcp251x *mcp, const u8 *tx, u8 *rx,
			 unsigned int len)
{
	unsigned long flags = can_sim_lock(&mcp->chip.node);
	unsigned int i;

	can_sim_mcp251x_select(mcp, true);
	for (i = 0; i < len; i++) {
		u8 out = can_sim_mcp251x_byte(mcp, tx[i]);

		if (rx)
			rx[i] = out;
	}
	can_sim_mcp251x_select(mcp, false);
	can_sim_unlock(&mcp->chip.node, flags);
}

static void mcp_test_command(struct can_sim_mcp251x *mcp, u8 byte)
{
	mcp_test_spi(mcp, &byte, NULL, 1);
}

static u8 mcp_test_read_reg(struct can_sim_mcp251x *mcp, u8 address)
{
	u8 tx[3] = { MCP_READ, address }, rx[3];

	mcp_test_spi(mcp, tx, rx, sizeof(tx));
	return rx[2];
}

static void mcp_test_write_reg(struct can_sim_mcp251x *mcp, u8 address,
			       u8 value)
{
	u8 tx[3] = { MCP_WRITE, address, value };

	mcp_test_spi(mcp, tx, NULL, sizeof(tx));
}

static void mcp_test_modify_reg(struct can_sim_mcp251x *mcp, u8 address,
				u8 mask, u8 value)
{
	u8 tx[4] = { MCP_BIT_MODIFY, address, mask, value };

	mcp_test_spi(mcp, tx, NULL, sizeof(tx));
}

/* Read the byte after a command of one byte. */
static u8 mcp_test_query(struct can_sim_mcp251x *mcp, u8 byte)
{
	u8 tx[2] = { byte }, rx[2];

	mcp_test_spi(mcp, tx, rx, sizeof(tx));
	return rx[1];
}

static void mcp_test_set_mode(struct can_sim_mcp251x *mcp, unsigned int mode)
{
	mcp_test_modify_reg(mcp, MCP_CANCTRL, MCP_REQOP,
			    FIELD_PREP(MCP_REQOP, mode));
}

static unsigned int mcp_test_get_mode(struct can_sim_mcp251x *mcp)
{
	return FIELD_GET(MCP_OPMOD, mcp_test_read_reg(mcp, MCP_CANSTAT));
}

static u8 mcp_test_flags_of(struct can_sim_mcp251x *mcp)
{
	return mcp_test_read_reg(mcp, MCP_CANINTF);
}

static void mcp_test_put_id(u8 *id, u32 can_id)
{
	u32 base = can_id & CAN_EFF_FLAG ? (can_id & CAN_EFF_MASK) >> 18 :
					   can_id & CAN_SFF_MASK;

	memset(id, 0, 4);
	id[0] = base >> 3;
	id[1] = base << 5;
	if (!(can_id & CAN_EFF_FLAG))
		return;
	id[1] |= 0x08 | (can_id >> 16 & 3);
	id[2] = can_id >> 8;
	id[3] = can_id;
}

static void mcp_test_load_tx(struct can_sim_mcp251x *mcp, unsigned int buffer,
			     const struct can_sim_frame *frame)
{
	u8 tx[15] = { MCP_WRITE, MCP_TXB(buffer) + 1 };

	mcp_test_put_id(tx + 2, frame->id);
	tx[6] = frame->dlc | (frame->id & CAN_RTR_FLAG ? 0x40 : 0);
	memcpy(tx + 7, frame->data, 8);
	mcp_test_spi(mcp, tx, NULL, sizeof(tx));
}

static void mcp_test_request(struct can_sim_mcp251x *mcp, unsigned int buffer)
{
	mcp_test_command(mcp, MCP_REQUEST | BIT(buffer));
}

static u8 mcp_test_tx_ctrl(struct can_sim_mcp251x *mcp, unsigned int buffer)
{
	return mcp_test_read_reg(mcp, MCP_TXB(buffer));
}

static void mcp_test_send(struct can_sim_mcp251x *mcp, unsigned int buffer,
			  u32 id)
{
	struct can_sim_frame frame = { .id = id };

	mcp_test_load_tx(mcp, buffer, &frame);
	mcp_test_request(mcp, buffer);
}

/* Take the frame from a receive buffer, as a driver of the MCP2515 does. */
static void mcp_test_read_rx(struct can_sim_mcp251x *mcp, unsigned int buffer,
			     struct can_sim_frame *frame)
{
	u8 tx[14] = { MCP_READ_RX | buffer << 2 }, rx[14];

	mcp_test_spi(mcp, tx, rx, sizeof(tx));
	memset(frame, 0, sizeof(*frame));
	frame->id = rx[1] << 3 | rx[2] >> 5;
	if (rx[2] & 0x08)
		frame->id = CAN_EFF_FLAG | frame->id << 18 |
			    (rx[2] & 3) << 16 | rx[3] << 8 | rx[4];
	if (rx[2] & 0x08 ? rx[5] & 0x40 : rx[2] & 0x10)
		frame->id |= CAN_RTR_FLAG;
	frame->dlc = rx[5] & 0x0f;
	memcpy(frame->data, rx + 6, can_sim_frame_len(frame));
}

/* Make the bus handle all events up to now. */
static void mcp_test_sync(struct fixture *f)
{
	unsigned long flags = can_sim_lock(&f->peer.node);

	can_sim_unlock(&f->peer.node, flags);
}

static void mcp_test_pass(struct fixture *f, u64 ns)
{
	f->now += ns;
	mcp_test_sync(f);
}

/* Set the clock to the end of the present frame or error frame.
 *
 * Return: false if there is none.
 */
static bool mcp_test_pass_frame(struct fixture *f)
{
	u64 before;

	mcp_test_sync(f);
	before = f->bus.records;
	while (f->bus.records == before) {
		if (f->bus.next == CAN_SIM_NEVER)
			return false;
		f->now = max(f->now, f->bus.next);
		mcp_test_sync(f);
	}
	return true;
}

static void peer_send_frame(struct fixture *f,
			    const struct can_sim_frame *frame)
{
	unsigned long flags = can_sim_lock(&f->peer.node);

	f->peer.out = *frame;
	f->peer.to_send = 1;
	can_sim_node_request(&f->peer.node);
	can_sim_unlock(&f->peer.node, flags);
}

static void peer_send(struct fixture *f, u32 id)
{
	struct can_sim_frame frame = { .id = id };

	peer_send_frame(f, &frame);
}

/* The peer sends a frame, up to its end. */
static void mcp_test_receive(struct fixture *f, u32 id)
{
	peer_send(f, id);
	mcp_test_pass_frame(f);
}

static void peer_off(struct fixture *f)
{
	unsigned long flags = can_sim_lock(&f->peer.node);

	can_sim_node_off(&f->peer.node);
	can_sim_unlock(&f->peer.node, flags);
}

/* The next frames end with bit errors. */
static void mcp_test_disturb(struct fixture *f, unsigned int frames)
{
	f->bus.inject = (struct can_sim_inject){
		.type = CAN_SIM_BIT_ERROR,
		.frames = frames,
		.bit = 40,
	};
}

/* Start a chip like a driver, without filters. */
static void mcp_test_configure(struct can_sim_mcp251x *mcp)
{
	mcp_test_write_reg(mcp, MCP_CNF1, CNF1_1M);
	mcp_test_write_reg(mcp, MCP_CNF2, CNF2_1M);
	mcp_test_write_reg(mcp, MCP_CNF3, CNF3_1M);
	mcp_test_write_reg(mcp, MCP_RXB(0), MCP_RXM_BITS | MCP_BUKT);
	mcp_test_write_reg(mcp, MCP_RXB(1), MCP_RXM_BITS);
}

static void mcp_test_start(struct fixture *f, struct can_sim_mcp251x *mcp)
{
	mcp_test_configure(mcp);
	mcp_test_set_mode(mcp, MCP_NORMAL);
	mcp_test_pass(f, FRAME_NS);
}

static void mcp_test_add_chip(struct fixture *f, struct can_sim_mcp251x *mcp)
{
	unsigned long flags;

	mcp->chip.node.ops = &can_sim_mcp251x_ops;
	mcp->interrupt = mcp_test_ignore_interrupt;
	mcp->transfer_done = mcp_test_count_transfer;
	mcp->crystal = CRYSTAL;
	can_sim_bus_add(&f->bus, &mcp->chip.node);
	flags = can_sim_lock(&mcp->chip.node);
	can_sim_mcp251x_power_on(mcp);
	can_sim_unlock(&mcp->chip.node, flags);
}

static void mcp_test_add_peer(struct fixture *f)
{
	struct can_sim_node *node = &f->peer.node;
	unsigned long flags;

	node->ops = &peer_ops;
	node->timing = (struct can_sim_timing){
		.clock = CRYSTAL, .brp = 2, .seg1 = 5, .seg2 = 2, .sjw = 1,
	};
	can_sim_bus_add(&f->bus, node);
	flags = can_sim_lock(node);
	can_sim_node_on(node);
	can_sim_unlock(node, flags);
}

static int mcp251x_test_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	test->priv = f;
	prandom_seed_state(&f->rnd, 2515);
	can_sim_bus_init(&f->bus, fixture_clock);
	mcp_test_add_chip(f, &f->chip);
	mcp_test_add_chip(f, &f->other);
	mcp_test_add_peer(f);
	mcp_test_pass(f, FRAME_NS);
	return 0;
}

static void mcp_test_make_mcp2510(struct fixture *f)
{
	f->chip.mcp2510 = true;
	mcp_test_command(&f->chip, MCP_RESET);
}

/* Registers (section 11) */

struct reg_case {
	u8 address;
	u8 reset;
	u8 writable;	/* in configuration mode */
	u8 always;	/* in normal mode */
	bool modifiable;
	u8 reads;	/* in addition to written bits: pins */
};

/* Everything but buffers, filters and masks (table 11-2) */
static const struct reg_case reg_cases[] = {
	{ 0x0c, 0x00, 0x3f, 0x3f, true },
	{ 0x0d, 0x38, 0x07, 0x00, true, 0x38 },
	{ 0x1c, 0x00, 0x00, 0x00, false },
	{ 0x1d, 0x00, 0x00, 0x00, false },
	{ 0x28, 0x00, 0xc7, 0x00, true },
	{ 0x29, 0x00, 0xff, 0x00, true },
	{ 0x2a, 0x00, 0xff, 0x00, true },
	{ 0x2b, 0x00, 0xff, 0xff, true },
	{ 0x2c, 0x00, 0xff, 0xff, true },
	{ 0x2d, 0x00, 0xc0, 0xc0, true },
	{ 0x30, 0x00, 0x0b, 0x0b, true },
	{ 0x40, 0x00, 0x0b, 0x0b, true },
	{ 0x50, 0x00, 0x0b, 0x0b, true },
	{ 0x60, 0x00, 0x64, 0x64, true },
	{ 0x70, 0x00, 0x60, 0x60, true },
};

/* Return: value of a register after a write. Buffer-full pins and request pins
 * have no state (registers 3-2, 4-3); BUKT has a copy.
 */
static u8 mcp_test_expected_value(const struct reg_case *c, u8 value)
{
	if (c->address == 0x0c)
		return value & ~((value & 0x03) << 4);
	if (c->address == 0x0d)
		return value | (~value & 0x07) << 3;
	if (c->address == 0x60)
		return value | (value & 0x04) >> 1;
	return value;
}

static void registers_after_reset(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reg_cases); i++)
		mcp_test_write_reg(&f->chip, reg_cases[i].address,
				   (u8)~reg_cases[i].reset & 0xf7);
	mcp_test_command(&f->chip, MCP_RESET);
	for (i = 0; i < ARRAY_SIZE(reg_cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, mcp_test_read_reg(&f->chip,
							    reg_cases[i].address),
				    reg_cases[i].reset, "register %02x",
				    reg_cases[i].address);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_CANSTAT), 0x80);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_CANCTRL), 0x87);
	mcp_test_make_mcp2510(f);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_CANSTAT), 0x80);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_CANCTRL), 0xe7);
}

static void reset_leaves_buffers_and_filters(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_write_reg(&f->chip, can_sim_mcp251x_rxf(4), 0x5a);
	mcp_test_write_reg(&f->chip, MCP_RXM(1), 0xa5);
	mcp_test_write_reg(&f->chip, MCP_TXB(2) + MCP_DATA, 0x77);
	mcp_test_command(&f->chip, MCP_RESET);
	KUNIT_EXPECT_EQ(test,
			mcp_test_read_reg(&f->chip, can_sim_mcp251x_rxf(4)),
			0x5a);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_RXM(1)), 0xa5);
	KUNIT_EXPECT_EQ(test,
			mcp_test_read_reg(&f->chip, MCP_TXB(2) + MCP_DATA),
			0x77);
}

/* Write all values to a register, but for TXREQ, which other tests set. */
static void mcp_test_check_writable(struct kunit *test,
				    const struct reg_case *c, u8 bits)
{
	struct fixture *f = test->priv;
	unsigned int value;

	bits &= c->address >= 0x30 && c->address <= 0x50 ? 0xf7 : 0xff;
	for (value = 0; value < 256; value++) {
		u8 written = value & (bits | (u8)~c->writable);

		mcp_test_write_reg(&f->chip, c->address, written);
		KUNIT_ASSERT_EQ_MSG(test,
				    mcp_test_read_reg(&f->chip, c->address),
				    mcp_test_expected_value(c, written & bits),
				    "%02x to register %02x", value, c->address);
	}
	mcp_test_write_reg(&f->chip, c->address, 0);
}

static void registers_are_writable_in_configuration_mode(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reg_cases); i++)
		mcp_test_check_writable(test, &reg_cases[i],
					reg_cases[i].writable);
}

static void registers_are_writable_in_normal_mode(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;
	u8 old;

	mcp_test_set_mode(&f->chip, MCP_NORMAL);
	for (i = 0; i < ARRAY_SIZE(reg_cases); i++) {
		if (reg_cases[i].always) {
			mcp_test_check_writable(test, &reg_cases[i],
						reg_cases[i].always);
			continue;
		}
		old = mcp_test_read_reg(&f->chip, reg_cases[i].address);
		mcp_test_write_reg(&f->chip, reg_cases[i].address, (u8)~old);
		KUNIT_EXPECT_EQ_MSG(test,
				    mcp_test_read_reg(&f->chip,
						      reg_cases[i].address),
				    old, "register %02x",
				    reg_cases[i].address);
	}
}

/* BIT MODIFY of the lower half of bits; other registers are written as a whole. */
static void bit_modify(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reg_cases); i++) {
		const struct reg_case *c = &reg_cases[i];
		u8 bits = c->writable & 0xf7;	/* not TXREQ */

		mcp_test_write_reg(&f->chip, c->address, 0xf2 & bits);
		mcp_test_modify_reg(&f->chip, c->address, 0x0f, 0x05);
		KUNIT_EXPECT_EQ_MSG(test,
				    mcp_test_read_reg(&f->chip, c->address),
				    mcp_test_expected_value(c, 0xf5 & bits),
				    "register %02x", c->address);
		mcp_test_write_reg(&f->chip, c->address, 0);
	}
	mcp_test_write_reg(&f->chip, can_sim_mcp251x_rxf(2), 0xf2);
	mcp_test_modify_reg(&f->chip, can_sim_mcp251x_rxf(2), 0x0f, 0x05);
	KUNIT_EXPECT_EQ(test,
			mcp_test_read_reg(&f->chip, can_sim_mcp251x_rxf(2)),
			0x05);
	mcp_test_write_reg(&f->chip, MCP_TXB(1) + MCP_DATA, 0xf2);
	mcp_test_modify_reg(&f->chip, MCP_TXB(1) + MCP_DATA, 0x0f, 0x05);
	KUNIT_EXPECT_EQ(test,
			mcp_test_read_reg(&f->chip, MCP_TXB(1) + MCP_DATA),
			0x05);
}

static void canstat_and_canctrl_are_in_each_row(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int row;

	for (row = 0; row < 0x80; row += 0x10) {
		u8 mode = row & 0x10 ? MCP_NORMAL : MCP_LISTEN_ONLY;

		mcp_test_modify_reg(&f->chip, row | 0x0f, 0xe3,
				    mode << 5 | row >> 5);
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, row | 0x0e),
				mode << 5);
		KUNIT_EXPECT_EQ(test,
				mcp_test_read_reg(&f->chip, 0x70 - row + 0x0f),
				mode << 5 | 0x04 | row >> 5);
		mcp_test_write_reg(&f->chip, row | 0x0e, 0xff);
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, 0x0e),
				mode << 5);
	}
}

/* Masks have no EXIDE; filters and masks are readable in configuration mode. */
static void filters_belong_to_configuration_mode(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i, j;

	for (i = 0; i < 8; i++) {
		u8 address = i < 6 ? can_sim_mcp251x_rxf(i) : MCP_RXM(i - 6);

		for (j = 0; j < 4; j++)
			mcp_test_write_reg(&f->chip, address + j, 0xff);
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, address),
				0xff);
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, address + 1),
				i < 6 ? 0xeb : 0xe3);
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, address + 3),
				0xff);
		mcp_test_set_mode(&f->chip, MCP_LISTEN_ONLY);
		for (j = 0; j < 4; j++) {
			mcp_test_write_reg(&f->chip, address + j, 0x11);
			KUNIT_EXPECT_EQ(test,
					mcp_test_read_reg(&f->chip, address + j), 0);
		}
		mcp_test_set_mode(&f->chip, MCP_CONFIG);
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, address + 2),
				0xff);
	}
}

static void tx_buffers_are_locked_while_requested(struct kunit *test)
{
	static const u8 bits[] = { 0xff, 0xeb, 0xff, 0xff, 0x4f, 0xff, 0xff };
	struct fixture *f = test->priv;
	unsigned int i, j;

	for (i = 0; i < 3; i++) {
		for (j = 0; j < ARRAY_SIZE(bits); j++) {
			u8 address = MCP_TXB(i) + 1 + j;

			mcp_test_write_reg(&f->chip, address, 0xff);
			KUNIT_EXPECT_EQ(test,
					mcp_test_read_reg(&f->chip, address),
					bits[j]);
			mcp_test_write_reg(&f->chip, MCP_TXB(i), MCP_TXREQ);
			mcp_test_write_reg(&f->chip, address, 0);
			KUNIT_EXPECT_EQ(test,
					mcp_test_read_reg(&f->chip, address),
					bits[j]);
			mcp_test_write_reg(&f->chip, MCP_TXB(i), 0);
		}
	}
}

static void rx_buffers_cannot_be_written(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i, j;

	for (i = 0; i < 2; i++)
		for (j = 1; j < 14; j++) {
			mcp_test_write_reg(&f->chip, MCP_RXB(i) + j, 0xff);
			KUNIT_EXPECT_EQ(test,
					mcp_test_read_reg(&f->chip, MCP_RXB(i) + j), 0);
		}
}

/* Commands (section 12) */

static void addresses_increment_and_wrap(struct kunit *test)
{
	u8 tx[MAX_SPI] = { MCP_WRITE, 0x0b, 0x12, 0x14, 0x02, 0xff, 0x87, 0x34 };
	struct fixture *f = test->priv;
	u8 rx[MAX_SPI];

	mcp_test_spi(&f->chip, tx, NULL, 8);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, 0x0b), 0x12);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, 0x0c), 0x14);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, 0x10), 0x34);

	mcp_test_write_reg(&f->chip, 0x00, 0x56);
	mcp_test_write_reg(&f->chip, 0x01, 0xe1);
	tx[0] = MCP_READ;
	tx[1] = 0x7e;
	mcp_test_spi(&f->chip, tx, rx, 6);
	KUNIT_EXPECT_EQ(test, rx[2], 0x80);
	KUNIT_EXPECT_EQ(test, rx[3], 0x87);
	KUNIT_EXPECT_EQ(test, rx[4], 0x56);
	KUNIT_EXPECT_EQ(test, rx[5], 0xe1);
}

static void load_tx_buffer(struct kunit *test)
{
	static const u8 address[] = { 0x31, 0x36, 0x41, 0x46, 0x51, 0x56 };
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(address); i++) {
		u8 tx[3] = { MCP_LOAD_TX | i, 0x21 + i, 0x41 + i };

		mcp_test_spi(&f->chip, tx, NULL, sizeof(tx));
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, address[i]),
				0x21 + i);
		KUNIT_EXPECT_EQ(test,
				mcp_test_read_reg(&f->chip, address[i] + 1),
				(i & 1 ? 0xff : 0xeb) & (0x41 + i));
	}
}

/* Identifier, length and data with one command; excess bytes are ignored. */
static void load_tx_buffer_ends(struct kunit *test)
{
	u8 tx[16] = { MCP_LOAD_TX, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
		      0, 0 };
	struct fixture *f = test->priv;

	mcp_test_spi(&f->chip, tx, NULL, sizeof(tx));
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, 0x31), 1);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, 0x3d), 13);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_CANCTRL), 0x87);
}

static void read_rx_buffer(struct kunit *test)
{
	static const u8 address[] = { 0x61, 0x66, 0x71, 0x76 };
	struct fixture *f = test->priv;
	unsigned int i;

	mcp_test_start(f, &f->chip);
	for (i = 0; i < ARRAY_SIZE(address); i++) {
		f->chip.reg[address[i]] = 0x31 + i;
		f->chip.reg[address[i] + 1] = 0x41 + i;
	}
	for (i = 0; i < ARRAY_SIZE(address); i++) {
		u8 tx[3] = { MCP_READ_RX | i << 1 }, rx[3];

		mcp_test_write_reg(&f->chip, MCP_CANINTF, 0xff);
		mcp_test_spi(&f->chip, tx, rx, sizeof(tx));
		KUNIT_EXPECT_EQ(test, rx[1], 0x31 + i);
		KUNIT_EXPECT_EQ(test, rx[2], 0x41 + i);
		KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip),
				i < 2 ? 0xfe : 0xfd);
	}
}

/* Also after the command byte only; READ clears nothing. */
static void read_rx_buffer_clears_when_deselected(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct can_sim_mcp251x *mcp = &f->chip;
	unsigned long flags;

	mcp_test_write_reg(mcp, MCP_CANINTF, 0xff);
	flags = can_sim_lock(&mcp->chip.node);
	can_sim_mcp251x_select(mcp, true);
	can_sim_mcp251x_byte(mcp, MCP_READ_RX);
	can_sim_mcp251x_byte(mcp, 0);
	KUNIT_EXPECT_EQ(test, mcp->reg[MCP_CANINTF], 0xff);
	can_sim_mcp251x_select(mcp, false);
	KUNIT_EXPECT_EQ(test, mcp->reg[MCP_CANINTF], 0xfe);
	can_sim_unlock(&mcp->chip.node, flags);
	mcp_test_read_reg(mcp, 0x71);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(mcp), 0xfe);
}

static void requests_to_send(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i, buffers;

	for (buffers = 0; buffers < 8; buffers++) {
		mcp_test_command(&f->chip, MCP_REQUEST | buffers);
		for (i = 0; i < 3; i++) {
			KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, i),
					buffers & BIT(i) ? MCP_TXREQ : 0);
			mcp_test_write_reg(&f->chip, MCP_TXB(i), 0);
		}
	}
}

/* Figure 12-8, for all flags at once with random requests */
static void read_status(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int flags, i;

	for (flags = 0; flags < 256; flags++) {
		u32 req = prandom_u32_state(&f->rnd);
		u8 expected = (flags & 0x03) | (flags & 0x04) << 1 |
			      (flags & 0x08) << 2 | (flags & 0x10) << 3;

		for (i = 0; i < 3; i++) {
			mcp_test_write_reg(&f->chip, MCP_TXB(i),
					   req & BIT(i) ? 8 : 0);
			expected |= (req >> i & 1) << (2 + 2 * i);
		}
		mcp_test_write_reg(&f->chip, MCP_CANINTF, flags);
		KUNIT_EXPECT_EQ(test, mcp_test_query(&f->chip, MCP_READ_STATUS),
				expected);
	}
}

static void status_is_repeated(struct kunit *test)
{
	u8 tx[5] = { MCP_READ_STATUS }, rx[5];
	struct fixture *f = test->priv;

	mcp_test_write_reg(&f->chip, MCP_CANINTF, 0x11);
	mcp_test_spi(&f->chip, tx, rx, sizeof(tx));
	KUNIT_EXPECT_EQ(test, rx[1], 0x81);
	KUNIT_EXPECT_EQ(test, rx[4], 0x81);
	tx[0] = MCP_RX_STATUS;
	mcp_test_spi(&f->chip, tx, rx, sizeof(tx));
	KUNIT_EXPECT_EQ(test, rx[1], 0x40);
	KUNIT_EXPECT_EQ(test, rx[4], 0x40);
}

/* Invalid commands, and bytes without chip select */
static void invalid_commands_are_ignored(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct can_sim_mcp251x *mcp = &f->chip;
	unsigned long flags;
	u8 reg[MCP_REGISTERS];
	unsigned int i;

	memcpy(reg, mcp->reg, sizeof(reg));
	for (i = 0; i < 256; i++) {
		u8 tx[4] = { i, 0x2b, 0xff, 0xff }, rx[4];

		if (i == MCP_WRITE || i == MCP_READ || i == MCP_BIT_MODIFY ||
		    (i >= 0x40 && i <= 0x45) || (i >= 0x80 && i <= 0x87) ||
		    (i >= 0x90 && i <= 0x96 && !(i & 1)) || i == 0xa0)
			continue;
		mcp_test_spi(mcp, tx, rx, sizeof(tx));
		KUNIT_EXPECT_EQ(test, rx[1] | rx[2] | rx[3], 0);
	}
	KUNIT_EXPECT_MEMEQ(test, reg, mcp->reg, sizeof(reg));

	flags = can_sim_lock(&mcp->chip.node);
	can_sim_mcp251x_byte(mcp, MCP_WRITE);
	can_sim_mcp251x_byte(mcp, MCP_CANINTE);
	KUNIT_EXPECT_EQ(test, can_sim_mcp251x_byte(mcp, 0xff), 0);
	can_sim_unlock(&mcp->chip.node, flags);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(mcp, MCP_CANINTE), 0);
}

static void mcp2510_lacks_commands(struct kunit *test)
{
	u8 tx[3] = { MCP_LOAD_TX, 0xff, 0xff };
	struct fixture *f = test->priv;

	mcp_test_make_mcp2510(f);
	mcp_test_spi(&f->chip, tx, NULL, sizeof(tx));
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, 0x31), 0);
	mcp_test_write_reg(&f->chip, MCP_CANINTF, 0x03);
	f->chip.reg[0x61] = 0x55;
	KUNIT_EXPECT_EQ(test, mcp_test_query(&f->chip, MCP_READ_RX), 0);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), 0x03);
	KUNIT_EXPECT_EQ(test, mcp_test_query(&f->chip, MCP_RX_STATUS), 0);
	KUNIT_EXPECT_EQ(test, mcp_test_query(&f->chip, MCP_READ_STATUS), 0x03);
	mcp_test_command(&f->chip, MCP_REQUEST | 4);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 2), MCP_TXREQ);
	mcp_test_modify_reg(&f->chip, MCP_CANCTRL, MCP_OSM, MCP_OSM);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_CANCTRL), 0xe7);
	mcp_test_write_reg(&f->chip, MCP_CNF3, 0xff);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_CNF3), 0x47);
}

/* Interrupts (section 7) */

/* Table 7-1 as conditions */
static unsigned int mcp_test_code_of(u8 active)
{
	if (active & 0x20)
		return 1;
	if (active & 0x40)
		return 2;
	if (active & 0x04)
		return 3;
	if (active & 0x08)
		return 4;
	if (active & 0x10)
		return 5;
	if (active & 0x01)
		return 6;
	return active & 0x02 ? 7 : 0;
}

static void interrupts_are_flags_and_enables(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int flags, round;

	for (flags = 0; flags < 256; flags++) {
		for (round = 0; round < 8; round++) {
			u8 enabled = prandom_u32_state(&f->rnd);

			mcp_test_write_reg(&f->chip, MCP_CANINTE, enabled);
			mcp_test_write_reg(&f->chip, MCP_CANINTF, flags);
			KUNIT_ASSERT_EQ(test, f->chip.interrupting,
					!!(flags & enabled));
			KUNIT_ASSERT_EQ(test, mcp_test_read_reg(&f->chip, MCP_CANSTAT),
					0x80 | mcp_test_code_of(flags & enabled) << 1);
		}
	}
}

/* Modes (section 10) */

static void modes_are_entered_immediately(struct kunit *test)
{
	static const u8 modes[] = {
		MCP_NORMAL, MCP_LISTEN_ONLY, MCP_LOOPBACK, MCP_NORMAL,
		MCP_CONFIG, MCP_LOOPBACK, MCP_LISTEN_ONLY, MCP_CONFIG,
		MCP_LISTEN_ONLY, MCP_NORMAL, MCP_LOOPBACK, MCP_CONFIG,
		MCP_SLEEP,
	};
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		mcp_test_set_mode(&f->chip, modes[i]);
		KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), modes[i]);
	}
}

static void invalid_modes_are_ignored(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int mode;

	mcp_test_set_mode(&f->chip, MCP_LISTEN_ONLY);
	for (mode = 5; mode < 8; mode++) {
		mcp_test_set_mode(&f->chip, mode);
		KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip),
				MCP_LISTEN_ONLY);
	}
}

static void modes_wait_for_requested_frames(struct kunit *test)
{
	static const u8 modes[] = {
		MCP_CONFIG, MCP_SLEEP, MCP_LISTEN_ONLY, MCP_LOOPBACK,
	};
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		mcp_test_command(&f->chip, MCP_RESET);
		mcp_test_start(f, &f->chip);
		mcp_test_send(&f->chip, 0, 0x100);
		mcp_test_send(&f->chip, 1, 0x101);
		mcp_test_set_mode(&f->chip, modes[i]);
		KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_NORMAL);
		mcp_test_pass_frame(f);
		KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_NORMAL);
		mcp_test_pass_frame(f);
		KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), modes[i]);
	}
	KUNIT_EXPECT_EQ(test, f->peer.got, 2 * ARRAY_SIZE(modes));
}

/* As when the driver stops the chip: a frame on the bus is sent to its end. */
static void modes_wait_for_the_end_of_an_aborted_frame(struct kunit *test)
{
	struct fixture *f = test->priv;

	peer_off(f);
	mcp_test_start(f, &f->chip);
	mcp_test_send(&f->chip, 0, 0x100);
	mcp_test_pass(f, 20 * BIT_NS);
	mcp_test_write_reg(&f->chip, MCP_TXB(0), 0);
	mcp_test_set_mode(&f->chip, MCP_SLEEP);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_NORMAL);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_SLEEP);
}

static void mode_request_can_be_cancelled(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_send(&f->chip, 0, 0x100);
	mcp_test_set_mode(&f->chip, MCP_CONFIG);
	mcp_test_set_mode(&f->chip, MCP_NORMAL);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_NORMAL);
}

static void requests_wait_for_normal_mode(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_configure(&f->chip);
	mcp_test_send(&f->chip, 2, 0x100);
	mcp_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
	mcp_test_set_mode(&f->chip, MCP_LISTEN_ONLY);
	mcp_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
	mcp_test_set_mode(&f->chip, MCP_NORMAL);
	mcp_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_TX(2));
}

static void sleep_ends_by_flag(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_configure(&f->chip);
	mcp_test_set_mode(&f->chip, MCP_SLEEP);
	mcp_test_set_mode(&f->chip, MCP_CONFIG);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_SLEEP);
	mcp_test_write_reg(&f->chip, MCP_CANINTF, MCP_WAK);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_SLEEP);
	mcp_test_write_reg(&f->chip, MCP_CANINTE, MCP_WAK);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_LISTEN_ONLY);
	KUNIT_EXPECT_TRUE(test, f->chip.interrupting);
	mcp_test_set_mode(&f->chip, MCP_CONFIG);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_CONFIG);
}

/* The frame that wakes the chip is lost, and the chip does not acknowledge it. */
static void sleep_ends_by_bus(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->other);
	mcp_test_configure(&f->chip);
	mcp_test_write_reg(&f->chip, MCP_CANINTE, MCP_WAK | MCP_RX(0));
	mcp_test_set_mode(&f->chip, MCP_SLEEP);
	mcp_test_pass(f, FRAME_NS);
	mcp_test_receive(f, 0x100);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_LISTEN_ONLY);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_WAK);
	mcp_test_receive(f, 0x101);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_WAK | MCP_RX(0));
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, 0x61), 0x101 >> 3);
}

static void sleep_continues_without_enable(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->other);
	mcp_test_configure(&f->chip);
	mcp_test_write_reg(&f->chip, MCP_CANINTE, MCP_WAK);
	mcp_test_set_mode(&f->chip, MCP_SLEEP);
	mcp_test_write_reg(&f->chip, MCP_CANINTE, 0);
	mcp_test_pass(f, FRAME_NS);
	mcp_test_receive(f, 0x100);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_SLEEP);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), 0);
	mcp_test_write_reg(&f->chip, MCP_CANINTE, MCP_WAK);
	mcp_test_pass(f, FRAME_NS);
	mcp_test_receive(f, 0x100);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_LISTEN_ONLY);
}

static void sleeping_chips_do_not_acknowledge(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_configure(&f->chip);
	mcp_test_write_reg(&f->chip, MCP_CANINTE, MCP_WAK);
	mcp_test_set_mode(&f->chip, MCP_SLEEP);
	mcp_test_pass(f, FRAME_NS);
	mcp_test_receive(f, 0x100);
	KUNIT_EXPECT_EQ(test, f->peer.node.tec, 8);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_LISTEN_ONLY);
}

static void loopback(struct kunit *test)
{
	struct can_sim_frame in, out = {
		.id = CAN_EFF_FLAG | 0x12345678, .dlc = 3, .data = "abc",
	};
	u64 ns = (can_sim_wire_length(&out) + 3) * BIT_NS;
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->other);
	mcp_test_configure(&f->chip);
	mcp_test_set_mode(&f->chip, MCP_LOOPBACK);
	mcp_test_load_tx(&f->chip, 1, &out);
	mcp_test_request(&f->chip, 1);
	mcp_test_set_mode(&f->chip, MCP_CONFIG);
	mcp_test_pass(f, ns - 1);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), 0);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 1), MCP_TXREQ);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_LOOPBACK);
	mcp_test_pass(f, 1);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip),
			MCP_TX(1) | MCP_RX(0));
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 1), 0);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_CONFIG);
	mcp_test_read_rx(&f->chip, 0, &in);
	KUNIT_EXPECT_MEMEQ(test, &in, &out, sizeof(in));
	KUNIT_EXPECT_EQ(test, f->bus.stats.frames, 0);
}

/* Frames are looped back one after the other, and frames on the bus are not
 * received.
 */
static void loopback_of_several_frames(struct kunit *test)
{
	struct can_sim_frame frame;
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->other);
	mcp_test_configure(&f->chip);
	mcp_test_send(&f->chip, 0, 0x200);
	mcp_test_send(&f->chip, 2, 0x202);
	mcp_test_set_mode(&f->chip, MCP_LOOPBACK);
	peer_send(f, 0x300);
	mcp_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip),
			MCP_TX(0) | MCP_TX(2) | MCP_RX(0) | MCP_RX(1));
	mcp_test_read_rx(&f->chip, 0, &frame);
	KUNIT_EXPECT_EQ(test, frame.id, 0x202);
	mcp_test_read_rx(&f->chip, 1, &frame);
	KUNIT_EXPECT_EQ(test, frame.id, 0x200);
}

static void listen_only_is_silent(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_configure(&f->chip);
	mcp_test_set_mode(&f->chip, MCP_LISTEN_ONLY);
	mcp_test_pass(f, FRAME_NS);
	mcp_test_receive(f, 0x100);
	KUNIT_EXPECT_EQ(test, f->peer.node.tec, 8);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_MERR);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_REC), 0);
	mcp_test_start(f, &f->other);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip),
			MCP_MERR | MCP_RX(0));
}

static void leaving_the_bus_clears_counters(struct kunit *test)
{
	static const u8 modes[] = { MCP_CONFIG, MCP_LISTEN_ONLY };
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		mcp_test_command(&f->chip, MCP_RESET);
		mcp_test_start(f, &f->chip);
		mcp_test_disturb(f, 14);
		mcp_test_send(&f->chip, 0, 0x100);
		mcp_test_pass(f, 14 * FRAME_NS);
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_TEC),
				14 * 8 - 1);
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG),
				MCP_TXWAR | MCP_EWARN);
		mcp_test_write_reg(&f->chip, MCP_CANINTF, 0);
		mcp_test_set_mode(&f->chip, modes[i]);
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_TEC), 0);
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG), 0);
		KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), 0);
	}
}

/* Bit timing (section 5): registers, and the time of a bit in cycles */
static void bit_timing(struct kunit *test)
{
	static const struct {
		u8 cnf1, cnf2, cnf3;
		u32 brp, seg1, seg2, sjw;
	} cases[] = {
		{ 0x00, 0x91, 0x01, 2, 5, 2, 1 },
		{ 0x3f, 0xbf, 0x07, 128, 16, 8, 1 },
		{ 0xc3, 0x80, 0x07, 8, 2, 8, 4 },
		{ 0x41, 0x91, 0xc5, 4, 5, 6, 2 },
		/* without BTLMODE: phase segment 1, or 2 */
		{ 0x00, 0x29, 0x00, 2, 8, 6, 1 },
		{ 0x00, 0x00, 0x07, 2, 2, 2, 1 },
	};
	struct fixture *f = test->priv;
	const struct can_sim_timing *timing = &f->chip.chip.node.timing;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		mcp_test_write_reg(&f->chip, MCP_CNF1, cases[i].cnf1);
		mcp_test_write_reg(&f->chip, MCP_CNF2, cases[i].cnf2);
		mcp_test_write_reg(&f->chip, MCP_CNF3, cases[i].cnf3);
		mcp_test_set_mode(&f->chip, MCP_NORMAL);
		KUNIT_EXPECT_EQ(test, timing->clock, CRYSTAL);
		KUNIT_EXPECT_EQ(test, timing->brp, cases[i].brp);
		KUNIT_EXPECT_EQ(test, timing->seg1, cases[i].seg1);
		KUNIT_EXPECT_EQ(test, timing->seg2, cases[i].seg2);
		KUNIT_EXPECT_EQ(test, timing->sjw, cases[i].sjw);
		mcp_test_set_mode(&f->chip, MCP_CONFIG);
	}
}

/* Reception (section 4) */

static void third_frame_overflows(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct can_sim_frame frame;

	mcp_test_start(f, &f->chip);
	mcp_test_receive(f, 0x101);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_RX(0));
	mcp_test_receive(f, 0x102);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip),
			MCP_RX(0) | MCP_RX(1));
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG), 0);
	mcp_test_receive(f, 0x103);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip),
			MCP_RX(0) | MCP_RX(1) | MCP_ERR);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG),
			MCP_RXOVR(1));
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.overruns, 1);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.high, 2);
	mcp_test_read_rx(&f->chip, 0, &frame);
	KUNIT_EXPECT_EQ(test, frame.id, 0x101);
	mcp_test_receive(f, 0x104);
	mcp_test_read_rx(&f->chip, 1, &frame);
	KUNIT_EXPECT_EQ(test, frame.id, 0x102);
	mcp_test_read_rx(&f->chip, 0, &frame);
	KUNIT_EXPECT_EQ(test, frame.id, 0x104);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG),
			MCP_RXOVR(1));
	mcp_test_modify_reg(&f->chip, MCP_EFLG, 0xff, 0);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG), 0);
}

/* The error interrupt flag stays cleared although the overflow flag is still
 * set.
 */
static void second_frame_overflows_without_rollover(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_write_reg(&f->chip, MCP_RXB(0), MCP_RXM_BITS);
	mcp_test_receive(f, 0x101);
	mcp_test_receive(f, 0x102);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_RX(0) | MCP_ERR);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG),
			MCP_RXOVR(0));
	mcp_test_modify_reg(&f->chip, MCP_CANINTF, MCP_ERR, 0);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_RX(0));
	mcp_test_receive(f, 0x103);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_RX(0) | MCP_ERR);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.overruns, 2);
}

/* A driver that sets the flag of an empty buffer blocks the buffer. */
static void set_flag_blocks_buffer(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_write_reg(&f->chip, MCP_CANINTF, MCP_RX(0));
	mcp_test_receive(f, 0x123);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip),
			MCP_RX(0) | MCP_RX(1));
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, 0x71), 0x123 >> 3);
}

static void frames_are_stored(struct kunit *test)
{
	static const struct {
		u32 id;
		u8 ctrl, reg[5];
	} cases[] = {
		{ 0x123, 0x60, { 0x24, 0x60, 0x00, 0x00, 0x02 } },
		{ CAN_RTR_FLAG | 0x7ff, 0x68, { 0xff, 0xf0, 0x00, 0x00, 0x02 } },
		{ CAN_EFF_FLAG | 0x15a5b5c5, 0x60,
		  { 0xad, 0x29, 0xb5, 0xc5, 0x02 } },
		{ CAN_EFF_FLAG | CAN_RTR_FLAG | 0x1fffffff, 0x68,
		  { 0xff, 0xeb, 0xff, 0xff, 0x42 } },
	};
	struct can_sim_frame frame = { .dlc = 2, .data = { 0xde, 0xad } };
	struct fixture *f = test->priv;
	unsigned int i, j;

	mcp_test_start(f, &f->chip);
	mcp_test_write_reg(&f->chip, MCP_RXB(0), MCP_RXM_BITS);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		frame.id = cases[i].id;
		peer_send_frame(f, &frame);
		mcp_test_pass(f, FRAME_NS);
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, 0x60),
				cases[i].ctrl);
		for (j = 0; j < 5; j++)
			KUNIT_EXPECT_EQ(test,
					mcp_test_read_reg(&f->chip, 0x61 + j),
					cases[i].reg[j]);
		mcp_test_write_reg(&f->chip, MCP_CANINTF, 0);
	}
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, 0x66), 0xde);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, 0x67), 0xad);
}

/* Independent computation of filters: a frame and a filter as strings of bits,
 * where -1 is a bit that is not compared. Bits are those of the registers.
 */
static void mcp_test_filter_bits(const u8 *reg, int *bits)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		bits[i] = reg[i / 8] >> (7 - i % 8) & 1;
}

static void mcp_test_frame_bits(const struct can_sim_frame *frame, bool mcp2510,
				unsigned int rxm, int *bits)
{
	unsigned int i;
	u8 reg[4];

	mcp_test_put_id(reg, frame->id);
	mcp_test_filter_bits(reg, bits);
	if (frame->id & CAN_EFF_FLAG)
		return;
	for (i = 14; i < 32; i++)
		bits[i] = -1;
	if (mcp2510 || rxm)
		return;
	for (i = 0; i < 8 * min(2U, can_sim_frame_len(frame)); i++)
		bits[16 + i] = frame->data[i / 8] >> (7 - i % 8) & 1;
}

static bool naive_match(const u8 *filter, const u8 *mask, const int *bits)
{
	int want[32], care[32];
	unsigned int i;

	mcp_test_filter_bits(filter, want);
	mcp_test_filter_bits(mask, care);
	if (want[12] != bits[12])	/* EXIDE */
		return false;
	for (i = 0; i < 32; i++) {
		if (i == 11 || i == 12 || i == 13 || bits[i] < 0)
			continue;
		if (care[i] && want[i] != bits[i])
			return false;
	}
	return true;
}

/* Return: number of the filter that accepts the frame for a buffer, or -1. */
static int naive_filter(const u8 *reg, bool mcp2510, unsigned int buffer,
			const struct can_sim_frame *frame)
{
	static const u8 filters[] = { 0x00, 0x04, 0x08, 0x10, 0x14, 0x18 };
	unsigned int rxm = reg[0x60 + 0x10 * buffer] >> 5 & 3;
	int i, bits[32];

	if (rxm == 3)
		return 0;
	if (rxm == 1 && frame->id & CAN_EFF_FLAG)
		return -1;
	if (rxm == 2 && !(frame->id & CAN_EFF_FLAG))
		return -1;
	mcp_test_frame_bits(frame, mcp2510, rxm, bits);
	for (i = buffer ? 2 : 0; i < (buffer ? 6 : 2); i++)
		if (naive_match(reg + filters[i], reg + (buffer ? 0x24 : 0x20),
				bits))
			return i;
	return -1;
}

/* Masks with few bits, and filters similar to the frame, so that some match */
static void mcp_test_random_filters(struct fixture *f,
				    const struct can_sim_frame *frame)
{
	unsigned int i, j;
	u8 id[4];

	mcp_test_put_id(id, frame->id);
	for (i = 0; i < 8; i++) {
		u8 address = i < 6 ? can_sim_mcp251x_rxf(i) : MCP_RXM(i - 6);

		for (j = 0; j < 4; j++) {
			u32 r = prandom_u32_state(&f->rnd);

			mcp_test_write_reg(&f->chip, address + j, i < 6 ?
					   id[j] ^ (r & (r >> 8)) : r & (r >> 8));
		}
	}
	for (i = 0; i < 2; i++)
		mcp_test_write_reg(&f->chip, MCP_RXB(i), prandom_u32_state(&f->rnd) &
				   (prandom_u32_state(&f->rnd) | MCP_BUKT));
}

static void mcp_test_random_frame(struct fixture *f,
				  struct can_sim_frame *frame)
{
	u32 r = prandom_u32_state(&f->rnd);

	memset(frame, 0, sizeof(*frame));
	frame->id = prandom_u32_state(&f->rnd);
	frame->id &= r & 1 ? CAN_EFF_MASK : CAN_SFF_MASK;
	frame->id |= r & 1 ? CAN_EFF_FLAG : 0;
	frame->id |= r & 0x0e ? 0 : CAN_RTR_FLAG;
	frame->dlc = r >> 8 & 0x0f;
	prandom_bytes_state(&f->rnd, frame->data, sizeof(frame->data));
	if (r & 0x70)
		return;
	frame->data[0] = 0;
	frame->data[1] = 0;
}

/* Figure 4-4 */
static void mcp_test_check_reception(struct kunit *test,
				     const struct can_sim_frame *frame,
				     u8 before)
{
	struct fixture *f = test->priv;
	u8 *reg = f->chip.reg, flags = reg[MCP_CANINTF];
	int first = naive_filter(reg, f->chip.mcp2510, 0, frame);
	int second = naive_filter(reg, f->chip.mcp2510, 1, frame);
	bool rolls = first >= 0 && before & 1 && reg[0x60] & 0x04;
	u8 status = mcp_test_query(&f->chip, MCP_RX_STATUS);

	if (first >= 0 && !(before & 1)) {
		KUNIT_ASSERT_EQ(test, flags, before | 1);
		KUNIT_ASSERT_EQ(test, reg[0x60] & 1, first);
	} else if (first >= 0 && !rolls) {
		KUNIT_ASSERT_EQ(test, flags, before | 0x20);
		KUNIT_ASSERT_EQ(test, reg[MCP_EFLG], 0x40);
	} else if (first < 0 && second < 0) {
		KUNIT_ASSERT_EQ(test, flags, before);
	} else if (before & 2) {
		KUNIT_ASSERT_EQ(test, flags, before | 0x20);
		KUNIT_ASSERT_EQ(test, reg[MCP_EFLG], 0x80);
	} else {
		KUNIT_ASSERT_EQ(test, flags, before | 2);
		KUNIT_ASSERT_EQ(test, reg[0x70] & 7, rolls ? first : second);
		if (!(before & 1) && !f->chip.mcp2510)
			KUNIT_ASSERT_EQ(test, status & 7, second);
		if (rolls)
			KUNIT_ASSERT_EQ(test, reg[0x60] & 1, first);
	}
}

static void mcp_test_filters_are_as_by_hand(struct kunit *test, bool mcp2510)
{
	unsigned int i, stored = 0, rounds = 4000;
	struct fixture *f = test->priv;
	struct can_sim_frame frame;
	u8 before;

	if (mcp2510)
		mcp_test_make_mcp2510(f);
	mcp_test_configure(&f->chip);
	for (i = 0; i < rounds; i++) {
		mcp_test_random_frame(f, &frame);
		before = prandom_u32_state(&f->rnd) & 3;
		mcp_test_set_mode(&f->chip, MCP_CONFIG);
		mcp_test_random_filters(f, &frame);
		mcp_test_set_mode(&f->chip, MCP_NORMAL);
		mcp_test_write_reg(&f->chip, MCP_EFLG, 0);
		mcp_test_write_reg(&f->chip, MCP_CANINTF, before);
		mcp_test_pass(f, FRAME_NS);
		peer_send_frame(f, &frame);
		mcp_test_pass_frame(f);
		mcp_test_check_reception(test, &frame, before);
		stored += f->chip.reg[MCP_CANINTF] != before;
	}
	KUNIT_EXPECT_GT(test, stored, rounds / 4);
	KUNIT_EXPECT_LT(test, stored, 3 * rounds / 4);
}

static void filters_of_mcp2515(struct kunit *test)
{
	mcp_test_filters_are_as_by_hand(test, false);
}

static void filters_of_mcp2510(struct kunit *test)
{
	mcp_test_filters_are_as_by_hand(test, true);
}

/* Figure 12-9: rollover, message types, and buffers */
static void rx_status(struct kunit *test)
{
	static const u32 types[] = {
		0, CAN_RTR_FLAG, CAN_EFF_FLAG, CAN_EFF_FLAG | CAN_RTR_FLAG,
	};
	struct fixture *f = test->priv;
	unsigned int i;

	mcp_test_configure(&f->chip);
	mcp_test_write_reg(&f->chip, MCP_RXB(0), MCP_BUKT);
	mcp_test_write_reg(&f->chip, MCP_RXM(0), 0xff);
	for (i = 0; i < 4; i++) {
		mcp_test_set_mode(&f->chip, MCP_CONFIG);
		mcp_test_write_reg(&f->chip, can_sim_mcp251x_rxf(1) + 1,
				   i & 2 ? 0x08 : 0);
		mcp_test_set_mode(&f->chip, MCP_NORMAL);
		mcp_test_pass(f, FRAME_NS);
		mcp_test_write_reg(&f->chip, MCP_RXB(0), MCP_BUKT);
		mcp_test_receive(f, types[i]);
		KUNIT_EXPECT_EQ(test, mcp_test_query(&f->chip, MCP_RX_STATUS),
				0x40 | i << 3 | (i & 2 ? 1 : 0));
		mcp_test_receive(f, types[i]);
		KUNIT_EXPECT_EQ(test, mcp_test_query(&f->chip, MCP_RX_STATUS),
				0xc0 | i << 3 | (i & 2 ? 1 : 0));
		mcp_test_modify_reg(&f->chip, MCP_CANINTF, MCP_RX(0), 0);
		KUNIT_EXPECT_EQ(test, mcp_test_query(&f->chip, MCP_RX_STATUS),
				0x80 | i << 3 | (i & 2 ? 7 : 6));
		mcp_test_modify_reg(&f->chip, MCP_CANINTF, MCP_RX(1), 0);
		KUNIT_EXPECT_EQ(test, mcp_test_query(&f->chip, MCP_RX_STATUS),
				0);
	}
}

/* Transmission (section 3) */

static void frames_are_sent(struct kunit *test)
{
	struct can_sim_frame frame = { .dlc = 12, .data = "12345678" };
	static const u32 ids[] = {
		0x000, 0x7ff, 0x2a5, CAN_EFF_FLAG, CAN_EFF_FLAG | 0x15a5b5c5,
		CAN_RTR_FLAG | 0x123, CAN_EFF_FLAG | CAN_RTR_FLAG | 0x1fffffff,
	};
	struct fixture *f = test->priv;
	unsigned int i;

	mcp_test_start(f, &f->chip);
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		unsigned int buffer = i % 3;

		frame.id = ids[i];
		mcp_test_load_tx(&f->chip, buffer, &frame);
		mcp_test_request(&f->chip, buffer);
		KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, buffer),
				MCP_TXREQ);
		mcp_test_pass_frame(f);
		KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, buffer), 0);
		KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip),
				MCP_TX(buffer));
		KUNIT_EXPECT_MEMEQ(test, &f->peer.in, &frame, sizeof(frame));
		mcp_test_write_reg(&f->chip, MCP_CANINTF, 0);
	}
}

static void requests_by_register(struct kunit *test)
{
	struct can_sim_frame frame = { .id = 0x345 };
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_load_tx(&f->chip, 1, &frame);
	mcp_test_write_reg(&f->chip, MCP_TXB(1), MCP_TXREQ | 2);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 1), 2);
	mcp_test_modify_reg(&f->chip, MCP_TXB(1), MCP_TXREQ, MCP_TXREQ);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, f->peer.got, 2);
}

/* All priorities of three buffers: the highest first, then the highest number. */
static void buffers_have_priorities(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int all, i;

	mcp_test_start(f, &f->chip);
	for (all = 0; all < 64; all++) {
		unsigned int priority[3] = { all & 3, all >> 2 & 3, all >> 4 };
		unsigned int rank, last = UINT_MAX;

		for (i = 0; i < 3; i++) {
			struct can_sim_frame frame = { .id = 0x100 + i };

			mcp_test_write_reg(&f->chip, MCP_TXB(i), priority[i]);
			mcp_test_load_tx(&f->chip, i, &frame);
		}
		mcp_test_command(&f->chip, MCP_REQUEST | 7);
		for (i = 0; i < 3; i++) {
			KUNIT_ASSERT_TRUE(test, mcp_test_pass_frame(f));
			rank = f->peer.in.id - 0x100;
			rank += 3 * priority[rank];
			KUNIT_EXPECT_LT(test, rank, last);
			last = rank;
		}
	}
	KUNIT_EXPECT_EQ(test, f->peer.got, 3 * 64);
}

/* The buffer is chosen again before each attempt. */
static void buffer_of_higher_priority_overtakes(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_disturb(f, 1);
	mcp_test_send(&f->chip, 0, 0x100);
	mcp_test_pass(f, 20 * BIT_NS);
	mcp_test_send(&f->chip, 1, 0x101);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 0),
			MCP_TXREQ | MCP_TXERR);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 1), MCP_TXREQ);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, f->peer.in.id, 0x101);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, f->peer.in.id, 0x100);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 0), MCP_TXERR);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip),
			MCP_MERR | MCP_TX(0) | MCP_TX(1));
	mcp_test_request(&f->chip, 0);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 0), MCP_TXREQ);
}

static void lost_arbitration_is_tried_again(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_receive(f, 0x0ff);
	mcp_test_write_reg(&f->chip, MCP_CANINTF, 0);
	peer_send(f, 0x100);	/* not before the end of intermission */
	mcp_test_send(&f->chip, 2, 0x101);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 2),
			MCP_TXREQ | MCP_MLOA);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_RX(0));
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 2), MCP_MLOA);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip),
			MCP_RX(0) | MCP_TX(2));
	KUNIT_EXPECT_EQ(test, f->peer.in.id, 0x101);
}

static void one_shot(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_modify_reg(&f->chip, MCP_CANCTRL, MCP_OSM, MCP_OSM);
	mcp_test_disturb(f, 1);
	mcp_test_send(&f->chip, 1, 0x100);
	mcp_test_pass(f, 20 * BIT_NS);
	mcp_test_send(&f->chip, 0, 0x101);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 1),
			MCP_ABTF | MCP_TXERR);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 0), MCP_TXREQ);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_MERR);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 0), 0);
	KUNIT_EXPECT_EQ(test, f->peer.in.id, 0x101);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);

	peer_send(f, 0x001);
	mcp_test_send(&f->chip, 2, 0x102);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 2),
			MCP_ABTF | MCP_MLOA);
	mcp_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);

	mcp_test_modify_reg(&f->chip, MCP_CANCTRL, MCP_OSM, 0);
	mcp_test_disturb(f, 1);
	mcp_test_request(&f->chip, 2);
	mcp_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 2), MCP_TXERR);
	KUNIT_EXPECT_EQ(test, f->peer.got, 2);
}

/* Without ABTF (3.6), and without a frame */
static void abort_of_waiting_frame(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_send(&f->chip, 0, 0x100);
	mcp_test_pass(f, 20 * BIT_NS);
	mcp_test_send(&f->chip, 1, 0x101);
	mcp_test_write_reg(&f->chip, MCP_TXB(1), 0);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 1), 0);
	mcp_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_TX(0));
}

static void abort_of_frame_being_sent(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_send(&f->chip, 0, 0x100);
	mcp_test_pass(f, 20 * BIT_NS);
	mcp_test_write_reg(&f->chip, MCP_TXB(0), 0);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_TX(0));

	mcp_test_disturb(f, 1);
	mcp_test_request(&f->chip, 0);
	mcp_test_pass(f, 20 * BIT_NS);
	mcp_test_write_reg(&f->chip, MCP_TXB(0), 0);
	mcp_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 0), MCP_TXERR);
}

static void abort_of_all(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	mcp_test_start(f, &f->chip);
	mcp_test_disturb(f, 1);
	mcp_test_send(&f->chip, 0, 0x100);
	mcp_test_pass(f, 20 * BIT_NS);
	mcp_test_send(&f->chip, 1, 0x101);
	mcp_test_modify_reg(&f->chip, MCP_CANCTRL, MCP_ABAT, MCP_ABAT);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 0), MCP_TXREQ);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 1), MCP_ABTF);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 2), 0);
	mcp_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 0),
			MCP_ABTF | MCP_TXERR);
	mcp_test_command(&f->chip, MCP_REQUEST | 7);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, i), MCP_ABTF);
	mcp_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
	mcp_test_modify_reg(&f->chip, MCP_CANCTRL, MCP_ABAT, 0);
	mcp_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
	mcp_test_request(&f->chip, 1);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, f->peer.in.id, 0x101);
}

static void abort_of_all_completes_current_frame(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_send(&f->chip, 0, 0x100);
	mcp_test_pass(f, 20 * BIT_NS);
	mcp_test_modify_reg(&f->chip, MCP_CANCTRL, MCP_ABAT, MCP_ABAT);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 0), 0);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_TX(0));
}

static void reset_ends_transmission(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_send(&f->chip, 0, 0x100);
	mcp_test_pass(f, 20 * BIT_NS);
	mcp_test_command(&f->chip, MCP_RESET);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_CONFIG);
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 0), 0);
	mcp_test_pass(f, 2 * FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 0);
	mcp_test_start(f, &f->chip);
	mcp_test_send(&f->chip, 0, 0x100);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
}

/* Errors (section 6) */

/* Without another node: eight more with each attempt, up to 128 */
static void transmit_errors_without_acknowledgment(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	peer_off(f);
	mcp_test_start(f, &f->chip);
	mcp_test_send(&f->chip, 0, 0x100);
	for (i = 1; i <= 20; i++) {
		u8 tec = min(8 * i, 128U), eflg = 0;

		mcp_test_pass_frame(f);
		if (tec >= 96)
			eflg |= MCP_EWARN | MCP_TXWAR;
		if (tec >= 128)
			eflg |= MCP_TXEP;
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_TEC),
				tec);
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG),
				eflg);
		KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_MERR |
				(i == 12 || i == 16 ? MCP_ERR : 0));
		mcp_test_write_reg(&f->chip, MCP_CANINTF, 0);
	}
	KUNIT_EXPECT_EQ(test, mcp_test_tx_ctrl(&f->chip, 0),
			MCP_TXREQ | MCP_TXERR);
}

/* Frames of others are disturbed: the chip detects each error as a receiver. */
static void receive_errors(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int rec = 0;

	mcp_test_start(f, &f->chip);
	mcp_test_disturb(f, 31);
	peer_send(f, 0x100);
	while (f->peer.node.state != CAN_SIM_PASSIVE) {
		mcp_test_pass_frame(f);
		KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_REC),
				++rec);
		KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_MERR);
	}
	f->chip.chip.node.rec = 95;
	mcp_test_write_reg(&f->chip, MCP_CANINTF, 0);
	f->peer.node.tec = 0;
	f->peer.node.state = CAN_SIM_ACTIVE;
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG),
			MCP_EWARN | MCP_RXWAR);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_MERR | MCP_ERR);
	f->chip.chip.node.rec = 127;
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG),
			MCP_EWARN | MCP_RXWAR | MCP_RXEP);
	mcp_test_write_reg(&f->chip, MCP_CANINTF, 0);
	mcp_test_disturb(f, 0);
	mcp_test_pass_frame(f);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG),
			MCP_EWARN | MCP_RXWAR);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_RX(0) | MCP_ERR);
}

/* The frame that caused bus off is sent after the recovery (6.7). */
static void bus_off_ends_by_itself(struct kunit *test)
{
	u8 passive = MCP_TXEP | MCP_TXWAR | MCP_EWARN;
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_disturb(f, 32);
	mcp_test_send(&f->chip, 0, 0x100);
	while (f->chip.chip.node.state != CAN_SIM_BUS_OFF) {
		mcp_test_write_reg(&f->chip, MCP_CANINTF, 0);
		mcp_test_pass_frame(f);
	}
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG),
			MCP_TXBO | passive);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_TEC), 255);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_MERR | MCP_ERR);
	mcp_test_set_mode(&f->chip, MCP_SLEEP);
	mcp_test_write_reg(&f->chip, MCP_CANINTF, 0);
	f->now = f->bus.idle;
	/* the end of the error frame was the first sequence */
	mcp_test_pass(f, 127 * 11 * BIT_NS - 1);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG),
			MCP_TXBO | passive);
	mcp_test_pass(f, 1);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG), 0);
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_ERR);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_NORMAL);
	mcp_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.got, 1);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_SLEEP);
}

static void bus_off_ends_in_configuration_mode(struct kunit *test)
{
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_disturb(f, 100);
	mcp_test_send(&f->chip, 0, 0x100);
	while (f->chip.chip.node.state != CAN_SIM_BUS_OFF)
		mcp_test_pass_frame(f);
	mcp_test_write_reg(&f->chip, MCP_TXB(0), 0);
	mcp_test_set_mode(&f->chip, MCP_CONFIG);
	KUNIT_EXPECT_EQ(test, mcp_test_get_mode(&f->chip), MCP_CONFIG);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG), 0);
	mcp_test_disturb(f, 0);
	mcp_test_set_mode(&f->chip, MCP_NORMAL);
	mcp_test_send(&f->chip, 0, 0x101);
	mcp_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->peer.in.id, 0x101);
}

/* Transfers with the time of their bytes */

static void mcp_test_transfer(struct fixture *f, const u8 *tx, u8 *rx,
			      unsigned int len, bool timed)
{
	struct can_sim_mcp251x_transfer begun = {
		.tx = tx, .rx = rx, .len = len, .start = f->now, .hz = SPI_HZ,
		.timed = timed,
	};
	struct can_sim_node *node = &f->chip.chip.node;
	unsigned long flags = can_sim_lock(node);

	can_sim_mcp251x_select(&f->chip, true);
	can_sim_mcp251x_transfer_begin(&f->chip, &begun);
	can_sim_unlock(node, flags);
}

static bool mcp_test_run_transfer(struct fixture *f)
{
	struct can_sim_node *node = &f->chip.chip.node;
	unsigned long flags = can_sim_lock(node);
	bool all = can_sim_mcp251x_transfer_run(&f->chip);

	if (all)
		can_sim_mcp251x_select(&f->chip, false);
	can_sim_unlock(node, flags);
	return all;
}

/* A frame ends at different times during a READ of CANINTF and the next
 * registers. The bytes are handled at the end of the transfer. A register is
 * read at the end of the byte before.
 */
static void reads_return_the_state_at_their_time(struct kunit *test)
{
	static const u8 tx[6] = { MCP_READ, MCP_CANINTF };
	struct fixture *f = test->priv;
	unsigned int step;
	u8 rx[6];

	mcp_test_start(f, &f->chip);
	for (step = 0; step < 2 * 6 * BYTE_NS; step += BYTE_NS / 4) {
		bool timed = step & BYTE_NS;
		u64 end;

		mcp_test_pass(f, FRAME_NS);
		mcp_test_write_reg(&f->chip, MCP_CANINTF, 0);
		peer_send(f, 0x100);
		end = f->bus.phase_end;
		f->now = end - step % (6 * BYTE_NS) - 1;
		mcp_test_transfer(f, tx, rx, sizeof(tx), timed);
		f->now += 6 * BYTE_NS;
		KUNIT_EXPECT_TRUE(test, mcp_test_run_transfer(f));
		KUNIT_EXPECT_EQ_MSG(test, rx[2],
				    end < f->now - 4 * BYTE_NS ? MCP_RX(0) : 0,
				    "step %u", step);
		KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_RX(0));
	}
}

/* The error flags are read later than the interrupt flags, and may include more. */
static void a_frame_between_two_bytes(struct kunit *test)
{
	static const u8 tx[4] = { MCP_READ, MCP_CANINTF };
	struct fixture *f = test->priv;
	u8 rx[4];

	mcp_test_start(f, &f->chip);
	mcp_test_receive(f, 0x101);
	mcp_test_receive(f, 0x102);
	mcp_test_pass(f, FRAME_NS);
	peer_send(f, 0x103);
	f->now = f->bus.phase_end - 2 * BYTE_NS - BYTE_NS / 2;
	mcp_test_transfer(f, tx, rx, sizeof(tx), false);
	f->now += 4 * BYTE_NS;
	KUNIT_EXPECT_TRUE(test, mcp_test_run_transfer(f));
	KUNIT_EXPECT_EQ(test, rx[2], MCP_RX(0) | MCP_RX(1));
	KUNIT_EXPECT_EQ(test, rx[3], MCP_RXOVR(1));
}

/* A buffer is full until READ RX BUFFER has ended. */
static void a_frame_during_read_rx_buffer(struct kunit *test)
{
	static const u8 tx[14] = { MCP_READ_RX };
	struct fixture *f = test->priv;
	u8 rx[14];

	mcp_test_start(f, &f->chip);
	mcp_test_write_reg(&f->chip, MCP_RXB(0), MCP_RXM_BITS);
	mcp_test_receive(f, 0x101);
	mcp_test_pass(f, FRAME_NS);
	peer_send(f, 0x102);
	f->now = f->bus.phase_end - 13 * BYTE_NS;
	mcp_test_transfer(f, tx, rx, sizeof(tx), false);
	f->now += 14 * BYTE_NS;
	KUNIT_EXPECT_TRUE(test, mcp_test_run_transfer(f));
	KUNIT_EXPECT_EQ(test, rx[1], 0x101 >> 3);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_EFLG),
			MCP_RXOVR(0));
	mcp_test_receive(f, 0x103);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, 0x62),
			(0x103 & 7) << 5);
}

/* With the bus's timer, each byte takes effect at its time. */
static void timed_writes_take_effect_in_time(struct kunit *test)
{
	static const u8 rts[3] = { MCP_REQUEST | 1 };
	struct can_sim_frame frame = { .id = 0x100 };
	struct fixture *f = test->priv;
	u64 begin;

	mcp_test_start(f, &f->chip);
	mcp_test_load_tx(&f->chip, 0, &frame);
	begin = f->now;
	mcp_test_transfer(f, rts, NULL, sizeof(rts), true);
	mcp_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->transfers, 1);
	KUNIT_EXPECT_EQ(test, f->bus.record[0].start, begin + BYTE_NS);
	KUNIT_EXPECT_TRUE(test, mcp_test_run_transfer(f));
}

/* Two registers in a row: the first is written before the transfer ends. */
static void timed_writes_take_effect_one_by_one(struct kunit *test)
{
	static const u8 tx[5] = { MCP_WRITE, MCP_TXB(0), MCP_TXREQ, 0, 0 };
	struct fixture *f = test->priv;
	u64 begin;

	mcp_test_start(f, &f->chip);
	begin = f->now;
	mcp_test_transfer(f, tx, NULL, sizeof(tx), true);
	mcp_test_pass(f, 4 * BYTE_NS);
	KUNIT_EXPECT_EQ(test, f->transfers, 0);
	mcp_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->transfers, 1);
	KUNIT_EXPECT_EQ(test, f->bus.record[0].start, begin + 3 * BYTE_NS);
}

/* Without the timer, bytes take effect in can_sim_mcp251x_transfer_run(). */
static void untimed_writes_take_effect_when_run(struct kunit *test)
{
	static const u8 tx[4] = { MCP_BIT_MODIFY, MCP_CANINTF, MCP_RX(0), 0 };
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_receive(f, 0x101);
	mcp_test_transfer(f, tx, NULL, sizeof(tx), false);
	KUNIT_EXPECT_EQ(test, can_sim_mcp251x_transfer_due(&f->chip),
			f->now + 4 * BYTE_NS);
	mcp_test_pass(f, 4 * BYTE_NS - 1);
	KUNIT_EXPECT_FALSE(test, mcp_test_run_transfer(f));
	KUNIT_EXPECT_EQ(test, f->chip.reg[MCP_CANINTF], MCP_RX(0));
	mcp_test_pass(f, 1);
	KUNIT_EXPECT_TRUE(test, mcp_test_run_transfer(f));
	KUNIT_EXPECT_EQ(test, f->chip.reg[MCP_CANINTF], 0);
	KUNIT_EXPECT_EQ(test, f->transfers, 0);
}

/* Also if a frame is received before: the buffer is still full then. */
static void untimed_writes_take_effect_after_a_frame(struct kunit *test)
{
	static const u8 tx[4] = { MCP_BIT_MODIFY, MCP_CANINTF, MCP_RX(0), 0 };
	struct fixture *f = test->priv;

	mcp_test_start(f, &f->chip);
	mcp_test_receive(f, 0x101);
	mcp_test_pass(f, FRAME_NS);
	peer_send(f, 0x102);
	f->now = f->bus.phase_end - 5 * BYTE_NS;
	mcp_test_transfer(f, tx, NULL, sizeof(tx), false);
	mcp_test_pass(f, 6 * BYTE_NS);
	KUNIT_EXPECT_EQ(test, f->chip.reg[MCP_CANINTF], MCP_RX(0) | MCP_RX(1));
	KUNIT_EXPECT_TRUE(test, mcp_test_run_transfer(f));
	KUNIT_EXPECT_EQ(test, mcp_test_flags_of(&f->chip), MCP_RX(1));
}

/* A command may consist of several transfers, as with half-duplex controllers. */
static void command_spans_several_transfers(struct kunit *test)
{
	static const u8 tx[2] = { MCP_READ, MCP_CNF2 };
	struct fixture *f = test->priv;
	unsigned long flags;
	u8 rx[2];

	mcp_test_configure(&f->chip);
	mcp_test_transfer(f, tx, NULL, sizeof(tx), true);
	mcp_test_pass(f, 2 * BYTE_NS);
	KUNIT_EXPECT_EQ(test, f->transfers, 1);
	mcp_test_transfer(f, NULL, rx, sizeof(rx), true);
	mcp_test_pass(f, 2 * BYTE_NS);
	KUNIT_EXPECT_EQ(test, f->transfers, 2);
	KUNIT_EXPECT_EQ(test, rx[0], CNF2_1M);
	KUNIT_EXPECT_EQ(test, rx[1], CNF1_1M);
	flags = can_sim_lock(&f->chip.chip.node);
	can_sim_mcp251x_select(&f->chip, false);
	can_sim_unlock(&f->chip.chip.node, flags);
}

static void transfers_can_be_cancelled(struct kunit *test)
{
	static const u8 tx[3] = { MCP_WRITE, MCP_CANINTE, 0xff };
	struct fixture *f = test->priv;
	unsigned long flags;

	mcp_test_transfer(f, tx, NULL, sizeof(tx), true);
	mcp_test_pass(f, 2 * BYTE_NS);
	flags = can_sim_lock(&f->chip.chip.node);
	can_sim_mcp251x_transfer_cancel(&f->chip);
	can_sim_mcp251x_select(&f->chip, false);
	can_sim_unlock(&f->chip.chip.node, flags);
	mcp_test_pass(f, FRAME_NS);
	KUNIT_EXPECT_EQ(test, f->transfers, 0);
	KUNIT_EXPECT_EQ(test, mcp_test_read_reg(&f->chip, MCP_CANINTE), 0);
}

/* Everything together */

/* Random frames from three buffers of each chip to the other one: each arrives
 * once and unchanged, and those of a buffer arrive in order.
 */
struct traffic {
	struct can_sim_mcp251x *mcp;
	struct can_sim_frame waiting[3];
	bool busy[3];
	unsigned int sent;
};

static void mcp_test_feed(struct fixture *f, struct traffic *from)
{
	u8 done = mcp_test_flags_of(from->mcp);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (from->busy[i] && !(done & MCP_TX(i)))
			continue;
		mcp_test_modify_reg(from->mcp, MCP_CANINTF, MCP_TX(i), 0);
		from->busy[i] = prandom_u32_state(&f->rnd) & 3;
		if (!from->busy[i])
			continue;
		mcp_test_random_frame(f, &from->waiting[i]);
		if (from->waiting[i].id & CAN_RTR_FLAG)
			memset(from->waiting[i].data, 0, 8);
		mcp_test_write_reg(from->mcp, MCP_TXB(i),
				   prandom_u32_state(&f->rnd) & MCP_TXP);
		mcp_test_load_tx(from->mcp, i, &from->waiting[i]);
		mcp_test_request(from->mcp, i);
		from->sent++;
	}
}

static bool mcp_test_equal(const struct can_sim_frame *a,
			   const struct can_sim_frame *b)
{
	return a->id == b->id && a->dlc == b->dlc &&
	       !memcmp(a->data, b->data, can_sim_frame_len(a));
}

/* Return: number of frames received, each of which the other chip must have
 * sent.
 */
static unsigned int mcp_test_drain(struct kunit *test,
				   struct can_sim_mcp251x *mcp,
				   struct traffic *from)
{
	unsigned int i, buffer, got = 0;
	struct can_sim_frame frame;

	for (buffer = 0; buffer < 2; buffer++) {
		if (!(mcp_test_flags_of(mcp) & MCP_RX(buffer)))
			continue;
		mcp_test_read_rx(mcp, buffer, &frame);
		for (i = 0; i < 3; i++)
			if (mcp_test_equal(&frame, &from->waiting[i]))
				break;
		KUNIT_ASSERT_LT(test, i, 3);
		from->waiting[i].id = U32_MAX;
		got++;
	}
	return got;
}

static void random_traffic(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct traffic one = { .mcp = &f->chip }, two = { .mcp = &f->other };
	unsigned int rounds, got_one = 0, got_two = 0;

	mcp_test_start(f, &f->chip);
	mcp_test_start(f, &f->other);
	for (rounds = 0; rounds < 6000; rounds++) {
		mcp_test_feed(f, &one);
		mcp_test_feed(f, &two);
		mcp_test_pass_frame(f);
		got_one += mcp_test_drain(test, &f->chip, &two);
		got_two += mcp_test_drain(test, &f->other, &one);
	}
	while (mcp_test_pass_frame(f)) {
		got_one += mcp_test_drain(test, &f->chip, &two);
		got_two += mcp_test_drain(test, &f->other, &one);
	}
	KUNIT_EXPECT_EQ(test, got_one, two.sent);
	KUNIT_EXPECT_EQ(test, got_two, one.sent);
	KUNIT_EXPECT_GT(test, one.sent, 1000);
	KUNIT_EXPECT_GT(test, two.sent, 1000);
	KUNIT_EXPECT_EQ(test, f->bus.stats.errors, 0);
	KUNIT_EXPECT_EQ(test, f->chip.chip.node.stats.overruns, 0);
}

static struct kunit_case mcp251x_test_cases[] = {
	KUNIT_CASE(registers_after_reset),
	KUNIT_CASE(reset_leaves_buffers_and_filters),
	KUNIT_CASE(registers_are_writable_in_configuration_mode),
	KUNIT_CASE(registers_are_writable_in_normal_mode),
	KUNIT_CASE(bit_modify),
	KUNIT_CASE(canstat_and_canctrl_are_in_each_row),
	KUNIT_CASE(filters_belong_to_configuration_mode),
	KUNIT_CASE(tx_buffers_are_locked_while_requested),
	KUNIT_CASE(rx_buffers_cannot_be_written),
	KUNIT_CASE(addresses_increment_and_wrap),
	KUNIT_CASE(load_tx_buffer),
	KUNIT_CASE(load_tx_buffer_ends),
	KUNIT_CASE(read_rx_buffer),
	KUNIT_CASE(read_rx_buffer_clears_when_deselected),
	KUNIT_CASE(requests_to_send),
	KUNIT_CASE(read_status),
	KUNIT_CASE(status_is_repeated),
	KUNIT_CASE(invalid_commands_are_ignored),
	KUNIT_CASE(mcp2510_lacks_commands),
	KUNIT_CASE(interrupts_are_flags_and_enables),
	KUNIT_CASE(modes_are_entered_immediately),
	KUNIT_CASE(invalid_modes_are_ignored),
	KUNIT_CASE(modes_wait_for_requested_frames),
	KUNIT_CASE(modes_wait_for_the_end_of_an_aborted_frame),
	KUNIT_CASE(mode_request_can_be_cancelled),
	KUNIT_CASE(requests_wait_for_normal_mode),
	KUNIT_CASE(sleep_ends_by_flag),
	KUNIT_CASE(sleep_ends_by_bus),
	KUNIT_CASE(sleep_continues_without_enable),
	KUNIT_CASE(sleeping_chips_do_not_acknowledge),
	KUNIT_CASE(loopback),
	KUNIT_CASE(loopback_of_several_frames),
	KUNIT_CASE(listen_only_is_silent),
	KUNIT_CASE(leaving_the_bus_clears_counters),
	KUNIT_CASE(bit_timing),
	KUNIT_CASE(third_frame_overflows),
	KUNIT_CASE(second_frame_overflows_without_rollover),
	KUNIT_CASE(set_flag_blocks_buffer),
	KUNIT_CASE(frames_are_stored),
	KUNIT_CASE(filters_of_mcp2515),
	KUNIT_CASE(filters_of_mcp2510),
	KUNIT_CASE(rx_status),
	KUNIT_CASE(frames_are_sent),
	KUNIT_CASE(requests_by_register),
	KUNIT_CASE(buffers_have_priorities),
	KUNIT_CASE(buffer_of_higher_priority_overtakes),
	KUNIT_CASE(lost_arbitration_is_tried_again),
	KUNIT_CASE(one_shot),
	KUNIT_CASE(abort_of_waiting_frame),
	KUNIT_CASE(abort_of_frame_being_sent),
	KUNIT_CASE(abort_of_all),
	KUNIT_CASE(abort_of_all_completes_current_frame),
	KUNIT_CASE(reset_ends_transmission),
	KUNIT_CASE(transmit_errors_without_acknowledgment),
	KUNIT_CASE(receive_errors),
	KUNIT_CASE(bus_off_ends_by_itself),
	KUNIT_CASE(bus_off_ends_in_configuration_mode),
	KUNIT_CASE(reads_return_the_state_at_their_time),
	KUNIT_CASE(a_frame_between_two_bytes),
	KUNIT_CASE(a_frame_during_read_rx_buffer),
	KUNIT_CASE(timed_writes_take_effect_in_time),
	KUNIT_CASE(timed_writes_take_effect_one_by_one),
	KUNIT_CASE(untimed_writes_take_effect_when_run),
	KUNIT_CASE(untimed_writes_take_effect_after_a_frame),
	KUNIT_CASE(command_spans_several_transfers),
	KUNIT_CASE(transfers_can_be_cancelled),
	KUNIT_CASE(random_traffic),
	{}
};

static struct kunit_suite mcp251x_test_suite = {
	.name = "can-sim-mcp251x",
	.init = mcp251x_test_init,
	.test_cases = mcp251x_test_cases,
};

kunit_test_suite(mcp251x_test_suite);

MODULE_DESCRIPTION("KUnit suite of the simulated MCP2510 and MCP2515");
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_LICENSE("GPL");
