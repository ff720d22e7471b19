/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * page-bytes.c - numbers in few bytes, and how they get into a page: deflated, in base64,
 * in a script element of a type that no browser runs.
 */
#include <config.h>

#include "cli/report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/base/name.h"

#define LEVEL 4 /* of zlib: higher ones cost more than they save */
#define VARINT_MOST 10
#define CHUNK 49152 /* a multiple of 3: no padding within */

void page_bytes_free(struct page_bytes *bytes)
{
	free(bytes->bytes);
	*bytes = (struct page_bytes){ 0 };
}

static bool has_room(struct page_bytes *bytes, size_t size)
{
	size_t room = bytes->room ? bytes->room : 1024;
	unsigned char *larger;

	if (__builtin_expect(bytes->room - bytes->used >= size, 1))
		return true;
	while (room - bytes->used < size)
		room *= 2;
	larger = bytes->failed ? NULL : realloc(bytes->bytes, room);
	if (!larger) {
		bytes->failed = true;
		return false;
	}
	bytes->bytes = larger;
	bytes->room = room;
	return true;
}

void page_put(struct page_bytes *bytes, uint64_t value)
{
	if (!has_room(bytes, VARINT_MOST))
		return;
	while (value >= 0x80) {
		bytes->bytes[bytes->used++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	bytes->bytes[bytes->used++] = (unsigned char)value;
}

void page_put_signed(struct page_bytes *bytes, int64_t value)
{
	page_put(bytes, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

void page_put_raw(struct page_bytes *bytes, const void *data, size_t size)
{
	if (size == 0 || !has_room(bytes, size))
		return;
	memcpy(bytes->bytes + bytes->used, data, size);
	bytes->used += size;
}

void page_put_text(struct page_bytes *bytes, const char *text, size_t length)
{
	page_put(bytes, length);
	page_put_raw(bytes, text, length);
}

void page_put_section(struct page_bytes *bytes, struct page_bytes *section)
{
	page_put(bytes, section->used);
	page_put_raw(bytes, section->bytes, section->used);
	bytes->failed |= section->failed;
	section->used = 0;
}

/* ---- into the page ---------------------------------------------------------------- */

static void write_base64(struct text_output *out, const unsigned char *bytes, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[4096];
	size_t used = 0;

	for (size_t i = 0; i < size; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16;

		three |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
		three |= i + 2 < size ? bytes[i + 2] : 0;
		text[used++] = digits[three >> 18];
		text[used++] = digits[three >> 12 & 63];
		text[used++] = i + 1 < size ? digits[three >> 6 & 63] : '=';
		text[used++] = i + 2 < size ? digits[three & 63] : '=';
		if (used == sizeof(text)) {
			text_output_bytes(out, text, used);
			used = 0;
		}
	}
	text_output_bytes(out, text, used);
}

static int write_deflated(struct text_output *out, struct page_bytes *bytes)
{
	static unsigned char chunk[CHUNK];
	static z_stream zlib;
	static bool is_set_up;
	int status;

	if (!is_set_up && deflateInit(&zlib, LEVEL) != Z_OK)
		return -ENOMEM;
	is_set_up = true;
	deflateReset(&zlib);
	zlib.next_in = bytes->bytes;
	zlib.avail_in = bytes->used;
	do {
		zlib.next_out = chunk;
		zlib.avail_out = sizeof(chunk);
		status = deflate(&zlib, Z_FINISH);
		write_base64(out, chunk, sizeof(chunk) - zlib.avail_out);
	} while (status == Z_OK);
	return status == Z_STREAM_END ? 0 : -EIO;
}

void page_write(struct export *export, const char *name, uint64_t number, struct page_bytes *bytes)
{
	struct text_output *out = &export->view.output;
	int error = bytes->failed || bytes->used > UINT32_MAX ? -ENOMEM : 0;

	text_output_text(out, "<script type=\"application/octet-stream\" id=\"");
	text_output_text(out, name);
	text_output_unsigned(out, number);
	text_output_text(out, "\">");
	if (!error)
		error = write_deflated(out, bytes);
	text_output_text(out, "</script>\n");
	bytes->used = 0;
	if (error)
		export_fail(export, -error);
}

/* Control characters, letters that name_directs(), and '<', which might end the script, by their
 * numbers. */
void page_write_string(struct text_output *out, const char *text)
{
	text_output_char(out, '"');
	while (*text) {
		size_t letter = text_letter_length(text);
		unsigned char c = *text;

		if (letter > 1 && name_directs(text)) {
			text_output_letter(out, name_letter(text, letter));
		} else if (letter > 1) {
			text_output_bytes(out, text, letter);
		} else if (c >= 0x80) {
			text_output_char(out, '?');
		} else if (c < 0x20 || c == 0x7f || c == '<' || c == '"' || c == '\\') {
			text_output_letter(out, c);
		} else {
			text_output_char(out, (char)c);
		}
		text += letter ? letter : 1;
	}
	text_output_char(out, '"');
}
