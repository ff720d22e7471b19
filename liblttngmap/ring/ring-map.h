/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-map.h - counts an event in a map's table (struct lttngmap_map_entry in
 * lttngmap/abi.h; doc/design/maps.md). Three ways count:
 *
 *   event-map.c      an integer of the record, its bucket, or no key, and no
 *                    sum: the whole event in one sequence, which ends with incq
 *   ring-map-text.h  a key that is a text: stores it beside the entry, too
 *   here             all else
 *
 * Each writes a CPU's table in one restartable sequence (ring-rseq.h), from the
 * search for the key to the last store; here and in ring-map-text.h that is one
 * 16-byte store of count and sum. A process that is killed anywhere leaves its
 * event counted wholly or not at all; a key that was stored into a free entry,
 * whose count is 0, means nothing. The tables of threads without a restartable
 * sequence are written by atomic operations, of which none waits for another
 * thread.
 *
 * Other processes of the user write into the same tables, and may write
 * anything: the search takes LTTNGMAP_MAP_PROBES steps within the table, whatever
 * it finds there.
 */
#ifndef LIBLTTNGMAP_RING_RING_MAP_H
#define LIBLTTNGMAP_RING_RING_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "liblttngmap/base/local.h"
#include "liblttngmap/ring/ring-rseq.h"
#include "liblttngmap/ring/ring.h"

/* Bytes of a table, without the entry of all other keys. */
static inline uint64_t ring_map_size(const struct ring_channel *channel)
{
	return UINT64_C(2) << RING_CHANNEL_FIELD(channel, subbuf_shift);
}

/* Where the search for `key` begins: an offset in a table. */
static inline uint64_t ring_map_begin(const struct ring_channel *channel, uint64_t key)
{
	return lttngmap_map_place(key, RING_CHANNEL_FIELD(channel, subbuf_shift) - 4) *
	       sizeof(struct lttngmap_map_entry);
}

/*
 * Try once to count in the table of update->place.cpu: RING_WRITTEN, RING_AGAIN or RING_STALE.
 * `channel` is cached, or a copy, both of update->place.epoch. Signal-safe.
 */
static inline __attribute__((always_inline)) enum ring_result
ring_map_rseq_count(const struct ring_channel *channel, ptrdiff_t rseq_offset,
		    const struct ring_map_update *update)
{
	/*
	 * In r8 the table's address, in rcx the entry's offset, in rdx the key, in r9 the looks
	 * that are left. A ring's memory is index_mask + 2 sub-buffers: those in rotation, and one.
	 * An entry has 32 bytes, and a table is a power of two of them, in two sub-buffers: so r10
	 * is the last entry's offset, and the mask that leads from behind the last entry to the
	 * first. 5: looks at an entry. 6: it is free, and becomes the key's. 7: counts there. The
	 * entry of all other keys is behind the last one.
	 */
	__asm__ goto(RSEQ_SECTION_TABLE RSEQ_SECTION_ENTER_BY_EPOCH
		     "movl %c[index_mask](%[channel]), %%r8d\n\t"
		     "addq $2, %%r8\n\t"
		     "movl %c[subbuf_shift](%[channel]), %%ecx\n\t"
		     "shlq %%cl, %%r8\n\t"
		     "movl $2, %%r10d\n\t"
		     "shlq %%cl, %%r10\n\t"
		     "subq $32, %%r10\n\t"
		     "movl %c[cpu](%[place]), %%eax\n\t"
		     "imulq %%rax, %%r8\n\t"
		     "addq %c[data_end](%[channel]), %%r8\n\t"
		     "addq %c[least_start](%[channel]), %%r8\n\t"
		     "movq %c[begin](%[place]), %%rcx\n\t"
		     "movq %c[key](%[place]), %%rdx\n\t"
		     "movl %[probes], %%r9d\n\t"
		     "5: andq %%r10, %%rcx\n\t"
		     "movq (%%r8, %%rcx), %%rax\n\t"
		     "testq %%rax, %%rax\n\t"
		     "jz 6f\n\t"
		     "cmpq %%rdx, 16(%%r8, %%rcx)\n\t"
		     "je 7f\n\t"
		     "addq $32, %%rcx\n\t"
		     "decl %%r9d\n\t"
		     "jnz 5b\n\t"
		     "leaq 32(%%r10), %%rcx\n\t"
		     "movq (%%r8, %%rcx), %%rax\n\t"
		     "jmp 7f\n\t"
		     "6: movq %%rdx, 16(%%r8, %%rcx)\n\t"
		     "7: incq %%rax\n\t"
		     "movq 8(%%r8, %%rcx), %%rdx\n\t"
		     "addq %c[add](%[place]), %%rdx\n\t"
		     "movq %%rax, %%xmm0\n\t"
		     "movq %%rdx, %%xmm1\n\t"
		     "punpcklqdq %%xmm1, %%xmm0\n\t"
		     "movaps %%xmm0, (%%r8, %%rcx)\n\t"
		     "2:\n\t"
		     :
		     : RSEQ_SECTION_OPERANDS,
		       [index_mask] "i"(offsetof(struct ring_channel, index_mask)),
		       [subbuf_shift] "i"(offsetof(struct ring_channel, subbuf_shift)),
		       [data_end] "i"(offsetof(struct ring_channel, data_end)),
		       [least_start] "i"(offsetof(struct ring_channel, least_start)),
		       [begin] "i"(offsetof(struct ring_map_update, begin)),
		       [key] "i"(offsetof(struct ring_map_update, key)),
		       [add] "i"(offsetof(struct ring_map_update, add)),
		       [probes] "i"(LTTNGMAP_MAP_PROBES), [rseq] "r"(rseq_offset),
		       [channel] "r"(channel), [place] "r"(update)
		     : "rax", "rcx", "rdx", "r8", "r9", "r10", "xmm0", "xmm1", "cc", "memory"
		     : again, stale);
	return RING_WRITTEN;
again:
	return RING_AGAIN;
stale:
	return RING_STALE;
}

/*
 * Count in table `index`, where threads without a restartable sequence do. `channel` is a copy of
 * the cached channel. `text`: LTTNGMAP_MAP_TEXT_SIZE bytes of which update->key is the hash; NULL:
 * it is a number. Signal-safe; never waits.
 */
void ring_map_atomic_count(const struct ring_channel *channel, uint32_t index,
			   const struct ring_map_update *update, const uint64_t *text);

/* Have the tables room for texts? */
static inline bool ring_map_has_texts(const struct ring_channel *channel)
{
	return RING_CHANNEL_FIELD(channel, index_mask) == LTTNGMAP_MAP_TEXT_SUBBUFS - 1;
}

/*
 * An event of a trigger was counted: rings the bell, unless a bell is on its way (`rung` in
 * lttngmap/abi.h). `channel` is a copy. Signal-safe.
 */
void ring_map_tell(const struct local *local, const struct ring_channel *channel);

#endif /* LIBLTTNGMAP_RING_RING_MAP_H */
