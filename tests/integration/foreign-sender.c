/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * foreign-sender.c - a child that gave up root uses the socket of its parent, a process of root's
 * that is traced. Its messages have no effect on the parent. It may say that it is not traced
 * itself, which counts as its own user's.
 *
 * Takes root, for only root can be two users.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lttngmap/abi.h>

#include "tests/utils/class-wire.h"
#include "tests/utils/reused-pid.h"
#include "tests/utils/sessiond-run.h"
#include "tests/utils/tap.h"

#define MALLORY 64128

static struct sessiond sessiond;
static struct app_answer answer;

/* ---- messages ------------------------------------------------------------------ */

static struct protocol_app_header header_of(enum protocol_app_type type, size_t size)
{
	return (struct protocol_app_header){
		.magic = PROTOCOL_APP_MAGIC,
		.major = PROTOCOL_APP_MAJOR,
		.type = type,
		.size = (uint32_t)size,
	};
}

static void say(int fd, const void *bytes, size_t size)
{
	if (send(fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
		_exit(1);
}

static void say_lost(int fd, uint32_t count)
{
	struct protocol_app_lost lost = { .count = count };

	lost.header = header_of(PROTOCOL_APP_LOST, sizeof(lost));
	say(fd, &lost, sizeof(lost));
}

static struct protocol_app_memory ask_memory(void)
{
	struct protocol_app_memory memory = { .of.slot = 0 };

	memory.header = header_of(PROTOCOL_APP_MEMORY, sizeof(memory));
	return memory;
}

static void say_class_named(int fd, const char *name)
{
	static struct class_wire wire;
	struct {
		struct protocol_app_classes head;
		unsigned char bytes[64];
	} message = { .head.nr_classes = 1 };
	size_t size;

	wire.size = 0;
	class_wire_class(&wire, "mallory", name, 0);
	size = sizeof(message.head) + wire.size;
	message.head.header = header_of(PROTOCOL_APP_CLASSES, size);
	memcpy(message.bytes, wire.bytes, wire.size);
	say(fd, &message, size);
}

static void say_class(int fd)
{
	say_class_named(fd, "it");
}

static void say_register(int fd)
{
	struct protocol_app_register message = {
		.abi_major = LTTNGMAP_ABI_MAJOR,
		.word_size = sizeof(long),
		.procname = "mallory",
	};

	message.header = header_of(PROTOCOL_APP_REGISTER, sizeof(message));
	say(fd, &message, sizeof(message));
}

static void say_untraced(int fd, int number)
{
	struct protocol_app_untraced message = { .pid = 0 };

	message.header = header_of(PROTOCOL_APP_UNTRACED, sizeof(message));
	snprintf(message.procname, sizeof(message.procname), "many-%d", number);
	say(fd, &message, sizeof(message));
}

/* Each of its children says so once. */
static void say_children_untraced(int fd)
{
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			say_untraced(fd, i);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

/* ---- processes ----------------------------------------------------------------- */

/* Another user's child does `what` over the socket, and ends. */
static void as_child(int fd, void (*what)(int fd))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (setresgid(MALLORY, MALLORY, MALLORY) != 0 ||
		    setresuid(MALLORY, MALLORY, MALLORY) != 0)
			_exit(1);
		what(fd);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		bail_out("the child could not say it");
}

static int64_t status_of(const char *key)
{
	return sessiond_status(&sessiond, "s", key);
}

/* How often the name was counted as not traced. */
static int64_t count_of(const char *name)
{
	struct json_object *all =
		sessiond_ask(&sessiond, "{\"verb\": \"status\", \"session\": \"%s\"}", "s");
	struct json_object *list = json_object_object_get(all, "untraced");
	int64_t count = 0;

	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (strcmp(json_object_get_string(json_object_object_get(one, "name")), name) == 0)
			count += json_object_get_int64(json_object_object_get(one, "count"));
	}
	json_object_put(all);
	return count;
}

/* The next answer is to the process's own request, and has rings: all before it were served. */
static void is_answered(int fd, const char *name)
{
	struct protocol_app_memory memory = ask_memory();

	app_exchange(fd, &memory, sizeof(memory), &answer);
	ok(answer.size == sizeof(memory) && answer.header.type == PROTOCOL_APP_MEMORY &&
		   answer.nr_fds == 1,
	   "%s", name);
	app_close_fds(&answer);
}

/* ---- before and after the registration ------------------------------------------- */

static void test_register(int fd)
{
	as_child(fd, say_register);
	app_register(fd, 0, NULL, 0, 0, &answer);
	is(answer.header.type, PROTOCOL_APP_REGISTERED,
	   "a process registers after its child tried to do so for it");
	is(status_of("foreign"), 1, "  ... and the child's message is counted");
	app_close_fds(&answer);
}

static void say_requests(int fd)
{
	struct protocol_app_memory memory = ask_memory();
	struct protocol_app_header alone = header_of(PROTOCOL_APP_ALONE, sizeof(alone));

	say_class(fd);
	say(fd, &memory, sizeof(memory));
	say(fd, &alone, sizeof(alone));
	for (int i = 0; i < 3; i++)
		say_lost(fd, 4000000000);
}

static void say_nonsense(int fd)
{
	static char large[PROTOCOL_APP_MESSAGE_MAX + 1];

	say(fd, "", 0);
	say(fd, "nonsense", 8);
	say(fd, large, sizeof(large));
	say_register(fd);
}

static void test_requests(int fd)
{
	as_child(fd, say_requests);
	is_answered(fd, "a child's requests are not answered, and the parent's is");
	is(status_of("discarded"), 0, "what the child says to have lost is not counted");
	is(status_of("foreign"), 1 + 6, "  ... its messages are");
	as_child(fd, say_nonsense);
	is_answered(fd, "nonsense from the child does not end the parent's connection");
	is(status_of("foreign"), 7 + 4, "  ... and is counted");
	is(status_of("alive"), 1, "the parent is traced");
}

static void test_untraced(int fd)
{
	char others[32];

	snprintf(others, sizeof(others), "others of user %d", MALLORY);
	as_child(fd, say_children_untraced);
	is_answered(fd, "the child's children say that they are not traced");
	is(status_of("not_traced"), 20, "  ... and are counted");
	is(count_of("many-6"), 1, "  ... named");
	is(count_of("many-7"), 0, "  ... within the share of their own user");
	is(count_of(others), 13, "  ... and beyond it together, as that user's");
}

/* ---- a child of the same user -------------------------------------------------------- */

/* It has a connection that the process made before it executed the program that is traced. */
static void test_same_user(void)
{
	int before = app_connect(&sessiond), fd = app_connect(&sessiond), status;
	pid_t pid;

	app_register(fd, 0, NULL, 0, 0, &answer);
	is(answer.header.type, PROTOCOL_APP_REGISTERED, "a process has another connection");
	app_close_fds(&answer);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		app_register(before, 0, NULL, 0, 0, &answer);
		_exit(answer.size <= 0 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	is(status, 0, "its child cannot register for it by the first one");
	is_answered(fd, "  ... and the process stays registered");
	close(before);
	close(fd);
}

/* ---- becoming another user ----------------------------------------------------------- */

static void say_user(int fd, uid_t user)
{
	struct protocol_app_header message = header_of(PROTOCOL_APP_USER, sizeof(message));
	struct ucred who = { .pid = getpid(), .uid = user };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(who))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(who)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_CREDENTIALS } };
	struct iovec part = { &message, sizeof(message) };
	struct msghdr all = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.header), &who, sizeof(who));
	if (sendmsg(fd, &all, MSG_NOSIGNAL) != sizeof(message))
		_exit(1);
}

