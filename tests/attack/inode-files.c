/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * inode-files DIR: until it is killed, a file system on DIR in which each name "…-N" is a file of
 * zeros with the inode number N.
 */
#define FUSE_USE_VERSION 35
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <fuse.h>

#define SIZE (64 << 20)

static void *start(struct fuse_conn_info *connection, struct fuse_config *config)
{
	(void)connection;
	config->use_ino = 1;
	return NULL;
}

static int give_attributes(const char *path, struct stat *status, struct fuse_file_info *file)
{
	const char *number = strrchr(path, '-');

	(void)file;
	memset(status, 0, sizeof(*status));
	status->st_mode = number ? S_IFREG | 0666 : S_IFDIR | 0777;
	status->st_nlink = 1;
	status->st_size = SIZE;
	status->st_ino = number ? strtoull(number + 1, NULL, 10) : 1;
	return 0;
}

static int let_open(const char *path, struct fuse_file_info *file)
{
	(void)path;
	(void)file;
	return 0;
}

static int give_zeros(const char *path, char *to, size_t size, off_t offset,
		      struct fuse_file_info *file)
{
	(void)path;
	(void)offset;
	(void)file;
	memset(to, 0, size);
	return (int)size;
}

int main(int argc, char **argv)
{
	static const struct fuse_operations operations = {
		.init = start,
		.getattr = give_attributes,
		.open = let_open,
		.read = give_zeros,
	};
	char *arguments[] = { argv[0], "-f", "-o", "allow_other", argc > 1 ? argv[1] : "", NULL };

	return fuse_main(5, arguments, &operations, NULL);
}
