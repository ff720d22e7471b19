/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view.h - the files of `lttngmap view`:
 *
 *   view-find.c      finds the directory, and the CTF traces below it
 *   view-graph.c     babeltrace's graph: sources, muxer, our sink
 *   view-streams.c   a stream's program, pid and cpu
 *   view-threads.c   a kernel event's process
 *   view-filter.c    chooses events and fields
 *   view-missed.c    reports what was asked for and is not there
 *   view-losses.c    reports what the session counted as lost and no stream tells
 *   view-text.c      an event as a line of text
 *   view-json.c      an event as a line of JSON
 *   view-progress.c  tells how many events were read, on a terminal
 *   view-sound.c     a readable copy of a broken trace
 *   view-follow.c    shows a growing trace, segment after segment
 *   view-segments.c  the segments: new packets of each stream
 *
 * symbols.h has names of functions for addresses. One thread. Texts in a trace may be unprintable.
 */
#ifndef CLI_VIEW_VIEW_H
#define CLI_VIEW_VIEW_H

#include <babeltrace2/babeltrace.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "common/base/losses.h"
#include "cli/base/text-output.h"

/* ---- streams ---------------------------------------------------------------- */

/* Indexes of members in an event's common context; -1: none. */
struct view_context_members {
	int procname, vpid, vtid;
	bool others; /* there are other members than procname and vpid */
};

struct view_stream {
	const bt_stream *stream; /* key; NULL: free */
	char program[64];        /* "": unknown */
	char process[64];        /* name of the process; `program` may be a thread's name */
	char thread[64];         /* procname, if the packet names the process; or "" */
	bool is_named_by_event;  /* events name the process: the stream is of several processes */
	int64_t pid;             /* -1: unknown */
	int64_t tid;             /* a kernel event's thread, if its process is unknown; else -1 */
	int64_t cpu;             /* -1: unknown */
	uint64_t machine;    /* hash of its name; 0: a kernel's stream, which is of no process */
	bool is_kernel;      /* pid, tid and program are those of the current event's thread */
	int64_t kernel_tid;  /* the number of that thread; 0: the CPU was idle */
	int64_t learned_pid; /* process whose name is known (view-threads.c) */
	int64_t learned_tid; /* thread whose process is known, likewise */
	struct view_context_members members; /* -1, too: the packet names the process */
	struct view_context_members found;
	struct view_followed *followed; /* the followed stream, if any */
	signed char *classes;           /* by id: 1 shown, -1 not, 0 unknown yet */
	size_t nr_classes;
};

struct view_streams {
	struct view_stream **table; /* open addressing, a power of two of places */
	size_t places, count;
	char untraced[512]; /* processes missing in the trace; "": none */
};

void view_streams_free(struct view_streams *streams);
/* The stream's entry, made if it is new; NULL without memory. */
struct view_stream *view_streams_get(struct view_streams *streams, const bt_stream *stream);
/* Prints on stderr which processes the traces report as missing. */
void view_streams_report(const struct view_streams *streams);
/* Call when a packet begins: takes cpu, pid and name from its context, if it has them. */
void view_stream_packet(struct view_stream *stream, const bt_packet *packet);
/* The same from an event's own context. */
void view_stream_event(struct view_stream *stream, const bt_event *event);

/* Names of threads, for kernel events; zeros: none yet. */
struct view_threads {
	struct view_thread *table; /* open addressing, a power of two of places */
	size_t places, count;
};

void view_threads_free(struct view_threads *threads);
/* Call when a stream begins, before the first event of all: learns the name of its process. */
void view_threads_stream(struct view_threads *threads, const struct view_stream *stream);
/* Calls `each` for each known thread and process, as a stream of it. */
void view_threads_each(const struct view_threads *threads,
		       void (*each)(const struct view_stream *stream, void *data), void *data);
/* Learns names from any event; gives a kernel event's stream its process, as far as it is known. */
void view_threads_event(struct view_threads *threads, struct view_stream *stream,
			const bt_event *event);

/* ---- which events -------------------------------------------------------------- */

enum view_time_kind {
	VIEW_TIME_NONE,
	VIEW_TIME_OFFSET, /* from the first event on */
	VIEW_TIME_CLOCK,  /* of the first event's day, or the next one */
	VIEW_TIME_DATE,
	VIEW_TIME_KNOWN, /* nanoseconds since 1970 */
};

