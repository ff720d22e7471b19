/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/packet/file.h"

#include <errno.h>
#include <unistd.h>

/* Like pwritev(), but of no more than FILE_WRITE_MAX bytes. */
static ssize_t write_some(int fd, struct iovec *part, const struct iovec *end, uint64_t offset)
{
	struct iovec *last = part;
	size_t room = FILE_WRITE_MAX, length;
	ssize_t written;

	while (last < end && last->iov_len < room)
		room -= last++->iov_len;
	if (last == end)
		return pwritev(fd, part, (int)(end - part), (off_t)offset);
	length = last->iov_len;
	last->iov_len = room;
	written = pwritev(fd, part, (int)(last + 1 - part), (off_t)offset);
	last->iov_len = length;
	return written;
}

int file_write_parts(int fd, struct iovec *parts, int nr_parts, uint64_t offset)
{
	struct iovec *part = parts, *end = parts + nr_parts;

	while (part < end) {
		ssize_t written = write_some(fd, part, end, offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		/* Something was asked for: nothing done means that nothing fits. */
		if (written == 0)
			return -ENOSPC;
		offset += (uint64_t)written;
		while (part < end && (size_t)written >= part->iov_len) {
			written -= (ssize_t)part->iov_len;
			part++;
		}
		if (part < end) {
			part->iov_base = (char *)part->iov_base + written;
			part->iov_len -= (size_t)written;
		}
	}
	return 0;
}

int file_write(int fd, const void *bytes, size_t size, uint64_t offset)
{
	struct iovec part = { .iov_base = (void *)bytes, .iov_len = size };

	return file_write_parts(fd, &part, 1, offset);
}

ssize_t file_read(int fd, void *bytes, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, (char *)bytes + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}
