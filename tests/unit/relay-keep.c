/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-keep.c - who sends is started again when it is killed, is told what its parent is
 * told, and is given up when it dies again and again.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/relay/relay-keep.h"
#include "relay/presence.h"
#include "tests/utils/tap.h"

static char folder[] = "/tmp/lttngmap-keep-XXXXXX";
static struct relay_config config = {
	.url = { .host = "127.0.0.1", .control = "5342" },
	.output = folder,
	.is_spool = true,
};
/* Shared with all children. */
static struct counts {
	int lives, deaths; /* that it has, that it is to die first */
	int presence, second, told;
	volatile pid_t sender;
} * counts;

static volatile sig_atomic_t told;

static void on_signal(int number)
{
	told = number;
}

static int send_trace(void *data)
{
	counts->lives++;
	counts->presence = presence_look(folder, &config.url, true);
	counts->second = relay_keep(&config, send_trace, data);
	if (counts->lives <= counts->deaths)
		raise(SIGKILL);
	return 7;
}

/* Until it was told to end. */
static int send_on(void *data)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t none;

	(void)data;
	counts->lives++;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigemptyset(&none);
	counts->sender = getpid();
	while (!told)
		sigsuspend(&none);
	counts->told = told;
	/* It was to finish, and is killed before it has. */
	if (counts->lives <= counts->deaths)
		raise(SIGKILL);
	return 3;
}

static pid_t keep_in_child(int deaths)
{
	pid_t pid;

	*counts = (struct counts){ .deaths = deaths };
	pid = fork();
	if (pid == 0)
		_exit(relay_keep(&config, send_on, NULL) & 0xff);
	while (!counts->sender)
		usleep(1000);
	return pid;
}

static int status_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void run(int deaths, int lives, int status, const char *name)
{
	pid_t pid;

	*counts = (struct counts){ .deaths = deaths };
	pid = fork();
	if (pid == 0)
		_exit(relay_keep(&config, send_trace, NULL) & 0xff);
	is(status_of(pid), status, name);
	is(counts->lives, lives, "  ... after so many lives");
}

int main(void)
{
	pid_t pid;

	plan(19);
	/* Its warnings are not this test's. */
	dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (counts == MAP_FAILED || !mkdtemp(folder))
		return 1;
	is(presence_look(folder, &config.url, true), 0, "where nobody was, nobody is");
	run(0, 1, 7, "one that ends by itself: its status");
	is(counts->presence, 1, "it can be seen that somebody sends");
	is(counts->second, -EBUSY, "and there is no second one");
	is(presence_look(folder, &config.url, true), 0, "nor anybody afterwards");
	run(2, 3, 7, "one that is killed is started again");
	is(counts->presence, 1, "somebody is there all the time");
	run(1000, 10, 1, "one that always dies is given up");

	pid = keep_in_child(2);
	kill(pid, SIGTERM);
	is(status_of(pid), 3, "one that is to finish, and killed");
	is(counts->lives, 3, "  ... is started again");
	is(counts->told, SIGTERM, "  ... and told to finish");
	pid = keep_in_child(1);
	kill(pid, SIGINT);
	is(status_of(pid), 1, "one that is to give up, and killed");
	is(counts->lives, 1, "  ... is not started again");

	(void)signal(SIGHUP, SIG_IGN);
	pid = keep_in_child(0);
	kill(pid, SIGHUP);
	usleep(50000); /* in which nothing is to end */
	kill(pid, SIGTERM);
	is(status_of(pid), 3, "under nohup, the end of a terminal is none");
	is(counts->told, SIGTERM, "  ... nor its child's");

	config.output = "/nonexistent";
	is(relay_keep(&config, send_trace, NULL), -ENOENT, "a folder that is not there");
	{
		char path[sizeof(folder) + sizeof("/" RELAY_PROGRESS_NAME)];

		snprintf(path, sizeof(path), "%s/%s", folder, RELAY_PROGRESS_NAME);
		unlink(path);
		rmdir(folder);
	}
	return done_testing();
}
