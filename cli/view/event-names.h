/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* event-names.h - names of events that need no daemon: those in a trace, and the kernel's. */
#ifndef CLI_VIEW_EVENT_NAMES_H
#define CLI_VIEW_EVENT_NAMES_H

typedef void event_name_each(const char *name, void *data);

/* Calls `each` for the events in metadata below `path`. A name may come more than once. */
void event_names_of_trace(const char *path, event_name_each *each, void *data);
/*
 * Calls `each` for SYSTEM:NAME of this machine's kernel. 0, or -errno: tracefs is not mounted, or
 * only root may read it.
 */
int event_names_of_kernel(event_name_each *each, void *data);

#endif /* CLI_VIEW_EVENT_NAMES_H */
