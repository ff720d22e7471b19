/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-rseq.h - alone on a CPU's ring by a restartable sequence (rseq(2)).
 *
 * Between its first and last instruction the kernel lets no other thread of
 * the process on this CPU come in between: on preemption, migration or a
 * signal the thread goes on at the abort label instead. The last instruction
 * is the 16-byte store of the commit, so either all of a record is there or
 * nothing is. No instruction is locked.
 *
 * Each section checks inside, where it can no longer become untrue unnoticed:
 *  - that it runs on the CPU whose ring it was given;
 *  - that the channel's generation still stands: the daemon changes it and
 *    then lets every CPU pass a quiescent state (membarrier), after which no
 *    section of the old generation can be running any more;
 *  - that this is not a child which a signal handler forked since its parent
 *    computed the operands: the cached channel's pages were wiped then (local.h).
 *
 * Registers: the operands take six at most, rax rcx rdx r8 r9 r10 r11 are
 * scratch; that leaves one for compilers that keep a frame pointer.
 */
#ifndef LIBLTTNGMAP_RING_RING_RSEQ_H
#define LIBLTTNGMAP_RING_RING_RSEQ_H

#include <stddef.h>
#include <stdint.h>
#include <sys/rseq.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/base/local.h"
#include "liblttngmap/ring/ring.h"

/* Sets up section `3`, from `1` to `2`, with its abort handler `4`. */
#define RSEQ_SECTION_TABLE                                                                         \
	".pushsection __rseq_cs, \"aw\"\n\t"                                                       \
	".balign 32\n\t"                                                                           \
	"3: .long 0, 0\n\t"                                                                        \
	".quad 1f, 2f - 1f, 4f\n\t"                                                                \
	".popsection\n\t"                                                                          \
	".pushsection __rseq_failure, \"ax\"\n\t"                                                  \
	".byte 0x0f, 0xb9, 0x3d\n\t" /* ud1, then the signature */                                 \
	".long 0x53053053\n\t"                                                                     \
	"4: jmp %l[again]\n\t"                                                                     \
	".popsection\n\t"

/*
 * A copy of the cached channel, and contexts, are not wiped in a forked child. It may have been
 * attached since, in the handler that forked it: then it has another epoch.
 */
#define RSEQ_NOT_FORKED                                                                            \
	"movq %c[epoch_now](%[channel]), %%rax\n\t"                                                \
	"movq (%%rax), %%rax\n\t"                                                                  \
	"cmpq %%rax, %c[epoch](%[place])\n\t"                                                      \
	"jne %l[stale]\n\t"

/* rseq_cs is set after the thread's address is known; then the checks. */
#define RSEQ_SECTION_ENTER(MORE_CHECKS)                                                            \
	"leaq 3b(%%rip), %%rax\n\t"                                                                \
	"movq %%rax, %%fs:%c[cs_field](%[rseq])\n\t"                                               \
	"1:\n\t"                                                                                   \
	"movl %c[cpu](%[place]), %%eax\n\t"                                                        \
	"cmpl %%eax, %%fs:%c[cpu_field](%[rseq])\n\t"                                              \
	"jne %l[again]\n\t"                                                                        \
	"movq %c[control_generation](%[channel]), %%rax\n\t"                                       \
	"testq %%rax, %%rax\n\t"                                                                   \
	"jz %l[stale]\n\t" /* wiped: a forked child */                                             \
	"movl (%%rax), %%eax\n\t"                                                                  \
	"cmpl %%eax, %c[generation](%[place])\n\t"                                                 \
	"jne %l[stale]\n\t" MORE_CHECKS

#define RSEQ_SECTION_ENTER_BY_EPOCH RSEQ_SECTION_ENTER(RSEQ_NOT_FORKED)

#define RSEQ_SECTION_OPERANDS                                                                      \
	[cs_field] "i"(offsetof(struct rseq, rseq_cs)),                                            \
		[cpu_field] "i"(offsetof(struct rseq, cpu_id)),                                    \
		[control_generation] "i"(offsetof(struct ring_channel, control_generation)),       \
		[epoch_now] "i"(offsetof(struct ring_channel, epoch)),                             \
		[epoch] "i"(offsetof(struct ring_place, epoch)),                                   \
		[cpu] "i"(offsetof(struct ring_place, cpu)),                                       \
		[generation] "i"(offsetof(struct ring_place, generation))

/* %rax = clock, 64 bits; scratches %rdx. */
#define RING_READ_TSC                                                                              \
	"rdtsc\n\t"                                                                                \
	"shlq $32, %%rdx\n\t"                                                                      \
	"orq %%rdx, %%rax\n\t"
#define RING_READ_GIVEN "movq %c[now](%[place]), %%rax\n\t"

