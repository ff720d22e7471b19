/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* channel-classes.c - which events a channel records, and those with filters. */
#include "sessiond/session/channel.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/class/metadata.h"
#include "sessiond/memory/control-pages.h"
#include "sessiond/memory/filter-pages.h"
#include "sessiond/quota/quota.h"
#include "sessiond/session/session.h"

/* Like rule_list_decide(), with a message on failure; *event_class is then not recorded. */
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

/* ---- in turns ------------------------------------------------------------------------- */

static void decide_rest(struct run_entry *entry)
{
	static uint64_t ids[LTTNGMAP_EVENT_IDS / 64];
	struct channel *channel = caa_container_of(entry, struct channel, rest);

	session_list_classes(channel->session, ids);
	channel_describe_classes(channel, ids, false);
	session_push_metadata(channel->session);
	channel_switch_classes(channel, ids);
}

/* True if the owner's turn has become long: then the rest is queued for the owner's next one. */
static bool is_put_off(struct channel *channel)
{
	struct daemon *daemon = channel->session->daemon;
	struct quota_user *owner;

	if (!run_queue_is_long(daemon->run_queue))
		return false;
	owner = quota_user(daemon->quota, channel->session->owner);
	if (!owner || !owner->limited)
		return false;
	if (!channel->rest.queued) {
		channel->rest =
			(struct run_entry){ .serve = decide_rest, .user = owner, .cost = 1 };
		run_queue_add(daemon->run_queue, &channel->rest);
	}
	return true;
}

void channel_decide_again(struct channel *channel)
{
	memset(channel->decided, 0, sizeof(channel->decided));
	memset(channel->looked, 0, sizeof(channel->looked));
	memset(channel->refused, 0, sizeof(channel->refused));
}

void channel_try_again(struct channel *channel, uint32_t id)
{
	channel->decided[id / 64] &= ~(channel->refused[id / 64] & UINT64_C(1) << id % 64);
}

uint64_t channel_count_refused(const struct channel *channel)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < LTTNGMAP_EVENT_IDS / 64; i++)
		count += (uint64_t)__builtin_popcountll(channel->refused[i]);
	return count;
}

/* Whether a user who has the class has room for its text in the session's metadata. */
struct payment {
	const struct channel *channel;
	const struct registry_class *event_class;
	bool limited;  /* users who are limited are asked now; else the others */
	uint32_t user; /* one that was asked */
	int error;     /* -EDQUOT: nobody had room yet */
};

static void ask_user(struct quota_user *user, void *data)
{
	struct payment *payment = data;
	struct session *session = payment->channel->session;

	if (payment->error != -EDQUOT || user->limited != payment->limited ||
	    !quota_has_class(user, payment->event_class->id) || !session_takes_user(session, user))
		return;
	payment->user = user->uid;
	payment->error = metadata_add_event(session->metadata, payment->channel->stream_id,
					    payment->event_class, user->uid, user->limited);
}

/*
 * Also in the saved state. A map has no trace, and no description. The user who registered the
 * class first has no say: the text is charged to any user who has the class, root first.
 */
static int describe(const struct channel *channel, const struct registry_class *event_class,
		    uint32_t *user)
{
	struct session *session = channel->session;
	struct payment payment = { channel, event_class, false, event_class->user, -EDQUOT };
	uint32_t id = event_class->id;

	if (channel->map)
		return 0;
	quota_each(session->daemon->quota, ask_user, &payment);
	payment.limited = true;
	quota_each(session->daemon->quota, ask_user, &payment);
	*user = payment.user;
	if (payment.error == 0)
		session_described(session, channel->stream_id)[id / 64] |= UINT64_C(1) << id % 64;
	return payment.error;
}

static void describe_class(struct channel *channel, uint32_t id)
{
	const struct registry_class *event_class;
	struct filter_program *filter;
	uint32_t user = 0;
	int error = 0;

	channel->refused[id / 64] &= ~(UINT64_C(1) << id % 64);
	if (decide(channel, id, &event_class, &filter) > 0)
		error = describe(channel, event_class, &user);
	filter_program_destroy(filter);
	if (error == -EDQUOT) {
		channel->refused[id / 64] |= UINT64_C(1) << id % 64;
		message_of(channel->session->key,
			   "event %s is not recorded in channel %s: the event classes of user %u "
			   "have as much of the session's metadata as one user's may: record fewer "
			   "of them, or that user in a session of its own",
			   event_class->full_name, channel->name, user);
	} else if (error) {
		message_say("event %s is not recorded in channel %s: %s", event_class->full_name,
			    channel->name, strerror(-error));
	}
}

