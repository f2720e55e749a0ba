// SPDX-License-Identifier: GPL-2.0-only
/*
 * Helpers of the parser, for both forms of a rule.
 */
#include <ctype.h>
#include <string.h>

#include "parser.h"

struct token *parser_token(struct parser *p, const char *what)
{
	const struct token *before;

	if (p->at < p->tokens->count)
		return &p->tokens->token[p->at++];
	before = &p->tokens->token[p->tokens->count - 1];
	parser_error(p, before, "%s required after '%s'", what, before->text);
	return NULL;
}

bool parser_interface(struct parser *p, const struct token *token, char name[IFNAMSIZ])
{
	size_t len = strlen(token->text);
	bool good = len && len < IFNAMSIZ && strcmp(token->text, ".") && strcmp(token->text, "..");

	for (size_t i = 0; good && i < len; i++)
		good = token->text[i] != '/' && token->text[i] != ':' &&
		       !isspace((unsigned char)token->text[i]);
	if (!good)
		return parser_error(p, token, "invalid interface name '%s'",
				    token->text);
	memcpy(name, token->text, len + 1);
	return true;
}
