/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * output-dir.h - a directory for a new trace, which is never one that holds
 * something. One thread; messages begin with the verb's name.
 */
#ifndef LTTNGMAP_CLI_BASE_OUTPUT_DIR_H
#define LTTNGMAP_CLI_BASE_OUTPUT_DIR_H

#include <limits.h>
#include <stdbool.h>

#define OUTPUT_DIR_DATE_SIZE 32

struct output_dir {
	char path[PATH_MAX]; /* absolute, "" until made */
	bool made;           /* we made the directory: ours to remove */
};

/*
 * The directory `chosen`, new or empty; NULL: PREFIX-DATE-TIME in the current
 * one. 0, or -errno after a message.
 */
int output_dir_create(const char *verb, const char *chosen, const char *prefix,
		      struct output_dir *dir);
/* Removes what we made; a directory that was there is emptied only. */
void output_dir_remove(struct output_dir *dir);
/* Is that a directory with something in it? */
bool output_dir_is_taken(const char *path);
/* YYYYMMDD-HHMMSS, now, into `date` of OUTPUT_DIR_DATE_SIZE bytes. */
void output_dir_date(char *date);

#endif /* LTTNGMAP_CLI_BASE_OUTPUT_DIR_H */
