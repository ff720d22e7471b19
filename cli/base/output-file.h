/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * output-file.h - a file that is there as a whole, or not at all. It is made beside its place,
 * and takes that when it is finished: an older one is there until then, and no link that
 * somebody else made there is followed. A signal that ends the command removes it. One at a time.
 */
#ifndef LTTNGMAP_CLI_BASE_OUTPUT_FILE_H
#define LTTNGMAP_CLI_BASE_OUTPUT_FILE_H

#include <stdbool.h>

/*
 * A descriptor, or -errno. "-" is standard output. Where `in_place`, devices and pipes are
 * written as they are.
 */
int output_file_open(const char *name, bool in_place);
/* Closes it. `error`: -errno of what was written, and then nothing is left; 0: put it in its place.
 * 0 or -errno. */
int output_file_close(int fd, const char *name, int error);

#endif /* LTTNGMAP_CLI_BASE_OUTPUT_FILE_H */
