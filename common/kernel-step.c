/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/kernel-step.h"

#include <errno.h>
#include <string.h>

#include "common/kernel-class.h"

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

ssize_t kernel_class_convert(const struct kernel_class *class, const void *record, size_t size,
			     void *fields, size_t room)
{
	char *to = fields;

	for (uint32_t i = 0; i < class->nr_steps; i++) {
		const struct kernel_step *step = &class->steps[i];
		size_t left = room - (size_t)(to - (char *)fields);
		size_t length, taken;
		const char *bytes;

		if (step->place == KERNEL_PLACE_FIXED) {
			taken = put_fixed(to, left, step, record, size);
		} else {
			bytes = find_bytes(step, record, size, &length);
			taken = step->element ? put_sequence(to, left, bytes, length, step->element)
					      : put_string(to, left, bytes, length);
		}
		if (taken == 0)
			return -ENOBUFS;
		to += taken;
	}
	return to - (char *)fields;
}
