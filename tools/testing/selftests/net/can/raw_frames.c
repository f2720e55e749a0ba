// SPDX-License-Identifier: GPL-2.0-only
/*
 * CAN_RAW and the three kinds of frames: Classical CAN, CAN FD and CAN XL.
 * Which of them a socket may write, by its options and by the MTU of the
 * interface; which sockets receive them; which fields arrive unchanged, and which
 * the kernel sets or clears.
 *
 * Every test runs for each kind of MTU, and the expected results follow from the
 * sizes in the variant. To show that a frame does not arrive, a sentinel is sent
 * after it; vcan keeps their order because all frames are sent from one CPU.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>

#include "kselftest_harness.h"
#include "cantest.h"

#define SENTINEL_ID	0x7aaU

union any_frame {
	struct can_frame cc;
	struct canfd_frame fd;
	struct canxl_frame xl;
	unsigned char byte[CANXL_MTU + 64];
};

/* in ascending order: a socket takes its own kind and all kinds before it */
enum kind { CC, FD, XL, KINDS };

static const char * const kind_name[KINDS] = { "CC", "FD", "XL" };

/* a bound socket for frames up to a kind */
static int open_for(int ifindex, enum kind kind)
{
	static const int options[KINDS] = {
		[FD] = CAN_RAW_FD_FRAMES, [XL] = CAN_RAW_XL_FRAMES,
	};
	int fd = ct_raw_open(ifindex);

	if (fd < 0 || kind == CC)
		return fd;
	return ct_raw_set(fd, options[kind], 1) ?: fd;
}

/* every byte differs from its neighbours, so that none can be exchanged */
static void pattern(union any_frame *frame)
{
	unsigned int i;

	for (i = 0; i < sizeof(frame->byte); i++)
		frame->byte[i] = i * 7 + 3;
}

static void make_cc(union any_frame *frame, canid_t id, unsigned int len)
{
	pattern(frame);
	frame->cc.can_id = id;
	frame->cc.len = len;
}

static void make_fd(union any_frame *frame, canid_t id, unsigned int len,
		    unsigned int flags)
{
	pattern(frame);
	frame->fd.can_id = id;
	frame->fd.len = len;
	frame->fd.flags = flags;
}

static void make_xl(union any_frame *frame, canid_t prio, unsigned int len)
{
	pattern(frame);
	frame->xl.prio = prio;
	frame->xl.flags = CANXL_XLF;
	frame->xl.len = len;
}

FIXTURE(frames) {
	int ifindex;
	int tx[KINDS];		/* socket that may send up to this kind */
	int rx[KINDS];		/* socket that receives up to this kind */
	int third;
};

FIXTURE_VARIANT(frames) {
	unsigned int mtu;
	enum kind carries;
};

FIXTURE_VARIANT_ADD(frames, classical_interface) { CAN_MTU, CC };
FIXTURE_VARIANT_ADD(frames, fd_interface) { CANFD_MTU, FD };
FIXTURE_VARIANT_ADD(frames, xl_interface) { CANXL_MTU, XL };
FIXTURE_VARIANT_ADD(frames,
		    xl_interface_with_minimum_mtu) { CANXL_MIN_MTU, XL };
FIXTURE_VARIANT_ADD(frames, xl_interface_with_medium_mtu) { 1000, XL };

FIXTURE_SETUP(frames)
{
	int kind;

	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, ct_netns_new());
	self->ifindex = CT_OK(ct_vcan_add("vcan0", variant->mtu));
	for (kind = CC; kind < KINDS; kind++) {
		self->tx[kind] = CT_OK(open_for(self->ifindex, kind));
		self->rx[kind] = CT_OK(open_for(self->ifindex, kind));
		/* senders only send, so their queues need not be emptied */
		ASSERT_EQ(0, ct_raw_filters(self->tx[kind], NULL, 0));
	}
	self->third = CT_OK(ct_raw_open(self->ifindex));
	ASSERT_EQ(0, ct_raw_filters(self->third, NULL, 0));
}

FIXTURE_TEARDOWN(frames) { }

