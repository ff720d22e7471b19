/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-operand.c - code that gets at fields, contexts and constant strings.
 *
 * Where a field stands is known beforehand up to the first string or sequence
 * of the record. From there on it is relative to the end of the last one
 * before it, which the code has to look for; it does so once, and keeps it.
 */
#include "sessiond/filter/filter-emit.h"

#include <string.h>

static bool is_variable(const struct registry_field *field)
{
	return field->kind == LTTNGMAP_FIELD_STRING || field->kind == LTTNGMAP_FIELD_SEQUENCE ||
	       field->kind == LTTNGMAP_FIELD_TEXT_SEQUENCE;
}

static uint32_t fixed_size(const struct registry_field *field)
{
	return field->kind == LTTNGMAP_FIELD_ARRAY  ? field->size * field->count
	       : field->kind == LTTNGMAP_FIELD_TEXT ? field->count
						    : field->size;
}

/* A place in the record: so many bytes behind that field, or the beginning. */
struct place {
	int behind; /* a field's number, or -1 */
	uint32_t distance;
};

static struct place find_place(const struct registry_class *event_class, unsigned number)
{
	struct place place = { -1, 0 };

	for (unsigned i = 0; i < number; i++) {
		const struct registry_field *field = &event_class->fields[i];

		if (is_variable(field))
			place = (struct place){ (int)i, 0 };
		else
			place.distance += fixed_size(field);
	}
	return place;
}

static unsigned number_of(const struct filter_emitter *emitter, const struct registry_field *field)
{
	return (unsigned)(field - emitter->event_class->fields);
}

/* r1 = the offset of a field. Changes r0 and r2, and by its calls up to r5. */
static void find_offset(struct filter_emitter *emitter, unsigned number)
{
	const struct registry_class *event_class = emitter->event_class;
	struct place place = find_place(event_class, number);
	const struct registry_field *before;

	if (place.behind < 0) {
		filter_move_constant(emitter, 1, place.distance);
		return;
	}
	before = &event_class->fields[place.behind];
	if (place.behind < FILTER_KNOWN_MAX && emitter->known >> place.behind & 1) {
		filter_take_offset(emitter, (unsigned)place.behind, 1);
	} else {
		find_offset(emitter, (unsigned)place.behind);
		if (before->kind == LTTNGMAP_FIELD_STRING) {
			filter_call(emitter, LTTNGMAP_FILTER_SKIP_STRING);
		} else {
			filter_move_constant(emitter, 2,
					     before->kind == LTTNGMAP_FIELD_SEQUENCE ? before->size
										     : 1);
			filter_call(emitter, LTTNGMAP_FILTER_SKIP_SEQUENCE);
		}
		filter_keep_offset(emitter, (unsigned)place.behind);
		filter_move(emitter, 1, 0);
	}
	if (place.distance)
		filter_emit(emitter, FILTER_ALU(ADD), 1, 0, 0, (int32_t)place.distance);
}

static unsigned load_code(unsigned size)
{
	switch (size) {
	case 1:
		return LTTNGMAP_FILTER_B;
	case 2:
		return LTTNGMAP_FILTER_H;
	case 4:
		return LTTNGMAP_FILTER_W;
	default:
		return LTTNGMAP_FILTER_DW;
	}
}

/* r0 = `size` bytes at `distance` behind the field's beginning; r1 is that for the next one. */
static void load_at(struct filter_emitter *emitter, unsigned number, uint32_t distance,
		    unsigned size, bool is_first)
{
	struct place place = find_place(emitter->event_class, number);

	if (place.behind < 0) {
		filter_emit(emitter, load_code(size) | LTTNGMAP_FILTER_LD | LTTNGMAP_FILTER_ABS, 0,
			    0, 0, (int32_t)(place.distance + distance));
		return;
	}
	if (is_first)
		find_offset(emitter, number);
	filter_emit(emitter, load_code(size) | LTTNGMAP_FILTER_LD | LTTNGMAP_FILTER_IND, 0, 1, 0,
		    (int32_t)distance);
}

