/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* problem.h - a message and a hint, for callers that print them elsewhere. */
#ifndef CLI_BASE_PROBLEM_H
#define CLI_BASE_PROBLEM_H

struct problem {
	char why[512];
	char hint[256];
};

/* Fills `problem`; returns `error`. */
int problem_set(struct problem *problem, int error, const char *hint, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* CLI_BASE_PROBLEM_H */
