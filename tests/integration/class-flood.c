/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * One user's program registers classes by 1500 messages, while root records all
 * programs in one session and another user's in another. That user's programs
 * register as if it were not there, the daemon's work and what the consumer
 * writes grow with the text of the new classes, and the session that does not
 * take the program has nothing of it. While the consumer does not read, the daemon
 * keeps no more for it. Takes root, for only root can be two users.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lttngmap/event-class.h>

#include "tests/utils/class-wire.h"
#include "tests/utils/siege.h"
#include "tests/utils/tap.h"

#define FLOODER 64123
#define HONEST 65534
#define MESSAGES 1500
#define CLASSES_EACH 4
#define SAMPLES_BEFORE 200u
#define SAMPLES_MAX 20000u
#define SAMPLE_PAUSE_US 4000
/* A registration that takes less is good, however fast it is on a machine at rest. */
#define GOOD_US 20000
#define TIMES 10
#define SECONDS_MAX 30
#define CPU_US_MAX 4000000
#define REPEATS 200
#define KNOWN_EACH 40
/* Messages of one class each while the consumer does not read: more than its socket takes. */
#define UNREAD 800

static struct sessiond sessiond;
static char output[] = "/tmp/lttngmap-class-flood-XXXXXX";

static struct shared {
	unsigned int served;
	unsigned int refused;
	bool ended;
	size_t samples;
	int64_t sample[SAMPLES_MAX];
	unsigned int untraced;
	size_t message;
} * shared;

static void become(uid_t uid)
{
	if (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0)
		_exit(1);
}

/* Of one message: classes of three fields. */
static void add_classes(struct class_wire *wire, unsigned int message, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		char name[32];

		snprintf(name, sizeof(name), "class_%u_%u", message, i);
		class_wire_class(wire, "flood", name, 3);
		class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 4, 0, 10, 0, "first");
		class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 8, 0, 16, 0, "second");
		class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 2, 0, 10, 0, "third");
	}
}

/* True: they got ids. */
static bool send_classes(int fd, const struct class_wire *wire, unsigned int nr_classes)
{
	static struct app_answer answer;
	static struct {
		struct protocol_app_classes head;
		unsigned char bytes[PROTOCOL_APP_MESSAGE_MAX];
	} message;

	message.head = (struct protocol_app_classes){
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_CLASSES,
			    .size = (uint32_t)(sizeof(message.head) + wire->size) },
		.nr_classes = nr_classes,
	};
	memcpy(message.bytes, wire->bytes, wire->size);
	app_exchange(fd, &message, message.head.header.size, &answer);
	return answer.size > 0 && answer.header.type == PROTOCOL_APP_IDS;
}

static void flood(unsigned int from, unsigned int count, unsigned int each)
{
	static struct app_answer answer;
	static struct class_wire wire;
	int fd;

	become(FLOODER);
	fd = app_connect(&sessiond);
	app_register(fd, 0, NULL, 0, 0, &answer);
	for (unsigned int i = 0; i < count; i++) {
		wire.size = 0;
		add_classes(&wire, from + i, each);
		if (send_classes(fd, &wire, each))
			shared->served++;
		else
			shared->refused++;
	}
	__atomic_store_n(&shared->ended, true, __ATOMIC_RELEASE);
	pause();
	_exit(0);
}

/* Large messages of classes that are known, and of one each that is not. */
static void repeat(void)
{
	static struct app_answer answer;
	static struct class_wire wire;
	char name[32];
	int fd;

	become(FLOODER);
	fd = app_connect(&sessiond);
	app_register(fd, 0, NULL, 0, 0, &answer);
	shared->served = 0;
	for (unsigned int i = 0; i < REPEATS; i++) {
		wire.size = 0;
		for (unsigned int known = 0; known < KNOWN_EACH; known++)
			add_classes(&wire, known, CLASSES_EACH);
		snprintf(name, sizeof(name), "late_%u", i);
		class_wire_class(&wire, "flood", name, 0);
		shared->served += send_classes(fd, &wire, KNOWN_EACH * CLASSES_EACH + 1);
	}
	shared->message = wire.size;
	_exit(0);
}

