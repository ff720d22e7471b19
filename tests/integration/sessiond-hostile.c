/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Whoever talks nonsense to app.sock, says nothing at all, or asks for more
 * than there is, harms himself only.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <lttngmap/abi.h>

#include "tests/utils/class-wire.h"
#include "tests/utils/sessiond-run.h"
#include "tests/utils/tap.h"

static struct sessiond sessiond;
static struct app_answer answer;

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int count_fds(void)
{
	char command[64];
	FILE *list;
	int count = -1;

	snprintf(command, sizeof(command), "ls /proc/%d/fd | wc -l", (int)sessiond.pid);
	list = popen(command, "r");
	if (!list || fscanf(list, "%d", &count) != 1)
		count = -1;
	if (list)
		pclose(list);
	return count;
}

/* Registers, and is gone again. */
static bool can_register(void)
{
	int fd = app_connect(&sessiond);
	bool good;

	app_register(fd, 0, NULL, 0, 0, &answer);
	good = answer.size > 0 && answer.header.type == PROTOCOL_APP_REGISTERED;
	app_close_fds(&answer);
	close(fd);
	return good;
}

static struct protocol_app_register right(void)
{
	return (struct protocol_app_register){
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_REGISTER,
			    .size = sizeof(struct protocol_app_register) },
		.abi_major = LTTNGMAP_ABI_MAJOR,
		.word_size = sizeof(long),
	};
}

static void refused(const void *bytes, size_t size, int error, const char *name)
{
	int fd = app_connect(&sessiond);
	char byte;

	app_exchange(fd, bytes, size, &answer);
	if (error == 0) {
		ok(answer.size <= 0, "%s: closed without a word", name);
	} else {
		bool is_refused = answer.size == sizeof(struct protocol_app_refused) &&
				  answer.header.type == PROTOCOL_APP_REFUSED &&
				  answer.refused.error == error;

		ok(is_refused, "%s: refused: %.107s", name,
		   answer.size > 0 ? answer.refused.message : "?");
		/* Who is served stays connected. */
		ok(is_refused && recv(fd, &byte, 1, 0) <= 0, "then closed");
	}
	close(fd);
}

static void test_messages(void)
{
	static char large[PROTOCOL_APP_MESSAGE_MAX + 100];
	struct protocol_app_register message = right();
	struct protocol_app_memory memory = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_MEMORY,
			    .size = sizeof(memory) },
	};
	int fd;

	refused("", 0, 0, "an empty message");
	refused("hello", 5, 0, "text");
	refused(&message, sizeof(message) - 4, EBADMSG, "a message cut short");
	refused(large, sizeof(large), EMSGSIZE, "a message too large");
	refused(&memory, sizeof(memory), EPROTO, "memory before registration");
	message.header.major = 7;
	refused(&message, sizeof(message), EPROTONOSUPPORT, "another protocol");
	message = right();
	message.abi_major = 7;
	refused(&message, sizeof(message), EPROTONOSUPPORT, "another ABI");
	message = right();
	message.word_size = 4;
	refused(&message, sizeof(message), EPROTONOSUPPORT, "another word size");
	message = right();
	message.nr_classes = 5;
	refused(&message, sizeof(message), EBADMSG, "classes that are not there");
	message = right();
	message.flags = PROTOCOL_APP_FORKED;
	refused(&message, sizeof(message), ESTALE, "the child of a stranger");

	fd = app_connect(&sessiond);
	app_register(fd, 0, NULL, 0, 0, &answer);
	app_close_fds(&answer);
	message.instance = answer.registered.instance;
	message.parent = answer.registered.token + (UINT64_C(1) << 32);
	refused(&message, sizeof(message), ESTALE, "a child that guesses its parent");
	message.parent = 0;
	refused(&message, sizeof(message), ESTALE, "and one that knows none");
	close(fd);

	fd = app_connect(&sessiond);
	app_register(fd, 0, NULL, 0, 0, &answer);
	app_close_fds(&answer);
	message = right();
	app_exchange(fd, &message, sizeof(message), &answer);
	ok(answer.header.type == PROTOCOL_APP_REFUSED && answer.refused.error == EALREADY,
	   "registered twice over one socket: refused");
	close(fd);
	ok(can_register(), "others are served all the same");
}

/* Right messages with a few bytes changed, over a right class. */
static void test_mutations(void)
{
	struct class_wire wire = { .size = 0 };
	struct protocol_app_register message = right();
	char bytes[512];
	size_t size;
	int served = 0;

	class_wire_class(&wire, "test", "event", 2);
	class_wire_field(&wire, 1, 4, 0, 10, 0, "number");
	class_wire_enum(&wire, 4, 0, "kind", "kinds", 1);
	class_wire_value(&wire, "label", 0, 1);
	message.header.size = (uint32_t)(sizeof(message) + wire.size);
	message.nr_classes = 1;
	size = message.header.size;
	srandom(20261);
	for (int i = 0; i < 1500; i++) {
		int fd = app_connect(&sessiond);

		memcpy(bytes, &message, sizeof(message));
		memcpy(bytes + sizeof(message), wire.bytes, wire.size);
		for (int change = 1 + (int)(random() % 3); change > 0; change--)
			bytes[random() % (long)size] = (char)random();
		app_exchange(fd, bytes, size, &answer);
		served += answer.size > 0 && answer.header.type == PROTOCOL_APP_REGISTERED;
		if (answer.size == -ETIMEDOUT)
			ok(false, "message %d was not answered", i);
		app_close_fds(&answer);
		close(fd);
	}
	diag("%d of 1500 changed messages were good enough", served);
	ok(kill(sessiond.pid, 0) == 0 && can_register(), "changed messages did no harm");
}