static int send_sentinel(int fd)
{
	struct can_frame frame;

	ct_frame(&frame, SENTINEL_ID, 0, NULL);
	return ct_send(fd, &frame, sizeof(frame));
}

/* the next frame in @fd is exactly this one */
static void expect_frame(struct __test_metadata *_metadata, int fd,
			 const union any_frame *want, size_t len)
{
	union any_frame got;

	memset(&got, 0x5a, sizeof(got));
	ASSERT_EQ((ssize_t)len, ct_recv(fd, &got, sizeof(got), CT_TIMEOUT_MS));
	EXPECT_EQ(0, memcmp(want, &got, len));
	/* not a byte more was written */
	EXPECT_EQ(0x5a, got.byte[len]);
}

static void expect_sentinel(struct __test_metadata *_metadata, int fd)
{
	struct can_frame frame;

	ASSERT_EQ((ssize_t)CAN_MTU,
		  ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
	EXPECT_EQ(SENTINEL_ID, frame.can_id);
}

/* the receiver has no further frame: the next one is sent now */
static void expect_no_more(struct __test_metadata *_metadata,
			   const FIXTURE_DATA(frames) *self, enum kind receiver)
{
	ASSERT_EQ(0, send_sentinel(self->third));
	expect_sentinel(_metadata, self->rx[receiver]);
}

/* the result of write() for a valid frame */
static int expected_result(const FIXTURE_VARIANT(frames) *variant,
			   enum kind sender, enum kind kind, size_t size)
{
	if (sender < kind || variant->carries < kind)
		return -EINVAL;
	return size > variant->mtu ? -EMSGSIZE : 0;
}

/* a frame of a kind arrives as @want, or is refused with @result */
static void pass(struct __test_metadata *_metadata,
		 const FIXTURE_DATA(frames) *self, enum kind kind,
		 const union any_frame *frame, const union any_frame *want,
		 size_t size, int result)
{
	EXPECT_EQ(result, ct_send(self->tx[kind], frame, size))
		TH_LOG("%s of %zu bytes", kind_name[kind], size);
	if (!result)
		expect_frame(_metadata, self->rx[kind], want, size);
}

TEST_F(frames, reach_the_sockets_for_their_kind)
{
	/* XL frames of the size of the other kinds are still XL frames */
	const struct {
		enum kind kind;
		unsigned int len;
		size_t size;
	} *t, table[] = {
		{ CC, 8, CAN_MTU },
		{ FD, 8, CANFD_MTU },
		{ FD, 64, CANFD_MTU },
		{ XL, 1, CANXL_HDR_SIZE + 1 },
		{ XL, 4, CAN_MTU },
		{ XL, 60, CANFD_MTU },
		{ XL, 64, CANXL_MIN_MTU },
		{ XL, 65, CANXL_MIN_MTU + 1 },
		{ XL, 2048, CANXL_MTU },
	};
	union any_frame frame;
	int sender, receiver;
	unsigned int i;
	int result;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		t = &table[i];
		if (t->kind == CC)
			make_cc(&frame, 0x123, t->len);
		else if (t->kind == FD)
			make_fd(&frame, 0x123, t->len, CANFD_FDF);
		else
			make_xl(&frame, 0x123, t->len);

		for (sender = CC; sender < KINDS; sender++) {
			result = expected_result(variant, sender, t->kind,
						 t->size);
			EXPECT_EQ(result, ct_send(self->tx[sender], &frame,
						  t->size))
				TH_LOG("%s of %u by %s", kind_name[t->kind],
				       t->len, kind_name[sender]);
			ASSERT_EQ(0, send_sentinel(self->third));
			for (receiver = CC; receiver < KINDS; receiver++) {
				if (!result && receiver >= (int)t->kind)
					expect_frame(_metadata,
						     self->rx[receiver],
						     &frame, t->size);
				expect_sentinel(_metadata, self->rx[receiver]);
			}
		}
	}
}

