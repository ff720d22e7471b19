/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * consumers.c - the consumer processes: idle, one session's, leaving, or a guest, which the daemon
 * did not start and which serves all sessions (--consumer none).
 */
#include "sessiond/consumer/consumer-private.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/base/peer.h"
#include "sessiond/storage/saved-state.h"

/* ---- one -------------------------------------------------------------------------- */

void consumer_link_free(struct consumer_link *link)
{
	cds_list_del(&link->node);
	sd_event_source_disable_unref(link->child);
	sd_event_source_disable_unref(link->restart);
	consumer_link_disconnect(link);
	sd_event_source_disable_unref(link->stuck);
	sd_event_source_disable_unref(link->answer);
	free(link);
}

static int link_create(struct consumers *consumers, struct consumer_link **result)
{
	struct consumer_link *link = calloc(1, sizeof(*link));
	int error;

	if (!link)
		return -ENOMEM;
	link->consumers = consumers;
	link->daemon = consumers->daemon;
	link->fd = -1;
	CDS_INIT_LIST_HEAD(&link->queue);
	cds_list_add_tail(&link->node, &consumers->links);
	error = consumer_link_add_restart(link);
	if (error >= 0)
		error = consumer_link_add_timer(link);
	if (error >= 0)
		error = consumer_answer_add_timer(link);
	if (error < 0) {
		consumer_link_free(link);
		return error;
	}
	*result = link;
	return 0;
}

bool consumer_link_describe(const struct consumer_link *link, struct consumer_client *client)
{
	if (link->session)
		link->consumers->ops->describe(link->session, client);
	return link->session != NULL;
}

const char *consumer_link_who(const struct consumer_link *link, char who[CONSUMER_WHO_SIZE])
{
	struct consumer_client client;

	if (consumer_link_describe(link, &client))
		snprintf(who, CONSUMER_WHO_SIZE, "session %s: the consumer", client.name);
	else
		snprintf(who, CONSUMER_WHO_SIZE, "the consumer");
	return who;
}

bool consumer_link_expected(const struct consumer_link *link)
{
	return link && (link->fd >= 0 || link->pid > 0 ||
			(link->restart && sd_event_source_get_enabled(link->restart, NULL) > 0));
}

int consumer_link_pid(const struct consumer_link *link)
{
	return link && link->pid > 0 ? link->pid : 0;
}

bool consumer_link_is_attached(const struct consumer_link *link)
{
	return link && link->fd >= 0;
}

bool consumer_link_has_unread(const struct consumer_link *link)
{
	return link->queued > 0;
}

struct sessions *consumer_link_sessions(const struct consumer_link *link)
{
	return link->daemon->sessions;
}

/* ---- whose ------------------------------------------------------------------------ */

static bool is_idle(const struct consumer_link *link)
{
	return !link->session && !link->is_leaving && !link->is_guest;
}

static struct consumer_link *find_idle(struct consumers *consumers)
{
	struct consumer_link *link;

	cds_list_for_each_entry(link, &consumers->links, node)
		if (is_idle(link))
			return link;
	return NULL;
}

void consumers_keep_one(struct consumers *consumers)
{
	struct consumer_link *link;

	/* A private daemon needs no idle consumer. */
	if (!consumers->path || !cds_list_empty(&consumers->links) ||
	    consumers->daemon->options->private_instance)
		return;
	if (link_create(consumers, &link) == 0)
		consumer_link_begin(link);
}

static struct consumer_link *make_for(struct consumers *consumers, struct session *session)
{
	struct consumer_link *link;
	int error = link_create(consumers, &link);

	if (error) {
		struct consumer_client client;

		consumers->ops->describe(session, &client);
		message_of(client.key, "session %s has no consumer, and is not written: %s",
			   client.name, strerror(-error));
		return NULL;
	}
	link->session = session;
	consumer_link_begin(link);
	return link;
}

struct consumer_link *consumers_take(struct consumers *consumers, struct session *session)
{
	struct consumer_link *link = consumers->guest;
	struct consumer_client client;

	consumers->ops->describe(session, &client);
	/* One that had a consumer in the daemon before its restart waits for its end. */
	if (!link && consumers->path && !client.record->pidfd)
		link = find_idle(consumers);
	if (link && !link->is_guest) {
		/* It was told of no session: between the two daemons it is nobody's, and ends. */
		consumer_link_forget(link);
		link->session = session;
		consumer_link_note(link);
	}
	if (!link && consumers->path)
		link = make_for(consumers, session);
	return link;
}

