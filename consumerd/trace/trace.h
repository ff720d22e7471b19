/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * trace.h - the folder of one CTF trace: OUTPUT/ust with the metadata, the
 * stream files and index/. Readers take every other file in it for a stream,
 * but for names that begin with '.'.
 *
 * Where the consumer is root's, it looks up, makes and removes files as the
 * user that the trace is for: it gets nowhere where that user would not.
 *
 * OUTPUT is looked up once, by its path, and stays open. Everything below is reached from its
 * descriptor (common/base/beneath.h), for another user may own OUTPUT.
 */
#ifndef CONSUMERD_TRACE_TRACE_H
#define CONSUMERD_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/protocol/ctf.h"
#include "common/protocol/relay-journal.h"

#define TRACE_DIRECTORY "ust"
#define TRACE_DIRECTORY_KERNEL "kernel"
#define TRACE_METADATA "metadata"
#define TRACE_OVERWRITTEN ".overwritten" /* where there is something to be counted */

struct trace {
	int output;   /* OUTPUT */
	int dir;      /* OUTPUT/ust */
	int index;    /* OUTPUT/ust/index */
	int journal;  /* of who sends it (common/protocol/relay-journal.h); -1: not opened */
	int progress; /* likewise (common/protocol/relay-progress.h) */
	int metadata; /* the file, while it has room for more; -1: it has none */
	uint64_t metadata_size; /* of its text: where the room's comment begins */
	uint64_t metadata_end;  /* of the room */
	uint8_t uuid[CTF_UUID_SIZE];
	uid_t owner;
	gid_t group;
	uid_t made_as;        /* the owner that files show which the owner makes there */
	uint32_t chunk;       /* counts rotations */
	bool had_streams;     /* of an earlier consumer, when it was opened */
	uint64_t overwritten; /* events of files that made room; see trace_discard() */
	bool is_kernel;       /* it lies in OUTPUT/kernel, and has no chunks; see `folder` */
	/*
	 * For a kernel's trace: "kernel", or "kernel-N" where `chunk` counts the daemons before
	 * this one.
	 */
	char folder[sizeof(TRACE_DIRECTORY_KERNEL) + 11];
	bool is_new;   /* no trace may lie there when it is opened */
	bool is_spool; /* what is written goes as soon as it was sent (spool.h) */
	bool is_sent;  /* to a collector: it is noted which streams have ended */
	/* Each packet survives the kernel before its room in the ring is the writers' again. */
	bool is_durable;
};

/*
 * Make the folders where they are missing, and repair the streams that an
 * earlier consumer left there. 0; -EEXIST: another trace lies there; another
 * -errno. Nothing is to be closed after a failure. `chunk`, `overwritten` and
 * `is_kernel` are the caller's to set before; more overwritten may be found.
 */
int trace_open_as(struct trace *trace, const char *output, const uint8_t uuid[CTF_UUID_SIZE],
		  uid_t owner, gid_t group);
/*
 * The folders anew, in the same OUTPUT, wherever that was moved. After trace_leave(). 0 or -errno:
 * it may be tried again.
 */
int trace_open_next(struct trace *trace);
/* Opens a program's trace with the process's own rights. */
int trace_open(struct trace *trace, const char *output, const uint8_t uuid[CTF_UUID_SIZE]);
void trace_close(struct trace *trace);
/* All but OUTPUT, which stays open. */
void trace_leave(struct trace *trace);
/* Its folder's name in OUTPUT. */
const char *trace_directory(const struct trace *trace);

/* Remove all but the metadata; no stream of it is open. 0 or -errno. */
int trace_clear(struct trace *trace);
/* Is there no stream in it? */
bool trace_is_empty(const struct trace *trace);

/* Open DIR/NAME and index/NAME.idx, made where missing. 0 or -errno. */
int trace_open_stream(const struct trace *trace, const char *name, int *stream_fd, int *index_fd);

