/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "relay/relay-parts.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "common/base/log.h"
#include "common/base/time.h"

#define BACKOFF_MIN_MS 200
#define BACKOFF_MAX_MS 5000
/* Nobody writes to the trace in all that time: a consumer that died is replaced sooner. */
#define ABANDONED_MS 3000
/* The session may not have been opened yet. */
#define APPEAR_MS 10000
#define IDLE_MS 500

/* ---- trouble -------------------------------------------------------------------------- */

static const char *explain(int error)
{
	switch (error) {
	case -EREMOTEIO:
		return "it refuses; its messages say why";
	case -EPROTO:
		return "what it answers is no answer: is it lttng-relayd?";
	case -EPROTONOSUPPORT:
		return "it is older than LTTng 2.11, or no lttng-relayd";
	case -ETIMEDOUT:
		return "it does not answer";
	case -ECONNRESET:
		return "it closed the connection";
	default:
		return strerror(-error);
	}
}

/* The connection is no more; the next try comes later each time. */
static void take_trouble(struct relay *relay, int error)
{
	const struct relay_url *url = &relay->config->url;

	relay_disconnect(relay);
	if (error == -EINTR)
		return;
	if (error != relay->trouble)
		log_warning("collector %s, ports %s and %s: %s; what it has not confirmed is kept, "
			    "and it is tried again",
			    url->host, url->control, url->data, explain(error));
	relay->trouble = error;
	relay->retry_ms = time_now_ms() + relay->backoff_ms;
	relay->backoff_ms = relay->backoff_ms * 2 < BACKOFF_MAX_MS ? relay->backoff_ms * 2
								   : BACKOFF_MAX_MS;
}

static void connect_again(struct relay *relay)
{
	int error;

	if (time_now_ms() < relay->retry_ms)
		return;
	error = relay_connect(relay);
	if (error)
		take_trouble(relay, error);
	else if (relay->trouble)
		log_info("collector %s: there again", relay->config->url.host);
}

struct ending {
	int64_t probe_ms;     /* when it was looked last whether somebody writes */
	int64_t abandoned_ms; /* since when nobody does; 0: somebody does */
	int64_t last_ms;      /* when something was confirmed last since */
	uint64_t packets;
};

/* ---- progress --------------------------------------------------------------------------- */

static struct follow *first_of(struct relay *relay)
{
	return cds_list_empty(&relay->follows)
		       ? NULL
		       : cds_list_first_entry(&relay->follows, struct follow, node);
}

/* A chunk that is complete there; packets of the next were held so far. */
static int end_chunks(struct relay *relay)
{
	struct follow *follow = first_of(relay), *next;
	int error;

	if (!follow || !follow->is_final || !follow_is_confirmed(follow))
		return 0;
	if (follow->node.next == &relay->follows)
		return 0;
	next = cds_list_entry(follow->node.next, struct follow, node);
	error = relay_end_trace(relay, follow);
	if (!error && next->chunk != relay->chunk)
		error = relay_end_chunk(relay, follow);
	if (!error)
		relay_drop(relay, follow);
	return error;
}

/* True if relay_send() left something that can be sent, or viewers are to be told. */
static bool may_go_on(struct relay *relay)
{
	struct follow *follow;

	cds_list_for_each_entry(follow, &relay->follows, node) {
		if (!cds_list_empty(&follow->due))
			return true;
	}
	return relay->config->live_ms;
}

/*
 * Sends available data. 1: more is to be sent, or a confirmation made room for more; 0: nothing to
 * do before there are news; or -errno of the connection.
 */
static int advance(struct relay *relay)
{
	uint64_t before = relay->result->packets, chunk = relay->chunk;
	int error, sent = relay_send(relay);

	if (sent < 0)
		return sent;
	error = relay_confirm(relay);
	if (!error)
		error = end_chunks(relay);
	if (error)
		return error;
	if (relay->result->packets != before) {
		relay->trouble = 0;
		relay->backoff_ms = BACKOFF_MIN_MS;
	}
	return (sent > 0 && may_go_on(relay)) || relay->result->packets != before ||
	       relay->chunk != chunk;
}

static bool is_all_confirmed(const struct relay *relay)
{
	struct follow *follow;

	cds_list_for_each_entry(follow, &relay->follows, node) {
		if (!follow_is_confirmed(follow))
			return false;
	}
	return true;
}

/* Viewers get some time to read the last data: new streams above all. */
static bool may_end(const struct relay *relay, const struct ending *ending)
{
	int64_t wait = (int64_t)relay->config->live_ms;

	if (wait > relay->config->timeout_ms / 2)
		wait = relay->config->timeout_ms / 2;
	return is_all_confirmed(relay) && time_now_ms() - ending->last_ms >= wait;
}

static int end_all(struct relay *relay)
{
	struct follow *follow, *next;
	int error;

	cds_list_for_each_entry(follow, &relay->follows, node) {
		error = relay_end_trace(relay, follow);
		if (error)
			return error;
	}
	error = relay_end_chunk(relay, NULL);
	if (error)
		return error;
	cds_list_for_each_entry_safe(follow, next, &relay->follows, node)
		relay_drop(relay, follow);
	relay->result->is_complete = relay->nr_broken == 0;
	return 0;
}

