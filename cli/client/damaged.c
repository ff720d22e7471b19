/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/damaged.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/client/control-client.h"
#include "cli/client/session-verb.h"
#include "common/base/amount.h"

__attribute__((format(printf, 2, 3))) static void add(char text[DAMAGED_TEXT_SIZE],
						      const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + used, DAMAGED_TEXT_SIZE - used, format, arguments);
	va_end(arguments);
}

/* Rings that a user's processes share have no pid. */
static void add_name(char text[DAMAGED_TEXT_SIZE], struct json_object *damager, const char *before)
{
	uint64_t pid = control_answer_count(damager, "pid");

	add(text, "%s%.32s", before, control_answer_text(damager, "name"));
	if (pid)
		add(text, " (%" PRIu64 ")", pid);
}

char *damaged_describe(struct json_object *answer, char text[DAMAGED_TEXT_SIZE])
{
	struct json_object *damagers = session_member_array(answer, "damagers");
	uint64_t rings = control_answer_count(answer, "closed_rings");
	uint64_t claimed = control_answer_count(answer, "claimed");
	char count[32];

	text[0] = '\0';
	if (!rings)
		return text;
	add(text, "%s ring%s closed, damaged", amount_format_count(rings, count),
	    message_plural(rings));
	for (size_t i = 0; i < json_object_array_length(damagers); i++)
		add_name(text, json_object_array_get_idx(damagers, i), i ? ", " : " by ");
	if (control_answer_flag(answer, "more_damagers"))
		add(text, ", …");
	if (claimed)
		add(text, "; claimed, which nobody can check: %s more event%s lost",
		    amount_format_count(claimed, count), message_plural(claimed));
	return text;
}
