/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-events.c - lttngmap events: the event classes that the daemon knows. */
#include <config.h>

#include "cli/verbs.h"

#include <json-c/json.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/session-events.h"
#include "cli/view/event-names.h"

static char *pid;
static int kernel;

static const struct poptOption options[] = { { "pid", 'p', POPT_ARG_STRING, &pid, 0,
					       "Only those that this process has", "PID" },
					     { "kernel", '\0', POPT_ARG_NONE, &kernel, 0,
					       "Those of this machine's kernel; root only", NULL },
					     SESSION_INCLUDE(session_daemon_table),
					     POPT_TABLEEND };

static void add_event(const char *name, void *array)
{
	struct json_object *event;

	if (!session_options.json) {
		message_line("%s", name);
		return;
	}
	event = json_object_new_object();
	session_add_text(event, "name", name);
	json_object_array_add(array, event);
}

/* No daemon is asked: the kernel itself says it, to root. */
int events_list_kernel(const char *verb)
{
	struct json_object *object = json_object_new_object(), *array = json_object_new_array();
	int error = event_names_of_kernel(add_event, array);

	json_object_object_add(object, "ok", json_object_new_boolean(error == 0));
	json_object_object_add(object, "events", array);
	if (error) {
		message_error("%s: cannot read the kernel's list: %s", verb, strerror(-error));
		message_hint("be root; and if tracefs is not there: mount -t tracefs nodev "
			     "/sys/kernel/tracing");
	} else if (session_options.json) {
		message_line("%s", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
	}
	json_object_put(object);
	return message_flush_output() || error ? CLI_STATUS_FAILED : CLI_STATUS_OK;
}

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL;
	uint64_t number = 0;
	int error;

	(void)argv;
	if (argc > 0) {
		message_error("events: no argument is expected");
		return verb_usage_error(&verb_events);
	}
	if (kernel)
		return events_list_kernel(verb_events.name);
	if (pid && (options_parse_number(pid, INT32_MAX, &number) || number == 0)) {
		message_error("events: --pid: '%s' is no process's number", pid);
		return verb_usage_error(&verb_events);
	}
	error = session_verb_open(&self, &verb_events, false);
	if (!error)
		error = session_events_ask(&self, number, &answer);
	if (!error && !session_options.json)
		session_events_print(answer, "");
	return session_verb_close(&self, error, answer);
}

const struct verb verb_events = {
	.name = "events",
	.arguments = "[OPTIONS]",
	.summary = "Show the known events and their fields",
	.example = "lttngmap events --pid 4711",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
