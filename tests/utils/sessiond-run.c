/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/sessiond-run.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lttngmap/abi.h>

#include "common/base/json-message.h"
#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"

/* A busy machine may stand still for seconds. */
#define WAIT_MS 60000
#define ARGUMENTS_MAX 16

static void give_up(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static void run(const struct sessiond *sessiond, unsigned int files, va_list more)
{
	const char *build = getenv("LTTNGMAP_BUILD");
	char program[PATH_MAX];
	const char *arguments[ARGUMENTS_MAX] = { "lttngmap-sessiond", "--private",
						 "--consumer=none", "--runtime-dir",
						 sessiond->dir };
	int n = 5;

	while (n < ARGUMENTS_MAX - 1 && (arguments[n] = va_arg(more, const char *)))
		n++;
	arguments[n] = NULL;
	if (files) {
		struct rlimit limit = { files, files };

		setrlimit(RLIMIT_NOFILE, &limit);
	}
	snprintf(program, sizeof(program), "%s/lttngmap-sessiond", build ? build : ".");
	execv(program, (char *const *)arguments);
	perror(program);
	_exit(127);
}

static void wait_ready(struct sessiond *sessiond, int notify)
{
	struct pollfd ready = { .fd = notify, .events = POLLIN };
	char path[PATH_MAX], text[256];
	ssize_t size;

	if (poll(&ready, 1, WAIT_MS) != 1)
		give_up("the session daemon does not get ready");
	size = recv(notify, text, sizeof(text) - 1, 0);
	text[size > 0 ? size : 0] = '\0';
	if (!strstr(text, "READY=1"))
		give_up("the session daemon says something else than that it is ready");
	snprintf(path, sizeof(path), "%s/%s", sessiond->dir, PROTOCOL_CONTROL_SOCKET);
	if (socket_connect(path, SOCK_SEQPACKET, &sessiond->control) != 0)
		give_up(path);
	sessiond_do(sessiond, "{\"verb\": \"hello\", \"version\": 1}");
}

void sessiond_start(struct sessiond *sessiond, unsigned int files, ...)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int notify = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	va_list more;

	strcpy(sessiond->dir, "/tmp/lttngmap-test.XXXXXX");
	if (!mkdtemp(sessiond->dir))
		give_up(sessiond->dir);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/notify.sock", sessiond->dir);
	if (bind(notify, (struct sockaddr *)&address, sizeof(address)) != 0)
		give_up(address.sun_path);
	fflush(stdout);
	sessiond->pid = fork();
	if (sessiond->pid == 0) {
		setenv("NOTIFY_SOCKET", address.sun_path, 1);
		va_start(more, files);
		run(sessiond, files, more);
	}
	wait_ready(sessiond, notify);
	close(notify);
	unlink(address.sun_path);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

int sessiond_stop(struct sessiond *sessiond, int signal)
{
	int status;

	kill(sessiond->pid, signal);
	if (waitpid(sessiond->pid, &status, 0) != sessiond->pid)
		give_up("the session daemon cannot be waited for");
	close(sessiond->control);
	/* A private daemon takes its directory with it. */
	if (access(sessiond->dir, F_OK) == 0) {
		printf("# %s is left\n", sessiond->dir);
		nftw(sessiond->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
		return SESSIOND_LEFTOVERS;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* NULL: there was no answer in time. */
static struct json_object *ask_in_time(struct sessiond *sessiond, const char *request)
{
	struct json_object *answer;

	errno = -socket_send(sessiond->control, request, strlen(request), NULL, 0);
	if (errno)
		give_up(request);
	errno = -json_message_receive(sessiond->control, &answer, NULL, WAIT_MS);
	if (errno && errno != ETIMEDOUT)
		give_up(request);
	return errno ? NULL : answer;
}

static struct json_object *ask(struct sessiond *sessiond, const char *format, va_list arguments)
{
	struct json_object *answer;
	char *text;

	if (vasprintf(&text, format, arguments) < 0)
		give_up("memory");
	answer = ask_in_time(sessiond, text);
	if (!answer)
		give_up(text);
	free(text);
	return answer;
}

struct json_object *sessiond_ask(struct sessiond *sessiond, const char *format, ...)
{
	struct json_object *answer;
	va_list arguments;

	va_start(arguments, format);
	answer = ask(sessiond, format, arguments);
	va_end(arguments);
	return answer;
}

/* Puts the answer. */
static void want_ok(struct json_object *answer, const char *request)
{
	bool good = false;

	if (json_message_get_bool(answer, "ok", &good) != 0 || !good) {
		printf("# %s\n", json_object_to_json_string(answer));
		errno = EREMOTEIO;
		give_up(request);
	}
	json_object_put(answer);
}

void sessiond_do(struct sessiond *sessiond, const char *format, ...)
{
	struct json_object *answer;
	va_list arguments;

	va_start(arguments, format);
	answer = ask(sessiond, format, arguments);
	va_end(arguments);
	want_ok(answer, format);
}

bool sessiond_does(struct sessiond *sessiond, const char *request)
{
	struct json_object *answer = ask_in_time(sessiond, request);

	if (answer)
		want_ok(answer, request);
	return answer;
}

int64_t sessiond_status(struct sessiond *sessiond, const char *session, const char *key)
{
	struct json_object *answer =
		sessiond_ask(sessiond, "{\"verb\": \"status\", \"session\": \"%s\"}", session);
	uint64_t value = 0;
	bool found = json_message_get_uint64(answer, key, 0, INT64_MAX, &value) == 0;

	json_object_put(answer);
	return found ? (int64_t)value : -1;
}

/* ---- a process ------------------------------------------------------------- */

int app_connect(const struct sessiond *sessiond)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", sessiond->dir, PROTOCOL_APP_SOCKET);
	errno = -socket_connect(path, SOCK_SEQPACKET, &fd);
	if (errno)
		give_up(path);
	return fd;
}

void app_exchange(int fd, const void *bytes, size_t size, struct app_answer *answer)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	/* Not socket_send(): an empty message is to go out too. */
	ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);

	answer->nr_fds = sizeof(answer->fds) / sizeof(answer->fds[0]);
	answer->size = -errno;
	if (sent < 0 && errno != EPIPE && errno != ECONNRESET) {
		answer->nr_fds = 0;
		return;
	}
	answer->size = -ETIMEDOUT;
	if (poll(&wait, 1, WAIT_MS) != 1) {
		answer->nr_fds = 0;
		return;
	}
	answer->size = socket_receive(fd, answer->bytes, sizeof(answer->bytes), 0, answer->fds,
				      &answer->nr_fds);
	if (answer->size <= 0)
		answer->nr_fds = 0;
}

uint16_t app_abi_minor = LTTNGMAP_ABI_MINOR;

void app_register(int fd, uint32_t flags, const void *classes, size_t size, uint32_t nr_classes,
		  struct app_answer *answer)
{
	static char bytes[PROTOCOL_APP_MESSAGE_MAX];
	struct protocol_app_register message = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_REGISTER,
			    .size = (uint32_t)(sizeof(message) + size) },
		.abi_major = LTTNGMAP_ABI_MAJOR,
		.abi_minor = app_abi_minor,
		.flags = flags,
		.word_size = sizeof(long),
		.nr_classes = nr_classes,
		.procname = "test program",
	};

	memcpy(bytes, &message, sizeof(message));
	if (size)
		memcpy(bytes + sizeof(message), classes, size);
	app_exchange(fd, bytes, sizeof(message) + size, answer);
}

void app_close_fds(struct app_answer *answer)
{
	while (answer->nr_fds > 0)
		close(answer->fds[--answer->nr_fds]);
}

const struct protocol_app_slot *app_rings(const struct app_answer *answer)
{
	const struct protocol_app_slots *slots =
		(const void *)(answer->bytes +
			       protocol_app_slots_offset(answer->registered.nr_ids));

	return answer->nr_fds > PROTOCOL_APP_FD_RINGS ? &slots->slots[0] : NULL;
}

uint64_t app_rings_control_at(const struct protocol_app_slot *rings)
{
	return (rings->data + 4095) & ~UINT64_C(4095);
}
