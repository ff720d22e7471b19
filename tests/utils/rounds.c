/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A program under the control of a script: a round of events, one of each
 * class, for each line of standard input, after which it says "round". In place of events, it
 * closes its descriptors for a line "close", and for "filter" asks for a seccomp filter that kills
 * whoever sends a message. For "vfork" a child of vfork becomes another user and has a round.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(levels, error, LTTNGMAP_LOGLEVEL_ERR, (integer, int, round));
LTTNGMAP_TRACEPOINT(levels, info, LTTNGMAP_LOGLEVEL_INFO, (integer, int, round));
LTTNGMAP_TRACEPOINT(levels, debug, LTTNGMAP_LOGLEVEL_DEBUG, (integer, int, round));
LTTNGMAP_TRACEPOINT(other, event, LTTNGMAP_LOGLEVEL_DEBUG_LINE, (string, text));

static void ask_for_filter(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sendto, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sendmsg, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		puts("no filter");
}

static void emit(int round, const char *line)
{
	lttngmap_tracepoint(levels, error, round);
	lttngmap_tracepoint(levels, info, round);
	lttngmap_tracepoint(levels, debug, round);
	lttngmap_tracepoint(other, event, line);
}

static __attribute__((noinline)) void emit_as_another(int round, const char *line)
{
	if (vfork() != 0)
		return;
	/* The C library's call would change the parent's threads, too. */
	if (syscall(SYS_setresuid, 65534, 65534, 65534) == 0)
		emit(round, line);
	_exit(0);
}

int main(void)
{
	char line[80];

	for (int round = 0; fgets(line, sizeof(line), stdin); round++) {
		if (strcmp(line, "vfork\n") == 0) {
			emit_as_another(round, line);
			puts("done");
			fflush(stdout);
			continue;
		}
		if (strcmp(line, "close\n") == 0 || strcmp(line, "filter\n") == 0) {
			if (line[0] == 'c')
				close_range(3, ~0u, 0);
			else
				ask_for_filter();
			puts("done");
			fflush(stdout);
			continue;
		}
		emit(round, line);
		puts("round");
		fflush(stdout);
	}
	return 0;
}
