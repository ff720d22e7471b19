/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-packet.c - the kernel's events, as events/header_page and
 * events/header_event of tracefs describe them: a word of type_len:5 and
 * time_delta:27, then, depending on type_len, words
 *
 *   1..28   so many words of data
 *   0       length, data: the length counts its own word, too
 *   29      length: nothing, up to where that leads; without a time_delta,
 *           nothing up to the sub-buffer's end
 *   30      the high bits of the difference of time
 *   31      the high bits of a time, but for the five highest
 *
 * libtraceevent's kbuffer walks these too, and tests/unit/kernel-packet asks it;
 * but it trusts each length, reads the commit word anew, which the kernel
 * changes meanwhile, and reads beyond what that says.
 */
#include "consumerd/kernel/kernel-packet.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include <lttngmap/abi.h>

#define PAGE_HEADER_SIZE 16u

enum type_len {
	TYPE_LONG = 0,
	TYPE_DATA_MAX = 28,
	TYPE_PADDING = 29,
	TYPE_TIME_EXTEND = 30,
	TYPE_TIME_STAMP = 31,
};

#define DELTA_BITS 27
/* An event's own time is 59 bits; the others are those of the time before. */
#define STAMP_MASK ((UINT64_C(1) << 59) - 1)

/* One packet: timestamps of 48 bits are unambiguous for so long. */
#define SPAN_MAX (UINT64_C(1) << (LTTNGMAP_POSITION_BITS - 1))

struct walk {
	const uint8_t *page;
	uint32_t at;
	uint32_t end;
	uint64_t time;
};

struct event {
	const uint8_t *data; /* NULL: none, but time passed */
	uint32_t size;
};

static uint32_t get_word(const struct walk *walk, uint32_t at)
{
	uint32_t word;

	memcpy(&word, walk->page + at, sizeof(word));
	return word;
}

/* Bit fields of a C compiler: the first is where the byte order begins. */
static void split_word(uint32_t word, uint32_t *type_len, uint32_t *delta)
{
#if __BYTE_ORDER == __LITTLE_ENDIAN
	*type_len = word & 31;
	*delta = word >> 5;
#else
	*type_len = word >> DELTA_BITS;
	*delta = word & ((UINT32_C(1) << DELTA_BITS) - 1);
#endif
}

/* The five bits that it lacks are those before, or the next ones. */
static uint64_t complete_stamp(uint64_t stamp, uint64_t before)
{
	uint64_t time = stamp | (before & ~STAMP_MASK);

	return before & ~STAMP_MASK && time < before ? time + STAMP_MASK + 1 : time;
}

/* Reads the second word of an event that has one: its size, or the time. 0 or -EBADMSG. */
static int take_second(struct walk *walk, uint32_t type_len, uint32_t delta, struct event *event,
		       uint32_t *size)
{
	uint32_t second;
	uint64_t time;

	if (walk->end - walk->at < 2 * sizeof(uint32_t))
		return -EBADMSG;
	second = get_word(walk, walk->at + sizeof(uint32_t));
	time = (uint64_t)second << DELTA_BITS | delta;
	*size = 2 * sizeof(uint32_t);
	if (type_len == TYPE_TIME_EXTEND) {
		walk->time += time;
		return 0;
	}
	if (type_len == TYPE_TIME_STAMP) {
		walk->time = complete_stamp(time & STAMP_MASK, walk->time);
		return 0;
	}
	if (second < sizeof(uint32_t) || second > walk->end - walk->at - sizeof(uint32_t))
		return -EBADMSG;
	*size = (uint32_t)sizeof(uint32_t) + ((second + 3) & ~UINT32_C(3));
	if (type_len == TYPE_LONG) {
		walk->time += delta;
		event->data = walk->page + walk->at + 2 * sizeof(uint32_t);
		event->size = second - (uint32_t)sizeof(uint32_t);
	} else if (delta > 1) {
		/* Taken back after it had its time; 1 stands for none. */
		walk->time += delta;
	}
	return 0;
}

/* The same for an event that is no data of up to 28 words. 0 or -EBADMSG, as take_event(). */
static int take_rare(struct walk *walk, uint32_t type_len, uint32_t delta, struct event *event)
{
	uint32_t size;
	int error;

	if (type_len == TYPE_PADDING && delta == 0) {
		walk->at = walk->end;
		return 0;
	}
	if (type_len >= 1 && type_len <= TYPE_DATA_MAX)
		return -EBADMSG; /* longer than what is left */
	error = take_second(walk, type_len, delta, event, &size);
	if (error)
		return error;
	walk->at += size < walk->end - walk->at ? size : walk->end - walk->at;
	return 0;
}

/*
 * The event at walk->at, and beyond it. 0 or -EBADMSG: walk->at is as before. Rare
 * cases work on copies, so that the compiler may keep place and time in registers in the others.
 */
static inline int take_event(struct walk *walk, struct event *event)
{
	struct event rare_event = { .data = NULL };
	uint32_t type_len, delta, left = walk->end - walk->at;
	struct walk rare;
	int error;

	*event = rare_event;
	if (left < sizeof(uint32_t))
		return -EBADMSG;
	split_word(get_word(walk, walk->at), &type_len, &delta);
	if (type_len - 1 < TYPE_DATA_MAX &&
	    type_len * sizeof(uint32_t) <= left - sizeof(uint32_t)) {
		event->data = walk->page + walk->at + sizeof(uint32_t);
		event->size = type_len * (uint32_t)sizeof(uint32_t);
		walk->time += delta;
		walk->at += event->size + (uint32_t)sizeof(uint32_t);
		return 0;
	}
	rare = *walk;
	error = take_rare(&rare, type_len, delta, &rare_event);
	*walk = rare;
	*event = rare_event;
	return error;
}

