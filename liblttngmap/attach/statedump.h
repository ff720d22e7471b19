/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * statedump.h - what is written before the first event of a process in a
 * channel: see struct lttngmap_statedump.
 */
#ifndef LIBLTTNGMAP_ATTACH_STATEDUMP_H
#define LIBLTTNGMAP_ATTACH_STATEDUMP_H

#include "liblttngmap/base/local.h"

enum statedump_turn {
	STATEDUMP_NOTHING,   /* nobody has registered */
	STATEDUMP_OURS,      /* write it, and end it */
	STATEDUMP_WITHIN,    /* this thread is at it already: what asks is an event of it */
	STATEDUMP_WAITED,    /* another thread was: look again what there is */
	STATEDUMP_ELSEWHERE, /* another thread is at it, and this one does not wait any longer */
};

/*
 * This process has seen a channel start, of which no thread has a cached channel in the cache: none
 * is put there before the state is told, so that others come here, too. They wait for
 * who tells it where events may block, as for a registration: what they write needs it.
 * Signal-safe.
 */
enum statedump_turn statedump_begin(struct local *local);
/* Calls all that registered, in this thread. Signal-safe, keeps errno. */
void statedump_write(struct local *local);
/* Lets others go on; tells again what was wished for meanwhile. Signal-safe, keeps errno. */
void statedump_end(struct local *local);

#endif /* LIBLTTNGMAP_ATTACH_STATEDUMP_H */
