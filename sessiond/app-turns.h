/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * app-turns.h - which connection of app.sock is served next: one of each user
 * in turn, whatever the number of connections that each has, so that a user
 * waits for one message of each other user and not for all that they sent.
 * Who is over its rate of messages loses its turn until it is not.
 *
 * Main thread.
 */
#ifndef SESSIOND_APP_TURNS_H
#define SESSIOND_APP_TURNS_H

#include <stdbool.h>

#include <systemd/sd-event.h>
#include <urcu/list.h>

#include "sessiond/quota.h"

/* In what is to be served; all zeros at first. */
struct app_turn {
	struct cds_list_head node;
	bool queued;
};

struct app_turns;

/* `serve`: its turn has come, and it is not queued any more; it may be freed. */
int app_turns_create(sd_event *event, void (*serve)(struct app_turn *turn),
		     struct app_turns **turns);
/* Nothing is queued any more. NULL is allowed. */
void app_turns_destroy(struct app_turns *turns);
/* Once, also where it is queued already. */
void app_turn_add(struct app_turns *turns, struct app_turn *turn, struct quota_user *user);
void app_turn_remove(struct app_turns *turns, struct app_turn *turn, struct quota_user *user);

#endif /* SESSIOND_APP_TURNS_H */
