// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse a rule in either form, and check it. Only constraints that need no kernel are
 * checked here; the kernel validates the rule again.
 */
#include <stddef.h>
#include <string.h>

#include "cangw-form.h"
#include "long-form.h"
#include "parse.h"
#include "parser.h"

static bool check_data(struct parser *p, enum operation op)
{
	const struct frame_type *type = &frame_types[p->rule->frames];
	const struct token *token = p->first[op][CAN_GW_A_OPERAND_DATA];
	int len = p->rule->operands[op].data_len;

	if (len > type->data)
		return parser_error(p, token,
				    "%s frames have at most %d bytes of data, not %d",
				    type->title, type->data, len);
	if (op == OPERATION_SET && type->set && len != (int)type->set)
		return parser_error(p, token,
				    "setting the data of %s frames requires %u bytes, not %d; use data[0]=... for single bytes",
				    type->title, type->set, len);
	return true;
}

static bool check_operation(struct parser *p, enum operation op)
{
	for (unsigned int i = 1; i <= CAN_GW_A_OPERAND_MAX; i++)
		if (p->rule->operands[op].given & BIT(i) &&
		    !(fields[i].frame_types & BIT(p->rule->frames)))
			return parser_error(p, p->first[op][i], "%s frames have no %s",
					    frame_types[p->rule->frames].title, fields[i].name);
	return !(p->rule->operands[op].given & BIT(CAN_GW_A_OPERAND_DATA)) || check_data(p, op);
}

static bool check_rule(struct parser *p)
{
	const struct token *token = p->tokens->token;
	const struct rule *rule = p->rule;

	if (!rule->source[0])
		return parser_line_error(p, token, "source interface required: %s",
					 rule->cangw ? "-s" : "from");
	if (!rule->destination[0])
		return parser_line_error(p, token, "destination interface required: %s",
					 rule->cangw ? "-d" : "to");
	for (int i = 0; i < OPERATIONS; i++)
		if (!check_operation(p, i))
			return false;
	return true;
}

/* Clear only the members that are read before they are written: the arrays are large. */
static void clear_parser(struct parser *p)
{
	memset(p, 0, offsetof(struct parser, set));
}

bool parse_rule(struct rule *rule, struct tokens *tokens, struct parse_error *error)
{
	static struct parser p;
	const char *first = tokens->token[0].text;

	rule_clear(rule);
	clear_parser(&p);
	p.rule = rule;
	p.tokens = tokens;
	p.error = error;
	error->text[0] = '\0';
	rule->cangw = first[0] == '-' || !strcmp(first, "cangw");
	if (!(rule->cangw ? cangw_form(&p) : long_form(&p)) || !check_rule(&p))
		return false;
	rule_trim(rule);
	return true;
}
