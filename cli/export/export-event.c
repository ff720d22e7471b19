/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * export-event.c - from an event to what a format writes.
 *
 * On each thread, slices nest. An end closes the innermost open slice of its
 * name, and of its function where it tells one, and all that is open within: these were
 * left by longjmp(), an exception or the end of a function that was not recorded. An end that
 * finds none stands for itself. Where events were lost, the slices of that process
 * end, for any of them may have ended meanwhile. If processes share rings, any of these may have
 * lost them: all slices end.
 */
#include <config.h>

#include "cli/export/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/field-member.h"
#include "cli/symbols/symbols.h"

void export_fail(struct export *export, int error)
{
	if (!export->view.output.error)
		export->view.output.error = error;
}

static bool integer_at(const bt_field *structure, int64_t member, uint64_t *value)
{
	return member >= 0 && structure &&
	       field_integer(bt_field_structure_borrow_member_field_by_index_const(structure,
										   member),
			     value);
}

/* The value of a counter's field, of whatever kind of number it is. */
static double number_at(const bt_field *structure, int64_t member)
{
	const bt_field *field =
		bt_field_structure_borrow_member_field_by_index_const(structure, member);
	bt_field_class_type type = bt_field_get_class_type(field);

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		return (double)bt_field_integer_unsigned_get_value(field);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		return (double)bt_field_integer_signed_get_value(field);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL))
		return bt_field_real_single_precision_get_value(field);
	return bt_field_real_double_precision_get_value(field);
}

