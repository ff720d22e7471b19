/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * consumer-reuse.c - a spool's files: room of what the collector has is written again, and
 * whatever happens, each packet that it has not is where the index says.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/protocol/relay-journal.h"
#include "common/protocol/relay-progress.h"
#include "consumerd/session/spool.h"
#include "consumerd/stream/stream.h"
#include "consumerd/trace/trace-repair.h"
#include "tests/utils/tap.h"
#include "tests/utils/trace-kit.h"

#define NAME "channel_prog.x-4711-1_2"

static struct stream_pool pool;
static struct trace trace;
static struct stream *stream;
static unsigned folder; /* its number */

static const char *file(const char *name)
{
	return trace_kit_path("%u/%s", folder, name);
}

/* ---- the consumer ----------------------------------------------------------------- */

static void start(void)
{
	trace = (struct trace){ .is_spool = true };
	if (trace_open_as(&trace, file(""), trace_kit_uuid, geteuid(), getegid()))
		bail_out("no trace");
	stream_pool_init(&pool, 10);
	stream = stream_create(&trace, &pool, NAME, "prog.x", TRACE_KIT_STREAM_ID);
	if (!stream)
		bail_out("no stream");
}

static void end(void)
{
	stream_destroy(stream);
	stream_pool_destroy(&pool);
	trace_close(&trace);
}

static int put(uint64_t sequence)
{
	char body[TRACE_KIT_BODY_MAX];
	struct lttngmap_packet packet;

	trace_kit_packet(2, sequence, &packet, body);
	return stream_write(stream, &packet, body);
}

static void put_all(uint64_t from, uint64_t to)
{
	for (; from < to; from++) {
		if (put(from))
			bail_out("packet %llu", (unsigned long long)from);
	}
}

/* ---- the sender ------------------------------------------------------------------- */

static void write_at(const char *path, const void *bytes, size_t size, off_t at)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || pwrite(fd, bytes, size, at) != (ssize_t)size)
		bail_out("%s: %s", path, strerror(errno));
	close(fd);
}

static uint64_t index_inode(void)
{
	struct stat status;

	return stat(file("ust/index/" NAME ".idx"), &status) == 0 ? status.st_ino : 0;
}

static bool read_entry(uint64_t number, struct ctf_index_entry *entry)
{
	int fd = open(file("ust/index/" NAME ".idx"), O_RDONLY);
	ssize_t got = pread(fd, entry, sizeof(*entry),
			    (off_t)(sizeof(struct ctf_index_header) + number * sizeof(*entry)));

	close(fd);
	return got == sizeof(*entry);
}

static uint64_t bytes_of(uint64_t from, uint64_t to)
{
	struct ctf_index_entry entry;
	uint64_t bytes = 0;

	for (; from < to && read_entry(from, &entry); from++)
		bytes += be64toh(entry.packet_size) / 8;
	return bytes;
}

/* It stands in the second place. */
static void confirm_of(uint64_t inode, uint64_t packets, uint64_t bytes)
{
	struct relay_journal_record record = {
		.name = NAME,
		.confirmed = packets,
		.bytes = bytes,
		.inode = inode,
	};

	write_at(file("ust/" RELAY_JOURNAL_NAME), &record, sizeof(record), sizeof(record));
}

static void confirm(uint64_t packets)
{
	confirm_of(index_inode(), packets, 0);
}

static void lose(uint64_t connections)
{
	struct relay_progress progress = { .magic = RELAY_PROGRESS_MAGIC, .lost = connections };

	write_at(file(RELAY_PROGRESS_NAME), &progress, sizeof(progress), 0);
}

static uint64_t offset_of(uint64_t number)
{
	struct ctf_index_entry entry;

	return read_entry(number, &entry) ? be64toh(entry.offset) : UINT64_MAX;
}

/* When `more` bytes were written. */
static bool has_room(uint64_t max, uint64_t more)
{
	struct spool *spool = spool_create(max);
	enum spool_news news;
	bool has_room;

	spool_open(spool, &trace);
	spool_count(spool, more);
	has_room = spool_has_room(spool, &news);
	spool_destroy(spool);
	return has_room;
}

/* Is packet `number` there, with its own body, of that sequence number? */
static bool is_there(uint64_t number, uint64_t sequence)
{
	char body[TRACE_KIT_BODY_MAX], found[TRACE_KIT_BODY_MAX];
	struct ctf_packet_header header;
	struct lttngmap_packet packet;
	struct ctf_index_entry entry;
	bool is_same;
	int fd;

	if (!read_entry(number, &entry))
		return false;
	trace_kit_packet(2, sequence, &packet, body);
	fd = open(file("ust/" NAME), O_RDONLY);
	is_same = pread(fd, &header, sizeof(header), (off_t)be64toh(entry.offset)) ==
			  sizeof(header) &&
		  pread(fd, found, packet.length,
			(off_t)(be64toh(entry.offset) + sizeof(header))) == packet.length &&
		  header.packet_seq_num == sequence && memcmp(found, body, packet.length) == 0;
	close(fd);
	return is_same;
}

