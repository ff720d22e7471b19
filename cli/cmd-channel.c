/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-channel.c - lttngmap channel CHANNEL: add, change, enable, disable or remove one. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/control-client.h"
#include "cli/client/session-verb.h"
#include "common/protocol/protocol-control.h"

static struct {
	char *mode, *timeout, *flush_period, *buffers, *subbuf_size, *subbufs, *file_size,
		*file_count;
	int change, remove, enable, disable;
} typed;

static const struct poptOption options[] = {
	{ "mode", 'm', POPT_ARG_STRING, &typed.mode, 0,
	  "When buffers are full: discard new events, overwrite old ones, or block the "
	  "program (default: discard; overwrite in a session for snapshots)",
	  "discard|overwrite|blocking" },
	{ "timeout", '\0', POPT_ARG_STRING, &typed.timeout, 0,
	  "Block, and discard after so long (default: inf)", "N(us|ms|s|m|h)|inf" },
	{ "flush-period", '\0', POPT_ARG_STRING, &typed.flush_period, 0,
	  "Events are on disk within that time, also where programs have few (default: 0, as "
	  "sub-buffers fill up)",
	  "N(ms|s|m|h)" },
	{ "buffers", '\0', POPT_ARG_STRING, &typed.buffers, 0,
	  "Whose buffers are: each process's, or one user's processes share them (default: "
	  "process)",
	  "process|user" },
	{ "subbuf-size", '\0', POPT_ARG_STRING, &typed.subbuf_size, 0,
	  "Bytes of a sub-buffer, a power of two (default: " OPTIONS_SUBBUF_SIZE ")", "N[K|M|G]" },
	{ "subbufs", '\0', POPT_ARG_STRING, &typed.subbufs, 0,
	  "Sub-buffers for each CPU of a process or user, a power of two (default: 8)", "N" },
	{ "file-size", '\0', POPT_ARG_STRING, &typed.file_size, 0,
	  "Begin a new file of a stream at this size (default: 0, no limit)", "N[K|M|G]" },
	{ "file-count", '\0', POPT_ARG_STRING, &typed.file_count, 0,
	  "Keep so many files of a stream, the newest (default: 0, all)", "N" },
	{ "change", '\0', POPT_ARG_NONE, &typed.change, 0,
	  "Change what is named of a channel that exists; its session is stopped", NULL },
	{ "disable", '\0', POPT_ARG_NONE, &typed.disable, 0,
	  "Record nothing more in the channel; its rules stay", NULL },
	{ "enable", '\0', POPT_ARG_NONE, &typed.enable, 0, "Record by its rules again", NULL },
	{ "remove", '\0', POPT_ARG_NONE, &typed.remove, 0,
	  "Remove the channel; its session is stopped", NULL },
	SESSION_INCLUDE(session_table),
	POPT_TABLEEND
};

/* The typed numbers; valid if they were typed. */
static struct {
	uint64_t timeout_ms, flush_ms, subbuf_size, subbufs, file_size, file_count;
} parsed;

static int refuse(const char *option, const char *value, const char *hint)
{
	message_error("channel: --%s: '%s' cannot be used", option, value);
	message_hint("%s", hint);
	return -EINVAL;
}

static int check_mode(void)
{
	if (typed.mode && strcmp(typed.mode, "discard") != 0 &&
	    strcmp(typed.mode, "overwrite") != 0 && strcmp(typed.mode, "blocking") != 0)
		return refuse("mode", typed.mode, "it is discard, overwrite or blocking");
	if (!typed.timeout)
		return 0;
	if (typed.mode && strcmp(typed.mode, "overwrite") == 0) {
		message_error("channel: --timeout is not for --mode overwrite, which never waits");
		return -EINVAL;
	}
	/* To wait, then discard, is what blocking with a timeout is. */
	typed.mode = "blocking";
	if (strcmp(typed.timeout, "inf") == 0)
		return 0;
	if (options_parse_duration(typed.timeout, &parsed.timeout_ms) || parsed.timeout_ms == 0 ||
	    parsed.timeout_ms > UINT32_MAX)
		return refuse("timeout", typed.timeout,
			      "write 1ms or more with a unit (us, ms, s, m, h), or inf");
	return 0;
}

static int check_flush_period(void)
{
	if (typed.flush_period && strcmp(typed.flush_period, "0") != 0 &&
	    (options_parse_duration(typed.flush_period, &parsed.flush_ms) ||
	     parsed.flush_ms < PROTOCOL_CONTROL_FLUSH_MIN_MS || parsed.flush_ms > UINT32_MAX))
		return refuse("flush-period", typed.flush_period,
			      "write 10ms or more with a unit (ms, s, m, h), or 0");
	return 0;
}

static int check_buffers(void)
{
	if (typed.buffers && strcmp(typed.buffers, "process") != 0 &&
	    strcmp(typed.buffers, "user") != 0)
		return refuse("buffers", typed.buffers, "it is process or user");
	return 0;
}

