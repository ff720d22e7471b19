/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "relay/relay-parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "common/protocol/live-time.h"
#include "common/base/log.h"
#include "common/base/losses.h"
#include "common/base/remove-tree.h"
#include "common/base/time.h"

#define ARCHIVES "archives"
#define UST "ust"
#define KERNEL "kernel"
/* In a chunk of which the collector has everything: of a spool, or -COLLECTOR behind it. */
#define DONE ".relay-all"
/* A trace that is being removed, in the spool's folder. */
#define GONE ".relay-gone"
/* Interval of looking at folders for what inotify does not tell: an index folder that was missing.
 */
#define LOOK_MS 100

/* ---- how much there is --------------------------------------------------------------- */

static void publish(const struct relay *relay)
{
	/* A full disk does not stop what makes room there: its blocks are there already. */
	if (pwrite(relay->progress, &relay->counts, sizeof(relay->counts), 0) !=
	    sizeof(relay->counts))
		log_warning("%s/" RELAY_PROGRESS_NAME ": %s", relay->config->output,
			    strerror(errno));
}

void relay_note_connection(struct relay *relay)
{
	relay->counts.connected = relay->created;
	publish(relay);
}

void relay_note_lost(struct relay *relay)
{
	relay->counts.lost++;
	publish(relay);
}

/* KERNEL, or KERNEL-N of a later daemon. */
static bool is_kernel(const char *name)
{
	const size_t length = sizeof(KERNEL) - 1;

	return strncmp(name, KERNEL, length) == 0 && (name[length] == '\0' || name[length] == '-');
}

static enum relay_progress_part part_of(const struct follow *follow)
{
	return is_kernel(follow->name) ? RELAY_PROGRESS_KERNEL : RELAY_PROGRESS_USER;
}

void relay_count(struct relay *relay, const struct follow *follow, uint64_t bytes)
{
	relay->counts.parts[part_of(follow)].confirmed += bytes;
	publish(relay);
}

void relay_count_removed(struct relay *relay, const struct follow *follow, uint64_t bytes)
{
	relay->counts.parts[part_of(follow)].removed += bytes;
	publish(relay);
}

static int open_progress(struct relay *relay)
{
	const struct relay_config *config = relay->config;
	struct relay_progress progress;

	relay->progress =
		presence_take(relay->output, &config->url, config->is_spool, PRESENCE_SENDER);
	if (relay->progress < 0)
		return relay->progress;
	if (pread(relay->progress, &progress, sizeof(progress), 0) == sizeof(progress) &&
	    progress.magic == RELAY_PROGRESS_MAGIC)
		relay->counts = progress;
	/* The former sender was killed, as far as one can know. */
	relay->counts.lost += relay->counts.connected != 0;
	relay->counts.magic = RELAY_PROGRESS_MAGIC;
	publish(relay);
	return 0;
}

/* ---- which traces there are -------------------------------------------------------------- */

static struct follow *find_current(const struct relay *relay, const char *name)
{
	struct follow *follow;

	cds_list_for_each_entry(follow, &relay->follows, node) {
		if (!follow->is_final && strcmp(follow->name, name) == 0)
			return follow;
	}
	return NULL;
}

/* 0, also where it is not there yet; or -errno. */
static int add(struct relay *relay, const char *path, const char *name, uint64_t chunk,
	       bool is_final)
{
	struct follow *follow;
	int error = follow_open(relay->output, path, name, relay->collector,
				relay->config->is_spool, relay->watch, &follow);

	if (error == -ENOENT)
		return 0;
	if (error) {
		log_error("%s/%s: it cannot be sent: %s", relay->config->output, path,
			  error == -EBUSY ? "another process sends it" : strerror(-error));
		return error;
	}
	follow->chunk = chunk;
	follow->is_final = is_final;
	if (relay->config->live_ms) {
		follow->horizon = 0;
		follow_read_live(follow);
	}
	cds_list_add_tail(&follow->node, &relay->follows);
	return 0;
}

/* Behind the last '-', as they are counted. */
static unsigned long chunk_number(const char *name)
{
	const char *dash = strrchr(name, '-');

	return strtoul(dash ? dash + 1 : name, NULL, 10);
}

