/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * fuzz-daemon.h - the session daemon within a fuzz target: all but the
 * consumer and the supervisor, with ring-socket, in a directory of its own.
 *
 * It is made anew now and then, for what it remembers is bounded.
 */
#ifndef TESTS_FUZZ_DAEMON_H
#define TESTS_FUZZ_DAEMON_H

#include <stddef.h>
#include <stdint.h>

/* For one input: there is a daemon without sessions. */
void fuzz_daemon_begin(void);
/* A connection to its socket of that name. */
int fuzz_daemon_connect(const char *socket);
/*
 * Send a message, have the daemon do all that it finds to do, and throw away
 * what it says.
 */
void fuzz_daemon_tell(int fd, const void *bytes, size_t size);
/* The input's end; its connections are closed. Sessions and processes go. */
void fuzz_daemon_end(void);

#endif /* TESTS_FUZZ_DAEMON_H */
