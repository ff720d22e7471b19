/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * top.h - the files of `lttngmap top`:
 *
 *   top-daemons.c   finds session daemons: the user's, the system's, those of recordings
 *   top-sample.c    asks a daemon, and compares with the last answer
 *   top-usage.c     CPU time and memory of a process, from /proc
 *   top-text.c      a sample as lines of text, or as JSON
 *   top-screen.c    samples on a terminal, and its keys
 *   top-rows.c      the rows of a table, sorted
 *
 * One thread. Daemons' answers are not trusted, and may never come.
 */
#ifndef CLI_TOP_TOP_H
#define CLI_TOP_TOP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/client/untraced.h"
#include "common/base/name.h"
#include "common/base/socket.h"

struct control_client;
struct json_object;

/* Unknown rates and shares are NAN. */

/* ---- a process of ours ---------------------------------------------------------- */

struct top_usage {
	uint64_t pid;    /* 0: none */
	uint64_t begun;  /* clock ticks after the boot; tells processes of one number apart */
	uint64_t ticks;  /* CPU time so far */
	uint64_t now_us; /* CLOCK_MONOTONIC */
	uint64_t memory; /* bytes resident */
	double up;       /* seconds since its start */
	double cpu;      /* share of one CPU since the last sample */
};

/* Samples process `pid`. Clears *usage if `pid` is 0 or the process cannot be seen. */
void top_usage_look(struct top_usage *usage, uint64_t pid);
/* The CPU time so far. */
double top_usage_cpu_seconds(const struct top_usage *usage);

/* ---- what a daemon tells -------------------------------------------------------- */

struct top_rates {
	double events, lost, bytes; /* per second */
};

struct top_session {
	char name[NAME_SESSION_MAX + 32]; /* with the user's name for another user's; a kernel
					     domain has an entry of its own */
	bool active;
	bool snapshot; /* flight recorder: overwritten events are not lost */
	bool is_kernel;
	uint64_t consumer; /* its process, which sessions may share; 0: none */
	uint64_t processes, alive;
	uint64_t events; /* written to buffers; for the kernel, on disk */
	uint64_t lost;
	uint64_t bytes, streams;           /* on disk */
	char output[PATH_MAX];             /* the trace's folder */
	char untraced[UNTRACED_TEXT_SIZE]; /* processes that could not be traced; "": none */
	uint64_t not_traced;
	char error[160]; /* why the trace cannot be written; "": it can */
	struct top_rates rates;
};

/* The rings of a process in a channel, or the rings that a user's processes share. */
struct top_rings {
	char session[NAME_SESSION_MAX + 16];
	char channel[NAME_SESSION_MAX + 1];
	char name[NAME_PROGRAM_SIZE];
	uint64_t pid; /* 0: of all the user's processes */
	uint64_t uid;
	bool alive;
	uint64_t events, lost;
	uint64_t overwritten; /* of these, or overwritten by a flight recorder */
	double *fill;         /* of each ring, 0 to 1; the last EXTRA belong to no CPU */
	size_t nr_rings;
	uint64_t size; /* bytes of each */
	double fullest;
	struct top_rates rates; /* `bytes` is unknown */
};

struct top_sample {
	uint64_t sessions_us, rings_us; /* the daemon's CLOCK_MONOTONIC */
	double seconds;                 /* since the sample before */
	uint64_t pid, consumer;         /* processes; 0: none */
	uint64_t processes, refused;    /* registered, refused */
	uint64_t restarts;              /* of the daemon, by its supervisor */
	struct top_session *sessions;
	size_t nr_sessions;
	struct top_rings *rings;
	size_t nr_rings;
	size_t nr_fills; /* of all `rings` */
};

struct top_daemon {
	struct top_daemon *next;
	char runtime_dir[SOCKET_PATH_MAX + 1];
	struct control_client *client; /* NULL: not connected */
	bool greeted;                  /* "hello" was answered */
	bool seen;                     /* found by the current search */
	bool named;                    /* by the user */
	bool answered;                 /* at least once */
	int error;     /* of the last sample: 0 or -errno; -ENOENT: no daemon runs */
	char why[256]; /* why the last sample failed; "": it did not */
	struct top_sample sample;
	struct top_usage daemon;
	struct top_usage *consumers; /* one for each process that writes or will write a session */
	size_t nr_consumers;
};

