/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The consumer's files on disk: the bytes of headers and index entries, what
 * is left after a crash at any byte, duplicates, failing writes.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "common/base/log.h"
#include "consumerd/packet/file.h"
#include "consumerd/stream/stream.h"
#include "tests/utils/tap.h"
#include "tests/utils/trace-kit.h"

#define NAME "channel_prog.x-4711-1_2"
#define HEADER sizeof(struct ctf_packet_header)

static struct stream_pool pool;

/* ---- a disk that fails ----------------------------------------------------------- */

static size_t disk_room = SIZE_MAX; /* bytes that can still be written */
static int disk_error = ENOSPC;     /* what is said then */
static size_t disk_bite = SIZE_MAX; /* bytes that one call takes at most */
static int nr_direct;               /* calls past the page cache */
static int nr_writes;               /* all calls */
static size_t largest;              /* bytes of the largest call */
static long disk_ms;                /* that a call takes, where time stands still otherwise */
static bool is_clock_ours;
static struct timespec clock_now;

/* What was done to streams, all of them. */
static unsigned nr_refused, nr_cut;

/* In place of the C library's. */
ssize_t pwritev(int fd, const struct iovec *parts, int nr_parts, off_t offset)
{
	size_t size = 0, limit = disk_bite < disk_room ? disk_bite : disk_room;
	bool is_direct = fcntl(fd, F_GETFL) & O_DIRECT;
	char *bytes;
	ssize_t written;

	for (int i = 0; i < nr_parts; i++)
		size += parts[i].iov_len;
	nr_direct += is_direct;
	nr_writes++;
	largest = size > largest ? size : largest;
	clock_now.tv_nsec += disk_ms * 1000000;
	if (limit == SIZE_MAX)
		return syscall(SYS_pwritev, fd, parts, (long)nr_parts, (long)offset, 0L);
	if (size && (!disk_room || (is_direct && disk_room < size))) {
		errno = disk_error;
		return -1;
	}
	bytes = malloc(size + 1);
	size = 0;
	for (int i = 0; i < nr_parts; size += parts[i].iov_len, i++)
		if (parts[i].iov_len)
			memcpy(bytes + size, parts[i].iov_base, parts[i].iov_len);
	written = pwrite(fd, bytes, size < limit ? size : limit, offset);
	free(bytes);
	if (written > 0 && disk_room != SIZE_MAX)
		disk_room -= (size_t)written;
	return written;
}

/* In place of the C library's. Bytes that are cut off are room again. */
int ftruncate(int fd, off_t size)
{
	struct stat status;

	if (disk_room != SIZE_MAX && fstat(fd, &status) == 0 && status.st_size > size)
		disk_room += (size_t)(status.st_size - size);
	return (int)syscall(SYS_ftruncate, fd, size);
}

/* In place of the C library's. */
int clock_gettime(clockid_t id, struct timespec *now)
{
	if (!is_clock_ours)
		return (int)syscall(SYS_clock_gettime, id, now);
	*now = clock_now;
	return 0;
}

static void mend_disk(void)
{
	disk_room = SIZE_MAX;
	disk_bite = SIZE_MAX;
	disk_error = ENOSPC;
}

/* ---- helpers ----------------------------------------------------------------------- */

static void open_trace(struct trace *trace, const char *output)
{
	int error = trace_open(trace, output, trace_kit_uuid);
	const char *text;
	size_t size;

	if (error)
		bail_out("%s: %s", output, strerror(-error));
	text = trace_kit_metadata_text(&size);
	if (trace_write_metadata(trace, text, size, 0))
		bail_out("no metadata");
}

static struct stream *make_stream(struct trace *trace, const char *name)
{
	struct stream *stream = stream_create(trace, &pool, name, "prog.x", TRACE_KIT_STREAM_ID);

	if (!stream)
		bail_out("no stream");
	return stream;
}

static int write_numbered(struct stream *stream, uint64_t sequence)
{
	char body[TRACE_KIT_BODY_MAX];
	struct lttngmap_packet packet;

	trace_kit_packet(2, sequence, &packet, body);
	return stream_write(stream, &packet, body);
}

static int write_packets(struct stream *stream, uint64_t from, uint64_t to)
{
	int error = 0;

	for (; !error && from < to; from++)
		error = write_numbered(stream, from);
	return error ? error : stream_flush(stream);
}

static size_t read_file(const char *path, char *bytes, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t got = fd < 0 ? 0 : read(fd, bytes, size);

	if (fd >= 0)
		close(fd);
	return got < 0 ? 0 : (size_t)got;
}

static void write_file(const char *path, const char *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		bail_out("%s: %s", path, strerror(errno));
	close(fd);
}

/* ---- tests --------------------------------------------------------------------------- */