/*
 * Position and count in r9, offset in r10, index in r11, then the address in
 * r10. The clock must not lie before the ring's last timestamp, nor half a
 * wrap of 48 bits after the sub-buffer was opened: both go to the switch, which
 * knows what to do. So does a sub-buffer that is none of the ring's: of a ring that processes share
 * another one may have written its table.
 */
#define RING_WRITE_SECTION(READ_CLOCK, MORE_CHECKS)                                                \
	RSEQ_SECTION_TABLE                                                                         \
	RSEQ_SECTION_ENTER(MORE_CHECKS)                                                            \
	"movq (%[ring]), %%r9\n\t"                                                                 \
	"movq %%r9, %%r10\n\t"                                                                     \
	"andq %c[offset_mask](%[channel]), %%r10\n\t"                                              \
	"movq %c[total](%[place]), %%r8\n\t"                                                       \
	"leaq (%%r10, %%r8), %%rax\n\t"                                                            \
	"cmpq %c[offset_limit](%[channel]), %%rax\n\t"                                             \
	"ja %l[full]\n\t"                                                                          \
	"movl %c[subbuf_shift](%[channel]), %%ecx\n\t"                                             \
	"movq %%r9, %%r11\n\t"                                                                     \
	"shrq %%cl, %%r11\n\t"                                                                     \
	"andl %c[index_mask](%[channel]), %%r11d\n\t"                                              \
	"movl %c[slots](%[ring], %%r11, 8), %%eax\n\t"                                             \
	"andl %[id_mask], %%eax\n\t"                                                               \
	"xorl %%r11d, %%eax\n\t"                                                                   \
	"leal -1(%%rax), %%edx\n\t"                                                                \
	"cmpl %c[index_mask](%[channel]), %%edx\n\t"                                               \
	"jg %l[full]\n\t"                                                                          \
	"shlq %%cl, %%rax\n\t"                                                                     \
	"addq %%rax, %%r10\n\t"                                                                    \
	"addq %[data], %%r10\n\t"                                                                  \
	"movl %%r11d, %%ecx\n\t"                                                                   \
	"notl %%ecx\n\t"                                                                           \
	"andl $1, %%ecx\n\t"                                                                       \
	"movq 8(%[ring]), %%r11\n\t" READ_CLOCK "movq %%rax, %%rdx\n\t"                            \
	"subq %%r11, %%rdx\n\t"                                                                    \
	"shlq $16, %%rdx\n\t"                                                                      \
	"js %l[full]\n\t"                                                                          \
	"cmpq $0, %c[opened](%[ring], %%rcx, 8)\n\t"                                               \
	"je %l[full]\n\t"                                                                          \
	"movq %%rax, %%rdx\n\t"                                                                    \
	"subq %c[opened](%[ring], %%rcx, 8), %%rdx\n\t"                                            \
	"shrq $47, %%rdx\n\t"                                                                      \
	"jnz %l[full]\n\t"                                                                         \
	"movq %%rax, %%rdx\n\t"                                                                    \
	"shlq $16, %%rdx\n\t"                                                                      \
	"orq %c[id](%[place]), %%rdx\n\t"                                                          \
	"movq %%rdx, (%%r10)\n\t"                                                                  \
	"movl $8, %%ecx\n\t"                                                                       \
	"jmp 6f\n\t"                                                                               \
	"5: movq -8(%[fields], %%rcx), %%rdx\n\t"                                                  \
	"movq %%rdx, (%%r10, %%rcx)\n\t"                                                           \
	"addq $8, %%rcx\n\t"                                                                       \
	"6: cmpq %%r8, %%rcx\n\t"                                                                  \
	"jb 5b\n\t"                                                                                \
	"shlq $16, %%rax\n\t"                                                                      \
	"shrq $16, %%rax\n\t"                                                                      \
	"shrq $48, %%r11\n\t"                                                                      \
	"addq %c[step](%[place]), %%r9\n\t" /* carries out of the count's low bits … */          \
	"adcq $0, %%r11\n\t"                /* … into its high bits */                           \
	"shlq $48, %%r11\n\t"                                                                      \
	"orq %%rax, %%r11\n\t"                                                                     \
	"movq %%r9, %%xmm0\n\t"                                                                    \
	"movq %%r11, %%xmm1\n\t"                                                                   \
	"punpcklqdq %%xmm1, %%xmm0\n\t"                                                            \
	"movaps %%xmm0, (%[ring])\n\t"                                                             \
	"2:\n\t"

