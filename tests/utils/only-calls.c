/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * only-calls PROGRAM [ARGUMENT...]: run it with the system calls whose names
 * are on standard input; another one kills it. As SystemCallFilter= of
 * systemd.exec(5) does, where there is no systemd.
 */
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	char name[64];
	int error = filter ? 0 : -ENOMEM;

	if (argc < 2)
		return 2;
	while (error == 0 && scanf("%63s", name) == 1) {
		int number = seccomp_syscall_resolve_name(name);

		if (number != __NR_SCMP_ERROR)
			error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
	}
	/* Of our own. */
	if (error == 0)
		error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(execve), 0);
	if (error == 0)
		error = seccomp_load(filter);
	if (error) {
		fprintf(stderr, "only-calls: %s\n", strerror(-error));
		return EXIT_FAILURE;
	}
	if (!freopen("/dev/null", "r", stdin))
		return EXIT_FAILURE;
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return EXIT_FAILURE;
}
