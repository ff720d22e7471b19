/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session.h - sessions: channels that start and stop together and make one
 * trace.
 *
 *   IDLE --start--> ACTIVE --stop--> DRAINING --all read--> FINISHING
 *     ^                                                         |
 *     +---- the consumer has written the last metadata ---------+
 *
 * Without a consumer there is nothing to wait for: DRAINING and FINISHING end
 * at once.
 *
 * Main thread, but for the totals, which ring sets count up in any thread.
 */
#ifndef SESSIOND_SESSION_SESSION_H
#define SESSIOND_SESSION_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>
#include <urcu/list.h>
#include <urcu/ref.h>

#include "common/base/name.h"
#include "sessiond/class/metadata.h"
#include "sessiond/ring/ring-set.h"
#include "sessiond/rule/rule-list.h"
#include "sessiond/session/tracker.h"

struct channel;
struct channel_config;
struct consumer_link;
struct consumer_ops;
struct daemon;
struct kernel_domain;
struct process;
struct quota_user;
struct saved_session;
struct sessions;
struct trigger;

enum session_state {
	SESSION_IDLE,
	SESSION_ACTIVE,
	SESSION_DRAINING,
	SESSION_FINISHING,
};

/* Held by the session and by each ring set that counts into it. */
struct session_totals {
	struct urcu_ref references;
	struct ring_totals rings;
};

/*
 * The consumer's report of the data on disk. The rings know the number of events better: a packet
 * counts as delivered when the consumer releases it, which happens after the write. A killed
 * consumer reports no more.
 */
struct session_written {
	uint64_t generation;
	uint64_t packets;
	uint64_t bytes;
	uint64_t streams;
	uint64_t overwritten; /* events of files that made room; of all consumers */
	uint64_t broken;      /* events of packets that were left out */
	uint64_t events;      /* of a snapshot; else see above */
	uint64_t on_disk;     /* events, of all consumers: what was written and is not released */
};

/* The same, of a session's kernel domain. */
struct kernel_written {
	uint64_t generation;
	uint64_t packets;
	uint64_t events;
	uint64_t discarded;
	uint64_t bytes;
	uint64_t streams;
};

/*
 *   NONE --session_rotate--> PREPARING --the consumer has made room--> DRAINING
 *     ^                                                                   |
 *     +--- the consumer has moved the chunk --- MOVING <--all are read----+
 */
enum rotation_state {
	ROTATION_NONE,
	ROTATION_PREPARING,
	ROTATION_DRAINING, /* rings are read up to where they were */
	ROTATION_MOVING,
};

/* "BEGIN-END-ID", times as 20261121T072001+0000 */
#define ROTATION_NAME_SIZE 64

struct session;
/*
 * Suffix of the name by which the consumer knows a session's kernel domain: KEY/kernel. A key has
 * no slash.
 */
#define SESSION_KERNEL_SUFFIX "/kernel"

/*
 * error NULL: the trace is complete. Texts are valid during the call only. The
 * session is IDLE, and may be destroyed from here.
 */
typedef void session_stopped(struct session *session, void *data, const char *error,
			     const char *hint);

