/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * From ring files to a trace, with rings that this test plays: what is opened,
 * in which order packets are written and let go, what a full disk, a busy, a
 * greedy, a lapped and a broken ring do to themselves and not to others.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/ring-file/ring-file-pages.h"
#include "consumerd/session/output-session.h"
#include "tests/utils/tap.h"
#include "tests/utils/trace-kit.h"

/* ---- rings: the reader library, in place of the true one ------------------------- */

struct lttngmap_ring_file {
	char name[64];    /* of the file */
	int fd;           /* readable when there is something */
	uint64_t packets; /* that it has; UINT64_MAX: no end */
	uint64_t taken;
	uint64_t generation; /* of the metadata that they need */
	uint64_t next_chunk; /* from this packet on they are of chunk 1; 0: none is */
	int open_error;      /* what open says ... */
	int open_errors;     /* so many times */
	int end_error;       /* what get_packet says after the last */
	bool is_volatile;
	uint64_t overrun; /* this packet is overwritten while it is copied */
	bool is_foreign;  /* of another user's process */
	bool has_hole;    /* the pages of the second packet of an answer cannot be had */
	uint64_t damaged; /* this packet of it cannot be read */
	bool no_data;
	bool says_last; /* of an answer with all that there is */
	bool is_open;
	uint32_t most;    /* it gives up to so many at a time; 0: one */
	uint32_t current; /* so many were given last */
	uint64_t requests;
	uint64_t asleep; /* of these, by a reader that sleeps if there is nothing */
	uint64_t released;
	const char *stream; /* file that its packets must be in before they are released */
	uint64_t early;     /* packets that were not */
	char bodies[LTTNGMAP_PACKETS_MAX][TRACE_KIT_BODY_MAX];
};

static struct lttngmap_ring_file rings[8];
static int opened_other; /* opens of what is none of these */

static struct lttngmap_ring_file *ring_of(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++)
		if (rings[i].name[0] && strcmp(rings[i].name, name) == 0)
			return &rings[i];
	return NULL;
}

int ring_file_open_pages(const char *path, int pages, struct lttngmap_ring_file **file)
{
	struct lttngmap_ring_file *ring = ring_of(path);

	(void)pages;
	if (!ring) {
		opened_other++;
		return -ENODEV;
	}
	if (ring->open_errors) {
		ring->open_errors--;
		return ring->open_error;
	}
	if (ring->is_open)
		return -EBUSY;
	ring->is_open = true;
	ring->fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	*file = ring;
	return 0;
}

void lttngmap_ring_file_close(struct lttngmap_ring_file *ring)
{
	if (!ring)
		return;
	close(ring->fd);
	ring->is_open = false;
	/* Given again to the next reader. */
	ring->taken -= ring->current;
	ring->current = 0;
}

int lttngmap_ring_file_fd(const struct lttngmap_ring_file *ring)
{
	return ring->fd;
}

/* Whole packets in a stream file. */
static uint64_t packets_on_disk(const char *path)
{
	struct ctf_packet_header header;
	uint64_t packets = 0;
	off_t offset = 0;
	int fd = open(path, O_RDONLY);

	while (fd >= 0 && pread(fd, &header, sizeof(header), offset) == sizeof(header)) {
		offset += (off_t)(header.packet_size / 8);
		packets++;
	}
	if (fd >= 0)
		close(fd);
	return packets;
}

/* Is the first packet's body in the stream what the ring had? */
static bool has_first_body(const char *path)
{
	char expected[TRACE_KIT_BODY_MAX], found[TRACE_KIT_BODY_MAX];
	struct lttngmap_packet packet;
	int fd = open(path, O_RDONLY);
	bool is_same;

	trace_kit_packet(0, 0, &packet, expected);
	is_same = fd >= 0 &&
		  pread(fd, found, packet.length, sizeof(struct ctf_packet_header)) ==
			  (ssize_t)packet.length &&
		  memcmp(found, expected, packet.length) == 0;
	if (fd >= 0)
		close(fd);
	return is_same;
}

