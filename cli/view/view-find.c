/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* view-find.c - finds the directory, and the CTF traces below it. */
#include <config.h>

#include "cli/view/view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/client/left-recordings.h"
#include "common/base/beneath.h"

#define DEPTH_MOST 32 /* descriptors of the walk */

const char *view_verb = "view";

/* nftw() has no argument for its callback. */
static struct view_traces *walked;
static int walk_error;
static bool found_unreadable;

/* When a recording began, as its metadata tells, and when that file was written last. */
struct recording {
	char begin[sizeof("20261127T061322")]; /* UTC; "": the metadata does not tell */
	struct timespec written;
};

/* Reads the metadata's beginning, where tracers write down when they created the trace. */
static void read_begin(int fd, struct recording *recording)
{
	static const char key[] = "trace_creation_datetime = \"";
	char text[4096];
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);
	char *at;

	for (ssize_t i = 0; i < length; i++)
		text[i] = text[i] ? text[i] : ' ';
	text[length < 0 ? 0 : length] = '\0';
	at = strstr(text, key);
	if (at && strspn(at + sizeof(key) - 1, "0123456789T") == sizeof(recording->begin) - 1)
		snprintf(recording->begin, sizeof(recording->begin), "%s", at + sizeof(key) - 1);
}

/* 0: the folder has the metadata of a trace; or an error. */
static int read_recording(int folder, struct recording *recording)
{
	int fd = beneath_open(folder, "metadata", O_RDONLY, 0, BENEATH_ANYBODY);
	struct stat status;

	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0 || status.st_size == 0) {
		close(fd);
		return -ENODATA;
	}
	*recording = (struct recording){ .written = status.st_mtim };
	read_begin(fd, recording);
	if (!recording->begin[0]) {
		struct tm tm;

		gmtime_r(&status.st_mtim.tv_sec, &tm);
		strftime(recording->begin, sizeof(recording->begin), "%Y%m%dT%H%M%S", &tm);
	}
	close(fd);
	return 0;
}

static bool is_newer(const struct recording *a, const struct recording *b)
{
	int order = strcmp(a->begin, b->begin);

	if (order)
		return order > 0;
	if (a->written.tv_sec != b->written.tv_sec)
		return a->written.tv_sec > b->written.tv_sec;
	return a->written.tv_nsec > b->written.tv_nsec;
}

/*
 * Opens a folder in which no other user but root makes names: the caller's or root's, not open to
 * all for writing. Links and mounts are not entered, so no other user's file system is asked.
 */
static int open_trusted(int folder, const char *name)
{
	int fd = beneath_open_directory(folder, name, BENEATH_ANYBODY);
	struct stat status;

	if (fd < 0)
		return fd;
	if (fstat(fd, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0) &&
	    !(status.st_mode & S_IWOTH))
		return fd;
	close(fd);
	return -EACCES;
}

/* Takes the folder's metadata if it is of a newer recording. True: it is. */
static bool look_at(int folder, const char *name, struct recording *newest)
{
	int fd = open_trusted(folder, name);
	struct recording recording;
	bool is_taken;

	if (fd < 0)
		return false;
	is_taken = read_recording(fd, &recording) == 0 &&
		   (!newest->begin[0] || is_newer(&recording, newest));
	if (is_taken)
		*newest = recording;
	close(fd);
	return is_taken;
}

/* The next name in the directory that may be a folder's, or NULL. */
static const char *next_folder(DIR *directory)
{
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] != '.' &&
		    (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN))
			return entry->d_name;
	}
	return NULL;
}

static DIR *open_list(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !directory)
		close(fd);
	return directory;
}

/* The same for what is in each folder's ust. */
static bool look_at_chunks(int folder, struct recording *newest)
{
	DIR *directory = open_list(folder);
	bool is_taken = false;
	const char *name;

	while ((name = next_folder(directory))) {
		int fd = open_trusted(folder, name);

		if (fd < 0)
			continue;
		is_taken |= look_at(fd, "ust", newest);
		close(fd);
	}
	if (directory)
		closedir(directory);
	return is_taken;
}

