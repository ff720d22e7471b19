/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * event-trylock.h - the way of most events in a process whose threads have no restartable
 * sequence: one function from the tracepoint to the commit, as event-fast.c is one by rseq. It
 * takes the steps of ring-lock.h, on the ring of the CPU only, with the time stamp counter, and
 * without contexts and filters. What is not so it leaves to the general way, before it has stored
 * anything that counts.
 *
 *  - It has no copy of the cached channel. The lock says which ring was written last under it, and
 *    in which life: of which process and which generation. If these are the ones that were found,
 *    they were valid together once. If the generation is still the channel's, they are now.
 *  - In a forked child the lock was wiped, or it has the life of another process.
 *  - Where the record goes stands in the lock as well, in the process's own memory. So nothing of
 *    it has to be checked against the ring.
 */
#ifndef LIBLTTNGMAP_EVENT_EVENT_TRYLOCK_H
#define LIBLTTNGMAP_EVENT_EVENT_TRYLOCK_H

#include <stddef.h>

#include <lttngmap/event-class.h>

/*
 * Every event can go this way that is not too large for a record, and of a thread that has storage;
 * as lttngmap_event_write().
 */
__attribute__((visibility("hidden"))) void
event_write_trylock(const struct lttngmap_tracepoint *tracepoint, const void *fields, size_t size,
		    const void *ip);

#endif /* LIBLTTNGMAP_EVENT_EVENT_TRYLOCK_H */
