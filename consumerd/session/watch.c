/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/session/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"

/* A file of the session daemon beside the rings, for people. */
#define STATS_NAME "stats"
/* Another user's files in the folder must not fill the log. */
#define STRANGERS_TOLD 20u

struct watch {
	DIR *folder; /* held open: a rescan needs no descriptor more */
	sd_event_source *source;
	watch_found found;
	void *userdata;
	unsigned int strangers; /* that were told of */
	char directory[];
};

/*
 * Rings are regular files of the daemon's user, who is ours, or of root. Returns what
 * another file is, which is not even opened, or NULL.
 */
static const char *stranger(const struct stat *status)
{
	switch (status->st_mode & S_IFMT) {
	case S_IFREG:
		break;
	case S_IFLNK:
		return "a symbolic link";
	case S_IFIFO:
		return "a FIFO";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	case S_IFDIR:
		return "a directory";
	default:
		return "a socket";
	}
	if (status->st_uid != 0 && status->st_uid != geteuid())
		return "another user's file";
	return NULL;
}

static void look_at(struct watch *watch, const char *name)
{
	struct stat status;
	const char *what;

	if (name[0] == '.' || strcmp(name, STATS_NAME) == 0)
		return;
	if (fstatat(dirfd(watch->folder), name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	what = stranger(&status);
	if (!what)
		watch->found(watch->userdata, name);
	else if (watch->strangers++ < STRANGERS_TOLD)
		log_warning("%s/%s is no ring file but %s: it is left alone", watch->directory,
			    name, what);
}

static int scan(struct watch *watch)
{
	const struct dirent *entry;

	rewinddir(watch->folder);
	errno = 0;
	while ((entry = readdir(watch->folder))) {
		look_at(watch, entry->d_name);
		errno = 0;
	}
	return -errno;
}

static int on_event(sd_event_source *source, const struct inotify_event *event, void *userdata)
{
	struct watch *watch = userdata;
	int error;

	(void)source;
	if (event->mask & IN_Q_OVERFLOW) {
		error = scan(watch);
		if (error)
			log_error("%s: cannot be looked through again (%s): rings that appeared "
				  "meanwhile are not recorded",
				  watch->directory, strerror(-error));
	} else if (event->len) {
		look_at(watch, event->name);
	}
	return 0;
}

int watch_create(sd_event *loop, const char *directory, watch_found found, void *userdata,
		 struct watch **result)
{
	size_t size = strlen(directory) + 1;
	struct watch *watch = calloc(1, sizeof(*watch) + size);
	int error;

	if (!watch)
		return -ENOMEM;
	watch->found = found;
	watch->userdata = userdata;
	memcpy(watch->directory, directory, size);
	watch->folder = opendir(directory);
	if (!watch->folder) {
		error = -errno;
		free(watch);
		return error;
	}
	/* First watch, then look: what appears between is said twice, not never. */
	error = sd_event_add_inotify(loop, &watch->source, directory,
				     IN_CREATE | IN_MOVED_TO | IN_ONLYDIR, on_event, watch);
	if (error >= 0)
		error = scan(watch);
	if (error < 0) {
		watch_destroy(watch);
		return error;
	}
	*result = watch;
	return 0;
}

void watch_destroy(struct watch *watch)
{
	if (!watch)
		return;
	sd_event_source_disable_unref(watch->source);
	closedir(watch->folder);
	free(watch);
}
