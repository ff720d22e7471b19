/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sandboxed WHEN CALL...: emits EVENTS events, forbids itself the system calls by a filter that
 * kills, and lets a child emit and allocate as much again. WHEN is "before": the parent asks for
 * the filter and then forks, or "after": the child does. CALL is a call's name; "rest": all but
 * what a program can hardly do without; "strict": SECCOMP_MODE_STRICT. Counts in $NUMBERED_COUNTS.
 * 0: the child ended as it does where nobody traces it.
 */
#include <seccomp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <linux/seccomp.h>

#include "tests/utils/numbered-emit.h"

#define EVENTS 500

static void forbid_rest(scmp_filter_ctx filter)
{
	static const int allowed[] = {
		SCMP_SYS(brk),          SCMP_SYS(clone),           SCMP_SYS(exit),
		SCMP_SYS(exit_group),   SCMP_SYS(futex),           SCMP_SYS(madvise),
		SCMP_SYS(mmap),         SCMP_SYS(mprotect),        SCMP_SYS(munmap),
		SCMP_SYS(read),         SCMP_SYS(rt_sigaction),    SCMP_SYS(rt_sigprocmask),
		SCMP_SYS(rt_sigreturn), SCMP_SYS(set_robust_list), SCMP_SYS(wait4),
		SCMP_SYS(write),
	};

	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
}

static void forbid(char **calls)
{
	bool rest = strcmp(calls[0], "rest") == 0;
	scmp_filter_ctx filter;

	if (strcmp(calls[0], "strict") == 0) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
			abort();
		return;
	}
	filter = seccomp_init(rest ? SCMP_ACT_KILL_PROCESS : SCMP_ACT_ALLOW);
	if (rest)
		forbid_rest(filter);
	for (; !rest && *calls; calls++)
		seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS,
				 seccomp_syscall_resolve_name(*calls), 0);
	if (seccomp_load(filter) != 0)
		abort();
}

static __attribute__((noreturn)) void be_child(struct numbered_counts *counts, uint32_t source,
					       char **calls)
{
	if (calls)
		forbid(calls);
	for (int i = 0; i < EVENTS; i++) {
		numbered_emit(counts, source, NULL);
		free(malloc(100));
	}
	/* What strict mode allows. */
	for (;;)
		syscall(SYS_exit, 0);
}

int main(int argc, char **argv)
{
	const char *path = getenv("NUMBERED_COUNTS");
	bool before = argc > 2 && strcmp(argv[1], "before") == 0;
	struct numbered_counts *counts;
	uint32_t source, children;
	int status;
	pid_t child;

	if (argc < 3 || !path)
		return 2;
	counts = numbered_open(path);
	source = numbered_source(counts);
	children = numbered_source(counts);
	numbered_emit_many(counts, source, EVENTS);
	if (before)
		forbid(argv + 2);
	child = fork();
	if (child == 0)
		be_child(counts, children, before ? NULL : argv + 2);
	return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}