struct session {
	struct cds_list_head node;
	struct daemon *daemon;
	char name[NAME_SESSION_MAX + 1]; /* as its owner has it */
	/* The session's name in directories and to the consumer, unique among all users. */
	char key[NAME_SESSION_MAX + 1];
	uint32_t owner;          /* uid */
	uint32_t group;          /* the owner's gid: of what is written */
	bool is_flight_recorder; /* a flight recorder */
	bool is_map;             /* a map (channel-map.h): of its own names, without a trace */
	struct trigger *trigger; /* a trigger (trigger.h), which is also a map; or NULL */
	bool is_current;         /* its owner means it where no session is named */
	struct trackers trackers;
	char *output;
	char *url; /* of a collector that the trace is sent to; NULL: none */
	/*
	 * Bytes that may wait in `output` for the collector; 0: `output` is the trace's own folder.
	 * A flight recorder's snapshot waits there whole, whatever its size.
	 */
	uint64_t spool;
	char uuid[METADATA_UUID_TEXT_SIZE];
	struct metadata *metadata;
	uint64_t pushed; /* the state of `metadata` that the consumer was last sent, or is next */
	struct metadata_sent sent;    /* what of it the consumer has */
	bool metadata_waits;          /* until the consumer has read what else it was told */
	struct saved_session *record; /* what outlives the daemon, beside the text */
	struct session_totals *totals;
	struct cds_list_head channels; /* struct channel */
	struct kernel_domain *kernel;  /* NULL: it has none */
	/* One that could not be restored, for the next daemon; or NULL. */
	struct json_object *kernel_kept;
	struct consumer_link *consumer; /* NULL: it has none */
	uint32_t nr_streams;
	enum session_state state;
	uint64_t processes; /* traced so far */
	struct session_written written;
	struct session_written earlier; /* of it, by consumers that died */
	bool has_consumer;              /* or had one: what is delivered is on disk */
	char *write_error;              /* NULL, or the consumer's last word */
	char *moved;                    /* NULL, or where the consumer says that the trace is now */
	/* Forgetting what was recorded; see session-clear.c. */
	struct {
		bool pending;
		uint64_t asked; /* of the consumer that there is now, so often */
		uint64_t since_usec;
		session_stopped *done;
		void *data;
	} clear;
	/* Chunks of the trace; see session-rotate.c. */
	struct {
		enum rotation_state state;
		uint32_t chunk;                /* that packets belong into, from 0 */
		char name[ROTATION_NAME_SIZE]; /* of the one that is completed, or was last */
		int64_t begin;                 /* of the one that is recorded: time of day, s */
		bool has_begun;                /* it was started since the last chunk */
		bool is_automatic;
		uint64_t completed;    /* chunks */
		uint64_t before_clear; /* of them, before the last clear: not in `written` */
		session_stopped *done;
		void *data;
		uint64_t progress;
		uint64_t progress_usec;
		uint64_t woken_usec;
		/* By itself; 0: not by that. */
		uint64_t period_ms;
		uint64_t size;
		uint64_t size_before; /* bytes written before this chunk */
		sd_event_source *timer;
	} rotation;
	/* A clock that did not go on while the machine slept; see session-clock.c. */
	struct {
		bool is_held;
		struct clock_description held; /* of the chunk from before that */
		bool rotate;                   /* as soon as that can be */
	} clock;
	/* Watched while it is recorded; see session-live.c. Times are of the events' clock. */
	struct {
		uint64_t period_ms; /* 0: it is not */
		bool is_reading;    /* a round is under way */
		uint64_t marked;    /* when the last round began; 0: there was none */
		uint64_t before;    /* when the one before that did */
		uint64_t woken_usec;
		sd_event_source *timer;
	} live;
	/* The snapshot that is being taken, or was last; see session-snapshot.c. */
	struct {
		bool active;
		bool is_told;    /* the consumer knows of it; false: it waits for one */
		bool finishing;  /* all rings were read */
		bool is_default; /* in the session's own output */
		uint32_t count;
		char path[PATH_MAX];
		uint64_t stream_size; /* bytes of a stream at most; 0: all of it */
		uint64_t least;       /* bytes in which each stream has room for a sub-buffer */
		/* Events of the rings when it began. */
		uint64_t written;
		uint64_t discarded;
		session_stopped *done;
		void *data;
		uint64_t progress;
		uint64_t progress_usec;
	} snapshot;
	bool is_ending;     /* it is to be destroyed when it has stopped */
	bool is_taken_over; /* it was the daemon's before */
	bool goes_on;       /* only the daemon ends: the next one starts it again */
	/* While stopping: whom to tell, and since when nothing moved. */
	session_stopped *stopped;
	void *stopped_data;
	uint64_t progress;
	uint64_t progress_usec;
};

/*
 * Functions of kernel-domain.h that sessions call. NULL as the domain is allowed: the session has
 * no kernel domain.
 */
struct session_kernel_ops {
	void (*start)(struct kernel_domain *domain);
	/* Events that are being recorded still arrive, until channel_wait_writers(). */
	void (*stop)(struct kernel_domain *domain);
	/* All is recorded: the consumer is to read it, and to report that. */
	void (*finish)(struct kernel_domain *domain);
	bool (*is_finished)(const struct kernel_domain *domain);
	/* A number that changes with anything that the consumer does. */
	uint64_t (*progress)(const struct kernel_domain *domain);
	const char *(*write_error)(const struct kernel_domain *domain);
	/* Sends everything to a new consumer. */
	void (*push)(struct kernel_domain *domain);
	void (*send_live)(const struct kernel_domain *domain, uint64_t time);
	/* Number of events lost. */
	uint64_t (*lost)(const struct kernel_domain *domain);
	/* Takes the consumer's report; `error` NULL: no error. */
	void (*take_written)(struct kernel_domain *domain, const struct kernel_written *written,
			     const char *error);
	/* Drops the calls that were asked for with `data`. */
	void (*forget)(struct kernel_domain *domain, const void *data);
	void (*destroy)(struct kernel_domain *domain);
	struct json_object *(*save)(const struct session *session);
	void (*restore)(struct session *session, struct json_object *saved);
};

