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
#ifndef SESSIOND_SESSION_H
#define SESSIOND_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <urcu/list.h>
#include <urcu/ref.h>

#include "common/name.h"
#include "sessiond/metadata.h"
#include "sessiond/ring-set.h"

struct channel;
struct channel_config;
struct daemon;
struct process;
struct sessions;

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
 * What the consumer says that it has on disk. How many events that are, the
 * rings know better: a packet counts as delivered when the consumer lets it
 * go, which it does when it is written, and a killed one reports no more.
 */
struct session_written {
	uint64_t generation;
	uint64_t packets;
	uint64_t bytes;
	uint64_t streams;
};

struct session;
/*
 * error NULL: the trace is complete. Texts are valid during the call only. The
 * session is IDLE, and may be destroyed from here.
 */
typedef void session_stopped(struct session *session, void *data, const char *error,
			     const char *hint);

struct session {
	struct cds_list_head node;
	struct daemon *daemon;
	char name[NAME_SESSION_MAX + 1];
	char *output;
	char uuid[METADATA_UUID_TEXT_SIZE];
	struct metadata *metadata;
	uint64_t pushed;     /* the state of `metadata` that the consumer was last sent */
	uint64_t generation; /* counts what it was sent, so that no two are the same to it */
	struct session_totals *totals;
	struct cds_list_head channels; /* struct channel */
	uint32_t nr_streams;
	enum session_state state;
	uint64_t processes; /* traced so far */
	struct session_written written;
	struct session_written earlier; /* of it, by consumers that died */
	bool has_consumer;              /* or had one: what is delivered is on disk */
	char *write_error;              /* NULL, or the consumer's last word */
	/* While stopping: whom to tell, and since when nothing moved. */
	session_stopped *stopped;
	void *stopped_data;
	uint64_t progress;
	uint64_t progress_usec;
};

struct session_totals *session_totals_get(struct session_totals *totals);
void session_totals_put(struct session_totals *totals);

int sessions_create(struct daemon *daemon, struct sessions **sessions);
/* All of them go. NULL is allowed. */
void sessions_destroy(struct sessions *sessions);
struct cds_list_head *sessions_list(struct sessions *sessions);
struct session *sessions_find(struct sessions *sessions, const char *name);

/* A new process takes part in all that is started. */
void sessions_join(struct sessions *sessions, struct process *process);
/* New event classes, ids `first` to `end` - 1: match, publish, push metadata. */
void sessions_add_classes(struct sessions *sessions, uint32_t first, uint32_t end);
/* There are rings of processes that are gone: look at them until they are read. */
void sessions_reap_soon(struct sessions *sessions);
/* The started channel that has the slot, or NULL. */
struct channel *sessions_channel_at(struct sessions *sessions, uint32_t slot);

/* 0, -EEXIST or another -errno. */
int session_create(struct sessions *sessions, const char *name, const char *output,
		   struct session **session);
/* IDLE only. */
void session_destroy(struct session *session);
/*
 * A new channel, started at once where the session is. As channel_create().
 */
int session_add_channel(struct session *session, const struct channel_config *config,
			struct channel **channel, char *why, char *hint);
void session_start(struct session *session);
/* ACTIVE only. `stopped` is called once, from here at the earliest; may be NULL. */
void session_stop(struct session *session, session_stopped *stopped, void *data);
/* Whoever gave `data` is not to be told any more. */
void sessions_forget(struct sessions *sessions, const void *data);
bool sessions_stopping(struct sessions *sessions);

/*
 * Record what the rule matches from now on, described to the consumer before
 * any of it is turned on. As rule_list_add().
 */
int session_enable(struct channel *channel, const char *rule, char *why, size_t why_size);
/* Everything about all sessions goes to a new consumer. */
void sessions_push(struct sessions *sessions);
/* What the consumer reports; `error` NULL: nothing is wrong. */
void session_take_written(struct session *session, const struct session_written *written,
			  const char *error);
/* Count a process in the session, once, however many channels it is in. */
void session_count(struct session *session, struct process *process, uint32_t slot);
void session_read_totals(const struct session *session, struct ring_totals *totals);
/* Live processes that take part. */
uint64_t session_alive(const struct session *session);

#endif /* SESSIOND_SESSION_H */
