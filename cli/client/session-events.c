/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/session-events.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/control-client.h"

int session_events_ask(struct session_verb *self, uint64_t pid, struct json_object **answer)
{
	struct json_object *request = session_verb_request(self, "events");

	/* Event classes belong to processes, whichever session was chosen. */
	json_object_object_del(request, "session");
	json_object_object_del(request, "channel");
	session_add_number(request, "from", 0);
	if (pid)
		session_add_number(request, "pid", pid);
	return session_verb_ask_all(self, request, "events", answer);
}

/* PROVIDER:NAME (LEVEL) { field: type, field: type } */
static void print_event(struct json_object *event, const char *indent)
{
	struct json_object *fields = session_member_array(event, "fields");
	size_t size, count = json_object_array_length(fields);
	char *text = NULL;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return;
	for (size_t i = 0; i < count; i++) {
		struct json_object *field = json_object_array_get_idx(fields, i);

		fprintf(stream, "%s%s: %s", i ? ", " : "", control_answer_text(field, "name"),
			control_answer_text(field, "type"));
	}
	if (fclose(stream) == 0)
		message_line("%s%s (%s) {%s%s%s}", indent, control_answer_text(event, "name"),
			     options_loglevel_name(control_answer_count(event, "loglevel")),
			     count ? " " : "", text, count ? " " : "");
	free(text);
}

void session_events_print(struct json_object *answer, const char *indent)
{
	struct json_object *events = session_member_array(answer, "events");

	for (size_t i = 0; i < json_object_array_length(events); i++)
		print_event(json_object_array_get_idx(events, i), indent);
}
