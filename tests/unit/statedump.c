/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * statedump.c - who registered is called whenever it is due, by one thread at a
 * time, and again where somebody registered meanwhile.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <lttngmap/event-class.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/statedump.h"
#include "tests/utils/tap.h"

static struct local *pages;
static unsigned calls, depth, deepest, nested_dues;
static enum statedump_turn nested;

static void write_state(void)
{
	calls++;
	if (++depth > deepest)
		deepest = depth;
	nested = statedump_begin(pages);
	if (nested_dues) {
		nested_dues--;
		pages->statedump_due++;
	}
	depth--;
	errno = 1;
}

/* As for the first event in a channel. */
static enum statedump_turn tell(void)
{
	enum statedump_turn turn = statedump_begin(pages);

	if (turn == STATEDUMP_OURS) {
		statedump_write(pages);
		statedump_end(pages);
	}
	return turn;
}

static struct lttngmap_statedump statedump = {
	.struct_size = sizeof(statedump),
	.write = write_state,
};

static void test_child(void)
{
	pid_t child;
	int status;

	pages->statedump_by = 4711;
	is(tell(), STATEDUMP_ELSEWHERE, "while another thread is at it, this one is not");
	is(calls, 0, "  ... and tells nothing");
	child = fork();
	if (child == 0) {
		tell();
		_exit(calls == 1 && pages->statedump_by == 0 ? 0 : 1);
	}
	ok(waitpid(child, &status, 0) == child && status == 0,
	   "a child does not wait for its parent's thread");
}

int main(void)
{
	struct lttngmap_statedump of_old = { .struct_size = 8, .write = write_state };

	pages = mmap(NULL, sizeof(*pages), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (pages == MAP_FAILED || madvise(pages, sizeof(*pages), MADV_WIPEONFORK))
		bail_out("cannot make pages: %m");
	is(tell(), STATEDUMP_NOTHING, "nothing is due where nobody registered");
	lttngmap_statedump_register(&of_old);
	tell();
	is(calls, 0, "who is of no known size is not called");

	lttngmap_statedump_register(&statedump);
	is(calls, 0, "who registers before any event is not called yet");
	errno = 4711;
	is(tell(), STATEDUMP_OURS, "  ... but when it is due");
	is(calls, 1, "  ... once");
	is(errno, 4711, "  ... with errno kept");
	is(nested, STATEDUMP_WITHIN, "what it writes itself is known as that");
	is(pages->statedump_by, 0, "then others can");

	calls = 0;
	nested_dues = 1;
	tell();
	is(calls, 2, "what is due meanwhile is done");
	is(deepest, 1, "  ... afterwards");
	calls = 0;
	nested_dues = 10000;
	tell();
	ok(calls > 1 && calls <= LTTNGMAP_CHANNELS + 1, "  ... not for ever");
	nested_dues = 0;

	calls = 0;
	test_child();

	/* Events were written before it registered. */
	pages->statedump_by = 0;
	pages->channels[3].generation = 1;
	__atomic_store_n(&local_pages, pages, __ATOMIC_RELEASE);
	calls = 0;
	{
		static struct lttngmap_statedump late = { sizeof(late), 0, write_state, NULL };

		lttngmap_statedump_register(&late);
	}
	ok(calls > 0, "who comes after the first event is called at once");
	return done_testing();
}
