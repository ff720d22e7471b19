/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The transport of a kernel's ring that cannot be mapped: before Linux 6.10.
 *
 * read(2) of a whole sub-buffer's bytes gives one: a time, a commit word, and
 * events up to where that says. It is a copy made for us, also of the sub-buffer
 * that is being written, of which the next read gives the rest, with a time and a
 * commit word of its own. So each is a packet, and nothing of it changes any more.
 *
 * The memory is told which sub-buffer is filled next before the kernel is asked: who
 * is killed at any moment leaves one behind that is either what the kernel gave
 * last, or older and on disk already. The kernel fills it whole although we are being
 * killed, unless it lacks a page for that: so all pages are made beforehand.
 */
#include "common/ring-file/ring-file-kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Sub-buffers that are filled in turn. */
#define FILLED (RING_FILE_PAGES - 1)
/* A read may find that another reader was quicker. */
#define TRIES_MAX 3

static volatile struct trace_buffer_meta *meta_of(struct lttngmap_ring_file *file)
{
	return file->map;
}

/* "../" of where the file is: 2 is the tracing directory, 0 the CPU's own. 0 or -errno. */
static int find_directory(int fd, unsigned int up, char path[PATH_MAX])
{
	char link[64], *slash;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, PATH_MAX - 1);
	if (length < 0)
		return -errno;
	path[length] = '\0';
	for (unsigned int i = 0; i <= up; i++) {
		slash = strrchr(path, '/');
		if (!slash)
			return -ENODEV;
		*slash = '\0';
	}
	return 0;
}

/* ---- reading -------------------------------------------------------------------- */

/*
 * Writes the ring's total of lost events into the meta page. False: it cannot be read now, and
 * stays.
 */
static bool look_at_overrun(struct lttngmap_ring_file *file)
{
	char path[PATH_MAX], text[1024];
	const char *line;
	ssize_t length;
	int fd;

	if (find_directory(file->fd, 0, path) != 0 ||
	    strlen(path) + sizeof("/stats") > sizeof(path))
		return false;
	strcat(path, "/stats");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	/* Behind "entries", so that it is not "commit overrun". */
	line = strstr(text, "\noverrun: ");
	if (line)
		meta_of(file)->overrun = strtoull(line + strlen("\noverrun: "), NULL, 10);
	return line != NULL;
}

/* One sub-buffer's bytes. 0; -EAGAIN: nothing is there; another -errno. */
static int read_page(struct lttngmap_ring_file *file, uint32_t id)
{
	struct kernel_page *page = (struct kernel_page *)ring_file_kernel_page(file, id);
	ssize_t length;

	for (unsigned int tries = 0; tries < TRIES_MAX; tries++) {
		length = read(file->fd, page, file->subbuf_size + sizeof(*page));
		if (length < 0)
			return -errno;
		if (length == 0)
			continue;
		/* Not as large as it was: of a larger one the rest would come without a time. */
		if (length != (ssize_t)file->subbuf_size) {
			page->commit = 0;
			return -EBADMSG;
		}
		return 0;
	}
	return -EAGAIN;
}

/* Counts the events lost before a new sub-buffer, or before one that is still to be delivered. */
static void count_lost(struct lttngmap_ring_file *file, const volatile struct kernel_page *page)
{
	struct ring_file_kernel *kernel = &file->kernel;
	const bool counts_all = kernel->counts_all;
	bool knows;
	uint64_t all;

	if (!kernel->owes && !(page->commit & ~RING_FILE_COMMIT_SIZE_MASK))
		return;
	knows = look_at_overrun(file);
	all = meta_of(file)->overrun - kernel->lost_before;
	if (knows && kernel->owes) {
		kernel->lost = all > kernel->lost ? all : kernel->lost;
	} else {
		/* By an older count, what the sub-buffer says would be taken for counted already.
		 */
		kernel->counts_all = counts_all && knows;
		ring_file_kernel_count_lost(file, page);
		kernel->counts_all = counts_all;
	}
	kernel->owes = !knows;
}

/* The next sub-buffer becomes the reader's. Like read_page(). */
static int advance(struct lttngmap_ring_file *file)
{
	volatile struct trace_buffer_meta *meta = meta_of(file);
	const volatile struct kernel_page *page;
	uint32_t before = meta->reader.id;
	int64_t size;
	int error;

	__atomic_store_n(&meta->reader.id, (before + 1) % FILLED, __ATOMIC_SEQ_CST);
	error = read_page(file, meta->reader.id);
	if (error) {
		meta->reader.id = before;
		return error;
	}
	page = ring_file_kernel_page(file, meta->reader.id);
	size = ring_file_kernel_size(file, page);
	if (size < 0)
		return (int)size;
	count_lost(file, page);
	meta->reader.read = (uint32_t)size;
	return size > 0 ? 0 : -EAGAIN;
}

