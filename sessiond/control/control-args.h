/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-args.h - reads the members of a request. Each function answers a wrong member with a
 * refusal itself: the caller only returns then.
 *
 * Main thread.
 */
#ifndef SESSIOND_CONTROL_CONTROL_ARGS_H
#define SESSIOND_CONTROL_CONTROL_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

#include "sessiond/control/control-client.h"

struct channel;
struct session;

/* A string, or NULL. */
const char *control_need_string(struct control_client *client, struct json_object *request,
				const char *key);
/* A new session's or channel's name, or NULL. */
const char *control_need_name(struct control_client *client, struct json_object *request,
			      const char *key);
/* 0 or -errno. */
int control_need_number(struct control_client *client, struct json_object *request, const char *key,
			uint64_t max, uint64_t *value);

/* Optional ones: what is not there leaves the value as it is. 0 or -errno. */
int control_take_string(struct control_client *client, struct json_object *request, const char *key,
			const char **value);
int control_take_number(struct control_client *client, struct json_object *request, const char *key,
			uint64_t max, uint64_t *value);
int control_take_bool(struct control_client *client, struct json_object *request, const char *key,
		      bool *value);

/* The session that "session" names, one that the client may touch; or NULL. */
struct session *control_need_session(struct control_client *client, struct json_object *request);
/* The same, and it is stopped. */
struct session *control_need_idle(struct control_client *client, struct json_object *request);
/* Its channel that "channel" names, or NULL. */
struct channel *control_need_channel(struct control_client *client, struct session *session,
				     struct json_object *request);
/* NULL: there is none. */
struct channel *control_find_channel(struct session *session, const char *name);

void control_add_number(struct json_object *answer, const char *key, uint64_t value);
void control_add_string(struct json_object *answer, const char *key, const char *value);
void control_add_bool(struct json_object *answer, const char *key, bool value);

#endif /* SESSIOND_CONTROL_CONTROL_ARGS_H */
