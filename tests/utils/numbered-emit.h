/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* numbered-emit.h - the emitting side of numbered.h. */
#ifndef TESTS_UTILS_NUMBERED_EMIT_H
#define TESTS_UTILS_NUMBERED_EMIT_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <lttngmap/tracepoint.h>

#include "tests/utils/numbered.h"

LTTNGMAP_TRACEPOINT(numbered, event, LTTNGMAP_LOGLEVEL_INFO, (integer, uint32_t, source),
		    (integer, uint64_t, number), (string, text), (sequence, uint16_t, items));

/* Map the counts, which are there; the file is not needed any more then. */
static inline struct numbered_counts *numbered_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *counts = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, sizeof(struct numbered_counts)) == 0)
		counts = mmap(NULL, sizeof(struct numbered_counts), PROT_READ | PROT_WRITE,
			      MAP_SHARED, fd, 0);
	if (counts == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	close(fd);
	return counts;
}

static inline uint32_t numbered_source(struct numbered_counts *counts)
{
	uint32_t source = __atomic_fetch_add(&counts->next, 1, __ATOMIC_RELAXED);

	if (source >= NUMBERED_SOURCES)
		abort();
	counts->sources[source].pid = (uint32_t)syscall(SYS_getpid);
	return source;
}

/*
 * One more, unless it is counted: a child that is forked in the middle of an event may
 * come to do so when its parent is far ahead.
 */
static inline void numbered_count(uint64_t *count, uint64_t number)
{
	__atomic_compare_exchange_n(count, &number, number + 1, 0, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
}

/* Emit the next event of the source; not counted where *stop_in says so meanwhile. */
static inline void numbered_emit(struct numbered_counts *counts, uint32_t source,
				 const volatile pid_t *stop_in)
{
	struct numbered_source *self = &counts->sources[source];
	struct numbered_payload payload;
	uint64_t number = self->done;

	numbered_payload(&payload, source, number);
	numbered_count(&self->begun, number);
	lttngmap_tracepoint(numbered, event, source, number, payload.text, payload.items,
			    payload.nr_items);
	/* A child that was forked in there is not to count for its parent. */
	if (!stop_in || !*stop_in)
		numbered_count(&self->done, number);
}

static inline void numbered_emit_many(struct numbered_counts *counts, uint32_t source,
				      uint64_t events)
{
	while (events-- > 0)
		numbered_emit(counts, source, NULL);
}

#endif /* TESTS_UTILS_NUMBERED_EMIT_H */
