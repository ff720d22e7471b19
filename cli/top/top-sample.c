/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * top-sample.c - asks a daemon for "rings" and "usage", and computes rates. A rate is the increase
 * since the last sample divided by the time on the daemon's own clock, so it does not depend on
 * when this process ran.
 */
#include <config.h>

#include "cli/top/top.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/client/control-client.h"
#include "cli/client/session-verb.h"
#include "common/protocol/protocol-control.h"
#include "common/base/time.h"

/* No machine has more; a daemon that reports more is unknown or broken. */
#define ITEMS_MOST 65536
#define RINGS_MOST (4u << 20)

/* ---- asking --------------------------------------------------------------------- */

/* Copies the text; replaces what a terminal acts on. */
static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
	for (; *to; to++)
		if ((unsigned char)*to < 0x20 || (unsigned char)*to >= 0x7f)
			*to = '?';
}

int top_sample_fail(struct top_daemon *daemon, int error)
{
	const char *what = strerror(-error);

	if (error == -EREMOTEIO)
		what = control_client_error(daemon->client);
	else if (error == -ENOENT)
		what = "no session daemon runs there";
	else if (error == -ETIMEDOUT || error == -EAGAIN)
		what = "it does not answer";
	else if (error == -EPIPE)
		what = "it closed the connection";
	else if (error == -EBADMSG)
		what = "it answers in a way unknown to this version";
	copy_text(daemon->why, sizeof(daemon->why), what);
	daemon->error = error;
	/*
	 * Keep the connection to a daemon that hangs, so that it never has more than one of ours.
	 */
	if (error == -ETIMEDOUT)
		return error;
	control_client_close(daemon->client);
	daemon->client = NULL;
	return error;
}

static int receive(struct top_daemon *daemon, int64_t deadline, struct json_object **answer)
{
	int64_t rest = deadline - time_now_ms();
	int error =
		socket_wait(control_client_fd(daemon->client), POLLIN, rest > 0 ? (int)rest : 0);

	return error ? error : control_client_receive(daemon->client, answer);
}

int top_sample_ask(struct top_daemon *daemon, struct json_object *request, int64_t deadline,
		   struct json_object **answer)
{
	int error = 0;

	/* Drop an answer that came too late. */
	if (control_client_pending(daemon->client)) {
		error = receive(daemon, deadline, answer);
		if (!error)
			json_object_put(*answer);
		if (error == -EREMOTEIO)
			error = 0;
	}
	if (error) {
		json_object_put(request);
		return error;
	}
	error = control_client_send(daemon->client, request);
	return error ? error : receive(daemon, deadline, answer);
}

static int greet(struct top_daemon *daemon, int64_t deadline)
{
	struct json_object *request = json_object_new_object(), *answer;
	uint64_t version;
	int error;

	session_add_text(request, "verb", "hello");
	session_add_number(request, "version", PROTOCOL_CONTROL_VERSION);
	error = top_sample_ask(daemon, request, deadline, &answer);
	if (error)
		return error;
	version = control_answer_count(answer, "version");
	json_object_put(answer);
	daemon->greeted = version == PROTOCOL_CONTROL_VERSION;
	return daemon->greeted ? 0 : -EBADMSG;
}

static int connect_to(struct top_daemon *daemon, int64_t deadline)
{
	int error;

	if (!daemon->client) {
		daemon->greeted = false;
		error = control_client_connect_now(daemon->runtime_dir, &daemon->client);
		if (error)
			return error == -ECONNREFUSED ? -ENOENT : error;
	}
	return daemon->greeted ? 0 : greet(daemon, deadline);
}

/* Takes the items of one answer. 0 or -errno. */
typedef int take_items(struct top_sample *sample, struct json_object *answer,
		       struct json_object *array);

