/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* top-text.c - a sample as text, and as JSON with the keys of lttngmap-top(1). */
#include <config.h>

#include "cli/top/top.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <lttngmap/abi.h>

#include "cli/base/message.h"
#include "cli/client/session-verb.h"
#include "cli/client/present-user.h"
#include "common/base/amount.h"

/* ---- JSON ----------------------------------------------------------------------- */

static void add_bool(struct json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

/* Adds a number with three decimals, or null. */
static void add_real(struct json_object *object, const char *key, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.3f", value);
	json_object_object_add(object, key,
			       isfinite(value) ? json_object_new_double_s(value, text) : NULL);
}

static void add_rates(struct json_object *object, const struct top_rates *rates)
{
	add_real(object, "events_per_second", rates->events);
	add_real(object, "lost_per_second", rates->lost);
}

static struct json_object *new_usage(const struct top_usage *usage)
{
	struct json_object *object;

	if (!usage->pid)
		return NULL;
	object = json_object_new_object();
	session_add_number(object, "pid", usage->pid);
	add_real(object, "up_seconds", usage->up);
	add_real(object, "cpu", usage->cpu);
	session_add_number(object, "memory", usage->memory);
	return object;
}

static struct json_object *new_session(const struct top_session *session)
{
	struct json_object *object = json_object_new_object();

	session_add_text(object, "session", session->name);
	add_bool(object, "active", session->active);
	add_bool(object, "snapshot", session->snapshot);
	add_bool(object, "kernel", session->is_kernel);
	session_add_number(object, "processes", session->processes);
	session_add_number(object, "alive", session->alive);
	session_add_number(object, "not_traced", session->not_traced);
	session_add_number(object, "events", session->events);
	session_add_number(object, "lost", session->lost);
	session_add_number(object, "bytes", session->bytes);
	session_add_number(object, "streams", session->streams);
	add_rates(object, &session->rates);
	add_real(object, "bytes_per_second", session->rates.bytes);
	if (session->error[0] != '\0')
		session_add_text(object, "error", session->error);
	return object;
}

static struct json_object *new_rings(const struct top_rings *rings)
{
	struct json_object *object = json_object_new_object();
	struct json_object *fill = json_object_new_array();

	session_add_text(object, "session", rings->session);
	session_add_text(object, "channel", rings->channel);
	session_add_text(object, "program", rings->name);
	if (rings->pid)
		session_add_number(object, "pid", rings->pid);
	session_add_number(object, "uid", rings->uid);
	add_bool(object, "alive", rings->alive);
	session_add_number(object, "events", rings->events);
	session_add_number(object, "lost", rings->lost);
	add_rates(object, &rings->rates);
	for (size_t i = 0; i + LTTNGMAP_EXTRA_RINGS < rings->nr_rings; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%.3f", rings->fill[i]);
		json_object_array_add(fill, json_object_new_double_s(rings->fill[i], text));
	}
	json_object_object_add(object, "fill", fill);
	return object;
}

static struct json_object *new_daemon(const struct top_daemon *daemon)
{
	const struct top_sample *sample = &daemon->sample;
	struct json_object *object = json_object_new_object(), *array;

	session_add_text(object, "runtime_dir", daemon->runtime_dir);
	if (daemon->why[0] != '\0') {
		session_add_text(object, "error", daemon->why);
		return object;
	}
	json_object_object_add(object, "sessiond", new_usage(&daemon->daemon));
	array = json_object_new_array();
	for (size_t i = 0; i < daemon->nr_consumers; i++)
		json_object_array_add(array, new_usage(&daemon->consumers[i]));
	json_object_object_add(object, "consumers", array);
	session_add_number(object, "processes", sample->processes);
	session_add_number(object, "refused", sample->refused);
	session_add_number(object, "restarts", sample->restarts);
	session_add_number(object, "sampled_us", sample->sessions_us);
	add_real(object, "interval_seconds", sample->seconds);
	array = json_object_new_array();
	for (size_t i = 0; i < sample->nr_sessions; i++)
		json_object_array_add(array, new_session(&sample->sessions[i]));
	json_object_object_add(object, "sessions", array);
	array = json_object_new_array();
	for (size_t i = 0; i < sample->nr_rings; i++)
		json_object_array_add(array, new_rings(&sample->rings[i]));
	json_object_object_add(object, "rings", array);
	return object;
}

void top_print_json(const struct top *top)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();

	add_bool(object, "ok", true);
	for (const struct top_daemon *daemon = top->daemons; daemon; daemon = daemon->next)
		json_object_array_add(array, new_daemon(daemon));
	json_object_object_add(object, "daemons", array);
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
							    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

void top_print_error(void)
{
	struct json_object *object = json_object_new_object();

	add_bool(object, "ok", false);
	session_add_text(object, "error", message_first_error());
	session_add_text(object, "hint", message_first_hint());
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
							    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

/* ---- text ------------------------------------------------------------------------ */

static void print_usage(const char *name, const struct top_usage *usage)
{
	char up[TOP_TEXT_SIZE], cpu[TOP_TEXT_SIZE], memory[TOP_TEXT_SIZE];

	if (!usage->pid)
		message_line("  %-9s none that can be seen", name);
	else
		message_line("  %-9s process %" PRIu64 ", up %s, CPU %s, memory %s", name,
			     usage->pid, top_format_time(usage->up, up),
			     top_format_share(usage->cpu, cpu),
			     top_format_bytes((double)usage->memory, memory));
}

static void print_daemon(const struct top_daemon *daemon)
{
	static const struct top_usage none;

	if (daemon->why[0] != '\0') {
		message_line("%s: %s", daemon->runtime_dir, daemon->why);
		return;
	}
	message_line("%s: %" PRIu64 " process%s registered, %" PRIu64 " refused",
		     daemon->runtime_dir, daemon->sample.processes,
		     daemon->sample.processes == 1 ? "" : "es", daemon->sample.refused);
	print_usage("sessiond", &daemon->daemon);
	for (size_t i = 0; i < daemon->nr_consumers; i++)
		print_usage("consumerd", &daemon->consumers[i]);
	if (daemon->nr_consumers == 0)
		print_usage("consumerd", &none);
}

/* True if the output is a terminal of few columns. */
static bool is_narrow(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col &&
	       size.ws_col < TOP_WIDE;
}

static void print_sessions(const struct top *top)
{
	bool narrow = is_narrow();
	char events[TOP_TEXT_SIZE], lost[TOP_TEXT_SIZE], bytes[TOP_TEXT_SIZE];
	char count[TOP_TEXT_SIZE], gone[TOP_TEXT_SIZE], size[TOP_TEXT_SIZE];

	if (narrow)
		message_line(TOP_NARROW_SESSION("%5s"), "SESSION", "STATE", "PROCS", "EVENTS/S",
			     "LOST/S", "EVENTS", "LOST", "BYTES");
	else
		message_line("%-24s %-8s %6s %13s %10s %11s %15s %12s %10s", "SESSION", "STATE",
			     "PROCS", "EVENTS/S", "LOST/S", "BYTES/S", "EVENTS", "LOST", "BYTES");
	for (const struct top_daemon *daemon = top->daemons; daemon; daemon = daemon->next) {
		for (size_t i = 0; i < daemon->sample.nr_sessions; i++) {
			const struct top_session *session = &daemon->sample.sessions[i];

			const char *rate = top_format_rate(session->rates.events, events);
			const char *losses = top_format_rate(session->rates.lost, lost);

			amount_format_count(session->events, count);
			amount_format_count(session->lost, gone);
			amount_format_size(session->bytes, size);
			if (narrow)
				message_line(TOP_NARROW_SESSION("%5" PRIu64), session->name,
					     session->active ? "active" : "stopped", session->alive,
					     rate, losses, count, gone, size);
			else
				message_line("%-24s %-8s %6" PRIu64
					     " %13s %10s %11s %15s %12s %10s",
					     session->name, session->active ? "active" : "stopped",
					     session->alive, rate, losses,
					     top_format_bytes(session->rates.bytes, bytes), count,
					     gone, size);
			if (session->error[0] != '\0')
				message_line("  %s", session->error);
			if (session->untraced[0] != '\0')
				message_line("  %s", session->untraced);
		}
	}
}

static void print_rings(const struct top *top)
{
	bool narrow = is_narrow();
	struct top_row *rows;
	size_t count = top_rows(top, TOP_BY_RATE, &rows);

	if (narrow)
		message_line(TOP_NARROW_RING, "PID", "PROGRAM", "EVENTS/S", "LOST/S", "EVENTS",
			     "CHANNEL", "FILL");
	else
		message_line("%7s %-9s %-15s %-24s %13s %10s %15s %12s %s", "PID", "USER",
			     "PROGRAM", "SESSION/CHANNEL", "EVENTS/S", "LOST/S", "EVENTS", "LOST",
			     "FILL BY CPU");
	for (size_t i = 0; i < count; i++) {
		const struct top_rings *rings = rows[i].rings;
		size_t cpus = rings->nr_rings > LTTNGMAP_EXTRA_RINGS
				      ? rings->nr_rings - LTTNGMAP_EXTRA_RINGS
				      : 0;
		char pid[TOP_TEXT_SIZE] = "-", user[TOP_TEXT_SIZE], events[TOP_TEXT_SIZE];
		char lost[TOP_TEXT_SIZE], count_text[TOP_TEXT_SIZE], gone[TOP_TEXT_SIZE];
		char place[2 * NAME_SESSION_MAX + 32], fill[65];
		const char *rate, *losses;

		if (rings->pid)
			snprintf(pid, sizeof(pid), "%" PRIu64, rings->pid);
		snprintf(place, sizeof(place), "%s/%s", rings->session, rings->channel);
		top_format_fill(rings->fill, cpus, fill, sizeof(fill) - 1);
		rate = top_format_rate(rings->rates.events, events);
		losses = top_format_rate(rings->rates.lost, lost);
		amount_format_count(rings->events, count_text);
		amount_format_count(rings->lost, gone);
		if (narrow)
			message_line(TOP_NARROW_RING, pid, rings->name, rate, losses, count_text,
				     place, fill);
		else
			message_line("%7s %-9s %-15s %-24s %13s %10s %15s %12s %s", pid,
				     top_format_user(present_user(rings->pid, rings->uid), user),
				     rings->name, place, rate, losses, count_text, gone, fill);
	}
	free(rows);
}

void top_print_text(const struct top *top)
{
	for (const struct top_daemon *daemon = top->daemons; daemon; daemon = daemon->next)
		print_daemon(daemon);
	message_line("%s", "");
	print_sessions(top);
	message_line("%s", "");
	print_rings(top);
}
