/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-parts.h - what a relay consists of, for relay.c, which decides what is done when,
 * relay-send.c, which sends, relay-live.c, for those who watch meanwhile, and
 * relay-traces.c, which finds what is to be sent.
 */
#ifndef RELAY_RELAY_PARTS_H
#define RELAY_RELAY_PARTS_H

#include "common/protocol/relay-progress.h"
#include "relay/connection.h"
#include "relay/flight.h"
#include "relay/follow.h"
#include "relay/presence.h"
#include "relay/relay.h"

struct relay {
	const struct relay_config *config;
	struct relay_result *result;
	char collector[RELAY_URL_KEY_MAX];
	int output;   /* the folder */
	int progress; /* OUTPUT/.relay or OUTPUT/.relay-COLLECTOR: presence.h */
	int watch;    /* inotify */
	int watch_output;
	int64_t looked_ms;                   /* when it was looked at what inotify does not tell */
	bool is_looking;                     /* that is done now */
	struct cds_list_head follows;        /* struct follow */
	bool is_over;                        /* nothing more is recorded: no other trace comes */
	struct relay_connection *connection; /* NULL: none now */
	uint64_t created;                    /* the connection, s; each at another time */
	uint64_t chunk;                      /* the collector's that is filled */
	uint64_t chunk_begin;                /* when it began, as the collector was told; s */
	struct flight flight;
	int64_t confirmed_ms; /* when something was confirmed last, or all was */
	int64_t retry_ms;     /* not before that */
	int64_t backoff_ms;
	unsigned nr_broken;           /* streams that were not sent whole */
	int file_trouble;             /* -errno as last said, of files here */
	int trouble;                  /* -errno as last said; 0: none */
	struct relay_progress counts; /* in all runs */
};

/* ---- relay-send.c --------------------------------------------------------------------- */

/* 0 or -errno; then the connection is no more. */
int relay_connect(struct relay *relay);
/* The collector is to know a stream of that name in the trace. 0 or -errno. */
int relay_add_named_stream(struct relay *relay, const struct follow *follow, const char *name,
			   uint64_t *handle);
/* The collector is to know the stream. 0 or -errno. */
int relay_add_stream(struct relay *relay, struct follow *follow, struct follow_stream *stream);
/* Streams that were added since can be seen. 0 or -errno. */
int relay_publish(struct relay *relay);
/*
 * All that the metadata says now is to be there before what was read of an index until now.
 * 0; -ENOENT: there is none yet; -EAGAIN: not now; another -errno.
 */
int relay_describe(struct relay *relay, struct follow *follow);
/* Packets that are due, up to some megabytes. Their number, or -errno. */
int relay_send(struct relay *relay);
/* Asks the collector, if it is time, which of those sent are written. 0 or -errno. */
int relay_confirm(struct relay *relay);
/* All is confirmed, and nothing more comes of that trace: its streams end there. */
int relay_end_trace(struct relay *relay, struct follow *follow);
/*
 * The chunk is complete, whose last trace this was (NULL: the session's end). Where another
 * one follows, it is moved to the archives, under the name that it has here.
 */
int relay_end_chunk(struct relay *relay, const struct follow *last);
void relay_disconnect(struct relay *relay);

/* ---- relay-live.c --------------------------------------------------------------------- */

/* Is the trace one that the collector may know, its metadata too? */
bool relay_live_is_shown(const struct relay *relay, const struct follow *follow);
/* Before packets are sent: what may be, and its streams. 0 or -errno. */
int relay_live_begin(struct relay *relay, struct follow *follow);
/* Tells viewers up to which time data was sent and confirmed. 0 or -errno. */
int relay_live_end(struct relay *relay, struct follow *follow);
/* Its streams are to be closed: who watches shall see the rest of them. 0 or -errno. */
int relay_live_leave(struct relay *relay, struct follow *follow);

/* ---- relay-ended.c -------------------------------------------------------------------- */

/* Streams that have ended, and that the collector has, are closed there. 0 or -errno. */
int relay_close_ended(struct relay *relay, struct follow *follow);

/* ---- relay-anchor.c; all 0 or -errno ----------------------------------------------------- */

/* Before the first streams of the trace can be seen; of the class of one of them. */
int relay_anchor_add(struct relay *relay, struct follow *follow, uint64_t class_id);
/* Streams were introduced: an empty packet at `time`, or later. */
int relay_anchor_send(struct relay *relay, struct follow *follow, uint64_t time);
/* Nothing comes in it up to `time`. */
int relay_anchor_beacon(struct relay *relay, struct follow *follow, uint64_t time);
/* It ends. */
int relay_anchor_leave(struct relay *relay, struct follow *follow);

/* ---- relay-traces.c -------------------------------------------------------------------- */

/* The folder, and what there is in it. 0 or -errno. */
int relay_open(struct relay *relay);
void relay_close(struct relay *relay);
/* Handles inotify's events: traces that come, and traces that were moved. 0 or -errno. */
int relay_look(struct relay *relay);
/* The stream is complete at the collector: it is forgotten, and in a spool its files are removed.
 */
void relay_drop(struct relay *relay, struct follow *follow);
/* True for a spool whose files were all sent and removed by a sender that was then killed. */
bool relay_is_emptied(const struct relay *relay);
/* Have all its writers gone? */
bool relay_is_abandoned(const struct relay *relay);
/*
 * When a chunk began and ended, in seconds since 1970, by its folder's name. False: that is none
 * of a chunk, and they are as they were.
 */
bool relay_chunk_times(const struct follow *follow, uint64_t *begin, uint64_t *end);
/* `created` is taken: the next connection comes later, whoever makes it. */
void relay_note_connection(struct relay *relay);
/* ... and one was lost with packets on the way. */
void relay_note_lost(struct relay *relay);
/* So many bytes more of it are at the collector for good. */
void relay_count(struct relay *relay, const struct follow *follow, uint64_t bytes);
/* So many bytes of what is there went from here, with their files. */
void relay_count_removed(struct relay *relay, const struct follow *follow, uint64_t bytes);

#endif /* RELAY_RELAY_PARTS_H */
