/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * consumer-private.h - what these files share, and for them alone:
 *
 *   consumers.c             which consumers there are, and whose each is
 *   consumer-start.c        a consumer's process: its start and its end
 *   consumer-link.c         what is said to it and what it reports
 *   consumer-answer.c       whether it answers
 */
#ifndef SESSIOND_CONSUMER_CONSUMER_PRIVATE_H
#define SESSIOND_CONSUMER_CONSUMER_PRIVATE_H

#include <stdint.h>
#include <sys/types.h>

#include <json-c/json.h>
#include <systemd/sd-event.h>
#include <urcu/list.h>

#include "common/base/name.h"
#include "sessiond/consumer/consumer-link.h"

struct consumers {
	struct daemon *daemon;
	const struct consumer_ops *ops;
	char *path; /* NULL: none is started */
	char *control_path;
	struct cds_list_head links;
	struct consumer_link *guest; /* where none is started: who comes serves all sessions */
};

struct consumer_link {
	struct cds_list_head node;
	struct consumers *consumers;
	struct daemon *daemon;
	struct session *session; /* NULL: idle, leaving or the guest */
	bool is_guest;
	bool is_leaving; /* its session is gone */
	uid_t owner;     /* of the session that is gone */
	/* Where the session is the next daemon's: that one waits for the process, too. Or NULL. */
	struct saved_consumer *left;
	bool is_former;         /* the process is of the daemon before its restart: no child */
	pid_t pid;              /* 0: not running */
	sd_event_source *child; /* its pidfd */
	sd_event_source *restart;
	unsigned int restarts;
	uint64_t started_usec;
	uint64_t started_events; /* that were delivered by then */
	int fd;                  /* -1: not connected */
	sd_event_source *source;
	struct cds_list_head queue;
	sd_event_source *stuck; /* it reads nothing of the queue for too long */
	unsigned int queued;
	/* See consumer-answer.c. */
	uint64_t sent; /* messages, on this connection */
	sd_event_source *answer;
	uint64_t heard_usec; /* since then nothing was heard, while `answer` is on */
	bool is_hung;
};

/* consumers.c */

/* Describes the link's session. False: it has none. */
bool consumer_link_describe(const struct consumer_link *link, struct consumer_client *client);
/* Takes it off the list. */
void consumer_link_free(struct consumer_link *link);
/* Where there is no consumer left, an idle one is started. */
void consumers_keep_one(struct consumers *consumers);
/* "session NAME: the consumer", for the beginning of a message. */
#define CONSUMER_WHO_SIZE (NAME_SESSION_MAX + 32)
const char *consumer_link_who(const struct consumer_link *link, char who[CONSUMER_WHO_SIZE]);

/* consumer-start.c */

/* 0 or -errno. */
int consumer_link_add_restart(struct consumer_link *link);
/* Starts the process: 0 or -errno. */
int consumer_link_spawn(struct consumer_link *link);
/*
 * Opens pidfds of the consumers that a daemon left when it ended in order, held by a file system.
 * Each is its session's before the next one is started.
 */
void consumers_find_former(const struct consumers *consumers);
/* Starts the process, now or after some tries, or when the one that the session had has ended. */
void consumer_link_begin(struct consumer_link *link);
/* Kills the process if it is still there in five seconds. */
void consumer_link_kill_later(struct consumer_link *link);
/* Notes the process where the restarted daemon finds it: with the session, or as the idle one. */
void consumer_link_note(const struct consumer_link *link);
/* Wipes that. */
void consumer_link_forget(const struct consumer_link *link);
/* Ends all processes: gives them a second together, then kills them, and waits for none. */
void consumers_end_processes(struct consumers *consumers);

/* consumer-link.c */

/* It is not connected any more; what waited for it is forgotten. */
void consumer_link_disconnect(struct consumer_link *link);
/* Closes the sending half once all is sent. */
void consumer_link_close(struct consumer_link *link);
/* Takes over a connection. 0 or -errno. */
int consumer_link_connect(struct consumer_link *link, int fd);
/* 0 or -errno. */
int consumer_link_add_timer(struct consumer_link *link);
/* consumer-answer.c */

/* 0 or -errno. */
int consumer_answer_add_timer(struct consumer_link *link);
/* It was sent something, or says that it begins to work: it is to be heard of soon. */
void consumer_answer_expect(struct consumer_link *link);
/* It says something. `quiet`: it has done all that it was sent, and waits for more. */
void consumer_answer_take(struct consumer_link *link, bool quiet);
/* It died: nothing is expected of it. Whether its output answers, the next one shows. */
void consumer_answer_forget(struct consumer_link *link);

#endif /* SESSIOND_CONSUMER_CONSUMER_PRIVATE_H */
