/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-list.c - the verbs that list what there is, in as many messages as
 * it takes: "from" says where to go on, "next" where the next message would.
 */
#include "sessiond/control/control-verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/context.h"
#include "common/protocol/protocol-control.h"
#include "sessiond/app/late-attach.h"
#include "sessiond/base/parts.h"
#include "sessiond/class/registry.h"
#include "sessiond/control/control-args.h"
#include "sessiond/control/control-part.h"
#include "sessiond/kernel/kernel-state.h"
#include "sessiond/quota/quota.h"
#include "sessiond/session/channel-mode.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session.h"

/* A channel's or a rule's description has so much beside what was asked for, at most. */
#define ADDED_BYTES 512
/* For processes that are not registered; one that starts meanwhile waits, but less than it may. */
#define SCAN_WAIT_MS 50

/* ---- sessions -------------------------------------------------------------------- */

static struct json_object *describe_rules(const struct rule_list *rules)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < rules->nr_entries; i++) {
		const struct rule_entry *entry = rules->entries[i];
		struct json_object *object = json_object_new_object();

		control_add_number(object, "id", entry->id);
		control_add_bool(object, "enabled", entry->enabled);
		control_add_string(object, "rule", rule_text(entry->patterns));
		if (entry->exclude)
			control_add_string(object, "exclude", rule_text(entry->exclude));
		if (entry->has_loglevel) {
			control_add_number(object, "loglevel", entry->loglevel);
			control_add_bool(object, "loglevel_only", entry->loglevel_only);
		}
		if (entry->filter)
			control_add_string(object, "filter", filter_expression_text(entry->filter));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *describe_contexts(uint64_t contexts)
{
	struct json_object *array = json_object_new_array();
	char text[CONTEXT_TEXT_SIZE];

	for (unsigned int i = 0; i < LTTNGMAP_CONTEXTS; i++)
		if (contexts >> i & 1)
			json_object_array_add(
				array, json_object_new_string(context_text(i, contexts, text)));
	return array;
}

static struct json_object *describe_channel(const struct channel *channel)
{
	struct json_object *object = json_object_new_object();

	control_add_string(object, "channel", channel->name);
	control_add_number(object, "subbuf_size", UINT64_C(1) << channel->subbuf_shift);
	control_add_number(object, "subbufs", UINT64_C(1) << channel->subbufs_shift);
	control_add_string(object, "mode", channel_mode_name(channel->mode));
	control_add_string(object, "buffers", channel->shared ? "user" : "process");
	control_add_number(object, "blocking_timeout_ms", channel->blocking_timeout_ms);
	control_add_number(object, "flush_ms", channel->flush_ms);
	control_add_number(object, "file_size", channel->file_size);
	control_add_number(object, "file_count", channel->file_count);
	if (channel->rules.disabled)
		json_object_object_add(object, "disabled", json_object_new_boolean(true));
	json_object_object_add(object, "contexts", describe_contexts(channel->contexts));
	json_object_object_add(object, "rules", describe_rules(&channel->rules));
	return object;
}

static struct json_object *describe_trackers(const struct trackers *trackers)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < trackers->nr_trackers; i++) {
		const struct tracker *tracker = &trackers->trackers[i];
		struct json_object *object = json_object_new_object();

		control_add_string(object, "kind", tracker_kind_name(tracker->kind));
		if (tracker->kind == TRACKER_NAME)
			control_add_string(object, "value", tracker->pattern);
		else
			control_add_number(object, "value", tracker->value);
		json_object_array_add(array, object);
	}
	return array;
}

void control_add_collector(struct json_object *object, const struct session *session)
{
	if (session->url)
		control_add_string(object, "url", session->url);
	if (session->spool)
		control_add_number(object, "spool", session->spool);
	if (session_is_live(session))
		control_add_number(object, "live_ms", session->live.period_ms);
}

/* Describes the session by the name that user `uid` knows it by. */
static struct json_object *describe_session(const struct session *session, uint32_t uid)
{
	char name[NAME_SESSION_MAX + 16];
	struct json_object *object = json_object_new_object();
	struct json_object *rotation = json_object_new_object();
	struct json_object *channels = json_object_new_array();
	const struct channel *channel;

