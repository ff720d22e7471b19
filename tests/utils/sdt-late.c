/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-late PLUGIN [hangs] - a thread loads the plugin and passes its probe; prints how often the
 * semaphore was up. With a second argument the plugin's file hangs who reads it. Until
 * that is over, which a line on standard input says, other threads must not wait, nor children.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *plugin;
static pid_t loader;
static int up;

static void *load(void *unused)
{
	void *handle;
	int (*pass)(long);

	__atomic_store_n(&loader, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	handle = dlopen(plugin, RTLD_NOW);
	pass = handle ? (int (*)(long))dlsym(handle, "plugin_pass") : NULL;
	if (!pass)
		exit(2);
	up = pass(1);
	return unused;
}

static int count(struct dl_phdr_info *info, size_t size, void *number)
{
	(void)info;
	(void)size;
	++*(int *)number;
	return 0;
}

static int count_loaded(void)
{
	int number = 0;

	dl_iterate_phdr(count, &number);
	return number;
}

/* It is in pread(2), and nowhere else, three times in a row. */
static void wait_for_loader(void)
{
	char path[64], line[128];

	for (int seen = 0; seen < 3; usleep(10000)) {
		pid_t thread = __atomic_load_n(&loader, __ATOMIC_ACQUIRE);
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)thread);
		file = thread ? fopen(path, "r") : NULL;
		if (!file)
			continue;
		seen = fgets(line, sizeof(line), file) && atoi(line) == SYS_pread64 ? seen + 1 : 0;
		fclose(file);
	}
}

static bool is_free(void)
{
	int status = -1;
	pid_t child;

	wait_for_loader();
	if (count_loaded() == 0)
		return false;
	child = fork();
	if (child == 0)
		_exit(count_loaded() > 0 ? 7 : 1);
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	plugin = argv[1];
	pthread_create(&thread, NULL, load, NULL);
	if (argc > 2) {
		puts(is_free() ? "free" : "not free");
		fflush(stdout);
		getchar();
	}
	pthread_join(thread, NULL);
	printf("%d\n", up);
	return 0;
}
