/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A kernel's ring that cannot be mapped, on a tracefs instance of this test's own: as
 * before Linux 6.10, by a mmap that refuses (tests/utils/no-ring-map.c). Marks that are written
 * come out once, in order; a reader that is gone leaves what it was given last to the
 * next; a memory that does not fit, and a ring that changes its size, are refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <lttngmap/ring-file.h>

#include "common/ring-file/ring-file-pages.h"
#include "tests/utils/kernel-marks.h"
#include "tests/utils/tap.h"

#define FLOOD 20000u

static int pages = -1; /* for two CPUs, of sub-buffers as this kernel's are */

/* ---- the kernel's side -------------------------------------------------------------- */

static bool cpu_is_off;          /* and never was on: so it has no buffer */
static const char *missing = ""; /* a file for which there is no descriptor */

int poll(struct pollfd *files, nfds_t count, int timeout)
{
	const struct timespec none = { .tv_sec = 0 };

	if (!cpu_is_off)
		return (int)syscall(SYS_ppoll, files, count, timeout < 0 ? NULL : &none, NULL, 0);
	files->revents = POLLERR;
	return 1;
}

int open(const char *path, int flags, ...)
{
	const char *slash = strrchr(path, '/');

	if (slash && strcmp(slash + 1, missing) == 0) {
		errno = EMFILE;
		return -1;
	}
	/* Nobody here makes a file. */
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);
}

static unsigned int marks(void)
{
	return kernel_marks_written();
}

static uint64_t lost; /* of them, as was told */

/* ---- the reader's ---------------------------------------------------------------------- */

static struct lttngmap_ring_file *open_ring(const char *path, int memory, int expected,
					    const char *name)
{
	struct lttngmap_ring_file *file = NULL;

	is(ring_file_open_pages(path, memory, &file), expected, name);
	return file;
}

/* Marks in the packet are `next` and so on. How many; -1: one that is not. */
static int count_marks(const struct lttngmap_ring_file *file, const struct lttngmap_packet *packet,
		       unsigned int *next)
{
	const char *bytes = lttngmap_ring_file_data(file, packet);
	const char *end = bytes ? bytes + packet->length : NULL;
	unsigned int number;
	int found = 0;

	while (bytes) {
		bytes = kernel_marks_find(bytes, end, &number);
		if (!bytes)
			return found;
		if (number != (*next)++)
			return -1;
		found++;
		bytes++;
	}
	return -1;
}

/*
 * All packets that there are, of marks from *next on but for those that are said to be
 * lost, of which `lost` were known. How many marks; -1: not those that were expected.
 */
static int read_all(struct lttngmap_ring_file *file, struct lttngmap_packet *packet,
		    unsigned int *next, uint64_t lost)
{
	struct lttngmap_packet last = *packet;
	int found = 0, more, error;

	while ((error = lttngmap_ring_file_get_packet(file, packet)) == 0) {
		*next += (unsigned int)(packet->discarded - lost);
		lost = packet->discarded;
		more = count_marks(file, packet, next);
		if (more < 0)
			return -1;
		found += more;
		last = *packet;
		*packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
	}
	*packet = last;
	return error == -EAGAIN ? found : error;
}

/* All packets that there are, whatever they say to be lost, and the last of them. */
static int count_all(struct lttngmap_ring_file *file, struct lttngmap_packet *packet)
{
	struct lttngmap_packet one = { .cpu = LTTNGMAP_CPU_ANY };
	unsigned int number;
	int found = 0;

	while (lttngmap_ring_file_get_packet(file, &one) == 0) {
		const char *at = lttngmap_ring_file_data(file, &one), *end = at + one.length;

		for (; (at = kernel_marks_find(at, end, &number)); at++)
			found++;
		*packet = one;
		one = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
	}
	return found;
}

