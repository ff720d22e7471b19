/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * watch.h - which ring files appear in a folder, by inotify.
 */
#ifndef CONSUMERD_SESSION_WATCH_H
#define CONSUMERD_SESSION_WATCH_H

#include <systemd/sd-event.h>

struct watch;

/*
 * `name` is a regular file in the folder, not hidden and not `stats`. The
 * same name may be said several times.
 */
typedef void (*watch_found)(void *userdata, const char *name);

/*
 * Says what is in `directory` before it returns, and later from the loop what
 * appears there. All of it is looked at again where the kernel lost events.
 * 0 or -errno.
 */
int watch_create(sd_event *loop, const char *directory, watch_found found, void *userdata,
		 struct watch **watch);
/* NULL is allowed. */
void watch_destroy(struct watch *watch);

#endif /* CONSUMERD_SESSION_WATCH_H */