void consumers_leave(struct consumer_link *link)
{
	struct consumer_client client;

	if (!link || link->is_guest || !consumer_link_describe(link, &client))
		return;
	if (link->daemon->is_leaving && link->pid > 0)
		link->left = client.record;
	else
		consumer_link_forget(link);
	link->session = NULL;
	link->is_leaving = true;
	link->owner = client.owner;
	/* One that has not come yet has nothing to end. It would be refused, and say so. */
	if (link->pid > 0 && !link->is_former && !link->is_hung && link->fd >= 0) {
		consumer_link_close(link);
		consumer_link_kill_later(link);
		return;
	}
	if (link->pid > 0 && !link->is_former)
		kill(link->pid, SIGKILL);
	consumer_link_disconnect(link);
	/* Else it counts as its owner's until it has ended. */
	if (link->pid == 0)
		consumer_link_free(link);
}

unsigned int consumers_leaving(const struct consumers *consumers, const uid_t *owner)
{
	const struct consumer_link *link;
	unsigned int count = 0;

	cds_list_for_each_entry(link, &consumers->links, node)
		count += link->is_leaving && (!owner || link->owner == *owner);
	return count;
}

/* Is it the process that the daemon started, and not one that had its pid before? */
static bool is_started(const struct consumer_link *link, int fd, const struct ucred *peer)
{
	int pidfd = peer->pid == link->pid ? peer_open_pidfd(fd, peer) : -EPERM;

	if (pidfd < 0)
		return false;
	close(pidfd);
	return true;
}

int consumers_attach(struct consumers *consumers, int fd, const struct ucred *peer)
{
	struct consumer_link *link;

	cds_list_for_each_entry(link, &consumers->links, node)
		if (!link->is_leaving && !link->is_former &&
		    (link->is_guest || is_started(link, fd, peer)))
			return link->fd >= 0 ? -EBUSY : consumer_link_connect(link, fd);
	return -EPERM;
}

int consumers_pid(const struct consumers *consumers)
{
	struct consumer_link *link;

	cds_list_for_each_entry(link, &consumers->links, node)
		if (!link->is_leaving && link->pid > 0)
			return link->pid;
	return 0;
}

/* ---- all -------------------------------------------------------------------------- */

int consumers_create(struct daemon *daemon, const struct consumer_ops *ops,
		     struct consumers **result)
{
	struct consumers *consumers = calloc(1, sizeof(*consumers));

	*result = consumers;
	if (!consumers)
		return -ENOMEM;
	consumers->daemon = daemon;
	consumers->ops = ops;
	CDS_INIT_LIST_HEAD(&consumers->links);
	return 0;
}

static int make_guest(struct consumers *consumers)
{
	int error = link_create(consumers, &consumers->guest);

	if (error == 0)
		consumers->guest->is_guest = true;
	return error;
}

int consumers_start(struct consumers *consumers, const char *path, const char *control_path)
{
	struct consumer_link *link;
	int error;

	if (strcmp(path, "none") == 0)
		return make_guest(consumers);
	consumers->path = strdup(path);
	consumers->control_path = strdup(control_path);
	if (!consumers->path || !consumers->control_path)
		return -ENOMEM;
	consumers_find_former(consumers);
	if (!saved_state_is_new(consumers->daemon->saved_state))
		return 0;
	error = link_create(consumers, &link);
	return error ? error : consumer_link_spawn(link);
}

void consumers_resume(struct consumers *consumers)
{
	struct saved_consumer *idle = &consumers->daemon->saved_state->head->idle;

	/* It has no daemon any more, and nothing to write. */
	if (idle->pidfd) {
		int pidfd = idle->pidfd;

		idle->pidfd = 0;
		close(pidfd);
	}
	consumers_keep_one(consumers);
}

void consumers_destroy(struct consumers *consumers)
{
	struct consumer_link *link, *next;

	if (!consumers)
		return;
	consumers_end_processes(consumers);
	cds_list_for_each_entry_safe(link, next, &consumers->links, node)
		consumer_link_free(link);
	free(consumers->path);
	free(consumers->control_path);
	free(consumers);
}
