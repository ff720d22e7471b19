/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * follow.h - one trace's folder, while it is written or afterwards: its streams, the
 * packets that their indexes name, and how far each of them was sent for good.
 *
 * How far is on disk, for each collector: in .relayed-COLLECTOR (relay_url_key()). The sender may
 * be killed at any moment; packets that the collector has confirmed are not sent again. In a
 * spool, its writer uses the room of that again, or it is given back to the file system: a hole
 * takes its place (common/protocol/relay-journal.h). So a spool has one journal, .relayed, whoever
 * got it: nobody else can have it any more.
 *
 * All return 0 or -errno unless said otherwise. One thread.
 */
#ifndef RELAY_FOLLOW_H
#define RELAY_FOLLOW_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <urcu/list.h>

#include "common/protocol/ctf.h"
#include "common/base/time.h"
#include "relay/metadata.h"

struct follow_stream {
	struct cds_list_head node;  /* in the trace's */
	struct cds_list_head due;   /* in the trace's, where `is_due` */
	struct cds_list_head open;  /* in the trace's, where `is_open` */
	struct cds_list_head ended; /* in the trace's, where `is_ended`, and not `is_closed` */
	bool is_due;                /* there may be packets that were not sent */
	bool is_open;               /* packets were sent that are not confirmed */
	bool is_added;              /* the collector knows it, as `handle` */
	uint64_t handle;
	uint64_t first;     /* packet that has the sequence number 0 on this connection */
	uint64_t sent;      /* packets, from the first of the file on */
	uint64_t confirmed; /* likewise */
	uint64_t bytes;     /* sent and not confirmed */
	uint64_t had;       /* bytes of what is confirmed */
	uint64_t last;      /* offset of the packet sent last of those behind the circle */
	uint64_t class_id;  /* its stream class */
	uint64_t end;       /* time of the packet sent last */
	uint64_t number;    /* its own sequence number */
	uint64_t held;      /* when a packet beyond the horizon begins; UINT64_MAX: there is none */
	uint64_t hole;      /* offset up to which there is one, from the circle's end on */
	uint64_t inode;     /* of the index that this is about; 0: not known yet */
	uint64_t slot;      /* in .relayed, from 1; 0: none yet */
	bool is_broken;     /* said so: it is left alone, and was not sent whole */
	bool is_ended;      /* its writer says that nothing more comes */
	bool is_closed;     /* at the collector, which must not hear of it again */
	uint64_t quiet;     /* of one that has ended: since when, time_now_usec(); 0: not yet */
	/* `sent`, `bytes` and `last` of before, about which the collector is asked. */
	struct {
		uint64_t sent, bytes, last;
		uint64_t time; /* time_now_usec(); 0: long before the question */
	} mark;
	char name[];
};

/* The stream by which viewers hear of others: relay-anchor.c. */
struct follow_anchor {
	bool is_added;
	uint64_t handle;
	uint64_t class_id;
	uint64_t packets; /* sent */
	uint64_t time;    /* of the last, or the beacon after that */
};

struct follow {
	struct cds_list_head node; /* its owner's */
	struct cds_list_head streams, due, open, ended;
	void *by_name; /* tree of tsearch(3) */
	int dir, index, journal;
	int other; /* the other journal: a spool's, locked, so that nothing goes; or -1 */
	int watch_dir, watch_index; /* of inotify; -1: none */
	uint64_t nr_slots;
	uint64_t *free_slots; /* of the journal */
	size_t nr_free;
	int ended_file;      /* common/protocol/ended-streams.h; -1: there is none yet */
	uint64_t ended_at;   /* how far that was read */
	uint64_t ended_hole; /* how far it is a hole */
	int ended_trouble;   /* -errno as last said */
	unsigned nr_broken;  /* streams that cannot be sent whole */
	bool is_spool;
	/* The metadata that was sent, and of which file. */
	struct relay_metadata sent;
	struct stat metadata;
	uint64_t metadata_handle, metadata_version;
	bool has_metadata_stream;
	bool is_described; /* all that its packets need was sent */
	/* Packets up to that time of its clock are sent; relay-live.c moves it. */
	uint64_t horizon;
	uint64_t told;      /* up to then all is there, as its writer said last */
	bool is_pressed;    /* it makes room first: all that there is is sent */
	bool has_news;      /* it is to be looked whether it can be moved */
	bool is_beacon_due; /* it was moved, and viewers do not know */
	bool has_unseen;    /* streams were added that viewers cannot see yet */
	struct follow_anchor anchor;
	uint64_t chunk; /* the collector's number */
	bool is_final;  /* nothing more is written to it */
	char name[24];  /* ust, kernel or kernel-N: its folder at the collector */
};

