/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * logging.c - liblttngmap-python.so: the tracepoints of Python's logging module,
 * which lttngmap.py calls by ctypes.
 *
 * One event for each of logging's own levels, whose log level is the same; a
 * level between them counts as the one below. The message comes last, so that
 * a long one is what is cut.
 *
 * Threads: any; ctypes has let go of the interpreter's lock meanwhile, so a
 * session whose channel is blocking does not hold up the other threads.
 */
#include <stddef.h>

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

/* EVENT(name, LEVEL, from which of logging's numbers on) */
#define LEVELS(EVENT)                                                                              \
	EVENT(critical, CRIT, 50)                                                                  \
	EVENT(error, ERR, 40)                                                                      \
	EVENT(warning, WARNING, 30)                                                                \
	EVENT(info, INFO, 20)                                                                      \
	EVENT(debug, DEBUG, INT32_MIN)

/* To clang-format, macros that make declarations are expressions. */
/* clang-format off */
#define DEFINE(event, loglevel, from)                                                              \
	LTTNGMAP_TRACEPOINT(lttngmap_python, event, LTTNGMAP_LOGLEVEL_##loglevel,                  \
			    (string, logger), (integer, int, level), (string, file),               \
			    (integer, int, line), (string, func), (string, thread),                \
			    (text_sequence, message));
LEVELS(DEFINE)

/* LTTng's event of all levels, by its names, types and log level: lttngust.py. */
LTTNGMAP_TRACEPOINT(lttng_python, event, LTTNGMAP_LOGLEVEL_DEBUG_LINE,
		    (string, asctime), (string, msg), (string, logger_name), (string, funcName),
		    (integer, uint32_t, lineno), (integer, uint32_t, int_loglevel),
		    (integer, uint32_t, thread), (string, threadName));
/* clang-format on */

const uint64_t *const *lttngmap_python_lttng_word(void);
void lttngmap_python_lttng_log(const char *asctime, const char *message, const char *logger,
			       const char *func, uint32_t line, uint32_t level, uint32_t thread,
			       const char *thread_name);
int lttngmap_python_is_on(int level);
void lttngmap_python_log(int level, const char *logger, const char *file, int line,
			 const char *func, const char *thread, const char *message, size_t length);

/* Does some session take messages of this level? */
int lttngmap_python_is_on(int level)
{
#define IS_ON(name, _, from)                                                                       \
	if (level >= (from))                                                                       \
		return lttngmap_tracepoint_enabled(lttngmap_python, name);
	LEVELS(IS_ON)
	return 0;
}

/* All strings are UTF-8 and end in a NUL, but for `message`, of `length` bytes. */
void lttngmap_python_log(int level, const char *logger, const char *file, int line,
			 const char *func, const char *thread, const char *message, size_t length)
{
#define WRITE(name, _, from)                                                                       \
	if (level >= (from)) {                                                                     \
		lttngmap_tracepoint(lttngmap_python, name, logger, level, file, line, func,        \
				    thread, message, length);                                      \
		return;                                                                            \
	}
	LEVELS(WRITE)
}

/*
 * Where the pointer to the word of LTTng's event is: not 0 while some session takes the event.
 * Python reads both by itself, for a call by ctypes takes as long as the rest of a message that is
 * not taken.
 */
const uint64_t *const *lttngmap_python_lttng_word(void)
{
	return &lttngmap_tracepoint_lttng_python__event.word;
}

void lttngmap_python_lttng_log(const char *asctime, const char *message, const char *logger,
			       const char *func, uint32_t line, uint32_t level, uint32_t thread,
			       const char *thread_name)
{
	lttngmap_tracepoint(lttng_python, event, asctime, message, logger, func, line, level,
			    thread, thread_name);
}
