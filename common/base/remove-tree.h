/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* remove-tree.h - a directory with all that is in it. */
#ifndef COMMON_BASE_REMOVE_TREE_H
#define COMMON_BASE_REMOVE_TREE_H

/*
 * Removes what can be removed: follows no link and leaves no file system, whatever others put in
 * the place of a folder below it meanwhile. The path itself is not to be exchanged.
 */
void remove_tree(const char *path);
/* All that is in the folder, which is closed. `depth`: 0. */
void remove_tree_in(int folder, unsigned depth);

#endif /* COMMON_BASE_REMOVE_TREE_H */