int lttngmap_ring_file_get_packets(struct lttngmap_ring_file *ring,
				   struct lttngmap_packets *packets)
{
	uint32_t most = ring->most ? ring->most : 1;

	if (ring->current && ring->stream && packets_on_disk(ring->stream) < ring->taken)
		ring->early++;
	ring->requests++;
	ring->asleep += !(packets->packets[0].flags & LTTNGMAP_PACKET_AWAKE);
	ring->released += ring->current;
	ring->current = 0;
	if (ring->taken == ring->packets)
		return ring->end_error;
	while (ring->current < most && ring->current < packets->count &&
	       ring->taken < ring->packets) {
		struct lttngmap_packet *packet = &packets->packets[ring->current];

		trace_kit_packet(0, ring->taken, packet, ring->bodies[ring->current]);
		if (!ring->is_foreign)
			packet->uid = geteuid();
		else if (ring->taken == ring->damaged)
			memset(ring->bodies[ring->current], 0xee, packet->length);
		packet->metadata_generation = ring->generation;
		packet->chunk = ring->next_chunk && ring->taken >= ring->next_chunk;
		packet->flags = ring->is_volatile ? LTTNGMAP_PACKET_VOLATILE : 0;
		packet->subbuf_id = ring->current++;
		ring->taken++;
	}
	if (ring->says_last && ring->taken == ring->packets)
		packets->packets[ring->current - 1].flags |= LTTNGMAP_PACKET_LAST;
	packets->count = ring->current;
	return 0;
}

/* In looking back only. */
int lttngmap_ring_file_get_packet(struct lttngmap_ring_file *ring, struct lttngmap_packet *packet)
{
	(void)ring;
	(void)packet;
	return -EINVAL;
}

/* Of the kernel's only. */
const struct lttngmap_meta *lttngmap_ring_file_meta(const struct lttngmap_ring_file *ring)
{
	(void)ring;
	return NULL;
}

/* The writer comes round as soon as it was looked at. */
int lttngmap_ring_file_check_packet(struct lttngmap_ring_file *ring)
{
	memset(ring->bodies[0], 0xee, sizeof(ring->bodies[0]));
	return ring->taken - 1 == ring->overrun ? -ESTALE : 0;
}

static void *hole;

const void *lttngmap_ring_file_data(const struct lttngmap_ring_file *ring,
				    const struct lttngmap_packet *packet)
{
	if (ring->has_hole && packet->subbuf_id == 1)
		return hole;
	return ring->no_data ? NULL : ring->bodies[packet->subbuf_id];
}

/* ---- a disk that fails, in one trace ------------------------------------------------ */

static bool disk_is_full;
static uint64_t full_device, full_inode; /* of the one folder that it holds for */

static bool is_on_full_disk(int fd)
{
	char link[64], path[512], *slash;
	struct stat status;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return false;
	path[length] = '\0';
	slash = strrchr(path, '/');
	*slash = '\0';
	return stat(path, &status) == 0 && status.st_dev == full_device &&
	       status.st_ino == full_inode;
}

static int nr_writes; /* of anything */

ssize_t pwritev(int fd, const struct iovec *parts, int nr_parts, off_t offset)
{
	nr_writes++;
	if (disk_is_full && is_on_full_disk(fd)) {
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_pwritev, fd, parts, (long)nr_parts, (long)offset, 0L);
}

/* ---- the daemon's part ------------------------------------------------------------------ */

static struct output_session_shared shared;
static struct output_session_written told;
static int nr_told, nr_told_errors, nr_told_well_again;

static int report(struct output_session_shared *unused, const char *session,
		  const struct output_session_written *written)
{
	(void)unused;
	if (strcmp(session, "s") != 0)
		return 0;
	nr_told++;
	if (written->error && !told.error)
		nr_told_errors++;
	if (!written->error && told.error)
		nr_told_well_again++;
	told = *written;
	return 0;
}

static struct output_session_rotation rotated; /* the last answer */
static int nr_rotated;

static int report_rotation(struct output_session_shared *unused, const char *session,
			   const struct output_session_rotation *rotation)
{
	(void)unused;
	(void)session;
	nr_rotated++;
	rotated = *rotation;
	return 0;
}

