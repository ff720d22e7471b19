/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tap.h - a unit test says what it finds in the Test Anything Protocol.
 *
 *   int main(void)
 *   {
 *           plan(2);
 *           ok(list_empty(list), "a new list is empty");
 *           is(list_length(list), 0, "and has no length");
 *           return done_testing();
 *   }
 *
 * For one source file a program: the state is static. From one thread only.
 * Without plan(), done_testing() says how many there were.
 */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_planned = -1;
static int tap_run;
static int tap_failed;

#define TAP_PRINTF(at, first) __attribute__((unused, format(printf, at, first)))

/* A remark for whoever reads the log. */
TAP_PRINTF(1, 2) static void diag(const char *format, ...)
{
	va_list arguments;

	printf("# ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
}

/* What was seen of a row of tests/reliability/rows. */
TAP_PRINTF(2, 3) static void tap_figure(int row, const char *format, ...)
{
	va_list arguments;

	printf("# figure %02d: ", row);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
}

/* How many tests there will be; before the first. */
__attribute__((unused)) static void plan(int tests)
{
	tap_planned = tests;
	printf("1..%d\n", tests);
	fflush(stdout);
}

/* Nothing of this can be tested here: say why and end well. */
TAP_PRINTF(1, 2) static void skip_all(const char *format, ...)
{
	va_list arguments;

	printf("1..0 # SKIP ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	exit(EXIT_SUCCESS);
}

/* Give up: later tests make no sense after this failure. */
TAP_PRINTF(1, 2) __attribute__((noreturn)) static void bail_out(const char *format, ...)
{
	va_list arguments;

	printf("Bail out! ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	exit(EXIT_FAILURE);
}

TAP_PRINTF(4, 5)
static bool tap_ok(bool passed, const char *file, int line, const char *format, ...)
{
	va_list arguments;

	tap_run++;
	printf("%sok %d - ", passed ? "" : "not ", tap_run);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	if (!passed) {
		tap_failed++;
		printf("# failed at %s:%d\n", file, line);
	}
	fflush(stdout);
	return passed;
}

__attribute__((unused)) static bool tap_is(long long got, long long expected, const char *file,
					   int line, const char *name)
{
	bool passed = tap_ok(got == expected, file, line, "%s", name);

	if (!passed)
		diag("got %lld (%#llx), expected %lld (%#llx)", got, (unsigned long long)got,
		     expected, (unsigned long long)expected);
	return passed;
}

__attribute__((unused)) static bool tap_is_string(const char *got, const char *expected,
						  const char *file, int line, const char *name)
{
	bool same = got && expected ? strcmp(got, expected) == 0 : got == expected;
	bool passed = tap_ok(same, file, line, "%s", name);

	if (!passed)
		diag("got '%s', expected '%s'", got ? got : "(null)",
		     expected ? expected : "(null)");
	return passed;
}

/* ok(condition, format, …): one test. Returns whether it passed. */
#define ok(condition, ...) tap_ok(!!(condition), __FILE__, __LINE__, __VA_ARGS__)
/* Integers are equal; both are shown where not. */
#define is(got, expected, name)                                                                    \
	tap_is((long long)(got), (long long)(expected), __FILE__, __LINE__, name)
/* Strings are equal; NULL equals NULL only. */
#define is_string(got, expected, name) tap_is_string(got, expected, __FILE__, __LINE__, name)

/* `tests` tests are not made, and why. */
TAP_PRINTF(2, 3) static void skip(int tests, const char *format, ...)
{
	char why[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, sizeof(why), format, arguments);
	va_end(arguments);
	while (tests-- > 0)
		printf("ok %d # SKIP %s\n", ++tap_run, why);
	fflush(stdout);
}

/* The last call; its result is main's. */
__attribute__((unused)) static int done_testing(void)
{
	if (tap_planned < 0) {
		tap_planned = tap_run;
		printf("1..%d\n", tap_run);
	}
	if (tap_run != tap_planned)
		diag("planned %d tests but ran %d", tap_planned, tap_run);
	if (tap_failed)
		diag("%d of %d tests failed", tap_failed, tap_run);
	fflush(stdout);
	return tap_failed || tap_run != tap_planned ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif /* TAP_H */