/* Asks for all parts of a list. The first part's time counts; the other parts follow at once. */
static int ask_all(struct top_daemon *daemon, struct top_sample *sample, const char *verb,
		   const char *key, take_items *take, int64_t deadline)
{
	uint64_t from = 0, next;
	int error;

	do {
		struct json_object *request = json_object_new_object(), *answer;

		session_add_text(request, "verb", verb);
		session_add_number(request, "from", from);
		error = top_sample_ask(daemon, request, deadline, &answer);
		if (error)
			return error;
		next = control_answer_count(answer, "next");
		error = take(sample, answer, session_member_array(answer, key));
		json_object_put(answer);
		/* A daemon that repeats itself would keep the loop going for ever. */
		if (!error && next != 0 && next <= from)
			error = -EBADMSG;
		from = next;
	} while (!error && next != 0);
	return error;
}

/* ---- understanding --------------------------------------------------------------- */

/* Adds room for `more` items of `size` bytes, all zeros. 0 or -ENOMEM. */
static int grow(void *items, size_t count, size_t more, size_t size)
{
	char *larger = realloc(*(void **)items, (count + more) * size + 1);

	if (!larger)
		return -ENOMEM;
	memset(larger + count * size, 0, more * size);
	*(void **)items = larger;
	return 0;
}

static void take_kernel(struct top_session *session, const struct top_session *of,
			struct json_object *kernel)
{
	uint64_t overrun = control_answer_count(kernel, "overrun");

	session->is_kernel = true;
	session->active = of->active;
	snprintf(session->name, sizeof(session->name), "%.*s (kernel)", NAME_SESSION_MAX + 16,
		 of->name);
	session->events = control_answer_count(kernel, "events");
	session->lost = control_answer_count(kernel, "discarded");
	if (session->lost < overrun)
		session->lost = overrun;
	session->bytes = control_answer_count(kernel, "bytes");
	session->streams = control_answer_count(kernel, "streams");
}

static void take_session(struct top_session *session, struct json_object *object)
{
	copy_text(session->name, NAME_SESSION_MAX + 16, control_answer_text(object, "session"));
	copy_text(session->error, sizeof(session->error), control_answer_text(object, "error"));
	session->not_traced = control_answer_count(object, "not_traced");
	untraced_describe(object, session->untraced);
	snprintf(session->output, sizeof(session->output), "%s",
		 control_answer_text(object, "output"));
	session->consumer = control_answer_count(object, "consumer");
	session->active = control_answer_flag(object, "active");
	session->snapshot = control_answer_flag(object, "snapshot");
	session->processes = control_answer_count(object, "processes");
	session->alive = control_answer_count(object, "alive");
	session->events = control_answer_count(object, "written");
	session->lost = control_answer_count(object, "discarded");
	if (!session->snapshot)
		session->lost += control_answer_count(object, "overwritten");
	session->lost += control_answer_count(object, "broken");
	session->bytes = control_answer_count(object, "bytes");
	session->streams = control_answer_count(object, "streams");
}

static int take_sessions(struct top_sample *sample, struct json_object *answer,
			 struct json_object *array)
{
	size_t count = json_object_array_length(array);

	if (sample->nr_sessions + count > ITEMS_MOST)
		return -EBADMSG;
	if (grow(&sample->sessions, sample->nr_sessions, 2 * count, sizeof(*sample->sessions)))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct json_object *object = json_object_array_get_idx(array, i), *kernel;
		struct top_session *session = &sample->sessions[sample->nr_sessions++];

		take_session(session, object);
		if (!json_object_object_get_ex(object, "kernel", &kernel))
			continue;
		take_kernel(&sample->sessions[sample->nr_sessions++], session, kernel);
	}
	if (!sample->sessions_us) {
		sample->sessions_us = control_answer_count(answer, "now_us");
		sample->pid = control_answer_count(answer, "pid");
		sample->consumer = control_answer_count(answer, "consumer");
		sample->processes = control_answer_count(answer, "processes");
		sample->refused = control_answer_count(answer, "refused");
		sample->restarts = control_answer_count(answer, "restarts");
	}
	return 0;
}

