/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The metadata file grows in place. Each byte of it is written alone here, and
 * after each the file is what a reader would find if the consumer died there:
 * the text before the piece, or with it, and valid.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/protocol/metadata-room.h"
#include "consumerd/stream/stream.h"
#include "consumerd/trace/trace-repair.h"
#include "consumerd/trace/trace.h"
#include "tests/utils/tap.h"
#include "tests/utils/trace-kit.h"

#define FILE_MAX 65536
/* Between two looks by babeltrace2. */
#define LOOK_EACH 61u

static char before[FILE_MAX], after[FILE_MAX];
static size_t before_size, after_size;
static bool is_watched;
static unsigned int bytes_written, invalid, other, seen_before, seen_after, unreadable, looks;
static uint64_t bytes_in_all;

static size_t read_metadata(char *text)
{
	FILE *file = fopen(trace_kit_path("room/ust/metadata"), "r");
	size_t size = file ? fread(text, 1, FILE_MAX, file) : 0;

	if (file)
		fclose(file);
	return size;
}

/* As a reader finds it at this instant. */
static void look(void)
{
	static char text[FILE_MAX];
	char fault[RECORD_TRACE_FAULT_SIZE];
	struct stream_format format = { .layout = record_layout_create() };
	size_t size = read_metadata(text);
	long gap;

	invalid += trace_repair_check_metadata(text, size, &format, fault) != NULL;
	record_layout_destroy(format.layout);
	size = metadata_room_remove(text, size);
	if (size == before_size && memcmp(text, before, size) == 0)
		seen_before++;
	else if (size == after_size && memcmp(text, after, size) == 0)
		seen_after++;
	else
		other++;
	if (bytes_written++ % LOOK_EACH != 0)
		return;
	looks++;
	unreadable += trace_kit_read(trace_kit_path("room"), &gap) != TRACE_KIT_EVENTS;
}

/* Stands before libc's: the files of a trace are written by it. */
ssize_t pwritev(int fd, const struct iovec *parts, int nr_parts, off_t offset)
{
	const char *bytes = parts[0].iov_base;

	for (int i = 0; i < nr_parts; i++)
		bytes_in_all += parts[i].iov_len;
	if (!is_watched)
		return syscall(SYS_pwritev, fd, parts, (long)nr_parts, (long)offset, 0L);
	for (size_t i = 0; i < parts[0].iov_len; i++) {
		if (syscall(SYS_pwrite64, fd, bytes + i, 1, offset + (off_t)i) != 1)
			return -1;
		look();
	}
	return (ssize_t)parts[0].iov_len;
}

static size_t make_event(unsigned int id, char piece[512])
{
	return (size_t)sprintf(piece,
			       "event {\n\tname = \"test:more-%u *\\057\";\n\tid = %u;\n"
			       "\tstream_id = %u;\n\tfields := struct {\n\t};\n};\n\n",
			       id, id, TRACE_KIT_STREAM_ID);
}

/* The text is `after` once the piece is there. */
static int add(struct trace *trace, unsigned int id)
{
	char piece[512];
	size_t size = make_event(id, piece);
	int error;

	memcpy(before, after, after_size);
	before_size = after_size;
	memcpy(after + after_size, piece, size);
	after_size += size;
	error = trace_add_metadata(trace, piece, size);
	if (error)
		after_size = before_size;
	return error;
}

static void write_stream(struct trace *trace)
{
	static char body[TRACE_KIT_BODY_MAX];
	struct stream_pool pool;
	struct lttngmap_packet packet;
	struct stream *stream;

	stream_pool_init(&pool, 4);
	stream = stream_create(trace, &pool, "s", "program", TRACE_KIT_STREAM_ID);
	trace_kit_packet(0, 0, &packet, body);
	if (!stream || stream_write(stream, &packet, body) != 0 || stream_flush(stream) != 0)
		bail_out("no stream");
	stream_destroy(stream);
	stream_pool_destroy(&pool);
}

static void test_each_byte(void)
{
	struct trace trace = { .chunk = 0 };
	const char *text;

	if (trace_open(&trace, trace_kit_path("room"), trace_kit_uuid) != 0)
		bail_out("no trace");
	text = trace_kit_metadata_text(&after_size);
	memcpy(after, text, after_size);
	is(trace_write_metadata(&trace, text, after_size, 4096), 0, "metadata with room");
	write_stream(&trace);
	is_watched = true;
	for (unsigned int id = 100; id < 104; id++)
		if (add(&trace, id) != 0)
			bail_out("no room");
	is_watched = false;
	is(invalid, 0, "after each byte written the text is whole");
	is(other, 0, "and is the text before the piece, or with it");
	ok(seen_before > 300 && seen_after == 4, "with it after the last byte of each");
	diag("%u before, %u after, %u looks of babeltrace2", seen_before, seen_after, looks);
	ok(looks > 5 && unreadable == 0, "and babeltrace2 has nothing to say about it");
	trace_close(&trace);
}

/* As the consumer does: in place while there is room, anew with as much room as text. */
static void test_cost(void)
{
	struct trace trace = { .chunk = 0 };
	unsigned int anew = 0, pieces = 1500;
	struct stat status;
	size_t pieces_size;
	const char *text;
	static char all[1 << 20];
	size_t size;

	if (trace_open(&trace, trace_kit_path("cost"), trace_kit_uuid) != 0)
		bail_out("no trace");
	text = trace_kit_metadata_text(&size);
	memcpy(all, text, size);
	pieces_size = size;
	bytes_in_all = 0;
	if (trace_write_metadata(&trace, all, size, 4096) != 0)
		bail_out("no metadata");
	for (unsigned int id = 100; id < 100 + pieces; id++) {
		size_t piece = make_event(id, all + size);

		if (trace_add_metadata(&trace, all + size, piece) == -ENOBUFS) {
			if (trace_write_metadata(&trace, all, size + piece, size + piece) != 0)
				bail_out("no metadata");
			anew++;
		}
		size += piece;
	}
	pieces_size = size;
	ok(anew > 2 && anew < 12, "1500 pieces, one by one: the file is made anew now and then");
	ok(bytes_in_all < 8 * pieces_size, "and some times the text is written, not 1500 times");
	diag("%u times anew; %zu bytes of text, %llu written", anew, pieces_size,
	     (unsigned long long)bytes_in_all);
	is(trace_write_metadata(&trace, all, size, 0), 0, "at last");
	is(stat(trace_kit_path("cost/ust/metadata"), &status) == 0 ? status.st_size : -1, size,
	   "it is the text and nothing else");
	is(trace_add_metadata(&trace, "x", 1), -ENOBUFS, "which has no room");
	trace_close(&trace);
}

int main(void)
{
	plan(10);
	test_each_byte();
	test_cost();
	return done_testing();
}
