// SPDX-License-Identifier: GPL-2.0-only
/*
 * What both forms of a rule use: the next word, and names of interfaces.
 */
#include <ctype.h>
#include <string.h>

#include "parser.h"

struct word *parser_word(struct parser *p, const char *what)
{
	const struct word *before;

	if (p->at < p->words->count)
		return &p->words->word[p->at++];
	before = &p->words->word[p->words->count - 1];
	mistake_at(p->mistake, before, "behind '%s', %s is missing", before->text, what);
	return NULL;
}

bool parser_interface(struct parser *p, const struct word *word, char name[IFNAMSIZ])
{
	size_t len = strlen(word->text);
	bool good = len && len < IFNAMSIZ && strcmp(word->text, ".") && strcmp(word->text, "..");

	for (size_t i = 0; good && i < len; i++)
		good = word->text[i] != '/' && word->text[i] != ':' &&
		       !isspace((unsigned char)word->text[i]);
	if (!good)
		return mistake_at(p->mistake, word, "'%s' cannot be the name of an interface",
				  word->text);
	memcpy(name, word->text, len + 1);
	return true;
}
