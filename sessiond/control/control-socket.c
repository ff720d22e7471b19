/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/control/control-socket.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <urcu/list.h>

#include "common/base/json-message.h"
#include "common/base/log.h"
#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"
#include "sessiond/base/close-untrusted.h"
#include "sessiond/base/listen.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/control/control-admit.h"
#include "sessiond/control/control-verbs.h"
#include "sessiond/quota/quota.h"
#include "sessiond/session/session.h"
#include "sessiond/state/clock-watch.h"

#define ACCEPT_PAUSE_USEC UINT64_C(100000)
#define ACCEPT_ACCURACY_USEC UINT64_C(10000)

static const struct control_verb *find_verb(const char *name)
{
	const struct control_verb *verb = control_verbs;

	while (verb->name && strcmp(verb->name, name) != 0)
		verb++;
	return verb->name ? verb : NULL;
}

static void client_serve(struct control_client *client, struct json_object *request)
{
	const struct control_verb *verb;
	const char *name, *unknown;
	bool greeting;

	client->pending = true;
	/* Told here and not on accepting: a close with a request unread would eat the answer. */
	if (!control_is_served(client)) {
		control_refuse(client,
			       client->control->has_group
				       ? "become a member of the group " CONTROL_GROUP
					 ", or start a daemon of your own"
				       : "ask that user, or start a daemon of your own",
			       "this daemon is user %u's", geteuid());
		client->doomed = true;
		return;
	}
	if (json_message_get_string(request, "verb", &name) != 0) {
		control_refuse(client, "each request has a member \"verb\"",
			       "a request without a verb");
		return;
	}
	verb = find_verb(name);
	if (!verb) {
		control_refuse(client, "use a command of the daemon's own version",
			       "there is no verb '%s'", name);
		return;
	}
	greeting = strcmp(name, "hello") == 0;
	if (!client->greeted && !greeting && strcmp(name, "consumer") != 0) {
		control_refuse(client, "send {\"verb\": \"hello\", \"version\": 1} first",
			       "verb '%s' before 'hello'", name);
		return;
	}
	unknown = json_message_unknown(request, verb->members);
	if (unknown) {
		control_refuse(client, "use a command of the daemon's own version",
			       "verb '%s' has no member '%s'", name, unknown);
		return;
	}
	clock_watch_look(client->control->daemon->clock_watch);
	verb->serve(client, request);
	if (greeting && !client->doomed)
		client->greeted = true;
}

static void client_receive(struct control_client *client)
{
	struct json_object *request;
	int error = json_message_receive(client->fd, &request, NULL, 0);

	if (error == -EAGAIN)
		return;
	if (error == -EBADMSG || error == -EMSGSIZE) {
		control_refuse(client, "a message is one JSON object", "a message of %s",
			       error == -EMSGSIZE ? "too many bytes" : "something else than JSON");
		client->doomed = true;
	} else if (error) {
		client->doomed = true;
	} else {
		if (client->pending) {
			control_refuse(client, "wait for each answer before the next request",
				       "two requests at once");
			client->doomed = true;
		} else {
			client_serve(client, request);
		}
		json_object_put(request);
	}
}

static void on_entry(struct run_entry *entry)
{
	struct control_client *client = caa_container_of(entry, struct control_client, entry);
	struct run_queue *run_queue = client->control->daemon->run_queue;
	uint64_t begin = time_now_usec();

	client_receive(client);
	quota_charge_command(client->user, (time_now_usec() - begin) * 1000);
	if (client->doomed || run_queue_watch(run_queue, entry, client->fd) != 0)
		control_client_free(client);
}

static void client_open(struct control_socket *control, int fd)
{
	struct control_client *client = calloc(1, sizeof(*client));

	if (!client)
		goto close_fd;
	client->control = control;
	client->fd = fd;
	client->since_usec = time_now_usec();
	cds_list_add_tail(&client->node, &control->clients);
	control->nr_clients++;
	if (socket_peer(fd, &client->peer) != 0)
		goto free_client;
	client->user = quota_user(control->daemon->quota, client->peer.uid);
	if (!client->user)
		goto free_client;
	if (!control_make_room(control, client)) {
		control_refuse(client, "end some of them",
			       "%u commands are connected already, or %u of this user",
			       control->nr_clients - 1, CONTROL_CLIENTS_PER_USER_MAX);
		/* A request left unread would take the answer with it. */
		shutdown(fd, SHUT_RD);
		while ((socket_is_refusing_fds() || !socket_has_fds(fd)) &&
		       recv(fd, NULL, 0, MSG_DONTWAIT | MSG_TRUNC) > 0)
			continue;
		goto free_client;
	}
	client->entry = (struct run_entry){ .serve = on_entry,
					    .user = client->user,
					    .cost = QUOTA_COMMAND_COST };
	if (run_queue_watch(control->daemon->run_queue, &client->entry, fd) != 0)
		goto free_client;
	control_arm_greet(control);
	return;

free_client:
	control_client_free(client);
	return;
close_fd:
	close_untrusted(fd);
}

static int on_accept(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct control_socket *control = data;
	int accepted;
	int error = socket_accept(fd, SOCK_NONBLOCK, &accepted);

	(void)revents;
	if (error == 0) {
		client_open(control, accepted);
	} else if (error == -EMFILE || error == -ENFILE || error == -ENOMEM) {
		/* Ready all the time, and never to be had: look again later. */
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
		sd_event_source_set_time(control->pause, time_now_usec() + ACCEPT_PAUSE_USEC);
		sd_event_source_set_enabled(control->pause, SD_EVENT_ONESHOT);
	}
	return 0;
}

static int on_pause_over(sd_event_source *source, uint64_t usec, void *data)
{
	struct control_socket *control = data;

	(void)source;
	(void)usec;
	return sd_event_source_set_enabled(control->source, SD_EVENT_ON);
}

int control_socket_create(struct daemon *daemon, const char *path, struct control_socket **result)
{
	struct control_socket *control = calloc(1, sizeof(*control));
	int error;

	*result = NULL;
	if (!control)
		return -ENOMEM;
	control->daemon = daemon;
	control->fd = -1;
	CDS_INIT_LIST_HEAD(&control->clients);
	error = sd_event_add_time(daemon->event, &control->pause, CLOCK_MONOTONIC, UINT64_MAX,
				  ACCEPT_ACCURACY_USEC, on_pause_over, control);
	if (error >= 0)
		error = sd_event_source_set_enabled(control->pause, SD_EVENT_OFF);
	if (error >= 0)
		error = control_add_timer(control);
	if (error < 0)
		goto fail;
	error = listen_at(path, &control->fd);
	if (error)
		goto fail;
	control_admit_group(control, path);
	error = sd_event_add_io(daemon->event, &control->source, control->fd, EPOLLIN, on_accept,
				control);
	if (error < 0)
		goto fail;
	*result = control;
	return 0;

fail:
	control_socket_destroy(control);
	return error;
}

void control_socket_destroy(struct control_socket *control)
{
	struct control_client *client, *next;

	if (!control)
		return;
	cds_list_for_each_entry_safe(client, next, &control->clients, node)
		control_client_free(client);
	sd_event_source_disable_unref(control->source);
	sd_event_source_disable_unref(control->pause);
	sd_event_source_disable_unref(control->greet);
	free(control);
}
