/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * runtime-dir.h - the directory with the daemon's sockets and ring files.
 *
 *   RUNTIME/app.sock  control.sock  ring.sock  rings/SESSION/CHANNEL/...
 *
 * It belongs to one live daemon at a time. Whether there is one is found out
 * by talking to it: a file would outlive it. Sockets that systemd listens at
 * stay where they are, and so does the directory then.
 */
#ifndef SESSIOND_STORAGE_RUNTIME_DIR_H
#define SESSIOND_STORAGE_RUNTIME_DIR_H

#include <stdbool.h>

/* The saved state of a daemon that was killed with its supervisor, renamed by the next daemon. */
#define RUNTIME_DIR_OLD_LEDGER "ledger.old"

struct runtime_dir {
	char *path;
	char *rings;
	int fd;       /* locked while a daemon starts in it */
	bool ours;    /* made by us, or for us alone: goes with us */
	char *notify; /* NULL, or the socket in it where we said that we are ready */
};

/*
 * Make it, or take it over if it is ours and nobody lives there, with an
 * empty rings directory; then hold its lock. 0 or -errno; what is wrong was
 * said. `strict`: in a place that others can write to, so nothing but our own
 * closed directory will do.
 */
int runtime_dir_enter(const char *path, bool strict, struct runtime_dir *dir);
/*
 * The daemon restarts in it: the sockets stay, what rings there were
 * goes. 0 or -errno; what is wrong was said.
 */
int runtime_dir_renew(const struct runtime_dir *dir);
/* The sockets answer: the next who comes can tell by talking. */
void runtime_dir_unlock(struct runtime_dir *dir);
/*
 * It was made for this daemon alone and goes with it, though another made it,
 * and $NOTIFY_SOCKET in it: that one may be gone by then.
 */
void runtime_dir_adopt(struct runtime_dir *dir);
/* Remove what the daemon made. All zeros is allowed. */
void runtime_dir_leave(struct runtime_dir *dir);

#endif /* SESSIOND_STORAGE_RUNTIME_DIR_H */
