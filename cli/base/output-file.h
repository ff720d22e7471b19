/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * output-file.h - writes a file that appears complete or not at all.
 *
 * The file is made beside its final place and renamed at the end. Until then an older file stays.
 * No symbolic link is followed in its place, and root follows links of its own only on the way to
 * it. What root makes in another user's folder has no access control list. A signal that ends the
 * command removes the unfinished file. One file at a time.
 */
#ifndef CLI_BASE_OUTPUT_FILE_H
#define CLI_BASE_OUTPUT_FILE_H

#include <stdbool.h>

/*
 * Returns a descriptor, or -errno, for beneath_why(). "-" is standard output. `in_place`: devices
 * and pipes are written directly, if no other user put them, or a link to them, in root's way.
 */
int output_file_open(const char *name, bool in_place);
/*
 * Closes the file. `error` 0: gives the file its name; -errno of a failed write: removes the
 * file. `replace`: an older file of that name goes; otherwise it stays, and -EEXIST is returned. 0
 * or -errno.
 */
int output_file_close(int fd, bool replace, int error);

#endif /* CLI_BASE_OUTPUT_FILE_H */
