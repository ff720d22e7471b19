/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/event/event-fast.h"

#include <stdint.h>
#include <sys/rseq.h>

#include <lttngmap/abi.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/event/event-section.h"
#include "liblttngmap/event/event-trylock.h"
#include "liblttngmap/ring/context.h"
#include "liblttngmap/ring/ring.h"
#include "liblttngmap/base/vfork.h"

#define FIRST_GUARD "local_first(%%rip)"
#define FIRST_CACHED "local_first+8(%%rip)"
#define FIRST_RSEQ "local_first+16(%%rip)"
#define FIRST_VTID "local_first+24(%%rip)"
#define FIRST_PROCESS "local_first+32(%%rip)"
#define FIRST_ONE_RECORD "local_first+40(%%rip)"
_Static_assert(offsetof(struct local_first, guard) == 0 &&
		       offsetof(struct local_first, cached) == 8 &&
		       offsetof(struct local_first, rseq) == 16 &&
		       offsetof(struct local_first, vtid) == 24 &&
		       offsetof(struct local_first, process) == 32 &&
		       offsetof(struct local_first, one_record) == 40,
	       "the offsets above");

/* All threads store the same. */
static void open_fast(uint64_t guard)
{
	const uintptr_t thread = arch_thread_token();
	uint64_t closed = LOCAL_CLOSED;

	/* The storage of a raw thread may be zeros. */
	if (!guard || local_is_closed(guard))
		return;
	__atomic_store_n(&local_first.rseq, (uintptr_t)__rseq_offset, __ATOMIC_RELAXED);
	__atomic_store_n(&local_first.vtid, (uintptr_t)&context_vtid - thread, __ATOMIC_RELAXED);
	/* Release: whoever finds it open finds the others. Not while there is a vfork child. */
	(void)__atomic_compare_exchange_n(&local_first.guard, &closed, guard, false,
					  __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void event_fast_allow(const struct local *local, uint64_t channels)
{
	const struct ring_channel *cached = __atomic_load_n(&local_first.cached, __ATOMIC_RELAXED);
	const uint64_t guard = arch_thread_guard();

	/* No channel is cached in these pages before: so none is judged by the parent's. */
	if (__atomic_load_n(&local_first.process, __ATOMIC_RELAXED) != local->process)
		__atomic_store_n(&local_first.process, local->process, __ATOMIC_RELAXED);
	/* The cached one is of pages that were left, or not filled yet. */
	if (channels && RING_CHANNEL_FIELD(cached, event_words) != local->event_words)
		__atomic_store_n(&local_first.cached, &local->channels[__builtin_ctzll(channels)],
				 __ATOMIC_RELAXED);
	if (local->use_rseq && __atomic_load_n(&local_first.guard, __ATOMIC_RELAXED) != guard)
		open_fast(guard);
}

#ifdef __SANITIZE_THREAD__

/* Which does not see what is written in assembly. */
void lttngmap_event_write(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			  size_t size, const void *ip)
{
	if (size <= LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE)
		event_write_trylock(tracepoint, fields, size, ip);
	else
		event_write_general(tracepoint, fields, size, ip);
}

#else

/*
 * In: the arguments. Out: `fields` and size as they were, in rsi and rdx, size also in xmm3, ip in
 * xmm2, the cached channel in r8, the event's id in r9, the offset of the thread's struct rseq in
 * r11. The tracepoint stays in rdi. FOUND: a label for event_fast_other. Where the guard changes
 * behind its comparison, the vfork child is another thread's, or one of a signal handler's, and
 * gone.
 *
 * The clock waits for all loads before it. So the channel's address does not depend on the event's
 * word: it is that of the channel that was cached last, and compared. In wiped pages its
 * `event_words` is NULL, and no event's word is near that.
 */
#define FIND_CHANNEL(FOUND)                                                                        \
	"movq " FIRST_GUARD ", %%rax\n\t"                                                          \
	"movq " FIRST_RSEQ ", %%r11\n\t"                                                           \
	"movq " FIRST_CACHED ", %%r8\n\t"                                                          \
	"cmpq " ARCH_THREAD_GUARD ", %%rax\n\t"                                                    \
	"jne event_write_trylock\n\t"                                                              \
	"movq %%rdx, %%xmm3\n\t"                                                                   \
	"movq %%rcx, %%xmm2\n\t"                                                                   \
	"movq (%%rdi), %%r9\n\t"                                                                   \
	"movq (%%r9), %%rcx\n\t"                                                                   \
	"subq %c[event_words](%%r8), %%r9\n\t"                                                     \
	"cmpq %[words_size], %%r9\n\t"                                                             \
	"jae event_fast_leave\n\t"                                                                 \
	"movq " FIRST_PROCESS ", %%rax\n\t"                                                        \
	"andq %c[channels](%%rax), %%rcx\n\t"                                                      \
	"shrl $3, %%r9d\n\t"                                                                       \
	"cmpq %%rcx, %c[bit](%%r8)\n\t"                                                            \
	"jne event_fast_other\n" FOUND "\n\t"

/* TABLE, BEGIN and END: the section's labels. */
#define ENTER_SECTION(TABLE, BEGIN, END, CPUS, OTHERWISE)                                          \
	SECTION_TABLE(TABLE, BEGIN, END, "event_fast_aborted")                                     \
	"leaq " TABLE "b(%%rip), %%rax\n\t"                                                        \
	"movq %%rax, %%fs:%c[cs_field](%%r11)\n" BEGIN                                             \
	":\n\t" CHECK_CHANNEL(CPUS, OTHERWISE, "event_fast_leave")

/* Is there room? For at most 16 bytes of fields: for what is stored then. */
#define ROOM_SHORT "cmpq %c[fast_limit](%%r8), %%r11\n\t"
/* For a record of rdx bytes and MORE. */
#define ROOM(MORE)                                                                                 \
	"leaq " MORE "(%%r11, %%rdx), %%rax\n\t"                                                   \
	"cmpq %c[fast_limit](%%r8), %%rax\n\t"

/*
 * Before the clock, with an answer of ROOM. Out: the ring in r10, the offset in its sub-buffer in
 * r11, a mask of the odd sub-buffers' side in rcx.
 */
#define FIND_OFFSET(ROOM_FOR, LEAVE)                                                               \
	"movl %c[ring_shift](%%r8), %%ecx\n\t"                                                     \
	"shlq %%cl, %%r10\n\t"                                                                     \
	"addq %c[rings](%%r8), %%r10\n\t"                                                          \
	"movq (%%r10), %%r11\n\t"                                                                  \
	"movl %c[subbuf_shift](%%r8), %%ecx\n\t"                                                   \
	"btq %%rcx, %%r11\n\t"                                                                     \
	"sbbq %%rcx, %%rcx\n\t"                                                                    \
	"andq %c[offset_mask](%%r8), %%r11\n\t" ROOM_FOR "ja " LEAVE "\n\t"

#define READ_CLOCK                                                                                 \
	"rdtsc\n\t"                                                                                \
	"shlq $32, %%rdx\n\t"                                                                      \
	"orq %%rdx, %%rax\n\t"

/*
 * The header, with the clock of rax, which as in ring-rseq.h is not before the last record, nor too
 * late. Out: where the record goes in r11. All that follows the clock waits for it, and all that
 * precedes it is waited for: so the place is found behind it (doc/design/figures.md).
 */
#define STORE_HEADER(LEAVE)                                                                        \
	"movq %%rax, %%rdx\n\t"                                                                    \
	"subq 8(%%r10), %%rdx\n\t"                                                                 \
	"shlq $16, %%rdx\n\t"                                                                      \
	"js " LEAVE "\n\t"                                                                         \
	"movq %%rax, %%rdx\n\t"                                                                    \
	"subq %c[opened](%%r10, %%rcx, 8), %%rdx\n\t"                                              \
	"shrq $47, %%rdx\n\t"                                                                      \
	"jnz " LEAVE "\n\t"                                                                        \
	"addq %c[start](%%r10, %%rcx, 8), %%r11\n\t"                                               \
	"cmpq %c[least_start](%%r8), %%r11\n\t"                                                    \
	"jb " LEAVE "\n\t"                                                                         \
	"addq %c[data_end](%%r8), %%r11\n\t"                                                       \
	"shlq $16, %%rax\n\t"                                                                      \
	"leaq (%%rax, %%r9), %%rdx\n\t"                                                            \
	"movq %%rdx, (%%r11)\n\t"

/*
 * The timestamp, with the count's upper half above it. Out: in r8 the ring's position and count
 * behind the record, whose fields have MORE bytes before them.
 */
#define STORE_TIME(MORE, LEAVE)                                                                    \
	"movzwl 14(%%r10), %%ecx\n\t"                                                              \
	"shrdq $16, %%rcx, %%rax\n\t"                                                              \
	"movq %%rax, 8(%%r10)\n\t"                                                                 \
	"movq %%xmm3, %%r8\n\t" MORE "addq " FIRST_ONE_RECORD ", %%r8\n\t"                         \
	"addq (%%r10), %%r8\n\t"                                                                   \
	"jc " LEAVE "\n\t"

/* The event is on in that channel alone, which is a map. */
#define IF_MAP                                                                                     \
	"movq %c[bit](%%r8), %%rax\n\t"                                                            \
	"addq %%rcx, %%rax\n\t"                                                                    \
	"jz event_fast_map\n\t"

#define RESTORE_SIZE "movq %%xmm3, %%rdx\n\t"

/* 16 bytes at most, TO bytes behind the record's begin; RING_FAST_TAIL has room for all 16. */
#define STORE_SHORT(TO)                                                                            \
	"movups (%%rsi), %%xmm0\n\t"                                                               \
	"movups %%xmm0, " TO "(%%r11)\n\t"

/* Fields of any size, TO bytes behind the record's begin. */
#define STORE_WORDS(TO)                                                                            \
	RESTORE_SIZE                                                                               \
	"xorl %%ecx, %%ecx\n"                                                                      \
	"5: movq (%%rsi, %%rcx), %%xmm0\n\t"                                                       \
	"movq %%xmm0, " TO "(%%r11, %%rcx)\n\t"                                                    \
	"addq $8, %%rcx\n\t"                                                                       \
	"cmpq %%rdx, %%rcx\n\t"                                                                    \
	"jb 5b\n\t"

/* More than 16 bytes: as many times 16 as there are before the last 16, then these. */
#define STORE_LONG                                                                                 \
	RESTORE_SIZE                                                                               \
	"movl $16, %%ecx\n"                                                                        \
	"5: movups -16(%%rsi, %%rcx), %%xmm0\n\t"                                                  \
	"movups %%xmm0, -8(%%r11, %%rcx)\n\t"                                                      \
	"addq $16, %%rcx\n\t"                                                                      \
	"cmpq %%rdx, %%rcx\n\t"                                                                    \
	"jb 5b\n\t"                                                                                \
	"movups -16(%%rsi, %%rdx), %%xmm0\n\t"                                                     \
	"movups %%xmm0, -8(%%r11, %%rdx)\n\t"

/* The thread's id, if it was asked for in this process: behind the clock, as the place. */
#define STORE_VTID                                                                                 \
	"movq %c[epoch](%%r8), %%rdx\n\t"                                                          \
	"movq (%%rdx), %%rdx\n\t"                                                                  \
	"movq " FIRST_VTID ", %%rcx\n\t"                                                           \
	"cmpq %%rdx, %%fs:(%%rcx)\n\t"                                                             \
	"jne event_fast_leave\n\t"                                                                 \
	"movl %%fs:%c[vtid](%%rcx), %%edx\n\t"                                                     \
	"movl %%edx, 8(%%r11)\n\t"

/*
 * The CPU asks for the memory further on (event-fast.h). END is behind the section's last store.
 */
#define COMMIT(END)                                                                                \
	"prefetchw 1024(%%r11)\n\t"                                                                \
	"movq %%r8, (%%r10)\n" END ":\n\t"

#define OPERANDS                                                                                   \
	[channels] "i"(offsetof(struct lttngmap_process, channels)),                               \
		[event_words] "i"(offsetof(struct ring_channel, event_words)),                     \
		[words_size] "i"(LTTNGMAP_EVENT_IDS * sizeof(uint64_t)),                           \
		[cached] "i"(offsetof(struct local, channels) - offsetof(struct local, epoch)),    \
		[pages] "i"(offsetof(struct local, epoch)),                                        \
		[bit] "i"(offsetof(struct ring_channel, bit)),                                     \
		[contexts] "i"(offsetof(struct ring_channel, contexts)),                           \
		[cs_field] "i"(offsetof(struct rseq, rseq_cs)),                                    \
		[cpu_field] "i"(offsetof(struct rseq, cpu_id)),                                    \
		[generation] "i"(offsetof(struct ring_channel, generation)),                       \
		[fast_cpus] "i"(offsetof(struct ring_channel, fast_cpus)),                         \
		[ip_cpus] "i"(offsetof(struct ring_channel, ip_cpus)),                             \
		[control_generation] "i"(offsetof(struct ring_channel, control_generation)),       \
		[ring_shift] "i"(offsetof(struct ring_channel, ring_shift)),                       \
		[rings] "i"(offsetof(struct ring_channel, rings)),                                 \
		[offset_mask] "i"(offsetof(struct ring_channel, offset_mask)),                     \
		[fast_limit] "i"(offsetof(struct ring_channel, fast_limit)),                       \
		[subbuf_shift] "i"(offsetof(struct ring_channel, subbuf_shift)),                   \
		[data_end] "i"(offsetof(struct ring_channel, data_end)),                           \
		[least_start] "i"(offsetof(struct ring_channel, least_start)),                     \
		[epoch] "i"(offsetof(struct ring_channel, epoch)),                                 \
		[start] "i"(offsetof(struct lttngmap_ring, start[1])),                             \
		[opened] "i"(offsetof(struct lttngmap_ring, opened[1])),                           \
		[fields_max] "i"(LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE),               \
		[ip_fields_max] "i"(LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE - 12),       \
		[vtid] "i"(offsetof(struct context_vtid, vtid)),                                   \
		[vtid_alone] "i"(CONTEXTS_OF_VTID), [vtid_and_ip] "i"(CONTEXTS_OF_IP)

_Static_assert(CONTEXTS_OF_IP <= 0x7f, "they are looked at in one byte");
_Static_assert(RING_CHANNEL_FILTERED == UINT64_C(1) << 63, "the sign of the contexts");
_Static_assert(LTTNGMAP_EVENT_IDS == 1 << 16, "a filter's word is by slot and id in one number");
_Static_assert(offsetof(struct ring_channel, event_words) == 64,
	       "all of the section: one cache line");

#pragma GCC diagnostic ignored "-Wunused-parameter"
__attribute__((naked, aligned(64), visibility("default"))) void
lttngmap_event_write(const struct lttngmap_tracepoint *tracepoint, const void *fields, size_t size,
		     const void *ip)
{
	/* clang-format off */
	__asm__ volatile(
		"cmpq $16, %%rdx\n\t"
		"ja event_fast_long\n\t"
		FIND_CHANNEL("6:")
		ENTER_SECTION("1", "2", "3", "%c[fast_cpus]", "event_fast_ip")
		FIND_OFFSET(ROOM_SHORT, "event_fast_leave")
		READ_CLOCK
		STORE_HEADER("event_fast_leave")
		STORE_TIME("", "event_fast_leave")
		STORE_SHORT("8")
		COMMIT("3")
		"ret\n"
		/* More than 16 bytes of fields. */
		"event_fast_long:\n\t"
		"cmpq %[fields_max], %%rdx\n\t"
		"ja event_write_general\n\t"
		FIND_CHANNEL("7:")
		ENTER_SECTION("1", "2", "3", "%c[fast_cpus]", "event_fast_long_ip")
		FIND_OFFSET(ROOM("8"), "event_fast_leave")
		READ_CLOCK
		STORE_HEADER("event_fast_leave")
		STORE_TIME("", "event_fast_leave")
		STORE_LONG
		COMMIT("3")
		"ret\n"
		/*
		 * From either section, r11 as there: the channel may have vtid, ip or both before the
		 * fields. Behind the header r9 is how far these are from the record's begin.
		 */
		"event_fast_long_ip:\n\t"
		"cmpq %[ip_fields_max], %%rdx\n\t"
		"ja event_fast_leave\n"
		"event_fast_ip:\n\t"
		ENTER_SECTION("1", "2", "3", "%c[ip_cpus]", "event_fast_leave")
		FIND_OFFSET(ROOM("20"), "event_fast_leave")
		READ_CLOCK
		STORE_HEADER("event_fast_leave")
		"cmpb %[vtid_and_ip], %c[contexts](%%r8)\n\t"
		"jne 42f\n\t"
		STORE_VTID
		"movq %%xmm2, 12(%%r11)\n\t"
		"movl $20, %%r9d\n"
		"43:\n\t"
		STORE_TIME("leaq -8(%%r8, %%r9), %%r8\n\t", "event_fast_leave")
		"addq %%r9, %%r11\n\t"
		RESTORE_SIZE
		"cmpq $16, %%rdx\n\t"
		"ja 40f\n\t"
		STORE_SHORT("")
		"jmp 41f\n"
		"40:\n\t"
		STORE_WORDS("")
		"jmp 41f\n"
		"42: testb %[vtid_alone], %c[contexts](%%r8)\n\t"
		"jz 44f\n\t"
		STORE_VTID
		"movl $12, %%r9d\n\t"
		"jmp 43b\n"
		"44: movq %%xmm2, 8(%%r11)\n\t"
		"movl $16, %%r9d\n\t"
		"jmp 43b\n"
		"41:\n\t"
		COMMIT("3")
		"ret\n"
		/* Not the channel that was cached last: perhaps the lowest one. In r10 the pages' epoch. */
		"event_fast_other:\n\t"
		IF_MAP
		"movq %c[epoch](%%r8), %%r10\n\t"
		"testq %%r10, %%r10\n\t"
		"jz event_fast_leave\n\t"
		"bsfq %%rcx, %%rax\n\t"
		"jz event_fast_leave\n\t"
		"shll $7, %%eax\n\t"
		"leaq %c[cached](%%r10, %%rax), %%r8\n\t"
		"cmpq %%rcx, %c[bit](%%r8)\n\t"
		"jne event_fast_filtered\n\t"
		"cmpq $16, %%rdx\n\t"
		"ja 7b\n\t"
		"jmp 6b\n"
		/* Perhaps one channel with a filter, which rejects most events. */
		"event_fast_filtered:\n\t"
		IF_MAP
		"leaq -1(%%rcx), %%rax\n\t"
		"testq %%rcx, %%rax\n\t"
		"jnz event_fast_many\n\t"
		"cmpq $0, %c[contexts](%%r8)\n\t"
		"jge event_fast_leave\n\t"
		"movq %c[control_generation](%%r8), %%r11\n\t"
		"testq %%r11, %%r11\n\t"
		"jz event_fast_leave\n\t"
		"movl %c[generation](%%r8), %%eax\n\t"
		"cmpl (%%r11), %%eax\n\t"
		"jne event_fast_leave\n\t"
		"bsfq %%rcx, %%rcx\n\t"
		"shll $16, %%ecx\n\t"
		"orl %%ecx, %%r9d\n\t"
		"leaq -%c[pages](%%r10), %%r8\n\t"
		"movq %%xmm2, %%rcx\n\t"
		"jmp event_write_filtered\n\t"
		/* Several channels: those that are left in rdi, the clock in xmm4, their epoch in xmm5. */
		"event_fast_many:\n\t"
		"movq %%r10, %%xmm5\n\t"
		"movq %%rcx, %%rdi\n"
		"8: movq " FIRST_RSEQ ", %%r11\n\t"
		SECTION_TABLE("1", "2", "3", "event_fast_left")
		"leaq 1b(%%rip), %%rax\n\t"
		"movq %%rax, %%fs:%c[cs_field](%%r11)\n"
		"2: " READ_CLOCK
		"movq %%rax, %%xmm4\n"
		"9: bsfq %%rdi, %%rcx\n\t"
		"shll $7, %%ecx\n\t"
		"movq %%xmm5, %%r8\n\t"
		"leaq %c[cached](%%r8, %%rcx), %%r8\n\t"
		/* Announced still? */
		"movq " FIRST_RSEQ ", %%r11\n\t"
		"leaq 1b(%%rip), %%rax\n\t"
		"cmpq %%rax, %%fs:%c[cs_field](%%r11)\n\t"
		"jne 8b\n\t"
		CHECK_CHANNEL("%c[fast_cpus]", "event_fast_left", "event_fast_left")
		RESTORE_SIZE
		FIND_OFFSET(ROOM("8"), "event_fast_left")
		"movq %%xmm4, %%rax\n\t"
		STORE_HEADER("event_fast_left")
		STORE_TIME("", "event_fast_left")
		STORE_WORDS("8")
		COMMIT("3")
		"leaq -1(%%rdi), %%rax\n\t"
		"andq %%rax, %%rdi\n\t"
		"jnz 9b\n\t"
		"movq " FIRST_RSEQ ", %%r11\n\t"
		"movq $0, %%fs:%c[cs_field](%%r11)\n\t"
		"ret\n"
		/* Nothing is committed: all of it the general way. */
		".pushsection __rseq_failure, \"ax\"\n\t"
		".byte 0x0f, 0xb9, 0x3d\n\t" /* ud1, then the signature */
		".long 0x53053053\n"
		".globl event_fast_aborted, event_fast_leave\n\t"
		".hidden event_fast_aborted, event_fast_leave\n"
		"event_fast_aborted:\n"
		"event_fast_leave:\n\t"
		"movq %%xmm3, %%rdx\n\t"
		"movq %%xmm2, %%rcx\n\t"
		"jmp event_write_general\n\t"
		/* The channels that are left go the general way. */
		".byte 0x0f, 0xb9, 0x3d\n\t"
		".long 0x53053053\n"
		"event_fast_left:\n\t"
		"movq " FIRST_RSEQ ", %%r11\n\t"
		"movq $0, %%fs:%c[cs_field](%%r11)\n\t"
		"movq %%rdi, %%r8\n\t"
		"movq %%rsi, %%rdi\n\t"
		"movq %%xmm3, %%rsi\n\t"
		"movq %%xmm2, %%rdx\n\t"
		"movq %%xmm5, %%rcx\n\t"
		"subq $%c[pages], %%rcx\n\t"
		"jmp event_write_left\n\t"
		".popsection\n\t"
		:
		: OPERANDS);
	/* clang-format on */
}

#endif
