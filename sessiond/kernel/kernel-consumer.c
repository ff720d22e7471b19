/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/kernel/kernel-consumer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sessiond/base/messages.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/kernel/kernel-domain.h"
#include "sessiond/session/session.h"

#define CHANNEL "per_cpu"
#define STREAM_ID 0
#define NAME_SIZE (NAME_SESSION_MAX + sizeof(SESSION_KERNEL_SUFFIX))

static struct json_object *make_event(const char *event, const struct kernel_domain *domain)
{
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "%s" SESSION_KERNEL_SUFFIX, domain->session->key);
	return consumer_link_event(event, name);
}

static void add_text(struct json_object *message, const char *key, const char *value)
{
	json_object_object_add(message, key, json_object_new_string(value));
}

static void add_number(struct json_object *message, const char *key, uint64_t value)
{
	json_object_object_add(message, key, json_object_new_uint64(value));
}

static void add_flag(struct json_object *message, const char *key, bool value)
{
	json_object_object_add(message, key, json_object_new_boolean(value));
}

void kernel_consumer_send_session(struct consumer_link *link, const struct kernel_domain *domain)
{
	struct json_object *message;
	int pages = -1;

	if (!consumer_link_is_attached(link))
		return;
	/* Sent, it is closed; and a consumer that lacks it would lose what it dies with. */
	if (domain->pages >= 0) {
		pages = fcntl(domain->pages, F_DUPFD_CLOEXEC, 0);
		if (pages < 0) {
			message_of(domain->session->key,
				   "session %s: the consumer cannot be told to record the kernel's "
				   "events: %s",
				   domain->session->name, strerror(errno));
			return;
		}
	}
	message = make_event("session", domain);
	add_text(message, "output", domain->session->output);
	add_text(message, "rings", kernel_instance_path(domain->instance));
	add_text(message, "uuid", domain->uuid);
	add_number(message, "uid", domain->session->owner);
	add_number(message, "gid", domain->session->group);
	add_number(message, "chunk", domain->folder);
	add_number(message, "overwritten", 0);
	add_flag(message, "snapshot", false);
	add_number(message, "stream_size", 0);
	if (domain->session->spool)
		add_number(message, "spool", domain->session->spool);
	if (session_is_live(domain->session))
		add_flag(message, "live", true);
	add_flag(message, "kernel", true);
	consumer_link_send(link, message, &pages, pages >= 0);
}

void kernel_consumer_send_channel(struct consumer_link *link, const struct kernel_domain *domain)
{
	struct json_object *message;

	if (!consumer_link_is_attached(link))
		return;
	message = make_event("channel", domain);
	add_text(message, "channel", CHANNEL);
	add_number(message, "id", STREAM_ID);
	/* The kernel makes room where nobody reads in time, and says how many that were. */
	add_text(message, "mode", "overwrite");
	add_number(message, "file_size", 0);
	add_number(message, "file_count", 0);
	consumer_link_send(link, message, NULL, 0);
}

void kernel_consumer_send_metadata(struct consumer_link *link, const struct kernel_domain *domain,
				   bool final)
{
	struct json_object *message;
	int error, fds[2];

	if (!consumer_link_is_attached(link))
		return;
	error = metadata_memfd(domain->metadata, &fds[0]);
	if (error == 0) {
		error = kernel_domain_formats(domain, &fds[1]);
		if (error)
			close(fds[0]);
	}
	if (error) {
		message_say("cannot make the metadata of session %s for the kernel's events: %s",
			    domain->session->name, strerror(-error));
		return;
	}
	message = make_event("metadata", domain);
	add_number(message, "generation", domain->generation);
	add_number(message, "offset", 0);
	add_flag(message, "final", final);
	consumer_link_send(link, message, fds, 2);
}

void kernel_consumer_send_live(struct consumer_link *link, const struct kernel_domain *domain,
			       uint64_t time)
{
	struct json_object *message;

	if (!consumer_link_is_attached(link))
		return;
	message = make_event("live", domain);
	add_number(message, "time", time);
	consumer_link_send(link, message, NULL, 0);
}

void kernel_consumer_send_end(struct consumer_link *link, const struct kernel_domain *domain)
{
	if (consumer_link_is_attached(link))
		consumer_link_send(link, make_event("end", domain), NULL, 0);
}
