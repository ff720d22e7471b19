/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * late-attach.h - the processes that have liblttngmap and are not registered, for
 * they run longer than this daemon: each is told of it (sessiond/app/late-attach-call.h), and
 * registers with its next event.
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

#include "common/name.h"
#include "sessiond/app/late-attach-call.h"

struct pickup;

/* A process that is not registered (yet). */
struct pickup_entry {
	uint32_t pid;
	uint32_t uid;
	uint32_t gid;
	bool is_others; /* it is registered with another daemon */
	char name[NAME_PROGRAM_SIZE];
	char why[KNOCK_WHY_SIZE]; /* no control characters */
	bool hangs;               /* whoever looks at it waits */
};

/* `place`: our app.sock. 0 or -errno. */
int pickup_create(const char *place, uint64_t instance, struct pickup **pickup);
/* NULL is allowed. */
void pickup_destroy(struct pickup *pickup);

/* Look for processes, unless that is being done; wait a little for its end. */
void pickup_scan(struct pickup *pickup, unsigned int wait_ms);
/* The same, where the last search is some seconds ago; nobody waits. */
void pickup_refresh(struct pickup *pickup);
/*
 * What the last finished search found, for `each` to look at; some of it may
 * have registered or ended since. Stops where `each` returns nonzero.
 */
void pickup_list(struct pickup *pickup, int (*each)(const struct pickup_entry *entry, void *data),
		 void *data);

#endif /* SESSIOND_APP_LATE_ATTACH_H */
