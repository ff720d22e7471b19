/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/session-file.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <lttngmap/event-class.h>

#include "cli/base/options.h"
#include "cli/client/json-keys.h"
#include "common/base/json-message.h"
#include "common/base/name.h"

/* ---- what stands where --------------------------------------------------------- */

struct reader {
	char path[256]; /* "sessions[0].channels[1]" */
	char *why;
};

enum member_type {
	MEMBER_TEXT,
	MEMBER_NUMBER,
	MEMBER_FLAG,
	MEMBER_OBJECT,
	MEMBER_ARRAY, /* of objects of `shape`, or of texts */
	MEMBER_VALUE, /* text or number, which the object's own check tells apart */
};

struct shape;

struct member {
	const char *key;
	enum member_type type;
	const struct shape *shape;
	bool optional;
	uint64_t max;
	/* For a text: returns NULL, or what is wrong with it. */
	const char *(*check_text)(const char *text);
};

struct shape {
	const struct member *members; /* ends without a key */
	/* Returns NULL, or what is wrong with the whole object. */
	const char *(*check)(struct json_object *object);
};

static const char *check_name(const char *text)
{
	return name_is_session(text) ? NULL : "it is no name: 1 to 64 of A-Z a-z 0-9 . _ + -";
}

static const char *check_directory(const char *text)
{
	return text[0] == '/' && strlen(text) < PATH_MAX ? NULL : "it is no absolute path";
}

static const char *check_mode(const char *text)
{
	return strcmp(text, "discard") == 0 || strcmp(text, "overwrite") == 0 ||
			       strcmp(text, "blocking") == 0
		       ? NULL
		       : "it is discard, overwrite or blocking";
}

static const char *check_buffers(const char *text)
{
	return strcmp(text, "process") == 0 || strcmp(text, "user") == 0 ? NULL
									 : "it is process or user";
}

static const char *check_filled(const char *text)
{
	return text[0] != '\0' ? NULL : "it is empty";
}

static const char *check_format(const char *text)
{
	return strcmp(text, SESSION_FILE_FORMAT) == 0 ? NULL : "it is not " SESSION_FILE_FORMAT;
}

static const char *check_version(struct json_object *object)
{
	uint64_t version = 0;

	json_message_get_uint64(object, "version", 0, UINT64_MAX, &version);
	return version == SESSION_FILE_VERSION ? NULL : "its version is unknown to this command";
}

static const char *check_tracker(struct json_object *object)
{
	const char *kind = "", *name;
	uint64_t number;

	json_message_get_string(object, "kind", &kind);
	if (strcmp(kind, "name") == 0)
		return json_message_get_string(object, "value", &name) == 0 && name[0] != '\0'
			       ? NULL
			       : "value is to be a pattern";
	if (strcmp(kind, "pid") != 0 && strcmp(kind, "uid") != 0 && strcmp(kind, "gid") != 0)
		return "kind is pid, uid, gid or name";
	return json_message_get_uint64(object, "value", 0, UINT32_MAX, &number) == 0
		       ? NULL
		       : "value is to be a number";
}

static const char *check_channel(struct json_object *object)
{
	uint64_t subbuf_size = 0, subbufs = 0;
	const char *why = NULL;

	json_message_get_uint64(object, "subbuf_size", 0, UINT64_MAX, &subbuf_size);
	json_message_get_uint64(object, "subbufs", 0, UINT64_MAX, &subbufs);
	if (options_check_subbuf_size(subbuf_size, &why) == 0 &&
	    options_check_subbufs(subbufs, &why) == 0)
		return NULL;
	return why;
}

static const char *check_rule(struct json_object *object)
{
	if (json_object_object_get_ex(object, "loglevel_only", NULL) &&
	    !json_object_object_get_ex(object, "loglevel", NULL))
		return "loglevel_only without loglevel";
	return NULL;
}

