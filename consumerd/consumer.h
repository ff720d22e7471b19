/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * consumer.h - all that one consumer has: the link to the daemon, and the
 * sessions that the daemon told it of. One thread, one event loop.
 */
#ifndef CONSUMERD_CONSUMER_H
#define CONSUMERD_CONSUMER_H

#include <stdbool.h>

#include <systemd/sd-event.h>

struct consumer;

/*
 * `max_fds`: the limit of descriptors. `sync_fd`: of sync_start(), and taken; -1:
 * none. 0 or -errno, -EPROTO having been said.
 */
int consumer_create(sd_event *loop, const char *control_path, unsigned max_fds, int sync_fd,
		    struct consumer **consumer);
/*
 * Before each event of the loop is served: the daemon is told that work begins, and once a second
 * that it goes on, until there is none. So it notices where a system call does not return.
 */
void consumer_note_work(struct consumer *consumer);
/* The daemon is gone: nothing new will come. */
bool consumer_is_orphan(const struct consumer *consumer);
/* Read and write what can be had without waiting; some seconds at most. */
void consumer_finish(struct consumer *consumer);
void consumer_destroy(struct consumer *consumer);

#endif /* CONSUMERD_CONSUMER_H */
