/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* state-private.h - what the files of state.h share. Main thread. */
#ifndef SESSIOND_STATE_STATE_PRIVATE_H
#define SESSIOND_STATE_STATE_PRIVATE_H

#include <json-c/json.h>

struct session;
struct trigger;

/* The trigger of a session, which has one. */
struct json_object *state_save_trigger(struct session *session);
/* A trigger of what was saved; NULL: *trigger is NULL. 0 or -errno. */
int state_make_trigger(struct json_object *object, struct trigger **trigger);
/* Restores its counts so far. */
void state_restore_trigger(struct session *session, struct json_object *object);

#endif /* SESSIOND_STATE_STATE_PRIVATE_H */
