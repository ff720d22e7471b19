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
	STATEDUMP_NOTHING, /* nobody has registered */
	STATEDUMP_OURS,    /* this thread writes the state, and calls statedump_end() */
	STATEDUMP_WITHIN,  /* this thread writes it already: the caller is an event of the state */
	STATEDUMP_WAITED,  /* another thread has written it: ask again */
	STATEDUMP_ELSEWHERE, /* another thread writes it, and this one waits no longer */
};

/*
 * Called when no thread has cached a newly started channel. No thread caches it before the state
 * is written, so every thread comes here first. Where events may block, the other threads wait for
 * the one that writes the state, because their events need it. Signal-safe.
 */
enum statedump_turn statedump_begin(struct local *local);
/* Calls all that registered, in this thread. Signal-safe, keeps errno. */
void statedump_write(struct local *local);
/* Lets others go on; tells again what was wished for meanwhile. Signal-safe, keeps errno. */
void statedump_end(struct local *local);

#endif /* LIBLTTNGMAP_ATTACH_STATEDUMP_H */