TEST_F(frames, classical_of_every_length_and_kind_arrive_unchanged)
{
	static const canid_t ids[] = {
		0, 0x123, 0x7ff, CAN_RTR_FLAG | 0x123, CAN_EFF_FLAG,
		CAN_EFF_FLAG | 0x12345678, CAN_EFF_FLAG | CAN_EFF_MASK,
		CAN_EFF_FLAG | CAN_RTR_FLAG | 0x12345678,
		/* bits that a standard identifier does not have */
		0x1ffff800,
	};
	union any_frame frame;
	unsigned int i, len;
	int kind;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		for (len = 0; len <= CAN_MAX_DLEN; len++) {
			/* with padding, reserved and unused data bytes */
			make_cc(&frame, ids[i], len);
			ASSERT_EQ(0, ct_send(self->tx[CC], &frame, CAN_MTU));
			for (kind = CC; kind < KINDS; kind++)
				expect_frame(_metadata, self->rx[kind], &frame,
					     CAN_MTU);
		}
	}
}

TEST_F(frames, raw_dlc_arrives_unchanged_valid_or_not)
{
	static const unsigned int lens[] = { 0, 7, 8 };
	union any_frame frame;
	unsigned int i, dlc;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		for (dlc = 0; dlc < 256; dlc++) {
			make_cc(&frame, 0x123, lens[i]);
			frame.cc.len8_dlc = dlc;
			ASSERT_EQ(0, ct_send(self->tx[CC], &frame, CAN_MTU));
			expect_frame(_metadata, self->rx[CC], &frame, CAN_MTU);
		}
	}
}

TEST_F(frames, classical_of_more_than_8_bytes_are_rejected)
{
	union any_frame frame;
	unsigned int len;
	int sender;

	for (sender = CC; sender < KINDS; sender++) {
		for (len = CAN_MAX_DLEN + 1; len < 256; len++) {
			make_cc(&frame, 0x123, len);
			EXPECT_EQ(-EINVAL, ct_send(self->tx[sender], &frame,
						   CAN_MTU));
		}
	}
	expect_no_more(_metadata, self, XL);
}

/* all bytes are zero: no flag of an XL frame, no data in the other two */
TEST_F(frames, writes_of_any_other_size_are_rejected)
{
	static const unsigned char zeros[1 << 17];
	union any_frame frame = { };
	int sender, want;
	size_t size;

	for (sender = CC; sender < KINDS; sender++) {
		for (size = 0; size <= CANXL_MTU + 64; size++) {
			want = -EINVAL;
			if (size == CAN_MTU)
				want = 0;
			else if (size == CANFD_MTU && sender >= FD &&
				 variant->carries >= FD)
				want = 0;
			EXPECT_EQ(want, ct_send(self->tx[sender], zeros, size))
				TH_LOG("%zu bytes", size);
			if (want)
				continue;
			frame.fd.flags = size == CANFD_MTU ? CANFD_FDF : 0;
			expect_frame(_metadata, self->rx[XL], &frame, size);
		}
		EXPECT_EQ(-EINVAL, ct_send(self->tx[sender], zeros,
					   sizeof(zeros)));
	}
	expect_no_more(_metadata, self, XL);
}

TEST_F(frames, fd_of_every_length_arrive_with_the_flag_set)
{
	const int want = expected_result(variant, FD, FD, CANFD_MTU);
	union any_frame frame;
	unsigned int len;

	/* raw sockets know no DLC, so lengths such as 9 or 63 are sent as well */
	for (len = 0; len <= CANFD_MAX_DLEN; len++) {
		make_fd(&frame, CAN_EFF_FLAG | len, len, 0);
		ASSERT_EQ(want, ct_send(self->tx[FD], &frame, CANFD_MTU));
		if (want)
			continue;
		frame.fd.flags = CANFD_FDF;
		expect_frame(_metadata, self->rx[FD], &frame, CANFD_MTU);
		expect_frame(_metadata, self->rx[XL], &frame, CANFD_MTU);
	}
	expect_no_more(_metadata, self, FD);
}

