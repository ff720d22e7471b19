/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Attacks by whoever can reach the runtime directory: messages, descriptors
 * that come with them, files that are opened. And the well-behaved program
 * that is measured beside all attacks.
 */
#include "tests/attack/attacker.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/socket.h"
#include "tests/utils/siege.h"

static struct app_answer answer;
static struct class_wire wire;

static void clear_wire(void)
{
	wire.size = 0;
	wire.nr_classes = 0;
}

static int join(struct attacker *attacker)
{
	int fd;

	while ((fd = attacker_register(attacker, &answer)) < 0)
		usleep(50000);
	app_close_fds(&answer);
	return fd;
}

/* ---- classes --------------------------------------------------------------------- */

/* One new class a message, with many fields, as fast as they are answered. */
void attack_classes(struct attacker *attacker)
{
	int fd = join(attacker);

	for (;;) {
		clear_wire();
		attacker_make_class(&wire, 60);
		if (!attacker_add_classes(fd, &wire)) {
			close(fd);
			usleep(20000);
			fd = join(attacker);
		}
	}
}

/* As many small classes in a message as fit: event ids are for all. */
void attack_ids(struct attacker *attacker)
{
	int fd = join(attacker);

	for (;;) {
		clear_wire();
		for (unsigned int i = 0; i < 1000; i++)
			attacker_make_class(&wire, 0);
		if (!attacker_add_classes(fd, &wire)) {
			close(fd);
			usleep(20000);
			fd = join(attacker);
		}
	}
}

/* Few bytes in a message, many in the daemon: values of enumerations. */
void attack_enums(struct attacker *attacker)
{
	unsigned int number = 0;
	int fd = join(attacker);

	for (;;) {
		char name[48];

		clear_wire();
		snprintf(name, sizeof(name), "x%x_%u", (unsigned int)getpid(), number++);
		class_wire_class(&wire, "attack", name, 8);
		for (unsigned int field = 0; field < 8; field++) {
			snprintf(name, sizeof(name), "e%u_%u", field, number);
			class_wire_enum(&wire, 4, 0, name, name, 300);
			for (int64_t value = 0; value < 300; value++)
				class_wire_value(&wire, "v", value, value);
		}
		if (!attacker_add_classes(fd, &wire)) {
			close(fd);
			usleep(20000);
			fd = join(attacker);
		}
	}
}

/* ---- who connects, and who registers ---------------------------------------------- */

/*
 * Connects, leaves the socket to a child, and ends. When there is a file ARGUMENT, the child
 * registers over that socket: its credentials name who has the process id by then.
 */
void attack_leave(struct attacker *attacker)
{
	int fd = attacker_connect(attacker, PROTOCOL_APP_SOCKET);

	if (fd < 0)
		return;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	if (fork() != 0)
		return;
	alarm(60);
	while (access(attacker->argument, F_OK) != 0)
		usleep(10000);
	(void)!freopen("/dev/null", "w", stdout);
	app_register(fd, PROTOCOL_APP_RSEQ, NULL, 0, 0, &answer);
	for (;;)
		pause();
}

/* ---- descriptors in messages ------------------------------------------------------- */

static const char *const socket_names[] = { PROTOCOL_APP_SOCKET, "control.sock", "ring.sock" };

/* To each socket that lets us in. */
static void send_everywhere(const struct attacker *attacker, const int *fds, unsigned int nr_fds)
{
	struct protocol_app_header nothing = { .magic = PROTOCOL_APP_MAGIC, .size = 16 };

	for (unsigned int i = 0; i < 3; i++) {
		int fd = attacker_connect(attacker, socket_names[i]);

		if (fd < 0)
			continue;
		attacker_send(fd, &nothing, sizeof(nothing), fds, nr_fds);
		close(fd);
	}
}

/*
 * A file of a file system that writes nothing back, dirty, and on its way in a
 * pair of sockets: whoever closes it last waits for the file system. That pair is
 * sent to the daemon, and closed here.
 */
void attack_rights(struct attacker *attacker)
{
	static char page[4096];
	int dirty;

	usleep(200000); /* The others are at it by then. */
	dirty = open(attacker->argument, O_RDWR);
	for (;;) {
		int pair[2], fd = open(attacker->argument, O_RDWR);
		off_t at = 0;

		if (fd < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0) {
			usleep(10000);
			continue;
		}
		attacker_send(pair[0], "x", 1, &fd, 1);
		/* Not dirty yet: this waits for nothing. */
		close(fd);
		(void)!pwrite(dirty, page, sizeof(page), at);
		close(pair[0]);
		send_everywhere(attacker, &pair[1], 1);
		close(pair[1]);
		usleep(1000);
		/* Enough hang now, if any does: another file is not there. */
		pause();
	}
}

/* Memory that whoever closes it last has to give back, page by page. */
void attack_memfds(struct attacker *attacker)
{
	for (;;) {
		int fds[4];

		for (unsigned int i = 0; i < 4; i++) {
			fds[i] = memfd_create("attack", MFD_CLOEXEC);
			(void)!fallocate(fds[i], 0, 0, 16 << 20);
		}
		send_everywhere(attacker, fds, 4);
		for (unsigned int i = 0; i < 4; i++)
			close(fds[i]);
	}
}

