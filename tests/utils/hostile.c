/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * hostile STOP RUNTIME-DIR [LIVES]: a traced program that writes random values
 * over everything that it can write, in one short life after another: rings and
 * ring control, its doorbell, its socket and new ones, the files of the
 * daemon. It lets reads of its doorbell block, registers event classes without end, and
 * forges records and counts of lost events. Meanwhile it goes on with its
 * events. Until there is a file STOP.
 *
 * Prints what it did. Whatever becomes of a life is right; one that hangs is
 * ended by its alarm clock.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <lttngmap/abi.h>
#include <lttngmap/event-class.h>
#include <lttngmap/tracepoint.h>

#include "common/protocol/protocol-app.h"
#include "tests/utils/class-wire.h"

LTTNGMAP_TRACEPOINT(hostile, event, LTTNGMAP_LOGLEVEL_INFO, (integer, int, number),
		    (string, text));

#define RANGES 128
#define LIFE_MS 300
/* Of a machine that may stand still for seconds. */
#define HANG_S 20
#define LIVES_AT_ONCE 2
/* What is written far behind a ring is memory of its own; not all that there is. */
#define NEAR (256u << 10)
#define FAR (16u << 20)

static struct {
	uint64_t lives, writes, messages, rings, files, killed, hung, forged, classes;
} * done;

static const char *runtime_dir;
static uint64_t seed;

static struct range {
	char *begin;
	uint64_t size;
	bool readable;
} ranges[RANGES];
static unsigned nr_ranges;

static uint64_t random_word(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* ---- memory ---------------------------------------------------------------------- */

static void find_ranges(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long begin, end;
	char line[512], rights[5];

	nr_ranges = 0;
	while (maps && nr_ranges < RANGES && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %4s", &begin, &end, rights) == 3 && rights[1] == 'w' &&
		    strstr(line, "memfd:lttngmap"))
			ranges[nr_ranges++] =
				(struct range){ (char *)begin, end - begin, rights[0] == 'r' };
	}
	if (maps)
		fclose(maps);
}

/* Words that mean something are worse than noise. */
static uint64_t bad_word(const uint64_t *at, bool readable)
{
	static const uint64_t words[] = {
		0,
		1,
		UINT64_MAX,
		INT64_MAX,
		4096,
		1u << 31,
		UINT64_C(1) << 48,
		0x4141414141414141,
		UINT32_MAX,
		UINT64_C(0x8000000000000000),
	};

	switch (random_word() % 4) {
	case 0:
		return words[random_word() % (sizeof(words) / sizeof(words[0]))];
	case 1:
		return readable ? *at ^ UINT64_C(1) << (random_word() & 63)
				: random_word() & 0xffff;
	case 2:
		return readable ? *at + random_word() % 9 - 4 : random_word() & 0xffff0000;
	default:
		return random_word();
	}
}

static void scribble(unsigned words)
{
	while (nr_ranges && words--) {
		const struct range *range = &ranges[random_word() % nr_ranges];
		uint64_t span = random_word() % 8 ? NEAR : FAR, *at;

		if (span > range->size)
			span = range->size;
		at = (uint64_t *)(range->begin + (random_word() % (span / 8)) * 8);
		*at = bad_word(at, range->readable);
		count(&done->writes);
	}
}

/* Records of no class, and lost events that there never were, where a ring may have them. */
static void forge(void)
{
	for (unsigned i = 0; i < nr_ranges; i++) {
		const struct range *range = &ranges[i];
		uint64_t step = range->readable ? lttngmap_ring_stride(8) : 4096;
		uint64_t at = random_word() % 64 * step;

		if (at + step > range->size)
			continue;
		if (range->readable)
			((struct lttngmap_ring *)(range->begin + at))->discards =
				random_word() % 2 ? UINT64_MAX - 1000 : random_word();
		else
			*(uint64_t *)(range->begin + at + LTTNGMAP_SUBBUF_HEAD / 8 * 8 + 8) =
				random_word() | 0xffff;
		count(&done->forged);
	}
}

/* ---- descriptors ------------------------------------------------------------------- */

/* The daemon has the same open file: it is not to be the one who waits there. */
static void ring_doorbell(int fd)
{
	uint64_t value = random_word() % 3 ? 1 : random_word() & INT64_MAX, before;
	const struct iovec to = { &before, sizeof(before) };

	/* With room for the value: a life that waits for the daemon would count as hung. */
	(void)!preadv2(fd, &to, 1, -1, RWF_NOWAIT);
	if (fcntl(fd, F_SETFL, 0) == 0 && write(fd, &value, sizeof(value)) > 0)
		count(&done->rings);
	if (random_word() % 2)
		(void)!preadv2(fd, &to, 1, -1, RWF_NOWAIT);
}

static void send_nonsense(int fd)
{
	char bytes[2048];
	size_t size = random_word() % sizeof(bytes);
	struct protocol_app_register message = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = 1 + (uint32_t)(random_word() % 7) },
		.abi_major = LTTNGMAP_ABI_MAJOR,
		.word_size = sizeof(long),
		.nr_classes = (uint32_t)(random_word() % 3),
	};

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)random_word();
	if (random_word() % 4) {
		if (size < sizeof(message))
			size = sizeof(message);
		message.header.size = (uint32_t)size;
		memcpy(bytes, &message,
		       random_word() % 2 ? sizeof(message) : random_word() % sizeof(message));
	}
	if (send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
		count(&done->messages);
}

