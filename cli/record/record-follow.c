/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-follow.c - --follow: descendants of the program that outlive it.
 *
 * The command is a subreaper, so the kernel gives it each orphan of the program, also one that made
 * a session of its own, as daemon(3) does. A descendant runs as long as the command has a child
 * beside the daemons and the sender. /proc lists the children.
 */
#include <config.h>

#include "cli/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/running.h"

#define CHILDREN "/proc/thread-self/children"

int record_follow_begin(struct record *record)
{
	if (!record->options.follow)
		return 0;
	if (access(CHILDREN, R_OK) == 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0)
		return 0;
	message_error("%s: --follow: %s: %s", record->options.verb, CHILDREN, strerror(errno));
	message_hint("mount /proc, of a kernel with CONFIG_PROC_CHILDREN, or leave out --follow");
	return -ENOTSUP;
}

/* The daemons and the sender each have a session (setsid) with their children. */
static bool is_ours(const struct record *record, pid_t pid)
{
	pid_t session = getsid(pid);

	return session == record->daemon_session || (record->relay > 0 && session == record->relay);
}

/* The list at one moment, before any of it is reaped. NULL: unknown. The caller frees it. */
static char *read_children(void)
{
	FILE *file = fopen(CHILDREN, "re");
	char *list = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	if (getdelim(&list, &size, '\0', file) < 0) {
		free(list);
		list = feof(file) ? strdup("") : NULL;
	}
	fclose(file);
	return list;
}

/*
 * Reaps descendants that ended; sets *reaped if there were any. Fills in those that run.
 * 0, or -errno.
 */
static int look(const struct record *record, bool *reaped, struct running *running)
{
	char *list = read_children(), *at = list;

	*reaped = false;
	*running = (struct running){ 0 };
	if (!list)
		return -EIO;
	for (char *end;; at = end) {
		pid_t pid = (pid_t)strtol(at, &end, 10);

		if (end == at)
			break;
		if (is_ours(record, pid))
			continue;
		if (waitpid(pid, NULL, WNOHANG | __WALL) != 0) {
			*reaped = true;
			continue;
		}
		running_add(running, pid);
	}
	free(list);
	return 0;
}

bool record_follow_goes_on(struct record *record)
{
	bool reaped, is_first = !record->is_following;
	struct running running;
	int error;

	if (!record->options.follow || !record->client || record->wants_release)
		return false;
	/* The orphans of a reaped process came to the list before it could be reaped. */
	do
		error = look(record, &reaped, &running);
	while (!error && running.count == 0 && reaped);
	if (error || running.count == 0)
		return false;
	record->is_following = true;
	if (is_first && !record->options.quiet) {
		record_progress_clear();
		message_note("%s: the program has ended; going on for %s; ^C ends the "
			     "recording",
			     record->options.verb, running.text);
	}
	return true;
}
