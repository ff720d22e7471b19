/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * update.h - the probes of what is loaded, as it is now and as they are wanted now.
 *
 * Everything is kept under the loader's lock, which is that of dl_iterate_phdr(),
 * so that nothing is unloaded meanwhile. Not under it are the two things that may
 * take their time: reading files, and the exchange with the daemon. So an update
 * visits the list of what is loaded several times:
 *
 *   with the lock     which objects are new?
 *   without           read their files
 *   with the lock     are they still what was read? make their stubs
 *   without           register their classes
 *   with the lock     arm what is still there
 *   without           tell what is refused
 *
 * A child that is forked by another thread while it is held has that lock for ever,
 * as with any dl_iterate_phdr().
 *
 * Threads: any, several at once. Not for signal handlers, nor with the loader's lock
 * held. Keep errno.
 */
#ifndef SDT_UPDATE_H
#define SDT_UPDATE_H

#include <stddef.h>

/* `rules` are new ones, at most SDT_RULES_MAX bytes; NULL: as before. Like lttngmap_sdt_select().
 */
int sdt_update(const char *rules);
/* Like lttngmap_sdt_armed() and lttngmap_sdt_refused(). */
int sdt_update_armed(void);
int sdt_update_refused(char *text, size_t size);

/* From now on what is refused is told by events, too. */
void sdt_update_registered(void);
/* Tell what is refused and was not told yet. */
void sdt_update_tell(void);

#endif /* SDT_UPDATE_H */
