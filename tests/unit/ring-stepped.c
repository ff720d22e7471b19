/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A debugger steps through an event, instruction by instruction: each step aborts a restartable
 * sequence. The event is written all the same, in a ring that takes a lock, after a bounded number
 * of steps.
 *
 * And through an event that caches the channel anew: while the cached channel is a mixture, it has
 * no generation that a channel can have, 0 of a stopped one included. event-fast.c compares that
 * alone.
 *
 * Last, an event of a thread that finds such a mixture.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/rseq.h>
#include <sys/wait.h>
#include <unistd.h>

#include <urcu.h>

#include "liblttngmap/event/ring-write.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

/*
 * Eight aborted tries and one by lock take some 2,500; with a sanitizer, its own work is stepped
 * through, too.
 */
#ifdef __SANITIZE_THREAD__
#define STEPS_MAX 200000u
#elif defined(__SANITIZE_ADDRESS__)
#define STEPS_MAX 40000u
#else
#define STEPS_MAX 10000u
#endif
#define EVENTS 3

static struct bench_set bench;

static uint64_t written(uint32_t first, uint32_t last)
{
	uint64_t count = 0;

	for (uint32_t i = first; i <= last; i++) {
		struct lttngmap_ring *ring =
			(void *)(bench.rings + i * lttngmap_ring_stride(1u << 2));

		count += ring->commit[0] >> LTTNGMAP_COUNT_SHIFT;
	}
	return count;
}

/* Between two stops of its own it writes events; then it exits with how many stand in rings. */
static void be_stepped(void)
{
	static const uint64_t field = 1;
	struct ring_event event = { &field, sizeof(field), NULL, 1, 0 };
	uint32_t cpus = bench.control->cpu_rings;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (int i = 0; i < EVENTS; i++)
		bench_set_write(&bench, &event);
	raise(SIGSTOP);
	/* The first event, before this, is in a CPU's own ring. */
	_exit((int)(written(0, cpus - 1) << 4 | written(cpus, cpus + LTTNGMAP_EXTRA_RINGS - 1)));
}

/* The number of steps between the child's two stops. */
static unsigned step_through(pid_t child)
{
	unsigned steps = 0;
	int status;

	waitpid(child, &status, 0);
	while (steps < STEPS_MAX * EVENTS * 10) {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 ||
		    waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
		    WSTOPSIG(status) == SIGSTOP)
			break;
		steps++;
	}
	return steps;
}

/* The channel begins anew, and an event finds that out. */
static void cache_anew(void)
{
	static const uint64_t field = 2;
	struct ring_event event = { &field, sizeof(field), NULL, 1, 0 };

	bench_set_write(&bench, &event);
	bench.control->channels[0].generation++;
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	bench_set_write(&bench, &event);
	raise(SIGSTOP);
	_exit(0);
}

static uint32_t word_of(pid_t child, const uint32_t *word)
{
	return (uint32_t)ptrace(PTRACE_PEEKDATA, child, word, NULL);
}

/* Steps with the channel half cached; of these, with a generation that its control may have. */
static void step_through_caching(pid_t child, unsigned *filling, unsigned *believed)
{
	int status;

	waitpid(child, &status, 0);
	*filling = *believed = 0;
	for (unsigned steps = 0; steps < STEPS_MAX * 10; steps++) {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 ||
		    waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
		    WSTOPSIG(status) == SIGSTOP)
			break;
		if (!word_of(child, &bench.local->filling[0]))
			continue;
		++*filling;
		*believed += word_of(child, &bench.local->channels[0].generation) == 0;
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

/* As a thread finds the channel that another one has just begun to cache. Exits with 0 if it wrote.
 */
static void write_beside_caching(void)
{
	static const uint64_t field = 3;
	struct ring_event event = { &field, sizeof(field), NULL, 1, 0 };
	uint32_t last = bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS - 1;
	uint64_t before;

	bench_set_write(&bench, &event);
	before = written(0, last);
	bench.local->filling[0] = 1;
	bench.local->channels[0] = (struct ring_channel){ .generation = RING_CHANNEL_FILLING };
	bench_set_write(&bench, &event);
	_exit(written(0, last) != before + 1);
}

int main(void)
{
	struct bench_set_config config = {
		.mode = LTTNGMAP_MODE_BLOCKING,
		.clock = LTTNGMAP_CLOCK_TSC,
		.subbuf_shift = 12,
		.subbufs_shift = 2,
		.use_rseq = true,
	};
	static const uint64_t field = 0;
	unsigned steps, filling, believed;
	int status;
	pid_t child;

	if (!__rseq_size)
		skip_all("no restartable sequences here");
	plan(6);
	rcu_register_thread();
	bench_set_create(&bench, &config);
	bench_set_write(&bench, &(struct ring_event){ &field, sizeof(field), NULL, 1, 0 });
	child = fork();
	if (child == 0)
		be_stepped();
	steps = step_through(child);
	ok(steps < STEPS_MAX * EVENTS, "an event takes a bounded number of steps");
	diag("%u steps for %d events", steps, EVENTS);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	waitpid(child, &status, 0);
	ok(WIFEXITED(status), "the stepped program goes on to its end");
	is(WEXITSTATUS(status), 1 << 4 | EVENTS,
	   "its events are in rings with a lock, none is lost");
	child = fork();
	if (child == 0)
		cache_anew();
	step_through_caching(child, &filling, &believed);
	ok(filling > 20, "an event caches the channel anew");
	is(believed, 0, "a half cached channel has no generation of a stopped channel");
	child = fork();
	if (child == 0)
		write_beside_caching();
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "an event is written, and crashes nothing, while another thread caches its channel");
	rcu_unregister_thread();
	return done_testing();
}
