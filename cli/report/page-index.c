/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* page-index.c - what is known at the end, as JSON: what the page begins with. */
#include <config.h>

#include "cli/report/page.h"

#include <limits.h>
#include <stdlib.h>

#define DURATIONS_SHOWN 2000

static void number(struct text_output *out, const char *before, int64_t value)
{
	text_output_text(out, before);
	text_output_signed(out, value);
}

static void string(struct text_output *out, const char *before, const char *text)
{
	text_output_text(out, before);
	page_write_string(out, text);
}

static void write_texts(struct export *export)
{
	struct text_output *out = &export->view.output;

	text_output_text(out, ",\n\"texts\":[\"\"");
	for (uint32_t i = 1; i < export->texts.count; i++)
		string(out, ",", export_text_of(export, i));
	text_output_text(out, "]");
}

static void write_classes(struct export *export)
{
	struct page *page = page_of(export);
	struct text_output *out = &export->view.output;

	text_output_text(out, ",\n\"classes\":[");
	for (uint32_t i = 0; i < page->nr_classes; i++) {
		const struct page_class *class = &page->classes[i];

		string(out, i ? ",\n[" : "[", class->name);
		number(out, ",", (int64_t) class->events);
		text_output_text(out, ",[");
		for (unsigned f = 0; f < class->class->nr_fields; f++) {
			number(out, f ? ",[" : "[", class->class->fields[f].name);
			text_output_text(out, ",\"");
			text_output_char(out, (char)class->columns[f].kind);
			text_output_text(out, "\"]");
		}
		text_output_text(out, "]]");
	}
	text_output_text(out, "]");
}

static void write_tracks(struct export *export)
{
	struct page *page = page_of(export);
	struct text_output *out = &export->view.output;
	const struct export_process *process = export->tracks.processes;

	text_output_text(out, ",\n\"processes\":[");
	for (bool first = true; process; process = process->next, first = false) {
		number(out, first ? "[" : ",\n[", (int64_t)process->uuid);
		number(out, ",", process->pid);
		string(out, ",", process->program);
		text_output_text(out, "]");
	}
	text_output_text(out, "],\n\"tracks\":[");
	for (uint32_t i = 0; i < page->nr_tracks; i++) {
		const struct export_track *track = page->tracks[i]->track;

		number(out, i ? ",\n[" : "[", (int64_t)track->process->uuid);
		number(out, ",", track->tid);
		number(out, ",", track->cpu);
		number(out, ",", (int64_t)page->tracks[i]->events);
		string(out, ",", track->name);
		text_output_text(out, "]");
	}
	text_output_text(out, "]");
}

static void write_blocks(struct export *export, const char *before,
			 const struct page_blocks *blocks)
{
	struct text_output *out = &export->view.output;

	text_output_text(out, before);
	for (size_t i = 0; i < blocks->count; i++) {
		number(out, i ? ",[" : "[", (int64_t)blocks->blocks[i].count);
		number(out, ",", blocks->blocks[i].from);
		number(out, ",", blocks->blocks[i].to);
		text_output_text(out, "]");
	}
	text_output_text(out, "]");
}

static void write_lost(struct export *export)
{
	struct page *page = page_of(export);
	struct text_output *out = &export->view.output;
	char losses[LOSSES_TEXT_SIZE];

	number(out, ",\n\"lostEvents\":", (int64_t)page->lost_events);
	if (view_losses_describe(&export->view, losses))
		string(out, ",\"losses\":", losses);
	text_output_text(out, page->lost_unknown ? ",\"lostUnknown\":true" : "");
	text_output_text(out, ",\"lost\":[");
	for (size_t i = 0; i < page->nr_lost; i++) {
		const struct page_lost *lost = &page->lost[i];

		number(out, i ? ",[" : "[", lost->from);
		number(out, ",", lost->to);
		number(out, ",", lost->pid);
		number(out, ",", (int64_t)lost->count);
		string(out, ",", lost->text);
		text_output_text(out, "]");
	}
	text_output_text(out, "]");
}

static int compare_sums(const void *a, const void *b)
{
	const struct page_duration *x = a, *y = b;

	return x->sum < y->sum ? 1 : x->sum > y->sum ? -1 : 0;
}

static int64_t bounded(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static void write_duration(struct text_output *out, const struct page_duration *duration)
{
	number(out, "[", duration->category);
	number(out, ",", duration->name);
	number(out, ",", bounded(duration->count));
	number(out, ",", bounded(duration->sum));
	number(out, ",", bounded(duration->least));
	number(out, ",", bounded(duration->most));
	number(out, ",", duration->most_begin);
	number(out, ",", duration->most_track);
	text_output_text(out, ",[");
	for (uint32_t i = 0; i < duration->nr_buckets; i++) {
		if (i > 0)
			text_output_char(out, ',');
		/* Most are empty: an empty place between commas would be no JSON. */
		text_output_unsigned(out, duration->buckets[i]);
	}
	text_output_text(out, "]]");
}

/* Those that took longest in all; their order is theirs alone, so the table ends here. */
static void write_durations(struct export *export)
{
	struct page_durations *durations = &page_of(export)->durations;
	struct text_output *out = &export->view.output;

	if (durations->count > 0)
		qsort(durations->list, durations->count, sizeof(*durations->list), compare_sums);
	number(out, ",\n\"durationNames\":", durations->count);
	text_output_text(out, ",\"durations\":[");
	for (uint32_t i = 0; i < durations->count && i < DURATIONS_SHOWN; i++) {
		text_output_text(out, i ? ",\n" : "");
		write_duration(out, &durations->list[i]);
	}
	text_output_text(out, "]");
}

void page_index_write(struct export *export)
{
	struct page *page = page_of(export);
	struct text_output *out = &export->view.output;

	text_output_text(out, "<script type=\"application/json\" id=\"index\">{\"version\":1");
	string(out, ",\"by\":", PACKAGE_NAME " " PACKAGE_VERSION);
	string(out, ",\"path\":", page->path);
	/* Too large for a number of JavaScript's. */
	number(out, ",\"begin\":\"", page->origin);
	number(out, "\",\"first\":", page->first == INT64_MAX ? 0 : page->first);
	number(out, ",\"last\":", page->last == INT64_MIN ? 0 : page->last);
	number(out, ",\"events\":", (int64_t)page->events);
	number(out, ",\"kept\":", (int64_t)page->kept);
	number(out, ",\"slices\":", (int64_t)page->slices);
	number(out, ",\"slicesKept\":", (int64_t)page->slices_kept);
	number(out, ",\"unfinished\":", (int64_t)page->unfinished);
	number(out, ",\"unpaired\":", (int64_t) export->unpaired);
	text_output_text(out, export->has_threads ? ",\"threads\":true" : ",\"threads\":false");
	text_output_text(out, export->has_pairs ? ",\"pairs\":true" : ",\"pairs\":false");
	text_output_text(out, page->flame.is_full ? ",\"flameFull\":true" : "");
	write_texts(export);
	write_classes(export);
	write_tracks(export);
	write_blocks(export, ",\n\"blocks\":[", &page->blocks.blocks);
	write_blocks(export, ",\n\"shorts\":[", &page->shorts.blocks);
	write_blocks(export, ",\n\"longs\":[", &page->longs.blocks);
	write_lost(export);
	write_durations(export);
	text_output_text(out, ",\n\"memory\":");
	if (page->memory.calls > 0)
		page_memory_write(export);
	else
		text_output_text(out, "null");
	text_output_text(out, "}</script>\n");
}