static bool is_swapped(const struct registry_field *field)
{
	return field->size > 1 && (field->flags & LTTNGMAP_FIELD_BIG_ENDIAN) &&
	       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

/* Widens the loaded bytes of the field to its value. */
static void widen(struct filter_emitter *emitter, const struct registry_field *field, bool plain)
{
	if (is_swapped(field))
		filter_emit(emitter, FILTER_ALU(END), 0, 0, 0, field->size * 8);
	if (field->kind == LTTNGMAP_FIELD_FLOAT) {
		if (field->size == 4) {
			filter_move(emitter, 1, 0);
			filter_call(emitter, LTTNGMAP_FILTER_FLOAT_FROM_FLOAT32);
		}
	} else if ((field->flags & LTTNGMAP_FIELD_SIGNED) && field->size < 8 && !plain) {
		filter_emit(emitter, FILTER_ALU(MOV) | LTTNGMAP_FILTER_X, 0, 0, field->size * 8, 0);
	}
}

bool filter_find_integer(const struct filter_emitter *emitter, const struct filter_node *node,
			 unsigned *offset, unsigned *integer)
{
	const struct registry_field *field = node->field;
	struct place place;

	if (node->kind != FILTER_NODE_FIELD || !filter_is_integer(node) || is_variable(field) ||
	    is_swapped(field))
		return false;
	place = find_place(emitter->event_class, number_of(emitter, field));
	if (filter_has_elements(field))
		place.distance += node->index * field->size;
	if (place.behind >= 0 || place.distance > INT16_MAX)
		return false;
	*offset = place.distance;
	*integer = (unsigned)__builtin_ctz(field->size);
	if (node->type == FILTER_TYPE_UNSIGNED)
		*integer |= LTTNGMAP_FILTER_UNSIGNED;
	else if (field->flags & LTTNGMAP_FIELD_SIGNED)
		*integer |= LTTNGMAP_FILTER_SIGNED;
	return true;
}

void filter_load(struct filter_emitter *emitter, const struct filter_node *node, bool plain,
		 struct filter_label *miss)
{
	const struct registry_field *field = node->field;
	uint32_t distance = 0;
	bool is_first = true;
	unsigned number;

	if (node->kind == FILTER_NODE_CONTEXT) {
		filter_move_constant(emitter, 1, node->context_id);
		filter_call(emitter, LTTNGMAP_FILTER_CONTEXT_NUMBER);
		filter_emit_jump(emitter, FILTER_JMP(JEQ), 1, 0, 0, miss);
		emitter->known_at_exit &= emitter->known;
		return;
	}
	number = number_of(emitter, field);
	if (field->kind == LTTNGMAP_FIELD_SEQUENCE) {
		load_at(emitter, number, 0, sizeof(uint32_t), true);
		is_first = false;
		distance = sizeof(uint32_t);
		if (node->index <= INT32_MAX) {
			filter_emit_jump(emitter, FILTER_JMP(JLE), 0, 0, (int32_t)node->index,
					 miss);
			emitter->known_at_exit &= emitter->known;
		}
	}
	if (filter_has_elements(field))
		distance += node->index * field->size;
	load_at(emitter, number, distance, field->size, is_first);
	widen(emitter, field, plain);
}

/* ---- strings ------------------------------------------------------------- */

/* A string as a helper takes it: where, and its sort. */
struct string {
	uint64_t where; /* unless it has to be looked for */
	int64_t sort;
	bool is_found; /* `where` holds */
	unsigned number;
};

static struct string find_string(struct filter_emitter *emitter, const struct filter_node *node)
{
	struct string string = { .is_found = true };
	struct place place;

	if (node->kind == FILTER_NODE_STRING) {
		string.where = filter_pool_add(emitter, node->bytes, node->size) |
			       (uint64_t)node->size << 32;
		string.sort = LTTNGMAP_FILTER_STRING_POOL;
		return string;
	}
	if (node->kind == FILTER_NODE_CONTEXT && node->context_id == FILTER_CONTEXT_EVENT) {
		const char *name = emitter->event_class->full_name;

		string.where = filter_pool_add(emitter, name, strlen(name)) | (uint64_t)strlen(name)
										      << 32;
		string.sort = LTTNGMAP_FILTER_STRING_POOL;
		return string;
	}
	if (node->kind == FILTER_NODE_CONTEXT) {
		string.where = node->context_id;
		string.sort = LTTNGMAP_FILTER_STRING_CONTEXT;
		return string;
	}
	string.number = number_of(emitter, node->field);
	place = find_place(emitter->event_class, string.number);
	string.is_found = place.behind < 0;
	string.where = place.distance;
	string.sort = node->field->kind == LTTNGMAP_FIELD_STRING ? LTTNGMAP_FILTER_STRING_NUL
		      : node->field->kind == LTTNGMAP_FIELD_TEXT ? (int64_t)node->field->count
								 : LTTNGMAP_FILTER_STRING_SEQUENCE;
	return string;
}

static void string_arguments(struct filter_emitter *emitter, const struct string *string,
			     unsigned first)
{
	if (string->is_found)
		filter_move_constant(emitter, first, string->where);
	filter_move_constant(emitter, first + 1, (uint64_t)string->sort);
}

void filter_compare_strings(struct filter_emitter *emitter, const struct filter_node *a,
			    const struct filter_node *b)
{
	struct string first = find_string(emitter, a), second = find_string(emitter, b);

	if (!first.is_found) {
		find_offset(emitter, first.number);
		if (!second.is_found) {
			filter_move(emitter, 0, 1);
			filter_push(emitter);
		}
	}
	if (!second.is_found) {
		unsigned waiting;

		find_offset(emitter, second.number);
		filter_move(emitter, 3, 1);
		if (!first.is_found) {
			waiting = filter_pop(emitter, 1);
			filter_move(emitter, 1, waiting);
		}
	}
	string_arguments(emitter, &first, 1);
	string_arguments(emitter, &second, 3);
	filter_call(emitter, LTTNGMAP_FILTER_STRING_COMPARE);
}

void filter_code_key_string(struct filter_emitter *emitter, const struct filter_node *node,
			    unsigned most, uint64_t seed)
{
	struct string string = find_string(emitter, node);

	if (!string.is_found)
		find_offset(emitter, string.number);
	string_arguments(emitter, &string, 1);
	filter_move_constant(emitter, 3, most);
	filter_move_constant(emitter, 4, seed);
	filter_call(emitter, LTTNGMAP_FILTER_KEY_STRING);
}

/* ---- globs --------------------------------------------------------------- */

struct glob {
	uint8_t bytes[LTTNGMAP_FILTER_POOL_MAX];
	size_t size;
	bool too_big;
};

static void glob_add(struct glob *glob, const void *bytes, size_t size)
{
	if (size > sizeof(glob->bytes) - glob->size) {
		glob->too_big = true;
		return;
	}
	memcpy(glob->bytes + glob->size, bytes, size);
	glob->size += size;
}

static void glob_add16(struct glob *glob, size_t value)
{
	uint16_t value16 = (uint16_t)value;

	glob_add(glob, &value16, sizeof(value16));
}

static void glob_add_part(struct glob *glob, const char *part, size_t size, bool in_middle)
{
	uint16_t borders[LTTNGMAP_FILTER_POOL_MAX];
	size_t border = 0;

	if (size > LTTNGMAP_FILTER_POOL_MAX) {
		glob->too_big = true;
		return;
	}
	glob_add16(glob, size);
	glob_add(glob, part, size);
	if (!in_middle)
		return;
	borders[0] = 0;
	for (size_t i = 1; i < size; i++) {
		while (border > 0 && part[i] != part[border])
			border = borders[border - 1];
		if (part[i] == part[border])
			border++;
		borders[i] = (uint16_t)border;
	}
	glob_add(glob, borders, size * sizeof(borders[0]));
}

static void glob_make(struct glob *glob, const char *pattern, size_t size)
{
	const char *end = pattern + size;
	size_t nr_parts = 1;
	bool is_first = true;

	for (const char *c = pattern; c < end; c++)
		nr_parts += *c == FILTER_ANY;
	glob_add16(glob, nr_parts);
	for (;;) {
		const char *any = memchr(pattern, FILTER_ANY, (size_t)(end - pattern));

		glob_add_part(glob, pattern, (size_t)((any ? any : end) - pattern),
			      any && !is_first);
		if (!any)
			return;
		is_first = false;
		pattern = any + 1;
	}
}

void filter_match_string(struct filter_emitter *emitter, const struct filter_node *node,
			 const struct filter_node *pattern)
{
	struct string string = find_string(emitter, node);
	struct glob glob = { .size = 0 };

	glob_make(&glob, pattern->bytes, pattern->size);
	if (glob.too_big) {
		emitter->too_big = true;
		return;
	}
	if (!string.is_found)
		find_offset(emitter, string.number);
	string_arguments(emitter, &string, 1);
	filter_move_constant(emitter, 3, filter_pool_add(emitter, glob.bytes, glob.size));
	filter_move_constant(emitter, 4, glob.size);
	filter_call(emitter, LTTNGMAP_FILTER_STRING_GLOB);
}
