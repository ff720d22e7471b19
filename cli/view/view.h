/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view.h - the parts of `lttngmap view`:
 *
 *   view-find.c     which directory, and the CTF traces below it
 *   view-graph.c    babeltrace's graph: sources, muxer, our sink
 *   view-streams.c  whose stream is this: program, pid, cpu
 *   view-threads.c  whose is an event of the kernel's
 *   view-filter.c   which events, and which of their fields
 *   view-missed.c   what was asked for and is not there
 *   view-text.c     an event as a line of text
 *   view-json.c     an event as a line of JSON
 *   view-follow.c   a trace that grows, piece after piece
 *   view-segments.c   the pieces: what each stream has gained since
 *   symbols.h       names of functions for addresses
 *
 * One thread. What stands in a trace is not trusted to be printable.
 */
#ifndef LTTNGMAP_CLI_VIEW_VIEW_H
#define LTTNGMAP_CLI_VIEW_VIEW_H

#include <babeltrace2/babeltrace.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "cli/base/text-output.h"

/* ---- streams ---------------------------------------------------------------- */

/* Member numbers in an event's common context; -1: there is none. */
struct view_context_members {
	int procname, vpid;
	bool others; /* there are members beyond these */
};

struct view_stream {
	const bt_stream *stream; /* key; NULL: free */
	char program[64];        /* "" where the trace does not tell */
	char process[64];        /* program of the process; `program` may be a thread's name */
	char thread[64];         /* what procname says where the packet names the process; or "" */
	bool is_named_by_event;  /* both are the event's: the stream is of several processes */
	int64_t pid;             /* -1 likewise */
	int64_t cpu;             /* -1 likewise */
	uint64_t machine;        /* made of its name; 0: of a kernel, that is of no process */
	bool is_kernel;          /* pid and program are of the thread that the event is of */
	int64_t learned_pid;     /* whose name is known (view-threads.c) */
	struct view_context_members members; /* -1, too: the packet names the process */
	struct view_context_members found;
	struct view_followed *followed; /* where it is followed: whose packets these are */
	signed char *classes;           /* by id: 1 shown, -1 not, 0 not looked at yet */
	size_t nr_classes;
};

struct view_streams {
	struct view_stream **table; /* open addressing, a power of two of places */
	size_t places, count;
	char untraced[512]; /* the processes that the trace says it lacks; "": none */
};

void view_streams_free(struct view_streams *streams);
/* The stream's entry, made where new; NULL without memory. */
struct view_stream *view_streams_get(struct view_streams *streams, const bt_stream *stream);
/* Say on stderr which processes the traces lack, as far as they say so. */
void view_streams_report(const struct view_streams *streams);
/* A packet begins: take cpu, pid and name from its context, if they are there. */
void view_stream_packet(struct view_stream *stream, const bt_packet *packet);
/* The same from an event's own context. */
void view_stream_event(struct view_stream *stream, const bt_event *event);

/* Names of threads, for the kernel's events; zeros: none yet. */
struct view_threads {
	struct view_thread *table; /* open addressing, a power of two of places */
	size_t places, count;
};

void view_threads_free(struct view_threads *threads);
/* Each thread, and each process, that was seen, as a stream of it. */
void view_threads_each(const struct view_threads *threads,
		       void (*each)(const struct view_stream *stream, void *data), void *data);
/* Learns names from any event; one of the kernel's is given its thread's number and name. */
void view_threads_event(struct view_threads *threads, struct view_stream *stream,
			const bt_event *event);

/* ---- which events -------------------------------------------------------------- */

enum view_time_kind {
	VIEW_TIME_NONE,
	VIEW_TIME_OFFSET, /* from the first event on */
	VIEW_TIME_CLOCK,  /* of the day of the first event, or the next one */
	VIEW_TIME_DATE,
	VIEW_TIME_KNOWN, /* nanoseconds since 1970 */
};

struct view_time {
	enum view_time_kind kind;
	int64_t ns;
	struct tm tm;
};

