/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/session-counts.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/locate.h"
#include "common/base/losses.h"
#include "cli/base/message.h"
#include "cli/client/control-client.h"
#include "cli/client/damaged.h"
#include "cli/client/session-sending.h"
#include "cli/client/untraced.h"
#include "common/base/amount.h"
#include "common/base/beneath.h"
#include "common/protocol/protocol-control.h"

#define WRITTEN_TRIES 5
/* How often the answer is asked for again while the buffers of processes that ended are read. */
#define ENDED_TRIES 20

/*
 * True if a later answer is better, and it is not far: the consumer reports events as written a
 * little later than the daemon counts them. Buffers of processes that ended are read without
 * further ado, those of a running one when they are full. The daemon may learn of an end a moment
 * later than a shell that waited for it.
 */
static bool is_on_its_way(struct json_object *answer, unsigned tries)
{
	if (control_answer_flag(answer, "active") && control_answer_count(answer, "buffered") &&
	    !control_answer_flag(answer, "snapshot") &&
	    !control_answer_count(answer, "output_silent_ms"))
		return tries < (control_answer_count(answer, "alive") ? 1 : ENDED_TRIES);
	return tries < WRITTEN_TRIES && control_answer_count(answer, "kept") &&
	       !control_answer_count(answer, "streams");
}

