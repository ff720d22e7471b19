/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The reader library of lttngmap/ring-file.h.
 *
 * The meta page lies in memory that the traced process can write. So each
 * value of it is read once into an object's own fields, checked against what
 * the daemon says may be mapped, and never read again for a decision here.
 */
#include <lttngmap/ring-file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/map-guard.h"
#include "common/ring-file/ring-file-kernel.h"

/*
 * Only a regular file is ever opened for real: opening a FIFO, a device or
 * what a symbolic link points to may already do harm.
 */
static int open_regular(const char *path, struct stat *status)
{
	char again[64];
	int fd, place = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (place < 0)
		return -errno;
	if (fstat(place, status) < 0) {
		fd = -errno;
	} else if (!S_ISREG(status->st_mode)) {
		fd = -ENODEV;
	} else if (status->st_uid != 0 && status->st_uid != geteuid() && geteuid() != 0) {
		fd = -EPERM;
	} else {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
		fd = open(again, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	}
	close(place);
	return fd;
}

static bool is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

/*
 * Takes the geometry from the meta page, and checks that all of it may be mapped. The map ends with
 * the last sub-buffer: ring control lies behind it in the same memory, and no reader maps or trusts
 * it.
 */
static int check_geometry(struct lttngmap_ring_file *file, const struct lttngmap_meta *meta,
			  uint64_t size, bool is_kernel)
{
	const volatile struct lttngmap_meta *shared = meta;
	uint64_t page = sysconf(_SC_PAGESIZE), all;

	if (!is_kernel && shared->magic != LTTNGMAP_META_MAGIC)
		return -ENODEV;
	if (!is_kernel && shared->major != LTTNGMAP_ABI_MAJOR)
		return -EPROTONOSUPPORT;
	file->meta_page_size = shared->meta.meta_page_size;
	file->subbuf_size = shared->meta.subbuf_size;
	file->nr_subbufs = shared->meta.nr_subbufs;
	if (file->meta_page_size < page || file->meta_page_size % page != 0)
		return -EBADMSG;
	if (!is_power_of_two(file->subbuf_size) ||
	    file->subbuf_size < UINT32_C(1) << LTTNGMAP_SUBBUF_SHIFT_MIN ||
	    file->subbuf_size > UINT32_C(1) << LTTNGMAP_SUBBUF_SHIFT_MAX)
		return -EBADMSG;
	/* 32 and 31 bits: the product fits, and so does the sum. */
	all = (uint64_t)file->nr_subbufs * file->subbuf_size + file->meta_page_size;
	if (file->nr_subbufs == 0 || all > size || all > PTRDIFF_MAX)
		return -EBADMSG;
	file->map_size = all;
	return 0;
}

/*
 * Its pages are there from now on, as far as that can be had: the kernel copies to
 * them also when their reader is being killed.
 */
static void make_pages(struct lttngmap_ring_file *file)
{
	volatile char *bytes = file->map;

	for (size_t at = 0; at < file->map_size; at += (size_t)sysconf(_SC_PAGESIZE))
		bytes[at] = bytes[at];
	(void)mlock(file->map, file->map_size);
}

static int map_memory(struct lttngmap_ring_file *file,
		      const struct ring_file_attachment *attachment)
{
	int fd = attachment->memory_fd, rights = PROT_READ;
	off_t offset = (off_t)attachment->memory_offset;
	size_t page = sysconf(_SC_PAGESIZE);
	void *meta;
	int error;

	if (attachment->size < page)
		return -EBADMSG;
	meta = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, offset);
	if (meta == MAP_FAILED)
		return -errno;
	error = map_guard_add(meta, page);
	if (!error)
		error = check_geometry(file, meta, attachment->size, attachment->is_kernel);
	map_guard_remove(meta);
	munmap(meta, page);
	if (error)
		return error;
	if (attachment->is_read)
		rights |= PROT_WRITE;
	meta = mmap(NULL, file->map_size, rights, MAP_SHARED, fd, offset);
	if (meta == MAP_FAILED)
		return -errno;
	error = map_guard_add(meta, file->map_size);
	if (error) {
		munmap(meta, file->map_size);
		return error;
	}
	file->map = meta;
	/* A reader's core dump needs no traces. Where it is refused, it has them. */
	(void)madvise(file->map, file->map_size, MADV_DONTDUMP);
	if (attachment->is_read)
		make_pages(file);
	return 0;
}

