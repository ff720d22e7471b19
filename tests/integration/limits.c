/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * What another user than the daemon's may have of it, by --per-user: each
 * limit is reached, what is beyond it is refused in words or comes later, and
 * others go on. Takes root, for only root can be two users.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lttngmap/abi.h>

#include "common/base/json-message.h"
#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"
#include "tests/utils/class-wire.h"
#include "tests/utils/siege.h"
#include "tests/utils/tap.h"

#define STRANGER 64123
#define OTHER 65534
#define HELD_MAX 64

static struct sessiond sessiond;

/* What a stranger found; shared with the children. */
struct shared {
	int served;
	int refused;
	int error;
	int64_t took_us;
	int64_t slowest_us; /* registration of one after another */
	char message[108];
};
static struct shared *shared;

static void start(const char *limits)
{
	char option[128];

	snprintf(option, sizeof(option), "--per-user=%s", limits);
	sessiond_start(&sessiond, 0, "--no-supervise", "--mediator=ring-socket", option, NULL);
	if (chmod(sessiond.dir, 0711) != 0)
		bail_out("%s", sessiond.dir);
	memset(shared, 0, sizeof(*shared));
}

static void stop(void)
{
	is(sessiond_stop(&sessiond, SIGTERM), 0, "the daemon ends well");
}

/* In a child of that user; it stays until `release` is closed, where there is one. */
static pid_t as_user(uid_t uid, void (*act)(void), int release)
{
	pid_t child;
	char byte;

	fflush(stdout);
	child = fork();
	if (child != 0)
		return child;
	if (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0)
		_exit(1);
	act();
	if (release >= 0 && write(release, "x", 1) == 1)
		while (read(release, &byte, 1) > 0)
			continue;
	_exit(0);
}

static void run_as(uid_t uid, void (*act)(void))
{
	int status;
	pid_t child = as_user(uid, act, -1);

	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		bail_out("a child failed");
}

static void note(const struct app_answer *answer)
{
	if (answer->size > 0 && answer->header.type == PROTOCOL_APP_REGISTERED) {
		shared->served++;
	} else {
		shared->refused++;
		if (answer->size > 0 && answer->header.type == PROTOCOL_APP_REFUSED) {
			shared->error = answer->refused.error;
			memcpy(shared->message, answer->refused.message, sizeof(shared->message));
		}
	}
}

/* One program, which stays connected. */
static void act_register(void)
{
	static struct app_answer answer;

	app_register(app_connect(&sessiond), 0, NULL, 0, 0, &answer);
	note(&answer);
}

/* One that fills a ring's memory, as a tracepoint never would. */
static void act_fill(void)
{
	static struct app_answer answer;
	char *map;

	app_register(app_connect(&sessiond), 0, NULL, 0, 0, &answer);
	note(&answer);
	if (answer.nr_fds <= PROTOCOL_APP_FD_RINGS)
		_exit(2);
	map = mmap(NULL, 4 << 20, PROT_WRITE, MAP_SHARED, answer.fds[PROTOCOL_APP_FD_RINGS], 0);
	if (map == MAP_FAILED)
		_exit(3);
	memset(map, 1, 4 << 20);
}

static void act_connect_often(void)
{
	for (int i = 0; i < 300; i++) {
		static struct app_answer answer;
		int fd = app_connect(&sessiond);

		app_exchange(fd, "x", 1, &answer);
		if (answer.size > 0 && answer.header.type == PROTOCOL_APP_REFUSED)
			note(&answer);
		else
			shared->served++;
		close(fd);
	}
}

/* A program that has many classes to tell, one after the other. */
static void act_ask_often(void)
{
	static struct app_answer answer;
	struct {
		struct protocol_app_classes head;
		unsigned char bytes[256];
	} message;
	int fd = app_connect(&sessiond);
	int64_t begin = siege_now_us();

	app_register(fd, 0, NULL, 0, 0, &answer);
	for (int i = 0; i < 150; i++) {
		struct class_wire wire = { .size = 0 };
		char name[16];

		snprintf(name, sizeof(name), "event%d", i);
		class_wire_class(&wire, "limits", name, 0);
		message.head = (struct protocol_app_classes){
			.header = { .magic = PROTOCOL_APP_MAGIC,
				    .major = PROTOCOL_APP_MAJOR,
				    .type = PROTOCOL_APP_CLASSES,
				    .size = (uint32_t)(sizeof(message.head) + wire.size) },
			.nr_classes = 1,
		};
		memcpy(message.bytes, wire.bytes, wire.size);
		app_exchange(fd, &message, message.head.header.size, &answer);
		if (answer.size > 0 && answer.header.type == PROTOCOL_APP_IDS)
			shared->served++;
		else
			shared->refused++;
	}
	shared->took_us = siege_now_us() - begin;
}

