/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * page-memory.c - the blocks that a program holds, of the events of the libc family.
 *
 * A block is held from its allocation on until it is freed. An address that is seen
 * allocated while it is held was moved away by a realloc() whose own event is about to
 * follow (preload/libc.c says why): that one then ends the older block, not this one.
 */
#include <config.h>

#include "cli/report/page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/field-member.h"
#include "cli/symbols/symbols.h"

#define PROVIDER "lttng_ust_libc:"
#define HELD_MOST (1u << 21)
#define PLACES_AT_FIRST 4096
#define GROUPS_SHOWN 1000

static const struct {
	const char *name;
	enum page_memory_call call;
	const char *pointer;
} calls[] = {
	{ "malloc", PAGE_MEMORY_ALLOCATES, "ptr" },
	{ "calloc", PAGE_MEMORY_ALLOCATES, "ptr" },
	{ "memalign", PAGE_MEMORY_ALLOCATES, "ptr" },
	{ "posix_memalign", PAGE_MEMORY_ALLOCATES, "out_ptr" },
	{ "aligned_alloc", PAGE_MEMORY_ALLOCATES, "ptr" },
	{ "valloc", PAGE_MEMORY_ALLOCATES, "ptr" },
	{ "pvalloc", PAGE_MEMORY_ALLOCATES, "ptr" },
	{ "realloc", PAGE_MEMORY_CHANGES, "ptr" },
	{ "free", PAGE_MEMORY_FREES, "ptr" },
};

static int64_t find_field(const struct export *export, const struct export_class *class,
			  const char *name, bool is_context)
{
	for (unsigned i = 0; i < class->nr_fields; i++) {
		if (class->fields[i].is_context == is_context &&
		    strcmp(export_text_of(export, class->fields[i].name), name) == 0)
			return i;
	}
	return -1;
}

void page_memory_class(const struct export *export, struct page_class *class)
{
	if (strncmp(class->name, PROVIDER, strlen(PROVIDER)) != 0)
		return;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(class->name + strlen(PROVIDER), calls[i].name) != 0)
			continue;
		class->pointer = find_field(export, class->class, calls[i].pointer, false);
		class->old_pointer = find_field(export, class->class, "in_ptr", false);
		class->size = find_field(export, class->class, "size", false);
		class->times = find_field(export, class->class, "nmemb", false);
		class->ip = find_field(export, class->class, "ip", true);
		if (class->pointer >= 0)
			class->call = calls[i].call;
	}
}

static const bt_field *borrow_field(const struct page_class *class, const bt_event *event,
				    int64_t number)
{
	const struct export_field *field = &class->class->fields[number];

	return bt_field_structure_borrow_member_field_by_index_const(
		field->is_context ? bt_event_borrow_common_context_field_const(event)
				  : bt_event_borrow_payload_field_const(event),
		field->index);
}

static uint64_t field_of(const struct page_class *class, const bt_event *event, int64_t number)
{
	uint64_t value = 0;

	if (number >= 0)
		(void)field_integer(borrow_field(class, event, number), &value);
	return value;
}

/* The function that called, or its address where that is not known. */
static uint32_t where_of(struct export *export, const struct page_class *class,
			 const bt_event *event)
{
	struct symbol *symbol;
	char text[32];

	if (class->ip < 0)
		return 0;
	symbol = symbols_find(export->view.symbols, "ip", borrow_field(class, event, class->ip));
	if (symbol)
		return export_text(export, symbols_text(symbol));
	snprintf(text, sizeof(text), "0x%" PRIx64, field_of(class, event, class->ip));
	return export_text(export, text);
}

/* ---- what is held --------------------------------------------------------------- */

static size_t first_place(const struct page_memory *memory, int64_t process, uint64_t pointer)
{
	uint64_t hash = (pointer >> 4) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)process * 31;

	return (hash ^ hash >> 32) & (memory->places - 1);
}

static struct page_live_block *find(const struct page_memory *memory, int64_t process,
				    uint64_t pointer)
{
	size_t place = first_place(memory, process, pointer);

	while (memory->live[place].pointer &&
	       (memory->live[place].pointer != pointer || memory->live[place].process != process))
		place = (place + 1) & (memory->places - 1);
	return &memory->live[place];
}

