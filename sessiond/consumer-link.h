/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * consumer-link.h - lttngmap-consumerd: starting it, telling it what there is
 * to consume, hearing what it has written (common/protocol-control.h).
 *
 * It is started again when it dies, at most a few times in a row, and then
 * told everything anew: it finds by its own index what is on disk already.
 *
 * Main thread.
 */
#ifndef SESSIOND_CONSUMER_LINK_H
#define SESSIOND_CONSUMER_LINK_H

#include <stdbool.h>

#include <sys/socket.h>

#include <json-c/json.h>

struct channel;
struct consumer_link;
struct daemon;
struct kernel_part;
struct session;

int consumer_link_create(struct daemon *daemon, struct consumer_link **link);
/* Start the program `path`, "none" for none, to talk to `control_path`. 0 or -errno. */
int consumer_link_start(struct consumer_link *link, const char *path, const char *control_path);
/* Ends the program: gives it a second, then kills it. NULL is allowed. */
void consumer_link_destroy(struct consumer_link *link);

/*
 * A connection says that it is the consumer's; the link owns `fd` from then
 * on. -EBUSY: there is one already, -EPERM: another was started by us.
 */
int consumer_link_attach(struct consumer_link *link, int fd, const struct ucred *peer);
/* Is there a consumer, or will there be one soon? */
bool consumer_link_expected(const struct consumer_link *link);
/* Is there one now? */
bool consumer_link_is_attached(const struct consumer_link *link);

/* The process that we started; 0: none. */
int consumer_link_pid(const struct consumer_link *link);

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
