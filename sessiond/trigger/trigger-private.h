/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* trigger-private.h - what the files of trigger.h share. Main thread. */
#ifndef SESSIOND_TRIGGER_TRIGGER_PRIVATE_H
#define SESSIOND_TRIGGER_TRIGGER_PRIVATE_H

#include "sessiond/trigger/trigger.h"

/* A user's tables, as they were last looked at. */
struct trigger_seen {
	uint64_t set; /* id of the ring set */
	struct map_counts counts;
};

struct trigger {
	struct trigger_config config;
	sd_event_source *timer; /* NULL: trigger_begin() was not called yet */
	uint32_t busy;          /* actions that are not done yet */
	bool look_at_all;       /* at all tables, whoever rang */
	uint64_t muted_until;   /* usec; 0: not, UINT64_MAX: for ever */
	uint64_t next_usec;     /* no round before then */
	uint64_t events_before; /* by daemons that ended in order */
	bool is_full;           /* of TRIGGER_FILL: it was so when it was looked at last */
	struct cds_list_head waiters;
	struct trigger_seen *seen; /* of each ring set */
	uint32_t nr_seen;
	char problem[256];
	struct trigger_round kept[TRIGGER_ROUNDS_KEPT]; /* by number */
};

/*
 * Is the condition true? Fills the round's events, values and value. Events that are found are
 * noted. `all`: at all tables, also of users that did not ring.
 */
bool trigger_look(struct session *session, bool all, struct trigger_round *round);
/* Notes the value of now: only what comes later counts. */
void trigger_look_first(struct session *session);
void trigger_forget_seen(struct trigger *trigger);

#endif /* SESSIOND_TRIGGER_TRIGGER_PRIVATE_H */