/* All of it zero: everything. Lists end in NULL; of words, separated by commas. */
struct view_filter {
	char **events, **processes, **fields;
	struct view_time from, to;
	bool has_begun;
};

/* The options that verbs have in common, which view_filter_set() takes. */
extern char **view_option_events, **view_option_processes, **view_option_fields;
extern char *view_option_from, *view_option_to;
#define VIEW_FILTER_OPTIONS                                                                        \
	{ "event",                                                                                 \
	  'e',                                                                                     \
	  POPT_ARG_ARGV,                                                                           \
	  &view_option_events,                                                                     \
	  0,                                                                                       \
	  "Only these events: PROVIDER:NAME or NAME, with *; may be repeated",                     \
	  "EVENT,..." },                                                                           \
		{ "process",                                                                       \
		  'p',                                                                             \
		  POPT_ARG_ARGV,                                                                   \
		  &view_option_processes,                                                          \
		  0,                                                                               \
		  "Only those of these processes; may be repeated",                                \
		  "PID|PROGRAM,..." },                                                             \
		{ "from",                                                                          \
		  '\0',                                                                            \
		  POPT_ARG_STRING,                                                                 \
		  &view_option_from,                                                               \
		  0,                                                                               \
		  "Begin at this time",                                                            \
		  "[DATE ]TIME|+SECONDS" },                                                        \
	{                                                                                          \
		"to", '\0', POPT_ARG_STRING, &view_option_to, 0, "End with this time",             \
			"[DATE ]TIME|+SECONDS"                                                     \
	}

/* 0, or -EINVAL after a message. */
int view_filter_set(struct view_filter *filter);
/* The trace's first event is at `ns`: what times count from. Again: nothing. */
void view_filter_begin(struct view_filter *filter, int64_t ns);
/* What is at `ns`, or later, is not shown. */
bool view_filter_is_past(const struct view_filter *filter, int64_t ns);
/* Is the event shown, or, where it is NULL, what else is told of the stream? */
bool view_filter_shows(const struct view_filter *filter, struct view_stream *stream,
		       const bt_event *event, int64_t ns);
/* Does a word of --event, of --process, mean that? */
bool view_filter_names_event(const char *word, const char *name);
bool view_filter_names_process(const char *word, const struct view_stream *stream);
/* Say which of the fields that were asked for no event had that was shown. */
void view_filter_report_fields(const struct view_filter *filter, const char *path);
/* Is a field of that name? NULL is no filter. */
bool view_filter_shows_field(const struct view_filter *filter, const char *name);

/* ---- printing ---------------------------------------------------------------- */

struct view;
struct symbols;

struct view_printer {
	void (*event)(struct view *view, const struct view_stream *stream, const bt_event *event,
		      int64_t ns);
	/* `count` of `what` ("events", "packets") are lost; 0: unknown how many. */
	void (*lost)(struct view *view, const struct view_stream *stream, const char *what,
		     uint64_t count, int64_t ns);
};

extern const struct view_printer view_text_printer;
extern const struct view_printer view_json_printer;

struct json_object;
/*
 * As JSON: a string, which need not be UTF-8; and a structure's members, into `object`,
 * but for those that `members` says are shown elsewhere, or `filter` not at all. Both
 * may be NULL.
 */
struct json_object *view_json_string(const char *text);
/*
 * Writes the object on one line, and puts it. What could act on a terminal, or cannot be seen,
 * stands there by its number.
 */
void view_json_write(struct text_output *output, struct json_object *object);
/* Any value; NULL is null. */
struct json_object *view_json_value(const bt_field *field);
void view_json_members(struct json_object *object, const bt_field *structure,
		       const struct view_context_members *members,
		       const struct view_filter *filter);
/* What the event's addresses are of, by the names of the fields; NULL: it has none. */
struct json_object *view_json_symbols(struct view *view, const bt_event *event);

