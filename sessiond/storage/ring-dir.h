/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-dir.h - a directory in which rings lie as files, with the saved state, so
 * that both survive the death of every process (doc/design/recovering.md).
 *
 * It is one daemon's at a time: the one that has the saved state's lock.
 */
#ifndef SESSIOND_STORAGE_RING_DIR_H
#define SESSIOND_STORAGE_RING_DIR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Make the directory where it is missing, and see that it is ours alone, that
 * nobody lives in it, and that room can be set aside there. A descriptor, or
 * -errno; what is wrong was said.
 *
 * *is_dax: what is stored in a map of its files is in memory that survives a panic, at once.
 * `must_survive`: a file system that cannot do that is refused (-EOPNOTSUPP).
 */
int ring_dir_enter(const char *path, bool must_survive, bool *is_dax);

/*
 * A number that is greater than all that daemons gave out before to folders and files of rings:
 * an earlier daemon's sweeper may still be at work.
 */
uint64_t ring_dir_first(void);

#endif /* SESSIOND_STORAGE_RING_DIR_H */
