/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/pickup.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/log.h"
#include "sessiond/daemon.h"

#define ENTRIES_MAX 4096u
#define REGIONS_MAX 4u
/* One process takes microseconds. */
#define STUCK_USEC UINT64_C(1000000)
/* Threads that hang; with more nothing is searched until one of them is back. */
#define STUCK_MAX 8u

struct entries {
	struct pickup_entry *array;
	unsigned int count;
};

/* One search; its thread's, and shared where `lock` is said. */
struct scan {
	struct knocker knocker; /* with a place of its own */
	struct entries found;
	struct pickup *pickup; /* lock; NULL: it was left behind */
	uint32_t pid, uid;     /* lock: whom it is looking at */
	uint64_t since_usec;   /* lock */
};

struct pickup {
	struct knocker knocker;
	struct scan *scan;   /* lock; NULL: none is running */
	struct entries last; /* lock */
	pthread_cond_t finished;
};

/* Not of a pickup: threads that hang may outlive it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Searches that hang; of their users nobody is looked at. */
static struct scan *stuck[STUCK_MAX];

/* ---- the thread ------------------------------------------------------------------ */

static void add_entry(struct scan *scan, const struct pickup_entry *entry)
{
	struct entries *found = &scan->found;

	/* 1, 2, 4, ... places. */
	if ((found->count & (found->count - 1)) == 0 && found->count < ENTRIES_MAX) {
		size_t room = found->count ? 2 * (size_t)found->count : 1;
		struct pickup_entry *more = reallocarray(found->array, room, sizeof(*more));

		if (!more)
			return;
		found->array = more;
	}
	if (found->count < ENTRIES_MAX)
		found->array[found->count++] = *entry;
}

