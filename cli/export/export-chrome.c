/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * export-chrome.c - Chrome's JSON, which many viewers read: one event a line.
 *
 * Times are microseconds since the first event, for as numbers of JavaScript's
 * those of the day would lose their nanoseconds; `otherData` tells when that was.
 */
#include <config.h>

#include "cli/export/export.h"

#include <json-c/json.h>

#define CPU_TID 1000000000         /* tracks of CPUs are shown as threads, behind the real ones */
#define PID_STEP INT64_C(10000000) /* pids are smaller: 20004711 is the third program of 4711 */

static int64_t first_ns;

static struct text_output *out_of(struct export *export)
{
	return &export->view.output;
}

static void put_json(struct export *export, struct json_object *object)
{
	view_json_write(out_of(export), object);
}

static void put_member(struct export *export, const char *key, const char *value)
{
	text_output_text(out_of(export), key);
	put_json(export, view_json_string(value));
}

static void put_microseconds(struct export *export, int64_t ns)
{
	struct text_output *out = out_of(export);
	uint64_t value = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		text_output_char(out, '-');
	text_output_unsigned(out, value / 1000);
	text_output_char(out, '.');
	text_output_padded(out, value % 1000, 3);
}

/* The format tells processes apart by number alone: each later program gets one of its own. */
static void put_pid(struct export *export, const struct export_process *process)
{
	int64_t pid = process->pid < 0 ? 0 : process->pid;

	text_output_text(out_of(export), ",\"pid\":");
	text_output_signed(out_of(export), pid + process->program_number * PID_STEP);
}

/* The first members of an event; its end is for the caller to write. */
static void put_event(struct export *export, const char *phase, const struct export_track *track,
		      int64_t ns)
{
	struct text_output *out = out_of(export);

	text_output_text(out, ",\n{\"ph\":\"");
	text_output_text(out, phase);
	text_output_char(out, '"');
	put_pid(export, track->process);
	text_output_text(out, ",\"tid\":");
	text_output_signed(out, track->tid >= 0 ? track->tid : CPU_TID + track->cpu);
	text_output_text(out, ",\"ts\":");
	put_microseconds(export, ns - first_ns);
}

static void put_arguments(struct export *export, const struct export_what *what)
{
	struct json_object *arguments = json_object_new_object();
	const bt_field *payload = bt_event_borrow_payload_field_const(what->event);
	const bt_field *context = bt_event_borrow_common_context_field_const(what->event);
	struct json_object *symbols = view_json_symbols(&export->view, what->event);

	if (payload)
		view_json_members(arguments, payload, NULL, NULL);
	if (context)
		view_json_members(arguments, context, NULL, NULL);
	if (symbols)
		json_object_object_add(arguments, "symbols", symbols);
	text_output_text(out_of(export), ",\"args\":");
	put_json(export, arguments);
}

static void put_what(struct export *export, const struct export_what *what)
{
	put_member(export, ",\"cat\":", export_text_of(export, what->category));
	put_member(export, ",\"name\":", export_text_of(export, what->name));
	put_arguments(export, what);
}

static void chrome_begin(struct export *export, struct export_track *track,
			 const struct export_what *what, int64_t ns)
{
	put_event(export, "B", track, ns);
	put_what(export, what);
	text_output_char(out_of(export), '}');
}

static void chrome_end(struct export *export, struct export_track *track,
		       const struct export_what *what, int64_t ns)
{
	put_event(export, "E", track, ns);
	if (what->event)
		put_arguments(export, what);
	text_output_char(out_of(export), '}');
}

static void chrome_complete(struct export *export, struct export_track *track,
			    const struct export_what *what, int64_t from, int64_t to)
{
	put_event(export, "X", track, from);
	text_output_text(out_of(export), ",\"dur\":");
	put_microseconds(export, to - from);
	put_what(export, what);
	text_output_char(out_of(export), '}');
}

static void chrome_instant(struct export *export, struct export_track *track,
			   const struct export_what *what, int64_t ns)
{
	put_event(export, "i", track, ns);
	text_output_text(out_of(export), ",\"s\":\"t\"");
	put_what(export, what);
	text_output_char(out_of(export), '}');
}

static void chrome_count(struct export *export, struct export_track *track, double value,
			 int64_t ns)
{
	char text[TEXT_REAL_SIZE];

	put_event(export, "C", track, ns);
	put_member(export, ",\"name\":", track->name);
	text_output_text(out_of(export), ",\"args\":{\"value\":");
	/* JSON has no other numbers. */
	text_output_text(out_of(export),
			 value - value == 0 ? text_format_real(value, false, text) : "null");
	text_output_text(out_of(export), "}}");
}

static void chrome_lost(struct export *export, struct export_track *track, const char *text,
			uint64_t count, int64_t ns)
{
	(void)count;
	put_event(export, "i", track, ns);
	text_output_text(out_of(export), ",\"s\":\"p\"");
	put_member(export, ",\"name\":", text);
	text_output_char(out_of(export), '}');
}

static void chrome_process(struct export *export, const struct export_process *process)
{
	text_output_text(out_of(export), ",\n{\"ph\":\"M\",\"name\":\"process_name\"");
	put_pid(export, process);
	put_member(export, ",\"args\":{\"name\":", process->program);
	text_output_text(out_of(export), "}}");
	if (process->program_number == 0)
		return;
	text_output_text(out_of(export), ",\n{\"ph\":\"M\",\"name\":\"process_labels\"");
	put_pid(export, process);
	text_output_text(out_of(export), ",\"args\":{\"labels\":\"pid ");
	text_output_signed(out_of(export), process->pid);
	text_output_text(out_of(export), "\"}}");
}

static void chrome_track(struct export *export, const struct export_track *track)
{
	if (track->counter)
		return;
	put_event(export, "M", track, first_ns);
	put_member(export, ",\"name\":\"thread_name\",\"args\":{\"name\":", track->name);
	text_output_text(out_of(export), "}}");
}

/* The first one stands without a comma: it is ours. */
static void chrome_open(struct export *export, int64_t ns)
{
	struct text_output *out = out_of(export);

	first_ns = ns;
	text_output_text(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"begin_ns\":\"");
	text_output_signed(out, ns);
	text_output_text(out, "\"},\"traceEvents\":[\n"
			      "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_labels\",\"args\":{}}");
}

static void chrome_close(struct export *export)
{
	text_output_text(out_of(export), "\n]}\n");
}

const struct export_format export_chrome = {
	.open = chrome_open,
	.process = chrome_process,
	.track = chrome_track,
	.begin = chrome_begin,
	.end = chrome_end,
	.complete = chrome_complete,
	.instant = chrome_instant,
	.count = chrome_count,
	.lost = chrome_lost,
	.close = chrome_close,
};
