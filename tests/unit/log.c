/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* log.c - messages to people are one line each, and harmless. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "common/base/log.h"
#include "tests/utils/tap.h"

static int pipe_fds[2];
static int real_stderr;

static int logged_priority;
static char logged[256];

/* In place of the C library's; and as it is called where sources are fortified. */
void __syslog_chk(int priority, int flag, const char *format, ...);

void syslog(int priority, const char *format, ...)
{
	va_list arguments;

	logged_priority = priority;
	va_start(arguments, format);
	vsnprintf(logged, sizeof(logged), format, arguments);
	va_end(arguments);
}

void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list arguments;

	(void)flag;
	logged_priority = priority;
	va_start(arguments, format);
	vsnprintf(logged, sizeof(logged), format, arguments);
	va_end(arguments);
}

/* What has been said since the last call. */
static const char *said(void)
{
	static char text[8192];
	ssize_t size = read(pipe_fds[0], text, sizeof(text) - 1);

	text[size > 0 ? size : 0] = '\0';
	return text;
}

static void check_levels(void)
{
	log_error("cannot open %s", "x");
	is_string(said(), "test: error: cannot open x\n", "an error");
	log_warning("%d lost", 3);
	is_string(said(), "test: warning: 3 lost\n", "a warning");
	log_info("ready");
	is_string(said(), "test: ready\n", "news");
	log_debug("detail");
	is_string(said(), "", "details are not shown");
	log_set_level(LOG_LEVEL_DEBUG);
	log_debug("detail");
	is_string(said(), "test: debug: detail\n", "unless they are wanted");
	log_set_level(LOG_LEVEL_ERROR);
	log_warning("hidden");
	is_string(said(), "", "warnings can be hidden");
	log_set_level(LOG_LEVEL_INFO);
}

static void check_content(void)
{
	char long_text[4096];
	const char *text;

	log_info("a\nb\033[1m\x7f %s\xc2\x9b", "\xc3\xa4");
	is_string(said(), "test: a?b?[1m? \xc3\xa4??\n", "control characters are shown as such");
	memset(long_text, 'a', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	log_info("%s", long_text);
	text = said();
	ok(strlen(text) > 1000 && strlen(text) < 2049 && text[strlen(text) - 1] == '\n',
	   "a long message is cut, and still a line");
	errno = ENOENT;
	log_info("%m");
	is(errno, ENOENT, "errno is kept");
	ok(strstr(said(), "No such file"), "and can be told");
}

static void check_journal(void)
{
	struct stat status;
	char stream[64];

	fstat(pipe_fds[1], &status);
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)status.st_dev,
		 (unsigned long long)status.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	log_init("test");
	log_warning("x");
	is_string(said(), "<4>test: warning: x\n", "the journal is told the level");
	setenv("JOURNAL_STREAM", "1:1", 1);
	log_init("test");
	log_warning("x");
	is_string(said(), "test: warning: x\n", "what is not the journal is not");
}

static void check_limit(void)
{
	const char *text;

	log_set_limit(3);
	log_info("1");
	log_info("2");
	log_info("3");
	is_string(said(), "test: 1\ntest: 2\ntest: 3\n", "so many messages at once");
	/* Where a second passed meanwhile, there is one more. */
	for (int i = 0; i < 100; i++)
		log_info("x");
	text = strchr(said(), '\n');
	ok(!text || text[1] == '\0', "and then one a second at most");
	do {
		usleep(20000); /* a look each */
		log_info("y");
		text = said();
	} while (*text == '\0');
	ok(strstr(text, "messages before it were not shown)\n"), "which says how many were not");
	log_set_limit(0);
	log_info("1");
	is_string(said(), "test: 1\n", "there may be no limit");
}

static void check_nobody_reads(void)
{
	is_string(logged, "", "what is read goes to no other place");
	signal(SIGPIPE, SIG_IGN);
	close(pipe_fds[0]);
	errno = ENOENT;
	log_warning("x");
	is(errno, ENOENT, "nobody reads: errno is kept");
	is_string(logged, "warning: x", "nobody reads: the system's log has it");
	is(logged_priority, LOG_DAEMON | LOG_WARNING, "nobody reads: with its level");
}

int main(void)
{
	unsetenv("JOURNAL_STREAM");
	if (pipe2(pipe_fds, O_NONBLOCK | O_CLOEXEC) < 0)
		bail_out("no pipe");
	real_stderr = dup(STDERR_FILENO);
	dup2(pipe_fds[1], STDERR_FILENO);
	log_init("test");
	check_levels();
	check_content();
	check_journal();
	check_limit();
	check_nobody_reads();
	dup2(real_stderr, STDERR_FILENO);
	return done_testing();
}
