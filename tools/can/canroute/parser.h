/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of the parser, and what both forms of a rule use. This file depends on neither
 * of the forms; parse.c calls them.
 */
#ifndef CANROUTE_PARSER_H
#define CANROUTE_PARSER_H

#include "rule.h"
#include "words.h"

/**
 * struct parser - a rule while it is read, for the two forms
 * @at: the word to read next
 * @seen: what may be there only once and was, a bit for each, numbered by the form
 * @first: the word by which each attribute of an operation was given, to complain of
 * @filter: likewise, of the filter
 * @exact: the filter is for one identifier, of Classical CAN or CAN FD
 * @unclear: the filter has an identifier of eight digits, and a mask
 * @parts: the filter is made of a priority and a VCID
 * @bytes, @set: single bytes of the data that the long form sets, with @bytes_len of
 *	both in use; @bytes_word is where
 */
struct parser {
	struct rule *rule;
	struct words *words;
	struct mistake *mistake;
	size_t at;
	unsigned int seen;
	const struct word *first[OPERATIONS][CAN_GW_A_OPERAND_MAX + 1];
	const struct word *filter;
	bool exact, unclear, parts;
	const struct word *bytes_word;
	unsigned int bytes_len;
	bool set[CAN_GW_MAX_DATA];
	uint8_t bytes[CAN_GW_MAX_DATA];
};

/* parser_word() - the next word, which @what describes; NULL is a mistake. */
struct word *parser_word(struct parser *p, const char *what);

/* parser_interface() - a name that an interface can have. */
bool parser_interface(struct parser *p, const struct word *word, char name[IFNAMSIZ]);

#endif
