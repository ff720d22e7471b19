/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "stream-check.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/ctf.h"

/* No sub-buffer is larger. What says so is damaged, and takes no memory. */
#define PACKET_MAX (UINT64_C(1) << 31)
/* Index entries that are read at once. */
#define ENTRIES 64

/* ---- the metadata ------------------------------------------------------------------ */

int stream_format_parse(struct stream_format *format, const char *text, size_t size)
{
	int error;

	format->layout = record_layout_create();
	if (!format->layout)
		return -ENOMEM;
	format->trace = (struct record_trace){ .is_ours = false };
	error = record_layout_parse(format->layout, text, size, &format->trace);
	if (error)
		stream_format_free(format);
	return error;
}

/* A collector has the text in packets, of which each begins with this. */
#define TEXT_MAGIC 0x75d11d57u
#define TEXT_HEADER 37

struct text_header {
	uint32_t magic;
	uint8_t uuid[CTF_UUID_SIZE];
	uint32_t checksum;
	uint32_t content_size, packet_size; /* bits, the header included */
};

/* Takes the text out of its packets, if it is in some. Its size then. */
static size_t unpack(char *text, size_t size)
{
	struct text_header header;
	size_t to = 0, content, packet;

	for (size_t at = 0; size - at >= TEXT_HEADER; at += packet) {
		memcpy(&header, text + at, sizeof(header));
		content = header.content_size / 8;
		packet = header.packet_size / 8;
		if (header.magic != TEXT_MAGIC || content < TEXT_HEADER || content > packet ||
		    packet > size - at)
			return at ? to : size;
		memmove(text + to, text + at + TEXT_HEADER, content - TEXT_HEADER);
		to += content - TEXT_HEADER;
	}
	return to ? to : size;
}

