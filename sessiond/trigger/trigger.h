/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * trigger.h - when a condition comes true, actions are done (doc/design/triggers.md).
 *
 * A trigger is a session whose `trigger` is not NULL. One on events has one channel, a map whose
 * events ring a bell. Any other looks at what the daemon counts in any case.
 *
 * A round is one time that the actions are done, for one event or for all that came since the
 * round before.
 *
 *   READY --true--> round begins: actions --all done--> READY, or MUTED by --every and --times
 *
 * Main thread.
 */
#ifndef SESSIOND_TRIGGER_TRIGGER_H
#define SESSIOND_TRIGGER_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>
#include <systemd/sd-event.h>
#include <urcu/list.h>

#include <lttngmap/abi.h>

#include "common/base/name.h"
#include "sessiond/session/channel-map.h"

struct daemon;
struct session;

#define TRIGGER_ACTIONS_MAX 8u
/* Rounds that are kept for who asks later, and values that are kept of each. */
#define TRIGGER_ROUNDS_KEPT 16u
#define TRIGGER_VALUES_KEPT 16u
#define TRIGGER_TEXT_MAX 160u
#define TRIGGER_EVERY_MAX_MS UINT64_C(31536000000)

enum trigger_condition {
	TRIGGER_EVENT,
	TRIGGER_LOST,    /* events of a session; as the next, more than `above` since the last */
	TRIGGER_BYTES,   /* that a session's consumer wrote */
	TRIGGER_ROTATED, /* chunks that a session completed */
	TRIGGER_FILL,    /* percent of the fullest ring of a session that are not read */
	TRIGGER_COUNT,   /* events that a map counted */
	TRIGGER_CONDITIONS,
};

enum trigger_action_kind {
	TRIGGER_NOTIFY,
	TRIGGER_START,
	TRIGGER_STOP,
	TRIGGER_ROTATE,
	TRIGGER_SNAPSHOT,
	TRIGGER_ACTION_KINDS,
};

struct trigger_action {
	enum trigger_action_kind kind;
	char session[NAME_SESSION_MAX + 16]; /* as the owner names it; "": notify */
	void *actor;                         /* that does it: control-act.c's; freed with free() */
};

struct trigger_config {
	enum trigger_condition condition;
	char of[NAME_SESSION_MAX + 16]; /* session or map, as the owner names it; "": events */
	uint64_t above;
	uint64_t times;    /* rounds at most; 0: no limit */
	uint64_t every_ms; /* one round in so long at most; 0: no limit */
	struct trigger_action actions[TRIGGER_ACTIONS_MAX];
	uint32_t nr_actions;
};

struct trigger_value {
	uint64_t key;    /* a number, or the hash of the text */
	uint64_t events; /* with that value */
	bool has_text;
	uint8_t text[LTTNGMAP_MAP_TEXT_SIZE];
};

struct trigger_round {
	uint64_t number;  /* from 1; 0: none */
	uint64_t events;  /* for which it was; else 0 */
	uint64_t value;   /* of the condition; else 0 */
	uint64_t time_ms; /* since 1970 */
	uint64_t others;  /* events whose values are not among these: */
	uint32_t nr_values;
	struct trigger_value values[TRIGGER_VALUES_KEPT];
};

struct trigger;

/* The verb of control.sock that does it; TRIGGER_NOTIFY has none. */
const char *trigger_action_name(enum trigger_action_kind kind);
/*
 * Reads the members "on", "above", "times", "every_ms" and "do" of a request
 * (common/protocol/protocol-control.h). NULL, or what is wrong.
 */
const char *trigger_config_read(struct json_object *object, struct trigger_config *config);
/* Adds these members. */
void trigger_config_write(const struct trigger_config *config, struct json_object *object);

/* 0 or -ENOMEM. For session_config.trigger. */
int trigger_create(const struct trigger_config *config, struct trigger **trigger);
/* Nobody waits for it. NULL is allowed. */
void trigger_destroy(struct trigger *trigger);
const struct trigger_config *trigger_config(const struct trigger *trigger);

/* The session is made, and has its channel: it looks at its condition from now on. 0 or -errno. */
int trigger_begin(struct session *session);
/* An action is done; `error` NULL: well. Also from within daemon->act_for_trigger(). */
void trigger_acted(struct session *session, const char *error);

/* Events for which it is, or was, so far; those that came while it was muted are not counted. */
uint64_t trigger_events(const struct session *session);
/* The round of that number; NULL: it is not kept. */
const struct trigger_round *trigger_round(const struct trigger *trigger, uint64_t number);
/* Monotonic time, usec, until which it is muted; 0: it is not; UINT64_MAX: for ever. */
uint64_t trigger_muted_until(const struct trigger *trigger);
/* Are actions of its last round still to be done? */
bool trigger_is_busy(const struct trigger *trigger);
/* Why the last action failed; NULL: none has. */
const char *trigger_problem(const struct trigger *trigger);

/*
 * Called once, with its `data`, when a round has begun, whose actions may not be done yet; or when
 * the trigger is removed.
 */
typedef void trigger_told(struct session *session, void *data, bool is_removed);
/* 0 or -ENOMEM. */
int trigger_wait(struct session *session, trigger_told *told, void *data);
extern const struct session_trigger_ops trigger_ops;

/* Outlives the daemon, beside its record and ring sets. */
struct trigger_kept {
	uint64_t muted_until;
	uint64_t events_before; /* daemons that ended in order */
	uint64_t events;        /* so far, for the next daemon after one that ends in order */
};
void trigger_keep(const struct session *session, struct trigger_kept *kept);
void trigger_take(struct session *session, const struct trigger_kept *kept);

/* Listens to the doorbells of triggers. 0 or -errno. */
int triggers_create(struct daemon *daemon);
/*
 * After a restart, with all rings there: goes on with each trigger, and finds out which rounds were
 * missed.
 */
void triggers_resume(struct daemon *daemon);

#endif /* SESSIOND_TRIGGER_TRIGGER_H */
