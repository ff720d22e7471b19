/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * metadata.h - a trace's metadata, which grows while it is recorded, as a collector
 * takes it: what is sent is only ever added to.
 *
 * Ours is a text that grows or is replaced whole. Where the new one begins with all of the
 * old, the rest is sent. Else it has new blocks in between ("event {...};"), which can
 * as well stand at the end; or a block is another one now, and it begins anew.
 *
 * Goes in packets, as live viewers want it.
 */
#ifndef RELAY_METADATA_H
#define RELAY_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/ctf.h"

#define RELAY_METADATA_HEADER_SIZE 37
/* Maximum bytes of text in a packet. */
#define RELAY_METADATA_PACKET_MAX (32u << 10)

/* All zeros: nothing was sent yet. */
struct relay_metadata {
	char *text; /* that was sent, as it stood in the file; NULL */
	size_t size;
};

/*
 * Compares `text` with the text already sent: *more, *more_size are the bytes to send, which the
 * caller frees, NULL if none. 0; -ESTALE: a sent block is not in it any more; -ENOMEM.
 */
int relay_metadata_compare(const struct relay_metadata *sent, const char *text, size_t size,
			   char **more, size_t *more_size);
/*
 * The number of bytes of `text` for the next packet: whole blocks if they fit, for a viewer may
 * read between one packet and the next.
 */
size_t relay_metadata_part(const char *text, size_t size);
/* It was sent; takes `text`. NULL: forget all. */
void relay_metadata_sent(struct relay_metadata *sent, char *text, size_t size);

/* Before `size` bytes of text. */
void relay_metadata_header(unsigned char bytes[RELAY_METADATA_HEADER_SIZE],
			   const uint8_t uuid[CTF_UUID_SIZE], size_t size);
/* The trace's id, from the text of its metadata. 0 or -EBADMSG. */
int relay_metadata_uuid(const char *text, size_t size, uint8_t uuid[CTF_UUID_SIZE]);

#endif /* RELAY_METADATA_H */
