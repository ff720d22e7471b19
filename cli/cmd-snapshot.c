/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * cmd-snapshot.c - lttngmap snapshot [SESSION]: the newest events, as a trace, which goes to
 * the session's collector, if it has one. This process sends it once the daemon has written it.
 */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/control-client.h"
#include "cli/client/session-verb.h"
#include "cli/relay/relay-child.h"
#include "cli/relay/relay-run.h"
#include "common/base/amount.h"
#include "common/base/beneath.h"
#include "common/protocol/ctf.h"

static char *output, *max_size, *url, *timeout;
static int timeout_ms;

static const struct poptOption options[] = {
	{ "output", 'o', POPT_ARG_STRING, &output, 0,
	  "Write it there (default: in the session's directory)", "DIR" },
	{ "max-size", '\0', POPT_ARG_STRING, &max_size, 0,
	  "Write at most so much, of the newest (default: all that there is)", "N[K|M|G]" },
	{ "url", 'U', POPT_ARG_STRING, &url, 0,
	  "Send it to lttng-relayd there; without -o, nothing of it stays here",
	  "net://HOST[:CONTROL[:DATA]]" },
	{ "timeout", '\0', POPT_ARG_STRING, &timeout, 0,
	  "Give up a collector that does nothing for so long (default: 30s)", "N[ms|s|m]" },
	SESSION_INCLUDE(session_table),
	POPT_TABLEEND
};

/* The daemon works in another directory. */
static int add_output(struct json_object *request, const char *output)
{
	char path[2 * PATH_MAX];
	size_t length = 0;

	if (output[0] != '/') {
		if (!getcwd(path, PATH_MAX)) {
			message_error("snapshot: the current directory: %s", strerror(errno));
			return -errno;
		}
		length = strlen(path);
		path[length++] = '/';
	}
	snprintf(path + length, sizeof(path) - length, "%s", output);
	session_add_text(request, "output", path);
	return 0;
}

/* `spool`: where it lies until it was sent, if it is to be sent to --url, and not to stay. */
static int take(struct session_verb *self, uint64_t size, struct output_dir *spool,
		struct json_object **answer)
{
	struct json_object *request = session_verb_request(self, "snapshot");
	int error = 0;

	if (output)
		error = add_output(request, output);
	else if (url)
		error = relay_spool_create("snapshot", spool);
	if (!error && spool->made)
		error = add_output(request, spool->path);
	if (error) {
		json_object_put(request);
		return error;
	}
	if (max_size)
		session_add_number(request, "max_size", size);
	return session_verb_ask(self, request, answer);
}

/* To --url, or where the session's go. *is_away: it is there, and here no more. */
static int send(struct session_verb *self, const struct output_dir *spool,
		struct json_object *answer, bool *is_away)
{
	const char *to = url ? url : control_answer_text(answer, "url"), *why;
	const char *slash = strchr(self->session, '/');
	uint64_t number = control_answer_count(answer, "number");
	struct relay_config config = {
		.output = control_answer_text(answer, "output"),
		.session = slash ? slash + 1 : self->session,
		.is_spool = spool->made || control_answer_flag(answer, "is_spool"),
		.timeout_ms = timeout_ms,
		.session_created = control_answer_count(answer, "created"),
		.snapshot = number ? number - 1 : 0,
	};
	struct relay_result result;
	int error;

	*is_away = false;
	if (to[0] == '\0')
		return 0;
	/*
	 * Another user chose that session's output and collector: their content is left to that
	 * user.
	 */
	if (slash && !url) {
		message_note("session %s is another user's: it is not sent", self->session);
		return 0;
	}
	if (relay_url_parse(to, &config.url, &why) != 0) {
		message_error("snapshot: '%.200s' is no URL of a collector: %s", to, why);
		return -EINVAL;
	}
	error = relay_run_verb("snapshot", to, &config, true, &result);
	*is_away = !error && config.is_spool;
	return error;
}

