/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-text.c - an event as a line of text:
 *
 *   TIME +DELTA PROGRAM PID CPU EVENT NAME=VALUE … {CONTEXT}
 */
#include <config.h>

#include "cli/view/view.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cli/base/field-member.h"
#include "cli/symbols/symbols.h"
#include "common/base/name.h"

#define NS_PER_S INT64_C(1000000000)

/* Escape sequences for colours. */
#define COLOUR_NONE "\033[0m"
#define COLOUR_EVENT "\033[1m"
#define COLOUR_FIELD "\033[36m"
#define COLOUR_LOST "\033[1;31m"
#define COLOUR_TIME "\033[2m"

static void put_field(struct text_output *out, const bt_field *field);

static void set_colour(const struct view *view, struct text_output *out, const char *colour)
{
	if (view && view->show_colours)
		text_output_text(out, colour);
}

static void put_coloured(const struct view *view, struct text_output *out, const char *colour,
			 const char *text)
{
	set_colour(view, out, colour);
	text_output_text(out, text);
	set_colour(view, out, COLOUR_NONE);
}

static void put_escaped(struct text_output *out, unsigned char c)
{
	text_output_text(out, "\\x");
	text_output_char(out, "0123456789abcdef"[c >> 4]);
	text_output_char(out, "0123456789abcdef"[c & 15]);
}

/* Like text_letter_length(), but 0 also for invisible letters, and those that direct a terminal. */
static size_t printable_length(const char *text)
{
	return name_directs(text) ? 0 : text_letter_length(text);
}

/* Prints a string in quotes; escapes what acts on a terminal or ends the line. */
static void put_string(struct text_output *out, const char *text)
{
	text_output_char(out, '"');
	while (*text) {
		size_t length = printable_length(text);

		if (length == 0) {
			if (*text == '\n')
				text_output_text(out, "\\n");
			else if (*text == '\t')
				text_output_text(out, "\\t");
			else
				put_escaped(out, *text);
			text++;
			continue;
		}
		if (*text == '"' || *text == '\\')
			text_output_char(out, '\\');
		text_output_bytes(out, text, length);
		text += length;
	}
	text_output_char(out, '"');
}

/* Prints a name in its column, without blanks and what acts on a terminal. */
static void put_word(struct text_output *out, const char *word)
{
	while (*word) {
		size_t length = *word == ' ' ? 0 : printable_length(word);

		if (length == 0)
			text_output_char(out, '_');
		else
			text_output_bytes(out, word, length);
		word += length ? length : 1;
	}
}

static void put_real(struct text_output *out, double value, bool single)
{
	char text[TEXT_REAL_SIZE];

	text_output_text(out, text_format_real(value, single, text));
}

static unsigned base_of(const bt_field *field)
{
	switch (bt_field_class_integer_get_preferred_display_base(
		bt_field_borrow_class_const(field))) {
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL:
		return 16;
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_OCTAL:
		return 8;
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_BINARY:
		return 2;
	default:
		return 10;
	}
}

static void put_integer(struct text_output *out, const bt_field *field, bool is_signed)
{
	unsigned base = base_of(field);
	uint64_t bits, value;

	if (base == 10 && is_signed) {
		text_output_signed(out, bt_field_integer_signed_get_value(field));
		return;
	}
	if (is_signed) {
		/* Digits of the field's own size, not of 64 bits. */
		bits = bt_field_class_integer_get_field_value_range(
			bt_field_borrow_class_const(field));
		value = (uint64_t)bt_field_integer_signed_get_value(field);
		if (bits < 64)
			value &= (UINT64_C(1) << bits) - 1;
	} else {
		value = bt_field_integer_unsigned_get_value(field);
	}
	if (base == 10)
		text_output_unsigned(out, value);
	else
		text_output_base(out, value, base);
}

static void put_enumeration(struct text_output *out, const bt_field *field, bool is_signed)
{
	bt_field_class_enumeration_mapping_label_array labels = NULL;
	uint64_t count = 0;
	int status;

	if (is_signed)
		status = bt_field_enumeration_signed_get_mapping_labels(field, &labels, &count);
	else
		status = bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &count);
	if (status != 0 || count == 0)
		text_output_text(out, "?");
	for (uint64_t i = 0; status == 0 && i < count; i++) {
		if (i > 0)
			text_output_char(out, '|');
		put_word(out, labels[i]);
	}
	text_output_char(out, '(');
	put_integer(out, field, is_signed);
	text_output_char(out, ')');
}

