/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* merge-metadata.c - reads the metadata of a folder, if it is whole. */
#include <config.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/metadata-room.h"
#include "merge-parts.h"

#define METADATA "metadata"
#define METADATA_MAX (1 << 28)

/* Metadata in packets: */
#define TEXT_MAGIC 0x75d11d57u
#define TEXT_HEADER 37

struct text_header {
	uint32_t magic;
	uint8_t uuid[CTF_UUID_SIZE];
	uint32_t checksum;
	uint32_t content_size, packet_size; /* bits */
};

/* Does it end where a declaration does, and in packets where one does? */
static bool is_whole(const char *text, size_t size)
{
	struct text_header header;
	size_t end = size, next;

	for (size_t at = 0; at + TEXT_HEADER <= size; at += next) {
		memcpy(&header, text + at, sizeof(header));
		if (header.magic != TEXT_MAGIC)
			break;
		next = header.packet_size / 8;
		end = at + header.content_size / 8;
		if (next < TEXT_HEADER || next > size - at || end > at + next)
			return false;
		if (at + next < size && size - at - next < TEXT_HEADER)
			return false;
	}
	while (end > 0 && (text[end - 1] == '\0' || isspace((unsigned char)text[end - 1])))
		end--;
	return end >= 2 && memcmp(text + end - 2, "};", 2) == 0;
}

int merge_read_metadata(const struct folder *folder, char **text, size_t *size)
{
	char path[PATH_MAX];
	struct stat status;
	int error, fd;

	snprintf(path, sizeof(path), "%s/" METADATA, folder->path);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ENODATA : -errno;
	error = fstat(fd, &status) < 0 ? -errno : 0;
	if (!error && (!S_ISREG(status.st_mode) || status.st_size > METADATA_MAX))
		error = -ENODATA;
	*size = error ? 0 : (size_t)status.st_size;
	*text = error ? NULL : malloc(*size + 1);
	if (!error)
		error = !*text ? -ENOMEM : read(fd, *text, *size) != (ssize_t)*size ? -EIO : 0;
	close(fd);
	if (!error)
		*size = metadata_room_remove(*text, *size);
	if (!error && !is_whole(*text, *size))
		error = -ENODATA;
	if (error)
		free(*text);
	return error;
}
