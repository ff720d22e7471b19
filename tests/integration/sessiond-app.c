/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Registration as a process sees it: what it receives and may do with it,
 * channels that come and go, its own end in all the ways that it has.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <lttngmap/abi.h>
#include <lttngmap/event-class.h>

#include "tests/utils/class-wire.h"
#include "tests/utils/sessiond-run.h"
#include "tests/utils/tap.h"

/* Who holds a socket does so for that long; what should happen meanwhile happens in half of it. */
#define HELD_MS 2000
#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)

static struct sessiond sessiond;
static struct app_answer answer;
static struct class_wire classes;

static const struct lttngmap_control *control;
static const struct lttngmap_process *process;

static void make_classes(void)
{
	class_wire_class(&classes, "test", "first", 1);
	class_wire_field(&classes, LTTNGMAP_FIELD_INTEGER, 4, LTTNGMAP_FIELD_SIGNED, 10, 0,
			 "value");
	class_wire_class(&classes, "test", "second", 0);
	class_wire_class(&classes, "bad name", "x y", 0);
}

static uint64_t size_of(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static void check_memory(int fd, uint64_t size, int seals, const char *name)
{
	is(size_of(fd), size, name);
	is(fcntl(fd, F_GET_SEALS), seals, "sealed");
	ok(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) != 0 && errno == EPERM, "for good");
	ok(ftruncate(fd, 0) != 0 && errno == EPERM, "not to be truncated");
}

static void *map(int fd, uint64_t size, int protection)
{
	void *address = mmap(NULL, size, protection, MAP_SHARED, fd, 0);

	return address == MAP_FAILED ? NULL : address;
}

static void test_register(int fd)
{
	const struct protocol_app_registered *registered = &answer.registered;

	app_register(fd, 0, classes.bytes, classes.size, classes.nr_classes, &answer);
	is(answer.size, sizeof(*registered) + 3 * sizeof(uint16_t), "registered");
	is(registered->header.type, PROTOCOL_APP_REGISTERED, "says so");
	is(answer.nr_fds, PROTOCOL_APP_FD_RINGS, "without rings, for no channel is started");
	is(registered->nr_ids, 3, "three ids");
	ok(registered->ids[0] != registered->ids[1] && registered->ids[0] != PROTOCOL_APP_NO_ID &&
		   registered->ids[1] != PROTOCOL_APP_NO_ID,
	   "for classes that differ");
	is(registered->ids[2], PROTOCOL_APP_NO_ID, "none for a bad one");

	check_memory(answer.fds[PROTOCOL_APP_FD_CONTROL], registered->control_size,
		     SEALS | F_SEAL_FUTURE_WRITE, "global control");
	check_memory(answer.fds[PROTOCOL_APP_FD_PROCESS], registered->process_size,
		     SEALS | F_SEAL_FUTURE_WRITE, "process control");
	ok(!map(answer.fds[PROTOCOL_APP_FD_CONTROL], 4096, PROT_READ | PROT_WRITE),
	   "global control cannot be mapped to write");
	ok(!map(answer.fds[PROTOCOL_APP_FD_PROCESS], 4096, PROT_READ | PROT_WRITE),
	   "nor can the process's page");

	control = map(answer.fds[PROTOCOL_APP_FD_CONTROL], registered->control_size, PROT_READ);
	process = map(answer.fds[PROTOCOL_APP_FD_PROCESS], registered->process_size, PROT_READ) +
		  registered->process_offset;
	if (!control || !process)
		bail_out("the memories cannot be mapped");
	ok(control->magic == LTTNGMAP_CONTROL_MAGIC && control->instance == registered->instance &&
		   control->size == registered->control_size,
	   "global control is what it should be");
	ok(process->magic == LTTNGMAP_PROCESS_MAGIC && process->channels == 0,
	   "and the process's page");
}

static void ask_memory(int fd, uint32_t slot)
{
	struct protocol_app_memory memory = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_MEMORY,
			    .size = sizeof(memory) },
		.of.slot = slot,
	};

	app_exchange(fd, &memory, sizeof(memory), &answer);
}