/* Functions of trigger.h that sessions call, where `trigger` is not NULL. */
struct session_trigger_ops {
	/* Drops the calls that were asked for with `data`. */
	void (*forget)(struct session *session, const void *data);
	/* The session ends: sets `trigger` to NULL. */
	void (*end)(struct session *session);
};

/* Functions that the consumers of sessions call: for consumers_create(). */
extern const struct consumer_ops session_consumer_ops;

struct session_totals *session_totals_get(struct session_totals *totals);
void session_totals_put(struct session_totals *totals);

int sessions_create(struct daemon *daemon, struct sessions **sessions);
/* All of them go. NULL is allowed. */
void sessions_destroy(struct sessions *sessions);
struct cds_list_head *sessions_list(struct sessions *sessions);
/*
 * The session that user `uid` calls so: NAME is one of its own, UID/NAME that
 * user's. NULL: there is none, or none that it may see.
 */
struct session *sessions_find(struct sessions *sessions, const char *name, uint32_t uid);
/* The same of a map. */
struct session *sessions_find_map(struct sessions *sessions, const char *name, uint32_t uid);
struct session *sessions_find_trigger(struct sessions *sessions, const char *name, uint32_t uid);
struct session *sessions_find_key(struct sessions *sessions, const char *key);
/*
 * Makes the new session's key, unique among all users: two users may give their sessions the same
 * name. 0, or -EEXIST: the owner has a session of that name.
 */
int session_make_key(struct session *session);
/* May that user touch and see it? */
bool session_is_for(const struct session *session, uint32_t uid);
/*
 * The session's name for that user: NAME, or UID/NAME in `name`, which has NAME_SESSION_MAX + 16
 * bytes.
 */
const char *session_name_for(const struct session *session, uint32_t uid, char *name, size_t size);
/* Does the process take part in it: by its owner, by the trackers? */
bool session_takes(const struct session *session, const struct process *process);
/*
 * May it take a process of that user's? By its owner, and its trackers of user ids. Not by other
 * trackers: a process that was forked, and has not registered yet, has the classes of one that they
 * need not take. Root's session takes root's classes: the child may have become another user.
 */
bool session_takes_user(const struct session *session, const struct quota_user *user);
/* The trackers changed: all processes are looked at again. */
void session_retrack(struct session *session);

/* A new process takes part in all that is started. */
void sessions_join(struct sessions *sessions, struct process *process);
/*
 * Values of the clock from now on have another description than those `before`.
 * `reset`: it went back, from no later value than this; 0: it did not.
 */
void sessions_break_clock(struct sessions *sessions, const struct clock_description *before,
			  uint64_t reset);
/*
 * A process of the user has registered these classes: in each session that takes the user,
 * what the rules match is described to the consumer, then turned on. Costs a
 * look at each id, and a decision only for those that are new to the session, or that it refused
 * while this user did not have them: this user may have room.
 */
void sessions_add_classes(struct sessions *sessions, struct quota_user *user, const uint16_t *ids,
			  uint32_t nr_ids);
/* A bit for each id of a class that a user has registered whom the session takes. */
void session_list_classes(const struct session *session, uint64_t ids[LTTNGMAP_EVENT_IDS / 64]);
/* The bit set of ids that are described for a stream (saved-state.h). */
uint64_t *session_described(const struct session *session, uint32_t stream_id);
/* There are rings of processes that are gone: look at them until they are read. */
void sessions_reap_soon(struct sessions *sessions);
/* The started channel that has the slot, or NULL. */
struct channel *sessions_channel_at(struct sessions *sessions, uint32_t slot);

struct session_config {
	const char *name; /* copied, as is the next */
	const char *output;
	const char *url; /* copied, or NULL */
	uint64_t spool;
	uint64_t live_ms; /* see session-live.c */
	uint32_t owner;
	uint32_t group;
	bool is_flight_recorder;
	bool is_map;
	struct trigger *trigger; /* taken, unless this fails; then is_map is set */
	/* After a restart of the daemon; all zeros: a session that never was. */
	struct {
		const char *key;
		const char *uuid;
		uint64_t created; /* ns since 1970 */
		uint32_t record;  /* its index */
		/* The clock described to live viewers; its frequency is 0 if there are none. */
		struct clock_description clock;
	} again;
};