/* The user that the list of processes shows; -1: it is not there. */
static int64_t user_of(pid_t pid)
{
	struct json_object *all = sessiond_ask(&sessiond, "{\"verb\": \"processes\"}");
	struct json_object *list = json_object_object_get(all, "processes");
	int64_t user = -1;

	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (json_object_get_int64(json_object_object_get(one, "pid")) == pid)
			user = json_object_get_int64(json_object_object_get(one, "uid"));
	}
	json_object_put(all);
	return user;
}

static void test_user(void)
{
	int fd = app_connect(&sessiond), status;
	pid_t pid;

	app_register(fd, 0, NULL, 0, 0, &answer);
	app_close_fds(&answer);
	is(user_of(getpid()), 0, "a process of root's");
	say_user(fd, MALLORY);
	is_answered(fd, "  ... says that it is another user's, and is served");
	is(user_of(getpid()), MALLORY, "  ... which the list has");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		say_user(fd, 0);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	is_answered(fd, "its child that has the socket says that it is root's");
	is(user_of(getpid()), MALLORY, "  ... which changes nothing");
	close(fd);
}

/* What it executed has another user: it prints, say, what that user wrote, into the connection of
 * before. */
static int connect_as_mallory(void)
{
	char path[sizeof(sessiond.dir) + 16];
	int fd;

	snprintf(path, sizeof(path), "%s/app.sock", sessiond.dir);
	if (chmod(sessiond.dir, 0711) != 0 || chmod(path, 0666) != 0)
		bail_out("%s is not open to others", path);
	if (seteuid(MALLORY) != 0)
		bail_out("cannot be another user");
	fd = app_connect(&sessiond);
	if (seteuid(0) != 0)
		bail_out("cannot be root again");
	return fd;
}

