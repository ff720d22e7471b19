/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A trace in several files and several chunks: what is cut, kept, thrown away
 * and counted, and what the next consumer finds where this one was killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/beneath.h"
#include "common/base/log.h"
#include "consumerd/stream/stream.h"
#include "tests/utils/tap.h"
#include "tests/utils/trace-kit.h"

#define NAME "channel_prog.x-4711-1_2"
#define PAGED_SIZE (128u << 10)

static struct stream_pool pool;
static int unlinks_left = -1; /* then they fail; -1: never */

/* In place of the C library's. */
int unlinkat(int dir, const char *path, int flags)
{
	if (unlinks_left == 0) {
		errno = EIO;
		return -1;
	}
	unlinks_left -= unlinks_left > 0;
	return (int)syscall(SYS_unlinkat, dir, path, flags);
}

static bool swap_at_rename; /* once */

/* Likewise: somebody was faster. */
int renameat(int from, const char *path, int to, const char *new_path)
{
	if (swap_at_rename) {
		swap_at_rename = false;
		rename(trace_kit_path("swapped/ust"), trace_kit_path("swapped/aside"));
		mkdir(trace_kit_path("swapped/ust"), 0700);
	}
	return (int)syscall(SYS_renameat2, from, path, to, new_path, 0);
}

/* ---- helpers ----------------------------------------------------------------------- */

/* `folder`, here and below: in the test's own. */
static struct trace open_trace(const char *folder)
{
	struct trace trace = { .chunk = 0 };
	int error = trace_open(&trace, trace_kit_path("%s", folder), trace_kit_uuid);
	const char *text;
	size_t size;

	if (error)
		bail_out("%s: %s", folder, strerror(-error));
	text = trace_kit_metadata_text(&size);
	if (trace_write_metadata(&trace, text, size, 0))
		bail_out("no metadata");
	return trace;
}

static struct stream *make_stream(struct trace *trace, uint64_t file_size, uint64_t file_count)
{
	struct stream *stream = stream_create(trace, &pool, NAME, "prog.x", TRACE_KIT_STREAM_ID);

	if (!stream)
		bail_out("no stream");
	stream_limit(stream, &(struct stream_limits){ file_size, file_count });
	return stream;
}

static int write_packets(struct stream *stream, uint64_t from, uint64_t to)
{
	char body[TRACE_KIT_BODY_MAX];
	struct lttngmap_packet packet;
	int error = 0;

	for (; !error && from < to; from++) {
		trace_kit_packet(2, from, &packet, body);
		error = stream_write(stream, &packet, body);
	}
	return error ? error : stream_flush(stream);
}

static long size_of(const char *folder, int number)
{
	return trace_kit_file_size(trace_kit_path("%s/ust/" NAME "_%d", folder, number));
}

static long read_trace(const char *folder, long *first_gap)
{
	char path[512];

	/* Others are made meanwhile. */
	snprintf(path, sizeof(path), "%s", trace_kit_path("%s", folder));
	return trace_kit_read(path, first_gap);
}

/* Files of the stream; -1: without an index, or too large. */
static int count_files(const char *folder, long most)
{
	int files = 0;

	for (int i = 0; i < 1000; i++) {
		if (size_of(folder, i) < 0)
			continue;
		files++;
		if (size_of(folder, i) > most ||
		    trace_kit_file_size(trace_kit_path("%s/ust/index/" NAME "_%d.idx", folder, i)) <
			    16 + 72)
			return -1;
	}
	return files;
}

/* ---- files ------------------------------------------------------------------------- */

static void test_size(void)
{
	struct trace trace = open_trace("size");
	struct stream *stream = make_stream(&trace, 1000, 0);
	long gap;

	is(write_packets(stream, 0, 100), 0, "packets are written");
	is(write_packets(stream, 99, 100), -EALREADY, "the last not twice");
	stream_destroy(stream);
	trace_close(&trace);
	ok(count_files("size", 1000) > 20, "into many files, none too large");
	trace = open_trace("size");
	stream = make_stream(&trace, 1000, 0);
	is(write_packets(stream, 99, 100), -EALREADY, "not by the next consumer either");
	is(write_packets(stream, 100, 110), 0, "which goes on");
	stream_destroy(stream);
	trace_close(&trace);
	is(read_trace("size", &gap), 110 * TRACE_KIT_EVENTS, "babeltrace2 finds all events");
	is(gap, -1, "in their order: it is one stream");
	is(trace.overwritten, 0, "nothing was thrown away");
}