TEST_F(frames, fd_flags_arrive_unchanged_but_for_the_fd_flag)
{
	static const canid_t ids[] = { 0x123, CAN_RTR_FLAG | 0x123 };
	const int want = expected_result(variant, FD, FD, CANFD_MTU);
	union any_frame frame, got;
	unsigned int i, flags;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		for (flags = 0; flags < 256; flags++) {
			make_fd(&frame, ids[i], 8, flags);
			got = frame;
			got.fd.flags |= CANFD_FDF;
			pass(_metadata, self, FD, &frame, &got, CANFD_MTU, want);
		}
	}
	expect_no_more(_metadata, self, FD);
}

TEST_F(frames, fd_of_more_than_64_bytes_are_rejected)
{
	union any_frame frame;
	unsigned int len;
	int sender;

	for (sender = CC; sender < KINDS; sender++) {
		for (len = CANFD_MAX_DLEN + 1; len < 256; len++) {
			make_fd(&frame, 0x123, len, CANFD_FDF);
			EXPECT_EQ(-EINVAL, ct_send(self->tx[sender], &frame,
						   CANFD_MTU));
		}
	}
	expect_no_more(_metadata, self, XL);
}

TEST_F(frames, fd_error_frames_go_by_the_error_mask)
{
	const int want = expected_result(variant, FD, FD, CANFD_MTU);
	union any_frame frame;

	ASSERT_EQ(0, ct_raw_set(self->rx[FD], CAN_RAW_ERR_FILTER,
				CAN_ERR_BUSOFF));
	ASSERT_EQ(0, ct_raw_set(self->rx[CC], CAN_RAW_ERR_FILTER,
				CAN_ERR_BUSOFF));
	make_fd(&frame, CAN_ERR_FLAG | CAN_ERR_BUSOFF, 8, CANFD_FDF);
	ASSERT_EQ(want, ct_send(self->tx[FD], &frame, CANFD_MTU));
	ASSERT_EQ(0, send_sentinel(self->third));
	if (!want)
		expect_frame(_metadata, self->rx[FD], &frame, CANFD_MTU);
	expect_sentinel(_metadata, self->rx[FD]);
	/* the kind of the frame still counts */
	expect_sentinel(_metadata, self->rx[CC]);
	expect_sentinel(_metadata, self->rx[XL]);
}

TEST_F(frames, xl_of_many_lengths_arrive_unchanged)
{
	static const unsigned int lens[] = {
		1, 2, 3, 4, 5, 8, 12, 59, 60, 61, 63, 64, 65, 100, 511, 512,
		988, 989, 1000, 1024, 1500, 2047, 2048,
	};
	union any_frame frame;
	unsigned int i;
	size_t size;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		size = CANXL_HDR_SIZE + lens[i];
		make_xl(&frame, lens[i] & CANXL_PRIO_MASK, lens[i]);
		pass(_metadata, self, XL, &frame, &frame, size,
		     expected_result(variant, XL, XL, size));
	}
	expect_no_more(_metadata, self, XL);
}

TEST_F(frames, xl_type_acceptance_field_and_flags_arrive_unchanged)
{
	static const __u32 af[] = { 0, 1, 0x12345678, 0xffffffff };
	const size_t size = CANXL_HDR_SIZE + 20;
	const int want = expected_result(variant, XL, XL, size);
	union any_frame frame;
	unsigned int i, value;

	for (value = 0; value < 256; value++) {
		make_xl(&frame, 0x123, 20);
		frame.xl.sdt = value;
		frame.xl.flags = CANXL_XLF | (255 - value);
		pass(_metadata, self, XL, &frame, &frame, size, want);
	}
	for (i = 0; i < ARRAY_SIZE(af); i++) {
		make_xl(&frame, 0x7ff, 20);
		frame.xl.flags = CANXL_XLF | CANXL_SEC;
		frame.xl.af = af[i];
		pass(_metadata, self, XL, &frame, &frame, size, want);
	}
	expect_no_more(_metadata, self, XL);
}

