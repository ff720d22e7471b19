/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * output-session-private.h - what the files of a session share:
 *
 *   output-session.c          its life, the metadata, its channels
 *   output-session-live.c     up to when all is there, and a kernel's rings to their ends
 *   output-session-place.c    is the trace where its user looks for it?
 *   output-session-records.c  what readers could not read is left out
 *   output-session-rotate.c   a chunk ends
 *   output-session-spool.c    is there room for more?
 *   output-session-written.c  what the daemon and people are told, and trouble
 */
#ifndef CONSUMERD_SESSION_OUTPUT_SESSION_PRIVATE_H
#define CONSUMERD_SESSION_OUTPUT_SESSION_PRIVATE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "consumerd/session/output-session.h"
#include "consumerd/session/spool.h"
#include "consumerd/trace/sync.h"

/* A report for people, and what of a path is in it. */
#define SESSION_TEXT_SIZE 768
#define SESSION_PATH_SHOWN 240

struct output_session {
	struct cds_list_head node;
	struct output_session_shared *shared;
	struct cds_list_head channels;
	struct trace trace;
	uint8_t uuid[CTF_UUID_SIZE];
	uid_t owner;
	gid_t group;
	bool is_open; /* the trace is */
	bool has_metadata;
	struct output_session_written written;
	/* The newest metadata, and how much of it the file has. All of it, where `has_metadata`. */
	char *text;
	size_t text_size;
	size_t text_room; /* allocated */
	size_t text_written;
	uint64_t text_generation;
	bool text_final;
	sd_event_source *describe;    /* on while a segment is to be written */
	struct record_layout *layout; /* as it describes records; NULL: not known */
	struct record_trace described;
	size_t text_learnt; /* what of the text `layout` is made of */
	bool is_recovered;  /* by a daemon whose saved state may be damaged */
	bool is_kept;       /* `text` is what the trace had, not the daemon's */
	/* Rotation; its name is below. */
	struct output_session_rotation rotation;
	bool is_prepared; /* there is room for the chunk */
	bool is_rotating; /* it is to be moved there */
	bool has_answer;  /* `rotation` is to be told */
	bool is_clearing; /* what lies on disk is to be removed before anything else is written */
	char chunk_name[NAME_MAX + 1];
	bool is_snapshot;
	uint64_t stream_size;
	/* The kernel's. */
	struct kernel_plan *plan; /* of the newest metadata; NULL: not the kernel's */
	int pages;                /* -1: its rings are mapped */
	bool is_draining;         /* the metadata that is final is told of when rings are read */
	/* Writing failed, and is tried again at the next tick. */
	bool stalled;
	int trouble; /* -errno as last said; 0: none */
	char error[512];
	const char *spool_error;         /* NULL: the spool has room, or there is none */
	char place[PATH_MAX];            /* of OUTPUT, when it was opened */
	char removed[SESSION_TEXT_SIZE]; /* "": OUTPUT and the trace's folder are there */
	char moved[SESSION_TEXT_SIZE];   /* "": OUTPUT is where it was */
	uint64_t gone_from;  /* of what `removed` says: the events written after so many are lost */
	uint64_t chunk_from; /* events written before the chunk */
	uint64_t gone_earlier;   /* events that earlier daemons wrote, and that are not on disk */
	sd_event_source *retry;  /* on while there is something to try again */
	sd_event_source *report; /* on while there is something to report */
	struct sync sync;
	bool is_live;
	uint64_t live_time;  /* as told last */
	bool live_is_full;   /* likewise */
	uint64_t live_due;   /* of a kernel's: its rings are read up to that before; 0: none is */
	struct spool *spool; /* NULL: the output is the trace's own */
	char *output;
	char *rings;
	char name[];
};

/* output-session.c: what fails is said, and tried again by `retry`. */
void output_session_open_trace(struct output_session *session);
void output_session_write_metadata(struct output_session *session);

/* output-session-records.c: from the metadata that is to be written. 0 or -ENOMEM: try again later.
 */
int output_session_learn_layout(struct output_session *session);
/*
 * Where that is the first text of a session that is recovered, and describes less than the trace's
 * metadata, or otherwise: the trace's is the text. Else readers could not read what is on disk. 0
 * or -ENOMEM.
 */
int output_session_keep_earlier(struct output_session *session);

/* output-session-live.c: who sends is told that nothing is to be kept back. */
void output_session_note_full(struct output_session *session);
/* All rings of the kernel's are to be read to their ends before the metadata is told of. */
void output_session_drain(struct output_session *session);

/* output-session-rotate.c: if that is to be, and can be now. */
void output_session_rotate_now(struct output_session *session);

/* output-session-spool.c: for that packet; true where there is no spool. */
bool output_session_has_room_for(struct output_session *session,
				 const struct lttngmap_packet *packet);

/*
 * output-session-place.c: OUTPUT was opened. Later: was it, or the trace's folder, moved or
 * removed? True: that changed.
 */
void output_session_note_place(struct output_session *session);
bool output_session_check_place(struct output_session *session);
/* The last finding; NULL: all is in its place. */
const char *output_session_misplaced(const struct output_session *session);

/* output-session-written.c: `written`, and the answer to a rotation. */
void output_session_report_now(struct output_session *session);
void output_session_report_later(struct output_session *session);
/* Failed steps can be repeated. */
void output_session_recovered(struct output_session *session);
/* Unless it is to be tried again already. */
void output_session_retry_in(struct output_session *session, uint64_t usec);

#endif /* CONSUMERD_SESSION_OUTPUT_SESSION_PRIVATE_H */