#define CLASSES_EACH 1024

/* Messages of new classes until one is refused; `served` counts the classes. */
static void act_fill_classes(void)
{
	static struct {
		struct protocol_app_classes head;
		uint8_t bytes[PROTOCOL_APP_MESSAGE_MAX - sizeof(struct protocol_app_classes)];
	} message;
	static struct app_answer answer;
	static struct class_wire wire;
	int fd = app_connect(&sessiond);

	app_register(fd, 0, NULL, 0, 0, &answer);
	for (unsigned int made = 0; made < LTTNGMAP_EVENT_IDS; made += CLASSES_EACH) {
		wire.size = 0;
		for (unsigned int i = 0; i < CLASSES_EACH; i++) {
			char name[16];

			snprintf(name, sizeof(name), "class%u", made + i);
			class_wire_class(&wire, "limits", name, 0);
		}
		message.head = (struct protocol_app_classes){
			.header = { .magic = PROTOCOL_APP_MAGIC,
				    .major = PROTOCOL_APP_MAJOR,
				    .type = PROTOCOL_APP_CLASSES,
				    .size = (uint32_t)(sizeof(message.head) + wire.size) },
			.nr_classes = CLASSES_EACH,
		};
		memcpy(message.bytes, wire.bytes, wire.size);
		app_exchange(fd, &message, message.head.header.size, &answer);
		if (answer.size <= 0 || answer.header.type != PROTOCOL_APP_IDS ||
		    answer.ids.ids[0] == PROTOCOL_APP_NO_ID)
			break;
		shared->served += CLASSES_EACH;
	}
	note(&answer);
	close(fd);
}

/* A program with the first of these classes alone, which is known. */
static void act_register_known(void)
{
	static struct app_answer answer;
	static struct class_wire wire;
	int fd = app_connect(&sessiond);

	wire.size = 0;
	class_wire_class(&wire, "limits", "class0", 0);
	app_register(fd, 0, wire.bytes, wire.size, 1, &answer);
	note(&answer);
	if (answer.size > 0 && answer.header.type == PROTOCOL_APP_REGISTERED &&
	    answer.registered.ids[0] == PROTOCOL_APP_NO_ID)
		shared->served--;
	close(fd);
}

static int64_t others_us;

static void act_register_soon(void)
{
	int64_t slowest = 0;

	for (int i = 0; i < 100; i++) {
		int64_t took = siege_register(&sessiond);

		if (took < 0)
			_exit(4);
		if (took > slowest)
			slowest = took;
		usleep(5000);
	}
	shared->slowest_us = slowest;
}

/* A crowd that holds what it gets. Ends when the pair is closed. */
struct crowd {
	pid_t child[HELD_MAX];
	int pair[HELD_MAX][2];
	int count;
};

static void crowd_add(struct crowd *crowd, uid_t uid, void (*act)(void))
{
	int *pair = crowd->pair[crowd->count];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		bail_out("socketpair");
	crowd->child[crowd->count] = as_user(uid, act, pair[1]);
	close(pair[1]);
	if (read(pair[0], &byte, 1) != 1)
		bail_out("a child failed");
	crowd->count++;
}

static void crowd_end(struct crowd *crowd)
{
	while (crowd->count > 0) {
		crowd->count--;
		kill(crowd->child[crowd->count], SIGKILL);
		close(crowd->pair[crowd->count][0]);
		waitpid(crowd->child[crowd->count], NULL, 0);
	}
}

static bool comes_back(void)
{
	for (int i = 0; i < 400; i++) {
		memset(shared, 0, sizeof(*shared));
		run_as(STRANGER, act_register);
		if (shared->served)
			return true;
		usleep(10000);
	}
	return false;
}