/* The slot's first ring, as the process has it. */
static struct lttngmap_ring *ask_ring(int fd, uint32_t slot)
{
	const struct protocol_app_slot *of = &answer.memory.of;
	char *rings;

	ask_memory(fd, slot);
	if (answer.nr_fds != 1)
		bail_out("there are no rings in slot %u", slot);
	check_memory(answer.fds[0], app_rings_control_at(of) + of->control, SEALS, "rings");
	rings = map(answer.fds[0], app_rings_control_at(of) + of->control, PROT_READ | PROT_WRITE);
	if (!rings)
		bail_out("the rings cannot be mapped");
	rings += app_rings_control_at(of);
	app_close_fds(&answer);
	return (struct lttngmap_ring *)rings;
}

static void make_session(const char *name, uint64_t subbuf_size)
{
	sessiond_do(&sessiond, "{\"verb\": \"create\", \"session\": \"%s\", \"output\": \"/x\"}",
		    name);
	sessiond_do(&sessiond,
		    "{\"verb\": \"channel\", \"session\": \"%s\", \"channel\": \"c\", "
		    "\"subbuf_size\": %llu, \"subbufs\": 4, \"mode\": \"discard\"}",
		    name, (unsigned long long)subbuf_size);
	sessiond_do(&sessiond,
		    "{\"verb\": \"enable\", \"session\": \"%s\", \"channel\": \"c\", "
		    "\"rule\": \"test:*\"}",
		    name);
}

static void verb(const char *name, const char *session)
{
	sessiond_do(&sessiond, "{\"verb\": \"%s\", \"session\": \"%s\"}", name, session);
}

/* The channel of the first session has slot 0. */
static void test_channel(int fd, struct lttngmap_ring **ring)
{
	uint16_t first = answer.registered.ids[0], second = answer.registered.ids[1];
	struct class_wire later = { .size = 0 };
	struct protocol_app_classes more = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_CLASSES },
		.nr_classes = 2,
	};
	char bytes[1024];
	uint32_t generation;

	make_session("one", 4096);
	is(control->event_words[first], 0, "nothing is on before the start");
	verb("start", "one");
	generation = control->channels[0].generation;
	ok(generation != 0 && control->channels[0].subbuf_shift == 12 &&
		   control->channels[0].subbufs_shift == 2,
	   "a started channel is described");
	is(control->event_words[first], 1, "its events are on");
	is(control->event_words[second], 1, "all that match");
	is(process->channels, 1, "in this process");
	is(sessiond_status(&sessiond, "one", "alive"), 1, "which is counted");

	class_wire_class(&later, "test", "later", 0);
	class_wire_class(&later, "test", "second", 0);
	more.header.size = (uint32_t)(sizeof(more) + later.size);
	memcpy(bytes, &more, sizeof(more));
	memcpy(bytes + sizeof(more), later.bytes, later.size);
	app_exchange(fd, bytes, more.header.size, &answer);
	is(answer.header.type, PROTOCOL_APP_IDS, "classes of a plugin");
	is(answer.ids.ids[1], second, "a known one keeps its id");
	is(control->event_words[answer.ids.ids[0]], 1, "a new one is on before it is answered");

	verb("stop", "one");
	ok(control->channels[0].generation == 0 && control->event_words[first] == 0 &&
		   process->channels == 0,
	   "after a stop nothing is");
	verb("start", "one");
	ok(control->channels[0].generation > generation, "a new generation at each start");
	*ring = ask_ring(fd, 0);
	(*ring)->discards = 7;
	verb("destroy", "one");
	is(control->channels[0].generation, 0, "destroyed while it runs");
}

/* A channel whose rings the process does not get. */
static void test_lost(int fd)
{
	struct protocol_app_lost lost = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_LOST,
			    .size = sizeof(lost) },
		.count = 1000,
	};
	uint64_t others = process->channels;

	make_session("seven", 1 << 20);
	verb("start", "seven");
	lost.slot = (uint32_t)__builtin_ctzll(process->channels & ~others);
	if (send(fd, &lost, sizeof(lost), 0) != sizeof(lost))
		bail_out("send");
	/* Answered after that, in the order in which they came. */
	ask_memory(fd, 40);
	is(sessiond_status(&sessiond, "seven", "discarded"), 1,
	   "what a process without rings lost is counted");
	verb("destroy", "seven");
}

