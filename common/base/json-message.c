/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/base/json-message.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"

#define TEXT_FLAGS (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

static int wait_for(int fd, short events, int timeout_ms)
{
	return timeout_ms == 0 ? -EAGAIN : socket_wait(fd, events, timeout_ms);
}

int json_message_send(int fd, struct json_object *object, int passed_fd, int timeout_ms)
{
	return json_message_send_fds(fd, object, &passed_fd, passed_fd >= 0 ? 1 : 0, timeout_ms);
}

int json_message_send_fds(int fd, struct json_object *object, const int *fds, size_t nr_fds,
			  int timeout_ms)
{
	size_t length;
	const char *text = json_object_to_json_string_length(object, TEXT_FLAGS, &length);
	int error;

	if (!text)
		return -ENOMEM;
	if (length > PROTOCOL_CONTROL_MESSAGE_MAX)
		return -EMSGSIZE;
	for (;;) {
		error = socket_send(fd, text, length, fds, nr_fds);
		if (error != -EAGAIN)
			return error;
		error = wait_for(fd, POLLOUT, timeout_ms);
		if (error < 0)
			return error;
	}
}

int json_message_receive(int fd, struct json_object **object, int *passed_fd, int timeout_ms)
{
	size_t nr_fds = passed_fd ? 1 : 0;
	int error, received_fd = -1;

	error = json_message_receive_fds(fd, object, &received_fd, &nr_fds, timeout_ms);
	if (passed_fd)
		*passed_fd = nr_fds > 0 ? received_fd : -1;
	return error;
}

int json_message_receive_fds(int fd, struct json_object **object, int *fds, size_t *nr_fds,
			     int timeout_ms)
{
	char *bytes = malloc(PROTOCOL_CONTROL_MESSAGE_MAX);
	size_t room = *nr_fds;
	ssize_t size;
	int error = 0;

	*nr_fds = 0;
	if (!bytes)
		return -ENOMEM;
	for (;;) {
		*nr_fds = room;
		size = socket_receive(fd, bytes, PROTOCOL_CONTROL_MESSAGE_MAX, MSG_DONTWAIT, fds,
				      nr_fds);
		if (size != -EAGAIN)
			break;
		*nr_fds = 0;
		error = wait_for(fd, POLLIN, timeout_ms);
		if (error < 0)
			goto free;
	}
	if (size == -ECONNRESET || size == 0)
		error = -EPIPE;
	else if (size < 0)
		error = (int)size;
	else
		error = json_message_parse(bytes, (size_t)size, object);
	while (error && *nr_fds > 0)
		close(fds[--*nr_fds]);
free:
	free(bytes);
	return error;
}

int json_message_parse(const char *bytes, size_t size, struct json_object **object)
{
	struct json_tokener *tokener;
	struct json_object *parsed;
	int error = 0;

	if (size > PROTOCOL_CONTROL_MESSAGE_MAX)
		return -EBADMSG;
	tokener = json_tokener_new_ex(JSON_MESSAGE_DEPTH);
	if (!tokener)
		return -ENOMEM;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	parsed = json_tokener_parse_ex(tokener, bytes, (int)size);
	if (json_tokener_get_error(tokener) != json_tokener_success ||
	    json_tokener_get_parse_end(tokener) != size ||
	    !json_object_is_type(parsed, json_type_object)) {
		json_object_put(parsed);
		error = -EBADMSG;
	} else {
		*object = parsed;
	}
	json_tokener_free(tokener);
	return error;
}

static int get_member(struct json_object *object, const char *key, enum json_type type,
		      struct json_object **member)
{
	if (!json_object_object_get_ex(object, key, member))
		return -ENOENT;
	return json_object_is_type(*member, type) ? 0 : -EINVAL;
}

int json_message_get_string(struct json_object *object, const char *key, const char **value)
{
	struct json_object *member;
	const char *text;
	int error = get_member(object, key, json_type_string, &member);

	if (error < 0)
		return error;
	text = json_object_get_string(member);
	/* "\u0000" is valid JSON, and would hide what follows it. */
	if (strlen(text) != (size_t)json_object_get_string_len(member))
		return -EINVAL;
	*value = text;
	return 0;
}

int json_message_get_uint64(struct json_object *object, const char *key, uint64_t min, uint64_t max,
			    uint64_t *value)
{
	struct json_object *member;
	uint64_t number;
	int error = get_member(object, key, json_type_int, &member);

	if (error < 0)
		return error;
	/* json_object_get_uint64() returns 0 for a negative number. */
	number = json_object_get_uint64(member);
	if (json_object_get_int64(member) < 0 || number < min || number > max)
		return -ERANGE;
	*value = number;
	return 0;
}

int json_message_get_bool(struct json_object *object, const char *key, bool *value)
{
	struct json_object *member;
	int error = get_member(object, key, json_type_boolean, &member);

	if (error < 0)
		return error;
	*value = json_object_get_boolean(member);
	return 0;
}

static bool is_listed(const char *key, const char *const *keys)
{
	for (; *keys; keys++) {
		if (strcmp(key, *keys) == 0)
			return true;
	}
	return false;
}

const char *json_message_unknown(struct json_object *object, const char *const *keys)
{
	struct json_object_iterator at = json_object_iter_begin(object);
	struct json_object_iterator end = json_object_iter_end(object);

	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		const char *key = json_object_iter_peek_name(&at);

		if (!is_listed(key, keys))
			return key;
	}
	return NULL;
}
