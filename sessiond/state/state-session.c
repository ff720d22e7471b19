/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Sessions as JSON. It is read by programs of the saved state's version alone, so a member
 * that is not there is an error. But what `lttngmap recover` and the next daemon read
 * may be damaged: names stay names, and numbers in their bounds.
 */
#include "sessiond/state/state.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/context.h"
#include "common/base/json-message.h"
#include "common/base/name.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/session/channel-map.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/session.h"
#include "sessiond/state/state-private.h"
#include "sessiond/storage/saved-state.h"
#include "sessiond/trigger/trigger.h"

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static void add_flag(struct json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

/* NULL: left out. */
static void add_text(struct json_object *object, const char *key, const char *value)
{
	if (value)
		json_object_object_add(object, key, json_object_new_string(value));
}

/* 0 where it is not there. */
static uint64_t number_of(struct json_object *object, const char *key)
{
	uint64_t value = 0;

	json_message_get_uint64(object, key, 0, UINT64_MAX, &value);
	return value;
}

static bool flag_of(struct json_object *object, const char *key)
{
	bool value = false;

	json_message_get_bool(object, key, &value);
	return value;
}

static const char *text_of(struct json_object *object, const char *key)
{
	const char *value = NULL;

	json_message_get_string(object, key, &value);
	return value;
}

/* Give each element of an array to `take`, as long as that returns 0. */
static int each(struct json_object *object, const char *key,
		int (*take)(struct json_object *element, void *data), void *data)
{
	struct json_object *array = json_object_object_get(object, key);
	int error = json_object_is_type(array, json_type_array) ? 0 : -EBADMSG;

	for (size_t i = 0; error == 0 && i < json_object_array_length(array); i++)
		error = take(json_object_array_get_idx(array, i), data);
	return error;
}

/* ---- rules ------------------------------------------------------------------------ */

static struct json_object *save_rules(const struct rule_list *rules)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < rules->nr_entries; i++) {
		const struct rule_entry *entry = rules->entries[i];
		struct json_object *object = json_object_new_object();

		add_number(object, "id", entry->id);
		add_flag(object, "enabled", entry->enabled);
		add_text(object, "patterns", rule_text(entry->patterns));
		add_text(object, "exclude", entry->exclude ? rule_text(entry->exclude) : NULL);
		add_text(object, "filter",
			 entry->filter ? filter_expression_text(entry->filter) : NULL);
		add_flag(object, "has_loglevel", entry->has_loglevel);
		add_number(object, "loglevel", entry->loglevel);
		add_flag(object, "loglevel_only", entry->loglevel_only);
		json_object_array_add(array, object);
	}
	return array;
}

static int restore_rule(struct json_object *object, void *data)
{
	struct channel *channel = data;
	struct rule_config config = {
		.patterns = text_of(object, "patterns"),
		.exclude = text_of(object, "exclude"),
		.filter = text_of(object, "filter"),
		.has_loglevel = flag_of(object, "has_loglevel"),
		.loglevel = (uint8_t)number_of(object, "loglevel"),
		.loglevel_only = flag_of(object, "loglevel_only"),
	};
	struct rule_problem problem;
	struct rule_entry *entry;
	int error;

	if (!config.patterns)
		return -EBADMSG;
	error = rule_list_add(&channel->rules, &config, &entry, &problem);
	if (error)
		return error;
	entry->id = (uint32_t)number_of(object, "id");
	entry->enabled = flag_of(object, "enabled");
	return 0;
}

/* ---- channels --------------------------------------------------------------------- */

static struct json_object *save_map(const struct channel_map *map)
{
	struct json_object *object = json_object_new_object();
	struct channel_map_config config;

	channel_map_get_config(map, &config);
	add_text(object, "by", config.by);
	add_text(object, "sum", config.sum);
	add_flag(object, "histogram", config.is_histogram);
	add_flag(object, "latency", config.is_latency);
	add_flag(object, "one_rule", config.is_one_rule);
	return object;
}

