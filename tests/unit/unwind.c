/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Walks of the stack beside backtrace(3), which is libgcc's unwinder: at each instruction of calls
 * into libc, in recursion, threads and signal handlers on an alternate stack. Then what must end a
 * walk without a fault: code without tables, stacks and tables full of garbage.
 */
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "liblttngmap/unwind/cfi.h"
#include "liblttngmap/unwind/stack.h"
#include "tests/utils/tap.h"

#define DEPTH 128
#define ALTERNATE_SIZE 65536
#define FLAGS 0x202 /* the one that is always set, and interrupts */
#define TRAP_FLAG 0x100
#define GARBAGE_WALKS 1000000
#define GARBAGE_TABLES 200

static unsigned steps, steps_same, steps_whole, steps_from_handler;
static bool handler_same, callback_same;

/* Are these the last frames of libgcc's, down to the outermost one? */
static bool is_tail(const uint64_t *ours, size_t count, void *const *theirs, int their_count)
{
	if (!count || (size_t)their_count < count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (ours[i] != (uint64_t)theirs[(size_t)their_count - count + i])
			return false;
	return true;
}

static __attribute__((noinline)) bool is_same_here(void)
{
	struct unwind_registers here;
	uint64_t ours[DEPTH];
	void *theirs[DEPTH];
	size_t count;
	bool is_whole;

	UNWIND_REGISTERS_HERE(here);
	count = unwind_thread(unwind_objects_now(), here, true, ours, DEPTH, &is_whole);
	/* The first is where each of the two was called. */
	return is_whole && is_tail(ours + 1, count - 1, theirs, backtrace(theirs, DEPTH));
}

static __attribute__((noinline)) bool recurse(unsigned depth)
{
	volatile char frame[8 + depth % 7 * 40];
	bool same;

	frame[0] = (char)depth;
	same = depth ? recurse(depth - 1) : is_same_here();
	return same && frame[0] == (char)depth;
}

static int compare_numbers(const void *a, const void *b)
{
	callback_same &= is_same_here();
	return *(const int *)a - *(const int *)b;
}

static void on_user(int number)
{
	(void)number;
	handler_same = is_same_here();
}

static void on_step(int number, siginfo_t *info, void *data)
{
	const greg_t *values = ((ucontext_t *)data)->uc_mcontext.gregs;
	const struct unwind_registers there = { (uintptr_t)values[REG_RIP],
						(uintptr_t)values[REG_RSP],
						(uintptr_t)values[REG_RBP],
						(uintptr_t)values[REG_RBX] };
	uint64_t ours[DEPTH];
	void *theirs[DEPTH];
	bool is_whole;
	const size_t count =
		unwind_thread(unwind_objects_now(), there, true, ours, DEPTH, &is_whole);

	(void)number;
	(void)info;
	steps++;
	steps_from_handler += is_same_here();
	steps_whole += is_whole != 0;
	steps_same += is_tail(ours, count, theirs, backtrace(theirs, DEPTH));
}

/* Sets the flags to its argument: with the trap flag, each instruction raises SIGTRAP. */
__asm__(".text\n.type set_flags, @function\nset_flags:\n\t.cfi_startproc\n\t"
	"push %rdi\n\t.cfi_adjust_cfa_offset 8\n\tpopfq\n\t.cfi_adjust_cfa_offset -8\n\t"
	"ret\n\t.cfi_endproc\n");
void set_flags(unsigned long flags);

static int compare_quietly(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static __attribute__((noinline)) void work(void)
{
	int numbers[] = { 5, 3, 9, 1, 7 };
	char text[200];
	void *memory = malloc(3000);

	qsort(numbers, 5, sizeof(numbers[0]), compare_quietly);
	snprintf(text, sizeof(text), "%d %s %.3f", numbers[0], "text", 1.5);
	free(memory);
	setenv("UNWIND_TEST", text, 1);
	raise(SIGUSR1);
}

static void *run_thread(void *data)
{
	bool *same = data;

	*same = recurse(40);
	return NULL;
}

/* Calls its argument, and has no table. */
__asm__(".text\n.type call_without_table, @function\ncall_without_table:\n\t"
	"subq $40, %rsp\n\tcall *%rdi\n\taddq $40, %rsp\n\tret\n");
void call_without_table(void (*function)(void));
static size_t frames_without_table;
static bool whole_without_table;

static __attribute__((noinline)) void walk_without_table(void)
{
	struct unwind_registers here;
	uint64_t ours[DEPTH];

	UNWIND_REGISTERS_HERE(here);
	frames_without_table =
		unwind_thread(unwind_objects_now(), here, true, ours, DEPTH, &whole_without_table);
}

static uintptr_t random_code(const struct unwind_objects *objects)
{
	const struct unwind_object *object = &objects->objects[(size_t)rand() % objects->count];

	return object->start + (size_t)rand() % (object->end - object->start);
}

/* Between two pages that cannot be read: a read beside it ends the test. */
static char *guarded(size_t size)
{
	char *pages = mmap(NULL, size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(pages + 4096, size, PROT_READ | PROT_WRITE);
	return pages + 4096;
}

static uint64_t walk_garbage(void)
{
	const struct unwind_objects *objects = unwind_objects_now();
	const size_t size = 32768, words = size / 8;
	uint64_t *stack = (uint64_t *)guarded(size), frames = 0;
	const struct unwind_stack garbage = { (uintptr_t)stack, (uintptr_t)stack + size };
	uint64_t ours[DEPTH];
	bool is_whole;

	for (unsigned i = 0; i < GARBAGE_WALKS; i++) {
		const uintptr_t rsp = (uintptr_t)stack + (size_t)rand() % (size + 64);
		const uintptr_t near = rand() % 2 ? rsp + (size_t)rand() % 256 : UINTPTR_MAX;
		struct unwind_registers registers = { random_code(objects), rsp, near, near };

		for (unsigned j = 0; j < 16; j++)
			stack[(size_t)rand() % words] =
				rand() % 3
					? random_code(objects)
					: (uintptr_t)stack + (size_t)rand() % (size + 64) / 8 * 8;
		frames += unwind_walk(objects, &registers, &garbage, ours, DEPTH, &is_whole);
	}
	return frames;
}

/* Tables of libc with bytes changed, at the end of memory that can be read. */
static size_t make_garbage_tables(const struct unwind_object *object)
{
	const unsigned char *header = (const unsigned char *)object->header;
	const size_t from = 65536, size = 4 * from;
	unsigned char *copy = (unsigned char *)guarded(size);
	size_t rows = 0;

	for (unsigned i = 0; i < GARBAGE_TABLES; i++) {
		const size_t part = 12 + (size_t)rand() % (size - 12);
		unsigned char *begin = copy + size - part;
		const struct unwind_memory memory = { begin, copy + size };
		size_t count;

		memcpy(begin, header, part);
		for (unsigned j = 0; j < i / 2 * 8; j++)
			begin[(size_t)rand() % part / 2 + part / 2] = (unsigned char)rand();
		if (unwind_table_make(begin, memory, (uintptr_t)begin - (1 << 28), NULL, 0,
				      &count) == 0)
			rows += count;
	}
	return rows;
}

/* A function that remembers its state oftener than there is room for. */
static uint32_t rule_of_deep_function(void)
{
	static const unsigned char start[] = {
		1,
		0x1b,
		3,
		0x3b,
		0,
		0,
		0,
		0,
		1,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		56,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		/* at 32 the CIE */
		20,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		1,
		'z',
		'R',
		0,
		1,
		0x78,
		16,
		1,
		0x1b,
		0x0c,
		7,
		8,
		0x90,
		1,
		0,
		0,
		/* at 56 the FDE, of 4096 bytes */
		0,
		1,
		0,
		0,
		28,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		16,
		0,
		0,
		0,
	};
	static unsigned char bytes[512];
	const struct unwind_memory memory = { bytes, bytes + sizeof(bytes) };
	struct unwind_row rows[4] = { { 0, 0 } };
	size_t count;

	memset(bytes, 0x0a, sizeof(bytes));
	memcpy(bytes, start, sizeof(start));
	if (unwind_table_make(bytes, memory, (uintptr_t)bytes, rows, 4, &count) != 0 || count != 1)
		return UINT32_MAX;
	return unwind_table_find(rows, count, 100);
}

/* A coroutine's stack is not known: the walk has the address where it is, and reads nothing. */
static ucontext_t coroutine, main_context;
static size_t frames_in_coroutine;
static bool whole_in_coroutine;

static __attribute__((noinline)) void walk_in_coroutine(void)
{
	struct unwind_registers here;
	uint64_t ours[DEPTH];

	UNWIND_REGISTERS_HERE(here);
	frames_in_coroutine =
		unwind_thread(unwind_objects_now(), here, true, ours, DEPTH, &whole_in_coroutine);
}

static void run_coroutine(void)
{
	frames_in_coroutine = 0;
	walk_in_coroutine();
	whole_in_coroutine |= frames_in_coroutine != 1;
}

/* A little below `near`: there are pages between that cannot be read. */
static void test_coroutine(char *near)
{
	const size_t size = 65536;
	char *stack = mmap(near - 2 * size, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = size;
	coroutine.uc_link = &main_context;
	makecontext(&coroutine, run_coroutine, 0);
	swapcontext(&main_context, &coroutine);
	ok(frames_in_coroutine == 1 && !whole_in_coroutine,
	   "nothing is read of a coroutine's stack");
	munmap(stack, size);
}

static void *run_coroutine_in_thread(void *data)
{
	pthread_attr_t attributes;
	size_t size;
	void *stack;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &stack, &size);
	pthread_attr_destroy(&attributes);
	test_coroutine(stack);
	return data;
}

/* Without system calls: what was asked for before is known still. */
static __attribute__((noinline)) bool is_whole_unasked(void)
{
	struct unwind_registers here;
	uint64_t ours[DEPTH];
	bool is_whole;

	UNWIND_REGISTERS_HERE(here);
	unwind_thread(unwind_objects_now(), here, false, ours, DEPTH, &is_whole);
	return is_whole;
}

static void *run_unasked(void *data)
{
	bool *whole = data;

	whole[0] = is_whole_unasked();
	recurse(3);
	whole[1] = is_whole_unasked();
	return NULL;
}

static const struct unwind_object *largest(void)
{
	const struct unwind_objects *objects = unwind_objects_now();
	const struct unwind_object *found = &objects->objects[0];

	for (size_t i = 1; i < objects->count; i++)
		if (objects->objects[i].count > found->count)
			found = &objects->objects[i];
	return found;
}

static void test_signals(void)
{
	struct sigaction on = { .sa_handler = on_user, .sa_flags = SA_ONSTACK };
	const stack_t alternate = { .ss_sp = malloc(ALTERNATE_SIZE), .ss_size = ALTERNATE_SIZE };

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &on, NULL);
	raise(SIGUSR1);
	ok(handler_same, "from a handler on an alternate stack to the thread's begin");
	on.sa_flags |= SA_SIGINFO;
	on.sa_sigaction = on_step;
	sigaction(SIGTRAP, &on, NULL);
	set_flags(FLAGS | TRAP_FLAG);
	work();
	set_flags(FLAGS);
	printf("# %u instructions, %u whole, %u as libgcc's\n", steps, steps_whole, steps_same);
	ok(steps > 1000, "a thousand instructions were stepped through");
	is(steps_whole, steps, "at each a walk reaches the thread's begin");
	is(steps_same, steps, "with libgcc's frames");
	is(steps_from_handler, steps, "and from the handler that was called there");
}

int main(void)
{
	int numbers[] = { 4, 2, 8 };
	void *first[2];
	bool thread_same = false, unasked[2];
	pthread_t thread;
	pthread_attr_t attributes;
	const struct unwind_objects *objects;

	backtrace(first, 2); /* loads libgcc_s */
	is(unwind_objects_update(), 0, "tables are copied");
	objects = unwind_objects_now();
	is(unwind_objects_update(), 0, "and again");
	ok(unwind_objects_now() == objects, "what is the same is not published again");
	ok(recurse(60), "recursion");
	callback_same = true;
	qsort(numbers, 3, sizeof(numbers[0]), compare_numbers);
	ok(callback_same, "through libc");
	pthread_create(&thread, NULL, run_thread, &thread_same);
	pthread_join(thread, NULL);
	ok(thread_same, "a thread");
	pthread_create(&thread, NULL, run_unasked, unasked);
	pthread_join(thread, NULL);
	ok(!unasked[0] && unasked[1], "a thread whose stack is known asks no more");
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 1 << 20);
	test_coroutine((char *)(UINT64_C(1) << 32));
	pthread_create(&thread, &attributes, run_coroutine_in_thread, NULL);
	pthread_join(thread, NULL);
	test_signals();
	call_without_table(walk_without_table);
	ok(frames_without_table == 1 && !whole_without_table, "code without a table ends a walk");
	ok(walk_garbage() >= GARBAGE_WALKS, "garbage on a stack leads to no read outside of it");
	ok(make_garbage_tables(largest()) > 0,
	   "garbage in tables leads to no read outside of them");
	is(rule_of_deep_function(), UNWIND_STOP, "states that are remembered without end");
	return done_testing();
}
