/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-part.h - a list that is answered in as many messages as it takes:
 * "from" says where to go on, "next" where the next message would.
 *
 * Main thread.
 */
#ifndef SESSIOND_CONTROL_CONTROL_PART_H
#define SESSIOND_CONTROL_CONTROL_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "sessiond/control/control-client.h"

struct session;

/* Bytes of a message beside its list, at most. */
#define CONTROL_PART_FRAME 256

/* A list that grows while its message does not get too large. */
struct control_part {
	struct json_object *array;
	size_t bytes;
};

struct control_part control_part_begin(void);
/* Takes the item. False: it is for the next message. */
bool control_part_add(struct control_part *part, struct json_object *item);
/*
 * Answers with the list as member `key`, and `next` (0: that was all); `answer` has what
 * else there is to say, which fits in the frame, or is NULL. Takes both.
 */
void control_part_answer_with(struct control_client *client, struct control_part *part,
			      const char *key, uint64_t next, struct json_object *answer);
void control_part_answer(struct control_client *client, struct control_part *part, const char *key,
			 uint64_t next);

/*
 * Answers with those of the sessions that the client may see and for which `wanted` is true, as
 * member `key`. `describe` makes an item; `uid` is the client's.
 */
void control_part_sessions(struct control_client *client, struct json_object *request,
			   const char *key, bool (*wanted)(const struct session *session),
			   struct json_object *(*describe)(struct session *session, uint32_t uid));

#endif /* SESSIOND_CONTROL_CONTROL_PART_H */
