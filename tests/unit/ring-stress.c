/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Both halves of the ring against each other: threads write numbered records
 * as fast as they can, one reader takes packets and checks every record. For
 * each mode, by rseq and by trylock, with signal handlers that write too:
 * emitted = kept + counted lost, nothing torn, nothing twice, in order.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <urcu.h>

#include "common/clock.h"
#include "liblttngmap/ring-write.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define WRITERS 4
#define WRITER_IDS 8 /* a thread and its signal handler */
#define WORDS_MAX 12

struct writer {
	pthread_t thread;
	uint64_t emitted[2]; /* by the thread, by its handler */
	uint32_t id;
};

struct fields {
	uint64_t writer;
	uint64_t number;
	uint64_t words;
	uint64_t fill[WORDS_MAX];
};

struct tally {
	uint64_t kept, torn, disorder, clock_back, begin_late, end_early;
	uint64_t packets, lapped;
	uint64_t discarded_last[64];
	uint64_t discard_back, sequence_gaps;
	uint64_t sequence[64];
};

static struct bench_set bench;
static uint64_t events_each;
static uint32_t writers_left;
static pthread_barrier_t done;
static __thread struct writer *self;

static void emit(struct writer *writer, int by_handler)
{
	struct fields fields = {
		.writer = writer->id * 2 + (uint32_t)by_handler,
		.number = writer->emitted[by_handler]++,
	};

	struct ring_event event = { .fields = &fields, .id = 5 };

	fields.words = fields.number * 7 % WORDS_MAX;
	for (uint64_t i = 0; i < fields.words; i++)
		fields.fill[i] = fields.writer << 56 ^ fields.number * 31 ^ i;
	/* An odd size now and then: records are packed to bytes. */
	event.size = 24 + fields.words * 8 - (fields.words ? 3 : 0);
	ring_write(bench.local, 0, &event);
}

static void on_signal(int number)
{
	int before = errno;

	(void)number;
	if (self)
		emit(self, 1);
	errno = before;
}

static void *write_events(void *argument)
{
	self = argument;
	errno = 4711;
	for (uint64_t i = 0; i < events_each; i++)
		emit(self, 0);
	if (errno != 4711)
		self->emitted[0] = UINT64_MAX / 2;
	self = NULL;
	__atomic_sub_fetch(&writers_left, 1, __ATOMIC_RELAXED);
	/* The thread exists as long as signals are sent to it. */
	pthread_barrier_wait(&done);
	return NULL;
}

/* Signals to all writers, as fast as they come, while any of them writes. */
static void interrupt(struct writer *writers)
{
	while (__atomic_load_n(&writers_left, __ATOMIC_RELAXED)) {
		for (uint32_t i = 0; i < WRITERS; i++)
			pthread_kill(writers[i].thread, SIGUSR1);
		usleep(10);
	}
	pthread_barrier_wait(&done);
}

static bool fill_is_good(const struct fields *fields, const char *record, uint64_t bytes)
{
	char expected[sizeof(fields->fill)];

	for (uint64_t i = 0; i < fields->words; i++) {
		uint64_t word = fields->writer << 56 ^ fields->number * 31 ^ i;

		memcpy(expected + i * 8, &word, 8);
	}
	return memcmp(expected, record + 32, bytes) == 0;
}

static void check_packet(const struct lttngmap_packet *packet, const char *data,
			 struct tally *tally, int64_t (*last)[WRITER_IDS])
{
	const char *at = data, *end = data + packet->length;
	uint64_t clock = packet->timestamp_begin & LTTNGMAP_TIMESTAMP_MASK, events = 0;

	while (at < end) {
		struct fields fields;
		uint64_t header, bytes;

		memcpy(&header, at, 8);
		memcpy(&fields, at + 8, 24);
		if ((header & 0xffff) != 5 || fields.writer >= WRITER_IDS ||
		    fields.words >= WORDS_MAX) {
			tally->torn++;
			return;
		}
		bytes = fields.words ? fields.words * 8 - 3 : 0;
		if (!fill_is_good(&fields, at, bytes))
			tally->torn++;
		if (header >> 16 < clock)
			tally->clock_back++;
		clock = header >> 16;
		if ((int64_t)fields.number <= last[packet->cpu][fields.writer])
			tally->disorder++;
		last[packet->cpu][fields.writer] = (int64_t)fields.number;
		at += 32 + bytes;
		events++;
	}
	if (at != end || events != packet->events)
		tally->torn++;
	if (events && clock > (packet->timestamp_end & LTTNGMAP_TIMESTAMP_MASK))
		tally->end_early++;
	tally->kept += events;
}

/* Read until the set is drained; `pause_us` makes the reader slow. */
static void read_all(struct tally *tally, unsigned pause_us, bool partial)
{
	static int64_t last[64][WRITER_IDS];
	static char copy[1 << 20];

	memset(last, -1, sizeof(last));
	while (!ring_set_drained(bench.set)) {
		struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY,
						  .flags = partial ? LTTNGMAP_PACKET_PARTIAL : 0 };

		if (ring_set_get_packet(bench.set, &packet) < 0) {
			usleep(100);
			continue;
		}
		memcpy(copy,
		       bench.data + 4096 +
			       ((uint64_t)packet.subbuf_id
				<< bench.control->channels[0].subbuf_shift) +
			       packet.offset,
		       packet.length);
		tally->packets++;
		if (packet.sequence != tally->sequence[packet.cpu]++)
			tally->sequence_gaps++;
		if (packet.discarded < tally->discarded_last[packet.cpu])
			tally->discard_back++;
		tally->discarded_last[packet.cpu] = packet.discarded;
		if ((packet.flags & LTTNGMAP_PACKET_VOLATILE) &&
		    ring_set_check_packet(bench.set) == -ESTALE)
			tally->lapped += packet.events;
		else
			check_packet(&packet, copy, tally, last);
		if (pause_us)
			usleep(pause_us);
	}
}