struct view {
	const struct view_printer *printer;
	struct symbols *symbols; /* of addresses (symbols.h); NULL: not wanted */
	struct text_output output;
	struct view_streams streams;
	struct view_threads threads;
	struct view_filter filter;
	bool is_past; /* nothing more is shown */
	bool show_date;
	bool show_colours;
	struct view_segments *segments; /* NULL: nothing is followed */
	int64_t previous_ns;            /* of the line before; INT64_MIN: none */
	uint64_t events;
	size_t broken; /* streams of which something was left out */
};

/* ---- following ----------------------------------------------------------------- */

struct view_segments;
struct view_traces;

/* Until the trace below `path` is complete, or the user ends it. 0, or -errno after a message. */
int view_follow_run(struct view *view, const char *path);

/* Of what grows below `path`, an absolute path. NULL: no memory. */
struct view_segments *view_segments_create(const char *path);
void view_segments_destroy(struct view_segments *segments);
/*
 * Look for what has come since, and make traces of it to be read: none, or some, and then
 * until view_segments_end(). *more: that was not all of it. 0, or -errno after a message.
 */
int view_segments_begin(struct view_segments *segments, struct view_traces *traces, bool *more);
/* Nothing later than this is shown: it may not be in order yet. */
void view_segments_set_horizon(struct view_segments *segments, int64_t ns);
void view_segments_end(struct view_segments *segments, struct view_traces *traces);
/* How many streams are damaged, and followed no further. */
size_t view_segments_broken(const struct view_segments *segments);
/* Is there anything that was not shown? */
bool view_segments_wait(const struct view_segments *segments);
/* Is that so of something that was found, because of the horizon? */
bool view_segments_are_late(const struct view_segments *segments);
/* What is left to be read is to be shown later: there is no need to go on. */
bool view_segments_are_done(const struct view_segments *segments);
/* Is the message to be shown? `ns` is its time; each is shown once. */
bool view_segments_take(struct view_segments *segments, struct view_stream *stream,
			bt_message_type type, int64_t ns);

/*
 * Length members that stand for nothing but the sequence after them: true
 * for member `i` of the structure.
 */
bool view_is_sequence_length(const bt_field_class *structure, uint64_t i);

/* All is read: say what was asked for, and is not in the trace (view-missed.c). */
void view_report_missed(const struct view *view, const char *path);

/* ---- reading ---------------------------------------------------------------- */

/* Whose messages these are: "view", unless another verb says so. */
extern const char *view_verb;

struct view_traces {
	char **paths;
	size_t count;
};

/* Newest recording in the current directory: 0, or -errno after a message. */
int view_find_newest(char *path, size_t size);
/*
 * Directories at or below `path` that hold CTF metadata, in order of name.
 * 0, or -errno after a message.
 */
int view_find_traces(const char *path, struct view_traces *traces);
void view_traces_free(struct view_traces *traces);
/* What of traces can be read: view-sound.c. */
struct view_sound {
	struct view_traces traces; /* of sound packets; some as they lie, some made */
	size_t broken;             /* streams that were named, with what is wrong */
	char folder[48];           /* of those that were made; "": none were */
	struct sigaction before[3];
};
/* Valid until view_sound_end(), also after a failure. 0, or -errno after a message. */
int view_sound_begin(struct view_sound *sound, const struct view_traces *traces);
void view_sound_end(struct view_sound *sound);
/* A note, where that has a fault: which line of FOLDER's metadata, what is expected there. */
struct record_trace;
void view_note_metadata(const char *verb, const char *folder, const struct record_trace *trace);
/* A signal came that ends the command, once the folder is gone. */
bool view_is_interrupted(void);
/*
 * Bytes of one file behind what was written to another, whose end that is. A hole becomes a hole: a
 * small file that seems large takes no more room than it has. 0; -ENODATA: the file ends before;
 * -errno.
 */
int view_copy_bytes(int to, int from, uint64_t at, uint64_t size);

/*
 * All of it through the printer, but for what is broken, which is named and counted. 0, or
 * -errno after a message.
 */
int view_graph_run(struct view *view, const struct view_traces *traces);
/* Can babeltrace read the metadata in that folder, which has no stream yet? */
bool view_can_open(const char *path);

#endif /* LTTNGMAP_CLI_VIEW_VIEW_H */