/* A session that takes other processes: this one names its channel all the same. */
static void test_not_taken(int fd)
{
	struct protocol_app_lost lost = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_LOST,
			    .size = sizeof(lost) },
		.count = 1000,
	};
	uint32_t generations[LTTNGMAP_CHANNELS], slot = 0;

	for (uint32_t i = 0; i < LTTNGMAP_CHANNELS; i++)
		generations[i] = control->channels[i].generation;
	make_session("others", 4096);
	sessiond_do(&sessiond, "{\"verb\": \"track\", \"session\": \"others\", "
			       "\"kind\": \"pid\", \"value\": 1}");
	verb("start", "others");
	while (slot < LTTNGMAP_CHANNELS - 1 &&
	       control->channels[slot].generation == generations[slot])
		slot++;
	lost.slot = slot;
	if (send(fd, &lost, sizeof(lost), 0) != sizeof(lost))
		bail_out("send");
	ask_memory(fd, slot);
	is(answer.nr_fds, 0, "no rings of a session that does not take the process");
	is(sessiond_status(&sessiond, "others", "discarded"), 0,
	   "nor is what it says that it lost counted there");
	app_close_fds(&answer);
	verb("destroy", "others");
}

static void test_slots(int fd, struct lttngmap_ring *ring)
{
	make_session("two", 4096);
	verb("start", "two");
	ok(control->channels[0].generation == 0 && control->channels[1].generation != 0,
	   "a slot rests for a second after its channel went");
	usleep(1100000);
	make_session("three", 4096);
	verb("start", "three");
	ok(control->channels[0].generation != 0, "then it is used again");
	is(ring->discards, 0, "and its rings, which it had, are zeros");

	/* Stopped in the middle of an event, as it were. */
	ring->lock = 1;
	verb("destroy", "three");
	usleep(1100000); /* It rests for a second, as above. */
	make_session("four", 4096);
	verb("start", "four");
	ok(control->channels[0].generation != 0, "a slot with a ring held is used again");
	is(process->channels & 1, 0, "but not by the process that holds it");
	is(ring->lock, 1, "whose ring is left alone");
	verb("destroy", "four");
	ring->lock = 0;

	/* Slots: 1 is in use, 0 rests. */
	make_session("five", 4096);
	verb("start", "five");
	is(process->channels, 1 << 1 | 1 << 2, "a channel without rings is on");
	ask_memory(fd, 2);
	is(answer.size, sizeof(struct protocol_app_memory), "they are asked for");
	is(answer.nr_fds, 1, "and given");
	is(size_of(answer.fds[0]), answer.memory.of.data + answer.memory.of.control,
	   "of the size that is said");
	ok(answer.memory.of.data >=
		   4096 + (control->cpu_rings + LTTNGMAP_EXTRA_RINGS) * 5ull * 4096,
	   "which suffices");
	is(fcntl(answer.fds[0], F_GET_SEALS), SEALS, "sealed");
	app_close_fds(&answer);
	ask_memory(fd, 2);
	is(answer.nr_fds, 1, "asked again, given again");
	app_close_fds(&answer);
	ask_memory(fd, 40);
	ok(answer.header.type == PROTOCOL_APP_MEMORY && answer.nr_fds == 0,
	   "none for a channel that is not started");
	verb("destroy", "five");

	make_session("six", 1 << 20);
	verb("start", "six");
	is(process->channels, 1 << 1 | 1 << 3, "a channel of larger rings is on");
	ask_memory(fd, 3);
	ok(answer.memory.of.data > 5 << 20, "and gets what it needs");
	app_close_fds(&answer);
	verb("destroy", "six");
	test_lost(fd);
	test_not_taken(fd);
	verb("destroy", "two");
}

/* ---- an older library ------------------------------------------------------- */

