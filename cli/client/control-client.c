/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/control-client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/json-message.h"
#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"

struct control_client {
	int fd;
	bool pending;
	char error[512];
	char hint[512];
	struct json_object *refusal;
};

static int connect_to(const char *runtime_dir, int type, struct control_client **client)
{
	char path[SOCKET_PATH_MAX + 1];
	struct control_client *new;
	int error;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", runtime_dir, PROTOCOL_CONTROL_SOCKET) >=
	    sizeof(path))
		return -ENAMETOOLONG;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	error = socket_connect(path, type, &new->fd);
	if (error) {
		free(new);
		return error;
	}
	*client = new;
	return 0;
}

int control_client_connect(const char *runtime_dir, struct control_client **client)
{
	return connect_to(runtime_dir, SOCK_SEQPACKET, client);
}

int control_client_connect_now(const char *runtime_dir, struct control_client **client)
{
	return connect_to(runtime_dir, SOCK_SEQPACKET | SOCK_NONBLOCK, client);
}

void control_client_close(struct control_client *client)
{
	if (!client)
		return;
	close(client->fd);
	json_object_put(client->refusal);
	free(client);
}

int control_client_fd(const struct control_client *client)
{
	return client->fd;
}

bool control_client_pending(const struct control_client *client)
{
	return client->pending;
}

int control_client_send(struct control_client *client, struct json_object *request)
{
	int error = client->pending ? -EBUSY : json_message_send(client->fd, request, -1, 0);

	if (!error) {
		client->pending = true;
		json_object_put(client->refusal);
		client->refusal = NULL;
	}
	json_object_put(request);
	return error;
}

static void keep(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

/* Classifies a complete message; the caller keeps its ownership. */
static int understand(struct control_client *client, struct json_object *message)
{
	if (control_answer_flag(message, "ok"))
		return 0;
	if (control_answer_text(message, "error")[0] == '\0')
		return -EBADMSG;
	keep(client->error, sizeof(client->error), control_answer_text(message, "error"));
	keep(client->hint, sizeof(client->hint), control_answer_text(message, "hint"));
	json_object_put(client->refusal);
	client->refusal = json_object_get(message);
	return -EREMOTEIO;
}

int control_client_receive(struct control_client *client, struct json_object **answer)
{
	struct json_object *message;
	int error = json_message_receive(client->fd, &message, NULL, 0);

	if (error == -ECONNRESET)
		return -EPIPE;
	if (error)
		return error;
	if (!client->pending) {
		json_object_put(message);
		return -EBADMSG;
	}
	client->pending = false;
	error = understand(client, message);
	if (error)
		json_object_put(message);
	else
		*answer = message;
	return error;
}

const char *control_client_error(const struct control_client *client)
{
	return client->error;
}

const char *control_client_hint(const struct control_client *client)
{
	return client->hint;
}

struct json_object *control_client_refusal(const struct control_client *client)
{
	return client->refusal;
}

uint64_t control_answer_count(struct json_object *answer, const char *key)
{
	uint64_t value = 0;

	json_message_get_uint64(answer, key, 0, UINT64_MAX, &value);
	return value;
}

bool control_answer_flag(struct json_object *answer, const char *key)
{
	bool value = false;

	json_message_get_bool(answer, key, &value);
	return value;
}

const char *control_answer_text(struct json_object *answer, const char *key)
{
	const char *value = "";

	json_message_get_string(answer, key, &value);
	return value;
}

int control_ended_length(const char *trouble)
{
	static const char *const tails[] = {
		PROTOCOL_CONTROL_GOES_ON,
		("; " PROTOCOL_CONTROL_ANOTHER),
		PROTOCOL_CONTROL_OR_ANOTHER,
	};
	size_t length = strlen(trouble), tail;

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		tail = strlen(tails[i]);
		if (length >= tail && strcmp(trouble + length - tail, tails[i]) == 0)
			length -= tail;
	}
	return (int)length;
}
