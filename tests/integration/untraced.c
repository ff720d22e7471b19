/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Processes of one user say that others were not traced (UNTRACED). They cannot take another
 * user's processes out of a session, nor its entries. A session that stops counts those of them
 * that wait to be registered. Takes root, for only root can be two users.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lttngmap/abi.h>

#include "common/base/json-message.h"
#include "tests/utils/class-wire.h"
#include "tests/utils/sessiond-run.h"
#include "tests/utils/tap.h"

#define MALLORY 64123
#define HONEST 65534
/* More than the daemon serves of one user in a second. */
#define PER_USER "--per-user=messages=100"
#define WAITING 300

static struct sessiond sessiond;
static struct app_answer answer;
static int told[2]; /* a byte: a child did what it was to do */

static void become(uid_t uid)
{
	if (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0)
		_exit(1);
}

static int join(void)
{
	int fd = app_connect(&sessiond);

	app_register(fd, 0, NULL, 0, 0, &answer);
	if (answer.size <= 0 || answer.header.type != PROTOCOL_APP_REGISTERED)
		_exit(1);
	return fd;
}

static void say_untraced(int fd, pid_t pid, const char *name)
{
	struct protocol_app_untraced message = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .minor = PROTOCOL_APP_MINOR,
			    .type = PROTOCOL_APP_UNTRACED,
			    .size = sizeof(message) },
		.pid = (uint32_t)pid,
	};

	snprintf(message.procname, sizeof(message.procname), "%s", name);
	if (send(fd, &message, sizeof(message), MSG_NOSIGNAL) != sizeof(message))
		_exit(1);
}

/* All messages before have been served when this one is answered. */
static void settle(int fd)
{
	static struct class_wire wire;
	struct {
		struct protocol_app_classes head;
		unsigned char bytes[64];
	} message;

	wire.size = 0;
	class_wire_class(&wire, "settle", "it", 0);
	message.head = (struct protocol_app_classes){
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_CLASSES,
			    .size = (uint32_t)(sizeof(message.head) + wire.size) },
		.nr_classes = 1,
	};
	memcpy(message.bytes, wire.bytes, wire.size);
	app_exchange(fd, &message, message.head.header.size, &answer);
}

static void tell_and_wait(void)
{
	if (write(told[1], "x", 1) != 1)
		_exit(1);
	pause();
	_exit(0);
}

/* A registered process of the user does `what`; returns when it has. */
static pid_t start(uid_t uid, void (*what)(int fd))
{
	char byte;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int fd;

		become(uid);
		fd = join();
		if (what)
			what(fd);
		settle(fd);
		tell_and_wait();
	}
	if (pid < 0 || read(told[0], &byte, 1) != 1)
		bail_out("no process");
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int64_t status(const char *key)
{
	return sessiond_status(&sessiond, "s", key);
}

/* How often the name was counted as forked, of that user's processes, or, for -1, of all. */
static int64_t count_by(const char *name, int64_t uid)
{
	struct json_object *all =
		sessiond_ask(&sessiond, "{\"verb\": \"status\", \"session\": \"%s\"}", "s");
	struct json_object *list = json_object_object_get(all, "untraced");
	int64_t count = 0;

	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (strcmp(json_object_get_string(json_object_object_get(one, "name")), name) ==
			    0 &&
		    (uid < 0 || json_object_get_int64(json_object_object_get(one, "uid")) == uid))
			count += json_object_get_int64(json_object_object_get(one, "count"));
	}
	json_object_put(all);
	return count;
}

static int64_t count_of(const char *name)
{
	return count_by(name, -1);
}

/* ---- forged ---------------------------------------------------------------------- */

static pid_t victim, left_out;