static int grow(struct page_memory *memory)
{
	struct page_memory larger = *memory;

	larger.places = memory->places ? memory->places * 2 : PLACES_AT_FIRST;
	larger.live = calloc(larger.places, sizeof(*larger.live));
	if (!larger.live)
		return -ENOMEM;
	for (size_t i = 0; i < memory->places; i++) {
		if (memory->live[i].pointer)
			*find(&larger, memory->live[i].process, memory->live[i].pointer) =
				memory->live[i];
	}
	free(memory->live);
	*memory = larger;
	return 0;
}

/* Frees an entry of the hash table; moves up later entries that could not be found any more. */
static void forget(struct page_memory *memory, struct page_live_block *live)
{
	size_t hole = live - memory->live, place = hole, mask = memory->places - 1;

	for (;;) {
		place = (place + 1) & mask;
		if (!memory->live[place].pointer)
			break;
		if (((place - first_place(memory, memory->live[place].process,
					  memory->live[place].pointer)) &
		     mask) < ((place - hole) & mask))
			continue;
		memory->live[hole] = memory->live[place];
		hole = place;
	}
	memory->live[hole] = (struct page_live_block){ 0 };
	memory->count--;
}

static void release(struct page_memory *memory, struct page_levels *level, int64_t process,
		    uint64_t pointer, bool is_realloc)
{
	struct page_live_block *live;

	if (!pointer)
		return;
	live = memory->places ? find(memory, process, pointer) : NULL;
	if (!live || !live->pointer) {
		memory->unknown++;
		return;
	}
	if (is_realloc && live->replaced > 0) {
		live->replaced--;
		return;
	}
	level->bytes -= live->size;
	level->blocks--;
	forget(memory, live);
}

static void hold(struct export *export, struct page_levels *level,
		 const struct page_live_block *new)
{
	struct page_memory *memory = &page_of(export)->memory;
	struct page_live_block *live;
	uint32_t replaced = 0;

	if (memory->count * 2 >= memory->places && memory->places < HELD_MOST * 2 &&
	    grow(memory) < 0) {
		export_fail(export, ENOMEM);
		return;
	}
	live = find(memory, new->process, new->pointer);
	if (live->pointer) {
		level->bytes -= live->size;
		level->blocks--;
		replaced = live->replaced + 1;
	} else if (memory->count == HELD_MOST) {
		memory->unfollowed++;
		return;
	} else {
		memory->count++;
	}
	*live = *new;
	live->replaced = replaced;
	level->bytes += new->size;
	level->blocks++;
	if (level->bytes > level->most)
		level->most = level->bytes;
}

/* All tracks of a process have one; each looks for it once. */
static struct page_levels *get_level(struct export *export, struct page_track *track)
{
	struct page *page = page_of(export);
	struct page_memory *memory = &page->memory;
	int64_t process = (int64_t)track->track->process->uuid;
	struct page_levels *larger;

	for (size_t i = memory->nr_levels; track->level == 0 && i > 0; i--) {
		if (memory->levels[i - 1].process == process)
			track->level = (uint32_t)i;
	}
	if (track->level > 0)
		return &memory->levels[track->level - 1];
	larger = realloc(memory->levels, (memory->nr_levels + 1) * sizeof(*larger));
	if (!larger) {
		export_fail(export, ENOMEM);
		return NULL;
	}
	memory->levels = larger;
	larger[memory->nr_levels] = (struct page_levels){ .process = process };
	larger[memory->nr_levels].row = page_bins_row(export, &page->levels, PAGE_ROW_LEVEL,
						      (uint32_t)memory->nr_levels, 0);
	track->level = (uint32_t)++memory->nr_levels;
	return &larger[track->level - 1];
}

void page_memory_event(struct export *export, const struct page_class *class, uint32_t number,
		       struct page_track *track, const bt_event *event, int64_t ns)
{
	struct page *page = page_of(export);
	struct page_levels *level = get_level(export, track);
	int64_t process = (int64_t)track->track->process->uuid;
	uint64_t times = class->times >= 0 ? field_of(class, event, class->times) : 1;
	struct page_live_block new = {
		.process = process,
		.pointer = field_of(class, event, class->pointer),
		.size = field_of(class, event, class->size) * times,
		.since = ns,
		.class = number,
	};

