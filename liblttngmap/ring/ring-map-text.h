/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-map-text.h - counts an event in a map's table by the hash of a text, which is stored beside
 * the entry before that exists. All else is as in ring-map.h.
 */
#ifndef LIBLTTNGMAP_RING_RING_MAP_TEXT_H
#define LIBLTTNGMAP_RING_RING_MAP_TEXT_H

#include "liblttngmap/ring/ring-map.h"

/*
 * The same as ring_map_rseq_count(); `text` is LTTNGMAP_MAP_TEXT_SIZE bytes, of which update->key
 * is the hash. Where the tables have no room for texts, the event counts as one whose key found no
 * place.
 */
static inline enum ring_result ring_map_rseq_count_text(const struct ring_channel *channel,
							ptrdiff_t rseq_offset,
							const struct ring_map_update *update,
							const uint64_t *text)
{
	/*
	 * In r8 the table, in rcx the entry's offset, in r10 its last offset, in rdx the key, in
	 * r11 the entry's text: three times as large as an entry, and behind three sub-buffers.
	 */
	__asm__ goto(
		RSEQ_SECTION_TABLE RSEQ_SECTION_ENTER_BY_EPOCH
		"movl %c[index_mask](%[channel]), %%r8d\n\t"
		"movl %%r8d, %%r11d\n\t"
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
		"cmpl %[texts], %%r11d\n\t"
		"jne 8f\n\t"
		"5: andq %%r10, %%rcx\n\t"
		"movq (%%r8, %%rcx), %%rax\n\t"
		"testq %%rax, %%rax\n\t"
		"jz 6f\n\t"
		"cmpq %%rdx, 16(%%r8, %%rcx)\n\t"
		"je 7f\n\t"
		"addq $32, %%rcx\n\t"
		"decl %%r9d\n\t"
		"jnz 5b\n\t"
		"8: leaq 32(%%r10), %%rcx\n\t"
		"movq (%%r8, %%rcx), %%rax\n\t"
		"jmp 7f\n\t"
		"6: leaq 32(%%r10), %%r11\n\t"
		"shrq $1, %%r11\n\t"
		"addq %%rcx, %%r11\n\t"
		"leaq (%%r11, %%r11, 2), %%r11\n\t"
		"addq %%r8, %%r11\n\t"
		"xorl %%r9d, %%r9d\n\t"
		"9: movq (%[text], %%r9), %%rdi\n\t"
		"movq %%rdi, (%%r11, %%r9)\n\t"
		"addq $8, %%r9\n\t"
		"cmpq %[text_size], %%r9\n\t"
		"jb 9b\n\t"
		"movq %%rdx, 16(%%r8, %%rcx)\n\t"
		"notq %%rdx\n\t" /* lttngmap_map_text_mark() */
		"orq $1, %%rdx\n\t"
		"movq %%rdx, 24(%%r8, %%rcx)\n\t"
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
		  [probes] "i"(LTTNGMAP_MAP_PROBES), [texts] "i"(LTTNGMAP_MAP_TEXT_SUBBUFS - 1),
		  [text_size] "i"(LTTNGMAP_MAP_TEXT_SIZE), [rseq] "r"(rseq_offset),
		  [channel] "r"(channel), [place] "r"(update), [text] "r"(text)
		: "rax", "rcx", "rdx", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "cc",
		  "memory"
		: again, stale);
	return RING_WRITTEN;
again:
	return RING_AGAIN;
stale:
	return RING_STALE;
}

#endif /* LIBLTTNGMAP_RING_RING_MAP_TEXT_H */