static bool are_there(uint64_t from, uint64_t to)
{
	for (; from < to; from++) {
		if (!is_there(from, from))
			return false;
	}
	return true;
}

static uint64_t nr_packets(void)
{
	long size = trace_kit_file_size(file("ust/index/" NAME ".idx"));

	return size < (long)sizeof(struct ctf_index_header)
		       ? 0
		       : ((uint64_t)size - sizeof(struct ctf_index_header)) /
				 sizeof(struct ctf_index_entry);
}

/* Between two numbers, is the room from the file's begin on used again? */
static bool is_reused(uint64_t from, uint64_t to)
{
	for (; from < to; from++) {
		if (offset_of(from) == 0)
			return true;
	}
	return false;
}

/* ---- tests -------------------------------------------------------------------------- */

static void begin(void)
{
	folder++;
	start();
}

static void test_reuse(void)
{
	long size;

	begin();
	put_all(0, 4000);
	ok(!is_reused(1, 4000) && are_there(0, 4000), "what is not sent is all there, one by one");
	is(nr_packets(), 4000, "  ... each in the index at once");
	confirm(3000);
	put_all(4000, 6000);
	ok(is_reused(4000, 6000), "room of what the collector has is used again");
	ok(are_there(3000, 6000), "  ... what it has not is there");
	size = trace_kit_file_size(file("ust/" NAME));
	for (uint64_t i = 6000; i < 200000; i += 100) {
		confirm(i - 500);
		put_all(i, i + 100);
	}
	ok(trace_kit_file_size(file("ust/" NAME)) <= size, "  ... again and again");
	ok(are_there(199500, 200000), "  ... and what it has not is there");
	end();
}

static void test_not_ours(void)
{
	begin();
	put_all(0, 4000);
	confirm_of(index_inode() + 1, 4000, 0);
	put_all(4000, 8000);
	ok(!is_reused(1, 8000), "what is noted of another file does not count");
	confirm(UINT64_MAX);
	put_all(8000, 12000);
	ok(!is_reused(8000, 12000) && are_there(0, 12000), "nor does what cannot be");
	truncate(file("ust/" RELAY_JOURNAL_NAME), 3);
	put_all(12000, 16000);
	ok(are_there(11999, 16000), "a journal that is cut is none");
	end();
}

/* Behind that packet, as one that its writer was killed after. */
static void write_again(uint64_t number)
{
	char bytes[sizeof(struct ctf_packet_header) + TRACE_KIT_BODY_MAX];
	struct ctf_index_entry entry;
	size_t size = 0;
	int fd = open(file("ust/" NAME), O_RDWR);

	if (read_entry(number, &entry))
		size = be64toh(entry.packet_size) / 8;
	if (!size || size > sizeof(bytes) ||
	    pread(fd, bytes, size, (off_t)be64toh(entry.offset)) != (ssize_t)size ||
	    pwrite(fd, bytes, size, (off_t)(be64toh(entry.offset) + size)) != (ssize_t)size)
		bail_out("no packet");
	close(fd);
}

static void test_restart(void)
{
	const struct stream_tail *tail;
	char junk[300];

	begin();
	put_all(0, 4000);
	confirm(3000);
	put_all(4000, 6000);
	end();
	start();
	is(stream_find_end(stream, &tail), 0, "the next consumer goes on");
	ok(tail->packets == 6000 && tail->next_sequence == 6000, "  ... behind the last packet");
	is(put(5999), -EALREADY, "  ... which it does not write again");
	ok(are_there(3000, 6000), "  ... nothing is cut");
	put_all(6000, 9000);
	ok(!is_reused(6000, 9000) && are_there(3000, 9000), "  ... what was there is kept");
	confirm(6100);
	put_all(9000, 13000);
	ok(is_reused(9000, 13000) && are_there(6100, 13000), "  ... until it is sent");
	confirm(12000);
	end();

	/* It was killed between a packet and its entry, or within the entry. */
	memset(junk, 0xee, sizeof(junk));
	write_again(12999);
	write_at(file("ust/index/" NAME ".idx"), junk, sizeof(struct ctf_index_entry) - 1,
		 trace_kit_file_size(file("ust/index/" NAME ".idx")));
	start();
	is(stream_find_end(stream, &tail), 0, "what was being written is no packet");
	is(tail->packets, 13000, "  ... and is given again");
	put_all(13000, 14000);
	ok(are_there(12000, 14000), "  ... all else is there");
	is(nr_packets(), 14000, "  ... and in the index");
	end();

	/* As after the machine's death. */
	write_at(file("ust/" NAME), junk, sizeof(junk), (off_t)offset_of(13999));
	start();
	is(stream_find_end(stream, &tail), 0, "a packet that is damaged");
	is(tail->packets, 13999, "  ... is none, but the one before is");
	end();
}