/*
 * Asks the daemon; rates compare with the last sample. Waits `timeout_ms` in all; the next call
 * waits for a later answer. 0, or -errno with `why`, and the sample is empty.
 */
int top_sample_take(struct top_daemon *daemon, bool sessions_only, int timeout_ms);
/*
 * Asks a daemon that top_sample_take() reached. Takes `request`; the caller puts *answer. 0 or
 * -errno; -ETIMEDOUT: no answer by `deadline`, as time_now_ms().
 */
int top_sample_ask(struct top_daemon *daemon, struct json_object *request, int64_t deadline,
		   struct json_object **answer);
/* Notes in `why` that asking failed, and closes the connection of no use. Returns `error`. */
int top_sample_fail(struct top_daemon *daemon, int error);
/* Asks the daemon to write the session's buffered events to disk. 0, or -errno with `why`. */
int top_sample_flush(struct top_daemon *daemon, const char *session, int timeout_ms);
/* Closes the connection and clears the sample. */
void top_sample_end(struct top_daemon *daemon);

/* ---- all that are watched ------------------------------------------------------- */

enum top_order {
	TOP_BY_RATE,
	TOP_BY_EVENTS,
	TOP_BY_LOST,
	TOP_BY_FILL,
	TOP_BY_NAME,
	TOP_ORDERS,
};

struct top {
	const char *chosen; /* --runtime-dir; NULL: all daemons that this user can see */
	bool everywhere;    /* those, too, beside a chosen one */
	bool sessions_only; /* do not ask for rings */
	int timeout_ms;
	uint64_t interval_ms;
	struct top_daemon *daemons;
};

/* Finds daemons, forgets those that ended, samples each. Returns how many answered. */
size_t top_look(struct top *top);
/* The number of daemons found, with and without an answer. */
size_t top_count(const struct top *top);
void top_free(struct top *top);
/*
 * The directory of the daemon that commands talk to: `chosen`, or LTTNGMAP_RUNTIME_DIR's, else the
 * first of the user's places where a daemon listens. False: none listens there, or the name is too
 * long.
 */
bool top_find_one(const char *chosen, char path[SOCKET_PATH_MAX + 1]);

/* A row of the table of rings. */
struct top_row {
	const struct top_daemon *daemon;
	const struct top_rings *rings;
};

/* Lists all daemons' rings in that order; the caller frees *rows. Returns their number. */
size_t top_rows(const struct top *top, enum top_order order, struct top_row **rows);
const char *top_order_name(enum top_order order);
/* The fullest ring of each CPU; the caller frees *fill. Returns their number; 0: none. */
size_t top_fill(const struct top *top, double **fill);

/* ---- showing them --------------------------------------------------------------- */

#define TOP_TEXT_SIZE 32
/* "1,234"; "-" if unknown. */
const char *top_format_rate(double rate, char text[TOP_TEXT_SIZE]);
/* "1.5 MiB"; "-" if unknown. */
const char *top_format_bytes(double bytes, char text[TOP_TEXT_SIZE]);
/* "12.3 %"; "-" if unknown. */
const char *top_format_share(double share, char text[TOP_TEXT_SIZE]);
/* "41 s", "12 min", "3.5 h". */
const char *top_format_time(double seconds, char text[TOP_TEXT_SIZE]);
/*
 * Prints a digit for each ring: full tenths; '.' for less than one, '#' for a full ring. If `width`
 * is too small, several rings share a digit.
 */
void top_format_fill(const double *fill, size_t count, char *text, size_t width);
/* A user's name, or number. */
const char *top_format_user(uint64_t uid, char text[TOP_TEXT_SIZE]);

/* Prints the current sample on stdout, as one line of JSON or as text. */
void top_print_json(const struct top *top);
void top_print_text(const struct top *top);
/* Prints the first error as JSON. */
void top_print_error(void);
/* Runs until the user leaves. Returns the exit status. */
int top_screen_run(struct top *top);

/* On a narrower terminal, fewer columns are printed, so that lines fit into 80. */
#define TOP_WIDE 112
#define TOP_NARROW_SESSION(alive) "%-12.12s %-7s " alive " %9s %8s %13s %10s %9s"
#define TOP_NARROW_RING "%7s %-15.15s %9s %8s %13s %-14.14s %s"

#endif /* CLI_TOP_TOP_H */