/* NULL: the channel is no map's. 0 or -errno. */
static int restore_map(struct json_object *object, struct channel_map **map)
{
	const struct channel_map_config config = {
		.by = text_of(object, "by"),
		.sum = text_of(object, "sum"),
		.is_histogram = flag_of(object, "histogram"),
		.is_latency = flag_of(object, "latency"),
		.is_one_rule = flag_of(object, "one_rule"),
	};
	struct filter_error error;
	bool in_sum;

	*map = NULL;
	return object ? channel_map_create(&config, map, &error, &in_sum) : 0;
}

static struct json_object *save_channel(const struct channel *channel)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "name", channel->name);
	add_number(object, "stream", channel->stream_id);
	add_number(object, "slot", channel->slot);
	add_number(object, "life", channel->life);
	add_number(object, "mode", channel->mode);
	add_number(object, "subbuf_shift", channel->subbuf_shift);
	add_number(object, "subbufs_shift", channel->subbufs_shift);
	add_number(object, "blocking_timeout", channel->blocking_timeout_ms);
	add_number(object, "flush", channel->flush_ms);
	add_number(object, "contexts", channel->contexts);
	add_number(object, "shared", channel->shared);
	add_number(object, "file_size", channel->file_size);
	add_number(object, "file_count", channel->file_count);
	add_number(object, "last_rule", channel->rules.last_id);
	add_number(object, "disabled", channel->rules.disabled);
	json_object_object_add(object, "rules", save_rules(&channel->rules));
	if (channel->map)
		json_object_object_add(object, "map", save_map(channel->map));
	return object;
}

/* Could this be a channel, and has no other one its slot? */
static bool is_sound(const struct session *session, const struct channel *saved,
		     struct json_object *object)
{
	return number_of(object, "mode") <= LTTNGMAP_MODE_BLOCKING &&
	       (session->is_map || number_of(object, "stream") < session->nr_streams) &&
	       number_of(object, "subbuf_shift") <= LTTNGMAP_SUBBUF_SHIFT_MAX &&
	       number_of(object, "subbufs_shift") <= LTTNGMAP_SUBBUFS_SHIFT_MAX &&
	       saved->subbuf_shift >= LTTNGMAP_SUBBUF_SHIFT_MIN &&
	       saved->subbufs_shift >= LTTNGMAP_SUBBUFS_SHIFT_MIN &&
	       context_is_set(saved->contexts) && saved->life != 0 &&
	       !session->daemon->slots.slot[saved->slot].taken;
}

static int restore_channel(struct json_object *object, void *data)
{
	struct channel saved = {
		.stream_id = (uint32_t)number_of(object, "stream"),
		.slot = (uint32_t)number_of(object, "slot"),
		.life = number_of(object, "life"),
		.mode = (enum lttngmap_mode)number_of(object, "mode"),
		.subbuf_shift = (uint8_t)number_of(object, "subbuf_shift"),
		.subbufs_shift = (uint8_t)number_of(object, "subbufs_shift"),
		.blocking_timeout_ms = (uint32_t)number_of(object, "blocking_timeout"),
		.flush_ms = (uint32_t)number_of(object, "flush"),
		.contexts = number_of(object, "contexts"),
		.shared = number_of(object, "shared") != 0,
		.file_size = number_of(object, "file_size"),
		.file_count = (uint32_t)number_of(object, "file_count"),
	};
	const char *name = text_of(object, "name");
	struct channel *channel;
	int error;

	if (!name || !name_is_session(name) || number_of(object, "slot") >= LTTNGMAP_CHANNELS ||
	    !is_sound(data, &saved, object))
		return -EBADMSG;
	snprintf(saved.name, sizeof(saved.name), "%s", name);
	error = restore_map(json_object_object_get(object, "map"), &saved.map);
	if (error)
		return error;
	error = channel_restore(data, &saved, &channel);
	if (error)
		channel_map_destroy(saved.map);
	else
		error = each(object, "rules", restore_rule, channel);
	if (error == 0) {
		channel->rules.last_id = (uint32_t)number_of(object, "last_rule");
		channel->rules.disabled = number_of(object, "disabled") != 0;
	}
	return error;
}

