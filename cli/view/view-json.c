/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-json.c - an event as one JSON object on one line. The keys are documented in
 * lttngmap-view(1) and do not change.
 */
#include <config.h>

#include "cli/view/view.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/field-member.h"
#include "cli/symbols/symbols.h"
#include "common/base/name.h"

static struct json_object *new_field(const bt_field *field);

/* JSON is UTF-8: each invalid byte becomes U+FFFD. */
struct json_object *view_json_string(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	struct json_object *object;
	const char *c = text;
	char *clean, *out;

	while (*c) {
		size_t length = text_letter_length(c);

		/* json-c escapes control characters. */
		if (length == 0 && ((unsigned char)*c >= 0x80))
			break;
		c += length ? length : 1;
	}
	if (*c == '\0')
		return json_object_new_string(text);
	clean = malloc(strlen(text) * 3 + 1);
	if (!clean)
		return NULL;
	for (c = text, out = clean; *c;) {
		size_t length = text_letter_length(c);

		if (length == 0 && (unsigned char)*c >= 0x80) {
			memcpy(out, replacement, 3);
			out += 3;
			c++;
			continue;
		}
		length = length ? length : 1;
		memcpy(out, c, length);
		out += length;
		c += length;
	}
	object = json_object_new_string_len(clean, out - clean);
	free(clean);
	return object;
}

/* JSON has no NaN and no infinities: they become null, as in ECMAScript. */
static struct json_object *new_real(double value, bool single)
{
	char text[TEXT_REAL_SIZE];

	if (!isfinite(value))
		return NULL;
	return json_object_new_double_s(value, text_format_real(value, single, text));
}

/* The label, or the number if there is no label. */
static struct json_object *new_enumeration(const bt_field *field, bool is_signed)
{
	bt_field_class_enumeration_mapping_label_array labels = NULL;
	uint64_t count = 0;
	int status;

	if (is_signed)
		status = bt_field_enumeration_signed_get_mapping_labels(field, &labels, &count);
	else
		status = bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &count);
	if (status == 0 && count > 0)
		return view_json_string(labels[0]);
	if (is_signed)
		return json_object_new_int64(bt_field_integer_signed_get_value(field));
	return json_object_new_uint64(bt_field_integer_unsigned_get_value(field));
}

static struct json_object *new_array(const bt_field *field)
{
	uint64_t length = bt_field_array_get_length(field);
	struct json_object *array = json_object_new_array();

	for (uint64_t i = 0; i < length; i++)
		json_object_array_add(
			array,
			new_field(bt_field_array_borrow_element_field_by_index_const(field, i)));
	return array;
}

void view_json_members(struct json_object *object, const bt_field *field,
		       const struct view_context_members *members, const struct view_filter *filter)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	uint64_t count = bt_field_class_structure_get_member_count(class);

	for (uint64_t i = 0; i < count; i++) {
		const bt_field_class_structure_member *member;
		const char *name;

		if (view_is_sequence_length(class, i))
			continue;
		if (members && ((int64_t)i == members->procname || (int64_t)i == members->vpid))
			continue;
		member = bt_field_class_structure_borrow_member_by_index_const(class, i);
		name = bt_field_class_structure_member_get_name(member);
		if (!view_filter_shows_field(filter, name))
			continue;
		json_object_object_add_ex(
			object, name,
			new_field(bt_field_structure_borrow_member_field_by_index_const(field, i)),
			JSON_C_OBJECT_ADD_CONSTANT_KEY);
	}
}

struct json_object *view_json_value(const bt_field *field)
{
	return new_field(field);
}

static struct json_object *new_symbol(const struct symbol *symbol)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "object", view_json_string(symbol->object));
	if (symbol->function)
		json_object_object_add(object, "function", view_json_string(symbol->function));
	json_object_object_add(object, "offset", json_object_new_uint64(symbol->offset));
	if (symbol->source) {
		json_object_object_add(object, "source", view_json_string(symbol->source));
		json_object_object_add(object, "line", json_object_new_int(symbol->line));
	}
	return object;
}

/* Of an address; of a sequence of these an array, with null where none is known. NULL: none. */
static struct json_object *find_symbols(struct view *view, const char *name, const bt_field *field)
{
	const struct symbol *symbol;
	struct json_object *array;
	uint64_t length, found = 0;

	if (!bt_field_class_type_is(bt_field_get_class_type(field), BT_FIELD_CLASS_TYPE_ARRAY)) {
		symbol = symbols_find(view->symbols, name, field);
		return symbol ? new_symbol(symbol) : NULL;
	}
	array = json_object_new_array();
	length = bt_field_array_get_length(field);
	for (uint64_t i = 0; i < length; i++) {
		symbol = symbols_find(view->symbols, name,
				      bt_field_array_borrow_element_field_by_index_const(field, i));
		found += symbol != NULL;
		json_object_array_add(array, symbol ? new_symbol(symbol) : NULL);
	}
	if (found)
		return array;
	json_object_put(array);
	return NULL;
}

