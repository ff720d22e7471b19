/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * early.h - events of constructors that run before this library's own.
 *
 * The dynamic loader initialises the libraries that a program is linked with before those that are
 * preloaded. So the first call of a wrapped function registers the family's tracepoints, once the C
 * library is initialised: it is before all others, and sets `environ` then. Calls of the dynamic
 * loader before that are not seen.
 *
 * Until then the functions behind the wrappers are found and called, and not published; afterwards
 * a wrapper has nothing to test. Where the first call's event stands before the call, the call
 * registers too late for it: that event is not written. Nothing begins with a call of free(), which
 * dlsym() makes, too.
 *
 * The family dl, where it is preloaded too, begins before the first event of any family. So its
 * state dump stands before that event, and a reader has a name for the event's address.
 */
#ifndef PRELOAD_EARLY_H
#define PRELOAD_EARLY_H

#include <stdbool.h>
#include <unistd.h>

#include <lttngmap/event-class.h>

/* This library's, from tracepoint.h; none where it has no tracepoints. */
extern struct lttngmap_module lttngmap_module_ __attribute__((weak, visibility("hidden")));

/* In dl.c; NULL where that is not preloaded. Only the first call does anything. */
void lttngmap_dl_begin(void) __attribute__((weak, visibility("default")));

/* False: it is too early. Any thread, any number of times; keeps no promise about errno. */
static inline bool early_begin(void)
{
	struct lttngmap_module *module = &lttngmap_module_;

	if (!environ)
		return false;
	if (lttngmap_dl_begin)
		lttngmap_dl_begin();
	if (module)
		lttngmap_module_register(module);
	return true;
}

#endif /* PRELOAD_EARLY_H */
