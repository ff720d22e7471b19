/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * recover-vmcore.c - two programs, one after the other: lttngmap-vmcore takes out of the dump what
 * session daemons would have left in ring directories, and lttngmap-sessiond --recover does with
 * each of these as ever.
 */
#include <config.h>

#include "cli/recover-vmcore.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/locate.h"
#include "cli/base/message.h"
#include "cli/base/verb.h"
#include "common/base/remove-tree.h"

#define PATH_SUFFIX 32

extern char **environ;

/* Runs it to its end. True: that was a good one. */
static bool run(const char *name, const char *variable, char *const *arguments)
{
	char program[PATH_MAX];
	int status, error;
	pid_t pid;

	locate_program(name, variable, program, sizeof(program));
	error = posix_spawnp(&pid, program, NULL, NULL, arguments, environ);
	if (error) {
		message_error("recover: cannot run '%s': %s", program, strerror(error));
		message_hint(
			"it is there where lttngmap was built with libkdumpfile; %s says where",
			variable);
		return false;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Where the traces go, as an absolute path; it is made. 0 or -errno. */
static int make_output(const char *output, char path[PATH_MAX])
{
	if (mkdir(output, 0777) != 0 && errno != EEXIST)
		return -errno;
	return realpath(output, path) ? 0 : -errno;
}

/* Rings are large: beside the traces, else where temporary files are. 0 or -errno. */
static int make_place(const char *output, char *path, size_t size)
{
	const char *base = getenv("TMPDIR");

	if (output)
		base = output;
	else if (!base || base[0] != '/')
		base = "/var/tmp";
	if ((size_t)snprintf(path, size, "%s/.lttngmap-vmcore-XXXXXX", base) >= size)
		return -ENAMETOOLONG;
	return mkdtemp(path) ? 0 : -errno;
}

/* One daemon's. It removes what it brought in. */
static bool recover_one(const char *place, const char *output, bool as_json)
{
	char recover[PATH_MAX + PATH_SUFFIX], to[PATH_MAX + PATH_SUFFIX];
	char *arguments[5] = { (char *)"lttngmap-sessiond", recover };
	unsigned int count = 2;

	snprintf(recover, sizeof(recover), "--recover=%s", place);
	snprintf(to, sizeof(to), "--output=%s", output ? output : "");
	if (output)
		arguments[count++] = to;
	if (as_json)
		arguments[count++] = (char *)"--json";
	return run("lttngmap-sessiond", "LTTNGMAP_SESSIOND", arguments);
}

/* Their number, or -1: one is left, and where was said. */
static int recover_each(const char *place, const char *output, bool as_json)
{
	char one[PATH_MAX];
	int count = 0;

	for (;; count++) {
		if ((size_t)snprintf(one, sizeof(one), "%s/%d", place, count) >= sizeof(one) ||
		    access(one, F_OK) != 0)
			return count;
		if (!recover_one(one, output, as_json)) {
			message_hint("what the dump had is in %s: lttngmap recover %s tries again",
				     one, one);
			return -1;
		}
		remove_tree(one);
	}
}

int recover_vmcore(const char *dump, const char *output, bool as_json)
{
	char to[PATH_MAX], place[PATH_MAX];
	char *arguments[] = { (char *)"lttngmap-vmcore", (char *)dump, place, NULL };
	int error = output ? make_output(output, to) : 0, count;

	if (error) {
		message_error("recover: '%s': %s", output, strerror(-error));
		return CLI_STATUS_FAILED;
	}
	error = make_place(output ? to : NULL, place, sizeof(place));
	if (error) {
		message_error("recover: cannot make a directory in %s: %s",
			      output ? to : "TMPDIR, or /var/tmp", strerror(-error));
		return CLI_STATUS_FAILED;
	}
	if (!run("lttngmap-vmcore", "LTTNGMAP_VMCORE", arguments)) {
		remove_tree(place);
		return CLI_STATUS_FAILED;
	}
	count = recover_each(place, output ? to : NULL, as_json);
	if (count < 0)
		return CLI_STATUS_FAILED;
	remove_tree(place);
	if (count == 0 && as_json)
		message_line("{\"kind\":\"rings\",\"sessions\":[],\"processes\":0,"
			     "\"processes_lost\":0,\"problems\":[]}");
	else if (count == 0)
		message_line("%s: no process had rings in the kernel module", dump);
	return message_flush_output() ? CLI_STATUS_FAILED : CLI_STATUS_OK;
}
