/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * page-format.c - the page as a format of the export: each event and each slice goes to what
 * keeps it one by one, as far as there is room, and to what counts.
 */
#include <config.h>

#include "cli/report/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct page the_page;

void page_set(struct export *export, const char *path, uint64_t most, uint64_t rows)
{
	the_page = (struct page){
		.path = path, .most = rows ? 0 : most, .is_text = rows > 0, .rows = rows
	};
	the_page.shorts.name = "s";
	the_page.longs.name = "l";
	the_page.first = INT64_MAX;
	the_page.last = INT64_MIN;
	export->state = &the_page;
}

/* ---- classes, tracks, CPUs --------------------------------------------------------- */

static enum page_kind kind_of(const bt_field_class *class)
{
	bt_field_class_type type = bt_field_class_get_type(class);

	if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL)
		return PAGE_REAL;
	if (type == BT_FIELD_CLASS_TYPE_BOOL)
		return PAGE_UNSIGNED;
	if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY)
		return PAGE_HEX;
	if (!bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER) ||
	    bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ENUMERATION))
		return PAGE_TEXT;
	if (type == BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)
		return PAGE_SIGNED;
	switch (bt_field_class_integer_get_preferred_display_base(class)) {
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL:
		return PAGE_HEX;
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_OCTAL:
		return PAGE_OCTAL;
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_BINARY:
		return PAGE_BINARY;
	default:
		return PAGE_UNSIGNED;
	}
}

static bool set_columns(struct page_class *class)
{
	const bt_field_class *payload =
		bt_event_class_borrow_payload_field_class_const(class->class->bt);
	const bt_field_class *context =
		bt_stream_class_borrow_event_common_context_field_class_const(
			bt_event_class_borrow_stream_class_const(class->class->bt));

	class->columns = calloc(class->class->nr_fields + 1, sizeof(*class->columns));
	if (!class->columns)
		return false;
	for (unsigned i = 0; i < class->class->nr_fields; i++) {
		const struct export_field *field = &class->class->fields[i];

		class->columns[i].kind =
			kind_of(bt_field_class_structure_member_borrow_field_class_const(
				bt_field_class_structure_borrow_member_by_index_const(
					field->is_context ? context : payload, field->index)));
	}
	return true;
}

/* Classes are numbered in the order in which they are met, so there is one more at most. */
static struct page_class *class_of(struct export *export, const struct export_class *class)
{
	struct page *page = page_of(export);
	const char *name = bt_event_class_get_name(class->bt);
	struct page_class *larger, *new;

	if (class->number < page->nr_classes)
		return &page->classes[class->number];
	if (page->nr_classes == page->room_classes) {
		uint32_t room = page->room_classes ? page->room_classes * 2 : 64;

		larger = realloc(page->classes, room * sizeof(*larger));
		if (!larger)
			goto no_memory;
		page->classes = larger;
		page->room_classes = room;
	}
	new = &page->classes[page->nr_classes];
	*new = (struct page_class){ .class = class, .name = strdup(name ? name : "?") };
	if (!new->name || !set_columns(new)) {
		free(new->name);
		goto no_memory;
	}
	new->row = page_bins_row(export, &page->rates, PAGE_ROW_CLASS, page->nr_classes, 0);
	page_memory_class(export, new);
	page_files_class(new);
	page->nr_classes++;
	return new;
no_memory:
	export_fail(export, ENOMEM);
	return NULL;
}

static struct page_track *track_of(struct export *export, struct export_track *track)
{
	struct page *page = page_of(export);
	struct page_track *new = track->node, **larger;

	if (new)
		return new;
	if (page->nr_tracks == page->room_tracks) {
		uint32_t room = page->room_tracks ? page->room_tracks * 2 : 64;

		larger = realloc(page->tracks, room * sizeof(*larger));
		if (!larger)
			goto no_memory;
		page->tracks = larger;
		page->room_tracks = room;
	}
	new = calloc(1, sizeof(*new));
	if (!new)
		goto no_memory;
	new->number = page->nr_tracks;
	new->track = track;
	new->row = page_bins_row(export, &page->rates, PAGE_ROW_TRACK, new->number, 0);
	memset(new->lanes, 0xff, sizeof(new->lanes));
	page->tracks[page->nr_tracks++] = new;
	track->node = new;
	return new;
no_memory:
	export_fail(export, ENOMEM);
	return NULL;
}

