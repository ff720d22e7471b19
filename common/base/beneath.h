/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * beneath.h - files and folders in a folder that is held open, where another user may replace any
 * name at any time: by a link, a FIFO, a mount, a hard link, a file of its own.
 *
 * A name is one component. No function but beneath_open_pipe() follows a link, enters another
 * mount, or gives out a device or a FIFO; none waits for one or for a lease. Rename and remove by
 * renameat() and unlinkat() on the same descriptors: neither follows the last component.
 *
 * All return 0 or a descriptor, or -errno. -BENEATH_REFUSED: something else stands in that place,
 * or somebody else has a lease on the file, or it was moved away: beneath_why() says which. One
 * thread.
 */
#ifndef COMMON_BASE_BENEATH_H
#define COMMON_BASE_BENEATH_H

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Beyond the kernel's errors, any of which a file system may give. */
#define BENEATH_REFUSED 4096
/* In place of an owner. */
#define BENEATH_ANYBODY ((uid_t)-1)

/*
 * Open a regular file; the flags are those of open(2). A file opened for writing must have one
 * link and that owner. O_TRUNC takes effect after these checks.
 */
int beneath_open(int folder, const char *name, int flags, mode_t mode, uid_t owner);
/* A new file in the place of whatever had that name; for writing. */
int beneath_create(int folder, const char *name, mode_t mode);
/* Open a folder of that owner. */
int beneath_open_directory(int folder, const char *name, uid_t owner);
/* The same, made where it is missing. */
int beneath_make_directory(int folder, const char *name, mode_t mode, uid_t owner);
/*
 * Removes access control lists from the directory `fd`, which root has just made in a `folder` of
 * another user: that user's default list would let others into it. 0 or -errno.
 */
int beneath_shed_acl(int folder, int fd);
/* The status of a name. A link is not followed, a mount is refused. */
int beneath_stat(int folder, const char *name, struct stat *status);
/* Does `name` lead to the folder or file that is open as `fd`? 0 or refused, or another -errno. */
int beneath_check_same(int folder, const char *name, int fd);

/*
 * Open the folder at a path, whose missing folders are made if `mode` is not 0. Root follows links
 * that belong to root; every other user follows all links, with its own rights.
 */
int beneath_open_path(const char *path, mode_t mode);
/*
 * Open the folder in which the last component of `path` stands, by O_PATH, and copy that component
 * to `name`. Links as above; nothing is made.
 */
int beneath_open_parent(const char *path, char name[NAME_MAX + 1]);
/*
 * Open for writing what stands at a path: a FIFO, a terminal or the like. Root follows its own
 * links only, also the last, and opens no other user's FIFO. -ENOENT: a regular file, a folder, a
 * link that is not followed, or nothing stands there. -BENEATH_REFUSED: nobody reads the FIFO.
 */
int beneath_open_pipe(const char *path);
/* Open the folder at a path in which there is no link, as realpath(3) gives it. */
int beneath_open_real(const char *path);
/* The user whose file permissions apply: that of setfsuid(2), or the process's. */
uid_t beneath_user(void);
/*
 * The owner of files made in that folder: the one that the file system assigns if it does not store
 * owners.
 */
uid_t beneath_owner(int folder);

/* For people: what was refused last, where `error` is -BENEATH_REFUSED; else strerror(). */
const char *beneath_why(int error);

#endif /* COMMON_BASE_BENEATH_H */
