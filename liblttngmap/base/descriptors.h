/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * descriptors.h - the two descriptors that we keep in a traced process: the socket
 * of the session daemon, and the doorbell.
 *
 * The program does not know of them and may close or reuse their numbers: they are put
 * where it does not come by, and both are known by their inodes. All here is
 * signal-safe; what changes them is called by one thread at a time.
 */
#ifndef LIBLTTNGMAP_BASE_DESCRIPTORS_H
#define LIBLTTNGMAP_BASE_DESCRIPTORS_H

#include <stdbool.h>

#include "common/protocol/protocol-app.h"
#include "liblttngmap/base/local.h"

/* Descriptors that came with a message. */
#define EXCHANGE_FDS_MAX (PROTOCOL_APP_FD_RINGS + PROTOCOL_APP_SLOTS_MAX)

struct exchange_fds {
	int fd[EXCHANGE_FDS_MAX];
	unsigned count;
};

/* Is `fd` the socket still: not closed by the program, nor its number another file's since? */
bool descriptors_has_socket(int fd);
/*
 * The same of the doorbell, before each write to it: eight bytes in a file of the program's
 * would be damage. All eventfds have one inode, so an eventfd of the program's own passes.
 */
bool descriptors_has_doorbell(int fd);
/* A child's descriptor of its parent's socket; -1: it is gone. */
int descriptors_parent_socket(void);
/* Close what a child has of its parent's, a process of a dead daemon's. */
void descriptors_drop(void);
/*
 * Keep the socket, and the doorbell out of *fds, which is -1 there afterwards: at the numbers of
 * those of before, which are closed, else at other numbers if that can be.
 */
void descriptors_keep(struct local *local, int socket, struct exchange_fds *fds);
/*
 * Call when a registration is complete. Closes both, and makes them -1 in *local, if the program
 * may have so few descriptors that it would come by any number.
 */
void descriptors_leave_few(struct local *local);
/* True if that was so at the last registration: then another module needs a registration anew. */
bool descriptors_are_few(void);

#endif /* LIBLTTNGMAP_BASE_DESCRIPTORS_H */