struct reading {
	struct tally *tally;
	unsigned pause_us;
	bool partial;
};

static void *read_in_thread(void *argument)
{
	struct reading *reading = argument;

	rcu_register_thread();
	read_all(reading->tally, reading->pause_us, reading->partial);
	rcu_unregister_thread();
	return NULL;
}

static void run(const char *name, const struct bench_set_config *config, unsigned pause_us,
		bool partial)
{
	struct writer writers[WRITERS] = { 0 };
	struct tally tally = { 0 };
	struct reading reading = { &tally, pause_us, partial };
	uint64_t emitted = 0, lost;
	pthread_t reader;

	bench_set_create(&bench, config);
	pthread_create(&reader, NULL, read_in_thread, &reading);
	pthread_barrier_init(&done, NULL, WRITERS + 1);
	writers_left = WRITERS;
	for (uint32_t i = 0; i < WRITERS; i++) {
		writers[i].id = i;
		pthread_create(&writers[i].thread, NULL, write_events, &writers[i]);
	}
	interrupt(writers);
	for (uint32_t i = 0; i < WRITERS; i++)
		pthread_join(writers[i].thread, NULL);
	pthread_barrier_destroy(&done);
	bench_set_stop(&bench);
	pthread_join(reader, NULL);

	for (uint32_t i = 0; i < WRITERS; i++)
		emitted += writers[i].emitted[0] + writers[i].emitted[1];
	lost = bench.totals.discarded + bench.totals.overwritten;
	diag("%s: emitted %llu, kept %llu, discarded %llu, overwritten %llu (lapped %llu), "
	     "%llu packets, %llu by handlers",
	     name, (unsigned long long)emitted, (unsigned long long)tally.kept,
	     (unsigned long long)bench.totals.discarded,
	     (unsigned long long)bench.totals.overwritten, (unsigned long long)tally.lapped,
	     (unsigned long long)tally.packets,
	     (unsigned long long)(emitted - WRITERS * events_each));
	is(tally.kept + lost + __atomic_load_n(&bench.local->lost, __ATOMIC_RELAXED), emitted,
	   "emitted = kept + counted lost");
	is(bench.totals.delivered, tally.kept, "the daemon's count of delivered events is exact");
	is(tally.torn, 0, "no record is torn");
	is(tally.disorder, 0, "each writer's records are in order, none twice");
	is(tally.clock_back + tally.end_early, 0, "timestamps are monotonic, within the packet");
	is(tally.discard_back + tally.sequence_gaps, 0, "discard counts and packet numbers go up");
	is(bench.totals.closed_rings, 0, "no ring was found spoiled");
	if (config->mode == LTTNGMAP_MODE_BLOCKING)
		is(lost, 0, "blocking loses nothing");
	bench_set_destroy(&bench);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		struct bench_set_config config;
		unsigned pause_us;
		bool partial;
	} cases[] = {
		{ "discard",
		  { LTTNGMAP_MODE_DISCARD, LTTNGMAP_CLOCK_TSC, 12, 2, true, false, NULL },
		  0,
		  false },
		{ "discard, slow partial reader",
		  { LTTNGMAP_MODE_DISCARD, LTTNGMAP_CLOCK_TSC, 14, 1, true, false, NULL },
		  300,
		  true },
		{ "blocking",
		  { LTTNGMAP_MODE_BLOCKING, LTTNGMAP_CLOCK_TSC, 13, 1, true, false, NULL },
		  0,
		  false },
		{ "overwrite",
		  { LTTNGMAP_MODE_OVERWRITE, LTTNGMAP_CLOCK_TSC, 12, 2, true, false, NULL },
		  50,
		  false },
		{ "overwrite, partial reader",
		  { LTTNGMAP_MODE_OVERWRITE, LTTNGMAP_CLOCK_TSC, 12, 1, true, false, NULL },
		  20,
		  true },
		{ "overwrite, monotonic clock",
		  { LTTNGMAP_MODE_OVERWRITE, LTTNGMAP_CLOCK_MONOTONIC, 12, 1, true, false, NULL },
		  0,
		  true },
	};
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	rcu_register_thread();
	ring_set_table_create();
	events_each = argc > 1 ? strtoull(argv[1], NULL, 0) : 250000;
	sigaction(SIGUSR1, &action, NULL);
	for (unsigned rseq = 0; rseq < 2; rseq++) {
		for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct bench_set_config config = cases[i].config;
			char name[100];

			config.use_rseq = rseq;
			snprintf(name, sizeof(name), "%s by %s", cases[i].name,
				 rseq ? "rseq" : "trylock");
			run(name, &config, cases[i].pause_us, cases[i].partial);
		}
	}
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
