/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * log.h - messages to people, on standard error:
 *
 *   lttngmap-sessiond: warning: what failed, on what: what to do about it
 *
 * One write(2) a message, so that messages of several processes do not mix.
 * Where standard error is a pipe that nobody reads any more, as for a daemon
 * that was started in the background, they go to syslog(3).
 * No time: whoever keeps logs adds it. Under systemd (standard error is the
 * journal, as $JOURNAL_STREAM says) the level goes as sd-daemon(3) has it.
 * Control characters, which may come from a traced program's name, are shown
 * as '?'.
 *
 * Any thread; not for signal handlers. Keeps errno.
 */
#ifndef COMMON_BASE_LOG_H
#define COMMON_BASE_LOG_H

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARNING,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
};

/* First thing in main. `program` is kept as it is, not copied. */
void log_init(const char *program);
/* The least severe level that is shown; LOG_LEVEL_INFO to begin with. */
void log_set_level(enum log_level level);

/*
 * From now on this process has so many messages at once, and one more each second; a message that
 * is shown says how many before it were not. 0, to begin with: there is no limit.
 */
void log_set_limit(unsigned int at_once);

/* One message, without a newline at its end; cut at some 2000 bytes. */
void log_message(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#define log_error(...) log_message(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_message(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...) log_message(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_message(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif /* COMMON_BASE_LOG_H */
