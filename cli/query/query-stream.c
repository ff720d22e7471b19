/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * query-stream.c - the packets of a stream, and the events in them.
 *
 * A scan that begins at a time asks the stream's index where: the last packet that the index, and
 * the packet's own header, say ended before. From there on it goes from header to header. So an
 * index that is wrong costs time, and leaves nothing out. Packets of another time, process
 * or CPU are passed by their headers. Only packets with wanted events are read and checked.
 *
 * A file is open while a packet is read: a trace may have more streams than a process has
 * descriptors. A wrong packet is left out, as in `view`; where its header does not tell where the
 * next one begins, the index may.
 */
#include <config.h>

#include "cli/query/query.h"

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

#include "cli/base/message.h"
#include "cli/base/regular-open.h"

#define ID_BITS 16

volatile sig_atomic_t query_interrupted;

/* ---- files -------------------------------------------------------------------------- */

static int open_file(const struct query_reader *reader, bool is_index, uint64_t *size)
{
	char path[PATH_MAX];
	struct stat status;
	int length, fd;

	length = snprintf(path, sizeof(path), "%s/%s%s%s", reader->trace->path,
			  is_index ? CTF_INDEX_DIRECTORY "/" : "", reader->stream->name,
			  is_index ? CTF_INDEX_SUFFIX : "");
	if ((size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	fd = regular_open(path, 0);
	if (fd < 0)
		return fd;
	*size = fstat(fd, &status) == 0 ? (uint64_t)status.st_size : 0;
	return fd;
}

static void tell(struct query_reader *reader, const char *what)
{
	struct query_stream *stream = reader->stream;
	struct stream_fault fault = { .pid = 0 };
	char text[STREAM_FAULT_TEXT_SIZE];

	if (stream->is_told)
		return;
	stream->is_told = true;
	if (++reader->query->broken > QUERY_BROKEN_NAMED)
		return;
	if (reader->past.packets > 0)
		stream_fault_of(&fault, &reader->header);
	stream_fault_note(&fault, reader->number, reader->next, what);
	message_error("query: %s/%s%s", reader->trace->path, stream->name,
		      stream_fault_text(&fault, text));
}

/* ---- the index ---------------------------------------------------------------------- */

struct index {
	int fd;
	uint64_t count;
};

static struct index open_index(const struct query_reader *reader)
{
	struct index index = { .fd = -1 };
	struct ctf_index_header header;
	uint64_t size = 0;

	index.fd = open_file(reader, true, &size);
	if (index.fd < 0)
		return index;
	if (size >= sizeof(header) && packet_read(index.fd, &header, sizeof(header), 0) == 0 &&
	    be32toh(header.magic) == CTF_INDEX_MAGIC &&
	    be32toh(header.entry_length) == sizeof(struct ctf_index_entry))
		index.count = (size - sizeof(header)) / sizeof(struct ctf_index_entry);
	return index;
}

static bool read_entry(const struct index *index, uint64_t number, struct ctf_index_entry *entry)
{
	return packet_read(index->fd, entry, sizeof(*entry),
			   sizeof(struct ctf_index_header) + number * sizeof(*entry)) == 0;
}

/* A packet of this stream lies there. */
static bool read_header(const struct query_reader *reader, int fd, uint64_t at,
			struct ctf_packet_header *header)
{
	return at < reader->file_size && reader->file_size - at >= sizeof(*header) &&
	       packet_read(fd, header, sizeof(*header), at) == 0 &&
	       !packet_check_extent(header, reader->trace->format.trace.uuid,
				    reader->file_size - at);
}

/* Begins at the last packet that ended before the wanted time, if the index tells one. */
static void seek(struct query_reader *reader, int fd)
{
	struct index index = open_index(reader);
	struct ctf_packet_header header;
	struct ctf_index_entry entry;
	uint64_t low = 0, high = index.count;

	/* Entries up to `low` ended before. */
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!read_entry(&index, middle, &entry))
			break;
		if (be64toh(entry.timestamp_end) < reader->cycles_from)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0 && read_entry(&index, low - 1, &entry) &&
	    read_header(reader, fd, be64toh(entry.offset), &header) &&
	    header.timestamp_end < reader->cycles_from) {
		reader->next = be64toh(entry.offset);
		reader->number = low - 1;
	}
	if (index.fd >= 0)
		close(index.fd);
}

