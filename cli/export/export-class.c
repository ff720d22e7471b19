/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * export-class.c - what an event class is for.
 *
 * export-pair.c tells begin and end by their names. Those of our own preload families that have a
 * `duration` are ends that need no begin.
 */
#include <config.h>

#include "cli/export/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/field-member.h"

#define PLACES_AT_FIRST 256

static size_t place_of(const struct export_classes *classes, const bt_event_class *bt)
{
	size_t place = ((uintptr_t)bt * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

	place &= classes->places - 1;
	while (classes->table[place] && classes->table[place]->bt != bt)
		place = (place + 1) & (classes->places - 1);
	return place;
}

static int grow(struct export_classes *classes)
{
	struct export_classes larger = {
		.places = classes->places ? classes->places * 2 : PLACES_AT_FIRST,
		.count = classes->count,
	};

	larger.table = calloc(larger.places, sizeof(struct export_class *));
	if (!larger.table)
		return -ENOMEM;
	for (size_t i = 0; i < classes->places; i++) {
		if (classes->table[i])
			larger.table[place_of(&larger, classes->table[i]->bt)] = classes->table[i];
	}
	free(classes->table);
	*classes = larger;
	return 0;
}

void export_classes_free(struct export_classes *classes)
{
	for (size_t i = 0; i < classes->places; i++)
		free(classes->table[i]);
	free(classes->table);
	*classes = (struct export_classes){ 0 };
}

/* ---- begin and end -------------------------------------------------------------- */

static bool has_event(const void *data, const char *head, size_t length, const char *tail)
{
	const bt_stream_class *stream_class = bt_event_class_borrow_stream_class_const(data);
	uint64_t count = bt_stream_class_get_event_class_count(stream_class);

	for (uint64_t i = 0; i < count; i++) {
		const char *name = bt_event_class_get_name(
			bt_stream_class_borrow_event_class_by_index_const(stream_class, i));

		if (name && strncmp(name, head, length) == 0 && strcmp(name + length, tail) == 0)
			return true;
	}
	return false;
}

/* ---- members ------------------------------------------------------------------- */

static int64_t find_number(const bt_field_class *structure, const char *name)
{
	bt_field_class_type type;
	int64_t member = field_member(structure, name, &type);

	return bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER) ||
			       bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_REAL)
		       ? member
		       : -1;
}

/* Fields shown elsewhere, such as the track's, are not shown as fields. */
static bool is_track(const char *name)
{
	return strcmp(name, "vpid") == 0 || strcmp(name, "vtid") == 0 ||
	       strcmp(name, "procname") == 0;
}

static void add_fields(struct export *export, struct export_class *class,
		       const bt_field_class *structure, bool is_context)
{
	uint64_t count = structure ? bt_field_class_structure_get_member_count(structure) : 0;

	for (uint64_t i = 0; i < count && class->nr_fields < EXPORT_FIELDS_MAX; i++) {
		const char *name = bt_field_class_structure_member_get_name(
			bt_field_class_structure_borrow_member_by_index_const(structure, i));

		if (view_is_sequence_length(structure, i) || (is_context && is_track(name)))
			continue;
		class->fields[class->nr_fields++] = (struct export_field){
			.name = export_text(export, name),
			.index = (uint32_t)i,
			.is_context = is_context,
		};
	}
}

/* Is the class the EVENT of the option's EVENT.FIELD? Then that field. */
static int64_t find_counter(const struct export *export, const char *name,
			    const bt_field_class *payload)
{
	size_t length = strlen(name);

	if (!export->counter || strncmp(export->counter, name, length) != 0 ||
	    export->counter[length] != '.')
		return -1;
	return find_number(payload, export->counter + length + 1);
}

static void name_class(struct export *export, struct export_class *class, const char *name)
{
	struct export_pair pair = export_pair_of(name, has_event, class->bt);
	const char *colon = strchr(name, ':');
	char text[512];

	class->kind = pair.kind;
	snprintf(text, sizeof(text), "%.*s", colon ? (int)(colon - name) : 0, name);
	class->category = export_text(export, text);
	snprintf(text, sizeof(text), "%.*s", (int)pair.length, pair.name);
	class->name = export_text(export, text);
}

static struct export_class *make_class(struct export *export, const bt_event *event)
{
	const bt_event_class *bt = bt_event_borrow_class_const(event);
	const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(bt);
	const bt_field_class *context =
		bt_stream_class_borrow_event_common_context_field_class_const(
			bt_event_class_borrow_stream_class_const(bt));
	struct export_class *class = calloc(1, sizeof(*class));
	const char *name = bt_event_class_get_name(bt);
	bt_field_class_type type;

	if (!class)
		return NULL;
	name = name ? name : "?";
	class->bt = bt;
	class->number = (uint32_t) export->classes.count;
	name_class(export, class, name);
	class->vtid = find_number(context, "vtid");
	class->duration = strncmp(name, "lttngmap_", 9) == 0 ? find_number(payload, "duration")
							     : -1;
	if (class->kind == EXPORT_INSTANT && class->duration >= 0)
		class->kind = EXPORT_COMPLETE;
	class->function = class->kind != EXPORT_INSTANT && strstr(name, ":func_")
				  ? find_number(payload, "addr")
				  : -1;
	class->counter = find_counter(export, name, payload);
	export->has_counter |= class->counter >= 0;
	class->flow = export->flow ? field_member(payload, export->flow, &type) : -1;
	export->has_pairs |= class->kind != EXPORT_INSTANT;
	add_fields(export, class, payload, false);
	add_fields(export, class, context, true);
	return class;
}

const struct export_class *export_class_get(struct export *export, const bt_event *event)
{
	struct export_classes *classes = &export->classes;
	size_t place;

	if (classes->count * 2 >= classes->places && grow(classes) < 0)
		goto no_memory;
	place = place_of(classes, bt_event_borrow_class_const(event));
	if (!classes->table[place]) {
		classes->table[place] = make_class(export, event);
		if (!classes->table[place])
			goto no_memory;
		classes->count++;
	}
	return classes->table[place];
no_memory:
	export_fail(export, ENOMEM);
	return NULL;
}
