/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-sweeper.h - a child process that removes folders of ring files.
 *
 * unlink() waits for the lock of the file's inode. A traced process can hold that lock for ever
 * (doc/design/security.md), so only the sweeper removes ring files, and nobody waits for it. A
 * folder holds the rings of one process: a thread of the sweeper that hangs there holds the lock of
 * that folder alone, and another thread goes on with the next folder.
 *
 * The sweeper ends when all that was ordered is done and its pipe is closed, in all processes.
 * Folders that it does not get to are removed by the sweeper of the next daemon there.
 */
#ifndef SESSIOND_BASE_RING_SWEEPER_H
#define SESSIOND_BASE_RING_SWEEPER_H

#include <stdint.h>
#include <sys/types.h>

struct ring_sweeper {
	pid_t pid;
	int fd; /* of a pipe; close-on-exec, never waits */
};

/* For the ring directory `dir`. The caller has one thread. 0 or -errno. */
int ring_sweeper_start(int dir, struct ring_sweeper *sweeper);
/* Remove a folder in which no file is made any more. `fd`: the sweeper's. Any thread. */
void ring_sweeper_remove(int fd, uint64_t folder);
/* Remove all folders whose number is `last` or less. Any thread. */
void ring_sweeper_remove_all(int fd, uint64_t last);
/* Give no more orders. The sweeper has `ms` to end, and then is left to itself. */
void ring_sweeper_end(struct ring_sweeper *sweeper, unsigned int ms);

#endif /* SESSIOND_BASE_RING_SWEEPER_H */
