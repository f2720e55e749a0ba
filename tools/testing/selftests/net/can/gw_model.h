/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of a CAN gateway rule for one frame, computed in user space from
 * the description in include/uapi/linux/can/gw.h. The gateway tests compare
 * every frame that the kernel sends with this model.
 *
 * The functions do not depend on the kernel, have no state, and may be called from
 * any thread.
 */
#ifndef GW_MODEL_H
#define GW_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/can.h>
#include <linux/types.h>

#include "cgw.h"

/**
 * union gw_model_frame - a frame of either kind, as sockets read and write it
 * @cc: Classical CAN (CAN_MTU bytes)
 * @fd: CAN FD (CANFD_MTU bytes); identifier, length and data have the same
 *	offsets in both
 * @raw: every byte
 */
union gw_model_frame {
	struct can_frame cc;
	struct canfd_frame fd;
	__u8 raw[CANFD_MTU];
};

/**
 * enum gw_model_result - result of a rule for a frame
 * @GW_MODEL_SENT: it is sent to the destination
 * @GW_MODEL_IGNORED: the rule is for the other kind of frames
 * @GW_MODEL_DELETED: it is deleted, because the rule sets an impossible length
 */
enum gw_model_result {
	GW_MODEL_SENT,
	GW_MODEL_IGNORED,
	GW_MODEL_DELETED,
};

/**
 * gw_model_apply() - apply a rule to a frame
 * @rule: modifications, checksums and CGW_FLAGS_CAN_FD count here; the filter,
 *	the interfaces and the hop limit do not
 * @frame: changed in place; meaningless afterwards unless it is sent
 * @mtu: of @frame, CAN_MTU or CANFD_MTU
 *
 * The operations are AND, OR, XOR and SET in this order. A Classical CAN
 * frame's length is its data length code, 0 to 15, of which 9 to 15 mean eight
 * bytes. Only the length that all operations together leave has to be
 * possible. Then come the checksums, CRC8 before XOR, if the rule modifies
 * anything at all. A checksum that needs a byte which the frame does not have
 * is left out: this includes byte 1 for the profile CGW_CRC8PRF_16U8.
 *
 * Return: enum gw_model_result.
 */
enum gw_model_result gw_model_apply(const struct cgw_rule *rule,
				    union gw_model_frame *frame, size_t mtu);

/**
 * gw_model_modifies() - does a rule modify frames?
 * @rule: the rule
 *
 * Elements that frames of the rule's kind do not have are no modification.
 *
 * Return: true if it does.
 */
bool gw_model_modifies(const struct cgw_rule *rule);

/**
 * enum gw_model_range - are the indices of a checksum inside a frame?
 * @GW_MODEL_INSIDE: all its bytes exist
 * @GW_MODEL_BEFORE: an index relative to the length lies before the first byte
 * @GW_MODEL_AFTER: an index lies after the last byte, and none before the first
 */
enum gw_model_range {
	GW_MODEL_INSIDE,
	GW_MODEL_BEFORE,
	GW_MODEL_AFTER,
};

/** gw_model_range() - are these indices of a checksum inside @len bytes of data? */
enum gw_model_range gw_model_range(int from, int to, int result, int len);

/**
 * gw_model_crc8_table() - the table of a CRC with eight bits
 * @table: filled in
 * @poly: polynomial without its highest term, most significant bit first
 */
void gw_model_crc8_table(__u8 table[256], __u8 poly);

/** gw_model_hex() - the first @mtu bytes of a frame in hexadecimal, in @hex */
const char *gw_model_hex(char hex[2 * CANFD_MTU + 1],
			 const union gw_model_frame *frame,
			 size_t mtu);

#endif /* GW_MODEL_H */