static double read_clock(clockid_t id)
{
	struct timespec time;

	clock_gettime(id, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

/* For so long, and, where the machine was at other things meanwhile, until nothing is due. */
static void run(double seconds)
{
	double end = now() + seconds;
	bool is_over;

	do
		is_over = now() >= end;
	while (sd_event_run(shared.loop, 10000) > 0 || !is_over);
}

/* Until it becomes so; some seconds at most. */
#define RUN_UNTIL(condition)                                                                       \
	({                                                                                         \
		for (double end_ = now() + 20; !(condition) && now() < end_;)                      \
			sd_event_run(shared.loop, 10000);                                          \
		(condition);                                                                       \
	})

static struct output_session *begin_as(const char *folder, const char *name, bool is_live)
{
	struct output_session_config config = {
		.uuid = trace_kit_uuid,
		.owner = geteuid(),
		.group = getegid(),
		.pages = -1,
		.live = is_live,
	};

	mkdir(trace_kit_path("%s", folder), 0700);
	mkdir(trace_kit_path("%s/rings", folder), 0700);
	mkdir(trace_kit_path("%s/rings/c", folder), 0700);
	memset(&told, 0, sizeof(told));
	nr_told = nr_told_errors = nr_told_well_again = 0;
	config.output = trace_kit_path("%s/trace", folder);
	config.rings = trace_kit_path("%s/rings", folder);
	return output_session_create_for(&shared, name, &config);
}

static struct output_session *begin(const char *folder, const char *name)
{
	return begin_as(folder, name, false);
}

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	if (fd < 0)
		bail_out("%s: %s", path, strerror(errno));
	close(fd);
}

/* A ring of that many packets; its process is gone when they are read. */
static struct lttngmap_ring_file *play(int number, const char *folder, const char *name,
				       uint64_t packets)
{
	struct lttngmap_ring_file *ring = &rings[number];
	static char streams[8][256];

	*ring = (struct lttngmap_ring_file){
		.packets = packets,
		.generation = 1,
		.end_error = -ENODATA,
		.overrun = UINT64_MAX,
	};
	snprintf(ring->name, sizeof(ring->name), "%s", name);
	snprintf(streams[number], sizeof(streams[0]), "%s",
		 trace_kit_path("%s/trace/ust/c_%s_0", folder, name));
	ring->stream = streams[number];
	make_file(trace_kit_path("%s/rings/c/%s", folder, name));
	return ring;
}

/* ---- tests ------------------------------------------------------------------------------- */

static void test_found(void)
{
	int before = trace_kit_open_fds(), during;
	struct lttngmap_ring_file *early, *late, *hidden, *stats, *moved;
	struct output_session *session = begin("found", "s");

	early = play(0, "found", "we.ird..name-with-dash-4711-1", 3);
	hidden = play(1, "found", ".hidden-4711-2", 3);
	stats = play(2, "found", "stats", 3);
	symlink("we.ird..name-with-dash-4711-1", trace_kit_path("found/rings/c/link-4711-3"));
	mkfifo(trace_kit_path("found/rings/c/fifo-4711-4"), 0600);
	mkdir(trace_kit_path("found/rings/c/folder-4711-5"), 0700);
	(void)!mknod(trace_kit_path("found/rings/c/null-4711-6"), S_IFCHR | 0600, makedev(1, 3));
	is(output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL), 0,
	   "a channel is watched");
	is(output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL), 0,
	   "being told twice is fine");
	ok(output_session_add_channel(session, "missing", 1, NULL) < 0,
	   "a missing folder is an error");
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	ok(RUN_UNTIL(early->released == 3), "a ring that was there before is read");
	late = play(3, "found", "late-4711-7", 3);
	moved = play(4, "found", ".moving", 3);
	strcpy(moved->name, "moved-4711-8");
	moved->stream = NULL;
	rename(trace_kit_path("found/rings/c/.moving"),
	       trace_kit_path("found/rings/c/moved-4711-8"));
	symlink("late-4711-7", trace_kit_path("found/rings/c/link-4711-9"));
	mkfifo(trace_kit_path("found/rings/c/fifo-4711-10"), 0600);
	make_file(trace_kit_path("found/rings/c/.other"));
	ok(RUN_UNTIL(late->released == 3 && moved->released == 3),
	   "and those that appear, made there or moved");
	run(0.1);
	during = trace_kit_open_fds();
	is(opened_other, 0, "links, FIFOs, devices, folders and hidden files are never opened");
	is(hidden->taken + stats->taken, 0, "not even where they are rings");
	is(early->early + late->early, 0, "no packet was let go before it was on disk");
	ok(!early->is_open && !late->is_open, "rings at their end are closed");
	output_session_destroy(session);
	is(trace_kit_open_fds(), before, "nothing stays open");
	ok(during - before <= 6, "and ended streams had been closed before");
	is(trace_kit_read(trace_kit_path("found/trace"), NULL), 9 * TRACE_KIT_EVENTS,
	   "babeltrace2 reads the trace");
}

