/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* query-trace.c - the traces below the given folders, their streams and clocks. */
#include <config.h>

#include "cli/query/query.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/view/metadata-file.h"
#include "cli/view/stream-check.h"

#define NS_PER_S INT64_C(1000000000)
#define VERB "query"

/* ---- the clock ---------------------------------------------------------------------- */

static uint64_t ns_of(uint64_t frequency, uint64_t cycles)
{
	double ns;

	if (frequency == (uint64_t)NS_PER_S)
		return cycles;
	ns = 1e9 * (double)cycles / (double)frequency;
	return ns >= (double)UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

int64_t query_time(const struct query_trace *trace, uint64_t cycles)
{
	uint64_t ns = ns_of(trace->format.trace.frequency, cycles);

	/* packet_check_order() saw that it can be counted. */
	return (int64_t)((uint64_t)trace->base_ns + ns);
}

/* Cycles of that time, to a few of them. */
static long double cycles_of(const struct query_trace *trace, long double ns)
{
	long double since = ns - (long double)trace->base_ns;

	return since * (long double)trace->format.trace.frequency / 1e9L;
}

/* A double has 53 bits: its error is less than 2^-50 of the value. */
static long double rounding(long double cycles)
{
	return 8 + cycles * 0x1p-50L;
}

uint64_t query_cycles_before(const struct query_trace *trace, int64_t ns)
{
	long double cycles = cycles_of(trace, ns);

	cycles -= rounding(cycles);
	if (cycles <= 0)
		return 0;
	return cycles >= 0x1p64L ? UINT64_MAX : (uint64_t)cycles;
}

uint64_t query_cycles_behind(const struct query_trace *trace, int64_t ns)
{
	/* Times are rounded down, to the nanosecond. */
	long double cycles = cycles_of(trace, (long double)ns + 1);

	if (cycles < 0)
		return 0;
	cycles += rounding(cycles);
	return cycles >= 0x1p64L ? UINT64_MAX : (uint64_t)cycles;
}

/* ---- streams ------------------------------------------------------------------------ */

static int add_stream(struct query *query, const struct query_trace *trace, const char *name)
{
	struct query_stream *streams = query->streams;
	char *copy = strdup(name);

	/* Doubled when it is full. */
	if ((query->nr_streams & (query->nr_streams - 1)) == 0)
		streams = reallocarray(streams, query->nr_streams ? 2 * query->nr_streams : 1,
				       sizeof(*streams));
	if (!streams || !copy) {
		free(copy);
		return -ENOMEM;
	}
	query->streams = streams;
	streams[query->nr_streams++] = (struct query_stream){ .trace = trace, .name = copy };
	return 0;
}

static int add_streams(struct query *query, const struct query_trace *trace)
{
	DIR *folder = opendir(trace->path);
	const struct dirent *entry;
	int error = 0;

	if (!folder)
		return -errno;
	while (!error && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, METADATA) != 0 &&
		    strcmp(entry->d_name, CTF_INDEX_DIRECTORY) != 0)
			error = add_stream(query, trace, entry->d_name);
	closedir(folder);
	return error;
}

/* Reads the first packet of a stream; a stream without any packet is left out. */
static int look_at_stream(struct query *query, struct query_stream *stream, bool *is_wanted)
{
	const struct query_wanted any = { INT64_MIN, INT64_MAX, -1, -1, .packets = true };
	struct query_reader reader;
	int64_t ns;
	int got;

	query_reader_begin(&reader, query, stream, &any);
	got = query_reader_next(&reader);
	*is_wanted = got > 0 || stream->is_told;
	if (got > 0) {
		stream->first = query_time(stream->trace, reader.header.timestamp_begin);
		stream->pid = reader.header.pid;
		memcpy(stream->process, reader.header.procname, CTF_PROCNAME_SIZE);
		query->bytes += reader.file_size;
		if (query_reader_peek(&reader, &ns) && ns < query->first_event)
			query->first_event = ns;
	}
	query_reader_end(&reader);
	return got < 0 ? got : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct query_stream *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (strcmp(x->name, y->name) != 0)
		return strcmp(x->name, y->name);
	return strcmp(x->trace->path, y->trace->path);
}

