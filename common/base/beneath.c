/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/base/beneath.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SAFE (O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
#define RESOLVE (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)
#define LINKS_MAX 40
#define PROBE ".lttngmap.owner"

static char why[2 * PATH_MAX];

const char *beneath_why(int error)
{
	return error == -BENEATH_REFUSED ? why : strerror(-error);
}

static int refuse(int folder, const char *name, const char *what)
{
	char link[32], path[PATH_MAX] = "/";
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	length = folder < 0 ? 1 : readlink(link, path, sizeof(path) - 1);
	path[length < 0 ? 0 : length] = '\0';
	snprintf(why, sizeof(why), "%s/%s %s", strcmp(path, "/") ? path : "", name, what);
	return -BENEATH_REFUSED;
}

/* Where the kernel (before 5.6) or a container has no openat2(), mounts are told by their device.
 */
static int open_plain(int folder, const char *name, int flags, mode_t mode)
{
	int fd = openat(folder, name, flags, mode);
	struct stat above, status;

	if (fd < 0)
		return -1;
	if (fstat(folder, &above) < 0 || fstat(fd, &status) < 0 ||
	    (S_ISDIR(status.st_mode) && status.st_dev != above.st_dev)) {
		close(fd);
		errno = EXDEV;
		return -1;
	}
	return fd;
}

static int open_beneath(int folder, const char *name, int flags, mode_t mode)
{
	struct open_how how = {
		.flags = (unsigned)(flags | SAFE),
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = RESOLVE,
	};
	int fd;

	/* A link is opened as one, by O_PATH alone. */
	if (flags & O_PATH)
		how = (struct open_how){ .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
					 .resolve = RESOLVE & ~(unsigned)RESOLVE_NO_SYMLINKS };
	fd = (int)syscall(SYS_openat2, folder, name, &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open_plain(folder, name, (int)how.flags, mode);
	return fd;
}

static const char *name_kind(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFLNK:
		return "is a symbolic link, which is not followed";
	case S_IFDIR:
		return "is a folder";
	case S_IFIFO:
		return "is a FIFO";
	case S_IFREG:
		return "is a file, and no folder";
	default:
		return "is no regular file";
	}
}

/* The errno that names the cause of an openat2() failure for people. */
static int refuse_errno(int folder, const char *name, int error)
{
	struct stat status;

	if (error == EXDEV)
		return refuse(folder, name, "is a mount of another file system");
	if (error == EAGAIN)
		return refuse(folder, name, "is held by a program's lease (F_SETLEASE)");
	if (error != ELOOP && error != ENOTDIR && error != EISDIR && error != ENXIO &&
	    error != ENODEV)
		return -error;
	if (beneath_stat(folder, name, &status) < 0)
		return -error;
	return refuse(folder, name, name_kind(status.st_mode));
}

static int close_with(int fd, int error)
{
	close(fd);
	return error;
}

static int check_owner(int folder, const char *name, const struct stat *status, uid_t owner)
{
	if (owner == BENEATH_ANYBODY || status->st_uid == owner)
		return 0;
	return refuse(folder, name, "belongs to another user");
}

static int check_file(int folder, const char *name, int fd, int flags, uid_t owner)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return refuse(folder, name, name_kind(status.st_mode));
	if ((flags & O_ACCMODE) == O_RDONLY)
		return 0;
	if (status.st_nlink > 1)
		return refuse(folder, name, "has other names, too: hard links");
	return check_owner(folder, name, &status, owner);
}

int beneath_open(int folder, const char *name, int flags, mode_t mode, uid_t owner)
{
	int error, fd = open_beneath(folder, name, flags & ~O_TRUNC, mode);

	if (fd < 0)
		return refuse_errno(folder, name, errno);
	error = check_file(folder, name, fd, flags, owner);
	if (!error && (flags & O_TRUNC) && ftruncate(fd, 0) < 0)
		error = -errno;
	return error ? close_with(fd, error) : fd;
}

int beneath_create(int folder, const char *name, mode_t mode)
{
	if (unlinkat(folder, name, 0) < 0 && errno != ENOENT)
		return -errno;
	return beneath_open(folder, name, O_WRONLY | O_CREAT | O_EXCL, mode, BENEATH_ANYBODY);
}

int beneath_open_directory(int folder, const char *name, uid_t owner)
{
	int error, fd = open_beneath(folder, name, O_RDONLY | O_DIRECTORY, 0);
	struct stat status;

	if (fd < 0)
		return refuse_errno(folder, name, errno);
	error = fstat(fd, &status) < 0 ? -errno : check_owner(folder, name, &status, owner);
	return error ? close_with(fd, error) : fd;
}

