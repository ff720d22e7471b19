/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-socket.h - RUNTIME/control.sock, where the command asks: the
 * daemon's end of common/protocol-control.h. control-verbs.c has the table of
 * verbs.
 *
 * Who is served: root and the daemon's own user; by the system's instance
 * (root's, not private) also members of the group "tracing", where there is
 * one, each for sessions of its own.
 *
 * Main thread.
 */
#ifndef SESSIOND_CONTROL_SOCKET_H
#define SESSIOND_CONTROL_SOCKET_H

#include <sys/socket.h>

#include <json-c/json.h>

struct control_client;
struct control_socket;
struct daemon;

int control_socket_create(struct daemon *daemon, const char *path, struct control_socket **control);
/* NULL is allowed. */
void control_socket_destroy(struct control_socket *control);

struct daemon *control_client_daemon(struct control_client *client);
/* Who asks. */
const struct ucred *control_client_peer(const struct control_client *client);

/* Exactly one of these answers a request, at once or later. */
/* {"ok": true} and the members of `answer`, which it takes; NULL: no others. */
void control_answer(struct control_client *client, struct json_object *answer);
void control_refuse(struct control_client *client, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for what is wrong at a place of a filter: from 0, bytes. */
/* What was asked for is so already: "already" says it to whoever asked twice. */
void control_refuse_already(struct control_client *client, const char *hint, const char *format,
			    ...) __attribute__((format(printf, 3, 4)));
void control_refuse_at(struct control_client *client, const char *hint, const char *error,
		       unsigned int column, unsigned int length);
/* It becomes the consumer's connection, or is refused. */
void control_become_consumer(struct control_client *client);

/* A verb: what it may contain, and who serves it. */
struct control_verb {
	const char *name;
	const char *const *members; /* all that are allowed; ends in NULL */
	void (*serve)(struct control_client *client, struct json_object *request);
};

/* Ends in a verb without a name. */
extern const struct control_verb control_verbs[];

#endif /* SESSIOND_CONTROL_SOCKET_H */
