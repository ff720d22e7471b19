/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-follow.c - how far a trace was sent: to each collector for itself, of a spool to
 * whomever; and who may send beside whom.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/protocol/ended-streams.h"
#include "common/protocol/relay-journal.h"
#include "common/base/remove-tree.h"
#include "relay/follow.h"
#include "tests/utils/tap.h"

#define A "a:5342"
#define B "b:5342"
#define PACKETS 10
#define PACKET_SIZE (RELAY_CIRCLE_SIZE / 4)

static char folder[] = "/tmp/lttngmap-follow-XXXXXX";
static int output, watch;

static void write_file(const char *name, const void *bytes, size_t size, off_t length)
{
	int fd = openat(output, name, O_WRONLY | O_CREAT, 0600);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || ftruncate(fd, length) < 0)
		exit(1);
	close(fd);
}

static void make_trace(void)
{
	struct ctf_index_entry entries[PACKETS] = { { .offset = 0 } };
	char index[sizeof(struct ctf_index_header) + sizeof(entries)] = "";
	static char page[65536];
	int fd;

	mkdirat(output, "ust", 0700);
	mkdirat(output, "ust/index", 0700);
	for (uint64_t i = 0; i < PACKETS; i++) {
		entries[i].offset = htobe64(i * PACKET_SIZE);
		entries[i].packet_size = htobe64(PACKET_SIZE * 8);
	}
	memcpy(index + sizeof(struct ctf_index_header), entries, sizeof(entries));
	write_file("ust/index/s.idx", index, sizeof(index), sizeof(index));
	memset(page, 1, sizeof(page));
	write_file("ust/s", page, sizeof(page), PACKETS * (off_t)PACKET_SIZE);
	fd = openat(output, "ust/s", O_WRONLY);
	if (pwrite(fd, page, sizeof(page), RELAY_CIRCLE_SIZE) != sizeof(page))
		exit(1);
	close(fd);
}

static struct follow *begin(const char *collector, bool is_spool)
{
	struct follow *follow;
	int error = follow_open(output, "ust", "ust", collector, is_spool, watch, &follow);

	return error ? NULL : follow;
}

static struct follow_stream *stream_of(struct follow *follow)
{
	return cds_list_first_entry(&follow->streams, struct follow_stream, node);
}

/* The collector has so many packets. */
static void confirm(struct follow *follow, uint64_t packets)
{
	struct follow_stream *stream = stream_of(follow);
	int stream_fd, index_fd;
	uint64_t bytes;

	if (follow_open_stream(follow, stream, &stream_fd, &index_fd) == 0) {
		close(stream_fd);
		close(index_fd);
	}
	stream->sent = packets;
	stream->bytes = (packets - stream->confirmed) * PACKET_SIZE;
	stream->last = packets ? (packets - 1) * PACKET_SIZE : 0;
	follow_mark(follow, stream, 0);
	is(follow_confirm(follow, stream, 0, &bytes), 0, "what a collector has is noted");
}

/* How far it was sent; -1: it cannot be opened. */
static int sent(const char *collector, bool is_spool)
{
	struct follow *follow = begin(collector, is_spool);
	int packets = follow ? (int)stream_of(follow)->sent : -1;

	follow_close(follow, watch);
	return packets;
}

static bool has_bytes(uint64_t at)
{
	char byte = 0;
	int fd = openat(output, "ust/s", O_RDONLY);
	bool has = fd >= 0 && pread(fd, &byte, 1, (off_t)at) == 1 && byte == 1;

	close(fd);
	return has;
}

static unsigned nr_ended(struct follow *follow)
{
	struct follow_stream *stream;
	unsigned count = 0;

	is(follow_read_ended(follow), 0, "which streams have ended is read");
	cds_list_for_each_entry(stream, &follow->ended, ended)
		count++;
	return count;
}

