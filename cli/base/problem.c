/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */

#include "cli/base/problem.h"

#include <stdarg.h>
#include <stdio.h>

int problem_set(struct problem *problem, int error, const char *hint, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(problem->why, sizeof(problem->why), format, arguments);
	va_end(arguments);
	snprintf(problem->hint, sizeof(problem->hint), "%s", hint);
	return error;
}
