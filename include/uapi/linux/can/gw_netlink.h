/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/can-gw.yaml */
/* YNL-GEN uapi header */

#ifndef _UAPI_LINUX_CAN_GW_NETLINK_H
#define _UAPI_LINUX_CAN_GW_NETLINK_H

#define CAN_GW_FAMILY_NAME	"can-gw"
#define CAN_GW_FAMILY_VERSION	1

#define CAN_GW_MAX_NAME_LEN		31
#define CAN_GW_MAX_DATA			2048
#define CAN_GW_CRC8_TABLE_LEN		256
#define CAN_GW_CRC8_PROFILE_DATA_LEN	20

/**
 * enum can_gw_frames - Frame types. A rule routes frames of one type.
 * @CAN_GW_FRAMES_CC: Classical CAN
 * @CAN_GW_FRAMES_FD: CAN FD
 * @CAN_GW_FRAMES_XL: CAN XL
 */
enum can_gw_frames {
	CAN_GW_FRAMES_CC,
	CAN_GW_FRAMES_FD,
	CAN_GW_FRAMES_XL,
};

/**
 * enum can_gw_flags - Options of a rule.
 * @CAN_GW_FLAGS_ECHO: Sockets on this host receive the frames that were sent
 *   to the destination.
 * @CAN_GW_FLAGS_SRC_TSTAMP: Frames keep their receive timestamp of the source.
 * @CAN_GW_FLAGS_RETURN: A frame may be sent to the interface on which this
 *   host received it.
 */
enum can_gw_flags {
	CAN_GW_FLAGS_ECHO = 1,
	CAN_GW_FLAGS_SRC_TSTAMP = 2,
	CAN_GW_FLAGS_RETURN = 4,
};

/**
 * enum can_gw_crc8_profile - Input of a CRC8 after the data.
 * @CAN_GW_CRC8_PROFILE_NONE: Nothing.
 * @CAN_GW_CRC8_PROFILE_1U8: The first byte of profile-data.
 * @CAN_GW_CRC8_PROFILE_16U8: One of sixteen bytes of profile-data, selected by
 *   the lower four bits of the second byte of the data.
 * @CAN_GW_CRC8_PROFILE_SFFID_XOR: XOR of the two lower bytes of the
 *   identifier; for CAN XL, of the priority.
 */
enum can_gw_crc8_profile {
	CAN_GW_CRC8_PROFILE_NONE,
	CAN_GW_CRC8_PROFILE_1U8,
	CAN_GW_CRC8_PROFILE_16U8,
	CAN_GW_CRC8_PROFILE_SFFID_XOR,
};

/**
 * enum can_gw_reason - Reason for the removal of rules.
 * @CAN_GW_REASON_REQUEST: A request removed them.
 * @CAN_GW_REASON_INTERFACE: Their source or their destination was
 *   unregistered.
 */
enum can_gw_reason {
	CAN_GW_REASON_REQUEST,
	CAN_GW_REASON_INTERFACE,
};

enum {
	CAN_GW_A_OPERAND_ID = 1,
	CAN_GW_A_OPERAND_LEN,
	CAN_GW_A_OPERAND_FLAGS,
	CAN_GW_A_OPERAND_PRIO,
	CAN_GW_A_OPERAND_VCID,
	CAN_GW_A_OPERAND_SDT,
	CAN_GW_A_OPERAND_AF,
	CAN_GW_A_OPERAND_DATA,

	__CAN_GW_A_OPERAND_MAX,
	CAN_GW_A_OPERAND_MAX = (__CAN_GW_A_OPERAND_MAX - 1)
};

enum {
	CAN_GW_A_XOR_CHECKSUM_FROM = 1,
	CAN_GW_A_XOR_CHECKSUM_TO,
	CAN_GW_A_XOR_CHECKSUM_RESULT,
	CAN_GW_A_XOR_CHECKSUM_INIT,

	__CAN_GW_A_XOR_CHECKSUM_MAX,
	CAN_GW_A_XOR_CHECKSUM_MAX = (__CAN_GW_A_XOR_CHECKSUM_MAX - 1)
};

