/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-test.h - comparing a field with a constant: what most filters begin
 * with, and most events end with. So it is done without a machine where it can.
 */
#ifndef LIBLTTNGMAP_RING_FILTER_TEST_H
#define LIBLTTNGMAP_RING_FILTER_TEST_H

#include <string.h>

#include <lttngmap/abi.h>
#include <lttngmap/filter-code.h>

#include "liblttngmap/ring/filter-decode.h"
#include "liblttngmap/ring/filter-string.h"

/* `size` bytes of the record; false: they are not there. */
static inline bool filter_load(const struct filter_source *source, uint64_t offset, unsigned size,
			       uint64_t *value)
{
	const uint8_t *from;
	uint32_t word;
	uint16_t half;

	if (!filter_inside(offset, size, source->size))
		return false;
	from = source->fields + offset;
	switch (size) {
	case 1:
		*value = *from;
		return true;
	case 2:
		memcpy(&half, from, sizeof(half));
		*value = half;
		return true;
	case 4:
		memcpy(&word, from, sizeof(word));
		*value = word;
		return true;
	default:
		memcpy(value, from, sizeof(*value));
		return true;
	}
}

/* The integer of the record that a TEST is about; false: it is not there. */
static inline bool filter_test_load(struct lttngmap_filter_instruction code, const uint8_t *fields,
				    size_t fields_size, int64_t *value)
{
	const uint8_t *from = fields + (uint16_t)code.offset;
	size_t bytes = (size_t)1 << (code.registers & LTTNGMAP_FILTER_BYTES);
	unsigned above = 64 - 8 * (unsigned)bytes;
	uint64_t word = 0;

	/* One load where 8 bytes are there, of whatever fields. */
	if (__builtin_expect((uint16_t)code.offset + sizeof(word) <= fields_size, 1))
		memcpy(&word, from, sizeof(word));
	else if ((uint16_t)code.offset + bytes <= fields_size)
		for (size_t i = bytes; i > 0; i--)
			word = word << 8 | from[i - 1];
	else
		return false;
	word <<= above;
	*value = code.registers & LTTNGMAP_FILTER_SIGNED ? (int64_t)word >> above
							 : (int64_t)(word >> above);
	return true;
}

/* False: the program ends here. */
static inline bool filter_test(struct lttngmap_filter_instruction code, const uint8_t *fields,
			       size_t fields_size)
{
	int64_t a, b = code.immediate;

	if (!filter_test_load(code, fields, fields_size, &a))
		return false;
	if (code.registers & LTTNGMAP_FILTER_UNSIGNED) {
		a = (int64_t)((uint64_t)a ^ UINT64_C(1) << 63);
		b = (int64_t)((uint64_t)b ^ UINT64_C(1) << 63);
	}
	return code.code & (a < b    ? LTTNGMAP_FILTER_IF_LESS
			    : a == b ? LTTNGMAP_FILTER_IF_EQUAL
				     : LTTNGMAP_FILTER_IF_GREATER);
}

/* The key of a KEY; false: it is none, or its field is not there. */
static inline bool filter_key(struct lttngmap_filter_instruction code, const uint8_t *fields,
			      size_t fields_size, uint64_t *key)
{
	int64_t value;

	if (code.code == (LTTNGMAP_FILTER_KEY | LTTNGMAP_FILTER_KEY_NONE)) {
		*key = 0;
		return true;
	}
	if (!filter_test_load(code, fields, fields_size, &value))
		return false;
	*key = (uint64_t)value;
	if (code.code == (LTTNGMAP_FILTER_KEY | LTTNGMAP_FILTER_KEY_FIELD))
		return true;
	if (value < 0 && !(code.registers & LTTNGMAP_FILTER_UNSIGNED))
		*key = 0;
	*key = lttngmap_filter_bucket(*key);
	return code.code == (LTTNGMAP_FILTER_KEY | LTTNGMAP_FILTER_KEY_BUCKET);
}

/* The same of a word that has all of a filter. */
static inline bool filter_key_of_word(uint64_t word, const uint8_t *fields, size_t fields_size,
				      uint64_t *key)
{
	struct lttngmap_filter_instruction code = {
		.code = (uint8_t)(word >> 16),
		.registers = word >> 24 & 0x7f,
	};

	code.offset = (int16_t)((uint16_t)word - (1u << (code.registers & LTTNGMAP_FILTER_BYTES)));
	return filter_is_key(code) && filter_key(code, fields, fields_size, key);
}

/*
 * Is the filter one program that begins with a TEST, and does that not hold?
 * filter_run() would say false, too.
 */
static inline bool filter_fails_at_once(const uint64_t *filter, size_t size, const void *fields,
					size_t fields_size)
{
	struct lttngmap_filter_instruction code;
	struct lttngmap_filter_program program;

	if (size < sizeof(program) + sizeof(code))
		return false;
	program = filter_fetch_program(filter);
	code = filter_fetch(filter + 1);
	return program.nr_instructions > 0 && filter_is_test(code) &&
	       sizeof(program) + UINT64_C(8) * program.nr_instructions + program.pool_size ==
		       size &&
	       !filter_test(code, fields, fields_size);
}

#endif /* LIBLTTNGMAP_RING_FILTER_TEST_H */