static const char *check_session(struct json_object *object)
{
	struct json_object *channels = NULL;
	bool active = false;

	json_message_get_bool(object, "active", &active);
	json_object_object_get_ex(object, "channels", &channels);
	if (active && json_object_array_length(channels) == 0)
		return "it is active without a channel";
	return NULL;
}

#define TEXT(name, check)                                                                          \
	{                                                                                          \
		.key = name, .type = MEMBER_TEXT, .check_text = check                              \
	}
#define NUMBER(name, most)                                                                         \
	{                                                                                          \
		.key = name, .type = MEMBER_NUMBER, .max = most                                    \
	}
#define FLAG(name)                                                                                 \
	{                                                                                          \
		.key = name, .type = MEMBER_FLAG                                                   \
	}
#define OBJECT(name, of)                                                                           \
	{                                                                                          \
		.key = name, .type = MEMBER_OBJECT, .shape = of                                    \
	}
#define ARRAY(name, of)                                                                            \
	{                                                                                          \
		.key = name, .type = MEMBER_ARRAY, .shape = of                                     \
	}
#define END                                                                                        \
	{                                                                                          \
		.key = NULL                                                                        \
	}

static const struct shape tracker_shape = {
	.members = (const struct member[]){ TEXT("kind", NULL),
					    { .key = "value", .type = MEMBER_VALUE },
					    END },
	.check = check_tracker,
};

static const struct shape rotation_shape = {
	.members = (const struct member[]){ NUMBER("period_ms", INT64_MAX),
					    NUMBER("size", INT64_MAX), END },
};

static const struct shape rule_shape = {
	.members =
		(const struct member[]){
			FLAG("enabled"),
			TEXT("rule", check_filled),
			{ .key = "exclude", .type = MEMBER_TEXT, .optional = true },
			{ .key = "loglevel",
			  .type = MEMBER_NUMBER,
			  .optional = true,
			  .max = LTTNGMAP_LOGLEVEL_DEBUG },
			{ .key = "loglevel_only", .type = MEMBER_FLAG, .optional = true },
			{ .key = "filter", .type = MEMBER_TEXT, .optional = true },
			END,
		},
	.check = check_rule,
};

static const struct shape channel_shape = {
	.members =
		(const struct member[]){
			TEXT("channel", check_name),
			NUMBER("subbuf_size", INT64_MAX),
			NUMBER("subbufs", INT64_MAX),
			TEXT("mode", check_mode),
			NUMBER("blocking_timeout_ms", UINT32_MAX),
			{ .key = "flush_ms",
			  .type = MEMBER_NUMBER,
			  .max = UINT32_MAX,
			  .optional = true },
			NUMBER("file_size", INT64_MAX),
			NUMBER("file_count", UINT32_MAX),
			{ .key = "buffers",
			  .type = MEMBER_TEXT,
			  .optional = true,
			  .check_text = check_buffers },
			{ .key = "disabled", .type = MEMBER_FLAG, .optional = true },
			ARRAY("contexts", NULL),
			ARRAY("rules", &rule_shape),
			END,
		},
	.check = check_channel,
};

static const struct shape session_shape = {
	.members =
		(const struct member[]){
			TEXT("session", check_name),
			TEXT("output", check_directory),
			FLAG("snapshot"),
			FLAG("active"),
			ARRAY("trackers", &tracker_shape),
			OBJECT("rotation", &rotation_shape),
			ARRAY("channels", &channel_shape),
			END,
		},
	.check = check_session,
};

static const struct shape file_shape = {
	.members =
		(const struct member[]){
			TEXT("format", check_format),
			NUMBER("version", INT64_MAX),
			ARRAY("sessions", &session_shape),
			END,
		},
	.check = check_version,
};

/* ---- checking ------------------------------------------------------------------- */

static int check_object(struct reader *reader, struct json_object *object,
			const struct shape *shape);

