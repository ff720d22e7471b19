/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * reused-pid.c - a stranger connects to root's daemon, leaves its end of the socket to a child,
 * and ends. A victim gets its pid and is traced. Then the stranger's child registers over the old
 * socket, whose credentials name the victim's pid. The victim stays traced.
 *
 * Takes root, who may choose a pid.
 */
#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"
#include "tests/utils/reused-pid.h"
#include "tests/utils/sessiond-run.h"
#include "tests/utils/tap.h"

#define STRANGER 64126
#define VICTIM 64127

static struct sessiond sessiond;
static struct app_answer answer;

/* A pipe over which a child is told to go on, or tells that it is somewhere. */
struct gate {
	int to, from;
};

static struct gate gate_make(void)
{
	int ends[2];

	if (pipe(ends) != 0)
		bail_out("pipe");
	return (struct gate){ .to = ends[1], .from = ends[0] };
}

static void gate_open(const struct gate *gate, char byte)
{
	if (write(gate->to, &byte, 1) != 1)
		bail_out("a pipe");
}

static char gate_wait(const struct gate *gate)
{
	char byte = 0;

	return read(gate->from, &byte, 1) == 1 ? byte : 0;
}

/* What the stranger's child says over the socket: what became of it. */
static char register_late(int fd)
{
	app_register(fd, 0, NULL, 0, 0, &answer);
	return answer.size > 0 && answer.header.type == PROTOCOL_APP_REGISTERED ? 'r' : 'n';
}

/* The pid of a stranger that has ended; its child holds what it connected, and goes on at `go`. */
static pid_t leave_socket(const struct gate *go, const struct gate *done)
{
	pid_t child = fork();

	if (child == 0) {
		int fd;

		if (setresuid(STRANGER, STRANGER, STRANGER) != 0)
			_exit(1);
		fd = app_connect(&sessiond);
		if (fork() == 0) {
			(void)gate_wait(go);
			gate_open(done, register_late(fd));
			_exit(0);
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return child;
}

/* A traced process of another user with the stranger's pid. */
static pid_t start_victim(pid_t pid, const struct gate *ready)
{
	pid_t child = fork_as(pid);

	if (child == 0) {
		int fd;

		if (setresuid(VICTIM, VICTIM, VICTIM) != 0)
			_exit(1);
		fd = app_connect(&sessiond);
		gate_open(ready, register_late(fd));
		for (;;)
			pause();
	}
	if (child != pid)
		bail_out("pid %d cannot be had again: %s", pid, strerror(errno));
	return child;
}

int main(void)
{
	struct gate go, done, ready;
	int64_t unanswered;
	pid_t pid, victim;

	if (geteuid() != 0)
		skip_all("who may choose a process id is root");
	sessiond_start(&sessiond, 0, "--no-supervise", NULL);
	if (chmod(sessiond.dir, 0711) != 0)
		bail_out("%s", sessiond.dir);
	sessiond_do(&sessiond, "{\"verb\": \"create\", \"session\": \"s\", \"output\": \"/x\"}");
	sessiond_do(&sessiond, "{\"verb\": \"channel\", \"session\": \"s\", \"channel\": \"c\", "
			       "\"subbuf_size\": 4096, \"subbufs\": 4, \"mode\": \"discard\"}");
	sessiond_do(&sessiond, "{\"verb\": \"start\", \"session\": \"s\"}");
	go = gate_make();
	done = gate_make();
	ready = gate_make();

	pid = leave_socket(&go, &done);
	victim = start_victim(pid, &ready);
	is(gate_wait(&ready), 'r', "the victim is registered");
	is(sessiond_status(&sessiond, "s", "alive"), 1, "and traced");
	unanswered = sessiond_status(&sessiond, "s", "unanswered");

	gate_open(&go, 'g');
	is(gate_wait(&done), 'n', "a socket of who had its pid registers nobody");
	/* The end of who should not have been registered would be seen by then. */
	usleep(200000);
	is(sessiond_status(&sessiond, "s", "alive"), 1, "the victim is traced still");
	is(sessiond_status(&sessiond, "s", "processes"), 1, "as the only one");
	is(sessiond_status(&sessiond, "s", "unanswered"), unanswered + 1,
	   "who was not registered is counted");

	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
	is(sessiond_stop(&sessiond, SIGTERM), 0, "the daemon ends well");
	return done_testing();
}
