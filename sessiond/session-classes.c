/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* session-classes.c - which event classes a session describes, and turns on. */
#include "sessiond/session-parts.h"

#include <string.h>

#include "common/protocol-app.h"
#include "sessiond/channel.h"
#include "sessiond/parts.h"
#include "sessiond/ledger.h"
#include "sessiond/quota.h"

/* Described first: what is described may be recorded, and what may be recorded is. */
static void add_classes(struct session *session, const uint64_t *ids)
{
	struct channel *channel;

	cds_list_for_each_entry(channel, &session->channels, node)
		channel_describe_classes(channel, ids, true);
	session_push_metadata(session);
	cds_list_for_each_entry(channel, &session->channels, node)
		channel_switch_classes(channel, ids);
}

void sessions_try_again(struct sessions *sessions, const struct quota_user *user,
			const uint16_t *ids, uint32_t nr_ids)
{
	struct session *session;
	struct channel *channel;

	cds_list_for_each_entry(session, &sessions->list, node) {
		if (!session_takes_user(session, user))
			continue;
		cds_list_for_each_entry(channel, &session->channels, node)
			for (uint32_t i = 0; i < nr_ids; i++)
				if (ids[i] != PROTOCOL_APP_NO_ID && !quota_has_class(user, ids[i]))
					channel_try_again(channel, ids[i]);
	}
}

void sessions_add_classes(struct sessions *sessions, const struct quota_user *user)
{
	struct session *session;

	if (!user->class_ids)
		return;
	cds_list_for_each_entry(session, &sessions->list, node)
		if (session_takes_user(session, user))
			add_classes(session, user->class_ids);
}

struct listing {
	const struct session *session;
	uint64_t *ids;
};

static void list_of_user(struct quota_user *user, void *data)
{
	const struct listing *listing = data;

	if (!user->class_ids || !session_takes_user(listing->session, user))
		return;
	for (uint32_t i = 0; i < LTTNGMAP_EVENT_IDS / 64; i++)
		listing->ids[i] |= user->class_ids[i];
}

void session_list_classes(const struct session *session, uint64_t ids[LTTNGMAP_EVENT_IDS / 64])
{
	struct listing listing = { session, ids };

	memset(ids, 0, LTTNGMAP_EVENT_IDS / 8);
	quota_each(session->daemon->quota, list_of_user, &listing);
}

void session_describe_all(struct session *session)
{
	static uint64_t ids[LTTNGMAP_EVENT_IDS / 64];

	session_list_classes(session, ids);
	add_classes(session, ids);
}

uint64_t *session_described(const struct session *session, uint32_t stream_id)
{
	const struct ledger *ledger = session->daemon->ledger;

	return ledger_described(ledger, (uint32_t)(session->record - ledger->head->sessions),
				stream_id);
}
