/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/record/record-layout.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lttngmap/abi.h>

#define HEADER_SIZE sizeof(uint64_t)
#define ID_BITS 16
/* No packet is so long: what has more bytes than that runs past any. */
#define SIZE_MAX_KEPT ((UINT32_C(1) << 30) - 1)
/* A string of so many bytes is looked through word by word, a longer one by memchr(). */
#define STRING_SHORT 32
#define NO_ID (UINT32_C(1) << ID_BITS)

/* A word of a program: what, and in the low 30 bits of how many bytes. */
enum step { STEP_END, STEP_SKIP, STEP_STRING, STEP_SEQUENCE };

static uint32_t make_step(enum step step, uint64_t size)
{
	return (uint32_t)step << 30 | (uint32_t)(size < SIZE_MAX_KEPT ? size : SIZE_MAX_KEPT);
}

/*
 * An event in a stream's table. 0: unknown. Odd: bytes of all fields, times 2. Even: where its
 * program begins, times 2; no program begins at 0.
 */
static uint32_t make_fixed(uint32_t size)
{
	return size << 1 | 1;
}

struct stream {
	bool is_known;
	uint64_t base;     /* bytes before the fields */
	uint32_t sequence; /* of each element of the sequence that is between; 0: none */
	uint32_t *events;  /* by id */
	uint32_t nr_events;
};

struct record_layout {
	struct stream streams[LTTNGMAP_CHANNELS];
	uint32_t *steps; /* all programs */
	uint32_t nr_steps, steps_room;
};

struct record_layout *record_layout_create(void)
{
	return calloc(1, sizeof(struct record_layout));
}

void record_layout_destroy(struct record_layout *layout)
{
	if (!layout)
		return;
	for (size_t i = 0; i < LTTNGMAP_CHANNELS; i++)
		free(layout->streams[i].events);
	free(layout->steps);
	free(layout);
}

/* ---- what is known ----------------------------------------------------------------- */

int record_layout_add_stream(struct record_layout *layout, uint32_t stream_id, uint64_t contexts,
			     uint64_t sequence)
{
	if (stream_id >= LTTNGMAP_CHANNELS || contexts > SIZE_MAX_KEPT || sequence > SIZE_MAX_KEPT)
		return -EINVAL;
	layout->streams[stream_id].is_known = true;
	layout->streams[stream_id].base = HEADER_SIZE + contexts;
	layout->streams[stream_id].sequence = (uint32_t)sequence;
	return 0;
}

/* The stream's table has a place for that id. */
static int make_place(struct stream *stream, uint32_t id)
{
	uint32_t count = stream->nr_events ? stream->nr_events : 64, *events;

	if (id < stream->nr_events)
		return 0;
	while (count <= id)
		count *= 2;
	events = reallocarray(stream->events, count, sizeof(*events));
	if (!events)
		return -ENOMEM;
	memset(events + stream->nr_events, 0, (count - stream->nr_events) * sizeof(*events));
	stream->events = events;
	stream->nr_events = count;
	return 0;
}

static int make_steps(struct record_layout *layout, uint64_t more)
{
	uint64_t room = layout->steps_room ? layout->steps_room : 64;
	uint32_t *steps;

	while (room < (uint64_t)layout->nr_steps + more)
		room *= 2;
	if (room == layout->steps_room)
		return 0;
	/* A place has to be told by 31 bits. */
	steps = room < INT32_MAX ? reallocarray(layout->steps, room, sizeof(*steps)) : NULL;
	if (!steps)
		return -ENOMEM;
	layout->steps = steps;
	layout->steps_room = (uint32_t)room;
	return 0;
}

static int add_program(struct record_layout *layout, const struct record_part *parts,
		       size_t nr_parts, uint32_t *event)
{
	static const enum step step_of[] = {
		[RECORD_PART_FIXED] = STEP_SKIP,
		[RECORD_PART_STRING] = STEP_STRING,
		[RECORD_PART_SEQUENCE] = STEP_SEQUENCE,
	};
	/* One more, as none begins at 0. */
	int error = make_steps(layout, nr_parts + 2);

	if (error)
		return error;
	layout->nr_steps += layout->nr_steps == 0;
	*event = layout->nr_steps << 1;
	for (size_t i = 0; i < nr_parts; i++)
		layout->steps[layout->nr_steps++] =
			make_step(step_of[parts[i].kind], parts[i].size);
	layout->steps[layout->nr_steps++] = make_step(STEP_END, 0);
	return 0;
}