TEST_F(frames, inconsistent_xl_are_rejected)
{
	const struct {
		const char *name;
		unsigned int flags, len;
		size_t size;
	} *bad, table[] = {
		{ "no XL flag", 0x7f, 20, CANXL_HDR_SIZE + 20 },
		{ "length above the size", CANXL_XLF, 21, CANXL_HDR_SIZE + 20 },
		{ "length below the size", CANXL_XLF, 19, CANXL_HDR_SIZE + 20 },
		{ "length 0", CANXL_XLF, 0, CANXL_HDR_SIZE },
		{ "length 0 and a byte", CANXL_XLF, 0, CANXL_HDR_SIZE + 1 },
		{ "only a header", CANXL_XLF, 1, CANXL_HDR_SIZE },
		{ "one byte too many", CANXL_XLF, CANXL_MAX_DLEN + 1,
			CANXL_MTU + 1 },
		{ "always the full size", CANXL_XLF, 20, CANXL_MTU },
		{ "size of a Classical frame", CANXL_XLF, 5, CAN_MTU },
		{ "size of an FD frame", CANXL_XLF, 61, CANFD_MTU },
	};
	union any_frame frame;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		bad = &table[i];
		make_xl(&frame, 0x123, bad->len);
		frame.xl.flags = bad->flags;
		EXPECT_EQ(-EINVAL, ct_send(self->tx[XL], &frame, bad->size))
			TH_LOG("%s", bad->name);
	}
	expect_no_more(_metadata, self, XL);
}

TEST_F(frames, long_xl_are_cut_to_the_buffer)
{
	const size_t size = CANXL_HDR_SIZE + 64;
	const int want = expected_result(variant, XL, XL, size);
	union any_frame frame, got;

	make_xl(&frame, 0x123, 64);
	ASSERT_EQ(want, ct_send(self->tx[XL], &frame, size));
	ASSERT_EQ(0, send_sentinel(self->third));
	if (!want) {
		EXPECT_EQ((ssize_t)CANFD_MTU,
			  ct_recv(self->rx[XL], &got, CANFD_MTU,
				  CT_TIMEOUT_MS));
		EXPECT_EQ(0, memcmp(&frame, &got, CANFD_MTU));
	}
	expect_sentinel(_metadata, self->rx[XL]);
}

TEST_F(frames, options_change_what_a_bound_socket_sends_and_receives)
{
	const int want = expected_result(variant, FD, FD, CANFD_MTU);
	int fd = self->rx[CC];
	union any_frame frame;

	make_fd(&frame, 0x123, 64, CANFD_FDF);
	EXPECT_EQ(-EINVAL, ct_send(fd, &frame, CANFD_MTU));
	ASSERT_EQ(0, ct_raw_set(fd, CAN_RAW_FD_FRAMES, 1));
	ASSERT_EQ(0, ct_raw_set(fd, CAN_RAW_RECV_OWN_MSGS, 1));
	EXPECT_EQ(want, ct_send(fd, &frame, CANFD_MTU));
	if (!want)
		expect_frame(_metadata, fd, &frame, CANFD_MTU);

	ASSERT_EQ(0, ct_raw_set(fd, CAN_RAW_FD_FRAMES, 0));
	EXPECT_EQ(-EINVAL, ct_send(fd, &frame, CANFD_MTU));
	ASSERT_EQ(want, ct_send(self->tx[FD], &frame, CANFD_MTU));
	ASSERT_EQ(0, send_sentinel(self->third));
	expect_sentinel(_metadata, fd);
}

/*
 * The virtual CAN network identifier of XL frames: eight bits of the priority
 * that the kernel sets, passes or clears for a sender, and that a receiver filters.
 */
FIXTURE(vcid) {
	int ifindex;
	int tx, rx, third;
};

FIXTURE_SETUP(vcid)
{
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, ct_netns_new());
	self->ifindex = CT_OK(ct_vcan_add("vcan0", CANXL_MTU));
	self->tx = CT_OK(open_for(self->ifindex, XL));
	self->rx = CT_OK(open_for(self->ifindex, XL));
	self->third = CT_OK(ct_raw_open(self->ifindex));
}

FIXTURE_TEARDOWN(vcid) { }

