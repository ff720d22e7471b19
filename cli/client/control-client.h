/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-client.h - the command's side of common/protocol/protocol-control.h.
 *
 * One request at a time. No function blocks: callers poll control_client_fd() and can do other work
 * meanwhile. One thread; no signal is raised.
 */
#ifndef CLI_CLIENT_CONTROL_CLIENT_H
#define CLI_CLIENT_CONTROL_CLIENT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

struct control_client;

/* 0 or -errno; -ENAMETOOLONG: the socket's path would be too long. */
int control_client_connect(const char *runtime_dir, struct control_client **client);
/* The same without waiting; -EAGAIN: the daemon's queue of connections is full. */
int control_client_connect_now(const char *runtime_dir, struct control_client **client);
/* NULL is allowed. */
void control_client_close(struct control_client *client);
int control_client_fd(const struct control_client *client);
/* True while a request has no answer yet. */
bool control_client_pending(const struct control_client *client);

/* Takes `request`, even on failure. 0 or -errno; -EBUSY: a request is pending. */
int control_client_send(struct control_client *client, struct json_object *request);
/*
 * Receives the answer to the pending request; the caller puts it. 0; -EAGAIN: no answer yet;
 * -EREMOTEIO: the daemon refused, see control_client_error(); -EPIPE: the daemon closed the
 * connection; -EBADMSG: the message is no answer.
 */
int control_client_receive(struct control_client *client, struct json_object **answer);

/* After -EREMOTEIO: what failed, and what to do; "": unknown. */
const char *control_client_error(const struct control_client *client);
const char *control_client_hint(const struct control_client *client);
/* The whole refusal, valid until the next request; NULL: none. */
struct json_object *control_client_refusal(const struct control_client *client);

/* Members of an untrusted answer; 0, false or "" if missing or of another type. */
uint64_t control_answer_count(struct json_object *answer, const char *key);
bool control_answer_flag(struct json_object *answer, const char *key);
const char *control_answer_text(struct json_object *answer, const char *key);
/* Length of `trouble` without what only fits a session that goes on, for "%.*s", when it ends. */
int control_ended_length(const char *trouble);

#endif /* CLI_CLIENT_CONTROL_CLIENT_H */