static uint32_t cpu_row(struct export *export, int64_t cpu)
{
	struct page *page = page_of(export);

	if (cpu < 0 || cpu >= PAGE_CPUS_MOST)
		return UINT32_MAX;
	if (!page->cpu_rows) {
		page->cpu_rows = malloc(PAGE_CPUS_MOST * sizeof(*page->cpu_rows));
		if (!page->cpu_rows) {
			export_fail(export, ENOMEM);
			return UINT32_MAX;
		}
		memset(page->cpu_rows, 0xff, PAGE_CPUS_MOST * sizeof(*page->cpu_rows));
	}
	if (page->cpu_rows[cpu] == UINT32_MAX)
		page->cpu_rows[cpu] =
			page_bins_row(export, &page->rates, PAGE_ROW_CPU, (uint32_t)cpu, 0);
	return page->cpu_rows[cpu];
}

/* ---- events and slices ---------------------------------------------------------------- */

static void saw(struct page *page, int64_t ns)
{
	if (ns < page->first)
		page->first = ns;
	if (ns > page->last)
		page->last = ns;
}

static void page_event(struct export *export, const struct view_stream *stream,
		       struct export_track *track, const struct export_what *what, int64_t ns)
{
	struct page *page = page_of(export);
	struct page_class *class = class_of(export, what->class);
	struct page_track *own = class ? track_of(export, track) : NULL;
	struct page_extent extent = { .count = 1 };

	if (!own)
		return;
	ns -= page->origin;
	saw(page, ns);
	extent.begin = extent.end = ns;
	page->events++;
	class->events++;
	own->events++;
	page_bins_add(export, &page->rates, class->row, &extent);
	page_bins_add(export, &page->rates, own->row, &extent);
	page_bins_add(export, &page->rates, cpu_row(export, stream->cpu), &extent);
	if (class->call != PAGE_MEMORY_NONE)
		page_memory_event(export, class, what->class->number, own, what->event, ns);
	if (class->file_call != PAGE_FILE_NONE && page->is_text)
		page_files_event(export, class, own, what->event);
	if (page->kept == page->most)
		return;
	page->kept++;
	page_events_add(export, what, own->number, stream->cpu, ns);
}

/* The frame of what is open below `depth`, or the program's. */
static struct page_frame *frame_below(struct export *export, struct export_track *track,
				      size_t depth)
{
	struct page_track *own = track->node;

	if (depth > 0)
		return track->slices[depth - 1].node;
	if (own && !own->frame)
		own->frame = page_flame_child(export, &page_of(export)->flame.root,
					      export_text(export, track->process->program));
	return own ? own->frame : NULL;
}

static void page_begin(struct export *export, struct export_track *track,
		       const struct export_what *what, int64_t ns)
{
	size_t depth = track->depth - 1;
	struct page_frame *below = frame_below(export, track, depth);

	(void)ns;
	track->slices[depth].node = below ? page_flame_child(export, below, what->name) : NULL;
}

static uint32_t lane_of(struct export *export, struct page_track *track, uint32_t depth)
{
	if (depth >= PAGE_DEPTH_MOST)
		return UINT32_MAX;
	if (track->lanes[depth] == UINT32_MAX)
		track->lanes[depth] = page_bins_row(export, &page_of(export)->lanes, PAGE_ROW_LANE,
						    track->number, depth);
	return track->lanes[depth];
}

static void put_slice(struct export *export, struct export_track *track, uint32_t category,
		      const struct page_slice *slice)
{
	struct page *page = page_of(export);
	struct page_extent extent = { slice->begin, slice->end, slice->end - slice->begin, 1,
				      slice->name };

	saw(page, slice->begin);
	page->slices++;
	page->unfinished += slice->is_cut;
	page_bins_add(export, &page->lanes, lane_of(export, track->node, slice->depth), &extent);
	/* How long it really took is not known. */
	if (!slice->is_cut)
		page_durations_add(export, category, slice);
	if (page->slices_kept == page->most)
		return;
	page->slices_kept++;
	page_slices_add(export, slice);
}

static void end_slice(struct export *export, struct export_track *track, bool is_cut, int64_t ns)
{
	const struct export_slice *innermost = &track->slices[track->depth - 1];
	struct page_track *own = track->node;
	int64_t origin = page_of(export)->origin;

	if (!own)
		return;
	if (ns < innermost->since)
		ns = innermost->since;
	if (innermost->node)
		page_flame_add(innermost->node, ns - innermost->since);
	put_slice(export, track, innermost->category,
		  &(struct page_slice){ own->number, (uint32_t)track->depth - 1, innermost->name,
					innermost->since - origin, ns - origin, is_cut });
}

