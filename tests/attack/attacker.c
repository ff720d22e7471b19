/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * attacker ATTACK RUNTIME-DIR SECONDS WORKERS [ARGUMENT]: so many processes
 * make an attack on the daemon there, as the user who started this. Each ends
 * with this program, and SECONDS later at the latest.
 */
#include "tests/attack/attacker.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/socket.h"

static const struct attack {
	const char *name;
	void (*run)(struct attacker *attacker);
} attacks[] = {
	{ "awake", attack_awake },       { "bell", attack_bell },
	{ "classes", attack_classes },   { "deep", attack_deep },
	{ "discards", attack_discards }, { "enums", attack_enums },
	{ "filters", attack_filters },   { "frozen", attack_frozen },
	{ "hoard", attack_hoard },       { "holes", attack_holes },
	{ "ids", attack_ids },           { "impostor", attack_impostor },
	{ "inode", attack_inode },       { "inotify", attack_inotify },
	{ "leave", attack_leave },       { "library", attack_library },
	{ "locks", attack_locks },       { "memfds", attack_memfds },
	{ "nested", attack_nested },     { "opens", attack_opens },
	{ "probe", attack_probe },       { "rights", attack_rights },
	{ "rules", attack_rules },       { "scribble", attack_scribble },
	{ "storm", attack_storm },       { "swap", attack_swap },
	{ "trackers", attack_trackers }, { "unread", attack_unread },
	{ "watchers", attack_watchers },
};

#define WORKERS_MAX 64

int64_t attacker_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int attacker_connect(const struct attacker *attacker, const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", attacker->daemon.dir, name);
	return socket_connect(path, SOCK_SEQPACKET, &fd) == 0 ? fd : -1;
}

int attacker_register(const struct attacker *attacker, struct app_answer *answer)
{
	int fd = attacker_connect(attacker, PROTOCOL_APP_SOCKET);

	if (fd < 0)
		return -1;
	app_register(fd, PROTOCOL_APP_RSEQ, NULL, 0, 0, answer);
	if (answer->size > 0 && answer->header.type == PROTOCOL_APP_REGISTERED)
		return fd;
	app_close_fds(answer);
	close(fd);
	return -1;
}

void attacker_make_class(struct class_wire *wire, unsigned int fields)
{
	static unsigned int made;
	char name[48];

	snprintf(name, sizeof(name), "x%x_%x", (unsigned int)getpid(), made++);
	class_wire_class(wire, "attack", name, fields);
	for (unsigned int i = 0; i < fields; i++) {
		snprintf(name, sizeof(name), "a_rather_long_name_of_field_%u", i);
		class_wire_field(wire, 1, 8, 0, 10, 0, name);
	}
}

bool attacker_add_classes(int fd, const struct class_wire *wire)
{
	static char bytes[PROTOCOL_APP_MESSAGE_MAX];
	static struct app_answer answer;
	struct protocol_app_classes head = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_CLASSES,
			    .size = (uint32_t)(sizeof(head) + wire->size) },
		.nr_classes = wire->nr_classes,
	};

	if (head.header.size > sizeof(bytes))
		return false;
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), wire->bytes, wire->size);
	app_exchange(fd, bytes, head.header.size, &answer);
	app_close_fds(&answer);
	return answer.size > 0 && answer.header.type == PROTOCOL_APP_IDS &&
	       answer.ids.ids[0] != PROTOCOL_APP_NO_ID;
}

bool attacker_send(int fd, const void *bytes, size_t size, const int *fds, unsigned int nr_fds)
{
	union {
		char bytes[CMSG_SPACE(SOCKET_FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = { .iov_base = (void *)(uintptr_t)bytes, .iov_len = size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (nr_fds) {
		struct cmsghdr *head = &control.align;

		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
		*head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
					  .cmsg_type = SCM_RIGHTS,
					  .cmsg_len = CMSG_LEN(nr_fds * sizeof(int)) };
		memcpy(CMSG_DATA(head), fds, nr_fds * sizeof(int));
	}
	return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void work(const struct attack *attack, struct attacker *attacker, unsigned int seconds)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(seconds);
	raise_limit();
	/* sessiond-run.h tells on standard output when it gives up. */
	if (attack->run != attack_probe && attack->run != attack_leave)
		(void)!freopen("/dev/null", "w", stdout);
	attack->run(attacker);
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	struct attacker attacker = { .argument = argc > 5 ? argv[5] : NULL };
	unsigned int seconds = argc > 4 ? (unsigned int)atoi(argv[3]) : 0;
	unsigned int workers = argc > 4 ? (unsigned int)atoi(argv[4]) : 0;

	if (seconds < 1 || workers < 1 || workers > WORKERS_MAX ||
	    strlen(argv[2]) >= sizeof(attacker.daemon.dir)) {
		fprintf(stderr, "usage: attacker ATTACK RUNTIME-DIR SECONDS WORKERS [ARGUMENT]\n");
		return 2;
	}
	strcpy(attacker.daemon.dir, argv[2]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
		if (strcmp(attacks[i].name, argv[1]) != 0)
			continue;
		for (; attacker.worker < workers; attacker.worker++)
			if (fork() == 0)
				work(&attacks[i], &attacker, seconds);
		while (wait(NULL) > 0)
			continue;
		return 0;
	}
	fprintf(stderr, "attacker: no attack '%s'\n", argv[1]);
	return 2;
}
