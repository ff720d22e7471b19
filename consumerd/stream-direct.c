/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/stream-direct.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

/* The packet's header on disk stands where its sub-buffer has nothing. */
_Static_assert(sizeof(struct ctf_packet_header) == LTTNGMAP_SUBBUF_HEAD,
	       "a packet's header does not fit before its records");

/* Below this, the copy is cheaper than the wait. */
#define PAGED_MIN (64u << 10)
/* A disk that takes longer for a byte is slow: 200 MB/s. */
#define SLOW_NS_PER_BYTE 5
#define SLOW_PAUSE_NS UINT64_C(100000000)

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void direct_destroy(struct direct *direct)
{
	free(direct->block);
	direct->block = NULL;
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
	if (!direct->block)
		direct->block = aligned_alloc(DIRECT_BLOCK, DIRECT_BLOCK);
	if (!direct->block)
		return false;
	if (*state == DIRECT_OFF)
		*state = set_direct(fd, true) == 0 ? DIRECT_ON : DIRECT_NO;
	return *state == DIRECT_ON;
}

int direct_write(struct direct *direct, enum direct_state *state, int fd,
		 const struct ctf_packet_header *header, const void *body, uint64_t size,
		 uint64_t offset)
{
	const char *pages = (const char *)body - sizeof(*header);
	uint64_t rounded = (size + DIRECT_BLOCK - 1) & ~(uint64_t)(DIRECT_BLOCK - 1);
	uint64_t begin = now_ns();
	struct iovec parts[2];
	ssize_t written;

	if (!enter(direct, state, fd, begin)) {
		direct_leave(state, fd);
		return -EAGAIN;
	}
	memcpy(direct->block, header, sizeof(*header));
	memcpy((char *)direct->block + sizeof(*header), body, DIRECT_BLOCK - sizeof(*header));
	parts[0] = (struct iovec){ direct->block, DIRECT_BLOCK };
	parts[1] = (struct iovec){ (void *)(pages + DIRECT_BLOCK), rounded - DIRECT_BLOCK };
	written = pwritev(fd, parts, 2, (off_t)offset);
	if (written == (ssize_t)rounded) {
		if (now_ns() - begin > rounded * SLOW_NS_PER_BYTE)
			direct->not_before_ns = now_ns() + SLOW_PAUSE_NS;
		return 0;
	}
	/* Part of it, or not in this way: the page cache tells what is wrong, if it is. */
	direct_leave(state, fd);
	if (written < 0 && (errno == EINVAL || errno == EOPNOTSUPP))
		*state = DIRECT_NO;
	return -EAGAIN;
}