int ring_file_open_pages(const char *path, int pages, struct lttngmap_ring_file **result)
{
	struct ring_file_attachment attachment;
	struct lttngmap_ring_file *file;
	struct stat status;
	int error, fd;

	*result = NULL;
	fd = open_regular(path, &status);
	if (fd < 0)
		return fd;
	/*
	 * In this order: the bytes of a ring-fs file are the traced process's, who
	 * must not make an announcement of them.
	 */
	error = ring_file_ioctl_attach(fd, &attachment);
	if (error == -ENODEV)
		error = ring_file_tracefs_attach(fd, &attachment);
	if (error == -ENODEV)
		error = ring_file_socket_attach(fd, &status, &attachment);
	if (error || attachment.fd != fd)
		close(fd);
	if (error)
		return error;
	file = calloc(1, sizeof(*file));
	if (file) {
		file->fd = attachment.fd;
		file->kernel =
			(struct ring_file_kernel){ .id = RING_FILE_NO_ID, .cpu = attachment.cpu };
		error = map_memory(file, &attachment);
		if (error == -ENODEV && attachment.is_kernel) {
			error = ring_file_read_attach(fd, pages, &attachment);
			if (!error)
				error = map_memory(file, &attachment);
		}
		file->transport = attachment.transport;
	} else {
		error = -ENOMEM;
	}
	if (attachment.memory_fd != attachment.fd)
		close(attachment.memory_fd);
	if (!error)
		*result = file;
	else if (file)
		lttngmap_ring_file_close(file);
	else
		close(attachment.fd);
	return error;
}

int lttngmap_ring_file_open(const char *path, struct lttngmap_ring_file **result)
{
	return ring_file_open_pages(path, -1, result);
}

void lttngmap_ring_file_close(struct lttngmap_ring_file *file)
{
	if (!file)
		return;
	if (file->map) {
		map_guard_remove(file->map);
		munmap(file->map, file->map_size);
	}
	close(file->fd);
	free(file);
}

int lttngmap_ring_file_fd(const struct lttngmap_ring_file *file)
{
	return file->fd;
}

const struct lttngmap_meta *lttngmap_ring_file_meta(const struct lttngmap_ring_file *file)
{
	return file->map;
}

int lttngmap_ring_file_get_packet(struct lttngmap_ring_file *file, struct lttngmap_packet *packet)
{
	return file->transport->get_packet(file, packet);
}

int lttngmap_ring_file_get_packets(struct lttngmap_ring_file *file,
				   struct lttngmap_packets *packets)
{
	uint32_t most = packets->count;
	int error;

	if (most < 1 || most > LTTNGMAP_PACKETS_MAX)
		return -EINVAL;
	if (!file->transport->get_packets) {
		packets->count = 1;
		return file->transport->get_packet(file, packets->packets);
	}
	error = file->transport->get_packets(file, packets);
	return !error && (packets->count < 1 || packets->count > most) ? -EPROTO : error;
}

int lttngmap_ring_file_check_packet(struct lttngmap_ring_file *file)
{
	return file->transport->check_packet(file);
}

int lttngmap_ring_file_get_reader(struct lttngmap_ring_file *file)
{
	return file->transport->get_reader(file);
}

const void *lttngmap_ring_file_data(const struct lttngmap_ring_file *file,
				    const struct lttngmap_packet *packet)
{
	if (packet->subbuf_id >= file->nr_subbufs || packet->offset > file->subbuf_size ||
	    packet->length > file->subbuf_size - packet->offset)
		return NULL;
	return (const char *)file->map + file->meta_page_size +
	       (uint64_t)packet->subbuf_id * file->subbuf_size + packet->offset;
}
