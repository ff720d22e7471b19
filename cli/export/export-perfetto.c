/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * export-perfetto.c - the trace that ui.perfetto.dev reads: TrackEvents.
 *
 * One sequence of packets. Names, categories and names of fields stand in it once,
 * before the first packet that means them by number. Packets need not be in the order
 * of time: a slice that is known at its end has its begin written then. The
 * numbers of fields are those of Perfetto's published schema.
 */
#include <config.h>

#include "cli/export/export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/field-member.h"
#include "cli/export/export-protobuf.h"
#include "cli/symbols/symbols.h"

enum { TRACE_PACKET = 1 };
enum packet {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
};
enum { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };
enum { SNAPSHOT_CLOCKS = 1, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_BOOTTIME = 6 };
enum interned { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_FIELD = 3 };
enum { INTERNED_IID = 1, INTERNED_TEXT = 2 };
enum track_event {
	EVENT_CATEGORY_IIDS = 3,
	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER_DOUBLE = 44,
	EVENT_FLOW_IDS = 47,
};
enum event_type { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum annotation {
	ANNOTATION_NAME_IID = 1,
	ANNOTATION_BOOL = 2,
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING = 6,
	ANNOTATION_POINTER = 7,
	ANNOTATION_NAME = 10,
	ANNOTATION_DICT = 11,
	ANNOTATION_ARRAY = 12,
};
enum descriptor {
	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5,
	DESCRIPTOR_COUNTER = 8,
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

#define LONG 4 /* width of a length */
#define SHORT 1

struct state {
	struct protobuf out;
	size_t packet; /* where the length of the one that is made stands */
	/* By text: bits of enum interned, of what it has been introduced as. */
	unsigned char *introduced;
	uint32_t nr_introduced;
};

static struct protobuf *out_of(struct export *export)
{
	return &((struct state *)export->state)->out;
}

static struct protobuf *packet_begin(struct export *export)
{
	struct state *state = export->state;

