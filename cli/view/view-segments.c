/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-segments.c - reads a growing trace in segments: small whole traces, one after another.
 *
 * Babeltrace reads complete traces. So the packets that came since the last segment become such a
 * trace: the index files tell which packets are on disk, and these are copied beside the current
 * metadata. Each stream begins with the packet before, whose events were shown already, so that
 * losses between are reported.
 *
 * Each event is shown once: for each stream, the next packet and the next event in it are known.
 * The inode of its index identifies a stream, because a rotation moves the file.
 */
#include <config.h>

#include "cli/view/view-segments.h"

#include <errno.h>
#include <ftw.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "common/base/remove-tree.h"

#define DEPTH_MOST 32 /* descriptors of the walk */

/* nftw() has no argument for its callback. */
static struct view_segments *walked;

/* ---- what is there --------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct view_followed *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->inode > y->inode) - (x->inode < y->inode);
}

/* Finds the stream's entry, or makes one. NULL without memory. */
static struct view_followed *know(struct view_segments *segments, const struct stat *status)
{
	struct view_followed key = { .device = status->st_dev, .inode = status->st_ino }, *followed;
	struct view_followed **found = tfind(&key, &segments->tree, compare), **larger;

	if (found)
		return *found;
	larger = reallocarray(segments->all, segments->count + 1, sizeof(*larger));
	followed = larger ? calloc(1, sizeof(*followed)) : NULL;
	if (larger)
		segments->all = larger;
	if (!followed)
		return NULL;
	followed->device = key.device;
	followed->inode = key.inode;
	followed->number = segments->count;
	if (!tsearch(followed, &segments->tree, compare)) {
		free(followed);
		return NULL;
	}
	segments->all[segments->count++] = followed;
	return followed;
}

static int walk_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	size_t length = strlen(path), suffix = strlen(CTF_INDEX_SUFFIX);
	static const char folder[] = "/" CTF_INDEX_DIRECTORY "/";
	struct view_followed *followed;
	uint64_t entries;

	if (type != FTW_F || length <= suffix || walk->base < (int)strlen(folder) ||
	    strcmp(path + length - suffix, CTF_INDEX_SUFFIX) != 0 ||
	    strncmp(path + walk->base - strlen(folder), folder, strlen(folder)) != 0)
		return 0;
	followed = know(walked, status);
	if (!followed || (followed->index && strcmp(followed->index, path) == 0)) {
		walked->error = followed ? 0 : -ENOMEM;
	} else {
		free(followed->index);
		followed->index = strdup(path);
		walked->error = followed->index ? 0 : -ENOMEM;
	}
	if (walked->error || (uint64_t)status->st_size < sizeof(struct ctf_index_header))
		return walked->error;
	entries = ((uint64_t)status->st_size - sizeof(struct ctf_index_header)) /
		  sizeof(struct ctf_index_entry);
	/* Another file has the index's inode now. */
	if (entries < followed->entries)
		followed->next = followed->shown = followed->told = 0;
	followed->entries = entries;
	return 0;
}

static int look(struct view_segments *segments)
{
	walked = segments;
	segments->error = 0;
	/* Folders may move during the walk: streams that were missed are found next time. */
	if (nftw(segments->root, walk_entry, DEPTH_MOST, FTW_PHYS) < 0 && errno != ENOENT)
		segments->error = -errno;
	if (segments->error)
		message_error("%s: cannot search '%s': %s", view_verb, segments->root,
			      strerror(-segments->error));
	return segments->error;
}

/* ---- a segment --------------------------------------------------------------------- */

int view_segments_begin(struct view_segments *segments, struct view_traces *traces, bool *more)
{
	int error = look(segments);

	*more = false;
	segments->is_done = false;
	segments->is_late = false;
	segments->horizon = segments->asked;
	segments->latest = INT64_MIN;
	if (error || !view_segments_wait(segments))
		return error;
	if (segments->folder[0] == '\0')
		error = view_segments_make_folder(segments);
	if (!error)
		error = view_segments_copy(segments, more);
	if (!error && segments->nr_traces > 0) {
		traces->paths = calloc(segments->nr_traces, sizeof(*traces->paths));
		error = traces->paths ? 0 : -ENOMEM;
	}
	for (size_t i = 0; !error && i < segments->nr_traces; i++) {
		char metadata[sizeof(segments->traces[i].path) + 16];

		/* A trace that was moved meanwhile has no metadata. */
		snprintf(metadata, sizeof(metadata), "%s/metadata", segments->traces[i].path);
		if (access(metadata, R_OK) != 0)
			continue;
		traces->paths[traces->count] = strdup(segments->traces[i].path);
		if (!traces->paths[traces->count])
			error = -ENOMEM;
		else
			traces->count++;
	}
	if (error)
		message_error("%s: cannot copy what is new in '%s' to %s: %s", view_verb,
			      segments->root, segments->folder[0] ? segments->folder : "/tmp",
			      strerror(-error));
	return error;
}

