/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * hanging-file FILE: until it is killed (by SIGKILL), a file system on FILE in
 * which that is a file of 64 KiB. Whoever reads it waits for ever.
 */
#define FUSE_USE_VERSION 35
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fuse.h>

static int give_attributes(const char *path, struct stat *status, struct fuse_file_info *file)
{
	(void)path;
	(void)file;
	memset(status, 0, sizeof(*status));
	status->st_mode = S_IFREG | 0644;
	status->st_nlink = 1;
	status->st_size = 65536;
	return 0;
}

static int never_read(const char *path, char *to, size_t size, off_t offset,
		      struct fuse_file_info *file)
{
	(void)path;
	(void)to;
	(void)size;
	(void)offset;
	(void)file;
	pause();
	return 0;
}

int main(int argc, char **argv)
{
	static const struct fuse_operations operations = {
		.getattr = give_attributes,
		.read = never_read,
	};
	char *arguments[] = { argv[0], "-f", "-o", "allow_other", argc > 1 ? argv[1] : "", NULL };

	return fuse_main(5, arguments, &operations, NULL);
}