/* The name and the real user, from /proc/PID/status. */
static bool read_status(int proc, struct pickup_entry *entry)
{
	char text[1024], name[64] = "";
	int fd = openat(proc, "status", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *uid;

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	uid = strstr(text, "\nUid:");
	if (!uid || sscanf(uid, "\nUid: %u", &entry->uid) != 1)
		return false;
	sscanf(text, "Name: %63[^\n]", name);
	name_clean_program(name, strlen(name), entry->name);
	return true;
}

/* 0; -ECANCELED: this search was left behind; -EBUSY, -EPERM: it is one that hangs, or its user's.
 */
static int begin_process(struct scan *scan, const struct pickup_entry *entry)
{
	int error = 0;

	pthread_mutex_lock(&lock);
	scan->pid = entry->pid;
	scan->uid = entry->uid;
	scan->since_usec = daemon_now_usec();
	if (!scan->pickup)
		error = -ECANCELED;
	for (unsigned int i = 0; !error && i < STUCK_MAX; i++)
		if (stuck[i] && stuck[i]->uid == entry->uid)
			error = stuck[i]->pid == entry->pid ? -EBUSY : -EPERM;
	pthread_mutex_unlock(&lock);
	return error;
}

/* 0 or -ECANCELED. */
static int look_at(struct scan *scan, int proc, struct pickup_entry *entry)
{
	uint64_t regions[REGIONS_MAX][2];
	enum knock_result result = KNOCK_REFUSED;
	int error = read_status(proc, entry) ? begin_process(scan, entry) : -ESRCH;
	int count = error ? 0 : knock_find(proc, regions, REGIONS_MAX);

	if (error == -ECANCELED)
		return error;
	if (error == -EBUSY)
		snprintf(
			entry->why, sizeof(entry->why),
			"it makes whoever looks at it wait; until it ends no process of user %u is "
			"looked at",
			entry->uid);
	else if (error || count == 0 || count == -ENOENT || count == -ESRCH ||
		 (count < 0 && entry->uid != geteuid()))
		return 0;
	else if (count < 0)
		snprintf(entry->why, sizeof(entry->why),
			 "it is not to be looked at: %s; if it has liblttngmap, it is picked up "
			 "when "
			 "it is started anew",
			 strerror(-count));
	else
		result = knock_give(&scan->knocker, proc, regions, (unsigned int)count, entry->why);
	for (char *c = entry->why; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	if (result != KNOCK_NOTHING)
		add_entry(scan, entry);
	return 0;
}

static void free_scan(struct scan *scan)
{
	free((char *)scan->knocker.place);
	free(scan->found.array);
	free(scan);
}

/* Hand over what was found, or come back from where it hung. */
static void finish(struct scan *scan)
{
	struct pickup *pickup;

	pthread_mutex_lock(&lock);
	pickup = scan->pickup;
	if (pickup) {
		struct entries before = pickup->last;

		pickup->last = scan->found;
		scan->found = before;
		pickup->scan = NULL;
		pthread_cond_broadcast(&pickup->finished);
	}
	for (unsigned int i = 0; i < STUCK_MAX; i++)
		if (stuck[i] == scan)
			stuck[i] = NULL;
	pthread_mutex_unlock(&lock);
	free_scan(scan);
}

static void *search(void *data)
{
	struct scan *scan = data;
	DIR *directory = opendir("/proc");
	struct dirent *item;
	int error = 0;

	while (directory && !error && (item = readdir(directory))) {
		struct pickup_entry entry = { .pid = (uint32_t)strtoul(item->d_name, NULL, 10) };
		int proc;

		if (!isdigit((unsigned char)item->d_name[0]))
			continue;
		proc = openat(dirfd(directory), item->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (proc < 0)
			continue;
		error = look_at(scan, proc, &entry);
		close(proc);
	}
	if (directory)
		closedir(directory);
	finish(scan);
	return NULL;
}

/* ---- the main thread --------------------------------------------------------------- */

int pickup_create(const char *place, uint64_t instance, struct pickup **result)
{
	struct pickup *pickup = calloc(1, sizeof(*pickup));
	pthread_condattr_t attributes;

	*result = NULL;
	if (!pickup)
		return -ENOMEM;
	pickup->knocker = (struct knocker){ .place = strdup(place), .instance = instance };
	if (!pickup->knocker.place) {
		free(pickup);
		return -ENOMEM;
	}
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&pickup->finished, &attributes);
	pthread_condattr_destroy(&attributes);
	*result = pickup;
	return 0;
}

void pickup_destroy(struct pickup *pickup)
{
	if (!pickup)
		return;
	pthread_mutex_lock(&lock);
	if (pickup->scan)
		pickup->scan->pickup = NULL;
	pthread_mutex_unlock(&lock);
	pthread_cond_destroy(&pickup->finished);
	free((char *)pickup->knocker.place);
	free(pickup->last.array);
	free(pickup);
}

/* Under `lock`: no search is running, or the one that is hangs and was left. */
static bool is_free(struct pickup *pickup)
{
	struct scan *scan = pickup->scan;

	if (!scan)
		return true;
	if (daemon_now_usec() - scan->since_usec < STUCK_USEC)
		return false;
	for (unsigned int i = 0; i < STUCK_MAX; i++) {
		if (stuck[i])
			continue;
		log_warning("process %u of user %u makes whoever looks at it wait: that user's "
			    "processes are not picked up before it ends",
			    scan->pid, scan->uid);
		stuck[i] = scan;
		scan->pickup = NULL;
		pickup->scan = NULL;
		return true;
	}
	return false;
}

/* Under `lock`. */
static void start_search(struct pickup *pickup)
{
	struct scan *scan = calloc(1, sizeof(*scan));
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	if (!scan)
		return;
	scan->knocker.instance = pickup->knocker.instance;
	scan->knocker.place = strdup(pickup->knocker.place);
	scan->pickup = pickup;
	scan->since_usec = daemon_now_usec();
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	error = scan->knocker.place ? pthread_create(&thread, &attributes, search, scan) : ENOMEM;
	pthread_attr_destroy(&attributes);
	if (error)
		free_scan(scan);
	else
		pickup->scan = scan;
}

void pickup_scan(struct pickup *pickup, unsigned int wait_ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)wait_ms * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&lock);
	if (is_free(pickup))
		start_search(pickup);
	while (wait_ms && pickup->scan &&
	       pthread_cond_timedwait(&pickup->finished, &lock, &until) == 0)
		continue;
	pthread_mutex_unlock(&lock);
}

void pickup_list(struct pickup *pickup, int (*each)(const struct pickup_entry *entry, void *data),
		 void *data)
{
	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < pickup->last.count; i++)
		if (each(&pickup->last.array[i], data) != 0)
			break;
	pthread_mutex_unlock(&lock);
}