static void test_earlier_user(void)
{
	int before = connect_as_mallory(), fd = app_connect(&sessiond);

	app_register(fd, 0, NULL, 0, 0, &answer);
	app_close_fds(&answer);
	app_register(before, 0, NULL, 0, 0, &answer);
	is(answer.header.type, PROTOCOL_APP_REFUSED,
	   "a connection of its earlier user does not register it");
	is_answered(fd, "  ... and the process stays registered");
	close(before);
	close(fd);
}

/* ---- what it executes ------------------------------------------------------------------ */

/* The daemon has served it when it closes the connection. */
static void say_executed(int fd, const char *name)
{
	struct protocol_app_executed message = { .parent = 0 };
	char byte;

	message.header = header_of(PROTOCOL_APP_EXECUTED, sizeof(message));
	snprintf(message.procname, sizeof(message.procname), "%s", name);
	say(fd, &message, sizeof(message));
	if (recv(fd, &byte, 1, 0) > 0)
		_exit(1);
}

static void say_backdoor(int fd)
{
	say_executed(fd, "backdoor");
}

static void say_nothing(int fd)
{
	say_executed(fd, "");
}

static void be_traced(void)
{
	app_register(app_connect(&sessiond), 0, NULL, 0, 0, &answer);
}

/* Its user left a child with a socket, and executed a program that has root's rights. */
static void be_spoken_for(void)
{
	int before = connect_as_mallory();

	be_traced();
	as_child(before, say_backdoor);
}

static void be_printing(void)
{
	int before = connect_as_mallory();

	be_traced();
	say_executed(before, "printed");
}

static void be_silenced(void)
{
	int before = connect_as_mallory(), again = connect_as_mallory();

	be_traced();
	say_executed(app_connect(&sessiond), "registered");
	as_child(before, say_nothing);
	say_executed(again, "");
}

static void be_unregistered(void)
{
	int before = connect_as_mallory();

	say_executed(app_connect(&sessiond), "unregistered");
	say_executed(before, "");
}

/* A process that has ended connected the socket, and this one gets its number. */
static void be_its_successor(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	pid_t pid;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/app.sock", sessiond.dir);
	pid = fork();
	if (pid == 0)
		_exit(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : 1);
	waitpid(pid, NULL, 0);
	pid = fork_as(pid);
	if (pid == 0) {
		be_traced();
		say_executed(fd, "ghost");
		_exit(0);
	}
	if (pid < 0)
		bail_out("no process of a chosen number");
	waitpid(pid, NULL, 0);
}

/* By how much more processes are counted as traced when such a process has ended. */
static int64_t traced_by(void (*be)(void))
{
	int64_t processes = status_of("processes"), alive = status_of("alive");
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		be();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		bail_out("a process failed");
	for (int i = 0; i < 6000 && status_of("alive") > alive; i++)
		usleep(10000);
	return status_of("processes") - processes;
}

