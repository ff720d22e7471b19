/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * event-map.c - an event that a map counts, where the map's filter is a word that has all of it
 * (lttngmap/abi.h). event-fast.c has found the channel; one restartable sequence does the rest. It
 * reads the key, searches it in the table of the CPU, and ends with one instruction that counts.
 * What the filter needs beyond that goes the general way (ring-map.h), as does all else.
 *
 * Nothing adds to a sum here. So the count alone is stored, and no clock is read.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/rseq.h>

#include <lttngmap/abi.h>
#include <lttngmap/filter-code.h>

#include "liblttngmap/base/local.h"
#include "liblttngmap/event/event-section.h"

#ifndef __SANITIZE_THREAD__

_Static_assert(sizeof(struct lttngmap_map_entry) == 32 &&
		       offsetof(struct lttngmap_map_entry, count) == 0 &&
		       offsetof(struct lttngmap_map_entry, key) == 16,
	       "what is in an entry, below");

__attribute__((used, visibility("hidden"))) const uint64_t event_map_hash = LTTNGMAP_MAP_HASH;

/*
 * event_fast_map: rdi, rsi, rdx, xmm2, xmm3, r8 and r9 as FIND_CHANNEL leaves them, in r11 the
 * offset of the thread's struct rseq. The section begins before it, with what few events need.
 */
