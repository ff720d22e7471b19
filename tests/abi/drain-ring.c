/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Another reader by a third party, in the manner of libtracefs's first
 * programs on mapped rings: take the reader's page, print what is new in it,
 * ask for the next, until nothing has changed. The records are taken for 8
 * bytes of header and one string each, as the test that runs it writes them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/trace_mmap.h>

#define HEADER 8

struct ring {
	int fd;
	const volatile struct trace_buffer_meta *meta;
	const char *subbufs;
	unsigned id;   /* the page that was printed last */
	unsigned read; /* up to where */
};

static void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static void map_ring(struct ring *ring, const char *path)
{
	ring->fd = open(path, O_RDONLY | O_NONBLOCK);
	if (ring->fd < 0)
		fail(path);
	ring->meta = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, ring->fd, 0);
	if (ring->meta == MAP_FAILED)
		fail("meta page");
	ring->subbufs = mmap(NULL, (size_t)ring->meta->nr_subbufs * ring->meta->subbuf_size,
			     PROT_READ, MAP_SHARED, ring->fd, ring->meta->meta_page_size);
	if (ring->subbufs == MAP_FAILED)
		fail("sub-buffers");
}

/* Is there anything new? The same page may have more than it had. */
static int next_page(const struct ring *ring)
{
	if (ioctl(ring->fd, TRACE_MMAP_IOCTL_GET_READER) < 0)
		fail("GET_READER");
	return ring->meta->reader.id != ring->id || ring->meta->reader.read != ring->read;
}

static void print_page(struct ring *ring)
{
	const char *page = ring->subbufs + (size_t)ring->meta->reader.id * ring->meta->subbuf_size;
	unsigned at = ring->meta->reader.id == ring->id ? ring->read : 0;

	ring->id = ring->meta->reader.id;
	ring->read = ring->meta->reader.read;
	/* A page may begin with bytes that are not used, as the kernel's do. */
	while (at < ring->read && page[at] == 0)
		at++;
	while (at + HEADER < ring->read) {
		const char *text = page + at + HEADER;

		printf("%u: %s\n", ring->id, text);
		at += HEADER + strlen(text) + 1;
	}
}

int main(int argc, char **argv)
{
	struct ring ring = { .id = -1u };

	if (argc != 2) {
		fprintf(stderr, "usage: drain-ring PATH\n");
		return EXIT_FAILURE;
	}
	map_ring(&ring, argv[1]);
	while (next_page(&ring))
		print_page(&ring);
	printf("lost: %llu\n", (unsigned long long)ring.meta->overrun);
	return EXIT_SUCCESS;
}
