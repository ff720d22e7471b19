/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/unwind/stack.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include "liblttngmap/base/arch.h"

#define PAGE 4096u
/* Below the stack pointer: what a function popped is there still, and tables say so. */
#define RED_ZONE 128u

/* Where the loader found the main thread's stack: behind all its frames. */
extern void *__libc_stack_end __attribute__((weak));

enum thread_kind { KIND_UNKNOWN, KIND_MAIN, KIND_OTHER };

/*
 * What is known of the thread's own stack. A handler that comes in between may change both, each
 * time to what is true.
 */
static __thread struct {
	uintptr_t readable; /* from here to the end; 0: not known */
	enum thread_kind kind;
} own __attribute__((tls_model("initial-exec")));

/* The kernel reads the set before it finds that there is no such `how`. */
static bool is_readable(uintptr_t page)
{
	return arch_syscall(SYS_rt_sigprocmask, -1, page, NULL, 8) == -EINVAL;
}

/*
 * Where this thread's own stack ends; 0: not known. A child of fork has the thread storage of the
 * thread that forked it, so it is of the same kind still.
 */
static uintptr_t own_end(bool may_ask)
{
	if (own.kind == KIND_UNKNOWN) {
		if (!may_ask)
			return 0;
		own.kind = arch_syscall(SYS_gettid) == arch_syscall(SYS_getpid) ? KIND_MAIN
										: KIND_OTHER;
	}
	if (own.kind == KIND_OTHER)
		return arch_thread_token();
	return &__libc_stack_end ? (uintptr_t)__libc_stack_end : 0;
}

static bool find_own(uintptr_t rsp, bool may_ask, struct unwind_stack *stack)
{
	const uintptr_t end = own_end(may_ask), begin = rsp - RED_ZONE;
	uintptr_t known = own.readable ? own.readable : end;

	if (rsp >= end || end - rsp > UNWIND_STACK_MAX)
		return false;
	/* From the end on, so that what is known has no holes. */
	while (known > begin) {
		const uintptr_t page = (known - 1) & ~(uintptr_t)(PAGE - 1);

		if (!may_ask || !is_readable(page))
			break;
		own.readable = known = page;
	}
	*stack = (struct unwind_stack){ known > begin ? known : begin, end };
	return stack->begin <= rsp;
}

/* The alternate stack, if `rsp` is on it. */
static bool find_alternate(uintptr_t rsp, bool may_ask, struct unwind_stack *stack)
{
	stack_t alternate = { .ss_flags = SS_DISABLE };
	uintptr_t begin;

	if (!may_ask || arch_syscall(SYS_sigaltstack, NULL, &alternate) != 0 ||
	    alternate.ss_flags & SS_DISABLE)
		return false;
	begin = (uintptr_t)alternate.ss_sp;
	*stack = (struct unwind_stack){ begin, begin + alternate.ss_size };
	if (rsp < begin || rsp >= stack->end)
		return false;
	if (rsp - begin > RED_ZONE)
		stack->begin = rsp - RED_ZONE;
	return true;
}

size_t unwind_thread(const struct unwind_objects *objects, struct unwind_registers registers,
		     bool may_ask, uint64_t *addresses, size_t room, bool *is_whole)
{
	struct unwind_stack stack = { 0, 0 };
	bool is_own = find_own(registers.rsp, may_ask, &stack);
	size_t count;

	if (!is_own && !find_alternate(registers.rsp, may_ask, &stack))
		stack.end = stack.begin;
	count = unwind_walk(objects, &registers, &stack, addresses, room, is_whole);
	if (is_own || *is_whole || count == 0 || stack.begin == stack.end ||
	    (registers.rsp >= stack.begin && registers.rsp < stack.end) ||
	    !find_own(registers.rsp, may_ask, &stack))
		return count;
	/* It goes on at the interrupted instruction, which is the last address so far. */
	return count - 1 +
	       unwind_walk(objects, &registers, &stack, addresses + count - 1, room - count + 1,
			   is_whole);
}