static void test_header_bytes(void)
{
	/* Byte by byte, as a little-endian machine has it; a field never broken. */
	/* clang-format off */
	static const uint8_t expected[HEADER] = {
		0xc1, 0x1f, 0xfc, 0xc1, 0x10, 0x21, 0x32, 0x43, 0x54, 0x65, 0x46, 0x87, 0x98, 0xa9,
		0xba, 0xcb, 0xdc, 0xed, 0xfe, 0x0f, 3, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1,
		0x11, 0, 0, 0, 0, 0, 0, 0, 0x22, 0, 0, 0, 0, 0, 0, 0,
		0x20, 4, 0, 0, 0, 0, 0, 0, 0x20, 4, 0, 0, 0, 0, 0, 0,
		0x33, 0, 0, 0, 0, 0, 0, 0, 0x44, 0, 0, 0, 0, 0, 0, 0,
		5, 0, 0, 0, 0x67, 0x12, 0, 0, 0x2f, 3, 0, 0,
		'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r',
		's', 't', 'u', 'v', 'w', 'x', 'y', 'z', '0', '1', '2', '3', '4', '5', '6', '7', '8', 0,
	};
	/* clang-format on */
	struct packet_stream stream = { .stream_id = 3, .instance = 0x0102030405060708 };
	struct lttngmap_packet packet = {
		.cpu = 5,
		.length = 4,
		.pid = 4711,
		.uid = 815,
		.sequence = 0x33,
		.timestamp_begin = 0x11,
		.timestamp_end = 0x22,
		.discarded = 0x44,
	};
	struct ctf_packet_header header;
	struct ctf_index_entry entry;
	uint64_t size;

	memcpy(stream.uuid, trace_kit_uuid, sizeof(stream.uuid));
	memcpy(stream.procname, "abcdefghijklmnopqrstuvwxyz0123456789", 36);
	is(packet_make_header(&stream, &packet, &header), HEADER + 4, "a packet's size");
	if (__BYTE_ORDER == __LITTLE_ENDIAN)
		ok(memcmp(&header, expected, HEADER) == 0, "a header, byte by byte");
	else
		skip(1, "the bytes are written down for little-endian machines");
	is(packet_check_header(&header, trace_kit_uuid, HEADER + 4, &size), 0, "it is believed");
	is(packet_check_header(&header, trace_kit_uuid, HEADER + 3, &size), -ENODATA,
	   "not where the file ends before the packet does");
	header.content_size += 8;
	is(packet_check_header(&header, trace_kit_uuid, HEADER + 4, &size), -EBADMSG,
	   "nor with more content than packet");
	header.content_size -= 8;
	header.packet_size = header.content_size = 0;
	is(packet_check_header(&header, trace_kit_uuid, HEADER + 4, &size), -EBADMSG,
	   "nor with less than a header in it");
	packet_make_header(&stream, &packet, &header);
	header.uuid[15] ^= 1;
	is(packet_check_header(&header, trace_kit_uuid, HEADER + 4, &size), -EBADMSG,
	   "nor of another trace");

	packet_make_index_entry(&header, 0x1234, &entry);
	ok(be64toh(entry.offset) == 0x1234 && be64toh(entry.packet_size) == (HEADER + 4) * 8 &&
		   be64toh(entry.content_size) == (HEADER + 4) * 8 &&
		   be64toh(entry.timestamp_begin) == 0x11 && be64toh(entry.timestamp_end) == 0x22 &&
		   be64toh(entry.events_discarded) == 0x44 && be64toh(entry.stream_id) == 3 &&
		   be64toh(entry.stream_instance_id) == 0x0102030405060708 &&
		   be64toh(entry.packet_seq_num) == 0x33,
	   "an index entry is the header's, big-endian");
}

static void test_trace(void)
{
	static const uint8_t index_start[16] = { 0xc1, 0xf1, 0xdc, 0xc1, 0, 0, 0, 1,
						 0,    0,    0,    1,    0, 0, 0, 72 };
	const char *output = trace_kit_path("deep/er/trace");
	struct trace trace;
	struct stream *stream;
	char bytes[200];
	long gap;

	open_trace(&trace, output);
	stream = make_stream(&trace, NAME);
	is(trace_kit_file_size(trace_kit_path("deep/er/trace/ust/" NAME)), -1,
	   "no file before the first packet");
	is(write_packets(stream, 0, 100), 0, "a hundred packets are written");
	is(write_numbered(stream, 99), -EALREADY, "the last of them is not written twice");
	is(write_numbered(stream, 7), -EALREADY, "nor is an earlier one");
	stream_destroy(stream);
	trace_close(&trace);
	is(trace_kit_read(output, &gap), 100 * TRACE_KIT_EVENTS, "babeltrace2 finds all events");
	is(gap, -1, "in their order");
	is(trace_kit_file_size(trace_kit_path("deep/er/trace/ust/index/" NAME ".idx")),
	   16 + 100 * 72, "there is an index entry a packet");
	read_file(trace_kit_path("deep/er/trace/ust/index/" NAME ".idx"), bytes, sizeof(bytes));
	ok(memcmp(bytes, index_start, 16) == 0, "the index begins as LTTng's");
}

/* The last entry of the index says something else than its packet does. */
static void test_other_entry(void)
{
	const char *output = trace_kit_path("other");
	const char *index = trace_kit_path("other/ust/index/" NAME ".idx");
	char entries[1024], changed[1024], after[1024];
	struct stream *stream;
	struct trace trace;
	size_t size;

	open_trace(&trace, output);
	stream = make_stream(&trace, NAME);
	write_packets(stream, 0, 3);
	stream_destroy(stream);
	trace_close(&trace);
	size = read_file(index, entries, sizeof(entries));
	memcpy(changed, entries, size);
	changed[size - sizeof(struct ctf_index_entry) +
		offsetof(struct ctf_index_entry, timestamp_end)]++;
	write_file(index, changed, size);
	is(trace_open(&trace, output, trace_kit_uuid), 0, "an index that says something else");
	trace_close(&trace);
	ok(read_file(index, after, sizeof(after)) == size && memcmp(after, entries, size) == 0,
	   "says again what the packets do");
}