enum {
	CAN_GW_A_CRC8_CHECKSUM_FROM = 1,
	CAN_GW_A_CRC8_CHECKSUM_TO,
	CAN_GW_A_CRC8_CHECKSUM_RESULT,
	CAN_GW_A_CRC8_CHECKSUM_INIT,
	CAN_GW_A_CRC8_CHECKSUM_FINAL,
	CAN_GW_A_CRC8_CHECKSUM_TABLE,
	CAN_GW_A_CRC8_CHECKSUM_PROFILE,
	CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA,

	__CAN_GW_A_CRC8_CHECKSUM_MAX,
	CAN_GW_A_CRC8_CHECKSUM_MAX = (__CAN_GW_A_CRC8_CHECKSUM_MAX - 1)
};

enum {
	CAN_GW_A_STATS_MATCHED = 1,
	CAN_GW_A_STATS_SENT,
	CAN_GW_A_STATS_DROPPED,
	CAN_GW_A_STATS_DELETED,
	CAN_GW_A_STATS_SKIPPED,

	__CAN_GW_A_STATS_MAX,
	CAN_GW_A_STATS_MAX = (__CAN_GW_A_STATS_MAX - 1)
};

enum {
	CAN_GW_A_RULE_HANDLE = 1,
	CAN_GW_A_RULE_NAME,
	CAN_GW_A_RULE_SOURCE,
	CAN_GW_A_RULE_DESTINATION,
	CAN_GW_A_RULE_FRAMES,
	CAN_GW_A_RULE_FLAGS,
	CAN_GW_A_RULE_FILTER_ID,
	CAN_GW_A_RULE_FILTER_MASK,
	CAN_GW_A_RULE_HOP_LIMIT,
	CAN_GW_A_RULE_UID,
	CAN_GW_A_RULE_AND,
	CAN_GW_A_RULE_OR,
	CAN_GW_A_RULE_XOR,
	CAN_GW_A_RULE_SET,
	CAN_GW_A_RULE_CRC8_CHECKSUM,
	CAN_GW_A_RULE_XOR_CHECKSUM,
	CAN_GW_A_RULE_STATS,

	__CAN_GW_A_RULE_MAX,
	CAN_GW_A_RULE_MAX = (__CAN_GW_A_RULE_MAX - 1)
};

enum {
	CAN_GW_A_REMOVAL_HANDLE = 1,
	CAN_GW_A_REMOVAL_REASON,
	CAN_GW_A_REMOVAL_GENERATION,

	__CAN_GW_A_REMOVAL_MAX,
	CAN_GW_A_REMOVAL_MAX = (__CAN_GW_A_REMOVAL_MAX - 1)
};

enum {
	CAN_GW_A_TABLE_SOURCE = 1,
	CAN_GW_A_TABLE_RULES,
	CAN_GW_A_TABLE_LIMIT,
	CAN_GW_A_TABLE_GENERATION,

	__CAN_GW_A_TABLE_MAX,
	CAN_GW_A_TABLE_MAX = (__CAN_GW_A_TABLE_MAX - 1)
};

enum {
	CAN_GW_CMD_RULE_ADD = 1,
	CAN_GW_CMD_RULE_REPLACE,
	CAN_GW_CMD_RULE_DEL,
	CAN_GW_CMD_RULE_GET,
	CAN_GW_CMD_RULE_RESET,
	CAN_GW_CMD_TRANSACTION_BEGIN,
	CAN_GW_CMD_TRANSACTION_COMMIT,
	CAN_GW_CMD_TRANSACTION_ABORT,
	CAN_GW_CMD_TABLE_GET,
	CAN_GW_CMD_RULE_ADD_NTF,
	CAN_GW_CMD_RULE_CHANGE_NTF,
	CAN_GW_CMD_RULE_DEL_NTF,
	CAN_GW_CMD_TABLE_NTF,

	__CAN_GW_CMD_MAX,
	CAN_GW_CMD_MAX = (__CAN_GW_CMD_MAX - 1)
};

#define CAN_GW_MCGRP_RULES	"rules"

#endif /* _UAPI_LINUX_CAN_GW_NETLINK_H */
