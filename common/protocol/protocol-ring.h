/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * protocol-ring.h - the ring file interface as messages: ring-socket.
 *
 * Where no FUSE file system can be mounted, a ring is announced by a plain
 * file of two lines
 *
 *   lttngmap-ring 1 ID
 *   /absolute/path/of/ring.sock
 *
 * and a reader connects to that SOCK_SEQPACKET socket, one connection a ring,
 * and attaches. From then on the same requests as the ioctls travel as
 * messages: one request at a time, each answered by one message with the same
 * type. The answer to GET_PACKETS has all packets but the first behind it.
 *
 * The daemon sends READY unasked, once, when a packet has become available after it answered a
 * request EAGAIN or after the ring was attached. It also sends READY when the process is gone, and
 * again behind CHECK_PACKET's answer while the reader has not asked since. So a reader may skip
 * each READY that it finds before an answer, and poll still tells.
 *
 * The daemon closes the connection of a reader that does not attach within 4 s, or does not read
 * its answers. Closing the connection releases the ring. Only the daemon's own user and root are
 * served (SO_PEERCRED).
 */
#ifndef COMMON_PROTOCOL_PROTOCOL_RING_H
#define COMMON_PROTOCOL_PROTOCOL_RING_H

#include <stdint.h>

#include <lttngmap/ring-file.h>

#define PROTOCOL_RING_SOCKET "ring.sock"
#define PROTOCOL_RING_ANNOUNCEMENT "lttngmap-ring 1 "
#define PROTOCOL_RING_MAGIC 0x4c544d52u
#define PROTOCOL_RING_VERSION 1

enum protocol_ring_type {
	PROTOCOL_RING_ATTACH = 1,     /* in: ring; out: size, a read-only descriptor */
	PROTOCOL_RING_GET_PACKET = 2, /* in, out: packet */
	PROTOCOL_RING_CHECK_PACKET = 3,
	PROTOCOL_RING_GET_READER = 4,
	PROTOCOL_RING_READY = 5,       /* daemon to reader, unasked */
	PROTOCOL_RING_GET_PACKETS = 6, /* in: how many at most; out: how many; packets */
};

struct protocol_ring_message {
	uint32_t magic;
	uint32_t version;
	uint32_t type; /* enum protocol_ring_type */
	int32_t error; /* out: 0 or -errno */
	uint64_t ring; /* ATTACH: the announced id */
	/* ATTACH, out: bytes of the ring data memory to map; GET_PACKETS: how many packets */
	uint64_t size;
	struct lttngmap_packet packet;
};

/* An answer to GET_PACKETS, of which as many packets are sent as there are. */
struct protocol_ring_packets {
	struct protocol_ring_message message;
	struct lttngmap_packet more[LTTNGMAP_PACKETS_MAX - 1];
};
_Static_assert(sizeof(struct protocol_ring_packets) ==
		       sizeof(struct protocol_ring_message) +
			       (LTTNGMAP_PACKETS_MAX - 1) * sizeof(struct lttngmap_packet),
	       "the packets follow each other");

#endif /* COMMON_PROTOCOL_PROTOCOL_RING_H */
