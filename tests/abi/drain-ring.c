/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Another reader by a third party, in the manner of libtracefs's first
 * programs on mapped rings: take the reader's page, print what is new in it,
 * ask for the next, until nothing has changed.
 *
 *   drain-ring RING           of records with 8 bytes of header and one string each,
 *                             as the test that runs it writes them
 *   drain-ring RING TRACEFS   of the kernel's, which are printed by libtraceevent
 */
#include <fcntl.h>
#include <kbuffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <event-parse.h>
#include <linux/trace_mmap.h>
#include <trace-seq.h>
#include <tracefs.h>

#define HEADER 8

struct ring {
	int fd;
	const volatile struct trace_buffer_meta *meta;
	const char *subbufs;
	unsigned id;            /* the page that was printed last */
	unsigned read;          /* up to where */
	unsigned events;        /* the kernel's, in that page */
	struct tep_handle *tep; /* NULL: it is not the kernel's */
	struct kbuffer *kbuffer;
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

/* Of those that are in the page, `old` were printed. */
static void print_events(struct ring *ring, const char *page, unsigned old)
{
	struct tep_record record = { .cpu = 0 };
	struct trace_seq text;

	trace_seq_init(&text);
	kbuffer_load_subbuffer(ring->kbuffer, (void *)page);
	ring->events = 0;
	while ((record.data = kbuffer_read_event(ring->kbuffer, &record.ts))) {
		record.size = kbuffer_event_size(ring->kbuffer);
		if (ring->events++ >= old) {
			tep_print_event(ring->tep, &text, &record, "%d %s: %s\n", TEP_PRINT_PID,
					TEP_PRINT_NAME, TEP_PRINT_INFO);
			trace_seq_do_printf(&text);
			trace_seq_reset(&text);
		}
		kbuffer_next_event(ring->kbuffer, NULL);
	}
	trace_seq_destroy(&text);
}

static void print_page(struct ring *ring)
{
	const char *page = ring->subbufs + (size_t)ring->meta->reader.id * ring->meta->subbuf_size;
	int is_same = ring->meta->reader.id == ring->id;
	unsigned at = is_same ? ring->read : 0;

	ring->id = ring->meta->reader.id;
	ring->read = ring->meta->reader.read;
	if (ring->tep) {
		print_events(ring, page, is_same ? ring->events : 0);
		return;
	}
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
	static const char *const systems[] = { "ftrace", "signal", NULL };
	struct ring ring = { .id = -1u };

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: drain-ring RING [TRACEFS]\n");
		return EXIT_FAILURE;
	}
	map_ring(&ring, argv[1]);
	if (argc == 3 && (!(ring.tep = tracefs_local_events_system(argv[2], systems)) ||
			  !(ring.kbuffer = tep_kbuffer(ring.tep))))
		fail(argv[2]);
	while (next_page(&ring))
		print_page(&ring);
	printf("lost: %llu\n", (unsigned long long)ring.meta->overrun);
	if (ring.tep) {
		kbuffer_free(ring.kbuffer);
		tep_free(ring.tep);
	}
	return EXIT_SUCCESS;
}