static void test_unsent(void)
{
	const struct stream_tail *tail;
	char junk[300] = "";
	long size;

	begin();
	put_all(0, 4000);
	end();
	size = trace_kit_file_size(file("ust/" NAME));
	write_at(file("ust/" NAME), junk, sizeof(junk), size);
	start();
	is(stream_find_end(stream, &tail), 0, "nothing was sent yet: the file is as any other's");
	ok(tail->packets == 4000 && trace_kit_file_size(file("ust/" NAME)) == size,
	   "  ... what was not finished is cut off");
	end();
}

static int repair(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(100);
		_exit(trace_repair_all(file(""), true));
	}
	return child > 0 && waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : -1;
}

static void test_repair(void)
{
	const char *text;
	size_t size;

	begin();
	text = trace_kit_metadata_text(&size);
	trace_write_metadata(&trace, text, size, 0);
	put_all(0, 4000);
	confirm(3000);
	put_all(4000, 6000);
	end();
	is(repair(), 0, "a spool that is left over can be looked at");
	ok(nr_packets() == 6000 && are_there(3000, 6000), "  ... which changes nothing");
	unlink(file("ust/index/" NAME ".idx"));
	is(repair(), 1, "one without its index cannot be mended");
	ok(trace_kit_file_size(file("ust/" NAME)) > 0, "  ... what there is stays");
}

/* Files without bytes on the disk, that seem to have many entries. */
static void test_hostile(void)
{
	time_t before;
	char name[64];

	begin();
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "ust/index/%d.idx", i);
		close(open(file(name), O_WRONLY | O_CREAT, 0600));
		truncate(file(name), 72 << 20);
	}
	before = time(NULL);
	has_room(1, 0);
	ok(time(NULL) - before <= 3, "large indexes of nothing are not read for long");
	end();
}

static void test_lost(void)
{
	begin();
	put_all(0, 4000);
	confirm(3000);
	put_all(4000, 8000);
	ok(is_reused(4000, 8000), "while the first connection stands, room is used again");
	lose(1);
	confirm(8000);
	put_all(8000, 12000);
	ok(!is_reused(8000, 12000), "when it is lost, no more: somebody may still read there");
	end();
	start();
	put_all(12000, 16000);
	confirm(15000);
	put_all(16000, 20000);
	ok(!is_reused(12000, 20000) && are_there(15000, 20000), "  ... nor does the next consumer");
	end();
	folder++;
	mkdir(file(""), 0700);
	lose(1);
	start();
	put_all(0, 4000);
	confirm(3000);
	put_all(4000, 8000);
	ok(is_reused(4000, 8000), "files that were made since are used again");
	end();
}

/* What waits is told from the index and the journal, though files are larger, or smaller. */
static void test_count(void)
{
	struct relay_progress progress = { .magic = RELAY_PROGRESS_MAGIC };
	uint64_t waiting;

	begin();
	put_all(0, 4000);
	for (uint64_t i = 4000; i < 20000; i += 100) {
		confirm(i - 500);
		put_all(i, i + 100);
	}
	progress.parts[RELAY_PROGRESS_USER].confirmed = bytes_of(0, 19400);
	confirm_of(index_inode(), 19400, bytes_of(0, 19400));
	write_at(file(RELAY_PROGRESS_NAME), &progress, sizeof(progress), 0);
	waiting = bytes_of(19400, 20000);
	end();
	start();
	ok(!has_room(waiting, 0), "a spool is as full as what waits");
	ok(has_room(waiting + 1, 0), "  ... and no fuller");
	progress.parts[RELAY_PROGRESS_USER].confirmed += waiting + 1000;
	write_at(file(RELAY_PROGRESS_NAME), &progress, sizeof(progress), 0);
	ok(!has_room(100, 100), "what was sent of files that are gone makes no room for more");
	end();
}

/* Streams of several files are as they are elsewhere: files go, and a packet without an entry is
 * one. */
static void test_limited(void)
{
	const struct stream_limits limits = { .file_size = 10000000 };
	const struct stream_tail *tail;
	const char *index;

	begin();
	stream_limit(stream, &limits);
	put_all(0, 4000);
	end();
	index = file("ust/index/" NAME "_0.idx");
	truncate(index, trace_kit_file_size(index) - (long)sizeof(struct ctf_index_entry));
	start();
	stream_limit(stream, &limits);
	is(stream_find_end(stream, &tail), 0, "a stream of several files is gone on with");
	is(tail->packets, 4000, "  ... behind its last whole packet");
	end();
}

int main(void)
{
	test_reuse();
	test_not_ours();
	test_restart();
	test_unsent();
	test_repair();
	test_hostile();
	test_lost();
	test_count();
	test_limited();
	return done_testing();
}
