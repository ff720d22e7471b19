/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-list.c - lttngmap list [SESSION]: sessions, one in full, or processes. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

#include "cli/base/message.h"
#include "cli/client/control-client.h"
#include "cli/client/session-events.h"
#include "cli/client/session-print.h"
#include "cli/client/session-sending.h"
#include "cli/client/present-user.h"

static int processes, with_events, domains;
/* LTTng's -u and -k: a part of a session, or what can be recorded. */
static int of_programs, of_kernel;
static char *channel;

static const struct poptOption options[] = {
	{ "processes", '\0', POPT_ARG_NONE, &processes, 0, "Processes that can be traced", NULL },
	{ "events", 'e', POPT_ARG_NONE, &with_events, 0,
	  "With --processes: the events of each, with their fields", NULL },
	{ "channel", 'c', POPT_ARG_STRING, &channel, 0, "Of the session, this channel alone",
	  "CHANNEL" },
	{ "domain", 'd', POPT_ARG_NONE, &domains, 0,
	  "Of the session, whether it records programs, the kernel, or both", NULL },
	{ "of-programs", '\0', POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, &of_programs, 0, NULL,
	  NULL },
	{ "of-kernel", '\0', POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, &of_kernel, 0, NULL, NULL },
	SESSION_INCLUDE(session_table),
	POPT_TABLEEND
};

static void print_unregistered(struct json_object *process)
{
	message_line("%" PRIu64 " %s (user %" PRIu64 ", not yet: %s)",
		     control_answer_count(process, "pid"), control_answer_text(process, "name"),
		     control_answer_count(process, "uid"), control_answer_text(process, "why"));
}

static void print_process(struct json_object *process)
{
	time_t since = control_answer_count(process, "traced_since_ms") / 1000;
	struct tm local;
	char text[32] = "?";

	if (localtime_r(&since, &local))
		strftime(text, sizeof(text), "%F %T", &local);
	message_line("%" PRIu64 " %s (user %" PRIu64 ", since %s)",
		     control_answer_count(process, "pid"), control_answer_text(process, "name"),
		     control_answer_count(process, "uid"), text);
}

/* The process may have ended since it was listed: then it has none. */
static int add_events(struct session_verb *self, struct json_object *process)
{
	uint64_t pid = control_answer_count(process, "pid");
	struct json_object *answer, *events;
	int error = session_events_ask(self, pid, &answer);

	if (error)
		return error;
	events = session_member_array(answer, "events");
	json_object_object_add(process, "events", json_object_get(events));
	json_object_put(answer);
	return 0;
}

static int add_unregistered(struct session_verb *self, struct json_object *answer)
{
	struct json_object *request = session_verb_request(self, "unregistered"), *more, *array;
	int error;

	session_add_number(request, "from", 0);
	error = session_verb_ask_all(self, request, "unregistered", &more);
	if (error)
		return error;
	array = session_member_array(more, "unregistered");
	for (size_t i = 0; !session_options.json && i < json_object_array_length(array); i++)
		print_unregistered(json_object_array_get_idx(array, i));
	json_object_object_add(answer, "unregistered", json_object_get(array));
	json_object_put(more);
	return 0;
}

static int list_processes(struct session_verb *self, struct json_object **answer)
{
	struct json_object *request = session_verb_request(self, "processes"), *array;
	int error;

	session_add_number(request, "from", 0);
	error = session_verb_ask_all(self, request, "processes", answer);
	if (error)
		return error;
	array = session_member_array(*answer, "processes");
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		struct json_object *process = json_object_array_get_idx(array, i);

		/* It registered as another one if it has changed its user since. */
		json_object_object_add(
			process, "uid",
			json_object_new_uint64(present_user(control_answer_count(process, "pid"),
							    control_answer_count(process, "uid"))));
		if (with_events) {
			error = add_events(self, process);
			if (error)
				return error;
		}
		if (session_options.json)
			continue;
		print_process(process);
		if (with_events)
			session_events_print(process, "  ");
	}
	return add_unregistered(self, *answer);
}

/* Leaves the one channel in the description of the session. */
static int keep_channel(struct session_verb *self, struct json_object *session)
{
	struct json_object *kept = json_object_new_array(), *found;
	int error = session_verb_set_channel(self, channel);

	found = error ? NULL : session_verb_find_channel(self);
	self->channel[0] = '\0';
	if (!found) {
		json_object_put(kept);
		return error ? error : -ENOENT;
	}
	json_object_array_add(kept, json_object_get(found));
	json_object_object_add(session, "channels", kept);
	json_object_object_del(session, "kernel");
	return 0;
}

static void list_domains(struct json_object *session, struct json_object *answer)
{
	struct json_object *names = json_object_new_array();

	if (json_object_array_length(session_member_array(session, "channels")) > 0)
		json_object_array_add(names, json_object_new_string("programs"));
	if (json_object_object_get_ex(session, "kernel", NULL))
		json_object_array_add(names, json_object_new_string("kernel"));
	for (size_t i = 0; !session_options.json && i < json_object_array_length(names); i++)
		message_line("%s", json_object_get_string(json_object_array_get_idx(names, i)));
	json_object_object_add(answer, "domains", names);
}

static int list_one(struct session_verb *self, const char *argument, struct json_object **answer)
{
	int error = session_verb_choose(self, argument);
	struct json_object *session = error ? NULL : session_verb_find(self), *sessions;

	if (!session)
		return error ? error : -ENOENT;
	*answer = json_object_new_object();
	if (domains) {
		list_domains(session, *answer);
		return 0;
	}
	error = channel ? keep_channel(self, session) : 0;
	if (error)
		return error;
	session_sending_add(control_answer_text(session, "session"), session);
	if (!session_options.json)
		session_print_all(session);
	sessions = json_object_new_array();
	json_object_array_add(sessions, json_object_get(session));
	json_object_object_add(*answer, "sessions", sessions);
	return 0;
}

static int list_sessions(struct session_verb *self, struct json_object **answer)
{
	struct json_object *sessions;
	int error = session_verb_list(self, &sessions);
	size_t count;

	if (error)
		return error;
	count = json_object_array_length(sessions);
	if (!session_options.json && count == 0)
		message_line("no session");
	for (size_t i = 0; i < count; i++) {
		struct json_object *session = json_object_array_get_idx(sessions, i);

		session_sending_add(control_answer_text(session, "session"), session);
		if (!session_options.json)
			session_print_line(session, count > 1);
	}
	*answer = json_object_new_object();
	json_object_object_add(*answer, "sessions", json_object_get(sessions));
	return 0;
}

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL;
	int status = session_verb_check_argument(&verb_list, argc), error;
	bool of_session = argc > 0 || session_options.session || channel || domains;

	if (status)
		return status;
	if (!of_session && of_kernel)
		return events_list_kernel(verb_list.name);
	if (!of_session && of_programs)
		processes = with_events = 1;
	if ((processes && of_session) || (with_events && !processes)) {
		message_error("list: %s", processes ? "--processes, or a session, not both"
						    : "--events goes with --processes");
		return verb_usage_error(&verb_list);
	}
	error = session_verb_open(&self, &verb_list, false);
	if (!error && processes)
		error = list_processes(&self, &answer);
	else if (!error && of_session)
		error = list_one(&self, argv[0], &answer);
	else if (!error)
		error = list_sessions(&self, &answer);
	return session_verb_close(&self, error, answer);
}

const struct verb verb_list = {
	.name = "list",
	.arguments = "[OPTIONS] [SESSION]",
	.summary = "Show the sessions, one in full, or the processes",
	.example = "lttngmap list --processes",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
