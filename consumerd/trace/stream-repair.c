/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/trace/stream-repair.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumerd/packet/file.h"
#include "consumerd/packet/packet.h"
#include "consumerd/trace/trace.h"

/* Where room is used again: what a machine left that died may have lost its last packets, but not
 * so many. */
#define ENTRIES_TRIED 1024

struct repair {
	int stream_fd;
	int index_fd;
	const uint8_t *uuid;
	uint64_t stream_size;
	uint64_t index_size;
	enum stream_repair_how how;
	const struct stream_format *format; /* NULL: headers alone are looked at */
	struct stream_tail *tail;
	struct packet_past past; /* packets that are kept */
	struct packet_body body;
	/* The last sound packet, where it lies, and up to where it has events. */
	struct ctf_packet_header last;
	uint64_t last_at, content_end;
	/* Entries of the index as it was found: those that were passed, and all. */
	uint64_t named, nr_named;
};

static void take_last(struct stream_tail *tail, const struct ctf_packet_header *header)
{
	tail->next_sequence = header->packet_seq_num + 1;
	tail->timestamp_end = header->timestamp_end;
	tail->discarded = header->events_discarded;
}

static uint64_t entry_offset(uint64_t packets)
{
	return sizeof(struct ctf_index_header) + packets * sizeof(struct ctf_index_entry);
}

/* The next entry of the index as it was found. False: there is no more. */
static bool peek(const struct repair *repair, struct ctf_index_entry *entry)
{
	return repair->named < repair->nr_named &&
	       file_read(repair->index_fd, entry, sizeof(*entry), entry_offset(repair->named)) ==
		       sizeof(*entry);
}

/* Does that entry say the very same as the header? */
static bool is_named(const struct repair *repair, const struct ctf_packet_header *header,
		     uint64_t offset)
{
	struct ctf_index_entry entry, made;

	packet_make_index_entry(header, offset, &made);
	return peek(repair, &entry) && memcmp(&made, &entry, sizeof(made)) == 0;
}

/*
 * Where a machine stopped, a file may be as long as it was to become, while the disk has not all
 * of it: a hole, which reads as zeros. No writer of ours leaves one in a packet's content.
 */
static bool has_hole(const struct repair *repair, uint64_t offset, uint64_t length)
{
	off_t hole = lseek(repair->stream_fd, (off_t)offset, SEEK_HOLE);

	return hole >= 0 && (uint64_t)hole < offset + length;
}

/* 0; -EBADMSG, -ENODATA as packet_check_header(), a hole is no content; or of the file system. */
static int read_header(const struct repair *repair, uint64_t offset,
		       struct ctf_packet_header *header, uint64_t *size)
{
	ssize_t got;
	int error;

	if (offset > repair->stream_size || repair->stream_size - offset < sizeof(*header))
		return -ENODATA;
	got = file_read(repair->stream_fd, header, sizeof(*header), offset);
	if (got < 0)
		return (int)got;
	if ((size_t)got != sizeof(*header))
		return -ENODATA;
	error = packet_check_header(header, repair->uuid, repair->stream_size - offset, size);
	/* A copy of a trace may have holes where there were zeros: then its index has the packet.
	 */
	if (!error && !(repair->how == STREAM_REPAIR_ALL && is_named(repair, header, offset)) &&
	    has_hole(repair, offset, header->content_size / 8))
		error = -ENODATA;
	return error;
}

/* True if the entry of the last of so many packets agrees with that packet. */
static int believe_entry(struct repair *repair, uint64_t packets)
{
	struct ctf_index_entry entry, made;
	struct ctf_packet_header header;
	struct packet_extent extent;
	uint64_t size;
	int error;

	if (file_read(repair->index_fd, &entry, sizeof(entry), entry_offset(packets - 1)) !=
	    sizeof(entry))
		return 0;
	extent = packet_index_extent(&entry);
	error = read_header(repair, extent.offset, &header, &size);
	if (error == -EBADMSG || error == -ENODATA)
		return 0;
	if (error)
		return error;
	packet_make_index_entry(&header, extent.offset, &made);
	if (memcmp(&made, &entry, sizeof(entry)) != 0)
		return 0;
	repair->tail->size = extent.offset + size;
	repair->tail->packets = packets;
	repair->named = packets;
	repair->last = header;
	repair->last_at = extent.offset;
	repair->content_end = extent.offset + header.content_size / 8;
	take_last(repair->tail, &header);
	return 0;
}

