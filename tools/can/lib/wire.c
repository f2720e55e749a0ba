// SPDX-License-Identifier: GPL-2.0-only
/*
 * Length of a frame on the bus. The bits are generated in the order in which a controller
 * sends them, with stuff bits. Pure functions for any thread, except for wire_bitrate(),
 * which uses its own netlink socket.
 */
#include <stdbool.h>
#include <string.h>

#include <linux/can/netlink.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/route/link/can.h>

#include "wire.h"

#define NSEC_PER_SEC 1000000000ULL
#define STUFF_RUN 5
#define CRC15_POLYNOMIAL 0x4599

/* CRC delimiter, ACK slot, ACK delimiter, end of frame. */
#define CRC_DELIMITER 1
#define ACK_AND_EOF (1 + 1 + 7)

/* CRC field of CAN FD: stuff count with its parity bit, then the sequence. */
#define STUFF_COUNT 4
#define CRC17 17
#define CRC21 21
#define CRC17_MAX_DATA 16

/**
 * struct bits - the bits sent so far
 * @nominal: number of bits in the arbitration phase, with stuff bits
 * @data: likewise in the data phase
 * @fast: the next bits belong to the data phase
 * @last: level of the last bit, which may be a stuff bit
 * @run: number of equal bits at the end
 * @crc: CRC15 of the bits without stuff bits
 */
struct bits {
	unsigned int nominal;
	unsigned int data;
	bool fast;
	bool last;
	unsigned int run;
	uint16_t crc;
};

static void count_bits(struct bits *b, unsigned int n)
{
	if (b->fast)
		b->data += n;
	else
		b->nominal += n;
}

/*
 * A stuff bit is added together with the next bit, not at the end of the run: after the
 * data of a CAN FD frame, the fixed stuff bit of the CRC field replaces it.
 */
static void add_stuff_bit(struct bits *b)
{
	if (b->run < STUFF_RUN)
		return;
	count_bits(b, 1);
	b->last = !b->last;
	b->run = 1;
}

static void send_bit(struct bits *b, bool bit)
{
	bool invert = bit ^ (b->crc >> 14 & 1);

	add_stuff_bit(b);
	count_bits(b, 1);
	b->run = bit == b->last ? b->run + 1 : 1;
	b->last = bit;
	b->crc = b->crc << 1 & 0x7fff;
	if (invert)
		b->crc ^= CRC15_POLYNOMIAL;
}

/* The lowest @n bits of @value, most significant bit first */
static void send_bits(struct bits *b, uint32_t value, unsigned int n)
{
	while (n--)
		send_bit(b, value >> n & 1);
}

/*
 * SOF and the arbitration field, up to the bit in which the formats differ. @last: RTR,
 * or RRS in CAN FD.
 */
static void send_arbitration(struct bits *b, canid_t id, bool last)
{
	send_bit(b, 0);
	if (id & CAN_EFF_FLAG) {
		send_bits(b, (id & CAN_EFF_MASK) >> 18, 11);
		send_bits(b, 3, 2);			/* SRR, IDE */
		send_bits(b, id & 0x3ffff, 18);
		send_bit(b, last);
	} else {
		send_bits(b, id & CAN_SFF_MASK, 11);
		send_bit(b, last);
		send_bit(b, 0);				/* IDE */
	}
}

static unsigned int classic_dlc(const struct can_frame *frame)
{
	if (frame->len < CAN_MAX_DLEN)
		return frame->len;
	/* 9 to 15 also mean 8 bytes; some controllers can send and report them. */
	if (frame->len8_dlc > CAN_MAX_DLEN && frame->len8_dlc <= CAN_MAX_RAW_DLC)
		return frame->len8_dlc;
	return CAN_MAX_DLEN;
}

static struct wire_bits classic_bits(const struct can_frame *frame)
{
	bool remote = frame->can_id & CAN_RTR_FLAG;
	unsigned int len = frame->len < CAN_MAX_DLEN ? frame->len : CAN_MAX_DLEN;
	struct bits b = { .last = true };

	send_arbitration(&b, frame->can_id, remote);
	if (frame->can_id & CAN_EFF_FLAG)
		send_bit(&b, 0);			/* r1 */
	send_bit(&b, 0);				/* r0 */
	send_bits(&b, classic_dlc(frame), 4);
	for (unsigned int i = 0; !remote && i < len; i++)
		send_bits(&b, frame->data[i], 8);
	send_bits(&b, b.crc, 15);
	add_stuff_bit(&b);
	count_bits(&b, CRC_DELIMITER + ACK_AND_EOF);
	return (struct wire_bits){ .nominal = b.nominal };
}

