/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * syslog.c - liblttngmap-syslog.so: what a program tells the system's log.
 *
 *   LD_PRELOAD=liblttngmap-syslog.so PROGRAM
 *
 * One event a priority, lttngmap_syslog:emerg to debug, whose log level is the
 * priority: rules can take "warning and worse". It is written before the call,
 * which may wait for the log, and whatever setlogmask() says of it.
 *
 * The message is formatted here as well as in the C library, so it costs about
 * twice what it did while the event is on, and 4 KiB of stack. A longer one is
 * cut.
 *
 * openlog() only borrows its caller's ident. We keep a copy, for by the time of
 * a message the caller may have freed it: that is an error of its own, but not
 * one that is to end the program in here. It is written and read without a lock: a message
 * beside an openlog() in another thread may have either ident or a mix.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <syslog.h>

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

/* C library functions called by programs that were built with _FORTIFY_SOURCE. */
void __syslog_chk(int priority, int flag, const char *format, ...);
void __vsyslog_chk(int priority, int flag, const char *format, va_list arguments);

#define NEXT_FUNCTIONS(X) X(vsyslog) X(__vsyslog_chk) X(openlog) X(closelog)
#include "preload/next.h"

#define IDENT_SIZE 256

LTTNGMAP_ENUM(lttngmap_syslog_facility, { "kern", 0, 0 }, { "user", 1, 1 }, { "mail", 2, 2 },
	      { "daemon", 3, 3 }, { "auth", 4, 4 }, { "syslog", 5, 5 }, { "lpr", 6, 6 },
	      { "news", 7, 7 }, { "uucp", 8, 8 }, { "cron", 9, 9 }, { "authpriv", 10, 10 },
	      { "ftp", 11, 11 }, { "local0", 16, 16 }, { "local1", 17, 17 }, { "local2", 18, 18 },
	      { "local3", 19, 19 }, { "local4", 20, 20 }, { "local5", 21, 21 },
	      { "local6", 22, 22 }, { "local7", 23, 23 });

/* The event of a priority, and its number there: EVENT(name, LEVEL, number) */
#define PRIORITIES(EVENT)                                                                          \
	EVENT(emerg, EMERG, LOG_EMERG)                                                             \
	EVENT(alert, ALERT, LOG_ALERT)                                                             \
	EVENT(crit, CRIT, LOG_CRIT)                                                                \
	EVENT(err, ERR, LOG_ERR)                                                                   \
	EVENT(warning, WARNING, LOG_WARNING)                                                       \
	EVENT(notice, NOTICE, LOG_NOTICE)                                                          \
	EVENT(info, INFO, LOG_INFO)                                                                \
	EVENT(debug, DEBUG, LOG_DEBUG)

/* To clang-format, macros that make declarations are expressions. */
/* clang-format off */
#define DEFINE(name, level, number)                                                                \
	LTTNGMAP_TRACEPOINT(lttngmap_syslog, name, LTTNGMAP_LOGLEVEL_##level,                      \
			    (enumeration, lttngmap_syslog_facility, uint8_t, facility),            \
			    (integer, uint8_t, priority), (string, ident),                         \
			    (text_sequence, message));
PRIORITIES(DEFINE)
/* clang-format on */

/* The ident of openlog(); the last byte stays 0. "": the program's name. */
static char log_ident[IDENT_SIZE];
static int log_facility = LOG_USER;

static void keep_ident(const char *ident)
{
	size_t i = 0;

	for (; i < IDENT_SIZE - 1 && ident[i]; i++)
		__atomic_store_n(&log_ident[i], ident[i], __ATOMIC_RELAXED);
	__atomic_store_n(&log_ident[i], 0, __ATOMIC_RELAXED);
}

static const char *current_ident(void)
{
	return __atomic_load_n(&log_ident[0], __ATOMIC_RELAXED) ? log_ident
								: program_invocation_short_name;
}

/* The same as in the C library: bits that mean nothing are left out. */
static uint8_t facility_of(int priority)
{
	if (priority & LOG_FACMASK)
		return LOG_FAC(priority);
	return LOG_FAC(__atomic_load_n(&log_facility, __ATOMIC_RELAXED));
}

static bool is_on(int priority)
{
	switch (LOG_PRI(priority)) {
#define CASE(name, level, number)                                                                  \
	case number:                                                                               \
		return lttngmap_tracepoint_enabled(lttngmap_syslog, name);
		PRIORITIES(CASE)
#undef CASE
	}
	return false;
}

/* Apart, for the stack that it takes. `%m` is errno, which stays. */
static __attribute__((noinline, cold)) void write_event(const void *ip, int priority,
							const char *format, va_list arguments)
{
	char text[LTTNGMAP_RECORD_MAX];
	int saved_errno = errno, length;
	va_list copy;

	va_copy(copy, arguments);
	length = vsnprintf(text, sizeof(text), format, copy);
	va_end(copy);
	errno = saved_errno;
	if (length < 0)
		length = 0;
	else if (length >= (int)sizeof(text))
		length = sizeof(text) - 1;
	switch (LOG_PRI(priority)) {
#define CASE(name, level, number)                                                                  \
	case number:                                                                               \
		lttngmap_tracepoint_at(ip, lttngmap_syslog, name, facility_of(priority), number,   \
				       current_ident(), text, length);                             \
		break;
		PRIORITIES(CASE)
#undef CASE
	}
}

void vsyslog(int priority, const char *format, va_list arguments)
{
	if (is_on(priority))
		write_event(__builtin_return_address(0), priority, format, arguments);
	NEXT(vsyslog)(priority, format, arguments);
}

void syslog(int priority, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (is_on(priority))
		write_event(__builtin_return_address(0), priority, format, arguments);
	NEXT(vsyslog)(priority, format, arguments);
	va_end(arguments);
}

void __vsyslog_chk(int priority, int flag, const char *format, va_list arguments)
{
	if (is_on(priority))
		write_event(__builtin_return_address(0), priority, format, arguments);
	NEXT(__vsyslog_chk)(priority, flag, format, arguments);
}

void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (is_on(priority))
		write_event(__builtin_return_address(0), priority, format, arguments);
	NEXT(__vsyslog_chk)(priority, flag, format, arguments);
	va_end(arguments);
}

/* Kept also while nobody traces: a session may begin at any time. */
void openlog(const char *ident, int option, int facility)
{
	if (ident)
		keep_ident(ident);
	if (facility != 0 && (facility & ~LOG_FACMASK) == 0)
		__atomic_store_n(&log_facility, facility, __ATOMIC_RELAXED);
	NEXT(openlog)(ident, option, facility);
}

void closelog(void)
{
	keep_ident("");
	NEXT(closelog)();
}