int beneath_shed_acl(int folder, int fd)
{
	struct stat status;

	if (beneath_user() != 0)
		return 0;
	if (fstat(folder, &status) < 0)
		return -errno;
	if (status.st_uid == 0)
		return 0;
	if ((fremovexattr(fd, "system.posix_acl_default") < 0 && errno != ENODATA &&
	     errno != EOPNOTSUPP) ||
	    (fremovexattr(fd, "system.posix_acl_access") < 0 && errno != ENODATA &&
	     errno != EOPNOTSUPP))
		return -errno;
	return 0;
}

int beneath_make_directory(int folder, const char *name, mode_t mode, uid_t owner)
{
	bool is_made = mkdirat(folder, name, mode) == 0;
	int error, fd;

	if (!is_made && errno != EEXIST)
		return -errno;
	fd = beneath_open_directory(folder, name, owner);
	error = fd >= 0 && is_made ? beneath_shed_acl(folder, fd) : 0;
	return error ? close_with(fd, error) : fd;
}

int beneath_stat(int folder, const char *name, struct stat *status)
{
	int error = 0, fd = open_beneath(folder, name, O_PATH, 0);

	if (fd < 0)
		return errno == EXDEV ? refuse_errno(folder, name, EXDEV) : -errno;
	if (fstat(fd, status) < 0)
		error = -errno;
	return close_with(fd, error);
}

int beneath_check_same(int folder, const char *name, int fd)
{
	struct stat found, held;
	int error = beneath_stat(folder, name, &found);

	if (error && error != -ENOENT)
		return error;
	if (fstat(fd, &held) < 0)
		return -errno;
	if (error)
		return refuse(folder, name, "was removed, or moved away");
	if (found.st_dev == held.st_dev && found.st_ino == held.st_ino)
		return 0;
	return refuse(folder, name,
		      S_ISDIR(found.st_mode) ? "is another folder than it was"
					     : name_kind(found.st_mode));
}

/* ---- a path ------------------------------------------------------------------------ */

struct walk {
	char rest[PATH_MAX]; /* of the path */
	int dir;             /* up to which it leads */
	unsigned links;
	mode_t mode; /* of missing folders; 0: none is made */
};

/* setfsuid() of an invalid id changes nothing and returns the id in force. */
uid_t beneath_user(void)
{
	return (uid_t)setfsuid(BENEATH_ANYBODY);
}

static bool is_another_users(const struct stat *status)
{
	return beneath_user() == 0 && status->st_uid != 0;
}

/* The first component of what is left; false: none is. */
static bool take_component(struct walk *walk, char name[NAME_MAX + 1], int *error)
{
	size_t slashes = strspn(walk->rest, "/");
	size_t length = strcspn(walk->rest + slashes, "/");

	*error = length > NAME_MAX ? -ENAMETOOLONG : 0;
	if (length == 0 || *error)
		return false;
	memcpy(name, walk->rest + slashes, length);
	name[length] = '\0';
	memmove(walk->rest, walk->rest + slashes + length,
		strlen(walk->rest + slashes + length) + 1);
	return true;
}