static int read_all(int fd, void *bytes, uint64_t size, uint64_t offset)
{
	while (size > 0) {
		ssize_t got = pread(fd, bytes, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -ENODATA;
		bytes = (char *)bytes + got;
		offset += (uint64_t)got;
		size -= (uint64_t)got;
	}
	return 0;
}

int stream_format_read(struct stream_format *format, const char *folder)
{
	char path[PATH_MAX];
	struct stat status;
	int fd, error = 0;
	char *text;

	format->layout = NULL;
	if ((size_t)snprintf(path, sizeof(path), "%s/metadata", folder) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		status.st_size = 0;
	text = malloc((size_t)status.st_size + 1);
	error = text ? read_all(fd, text, (uint64_t)status.st_size, 0) : -ENOMEM;
	close(fd);
	if (!error)
		error = stream_format_parse(format, text, unpack(text, (size_t)status.st_size));
	free(text);
	return error;
}

void stream_format_free(struct stream_format *format)
{
	record_layout_destroy(format->layout);
	format->layout = NULL;
}

/* ---- the walk ---------------------------------------------------------------------- */

struct walk {
	const struct stream_format *format;
	struct stream_check *check;
	int fd, index_fd;
	uint64_t file_size, at;
	uint64_t number;     /* of the packet, wrong ones too */
	uint64_t sequence;   /* of the last sound packet */
	uint64_t nr_entries; /* of the index */
	struct ctf_index_entry entries[ENTRIES];
	char *body;
	uint64_t room;
};

static void find_wrong(struct walk *walk, const char *what)
{
	struct stream_check *check = walk->check;

	check->wrong_packets++;
	if (check->why[0] == '\0')
		snprintf(check->why, sizeof(check->why),
			 "packet %" PRIu64 " at byte %" PRIu64 ": %s", walk->number, walk->at,
			 what);
}

/* Does the packet lie in the file, so that the next one can be found? NULL, or what is wrong. */
static const char *check_extent(const struct walk *walk, const struct ctf_packet_header *header)
{
	uint64_t room = walk->file_size - walk->at;

	if (header->magic != CTF_PACKET_MAGIC)
		return "no packet header";
	if (memcmp(header->uuid, walk->format->trace.uuid, sizeof(header->uuid)) != 0)
		return "packet of another trace";
	if (header->packet_size % 8 || header->content_size % 8 ||
	    header->content_size > header->packet_size ||
	    header->content_size < sizeof(*header) * 8 || header->packet_size / 8 > PACKET_MAX)
		return "packet of a size that cannot be";
	if (header->packet_size / 8 > room)
		return "packet that runs past the file";
	return NULL;
}

/* Readers count nanoseconds since 1970 in 63 bits. */
static bool is_countable(const struct record_trace *trace, uint64_t time)
{
	uint64_t seconds = time / trace->frequency;
	const int64_t most = INT64_MAX / 1000000000 - 2;

	return seconds < (uint64_t)most && trace->offset_s < most - (int64_t)seconds &&
	       trace->offset_s > -most;
}

/* Against the packets before. NULL, or what is wrong. */
static const char *check_order(const struct walk *walk, const struct ctf_packet_header *header)
{
	const struct stream_check *check = walk->check;

	if (header->timestamp_end < header->timestamp_begin)
		return "packet that ends before it begins";
	if (!is_countable(&walk->format->trace, header->timestamp_end))
		return "packet of a time that cannot be";
	if (check->packets == 0)
		return NULL;
	if (header->stream_id != check->stream_id || header->stream_instance_id != check->instance)
		return "packet of another stream";
	if (header->timestamp_begin < check->end)
		return "packet that begins before the last one ended";
	if (header->packet_seq_num <= walk->sequence)
		return "packet with the number of an earlier one";
	return NULL;
}

/* *what: what is wrong. 0 or -errno. */
static int check_records(struct walk *walk, const struct ctf_packet_header *header,
			 char text[RECORD_FAULT_TEXT_SIZE], const char **what)
{
	struct record_span span = {
		.length = header->content_size / 8 - sizeof(*header),
		.begin = header->timestamp_begin,
		.end = header->timestamp_end,
		.events = RECORD_COUNT_UNKNOWN,
	};
	struct record_fault fault;
	int error;

	if (span.length > walk->room) {
		char *body = realloc(walk->body, span.length);

		if (!body)
			return -ENOMEM;
		walk->body = body;
		walk->room = span.length;
	}
	error = read_all(walk->fd, walk->body, span.length, walk->at + sizeof(*header));
	if (error)
		return error;
	span.bytes = walk->body;
	if (!record_layout_check(walk->format->layout, header->stream_id, &span, &fault))
		*what = record_fault_text(&fault, text);
	return 0;
}

static int keep(struct walk *walk, const struct ctf_packet_header *header)
{
	struct stream_check *check = walk->check;
	struct stream_extent *last = NULL, *extents;
	uint64_t size = header->packet_size / 8;

	if (check->packets++ == 0) {
		check->stream_id = header->stream_id;
		check->instance = header->stream_instance_id;
		check->begin = header->timestamp_begin;
	}
	check->end = header->timestamp_end;
	walk->sequence = header->packet_seq_num;
	if (check->nr_extents > 0)
		last = &check->extents[check->nr_extents - 1];
	if (last && last->begin + last->size == walk->at) {
		last->size += size;
		return 0;
	}
	extents = reallocarray(check->extents, check->nr_extents + 1, sizeof(*extents));
	if (!extents)
		return -ENOMEM;
	check->extents = extents;
	extents[check->nr_extents++] = (struct stream_extent){ walk->at, size };
	return 0;
}

/* Of the next packet. An index that ends earlier is left aside by readers. */
static void check_index(struct walk *walk, const struct ctf_packet_header *header)
{
	struct ctf_index_entry *entry = &walk->entries[walk->number % ENTRIES];
	uint64_t left = walk->nr_entries - walk->number;

	if (walk->number >= walk->nr_entries)
		return;
	if (walk->number % ENTRIES == 0 &&
	    read_all(walk->index_fd, walk->entries,
		     (left < ENTRIES ? left : ENTRIES) * sizeof(*entry),
		     sizeof(struct ctf_index_header) + walk->number * sizeof(*entry)) != 0) {
		walk->nr_entries = 0;
		return;
	}
	if (be64toh(entry->offset) != walk->at ||
	    be64toh(entry->packet_size) != header->packet_size ||
	    be64toh(entry->content_size) != header->content_size ||
	    be64toh(entry->timestamp_begin) != header->timestamp_begin ||
	    be64toh(entry->timestamp_end) != header->timestamp_end ||
	    be64toh(entry->events_discarded) != header->events_discarded ||
	    be64toh(entry->stream_id) != header->stream_id ||
	    be64toh(entry->stream_instance_id) != header->stream_instance_id ||
	    be64toh(entry->packet_seq_num) != header->packet_seq_num)
		walk->check->has_wrong_index = true;
}

/* The packet at walk->at. 0; -ENODATA: no other one can be found; -errno. */
static int take_packet(struct walk *walk)
{
	struct stream_check *check = walk->check;
	char text[RECORD_FAULT_TEXT_SIZE];
	struct ctf_packet_header header;
	const char *what;
	int error;

	if (walk->file_size - walk->at < sizeof(header)) {
		find_wrong(walk, "torn packet header");
		return -ENODATA;
	}
	error = read_all(walk->fd, &header, sizeof(header), walk->at);
	if (error)
		return error;
	what = check_extent(walk, &header);
	if (what) {
		find_wrong(walk, what);
		return -ENODATA;
	}
	if (check->program[0] == '\0') {
		memcpy(check->program, header.procname, sizeof(header.procname));
		check->pid = header.pid;
	}
	check_index(walk, &header);
	what = check_order(walk, &header);
	if (!what)
		error = check_records(walk, &header, text, &what);
	if (!error && what)
		find_wrong(walk, what);
	else if (!error)
		error = keep(walk, &header);
	walk->at += header.packet_size / 8;
	walk->number++;
	return error;
}

static void open_index(struct walk *walk)
{
	struct ctf_index_header header;
	struct stat status;

	if (walk->index_fd < 0 || fstat(walk->index_fd, &status) < 0 ||
	    (uint64_t)status.st_size < sizeof(header) ||
	    read_all(walk->index_fd, &header, sizeof(header), 0) != 0)
		return;
	walk->nr_entries =
		((uint64_t)status.st_size - sizeof(header)) / sizeof(struct ctf_index_entry);
	if (be32toh(header.magic) != CTF_INDEX_MAGIC ||
	    be32toh(header.entry_length) != sizeof(struct ctf_index_entry))
		walk->check->has_wrong_index = true;
}

int stream_check(struct stream_check *check, const struct stream_format *format, int fd,
		 int index_fd)
{
	struct walk *walk = calloc(1, sizeof(*walk));
	struct stat status;
	int error = 0;

	*check = (struct stream_check){ .pid = 0 };
	if (!walk)
		return -ENOMEM;
	*walk = (struct walk){ .format = format, .check = check, .fd = fd, .index_fd = index_fd };
	if (fstat(fd, &status) < 0)
		error = -errno;
	else
		walk->file_size = (uint64_t)status.st_size;
	if (!error)
		open_index(walk);
	while (!error && walk->at < walk->file_size)
		error = take_packet(walk);
	free(walk->body);
	free(walk);
	return error == -ENODATA ? 0 : error;
}

void stream_check_free(struct stream_check *check)
{
	free(check->extents);
	check->extents = NULL;
	check->nr_extents = 0;
}
