/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * function.c - liblttngmap-function.so: entries of functions of a program that was built with
 * room for that, -fpatchable-function-entry=5, or with calls of it, -pg -mfentry.
 *
 *   LTTNGMAP_FUNCTIONS='parse_*,!parse_blank' LD_PRELOAD=liblttngmap-function.so PROGRAM
 *
 *   lttngmap_function:entry    a function was entered
 *   lttngmap_function:object   of an executable or library, before the first event in a
 *                              session: how many functions it has, and are traced
 *   lttngmap_function:begin    once, so that there is a first event where nothing is traced
 *
 * Only selected functions call __fentry__ here: when the process starts, room for a call becomes
 * a call, and an unwanted call becomes nops. Exits are not seen: to see them, a function's return
 * address has to be replaced, and unwinders (exceptions, longjmp, profilers, shadow stacks) would
 * find another one than there was.
 * doc/design/functions.md
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <cpuid.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/platform/x86.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

#include "common/base/vector-save.h"
#include "preload/function-patch.h"
#include "preload/function-select.h"

#define LEVEL LTTNGMAP_LOGLEVEL_DEBUG_FUNCTION
#define SECTION "__patchable_function_entries"

LTTNGMAP_ENUM(lttngmap_function_problem, { "none", FUNCTION_FINE, FUNCTION_FINE },
	      { "threads", FUNCTION_HAS_THREADS, FUNCTION_HAS_THREADS },
	      { "not_permitted", FUNCTION_NOT_PERMITTED, FUNCTION_NOT_PERMITTED },
	      { "no_room", FUNCTION_NO_ROOM, FUNCTION_NO_ROOM });

LTTNGMAP_TRACEPOINT(lttngmap_function, entry, LEVEL, (pointer, addr), (pointer, call_site));
LTTNGMAP_TRACEPOINT(lttngmap_function, begin, LEVEL, (string, functions));
LTTNGMAP_TRACEPOINT(lttngmap_function, object, LEVEL,
	(string, path), (integer, uint64_t, functions),
	(integer, uint64_t, selected), (integer, uint64_t, patched), (integer, uint64_t, unfit),
	(enumeration, lttngmap_function_problem, uint8_t, problem));

/* ---- an entry ------------------------------------------------------------------------- */

/*
 * Data that the code below reads. Everything is off until the constructor has found out how
 * registers are kept, and which functions are selected.
 */
static const uint64_t off;
static struct lttngmap_tracepoint nothing = { .word = &off };
__attribute__((used, visibility("hidden"))) struct lttngmap_tracepoint *function_tracepoint =
	&nothing;

/* How a function's caller may have passed what a vector register has beyond 16 bytes. */
enum {
	VECTORS_NONE,   /* there is nothing beyond */
	VECTORS_IN_USE, /* the CPU tells whether there is */
	VECTORS_ANY,    /* there may be, always */
};
__attribute__((used, visibility("hidden"))) uint32_t function_vectors = VECTORS_NONE;

/* SSE, AVX, and the three parts of AVX-512, as in XCR0; and what they take in memory. */
#define XSAVE_PARTS 0xe6
#define XSAVE_BEYOND 0xe4
#define XSAVE_ROOM 3072
#define STRING1(text) #text
#define STRING(text) STRING1(text)

__attribute__((used, visibility("hidden"))) void function_entered(const unsigned char *after,
								  const void *call_site);

/* `after`: the call of __fentry__, which is of 5 bytes, or of 6 by way of a slot. */
void function_entered(const unsigned char *after, const void *call_site)
{
	const void *site = after - (after[-5] == 0xe8 ? 5 : 6);

	if (function_is_selected(site))
		lttngmap_tracepoint_at(site, lttngmap_function, entry, site, call_site);
}

void __fentry__(void);
/* The same, which nobody can stand before. */
void function_hook(void) __attribute__((visibility("hidden")));

/*
 * Called before the first instruction of a function: what is in registers is its arguments, or, by
 * the compiler's knowledge of what such a function changes, of its caller's. So all are
 * as they were, flags included: where the event is off, no instruction changes one but rcx, which
 * is put back.
 */
