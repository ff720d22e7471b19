/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * query.h - the parts of `lttngmap query`, SQL over traces as they lie:
 *
 *   query-class.c      event classes and their fields, from the metadata
 *   query-trace.c      traces, their streams and clocks
 *   query-stream.c     a stream's packets, checked, from a time on
 *   query-scan.c       the events of all streams in the order of time, as far as they are wanted
 *   query-value.c      values of fields, as SQL's and as JSON
 *   query-events.c     the tables `events`, and one for each event's name
 *   query-packets.c    the table `packets`
 *   query-spans.c      the table `spans`
 *   query-functions.c  trace_time(), symbol(), percentile()
 *   query-database.c   SQLite's connection: tables, functions, what is denied
 *   query-output.c     results as a table, CSV, JSON
 *   query-plot.c       results as bars or a line
 *   query-prompt.c     statements from a terminal
 *
 * A scan holds one packet of each stream. A row of a table is one record in such a packet. Only
 * the columns that a statement uses are decoded.
 *
 * The traces are not trusted: a packet is checked by common/record/packet-check.h before its
 * records are looked at, and no value is read beyond its record. Memory needed: for each stream
 * whose time the scan has reached, its packet; the metadata. One thread.
 */
#ifndef CLI_QUERY_QUERY_H
#define CLI_QUERY_QUERY_H

#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <lttngmap/abi.h>

#include "cli/view/view.h"
#include "common/record/packet-check.h"

struct query;

/* ---- classes -------------------------------------------------------------------- */

/* `offset` of a field that lies behind one without a fixed size. */
#define QUERY_OFFSET_UNKNOWN UINT32_MAX
/* Columns of a table; the fields of classes of the same name that do not fit are left out. */
#define QUERY_COLUMNS_MAX 1000
/* Broken streams that are named; the others are counted. */
#define QUERY_BROKEN_NAMED 20

struct query_field {
	char *name;
	struct record_member member; /* texts in the trace's metadata */
	uint32_t offset;             /* from the first field on */
};

struct query_fields {
	struct query_field *all;
	uint32_t count;
	uint64_t size; /* of all; UINT64_MAX: not fixed */
};

struct query_table;

struct query_class {
	char *name;
	int64_t level;   /* -1: none */
	uint32_t number; /* from 0 on, of all traces */
	struct query_fields fields;
	int64_t common_pid; /* a kernel event's field with its thread; -1: none */
	const struct query_format *format;
	struct query_table *table; /* of its name; NULL: there is none */
	int16_t *member_of;        /* by column of the table: field; -2 - n: context n; -1: none */
};

/* One kind of streams of a trace. */
struct query_format {
	const struct query_trace *trace;
	struct query_fields contexts;
	int64_t vpid, vtid, procname; /* numbers of contexts; -1: none */
	struct query_class **classes; /* by id */
	uint32_t nr_classes;
};

enum query_column_kind {
	QUERY_TIME,
	QUERY_NAME,
	QUERY_PROCESS,
	QUERY_PID,
	QUERY_TID,
	QUERY_CPU,
	QUERY_LEVEL,
	QUERY_FIELDS,
	QUERY_CONTEXT,
	QUERY_HOST,
	QUERY_TRACE,
	QUERY_MEMBER, /* a field or a context */
};

struct query_column {
	char *name;
	const char *type; /* SQL's, or "" */
	char *member;     /* name in the metadata; NULL: not QUERY_MEMBER */
	enum query_column_kind kind;
};

/* A table of events: all (name NULL), or those of a name. */
struct query_table {
	struct query *query;
	char *name;
	struct query_column *columns;
	int nr_columns;
	struct query_class **classes;
	size_t nr_classes;
};

/* Reads the trace's metadata. 0, or -errno after a message. */
int query_classes_read(struct query *query, struct query_trace *trace);
void query_classes_free(struct query_trace *trace);
/* Makes the tables by name, after all traces were read. 0 or -ENOMEM. */
int query_tables_make(struct query *query);
/* Makes the table's columns, unless it has them. 0 or -ENOMEM. */
int query_table_fill(struct query_table *table);
void query_tables_free(struct query *query);
/* The text between quotes in the metadata without its escapes, to be freed; NULL: no memory. */
char *query_text(const char *text, size_t length);