static uint64_t index_data(const struct repair *repair)
{
	off_t hole = lseek(repair->index_fd, 0, SEEK_HOLE);

	return hole >= 0 && (uint64_t)hole < repair->index_size ? (uint64_t)hole
								: repair->index_size;
}

/*
 * May the walk begin behind the index's last entry? It may where that fits. Where room is used
 * again there is none, but an entry before may fit.
 */
static int believe_index(struct repair *repair)
{
	struct ctf_index_header expected, found;
	uint64_t size, packets;
	int error;

	/* Each entry has a size that is not 0: a hole is where the index ends, however long it is.
	 */
	size = index_data(repair);
	if (size < entry_offset(1))
		return 0;
	packets = (size - sizeof(found)) / sizeof(struct ctf_index_entry);
	packet_make_index_header(&expected);
	if (file_read(repair->index_fd, &found, sizeof(found), 0) != sizeof(found) ||
	    memcmp(&found, &expected, sizeof(found)) != 0)
		return 0;
	repair->nr_named = packets;
	if (repair->how == STREAM_REPAIR_ALL)
		return 0;
	for (unsigned tries = 0;
	     packets && tries < (repair->how == STREAM_REPAIR_REUSED ? ENTRIES_TRIED : 1);
	     tries++) {
		error = believe_entry(repair, packets--);
		if (error || repair->tail->packets)
			return error;
	}
	return 0;
}

/* ---- damage in the middle ---------------------------------------------------------- */

/*
 * May that packet follow those that are kept? NULL, or why not. A packet that takes the place of
 * the first ones has a number.
 */
static const char *check_order(const struct repair *repair, const struct ctf_packet_header *header,
			       uint64_t offset)
{
	const char *what;

	if (!repair->format)
		return NULL;
	what = packet_check_order(&repair->past, header, &repair->format->trace);
	if (!what && repair->tail->packets == 0 && offset > 0 && header->packet_seq_num == 0)
		what = "packet with the number of an earlier one";
	return what;
}

static void note(const struct repair *repair, const char *what)
{
	struct stream_tail *tail = repair->tail;

	stream_fault_note(&tail->fault, tail->packets + tail->lost, tail->size, what);
}

/* The header at tail->size is that of no whole packet. */
static void note_header(const struct repair *repair, const struct ctf_packet_header *header)
{
	uint64_t room = repair->stream_size - repair->tail->size;
	const char *what = room < sizeof(*header) ? "torn packet header"
						  : packet_check_extent(header, repair->uuid, room);

	note(repair, what ? what : "packet that is not on the disk");
}

/* Does the stream have the packet of the next entry, behind those before? */
static bool is_proved(const struct repair *repair, uint64_t offset,
		      struct ctf_packet_header *header)
{
	uint64_t size;

	return offset >= repair->content_end && offset >= sizeof(*header) &&
	       read_header(repair, offset, header, &size) == 0 &&
	       is_named(repair, header, offset) && !check_order(repair, header, offset);
}

/* Which entry comes next: of a packet that is not before `offset`. */
static void pass_entries(struct repair *repair, uint64_t offset)
{
	struct ctf_index_entry entry;

	while (peek(repair, &entry) && packet_index_extent(&entry).offset < offset)
		repair->named++;
}

static int put_entry(const struct repair *repair, uint64_t number,
		     const struct ctf_packet_header *header, uint64_t offset)
{
	struct ctf_index_entry entry, old;

	packet_make_index_entry(header, offset, &entry);
	if (file_read(repair->index_fd, &old, sizeof(old), entry_offset(number)) == sizeof(old) &&
	    memcmp(&old, &entry, sizeof(entry)) == 0)
		return 0;
	repair->tail->is_index_rewritten = true;
	/* An index that lacks packets is overwritten before it is read: by what was passed. */
	return file_write(repair->index_fd, &entry, sizeof(entry), entry_offset(number));
}

/* The packet at `at` reaches up to `offset`. In a stream that has limits, the count of its events
 * is its last bytes. */
