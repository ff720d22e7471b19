/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-destroy.c - lttngmap destroy [SESSION]: end a session; its trace stays. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/client/control-client.h"
#include "cli/client/session-counts.h"
#include "common/base/amount.h"

static int all;

static const struct poptOption options[] = { { "all", 'a', POPT_ARG_NONE, &all, 0, "All sessions",
					       NULL },
					     SESSION_INCLUDE(session_table),
					     POPT_TABLEEND };

/*
 * Where snapshots lay until they were sent: what is left there was not. Another user's is at a
 * place of that one's choice, of which nothing is removed.
 */
static void remove_spool(const struct session_verb *self, struct json_object *session)
{
	const char *output = control_answer_text(session, "output");

	if (strchr(self->session, '/') || !control_answer_flag(session, "snapshot") ||
	    !control_answer_count(session, "spool"))
		return;
	if (rmdir(output) == 0 || errno == ENOENT)
		return;
	message_note("snapshots that were not sent lie in %s", output);
	message_hint("`lttngmap relay --spool %s %s/snapshot-...` sends one",
		     control_answer_text(session, "url"), output);
}

/* The session's, which ends. */
static void say_trouble(const struct session_verb *self, struct json_object *answer)
{
	const char *trouble = control_answer_text(answer, "trouble");

	if (trouble[0])
		message_note("destroy: session %s: %.*s", self->session,
			     control_ended_length(trouble), trouble);
}

/* Destroys a session; reports what an active one kept and lost. *counts may stay NULL. */
static int destroy(struct session_verb *self, struct json_object **counts)
{
	struct json_object *session = session_verb_find(self), *answer;
	int stop_error = 0, error;
	uint64_t lost;
	char text[32];

	*counts = NULL;
	if (!session)
		return -ENOENT;
	if (control_answer_flag(session, "active"))
		stop_error = session_counts_stop(self, counts);
	if (stop_error == -EREMOTEIO)
		session_counts_ask(self, counts);
	/* One that cannot be stopped well is to go all the same. */
	error = session_verb_ask(self, session_verb_request(self, "destroy"), &answer);
	if (error)
		return error;
	/* Else the stop has said it. */
	if (!stop_error)
		say_trouble(self, answer);
	lost = control_answer_count(answer, "lost");
	json_object_put(answer);
	remove_spool(self, session);
	if (!session_options.json) {
		message_line("destroyed session %s: %s", self->session,
			     control_answer_text(session, control_answer_count(session, "spool")
								  ? "url"
								  : "output"));
		if (*counts) {
			json_object_object_del(*counts, "trouble");
			session_counts_print(self, *counts);
		}
		if (lost)
			message_line("  %s events lost: they were in the buffers, not on disk",
				     amount_format_count(lost, text));
	} else if (lost) {
		*counts = *counts ? *counts : json_object_new_object();
		session_add_number(*counts, "lost", lost);
	}
	return stop_error;
}

static int destroy_one(struct session_verb *self, const char *argument, struct json_object **answer)
{
	int error = session_verb_choose(self, argument);

	return error ? error : destroy(self, answer);
}

static int destroy_all(struct session_verb *self, struct json_object **answer)
{
	struct json_object *sessions, *names = json_object_new_array();
	int error = session_verb_list(self, &sessions), failed = error;

	for (size_t i = 0; !error && i < json_object_array_length(sessions); i++) {
		struct json_object *session = json_object_array_get_idx(sessions, i);
		struct json_object *counts = NULL;

		if (session_verb_choose(self, control_answer_text(session, "session")) ||
		    destroy(self, &counts))
			failed = -EREMOTEIO;
		else
			json_object_array_add(names, json_object_new_string(self->session));
		json_object_put(counts);
	}
	self->session[0] = '\0';
	*answer = json_object_new_object();
	json_object_object_add(*answer, "destroyed", names);
	return failed;
}

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL;
	int status = session_verb_check_argument(&verb_destroy, argc), error;

	if (status)
		return status;
	if (all && (argc > 0 || session_options.session)) {
		message_error("destroy: --all, or one session, not both");
		return verb_usage_error(&verb_destroy);
	}
	error = session_verb_open(&self, &verb_destroy, false);
	if (!error)
		error = all ? destroy_all(&self, &answer)
			    : destroy_one(&self, argc ? argv[0] : NULL, &answer);
	return session_verb_close(&self, error, answer);
}

const struct verb verb_destroy = {
	.name = "destroy",
	.arguments = "[OPTIONS] [SESSION]",
	.summary = "End a session; its trace stays",
	.example = "lttngmap destroy orders",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
