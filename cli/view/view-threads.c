/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-threads.c - finds the process of a kernel event. The event has its thread's number. Names
 * come from the streams of traced programs, from their events read before, whose context `vtid`
 * also names the thread, and from kernel events that have a thread's number and name.
 */
#include <config.h>

#include "cli/view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/field-member.h"

#define PLACES_AT_FIRST 1024

struct view_thread {
	int64_t tid; /* -1: a free place */
	int64_t pid; /* -1: unknown */
	char name[16];
};

/* Pairs of event members: a thread's number and its name. */
static const struct {
	const char *tid, *name;
} pairs[] = {
	{ "prev_pid", "prev_comm" },     { "next_pid", "next_comm" }, { "child_pid", "child_comm" },
	{ "parent_pid", "parent_comm" }, { "pid", "newcomm" },        { "pid", "comm" },
};

static struct view_thread *find(const struct view_threads *threads, int64_t tid)
{
	size_t place = ((uint64_t)tid * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (threads->places - 1);

	while (threads->table[place].tid >= 0 && threads->table[place].tid != tid)
		place = (place + 1) & (threads->places - 1);
	return &threads->table[place];
}

static bool grow(struct view_threads *threads)
{
	struct view_threads larger = {
		.places = threads->places ? threads->places * 2 : PLACES_AT_FIRST,
		.count = threads->count,
	};

	larger.table = malloc(larger.places * sizeof(*larger.table));
	if (!larger.table)
		return false;
	for (size_t i = 0; i < larger.places; i++)
		larger.table[i].tid = -1;
	for (size_t i = 0; i < threads->places; i++)
		if (threads->table[i].tid >= 0)
			*find(&larger, threads->table[i].tid) = threads->table[i];
	free(threads->table);
	*threads = larger;
	return true;
}

/* A name without a place in the table stays unknown. `pid` -1: unknown. */
static void learn(struct view_threads *threads, int64_t tid, int64_t pid, const char *name)
{
	struct view_thread *thread;

	if (tid < 0 || (threads->count * 2 >= threads->places && !grow(threads)))
		return;
	thread = find(threads, tid);
	if (thread->tid < 0) {
		threads->count++;
		thread->pid = -1;
	}
	thread->tid = tid;
	if (pid >= 0)
		thread->pid = pid;
	/* A traced program is named as its own events are; a thread may have another name. */
	if (pid < 0 && thread->pid >= 0)
		return;
	snprintf(thread->name, sizeof(thread->name), "%s", name);
}

static void learn_members(struct view_threads *threads, const bt_field *payload)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const bt_field *name = bt_field_structure_borrow_member_field_by_name_const(
			payload, pairs[i].name);
		uint64_t tid;

		if (name && bt_field_get_class_type(name) == BT_FIELD_CLASS_TYPE_STRING &&
		    field_integer(bt_field_structure_borrow_member_field_by_name_const(
					  payload, pairs[i].tid),
				  &tid))
			learn(threads, (int64_t)tid, -1, field_string(name));
	}
}

static void learn_traced(struct view_threads *threads, struct view_stream *stream,
			 const bt_event *event)
{
	uint64_t tid;

	if (stream->found.vtid >= 0 && stream->pid >= 0 &&
	    field_integer(bt_field_structure_borrow_member_field_by_index_const(
				  bt_event_borrow_common_context_field_const(event),
				  stream->found.vtid),
			  &tid) &&
	    stream->learned_tid != (int64_t)tid) {
		stream->learned_tid = (int64_t)tid;
		learn(threads, (int64_t)tid, stream->pid, stream->process);
	}
	if (stream->learned_pid == stream->pid)
		return;
	stream->learned_pid = stream->pid;
	learn(threads, stream->pid, stream->pid, stream->process);
}

void view_threads_stream(struct view_threads *threads, const struct view_stream *stream)
{
	/* The name of a stream that processes share names their user. */
	if (stream->machine && stream->found.vpid < 0 && stream->pid > 0 && stream->process[0])
		learn(threads, stream->pid, stream->pid, stream->process);
}

void view_threads_event(struct view_threads *threads, struct view_stream *stream,
			const bt_event *event)
{
	const bt_field *payload;
	const struct view_thread *thread;
	uint64_t tid;

	if (stream->machine) {
		learn_traced(threads, stream, event);
		return;
	}
	payload = bt_event_borrow_payload_field_const(event);
	if (!payload || !field_integer(bt_field_structure_borrow_member_field_by_name_const(
					       payload, "common_pid"),
				       &tid))
		return;
	stream->is_kernel = true;
	stream->kernel_tid = (int64_t)tid;
	learn_members(threads, payload);
	thread = threads->places ? find(threads, (int64_t)tid) : NULL;
	if (thread && thread->tid < 0)
		thread = NULL;
	stream->pid = thread ? thread->pid : -1;
	stream->tid = stream->pid < 0 ? (int64_t)tid : -1;
	snprintf(stream->program, sizeof(stream->program), "%s", thread ? thread->name : "");
}

void view_threads_free(struct view_threads *threads)
{
	free(threads->table);
	*threads = (struct view_threads){ 0 };
}

void view_threads_each(const struct view_threads *threads,
		       void (*each)(const struct view_stream *stream, void *data), void *data)
{
	for (size_t i = 0; i < threads->places; i++) {
		const struct view_thread *thread = &threads->table[i];
		struct view_stream stream = { .pid = thread->pid, .tid = -1 };

		if (thread->tid < 0)
			continue;
		if (thread->pid < 0)
			stream.tid = thread->tid;
		snprintf(stream.program, sizeof(stream.program), "%s", threads->table[i].name);
		each(&stream, data);
	}
}