static void test_reader(void)
{
	struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY };
	struct lttngmap_ring_file *file =
		open_ring(kernel_marks_ring(), -1, 0, "a ring that cannot be mapped");
	const struct trace_buffer_meta *meta = &lttngmap_ring_file_meta(file)->meta;
	unsigned int next = marks();
	int found;

	is(lttngmap_ring_file_get_packet(file, &packet), -EAGAIN, "it is empty");
	kernel_marks_write(3);
	is(read_all(file, &packet, &next, 0), 3, "what is marked comes");
	is(packet.flags, LTTNGMAP_PACKET_KERNEL, "as the kernel has it");
	is(packet.cpu, 0, "of that CPU");
	kernel_marks_write(1000);
	is(read_all(file, &packet, &next, 0), 1000, "also of many sub-buffers, each once");
	is(packet.discarded, 0, "and nothing is lost");
	is(lttngmap_ring_file_check_packet(file), 0, "nobody overwrites a copy");
	kernel_marks_write(FLOOD);
	found = read_all(file, &packet, &next, 0);
	ok(found > 0, "of a flood there are some");
	is(next, marks(), "of the others it is said when they are lost");
	is(found + (int)packet.discarded, FLOOD, "and how many");
	lost = packet.discarded;

	is(lttngmap_ring_file_get_reader(file), 0, "nothing new is no error");
	kernel_marks_write(2);
	is(lttngmap_ring_file_get_reader(file), 0, "what is new");
	ok(memmem((const char *)meta + meta->meta_page_size +
			  (size_t)meta->reader.id * meta->subbuf_size,
		  meta->reader.read, "<mark ", 6) != NULL,
	   "is in the reader's sub-buffer");
	packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY,
					   .flags = LTTNGMAP_PACKET_BACKWARD };
	is(lttngmap_ring_file_get_packet(file, &packet), -EINVAL, "there is no looking back");
	packet = (struct lttngmap_packet){ .cpu = 1 };
	is(lttngmap_ring_file_get_packet(file, &packet), -EINVAL, "nor another CPU");
	lttngmap_ring_file_close(file);
}

/* One is given packets, and is gone; the next is given the last of them again. */
static void test_heir(void)
{
	struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY,
					  .flags = LTTNGMAP_PACKET_REPEAT,
					  .discarded = lost };
	struct lttngmap_ring_file *file =
		open_ring(kernel_marks_ring(), pages, 0, "with a memory that stays");
	unsigned int next = marks();
	int found;

	kernel_marks_write(FLOOD);
	found = read_all(file, &packet, &next, lost);
	ok(found > 0, "a reader who knows what was lost before");
	is(next, marks(), "is told what else is lost");
	is(found + (int)(packet.discarded - lost), FLOOD, "and no more than that");
	lost = packet.discarded;
	kernel_marks_write(5);
	packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
	is(lttngmap_ring_file_get_packet(file, &packet), 0, "is given more, and dies");
	lttngmap_ring_file_close(file);

	file = open_ring(kernel_marks_ring(), pages, 0, "the next reader");
	kernel_marks_write(7);
	packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY,
					   .flags = LTTNGMAP_PACKET_REPEAT,
					   .timestamp_end = packet.timestamp_begin,
					   .discarded = lost };
	is(read_all(file, &packet, &next, lost), 12, "is given that again, and what came since");
	is(packet.discarded, lost, "nothing is lost between them");
	lttngmap_ring_file_close(file);

	file = open_ring(kernel_marks_ring(), pages, 0, "one that asks for no repetition");
	packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
	is(lttngmap_ring_file_get_packet(file, &packet), -EAGAIN, "is given none");
	lttngmap_ring_file_close(file);
}

static void test_spoiled(void)
{
	struct lttngmap_ring_file *file = open_ring(kernel_marks_ring(), pages, 0, "a memory");
	struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY };
	const uint32_t wrong = RING_FILE_PAGES;
	uint32_t right = 0;
	off_t at = offsetof(struct trace_buffer_meta, reader.id);

	if (pread(pages, &right, sizeof(right), at) < 0 ||
	    pwrite(pages, &wrong, sizeof(wrong), at) < 0)
		bail_out("the memory: %s", strerror(errno));
	is(lttngmap_ring_file_get_packet(file, &packet), -EBADMSG,
	   "whose reader's sub-buffer is none");
	is(lttngmap_ring_file_get_reader(file), -EBADMSG, "nor for the other way to ask");
	if (pwrite(pages, &right, sizeof(right), at) < 0)
		bail_out("the memory: %s", strerror(errno));
	lttngmap_ring_file_close(file);
}

