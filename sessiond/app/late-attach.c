/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/app/late-attach.h"

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

#include <urcu/list.h>

#include "common/base/log.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/quota/subuids.h"

#define ENTRIES_MAX 4096u
#define REGIONS_MAX 4u
/* One process takes microseconds. */
#define STUCK_USEC UINT64_C(1000000)
#define PAUSE_NS_MAX 10000000
#define STACK_SIZE (256u << 10)
/* late_attach_refresh() starts a new search if the last one is older than this. */
#define FRESH_USEC UINT64_C(5000000)

struct entries {
	struct late_attach_entry *array;
	unsigned int count;
};

/* A process of a user, who is the owner of subordinate ids, too. */
struct candidate {
	uint32_t owner;
	uint32_t pid;
	bool hangs; /* a child of another daemon's, which may have ended, waits for it */
};

/* One search: its thread's, and shared where `lock` is said. */
struct scan {
	struct attach_sender sender; /* with a place of its own */
	struct subuids *subuids;
	struct candidate *candidates;
	unsigned int nr_candidates;
	struct cds_list_head looks; /* all users' at once, so that they hang beside each other */
	struct entries found;
	struct late_attach *late_attach; /* lock; NULL: nobody wants it any more */
};

/* One user's processes in a search: a thread of their own looks at them, which may hang. */
struct look {
	struct cds_list_head node;   /* in its scan's `looks`; lock: in `hanging` */
	struct attach_sender sender; /* with a place of its own */
	uint32_t owner;
	uint32_t *pids;
	unsigned int nr_pids;
	struct entries found;
	struct late_attach_entry at; /* lock: whom it is looking at */
	uint64_t since_usec;         /* lock */
	bool ended, left;            /* lock */
};

struct late_attach {
	struct attach_sender sender;
	struct scan *scan;   /* lock; NULL: none is running */
	struct entries last; /* lock */
	uint64_t begun_usec; /* of the last search */
	pthread_cond_t finished;
};

/* Not part of struct late_attach: threads that hang may outlive it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Left behind; nobody else looks at their users' processes, so each user has one at most. */
static CDS_LIST_HEAD(hanging);

static bool copy_knocker(struct attach_sender *to, const struct attach_sender *from)
{
	to->instance = from->instance;
	to->place = strdup(from->place);
	return to->place != NULL;
}

/* Starts a detached thread. 0 or -errno. */
static int start_thread(void *(*run)(void *data), void *data)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	error = pthread_create(&thread, &attributes, run, data);
	pthread_attr_destroy(&attributes);
	return -error;
}

/* Room for one more: 1, 2, 4, ... places. NULL: there is no memory. */
static void *grow(void *array, unsigned int count, size_t size)
{
	if ((count & (count - 1)) != 0)
		return array;
	return reallocarray(array, count ? 2 * (size_t)count : 1, size);
}

static void add_entry(struct entries *found, const struct late_attach_entry *entry)
{
	struct late_attach_entry *more =
		found->count < ENTRIES_MAX ? grow(found->array, found->count, sizeof(*found->array))
					   : NULL;

	if (!more)
		return;
	found->array = more;
	found->array[found->count++] = *entry;
}

/*
 * The name, the real user, and whether it waits in the kernel, from /proc/PID/status: nobody can
 * make us wait for that.
 */
