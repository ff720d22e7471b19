/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * hang-fs DIRECTORY MOUNTPOINT WHERE UID: a user's file system, mounted with allow_other, that
 * passes everything through to DIRECTORY as that user. An operation whose name stands in the file
 * WHERE ("create", "write", "rename", …) does not answer as long as it stands there; the file
 * WHERE.hung exists from the first one on. It serves until it is killed, and unmounts by SIGTERM.
 */
#define FUSE_USE_VERSION 314

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAUSE_USEC 10000

static int base;          /* the directory */
static const char *where; /* the file */
static char hung[4096];

static int stands_there(const char *operation)
{
	char text[256];
	int fd = open(where, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[size > 0 ? size : 0] = '\0';
	return strstr(text, operation) != NULL;
}

static void answer_later(const char *operation)
{
	int fd;

	while (stands_there(operation)) {
		fd = open(hung, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		if (fd >= 0)
			close(fd);
		usleep(PAUSE_USEC);
	}
}

static const char *name_of(const char *path)
{
	return path[1] ? path + 1 : ".";
}

static int result_of(int result)
{
	return result < 0 ? -errno : 0;
}

static int do_getattr(const char *path, struct stat *status, struct fuse_file_info *file)
{
	if (file)
		return result_of(fstat((int)file->fh, status));
	return result_of(fstatat(base, name_of(path), status, AT_SYMLINK_NOFOLLOW));
}

static int do_mkdir(const char *path, mode_t mode)
{
	answer_later("mkdir");
	return result_of(mkdirat(base, name_of(path), mode));
}

static int do_unlink(const char *path)
{
	answer_later("unlink");
	return result_of(unlinkat(base, name_of(path), 0));
}

static int do_rmdir(const char *path)
{
	return result_of(unlinkat(base, name_of(path), AT_REMOVEDIR));
}

static int do_rename(const char *from, const char *to, unsigned int flags)
{
	answer_later("rename");
	return result_of(renameat2(base, name_of(from), base, name_of(to), flags));
}

static int do_truncate(const char *path, off_t size, struct fuse_file_info *file)
{
	int fd = file ? (int)file->fh : openat(base, name_of(path), O_WRONLY | O_CLOEXEC), result;

	if (fd < 0)
		return -errno;
	result = result_of(ftruncate(fd, size));
	if (!file)
		close(fd);
	return result;
}

static int do_open(const char *path, struct fuse_file_info *file)
{
	int fd;

	answer_later("open");
	fd = openat(base, name_of(path), (file->flags & ~O_NOFOLLOW) | O_CLOEXEC);
	file->fh = (uint64_t)fd;
	return result_of(fd);
}

static int do_create(const char *path, mode_t mode, struct fuse_file_info *file)
{
	int fd;

	answer_later("create");
	fd = openat(base, name_of(path), (file->flags & ~O_NOFOLLOW) | O_CREAT | O_CLOEXEC, mode);
	file->fh = (uint64_t)fd;
	return result_of(fd);
}

static int do_read(const char *path, char *bytes, size_t size, off_t offset,
		   struct fuse_file_info *file)
{
	ssize_t result = pread((int)file->fh, bytes, size, offset);

	(void)path;
	return result < 0 ? -errno : (int)result;
}

static int do_write(const char *path, const char *bytes, size_t size, off_t offset,
		    struct fuse_file_info *file)
{
	ssize_t result;

	(void)path;
	answer_later("write");
	result = pwrite((int)file->fh, bytes, size, offset);
	return result < 0 ? -errno : (int)result;
}

static int do_fsync(const char *path, int datasync, struct fuse_file_info *file)
{
	(void)path;
	(void)datasync;
	answer_later("fsync");
	return result_of(fsync((int)file->fh));
}

static int do_release(const char *path, struct fuse_file_info *file)
{
	(void)path;
	close((int)file->fh);
	return 0;
}

static int do_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
		      struct fuse_file_info *file, enum fuse_readdir_flags flags)
{
	int fd = openat(base, name_of(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	(void)offset;
	(void)file;
	(void)flags;
	if (!directory)
		return -errno;
	while ((entry = readdir(directory)))
		if (fill(buffer, entry->d_name, NULL, 0, 0))
			break;
	closedir(directory);
	return 0;
}

static void *do_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
	(void)connection;
	/* What is removed is gone, and what is looked up is looked at. */
	config->hard_remove = 1;
	config->attr_timeout = 0;
	config->entry_timeout = 0;
	return NULL;
}

static const struct fuse_operations operations = {
	.init = do_init,
	.getattr = do_getattr,
	.mkdir = do_mkdir,
	.unlink = do_unlink,
	.rmdir = do_rmdir,
	.rename = do_rename,
	.truncate = do_truncate,
	.open = do_open,
	.create = do_create,
	.read = do_read,
	.write = do_write,
	.fsync = do_fsync,
	.release = do_release,
	.readdir = do_readdir,
};

int main(int argc, char **argv)
{
	char *options[] = { argv[0], "-o", "allow_other", NULL };
	struct fuse_args args = FUSE_ARGS_INIT(3, options);
	struct fuse *fuse;
	int result;

	if (argc != 5)
		return 2;
	base = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	where = argv[3];
	snprintf(hung, sizeof(hung), "%s.hung", where);
	umask(0);
	fuse = fuse_new(&args, &operations, sizeof(operations), NULL);
	if (base < 0 || !fuse || fuse_mount(fuse, argv[2]) != 0)
		return 1;
	/* Mounted, it is the user's. */
	if (setgid((gid_t)atoi(argv[4])) != 0 || setuid((uid_t)atoi(argv[4])) != 0 ||
	    fuse_set_signal_handlers(fuse_get_session(fuse)) != 0)
		return 1;
	result = fuse_loop_mt(fuse, NULL);
	fuse_unmount(fuse);
	fuse_destroy(fuse);
	return result != 0;
}
