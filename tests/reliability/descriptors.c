/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A daemon of 64 descriptors and 500 programs that want to be traced: those
 * there is no room for are told so, commands are answered, the daemon does not
 * spin, and when the crowd is gone others are traced at once.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/json-message.h"
#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"
#include "tests/utils/siege.h"
#include "tests/utils/tap.h"

#define LIMIT 64
#define PROGRAMS 500
/* At once: this is for machines that stand still for a while. */
#define RECOVER_US 5000000
/* Refused ones come again, as programs that start do, for so long. */
#define SHORTAGE_US 1500000

static struct sessiond sessiond;

struct round {
	int registered;
	int refused;
	int untold;
	int worded;
	int64_t cpu_percent;
	int64_t recovered_us;
	bool commanded;
};

/* A program: registers, says how that went, and lives on where it is traced. */
static void be_program(int results)
{
	static struct app_answer answer;
	int fd = app_connect(&sessiond);
	char result = '?';

	app_register(fd, 0, NULL, 0, 0, &answer);
	if (answer.size > 0 && answer.header.type == PROTOCOL_APP_REGISTERED)
		result = 'r';
	else if (answer.size > 0 && answer.header.type == PROTOCOL_APP_REFUSED)
		result = strstr(answer.refused.message, "ulimit -n") ? 'w' : '-';
	if (write(results, &result, 1) != 1)
		_exit(1);
	if (result == 'r')
		pause();
	_exit(0);
}

static void count_results(int results, struct round *round)
{
	struct pollfd wait = { .fd = results, .events = POLLIN };
	char result;

	for (int i = 0; i < PROGRAMS; i++) {
		if (poll(&wait, 1, 20000) != 1 || read(results, &result, 1) != 1) {
			round->untold = PROGRAMS - i;
			return;
		}
		round->registered += result == 'r';
		round->refused += result == 'w' || result == '-';
		round->worded += result == 'w';
		round->untold += result == '?';
	}
}

/* A command of somebody who was not connected before. */
static bool can_command(void)
{
	struct json_object *request = json_object_new_object(), *answer = NULL;
	char path[128];
	bool good = false;
	int fd = -1;

	json_object_object_add(request, "verb", json_object_new_string("hello"));
	json_object_object_add(request, "version", json_object_new_int(PROTOCOL_CONTROL_VERSION));
	snprintf(path, sizeof(path), "%s/%s", sessiond.dir, PROTOCOL_CONTROL_SOCKET);
	if (socket_connect(path, SOCK_SEQPACKET, &fd) == 0 &&
	    json_message_send(fd, request, -1, 20000) == 0 &&
	    json_message_receive(fd, &answer, NULL, 20000) == 0)
		json_message_get_bool(answer, "ok", &good);
	json_object_put(request);
	json_object_put(answer);
	if (fd >= 0)
		close(fd);
	return good;
}

/* While nothing is to be had: others who try now and then, and a command. */
static void watch_shortage(struct round *round)
{
	int64_t begin = siege_now_us(), cpu = siege_cpu_us(sessiond.pid), passed;

	round->commanded = can_command();
	while ((passed = siege_now_us() - begin) < SHORTAGE_US) {
		if (siege_register(&sessiond) >= 0)
			diag("somebody found room");
		usleep(50000);
	}
	round->cpu_percent = (siege_cpu_us(sessiond.pid) - cpu) * 100 / passed;
}

static struct round run_round(void)
{
	struct round round = { .registered = 0 };
	static pid_t children[PROGRAMS];
	int64_t begin;
	int results[2];

	if (pipe(results) != 0)
		bail_out("pipe");
	fflush(stdout);
	for (int i = 0; i < PROGRAMS; i++) {
		children[i] = fork();
		if (children[i] == 0)
			be_program(results[1]);
		if (children[i] < 0)
			bail_out("fork: %s", strerror(errno));
	}
	count_results(results[0], &round);
	watch_shortage(&round);
	begin = siege_now_us();
	for (int i = 0; i < PROGRAMS; i++)
		kill(children[i], SIGKILL);
	for (int i = 0; i < PROGRAMS; i++)
		waitpid(children[i], NULL, 0);
	while (siege_register(&sessiond) < 0 && siege_now_us() - begin < 10 * RECOVER_US)
		usleep(5000);
	round.recovered_us = siege_now_us() - begin;
	close(results[0]);
	close(results[1]);
	return round;
}

int main(void)
{
	int64_t end = siege_now_us() + (int64_t)siege_seconds(0) * 1000000;
	struct round round, worst = { .registered = 0 };
	int rounds = 0;

	sessiond_start(&sessiond, LIMIT, "--mediator=ring-socket", "--no-supervise", NULL);
	do {
		round = run_round();
		rounds++;
		if (rounds == 1 || round.recovered_us > worst.recovered_us)
			worst.recovered_us = round.recovered_us;
		if (round.cpu_percent > worst.cpu_percent)
			worst.cpu_percent = round.cpu_percent;
		if (!(round.registered > 0 && round.registered < PROGRAMS && round.untold == 0 &&
		      round.worded == round.refused && round.commanded))
			break;
	} while (siege_now_us() < end);

	ok(round.registered > 0 && round.registered < PROGRAMS, "%d of %d programs are traced",
	   round.registered, PROGRAMS);
	is(round.untold, 0, "all others are told that they are not");
	is(round.worded, round.refused, "and what to do about it");
	ok(round.commanded, "commands are answered meanwhile");
	ok(siege_is_sanitized() || worst.cpu_percent < 5,
	   "the daemon takes %lld %% of a CPU meanwhile", (long long)worst.cpu_percent);
	ok(worst.recovered_us <= RECOVER_US, "%lld ms after they are gone there is room again",
	   (long long)worst.recovered_us / 1000);
	ok(kill(sessiond.pid, 0) == 0, "the daemon lives on");
	is(sessiond_stop(&sessiond, SIGTERM), 0, "and ends well");
	tap_figure(7,
		   "%d registrations at a limit of %d descriptors: %d traced, %d refused, again "
		   "served after %lld ms at most, %lld %% of a CPU meanwhile, %d rounds",
		   PROGRAMS, LIMIT, round.registered, round.refused,
		   (long long)worst.recovered_us / 1000, (long long)worst.cpu_percent, rounds);
	return done_testing();
}