static void page_end(struct export *export, struct export_track *track,
		     const struct export_what *what, int64_t ns)
{
	end_slice(export, track, !what->event, ns);
}

static void page_complete(struct export *export, struct export_track *track,
			  const struct export_what *what, int64_t from, int64_t to)
{
	struct page_track *own = track->node;
	struct page_frame *below = frame_below(export, track, track->depth), *frame;
	int64_t origin = page_of(export)->origin;

	if (!own)
		return;
	frame = below ? page_flame_child(export, below, what->name) : NULL;
	if (frame)
		page_flame_add(frame, to - from);
	put_slice(export, track, what->category,
		  &(struct page_slice){ own->number, (uint32_t)track->depth, what->name,
					from - origin, to - origin, false });
}

/* When there are too many marks, the last one stands for all that follow. */
static void page_lost(struct export *export, struct export_track *track, const char *text,
		      uint64_t count, int64_t ns)
{
	struct page *page = page_of(export);
	struct page_lost *mark;

	if (!page->lost)
		page->lost = calloc(PAGE_LOST_MOST, sizeof(*page->lost));
	if (!page->lost) {
		export_fail(export, ENOMEM);
		return;
	}
	ns -= page->origin;
	saw(page, ns);
	page->lost_events += count;
	page->lost_unknown |= count == 0;
	if (page->nr_lost == PAGE_LOST_MOST) {
		mark = &page->lost[PAGE_LOST_MOST - 1];
		mark->to = ns;
		mark->pid = -1;
		mark->count += count;
		snprintf(mark->text, sizeof(mark->text), "events lost, many times");
		return;
	}
	mark = &page->lost[page->nr_lost++];
	*mark = (struct page_lost){ ns, ns, track->process->pid, count, "" };
	snprintf(mark->text, sizeof(mark->text), "%s", text);
}

/* ---- begin and end of it -------------------------------------------------------------- */

static void page_open(struct export *export, int64_t ns)
{
	page_of(export)->origin = ns;
	if (page_of(export)->is_text)
		return;
	text_output_bytes(&export->view.output, (const char *)page_head, page_head_size);
}

static void end_open_slices(struct export *export)
{
	struct page *page = page_of(export);

	for (uint32_t i = 0; i < page->nr_tracks; i++) {
		struct export_track *track = (struct export_track *)page->tracks[i]->track;

		for (; track->depth > 0; track->depth--)
			end_slice(export, track, true, page->last + page->origin);
	}
}

static void free_all(struct page *page)
{
	for (uint32_t i = 0; i < page->nr_classes; i++) {
		for (unsigned f = 0; f < page->classes[i].class->nr_fields; f++)
			page_bytes_free(&page->classes[i].columns[f].bytes);
		free(page->classes[i].columns);
		free(page->classes[i].name);
	}
	for (uint32_t i = 0; i < page->nr_tracks; i++)
		free(page->tracks[i]);
	free(page->classes);
	free(page->tracks);
	free(page->cpu_rows);
	free(page->lost);
	page_events_free(&page->blocks);
	page_slices_free(&page->shorts);
	page_slices_free(&page->longs);
	page_bins_free(&page->rates);
	page_bins_free(&page->lanes);
	page_bins_free(&page->levels);
	page_durations_free(&page->durations);
	page_flame_free(&page->flame);
	page_memory_free(&page->memory);
	page_callers_free(&page->callers);
	page_files_free(&page->files);
}

static void page_close(struct export *export)
{
	struct page *page = page_of(export);

	end_open_slices(export);
	if (page->is_text) {
		page_text_write(export);
		free_all(page);
		return;
	}
	page_events_finish(export);
	page_slices_finish(export);
	page_bins_finish(export, &page->rates, "rates");
	page_bins_finish(export, &page->lanes, "lanes");
	page_bins_finish(export, &page->levels, "levels");
	page_flame_finish(export);
	page_index_write(export);
	text_output_bytes(&export->view.output, (const char *)page_tail, page_tail_size);
	free_all(page);
}

const struct export_format export_page = {
	.open = page_open,
	.event = page_event,
	.begin = page_begin,
	.end = page_end,
	.complete = page_complete,
	.lost = page_lost,
	.close = page_close,
};
