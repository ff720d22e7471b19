/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * json-message.h - the messages of common/protocol/protocol-control.h: one JSON object
 * in one SOCK_SEQPACKET message, with one descriptor, none, or a few.
 *
 * The sockets are made by common/base/socket.h. timeout_ms: 0 does not wait and
 * answers -EAGAIN (for event loops), > 0 waits that long and answers
 * -ETIMEDOUT, < 0 waits for ever; whatever the socket's own mode.
 *
 * Messages from a socket are not trusted: JSON as strict as json-c's strict
 * mode, bounded in size and depth, and each member is checked for its type and
 * range when it is read. A number beyond 64 bits counts as the largest one.
 */
#ifndef COMMON_BASE_JSON_MESSAGE_H
#define COMMON_BASE_JSON_MESSAGE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

/* Arrays and objects within each other, the message itself included. */
#define JSON_MESSAGE_DEPTH 8
/* Descriptors of one message. */
#define JSON_MESSAGE_FDS_MAX 2

/*
 * Send an object, which stays the caller's, with `passed_fd` unless it is -1.
 * 0 or -errno: -EMSGSIZE larger than PROTOCOL_CONTROL_MESSAGE_MAX, -EPIPE or
 * -ECONNRESET the peer is gone.
 */
int json_message_send(int fd, struct json_object *object, int passed_fd, int timeout_ms);

/* The same with `nr_fds` descriptors, at most JSON_MESSAGE_FDS_MAX. */
int json_message_send_fds(int fd, struct json_object *object, const int *fds, size_t nr_fds,
			  int timeout_ms);

/*
 * Receive an object, to be put by the caller. `passed_fd`: where to store the
 * descriptor that came with it, the caller's to close, -1 if there was none;
 * NULL: none is expected, and one that comes all the same is closed.
 * 0 or -errno: -EPIPE the peer closed, -EBADMSG not one JSON object,
 * -EMSGSIZE too large. Nothing is stored then but -1 for the descriptor.
 */
int json_message_receive(int fd, struct json_object **object, int *passed_fd, int timeout_ms);

/*
 * The same with any number of descriptors up to *nr_fds, the room in `fds`; how
 * many came is stored there, 0 on failure. Those beyond the room are closed.
 */
int json_message_receive_fds(int fd, struct json_object **object, int *fds, size_t *nr_fds,
			     int timeout_ms);

/* Parse bytes as a message; as json_message_receive does. 0 or -EBADMSG. */
int json_message_parse(const char *bytes, size_t size, struct json_object **object);

/*
 * Read a member: 0; -ENOENT there is none; -EINVAL it is of another type;
 * -ERANGE it is outside of the bounds, both of which are allowed values.
 * Nothing is stored on failure: initialise to the default for optional ones.
 * A string is the object's, and has no NUL inside.
 */
int json_message_get_string(struct json_object *object, const char *key, const char **value);
int json_message_get_uint64(struct json_object *object, const char *key, uint64_t min, uint64_t max,
			    uint64_t *value);
int json_message_get_bool(struct json_object *object, const char *key, bool *value);

/*
 * The first member that is not in `keys`, which ends in NULL; NULL if there
 * is none. The text is the object's.
 */
const char *json_message_unknown(struct json_object *object, const char *const *keys);

#endif /* COMMON_BASE_JSON_MESSAGE_H */
