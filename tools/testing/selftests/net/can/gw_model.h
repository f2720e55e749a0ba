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
 * union gwm_frame - a frame of either kind, as sockets read and write it
 * @cc: Classical CAN (CAN_MTU bytes)
 * @fd: CAN FD (CANFD_MTU bytes); identifier, length and data have the same
 *	offsets in both
 * @raw: every byte
 */
union gwm_frame {
	struct can_frame cc;
	struct canfd_frame fd;
	__u8 raw[CANFD_MTU];
};

/**
 * enum gwm_verdict - result of a rule for a frame
 * @GWM_SENT: it is sent to the destination
 * @GWM_IGNORED: the rule is for the other kind of frames
 * @GWM_DELETED: it is deleted, because the rule sets an impossible length
 */
enum gwm_verdict {
	GWM_SENT,
	GWM_IGNORED,
	GWM_DELETED,
};

/**
 * gwm_apply() - apply a rule to a frame
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
 * Return: enum gwm_verdict.
 */
enum gwm_verdict gwm_apply(const struct cgw_rule *rule, union gwm_frame *frame,
			   size_t mtu);

/**
 * gwm_modifies() - does a rule modify frames?
 * @rule: the rule
 *
 * Elements that frames of the rule's kind do not have are no modification.
 *
 * Return: true if it does.
 */
bool gwm_modifies(const struct cgw_rule *rule);

/**
 * enum gwm_fit - does a checksum fit into a frame?
 * @GWM_FITS: all its bytes exist
 * @GWM_BEFORE: an index relative to the length lies before the first byte
 * @GWM_AFTER: an index lies after the last byte, and none before the first
 */
enum gwm_fit {
	GWM_FITS,
	GWM_BEFORE,
	GWM_AFTER,
};

/** gwm_fit() - does a checksum with these indices fit into @len bytes of data? */
enum gwm_fit gwm_fit(int from, int to, int result, int len);

/**
 * gwm_crc8_table() - the table of a CRC with eight bits
 * @table: filled in
 * @poly: polynomial without its highest term, most significant bit first
 */
void gwm_crc8_table(__u8 table[256], __u8 poly);

/** gwm_hex() - the first @mtu bytes of a frame as digits in @hex, for a log */
const char *gwm_hex(char hex[2 * CANFD_MTU + 1], const union gwm_frame *frame,
		    size_t mtu);

#endif /* GW_MODEL_H */