	control_add_string(object, "session", session_name_for(session, uid, name, sizeof(name)));
	control_add_string(object, "output", session->output);
	control_add_collector(object, session);
	control_add_bool(object, "snapshot", session->is_flight_recorder);
	control_add_bool(object, "active", session->state == SESSION_ACTIVE);
	/* The longest description has it. */
	if ((session->is_current && session->owner == uid) || uid == UINT32_MAX)
		control_add_bool(object, "current", true);
	control_add_number(object, "owner", session->owner);
	json_object_object_add(object, "trackers", describe_trackers(&session->trackers));
	control_add_number(rotation, "period_ms", session->rotation.period_ms);
	control_add_number(rotation, "size", session->rotation.size);
	json_object_object_add(object, "rotation", rotation);
	cds_list_for_each_entry(channel, &session->channels, node)
		json_object_array_add(channels, describe_channel(channel));
	json_object_object_add(object, "channels", channels);
	if (session->kernel)
		json_object_object_add(object, "kernel", kernel_domain_describe(session->kernel));
	return object;
}

bool control_list_fits(struct control_client *client, const struct session *session,
		       struct json_object *request)
{
	struct json_object *description = describe_session(session, UINT32_MAX);
	size_t length, more;

	json_object_to_json_string_length(description, JSON_C_TO_STRING_PLAIN, &length);
	json_object_to_json_string_length(request, JSON_C_TO_STRING_PLAIN, &more);
	json_object_put(description);
	if (CONTROL_PART_FRAME + length + more + ADDED_BYTES <= PROTOCOL_CONTROL_MESSAGE_MAX)
		return true;
	control_refuse(client, "join rules by commas, use '*', or make another session",
		       "session %s has as many rules, channels and trackers as it can",
		       session->name);
	return false;
}

void control_serve_list(struct control_client *client, struct json_object *request)
{
	uint32_t uid = control_client_peer(client)->uid;
	struct session *session;
	uint64_t from = 0, at = 0;
	struct control_part part;

	if (control_take_number(client, request, "from", UINT32_MAX, &from) != 0)
		return;
	part = control_part_begin();
	cds_list_for_each_entry(session, sessions_list(control_client_daemon(client)->sessions),
				node) {
		if (session->is_map || !session_is_for(session, uid) || at++ < from)
			continue;
		if (control_part_add(&part, describe_session(session, uid)))
			continue;
		if (json_object_array_length(part.array) > 0) {
			control_part_answer(client, &part, "sessions", at - 1);
			return;
		}
		json_object_put(part.array);
		control_refuse(client, "join rules by commas, or use '*'",
			       "session %s has more rules than one message can hold",
			       session->name);
		return;
	}
	control_part_answer(client, &part, "sessions", 0);
}

/* ---- processes --------------------------------------------------------------------- */

static bool may_see(struct control_client *client, uint32_t owner)
{
	uint32_t uid = control_client_peer(client)->uid;

	return uid == 0 || uid == geteuid() || uid == owner;
}

void control_serve_processes(struct control_client *client, struct json_object *request)
{
	struct daemon *daemon = control_client_daemon(client);
	uint64_t from = 0, at = 0;
	struct process *process;
	struct control_part part;

	if (control_take_number(client, request, "from", UINT32_MAX, &from) != 0)
		return;
	part = control_part_begin();
	cds_list_for_each_entry(process, processes_list(daemon->processes), list) {
		struct json_object *object;

		if (process->is_ring_owner || !may_see(client, process->uid) || at++ < from)
			continue;
		object = json_object_new_object();
		control_add_number(object, "pid", process->pid);
		control_add_number(object, "uid", process->record->user);
		control_add_string(object, "name", process->name);
		control_add_number(object, "traced_since_ms", process->since_ms);
		if (!control_part_add(&part, object)) {
			control_part_answer(client, &part, "processes", at - 1);
			return;
		}
	}
	control_part_answer(client, &part, "processes", 0);
}

/* How far a list over several messages has come. */
struct progress {
	struct control_client *client;
	struct control_part part;
	uint64_t from, at, next;
};

static int add_unregistered(const struct late_attach_entry *entry, void *data)
{
	struct progress *progress = data;
	struct daemon *daemon = control_client_daemon(progress->client);
	struct json_object *object;

	if (!may_see(progress->client, entry->uid) ||
	    process_lookup(daemon->processes, entry->pid) || progress->at++ < progress->from)
		return 0;
	object = json_object_new_object();
	control_add_number(object, "pid", entry->pid);
	control_add_number(object, "uid", entry->uid);
	control_add_string(object, "name", entry->name);
	control_add_string(object, "why", entry->why);
	if (control_part_add(&progress->part, object))
		return 0;
	progress->next = progress->at - 1;
	return -ENOSPC;
}