/* Three packets, the file cut at each byte of the last, then opened again. */
static void test_torn(bool with_index)
{
	const char *output = trace_kit_path("torn%d", with_index);
	const char *path = trace_kit_path("torn%d/ust/" NAME, with_index);
	const char *index = trace_kit_path("torn%d/ust/index/" NAME ".idx", with_index);
	static char bytes[8192], entries[1024], after[8192];
	size_t size, index_size, two, wrong = 0, unread = 0;
	struct trace trace;
	struct stream *stream;

	open_trace(&trace, output);
	stream = make_stream(&trace, NAME);
	write_packets(stream, 0, 2);
	two = (size_t)trace_kit_file_size(path);
	write_packets(stream, 2, 3);
	stream_destroy(stream);
	trace_close(&trace);
	size = read_file(path, bytes, sizeof(bytes));
	index_size = read_file(index, entries, sizeof(entries));

	for (size_t cut = two; cut <= size; cut++) {
		nr_cut++;
		write_file(path, bytes, cut);
		if (with_index)
			/* The index, too, ends somewhere. */
			write_file(index, entries, index_size - (size - cut) % 100);
		else
			unlink(index);
		if (trace_open(&trace, output, trace_kit_uuid))
			wrong++;
		/* Whole packets alone are left by the repair at the trace's opening. */
		if (trace_kit_file_size(path) != (long)(cut == size ? size : two) ||
		    trace_kit_file_size(index) != (cut == size ? 16 + 3 * 72 : 16 + 2 * 72))
			wrong++;
		if (cut % 37 == 0 && trace_kit_read(output, NULL) != (cut == size ? 15 : 10))
			unread++;
		stream = make_stream(&trace, NAME);
		for (uint64_t sequence = 0; sequence < 3; sequence++) {
			int error = write_numbered(stream, sequence);

			if (error != (sequence == 2 && cut < size ? 0 : -EALREADY))
				wrong++;
		}
		if (stream_flush(stream))
			wrong++;
		stream_destroy(stream);
		trace_close(&trace);
		if (read_file(path, after, sizeof(after)) != size || memcmp(after, bytes, size) ||
		    read_file(index, after, sizeof(after)) != index_size ||
		    memcmp(after, entries, index_size))
			wrong++;
	}
	is(wrong, 0,
	   with_index ? "cut anywhere in its last packet: mended, and written once"
		      : "the same where the index is lost");
	is(unread, 0, "readable before anything was written again");
	is(trace_kit_read(output, NULL), 15, "and after it");
}

/* What a machine's stop leaves of a packet that was not on the disk yet: its length. */
static void test_hole(void)
{
	static char body[3 * 4096];
	const char *output = trace_kit_path("hole"), *path = trace_kit_path("hole/ust/" NAME);
	struct lttngmap_packet packet;
	struct stream *stream;
	struct trace trace;
	off_t two, at;
	int fd;

	open_trace(&trace, output);
	stream = make_stream(&trace, NAME);
	write_packets(stream, 0, 2);
	two = trace_kit_file_size(path);
	trace_kit_packet(2, 2, &packet, body);
	memset(body, 1, sizeof(body));
	packet.length = sizeof(body);
	if (stream_write(stream, &packet, body) || stream_flush(stream))
		bail_out("no packet");
	stream_destroy(stream);
	trace_close(&trace);
	/* Any block that is not the header's. */
	at = (two + 2 * 4096 - 1) / 4096 * 4096;
	fd = open(path, O_RDWR);
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, 4096) < 0) {
		skip(2, "no holes here: %s", strerror(errno));
	} else {
		open_trace(&trace, output);
		trace_close(&trace);
		is(trace_kit_file_size(path), two, "a packet with a hole is none");
		is(trace_kit_read(output, NULL), 10, "what is before it is readable");
	}
	close(fd);
}

#define NR_PACKETS 10
#define RECORDS UINT64_MAX /* that damaged records are meant, not a size */

/* "EVENTS LOST": events that babeltrace2 reads, and packets that it misses between two others. */
static const char *read_rest(const char *output)
{
	static char text[64];
	char command[PATH_MAX + 256];
	FILE *pipe;

	snprintf(
		command, sizeof(command),
		"babeltrace2 %s 2>&1 | awk '/event-/ { events++ } / discarded [0-9]+ packet/ { for "
		"(i = 1; i < NF; i++) if ($i == \"discarded\") lost += $(i + 1) } END { printf "
		"\"%%d %%d\", events, lost }'",
		output);
	pipe = popen(command, "r");
	if (!pipe || !fgets(text, sizeof(text), pipe))
		bail_out("cannot run babeltrace2");
	pclose(pipe);
	return text;
}

static const struct damage {
	const char *what;
	uint32_t packets;            /* whose headers are damaged: a bit each */
	uint64_t size;               /* what they say then; 0: all of them is zeros */
	const char *index, *without; /* what is read then, with the index and without */
	uint64_t lost;               /* counted by the repair */
	int entry; /* not 0: entry 5 of the index is that one; 5: of another time */
} damages[] = {
	{ "one header", 1u << 4, 0, "45 1", "20 0", 1, 0 },
	{ "two headers in a row", 3u << 4, 0, "40 2", "20 0", 2, 0 },
	{ "two headers", 1u << 2 | 1u << 7, 0, "40 2", "10 0", 2, 0 },
	{ "the first header", 1, 0, "45 1", "0 0", 1, 0 },
	{ "the first two", 3, 0, "40 2", "0 0", 2, 0 },
	{ "the last header", 1u << 9, 0, "45 0", "45 0", 0, 0 },
	{ "the last two", 3u << 8, 0, "40 0", "40 0", 0, 0 },
	{ "a size that is too large", 1u << 4, 1 << 20, "45 1", "20 0", 1, 0 },
	{ "a header, and an index that goes back", 1u << 4, 0, "40 2", "20 0", 2, 1 },
	{ "a header, and an index that says otherwise", 1u << 4, 0, "40 2", "20 0", 2, 5 },
	{ "records", 1u << 4, RECORDS, "45 1", "45 1", 1, 0 },
	{ "the first records", 1u, RECORDS, "45 1", "45 1", 1, 0 },
	{ "the records of the first two", 3u, RECORDS, "40 2", "40 2", 2, 0 },
	{ "the last records", 1u << 9, RECORDS, "45 0", "45 0", 1, 0 },
};

