/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/filter-caret.h"

#include <stdbool.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/client/control-client.h"

#define DOTS "..."
#define SHOWN_MOST 110 /* bytes of the expression shown in a line */
#define BEFORE_MOST 60 /* bytes shown before the error, if the expression is longer */

/* The second and later bytes of a letter in UTF-8. */
static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

void filter_caret_format(const char *filter, uint64_t column, uint64_t length,
			 char text[FILTER_CARET_SIZE], char marks[FILTER_CARET_SIZE])
{
	size_t size = strlen(filter), begin = 0, end = size, at, last, mark = 0;

	at = column < size ? column : size;
	last = length < size - at ? at + length : size;
	if (size > SHOWN_MOST) {
		begin = at > BEFORE_MOST ? at - BEFORE_MOST : 0;
		end = begin + SHOWN_MOST < size ? begin + SHOWN_MOST : size;
		while (begin < at && continues(filter[begin]))
			begin++;
		while (end > at && end < size && continues(filter[end]))
			end--;
	}
	text[0] = '\0';
	if (begin > 0) {
		strcpy(text, DOTS);
		memset(marks, ' ', strlen(DOTS));
		mark = strlen(DOTS);
	}
	strncat(text, filter + begin, end - begin);
	if (end < size)
		strcat(text, DOTS);
	for (size_t i = begin; i < at; i++) {
		if (!continues(filter[i]))
			marks[mark++] = ' ';
	}
	marks[mark++] = '^';
	for (size_t i = at + 1; i < last && i < end; i++) {
		if (!continues(filter[i]))
			marks[mark++] = '~';
	}
	marks[mark] = '\0';
}

void filter_caret_show(struct json_object *request, struct json_object *refusal)
{
	char text[FILTER_CARET_SIZE], marks[FILTER_CARET_SIZE];
	const char *in = control_answer_text(refusal, "in");
	const char *filter = control_answer_text(request, in[0] ? in : "filter");

	if (filter[0] == '\0' || !json_object_object_get_ex(refusal, "column", NULL))
		return;
	filter_caret_format(filter, control_answer_count(refusal, "column"),
			    control_answer_count(refusal, "length"), text, marks);
	message_note("  %s", text);
	message_note("  %s", marks);
}
