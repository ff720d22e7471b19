/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * packet.h - the bytes of a packet's header and of its index entry, made from
 * the daemon's checked descriptor. Pure functions: no file, no state.
 */
#ifndef CONSUMERD_PACKET_PACKET_H
#define CONSUMERD_PACKET_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include <lttngmap/ring-file.h>

#include "common/protocol/ctf.h"

/* Values that all packets of one stream file share. */
struct packet_stream {
	uint8_t uuid[CTF_UUID_SIZE];
	uint32_t stream_id;
	uint64_t instance;
	char procname[CTF_PROCNAME_SIZE]; /* padded with NULs, at least one */
};

/* Where a packet lies on disk; sizes and offset in bytes. */
struct packet_extent {
	uint64_t offset;
	uint64_t size; /* the header included */
};

/* Fills `header`; returns the packet's bytes, all of them content. */
uint64_t packet_make_header(const struct packet_stream *stream,
			    const struct lttngmap_packet *packet, struct ctf_packet_header *header);
/* The packet takes `size` bytes on disk: what is beyond its content means nothing. */
void packet_pad(struct ctf_packet_header *header, uint64_t size);

/*
 * Is that the header of a whole packet of this trace, with at most `room`
 * bytes from its start to the end of the file?
 * 0; -EBADMSG: not a header of this trace; -ENODATA: the packet is cut off.
 */
int packet_check_header(const struct ctf_packet_header *header, const uint8_t uuid[CTF_UUID_SIZE],
			uint64_t room, uint64_t *size);

void packet_make_index_header(struct ctf_index_header *header);
/* The index says of a packet nothing that its header does not. */
void packet_make_index_entry(const struct ctf_packet_header *header, uint64_t offset,
			     struct ctf_index_entry *entry);
/* Where the entry says that its packet lies. */
struct packet_extent packet_index_extent(const struct ctf_index_entry *entry);

#endif /* CONSUMERD_PACKET_PACKET_H */
