/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * page-events.c - every event, in blocks of columns: all times, all classes, ...; then each
 * field of each class for itself. Values that resemble their predecessors deflate to next to
 * nothing.
 */
#include <config.h>

#include "cli/report/page.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/field-member.h"

#define EVENTS_MOST 16384
#define SIZE_MOST (4u << 20)
#define TEXT_MOST 4096 /* of one value */

bool page_blocks_add(struct export *export, struct page_blocks *blocks,
		     const struct page_block *block)
{
	if (blocks->count == blocks->room) {
		size_t room = blocks->room ? blocks->room * 2 : 64;
		struct page_block *larger = realloc(blocks->blocks, room * sizeof(*larger));

		if (!larger) {
			export_fail(export, ENOMEM);
			return false;
		}
		blocks->blocks = larger;
		blocks->room = room;
	}
	blocks->blocks[blocks->count++] = *block;
	return true;
}

/* ---- values -------------------------------------------------------------------- */

static void put_text(struct page_column *column, const char *text)
{
	size_t length = strnlen(text, TEXT_MOST + 1);

	if (length <= TEXT_MOST) {
		page_put_text(&column->bytes, text, length);
		return;
	}
	page_put(&column->bytes, TEXT_MOST + 3);
	page_put_raw(&column->bytes, text, TEXT_MOST);
	page_put_raw(&column->bytes, "\xe2\x80\xa6", 3);
}

static void put_label(struct page_column *column, const bt_field *field)
{
	bt_field_class_enumeration_mapping_label_array labels = NULL;
	uint64_t count = 0;
	bool is_signed = bt_field_class_type_is(bt_field_get_class_type(field),
						BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);
	char text[32];
	int status;

	if (is_signed)
		status = bt_field_enumeration_signed_get_mapping_labels(field, &labels, &count);
	else
		status = bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &count);
	if (status == 0 && count > 0) {
		put_text(column, labels[0]);
		return;
	}
	if (is_signed)
		snprintf(text, sizeof(text), "%lld",
			 (long long)bt_field_integer_signed_get_value(field));
	else
		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)bt_field_integer_unsigned_get_value(field));
	put_text(column, text);
}

/* Structures, arrays and what may be one or the other: as view --json shows them. */
static void put_composed(struct page_column *column, const bt_field *field)
{
	struct json_object *value = view_json_value(field);

	put_text(column, json_object_to_json_string_ext(
				 value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(value);
}

static void put_other(struct page_column *column, const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	char text[TEXT_REAL_SIZE];

	if (type == BT_FIELD_CLASS_TYPE_STRING)
		put_text(column, field_string(field));
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ENUMERATION))
		put_label(column, field);
	else if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL)
		put_text(column, text_format_real(bt_field_real_single_precision_get_value(field),
						  true, text));
	else
		put_composed(column, field);
}

static void put_number(struct page_column *column, uint64_t value)
{
	page_put_signed(&column->bytes, (int64_t)(value - column->previous));
	column->previous = value;
}

static void put_value(struct page_column *column, const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	double real;

	if (column->kind == PAGE_TEXT) {
		put_other(column, field);
	} else if (column->kind == PAGE_REAL) {
		real = bt_field_real_double_precision_get_value(field);
		page_put_raw(&column->bytes, &real, sizeof(real));
	} else if (type == BT_FIELD_CLASS_TYPE_BOOL) {
		put_number(column, bt_field_bool_get_value(field) ? 1 : 0);
	} else if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY) {
		put_number(column, bt_field_bit_array_get_value_as_integer(field));
	} else if (type == BT_FIELD_CLASS_TYPE_SIGNED_INTEGER) {
		put_number(column, (uint64_t)bt_field_integer_signed_get_value(field));
	} else {
		put_number(column, bt_field_integer_unsigned_get_value(field));
	}
}

/* ---- blocks -------------------------------------------------------------------- */

static void write_block(struct export *export)
{
	struct page *page = page_of(export);
	struct page_events *events = &page->blocks;
	struct page_bytes *out = &events->out;
	struct page_block block = { events->count, events->first, events->previous };

	page_put(out, events->count);
	page_put_signed(out, events->first);
	page_put_section(out, &events->times);
	page_put_section(out, &events->classes);
	page_put_section(out, &events->tracks);
	page_put_section(out, &events->cpus);
	for (uint32_t i = 0; i < page->nr_classes; i++) {
		struct page_class *class = &page->classes[i];

		if (!class->in_block)
			continue;
		class->in_block = false;
		page_put(out, i);
		for (unsigned f = 0; f < class->class->nr_fields; f++) {
			page_put_section(out, &class->columns[f].bytes);
			class->columns[f].previous = 0;
		}
	}
	page_write(export, "e", events->blocks.count, out);
	page_blocks_add(export, &events->blocks, &block);
	events->count = 0;
	events->size = 0;
}

void page_events_add(struct export *export, const struct export_what *what, uint32_t track,
		     int64_t cpu, int64_t ns)
{
	struct page *page = page_of(export);
	struct page_events *events = &page->blocks;
	struct page_class *class = &page->classes[what->class->number];
	const bt_field *payload = bt_event_borrow_payload_field_const(what->event);
	const bt_field *context = bt_event_borrow_common_context_field_const(what->event);

	if (events->count == 0)
		events->first = events->previous = ns;
	page_put_signed(&events->times, ns - events->previous);
	events->previous = ns;
	page_put(&events->classes, what->class->number);
	page_put(&events->tracks, track);
	page_put(&events->cpus, (uint64_t)(cpu + 1));
	class->in_block = true;
	for (unsigned i = 0; i < what->class->nr_fields; i++) {
		const struct export_field *field = &what->class->fields[i];
		size_t before = class->columns[i].bytes.used;

		put_value(&class->columns[i],
			  bt_field_structure_borrow_member_field_by_index_const(
				  field->is_context ? context : payload, field->index));
		events->size += class->columns[i].bytes.used - before;
	}
	events->count++;
	if (events->count == EVENTS_MOST || events->size >= SIZE_MOST)
		write_block(export);
}

void page_events_finish(struct export *export)
{
	if (page_of(export)->blocks.count > 0)
		write_block(export);
}

void page_events_free(struct page_events *events)
{
	page_bytes_free(&events->times);
	page_bytes_free(&events->classes);
	page_bytes_free(&events->tracks);
	page_bytes_free(&events->cpus);
	page_bytes_free(&events->out);
	free(events->blocks.blocks);
}
