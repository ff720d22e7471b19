/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * output-dir.h - creates the directory of a new trace. A directory that contains something is never
 * used. One thread; messages begin with the verb's name.
 *
 * Another user may own the directory above, and replace any name there at any time. So the
 * directory is held by a descriptor, and only what is in that very directory is removed. Root
 * follows links of its own only (common/base/beneath.h).
 */
#ifndef CLI_BASE_OUTPUT_DIR_H
#define CLI_BASE_OUTPUT_DIR_H

#include <limits.h>
#include <stdbool.h>

#define OUTPUT_DIR_DATE_SIZE 32

struct output_dir {
	char path[PATH_MAX]; /* absolute, without links; "" until made */
	int folder; /* the directory itself, until this command ends; where `path` is set */
	bool made;  /* this command made the directory and may remove it */
	unsigned int made_parents; /* so many above it, likewise */
};

/*
 * Creates the directory `chosen`, with those above it, or uses it if it is empty. NULL: creates
 * PREFIX-DATE-TIME in the current directory. 0, or -errno after a message.
 */
int output_dir_create(const char *verb, const char *chosen, const char *prefix,
		      struct output_dir *dir);
/* Takes the open directory `folder`, also after an error, and sets `path`. 0 or -errno. */
int output_dir_hold(struct output_dir *dir, int folder);
/* Removes the directory if this command made it; else removes only its contents. */
void output_dir_remove(struct output_dir *dir);
/* True if `path` is a directory that contains more than notes of a session without a trace. */
bool output_dir_is_taken(const char *path);
/* Writes the current time as YYYYMMDD-HHMMSS to `date`, of OUTPUT_DIR_DATE_SIZE bytes. */
void output_dir_date(char *date);

#endif /* CLI_BASE_OUTPUT_DIR_H */
