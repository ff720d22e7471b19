/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A reader by a third party: the calls that the kernel's documentation of
 * ring-buffer mapping shows, in its order, and nothing of lttngmap's. Which
 * ring it reads, a kernel's or ours, is a matter of the path alone.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/trace_mmap.h>

#ifndef RING_PATH
#define RING_PATH "/sys/kernel/tracing/per_cpu/cpu0/trace_pipe_raw"
#endif

static void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : RING_PATH;
	size_t page = getpagesize(), size;
	struct trace_buffer_meta *meta;
	char *subbufs, *reader;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		fail(path);
	meta = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	if (meta == MAP_FAILED)
		fail("meta page");
	size = (size_t)meta->subbuf_size * meta->nr_subbufs;
	subbufs = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, meta->meta_page_size);
	if (subbufs == MAP_FAILED)
		fail("sub-buffers");
	if (ioctl(fd, TRACE_MMAP_IOCTL_GET_READER) < 0)
		fail("GET_READER");
	reader = subbufs + (size_t)meta->subbuf_size * meta->reader.id;
	printf("entries %llu overrun %llu read %llu\n", (unsigned long long)meta->entries,
	       (unsigned long long)meta->overrun, (unsigned long long)meta->read);
	printf("sub-buffers %u of %u\n", meta->nr_subbufs, meta->subbuf_size);
	printf("reader %u at %p, %u bytes, first %#llx\n", meta->reader.id, (void *)reader,
	       meta->reader.read, *(unsigned long long *)reader);
	munmap(subbufs, size);
	munmap(meta, page);
	close(fd);
	return EXIT_SUCCESS;
}
