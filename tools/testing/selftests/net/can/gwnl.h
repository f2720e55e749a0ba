/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CAN gateway's generic netlink family "can-gw" for the selftests: rules as
 * flat structures, which a test can write down and compare, and requests by the
 * functions that YNL generates from the specification (can-gw-user.h). As in
 * cantest.h, functions return 0 or a positive result, or a negative errno value.
 *
 * A struct gwnl is one socket, in the network namespace in which it was opened;
 * a transaction belongs to it. Several may be open at once. Each belongs to one
 * thread at a time.
 *
 * Requests that the generated functions cannot make, with attributes that the
 * specification does not have or of the wrong length, are made with gwnl_msg(),
 * ynl_attr_put() and gwnl_exec().
 */
#ifndef GWNL_H
#define GWNL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <can-gw-user.h>
#include <ynl.h>

/** YNL_LEN(), YNL_COUNT() - where YNL keeps the length of a member, and the number of its values */
#ifndef YNL_LEN
#define YNL_LEN(_member)	_len._member
#define YNL_COUNT(_member)	_count._member
#endif

/* generated, without a declaration */
extern const struct ynl_policy_nest can_gw_rule_nest;

/* the largest rule is four operands of CAN_GW_MAX_DATA bytes */
#define GWNL_MSG_SIZE	16384

/** struct gwnl - a socket of the family; its last error is gwnl.ys->err */
struct gwnl {
	struct ynl_sock *ys;
};

/** GWNL_FIELD() - a bit of gwnl_operand.fields: ID, LEN, FLAGS, PRIO, ... */
#define GWNL_FIELD(name)	(1U << CAN_GW_A_OPERAND_##name)

/** GWNL_HAS() - a bit of gwnl_rule.has: HANDLE, NAME, SOURCE, ... */
#define GWNL_HAS(name)		(1U << CAN_GW_A_RULE_##name)

/**
 * struct gwnl_operand - fields of a frame for one operation
 * @fields: those that are given, GWNL_FIELD()
 * @id: with its flags
 * @len: of the data
 * @flags: of CAN FD or CAN XL
 * @prio: of CAN XL
 * @vcid: of CAN XL
 * @sdt: of CAN XL
 * @af: of CAN XL
 * @data_len: number of bytes in @data
 * @data: the first bytes of the frame's data
 */
struct gwnl_operand {
	uint32_t fields;
	uint32_t id;
	uint8_t len;
	uint8_t flags;
	uint32_t prio;
	uint8_t vcid;
	uint8_t sdt;
	uint32_t af;
	unsigned int data_len;
	uint8_t data[CAN_GW_MAX_DATA];
};

/**
 * struct gwnl_csum - a checksum
 * @given: there is one
 * @from: position of the first byte
 * @to: position of the last byte
 * @result: position of the checksum
 * @init: initial value
 * @final: of a CRC8, combined with the result by XOR
 * @profile: of a CRC8
 * @profile_data: of a CRC8
 * @table: of a CRC8
 */
struct gwnl_csum {
	bool given;
	int32_t from;
	int32_t to;
	int32_t result;
	uint8_t init;
	uint8_t final;
	uint32_t profile;
	uint8_t profile_data[CAN_GW_CRC8_PROFILE_DATA_LEN];
	uint8_t table[CAN_GW_CRC8_TABLE_LEN];
};

/** enum gwnl_op - operations in the order in which they are applied */
enum gwnl_op {
	GWNL_AND,
	GWNL_OR,
	GWNL_XOR,
	GWNL_SET,
	GWNL_OPS,
};

/**
 * struct gwnl_rule - a rule, in a request or in an answer
 * @has: GWNL_HAS() of the attributes of an answer. In a request, numbers are sent
 *	if they are not 0, or are named here
 * @handle: of an existing rule
 * @name: may be empty
 * @source: interface index
 * @destination: interface index
 * @frames: enum can_gw_frames
 * @flags: CAN_GW_FLAGS_ECHO and others
 * @filter_id: as in struct can_filter
 * @filter_mask: as in struct can_filter
 * @hop_limit: for frames that are first routed here
 * @uid: of the modification
 * @op: operands, which are sent if they have fields
 * @crc8: checksum
 * @xor: checksum
 * @express: an interrupt routes frames by it
 * @lifetime: in ns, or 0
 * @pending: interrupts will route by it; only in an answer
 * @stats: only in an answer
 */
struct gwnl_rule {
	uint32_t has;
	uint64_t handle;
	char name[CAN_GW_MAX_NAME_LEN + 1];
	uint32_t source;
	uint32_t destination;
	uint32_t frames;
	uint32_t flags;
	uint32_t filter_id;
	uint32_t filter_mask;
	uint8_t hop_limit;
	uint32_t uid;
	struct gwnl_operand op[GWNL_OPS];
	struct gwnl_csum crc8;
	struct gwnl_csum xor;
	bool express;
	uint64_t lifetime;
	bool pending;
	struct can_gw_stats stats;
};

/** gwnl_each - is called with each rule of a dump */
typedef void (*gwnl_each)(const struct gwnl_rule *rule, void *data);

/**
 * gwnl_open() - open a socket of the family
 * @gw: filled in
 *
 * The kernel loads the module that has the family.
 *
 * Return: 0, or -ENOENT when there is no such family.
 */
int gwnl_open(struct gwnl *gw);

/** gwnl_close() - close the socket, which ends its transaction */
void gwnl_close(struct gwnl *gw);

