/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * attach-sender.h - tells one process that this daemon is there (common/protocol/attach-request.h).
 *
 * All is done through one descriptor of /proc/PID/mem, which stays with the
 * memory that it was opened for: a pid that is another process by now, or has
 * exec'ed, is not written to. The bytes that are read there are not trusted.
 *
 * Threads: any but the main thread, because a hostile process can block the caller for ever
 * (userfaultfd, FUSE). A child process reads the memory. The child may outlive the daemon; the
 * daemon, and the thread that waits for the child, can end at once.
 */
#ifndef SESSIOND_APP_ATTACH_SENDER_H
#define SESSIOND_APP_ATTACH_SENDER_H

#include <stdint.h>

#define ATTACH_WHY_SIZE 256

/* Name of the child process (comm). */
#define ATTACH_CHILD "lttngmap-attach"

struct attach_sender {
	const char *place; /* path of our app.sock */
	uint64_t instance;
};

enum attach_sender_result {
	ATTACH_SENDER_NOTHING, /* not a program for us, or registered, or gone */
	ATTACH_SENDER_GIVEN,   /* its next event registers it */
	ATTACH_SENDER_REFUSED, /* `why` says why it cannot be told */
	ATTACH_SENDER_OTHERS,  /* it is registered with another daemon: `why` says where */
};

/*
 * Where /proc/PID, open as `proc`, says that it has liblttngmap mapped for
 * writing: addresses of the first `max` such regions, two each (begin, end).
 * Their number, or -errno.
 */
int attach_sender_find(int proc, uint64_t (*regions)[2], unsigned int max);
/* Send an attach request to a process with such regions. `why` is for people, after a colon. */
enum attach_sender_result attach_sender_send(const struct attach_sender *sender, int proc,
					     uint64_t (*regions)[2], unsigned int count,
					     char why[ATTACH_WHY_SIZE]);

#endif /* SESSIOND_APP_ATTACH_SENDER_H */
