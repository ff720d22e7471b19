/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/session/session-private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/memory/control-pages.h"
#include "sessiond/memory/memory-set.h"
#include "sessiond/session/channel-map.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session-consumer.h"
#include "sessiond/session/untraced.h"
#include "sessiond/storage/saved-state.h"

#define TICK_REAPING_USEC UINT64_C(20000)
/* A stop is given up when the consumer did nothing for that long … */
#define STALL_USEC UINT64_C(30000000)
/* … or, when it has said why, for as long as takes it a few tries. */
#define STALL_FAILED_USEC UINT64_C(2000000)

/* ---- stopping --------------------------------------------------------------- */

static void stop_answer(struct session *session, const char *error, const char *hint)
{
	session_stopped *stopped = session->stopped;

	session->stopped = NULL;
	session->state = SESSION_IDLE;
	daemon_save_state(session->daemon);
	if (!error) {
		session_tell_live(session);
		session_consumer_send_losses(session->consumer, session);
	}
	if (stopped)
		stopped(session, session->stopped_data, error, hint);
	else if (error)
		message_of(session->key, "session %s: %s; %s", session->name, error, hint);
}

static void push_final(struct session *session)
{
	session->state = SESSION_FINISHING;
	session_end_metadata(session);
	session->daemon->kernel_ops->finish(session->kernel);
}

static bool session_is_drained(struct session *session)
{
	struct channel *channel;

	cds_list_for_each_entry(channel, &session->channels, node)
		if (!channel_is_drained(channel))
			return false;
	return true;
}

static bool is_written(const struct session *session)
{
	return session->written.generation >= session->record->generation &&
	       session->daemon->kernel_ops->is_finished(session->kernel);
}

/* Answers the waiting client. The session is stopped when all is written. */
static void give_up(struct session *session)
{
	session_stopped *stopped = session->stopped;

	session->stopped = NULL;
	session->progress_usec = time_now_usec();
	if (stopped)
		stopped(session, session->stopped_data, SESSION_GIVEN_UP, SESSION_GIVEN_UP_HINT);
}

static void check_stalled(struct session *session, uint64_t now)
{
	uint64_t progress = session_progress(session);
	uint64_t stalled;

	if (session_is_given_up(session)) {
		give_up(session);
		return;
	}
	if (progress != session->progress) {
		session->progress = progress;
		session->progress_usec = now;
		return;
	}
	stalled = now - session->progress_usec;
	if (session_write_error(session) && stalled > STALL_FAILED_USEC) {
		stop_answer(session, "the trace on disk is not complete",
			    session_write_error(session));
	} else if (stalled > STALL_USEC) {
		stop_answer(session,
			    "the trace on disk is not complete: its writer makes no progress",
			    "look for room on the disk, and at the messages of `status`");
	}
}

static void session_step(struct session *session, uint64_t now)
{
	if (session->state != SESSION_DRAINING && session->state != SESSION_FINISHING)
		return;
	/* A flight recorder writes nothing now. */
	if (session->is_flight_recorder || !consumer_link_expected(session->consumer)) {
		stop_answer(session, NULL, NULL);
		return;
	}
	if (session->state == SESSION_DRAINING && session_is_drained(session))
		push_final(session);
	/* A write error that was overcome is over when the consumer reports so, soon. */
	else if (session->state == SESSION_FINISHING && is_written(session) &&
		 !session_write_error(session))
		stop_answer(session, NULL, NULL);
	else
		check_stalled(session, now);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct sessions *sessions = data;
	struct session *session, *next;
	struct channel *channel;
	bool stopping = false, waiting = false, more = false, given_up;
	uint64_t now = time_now_usec();

	(void)usec;
	cds_list_for_each_entry_safe(session, next, &sessions->list, node) {
		/* Nothing moves in one that is given up: the timer is set when its output answers.
		 */
		given_up = session_is_given_up(session);
		cds_list_for_each_entry(channel, &session->channels, node)
			waiting |= channel_reap(channel, &more) > 0 && !given_up;
		session_step_clear(session, now);
		waiting |= session_is_clearing(session);
		waiting |= session_step_live(session, now) && !given_up;
		session_step_rotation(session, now);
		session_step_snapshot(session, now);
		stopping |= session_is_taking_snapshot(session) ||
			    (session_is_rotating(session) && !given_up);
		/* Last: it may destroy the session. */
		session_step(session, now);
	}
	stopping |= sessions_stopping(sessions);
	if (!stopping && !waiting && !more)
		return sd_event_source_set_enabled(source, SD_EVENT_OFF);
	return sd_event_source_set_time(source, now + (stopping || more ? TICK_STOPPING_USEC
									: TICK_REAPING_USEC));
}

