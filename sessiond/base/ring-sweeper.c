/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/base/ring-sweeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sessiond/base/memory.h"

/* Orders that can wait: more than a daemon has processes. */
#define PIPE_SIZE (1 << 20)
/* Each thread that hangs takes a lock that a thread of an attacker holds meanwhile. */
#define THREADS_MAX 256u
#define STACK_SIZE (64u << 10)

struct order {
	uint64_t folder;
	uint64_t is_all; /* all folders up to that one */
};

/* ---- the sweeper ------------------------------------------------------------------- */

enum { ORDERS, DIRECTORY }; /* the only descriptors that it keeps */

static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER; /* of these two */
static DIR *listing;                                       /* an order of all is being done */
static uint64_t listing_last;
static unsigned int threads = 1; /* atomic, as the next one */
static unsigned int idle;

static uint64_t number_of(const char *name)
{
	char expected[MEMORY_FILE_NAME_SIZE];
	unsigned long long number = 0;

	if (sscanf(name, "ring-%llu", &number) != 1)
		return 0;
	memory_file_name(number, expected);
	return strcmp(name, expected) == 0 ? number : 0;
}

static DIR *list(const char *name)
{
	int fd = openat(DIRECTORY, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);

	if (!entries && fd >= 0)
		close(fd);
	return entries;
}

/* The next folder of the list. 0: it is at its end. */
static uint64_t take_listed(void)
{
	const struct dirent *entry;

	while ((entry = readdir(listing))) {
		uint64_t number = number_of(entry->d_name);

		if (number && number <= listing_last)
			return number;
	}
	closedir(listing);
	listing = NULL;
	return 0;
}

/* 0: there are no more orders. */
static uint64_t take_next(void)
{
	struct order order;

	for (;;) {
		uint64_t folder = listing ? take_listed() : 0;

		if (folder)
			return folder;
		if (read(ORDERS, &order, sizeof(order)) != (ssize_t)sizeof(order))
			return 0;
		if (!order.is_all)
			return order.folder;
		listing = list(".");
		listing_last = order.folder;
	}
}

static uint64_t take(void)
{
	uint64_t folder;

	__atomic_add_fetch(&idle, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&taking);
	folder = take_next();
	pthread_mutex_unlock(&taking);
	__atomic_sub_fetch(&idle, 1, __ATOMIC_SEQ_CST);
	return folder;
}

/* From here on the thread may hang. The folder's own lock is free once its files are gone. */
static void remove_folder(uint64_t folder)
{
	char name[MEMORY_FILE_NAME_SIZE];
	const struct dirent *entry;
	DIR *entries;

	memory_file_name(folder, name);
	entries = list(name);
	/* A file: what a daemon left that had no folders. */
	if (!entries && errno == ENOTDIR)
		unlinkat(DIRECTORY, name, 0);
	if (!entries)
		return;
	while ((entry = readdir(entries)))
		if (number_of(entry->d_name))
			unlinkat(dirfd(entries), entry->d_name, 0);
	closedir(entries);
	unlinkat(DIRECTORY, name, AT_REMOVEDIR);
}

static void add_thread(void);

static void *sweep(void *data)
{
	uint64_t folder;

	(void)data;
	while ((folder = take())) {
		if (__atomic_load_n(&idle, __ATOMIC_SEQ_CST) == 0)
			add_thread();
		remove_folder(folder);
		/* Those that wait are enough. */
		if (__atomic_load_n(&idle, __ATOMIC_SEQ_CST) > 1)
			break;
	}
	if (__atomic_sub_fetch(&threads, 1, __ATOMIC_SEQ_CST) == 0)
		_exit(EXIT_SUCCESS);
	return NULL;
}

static void add_thread(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	bool failed;

	if (__atomic_add_fetch(&threads, 1, __ATOMIC_SEQ_CST) > THREADS_MAX) {
		__atomic_sub_fetch(&threads, 1, __ATOMIC_SEQ_CST);
		return;
	}
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	failed = pthread_create(&thread, &attributes, sweep, NULL) != 0;
	pthread_attr_destroy(&attributes);
	if (failed)
		__atomic_sub_fetch(&threads, 1, __ATOMIC_SEQ_CST);
}

/*
 * It may last longer than the daemon: it keeps no lock, socket or terminal of the daemon's, and
 * signals that end the daemon find it deaf.
 */
static __attribute__((noreturn)) void run(int orders, int dir)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	prctl(PR_SET_NAME, "lttngmap-sweep");
	orders = fcntl(orders, F_DUPFD, 3);
	dir = fcntl(dir, F_DUPFD, 3);
	if (dup2(orders, ORDERS) < 0 || dup2(dir, DIRECTORY) < 0)
		_exit(EXIT_FAILURE);
	close_range(DIRECTORY + 1, ~0u, 0);
	sweep(NULL);
	for (;;)
		pause();
}

/* ---- who orders --------------------------------------------------------------------- */

int ring_sweeper_start(int dir, struct ring_sweeper *sweeper)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	sweeper->pid = fork();
	if (sweeper->pid < 0) {
		int error = -errno;

		close(ends[0]);
		close(ends[1]);
		return error;
	}
	if (sweeper->pid == 0)
		run(ends[0], dir);
	close(ends[0]);
	sweeper->fd = ends[1];
	/* Best effort: an order that finds no room is the next daemon's to give. */
	(void)fcntl(sweeper->fd, F_SETPIPE_SZ, PIPE_SIZE);
	(void)fcntl(sweeper->fd, F_SETFL, O_NONBLOCK);
	return 0;
}

static void give(int fd, const struct order *order)
{
	/* A sweeper that is gone, or whose threads all hang, leaves its folders. */
	(void)!write(fd, order, sizeof(*order));
}

void ring_sweeper_remove(int fd, uint64_t folder)
{
	give(fd, &(struct order){ .folder = folder });
}

void ring_sweeper_remove_all(int fd, uint64_t last)
{
	give(fd, &(struct order){ .folder = last, .is_all = 1 });
}

void ring_sweeper_end(struct ring_sweeper *sweeper, unsigned int ms)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	close(sweeper->fd);
	/* Also over when the supervisor reaped it. */
	for (; ms > 0 && waitpid(sweeper->pid, NULL, WNOHANG) == 0; ms--)
		nanosleep(&pause, NULL);
}
