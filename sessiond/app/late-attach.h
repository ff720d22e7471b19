/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * late-attach.h - finds processes that started before this daemon and have liblttngmap. It
 * sends each an attach request (sessiond/app/attach-sender.h); the process registers with its
 * next event.
 *
 * A thread looks through /proc, and another one at each user's processes, for a process can
 * make it wait. Such a thread is left behind after a second, and that user's processes, with
 * those of its subordinate ids, are not looked at until it comes back.
 *
 * All functions: main thread.
 */
#ifndef SESSIOND_APP_LATE_ATTACH_H
#define SESSIOND_APP_LATE_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/name.h"
#include "sessiond/app/attach-sender.h"

struct late_attach;

/* A process that is not registered (yet). */
struct late_attach_entry {
	uint32_t pid;
	uint32_t uid;
	uint32_t gid;
	bool is_others; /* it is registered with another daemon */
	char name[NAME_PROGRAM_SIZE];
	char why[ATTACH_WHY_SIZE]; /* no control characters */
	bool hangs;                /* reading its memory blocks */
};

/* `place`: our app.sock. 0 or -errno. */
int late_attach_create(const char *place, uint64_t instance, struct late_attach **late_attach);
/* NULL is allowed. */
void late_attach_destroy(struct late_attach *late_attach);

/* Look for processes, unless that is being done; wait a little for its end. */
void late_attach_scan(struct late_attach *late_attach, unsigned int wait_ms);
/* The same, where the last search is some seconds ago; nobody waits. */
void late_attach_refresh(struct late_attach *late_attach);
/*
 * Calls `each` with the processes that the last finished search found; some may have registered or
 * ended since. Stops if `each` returns nonzero.
 */
void late_attach_list(struct late_attach *late_attach,
		      int (*each)(const struct late_attach_entry *entry, void *data), void *data);

#endif /* SESSIOND_APP_LATE_ATTACH_H */
