// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print rules in the long form. Equal rules give equal lines.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "cli.h"
#include "crc8.h"
#include "print.h"

/* Shortest run of equal bytes that is printed as XX*N */
#define RUN_MIN 9

static bool is_plain(const char *text)
{
	size_t len = strlen(text);

	if (!len || *text == '#' || text[len - 1] == '\\')
		return false;
	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)text[i]) || text[i] == ' ' || text[i] == '"')
			return false;
	return true;
}

void print_token(FILE *out, const char *text)
{
	if (is_plain(text)) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		unsigned char c = *text;

		if (iscntrl(c))
			fprintf(out, "\\x%02X", c);
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

void print_bytes(FILE *out, const uint8_t *bytes, size_t count)
{
	bool after_run = false;

	for (size_t i = 0; i < count;) {
		size_t run = 1;

		while (i + run < count && bytes[i + run] == bytes[i])
			run++;
		if (run < RUN_MIN)
			run = 1;
		if (i && (after_run || run > 1))
			putc('.', out);
		fprintf(out, "%02X", bytes[i]);
		if (run > 1)
			fprintf(out, "*%zu", run);
		after_run = run > 1;
		i += run;
	}
}

/* An identifier without a mask, so that it can be parsed in one way only */
static void print_id(FILE *out, uint32_t id)
{
	if (id <= CAN_SFF_MASK)
		fprintf(out, "%03X", id);
	else if (id <= CAN_EFF_MASK)
		fprintf(out, "0x%X", id);
	else if ((id & ~CAN_EFF_MASK) == CAN_EFF_FLAG)
		fprintf(out, "%08X", id & CAN_EFF_MASK);
	else
		fprintf(out, "%08X", id);
}

static void print_part(FILE *out, const char *name, uint32_t value, uint32_t mask, uint32_t max,
		       int digits)
{
	fprintf(out, " %s %0*X", name, digits, value);
	if (mask != max)
		fprintf(out, "/%X", mask);
}

static void print_xl_filter(FILE *out, uint32_t id, uint32_t mask)
{
	uint32_t prio = mask & RULE_XL_PRIO, vcid = mask >> RULE_XL_VCID_SHIFT;

	if (prio || !vcid)
		print_part(out, "prio", id & RULE_XL_PRIO, prio, RULE_XL_PRIO, 3);
	if (vcid)
		print_part(out, "vcid", id >> RULE_XL_VCID_SHIFT, vcid, UINT8_MAX, 2);
}

static bool is_one(uint32_t id, uint32_t mask)
{
	if (id & CAN_EFF_FLAG)
		return mask == RULE_ONE_EFF;
	return mask == RULE_ONE_SFF && (id & ~CAN_RTR_FLAG) <= CAN_SFF_MASK;
}

/* True: priority and VCID describe the whole filter. */
static bool has_parts(uint32_t id, uint32_t mask)
{
	return !((id | mask) & ~(RULE_XL_PRIO | RULE_XL_VCID)) &&
	       (mask & RULE_XL_PRIO || !(id & RULE_XL_PRIO)) &&
	       (mask & RULE_XL_VCID || !(id & RULE_XL_VCID));
}

static void print_filter(FILE *out, const struct rule *rule)
{
	uint32_t id = rule->filter_id & ~CAN_INV_FILTER, mask = rule->filter_mask;

	if (rule->filter_id & CAN_INV_FILTER)
		fputs(" not", out);
	if (rule->frames == CAN_GW_FRAMES_XL && has_parts(id, mask)) {
		print_xl_filter(out, id, mask);
	} else if (rule->frames != CAN_GW_FRAMES_XL && is_one(id, mask)) {
		fputs(" id ", out);
		print_id(out, id);
	} else if (id > CAN_SFF_MASK && id <= CAN_EFF_MASK) {
		/* Eight digits without a flag would be ambiguous, see parse_masked(). */
		fprintf(out, " id 0x%X/%X", id, mask);
	} else {
		fprintf(out, id > CAN_SFF_MASK ? " id %08X/%X" : " id %03X/%X", id, mask);
	}
}

static void print_value(FILE *out, const struct rule *rule, enum operation op, unsigned int attr)
{
	uint32_t value = rule->operands[op].value[attr];

	if (attr == CAN_GW_A_OPERAND_FLAGS && rule->frames == CAN_GW_FRAMES_XL &&
	    value <= CANXL_SEC) {
		fprintf(out, " sec=%u", value);
		return;
	}
	fprintf(out, " %s=", fields[attr].name);
	if (attr == CAN_GW_A_OPERAND_ID && op == OPERATION_SET)
		print_id(out, value);
	else if (fields[attr].digits)
		fprintf(out, "%0*X", fields[attr].digits, value);
	else
		fprintf(out, "%u", value);
}

static void print_operation(FILE *out, const struct rule *rule, enum operation op)
{
	const struct operand *operand = &rule->operands[op];

	if (!operand->given)
		return;
	fprintf(out, " %s", operation_names[op]);
	for (unsigned int i = 1; i < CAN_GW_A_OPERAND_DATA; i++)
		if (operand->given & BIT(i))
			print_value(out, rule, op, i);
	if (operand->given & BIT(CAN_GW_A_OPERAND_DATA)) {
		fputs(" data=", out);
		print_bytes(out, operand->data, operand->data_len);
	}
}

static void print_offsets(FILE *out, const char *name, const struct checksum_offsets *offsets)
{
	fprintf(out, " %s %d..%d at %d", name, offsets->from, offsets->to, offsets->result);
}

static void print_crc8(FILE *out, const struct crc8_checksum *crc8)
{
	bool reflected;
	uint8_t poly;

	print_offsets(out, "crc8", &crc8->offsets);
	if (crc8_poly(crc8->table, &poly, &reflected)) {
		fprintf(out, " poly %02X%s", poly, reflected ? " reflected" : "");
	} else {
		fputs(" table ", out);
		print_bytes(out, crc8->table, sizeof(crc8->table));
	}
	if (crc8->init)
		fprintf(out, " init %02X", crc8->init);
	if (crc8->final)
		fprintf(out, " final %02X", crc8->final);
	if (!crc8->profile || crc8->profile >= PROFILES)
		return;
	fprintf(out, " profile %s", profile_names[crc8->profile]);
	if (profile_data_len(crc8->profile)) {
		putc(' ', out);
		print_bytes(out, crc8->profile_data, profile_data_len(crc8->profile));
	}
}

static void print_express(FILE *out, const struct rule *rule)
{
	char lifetime[CLI_DURATION_TEXT];

	fputs(" express", out);
	if (rule->lifetime)
		fprintf(out, " lifetime %s", cli_duration_text(rule->lifetime, lifetime));
}

void print_rest(FILE *out, const struct rule *rule)
{
	if (rule->filtered && (rule->filter_mask || rule->filter_id))
		print_filter(out, rule);
	if (rule->flags & CAN_GW_FLAGS_ECHO)
		fputs(" echo", out);
	if (rule->flags & CAN_GW_FLAGS_SRC_TSTAMP)
		fputs(" keep-time", out);
	if (rule->flags & CAN_GW_FLAGS_RETURN)
		fputs(" return", out);
	if (rule->express)
		print_express(out, rule);
	if (rule->hop_limit)
		fprintf(out, " hop-limit %u", rule->hop_limit);
	if (rule->uid)
		fprintf(out, " uid %X", rule->uid);
	for (int i = 0; i < OPERATIONS; i++)
		print_operation(out, rule, i);
	if (rule->crc8.given)
		print_crc8(out, &rule->crc8);
	if (rule->xor.given) {
		print_offsets(out, "xor-checksum", &rule->xor.offsets);
		if (rule->xor.init)
			fprintf(out, " init %02X", rule->xor.init);
	}
}

void print_rule(FILE *out, const struct rule *rule)
{
	fputs("from ", out);
	print_token(out, rule->source);
	fputs(" to ", out);
	print_token(out, rule->destination);
	if (rule->frames)
		fprintf(out, " frames %s", rule->frames < FRAME_TYPES ? frame_types[rule->frames].name : "?");
	if (rule->name[0]) {
		fputs(" name ", out);
		print_token(out, rule->name);
	}
	print_rest(out, rule);
}

void print_handle(FILE *out, const struct rule *rule)
{
	print_unless_stock(out, rule, rule->handle);
}

void print_unless_stock(FILE *out, const struct rule *rule, uint64_t counter)
{
	if (rule->handle)
		fprintf(out, "%" PRIu64, counter);
	else
		fputc('-', out);
}
