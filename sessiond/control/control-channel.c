/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-channel.c - the verbs about channels: make, change, enable, disable, remove, and what
 * contexts their events have.
 */
#include "sessiond/control/control-verbs.h"

#include <errno.h>
#include <string.h>

#include "common/base/context.h"
#include "common/protocol/protocol-control.h"
#include "sessiond/control/control-args.h"
#include "sessiond/session/channel-mode.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/session.h"

static int find_context(struct control_client *client, const char *name, uint64_t *bits)
{
	int context = name ? context_find(name, bits) : -EINVAL;

	if (context >= 0)
		return context;
	if (context == -ERANGE)
		control_refuse(client, "give callstack:1 to callstack:128, or callstack for 32",
			       "%.80s has no depth that a stack can be recorded with", name);
	else if (name && strncmp(name, "perf:", 5) == 0)
		control_refuse(client, "lttngmap-context(1) says why; perf-stat(1) counts",
			       "context %.80s cannot be had: each thread of a program would need "
			       "a descriptor and a system call of ours for it",
			       name);
	else if (name && strcmp(name, "cpu_id") == 0)
		control_refuse(client, "leave it out; filters know it as $ctx.cpu_id",
			       "the CPU's number stands in each packet anyway");
	else
		control_refuse(client, "lttngmap-context(1) lists them",
			       "there is no context '%.80s'", name ? name : "");
	return context;
}

/* The optional member "contexts", an array of names. */
static int take_contexts(struct control_client *client, struct json_object *request,
			 uint64_t *contexts)
{
	struct json_object *names;

	if (!json_object_object_get_ex(request, "contexts", &names))
		return 0;
	if (!json_object_is_type(names, json_type_array)) {
		control_refuse(client, "give a list of names", "member 'contexts' is not an array");
		return -EINVAL;
	}
	*contexts = 0;
	for (size_t i = 0; i < json_object_array_length(names); i++) {
		struct json_object *item = json_object_array_get_idx(names, i);
		uint64_t bits;
		int context = find_context(client,
					   json_object_is_type(item, json_type_string)
						   ? json_object_get_string(item)
						   : NULL,
					   &bits);

		if (context < 0)
			return context;
		*contexts = (*contexts & ~context_mask((unsigned)context)) | bits;
	}
	return 0;
}

static int take_file_limits(struct control_client *client, struct json_object *request,
			    struct channel_config *config)
{
	uint64_t count = config->file_count;

	if (control_take_number(client, request, "file_size", INT64_MAX, &config->file_size) != 0 ||
	    control_take_number(client, request, "file_count", UINT32_MAX, &count) != 0)
		return -EINVAL;
	config->file_count = (uint32_t)count;
	return 0;
}

/* A flight recorder's rings are read for snapshots alone, which check_mode() says. */
static int take_flush(struct control_client *client, struct json_object *request,
		      struct channel_config *config)
{
	uint64_t period = config->flush_ms;

	if (control_take_number(client, request, "flush_ms", UINT32_MAX, &period) != 0)
		return -EINVAL;
	if (period != 0 && period < PROTOCOL_CONTROL_FLUSH_MIN_MS) {
		control_refuse(client, "give 10 ms or more, or 0",
			       "a channel cannot be flushed every %u ms", (unsigned int)period);
		return -EINVAL;
	}
	config->flush_ms = (uint32_t)period;
	return 0;
}

/* "buffers", and the contexts that go with it. */
static int take_buffers(struct control_client *client, struct json_object *request,
			struct channel_config *config)
{
	const char *buffers = NULL;

	if (control_take_string(client, request, "buffers", &buffers) != 0)
		return -EINVAL;
	if (buffers && strcmp(buffers, "user") != 0 && strcmp(buffers, "process") != 0) {
		control_refuse(client, "it is process or user", "there are no buffers of a '%.80s'",
			       buffers);
		return -EINVAL;
	}
	if (buffers)
		config->shared = strcmp(buffers, "user") == 0;
	if (buffers && config->shared)
		config->contexts |= CHANNEL_SHARED_CONTEXTS;
	return 0;
}

/*
 * Reads a channel's configuration from the request. A change may leave out any part of it. 0, or
 * the request is refused.
 */
static int take_channel_config(struct control_client *client, struct json_object *request,
			       bool change, struct channel_config *config)
{
	uint64_t timeout = config->blocking_timeout_ms;
	const char *mode = NULL;

	if ((change ? control_take_number : control_need_number)(
		    client, request, "subbuf_size", INT64_MAX, &config->subbuf_size) != 0 ||
	    (change ? control_take_number : control_need_number)(client, request, "subbufs",
								 INT64_MAX, &config->subbufs) != 0)
		return -EINVAL;
	if (!change && !json_object_object_get_ex(request, "mode", NULL)) {
		control_need_string(client, request, "mode");
		return -EINVAL;
	}
	if (control_take_string(client, request, "mode", &mode) != 0)
		return -EINVAL;
	if (mode && channel_mode_parse(mode, &config->mode) != 0) {
		control_refuse(client, "it is discard, overwrite or blocking",
			       "there is no mode '%.80s'", mode);
		return -EINVAL;
	}
	if (control_take_number(client, request, "blocking_timeout_ms", UINT32_MAX, &timeout) != 0)
		return -EINVAL;
	config->blocking_timeout_ms = (uint32_t)timeout;
	if (take_flush(client, request, config) != 0)
		return -EINVAL;
	if (take_file_limits(client, request, config) != 0 ||
	    take_contexts(client, request, &config->contexts) != 0)
		return -EINVAL;
	return take_buffers(client, request, config);
}

