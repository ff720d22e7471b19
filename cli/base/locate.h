/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * locate.h - finds the other programs and libraries of lttngmap from this command's own path, in
 * the build tree and where it is installed, wherever that was moved to.
 */
#ifndef CLI_BASE_LOCATE_H
#define CLI_BASE_LOCATE_H

#include <stddef.h>

/* Writes the executable's path to `path`; only its name if PATH has to be searched. */
void locate_program(const char *name, const char *environment, char *path, size_t size);
/* Writes the library's absolute path to `path`. 0, -ENOENT or -ENAMETOOLONG. */
int locate_library(const char *name, char *path, size_t size);

#endif /* CLI_BASE_LOCATE_H */