int record_layout_add_event(struct record_layout *layout, uint32_t stream_id, uint16_t id,
			    const struct record_part *parts, size_t nr_parts)
{
	struct stream *stream;
	bool is_fixed = true;
	uint64_t size = 0;
	int error;

	if (stream_id >= LTTNGMAP_CHANNELS || !layout->streams[stream_id].is_known)
		return -EINVAL;
	stream = &layout->streams[stream_id];
	error = make_place(stream, id);
	if (error || stream->events[id])
		return error;
	for (size_t i = 0; i < nr_parts; i++) {
		is_fixed &= parts[i].kind == RECORD_PART_FIXED;
		size += parts[i].size < SIZE_MAX_KEPT ? parts[i].size : SIZE_MAX_KEPT;
	}
	if (!is_fixed)
		return add_program(layout, parts, nr_parts, &stream->events[id]);
	stream->events[id] = make_fixed((uint32_t)(size < SIZE_MAX_KEPT ? size : SIZE_MAX_KEPT));
	return 0;
}

static bool is_same_program(const uint32_t *a, const uint32_t *b)
{
	while (*a == *b && *a >> 30 != STEP_END)
		a++, b++;
	return *a == *b;
}

static bool is_covered(const struct record_layout *layout, const struct record_layout *other,
		       uint32_t stream_id)
{
	const struct stream *here = &layout->streams[stream_id];
	const struct stream *there = &other->streams[stream_id];

	if (there->is_known &&
	    (!here->is_known || here->base != there->base || here->sequence != there->sequence))
		return false;
	for (uint32_t id = 0; id < there->nr_events; id++) {
		uint32_t event = id < here->nr_events ? here->events[id] : 0;

		if (!there->events[id])
			continue;
		if (!event || (event & 1) != (there->events[id] & 1))
			return false;
		if (event & 1 ? event != there->events[id]
			      : !is_same_program(layout->steps + (event >> 1),
						 other->steps + (there->events[id] >> 1)))
			return false;
	}
	return true;
}

bool record_layout_covers(const struct record_layout *layout, const struct record_layout *other)
{
	for (uint32_t id = 0; id < LTTNGMAP_CHANNELS; id++)
		if (!is_covered(layout, other, id))
			return false;
	return true;
}

/* ---- the walk ---------------------------------------------------------------------- */

/* How many bytes stand before the first NUL; `left`: there is none. Most strings are short. */
static uint64_t find_end(const char *text, uint64_t left)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t at = 0, word;
	const char *end;

	for (; at < STRING_SHORT && left - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, text + at, sizeof(word));
		/* The lowest of these bits is in the first byte that is 0. */
		word = (le64toh(word) - ones) & ~le64toh(word) & (ones << 7);
		if (word)
			return at + (uint64_t)__builtin_ctzll(word) / 8;
	}
	end = memchr(text + at, '\0', left - at);
	return end ? (uint64_t)(end - text) : left;
}

/* Bytes of the fields at `fields`, of which `left` are there; *wrong where they are not all. */
static uint64_t measure(const uint32_t *step, const char *fields, uint64_t left,
			enum record_wrong *wrong)
{
	uint64_t size = 0;

	for (;; step++) {
		uint64_t end;
		uint32_t count;

		switch ((enum step)(*step >> 30)) {
		case STEP_SKIP:
			size += *step & SIZE_MAX_KEPT;
			break;
		case STEP_STRING:
			end = size + find_end(fields + size, left - size);
			if (end == left) {
				*wrong = RECORD_STRING;
				return 0;
			}
			size = end + 1;
			break;
		case STEP_SEQUENCE:
			if (left - size < sizeof(count)) {
				*wrong = RECORD_LENGTH;
				return 0;
			}
			memcpy(&count, fields + size, sizeof(count));
			size += sizeof(count) + (uint64_t)count * (*step & SIZE_MAX_KEPT);
			break;
		default:
			return size;
		}
		if (size > left) {
			*wrong = RECORD_LENGTH;
			return 0;
		}
	}
}