/* Of which each program has rings. */
static void start_session(void)
{
	sessiond_do(&sessiond, "{\"verb\": \"create\", \"session\": \"s\", \"output\": \"/x\"}");
	sessiond_do(&sessiond, "{\"verb\": \"channel\", \"session\": \"s\", \"channel\": \"c\", "
			       "\"subbuf_size\": 1048576, \"subbufs\": 4, \"mode\": \"discard\"}");
	sessiond_do(&sessiond, "{\"verb\": \"start\", \"session\": \"s\"}");
}

/* What is held: `fits` programs, then one is refused in these words. */
static void test_held(const char *limits, int fits, const char *words, void (*act)(void))
{
	struct crowd crowd = { .count = 0 };

	start(limits);
	start_session();
	for (int i = 0; i < fits; i++)
		crowd_add(&crowd, STRANGER, act);
	is(shared->served, fits, limits);
	/* Memory is counted once a second at most. */
	if (act == act_fill)
		usleep(1100000);
	run_as(STRANGER, act_register);
	ok(shared->refused == 1 && shared->error == EDQUOT, "then one is refused");
	ok(strstr(shared->message, words), "in words: %s", shared->message);
	run_as(OTHER, act_register);
	is(shared->served, fits + 1, "another user's is not");
	run_as(0, act_register);
	is(shared->served, fits + 2, "nor is root's");
	crowd_end(&crowd);
	ok(comes_back(), "when they have ended there is room again");
	stop();
}

/* A set-user-ID program of root's, as who starts it cannot make it do anything else. */
static void act_as_root(void)
{
	if (setresuid(STRANGER, 0, 0) != 0)
		_exit(1);
	act_register();
}

static void test_started(void)
{
	struct crowd crowd = { .count = 0 };

	start("processes=3");
	start_session();
	for (int i = 0; i < 3; i++)
		crowd_add(&crowd, 0, act_as_root);
	is(shared->served, 3, "root's programs that a user starts are served");
	run_as(0, act_as_root);
	ok(shared->refused == 1 && shared->error == EDQUOT, "  ... as many as that user may have");
	ok(strstr(shared->message, "has 3 traced processes"), "  ... in words: %s",
	   shared->message);
	run_as(STRANGER, act_register);
	is(shared->refused, 2, "  ... together with its own");
	run_as(0, act_register);
	is(shared->served, 4, "programs that root starts are served");
	crowd_end(&crowd);
	ok(comes_back(), "when they have ended there is room again");
	stop();
}

static void test_connections(void)
{
	start("connections=50");
	run_as(STRANGER, act_connect_often);
	ok(shared->served >= 50 && shared->refused > 0,
	   "of 300 connections %d are served, %d refused", shared->served, shared->refused);
	is(shared->error, EAGAIN, "for now");
	ok(strstr(shared->message, "more than 50 times a second"), "in words: %s", shared->message);
	memset(shared, 0, sizeof(*shared));
	run_as(OTHER, act_register);
	is(shared->served, 1, "another user is served");
	ok(comes_back(), "and the first again after a while");
	stop();
}

static void test_classes(void)
{
	start("messages=100000");
	run_as(STRANGER, act_fill_classes);
	ok(shared->served > 0 && shared->served <= (int)LTTNGMAP_EVENT_IDS / 4,
	   "one user registers %d event classes, and no more", shared->served);
	ok(shared->refused == 1 && shared->error == EDQUOT, "then one is refused");
	ok(strstr(shared->message, "as many event classes as one user may"), "in words: %s",
	   shared->message);
	memset(shared, 0, sizeof(*shared));
	run_as(STRANGER, act_register_known);
	is(shared->served, 1, "its programs with classes that are known are served");
	memset(shared, 0, sizeof(*shared));
	run_as(OTHER, act_ask_often);
	is(shared->served, 150, "another user's classes are not");
	stop();
}

static void test_messages(void)
{
	pid_t child;

	start("messages=50");
	child = as_user(STRANGER, act_ask_often, -1);
	/* Then it is over its rate, and waits. */
	while (__atomic_load_n(&shared->served, __ATOMIC_RELAXED) < 51)
		usleep(10000);
	run_as(0, act_register_soon);
	others_us = shared->slowest_us;
	waitpid(child, NULL, 0);
	is(shared->served, 150, "who sends too many messages has all of them served");
	is(shared->refused, 0, "none refused");
	/* 151 of them, 51 at once, then 50 a second. */
	ok(shared->took_us >= 1800000, "later: it took %lld ms", (long long)shared->took_us / 1000);
	ok(others_us < 500000, "others register within %lld us meanwhile", (long long)others_us);
	stop();
}