void channel_describe_classes(struct channel *channel, const uint64_t *ids, bool tell)
{
	static uint64_t new[LTTNGMAP_EVENT_IDS / 64];
	bool any = false, is_long = false;

	for (uint32_t i = 0; i < LTTNGMAP_EVENT_IDS / 64; i++) {
		new[i] = 0;
		for (uint64_t left = ids[i] & ~channel->decided[i]; left; left &= left - 1) {
			/* Each turn handles one class at least. */
			is_long = is_long || (any && is_put_off(channel));
			if (is_long)
				break;
			describe_class(channel, i * 64 + (uint32_t)__builtin_ctzll(left));
			new[i] |= left & -left;
			any = true;
		}
		channel->looked[i] |= new[i];
	}
	if (tell && any)
		session_tell_unfit(channel, new);
}

void channel_adopt_filters(const struct channel *channel)
{
	const struct daemon *daemon = channel->session->daemon;
	uint32_t owner = channel->session->owner;

	filter_pages_adopt(control_pages_filters(daemon->pages), channel->slot,
			   registry_count(daemon->registry), owner,
			   owner != 0 && owner != geteuid());
}

/*
 * Put a class's filter, NULL: none, where processes find it. A channel's first
 * one makes them look at the channel again, and only then is the event on.
 */
static int set_filter(struct channel *channel, uint32_t id, const struct filter_program *filter)
{
	struct filter_pages *pages = control_pages_filters(channel->session->daemon->pages);
	uint32_t owner = channel->session->owner;
	int error = 0;

	/* Nobody looks there yet, and a daemon that was killed may have left some. */
	if (filter && !channel->filtered)
		error = filter_pages_begin(pages, channel->slot,
					   registry_count(channel->session->daemon->registry),
					   owner, owner != 0 && owner != geteuid());
	if (error == 0 && (filter || channel->filtered))
		error = filter_pages_set(pages, channel->slot, id, filter ? filter->bytes : NULL,
					 filter ? filter->size : 0);
	if (error == 0 && filter && !channel->filtered) {
		channel->filtered = true;
		channel_publish(channel);
	}
	return error;
}

static void switch_class(struct channel *channel, uint32_t id)
{
	bool described = channel->map ||
			 metadata_has_event(channel->session->metadata, channel->stream_id, id);
	const struct registry_class *event_class;
	struct filter_program *filter = NULL;
	bool on = described && decide(channel, id, &event_class, &filter) > 0;

	if (on && set_filter(channel, id, filter) != 0) {
		message_of(channel->session->key,
			   "event %s is not recorded in channel %s: the filters of user %u's "
			   "sessions have no more room: make them shorter, or enable fewer events "
			   "with a filter",
			   event_class->full_name, channel->name, channel->session->owner);
		on = false;
		channel->refused[id / 64] |= UINT64_C(1) << id % 64;
	} else if (on) {
		channel->refused[id / 64] &= ~(UINT64_C(1) << id % 64);
	}
	filter_program_destroy(filter);
	control_pages_set_event(channel->session->daemon->pages, id, channel->slot, on);
}

static void switch_all(struct channel *channel)
{
	struct daemon *daemon = channel->session->daemon;
	uint32_t count = registry_count(daemon->registry);
	bool is_long = false;

	for (uint32_t id = 0; channel->started && id < count; id++) {
		uint64_t bit = UINT64_C(1) << id % 64;

		is_long = is_long || is_put_off(channel);
		if (is_long) {
			channel->decided[id / 64] &= ~bit;
			control_pages_set_event(daemon->pages, id, channel->slot, false);
		} else {
			switch_class(channel, id);
			channel->decided[id / 64] |= channel->looked[id / 64] & bit;
		}
	}
}

void channel_switch_classes(struct channel *channel, const uint64_t *ids)
{
	if (!ids) {
		switch_all(channel);
		return;
	}
	for (uint32_t i = 0; i < LTTNGMAP_EVENT_IDS / 64; i++) {
		uint64_t left = ids[i] & ~channel->decided[i] & channel->looked[i];

		for (; left; left &= left - 1) {
			if (channel->started)
				switch_class(channel, i * 64 + (uint32_t)__builtin_ctzll(left));
			channel->decided[i] |= left & -left;
		}
	}
}
