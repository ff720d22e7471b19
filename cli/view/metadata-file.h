/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* metadata-file.h - the metadata file of a trace, read as a whole. */
#ifndef LTTNGMAP_CLI_VIEW_METADATA_FILE_H
#define LTTNGMAP_CLI_VIEW_METADATA_FILE_H

#include <stddef.h>

#define METADATA "metadata"

/*
 * The text of FOLDER/metadata, for the caller to free, out of the packets in which a collector has
 * it. `flags`: more for open(2). 0; -ENODATA: no regular file, or a packet is cut short; another
 * -errno.
 */
int metadata_file_read(const char *folder, int flags, char **text, size_t *size);

#endif /* LTTNGMAP_CLI_VIEW_METADATA_FILE_H */
