/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "preload/dl-caller.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PAGE 4096u
#define RET 0xc3

static bool has_shadow_stack(void)
{
	uint64_t pointer = 0;

	/* rdsspq, which does nothing where there is none. */
	__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0x1e, 0xc8" : "+a"(pointer));
	return pointer != 0;
}

/* Does it matter to the loader from which object this name is asked for? */
static bool caller_matters(const char *filename, const void *caller)
{
	struct link_map *map = NULL;
	Dl_info info;

	if (!filename || !filename[0] || has_shadow_stack())
		return false;
	if (strchr(filename, '$'))
		return true;
	if (strchr(filename, '/') || !dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) ||
	    !map || !map->l_ld)
		return false;
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_RUNPATH || entry->d_tag == DT_RPATH)
			return true;
	}
	return false;
}

/* A `ret` in the caller's page; NULL where there is none. */
static const void *find_ret(const void *caller)
{
	const void *page = (const void *)((uintptr_t)caller & ~(uintptr_t)(PAGE - 1));

	return memchr(page, RET, PAGE);
}

/* function(first, second, third), which returns to `ret`, and that one to us. */
static __attribute__((noinline)) void *call_from(const void *ret, void *function, void *first,
						 void *second, void *third)
{
	void *result = function;

	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "subq $128, %%rsp\n\t"
			 "andq $-16, %%rsp\n\t"
			 "subq $8, %%rsp\n\t"
			 "leaq 1f(%%rip), %%r11\n\t"
			 "pushq %%r11\n\t"
			 "pushq %%rcx\n\t"
			 "jmp *%%rax\n"
			 "1:\tmovq %%rbx, %%rsp"
			 : "+a"(result), "+D"(first), "+S"(second), "+d"(third), "+c"(ret)
			 :
			 : "rbx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
			   "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
			   "xmm13", "xmm14", "xmm15", "memory", "cc");
	return result;
}

void *dl_caller_dlopen(void *(*next)(const char *, int), const void *caller, const char *filename,
		       int flags)
{
	const void *ret = caller_matters(filename, caller) ? find_ret(caller) : NULL;

	if (!ret)
		return next(filename, flags);
	return call_from(ret, (void *)next, (void *)filename, (void *)(long)flags, NULL);
}

void *dl_caller_dlmopen(void *(*next)(Lmid_t, const char *, int), const void *caller, Lmid_t nsid,
			const char *filename, int flags)
{
	const void *ret = caller_matters(filename, caller) ? find_ret(caller) : NULL;

	if (!ret)
		return next(nsid, filename, flags);
	return call_from(ret, (void *)next, (void *)nsid, (void *)filename, (void *)(long)flags);
}
