/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * opened DIRECTORY...: the name of each file in them that anybody opens, on a
 * line, until killed; "ready" first.
 */
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char bytes[65536] __attribute__((aligned(8)));
	int fd = inotify_init1(IN_CLOEXEC);
	ssize_t got;

	for (int i = 1; i < argc; i++)
		if (inotify_add_watch(fd, argv[i], IN_OPEN) < 0) {
			perror(argv[i]);
			return 1;
		}
	printf("ready\n");
	fflush(stdout);
	while ((got = read(fd, bytes, sizeof(bytes))) > 0) {
		const struct inotify_event *event;

		for (const char *at = bytes; at < bytes + got; at += sizeof(*event) + event->len) {
			event = (const struct inotify_event *)at;
			if (event->mask & IN_Q_OVERFLOW)
				printf("overflow\n");
			else if (event->len)
				printf("%s\n", event->name);
		}
		fflush(stdout);
	}
	return 0;
}