/* The same wherever sessions, chunks of a rotated one and snapshots have metadata. */
static bool look_below(int folder, const char *name, struct recording *newest)
{
	bool is_taken = look_at(folder, name, newest);
	int fd = open_trusted(folder, name), archives;

	if (fd < 0)
		return is_taken;
	is_taken |= look_at(fd, "ust", newest);
	is_taken |= look_at(fd, "kernel", newest);
	is_taken |= look_at_chunks(fd, newest);
	archives = open_trusted(fd, "archives");
	if (archives >= 0) {
		is_taken |= look_at_chunks(archives, newest);
		close(archives);
	}
	close(fd);
	return is_taken;
}

int view_find_newest(char *path, size_t size)
{
	DIR *here = opendir(".");
	struct recording newest = { 0 };
	const char *name;

	while ((name = next_folder(here))) {
		if (look_below(dirfd(here), name, &newest))
			snprintf(path, size, "%s", name);
	}
	if (here)
		closedir(here);
	if (newest.begin[0]) {
		message_note("%s: the newest recording here: %s", view_verb, path);
		return 0;
	}
	message_error("%s: there is no recording in this directory", view_verb);
	message_hint("name one, also if it is another user's: lttngmap %s DIR; or make one: "
		     "lttngmap record -- PROGRAM",
		     view_verb);
	return -ENOENT;
}

static int add_trace(const char *path, size_t length)
{
	char **paths = realloc(walked->paths, (walked->count + 1) * sizeof(*paths));

	if (!paths)
		return -ENOMEM;
	walked->paths = paths;
	paths[walked->count] = strndup(path, length);
	if (!paths[walked->count])
		return -ENOMEM;
	walked->count++;
	return 0;
}

/* Prints one message for each unreadable directory. */
static int tell_unreadable(const char *path)
{
	message_error("%s: cannot read '%s': %s", view_verb, path, strerror(EACCES));
	found_unreadable = true;
	return 0;
}

static int walk_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	if (type == FTW_DNR || type == FTW_NS)
		return tell_unreadable(path);
	if (type != FTW_F || strcmp(path + walk->base, "metadata") != 0)
		return 0;
	if (access(path, R_OK) < 0)
		return tell_unreadable(path);
	if (status->st_size == 0) {
		message_note("%s: skipped: %s is empty", view_verb, path);
		return 0;
	}
	walk_error = add_trace(path, walk->base > 1 ? walk->base - 1 : walk->base);
	return walk_error;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int view_find_traces(const char *path, struct view_traces *traces)
{
	const size_t before = traces->count;
	struct stat status;

	if (stat(path, &status) < 0) {
		message_error("%s: '%s': %s", view_verb, path, strerror(errno));
		return -errno;
	}
	walked = traces;
	walk_error = 0;
	found_unreadable = false;
	if (nftw(path, walk_entry, DEPTH_MOST, FTW_PHYS) < 0)
		walk_error = -errno;
	if (walk_error) {
		message_error("%s: cannot search '%s': %s", view_verb, path, strerror(-walk_error));
		return walk_error;
	}
	if (traces->count == before && found_unreadable) {
		message_hint("ask its owner, or be root");
		return -EACCES;
	}
	if (traces->count == before) {
		message_error("%s: there is no trace in '%s'", view_verb, path);
		if (!left_recordings_tell(view_verb, path))
			message_hint("a trace is a directory with a file named metadata");
		return -ENOENT;
	}
	qsort(traces->paths + before, traces->count - before, sizeof(*traces->paths), compare);
	return 0;
}

int view_find_all(const char *const *paths, size_t nr_paths, struct view_traces *traces)
{
	int error = 0;

	for (size_t i = 0; !error && i < nr_paths; i++)
		error = view_find_traces(paths[i], traces);
	return error;
}

void view_traces_free(struct view_traces *traces)
{
	for (size_t i = 0; i < traces->count; i++)
		free(traces->paths[i]);
	free(traces->paths);
	*traces = (struct view_traces){ 0 };
}
