/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-file-transport.h - how a reader's requests reach the daemon: what
 * differs between the kinds of ring file. Private to the reader library.
 *
 * A transport is chosen by what the opened path is; ring-file.c does the
 * rest, which is common: map, check, bound.
 */
#ifndef RING_FILE_TRANSPORT_H
#define RING_FILE_TRANSPORT_H

#include <stdint.h>
#include <sys/stat.h>

#include <lttngmap/ring-file.h>

struct ring_file_transport {
	/* One request each, as in lttngmap/ring-file.h. 0 or -errno. */
	int (*get_packet)(int fd, struct lttngmap_packet *packet);
	int (*check_packet)(int fd);
	int (*get_reader)(int fd);
};

/* What attaching gives; the caller owns both descriptors. */
struct ring_file_attachment {
	const struct ring_file_transport *transport;
	int fd;        /* requests and poll */
	int memory_fd; /* to be mapped; may be the same as fd */
	uint64_t size; /* bytes that may be mapped, by the daemon's word */
};

/*
 * `fd` is an open regular file; ownership stays with the caller, who closes
 * it unless it became attachment->fd. `status` is its fstat.
 * 0, -ENODEV where it is not of this kind, or another -errno.
 */
int ring_file_ioctl_attach(int fd, struct ring_file_attachment *attachment);
int ring_file_socket_attach(int fd, const struct stat *status,
			    struct ring_file_attachment *attachment);

#endif /* RING_FILE_TRANSPORT_H */