#define RING_WRITE_ASM(READ_CLOCK, MORE_CHECKS)                                                    \
	__asm__ goto(RING_WRITE_SECTION(READ_CLOCK, MORE_CHECKS)                                   \
		     :                                                                             \
		     : RSEQ_SECTION_OPERANDS,                                                      \
		       [offset_mask] "i"(offsetof(struct ring_channel, offset_mask)),              \
		       [offset_limit] "i"(offsetof(struct ring_channel, offset_limit)),            \
		       [subbuf_shift] "i"(offsetof(struct ring_channel, subbuf_shift)),            \
		       [index_mask] "i"(offsetof(struct ring_channel, index_mask)),                \
		       [slots] "i"(sizeof(struct lttngmap_ring)),                                  \
		       [opened] "i"(offsetof(struct lttngmap_ring, opened)),                       \
		       [id_mask] "i"(LTTNGMAP_SLOT_ID_MASK),                                       \
		       [total] "i"(offsetof(struct ring_record, total)),                           \
		       [id] "i"(offsetof(struct ring_record, id)),                                 \
		       [step] "i"(offsetof(struct ring_record, step)),                             \
		       [now] "i"(offsetof(struct ring_record, now)), [rseq] "r"(rseq_offset),      \
		       [channel] "r"(channel), [ring] "r"(ring), [data] "r"(data),                 \
		       [fields] "r"(record->fields), [place] "r"(record)                           \
		     : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "cc",        \
		       "memory"                                                                    \
		     : again, full, stale)

/*
 * Try once to write a record into the ring of record->place.cpu. `by_epoch`: by a copy
 * of the cached channel, or with contexts, both of record->place.epoch.
 */
static inline __attribute__((always_inline)) enum ring_result
ring_rseq_write(const struct ring_channel *channel, bool by_epoch, ptrdiff_t rseq_offset,
		struct lttngmap_ring *ring, char *data, const struct ring_record *record)
{
	bool is_tsc = LIKELY(RING_CHANNEL_FIELD(channel, clock) == LTTNGMAP_CLOCK_TSC);

	if (!by_epoch && is_tsc)
		RING_WRITE_ASM(RING_READ_TSC, "");
	else if (!by_epoch)
		RING_WRITE_ASM(RING_READ_GIVEN, "");
	else if (is_tsc)
		RING_WRITE_ASM(RING_READ_TSC, RSEQ_NOT_FORKED);
	else
		RING_WRITE_ASM(RING_READ_GIVEN, RSEQ_NOT_FORKED);
	return RING_WRITTEN;
again:
	return RING_AGAIN;
full:
	return RING_SWITCH;
stale:
	return RING_STALE;
}

/*
 * Move the ring of move->place.cpu to its next sub-buffer: if its word 0 is
 * still move->expected, do move's stores, then publish move->commit. One
 * section; by move->place.epoch.
 */
static inline enum ring_result ring_rseq_move(const struct ring_channel *channel,
					      ptrdiff_t rseq_offset, struct lttngmap_ring *ring,
					      const struct ring_move *move)
{
	__asm__ goto(RSEQ_SECTION_TABLE RSEQ_SECTION_ENTER_BY_EPOCH
		     "movq (%[ring]), %%rax\n\t"
		     "cmpq %c[expected](%[place]), %%rax\n\t"
		     "jne %l[again]\n\t"
		     "xorl %%ecx, %%ecx\n\t"
		     "5: movq %c[stores](%[place], %%rcx), %%rax\n\t"
		     "movq %c[stores] + 8(%[place], %%rcx), %%rdx\n\t"
		     "movq %%rdx, (%%rax)\n\t"
		     "addq $16, %%rcx\n\t"
		     "cmpq %[size], %%rcx\n\t"
		     "jb 5b\n\t"
		     "movups %c[commit](%[place]), %%xmm0\n\t"
		     "movaps %%xmm0, (%[ring])\n\t"
		     "2:\n\t"
		     :
		     : RSEQ_SECTION_OPERANDS, [expected] "i"(offsetof(struct ring_move, expected)),
		       [stores] "i"(offsetof(struct ring_move, stores)),
		       [size] "i"(sizeof(move->stores)),
		       [commit] "i"(offsetof(struct ring_move, commit)), [rseq] "r"(rseq_offset),
		       [channel] "r"(channel), [ring] "r"(ring), [place] "r"(move)
		     : "rax", "rcx", "rdx", "xmm0", "cc", "memory"
		     : again, stale);
	return RING_WRITTEN;
again:
	return RING_AGAIN;
stale:
	return RING_STALE;
}

/* The CPU that this thread runs on, as rseq sees it; huge where it is not registered. */
static inline uint32_t ring_rseq_cpu(ptrdiff_t rseq_offset)
{
	const struct rseq *area = (const void *)(arch_thread_token() + rseq_offset);

	return *(const volatile uint32_t *)&area->cpu_id;
}

#endif /* LIBLTTNGMAP_RING_RING_RSEQ_H */
