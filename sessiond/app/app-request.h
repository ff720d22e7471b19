/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * app-request.h - serve one message of a process: register it, give its
 * classes ids, give it memory.
 *
 * Main thread.
 */
#ifndef SESSIOND_APP_APP_REQUEST_H
#define SESSIOND_APP_APP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "sessiond/app/app-message.h"

struct daemon;
struct process;
struct quota_user;

struct app_request {
	struct daemon *daemon;
	int fd;
	struct ucred peer;       /* who connected */
	struct ucred sender;     /* of the message: that one, or a child of it */
	struct quota_user *user; /* the peer's: effective, as of its events */
	struct process *process; /* NULL before, and set by, a registration */
};

/*
 * A private instance of root's is there for what one command starts, whatever user that becomes.
 * Others could find its socket, too. `parent`: the token that a forked process sends, or 0.
 */
bool app_request_is_started_here(const struct daemon *daemon, const struct ucred *peer,
				 uint64_t parent);
/*
 * 0: answered. -EPROTO: refused, *refusal says why. Else: the peer is gone, or
 * did not take the answer. Unless 0, the connection is to be closed.
 */
int app_request_serve(struct app_request *request, const void *bytes, size_t size,
		      struct app_refusal *refusal);
/*
 * A message of another user's process, as a rule a child that gave up its user. It may say that it
 * is not traced itself. False: the message is anything else, and has no effect.
 */
bool app_request_serve_foreign(struct app_request *request, const void *bytes, size_t size);
/* A message of a registered process that has ended. False: it is none of the protocol. */
bool app_request_serve_last(struct app_request *request, const void *bytes, size_t size);

#endif /* SESSIOND_APP_APP_REQUEST_H */
