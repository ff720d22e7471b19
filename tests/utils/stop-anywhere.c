/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * stop-anywhere RUNTIME-DIR SESSION WRITER EVENT FIRST STRIDE: a program of
 * three threads, which write on the same CPU, is stopped in the middle of
 * one's event and killed there; again and again, STRIDE instructions further
 * each time from instruction FIRST on, until the event is over.
 *
 * WRITER: which of the three, 0 and 1 as they come, 2 without restartable
 * sequences. EVENT: "write", one that fits in its sub-buffer, or "switch".
 *
 * While it is stopped, the others write on. The session is stopped while the
 * writer still stands there, or after it was killed, by turns, and started
 * again. Prints "kills N steps N slowest_ms N".
 *
 * The stepping is ptrace's. A trap would abort a restartable sequence: so the
 * word by which the kernel knows that there is one is cleared at each step, and
 * all of its instructions are come by, one after another. Nobody else is on the
 * ring then but those who may be there when a thread is killed in a sequence.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/rseq.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"
#include "tests/utils/numbered-emit.h"
#include "tests/utils/sessiond-run.h"

#define THREADS 3
#define WARM_EVENTS 20
#define MORE_EVENTS 150
#define STEPS_MAX 300000
#define WAIT_MS 20000
#define TRIES_MAX 50
/* A stop that takes so long is looked at again: the machine may be at something else. */
#define LONG_MS 2000
#define LONG_TRIES 3
/* Both do not fit in one sub-buffer of 4096 bytes. */
#define PADDING_BEFORE 3500
#define PADDING 500
#define BREAKPOINT 0xcc

LTTNGMAP_TRACEPOINT(numbered, large, LTTNGMAP_LOGLEVEL_INFO, (integer, uint32_t, source),
		    (integer, uint64_t, number), (string, text), (sequence, uint16_t, items),
		    (sequence, uint8_t, padding));

static struct numbered_counts *counts;
static struct sessiond sessiond;
static const char *session;
static uint32_t victim;
static bool large;

/* Between the program and who stops it. */
static struct shared {
	uint32_t ready, attached, go_on, have_gone_on;
	pid_t victim;
	uintptr_t rseq_cs; /* of the victim; 0: it has none */
} * shared;

static __attribute__((noreturn)) void give_up(const char *what)
{
	fprintf(stderr, "stop-anywhere: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void wait_until(const uint32_t *word, uint32_t value, const char *what)
{
	uint64_t deadline = now_ms() + WAIT_MS;

	while (__atomic_load_n(word, __ATOMIC_SEQ_CST) < value) {
		if (now_ms() > deadline)
			give_up(what);
		usleep(50);
	}
}

/* ---- the program ------------------------------------------------------------- */

static void emit_large(const struct numbered_payload *payload, uint32_t source, uint64_t number,
		       uint32_t size)
{
	static const uint8_t padding[PADDING_BEFORE];

	lttngmap_tracepoint(numbered, large, source, number, payload->text, payload->items,
			    payload->nr_items, padding, size);
}

/* The next event of the source; between two breakpoints where it is watched. */
static __attribute__((noinline)) void emit_one(uint32_t source, bool watched)
{
	struct numbered_source *self = &counts->sources[source];
	struct numbered_payload payload;
	uint64_t number = self->done;

	numbered_payload(&payload, source, number);
	__atomic_store_n(&self->begun, number + 1, __ATOMIC_SEQ_CST);
	if (watched)
		__asm__ volatile("int3" ::: "memory");
	if (large)
		emit_large(&payload, source, number, watched ? PADDING : PADDING_BEFORE);
	else
		lttngmap_tracepoint(numbered, event, source, number, payload.text, payload.items,
				    payload.nr_items);
	if (watched)
		__asm__ volatile("int3" ::: "memory");
	__atomic_store_n(&self->done, number + 1, __ATOMIC_SEQ_CST);
}

static void *write_events(void *argument)
{
	uint32_t index = (uint32_t)(uintptr_t)argument, source = numbered_source(counts);
	struct rseq *rseq = (void *)((char *)__builtin_thread_pointer() + __rseq_offset);
	bool has_rseq = __rseq_size > 0 && index != 2;

	if (index == 2 && __rseq_size > 0)
		syscall(SYS_rseq, rseq, 32, 1, 0x53053053);
	numbered_emit_many(counts, source, WARM_EVENTS);
	if (index != victim) {
		__atomic_add_fetch(&shared->ready, 1, __ATOMIC_SEQ_CST);
		wait_until(&shared->go_on, 1, "others are not told to go on");
		numbered_emit_many(counts, source, MORE_EVENTS);
		__atomic_add_fetch(&shared->have_gone_on, 1, __ATOMIC_SEQ_CST);
	} else {
		/* After the others: what is in its sub-buffer leaves no room for another. */
		wait_until(&shared->ready, THREADS - 1, "others do not get ready");
		if (large)
			emit_one(source, false);
		shared->victim = (pid_t)syscall(SYS_gettid);
		shared->rseq_cs = has_rseq ? (uintptr_t)&rseq->rseq_cs : 0;
		__atomic_add_fetch(&shared->ready, 1, __ATOMIC_SEQ_CST);
		wait_until(&shared->attached, 1, "nobody attaches");
		emit_one(source, true);
	}
	for (;;)
		pause();
	return NULL;
}

static __attribute__((noreturn)) void run_program(void)
{
	pthread_t threads[THREADS];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, write_events, (void *)i) != 0)
			give_up("pthread_create");
	for (;;)
		pause();
}

