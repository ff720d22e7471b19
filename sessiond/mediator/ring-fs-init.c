/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Passthrough: mmap of a ring file reaches the pages of the ring's own memfd.
 *
 * libfuse before 3.17 knows nothing of it. So the answer to INIT, which says
 * what the server wants, is completed on its way to the kernel; later versions
 * let it pass likewise. Memories are registered by an ioctl on the connection,
 * and OPEN's answer names the registration (ring-fs-file.c).
 */
#include "sessiond/mediator/ring-fs.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/fuse.h>

/* Linux >= 6.9; the headers that we are built with may be older. */
#define KERNEL_INIT_PASSTHROUGH_2 (UINT32_C(1) << (37 - 32)) /* in flags2 */

struct kernel_backing_map {
	int32_t fd;
	uint32_t flags;
	uint64_t padding;
};
#define KERNEL_BACKING_OPEN _IOW(229, 1, struct kernel_backing_map)
#define KERNEL_BACKING_CLOSE _IOW(229, 2, uint32_t)

/* INIT's answer, as far as it matters here. */
struct kernel_init_out {
	uint32_t major, minor, max_readahead, flags;
	uint16_t max_background, congestion_threshold;
	uint32_t max_write, time_gran;
	uint16_t max_pages, map_alignment;
	uint32_t flags2, max_stack_depth;
	uint32_t unused[6];
};
_Static_assert(sizeof(struct kernel_init_out) == 64, "as the kernel has it");
_Static_assert(offsetof(struct kernel_init_out, flags2) == offsetof(struct fuse_init_out, flags2),
	       "as the kernel has it");

static void see_init(struct ring_fs_init *init, const char *bytes, size_t size)
{
	struct fuse_in_header header;
	struct fuse_init_in in;

	if (size < sizeof(header))
		return;
	memcpy(&header, bytes, sizeof(header));
	if (header.opcode != FUSE_INIT)
		return;
	init->seen = true;
	/* A kernel too old for the extended form has no passthrough either. */
	if (size < sizeof(header) + sizeof(in))
		return;
	memcpy(&in, bytes + sizeof(header), sizeof(in));
	init->offered = in.flags & FUSE_INIT_EXT && in.flags2 & KERNEL_INIT_PASSTHROUGH_2;
}

static ssize_t read_request(int fd, void *buffer, size_t size, void *user_data)
{
	struct mediator *mediator = user_data;
	ssize_t length = read(fd, buffer, size);

	if (length > 0 && !mediator->init.seen)
		see_init(&mediator->init, buffer, length);
	return length;
}

/* INIT's answer with what libfuse does not say added. */
static ssize_t write_init(int fd, const struct iovec *parts, struct ring_fs_init *init)
{
	struct kernel_init_out out;
	struct iovec patched[2] = {
		parts[0],
		{ .iov_base = &out, .iov_len = sizeof(out) },
	};
	ssize_t length;

	memcpy(&out, parts[1].iov_base, sizeof(out));
	out.flags |= FUSE_INIT_EXT;
	out.flags2 |= KERNEL_INIT_PASSTHROUGH_2;
	/* Our memories lie on tmpfs, which lies on nothing. */
	out.max_stack_depth = 1;
	length = writev(fd, patched, 2);
	init->done = length >= 0;
	return length;
}

static ssize_t write_answer(int fd, struct iovec *parts, int count, void *user_data)
{
	struct mediator *mediator = user_data;

	/* The kernel takes no other answer before this one, so it is the first. */
	if (mediator->init.offered && !mediator->init.done && count == 2 &&
	    parts[1].iov_len == sizeof(struct kernel_init_out))
		return write_init(fd, parts, &mediator->init);
	return writev(fd, parts, count);
}

const struct fuse_custom_io ring_fs_init_io = {
	.read = read_request,
	.writev = write_answer,
};

int ring_fs_backing_open(struct fuse_session *session, int fd)
{
	struct kernel_backing_map map = { .fd = fd };
	int id = ioctl(fuse_session_fd(session), KERNEL_BACKING_OPEN, &map);

	return id < 0 ? -errno : id;
}

void ring_fs_backing_close(struct fuse_session *session, int backing)
{
	uint32_t id = backing;

	ioctl(fuse_session_fd(session), KERNEL_BACKING_CLOSE, &id);
}
