/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/base/name.h"

#include <stdint.h>
#include <string.h>

/* Not ctype.h's: a locale must not change what a name is. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_file_name(char c)
{
	return is_letter(c) || is_digit(c) || c == '.' || c == '+' || c == '-';
}

void name_clean_program(const char *bytes, size_t size, char clean[NAME_PROGRAM_SIZE])
{
	size_t length = 0;

	for (; length < size && length < NAME_PROGRAM_SIZE - 1 && bytes[length]; length++)
		clean[length] = is_file_name(bytes[length]) ? bytes[length] : '_';
	if (length == 0)
		clean[length++] = '_';
	/* Neither hidden, nor an option to who says `rm *`. */
	if (clean[0] == '.' || clean[0] == '-')
		clean[0] = '_';
	memset(clean + length, 0, NAME_PROGRAM_SIZE - length);
}

bool name_is_session(const char *name)
{
	size_t length = strnlen(name, NAME_SESSION_MAX + 1);

	if (length == 0 || length > NAME_SESSION_MAX || name[0] == '.' || name[0] == '-')
		return false;
	for (size_t i = 0; i < length; i++) {
		if (!is_file_name(name[i]))
			return false;
	}
	return true;
}

static bool is_name_with(const char *bytes, size_t length, const char *extra)
{
	if (length == 0 || !is_letter(bytes[0]))
		return false;
	for (size_t i = 1; i < length; i++) {
		char c = bytes[i];

		if (!is_letter(c) && !is_digit(c) && (c == '\0' || !strchr(extra, c)))
			return false;
	}
	return true;
}

bool name_is_identifier(const char *bytes, size_t length)
{
	return is_name_with(bytes, length, "");
}

bool name_is_provider(const char *bytes, size_t length)
{
	return is_name_with(bytes, length, ".-");
}

bool name_is_event(const char *bytes, size_t length)
{
	return is_name_with(bytes, length, ".-:");
}

/* Bytes of the character that begins here, 0 if there is no valid one. */
size_t name_letter_length(const char *text, size_t left)
{
	const unsigned char *bytes = (const unsigned char *)text;
	/* Bounds of the second byte leave out overlong forms, surrogates and > U+10FFFF. */
	unsigned char first = bytes[0], low = 0x80, high = 0xbf;
	size_t length;

	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		length = 2;
	else if (first >= 0xe0 && first <= 0xef)
		length = 3;
	else if (first >= 0xf0 && first <= 0xf4)
		length = 4;
	else
		return 0;
	if (first == 0xe0)
		low = 0xa0;
	else if (first == 0xed)
		high = 0x9f;
	else if (first == 0xf0)
		low = 0x90;
	else if (first == 0xf4)
		high = 0x8f;
	if (length > left || bytes[1] < low || bytes[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	}
	return length;
}

uint32_t name_letter(const char *text, size_t length)
{
	uint32_t letter = length == 1 ? (unsigned char)text[0]
				      : (unsigned char)text[0] & (0x7fu >> length);

	for (size_t i = 1; i < length; i++)
		letter = letter << 6 | ((unsigned char)text[i] & 0x3f);
	return letter;
}

size_t name_directs(const char *text)
{
	static const struct range {
		uint32_t first, last;
	} hidden[] = {
		{ 0x61c, 0x61c },   { 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
		{ 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
	};
	const unsigned char first = (unsigned char)*text;
	size_t length;
	uint32_t letter;

	/* The first bytes of those above. */
	if (first != 0xd8 && first != 0xe1 && first != 0xe2 && first != 0xef && first != 0xf3)
		return 0;
	length = name_letter_length(text, strnlen(text, 4));
	letter = name_letter(text, length);
	for (size_t i = 0; length && i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		if (letter >= hidden[i].first && letter <= hidden[i].last)
			return length;
	}
	return 0;
}

void name_clean_line(char *line)
{
	for (unsigned char *c = (unsigned char *)line; *c; c++) {
		size_t length = name_directs((const char *)c);

		if (length)
			memset(c, '?', length);
		else if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
			*c = c[1] = '?';
		else if (*c < 0x20 || *c == 0x7f)
			*c = '?';
	}
}

bool name_is_text(const char *bytes, size_t length)
{
	const unsigned char *at = (const unsigned char *)bytes;
	size_t step;

	for (size_t i = 0; i < length; i += step) {
		step = name_letter_length(bytes + i, length - i);
		/* C0 and DEL, and C1, which is U+0080 to U+009F. */
		if (step == 0 || at[i] < 0x20 || at[i] == 0x7f ||
		    (at[i] == 0xc2 && at[i + 1] < 0xa0))
			return false;
	}
	return true;
}
