/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-leftovers.h - tracefs instances, and groups of probes (kernel-probes.h), that
 * are to be removed: of sessions that are gone, and of daemons that were killed.
 *
 * The kernel removes none that is open or mapped somewhere. So a session's is
 * tried again until the consumer has let it go, and a name alone never takes
 * away one that is in use: its daemon has a file of it open. Probes go after the
 * instance that they are for.
 *
 * Main thread.
 */
#ifndef SESSIOND_KERNEL_KERNEL_LEFTOVERS_H
#define SESSIOND_KERNEL_KERNEL_LEFTOVERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <systemd/sd-event.h>

struct kernel_leftovers;

/*
 * Finds those of former daemons of `pid`, whose start time is stored, and of
 * processes that are gone. Does nothing where there is no tracefs, or who runs
 * it is not root. 0 or -errno.
 */
int kernel_leftovers_create(sd_event *event, pid_t pid, struct kernel_leftovers **leftovers);
/* Tries once more, for a second at most; says what stays. NULL is allowed. */
void kernel_leftovers_destroy(struct kernel_leftovers *leftovers);

/* The process that instances are called after, and its start time. */
pid_t kernel_leftovers_pid(const struct kernel_leftovers *leftovers, uint64_t *start);
/* Remove the instance, or group, of that name, as soon as it can be. */
void kernel_leftovers_add(struct kernel_leftovers *leftovers, const char *name);

/*
 * Is an instance, or group, of that name one that a process left which is gone, or that
 * `pid`, which started at `start`, left in the daemon before a restart?
 */
bool kernel_leftovers_is_one(const char *name, pid_t pid, uint64_t start);

#endif /* SESSIOND_KERNEL_KERNEL_LEFTOVERS_H */
