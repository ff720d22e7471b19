/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/base/remove-tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "common/base/beneath.h"

/* Each level holds a descriptor. Ours are not so deep. */
#define DEPTH_MOST 32

static void remove_entry(int folder, const char *name, unsigned depth)
{
	int below;

	if (unlinkat(folder, name, 0) == 0 || errno != EISDIR || depth == DEPTH_MOST)
		return;
	below = beneath_open_directory(folder, name, BENEATH_ANYBODY);
	if (below < 0)
		return;
	remove_tree_in(below, depth + 1);
	(void)unlinkat(folder, name, AT_REMOVEDIR);
}

void remove_tree_in(int folder, unsigned depth)
{
	DIR *directory = fdopendir(folder);
	const struct dirent *entry;

	if (!directory) {
		close(folder);
		return;
	}
	while ((entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove_entry(folder, entry->d_name, depth);
	closedir(directory);
}

void remove_tree(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (folder >= 0)
		remove_tree_in(folder, 0);
	(void)rmdir(path);
}
