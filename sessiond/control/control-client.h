/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-client.h - a connection to control.sock, and the answer to its request.
 *
 * Main thread.
 */
#ifndef SESSIOND_CONTROL_CONTROL_CLIENT_H
#define SESSIOND_CONTROL_CONTROL_CLIENT_H

#include <sys/socket.h>

#include <json-c/json.h>

struct control_client;
struct daemon;

struct daemon *control_client_daemon(struct control_client *client);
/* Credentials of the client. */
const struct ucred *control_client_peer(const struct control_client *client);

/* Exactly one of these answers a request, at once or later. */
/* {"ok": true} and the members of `answer`, which it takes; NULL: no others. */
void control_answer(struct control_client *client, struct json_object *answer);
void control_refuse(struct control_client *client, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Refuses a request whose effect is there already; the member "already" says so to a client that
 * repeats it.
 */
void control_refuse_already(struct control_client *client, const char *hint, const char *format,
			    ...) __attribute__((format(printf, 3, 4)));
/*
 * The filter, or the text of the request's member `in`, is wrong at that place: in bytes, from 0.
 */
void control_refuse_at(struct control_client *client, const char *hint, const char *error,
		       const char *in, unsigned int column, unsigned int length);
/* It becomes the consumer's connection, or is refused. */
void control_become_consumer(struct control_client *client);

#endif /* SESSIOND_CONTROL_CONTROL_CLIENT_H */
