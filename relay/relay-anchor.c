/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-anchor.c - a stream that viewers always hear of.
 *
 * lttng-relayd tells a viewer that there are new streams when it gives it a packet, and not
 * when it says that nothing came: where all streams that it knows rest, it would never
 * know. So there is one of our own beside them, "live", which has an empty packet for each time
 * when streams are introduced. Until it has that, no viewer goes on, and with it comes the news.
 */
#include "relay/relay-parts.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

/* No stream of a ring is called so: they have the channel's name and '_' in theirs. */
#define NAME "live"

int relay_anchor_add(struct relay *relay, struct follow *follow, uint64_t class_id)
{
	struct follow_anchor *anchor = &follow->anchor;
	int error;

	if (anchor->is_added)
		return 0;
	*anchor = (struct follow_anchor){ .class_id = class_id };
	error = relay_add_named_stream(relay, follow, NAME, &anchor->handle);
	anchor->is_added = !error;
	return error;
}

static void describe(const struct follow_anchor *anchor, struct ctf_packet_header *header,
		     struct ctf_index_entry *entry)
{
	*header = (struct ctf_packet_header){
		.magic = CTF_PACKET_MAGIC,
		.stream_id = (uint32_t)anchor->class_id,
		.stream_instance_id = CTF_INSTANCE_ANCHOR,
		.timestamp_begin = anchor->time,
		.timestamp_end = anchor->time,
		.content_size = sizeof(*header) * 8,
		.packet_size = sizeof(*header) * 8,
		.packet_seq_num = anchor->packets,
		.procname = NAME,
	};
	*entry = (struct ctf_index_entry){
		.packet_size = htobe64(header->packet_size),
		.content_size = htobe64(header->content_size),
		.timestamp_begin = htobe64(anchor->time),
		.timestamp_end = htobe64(anchor->time),
		.stream_id = htobe64(anchor->class_id),
		.stream_instance_id = htobe64(CTF_INSTANCE_ANCHOR),
		.packet_seq_num = htobe64(anchor->packets),
	};
}

int relay_anchor_send(struct relay *relay, struct follow *follow, uint64_t time)
{
	struct follow_anchor *anchor = &follow->anchor;
	struct ctf_packet_header header;
	struct ctf_index_entry entry;
	struct relay_request request;
	int error;

	anchor->time = time > anchor->time ? time : anchor->time + 1;
	describe(anchor, &header, &entry);
	error = relay_metadata_uuid(follow->sent.text, follow->sent.size, header.uuid);
	if (!error)
		error = relay_connection_send_bytes(relay->connection, anchor->handle,
						    anchor->packets, &header, sizeof(header));
	if (error)
		return error;
	relay_request_index(&request, anchor->handle, anchor->packets++, &entry);
	return relay_connection_post(relay->connection, &request);
}

int relay_anchor_beacon(struct relay *relay, struct follow *follow, uint64_t time)
{
	struct follow_anchor *anchor = &follow->anchor;
	struct relay_request request;

	if (!anchor->is_added || anchor->time >= time)
		return 0;
	anchor->time = time;
	relay_request_beacon(&request, anchor->handle, anchor->packets, time, anchor->class_id);
	return relay_connection_post(relay->connection, &request);
}

int relay_anchor_leave(struct relay *relay, struct follow *follow)
{
	struct follow_anchor *anchor = &follow->anchor;
	struct relay_request request;
	int error;

	if (!anchor->is_added)
		return 0;
	anchor->is_added = false;
	relay_request_leave_chunk(&request, anchor->handle, anchor->packets);
	error = relay_connection_post(relay->connection, &request);
	relay_request_close_stream(&request, anchor->handle, anchor->packets - 1);
	return error ? error : relay_connection_post(relay->connection, &request);
}
