/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * count-calls.c - libcount-calls.so: how often a program calls the functions
 * that the families other than libc trace. Nothing of lttngmap is in it, and
 * nothing of what the functions take and give: each is a jump to the one
 * behind it, so that it also counts what has a variable number of arguments
 * and what returns twice.
 *
 *   LTTNGMAP_COUNT_DIR=DIR LD_PRELOAD="libcount-calls.so liblttngmap-io.so" PROGRAM
 *   count-sum DIR
 *
 * It counts from the first call to the end of the process.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stddef.h>

#include "tests/utils/count-libc.h"

/* What the functions below refer to by name. */
#define REFERRED __attribute__((used, visibility("hidden")))

static struct count_file nobody_counts;
REFERRED struct count_file *count_here = &nobody_counts;
REFERRED void *count_next[COUNT_FUNCTIONS_NR];

static const char *const names[] = {
#define COUNT_NAME(name) #name,
	COUNT_FUNCTIONS(COUNT_NAME)
#undef COUNT_NAME
};

/* What is not there may be looked for in vain, as long as nobody calls it. */
REFERRED void *count_find(int function)
{
	void *next = dlsym(RTLD_NEXT, names[function]);

	if (!next)
		count_die(names[function]);
	__atomic_store_n(&count_next[function], next, __ATOMIC_RELAXED);
	return next;
}

static __attribute__((constructor)) void start_counting(void)
{
	struct count_file *file;

	for (int function = COUNT_pvalloc + 1; function < COUNT_FUNCTIONS_NR; function++) {
		if (dlsym(RTLD_NEXT, names[function]))
			count_find(function);
	}
	file = count_file_make("LTTNGMAP_COUNT_DIR");
	if (!file)
		return;
	/* Earlier constructors' calls. */
	for (int function = 0; function < COUNT_FUNCTIONS_NR; function++)
		file->calls[function] = nobody_counts.calls[function];
	__atomic_store_n(&count_here, file, __ATOMIC_RELEASE);
}

/* r11 is nobody's at a call; all else is as the caller left it when it jumps. */
#define COUNT(name)                                                                                \
	__attribute__((naked, visibility("default"))) void count_##name(void) __asm__(#name);      \
	void count_##name(void)                                                                    \
	{                                                                                          \
		__asm__("movq count_here(%%rip), %%r11\n\t"                                        \
			"lock incq %c0(%%r11)\n\t"                                                 \
			"movq count_next+%c1(%%rip), %%r11\n\t"                                    \
			"testq %%r11, %%r11\n\t"                                                   \
			"jne 1f\n\t"                                                               \
			"pushq %%rax\n\tpushq %%rdi\n\tpushq %%rsi\n\tpushq %%rdx\n\t"             \
			"pushq %%rcx\n\tpushq %%r8\n\tpushq %%r9\n\t"                              \
			"movl %2, %%edi\n\t"                                                       \
			"call count_find\n\t"                                                      \
			"movq %%rax, %%r11\n\t"                                                    \
			"popq %%r9\n\tpopq %%r8\n\tpopq %%rcx\n\t"                                 \
			"popq %%rdx\n\tpopq %%rsi\n\tpopq %%rdi\n\tpopq %%rax\n"                   \
			"1:\tjmp *%%r11"                                                           \
			:                                                                          \
			: "i"(offsetof(struct count_file, calls) + 8 * COUNT_##name),              \
			  "i"(8 * COUNT_##name), "i"(COUNT_##name));                               \
	}

COUNT_CALLS_FUNCTIONS(COUNT)
