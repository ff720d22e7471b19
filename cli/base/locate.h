/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * locate.h - where the other parts of lttngmap lie: beside this command in
 * the build tree, beside it in an installation that was moved, or where
 * configure said.
 */
#ifndef LTTNGMAP_CLI_BASE_LOCATE_H
#define LTTNGMAP_CLI_BASE_LOCATE_H

#include <stddef.h>

/* An executable's path into `path`; the name alone where only PATH can tell. */
void locate_program(const char *name, const char *environment, char *path, size_t size);
/* A library's absolute path. 0, -ENOENT or -ENAMETOOLONG. */
int locate_library(const char *name, char *path, size_t size);

#endif /* LTTNGMAP_CLI_BASE_LOCATE_H */