bool sessions_stopping(struct sessions *sessions)
{
	struct session *session;

	cds_list_for_each_entry(session, &sessions->list, node)
		if ((session->state == SESSION_DRAINING || session->state == SESSION_FINISHING) &&
		    (session->stopped || !session_is_given_up(session)))
			return true;
	return false;
}

int session_add_channel(struct session *session, const struct channel_config *config,
			struct channel **channel, char *why, char *hint)
{
	int error = channel_create(session, config, channel, why, hint);

	if (error)
		return error;
	daemon_save_state(session->daemon);
	session_consumer_send_channel(session->consumer, *channel);
	session_push_metadata(session);
	if (session->state == SESSION_ACTIVE)
		channel_start(*channel);
	return 0;
}

int session_change_channel(struct channel *channel, const struct channel_config *config, char *why,
			   char *hint)
{
	struct session *session = channel->session;
	uint32_t stream_id = channel->stream_id, file_count = channel->file_count;
	uint64_t file_size = channel->file_size;
	int error = channel_change(channel, config, why, hint);

	daemon_save_state(session->daemon);
	if (error == 0 && (channel->stream_id != stream_id || channel->file_size != file_size ||
			   channel->file_count != file_count)) {
		session_consumer_send_channel_end(session->consumer, channel);
		session_consumer_send_channel(session->consumer, channel);
	}
	session_push_metadata(session);
	return error;
}

void session_remove_channel(struct channel *channel)
{
	struct daemon *daemon = channel->session->daemon;

	session_consumer_send_channel_end(channel->session->consumer, channel);
	channel_destroy(channel);
	daemon_save_state(daemon);
}

/* The same rule in another channel. */
static int enable_same(struct channel *channel, const struct rule_entry *entry)
{
	const struct rule_config rule = {
		.patterns = rule_text(entry->patterns),
		.exclude = entry->exclude ? rule_text(entry->exclude) : NULL,
		.filter = entry->filter ? filter_expression_text(entry->filter) : NULL,
		.has_loglevel = entry->has_loglevel,
		.loglevel = entry->loglevel,
		.loglevel_only = entry->loglevel_only,
	};
	struct rule_problem problem;
	struct rule_entry *added;

	return session_enable(channel, &rule, &added, &problem);
}

int session_replace_map(struct channel *before, struct channel **result, char *why, char *hint)
{
	struct session *session = before->session;
	struct channel_map_config expressions;
	struct channel_config config;
	struct filter_error wrong;
	bool in_sum;
	int error;

	channel_get_config(before, &config);
	/* Beside the old one, for a moment. */
	config.name = strcmp(before->name, SESSION_MAP_CHANNEL) == 0 ? SESSION_MAP_CHANNEL "+"
								     : SESSION_MAP_CHANNEL;
	channel_map_get_config(before->map, &expressions);
	snprintf(why, CHANNEL_WHY_SIZE, "out of memory");
	snprintf(hint, CHANNEL_WHY_SIZE, "try again");
	error = channel_map_create(&expressions, &config.map, &wrong, &in_sum);
	if (error)
		return error;
	error = session_add_channel(session, &config, result, why, hint);
	if (error) {
		channel_map_destroy(config.map);
		return error;
	}
	for (size_t i = 0; error == 0 && i < before->rules.nr_entries; i++)
		error = enable_same(*result, before->rules.entries[i]);
	/* The list begins with the channel that counts. */
	if (error)
		before = *result;
	if (before->started) {
		channel_close(before);
		channel_wait_writers();
	}
	session_remove_channel(before);
	return error;
}

void session_start(struct session *session)
{
	struct channel *channel;

	session_push_metadata(session);
	session_consumer_send_recording(session->consumer, session, true);
	session->state = SESSION_ACTIVE;
	session->rotation.has_begun = true;
	if (session->rotation.begin == 0)
		session->rotation.begin = time(NULL);
	daemon_save_state(session->daemon);
	session->daemon->kernel_ops->start(session->kernel);
	cds_list_for_each_entry(channel, &session->channels, node)
		channel_start(channel);
	session_split(session);
}

/* Wait until all is read, as long as anything moves. */
static void begin_drain(struct session *session)
{
	session->progress = session_progress(session);
	session->progress_usec = time_now_usec();
	sd_event_source_set_time(session->daemon->sessions->timer, 0);
	sd_event_source_set_enabled(session->daemon->sessions->timer, SD_EVENT_ON);
}

