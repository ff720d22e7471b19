/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-client.h - the command's end of common/protocol-control.h.
 *
 * One request at a time. Nothing here blocks: who waits, polls
 * control_client_fd() and so can look after other things meanwhile. One
 * thread; no signal is raised.
 */
#ifndef LTTNGMAP_CLI_CLIENT_CONTROL_CLIENT_H
#define LTTNGMAP_CLI_CLIENT_CONTROL_CLIENT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

struct control_client;

/* 0 or -errno; -ENAMETOOLONG: no socket can have such a path. */
int control_client_connect(const char *runtime_dir, struct control_client **client);
/* The same, but -EAGAIN where the daemon lets so many wait that there is no place for us. */
int control_client_connect_now(const char *runtime_dir, struct control_client **client);
/* NULL is allowed. */
void control_client_close(struct control_client *client);
int control_client_fd(const struct control_client *client);
/* A request was sent and its answer has not been received. */
bool control_client_pending(const struct control_client *client);

/* Takes `request`, even on failure. 0 or -errno; -EBUSY: one is pending. */
int control_client_send(struct control_client *client, struct json_object *request);
/*
 * The answer to the pending request, to be put by the caller. 0; -EAGAIN: not
 * there yet; -EREMOTEIO: the daemon refused, see control_client_error();
 * -EPIPE: it closed the connection; -EBADMSG: what came is no answer.
 */
int control_client_receive(struct control_client *client, struct json_object **answer);

/* Of the last -EREMOTEIO: what failed, and what to do ("": not said). */
const char *control_client_error(const struct control_client *client);
const char *control_client_hint(const struct control_client *client);
/* The same answer as a whole, the client's until its next request; NULL: none. */
struct json_object *control_client_refusal(const struct control_client *client);

/* Members of an answer that is not trusted to have them: 0, false, "" then. */
uint64_t control_answer_count(struct json_object *answer, const char *key);
bool control_answer_flag(struct json_object *answer, const char *key);
const char *control_answer_text(struct json_object *answer, const char *key);
/* Bytes of a trouble without PROTOCOL_CONTROL_GOES_ON, for "%.*s": the session ends. */
int control_ended_length(const char *trouble);

#endif /* LTTNGMAP_CLI_CLIENT_CONTROL_CLIENT_H */
