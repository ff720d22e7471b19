/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * top.h - the parts of `lttngmap top`:
 *
 *   top-daemons.c   which session daemons run: ours, the system's, those of recordings
 *   top-sample.c    what one of them answers, and what became of it since the last time
 *   top-usage.c     what a process of ours takes, by /proc
 *   top-text.c      a sample as lines of text, or as JSON
 *   top-screen.c    samples on a terminal, and its keys
 *   top-rows.c      the rows of a table, in the order that is asked for
 *
 * One thread. What a daemon answers is not trusted to be as it should, nor to come.
 */
#ifndef LTTNGMAP_CLI_TOP_TOP_H
#define LTTNGMAP_CLI_TOP_TOP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/client/untraced.h"
#include "common/name.h"
#include "common/socket.h"

struct control_client;

/* What is not known is NAN, in all rates and shares. */

/* ---- a process of ours ---------------------------------------------------------- */

struct top_usage {
	uint64_t pid;    /* 0: there is none */
	uint64_t begun;  /* clock ticks after the boot: which process of that number */
	uint64_t ticks;  /* of CPU time until now */
	uint64_t now_us; /* CLOCK_MONOTONIC */
	uint64_t memory; /* bytes resident */
	double up;       /* seconds since it began */
	double cpu;      /* share of one CPU since the last look */
};

/* Look at process `pid`, or forget the one there was where that is 0 or cannot be seen. */
void top_usage_look(struct top_usage *usage, uint64_t pid);

/* ---- what a daemon tells -------------------------------------------------------- */

struct top_rates {
	double events, lost, bytes; /* a second */
};

struct top_session {
	char name[NAME_SESSION_MAX + 32]; /* as ours to say; a kernel part is one of its own */
	bool active;
	bool snapshot; /* a flight recorder: what it overwrites is not lost */
	bool is_kernel;
	uint64_t consumer; /* its process, which other sessions may share; 0: none */
	uint64_t processes, alive;
	uint64_t events; /* written to buffers; of the kernel's, on disk */
	uint64_t lost;
	uint64_t bytes, streams;           /* on disk */
	char output[PATH_MAX];             /* where its trace is */
	char untraced[UNTRACED_TEXT_SIZE]; /* processes that it lacks; "": none */
	uint64_t not_traced;
	char error[160]; /* why it cannot be written; "": it can */
	struct top_rates rates;
};

/* A process's rings in a channel, or those that a user's processes share. */
struct top_rings {
	char session[NAME_SESSION_MAX + 16];
	char channel[NAME_SESSION_MAX + 1];
	char name[NAME_PROGRAM_SIZE];
	uint64_t pid; /* 0: of all of the user's */
	uint64_t uid;
	bool alive;
	uint64_t events, lost;
	uint64_t overwritten; /* of these, or what a flight recorder let go */
	double *fill;         /* of each ring, 0 to 1; the last EXTRA are no CPU's */
	size_t nr_rings;
	double fullest;
	struct top_rates rates; /* `bytes` is not known */
};

struct top_sample {
	uint64_t sessions_us, rings_us; /* the daemon's CLOCK_MONOTONIC */
	double seconds;                 /* since the sample before */
	uint64_t pid, consumer;         /* of the daemons; 0: none */
	uint64_t processes, refused;    /* registered, turned away */
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
	bool greeted;                  /* it has answered to hello */
	bool seen;                     /* in the search that is under way */
	int error;                     /* of the last look: 0, or -errno; -ENOENT: none runs */
	char why[256];                 /* it did not answer last time: why; "": it did */
	struct top_sample sample;
	struct top_usage daemon;
	struct top_usage *consumers; /* one for each that writes a session, or is to */
	size_t nr_consumers;
};

/*
 * Ask it; what there was before is what rates are made from. Waits `timeout_ms` in all; an
 * answer that comes later is waited for at the next call. 0, or -errno with `why`, and nothing is
 * known any more.
 */
int top_sample_take(struct top_daemon *daemon, bool sessions_only, int timeout_ms);
/* Let what that session has in buffers go to the disk. 0, or -errno with `why`. */
int top_sample_flush(struct top_daemon *daemon, const char *session, int timeout_ms);
/* No more of it: what was known and the connection go. */
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
	const char *chosen; /* --runtime-dir, or NULL: all that are ours to see */
	bool everywhere;    /* … and these, too, where one was chosen */
	bool sessions_only; /* rings are not asked for */
	int timeout_ms;
	uint64_t interval_ms;
	struct top_daemon *daemons;
};

/* Look for daemons, forget those that are gone, ask each. How many answered. */
size_t top_look(struct top *top);
/* How many were found, whether they answered or not. */
size_t top_count(const struct top *top);
void top_free(struct top *top);

/* A row of the table of rings. */
struct top_row {
	const struct top_daemon *daemon;
	const struct top_rings *rings;
};

/* All daemons' rings in that order; *rows is the caller's to free. Their number. */
size_t top_rows(const struct top *top, enum top_order order, struct top_row **rows);
const char *top_order_name(enum top_order order);
/* Over all rings of each CPU, the fullest; the caller's to free. Their number; 0: none. */
size_t top_fill(const struct top *top, double **fill);

/* ---- showing them --------------------------------------------------------------- */

#define TOP_TEXT_SIZE 32
/* "1,234", or "-" where it is not known. */
const char *top_format_rate(double rate, char text[TOP_TEXT_SIZE]);
/* "1.5 MiB", or "-". */
const char *top_format_bytes(double bytes, char text[TOP_TEXT_SIZE]);
/* "12.3 %", or "-". */
const char *top_format_share(double share, char text[TOP_TEXT_SIZE]);
/* "41 s", "12 min", "3.5 h". */
const char *top_format_time(double seconds, char text[TOP_TEXT_SIZE]);
/*
 * A digit for each ring: tenths of it that are full, '.' for less than one, '#' for what is
 * as good as full. Where `width` is less than there are rings, several share one.
 */
void top_format_fill(const double *fill, size_t count, char *text, size_t width);
/* A user's name, or number. */
const char *top_format_user(uint64_t uid, char text[TOP_TEXT_SIZE]);

/* What is known now, on stdout: as JSON, one object on one line, or as text. */
void top_print_json(const struct top *top);
void top_print_text(const struct top *top);
/* The first error that was told, as JSON. */
void top_print_error(void);
/* Until the user leaves. The exit status. */
int top_screen_run(struct top *top);

/* A terminal of fewer columns gets fewer of ours, of which none is cut off at 80. */
#define TOP_WIDE 112
#define TOP_NARROW_SESSION(alive) "%-12.12s %-7s " alive " %9s %8s %13s %10s %9s"
#define TOP_NARROW_RING "%7s %-15.15s %9s %8s %13s %-14.14s %s"

#endif /* LTTNGMAP_CLI_TOP_TOP_H */