void session_stop(struct session *session, session_stopped *stopped, void *data)
{
	struct channel *channel;

	session->stopped = stopped;
	session->stopped_data = data;
	/* From here on it is stopped, in the restarted daemon too. */
	session->state = SESSION_DRAINING;
	daemon_save_state(session->daemon);
	cds_list_for_each_entry(channel, &session->channels, node)
		channel_close(channel);
	session->daemon->kernel_ops->stop(session->kernel);
	channel_wait_writers();
	cds_list_for_each_entry(channel, &session->channels, node)
		channel_freeze(channel);
	session_consumer_send_recording(session->consumer, session, false);
	begin_drain(session);
}

static bool are_all_active(const struct sessions *sessions)
{
	const struct session *session;

	cds_list_for_each_entry(session, &sessions->list, node)
		if (session->state != SESSION_ACTIVE)
			return false;
	return true;
}

void sessions_resume(struct sessions *sessions)
{
	struct control_pages *pages = sessions->daemon->pages;
	uint64_t slots = 0;
	struct session *session;
	struct channel *channel;

	control_pages_begin(pages);
	cds_list_for_each_entry(session, &sessions->list, node) {
		cds_list_for_each_entry(channel, &session->channels, node) {
			slots |= UINT64_C(1) << channel->slot;
			channel_resume(channel);
		}
	}
	/* Slots that no channel uses any more. */
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++) {
		if (slots & UINT64_C(1) << slot)
			continue;
		control_pages_withdraw(pages, slot);
		control_pages_clear_events(pages, slot, registry_count(sessions->daemon->registry));
	}
	control_pages_end(pages);
	/* It takes 12 ms, which programs wait for; only rings that are to be frozen need it. */
	if (!are_all_active(sessions))
		channel_wait_writers();
	cds_list_for_each_entry(session, &sessions->list, node) {
		if (session->state == SESSION_ACTIVE)
			continue;
		cds_list_for_each_entry(channel, &session->channels, node)
			channel_freeze(channel);
		if (session->state == SESSION_DRAINING)
			begin_drain(session);
	}
	cds_list_for_each_entry(session, &sessions->list, node) {
		if (session->state == SESSION_ACTIVE)
			session->daemon->kernel_ops->start(session->kernel);
		session_resume_rotation(session);
	}
	cds_list_for_each_entry(session, &sessions->list, node)
		if (session->clear.pending && session_clear(session, NULL, NULL) != 0)
			message_of(session->key, "session %s was not cleared: out of memory",
				   session->name);
	sessions_reap_soon(sessions);
}

int session_await_stop(struct session *session, session_stopped *stopped, void *data)
{
	if (session->stopped)
		return -EBUSY;
	session->stopped = stopped;
	session->stopped_data = data;
	return 0;
}

void sessions_forget(struct sessions *sessions, const void *data)
{
	struct session *session;

	cds_list_for_each_entry(session, &sessions->list, node) {
		if (session->stopped_data == data)
			session->stopped = NULL;
		if (session->clear.data == data)
			session->clear.done = NULL;
		if (session->rotation.data == data)
			session->rotation.done = NULL;
		if (session->snapshot.data == data)
			session->snapshot.done = NULL;
		session->daemon->kernel_ops->forget(session->kernel, data);
		if (session->trigger)
			session->daemon->trigger_ops->forget(session, data);
	}
}

/* ---- processes and classes --------------------------------------------------- */

void sessions_join(struct sessions *sessions, struct process *process)
{
	struct session *session;
	struct channel *channel;

	cds_list_for_each_entry(session, &sessions->list, node)
		cds_list_for_each_entry(channel, &session->channels, node)
			if (channel->started)
				channel_admit(channel, process);
			else if (session->goes_on && session_takes(session, process))
				control_pages_set_process(memory_set_process(process->memories),
							  channel->slot, true);
}

/* ---- making and undoing ------------------------------------------------------ */

int sessions_create(struct daemon *daemon, struct sessions **result)
{
	struct sessions *sessions = calloc(1, sizeof(*sessions));
	int error;

	*result = NULL;
	if (!sessions)
		return -ENOMEM;
	sessions->daemon = daemon;
	CDS_INIT_LIST_HEAD(&sessions->list);
	error = sd_event_add_time(daemon->event, &sessions->timer, CLOCK_MONOTONIC, UINT64_MAX, 1,
				  on_timer, sessions);
	if (error >= 0)
		error = sd_event_source_set_enabled(sessions->timer, SD_EVENT_OFF);
	if (error < 0) {
		sessions_destroy(sessions);
		return error;
	}
	*result = sessions;
	return 0;
}

void sessions_destroy(struct sessions *sessions)
{
	struct session *session, *next;

	if (!sessions)
		return;
	cds_list_for_each_entry_safe(session, next, &sessions->list, node)
		session_destroy(session);
	sd_event_source_disable_unref(sessions->timer);
	free(sessions);
}