/* ---- what the metadata describes ---------------------------------------------------- */

static struct json_object *save_streams(const struct session *session)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t id = 0; id < session->nr_streams; id++) {
		struct json_object *object = json_object_new_object();
		uint64_t contexts;

		add_text(object, "name", metadata_channel(session->metadata, id, &contexts));
		add_number(object, "contexts", contexts);
		json_object_array_add(array, object);
	}
	return array;
}

/*
 * Described classes stay described: they may have been recorded. Ids without a class come from
 * damaged saved state.
 */
static int restore_described(struct session *session, uint32_t stream)
{
	const struct registry *registry = session->daemon->registry;
	const uint64_t *ids = session_described(session, stream);
	int error = 0;

	for (uint32_t id = 0; error == 0 && id < registry_count(registry); id++) {
		const struct registry_class *event_class = registry_get(registry, id);

		if (event_class && ids[id / 64] >> id % 64 & 1)
			error = metadata_add_event(session->metadata, stream, event_class,
						   event_class->user, false);
	}
	return error;
}

static int restore_stream(struct json_object *object, void *data)
{
	struct session *session = data;
	const char *name = text_of(object, "name");
	uint64_t contexts = number_of(object, "contexts");
	uint32_t id = session->nr_streams;
	int error;

	if (!name || !name_is_session(name) || id >= LTTNGMAP_CHANNELS || !context_is_set(contexts))
		return -EBADMSG;
	error = metadata_add_channel(session->metadata, id, name, contexts);
	session->nr_streams++;
	return error ? error : restore_described(session, id);
}

/* ---- trackers ----------------------------------------------------------------------- */

static struct json_object *save_trackers(const struct trackers *trackers)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < trackers->nr_trackers; i++) {
		const struct tracker *tracker = &trackers->trackers[i];
		struct json_object *object = json_object_new_object();

		add_number(object, "kind", tracker->kind);
		add_number(object, "value", tracker->value);
		add_text(object, "pattern", tracker->pattern);
		json_object_array_add(array, object);
	}
	return array;
}

static int restore_tracker(struct json_object *object, void *data)
{
	struct session *session = data;
	uint64_t kind = number_of(object, "kind");
	const char *pattern = text_of(object, "pattern");

	if (kind >= TRACKER_KINDS || (kind == TRACKER_NAME && !pattern))
		return -EBADMSG;
	return trackers_add(&session->trackers, (enum tracker_kind)kind,
			    (uint32_t)number_of(object, "value"), pattern);
}

/* ---- rotation ----------------------------------------------------------------------- */

static struct json_object *save_rotation(const struct session *session)
{
	struct json_object *object = json_object_new_object();

	add_number(object, "state", session->rotation.state);
	add_number(object, "chunk", session->rotation.chunk);
	add_text(object, "name", session->rotation.name);
	add_number(object, "begin", (uint64_t)session->rotation.begin);
	add_flag(object, "has_begun", session->rotation.has_begun);
	add_flag(object, "automatic", session->rotation.is_automatic);
	add_number(object, "completed", session->rotation.completed);
	add_number(object, "before_clear", session->rotation.before_clear);
	add_number(object, "size_before", session->rotation.size_before);
	add_number(object, "size", session->rotation.size);
	add_number(object, "period", session->rotation.period_ms);
	return object;
}

