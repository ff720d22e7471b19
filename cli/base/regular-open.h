/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * regular-open.h - opens files of a trace that somebody else may have made.
 */
#ifndef CLI_BASE_REGULAR_OPEN_H
#define CLI_BASE_REGULAR_OPEN_H

/*
 * Opens a regular file for reading. Links are followed, unless `flags` has O_NOFOLLOW; a device or
 * a FIFO behind one is not opened: to open some devices is to act. A descriptor for the caller to
 * close; -EINVAL: no regular file; another -errno.
 */
int regular_open(const char *path, int flags);

#endif /* CLI_BASE_REGULAR_OPEN_H */
