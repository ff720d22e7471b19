/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/view/stream-check.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/view/metadata-file.h"
#include "common/protocol/ctf.h"

/* Index entries read at once. */
#define ENTRIES 64

/* ---- the metadata ------------------------------------------------------------------ */

int stream_format_add(struct stream_format *format, const char *text, size_t size)
{
	struct record_trace trace = { .is_ours = false };
	bool is_first = !format->layout;
	int error;

	if (is_first)
		format->layout = record_layout_create();
	if (!format->layout)
		return -ENOMEM;
	error = record_layout_parse(format->layout, text, size, &trace);
	if (!error) {
		format->trace = trace;
	} else {
		format->trace.wrong_line = trace.wrong_line;
		format->trace.expected = trace.expected;
	}
	if (error && is_first)
		stream_format_free(format);
	return error;
}

int stream_format_read(struct stream_format *format, const char *verb, const char *folder)
{
	size_t size;
	char *text;
	int error = metadata_file_read(verb, folder, 0, &text, &size);

	*format = (struct stream_format){ .layout = NULL };
	if (!error)
		error = stream_format_add(format, text, size);
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
	uint64_t number;         /* of the packet; wrong packets count, too */
	struct packet_past past; /* the sound packets */
	uint64_t nr_entries;     /* of the index */
	uint64_t loaded;         /* 1 + number of the first of `entries`; 0: none */
	struct ctf_index_entry entries[ENTRIES];
	struct packet_body body;
};

static void add_lost(struct stream_check *check, uint64_t begin, uint64_t end)
{
	if (check->lost_end == 0 || begin < check->lost_begin)
		check->lost_begin = begin;
	if (end > check->lost_end)
		check->lost_end = end;
}

static void say_why(struct walk *walk, const char *what)
{
	stream_fault_note(&walk->check->fault, walk->number, walk->at, what);
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
		check->sequence = header->packet_seq_num;
	}
	check->end = header->timestamp_end;
	packet_past_add(&walk->past, header);
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

/* ---- the index --------------------------------------------------------------------- */

/* Entry `number` of the index; NULL: there is none. */
static const struct ctf_index_entry *entry_of(struct walk *walk, uint64_t number)
{
	uint64_t first = number - number % ENTRIES, left = walk->nr_entries - first;

	if (number >= walk->nr_entries)
		return NULL;
	if (walk->loaded != first + 1 &&
	    packet_read(walk->index_fd, walk->entries,
			(left < ENTRIES ? left : ENTRIES) * sizeof(walk->entries[0]),
			sizeof(struct ctf_index_header) + first * sizeof(walk->entries[0])) != 0) {
		walk->nr_entries = 0;
		return NULL;
	}
	walk->loaded = first + 1;
	return &walk->entries[number % ENTRIES];
}

static bool agrees(const struct ctf_index_entry *entry, uint64_t at,
		   const struct ctf_packet_header *header)
{
	return be64toh(entry->offset) == at && be64toh(entry->packet_size) == header->packet_size &&
	       be64toh(entry->content_size) == header->content_size &&
	       be64toh(entry->timestamp_begin) == header->timestamp_begin &&
	       be64toh(entry->timestamp_end) == header->timestamp_end &&
	       be64toh(entry->events_discarded) == header->events_discarded &&
	       be64toh(entry->stream_id) == header->stream_id &&
	       be64toh(entry->stream_instance_id) == header->stream_instance_id &&
	       be64toh(entry->packet_seq_num) == header->packet_seq_num;
}

/* Checks the index entry of the packet at walk->at. Readers ignore an index that ends earlier. */
static void check_index(struct walk *walk, const struct ctf_packet_header *header)
{
	const struct ctf_index_entry *entry = entry_of(walk, walk->number);

	if (entry && !agrees(entry, walk->at, header))
		walk->check->has_wrong_index = true;
}

/* True if a packet lies where the entry says, and its header agrees. */
static bool has_packet(const struct walk *walk, const struct ctf_index_entry *entry)
{
	uint64_t at = be64toh(entry->offset);
	struct ctf_packet_header header;

	return at < walk->file_size && walk->file_size - at >= sizeof(header) &&
	       packet_read(walk->fd, &header, sizeof(header), at) == 0 &&
	       !packet_check_extent(&header, walk->format->trace.uuid, walk->file_size - at) &&
	       agrees(entry, at, &header);
}

/*
 * Call if no packet at walk->at tells where the next one begins. Continues at the next packet that
 * both the index and the stream have, and counts the index entries between. Trusts the index as
 * long as its packets lie back to back. 0; -ENODATA: there is no such packet.
 */