	state->out.used = 0;
	state->packet = protobuf_begin(&state->out, TRACE_PACKET, LONG);
	protobuf_varint(&state->out, PACKET_SEQUENCE_ID, 1);
	return &state->out;
}

static void packet_end(struct export *export)
{
	struct state *state = export->state;

	protobuf_end(&state->out, state->packet, LONG);
	if (state->out.failed)
		export_fail(export, ENOMEM);
	else
		text_output_bytes(&export->view.output, (const char *)state->out.bytes,
				  state->out.used);
}

/* ---- strings ------------------------------------------------------------------- */

/* Writes a string of a trace, which is not trusted: bytes that are not UTF-8 become '?'. */
static void put_string(struct protobuf *out, unsigned field, const char *text)
{
	size_t length = strlen(text);
	char *c;

	protobuf_bytes(out, field, text, length);
	if (out->failed)
		return;
	/* The NUL at its end is needed to look at it; the next field overwrites that. */
	if (!protobuf_has_room(out, 1))
		return;
	out->bytes[out->used] = '\0';
	for (c = (char *)out->bytes + out->used - length; *c;) {
		size_t letter = text_letter_length(c);

		if (letter == 0 && (unsigned char)*c >= 0x80)
			*c = '?';
		c += letter ? letter : 1;
	}
}

static bool is_introduced(struct export *export, uint32_t text, enum interned as)
{
	struct state *state = export->state;
	unsigned char *larger;

	if (text >= state->nr_introduced) {
		uint32_t count = (text + 1) * 2;

		larger = realloc(state->introduced, count);
		if (!larger) {
			export_fail(export, ENOMEM);
			return true;
		}
		memset(larger + state->nr_introduced, 0, count - state->nr_introduced);
		state->introduced = larger;
		state->nr_introduced = count;
	}
	if (state->introduced[text] & 1 << as)
		return true;
	state->introduced[text] |= 1 << as;
	return false;
}

static void introduce(struct export *export, uint32_t text, enum interned as)
{
	struct protobuf *out;
	size_t data, entry;

	if (text == 0 || is_introduced(export, text, as))
		return;
	out = packet_begin(export);
	protobuf_varint(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	data = protobuf_begin(out, PACKET_INTERNED_DATA, LONG);
	entry = protobuf_begin(out, as, LONG);
	protobuf_varint(out, INTERNED_IID, text);
	put_string(out, INTERNED_TEXT, export_text_of(export, text));
	protobuf_end(out, entry, LONG);
	protobuf_end(out, data, LONG);
	packet_end(export);
}

/* ---- fields -------------------------------------------------------------------- */

static void put_value(struct protobuf *out, const bt_field *field);

static void put_members(struct protobuf *out, const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	uint64_t count = bt_field_class_structure_get_member_count(class);

	for (uint64_t i = 0; i < count; i++) {
		size_t at = protobuf_begin(out, ANNOTATION_DICT, LONG);

		put_string(
			out, ANNOTATION_NAME,
			bt_field_class_structure_member_get_name(
				bt_field_class_structure_borrow_member_by_index_const(class, i)));
		put_value(out, bt_field_structure_borrow_member_field_by_index_const(field, i));
		protobuf_end(out, at, LONG);
	}
}

static void put_array(struct protobuf *out, const bt_field *field)
{
	uint64_t length = bt_field_array_get_length(field);

	for (uint64_t i = 0; i < length; i++) {
		size_t at = protobuf_begin(out, ANNOTATION_ARRAY, LONG);

		put_value(out, bt_field_array_borrow_element_field_by_index_const(field, i));
		protobuf_end(out, at, LONG);
	}
}

/* The label, where there is one, else the number. */
static void put_enumeration(struct protobuf *out, const bt_field *field, bool is_signed)
{
	bt_field_class_enumeration_mapping_label_array labels = NULL;
	uint64_t count = 0;
	int status;

	if (is_signed)
		status = bt_field_enumeration_signed_get_mapping_labels(field, &labels, &count);
	else
		status = bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &count);
	if (status == 0 && count > 0)
		put_string(out, ANNOTATION_STRING, labels[0]);
	else if (is_signed)
		protobuf_varint(out, ANNOTATION_INT,
				(uint64_t)bt_field_integer_signed_get_value(field));
	else
		protobuf_varint(out, ANNOTATION_UINT, bt_field_integer_unsigned_get_value(field));
}

static void put_unsigned(struct protobuf *out, const bt_field *field)
{
	bool is_hex = bt_field_class_integer_get_preferred_display_base(bt_field_borrow_class_const(
			      field)) == BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL;

	protobuf_varint(out, is_hex ? ANNOTATION_POINTER : ANNOTATION_UINT,
			bt_field_integer_unsigned_get_value(field));
}

static void put_value(struct protobuf *out, const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (type == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)
		put_unsigned(out, field);
	else if (type == BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)
		protobuf_varint(out, ANNOTATION_INT,
				(uint64_t)bt_field_integer_signed_get_value(field));
	else if (type == BT_FIELD_CLASS_TYPE_STRING)
		put_string(out, ANNOTATION_STRING, field_string(field));
	else if (type == BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION)
		put_enumeration(out, field, false);
	else if (type == BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION)
		put_enumeration(out, field, true);
	else if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL)
		protobuf_double(out, ANNOTATION_DOUBLE,
				bt_field_real_single_precision_get_value(field));
	else if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL)
		protobuf_double(out, ANNOTATION_DOUBLE,
				bt_field_real_double_precision_get_value(field));
	else if (type == BT_FIELD_CLASS_TYPE_BOOL)
		protobuf_varint(out, ANNOTATION_BOOL, bt_field_bool_get_value(field));
	else if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY)
		protobuf_varint(out, ANNOTATION_POINTER,
				bt_field_bit_array_get_value_as_integer(field));
	else if (type == BT_FIELD_CLASS_TYPE_STRUCTURE)
		put_members(out, field);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
		put_array(out, field);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_OPTION)) {
		field = bt_field_option_borrow_field_const(field);
		if (field)
			put_value(out, field);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT))
		put_value(out, bt_field_variant_borrow_selected_option_field_const(field));
}