/* As long as the flood lasts, or so many times. */
static void register_often(size_t times)
{
	become(HONEST);
	while (shared->samples < times && !__atomic_load_n(&shared->ended, __ATOMIC_ACQUIRE)) {
		int64_t took = siege_register(&sessiond);

		if (took < 0)
			shared->untraced++;
		else
			shared->sample[shared->samples++] = took;
		usleep(SAMPLE_PAUSE_US);
	}
	_exit(0);
}

static int64_t measure(size_t times)
{
	pid_t child;

	fflush(stdout);
	shared->samples = 0;
	child = fork();
	if (child == 0)
		register_often(times);
	waitpid(child, NULL, 0);
	return siege_percentile(shared->sample, shared->samples, 99);
}

static void register_one_class(void)
{
	static struct class_wire wire;
	static struct app_answer answer;

	become(HONEST);
	class_wire_class(&wire, "honest", "class", 0);
	app_register(app_connect(&sessiond), 0, wire.bytes, wire.size, 1, &answer);
	pause();
}

static void make_session(const char *name)
{
	sessiond_do(&sessiond, "{\"verb\": \"create\", \"session\": \"%s\", \"output\": \"%s/%s\"}",
		    name, output, name);
	sessiond_do(&sessiond,
		    "{\"verb\": \"channel\", \"session\": \"%s\", \"channel\": \"c\", "
		    "\"subbuf_size\": 4096, \"subbufs\": 4, \"mode\": \"discard\"}",
		    name);
	sessiond_do(&sessiond,
		    "{\"verb\": \"enable\", \"session\": \"%s\", \"channel\": \"c\", "
		    "\"rule\": \"*\"}",
		    name);
}

/* Bytes that children of the daemon have written, by their own word. */
static long long written_by_consumer(void)
{
	char command[256];
	long long bytes = -1;
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "awk '/^wchar/ { n += $2 } END { print n }' $(ps -o pid= --ppid %d | "
		 "sed 's,  *,,;s,.*,/proc/&/io,')",
		 (int)sessiond.pid);
	pipe = popen(command, "r");
	if (!pipe || fscanf(pipe, "%lld", &bytes) != 1)
		bail_out("%s", command);
	pclose(pipe);
	return bytes;
}

/* Of the session's metadata; its size, too. */
static unsigned int count_events(const char *session, const char *provider, long *size)
{
	char path[128], line[4096], key[64];
	unsigned int count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/ust/metadata", output, session);
	snprintf(key, sizeof(key), "name = \"%s:", provider);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		count += strstr(line, key) != NULL;
	*size = file ? ftell(file) : -1;
	if (file)
		fclose(file);
	return count;
}

static bool wait_for(const char *session, const char *provider, unsigned int count)
{
	long size;

	for (int i = 0; i < 500; i++) {
		if (count_events(session, provider, &size) == count)
			return true;
		usleep(20000);
	}
	return false;
}

static void test_flood(void)
{
	int64_t before, during, cpu, began;
	long long written;
	pid_t flooder;
	long size;

	before = measure(SAMPLES_BEFORE);
	written = written_by_consumer();
	cpu = siege_cpu_us(sessiond.pid);
	began = siege_now_us();
	fflush(stdout);
	flooder = fork();
	if (flooder == 0)
		flood(0, MESSAGES, CLASSES_EACH);
	during = measure(SAMPLES_MAX);
	began = siege_now_us() - began;
	cpu = siege_cpu_us(sessiond.pid) - cpu;
	is(shared->served, MESSAGES, "all messages are answered");
	ok(began < SECONDS_MAX * siege_patience() * INT64_C(1000000), "soon: in %lld ms",
	   (long long)began / 1000);
	is(shared->untraced, 0, "another user's programs are traced meanwhile");
	ok(during <= GOOD_US * siege_patience() || during <= TIMES * before,
	   "99 %% of them register in %lld us, in %lld without", (long long)during,
	   (long long)before);
	ok(siege_is_sanitized() || cpu < CPU_US_MAX, "for %lld ms of CPU", (long long)cpu / 1000);
	ok(wait_for("all", "flood", MESSAGES * CLASSES_EACH),
	   "who records all programs has all classes");
	written = written_by_consumer() - written;
	ok(wait_for("honest", "honest", 1), "who records the other's has those");
	is(count_events("honest", "flood", &size), 0, "and nothing of the flood");
	sessiond_do(&sessiond,
		    "{\"verb\": \"enable\", \"session\": \"honest\", \"channel\": \"c\", "
		    "\"rule\": \"flood:*\"}");
	is(sessiond_status(&sessiond, "honest", "undescribed"), 0,
	   "  ... nor is any refused there, with a rule for it");
	count_events("all", "flood", &size);
	ok(written < 8LL * size, "%lld bytes are written for %ld of text", written, size);
	kill(flooder, SIGKILL);
	waitpid(flooder, NULL, 0);
}

