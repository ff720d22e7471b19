/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* program-search.h - which file a program's name means. No state, no output. */
#ifndef LTTNGMAP_CLI_BASE_PROGRAM_SEARCH_H
#define LTTNGMAP_CLI_BASE_PROGRAM_SEARCH_H

#include <stddef.h>

/*
 * As execvp: along PATH unless there is a slash. 0, or the errno value that execve
 * would give; ENAMETOOLONG: `path` has no room for it.
 */
int program_search(const char *name, char *path, size_t size);

#endif /* LTTNGMAP_CLI_BASE_PROGRAM_SEARCH_H */