/* Writes the symbol of an address in place of the address. */
static bool put_symbol(struct export *export, const struct export_field *field,
		       const bt_field *value)
{
	struct symbol *symbol =
		symbols_find(export->view.symbols, export_text_of(export, field->name), value);
	struct protobuf *out = out_of(export);
	size_t at;

	if (!symbol)
		return false;
	at = protobuf_begin(out, EVENT_ANNOTATIONS, LONG);
	protobuf_varint(out, ANNOTATION_NAME_IID, field->name);
	put_string(out, ANNOTATION_STRING, symbols_text(symbol));
	protobuf_end(out, at, LONG);
	return true;
}

static void put_fields(struct export *export, const struct export_what *what)
{
	struct protobuf *out = out_of(export);
	const bt_field *payload = bt_event_borrow_payload_field_const(what->event);
	const bt_field *context = bt_event_borrow_common_context_field_const(what->event);

	for (unsigned i = 0; i < what->class->nr_fields; i++) {
		const struct export_field *field = &what->class->fields[i];
		const bt_field *value = bt_field_structure_borrow_member_field_by_index_const(
			field->is_context ? context : payload, field->index);
		bool is_integer = bt_field_class_type_is(bt_field_get_class_type(value),
							 BT_FIELD_CLASS_TYPE_INTEGER) &&
				  !bt_field_class_type_is(bt_field_get_class_type(value),
							  BT_FIELD_CLASS_TYPE_ENUMERATION);
		unsigned width = is_integer ? SHORT : LONG;
		size_t at;

		if (is_integer && put_symbol(export, field, value))
			continue;
		at = protobuf_begin(out, EVENT_ANNOTATIONS, width);
		protobuf_varint(out, ANNOTATION_NAME_IID, field->name);
		put_value(out, value);
		protobuf_end(out, at, width);
	}
}

/* ---- packets ------------------------------------------------------------------- */

/* Writes the interned data that the packet refers to by number, before the packet. */
static void introduce_what(struct export *export, const struct export_what *what)
{
	introduce(export, what->category, INTERNED_CATEGORY);
	introduce(export, what->name, INTERNED_NAME);
	if (what->event) {
		for (unsigned i = 0; i < what->class->nr_fields; i++)
			introduce(export, what->class->fields[i].name, INTERNED_FIELD);
	}
}

static size_t event_begin(struct export *export, const struct export_track *track,
			  enum event_type type, int64_t ns)
{
	struct protobuf *out = packet_begin(export);
	size_t at;

