/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* record-relay.c - the process that sends the trace to a collector during the recording. */
#include <config.h>

#include "cli/record/record.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/shell-quote.h"
#include "relay/presence.h"

/* After so many rounds, tell the user what the command waits for. */
#define TOLD_ROUNDS 10
#define ROUND_MS 100

int record_relay_start(struct record *record)
{
	const struct relay_options *options = &record->options.relay;

	if (!options->url)
		return 0;
	return relay_child_start("record", options, record->output.path, record->relay_session,
				 false, &record->relay);
}

/* The sender is a process group: a parent, and a child that continues if the parent is killed. */
static void tell(const struct record *record, int signal)
{
	/* The group may not exist yet. */
	if (kill(-record->relay, signal) < 0)
		kill(record->relay, signal);
}

void record_relay_stop(struct record *record)
{
	if (record->relay <= 0)
		return;
	tell(record, SIGINT);
	waitpid(record->relay, NULL, 0);
	record->relay = 0;
}

/*
 * True if the sender has ended. If the parent was killed, *has_parent is false, and the child has
 * ended, too.
 */
static bool has_ended(const struct record *record, bool *has_parent, int *status)
{
	struct relay_url url;
	const char *why;

	if (*has_parent && waitpid(record->relay, status, WNOHANG) == 0)
		return false;
	*has_parent = false;
	return !WIFSIGNALED(*status) ||
	       relay_url_parse(record->options.relay.url, &url, &why) != 0 ||
	       presence_look(record->output.path, &url, record->options.relay.spool) != 1;
}

/*
 * Waits for the sender's end and returns its wait status. A repeated request to end stops the
 * waiting.
 */
static int wait_for_end(struct record *record)
{
	struct pollfd signals = { .fd = record->signal_fd, .events = POLLIN };
	bool has_parent = true, is_told = false;
	int status = 0;

	for (int round = 0; !has_ended(record, &has_parent, &status); round++) {
		if (round == TOLD_ROUNDS && !record->options.quiet)
			message_note("sending what is left to %s", record->options.relay.url);
		(void)poll(&signals, 1, ROUND_MS);
		record_signals_handle(record);
		if (record_wants_end(record) && !is_told) {
			tell(record, SIGINT);
			is_told = true;
		}
	}
	return status;
}

/*
 * The child of a killed parent leaves no status. When all is sent, the spool is empty or gone; the
 * child removes its folder last, and may have ended before.
 */
static bool is_all_sent(const struct record *record, int status)
{
	if (!WIFSIGNALED(status))
		return status == 0;
	return record->options.relay.spool && (rmdir(record->output.path) == 0 || errno == ENOENT);
}

int record_relay_finish(struct record *record)
{
	char *url, *output;
	int status;

	if (record->relay <= 0)
		return 0;
	tell(record, SIGTERM);
	status = wait_for_end(record);
	record->relay = 0;
	if (is_all_sent(record, status))
		return 0;
	message_error("record: not all of the trace was sent to %s%s", record->options.relay.url,
		      WIFSIGNALED(status) ? ", as far as is known: what did was killed" : "");
	url = shell_quote(record->options.relay.url);
	output = shell_quote(record->output.path);
	if (url && output)
		message_hint("`lttngmap relay%s %s %s` sends the rest",
			     record->options.relay.spool ? " --spool" : "", url, output);
	free(url);
	free(output);
	return -EIO;
}
