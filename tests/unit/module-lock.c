/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * module-lock.c - a module that is unloaded is off every list, whoever has the lock
 * and for how long; a child of fork has what its parent's threads held; and calls go to
 * all providers of their name.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <lttngmap/event-class.h>

#include "common/protocol/protocol-app.h"
#include "liblttngmap/attach/attach.h"
#include "liblttngmap/attach/exchange.h"
#include "liblttngmap/attach/module.h"
#include "liblttngmap/base/arch.h"
#include "tests/utils/tap.h"

static const uint64_t off;
static const struct lttngmap_event_class event_class = {
	.struct_size = sizeof(event_class),
	.provider = "test",
	.name = "event",
};
static struct lttngmap_tracepoint tracepoint = { .word = &off, .event_class = &event_class };
static struct lttngmap_tracepoint *const tracepoints[] = { &tracepoint };
static struct lttngmap_module module = {
	.struct_size = sizeof(module),
	.begin = tracepoints,
	.end = tracepoints + 1,
	.off = &off,
};

/* Of another thread that holds the lock: for this long, or until it is told. */
#define UNTIL_TOLD 0
static int held_ms;
static uint32_t steps; /* 1: it holds the lock, 2: it is told to give it back, or does */

static void pause_ms(int ms)
{
	const struct timespec pause = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&pause, NULL);
}

static void *hold(void *unused)
{
	(void)unused;
	if (!module_lock(MODULE_COMING))
		bail_out("the lock is taken already");
	__atomic_store_n(&steps, 1, __ATOMIC_RELEASE);
	pause_ms(held_ms);
	while (held_ms == UNTIL_TOLD && __atomic_load_n(&steps, __ATOMIC_ACQUIRE) != 2)
		pause_ms(1);
	__atomic_store_n(&steps, 2, __ATOMIC_RELEASE);
	module_unlock();
	return NULL;
}

