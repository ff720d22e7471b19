/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/state/state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/log.h"
#include "common/protocol/protocol-app.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/class/registry.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/mediator/doorbell.h"
#include "sessiond/memory/memory-set.h"
#include "sessiond/quota/quota.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session.h"
#include "sessiond/session/user-rings.h"
#include "sessiond/storage/saved-state.h"

/* `processes`, or NULL, is taken. */
static void save(struct daemon *daemon, struct json_object *processes)
{
	struct json_object *saved = state_save_sessions(daemon);
	const char *text = NULL;
	size_t size = 0;
	int error = -ENOMEM;

	if (saved && processes)
		json_object_object_add(saved, "processes", processes);
	else
		json_object_put(processes);
	if (saved)
		text = json_object_to_json_string_length(saved, JSON_C_TO_STRING_PLAIN, &size);
	if (text)
		error = saved_text_write(daemon->saved_state, text, size);
	json_object_put(saved);
	if (error)
		message_say("should the daemon be killed now, it will not know of the last change "
			    "of its sessions: %s",
			    strerror(-error));
}

void state_save(struct daemon *daemon)
{
	if (!daemon->is_leaving)
		save(daemon, NULL);
}

static int restore_class(const struct saved_entry *entry, void *data)
{
	struct daemon *daemon = data;
	struct quota_user *user = quota_user(daemon->quota, entry->user);
	const uint16_t id = (uint16_t)entry->id;
	struct registry_room taken;
	int error = entry->id < REGISTRY_CLASSES_MAX ? 0 : -EBADMSG;

	if (error == 0)
		error = registry_restore(daemon->registry, id, user ? user->uid : entry->user,
					 entry->bytes, entry->size, &taken);
	if (error || !user)
		return error;
	quota_note_classes(user, &id, 1);
	quota_add_classes(user, &taken);
	return 0;
}

static int restore_sessions(struct daemon *daemon)
{
	const char *text = saved_text(daemon->saved_state);
	struct json_object *saved, *before;
	int error;

	if (!text[0])
		return 0;
	saved = json_tokener_parse(text);
	error = saved ? state_restore_sessions(daemon, saved) : -EBADMSG;
	if (error == 0 && json_object_object_get_ex(saved, "processes", &before) &&
	    json_object_is_type(before, json_type_object))
		daemon->before = json_object_get(before);
	json_object_put(saved);
	return error;
}

/* All ring sets of a process, which is NULL where it is gone, in all channels. */
static unsigned int restore_process_channels(struct daemon *daemon, struct process *process,
					     struct memory_set *memories, struct doorbell *doorbell)
{
	unsigned int count = 0;
	struct session *session;
	struct channel *channel;

	cds_list_for_each_entry(session, sessions_list(daemon->sessions), node) {
		cds_list_for_each_entry(channel, &session->channels, node) {
			int error;

			if (!process_channel_is_saved(channel, memories))
				continue;
			error = process_channel_restore(channel, process, memories, doorbell);
			if (error)
				message_say("what process %u wrote into channel %s of session %s "
					    "is not read: %s",
					    memory_set_record(memories)->pid, channel->name,
					    session->name, strerror(-error));
			else
				count++;
		}
	}
	return count;
}

unsigned int state_restore_ended(struct daemon *daemon, struct memory_set *memories)
{
	struct doorbell *doorbell;
	unsigned int count = 0;

	if (doorbell_create(daemon->doorbells, memories, &doorbell) == 0) {
		count = restore_process_channels(daemon, NULL, memories, doorbell);
		doorbell_destroy(doorbell);
	}
	memory_set_put(memories);
	return count;
}

/* A process that is gone, with what it left to be read. */
static void restore_ended(struct daemon *daemon, uint32_t index)
{
	struct memory_set *memories;

	if (memory_pool_restore(daemon->pool, index, &memories) != 0) {
		saved_process_drop(daemon->saved_state, index);
		return;
	}
	memory_set_charge(memories, quota_user(daemon->quota, memory_set_record(memories)->payer),
			  true);
	state_restore_ended(daemon, memories);
}

