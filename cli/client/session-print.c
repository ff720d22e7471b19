/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/session-print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/control-client.h"
#include "cli/client/session-sending.h"
#include "cli/client/session-verb.h"
#include "common/base/amount.h"

void session_print_line(struct json_object *session, bool with_current)
{
	uint64_t owner = control_answer_count(session, "owner");
	size_t channels = json_object_array_length(session_member_array(session, "channels"));
	char user[32] = "";

	if (owner != geteuid())
		snprintf(user, sizeof(user), ", of user %" PRIu64, owner);
	message_line("%s (%s%s%s%s%s, %zu channel%s): %s", control_answer_text(session, "session"),
		     control_answer_flag(session, "active") ? "active" : "stopped",
		     with_current && control_answer_flag(session, "current") ? ", current" : "",
		     control_answer_flag(session, "snapshot") ? ", for snapshots" : "",
		     session_sending_is_left(session) ? ", not being sent" : "", user, channels,
		     message_plural(channels), control_answer_text(session, "output"));
}

static void print_rotation(struct json_object *session)
{
	struct json_object *rotation = NULL;
	uint64_t period_ms, size;
	char text[32], bytes[16];

	json_object_object_get_ex(session, "rotation", &rotation);
	period_ms = control_answer_count(rotation, "period_ms");
	size = control_answer_count(rotation, "size");
	if (period_ms)
		message_line("  rotates every %s", options_format_duration(period_ms, text));
	if (size)
		message_line("  rotates at %s", amount_format_size(size, bytes));
}

static void print_trackers(struct json_object *session)
{
	struct json_object *trackers = session_member_array(session, "trackers");

	for (size_t i = 0; i < json_object_array_length(trackers); i++) {
		struct json_object *tracker = json_object_array_get_idx(trackers, i), *value;

		if (json_object_object_get_ex(tracker, "value", &value))
			message_line("  tracks %s %s", control_answer_text(tracker, "kind"),
				     json_object_get_string(value));
	}
}

static void print_rule(struct json_object *rule)
{
	const char *exclude = control_answer_text(rule, "exclude");
	const char *filter = control_answer_text(rule, "filter");
	char level[64] = "";

	if (json_object_object_get_ex(rule, "loglevel", NULL))
		snprintf(level, sizeof(level), ", level %s%s",
			 options_loglevel_name(control_answer_count(rule, "loglevel")),
			 control_answer_flag(rule, "loglevel_only") ? " only" : " or worse");
	message_line("    rule %" PRIu64 "%s: %s%s%s%s%s%s", control_answer_count(rule, "id"),
		     control_answer_flag(rule, "enabled") ? "" : " (disabled)",
		     control_answer_text(rule, "rule"), exclude[0] ? ", not " : "", exclude, level,
		     filter[0] ? ", if " : "", filter);
}

static void print_contexts(struct json_object *channel)
{
	struct json_object *contexts = session_member_array(channel, "contexts");
	char *text = NULL;
	size_t size;
	FILE *stream;

	if (json_object_array_length(contexts) == 0)
		return;
	stream = open_memstream(&text, &size);
	if (!stream)
		return;
	for (size_t i = 0; i < json_object_array_length(contexts); i++)
		fprintf(stream, " %s",
			json_object_get_string(json_object_array_get_idx(contexts, i)));
	if (fclose(stream) == 0)
		message_line("    contexts:%s", text);
	free(text);
}

static void print_channel(struct json_object *channel)
{
	uint64_t timeout = control_answer_count(channel, "blocking_timeout_ms");
	uint64_t flush = control_answer_count(channel, "flush_ms");
	uint64_t file_size = control_answer_count(channel, "file_size");
	uint64_t file_count = control_answer_count(channel, "file_count");
	struct json_object *rules = session_member_array(channel, "rules");
	char size[16], duration[32];

	message_line("  channel %s%s: %s%s%s, %" PRIu64 " sub-buffers of %s",
		     control_answer_text(channel, "channel"),
		     control_answer_flag(channel, "disabled") ? " (disabled)" : "",
		     control_answer_text(channel, "mode"), timeout ? " for " : "",
		     timeout ? options_format_duration(timeout, duration) : "",
		     control_answer_count(channel, "subbufs"),
		     amount_format_size(control_answer_count(channel, "subbuf_size"), size));
	if (strcmp(control_answer_text(channel, "buffers"), "user") == 0)
		message_line("    buffers that a user's processes share");
	if (flush)
		message_line("    on disk within %s", options_format_duration(flush, duration));
	if (file_size)
		message_line("    files of %s", amount_format_size(file_size, size));
	if (file_count)
		message_line("    the newest %" PRIu64 " files of a stream", file_count);
	print_contexts(channel);
	for (size_t i = 0; i < json_object_array_length(rules); i++)
		print_rule(json_object_array_get_idx(rules, i));
}

static void print_probe(struct json_object *probe)
{
	const char *kind = control_answer_text(probe, "kind"),
		   *path = control_answer_text(probe, "path");
	const char *symbol = control_answer_text(probe, "symbol");
	const char *args = control_answer_text(probe, "args");
	const char *filter = control_answer_text(probe, "filter");
	uint64_t offset = control_answer_count(probe, "offset");
	char place[32] = "";

	/* In a file, `offset` already is the symbol's. */
	if (path[0] ? !symbol[0] : offset > 0)
		snprintf(place, sizeof(place), "%s0x%" PRIx64, path[0] ? "" : "+", offset);
	message_line("    rule %" PRIu64 "%s: %ss:%s at %s%s%s%s%s%s%s%s%s",
		     control_answer_count(probe, "id"),
		     control_answer_flag(probe, "enabled") ? "" : " (disabled)", kind,
		     control_answer_text(probe, "name"), path, path[0] ? ":" : "", symbol, place,
		     control_answer_flag(probe, "return") ? "%return" : "", args[0] ? " " : "",
		     args, filter[0] ? ", if " : "", filter);
}

static void print_kernel(struct json_object *session)
{
	struct json_object *kernel = NULL, *pids, *rules, *probes;
	uint64_t buffer;
	char size[16];

	if (!json_object_object_get_ex(session, "kernel", &kernel))
		return;
	pids = session_member_array(kernel, "pids");
	rules = session_member_array(kernel, "rules");
	probes = session_member_array(kernel, "probes");
	buffer = control_answer_count(kernel, "buffer_size");
	message_line("  the kernel's events: %" PRIu64 ", buffers of %s for each CPU, instance %s",
		     control_answer_count(kernel, "events"), amount_format_size(buffer, size),
		     control_answer_text(kernel, "instance"));
	for (size_t i = 0; i < json_object_array_length(pids); i++)
		message_line("    of process %s",
			     json_object_get_string(json_object_array_get_idx(pids, i)));
	for (size_t i = 0; i < json_object_array_length(rules); i++)
		print_rule(json_object_array_get_idx(rules, i));
	for (size_t i = 0; i < json_object_array_length(probes); i++)
		print_probe(json_object_array_get_idx(probes, i));
}

void session_print_all(struct json_object *session)
{
	struct json_object *channels = session_member_array(session, "channels");

	session_print_line(session, false);
	session_sending_print(control_answer_text(session, "session"), session);
	print_rotation(session);
	print_trackers(session);
	for (size_t i = 0; i < json_object_array_length(channels); i++)
		print_channel(json_object_array_get_idx(channels, i));
	print_kernel(session);
}
