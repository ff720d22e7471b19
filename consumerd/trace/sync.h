/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sync.h - what was written is brought to where it survives the machine's
 * death, some seconds later.
 *
 * Waiting for a disk may take long, and cannot be interrupted. So a process
 * beside the consumer does it, which has nothing else: the loop goes on, and a
 * consumer that is killed is gone at once, and replaced.
 *
 *   session ── struct sync ─┐  a folder            ┌─ sync_serve(): syncfs()
 *   session ── struct sync ─┴─ syncer ═══ socket ══╧═ the other process
 *                                      how it went
 */
#ifndef CONSUMERD_TRACE_SYNC_H
#define CONSUMERD_TRACE_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>
#include <urcu/list.h>

/* LTTNGMAP_SYNC_SECONDS, or this; 0: never. */
#define SYNC_SECONDS 10u
#define SYNC_SECONDS_MAX 86400u

/* The period from the environment. */
unsigned sync_seconds(void);

/*
 * Start the other process: our end of its socket, or -errno. It is this program
 * with --sync, and ends when the socket does. Before rights are given up.
 */
int sync_start(void);
/* In the other process: sync what comes over standard input. An exit status. */
int sync_serve(void);

/* State that all sessions share. Event loop's thread, as all below. */
struct syncer;

/* `fd` becomes its own, also on failure. 0 or -errno. */
int syncer_create(sd_event *loop, int fd, unsigned seconds, struct syncer **result);
/* No sync is left. NULL is allowed. */
void syncer_destroy(struct syncer *syncer);

/* A session's. */
struct sync {
	struct syncer *syncer; /* NULL: nothing is ever synced */
	struct cds_list_head node;
	sd_event_source *timer;
	uint64_t waiting; /* for the answer to this request; 0: none */
	bool is_due;      /* something was written since */
	int error;        /* -errno of the last one */
	/* The folder whose file system it is about; -1: none now. */
	int (*folder)(void *userdata);
	void *userdata;
};

/* `syncer` may be NULL. 0 or -errno; then there is nothing to be freed. */
int sync_init(struct sync *sync, struct syncer *syncer, int (*folder)(void *userdata),
	      void *userdata);
/* A sync in progress continues. All zeros is allowed. */
void sync_fini(struct sync *sync);
/* Something was written. */
void sync_due(struct sync *sync);

#endif /* CONSUMERD_TRACE_SYNC_H */
