/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A rule of the CAN gateway in memory. The parsers and the netlink messages are converted
 * to it, and it is printed.
 */
#ifndef CANROUTE_RULE_H
#define CANROUTE_RULE_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/can.h>
#include <linux/can/gw_netlink.h>

#define BIT(n) (1U << (n))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* This flag of struct can_filter is not part of an identifier. */
#ifndef CAN_INV_FILTER
#define CAN_INV_FILTER 0x20000000U
#endif

#ifndef CANXL_SEC
#define CANXL_SEC 0x01
#endif

/* Masks of filters for one identifier: they exclude the other format and remote frames. */
#define RULE_ONE_SFF (CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_SFF_MASK)
#define RULE_ONE_EFF (CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_EFF_MASK)

/* A filter for CAN XL frames has the priority in the low bits and the VCID above them. */
#define RULE_XL_PRIO 0x7FFU
#define RULE_XL_VCID_SHIFT 16
#define RULE_XL_VCID (0xFFU << RULE_XL_VCID_SHIFT)

#define RULE_OFFSET_MIN (-CAN_GW_MAX_DATA)
#define RULE_OFFSET_MAX (CAN_GW_MAX_DATA - 1)

/* In the order in which they are applied. */
enum operation {
	OPERATION_AND,
	OPERATION_OR,
	OPERATION_XOR,
	OPERATION_SET,
	OPERATIONS,
};

/**
 * struct field - a field that operations can change
 * @name: in the long form
 * @bytes: size of the netlink attribute
 * @max: largest value
 * @digits: number of hexadecimal digits to print, 0 for a decimal number
 * @frame_types: frames that have the field, a bit for each enum can_gw_frames
 */
struct field {
	const char *name;
	unsigned int bytes;
	uint32_t max;
	int digits;
	unsigned int frame_types;
};

/* Indexed by CAN_GW_A_OPERAND_*. The entry of the data has only a name and frame types. */
extern const struct field fields[CAN_GW_A_OPERAND_MAX + 1];

extern const char *const operation_names[OPERATIONS];

/**
 * struct frame_type - a frame type
 * @name: in the long form
 * @title: in messages
 * @data: maximum length of the data in bytes
 * @set: number of bytes that 'set data' requires, 0 for any number
 * @len: largest value of 'set len', data length codes included
 * @flags: flags that operations can set
 */
struct frame_type {
	const char *name;
	const char *title;
	int data;
	unsigned int set;
	uint32_t len;
	uint32_t flags;
};

#define FRAME_TYPES (CAN_GW_FRAMES_XL + 1)
extern const struct frame_type frame_types[FRAME_TYPES];

#define PROFILES (CAN_GW_CRC8_PROFILE_SFFID_XOR + 1)
extern const char *const profile_names[PROFILES];

/* profile_data_len() - number of data bytes that a profile uses. */
unsigned int profile_data_len(uint32_t profile);

/**
 * struct operand - fields for one operation
 * @given: a bit for each attribute that is present
 * @value: indexed by attribute
 * @data, @data_len: valid if @given has CAN_GW_A_OPERAND_DATA. Bytes after @data_len are
 *	undefined: clearing them would cost more than the rest of parsing a rule
 */
struct operand {
	unsigned int given;
	uint32_t value[CAN_GW_A_OPERAND_DATA];
	unsigned int data_len;
	uint8_t data[CAN_GW_MAX_DATA];
};

/* struct checksum_offsets - input range and result; negative offsets count from the end */
struct checksum_offsets {
	int32_t from, to, result;
};

struct xor_checksum {
	bool given;
	struct checksum_offsets offsets;
	uint8_t init;
};

struct crc8_checksum {
	bool given;
	struct checksum_offsets offsets;
	uint8_t init, final;
	uint8_t table[CAN_GW_CRC8_TABLE_LEN];
	uint32_t profile;
	uint8_t profile_data[CAN_GW_CRC8_PROFILE_DATA_LEN];
};

struct stats {
	uint64_t matched, sent, dropped, deleted, skipped;
};

/**
 * struct rule - one rule
 * @handle: 0 for a rule that the kernel does not have yet, or that the stock gateway has
 * @name: empty if it has none
 * @source, @destination: interface names; the interfaces need not exist
 * @filtered: there is a filter
 * @filter_id: with CAN_INV_FILTER if the filter is inverted
 * @express: the interrupt that receives a frame routes it
 * @lifetime: in ns, of the frames of an express rule; 0 if not given
 * @pending: the kernel routes by this express rule as by an ordinary one until all frames
 *	from before were sent; only from the kernel
 * @hop_limit, @uid: 0 if not given
 * @cangw: written with the options of cangw; messages then use these names
 */
struct rule {
	uint64_t handle;
	char name[CAN_GW_MAX_NAME_LEN + 1];
	char source[IFNAMSIZ], destination[IFNAMSIZ];
	uint32_t frames, flags;
	bool filtered;
	uint32_t filter_id, filter_mask;
	bool express;
	uint64_t lifetime;
	bool pending;
	uint8_t hop_limit;
	uint32_t uid;
	struct operand operands[OPERATIONS];
	struct crc8_checksum crc8;
	struct xor_checksum xor;
	struct stats stats;
	bool cangw;
};

/* operation_neutral() - operand byte with which the operation changes nothing. */
uint8_t operation_neutral(enum operation op);

/* rule_clear() - reset to an empty rule. */
void rule_clear(struct rule *rule);

/*
 * rule_trim() - remove trailing data bytes that change nothing, except for the first byte.
 * The kernel returns such bytes even if it did not receive them; without them, equal rules
 * compare equal.
 */
void rule_trim(struct rule *rule);

/*
 * rule_reject_reason() - why the kernel would reject the rule, NULL if no reason is known.
 * Constraints that the parser checks are not checked again.
 */
const char *rule_reject_reason(const struct rule *rule);

/*
 * rule_never_matches() - the filter compares the flag of extended frames, requires it to be
 * clear, and has identifier bits above 7FF.
 */
bool rule_never_matches(const struct rule *rule);

#endif