/* ---- the end ------------------------------------------------------------------------------ */

/* All that came while we found out is due. */
static void take_end(struct relay *relay, struct ending *ending)
{
	struct follow *follow;

	relay->is_over = true;
	ending->last_ms = time_now_ms();
	cds_list_for_each_entry(follow, &relay->follows, node) {
		follow->is_final = true;
		follow->is_described = false;
		follow->has_news = true;
		(void)follow_scan(follow);
	}
}

static void look_for_end(struct relay *relay, struct ending *ending)
{
	int64_t now = time_now_ms();

	if (*relay->config->finish) {
		take_end(relay, ending);
		return;
	}
	if (now - ending->probe_ms < IDLE_MS || !first_of(relay))
		return;
	ending->probe_ms = now;
	if (!relay_is_abandoned(relay))
		ending->abandoned_ms = 0;
	else if (!ending->abandoned_ms)
		ending->abandoned_ms = now;
	else if (now - ending->abandoned_ms >= ABANDONED_MS)
		take_end(relay, ending);
}

/* After the end, the collector has its time for each packet, and not for ever. */
static bool is_late(struct relay *relay, struct ending *ending)
{
	if (relay->result->packets != ending->packets)
		ending->last_ms = time_now_ms();
	ending->packets = relay->result->packets;
	return time_now_ms() - ending->last_ms > relay->config->timeout_ms;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void wait_for_news(struct relay *relay, bool is_busy)
{
	struct pollfd fds[2] = {
		{ .fd = relay->watch, .events = POLLIN },
		{ .fd = -1, .events = POLLIN },
	};
	int64_t timeout = IDLE_MS * 1000;
	struct timespec wait;
	bool is_quiet = relay->connection && !relay->flight.bytes;
	int error = is_quiet ? relay_connection_settle(relay->connection) : 0;

	/*
	 * An answer that is not read would pass for the connection's end. Those that are due while
	 * packets are on the way come with the next question's.
	 */
	if (error)
		take_trouble(relay, error);
	if (relay->connection)
		fds[1].fd = relay_connection_fd(relay->connection);
	if (relay->connection && is_busy)
		timeout = 0;
	else if (relay->connection && relay->flight.bytes)
		timeout = (int64_t)flight_wait(&relay->flight, time_now_usec());
	/* Packets that come are read when there is somebody to send them to. */
	if (!relay->connection) {
		int64_t left = relay->retry_ms - time_now_ms();

		timeout = 1000 * (left < 0 ? 0 : left < IDLE_MS ? left : IDLE_MS);
		fds[0].fd = -1;
	}
	wait = (struct timespec){ .tv_nsec = timeout * 1000 };
	(void)ppoll(fds, 2, &wait, NULL);
	/* Nothing was asked: that is its end. */
	if (fds[1].revents && relay->connection)
		take_trouble(relay, -ECONNRESET);
}

/* 1: go on; 0 or -errno: that was it. */
static int step(struct relay *relay, struct ending *ending, int64_t begin_ms)
{
	int error, result = 0;

	error = relay_look(relay);
	if (error)
		return error;
	if (!first_of(relay) && time_now_ms() - begin_ms > ABANDONED_MS &&
	    relay_is_emptied(relay)) {
		relay->result->is_complete = true;
		return 0;
	}
	if (!first_of(relay) && time_now_ms() - begin_ms > APPEAR_MS)
		return -ENOENT;
	if (!relay->is_over)
		look_for_end(relay, ending);
	if (relay->is_over && !first_of(relay))
		return -ENOENT;
	if (!relay->connection && first_of(relay))
		connect_again(relay);
	if (relay->connection) {
		result = advance(relay);
		if (result >= 0 && relay->is_over && may_end(relay, ending)) {
			error = end_all(relay);
			if (!error)
				return relay->nr_broken ? -EBADMSG : 0;
			result = error;
		}
		/* Files here are not its trouble. */
		if (result < 0 && result != -EAGAIN)
			take_trouble(relay, result);
	}
	if (relay->is_over && is_late(relay, ending))
		return -ETIMEDOUT;
	wait_for_news(relay, result > 0);
	return *relay->config->stop ? -EINTR : 1;
}

int relay_run(const struct relay_config *config, struct relay_result *result)
{
	struct relay relay = {
		.config = config,
		.result = result,
		.backoff_ms = BACKOFF_MIN_MS,
	};
	struct ending ending = { .packets = 0 };
	int64_t begin_ms = time_now_ms();
	int error;

	*result = (struct relay_result){ .packets = 0 };
	error = relay_open(&relay);
	if (!error) {
		do
			error = step(&relay, &ending, begin_ms);
		while (error > 0);
	}
	relay_disconnect(&relay);
	relay_close(&relay);
	return error;
}
