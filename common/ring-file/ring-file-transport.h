/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-file-transport.h - how a reader's requests reach the daemon: what
 * differs between the kinds of ring file. Private to the reader library.
 *
 * A transport is chosen by what the opened path is; ring-file.c does the
 * rest, which is common: map, check, bound.
 */
#ifndef COMMON_RING_FILE_RING_FILE_TRANSPORT_H
#define COMMON_RING_FILE_RING_FILE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <lttngmap/ring-file.h>

struct ring_file_transport {
	/* One request each, as in lttngmap/ring-file.h. 0 or -errno. */
	int (*get_packet)(struct lttngmap_ring_file *file, struct lttngmap_packet *packet);
	/* NULL: one at a time. */
	int (*get_packets)(struct lttngmap_ring_file *file, struct lttngmap_packets *packets);
	int (*check_packet)(struct lttngmap_ring_file *file);
	int (*get_reader)(struct lttngmap_ring_file *file);
};

/* Where a reader of a kernel's ring is: the kernel keeps no place within a sub-buffer. */
struct ring_file_kernel {
	uint64_t lost;        /* events, so far */
	uint64_t lost_before; /* by the kernel's count, which are not among them */
	uint64_t sequence;    /* packets, so far */
	uint64_t page_time;   /* of the reader's sub-buffer */
	uint32_t id;          /* of it; RING_FILE_NO_ID: none was looked at yet */
	uint32_t cpu;
	uint32_t done;   /* bytes of it that were given */
	bool counts_all; /* `lost` is of all that the ring ever lost */
	bool owes;       /* what was lost could not be looked up, and is to be */
	/* Events that an earlier reader told to be lost, and the kernel does not count. */
	uint64_t lost_elsewhere;
};

#define RING_FILE_NO_ID UINT32_MAX

struct lttngmap_ring_file {
	const struct ring_file_transport *transport;
	int fd;
	void *map; /* the meta page, then all sub-buffers */
	size_t map_size;
	uint32_t meta_page_size;
	uint32_t subbuf_size;
	uint32_t nr_subbufs;
	struct ring_file_kernel kernel; /* where it is one */
};

/* Result of attaching; the caller owns both descriptors. */
struct ring_file_attachment {
	const struct ring_file_transport *transport;
	int fd;                 /* requests and poll */
	int memory_fd;          /* to be mapped; may be the same as fd */
	uint64_t memory_offset; /* from where on */
	uint64_t size;          /* bytes that may be mapped, by the daemon's word */
	bool is_kernel;         /* the meta page is the kernel's, and true */
	uint32_t cpu;           /* whose ring it is, then */
	bool is_read;           /* into that memory: to be mapped for writing, too */
};

/*
 * `fd` is an open regular file; ownership stays with the caller, who closes
 * it unless it became attachment->fd. `status` is its fstat.
 * 0, -ENODEV where it is not of this kind, or another -errno.
 */
int ring_file_ioctl_attach(int fd, struct ring_file_attachment *attachment);
int ring_file_socket_attach(int fd, const struct stat *status,
			    struct ring_file_attachment *attachment);
/* Attaches to one CPU's ring: the folder tells which CPU. */
int ring_file_tracefs_attach(int fd, struct ring_file_attachment *attachment);

#endif /* COMMON_RING_FILE_RING_FILE_TRANSPORT_H */