/* Prints the symbol of an address as debuggers do. */
static void put_symbol(struct view *view, struct text_output *out, const char *name,
		       const bt_field *field)
{
	struct symbol *symbol = symbols_find(view->symbols, name, field);

	if (!symbol)
		return;
	text_output_text(out, " <");
	text_output_text(out, symbols_text(symbol));
	text_output_char(out, '>');
}

/* `view` NULL: without symbols of its elements. */
static void put_array(struct view *view, struct text_output *out, const char *name,
		      const bt_field *field)
{
	uint64_t length = bt_field_array_get_length(field);

	text_output_char(out, '[');
	for (uint64_t i = 0; i < length; i++) {
		const bt_field *element =
			bt_field_array_borrow_element_field_by_index_const(field, i);

		if (i > 0)
			text_output_char(out, ' ');
		put_field(out, element);
		if (view)
			put_symbol(view, out, name, element);
	}
	text_output_char(out, ']');
}

/* The member's value, and the symbols of addresses. */
static void put_value(struct view *view, struct text_output *out, const char *name,
		      const bt_field *member)
{
	const bool has_symbols = view && view->symbols && symbols_is_address(name);

	if (has_symbols &&
	    bt_field_class_type_is(bt_field_get_class_type(member), BT_FIELD_CLASS_TYPE_ARRAY)) {
		put_array(view, out, name, member);
		return;
	}
	put_field(out, member);
	if (has_symbols)
		put_symbol(view, out, name, member);
}

/*
 * Is it a field of each kernel event, which the columns have, or the kernel's developers need? The
 * thread is shown if its number is not that of the process in the column.
 */
static bool is_common(const struct view_stream *stream, const char *name, const bt_field *field)
{
	uint64_t tid;

	if (strncmp(name, "common_", strlen("common_")) != 0)
		return false;
	return strcmp(name, "common_pid") != 0 || stream->pid < 0 || !field_integer(field, &tid) ||
	       (int64_t)tid == stream->pid;
}

/* True if the member is not shown. `payload`: of a kernel event of this stream; NULL: other. */
static bool is_hidden(const struct view *view, const struct view_stream *payload, const char *name,
		      const bt_field *field)
{
	if (!view)
		return false;
	if (!view_filter_shows_field(&view->filter, name))
		return true;
	return payload && !view->filter.fields && is_common(payload, name, field);
}

/*
 * Prints NAME=VALUE …, except what `members` lists and what `view` hides; `payload` as above. All
 * three may be NULL. `before` precedes the first value. True if there is one.
 */
static bool put_members(struct view *view, struct text_output *out, const bt_field *field,
			const char *before, const struct view_context_members *members,
			const struct view_stream *payload)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	uint64_t count = bt_field_class_structure_get_member_count(class);
	bool any = false;

	for (uint64_t i = 0; i < count; i++) {
		const bt_field *member;
		const char *name;

		if (view_is_sequence_length(class, i))
			continue;
		if (members && ((int64_t)i == members->procname || (int64_t)i == members->vpid))
			continue;
		name = bt_field_class_structure_member_get_name(
			bt_field_class_structure_borrow_member_by_index_const(class, i));
		member = bt_field_structure_borrow_member_field_by_index_const(field, i);
		if (is_hidden(view, payload, name, member))
			continue;
		text_output_text(out, any ? " " : before);
		any = true;
		put_coloured(view, out, COLOUR_FIELD, name);
		text_output_char(out, '=');
		put_value(view, out, name, member);
	}
	return any;
}

static void put_field(struct text_output *out, const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (type == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER) {
		put_integer(out, field, false);
	} else if (type == BT_FIELD_CLASS_TYPE_SIGNED_INTEGER) {
		put_integer(out, field, true);
	} else if (type == BT_FIELD_CLASS_TYPE_STRING) {
		put_string(out, field_string(field));
	} else if (type == BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION) {
		put_enumeration(out, field, false);
	} else if (type == BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION) {
		put_enumeration(out, field, true);
	} else if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL) {
		put_real(out, bt_field_real_single_precision_get_value(field), true);
	} else if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL) {
		put_real(out, bt_field_real_double_precision_get_value(field), false);
	} else if (type == BT_FIELD_CLASS_TYPE_BOOL) {
		text_output_text(out, bt_field_bool_get_value(field) ? "true" : "false");
	} else if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY) {
		text_output_base(out, bt_field_bit_array_get_value_as_integer(field), 16);
	} else if (type == BT_FIELD_CLASS_TYPE_STRUCTURE) {
		text_output_char(out, '{');
		put_members(NULL, out, field, "", NULL, NULL);
		text_output_char(out, '}');
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY)) {
		put_array(NULL, out, NULL, field);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_OPTION)) {
		field = bt_field_option_borrow_field_const(field);
		if (field)
			put_field(out, field);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
		put_field(out, bt_field_variant_borrow_selected_option_field_const(field));
	}
}

