/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/stream/stream-direct.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "common/base/map-guard.h"
#include "common/base/time.h"
#include "consumerd/stream/stream-parts.h"

/* The consumer's wish: with a header of another size, each packet would have to be copied. */
_Static_assert(sizeof(struct ctf_packet_header) == LTTNGMAP_SUBBUF_HEAD,
	       "a packet's pages in the file are its sub-buffer's pages");

/* Below this, the copy is cheaper than the wait. */
#define PAGED_MIN (64u << 10)
/* A disk that takes longer for a byte is slow: 200 MB/s … */
#define SLOW_NS_PER_BYTE 5
/* … if that makes the consumer so late; one write that waited is made up for by idle time. */
#define SLOW_BEHIND_NS 10000000
#define SLOW_PAUSE_NS UINT64_C(100000000)
/* Bytes of a packet's first block and its last. */
#define PACKET_BLOCKS (2 * (size_t)DIRECT_BLOCK)

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
		direct->blocks = aligned_alloc(DIRECT_BLOCK, STREAM_RUN_MAX * PACKET_BLOCKS);
	if (!direct->blocks)
		return false;
	if (*state == DIRECT_OFF)
		*state = set_direct(fd, true) == 0 ? DIRECT_ON : DIRECT_NO;
	return *state == DIRECT_ON;
}

/* The bytes that make_vector() copies from the ring: a page may have to come back from swap. */
static bool are_ends_had(const struct stream_parts *parts)
{
	const char *body = parts->body, *pages = body - sizeof(parts->header);
	uint64_t last = parts->size - DIRECT_BLOCK;

	return map_guard_fetch(body, DIRECT_BLOCK - sizeof(parts->header)) == 0 &&
	       (!parts->has_tail || parts->content <= last ||
		map_guard_fetch(pages + last, parts->content - last) == 0);
}

/*
 * The pages as they are, but for the first block, and for the last where there
 * is a tail. That may be wholly beyond the content.
 */
static int make_vector(char *blocks, const struct stream_parts *parts, struct iovec vector[3])
{
	const char *body = parts->body, *pages = body - sizeof(parts->header);
	uint64_t last = parts->size - DIRECT_BLOCK;
	uint64_t last_content = parts->content > last ? parts->content - last : 0;
	char *end = blocks + DIRECT_BLOCK;

	memcpy(blocks, &parts->header, sizeof(parts->header));
	memcpy(blocks + sizeof(parts->header), body, DIRECT_BLOCK - sizeof(parts->header));
	vector[0] = (struct iovec){ blocks, DIRECT_BLOCK };
	vector[1] = (struct iovec){ (void *)(pages + DIRECT_BLOCK), last };
	if (!parts->has_tail)
		return 2;
	vector[1].iov_len = last - DIRECT_BLOCK;
	memcpy(end, pages + last, last_content);
	memset(end + last_content, 0, DIRECT_BLOCK - last_content);
	memcpy(end + DIRECT_BLOCK - sizeof(parts->tail), &parts->tail, sizeof(parts->tail));
	vector[2] = (struct iovec){ end, DIRECT_BLOCK };
	return 3;
}

/* A write took from `begin` to `end`: is the disk slow? */
static void judge(struct direct *direct, uint64_t size, uint64_t begin, uint64_t end)
{
	int64_t behind = direct->behind_ns - (int64_t)(begin - direct->end_ns);

	if (behind < 0)
		behind = 0;
	behind += (int64_t)(end - begin) - (int64_t)(size * SLOW_NS_PER_BYTE);
	if (behind > SLOW_BEHIND_NS) {
		direct->not_before_ns = end + SLOW_PAUSE_NS;
		behind = 0;
	}
	direct->behind_ns = behind > 0 ? behind : 0;
	direct->end_ns = end;
}

int direct_write(struct direct *direct, enum direct_state *state, int fd,
		 const struct stream_parts *parts, unsigned count)
{
	uint64_t begin = time_now_ns(), size = 0;
	struct iovec vector[3 * STREAM_RUN_MAX];
	ssize_t written;
	int used = 0;

	if (!enter(direct, state, fd, begin)) {
		direct_leave(state, fd);
		return -EAGAIN;
	}
	for (unsigned i = 0; i < count; i++) {
		if (!are_ends_had(&parts[i])) {
			direct_leave(state, fd);
			return -EAGAIN;
		}
		used += make_vector(direct->blocks + i * PACKET_BLOCKS, &parts[i], vector + used);
		size += parts[i].size;
	}
	written = pwritev(fd, vector, used, (off_t)parts->offset);
	if (written == (ssize_t)size) {
		judge(direct, size, begin, time_now_ns());
		return 0;
	}
	/* Part of it, or not in this way: the page cache tells what is wrong, if it is. */
	direct_leave(state, fd);
	if (written < 0 && (errno == EINVAL || errno == EOPNOTSUPP))
		*state = DIRECT_NO;
	return -EAGAIN;
}
