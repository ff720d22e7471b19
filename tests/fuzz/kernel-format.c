/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-format.c - any bytes as a format file of the kernel's, and as a
 * record of its class. The input is a message that is the record, then the
 * text.
 *
 * A class has what metadata can say, and its records fit the room that there
 * is, or are refused.
 */
#include <errno.h>
#include <string.h>

#include "common/kernel/kernel-class.h"
#include "tests/fuzz/fuzz.h"

#define ROOM_MAX 4096

static void check_field(const struct lttngmap_field *field)
{
	size_t length = strlen(field->name);

	FUZZ_CHECK(length > 0 && length <= LTTNGMAP_NAME_MAX);
	FUZZ_CHECK(strspn(field->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789_") == length);
	FUZZ_CHECK(field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
	FUZZ_CHECK(field->base == 10 || field->base == 16);
	switch (field->kind) {
	case LTTNGMAP_FIELD_ARRAY:
	case LTTNGMAP_FIELD_TEXT:
		FUZZ_CHECK(field->count > 0);
		break;
	case LTTNGMAP_FIELD_ENUM:
		FUZZ_CHECK(field->enumeration->nr_values > 0);
		FUZZ_CHECK(field->enumeration->nr_values <= LTTNGMAP_ENUM_VALUES_MAX);
		for (uint32_t i = 0; i < field->enumeration->nr_values; i++)
			FUZZ_CHECK(field->enumeration->values[i].label[0] != '\0');
		break;
	default:
		FUZZ_CHECK(field->kind == LTTNGMAP_FIELD_INTEGER ||
			   field->kind == LTTNGMAP_FIELD_STRING ||
			   field->kind == LTTNGMAP_FIELD_SEQUENCE);
		break;
	}
}

static void check_record(const struct kernel_class *class, const uint8_t *bytes, size_t size)
{
	uint8_t *record = malloc(size ? size : 1), *fields = malloc(ROOM_MAX);
	ssize_t length, again;

	FUZZ_CHECK(record && fields);
	memcpy(record, bytes, size);
	length = kernel_class_convert(class, record, size, fields, ROOM_MAX);
	free(fields);
	FUZZ_CHECK(length == -ENOBUFS || (length >= 0 && length <= ROOM_MAX));
	/* Just as much room, and a byte less. */
	if (length > 0) {
		fields = malloc((size_t)length);
		FUZZ_CHECK(fields);
		again = kernel_class_convert(class, record, size, fields, (size_t)length);
		FUZZ_CHECK(again == length);
		again = kernel_class_convert(class, record, size, fields, (size_t)length - 1);
		FUZZ_CHECK(again == -ENOBUFS);
		free(fields);
	}
	free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	size_t record_size, text_size;
	const uint8_t *record = fuzz_take_message(&input, &record_size), *text;
	struct kernel_class *class;
	int error;

	text_size = input.size;
	text = fuzz_take(&input, &text_size);
	error = kernel_class_parse_fields("system", (const char *)text, text_size, &class);
	FUZZ_CHECK(error == 0 || error == -EBADMSG || error == -E2BIG);
	FUZZ_CHECK((error == 0) == (class != NULL));
	if (error)
		return 0;
	FUZZ_CHECK(class->nr_fields > 0 && class->nr_fields <= LTTNGMAP_FIELDS_MAX);
	for (unsigned i = 0; i < class->nr_fields; i++)
		check_field(&class->fields[i]);
	check_record(class, record, record_size);
	kernel_class_destroy(class);
	return 0;
}
