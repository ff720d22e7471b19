/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * statedump.h - what is written before the first event of a process in a
 * channel: see struct lttngmap_statedump.
 */
#ifndef LTTNGMAP_STATEDUMP_H
#define LTTNGMAP_STATEDUMP_H

#include "local.h"

/*
 * This process has seen a channel start, and written no event there yet. Calls
 * all that registered, in this thread; where another one, or this one itself, is
 * at it, that one does so again when it has ended. Signal-safe, keeps errno.
 */
void statedump_due(struct local *local);

#endif /* LTTNGMAP_STATEDUMP_H */