static void restore_processes(struct daemon *daemon)
{
	struct process *process;

	for (uint32_t index = 0; index < SAVED_PROCESSES; index++) {
		int error = 0;

		switch (saved_process_state(daemon->saved_state, index)) {
		case SAVED_FREE:
			break;
		case SAVED_TAKEN:
			saved_process_drop(daemon->saved_state, index);
			break;
		case SAVED_LIVE:
			error = process_restore(daemon, index);
			break;
		case SAVED_ENDED:
			restore_ended(daemon, index);
			break;
		}
		if (error)
			message_say("a process is not traced any more: %s", strerror(-error));
	}
	cds_list_for_each_entry(process, processes_list(daemon->processes), list)
		restore_process_channels(daemon, process, process->memories, process->doorbell);
}

static int restore_texts(struct daemon *daemon)
{
	int error = saved_log_read(daemon->saved_state, restore_class, daemon);

	return error ? error : restore_sessions(daemon);
}

int state_restore(struct daemon *daemon)
{
	struct saved_head *head = daemon->saved_state->head;
	int error = restore_texts(daemon);

	if (error) {
		log_error("cannot go on with what was traced before: %s", strerror(-error));
		return error;
	}
	restore_processes(daemon);
	user_rings_restore(daemon);
	if (daemon->recovery)
		daemon->restore_recovered(daemon);
	sessions_resume(daemon->sessions);
	slots_rest(&daemon->slots, time_now_usec());
	if (!daemon->recovery)
		message_say("the session daemon %s, and goes on", head->death);
	return 0;
}

/* ---- from one daemon to the next ------------------------------------------------------ */

bool state_is_kept(const struct daemon *daemon)
{
	return !daemon->options->private_instance && !daemon->options->forget &&
	       daemon->saved_state->fd >= 0;
}

/* The processes that sessions have counted, by pid: pidfd's inode and slots. */
static struct json_object *save_counted(const struct daemon *daemon)
{
	struct json_object *counted = json_object_new_object();
	struct process *process;
	char pid[16];

	cds_list_for_each_entry(process, processes_list(daemon->processes), list) {
		struct json_object *entry;

		if (!process->counted || process->is_ring_owner)
			continue;
		entry = json_object_new_array();
		json_object_array_add(entry, json_object_new_uint64(process_file(process)));
		json_object_array_add(entry, json_object_new_uint64(process->counted));
		snprintf(pid, sizeof(pid), "%u", process->pid);
		json_object_object_add(counted, pid, entry);
	}
	return counted;
}

void state_keep(struct daemon *daemon)
{
	if (!state_is_kept(daemon) || daemon->is_leaving)
		return;
	/* An empty text stays one that saved_text_is_empty() knows. */
	save(daemon, cds_list_empty(sessions_list(daemon->sessions)) ? NULL : save_counted(daemon));
	daemon->saved_state->head->ended = time(NULL);
	daemon->is_leaving = true;
}

/* Its people learn for how long nobody recorded. */
static void say_gap(const struct session *session, int64_t ended)
{
	char from[32] = "", to[32] = "";
	time_t then = (time_t)ended, now = time(NULL);
	struct tm local;

	if (localtime_r(&then, &local))
		strftime(from, sizeof(from), "%H:%M:%S", &local);
	if (localtime_r(&now, &local))
		strftime(to, sizeof(to), "%H:%M:%S", &local);
	message_of(session->key,
		   "session %s: the session daemon was away from %s to %s: programs that ran only "
		   "then are not in the trace",
		   session->name, from, to);
}

void state_take_over(struct daemon *daemon)
{
	struct session *session, *next;
	int error = restore_texts(daemon);

	if (error) {
		cds_list_for_each_entry_safe(session, next, sessions_list(daemon->sessions), node)
			session_destroy(session);
		message_say("the sessions of the daemon before cannot be taken over: %s; create "
			    "them again",
			    strerror(-error));
		return;
	}
	sessions_resume(daemon->sessions);
	cds_list_for_each_entry(session, sessions_list(daemon->sessions), node)
		if (session->state == SESSION_ACTIVE)
			say_gap(session, daemon->saved_state->head->ended);
	slots_rest(&daemon->slots, time_now_usec());
	state_save(daemon);
}