static int restore_rotation(struct session *session, struct json_object *object)
{
	const char *name = text_of(object, "name");

	if (!name || strchr(name, '/') || name[0] == '.' ||
	    number_of(object, "state") > ROTATION_MOVING)
		return -EBADMSG;
	session->rotation.state = (enum rotation_state)number_of(object, "state");
	session->rotation.chunk = (uint32_t)number_of(object, "chunk");
	snprintf(session->rotation.name, sizeof(session->rotation.name), "%s", name);
	session->rotation.begin = (int64_t)number_of(object, "begin");
	session->rotation.has_begun = flag_of(object, "has_begun");
	session->rotation.is_automatic = flag_of(object, "automatic");
	session->rotation.completed = number_of(object, "completed");
	session->rotation.before_clear = number_of(object, "before_clear");
	session->rotation.size_before = number_of(object, "size_before");
	session->rotation.size = number_of(object, "size");
	session->rotation.period_ms = number_of(object, "period");
	return 0;
}

/* ---- the clock of one that is watched ------------------------------------------------- */

static struct json_object *save_clock(const struct session *session)
{
	const struct clock_description *clock = metadata_clock(session->metadata);
	struct json_object *object = json_object_new_object();

	add_number(object, "frequency", clock->frequency);
	add_number(object, "offset", clock->offset);
	json_object_object_add(object, "offset_s", json_object_new_int64(clock->offset_s));
	return object;
}

/* Nothing is found where there is none. */
static void restore_clock(const struct daemon *daemon, struct json_object *object,
			  struct clock_description *clock)
{
	clock->clock = daemon->calibration->clock;
	clock->frequency = number_of(object, "frequency");
	clock->offset = number_of(object, "offset");
	clock->offset_s = json_object_get_int64(json_object_object_get(object, "offset_s"));
	if (clock->offset >= clock->frequency)
		clock->frequency = 0;
}

/* ---- sessions ----------------------------------------------------------------------- */

static struct json_object *save_session(struct session *session)
{
	const struct saved_session *records = session->daemon->saved_state->head->sessions;
	struct json_object *object = json_object_new_object();
	struct json_object *channels = json_object_new_array();
	const struct channel *channel;

	add_text(object, "name", session->name);
	add_text(object, "key", session->key);
	add_number(object, "record", (uint64_t)(session->record - records));
	add_number(object, "owner", session->owner);
	add_number(object, "group", session->group);
	add_flag(object, "snapshot", session->is_flight_recorder);
	if (session->is_map)
		add_flag(object, "map", true);
	if (session->trigger)
		json_object_object_add(object, "trigger", state_save_trigger(session));
	add_flag(object, "current", session->is_current);
	add_text(object, "output", session->output);
	if (session->url)
		add_text(object, "url", session->url);
	add_number(object, "spool", session->spool);
	add_number(object, "live", session->live.period_ms);
	if (session_is_live(session))
		json_object_object_add(object, "clock", save_clock(session));
	add_text(object, "uuid", session->uuid);
	add_number(object, "created", metadata_created(session->metadata));
	add_number(object, "state", session->goes_on ? SESSION_ACTIVE : session->state);
	add_flag(object, "clearing", session->clear.pending);
	add_flag(object, "has_consumer", session->has_consumer);
	json_object_object_add(object, "kernel", session->daemon->kernel_ops->save(session));
	json_object_object_add(object, "rotation", save_rotation(session));
	json_object_object_add(object, "trackers", save_trackers(&session->trackers));
	json_object_object_add(object, "streams", save_streams(session));
	cds_list_for_each_entry(channel, &session->channels, node)
		json_object_array_add(channels, save_channel(channel));
	json_object_object_add(object, "channels", channels);
	return object;
}

/* A recovery may be told where traces go: then no collector gets them either. */
static int choose_output(const struct daemon *daemon, struct session_config *config,
			 char path[PATH_MAX])
{
	const char *output = daemon->options->output;

	if (!output)
		return 0;
	if (snprintf(path, PATH_MAX, "%s/%s", output, config->name) >= PATH_MAX)
		return -ENAMETOOLONG;
	config->output = path;
	config->url = NULL;
	config->spool = 0;
	return 0;
}