/* Sockets in sockets in sockets, in circles: the kernel collects these some day. */
void attack_nested(struct attacker *attacker)
{
	for (;;) {
		int last = -1;

		for (unsigned int depth = 0; depth < 4; depth++) {
			int pair[2], both[2];

			if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0)
				break;
			both[0] = pair[0];
			both[1] = last;
			attacker_send(pair[0], "x", 1, both, last >= 0 ? 2 : 1);
			attacker_send(pair[1], "x", 1, both, 1);
			if (last >= 0)
				close(last);
			close(pair[0]);
			last = pair[1];
		}
		send_everywhere(attacker, &last, last >= 0);
		if (last >= 0)
			close(last);
	}
}

/* Requests without end, none of whose answers is read; and half connections. */
void attack_unread(struct attacker *attacker)
{
	static char bytes[PROTOCOL_APP_MESSAGE_MAX];
	struct protocol_app_register message = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_REGISTER,
			    .size = sizeof(message) },
		.abi_major = 1,
		.word_size = sizeof(long),
	};
	int fds[64] = { 0 };

	memcpy(bytes, &message, sizeof(message));
	for (unsigned int n = 0;; n++) {
		int *fd = &fds[n % 64];

		if (*fd > 0)
			close(*fd);
		*fd = attacker_connect(attacker, socket_names[n % 3]);
		for (unsigned int i = 0; *fd >= 0 && i < 20; i++)
			attacker_send(*fd, bytes, n % 2 ? sizeof(message) : sizeof(bytes), NULL, 0);
	}
}

/* ---- files --------------------------------------------------------------------------- */

static int open_file(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)ftw;
	if (type == FTW_F)
		(void)!open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return 0;
}

/* Opens all that can be, again and again, and keeps it open: text that is made for all first. */
void attack_opens(struct attacker *attacker)
{
	static const char *const names[] = {
		"", "/rings", "/rings/first", "/rings/first/c", "/rings/first/c/stats", "/ledger"
	};
	char path[128];
	int last = 0;

	snprintf(path, sizeof(path), "%s/rings/first/c/stats", attacker->daemon.dir);
	while (last >= 0)
		last = open(path, O_RDONLY | O_CLOEXEC);
	for (unsigned int i = 0; i < 8000; i++) {
		snprintf(path, sizeof(path), "%s%s", attacker->daemon.dir, names[i % 6]);
		nftw(path, open_file, 8, FTW_PHYS);
	}
	for (;;)
		pause();
}

/* All instances and watches that a user may have, on the daemon's folders. */
void attack_inotify(struct attacker *attacker)
{
	for (;;) {
		int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

		if (fd < 0)
			pause();
		inotify_add_watch(fd, attacker->daemon.dir, IN_ALL_EVENTS);
		inotify_add_watch(fd, "/tmp", IN_CREATE);
	}
}

/* ---- the well-behaved program --------------------------------------------------------- */

#define SAMPLES_MAX 2000
#define PROBE_MS 5000

static int64_t samples[SAMPLES_MAX];

/* Registers with a class that is new; microseconds, -1: it has no id. */
static int64_t probe_once(const struct attacker *attacker)
{
	static char bytes[PROTOCOL_APP_MESSAGE_MAX];
	static unsigned int number;
	char name[32];
	int64_t begin = attacker_now_us(), took = -1;
	struct protocol_app_register message = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_REGISTER },
		.abi_major = 1,
		.word_size = sizeof(long),
		.nr_classes = 1,
		.procname = "probe",
	};
	int fd = attacker_connect(attacker, PROTOCOL_APP_SOCKET);
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	if (fd < 0)
		return -1;
	clear_wire();
	snprintf(name, sizeof(name), "event%u_%x", number++, (unsigned int)getpid());
	class_wire_class(&wire, "probe", name, 0);
	message.header.size = (uint32_t)(sizeof(message) + wire.size);
	memcpy(bytes, &message, sizeof(message));
	memcpy(bytes + sizeof(message), wire.bytes, wire.size);
	if (send(fd, bytes, message.header.size, MSG_NOSIGNAL) > 0 &&
	    poll(&wait, 1, PROBE_MS) == 1) {
		answer.nr_fds = sizeof(answer.fds) / sizeof(answer.fds[0]);
		answer.size = socket_receive(fd, answer.bytes, sizeof(answer.bytes), 0, answer.fds,
					     &answer.nr_fds);
		if (answer.size > 0 && answer.header.type == PROTOCOL_APP_REGISTERED &&
		    answer.registered.ids[0] != PROTOCOL_APP_NO_ID)
			took = attacker_now_us() - begin;
		if (answer.size > 0)
			app_close_fds(&answer);
	}
	close(fd);
	return took;
}

/*
 * Registers every few milliseconds, ARGUMENT seconds long. Prints p50 and p99 in
 * microseconds, how many registrations there were, and how many of them failed.
 */
void attack_probe(struct attacker *attacker)
{
	int64_t end = attacker_now_us() + (int64_t)(atof(attacker->argument) * 1000000);
	unsigned int count = 0, failed = 0;

	do {
		int64_t took = probe_once(attacker);

		samples[count++] = took < 0 ? PROBE_MS * INT64_C(1000) : took;
		failed += took < 0;
		usleep(4000);
	} while (attacker_now_us() < end && count < SAMPLES_MAX);
	printf("%lld %lld %u %u\n", (long long)siege_percentile(samples, count, 50),
	       (long long)siege_percentile(samples, count, 99), count, failed);
}
