/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The transport of a kernel's own ring: per_cpu/cpuN/trace_pipe_raw.
 *
 * The kernel hands out whole sub-buffers and keeps no place in them: the one
 * that it writes into is given again, with more in it. So the place is kept
 * here, and what is new is a packet. Lost events stand in the commit word of
 * the sub-buffer that follows them, for meta.reader.lost_events stays 0.
 * Source: Documentation/trace/ring-buffer-map.rst, and tried on Linux 6.18.
 */
#include "common/ring-file/ring-file-kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

/* A sub-buffer that counts as read, then the next one. */
#define TRIES_MAX 3

#define COMMIT_LOST (UINT64_C(1) << 31)        /* events were lost before this one */
#define COMMIT_LOST_STORED (UINT64_C(1) << 30) /* how many stands behind the last event */

static const volatile struct trace_buffer_meta *meta_of(const struct lttngmap_ring_file *file)
{
	return file->map;
}

const volatile struct kernel_page *ring_file_kernel_page(const struct lttngmap_ring_file *file,
							 uint32_t id)
{
	if (id >= file->nr_subbufs)
		return NULL;
	return (const void *)((const char *)file->map + file->meta_page_size +
			      (size_t)id * file->subbuf_size);
}

int64_t ring_file_kernel_size(const struct lttngmap_ring_file *file,
			      const volatile struct kernel_page *page)
{
	/* All events below the commit word's size are whole when it is read. */
	uint64_t size = __atomic_load_n(&page->commit, __ATOMIC_ACQUIRE) &
			RING_FILE_COMMIT_SIZE_MASK;

	return size > file->subbuf_size - sizeof(*page) ? -EBADMSG : (int64_t)size;
}

/*
 * A new sub-buffer: what was lost before it? Where it has no room for the
 * number, that is what the kernel counts now, and a later number may be of some
 * that are counted already. So where all are counted that the ring ever lost, they
 * are never more than the kernel counts.
 */
void ring_file_kernel_count_lost(struct lttngmap_ring_file *file,
				 const volatile struct kernel_page *page)
{
	uint64_t commit = __atomic_load_n(&page->commit, __ATOMIC_ACQUIRE);
	uint64_t size = commit & RING_FILE_COMMIT_SIZE_MASK, lost = 0;
	struct ring_file_kernel *kernel = &file->kernel;
	uint64_t all = meta_of(file)->overrun - kernel->lost_before;
	uint64_t more = all > kernel->lost ? all - kernel->lost : 0;

	if (!(commit & COMMIT_LOST))
		return;
	if (commit & COMMIT_LOST_STORED && size + sizeof(lost) <= file->subbuf_size - sizeof(*page))
		memcpy(&lost, (const uint8_t *)page->events + size, sizeof(lost));
	else
		lost = more;
	kernel->lost += kernel->counts_all && lost > more ? more : lost;
}

/* More than the ring ever lost can only be of those that it does not count. */
void ring_file_kernel_resume(struct lttngmap_ring_file *file, const struct lttngmap_packet *request,
			     const volatile struct kernel_page *page)
{
	struct ring_file_kernel *kernel = &file->kernel;
	uint64_t overrun = meta_of(file)->overrun;

	kernel->lost_before = 0;
	kernel->counts_all = true;
	kernel->lost = request->discarded < overrun ? request->discarded : overrun;
	kernel->lost_elsewhere = request->discarded - kernel->lost;
	/* A reader of the first events learns the losses before them. */
	if (page && page->timestamp > request->timestamp_end)
		ring_file_kernel_count_lost(file, page);
}

static int get_reader(struct lttngmap_ring_file *file)
{
	return ioctl(file->fd, TRACE_MMAP_IOCTL_GET_READER) < 0 ? -errno : 0;
}

/*
 * Make the sub-buffer with the next events the reader's. 0; -EAGAIN: there are none;
 * another -errno. The same one again may have more in it, or may only now count as
 * read: nothing is new where the kernel changes neither id nor count.
 */
static int advance(struct lttngmap_ring_file *file, const volatile struct kernel_page **page)
{
	const volatile struct trace_buffer_meta *meta = meta_of(file);
	struct ring_file_kernel *kernel = &file->kernel;
	uint32_t id, read;
	uint64_t size;
	int error;

	for (unsigned tries = 0; tries < TRIES_MAX; tries++) {
		id = meta->reader.id;
		read = meta->reader.read;
		error = get_reader(file);
		if (error)
			return error;
		*page = ring_file_kernel_page(file, meta->reader.id);
		if (!*page)
			return -EBADMSG;
		/* All events below the commit word's size are whole when it is read. */
		size = __atomic_load_n(&(*page)->commit, __ATOMIC_ACQUIRE) &
		       RING_FILE_COMMIT_SIZE_MASK;
		if (size > file->subbuf_size - sizeof(**page))
			return -EBADMSG;
		if (meta->reader.id != kernel->id || (*page)->timestamp != kernel->page_time ||
		    size > kernel->done)
			return size > 0 ? 0 : -EAGAIN;
		if (meta->reader.id == id && meta->reader.read == read)
			return -EAGAIN;
	}
	return -EAGAIN;
}