/* The daemon gives a message once: an answer that is asked for again had some. */
static void keep_messages(struct json_object *messages, const struct json_object *answer)
{
	struct json_object *more;

	if (!json_object_object_get_ex(answer, "messages", &more) ||
	    !json_object_is_type(more, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(more); i++)
		json_object_array_add(messages,
				      json_object_get(json_object_array_get_idx(more, i)));
}

int session_counts_ask(struct session_verb *self, struct json_object **answer)
{
	int error = session_verb_ask(self, session_verb_request(self, "status"), answer);
	struct json_object *messages = json_object_new_array();

	for (unsigned tries = 0; !error && is_on_its_way(*answer, tries); tries++) {
		keep_messages(messages, *answer);
		json_object_put(*answer);
		*answer = NULL;
		usleep(PROTOCOL_CONTROL_WRITTEN_MS / 2 * 1000);
		error = session_verb_ask(self, session_verb_request(self, "status"), answer);
	}
	if (error) {
		json_object_put(messages);
		return error;
	}
	keep_messages(messages, *answer);
	if (json_object_array_length(messages) > 0)
		json_object_object_add(*answer, "messages", messages);
	else
		json_object_put(messages);
	session_sending_add(self->session, *answer);
	return 0;
}

/*
 * Where losses are noted for readers of the trace; NULL: nowhere. A spool is not read. Another
 * user's output is at a place of that one's choice, where nothing is written.
 */
static const char *find_output(struct session_verb *self)
{
	struct json_object *session = session_verb_find(self);

	if (!session || strchr(self->session, '/') || control_answer_count(session, "spool") ||
	    control_answer_flag(session, "snapshot"))
		return NULL;
	return control_answer_text(session, "output");
}

void session_counts_start(struct session_verb *self)
{
	const char *output = find_output(self);
	int folder = output ? beneath_open_path(output, 0) : -ENOENT;

	if (folder < 0)
		return;
	(void)losses_reserve(folder);
	close(folder);
}

static void note_losses(struct session_verb *self, struct json_object *answer)
{
	const char *output = find_output(self);
	struct json_object *kernel = NULL;
	uint64_t overrun;
	struct losses losses = {
		.kept = control_answer_count(answer, "kept"),
		.discarded = control_answer_count(answer, "discarded"),
		.overwritten = control_answer_count(answer, "overwritten"),
		.broken = control_answer_count(answer, "broken"),
		.buffered = control_answer_count(answer, "buffered"),
		.cut = control_answer_count(answer, "cut"),
	};

	json_object_object_get_ex(answer, "kernel", &kernel);
	losses.kernel = control_answer_count(kernel, "discarded");
	overrun = control_answer_count(kernel, "overrun");
	if (overrun > losses.kernel)
		losses.kernel = overrun;
	if (output)
		(void)losses_write_path(output, &losses);
}

int session_counts_stop(struct session_verb *self, struct json_object **answer)
{
	int error = session_verb_ask(self, session_verb_request(self, "stop"), NULL);

	if (!error)
		error = session_counts_ask(self, answer);
	if (!error)
		note_losses(self, *answer);
	return error;
}

void session_counts_messages(struct session_verb *self, struct json_object *answer)
{
	struct json_object *messages = session_member_array(answer, "messages");

	session_verb_trouble(self, answer);
	for (size_t i = 0; i < json_object_array_length(messages); i++) {
		struct json_object *text = json_object_array_get_idx(messages, i);

		message_note("%s: %s", self->verb->name, json_object_get_string(text));
	}
}

void session_counts_hint(struct json_object *answer)
{
	char path[PATH_MAX];

	if (!control_answer_flag(answer, "active") || control_answer_count(answer, "processes") ||
	    control_answer_count(answer, "not_traced") || control_answer_count(answer, "others") ||
	    control_answer_count(answer, "unregistered") ||
	    json_object_object_get_ex(answer, "kernel", NULL))
		return;
	if (control_answer_count(answer, "trackers")) {
		message_hint("no program that its trackers take is traced yet: `lttngmap list "
			     "SESSION` shows them, `lttngmap untrack --all` removes them");
		return;
	}
	if (locate_library("liblttngmap-libc.so", path, sizeof(path)) != 0)
		strcpy(path, "liblttngmap-libc.so");
	message_hint("no program is traced yet: one without tracepoints has to be started with "
		     "LD_PRELOAD=%s, or another family of lttngmap-preload(7); or given to "
		     "`lttngmap attach`, or to `lttngmap record`",
		     path);
}

static void print_count(struct json_object *answer, const char *key, const char *what,
			const char *meaning)
{
	uint64_t count = control_answer_count(answer, key);
	char text[32];

	if (count)
		message_line("  %s %s%s %s", amount_format_count(count, text), what,
			     message_plural(count), meaning);
}

static void print_kernel(struct json_object *answer)
{
	struct json_object *kernel = NULL;
	uint64_t events, streams, overrun;
	char count[32], size[16];

	if (!json_object_object_get_ex(answer, "kernel", &kernel))
		return;
	events = control_answer_count(kernel, "events");
	streams = control_answer_count(kernel, "streams");
	overrun = control_answer_count(kernel, "overrun");
	message_line("  of the kernel's: %s event%s kept, %s in %" PRIu64 " stream%s",
		     amount_format_count(events, count), events == 1 ? "" : "s",
		     amount_format_size(control_answer_count(kernel, "bytes"), size), streams,
		     streams == 1 ? "" : "s");
	if (!control_answer_flag(kernel, "mapped"))
		message_line("  read from the kernel's rings: Linux before 6.10 maps none");
	print_count(kernel, "discarded", "event", "of the kernel's lost, as the trace says");
	if (overrun)
		message_line("  %s events overwritten in the kernel's buffers, as it counts",
			     amount_format_count(overrun, count));
}

static void print_events(struct json_object *answer)
{
	uint64_t kept = control_answer_count(answer, "kept");
	uint64_t streams = control_answer_count(answer, "streams");
	char count[32], size[16], buffered[32], more[80] = "";

	if (control_answer_flag(answer, "snapshot")) {
		message_line("  %s events written to the buffers, of which the newest are there",
			     amount_format_count(control_answer_count(answer, "written"), count));
		return;
	}
	/* The consumer writes them when their sub-buffers are full. */
	if (control_answer_count(answer, "buffered"))
		snprintf(more, sizeof(more), "; %s more in the buffers%s",
			 amount_format_count(control_answer_count(answer, "buffered"), buffered),
			 control_answer_flag(answer, "active") ? "" : ", not on disk");
	/* The consumer reports what it has written several times a second. */
	if (kept && !streams) {
		message_line("  %s event%s kept, and being written%s",
			     amount_format_count(kept, count), kept == 1 ? "" : "s", more);
		return;
	}
	/* Files that were replaced are gone. */
	message_line("  %s event%s kept, %s%s in %" PRIu64 " stream%s%s",
		     amount_format_count(kept, count), kept == 1 ? "" : "s",
		     amount_format_size(control_answer_count(answer, "bytes"), size),
		     control_answer_count(answer, "overwritten") ? " written" : "", streams,
		     streams == 1 ? "" : "s", more);
}

/* Each process has one daemon, the first that it found. */
static void print_others(struct json_object *answer)
{
	struct json_object *named = session_member_array(answer, "others_named");
	uint64_t count = control_answer_count(answer, "others");
	char text[512] = "";
	size_t used = 0;

	if (!count)
		return;
	for (size_t i = 0; i < json_object_array_length(named) && used < sizeof(text); i++) {
		struct json_object *process = json_object_array_get_idx(named, i);

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s (%" PRIu64 ")",
					 i ? ", " : "", control_answer_text(process, "name"),
					 control_answer_count(process, "pid"));
	}
	message_line("  %" PRIu64 " running process%s registered with another session daemon, not "
		     "traced here: %s%s",
		     count, count == 1 ? " is" : "es are", text,
		     count > json_object_array_length(named) ? ", …" : "");
}

