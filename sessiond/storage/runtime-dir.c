/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/storage/runtime-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/json-message.h"
#include "common/base/log.h"
#include "common/protocol/places.h"
#include "common/protocol/protocol-app.h"
#include "common/protocol/protocol-control.h"
#include "common/protocol/protocol-ring.h"
#include "common/base/socket.h"
#include "sessiond/base/listen.h"
#include "sessiond/base/pid-state.h"
#include "sessiond/storage/kept.h"
#include "sessiond/storage/recover-saved.h"

#define ANSWER_MS 2000
#define ENDING_TRIES 5
#define LOCK_TRIES 100
#define LOCK_PAUSE_USEC 20000

static int check_owner(const char *path, int fd, bool strict)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return -errno;
	if (status.st_uid != geteuid()) {
		log_error("%s belongs to user %u: remove it, or use --runtime-dir", path,
			  status.st_uid);
		return -EPERM;
	}
	if (status.st_mode & (S_IWGRP | S_IWOTH) || (strict && status.st_mode & 077)) {
		log_error("%s has mode %04o, so that others could meddle: chmod %s it, "
			  "or use --runtime-dir",
			  path, status.st_mode & 07777, strict ? "0700" : "go-w");
		return -EPERM;
	}
	return 0;
}

/* One that was there, made by systemd or by an older daemon. */
static int close_to_readers(const char *path, int fd)
{
	struct stat status;
	int error = 0;

	if (fstat(fd, &status) != 0 ||
	    (status.st_mode & 044 && fchmod(fd, status.st_mode & 07733) != 0))
		error = -errno;
	if (error)
		log_error("cannot keep others from listing %s: %s; use --runtime-dir", path,
			  strerror(-error));
	return error;
}

/*
 * A process that opens a file system which somebody else mounted waits for its server. In a
 * directory where everybody makes names, the owner of a subdirectory can have mounted there.
 */
static int check_mount(const char *path)
{
	struct statx parent, status;
	char *copy = strdup(path);
	int error = copy ? 0 : -ENOMEM;

	if (!error &&
	    (statx(AT_FDCWD, path, PLACES_LOOK | AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &status) !=
		     0 ||
	     statx(AT_FDCWD, dirname(copy), PLACES_LOOK, STATX_BASIC_STATS, &parent) != 0))
		error = -errno;
	free(copy);
	if (error || !(parent.stx_mode & S_IWOTH) || places_is_of(&parent, &status))
		return error;
	log_error("%s is a mount point, which may be another user's: have it unmounted, "
		  "or use --runtime-dir",
		  path);
	return -EPERM;
}

static int open_dir(const char *path, bool strict, struct runtime_dir *dir)
{
	/*
	 * Everybody's programs reach root's app.sock; nobody else's are served. Nobody lists the
	 * directory: who reads it into memory that never comes holds its lock, for ever.
	 */
	mode_t mode = geteuid() == 0 ? 0711 : 0700;
	int error;

	if (mkdir(path, mode) == 0) {
		dir->ours = true;
		/* Whatever the umask. */
		if (chmod(path, mode) != 0)
			return -errno;
	} else if (errno != EEXIST) {
		error = errno;

		log_error("cannot make %s: %s; use --runtime-dir", path, strerror(error));
		return -error;
	} else if (strict) {
		error = check_mount(path);
		if (error)
			return error;
	}
	dir->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir->fd < 0) {
		error = errno;

		log_error("cannot open %s: %s; it is to be a directory and no link", path,
			  strerror(error));
		return -error;
	}
	error = check_owner(path, dir->fd, strict);
	return error || geteuid() != 0 ? error : close_to_readers(path, dir->fd);
}

/* Two daemons that start at once: the second waits until the first can answer. */
static int lock_dir(const struct runtime_dir *dir)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(dir->fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK)
			return -errno;
		usleep(LOCK_PAUSE_USEC);
	}
	log_error("another daemon is starting in %s and does not get on: end it", dir->path);
	return -EBUSY;
}

/* The sockets of a killed daemon are closed by whichever of its processes and threads ends last. */
static bool is_ending(int error, pid_t pid)
{
	char state = pid > 0 ? pid_state(pid) : 'R';

	return error == -EPIPE || error == -ECONNRESET || !state || state == 'Z' || state == 'X';
}

/*
 * 0: nobody. -EADDRINUSE: somebody, who may not even be able to answer. -EAGAIN: somebody who did
 * not answer, and is ending.
 */
static int talk(const char *path, bool *answers, pid_t *pid)
{
	struct json_object *message;
	struct ucred peer;
	int fd, error;

	error = socket_connect(path, SOCK_SEQPACKET | SOCK_NONBLOCK, &fd);
	if (error == -ECONNREFUSED || error == -ENOENT || error == -ENOTDIR)
		return 0;
	*answers = false;
	*pid = 0;
	if (error)
		return -EADDRINUSE;
	if (socket_peer(fd, &peer) == 0)
		*pid = peer.pid;
	message = json_object_new_object();
	json_object_object_add(message, "verb", json_object_new_string("hello"));
	json_object_object_add(message, "version", json_object_new_int(PROTOCOL_CONTROL_VERSION));
	error = json_message_send(fd, message, -1, ANSWER_MS);
	json_object_put(message);
	if (error == 0)
		error = json_message_receive(fd, &message, NULL, ANSWER_MS);
	close(fd);
	if (error)
		return is_ending(error, *pid) ? -EAGAIN : -EADDRINUSE;
	*answers = true;
	json_object_put(message);
	return -EADDRINUSE;
}

