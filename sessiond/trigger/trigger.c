/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/trigger/trigger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/time.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/mediator/doorbell.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/session.h"
#include "sessiond/trigger/trigger-private.h"
#include "sessiond/storage/saved-state.h"

/* One that has no --every begins no more rounds than this allows: others are served in between. */
#define PAUSE_USEC UINT64_C(5000)
/* How often conditions are looked at that ring no bell. */
#define LOOK_USEC UINT64_C(50000)
#define ACCURACY_USEC UINT64_C(500)

struct waiter {
	struct cds_list_head node;
	trigger_told *told;
	void *data;
};

static struct saved_trigger *record_of(const struct session *session)
{
	return &session->record->trigger;
}

/* ---- rounds ------------------------------------------------------------------------- */

static void arm(struct trigger *trigger, uint64_t usec)
{
	sd_event_source_set_time(trigger->timer, usec);
	sd_event_source_set_enabled(trigger->timer, SD_EVENT_ONESHOT);
}

static void tell(struct session *session, bool is_removed)
{
	struct waiter *waiter, *next;
	struct cds_list_head waiters;

	/* A waiter that is answered may wait again at once: in the new list. */
	CDS_INIT_LIST_HEAD(&waiters);
	cds_list_splice(&session->trigger->waiters, &waiters);
	CDS_INIT_LIST_HEAD(&session->trigger->waiters);
	cds_list_for_each_entry_safe(waiter, next, &waiters, node) {
		cds_list_del(&waiter->node);
		waiter->told(session, waiter->data, is_removed);
		free(waiter);
	}
}

/* The rules are off while it is muted: its events cost the programs nothing. */
static void mute(struct session *session, uint64_t until)
{
	struct channel *channel;

	session->trigger->muted_until = until;
	cds_list_for_each_entry(channel, &session->channels, node)
		session_mute_channel(channel);
	if (until == UINT64_MAX)
		sd_event_source_set_enabled(session->trigger->timer, SD_EVENT_OFF);
	else
		arm(session->trigger, until);
}

static void unmute(struct session *session)
{
	struct trigger_round late = { .number = 0 };
	struct channel *channel;

	session->trigger->muted_until = 0;
	/* Notes events that were being written when it was muted. */
	trigger_look(session, true, &late);
	cds_list_for_each_entry(channel, &session->channels, node)
		session_set_channel_enabled(channel, true);
}

static void end_round(struct session *session)
{
	__atomic_store_n(&record_of(session)->pending, 0, __ATOMIC_RELEASE);
}

static void act(struct session *session)
{
	const struct trigger_config *config = &session->trigger->config;
	struct trigger *trigger = session->trigger;

	/* One more, so that the last action that is done at once does not end the round. */
	trigger->busy = config->nr_actions + 1;
	for (uint32_t i = 0; i < config->nr_actions; i++) {
		if (config->actions[i].kind == TRIGGER_NOTIFY)
			trigger_acted(session, NULL);
		else
			session->daemon->act_for_trigger(session, &trigger->config.actions[i]);
	}
	trigger_acted(session, NULL);
}

