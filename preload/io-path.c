/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * io-path.c - what a program asks of files by their names, and how it changes these, in the family
 * io: the kinds of stat and access, scandir, unlink, remove, rename, mkdir and rmdir.
 *
 * Events are as in io.c. Not seen: the kinds of stat of programs that were built with a C library
 * before glibc 2.33, which call __xstat() and its kin.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "preload/io.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

#define NEXT_FUNCTIONS(X)                                                                          \
	X(stat)                                                                                    \
	X(stat64)                                                                                  \
	X(lstat)                                                                                   \
	X(lstat64)                                                                                 \
	X(fstat)                                                                                   \
	X(fstat64)                                                                                 \
	X(fstatat)                                                                                 \
	X(fstatat64)                                                                               \
	X(statx)                                                                                   \
	X(access)                                                                                  \
	X(faccessat)                                                                               \
	X(unlink)                                                                                  \
	X(unlinkat)                                                                                \
	X(remove)                                                                                  \
	X(rename)                                                                                  \
	X(renameat)                                                                                \
	X(renameat2)                                                                               \
	X(mkdir)                                                                                   \
	X(mkdirat)                                                                                 \
	X(rmdir)                                                                                   \
	X(scandir)                                                                                 \
	X(scandir64)

#define NEXT_WHILE_FINDING (-1)
#include "preload/next.h"

#define EVENT IO_EVENT
#define CALL IO_CALL

#define PATH io_known_path(path, error)

/* ---- what a file is ------------------------------------------------------------------ */

EVENT(stat, (string, path));
EVENT(lstat, (string, path));
EVENT(fstat, (integer, int, fd));
EVENT(fstatat, (integer, int, dirfd), (string, path), (hex, int, flags));
EVENT(statx, (integer, int, dirfd), (string, path), (hex, int, flags), (hex, unsigned, mask));
EVENT(access, (string, path), (octal, unsigned, mode));
EVENT(faccessat, (integer, int, dirfd), (string, path), (octal, unsigned, mode), (hex, int, flags));
EVENT(scandir, (string, path));

int stat(const char *path, struct stat *status)
{
	CALL(stat, int, NEXT(stat)(path, status), PATH);
}

int stat64(const char *path, struct stat64 *status)
{
	CALL(stat, int, NEXT(stat64)(path, status), PATH);
}

int lstat(const char *path, struct stat *status)
{
	CALL(lstat, int, NEXT(lstat)(path, status), PATH);
}

int lstat64(const char *path, struct stat64 *status)
{
	CALL(lstat, int, NEXT(lstat64)(path, status), PATH);
}

int fstat(int fd, struct stat *status)
{
	CALL(fstat, int, NEXT(fstat)(fd, status), fd);
}

int fstat64(int fd, struct stat64 *status)
{
	CALL(fstat, int, NEXT(fstat64)(fd, status), fd);
}

int fstatat(int dirfd, const char *path, struct stat *status, int flags)
{
	CALL(fstatat, int, NEXT(fstatat)(dirfd, path, status, flags), dirfd, PATH, flags);
}

int fstatat64(int dirfd, const char *path, struct stat64 *status, int flags)
{
	CALL(fstatat, int, NEXT(fstatat64)(dirfd, path, status, flags), dirfd, PATH, flags);
}

int statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *status)
{
	CALL(statx, int, NEXT(statx)(dirfd, path, flags, mask, status), dirfd, PATH, flags, mask);
}

int access(const char *path, int mode)
{
	CALL(access, int, NEXT(access)(path, mode), PATH, mode);
}

int faccessat(int dirfd, const char *path, int mode, int flags)
{
	CALL(faccessat, int, NEXT(faccessat)(dirfd, path, mode, flags), dirfd, PATH, mode, flags);
}

int scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
	    int (*compare)(const struct dirent **, const struct dirent **))
{
	CALL(scandir, int, NEXT(scandir)(path, list, filter, compare), PATH);
}

int scandir64(const char *path, struct dirent64 ***list, int (*filter)(const struct dirent64 *),
	      int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
	CALL(scandir, int, NEXT(scandir64)(path, list, filter, compare), PATH);
}

/* ---- changing names ------------------------------------------------------------------- */

EVENT(unlink, (string, path));
EVENT(unlinkat, (integer, int, dirfd), (string, path), (hex, int, flags));
EVENT(remove, (string, path));
EVENT(rename, (string, path), (string, to));
EVENT(renameat, (integer, int, dirfd), (string, path), (integer, int, to_dirfd), (string, to),
      (hex, unsigned, flags));
EVENT(mkdir, (string, path), (octal, unsigned, mode));
EVENT(mkdirat, (integer, int, dirfd), (string, path), (octal, unsigned, mode));
EVENT(rmdir, (string, path));

/* The second path of a call, which the kernel looks at after it has found the first one. */
static const char *known_second(const char *path, int error)
{
	return error == 0 || error == EEXIST || error == ENOTEMPTY || error == EXDEV ? path : NULL;
}

#define TO known_second(to, error)

int unlink(const char *path)
{
	CALL(unlink, int, NEXT(unlink)(path), PATH);
}

int unlinkat(int dirfd, const char *path, int flags)
{
	CALL(unlinkat, int, NEXT(unlinkat)(dirfd, path, flags), dirfd, PATH, flags);
}

int remove(const char *path)
{
	CALL(remove, int, NEXT(remove)(path), PATH);
}

int rename(const char *path, const char *to)
{
	CALL(rename, int, NEXT(rename)(path, to), PATH, TO);
}

int renameat(int dirfd, const char *path, int to_dirfd, const char *to)
{
	CALL(renameat, int, NEXT(renameat)(dirfd, path, to_dirfd, to), dirfd, PATH, to_dirfd, TO,
	     0);
}

int renameat2(int dirfd, const char *path, int to_dirfd, const char *to, unsigned flags)
{
	CALL(renameat, int, NEXT(renameat2)(dirfd, path, to_dirfd, to, flags), dirfd, PATH,
	     to_dirfd, TO, flags);
}

int mkdir(const char *path, mode_t mode)
{
	CALL(mkdir, int, NEXT(mkdir)(path, mode), PATH, mode);
}

int mkdirat(int dirfd, const char *path, mode_t mode)
{
	CALL(mkdirat, int, NEXT(mkdirat)(dirfd, path, mode), dirfd, PATH, mode);
}

int rmdir(const char *path)
{
	CALL(rmdir, int, NEXT(rmdir)(path), PATH);
}
