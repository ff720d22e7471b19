/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * output-file.h - writes a file that appears complete or not at all.
 *
 * The file is made beside its final place and renamed at the end. Until then an older file stays.
 * No symbolic link is followed. A signal that ends the command removes the unfinished file. One
 * file at a time.
 */
#ifndef CLI_BASE_OUTPUT_FILE_H
#define CLI_BASE_OUTPUT_FILE_H

#include <stdbool.h>

/*
 * Returns a descriptor, or -errno. "-" is standard output. `in_place`: devices and pipes are
 * written directly.
 */
int output_file_open(const char *name, bool in_place);
/*
 * Closes the file. `error` 0: renames the file to `name`; -errno of a failed write: removes the
 * file. 0 or -errno.
 */
int output_file_close(int fd, const char *name, int error);

#endif /* CLI_BASE_OUTPUT_FILE_H */