static int set_vcid(int fd, unsigned int flags, unsigned int tx_vcid,
		    unsigned int rx_vcid, unsigned int rx_mask)
{
	const struct can_raw_vcid_options options = {
		.flags = flags,
		.tx_vcid = tx_vcid,
		.rx_vcid = rx_vcid,
		.rx_vcid_mask = rx_mask,
	};

	return ct_raw_setopt(fd, CAN_RAW_XL_VCID_OPTS, &options,
			     sizeof(options));
}

static canid_t with_vcid(canid_t prio, canid_t vcid)
{
	return prio | vcid << CANXL_VCID_OFFSET;
}

#define XL_SIZE	(CANXL_HDR_SIZE + 20)

static int send_xl(int fd, canid_t prio)
{
	union any_frame frame;

	make_xl(&frame, prio, 20);
	return ct_send(fd, &frame, XL_SIZE);
}

static void expect_prio(struct __test_metadata *_metadata, int fd, canid_t prio)
{
	union any_frame frame;

	make_xl(&frame, prio, 20);
	expect_frame(_metadata, fd, &frame, XL_SIZE);
}

TEST_F(vcid, is_cleared_passed_or_set_for_the_sender)
{
	const unsigned int set = CAN_RAW_XL_VCID_TX_SET;
	const unsigned int pass = CAN_RAW_XL_VCID_TX_PASS;
	const struct {
		unsigned int flags, tx_vcid;
		canid_t written, sent;
	} *t, table[] = {
		{ 0, 0x55, 0x123, 0x123 },
		{ 0, 0x55, with_vcid(0x123, 0x42), 0x123 },
		{ 0, 0x55, 0xffffffff, 0x7ff },
		{ pass, 0x55, 0x123, 0x123 },
		{ pass, 0x55, with_vcid(0x123, 0x42), with_vcid(0x123, 0x42) },
		{ pass, 0x55, 0xffffffff, with_vcid(0x7ff, 0xff) },
		{ set, 0x55, 0x123, with_vcid(0x123, 0x55) },
		{ set, 0x55, with_vcid(0x123, 0xaa), with_vcid(0x123, 0x55) },
		{ set, 0x00, with_vcid(0x123, 0xaa), 0x123 },
		{ set, 0xff, 0xffffffff, with_vcid(0x7ff, 0xff) },
		{ set | pass, 0x55, with_vcid(0x123, 0xaa),
			with_vcid(0x123, 0x55) },
	};
	unsigned int i;

	/* a mask of nothing: the receiver takes every identifier */
	ASSERT_EQ(0, set_vcid(self->rx, CAN_RAW_XL_VCID_RX_FILTER, 0, 0, 0));
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		t = &table[i];
		ASSERT_EQ(0, set_vcid(self->tx, t->flags, t->tx_vcid, 0, 0));
		ASSERT_EQ(0, send_xl(self->tx, t->written));
		expect_prio(_metadata, self->rx, t->sent);
	}
}

TEST_F_TIMEOUT(vcid, receiver_selects_by_value_and_mask, 120)
{
	const unsigned int on = CAN_RAW_XL_VCID_RX_FILTER;
	const struct {
		unsigned int flags, value, mask;
	} *t, table[] = {
		{ 0, 0x00, 0x00 },
		/* without the flag, value and mask mean nothing */
		{ 0, 0x42, 0xff },
		{ on, 0x00, 0x00 },
		{ on, 0x00, 0xff },
		{ on, 0x42, 0xff },
		{ on, 0x40, 0xf0 },
		{ on, 0x4f, 0xf0 },
		{ on, 0xff, 0x01 },
	};
	unsigned int i, vcid;
	bool wanted;

	ASSERT_EQ(0, set_vcid(self->tx, CAN_RAW_XL_VCID_TX_PASS, 0, 0, 0));
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		t = &table[i];
		ASSERT_EQ(0, set_vcid(self->rx, t->flags, 0, t->value,
				      t->mask));
		for (vcid = 0; vcid < 256; vcid++) {
			/* no filter means the frames without identifier */
			wanted = t->flags ? !((vcid ^ t->value) & t->mask) :
					    !vcid;
			ASSERT_EQ(0, send_xl(self->tx, with_vcid(0x123, vcid)));
			ASSERT_EQ(0, send_sentinel(self->third));
			if (wanted)
				expect_prio(_metadata, self->rx,
					    with_vcid(0x123, vcid));
			expect_sentinel(_metadata, self->rx);
		}
	}
}

