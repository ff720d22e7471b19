/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay.h - send the trace in a folder to a collector (lttng-relayd): what is there, and what
 * comes while it is recorded, until it ends and all of it is there.
 *
 *   OUTPUT/ust, OUTPUT/kernel ── follow ──┐
 *                                         ├─ relay ── connection ══ lttng-relayd
 *   OUTPUT/archives/NAME/ust ─── follow ──┘     └── OUTPUT/.relay: bytes it has
 *
 * A lost connection is made anew, by a new session at the collector, for it gives back none
 * that it lost. Packets that it had confirmed are not sent again.
 *
 * One thread, one trace, one collector; the process waits for that and nothing else.
 */
#ifndef RELAY_RELAY_H
#define RELAY_RELAY_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "relay/url.h"

/* The collector is given up if it does not respond for so long. */
#define RELAY_TIMEOUT_MS 30000

struct relay_config {
	struct relay_url url;
	const char *output;  /* the folder */
	const char *session; /* what it is called there */
	bool is_spool;       /* what was sent goes, and in the end the folder */
	/*
	 * For one of a session's snapshots in the folder at the collector: the session's creation
	 * in seconds since 1970 (0: no snapshot), and the snapshot's number, from 0.
	 */
	uint64_t session_created;
	uint64_t snapshot;
	int timeout_ms;
	uint64_t live_ms; /* viewers of the collector's are told of time so often; 0: not so */
	/* Set by signals: nothing more will be written; give up. */
	const volatile sig_atomic_t *finish, *stop;
};

struct relay_result {
	uint64_t packets, bytes; /* that were confirmed */
	uint64_t connections;
	bool is_complete; /* all that was there */
};

/*
 * 0: all was sent.
 * -ETIMEDOUT: the trace has ended, and the collector does not take the rest.
 * -EINTR: told to give up. -ENOENT: there is no trace. -EBUSY: somebody else sends it.
 * -EBADMSG: all was sent but for streams that are broken, which stay.
 * Another -errno: it failed. Trouble meanwhile is logged.
 */
int relay_run(const struct relay_config *config, struct relay_result *result);

#endif /* RELAY_RELAY_H */