/* 0, or the request is refused. */
static int check_mode(struct control_client *client, const struct session *session,
		      const struct channel_config *config)
{
	if (session->is_flight_recorder && config->flush_ms) {
		control_refuse(client, "take snapshots",
			       "session %s is a flight recorder, whose channels are not flushed",
			       session->name);
		return -EINVAL;
	}
	if (!session->is_flight_recorder || config->mode == LTTNGMAP_MODE_OVERWRITE)
		return 0;
	control_refuse(client, "give the mode overwrite",
		       "session %s is a flight recorder, whose channels overwrite", session->name);
	return -EINVAL;
}

static bool may_add(struct control_client *client, const struct session *session)
{
	if (session->state == SESSION_DRAINING || session->state == SESSION_FINISHING)
		control_refuse(client, "try again when it has stopped",
			       "session %s is being stopped", session->name);
	else if (session->nr_streams >= LTTNGMAP_CHANNELS)
		control_refuse(client, "use another session", "session %s has had %u channels",
			       session->name, session->nr_streams);
	else
		return true;
	return false;
}

static void add(struct control_client *client, struct session *session, struct json_object *request)
{
	char why[CHANNEL_WHY_SIZE], hint[CHANNEL_WHY_SIZE];
	struct channel_config config = { .contexts = 0 };
	struct channel *channel;

	config.name = control_need_name(client, request, "channel");
	if (!config.name || take_channel_config(client, request, false, &config) != 0 ||
	    check_mode(client, session, &config) != 0)
		return;
	if (control_find_channel(session, config.name))
		control_refuse_already(client, "use another name, or \"change\"",
				       "session %s has a channel '%s' already", session->name,
				       config.name);
	else if (!may_add(client, session))
		return;
	else if (session_add_channel(session, &config, &channel, why, hint) != 0)
		control_refuse(client, hint, "cannot make channel %s: %s", config.name, why);
	else
		control_answer(client, NULL);
}

/* Ask for it as it is to be. */
static void change_to(struct control_client *client, struct channel *channel,
		      const struct channel_config *config)
{
	char why[CHANNEL_WHY_SIZE], hint[CHANNEL_WHY_SIZE];

	if (session_change_channel(channel, config, why, hint) != 0)
		control_refuse(client, hint, "cannot change channel %s: %s", channel->name, why);
	else
		control_answer(client, NULL);
}

static void change(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_idle(client, request);
	struct channel_config config;
	struct channel *channel;

	channel = session ? control_need_channel(client, session, request) : NULL;
	if (!channel)
		return;
	channel_get_config(channel, &config);
	if (take_channel_config(client, request, true, &config) == 0 &&
	    check_mode(client, session, &config) == 0)
		change_to(client, channel, &config);
}

void control_serve_channel(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);
	bool is_change = false;

	if (!session || control_take_bool(client, request, "change", &is_change) != 0 ||
	    !control_list_fits(client, session, request))
		return;
	if (is_change)
		change(client, request);
	else
		add(client, session, request);
}

void control_serve_channel_remove(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_idle(client, request);
	struct channel *channel;

	channel = session ? control_need_channel(client, session, request) : NULL;
	if (!channel)
		return;
	session_remove_channel(channel);
	control_answer(client, NULL);
}

void control_serve_channel_enable(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);
	struct channel *channel;
	bool enabled = true;

	channel = session ? control_need_channel(client, session, request) : NULL;
	if (!channel || control_take_bool(client, request, "enabled", &enabled) != 0 ||
	    !control_list_fits(client, session, request))
		return;
	if (channel->rules.disabled != enabled) {
		control_refuse(client, "`list` shows which channels are disabled",
			       "channel %s is %s already", channel->name,
			       enabled ? "enabled" : "disabled");
		return;
	}
	session_set_channel_enabled(channel, enabled);
	control_answer(client, NULL);
}

void control_serve_context(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_idle(client, request);
	struct channel_config config;
	struct channel *channel;
	bool remove = false;
	const char *name;
	uint64_t bits, mask;
	int context;

	channel = session ? control_need_channel(client, session, request) : NULL;
	name = channel ? control_need_string(client, request, "context") : NULL;
	if (!name || control_take_bool(client, request, "remove", &remove) != 0)
		return;
	context = find_context(client, name, &bits);
	if (context < 0)
		return;
	mask = context_mask((unsigned)context);
	channel_get_config(channel, &config);
	if (((config.contexts & mask) != 0) != remove) {
		control_refuse(client, "`list` shows a channel's contexts",
			       "channel %s has the context %s %s", channel->name, name,
			       remove ? "not" : "already");
		return;
	}
	if (!remove && !control_list_fits(client, session, request))
		return;
	config.contexts = (config.contexts & ~mask) | (remove ? 0 : bits);
	change_to(client, channel, &config);
}
