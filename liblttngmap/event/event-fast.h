/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * event-fast.h - the way that most events take, as one leaf function from the tracepoint to the
 * commit: a restartable sequence, the time stamp counter, and no context, or in one channel vtid,
 * ip or both. An event of one channel that has filters leaves it for the filter's first test, which
 * rejects most events (event_write_filtered()), an event of a map for event-map.c. A thread whose
 * pointer guard is not the process's leaves it for event_write_trylock() (below). Every other event
 * takes the general way (event.c), which the fast one jumps to before it has published a record.
 *
 * The fast way differs from ring-rseq.h in this:
 *
 *  - The section itself finds the CPU, and the ring by it. So nothing has to be compared with an
 *    earlier look. `fast_cpus` (struct ring_channel) counts the CPUs whose rings are written this
 *    way. cpu_id >= fast_cpus means one of: the pages of a forked child were wiped; the channel
 *    needs the general way; the thread has no restartable sequence, and a cpu_id beyond all CPUs.
 *  - The generation is loaded before `fast_cpus`. install_copy() stores `fast_cpus` first and the
 *    generation last, so a generation that is seen has its `fast_cpus`.
 *  - The commit is two stores, the timestamp's word first. A sequence that is aborted between them
 *    leaves a timestamp that no record has: of a moment after the last record, and before the next
 *    one, which is all that a reader makes of it. Both words' counts change together only when the
 *    low one wraps; such an event takes the general way, whose commit is one store.
 *  - An event of one channel with no context and up to 16 bytes of fields stores all 16, without a
 *    loop. `fast_limit` leaves room for them in the sub-buffer: one comparison, whatever the
 *    record's size. Longer records, records with vtid or ip, and those of several channels have a
 *    loop, and their size is added before the comparison.
 *  - 1 KiB ahead of the record the CPU is asked for the memory (prefetchw). Else each event that
 *    is the first one in a page waits for the page's address, and for its first line. No such
 *    instruction ever faults, whatever lies there.
 *
 * An event of several channels (event_fast_many) reads the clock once, and commits to one channel
 * after the other, the lowest first. Each commit ends a section; all are the same code, and so the
 * same section. The code between two of them belongs to none: there the channel that has its
 * record is taken off those that are left. If the kernel interrupts the thread there, for a signal
 * or another thread, it clears the word that announces the section. The next section looks at that
 * word, inside, and where it is cleared, announces itself anew and reads the clock again. So
 * whenever a record is committed, nobody else was on this CPU in this process since the clock was
 * read. The word is 0 behind the last channel; so no event of a handler leaves it as it was.
 * If one channel needs the general way, event_write_left() writes into that channel and into all
 * that are left after it.
 *
 * Ring control is writable memory, and not this process's alone: a forked child has it until its
 * first event, and may have given up its parent's rights by then. So `start` is compared with where
 * the CPUs' rings are: what is stored there corrupts the trace, and no other memory. A record that
 * reaches beyond the last of them ends in the extra rings.
 *
 * A forked child's pages are zeros, `event_words` of each channel among them, which is what an
 * event looks at. Its process's control is in `local_first`, and never NULL. A child has its
 * parent's there until its first event goes the general way; before that no channel is cached in
 * its pages.
 *
 * A thread may write the fast way only if its pointer guard equals `local_first.guard`. The pointer
 * guard is a random number that the C library keeps in each thread's storage (arch.h), so a thread
 * without such storage fails the comparison. While the process has a child by vfork,
 * `local_first.guard` has a value that is no thread's guard: the child runs on its parent's struct
 * rseq, with its parent's cpu_id, and nothing aborts its sections. A thread without a restartable
 * sequence has a cpu_id beyond all CPUs.
 *
 * After a process has left a daemon, that daemon's pages stay mapped. The words of the next
 * daemon's events lie elsewhere, so the comparison of their place refuses the old pages.
 */
#ifndef LIBLTTNGMAP_EVENT_EVENT_FAST_H
#define LIBLTTNGMAP_EVENT_EVENT_FAST_H

#include <stddef.h>
#include <stdint.h>

#include <lttngmap/event-class.h>

#include "liblttngmap/base/local.h"

/* Every event can go this way; as lttngmap_event_write(). */
__attribute__((visibility("hidden"))) void
event_write_general(const struct lttngmap_tracepoint *tracepoint, const void *fields, size_t size,
		    const void *ip);

/* The same; `flags` as in struct ring_event. */
__attribute__((visibility("hidden"))) void
event_write_flagged(const struct lttngmap_tracepoint *tracepoint, const void *fields, size_t size,
		    const void *ip, uint32_t flags);

/* Writes an event the general way into the channels that the fast way has left. */
__attribute__((visibility("hidden"))) void event_write_left(const void *fields, size_t size,
							    const void *ip, struct local *local,
							    uint64_t channels, uint32_t id);

/*
 * Writes an event that is on in one channel, which has filters: `word` is the filter's index among
 * those of `local` (slot, then id). An event that is not rejected at once goes the general way.
 */
__attribute__((visibility("hidden"))) void
event_write_filtered(const struct lttngmap_tracepoint *tracepoint, const void *fields, size_t size,
		     const void *ip, const struct local *local, uint64_t word);

/*
 * The process's next events may be written the fast way, first that of the lowest of `channels`,
 * in which an event is on. Signal-safe.
 */
void event_fast_allow(const struct local *local, uint64_t channels);

#endif /* LIBLTTNGMAP_EVENT_EVENT_FAST_H */