/* Channels that it takes part in, once it has registered. */
static uint64_t channels_of(const struct lttngmap_process *page)
{
	return __builtin_popcountll(__atomic_load_n(&page->channels, __ATOMIC_RELAXED));
}

static void check_old(const struct lttngmap_process *page)
{
	make_session("old", 4096);
	verb("start", "old");
	is(channels_of(page), 1, "a library of minor 0 takes part in a channel of minor 0");
	verb("stop", "old");
	sessiond_do(&sessiond, "{\"verb\": \"context\", \"session\": \"old\", "
			       "\"channel\": \"c\", \"context\": \"callstack\"}");
	verb("start", "old");
	is(channels_of(page), 0, "not in one with call stacks");
	is(sessiond_status(&sessiond, "old", "not_traced"), 1, "it is counted as not traced");
	verb("destroy", "old");
	sessiond_do(&sessiond, "{\"verb\": \"map-add\", \"map\": \"m\", \"rule\": \"test:*\"}");
	is(channels_of(page), 0, "nor in a map");
	sessiond_do(&sessiond, "{\"verb\": \"map-remove\", \"map\": \"m\"}");
}

static void check_new(const struct lttngmap_process *page)
{
	make_session("new", 4096);
	sessiond_do(&sessiond, "{\"verb\": \"context\", \"session\": \"new\", "
			       "\"channel\": \"c\", \"context\": \"callstack\"}");
	verb("start", "new");
	is(channels_of(page), 1, "one of today takes part where there are call stacks");
	verb("destroy", "new");
}

/* The library has that minor. */
static void test_minor(uint16_t minor, void (*check)(const struct lttngmap_process *page))
{
	const struct protocol_app_registered *registered = &answer.registered;
	const struct lttngmap_process *page;
	int fd = app_connect(&sessiond);

	app_abi_minor = minor;
	app_register(fd, PROTOCOL_APP_SHARES, classes.bytes, classes.size, classes.nr_classes,
		     &answer);
	app_abi_minor = LTTNGMAP_ABI_MINOR;
	if (answer.nr_fds != PROTOCOL_APP_FD_RINGS)
		bail_out("a library of minor %u cannot register", minor);
	page = map(answer.fds[PROTOCOL_APP_FD_PROCESS], registered->process_size, PROT_READ) +
	       registered->process_offset;
	app_close_fds(&answer);
	check(page);
	close(fd);
}

/* ---- ends ------------------------------------------------------------------- */

static bool wait_status(const char *key, int64_t value)
{
	for (int i = 0; i < HELD_MS / 20; i++) {
		if (sessiond_status(&sessiond, "life", key) == value)
			return true;
		usleep(10000);
	}
	diag("%s is %lld", key, (long long)sessiond_status(&sessiond, "life", key));
	return false;
}

/* One that holds our socket for a while after we are gone. */
static void leave_child(void)
{
	pid_t parent = getpid();

	if (fork() != 0)
		return;
	while (getppid() == parent)
		usleep(10000);
	usleep(HELD_MS * 1000);
	_exit(0);
}

/* A child that registers and tells so; it does as told by the letters after that. */
static pid_t spawn(const char *what, int *told)
{
	int pipe_fds[2];
	pid_t child;

	if (pipe(pipe_fds) != 0)
		bail_out("pipe");
	fflush(stdout);
	child = fork();
	if (child == 0) {
		int fd = app_connect(&sessiond);

		app_register(fd, 0, classes.bytes, classes.size, classes.nr_classes, &answer);
		process = map(answer.fds[PROTOCOL_APP_FD_PROCESS], answer.registered.process_size,
			      PROT_READ) +
			  answer.registered.process_offset;
		for (; *what; what++) {
			if (*what == 'c')
				close(fd);
			else if (*what == 'f')
				leave_child();
			else if (*what == 'x')
				execl("/proc/self/exe", "again", sessiond.dir, NULL);
			else if (*what == 'w')
				for (int i = 0; i < 100 && !process->flags; i++)
					usleep(20000);
			else if (*what == 'q')
				_exit(process->flags == LTTNGMAP_PROCESS_NO_DOORBELL ? 0 : 1);
			else if (*what == 't' && write(pipe_fds[1], "t", 1) != 1)
				_exit(2);
		}
		pause();
		_exit(0);
	}
	close(pipe_fds[1]);
	*told = pipe_fds[0];
	return child;
}