/* ---- traces --------------------------------------------------------------------- */

struct query_stream {
	const struct query_trace *trace;
	char *name;    /* in the trace's folder */
	int64_t first; /* time of the first packet, ns */
	int64_t pid;   /* of the first packet; 0: of several processes */
	char process[CTF_PROCNAME_SIZE + 1];
	bool is_told; /* a message named its damage */
};

struct query_trace {
	char *path;
	char *text; /* the metadata */
	size_t text_size;
	struct stream_format format;
	int64_t base_ns;                                 /* of the clock's 0 */
	struct query_format *formats[LTTNGMAP_CHANNELS]; /* by stream id */
};

struct query {
	struct query_trace **traces;
	size_t nr_traces;
	struct query_stream *streams; /* by time */
	size_t nr_streams;
	const struct query_stream **processes; /* a stream of each traced process, by pid */
	size_t nr_processes;
	struct query_class **classes; /* by number */
	struct query_class **sorted;  /* by name */
	uint32_t nr_classes, classes_room;
	struct query_table all;
	struct query_table **tables;
	size_t nr_tables;
	int64_t first_event;  /* INT64_MAX: there is no event */
	uint64_t bytes;       /* of all streams */
	size_t broken;        /* streams with damage */
	struct losses losses; /* what the sessions counted, which streams tell of in part */
	struct symbols *symbols;
	bool has_symbols;        /* all events that tell of programs and libraries were read */
	bool has_told_no_thread; /* a message said that no event tells its thread */
	bool has_told_depth;     /* a message said that some spans are no rows, for their depth */
	struct query_span_class *span_classes; /* by number of the class */
	sqlite3 *db;
};

/* Finds the traces below the paths, and what streams they have. 0, or -errno after a message. */
int query_open(struct query *query, const char *const *paths, size_t nr_paths);
void query_close(struct query *query);
/* Nanoseconds since 1970 as babeltrace2 computes them, so that they are what `view` prints. */
int64_t query_time(const struct query_trace *trace, uint64_t cycles);
/* Cycles at or before that time, less what rounding makes of them; 0 if it is before the clock's.
 */
uint64_t query_cycles_before(const struct query_trace *trace, int64_t ns);
uint64_t query_cycles_behind(const struct query_trace *trace, int64_t ns);

/* ---- a stream's events ------------------------------------------------------------ */

/* Which events a scan has to give. It may give others, too: SQLite checks each row again. */
struct query_wanted {
	int64_t from, to; /* ns, both included */
	int64_t pid, cpu; /* -1: any; whole packets of others are left out */
	bool packets;     /* the packets themselves by their headers, not their events */
	uint8_t *classes; /* by number: nonzero, wanted; NULL: all */
};

/* A packet, and the event in it that was read last. */
struct query_reader {
	struct query *query;
	const struct query_trace *trace;
	struct query_stream *stream;
	const struct query_wanted *wanted;
	uint64_t cycles_from, cycles_to; /* of the wanted time; rounded outwards */
	uint64_t next, offset;           /* where the next packet begins, and the current one */
	uint64_t file_size;
	uint64_t number;       /* of the next packet */
	uint64_t nr_looked_up; /* entries of the index, for where a packet begins */
	struct packet_past past;
	struct ctf_packet_header header;
	uint64_t lost_events, lost_packets; /* before the current packet */
	uint64_t discarded;                 /* so far */
	struct packet_body body;
	const char *at, *end; /* what follows the event, and the packet's end */
	const char *record, *fields, *fields_end;
	const struct query_class *class;
	int64_t ns;
	bool is_begun, is_ended;
	bool has_losses; /* before the current packet; whoever takes note of it clears it */
};

/* The number of the signal that ends the current statement; 0: none came. */
extern volatile sig_atomic_t query_interrupted;
/* Begins before the first wanted packet. */
void query_reader_begin(struct query_reader *reader, struct query *query,
			struct query_stream *stream, const struct query_wanted *wanted);
/* 1: there is an event (or a packet); 0: no more; -EINTR, -ENOMEM. */
int query_reader_next(struct query_reader *reader);
void query_reader_end(struct query_reader *reader);
/* The first event's time in the packet, without reading the packet. False: it has none. */
bool query_reader_peek(const struct query_reader *reader, int64_t *ns);

