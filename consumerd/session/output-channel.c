/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/session/output-channel.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "consumerd/session/output-ring.h"
#include "consumerd/session/watch.h"

/* Another user's files in the folder must not fill the log. */
#define STRANGERS_TOLD 20u

struct output_channel {
	struct cds_list_head node;
	struct output_session *session;
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
	return strcmp(output_ring_name(one), output_ring_name(other));
}

static int compare_key(const void *name, const void *ring)
{
	return strcmp(name, output_ring_name(ring));
}

static void on_found(void *userdata, const char *name)
{
	struct output_channel *channel = userdata;
	struct output_ring *ring;

	if (tfind(name, &channel->rings_by_name, compare_key))
		return;
	ring = output_ring_create(channel, name);
	if (ring) {
		cds_list_add_tail(output_ring_node(ring), &channel->rings);
		if (tsearch(ring, &channel->rings_by_name, compare_names))
			return;
		output_ring_destroy(ring);
	}
	log_error("ring %s/%s: not recorded: no memory", channel->directory, name);
}

void output_channel_forget(struct output_channel *channel, struct output_ring *ring)
{
	tdelete(ring, &channel->rings_by_name, compare_names);
	cds_list_del(output_ring_node(ring));
}

/* The folders cpuN, as rings. 0 or -errno. */
static int find_cpus(struct output_channel *channel)
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

int output_channel_create(struct output_session *session, const char *rings, const char *name,
			  uint32_t stream_id, const struct stream_limits *limits,
			  struct cds_list_head *channels)
{
	size_t size = strlen(name) + 1;
	struct output_channel *channel = calloc(1, sizeof(*channel) + size);
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
	} else if (output_session_is_kernel(session)) {
		error = find_cpus(channel);
	} else {
		error = watch_create(output_session_shared(session)->loop, channel->directory,
				     on_found, channel, &channel->watch);
	}
	if (error < 0)
		output_channel_destroy(channel);
	return error;
}

void output_channel_destroy(struct output_channel *channel)
{
	struct cds_list_head *node, *next;

	watch_destroy(channel->watch);
	cds_list_for_each_safe(node, next, &channel->rings)
		output_ring_destroy(output_ring_of_node(node));
	cds_list_del(&channel->node);
	free(channel->directory);
	free(channel);
}

struct output_channel *output_channel_of_node(struct cds_list_head *node)
{
	return caa_container_of(node, struct output_channel, node);
}

void output_channel_clear(struct output_channel *channel)
{
	struct cds_list_head *node;

	cds_list_for_each(node, &channel->rings) output_ring_clear(output_ring_of_node(node));
}

int output_channel_close_streams(struct output_channel *channel)
{
	struct cds_list_head *node;
	int error = 0;

	cds_list_for_each(node, &channel->rings) if (!error)
		error = output_ring_close_streams(output_ring_of_node(node));
	return error;
}

void output_channel_drain(struct output_channel *channel)
{
	struct cds_list_head *node;

	cds_list_for_each(node, &channel->rings) output_ring_drain(output_ring_of_node(node));
}

bool output_channel_is_drained(const struct output_channel *channel)
{
	struct cds_list_head *node;

	cds_list_for_each(node, &channel->rings) if (!output_ring_is_drained(output_ring_of_node(
							     node))) return false;
	return true;
}

void output_channel_wake(struct output_channel *channel)
{
	struct cds_list_head *node;

	cds_list_for_each(node, &channel->rings) output_ring_wake(output_ring_of_node(node));
}

struct output_session *output_channel_session(const struct output_channel *channel)
{
	return channel->session;
}

const char *output_channel_name(const struct output_channel *channel)
{
	return channel->name;
}

const char *output_channel_directory(const struct output_channel *channel)
{
	return channel->directory;
}

uint32_t output_channel_stream_id(const struct output_channel *channel)
{
	return channel->stream_id;
}

const struct stream_limits *output_channel_limits(const struct output_channel *channel)
{
	return &channel->limits;
}

bool output_channel_tells(struct output_channel *channel)
{
	return channel->strangers++ < STRANGERS_TOLD;
}