/* Round @len up to a length that has a DLC. */
static unsigned int fd_dlc(unsigned int *len)
{
	static const unsigned char lengths[] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64
	};
	unsigned int dlc = 0;

	while (dlc < sizeof(lengths) - 1 && lengths[dlc] < *len)
		dlc++;
	*len = lengths[dlc];
	return dlc;
}

/*
 * The bit rate changes at the sample points of BRS and of the CRC delimiter. If both
 * phases have the same relative sample point, the errors compensate each other when BRS is
 * counted as nominal and the delimiter as data.
 */
static struct wire_bits fd_bits(const struct canfd_frame *frame)
{
	unsigned int given = frame->len < CANFD_MAX_DLEN ? frame->len : CANFD_MAX_DLEN;
	bool brs = frame->flags & CANFD_BRS;
	unsigned int len = given, crc;
	struct bits b = { .last = true };
	unsigned int dlc = fd_dlc(&len);

	send_arbitration(&b, frame->can_id, 0);		/* RRS */
	send_bits(&b, 2, 2);				/* FDF, res */
	send_bit(&b, brs);
	b.fast = brs;
	send_bit(&b, frame->flags & CANFD_ESI);
	send_bits(&b, dlc, 4);
	/* Drivers pad the data with 0 to the rounded length. */
	for (unsigned int i = 0; i < len; i++)
		send_bits(&b, i < given ? frame->data[i] : 0, 8);

	crc = STUFF_COUNT + (len <= CRC17_MAX_DATA ? CRC17 : CRC21);
	/* One fixed stuff bit before the CRC field, and one after every four of its bits */
	count_bits(&b, 1 + crc + crc / 4 + CRC_DELIMITER);
	b.fast = false;
	count_bits(&b, ACK_AND_EOF);
	return (struct wire_bits){ .nominal = b.nominal, .data = b.data };
}

struct wire_bits wire_bits(const struct canfd_frame *frame, unsigned int size)
{
	struct can_frame classic;

	/* Error message frames are generated by the driver and are not on the bus. */
	if (frame->can_id & CAN_ERR_FLAG)
		return (struct wire_bits){ 0 };
	if (size == CANFD_MTU)
		return fd_bits(frame);
	memcpy(&classic, frame, sizeof(classic));
	return classic_bits(&classic);
}

static uint64_t bit_time(uint64_t bits, uint32_t bitrate)
{
	return (bits * NSEC_PER_SEC + bitrate / 2) / bitrate;
}

uint64_t wire_time(const struct canfd_frame *frame, unsigned int size,
		   uint32_t bitrate, uint32_t data_bitrate)
{
	struct wire_bits bits = wire_bits(frame, size);

	if (!bitrate)
		return 0;
	return bit_time(bits.nominal, bitrate) +
	       bit_time(bits.data, data_bitrate ? data_bitrate : bitrate);
}

static bool read_bitrate(struct rtnl_link *link, uint32_t *bitrate, uint32_t *data_bitrate)
{
	struct can_bittiming timing = { 0 };
	uint32_t mode = 0;

	if (!rtnl_link_is_can(link) || rtnl_link_can_get_bittiming(link, &timing) ||
	    !timing.bitrate)
		return false;
	*bitrate = timing.bitrate;
	if (!data_bitrate)
		return true;
	*data_bitrate = 0;
	if (!rtnl_link_can_get_ctrlmode(link, &mode) && mode & CAN_CTRLMODE_FD &&
	    !rtnl_link_can_get_data_bittiming(link, &timing))
		*data_bitrate = timing.bitrate;
	return true;
}

_Bool wire_bitrate(const char *ifname, uint32_t *bitrate, uint32_t *data_bitrate)
{
	struct nl_sock *sock = nl_socket_alloc();
	struct rtnl_link *link = NULL;
	bool known = false;

	if (!sock)
		return false;
	if (!nl_connect(sock, NETLINK_ROUTE) &&
	    !rtnl_link_get_kernel(sock, 0, ifname, &link))
		known = read_bitrate(link, bitrate, data_bitrate);
	rtnl_link_put(link);
	nl_socket_free(sock);
	return known;
}