static int find_next(struct walk *walk, const char *what)
{
	const struct ctf_index_entry *entry;
	uint64_t number = walk->number, named = 0, end = 0;
	bool found = false;

	say_why(walk, what);
	for (; (entry = entry_of(walk, number)); number++) {
		uint64_t at = be64toh(entry->offset), size = be64toh(entry->packet_size) / 8;

		if (at < end || at > INT64_MAX || size == 0 || size > INT64_MAX - at)
			break;
		end = at + size;
		found = at > walk->at && has_packet(walk, entry);
		if (found)
			break;
		if (at < walk->at)
			continue;
		named++;
		add_lost(walk->check, be64toh(entry->timestamp_begin),
			 be64toh(entry->timestamp_end));
	}
	walk->check->wrong_packets += named ? named : 1;
	if (!found)
		return -ENODATA;
	walk->number = number;
	walk->at = be64toh(entry->offset);
	return 0;
}

/* Checks whether the index names packets behind the stream's end. */
static void check_end(struct walk *walk)
{
	const struct ctf_index_entry *entry = entry_of(walk, walk->number);

	if (!entry)
		return;
	if (be64toh(entry->offset) == walk->file_size && entry->packet_size != 0)
		(void)find_next(walk, "the stream ends here, but its index names more packets");
	else
		walk->check->has_wrong_index = true;
}

static void open_index(struct walk *walk)
{
	struct ctf_index_header header;
	struct stat status;
	uint64_t size;

	if (walk->index_fd < 0 || fstat(walk->index_fd, &status) < 0 ||
	    (uint64_t)status.st_size < sizeof(header) ||
	    packet_read(walk->index_fd, &header, sizeof(header), 0) != 0)
		return;
	size = (uint64_t)status.st_size - sizeof(header);
	walk->nr_entries = size / sizeof(struct ctf_index_entry);
	if (size % sizeof(struct ctf_index_entry) || be32toh(header.magic) != CTF_INDEX_MAGIC ||
	    be32toh(header.entry_length) != sizeof(struct ctf_index_entry))
		walk->check->has_wrong_index = true;
}

/* ---- the packets ------------------------------------------------------------------- */

/* Keeps a sound packet, or notes its fault. 0 or -errno. */
static int check_packet(struct walk *walk, const struct ctf_packet_header *header)
{
	struct stream_check *check = walk->check;
	const char *what = packet_check_order(&walk->past, header, &walk->format->trace);
	char text[RECORD_FAULT_TEXT_SIZE];
	int error;

	if (!what) {
		error = packet_check_records(&walk->body, walk->fd, walk->at, header,
					     walk->format->layout, text, &what);
		if (error)
			return error;
		if (!what)
			return keep(walk, header);
		add_lost(check, header->timestamp_begin, header->timestamp_end);
	}
	say_why(walk, what);
	check->wrong_packets++;
	return 0;
}

/* Takes the packet at walk->at. 0; -ENODATA: no further packet can be found; other -errno. */
static int take_packet(struct walk *walk)
{
	struct stream_check *check = walk->check;
	struct ctf_packet_header header;
	const char *what;
	int error;

	if (walk->file_size - walk->at < sizeof(header))
		return find_next(walk, "torn packet header");
	error = packet_read(walk->fd, &header, sizeof(header), walk->at);
	if (error)
		return error;
	what = packet_check_extent(&header, walk->format->trace.uuid, walk->file_size - walk->at);
	if (what)
		return find_next(walk, what);
	stream_fault_of(&check->fault, &header);
	check_index(walk, &header);
	error = check_packet(walk, &header);
	walk->at += header.packet_size / 8;
	walk->number++;
	return error;
}

int stream_check(struct stream_check *check, const struct stream_format *format, int fd,
		 int index_fd)
{
	struct walk *walk = calloc(1, sizeof(*walk));
	struct stat status;
	int error = 0;

	*check = (struct stream_check){ .packets = 0 };
	if (!walk)
		return -ENOMEM;
	*walk = (struct walk){ .format = format, .check = check, .fd = fd, .index_fd = index_fd };
	/*
	 * Open the index first: while both files grow, the index then never names more packets than
	 * the stream has.
	 */
	open_index(walk);
	if (fd >= 0 && fstat(fd, &status) < 0)
		error = -errno;
	else if (fd >= 0)
		walk->file_size = (uint64_t)status.st_size;
	while (!error && walk->at < walk->file_size)
		error = take_packet(walk);
	if (fd == STREAM_REPLACED)
		say_why(walk, "there is no regular file");
	if (!error && walk->at == walk->file_size)
		check_end(walk);
	if (fd == STREAM_REPLACED && check->wrong_packets == 0)
		check->wrong_packets = 1;
	free(walk->body.bytes);
	free(walk);
	return error == -ENODATA ? 0 : error;
}

void stream_check_free(struct stream_check *check)
{
	free(check->extents);
	check->extents = NULL;
	check->nr_extents = 0;
}
