/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/kernel/kernel-step.h"

#include <errno.h>
#include <string.h>

#include "common/kernel/kernel-class.h"

void kernel_step_add(struct kernel_step *steps, uint32_t *nr_steps, const struct kernel_step *step)
{
	struct kernel_step *last = *nr_steps > 0 ? &steps[*nr_steps - 1] : NULL;

	if (last && last->place == KERNEL_PLACE_FIXED && step->place == KERNEL_PLACE_FIXED &&
	    step->offset == last->offset + last->size)
		last->size += step->size;
	else
		steps[(*nr_steps)++] = *step;
}

/* Bytes that a step refers to, all within the record; none where they are not. */
static const char *find_bytes(const struct kernel_step *step, const char *record, size_t size,
			      size_t *length)
{
	uint32_t word;
	size_t offset;

	*length = 0;
	if (step->offset > size)
		return record;
	if (step->place == KERNEL_PLACE_REST) {
		*length = size - step->offset;
		return record + step->offset;
	}
	if (size - step->offset < sizeof(word))
		return record;
	memcpy(&word, record + step->offset, sizeof(word));
	offset = word & 0xffff;
	if (step->place == KERNEL_PLACE_RELATIVE)
		offset += step->offset + sizeof(word);
	if (offset > size || word >> 16 > size - offset)
		return record;
	*length = word >> 16;
	return record + offset;
}

/* A NUL at its end, and none before. Returns what it takes; 0: there is no room. */
static size_t put_string(char *to, size_t room, const char *bytes, size_t length)
{
	size_t text = strnlen(bytes, length);

	if (room <= text)
		return 0;
	memcpy(to, bytes, text);
	to[text] = '\0';
	return text + 1;
}

static size_t put_sequence(char *to, size_t room, const char *bytes, size_t length, uint8_t element)
{
	uint32_t count = (uint32_t)(length / element);
	size_t size = (size_t)count * element;

	if (room < sizeof(count) + size)
		return 0;
	memcpy(to, &count, sizeof(count));
	memcpy(to + sizeof(count), bytes, size);
	return sizeof(count) + size;
}

/*
 * Steps are of few bytes, for which a call of memcpy() costs more than they do. Moves of
 * fixed size, the last of which may overlap the one before, make any number of them.
 */
static inline void copy_bytes(char *to, const char *from, size_t size)
{
	if (size >= 16) {
		for (size_t at = 0; at < size - 16; at += 16)
			memcpy(to + at, from + at, 16);
		memcpy(to + size - 16, from + size - 16, 16);
	} else if (size >= 8) {
		memcpy(to, from, 8);
		memcpy(to + size - 8, from + size - 8, 8);
	} else if (size >= 4) {
		memcpy(to, from, 4);
		memcpy(to + size - 4, from + size - 4, 4);
	} else {
		for (size_t at = 0; at < size; at++)
			to[at] = from[at];
	}
}

/* Zeros where the record is too short. */
static size_t put_fixed(char *to, size_t room, const struct kernel_step *step, const char *record,
			size_t size)
{
	size_t there = step->offset < size ? size - step->offset : 0;

	if (room < step->size)
		return 0;
	if (there >= step->size) {
		memcpy(to, record + step->offset, step->size);
		return step->size;
	}
	if (there > 0)
		memcpy(to, record + step->offset, there);
	memset(to + there, 0, step->size - there);
	return step->size;
}

/* Converts one field. Returns its size; 0: there is no room. */
static size_t put_step(char *to, size_t room, const struct kernel_step *step, const char *record,
		       size_t size)
{
	const char *bytes;
	size_t length;

	if (step->place == KERNEL_PLACE_FIXED)
		return put_fixed(to, room, step, record, size);
	bytes = find_bytes(step, record, size, &length);
	return step->element ? put_sequence(to, room, bytes, length, step->element)
			     : put_string(to, room, bytes, length);
}

/* Converts the fields from step `next` on, to fields + done. Returns the size of all, or -ENOBUFS.
 */
static __attribute__((noinline)) ssize_t put_rest(const struct kernel_class *class, uint32_t next,
						  const char *record, size_t size, char *fields,
						  size_t room, size_t done)
{
	for (; next < class->nr_steps; next++) {
		size_t taken =
			put_step(fields + done, room - done, &class->steps[next], record, size);

		if (taken == 0)
			return -ENOBUFS;
		done += taken;
	}
	return (ssize_t)done;
}

/* Most records have all of their class's first fields, and need not be looked at for each. */
ssize_t kernel_class_convert(const struct kernel_class *class, const void *record, size_t size,
			     void *fields, size_t room)
{
	const struct kernel_step *step = class->steps, *end = step + class->nr_first;
	char *to = fields;

	if (size < class->first_end || room < class->first_size)
		return put_rest(class, 0, record, size, fields, room, 0);
	for (; step < end; step++) {
		copy_bytes(to, (const char *)record + step->offset, step->size);
		to += step->size;
	}
	if (class->nr_first == class->nr_steps)
		return class->first_size;
	return put_rest(class, class->nr_first, record, size, fields, room, class->first_size);
}