static void test_count(void)
{
	const char *folder = "count";
	struct trace trace = open_trace(folder);
	struct stream *stream = make_stream(&trace, 1000, 3);

	is(write_packets(stream, 0, 200), 0, "with a count");
	is(count_files(folder, 1000), 3, "no more files are kept");
	stream_destroy(stream);
	trace_close(&trace);
	is(read_trace(folder, NULL) + (long)trace.overwritten, 200 * TRACE_KIT_EVENTS,
	   "what is thrown away is counted");

	/* Fewer are wanted, by a consumer that knows of none of them. */
	trace = open_trace(folder);
	stream = make_stream(&trace, 1000, 2);
	is(write_packets(stream, 200, 220), 0, "the next goes on");
	is(count_files(folder, 1000), 2, "with fewer files");
	is(read_trace(folder, NULL) + (long)trace.overwritten, 220 * TRACE_KIT_EVENTS,
	   "and with the count");
	stream_destroy(stream);
	is(trace_clear(&trace), 0, "cleared");
	is(trace.overwritten, 0, "nothing is counted any more");
	trace_close(&trace);
	trace = open_trace(folder);
	is(trace.overwritten, 0, "by the next either");
	trace_close(&trace);
}

/* Killed before the index goes, and between index and file. */
static void test_killed(int unlinks)
{
	const char *folder = unlinks ? "killed-1" : "killed-0";
	struct trace trace = open_trace(folder);
	struct stream *stream = make_stream(&trace, 1000, 2);
	uint64_t sequence = 0;
	int error = 0;

	unlinks_left = 4 + unlinks;
	for (; !error && sequence < 100; sequence++)
		error = write_packets(stream, sequence, sequence + 1);
	is(error, -EIO, "a file that cannot be removed is an error");
	sequence--;
	if (unlinks == 1) {
		/* The same consumer tries again. */
		unlinks_left = -1;
		is(write_packets(stream, sequence, 100), 0, "with the next try it goes");
	}
	stream_destroy(stream);
	trace_close(&trace);
	unlinks_left = -1;
	trace = open_trace(folder);
	stream = make_stream(&trace, 1000, 2);
	is(write_packets(stream, unlinks == 1 ? 100 : sequence, 120), 0, "the next goes on");
	stream_destroy(stream);
	trace_close(&trace);
	is(count_files(folder, 1000), 2, "so many files are left");
	is(read_trace(folder, NULL) + (long)trace.overwritten, 120 * TRACE_KIT_EVENTS,
	   "what was thrown away is counted once");
}

/* What stands there is not ours alone to write. */
static void test_foreign_count(void)
{
	const char *folder = "foreign";
	struct trace trace = open_trace(folder);
	struct {
		uint64_t events;
		char name[NAME_MAX + 1];
	} count = { 7, "../../precious" };
	int fd;

	close(open(trace_kit_path("precious"), O_CREAT | O_WRONLY, 0600));
	trace_close(&trace);
	fd = open(trace_kit_path("foreign/ust/" TRACE_OVERWRITTEN), O_CREAT | O_WRONLY, 0600);
	ok(write(fd, &count, sizeof(count)) > 0, "a count that names a file elsewhere");
	close(fd);
	trace = open_trace(folder);
	is(trace_kit_file_size(trace_kit_path("precious")), 0, "removes nothing there");
	is(trace.overwritten, 7, "and is a count");
	trace_close(&trace);
	(void)!truncate(trace_kit_path("foreign/ust/" TRACE_OVERWRITTEN), 5);
	trace = open_trace(folder);
	is(trace.overwritten, 0, "one that is cut off is none");
	trace_close(&trace);
}

