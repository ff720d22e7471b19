/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-daemon.h - the session daemon that serves sessions: where it is,
 * and starting one in the background.
 *
 * It is looked for where --runtime-dir says, else where LTTNGMAP_RUNTIME_DIR
 * says, and only there; else at the user's own place, then at the system's.
 * One thread. Messages begin with the verb's name.
 */
#ifndef LTTNGMAP_CLI_CLIENT_SESSION_DAEMON_H
#define LTTNGMAP_CLI_CLIENT_SESSION_DAEMON_H

#include <stddef.h>
#include <stdbool.h>
#include <sys/types.h>

struct control_client;

/* `chosen`: --runtime-dir, or NULL. 0; -ENOENT: none runs, not said; -errno after a message. */
int session_daemon_connect(const char *verb, const char *chosen, struct control_client **client);
/* Where a user said that it is: `chosen`, or the environment's; NULL: nowhere. */
const char *session_daemon_chosen(const char *chosen);
/*
 * Where one may live, as common/places.h has it. False: this user has no such place, or anybody
 * else could have made it.
 */
bool session_daemon_place(unsigned int place, char *path, size_t size);
/* Says that none runs, and what to do. */
void session_daemon_tell_missing(const char *verb, const char *chosen);
/*
 * Start one that outlives the command, and wait until it is ready. 0, or
 * -errno after a message; 0 with *pid 0: another has been faster.
 */
int session_daemon_start(const char *verb, const char *chosen, struct control_client **client,
			 pid_t *pid);
/* Names this process's limits, which a daemon that did not start inherited, as hints. */
void session_daemon_limits_hint(void);

#endif /* LTTNGMAP_CLI_CLIENT_SESSION_DAEMON_H */
