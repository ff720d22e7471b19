/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-streams.c - finds the process of a stream. Sources, the most trusted first: the packet's
 * header, the event's own context, the trace's environment (LTTng's buffers by process), the stream
 * file's name.
 *
 * The session daemon writes the header. A program can choose its vpid, in a pid namespace of its
 * own, and its procname. So these contexts count only if the header names no process.
 */
#include <config.h>

#include "cli/view/view.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/field-member.h"
#include "cli/base/message.h"
#include "common/protocol/ctf.h"

#define PLACES_AT_FIRST 64

static size_t place_of(const struct view_streams *streams, const bt_stream *stream)
{
	size_t place = ((uintptr_t)stream * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

	place &= streams->places - 1;
	while (streams->table[place] && streams->table[place]->stream != stream)
		place = (place + 1) & (streams->places - 1);
	return place;
}

static int grow(struct view_streams *streams)
{
	struct view_streams larger = {
		.places = streams->places ? streams->places * 2 : PLACES_AT_FIRST,
		.count = streams->count,
	};

	larger.table = calloc(larger.places, sizeof(*larger.table));
	if (!larger.table)
		return -1;
	for (size_t i = 0; i < streams->places; i++) {
		struct view_stream *entry = streams->table[i];

		if (entry)
			larger.table[place_of(&larger, entry->stream)] = entry;
	}
	free(streams->table);
	*streams = larger;
	return 0;
}

void view_streams_free(struct view_streams *streams)
{
	for (size_t i = 0; i < streams->places; i++) {
		if (streams->table[i])
			free(streams->table[i]->classes);
		free(streams->table[i]);
	}
	free(streams->table);
	*streams = (struct view_streams){ 0 };
}

static void set_program(struct view_stream *entry, const char *name)
{
	snprintf(entry->program, sizeof(entry->program), "%s", name);
	snprintf(entry->process, sizeof(entry->process), "%s", name);
}

static bool integer_of(const bt_field *field, int64_t *value)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		*value = (int64_t)bt_field_integer_unsigned_get_value(field);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		*value = bt_field_integer_signed_get_value(field);
	else
		return false;
	return true;
}

static bool is_string(const bt_field *field)
{
	return bt_field_class_type_is(bt_field_get_class_type(field), BT_FIELD_CLASS_TYPE_STRING);
}

static void from_environment(struct view_stream *entry, const bt_trace *trace)
{
	const bt_value *value =
		bt_trace_borrow_environment_entry_value_by_name_const(trace, "procname");

	if (value && bt_value_is_string(value))
		set_program(entry, bt_value_string_get(value));
	value = bt_trace_borrow_environment_entry_value_by_name_const(trace, "vpid");
	if (value && bt_value_is_signed_integer(value))
		entry->pid = bt_value_integer_signed_get(value);
}

/* A later part of a trace lists all processes of earlier parts. */
static void take_untraced(struct view_streams *streams, const bt_trace *trace)
{
	const bt_value *value =
		bt_trace_borrow_environment_entry_value_by_name_const(trace, "lttngmap_not_traced");
	const char *names;

	if (!value || !bt_value_is_string(value))
		return;
	names = bt_value_string_get(value);
	if (strlen(names) > strlen(streams->untraced))
		snprintf(streams->untraced, sizeof(streams->untraced), "%s", names);
}

void view_streams_report(const struct view_streams *streams)
{
	if (streams->untraced[0])
		message_note("%s: processes not traced: %s", view_verb, streams->untraced);
}

/* Processes with the same number on several machines are different. */
static void find_machine(struct view_stream *entry, const bt_trace *trace)
{
	const bt_value *value =
		bt_trace_borrow_environment_entry_value_by_name_const(trace, "domain");

	if (value && bt_value_is_string(value) && strcmp(bt_value_string_get(value), "kernel") == 0)
		return;
	entry->machine = 1;
	value = bt_trace_borrow_environment_entry_value_by_name_const(trace, "hostname");
	if (!value || !bt_value_is_string(value))
		return;
	for (const char *c = bt_value_string_get(value); *c; c++)
		entry->machine = (entry->machine ^ (unsigned char)*c) * UINT64_C(1099511628211);
	entry->machine |= 1;
}

/*
 * Parses CHANNEL_PROGRAM-PID-NUMBER_RING, where PROGRAM may contain '-', until the first packet
 * tells more.
 */
static void from_name(struct view_stream *entry, const char *name)
{
	const char *base = strrchr(name, '/');
	const char *dash, *ring = strrchr(name, '_');

	base = base ? base + 1 : name;
	if (strchr(base, '_'))
		base = strchr(base, '_') + 1;
	for (dash = strchr(base, '-'); dash; dash = strchr(dash + 1, '-')) {
		char *end;
		long pid;

		if (dash == base || !isdigit((unsigned char)dash[1]))
			continue;
		pid = strtol(dash + 1, &end, 10);
		if (*end != '-')
			continue;
		entry->pid = pid;
		snprintf(entry->program, sizeof(entry->program), "%.*s", (int)(dash - base), base);
		snprintf(entry->process, sizeof(entry->process), "%s", entry->program);
		if (ring && isdigit((unsigned char)ring[1]))
			entry->cpu = strtol(ring + 1, NULL, 10);
		return;
	}
}

static void find_members(struct view_stream *entry)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(entry->stream);
	const bt_field_class *context =
		bt_stream_class_borrow_event_common_context_field_class_const(class);
	uint64_t count;

	entry->found = (struct view_context_members){ .procname = -1, .vpid = -1, .vtid = -1 };
	if (!context)
		return;
	count = bt_field_class_structure_get_member_count(context);
	for (uint64_t i = 0; i < count; i++) {
		const char *name = bt_field_class_structure_member_get_name(
			bt_field_class_structure_borrow_member_by_index_const(context, i));

		if (strcmp(name, "procname") == 0)
			entry->found.procname = i;
		else if (strcmp(name, "vpid") == 0)
			entry->found.vpid = i;
		else
			entry->found.others = true;
		if (strcmp(name, "vtid") == 0)
			entry->found.vtid = i;
	}
}

