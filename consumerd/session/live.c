/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/session/live.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <lttngmap/abi.h>

#include "common/base/beneath.h"
#include "common/protocol/live-time.h"
#include "consumerd/packet/file.h"

#define NEW_TIME LIVE_TIME_NAME ".new"
#define RECORD_TIME_SHIFT 16

/* A rename, of which whoever watches the folder is told. */
static int replace(int folder, const struct live_time *live)
{
	int error, fd = beneath_create(folder, NEW_TIME, 0660);

	if (fd < 0)
		return fd;
	error = file_write(fd, live, sizeof(*live), 0);
	if (close(fd) < 0 && !error)
		error = -errno;
	if (!error && renameat(folder, NEW_TIME, folder, LIVE_TIME_NAME) < 0)
		error = -errno;
	if (error)
		(void)unlinkat(folder, NEW_TIME, 0);
	return error;
}

int live_tell(const struct trace *trace, uint64_t time, bool is_full)
{
	struct live_time live = { .magic = LIVE_TIME_MAGIC, .time = time, .is_full = is_full };
	int error;

	trace_become_owner(trace);
	error = replace(trace->dir, &live);
	trace_become_self();
	return error;
}

void live_tighten(struct lttngmap_packet *packet, const void *body, uint64_t told)
{
	uint64_t begin = packet->timestamp_begin, word;

	if (packet->events == 0) {
		if (packet->timestamp_end < told)
			packet->timestamp_begin = packet->timestamp_end = told;
		return;
	}
	if (packet->length < sizeof(word))
		return;
	memcpy(&word, body, sizeof(word));
	begin += ((word >> RECORD_TIME_SHIFT) - begin) & LTTNGMAP_TIMESTAMP_MASK;
	if (begin <= packet->timestamp_end)
		packet->timestamp_begin = begin;
}

bool live_is_late(const struct lttngmap_packet *packet, uint64_t told)
{
	return packet->events && packet->length >= sizeof(uint64_t) &&
	       packet->timestamp_begin <= told;
}

void live_move(struct lttngmap_packet *packet, void *body, uint64_t told)
{
	const uint64_t id_mask = (UINT64_C(1) << RECORD_TIME_SHIFT) - 1;
	uint64_t word;

	memcpy(&word, body, sizeof(word));
	word = (word & id_mask) | (told + 1) << RECORD_TIME_SHIFT;
	memcpy(body, &word, sizeof(word));
	packet->timestamp_begin = told + 1;
	if (packet->timestamp_end <= told)
		packet->timestamp_end = told + 1;
}