/*
 * Nothing more comes into the stream file NAME, all of which is in its index: who sends it is
 * told (common/protocol/ended-streams.h), as well as can be.
 */
void trace_note_ended(const struct trace *trace, const char *name);

/* ---- trace-metadata.c --------------------------------------------------------- */

/*
 * Put the text in place of the metadata: readers see the old or the new, whole.
 * There is room for `room` bytes more. 0 or -errno.
 */
int trace_write_metadata(struct trace *trace, const char *text, size_t size, size_t room);
/*
 * Add whole lines to the text that was written last: readers see it with them
 * or without. 0; -ENOBUFS: there is no room; another -errno: it may be tried again.
 */
int trace_add_metadata(struct trace *trace, const char *segment, size_t size);
/* The file as it is, which may be anything; the caller's to free. 0 or -errno. */
int trace_read_metadata(const struct trace *trace, char **text, size_t *size);
void trace_close_metadata(struct trace *trace);

/* ---- trace-files.c: a stream in several files, NAME_0, NAME_1, … ------------- */

/*
 * The lowest and the highest number of the stream's files; -ENOENT: it has
 * none. 0 or another -errno.
 */
int trace_find_files(const struct trace *trace, const char *name, uint64_t *oldest,
		     uint64_t *newest);
/*
 * Remove the file NAME, which is closed, and its index, and count its events
 * as overwritten: once, wherever in it we are killed. Each of its packets ends
 * in a struct trace_tail. 0 or -errno.
 */
int trace_discard(struct trace *trace, const char *name);
/* Continues a discard that trace_open_as() found unfinished. 0 or -errno. */
int trace_resume_discard(struct trace *trace);
/* The count, in the folder of the next chunk. 0 or -errno. */
int trace_carry_overwritten(const struct trace *trace, int next);

/* The last bytes of a packet in a stream that has limits, beyond its content. */
struct trace_tail {
	uint64_t events; /* in the packet */
};

/* ---- trace-journal.c: what a collector has of a spool ------------------------ */

/* Opens the journal and the progress that the sender has written by now, for the next two. */
void trace_open_notes(struct trace *trace);
/*
 * Finds the record of stream file NAME, whose index has that inode; its writer is not trusted.
 * *slot: its place, for the next call; 0: not known yet. False: no record.
 */
bool trace_find_record(const struct trace *trace, const char *name, uint64_t inode, uint64_t *slot,
		       struct relay_journal_record *record);
/* Connections that were lost while packets were on the way. After trace_find_record(). */
uint64_t trace_lost(const struct trace *trace);
/* Is it a spool of which something was sent, so that room may be used again? */
bool trace_is_reused(const struct trace *trace);

/* ---- trace-chunk.c: rotation ------------------------------------------------- */

#define TRACE_ARCHIVES "archives"

/*
 * Make OUTPUT/archives/NAME, and show that the trace can be moved there. 0 or
 * -errno: then nothing of it is left.
 */
int trace_prepare_chunk(const struct trace *trace, const char *name);
void trace_abandon_chunk(const struct trace *trace, const char *name);
/*
 * Move OUTPUT/ust, of which no stream is open, to OUTPUT/archives/NAME/ust.
 * It may be opened anew then. Where a consumer before did it, that is enough.
 * 0 or -errno: it is where it was.
 */
int trace_move_chunk(const struct trace *trace, const char *name);
/* Where a consumer before was killed in between, end what it began. */
void trace_take_next(int output);

/* ---- for these --------------------------------------------------------------- */

/* Until the second call, files are looked up, made and removed as the owner. */
void trace_become_owner(const struct trace *trace);
void trace_become_self(void);
/* Is that file of its folder a stream's? */
bool trace_is_stream(const struct trace *trace, const char *name);
/* Call with each entry of the folder that does not begin with '.', until it returns not 0. */
int trace_for_each(int folder, int (*call)(void *data, const char *name), void *data);

#endif /* CONSUMERD_TRACE_TRACE_H */
