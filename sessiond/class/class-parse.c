/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* class-parse.c - what a class in a message says, each value checked. */
#include "sessiond/class/class-parse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lttngmap/abi.h>

#include "common/base/name.h"

#define FIELDS_SIZE_MAX (LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE)
#define KNOWN_FLAGS (LTTNGMAP_FIELD_SIGNED | LTTNGMAP_FIELD_BIG_ENDIAN)
/* Maximum bytes of a name shown in a message. */
#define SHOWN_MAX 80

#define MUST(condition, ...)                                                                       \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return refuse(parser, __VA_ARGS__);                                        \
	} while (0)

struct parser {
	uint8_t *at; /* in the private copy, which becomes the canonical form */
	struct registry_field *fields;
	struct registry_enum_value *values; /* the next unused ones */
	char *strings;
	uint64_t min_size;             /* of a record's fields, so far */
	char event[2 * SHOWN_MAX + 2]; /* as far as known, safe to show */
	char field[SHOWN_MAX + 1];
	char *why;
	size_t why_size;
};

/* A name that may be refused for what it contains, made fit to be shown. */
static void show(char shown[SHOWN_MAX + 1], const uint8_t *bytes, size_t length)
{
	if (length > SHOWN_MAX)
		length = SHOWN_MAX;
	for (size_t i = 0; i < length; i++)
		shown[i] = bytes[i] > 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '?';
	shown[length] = '\0';
}