static int check_geometry(void)
{
	static const char not_size[] = "write a number of bytes, or one with K, M or G";
	const char *why = "write a number of bytes, or one with K, M or G";

	if (typed.subbuf_size && (options_parse_size(typed.subbuf_size, &parsed.subbuf_size) ||
				  options_check_subbuf_size(parsed.subbuf_size, &why)))
		return refuse("subbuf-size", typed.subbuf_size, why);
	why = "it is a number";
	if (typed.subbufs && (options_parse_number(typed.subbufs, UINT32_MAX, &parsed.subbufs) ||
			      options_check_subbufs(parsed.subbufs, &why)))
		return refuse("subbufs", typed.subbufs, why);
	if (typed.file_size && options_parse_size(typed.file_size, &parsed.file_size))
		return refuse("file-size", typed.file_size, not_size);
	if (typed.file_count &&
	    options_parse_number(typed.file_count, UINT32_MAX, &parsed.file_count))
		return refuse("file-count", typed.file_count, "it is a number");
	return 0;
}

static int check(int argc)
{
	bool described = typed.mode || typed.timeout || typed.flush_period || typed.buffers ||
			 typed.subbuf_size || typed.subbufs || typed.file_size || typed.file_count;

	if (argc != 1) {
		message_error("channel: %s", argc ? "one channel at a time" : "which channel?");
		return -EINVAL;
	}
	if (typed.remove + typed.enable + typed.disable + (typed.change || described) > 1) {
		message_error("channel: --%s, and something else?", typed.remove   ? "remove"
								    : typed.enable ? "enable"
										   : "disable");
		return -EINVAL;
	}
	if (typed.change && !described) {
		message_error("channel: --change: nothing was named to be changed");
		return -EINVAL;
	}
	return check_mode() || check_flush_period() || check_buffers() ? -EINVAL : check_geometry();
}

/* Puts the typed options into the request; for a new channel also the defaults. */
static int describe(struct session_verb *self, struct json_object *request)
{
	struct json_object *session;

	if (!typed.change && !typed.mode) {
		session = session_verb_find(self);
		if (!session)
			return -ENOENT;
		typed.mode = control_answer_flag(session, "snapshot") ? "overwrite" : "discard";
	}
	if (!typed.change && !typed.subbuf_size) {
		typed.subbuf_size = OPTIONS_SUBBUF_SIZE;
		options_parse_size(typed.subbuf_size, &parsed.subbuf_size);
	}
	if (!typed.change && !typed.subbufs) {
		typed.subbufs = "default";
		parsed.subbufs = OPTIONS_SUBBUFS;
	}
	if (typed.mode)
		session_add_text(request, "mode", typed.mode);
	if (typed.timeout)
		session_add_number(request, "blocking_timeout_ms", parsed.timeout_ms);
	if (typed.flush_period)
		session_add_number(request, "flush_ms", parsed.flush_ms);
	if (typed.buffers)
		session_add_text(request, "buffers", typed.buffers);
	if (typed.subbuf_size)
		session_add_number(request, "subbuf_size", parsed.subbuf_size);
	if (typed.subbufs)
		session_add_number(request, "subbufs", parsed.subbufs);
	if (typed.file_size)
		session_add_number(request, "file_size", parsed.file_size);
	if (typed.file_count)
		session_add_number(request, "file_count", parsed.file_count);
	if (typed.change)
		json_object_object_add(request, "change", json_object_new_boolean(true));
	return 0;
}

static int ask(struct session_verb *self, struct json_object **answer)
{
	struct json_object *request = session_verb_request(self, typed.remove ? "channel-remove"
								 : typed.enable || typed.disable
									 ? "channel-enable"
									 : "channel");
	int error = 0;

	if (typed.enable || typed.disable)
		json_object_object_add(request, "enabled", json_object_new_boolean(typed.enable));
	else if (!typed.remove)
		error = describe(self, request);
	if (error) {
		json_object_put(request);
		return error;
	}
	return session_verb_ask(self, request, answer);
}

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL;
	int error;

	if (check(argc))
		return verb_usage_error(&verb_channel);
	error = session_verb_open(&self, &verb_channel, false);
	if (!error)
		error = session_verb_choose(&self, NULL);
	if (!error)
		error = session_verb_set_channel(&self, argv[0]);
	if (!error)
		error = ask(&self, &answer);
	if (!error && !session_options.json)
		message_line("%s channel %s of session %s",
			     typed.remove    ? "removed"
			     : typed.change  ? "changed"
			     : typed.enable  ? "enabled"
			     : typed.disable ? "disabled"
					     : "added",
			     self.channel, self.session);
	return session_verb_close(&self, error, answer);
}

const struct verb verb_channel = {
	.name = "channel",
	.arguments = "[OPTIONS] CHANNEL",
	.summary = "Add a channel to a session, change or remove it",
	.example = "lttngmap channel large -s orders --subbuf-size 4M --subbufs 16",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
