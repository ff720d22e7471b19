/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A kernel's ring that cannot be mapped, on a tracefs instance of this test's own: as
 * before Linux 6.10, by a mmap of the test's that refuses. Marks that are written
 * come out once, in order; a reader that is gone leaves what it was given last to the
 * next; a memory that does not fit, and a ring that changes its size, are refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>
#include <lttngmap/ring-file.h>

#include "common/ring-file-pages.h"
#include "tests/utils/tap.h"

#define TRACEFS "/sys/kernel/tracing"
#define FLOOD 20000u

static char instance[256], ring[320];
static int pages = -1; /* for two CPUs, of sub-buffers as this kernel's are */

/* ---- the kernel's side -------------------------------------------------------------- */

void *mmap(void *address, size_t size, int rights, int flags, int fd, off_t offset)
{
	struct statfs system;

	if (fd >= 0 && fstatfs(fd, &system) == 0 && system.f_type == TRACEFS_MAGIC) {
		errno = ENODEV;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, address, size, rights, flags, fd, offset);
}

static bool put(const char *file, const char *text)
{
	char path[512];
	bool done;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", instance, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return done;
}

static void make_instance(void)
{
	cpu_set_t first;

	if (geteuid() != 0)
		skip_all("kernel events are for root");
	if (access(TRACEFS "/instances", F_OK) < 0)
		(void)!mount("tracefs", TRACEFS, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	snprintf(instance, sizeof(instance), TRACEFS "/instances/lttngmap-test-read-%d", getpid());
	snprintf(ring, sizeof(ring), "%s/per_cpu/cpu0/trace_pipe_raw", instance);
	if (mkdir(instance, 0700) < 0)
		skip_all("no instance of the kernel's tracing: %s", strerror(errno));
	if (!put("buffer_size_kb", "64") || !put("trace_clock", "mono"))
		bail_out("the instance cannot be set up");
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first) < 0)
		bail_out("not on the first CPU: %s", strerror(errno));
	if (ring_file_pages_create(2, ring_file_kernel_subbuf_size(instance), &pages) != 0)
		bail_out("no memory");
}

static void remove_instance(void)
{
	if (rmdir(instance) < 0)
		diag("cannot remove %s: %s", instance, strerror(errno));
}

static unsigned int marks; /* so far: their numbers */
static uint64_t lost;      /* of them, as was told */

static void mark(unsigned int count)
{
	char path[512], text[64];
	int fd;

	snprintf(path, sizeof(path), "%s/trace_marker", instance);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	for (unsigned int i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "<mark %08u>", marks++);
		if (write(fd, text, strlen(text)) < 0)
			bail_out("a mark: %s", strerror(errno));
	}
	close(fd);
}

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
	int found = 0;

	while (bytes) {
		bytes = memmem(bytes, (size_t)(end - bytes), "<mark ", strlen("<mark "));
		if (!bytes)
			return found;
		if (strtoul(bytes + strlen("<mark "), NULL, 10) != (*next)++)
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

static void test_reader(void)
{
	struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY };
	struct lttngmap_ring_file *file = open_ring(ring, -1, 0, "a ring that cannot be mapped");
	const struct trace_buffer_meta *meta = &lttngmap_ring_file_meta(file)->meta;
	unsigned int next = marks;
	int found;

	is(lttngmap_ring_file_get_packet(file, &packet), -EAGAIN, "it is empty");
	mark(3);
	is(read_all(file, &packet, &next, 0), 3, "what is marked comes");
	is(packet.flags, LTTNGMAP_PACKET_KERNEL, "as the kernel has it");
	is(packet.cpu, 0, "of that CPU");
	mark(1000);
	is(read_all(file, &packet, &next, 0), 1000, "also of many sub-buffers, each once");
	is(packet.discarded, 0, "and nothing is lost");
	is(lttngmap_ring_file_check_packet(file), 0, "nobody overwrites a copy");
	mark(FLOOD);
	found = read_all(file, &packet, &next, 0);
	ok(found > 0, "of a flood there are some");
	is(next, marks, "of the others it is said when they are lost");
	is(found + (int)packet.discarded, FLOOD, "and how many");
	lost = packet.discarded;

	is(lttngmap_ring_file_get_reader(file), 0, "nothing new is no error");
	mark(2);
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
	struct lttngmap_ring_file *file = open_ring(ring, pages, 0, "with a memory that stays");
	unsigned int next = marks;
	int found;

	mark(FLOOD);
	found = read_all(file, &packet, &next, lost);
	ok(found > 0, "a reader who knows what was lost before");
	is(next, marks, "is told what else is lost");
	is(found + (int)(packet.discarded - lost), FLOOD, "and no more than that");
	lost = packet.discarded;
	mark(5);
	packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
	is(lttngmap_ring_file_get_packet(file, &packet), 0, "is given more, and dies");
	lttngmap_ring_file_close(file);

	file = open_ring(ring, pages, 0, "the next reader");
	mark(7);
	packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY,
					   .flags = LTTNGMAP_PACKET_REPEAT,
					   .timestamp_end = packet.timestamp_begin,
					   .discarded = lost };
	is(read_all(file, &packet, &next, lost), 12, "is given that again, and what came since");
	is(packet.discarded, lost, "nothing is lost between them");
	lttngmap_ring_file_close(file);

	file = open_ring(ring, pages, 0, "one that asks for no repetition");
	packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
	is(lttngmap_ring_file_get_packet(file, &packet), -EAGAIN, "is given none");
	lttngmap_ring_file_close(file);
}

static void test_spoiled(void)
{
	struct lttngmap_ring_file *file = open_ring(ring, pages, 0, "a memory");
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
	uint32_t size = ring_file_kernel_subbuf_size(instance);
	int other = -1;

	if (ring_file_pages_create(2, size * 2, &other) != 0)
		bail_out("no memory");
	open_ring(ring, other, -EBADMSG, "a memory of larger sub-buffers");
	close(other);
	if (ring_file_pages_create(0, size, &other) != 0)
		bail_out("no memory");
	open_ring(ring, other, -EBADMSG, "one that is empty");
	is(ftruncate(other, 1), -1, "and whose size cannot be changed");
	close(other);
}

/* Somebody changes the size of the sub-buffers, which the kernel forbids for maps only. */
static void test_resized(void)
{
	const char *const sizes[] = { "8", "4" };
	struct lttngmap_packet packet;
	struct lttngmap_ring_file *file;
	char path[320];

	snprintf(path, sizeof(path), "%s/buffer_subbuf_size_kb", instance);
	for (int i = 0; i < 2; i++) {
		if (access(path, F_OK) < 0) {
			skip(3, "before Linux 6.8, all sub-buffers are of one size");
			continue;
		}
		file = open_ring(ring, -1, 0, "a ring");
		ok(put("buffer_subbuf_size_kb", sizes[i]), "its sub-buffers become %s KiB",
		   sizes[i]);
		mark(200);
		packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
		is(lttngmap_ring_file_get_packet(file, &packet), -EBADMSG, "it is read no more");
		lttngmap_ring_file_close(file);
	}
}

int main(void)
{
	make_instance();
	test_reader();
	test_heir();
	test_spoiled();
	test_refused();
	test_resized();
	close(pages);
	remove_instance();
	return done_testing();
}
