/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-create.c - lttngmap create [SESSION]: a session, and a daemon if none runs. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/output-dir.h"
#include "cli/client/control-client.h"
#include "cli/client/session-verb.h"
#include "cli/relay/relay-child.h"

#define UNNAMED "auto"

static char *output;
static int snapshot;
static struct relay_options relay;

static const struct poptOption options[] = {
	{ "output", 'o', POPT_ARG_STRING, &output, 0,
	  "Write the trace there (new or empty; default: ./SESSION-DATE-TIME)", "DIR" },
	{ "snapshot", '\0', POPT_ARG_NONE, &snapshot, 0,
	  "A flight recorder: nothing is written until `lttngmap snapshot`", NULL },
	{ "set-url", 'U', POPT_ARG_STRING, &relay.url, 0,
	  "Send the trace to lttng-relayd there; without -o, nothing of it stays here",
	  "net://HOST[:CONTROL[:DATA]]" },
	{ "spool-size", '\0', POPT_ARG_STRING, &relay.spool_size, 0,
	  "So much may wait to be sent (default: " RELAY_SPOOL_SIZE ")", "N[K|M|G]" },
	{ "live", '\0', POPT_ARG_STRING, &relay.live, 0,
	  "Let `babeltrace2 -i lttng-live` watch at the collector, so often", "N[ms|s]" },
	SESSION_INCLUDE(session_daemon_table),
	POPT_TABLEEND
};

static bool is_taken(struct json_object *sessions, const char *name)
{
	for (size_t i = 0; i < json_object_array_length(sessions); i++) {
		struct json_object *session = json_object_array_get_idx(sessions, i);

		if (strcmp(control_answer_text(session, "session"), name) == 0)
			return true;
	}
	return false;
}

/* After the time, with -2, -3, … where that is taken. */
static int name_by_time(struct session_verb *self)
{
	char name[sizeof(UNNAMED) + OUTPUT_DIR_DATE_SIZE + 16], date[OUTPUT_DIR_DATE_SIZE];
	struct json_object *sessions;
	int error = session_verb_list(self, &sessions);

	if (error)
		return error;
	output_dir_date(date);
	snprintf(name, sizeof(name), UNNAMED "-%s", date);
	for (int i = 2; is_taken(sessions, name); i++)
		snprintf(name, sizeof(name), UNNAMED "-%s-%d", date, i);
	return session_verb_choose(self, name);
}

/* An unnamed session is named as its directory, where that is not named either. */
static int name_session(struct session_verb *self, const char *name, const struct output_dir *dir)
{
	if (name)
		return session_verb_choose(self, name);
	if (output || relay.spool)
		return name_by_time(self);
	return session_verb_choose(self, strrchr(dir->path, '/') + 1);
}

static int create(struct session_verb *self, const struct output_dir *dir)
{
	struct json_object *request = session_verb_request(self, "create");

	session_add_text(request, "output", dir->path);
	if (snapshot)
		json_object_object_add(request, "snapshot", json_object_new_boolean(true));
	if (relay.url)
		session_add_text(request, "url", relay.url);
	if (relay.spool)
		session_add_number(request, "spool", relay.spool);
	if (relay.live_ms)
		session_add_number(request, "live_ms", relay.live_ms);
	return session_verb_ask(self, request, NULL);
}

/* Where the trace is written: for us, or until it was sent. */
static int make_output(const char *prefix, struct output_dir *dir)
{
	int error = relay.url ? relay_child_check("create", &relay) : 0;

	if (error)
		return error;
	return relay.spool ? relay_spool_create("create", dir)
			   : output_dir_create("create", output, prefix, dir);
}

/* From now on. A session of which nothing would be sent is none. */
static int send(struct session_verb *self, const struct output_dir *dir)
{
	pid_t pid;
	int error = relay_child_start("create", &relay, dir->path, self->session, true, &pid);

	if (error)
		(void)session_verb_ask(self, session_verb_request(self, "destroy"), NULL);
	return error;
}

static struct json_object *describe(const struct session_verb *self, const struct output_dir *dir)
{
	struct json_object *answer = json_object_new_object();

	session_add_text(answer, "output", dir->path);
	if (relay.url)
		session_add_text(answer, "url", relay.url);
	json_object_object_add(answer, "snapshot", json_object_new_boolean(snapshot));
	if (self->started)
		session_add_number(answer, "daemon_started", self->started);
	return answer;
}

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct output_dir dir = { .made = false };
	struct json_object *answer = NULL;
	int error;

	if (argc > 1) {
		message_error("create: one session at a time, not %d", argc);
		return verb_usage_error(&verb_create);
	}
	if (argc == 1 && !name_is_session(argv[0])) {
		message_error("create: '%.80s' is no name of a session", argv[0]);
		message_hint("a name is 1 to %d of A-Z a-z 0-9 . _ + - and begins with none of . -",
			     NAME_SESSION_MAX);
		return verb_usage_error(&verb_create);
	}
	if (relay_options_check("create", &relay, output))
		return verb_usage_error(&verb_create);
	if (relay.live && snapshot) {
		message_error("create: --live: a flight recorder has nothing to watch");
		message_hint("its snapshots can be read at the collector when they are sent");
		return verb_usage_error(&verb_create);
	}
	if (relay.spool_size && snapshot) {
		message_error("create: --spool-size: all of a snapshot waits until it is sent");
		message_hint("`lttngmap snapshot --max-size` says how large it is");
		return verb_usage_error(&verb_create);
	}
	error = session_verb_open(&self, &verb_create, true);
	if (!error)
		error = make_output(argc ? argv[0] : UNNAMED, &dir);
	if (!error)
		error = name_session(&self, argc ? argv[0] : NULL, &dir);
	if (!error)
		error = create(&self, &dir);
	/* A snapshot is sent by who takes it. */
	if (!error && relay.url && !snapshot)
		error = send(&self, &dir);
	if (error) {
		output_dir_remove(&dir);
	} else {
		answer = describe(&self, &dir);
		if (!session_options.json)
			message_line("created session %s%s: %s", self.session,
				     snapshot ? " for snapshots" : "",
				     relay.spool ? relay.url : dir.path);
	}
	return session_verb_close(&self, error, answer);
}

const struct verb verb_create = {
	.name = "create",
	.arguments = "[OPTIONS] [SESSION]",
	.summary = "Make a session, and start a daemon where none runs",
	.example = "lttngmap create orders -o /var/tmp/orders",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