__attribute__((format(printf, 2, 3))) static int wrong(struct reader *reader, const char *format,
						       ...)
{
	va_list arguments;
	int length = snprintf(reader->why, SESSION_FILE_WHY_SIZE, "%s%s", reader->path,
			      reader->path[0] ? ": " : "");

	va_start(arguments, format);
	vsnprintf(reader->why + length, SESSION_FILE_WHY_SIZE - length, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/* Returns the path's length before, for truncating it later. */
__attribute__((format(printf, 2, 3))) static size_t enter(struct reader *reader, const char *format,
							  ...)
{
	size_t length = strlen(reader->path);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reader->path + length, sizeof(reader->path) - length, format, arguments);
	va_end(arguments);
	return length;
}

static int check_text_element(struct reader *reader, struct json_object *array, size_t index)
{
	struct json_object *value = json_object_array_get_idx(array, index);

	if (!json_object_is_type(value, json_type_string))
		return wrong(reader, "it is to be a text");
	for (size_t i = 0; i < index; i++) {
		if (json_object_equal(json_object_array_get_idx(array, i), value))
			return wrong(reader, "it is there twice");
	}
	return 0;
}

static int check_array(struct reader *reader, struct json_object *array, const struct shape *shape)
{
	int error = 0;

	for (size_t i = 0; !error && i < json_object_array_length(array); i++) {
		size_t outside = enter(reader, "[%zu]", i);

		if (!shape)
			error = check_text_element(reader, array, i);
		else
			error = check_object(reader, json_object_array_get_idx(array, i), shape);
		reader->path[outside] = '\0';
	}
	return error;
}

static int check_text(struct reader *reader, struct json_object *object,
		      const struct member *member)
{
	const char *text, *why;

	if (json_message_get_string(object, member->key, &text))
		return wrong(reader, "it is to be a text");
	why = member->check_text ? member->check_text(text) : NULL;
	return why ? wrong(reader, "'%.100s': %s", text, why) : 0;
}

static int check_number(struct reader *reader, struct json_object *object,
			const struct member *member)
{
	uint64_t number;
	int error = json_message_get_uint64(object, member->key, 0, member->max, &number);

	if (error == -ERANGE)
		return wrong(reader, "it is to be from 0 to %llu", (unsigned long long)member->max);
	return error ? wrong(reader, "it is to be a whole number") : 0;
}

static int check_member(struct reader *reader, struct json_object *object,
			struct json_object *value, const struct member *member)
{
	switch (member->type) {
	case MEMBER_TEXT:
		return check_text(reader, object, member);
	case MEMBER_NUMBER:
		return check_number(reader, object, member);
	case MEMBER_FLAG:
		if (!json_object_is_type(value, json_type_boolean))
			return wrong(reader, "it is to be true or false");
		return 0;
	case MEMBER_OBJECT:
		return check_object(reader, value, member->shape);
	case MEMBER_ARRAY:
		if (!json_object_is_type(value, json_type_array))
			return wrong(reader, "it is to be an array");
		return check_array(reader, value, member->shape);
	case MEMBER_VALUE:
		break;
	}
	return 0;
}

static int check_unknown(struct reader *reader, struct json_object *object,
			 const struct shape *shape)
{
	json_object_object_foreach(object, key, value)
	{
		const struct member *member = shape->members;

		(void)value;
		while (member->key && strcmp(member->key, key) != 0)
			member++;
		if (!member->key)
			return wrong(reader, "there is no member '%.80s' here", key);
	}
	return 0;
}

static int check_object(struct reader *reader, struct json_object *object,
			const struct shape *shape)
{
	const char *why;
	int error;

	if (!json_object_is_type(object, json_type_object))
		return wrong(reader, "it is to be an object");
	error = check_unknown(reader, object, shape);
	for (const struct member *member = shape->members; !error && member->key; member++) {
		struct json_object *value;
		size_t outside;

		if (!json_object_object_get_ex(object, member->key, &value)) {
			if (!member->optional)
				return wrong(reader, "member '%s' is missing", member->key);
			continue;
		}
		outside = enter(reader, "%s%s", reader->path[0] ? "." : "", member->key);
		error = check_member(reader, object, value, member);
		reader->path[outside] = '\0';
	}
	why = !error && shape->check ? shape->check(object) : NULL;
	return why ? wrong(reader, "%s", why) : error;
}

/* ---- reading and making ----------------------------------------------------------- */

static int wrong_at(char why[SESSION_FILE_WHY_SIZE], const char *text, size_t at, const char *what)
{
	unsigned line = 1, column = 1;

	for (size_t i = 0; i < at; i++) {
		column = text[i] == '\n' ? 1 : column + 1;
		line += text[i] == '\n';
	}
	snprintf(why, SESSION_FILE_WHY_SIZE, "line %u, column %u: %s", line, column, what);
	return -EINVAL;
}

static int parse(const char *text, size_t size, struct json_object **object,
		 char why[SESSION_FILE_WHY_SIZE])
{
	struct json_tokener *tokener = json_tokener_new_ex(JSON_KEYS_DEPTH);
	enum json_tokener_error error;
	size_t twice;
	int result = 0;

	if (!tokener) {
		snprintf(why, SESSION_FILE_WHY_SIZE, "out of memory");
		return -ENOMEM;
	}
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*object = json_tokener_parse_ex(tokener, text, size);
	error = json_tokener_get_error(tokener);
	if (error == json_tokener_continue)
		result = wrong_at(why, text, size, "it ends too early");
	else if (error != json_tokener_success)
		result = wrong_at(why, text, json_tokener_get_parse_end(tokener),
				  json_tokener_error_desc(error));
	else if (json_tokener_get_parse_end(tokener) < size)
		result = wrong_at(why, text, json_tokener_get_parse_end(tokener),
				  "something follows the end");
	json_tokener_free(tokener);
	if (result)
		return result;
	twice = json_keys_find_duplicate(text, size);
	return twice < size ? wrong_at(why, text, twice, "this member is there twice") : 0;
}

int session_file_parse(const char *text, size_t size, struct json_object **file,
		       char why[SESSION_FILE_WHY_SIZE])
{
	struct reader reader = { .path = "", .why = why };
	struct json_object *object = NULL;
	const char *nul = memchr(text, '\0', size);
	int error;

	if (nul)
		return wrong_at(why, text, nul - text, "a NUL byte");
	error = parse(text, size, &object, why);
	if (!error)
		error = check_object(&reader, object, &file_shape);
	if (error)
		json_object_put(object);
	else
		*file = object;
	return error;
}

static struct json_object *copy_object(struct json_object *object, const struct shape *shape);

static struct json_object *copy_array(struct json_object *array, const struct shape *shape)
{
	struct json_object *copy = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(array); i++)
		json_object_array_add(copy,
				      copy_object(json_object_array_get_idx(array, i), shape));
	return copy;
}

/* Copies only what a file has: a session's owner, say, does not belong on another machine. */
static struct json_object *copy_object(struct json_object *object, const struct shape *shape)
{
	struct json_object *copy = json_object_new_object(), *value;

	for (const struct member *member = shape->members; member->key; member++) {
		if (!json_object_object_get_ex(object, member->key, &value))
			continue;
		if (member->shape && json_object_is_type(value, json_type_array))
			value = copy_array(value, member->shape);
		else if (member->shape && json_object_is_type(value, json_type_object))
			value = copy_object(value, member->shape);
		else
			value = json_object_get(value);
		json_object_object_add(copy, member->key, value);
	}
	return copy;
}

struct json_object *session_file_make(struct json_object *sessions)
{
	struct json_object *file = json_object_new_object();

	json_object_object_add(file, "format", json_object_new_string(SESSION_FILE_FORMAT));
	json_object_object_add(file, "version", json_object_new_int(SESSION_FILE_VERSION));
	json_object_object_add(file, "sessions", copy_array(sessions, &session_shape));
	return file;
}
