/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * consumer-link-parts.h - what consumer-link.c, which speaks with the consumer,
 * consumer-link-kernel.c, which speaks with it of kernel parts, and
 * consumer-start.c, which starts it, share. For them alone.
 */
#ifndef SESSIOND_CONSUMER_LINK_PARTS_H
#define SESSIOND_CONSUMER_LINK_PARTS_H

#include <stdint.h>
#include <sys/types.h>

#include <json-c/json.h>
#include <systemd/sd-event.h>
#include <urcu/list.h>

#include "sessiond/consumer-link.h"

struct session_written;

struct consumer_link {
	struct daemon *daemon;
	char *path; /* NULL: none is started */
	char *control_path;
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
};

/* It is not connected any more; what waited for it is forgotten. */
void consumer_link_disconnect(struct consumer_link *link);
/* Of a session that it knows by that name. */
struct json_object *consumer_link_event(const char *event, const char *name);
/* Takes the message and the descriptors, at most JSON_MESSAGE_FDS_MAX. */
void consumer_link_send(struct consumer_link *link, struct json_object *message, const int *fds,
			size_t nr_fds);
/* False: that is not the name of a kernel part, which may be gone. */
bool consumer_link_take_kernel(struct consumer_link *link, const char *name,
			       const struct session_written *written, uint64_t lapped,
			       const char *error);
/* 0 or -errno. */
int consumer_link_add_timer(struct consumer_link *link);

#endif /* SESSIOND_CONSUMER_LINK_PARTS_H */
