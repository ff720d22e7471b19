/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * export-protobuf.h - protocol buffers on the wire, written forwards.
 *
 * A message's length is known only at its end: room for it is left, four bytes,
 * or one where the message is known to be short, as any decoder takes them.
 * Written by hand, for a million messages a second.
 */
#ifndef CLI_EXPORT_EXPORT_PROTOBUF_H
#define CLI_EXPORT_EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct protobuf {
	unsigned char *bytes;
	size_t used, room;
	bool failed; /* without memory: the rest is left out */
};

#define PROTOBUF_SCALAR_MOST 20 /* a field's number and a number */

static inline bool protobuf_has_room(struct protobuf *out, size_t size)
{
	size_t room = out->room ? out->room : 4096;
	unsigned char *bytes;

	if (__builtin_expect(out->room - out->used >= size, 1))
		return true;
	while (room - out->used < size)
		room *= 2;
	bytes = out->failed ? NULL : realloc(out->bytes, room);
	if (!bytes) {
		out->failed = true;
		return false;
	}
	out->bytes = bytes;
	out->room = room;
	return true;
}

/* With room for it. */
static inline void protobuf_put_varint(struct protobuf *out, uint64_t value)
{
	while (value >= 0x80) {
		out->bytes[out->used++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	out->bytes[out->used++] = (unsigned char)value;
}

static inline void protobuf_varint(struct protobuf *out, unsigned field, uint64_t value)
{
	if (!protobuf_has_room(out, PROTOBUF_SCALAR_MOST))
		return;
	protobuf_put_varint(out, field << 3);
	protobuf_put_varint(out, value);
}

static inline void protobuf_fixed64(struct protobuf *out, unsigned field, uint64_t value)
{
	if (!protobuf_has_room(out, PROTOBUF_SCALAR_MOST))
		return;
	protobuf_put_varint(out, field << 3 | 1);
	for (unsigned i = 0; i < 8; i++)
		out->bytes[out->used++] = (unsigned char)(value >> (8 * i));
}

static inline void protobuf_double(struct protobuf *out, unsigned field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	protobuf_fixed64(out, field, bits);
}

static inline void protobuf_bytes(struct protobuf *out, unsigned field, const char *bytes,
				  size_t length)
{
	if (!protobuf_has_room(out, PROTOBUF_SCALAR_MOST + length))
		return;
	protobuf_put_varint(out, field << 3 | 2);
	protobuf_put_varint(out, length);
	memcpy(out->bytes + out->used, bytes, length);
	out->used += length;
}

/* A message within: where its length is to stand, of `width` bytes, 1 (up to 127) or 4. */
static inline size_t protobuf_begin(struct protobuf *out, unsigned field, unsigned width)
{
	size_t at;

	if (!protobuf_has_room(out, PROTOBUF_SCALAR_MOST))
		return 0;
	protobuf_put_varint(out, field << 3 | 2);
	at = out->used;
	out->used += width;
	return at;
}

static inline void protobuf_end(struct protobuf *out, size_t at, unsigned width)
{
	size_t length;

	if (out->failed)
		return;
	length = out->used - at - width;
	for (unsigned i = 0; i < width; i++, length >>= 7)
		out->bytes[at + i] = (unsigned char)((length & 0x7f) | (i + 1 < width ? 0x80 : 0));
}

#endif /* CLI_EXPORT_EXPORT_PROTOBUF_H */