/* Nobody traces them; the reasons are those of `list --processes`. */
static void print_unregistered(struct json_object *answer)
{
	struct json_object *named = session_member_array(answer, "unregistered_named");
	uint64_t count = control_answer_count(answer, "unregistered");

	if (count)
		message_line("  %" PRIu64 " running process%s not registered yet, and not traced:",
			     count, count == 1 ? " is" : "es are");
	for (size_t i = 0; count && i < json_object_array_length(named); i++) {
		struct json_object *process = json_object_array_get_idx(named, i);

		message_line("    %s (%" PRIu64 "): %s", control_answer_text(process, "name"),
			     control_answer_count(process, "pid"),
			     control_answer_text(process, "why"));
	}
	if (count > json_object_array_length(named))
		message_line("    and %" PRIu64 " more", count - json_object_array_length(named));
}

void session_counts_print(struct session_verb *self, struct json_object *answer)
{
	const char *trouble = control_answer_text(answer, "trouble");
	char untraced[UNTRACED_TEXT_SIZE], damaged[DAMAGED_TEXT_SIZE], count[32];
	uint64_t undescribed;

	print_events(answer);
	message_line("  processes: %" PRIu64 ", alive: %" PRIu64,
		     control_answer_count(answer, "processes"),
		     control_answer_count(answer, "alive"));
	print_count(answer, "discarded", "event",
		    "discarded: the buffers were full, or no daemon emptied them");
	print_count(answer, "overwritten", "event",
		    strstr(trouble ? trouble : "", PROTOCOL_CONTROL_REMOVED)
			    ? "overwritten by newer ones, or removed with the output"
			    : "overwritten by newer ones");
	print_count(answer, "forgotten", "program",
		    "not kept: a flight recorder keeps the last 64 that ended");
	print_count(answer, "cut", "event", "recorded, and cut: longer than a sub-buffer");
	print_count(answer, "broken", "event", "left out: no reader could read them");
	if (damaged_describe(answer, damaged)[0])
		message_line("  %s", damaged);
	undescribed = control_answer_count(answer, "undescribed");
	if (undescribed)
		message_line("  %s event class%s not recorded: their users have too many, or too "
			     "long ones, or too long filters",
			     amount_format_count(undescribed, count), undescribed == 1 ? "" : "es");
	print_kernel(answer);
	print_count(answer, "chunks", "chunk", "completed");
	print_count(answer, "chunks_before_clear", "chunk",
		    "of these completed before `clear`: on disk, and in no count above");
	if (control_answer_count(answer, "output_silent_ms"))
		message_line("  its output does not answer for %" PRIu64
			     " s: nothing is written there until it does",
			     control_answer_count(answer, "output_silent_ms") / 1000);
	if (untraced_describe(answer, untraced)[0])
		message_line("  %s", untraced);
	if (untraced_has(answer, "executed"))
		message_line("  programs that these start are neither traced nor counted");
	print_others(answer);
	print_unregistered(answer);
	session_sending_print(self->session, answer);
	session_counts_messages(self, answer);
}