/* In the file, whose packets all have one size. */
static void damage(const struct damage *damage, const char *path)
{
	static const char zeros[HEADER];
	off_t size = trace_kit_file_size(path) / NR_PACKETS;
	int fd = open(path, O_RDWR);

	for (int i = 0; i < NR_PACKETS; i++) {
		uint64_t bits = damage->size * 8;
		size_t at = offsetof(struct ctf_packet_header, packet_size);

		if (!(damage->packets >> i & 1))
			continue;
		if (damage->size == RECORDS
			    ? pwrite(fd, &damage->size, 2, i * size + (off_t)HEADER) < 0
		    : damage->size ? pwrite(fd, &bits, sizeof(bits), i * size + (off_t)at) < 0
				   : pwrite(fd, zeros, sizeof(zeros), i * size) < 0)
			bail_out("cannot write");
	}
	close(fd);
}

static void damage_index(const struct damage *how, int fd)
{
	const off_t entries = sizeof(struct ctf_index_header), each = 72;
	struct ctf_index_entry entry = { 0 };

	if (how->entry && pread(fd, &entry, sizeof(entry), entries + how->entry * each) < 0)
		bail_out("cannot read");
	entry.timestamp_end ^= how->entry == 5;
	if (how->entry && pwrite(fd, &entry, sizeof(entry), entries + 5 * each) < 0)
		bail_out("cannot write");
}

static struct stream_format make_format(void)
{
	struct stream_format format = { .layout = record_layout_create() };
	const char *text;
	size_t size;

	text = trace_kit_metadata_text(&size);
	if (!format.layout || record_layout_parse(format.layout, text, size, &format.trace) != 0)
		bail_out("no layout");
	return format;
}

static void check_mended(const struct damage *how, const char *output, int fd, int index_fd,
			 bool with_index)
{
	bool knows = with_index || how->size == RECORDS;
	struct stream_format format = make_format();
	struct stream_tail tail, again;
	struct ctf_packet_header header;
	int error = stream_repair(fd, index_fd, trace_kit_uuid, STREAM_REPAIR_ALL, &format, &tail);

	is(error, knows || !(how->packets & 1) ? 0 : -EEXIST, how->what);
	if (!error) {
		is_string(read_rest(output), knows ? how->index : how->without,
			  "what is sound is read, and what is not is missed");
		is(tail.lost, knows ? how->lost : 0, "packets in the middle are counted");
		stream_repair(fd, index_fd, trace_kit_uuid, STREAM_REPAIR_ALL, &format, &again);
		ok(again.size == tail.size && again.packets == tail.packets &&
			   again.next_sequence == tail.next_sequence && !again.cut && !again.lost,
		   "a second time nothing is to be done");
	}
	if (!error && how->packets & 1 && pread(fd, &header, sizeof(header), 0) > 0)
		is(header.packet_seq_num, 1,
		   "what takes the place of the first packets has an earlier number than the next");
	record_layout_destroy(format.layout);
}

/* All that the index proves is kept, where a packet's header does not tell of the next one. */
static void test_damaged(const struct damage *how, bool with_index)
{
	const char *output = trace_kit_path("damaged-%zu-%d", how - damages, with_index);
	struct stream_limits limits = { .file_size = 1 << 20 };
	struct trace trace = { .overwritten = 0 };
	char path[PATH_MAX], index[PATH_MAX];
	struct stream *stream;
	int fd, index_fd;

	snprintf(path, sizeof(path), "%s/ust/" NAME "_0", output);
	snprintf(index, sizeof(index), "%s/ust/index/" NAME "_0.idx", output);
	open_trace(&trace, output);
	stream = make_stream(&trace, NAME);
	stream_limit(stream, &limits);
	/* Numbers of two digits: they all have one size. */
	write_packets(stream, 2, 2 + NR_PACKETS);
	stream_destroy(stream);
	damage(how, path);
	if (!with_index)
		unlink(index);
	fd = open(path, O_RDWR);
	index_fd = open(index, O_RDWR | O_CREAT, 0600);
	if (with_index)
		damage_index(how, index_fd);
	check_mended(how, output, fd, index_fd, with_index);
	trace_discard(&trace, NAME "_0");
	if (with_index)
		is(trace.overwritten, strtoul(how->index, NULL, 10), "its events are counted");
	close(fd);
	close(index_fd);
	trace_close(&trace);
}

/* Time does not go back in a stream, nor where it was opened anew. */
static void test_time(void)
{
	const char *output = trace_kit_path("time");
	char body[TRACE_KIT_BODY_MAX];
	struct lttngmap_packet last, packet;
	struct stream *stream;
	struct trace trace;

	for (int life = 0; life < 2; life++) {
		uint64_t sequence = 1 + (uint64_t)life;

		open_trace(&trace, output);
		stream = make_stream(&trace, NAME);
		if (life == 0)
			write_packets(stream, 0, 1);
		trace_kit_packet(2, sequence - 1, &last, body);
		trace_kit_packet(2, sequence, &packet, body);
		packet.timestamp_begin = last.timestamp_end - 1;
		is(stream_write(stream, &packet, body), -ESTALE,
		   "a packet from before the last one's end is refused");
		packet.timestamp_begin = last.timestamp_end;
		is(stream_write(stream, &packet, body), 0, "one that begins with it is not");
		if (stream_flush(stream))
			bail_out("flush");
		stream_destroy(stream);
		trace_close(&trace);
	}
	is(trace_kit_read(output, NULL), 15, "what was refused is not there");
}

