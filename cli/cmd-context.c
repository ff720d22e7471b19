/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-context.c - lttngmap context NAME...: what is recorded beside the fields. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/client/control-client.h"
#include "cli/client/session-batch.h"
#include "common/base/context.h"

static int list_all, remove_them;
static char **added;

static const struct poptOption options[] = {
	{ "add", 't', POPT_ARG_ARGV, &added, 0, "As a NAME behind the options; may be repeated",
	  "NAME" },
	{ "remove", '\0', POPT_ARG_NONE, &remove_them, 0, "Remove them from the channel", NULL },
	{ "list", '\0', POPT_ARG_NONE, &list_all, 0, "Show the contexts that there are", NULL },
	SESSION_INCLUDE(session_channel_table),
	POPT_TABLEEND
};

static struct json_object *request_of(struct session_verb *self, const char *name, bool remove)
{
	struct json_object *request = session_verb_request(self, "context");

	session_add_text(request, "context", name);
	if (remove)
		json_object_object_add(request, "remove", json_object_new_boolean(true));
	return request;
}

/* As the channel lists it: with the depth of a stack. NULL: it has none. */
static const char *has_context(struct json_object *channel, const char *name)
{
	struct json_object *contexts = session_member_array(channel, "contexts");

	for (size_t i = 0; i < json_object_array_length(contexts); i++) {
		const char *text = json_object_get_string(json_object_array_get_idx(contexts, i));

		if (text && strcspn(text, ":") == strcspn(name, ":") &&
		    strncmp(text, name, strcspn(name, ":")) == 0)
			return text;
	}
	return NULL;
}

/* A context that was there, or was not, stays so when a later one is refused. */
static int add_step(struct session_batch *batch, struct session_verb *self,
		    struct json_object *channel, const char *name, struct json_object *names)
{
	struct json_object *undo = NULL;
	const char *had = has_context(channel, name);

	if (!!had == !!remove_them)
		undo = request_of(self, had ? had : name, !remove_them);
	json_object_array_add(names, json_object_new_string(name));
	return session_batch_add(batch, request_of(self, name, remove_them), undo, NULL);
}

/* NAME, or several with commas between, as `record --context` takes them. */
static int add_list(struct session_batch *batch, struct session_verb *self,
		    struct json_object *channel, const char *list, struct json_object *names)
{
	char *copy = strdup(list), *rest = copy, *name;
	int error = copy ? 0 : -ENOMEM;

	while (!error && (name = strsep(&rest, ",")))
		error = add_step(batch, self, channel, name, names);
	free(copy);
	return error;
}

static int change(struct session_verb *self, int argc, const char **argv, struct json_object *names)
{
	struct json_object *channel = session_verb_find_channel(self);
	struct session_batch batch = { 0 };
	int error = 0;

	if (!channel)
		return -ENOENT;
	for (int i = 0; !error && i < argc; i++)
		error = add_list(&batch, self, channel, argv[i], names);
	for (int i = 0; !error && added && added[i]; i++)
		error = add_list(&batch, self, channel, added[i], names);
	if (!error)
		error = session_batch_run(&batch, self);
	session_batch_clear(&batch);
	return error;
}

/* Needs no daemon. */
static int list_contexts(void)
{
	struct session_verb self = { .verb = &verb_context };
	struct json_object *answer = json_object_new_object(), *names = json_object_new_array();

	for (unsigned int i = 0; i < LTTNGMAP_CONTEXTS; i++) {
		json_object_array_add(names, json_object_new_string(context_kinds[i].name));
		if (!session_options.json)
			message_line("%-16s %s", context_kinds[i].name, context_kinds[i].what);
	}
	json_object_object_add(answer, "contexts", names);
	return session_verb_close(&self, 0, answer);
}

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer, *names;
	int error;

	if (list_all && (argc > 0 || added || remove_them)) {
		message_error("context: --list goes with nothing else");
		return verb_usage_error(&verb_context);
	}
	if (list_all)
		return list_contexts();
	if (argc == 0 && !added) {
		message_error("context: which context?");
		message_hint("vpid, vtid, procname, ip and others: --list shows them");
		return verb_usage_error(&verb_context);
	}
	error = session_verb_open(&self, &verb_context, false);
	if (!error)
		error = session_verb_choose(&self, NULL);
	if (!error)
		error = session_verb_choose_channel(&self);
	names = json_object_new_array();
	if (!error)
		error = change(&self, argc, argv, names);
	if (!error && !session_options.json)
		message_line("%s %zu context%s %s channel %s of session %s",
			     remove_them ? "removed" : "added", json_object_array_length(names),
			     message_plural(json_object_array_length(names)),
			     remove_them ? "from" : "to", self.channel, self.session);
	answer = json_object_new_object();
	json_object_object_add(answer, "contexts", names);
	return session_verb_close(&self, error, answer);
}

const struct verb verb_context = {
	.name = "context",
	.arguments = "[OPTIONS] NAME...",
	.summary = "Record with each event: process, thread, caller, ...",
	.example = "lttngmap context vtid ip",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
