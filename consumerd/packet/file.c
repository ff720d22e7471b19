/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/packet/file.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

int file_write_pair(int fd, const void *first, size_t first_size, const void *second,
		    size_t second_size, uint64_t offset)
{
	struct iovec parts[2] = {
		{ .iov_base = (void *)first, .iov_len = first_size },
		{ .iov_base = (void *)second, .iov_len = second_size },
	};
	struct iovec *part = parts;

	while (part < parts + 2) {
		ssize_t written = pwritev(fd, part, (int)(parts + 2 - part), (off_t)offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		/* Something was asked for: nothing done means that nothing fits. */
		if (written == 0)
			return -ENOSPC;
		offset += (uint64_t)written;
		while (part < parts + 2 && (size_t)written >= part->iov_len) {
			written -= (ssize_t)part->iov_len;
			part++;
		}
		if (part < parts + 2) {
			part->iov_base = (char *)part->iov_base + written;
			part->iov_len -= (size_t)written;
		}
	}
	return 0;
}

int file_write(int fd, const void *bytes, size_t size, uint64_t offset)
{
	return file_write_pair(fd, bytes, size, NULL, 0, offset);
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
