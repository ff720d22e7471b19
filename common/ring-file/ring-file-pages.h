/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-file-pages.h - where a kernel's ring goes that cannot be mapped: before Linux
 * 6.10, its sub-buffers are copied by read(2).
 *
 * The kernel no longer has what read(2) gave. So the copies lie in a memory that
 * may outlive the reader, which is a consumer of ours:
 *
 *   slot of CPU 0                                    slot of CPU 1
 *   | meta page | sub-buffer | sub-buffer | third |  | meta page | ...
 *
 * In the meta page is a struct trace_buffer_meta as the kernel's own. The first two
 * sub-buffers are filled in turn, and reader.id is the one filled last. A reader that
 * comes after one that died asks for that one once more. The third one takes a sub-buffer
 * that is too long, because somebody changed the size of the kernel's.
 */
#ifndef COMMON_RING_FILE_RING_FILE_PAGES_H
#define COMMON_RING_FILE_RING_FILE_PAGES_H

#include <stdint.h>

struct lttngmap_ring_file;

/* Sub-buffers of each CPU in such a memory; and the bytes of its slot. */
#define RING_FILE_PAGES 3u
uint64_t ring_file_pages_slot(uint32_t subbuf_size);
/*
 * A memory for the copies of so many CPUs' rings, from 0 on, in sub-buffers of
 * `subbuf_size`: the caller's to close. It cannot be cut short. 0 or -errno.
 */
int ring_file_pages_create(uint32_t cpus, uint32_t subbuf_size, int *fd);
/*
 * The size of a sub-buffer in that tracing directory, /sys/kernel/tracing or an instance; 0: it
 * cannot be had now, and errno says why.
 */
uint32_t ring_file_kernel_subbuf_size(const char *directory);

/*
 * Like lttngmap_ring_file_open(); `pages`: -1, or the memory for the copies, which the caller
 * keeps.
 */
int ring_file_open_pages(const char *path, int pages, struct lttngmap_ring_file **file);

#endif /* COMMON_RING_FILE_RING_FILE_PAGES_H */
