/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/ring-bench-set.h"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "liblttngmap/base/arch.h"
#include "liblttngmap/base/descriptors.h"
#include "liblttngmap/event/event-fast.h"
#include "liblttngmap/ring/ring-trylock.h"

#define META_PAGE 4096
/* Of our process, in process control: not that of wiped pages. */
#define INDEX 7
/* Of the channel. */
#define LIFE 1

static void *map(int fd, uint64_t size, int protection, uint64_t offset)
{
	void *memory = mmap(NULL, size, protection,
			    fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, (off_t)offset);

	if (memory == MAP_FAILED) {
		perror("mmap");
		exit(EXIT_FAILURE);
	}
	return memory;
}

static int make_memfd(const char *name, uint64_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, (off_t)size) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
		perror(name);
		exit(EXIT_FAILURE);
	}
	return fd;
}

/* What the daemon says in the control pages: one channel, which is on. */
static void fill_control(struct bench_set *bench, const struct bench_set_config *config,
			 uint32_t cpus)
{
	struct lttngmap_channel *channel = &bench->control->channels[0];

	bench->control->clock = config->clock;
	bench->control->cpu_rings = cpus;
	channel->mode = (uint8_t)config->mode;
	channel->subbuf_shift = (uint8_t)config->subbuf_shift;
	channel->subbufs_shift = (uint8_t)config->subbufs_shift;
	channel->generation = 1;
	channel->flags = config->shared ? LTTNGMAP_CHANNEL_SHARED : 0;
	channel->life = LIFE;
	bench->process->channels = 1;
}

/* What the library has when it is registered. `process` comes last, as there. */
static void fill_local(struct bench_set *bench, const struct bench_set_config *config, int socket,
		       int data_fd, uint64_t control_size)
{
	struct exchange_fds none = { .fd[PROTOCOL_APP_FD_DOORBELL] = -1 };
	struct local *local = bench->local;

	local->control = bench->control;
	local->event_words = bench->control->event_words;
	/* A writer that does not know the socket waits for a second at most. */
	descriptors_keep(local, socket, &none);
	local->use_rseq = config->use_rseq && __rseq_size > 0;
	local->store16_atomic = arch_store16_is_atomic();
	local->has_rdpid = arch_has_rdpid();
	local->allow_blocking = true;
	local->rings[0] = (struct local_rings){
		.known = (config->shared ? (uint64_t)LIFE << 32 : 0) | 1,
		.rings = bench->rings,
		.data = map(data_fd, bench->data_size - META_PAGE, PROT_WRITE, META_PAGE),
		.data_size = bench->data_size - META_PAGE,
		.control_size = control_size,
	};
	local->index = INDEX;
	local->epoch = 1;
	local->process = bench->process;
	local_pages = local;
}

void bench_set_create(struct bench_set *bench, const struct bench_set_config *config)
{
	uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	uint32_t rings = cpus + LTTNGMAP_EXTRA_RINGS;
	uint64_t subbufs = UINT64_C(1) << config->subbufs_shift;
	uint64_t control_size = rings * lttngmap_ring_stride(subbufs);
	uint64_t data_size = META_PAGE + rings * ((subbufs + 1) << config->subbuf_shift);
	int data_fd = make_memfd("rings", data_size + control_size);
	struct ring_set_config set = {
		.session = "session",
		.channel = "channel",
		.procname = "bench",
		.pid = (uint32_t)getpid(),
		.uid = getuid(),
		.cpu_rings = cpus,
		.clock = config->clock,
		.mode = config->mode,
		.subbuf_shift = config->subbuf_shift,
		.subbufs_shift = config->subbufs_shift,
		.data_fd = data_fd,
		.meta_page_size = META_PAGE,
		.begin = clock_read(config->clock),
		.totals = &bench->totals,
		.saved = config->saved,
		.life = LIFE,
	};
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) {
		perror("socketpair");
		exit(EXIT_FAILURE);
	}
	*bench = (struct bench_set){ .data_size = data_size };
	bench->control = map(-1, sizeof(*bench->control), PROT_READ | PROT_WRITE, 0);
	bench->process = map(-1, 4096, PROT_READ | PROT_WRITE, 0);
	bench->local = map(-1, sizeof(*bench->local), PROT_READ | PROT_WRITE, 0);
	/* A file's, not anonymous: a forked child shares it, as in a traced process. */
	bench->rings = map(data_fd, control_size, PROT_READ | PROT_WRITE, data_size);
	bench->data = map(data_fd, data_size, PROT_READ, 0);

	bench->daemon_socket = sockets[1];
	fill_control(bench, config, cpus);
	fill_local(bench, config, sockets[0], data_fd, control_size);

	set.rings = (struct lttngmap_ring *)bench->rings;
	bench->config = set;
	bench->data_fd = data_fd;
	if (ring_set_create(&set, &bench->set) < 0 || ring_set_open_reader(bench->set) < 0) {
		fprintf(stderr, "ring_set_create failed\n");
		exit(EXIT_FAILURE);
	}
}