static void add_symbols(struct view *view, struct json_object **object, const bt_field *structure)
{
	const bt_field_class *class = bt_field_borrow_class_const(structure);
	uint64_t count = bt_field_class_structure_get_member_count(class);

	for (uint64_t i = 0; i < count; i++) {
		const char *name = bt_field_class_structure_member_get_name(
			bt_field_class_structure_borrow_member_by_index_const(class, i));
		struct json_object *found;

		if (!symbols_is_address(name) || !view_filter_shows_field(&view->filter, name))
			continue;
		found = find_symbols(
			view, name,
			bt_field_structure_borrow_member_field_by_index_const(structure, i));
		if (!found)
			continue;
		if (!*object)
			*object = json_object_new_object();
		json_object_object_add(*object, name, found);
	}
}

struct json_object *view_json_symbols(struct view *view, const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	const bt_field *context = bt_event_borrow_common_context_field_const(event);
	struct json_object *object = NULL;

	if (view->symbols && payload)
		add_symbols(view, &object, payload);
	if (view->symbols && context)
		add_symbols(view, &object, context);
	return object;
}

static struct json_object *new_structure(const bt_field *field)
{
	struct json_object *object = json_object_new_object();

	view_json_members(object, field, NULL, NULL);
	return object;
}

static struct json_object *new_field(const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (type == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)
		return json_object_new_uint64(bt_field_integer_unsigned_get_value(field));
	if (type == BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)
		return json_object_new_int64(bt_field_integer_signed_get_value(field));
	if (type == BT_FIELD_CLASS_TYPE_STRING)
		return view_json_string(field_string(field));
	if (type == BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION)
		return new_enumeration(field, false);
	if (type == BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION)
		return new_enumeration(field, true);
	if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL)
		return new_real(bt_field_real_single_precision_get_value(field), true);
	if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL)
		return new_real(bt_field_real_double_precision_get_value(field), false);
	if (type == BT_FIELD_CLASS_TYPE_BOOL)
		return json_object_new_boolean(bt_field_bool_get_value(field));
	if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY)
		return json_object_new_uint64(bt_field_bit_array_get_value_as_integer(field));
	if (type == BT_FIELD_CLASS_TYPE_STRUCTURE)
		return new_structure(field);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
		return new_array(field);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_OPTION)) {
		field = bt_field_option_borrow_field_const(field);
		return field ? new_field(field) : NULL;
	}
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT))
		return new_field(bt_field_variant_borrow_selected_option_field_const(field));
	return NULL;
}

static void add(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add_ex(object, key, value,
				  JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_ADD_CONSTANT_KEY);
}

/* The members that all lines have. */
static struct json_object *new_line(const struct view_stream *stream, int64_t ns)
{
	struct json_object *line = json_object_new_object();

	add(line, "timestamp", json_object_new_int64(ns));
	if (stream->program[0] != '\0')
		add(line, "program", view_json_string(stream->program));
	if (stream->pid >= 0)
		add(line, "pid", json_object_new_int64(stream->pid));
	else if (stream->tid >= 0)
		add(line, "tid", json_object_new_int64(stream->tid));
	if (stream->cpu >= 0)
		add(line, "cpu", json_object_new_int64(stream->cpu));
	return line;
}

void view_json_write(struct text_output *output, struct json_object *object)
{
	/* DEL, and the first bytes of letters for which name_directs() is true. */
	static const char looked_at[] = "\x7f\xd8\xe1\xe2\xef\xf3";
	const char *text = json_object_to_json_string_ext(
		object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);

	while (*text) {
		size_t plain = strcspn(text, looked_at), length;

		text_output_bytes(output, text, plain);
		text += plain;
		length = *text == 0x7f ? 1 : name_directs(text);
		if (length)
			text_output_letter(output, name_letter(text, length));
		else if (*text)
			text_output_char(output, *text);
		text += length ? length : *text != '\0';
	}
	json_object_put(object);
}

static void put_line(struct view *view, struct json_object *line)
{
	view_json_write(&view->output, line);
	text_output_char(&view->output, '\n');
}

static void json_event(struct view *view, const struct view_stream *stream, const bt_event *event,
		       int64_t ns)
{
	struct json_object *line = new_line(stream, ns), *fields = json_object_new_object(),
			   *symbols;
	const char *name = bt_event_class_get_name(bt_event_borrow_class_const(event));
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	const bt_field *specific = bt_event_borrow_specific_context_field_const(event);

	add(line, "event", view_json_string(name ? name : ""));
	if (payload)
		view_json_members(fields, payload, NULL, &view->filter);
	add(line, "fields", fields);
	if (stream->members.others || specific) {
		struct json_object *context = json_object_new_object();

		if (stream->members.others)
			view_json_members(context,
					  bt_event_borrow_common_context_field_const(event),
					  &stream->members, &view->filter);
		if (specific)
			view_json_members(context, specific, NULL, &view->filter);
		add(line, "context", context);
	}
	symbols = view_json_symbols(view, event);
	if (symbols)
		add(line, "symbols", symbols);
	put_line(view, line);
}

static void json_lost(struct view *view, const struct view_stream *stream, const char *what,
		      uint64_t count, int64_t ns)
{
	struct json_object *line = new_line(stream, ns);

	add(line, "lost", count ? json_object_new_uint64(count) : NULL);
	add(line, "unit", json_object_new_string(what));
	put_line(view, line);
}

const struct view_printer view_json_printer = {
	.event = json_event,
	.lost = json_lost,
};
