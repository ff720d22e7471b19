/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ctf.h - what stands on disk, byte by byte: the start of a CTF packet and
 * the index file beside a stream.
 *
 * A stream file is packets back to back. A packet is a struct
 * ctf_packet_header, then records as in lttngmap/abi.h, packed:
 *
 *   +--------------------------------+---------------------------------+
 *   | packet header, packet context  | record | record | ...           |
 *   | sizeof(struct ctf_packet_head.)| bytes of struct lttngmap_packet |
 *   +--------------------------------+---------------------------------+
 *
 * sessiond/class/metadata.c describes the same layout in TSDL; a field changed here
 * is changed there too.
 *
 * Next to the stream file DIR/NAME stands DIR/index/NAME.idx: one struct
 * ctf_index_header, then one struct ctf_index_entry a packet, big-endian, as
 * LTTng 2 writes them.
 */
#ifndef COMMON_PROTOCOL_CTF_H
#define COMMON_PROTOCOL_CTF_H

#include <stddef.h>
#include <stdint.h>

#define CTF_PACKET_MAGIC 0xc1fc1fc1u
#define CTF_UUID_SIZE 16
/* A program's name; with room, for which the header has 128 bytes. */
#define CTF_PROCNAME_SIZE 36
/* The packet's events may be of any CPU (LTTNGMAP_PACKET_ANY_CPU). */
#define CTF_CPU_UNKNOWN UINT32_MAX

/* Machine byte order, which the metadata states. */
struct ctf_packet_header {
	/* TSDL: trace.packet.header */
	uint32_t magic;              /* CTF_PACKET_MAGIC */
	uint8_t uuid[CTF_UUID_SIZE]; /* the session's */
	uint32_t stream_id;          /* the channel's: its place in the session */
	uint64_t stream_instance_id; /* one per stream file */
	/* TSDL: stream.packet.context */
	uint64_t timestamp_begin;  /* clock, 64 bits */
	uint64_t timestamp_end;    /* never 0: readers would see a crashed tracer */
	uint64_t content_size;     /* bits, this header included */
	uint64_t packet_size;      /* bits, this header included */
	uint64_t packet_seq_num;   /* counts the stream's packets, from 0 */
	uint64_t events_discarded; /* of the stream, cumulative */
	uint32_t cpu_id;           /* or CTF_CPU_UNKNOWN */
	uint32_t pid;              /* as the session daemon sees it */
	uint32_t uid;
	char procname[CTF_PROCNAME_SIZE]; /* padded with NULs, at least one */
} __attribute__((packed));

_Static_assert(offsetof(struct ctf_packet_header, uuid) == 4, "CTF packet header");
_Static_assert(offsetof(struct ctf_packet_header, stream_id) == 20, "CTF packet header");
_Static_assert(offsetof(struct ctf_packet_header, stream_instance_id) == 24, "CTF packet header");
_Static_assert(offsetof(struct ctf_packet_header, timestamp_begin) == 32, "CTF packet context");
_Static_assert(offsetof(struct ctf_packet_header, timestamp_end) == 40, "CTF packet context");
_Static_assert(offsetof(struct ctf_packet_header, content_size) == 48, "CTF packet context");
_Static_assert(offsetof(struct ctf_packet_header, packet_size) == 56, "CTF packet context");
_Static_assert(offsetof(struct ctf_packet_header, packet_seq_num) == 64, "CTF packet context");
_Static_assert(offsetof(struct ctf_packet_header, events_discarded) == 72, "CTF packet context");
_Static_assert(offsetof(struct ctf_packet_header, cpu_id) == 80, "CTF packet context");
_Static_assert(offsetof(struct ctf_packet_header, pid) == 84, "CTF packet context");
_Static_assert(offsetof(struct ctf_packet_header, uid) == 88, "CTF packet context");
_Static_assert(offsetof(struct ctf_packet_header, procname) == 92, "CTF packet context");
_Static_assert(sizeof(struct ctf_packet_header) == 128, "CTF packet header");

/*
 * Marks a live session's stream of empty packets at a collector, by which viewers learn of other
 * streams: it counts from 0 in each connection.
 */
#define CTF_INSTANCE_ANCHOR UINT64_C(0x6c6d2d616e63686f)

#define CTF_INDEX_MAGIC 0xc1f1dcc1u
#define CTF_INDEX_MAJOR 1u
#define CTF_INDEX_MINOR 1u
#define CTF_INDEX_DIRECTORY "index"
#define CTF_INDEX_SUFFIX ".idx"

/* All of both structs is big-endian: htobe32(), htobe64(). */
struct ctf_index_header {
	uint32_t magic;        /* CTF_INDEX_MAGIC */
	uint32_t major;        /* CTF_INDEX_MAJOR */
	uint32_t minor;        /* CTF_INDEX_MINOR */
	uint32_t entry_length; /* sizeof(struct ctf_index_entry) */
} __attribute__((packed));

_Static_assert(sizeof(struct ctf_index_header) == 16, "CTF index header");

struct ctf_index_entry {
	uint64_t offset;       /* of the packet in the stream file, bytes */
	uint64_t packet_size;  /* bits */
	uint64_t content_size; /* bits */
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t events_discarded;
	uint64_t stream_id;
	uint64_t stream_instance_id;
	uint64_t packet_seq_num;
} __attribute__((packed));

_Static_assert(offsetof(struct ctf_index_entry, timestamp_begin) == 24, "CTF index entry");
_Static_assert(offsetof(struct ctf_index_entry, stream_id) == 48, "CTF index entry");
_Static_assert(offsetof(struct ctf_index_entry, packet_seq_num) == 64, "CTF index entry");
_Static_assert(sizeof(struct ctf_index_entry) == 72, "CTF index entry");

#endif /* COMMON_PROTOCOL_CTF_H */