	if (!level)
		return;
	page->memory.calls++;
	if (class->call == PAGE_MEMORY_FREES) {
		release(&page->memory, level, process, new.pointer, false);
	} else {
		/* A realloc() that failed left its block as it was; one to no size freed it. */
		if (class->call == PAGE_MEMORY_CHANGES && (new.pointer || new.size == 0))
			release(&page->memory, level, process,
				field_of(class, event, class->old_pointer), true);
		new.where = where_of(export, class, event);
		if (new.pointer) {
			hold(export, level, &new);
			page_callers_add(export, &new);
		}
	}
	page_bins_add(export, &page->levels, level->row,
		      &(struct page_extent){ ns, ns, level->bytes, level->bytes, 0 });
}

/* ---- what was never freed ---------------------------------------------------------- */

struct group {
	int64_t process, since; /* of the first */
	uint64_t size, blocks;
	uint32_t class, where;
};

static int compare_live(const void *a, const void *b)
{
	const struct page_live_block *x = a, *y = b;

#define COMPARE(member)                                                                            \
	if (x->member != y->member)                                                                \
	return x->member < y->member ? -1 : 1
	COMPARE(process);
	COMPARE(class);
	COMPARE(where);
	COMPARE(size);
	COMPARE(since);
	return 0;
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	uint64_t bytes_x = x->size * x->blocks, bytes_y = y->size * y->blocks;

	return bytes_x < bytes_y ? 1 : bytes_x > bytes_y ? -1 : 0;
}

/* Groups of held blocks that nothing tells apart, the largest first. */
static struct group *make_groups(struct page_memory *memory, size_t *count)
{
	struct group *groups = malloc((memory->count + 1) * sizeof(*groups));
	size_t kept = 0;

	*count = 0;
	if (!groups)
		return NULL;
	for (size_t i = 0; i < memory->places; i++) {
		if (memory->live[i].pointer)
			memory->live[kept++] = memory->live[i];
	}
	if (kept > 0)
		qsort(memory->live, kept, sizeof(*memory->live), compare_live);
	for (size_t i = 0; i < kept; i++) {
		const struct page_live_block *live = &memory->live[i];
		struct group *last = *count > 0 ? &groups[*count - 1] : NULL;

		if (last && last->process == live->process && last->class == live->class &&
		    last->where == live->where && last->size == live->size)
			last->blocks++;
		else
			groups[(*count)++] = (struct group){ live->process, live->since,
							     live->size,    1,
							     live->class,   live->where };
	}
	qsort(groups, *count, sizeof(*groups), compare_groups);
	/* They are no table any more. */
	memory->count = memory->places = 0;
	return groups;
}

static void member(struct text_output *out, const char *name, uint64_t value)
{
	text_output_text(out, name);
	text_output_unsigned(out, value);
}

static void write_group(struct export *export, const struct group *group)
{
	struct text_output *out = &export->view.output;

	text_output_text(out, "[");
	text_output_signed(out, group->process);
	member(out, ",", group->class);
	text_output_text(out, ",");
	text_output_unsigned(out, group->where);
	member(out, ",", group->size);
	member(out, ",", group->blocks);
	text_output_text(out, ",");
	text_output_signed(out, group->since);
	text_output_text(out, "]");
}

void page_memory_write(struct export *export)
{
	struct page_memory *memory = &page_of(export)->memory;
	struct text_output *out = &export->view.output;
	size_t count;
	struct group *groups;

	member(out, "{\"calls\":", memory->calls);
	member(out, ",\"unknown\":", memory->unknown);
	member(out, ",\"unfollowed\":", memory->unfollowed);
	text_output_text(out, ",\"levels\":[");
	for (size_t i = 0; i < memory->nr_levels; i++) {
		text_output_text(out, i ? ",[" : "[");
		text_output_signed(out, memory->levels[i].process);
		member(out, ",", memory->levels[i].bytes);
		member(out, ",", memory->levels[i].blocks);
		member(out, ",", memory->levels[i].most);
		text_output_text(out, "]");
	}
	groups = make_groups(memory, &count);
	if (!groups)
		export_fail(export, ENOMEM);
	member(out, "],\"groups\":", count);
	text_output_text(out, ",\"held\":[");
	for (size_t i = 0; i < count && i < GROUPS_SHOWN; i++) {
		text_output_text(out, i ? ",\n" : "");
		write_group(export, &groups[i]);
	}
	text_output_text(out, "]}");
	free(groups);
}

void page_memory_free(struct page_memory *memory)
{
	free(memory->live);
	free(memory->levels);
}
