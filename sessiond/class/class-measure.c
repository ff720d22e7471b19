/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* class-measure.c - where a class in a message ends. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sessiond/class/class-parse.h"

struct cursor {
	const uint8_t *at;
	size_t left;
};

/* The next `size` bytes, or NULL where there are not as many. */
static const uint8_t *take(struct cursor *cursor, size_t size)
{
	const uint8_t *bytes = cursor->at;

	if (size > cursor->left)
		return NULL;
	cursor->at += size;
	cursor->left -= size;
	return bytes;
}

static bool take_struct(struct cursor *cursor, void *object, size_t size)
{
	const uint8_t *bytes = take(cursor, size);

	if (bytes)
		memcpy(object, bytes, size);
	return bytes;
}

static bool take_string(struct cursor *cursor, size_t length, struct class_measure *measure)
{
	measure->strings += length + 1;
	return take(cursor, length);
}

static const char *measure_values(struct cursor *cursor, const struct protocol_app_field *field,
				  struct class_measure *measure)
{
	if (!take_string(cursor, field->enum_name_length, measure))
		return "the name of an enumeration is cut";
	for (unsigned i = 0; i < field->nr_values; i++) {
		struct protocol_app_enum_value value;

		if (!take_struct(cursor, &value, sizeof(value)) ||
		    !take_string(cursor, value.label_length, measure))
			return "the labels of an enumeration are cut";
	}
	measure->values += field->nr_values;
	return NULL;
}

static const char *measure_field(struct cursor *cursor, struct class_measure *measure)
{
	struct protocol_app_field field;

	if (!take_struct(cursor, &field, sizeof(field)))
		return "a field is cut";
	if (!take_string(cursor, field.name_length, measure))
		return "the name of a field is cut";
	if (field.kind == LTTNGMAP_FIELD_ENUM)
		return measure_values(cursor, &field, measure);
	/* Nobody can know whether bytes follow that belong to them. */
	if (field.enum_name_length || field.nr_values)
		return "a field has labels but is no enumeration";
	return NULL;
}

static const char *measure_class(struct cursor *cursor, struct class_measure *measure)
{
	struct protocol_app_class header;

	if (!take_struct(cursor, &header, sizeof(header)))
		return "a class is cut";
	/* Twice: as it is, and within PROVIDER:NAME. */
	if (!take_string(cursor, header.provider_length, measure) ||
	    !take_string(cursor, header.name_length, measure))
		return "the name of a class is cut";
	measure->strings += header.provider_length + 1u;
	measure->fields = header.nr_fields;
	for (unsigned i = 0; i < header.nr_fields; i++) {
		const char *problem = measure_field(cursor, measure);

		if (problem)
			return problem;
	}
	return NULL;
}

int class_measure(const void *bytes, size_t size, struct class_measure *measure, char *why,
		  size_t why_size)
{
	struct cursor cursor = { bytes, size };
	const char *problem;

	*measure = (struct class_measure){ .size = 0 };
	problem = measure_class(&cursor, measure);
	if (problem) {
		snprintf(why, why_size, "%s", problem);
		return -EBADMSG;
	}
	measure->size = size - cursor.left;
	return 0;
}