static void test_executed(void)
{
	int64_t before = status_of("not_traced");

	is(traced_by(be_spoken_for), 1,
	   "a process whose child says that it executed another stays traced");
	is(count_of("backdoor"), 0, "  ... and is not named as the child says");
	is(traced_by(be_printing), 1, "a process that says it as its earlier user stays traced");
	is(status_of("not_traced"), before + 1, "  ... and is counted");
	is(count_of("printed"), 0, "  ... within its earlier user's share of names");
	is(traced_by(be_silenced), 0, "a process that says it itself is not traced");
	is(count_of("registered"), 1,
	   "  ... and neither its child nor its earlier user takes that back");
	traced_by(be_unregistered);
	is(count_of("unregistered"), 1, "  ... also of a process that is not registered");
	is(traced_by(be_its_successor), 1,
	   "a process with the number of one that said it stays traced");
	is(count_of("ghost"), 1, "  ... and the one that ended is counted");
}

/* ---- messages to people ---------------------------------------------------------------- */

/* More of one kind than the daemon logs at once. */
static void send_bad_classes(int unused)
{
	int fd = app_connect(&sessiond);

	(void)unused;
	app_register(fd, 0, NULL, 0, 0, &answer);
	for (int i = 0; i < 400; i++) {
		say_class_named(fd, "no name");
		if (recv(fd, answer.bytes, sizeof(answer.bytes), 0) <= 0)
			_exit(1);
	}
}

static void test_messages(int log)
{
	static char text[1 << 20];
	int fd = app_connect(&sessiond);
	char expected[64];
	ssize_t size;

	app_register(fd, 0, NULL, 0, 0, &answer);
	app_close_fds(&answer);
	as_child(-1, send_bad_classes);
	say_class_named(fd, "no name");
	ok(recv(fd, answer.bytes, sizeof(answer.bytes), 0) > 0,
	   "two users register classes that no event can be of");
	size = pread(log, text, sizeof(text) - 1, 0);
	text[size > 0 ? size : 0] = '\0';
	snprintf(expected, sizeof(expected), "process %d: 1 event classes", (int)getpid());
	ok(strstr(text, expected), "one has many, and the log names the other's");
	close(fd);
}

/* ---- its end --------------------------------------------------------------------- */

static void say_much_lost(int fd)
{
	say_lost(fd, 4000000000);
}

/* All of it waits in the socket when the daemon learns that the process has ended. */
static void test_end(void)
{
	pid_t pid;

	fflush(stdout);
	kill(sessiond.pid, SIGSTOP);
	pid = fork();
	if (pid == 0) {
		int fd = app_connect(&sessiond);

		say_register(fd);
		as_child(fd, say_much_lost);
		say_lost(fd, 5);
		/* No answer to wait for is left unread: who has not read it did not come. */
		kill(sessiond.pid, SIGCONT);
		if (recv(fd, answer.bytes, sizeof(answer.bytes), 0) <= 0)
			_exit(1);
		kill(sessiond.pid, SIGSTOP);
		/* Some are served before the daemon learns of the end. */
		for (int i = 0; i < 7; i++) {
			say_lost(fd, 1);
			as_child(fd, say_much_lost);
		}
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	kill(sessiond.pid, SIGCONT);
	for (int i = 0; i < 6000 && status_of("alive") > 1; i++)
		usleep(10000);
	is(status_of("discarded"), 8, "the last words of a process are those that it said itself");
}

int main(void)
{
	FILE *log;
	int fd;

	if (geteuid() != 0)
		skip_all("only root can be two users");
	/* The daemon's messages. */
	log = tmpfile();
	if (!log || dup2(fileno(log), STDERR_FILENO) < 0)
		bail_out("no log");
	sessiond_start(&sessiond, 0, "--no-supervise", NULL);
	sessiond_do(&sessiond, "{\"verb\": \"create\", \"session\": \"s\", \"output\": \"%s/s\"}",
		    sessiond.dir);
	sessiond_do(&sessiond, "{\"verb\": \"channel\", \"session\": \"s\", \"channel\": \"c\", "
			       "\"subbuf_size\": 4096, \"subbufs\": 4, \"mode\": \"discard\"}");
	sessiond_do(&sessiond, "{\"verb\": \"start\", \"session\": \"s\"}");
	fd = app_connect(&sessiond);
	test_register(fd);
	test_requests(fd);
	test_untraced(fd);
	test_end();
	test_same_user();
	test_user();
	test_earlier_user();
	test_executed();
	test_messages(fileno(log));
	close(fd);
	is(sessiond_stop(&sessiond, SIGTERM), 0, "the daemon ends well");
	return done_testing();
}