/* Packets that are read at a time. */
#define FOLLOW_ENTRIES 64

/*
 * OUTPUT/PATH, with all its streams due; watched by the inotify `watch`. `collector`: as
 * relay_url_key() calls it. -EBUSY: it is being sent there, or is a spool that is.
 */
int follow_open(int output, const char *path, const char *name, const char *collector,
		bool is_spool, int watch, struct follow **follow);
/* NULL is allowed. */
void follow_close(struct follow *follow, int watch);
/* All streams that there are, are due. */
int follow_scan(struct follow *follow);
/* Those with something beyond the horizon are due, since it was moved. */
void follow_rouse(struct follow *follow);
/* NULL: there is none of that name. */
struct follow_stream *follow_find(const struct follow *follow, const char *name);
/* It is no more, here and in the journal. */
void follow_forget(struct follow *follow, struct follow_stream *stream);
/* That stream's index file has changed, or is new. */
int follow_touch(struct follow *follow, const char *index_name);
/* The connection is a new one: what is not confirmed is due. */
void follow_restart(struct follow *follow);

/*
 * Its files, to be closed by the caller. -ESTALE: these are others than were sent from, as
 * after a clear: it begins anew, and the connection is to do so, too.
 */
int follow_open_stream(const struct follow *follow, struct follow_stream *stream, int *stream_fd,
		       int *index_fd);
/* Entries from packet `stream->sent` on, up to the horizon: how many, 0 none; or -errno. */
int follow_read(const struct follow *follow, struct follow_stream *stream, int index_fd,
		struct ctf_index_entry entries[FOLLOW_ENTRIES]);
/* From `now` on it is asked whether it has what was sent so far. */
void follow_mark(struct follow *follow, struct follow_stream *stream, uint64_t now);
/* Moves the marks of all streams to what was sent so far; the collector was not asked yet. */
void follow_mark_sent(struct follow *follow);
/*
 * The collector has what is marked; what was sent since is marked next. *bytes: of packets,
 * that it has now.
 */
int follow_confirm(struct follow *follow, struct follow_stream *stream, uint64_t now,
		   uint64_t *bytes);
/* Has all that stands in the files been confirmed? */
bool follow_is_confirmed(struct follow *follow);
/* Reads the writer's note: the time up to which all data is there. */
void follow_read_live(struct follow *follow);
/*
 * follow-ended.c. Which streams have ended since: they are in the list, until they are taken off
 * it.
 */
int follow_read_ended(struct follow *follow);
/* Has all of it been sent and confirmed, whatever came by now? */
bool follow_is_whole(const struct follow *follow, const struct follow_stream *stream);
/*
 * It is closed at the collector, and its writer needs it no more: of a spool, its files go, and the
 * stream is no more. *bytes: that went.
 */
void follow_remove(struct follow *follow, struct follow_stream *stream, uint64_t *bytes);
/* Forgets which streams ended, so that they are not read again. */
void follow_forget_ended(struct follow *follow);
/* The text of its metadata, the caller's to free; -EALREADY: what was sent. */
int follow_read_metadata(struct follow *follow, char **text, size_t *size);
/* Does nobody write to it, as far as can be told? */
bool follow_is_abandoned(const struct follow *follow);
/* Bytes of packets that its collector has, as its journal says. */
uint64_t follow_confirmed(const struct follow *follow);

#endif /* RELAY_FOLLOW_H */
