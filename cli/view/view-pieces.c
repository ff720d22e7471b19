/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-pieces.c - a trace that grows, as small whole traces, one after another.
 *
 * Babeltrace reads a trace that is complete. So what has come since the last time is made
 * one: the index files tell which packets are on disk, these are copied beside the metadata of
 * now, and each stream begins with the packet before, whose events were shown, so that
 * what was lost in between is told.
 *
 * An event is shown once: of each stream it is known in which packet, and which event of that,
 * is the next. A stream is known by the inode of its index, for a rotation moves it.
 */
#include <config.h>

#include "cli/view/view-pieces.h"

#include <errno.h>
#include <ftw.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "common/remove-tree.h"

#define DEPTH_MOST 32 /* descriptors of the walk */

/* nftw() has no argument for us. */
static struct view_pieces *walked;

/* ---- what is there --------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct view_piece *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->inode > y->inode) - (x->inode < y->inode);
}

/* The piece's place in the list, made where it is new. NULL without memory. */
static struct view_piece *know(struct view_pieces *pieces, const struct stat *status)
{
	struct view_piece key = { .device = status->st_dev, .inode = status->st_ino }, *piece;
	struct view_piece **found = tfind(&key, &pieces->tree, compare), **larger;

	if (found)
		return *found;
	larger = reallocarray(pieces->all, pieces->count + 1, sizeof(*larger));
	piece = larger ? calloc(1, sizeof(*piece)) : NULL;
	if (larger)
		pieces->all = larger;
	if (!piece)
		return NULL;
	piece->device = key.device;
	piece->inode = key.inode;
	piece->number = pieces->count;
	if (!tsearch(piece, &pieces->tree, compare)) {
		free(piece);
		return NULL;
	}
	pieces->all[pieces->count++] = piece;
	return piece;
}

static int walk_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	size_t length = strlen(path), suffix = strlen(CTF_INDEX_SUFFIX);
	static const char folder[] = "/" CTF_INDEX_DIRECTORY "/";
	struct view_piece *piece;
	uint64_t entries;

	if (type != FTW_F || length <= suffix || walk->base < (int)strlen(folder) ||
	    strcmp(path + length - suffix, CTF_INDEX_SUFFIX) != 0 ||
	    strncmp(path + walk->base - strlen(folder), folder, strlen(folder)) != 0)
		return 0;
	piece = know(walked, status);
	if (!piece || (piece->index && strcmp(piece->index, path) == 0)) {
		walked->error = piece ? 0 : -ENOMEM;
	} else {
		free(piece->index);
		piece->index = strdup(path);
		walked->error = piece->index ? 0 : -ENOMEM;
	}
	if (walked->error || (uint64_t)status->st_size < sizeof(struct ctf_index_header))
		return walked->error;
	entries = ((uint64_t)status->st_size - sizeof(struct ctf_index_header)) /
		  sizeof(struct ctf_index_entry);
	/* An index that is another one's now. */
	if (entries < piece->entries)
		piece->next = piece->shown = piece->told = 0;
	piece->entries = entries;
	return 0;
}

static int look(struct view_pieces *pieces)
{
	walked = pieces;
	pieces->error = 0;
	/* Folders may be moved while we walk: what is missed is found next time. */
	if (nftw(pieces->root, walk_entry, DEPTH_MOST, FTW_PHYS) < 0 && errno != ENOENT)
		pieces->error = -errno;
	if (pieces->error)
		message_error("%s: cannot search '%s': %s", view_verb, pieces->root,
			      strerror(-pieces->error));
	return pieces->error;
}

/* ---- a piece ----------------------------------------------------------------------- */

int view_pieces_begin(struct view_pieces *pieces, struct view_traces *traces, bool *more)
{
	int error = look(pieces);

	*more = false;
	pieces->is_done = false;
	pieces->is_late = false;
	pieces->horizon = pieces->asked;
	pieces->latest = INT64_MIN;
	if (error || !view_pieces_wait(pieces))
		return error;
	if (pieces->folder[0] == '\0')
		error = view_pieces_make_folder(pieces);
	if (!error)
		error = view_pieces_copy(pieces, more);
	if (!error && pieces->nr_windows > 0) {
		traces->paths = calloc(pieces->nr_windows, sizeof(*traces->paths));
		error = traces->paths ? 0 : -ENOMEM;
	}
	for (size_t i = 0; !error && i < pieces->nr_windows; i++) {
		char metadata[sizeof(pieces->windows[i].path) + 16];

		/* One that was moved in the meantime has none. */
		snprintf(metadata, sizeof(metadata), "%s/metadata", pieces->windows[i].path);
		if (access(metadata, R_OK) != 0)
			continue;
		traces->paths[traces->count] = strdup(pieces->windows[i].path);
		if (!traces->paths[traces->count])
			error = -ENOMEM;
		else
			traces->count++;
	}
	if (error)
		message_error("%s: cannot copy what is new in '%s' to %s: %s", view_verb,
			      pieces->root, pieces->folder[0] ? pieces->folder : "/tmp",
			      strerror(-error));
	return error;
}