static void test_metadata(void)
{
	struct lttngmap_ring_file *ring;
	struct output_session *session = begin("metadata", "s");

	ring = play(0, "metadata", "p-4711-1", 3);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	run(0.05);
	is(ring->taken, 1, "without metadata, one packet is held");
	is(trace_kit_file_size(ring->stream), -1, "and not written");
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	ring->generation = 2;
	RUN_UNTIL(ring->released == 1);
	run(0.05);
	is(packets_on_disk(ring->stream), 1, "with metadata, it is; not those that need newer");
	output_session_set_metadata(session, 5, trace_kit_metadata(), false);
	ok(RUN_UNTIL(ring->released == 3), "with newer metadata, these");
	nr_told = 0;
	output_session_set_metadata(session, 6, trace_kit_metadata(), true);
	is(nr_told, 1, "the final metadata is reported at once");
	ok(told.generation == 6 && told.packets == 3 && told.events == 3 * TRACE_KIT_EVENTS &&
		   told.streams == 1 && !told.error && !told.overrun &&
		   (long)told.bytes == trace_kit_file_size(ring->stream),
	   "with all that was written");
	output_session_destroy(session);
}

static void test_full(void)
{
	struct lttngmap_ring_file *stuck, *free_one;
	struct output_session *session = begin("full", "s"), *other = begin("other", "other");
	struct stat status;

	stat(trace_kit_path("full/trace/ust"), &status);
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	output_session_set_metadata(other, 1, trace_kit_metadata(), false);
	full_device = status.st_dev;
	full_inode = status.st_ino;
	disk_is_full = true;
	stuck = play(0, "full", "p-4711-1", 50);
	free_one = play(1, "other", "p-4711-2", 50);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	output_session_add_channel(other, "c", TRACE_KIT_STREAM_ID, NULL);
	ok(RUN_UNTIL(free_one->released == 50), "a full disk does not stop another session");
	run(1.2);
	ok(stuck->taken == 1 && stuck->released == 0, "its own holds what it cannot write");
	is(trace_kit_file_size(stuck->stream), 0, "of which nothing is on disk");
	is(nr_told_errors, 1, "which is told, once");
	ok(told.error && strstr(told.error, "No space left") && strstr(told.error, "make room"),
	   "with what to do: %s", told.error ? told.error : "");
	disk_is_full = false;
	ok(RUN_UNTIL(stuck->released == 50), "with room again, it goes on");
	ok(RUN_UNTIL(nr_told_well_again == 1), "which is told, too");
	is(stuck->early + free_one->early, 0, "no packet was let go before it was on disk");
	output_session_destroy(session);
	output_session_destroy(other);
	is(trace_kit_read(trace_kit_path("full/trace"), NULL), 50 * TRACE_KIT_EVENTS,
	   "nothing is missing in the end");
}