static int check_alone(const struct runtime_dir *dir)
{
	char path[PATH_MAX];
	bool answers;
	int error;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/%s", dir->path, PROTOCOL_CONTROL_SOCKET);
	/* We would talk to ourselves; who passed it starts one daemon at a time. */
	if (listen_is_passed(path))
		return 0;
	error = talk(path, &answers, &pid);
	for (int i = 1; error == -EAGAIN && i < ENDING_TRIES; i++) {
		usleep(LOCK_PAUSE_USEC);
		error = talk(path, &answers, &pid);
	}
	if (error == 0)
		return 0;
	if (answers)
		log_error("lttngmap-sessiond runs in %s already, as process %d: use it, end it, "
			  "or use another --runtime-dir",
			  dir->path, (int)pid);
	else
		log_error("process %d holds %s and does not answer: end it, "
			  "or use another --runtime-dir",
			  (int)pid, path);
	return -EADDRINUSE;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)ftw;
	/* A file that cannot be removed disturbs nobody but its own rings. */
	if (type == FTW_DP || type == FTW_D || type == FTW_DNR)
		rmdir(path);
	else
		unlink(path);
	return 0;
}

static void remove_rings(const struct runtime_dir *dir)
{
	/* A dead daemon's file system; EINVAL where nothing is mounted. */
	while (umount2(dir->rings, MNT_DETACH | UMOUNT_NOFOLLOW) == 0)
		log_info("unmounted what a dead daemon left on %s", dir->rings);
	nftw(dir->rings, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void remove_leftovers(const struct runtime_dir *dir)
{
	static const char *const sockets[] = { PROTOCOL_APP_SOCKET, PROTOCOL_CONTROL_SOCKET,
					       PROTOCOL_RING_SOCKET };
	char path[PATH_MAX];

	remove_rings(dir);
	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir->path, sockets[i]);
		if (!listen_is_passed(path))
			unlink(path);
	}
}

/*
 * `lttngmap recover` takes a saved state by either name. A saved state of another version is for
 * that version's `lttngmap recover`. A damaged one, or one without sessions, is removed.
 */
static void keep_saved_state(const struct runtime_dir *dir)
{
	int fd = kept_set_aside(dir->fd) ? -1
					 : openat(dir->fd, SAVED_FILE,
						  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct recover_saved old;
	char why[RECOVER_WHY_SIZE];
	bool keep = false;
	int error;

	if (fd < 0)
		return;
	error = recover_saved_open(fd, &old, why);
	if (error == 0) {
		keep = !recover_saved_is_empty(&old);
		recover_saved_close(&old);
	}
	close(fd);
	if (error == -EPROTO && renameat(dir->fd, SAVED_FILE, dir->fd, KEPT_REFUSED) == 0)
		log_warning("a daemon was killed here, and its supervisor, too, and what it left "
			    "cannot be recovered by this program: %s; it stays in %s/" KEPT_REFUSED
			    ", for `lttngmap recover` of its own version",
			    why, dir->path);
	else if (keep && renameat(dir->fd, SAVED_FILE, dir->fd, RUNTIME_DIR_OLD_LEDGER) == 0)
		log_warning("a daemon was killed here, and its supervisor, too: `lttngmap recover "
			    "%s/" RUNTIME_DIR_OLD_LEDGER "` brings into the traces what it left",
			    dir->path);
	else
		unlinkat(dir->fd, SAVED_FILE, 0);
}

static int make_rings(const struct runtime_dir *dir)
{
	int error;

	if (mkdir(dir->rings, 0700) == 0)
		return 0;
	error = -errno;
	log_error("cannot make %s: %s", dir->rings, strerror(-error));
	return error;
}

int runtime_dir_renew(const struct runtime_dir *dir)
{
	remove_rings(dir);
	return make_rings(dir);
}

int runtime_dir_enter(const char *path, bool strict, struct runtime_dir *dir)
{
	int error;

	memset(dir, 0, sizeof(*dir));
	dir->fd = -1;
	if (strlen(path) + sizeof("/" PROTOCOL_CONTROL_SOCKET) > SOCKET_PATH_MAX) {
		log_error("%s is too long for a socket's path: use a shorter --runtime-dir", path);
		return -ENAMETOOLONG;
	}
	dir->path = strdup(path);
	if (!dir->path || asprintf(&dir->rings, "%s/rings", path) < 0) {
		dir->rings = NULL;
		error = -ENOMEM;
		goto fail;
	}
	error = open_dir(path, strict, dir);
	if (error == 0)
		error = lock_dir(dir);
	if (error == 0)
		error = check_alone(dir);
	if (error)
		goto fail;
	remove_leftovers(dir);
	keep_saved_state(dir);
	error = make_rings(dir);
	if (error)
		goto fail;
	return 0;

fail:
	/* Nothing in it is ours. */
	if (dir->ours)
		rmdir(dir->path);
	if (dir->fd >= 0)
		close(dir->fd);
	free(dir->path);
	free(dir->rings);
	memset(dir, 0, sizeof(*dir));
	return error;
}

void runtime_dir_unlock(struct runtime_dir *dir)
{
	flock(dir->fd, LOCK_UN);
}

void runtime_dir_adopt(struct runtime_dir *dir)
{
	const char *notify = getenv("NOTIFY_SOCKET");
	size_t length = strlen(dir->path);

	dir->ours = true;
	if (notify && strncmp(notify, dir->path, length) == 0 && notify[length] == '/' &&
	    !strchr(notify + length + 1, '/'))
		dir->notify = strdup(notify);
}

void runtime_dir_leave(struct runtime_dir *dir)
{
	if (!dir->path)
		return;
	remove_leftovers(dir);
	if (dir->notify)
		unlink(dir->notify);
	if (dir->ours)
		rmdir(dir->path);
	close(dir->fd);
	free(dir->notify);
	free(dir->path);
	free(dir->rings);
	memset(dir, 0, sizeof(*dir));
}