/* Makes it the current one of its owner's sessions. */
void session_choose(struct session *session);
/* Chooses the session that it makes. 0, -EEXIST or another -errno. */
int session_create(struct sessions *sessions, const struct session_config *config,
		   struct session **session);
/* IDLE only. */
void session_destroy(struct session *session);
/*
 * Adds a channel, and starts it if the session is started. Returns like channel_create().
 */
int session_add_channel(struct session *session, const struct channel_config *config,
			struct channel **channel, char *why, char *hint);
/* Changes a channel of an IDLE session. Like channel_change(). */
int session_change_channel(struct channel *channel, const struct channel_config *config, char *why,
			   char *hint);
/* Removes a channel of an IDLE session. */
void session_remove_channel(struct channel *channel);
/* The channel of a map. */
#define SESSION_MAP_CHANNEL "map"
/*
 * The map's channel, started anew with empty tables, in place of the one before. Returns like
 * channel_create(); then the one before goes on.
 */
int session_replace_map(struct channel *before, struct channel **channel, char *why, char *hint);
void session_start(struct session *session);
/*
 * After a restart of the daemon, with all that there was made again: go on as
 * each session's state says. One that was being stopped goes on with that.
 */
void sessions_resume(struct sessions *sessions);
/* ACTIVE only. `stopped` is called once, from here at the earliest; may be NULL. */
void session_stop(struct session *session, session_stopped *stopped, void *data);
/* One that is being stopped, and nobody waits for it. 0 or -EBUSY. */
int session_await_stop(struct session *session, session_stopped *stopped, void *data);
/* Drops the calls that were asked for with `data`, by either function. */
void sessions_forget(struct sessions *sessions, const void *data);
/* Is any of them being stopped, and not given up? */
bool sessions_stopping(struct sessions *sessions);
/*
 * True if the output has not answered for so long that nobody waits for it any more. Operations
 * under way go on by themselves when it answers. Never true in a private daemon, which ends next.
 */
bool session_is_given_up(const struct session *session);
#define SESSION_GIVEN_UP "its output does not answer, and not all was written"
#define SESSION_GIVEN_UP_HINT "the rest is written when it answers"

/*
 * Forget what was recorded so far, on disk and in the rings; IDLE or ACTIVE,
 * and not while it is being done. `cleared` is called once, later, unless this
 * fails: 0 or -ENOMEM.
 */
int session_clear(struct session *session, session_stopped *cleared, void *data);
bool session_is_clearing(const struct session *session);
/* Ask the consumer for it, also a new one. */
void session_push_clear(struct session *session);
void session_step_clear(struct session *session, uint64_t now);
/*
 * The consumer has cut its files so often. False: what it reports is from
 * before the last clear.
 */
bool session_take_cleared(struct session *session, uint64_t cleared, const char *error);

/*
 * Complete what is recorded so far as a chunk, in session_chunk_path(). ACTIVE
 * only, with a consumer, neither rotating nor clearing. `rotated` is called
 * once, later; may be NULL.
 */
void session_rotate(struct session *session, session_stopped *rotated, void *data);
/* The path of the chunk that is being completed, or was completed last. */
void session_chunk_path(const struct session *session, char path[PATH_MAX]);
bool session_is_rotating(const struct session *session);
/* Rotate by itself from now on; 0: not by that. 0 or -errno. */
int session_rotate_regularly(struct session *session, uint64_t period_ms, uint64_t size);
/* More is on disk: is that enough for a chunk? */
void session_check_size(struct session *session);
/* Rotate by itself, as soon as that can be, where the clock was broken. */
void session_split(struct session *session);
/* Ask the consumer for it, also a new one. */
void session_push_rotation(struct session *session);
/* The chunk that the consumer is in. */
uint32_t session_chunk_on_disk(const struct session *session);
/* Takes the consumer's answer; `error` NULL: success. */
void session_take_rotated(struct session *session, uint32_t chunk, bool final, bool dropped,
			  const char *error);
void session_step_rotation(struct session *session, uint64_t now);
/* After a restart of the daemon, with all rings there again. */
void session_resume_rotation(struct session *session);
/* The session ends: it is not waited for any more. */
void session_stop_rotation(struct session *session);