/*
 * The first request: what a reader before was given is read, unless it is asked
 * for once more. *page: that one, where it has something.
 */
static int begin(struct lttngmap_ring_file *file, const struct lttngmap_packet *request,
		 const volatile struct kernel_page **result)
{
	struct ring_file_kernel *kernel = &file->kernel;
	const volatile struct kernel_page *page;
	uint64_t commit;

	*result = NULL;
	if (kernel->id != RING_FILE_NO_ID)
		return 0;
	page = ring_file_kernel_page(file, meta_of(file)->reader.id);
	if (!page)
		return -EBADMSG;
	kernel->id = meta_of(file)->reader.id;
	kernel->done = meta_of(file)->reader.read;
	kernel->page_time = page->timestamp;
	kernel->lost_before = meta_of(file)->overrun;
	if (!(request->flags & LTTNGMAP_PACKET_REPEAT))
		return 0;
	kernel->done = 0;
	commit = __atomic_load_n(&page->commit, __ATOMIC_ACQUIRE);
	if (commit & RING_FILE_COMMIT_SIZE_MASK)
		*result = page;
	ring_file_kernel_resume(file, request, *result);
	return 0;
}

static int get_packet(struct lttngmap_ring_file *file, struct lttngmap_packet *packet)
{
	struct ring_file_kernel *kernel = &file->kernel;
	const volatile struct kernel_page *page;
	uint64_t commit;
	uint32_t size;
	int error;

	if (packet->flags & LTTNGMAP_PACKET_BACKWARD ||
	    (packet->cpu != LTTNGMAP_CPU_ANY && packet->cpu != kernel->cpu))
		return -EINVAL;
	error = begin(file, packet, &page);
	if (!error && !page)
		error = advance(file, &page);
	if (error)
		return error;
	commit = __atomic_load_n(&page->commit, __ATOMIC_ACQUIRE);
	size = (uint32_t)(commit & RING_FILE_COMMIT_SIZE_MASK);
	if (meta_of(file)->reader.id != kernel->id || page->timestamp != kernel->page_time) {
		kernel->id = meta_of(file)->reader.id;
		kernel->page_time = page->timestamp;
		kernel->done = 0;
		ring_file_kernel_count_lost(file, page);
	}
	if (size > file->subbuf_size - sizeof(*page) || size <= kernel->done)
		return -EBADMSG;
	*packet = (struct lttngmap_packet){
		.cpu = kernel->cpu,
		.flags = LTTNGMAP_PACKET_KERNEL,
		.subbuf_id = kernel->id,
		.offset = (uint32_t)sizeof(*page) + kernel->done,
		.length = size - kernel->done,
		.sequence = kernel->sequence++,
		.timestamp_begin = kernel->page_time,
		.discarded = kernel->lost + kernel->lost_elsewhere,
	};
	kernel->done = size;
	return 0;
}

/* The kernel overwrites no sub-buffer that a reader has. */
static int check_packet(struct lttngmap_ring_file *file)
{
	(void)file;
	return 0;
}

static const struct ring_file_transport transport = {
	.get_packet = get_packet,
	.check_packet = check_packet,
	.get_reader = get_reader,
};

/* Which CPU's it is, its folder says: .../cpuN/trace_pipe_raw. */
static int find_cpu(int fd, uint32_t *cpu)
{
	char link[64], path[PATH_MAX];
	ssize_t length;
	char *name;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return -errno;
	path[length] = '\0';
	name = strrchr(path, '/');
	if (!name || strcmp(name, "/trace_pipe_raw") != 0)
		return -ENODEV;
	*name = '\0';
	name = strrchr(path, '/');
	return name && sscanf(name, "/cpu%" SCNu32, cpu) == 1 ? 0 : -ENODEV;
}

int ring_file_tracefs_attach(int fd, struct ring_file_attachment *attachment)
{
	struct statfs system;
	uint32_t cpu;
	int error;

	if (fstatfs(fd, &system) < 0)
		return -errno;
	if (system.f_type != TRACEFS_MAGIC || sizeof(long) != 8)
		return -ENODEV;
	error = find_cpu(fd, &cpu);
	if (error)
		return error;
	*attachment = (struct ring_file_attachment){
		.transport = &transport,
		.fd = fd,
		.memory_fd = fd,
		.size = INT64_MAX, /* the kernel refuses what is beyond the end */
		.is_kernel = true,
		.cpu = cpu,
	};
	return 0;
}
