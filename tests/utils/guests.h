/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * guests.h - small programs that do what traced programs may do. Run as:
 *
 *   guests NAME NUMBER [ARGUMENT]
 *
 * Nothing in them knows of a tracer. Each counts its calls of two functions, whose arguments have
 * its number, and prints the counts at its end.
 */
#ifndef TESTS_UTILS_GUESTS_H
#define TESTS_UTILS_GUESTS_H

#include <stdbool.h>

struct guest {
	const char *name;
	void (*run)(const char *argument);
};

extern const struct guest process_guests[]; /* processes, descriptors and maps */
extern const struct guest thread_guests[];  /* threads, stacks, handlers and libraries */

/* Calls close() of a descriptor that nobody has. Signal-safe, and for a child of vfork(). */
void mark(void);
/* Calls malloc() and free(), a mutex, and mark(). */
void work(void);
/* Counts what is not as it should be, where `condition` is false; prints it in the end. */
void expect(bool condition);

#endif /* TESTS_UTILS_GUESTS_H */
