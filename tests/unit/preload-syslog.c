/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * preload-syslog.c - each wrapper of liblttngmap-syslog.so has the C library say
 * what it would have said, here to standard error, and says the same as an event.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <syslog.h>

#include "tests/utils/watched.h"

/* What programs call that were built with _FORTIFY_SOURCE. */
void __syslog_chk(int priority, int flag, const char *format, ...);
void __vsyslog_chk(int priority, int flag, const char *format, va_list arguments);

/* What the C library said since it was asked last; its end is a line's. */
static const char *said(void)
{
	static char text[16384];
	ssize_t length = pread(STDERR_FILENO, text, sizeof(text) - 1, 0);

	text[length > 0 ? length : 0] = '\0';
	if (ftruncate(STDERR_FILENO, 0) || lseek(STDERR_FILENO, 0, SEEK_SET))
		bail_out("standard error is no file: %m");
	return text;
}

/* CALL(what is called, the event, what the C library says) */
#define CALL(call, expected, line)                                                                 \
	do {                                                                                       \
		watch();                                                                           \
		call;                                                                              \
		set_hook(NULL);                                                                    \
		is(nr_events, 1, "one event of " #call);                                           \
		is_string(events[0], expected, "  ... which says so");                             \
		is_string(said(), line, "  ... and so does the C library");                        \
	} while (0)

static void call_vsyslog(int priority, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsyslog(priority, format, arguments);
	va_end(arguments);
}

static void call_vsyslog_chk(int priority, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	__vsyslog_chk(priority, 1, format, arguments);
	va_end(arguments);
}

static void test_classes(void)
{
#define FIELDS " facility:10 priority:10 ident:string message:text"
	static const struct {
		struct watched_class event;
		int level;
	} expected[] = {
		{ { "emerg", FIELDS }, LTTNGMAP_LOGLEVEL_EMERG },
		{ { "alert", FIELDS }, LTTNGMAP_LOGLEVEL_ALERT },
		{ { "crit", FIELDS }, LTTNGMAP_LOGLEVEL_CRIT },
		{ { "err", FIELDS }, LTTNGMAP_LOGLEVEL_ERR },
		{ { "warning", FIELDS }, LTTNGMAP_LOGLEVEL_WARNING },
		{ { "notice", FIELDS }, LTTNGMAP_LOGLEVEL_NOTICE },
		{ { "info", FIELDS }, LTTNGMAP_LOGLEVEL_INFO },
		{ { "debug", FIELDS }, LTTNGMAP_LOGLEVEL_DEBUG },
	};

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		test_watched_classes("lttngmap_syslog", &expected[i].event, 1, expected[i].level);
}

static void test_calls(void)
{
	CALL(syslog(LOG_INFO, "%s %d", "a", 1),
	     "info facility=2 priority=6 ident=\"tester\" message=\"a 1\"", "tester: a 1\n");
	CALL(call_vsyslog(LOG_EMERG, "%d of %s", 2, "b"),
	     "emerg facility=2 priority=0 ident=\"tester\" message=\"2 of b\"", "tester: 2 of b\n");
	CALL(__syslog_chk(LOG_DEBUG, 1, "%c", 'c'),
	     "debug facility=2 priority=7 ident=\"tester\" message=\"c\"", "tester: c\n");
	CALL(call_vsyslog_chk(LOG_ERR, "%5.1f", 4.25),
	     "err facility=2 priority=3 ident=\"tester\" message=\"  4.2\"", "tester:   4.2\n");
	CALL(syslog(LOG_LOCAL7 | LOG_WARNING, "x"),
	     "warning facility=23 priority=4 ident=\"tester\" message=\"x\"", "tester: x\n");
	CALL((errno = ENOENT, syslog(LOG_NOTICE, "%m, %d", 5)),
	     "notice facility=2 priority=5 ident=\"tester\" message=\"No such file or directory, "
	     "5\"",
	     "tester: No such file or directory, 5\n");
}

/* What is said where the ident was changed, or never given, or is gone. */
static void test_ident(void)
{
	char *ident = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char expected[400], line[400];

	setlogmask(LOG_MASK(LOG_ALERT));
	CALL(syslog(LOG_CRIT, "masked"),
	     "crit facility=2 priority=2 ident=\"tester\" message=\"masked\"", "");
	setlogmask(LOG_UPTO(LOG_DEBUG));
	memcpy(ident, "gone", 5);
	openlog(ident, LOG_PERROR, -1);
	closelog();
	munmap(ident, 4096);
	openlog(NULL, LOG_PERROR, 0);
	snprintf(expected, sizeof(expected),
		 "alert facility=2 priority=1 ident=\"%s\" message=\"y\"",
		 program_invocation_short_name);
	snprintf(line, sizeof(line), "%s: y\n", program_invocation_short_name);
	CALL(syslog(LOG_ALERT, "y"), expected, line);
	memset(line, 'i', 300);
	line[300] = '\0';
	openlog(line, LOG_PERROR, LOG_USER);
	watch();
	syslog(LOG_INFO, "z");
	set_hook(NULL);
	snprintf(expected, sizeof(expected),
		 "info facility=1 priority=6 ident=\"%.255s\" message=\"z\"", line);
	is_string(events[0], expected, "a long ident is cut");
	said();
}

static void test_long(void)
{
	char text[6000];
	const char *there;

	memset(text, 'm', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	openlog("tester", LOG_PERROR, LOG_MAIL);
	watch();
	syslog(LOG_INFO, "%s", text);
	set_hook(NULL);
	is(nr_events, 1, "a message longer than an event is one");
	ok(strstr(events[0], "ident=\"tester\" message=\"mmmmmm"),
	   "  ... with what there is room for");
	there = said();
	is((long long)strlen(there), (long long)sizeof(text) - 1 + 9,
	   "  ... and the C library says all of it");
}

int main(int argc, char **argv)
{
	(void)argc;
	watch_preloaded(argv, ".libs/liblttngmap-syslog.so");
	if (dup2(memfd_create("standard error", 0), STDERR_FILENO) < 0)
		bail_out("cannot make a file of standard error: %m");
	openlog("tester", LOG_PERROR, LOG_MAIL);
	test_classes();
	test_calls();
	test_ident();
	test_long();
	return done_testing();
}
