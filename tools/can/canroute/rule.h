/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A rule of the CAN gateway as the program holds it: what the forms of writing one are
 * parsed into, what messages of the kernel are read into, and what is printed.
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

/* The bit of struct can_filter is no part of an identifier. */
#ifndef CAN_INV_FILTER
#define CAN_INV_FILTER 0x20000000U
#endif

#ifndef CANXL_SEC
#define CANXL_SEC 0x01
#endif

/* Masks of filters for one identifier: not of the other format, no remote frames. */
#define RULE_ONE_SFF (CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_SFF_MASK)
#define RULE_ONE_EFF (CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_EFF_MASK)

/* A filter for CAN XL frames: the priority, and above it the VCID. */
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
 * struct field - a field of a frame that operations change, but for its data
 * @name: in the long form
 * @bytes: size of its attribute
 * @max: largest value
 * @digits: how many hexadecimal ones are printed, 0 for a decimal number
 * @frame_types: of frames that have it, a bit for each enum can_gw_frames
 */
struct field {
	const char *name;
	unsigned int bytes;
	uint32_t max;
	int digits;
	unsigned int frame_types;
};

/* By attribute, from CAN_GW_A_OPERAND_ID on. CAN_GW_A_OPERAND_DATA has only name and kinds. */
extern const struct field fields[CAN_GW_A_OPERAND_MAX + 1];

extern const char *const operation_names[OPERATIONS];

/**
 * struct frame_type - a frame type
 * @name: in the long form
 * @title: in sentences
 * @data: most bytes of data
 * @set: bytes that it takes to set the data, 0 for any number
 * @len: the largest length that can be set, data length codes included
 * @flags: those that operations can set
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

/* profile_data_len() - how many bytes of its data a profile uses. */
unsigned int profile_data_len(uint32_t profile);

/**
 * struct operand - fields for one operation
 * @given: a bit for each attribute that is there
 * @value: by attribute
 * @data, @data_len: with CAN_GW_A_OPERAND_DATA in @given; bytes behind @data_len are
 *	anything, because to clear them would be the larger part of reading a rule
 */
struct operand {
	unsigned int given;
	uint32_t value[CAN_GW_A_OPERAND_DATA];
	unsigned int data_len;
	uint8_t data[CAN_GW_MAX_DATA];
};

/* struct checksum_offsets - bytes of a checksum, and where it goes; negative from the end */
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
 * @handle: 0 for a rule that is not the kernel's yet
 * @name: empty if it has none
 * @source, @destination: names, because a rule is written and checked also where these
 *	interfaces are not
 * @filtered: there is a filter
 * @filter_id: with CAN_INV_FILTER if the filter is inverted
 * @hop_limit, @uid: 0 if not given
 * @cangw: it was written with the options of cangw, and is to be talked about in these
 */
struct rule {
	uint64_t handle;
	char name[CAN_GW_MAX_NAME_LEN + 1];
	char source[IFNAMSIZ], destination[IFNAMSIZ];
	uint32_t frames, flags;
	bool filtered;
	uint32_t filter_id, filter_mask;
	uint8_t hop_limit;
	uint32_t uid;
	struct operand operands[OPERATIONS];
	struct crc8_checksum crc8;
	struct xor_checksum xor;
	struct stats stats;
	bool cangw;
};

/* operation_neutral() - a byte that an operation leaves as it is. */
uint8_t operation_neutral(enum operation op);

/* rule_clear() - a rule in which nothing is given. */
void rule_clear(struct rule *rule);

/*
 * rule_trim() - leave bytes at the end out that change nothing, at least one is kept: so
 * equal rules are equal, because the kernel gives such bytes back that it was not given.
 */
void rule_trim(struct rule *rule);

/*
 * rule_reject_reason() - what the kernel would refuse the rule for, as far as one can tell
 * here; NULL for nothing. What is a matter of writing is not looked at.
 */
const char *rule_reject_reason(const struct rule *rule);

/*
 * rule_never_matches() - the filter wants an extended identifier without the flag that
 * it has.
 */
bool rule_never_matches(const struct rule *rule);

#endif