static int compare_chunks(const struct dirent **one, const struct dirent **other)
{
	unsigned long a = chunk_number((*one)->d_name), b = chunk_number((*other)->d_name);

	return (a > b) - (a < b);
}

static int is_chunk(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static bool is_held(const struct relay *relay, const struct stat *folder)
{
	const struct follow *follow;
	struct stat held;

	cds_list_for_each_entry(follow, &relay->follows, node) {
		if (fstat(follow->dir, &held) == 0 && held.st_dev == folder->st_dev &&
		    held.st_ino == folder->st_ino)
			return true;
	}
	return false;
}

/* Behind all that there are. */
static uint64_t next_chunk(const struct relay *relay)
{
	const struct follow *follow;
	uint64_t chunk = relay->chunk;

	cds_list_for_each_entry(follow, &relay->follows, node) {
		if (follow->is_final && follow->chunk >= chunk)
			chunk = follow->chunk + 1;
	}
	return chunk;
}

static void name_done(const struct relay *relay, char name[NAME_MAX])
{
	bool is_spool = relay->config->is_spool;

	snprintf(name, NAME_MAX, DONE "%s%s", is_spool ? "" : "-",
		 is_spool ? "" : relay->collector);
}

static int add_archive(struct relay *relay, const char *name)
{
	char path[PATH_MAX], done[PATH_MAX], done_name[NAME_MAX];
	struct stat status;

	name_done(relay, done_name);
	snprintf(path, sizeof(path), ARCHIVES "/%s/" UST, name);
	snprintf(done, sizeof(done), ARCHIVES "/%s/" UST "/%s", name, done_name);
	if (fstatat(relay->output, path, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    is_held(relay, &status) ||
	    faccessat(relay->output, done, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	return add(relay, path, UST, next_chunk(relay), true);
}

/* Chunks that were complete before we looked, the oldest first. */
static int add_archives(struct relay *relay)
{
	struct dirent **entries;
	int error = 0, nr_entries;

	nr_entries = scandirat(relay->output, ARCHIVES, &entries, is_chunk, compare_chunks);
	if (nr_entries < 0)
		return errno == ENOENT ? 0 : -errno;
	for (int i = 0; i < nr_entries; i++) {
		error = error ? error : add_archive(relay, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return error;
}

static bool is_moved(const struct relay *relay, const struct follow *follow)
{
	struct stat held, found;

	return fstat(follow->dir, &held) == 0 &&
	       (fstatat(relay->output, follow->name, &found, AT_SYMLINK_NOFOLLOW) < 0 ||
		held.st_dev != found.st_dev || held.st_ino != found.st_ino);
}

/*
 * One that was moved is a chunk, which is complete; the next takes its place. There may have
 * been several since.
 */
static int look_at(struct relay *relay, const char *name)
{
	struct follow *follow = find_current(relay, name);
	int error = 0;

	if (follow && is_moved(relay, follow)) {
		follow->is_final = follow->has_news = true;
		error = follow_scan(follow);
		if (!error)
			error = add_archives(relay);
		follow = NULL;
	}
	return follow || error ? error : add(relay, name, name, next_chunk(relay), false);
}

static int is_later_kernel(const struct dirent *entry)
{
	return is_kernel(entry->d_name) && entry->d_name[sizeof(KERNEL) - 1] &&
	       strlen(entry->d_name) < sizeof(((struct follow *)NULL)->name);
}

/* A later daemon writes another one: nobody tells any more how far this one is. */
static void leave(struct relay *relay, const char *name)
{
	struct follow *follow = find_current(relay, name);

	if (!follow || follow->told == UINT64_MAX)
		return;
	follow->told = UINT64_MAX;
	follow->has_news = true;
}

static int look_at_kernel(struct relay *relay)
{
	int error = look_at(relay, KERNEL), nr_entries;
	struct dirent **entries;

	if (error)
		return error;
	nr_entries = scandirat(relay->output, ".", &entries, is_later_kernel, compare_chunks);
	if (nr_entries < 0)
		return -errno;
	for (int i = 0; i < nr_entries && !error; i++) {
		leave(relay, i > 0 ? entries[i - 1]->d_name : KERNEL);
		error = look_at(relay, entries[i]->d_name);
	}
	for (int i = 0; i < nr_entries; i++)
		free(entries[i]);
	free(entries);
	return error;
}

static int look_at_all(struct relay *relay)
{
	int error = relay->is_over ? 0 : look_at(relay, UST);

	return error || relay->is_over ? error : look_at_kernel(relay);
}

static void take_replaced(struct relay *relay, struct follow *follow,
			  const struct inotify_event *event)
{
	struct follow *other;

	if (!event->len || strcmp(event->name, LIVE_TIME_NAME) != 0) {
		follow->is_described = false;
		return;
	}
	/* Before it is looked which traces there are: one that is not there yet comes later. */
	follow_read_live(follow);
	cds_list_for_each_entry(other, &relay->follows, node)
		other->has_news = true;
}

static int take_event(struct relay *relay, const struct inotify_event *event)
{
	struct follow *follow;
	int error = 0;

	if (event->wd == relay->watch_output || event->mask & IN_Q_OVERFLOW)
		relay->is_looking = true;
	cds_list_for_each_entry(follow, &relay->follows, node) {
		if (event->mask & IN_Q_OVERFLOW) {
			error = error ? error : follow_scan(follow);
			follow->has_news = true;
		} else if (event->wd == follow->watch_index && event->len) {
			return follow_touch(follow, event->name);
		} else if (event->wd == follow->watch_dir) {
			take_replaced(relay, follow, event);
		}
	}
	return error;
}

int relay_look(struct relay *relay)
{
	char events[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
	int64_t now = time_now_ms();
	int error = 0;
	ssize_t got;

	relay->is_looking = relay->is_over || cds_list_empty(&relay->follows) ||
			    now - relay->looked_ms >= LOOK_MS;
	while (!error && (got = read(relay->watch, events, sizeof(events))) > 0) {
		for (char *at = events; at < events + got && !error;) {
			const struct inotify_event *event = (const struct inotify_event *)at;

			error = take_event(relay, event);
			at += sizeof(*event) + event->len;
		}
	}
	if (error || !relay->is_looking)
		return error;
	relay->looked_ms = now;
	return look_at_all(relay);
}

bool relay_is_emptied(const struct relay *relay)
{
	uint64_t confirmed = 0;

	for (size_t i = 0; i < RELAY_PROGRESS_PARTS; i++)
		confirmed += relay->counts.parts[i].confirmed;
	return relay->config->is_spool && confirmed > 0;
}

bool relay_is_abandoned(const struct relay *relay)
{
	struct follow *follow;

	cds_list_for_each_entry(follow, &relay->follows, node) {
		if (!follow->is_final && !follow_is_abandoned(follow))
			return false;
	}
	return true;
}

/*
 * The journals are written first: what was in them when somebody was killed may not have been
 * counted. Without that, a spool would seem fuller each time.
 */
static void count_again(struct relay *relay)
{
	uint64_t confirmed[RELAY_PROGRESS_PARTS];
	const struct follow *follow;

	for (size_t i = 0; i < RELAY_PROGRESS_PARTS; i++)
		confirmed[i] = relay->counts.parts[i].removed;
	cds_list_for_each_entry(follow, &relay->follows, node)
		confirmed[part_of(follow)] += follow_confirmed(follow);
	for (size_t i = 0; i < RELAY_PROGRESS_PARTS; i++) {
		if (relay->counts.parts[i].confirmed < confirmed[i])
			relay->counts.parts[i].confirmed = confirmed[i];
	}
	publish(relay);
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* Removes files whose removal was interrupted by a kill. */
static void remove_rest(const struct relay *relay)
{
	char gone[PATH_MAX];

	snprintf(gone, sizeof(gone), "%s/" GONE, relay->config->output);
	remove_tree(gone);
}

int relay_open(struct relay *relay)
{
	int error;

	CDS_INIT_LIST_HEAD(&relay->follows);
	relay_url_key(&relay->config->url, relay->collector);
	relay->watch = relay->progress = -1;
	relay->output = open(relay->config->output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (relay->output < 0)
		return -errno;
	relay->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (relay->watch < 0)
		return -errno;
	relay->watch_output = inotify_add_watch(relay->watch, relay->config->output,
						IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM);
	if (relay->watch_output < 0)
		return -errno;
	error = open_progress(relay);
	if (!error && relay->config->is_spool)
		remove_rest(relay);
	if (!error)
		error = add_archives(relay);
	if (!error)
		error = look_at_all(relay);
	if (!error)
		count_again(relay);
	if (!error && !cds_list_empty(&relay->follows))
		relay->chunk = cds_list_first_entry(&relay->follows, struct follow, node)->chunk;
	return error;
}

/* The present path of the trace's folder. False: it is not known. */
static bool find_path(const struct follow *follow, char path[PATH_MAX])
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", follow->dir);
	length = readlink(link, path, PATH_MAX - 1);
	if (length <= 0)
		return false;
	path[length] = '\0';
	return true;
}

/*
 * The text after the time, which has the format of output-session-rotate.c; NULL: there is no time.
 */
static const char *parse_time(const char *text, uint64_t *seconds)
{
	struct tm when = { .tm_isdst = -1 };
	const char *end = strptime(text, "%Y%m%dT%H%M%S%z", &when);
	long offset = when.tm_gmtoff;
	time_t time;

	if (!end)
		return NULL;
	time = timegm(&when) - offset;
	*seconds = (uint64_t)time;
	return time >= 0 ? end : NULL;
}

bool relay_chunk_times(const struct follow *follow, uint64_t *begin, uint64_t *end)
{
	uint64_t from, to;
	const char *at;
	char path[PATH_MAX], *name;

	if (!find_path(follow, path))
		return false;
	*strrchr(path, '/') = '\0';
	name = strrchr(path, '/');
	at = name ? parse_time(name + 1, &from) : NULL;
	at = at && *at == '-' ? parse_time(at + 1, &to) : NULL;
	if (!at || *at != '-' || to < from)
		return false;
	*begin = from;
	*end = to;
	return true;
}

/* At once, or not: of a half, the next one would send what is left. Nothing above it is touched. */
static void remove_folder(const struct relay *relay, const struct follow *follow)
{
	char path[PATH_MAX];

	if (!find_path(follow, path))
		return;
	remove_rest(relay);
	if (renameat(AT_FDCWD, path, relay->output, GONE) < 0)
		return;
	remove_rest(relay);
	/* archives/NAME, where it was the only one in it. */
	*strrchr(path, '/') = '\0';
	if (follow->is_final)
		(void)rmdir(path);
}

void relay_drop(struct relay *relay, struct follow *follow)
{
	char name[NAME_MAX];
	int done;

	cds_list_del(&follow->node);
	relay->nr_broken += follow->nr_broken;
	/* Data that was not sent is not lost. */
	if (relay->config->is_spool && !follow->nr_broken) {
		relay->counts.parts[part_of(follow)].removed += follow_confirmed(follow);
		remove_folder(relay, follow);
		publish(relay);
	} else if (follow->is_final) {
		name_done(relay, name);
		done = openat(follow->dir, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0660);
		if (done >= 0)
			close(done);
	}
	follow_close(follow, relay->watch);
}

void relay_close(struct relay *relay)
{
	struct follow *follow, *next;

	cds_list_for_each_entry_safe(follow, next, &relay->follows, node) {
		cds_list_del(&follow->node);
		follow_close(follow, relay->watch);
	}
	if (relay->result->is_complete && relay->config->is_spool) {
		(void)unlinkat(relay->output, RELAY_PROGRESS_NAME, 0);
		(void)unlinkat(relay->output, LOSSES_NAME, 0);
		(void)unlinkat(relay->output, ARCHIVES, AT_REMOVEDIR);
		(void)rmdir(relay->config->output);
	}
	if (relay->progress >= 0)
		close(relay->progress);
	if (relay->watch >= 0)
		close(relay->watch);
	if (relay->output >= 0)
		close(relay->output);
}
