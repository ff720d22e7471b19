/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/stream/stream-circle.h"

#include <stddef.h>

#include "common/protocol/relay-journal.h"

#define TURN_PACKETS 4

static struct circle_run *run_at(struct circle *circle, unsigned i)
{
	return &circle->runs[(circle->first + i) % CIRCLE_RUNS];
}

static void add_run(struct circle *circle, uint64_t last, uint64_t begin, uint64_t end)
{
	*run_at(circle, circle->nr_runs++) =
		(struct circle_run){ .last = last, .begin = begin, .end = end };
}

void circle_begin(struct circle *circle, uint64_t end, uint64_t packets)
{
	circle->size = RELAY_CIRCLE_SIZE;
	circle->next = end < circle->size ? end : circle->size;
	circle->first = circle->nr_runs = 0;
	if (packets)
		add_run(circle, packets - 1, 0, circle->next);
}

static void drop_runs(struct circle *circle, uint64_t confirmed, uint64_t packets)
{
	/* But the last packet. */
	uint64_t kept = confirmed < packets ? confirmed : packets ? packets - 1 : 0;

	while (circle->nr_runs && run_at(circle, 0)->last < kept) {
		circle->first = (circle->first + 1) % CIRCLE_RUNS;
		circle->nr_runs--;
	}
	if (!circle->nr_runs)
		circle->next = 0;
}

/*
 * Is it to go before what is kept? Where there is room for more than that, if it can be helped:
 * what is kept goes by and by.
 */
static bool is_turn(const struct circle *circle, uint64_t size, uint64_t oldest)
{
	uint64_t kept = circle->next - oldest;

	if (size > circle->size - circle->next)
		return size <= oldest;
	return oldest >= kept + size && oldest >= TURN_PACKETS * size;
}

struct circle_place circle_find(struct circle *circle, uint64_t size, uint64_t end,
				uint64_t confirmed, uint64_t packets)
{
	struct circle_place place = { .offset = 0 };
	uint64_t oldest;

	drop_runs(circle, confirmed, packets);
	oldest = circle->nr_runs ? run_at(circle, 0)->begin : circle->size;
	if (circle->next > oldest && is_turn(circle, size, oldest))
		return place;
	/* Behind what is kept, or between its two parts. */
	place.offset = circle->next;
	place.is_behind = circle->nr_runs == CIRCLE_RUNS ||
			  size > (circle->next > oldest ? circle->size : oldest) - circle->next;
	if (place.is_behind)
		place.offset = end;
	return place;
}

void circle_take(struct circle *circle, struct circle_place place, uint64_t size, uint64_t packet)
{
	uint64_t end = place.offset + size;
	struct circle_run *last;

	if (place.is_behind) {
		if (place.offset < circle->size)
			circle->size = place.offset;
		return;
	}
	last = circle->nr_runs ? run_at(circle, circle->nr_runs - 1) : NULL;
	if (last && last->end == place.offset && end - last->begin <= CIRCLE_RUN_SIZE) {
		last->end = end;
		last->last = packet;
	} else {
		add_run(circle, packet, place.offset, end);
	}
	circle->next = end;
}
