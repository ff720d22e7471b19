/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A string that another thread, or a signal handler, changes while it is
 * written leaves the rest of the event as it is.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <lttngmap/tracepoint.h>

#include "tests/unit/tracepoint-backend.h"
#include "tests/utils/tap.h"

#define TAIL UINT32_C(0x5aa5a55a)

LTTNGMAP_TRACEPOINT(changing, strings, LTTNGMAP_LOGLEVEL_INFO,
	(string, first), (string, second), (integer, uint32_t, tail));
LTTNGMAP_TRACEPOINT(changing, signal, LTTNGMAP_LOGLEVEL_INFO,
	(integer, int, number), (string, where), (integer, uint32_t, tail));

static char shared[65];
static int stop;

/* What every interleaving must come to: the copy's end is the one that counts. */
static void test_steps(void)
{
	unsigned char to[32];
	char buffer[16] = "hello";
	const char *string = buffer;
	size_t room = 100, cut = 0, length = lttngmap_bound_string_(&string, &room, &cut);

	is(length, 5, "a string is measured");
	is(room, 95, "and takes that much of the room");
	buffer[2] = '\0';
	ok(lttngmap_pack_string_(to, string, length) == to + 3 && memcmp(to, "he", 3) == 0,
	   "it became shorter: its copy ends where it does now");
	strcpy(buffer, "hello world");
	ok(lttngmap_pack_string_(to, string, length) == to + 6 && memcmp(to, "hello", 6) == 0,
	   "it became longer: its copy ends where it did");
	buffer[0] = '\0';
	ok(lttngmap_pack_string_(to, string, length) == to + 1 && to[0] == 0,
	   "it became empty: so is its copy");

	room = 3;
	strcpy(buffer, "hello");
	is(lttngmap_bound_string_(&string, &room, &cut), 3, "with less room it is cut");
	is(room, 0, "and all room is taken");
	is(lttngmap_bound_string_(&string, &room, &cut), 0, "with none it is empty");
}

/* In one pass, as long as it takes no more than is left. */
static void test_quick(void)
{
	static const uint32_t elements[2] = { 1, 2 };
	unsigned char to[8] = "1234567";
	size_t left = 4;

	ok(lttngmap_quick_string_(to, "abc", &left) == to + 4 && memcmp(to, "abc", 4) == 0,
	   "a short string is copied with its end");
	is(left, 1, "and takes that much of what is left");
	ok(lttngmap_quick_string_(to + 4, "d", &left) == to + 6 && left == 0,
	   "another one may take the rest");
	ok(!lttngmap_quick_string_(to + 6, "e", &left) && to[6] == 'e' && to[7] == 0,
	   "a longer one is not, and nothing is stored behind");
	left = 8;
	ok(!lttngmap_quick_sequence_(to, elements, 3, 4, &left) && left == 8,
	   "nor is a longer sequence");
	ok(lttngmap_quick_sequence_(to, elements, 1, 4, &left) == to + 8 && left == 4,
	   "a short one is");
	ok(lttngmap_quick_sequence_(to, elements, SIZE_MAX, 4, &left) == to + 4,
	   "a negative length is none");
}

/* Plays a program that has a data race: no bug of ours, so ThreadSanitizer does not see it. */
__attribute__((no_sanitize("thread"))) static void *flip(void *unused)
{
	uint32_t at = 1;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		at = at * 1664525u + 1013904223u;
		__atomic_store_n(&shared[at >> 26], '\0', __ATOMIC_RELAXED);
		at = at * 1664525u + 1013904223u;
		__atomic_store_n(&shared[at >> 26], 's', __ATOMIC_RELAXED);
	}
	return unused;
}

/* One NUL a string, the tail behind the last one, and nothing else. */
static int is_whole(size_t *length)
{
	const unsigned char *second, *tail, *end = backend.fields + backend.size;
	uint32_t value;

	second = (const unsigned char *)memchr(backend.fields, 0, backend.size);
	if (!second++)
		return 0;
	tail = (const unsigned char *)memchr(second, 0, (size_t)(end - second));
	if (!tail++ || end - tail != sizeof(value))
		return 0;
	*length = (size_t)(second - backend.fields - 1);
	memcpy(&value, tail, sizeof(value));
	return value == TAIL;
}

static void test_threads(void)
{
	unsigned int i, broken = 0, lengths = 0;
	unsigned char seen[sizeof(shared)] = { 0 };
	pthread_t thread;
	size_t length = 0;

	memset(shared, 's', sizeof(shared) - 1);
	if (pthread_create(&thread, NULL, flip, NULL) != 0)
		bail_out("cannot make a thread");
	/* On a busy machine the other thread's turn may come late. */
	for (i = 0; i < 400000 || (lengths < 2 && i < 100000000); i++) {
		lttngmap_tracepoint(changing, strings, shared, shared, TAIL);
		if (!is_whole(&length)) {
			broken++;
		} else {
			lengths += !seen[length];
			seen[length] = 1;
		}
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	is(broken, 0, "the events of a string that a thread changes are whole");
	ok(lengths > 1, "and it did change: %u lengths were seen", lengths);
}

static volatile sig_atomic_t handled, handler_errno;

static void handle(int number)
{
	struct backend interrupted = backend;
	int interrupted_errno = errno;

	errno = ERANGE;
	lttngmap_tracepoint(changing, signal, number, "handler", TAIL);
	handler_errno = errno;
	handled += backend.size == sizeof(int) + sizeof("handler") + sizeof(TAIL);
	backend = interrupted;
	errno = interrupted_errno;
}

/* An alternate stack of the size that programs give, with a page of no access below. */
static void take_signals_on_small_stack(void)
{
	long page = sysconf(_SC_PAGESIZE), size = (sysconf(_SC_SIGSTKSZ) / page + 4) * page;
	char *memory = (char *)mmap(NULL, (size_t)(page + size), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction action;
	stack_t stack;

	if (memory == MAP_FAILED || mprotect(memory, (size_t)page, PROT_NONE) != 0)
		bail_out("cannot make a stack");
	memset(&stack, 0, sizeof(stack));
	stack.ss_sp = memory + page;
	stack.ss_size = (size_t)size;
	memset(&action, 0, sizeof(action));
	action.sa_handler = handle;
	action.sa_flags = SA_ONSTACK | SA_RESTART;
	if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGALRM, &action, NULL) != 0)
		bail_out("cannot take signals on it");
}

static void test_signals(void)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	unsigned int broken = 0, events = 0;
	size_t length;

	take_signals_on_small_stack();
	raise(SIGALRM);
	is(handled, 1, "an event in a signal handler is written");
	is(handler_errno, ERANGE, "and keeps errno");

	memset(shared, 's', sizeof(shared) - 1);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; handled < 200 && events < 50000000; events++) {
		lttngmap_tracepoint(changing, strings, shared, "", TAIL);
		broken += !is_whole(&length);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	is(broken, 0, "events that signal handlers with events interrupt are whole");
	ok(handled >= 200, "and %d were interrupted", (int)handled);
}

int main(void)
{
	backend_switch(1);
	test_steps();
	test_quick();
	test_threads();
	test_signals();
	return done_testing();
}
