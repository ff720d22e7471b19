/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/channel.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "consumerd/ring.h"
#include "consumerd/watch.h"

/* Who fills the folder shall not fill the log. */
#define STRANGERS_TOLD 20u

struct channel {
	struct cds_list_head node;
	struct session *session;
	struct watch *watch;
	uint32_t stream_id;
	struct stream_limits limits;
	unsigned strangers; /* that were told of */
	struct cds_list_head rings;
	void *rings_by_name; /* tree of tsearch(3) */
	char *directory;
	char name[];
};

static int compare_names(const void *one, const void *other)
{
	return strcmp(ring_name(one), ring_name(other));
}

static int compare_key(const void *name, const void *ring)
{
	return strcmp(name, ring_name(ring));
}

static void on_found(void *userdata, const char *name)
{
	struct channel *channel = userdata;
	struct ring *ring;

	if (tfind(name, &channel->rings_by_name, compare_key))
		return;
	ring = ring_create(channel, name);
	if (ring) {
		cds_list_add_tail(ring_node(ring), &channel->rings);
		if (tsearch(ring, &channel->rings_by_name, compare_names))
			return;
		ring_destroy(ring);
	}
	log_error("ring %s/%s: not recorded: no memory", channel->directory, name);
}

void channel_forget(struct channel *channel, struct ring *ring)
{
	tdelete(ring, &channel->rings_by_name, compare_names);
	cds_list_del(ring_node(ring));
}

/* The folders cpuN, as rings. 0 or -errno. */
static int find_cpus(struct channel *channel)
{
	DIR *folder = opendir(channel->directory);
	const struct dirent *entry;
	int error;

	if (!folder)
		return -errno;
	errno = 0;
	while ((entry = readdir(folder))) {
		if (strncmp(entry->d_name, "cpu", 3) == 0)
			on_found(channel, entry->d_name);
		errno = 0;
	}
	error = -errno;
	closedir(folder);
	return error;
}

int channel_create(struct session *session, const char *rings, const char *name, uint32_t stream_id,
		   const struct stream_limits *limits, struct cds_list_head *channels)
{
	size_t size = strlen(name) + 1;
	struct channel *channel = calloc(1, sizeof(*channel) + size);
	int error;

	if (!channel)
		return -ENOMEM;
	memcpy(channel->name, name, size);
	channel->session = session;
	channel->stream_id = stream_id;
	if (limits)
		channel->limits = *limits;
	CDS_INIT_LIST_HEAD(&channel->rings);
	cds_list_add_tail(&channel->node, channels);
	if (asprintf(&channel->directory, "%s/%s", rings, name) < 0) {
		channel->directory = NULL;
		error = -ENOMEM;
	} else if (session_is_kernel(session)) {
		error = find_cpus(channel);
	} else {
		error = watch_create(session_shared(session)->loop, channel->directory, on_found,
				     channel, &channel->watch);
	}
	if (error < 0)
		channel_destroy(channel);
	return error;
}

void channel_destroy(struct channel *channel)
{
	struct cds_list_head *node, *next;

	watch_destroy(channel->watch);
	cds_list_for_each_safe(node, next, &channel->rings) ring_destroy(ring_of_node(node));
	cds_list_del(&channel->node);
	free(channel->directory);
	free(channel);
}

struct channel *channel_of_node(struct cds_list_head *node)
{
	return caa_container_of(node, struct channel, node);
}

void channel_clear(struct channel *channel)
{
	struct cds_list_head *node;

	cds_list_for_each(node, &channel->rings) ring_clear(ring_of_node(node));
}

int channel_close_streams(struct channel *channel)
{
	struct cds_list_head *node;
	int error = 0;

	cds_list_for_each(node, &channel->rings) if (!error)
		error = ring_close_streams(ring_of_node(node));
	return error;
}

void channel_drain(struct channel *channel)
{
	struct cds_list_head *node;

	cds_list_for_each(node, &channel->rings) ring_drain(ring_of_node(node));
}

bool channel_is_drained(const struct channel *channel)
{
	struct cds_list_head *node;

	cds_list_for_each(node,
			  &channel->rings) if (!ring_is_drained(ring_of_node(node))) return false;
	return true;
}

void channel_wake(struct channel *channel)
{
	struct cds_list_head *node;

	cds_list_for_each(node, &channel->rings) ring_wake(ring_of_node(node));
}

struct session *channel_session(const struct channel *channel)
{
	return channel->session;
}

const char *channel_name(const struct channel *channel)
{
	return channel->name;
}

const char *channel_directory(const struct channel *channel)
{
	return channel->directory;
}

uint32_t channel_stream_id(const struct channel *channel)
{
	return channel->stream_id;
}

const struct stream_limits *channel_limits(const struct channel *channel)
{
	return &channel->limits;
}

bool channel_tells(struct channel *channel)
{
	return channel->strangers++ < STRANGERS_TOLD;
}