static void test_refused(void)
{
	uint32_t size = ring_file_kernel_subbuf_size(kernel_marks_instance());
	int other = -1;

	if (ring_file_pages_create(2, size * 2, &other) != 0)
		bail_out("no memory");
	open_ring(kernel_marks_ring(), other, -EBADMSG, "a memory of larger sub-buffers");
	close(other);
	if (ring_file_pages_create(0, size, &other) != 0)
		bail_out("no memory");
	open_ring(kernel_marks_ring(), other, -EBADMSG, "one that is empty");
	is(ftruncate(other, 1), -1, "and whose size cannot be changed");
	close(other);
}

/* A CPU that is off, and no descriptor to be had. */
static void test_not_now(void)
{
	struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY,
					  .flags = LTTNGMAP_PACKET_REPEAT,
					  .timestamp_end = UINT64_MAX,
					  .discarded = lost };
	struct lttngmap_ring_file *file;
	unsigned int next = marks();
	int found;

	cpu_is_off = true;
	open_ring(kernel_marks_ring(), -1, -EINVAL, "a CPU that was never on");
	cpu_is_off = false;
	missing = "buffer_subbuf_size_kb";
	open_ring(kernel_marks_ring(), pages, -EMFILE, "no word of how large its parts are");
	missing = "";

	file = open_ring(kernel_marks_ring(), pages, 0, "with it the ring is opened");
	is(lttngmap_ring_file_get_packet(file, &packet), 0, "the last one's packet comes again");
	kernel_marks_write_tailed(FLOOD, "............");
	missing = "stats";
	packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
	found = read_all(file, &packet, &next, lost);
	missing = "";
	is(next, marks(), "of a flood, without the kernel's count, it is said when some are lost");
	is(found + (int)(packet.discarded - lost), FLOOD, "and how many");
	lost = packet.discarded;

	kernel_marks_write(FLOOD);
	missing = "stats";
	found = count_all(file, &packet);
	is(packet.discarded, lost,
	   "where a sub-buffer has no room for their number, it is not told");
	missing = "";
	kernel_marks_write(1);
	found += count_all(file, &packet);
	is(found + (int)(packet.discarded - lost), FLOOD + 1, "but as soon as it can be asked for");
	lost = packet.discarded;
	lttngmap_ring_file_close(file);
}

/* A reader told of more losses than the ring had: some events he could not use. */
static void test_elsewhere(void)
{
	struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY,
					  .flags = LTTNGMAP_PACKET_REPEAT,
					  .timestamp_end = UINT64_MAX,
					  .discarded = lost + 3 };
	struct lttngmap_ring_file *file =
		open_ring(kernel_marks_ring(), pages, 0, "another reader");
	int found;

	is(lttngmap_ring_file_get_packet(file, &packet), 0, "is given the last packet");
	is(packet.discarded, lost + 3, "and goes on with all that are lost");
	kernel_marks_write(FLOOD);
	found = count_all(file, &packet);
	is(found + (int)(packet.discarded - lost - 3), FLOOD,
	   "what the ring loses is added to them");
	lttngmap_ring_file_close(file);
}

/* Somebody changes the size of the sub-buffers, which the kernel forbids for maps only. */
static void test_resized(void)
{
	const char *const sizes[] = { "8", "4" };
	struct lttngmap_packet packet;
	struct lttngmap_ring_file *file;
	char path[320];

	snprintf(path, sizeof(path), "%s/buffer_subbuf_size_kb", kernel_marks_instance());
	for (int i = 0; i < 2; i++) {
		if (access(path, F_OK) < 0) {
			skip(3, "before Linux 6.8, all sub-buffers are of one size");
			continue;
		}
		file = open_ring(kernel_marks_ring(), -1, 0, "a ring");
		ok(kernel_marks_put("buffer_subbuf_size_kb", sizes[i]),
		   "its sub-buffers become %s KiB", sizes[i]);
		kernel_marks_write(200);
		packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
		is(lttngmap_ring_file_get_packet(file, &packet), -EBADMSG, "it is read no more");
		lttngmap_ring_file_close(file);
	}
}

int main(void)
{
	kernel_marks_begin("read", 64);
	if (ring_file_pages_create(2, ring_file_kernel_subbuf_size(kernel_marks_instance()),
				   &pages) != 0)
		bail_out("no memory");
	test_reader();
	test_heir();
	test_spoiled();
	test_refused();
	test_not_now();
	test_elsewhere();
	test_resized();
	close(pages);
	is(kernel_marks_end(), 0, "nobody has the rings any more");
	return done_testing();
}
