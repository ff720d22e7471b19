/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* messages.c - messages in printf's manner, as LTTng-UST takes them; C or C++. */
#include <stdarg.h>
#include <stdio.h>

#include <lttng/tracef.h>
#include <lttng/tracelog.h>

/* The same name, wherever it is compiled. */
#line 50 "messages.c"
static void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	lttng_ust_vtracef(format, arguments);
	va_end(arguments);
	va_start(arguments, format);
	lttng_ust_vtracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_NOTICE, format, arguments);
	va_end(arguments);
}

int main(void)
{
	static char longer[1500];

	for (unsigned int i = 0; i < sizeof(longer) - 1; i++)
		longer[i] = (char)('a' + i % 26);
	lttng_ust_tracef("plain");
	tracef("%s %d", "old name", -1);
	lttng_ust_tracef("%s", longer);
	lttng_ust_tracef("%s", "");
	say("%d of %s", 3, "many");
#line 100 "messages.c"
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_EMERG, "%d", 0);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_ALERT, "%d", 1);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_CRIT, "%d", 2);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_ERR, "%d", 3);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING, "%d", 4);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_NOTICE, "%d", 5);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO, "%d", 6);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_SYSTEM, "%d", 7);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_PROGRAM, "%d", 8);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_PROCESS, "%d", 9);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_MODULE, "%d", 10);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_UNIT, "%d", 11);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_FUNCTION, "%d", 12);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_LINE, "%d", 13);
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG, "%s", "fourteen");
	return 0;
}
