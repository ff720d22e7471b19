/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * output-session.h - a recording session as the consumer has it: a trace on disk,
 * channels whose rings go into it, what was written so far.
 *
 * The session is where writing stops and goes on: when the disk is full (or
 * fails, or descriptors run out) its rings keep the packets that they hold,
 * it says so once, and tries again by a timer. Other sessions go on.
 */
#ifndef CONSUMERD_SESSION_OUTPUT_SESSION_H
#define CONSUMERD_SESSION_OUTPUT_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>
#include <urcu/list.h>

#include "common/base/losses.h"
#include "common/record/record-layout.h"
#include "consumerd/session/snapshot.h"
#include "consumerd/stream/stream.h"
#include "consumerd/trace/trace.h"
#include "consumerd/session/turn.h"

struct kernel_plan;
struct output_session;

/* Cumulative over this life of the consumer. */
struct output_session_written {
	uint64_t generation; /* of the metadata on disk; 0: none */
	uint64_t packets;
	uint64_t events;
	/*
	 * Events dropped: overwritten while they were copied. In a kernel's session the
	 * events that its packets count as discarded, those of earlier consumers too.
	 */
	uint64_t overrun;
	uint64_t broken; /* events of packets that no reader could read, and that were left out */
	uint64_t bytes;
	uint64_t streams;
	uint64_t cleared; /* times; what is counted above began at the last */
	/* Events of files that made room, or were removed; in earlier daemons too. */
	uint64_t overwritten;
	const char *error; /* why the trace on disk is not complete; NULL: all is well */
	const char *moved; /* where the trace is now; NULL: in OUTPUT */
};

/* The daemon wants a chunk of the trace to end; or what became of that. */
struct output_session_rotation {
	uint32_t chunk;   /* that begins then */
	const char *name; /* of the one that ends; NULL in an answer */
	bool final;       /* now; else see whether that could be done */
	bool drop_empty;  /* one without a stream does not become a chunk */
	bool dropped;     /* the answer: it did not */
	const char *error;
};

/* A packet that was left out, for no reader could read it. */
struct output_session_broken {
	const char *stream;  /* file name */
	const char *program; /* "" where processes share the ring */
	uint32_t pid;        /* 0: likewise */
	uint32_t uid;
	const char *why; /* the packet, and its first wrong record */
};

/* Objects that all sessions share. They outlive the sessions. */
struct output_session_shared {
	sd_event *loop;
	struct turns turns;
	struct stream_pool pool;
	/* Room to copy a packet that its writer may overwrite. */
	void *copy;
	size_t copy_size;
	struct snapshot snapshot; /* of the ring whose turn it is */
	struct syncer *syncer;    /* NULL: nothing is synced */
	/* Send the daemon what was written. 0 or -errno: it is tried again. */
	int (*report)(struct output_session_shared *shared, const char *session,
		      const struct output_session_written *written);
	/* Answer to a rotation; as report. */
	int (*report_rotation)(struct output_session_shared *shared, const char *session,
			       const struct output_session_rotation *rotation);
	/* Tell of a ring's first packet that was left out; as report. May be NULL. */
	int (*report_broken)(struct output_session_shared *shared, const char *session,
			     const struct output_session_broken *broken);
	void *userdata; /* of all three */
};

/* The daemon's description of a session; copied. */
struct output_session_config {
	const char *output;
	const char *rings;
	const uint8_t *uuid; /* CTF_UUID_SIZE bytes */
	/* Owner of the trace, whose rights it is written with, as far as the consumer can. */
	uid_t owner;
	gid_t group;
	uint32_t chunk;       /* that is being recorded */
	uint64_t overwritten; /* as an earlier consumer told it */
	bool snapshot;        /* read backward over each ring, once */
	uint64_t stream_size; /* of a snapshot, bytes at most; 0: all of it */
	bool kernel;          /* `rings` is a tracefs instance, whose rings go to OUTPUT/kernel */
	/*
	 * -1, or where copies of that instance's sub-buffers go, which cannot be mapped
	 * (common/ring-file/ring-file-pages.h): the daemon keeps them for the next consumer.
	 */
	int pages;
	/*
	 * The output is a spool of what `lttngmap relay` sends: so many bytes may wait
	 * there; 0: it is none.
	 */
	uint64_t spool;
	bool sent;      /* to a collector */
	bool live;      /* it is watched: output_session_tell_live() */
	bool durable;   /* each packet survives the kernel as soon as it is written */
	bool recovered; /* by a daemon that knows of it what another one left, which may be damaged
			 */
};

/*
 * Never fails for want of a usable output: such a session takes no packets,
 * says why, and tries again. NULL: no memory.
 */
struct output_session *output_session_create_for(struct output_session_shared *shared,
						 const char *name,
						 const struct output_session_config *config);
/* Our own. */
struct output_session *output_session_create(struct output_session_shared *shared, const char *name,
					     const char *output, const char *rings,
					     const uint8_t uuid[CTF_UUID_SIZE]);
/* Forgets it, with its channels and rings; NULL is allowed. */
void output_session_destroy(struct output_session *session);