/* ---- who stops it -------------------------------------------------------------- */

static void wait_for_trap(pid_t tid)
{
	int status;

	if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		give_up("the writer does not stop");
	if (WSTOPSIG(status) != SIGTRAP) {
		fprintf(stderr, "stop-anywhere: it stopped by signal %d\n", WSTOPSIG(status));
		exit(1);
	}
}

static bool is_at_end(pid_t tid)
{
	struct user_regs_struct registers;
	long word;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &registers) != 0)
		give_up("PTRACE_GETREGS");
	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, tid, (void *)registers.rip, NULL);
	if (errno)
		give_up("PTRACE_PEEKTEXT");
	return (word & 0xff) == BREAKPOINT;
}

/* So many instructions into the event; false: it is over before. */
static bool step_into(pid_t tid, unsigned int steps)
{
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
		give_up("PTRACE_SEIZE");
	__atomic_store_n(&shared->attached, 1, __ATOMIC_SEQ_CST);
	wait_for_trap(tid);
	for (; steps > 0 && !is_at_end(tid); steps--) {
		if (shared->rseq_cs &&
		    ptrace(PTRACE_POKEDATA, tid, (void *)shared->rseq_cs, NULL) != 0)
			give_up("PTRACE_POKEDATA");
		if (ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL) != 0)
			give_up("PTRACE_SINGLESTEP");
		wait_for_trap(tid);
	}
	return steps == 0;
}

static void kill_program(pid_t program)
{
	pid_t ended;
	int status;

	kill(program, SIGKILL);
	do {
		ended = waitpid(-1, &status, __WALL);
	} while (ended != program || WIFSTOPPED(status));
}

static uint64_t stop_session(void)
{
	uint64_t begun = now_ms();

	sessiond_do(&sessiond, "{\"verb\": \"stop\", \"session\": \"%s\"}", session);
	return now_ms() - begun;
}

/* False: the event was over before so many steps. */
static bool stop_once(unsigned int steps, bool kill_first, uint64_t *took)
{
	pid_t program;
	bool inside;

	memset(shared, 0, sizeof(*shared));
	program = fork();
	if (program < 0)
		give_up("fork");
	if (program == 0)
		run_program();
	wait_until(&shared->ready, THREADS, "the program does not get ready");
	inside = step_into(shared->victim, steps);
	/* Whoever stands there, in its sequence or with its lock, is in nobody's way. */
	__atomic_store_n(&shared->go_on, 1, __ATOMIC_SEQ_CST);
	wait_until(&shared->have_gone_on, THREADS - 1, "others do not go on");
	if (kill_first)
		kill_program(program);
	*took = stop_session();
	if (!kill_first)
		kill_program(program);
	sessiond_do(&sessiond, "{\"verb\": \"start\", \"session\": \"%s\"}", session);
	return inside;
}

static bool stop_at(unsigned int steps, bool kill_first, uint64_t *slowest)
{
	uint64_t took = LONG_MS;
	bool inside = true;

	for (int i = 0; inside && took >= LONG_MS && i < LONG_TRIES; i++)
		inside = stop_once(steps, kill_first, &took);
	if (took > *slowest)
		*slowest = took;
	return inside;
}

/* Once more where the daemon was too busy to register this program in time. */
static void be_traced(char **argv)
{
	const char *tries = getenv("STOP_ANYWHERE_TRIES");
	char next[16];

	if (lttngmap_tracepoint_enabled(numbered, event))
		return;
	snprintf(next, sizeof(next), "%d", tries ? atoi(tries) + 1 : 1);
	if (atoi(next) > TRIES_MAX)
		give_up("this program is not traced");
	setenv("STOP_ANYWHERE_TRIES", next, 1);
	execv("/proc/self/exe", argv);
	give_up("/proc/self/exe");
}

static void stay_on_one_cpu(void)
{
	cpu_set_t cpus, one;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
		give_up("sched_getaffinity");
	for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

int main(int argc, char **argv)
{
	const char *path = getenv("NUMBERED_COUNTS");
	unsigned int kills = 0, steps, stride;
	char control[PATH_MAX];
	uint64_t slowest = 0;

	if (argc != 7 || !path) {
		fprintf(stderr, "usage: NUMBERED_COUNTS=FILE stop-anywhere RUNTIME-DIR SESSION "
				"WRITER EVENT FIRST STRIDE\n");
		return 2;
	}
	be_traced(argv);
	counts = numbered_open(path);
	session = argv[2];
	victim = (uint32_t)atoi(argv[3]);
	large = strcmp(argv[4], "switch") == 0;
	steps = (unsigned int)atoi(argv[5]);
	stride = (unsigned int)atoi(argv[6]);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	snprintf(control, sizeof(control), "%s/%s", argv[1], PROTOCOL_CONTROL_SOCKET);
	if (shared == MAP_FAILED || socket_connect(control, SOCK_SEQPACKET, &sessiond.control) != 0)
		give_up(control);
	sessiond_do(&sessiond, "{\"verb\": \"hello\", \"version\": 1}");
	stay_on_one_cpu();
	for (; steps < STEPS_MAX && stop_at(steps, kills & 1, &slowest); steps += stride)
		kills++;
	printf("kills %u steps %u slowest_ms %llu\n", kills, steps, (unsigned long long)slowest);
	return steps >= STEPS_MAX;
}