/* Else all lines beside a macro are put into one. */
/* clang-format off */
__asm__(".text\n\t"
	".globl __fentry__\n\t"
	".type __fentry__, @function\n\t"
	".globl function_hook\n\t"
	".hidden function_hook\n\t"
	".p2align 4\n"
	"function_hook:\n"
	"__fentry__:\n\t"
	".cfi_startproc\n\t"
	"endbr64\n\t"
	"pushq %rcx\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"movq function_tracepoint(%rip), %rcx\n\t"
	"movq (%rcx), %rcx\n\t"
	"movq (%rcx), %rcx\n\t"
	"jrcxz 1f\n\t"
	"jmp 2f\n"
	"1:\n\t"
	"popq %rcx\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"ret\n"
	"2:\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %rbp\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	".cfi_rel_offset %rbp, 0\n\t"
	"movq %rsp, %rbp\n\t"
	".cfi_def_cfa_register %rbp\n\t"
	"pushfq\n\t"
	"pushq %rax\n\t"
	"pushq %rdx\n\t"
	"pushq %rsi\n\t"
	"pushq %rdi\n\t"
	"pushq %r8\n\t"
	"pushq %r9\n\t"
	"pushq %r10\n\t"
	"pushq %r11\n\t"
	"movq 16(%rbp), %rdi\n\t"
	"movq 24(%rbp), %rsi\n\t"
	"movl function_vectors(%rip), %eax\n\t"
	"testl %eax, %eax\n\t"
	"jz 3f\n\t"
	"cmpl $" STRING(2) ", %eax\n\t" /* VECTORS_ANY */
	"je 4f\n\t"
	"movl $1, %ecx\n\t"
	"xgetbv\n\t"
	"testl $" STRING(XSAVE_BEYOND) ", %eax\n\t"
	"jnz 4f\n"
	"3:\n\t"
	VECTOR_SAVE_SSE
	"call function_entered\n\t"
	VECTOR_RESTORE_SSE
	"jmp 5f\n"
	"4:\n\t" /* the area's header has to be zeros before */
	"subq $" STRING(XSAVE_ROOM) ", %rsp\n\t"
	"andq $-64, %rsp\n\t"
	VECTOR_CLEAR_XSAVE_HEADER
	"movl $" STRING(XSAVE_PARTS) ", %eax\n\t"
	"xsave64 (%rsp)\n\t"
	"call function_entered\n\t"
	"xorl %edx, %edx\n\t"
	"movl $" STRING(XSAVE_PARTS) ", %eax\n\t"
	"xrstor64 (%rsp)\n"
	"5:\n\t"
	"leaq -72(%rbp), %rsp\n\t"
	"popq %r11\n\t"
	"popq %r10\n\t"
	"popq %r9\n\t"
	"popq %r8\n\t"
	"popq %rdi\n\t"
	"popq %rsi\n\t"
	"popq %rdx\n\t"
	"popq %rax\n\t"
	"popfq\n\t"
	"popq %rbp\n\t"
	".cfi_def_cfa %rsp, 16\n\t"
	".cfi_restore %rbp\n\t"
	"popq %rcx\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size __fentry__, . - __fentry__\n\t");
/* clang-format on */

/* ---- what there is to trace --------------------------------------------------------- */

struct found {
	const struct function_object *object;
	char path[PATH_MAX]; /* a copy: it may be unloaded, if a constructor has loaded it */
	uint64_t patched, unfit;
	enum function_problem problem;
};

static struct found found[FUNCTION_OBJECTS_MAX];
static unsigned nr_found;
static enum function_problem problem_of_all;

/* Removes the call, if any, from a function that is not selected. */
static void mute(const struct function_object *object, uint64_t address, bool is_selected,
		 void *argument)
{
	const struct function_slots *slots = argument;

	/* Where it cannot be done, the function is told from others when it calls. */
	if (!is_selected && slots->count && problem_of_all == FUNCTION_FINE)
		function_patch_mute(object, function_body(object, address), slots);
}