void bench_set_add_channel(struct bench_set *bench, uint32_t slot)
{
	struct local_rings *rings = &bench->local->rings[slot];
	int control_fd, data_fd;

	*rings = bench->local->rings[0];
	control_fd = make_memfd("ring-control", rings->control_size);
	data_fd = make_memfd("ring-data", rings->data_size);
	rings->rings = map(control_fd, rings->control_size, PROT_READ | PROT_WRITE, 0);
	rings->data = map(data_fd, rings->data_size, PROT_READ | PROT_WRITE, 0);
	close(control_fd);
	close(data_fd);
	bench->control->channels[slot] = bench->control->channels[0];
	bench->process->channels |= UINT64_C(1) << slot;
}

void bench_set_restore(struct bench_set *bench)
{
	struct ring_set *former = bench->set;

	bench->totals = (struct ring_totals){ .written = 0 };
	if (ring_set_restore(&bench->config, &bench->set) < 0 ||
	    ring_set_open_reader(bench->set) < 0) {
		fprintf(stderr, "ring_set_restore failed\n");
		exit(EXIT_FAILURE);
	}
	ring_set_add_counts(bench->set, &bench->totals);
	ring_set_put(former);
}

void bench_set_stop(struct bench_set *bench)
{
	__atomic_store_n(&bench->control->channels[0].generation, 0, __ATOMIC_RELEASE);
	/* All writers are here: a barrier of all processes, as the daemon's, takes long. */
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) < 0)
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	ring_set_freeze(bench->set);
}

void bench_set_destroy(struct bench_set *bench)
{
	static const struct ring_channel nothing;

	ring_set_close_reader(bench->set);
	ring_set_put(bench->set);
	close(bench->data_fd);
	close(bench->local->socket);
	if (bench->daemon_socket >= 0)
		close(bench->daemon_socket);
	munmap(bench->local->rings[0].data, bench->local->rings[0].data_size);
	for (uint32_t slot = 1; slot < LTTNGMAP_CHANNELS; slot++) {
		const struct local_rings *rings = &bench->local->rings[slot];

		if (!rings->known)
			continue;
		munmap(rings->rings, rings->control_size);
		munmap(rings->data, rings->data_size);
	}
	munmap(bench->rings, bench->local->rings[0].control_size);
	munmap(bench->data, bench->data_size);
	munmap(bench->control, sizeof(*bench->control));
	munmap(bench->process, 4096);
	munmap(bench->local, sizeof(*bench->local));
	local_pages = NULL;
	local_first.guard = LOCAL_CLOSED;
	/* In a program the pages stay. */
	local_first.cached = &nothing;
}

void bench_set_write(const struct bench_set *bench, const struct ring_event *event)
{
	const struct lttngmap_tracepoint tracepoint = {
		.word = &bench->control->event_words[event->id],
	};

	__atomic_store_n(&bench->control->event_words[event->id], 1, __ATOMIC_RELAXED);
	lttngmap_event_write(&tracepoint, event->fields, event->size, event->ip);
}

unsigned bench_set_locked(const struct bench_set *bench)
{
	const uint64_t stride = lttngmap_ring_stride(UINT64_C(1) << bench->config.subbufs_shift);
	unsigned count = 0;

	for (uint32_t i = 0; i < bench->config.cpu_rings + LTTNGMAP_EXTRA_RINGS; i++) {
		const struct lttngmap_ring *ring = (const void *)(bench->rings + i * stride);

		count += __atomic_load_n(&ring->lock, __ATOMIC_RELAXED) != 0;
	}
	return count;
}

static struct local_lock *lock_of(const struct bench_set *bench, const struct lttngmap_ring *ring)
{
	const uint64_t stride = lttngmap_ring_stride(UINT64_C(1) << bench->config.subbufs_shift);
	uint64_t index = (uint64_t)((const char *)ring - bench->rings) / stride;

	return ring_lock_of(bench->local, &bench->local->channels[0], (uint32_t)index);
}

void bench_set_hold(struct bench_set *bench, struct lttngmap_ring *ring, bool held)
{
	lock_of(bench, ring)->holder = held;
}

uint64_t bench_set_discards(const struct bench_set *bench)
{
	uint64_t stride = lttngmap_ring_stride(1u << bench->control->channels[0].subbufs_shift);
	uint64_t count = 0;

	for (uint32_t i = 0; i < bench->control->cpu_rings + LTTNGMAP_EXTRA_RINGS; i++)
		count += ((struct lttngmap_ring *)(bench->rings + i * stride))->discards;
	return count;
}

void bench_set_believe(struct bench_set *bench, struct lttngmap_ring *ring)
{
	lock_of(bench, ring)->ring = NULL;
}
