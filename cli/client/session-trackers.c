/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/session-trackers.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/control-client.h"
#include "cli/client/session-batch.h"

static char **pids, **uids, **gids, **names;

const struct poptOption session_trackers_table[] = {
	{ "pid", 'p', POPT_ARG_ARGV, &pids, 0, "These processes; may be repeated", "PID[,PID...]" },
	{ "uid", '\0', POPT_ARG_ARGV, &uids, 0, "Processes of these users", "USER[,USER...]" },
	{ "gid", '\0', POPT_ARG_ARGV, &gids, 0, "Processes of these groups", "GROUP[,GROUP...]" },
	{ "name", 'n', POPT_ARG_ARGV, &names, 0,
	  "Programs whose name matches, with '*'; may be repeated", "PATTERN" },
	SESSION_INCLUDE(session_table),
	POPT_TABLEEND
};

static int parse_pid(const char *text, uint64_t *value)
{
	return options_parse_number(text, INT32_MAX, value);
}

static int parse_gid(const char *text, uint64_t *value)
{
	struct group *group;

	if (options_parse_number(text, UINT32_MAX - 1, value) == 0)
		return 0;
	group = getgrnam(text);
	if (!group)
		return -ENOENT;
	*value = group->gr_gid;
	return 0;
}

static const struct {
	const char *kind;
	char ***typed;
	int (*parse)(const char *text, uint64_t *value);
} kinds[] = {
	{ "pid", &pids, parse_pid },
	{ "uid", &uids, options_parse_user },
	{ "gid", &gids, parse_gid },
};

/* Adds {"kind", "value"} to `trackers`; takes the value. */
static void add_tracker(struct json_object *trackers, const char *kind, struct json_object *value)
{
	struct json_object *tracker = json_object_new_object();

	session_add_text(tracker, "kind", kind);
	json_object_object_add(tracker, "value", value);
	json_object_array_add(trackers, tracker);
}

/* Parses the options. 0, or -EINVAL after a message. */
static int parse_typed(const struct verb *verb, struct json_object *trackers)
{
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		char **typed = *kinds[k].typed;

		for (int i = 0; typed && typed[i]; i++) {
			char *rest = typed[i], *text;
			uint64_t value;

			while ((text = strsep(&rest, ","))) {
				if (kinds[k].parse(text, &value)) {
					message_error("%s: --%s: '%s' is none", verb->name,
						      kinds[k].kind, text);
					return -EINVAL;
				}
				add_tracker(trackers, kinds[k].kind, json_object_new_uint64(value));
			}
		}
	}
	for (int i = 0; names && names[i]; i++)
		add_tracker(trackers, "name", json_object_new_string(names[i]));
	return 0;
}

static struct json_object *request_of(struct session_verb *self, struct json_object *tracker,
				      const char *verb)
{
	struct json_object *request = session_verb_request(self, verb), *value = NULL;

	json_object_object_get_ex(tracker, "value", &value);
	session_add_text(request, "kind", control_answer_text(tracker, "kind"));
	json_object_object_add(request, "value", json_object_get(value));
	return request;
}

static bool is_tracked(struct json_object *session, struct json_object *tracker)
{
	struct json_object *tracked = session_member_array(session, "trackers");

	for (size_t i = 0; i < json_object_array_length(tracked); i++) {
		if (json_object_equal(json_object_array_get_idx(tracked, i), tracker))
			return true;
	}
	return false;
}

static int change(struct session_verb *self, struct json_object *trackers, bool untrack, bool all)
{
	struct json_object *session = session_verb_find(self);
	struct session_batch batch = { 0 };
	int error = 0;

	if (!session)
		return -ENOENT;
	if (all) {
		struct json_object *tracked = session_member_array(session, "trackers");

		for (size_t i = 0; i < json_object_array_length(tracked); i++)
			json_object_array_add(
				trackers, json_object_get(json_object_array_get_idx(tracked, i)));
	}
	for (size_t i = 0; !error && i < json_object_array_length(trackers); i++) {
		struct json_object *tracker = json_object_array_get_idx(trackers, i);
		struct json_object *undo = NULL;

		if (is_tracked(session, tracker) == untrack)
			undo = request_of(self, tracker, untrack ? "track" : "untrack");
		error = session_batch_add(&batch, request_of(self, tracker, self->verb->name), undo,
					  NULL);
	}
	if (!error)
		error = session_batch_run(&batch, self);
	session_batch_clear(&batch);
	return error;
}

int session_trackers_run(const struct verb *verb, bool untrack, bool all, int argc)
{
	struct json_object *trackers = json_object_new_array(), *answer;
	struct session_verb self;
	int error;

	if (argc > 0) {
		message_error("%s: options say which processes, and -s which session", verb->name);
		goto usage;
	}
	if (parse_typed(verb, trackers))
		goto usage;
	if ((json_object_array_length(trackers) > 0) == all) {
		message_error(all ? "%s: --all, or some of them, not both" : "%s: which processes?",
			      verb->name);
		goto usage;
	}
	error = session_verb_open(&self, verb, false);
	if (!error)
		error = session_verb_choose(&self, NULL);
	if (!error)
		error = change(&self, trackers, untrack, all);
	if (!error && !session_options.json)
		message_line("session %s: %zu tracker%s %s", self.session,
			     json_object_array_length(trackers),
			     message_plural(json_object_array_length(trackers)),
			     untrack ? "removed" : "added");
	answer = json_object_new_object();
	json_object_object_add(answer, "trackers", trackers);
	return session_verb_close(&self, error, answer);

usage:
	json_object_put(trackers);
	return verb_usage_error(verb);
}
