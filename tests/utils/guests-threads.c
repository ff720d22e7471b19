/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* Guests that are about threads, their stacks and storage, handlers and libraries. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/utils/guests.h"

/* ---- contexts, left by jumps out of handlers --------------------------------------------- */

#define COROUTINES 17
#define ROUNDS 1000

static ucontext_t scheduler, coroutines[COROUTINES];
static sigjmp_buf back;
static int turn;

static void jump(int signal)
{
	(void)signal;
	mark();
	siglongjmp(back, 1);
}

static void coroutine(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (sigsetjmp(back, 1) == 0) {
			mark();
			raise(SIGUSR1);
		}
		swapcontext(&coroutines[turn], &scheduler);
	}
}

static void run_contexts(const char *argument)
{
	struct sigaction action = { .sa_handler = jump };

	(void)argument;
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&coroutines[i]);
		coroutines[i].uc_stack.ss_sp = malloc(65536);
		coroutines[i].uc_stack.ss_size = 65536;
		coroutines[i].uc_link = &scheduler;
		makecontext(&coroutines[i], coroutine, 0);
	}
	for (int i = 0; i < ROUNDS; i++) {
		for (turn = 0; turn < COROUTINES; turn++)
			swapcontext(&scheduler, &coroutines[turn]);
	}
	work();
}

/* ---- handlers ----------------------------------------------------------------------------- */

#define HANDLED 150

static _Atomic int handled;

static void handle(int signal)
{
	int error = errno;

	(void)signal;
	mark();
	handled++;
	errno = error;
}

static void *be_interrupted(void *unused)
{
	while (handled < HANDLED)
		mark();
	return unused;
}

static void run_handlers(const char *argument)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	struct itimerval period = { { 0, 500 }, { 0, 500 } }, never = { 0 };
	pthread_t threads[4];

	(void)argument;
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, be_interrupted, NULL);
	setitimer(ITIMER_REAL, &period, NULL);
	while (handled < HANDLED) {
		for (int i = 0; i < 4; i++)
			pthread_kill(threads[i], SIGUSR1);
		usleep(200);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* On the smallest stack that such a handler may have, below which nobody may write. */
static void run_altstack(const char *argument)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)MINSIGSTKSZ;
	size_t pages = (size + page - 1) / page * page;
	char *map = mmap(NULL, page + pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = map + page + pages - size, .ss_size = size };

	(void)argument;
	mprotect(map + page, pages, PROT_READ | PROT_WRITE);
	expect(sigaltstack(&stack, NULL) == 0);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 1000; i++) {
		raise(SIGUSR1);
		work();
	}
}

/* ---- threads ------------------------------------------------------------------------------ */

#define AT_ONCE 100

static void *work_once(void *unused)
{
	work();
	return unused;
}

static void run_threads(const char *argument)
{
	pthread_t threads[AT_ONCE];
	int most = atoi(argument);

	for (int made = 0; made < most; made += AT_ONCE) {
		for (int i = 0; i < AT_ONCE; i++)
			expect(pthread_create(&threads[i], NULL, work_once, NULL) == 0);
		for (int i = 0; i < AT_ONCE; i++)
			expect(pthread_join(threads[i], NULL) == 0);
	}
}

static void run_stacks(const char *argument)
{
	pthread_attr_t smallest;
	pthread_t thread;

	(void)argument;
	pthread_attr_init(&smallest);
	expect(pthread_attr_setstacksize(&smallest, (size_t)PTHREAD_STACK_MIN) == 0);
	for (int i = 0; i < 100; i++) {
		expect(pthread_create(&thread, &smallest, work_once, NULL) == 0);
		expect(pthread_join(thread, NULL) == 0);
	}
}

/* ---- the end of a thread ------------------------------------------------------------------- */

/* As C++ does for its thread_local. */
int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *library);
extern void *__dso_handle;

static pthread_key_t key;

static void destroy_again(void *value)
{
	work();
	pthread_setspecific(key, value);
}

static void destroy_once(void *unused)
{
	(void)unused;
	work();
}

static void *be_destroyed(void *unused)
{
	pthread_setspecific(key, &key);
	__cxa_thread_atexit_impl(destroy_once, NULL, &__dso_handle);
	work();
	return unused;
}

static void run_destructors(const char *argument)
{
	pthread_t thread;

	(void)argument;
	pthread_key_create(&key, destroy_again);
	for (int i = 0; i < 100; i++) {
		pthread_create(&thread, NULL, be_destroyed, NULL);
		pthread_join(thread, NULL);
	}
}

/* ---- libraries ----------------------------------------------------------------------------- */

static const char *plugin;

static void *load_often(void *unused)
{
	for (int i = 0; i < 150; i++) {
		void *library = dlopen(plugin, RTLD_NOW);
		int (*give)(int) = library ? (int (*)(int))dlsym(library, "give") : NULL;

		expect(give && give(i) == i);
		work();
		if (library)
			dlclose(library);
	}
	return unused;
}

/* The argument is a library with thread-local storage of its own, and give(). */
static void run_plugins(const char *argument)
{
	pthread_t threads[8];

	plugin = argument;
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, load_often, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

/* A namespace has a C library of its own, whose calls nobody sees. */
static void run_namespaces(const char *argument)
{
	for (int i = 0; i < 5; i++) {
		void *library = dlmopen(LM_ID_NEWLM, argument, RTLD_NOW);
		int (*give)(int) = library ? (int (*)(int))dlsym(library, "give") : NULL;

		expect(give && give(i) == i);
		work();
		if (library)
			dlclose(library);
	}
}

const struct guest thread_guests[] = {
	{ "contexts", run_contexts },
	{ "handlers", run_handlers },
	{ "altstack", run_altstack },
	{ "threads", run_threads },
	{ "stacks", run_stacks },
	{ "destructors", run_destructors },
	{ "plugins", run_plugins },
	{ "namespaces", run_namespaces },
	{ NULL, NULL },
};
