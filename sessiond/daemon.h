/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * daemon.h - the parts of the session daemon, made in this order and undone
 * in reverse. Each part is used through its own header; this struct only lets
 * them find each other. All of it is the main thread's.
 */
#ifndef SESSIOND_DAEMON_H
#define SESSIOND_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>

#include <lttngmap/abi.h>

#include "common/clock.h"
#include "sessiond/slots.h"

struct json_object;
struct options;
struct recovery;

struct daemon {
	const struct options *options;
	struct ledger *ledger; /* borrowed */
	sd_event *event;

	enum lttngmap_clock clock;
	struct clock_calibration *calibration; /* the ledger's */
	struct clock_watch *clock_watch;       /* NULL where rings are recovered */
	uint32_t cpu_rings;
	uint32_t meta_page_size; /* bytes before a ring data memory's first sub-buffer */
	int descriptors;         /* numbers from here on are kept for commands */

	char *rings_dir; /* RUNTIME/rings */
	struct control_pages *pages;
	struct registry *registry;
	struct memory_pool *pool;
	struct quota *quota;
	struct ring_thread *ring_thread;
	const struct mediator_ops *mediator_ops;
	struct mediator *mediator;
	struct doorbells *doorbells;
	struct slots slots;
	struct app_turns *turns;
	uint64_t reclaim_usec; /* no classes are looked for before then that nobody uses */
	struct processes *processes;
	struct kernel_leftovers *kernel_leftovers;
	struct sessions *sessions;
	struct consumers *consumers;
	struct control_socket *control;
	struct app_socket *app;
	struct untraced *untraced;
	struct pickup *pickup;     /* NULL in a private instance */
	struct recovery *recovery; /* borrowed; NULL but where one is under way */
	bool is_leaving;           /* the ledger's sessions are the next daemon's */
	/* Whom sessions counted under the daemon before: state_counted_before(). NULL: nobody. */
	struct json_object *before;
};

/*
 * Everything up and listening, in a registered RCU thread: anew, or as the
 * ledger has it; with a `recovery` (recover.h, else NULL) for its consumer alone. 0 or -errno; what
 * failed was said.
 */
int daemon_create(const struct options *options, struct ledger *ledger, sd_event *event,
		  struct recovery *recovery, struct daemon **daemon);
/*
 * Stop all sessions, wait for their traces for a few seconds at most, then
 * leave the event loop. The ledger has those that were active as active.
 */
void daemon_exit(struct daemon *daemon);
/* NULL is allowed. */
void daemon_destroy(struct daemon *daemon);

/* Bytes of ring control that all rings of a channel with so many sub-buffers take. */
uint64_t daemon_control_size(const struct daemon *daemon, uint32_t subbufs_shift);
/* Bytes of ring data of one process in such a channel, the meta page included. */
uint64_t daemon_data_size(const struct daemon *daemon, uint32_t subbuf_shift,
			  uint32_t subbufs_shift);
/* CLOCK_MONOTONIC, microseconds. */
uint64_t daemon_now_usec(void);

#endif /* SESSIOND_DAEMON_H */
