// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules as JSON. Bytes are strings of hexadecimal digits, members without a value are left
 * out, and "rule" is the rule in the long form.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "fetch.h"
#include "ifnames.h"
#include "print.h"
#include "rule-json.h"

/* Names may have any bytes, but JSON only UTF-8. */
static json_t *text_json(const char *text)
{
	json_t *json = json_string(text);

	return json ? json : json_string("?");
}

static json_t *bytes_json(const uint8_t *bytes, size_t count)
{
	char digits[2 * CAN_GW_MAX_DATA + 1];

	for (size_t i = 0; i < count; i++)
		snprintf(digits + 2 * i, 3, "%02X", bytes[i]);
	return json_stringn(digits, 2 * count);
}

static json_t *line_json(const struct rule *rule)
{
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);
	json_t *json;

	if (!out)
		cli_fail("no memory for a line");
	print_rule(out, rule);
	fclose(out);
	json = text_json(line);
	free(line);
	return json;
}

static json_t *operand_json(const struct operand *operand)
{
	json_t *json = json_object();

	for (unsigned int i = 1; i < CAN_GW_A_OPERAND_DATA; i++)
		if (operand->given & BIT(i))
			json_object_set_new(json, fields[i].name, json_integer(operand->value[i]));
	if (operand->given & BIT(CAN_GW_A_OPERAND_DATA))
		json_object_set_new(json, "data", bytes_json(operand->data, operand->data_len));
	return json;
}

static json_t *checksum_json(const struct checksum_offsets *offsets, uint8_t init)
{
	return json_pack("{s:i, s:i, s:i, s:i}", "from", offsets->from, "to", offsets->to,
			 "result", offsets->result, "init", init);
}

static json_t *crc8_json(const struct crc8_checksum *crc8)
{
	json_t *json = checksum_json(&crc8->offsets, crc8->init);
	unsigned int len = profile_data_len(crc8->profile);

	json_object_set_new(json, "final", json_integer(crc8->final));
	json_object_set_new(json, "table", bytes_json(crc8->table, sizeof(crc8->table)));
	if (crc8->profile && crc8->profile < PROFILES)
		json_object_set_new(json, "profile", json_string(profile_names[crc8->profile]));
	if (len)
		json_object_set_new(json, "profile_data", bytes_json(crc8->profile_data, len));
	return json;
}

json_t *stats_json(const struct stats *stats)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}",
			 "matched", (json_int_t)stats->matched,
			 "sent", (json_int_t)stats->sent,
			 "dropped", (json_int_t)stats->dropped,
			 "deleted", (json_int_t)stats->deleted,
			 "skipped", (json_int_t)stats->skipped);
}

/* The stock gateway does not count the other frames. */
static json_t *stock_stats_json(const struct stats *stats)
{
	return json_pack("{s:I, s:I, s:I}",
			 "sent", (json_int_t)stats->sent,
			 "dropped", (json_int_t)stats->dropped,
			 "deleted", (json_int_t)stats->deleted);
}

static void add_filter(json_t *json, const struct rule *rule)
{
	json_t *filter = json_pack("{s:I, s:I, s:b}",
				   "id", (json_int_t)(rule->filter_id & ~CAN_INV_FILTER),
				   "mask", (json_int_t)rule->filter_mask,
				   "inverted", rule->filter_id & CAN_INV_FILTER ? 1 : 0);

	json_object_set_new(json, "filter", filter);
}

json_t *rule_json(const struct rule *rule)
{
	json_t *json = json_object();

	if (rule->handle)
		json_object_set_new(json, "handle", json_integer(rule->handle));
	if (rule->name[0])
		json_object_set_new(json, "name", text_json(rule->name));
	json_object_set_new(json, "source", text_json(rule->source));
	json_object_set_new(json, "destination", text_json(rule->destination));
	json_object_set_new(json, "frames", json_string(frame_types[rule->frames].name));
	json_object_set_new(json, "echo", json_boolean(rule->flags & CAN_GW_FLAGS_ECHO));
	json_object_set_new(json, "keep_time", json_boolean(rule->flags & CAN_GW_FLAGS_SRC_TSTAMP));
	json_object_set_new(json, "return", json_boolean(rule->flags & CAN_GW_FLAGS_RETURN));
	json_object_set_new(json, "express", json_boolean(rule->express));
	if (rule->lifetime)
		json_object_set_new(json, "lifetime", json_integer(rule->lifetime));
	if (rule->pending)
		json_object_set_new(json, "pending", json_true());
	if (rule->filtered)
		add_filter(json, rule);
	if (rule->hop_limit)
		json_object_set_new(json, "hop_limit", json_integer(rule->hop_limit));
	if (rule->uid)
		json_object_set_new(json, "uid", json_integer(rule->uid));
	for (int i = 0; i < OPERATIONS; i++)
		if (rule->operands[i].given)
			json_object_set_new(json, operation_names[i],
					    operand_json(&rule->operands[i]));
	if (rule->crc8.given)
		json_object_set_new(json, "crc8", crc8_json(&rule->crc8));
	if (rule->xor.given)
		json_object_set_new(json, "xor_checksum",
				    checksum_json(&rule->xor.offsets, rule->xor.init));
	json_object_set_new(json, "stats", rule->handle ? stats_json(&rule->stats) :
					   stock_stats_json(&rule->stats));
	json_object_set_new(json, "rule", line_json(rule));
	return json;
}

json_t *rule_table_json(const struct rule_table *table)
{
	char source[IFNAMSIZ];
	json_t *json = json_pack("{s:I, s:I, s:I}",
				 "rules", (json_int_t)table->rules,
				 "limit", (json_int_t)table->limit,
				 "generation", (json_int_t)table->generation);

	if (table->source)
		json_object_set_new(json, "source", text_json(ifnames_name(table->source, source)));
	return json;
}

static void dump_json(json_t *json)
{
	errno = 0;
	if (!json || json_dumpf(json, stdout, 0))
		cli_fail("no memory for JSON");
	json_decref(json);
}

void json_print(json_t *json)
{
	dump_json(json);
	putchar('\n');
}

void json_print_rules(const struct fetched *fetched)
{
	static struct rule rule;

	putchar('[');
	for (size_t i = 0; i < fetched->count; i++) {
		fetched_rule(fetched, i, &rule);
		fputs(i ? ",\n" : "\n", stdout);
		dump_json(rule_json(&rule));
	}
	puts(fetched->count ? "\n]" : "]");
}