/* Packets of whole pages, which may go past the page cache. */
static void test_paged(void)
{
	char *subbuf = aligned_alloc(4096, PAGED_SIZE), body[TRACE_KIT_BODY_MAX];
	const char *folder = "paged";
	struct trace trace = open_trace(folder);
	struct stream *stream = make_stream(&trace, PAGED_SIZE + 4096, 2);
	struct lttngmap_packet packet;
	uint64_t events = 0;
	int error = 0;

	memset(subbuf, 0, PAGED_SIZE);
	for (uint32_t i = 0; !error && i < 20; i++) {
		struct lttngmap_packet small;
		uint32_t at = LTTNGMAP_SUBBUF_HEAD;

		/* The kit's small packets one after another, up to each place in a page. */
		trace_kit_packet(2, 0, &packet, body);
		packet.events = 0;
		packet.sequence = i;
		for (uint64_t j = 0; at < PAGED_SIZE - 300 - i * 400; j++) {
			trace_kit_packet(2, events / TRACE_KIT_EVENTS, &small, body);
			memcpy(subbuf + at, body, small.length);
			at += small.length;
			packet.timestamp_end = small.timestamp_end;
			if (j == 0)
				packet.timestamp_begin = small.timestamp_begin;
			packet.events += TRACE_KIT_EVENTS;
			events += TRACE_KIT_EVENTS;
		}
		packet.offset = LTTNGMAP_SUBBUF_HEAD;
		packet.length = at - LTTNGMAP_SUBBUF_HEAD;
		error = stream_write(stream, &packet, subbuf + LTTNGMAP_SUBBUF_HEAD);
	}
	is(error, 0, "whole pages are written");
	is(stream_flush(stream), 0, "with their index");
	is(count_files(folder, PAGED_SIZE + 4096), 2, "into files that are not too large");
	ok(trace.overwritten > 0, "some of which went");
	is(read_trace(folder, NULL) + (long)trace.overwritten, (long)events,
	   "what is thrown away is counted");
	stream_destroy(stream);
	trace_close(&trace);
	free(subbuf);
}

/* ---- chunks ------------------------------------------------------------------------ */

