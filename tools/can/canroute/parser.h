/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State and helpers of the parser, for both forms of a rule. parse.c calls the forms, and
 * they call this file.
 */
#ifndef CANROUTE_PARSER_H
#define CANROUTE_PARSER_H

#include "rule.h"
#include "tokens.h"

/**
 * struct parser - a rule that is being parsed
 * @at: index of the next token
 * @seen: keywords or options that must not be repeated; the form assigns the bits
 * @first: the token that gave each attribute of an operation, for error messages
 * @filter: the token that gave the filter, for error messages
 * @exact: the filter is for one identifier, of Classical CAN or CAN FD
 * @ambiguous: the filter has an identifier of eight digits without a flag, and a mask
 * @xl_filter: the filter is made of a priority and a VCID
 * @lifetime: the token that gave the lifetime, for error messages
 * @bytes, @set: single data bytes that the long form sets; @bytes_len entries are valid
 * @bytes_token: the last token that set single bytes
 */
struct parser {
	struct rule *rule;
	struct tokens *tokens;
	struct parse_error *error;
	size_t at;
	unsigned int seen;
	const struct token *first[OPERATIONS][CAN_GW_A_OPERAND_MAX + 1];
	const struct token *filter;
	bool exact, ambiguous, xl_filter;
	const struct token *lifetime;
	const struct token *bytes_token;
	unsigned int bytes_len;
	bool set[CAN_GW_MAX_DATA];
	uint8_t bytes[CAN_GW_MAX_DATA];
};

/* As parse_error_at() and parse_error_in_line(). */
#define parser_error(p, ...) parse_error_at((p)->error, __VA_ARGS__)
#define parser_line_error(p, ...) parse_error_in_line((p)->error, __VA_ARGS__)

/* parser_token() - the next token. NULL: there is none, and @what is in the message. */
struct token *parser_token(struct parser *p, const char *what);

/* parser_interface() - copy @token to @name if it is a valid interface name. */
bool parser_interface(struct parser *p, const struct token *token, char name[IFNAMSIZ]);

#endif
