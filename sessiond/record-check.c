/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/record-check.h"

#include <stddef.h>
#include <string.h>

#include "common/context.h"

struct walk {
	const char *at;
	uint64_t left;
};

static bool pass(struct walk *walk, uint64_t size)
{
	if (size > walk->left)
		return false;
	walk->at += size;
	walk->left -= size;
	return true;
}

static bool pass_sequence(struct walk *walk, uint64_t element)
{
	uint32_t count;

	if (walk->left < sizeof(count))
		return false;
	memcpy(&count, walk->at, sizeof(count));
	return pass(walk, sizeof(count)) && pass(walk, count * element);
}

static bool pass_string(struct walk *walk)
{
	const char *end = memchr(walk->at, '\0', walk->left);

	return end && pass(walk, (uint64_t)(end - walk->at) + 1);
}

static bool pass_field(struct walk *walk, const struct registry_field *field)
{
	switch (field->kind) {
	case LTTNGMAP_FIELD_STRING:
		return pass_string(walk);
	case LTTNGMAP_FIELD_ARRAY:
		return pass(walk, (uint64_t)field->count * field->size);
	case LTTNGMAP_FIELD_TEXT:
		return pass(walk, field->count);
	case LTTNGMAP_FIELD_SEQUENCE:
		return pass_sequence(walk, field->size);
	case LTTNGMAP_FIELD_TEXT_SEQUENCE:
		return pass_sequence(walk, 1);
	default:
		return pass(walk, field->size);
	}
}

static uint64_t contexts_size(uint64_t contexts)
{
	uint64_t size = 0;

	for (unsigned i = 0; i < LTTNGMAP_CONTEXTS; i++)
		if (contexts >> i & 1)
			size += context_kinds[i].size;
	return size;
}

/* *time is moved to the record's. */
static bool pass_record(struct walk *walk, const struct record_format *format, uint64_t *time,
			uint64_t latest)
{
	const struct registry_class *event_class;
	uint64_t header;
	uint16_t id;

	if (walk->left < sizeof(header))
		return false;
	memcpy(&header, walk->at, sizeof(header));
	id = (uint16_t)header;
	event_class = registry_get(format->registry, id);
	if (!event_class || !(format->described[id / 64] >> id % 64 & 1))
		return false;
	*time += ((header >> 16) - *time) & LTTNGMAP_TIMESTAMP_MASK;
	if (*time > latest || !pass(walk, sizeof(header)) ||
	    !pass(walk, contexts_size(format->contexts)))
		return false;
	for (unsigned i = 0; i < event_class->nr_fields; i++)
		if (!pass_field(walk, &event_class->fields[i]))
			return false;
	return true;
}

bool record_check(const struct record_format *format, const struct lttngmap_packet *packet,
		  const void *bytes)
{
	struct walk walk = { .at = bytes, .left = packet->length };
	uint64_t time = packet->timestamp_begin;

	/* A sub-buffer takes records for less than that: see liblttngmap/ring.h. */
	if (packet->timestamp_end - packet->timestamp_begin > LTTNGMAP_TIMESTAMP_MASK >> 1)
		return false;
	for (uint64_t i = 0; i < packet->events; i++)
		if (!pass_record(&walk, format, &time, packet->timestamp_end))
			return false;
	return walk.left == 0;
}
