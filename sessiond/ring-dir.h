/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-dir.h - a directory in which rings lie as files, with the ledger, so
 * that both survive the death of every process (doc/design/recovering.md).
 *
 * It is one daemon's at a time: the one that has the ledger's lock.
 */
#ifndef SESSIOND_RING_DIR_H
#define SESSIOND_RING_DIR_H

/*
 * Make the directory where it is missing, and see that it is ours alone, that
 * nobody lives in it, and that room can be set aside there. What a daemon left
 * that was killed before it had a ledger is removed. A descriptor, or -errno;
 * what is wrong was said.
 */
int ring_dir_enter(const char *path);

/* A file of rings, by its name. */
int ring_dir_is_ring(const char *name);
/* Remove all files of rings. */
void ring_dir_empty(int dir);

#endif /* SESSIOND_RING_DIR_H */