/*
 * The first request. *again: the sub-buffer that is there was given to a
 * reader who died, and is to be given once more.
 */
static void begin(struct lttngmap_ring_file *file, const struct lttngmap_packet *request,
		  bool *again)
{
	struct ring_file_kernel *kernel = &file->kernel;
	const volatile struct kernel_page *page;

	*again = false;
	if (kernel->id != RING_FILE_NO_ID)
		return;
	kernel->id = meta_of(file)->reader.id;
	look_at_overrun(file);
	kernel->lost_before = meta_of(file)->overrun;
	if (!(request->flags & LTTNGMAP_PACKET_REPEAT))
		return;
	page = ring_file_kernel_page(file, kernel->id);
	*again = ring_file_kernel_size(file, page) > 0;
	ring_file_kernel_resume(file, request, *again ? page : NULL);
}

static int get_packet(struct lttngmap_ring_file *file, struct lttngmap_packet *packet)
{
	struct ring_file_kernel *kernel = &file->kernel;
	const volatile struct kernel_page *page;
	int64_t size;
	int error;
	bool again;

	if (packet->flags & LTTNGMAP_PACKET_BACKWARD ||
	    (packet->cpu != LTTNGMAP_CPU_ANY && packet->cpu != kernel->cpu))
		return -EINVAL;
	/* Another reader of the memory, in another process, may have corrupted it. */
	if (meta_of(file)->reader.id >= FILLED)
		return -EBADMSG;
	begin(file, packet, &again);
	error = again ? 0 : advance(file);
	if (error)
		return error;
	kernel->id = meta_of(file)->reader.id;
	page = ring_file_kernel_page(file, kernel->id);
	size = page ? ring_file_kernel_size(file, page) : -EBADMSG;
	if (size < 0)
		return (int)size;
	kernel->page_time = page->timestamp;
	*packet = (struct lttngmap_packet){
		.cpu = kernel->cpu,
		.flags = LTTNGMAP_PACKET_KERNEL,
		.subbuf_id = kernel->id,
		.offset = (uint32_t)sizeof(*page),
		.length = (uint32_t)size,
		.sequence = kernel->sequence++,
		.timestamp_begin = kernel->page_time,
		.discarded = kernel->lost + kernel->lost_elsewhere,
	};
	return 0;
}

/* It is a copy. */
static int check_packet(struct lttngmap_ring_file *file)
{
	(void)file;
	return 0;
}

/* Like the kernel's request: no new data is no error. */
static int get_reader(struct lttngmap_ring_file *file)
{
	int error;

	if (meta_of(file)->reader.id >= FILLED)
		return -EBADMSG;
	error = advance(file);
	return error == -EAGAIN ? 0 : error;
}

static const struct ring_file_transport transport = {
	.get_packet = get_packet,
	.check_packet = check_packet,
	.get_reader = get_reader,
};

int ring_file_read_attach(int fd, int pages, struct ring_file_attachment *attachment)
{
	struct trace_buffer_meta meta;
	struct stat status;
	char directory[PATH_MAX];
	struct pollfd state = { .fd = fd, .events = POLLIN };
	uint32_t slot = attachment->cpu, size;
	int memory, error = find_directory(fd, 2, directory);

	if (error)
		return error;
	/* A CPU that was never on has no buffer; mmap(2), where there is one, says it so. */
	if (poll(&state, 1, 0) > 0 && state.revents & POLLERR)
		return -EINVAL;
	size = ring_file_kernel_subbuf_size(directory);
	if (size == 0)
		return -errno;
	if (pages >= 0) {
		if (fstat(pages, &status) < 0 ||
		    pread(pages, &meta, sizeof(meta), 0) != (ssize_t)sizeof(meta) ||
		    meta.subbuf_size != size ||
		    (uint64_t)status.st_size / ring_file_pages_slot(size) <= slot)
			return -EBADMSG;
		memory = fcntl(pages, F_DUPFD_CLOEXEC, 0);
		error = memory < 0 ? -errno : 0;
	} else {
		slot = 0;
		error = ring_file_pages_create(1, size, &memory);
	}
	if (error)
		return error;
	attachment->transport = &transport;
	attachment->memory_fd = memory;
	attachment->memory_offset = slot * ring_file_pages_slot(size);
	attachment->size = ring_file_pages_slot(size);
	attachment->is_read = true;
	return 0;
}
