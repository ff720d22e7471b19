/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kept.h - from a daemon that ends in order to the next one: the saved state stays, without
 * processes, and the next daemon copies classes, sessions and counts into its own
 * (doc/design/surviving.md).
 *
 *   SAVED_FILE      the daemon has ended: head->is_kept
 *   ledger.kept     the next daemon starts, and is not ready yet
 *   ledger.refused  it could not take the saved state over, and starts without sessions; or the
 *                   state of a killed daemon of another version
 *
 * A daemon that is killed while it starts leaves ledger.kept for the daemon after it.
 */
#ifndef SESSIOND_STORAGE_KEPT_H
#define SESSIOND_STORAGE_KEPT_H

#include <stdbool.h>

#define KEPT_REFUSED "ledger.refused" /* for a program of its own version */

struct saved_state;
struct options;

/* Rename the saved state of `dir`, where no daemon lives, to ledger.kept. False: none is kept. */
bool kept_set_aside(int dir);
/*
 * Copy what is kept into `saved_state`, which is new. 0, also where nothing is kept, and with
 * --forget or in a private daemon, which remove it; -errno: it was refused, the log says why, and
 * `saved_state` is to be thrown away.
 */
int kept_take_over(int dir, const char *path, const struct options *options,
		   struct saved_state *saved_state);
/* Remove ledger.kept: the next daemon has all of it. */
void kept_remove(int dir);

#endif /* SESSIOND_STORAGE_KEPT_H */
