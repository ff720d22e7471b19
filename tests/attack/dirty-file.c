/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * dirty-file FILE: until it is killed (by SIGKILL), a file system on FILE in
 * which that is a file that the kernel writes back later. Whoever waits for that
 * waits for ever.
 */
#define FUSE_USE_VERSION 35
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fuse.h>

static void *start(struct fuse_conn_info *connection, struct fuse_config *config)
{
	connection->want |= FUSE_CAP_WRITEBACK_CACHE;
	config->attr_timeout = 3600;
	return NULL;
}

static int give_attributes(const char *path, struct stat *status, struct fuse_file_info *file)
{
	(void)path;
	(void)file;
	memset(status, 0, sizeof(*status));
	status->st_mode = S_IFREG | 0666;
	status->st_nlink = 1;
	status->st_size = 65536;
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
		.open = let_open,
		.read = give_zeros,
		.write = never_write,
	};
	char *arguments[] = { argv[0], "-f", "-o", "allow_other", argc > 1 ? argv[1] : "", NULL };

	return fuse_main(5, arguments, &operations, NULL);
}
