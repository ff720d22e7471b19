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

#define NEXT_FUNCTIONS(X) X(dl_iterate_phdr)

#include "preload/next.h"

#define PAGE 4096u
#define RET 0xc3
/* The code of _fini(): endbr64, sub $8,%rsp, add $8,%rsp, ret. */
#define FINI_SIZE 13u

static bool has_shadow_stack(void)
{
	uint64_t pointer = 0;

	/* rdsspq, which does nothing where there is none. */
	__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0x1e, 0xc8" : "+a"(pointer));
	return pointer != 0;
}

/* The object that this address is in, or NULL. */
static const struct link_map *object_of(const void *address)
{
	struct link_map *map = NULL;
	Dl_info info;

	if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP))
		return NULL;
	return map && map->l_ld ? map : NULL;
}

static const ElfW(Dyn) * find_entry(const struct link_map *map, ElfW(Sxword) tag)
{
	const ElfW(Dyn) *entry = map->l_ld;

	while (entry->d_tag != DT_NULL && entry->d_tag != tag)
		entry++;
	return entry->d_tag == tag ? entry : NULL;
}

static int has_rpath(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const struct link_map map = {
			.l_ld = (ElfW(Dyn) *)(info->dlpi_addr + segment->p_vaddr),
		};

		if (segment->p_type == PT_DYNAMIC && find_entry(&map, DT_RPATH))
			return 1;
	}
	return 0;
}

/*
 * Does it matter to the loader which object asks for this name? A DT_RPATH also serves
 * what was loaded for the object that has it.
 */
static bool caller_matters(const char *filename, const struct link_map *caller)
{
	if (strchr(filename, '$'))
		return true;
	return !strchr(filename, '/') &&
	       (find_entry(caller, DT_RUNPATH) || NEXT(dl_iterate_phdr)(has_rpath, NULL));
}

/* The first `ret` from `from` on, of `size` bytes or fewer, in the same page. */
static const void *find_ret(const void *from, size_t size)
{
	size_t left = PAGE - ((uintptr_t)from & (PAGE - 1));

	return memchr(from, RET, size < left ? size : left);
}

/*
 * A `ret` in the caller: that of _fini(), which every compiler's start files have, and
 * nobody's unwinding tables. An unwinder within the call, such as that of an allocator which
 * keeps its caller, ends there. At another address it would take the stack for that of the
 * function around it. Without an _fini(), any `ret` of the caller's page serves. NULL: there is
 * none.
 */
static const void *find_way_back(const char *filename, const void *caller)
{
	const struct link_map *map;
	const ElfW(Dyn) * fini;
	const void *ret = NULL;

	if (!filename || !filename[0] || has_shadow_stack())
		return NULL;
	map = object_of(caller);
	if (!map || !caller_matters(filename, map))
		return NULL;
	fini = find_entry(map, DT_FINI);
	if (fini)
		ret = find_ret((const void *)(map->l_addr + fini->d_un.d_ptr), FINI_SIZE);
	if (!ret)
		ret = find_ret((const void *)((uintptr_t)caller & ~(uintptr_t)(PAGE - 1)), PAGE);
	return ret;
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
	const void *ret = find_way_back(filename, caller);

	if (!ret)
		return next(filename, flags);
	return call_from(ret, (void *)next, (void *)filename, (void *)(long)flags, NULL);
}

void *dl_caller_dlmopen(void *(*next)(Lmid_t, const char *, int), const void *caller, Lmid_t nsid,
			const char *filename, int flags)
{
	const void *ret = find_way_back(filename, caller);

	if (!ret)
		return next(nsid, filename, flags);
	return call_from(ret, (void *)next, (void *)nsid, (void *)filename, (void *)(long)flags);
}
