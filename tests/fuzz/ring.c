/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring.c - any bytes in ring control, which a process can write as it likes:
 * the daemon's reader gives no packet outside of its sub-buffer, and comes to
 * its end. The input is what is done one after another: bytes that are
 * written somewhere, and what a reader or the daemon asks.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <urcu.h>

#include "common/base/clock.h"
#include "sessiond/ring/ring-set.h"
#include "tests/fuzz/fuzz.h"

#define META_PAGE 4096u
#define CPUS 1u
#define RINGS (CPUS + LTTNGMAP_EXTRA_RINGS)
#define SUBBUF_SHIFT 12u
#define SUBBUFS_SHIFT 3u
#define SUBBUFS (1u << SUBBUFS_SHIFT)

enum operation {
	OPERATION_WRITE,      /* bytes: ring, offset in words (2), message */
	OPERATION_WRITE_WORD, /* the same, 8 bytes */
	OPERATION_FULL,       /* ring, sub-buffers: as if so many had been filled well */
	OPERATION_GET,        /* cpu, flags */
	OPERATION_CHECK,
	OPERATION_GET_READER,
	OPERATION_POLL,
	OPERATION_FREEZE,
	OPERATION_THAW,
	OPERATION_ROTATE,
	OPERATION_END_ROTATION,
	OPERATION_CLEAR,
	OPERATION_REOPEN,
	OPERATION_GET_SEVERAL, /* cpu, how many */
	OPERATIONS,
};

struct bench {
	struct lttngmap_ring *rings;
	struct ring_set *set;
	struct ring_totals totals[2];
	unsigned int which; /* of them, since the last clear */
	uint64_t begin;
};

static size_t control_size(void)
{
	return RINGS * lttngmap_ring_stride(SUBBUFS);
}

