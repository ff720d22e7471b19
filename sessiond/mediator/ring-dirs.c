/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/mediator/ring-dirs.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <urcu/list.h>

struct ring_dirs {
	pthread_mutex_t lock; /* the list, and that it agrees with the directories */
	struct cds_list_head channels;
	char root[];
};

struct channel_dir {
	struct cds_list_head node;
	bool removed; /* goes with its last file */
	const char *channel;
	char session[]; /* the channel's name after it */
};

int ring_dirs_create(const char *root, struct ring_dirs **result)
{
	struct ring_dirs *dirs = malloc(sizeof(*dirs) + strlen(root) + 1);

	*result = dirs;
	if (!dirs)
		return -ENOMEM;
	pthread_mutex_init(&dirs->lock, NULL);
	CDS_INIT_LIST_HEAD(&dirs->channels);
	strcpy(dirs->root, root);
	return 0;
}

static void forget(struct channel_dir *dir)
{
	cds_list_del(&dir->node);
	free(dir);
}

void ring_dirs_destroy(struct ring_dirs *dirs)
{
	struct channel_dir *dir, *next;

	if (!dirs)
		return;
	cds_list_for_each_entry_safe(dir, next, &dirs->channels, node)
		forget(dir);
	pthread_mutex_destroy(&dirs->lock);
	free(dirs);
}

bool ring_dirs_name_is_valid(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) <= NAME_MAX;
}

int ring_dirs_path(const struct ring_dirs *dirs, const char *session, const char *channel,
		   const char *prefix, const char *name, char path[PATH_MAX])
{
	int length;

	if (!ring_dirs_name_is_valid(session) || !ring_dirs_name_is_valid(channel) ||
	    !ring_dirs_name_is_valid(name))
		return -EINVAL;
	length = snprintf(path, PATH_MAX, "%s/%s/%s/%s%s", dirs->root, session, channel, prefix,
			  name);
	return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* The path of a channel's directory; *slash is the end of the session's path. */
static int channel_path(const struct ring_dirs *dirs, const char *session, const char *channel,
			char path[PATH_MAX], char **slash)
{
	int length;

	if (!ring_dirs_name_is_valid(session) || !ring_dirs_name_is_valid(channel))
		return -EINVAL;
	length = snprintf(path, PATH_MAX, "%s/%s/%s", dirs->root, session, channel);
	if (length >= PATH_MAX)
		return -ENAMETOOLONG;
	*slash = strrchr(path, '/');
	return 0;
}

static struct channel_dir *find(struct ring_dirs *dirs, const char *session, const char *channel)
{
	struct channel_dir *dir;

	cds_list_for_each_entry(dir, &dirs->channels, node) {
		if (strcmp(dir->session, session) == 0 && strcmp(dir->channel, channel) == 0)
			return dir;
	}
	return NULL;
}

static int remember(struct ring_dirs *dirs, const char *session, const char *channel)
{
	size_t session_size = strlen(session) + 1, channel_size = strlen(channel) + 1;
	struct channel_dir *dir = malloc(sizeof(*dir) + session_size + channel_size);

	if (!dir)
		return -ENOMEM;
	dir->removed = false;
	dir->channel = dir->session + session_size;
	memcpy(dir->session, session, session_size);
	memcpy(dir->session + session_size, channel, channel_size);
	cds_list_add_tail(&dir->node, &dirs->channels);
	return 0;
}

static int make_channel(const struct ring_dirs *dirs, const char *session, const char *channel)
{
	char path[PATH_MAX], *slash;
	int error = channel_path(dirs, session, channel, path, &slash);

	if (error)
		return error;
	*slash = '\0';
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	*slash = '/';
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	return 0;
}

int ring_dirs_add_channel(struct ring_dirs *dirs, const char *session, const char *channel)
{
	struct channel_dir *dir;
	int error;

	pthread_mutex_lock(&dirs->lock);
	error = make_channel(dirs, session, channel);
	if (!error) {
		dir = find(dirs, session, channel);
		if (dir)
			dir->removed = false;
		else
			error = remember(dirs, session, channel);
	}
	pthread_mutex_unlock(&dirs->lock);
	return error;
}

/* If it is empty; else its last file's removal comes here again. */
static void remove_if_empty(struct ring_dirs *dirs, struct channel_dir *dir)
{
	char path[PATH_MAX], *slash;

	if (channel_path(dirs, dir->session, dir->channel, path, &slash) < 0)
		return;
	if (rmdir(path) < 0 && errno != ENOENT)
		return;
	*slash = '\0';
	rmdir(path);
	forget(dir);
}

void ring_dirs_remove_channel(struct ring_dirs *dirs, const char *session, const char *channel)
{
	struct channel_dir *dir;

	pthread_mutex_lock(&dirs->lock);
	dir = find(dirs, session, channel);
	if (dir) {
		dir->removed = true;
		remove_if_empty(dirs, dir);
	}
	pthread_mutex_unlock(&dirs->lock);
}

void ring_dirs_remove_file(struct ring_dirs *dirs, const char *session, const char *channel,
			   const char *name)
{
	struct channel_dir *dir;
	char path[PATH_MAX];

	if (ring_dirs_path(dirs, session, channel, "", name, path) < 0)
		return;
	pthread_mutex_lock(&dirs->lock);
	unlink(path);
	dir = find(dirs, session, channel);
	if (dir && dir->removed)
		remove_if_empty(dirs, dir);
	pthread_mutex_unlock(&dirs->lock);
}

void ring_dirs_remove_all(struct ring_dirs *dirs)
{
	struct channel_dir *dir, *next;

	pthread_mutex_lock(&dirs->lock);
	cds_list_for_each_entry_safe(dir, next, &dirs->channels, node)
		remove_if_empty(dirs, dir);
	pthread_mutex_unlock(&dirs->lock);
}
