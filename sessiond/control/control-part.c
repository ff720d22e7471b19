/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/control/control-part.h"

#include "common/protocol/protocol-control.h"
#include "sessiond/base/parts.h"
#include "sessiond/control/control-args.h"
#include "sessiond/session/session.h"

struct control_part control_part_begin(void)
{
	return (struct control_part){
		.array = json_object_new_array(),
		.bytes = CONTROL_PART_FRAME,
	};
}

bool control_part_add(struct control_part *part, struct json_object *item)
{
	size_t length;

	json_object_to_json_string_length(item, JSON_C_TO_STRING_PLAIN, &length);
	if (part->bytes + length + 1 > PROTOCOL_CONTROL_MESSAGE_MAX) {
		json_object_put(item);
		return false;
	}
	part->bytes += length + 1;
	json_object_array_add(part->array, item);
	return true;
}

void control_part_answer_with(struct control_client *client, struct control_part *part,
			      const char *key, uint64_t next, struct json_object *answer)
{
	if (!answer)
		answer = json_object_new_object();
	json_object_object_add(answer, key, part->array);
	control_add_number(answer, "next", next);
	control_answer(client, answer);
}

void control_part_answer(struct control_client *client, struct control_part *part, const char *key,
			 uint64_t next)
{
	control_part_answer_with(client, part, key, next, NULL);
}

void control_part_sessions(struct control_client *client, struct json_object *request,
			   const char *key, bool (*wanted)(const struct session *session),
			   struct json_object *(*describe)(struct session *session, uint32_t uid))
{
	uint32_t uid = control_client_peer(client)->uid;
	struct control_part part = control_part_begin();
	uint64_t from = 0, at = 0;
	struct session *session;

	if (control_take_number(client, request, "from", UINT32_MAX, &from) != 0) {
		json_object_put(part.array);
		return;
	}
	cds_list_for_each_entry(session, sessions_list(control_client_daemon(client)->sessions),
				node) {
		if (!wanted(session) || !session_is_for(session, uid) || at++ < from)
			continue;
		if (!control_part_add(&part, describe(session, uid))) {
			control_part_answer(client, &part, key, at - 1);
			return;
		}
	}
	control_part_answer(client, &part, key, 0);
}
