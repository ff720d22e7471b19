/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * One event each from the main thread, a thread with a name of its own and a
 * forked child; and the values that all contexts should have there, as
 * babeltrace2 prints them, on standard output. With an argument it becomes
 * user 65534 in between, if it may.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(contexts, here, LTTNGMAP_LOGLEVEL_INFO, (integer, int, place));

/* What this thread is, by other means than the library's. */
static void tell(void)
{
	static const char *const names[] = { "cgroup", "ipc",  "mnt",  "net",
					     "pid",    "time", "user", "uts" };
	uid_t uid[3];
	gid_t gid[3];
	char name[16];

	prctl(PR_GET_NAME, name);
	printf("{ vpid = %d, vtid = %d, procname = \"%s\", pthread_id = 0x%lX,", getpid(),
	       (int)syscall(SYS_gettid), name, (unsigned long)pthread_self());
	for (unsigned i = 0; i < 8; i++) {
		struct stat status = { .st_ino = 0 };
		char path[64];

		snprintf(path, sizeof(path), "/proc/self/task/%d/ns/%s", (int)syscall(SYS_gettid),
			 names[i]);
		if (stat(path, &status) < 0)
			status.st_ino = 0;
		printf(" %s_ns = %lu,", names[i], (unsigned long)status.st_ino);
	}
	getresuid(&uid[0], &uid[1], &uid[2]);
	getresgid(&gid[0], &gid[1], &gid[2]);
	printf(" vuid = %u, veuid = %u, vsuid = %u, vgid = %u, vegid = %u, vsgid = %u }\n", uid[0],
	       uid[1], uid[2], gid[0], gid[1], gid[2]);
	fflush(stdout);
}

static void here(int place)
{
	lttngmap_tracepoint(contexts, here, place);
	tell();
}

static void *in_thread(void *argument)
{
	(void)argument;
	prctl(PR_SET_NAME, "other");
	here(2);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	here(1);
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	if (fork() == 0) {
		here(3);
		exit(0);
	}
	wait(NULL);
	if (argc > 1) {
		if (setresgid(65534, 65533, 65534) < 0 || setresuid(65534, 65533, 65534) < 0)
			return 1;
		usleep(20000); /* such a context may be some milliseconds old */
		here(4);
	}
	return 0;
}
