/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * repair.c - any bytes as a stream file and its index, which a consumer finds
 * when it starts. The input is a message that is the index, then the stream.
 *
 * What is left is whole packets, and the index of just these: a second repair
 * finds nothing to do.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumerd/packet/packet.h"
#include "consumerd/trace/stream-repair.h"
#include "tests/fuzz/fuzz.h"

/* Seeds say it too. */
static const uint8_t uuid[CTF_UUID_SIZE] = "0123456789abcdef";

static int make_file(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size);
	return fd;
}

static uint64_t size_of(int fd)
{
	struct stat status;

	FUZZ_CHECK(fstat(fd, &status) == 0);
	return (uint64_t)status.st_size;
}

static void check_repaired(int stream, int index, enum stream_repair_how how,
			   const struct stream_tail *tail)
{
	uint64_t packets = 0, packet_size;
	struct ctf_packet_header header;
	struct stream_tail again;

	FUZZ_CHECK(size_of(stream) == tail->size);
	FUZZ_CHECK(size_of(index) ==
		   (tail->packets ? sizeof(struct ctf_index_header) +
					    tail->packets * sizeof(struct ctf_index_entry)
				  : 0));
	FUZZ_CHECK(stream_repair(stream, index, uuid, how, NULL, &again) == 0);
	FUZZ_CHECK(again.cut == 0 && again.size == tail->size && again.packets == tail->packets &&
		   again.next_sequence == tail->next_sequence);
	if (how == STREAM_REPAIR_REUSED)
		return;
	/* With no index to believe, all that is walked through is a packet of ours, or is cut. */
	FUZZ_CHECK(ftruncate(index, 0) == 0);
	if (stream_repair(stream, index, uuid, STREAM_REPAIR_END, NULL, &again) != 0)
		return;
	for (uint64_t at = 0; at < again.size; at += packet_size, packets++) {
		FUZZ_CHECK(pread(stream, &header, sizeof(header), (off_t)at) == sizeof(header));
		FUZZ_CHECK(packet_check_header(&header, uuid, again.size - at, &packet_size) == 0);
	}
	FUZZ_CHECK(packets == again.packets);
}

static void repair(const struct fuzz_input *bytes, const struct fuzz_input *index_bytes,
		   enum stream_repair_how how)
{
	int index = make_file(index_bytes->data, index_bytes->size);
	int stream = make_file(bytes->data, bytes->size);
	struct stream_tail tail;
	int error = stream_repair(stream, index, uuid, how, NULL, &tail);

	if (error == 0)
		check_repaired(stream, index, how, &tail);
	else
		FUZZ_CHECK(error == -EEXIST);
	/* Somebody else's is left as it is, and a spool's is used again. */
	if (error || how == STREAM_REPAIR_REUSED)
		FUZZ_CHECK(size_of(stream) == bytes->size);
	close(stream);
	close(index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size }, index;

	index.data = fuzz_take_message(&input, &index.size);
	for (unsigned int how = 0; how <= STREAM_REPAIR_REUSED; how++)
		repair(&input, &index, (enum stream_repair_how)how);
	return 0;
}
