/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The memory that sub-buffers of the kernel's are copied to, where these cannot be
 * mapped: made by the session daemon, or by a reader for itself.
 */
#include "common/ring-file/ring-file-pages.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <lttngmap/ring-file.h>

uint64_t ring_file_pages_slot(uint32_t subbuf_size)
{
	return (uint64_t)sysconf(_SC_PAGESIZE) + (uint64_t)RING_FILE_PAGES * subbuf_size;
}

int ring_file_pages_create(uint32_t cpus, uint32_t subbuf_size, int *result)
{
	const struct trace_buffer_meta meta = {
		.meta_page_size = (uint32_t)sysconf(_SC_PAGESIZE),
		.meta_struct_len = sizeof(meta),
		.subbuf_size = subbuf_size,
		.nr_subbufs = RING_FILE_PAGES,
	};
	int fd = memfd_create("lttngmap-pages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int error = 0;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)(cpus * ring_file_pages_slot(subbuf_size))) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		error = -errno;
	for (uint32_t cpu = 0; !error && cpu < cpus; cpu++)
		if (pwrite(fd, &meta, sizeof(meta),
			   (off_t)(cpu * ring_file_pages_slot(subbuf_size))) !=
		    (ssize_t)sizeof(meta))
			error = -ENOMEM;
	if (error)
		close(fd);
	else
		*result = fd;
	return error;
}

uint32_t ring_file_kernel_subbuf_size(const char *directory)
{
	uint32_t size = (uint32_t)sysconf(_SC_PAGESIZE);
	char path[PATH_MAX], text[32];
	unsigned long kb = 0;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "%s/buffer_subbuf_size_kb", directory);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) /* Before Linux 6.8: a page. */
		return errno == ENOENT ? size : 0;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length > 0) {
		text[length] = '\0';
		kb = strtoul(text, NULL, 10);
	}
	return kb > 0 && kb <= UINT32_MAX / 1024 ? (uint32_t)kb * 1024 : size;
}