static void wait_told(int told)
{
	char byte;

	if (read(told, &byte, 1) != 1)
		bail_out("a child did not register");
}

static void end(pid_t child, int told)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(told);
}

/* Of the daemon, or of its supervisor, which has the same. */
static int count_fds(void)
{
	char path[64];
	int count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)sessiond.pid);
	dir = opendir(path);
	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

/* Those that are ready for the next processes are made in between. */
static bool wait_fds(int expected)
{
	for (int i = 0; i < HELD_MS / 20 && count_fds() != expected; i++)
		usleep(10000);
	return count_fds() == expected;
}

#define CROWD 10

/* What CROWD processes more cost, as long as they are there. */
static void test_descriptors(int each, const char *name)
{
	pid_t children[CROWD];
	int told[CROWD], before;

	/* What earlier ones had has to be gone. */
	for (before = -1; before != count_fds(); usleep(300000))
		before = count_fds();
	for (int i = 0; i < CROWD; i++)
		children[i] = spawn("t", &told[i]);
	for (int i = 0; i < CROWD; i++)
		wait_told(told[i]);
	ok(wait_fds(before + CROWD * each), "%s: %d descriptors of the daemon", name, each);
	diag("%d for %d processes", count_fds() - before, CROWD);
	for (int i = 0; i < CROWD; i++)
		end(children[i], told[i]);
	ok(wait_fds(before), "%s: and none when it has ended", name);
}

static void test_ends(void)
{
	int told, status;
	pid_t child;

	/* This process itself is registered. */
	make_session("life", 4096);
	verb("start", "life");
	is(sessiond_status(&sessiond, "life", "processes"), 1, "one process so far");

	child = spawn("t", &told);
	wait_told(told);
	is(sessiond_status(&sessiond, "life", "alive"), 2, "a second one");
	end(child, told);
	ok(wait_status("alive", 1), "killed, it is gone");
	is(sessiond_status(&sessiond, "life", "processes"), 2, "but was traced");

	child = spawn("ft", &told);
	wait_told(told);
	end(child, told);
	ok(wait_status("alive", 1), "gone also while its own child holds the socket");

	child = spawn("cwq", &told);
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "a process that closed its descriptors is told to ring no bell");
	close(told);
	ok(wait_status("alive", 1), "and is gone when it is");

	child = spawn("tx", &told);
	wait_told(told);
	usleep(300000); /* Its end would be seen by then. */
	is(sessiond_status(&sessiond, "life", "alive"), 2, "after an exec it is one process still");
	is(sessiond_status(&sessiond, "life", "processes"), 5, "and is counted once");
	end(child, told);
	ok(wait_status("alive", 1), "which ends once");
	verb("destroy", "life");
}

/* What the child of 'x' becomes. */
static int again(const char *dir)
{
	int fd;

	strcpy(sessiond.dir, dir);
	make_classes();
	fd = app_connect(&sessiond);
	app_register(fd, 0, classes.bytes, classes.size, classes.nr_classes, &answer);
	pause();
	return 0;
}

int main(int argc, char **argv)
{
	struct lttngmap_ring *ring;
	int fd;

	if (argc == 2 && strcmp(argv[0], "again") == 0)
		return again(argv[1]);
	make_classes();
	sessiond_start(&sessiond, 0, NULL);
	fd = app_connect(&sessiond);
	test_register(fd);
	app_close_fds(&answer);
	test_channel(fd, &ring);
	test_slots(fd, ring);
	test_descriptors(3, "a process that is registered");
	make_session("many", 4096);
	verb("start", "many");
	test_descriptors(4, "one that has a channel's rings");
	verb("destroy", "many");
	test_ends();
	test_minor(0, check_old);
	test_minor(LTTNGMAP_ABI_MINOR, check_new);
	is(sessiond_stop(&sessiond, SIGTERM), 0, "the daemon ends well and leaves nothing");
	return done_testing();
}
