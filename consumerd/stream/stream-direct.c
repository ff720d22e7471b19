/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/stream/stream-direct.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "common/base/time.h"

/* The consumer's wish: with a header of another size, each packet would have to be copied. */
_Static_assert(sizeof(struct ctf_packet_header) == LTTNGMAP_SUBBUF_HEAD,
	       "a packet's pages in the file are its sub-buffer's pages");

/* Below this, the copy is cheaper than the wait. */
#define PAGED_MIN (64u << 10)
/* A disk that takes longer for a byte is slow: 200 MB/s. */
#define SLOW_NS_PER_BYTE 5
#define SLOW_PAUSE_NS UINT64_C(100000000)

void direct_destroy(struct direct *direct)
{
	free(direct->blocks);
	direct->blocks = NULL;
}

bool direct_is_paged(const struct lttngmap_packet *packet, const void *body)
{
	uintptr_t begin = (uintptr_t)body - LTTNGMAP_SUBBUF_HEAD;

	return packet->offset == LTTNGMAP_SUBBUF_HEAD && packet->length >= PAGED_MIN &&
	       begin % DIRECT_BLOCK == 0 && !(packet->flags & LTTNGMAP_PACKET_VOLATILE);
}

static int set_direct(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	flags = on ? flags | O_DIRECT : flags & ~O_DIRECT;
	return fcntl(fd, F_SETFL, flags) < 0 ? -errno : 0;
}

void direct_leave(enum direct_state *state, int fd)
{
	if (*state == DIRECT_ON && set_direct(fd, false) == 0)
		*state = DIRECT_OFF;
}

static bool enter(struct direct *direct, enum direct_state *state, int fd, uint64_t now)
{
	if (*state == DIRECT_NO || now < direct->not_before_ns)
		return false;
	if (!direct->blocks)
		direct->blocks = aligned_alloc(DIRECT_BLOCK, 2 * DIRECT_BLOCK);
	if (!direct->blocks)
		return false;
	if (*state == DIRECT_OFF)
		*state = set_direct(fd, true) == 0 ? DIRECT_ON : DIRECT_NO;
	return *state == DIRECT_ON;
}

/*
 * The pages as they are, but for the first block, and for the last where there
 * is a tail. That may be wholly beyond the content.
 */
static int make_parts(char *blocks, const struct ctf_packet_header *header, const char *body,
		      uint64_t content, const struct trace_tail *tail, uint64_t size,
		      struct iovec parts[3])
{
	const char *pages = body - sizeof(*header);
	uint64_t last = size - DIRECT_BLOCK;
	uint64_t last_content = content > last ? content - last : 0;
	char *end = blocks + DIRECT_BLOCK;

	memcpy(blocks, header, sizeof(*header));
	memcpy(blocks + sizeof(*header), body, DIRECT_BLOCK - sizeof(*header));
	parts[0] = (struct iovec){ blocks, DIRECT_BLOCK };
	parts[1] = (struct iovec){ (void *)(pages + DIRECT_BLOCK), size - DIRECT_BLOCK };
	if (!tail)
		return 2;
	parts[1].iov_len = last - DIRECT_BLOCK;
	memcpy(end, pages + last, last_content);
	memset(end + last_content, 0, DIRECT_BLOCK - last_content);
	memcpy(end + DIRECT_BLOCK - sizeof(*tail), tail, sizeof(*tail));
	parts[2] = (struct iovec){ end, DIRECT_BLOCK };
	return 3;
}

int direct_write(struct direct *direct, enum direct_state *state, int fd,
		 const struct ctf_packet_header *header, const void *body, uint64_t content,
		 const struct trace_tail *tail, uint64_t size, uint64_t offset)
{
	uint64_t begin = time_now_ns();
	struct iovec parts[3];
	ssize_t written;

	if (!enter(direct, state, fd, begin)) {
		direct_leave(state, fd);
		return -EAGAIN;
	}
	written = pwritev(fd, parts,
			  make_parts(direct->blocks, header, body, content, tail, size, parts),
			  (off_t)offset);
	if (written == (ssize_t)size) {
		if (time_now_ns() - begin > size * SLOW_NS_PER_BYTE)
			direct->not_before_ns = time_now_ns() + SLOW_PAUSE_NS;
		return 0;
	}
	/* Part of it, or not in this way: the page cache tells what is wrong, if it is. */
	direct_leave(state, fd);
	if (written < 0 && (errno == EINVAL || errno == EOPNOTSUPP))
		*state = DIRECT_NO;
	return -EAGAIN;
}