/* A stream that ended is not opened by any ring any more. */
static void test_torn_orphan(void)
{
	const char *output = trace_kit_path("orphan"), *path = trace_kit_path("orphan/ust/" NAME);
	struct trace trace;
	struct stream *stream;

	open_trace(&trace, output);
	stream = make_stream(&trace, NAME);
	write_packets(stream, 0, 2);
	stream_destroy(stream);
	trace_close(&trace);
	if (truncate(path, trace_kit_file_size(path) - 10))
		bail_out("truncate");
	open_trace(&trace, output);
	trace_close(&trace);
	is(trace_kit_read(output, NULL), TRACE_KIT_EVENTS,
	   "an ended stream is mended when the trace is opened");
	is(trace_kit_file_size(trace_kit_path("orphan/ust/index/" NAME ".idx")), 16 + 72,
	   "and its index");
}

static void test_foreign(void)
{
	const char *path = trace_kit_path("foreign/ust/" NAME);
	static const char text[] = "my diary, which no program shall destroy, whatever its name";
	static const uint8_t other[CTF_UUID_SIZE] = { 1 };
	struct trace trace;
	struct stream *stream;

	open_trace(&trace, trace_kit_path("foreign"));
	write_file(path, text, sizeof(text));
	stream = make_stream(&trace, NAME);
	is(write_numbered(stream, 0), -EEXIST, "a file that is no stream is not written to");
	is(trace_kit_file_size(path), sizeof(text), "nor cut");
	stream_destroy(stream);
	trace_close(&trace);
	is(trace_open(&trace, trace_kit_path("foreign"), trace_kit_uuid), -EEXIST,
	   "nor is a trace made beside it");
	unlink(path);

	open_trace(&trace, trace_kit_path("foreign"));
	stream = make_stream(&trace, NAME);
	write_packets(stream, 0, 1);
	stream_destroy(stream);
	trace_close(&trace);
	is(trace_open(&trace, trace_kit_path("foreign"), other), -EEXIST,
	   "a trace of another UUID is left alone");
	is(trace_kit_read(trace_kit_path("foreign"), NULL), TRACE_KIT_EVENTS, "and whole");

	symlink("/dev/null", trace_kit_path("foreign/ust/link"));
	open_trace(&trace, trace_kit_path("foreign"));
	stream = make_stream(&trace, "link");
	ok(write_numbered(stream, 0) < 0, "a symbolic link is not followed");
	stream_destroy(stream);
	trace_close(&trace);
	unlink(trace_kit_path("foreign/ust/link"));
}

static void test_full_disk(int error, const char *name)
{
	const char *output = trace_kit_path("full%d", error);
	const char *path = trace_kit_path("full%d/ust/" NAME, error);
	int wrong = 0, refused = 0;
	struct stream *stream;
	struct trace trace;
	long whole, gap;

	open_trace(&trace, output);
	stream = make_stream(&trace, NAME);
	disk_error = error;
	for (uint64_t sequence = 0; sequence < 60; sequence++) {
		whole = trace_kit_file_size(path);
		/* Somewhere in the header, the body, or the index. */
		disk_room = sequence * 7;
		if (write_numbered(stream, sequence) == -error) {
			refused++;
			nr_refused++;
			if (whole >= 0 && trace_kit_file_size(path) != whole)
				wrong++;
			mend_disk();
			disk_error = error;
			if (write_numbered(stream, sequence))
				wrong++;
		}
		if (sequence % 3 == 0 && stream_flush(stream)) {
			mend_disk();
			disk_error = error;
			if (stream_flush(stream))
				wrong++;
		}
	}
	mend_disk();
	if (stream_flush(stream))
		wrong++;
	stream_destroy(stream);
	trace_close(&trace);
	ok(refused > 20, "%s: %d packets do not fit at first", name, refused);
	is(wrong, 0, "nothing of them stays, and they are written later");
	is(trace_kit_read(output, &gap), 60 * TRACE_KIT_EVENTS, "all is there in the end");
	is(gap, -1, "in order");
	is(trace_kit_file_size(trace_kit_path("full%d/ust/index/" NAME ".idx", error)),
	   16 + 60 * 72, "and in the index");
}

static void test_small_bites(void)
{
	const char *output = trace_kit_path("bites");
	struct stream *stream;
	struct trace trace;
	int error;

	open_trace(&trace, output);
	stream = make_stream(&trace, NAME);
	disk_bite = 1;
	error = write_packets(stream, 0, 3);
	mend_disk();
	is(error, 0, "a disk that takes a byte at a time is served");
	stream_destroy(stream);
	trace_close(&trace);
	is(trace_kit_read(output, NULL), 3 * TRACE_KIT_EVENTS, "with whole packets");
}

/* More streams than descriptors: each packet goes to another one. */
static void test_pool(void)
{
	struct stream *streams[20];
	struct trace trace;
	int before, most = 0, wrong = 0;
	char name[32];

	open_trace(&trace, trace_kit_path("pool"));
	stream_pool_init(&pool, 4);
	before = trace_kit_open_fds();
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "channel_p-%d-1_2", i);
		streams[i] = make_stream(&trace, name);
	}
	for (uint64_t sequence = 0; sequence < 5; sequence++)
		for (int i = 0; i < 20; i++) {
			/* Some with entries that are due when their files are closed. */
			if (write_numbered(streams[i], sequence) ||
			    (i % 2 && stream_flush(streams[i])))
				wrong++;
			if (trace_kit_open_fds() - before > most)
				most = trace_kit_open_fds() - before;
		}
	for (int i = 0; i < 20; i++) {
		if (stream_flush(streams[i]))
			wrong++;
		stream_destroy(streams[i]);
	}
	is(wrong, 0, "twenty streams are written in turns");
	is(most, 8, "by the descriptors of four");
	is(trace_kit_open_fds(), before, "which are all closed in the end");
	is(pool.nr_open, 0, "as the pool knows");
	trace_close(&trace);
	stream_pool_init(&pool, 100);
	is(trace_kit_read(trace_kit_path("pool"), NULL), 20 * 5 * TRACE_KIT_EVENTS,
	   "and nothing is missing");
	for (int i = 0; i < 20; i++)
		if (trace_kit_file_size(trace_kit_path("pool/ust/index/channel_p-%d-1_2.idx", i)) !=
		    16 + 5 * 72)
			wrong++;
	is(wrong, 0, "nor in the indexes");
}