void control_serve_unregistered(struct control_client *client, struct json_object *request)
{
	struct daemon *daemon = control_client_daemon(client);
	struct progress progress = { .client = client };

	if (control_take_number(client, request, "from", UINT32_MAX, &progress.from) != 0)
		return;
	progress.part = control_part_begin();
	if (daemon->late_attach) {
		if (progress.from == 0)
			late_attach_scan(daemon->late_attach, SCAN_WAIT_MS);
		late_attach_list(daemon->late_attach, add_unregistered, &progress);
	}
	control_part_answer(client, &progress.part, "unregistered", progress.next);
}

/* ---- event classes ------------------------------------------------------------------- */

static void describe_type(const struct registry_field *field, char *text, size_t size)
{
	const char *sign = field->flags & LTTNGMAP_FIELD_SIGNED ? "int" : "uint";
	char count[16] = "";
	unsigned int bits = field->size * 8u;

	if (field->kind == LTTNGMAP_FIELD_ARRAY || field->kind == LTTNGMAP_FIELD_TEXT)
		snprintf(count, sizeof(count), "%u", field->count);
	switch (field->kind) {
	case LTTNGMAP_FIELD_INTEGER:
		snprintf(text, size, "%s%u", sign, bits);
		break;
	case LTTNGMAP_FIELD_ENUM:
		snprintf(text, size, "enum %.80s", field->enum_name);
		break;
	case LTTNGMAP_FIELD_FLOAT:
		snprintf(text, size, "float%u", bits);
		break;
	case LTTNGMAP_FIELD_STRING:
		snprintf(text, size, "string");
		break;
	case LTTNGMAP_FIELD_ARRAY:
	case LTTNGMAP_FIELD_SEQUENCE:
		snprintf(text, size, "%s%u[%s]", sign, bits, count);
		break;
	default:
		snprintf(text, size, "text[%s]", count);
		break;
	}
}

static struct json_object *describe_class(const struct registry_class *event_class)
{
	struct json_object *object = json_object_new_object();
	struct json_object *fields = json_object_new_array();

	control_add_number(object, "id", event_class->id);
	control_add_string(object, "name", event_class->full_name);
	control_add_number(object, "loglevel", event_class->loglevel);
	for (uint8_t i = 0; i < event_class->nr_fields; i++) {
		struct json_object *field = json_object_new_object();
		char type[128];

		describe_type(&event_class->fields[i], type, sizeof(type));
		control_add_string(field, "name", event_class->fields[i].name);
		control_add_string(field, "type", type);
		json_object_array_add(fields, field);
	}
	json_object_object_add(object, "fields", fields);
	return object;
}

/* Those that are in `known`, or all where that is NULL. */
static void answer_events(struct control_client *client, uint64_t from, const uint64_t *known)
{
	const struct registry *registry = control_client_daemon(client)->registry;
	uint32_t count = registry_count(registry);
	struct control_part part = control_part_begin();

	for (uint32_t id = (uint32_t)from; id < count; id++) {
		const struct registry_class *event_class = registry_get(registry, id);

		if (!event_class || (known && !(known[id / 64] >> id % 64 & 1)))
			continue;
		if (control_part_add(&part, describe_class(event_class)))
			continue;
		/* One that fills a message by itself is not to be shown at all. */
		if (json_object_array_length(part.array) == 0)
			continue;
		control_part_answer(client, &part, "events", id);
		return;
	}
	control_part_answer(client, &part, "events", 0);
}

const uint64_t *control_visible_classes(struct control_client *client)
{
	static const uint64_t none[LTTNGMAP_EVENT_IDS / 64];
	uint32_t uid = control_client_peer(client)->uid;
	const struct quota_user *user;

	if (uid == 0 || uid == geteuid())
		return NULL;
	user = quota_user(control_client_daemon(client)->quota, uid);
	return user && user->class_ids ? user->class_ids : none;
}

void control_serve_events(struct control_client *client, struct json_object *request)
{
	static uint64_t known[LTTNGMAP_EVENT_IDS / 64];
	uint64_t from = 0, pid = UINT64_MAX;
	const struct process *process;

	if (control_take_number(client, request, "from", UINT32_MAX, &from) != 0 ||
	    control_take_number(client, request, "pid", UINT32_MAX, &pid) != 0)
		return;
	if (pid == UINT64_MAX) {
		answer_events(client, from, control_visible_classes(client));
		return;
	}
	process = process_lookup(control_client_daemon(client)->processes, (uint32_t)pid);
	if (!process || !may_see(client, process->uid)) {
		control_refuse(client, "`processes` lists those that are",
			       "process %llu is not traced", (unsigned long long)pid);
		return;
	}
	process_list_classes(process, known);
	answer_events(client, from, known);
}