static pid_t find_consumer(void)
{
	char command[64];
	int pid = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "pgrep -P %d -f consumerd", (int)sessiond.pid);
	pipe = popen(command, "r");
	if (!pipe || fscanf(pipe, "%d", &pid) != 1)
		bail_out("%s", command);
	pclose(pipe);
	return pid;
}

static unsigned int count_descriptors(void)
{
	unsigned int count = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)sessiond.pid);
	dir = opendir(path);
	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

/* Each piece of metadata that waits to be sent is a descriptor of the daemon. */
static void test_unread(void)
{
	unsigned int before = count_descriptors(), most = 0, now;
	pid_t consumer = find_consumer(), flooder;

	shared->served = 0;
	shared->ended = false;
	kill(consumer, SIGSTOP);
	fflush(stdout);
	flooder = fork();
	if (flooder == 0)
		flood(MESSAGES, UNREAD, 1);
	while (!__atomic_load_n(&shared->ended, __ATOMIC_ACQUIRE)) {
		now = count_descriptors();
		most = now > most ? now : most;
		usleep(SAMPLE_PAUSE_US);
	}
	kill(consumer, SIGCONT);
	is(shared->served, UNREAD, "messages are answered while the consumer does not read");
	ok(most < before + UNREAD / 10, "the daemon has at most %u descriptors for it, %u before",
	   most, before);
	ok(wait_for("all", "flood", MESSAGES * CLASSES_EACH + UNREAD),
	   "and the consumer has all classes in the end");
	kill(flooder, SIGKILL);
	waitpid(flooder, NULL, 0);
}

/* Of the daemon's saved state, which lies in the runtime directory. */
static long saved_state_size(void)
{
	char path[128];
	struct stat status;

	snprintf(path, sizeof(path), "%s/ledger", sessiond.dir);
	return stat(path, &status) == 0 ? (long)status.st_blocks * 512 : -1;
}

static void test_repeated(void)
{
	long before = saved_state_size(), grown;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		repeat();
	waitpid(child, NULL, 0);
	grown = saved_state_size() - before;
	is(shared->served, REPEATS, "messages of known classes, with a new one each");
	ok(grown > 0 && grown < (long)(REPEATS * shared->message / 4),
	   "%ld bytes are kept of %zu: what was known is not kept again", grown,
	   REPEATS * shared->message);
}

int main(void)
{
	char consumer[256];
	pid_t one;

	if (geteuid() != 0)
		skip_all("only root can be two users");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED || !mkdtemp(output))
		bail_out("no room");
	snprintf(consumer, sizeof(consumer), "--consumer=%s/lttngmap-consumerd",
		 getenv("LTTNGMAP_BUILD"));
	sessiond_start(&sessiond, 0, "--no-supervise", consumer, NULL);
	if (chmod(sessiond.dir, 0711) != 0)
		bail_out("%s", sessiond.dir);
	make_session("all");
	make_session("honest");
	sessiond_do(&sessiond,
		    "{\"verb\": \"track\", \"session\": \"honest\", \"kind\": \"uid\", "
		    "\"value\": %d}",
		    HONEST);
	sessiond_do(&sessiond, "{\"verb\": \"start\", \"session\": \"all\"}");
	sessiond_do(&sessiond, "{\"verb\": \"start\", \"session\": \"honest\"}");
	fflush(stdout);
	one = fork();
	if (one == 0)
		register_one_class();
	test_flood();
	test_unread();
	test_repeated();
	kill(one, SIGKILL);
	waitpid(one, NULL, 0);
	is(sessiond_stop(&sessiond, SIGTERM), 0, "the daemon ends well");
	snprintf(consumer, sizeof(consumer), "rm -rf %s", output);
	is(system(consumer), 0, "and all is removed");
	return done_testing();
}
