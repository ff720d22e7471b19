/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-save.c - lttngmap save [SESSION]: the set-up of sessions into a file. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/output-file.h"
#include "cli/client/control-client.h"
#include "cli/client/session-file.h"
#include "cli/client/session-verb.h"
#include "common/base/beneath.h"

#define PRETTY (JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE)

static char *output;
static int force;

static const struct poptOption options[] = {
	{ "output", 'o', POPT_ARG_STRING, &output, 0,
	  "Write to a new file (default: to standard output)", "FILE" },
	{ "force", 'f', POPT_ARG_NONE, &force, 0, "Replace FILE where it is there", NULL },
	SESSION_INCLUDE(session_table),
	POPT_TABLEEND
};

static int write_text(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t written = write(fd, text, left);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		text += written;
		left -= written;
	}
	return 0;
}

/* All of it or nothing is there under its name, and nothing is replaced unasked. */
static int write_file(const char *text)
{
	int error, fd = output_file_open(output, false);

	if (fd < 0)
		return fd;
	error = write_text(fd, text);
	if (!error && fsync(fd) < 0)
		error = -errno;
	return output_file_close(fd, force, error);
}

static int save(struct json_object *file, size_t count)
{
	char *text;
	int error;

	if (!output || strcmp(output, "-") == 0) {
		if (!session_options.json)
			puts(json_object_to_json_string_ext(file, PRETTY));
		return 0;
	}
	if (asprintf(&text, "%s\n", json_object_to_json_string_ext(file, PRETTY)) < 0)
		return -ENOMEM;
	error = write_file(text);
	free(text);
	if (error) {
		message_error("save: cannot write '%s': %s", output, beneath_why(error));
		if (error == -EEXIST)
			message_hint("name a new file, or give --force to replace it");
	} else if (!session_options.json) {
		message_line("saved %zu session%s: %s", count, message_plural(count), output);
	}
	return error;
}

/* The file must be loadable: a daemon of another version may list other members. */
static int check_file(struct json_object *file)
{
	const char *text = json_object_to_json_string_ext(file, PRETTY);
	char why[SESSION_FILE_WHY_SIZE];
	struct json_object *again;
	int error = session_file_parse(text, strlen(text), &again, why);

	if (error) {
		message_error("save: the daemon lists what no file can hold: %s", why);
		message_hint("install command and daemon of one version");
		return error;
	}
	json_object_put(again);
	return 0;
}

/* The name that its owner has for it: whoever loads it is the owner then. */
static void add_session(struct json_object *chosen, struct json_object *session)
{
	const char *slash = strchr(control_answer_text(session, "session"), '/');

	if (slash)
		session_add_text(session, "session", slash + 1);
	if (json_object_object_get_ex(session, "kernel", NULL)) {
		message_note("save: session %s records events of the kernel's, which no file "
			     "holds; `lttngmap enable --kernel` enables them again",
			     control_answer_text(session, "session"));
		json_object_object_del(session, "kernel");
	}
	json_object_array_add(chosen, json_object_get(session));
}

static int collect(struct session_verb *self, const char *argument, struct json_object **chosen)
{
	struct json_object *session, *sessions;
	int error;

	*chosen = json_object_new_array();
	if (!argument && !session_options.session) {
		error = session_verb_list(self, &sessions);
		for (size_t i = 0; !error && i < json_object_array_length(sessions); i++) {
			session = json_object_array_get_idx(sessions, i);
			if (!strchr(control_answer_text(session, "session"), '/'))
				add_session(*chosen, session);
		}
		return error;
	}
	error = session_verb_choose(self, argument);
	session = error ? NULL : session_verb_find(self);
	if (!session)
		return error ? error : -ENOENT;
	add_session(*chosen, session);
	return 0;
}

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *sessions = NULL, *file = NULL;
	int status = session_verb_check_argument(&verb_save, argc), error;

	if (status)
		return status;
	if (force && !output) {
		message_error("save: --force without --output");
		return verb_usage_error(&verb_save);
	}
	error = session_verb_open(&self, &verb_save, false);
	if (!error)
		error = collect(&self, argc ? argv[0] : NULL, &sessions);
	if (!error) {
		file = session_file_make(sessions);
		error = check_file(file);
	}
	if (!error)
		error = save(file, json_object_array_length(sessions));
	json_object_put(sessions);
	return session_verb_close(&self, error, file);
}

const struct verb verb_save = {
	.name = "save",
	.arguments = "[OPTIONS] [SESSION]",
	.summary = "Write the set-up of sessions to a file",
	.example = "lttngmap save orders -o orders.json",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
