/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* state-trigger.c - triggers as JSON, as part of their sessions. */
#include "sessiond/state/state.h"

#include <errno.h>
#include <stddef.h>

#include "common/base/json-message.h"
#include "sessiond/base/parts.h"
#include "sessiond/session/session.h"
#include "sessiond/state/state-private.h"
#include "sessiond/storage/saved-state.h"
#include "sessiond/trigger/trigger.h"

/* For a daemon after one that ended in order: the record begins anew then. */
static const struct {
	const char *key;
	size_t offset;
} counts[] = {
	{ "rounds", offsetof(struct saved_trigger, rounds) },
	{ "missed", offsetof(struct saved_trigger, missed) },
	{ "failed", offsetof(struct saved_trigger, failed) },
	{ "value", offsetof(struct saved_trigger, value) },
};

static uint64_t *count_at(struct session *session, size_t i)
{
	return (uint64_t *)((char *)&session->record->trigger + counts[i].offset);
}

struct json_object *state_save_trigger(struct session *session)
{
	struct json_object *object = json_object_new_object();
	struct trigger_kept kept;

	trigger_config_write(trigger_config(session->trigger), object);
	trigger_keep(session, &kept);
	json_object_object_add(object, "muted", json_object_new_uint64(kept.muted_until));
	json_object_object_add(object, "events_before", json_object_new_uint64(kept.events_before));
	json_object_object_add(object, "events", json_object_new_uint64(kept.events));
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		json_object_object_add(object, counts[i].key,
				       json_object_new_uint64(*count_at(session, i)));
	return object;
}

int state_make_trigger(struct json_object *object, struct trigger **trigger)
{
	struct trigger_config config;

	*trigger = NULL;
	if (!object)
		return 0;
	return trigger_config_read(object, &config) ? -EBADMSG : trigger_create(&config, trigger);
}

void state_restore_trigger(struct session *session, struct json_object *object)
{
	struct trigger_kept kept = { .muted_until = 0 };

	json_message_get_uint64(object, "muted", 0, UINT64_MAX, &kept.muted_until);
	json_message_get_uint64(object, "events_before", 0, UINT64_MAX, &kept.events_before);
	json_message_get_uint64(object, "events", 0, UINT64_MAX, &kept.events);
	trigger_take(session, &kept);
	for (size_t i = 0; session->is_taken_over && i < sizeof(counts) / sizeof(counts[0]); i++)
		json_message_get_uint64(object, counts[i].key, 0, UINT64_MAX, count_at(session, i));
}
