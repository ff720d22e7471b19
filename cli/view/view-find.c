/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* view-find.c - finds the directory, and the CTF traces below it. */
#include <config.h>

#include "cli/view/view.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/message.h"

#define DEPTH_MOST 32 /* descriptors of the walk */

const char *view_verb = "view";

/* nftw() has no argument for its callback. */
static struct view_traces *walked;
static int walk_error;
static bool found_unreadable;

/*
 * The -YYYYMMDD-HHMMSS[-N] at the end of a recording's name as a number that grows with time; 0:
 * another name.
 */
static uint64_t recording_time(const char *name)
{
	for (const char *dash = strchr(name, '-'); dash; dash = strchr(dash + 1, '-')) {
		unsigned date, time, again = 1;
		int length = 0, more = 0;

		if (dash == name || strspn(dash + 1, "0123456789") != 8 || dash[9] != '-' ||
		    strspn(dash + 10, "0123456789") != 6)
			continue;
		if (sscanf(dash, "-%8u-%6u%n", &date, &time, &length) != 2)
			continue;
		if (dash[length] != '\0' && (sscanf(dash + length, "-%3u%n", &again, &more) != 1 ||
					     dash[length + more] != '\0'))
			continue;
		return ((uint64_t)date * 1000000 + time) * 1000 + again;
	}
	return 0;
}

int view_find_newest(char *path, size_t size)
{
	DIR *directory = opendir(".");
	struct dirent *entry;
	uint64_t newest = 0;

	if (!directory) {
		message_error("%s: cannot read the current directory: %s", view_verb,
			      strerror(errno));
		return -errno;
	}
	while ((entry = readdir(directory))) {
		uint64_t time = recording_time(entry->d_name);
		struct stat status;

		if (time <= newest || stat(entry->d_name, &status) < 0 ||
		    !S_ISDIR(status.st_mode) || strlen(entry->d_name) >= size)
			continue;
		newest = time;
		strcpy(path, entry->d_name);
	}
	closedir(directory);
	if (newest)
		return 0;
	message_error("%s: there is no recording in this directory", view_verb);
	message_hint("name one: lttngmap %s DIR; or make one: lttngmap record -- PROGRAM",
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
	struct stat status;

	if (stat(path, &status) < 0) {
		message_error("%s: '%s': %s", view_verb, path, strerror(errno));
		return -errno;
	}
	walked = traces;
	walk_error = 0;
	if (nftw(path, walk_entry, DEPTH_MOST, FTW_PHYS) < 0)
		walk_error = -errno;
	if (walk_error) {
		message_error("%s: cannot search '%s': %s", view_verb, path, strerror(-walk_error));
		return walk_error;
	}
	if (traces->count == 0 && found_unreadable) {
		message_hint("ask its owner, or be root");
		return -EACCES;
	}
	if (traces->count == 0) {
		message_error("%s: there is no trace in '%s'", view_verb, path);
		message_hint("a trace is a directory with a file named metadata");
		return -ENOENT;
	}
	qsort(traces->paths, traces->count, sizeof(*traces->paths), compare);
	return 0;
}

void view_traces_free(struct view_traces *traces)
{
	for (size_t i = 0; i < traces->count; i++)
		free(traces->paths[i]);
	free(traces->paths);
	*traces = (struct view_traces){ 0 };
}