static int take_fill(struct top_sample *sample, struct top_rings *rings, struct json_object *object)
{
	struct json_object *array = session_member_array(object, "unread");
	size_t count = json_object_array_length(array);

	rings->size = control_answer_count(object, "ring_size");
	sample->nr_fills += count;
	if (sample->nr_fills > RINGS_MOST)
		return -EBADMSG;
	rings->fill = calloc(count + 1, sizeof(*rings->fill));
	if (!rings->fill)
		return -ENOMEM;
	rings->nr_rings = count;
	for (size_t i = 0; i < count; i++) {
		double unread = json_object_get_double(json_object_array_get_idx(array, i));

		rings->fill[i] =
			rings->size > 0 && unread > 0 ? fmin(unread / (double)rings->size, 1) : 0;
		rings->fullest = fmax(rings->fullest, rings->fill[i]);
	}
	return 0;
}

static int take_rings(struct top_sample *sample, struct json_object *answer,
		      struct json_object *array)
{
	size_t count = json_object_array_length(array);

	if (sample->nr_rings + count > ITEMS_MOST)
		return -EBADMSG;
	if (grow(&sample->rings, sample->nr_rings, count, sizeof(*sample->rings)))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct json_object *object = json_object_array_get_idx(array, i);
		struct top_rings *rings = &sample->rings[sample->nr_rings];
		int error = take_fill(sample, rings, object);

		if (error)
			return error;
		sample->nr_rings++;
		copy_text(rings->session, sizeof(rings->session),
			  control_answer_text(object, "session"));
		copy_text(rings->channel, sizeof(rings->channel),
			  control_answer_text(object, "channel"));
		copy_text(rings->name, sizeof(rings->name), control_answer_text(object, "name"));
		rings->pid = control_answer_count(object, "pid");
		rings->uid = control_answer_count(object, "uid");
		rings->alive = control_answer_flag(object, "alive");
		rings->events = control_answer_count(object, "written");
		rings->lost = control_answer_count(object, "discarded");
		rings->overwritten = control_answer_count(object, "overwritten");
	}
	if (!sample->rings_us)
		sample->rings_us = control_answer_count(answer, "now_us");
	return 0;
}

/* ---- what became of it ------------------------------------------------------------ */

/* Counts that started again, after a clear or with a new process of that number, count from 0. */
static double rate_of(uint64_t before, uint64_t now, double seconds)
{
	if (!(seconds > 0))
		return NAN;
	return (double)(now >= before ? now - before : now) / seconds;
}

static const struct top_session *find_session(const struct top_sample *sample, const char *name)
{
	for (size_t i = 0; i < sample->nr_sessions; i++)
		if (strcmp(sample->sessions[i].name, name) == 0)
			return &sample->sessions[i];
	return NULL;
}

/* Daemons report rings in the same order each time: try the former place first. */
static const struct top_rings *find_rings(const struct top_sample *sample, size_t place,
					  const struct top_rings *rings)
{
	for (size_t i = 0; i < sample->nr_rings; i++) {
		const struct top_rings *other = &sample->rings[(place + i) % sample->nr_rings];

		if (other->pid == rings->pid && other->uid == rings->uid &&
		    strcmp(other->session, rings->session) == 0 &&
		    strcmp(other->channel, rings->channel) == 0 &&
		    strcmp(other->name, rings->name) == 0)
			return other;
	}
	return NULL;
}

/* Seconds between two samples; 0: there was none before. */
static double passed(uint64_t before, uint64_t now)
{
	return before && now > before ? (double)(now - before) / 1e6 : 0;
}

/* A flight recorder overwrites on purpose. */
static void add_overwritten(struct top_sample *sample)
{
	for (size_t i = 0; i < sample->nr_rings; i++) {
		struct top_rings *rings = &sample->rings[i];
		const struct top_session *session = find_session(sample, rings->session);

		if (!session || !session->snapshot)
			rings->lost += rings->overwritten;
	}
}

static void make_rates(struct top_sample *now, const struct top_sample *before)
{
	double seconds = passed(before->sessions_us, now->sessions_us);

	now->seconds = seconds > 0 ? seconds : NAN;
	for (size_t i = 0; i < now->nr_sessions; i++) {
		struct top_session *session = &now->sessions[i];
		const struct top_session *old = find_session(before, session->name);

		/* A session that was not there before counts from 0. */
		session->rates = (struct top_rates){
			.events = rate_of(old ? old->events : 0, session->events, seconds),
			.lost = rate_of(old ? old->lost : 0, session->lost, seconds),
			.bytes = rate_of(old ? old->bytes : 0, session->bytes, seconds),
		};
	}
	seconds = passed(before->rings_us, now->rings_us);
	for (size_t i = 0; i < now->nr_rings; i++) {
		struct top_rings *rings = &now->rings[i];
		const struct top_rings *old = find_rings(before, i, rings);

		rings->rates = (struct top_rates){
			.events = rate_of(old ? old->events : 0, rings->events, seconds),
			.lost = rate_of(old ? old->lost : 0, rings->lost, seconds),
			.bytes = NAN,
		};
	}
}

