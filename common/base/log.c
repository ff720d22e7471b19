/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include "common/base/name.h"

#define LINE_SIZE 2048

static const char *log_program = "lttngmap";
static enum log_level log_shown = LOG_LEVEL_INFO;
static bool log_to_journal;

static pthread_mutex_t limit_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	unsigned int at_once; /* 0: no limit */
	unsigned int left;
	time_t since;           /* when `left` was right */
	unsigned int not_shown; /* since one was */
} limit;

static const struct {
	const char *journal; /* sd-daemon(3) */
	const char *word;
	int priority; /* syslog(3) */
} levels[] = {
	[LOG_LEVEL_ERROR] = { SD_ERR, "error: ", LOG_ERR },
	[LOG_LEVEL_WARNING] = { SD_WARNING, "warning: ", LOG_WARNING },
	[LOG_LEVEL_INFO] = { SD_INFO, "", LOG_INFO },
	[LOG_LEVEL_DEBUG] = { SD_DEBUG, "debug: ", LOG_DEBUG },
};

/* The variable is inherited by children whose standard error is another: compare. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat status;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       fstat(STDERR_FILENO, &status) == 0 && status.st_dev == device &&
	       status.st_ino == inode;
}

void log_init(const char *program)
{
	log_program = program;
	log_to_journal = stderr_is_journal();
}

void log_set_level(enum log_level level)
{
	__atomic_store_n(&log_shown, level, __ATOMIC_RELAXED);
}

void log_set_limit(unsigned int at_once)
{
	pthread_mutex_lock(&limit_lock);
	limit.at_once = at_once;
	limit.left = at_once;
	pthread_mutex_unlock(&limit_lock);
}

/* `more` goes behind the message. */
static bool may_show(char more[64])
{
	struct timespec now;
	bool may;

	more[0] = '\0';
	pthread_mutex_lock(&limit_lock);
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec - limit.since >= limit.at_once - limit.left)
		limit.left = limit.at_once;
	else
		limit.left += (unsigned int)(now.tv_sec - limit.since);
	limit.since = now.tv_sec;
	may = limit.at_once == 0 || limit.left > 0;
	if (!may) {
		limit.not_shown++;
	} else if (limit.at_once > 0) {
		limit.left--;
		if (limit.not_shown > 0)
			snprintf(more, 64, " (%u messages before it were not shown)",
				 limit.not_shown);
		limit.not_shown = 0;
	}
	pthread_mutex_unlock(&limit_lock);
	return may;
}

/* 0 or -errno. */
static int write_line(const char *line, size_t length)
{
	while (length > 0) {
		ssize_t written = write(STDERR_FILENO, line, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? -errno : -EIO;
		line += written;
		length -= (size_t)written;
	}
	return 0;
}

void log_message(enum log_level level, const char *format, ...)
{
	int saved = errno;
	char line[LINE_SIZE], more[64];
	va_list arguments;
	size_t start, length;

	if (level > __atomic_load_n(&log_shown, __ATOMIC_RELAXED) || !may_show(more)) {
		errno = saved;
		return;
	}
	snprintf(line, sizeof(line) - 1, "%s%s: %s", log_to_journal ? levels[level].journal : "",
		 log_program, levels[level].word);
	start = strlen(line);
	va_start(arguments, format);
	errno = saved; /* for %m */
	vsnprintf(line + start, sizeof(line) - sizeof(more) - start, format, arguments);
	va_end(arguments);
	strcat(line + start, more);
	length = strlen(line);
	name_clean_line(line + start);
	line[length] = '\n';
	if (write_line(line, length + 1) == -EPIPE) {
		line[length] = '\0';
		/* It names the program itself. */
		syslog(LOG_DAEMON | levels[level].priority, "%s%s", levels[level].word,
		       line + start);
	}
	errno = saved;
}