/* The first entry from `i` on that is not whole in a hole of the file, which may be of any size. */
static uint64_t skip_hole(const struct index *index, uint64_t i)
{
	const uint64_t begin = sizeof(struct ctf_index_header),
		       size = sizeof(struct ctf_index_entry);
	off_t data = lseek(index->fd, (off_t)(begin + i * size), SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? index->count : i;
	return (uint64_t)data < begin + i * size ? i : ((uint64_t)data - begin) / size;
}

/*
 * Behind a header that does not tell where the next packet begins. False: nothing tells. Entries
 * that were looked at are not looked at again, for `next` only grows.
 */
static bool find_next(struct query_reader *reader, int fd)
{
	struct index index = open_index(reader);
	struct ctf_packet_header header;
	struct ctf_index_entry entry;
	bool found = false;
	uint64_t i = reader->nr_looked_up;

	while (!found && i < index.count && !query_interrupted) {
		uint64_t at;

		if (!read_entry(&index, i, &entry))
			break;
		at = be64toh(entry.offset);
		found = at > reader->next && read_header(reader, fd, at, &header);
		if (found) {
			reader->next = at;
			reader->number = i;
		}
		i = at == 0 ? skip_hole(&index, i + 1) : i + 1;
	}
	reader->nr_looked_up = i;
	if (index.fd >= 0)
		close(index.fd);
	return found;
}

/* ---- packets ------------------------------------------------------------------------ */

static bool is_wanted(const struct query_reader *reader, const struct ctf_packet_header *header)
{
	const struct query_wanted *wanted = reader->wanted;

	if (wanted->packets)
		return true;
	if (header->timestamp_end < reader->cycles_from)
		return false;
	/* The number of a process is known for the whole packet, or for none of its events. */
	if (wanted->pid >= 0 && header->pid > 0 && header->pid != wanted->pid)
		return false;
	return wanted->cpu < 0 || header->cpu_id == CTF_CPU_UNKNOWN ||
	       header->cpu_id == wanted->cpu;
}

/* Notes the events and packets that were lost before this packet. */
static void note_losses(struct query_reader *reader, const struct ctf_packet_header *header)
{
	const struct packet_past *past = &reader->past;

	reader->lost_events = header->events_discarded > reader->discarded
				      ? header->events_discarded - reader->discarded
				      : 0;
	reader->discarded = header->events_discarded;
	reader->lost_packets = past->packets > 0 ? header->packet_seq_num - past->sequence - 1 : 0;
	reader->has_losses = reader->lost_events || reader->lost_packets;
}

/* A packet that nobody wants: what it counts is no loss of a later one. */
static void pass(struct query_reader *reader, const struct ctf_packet_header *header)
{
	reader->discarded = header->events_discarded;
	packet_past_add(&reader->past, header);
}

/* The records of a sound packet. 1; 0: the packet is wrong; -errno. */
static int read_records(struct query_reader *reader, int fd, const struct ctf_packet_header *header)
{
	char text[RECORD_FAULT_TEXT_SIZE];
	const char *what;
	int error = packet_check_records(&reader->body, fd, reader->next, header,
					 reader->trace->format.layout, text, &what);

	if (error == -ENOMEM)
		return error;
	if (error || what) {
		tell(reader, what ? what : "it cannot be read");
		return 0;
	}
	return 1;
}

/* Takes the packet at `next`. 1: it is the current one; 0: it is passed; -errno; -ENODATA: none. */
static int take_packet(struct query_reader *reader, int fd)
{
	struct ctf_packet_header header;
	uint64_t left = reader->file_size - reader->next;
	const char *what = "torn packet header";
	int got = 0;

	if (left >= sizeof(header)) {
		if (packet_read(fd, &header, sizeof(header), reader->next) != 0)
			return -ENODATA;
		what = packet_check_extent(&header, reader->trace->format.trace.uuid, left);
	}
	if (what) {
		tell(reader, what);
		return find_next(reader, fd) ? 0 : -ENODATA;
	}
	what = packet_check_order(&reader->past, &header, &reader->trace->format.trace);
	if (what)
		tell(reader, what);
	else if (header.stream_id >= LTTNGMAP_CHANNELS || !reader->trace->formats[header.stream_id])
		tell(reader, "unknown stream");
	else if (!reader->wanted->packets && header.timestamp_begin > reader->cycles_to)
		return -ENODATA;
	else if (!is_wanted(reader, &header))
		pass(reader, &header);
	else
		got = reader->wanted->packets ? 1 : read_records(reader, fd, &header);
	if (got > 0) {
		note_losses(reader, &header);
		packet_past_add(&reader->past, &header);
		reader->header = header;
		reader->offset = reader->next;
		reader->at = reader->end = reader->body.bytes;
		if (reader->at)
			reader->end += header.content_size / 8 - sizeof(header);
	}
	reader->next += header.packet_size / 8;
	reader->number++;
	return got;
}

/* 1: there is a packet with events that may be wanted; 0: no more; -EINTR, -ENOMEM. */
static int next_packet(struct query_reader *reader)
{
	int fd, got = 0;

	if (reader->is_ended)
		return 0;
	fd = open_file(reader, false, &reader->file_size);
	if (fd < 0) {
		/* babeltrace2 passes folders and the like, too. */
		reader->is_ended = true;
		return 0;
	}
	if (!reader->is_begun && reader->cycles_from > 0)
		seek(reader, fd);
	reader->is_begun = true;
	while (got == 0 && reader->next < reader->file_size && !query_interrupted)
		got = take_packet(reader, fd);
	close(fd);
	if (query_interrupted)
		return -EINTR;
	reader->is_ended = got <= 0;
	return got == -ENODATA ? 0 : got;
}

/* ---- events ------------------------------------------------------------------------- */

uint64_t query_member_size(const struct record_member *member, const char *at, uint64_t left)
{
	uint64_t size = member->part.size;
	const char *end;
	uint32_t count;

	switch (member->part.kind) {
	case RECORD_PART_STRING:
		end = memchr(at, '\0', left);
		return end ? (uint64_t)(end - at) + 1 : UINT64_MAX;
	case RECORD_PART_SEQUENCE:
		if (left < sizeof(count))
			return UINT64_MAX;
		memcpy(&count, at, sizeof(count));
		size = sizeof(count) + size * count;
		break;
	default:
		break;
	}
	return size <= left ? size : UINT64_MAX;
}

static uint64_t fields_size(const struct query_fields *fields, const char *at, uint64_t left)
{
	uint64_t size = 0;

	if (fields->size != UINT64_MAX)
		return fields->size <= left ? fields->size : UINT64_MAX;
	for (uint32_t i = 0; i < fields->count; i++) {
		uint64_t more = query_member_size(&fields->all[i].member, at + size, left - size);

		if (more == UINT64_MAX)
			return more;
		size += more;
	}
	return size;
}

/* The next record of the packet. False: it has no more. */
static inline bool next_record(struct query_reader *reader, const struct query_format *format,
			       uint64_t *time)
{
	uint64_t left = (uint64_t)(reader->end - reader->at), head, size, word;
	const struct query_class *class;
	uint32_t id;

	if (left < sizeof(word))
		return false;
	head = fields_size(&format->contexts, reader->at + sizeof(word), left - sizeof(word));
	if (head == UINT64_MAX)
		return false;
	head += sizeof(word);
	memcpy(&word, reader->at, sizeof(word));
	id = (uint16_t)word;
	class = id < format->nr_classes ? format->classes[id] : NULL;
	if (!class)
		return false;
	size = fields_size(&class->fields, reader->at + head, left - head);
	if (size == UINT64_MAX)
		return false;
	*time = reader->header.timestamp_begin +
		(((word >> ID_BITS) - reader->header.timestamp_begin) & LTTNGMAP_TIMESTAMP_MASK);
	reader->class = class;
	reader->record = reader->at;
	reader->fields = reader->at + head;
	reader->fields_end = reader->at = reader->fields + size;
	return true;
}

/* The next wanted event of the packet. False: it has no more. */
static bool next_event(struct query_reader *reader)
{
	const struct query_format *format = reader->trace->formats[reader->header.stream_id];
	const uint8_t *classes = reader->wanted->classes;
	uint64_t time;

	while (next_record(reader, format, &time)) {
		if (classes && !classes[reader->class->number])
			continue;
		if (time < reader->cycles_from)
			continue;
		if (time > reader->cycles_to) {
			reader->is_ended = true;
			return false;
		}
		reader->ns = query_time(reader->trace, time);
		return true;
	}
	return false;
}

bool query_reader_peek(const struct query_reader *reader, int64_t *ns)
{
	const struct ctf_packet_header *header = &reader->header;
	uint64_t size, word, since;
	int fd = open_file(reader, false, &size);
	bool can = fd >= 0 && header->content_size / 8 >= sizeof(*header) + sizeof(word) &&
		   packet_read(fd, &word, sizeof(word), reader->offset + sizeof(*header)) == 0;

	if (fd >= 0)
		close(fd);
	if (!can)
		return false;
	since = ((word >> ID_BITS) - header->timestamp_begin) & LTTNGMAP_TIMESTAMP_MASK;
	*ns = query_time(reader->trace, header->timestamp_begin + since);
	return true;
}

int query_reader_next(struct query_reader *reader)
{
	int got = 1;

	if (reader->wanted->packets) {
		got = next_packet(reader);
		reader->ns = query_time(reader->trace, reader->header.timestamp_begin);
		return got;
	}
	while (got > 0 && !next_event(reader)) {
		reader->at = reader->end;
		got = next_packet(reader);
	}
	return got;
}

void query_reader_begin(struct query_reader *reader, struct query *query,
			struct query_stream *stream, const struct query_wanted *wanted)
{
	*reader = (struct query_reader){
		.query = query, .trace = stream->trace, .stream = stream, .wanted = wanted
	};
	reader->cycles_from = query_cycles_before(stream->trace, wanted->from);
	reader->cycles_to = query_cycles_behind(stream->trace, wanted->to);
}

void query_reader_end(struct query_reader *reader)
{
	free(reader->body.bytes);
	reader->body = (struct packet_body){ .bytes = NULL };
}
