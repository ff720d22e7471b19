/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * page-text.c - the sums of a trace as text for a terminal: events, processes, how long calls
 * took, which files they used, and who allocates and holds memory. Each table begins with its
 * largest rows.
 */
#include <config.h>

#include "cli/report/page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/message.h"
#include "common/base/amount.h"
#include "common/base/name.h"

/* Names are the traced programs': what would direct the terminal is shown as '?'. */
static void put_name(struct text_output *out, const char *text)
{
	while (*text) {
		size_t length = name_directs(text) ? 0 : text_letter_length(text);

		if (length)
			text_output_bytes(out, text, length);
		else
			text_output_char(out, '?');
		text += length ? length : 1;
	}
}

/* A count in a column of 12 letters. */
static void put_count(struct text_output *out, uint64_t count)
{
	char text[32], column[40];

	snprintf(column, sizeof(column), "%12s", amount_format_count(count, text));
	text_output_text(out, column);
}

/* A duration in a column of 11 letters. */
static void put_time(struct text_output *out, double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s " };
	char column[48];
	unsigned unit = 0;

	for (; ns >= 1000 && unit < 3; unit++)
		ns /= 1000;
	snprintf(column, sizeof(column), "%8.*f %s", unit ? 2 : 0, ns, units[unit]);
	text_output_text(out, column);
}

/* The number of rows that are shown of so many. */
static size_t shown(const struct export *export, size_t count)
{
	return count < page_of(export)->rows ? count : page_of(export)->rows;
}

/* Ends a table of so many rows. */
static void put_more(struct export *export, size_t count)
{
	char text[80], number[32];

	if (shown(export, count) == count)
		return;
	snprintf(text, sizeof(text), "%12s and %s more; --rows 0 shows all\n", "",
		 amount_format_count(count - shown(export, count), number));
	text_output_text(&export->view.output, text);
}

/* ---- events and processes --------------------------------------------------------- */

