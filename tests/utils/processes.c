/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/utils/numbered-emit.h"

#define SOME 50

struct numbered_counts *counts;
const char *self;

uint32_t new_source(void)
{
	return numbered_source(counts);
}

void emit(uint32_t source)
{
	numbered_emit(counts, source, NULL);
}

void emit_many(uint32_t source, unsigned int events)
{
	numbered_emit_many(counts, source, events);
}

void emit_some(void)
{
	emit_many(new_source(), SOME);
}

void expect(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "processes: process %d: %s\n", (int)getpid(), what);
	__atomic_store_n(&counts->failed, 1, __ATOMIC_SEQ_CST);
}

static void expect_end(pid_t child, bool by_signal, int value)
{
	int status = -1;
	char what[80];

	expect(child > 0 && waitpid(child, &status, 0) == child, "no child");
	snprintf(what, sizeof(what), "child %d: wait status %#x, not %s %d", (int)child, status,
		 by_signal ? "signal" : "status", value);
	expect(by_signal ? WIFSIGNALED(status) && WTERMSIG(status) == value
			 : WIFEXITED(status) && WEXITSTATUS(status) == value,
	       what);
}

void expect_status(pid_t child, int status)
{
	expect_end(child, false, status);
}

void expect_signal(pid_t child, int signal)
{
	expect_end(child, true, signal);
}

void finished(void)
{
	__atomic_add_fetch(&counts->finished, 1, __ATOMIC_SEQ_CST);
}

void wait_finished(uint32_t processes)
{
	for (int i = 0; i < 5000; i++) {
		if (__atomic_load_n(&counts->finished, __ATOMIC_SEQ_CST) >= processes)
			return;
		usleep(2000);
	}
	expect(false, "waited for other processes in vain");
}

static const struct scenario *find(const struct scenario *scenario, const char *name)
{
	while (scenario->name && strcmp(scenario->name, name) != 0)
		scenario++;
	return scenario->name ? scenario : NULL;
}

int main(int argc, char **argv)
{
	const char *path = getenv("NUMBERED_COUNTS");
	const struct scenario *scenario = NULL;

	if (argc >= 2) {
		scenario = find(life_scenarios, argv[1]);
		scenario = scenario ? scenario : find(odd_scenarios, argv[1]);
	}
	if (!scenario || !path) {
		fprintf(stderr, "usage: NUMBERED_COUNTS=FILE processes SCENARIO [ARGUMENT]\n");
		return 2;
	}
	self = argv[0];
	counts = numbered_open(path);
	scenario->run(argc > 2 ? argv[2] : NULL);
	return counts->failed != 0;
}
