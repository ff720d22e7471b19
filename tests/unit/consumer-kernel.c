/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The kernel's rings in the consumer, mapped, and in consumer-kernel-read read, on a tracefs
 * instance of this test's own: each mark that is written is in the stream once, or counted, whoever
 * dies; the final metadata is told of when the rings are read to their ends; and what is traced of
 * the consumer itself keeps nobody busy.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <linux/magic.h>

#include "common/base/log.h"
#include "common/ring-file/ring-file-pages.h"
#include "consumerd/session/output-session.h"
#include "tests/utils/kernel-marks.h"
#include "tests/utils/tap.h"
#include "tests/utils/trace-kit.h"

/* One CPU's, in KiB, and of that many marks no more than a part fits. */
#define BUFFER_KIB 256
#define MARKS_TOO_MANY 20000

static struct output_session_shared shared;
static struct output_session_written told;
static int pages = -1; /* for rings that are read */

static int report(struct output_session_shared *unused, const char *session,
		  const struct output_session_written *written)
{
	(void)unused;
	(void)session;
	told = *written;
	return 0;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Until it becomes so; some seconds at most. */
#define RUN_UNTIL(condition)                                                                       \
	({                                                                                         \
		for (double end_ = now() + 20; !(condition) && now() < end_;)                      \
			sd_event_run(shared.loop, 10000);                                          \
		(condition);                                                                       \
	})

/* ---- the kernel's side ------------------------------------------------------------ */

#ifdef RINGS_ARE_READ
static bool fails; /* for who reads a sub-buffer, there is no memory */
static unsigned int failures;

ssize_t read(int fd, void *bytes, size_t size)
{
	struct statfs system;

	if (fails && size > 4096 && fstatfs(fd, &system) == 0 && system.f_type == TRACEFS_MAGIC) {
		failures++;
		errno = ENOMEM;
		return -1;
	}
	return syscall(SYS_read, fd, bytes, size);
}
#endif

/* As the daemon does where rings are read; for one that is mapped they are not used. */
static void make_pages(void)
{
	uint32_t size = ring_file_kernel_subbuf_size(kernel_marks_instance());

	if (ring_file_pages_create((uint32_t)sysconf(_SC_NPROCESSORS_CONF), size, &pages) != 0)
		bail_out("no memory");
}

/* What the daemon sends with the metadata: the one class that marks are of. */
static int formats(void)
{
	char text[4096], line[64];
	ssize_t size;
	int memory,
		fd = open(KERNEL_MARKS_TRACEFS "/events/ftrace/print/format", O_RDONLY | O_CLOEXEC);

	size = read(fd, text, sizeof(text));
	close(fd);
	memory = memfd_create("formats", MFD_CLOEXEC);
	snprintf(line, sizeof(line), "ftrace %zd\n", size);
	if (size <= 0 || write(memory, line, strlen(line)) < 0 || write(memory, text, size) != size)
		bail_out("no format");
	return memory;
}

/* ---- the stream ---------------------------------------------------------------------- */

struct seen {
	unsigned once, often;
	uint64_t packets, discarded, broken; /* broken: times or numbers that go back */
};

/* What stands in the stream of CPU 0; marks are found by their text. */
static struct seen look(const char *folder, unsigned from, unsigned to)
{
	static unsigned char found[1u << 20];
	const char *path = trace_kit_path("%s/kernel/kernel_0", folder);
	long size = trace_kit_file_size(path);
	struct ctf_packet_header header;
	struct seen seen = { 0 };
	unsigned int number;
	uint64_t end = 0;
	char *bytes = malloc((size_t)size + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (size < 0 || !bytes || read(fd, bytes, (size_t)size) != size)
		bail_out("no stream %s", path);
	close(fd);
	memset(found, 0, sizeof(found));
	for (long at = 0; at + (long)sizeof(header) <= size; at += (long)(header.packet_size / 8)) {
		memcpy(&header, bytes + at, sizeof(header));
		seen.broken += header.packet_seq_num != seen.packets ||
			       header.timestamp_begin < end ||
			       header.timestamp_end < header.timestamp_begin ||
			       header.events_discarded < seen.discarded;
		end = header.timestamp_end;
		seen.discarded = header.events_discarded;
		seen.packets++;
	}
	for (const char *at = bytes; (at = kernel_marks_find(at, bytes + size, &number)); at++) {
		if (number >= from && number < to && number < sizeof(found))
			found[number]++;
	}
	for (unsigned i = from; i < to; i++) {
		seen.once += found[i] == 1;
		seen.often += found[i] > 1;
	}
	free(bytes);
	return seen;
}

/* ---- tests ------------------------------------------------------------------------------ */

/* Without metadata it holds what it is given. */
static struct output_session *begin_for(const char *folder, bool has_metadata)
{
	struct output_session_config config = {
		.pages = pages,
		.output = trace_kit_path("%s", folder),
		.rings = kernel_marks_instance(),
		.uuid = trace_kit_uuid,
		.owner = geteuid(),
		.group = getegid(),
		.kernel = true,
	};
	struct output_session *session;
	int memory = formats();

	memset(&told, 0, sizeof(told));
	session = output_session_create_for(&shared, "s/kernel", &config);
	output_session_set_formats(session, memory);
	close(memory);
	if (has_metadata)
		output_session_set_metadata(session, 1, trace_kit_metadata(), false);
	is(output_session_add_channel(session, "per_cpu", 0, NULL), 0,
	   "the instance's rings are found");
	return session;
}

static struct output_session *begin(const char *folder)
{
	return begin_for(folder, true);
}

/* As the daemon does: tracing is off, then the metadata is final. */
static void finish(struct output_session *session, uint64_t generation)
{
	kernel_marks_put("tracing_on", "0");
	output_session_set_metadata(session, generation, trace_kit_metadata(), true);
	ok(RUN_UNTIL(told.generation == generation), "the final metadata is told of");
	kernel_marks_put("tracing_on", "1");
}

static void test_all(void)
{
	unsigned first = kernel_marks_written();
	struct output_session *session;
	struct seen seen;

	/* Some before it comes, some while it looks, less than makes the kernel say something. */
	kernel_marks_write(100);
	session = begin("all");
	for (int i = 0; i < 20; i++) {
		kernel_marks_write(200);
		sd_event_run(shared.loop, 1000);
	}
	kernel_marks_write(7);
	finish(session, 2);
	seen = look("all", first, kernel_marks_written());
	is(seen.once, kernel_marks_written() - first, "each mark is in the stream");
	is(seen.often + seen.broken, 0, "once, and in its order");
	is(told.events, kernel_marks_written() - first, "and is told of");
	is(told.overrun + seen.discarded, 0, "none was lost");
	is(told.packets, seen.packets, "so many packets");
	is(access(trace_kit_path("all/ust"), F_OK), -1, "nothing is where the program's trace is");

	/* Started once more. */
	kernel_marks_write(50);
	finish(session, 3);
	seen = look("all", first, kernel_marks_written());
	is(seen.once, kernel_marks_written() - first, "after a stop it goes on");
	output_session_destroy(session);
}

/* The consumer dies: what is not in the stream then is written by the next one. */
static void test_lives(void)
{
	unsigned first = kernel_marks_written();
	struct output_session *session = begin("lives");
	struct seen seen;

	for (int life = 0; life < 8; life++) {
		kernel_marks_write(300 + 177 * life);
		/* In the middle of its work, or before it, or long after it. */
		for (int turns = 0; turns < life * 2; turns++)
			sd_event_run(shared.loop, 0);
		kernel_marks_write(3);
		output_session_destroy(session);
		kernel_marks_write(2);
		/* Or with a packet that the kernel gave it, and that is not in the stream. */
		session = begin_for("lives", life % 2);
		kernel_marks_write(2);
		for (int turns = 0; turns < 8; turns++)
			sd_event_run(shared.loop, 0);
	}
	finish(session, 2);
	seen = look("lives", first, kernel_marks_written());
	is(seen.once, kernel_marks_written() - first,
	   "whenever the consumer dies, each mark is in the stream");
	is(seen.often + seen.broken, 0, "once, and in its order");
	is(seen.discarded, 0, "and none is called lost");
	output_session_destroy(session);
}

static void test_overrun(void)
{
	unsigned first = kernel_marks_written();
	struct output_session *session = begin("overrun");
	struct seen seen;
	uint64_t lost;

	kernel_marks_write(10);
	finish(session, 2);
	kernel_marks_write(MARKS_TOO_MANY);
	finish(session, 3);
	seen = look("overrun", first, kernel_marks_written());
	ok(seen.discarded > 0 && seen.once < kernel_marks_written() - first,
	   "of too many marks some are lost");
	is(seen.once + seen.discarded, kernel_marks_written() - first,
	   "and those are counted, exactly");
	is(seen.often + seen.broken, 0, "all others are there once");
	is(told.overrun, seen.discarded, "it is told of");
	lost = seen.discarded;
	output_session_destroy(session);

	session = begin("overrun");
	kernel_marks_write(10);
	finish(session, 2);
	seen = look("overrun", first, kernel_marks_written());
	is(seen.discarded, lost, "another consumer goes on with that count");
	is(told.overrun, lost, "and tells it");
	is(seen.once + seen.discarded, kernel_marks_written() - first, "nothing else is missing");
	output_session_destroy(session);
}

#ifdef RINGS_ARE_READ
static void test_passing(void)
{
	unsigned int first = kernel_marks_written();
	struct output_session *session = begin("passing");
	struct seen seen;

	kernel_marks_write(1000);
	fails = true;
	/* Once for each CPU's ring, and some once more. */
	ok(RUN_UNTIL(failures > (unsigned int)sysconf(_SC_NPROCESSORS_CONF)),
	   "that the kernel has no memory for a moment");
	fails = false;
	kernel_marks_write(1000);
	finish(session, 2);
	seen = look("passing", first, kernel_marks_written());
	is(seen.once, 2000, "... is no reason to give up its ring");
	is(seen.often + seen.broken + seen.discarded, 0, "... and nothing is lost by it");
	output_session_destroy(session);
}
#else
static void test_passing(void)
{
}
#endif

/* Each of our system calls is an event: reading them makes more, for ever. */
static void test_own_events(void)
{
	struct output_session *session;
	uint64_t before;
	unsigned turns = 0;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	if (!kernel_marks_put("set_event_pid", pid) ||
	    !kernel_marks_put("events/raw_syscalls/enable", "1"))
		bail_out("no raw_syscalls");
	session = begin("own");
	kernel_marks_write(2000);
	RUN_UNTIL(told.packets > 0);
	before = told.packets;
	for (double end = now() + 1; now() < end; turns++)
		sd_event_run(shared.loop, 100000);
	/* Hundreds of thousands, else. */
	ok(told.packets - before < 1000 && turns < 1000,
	   "what the consumer itself does keeps it not busy: %d packets, %u turns",
	   (int)(told.packets - before), turns);
	kernel_marks_put("events/raw_syscalls/enable", "0");
	finish(session, 2);
	ok(told.overrun > 0, "events of no class that it knows are counted as lost");
	output_session_destroy(session);
}

int main(void)
{
	log_set_level(LOG_LEVEL_ERROR);
	kernel_marks_begin("consumer", BUFFER_KIB);
	make_pages();
	stream_pool_init(&shared.pool, 100);
	shared.report = report;
	if (sd_event_new(&shared.loop) < 0 || turns_init(&shared.turns, shared.loop) < 0)
		bail_out("no event loop");
	test_all();
	test_lives();
	test_overrun();
	test_passing();
	test_own_events();
	turns_fini(&shared.turns);
	free(shared.copy);
	stream_pool_destroy(&shared.pool);
	sd_event_unref(shared.loop);
	is(kernel_marks_end(), 0, "no ring is mapped any more: the instance can go");
	return done_testing();
}
