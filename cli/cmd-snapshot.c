/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-snapshot.c - lttngmap snapshot [SESSION]: the newest events, as a trace. */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "control-client.h"
#include "options.h"
#include "report.h"
#include "session-verb.h"

static char *output, *max_size;

static const struct poptOption options[] = {
	{ "output", 'o', POPT_ARG_STRING, &output, 0,
	  "Write it there (default: in the session's directory)", "DIR" },
	{ "max-size", '\0', POPT_ARG_STRING, &max_size, 0,
	  "Write at most so much, of the newest (default: all that there is)", "N[K|M|G]" },
	SESSION_INCLUDE(session_table),
	POPT_TABLEEND
};

/* The daemon works in another directory. */
static int add_output(struct json_object *request)
{
	char path[2 * PATH_MAX];
	size_t length = 0;

	if (output[0] != '/') {
		if (!getcwd(path, PATH_MAX)) {
			report_error("snapshot: the current directory: %s", strerror(errno));
			return -errno;
		}
		length = strlen(path);
		path[length++] = '/';
	}
	snprintf(path + length, sizeof(path) - length, "%s", output);
	session_add_text(request, "output", path);
	return 0;
}

static int take(struct session_verb *self, uint64_t size, struct json_object **answer)
{
	struct json_object *request = session_verb_request(self, "snapshot");
	int error = output ? add_output(request) : 0;

	if (error) {
		json_object_put(request);
		return error;
	}
	if (max_size)
		session_add_number(request, "max_size", size);
	return session_verb_ask(self, request, answer);
}

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL;
	char count[32], bytes[16];
	uint64_t size = 0;
	int status = session_verb_check_argument(&verb_snapshot, argc), error;

	if (status)
		return status;
	if (max_size && (options_parse_size(max_size, &size) || size == 0)) {
		report_error("snapshot: --max-size: '%s' is not a size", max_size);
		report_hint("write a number of bytes, or one with K, M or G");
		return verb_usage_error(&verb_snapshot);
	}
	if (output && (output[0] == '\0' || strlen(output) >= PATH_MAX)) {
		report_error("snapshot: -o: that is not the name of a directory");
		return verb_usage_error(&verb_snapshot);
	}
	error = session_verb_open(&self, &verb_snapshot, false);
	if (!error)
		error = session_verb_choose(&self, argc ? argv[0] : NULL);
	if (!error)
		error = take(&self, size, &answer);
	if (!error && !session_options.json)
		report_line("snapshot of session %s: %s events, %s: %s", self.session,
			    options_format_count(control_answer_count(answer, "events"), count),
			    options_format_size(control_answer_count(answer, "bytes"), bytes),
			    control_answer_text(answer, "output"));
	return session_verb_close(&self, error, answer);
}

const struct verb verb_snapshot = {
	.name = "snapshot",
	.arguments = "[OPTIONS] [SESSION]",
	.summary = "Write the newest events of a flight recorder",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
