/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-request.c - any messages of readers at the socket of ring-socket, while
 * a ring fills, and goes. The input is what is done one after another, by one
 * of two readers. Who gets a descriptor cannot write by it; nothing stays open.
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <urcu.h>

#include "common/base/clock.h"
#include "common/protocol/protocol-ring.h"
#include "common/base/socket.h"
#include "sessiond/mediator/mediator.h"
#include "tests/fuzz/fuzz.h"

#define META_PAGE 4096u
#define CPUS 1u
#define RINGS (CPUS + LTTNGMAP_EXTRA_RINGS)
#define SUBBUF_SHIFT 12u
#define SUBBUFS_SHIFT 3u
#define SUBBUFS (1u << SUBBUFS_SHIFT)
#define DATA_SIZE (META_PAGE + RINGS * ((SUBBUFS + 1) << SUBBUF_SHIFT))
#define READERS 2u
/* More than any input gives the loop to do. */
#define ROUNDS_MAX 10000u

enum operation {
	OPERATION_BYTES,   /* message */
	OPERATION_REQUEST, /* type, ring, cpu, flags, how many: a good one, as far as it goes */
	OPERATION_FULL,    /* sub-buffers: as if so many had been filled */
	OPERATION_RECONNECT,
	OPERATION_WITHDRAW,
	OPERATIONS,
};

struct bench {
	sd_event *loop;
	struct mediator *mediator;
	struct ring_set *set;
	struct lttngmap_ring *rings;
	uint64_t begin;
	bool withdrawn;
	int readers[READERS];
};

static int connect_reader(void)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/" PROTOCOL_RING_SOCKET, fuzz_directory());
	FUZZ_CHECK(socket_connect(path, SOCK_SEQPACKET | SOCK_NONBLOCK, &fd) == 0);
	return fd;
}

static void settle(struct bench *bench)
{
	unsigned rounds = 0;

	while (sd_event_run(bench->loop, 0) > 0)
		FUZZ_CHECK(rounds++ < ROUNDS_MAX);
}

