/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * hanging-file FILE [KIND]: until it is killed (by SIGKILL), a file system on FILE.
 *
 *   hanging  FILE has 64 KiB. Whoever reads it waits for ever. Where no KIND is given.
 *   dirty    FILE has 64 KiB of zeros. The kernel writes it back later; whoever waits for that
 *            waits for ever.
 *   inodes   FILE is a directory. Each name "…-N" in it is a file of zeros with the inode
 *            number N.
 *   silent   FILE is a directory. Whoever asks for its attributes waits for ever.
 *   UID      FILE is a directory of that user's, mode 0700. The kernel keeps its attributes, once
 *            somebody has asked for them. Whoever looks up a name in it waits for ever.
 */
#define FUSE_USE_VERSION 35
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fuse.h>

#define SIZE 65536
#define INODES_SIZE (64 << 20)

static bool is_dirty, is_inodes, is_silent;
static uid_t owner; /* 0: no directory of a user's */

static void *start(struct fuse_conn_info *connection, struct fuse_config *config)
{
	config->use_ino = is_inodes;
	if (is_dirty) {
		connection->want |= FUSE_CAP_WRITEBACK_CACHE;
		config->attr_timeout = 3600;
	}
	if (owner)
		config->attr_timeout = 3600;
	return NULL;
}

static int give_attributes(const char *path, struct stat *status, struct fuse_file_info *file)
{
	const char *number = strrchr(path, '-');

	(void)file;
	memset(status, 0, sizeof(*status));
	if (is_silent || (owner && strcmp(path, "/") != 0))
		pause();
	if (owner) {
		status->st_mode = S_IFDIR | 0700;
		status->st_nlink = 2;
		status->st_uid = owner;
		return 0;
	}
	status->st_mode = is_inodes && !number ? S_IFDIR | 0777 : S_IFREG | 0666;
	status->st_nlink = 1;
	status->st_size = is_inodes ? INODES_SIZE : SIZE;
	status->st_ino = number ? strtoull(number + 1, NULL, 10) : 1;
	return 0;
}

static int give_zeros(const char *path, char *to, size_t size, off_t offset,
		      struct fuse_file_info *file)
{
	(void)path;
	(void)offset;
	(void)file;
	if (!is_dirty && !is_inodes)
		pause();
	memset(to, 0, size);
	return (int)size;
}

static int never_write(const char *path, const char *from, size_t size, off_t offset,
		       struct fuse_file_info *file)
{
	(void)path;
	(void)from;
	(void)size;
	(void)offset;
	(void)file;
	pause();
	return 0;
}

int main(int argc, char **argv)
{
	static const struct fuse_operations operations = {
		.init = start,
		.getattr = give_attributes,
		.read = give_zeros,
		.write = never_write,
	};
	char *arguments[] = { argv[0], "-f", "-o", "allow_other", argc > 1 ? argv[1] : "", NULL };

	is_dirty = argc > 2 && strcmp(argv[2], "dirty") == 0;
	is_inodes = argc > 2 && strcmp(argv[2], "inodes") == 0;
	is_silent = argc > 2 && strcmp(argv[2], "silent") == 0;
	owner = argc > 2 ? (uid_t)strtoul(argv[2], NULL, 10) : 0;
	return fuse_main(5, arguments, &operations, NULL);
}