/* A ring without an end, beside one with some packets. */
static void test_fair(void)
{
	struct lttngmap_ring_file *greedy, *modest;
	struct output_session *session = begin("fair", "s");

	greedy = play(0, "fair", "greedy-4711-1", UINT64_MAX);
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	greedy->stream = NULL;
	RUN_UNTIL(greedy->released > 100);
	modest = play(1, "fair", "modest-4711-2", 3);
	greedy->released = 0;
	ok(RUN_UNTIL(modest->released == 3), "a ring without end lets others be read");
	ok(greedy->released <= 128, "soon: after %d of its packets", (int)greedy->released);
	output_session_destroy(session);
	ok(!greedy->is_open, "and is let go at its session's end");
}

/* Several packets in an answer: none is let go of before all of them are on disk. */
static void test_several(void)
{
	struct output_session *session = begin("several", "s");
	struct lttngmap_ring_file *ring = play(0, "several", "p-4711-1", 20);
	const char *stream = ring->stream;

	ring->most = 6;
	ring->end_error = -EAGAIN;
	ring->next_chunk = 9;
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	nr_writes = 0;
	RUN_UNTIL(packets_on_disk(ring->stream) == 9);
	run(0.1);
	is(nr_writes, 3, "packets that were given together are one write, and so is the index");
	ok(packets_on_disk(ring->stream) == 9 && ring->taken == 12 && ring->released == 6,
	   "those of another chunk are held, with what was given along with them");
	is(ring->early, 0, "nothing was let go of before it was on disk");
	output_session_clear(session);
	ring->stream = NULL;
	ring->next_chunk = 0;
	ok(RUN_UNTIL(ring->released == 20), "what is held at a clear is let go of");
	is(packets_on_disk(stream), 8, "and is not in the trace, as what comes then is");
	is(ring->requests, 5, "each request was for six");
	output_session_destroy(session);
	/* The consumer dies with all but one of them on disk. */
	ring = play(1, "several", "q-4711-2", 6);
	ring->most = 6;
	ring->end_error = -EAGAIN;
	session = begin("several", "s");
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	RUN_UNTIL(ring->released == 6);
	output_session_destroy(session);
	ring->taken = 1;
	ring->packets = 7;
	session = begin("several", "s");
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	ok(RUN_UNTIL(ring->released == 6 + 6), "the next one is given them again");
	is(packets_on_disk(ring->stream), 7, "and writes what is not there yet");
	output_session_destroy(session);
}

/* Another user's packets are looked at, each of them. */
static void test_foreign(void)
{
	struct output_session *session = begin("foreign", "s");
	struct lttngmap_ring_file *ring = play(0, "foreign", "p-4711-1", 6);

	ring->most = 6;
	ring->is_foreign = true;
	ring->damaged = 3;
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	RUN_UNTIL(told.packets == 5);
	is(packets_on_disk(ring->stream), 5,
	   "a packet among several that cannot be read is left out");
	is(told.broken, TRACE_KIT_EVENTS, "and counted");
	output_session_destroy(session);
}

/*
 * The consumer does not touch pages that the kernel cannot bring back from swap, and goes on behind
 * them, whosever process they are.
 */
