/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * fake-lttngmap.h - libfake-lttngmap.so: a liblttngmap without a daemon, in
 * which every event is on and goes to a function of the test program. Events
 * of liblttngmap-libc.so are also counted in LTTNGMAP_EVENTS_DIR, where that is
 * set, as count-libc.h says.
 *
 * Preload it before the library to be tested; its symbols then come before
 * those of the real liblttngmap. The program finds these by dlsym().
 */
#ifndef FAKE_LTTNGMAP_H
#define FAKE_LTTNGMAP_H

#include <lttngmap/event-class.h>

/* Called within each event, in the thread of it; NULL (so at first): none. */
typedef void fake_lttngmap_hook(const struct lttngmap_event_class *event_class, const void *fields,
				size_t size);

/* void fake_lttngmap_set_hook(fake_lttngmap_hook *hook) */
typedef void fake_lttngmap_set_hook_function(fake_lttngmap_hook *hook);

/* The class provider:name of any module that registered; NULL: there is none. */
typedef const struct lttngmap_event_class *fake_lttngmap_class_function(const char *provider,
									const char *name);

/* void fake_lttngmap_statedump(void): have the state told, by whoever registered last. */
typedef void fake_lttngmap_statedump_function(void);

#endif /* FAKE_LTTNGMAP_H */
