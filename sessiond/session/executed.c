/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/session/executed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sessiond/base/parts.h"
#include "sessiond/base/peer.h"
#include "sessiond/base/pid-state.h"
#include "sessiond/session/process.h"
#include "sessiond/session/untraced.h"

#define PATH_SIZE 32

static char *path_of(const struct process *process, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "/proc/%u/exe", process->pid);
	return path;
}

/*
 * Which file the process executes: 0 or -1, with errno. The kernel answers from what it has: the
 * file system, which may be a user's that does not answer, is not asked.
 */
static int look_at_program(const struct process *process, struct statx *status)
{
	char path[PATH_SIZE];

	return statx(AT_FDCWD, path_of(process, path), AT_STATX_DONT_SYNC, STATX_INO, status);
}

void executed_begin(struct process *process)
{
	struct statx status;

	if (!process->daemon->options->preloaded || look_at_program(process, &status) != 0)
		return;
	process->program.device = makedev(status.stx_dev_major, status.stx_dev_minor);
	process->program.file = status.stx_ino;
}

static void take_name(struct process *process, const char *path)
{
	char program[PATH_MAX];
	ssize_t length = readlink(path, program, sizeof(program) - 1);
	const char *base;

	/* A process with other credentials now may not be looked at so closely. */
	if (length <= 0) {
		pid_name((pid_t)process->pid, process->program.executed);
		return;
	}
	program[length] = '\0';
	base = strrchr(program, '/');
	base = base ? base + 1 : program;
	name_clean_program(base, strlen(base), process->program.executed);
}

void executed_tell(struct process *process, const char name[NAME_PROGRAM_SIZE])
{
	memcpy(process->program.executed, name, NAME_PROGRAM_SIZE);
}

void executed_look(struct process *process)
{
	char path[PATH_SIZE];
	struct statx status;

	if (!process->program.file || process->program.executed[0] || process_is_gone(process))
		return;
	if (look_at_program(process, &status) == 0) {
		if (makedev(status.stx_dev_major, status.stx_dev_minor) ==
			    process->program.device &&
		    status.stx_ino == process->program.file)
			return;
	} else if (errno == ENOENT || errno == ESRCH) {
		/* About to end: its memory goes before its descriptors, and these before it. */
		return;
	}
	take_name(process, path_of(process, path));
}

void executed_count(const struct process *process)
{
	struct untraced_process untraced = {
		.pid = process->pid,
		.uid = process->uid,
		.gid = process->gid,
	};

	if (!process->program.executed[0])
		return;
	untraced.identity = peer_identity_of(process->pidfd);
	memcpy(untraced.name, process->program.executed, sizeof(untraced.name));
	untraced_count(process->daemon->untraced, &untraced, UNTRACED_EXECUTED);
}

void executed_count_all(struct daemon *daemon)
{
	const struct process *process;

	cds_list_for_each_entry(process, processes_list(daemon->processes), list)
		executed_count(process);
}
