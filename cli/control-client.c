/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* control-client.c - the command's end of common/protocol-control.h. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/protocol-control.h"
#include "control-client.h"

struct control_client {
	int fd;
	bool pending;
	char error[512];
	char hint[512];
	char message[PROTOCOL_CONTROL_MESSAGE_MAX + 1];
};

int control_client_connect(const char *runtime_dir, struct control_client **client)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct control_client *new;
	int error;

	error = snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", runtime_dir,
			 PROTOCOL_CONTROL_SOCKET);
	if (error < 0 || (size_t)error >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (new->fd < 0) {
		error = -errno;
		goto free;
	}
	/* Unix sockets connect at once or not at all. */
	if (connect(new->fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		error = -errno;
		goto close;
	}
	*client = new;
	return 0;
close:
	close(new->fd);
free:
	free(new);
	return error;
}

void control_client_close(struct control_client *client)
{
	if (!client)
		return;
	close(client->fd);
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
	const char *text;
	size_t length = 0;
	int error = 0;

	text = json_object_to_json_string_length(request, JSON_C_TO_STRING_PLAIN, &length);
	if (client->pending)
		error = -EBUSY;
	else if (!text)
		error = -ENOMEM;
	else if (length > PROTOCOL_CONTROL_MESSAGE_MAX)
		error = -EMSGSIZE;
	else if (send(client->fd, text, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		error = -errno;
	else
		client->pending = true;
	json_object_put(request);
	return error;
}

static void keep(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

/* Sorts out a whole message; takes nothing over. */
static int understand(struct control_client *client, struct json_object *message)
{
	if (!json_object_is_type(message, json_type_object))
		return -EBADMSG;
	if (control_answer_flag(message, "ok"))
		return 0;
	if (control_answer_text(message, "error")[0] == '\0')
		return -EBADMSG;
	keep(client->error, sizeof(client->error), control_answer_text(message, "error"));
	keep(client->hint, sizeof(client->hint), control_answer_text(message, "hint"));
	return -EREMOTEIO;
}

int control_client_receive(struct control_client *client, struct json_object **answer)
{
	struct json_object *message;
	ssize_t length;
	int error;

	length = recv(client->fd, client->message, sizeof(client->message) - 1,
		      MSG_DONTWAIT | MSG_TRUNC);
	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	if (length < 0 && errno != ECONNRESET)
		return -errno;
	if (length <= 0)
		return -EPIPE;
	if (!client->pending || length > PROTOCOL_CONTROL_MESSAGE_MAX)
		return -EBADMSG;
	client->pending = false;
	client->message[length] = '\0';
	message = json_tokener_parse(client->message);
	if (!message)
		return -EBADMSG;
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

uint64_t control_answer_count(struct json_object *answer, const char *key)
{
	struct json_object *member;

	if (!json_object_object_get_ex(answer, key, &member) ||
	    !json_object_is_type(member, json_type_int))
		return 0;
	return json_object_get_uint64(member);
}

bool control_answer_flag(struct json_object *answer, const char *key)
{
	struct json_object *member;

	return json_object_object_get_ex(answer, key, &member) &&
	       json_object_is_type(member, json_type_boolean) && json_object_get_boolean(member);
}

const char *control_answer_text(struct json_object *answer, const char *key)
{
	struct json_object *member;

	if (!json_object_object_get_ex(answer, key, &member) ||
	    !json_object_is_type(member, json_type_string))
		return "";
	return json_object_get_string(member);
}