/* A child that says so twice, as if it was `pid`. It stays. */
static pid_t add_child(int fd, const char *name, int flags)
{
	int done[2];
	pid_t pid;
	char byte;

	if (pipe(done) != 0)
		_exit(1);
	/* unshare() wants one thread: ThreadSanitizer has one of its own. */
	pid = flags ? (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL) : fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		say_untraced(fd, getpid(), name);
		say_untraced(fd, getpid(), name);
		if (write(done[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	if (pid < 0 || read(done[0], &byte, 1) != 1)
		_exit(1);
	return pid;
}

static void fork_child(int fd)
{
	pid_t child = add_child(fd, "left", 0);

	if (write(told[1], &child, sizeof(child)) != sizeof(child))
		_exit(1);
}

static void forge(int fd)
{
	say_untraced(fd, victim, "forged");
	say_untraced(fd, left_out, "forged");
	say_untraced(fd, getpid(), "forged");
}

static void fork_inside(int fd)
{
	add_child(fd, "inner", CLONE_NEWUSER | CLONE_NEWPID);
}

static void test_forged(void)
{
	pid_t parent, mallory;

	victim = start(HONEST, NULL);
	/* The child's number comes before the byte of its parent. */
	fflush(stdout);
	parent = fork();
	if (parent == 0) {
		int fd;

		become(HONEST);
		fd = join();
		fork_child(fd);
		settle(fd);
		tell_and_wait();
	}
	if (read(told[0], &left_out, sizeof(left_out)) != sizeof(left_out))
		bail_out("no child");
	if (read(told[0], &(char){ 0 }, 1) != 1)
		bail_out("no parent");
	is(status("alive"), 2, "two programs are traced");
	is(count_of("left"), 1, "a child that cannot register says so twice, and is counted once");

	mallory = start(MALLORY, forge);
	is(status("alive"), 3, "another user's word takes no traced program out of the session");
	is(status("processes"), 3, "  ... nor out of its count");
	is(count_of("left"), 1, "  ... nor the entry of one that was left out");
	is(count_by("forged", MALLORY), 3,
	   "  ... it counts by the name that it says, as its user's");
	end(mallory);

	mallory = start(MALLORY, fork_inside);
	is(count_of("inner"), 1, "a child in a pid namespace is known by its number out here");
	is(status("processes"), 4, "  ... and all others are traced");
	end(mallory);
	end(parent);
	end(victim);
}

/* ---- many names ------------------------------------------------------------------- */

static void say_many(int fd)
{
	for (int i = 0; i < 100; i++) {
		char name[16];

		snprintf(name, sizeof(name), "many-%d", i);
		say_untraced(fd, 0, name);
	}
}

static void say_often(int fd)
{
	for (int i = 0; i < 100; i++)
		say_untraced(fd, 0, "postgres");
}

static void say_one(int fd)
{
	say_untraced(fd, 0, "honest");
	say_untraced(fd, 0, "many-0");
}

static void test_unproved(void)
{
	char others[32];

	end(start(MALLORY, say_often));
	is(count_of("postgres"), 16, "a process names so many that nobody knows");
	snprintf(others, sizeof(others), "others of user %d", MALLORY);
	is(count_of(others), 84, "  ... others are counted together, as its user's");
}

static void test_many(void)
{
	int64_t before = status("not_traced");
	pid_t mallory = start(MALLORY + 1, say_many), honest, root;
	char others[32];

	snprintf(others, sizeof(others), "others of user %d", MALLORY + 1);
	is(status("not_traced"), before + 100, "a user's programs have 100 names");
	is(count_of("many-6"), 1, "  ... of which some are told apart");
	is(count_of("many-7"), 0, "  ... and no more than are its share");
	is(count_of(others), 93, "  ... the others are counted together, as that user's");
	honest = start(HONEST, say_one);
	is(count_of("honest"), 1, "another user's programs are named");
	is(count_of("many-0"), 2, "  ... and together with others of the same name");
	for (int i = 2; i < 10; i++)
		end(start(MALLORY + i, say_many));
	/* 48 places are for users: 7 were taken before, then 8 by five users each, and one by one.
	 */
	is(count_of("?"), 99 + 300, "users for which no place is left have no names");
	root = start(0, say_many);
	is(count_of("many-15"), 1, "  ... but places are left for root");
	end(root);
	end(honest);
	end(mallory);
}

/* ---- who was traced before --------------------------------------------------------- */

static const struct protocol_app_register registration = {
	.header = { .magic = PROTOCOL_APP_MAGIC,
		    .major = PROTOCOL_APP_MAJOR,
		    .type = PROTOCOL_APP_REGISTER,
		    .size = sizeof(registration) },
	.abi_major = LTTNGMAP_ABI_MAJOR,
	.word_size = sizeof(long),
	.procname = "waiting",
};

/* A registered process asks for another registration, as after exec, and ends; others ask before
 * it. */
static void ask_again(const int go[2])
{
	int fd, others[WAITING];
	char byte;

	become(MALLORY + 20);
	fd = join();
	settle(fd);
	if (write(told[1], "x", 1) != 1 || read(go[0], &byte, 1) != 1)
		_exit(1);
	close(fd);
	for (int i = 0; i < WAITING; i++)
		others[i] = app_connect(&sessiond);
	fd = app_connect(&sessiond);
	if (send(fd, &registration, sizeof(registration), MSG_NOSIGNAL) < 0)
		_exit(1);
	_exit(others[0] < 0);
}

/* The daemon learns that the process has ended before it comes to the registration. */
static void test_again(void)
{
	int64_t traced = status("processes"), left = status("not_traced");
	int go[2];
	pid_t child;

	if (pipe(go) != 0)
		bail_out("no pipe");
	fflush(stdout);
	child = fork();
	if (child == 0)
		ask_again(go);
	if (read(told[0], &(char){ 0 }, 1) != 1)
		bail_out("no process");
	is(status("processes"), traced + 1, "a process is traced");
	kill(sessiond.pid, SIGSTOP);
	if (write(go[1], "x", 1) != 1)
		bail_out("no pipe");
	waitpid(child, NULL, 0);
	kill(sessiond.pid, SIGCONT);
	for (int i = 0; i < 6000 && status("not_traced") == left; i++)
		usleep(10000);
	is(status("not_traced"), left + 1, "  ... its next program is not");
	is(status("processes"), traced, "  ... and it is no traced one, though it ended before");
}

/* ---- who waits when the session stops --------------------------------------------- */

/* They ask for their registration, and do not wait for the answer. */
static void ask_and_end(void)
{
	become(MALLORY);
	for (int i = 0; i < WAITING; i++) {
		pid_t child = fork();

		if (child == 0 &&
		    send(app_connect(&sessiond), &registration, sizeof(registration), 0) < 0)
			_exit(1);
		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	_exit(0);
}

/* Root's command is served while the other user's programs wait for the next second. */
static void test_waiting(void)
{
	static const char stop[] = "{\"verb\": \"stop\", \"session\": \"s\"}";
	int64_t before = status("not_traced");
	struct json_object *stopped;
	pid_t child;

	kill(sessiond.pid, SIGSTOP);
	fflush(stdout);
	child = fork();
	if (child == 0)
		ask_and_end();
	waitpid(child, NULL, 0);
	if (send(sessiond.control, stop, strlen(stop), 0) < 0)
		bail_out("no request");
	kill(sessiond.pid, SIGCONT);
	if (json_message_receive(sessiond.control, &stopped, NULL, 60000) != 0)
		bail_out("no answer");
	json_object_put(stopped);
	is(status("not_traced"), before + WAITING, "programs that wait when the session stops");
}

int main(void)
{
	if (geteuid() != 0)
		skip_all("only root can be two users");
	if (pipe(told) != 0)
		bail_out("no pipe");
	sessiond_start(&sessiond, 0, "--no-supervise", PER_USER, NULL);
	if (chmod(sessiond.dir, 0711) != 0)
		bail_out("%s", sessiond.dir);
	sessiond_do(&sessiond, "{\"verb\": \"create\", \"session\": \"s\", \"output\": \"%s/s\"}",
		    sessiond.dir);
	sessiond_do(&sessiond, "{\"verb\": \"channel\", \"session\": \"s\", \"channel\": \"c\", "
			       "\"subbuf_size\": 4096, \"subbufs\": 4, \"mode\": \"discard\"}");
	sessiond_do(&sessiond, "{\"verb\": \"start\", \"session\": \"s\"}");
	test_forged();
	test_unproved();
	test_many();
	test_again();
	test_waiting();
	is(sessiond_stop(&sessiond, SIGTERM), 0, "the daemon ends well");
	return done_testing();
}
