/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* metadata-file.h - reads the metadata file of a trace as a whole. */
#ifndef CLI_VIEW_METADATA_FILE_H
#define CLI_VIEW_METADATA_FILE_H

#include <stddef.h>

#define METADATA "metadata"

/*
 * Reads the metadata file `path`; the caller frees the text, and a NUL follows it. Takes the text
 * out of packets, which collectors write. `flags`: more flags for open(2). Does not wait for a
 * FIFO's writer. 0; -ENODATA: no regular file, one of more than 256 MiB, or a truncated packet;
 * other -errno.
 */
int metadata_file_text(const char *path, int flags, char **text, size_t *size);
/*
 * Reads FOLDER/metadata as metadata_file_text() does. Also -E2BIG, after a message of `verb`:
 * babeltrace2 is not to read it (metadata-bounds.h).
 */
int metadata_file_read(const char *verb, const char *folder, int flags, char **text, size_t *size);

#endif /* CLI_VIEW_METADATA_FILE_H */
