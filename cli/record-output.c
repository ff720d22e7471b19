/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-output.c - the trace's directory: never one that holds something.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "common/name.h"
#include "record.h"
#include "report.h"

#define NAMES_TRIED 1000                  /* recordings of one program begun in one second */
#define SPACE_LEAST (UINT64_C(256) << 10) /* below that not even metadata and indexes fit */

static bool is_empty(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	bool empty = true;

	if (!directory)
		return false;
	while ((entry = readdir(directory))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			empty = false;
	}
	closedir(directory);
	return empty;
}

static int create_named(struct record *record, const char *path)
{
	struct stat status;

	if (mkdir(path, 0777) == 0) {
		record->output_made = true;
		return 0;
	}
	if (errno != EEXIST) {
		int error = errno;

		report_error("record: cannot make the directory '%s': %s", path, strerror(error));
		report_hint("-o DIR writes the trace elsewhere");
		return -error;
	}
	if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode)) {
		report_error("record: '%s' is there and is no directory", path);
		report_hint("name a new directory");
		return -ENOTDIR;
	}
	if (!is_empty(path)) {
		report_error("record: the directory '%s' is not empty", path);
		report_hint("name a new one: traces are never overwritten or mixed");
		return -ENOTEMPTY;
	}
	if (access(path, W_OK | X_OK) < 0) {
		int error = errno;

		report_error("record: cannot write in '%s': %s", path, strerror(error));
		report_hint("-o DIR writes the trace elsewhere");
		return -error;
	}
	return 0;
}

/* PROGRAM-YYYYMMDD-HHMMSS, with -2, -3, … where that exists. */
static int create_default(struct record *record, char *path, size_t size)
{
	time_t now = time(NULL);
	struct tm local;
	char name[NAME_PROGRAM_SIZE], date[32];
	const char *base = strrchr(record->command[0], '/');

	base = base ? base + 1 : record->command[0];
	name_clean_program(base, strlen(base), name);
	if (!localtime_r(&now, &local) ||
	    strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local) == 0)
		strcpy(date, "00000000-000000");
	for (int i = 1; i <= NAMES_TRIED; i++) {
		int error;

		if (i == 1)
			snprintf(path, size, "%s-%s", name, date);
		else
			snprintf(path, size, "%s-%s-%d", name, date, i);
		if (mkdir(path, 0777) == 0) {
			record->output_made = true;
			return 0;
		}
		error = errno;
		if (error == EEXIST)
			continue;
		report_error("record: cannot make the directory '%s' here: %s", path,
			     strerror(error));
		report_hint("-o DIR writes the trace elsewhere");
		return -error;
	}
	report_error("record: '%s' and %d more names are taken", path, NAMES_TRIED - 1);
	report_hint("-o DIR writes the trace elsewhere");
	return -EEXIST;
}

static int check_space(const char *path)
{
	struct statvfs status;

	if (statvfs(path, &status) < 0)
		return 0;
	/* File systems without a size, such as some overlays, say zero blocks. */
	if (status.f_blocks == 0 || (uint64_t)status.f_bavail * status.f_frsize >= SPACE_LEAST)
		return 0;
	report_error("record: the file system of '%s' is full", path);
	report_hint("make room there, or write the trace elsewhere by -o DIR");
	return -ENOSPC;
}

int record_output_create(struct record *record)
{
	char path[PATH_MAX];
	int error;

	if (record->options.output) {
		if ((size_t)snprintf(path, sizeof(path), "%s", record->options.output) >=
			    sizeof(path) ||
		    path[0] == '\0') {
			report_error("record: -o: that is not the name of a directory");
			return -EINVAL;
		}
		error = create_named(record, path);
	} else {
		error = create_default(record, path, sizeof(path));
	}
	if (error)
		return error;
	if (!realpath(path, record->output)) {
		error = -errno;
		report_error("record: '%s': %s", path, strerror(-error));
		if (record->output_made)
			rmdir(path);
		record->output[0] = '\0';
		return error;
	}
	error = check_space(record->output);
	if (error)
		record_output_remove(record);
	return error;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	/* The top stays here; its owner decides. */
	if (walk->level > 0)
		remove(path);
	return 0;
}

void record_output_remove(struct record *record)
{
	if (record->output[0] == '\0')
		return;
	nftw(record->output, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	if (record->output_made)
		rmdir(record->output);
	record->output[0] = '\0';
}
