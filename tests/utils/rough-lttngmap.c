/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * rough-lttngmap.c - a stand-in for liblttngmap whose events leave no register as it was that a
 * function may change, nor any part of a vector register, nor the flags. All events are on.
 */
#include <lttngmap/tracepoint.h>

static const uint64_t on = 1;

void lttngmap_module_register(struct lttngmap_module *module)
{
	for (struct lttngmap_tracepoint *const *at = module->begin; at < module->end; at++)
		__atomic_store_n(&(*at)->word, &on, __ATOMIC_RELAXED);
}

void lttngmap_module_unregister(struct lttngmap_module *module)
{
	(void)module;
}

void lttngmap_statedump_register(struct lttngmap_statedump *statedump)
{
	(void)statedump;
}

void lttngmap_event_write(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			  size_t size, const void *ip)
{
	(void)tracepoint;
	(void)fields;
	(void)size;
	(void)ip;
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroall" ::: "memory");
	__asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\t"
			 "pcmpeqd %%xmm1, %%xmm1\n\t"
			 "pcmpeqd %%xmm2, %%xmm2\n\t"
			 "pcmpeqd %%xmm3, %%xmm3\n\t"
			 "pcmpeqd %%xmm4, %%xmm4\n\t"
			 "pcmpeqd %%xmm5, %%xmm5\n\t"
			 "pcmpeqd %%xmm6, %%xmm6\n\t"
			 "pcmpeqd %%xmm7, %%xmm7\n\t"
			 "pcmpeqd %%xmm8, %%xmm8\n\t"
			 "pcmpeqd %%xmm15, %%xmm15\n\t"
			 "movq $-1, %%rax\n\t"
			 "movq $-1, %%rcx\n\t"
			 "movq $-1, %%rdx\n\t"
			 "movq $-1, %%rsi\n\t"
			 "movq $-1, %%rdi\n\t"
			 "movq $-1, %%r8\n\t"
			 "movq $-1, %%r9\n\t"
			 "movq $-1, %%r10\n\t"
			 "movq $-1, %%r11\n\t"
			 "addq $1, %%r11\n\t"
			 "movq $-1, %%r11\n\t"
			 :
			 :
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc",
			   "memory");
}

size_t lttngmap_event_room(const struct lttngmap_tracepoint *tracepoint)
{
	(void)tracepoint;
	return LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE;
}

unsigned char *lttngmap_event_reserve(size_t size)
{
	(void)size;
	return NULL;
}

void lttngmap_event_write_long(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			       size_t size, const void *ip, int is_cut)
{
	(void)is_cut;
	lttngmap_event_write(tracepoint, fields, size, ip);
}
