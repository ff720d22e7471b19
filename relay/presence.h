/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * presence.h - is a trace being sent, and is there somebody who starts that again?
 *
 * Each of them locks a byte of the file in the trace's folder that says how much was
 * sent (common/protocol/relay-progress.h): OUTPUT/.relay of a spool, which one alone can send, or
 * OUTPUT/.relay-COLLECTOR. The lock ends with the process, however that ends.
 *
 * Any thread; returns are 0 or -errno unless said otherwise.
 */
#ifndef RELAY_PRESENCE_H
#define RELAY_PRESENCE_H

#include <stdbool.h>

#include "common/protocol/relay-progress.h"
#include "relay/url.h"

/* Maximum length of the file's name. */
#define PRESENCE_NAME_MAX (sizeof(RELAY_PROGRESS_NAME "-") + RELAY_URL_KEY_MAX)

enum presence {
	PRESENCE_SENDER,
	PRESENCE_KEEPER, /* who starts another sender when that is killed */
};

/*
 * The file in the open folder `output`, made where it is not there, with the lock: for reading
 * and writing, the caller's to close. -errno; -EBUSY: another one is that.
 */
int presence_take(int output, const struct relay_url *url, bool is_spool, enum presence presence);
/* Is anybody there? 1: yes; 0: no; -errno: it cannot be told. */
int presence_look(const char *output, const struct relay_url *url, bool is_spool);
/* How much was sent so far. -ENODATA: nothing, as far as can be told. */
int presence_read(const char *output, const struct relay_url *url, bool is_spool,
		  struct relay_progress *progress);

#endif /* RELAY_PRESENCE_H */