/* ---- whole pages ----------------------------------------------------------------- */

#define PAGED_SIZE (128u << 10)

static uint64_t paged_events; /* so many were numbered */

/* A sub-buffer as a ring has it: records from LTTNGMAP_SUBBUF_HEAD on, up to `size`. */
static const char *fill_subbuf(char *subbuf, uint32_t size, struct lttngmap_packet *packet)
{
	uint32_t end = LTTNGMAP_SUBBUF_HEAD;
	uint64_t header;
	char text[32];
	int length;

	memset(subbuf, 0xa5, PAGED_SIZE);
	packet->events = 0;
	packet->timestamp_begin = 1000 + paged_events;
	for (;;) {
		length = sprintf(text, "event-%llu", (unsigned long long)paged_events) + 1;
		if (end + sizeof(header) + (size_t)length > size)
			break;
		header = TRACE_KIT_EVENT_ID | (1000 + paged_events) << 16;
		memcpy(subbuf + end, &header, sizeof(header));
		memcpy(subbuf + end + sizeof(header), text, (size_t)length);
		end += (uint32_t)sizeof(header) + (uint32_t)length;
		packet->timestamp_end = 1000 + paged_events++;
		packet->events++;
	}
	packet->offset = LTTNGMAP_SUBBUF_HEAD;
	packet->length = end - LTTNGMAP_SUBBUF_HEAD;
	return subbuf + LTTNGMAP_SUBBUF_HEAD;
}

/* Large and small packets in turns; what fits nowhere at first among them. */
/* Cut where a page of the last packet ends, and in the padding behind it. */
static void check_torn(const char *output, const char *path, const struct lttngmap_packet *packet,
		       const char *body)
{
	struct stream *stream;
	struct trace trace;
	int wrong = 0, error;
	long gap, whole;

	for (int i = 1; i < 3; i++) {
		whole = trace_kit_file_size(path);
		if (truncate(path, whole - (i == 1 ? 1 : 8192)))
			bail_out("truncate");
		open_trace(&trace, output);
		stream = make_stream(&trace, NAME);
		error = stream_write(stream, packet, body);
		if (error || stream_flush(stream) || trace_kit_file_size(path) != whole)
			wrong++;
		stream_destroy(stream);
		trace_close(&trace);
	}
	is(wrong, 0, "a torn one is written again");
	is(trace_kit_read(output, &gap), paged_events, "and once");
}

static void test_paged(bool full)
{
	static const uint32_t sizes[] = { PAGED_SIZE, PAGED_SIZE,      9000,
					  PAGED_SIZE, PAGED_SIZE - 70, 70000,
					  500,        90000,           PAGED_SIZE };
	const size_t nr_sizes = sizeof(sizes) / sizeof(sizes[0]);
	const char *output = trace_kit_path("paged%d", full);
	const char *path = trace_kit_path("paged%d/ust/" NAME, full);
	char *subbuf = aligned_alloc(4096, PAGED_SIZE);
	struct lttngmap_packet packet = { .cpu = 2 };
	int wrong = 0, refused = 0, error;
	struct stream *stream;
	struct trace trace;
	long gap, whole = 0;

	paged_events = 0;
	nr_direct = 0;
	open_trace(&trace, output);
	stream = make_stream(&trace, NAME);
	for (size_t i = 0; i < nr_sizes; i++) {
		const char *body = fill_subbuf(subbuf, sizes[i], &packet);

		packet.sequence = i;
		if (full)
			disk_room = sizes[i] - 1 - i * 50;
		error = stream_write(stream, &packet, body);
		mend_disk();
		if (error == -ENOSPC) {
			refused++;
			if (trace_kit_file_size(path) != whole)
				wrong++;
			error = stream_write(stream, &packet, body);
		}
		if (error)
			wrong++;
		whole = trace_kit_file_size(path);
	}
	if (stream_flush(stream))
		wrong++;
	stream_destroy(stream);
	trace_close(&trace);
	is(wrong, 0, full ? "whole pages on a full disk" : "whole pages are written");
	ok(full ? refused > 3 : refused == 0, "%d do not fit at first", refused);
	diag("%d writes went past the page cache", nr_direct);
	is(trace_kit_read(output, &gap), paged_events, "all events are there");
	is(gap, -1, "in their order");
	check_torn(output, path, &packet, subbuf + LTTNGMAP_SUBBUF_HEAD);
	free(subbuf);
}