static bool read_status(int proc, struct late_attach_entry *entry)
{
	char text[1024], name[64] = "";
	int fd = openat(proc, "status", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *uid, *gid;

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	uid = strstr(text, "\nUid:");
	if (!uid || sscanf(uid, "\nUid: %u", &entry->uid) != 1)
		return false;
	entry->hangs = strstr(text, "\nState:\tD") != NULL;
	gid = strstr(uid, "\nGid:");
	if (!gid || sscanf(gid, "\nGid: %u", &entry->gid) != 1)
		return false;
	sscanf(text, "Name: %63[^\n]", name);
	name_clean_program(name, strlen(name), entry->name);
	return true;
}

static int open_process(uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* ---- the thread of one user ------------------------------------------------------ */

/* False: this search was left behind. */
static bool begin_process(struct look *look, const struct late_attach_entry *entry)
{
	bool go_on;

	pthread_mutex_lock(&lock);
	look->at = *entry;
	look->since_usec = time_now_usec();
	go_on = !look->left;
	pthread_mutex_unlock(&lock);
	return go_on;
}

static void look_at(struct look *look, int proc, struct late_attach_entry *entry)
{
	uint64_t regions[REGIONS_MAX][2];
	enum attach_sender_result result = ATTACH_SENDER_REFUSED;
	int count = attach_sender_find(proc, regions, REGIONS_MAX);

	/* Root may look at all that it can reach: what it cannot was never of ours. */
	if (count == 0 || count == -ENOENT || count == -ESRCH ||
	    (count < 0 && (entry->uid != geteuid() || geteuid() == 0)))
		return;
	if (count < 0)
		snprintf(entry->why, sizeof(entry->why),
			 "cannot be examined: %s; start it again to trace it", strerror(-count));
	else
		result = attach_sender_send(&look->sender, proc, regions, (unsigned int)count,
					    entry->why);
	entry->is_others = result == ATTACH_SENDER_OTHERS;
	for (char *c = entry->why; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	entry->hangs = false;
	if (result != ATTACH_SENDER_NOTHING)
		add_entry(&look->found, entry);
}

static void free_look(struct look *look)
{
	free((char *)look->sender.place);
	free(look->pids);
	free(look->found.array);
	free(look);
}

static void *look_through(void *data)
{
	struct look *look = data;
	bool left, go_on = true;

	for (unsigned int i = 0; go_on && i < look->nr_pids; i++) {
		struct late_attach_entry entry = { .pid = look->pids[i] };
		int proc = open_process(entry.pid);

		if (proc < 0)
			continue;
		/* The pid may belong to another user by now: if so, only this thread hangs. */
		if (read_status(proc, &entry) && (go_on = begin_process(look, &entry)))
			look_at(look, proc, &entry);
		close(proc);
	}
	pthread_mutex_lock(&lock);
	look->ended = true;
	left = look->left;
	if (left)
		cds_list_del(&look->node);
	pthread_mutex_unlock(&lock);
	if (left)
		free_look(look);
	return NULL;
}

/* ---- the thread of a search ------------------------------------------------------- */

static void name_candidate(const struct candidate *candidate, struct late_attach_entry *entry)
{
	int proc = open_process(candidate->pid);

	if (proc < 0)
		return;
	entry->pid = candidate->pid;
	read_status(proc, entry);
	close(proc);
}

/* A user that has us wait, as the list shows it. False: this one does not. */
static bool add_hanging(struct scan *scan, uint32_t owner)
{
	struct late_attach_entry entry = { .pid = 0 };
	struct look *look;

	pthread_mutex_lock(&lock);
	cds_list_for_each_entry(look, &hanging, node)
		if (look->owner == owner)
			entry = look->at;
	pthread_mutex_unlock(&lock);
	for (unsigned int i = 0; i < scan->nr_candidates && !entry.pid; i++)
		if (scan->candidates[i].hangs && scan->candidates[i].owner == owner)
			name_candidate(&scan->candidates[i], &entry);
	if (!entry.pid)
		return false;
	entry.hangs = true;
	snprintf(entry.why, sizeof(entry.why),
		 "blocks whoever examines it; no process of user %u is examined until that ends",
		 owner);
	add_entry(&scan->found, &entry);
	return true;
}

/* Until the thread has ended; false: it hangs, and was left behind. */
static bool await_look(struct look *look)
{
	struct timespec pause = { .tv_nsec = 20000 };
	bool ended, left = false;

	for (;;) {
		pthread_mutex_lock(&lock);
		ended = look->ended;
		left = !ended && look->at.pid && time_now_usec() - look->since_usec > STUCK_USEC;
		look->left = left;
		if (left) {
			log_warning("process %u of user %u makes whoever looks at it wait: as long "
				    "as that lasts, that user's processes are not attached",
				    look->at.pid, look->at.uid);
			cds_list_add(&look->node, &hanging);
		}
		pthread_mutex_unlock(&lock);
		if (ended || left)
			return ended;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < PAUSE_NS_MAX)
			pause.tv_nsec *= 2;
	}
}

/* The candidates of one user. */
static void start_look(struct scan *scan, const struct candidate *first, unsigned int count)
{
	struct look *look = add_hanging(scan, first->owner) ? NULL : calloc(1, sizeof(*look));

	if (!look)
		return;
	look->owner = first->owner;
	look->nr_pids = count;
	look->pids = calloc(count, sizeof(*look->pids));
	for (unsigned int i = 0; look->pids && i < count; i++)
		look->pids[i] = first[i].pid;
	if (look->pids && copy_knocker(&look->sender, &scan->sender) &&
	    start_thread(look_through, look) == 0)
		cds_list_add_tail(&look->node, &scan->looks);
	else
		free_look(look);
}

static void end_look(struct scan *scan, struct look *look)
{
	const uint32_t owner = look->owner;

	cds_list_del(&look->node);
	if (!await_look(look)) {
		add_hanging(scan, owner);
		return;
	}
	for (unsigned int i = 0; i < look->found.count; i++)
		add_entry(&scan->found, &look->found.array[i]);
	free_look(look);
}

static int compare(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static void add_candidate(struct scan *scan, const struct late_attach_entry *entry, bool hangs)
{
	struct candidate *more =
		grow(scan->candidates, scan->nr_candidates, sizeof(*scan->candidates));

	if (!more)
		return;
	scan->candidates = more;
	more[scan->nr_candidates++] = (struct candidate){
		.owner = subuids_owner(scan->subuids, entry->uid),
		.pid = entry->pid,
		.hangs = hangs,
	};
}

/*
 * `proc` is of a child that waits for a process (attach-request.h), whose directory it has open.
 * That one is not to cost a child for each daemon that is started.
 */
static void add_waited_for(struct scan *scan, int proc)
{
	int fd = openat(proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct late_attach_entry entry = { .pid = 0 };
	struct dirent *item;
	char path[32];

	if (fd >= 0 && !directory)
		close(fd);
	while (directory && !entry.pid && (item = readdir(directory))) {
		ssize_t length = readlinkat(fd, item->d_name, path, sizeof(path) - 1);

		path[length > 0 ? length : 0] = '\0';
		(void)sscanf(path, "/proc/%u", &entry.pid);
	}
	if (directory)
		closedir(directory);
	proc = entry.pid ? open_process(entry.pid) : -1;
	if (proc < 0)
		return;
	if (read_status(proc, &entry))
		add_candidate(scan, &entry, true);
	close(proc);
}

static void find_candidates(struct scan *scan)
{
	DIR *directory = opendir("/proc");
	struct dirent *item;

	while (directory && (item = readdir(directory))) {
		struct late_attach_entry entry = { .pid = (uint32_t)strtoul(item->d_name, NULL,
									    10) };
		int proc = isdigit((unsigned char)item->d_name[0]) ? open_process(entry.pid) : -1;

		if (proc < 0)
			continue;
		if (read_status(proc, &entry)) {
			add_candidate(scan, &entry, false);
			if (entry.hangs && entry.uid == geteuid() &&
			    strcmp(entry.name, ATTACH_CHILD) == 0)
				add_waited_for(scan, proc);
		}
		close(proc);
	}
	if (directory)
		closedir(directory);
	if (scan->nr_candidates)
		qsort(scan->candidates, scan->nr_candidates, sizeof(*scan->candidates), compare);
}

static void free_scan(struct scan *scan)
{
	free((char *)scan->sender.place);
	subuids_destroy(scan->subuids);
	free(scan->candidates);
	free(scan->found.array);
	free(scan);
}

/* Hand over what was found. */
static void finish(struct scan *scan)
{
	struct late_attach *late_attach;

	pthread_mutex_lock(&lock);
	late_attach = scan->late_attach;
	if (late_attach) {
		struct entries before = late_attach->last;

		late_attach->last = scan->found;
		scan->found = before;
		late_attach->scan = NULL;
		pthread_cond_broadcast(&late_attach->finished);
	}
	pthread_mutex_unlock(&lock);
	free_scan(scan);
}

static void *search(void *data)
{
	struct scan *scan = data;
	struct look *look, *after;
	unsigned int first = 0, next;

	find_candidates(scan);
	for (; first < scan->nr_candidates; first = next) {
		next = first + 1;
		while (next < scan->nr_candidates &&
		       scan->candidates[next].owner == scan->candidates[first].owner)
			next++;
		start_look(scan, &scan->candidates[first], next - first);
	}
	cds_list_for_each_entry_safe(look, after, &scan->looks, node)
		end_look(scan, look);
	finish(scan);
	return NULL;
}

/* ---- the main thread --------------------------------------------------------------- */

int late_attach_create(const char *place, uint64_t instance, struct late_attach **result)
{
	struct late_attach *late_attach = calloc(1, sizeof(*late_attach));
	pthread_condattr_t attributes;

	*result = NULL;
	if (!late_attach)
		return -ENOMEM;
	late_attach->sender =
		(struct attach_sender){ .place = strdup(place), .instance = instance };
	if (!late_attach->sender.place) {
		free(late_attach);
		return -ENOMEM;
	}
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&late_attach->finished, &attributes);
	pthread_condattr_destroy(&attributes);
	*result = late_attach;
	return 0;
}

void late_attach_destroy(struct late_attach *late_attach)
{
	if (!late_attach)
		return;
	pthread_mutex_lock(&lock);
	if (late_attach->scan)
		late_attach->scan->late_attach = NULL;
	pthread_mutex_unlock(&lock);
	pthread_cond_destroy(&late_attach->finished);
	free((char *)late_attach->sender.place);
	free(late_attach->last.array);
	free(late_attach);
}

/* Under `lock`. */
static void start_search(struct late_attach *late_attach)
{
	struct scan *scan = calloc(1, sizeof(*scan));

	if (!scan)
		return;
	scan->late_attach = late_attach;
	CDS_INIT_LIST_HEAD(&scan->looks);
	scan->subuids = subuids_create(SUBUIDS_FILE);
	if (scan->subuids && copy_knocker(&scan->sender, &late_attach->sender) &&
	    start_thread(search, scan) == 0)
		late_attach->scan = scan;
	else
		free_scan(scan);
}

void late_attach_scan(struct late_attach *late_attach, unsigned int wait_ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)wait_ms * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&lock);
	if (!late_attach->scan) {
		late_attach->begun_usec = time_now_usec();
		start_search(late_attach);
	}
	while (wait_ms && late_attach->scan &&
	       pthread_cond_timedwait(&late_attach->finished, &lock, &until) == 0)
		continue;
	pthread_mutex_unlock(&lock);
}

void late_attach_refresh(struct late_attach *late_attach)
{
	if (time_now_usec() - late_attach->begun_usec > FRESH_USEC)
		late_attach_scan(late_attach, 0);
}

void late_attach_list(struct late_attach *late_attach,
		      int (*each)(const struct late_attach_entry *entry, void *data), void *data)
{
	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < late_attach->last.count; i++)
		if (each(&late_attach->last.array[i], data) != 0)
			break;
	pthread_mutex_unlock(&lock);
}