/* To the packet's first event, or to where the cursor is in it. 0 or -EBADMSG. */
static int begin_walk(const struct kernel_cursor *cursor, const struct lttngmap_packet *packet,
		      const void *page, struct walk *walk)
{
	struct event event;
	uint64_t page_time;
	int error = 0;

	if (packet->offset < PAGE_HEADER_SIZE || packet->length > UINT32_MAX - packet->offset)
		return -EBADMSG;
	memcpy(&page_time, page, sizeof(page_time));
	*walk = (struct walk){
		.page = page,
		.at = PAGE_HEADER_SIZE,
		.end = packet->offset + packet->length,
		.time = page_time,
	};
	if (cursor->at >= PAGE_HEADER_SIZE && cursor->at <= walk->end &&
	    cursor->subbuf_id == packet->subbuf_id && cursor->page_time == page_time) {
		walk->at = cursor->at;
		walk->time = cursor->time;
	}
	while (walk->at < packet->offset && !error)
		error = take_event(walk, &event);
	return error;
}

/* A record: the bytes that it takes; 0: there is no class for it; -ENOBUFS: no room. */
static ssize_t put_record(const struct kernel_plan *plan, const struct event *event, uint64_t time,
			  uint8_t *to, size_t room)
{
	const struct kernel_class *class;
	uint16_t id;
	ssize_t fields;

	if (event->size < sizeof(id))
		return 0;
	memcpy(&id, event->data, sizeof(id));
	class = kernel_plan_class(plan, id);
	if (!class)
		return 0;
	if (room < LTTNGMAP_RECORD_HEADER_SIZE)
		return -ENOBUFS;
	fields = kernel_class_convert(class, event->data, event->size,
				      to + LTTNGMAP_RECORD_HEADER_SIZE,
				      room - LTTNGMAP_RECORD_HEADER_SIZE);
	if (fields < 0)
		return fields;
	memcpy(to, &(uint64_t){ id | time << 16 }, LTTNGMAP_RECORD_HEADER_SIZE);
	return (ssize_t)LTTNGMAP_RECORD_HEADER_SIZE + fields;
}

/* The body as filled so far. */
struct filling {
	uint8_t *body;
	size_t room;
	size_t size;
	uint64_t events;
	uint64_t begin;
};

/* One event: into the body, or dropped. false: it belongs into the next packet. */
static bool add_event(const struct kernel_plan *plan, const struct event *event, uint64_t time,
		      struct filling *filling, struct kernel_cursor *next)
{
	ssize_t put;

	if (time <= next->after)
		return true;
	/* The kernel's time goes forward; readers end at one that does not. */
	if (time < next->last)
		time = next->last;
	if (filling->events > 0 && time - filling->begin >= SPAN_MAX)
		return false;
	put = put_record(plan, event, time, filling->body + filling->size,
			 filling->room - filling->size);
	if (put == -ENOBUFS && filling->events > 0)
		return false;
	if (put <= 0) {
		next->dropped++;
		return true;
	}
	if (filling->events++ == 0)
		filling->begin = time;
	filling->size += (size_t)put;
	next->last = time;
	return true;
}

/* Into the body what there is and has room. 0, 1: there is more; -EBADMSG. */
static int fill(const struct kernel_plan *plan, struct walk *walk, struct filling *filling,
		struct kernel_cursor *next)
{
	struct event event;
	int error;

	while (walk->at < walk->end) {
		uint32_t at = walk->at;
		uint64_t time = walk->time;

		error = take_event(walk, &event);
		/* Events before the error are returned first. */
		if (error)
			return filling->events > 0 ? 1 : error;
		if (event.data && !add_event(plan, &event, walk->time, filling, next)) {
			walk->at = at;
			walk->time = time;
			return 1;
		}
	}
	return 0;
}

int kernel_packet_convert(const struct kernel_plan *plan, const struct kernel_cursor *cursor,
			  const struct lttngmap_packet *packet, const void *page, void *body,
			  size_t room, struct kernel_converted *converted)
{
	struct filling filling = { .body = body, .room = room < UINT32_MAX ? room : UINT32_MAX };
	struct kernel_cursor *next = &converted->next;
	struct walk walk;
	int more = begin_walk(cursor, packet, page, &walk);

	if (more < 0)
		return more;
	*next = *cursor;
	more = fill(plan, &walk, &filling, next);
	if (more < 0)
		return more;
	/* Without an event, it is of the time that was come to. */
	if (filling.events == 0) {
		filling.begin = walk.time > next->last ? walk.time : next->last;
		next->last = filling.begin;
	}
	next->told = packet->discarded + next->dropped;
	converted->is_empty = filling.events == 0 && next->told == cursor->told;
	/* Readers take a number that is left out for a lost packet. */
	next->sequence += !converted->is_empty;
	next->subbuf_id = packet->subbuf_id;
	memcpy(&next->page_time, page, sizeof(next->page_time));
	next->at = walk.at;
	next->time = walk.time;
	converted->more = more;
	converted->packet = *packet;
	converted->packet.flags = 0;
	converted->packet.offset = 0;
	converted->packet.length = (uint32_t)filling.size;
	converted->packet.sequence = cursor->sequence;
	converted->packet.timestamp_begin = filling.begin;
	converted->packet.timestamp_end = next->last;
	converted->packet.events = filling.events;
	converted->packet.discarded = next->told;
	return 0;
}
