/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * export-folded.c - call stacks for flame graphs: a line for each stack that was on top,
 *
 *   PROGRAM;OUTERMOST;...;INNERMOST NANOSECONDS
 *
 * with the time spent in the innermost itself, of all threads together. The stacks are
 * a tree of their frames. Time after the last event of a thread counts
 * for nothing.
 */
#include <config.h>

#include "cli/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct node {
	uint32_t name;
	int64_t self;
	struct node *parent, *child, *sibling;
};

static struct node root;

/* The child of that name, made where new; then the first, for it will be asked for again. */
static struct node *child_of(struct export *export, struct node *node, uint32_t name)
{
	struct node **link = &node->child, *child;

	while (*link && (*link)->name != name)
		link = &(*link)->sibling;
	child = *link;
	if (child) {
		*link = child->sibling;
	} else {
		child = calloc(1, sizeof(*child));
		if (!child) {
			export_fail(export, ENOMEM);
			return NULL;
		}
		child->name = name;
		child->parent = node;
	}
	child->sibling = node->child;
	node->child = child;
	return child;
}

/* The frame under a slice that is now the innermost one. */
static struct node *frame_below(struct export *export, struct export_track *track, size_t depth)
{
	if (depth > 0)
		return track->slices[depth - 1].node;
	if (!track->node)
		track->node = child_of(export, &root, export_text(export, track->process->program));
	return track->node;
}

/* Until `ns` the slice was the innermost; from now on it is not, or again. */
static void spend(struct export_slice *slice, int64_t ns)
{
	struct node *node = slice->node;

	if (node && ns > slice->since)
		node->self += ns - slice->since;
	if (ns > slice->since)
		slice->since = ns;
}

static void folded_begin(struct export *export, struct export_track *track,
			 const struct export_what *what, int64_t ns)
{
	size_t depth = track->depth - 1;
	struct node *below;

	if (depth > 0)
		spend(&track->slices[depth - 1], ns);
	below = frame_below(export, track, depth);
	track->slices[depth].node = below ? child_of(export, below, what->name) : NULL;
}

static void folded_end(struct export *export, struct export_track *track,
		       const struct export_what *what, int64_t ns)
{
	size_t depth = track->depth - 1;

	(void)export;
	(void)what;
	spend(&track->slices[depth], ns);
	if (depth > 0)
		track->slices[depth - 1].since = ns;
}

static void folded_complete(struct export *export, struct export_track *track,
			    const struct export_what *what, int64_t from, int64_t to)
{
	struct node *below = frame_below(export, track, track->depth);
	struct node *node = below ? child_of(export, below, what->name) : NULL;

	if (track->depth > 0) {
		spend(&track->slices[track->depth - 1], from);
		track->slices[track->depth - 1].since = to;
	}
	if (node && to > from)
		node->self += to - from;
}

/* Names are of anybody's making; these have a meaning in the file. */
static void put_name(struct text_output *out, const char *name)
{
	for (; *name; name++)
		text_output_char(out, *name == ';' || (unsigned char)*name < ' ' ? '_' : *name);
}

static void put_path(struct export *export, const struct node *node, const struct node **path,
		     size_t room)
{
	size_t depth = 0;

	for (; node != &root && depth < room; node = node->parent)
		path[depth++] = node;
	while (depth > 0) {
		put_name(&export->view.output, export_text_of(export, path[--depth]->name));
		if (depth > 0)
			text_output_char(&export->view.output, ';');
	}
}

/* All nodes, the children before their parent, which is freed then. */
static void folded_close(struct export *export)
{
	static const struct node *path[65536 + 2];
	struct node *node = &root;

	for (;;) {
		struct node *parent = node->parent;

		if (node->child) {
			node = node->child;
			continue;
		}
		if (node == &root)
			break;
		if (node->self > 0) {
			put_path(export, node, path, sizeof(path) / sizeof(path[0]));
			text_output_char(&export->view.output, ' ');
			text_output_signed(&export->view.output, node->self);
			text_output_char(&export->view.output, '\n');
		}
		parent->child = node->sibling;
		free(node);
		node = parent;
	}
}

const struct export_format export_folded = {
	.begin = folded_begin,
	.end = folded_end,
	.complete = folded_complete,
	.close = folded_close,
};