static int look_at_streams(struct query *query)
{
	size_t kept = 0;

	for (size_t i = 0; i < query->nr_streams; i++) {
		bool is_wanted;
		int error = look_at_stream(query, &query->streams[i], &is_wanted);

		if (error)
			return error;
		if (!is_wanted)
			continue;
		if (kept != i) {
			struct query_stream other = query->streams[kept];

			query->streams[kept] = query->streams[i];
			query->streams[i] = other;
		}
		kept++;
	}
	for (size_t i = kept; i < query->nr_streams; i++)
		free(query->streams[i].name);
	query->nr_streams = kept;
	if (kept > 0)
		qsort(query->streams, kept, sizeof(*query->streams), by_time);
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct query_stream *x = *(const struct query_stream *const *)a;
	const struct query_stream *y = *(const struct query_stream *const *)b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* The traced processes, by which a kernel's event finds its own. */
static int list_processes(struct query *query)
{
	query->processes = calloc(query->nr_streams + 1, sizeof(*query->processes));
	if (!query->processes)
		return -ENOMEM;
	for (size_t i = 0; i < query->nr_streams; i++)
		if (!query->streams[i].trace->format.trace.is_kernel && query->streams[i].pid > 0)
			query->processes[query->nr_processes++] = &query->streams[i];
	if (query->nr_processes > 0)
		qsort(query->processes, query->nr_processes, sizeof(*query->processes), by_pid);
	return 0;
}

/* ---- traces ------------------------------------------------------------------------- */

static int tell_other(const struct query_trace *trace)
{
	char text[RECORD_TRACE_FAULT_SIZE];

	if (record_trace_fault(&trace->format.trace, text))
		message_note(VERB ": %s/" METADATA " is damaged, or of a later version: %s",
			     trace->path, text);
	message_error(VERB ": '%s' is not a trace that lttngmap wrote", trace->path);
	message_hint("'lttngmap view --json' reads other tracers' traces, for jq and the like");
	return -ENOTSUP;
}

static int add_trace(struct query *query, const char *path)
{
	struct query_trace *trace = calloc(1, sizeof(*trace));
	const struct record_trace *clock;
	int error;

	if (!trace)
		return -ENOMEM;
	query->traces[query->nr_traces++] = trace;
	trace->path = strdup(path);
	if (!trace->path)
		return -ENOMEM;
	error = metadata_file_read(VERB, path, 0, &trace->text, &trace->text_size);
	if (error == -E2BIG)
		return error;
	if (!error)
		error = query_classes_read(query, trace);
	if (error == -ENOTSUP)
		return tell_other(trace);
	if (error) {
		message_error(VERB ": cannot read '%s/" METADATA "': %s", path, strerror(-error));
		return error;
	}
	clock = &trace->format.trace;
	trace->base_ns = (int64_t)((uint64_t)clock->offset_s * (uint64_t)NS_PER_S +
				   ns_of(clock->frequency, clock->offset));
	error = add_streams(query, trace);
	if (error)
		message_error(VERB ": cannot read '%s': %s", path, strerror(-error));
	return error;
}

/* Below one of the paths. */
static int add_traces(struct query *query, const char *path)
{
	struct view_traces traces = { 0 };
	struct query_trace **larger;
	int error = view_find_traces(path, &traces);

	larger = reallocarray(query->traces, query->nr_traces + traces.count + 1,
			      sizeof(struct query_trace *));
	if (!error && !larger)
		error = -ENOMEM;
	if (larger)
		query->traces = larger;
	view_losses_find(&query->losses, &traces);
	for (size_t i = 0; !error && i < traces.count; i++)
		error = add_trace(query, traces.paths[i]);
	view_traces_free(&traces);
	return error;
}

int query_open(struct query *query, const char *const *paths, size_t nr_paths)
{
	int error = 0;

	query->first_event = INT64_MAX;
	for (size_t i = 0; !error && i < nr_paths; i++)
		error = add_traces(query, paths[i]);
	if (!error)
		error = look_at_streams(query);
	if (!error)
		error = list_processes(query);
	if (!error)
		error = query_tables_make(query);
	if (error == -ENOMEM)
		message_error(VERB ": %s", strerror(ENOMEM));
	return error;
}

void query_close(struct query *query)
{
	query_tables_free(query);
	for (size_t i = 0; i < query->nr_streams; i++)
		free(query->streams[i].name);
	for (size_t i = 0; i < query->nr_traces; i++) {
		struct query_trace *trace = query->traces[i];

		query_classes_free(trace);
		stream_format_free(&trace->format);
		free(trace->text);
		free(trace->path);
		free(trace);
	}
	free(query->processes);
	free(query->streams);
	free(query->traces);
	free(query->classes);
}
