/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-rotate.c - lttngmap rotate [SESSION]: close a chunk of the trace, now or regularly. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/control-client.h"
#include "cli/client/session-verb.h"
#include "common/base/amount.h"

static char *period, *size;
static uint64_t period_ms, size_bytes;

static const struct poptOption options[] = {
	{ "period", '\0', POPT_ARG_STRING, &period, 0,
	  "From now on, each time that so long has passed (0: not any more)", "N(ms|s|m|h)" },
	{ "size", '\0', POPT_ARG_STRING, &size, 0,
	  "From now on, each time that so much was written (0: not any more)", "N[K|M|G]" },
	SESSION_INCLUDE(session_table),
	POPT_TABLEEND
};

static int check(int argc)
{
	int status = session_verb_check_argument(&verb_rotate, argc);

	if (status)
		return status;
	if (period && options_parse_duration(period, &period_ms)) {
		message_error("rotate: --period: '%s' is not a duration", period);
		message_hint("write a number with a unit: ms, s, m or h; or 0");
		return verb_usage_error(&verb_rotate);
	}
	if (size && options_parse_size(size, &size_bytes)) {
		message_error("rotate: --size: '%s' is not a size", size);
		message_hint("write a number of bytes, or one with K, M or G; or 0");
		return verb_usage_error(&verb_rotate);
	}
	return 0;
}

static int rotate(struct session_verb *self, struct json_object **answer)
{
	int error = session_verb_ask(self, session_verb_request(self, "rotate"), answer);

	if (!error && !session_options.json)
		message_line("rotated session %s: %s", self->session,
			     control_answer_text(*answer, "chunk"));
	return error;
}

/* Settings that are not given stay unchanged. */
static int schedule(struct session_verb *self, struct json_object **answer)
{
	struct json_object *session = session_verb_find(self), *rotation = NULL, *request;
	char text[32], bytes[16];
	int error;

	if (!session)
		return -ENOENT;
	json_object_object_get_ex(session, "rotation", &rotation);
	if (!period)
		period_ms = control_answer_count(rotation, "period_ms");
	if (!size)
		size_bytes = control_answer_count(rotation, "size");
	request = session_verb_request(self, "rotation");
	session_add_number(request, "period_ms", period_ms);
	session_add_number(request, "size", size_bytes);
	error = session_verb_ask(self, request, NULL);
	if (error)
		return error;
	*answer = json_object_new_object();
	session_add_number(*answer, "period_ms", period_ms);
	session_add_number(*answer, "size", size_bytes);
	if (!session_options.json)
		message_line("session %s rotates%s%s%s%s%s", self->session,
			     period_ms ? " every " : "",
			     period_ms ? options_format_duration(period_ms, text) : "",
			     size_bytes ? " at " : "",
			     size_bytes ? amount_format_size(size_bytes, bytes) : "",
			     period_ms || size_bytes ? "" : " when asked to");
	return 0;
}

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL;
	int status = check(argc), error;

	if (status)
		return status;
	error = session_verb_open(&self, &verb_rotate, false);
	if (!error)
		error = session_verb_choose(&self, argc ? argv[0] : NULL);
	if (!error)
		error = period || size ? schedule(&self, &answer) : rotate(&self, &answer);
	return session_verb_close(&self, error, answer);
}

const struct verb verb_rotate = {
	.name = "rotate",
	.arguments = "[OPTIONS] [SESSION]",
	.summary = "Complete a part of the trace and go on in a new one",
	.example = "lttngmap rotate --period 1h",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
