/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-owner.c - whose a session is: who finds it, and whose processes it
 * takes.
 */
#include "sessiond/session-parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sessiond/channel.h"
#include "sessiond/parts.h"
#include "sessiond/process.h"
#include "sessiond/quota.h"
#include "sessiond/state.h"

static bool is_master(uint32_t uid)
{
	return uid == 0 || uid == geteuid();
}

bool session_is_for(const struct session *session, uint32_t uid)
{
	return is_master(uid) || uid == session->owner;
}

const char *session_name_for(const struct session *session, uint32_t uid, char *name, size_t size)
{
	if (session->owner == uid)
		return session->name;
	snprintf(name, size, "%u/%s", session->owner, session->name);
	return name;
}

bool session_takes_user(const struct session *session, const struct quota_user *user)
{
	const struct quota *quota = session->daemon->quota;
	bool asked = false, taken = false;

	if (!is_master(session->owner))
		return quota_owner(quota, session->owner) == user->uid;
	for (size_t i = 0; i < session->trackers.nr_trackers; i++) {
		const struct tracker *tracker = &session->trackers.trackers[i];

		if (tracker->kind != TRACKER_UID)
			continue;
		asked = true;
		taken |= quota_owner(quota, tracker->value) == user->uid;
	}
	return !asked || taken || is_master(user->uid);
}

bool session_takes(const struct session *session, const struct process *process)
{
	return (is_master(session->owner) || process->uid == session->owner) &&
	       trackers_take(&session->trackers, process);
}

void session_retrack(struct session *session)
{
	struct process *process;
	struct channel *channel;

	/* Users that it takes from now on may have room for what was refused. */
	cds_list_for_each_entry(channel, &session->channels, node)
		for (uint32_t id = 0; id < LTTNGMAP_EVENT_IDS; id++)
			channel_try_again(channel, id);
	/* Before they are let in. */
	session_describe_all(session);
	cds_list_for_each_entry(channel, &session->channels, node) {
		if (!channel->started)
			continue;
		cds_list_for_each_entry(process, processes_list(session->daemon->processes), list)
			channel_admit(channel, process);
	}
	if (session->state == SESSION_ACTIVE)
		channel_wait_writers();
	state_save(session->daemon);
}

struct session *sessions_find_key(struct sessions *sessions, const char *key)
{
	struct session *session;

	cds_list_for_each_entry(session, sessions_list(sessions), node)
		if (strcmp(session->key, key) == 0)
			return session;
	return NULL;
}

struct session *sessions_find(struct sessions *sessions, const char *name, uint32_t uid)
{
	const char *slash = strchr(name, '/');
	unsigned long owner = uid;
	struct session *session;
	char *end;

	if (slash) {
		owner = strtoul(name, &end, 10);
		if (end != slash || end == name)
			return NULL;
		name = slash + 1;
	}
	cds_list_for_each_entry(session, sessions_list(sessions), node)
		if (strcmp(session->name, name) == 0 && session->owner == owner &&
		    session_is_for(session, uid))
			return session;
	return NULL;
}

int session_make_key(struct session *session)
{
	struct sessions *sessions = session->daemon->sessions;
	struct session *other;

	cds_list_for_each_entry(other, sessions_list(sessions), node)
		if (other->owner == session->owner && strcmp(other->name, session->name) == 0)
			return -EEXIST;
	if (sessions_find_key(sessions, session->name))
		snprintf(session->key, sizeof(session->key), "%.50s+%u", session->name,
			 session->owner);
	else
		strcpy(session->key, session->name);
	return sessions_find_key(sessions, session->key) ? -EEXIST : 0;
}