/* The packet's first page, or its last, cannot be brought back from swap: it is not touched. */
static void test_paged_hole(bool is_last)
{
	const char *output = trace_kit_path("paged-hole%d", is_last);
	char *subbuf =
		mmap(NULL, PAGED_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct lttngmap_packet packet = { .cpu = 2 };
	/* With limits, the last page has the packet's tail, too. */
	const char *body = fill_subbuf(subbuf, PAGED_SIZE - 100, &packet);
	struct stream *stream;
	struct trace trace;

	munmap(subbuf + (is_last ? PAGED_SIZE - 4096 : 0), 4096);
	open_trace(&trace, output);
	stream = make_stream(&trace, NAME);
	if (is_last)
		stream_limit(stream, &(struct stream_limits){ .file_size = 2 * PAGED_SIZE });
	is(stream_write(stream, &packet, body), -EFAULT,
	   is_last ? "no packet without its last page" : "no packet without its first page");
	stream_destroy(stream);
	trace_close(&trace);
	munmap(subbuf, PAGED_SIZE);
}

/* ---- several packets at a time -------------------------------------------------- */

struct run {
	struct lttngmap_packet packets[LTTNGMAP_PACKETS_MAX];
	struct stream_packet list[LTTNGMAP_PACKETS_MAX];
	char *subbufs[LTTNGMAP_PACKETS_MAX];
};

/* Packets of a sub-buffer's `size` each, numbered from `sequence` on. */
static void fill_run(struct run *run, uint64_t sequence, uint32_t size)
{
	for (unsigned i = 0; i < LTTNGMAP_PACKETS_MAX; i++) {
		struct lttngmap_packet *packet = &run->packets[i];

		if (!run->subbufs[i])
			run->subbufs[i] = aligned_alloc(4096, PAGED_SIZE);
		*packet = (struct lttngmap_packet){ .cpu = 2, .sequence = sequence + i };
		run->list[i].body = fill_subbuf(run->subbufs[i], size, packet);
		run->list[i].packet = packet;
	}
}

static void free_run(struct run *run)
{
	for (unsigned i = 0; i < LTTNGMAP_PACKETS_MAX; i++)
		free(run->subbufs[i]);
}

/* Writes all packets of the run; returns the calls that the consumer makes for it, or -errno. */
static int write_whole_run(struct stream *stream, const struct run *run)
{
	unsigned done = 0, written;
	int calls = 0, error;

	while (done < LTTNGMAP_PACKETS_MAX) {
		error = stream_write_run(stream, run->list + done, LTTNGMAP_PACKETS_MAX - done,
					 &written);
		if (error)
			return error;
		done += written;
		calls++;
	}
	return calls;
}

static void test_run(uint64_t file_size)
{
	const char *output = trace_kit_path("run%llu", (unsigned long long)file_size);
	struct run run = { .subbufs = { NULL } };
	struct stream *stream;
	struct trace trace;
	unsigned written;
	long gap;

	paged_events = 0;
	open_trace(&trace, output);
	stream = make_stream(&trace, NAME);
	stream_limit(stream, &(struct stream_limits){ .file_size = file_size });
	nr_writes = 0;
	fill_run(&run, 0, PAGED_SIZE);
	is(write_whole_run(stream, &run), file_size ? 3 : 1,
	   file_size ? "as many whole pages as a file has room for" : "whole pages, together");
	is(nr_writes, file_size ? 5 : 1, "are one write, beside those of indexes");
	nr_writes = 0;
	fill_run(&run, LTTNGMAP_PACKETS_MAX, 3000);
	is(write_whole_run(stream, &run), 1, "small packets, too");
	fill_run(&run, 2 * LTTNGMAP_PACKETS_MAX, 3000);
	/* The fourth is large. */
	paged_events -= run.packets[3].events + run.packets[4].events + run.packets[5].events +
			run.packets[6].events + run.packets[7].events;
	run.list[3].body = fill_subbuf(run.subbufs[3], PAGED_SIZE, &run.packets[3]);
	for (unsigned i = 4; i < LTTNGMAP_PACKETS_MAX; i++)
		run.list[i].body = fill_subbuf(run.subbufs[i], 3000, &run.packets[i]);
	is(write_whole_run(stream, &run), 3, "large and small ones apart");
	/* Two threads, whose clocks differ. */
	fill_run(&run, 3 * LTTNGMAP_PACKETS_MAX, 3000);
	run.packets[5].timestamp_begin = run.packets[4].timestamp_end - 1;
	is(stream_write_run(stream, run.list, LTTNGMAP_PACKETS_MAX, &written), 0, "up to one");
	is(written, 5, "that begins before the last one ended");
	is(stream_write_run(stream, run.list + 5, 3, &written), -ESTALE, "which is refused");
	paged_events -= run.packets[5].events + run.packets[6].events + run.packets[7].events;
	is(stream_flush(stream), 0, "with an index");
	stream_destroy(stream);
	trace_close(&trace);
	is(trace_kit_read(output, &gap), paged_events, "all events are there");
	is(gap, -1, "in their order");
	free_run(&run);
}

/* The disk takes some of the packets. */
static void test_run_full(uint32_t size)
{
	const char *output = trace_kit_path("run-full%u", size);
	const char *path = trace_kit_path("run-full%u/ust/" NAME, size);
	struct run run = { .subbufs = { NULL } };
	int wrong = 0, singles = 0, refused = 0;
	struct stream *stream;
	struct trace trace;
	unsigned written;
	long gap, whole;

	paged_events = 0;
	open_trace(&trace, output);
	stream = make_stream(&trace, NAME);
	for (uint64_t i = 0; i < 16; i++) {
		fill_run(&run, i * LTTNGMAP_PACKETS_MAX, size);
		whole = trace_kit_file_size(path);
		disk_room = size * i / 2;
		switch (stream_write_run(stream, run.list, LTTNGMAP_PACKETS_MAX, &written)) {
		case 0:
			mend_disk();
			singles += written == 1;
			for (; !wrong && written < LTTNGMAP_PACKETS_MAX; written++)
				wrong += stream_write(stream, run.list[written].packet,
						      run.list[written].body) != 0;
			break;
		case -ENOSPC:
			refused++;
			mend_disk();
			wrong += whole >= 0 && trace_kit_file_size(path) != whole;
			wrong += write_whole_run(stream, &run) < 0;
			break;
		default:
			wrong++;
		}
	}
	wrong += stream_flush(stream) != 0;
	stream_destroy(stream);
	trace_close(&trace);
	is(wrong, 0, "packets written together on a full disk: nothing of them stays");
	ok(refused > 0 && singles > 0, "%d do not fit at first, of %d a packet does", refused,
	   singles);
	is(trace_kit_read(output, &gap), paged_events, "all is there in the end");
	is(gap, -1, "in order");
	free_run(&run);
}

/* A packet past the page cache? The disk takes so long for it, after so long a pause. */
static bool is_direct(struct stream *stream, const char *subbuf, struct lttngmap_packet *packet,
		      long ms, long pause_ms)
{
	const char *body = fill_subbuf((char *)subbuf, PAGED_SIZE, packet);

	clock_now.tv_nsec += pause_ms * 1000000;
	nr_direct = 0;
	disk_ms = ms;
	if (stream_write(stream, packet, body))
		bail_out("no packet");
	packet->sequence++;
	return nr_direct;
}

static void test_slow_disk(void)
{
	char *subbuf = aligned_alloc(4096, PAGED_SIZE);
	struct lttngmap_packet packet = { .cpu = 2 };
	struct stream *stream;
	struct trace trace;

	open_trace(&trace, trace_kit_path("slow"));
	stream = make_stream(&trace, NAME);
	clock_gettime(CLOCK_MONOTONIC, &clock_now);
	is_clock_ours = true;
	ok(is_direct(stream, subbuf, &packet, 0, 200), "a quick disk: past the page cache");
	ok(is_direct(stream, subbuf, &packet, 9, 0), "a write that waits once: likewise");
	ok(is_direct(stream, subbuf, &packet, 9, 10), "and once more, when that was made up for");
	ok(is_direct(stream, subbuf, &packet, 9, 0), "and when it was not: the last one");
	ok(!is_direct(stream, subbuf, &packet, 0, 0), "then through the page cache");
	ok(!is_direct(stream, subbuf, &packet, 0, 50), "for a while");
	ok(is_direct(stream, subbuf, &packet, 0, 200), "and past it again");
	is_clock_ours = false;
	disk_ms = 0;
	stream_destroy(stream);
	trace_close(&trace);
	free(subbuf);
}

static void test_metadata(void)
{
	char before[8192], after[8192];
	struct trace trace;
	size_t size;

	open_trace(&trace, trace_kit_path("metadata"));
	size = read_file(trace_kit_path("metadata/ust/metadata"), before, sizeof(before));
	ok(size > 100 && memcmp(before, "/* CTF 1.8 */\n", 14) == 0, "metadata is there at once");
	/* A folder in the way of the new text: writing it fails. */
	mkdir(trace_kit_path("metadata/ust/.metadata.new"), 0700);
	ok(trace_write_metadata(&trace, before, size, 0) < 0,
	   "metadata that cannot be written is an error");
	is(read_file(trace_kit_path("metadata/ust/metadata"), after, sizeof(after)), size,
	   "and the old is still there");
	rmdir(trace_kit_path("metadata/ust/.metadata.new"));
	trace_close(&trace);
	write_file(trace_kit_path("metadata/plain"), "x", 1);
	is(trace_open(&trace, trace_kit_path("metadata/plain"), trace_kit_uuid), -ENOTDIR,
	   "an output that is a file is refused");
}

static void test_names(void)
{
	char name[NAME_MAX + 1];
	struct trace trace;

	open_trace(&trace, trace_kit_path("names"));
	memset(name, 'n', sizeof(name));
	name[NAME_MAX - 3] = '\0';
	ok(!stream_create(&trace, &pool, name, "prog", 1),
	   "a name whose index would have too long a name is refused");
	trace_close(&trace);
}

/* The page cache takes large writes in large pages, which are dear. */
static void test_pieces(void)
{
	const size_t sizes[] = { 100, FILE_WRITE_MAX, 3 * FILE_WRITE_MAX + 7, FILE_WRITE_MAX - 1,
				 1 };
	size_t total = 6 * FILE_WRITE_MAX;
	char *bytes = malloc(total), *found = malloc(total);
	struct iovec parts[5];
	size_t size = 0;
	int fd = open(trace_kit_path("pieces"), O_RDWR | O_CREAT, 0600);

	for (size_t i = 0; i < total; i++)
		bytes[i] = (char)(i % 251);
	for (unsigned i = 0; i < 5; size += sizes[i++])
		parts[i] = (struct iovec){ bytes + size, sizes[i] };
	largest = 0;
	nr_writes = 0;
	is(file_write_parts(fd, parts, 5, 3), 0, "much is written");
	ok(largest == FILE_WRITE_MAX && nr_writes == 6, "by %d calls, of 512 KiB at most",
	   nr_writes);
	ok(file_read(fd, found, total, 3) == (ssize_t)size && memcmp(found, bytes, size) == 0,
	   "and is there as it was");
	close(fd);
	free(bytes);
	free(found);
}

int main(void)
{
	log_set_level(LOG_LEVEL_ERROR);
	stream_pool_init(&pool, 100);
	test_header_bytes();
	test_trace();
	test_other_entry();
	test_torn(true);
	test_torn(false);
	test_hole();
	for (size_t i = 0; i < 2 * sizeof(damages) / sizeof(damages[0]); i++)
		test_damaged(&damages[i / 2], i % 2);
	test_time();
	test_torn_orphan();
	test_foreign();
	test_full_disk(ENOSPC, "no space");
	test_full_disk(EIO, "a failing disk");
	test_full_disk(EDQUOT, "the quota");
	test_small_bites();
	test_pool();
	test_paged(false);
	test_paged(true);
	test_paged_hole(false);
	test_paged_hole(true);
	test_run(0);
	test_run(4 * PAGED_SIZE);
	test_run_full(PAGED_SIZE);
	test_run_full(3000);
	test_slow_disk();
	test_pieces();
	test_metadata();
	test_names();
	tap_figure(
		22,
		"no space, I/O errors, quota in %u places of writes, %u cuts: every whole packet "
		"readable, none twice",
		nr_refused, nr_cut);
	return done_testing();
}
