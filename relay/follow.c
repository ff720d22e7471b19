/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "relay/follow-parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* ---- streams ------------------------------------------------------------------------ */

static int compare_streams(const void *one, const void *other)
{
	const struct follow_stream *a = one, *b = other;

	return strcmp(a->name, b->name);
}

static int compare_key(const void *name, const void *stream)
{
	return strcmp(name, ((const struct follow_stream *)stream)->name);
}

struct follow_stream *follow_find(const struct follow *follow, const char *name)
{
	void *node = tfind(name, (void *const *)&follow->by_name, compare_key);

	return node ? *(struct follow_stream **)node : NULL;
}

struct follow_stream *follow_add(struct follow *follow, const char *name)
{
	size_t size = strlen(name) + 1;
	struct follow_stream *stream = calloc(1, sizeof(*stream) + size);

	if (!stream)
		return NULL;
	memcpy(stream->name, name, size);
	stream->held = UINT64_MAX;
	if (!tsearch(stream, &follow->by_name, compare_streams)) {
		free(stream);
		return NULL;
	}
	cds_list_add_tail(&stream->node, &follow->streams);
	return stream;
}

static void make_due(struct follow *follow, struct follow_stream *stream)
{
	if (stream->is_due || stream->is_broken)
		return;
	stream->is_due = true;
	cds_list_add_tail(&stream->due, &follow->due);
}

int follow_touch(struct follow *follow, const char *index_name)
{
	size_t length = strlen(index_name), suffix = sizeof(CTF_INDEX_SUFFIX) - 1;
	struct follow_stream *stream;
	char name[NAME_MAX + 1];

	if (length <= suffix || length > NAME_MAX || index_name[0] == '.' ||
	    strcmp(index_name + length - suffix, CTF_INDEX_SUFFIX) != 0)
		return 0;
	memcpy(name, index_name, length - suffix);
	name[length - suffix] = '\0';
	stream = follow_find(follow, name);
	if (!stream)
		stream = follow_add(follow, name);
	if (!stream)
		return -ENOMEM;
	make_due(follow, stream);
	return 0;
}

void follow_rouse(struct follow *follow)
{
	struct follow_stream *stream;

	cds_list_for_each_entry(stream, &follow->streams, node) {
		if (stream->held != UINT64_MAX)
			make_due(follow, stream);
	}
}

int follow_scan(struct follow *follow)
{
	int error = 0, fd = openat(follow->index, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct dirent *entry;
	DIR *folder;

	if (fd < 0)
		return -errno;
	folder = fdopendir(fd);
	if (!folder) {
		error = -errno;
		close(fd);
		return error;
	}
	while (!error && (entry = readdir(folder)))
		error = follow_touch(follow, entry->d_name);
	closedir(folder);
	return error;
}

void follow_restart(struct follow *follow)
{
	struct follow_stream *stream;

	cds_list_for_each_entry(stream, &follow->streams, node) {
		if (stream->is_open)
			cds_list_del(&stream->open);
		stream->is_open = false;
		stream->is_added = false;
		if (stream->is_closed)
			cds_list_add_tail(&stream->ended, &follow->ended);
		stream->is_closed = false;
		stream->quiet = 0;
		stream->sent = stream->confirmed;
		stream->bytes = stream->mark.bytes = 0;
		/* Packets in transit are sent again. */
		stream->last = 0;
		make_due(follow, stream);
	}
	follow->has_news = true;
	follow->anchor.is_added = follow->has_unseen = false;
	follow->has_metadata_stream = false;
	follow->is_described = false;
	follow->metadata = (struct stat){ .st_ino = 0 };
	relay_metadata_sent(&follow->sent, NULL, 0);
}

void follow_forget(struct follow *follow, struct follow_stream *stream)
{
	follow_empty_record(follow, stream);
	if (stream->is_due)
		cds_list_del(&stream->due);
	if (stream->is_open)
		cds_list_del(&stream->open);
	if (stream->is_ended && !stream->is_closed)
		cds_list_del(&stream->ended);
	cds_list_del(&stream->node);
	tdelete(stream, &follow->by_name, compare_streams);
	free(stream);
}

/* ---- the folder -------------------------------------------------------------------------- */

static int add_watch(int watch, int fd, uint32_t events)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return inotify_add_watch(watch, path, events);
}

static int open_folders(struct follow *follow, int output, const char *path)
{
	follow->dir = openat(output, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (follow->dir < 0)
		return -errno;
	follow->index = openat(follow->dir, CTF_INDEX_DIRECTORY,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return follow->index < 0 ? -errno : 0;
}

int follow_open(int output, const char *path, const char *name, const char *collector,
		bool is_spool, int watch, struct follow **result)
{
	struct follow *follow = calloc(1, sizeof(*follow));
	int error;

	*result = NULL;
	if (!follow)
		return -ENOMEM;
	CDS_INIT_LIST_HEAD(&follow->streams);
	CDS_INIT_LIST_HEAD(&follow->due);
	CDS_INIT_LIST_HEAD(&follow->open);
	CDS_INIT_LIST_HEAD(&follow->ended);
	follow->dir = follow->index = follow->journal = follow->other = follow->ended_file = -1;
	follow->watch_dir = follow->watch_index = -1;
	follow->is_spool = is_spool;
	follow->horizon = UINT64_MAX;
	snprintf(follow->name, sizeof(follow->name), "%s", name);
	error = open_folders(follow, output, path);
	if (!error)
		error = follow_open_journals(follow, collector);
	if (!error) {
		/* First, so that nothing falls between. */
		follow->watch_dir = add_watch(watch, follow->dir, IN_MOVED_TO);
		follow->watch_index = add_watch(watch, follow->index, IN_CREATE | IN_MODIFY);
		if (follow->watch_dir < 0 || follow->watch_index < 0)
			error = -errno;
	}
	if (!error)
		error = follow_scan(follow);
	if (error) {
		follow_close(follow, watch);
		return error;
	}
	*result = follow;
	return 0;
}

void follow_close(struct follow *follow, int watch)
{
	struct follow_stream *stream, *next;

	if (!follow)
		return;
	if (follow->watch_dir >= 0)
		(void)inotify_rm_watch(watch, follow->watch_dir);
	if (follow->watch_index >= 0)
		(void)inotify_rm_watch(watch, follow->watch_index);
	cds_list_for_each_entry_safe(stream, next, &follow->streams, node) {
		tdelete(stream, &follow->by_name, compare_streams);
		free(stream);
	}
	relay_metadata_sent(&follow->sent, NULL, 0);
	follow_close_journals(follow);
	if (follow->ended_file >= 0)
		close(follow->ended_file);
	if (follow->index >= 0)
		close(follow->index);
	if (follow->dir >= 0)
		close(follow->dir);
	free(follow);
}