static int put_padded(struct repair *repair, struct ctf_packet_header *header, uint64_t at,
		      uint64_t offset, const struct trace_tail *events)
{
	int error = 0;

	packet_pad(header, offset - at);
	if (header->packet_size - header->content_size >= sizeof(*events) * 8)
		error = file_write(repair->stream_fd, events, sizeof(*events),
				   offset - sizeof(*events));
	if (!error)
		error = file_write(repair->stream_fd, header, sizeof(*header), at);
	return error ? error : put_entry(repair, repair->tail->packets - 1, header, at);
}

/*
 * The packet before is made so long that the next one follows at `offset`; where there is none, one
 * is made by make_first(). The bytes between stay, as padding.
 */
static int repair_extent(struct repair *repair, uint64_t offset)
{
	struct ctf_packet_header header = repair->last;
	struct trace_tail events = { .events = 0 };
	uint64_t end = repair->last_at + header.packet_size / 8;

	if (repair->tail->packets == 0)
		return 0;
	if (header.packet_size - header.content_size >= sizeof(events) * 8 &&
	    file_read(repair->stream_fd, &events, sizeof(events), end - sizeof(events)) !=
		    sizeof(events))
		return -EIO;
	return put_padded(repair, &header, repair->last_at, offset, &events);
}

/* Behind wrong packets alone: a packet without events takes their place, before `next`. */
static int make_first(struct repair *repair, const struct ctf_packet_header *next)
{
	const struct trace_tail events = { .events = 0 };
	struct ctf_packet_header header = *next;
	/* Readers see by the numbers how many are missing behind it. */
	uint64_t gap = repair->tail->lost + 1;

	header.timestamp_end = header.timestamp_begin;
	header.packet_seq_num -= gap < header.packet_seq_num ? gap : header.packet_seq_num;
	header.content_size = sizeof(header) * 8;
	repair->tail->packets = 1;
	return put_padded(repair, &header, 0, repair->tail->size, &events);
}

/* Go on at the next packet that is proved. 0; -ENODATA: there is none, this is the stream's end. */
static int find_next(struct repair *repair)
{
	struct ctf_packet_header header;
	struct ctf_index_entry entry;
	uint64_t lost = 0;

	pass_entries(repair, repair->content_end);
	for (; peek(repair, &entry); repair->named++, lost++) {
		uint64_t offset = packet_index_extent(&entry).offset;
		int error;

		if (!is_proved(repair, offset, &header))
			continue;
		error = repair_extent(repair, offset);
		repair->tail->size = offset;
		repair->tail->lost += lost;
		return error;
	}
	return -ENODATA;
}

/* The packet at tail->size. 0; -EBADMSG: a reader ends at it, or at one of its records; -errno. */
static int check_packet(struct repair *repair, const struct ctf_packet_header *header)
{
	char text[RECORD_FAULT_TEXT_SIZE];
	const char *what = check_order(repair, header, repair->tail->size);
	int error = 0;

	if (!repair->format)
		return 0;
	stream_fault_of(&repair->tail->fault, header);
	if (!what)
		error = packet_check_records(&repair->body, repair->stream_fd, repair->tail->size,
					     header, repair->format->layout, text, &what);
	if (what)
		note(repair, what);
	return error || !what ? error : -EBADMSG;
}

/* A wrong packet, whose header says where the next one begins. */
static int pass_packet(struct repair *repair, uint64_t size)
{
	struct stream_tail *tail = repair->tail;

	pass_entries(repair, tail->size + 1);
	tail->size += size;
	tail->lost++;
	repair->content_end = tail->size;
	return repair_extent(repair, tail->size);
}

static int keep_packet(struct repair *repair, const struct ctf_packet_header *header, uint64_t size)
{
	struct stream_tail *tail = repair->tail;
	int error = 0;

	pass_entries(repair, tail->size + 1);
	if (tail->packets == 0 && tail->size > 0)
		error = make_first(repair, header);
	if (!error)
		error = put_entry(repair, tail->packets, header, tail->size);
	packet_past_add(&repair->past, header);
	repair->last = *header;
	repair->last_at = tail->size;
	repair->content_end = tail->size + header->content_size / 8;
	tail->size += size;
	tail->packets++;
	take_last(tail, header);
	return error;
}