	protobuf_varint(out, PACKET_TIMESTAMP, (uint64_t)ns);
	protobuf_varint(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	at = protobuf_begin(out, PACKET_TRACK_EVENT, LONG);
	protobuf_varint(out, EVENT_TYPE, type);
	protobuf_varint(out, EVENT_TRACK, track->uuid);
	return at;
}

static void event_end(struct export *export, size_t at)
{
	protobuf_end(out_of(export), at, LONG);
	packet_end(export);
}

static void put_what(struct export *export, const struct export_what *what)
{
	struct protobuf *out = out_of(export);

	if (what->category)
		protobuf_varint(out, EVENT_CATEGORY_IIDS, what->category);
	protobuf_varint(out, EVENT_NAME_IID, what->name);
	if (what->flow)
		protobuf_fixed64(out, EVENT_FLOW_IDS, what->flow);
	put_fields(export, what);
}

static void perfetto_begin(struct export *export, struct export_track *track,
			   const struct export_what *what, int64_t ns)
{
	size_t at;

	introduce_what(export, what);
	at = event_begin(export, track, TYPE_BEGIN, ns);
	put_what(export, what);
	event_end(export, at);
}

static void perfetto_end(struct export *export, struct export_track *track,
			 const struct export_what *what, int64_t ns)
{
	size_t at;

	if (what->event)
		introduce_what(export, what);
	at = event_begin(export, track, TYPE_END, ns);
	if (what->event)
		put_fields(export, what);
	event_end(export, at);
}

static void perfetto_complete(struct export *export, struct export_track *track,
			      const struct export_what *what, int64_t from, int64_t to)
{
	perfetto_begin(export, track, what, from);
	event_end(export, event_begin(export, track, TYPE_END, to));
}

static void perfetto_instant(struct export *export, struct export_track *track,
			     const struct export_what *what, int64_t ns)
{
	size_t at;

	introduce_what(export, what);
	at = event_begin(export, track, TYPE_INSTANT, ns);
	put_what(export, what);
	event_end(export, at);
}

static void perfetto_count(struct export *export, struct export_track *track, double value,
			   int64_t ns)
{
	size_t at = event_begin(export, track, TYPE_COUNTER, ns);

	protobuf_double(out_of(export), EVENT_COUNTER_DOUBLE, value);
	event_end(export, at);
}

static void perfetto_lost(struct export *export, struct export_track *track, const char *text,
			  uint64_t count, int64_t ns)
{
	size_t at = event_begin(export, track, TYPE_INSTANT, ns);

	(void)count;
	put_string(out_of(export), EVENT_NAME, text);
	event_end(export, at);
}

/* ---- tracks -------------------------------------------------------------------- */

static void perfetto_process(struct export *export, const struct export_process *process)
{
	struct protobuf *out = packet_begin(export);
	size_t at = protobuf_begin(out, PACKET_TRACK_DESCRIPTOR, LONG), inner;

	protobuf_varint(out, DESCRIPTOR_UUID, process->uuid);
	if (process->pid >= 0) {
		inner = protobuf_begin(out, DESCRIPTOR_PROCESS, LONG);
		protobuf_varint(out, PROCESS_PID, (uint64_t)process->pid);
		put_string(out, PROCESS_NAME, process->program);
		protobuf_end(out, inner, LONG);
	} else {
		put_string(out, DESCRIPTOR_NAME, process->program);
	}
	protobuf_end(out, at, LONG);
	packet_end(export);
}

static void perfetto_track(struct export *export, const struct export_track *track)
{
	struct protobuf *out = packet_begin(export);
	size_t at = protobuf_begin(out, PACKET_TRACK_DESCRIPTOR, LONG), inner;

	protobuf_varint(out, DESCRIPTOR_UUID, track->uuid);
	protobuf_varint(out, DESCRIPTOR_PARENT, track->process->uuid);
	if (track->tid >= 0) {
		inner = protobuf_begin(out, DESCRIPTOR_THREAD, LONG);
		protobuf_varint(out, THREAD_PID, (uint64_t)track->process->pid);
		protobuf_varint(out, THREAD_TID, (uint64_t)track->tid);
		put_string(out, THREAD_NAME, track->name);
		protobuf_end(out, inner, LONG);
	} else {
		put_string(out, DESCRIPTOR_NAME, track->name);
	}
	if (track->counter)
		protobuf_end(out, protobuf_begin(out, DESCRIPTOR_COUNTER, SHORT), SHORT);
	protobuf_end(out, at, LONG);
	packet_end(export);
}

/* The times are those of the day: Perfetto's own clock is said to be the same. */
static void perfetto_open(struct export *export, int64_t ns)
{
	static const uint64_t clocks[] = { CLOCK_ID_BOOTTIME, CLOCK_ID_REALTIME };
	struct protobuf *out;
	size_t at, inner;

	export->state = calloc(1, sizeof(struct state));
	if (!export->state)
		abort();
	out = packet_begin(export);
	protobuf_varint(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
	at = protobuf_begin(out, PACKET_CLOCK_SNAPSHOT, LONG);
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		inner = protobuf_begin(out, SNAPSHOT_CLOCKS, LONG);
		protobuf_varint(out, CLOCK_ID, clocks[i]);
		protobuf_varint(out, CLOCK_TIMESTAMP, (uint64_t)ns);
		protobuf_end(out, inner, LONG);
	}
	protobuf_end(out, at, LONG);
	packet_end(export);
}

static void perfetto_close(struct export *export)
{
	struct state *state = export->state;

	free(state->out.bytes);
	free(state->introduced);
	free(state);
}

const struct export_format export_perfetto = {
	.open = perfetto_open,
	.process = perfetto_process,
	.track = perfetto_track,
	.begin = perfetto_begin,
	.end = perfetto_end,
	.complete = perfetto_complete,
	.instant = perfetto_instant,
	.count = perfetto_count,
	.lost = perfetto_lost,
	.close = perfetto_close,
};
