/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* channel-classes.c - which events a channel records, and those with filters. */
#include "sessiond/channel.h"

#include <errno.h>
#include <string.h>

#include "sessiond/control-pages.h"
#include "sessiond/daemon.h"
#include "sessiond/filter-pages.h"
#include "sessiond/messages.h"
#include "sessiond/metadata.h"
#include "sessiond/session.h"

/*
 * As rule_list_decide(), with a message where it fails; *event_class is then
 * not recorded.
 */
static int decide(const struct channel *channel, uint32_t id,
		  const struct registry_class **event_class, struct filter_program **filter)
{
	int result = 0;

	*filter = NULL;
	*event_class = registry_get(channel->session->daemon->registry, id);
	if (*event_class)
		result = rule_list_decide(&channel->rules, *event_class, filter);
	if (result < 0)
		message_say("event %s is not recorded in channel %s: %s", (*event_class)->full_name,
			    channel->name,
			    result == -E2BIG ? "the filters of its rules are too long together"
					     : strerror(-result));
	return result;
}

void channel_describe_classes(struct channel *channel, uint32_t first, uint32_t end)
{
	for (uint32_t id = first; id < end; id++) {
		const struct registry_class *event_class;
		struct filter_program *filter;
		int error = 0;

		if (decide(channel, id, &event_class, &filter) > 0)
			error = metadata_add_event(channel->session->metadata, channel->stream_id,
						   event_class);
		filter_program_destroy(filter);
		if (error)
			message_say("event %s is not recorded in channel %s: %s",
				    event_class->full_name, channel->name, strerror(-error));
	}
}

/*
 * Put a class's filter, NULL: none, where processes find it. A channel's first
 * one makes them look at the channel again, and only then is the event on.
 */
static int set_filter(struct channel *channel, uint32_t id, const struct filter_program *filter)
{
	struct filter_pages *pages = control_pages_filters(channel->session->daemon->pages);
	int error = 0;

	/* Nobody looks there yet, and a daemon that was killed may have left some. */
	if (filter && !channel->filtered)
		filter_pages_clear(pages, channel->slot,
				   registry_count(channel->session->daemon->registry));
	if (filter || channel->filtered)
		error = filter_pages_set(pages, channel->slot, id, filter ? filter->bytes : NULL,
					 filter ? filter->size : 0);
	if (error == 0 && filter && !channel->filtered) {
		channel->filtered = true;
		channel_publish(channel);
	}
	return error;
}

void channel_switch_classes(struct channel *channel, uint32_t first, uint32_t end)
{
	if (!channel->started)
		return;
	for (uint32_t id = first; id < end; id++) {
		const struct registry_class *event_class;
		struct filter_program *filter;
		/* It is described already, unless there was no memory for that. */
		bool on = decide(channel, id, &event_class, &filter) > 0 &&
			  metadata_add_event(channel->session->metadata, channel->stream_id,
					     event_class) == 0;

		if (on && set_filter(channel, id, filter) != 0) {
			message_say("event %s is not recorded in channel %s: there is no room for "
				    "one more filter",
				    event_class->full_name, channel->name);
			on = false;
		}
		filter_program_destroy(filter);
		control_pages_set_event(channel->session->daemon->pages, id, channel->slot, on);
	}
}