TEST_F(vcid, does_not_exist_in_the_other_kinds)
{
	const unsigned int all = CAN_RAW_XL_VCID_TX_SET |
				 CAN_RAW_XL_VCID_RX_FILTER;
	const canid_t id = CAN_EFF_FLAG | with_vcid(0x123, 0x42);
	union any_frame frame;

	ASSERT_EQ(0, set_vcid(self->tx, all, 0x55, 0, 0));
	ASSERT_EQ(0, set_vcid(self->rx, all, 0, 0x77, 0xff));
	make_cc(&frame, id, 8);
	ASSERT_EQ(0, ct_send(self->tx, &frame, CAN_MTU));
	expect_frame(_metadata, self->rx, &frame, CAN_MTU);
	make_fd(&frame, id, 8, CANFD_FDF);
	ASSERT_EQ(0, ct_send(self->tx, &frame, CANFD_MTU));
	expect_frame(_metadata, self->rx, &frame, CANFD_MTU);
}

/* filters see the priority where other frames have their identifier */
TEST_F(vcid, filters_compare_priority_and_vcid)
{
	const canid_t exact = CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG;
	const struct {
		struct can_filter filter;
		canid_t prio;
		bool wanted;
	} *t, table[] = {
		{ { 0, 0 }, 0x123, true },
		{ { 0, 0 }, with_vcid(0x123, 0x42), true },
		{ { 0x123, exact }, 0x123, true },
		{ { 0x123, exact }, 0x124, false },
		/* the mask for a standard identifier leaves the VCID out ... */
		{ { 0x123, exact }, with_vcid(0x123, 0x42), true },
		{ { 0x123, CAN_EFF_MASK | CAN_EFF_FLAG },
			with_vcid(0x123, 0x42), true },
		/* ... but not when it does not ask for the format */
		{ { 0x123, CAN_EFF_MASK }, 0x123, true },
		{ { 0x123, CAN_EFF_MASK }, with_vcid(0x123, 0x42), false },
		{ { with_vcid(0x123, 0x42), CAN_EFF_MASK },
			with_vcid(0x123, 0x42), true },
		{ { with_vcid(0, 0x42), CANXL_VCID_MASK },
			with_vcid(0x123, 0x42), true },
		{ { with_vcid(0, 0x42), CANXL_VCID_MASK },
			with_vcid(0x123, 0x43), false },
		{ { CAN_INV_FILTER | 0x123, exact }, 0x123, false },
		{ { CAN_INV_FILTER | 0x123, exact }, 0x124, true },
		{ { CAN_EFF_FLAG, CAN_EFF_FLAG }, 0x123, false },
		/* flags do not pass the sender, so this is no error frame */
		{ { 0, 0 }, CAN_ERR_FLAG | 0x123, true },
		{ { 0, CAN_ERR_FLAG | CAN_ERR_MASK }, CAN_ERR_FLAG | 0x123,
			false },
	};
	unsigned int i;

	ASSERT_EQ(0, set_vcid(self->tx, CAN_RAW_XL_VCID_TX_PASS, 0, 0, 0));
	ASSERT_EQ(0, set_vcid(self->rx, CAN_RAW_XL_VCID_RX_FILTER, 0, 0, 0));
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		const struct can_filter filters[] = {
			table[i].filter, { SENTINEL_ID, exact },
		};

		t = &table[i];
		ASSERT_EQ(0, ct_raw_filters(self->rx, filters, 2));
		ASSERT_EQ(0, send_xl(self->tx, t->prio));
		ASSERT_EQ(0, send_sentinel(self->third));
		if (t->wanted)
			expect_prio(_metadata, self->rx,
				    t->prio & ~CAN_ERR_FLAG);
		expect_sentinel(_metadata, self->rx);
	}
}

TEST_HARNESS_MAIN
