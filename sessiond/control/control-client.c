/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/control/control-client.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json-message.h"
#include "sessiond/base/close-untrusted.h"
#include "sessiond/base/parts.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/control/control-admit.h"
#include "sessiond/session/session.h"

struct daemon *control_client_daemon(struct control_client *client)
{
	return client->control->daemon;
}

const struct ucred *control_client_peer(const struct control_client *client)
{
	return &client->peer;
}

void control_client_free(struct control_client *client)
{
	cds_list_del(&client->node);
	client->control->nr_clients--;
	/* Answers that come later have nobody to go to. */
	if (client->control->daemon->sessions)
		sessions_forget(client->control->daemon->sessions, client);
	if (client->fd >= 0) {
		run_queue_remove(client->control->daemon->run_queue, &client->entry, client->fd);
		close_untrusted(client->fd);
	}
	free(client);
}

/* Takes answer. */
static void client_send(struct control_client *client, struct json_object *answer)
{
	int error = 0;

	client->pending = false;
	if (client->answered)
		client->answered(client, answer);
	else
		error = json_message_send(client->fd, answer, -1, 0);
	json_object_put(answer);
	/* One answer always fits unless many were left unread: it is not listening. */
	if (error)
		client->doomed = true;
}

void control_answer(struct control_client *client, struct json_object *answer)
{
	if (!answer)
		answer = json_object_new_object();
	json_object_object_add(answer, "ok", json_object_new_boolean(true));
	client_send(client, answer);
}

static struct json_object *make_refusal(const char *hint, const char *format, va_list arguments)
{
	struct json_object *answer = json_object_new_object();
	char error[512];

	vsnprintf(error, sizeof(error), format, arguments);
	json_object_object_add(answer, "ok", json_object_new_boolean(false));
	json_object_object_add(answer, "error", json_object_new_string(error));
	json_object_object_add(answer, "hint", json_object_new_string(hint));
	return answer;
}

void control_refuse(struct control_client *client, const char *hint, const char *format, ...)
{
	struct json_object *answer;
	va_list arguments;

	va_start(arguments, format);
	answer = make_refusal(hint, format, arguments);
	va_end(arguments);
	client_send(client, answer);
}

void control_refuse_already(struct control_client *client, const char *hint, const char *format,
			    ...)
{
	struct json_object *answer;
	va_list arguments;

	va_start(arguments, format);
	answer = make_refusal(hint, format, arguments);
	va_end(arguments);
	json_object_object_add(answer, "already", json_object_new_boolean(true));
	client_send(client, answer);
}

void control_refuse_at(struct control_client *client, const char *hint, const char *error,
		       const char *in, unsigned int column, unsigned int length)
{
	struct json_object *answer = json_object_new_object();

	json_object_object_add(answer, "ok", json_object_new_boolean(false));
	json_object_object_add(answer, "error", json_object_new_string(error));
	json_object_object_add(answer, "hint", json_object_new_string(hint));
	if (in)
		json_object_object_add(answer, "in", json_object_new_string(in));
	json_object_object_add(answer, "column", json_object_new_int64(column));
	json_object_object_add(answer, "length", json_object_new_int64(length));
	client_send(client, answer);
}

void control_become_consumer(struct control_client *client)
{
	struct daemon *daemon = client->control->daemon;
	int error;

	run_queue_remove(daemon->run_queue, &client->entry, client->fd);
	error = consumers_attach(daemon->consumers, client->fd, &client->peer);
	if (error == 0)
		client->fd = -1;
	else
		control_refuse(client, "use the consumer that this daemon started",
			       "process %d cannot be the consumer: %s", client->peer.pid,
			       error == -EBUSY ? "there is one already" : strerror(-error));
	client->pending = false;
	client->doomed = true;
}
