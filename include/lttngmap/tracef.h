/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tracef.h - messages in printf's manner as events, with no tracepoint to define:
 *
 *   lttngmap_tracef("read %zu bytes of %s", size, name);
 *   lttngmap_tracelog(WARNING, "no %s, will do without", name);
 *
 * lttngmap_tracef() emits lttng_ust_tracef:event with the field msg;
 * lttngmap_tracelog() emits lttng_ust_tracelog:TRACE_WARNING, one event a level
 * (EMERG, ALERT, CRIT, ERR, WARNING, NOTICE, INFO, DEBUG_SYSTEM, _PROGRAM,
 * _PROCESS, _MODULE, _UNIT, _FUNCTION, _LINE, DEBUG), with the fields line,
 * file, func and msg. The v variants take a va_list. The names of the events are
 * LTTng's, which readers and rules know.
 *
 * While the event is off, the arguments are not evaluated and it costs a load
 * and a branch. On, it is vsnprintf() into 4 KiB of the stack: where that may
 * be called, and no faster. A longer message is cut. Keeps errno.
 */
#ifndef LTTNGMAP_TRACEF_H
#define LTTNGMAP_TRACEF_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include <lttngmap/tracepoint.h>

#define lttngmap_tracef(...) LTTNGMAP_TRACEF_(lttngmap_tracef_, __VA_ARGS__)
#define lttngmap_vtracef(format, arguments)                                                        \
	LTTNGMAP_TRACEF_(lttngmap_vtracef_, NULL, format, arguments)
#define lttngmap_tracelog(level, ...)                                                              \
	LTTNGMAP_TRACELOG_(lttngmap_tracepoint_lttng_ust_tracelog__TRACE_##level,                  \
			   lttngmap_tracelog_TRACE_##level##_, __VA_ARGS__)
#define lttngmap_vtracelog(level, format, arguments)                                               \
	LTTNGMAP_VTRACELOG_(lttngmap_tracepoint_lttng_ust_tracelog__TRACE_##level,                 \
			    lttngmap_vtracelog_TRACE_##level##_, format, arguments)

/* ---- from here on: how it is done; names that end in _ are private ------------ */

/* clang-format off */

#define LTTNGMAP_TRACEF_(emit, ...)                                                                \
	do {                                                                                       \
		if (lttngmap_tracepoint_enabled(lttng_ust_tracef, event))                          \
			emit(__VA_ARGS__);                                                         \
	} while (0)
/*
 * Names are put together where they are given, and come here whole: a macro of the
 * program's, as TRACE_DEBUG, is not taken for one of ours.
 */
#define LTTNGMAP_TRACELOG_(tracepoint, emit, ...)                                                  \
	do {                                                                                       \
		if (__builtin_expect(lttngmap_is_on_(&tracepoint), 0))                             \
			emit(__LINE__, __FILE__, __func__, __VA_ARGS__);                           \
	} while (0)
#define LTTNGMAP_VTRACELOG_(tracepoint, emit, format, arguments)                                   \
	do {                                                                                       \
		if (__builtin_expect(lttngmap_is_on_(&tracepoint), 0))                             \
			emit(NULL, __LINE__, __FILE__, __func__, format, arguments);               \
	} while (0)

LTTNGMAP_TRACEPOINT(lttng_ust_tracef, event, LTTNGMAP_LOGLEVEL_DEBUG, (text_sequence, msg));

/* clang-format on */

#define LTTNGMAP_MESSAGE_MAX_ LTTNGMAP_RECORD_MAX

/* The length of what stands in `text`; 0 where the format is no good. */
static inline LTTNGMAP_UNUSED_ size_t lttngmap_message_(char *text, const char *format,
							va_list arguments)
{
	int kept = errno;
	int length = vsnprintf(text, LTTNGMAP_MESSAGE_MAX_, format, arguments);

	errno = kept;
	if (length < 0)
		return 0;
	return (size_t)length < LTTNGMAP_MESSAGE_MAX_ ? (size_t)length : LTTNGMAP_MESSAGE_MAX_ - 1;
}

static __attribute__((noinline, unused, format(printf, 2, 0))) void
lttngmap_vtracef_(const void *ip, const char *format, va_list arguments)
{
	char text[LTTNGMAP_MESSAGE_MAX_];
	size_t length = lttngmap_message_(text, format, arguments);

	lttngmap_tracepoint_at(ip ? ip : __builtin_return_address(0), lttng_ust_tracef, event, text,
			       length);
}

static __attribute__((noinline, unused, format(printf, 1, 2))) void
lttngmap_tracef_(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	lttngmap_vtracef_(__builtin_return_address(0), format, arguments);
	va_end(arguments);
}

/* clang-format off */

#define LTTNGMAP_TRACELOG_DEFINE_(name, level)                                                     \
	LTTNGMAP_TRACEPOINT(lttng_ust_tracelog, name, level, (integer, int, line), (string, file), \
			    (string, func), (text_sequence, msg));                                 \
	static __attribute__((noinline, unused, format(printf, 5, 0))) void                        \
	lttngmap_vtracelog_##name##_(const void *ip, int line, const char *file, const char *func, \
				     const char *format, va_list arguments)                        \
	{                                                                                          \
		char text[LTTNGMAP_MESSAGE_MAX_];                                                  \
		size_t length = lttngmap_message_(text, format, arguments);                        \
                                                                                                   \
		lttngmap_tracepoint_at(ip ? ip : __builtin_return_address(0), lttng_ust_tracelog,  \
				       name, line, file, func, text, length);                      \
	}                                                                                          \
	static __attribute__((noinline, unused, format(printf, 4, 5))) void                        \
	lttngmap_tracelog_##name##_(int line, const char *file, const char *func,                  \
				    const char *format, ...)                                       \
	{                                                                                          \
		va_list arguments;                                                                 \
                                                                                                   \
		va_start(arguments, format);                                                       \
		lttngmap_vtracelog_##name##_(__builtin_return_address(0), line, file, func,        \
					     format, arguments);                                   \
		va_end(arguments);                                                                 \
	}

