/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The producers of tests/utils/tap.h tell what passed from what failed: a
 * child fails on purpose, and its words and status are looked at.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "tests/utils/tap.h"

static int fail_on_purpose(char *output, size_t size)
{
	int ends[2], status;
	size_t length = 0;
	ssize_t got;
	pid_t child;

	fflush(stdout);
	if (pipe(ends) || (child = fork()) < 0)
		bail_out("no pipe or no child process to be had");
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		tap_run = 0;
		tap_planned = -1;
		is(1, 2, "differs");
		is_string(NULL, "", "no string is not the empty string");
		exit(done_testing());
	}
	close(ends[1]);
	while ((got = read(ends[0], output + length, size - 1 - length)) > 0)
		length += (size_t)got;
	output[length] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	char output[1024];

	plan(5);
	is(fail_on_purpose(output, sizeof(output)), EXIT_FAILURE, "failed tests make a status");
	ok(strstr(output, "not ok 1 - differs\n"), "unequal integers fail");
	ok(strstr(output, "got 1 (0x1), expected 2 (0x2)"), "and both are shown");
	ok(strstr(output, "not ok 2 - "), "unequal strings fail");
	ok(strstr(output, "1..2\n"), "the plan follows where it was not given");
	return done_testing();
}
