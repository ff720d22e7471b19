/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* trigger-config.c - what a trigger is for, as requests and the saved state have it. */
#include "sessiond/trigger/trigger.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/json-message.h"

static const char *const condition_names[TRIGGER_CONDITIONS] = {
	[TRIGGER_EVENT] = "event",     [TRIGGER_LOST] = "lost", [TRIGGER_BYTES] = "bytes",
	[TRIGGER_ROTATED] = "rotated", [TRIGGER_FILL] = "fill", [TRIGGER_COUNT] = "count",
};

static const char *const action_names[TRIGGER_ACTION_KINDS] = {
	[TRIGGER_NOTIFY] = "notify", [TRIGGER_START] = "start",       [TRIGGER_STOP] = "stop",
	[TRIGGER_ROTATE] = "rotate", [TRIGGER_SNAPSHOT] = "snapshot",
};

static int find_name(const char *const *names, int count, const char *name, size_t length)
{
	for (int i = 0; i < count; i++)
		if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
			return i;
	return -1;
}

/* The rest behind the colon of "NAME:REST", or "NAME". 0, or -EINVAL: too long. */
static int take_rest(const char *text, size_t length, char *rest, size_t size)
{
	const char *from = text[length] ? text + length + 1 : "";

	if (strlen(from) >= size)
		return -EINVAL;
	strcpy(rest, from);
	return 0;
}

const char *trigger_action_name(enum trigger_action_kind kind)
{
	return action_names[kind];
}

static int parse_action(const char *text, struct trigger_action *action)
{
	size_t length = strcspn(text, ":");
	int kind = find_name(action_names, TRIGGER_ACTION_KINDS, text, length);

	if (kind < 0)
		return -EINVAL;
	*action = (struct trigger_action){ .kind = (enum trigger_action_kind)kind };
	if (take_rest(text, length, action->session, sizeof(action->session)) != 0)
		return -EINVAL;
	return (kind == TRIGGER_NOTIFY) == (action->session[0] == '\0') ? 0 : -EINVAL;
}

static int parse_condition(const char *text, struct trigger_config *config)
{
	size_t length = strcspn(text, ":");
	int condition = find_name(condition_names, TRIGGER_CONDITIONS, text, length);

	if (condition < 0)
		return -EINVAL;
	config->condition = (enum trigger_condition)condition;
	if (take_rest(text, length, config->of, sizeof(config->of)) != 0)
		return -EINVAL;
	return (condition == TRIGGER_EVENT) == (config->of[0] == '\0') ? 0 : -EINVAL;
}

static const char *read_actions(struct json_object *object, struct trigger_config *config)
{
	struct json_object *array;

	if (!json_object_object_get_ex(object, "do", &array) ||
	    !json_object_is_type(array, json_type_array) || json_object_array_length(array) == 0 ||
	    json_object_array_length(array) > TRIGGER_ACTIONS_MAX)
		return "\"do\" is not an array of 1 to 8 actions";
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		struct json_object *item = json_object_array_get_idx(array, i);

		if (!json_object_is_type(item, json_type_string) ||
		    parse_action(json_object_get_string(item), &config->actions[i]) != 0)
			return "an action is none of notify, start:SESSION, stop:SESSION, "
			       "rotate:SESSION and snapshot:SESSION";
		config->nr_actions++;
	}
	return NULL;
}

static bool read_number(struct json_object *object, const char *key, uint64_t max, uint64_t *value)
{
	int error = json_message_get_uint64(object, key, 0, max, value);

	return error == 0 || error == -ENOENT;
}

const char *trigger_config_read(struct json_object *object, struct trigger_config *config)
{
	const char *on = NULL;

	*config = (struct trigger_config){ .nr_actions = 0 };
	if (json_message_get_string(object, "on", &on) != 0 || parse_condition(on, config) != 0)
		return "the condition is none of event, lost:SESSION, bytes:SESSION, "
		       "rotated:SESSION, fill:SESSION and count:MAP";
	if (!read_number(object, "above", UINT64_MAX, &config->above) ||
	    !read_number(object, "times", UINT64_MAX, &config->times) ||
	    !read_number(object, "every_ms", TRIGGER_EVERY_MAX_MS, &config->every_ms))
		return "a number is none, or too large";
	return read_actions(object, config);
}

void trigger_config_write(const struct trigger_config *config, struct json_object *object)
{
	struct json_object *actions = json_object_new_array();
	char text[TRIGGER_TEXT_MAX];

	snprintf(text, sizeof(text), "%s%s%s", condition_names[config->condition],
		 config->of[0] ? ":" : "", config->of);
	json_object_object_add(object, "on", json_object_new_string(text));
	json_object_object_add(object, "above", json_object_new_uint64(config->above));
	json_object_object_add(object, "times", json_object_new_uint64(config->times));
	json_object_object_add(object, "every_ms", json_object_new_uint64(config->every_ms));
	for (uint32_t i = 0; i < config->nr_actions; i++) {
		snprintf(text, sizeof(text), "%s%s%s", action_names[config->actions[i].kind],
			 config->actions[i].session[0] ? ":" : "", config->actions[i].session);
		json_object_array_add(actions, json_object_new_string(text));
	}
	json_object_object_add(object, "do", actions);
}