/* ---- all events ------------------------------------------------------------------- */

struct query_scan {
	struct query_wanted wanted;
	struct query_reader **heap; /* by time; the first has the current event */
	size_t count;
	size_t next; /* the first of the query's streams that was not begun */
	struct query *query;
};

/* Takes *wanted over, with its classes. 1: there is an event; 0: none; -errno. */
int query_scan_begin(struct query_scan *scan, struct query *query,
		     const struct query_wanted *wanted);
int query_scan_next(struct query_scan *scan);
void query_scan_end(struct query_scan *scan);
static inline struct query_reader *query_scan_event(const struct query_scan *scan)
{
	return scan->heap[0];
}

/* ---- values ----------------------------------------------------------------------- */

/* Where a field lies; *size: bytes up to the record's end. */
const char *query_field_find(const struct query_fields *fields, uint32_t number, const char *begin,
			     const char *end, size_t *size);
/* Bytes of a field at `at`; UINT64_MAX: more than `left`. */
uint64_t query_member_size(const struct record_member *member, const char *at, uint64_t left);
void query_result_member(sqlite3_context *context, const struct query_reader *event, int member_of);
/* JSON of all fields, of the contexts. */
void query_result_fields(sqlite3_context *context, const struct query_reader *event);
void query_result_contexts(sqlite3_context *context, const struct query_reader *event);
/* An integer of a field of the event. False: the field has none. */
bool query_integer(const struct query_fields *fields, int64_t number, const char *begin,
		   const char *end, int64_t *value);
/* The thread and process that the event is of; -1: unknown. */
int64_t query_event_tid(const struct query_reader *event);
int64_t query_event_pid(const struct query_reader *event);
/* The name of its process into `name`; "": unknown. */
void query_event_process(const struct query_reader *event, char name[CTF_PROCNAME_SIZE + 1]);

/* ---- SQL -------------------------------------------------------------------------- */

/* Appends the text as JSON has it, between quotes; what is no UTF-8 becomes U+FFFD. */
void query_json_text(sqlite3_str *json, const char *text, size_t length);

/* Frees what the table `spans` keeps of the classes. */
void query_spans_free(struct query *query);
extern const sqlite3_module query_events_module, query_packets_module, query_spans_module;
/* Bounds of a constraint on time, for xFilter. */
void query_wanted_time(struct query_wanted *wanted, char op, sqlite3_value *value);

/* sqlite3_declare_vtab() that the authorizer allows. */
int query_declare(sqlite3 *db, const char *sql);
/* 0, or -errno after a message. */
int query_database_open(struct query *query);
void query_database_close(struct query *query);
int query_functions_add(struct query *query);
/* *text: the function at an address of a process, printable; NULL: not known. Valid until the next
 * call. SQLITE_OK, SQLITE_INTERRUPT or SQLITE_NOMEM. */
int query_symbol(struct query *query, const char *host, int64_t pid, uint64_t address,
		 const char **text);
/* SQLite's code for -EINTR or another -errno of a scan. */
int query_status(int error);

enum query_format_kind { QUERY_AS_TABLE, QUERY_AS_CSV, QUERY_AS_JSON, QUERY_AS_PLOT };

/* Runs the statements of a text, and writes their results. 0, or -errno after a message. */
int query_run(struct query *query, const char *sql, enum query_format_kind kind,
	      struct text_output *output);
/* Writes a statement's rows. The return value is sqlite3_step()'s last. */
int query_output_rows(sqlite3_stmt *statement, enum query_format_kind kind,
		      struct text_output *output);
int query_plot_rows(sqlite3_stmt *statement, struct text_output *output);
/* A text for people: what acts on a terminal is escaped. Returns the columns that it takes. */
size_t query_output_text(struct text_output *output, const char *text);
/* False: lines and bars are to be drawn in ASCII. */
bool query_output_is_utf8(void);

/* Statements from a terminal, until its end. 0 or -errno. */
int query_prompt_run(struct query *query, enum query_format_kind kind);

#endif /* CLI_QUERY_QUERY_H */