static void free_sample(struct top_sample *sample)
{
	for (size_t i = 0; i < sample->nr_rings; i++)
		free(sample->rings[i].fill);
	free(sample->rings);
	free(sample->sessions);
	*sample = (struct top_sample){ 0 };
}

int top_sample_flush(struct top_daemon *daemon, const char *session, int timeout_ms)
{
	struct json_object *request = json_object_new_object(), *answer;
	int64_t deadline = time_now_ms() + timeout_ms;
	int error = connect_to(daemon, deadline);

	session_add_text(request, "verb", "flush");
	session_add_text(request, "session", session);
	if (error)
		json_object_put(request);
	else
		error = top_sample_ask(daemon, request, deadline, &answer);
	if (error)
		return top_sample_fail(daemon, error);
	json_object_put(answer);
	return 0;
}

static void forget_consumers(struct top_daemon *daemon)
{
	free(daemon->consumers);
	daemon->consumers = NULL;
	daemon->nr_consumers = 0;
}

static struct top_usage *find_usage(struct top_usage *usages, size_t count, uint64_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (usages[i].pid == pid)
			return &usages[i];
	return NULL;
}

/* Fills the next of `usages`, unless the process is listed already or cannot be seen. */
static void look_at_consumer(const struct top_daemon *daemon, struct top_usage *usages,
			     size_t *count, uint64_t pid)
{
	const struct top_usage *before;

	if (!pid || find_usage(usages, *count, pid))
		return;
	before = find_usage(daemon->consumers, daemon->nr_consumers, pid);
	if (before)
		usages[*count] = *before;
	top_usage_look(&usages[*count], pid);
	*count += usages[*count].pid != 0;
}

/*
 * Each session has a consumer; in some daemons sessions share one. One consumer may wait without a
 * session.
 */
static void look_at_consumers(struct top_daemon *daemon)
{
	const struct top_sample *sample = &daemon->sample;
	struct top_usage *usages = calloc(sample->nr_sessions + 1, sizeof(*usages));
	size_t count = 0;

	if (usages)
		look_at_consumer(daemon, usages, &count, sample->consumer);
	for (size_t i = 0; usages && i < sample->nr_sessions; i++)
		look_at_consumer(daemon, usages, &count, sample->sessions[i].consumer);
	forget_consumers(daemon);
	daemon->consumers = usages;
	daemon->nr_consumers = count;
}

int top_sample_take(struct top_daemon *daemon, bool sessions_only, int timeout_ms)
{
	struct top_sample now = { 0 };
	int64_t deadline = time_now_ms() + timeout_ms;
	int error = connect_to(daemon, deadline);

	if (!error && !sessions_only)
		error = ask_all(daemon, &now, "rings", "rings", take_rings, deadline);
	if (!error)
		error = ask_all(daemon, &now, "usage", "sessions", take_sessions, deadline);
	if (error) {
		free_sample(&now);
		free_sample(&daemon->sample);
		top_usage_look(&daemon->daemon, 0);
		forget_consumers(daemon);
		return top_sample_fail(daemon, error);
	}
	add_overwritten(&now);
	make_rates(&now, &daemon->sample);
	free_sample(&daemon->sample);
	daemon->sample = now;
	daemon->why[0] = '\0';
	daemon->error = 0;
	top_usage_look(&daemon->daemon, now.pid);
	look_at_consumers(daemon);
	return 0;
}

void top_sample_end(struct top_daemon *daemon)
{
	free_sample(&daemon->sample);
	forget_consumers(daemon);
	control_client_close(daemon->client);
	daemon->client = NULL;
}