static void test_no_pages(const char *folder, bool is_foreign, bool is_live)
{
	struct output_session *session = begin_as(folder, "s", is_live);
	struct lttngmap_ring_file *ring = play(0, folder, "p-4711-1", 6);

	ring->most = 6;
	ring->is_foreign = is_foreign;
	ring->has_hole = true;
	ring->damaged = 6;
	if (!hole) {
		hole = mmap(NULL, TRACE_KIT_BODY_MAX, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
		munmap(hole, TRACE_KIT_BODY_MAX);
	}
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	RUN_UNTIL(told.packets == 5);
	ok(packets_on_disk(ring->stream) == 5 && told.broken == TRACE_KIT_EVENTS,
	   "%s: a packet whose pages cannot be had is left out, and counted", folder);
	output_session_destroy(session);
}

/* Nobody tells of packets that come soon, and whoever waits for others is told. */
static void test_awake(void)
{
	struct output_session *session = begin("awake", "s");
	struct lttngmap_ring_file *ring = play(0, "awake", "p-4711-1", 6);
	uint64_t before;

	ring->most = 6;
	ring->end_error = -EAGAIN;
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	RUN_UNTIL(ring->released == 6);
	is(ring->asleep, 1, "a ring that gives several at a time keeps its reader awake");
	ring->packets = 12;
	ok(RUN_UNTIL(ring->released == 12), "which looks again by itself");
	is(ring->asleep, 1, "and stays awake");
	RUN_UNTIL(ring->asleep == 2);
	before = ring->requests;
	ring->packets = 13;
	run(0.1);
	ok(ring->requests == before && ring->taken == 12, "once there was nothing, it sleeps");
	eventfd_write(ring->fd, 1);
	ok(RUN_UNTIL(ring->released == 13), "until it is woken");
	before = ring->requests;
	run(0.1);
	is(ring->requests, before, "and goes on sleeping where that was for one");
	is(ring->asleep, 4, "which took a request for the packet, and one for the next");
	output_session_destroy(session);
}

/* Who is told that it has all asks for more at the next step, and not before. */
static void test_not_chased(void)
{
	struct output_session *session = begin("last", "s");
	struct lttngmap_ring_file *ring = play(0, "last", "p-4711-1", 6);

	ring->most = 6;
	ring->says_last = true;
	ring->end_error = -EAGAIN;
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	RUN_UNTIL(ring->taken == 6);
	is(ring->requests, 2, "a reader asks once more, to say that it is awake");
	ring->packets = 12;
	RUN_UNTIL(ring->taken == 12);
	is(packets_on_disk(ring->stream), 12, "packets are written when they are given");
	is(ring->requests, 3, "one that was given all does not ask whether there is more");
	ring->most = 3;
	ring->packets = 18;
	ok(RUN_UNTIL(ring->released >= 12), "but soon, by itself");
	is(ring->requests, 5, "and at once where it was not given all");
	is(packets_on_disk(ring->stream), 18, "up to the last");
	ring->packets = 19;
	RUN_UNTIL(ring->taken == 19);
	is(ring->asleep, 2, "one that was given hardly anything goes to sleep");
	is(ring->early, 0, "no packet was let go before it was on disk");
	output_session_destroy(session);
}

static void test_faults(void)
{
	struct lttngmap_ring_file *busy, *overrun, *dead, *wrong;
	struct output_session *session = begin("faults", "s");
	int before;

	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	before = trace_kit_open_fds();
	busy = play(0, "faults", "busy-4711-1", 3);
	busy->open_error = -EBUSY;
	busy->open_errors = 2;
	overrun = play(1, "faults", "lapped-4711-2", 3);
	overrun->is_volatile = true;
	overrun->overrun = 1;
	overrun->stream = NULL;
	dead = play(2, "faults", "dead-4711-3", 2);
	dead->end_error = -ENOTCONN;
	wrong = play(3, "faults", "wrong-4711-4", 2);
	wrong->no_data = true;
	wrong->stream = NULL;
	make_file(trace_kit_path("faults/rings/c/other-4711-5"));
	opened_other = 0;
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	ok(RUN_UNTIL(overrun->released == 3), "a ring in overwrite mode is read");
	ok(RUN_UNTIL(busy->released == 3), "one that was busy is, when it is free");
	run(0.3);
	is(told.overrun, TRACE_KIT_EVENTS, "what was overwritten meanwhile is counted");
	is(packets_on_disk(trace_kit_path("faults/trace/ust/c_lapped-4711-2_0")), 2,
	   "and not written");
	ok(has_first_body(trace_kit_path("faults/trace/ust/c_lapped-4711-2_0")),
	   "what was overwritten after it was looked at is as it was");
	ok(dead->taken == 2 && !dead->is_open, "where the daemon is gone, the ring is closed");
	is(packets_on_disk(dead->stream), 2, "with what was read");
	ok(wrong->taken <= 1 && !wrong->is_open, "so is one whose packets lie nowhere");
	is(opened_other, 1, "what is no ring is tried once");
	is(trace_kit_open_fds() - before, 2, "only the watch is open in the end");
	output_session_destroy(session);
}

/* A name that is said again while its ring is open. */
static void test_same_name(void)
{
	struct lttngmap_ring_file *ring;
	struct output_session *session = begin("same", "s");

	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	ring = play(0, "same", "p-4711-1", 4);
	ring->end_error = -EAGAIN;
	RUN_UNTIL(ring->released == 4);
	make_file(trace_kit_path("same/rings/c/.again"));
	rename(trace_kit_path("same/rings/c/.again"), trace_kit_path("same/rings/c/p-4711-1"));
	run(0.1);
	ok(ring->is_open, "a name said twice is one ring");
	ring->packets = 6;
	(void)!write(ring->fd, &(uint64_t){ 1 }, sizeof(uint64_t));
	ok(RUN_UNTIL(ring->released == 6), "which is read on when it has more");
	output_session_destroy(session);
	/* The consumer dies with a packet that is on disk, but was not released. */
	ring->taken = 4;
	session = begin("same", "s");
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	ring->packets = 8;
	ok(RUN_UNTIL(ring->released == 6 + 4), "the next one is given packets again");
	run(0.3);
	is(told.packets, 2, "and writes those that are new");
	output_session_destroy(session);
	is(trace_kit_read(trace_kit_path("same/trace"), NULL), 8 * TRACE_KIT_EVENTS,
	   "each packet is there once");
}

/* A folder in the way of the trace. */
static void test_no_output(void)
{
	struct lttngmap_ring_file *ring;
	struct output_session *session;

	make_file(trace_kit_path("blocked"));
	mkdir(trace_kit_path("late"), 0700);
	symlink(trace_kit_path("blocked"), trace_kit_path("late/trace"));
	session = begin("late", "s");
	ok(session && told.error, "an output that cannot be made is told: %s",
	   told.error ? told.error : "");
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	ring = play(0, "late", "p-4711-1", 2);
	run(0.1);
	is(ring->released, 0, "nothing is let go");
	unlink(trace_kit_path("late/trace"));
	ok(RUN_UNTIL(ring->released == 2), "until it can be made");
	output_session_destroy(session);
}

/* More files than the kernel remembers. */
static void test_overflow(void)
{
	struct output_session *session = begin("overflow", "s");
	unsigned files = 16384;
	FILE *limit = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
	double start, took;
	char name[64];

	if (!limit || fscanf(limit, "%u", &files) != 1 || files > 200000) {
		skip(3, "the kernel's queue is too long to overflow it");
		output_session_destroy(session);
		return;
	}
	fclose(limit);
	files += 1000;
	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	memset(rings, 0, sizeof(rings));
	make_file(trace_kit_path("overflow/one"));
	for (unsigned i = 0; i < files; i++) {
		snprintf(name, sizeof(name), "overflow/rings/c/p-%u-1", i);
		/* A file system may allow only so many links of one file. */
		if (link(trace_kit_path("overflow/one"), trace_kit_path("%s", name)) < 0)
			make_file(trace_kit_path("%s", name));
	}
	/* Rings that appear when the queue is full for long. */
	struct lttngmap_ring_file *last = play(0, "overflow", "last-4711-1", 3);
	opened_other = 0;
	start = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	RUN_UNTIL(last->released == 3 && opened_other >= (int)files);
	took = read_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
	is(last->released, 3, "a ring that inotify forgot is found");
	ok(opened_other >= (int)files, "as are all of %u files", files);
	ok(took < 5, "within %.1f s of work", took);
	output_session_destroy(session);
}

static void rotate(struct output_session *session, bool final, bool drop_empty)
{
	nr_rotated = 0;
	output_session_rotate(
		session,
		&(struct output_session_rotation){
			.chunk = 1, .name = "one", .final = final, .drop_empty = drop_empty });
}

static void test_rotation(void)
{
	struct lttngmap_ring_file *ring, *other;
	struct output_session *session = begin("rotation", "s");
	int before;

	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	rotate(session, false, false);
	ok(nr_rotated == 1 && !rotated.error && !rotated.final, "there is room for a chunk");
	before = trace_kit_open_fds();
	ring = play(0, "rotation", "p-4711-1", 6);
	ring->next_chunk = 4;
	other = play(1, "rotation", "q-4711-2", 2);
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	ok(RUN_UNTIL(ring->released == 4 && other->released == 2), "what is of the chunk is read");
	run(0.1);
	is(ring->taken, 5, "what is of the next is held");
	is(packets_on_disk(ring->stream), 4, "and not written");
	ring->stream = NULL;
	rotate(session, true, false);
	ok(nr_rotated == 1 && !rotated.error && rotated.final && !rotated.dropped, "it is moved");
	ok(RUN_UNTIL(ring->released == 6), "and the next begins");
	run(0.1);
	is(trace_kit_read(trace_kit_path("rotation/trace/archives/one"), NULL),
	   6 * TRACE_KIT_EVENTS, "the chunk is readable");
	is(trace_kit_read(trace_kit_path("rotation/trace/ust"), NULL), 2 * TRACE_KIT_EVENTS,
	   "as is the rest");
	is(trace_kit_file_size(trace_kit_path("rotation/trace/ust/c_q-4711-2_0")), -1,
	   "a ring that ended has no file in it");
	is(trace_kit_open_fds(), before + 2, "nothing stays open but the watch");
	output_session_destroy(session);
}

static void test_rotation_faults(void)
{
	struct lttngmap_ring_file *ring;
	struct output_session *session = begin("rotated", "s");

	output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	make_file(trace_kit_path("rotated/trace/archives"));
	rotate(session, false, false);
	ok(nr_rotated == 1 && rotated.error, "no room for a chunk: %s",
	   rotated.error ? rotated.error : "");
	unlink(trace_kit_path("rotated/trace/archives"));
	rotate(session, false, true);
	rotate(session, true, true);
	ok(nr_rotated == 1 && !rotated.error && rotated.dropped, "an empty chunk is dropped");
	is(trace_kit_file_size(trace_kit_path("rotated/trace/archives")), -1,
	   "nothing of it is left");

	/* A file in the place of the folder, after it was made. */
	rotate(session, false, false);
	rmdir(trace_kit_path("rotated/trace/archives/one"));
	make_file(trace_kit_path("rotated/trace/archives/one"));
	ring = play(0, "rotated", "p-4711-1", 1);
	ring->stream = NULL;
	output_session_add_channel(session, "c", TRACE_KIT_STREAM_ID, NULL);
	RUN_UNTIL(ring->released == 1);
	rotate(session, true, false);
	is(nr_rotated, 0, "what cannot be moved is not done");
	ok(told.error && strstr(told.error, "is a file, and no folder"), "which is told: %s",
	   told.error ? told.error : "");
	unlink(trace_kit_path("rotated/trace/archives/one"));
	ok(RUN_UNTIL(nr_rotated == 1), "and tried again");
	is(trace_kit_read(trace_kit_path("rotated/trace/archives/one"), NULL), TRACE_KIT_EVENTS,
	   "until it is");
	rotate(session, false, false);
	output_session_destroy(session);
	is(trace_kit_file_size(trace_kit_path("rotated/trace/.ust.next")), -1,
	   "a rotation that its session does not see the end of leaves nothing");
}

int main(void)
{
	log_set_level(LOG_LEVEL_ERROR);
	stream_pool_init(&shared.pool, 100);
	shared.report = report;
	shared.report_rotation = report_rotation;
	if (sd_event_new(&shared.loop) < 0 || turns_init(&shared.turns, shared.loop) < 0)
		bail_out("no event loop");
	/* The loop keeps a descriptor for timers from the first one on. */
	output_session_destroy(begin("first", "s"));
	test_found();
	test_metadata();
	test_full();
	test_fair();
	test_several();
	test_foreign();
	test_no_pages("foreign-hole", true, false);
	test_no_pages("own-hole", false, false);
	test_no_pages("live-hole", false, true);
	test_awake();
	test_not_chased();
	test_faults();
	test_same_name();
	test_no_output();
	test_rotation();
	test_rotation_faults();
	test_overflow();
	turns_fini(&shared.turns);
	free(shared.copy);
	stream_pool_destroy(&shared.pool);
	sd_event_unref(shared.loop);
	return done_testing();
}