static int refuse(struct parser *parser, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct parser *parser, const char *format, ...)
{
	char problem[REGISTRY_WHY_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(problem, sizeof(problem), format, arguments);
	va_end(arguments);
	snprintf(parser->why, parser->why_size, "event class '%s'%s%s%s %s: it stays off",
		 parser->event, *parser->field ? ", field '" : "", parser->field,
		 *parser->field ? "':" : ":", problem);
	return -EINVAL;
}

static const uint8_t *take(struct parser *parser, size_t size)
{
	const uint8_t *bytes = parser->at;

	parser->at += size;
	return bytes;
}

static const char *keep_string(struct parser *parser, const uint8_t *bytes, size_t length)
{
	char *string = parser->strings;

	memcpy(string, bytes, length);
	string[length] = '\0';
	parser->strings += length + 1;
	return string;
}

static bool is_power_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static int check_integer(struct parser *parser, const struct protocol_app_field *wire)
{
	MUST(is_power_size(wire->size), "a size of %u bytes is not 1, 2, 4 or 8", wire->size);
	MUST(wire->base == 2 || wire->base == 8 || wire->base == 10 || wire->base == 16,
	     "base %u is not 2, 8, 10 or 16", wire->base);
	return 0;
}

static int check_count(struct parser *parser, const struct protocol_app_field *wire)
{
	MUST(wire->count > 0, "it has no elements");
	MUST(wire->count <= FIELDS_SIZE_MAX, "%u elements do not fit in a record", wire->count);
	return 0;
}

/*
 * Check what the kind uses, set the rest to 0, and say what the field takes
 * in a record at least. Wire is the place in the canonical form.
 */
static int check_kind(struct parser *parser, struct protocol_app_field *wire, uint64_t *min_size)
{
	bool is_integer = false, has_count = false;
	int error = 0;

	MUST((wire->flags & ~KNOWN_FLAGS) == 0, "unknown flags %#x", wire->flags);
	*min_size = wire->size;
	switch (wire->kind) {
	case LTTNGMAP_FIELD_INTEGER:
	case LTTNGMAP_FIELD_ENUM:
		is_integer = true;
		break;
	case LTTNGMAP_FIELD_FLOAT:
		MUST(wire->size == 4 || wire->size == 8,
		     "a floating-point size of %u bytes is not 4 or 8", wire->size);
		wire->flags &= LTTNGMAP_FIELD_BIG_ENDIAN;
		break;
	case LTTNGMAP_FIELD_ARRAY:
		is_integer = true;
		has_count = true;
		*min_size = (uint64_t)wire->size * wire->count;
		break;
	case LTTNGMAP_FIELD_SEQUENCE:
		is_integer = true;
		*min_size = sizeof(uint32_t);
		break;
	case LTTNGMAP_FIELD_TEXT:
		has_count = true;
		*min_size = wire->count;
		break;
	case LTTNGMAP_FIELD_TEXT_SEQUENCE:
		*min_size = sizeof(uint32_t);
		break;
	case LTTNGMAP_FIELD_STRING:
		*min_size = 1;
		break;
	default:
		return refuse(parser, "unknown kind %u", wire->kind);
	}

	if (is_integer)
		error = check_integer(parser, wire);
	if (error == 0 && has_count)
		error = check_count(parser, wire);
	if (error < 0)
		return error;
	if (!is_integer)
		wire->base = 0;
	if (!has_count)
		wire->count = 0;
	if (!is_integer && wire->kind != LTTNGMAP_FIELD_FLOAT) {
		MUST(wire->size == 1, "a character of %u bytes is not 1", wire->size);
		wire->flags = 0;
	}
	/* One byte has no order. */
	if (wire->size == 1)
		wire->flags &= LTTNGMAP_FIELD_SIGNED;
	return 0;
}

static int parse_values(struct parser *parser, struct registry_field *field,
			const struct protocol_app_field *wire)
{
	const uint8_t *name = take(parser, wire->enum_name_length);

	MUST(name_is_identifier((const char *)name, wire->enum_name_length),
	     "the enumeration's name is no C identifier");
	MUST(wire->nr_values > 0, "its enumeration has no values");
	MUST(wire->nr_values <= LTTNGMAP_ENUM_VALUES_MAX,
	     "%u labels are more than the %u that an enumeration may have", wire->nr_values,
	     LTTNGMAP_ENUM_VALUES_MAX);
	field->enum_name = keep_string(parser, name, wire->enum_name_length);
	field->values = parser->values;
	field->nr_values = wire->nr_values;
	for (unsigned i = 0; i < wire->nr_values; i++) {
		struct protocol_app_enum_value value;
		const uint8_t *label;

		memcpy(&value, take(parser, sizeof(value)), sizeof(value));
		label = take(parser, value.label_length);
		MUST(value.label_length > 0, "its enumeration has an empty label");
		MUST(name_is_text((const char *)label, value.label_length),
		     "its enumeration has a label that is no text in UTF-8");
		MUST(value.first <= value.last,
		     "its enumeration has a range that ends before it begins");
		*parser->values++ = (struct registry_enum_value){
			.label = keep_string(parser, label, value.label_length),
			.first = value.first,
			.last = value.last,
		};
	}
	return 0;
}

/*
 * In the metadata a sequence has a field before it, __NAME_length, and NAME
 * itself is _NAME: a field _NAME_length would be there twice.
 */
static bool takes_length_of(const char *name, const struct registry_field *sequence)
{
	size_t length = strlen(sequence->name);

	return (sequence->kind == LTTNGMAP_FIELD_SEQUENCE ||
		sequence->kind == LTTNGMAP_FIELD_TEXT_SEQUENCE) &&
	       name[0] == '_' && strncmp(name + 1, sequence->name, length) == 0 &&
	       strcmp(name + 1 + length, "_length") == 0;
}

static int check_unique(struct parser *parser, const struct registry_field *field)
{
	for (const struct registry_field *other = parser->fields; other < field; other++) {
		MUST(strcmp(other->name, field->name) != 0, "there are two fields of that name");
		MUST(!takes_length_of(field->name, other) && !takes_length_of(other->name, field),
		     "the trace needs that name for the length of a sequence");
	}
	return 0;
}

static int parse_field(struct parser *parser, struct registry_field *field)
{
	uint8_t *place = parser->at;
	struct protocol_app_field wire;
	const uint8_t *name;
	uint64_t min_size = 0;
	int error;

	memcpy(&wire, take(parser, sizeof(wire)), sizeof(wire));
	name = take(parser, wire.name_length);
	show(parser->field, name, wire.name_length);
	MUST(name_is_identifier((const char *)name, wire.name_length),
	     "its name is no C identifier");
	error = check_kind(parser, &wire, &min_size);
	if (error < 0)
		return error;
	memcpy(place, &wire, sizeof(wire));
	parser->min_size += min_size;
	MUST(parser->min_size <= FIELDS_SIZE_MAX,
	     "the fields up to it do not fit in a record of %u bytes", LTTNGMAP_RECORD_MAX);
	*field = (struct registry_field){
		.name = keep_string(parser, name, wire.name_length),
		.kind = wire.kind,
		.size = wire.size,
		.flags = wire.flags,
		.base = wire.base,
		.count = wire.count,
	};
	error = check_unique(parser, field);
	if (error == 0 && wire.kind == LTTNGMAP_FIELD_ENUM)
		error = parse_values(parser, field, &wire);
	return error;
}

static int parse_names(struct parser *parser, struct registry_class *event_class,
		       const struct protocol_app_class *wire)
{
	const uint8_t *provider = take(parser, wire->provider_length);
	const uint8_t *name = take(parser, wire->name_length);
	char shown[SHOWN_MAX + 1];
	char *full;

	show(shown, provider, wire->provider_length);
	show(parser->field, name, wire->name_length);
	snprintf(parser->event, sizeof(parser->event), "%s:%s", shown, parser->field);
	parser->field[0] = '\0';
	MUST(name_is_provider((const char *)provider, wire->provider_length),
	     "its provider's name is not of letters, digits, '_', '.' and '-'");
	MUST(name_is_event((const char *)name, wire->name_length),
	     "its name is not of letters, digits, '_', '.', ':' and '-'");
	MUST(wire->provider_length + 1u + wire->name_length <= LTTNGMAP_NAME_MAX,
	     "its name is longer than %u bytes", LTTNGMAP_NAME_MAX);

	event_class->provider = keep_string(parser, provider, wire->provider_length);
	full = parser->strings;
	keep_string(parser, provider, wire->provider_length);
	full[wire->provider_length] = ':';
	event_class->full_name = full;
	event_class->name = keep_string(parser, name, wire->name_length);
	return 0;
}

static int parse_class(struct parser *parser, struct registry_class *event_class)
{
	struct protocol_app_class wire;
	int error;

	memcpy(&wire, take(parser, sizeof(wire)), sizeof(wire));
	error = parse_names(parser, event_class, &wire);
	if (error < 0)
		return error;
	MUST(wire.loglevel <= LTTNGMAP_LOGLEVEL_DEBUG, "log level %u is not 0 to %u", wire.loglevel,
	     LTTNGMAP_LOGLEVEL_DEBUG);
	MUST(wire.nr_fields <= LTTNGMAP_FIELDS_MAX, "%u fields are more than %u", wire.nr_fields,
	     LTTNGMAP_FIELDS_MAX);
	event_class->loglevel = wire.loglevel;
	event_class->nr_fields = wire.nr_fields;
	event_class->fields = parser->fields;
	for (unsigned i = 0; i < wire.nr_fields; i++) {
		error = parse_field(parser, &parser->fields[i]);
		if (error < 0)
			return error;
	}
	return 0;
}

int class_parse(const void *bytes, const struct class_measure *measure,
		struct parsed_class **parsed, char *why, size_t why_size)
{
	size_t fields_size = measure->fields * sizeof(struct registry_field);
	size_t values_size = measure->values * sizeof(struct registry_enum_value);
	size_t allocated = sizeof(struct parsed_class) + fields_size + values_size + measure->size +
			   measure->strings;
	struct parser parser = { .why = why, .why_size = why_size };
	struct parsed_class *new = calloc(1, allocated);
	uint8_t *canonical;
	int error;

	if (!new)
		return -ENOMEM;
	/* Objects that need alignment come first. */
	parser.values = (struct registry_enum_value *)(new + 1);
	parser.fields = (struct registry_field *)((char *)parser.values + values_size);
	canonical = (uint8_t *)parser.fields + fields_size;
	parser.strings = (char *)canonical + measure->size;
	parser.at = canonical;
	memcpy(canonical, bytes, measure->size);
	new->allocated = allocated;
	new->canonical = canonical;
	new->canonical_size = measure->size;
	error = parse_class(&parser, &new->event_class);
	if (error < 0) {
		free(new);
		return error;
	}
	*parsed = new;
	return 0;
}
