/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * breakpoint.h - interrupts an event at one of its instructions, in the program itself. Single
 * steps would abort a restartable sequence again and again; they only find out once, while the
 * kernel knows of no restartable sequence, where the instructions are. For one thread, on CPU 0.
 */
#ifndef TESTS_UTILS_BREAKPOINT_H
#define TESTS_UTILS_BREAKPOINT_H

#include <stdbool.h>
#include <stdint.h>

/* Takes SIGTRAP for what is below. */
void breakpoint_prepare(void);

/* The addresses of the instructions of event(), `most` at most, in their order; how many. */
unsigned breakpoint_trace(void (*event)(void), uint8_t **addresses, unsigned most);

/*
 * Calls hit() once, in a signal handler, before the instruction there is executed; hit() may arm
 * another one.
 */
void breakpoint_arm(uint8_t *at, void (*hit)(void));
/* Takes away the one that is armed. How many were hit since this was called last. */
unsigned breakpoint_disarm(void);

#endif /* TESTS_UTILS_BREAKPOINT_H */