/* Is up to which time all is on disk told of, while it is recorded? */
bool session_is_live(const struct session *session);
/* From now on, where it is. 0 or -errno. */
int session_begin_live(struct session *session);
/* Is a round still under way? */
bool session_step_live(struct session *session, uint64_t now);
void session_end_live(struct session *session);
/* It has stopped, and all is on disk: that is told at once. */
void session_tell_live(struct session *session);

/*
 * Records the events that the rule matches from now on; the consumer has their description before
 * any of them is turned on. Returns like rule_list_add(); -EINVAL, -E2BIG also if its
 * filter is wrong for a class that is known now, or too long beside those of
 * the other rules for it.
 */
int session_enable(struct channel *channel, const struct rule_config *config,
		   struct rule_entry **entry, struct rule_problem *problem);
/* Logs which classes of the bit set, added after the rules, a filter does not fit. */
void session_tell_unfit(const struct channel *channel, const uint64_t *ids);
/*
 * Write what a flight recorder holds to `output`, or to a new folder in the
 * session's (NULL); of each ring the newest, `max_size` bytes of all together
 * (0: all that there is). `done` is called once, later; with an error also where
 * a trace lies there.
 */
void session_take_snapshot(struct session *session, const char *output, uint64_t max_size,
			   session_stopped *done, void *data);
bool session_is_taking_snapshot(const struct session *session);
void session_step_snapshot(struct session *session, uint64_t now);
/*
 * A consumer has connected: a snapshot that waited for it begins; one that the consumer before was
 * told of is given up.
 */
void session_resume_snapshot(struct session *session);
/* It is given up. */
void session_stop_snapshot(struct session *session, const char *why);
/* Send its metadata; `final`: for the last time. */
void session_push_snapshot(struct session *session, bool final);
/* When it returns, nothing more is recorded by the rule alone. It may be removed. */
void session_disable(struct channel *channel, struct rule_entry *entry, bool remove);
/*
 * Whether the channel's rules count. When it returns, a disabled channel records nothing more; the
 * rules stay as they are, for when it is enabled.
 */
void session_set_channel_enabled(struct channel *channel, bool enabled);
/* Disables it likewise, but for events that are being written right now. Waits for nothing. */
void session_mute_channel(struct channel *channel);
/* The metadata to the consumer, where it changed. */
void session_push_metadata(struct session *session);
/* Everything about its sessions goes to a new consumer. */
void sessions_push(struct sessions *sessions, struct consumer_link *consumer);
/* `written` is different from what it was: the restarted daemon is to know. */
void session_note_written(struct session *session);
/* Takes the consumer's report; `error` NULL: no error. */
void session_take_written(struct session *session, const struct session_written *written,
			  uint64_t cleared, const char *error, const char *moved);
/* The consumer's last error that it has not withdrawn, for people. NULL: none. */
const char *session_trouble(const struct session *session);
/* A packet that the consumer left out, for no reader could read it: people are told. */
struct session_broken {
	const char *stream, *program, *why;
	uint32_t pid; /* 0: processes share the ring */
	uint32_t uid;
};
void session_take_broken(const struct session *session, const struct session_broken *broken);
/* Takes the consumer's report about the session's kernel domain, which exists. */
void session_take_kernel_written(struct session *session, const struct kernel_written *written,
				 const char *error);
/* Anything that the consumer does shows in here. */
uint64_t session_progress(const struct session *session);
/* Send the consumer metadata that says the clock's frequency of now. */
void session_push_clock(struct session *session);
/* Count a process in the session, once, however many channels it is in. */
void session_count(struct session *session, struct process *process, uint32_t slot);
/* Its registration came to nothing, or it has another program that is not traced. */
void session_uncount(struct session *session, struct process *process);
/* The same of one that has ended, which was counted by these slots. */
void session_uncount_ended(struct session *session, uint64_t counted);
/*
 * The slots whose sessions counted the process when it was registered with the daemon before:
 * it is counted once.
 */
uint64_t sessions_counted_before(const struct daemon *daemon, const struct process *process);
/* At rings that nobody reads: their counts, for the totals. */
void session_look(struct session *session);
/* The counts that ring_totals_read() gives. */
void session_read_totals(const struct session *session, struct ring_totals *totals);
/* Live processes that take part. */
uint64_t session_alive(const struct session *session);

#endif /* SESSIOND_SESSION_SESSION_H */
