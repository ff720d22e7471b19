/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * consumer-link.h - lttngmap-consumerd: one process for each session. Starting
 * it, telling it what there is to consume, hearing what it has written
 * (common/protocol-control.h).
 *
 * A file system that does not answer holds a process of ours in the kernel
 * until it does: not even SIGKILL ends it. So it holds one session's.
 *
 * The first is started with the daemon, idle, and the first session gets it;
 * each other session starts its own. It ends with its session. It is started
 * again when it dies, at most a few times in a row, and then told everything
 * anew: it finds by its own index what is on disk already. Never is one started
 * for a session whose former consumer has not ended.
 *
 * Main thread. Each function takes NULL for a link: there is no consumer.
 */
#ifndef SESSIOND_CONSUMER_LINK_H
#define SESSIOND_CONSUMER_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include <sys/socket.h>

#include <json-c/json.h>

struct channel;
struct consumer_link;
struct consumers;
struct daemon;
struct kernel_part;
struct session;

int consumers_create(struct daemon *daemon, struct consumers **consumers);
/*
 * From now on `path` is the program, which talks to `control_path`; "none": none is
 * started, and who comes serves all sessions. An idle one is started, but in a new life of the
 * daemon. 0 or -errno.
 */
int consumers_start(struct consumers *consumers, const char *path, const char *control_path);
/* In a new life of the daemon, with its sessions there again. */
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

/* The session, whose record it has, gets a consumer: `session->consumer`, NULL where there is none.
 */
void consumers_take(struct consumers *consumers, struct session *session);
/*
 * The session ends, and so does its consumer: by itself, or at once by SIGKILL where it does
 * not answer. Nobody waits for that.
 */
void consumers_leave(struct session *session);
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

/* Tell it, where there is one. */
void consumer_link_session(struct consumer_link *link, const struct session *session);
void consumer_link_channel(struct consumer_link *link, const struct channel *channel);
void consumer_link_channel_end(struct consumer_link *link, const struct channel *channel);
/*
 * What the consumer does not have of the metadata. What is not `final` waits for the consumer to
 * read what it was told before, and goes in one piece with what comes meanwhile.
 */
void consumer_link_metadata(struct consumer_link *link, struct session *session, bool final);
void consumer_link_clear(struct consumer_link *link, const struct session *session);
/* Make room for the session's chunk, or with `final` move it there. */
void consumer_link_rotate(struct consumer_link *link, const struct session *session, bool final);
/* All packets with events up to `time` have been released. */
void consumer_link_live(struct consumer_link *link, const struct session *session, uint64_t time);
/* Of a session's kernel part: that there is one, what describes it, its rings, its end. */
void consumer_link_kernel(struct consumer_link *link, const struct kernel_part *part);
void consumer_link_kernel_metadata(struct consumer_link *link, const struct kernel_part *part,
				   bool final);
void consumer_link_kernel_channel(struct consumer_link *link, const struct kernel_part *part);
/* All its rings are to be read up to that time, and that is to be noted. */
void consumer_link_kernel_live(struct consumer_link *link, const struct kernel_part *part,
			       uint64_t time);
void consumer_link_kernel_end(struct consumer_link *link, const struct kernel_part *part);
/* Is anything recorded? Only of one with a spool, whose limit is for what comes. */
void consumer_link_recording(struct consumer_link *link, const struct session *session, bool on);
void consumer_link_end(struct consumer_link *link, const struct session *session);

#endif /* SESSIOND_CONSUMER_LINK_H */
