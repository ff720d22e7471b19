/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * consumer-answer.c - whether a consumer answers.
 *
 * A consumer says "busy" before it begins to work, and "alive" once a second while it works and
 * once afterwards; then it is quiet, and no timer runs on either side. So something is to be heard
 * within a second or two of each "busy", of each "alive" that says that there is more to do, and
 * of each message that it is sent. Where nothing is heard for HUNG_USEC, a system call of the
 * consumer's does not return: its output does not answer, or somebody stopped the process.
 *
 * It is not ended for that: it may be a disk that is slow, and where it is not, SIGKILL changes
 * nothing. Its session waits, whoever waits for the session is answered, and the consumer goes
 * on from where it was.
 */
#include "sessiond/consumer/consumer-private.h"

#include <time.h>

#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/base/pid-state.h"
#include "common/base/time.h"

#define HUNG_USEC UINT64_C(5000000)
#define ACCURACY_USEC UINT64_C(100000)

static void say_hung(const struct consumer_link *link)
{
	struct consumer_client client;

	if (!consumer_link_describe(link, &client))
		return;
	if (pid_state(link->pid) == 'T')
		message_of(client.key,
			   "session %s: its consumer, process %d, was stopped: nothing is written "
			   "until it goes on (kill -CONT); other sessions are not affected",
			   client.name, (int)link->pid);
	else
		message_of(client.key,
			   "session %s: its output %s does not answer for %u s: nothing is "
			   "written there until it does; other sessions are not affected",
			   client.name, client.output, (unsigned int)(HUNG_USEC / 1000000));
}

static void say_answers(const struct consumer_link *link)
{
	struct consumer_client client;

	if (consumer_link_describe(link, &client))
		message_of(client.key,
			   "session %s: its consumer answers again: its output is written",
			   client.name);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct consumer_link *link = data;

	(void)usec;
	/* Something was heard since the timer was set. */
	if (time_now_usec() - link->heard_usec < HUNG_USEC) {
		sd_event_source_set_time(source, link->heard_usec + HUNG_USEC);
		return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	}
	if (!link->is_hung)
		say_hung(link);
	link->is_hung = true;
	if (link->session)
		link->consumers->ops->answered(link->daemon->sessions);
	return 0;
}

int consumer_answer_add_timer(struct consumer_link *link)
{
	int error = sd_event_add_time(link->daemon->event, &link->answer, CLOCK_MONOTONIC,
				      UINT64_MAX, ACCURACY_USEC, on_timer, link);

	return error < 0 ? error : sd_event_source_set_enabled(link->answer, SD_EVENT_OFF);
}

void consumer_answer_expect(struct consumer_link *link)
{
	/* A guest consumer serves all sessions, and is somebody else's to supervise. */
	if (link->is_guest || link->is_leaving || link->is_hung ||
	    sd_event_source_get_enabled(link->answer, NULL) > 0)
		return;
	link->heard_usec = time_now_usec();
	sd_event_source_set_time(link->answer, link->heard_usec + HUNG_USEC);
	sd_event_source_set_enabled(link->answer, SD_EVENT_ONESHOT);
}

void consumer_answer_take(struct consumer_link *link, bool quiet)
{
	bool was_hung = link->is_hung;

	link->heard_usec = time_now_usec();
	link->is_hung = false;
	if (quiet)
		sd_event_source_set_enabled(link->answer, SD_EVENT_OFF);
	else
		consumer_answer_expect(link);
	if (!was_hung)
		return;
	say_answers(link);
	/* Sessions that were given up continue. */
	link->consumers->ops->answered(link->daemon->sessions);
}

void consumer_answer_forget(struct consumer_link *link)
{
	sd_event_source_set_enabled(link->answer, SD_EVENT_OFF);
}

uint64_t consumer_link_silence(const struct consumer_link *link)
{
	uint64_t silence;

	if (!link || !link->is_hung)
		return 0;
	silence = time_now_usec() - link->heard_usec;
	return silence ? silence : 1;
}
