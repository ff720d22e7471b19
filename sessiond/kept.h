/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kept.h - from a daemon that ends in order to the next one: the ledger stays, without
 * processes, and the next daemon copies classes, sessions and counts into its own
 * (doc/design/surviving.md).
 *
 *   ledger       the daemon has ended: head->is_kept
 *   ledger.kept  the next daemon starts, and is not ready yet
 *
 * A daemon that is killed while it starts leaves the second one for the daemon after it.
 */
#ifndef SESSIOND_KEPT_H
#define SESSIOND_KEPT_H

#include <stdbool.h>

struct ledger;
struct options;

/* Rename a kept ledger of the directory, which no daemon lives on. False: there is none. */
bool kept_set_aside(int dir);
/*
 * Into the ledger, which is new. 0, also where nothing is kept or it is not to be used;
 * -errno: what was begun is to be thrown away. Why the sessions do not go on was said.
 */
int kept_take_over(int dir, const char *path, const struct options *options, struct ledger *ledger);
/* The next daemon has it all. */
void kept_remove(int dir);

#endif /* SESSIOND_KEPT_H */
