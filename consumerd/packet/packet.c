/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/packet/packet.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

uint64_t packet_make_header(const struct packet_stream *stream,
			    const struct lttngmap_packet *packet, struct ctf_packet_header *header)
{
	uint64_t size = sizeof(*header) + packet->length;

	*header = (struct ctf_packet_header){
		.magic = CTF_PACKET_MAGIC,
		.stream_id = stream->stream_id,
		.stream_instance_id = stream->instance,
		.timestamp_begin = packet->timestamp_begin,
		.timestamp_end = packet->timestamp_end,
		.content_size = size * 8,
		.packet_size = size * 8,
		.packet_seq_num = packet->sequence,
		.events_discarded = packet->discarded,
		.cpu_id = packet->flags & LTTNGMAP_PACKET_ANY_CPU ? CTF_CPU_UNKNOWN : packet->cpu,
		.pid = packet->pid,
		.uid = packet->uid,
	};
	memcpy(header->uuid, stream->uuid, sizeof(header->uuid));
	memcpy(header->procname, stream->procname, sizeof(header->procname) - 1);
	return size;
}

void packet_pad(struct ctf_packet_header *header, uint64_t size)
{
	header->packet_size = size * 8;
}

int packet_check_header(const struct ctf_packet_header *header, const uint8_t uuid[CTF_UUID_SIZE],
			uint64_t room, uint64_t *size)
{
	if (header->magic != CTF_PACKET_MAGIC ||
	    memcmp(header->uuid, uuid, sizeof(header->uuid)) != 0)
		return -EBADMSG;
	if (header->packet_size % 8 != 0 || header->content_size % 8 != 0 ||
	    header->content_size > header->packet_size ||
	    header->content_size < sizeof(*header) * 8)
		return -EBADMSG;
	*size = header->packet_size / 8;
	return *size <= room ? 0 : -ENODATA;
}

void packet_make_index_header(struct ctf_index_header *header)
{
	*header = (struct ctf_index_header){
		.magic = htobe32(CTF_INDEX_MAGIC),
		.major = htobe32(CTF_INDEX_MAJOR),
		.minor = htobe32(CTF_INDEX_MINOR),
		.entry_length = htobe32(sizeof(struct ctf_index_entry)),
	};
}

void packet_make_index_entry(const struct ctf_packet_header *header, uint64_t offset,
			     struct ctf_index_entry *entry)
{
	*entry = (struct ctf_index_entry){
		.offset = htobe64(offset),
		.packet_size = htobe64(header->packet_size),
		.content_size = htobe64(header->content_size),
		.timestamp_begin = htobe64(header->timestamp_begin),
		.timestamp_end = htobe64(header->timestamp_end),
		.events_discarded = htobe64(header->events_discarded),
		.stream_id = htobe64(header->stream_id),
		.stream_instance_id = htobe64(header->stream_instance_id),
		.packet_seq_num = htobe64(header->packet_seq_num),
	};
}

struct packet_extent packet_index_extent(const struct ctf_index_entry *entry)
{
	return (struct packet_extent){
		.offset = be64toh(entry->offset),
		.size = be64toh(entry->packet_size) / 8,
	};
}
