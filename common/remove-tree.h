/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* remove-tree.h - a directory with all that is in it. */
#ifndef LTTNGMAP_REMOVE_TREE_H
#define LTTNGMAP_REMOVE_TREE_H

/*
 * Removes what can be removed: follows no link and leaves no file system. Not for a path that
 * others may exchange meanwhile. One thread, as nftw(3).
 */
void remove_tree(const char *path);

#endif /* LTTNGMAP_REMOVE_TREE_H */
