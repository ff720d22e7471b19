/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/ring-check.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <urcu.h>

#include "liblttngmap/event/ring-write.h"

#define EVENT_ID 5
#define COPY_MAX (1u << 20)
#define FIXED_SIZE 24u

struct fields {
	uint64_t writer;
	uint64_t number;
	uint64_t words; /* and what tells a whole record from half of two */
	uint64_t fill[RING_CHECK_WORDS_MAX];
};

static uint64_t seal(const struct fields *fields, uint64_t words)
{
	uint64_t hash = (fields->number + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ fields->writer << 32;

	return (hash ^ hash >> 29) << 8 | words;
}

static uint64_t fill_word(const struct fields *fields, uint64_t i)
{
	return fields->writer << 56 ^ fields->number * 31 ^ i;
}

/* An odd size now and then: records are packed to bytes. */
static uint64_t fill_size(uint64_t words)
{
	return words ? words * 8 - 3 : 0;
}

void ring_check_emit(struct bench_set *bench, uint32_t writer, uint64_t number, uint64_t words)
{
	struct fields fields = { .writer = writer, .number = number };
	struct ring_event event = { .fields = &fields,
				    .size = FIXED_SIZE + fill_size(words),
				    .id = EVENT_ID };

	fields.words = seal(&fields, words);
	for (uint64_t i = 0; i < words; i++)
		fields.fill[i] = fill_word(&fields, i);
	/* In turns by the way that most events take, and by the general one. */
	if (number & 1)
		ring_write(bench->local, 0, &event);
	else
		bench_set_write(bench, &event);
}

static bool fill_is_good(const struct fields *fields, uint64_t words, const char *fill)
{
	uint64_t expected[RING_CHECK_WORDS_MAX];

	for (uint64_t i = 0; i < words; i++)
		expected[i] = fill_word(fields, i);
	return memcmp(expected, fill, fill_size(words)) == 0;
}

static void check_packet(const struct lttngmap_packet *packet, const char *data,
			 struct ring_tally *tally)
{
	const char *at = data, *end = data + packet->length;
	uint64_t clock = packet->timestamp_begin & LTTNGMAP_TIMESTAMP_MASK, events = 0;
	int64_t *last = tally->last[packet->cpu];

	while (at < end) {
		struct fields fields;
		uint64_t header, words;
		int64_t number;

		memcpy(&header, at, 8);
		memcpy(&fields, at + 8, FIXED_SIZE);
		words = fields.words & 0xff;
		number = (int64_t)fields.number;
		if ((header & 0xffff) != EVENT_ID || fields.writer >= RING_CHECK_WRITERS ||
		    words > RING_CHECK_WORDS_MAX || fields.words != seal(&fields, words)) {
			tally->torn++;
			return;
		}
		if (words && !fill_is_good(&fields, words, at + 8 + FIXED_SIZE))
			tally->torn++;
		if (header >> 16 < clock)
			tally->clock_back++;
		clock = header >> 16;
		tally->disorder += number <= last[fields.writer];
		tally->moves += number > last[fields.writer] + 1;
		last[fields.writer] = number;
		at += 8 + FIXED_SIZE + fill_size(words);
		events++;
	}
	if (at != end || events != packet->events)
		tally->torn++;
	if (events && clock > (packet->timestamp_end & LTTNGMAP_TIMESTAMP_MASK))
		tally->end_early++;
	tally->kept += events;
}

static const char *bytes_of(const struct ring_reading *reading,
			    const struct lttngmap_packet *packet)
{
	const struct bench_set *bench = reading->bench;

	if (reading->source)
		return reading->source->bytes(reading->source->data, packet);
	return bench->data + 4096 +
	       ((uint64_t)packet->subbuf_id << bench->control->channels[0].subbuf_shift) +
	       packet->offset;
}

static void look_at(const struct ring_reading *reading, const struct lttngmap_packet *packet)
{
	static char copy[COPY_MAX];
	const struct ring_source *source = reading->source;
	const struct bench_set *bench = reading->bench;
	struct ring_tally *tally = reading->tally;

	memcpy(copy, bytes_of(reading, packet), packet->length);
	tally->packets++;
	if (packet->sequence != tally->sequence[packet->cpu]++)
		tally->sequence_gaps++;
	if (packet->discarded < tally->discarded_last[packet->cpu])
		tally->discard_back++;
	tally->discarded_last[packet->cpu] = packet->discarded;
	if ((packet->flags & LTTNGMAP_PACKET_VOLATILE) &&
	    (source ? source->check_packet(source->data) : ring_set_check_packet(bench->set)) ==
		    -ESTALE)
		tally->lapped += packet->events;
	else
		check_packet(packet, copy, tally);
}

int ring_check_read_some(const struct ring_reading *reading)
{
	const struct ring_source *source = reading->source;
	struct lttngmap_packets packets = {
		.count = reading->most ? reading->most : 1,
		.packets = { { .cpu = LTTNGMAP_CPU_ANY,
			       .flags = reading->partial ? LTTNGMAP_PACKET_PARTIAL : 0 } },
	};
	int error = source ? source->get_packets(source->data, &packets)
			   : ring_set_get_packets(reading->bench->set, &packets);

	for (uint32_t i = 0; error == 0 && i < packets.count; i++)
		look_at(reading, &packets.packets[i]);
	return error;
}

void ring_check_begin(struct ring_tally *tally)
{
	memset(tally->last, -1, sizeof(tally->last));
}

void *ring_check_read(void *data)
{
	const struct ring_reading *reading = data;

	rcu_register_thread();
	ring_check_begin(reading->tally);
	while (!ring_set_drained(reading->bench->set)) {
		if (ring_check_read_some(reading) != 0)
			usleep(100);
		else if (reading->pause_us)
			usleep(reading->pause_us);
	}
	rcu_unregister_thread();
	return NULL;
}
