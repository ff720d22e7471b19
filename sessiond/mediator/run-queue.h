/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * run-queue.h - the one queue of what users make the daemon do: messages and hang-ups at
 * app.sock, requests at control.sock, and ends of processes. The daemon serves the user
 * next on whom it has spent the least time, whatever the number of that user's processes:
 * users who keep it busy have equal parts of its time, be their turns short or long. A
 * user who was idle begins with as much spent as the busy user with the least: it is
 * served next, and saves up nothing. A user over its rate of messages loses its turn until
 * it is not.
 *
 * A user's messages and the ends of its processes alternate: a program that starts waits
 * for its registration, and nobody waits for an end; but thousands of ends hold memory
 * and descriptors.
 *
 * The queue has an epoll of its own for all descriptors that it watches, and each one
 * is watched for one event only, until it was served. So what is queued is not polled
 * again while it waits, and N descriptors that are ready at once cost O(N); the loop of
 * sd-event would poll all that are ready before each that it serves.
 *
 * The ring thread is woken once for the messages that are served one after another, and before a
 * command, which may take long.
 *
 * Main thread.
 */
#ifndef SESSIOND_MEDIATOR_RUN_QUEUE_H
#define SESSIOND_MEDIATOR_RUN_QUEUE_H

#include <stdbool.h>

#include <systemd/sd-event.h>
#include <urcu/list.h>

#include "sessiond/quota/quota.h"

/* In what is to be served. The owner sets the first three, and zeros the others. */
struct run_entry {
	/* Its turn has come; it is not queued any more, and not watched. It may be freed. */
	void (*serve)(struct run_entry *entry);
	struct quota_user *user;
	uint32_t cost; /* in messages of the user's rate */
	struct cds_list_head node;
	bool queued;
	bool watched; /* its descriptor is known to the epoll */
	bool is_end;  /* a process that ended or hung up: nobody waits for it */
};

struct run_queue;
struct ring_thread;

/* `rings` may be NULL. */
int run_queue_create(sd_event *event, struct ring_thread *rings, struct run_queue **run_queue);
/* Call when nothing is queued or watched. NULL is allowed. */
void run_queue_destroy(struct run_queue *run_queue);
/* Queues the turn, unless it is queued already. */
void run_queue_add(struct run_queue *run_queue, struct run_entry *entry);
/*
 * True if the entry that is being served has taken so long that it should queue the rest of its
 * work; false outside of run_entry.serve().
 */
bool run_queue_is_long(const struct run_queue *run_queue);
/* Queue it as soon as its descriptor can be read, once. 0 or -errno. */
int run_queue_watch(struct run_queue *run_queue, struct run_entry *entry, int fd);
/* Takes the turn out of queue and epoll. Call before `fd` is closed. */
void run_queue_remove(struct run_queue *run_queue, struct run_entry *entry, int fd);

#endif /* SESSIOND_MEDIATOR_RUN_QUEUE_H */