/* Prints the result. */
static void print(const struct session_verb *self, struct json_object *answer, bool is_away)
{
	uint64_t events = control_answer_count(answer, "events");
	char count[32], bytes[16];

	if (url)
		session_add_text(answer, "url", url);
	if (!session_options.json)
		message_line("snapshot of session %s: %s events, %s: %s", self->session,
			     amount_format_count(events, count),
			     amount_format_size(control_answer_count(answer, "bytes"), bytes),
			     control_answer_text(answer, is_away ? "url" : "output"));
	if (is_away)
		json_object_object_del(answer, "output");
	json_object_object_del(answer, "is_spool");
	json_object_object_del(answer, "created");
}

/* A snapshot without a stream: its metadata alone. Other files there stay. */
static void remove_empty(const char *path)
{
	int folder = beneath_open_real(path), trace = -1;

	if (folder >= 0)
		trace = openat(folder, "ust", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (trace >= 0 && unlinkat(trace, CTF_INDEX_DIRECTORY, AT_REMOVEDIR) == 0)
		(void)unlinkat(trace, "metadata", 0);
	if (trace >= 0)
		close(trace);
	if (folder >= 0 && unlinkat(folder, "ust", AT_REMOVEDIR) == 0)
		(void)rmdir(path);
	if (folder >= 0)
		close(folder);
}

/* Nothing fits: then there is no snapshot. 0 or -EFBIG. */
static int check_room(struct json_object *answer, uint64_t size)
{
	uint64_t least = control_answer_count(answer, "least");

	if (!size || size >= least || control_answer_count(answer, "events"))
		return 0;
	message_error("snapshot: --max-size %s is less than a sub-buffer of each stream takes: "
		      "there is nothing in it",
		      max_size);
	message_hint("--max-size %" PRIu64 "K has room for one of each", (least + 1023) / 1024);
	remove_empty(control_answer_text(answer, "output"));
	return -EFBIG;
}

static int check(int argc, uint64_t *size)
{
	int status = session_verb_check_argument(&verb_snapshot, argc);

	if (status)
		return status;
	if (max_size && (options_parse_size(max_size, size) || *size == 0)) {
		message_error("snapshot: --max-size: '%s' is not a size", max_size);
		message_hint("write a number of bytes, or one with K, M or G");
		return verb_usage_error(&verb_snapshot);
	}
	if (output && (output[0] == '\0' || strlen(output) >= PATH_MAX)) {
		message_error("snapshot: -o: that is not the name of a directory");
		return verb_usage_error(&verb_snapshot);
	}
	if ((url && relay_options_check("snapshot", &(struct relay_options){ .url = url }, true)) ||
	    relay_run_parse_timeout("snapshot", timeout, &timeout_ms) != 0)
		return verb_usage_error(&verb_snapshot);
	return 0;
}

static int run(int argc, const char **argv)
{
	struct output_dir spool = { .made = false };
	struct json_object *answer = NULL;
	struct session_verb self;
	uint64_t size = 0;
	bool is_away;
	int status = check(argc, &size), error;

	if (status)
		return status;
	error = session_verb_open(&self, &verb_snapshot, false);
	if (!error)
		error = session_verb_choose(&self, argc ? argv[0] : NULL);
	if (!error)
		error = take(&self, size, &spool, &answer);
	if (!error)
		error = check_room(answer, size);
	/* A partial snapshot stays. */
	if (error && spool.made && rmdir(spool.path) < 0 && errno != ENOENT)
		message_note("what there is of it lies in %s", spool.path);
	if (!error)
		error = send(&self, &spool, answer, &is_away);
	if (!error)
		print(&self, answer, is_away);
	return session_verb_close(&self, error, answer);
}

const struct verb verb_snapshot = {
	.name = "snapshot",
	.arguments = "[OPTIONS] [SESSION]",
	.summary = "Write the newest events of a flight recorder",
	.example = "lttngmap snapshot --max-size 10M",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
