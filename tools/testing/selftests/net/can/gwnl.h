/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CAN gateway's generic netlink family "can-gw"
 * (include/uapi/linux/can/gw_netlink.h) for the selftests. As in cantest.h,
 * functions return 0 or a positive result, or a negative errno value.
 *
 * A struct gwnl is one socket, in the network namespace in which it was opened;
 * a transaction belongs to it. Several may be open at once. Each belongs to one
 * thread at a time.
 */
#ifndef GWNL_H
#define GWNL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/can/gw_netlink.h>

struct mnl_socket;
struct nlattr;
struct nlmsghdr;

/* the largest rule is four operands of CAN_GW_MAX_DATA bytes */
#define GWNL_MSG_SIZE	16384

/* what the kernel sends at once is at most 32 KiB */
#define GWNL_BUF_SIZE	32768

/**
 * struct gwnl_ack - what the kernel has said to the last request
 * @error: 0 or a negative errno value
 * @text: a sentence, empty without one
 * @offset: of the offending attribute in the request, 0 without one
 * @miss_type: attribute that was missing, 0 without one
 * @miss_nest: offset of the attribute that it is missing in; 0 for the message
 */
struct gwnl_ack {
	int error;
	char text[256];
	unsigned int offset;
	unsigned int miss_type;
	unsigned int miss_nest;
};

/**
 * struct gwnl - a socket of the family
 * @nl: the socket
 * @family: number of the family
 * @group: number of its multicast group
 * @seq: of the last request
 * @ack: to the last request
 * @interrupted: the table has changed during the last dump (NLM_F_DUMP_INTR)
 * @parts: how many times the last answer was read from the socket
 * @room: bytes to read at once, at most GWNL_BUF_SIZE
 * @buf: what was read
 */
struct gwnl {
	struct mnl_socket *nl;
	uint16_t family;
	uint32_t group;
	uint32_t seq;
	struct gwnl_ack ack;
	bool interrupted;
	unsigned int parts;
	size_t room;
	char buf[GWNL_BUF_SIZE];
};

/** GWNL_FIELD() - a bit of gwnl_operand.fields: ID, LEN, FLAGS, PRIO, ... */
#define GWNL_FIELD(name)	(1U << CAN_GW_A_OPERAND_##name)

/** GWNL_HAS() - a bit of gwnl_rule.has: HANDLE, NAME, SOURCE, ... */
#define GWNL_HAS(name)		(1U << CAN_GW_A_RULE_##name)

/**
 * struct gwnl_operand - fields of a frame for one operation
 * @fields: which ones, GWNL_FIELD()
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
 * @from: place of the first byte
 * @to: place of the last byte
 * @result: place of the checksum
 * @init: what it begins with
 * @final: of a CRC8, what it is combined with at last
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

/** struct gwnl_stats - counters of a rule */
struct gwnl_stats {
	uint64_t matched;
	uint64_t sent;
	uint64_t dropped;
	uint64_t deleted;
	uint64_t skipped;
};

/**
 * struct gwnl_rule - a rule, as one asks for it and as the kernel tells it
 * @has: GWNL_HAS() of what the kernel has told. In a request, attributes are
 *	sent if they are not zero, or are named here
 * @handle: of a rule that there is
 * @name: what people call it
 * @source: interface index
 * @destination: interface index
 * @frames: enum can_gw_frames
 * @flags: CAN_GW_FLAGS_ECHO and others
 * @filter_id: as in struct can_filter
 * @filter_mask: as in struct can_filter
 * @hop_limit: for frames that begin here
 * @uid: name of the modification
 * @op: operands, which are sent if they have fields
 * @crc8: checksum
 * @xor: checksum
 * @stats: only from the kernel
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
	struct gwnl_stats stats;
};

/** struct gwnl_table - what the kernel says of all rules together */
struct gwnl_table {
	uint32_t source;
	uint32_t rules;
	uint32_t limit;
	uint32_t generation;
};

#define GWNL_EVENT_HANDLES	4096