void view_segments_end(struct view_segments *segments, struct view_traces *traces)
{
	for (size_t i = 0; i < segments->nr_traces; i++) {
		remove_tree(segments->traces[i].path);
		stream_format_free(&segments->traces[i].format);
		free(segments->traces[i].folder);
	}
	free(segments->twins);
	segments->twins = NULL;
	free(segments->traces);
	segments->traces = NULL;
	segments->nr_traces = 0;
	for (size_t i = 0; i < segments->count; i++)
		segments->all[i]->is_in = false;
	view_traces_free(traces);
}

/* ---- what of them is shown --------------------------------------------------------- */

void view_segments_set_horizon(struct view_segments *segments, int64_t ns)
{
	segments->asked = ns;
}

bool view_segments_wait(const struct view_segments *segments)
{
	for (size_t i = 0; i < segments->count; i++)
		if (view_followed_has_news(segments->all[i]))
			return true;
	return false;
}

size_t view_segments_broken(const struct view_segments *segments)
{
	size_t broken = 0;

	for (size_t i = 0; i < segments->count; i++)
		broken += segments->all[i]->damaged;
	return broken;
}

bool view_segments_are_late(const struct view_segments *segments)
{
	return segments->is_late;
}

bool view_segments_are_done(const struct view_segments *segments)
{
	return segments->is_done;
}

static struct view_followed *find(struct view_segments *segments, struct view_stream *stream)
{
	const char *name = bt_stream_get_name(stream->stream), *base;
	unsigned long number;
	char *end;

	if (stream->followed || !name)
		return stream->followed;
	base = strrchr(name, '/');
	number = strtoul(base ? base + 1 : name, &end, 10);
	if (*end == ':' && number < segments->count && segments->all[number]->is_in)
		stream->followed = segments->all[number];
	return stream->followed;
}

static bool take_event(struct view_segments *segments, struct view_followed *followed, int64_t ns)
{
	followed->event++;
	if (followed->at < followed->next ||
	    (followed->at == followed->next && followed->event <= followed->shown))
		return false;
	if (followed->is_blocked || ns > segments->horizon) {
		followed->is_blocked = true;
		/* Events come in order, so all later ones are blocked, too. */
		segments->is_done = true;
		segments->is_late |= ns > segments->asked;
		return false;
	}
	if (ns > segments->latest)
		segments->latest = ns;
	followed->next = followed->at;
	followed->shown = followed->event;
	return true;
}

static void end_packet(struct view_segments *segments, struct view_followed *followed)
{
	if (followed->is_blocked || followed->at < followed->next)
		return;
	followed->next = followed->at + 1;
	followed->shown = 0;
	/* More packets of this stream are to come before other streams' later events. */
	if (!followed->damaged && followed->next == followed->end &&
	    followed->end < followed->entries && segments->latest < segments->horizon)
		segments->horizon = segments->latest;
}

bool view_segments_take(struct view_segments *segments, struct view_stream *stream,
			bt_message_type type, int64_t ns)
{
	struct view_followed *followed = find(segments, stream);

	if (!followed)
		return false;
	switch (type) {
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		followed->at++;
		followed->event = 0;
		return true;
	case BT_MESSAGE_TYPE_EVENT:
		return take_event(segments, followed, ns);
	case BT_MESSAGE_TYPE_PACKET_END:
		end_packet(segments, followed);
		return true;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		/* The losses are before the next packet. */
		if (followed->at + 1 < followed->told || ns > segments->horizon)
			return false;
		followed->told = followed->at + 2;
		return true;
	default:
		return true;
	}
}

/* ---- begin and end ----------------------------------------------------------------- */

struct view_segments *view_segments_create(const char *path)
{
	struct view_segments *segments = calloc(1, sizeof(*segments));

	if (segments)
		segments->root = path;
	return segments;
}

static void forget(void *followed)
{
	free(((struct view_followed *)followed)->index);
	free(followed);
}

void view_segments_destroy(struct view_segments *segments)
{
	if (!segments)
		return;
	if (segments->folder[0] != '\0')
		rmdir(segments->folder);
	free(segments->all);
	tdestroy(segments->tree, forget);
	free(segments);
}