/* Puts the link's target in front of the rest of the path. */
static int follow_link(struct walk *walk, const char *name, int link)
{
	char target[PATH_MAX], rest[PATH_MAX];
	struct stat status;
	ssize_t length;

	if (fstat(link, &status) < 0)
		return -errno;
	if (!S_ISLNK(status.st_mode))
		return -ENOTDIR;
	if (is_another_users(&status))
		return refuse(walk->dir, name,
			      "is a symbolic link of another user, which root does not follow");
	length = readlinkat(link, "", target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = '\0';
	memcpy(rest, walk->rest, sizeof(rest));
	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	if ((size_t)snprintf(walk->rest, sizeof(walk->rest), "%s%s", target, rest) >=
	    sizeof(walk->rest))
		return -ENAMETOOLONG;
	if (target[0] != '/')
		return 0;
	close(walk->dir);
	walk->dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return walk->dir < 0 ? -errno : 0;
}

static int step(struct walk *walk, const char *name)
{
	const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int error, fd = openat(walk->dir, name, flags);

	if (fd < 0 && errno == ENOENT && walk->mode && mkdirat(walk->dir, name, walk->mode) == 0)
		fd = openat(walk->dir, name, flags);
	if (fd >= 0) {
		close(walk->dir);
		walk->dir = fd;
		return 0;
	}
	if (errno != ENOTDIR && errno != ELOOP)
		return -errno;
	fd = openat(walk->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = follow_link(walk, name, fd);
	return close_with(fd, error);
}

static int begin_walk(struct walk *walk, const char *path, mode_t mode)
{
	*walk = (struct walk){ .mode = mode };
	if ((size_t)snprintf(walk->rest, sizeof(walk->rest), "%s", path) >= sizeof(walk->rest))
		return -ENAMETOOLONG;
	walk->dir = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return walk->dir < 0 ? -errno : 0;
}

int beneath_open_path(const char *path, mode_t mode)
{
	char name[NAME_MAX + 1];
	struct walk walk;
	int error = begin_walk(&walk, path, mode), fd;

	if (error)
		return error;
	while (!error && take_component(&walk, name, &error))
		error = step(&walk, name);
	if (error)
		return walk.dir < 0 ? error : close_with(walk.dir, error);
	fd = openat(walk.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return close_with(walk.dir, fd < 0 ? -errno : fd);
}

int beneath_open_parent(const char *path, char name[NAME_MAX + 1])
{
	struct walk walk;
	int error = begin_walk(&walk, path, 0);

	if (error)
		return error;
	while (take_component(&walk, name, &error)) {
		if (walk.rest[strspn(walk.rest, "/")] == '\0')
			return walk.dir;
		error = step(&walk, name);
		if (error)
			break;
	}
	if (walk.dir >= 0)
		close(walk.dir);
	return error ? error : -ENOENT;
}

/* A link of /proc to what a process has open: its text need not be a path. */
static bool is_magic(int link)
{
	struct statfs file_system;

	return fstatfs(link, &file_system) == 0 && file_system.f_type == PROC_SUPER_MAGIC;
}

/* Opens what is no regular file for writing, without waiting for a FIFO's reader. */
static int open_pipe(int folder, const char *name, int flags)
{
	int fd = openat(folder, name, flags | O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;
	int error = 0;

	if (fd < 0 && errno == ENXIO)
		return refuse(folder, name, "is a FIFO that no program reads, or a socket");
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0)
		error = -errno;
	else if (S_ISREG(status.st_mode))
		error = -ENOENT;
	else if (S_ISBLK(status.st_mode))
		error = refuse(folder, name, "is a disk");
	else if ((flags & O_NOFOLLOW) && S_ISFIFO(status.st_mode) && is_another_users(&status))
		error = refuse(folder, name,
			       "is a FIFO of another user, whom root does not wait for");
	else if (fcntl(fd, F_SETFL, O_WRONLY) < 0)
		error = -errno;
	return error ? close_with(fd, error) : fd;
}

static int followed(int error)
{
	return error ? error : -EAGAIN;
}

/* A descriptor, or -errno; -EAGAIN: a link was followed, and the walk goes on. */
static int step_to_pipe(struct walk *walk, const char *name)
{
	int error, link = openat(walk->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (link < 0)
		return -errno;
	error = fstat(link, &status) < 0 ? -errno : 0;
	if (!error && S_ISLNK(status.st_mode) && is_another_users(&status))
		error = -ENOENT;
	else if (!error && S_ISLNK(status.st_mode) && is_magic(link))
		error = open_pipe(walk->dir, name, 0);
	else if (!error && S_ISLNK(status.st_mode))
		error = followed(follow_link(walk, name, link));
	else if (!error && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
		error = -ENOENT;
	else if (!error)
		error = open_pipe(walk->dir, name, O_NOFOLLOW);
	return close_with(link, error);
}

int beneath_open_pipe(const char *path)
{
	char name[NAME_MAX + 1];
	struct walk walk;
	int error = begin_walk(&walk, path, 0);

	if (error)
		return error;
	while (take_component(&walk, name, &error)) {
		bool is_last = walk.rest[strspn(walk.rest, "/")] == '\0';

		error = is_last ? step_to_pipe(&walk, name) : followed(step(&walk, name));
		if (error != -EAGAIN)
			break;
	}
	if (walk.dir >= 0)
		close(walk.dir);
	return error == 0 ? -ENOENT : error;
}

int beneath_open_real(const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * A new file's descriptor shows its owner, whoever replaces the name meanwhile. FAT keeps no
 * owners, and an NFS server may map root to another user.
 */
uid_t beneath_owner(int folder)
{
	int fd = beneath_create(folder, PROBE, 0600);
	uid_t user = beneath_user();
	struct stat status;

	if (fd < 0)
		return user;
	if (fstat(fd, &status) == 0)
		user = status.st_uid;
	(void)unlinkat(folder, PROBE, 0);
	close(fd);
	return user;
}