/**
 * struct gwnl_event - a notification
 * @cmd: CAN_GW_CMD_RULE_ADD_NTF and others
 * @rule: of a rule that was added or changed
 * @handles: of rules that are gone
 * @count: number of these
 * @reason: why they are gone
 * @table: of a table that was replaced; and the generation after rules are gone
 */
struct gwnl_event {
	int cmd;
	struct gwnl_rule rule;
	uint64_t handles[GWNL_EVENT_HANDLES];
	unsigned int count;
	uint32_t reason;
	struct gwnl_table table;
};

/** gwnl_each - is called with each rule of a dump; below 0 ends the dump */
typedef int (*gwnl_each)(const struct gwnl_rule *rule, void *data);

/**
 * gwnl_open() - open a socket, and find the family by its name
 * @gw: filled in
 *
 * The kernel loads the module that has the family.
 *
 * Return: 0, or -ENOENT when there is no such family.
 */
int gwnl_open(struct gwnl *gw);

/** gwnl_close() - close the socket, which ends its transaction */
void gwnl_close(struct gwnl *gw);

/** gwnl_listen() - receive notifications; the socket is for gwnl_next() then */
int gwnl_listen(struct gwnl *gw);

/**
 * gwnl_next() - wait for the next notification
 * @gw: a socket after gwnl_listen()
 * @event: filled in
 * @timeout_ms: how long to wait
 *
 * Return: 0, or -ETIMEDOUT, -EPROTO for what the specification does not have,
 * or another negative errno value.
 */
int gwnl_next(struct gwnl *gw, struct gwnl_event *event, int timeout_ms);

/** gwnl_set_name() - give a rule a name; what is too long is cut off */
void gwnl_set_name(struct gwnl_rule *rule, const char *name);

/**
 * gwnl_msg() - begin a request
 * @gw: socket that it is for
 * @buf: GWNL_MSG_SIZE bytes
 * @cmd: CAN_GW_CMD_RULE_ADD and others
 *
 * Return: the message, without attributes.
 */
struct nlmsghdr *gwnl_msg(const struct gwnl *gw, void *buf, int cmd);

/** gwnl_put_rule() - append the attributes of @rule */
void gwnl_put_rule(struct nlmsghdr *nlh, const struct gwnl_rule *rule);

/** gwnl_put_uint() - append a number with as few bytes as possible, 4 or 8 */
void gwnl_put_uint(struct nlmsghdr *nlh, uint16_t type, uint64_t value);

/**
 * gwnl_talk() - send a request and read the answer, or all of a dump
 * @gw: the socket
 * @nlh: the request; the sequence number, and NLM_F_ACK unless it is a dump, are
 *	filled in here
 * @each: called with each message of the answer; may be NULL
 * @data: for @each
 *
 * Return: 0 or the negative errno value of the kernel, which has left more in
 * gwnl.ack, or that of @each.
 */
int gwnl_talk(struct gwnl *gw, struct nlmsghdr *nlh,
	      int (*each)(const struct nlmsghdr *nlh, void *data), void *data);

/** gwnl_parse_rule() - read a message with the attributes of a rule */
int gwnl_parse_rule(const struct nlmsghdr *nlh, struct gwnl_rule *rule);

/**
 * gwnl_add() - add a rule
 * @gw: the socket
 * @rule: what it is
 * @handle: its handle is stored here; 0 when there was no answer, as in a
 *	transaction; may be NULL
 *
 * Return: as gwnl_talk().
 */
int gwnl_add(struct gwnl *gw, const struct gwnl_rule *rule, uint64_t *handle);

/** gwnl_replace() - make the rule gwnl_rule.handle the rule @rule */
int gwnl_replace(struct gwnl *gw, const struct gwnl_rule *rule);

/** gwnl_del() - remove a rule */
int gwnl_del(struct gwnl *gw, uint64_t handle);

/** gwnl_get() - look at a rule */
int gwnl_get(struct gwnl *gw, uint64_t handle, struct gwnl_rule *rule);

