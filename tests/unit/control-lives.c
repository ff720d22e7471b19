/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Row 18: a daemon that is killed at each instruction of an update of the channel
 * table, by single steps, in a child that shares the control with this process,
 * which is a traced one meanwhile. An event that needs the table gives up within
 * 10 ms and is counted; the daemon's next life repairs the table, and events are
 * written again.
 *
 * The 10 ms are of the event's own thread: what others do on a busy machine is
 * not the event's. What other machines do on a busy host may well be counted as its own:
 * an event that took too long is written again, where all is as it was.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <urcu.h>

#include "liblttngmap/event/ring-write.h"
#include "sessiond/memory/control-pages.h"
#include "sessiond/storage/saved-state.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define TRAP_FLAG 0x100
#define INSTRUCTIONS_MAX 20000
/* Instrumented by a sanitizer, one of so many. */
#define STRIDE 31
#define GIVE_UP_NS 10000000
#define TRIES 3

enum update { PUBLISH, PUBLISH_ANEW, WITHDRAW, REPAIR, UPDATES };

struct tally {
	unsigned int kills, given_up, written, off, uncounted, broken, not_again;
	uint64_t longest_ns;
};

static struct bench_set bench;
static struct saved_state *saved_state;
static struct control_pages *pages;
static volatile unsigned int steps;
static unsigned int kill_at;
static uint32_t turn;

static void on_trap(int number)
{
	(void)number;
	if (++steps == kill_at)
		_exit(0);
}

static void set_trap(bool on)
{
	if (on)
		__asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq"
				 :
				 : "i"(TRAP_FLAG)
				 : "memory", "cc");
	else
		__asm__ volatile("pushfq\n\tandq %0, (%%rsp)\n\tpopfq"
				 :
				 : "i"(~TRAP_FLAG)
				 : "memory", "cc");
}

/* What differs tells whether a table is whole. */
static struct lttngmap_channel channel_of(uint32_t value)
{
	return (struct lttngmap_channel){
		.mode = LTTNGMAP_MODE_OVERWRITE,
		.subbuf_shift = 12,
		.subbufs_shift = 1,
		.blocking_timeout_ms = value,
	};
}

static void update(enum update what)
{
	struct lttngmap_channel old = channel_of(turn), new = channel_of(turn + 1);

	switch (what) {
	case PUBLISH_ANEW:
		control_pages_withdraw(pages, 0);
		control_pages_publish(pages, 0, &new);
		break;
	case WITHDRAW:
		control_pages_withdraw(pages, 0);
		break;
	case REPAIR:
		control_pages_begin(pages);
		control_pages_publish_again(pages, 0, &old);
		control_pages_publish_again(pages, 1, &new);
		control_pages_end(pages);
		break;
	default:
		control_pages_publish(pages, 0, &new);
		break;
	}
}

/* False: it had done it all before. */
static bool update_and_die(enum update what)
{
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		set_trap(true);
		update(what);
		set_trap(false);
		_exit(1);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		bail_out("the daemon's child crashed");
	return WEXITSTATUS(status) == 0;
}

static uint64_t nr_written(void)
{
	uint64_t events = 0;

	for (uint32_t i = 0; i < bench.config.cpu_rings + LTTNGMAP_EXTRA_RINGS; i++) {
		const struct lttngmap_ring *ring =
			(const void *)(bench.rings + i * lttngmap_ring_stride(2));

		events += ring->commit[0] >> LTTNGMAP_COUNT_SHIFT |
			  ring->commit[1] >> LTTNGMAP_COUNT_SHIFT << 16;
	}
	return events;
}

static uint64_t nr_lost(void)
{
	uint64_t events = __atomic_load_n(&bench.local->lost, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < bench.config.cpu_rings + LTTNGMAP_EXTRA_RINGS; i++)
		events +=
			((const struct lttngmap_ring *)(bench.rings + i * lttngmap_ring_stride(2)))
				->discards;
	return events;
}

static uint64_t thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Returns its time. */
static uint64_t emit(void)
{
	uint64_t fields[2] = { turn, turn }, begun = thread_ns();
	struct ring_event event = { .fields = fields, .size = sizeof(fields), .id = 1 };

	ring_write(bench.local, 0, &event);
	return thread_ns() - begun;
}

/* An event where a daemon was killed: written, not on, or given up and counted. Its time. */
static uint64_t emit_once(struct tally *tally)
{
	const struct lttngmap_control *control = control_pages_get(pages);
	uint64_t written = nr_written(), lost = nr_lost(), took = emit();

	written = nr_written() - written;
	lost = nr_lost() - lost;
	tally->written += written == 1;
	tally->given_up += lost == 1;
	tally->off += written + lost == 0;
	tally->uncounted += written + lost > 1 ||
			    (written + lost == 0 && control->channels[0].generation != 0);
	tally->uncounted += lost == 1 && !(control->sequence & 1);
	return took;
}

