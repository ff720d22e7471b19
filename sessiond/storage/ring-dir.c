/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/storage/ring-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <linux/magic.h>

#include "common/base/log.h"
#include "sessiond/storage/kept.h"
#include "sessiond/storage/saved-state.h"

#define TRIAL ".room"
#define TRIAL_SIZE 4096

uint64_t ring_dir_first(void)
{
	struct timespec now;

	/* Microseconds: a daemon gives out fewer numbers than these. */
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* A process that lists the directory, into a page that never arrives, holds its lock for ever. */
static int check_owner(const char *path, int dir)
{
	struct stat status;

	if (fstat(dir, &status) != 0)
		return -errno;
	if (status.st_uid == geteuid() &&
	    !(status.st_mode & (S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH)))
		return 0;
	log_error(
		"--ring-dir: %s belongs to user %u and has mode %04o, so that others could meddle: "
		"use a directory of your own that nobody else can list or write to (chmod 0700)",
		path, status.st_uid, status.st_mode & 07777);
	return -EPERM;
}

/* Nobody lives there, and nobody was killed there. */
static int check_free(const char *path, int dir)
{
	bool lives;
	int fd;

	/* Nobody lives on that one, though a child of the last daemon may hold its lock still. */
	if (kept_set_aside(dir))
		return 0;
	fd = openat(dir, SAVED_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	lives = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0;
	if (fd >= 0)
		close(fd);
	if (lives)
		log_error("--ring-dir: another session daemon has its rings in %s: use another "
			  "directory",
			  path);
	else
		log_error("--ring-dir: %s holds the rings of a daemon that was killed: "
			  "`lttngmap recover %s` brings them into their traces; or remove it",
			  path, path);
	return -EBUSY;
}

/*
 * Only files that are mapped directly (DAX) take MAP_SYNC: with it, the file system has written
 * down where a page is before the page can be stored to.
 */
static bool takes_map_sync(int fd)
{
	void *map = mmap(NULL, TRIAL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC,
			 fd, 0);

	if (map == MAP_FAILED)
		return false;
	munmap(map, TRIAL_SIZE);
	return true;
}

/* Without room set aside, a full disk would end programs by SIGBUS. */
static int check_room(const char *path, int dir, bool *is_dax)
{
	int error = 0, fd = openat(dir, TRIAL, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 || fallocate(fd, 0, 0, TRIAL_SIZE) != 0)
		error = -errno;
	*is_dax = !error && takes_map_sync(fd);
	if (fd >= 0) {
		close(fd);
		unlinkat(dir, TRIAL, 0);
	}
	if (error == -EOPNOTSUPP)
		log_error(
			"--ring-dir: the file system of %s cannot set room aside (fallocate): use "
			"another, as ext4, xfs or tmpfs",
			path);
	else if (error)
		log_error("--ring-dir: cannot make files in %s: %s", path, strerror(-error));
	return error;
}

/* Where maps lead to the page cache, a panic leaves what was written back by then. */
static int refuse_page_cache(const char *path, int dir)
{
	struct statfs status;
	bool is_memory = fstatfs(dir, &status) == 0 &&
			 (status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC);

	log_error("--survive-panic: %s is %s: use a directory on persistent memory (/dev/pmem*) "
		  "with ext4 or xfs that is mounted with -o dax",
		  path,
		  is_memory ? "in memory that a restart of the machine clears"
			    : "of a file system whose files are mapped through the page cache, "
			      "which is lost in a panic");
	return -EOPNOTSUPP;
}

int ring_dir_enter(const char *path, bool must_survive, bool *is_dax)
{
	bool is_made = mkdir(path, 0700) == 0;
	int dir, error;

	if (!is_made && errno != EEXIST) {
		error = -errno;
		log_error("--ring-dir: cannot make %s: %s", path, strerror(-error));
		return error;
	}
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0) {
		error = -errno;
		log_error("--ring-dir: cannot open %s: %s; it is to be a directory and no link",
			  path, strerror(-error));
		return error;
	}
	error = check_owner(path, dir);
	if (error == 0)
		error = check_free(path, dir);
	if (error == 0)
		error = check_room(path, dir, is_dax);
	if (error == 0 && must_survive && !*is_dax)
		error = refuse_page_cache(path, dir);
	if (error) {
		if (is_made)
			(void)rmdir(path);
		close(dir);
		return error;
	}
	return dir;
}
