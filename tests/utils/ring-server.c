/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/ring-server.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"

#define EVENT_ID 7

static void give_up(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

/* ---- the server ---------------------------------------------------------------- */

static char left_dir[sizeof(((struct ring_server *)NULL)->rings_dir)];

/* After a test that gave up; one that went well finds nothing to do. */
static void remove_left(void)
{
	if (!left_dir[0])
		return;
	umount2(left_dir, MNT_DETACH | UMOUNT_NOFOLLOW);
	rmdir(left_dir);
	*strrchr(left_dir, '/') = '\0';
	rmdir(left_dir);
}

void ring_server_prepare(struct ring_server *server, const struct mediator_ops *ops)
{
	static bool registered;

	*server = (struct ring_server){ .ops = ops };
	snprintf(server->dir, sizeof(server->dir), "%s/lttngmap-test.XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(server->dir))
		give_up(server->dir);
	snprintf(server->rings_dir, sizeof(server->rings_dir), "%s/rings", server->dir);
	if (mkdir(server->rings_dir, 0700) < 0)
		give_up(server->rings_dir);
	if (!registered && atexit(remove_left) != 0)
		give_up("atexit");
	registered = true;
	strcpy(left_dir, server->rings_dir);
}

int ring_server_serve(struct ring_server *server, const char **why)
{
	int error;

	if (ring_set_table_create() < 0 || ring_thread_create(&server->thread) < 0)
		give_up("ring thread");
	error = server->ops->create(server->dir, server->rings_dir,
				    ring_thread_event(server->thread), &server->mediator, why);
	if (error < 0)
		ring_server_stop(server);
	else if (ring_thread_start(server->thread) < 0)
		give_up("ring thread");
	return error;
}

int ring_server_start(struct ring_server *server, const struct mediator_ops *ops, const char **why)
{
	ring_server_prepare(server, ops);
	return ring_server_serve(server, why);
}

void ring_server_stop(struct ring_server *server)
{
	ring_thread_stop(server->thread);
	server->ops->destroy(server->mediator);
	ring_thread_destroy(server->thread);
	ring_set_table_destroy();
	if (rmdir(server->rings_dir) < 0 || rmdir(server->dir) < 0)
		perror("the mediator left something behind");
	else
		left_dir[0] = '\0';
}

/* ---- what belongs to the ring thread ---------------------------------------------- */

enum request_kind {
	REQUEST_ANNOUNCE = 1,
	REQUEST_NOTIFY = 2,
	REQUEST_WITHDRAW = 4,
};

struct request {
	struct ring_order order;
	struct served_ring *ring;
	int result;
	sem_t done;
};

static void run_request(struct ring_order *order, unsigned long pending)
{
	struct request *request = (struct request *)order;
	struct ring_server *server = request->ring->server;

	if (pending == REQUEST_ANNOUNCE)
		request->result = server->ops->announce(server->mediator, request->ring->set);
	else if (pending == REQUEST_NOTIFY)
		server->ops->notify(server->mediator, request->ring->set);
	else
		server->ops->withdraw(server->mediator, request->ring->set);
	sem_post(&request->done);
}

static int ask(struct served_ring *ring, enum request_kind kind)
{
	struct request request = { .order = { .run = run_request }, .ring = ring };

	sem_init(&request.done, 0, 0);
	ring_thread_give(ring->server->thread, &request.order, kind);
	while (sem_wait(&request.done) < 0 && errno == EINTR)
		;
	sem_destroy(&request.done);
	return request.result;
}

int served_ring_announce(struct served_ring *ring)
{
	return ask(ring, REQUEST_ANNOUNCE);
}

void served_ring_notify(struct served_ring *ring)
{
	ask(ring, REQUEST_NOTIFY);
}

void served_ring_withdraw(struct served_ring *ring)
{
	ask(ring, REQUEST_WITHDRAW);
}

/* ---- rings -------------------------------------------------------------------------- */

void served_ring_create(struct ring_server *server, const char *session, const char *channel,
			struct served_ring *ring)
{
	int fd = memfd_create("ring-data", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct ring_set_config config = {
		.session = session,
		.channel = channel,
		.procname = "program",
		.pid = getpid(),
		.uid = getuid(),
		.cpu_rings = SERVED_CPUS,
		.clock = LTTNGMAP_CLOCK_MONOTONIC,
		.mode = LTTNGMAP_MODE_DISCARD,
		.subbuf_shift = SERVED_SUBBUF_SHIFT,
		.subbufs_shift = SERVED_SUBBUFS_SHIFT,
		.data_fd = fd,
		.meta_page_size = SERVED_META,
		.begin = clock_read(LTTNGMAP_CLOCK_MONOTONIC),
	};

	*ring = (struct served_ring){ .server = server };
	if (fd < 0 || ftruncate(fd, SERVED_SIZE) < 0)
		give_up("ring data");
	ring->data = mmap(NULL, SERVED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ring->rings = calloc(SERVED_RINGS, lttngmap_ring_stride(SERVED_SUBBUFS));
	if (ring->data == MAP_FAILED || !ring->rings ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		give_up("ring data");
	config.rings = ring->rings;
	if (ring_set_create(&config, &ring->set) < 0)
		give_up("ring set");
	ring_set_publish(ring->set);
	snprintf(ring->path, sizeof(ring->path), "%s/%s/%s/%s", server->rings_dir, session, channel,
		 ring_set_file_name(ring->set));
}

void served_ring_destroy(struct served_ring *ring)
{
	ring_set_unpublish(ring->set);
	ring_set_put(ring->set);
	munmap(ring->data, SERVED_SIZE);
	free(ring->rings);
}

/* ---- a writer, alone and without hurry: what liblttngmap does in one go --------------- */

static struct lttngmap_ring *ring_at(struct served_ring *ring, uint32_t cpu)
{
	return (struct lttngmap_ring *)((char *)ring->rings +
					cpu * lttngmap_ring_stride(SERVED_SUBBUFS));
}

/* The id of the sub-buffer that serves position `position`. */
static uint32_t current_id(struct lttngmap_ring *ring, uint64_t position)
{
	uint32_t index = (position >> SERVED_SUBBUF_SHIFT) & (SERVED_SUBBUFS - 1);

	return lttngmap_slot_id(
		__atomic_load_n(&lttngmap_ring_slots(ring)[index], __ATOMIC_ACQUIRE), index);
}

static uint64_t count_of(const struct lttngmap_ring *ring)
{
	return ring->commit[0] >> LTTNGMAP_COUNT_SHIFT;
}

static void publish(struct lttngmap_ring *ring, uint64_t position, uint64_t count, uint64_t now)
{
	__atomic_store_n(&ring->commit[1], now & LTTNGMAP_TIMESTAMP_MASK, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->commit[0], position | count << LTTNGMAP_COUNT_SHIFT,
			 __ATOMIC_RELEASE);
}

void served_ring_write(struct served_ring *served, uint32_t cpu, const char *text)
{
	struct lttngmap_ring *ring = ring_at(served, cpu);
	uint64_t position = ring->commit[0] & LTTNGMAP_POSITION_MASK;
	uint64_t now = clock_read(LTTNGMAP_CLOCK_MONOTONIC), header = EVENT_ID | now << 16;
	uint32_t id = cpu * (SERVED_SUBBUFS + 1) + current_id(ring, position);
	char *to = served->data + SERVED_META + (uint64_t)id * SERVED_SUBBUF_SIZE +
		   (position & (SERVED_SUBBUF_SIZE - 1));

	memcpy(to, &header, sizeof(header));
	memcpy(to + sizeof(header), text, strlen(text) + 1);
	publish(ring, position + sizeof(header) + strlen(text) + 1, count_of(ring) + 1, now);
}

void served_ring_switch(struct served_ring *served, uint32_t cpu)
{
	struct lttngmap_ring *ring = ring_at(served, cpu);
	struct lttngmap_subbuf *subbufs = lttngmap_ring_subbufs(ring, SERVED_SUBBUFS);
	uint64_t position = ring->commit[0] & LTTNGMAP_POSITION_MASK;
	uint64_t seq = (position >> SERVED_SUBBUF_SHIFT) + 1;
	uint32_t index = seq & (SERVED_SUBBUFS - 1), id = current_id(ring, position);
	uint64_t *slot = &lttngmap_ring_slots(ring)[index];
	uint64_t free_slot = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	uint64_t now = clock_read(LTTNGMAP_CLOCK_MONOTONIC);

	if (lttngmap_slot_state(free_slot, index) != LTTNGMAP_SLOT_FREE) {
		fprintf(stderr, "the test fills a ring that has no free sub-buffer\n");
		exit(EXIT_FAILURE);
	}
	subbufs[id].content_size = position & (SERVED_SUBBUF_SIZE - 1);
	subbufs[id].end = now;
	subbufs[id].events_end = count_of(ring);
	id = lttngmap_slot_id(free_slot, index);
	__atomic_store_n(slot, lttngmap_slot_make(seq, LTTNGMAP_SLOT_WRITING, id, index),
			 __ATOMIC_RELEASE);
	subbufs[id].seq = seq;
	subbufs[id].begin = now;
	subbufs[id].events_begin = count_of(ring);
	__atomic_store_n(&ring->events_base, count_of(ring), __ATOMIC_RELAXED);
	publish(ring, seq << SERVED_SUBBUF_SHIFT | LTTNGMAP_SUBBUF_HEAD, count_of(ring), now);
}