struct view_time {
	enum view_time_kind kind;
	int64_t ns;
	struct tm tm;
};

/*
 * Parses +SECONDS, HH:MM:SS, or YYYY-MM-DD HH:MM:SS, each with a fraction. 0 or -EINVAL.
 */
int view_time_parse(const char *text, struct view_time *time);
/* Computes the time from the first event's: it is known then. */
void view_time_resolve(struct view_time *time, int64_t first);

/*
 * All zeros: everything. Lists end with NULL; their entries may have several words with commas
 * between.
 */
struct view_filter {
	char **events, **processes, **fields;
	struct view_time from, to;
	bool has_begun;
};

/* Options of several verbs, which view_filter_set() reads. */
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
/* Sets the trace's first event, from which times count. Later calls do nothing. */
void view_filter_begin(struct view_filter *filter, int64_t ns);
/* True if events at `ns` and later are not shown. */
bool view_filter_is_past(const struct view_filter *filter, int64_t ns);
/* True if the event is shown; `event` NULL: whether other messages of the stream are. */
bool view_filter_shows(const struct view_filter *filter, struct view_stream *stream,
		       const bt_event *event, int64_t ns);
/* True if the word of --event, or of --process, matches. */
bool view_filter_names_event(const char *word, const char *name);
bool view_filter_names_process(const char *word, const struct view_stream *stream);
/* Prints the wanted fields that no shown event had. */
void view_filter_report_fields(const struct view_filter *filter, const char *path);
/* True if fields of that name are shown. NULL: no filter. */
bool view_filter_shows_field(const struct view_filter *filter, const char *name);

/* ---- printing ---------------------------------------------------------------- */

struct view;
struct symbols;

struct view_printer {
	void (*event)(struct view *view, const struct view_stream *stream, const bt_event *event,
		      int64_t ns);
	/* `count` of `what` ("events", "packets") are lost; 0: an unknown number. */
	void (*lost)(struct view *view, const struct view_stream *stream, const char *what,
		     uint64_t count, int64_t ns);
};

extern const struct view_printer view_text_printer;
extern const struct view_printer view_json_printer;

struct json_object;
/*
 * Make JSON of a string, which may be invalid UTF-8, and of a structure's members, which go into
 * `object`. Members listed in `members` or hidden by `filter` are left out; both may be NULL.
 */
struct json_object *view_json_string(const char *text);
/*
 * Writes the object on one line, and puts it. Escapes invisible letters, and those that act on a
 * terminal.
 */
void view_json_write(struct text_output *output, struct json_object *object);
/* Makes JSON of any value; NULL becomes null. */
struct json_object *view_json_value(const bt_field *field);
void view_json_members(struct json_object *object, const bt_field *structure,
		       const struct view_context_members *members,
		       const struct view_filter *filter);
/* The symbols of the event's addresses, by the fields' names; NULL: none. */
struct json_object *view_json_symbols(struct view *view, const bt_event *event);

struct view {
	const struct view_printer *printer;
	struct symbols *symbols; /* of addresses (symbols.h); NULL: not wanted */
	struct text_output output;
	struct view_streams streams;
	struct view_threads threads;
	struct view_filter filter;
	bool is_past; /* nothing later is shown */
	bool show_date;
	bool show_colours;
	struct view_segments *segments; /* NULL: the trace is not followed */
	int64_t previous_ns;            /* of the last line; INT64_MIN: none */
	int64_t last_ns;                /* of the last event that was read */
	uint64_t events;
	size_t broken;        /* streams of which something was left out */
	struct losses losses; /* what the sessions counted */
	uint64_t told_lost;   /* events that the streams report as lost */
};

/* ---- following ----------------------------------------------------------------- */

struct view_segments;
struct view_traces;

/*
 * Shows the trace below `path` until it is complete, or the user ends it. 0, or -errno after a
 * message.
 */
int view_follow_run(struct view *view, const char *path);

/* `path`: absolute path of the growing trace. NULL: no memory. */
struct view_segments *view_segments_create(const char *path);
void view_segments_destroy(struct view_segments *segments);
/*
 * Copies new packets into traces, which exist until view_segments_end(); there may be none. *more:
 * there is more to copy. 0, or -errno after a message.
 */
