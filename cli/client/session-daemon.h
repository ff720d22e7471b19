/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-daemon.h - finds the session daemon, or starts one in the background.
 *
 * The search goes: --runtime-dir; else LTTNGMAP_RUNTIME_DIR; else the user's own directory, then
 * the system's. A directory that was named is the only one searched. One thread. Messages begin
 * with the verb's name.
 */
#ifndef CLI_CLIENT_SESSION_DAEMON_H
#define CLI_CLIENT_SESSION_DAEMON_H

#include <stddef.h>
#include <stdbool.h>
#include <sys/types.h>

struct control_client;

/*
 * `chosen`: --runtime-dir, or NULL. 0; -ENOENT without a message: no daemon runs; other -errno
 * after a message.
 */
int session_daemon_connect(const char *verb, const char *chosen, struct control_client **client);
/* The directory that the user named, by `chosen` or by the environment; NULL: none. */
const char *session_daemon_chosen(const char *chosen);
/*
 * The user's possible directory number `place`, as in common/protocol/places.h. False: this user
 * has no such directory, or anybody else could have made it.
 */
bool session_daemon_place(unsigned int place, char *path, size_t size);
/*
 * True if `path`, a directory in `base` where anybody can make one, is a directory of user `uid`
 * that nobody else can write to. Waits for no file system that somebody else mounted there.
 */
bool session_daemon_is_own(const char *base, const char *path, uid_t uid);
/* Prints that no daemon runs, and what to do. */
void session_daemon_report_missing(const char *verb, const char *chosen);
/*
 * Starts a daemon that outlives the command, and waits until the daemon is ready. 0, or -errno
 * after a message; 0 with *pid 0: another command was faster.
 */
int session_daemon_start(const char *verb, const char *chosen, struct control_client **client,
			 pid_t *pid);
/* Prints the limits that a failed daemon inherited from this process, as hints. */
void session_daemon_limits_hint(void);

#endif /* CLI_CLIENT_SESSION_DAEMON_H */
