/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * parts.h - struct daemon lets the parts of the session daemon find each other; each part is used
 * through its own header. daemon.c makes the parts in this order, and unmakes them in reverse.
 *
 * A part calls only parts of rooms below its own (CONTRIBUTING.md). Where it has to call one above,
 * daemon.c gives it a table of functions: the `_ops` in here.
 *
 * All of it is the main thread's.
 */
#ifndef SESSIOND_BASE_PARTS_H
#define SESSIOND_BASE_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <systemd/sd-event.h>

#include <lttngmap/abi.h>

#include "common/base/clock.h"
#include "sessiond/base/slots.h"

struct json_object;
struct quota_limits;
struct recovery;
struct session;
struct trigger_action;

/* The command line and the environment (options.h). */
struct options {
	char *runtime_dir;             /* absolute */
	bool runtime_dir_chosen;       /* by us, not by whoever started us */
	char *mediator;                /* "ring-fs", "ring-socket" or "auto" */
	char *clock;                   /* "tsc", "monotonic" or "auto" */
	char *consumer;                /* a path, or "none" */
	bool private_instance;         /* ends with the parent */
	pid_t parent;                  /* whose programs alone it traces then */
	bool preloaded;                /* all programs are to register: name those that do not */
	bool supervise;                /* under a supervisor */
	char *ring_dir;                /* rings are files in it; NULL: memory */
	bool survive_panic;            /* a file system that cannot keep them is refused */
	bool forget;                   /* sessions end with the daemon */
	char *recover;                 /* what a daemon left that was killed; NULL: serve */
	char *output;                  /* of that: where traces go; NULL: where they were */
	bool json;                     /* how that is told */
	struct quota_limits *per_user; /* 0 in it: the default */
};

struct daemon {
	const struct options *options;
	struct saved_state *saved_state; /* borrowed */
	sd_event *event;

	enum lttngmap_clock clock;
	struct clock_calibration *calibration; /* the saved state's */
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
	const struct session_kernel_ops *kernel_ops;
	const struct process_ops *process_ops;
	struct doorbells *doorbells;
	struct slots slots;
	struct run_queue *run_queue;
	uint64_t reclaim_usec; /* no classes are looked for before then that nobody uses */
	struct processes *processes;
	struct kernel_leftovers *kernel_leftovers;
	struct sessions *sessions;
	struct consumers *consumers;
	struct control_socket *control;
	struct app_socket *app;
	struct untraced *untraced;
	struct late_attach *late_attach; /* NULL in a private instance */
	struct recovery *recovery;       /* borrowed; NULL but where one is under way. With it: */
	void (*restore_recovered)(struct daemon *daemon); /* processes and their rings */
	bool recovers_files;                              /* rings were files, maybe of a disk */
	bool is_leaving; /* the saved state's sessions are the next daemon's */
	/*
	 * The processes that sessions counted under the daemon before: sessions_counted_before().
	 * NULL: none.
	 */
	struct json_object *before;
	void (*save_state)(struct daemon *daemon); /* state_save() */
	const struct session_trigger_ops *trigger_ops;
	/* control_act(): does it, and calls trigger_acted(). */
	void (*act_for_trigger)(struct session *trigger, struct trigger_action *action);
};

/* Sessions were changed: the daemon that follows one that was killed is to find them so. */
static inline void daemon_save_state(struct daemon *daemon)
{
	daemon->save_state(daemon);
}

#endif /* SESSIOND_BASE_PARTS_H */