/* The date and HH:MM:SS of a second, formatted again only when the second changes. */
static void put_second(struct view *view, int64_t second)
{
	static int64_t last = INT64_MIN;
	static char text[64];
	static const char *clock;

	if (second != last) {
		time_t time = second;
		struct tm local = { 0 };

		localtime_r(&time, &local);
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
		clock = strchr(text, ' ') ? strchr(text, ' ') + 1 : text;
		last = second;
	}
	text_output_text(&view->output, view->show_date ? text : clock);
}

static void put_time(struct view *view, int64_t ns)
{
	struct text_output *out = &view->output;
	int64_t second = ns / NS_PER_S, rest = ns % NS_PER_S, delta;

	if (rest < 0) {
		rest += NS_PER_S;
		second--;
	}
	put_second(view, second);
	text_output_char(out, '.');
	text_output_padded(out, rest, 9);
	delta = view->previous_ns == INT64_MIN || ns < view->previous_ns ? 0
									 : ns - view->previous_ns;
	view->previous_ns = ns;
	text_output_char(out, ' ');
	set_colour(view, out, COLOUR_TIME);
	text_output_char(out, '+');
	text_output_unsigned(out, delta / NS_PER_S);
	text_output_char(out, '.');
	text_output_padded(out, delta % NS_PER_S, 9);
	set_colour(view, out, COLOUR_NONE);
	text_output_char(out, ' ');
}

/* The process is not known. */
static void put_thread(struct text_output *out, int64_t tid)
{
	text_output_text(out, "tid=");
	text_output_signed(out, tid);
}

static void put_owner(struct text_output *out, const struct view_stream *stream)
{
	if (stream->program[0] != '\0')
		put_word(out, stream->program);
	else
		text_output_char(out, '-');
	text_output_char(out, ' ');
	if (stream->pid >= 0)
		text_output_signed(out, stream->pid);
	else if (stream->tid >= 0)
		put_thread(out, stream->tid);
	else
		text_output_char(out, '-');
	text_output_text(out, " cpu");
	if (stream->cpu >= 0)
		text_output_signed(out, stream->cpu);
	else
		text_output_char(out, '-');
	text_output_char(out, ' ');
}

static void text_event(struct view *view, const struct view_stream *stream, const bt_event *event,
		       int64_t ns)
{
	struct text_output *out = &view->output;
	const char *name = bt_event_class_get_name(bt_event_borrow_class_const(event));
	const bt_field *field;

	put_time(view, ns);
	put_owner(out, stream);
	set_colour(view, out, COLOUR_EVENT);
	put_word(out, name ? name : "?");
	set_colour(view, out, COLOUR_NONE);
	field = bt_event_borrow_payload_field_const(event);
	if (field)
		put_members(view, out, field, " ", NULL, stream->is_kernel ? stream : NULL);
	if (stream->members.others &&
	    put_members(view, out, bt_event_borrow_common_context_field_const(event), " {",
			&stream->members, NULL))
		text_output_char(out, '}');
	field = bt_event_borrow_specific_context_field_const(event);
	if (field && put_members(view, out, field, " {", NULL, NULL))
		text_output_char(out, '}');
	text_output_char(out, '\n');
}

static void text_lost(struct view *view, const struct view_stream *stream, const char *what,
		      uint64_t count, int64_t ns)
{
	struct text_output *out = &view->output;

	put_time(view, ns);
	put_owner(out, stream);
	set_colour(view, out, COLOUR_LOST);
	text_output_text(out, "... ");
	if (count)
		text_output_unsigned(out, count);
	else
		text_output_text(out, "some");
	text_output_char(out, ' ');
	text_output_text(out, what);
	text_output_text(out, " lost");
	if (stream->cpu >= 0) {
		text_output_text(out, " on cpu ");
		text_output_signed(out, stream->cpu);
	}
	if (stream->program[0] != '\0') {
		text_output_text(out, " of ");
		put_word(out, stream->program);
	}
	set_colour(view, out, COLOUR_NONE);
	text_output_char(out, '\n');
}

const struct view_printer view_text_printer = {
	.event = text_event,
	.lost = text_lost,
};
