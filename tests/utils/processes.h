/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * processes.h - what processes do in their lives, with numbered events before,
 * meanwhile and after. Run as: processes SCENARIO [ARGUMENT].
 */
#ifndef TESTS_UTILS_PROCESSES_H
#define TESTS_UTILS_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct numbered_counts;

struct scenario {
	const char *name;
	void (*run)(const char *argument);
};

extern const struct scenario life_scenarios[]; /* fork, exec and their kin */
extern const struct scenario odd_scenarios[];  /* what else can happen */

extern struct numbered_counts *counts;
extern const char *self; /* this program, to be executed */

uint32_t new_source(void);
/* Emit the next event, or some, of a source. */
void emit(uint32_t source);
void emit_many(uint32_t source, unsigned int events);
/* Emit some of a source of its own: all that most processes do. */
void emit_some(void);

/* Something is not as it should be: say it, and go on. */
void expect(bool condition, const char *what);
/* Wait for a child: it ended with this status, or by this signal. */
void expect_status(pid_t child, int status);
void expect_signal(pid_t child, int signal);

/* For processes that nobody can wait for. */
void finished(void);
void wait_finished(uint32_t processes);

#endif /* TESTS_UTILS_PROCESSES_H */