/* Of an answer of so many bytes. */
static void check_packets(const struct protocol_ring_packets *answer, size_t size)
{
	const struct lttngmap_packet *packet = &answer->message.packet;

	FUZZ_CHECK(size == sizeof(answer->message) + (answer->message.size - 1) * sizeof(*packet));
	for (uint64_t i = 0; i < answer->message.size; packet = &answer->more[i++])
		FUZZ_CHECK((uint64_t)packet->offset + packet->length <=
			   (1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_TAIL);
}

static void take_answers(int reader)
{
	struct protocol_ring_packets packets;
	struct protocol_ring_message *answer = &packets.message;
	int fds[SOCKET_FDS_MAX];
	size_t nr_fds = SOCKET_FDS_MAX;
	ssize_t got;

	while ((got = socket_receive(reader, &packets, sizeof(packets), MSG_DONTWAIT, fds,
				     &nr_fds)) > 0) {
		FUZZ_CHECK(got >= (ssize_t)sizeof(*answer) && answer->magic == PROTOCOL_RING_MAGIC);
		while (nr_fds > 0) {
			FUZZ_CHECK((fcntl(fds[--nr_fds], F_GETFL) & O_ACCMODE) == O_RDONLY);
			FUZZ_CHECK(mmap(NULL, DATA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
					fds[nr_fds], 0) == MAP_FAILED);
			close(fds[nr_fds]);
		}
		if (answer->type == PROTOCOL_RING_GET_PACKET)
			answer->size = 1;
		if (!answer->error && (answer->type == PROTOCOL_RING_GET_PACKET ||
				       answer->type == PROTOCOL_RING_GET_PACKETS))
			check_packets(&packets, (size_t)got);
		nr_fds = SOCKET_FDS_MAX;
	}
}

static void request(struct bench *bench, struct fuzz_input *input, int reader)
{
	struct protocol_ring_message message = {
		.magic = PROTOCOL_RING_MAGIC,
		.version = PROTOCOL_RING_VERSION,
		.type = fuzz_take_byte(input) % 8,
		.ring = fuzz_take_byte(input),
	};

	if (message.ring == 0)
		message.ring = ring_set_id(bench->set);
	message.packet.cpu = fuzz_take_byte(input);
	if (message.packet.cpu == 0xff)
		message.packet.cpu = LTTNGMAP_CPU_ANY;
	message.packet.flags = fuzz_take_byte(input);
	message.size = fuzz_take_byte(input) % 16;
	(void)!send(reader, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* What a good writer leaves on its CPU's ring, none of which was read. */
static void fill(struct bench *bench, struct fuzz_input *input)
{
	struct lttngmap_ring *ring = bench->rings;
	uint64_t full = fuzz_take_byte(input) % SUBBUFS;

	for (uint64_t seq = 0; seq <= full; seq++) {
		lttngmap_ring_slots(ring)[seq] =
			lttngmap_slot_make(seq, LTTNGMAP_SLOT_WRITING, (uint32_t)seq, seq);
		lttngmap_ring_subbufs(ring, SUBBUFS)[seq] = (struct lttngmap_subbuf){
			.seq = seq,
			.content_size = 256,
			.begin = bench->begin,
			.end = bench->begin,
			.events_begin = 4 * seq,
			.events_end = 4 * (seq + 1),
		};
	}
	ring->commit[0] = full << SUBBUF_SHIFT | 64;
	ring->commit[1] = bench->begin & LTTNGMAP_TIMESTAMP_MASK;
	if (!bench->withdrawn)
		ring_socket_mediator.notify(bench->mediator, bench->set);
}

static void operate(struct bench *bench, struct fuzz_input *input)
{
	uint8_t byte = fuzz_take_byte(input);
	int *reader = &bench->readers[byte >> 7];
	const uint8_t *bytes;
	size_t size;

	switch ((enum operation)(byte % OPERATIONS)) {
	case OPERATION_BYTES:
		bytes = fuzz_take_message(input, &size);
		(void)!send(*reader, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		break;
	case OPERATION_REQUEST:
		request(bench, input, *reader);
		break;
	case OPERATION_FULL:
		fill(bench, input);
		break;
	case OPERATION_RECONNECT:
		close(*reader);
		*reader = connect_reader();
		break;
	case OPERATION_WITHDRAW:
		if (!bench->withdrawn)
			ring_socket_mediator.withdraw(bench->mediator, bench->set);
		bench->withdrawn = true;
		break;
	case OPERATIONS:
		break;
	}
	settle(bench);
	take_answers(*reader);
}

static void make_set(struct bench *bench)
{
	struct ring_set_config config = {
		.session = "session",
		.channel = "channel",
		.procname = "fuzz",
		.pid = 1,
		.cpu_rings = CPUS,
		.clock = LTTNGMAP_CLOCK_MONOTONIC,
		.mode = LTTNGMAP_MODE_DISCARD,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = SUBBUFS_SHIFT,
		.data_fd = memfd_create("data", MFD_CLOEXEC | MFD_ALLOW_SEALING),
		.meta_page_size = META_PAGE,
		.release = free,
	};

	/* Memory of its own, so that what is read behind it is found. */
	bench->rings = aligned_alloc(64, RINGS * lttngmap_ring_stride(SUBBUFS));
	FUZZ_CHECK(bench->rings && ftruncate(config.data_fd, DATA_SIZE) == 0);
	memset(bench->rings, 0, RINGS * lttngmap_ring_stride(SUBBUFS));
	config.rings = bench->rings;
	config.release_data = bench->rings;
	config.begin = bench->begin = clock_read(LTTNGMAP_CLOCK_MONOTONIC);
	FUZZ_CHECK(ring_set_create(&config, &bench->set) == 0);
	ring_set_publish(bench->set);
}

static void begin(struct bench *bench)
{
	static bool is_begun;
	char rings[PATH_MAX];
	const char *why;

	if (!is_begun) {
		rcu_register_thread();
		FUZZ_CHECK(ring_set_table_create() == 0);
	}
	is_begun = true;
	*bench = (struct bench){ .withdrawn = false };
	snprintf(rings, sizeof(rings), "%s/rings", fuzz_directory());
	FUZZ_CHECK(mkdir(rings, 0700) == 0);
	FUZZ_CHECK(sd_event_new(&bench->loop) >= 0);
	FUZZ_CHECK(ring_socket_mediator.create(fuzz_directory(), rings, bench->loop,
					       &bench->mediator, &why) == 0);
	make_set(bench);
	FUZZ_CHECK(ring_socket_mediator.add_channel(bench->mediator, "session", "channel") == 0);
	FUZZ_CHECK(ring_socket_mediator.announce(bench->mediator, bench->set) == 0);
	for (unsigned i = 0; i < READERS; i++)
		bench->readers[i] = connect_reader();
}

static void end(struct bench *bench)
{
	static unsigned runs;
	int lowest;

	for (unsigned i = 0; i < READERS; i++)
		close(bench->readers[i]);
	settle(bench);
	if (!bench->withdrawn)
		ring_socket_mediator.withdraw(bench->mediator, bench->set);
	ring_socket_mediator.remove_channel(bench->mediator, "session", "channel");
	ring_socket_mediator.destroy(bench->mediator);
	ring_set_unpublish(bench->set);
	ring_set_put(bench->set);
	sd_event_unref(bench->loop);
	fuzz_directory_clear();
	/* Freed by another thread, a little later: not too many at once. */
	if (runs++ % 64 == 0)
		rcu_barrier();
	lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
	FUZZ_CHECK(lowest >= 0 && lowest < 256);
	close(lowest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	struct bench bench;

	begin(&bench);
	while (input.size > 0)
		operate(&bench, &input);
	end(&bench);
	return 0;
}