static void begin_round(struct session *session, struct trigger_round *round)
{
	struct saved_trigger *record = record_of(session);
	struct trigger *trigger = session->trigger;
	uint64_t now = time_now_usec();
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	round->number = record->rounds + 1;
	round->time_ms = (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
	__atomic_store_n(&record->rounds, round->number, __ATOMIC_RELEASE);
	record->value = round->value;
	trigger->kept[round->number % TRIGGER_ROUNDS_KEPT] = *round;
	trigger->next_usec = now + PAUSE_USEC;
	act(session);
	tell(session, false);
	if (trigger->config.times && round->number >= trigger->config.times)
		mute(session, UINT64_MAX);
	else if (trigger->config.every_ms)
		mute(session, now + trigger->config.every_ms * 1000);
}

/*
 * A killed daemon leaves a round pending. The next one finds by `before` whether its events were
 * noted: if not, they are found again.
 */
static void step(struct session *session, bool all)
{
	struct saved_trigger *record = record_of(session);
	struct trigger *trigger = session->trigger;
	struct trigger_round round = { .number = 0 };

	trigger->look_at_all |= all;
	if (trigger->busy || trigger->muted_until)
		return;
	if (time_now_usec() < trigger->next_usec) {
		arm(trigger, trigger->next_usec);
		return;
	}
	record->before = trigger_events(session);
	__atomic_store_n(&record->pending, record->rounds + 1, __ATOMIC_RELEASE);
	all = trigger->look_at_all;
	trigger->look_at_all = false;
	if (trigger_look(session, all, &round))
		begin_round(session, &round);
	else
		end_round(session);
	/* Tables that could not be read now. */
	if (trigger->look_at_all && !trigger->muted_until)
		arm(trigger, time_now_usec() + PAUSE_USEC);
	/* Not muted, nor busy: those would be looked at when that ends. */
	if (trigger->config.condition != TRIGGER_EVENT && !trigger->muted_until)
		arm(trigger, time_now_usec() + LOOK_USEC);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct session *session = data;

	(void)source;
	(void)usec;
	if (session->trigger->muted_until)
		unmute(session);
	step(session, false);
	return 0;
}

void trigger_acted(struct session *session, const char *error)
{
	struct trigger *trigger = session->trigger;

	if (error) {
		record_of(session)->failed++;
		snprintf(trigger->problem, sizeof(trigger->problem), "%s", error);
		message_say("trigger %s: %s", session->name, error);
	}
	if (--trigger->busy > 0)
		return;
	end_round(session);
	if (!trigger->muted_until)
		arm(trigger, trigger->next_usec);
}

/* ---- waiting ------------------------------------------------------------------------ */

int trigger_wait(struct session *session, trigger_told *told, void *data)
{
	struct waiter *waiter = calloc(1, sizeof(*waiter));

	if (!waiter)
		return -ENOMEM;
	waiter->told = told;
	waiter->data = data;
	cds_list_add_tail(&waiter->node, &session->trigger->waiters);
	return 0;
}

static void forget(struct session *session, const void *data)
{
	struct waiter *waiter, *next;

	cds_list_for_each_entry_safe(waiter, next, &session->trigger->waiters, node) {
		if (waiter->data != data)
			continue;
		cds_list_del(&waiter->node);
		free(waiter);
	}
}

/* Its actions go on, and tell nobody. */
static void end(struct session *session)
{
	const struct trigger_config *config = &session->trigger->config;
	struct trigger *trigger = session->trigger;

	for (uint32_t i = 0; i < config->nr_actions; i++)
		if (config->actions[i].actor)
			sessions_forget(session->daemon->sessions, config->actions[i].actor);
	tell(session, true);
	session->trigger = NULL;
	trigger_destroy(trigger);
}

const struct session_trigger_ops trigger_ops = { .forget = forget, .end = end };

/* ---- asking ------------------------------------------------------------------------- */

const struct trigger_config *trigger_config(const struct trigger *trigger)
{
	return &trigger->config;
}

uint64_t trigger_events(const struct session *session)
{
	const struct process_channel *process_channel;
	uint64_t events = session->trigger->events_before;
	const struct channel *channel;

	cds_list_for_each_entry(channel, &session->channels, node)
		cds_list_for_each_entry(process_channel, &channel->process_channels, node)
			events += ring_set_noted_events(process_channel->set);
	return events;
}

const struct trigger_round *trigger_round(const struct trigger *trigger, uint64_t number)
{
	const struct trigger_round *round = &trigger->kept[number % TRIGGER_ROUNDS_KEPT];

	return number && round->number == number ? round : NULL;
}

uint64_t trigger_muted_until(const struct trigger *trigger)
{
	return trigger->muted_until;
}

bool trigger_is_busy(const struct trigger *trigger)
{
	return trigger->busy > 0;
}

const char *trigger_problem(const struct trigger *trigger)
{
	return trigger->problem[0] ? trigger->problem : NULL;
}

/* ---- making ------------------------------------------------------------------------- */

int trigger_create(const struct trigger_config *config, struct trigger **result)
{
	struct trigger *trigger = calloc(1, sizeof(*trigger));

	*result = trigger;
	if (!trigger)
		return -ENOMEM;
	trigger->config = *config;
	CDS_INIT_LIST_HEAD(&trigger->waiters);
	return 0;
}

void trigger_destroy(struct trigger *trigger)
{
	if (!trigger)
		return;
	for (uint32_t i = 0; i < trigger->config.nr_actions; i++)
		free(trigger->config.actions[i].actor);
	trigger_forget_seen(trigger);
	sd_event_source_disable_unref(trigger->timer);
	free(trigger);
}

int trigger_begin(struct session *session)
{
	struct trigger *trigger = session->trigger;
	int error = sd_event_add_time(session->daemon->event, &trigger->timer, CLOCK_MONOTONIC,
				      UINT64_MAX, ACCURACY_USEC, on_timer, session);

	if (error < 0)
		return error;
	sd_event_source_set_enabled(trigger->timer, SD_EVENT_OFF);
	if (trigger->config.condition != TRIGGER_EVENT) {
		trigger_look_first(session);
		arm(trigger, 0);
	}
	return 0;
}

/* ---- all ---------------------------------------------------------------------------- */

static void step_all(struct daemon *daemon, bool all)
{
	struct session *session, *next;

	cds_list_for_each_entry_safe(session, next, sessions_list(daemon->sessions), node)
		if (session->trigger && session->trigger->timer &&
		    session->trigger->config.condition == TRIGGER_EVENT)
			step(session, all);
}

static int on_bells(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	uint64_t count;

	(void)source;
	(void)revents;
	if (read(fd, &count, sizeof(count)) > 0)
		step_all(data, false);
	return 0;
}

int triggers_create(struct daemon *daemon)
{
	int error = sd_event_add_io(daemon->event, NULL, doorbells_triggers(daemon->doorbells),
				    EPOLLIN, on_bells, daemon);

	return error < 0 ? error : 0;
}

/* The round that a daemon was killed in: either its events are found again, or it was missed. */
static void settle_pending(struct session *session)
{
	struct saved_trigger *record = record_of(session);

	if (!record->pending)
		return;
	if (record->rounds >= record->pending || trigger_events(session) != record->before) {
		record->rounds = record->pending;
		record->missed++;
		message_say("trigger %s: the daemon was killed in round %llu: its actions may not "
			    "have been done",
			    session->name, (unsigned long long)record->pending);
	}
	end_round(session);
}

void triggers_resume(struct daemon *daemon)
{
	struct session *session;

	cds_list_for_each_entry(session, sessions_list(daemon->sessions), node) {
		struct trigger *trigger = session->trigger;

		if (!trigger)
			continue;
		settle_pending(session);
		if (!trigger->timer && trigger_begin(session) != 0)
			message_say("trigger %s does nothing: out of memory", session->name);
		else if (trigger->muted_until && trigger->muted_until != UINT64_MAX)
			arm(trigger, trigger->muted_until);
	}
	step_all(daemon, true);
}

void trigger_keep(const struct session *session, struct trigger_kept *kept)
{
	kept->muted_until = session->trigger->muted_until;
	kept->events_before = session->trigger->events_before;
	kept->events = trigger_events(session);
}

void trigger_take(struct session *session, const struct trigger_kept *kept)
{
	uint64_t latest = time_now_usec() + session->trigger->config.every_ms * 1000;

	session->trigger->events_before = session->is_taken_over ? kept->events
								 : kept->events_before;
	session->trigger->muted_until = kept->muted_until;
	/* The state is of another boot, or damaged. */
	if (kept->muted_until != UINT64_MAX && kept->muted_until > latest)
		session->trigger->muted_until = latest;
}
