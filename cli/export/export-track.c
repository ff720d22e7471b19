/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * export-track.c - threads and processes. Where the trace does not tell the thread of
 * an event, its track is the CPU, of that process: nothing nests there.
 */
#include <config.h>

#include "cli/export/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_AT_FIRST 64
#define DEPTH_MOST 65536

struct key {
	const struct export_process *process;
	int64_t tid, cpu;
	uint32_t counter;
};

static bool is_of(const struct export_track *track, const struct key *key)
{
	return track->tid == key->tid && track->process == key->process &&
	       track->counter == key->counter && (key->tid >= 0 || track->cpu == key->cpu);
}

static size_t place_of(const struct export_tracks *tracks, const struct key *key)
{
	uint64_t hash = key->process->uuid * UINT64_C(0x9e3779b97f4a7c15);
	size_t place;

	hash ^= (uint64_t)(key->tid >= 0 ? key->tid : ~key->cpu) * UINT64_C(0xc2b2ae3d27d4eb4f);
	hash ^= key->counter * UINT64_C(0x165667b19e3779f9);
	place = (hash >> 32) & (tracks->places - 1);
	while (tracks->table[place] && !is_of(tracks->table[place], key))
		place = (place + 1) & (tracks->places - 1);
	return place;
}

static int grow(struct export_tracks *tracks)
{
	struct export_tracks larger = *tracks;

	larger.places = tracks->places ? tracks->places * 2 : PLACES_AT_FIRST;
	larger.table = calloc(larger.places, sizeof(struct export_track *));
	if (!larger.table)
		return -ENOMEM;
	for (size_t i = 0; i < tracks->places; i++) {
		struct export_track *track = tracks->table[i];

		if (track)
			larger.table[place_of(&larger,
					      &(struct key){ track->process, track->tid, track->cpu,
							     track->counter })] = track;
	}
	free(tracks->table);
	*tracks = larger;
	return 0;
}

/* True if the kernel's event is of a task. All idle CPUs have one number. */
static bool has_task(const struct view_stream *stream)
{
	return stream->is_kernel && (stream->pid > 0 || stream->tid > 0);
}

int64_t export_track_task(const struct view_stream *stream)
{
	return has_task(stream) ? stream->kernel_tid : -1;
}

/* The program that made the stream's events since its packet began, or the last event. */
static const char *program_of(const struct view_stream *stream)
{
	if (has_task(stream))
		return stream->program[0] ? stream->program : "?";
	if (stream->process[0])
		return stream->process;
	return stream->pid < 0 && stream->members.vpid < 0 ? "kernel" : "?";
}

/* A task of unknown process is taken for one. Tracks of the kernel's other events are the CPUs. */
static int64_t pid_of(const struct view_stream *stream)
{
	if (has_task(stream))
		return stream->pid > 0 ? stream->pid : stream->tid;
	return stream->is_kernel ? 0 : stream->pid;
}

static struct export_process *make_process(struct export *export, const struct view_stream *stream,
					   struct export_process *before)
{
	struct export_process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->pid = pid_of(stream);
	process->uuid = ++export->tracks.last_uuid;
	process->program_number = before ? before->program_number + 1 : 0;
	snprintf(process->program, sizeof(process->program), "%s", program_of(stream));
	process->next = export->tracks.processes;
	export->tracks.processes = process;
	process->of_bucket = export->tracks.buckets[pid_of(stream) & (EXPORT_BUCKETS - 1)];
	export->tracks.buckets[pid_of(stream) & (EXPORT_BUCKETS - 1)] = process;
	if (!stream->is_named_by_event && !stream->is_kernel)
		export->tracks.replaced = before;
	if (export->format->process)
		export->format->process(export, process);
	return process;
}

/*
 * A process that execs has the number that it had and another program: to a reader it is
 * another process. Where names are of threads, only the main thread's is the program's.
 */
static struct export_process *get_process(struct export *export, const struct view_stream *stream,
					  int64_t tid)
{
	bool is_thread = stream->is_named_by_event && tid >= 0 && tid != stream->pid;
	struct export_process *process =
		export->tracks.buckets[pid_of(stream) & (EXPORT_BUCKETS - 1)];
	struct export_process *newest = NULL;

	for (; process; process = process->of_bucket) {
		if (process->pid != pid_of(stream))
			continue;
		if (is_thread || strcmp(process->program, program_of(stream)) == 0)
			return process;
		newest = newest ? newest : process;
	}
	return make_process(export, stream, newest);
}

static void name_track(struct export *export, struct export_track *track,
		       const struct view_stream *stream)
{
	if (track->counter)
		snprintf(track->name, sizeof(track->name), "%s",
			 export_text_of(export, track->counter));
	else if (track->tid >= 0)
		snprintf(track->name, sizeof(track->name), "%s",
			 stream->thread[0] ? stream->thread : stream->program);
	else
		snprintf(track->name, sizeof(track->name), "cpu %" PRId64, track->cpu);
}

static struct export_track *get(struct export *export, const struct view_stream *stream,
				const struct key *key)
{
	struct export_tracks *tracks = &export->tracks;
	struct export_track *track;
	size_t place;

	if (!key->process)
		goto no_memory;
	if (tracks->count * 2 >= tracks->places && grow(tracks) < 0)
		goto no_memory;
	place = place_of(tracks, key);
	if (tracks->table[place])
		return tracks->table[place];
	track = calloc(1, sizeof(*track));
	if (!track)
		goto no_memory;
	track->process = key->process;
	track->tid = key->tid;
	track->cpu = key->cpu;
	track->counter = key->counter;
	track->uuid = ++tracks->last_uuid;
	name_track(export, track, stream);
	tracks->table[place] = track;
	tracks->count++;
	if (export->format->track)
		export->format->track(export, track);
	return track;
no_memory:
	export_fail(export, ENOMEM);
	return NULL;
}

struct export_track *export_track_get(struct export *export, const struct view_stream *stream,
				      int64_t tid)
{
	return get(export, stream,
		   &(struct key){ get_process(export, stream, tid), tid,
				  tid >= 0 ? -1 : stream->cpu, 0 });
}

struct export_track *export_track_counter(struct export *export, const struct view_stream *stream,
					  int64_t tid, uint32_t name)
{
	return get(export, stream, &(struct key){ get_process(export, stream, tid), -1, -1, name });
}

struct export_slice *export_track_open(struct export *export, struct export_track *track)
{
	if (track->depth == DEPTH_MOST)
		return NULL;
	if (track->depth == track->room) {
		size_t room = track->room ? track->room * 2 : 16;
		struct export_slice *larger = realloc(track->slices, room * sizeof(*larger));

		if (!larger) {
			export_fail(export, ENOMEM);
			return NULL;
		}
		track->slices = larger;
		track->room = room;
	}
	track->slices[track->depth] = (struct export_slice){ 0 };
	return &track->slices[track->depth++];
}

void export_tracks_free(struct export_tracks *tracks)
{
	while (tracks->processes) {
		struct export_process *next = tracks->processes->next;

		free(tracks->processes);
		tracks->processes = next;
	}
	for (size_t i = 0; i < tracks->places; i++) {
		if (tracks->table[i])
			free(tracks->table[i]->slices);
		free(tracks->table[i]);
	}
	free(tracks->table);
	*tracks = (struct export_tracks){ 0 };
}