static void end_holder(pthread_t thread)
{
	__atomic_store_n(&steps, 2, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

static void start_holder(pthread_t *thread, int ms)
{
	held_ms = ms;
	steps = 0;
	if (pthread_create(thread, NULL, hold, NULL))
		bail_out("cannot make a thread");
	while (!__atomic_load_n(&steps, __ATOMIC_ACQUIRE))
		pause_ms(1);
}

/* How long that took, in ms. */
static long unregister(void)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	lttngmap_module_unregister(&module);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000;
}

static bool is_listed(void)
{
	return tracepoint.word != &off;
}

static void test_holders(void)
{
	pthread_t thread;
	long waited;

	start_holder(&thread, UNTIL_TOLD);
	lttngmap_module_register(&module);
	ok(!is_listed(), "who comes does not wait for long");
	end_holder(thread);
	ok(is_listed(), "  ... and is listed by the holder of the lock, when that is done");
	lttngmap_module_unregister(&module);

	start_holder(&thread, UNTIL_TOLD);
	lttngmap_module_register(&module);
	lttngmap_module_unregister(&module);
	end_holder(thread);
	ok(!is_listed(), "  ... but not where it went before");

	lttngmap_module_register(&module);
	ok(is_listed(), "nobody holds the lock: a module is listed");
	start_holder(&thread, 100);
	waited = unregister();
	/* On a busy machine a holder's turn to give it back may come too late. */
	ok(__atomic_load_n(&steps, __ATOMIC_ACQUIRE) == 2 || waited >= (long)attach_patience_ms(),
	   "who goes waits for the holder: %ld ms", waited);
	ok(!is_listed(), "  ... and is off");
	pthread_join(thread, NULL);

	lttngmap_module_register(&module);
	start_holder(&thread, UNTIL_TOLD);
	lttngmap_module_unregister(&module);
	is(__atomic_load_n(&steps, __ATOMIC_ACQUIRE), 1, "but not for ever");
	ok(!is_listed(), "  ... and is off all the same");
	ok(module.state != 0, "  ... and says that the holder may be looking at it");
	end_holder(thread);
	lttngmap_module_register(&module);
	lttngmap_module_unregister(&module);
	is(module.state, 0, "  ... until it comes and goes again, and nobody is");
	ok(module_lock(MODULE_COMING), "the holder keeps the lock till its end, and gives it back");
	module_unlock();
}

static bool refuse_nanosleep(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_nanosleep, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	/* The library has prctl(), and would wait for nothing from then on. */
	return arch_syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       arch_syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* An attached program's sleep, which that interrupts, is the kernel's to go on with. */
static void test_pauses(void)
{
	uint64_t begin = exchange_now();
	pthread_t thread;
	pid_t child;
	int status;

	for (int i = 0; i < 5; i++)
		exchange_pause(20000000);
	ok(exchange_now() - begin >= 100000000, "each pause takes the time that it was given");
	child = fork();
	if (child == 0) {
		start_holder(&thread, UNTIL_TOLD);
		if (!refuse_nanosleep())
			_exit(2);
		lttngmap_module_register(&module);
		_exit(0);
	}
	waitpid(child, &status, 0);
	is(status, 0, "who waits for the lock does not call nanosleep");
}

/* As a handler that calls exit() in a thread which answers a knock. */
static void test_holder_itself(void)
{
	long waited, shortest = LONG_MAX;
	pid_t child;
	int status;

	/* The machine may be at other things in one of them. */
	for (int i = 0; i < 3; i++) {
		if (i > 0)
			module_unlock();
		lttngmap_module_register(&module);
		module_lock(MODULE_COMING);
		waited = unregister();
		shortest = waited < shortest ? waited : shortest;
	}
	ok(!is_listed(), "the holder itself goes: it is off");
	ok(shortest < (long)attach_patience_ms() / 2, "  ... without waiting for itself");
	ok(!module_lock(MODULE_COMING), "  ... and the lock is still its");
	child = fork();
	if (child == 0)
		_exit(module_lock(MODULE_COMING) ? 1 : 0);
	waitpid(child, &status, 0);
	is(status, 0, "  ... also in a child, where it goes on");
	module_unlock();
}

static int try_in_shared_memory(void *unused)
{
	(void)unused;
	return module_lock(MODULE_COMING) ? 1 : 0;
}

static char stack[65536];

static void test_children(void)
{
	pthread_t thread;
	pid_t child;
	int status;

	lttngmap_module_register(&module);
	start_holder(&thread, UNTIL_TOLD);
	child = fork();
	if (child == 0) {
		if (!module_lock(MODULE_COMING))
			_exit(1);
		module_unlock();
		lttngmap_module_unregister(&module);
		_exit(is_listed() ? 2 : 0);
	}
	waitpid(child, &status, 0);
	is(status, 0, "a child of fork does not wait for its parent's thread");
	is(__atomic_load_n(&steps, __ATOMIC_ACQUIRE), 1, "  ... which still had the lock");
	ok(is_listed(), "  ... and changes nothing in its parent");

	child = vfork();
	if (child == 0)
		_exit(module_lock(MODULE_COMING) ? 1 : 0);
	waitpid(child, &status, 0);
	is(status, 0, "a vfork's child does not take what its parent's thread has");
	/* This thread waits meanwhile: what it has of its own in memory is the child's, too. */
	child = clone(try_in_shared_memory, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD,
		      NULL);
	waitpid(child, &status, 0);
	is(status, 0, "  ... nor does another one that shares its memory");
	end_holder(thread);
	lttngmap_module_unregister(&module);
}

static void emit(void)
{
}

static struct lttngmap_emitter *chained(struct lttngmap_emitter *emitter, unsigned int count)
{
	while (emitter && count--)
		emitter = emitter->next;
	return emitter;
}

static void test_providers(void)
{
	static struct lttngmap_tracepoint call_tracepoint = { .word = &off };
	static struct lttngmap_tracepoint *const called[] = { &call_tracepoint };
	static struct lttngmap_emitter *first;
	static const struct lttngmap_call call = { "test", "event", "()", &call_tracepoint,
						   &first };
	static const struct lttngmap_call *const calls_made[] = { &call };
	static struct lttngmap_calls calls = {
		.struct_size = sizeof(calls),
		.begin = calls_made,
		.end = calls_made + 1,
		.module = { .struct_size = sizeof(calls.module),
			    .begin = called,
			    .end = called + 1,
			    .off = &off },
	};
	struct lttngmap_emitter one = { &tracepoint, emit, "()", NULL };
	struct lttngmap_emitter two = { &tracepoint, emit, "()", NULL };
	struct lttngmap_emitter three = { &tracepoint, emit, "()", NULL };
	struct lttngmap_emitter other = { &tracepoint, emit, "(int)", NULL };
	struct lttngmap_provider providers[] = {
		{ .struct_size = sizeof(providers[0]), .nr_emitters = 1, .emitters = &one },
		{ .struct_size = sizeof(providers[0]), .nr_emitters = 1, .emitters = &other },
		{ .struct_size = sizeof(providers[0]), .nr_emitters = 1, .emitters = &two },
		{ .struct_size = sizeof(providers[0]), .nr_emitters = 1, .emitters = &three },
	};
	const uint64_t *word;
	pthread_t thread;

	lttngmap_calls_register(&calls);
	lttngmap_provider_register(&providers[0]);
	lttngmap_provider_register(&providers[1]);
	ok(first == &one && !one.next, "a call goes to the provider of its signature");
	ok(call_tracepoint.event_class == &event_class, "  ... has its class");
	lttngmap_provider_register(&providers[2]);
	lttngmap_provider_register(&providers[3]);
	ok(first == &one && chained(first, 1) == &two && chained(first, 2) == &three &&
		   !chained(first, 3),
	   "  ... and to all others, in the order in which they came");
	word = call_tracepoint.word;
	ok(!call_tracepoint.event_class && *word, "  ... by a word that is on");
	lttngmap_provider_unregister(&providers[2]);
	ok(first == &one && chained(first, 1) == &three, "  ... until one in the middle goes");
	lttngmap_provider_unregister(&providers[0]);
	ok(first == &three && !three.next, "  ... and the first");
	ok(call_tracepoint.event_class == &event_class && call_tracepoint.word != word &&
		   call_tracepoint.word != &off,
	   "  ... where a daemon finds the class of the one that is left");
	lttngmap_provider_register(&providers[2]);
	start_holder(&thread, UNTIL_TOLD);
	lttngmap_provider_unregister(&providers[3]);
	ok(first == &two && *call_tracepoint.word,
	   "  ... which is called also if it could not be registered");
	end_holder(thread);
	lttngmap_provider_unregister(&providers[2]);
	ok(!first && !call_tracepoint.event_class && call_tracepoint.word == &off,
	   "  ... and to nobody without any");
	lttngmap_provider_unregister(&providers[1]);
	lttngmap_calls_unregister(&calls);
}

/* A daemon that does not answer: from then on the holder of the lock may be one for long. */
static void test_silent_daemon(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char dir[] = "/tmp/module-lock.XXXXXX";
	int server = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (!mkdtemp(dir))
		bail_out("cannot make a directory: %m");
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/" PROTOCOL_APP_SOCKET, dir);
	if (bind(server, (struct sockaddr *)&address, sizeof(address)) || listen(server, 1))
		bail_out("cannot listen: %m");
	setenv("LTTNGMAP_RUNTIME_DIR", dir, 1);
	lttngmap_module_register(&module);
	ok(is_listed(), "a daemon that does not answer does not keep a module off the list");
	lttngmap_module_unregister(&module);
	close(server);
	unlink(address.sun_path);
	rmdir(dir);
}

int main(void)
{
	test_silent_daemon();
	test_holders();
	test_pauses();
	test_holder_itself();
	test_children();
	test_providers();
	return done_testing();
}