static void emit_between(struct tally *tally)
{
	uint64_t took = UINT64_MAX, again;

	for (int tries = 0; tries < TRIES && took > GIVE_UP_NS; tries++) {
		again = emit_once(tally);
		took = again < took ? again : took;
	}
	if (took > tally->longest_ns)
		tally->longest_ns = took;
}

/* The next life says what there is to be, whatever is there. */
static void live_again(struct tally *tally)
{
	const struct lttngmap_control *control;
	struct lttngmap_channel expected = channel_of(turn);
	uint64_t written;

	control_pages_destroy(pages);
	saved_state->head->lives++;
	if (control_pages_create(saved_state, LTTNGMAP_CLOCK_MONOTONIC, 7, &pages) != 0)
		bail_out("no next life");
	control_pages_begin(pages);
	control_pages_publish_again(pages, 0, &expected);
	control_pages_withdraw(pages, 1);
	control_pages_end(pages);
	control = control_pages_get(pages);
	expected.generation = control->channels[0].generation;
	tally->broken += control->sequence & 1 || !expected.generation ||
			 memcmp(&expected, &control->channels[0], sizeof(expected)) != 0 ||
			 control->channels[1].generation != 0;
	written = nr_written();
	emit();
	tally->not_again += nr_written() != written + 1;
	turn++;
}

static void test(const char *name, enum update what, struct tally *all)
{
	unsigned int stride = getenv("LTTNGMAP_SANITIZED") ? STRIDE : 1;
	struct tally tally = { 0 };

	for (kill_at = 1; kill_at < INSTRUCTIONS_MAX; kill_at += stride) {
		steps = 0;
		if (!update_and_die(what))
			break;
		tally.kills++;
		emit_between(&tally);
		live_again(&tally);
	}
	live_again(&tally);
	diag("%s: %u kills; events then: %u written, %u not on, %u given up, the longest %llu ns",
	     name, tally.kills, tally.written, tally.off, tally.given_up,
	     (unsigned long long)tally.longest_ns);
	ok(tally.kills > 20 && kill_at < INSTRUCTIONS_MAX, "%s: it was stepped through", name);
	ok(tally.given_up > 0, "… an event gave up");
	ok(tally.longest_ns <= GIVE_UP_NS, "… each within 10 ms");
	is(tally.uncounted, 0, "… none without being counted");
	is(tally.broken, 0, "… the next life finds what it says");
	is(tally.not_again, 0, "… and events are written again");
	all->kills += tally.kills;
	all->given_up += tally.given_up;
	if (tally.longest_ns > all->longest_ns)
		all->longest_ns = tally.longest_ns;
}

int main(void)
{
	static const char *const names[UPDATES] = { "publish", "withdraw and publish", "withdraw",
						    "repair" };
	const struct bench_set_config config = {
		.mode = LTTNGMAP_MODE_OVERWRITE,
		.clock = LTTNGMAP_CLOCK_MONOTONIC,
		.subbuf_shift = 12,
		.subbufs_shift = 1,
		.use_rseq = true,
	};
	struct sigaction action = { .sa_handler = on_trap };
	struct lttngmap_channel channel = channel_of(turn);
	struct lttngmap_control *own;
	struct tally all = { 0 };

	sigaction(SIGTRAP, &action, NULL);
	rcu_register_thread();
	ring_set_table_create();
	bench_set_create(&bench, &config);
	/* The daemon's control in place of the set's own. */
	own = bench.control;
	if (saved_state_create(own->cpu_rings, &saved_state) != 0 ||
	    control_pages_create(saved_state, LTTNGMAP_CLOCK_MONOTONIC, own->cpu_rings, &pages) !=
		    0)
		bail_out("there are no control pages");
	saved_state->head->lives = 1;
	bench.local->control = control_pages_get(pages);
	control_pages_publish(pages, 0, &channel);
	emit();
	is(nr_written(), 1, "an event is written");
	for (enum update what = 0; what < UPDATES; what++)
		test(names[what], what, &all);
	tap_figure(18,
		   "%u kills of the daemon in an update of the channel table: %u events gave up, "
		   "after %llu us at most; the next life repaired it each time",
		   all.kills, all.given_up, (unsigned long long)all.longest_ns / 1000);
	bench_set_destroy(&bench);
	control_pages_destroy(pages);
	saved_state_destroy(saved_state);
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