static void say_ended(const char *bytes, size_t size)
{
	int fd = openat(output, "ust/" ENDED_STREAMS_NAME, O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		exit(1);
	close(fd);
}

static void test_ended(void)
{
	static char nonsense[40000];
	struct follow *follow = begin(A, true);
	uint64_t bytes;

	is(nr_ended(follow), 0, "  ... where nothing is said, none");
	say_ended("../ust/s\0gone\0\0s", 16);
	is(nr_ended(follow), 0, "  ... none that is not there, nor elsewhere, nor half a name");
	say_ended("\0s", 3);
	is(nr_ended(follow), 1, "  ... and one once");
	memset(nonsense, 'x', sizeof(nonsense));
	say_ended(nonsense, sizeof(nonsense));
	is(nr_ended(follow), 1, "  ... what is no name is left out");
	ok(!follow_is_whole(follow, stream_of(follow)), "one that is to be sent is not whole");
	cds_list_del(&stream_of(follow)->due);
	stream_of(follow)->is_due = false;
	ok(!follow_is_whole(follow, stream_of(follow)), "nor one with packets that were not sent");
	confirm(follow, PACKETS);
	ok(follow_is_whole(follow, stream_of(follow)), "one that the collector has is");
	follow_remove(follow, stream_of(follow), &bytes);
	is(bytes, PACKETS * PACKET_SIZE, "of a spool it goes");
	ok(cds_list_empty(&follow->streams) && faccessat(output, "ust/s", F_OK, 0) < 0 &&
		   faccessat(output, "ust/index/s.idx", F_OK, 0) < 0,
	   "  ... with its index");
	is(follow->nr_free, 1, "  ... and its place in the journal is free");
	follow_close(follow, watch);
	follow = begin(A, true);
	is(follow->nr_free, 1, "  ... also for who comes next");
	ok(cds_list_empty(&follow->streams) && nr_ended(follow) == 0,
	   "  ... who hears nothing of it");
	follow_close(follow, watch);
}

static void test_lost(void)
{
	struct follow *follow;
	uint64_t bytes;

	/* What was on the way when a connection was lost is not there for good. */
	renameat(output, "ust/index/s.idx", output, "ust/index/.before");
	unlinkat(output, "ust/s", 0);
	make_trace();
	follow = begin(A, true);
	confirm(follow, 0);
	stream_of(follow)->sent = 9;
	stream_of(follow)->last = 9 * PACKET_SIZE;
	follow_mark(follow, stream_of(follow), 0);
	follow_restart(follow);
	stream_of(follow)->sent = 1;
	follow_mark(follow, stream_of(follow), 0);
	is(follow_confirm(follow, stream_of(follow), 0, &bytes), 0,
	   "of a new connection, one packet is noted");
	ok(has_bytes(RELAY_CIRCLE_SIZE), "  ... what was on the way stays");
	follow_close(follow, watch);
}

/* A packet begins within a page, in which the one before it ends. */
static void test_hole(void)
{
	const uint64_t page = RELAY_CIRCLE_SIZE + (512 << 10);
	int fd = openat(output, "ust/s", O_WRONLY);
	struct follow *follow = begin(A, true);

	if (pwrite(fd, "\1", 1, (off_t)(page + 50)) != 1)
		exit(1);
	close(fd);
	stream_of(follow)->sent = 2;
	stream_of(follow)->last = page + 100;
	follow_mark(follow, stream_of(follow), 0);
	is(follow_confirm(follow, stream_of(follow), 0, &(uint64_t){ 0 }), 0,
	   "one that begins within a page is noted");
	ok(!has_bytes(RELAY_CIRCLE_SIZE), "  ... what is before that page goes");
	ok(has_bytes(page + 50), "  ... and nothing in it");
	follow_close(follow, watch);
}

static void test_other_file(void)
{
	int stream_fd, index_fd;
	struct follow *follow;

	/* Another file of that name, of which what was noted of the former one says nothing. */
	renameat(output, "ust/index/s.idx", output, "ust/index/.former");
	unlinkat(output, "ust/s", 0);
	make_trace();
	follow = begin(B, true);
	confirm(follow, 0);
	confirm(follow, 7);
	follow_close(follow, watch);
	is(sent(A, false), 7, "a journal of another file does not count");
	follow = begin(A, true);
	stream_of(follow)->confirmed = stream_of(follow)->sent = PACKETS + 2;
	ok(follow_open_stream(follow, stream_of(follow), &stream_fd, &index_fd) == 0 &&
		   stream_of(follow)->confirmed == PACKETS && stream_of(follow)->sent == PACKETS,
	   "packets that the machine lost are not waited for");
	close(stream_fd);
	close(index_fd);
	stream_of(follow)->confirmed = stream_of(follow)->sent = 7;
	follow_close(follow, watch);
}

int main(void)
{
	struct follow *follow, *other;

	plan(53);
	output = mkdtemp(folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (output < 0 || watch < 0)
		return 1;
	make_trace();

	follow = begin(A, false);
	ok(follow, "a trace is sent to a collector");
	is(sent(A, false), -1, "  ... nobody else sends it there meanwhile");
	is(sent(A, true), -1, "  ... nor as a spool, which would go");
	is(sent(B, true), -1, "  ... wherever");
	other = begin(B, false);
	ok(other, "  ... but somebody to another one");
	confirm(follow, 3);
	confirm(other, 5);
	is(follow_confirmed(follow), 3 * PACKET_SIZE, "how many bytes that are is in the index");
	is(follow_confirmed(other), 5 * PACKET_SIZE, "  ... for each");
	follow_close(follow, watch);
	follow_close(other, watch);
	is(sent(A, false), 3, "who sends next goes on there");
	is(sent(B, false), 5, "  ... at each for itself");
	is(sent("c:5342", false), 0, "  ... and begins at a third");
	ok(has_bytes(RELAY_CIRCLE_SIZE), "what was sent stays");

	is(sent(B, true), 5, "as a spool it goes on there, too");
	follow = begin("c:5342", true);
	is(sent(A, false), -1, "while a spool is sent, nobody else sends it");
	is(sent(A, true), -1, "  ... as a spool neither");
	confirm(follow, 8);
	follow_close(follow, watch);
	ok(!has_bytes(RELAY_CIRCLE_SIZE), "what was sent of a spool goes");
	ok(has_bytes(8192), "  ... but where its writer uses it again");
	is(sent("d:5342", true), 8, "another collector does not get it");
	is(sent(A, false), 8, "  ... nor one that has less");
	follow = begin(A, false);
	confirm(follow, 9);
	follow_close(follow, watch);
	is(sent(A, false), 9, "the farther of both counts");
	is(sent(A, true), 9, "  ... for a spool as well");
	is(sent(B, true), 8, "  ... and that for its collector alone");

	test_lost();
	test_hole();
	test_other_file();
	test_ended();

	close(output);
	close(watch);
	remove_tree(folder);
	return done_testing();
}