static int restore_session(struct json_object *object, void *data)
{
	struct daemon *daemon = data;
	struct session_config config = {
		.name = text_of(object, "name"),
		.output = text_of(object, "output"),
		.url = text_of(object, "url"),
		.spool = number_of(object, "spool"),
		.live_ms = number_of(object, "live"),
		.owner = (uint32_t)number_of(object, "owner"),
		.group = (uint32_t)number_of(object, "group"),
		.is_flight_recorder = flag_of(object, "snapshot"),
		.is_map = flag_of(object, "map"),
		.again = {
			.key = text_of(object, "key"),
			.uuid = text_of(object, "uuid"),
			.created = number_of(object, "created"),
			.record = (uint32_t)number_of(object, "record"),
		},
	};
	struct session *session;
	char output[PATH_MAX];
	int error;

	if (!config.name || !name_is_session(config.name) || !config.output ||
	    config.output[0] != '/' || strlen(config.output) >= PATH_MAX || !config.again.key ||
	    !name_is_session(config.again.key) ||
	    sessions_find_key(daemon->sessions, config.again.key) || !config.again.uuid ||
	    number_of(object, "record") >= SAVED_SESSIONS ||
	    number_of(object, "state") > SESSION_FINISHING)
		return -EBADMSG;
	/* A map is no trace. */
	if (config.is_map && daemon->recovery)
		return 0;
	if (config.live_ms)
		restore_clock(daemon, json_object_object_get(object, "clock"), &config.again.clock);
	error = choose_output(daemon, &config, output);
	if (error == 0)
		error = state_make_trigger(json_object_object_get(object, "trigger"),
					   &config.trigger);
	if (error)
		return error;
	error = session_create(daemon->sessions, &config, &session);
	if (error) {
		trigger_destroy(config.trigger);
		return error;
	}
	session->is_taken_over = saved_state_is_taken_over(daemon->saved_state);
	if (session->trigger)
		state_restore_trigger(session, json_object_object_get(object, "trigger"));
	session->has_consumer = flag_of(object, "has_consumer");
	session->written = (struct session_written){
		.packets = session->record->packets,
		.bytes = session->record->bytes,
		.streams = session->record->streams,
		.overwritten = session->record->overwritten,
		.broken = session->record->broken,
	};
	session->is_current = flag_of(object, "current");
	session->clear.pending = flag_of(object, "clearing");
	session->state = (enum session_state)number_of(object, "state");
	/* The last metadata is to be written by the next consumer, once more. */
	if (session->state == SESSION_FINISHING)
		session->state = SESSION_DRAINING;
	session->totals->rings = saved_totals(session->record)->counts;
	session->totals->rings.metadata_generation = session->record->generation;
	error = restore_rotation(session, json_object_object_get(object, "rotation"));
	if (error == 0)
		error = each(object, "trackers", restore_tracker, session);
	if (error == 0)
		error = each(object, "streams", restore_stream, session);
	if (error == 0)
		error = each(object, "channels", restore_channel, session);
	if (error == 0 && !daemon->recovery)
		daemon->kernel_ops->restore(session, json_object_object_get(object, "kernel"));
	return error;
}

struct json_object *state_save_sessions(const struct daemon *daemon)
{
	struct json_object *object = json_object_new_object();
	struct json_object *sessions = json_object_new_array();
	struct session *session;

	if (!object || !sessions) {
		json_object_put(object);
		json_object_put(sessions);
		return NULL;
	}
	cds_list_for_each_entry(session, sessions_list(daemon->sessions), node)
		json_object_array_add(sessions, save_session(session));
	json_object_object_add(object, "sessions", sessions);
	return object;
}

int state_restore_sessions(struct daemon *daemon, struct json_object *saved)
{
	return each(saved, "sessions", restore_session, daemon);
}
