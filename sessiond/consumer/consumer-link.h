/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * consumer-link.h - starts lttngmap-consumerd, one process for each session, tells it
 * what to consume, and receives its reports of what it has written
 * (common/protocol/protocol-control.h).
 *
 * A file system that does not answer holds a process of ours in the kernel
 * until it does: not even SIGKILL ends it. Therefore each session has a process of its own.
 *
 * The first is started with the daemon, idle, and the first session gets it;
 * each other session starts its own. It ends with its session. It is started
 * again when it dies, at most a few times in a row, and then told everything
 * anew: it finds by its own index what is on disk already. Never is one started
 * for a session whose former consumer has not ended.
 *
 * Main thread. Each function takes NULL for a link: there is no consumer.
 */
#ifndef SESSIOND_CONSUMER_CONSUMER_LINK_H
#define SESSIOND_CONSUMER_CONSUMER_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/socket.h>

#include <json-c/json.h>

struct consumer_link;
struct consumers;
struct daemon;
struct saved_consumer;
struct session;
struct sessions;

/* The session's data that a consumer's process and messages need. Valid during a call. */
struct consumer_client {
	const char *name;
	const char *key;
	const char *output; /* the directory that the consumer writes to now */
	uid_t owner;
	struct saved_consumer *record; /* the session's, in the saved state */
	uint64_t delivered;            /* events, so far */
};

/* Calls from the consumers to the sessions, all from the main thread. */
struct consumer_ops {
	void (*describe)(const struct session *session, struct consumer_client *client);
	/* A consumer has connected: it needs to be sent everything about its sessions. */
	void (*connected)(struct sessions *sessions, struct consumer_link *link);
	/* The consumer has read all messages. */
	void (*drained)(struct sessions *sessions, struct consumer_link *link);
	/* A consumer has stopped answering, or answers again. */
	void (*answered)(struct sessions *sessions);
	/* A message came. Returns NULL, or the name of the member that is wrong. */
	const char *(*take)(struct consumer_link *link, const char *verb,
			    struct json_object *message);
};

int consumers_create(struct daemon *daemon, const struct consumer_ops *ops,
		     struct consumers **consumers);
/*
 * From now on `path` is the program, which talks to `control_path`; "none": none is
 * started, and who comes serves all sessions. An idle one is started, but in a restarted daemon. 0
 * or -errno.
 */
int consumers_start(struct consumers *consumers, const char *path, const char *control_path);
/* After a restart of the daemon, with its sessions there again. */
void consumers_resume(struct consumers *consumers);
/* Ends the programs: gives them a second, then kills them. NULL is allowed. */
void consumers_destroy(struct consumers *consumers);
/*
 * A connection says that it is a consumer's; a link owns `fd` from then
 * on. -EBUSY: there is one already, -EPERM: we did not start it.
 */
int consumers_attach(struct consumers *consumers, int fd, const struct ucred *peer);
/* The process of the first one; 0: none. */
int consumers_pid(const struct consumers *consumers);

/* A consumer for the session, which has its record already; NULL if none can be had. */
struct consumer_link *consumers_take(struct consumers *consumers, struct session *session);
/*
 * The session ends, and so does its consumer: by itself, or at once by SIGKILL where it does
 * not answer. Nobody waits for that.
 */
void consumers_leave(struct consumer_link *link);
/*
 * The consumers of sessions that are gone which have not ended yet, as their outputs do not answer:
 * of that owner, or all where `owner` is NULL.
 */
unsigned int consumers_leaving(const struct consumers *consumers, const uid_t *owner);

/* Is there a consumer, or will there be one soon? */
bool consumer_link_expected(const struct consumer_link *link);
/* Is there one now? */
bool consumer_link_is_attached(const struct consumer_link *link);
/* The process that we started; 0: none. */
int consumer_link_pid(const struct consumer_link *link);
/* For how long it has not answered, in microseconds; 0: it does. */
uint64_t consumer_link_silence(const struct consumer_link *link);

/* The sessions of the daemon whose consumer it is. */
struct sessions *consumer_link_sessions(const struct consumer_link *link);
/* Messages are queued that the consumer has not read yet. */
bool consumer_link_has_unread(const struct consumer_link *link);

/* A new message {"event": `event`, "session": `key`}, to be completed and sent. */
struct json_object *consumer_link_event(const char *event, const char *key);
/* Queues the message. Takes it and the descriptors, at most JSON_MESSAGE_FDS_MAX. */
void consumer_link_send(struct consumer_link *link, struct json_object *message, const int *fds,
			size_t nr_fds);

#endif /* SESSIOND_CONSUMER_CONSUMER_LINK_H */