static int walk(struct repair *repair)
{
	struct stream_tail *tail = repair->tail;
	struct ctf_packet_header header;
	uint64_t size;
	int error = 0;

	while (!error && tail->size < repair->stream_size) {
		error = read_header(repair, tail->size, &header, &size);
		if (error == -EBADMSG || error == -ENODATA) {
			note_header(repair, &header);
			error = find_next(repair);
			continue;
		}
		if (!error)
			error = check_packet(repair, &header);
		if (error == -EBADMSG)
			error = pass_packet(repair, size);
		else if (!error)
			error = keep_packet(repair, &header, size);
	}
	return error == -ENODATA ? 0 : error;
}

/* No packet is left, and there are `nr_named` entries at least. */
static void note_lost_times(struct repair *repair)
{
	struct stream_tail *tail = repair->tail;
	struct ctf_index_entry entry;

	for (repair->named = 0; peek(repair, &entry); repair->named++) {
		uint64_t begin = be64toh(entry.timestamp_begin), end = be64toh(entry.timestamp_end);

		if (tail->lost_end == 0 || begin < tail->lost_begin)
			tail->lost_begin = begin;
		if (end > tail->lost_end)
			tail->lost_end = end;
	}
}

/* ---- the end ----------------------------------------------------------------------- */

/*
 * A file without a whole packet may be cut only where it begins as a packet
 * of this trace does: nothing of somebody else's is ever destroyed.
 */
static int check_ours(const struct repair *repair)
{
	struct ctf_packet_header found, ours = { .magic = CTF_PACKET_MAGIC };
	size_t known = offsetof(struct ctf_packet_header, stream_id);
	ssize_t got;

	if (repair->tail->packets || repair->stream_size == 0)
		return 0;
	memcpy(ours.uuid, repair->uuid, sizeof(ours.uuid));
	got = file_read(repair->stream_fd, &found, known, 0);
	if (got < 0)
		return (int)got;
	return memcmp(&found, &ours, (size_t)got) == 0 ? 0 : -EEXIST;
}

static int cut(const struct repair *repair)
{
	struct ctf_index_header header, old;
	uint64_t index_end = repair->tail->packets ? entry_offset(repair->tail->packets) : 0;
	int error;

	packet_make_index_header(&header);
	if (repair->tail->packets &&
	    (file_read(repair->index_fd, &old, sizeof(old), 0) != sizeof(old) ||
	     memcmp(&old, &header, sizeof(old)) != 0)) {
		repair->tail->is_index_rewritten = true;
		error = file_write(repair->index_fd, &header, sizeof(header), 0);
		if (error)
			return error;
	}
	if (repair->index_size > index_end) {
		repair->tail->is_index_rewritten = true;
		if (ftruncate(repair->index_fd, (off_t)index_end) < 0)
			return -errno;
	}
	if (repair->how == STREAM_REPAIR_REUSED)
		repair->tail->size = repair->stream_size;
	if (repair->stream_size > repair->tail->size &&
	    ftruncate(repair->stream_fd, (off_t)repair->tail->size) < 0)
		return -errno;
	repair->tail->cut = repair->stream_size - repair->tail->size;
	return 0;
}

int stream_repair(int stream_fd, int index_fd, const uint8_t uuid[CTF_UUID_SIZE],
		  enum stream_repair_how how, const struct stream_format *format,
		  struct stream_tail *tail)
{
	struct repair repair = {
		.stream_fd = stream_fd,
		.index_fd = index_fd,
		.uuid = uuid,
		.how = how,
		.format = format,
		.tail = tail,
	};
	struct stat stream_status, index_status;
	int error;

	*tail = (struct stream_tail){ 0 };
	if (fstat(stream_fd, &stream_status) < 0 || fstat(index_fd, &index_status) < 0)
		return -errno;
	repair.stream_size = (uint64_t)stream_status.st_size;
	repair.index_size = (uint64_t)index_status.st_size;
	error = believe_index(&repair);
	if (!error && how != STREAM_REPAIR_REUSED)
		error = walk(&repair);
	if (!error)
		error = check_ours(&repair);
	/* Unreadable packets keep all bytes. */
	if (format && tail->packets == 0 && repair.nr_named > tail->lost) {
		tail->lost = repair.nr_named;
		note(&repair, "the stream ends here, but its index names more packets");
	}
	if (format && tail->packets == 0 && tail->lost)
		note_lost_times(&repair);
	if (!error && (tail->packets > 0 || tail->lost == 0))
		error = cut(&repair);
	free(repair.body.bytes);
	return error;
}