/* A number that events of one flow have in common: of the field's value. Never 0. */
static uint64_t flow_of(const struct export_class *class, const bt_field *payload)
{
	uint64_t value = 0, hash = UINT64_C(14695981039346656037);
	const bt_field *field;

	if (class->flow < 0)
		return 0;
	if (integer_at(payload, class->flow, &value))
		return value + 1 ? value + 1 : 1;
	field = bt_field_structure_borrow_member_field_by_index_const(payload, class->flow);
	if (bt_field_get_class_type(field) != BT_FIELD_CLASS_TYPE_STRING)
		return 0;
	for (const char *c = field_string(field); *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
	return hash ? hash : 1;
}

/* Its name, or else its address. */
static uint32_t function_name(struct export *export, const bt_field *payload, int64_t member,
			      uint64_t address)
{
	const bt_field *field =
		bt_field_structure_borrow_member_field_by_index_const(payload, member);
	struct symbol *symbol = symbols_find(export->view.symbols, "addr", field);
	char text[32];

	if (symbol && symbol->function) {
		if (!symbol->mark)
			symbol->mark = export_text(export, symbol->function);
		return symbol->mark;
	}
	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return export_text(export, text);
}

static void open_slice(struct export *export, struct export_track *track,
		       const struct export_what *what, uint64_t function, int64_t ns)
{
	struct export_slice *slice = export_track_open(export, track);

	if (!slice)
		return;
	slice->category = what->category;
	slice->name = what->name;
	slice->pair = what->class->name;
	slice->function = function;
	slice->since = ns;
	export->slices++;
	if (export->format->begin)
		export->format->begin(export, track, what, ns);
}

static void end_innermost(struct export *export, struct export_track *track,
			  const struct export_what *what, int64_t ns)
{
	if (export->format->end)
		export->format->end(export, track, what, ns);
	track->depth--;
}

/* False: there is nothing that it is the end of. */
static bool close_slice(struct export *export, struct export_track *track,
			const struct export_what *what, uint64_t function, int64_t ns)
{
	const struct export_what nothing = { 0 };
	size_t depth = track->depth;

	for (; depth > 0; depth--) {
		const struct export_slice *slice = &track->slices[depth - 1];

		if (slice->pair == what->class->name && slice->category == what->category &&
		    (function == 0 || slice->function == function))
			break;
	}
	if (depth == 0)
		return false;
	while (track->depth > depth)
		end_innermost(export, track, &nothing, ns);
	end_innermost(export, track, what, ns);
	return true;
}

static void instant(struct export *export, struct export_track *track,
		    const struct export_what *what, int64_t ns)
{
	if (export->format->instant)
		export->format->instant(export, track, what, ns);
}

/* On a thread, what nests; elsewhere each event stands for itself. */
static void put_event(struct export *export, struct export_track *track, struct export_what *what,
		      const bt_field *payload, int64_t ns)
{
	const struct export_class *class = what->class;
	enum export_kind kind = track->tid >= 0 ? class->kind : EXPORT_INSTANT;
	uint64_t function = 0, duration = 0;

	if (integer_at(payload, class->function, &function))
		what->name = function_name(export, payload, class->function, function);
	switch (kind) {
	case EXPORT_BEGIN:
		open_slice(export, track, what, function, ns);
		return;
	case EXPORT_END:
		if (close_slice(export, track, what, function, ns))
			return;
		export->unpaired++;
		break;
	case EXPORT_COMPLETE:
		if (!integer_at(payload, class->duration, &duration) || ns < 0 ||
		    duration > (uint64_t)ns || !export->format->complete)
			break;
		export->slices++;
		export->format->complete(export, track, what, ns - (int64_t)duration, ns);
		return;
	default:
		break;
	}
	instant(export, track, what, ns);
}

static void put_counter(struct export *export, const struct view_stream *stream,
			const struct export_class *class, const bt_field *payload, int64_t tid,
			int64_t ns)
{
	struct export_track *track;

	if (class->counter < 0 || !export->format->count)
		return;
	track = export_track_counter(export, stream, tid, export_text(export, export->counter));
	if (track)
		export->format->count(export, track, number_at(payload, class->counter), ns);
}

static void open_format(struct export *export, int64_t ns)
{
	if (export->is_open)
		return;
	export->is_open = true;
	if (export->format->open)
		export->format->open(export, ns);
}

static void end_all(struct export *export, struct export_track *track, int64_t ns)
{
	const struct export_what nothing = { 0 };

	while (track->depth > 0)
		end_innermost(export, track, &nothing, ns);
}

/* An exec leaves nothing of the program before. */
static void end_replaced(struct export *export, int64_t ns)
{
	struct export_tracks *tracks = &export->tracks;

	for (size_t i = 0; i < tracks->places; i++) {
		if (tracks->table[i] && tracks->table[i]->process == tracks->replaced)
			end_all(export, tracks->table[i], ns);
	}
	tracks->replaced = NULL;
}

static void event(struct view *view, const struct view_stream *stream, const bt_event *bt,
		  int64_t ns)
{
	struct export *export = (struct export *)view;
	const struct export_class *class;
	const bt_field *payload = bt_event_borrow_payload_field_const(bt);
	struct export_what what;
	struct export_track *track;
	uint64_t tid = (uint64_t)-1;

	open_format(export, ns);
	class = export_class_get(export, bt);
	if (!class)
		return;
	if (class->vtid >= 0 &&
	    integer_at(bt_event_borrow_common_context_field_const(bt), class->vtid, &tid))
		export->has_threads = true;
	else if (stream->is_kernel)
		tid = (uint64_t)export_track_task(stream);
	track = export_track_get(export, stream, (int64_t)tid);
	if (!track)
		return;
	if (export->tracks.replaced)
		end_replaced(export, ns);
	what = (struct export_what){ class->category, class->name, class, bt,
				     flow_of(class, payload) };
	if (export->format->event)
		export->format->event(export, stream, track, &what, ns);
	put_counter(export, stream, class, payload, (int64_t)tid, ns);
	put_event(export, track, &what, payload, ns);
}

static void lost(struct view *view, const struct view_stream *stream, const char *what,
		 uint64_t count, int64_t ns)
{
	struct export *export = (struct export *)view;
	struct export_tracks *tracks = &export->tracks;
	struct export_track *track;
	bool is_anyones = stream->pid < 0 && stream->members.vpid >= 0;
	int64_t pid = stream->is_kernel ? 0 : stream->pid;
	char text[64];

	open_format(export, ns);
	for (size_t i = 0; i < tracks->places; i++) {
		track = tracks->table[i];
		if (track && (is_anyones || track->process->pid == pid))
			end_all(export, track, ns);
	}
	if (!export->format->lost)
		return;
	if (count)
		snprintf(text, sizeof(text), "%" PRIu64 " %s lost", count, what);
	else
		snprintf(text, sizeof(text), "some %s lost", what);
	track = export_track_get(export, stream, -1);
	if (track)
		export->format->lost(export, track, text, strcmp(what, "events") == 0 ? count : 0,
				     ns);
}

const struct view_printer export_printer = {
	.event = event,
	.lost = lost,
};

void export_finish(struct export *export)
{
	open_format(export, 0);
	export->format->close(export);
	export_tracks_free(&export->tracks);
	export_classes_free(&export->classes);
	export_texts_free(&export->texts);
}