/* The program's, for as long as ours are defined. */
#pragma push_macro("TRACE_EMERG")
#pragma push_macro("TRACE_ALERT")
#pragma push_macro("TRACE_CRIT")
#pragma push_macro("TRACE_ERR")
#pragma push_macro("TRACE_WARNING")
#pragma push_macro("TRACE_NOTICE")
#pragma push_macro("TRACE_INFO")
#pragma push_macro("TRACE_DEBUG_SYSTEM")
#pragma push_macro("TRACE_DEBUG_PROGRAM")
#pragma push_macro("TRACE_DEBUG_PROCESS")
#pragma push_macro("TRACE_DEBUG_MODULE")
#pragma push_macro("TRACE_DEBUG_UNIT")
#pragma push_macro("TRACE_DEBUG_FUNCTION")
#pragma push_macro("TRACE_DEBUG_LINE")
#pragma push_macro("TRACE_DEBUG")
#undef TRACE_EMERG
#undef TRACE_ALERT
#undef TRACE_CRIT
#undef TRACE_ERR
#undef TRACE_WARNING
#undef TRACE_NOTICE
#undef TRACE_INFO
#undef TRACE_DEBUG_SYSTEM
#undef TRACE_DEBUG_PROGRAM
#undef TRACE_DEBUG_PROCESS
#undef TRACE_DEBUG_MODULE
#undef TRACE_DEBUG_UNIT
#undef TRACE_DEBUG_FUNCTION
#undef TRACE_DEBUG_LINE
#undef TRACE_DEBUG

LTTNGMAP_TRACELOG_DEFINE_(TRACE_EMERG, LTTNGMAP_LOGLEVEL_EMERG)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_ALERT, LTTNGMAP_LOGLEVEL_ALERT)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_CRIT, LTTNGMAP_LOGLEVEL_CRIT)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_ERR, LTTNGMAP_LOGLEVEL_ERR)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_WARNING, LTTNGMAP_LOGLEVEL_WARNING)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_NOTICE, LTTNGMAP_LOGLEVEL_NOTICE)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_INFO, LTTNGMAP_LOGLEVEL_INFO)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_DEBUG_SYSTEM, LTTNGMAP_LOGLEVEL_DEBUG_SYSTEM)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_DEBUG_PROGRAM, LTTNGMAP_LOGLEVEL_DEBUG_PROGRAM)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_DEBUG_PROCESS, LTTNGMAP_LOGLEVEL_DEBUG_PROCESS)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_DEBUG_MODULE, LTTNGMAP_LOGLEVEL_DEBUG_MODULE)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_DEBUG_UNIT, LTTNGMAP_LOGLEVEL_DEBUG_UNIT)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_DEBUG_FUNCTION, LTTNGMAP_LOGLEVEL_DEBUG_FUNCTION)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_DEBUG_LINE, LTTNGMAP_LOGLEVEL_DEBUG_LINE)
LTTNGMAP_TRACELOG_DEFINE_(TRACE_DEBUG, LTTNGMAP_LOGLEVEL_DEBUG)

#pragma pop_macro("TRACE_EMERG")
#pragma pop_macro("TRACE_ALERT")
#pragma pop_macro("TRACE_CRIT")
#pragma pop_macro("TRACE_ERR")
#pragma pop_macro("TRACE_WARNING")
#pragma pop_macro("TRACE_NOTICE")
#pragma pop_macro("TRACE_INFO")
#pragma pop_macro("TRACE_DEBUG_SYSTEM")
#pragma pop_macro("TRACE_DEBUG_PROGRAM")
#pragma pop_macro("TRACE_DEBUG_PROCESS")
#pragma pop_macro("TRACE_DEBUG_MODULE")
#pragma pop_macro("TRACE_DEBUG_UNIT")
#pragma pop_macro("TRACE_DEBUG_FUNCTION")
#pragma pop_macro("TRACE_DEBUG_LINE")
#pragma pop_macro("TRACE_DEBUG")

/* clang-format on */

#endif /* LTTNGMAP_TRACEF_H */