const char *output_session_name(const struct output_session *session);
/* In the list of whoever made it. */
struct cds_list_head *output_session_node(struct output_session *session);
struct output_session *output_session_of_node(struct cds_list_head *node);

/* Like output_channel_create(). 0 or -errno; a channel that exists stays unchanged. */
int output_session_add_channel(struct output_session *session, const char *name, uint32_t stream_id,
			       const struct stream_limits *limits);

/* Watch it no more; one that is not there is left alone. */
void output_session_remove_channel(struct output_session *session, const char *name);
/*
 * Forget what was written, and the packets that are held: all files of the
 * trace go but the metadata, and counting begins anew. Reported at once.
 */
void output_session_clear(struct output_session *session);

/*
 * `memory`, which becomes the session's, holds the metadata of `generation`.
 * It is on disk when a packet that needs it is written. `final`: say so at
 * once, and that all before it was written. A kernel's session says so
 * when all rings were read to their ends: nobody else knows.
 */
void output_session_set_metadata(struct output_session *session, uint64_t generation, int memory,
				 bool final);
/*
 * The same, but `memory` holds the text from `offset` on, where the earlier text ends. Segments
 * that come in a row are written at once, before any ring is read.
 */
void output_session_add_metadata(struct output_session *session, uint64_t generation,
				 uint64_t offset, int memory, bool final);

/* For a kernel's session: `formats` holds the classes of its rings; the caller keeps it. */
void output_session_set_formats(struct output_session *session, int formats);

/*
 * End a chunk of the trace, as trace-chunk.c does, and go on in the next;
 * packets of that one were held so far. Answered when it is done, by
 * report_rotation; what fails is tried again, but for the question whether it
 * could be done.
 */
void output_session_rotate(struct output_session *session,
			   const struct output_session_rotation *rotation);

/*
 * All packets with events up to `time` have been let go, and so are in the indexes, which
 * were written when the turn was over that let them go: note it for who watches
 * (common/protocol/live-time.h). A kernel's rings are read up to it first.
 */
void output_session_tell_live(struct output_session *session, uint64_t time);

/*
 * Is anything recorded? After the stop, the rest of the rings is written even beyond the spool's
 * limit; it is bounded. A session without a spool ignores this.
 */
void output_session_set_recording(struct output_session *session, bool on);

/*
 * Writes the session's sums beside its trace, for readers. Nothing is written to a spool, which is
 * not read, and where the output cannot be written.
 */
void output_session_note_losses(struct output_session *session, const struct losses *losses);

/* Let all rings have a turn, whether they said that they have something or not. */
void output_session_wake(struct output_session *session);

/* ---- for its rings --------------------------------------------------------- */

struct output_session_shared *output_session_shared(const struct output_session *session);
/* Is it a snapshot, and of how many bytes a stream (0: all of it)? */
bool output_session_is_snapshot(const struct output_session *session, uint64_t *stream_size);
bool output_session_is_kernel(const struct output_session *session);
/* Is it watched? *time: what was told last; 0: nothing. */
bool output_session_is_live(const struct output_session *session, uint64_t *time);
/* For a kernel's session: the memory that its sub-buffers are copied to; -1: they are mapped. */
int output_session_pages(const struct output_session *session);
/* For a kernel's session: the known classes. */
const struct kernel_plan *output_session_plan(const struct output_session *session);
/* And: is each ring to be read on now, which was read up to that time? */
bool output_session_is_draining(const struct output_session *session, uint64_t time);
/* One more may have been. */
void output_session_check_drained(struct output_session *session);
/* Are there streams of an earlier consumer's? */
bool output_session_had_streams(const struct output_session *session);
/* A stream of the session's trace; as stream_create(). */
struct stream *output_session_create_stream(struct output_session *session, const char *name,
					    const char *procname, uint32_t stream_id);
/*
 * May the packet be written now: is the trace of its chunk there, and described, and room
 * for it in a spool?
 */
bool output_session_may_write(struct output_session *session, const struct lttngmap_packet *packet);
/* Looks whether the trace was removed: what is written is in no file that anybody finds. */
bool output_session_is_gone(struct output_session *session);
/*
 * Is the packet of another user's process than the trace's, or recovered? Such packets are
 * checked.
 */
bool output_session_is_foreign(const struct output_session *session,
			       const struct lttngmap_packet *packet);
/* Could readers of the trace read the packet? False: *fault says why not. */
bool output_session_is_sound(const struct output_session *session, uint32_t stream_id,
			     const struct lttngmap_packet *packet, const void *body,
			     struct record_fault *fault);
/* People are told. False: the daemon could not be; try again with the next one. */
bool output_session_report_broken(struct output_session *session,
				  const struct output_session_broken *broken);
/* Add to packets, events, overwritten, broken and bytes. */
void output_session_count(struct output_session *session,
			  const struct output_session_written *more);
/*
 * Writing the file `what` (NULL: the folder) failed: no ring of the session
 * goes on before the next try.
 */
void output_session_failed(struct output_session *session, const char *what, int error);
/* Something else than writing failed: let all rings have another turn later. */
void output_session_retry_later(struct output_session *session);

#endif /* CONSUMERD_SESSION_OUTPUT_SESSION_H */