static void fill_rooms(struct found *of, uint64_t section, uint64_t size)
{
	const struct function_object *object = of->object;
	const void *thunk = NULL;

	of->problem = problem_of_all;
	for (uint64_t at = section; of->problem == FUNCTION_FINE && at + 8 <= section + size;
	     at += 8) {
		uint64_t entry = *(const uint64_t *)at;

		if (entry < object->begin || entry >= object->end ||
		    object->end - entry < FUNCTION_READ ||
		    !function_is_selected((const void *)entry))
			continue;
		if (!function_patch_is_room((const unsigned char *)entry)) {
			of->unfit++;
			continue;
		}
		if (!thunk)
			thunk = function_patch_thunk(object, (const void *)function_hook,
						     &of->problem);
		if (!thunk)
			return;
		if (function_patch_call(entry, thunk))
			of->patched++;
		else
			of->problem = FUNCTION_NOT_PERMITTED;
	}
}

static int see(struct dl_phdr_info *info, size_t info_size, void *unused)
{
	struct found *of = &found[nr_found];
	struct function_slots slots;
	uint64_t section = 0, size = 0;

	(void)info_size;
	(void)unused;
	function_find_slots(info, "__fentry__", &slots);
	function_find_section(info, SECTION, &section, &size);
	if ((!slots.count && !size) || nr_found == FUNCTION_OBJECTS_MAX)
		return 0;
	of->object = function_object_add(info, mute, &slots);
	if (!of->object)
		return 0;
	if (info->dlpi_name && info->dlpi_name[0])
		strncpy(of->path, info->dlpi_name, sizeof(of->path) - 1);
	else if (syscall(SYS_readlink, "/proc/self/exe", of->path, sizeof(of->path) - 1) < 0)
		of->path[0] = '\0';
	fill_rooms(of, section, section % 8 == 0 ? size : 0);
	nr_found++;
	return 0;
}

/* How to keep what is beyond 16 bytes of a vector register. False: it would not fit. */
static bool find_vectors(void)
{
	unsigned low, high, size, offset, unused;

	if (!CPU_FEATURE_ACTIVE(AVX))
		return true;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	for (unsigned part = 2; part < 8; part++) {
		if (!(low & XSAVE_BEYOND & 1u << part))
			continue;
		__cpuid_count(0xd, part, size, offset, unused, unused);
		if (offset + size > XSAVE_ROOM)
			return false;
	}
	function_vectors = CPU_FEATURE_PRESENT(XGETBV_ECX_1) ? VECTORS_IN_USE : VECTORS_ANY;
	(void)high;
	(void)unused;
	return true;
}

/* Before the first event in a session. */
static void tell_objects(void)
{
	for (unsigned i = 0; i < nr_found; i++) {
		const struct found *of = &found[i];

		lttngmap_tracepoint(lttngmap_function, object, of->path, of->object->functions,
				    of->object->chosen, of->patched, of->unfit,
				    (uint8_t)of->problem);
	}
}

static struct lttngmap_statedump statedump = {
	.struct_size = sizeof(statedump),
	.write = tell_objects,
};

/* A library loaded into a running process does not know at which instruction the process is. */
static bool is_preloaded(void)
{
	const char *preloaded = secure_getenv("LD_PRELOAD");

	return preloaded && strstr(preloaded, "liblttngmap-function.so");
}

static __attribute__((constructor)) void begin(void)
{
	int saved_errno = errno;

	function_select_names();
	if (find_vectors()) {
		problem_of_all = is_preloaded() ? function_patch_begin() : FUNCTION_HAS_THREADS;
		dl_iterate_phdr(see, NULL);
		function_patch_end();
		function_tracepoint = &lttngmap_tracepoint_lttngmap_function__entry;
		lttngmap_statedump_register(&statedump);
		lttngmap_tracepoint(lttngmap_function, begin,
				    function_names_given ? function_select_given() : "*");
	}
	errno = saved_errno;
}
