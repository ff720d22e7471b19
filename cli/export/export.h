/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * export.h - the parts of `lttngmap export`, which reads as `view` does (view.h) and
 * makes slices, tracks and counters of events:
 *
 *   cmd-export.c        which trace, which format, which file
 *   export-text.c       numbers for strings: names, categories
 *   export-pair.c       which names are begin and end of a slice
 *   export-class.c      what an event class is: begin or end of a slice, ...
 *   export-track.c      threads and processes, and the slices that are open there
 *   export-event.c      from an event to what a format writes
 *   export-perfetto.c   TrackEvent, for ui.perfetto.dev; on top of export-protobuf.h
 *   export-chrome.c     Chrome's JSON
 *   export-folded.c     call stacks and their time, for flame graphs
 *
 * One thread. Without memory the output fails, and reading ends with that.
 */
#ifndef CLI_EXPORT_EXPORT_H
#define CLI_EXPORT_EXPORT_H

#include "cli/view/view.h"

struct export;

/* ---- strings ---------------------------------------------------------------- */

struct export_texts {
	char **texts; /* by number; 0 is none */
	uint32_t count, room;
	uint32_t *places; /* of numbers, by hash; a power of two of them */
	uint32_t nr_places;
};

/* The string's number, from 1 on, the same for equal ones; 0 without memory. */
uint32_t export_text(struct export *export, const char *text);
const char *export_text_of(const struct export *export, uint32_t number);
void export_texts_free(struct export_texts *texts);

/* ---- event classes ------------------------------------------------------------ */

enum export_kind {
	EXPORT_INSTANT,
	EXPORT_BEGIN, /* of a slice */
	EXPORT_END,
	EXPORT_COMPLETE, /* the end of a slice, which says how long it was */
};

/* Is there an event whose name is these letters of `head`, and `tail`? */
typedef bool export_has_event(const void *data, const char *head, size_t length, const char *tail);

/* The slice that an event's name says, without its provider. */
struct export_pair {
	enum export_kind kind;
	const char *name; /* in the event's name; a begin and its end have the same */
	size_t length;
};
struct export_pair export_pair_of(const char *name, export_has_event *has, const void *data);

#define EXPORT_FIELDS_MAX 152

struct export_field {
	uint32_t name;
	uint32_t index;
	bool is_context; /* of the stream's common context, else of the payload */
};

/* Data found out once for each event class. Members are -1 if the class has no such field. */
struct export_class {
	const bt_event_class *bt; /* key */
	uint32_t number;          /* from 0 on, as they are met */
	enum export_kind kind;
	uint32_t category, name; /* texts; a begin and its end have the same name */
	int64_t function;        /* payload: address of the function that the slice is */
	int64_t duration;        /* payload: nanoseconds */
	int64_t counter;         /* payload: value of a counter */
	int64_t flow;            /* payload: what events of one flow have in common */
	int64_t vtid;            /* common context */
	unsigned nr_fields;
	struct export_field fields[EXPORT_FIELDS_MAX];
};

struct export_classes {
	struct export_class **table; /* open addressing */
	size_t places, count;
};

/* NULL without memory. */
const struct export_class *export_class_get(struct export *export, const bt_event *event);
void export_classes_free(struct export_classes *classes);

/* ---- tracks ------------------------------------------------------------------ */

/* One program of a process: after an exec its number is that of another one, too. */
struct export_process {
	int64_t pid; /* -1: of what has none, as the kernel */
	uint64_t uuid;
	unsigned program_number; /* from 0 on, of those with this pid */
	char program[64];
	struct export_process *next, *of_bucket;
};

struct export_slice {
	uint32_t category, name;
	uint64_t function; /* its address, or 0 */
	uint32_t pair;     /* name of its class: what ends it has the same */
	int64_t since;
	void *node; /* the format's */
};

struct export_track {
	const struct export_process *process;
	int64_t tid; /* -1: unknown; then it is a CPU of the process */
	int64_t cpu;
	uint32_t counter; /* name of the counter that it is, or 0 */
	uint64_t uuid;
	char name[64];
	struct export_slice *slices; /* open ones, the outermost first */
	size_t depth, room;
	void *node; /* the format's */
};

#define EXPORT_BUCKETS 1024

struct export_tracks {
	struct export_track **table; /* open addressing */
	size_t places, count;
	struct export_process *processes;
	struct export_process *buckets[EXPORT_BUCKETS]; /* by pid, the newest first */
	const struct export_process *replaced; /* its process has just become another program */
	uint64_t last_uuid;
};

/* The thread that a kernel event is of, if its name is known; -1: not known, or no thread. */
int64_t export_track_task(const struct view_stream *stream);
/* The thread that an event of the stream is of. NULL without memory. */
struct export_track *export_track_get(struct export *export, const struct view_stream *stream,
				      int64_t tid);
struct export_track *export_track_counter(struct export *export, const struct view_stream *stream,
					  int64_t tid, uint32_t name);
/* Open a slice, or NULL where there are too many. */
struct export_slice *export_track_open(struct export *export, struct export_track *track);
void export_tracks_free(struct export_tracks *tracks);

/* ---- formats ------------------------------------------------------------------ */

/* An event, or the end of a slice that has none (event: NULL). */
struct export_what {
	uint32_t category, name;
	const struct export_class *class;
	const bt_event *event;
	uint64_t flow; /* 0: of none */
};

/* All but `close` may be NULL: such a thing is not in the format. */
struct export_format {
	void (*open)(struct export *export, int64_t ns);
	void (*process)(struct export *export, const struct export_process *process);
	void (*track)(struct export *export, const struct export_track *track);
	/* Each event, before what becomes of it. */
	void (*event)(struct export *export, const struct view_stream *stream,
		      struct export_track *track, const struct export_what *what, int64_t ns);
	void (*begin)(struct export *export, struct export_track *track,
		      const struct export_what *what, int64_t ns);
	/* The innermost slice, which is still on the track. */
	void (*end)(struct export *export, struct export_track *track,
		    const struct export_what *what, int64_t ns);
	void (*complete)(struct export *export, struct export_track *track,
			 const struct export_what *what, int64_t from, int64_t to);
	void (*instant)(struct export *export, struct export_track *track,
			const struct export_what *what, int64_t ns);
	void (*count)(struct export *export, struct export_track *track, double value, int64_t ns);
	/* `count` events were lost; 0: an unknown number, or something else. */
	void (*lost)(struct export *export, struct export_track *track, const char *text,
		     uint64_t count, int64_t ns);
	void (*close)(struct export *export);
};

extern const struct export_format export_perfetto;
extern const struct export_format export_chrome;
extern const struct export_format export_folded;
/* And that of `lttngmap report`, export_page: see page.h. */

struct export
{
	struct view view; /* first: what a printer is given is this */
	const struct export_format *format;
	const char *counter; /* EVENT.FIELD, or NULL */
	const char *flow;    /* FIELD, or NULL */
	struct export_texts texts;
	struct export_classes classes;
	struct export_tracks tracks;
	bool is_open;
	bool has_threads;  /* some event told its thread */
	bool has_counter;  /* some event has the field that is the counter */
	bool has_pairs;    /* some event would be begin or end, if its thread were known */
	uint64_t slices;   /* written */
	uint64_t unpaired; /* ends without a begin */
	void *state;       /* the format's */
};

extern const struct view_printer export_printer;

/* After the last event: ends what is open, closes the format, frees all. */
void export_finish(struct export *export);
/* Reading ends; `error` is an errno. */
void export_fail(struct export *export, int error);

#endif /* CLI_EXPORT_EXPORT_H */
