/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/view/metadata-file.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/regular-open.h"
#include "cli/view/metadata-bounds.h"
#include "common/protocol/ctf.h"

#define SIZE_MOST (1 << 28)

/* Each packet of metadata begins with this number. */
#define TEXT_MAGIC 0x75d11d57u
#define TEXT_HEADER 37

struct text_header {
	uint32_t magic;
	uint8_t uuid[CTF_UUID_SIZE];
	uint32_t checksum;
	uint32_t content_size, packet_size; /* bits, the header included */
};

/* Joins the packets' texts; *size becomes the text's. 0 or -ENODATA. */
static int unpack(char *text, size_t *size)
{
	struct text_header header;
	size_t to = 0, content, packet;

	for (size_t at = 0; at < *size; at += packet) {
		if (*size - at < TEXT_HEADER)
			return at ? -ENODATA : 0;
		memcpy(&header, text + at, sizeof(header));
		if (header.magic == bswap_32(TEXT_MAGIC)) {
			header.magic = TEXT_MAGIC;
			header.content_size = bswap_32(header.content_size);
			header.packet_size = bswap_32(header.packet_size);
		}
		content = header.content_size / 8;
		packet = header.packet_size / 8;
		if (header.magic != TEXT_MAGIC)
			return at ? -ENODATA : 0;
		if (content < TEXT_HEADER || content > packet || packet > *size - at)
			return -ENODATA;
		memmove(text + to, text + at + TEXT_HEADER, content - TEXT_HEADER);
		to += content - TEXT_HEADER;
	}
	*size = to;
	return 0;
}

static int read_file(int fd, char **text, size_t *size)
{
	struct stat status;
	ssize_t got;
	int error;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size > SIZE_MOST)
		return -ENODATA;
	*text = malloc((size_t)status.st_size + 1);
	if (!*text)
		return -ENOMEM;
	for (*size = 0; *size < (size_t)status.st_size; *size += (size_t)got) {
		got = read(fd, *text + *size, (size_t)status.st_size - *size);
		if (got <= 0)
			return got < 0 ? -errno : -ENODATA;
	}
	error = unpack(*text, size);
	(*text)[*size] = '\0';
	return error;
}

static int check_bounds(const char *verb, const char *path, const char *text, size_t size)
{
	uint64_t line;
	const char *fault = metadata_bounds_check(text, size, &line);

	if (!fault)
		return 0;
	message_error("%s: %s: line %" PRIu64 ": %s; the trace is not read", verb, path, line,
		      fault);
	message_hint("no tracer writes such metadata: the metadata of another copy or chunk of the "
		     "trace can take its place");
	return -E2BIG;
}

int metadata_file_text(const char *path, int flags, char **text, size_t *size)
{
	int error, fd = regular_open(path, flags);

	*text = NULL;
	if (fd < 0)
		return fd;
	error = read_file(fd, text, size);
	close(fd);
	if (error) {
		free(*text);
		*text = NULL;
	}
	return error;
}

int metadata_file_read(const char *verb, const char *folder, int flags, char **text, size_t *size)
{
	char path[PATH_MAX];
	int error;

	*text = NULL;
	if ((size_t)snprintf(path, sizeof(path), "%s/" METADATA, folder) >= sizeof(path))
		return -ENAMETOOLONG;
	error = metadata_file_text(path, flags, text, size);
	if (!error)
		error = check_bounds(verb, path, *text, *size);
	if (error) {
		free(*text);
		*text = NULL;
	}
	return error;
}