/* ---- commands ----------------------------------------------------------------- */

static int control_connect(void)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", sessiond.dir, PROTOCOL_CONTROL_SOCKET);
	return socket_connect(path, SOCK_SEQPACKET, &fd) == 0 ? fd : -1;
}

/* Whether {"ok": true} comes; `message` is what came. */
static bool control_say(int fd, const char *text, char *message, size_t size)
{
	struct json_object *answer = NULL;
	bool good = false;

	message[0] = '\0';
	/* Who is refused on connecting may not even get the request out. */
	(void)socket_send(fd, text, strlen(text), NULL, 0);
	if (json_message_receive(fd, &answer, NULL, 5000) != 0)
		return false;
	json_message_get_bool(answer, "ok", &good);
	snprintf(message, size, "%s", json_object_to_json_string(answer));
	json_object_put(answer);
	return good;
}

static void test_commands(void)
{
	static const char hello[] = "{\"verb\": \"hello\", \"version\": 1}";
	char message[512] = "";
	int fds[80], good = 0, fd;

	start("processes=10");
	/* One is the test's own. */
	for (int i = 0; i < 80; i++) {
		fds[i] = control_connect();
		good += control_say(fds[i], hello, message, sizeof(message));
	}
	/* 64, and 16 more of root's and the daemon's own user. */
	is(good, 79, "so many commands may be connected");
	ok(strstr(message, "80 commands are connected"), "then it is said that there are: %s",
	   message);
	for (int i = 0; i < 80; i++)
		close(fds[i]);
	for (int i = 0; i < 80; i++)
		fds[i] = control_connect();
	fd = control_connect();
	ok(control_say(fd, hello, message, sizeof(message)), "those that say nothing make room: %s",
	   message);
	close(fd);
	for (int i = 0; i < 80; i++)
		close(fds[i]);
	stop();
}

/* A stop waits for the consumer, which does not answer. */
static void test_two_requests(void)
{
	static const char *const requests[] = {
		"{\"verb\": \"hello\", \"version\": 1}",
		"{\"verb\": \"create\", \"session\": \"s\", \"output\": \"/nowhere\"}",
		"{\"verb\": \"channel\", \"session\": \"s\", \"channel\": \"c\", "
		"\"subbuf_size\": 4096, \"subbufs\": 4, \"mode\": \"discard\"}",
		"{\"verb\": \"enable\", \"session\": \"s\", \"channel\": \"c\", \"rule\": "
		"\"*\"}",
		"{\"verb\": \"start\", \"session\": \"s\"}",
	};
	static const char stop[] = "{\"verb\": \"stop\", \"session\": \"s\"}";
	char message[512] = "";
	int fd = control_connect();
	bool good = true;

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		good &= control_say(fd, requests[i], message, sizeof(message));
	ok(good, "a session is started");
	socket_send(fd, stop, strlen(stop), NULL, 0);
	ok(!control_say(fd, "{\"verb\": \"list\"}", message, sizeof(message)) &&
		   strstr(message, "two requests at once"),
	   "who does not wait for an answer is refused: %s", message);
	close(fd);
}

/* Who is no consumer cannot become one while another is expected. */
static void test_consumer(void)
{
	char message[512] = "";
	int first, second;

	start("processes=10");
	first = control_connect();
	second = control_connect();
	ok(control_say(first, "{\"verb\": \"consumer\", \"version\": 1}", message, sizeof(message)),
	   "somebody is the consumer");
	ok(!control_say(second, "{\"verb\": \"consumer\", \"version\": 1}", message,
			sizeof(message)) &&
		   strstr(message, "there is one already"),
	   "nobody else: %s", message);
	test_two_requests();
	close(first);
	close(second);
	stop();
}

int main(void)
{
	if (geteuid() != 0)
		skip_all("only root can be two users");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		bail_out("memory");
	test_held("processes=3", 3, "has 3 traced processes", act_register);
	/* Three each, and one of rings. */
	test_held("descriptors=9", 2, "have 8 descriptors", act_register);
	test_held("memory=6000000", 2, "rings hold 8 MiB, and may hold 5", act_fill);
	test_started();
	test_connections();
	test_classes();
	test_messages();
	test_commands();
	test_consumer();
	return done_testing();
}
