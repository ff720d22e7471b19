/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * channel.h - a channel of a session: its ring geometry, its event rules, its
 * slot, and the processes in it.
 *
 * Main thread.
 */
#ifndef SESSIOND_SESSION_CHANNEL_H
#define SESSIOND_SESSION_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <urcu/list.h>

#include <lttngmap/abi.h>

#include "common/base/name.h"
#include "sessiond/mediator/run-queue.h"
#include "sessiond/rule/rule-list.h"

struct channel_map;
struct process;
struct session;

/* Maximum number of ended programs whose rings a flight recorder keeps. */
#define CHANNEL_ENDED_MAX 64u

struct channel {
	struct cds_list_head node; /* in the session's list */
	struct session *session;
	uint64_t forgotten; /* ended programs with events that a flight recorder keeps no longer */
	char name[NAME_SESSION_MAX + 1];
	uint32_t stream_id; /* its place in the session */
	uint32_t slot;
	uint64_t life; /* never 0, never again: whose ring sets are whose */
	enum lttngmap_mode mode;
	uint8_t subbuf_shift;
	uint8_t subbufs_shift;
	uint32_t blocking_timeout_ms;
	uint32_t flush_ms; /* what is emitted is read within that time; 0: as sub-buffers fill up */
	uint64_t file_size;      /* bytes of a stream's file at most; 0: no limit */
	uint32_t file_count;     /* files of a stream at most; 0: no limit */
	uint64_t contexts;       /* a bit set of enum lttngmap_context */
	bool shared;             /* a user's processes share rings (user-rings.h) */
	struct channel_map *map; /* rings are a map's tables: channel-map.h; NULL: they are not */
	sd_event_source *flush_timer;
	bool started;
	bool filtered;    /* started, and some of its events have a filter */
	bool slot_used;   /* it was started since it has the slot */
	bool stream_used; /* it was started since it has the stream id */
	struct rule_list rules;
	struct cds_list_head process_channels; /* struct process_channel */
	unsigned long ended;                   /* of them, whose process is gone */
	/* Which ids were decided by the rules as they are: a bit each. */
	uint64_t decided[LTTNGMAP_EVENT_IDS / 64];
	/* Which were described since they are to be decided. */
	uint64_t looked[LTTNGMAP_EVENT_IDS / 64];
	struct run_entry rest; /* queued: ids are left to be decided */
	/* Which match, and are not recorded: there is no room for their text, or for a filter. */
	uint64_t refused[LTTNGMAP_EVENT_IDS / 64];
};

struct channel_config {
	const char *name;
	enum lttngmap_mode mode;
	uint64_t subbuf_size; /* bytes */
	uint64_t subbufs;     /* in rotation, per ring */
	uint32_t blocking_timeout_ms;
	uint32_t flush_ms;   /* 0: not by time */
	uint64_t file_size;  /* 0: no limit; else room for a sub-buffer and a block */
	uint32_t file_count; /* 0: no limit; else file_size has one */
	uint64_t contexts;   /* a bit set of enum lttngmap_context */
	/* A user's processes share rings. Then events tell their process: */
	bool shared;
	/* A map's; the channel takes it, unless this fails. NULL: records. Always shared. */
	struct channel_map *map;
};

/* … by these contexts, without which there is no shared channel. */
#define CHANNEL_SHARED_CONTEXTS                                                                    \
	(UINT64_C(1) << LTTNGMAP_CONTEXT_VPID | UINT64_C(1) << LTTNGMAP_CONTEXT_VTID)

/* A sub-buffer takes at most so many more bytes in a file: for its header and to end a block. */
#define CHANNEL_FILE_BLOCK 4096u
#define CHANNEL_WHY_SIZE 256

/*
 * A new channel of a session that is not active. 0 or -errno; `why` and
 * `hint` then say what is wrong and what would be right.
 */
int channel_create(struct session *session, const struct channel_config *config,
		   struct channel **channel, char why[CHANNEL_WHY_SIZE],
		   char hint[CHANNEL_WHY_SIZE]);
/*
 * Changes the channel to `config`, its name aside; its session is IDLE. Recorded packets
 * stay on disk, of the old kind beside the new ones. A
 * change of contexts gives it a new stream id, if it was started with the old
 * one. Returns like channel_create(); -EBUSY: not all that was recorded is on disk.
 */
int channel_change(struct channel *channel, const struct channel_config *config,
		   char why[CHANNEL_WHY_SIZE], char hint[CHANNEL_WHY_SIZE]);
/* Flush its rings each channel->flush_ms from now on, or no more; channel-flush.c. */
void channel_begin_flushes(struct channel *channel);
void channel_end_flushes(struct channel *channel);
/* Gets the current configuration; the channel owns its name. */
void channel_get_config(const struct channel *channel, struct channel_config *config);
/*
 * Restores a channel as it was when the daemon died. The session's metadata has it already; it is
 * not published, and no process takes part. `saved` has everything but the lists and the session. 0
 * or -errno.
 */
int channel_restore(struct session *session, const struct channel *saved, struct channel **channel);
/*
 * All processes and process channels are there again: go on as its session's state says,
 * between control_pages_begin() and _end().
 */
void channel_resume(struct channel *channel);
/* Stopped. Its rings are withdrawn, its directory goes. */
void channel_destroy(struct channel *channel);

/*
 * Let processes read what it is; whoever sees a bit of it in a word afterwards
 * finds it as it is now.
 */
void channel_publish(struct channel *channel);
/*
 * Handles the undecided classes of the bit set that the rules match. channel_describe_classes()
 * puts them into the session's metadata; `tell` logs filters that do not fit. After the consumer
 * was sent the metadata, channel_switch_classes() turns them on with their filters, and the others
 * off, if the channel is started. No class is turned on before it is described. NULL: all classes,
 * once more.
 *
 * For a session whose owner has limits, either stops when the owner's turn has become long
 * (run-queue.h). The other classes are off, and are handled in the owner's next turns.
 */
void channel_describe_classes(struct channel *channel, const uint64_t *ids, bool tell);
void channel_switch_classes(struct channel *channel, const uint64_t *ids);
/* The rules have changed, or the stream that events are described for. */
void channel_decide_again(struct channel *channel);
/* One more user has the class: if it was refused, it is decided again. */
void channel_try_again(struct channel *channel, uint32_t id);
uint64_t channel_count_refused(const struct channel *channel);
/* Its filters are those of an earlier daemon: they count from now on. */
void channel_adopt_filters(const struct channel *channel);
/* Let a process in, or keep it out, as its session says; the channel is started. */
void channel_admit(struct channel *channel, struct process *process);

/* Publish it, let every process in, turn on what was described. */
void channel_start(struct channel *channel);
/*
 * Stop, in two steps: no event begins any more after the first; the second,
 * after channel_wait_writers(), takes the final positions.
 */
void channel_close(struct channel *channel);
void channel_freeze(struct channel *channel);
/* Wait until no critical section that began before is running, anywhere. */
void channel_wait_writers(void);

/* Frozen, and nothing is left to be read. */
bool channel_is_drained(struct channel *channel);
/*
 * Destroy process channels that are over, of those that one turn of the loop looks at; returns how
 * many are left that have ended. Sets *more if the next turn may find as many.
 */
unsigned int channel_reap(struct channel *channel, bool *more);

#endif /* SESSIOND_SESSION_CHANNEL_H */