__attribute__((naked, used, aligned(64), visibility("hidden"))) void event_map_section(void)
{
	/* clang-format off */
	__asm__ volatile(
		SECTION_TABLE("1", "2", "3", "event_fast_aborted")
		/* Not the key that is an int. Integers of 8 bytes, */
		"2: testl %[key_in_word], %%ecx\n\t"
		"jz event_fast_leave\n\t"
		"testl %[key_four], %%ecx\n\t"
		"jz 50f\n\t"
		"testl %[key_odd], %%ecx\n\t"
		"jz 52f\n\t"
		"movq -8(%%rsi, %%r11), %%rax\n\t"
		"jmp 53f\n"
		/* … of 2, of 1, or none, */
		"50: testl %[key_odd], %%ecx\n\t"
		"jz 51f\n\t"
		"movzwl -2(%%rsi, %%r11), %%eax\n\t"
		"testl %[key_signed], %%ecx\n\t"
		"jz 53f\n\t"
		"movswq %%ax, %%rax\n\t"
		"jmp 53f\n"
		"51: cmpb %[key_none], %%cl\n\t"
		"je 57f\n\t"
		"movzbl -1(%%rsi, %%r11), %%eax\n\t"
		"testl %[key_signed], %%ecx\n\t"
		"jz 53f\n\t"
		"movsbq %%al, %%rax\n\t"
		"jmp 53f\n"
		/* … and of 4. */
		"52: movl -4(%%rsi, %%r11), %%eax\n\t"
		"testl %[key_signed], %%ecx\n\t"
		"jz 53f\n\t"
		"cltq\n"
		/* The integer, or its bucket. */
		"53: cmpb %[key_bucket], %%cl\n\t"
		"jne 56f\n\t"
		"testq %%rax, %%rax\n\t"
		"js 55f\n"
		"54: cmpq $64, %%rax\n\t"
		"jb 61f\n\t"
		"bsrq %%rax, %%rcx\n\t"
		"subl $5, %%ecx\n\t"
		"shrq %%cl, %%rax\n\t"
		"shll $5, %%ecx\n\t"
		"addq %%rcx, %%rax\n\t"
		"jmp 61f\n"
		"55: testl %[key_unsigned], %%ecx\n\t"
		"jnz 54b\n"
		"57: xorl %%eax, %%eax\n\t"
		"jmp 61f\n"
		"56: cmpb %[key_field], %%cl\n\t"
		"jne event_fast_leave\n\t"
		"jmp 61f\n"
		/* Not the key's entry: the next one that is, or is free, or that of all others. */
		"58: movq %c[table_entries](%%r8), %%r8\n\t"
		"shlq $5, %%r8\n\t"
		"subq $32, %%r8\n\t"
		"movl %[probes], %%r9d\n"
		"59: andq %%r8, %%rdx\n\t"
		"leaq (%%r10, %%rdx), %%r11\n\t"
		"cmpq $0, (%%r11)\n\t"
		"je 62f\n\t"
		"cmpq %%rcx, 16(%%r11)\n\t"
		"je 63f\n\t"
		"addq $32, %%rdx\n\t"
		"decl %%r9d\n\t"
		"jnz 59b\n\t"
		"leaq 32(%%r10, %%r8), %%r11\n\t"
		"jmp 63f\n"
		"62: movq %%rcx, 16(%%r11)\n\t"
		"jmp 63f\n"
		/* The entry. In rcx the word, then code and registers of its KEY; in r11 where the field ends. */
		".globl event_fast_map\n\t"
		".hidden event_fast_map\n"
		"event_fast_map:\n\t"
		"leaq 1b(%%rip), %%rax\n\t"
		"movq %%rax, %%fs:%c[cs_field](%%r11)\n\t"
		CHECK_CHANNEL("%c[cpu_rings]", "event_fast_leave", "event_fast_leave")
		"cmpb %[map_of_words], %c[is_map](%%r8)\n\t"
		"jne event_fast_leave\n\t"
		"movq %c[key_words](%%r8), %%rax\n\t"
		"movl (%%rax, %%r9, 8), %%ecx\n\t"
		"movzwl %%cx, %%r11d\n\t"
		"shrl $16, %%ecx\n\t"
		"cmpq %%rdx, %%r11\n\t"
		"ja event_fast_leave\n\t"
		"cmpl %[key_of_int], %%ecx\n\t"
		"jne 2b\n\t"
		"movslq -4(%%rsi, %%r11), %%rax\n"
		/* The key in rax, then in rcx; the table in r10, the entry's offset in rdx. */
		"61: movq %%rax, %%rcx\n\t"
		"imulq event_map_hash(%%rip), %%rax\n\t"
		"mulq %c[table_entries](%%r8)\n\t"
		"shlq $5, %%rdx\n\t"
		"imulq %c[table_stride](%%r8), %%r10\n\t"
		"addq %c[data_end](%%r8), %%r10\n\t"
		"leaq (%%r10, %%rdx), %%r11\n\t"
		"cmpq %%rcx, 16(%%r11)\n\t"
		"jne 58b\n"
		/* Only the count changes: one instruction is the commit. */
		"63: incq (%%r11)\n"
		"3: ret\n"
		:
		: [cpu_rings] "i"(offsetof(struct ring_channel, cpu_rings)),
		  [key_words] "i"(offsetof(struct ring_channel, key_words)),
		  [table_entries] "i"(offsetof(struct ring_channel, table_entries)),
		  [table_stride] "i"(offsetof(struct ring_channel, table_stride)),
		  [key_none] "i"(LTTNGMAP_FILTER_KEY | LTTNGMAP_FILTER_KEY_NONE),
		  [key_field] "i"(LTTNGMAP_FILTER_KEY | LTTNGMAP_FILTER_KEY_FIELD),
		  [key_bucket] "i"(LTTNGMAP_FILTER_KEY | LTTNGMAP_FILTER_KEY_BUCKET),
		  [key_odd] "i"(1 << 8),  /* 2 or 8 bytes */
		  [key_four] "i"(2 << 8), /* 4 or 8 bytes */
		  [map_of_words] "i"(RING_MAP_OF_WORDS),
		  [key_in_word] "i"(LTTNGMAP_FILTER_KEY_WORD >> 16),
		  [key_of_int] "i"(LTTNGMAP_FILTER_KEY_WORD >> 16 | LTTNGMAP_FILTER_KEY | LTTNGMAP_FILTER_KEY_FIELD |
				   (2 | LTTNGMAP_FILTER_SIGNED) << 8),
		  [key_signed] "i"(LTTNGMAP_FILTER_SIGNED << 8),
		  [key_unsigned] "i"(LTTNGMAP_FILTER_UNSIGNED << 8),
		  [probes] "i"(LTTNGMAP_MAP_PROBES),
		  [cs_field] "i"(offsetof(struct rseq, rseq_cs)),
		  [cpu_field] "i"(offsetof(struct rseq, cpu_id)),
		  [generation] "i"(offsetof(struct ring_channel, generation)),
		  [control_generation] "i"(offsetof(struct ring_channel, control_generation)),
		  [is_map] "i"(offsetof(struct ring_channel, is_map)),
		  [data_end] "i"(offsetof(struct ring_channel, data_end)));
	/* clang-format on */
}

#endif
