/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-file-kernel.h - a kernel's ring, per_cpu/cpuN/trace_pipe_raw, in two ways:
 *
 *   ring-file-tracefs.c   mapped (Linux 6.10 and later)
 *   ring-file-read.c      its sub-buffers are copied by read(2)
 */
#ifndef COMMON_RING_FILE_RING_FILE_KERNEL_H
#define COMMON_RING_FILE_RING_FILE_KERNEL_H

#include <stdint.h>

#include "common/ring-file/ring-file-pages.h"
#include "common/ring-file/ring-file-transport.h"

/* A sub-buffer of the kernel's, as events/header_page says on 64 bits. */
struct kernel_page {
	uint64_t timestamp; /* of its first event */
	uint64_t commit;    /* bytes of events, and flags */
	uint8_t events[];
};

#define RING_FILE_COMMIT_SIZE_MASK UINT64_C(0xfffff)

/* Where a sub-buffer lies; NULL: there is no such one. */
const volatile struct kernel_page *ring_file_kernel_page(const struct lttngmap_ring_file *file,
							 uint32_t id);
/* How many bytes of events are in it; -EBADMSG: more than it has room for. */
int64_t ring_file_kernel_size(const struct lttngmap_ring_file *file,
			      const volatile struct kernel_page *page);
/* A new sub-buffer: count what was lost before it. The meta page tells what was lost in all. */
void ring_file_kernel_count_lost(struct lttngmap_ring_file *file,
				 const volatile struct kernel_page *page);

/*
 * The reader goes on after another one, who told `request->discarded` events to be lost: those
 * that the ring lost, and perhaps others, which he could not use. With the page that he was
 * given last, where it has events.
 */
void ring_file_kernel_resume(struct lttngmap_ring_file *file, const struct lttngmap_packet *request,
			     const volatile struct kernel_page *page);

/*
 * Like ring_file_tracefs_attach() for a file that cannot be mapped: by read(2). The copies go to
 * `pages`, which the caller keeps, or with -1 to a memory of the reader's own. Same errors, and
 * -EBADMSG: the memory does not fit the ring.
 */
int ring_file_read_attach(int fd, int pages, struct ring_file_attachment *attachment);

#endif /* COMMON_RING_FILE_RING_FILE_KERNEL_H */
