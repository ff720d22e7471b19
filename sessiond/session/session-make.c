/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* session-make.c - a session's beginning and end. */
#include "sessiond/session/session-private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <systemd/sd-id128.h>

#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/session-consumer.h"
#include "sessiond/storage/saved-state.h"

static int make_metadata(struct session *session, const struct session_config *again)
{
	struct metadata_config config = { .session = session->name,
					  .created = again->again.created };
	sd_id128_t uuid;
	int error;

	if (again->again.uuid) {
		error = sd_id128_from_string(again->again.uuid, &uuid);
		memcpy(config.uuid, uuid.bytes, sizeof(config.uuid));
	} else {
		error = metadata_uuid_make(config.uuid);
	}
	if (error < 0)
		return error;
	metadata_uuid_text(config.uuid, session->uuid);
	if (again->again.clock.frequency)
		config.clock = again->again.clock;
	else
		session_read_clock(session, &config.clock);
	return metadata_create(&config, &session->metadata);
}

static void session_free(struct session *session)
{
	metadata_destroy(session->metadata);
	session_totals_put(session->totals);
	trackers_clear(&session->trackers);
	free(session->write_error);
	free(session->moved);
	messages_forget(session->key);
	free(session->output);
	free(session->url);
	free(session);
}

/* Its record in the saved state: the one that it had, or a free one. */
static int take_record(struct session *session, const struct session_config *config)
{
	struct saved_session *records = session->daemon->saved_state->head->sessions;
	struct session *other;
	uint64_t taken = 0;
	uint32_t index = 0;

	_Static_assert(SAVED_SESSIONS <= 64, "a bit for each");
	if (config->again.key) {
		session->record = &records[config->again.record];
		session->processes = session->record->processes;
		return 0;
	}
	cds_list_for_each_entry(other, &session->daemon->sessions->list, node)
		taken |= UINT64_C(1) << (other->record - records);
	while (index < SAVED_SESSIONS && taken & UINT64_C(1) << index)
		index++;
	if (index == SAVED_SESSIONS)
		return -ENOSPC;
	session->record = &records[index];
	*session->record = (struct saved_session){ .which = 0 };
	saved_described_clear(session->daemon->saved_state, index);
	return 0;
}

void session_choose(struct session *session)
{
	struct session *other;

	cds_list_for_each_entry(other, sessions_list(session->daemon->sessions), node)
		if (other->owner == session->owner)
			other->is_current = false;
	session->is_current = true;
	daemon_save_state(session->daemon);
}

int session_create(struct sessions *sessions, const struct session_config *config,
		   struct session **result)
{
	struct session *session = calloc(1, sizeof(*session));
	int error;

	*result = NULL;
	if (!session)
		return -ENOMEM;
	session->daemon = sessions->daemon;
	session->owner = config->owner;
	session->group = config->group;
	session->is_flight_recorder = config->is_flight_recorder;
	session->is_map = config->is_map;
	session->trigger = config->trigger;
	CDS_INIT_LIST_HEAD(&session->channels);
	snprintf(session->name, sizeof(session->name), "%s", config->name);
	error = config->again.key ? 0 : session_make_key(session);
	if (error)
		goto fail;
	if (config->again.key)
		snprintf(session->key, sizeof(session->key), "%s", config->again.key);
	error = take_record(session, config);
	if (error)
		goto fail;
	error = -ENOMEM;
	session->output = strdup(config->output);
	session->totals = calloc(1, sizeof(*session->totals));
	session->spool = config->spool;
	session->live.period_ms = config->live_ms;
	if (config->url)
		session->url = strdup(config->url);
	if (!session->output || !session->totals || (config->url && !session->url))
		goto fail;
	urcu_ref_init(&session->totals->references);
	error = make_metadata(session, config);
	if (!error)
		error = session_begin_live(session);
	if (error)
		goto fail;
	cds_list_add_tail(&session->node, &sessions->list);
	*result = session;
	if (session->is_map)
		return 0;
	if (!config->again.key)
		session_choose(session);
	session->consumer = consumers_take(session->daemon->consumers, session);
	session->has_consumer = consumer_link_expected(session->consumer);
	session_consumer_send_session(session->consumer, session);
	return 0;

fail:
	session_free(session);
	return error;
}

void session_destroy(struct session *session)
{
	struct daemon *daemon = session->daemon;
	struct channel *channel, *next;

	if (session->trigger)
		daemon->trigger_ops->end(session);
	if (session->state == SESSION_ACTIVE)
		cds_list_for_each_entry(channel, &session->channels, node)
			channel_close(channel);
	session_stop_rotation(session);
	session_end_live(session);
	session_stop_snapshot(session, "the session was destroyed");
	daemon->kernel_ops->destroy(session->kernel);
	json_object_put(session->kernel_kept);
	session_consumer_send_end(session->consumer, session);
	cds_list_for_each_entry_safe(channel, next, &session->channels, node)
		channel_destroy(channel);
	cds_list_del(&session->node);
	consumers_leave(session->consumer);
	session->consumer = NULL;
	session_free(session);
	daemon_save_state(daemon);
}