static void check_packet(const struct lttngmap_packet *packet)
{
	FUZZ_CHECK(packet->cpu < RINGS);
	FUZZ_CHECK(packet->subbuf_id / (SUBBUFS + 1) == packet->cpu);
	FUZZ_CHECK((uint64_t)packet->offset + packet->length <=
		   (1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_TAIL);
	FUZZ_CHECK(packet->timestamp_end >= packet->timestamp_begin);
	FUZZ_CHECK(packet->events <= packet->length / LTTNGMAP_RECORD_HEADER_SIZE);
}

static int get_packet(struct bench *bench, uint32_t cpu, uint32_t flags)
{
	struct lttngmap_packet packet = { .cpu = cpu, .flags = flags };
	int error = ring_set_get_packet(bench->set, &packet);

	if (error == 0)
		check_packet(&packet);
	return error;
}

static void get_several(struct bench *bench, uint32_t cpu, uint32_t most)
{
	struct lttngmap_packets packets = { .count = most, .packets = { { .cpu = cpu } } };

	if (ring_set_get_packets(bench->set, &packets) != 0)
		return;
	FUZZ_CHECK(packets.count >= 1 && packets.count <= most);
	for (uint32_t i = 0; i < packets.count; i++) {
		check_packet(&packets.packets[i]);
		FUZZ_CHECK(packets.packets[i].cpu == packets.packets[0].cpu &&
			   packets.packets[i].sequence == packets.packets[0].sequence + i);
	}
}

static struct lttngmap_ring *ring_of(const struct bench *bench, uint8_t ring)
{
	return (struct lttngmap_ring *)((char *)bench->rings +
					ring % RINGS * lttngmap_ring_stride(SUBBUFS));
}

static void write_bytes(struct bench *bench, struct fuzz_input *input, bool is_word)
{
	char *ring = (char *)ring_of(bench, fuzz_take_byte(input));
	size_t at = fuzz_take_byte(input), size = sizeof(uint64_t);
	const uint8_t *bytes;

	at |= (size_t)fuzz_take_byte(input) << 8;
	at = at * sizeof(uint64_t) % lttngmap_ring_stride(SUBBUFS);
	bytes = is_word ? fuzz_take(input, &size) : fuzz_take_message(input, &size);
	if (size > lttngmap_ring_stride(SUBBUFS) - at)
		size = lttngmap_ring_stride(SUBBUFS) - at;
	memcpy(ring + at, bytes, size);
}

/* What a good writer leaves: sub-buffers of a few records, the last one current. */
static void fill(struct bench *bench, struct fuzz_input *input)
{
	struct lttngmap_ring *ring = ring_of(bench, fuzz_take_byte(input));
	uint64_t full = fuzz_take_byte(input) % SUBBUFS;

	for (uint64_t seq = 0; seq <= full; seq++) {
		struct lttngmap_subbuf *subbuf = lttngmap_ring_subbufs(ring, SUBBUFS) + seq;

		lttngmap_ring_slots(ring)[seq] =
			lttngmap_slot_make(seq, LTTNGMAP_SLOT_WRITING, (uint32_t)seq, seq);
		*subbuf = (struct lttngmap_subbuf){
			.seq = seq,
			.content_size = 256,
			.begin = bench->begin,
			.end = bench->begin,
			.events_begin = 4 * seq,
			.events_end = 4 * (seq + 1),
		};
	}
	ring->commit[0] = (full << SUBBUF_SHIFT | 64) & LTTNGMAP_TIMESTAMP_MASK;
	ring->commit[1] = bench->begin & LTTNGMAP_TIMESTAMP_MASK;
}

static void operate(struct bench *bench, struct fuzz_input *input)
{
	enum operation operation = fuzz_take_byte(input) % OPERATIONS;
	uint32_t cpu, flags;

	switch (operation) {
	case OPERATION_WRITE:
	case OPERATION_WRITE_WORD:
		write_bytes(bench, input, operation == OPERATION_WRITE_WORD);
		break;
	case OPERATION_FULL:
		fill(bench, input);
		break;
	case OPERATION_GET:
		cpu = fuzz_take_byte(input);
		flags = fuzz_take_byte(input);
		get_packet(bench, cpu == 0xff ? LTTNGMAP_CPU_ANY : cpu, flags);
		break;
	case OPERATION_GET_SEVERAL:
		cpu = fuzz_take_byte(input);
		flags = fuzz_take_byte(input) % 16;
		get_several(bench, cpu == 0xff ? LTTNGMAP_CPU_ANY : cpu, flags);
		break;
	case OPERATION_CHECK:
		ring_set_check_packet(bench->set);
		break;
	case OPERATION_GET_READER:
		ring_set_get_reader(bench->set);
		break;
	case OPERATION_POLL:
		ring_set_poll(bench->set);
		ring_set_is_urgent(bench->set);
		ring_set_touched(bench->set);
		break;
	case OPERATION_FREEZE:
		ring_set_freeze(bench->set);
		break;
	case OPERATION_THAW:
		ring_set_thaw(bench->set);
		break;
	case OPERATION_ROTATE:
		ring_set_rotate(bench->set, 1);
		ring_set_rotated(bench->set);
		break;
	case OPERATION_END_ROTATION:
		ring_set_end_rotation(bench->set);
		break;
	case OPERATION_CLEAR:
		bench->which = !bench->which;
		bench->totals[bench->which] = (struct ring_totals){ .written = 0 };
		ring_set_clear(bench->set, &bench->totals[bench->which]);
		break;
	case OPERATION_REOPEN:
		ring_set_close_reader(bench->set);
		FUZZ_CHECK(ring_set_open_reader(bench->set) == 0);
		break;
	case OPERATIONS:
		break;
	}
}

static void release(void *data)
{
	struct bench *bench = data;

	free(bench->rings);
	free(bench);
}

static struct bench *make(enum lttngmap_mode mode)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct ring_set_config config = {
		.session = "session",
		.channel = "channel",
		.procname = "fuzz",
		.pid = 1,
		.cpu_rings = CPUS,
		.clock = LTTNGMAP_CLOCK_MONOTONIC,
		.mode = mode,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = SUBBUFS_SHIFT,
		.data_fd = memfd_create("data", MFD_CLOEXEC),
		.meta_page_size = META_PAGE,
		.totals = &bench->totals[0],
		.release = release,
		.release_data = bench,
	};
	size_t data_size = META_PAGE + RINGS * ((SUBBUFS + 1) << SUBBUF_SHIFT);

	bench->begin = clock_read(LTTNGMAP_CLOCK_MONOTONIC);
	/* Memory of its own, so that what is read behind it is found. */
	bench->rings = aligned_alloc(64, control_size());
	FUZZ_CHECK(bench->rings && ftruncate(config.data_fd, (off_t)data_size) == 0);
	memset(bench->rings, 0, control_size());
	config.rings = bench->rings;
	config.begin = bench->begin;
	FUZZ_CHECK(ring_set_create(&config, &bench->set) == 0);
	FUZZ_CHECK(ring_set_open_reader(bench->set) == 0);
	return bench;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum lttngmap_mode modes[] = { LTTNGMAP_MODE_DISCARD,
						    LTTNGMAP_MODE_OVERWRITE };
	struct fuzz_input input = { data, size };
	static bool is_registered;
	static unsigned runs;
	struct bench *bench;
	struct ring_totals sums;
	unsigned packets = 0;

	if (!is_registered)
		rcu_register_thread();
	is_registered = true;
	bench = make(modes[fuzz_take_byte(&input) % 2]);
	while (input.size > 0)
		operate(bench, &input);
	/* The process is gone. What it left is bounded, whatever it says. */
	ring_set_finish(bench->set);
	while (get_packet(bench, LTTNGMAP_CPU_ANY, 0) != -ENODATA)
		FUZZ_CHECK(packets++ < RINGS * 2 * (SUBBUFS + 1));
	FUZZ_CHECK(ring_set_poll(bench->set) == POLLHUP);
	/* Each event of the sums was given out, or overwritten: none stays in the buffers. */
	FUZZ_CHECK(ring_set_drained(bench->set));
	ring_totals_read(&bench->totals[bench->which], &sums);
	FUZZ_CHECK(sums.written == sums.delivered + sums.overwritten);
	ring_set_close_reader(bench->set);
	ring_set_put(bench->set);
	/* Freed by another thread, a little later: not too many at once. */
	if (runs++ % 256 == 0)
		rcu_barrier();
	return 0;
}
