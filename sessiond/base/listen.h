/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * listen.h - the daemon's listening sockets: those that systemd listened at
 * before the daemon ran (sd_listen_fds(3)), else made here, once for all its restarts. A socket is
 * known by its path; one of systemd's stays at the end.
 *
 * Main thread.
 */
#ifndef SESSIOND_BASE_LISTEN_H
#define SESSIOND_BASE_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

/* Take what was passed, before any child or thread is made. 0 or -errno. */
int listen_init(void);
/* Is there a socket of systemd's at this path? */
bool listen_is_passed(const char *path);
/*
 * Those of a runtime directory that nobody passed: who connects waits until the
 * daemon serves. 0 or -errno; what failed was said.
 */
int listen_make(const char *runtime_dir);
void listen_end(void);
/* The SOCK_SEQPACKET socket of that path, which does not block; borrowed. -ENOENT. */
int listen_at(const char *path, int *fd);

#endif /* SESSIOND_BASE_LISTEN_H */
