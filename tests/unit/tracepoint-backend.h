/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tracepoint-backend.h - stands in for liblttngmap in the tests of
 * lttngmap/tracepoint.h: keeps what a program hands over, and turns its
 * tracepoints on and off. Everything is off at first.
 */
#ifndef TRACEPOINT_BACKEND_H
#define TRACEPOINT_BACKEND_H

#include <lttngmap/abi.h>
#include <lttngmap/event-class.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BACKEND_MODULES_MAX 4

struct backend {
	/* The last event; `fields` as handed over, up to a multiple of 8. */
	unsigned int events;
	const struct lttngmap_tracepoint *tracepoint;
	size_t size;
	const void *ip;
	unsigned char fields[LTTNGMAP_RECORD_MAX];
	unsigned int cut;        /* of the events */
	size_t room;             /* what events may have; 0: no more than a stack */
	unsigned char *reserved; /* memory for `room` bytes and 16 more, or NULL */
	/* The modules that are registered now. */
	unsigned int registrations, unregistrations, nr_modules;
	struct lttngmap_module *modules[BACKEND_MODULES_MAX];
};

extern struct backend backend;

/* How many tracepoints of that name the modules have. */
unsigned int backend_count(const char *provider, const char *name);
/* The first of these; NULL: none. */
struct lttngmap_tracepoint *backend_find(const char *provider, const char *name);
/* Turn all tracepoints of the modules on or off. */
void backend_switch(int on);

#ifdef __cplusplus
}
#endif

#endif /* TRACEPOINT_BACKEND_H */
