/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * metadata-room.h - a metadata file that grows in place, and is valid at any
 * instant:
 *
 *   text
 *   / * * /      a closed comment separates two segments
 *   text
 *   / *   /      an open comment begins the room for the next segment
 *   (blanks)
 *   * /          the end of the room
 *
 * In the file there are no blanks within these marks.
 *
 * The writer puts a segment and a new open comment into the room, and then makes
 * the comment before the segment a closed one, by one byte. No text has a line
 * that is one of these: in a string, a line's end is written as \012, and what
 * would end a comment as *\057 (sessiond/class/tsdl.c).
 *
 * Readers of CTF need to know nothing of it. Call metadata_room_remove() before
 * the text is compared or copied.
 */
#ifndef COMMON_PROTOCOL_METADATA_ROOM_H
#define COMMON_PROTOCOL_METADATA_ROOM_H

#include <stddef.h>
#include <string.h>

#define METADATA_ROOM_OPEN "/* /\n"
#define METADATA_ROOM_CLOSED "/**/\n"
#define METADATA_ROOM_END "*/\n"
/* The byte that makes the first of these the second. */
#define METADATA_ROOM_CLOSE "*"
#define METADATA_ROOM_CLOSE_AT 2u

/* Takes that out of a text; returns its size then. */
static inline size_t metadata_room_remove(char *text, size_t size)
{
	const size_t marker = sizeof(METADATA_ROOM_OPEN) - 1;
	size_t from = 0, to = 0;

	while (from < size) {
		const char *end = memchr(text + from, '\n', size - from);
		size_t line = end ? (size_t)(end - (text + from)) + 1 : size - from;

		if (line == marker && memcmp(text + from, METADATA_ROOM_OPEN, marker) == 0)
			return to;
		if (line != marker || memcmp(text + from, METADATA_ROOM_CLOSED, marker) != 0) {
			memmove(text + to, text + from, line);
			to += line;
		}
		from += line;
	}
	return to;
}

#endif /* COMMON_PROTOCOL_METADATA_ROOM_H */
