/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * hang-fs DIRECTORY MOUNTPOINT WHERE UID: a user's file system, mounted with allow_other, that
 * passes everything through to DIRECTORY as that user, unless the file WHERE orders otherwise:
 *
 *   write rename …       operations of these names do not answer as long as that stands there
 *   from N ERROR         the N-th operation of what follows and all later ones fail with that errno
 *                        (28, ENOSPC: those that need room); with 0 they do not answer
 *
 * The N are counted anew where another order stands there; looking a name up is not counted.
 * WHERE.hung names the first operation that did not answer, or failed. It serves until it is
 * killed, and unmounts by SIGTERM.
 */
#define FUSE_USE_VERSION 314

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAUSE_USEC 10000
#define ORDER_SIZE 256
#define THREADS_MAX 64

static int base;          /* the directory */
static const char *where; /* the file */
static char hung[4096];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char order[ORDER_SIZE]; /* lock: the last one that was read … */
static unsigned int counted;   /* lock: … and the operations since */

static void read_order(char text[ORDER_SIZE])
{
	int fd = open(where, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read(fd, text, ORDER_SIZE - 1);

	if (fd >= 0)
		close(fd);
	text[size > 0 ? size : 0] = '\0';
}

/* How many operations there were since the order was given, this one among them. */
static unsigned int count(const char *text, bool is_step)
{
	unsigned int now;

	pthread_mutex_lock(&lock);
	if (strcmp(text, order) != 0)
		counted = 0;
	snprintf(order, sizeof(order), "%s", text);
	counted += is_step;
	now = counted;
	pthread_mutex_unlock(&lock);
	return now;
}

static bool needs_room(const char *operation)
{
	return strstr("mkdir create write rename fsync", operation) != NULL;
}

/* What the order says of the operation: 0: nothing; -errno; 1: that it is not to answer. */
static int ordered(const char *text, const char *operation, bool is_step)
{
	unsigned int from, now = count(text, is_step);
	int error;

	if (sscanf(text, "from %u %d", &from, &error) != 2)
		return strstr(text, operation) != NULL;
	if (now < from || (error == ENOSPC && !needs_room(operation)))
		return 0;
	return error ? -error : 1;
}

static void note(const char *operation, const char *path)
{
	int fd = open(hung, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		return;
	dprintf(fd, "%s %s\n", operation, path);
	close(fd);
}

/* Returns when it is to be done, or fails. 0 or -errno. */
static int obey(const char *operation, const char *path)
{
	char text[ORDER_SIZE];
	int what;

	read_order(text);
	what = ordered(text, operation, strcmp(operation, "getattr") != 0);
	if (what != 0)
		note(operation, path);
	while (what > 0) {
		usleep(PAUSE_USEC);
		read_order(text);
		what = ordered(text, operation, false);
	}
	return what;
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
	int error = obey("getattr", path);

	if (error)
		return error;
	if (file)
		return result_of(fstat((int)file->fh, status));
	return result_of(fstatat(base, name_of(path), status, AT_SYMLINK_NOFOLLOW));
}

static int do_readlink(const char *path, char *to, size_t size)
{
	ssize_t length = readlinkat(base, name_of(path), to, size - 1);

	to[length > 0 ? length : 0] = '\0';
	return length < 0 ? -errno : 0;
}

static int do_mkdir(const char *path, mode_t mode)
{
	int error = obey("mkdir", path);

	return error ? error : result_of(mkdirat(base, name_of(path), mode));
}

static int do_unlink(const char *path)
{
	int error = obey("unlink", path);

	return error ? error : result_of(unlinkat(base, name_of(path), 0));
}

static int do_rmdir(const char *path)
{
	int error = obey("rmdir", path);

	return error ? error : result_of(unlinkat(base, name_of(path), AT_REMOVEDIR));
}

static int do_rename(const char *from, const char *to, unsigned int flags)
{
	int error = obey("rename", from);

	return error ? error : result_of(renameat2(base, name_of(from), base, name_of(to), flags));
}

static int do_truncate(const char *path, off_t size, struct fuse_file_info *file)
{
	int result = obey("truncate", path), fd;

	if (result)
		return result;
	fd = file ? (int)file->fh : openat(base, name_of(path), O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	result = result_of(ftruncate(fd, size));
	if (!file)
		close(fd);
	return result;
}

static int do_open(const char *path, struct fuse_file_info *file)
{
	int error = obey("open", path), fd;

	if (error)
		return error;
	fd = openat(base, name_of(path), (file->flags & ~O_NOFOLLOW) | O_CLOEXEC);
	file->fh = (uint64_t)fd;
	return result_of(fd);
}

static int do_create(const char *path, mode_t mode, struct fuse_file_info *file)
{
	int error = obey("create", path), fd;

	if (error)
		return error;
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
	ssize_t result = obey("write", path);

	if (result)
		return (int)result;
	result = pwrite((int)file->fh, bytes, size, offset);
	return result < 0 ? -errno : (int)result;
}

static int do_fsync(const char *path, int datasync, struct fuse_file_info *file)
{
	int error = obey("fsync", path);

	(void)datasync;
	return error ? error : result_of(fsync((int)file->fh));
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
	int error = obey("readdir", path), fd;
	const struct dirent *entry;
	DIR *directory;

	if (error)
		return error;
	fd = openat(base, name_of(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	directory = fd < 0 ? NULL : fdopendir(fd);
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
	.readlink = do_readlink,
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
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	struct fuse *fuse;
	int result;

	/* Each operation that does not answer has a thread. */
	fuse_loop_cfg_set_max_threads(config, THREADS_MAX);
	if (argc != 5)
		return 2;
	base = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	where = argv[3];
	snprintf(hung, sizeof(hung), "%s.hung", where);
	umask(0);
	fuse = fuse_new(&args, &operations, sizeof(operations), NULL);
	/* The mount is that user's (user_id=), too. */
	if (base < 0 || !fuse || setreuid((uid_t)atoi(argv[4]), -1) != 0 ||
	    fuse_mount(fuse, argv[2]) != 0)
		return 1;
	/* Mounted, it is the user's. */
	if (setgid((gid_t)atoi(argv[4])) != 0 || setuid((uid_t)atoi(argv[4])) != 0 ||
	    fuse_set_signal_handlers(fuse_get_session(fuse)) != 0)
		return 1;
	result = fuse_loop_mt(fuse, config);
	fuse_loop_cfg_destroy(config);
	fuse_unmount(fuse);
	fuse_destroy(fuse);
	return result != 0;
}