/*
 * Decides whose word counts. A stream that processes share names only their user. If the packet
 * names the process, vpid and procname are ordinary contexts.
 */
static void note_sharing(struct view_stream *entry, bool is_named_by_packet)
{
	entry->members = entry->found;
	if (is_named_by_packet && (entry->found.procname >= 0 || entry->found.vpid >= 0))
		entry->members = (struct view_context_members){ -1, -1, -1, .others = true };
	entry->is_named_by_event = entry->members.procname >= 0 &&
				   (entry->pid <= 0 || !entry->process[0]);
}

struct view_stream *view_streams_get(struct view_streams *streams, const bt_stream *stream)
{
	struct view_stream *entry;
	const char *name;
	size_t place;

	if (streams->count * 2 >= streams->places && grow(streams) < 0)
		return NULL;
	place = place_of(streams, stream);
	if (streams->table[place])
		return streams->table[place];
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->stream = stream;
	entry->pid = entry->tid = -1;
	entry->cpu = -1;
	entry->learned_tid = -1;
	name = bt_stream_get_name(stream);
	if (name)
		from_name(entry, name);
	from_environment(entry, bt_stream_borrow_trace_const(stream));
	take_untraced(streams, bt_stream_borrow_trace_const(stream));
	find_machine(entry, bt_stream_borrow_trace_const(stream));
	find_members(entry);
	note_sharing(entry, false);
	streams->table[place] = entry;
	streams->count++;
	return entry;
}

void view_stream_packet(struct view_stream *entry, const bt_packet *packet)
{
	const bt_field *context = bt_packet_borrow_context_field_const(packet);
	bool has_pid = false;
	const bt_field *field;

	if (!context)
		return;
	field = bt_field_structure_borrow_member_field_by_name_const(context, "cpu_id");
	if (field && integer_of(field, &entry->cpu) && entry->cpu == CTF_CPU_UNKNOWN)
		entry->cpu = -1;
	field = bt_field_structure_borrow_member_field_by_name_const(context, "vpid");
	if (!field)
		field = bt_field_structure_borrow_member_field_by_name_const(context, "pid");
	if (field)
		has_pid = integer_of(field, &entry->pid) && entry->pid > 0;
	field = bt_field_structure_borrow_member_field_by_name_const(context, "procname");
	if (field && is_string(field))
		set_program(entry, field_string(field));
	entry->thread[0] = '\0';
	note_sharing(entry, has_pid);
}

void view_stream_event(struct view_stream *entry, const bt_event *event)
{
	const bt_field *context, *field;

	if (entry->found.procname < 0 && entry->found.vpid < 0)
		return;
	context = bt_event_borrow_common_context_field_const(event);
	if (entry->members.vpid >= 0) {
		field = bt_field_structure_borrow_member_field_by_index_const(context,
									      entry->members.vpid);
		integer_of(field, &entry->pid);
	}
	if (entry->found.procname >= 0) {
		field = bt_field_structure_borrow_member_field_by_index_const(
			context, entry->found.procname);
		if (!is_string(field))
			return;
		if (entry->members.procname < 0)
			snprintf(entry->thread, sizeof(entry->thread), "%s", field_string(field));
		else if (entry->is_named_by_event)
			set_program(entry, field_string(field));
		else
			snprintf(entry->program, sizeof(entry->program), "%s", field_string(field));
	}
}