void view_pieces_end(struct view_pieces *pieces, struct view_traces *traces)
{
	for (size_t i = 0; i < pieces->nr_windows; i++) {
		remove_tree(pieces->windows[i].path);
		stream_format_free(&pieces->windows[i].format);
		free(pieces->windows[i].folder);
	}
	free(pieces->twins);
	pieces->twins = NULL;
	free(pieces->windows);
	pieces->windows = NULL;
	pieces->nr_windows = 0;
	for (size_t i = 0; i < pieces->count; i++)
		pieces->all[i]->is_in = false;
	view_traces_free(traces);
}

/* ---- what of them is shown --------------------------------------------------------- */

void view_pieces_set_horizon(struct view_pieces *pieces, int64_t ns)
{
	pieces->asked = ns;
}

bool view_pieces_wait(const struct view_pieces *pieces)
{
	for (size_t i = 0; i < pieces->count; i++)
		if (view_piece_has_news(pieces->all[i]))
			return true;
	return false;
}

size_t view_pieces_broken(const struct view_pieces *pieces)
{
	size_t broken = 0;

	for (size_t i = 0; i < pieces->count; i++)
		broken += pieces->all[i]->damaged;
	return broken;
}

bool view_pieces_are_late(const struct view_pieces *pieces)
{
	return pieces->is_late;
}

bool view_pieces_are_done(const struct view_pieces *pieces)
{
	return pieces->is_done;
}

static struct view_piece *find(struct view_pieces *pieces, struct view_stream *stream)
{
	const char *name = bt_stream_get_name(stream->stream), *base;
	unsigned long number;
	char *end;

	if (stream->piece || !name)
		return stream->piece;
	base = strrchr(name, '/');
	number = strtoul(base ? base + 1 : name, &end, 10);
	if (*end == ':' && number < pieces->count && pieces->all[number]->is_in)
		stream->piece = pieces->all[number];
	return stream->piece;
}

static bool take_event(struct view_pieces *pieces, struct view_piece *piece, int64_t ns)
{
	piece->event++;
	if (piece->at < piece->next || (piece->at == piece->next && piece->event <= piece->shown))
		return false;
	if (piece->is_blocked || ns > pieces->horizon) {
		piece->is_blocked = true;
		/* They come in order: so is everything else. */
		pieces->is_done = true;
		pieces->is_late |= ns > pieces->asked;
		return false;
	}
	if (ns > pieces->latest)
		pieces->latest = ns;
	piece->next = piece->at;
	piece->shown = piece->event;
	return true;
}

static void end_packet(struct view_pieces *pieces, struct view_piece *piece)
{
	if (piece->is_blocked || piece->at < piece->next)
		return;
	piece->next = piece->at + 1;
	piece->shown = 0;
	/* More of it is to come, which is to be shown before what others have later. */
	if (!piece->damaged && piece->next == piece->end && piece->end < piece->entries &&
	    pieces->latest < pieces->horizon)
		pieces->horizon = pieces->latest;
}

bool view_pieces_take(struct view_pieces *pieces, struct view_stream *stream, bt_message_type type,
		      int64_t ns)
{
	struct view_piece *piece = find(pieces, stream);

	if (!piece)
		return false;
	switch (type) {
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		piece->at++;
		piece->event = 0;
		return true;
	case BT_MESSAGE_TYPE_EVENT:
		return take_event(pieces, piece, ns);
	case BT_MESSAGE_TYPE_PACKET_END:
		end_packet(pieces, piece);
		return true;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		/* They are before the packet that comes next. */
		if (piece->at + 1 < piece->told || ns > pieces->horizon)
			return false;
		piece->told = piece->at + 2;
		return true;
	default:
		return true;
	}
}

/* ---- begin and end ----------------------------------------------------------------- */

struct view_pieces *view_pieces_create(const char *path)
{
	struct view_pieces *pieces = calloc(1, sizeof(*pieces));

	if (pieces)
		pieces->root = path;
	return pieces;
}

static void forget(void *piece)
{
	free(((struct view_piece *)piece)->index);
	free(piece);
}

void view_pieces_destroy(struct view_pieces *pieces)
{
	if (!pieces)
		return;
	if (pieces->folder[0] != '\0')
		rmdir(pieces->folder);
	free(pieces->all);
	tdestroy(pieces->tree, forget);
	free(pieces);
}
