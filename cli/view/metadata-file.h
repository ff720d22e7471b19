/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* metadata-file.h - reads the metadata file of a trace as a whole. */
#ifndef CLI_VIEW_METADATA_FILE_H
#define CLI_VIEW_METADATA_FILE_H

#include <stddef.h>

#define METADATA "metadata"

/*
 * Reads FOLDER/metadata; the caller frees the text. Takes the text out of packets, which collectors
 * write. `flags`: more flags for open(2). 0; -ENODATA: no regular file, or a truncated packet;
 * -E2BIG, after a message of `verb`: babeltrace2 is not to read it (metadata-bounds.h); other
 * -errno.
 */
int metadata_file_read(const char *verb, const char *folder, int flags, char **text, size_t *size);

#endif /* CLI_VIEW_METADATA_FILE_H */
