/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/remove-tree.h"

#include <ftw.h>
#include <stdio.h>

#define DEPTH_MOST 32 /* descriptors of the walk */

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	(void)remove(path);
	return 0;
}

void remove_tree(const char *path)
{
	(void)nftw(path, remove_entry, DEPTH_MOST, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
