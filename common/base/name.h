/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * name.h - which names are allowed where, and making others harmless.
 *
 * Pure functions over bytes that need not end in a NUL.
 */
#ifndef COMMON_BASE_NAME_H
#define COMMON_BASE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A cleaned program name with its NUL. */
#define NAME_PROGRAM_SIZE 16
/* Maximum bytes of a session's or channel's name. */
#define NAME_SESSION_MAX 64

/*
 * A program's name (up to the first NUL, or `size` bytes) as part of a file
 * name: [A-Za-z0-9._+-], anything else becomes '_', so does a dot or a
 * '-' at the start; 15 bytes at most; "_" where there is nothing.
 */
void name_clean_program(const char *bytes, size_t size, char clean[NAME_PROGRAM_SIZE]);

/*
 * A session's or channel's name, which is also a folder's: 1 to
 * NAME_SESSION_MAX of [A-Za-z0-9._+-], the first not a dot and not a '-'.
 */
bool name_is_session(const char *name);

/* A C identifier: fields, enumerations. */
bool name_is_identifier(const char *bytes, size_t length);

/*
 * An event's provider: [A-Za-z_][A-Za-z0-9_.-]*. No colon, so that the first
 * colon of PROVIDER:NAME ends the provider, whatever the name.
 */
bool name_is_provider(const char *bytes, size_t length);
/* An event's name within its provider: as a provider's, and colons. */
bool name_is_event(const char *bytes, size_t length);

/*
 * Bytes of the letter at `text` that changes the order of letters, ends the line, or cannot be
 * seen, where Unicode is known: U+061C, U+180E, U+200B to U+200F, U+2028 to U+202E, U+2060 to
 * U+206F, U+FEFF, U+FFF9 to U+FFFB, U+E0000 to U+E0FFF. 0: it is none.
 */
size_t name_directs(const char *text);
/* Bytes of the UTF-8 letter at `text`, of which `left` are there; 0: it is none. */
size_t name_letter_length(const char *text, size_t left);
/* The number of the UTF-8 letter of `length` bytes, 1 to 4. */
uint32_t name_letter(const char *text, size_t length);
/*
 * A line for a terminal: each byte of a control character (C0, DEL, and C1, which UTF-8 writes as
 * two bytes), or of what name_directs(), becomes '?'.
 */
void name_clean_line(char *line);

/* Text for people: valid UTF-8 without control characters. */
bool name_is_text(const char *bytes, size_t length);

#endif /* COMMON_BASE_NAME_H */
