/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/session-sending.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/shell-quote.h"
#include "cli/client/control-client.h"
#include "cli/client/session-verb.h"
#include "relay/presence.h"
#include "common/base/amount.h"

void session_sending_add(const char *name, struct json_object *session)
{
	const char *output = control_answer_text(session, "output"), *why;
	bool is_spool = control_answer_count(session, "spool") > 0;
	struct relay_progress progress = { .magic = 0 };
	struct relay_url url;
	uint64_t sent = 0;
	int presence;

	/* Another user's folder may lie on a file system that never answers. */
	if (strchr(name, '/'))
		return;
	/* `snapshot` itself sends a snapshot. */
	if (control_answer_flag(session, "snapshot") ||
	    relay_url_parse(control_answer_text(session, "url"), &url, &why) != 0)
		return;
	presence = presence_look(output, &url, is_spool);
	if (presence < 0)
		return;
	(void)presence_read(output, &url, is_spool, &progress);
	for (size_t i = 0; i < RELAY_PROGRESS_PARTS; i++)
		sent += progress.parts[i].confirmed;
	json_object_object_add(session, "is_sending", json_object_new_boolean(presence));
	session_add_number(session, "sent", sent);
}

bool session_sending_is_left(struct json_object *session)
{
	return json_object_object_get_ex(session, "is_sending", NULL) &&
	       !control_answer_flag(session, "is_sending");
}

/* Bytes that the collector does not have yet; unknown for a listed session. */
static void print_waiting(struct json_object *session)
{
	uint64_t sent = control_answer_count(session, "sent"), bytes;
	struct json_object *kernel = NULL;
	char there[16], here[16];

	if (!json_object_object_get_ex(session, "bytes", NULL)) {
		message_line("  sent to %s: %s", control_answer_text(session, "url"),
			     amount_format_size(sent, there));
		return;
	}
	json_object_object_get_ex(session, "kernel", &kernel);
	bytes = control_answer_count(session, "bytes") + control_answer_count(kernel, "bytes");
	if (bytes <= sent)
		message_line("  sent to %s: all of it", control_answer_text(session, "url"));
	else
		message_line("  sent to %s: %s; %s wait in %s until it takes them",
			     control_answer_text(session, "url"), amount_format_size(sent, there),
			     amount_format_size(bytes - sent, here),
			     control_answer_text(session, "output"));
}

void session_sending_print(const char *name, struct json_object *session)
{
	uint64_t live_ms = control_answer_count(session, "live_ms");
	char live[48] = "", *url, *output;

	if (!json_object_object_get_ex(session, "is_sending", NULL))
		return;
	print_waiting(session);
	if (!session_sending_is_left(session))
		return;
	if (live_ms)
		snprintf(live, sizeof(live), " --live %" PRIu64 "ms", live_ms);
	message_note("nobody sends session %s to its collector: what did was ended", name);
	url = shell_quote(control_answer_text(session, "url"));
	output = shell_quote(control_answer_text(session, "output"));
	if (url && output)
		message_hint("`nohup lttngmap relay --restart%s%s --session %s %s %s &` goes on",
			     control_answer_count(session, "spool") ? " --spool" : "", live, name,
			     url, output);
	free(url);
	free(output);
}