/* Connected, and silent. */
static void test_silence(void)
{
	struct pollfd silent[100];
	int64_t begin = now_ms(), slowest = 0, closed;
	int open = 0;

	for (int i = 0; i < 100; i++)
		silent[i] = (struct pollfd){ .fd = app_connect(&sessiond), .events = POLLIN };
	for (int i = 0; i < 50; i++) {
		int64_t start = now_ms();

		if (!can_register())
			slowest = 100000;
		if (now_ms() - start > slowest)
			slowest = now_ms() - start;
	}
	ok(slowest < 500, "others register meanwhile, in %lld ms at most", (long long)slowest);
	/* The last to have connected is the last to go. */
	poll(&silent[99], 1, 8000);
	closed = now_ms() - begin;
	ok(closed >= 3500 && closed < 6000, "who says nothing is closed after %lld ms",
	   (long long)closed);
	poll(silent, 100, 0);
	for (int i = 0; i < 100; i++) {
		open += !(silent[i].revents & POLLHUP);
		close(silent[i].fd);
	}
	is(open, 0, "all of them");
}

/* Half-open connections of one user, all at once; was the first dropped within 2 s? */
static bool is_first_dropped(uid_t uid)
{
	enum { CROWD = 600 };
	static int fds[CROWD];
	struct pollfd first;
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0)
			_exit(2);
		for (int i = 0; i < CROWD; i++)
			fds[i] = app_connect(&sessiond);
		first = (struct pollfd){ .fd = fds[0], .events = POLLIN };
		_exit(poll(&first, 1, 2000) != 1);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return false;
	return WEXITSTATUS(status) == 0;
}

/* One user's half-open connections leave room; but all may register at once that one starts. */
static void test_crowd(void)
{
	ok(!is_first_dropped(geteuid()), "many of the daemon's own user at once: none is dropped");
	ok(can_register(), "and there is room");
	if (geteuid() != 0) {
		skip(2, "only root can be another user");
		return;
	}
	if (chmod(sessiond.dir, 0711) != 0)
		bail_out("%s", sessiond.dir);
	ok(is_first_dropped(65534), "too many of another user: the oldest goes at once");
	ok(can_register(), "and there is room");
}

static void test_descriptors(void)
{
	enum { MANY = 200 };
	pid_t children[MANY];
	int results[2], registered = 0, told = 0;
	char result;
	int64_t begin;

	if (pipe(results) != 0)
		bail_out("pipe");
	fflush(stdout);
	for (int i = 0; i < MANY; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			int fd = app_connect(&sessiond);
			bool good;

			app_register(fd, 0, NULL, 0, 0, &answer);
			good = answer.size > 0 && answer.header.type == PROTOCOL_APP_REGISTERED;
			if (write(results[1], good ? "r" : "-", 1) != 1)
				_exit(1);
			if (good)
				pause();
			_exit(0);
		}
	}
	/* Those that wait to be accepted at all are not answered now. */
	for (struct pollfd wait = { results[0], POLLIN, 0 }; poll(&wait, 1, 500) == 1;) {
		if (read(results[0], &result, 1) != 1)
			break;
		told++;
		registered += result == 'r';
	}
	diag("%d of %d registered, %d refused", registered, MANY, told - registered);
	ok(registered > 0 && registered < MANY, "more processes than descriptors: some are traced");
	is(told, MANY, "and all others are told");
	ok(kill(sessiond.pid, 0) == 0, "the daemon lives on");
	for (int i = 0; i < MANY; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	begin = now_ms();
	while (!can_register() && now_ms() - begin < 5000)
		usleep(10000);
	ok(now_ms() - begin < 1000, "%lld ms after they are gone there is room again",
	   (long long)(now_ms() - begin));
	close(results[0]);
	close(results[1]);
}

int main(void)
{
	int fds;

	sessiond_start(&sessiond, 0, "--mediator=ring-socket", "--per-user=descriptors=512", NULL);
	can_register();
	/* Its supervisor watches it soon. */
	for (int i = fds = 0; i < 50; i++) {
		int now = count_fds();

		fds = now > fds ? now : fds;
		usleep(20000); /* a look each, for a second */
	}
	test_messages();
	test_mutations();
	test_silence();
	test_crowd();
	for (int i = 0; i < 100 && count_fds() > fds; i++)
		usleep(20000);
	ok(fds > 0 && count_fds() <= fds, "and no descriptor is left over");
	is(sessiond_stop(&sessiond, SIGTERM), 0, "the daemon ends well");

	sessiond_start(&sessiond, 64, "--mediator=ring-socket", NULL);
	test_descriptors();
	is(sessiond_stop(&sessiond, SIGTERM), 0, "this one too");
	return done_testing();
}