/**
 * gwnl_matched() - look at a rule when it has matched some frames
 * @gw: the socket
 * @handle: of the rule
 * @frames: wait for so many, because a rule counts a frame after it has sent it
 * @rule: filled in
 *
 * Return: 0, -ETIMEDOUT, or another negative errno value.
 */
int gwnl_matched(struct gwnl *gw, uint64_t handle, uint64_t frames,
		 struct gwnl_rule *rule);

/** gwnl_reset() - look at a rule, and let its counters begin at 0 */
int gwnl_reset(struct gwnl *gw, uint64_t handle, struct gwnl_rule *rule);

/**
 * gwnl_dump() - look at rules
 * @gw: the socket
 * @cmd: CAN_GW_CMD_RULE_GET or CAN_GW_CMD_RULE_RESET
 * @choice: only those that have what is not zero, or named in gwnl_rule.has,
 *	here; NULL for all
 * @each: called with each of them; may be NULL
 * @data: for @each
 *
 * Return: how many there were, or a negative errno value.
 */
int gwnl_dump(struct gwnl *gw, int cmd, const struct gwnl_rule *choice,
	      gwnl_each each, void *data);

/**
 * gwnl_handles() - handles of all rules, in the order of the dump
 * @gw: the socket
 * @handles: where to; may be NULL
 * @max: room there; others are only counted
 *
 * Return: how many rules there are, or a negative errno value.
 */
int gwnl_handles(struct gwnl *gw, uint64_t *handles, int max);

/**
 * gwnl_digest() - a number that stands for all rules, their order and counters
 * @gw: the socket
 *
 * Return: a number that is not negative, or a negative errno value.
 */
int64_t gwnl_digest(struct gwnl *gw);

/** gwnl_table() - all rules together, or with @source only those of it */
int gwnl_table(struct gwnl *gw, uint32_t source, struct gwnl_table *table);

/** gwnl_generation() - the generation of the table; -1 without an answer */
int64_t gwnl_generation(struct gwnl *gw);

/** gwnl_begin() - begin a transaction, with @source for one source only */
int gwnl_begin(struct gwnl *gw, uint32_t source);

/**
 * gwnl_commit() - put the new table in place
 * @gw: the socket with the transaction
 * @rules: how many rules it has
 * @table: what there is afterwards is stored here; may be NULL
 *
 * Return: as gwnl_talk().
 */
int gwnl_commit(struct gwnl *gw, uint32_t rules, struct gwnl_table *table);

/**
 * gwnl_commit_if() - the same if nobody has changed the table meanwhile
 * @gw: as for gwnl_commit()
 * @rules: as for gwnl_commit()
 * @generation: that the old table has to have, or NULL for any
 * @table: as for gwnl_commit()
 *
 * Return: as gwnl_talk().
 */
int gwnl_commit_if(struct gwnl *gw, uint32_t rules, const uint32_t *generation,
		   struct gwnl_table *table);

/** gwnl_abort() - give the transaction up */
int gwnl_abort(struct gwnl *gw);

/**
 * gwnl_batch() - add many rules, without waiting for each
 * @gw: the socket, in a transaction
 * @count: how many
 * @make: makes the rule with a number from 0 to @count - 1; @rule is all zero
 * @data: for @make
 *
 * Return: 0, or the first error that the kernel has answered.
 */
int gwnl_batch(struct gwnl *gw, int count,
	       void (*make)(struct gwnl_rule *rule, int number, void *data),
	       void *data);

/**
 * gwnl_differs() - in what does a rule differ from another, for people?
 * @want: as it was asked for
 * @got: as the kernel tells it
 *
 * Handle, counters and memory do not count. Operands of AND, OR and XOR may have
 * more bytes than they were given, if these change nothing.
 *
 * Return: what is different, empty for nothing.
 */
const char *gwnl_differs(const struct gwnl_rule *want,
			 const struct gwnl_rule *got);

/** gwnl_max_data() - bytes of data that a frame of a kind can have */
int gwnl_max_data(uint32_t frames);

#endif /* GWNL_H */