int view_segments_begin(struct view_segments *segments, struct view_traces *traces, bool *more);
/* Events later than `ns` are not shown yet, because earlier ones may be missing. */
void view_segments_set_horizon(struct view_segments *segments, int64_t ns);
void view_segments_end(struct view_segments *segments, struct view_traces *traces);
/* The number of damaged streams, which are not followed any more. */
size_t view_segments_broken(const struct view_segments *segments);
/* True if something was not shown yet. */
bool view_segments_wait(const struct view_segments *segments);
/* True if something that was read waits for a later horizon. */
bool view_segments_are_late(const struct view_segments *segments);
/* True if the rest of the segment is later than the horizon: reading can stop. */
bool view_segments_are_done(const struct view_segments *segments);
/* True if the message is to be shown now; each message is shown once. `ns`: its time. */
bool view_segments_take(struct view_segments *segments, struct view_stream *stream,
			bt_message_type type, int64_t ns);

/* True if member `i` of the structure is only the length of the sequence behind it. */
bool view_is_sequence_length(const bt_field_class *structure, uint64_t i);

/*
 * Call after all is read: reports what was asked for and is not in the trace. True: nothing was
 * shown, because the trace has no process or event of a name that was asked for, or --to lies
 * before --from.
 */
bool view_missed_report(const struct view *view, const char *const *paths, size_t nr_paths);

/* ---- reading ---------------------------------------------------------------- */

/* The verb that begins messages: "view", or another one that sets it. */
extern const char *view_verb;

struct view_traces {
	char **paths;
	size_t count;
};

/*
 * Finds the newest recording in the current directory, and names it on standard error. Only folders
 * of the caller's and of root's count, which not everybody may write to; links and mounts are not
 * entered. 0, or -errno after a message.
 */
int view_find_newest(char *path, size_t size);
/*
 * Finds directories with CTF metadata at or below `path`, sorted by name. 0, or -errno after a
 * message.
 */
int view_find_traces(const char *path, struct view_traces *traces);
/* The same below each of the paths; the error is that of the first without any. */
int view_find_all(const char *const *paths, size_t nr_paths, struct view_traces *traces);
void view_traces_free(struct view_traces *traces);

/* Adds what the sessions of the traces counted as lost: call before they are read. */
void view_losses_find(struct losses *losses, const struct view_traces *traces);
/* Describes these losses in `text`; NULL: the streams told of all of them. Call at the end. */
const char *view_losses_describe(const struct view *view, char text[LOSSES_TEXT_SIZE]);
/* Prints the description on stderr. */
void view_losses_report(const struct view *view);

/* The readable parts of traces: view-sound.c. */
struct view_sound {
	struct view_traces traces; /* of sound packets, in place or copied */
	size_t broken;             /* streams with damage, each of which a message named */
	char folder[48];           /* of the copies; "": none */
	struct sigaction before[3];
};
/* Ends with view_sound_end(), also after a failure. 0, or -errno after a message. */
int view_sound_begin(struct view_sound *sound, const struct view_traces *traces);
void view_sound_end(struct view_sound *sound);
/* Prints a fault in FOLDER's metadata, if there is one: its line, and what was expected there. */
struct record_trace;
void view_sound_note_metadata(const char *verb, const char *folder,
			      const struct record_trace *trace);
/* True after a signal; the command ends when the folder is removed. */
bool view_sound_is_interrupted(void);
/*
 * Appends bytes of one file to another, whose position is its end. A hole stays a hole, so that a
 * sparse file takes no more room than before. 0; -ENODATA: the file ends earlier; other -errno.
 */
int view_sound_copy_bytes(int to, int from, uint64_t at, uint64_t size);

/*
 * For verbs that print nothing to a terminal while they read: tells on a terminal how many events
 * were read. The line is cleared before each message, and by view_progress_clear().
 */
void view_progress_begin(void);
void view_progress_event(void);
void view_progress_clear(void);
/* Prints all messages; reports and counts broken streams. 0, or -errno after a message. */
int view_graph_run(struct view *view, const struct view_traces *traces);
/* True if babeltrace can read the metadata in the folder, which has no stream yet. */
bool view_graph_can_open(const char *path);

#endif /* CLI_VIEW_VIEW_H */