static bool is_there(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

static void test_chunk(void)
{
	const char *folder = "chunk";
	struct trace trace = open_trace(folder);
	struct stream *stream = make_stream(&trace, 0, 0);
	struct ctf_packet_header first, second;
	int fd;

	write_packets(stream, 0, 10);
	stream_destroy(stream);
	is(trace_prepare_chunk(&trace, "one"), 0, "room for a chunk");
	is(trace_prepare_chunk(&trace, "one"), 0, "may be made again");
	trace_abandon_chunk(&trace, "one");
	ok(!is_there(trace_kit_path("chunk/archives")) &&
		   !is_there(trace_kit_path("chunk/.ust.next")),
	   "abandoned, nothing of it is left");
	trace_prepare_chunk(&trace, "one");
	trace.overwritten = 5;
	is(trace_move_chunk(&trace, "one"), 0, "moved");
	trace_close(&trace);
	trace = open_trace(folder);
	trace.chunk = 1;
	ok(trace_is_empty(&trace), "a new one begins empty");
	is(trace.overwritten, 5, "but knows what was thrown away");
	stream = make_stream(&trace, 0, 0);
	write_packets(stream, 10, 13);
	ok(!trace_is_empty(&trace), "it is not any more");
	is(trace_move_chunk(&trace, "one"), 0, "moved again to the same place");
	is(read_trace("chunk/archives/one", NULL), 10 * TRACE_KIT_EVENTS,
	   "it was done: the chunk is what it was");
	is(read_trace("chunk/ust", NULL), 3 * TRACE_KIT_EVENTS,
	   "and what came later is where it was");
	is(read_trace(folder, NULL), 13 * TRACE_KIT_EVENTS, "together they are one trace");
	trace_abandon_chunk(&trace, "one");
	ok(is_there(trace_kit_path("chunk/archives/one/ust/metadata")), "a chunk is not abandoned");
	fd = open(trace_kit_path("chunk/archives/one/ust/" NAME), O_RDONLY);
	(void)!read(fd, &first, sizeof(first));
	close(fd);
	fd = open(trace_kit_path("chunk/ust/" NAME), O_RDONLY);
	(void)!read(fd, &second, sizeof(second));
	close(fd);
	ok(first.stream_instance_id != second.stream_instance_id,
	   "streams of two chunks are told apart");
	stream_destroy(stream);
	trace_close(&trace);
}

/* Between the two renames. */
static void test_chunk_killed(void)
{
	const char *folder = "between";
	struct trace trace = open_trace(folder);

	trace_prepare_chunk(&trace, "one");
	trace.overwritten = 5;
	trace_move_chunk(&trace, "one");
	trace_close(&trace);
	rename(trace_kit_path("between/ust"), trace_kit_path("between/.ust.next"));
	trace = open_trace(folder);
	is(trace.overwritten, 5, "killed between the renames: the second is made up for");
	ok(!is_there(trace_kit_path("between/.ust.next")), "and nothing is left over");
	trace_close(&trace);
}

static void test_no_room(void)
{
	const char *folder = "no-room";
	struct trace trace = open_trace(folder);

	close(open(trace_kit_path("no-room/archives"), O_CREAT | O_WRONLY, 0600));
	is(trace_prepare_chunk(&trace, "one"), -BENEATH_REFUSED,
	   "a file in the place of chunks is an error");
	ok(!is_there(trace_kit_path("no-room/.ust.next")), "and nothing is left");
	unlink(trace_kit_path("no-room/archives"));
	if (symlink("/proc", trace_kit_path("no-room/archives")) < 0)
		bail_out("symlink");
	is(trace_prepare_chunk(&trace, "1"), -BENEATH_REFUSED, "as is a link");
	unlink(trace_kit_path("no-room/archives"));
	is(trace_prepare_chunk(&trace, "one"), 0, "without them there is room");
	rmdir(trace_kit_path("no-room/archives/one"));
	close(open(trace_kit_path("no-room/archives/one"), O_CREAT | O_WRONLY, 0600));
	is(trace_move_chunk(&trace, "one"), -BENEATH_REFUSED,
	   "with a file in its place later: an error");
	ok(is_there(trace_kit_path("no-room/ust/metadata")), "and the trace is where it was");
	unlink(trace_kit_path("no-room/archives/one"));
	is(trace_move_chunk(&trace, "one"), 0, "with nothing in its place it is moved");
	trace_close(&trace);
}

static void test_swapped(void)
{
	struct trace trace = open_trace("swapped");
	const char *metadata;

	rename(trace_kit_path("swapped/ust"), trace_kit_path("swapped/aside"));
	is(trace_move_chunk(&trace, "one"), -BENEATH_REFUSED, "what is not there is not moved");
	mkdir(trace_kit_path("swapped/ust"), 0700);
	is(trace_move_chunk(&trace, "one"), -BENEATH_REFUSED, "another folder is not moved");
	ok(is_there(trace_kit_path("swapped/ust")), "and stays where it is");
	rmdir(trace_kit_path("swapped/ust"));
	rename(trace_kit_path("swapped/aside"), trace_kit_path("swapped/ust"));
	swap_at_rename = true;
	is(trace_move_chunk(&trace, "one"), -BENEATH_REFUSED, "nor one that came at that moment");
	ok(is_there(trace_kit_path("swapped/ust")), "which is back again");
	rmdir(trace_kit_path("swapped/ust"));
	rename(trace_kit_path("swapped/aside"), trace_kit_path("swapped/ust"));
	is(trace_move_chunk(&trace, "one"), 0, "ours is moved");
	metadata = trace_kit_path("swapped/archives/one/ust/metadata");
	ok(is_there(metadata), "with all that is in it");
	trace_close(&trace);
}

int main(void)
{
	log_set_level(LOG_LEVEL_ERROR);
	stream_pool_init(&pool, 100);
	test_size();
	test_count();
	test_killed(0);
	test_killed(1);
	test_foreign_count();
	test_paged();
	test_chunk();
	test_chunk_killed();
	test_no_room();
	test_swapped();
	stream_pool_destroy(&pool);
	return done_testing();
}
