/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-admit.h - who is served at control.sock, and how many of them: of
 * control-socket.c, and for it alone. How often is run-queue.h's.
 *
 * Main thread.
 */
#ifndef SESSIOND_CONTROL_CONTROL_ADMIT_H
#define SESSIOND_CONTROL_CONTROL_ADMIT_H

#include <stdbool.h>
#include <stdint.h>

#include <urcu/list.h>

#include "sessiond/mediator/run-queue.h"
#include "sessiond/control/control-client.h"
#include "sessiond/base/parts.h"
#include "sessiond/quota/quota.h"

#define CONTROL_CLIENTS_MAX 64u
/* Maximum for one user that has limits (quota.h). */
#define CONTROL_CLIENTS_PER_USER_MAX 16u
#define CONTROL_GROUP "tracing"

struct control_client {
	struct cds_list_head node;
	struct control_socket *control;
	struct run_entry entry;
	int fd;
	struct ucred peer;
	struct quota_user *user;
	uint64_t since_usec; /* when it connected */
	bool greeted;        /* "hello" was answered */
	bool pending;        /* a request waits for its answer */
	bool doomed;         /* to be closed once the answer is out */
	/* NULL, or: it has no connection, and gets its answers so. */
	void (*answered)(struct control_client *client, struct json_object *answer);
};

struct control_socket {
	struct daemon *daemon;
	int fd;
	sd_event_source *source;
	sd_event_source *pause;
	sd_event_source *greet;       /* the oldest half-open one's time is over */
	struct cds_list_head clients; /* oldest first */
	unsigned int nr_clients;
	bool has_group; /* there is one whose members are served */
	gid_t group;
};

/* It is told nothing more. */
void control_client_free(struct control_client *client);

/* Members of the group may connect; whom we serve is decided by who they are. */
void control_admit_group(struct control_socket *control, const char *path);
/* By what the kernel says of who connected, at that time. */
bool control_is_served(const struct control_client *client);
/* Whether there is room for the newest; one that never spoke goes for it. */
bool control_make_room(struct control_socket *control, const struct control_client *newest);
/* Drops clients that did not send "hello" in time. Call after each accept. */
void control_arm_greet(struct control_socket *control);
/* 0 or -errno. */
int control_add_timer(struct control_socket *control);

#endif /* SESSIOND_CONTROL_CONTROL_ADMIT_H */