/* What it was given, among which the library's. */
static void write_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		int fd = atoi(entry->d_name);
		char what[64] = "";

		if (fd <= STDERR_FILENO || fd == dirfd(folder) ||
		    readlinkat(dirfd(folder), entry->d_name, what, sizeof(what) - 1) < 0)
			continue;
		if (strstr(what, "eventfd"))
			ring_doorbell(fd);
		else if (strstr(what, "socket:"))
			send_nonsense(fd);
		else
			(void)!ftruncate(fd, (off_t)(random_word() & 0xffff));
	}
	if (folder)
		closedir(folder);
}

static void connect_and_talk(const char *socket_name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", runtime_dir, socket_name);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		for (int i = 0; i < 3; i++)
			send_nonsense(fd);
	if (fd >= 0)
		close(fd);
}

/* As many classes as a message has room for, as often as there is time. */
static void flood_classes(void)
{
	static struct class_wire wire;
	static char bytes[sizeof(struct protocol_app_register) + sizeof(wire.bytes)];
	struct protocol_app_register message = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_REGISTER },
		.abi_major = LTTNGMAP_ABI_MAJOR,
		.word_size = sizeof(long),
	};
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	wire.size = wire.nr_classes = 0;
	for (int i = 0; i < 200; i++) {
		char name[32];

		/* Not so many that its lives would not be traced any more. */
		snprintf(name, sizeof(name), "h%u", (unsigned)(random_word() % 4096));
		class_wire_class(&wire, "hostile", name, 1);
		class_wire_field(&wire, LTTNGMAP_FIELD_INTEGER, 8, 0, 10, 0, name);
	}
	message.nr_classes = wire.nr_classes;
	message.header.size = (uint32_t)(sizeof(message) + wire.size);
	memcpy(bytes, &message, sizeof(message));
	memcpy(bytes + sizeof(message), wire.bytes, wire.size);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", runtime_dir,
		 PROTOCOL_APP_SOCKET);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	    send(fd, bytes, message.header.size, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
		__atomic_fetch_add(&done->classes, wire.nr_classes, __ATOMIC_RELAXED);
	if (fd >= 0)
		close(fd);
}

/* ---- files ------------------------------------------------------------------------- */

static int write_file(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	char junk[256];
	int fd;

	(void)ftw;
	(void)status;
	if (type != FTW_F)
		return 0;
	fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	for (size_t i = 0; i < sizeof(junk); i++)
		junk[i] = (char)random_word();
	if (pwrite(fd, junk, sizeof(junk), (off_t)(random_word() & 0xfff)) > 0)
		count(&done->files);
	close(fd);
	return 0;
}

/* ---- lives --------------------------------------------------------------------------- */

static void live(bool files)
{
	int64_t end = now_ms() + LIFE_MS;
	uint64_t what = random_word();

	alarm(HANG_S);
	/* Events first: else there is nothing of ours to be read. */
	for (int i = 0; i < 1000; i++)
		lttngmap_tracepoint(hostile, event, i, "before it does any harm");
	find_ranges();
	for (int round = 0; now_ms() < end; round++) {
		if (what & 1)
			scribble(200);
		if (what & 2)
			write_descriptors();
		if (what & 4)
			connect_and_talk(PROTOCOL_APP_SOCKET);
		if (what & 8)
			connect_and_talk(random_word() % 2 ? "control.sock" : "ring.sock");
		if (what & 16)
			forge();
		if (what & 32 && round % 16 == 0)
			flood_classes();
		if (files && round % 16 == 0)
			nftw(runtime_dir, write_file, 8, FTW_PHYS | FTW_MOUNT);
		scribble((unsigned)(random_word() % 20));
		for (int i = 0; i < 50; i++)
			lttngmap_tracepoint(hostile, event, round, "and now and then");
	}
	_exit(0);
}

static void bury(void)
{
	int status;

	if (wait(&status) < 0)
		return;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		done->hung++;
	else if (WIFSIGNALED(status))
		done->killed++;
}

int main(int argc, char **argv)
{
	uint64_t most = argc > 3 ? strtoull(argv[3], NULL, 10) : UINT64_MAX;
	unsigned alive = 0;
	bool files;

	if (argc < 3)
		return 2;
	runtime_dir = argv[2];
	/* Whoever runs as the daemon's user could end it, or write as it does. */
	files = access(runtime_dir, W_OK) != 0;
	done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (done == MAP_FAILED)
		return 1;
	while (access(argv[1], F_OK) != 0 && done->lives < most) {
		pid_t child;

		seed = UINT64_C(88172645463325252) + ++done->lives * UINT64_C(0x9e3779b97f4a7c15);
		child = fork();
		if (child == 0)
			live(files);
		alive += child > 0;
		if (alive >= LIVES_AT_ONCE) {
			bury();
			alive--;
		}
	}
	while (alive--)
		bury();
	printf("lives %llu\nwrites %llu\nmessages %llu\nrings %llu\nfiles %llu\nkilled %llu\n"
	       "hung %llu\nforged %llu\nclasses %llu\n",
	       (unsigned long long)done->lives, (unsigned long long)done->writes,
	       (unsigned long long)done->messages, (unsigned long long)done->rings,
	       (unsigned long long)done->files, (unsigned long long)done->killed,
	       (unsigned long long)done->hung, (unsigned long long)done->forged,
	       (unsigned long long)done->classes);
	return 0;
}
