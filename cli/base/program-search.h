/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* program-search.h - finds the file that a program's name stands for. No state, no output. */
#ifndef CLI_BASE_PROGRAM_SEARCH_H
#define CLI_BASE_PROGRAM_SEARCH_H

#include <stddef.h>

/*
 * Searches along PATH as execvp() does, unless `name` has a slash. 0, or the errno of execve();
 * ENAMETOOLONG: `path` is too small.
 */
int program_search(const char *name, char *path, size_t size);

#endif /* CLI_BASE_PROGRAM_SEARCH_H */
