/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * exchange.h - one message there and one back, within a deadline, by bare
 * system calls: signal-safe, keeps errno, no malloc.
 */
#ifndef LIBLTTNGMAP_ATTACH_EXCHANGE_H
#define LIBLTTNGMAP_ATTACH_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/protocol-app.h"
#include "liblttngmap/base/descriptors.h"

/* CLOCK_MONOTONIC, nanoseconds. */
uint64_t exchange_now(void);

/*
 * Waits, for less than a second, or until a signal. Not by nanosleep: the kernel would forget a
 * sleep of the program that `lttngmap attach` interrupted. ppoll() writes what is left over the
 * time it is given, so each call needs a time of its own.
 */
void exchange_pause(uint32_t nanoseconds);

/*
 * Connect to the daemon's app.sock, wherever it is for this user; *place says
 * which of module_attach_request.places that is. Only a daemon of the same user or of
 * root is accepted. A descriptor or -errno. The first call looks at the
 * environment, and is not for signal handlers.
 */
int exchange_connect(uint64_t deadline_ns, uint32_t *place);
const char *lttngmap_directory_choose(const char *directory);
/* To a place where the process, or the parent that forked it, found a daemon. */
int exchange_connect_again(uint64_t deadline_ns, uint32_t place);

/*
 * Send `header` and `body`, receive the answer of type `type` into `answer`
 * (at most `answer_size` bytes; at least `answer_min` or -EPROTO). Descriptors
 * that came with it are in *fds, for the caller to close; NULL: none wanted.
 * The answer's size, or -errno; -EACCES: the daemon refused; -EAGAIN: for want of
 * descriptors; -ECONNRESET, -EPIPE: it hung up.
 */
long exchange(int socket, void *header, size_t header_size, const void *body, size_t body_size,
	      enum protocol_app_type type, void *answer, size_t answer_min, size_t answer_size,
	      struct exchange_fds *fds, uint64_t deadline_ns);

/*
 * Take an answer that is waited for no longer from the socket, and all that
 * came with it. False: it is not there yet.
 */
bool exchange_drop(int socket);

void exchange_close_fds(struct exchange_fds *fds);

#endif /* LIBLTTNGMAP_ATTACH_EXCHANGE_H */