struct row {
	uint64_t count;
	const char *name;
	int64_t pid; /* -1: none */
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void put_rows(struct export *export, const char *heading, struct row *rows, size_t count)
{
	struct text_output *out = &export->view.output;
	char pid[32];

	text_output_text(out, heading);
	qsort(rows, count, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < shown(export, count); i++) {
		put_count(out, rows[i].count);
		text_output_text(out, "  ");
		put_name(out, rows[i].name);
		snprintf(pid, sizeof(pid), " %" PRId64, rows[i].pid);
		text_output_text(out, rows[i].pid < 0 ? "\n" : pid);
		if (rows[i].pid >= 0)
			text_output_char(out, '\n');
	}
	put_more(export, count);
}

static void put_classes(struct export *export)
{
	const struct page *page = page_of(export);
	struct row *rows = calloc(page->nr_classes + 1, sizeof(*rows));

	if (!rows) {
		export_fail(export, ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < page->nr_classes; i++)
		rows[i] = (struct row){ page->classes[i].events, page->classes[i].name, -1 };
	put_rows(export, "\n      EVENTS  NAME\n", rows, page->nr_classes);
	free(rows);
}

static void put_processes(struct export *export)
{
	const struct page *page = page_of(export);
	struct row *rows = calloc(page->nr_tracks + 1, sizeof(*rows));
	const struct export_process **processes = calloc(page->nr_tracks + 1, sizeof(*processes));
	size_t count = 0;

	if (!rows || !processes) {
		export_fail(export, ENOMEM);
		goto end;
	}
	for (uint32_t i = 0; i < page->nr_tracks; i++) {
		const struct export_process *process = page->tracks[i]->track->process;
		size_t at = 0;

		while (at < count && processes[at] != process)
			at++;
		if (at == count) {
			processes[count++] = process;
			rows[at] = (struct row){ 0, process->program, process->pid };
		}
		rows[at].count += page->tracks[i]->events;
	}
	put_rows(export, "\n      EVENTS  PROCESS\n", rows, count);
end:
	free(rows);
	free(processes);
}

/* ---- durations ---------------------------------------------------------------------- */

static int compare_durations(const void *a, const void *b)
{
	const struct page_duration *x = a, *y = b;

	return x->sum < y->sum ? 1 : x->sum > y->sum ? -1 : 0;
}

/*
 * The middle of the bucket with the least duration that so large a part of them does not exceed;
 * see page-durations.c. The page has the same one.
 */
static double part_of(const struct page_duration *duration, double part)
{
	double wanted = (double)duration->count * part;
	uint64_t seen = 0;
	unsigned bucket = 0;
	double low, ns;

	while (bucket < duration->nr_buckets) {
		seen += duration->buckets[bucket];
		if ((double)seen >= wanted)
			break;
		bucket++;
	}
	if (bucket >= duration->nr_buckets)
		return (double)duration->most;
	if (bucket < 8)
		return bucket;
	low = (double)(UINT64_C(1) << (bucket / 8 - 1));
	ns = low * (8.5 + bucket % 8);
	if (ns < (double)duration->least)
		return (double)duration->least;
	return ns > (double)duration->most ? (double)duration->most : ns;
}

static void put_durations(struct export *export)
{
	struct page_durations *durations = &page_of(export)->durations;
	struct text_output *out = &export->view.output;

	if (!durations->count)
		return;
	text_output_text(out, "\n       CALLS      TOTAL     MEDIAN       99 %       MOST  NAME\n");
	qsort(durations->list, durations->count, sizeof(*durations->list), compare_durations);
	for (uint32_t i = 0; i < shown(export, durations->count); i++) {
		const struct page_duration *duration = &durations->list[i];

		put_count(out, duration->count);
		put_time(out, (double)duration->sum);
		put_time(out, part_of(duration, 0.5));
		put_time(out, part_of(duration, 0.99));
		put_time(out, (double)duration->most);
		text_output_text(out, "  ");
		put_name(out, export_text_of(export, duration->name));
		text_output_char(out, '\n');
	}
	put_more(export, durations->count);
}

/* ---- memory --------------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
	const struct page_caller *x = a, *y = b;

	if (x->where != y->where)
		return x->where < y->where ? -1 : 1;
	return x->class < y->class ? -1 : x->class > y->class;
}

static int compare_callers(const void *a, const void *b)
{
	const struct page_caller *x = a, *y = b;

	return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : compare_places(a, b);
}

/* The held blocks, one entry for each caller and function. Returns their number. */
static size_t sum_up(const struct page_memory *memory, struct page_caller *holders)
{
	size_t count = 0, blocks = 0;

	for (size_t i = 0; i < memory->places; i++) {
		const struct page_live_block *live = &memory->live[i];

		if (live->pointer)
			holders[blocks++] =
				(struct page_caller){ live->where, live->class, live->size, 1 };
	}
	qsort(holders, blocks, sizeof(*holders), compare_places);
	for (size_t i = 0; i < blocks; i++) {
		struct page_caller *last = count ? &holders[count - 1] : NULL;

		if (last && compare_places(last, &holders[i]) == 0) {
			last->bytes += holders[i].bytes;
			last->calls++;
		} else {
			holders[count++] = holders[i];
		}
	}
	return count;
}

static void put_callers(struct export *export, struct page_caller *callers, size_t count)
{
	const struct page *page = page_of(export);
	struct text_output *out = &export->view.output;

	if (count)
		qsort(callers, count, sizeof(*callers), compare_callers);
	for (size_t i = 0; i < shown(export, count); i++) {
		const char *function = strchr(page->classes[callers[i].class].name, ':');

		put_count(out, callers[i].bytes);
		put_count(out, callers[i].calls);
		text_output_text(out, "  ");
		put_name(out, callers[i].where ? export_text_of(export, callers[i].where) : "?");
		text_output_text(out, " (");
		put_name(out, function ? function + 1 : "?");
		text_output_text(out, ")\n");
	}
	put_more(export, count);
}

static void put_memory(struct export *export)
{
	struct page *page = page_of(export);
	struct text_output *out = &export->view.output;
	struct page_caller *holders;
	size_t count;

	holders = calloc(page->memory.count + 1, sizeof(*holders));
	if (!holders) {
		export_fail(export, ENOMEM);
		return;
	}
	text_output_text(out, "\nALLOCATED, B       CALLS  BY, FREED SINCE OR NOT\n");
	put_callers(export, page->callers.list, page->callers.count);
	count = sum_up(&page->memory, holders);
	text_output_text(out, "\nNOT FREED, B      BLOCKS  ALLOCATED BY\n");
	if (!count)
		text_output_text(out, "           0           0  all was freed\n");
	put_callers(export, holders, count);
	free(holders);
}

/* The most bytes that each process held at one time. */
static void put_levels(struct export *export)
{
	const struct page_memory *memory = &page_of(export)->memory;
	struct row *rows = calloc(memory->nr_levels + 1, sizeof(*rows));

	if (!rows) {
		export_fail(export, ENOMEM);
		return;
	}
	for (size_t i = 0; i < memory->nr_levels; i++) {
		const struct export_process *process = export->tracks.processes;

		while (process && (int64_t)process->uuid != memory->levels[i].process)
			process = process->next;
		rows[i] = (struct row){ memory->levels[i].most, process ? process->program : "?",
					process ? process->pid : -1 };
	}
	if (page_of(export)->lost_events || page_of(export)->lost_unknown ||
	    losses_sum(&export->view.losses))
		text_output_text(&export->view.output,
				 "\nmemory, without what the lost events did:\n");
	put_rows(export, "\nMOST HELD, B  PROCESS\n", rows, memory->nr_levels);
	free(rows);
}

/* ---- files -------------------------------------------------------------------------------- */

static int compare_files(const void *a, const void *b)
{
	const struct page_file *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Sorts the files. */
static void put_files(struct export *export)
{
	struct page_files *files = &page_of(export)->files;
	struct text_output *out = &export->view.output;
	char text[48], count[32];

	if (!files->count)
		return;
	qsort(files->list, files->count, sizeof(*files->list), compare_files);
	text_output_text(out, "\n       OPENS       CALLS       BYTES       TIME  FILE\n");
	for (uint32_t i = 0; i < shown(export, files->count); i++) {
		const struct page_file *file = &files->list[i];

		put_count(out, file->opens);
		put_count(out, file->calls);
		put_count(out, file->bytes);
		put_time(out, (double)file->ns);
		text_output_text(out, "  ");
		put_name(out, export_text_of(export, file->name));
		if (file->failed) {
			snprintf(text, sizeof(text), " (%s failed)",
				 amount_format_count(file->failed, count));
			text_output_text(out, text);
		}
		text_output_char(out, '\n');
	}
	put_more(export, files->count);
}

static void put_losses(struct export *export)
{
	char text[LOSSES_TEXT_SIZE];

	if (!view_losses_describe(&export->view, text))
		return;
	text_output_text(&export->view.output, "lost: ");
	text_output_text(&export->view.output, text);
	text_output_char(&export->view.output, '\n');
}

/* ---- all ------------------------------------------------------------------------------- */

void page_text_write(struct export *export)
{
	const struct page *page = page_of(export);
	struct text_output *out = &export->view.output;
	char count[32], text[160];

	if (!page->events) {
		put_losses(export);
		return;
	}
	snprintf(text, sizeof(text), "%s event%s in %.6f s",
		 amount_format_count(page->events, count), message_plural(page->events),
		 page->last > page->first ? (double)(page->last - page->first) / 1e9 : 0);
	text_output_text(out, text);
	if (page->lost_events) {
		snprintf(text, sizeof(text), "; %s%s lost", page->lost_unknown ? "at least " : "",
			 amount_format_count(page->lost_events, count));
		text_output_text(out, text);
	} else if (page->lost_unknown) {
		text_output_text(out, "; some events lost");
	}
	text_output_char(out, '\n');
	put_losses(export);
	put_classes(export);
	put_processes(export);
	put_durations(export);
	put_files(export);
	if (!page->memory.calls)
		return;
	put_levels(export);
	put_memory(export);
}