/* Bytes before the fields; more than are left: the sequence runs past the packet. */
static uint64_t find_fields(const struct stream *stream, const char *at, uint64_t left)
{
	uint32_t count;

	if (!stream->sequence)
		return stream->base;
	if (left < stream->base + sizeof(count))
		return UINT64_MAX;
	memcpy(&count, at + stream->base, sizeof(count));
	return stream->base + sizeof(count) + (uint64_t)count * stream->sequence;
}

/*
 * The bytes of the record at `at`, which is not of the id before. Not inlined: the walk
 * guesses that a record is as long as the one before, and is not to wait for tables then.
 */
static __attribute__((noinline)) uint64_t look_up(const struct record_layout *layout,
						  const struct stream *stream, uint32_t id,
						  const char *at, uint64_t left,
						  enum record_wrong *wrong, uint32_t *same)
{
	uint32_t event = id < stream->nr_events ? stream->events[id] : 0;
	uint64_t fields;

	*same = NO_ID;
	if (!event) {
		*wrong = RECORD_ID;
		return 0;
	}
	if (event & 1 && !stream->sequence) {
		*same = id;
		return stream->base + (event >> 1);
	}
	fields = find_fields(stream, at, left);
	if (left < fields) {
		*wrong = RECORD_LENGTH;
		return 0;
	}
	if (event & 1)
		return fields + (event >> 1);
	return fields + measure(layout->steps + (event >> 1), at + fields, left - fields, wrong);
}

static bool find_fault(struct record_fault *fault, enum record_wrong wrong, uint32_t id,
		       uint64_t offset)
{
	*fault = (struct record_fault){ .wrong = wrong, .id = (uint16_t)id, .offset = offset };
	return false;
}

bool record_layout_check(const struct record_layout *layout, uint32_t stream_id,
			 const struct record_span *span, struct record_fault *fault)
{
	const char *bytes = span->bytes;
	uint64_t at = 0, count = 0, time = 0, size = 0, lasts = span->end - span->begin;
	enum record_wrong wrong = RECORD_SOUND;
	const struct stream *stream;
	uint32_t id, same = NO_ID;

	if (stream_id >= LTTNGMAP_CHANNELS || !layout->streams[stream_id].is_known)
		return find_fault(fault, RECORD_STREAM, stream_id, 0);
	/* A sub-buffer takes records for less than that: see liblttngmap/ring/ring.h. */
	if (lasts > LTTNGMAP_TIMESTAMP_MASK >> 1)
		return find_fault(fault, RECORD_SPAN, 0, 0);
	stream = &layout->streams[stream_id];
	for (; at < span->length; at += size, count++) {
		uint64_t left = span->length - at, header, since;

		if (left < sizeof(header))
			return find_fault(fault, RECORD_TORN, 0, at);
		memcpy(&header, bytes + at, sizeof(header));
		id = (uint16_t)header;
		/* Since the packet began: each by itself, so that none waits for the one before. */
		since = ((header >> ID_BITS) - span->begin) & LTTNGMAP_TIMESTAMP_MASK;
		if (id != same)
			size = look_up(layout, stream, id, bytes + at, left, &wrong, &same);
		if (wrong != RECORD_SOUND)
			return find_fault(fault, wrong, id, at);
		if (since < time || since > lasts)
			return find_fault(fault, RECORD_TIME, id, at);
		if (size > left)
			return find_fault(fault, RECORD_LENGTH, id, at);
		time = since;
	}
	if (span->events != RECORD_COUNT_UNKNOWN && span->events != count)
		return find_fault(fault, RECORD_COUNT, 0, span->length);
	return true;
}

const char *record_fault_text(const struct record_fault *fault, char text[RECORD_FAULT_TEXT_SIZE])
{
	static const char *const texts[] = {
		[RECORD_SOUND] = "sound",
		[RECORD_STREAM] = "unknown stream",
		[RECORD_SPAN] = "packet that ends before it begins",
		[RECORD_TORN] = "torn record",
		[RECORD_ID] = "unknown event",
		[RECORD_TIME] =
			"event with a time outside its packet, or before the event in front of it",
		[RECORD_LENGTH] = "record that runs past the packet",
		[RECORD_STRING] = "string without an end",
		[RECORD_COUNT] = "other number of records than was said",
	};

	snprintf(text, RECORD_FAULT_TEXT_SIZE,
		 "%s (event id %u, %" PRIu64 " bytes into the packet)", texts[fault->wrong],
		 fault->id, fault->offset);
	return text;
}