/**
 * gwnl_new_socket() - give an open struct gwnl another socket
 * @gw: after gwnl_open()
 *
 * The new socket has no port id yet, and has not read anything: the kernel
 * allocates the parts of a dump as large as the largest read of a socket so far.
 *
 * Return: 0 or a negative errno value.
 */
int gwnl_new_socket(struct gwnl *gw);

/** gwnl_explained() - did the kernel give the last error a text? */
bool gwnl_explained(const struct gwnl *gw);

/** gwnl_msg() - begin a request without attributes, in the buffer of YNL */
struct nlmsghdr *gwnl_msg(struct gwnl *gw, int cmd);

/**
 * gwnl_exec() - send a request that was made with gwnl_msg()
 * @gw: the socket
 * @nlh: the request; its answer is read and ignored
 *
 * Return: 0 or a negative errno value.
 */
int gwnl_exec(struct gwnl *gw, struct nlmsghdr *nlh);

/** gwnl_set_name() - name a rule; a name that is too long is cut off */
void gwnl_set_name(struct gwnl_rule *rule, const char *name);

/** gwnl_take_rule() - fill in @rule from an answer or a notification */
void gwnl_take_rule(struct gwnl_rule *rule,
		    const struct can_gw_rule_get_rsp *rsp);

/**
 * gwnl_add() - add a rule
 * @gw: the socket
 * @rule: without its handle
 * @handle: its handle is stored here, or 0 if the answer has none, as in a
 *	transaction; may be NULL
 *
 * Return: 0 or a negative errno value.
 */
int gwnl_add(struct gwnl *gw, const struct gwnl_rule *rule, uint64_t *handle);

/** gwnl_replace() - replace the rule with the handle gwnl_rule.handle */
int gwnl_replace(struct gwnl *gw, const struct gwnl_rule *rule);

/** gwnl_del() - remove a rule; without a handle if that is 0, as below */
int gwnl_del(struct gwnl *gw, uint64_t handle);

/** gwnl_get() - read a rule */
int gwnl_get(struct gwnl *gw, uint64_t handle, struct gwnl_rule *rule);

/** gwnl_reset() - read a rule and reset its counters */
int gwnl_reset(struct gwnl *gw, uint64_t handle, struct gwnl_rule *rule);

/**
 * gwnl_matched() - read a rule when it has matched some frames
 * @gw: the socket
 * @handle: of the rule
 * @frames: how many; a rule counts a frame after it has sent it
 * @rule: filled in
 *
 * Return: 0, -ETIMEDOUT, or another negative errno value.
 */
int gwnl_matched(struct gwnl *gw, uint64_t handle, uint64_t frames,
		 struct gwnl_rule *rule);

/**
 * gwnl_dump() - read rules
 * @gw: the socket
 * @cmd: CAN_GW_CMD_RULE_GET or CAN_GW_CMD_RULE_RESET
 * @choice: only those with the same name, source, destination and frames, as far
 *	as these are given here; NULL for all
 * @each: called with each of them; may be NULL
 * @data: for @each
 *
 * Return: the number of rules, or a negative errno value.
 */
int gwnl_dump(struct gwnl *gw, int cmd, const struct gwnl_rule *choice,
	      gwnl_each each, void *data);

/**
 * gwnl_handles() - handles of all rules, in the order of the dump
 * @gw: the socket
 * @handles: where to; may be NULL
 * @max: room there; others are only counted
 *
 * Return: the number of rules, or a negative errno value.
 */
int gwnl_handles(struct gwnl *gw, uint64_t *handles, int max);

/**
 * gwnl_digest() - a hash of all rules, in their order and with their counters
 * @gw: the socket
 *
 * Return: a number that is not negative, or a negative errno value.
 */
int64_t gwnl_digest(struct gwnl *gw);

/** gwnl_table() - the table of all rules, or with @source that of an interface */
int gwnl_table(struct gwnl *gw, uint32_t source,
	       struct can_gw_table_get_rsp *table);

/** gwnl_generation() - the generation of the table; -1 without an answer */
int64_t gwnl_generation(struct gwnl *gw);

/** gwnl_begin() - begin a transaction, with @source for one source only */
int gwnl_begin(struct gwnl *gw, uint32_t source);

/**
 * gwnl_commit() - commit the transaction of a socket
 * @gw: the socket
 * @rules: how many rules it has
 * @table: the table afterwards is stored here; may be NULL
 *
 * Return: 0 or a negative errno value.
 */
int gwnl_commit(struct gwnl *gw, uint32_t rules,
		struct can_gw_table_get_rsp *table);

/** gwnl_abort() - abort the transaction */
int gwnl_abort(struct gwnl *gw);

/**
 * gwnl_batch() - add many rules, without waiting for each
 * @gw: the socket, in a transaction
 * @count: how many
 * @put: appends the attributes of the rule with a number from 0 to @count - 1
 *
 * The generated functions wait for the answer to each request, so the messages are
 * sent here, several at once.
 *
 * Return: 0, or the first error that the kernel has answered.
 */
int gwnl_batch(struct gwnl *gw, int count,
	       void (*put)(struct nlmsghdr *nlh, int number));

/**
 * gwnl_differs() - the first difference between two rules
 * @want: from a request
 * @got: from an answer
 *
 * Handle and counters are not compared. Operands of AND, OR and XOR may have
 * more bytes than they were given, if these change nothing.
 *
 * Return: the name of what differs, empty for nothing.
 */
const char *gwnl_differs(const struct gwnl_rule *want,
			 const struct gwnl_rule *got);

/** gwnl_max_data() - bytes of data that a frame of a kind can have */
int gwnl_max_data(uint32_t frames);

#endif /* GWNL_H */
