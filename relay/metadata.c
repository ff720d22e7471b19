/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "relay/metadata.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-id128.h>

#define PACKET_MAGIC 0x75d11d57u

/* ---- blocks ------------------------------------------------------------------------ */

struct block {
	const char *text;
	size_t size;
};

/* Behind a string or a comment that begins there; `at` where neither does. */
static const char *skip_quoted(const char *at, const char *end)
{
	const char *begin = at;

	if (*at == '"') {
		for (at++; at < end && *at != '"'; at++)
			at += *at == '\\' && at + 1 < end;
		return at < end ? at + 1 : end;
	}
	if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
		at = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
		return at ? at + 2 : end;
	}
	return begin;
}

/* The end of the block that begins there: behind its ';' and what is left of the line. */
static const char *find_block_end(const char *at, const char *end)
{
	unsigned depth = 0;

	while (at < end) {
		const char *behind = skip_quoted(at, end);

		if (behind > at) {
			at = behind;
			continue;
		}
		depth += *at == '{';
		depth -= *at == '}' && depth > 0;
		at++;
		if (at[-1] == ';' && depth == 0)
			break;
	}
	while (at < end && (*at == '\n' || *at == ' ' || *at == '\t'))
		at++;
	return at;
}

static int compare_blocks(const void *one, const void *other)
{
	const struct block *a = one, *b = other;
	size_t least = a->size < b->size ? a->size : b->size;
	int order = memcmp(a->text, b->text, least);

	return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* 0 or -ENOMEM. */
static int split(const char *text, size_t size, struct block **blocks, size_t *nr_blocks)
{
	const char *end = text + size;
	size_t room = 0;

	*blocks = NULL;
	*nr_blocks = 0;
	while (text < end) {
		const char *behind = find_block_end(text, end);

		if (*nr_blocks == room) {
			struct block *more;

			room = room ? 2 * room : 64;
			more = reallocarray(*blocks, room, sizeof(*more));
			if (!more) {
				free(*blocks);
				*blocks = NULL;
				return -ENOMEM;
			}
			*blocks = more;
		}
		(*blocks)[(*nr_blocks)++] = (struct block){ text, (size_t)(behind - text) };
		text = behind;
	}
	return 0;
}

/* Which blocks of `new` are none of the old ones? -ESTALE: an old one is not there. */
static int add_new(const struct block *new, size_t nr_new, const struct block *old, size_t nr_old,
		   char *more, size_t *more_size)
{
	size_t nr_found = 0;

	for (size_t i = 0; i < nr_new; i++) {
		if (nr_old && bsearch(&new[i], old, nr_old, sizeof(*old), compare_blocks)) {
			nr_found++;
			continue;
		}
		memcpy(more + *more_size, new[i].text, new[i].size);
		*more_size += new[i].size;
	}
	return nr_found == nr_old ? 0 : -ESTALE;
}

static int compare_by_blocks(const struct relay_metadata *sent, const char *text, size_t size,
			     char *more, size_t *more_size)
{
	struct block *old = NULL, *new = NULL;
	size_t nr_old = 0, nr_new = 0;
	int error = split(sent->text, sent->size, &old, &nr_old);

	if (!error)
		error = split(text, size, &new, &nr_new);
	if (!error) {
		qsort(old, nr_old, sizeof(*old), compare_blocks);
		error = add_new(new, nr_new, old, nr_old, more, more_size);
	}
	free(old);
	free(new);
	return error;
}

int relay_metadata_compare(const struct relay_metadata *sent, const char *text, size_t size,
			   char **more, size_t *more_size)
{
	int error = 0;

	*more_size = 0;
	*more = malloc(size + 1);
	if (!*more)
		return -ENOMEM;
	if (size >= sent->size && (!sent->size || memcmp(text, sent->text, sent->size) == 0)) {
		*more_size = size - sent->size;
		memcpy(*more, text + sent->size, *more_size);
	} else {
		error = compare_by_blocks(sent, text, size, *more, more_size);
	}
	if (error || *more_size == 0) {
		free(*more);
		*more = NULL;
	}
	return error;
}

size_t relay_metadata_part(const char *text, size_t size)
{
	static const char block_end[] = "\n};\n";
	const size_t length = sizeof(block_end) - 1;

	if (size <= RELAY_METADATA_PACKET_MAX)
		return size;
	for (size_t part = RELAY_METADATA_PACKET_MAX; part >= length; part--) {
		if (memcmp(text + part - length, block_end, length) == 0)
			return part;
	}
	return RELAY_METADATA_PACKET_MAX;
}

void relay_metadata_sent(struct relay_metadata *sent, char *text, size_t size)
{
	free(sent->text);
	sent->text = text;
	sent->size = text ? size : 0;
}

/* ---- packets ------------------------------------------------------------------------- */

/* In the byte order that the metadata states: the machine's. */
struct packet_header {
	uint32_t magic;
	uint8_t uuid[CTF_UUID_SIZE];
	uint32_t checksum;
	uint32_t content_size; /* bits */
	uint32_t packet_size;  /* bits */
	uint8_t compression;
	uint8_t encryption;
	uint8_t checksum_kind;
	uint8_t major;
	uint8_t minor;
} __attribute__((packed));

_Static_assert(sizeof(struct packet_header) == RELAY_METADATA_HEADER_SIZE, "CTF 1.8, 7.1");

void relay_metadata_header(unsigned char bytes[RELAY_METADATA_HEADER_SIZE],
			   const uint8_t uuid[CTF_UUID_SIZE], size_t size)
{
	struct packet_header header = {
		.magic = PACKET_MAGIC,
		.content_size = (uint32_t)(size + sizeof(header)) * 8,
		.packet_size = (uint32_t)(size + sizeof(header)) * 8,
		.major = 1,
		.minor = 8,
	};

	memcpy(header.uuid, uuid, sizeof(header.uuid));
	memcpy(bytes, &header, sizeof(header));
}

int relay_metadata_uuid(const char *text, size_t size, uint8_t uuid[CTF_UUID_SIZE])
{
	static const char key[] = "uuid = \"";
	const char *at = memmem(text, size, key, sizeof(key) - 1);
	char value[SD_ID128_UUID_STRING_MAX];
	sd_id128_t id;

	if (!at || size - (size_t)(at - text) < sizeof(key) - 1 + sizeof(value))
		return -EBADMSG;
	memcpy(value, at + sizeof(key) - 1, sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	if (sd_id128_from_string(value, &id) < 0)
		return -EBADMSG;
	memcpy(uuid, id.bytes, CTF_UUID_SIZE);
	return 0;
}
