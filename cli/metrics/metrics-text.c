/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* metrics-text.c - a look as text: the daemons' health, sessions, rings, maps. */
#include <config.h>

#include "cli/metrics/metrics.h"

#include <string.h>
#include <time.h>

static const struct metrics_label none[METRICS_LABELS] = { { NULL, NULL } };

static void put_one(FILE *out, enum metrics_format format, const struct metrics_family *family,
		    double value)
{
	metrics_begin_family(out, format, family);
	metrics_put_real(out, family, "", none, value);
}

/* ---- daemons ------------------------------------------------------------------------ */

static void print_up(const struct metrics *metrics, enum metrics_format format, FILE *out)
{
	static const struct metrics_family up = { "up", METRICS_GAUGE, NULL,
						  "1 if the session daemon answered." };
	static const struct metrics_family build = { "build_info", METRICS_GAUGE, NULL,
						     "The version of lttngmap that asks." };
	const struct metrics_label version[METRICS_LABELS] = { { "version", PACKAGE_VERSION } };

	put_one(out, format, &up, metrics->is_up);
	metrics_begin_family(out, format, &build);
	metrics_put_count(out, &build, "", version, 1);
}

static double memory_of(const struct top_usage *usages, size_t count)
{
	double memory = 0;

	for (size_t i = 0; i < count; i++)
		memory += (double)usages[i].memory;
	return memory;
}

/* The process is one that this user may see. */
static void print_sessiond(const struct top_usage *usage, enum metrics_format format, FILE *out)
{
	static const struct metrics_family cpu = { "sessiond_cpu_seconds", METRICS_COUNTER,
						   "seconds",
						   "CPU time of the session daemon's process." };
	static const struct metrics_family start = {
		"sessiond_start_time_seconds", METRICS_GAUGE, "seconds",
		"When the session daemon's process began, in seconds since 1970."
	};
	static const struct metrics_family memory = { "sessiond_resident_memory_bytes",
						      METRICS_GAUGE, "bytes",
						      "Memory of the session daemon's process." };
	struct timespec now;

	if (!usage->pid)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	put_one(out, format, &cpu, top_usage_cpu_seconds(usage));
	put_one(out, format, &start, (double)now.tv_sec + (double)now.tv_nsec / 1e9 - usage->up);
	put_one(out, format, &memory, (double)usage->memory);
}

static void print_daemons(const struct metrics *metrics, enum metrics_format format, FILE *out)
{
	static const struct metrics_family families[] = {
		{ "processes", METRICS_GAUGE, NULL,
		  "Traced processes that are registered with the daemon." },
		{ "processes_refused", METRICS_COUNTER, NULL,
		  "Registrations that the daemon refused." },
		{ "restarts", METRICS_COUNTER, NULL,
		  "How often the session daemon was started again after it was killed." },
		{ "sessions", METRICS_GAUGE, NULL, "Sessions that there are." },
		{ "maps", METRICS_GAUGE, NULL, "Maps that there are." },
		{ "consumers", METRICS_GAUGE, NULL, "Consumer processes that can be seen." },
		{ "consumers_resident_memory_bytes", METRICS_GAUGE, "bytes",
		  "Memory of the consumer processes together." },
		{ "look_duration_seconds", METRICS_GAUGE, "seconds",
		  "How long it took to ask the daemon." },
	};
	const struct top_daemon *daemon = &metrics->daemon;
	const struct top_sample *sample = &daemon->sample;
	uint64_t sessions = 0;

	for (size_t i = 0; i < sample->nr_sessions; i++)
		sessions += !sample->sessions[i].is_kernel;
	{
		const double values[] = {
			(double)sample->processes,
			(double)sample->refused,
			(double)sample->restarts,
			(double)sessions,
			(double)(metrics->nr_maps + metrics->maps_left_out),
			(double)daemon->nr_consumers,
			memory_of(daemon->consumers, daemon->nr_consumers),
			metrics->seconds,
		};

		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
			put_one(out, format, &families[i], values[i]);
	}
	print_sessiond(&daemon->daemon, format, out);
}

/* ---- sessions ------------------------------------------------------------------------ */

static uint64_t get_active(const struct top_session *session)
{
	return session->active;
}

static uint64_t get_processes(const struct top_session *session)
{
	return session->alive;
}

static uint64_t get_not_traced(const struct top_session *session)
{
	return session->not_traced;
}

static uint64_t get_events(const struct top_session *session)
{
	return session->events;
}

static uint64_t get_lost(const struct top_session *session)
{
	return session->lost;
}

static uint64_t get_bytes(const struct top_session *session)
{
	return session->bytes;
}

static uint64_t get_failed(const struct top_session *session)
{
	return session->error[0] != '\0';
}

static const struct {
	struct metrics_family family;
	uint64_t (*get)(const struct top_session *session);
} of_sessions[] = {
	{ { "session_active", METRICS_GAUGE, NULL, "1 if the session records." }, get_active },
	{ { "session_processes", METRICS_GAUGE, NULL, "Traced processes that live." },
	  get_processes },
	{ { "session_processes_not_traced", METRICS_GAUGE, NULL,
	    "Processes that could not be traced." },
	  get_not_traced },
	{ { "session_events", METRICS_COUNTER, NULL,
	    "Events written to buffers; events of the kernel written to disk." },
	  get_events },
	{ { "session_events_lost", METRICS_COUNTER, NULL, "Events that were lost." }, get_lost },
	{ { "session_written_bytes", METRICS_COUNTER, "bytes", "Bytes of the trace on disk." },
	  get_bytes },
	{ { "session_failed", METRICS_GAUGE, NULL, "1 if the trace cannot be written." },
	  get_failed },
};

/* Prometheus refuses a page with two samples of the same labels. */
static bool is_repeated(const struct top_session *sessions, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(sessions[i].name, sessions[index].name) == 0)
			return true;
	return false;
}

/* The name without what `top` puts behind that of a kernel domain. */
static void session_label(const struct top_session *session, char name[NAME_SESSION_MAX + 32])
{
	const char *behind = session->is_kernel ? strstr(session->name, " (kernel)") : NULL;

	snprintf(name, NAME_SESSION_MAX + 32, "%.*s",
		 (int)(behind ? behind - session->name : (ptrdiff_t)strlen(session->name)),
		 session->name);
}

static void print_sessions(const struct metrics *metrics, enum metrics_format format, FILE *out)
{
	const struct top_sample *sample = &metrics->daemon.sample;
	size_t count = sample->nr_sessions < METRICS_SESSIONS_MOST ? sample->nr_sessions
								   : METRICS_SESSIONS_MOST;

	for (size_t i = 0; i < sizeof(of_sessions) / sizeof(of_sessions[0]); i++) {
		metrics_begin_family(out, format, &of_sessions[i].family);
		for (size_t j = 0; j < count; j++) {
			const struct top_session *session = &sample->sessions[j];
			char name[NAME_SESSION_MAX + 32];
			const struct metrics_label labels[METRICS_LABELS] = {
				{ "session", name },
				{ "domain", session->is_kernel ? "kernel" : "user" },
			};

			session_label(session, name);
			if (!is_repeated(sample->sessions, j))
				metrics_put_count(out, &of_sessions[i].family, "", labels,
						  of_sessions[i].get(session));
		}
	}
}

/* ---- rings --------------------------------------------------------------------------- */

struct channel {
	const struct top_rings *first; /* of the channel */
	uint64_t rings, bytes;
	double unread, fullest;
};

static double get_rings(const struct channel *channel)
{
	return (double)channel->rings;
}

static double get_ring_bytes(const struct channel *channel)
{
	return (double)channel->bytes;
}

static double get_unread(const struct channel *channel)
{
	return channel->unread;
}

static double get_fullest(const struct channel *channel)
{
	return channel->fullest;
}

static const struct {
	struct metrics_family family;
	double (*get)(const struct channel *channel);
} of_channels[] = {
	{ { "channel_rings", METRICS_GAUGE, NULL, "Ring buffers, of all CPUs and processes." },
	  get_rings },
	{ { "channel_rings_bytes", METRICS_GAUGE, "bytes",
	    "Size of the ring buffers, whose pages come into being when they are written." },
	  get_ring_bytes },
	{ { "channel_unread_bytes", METRICS_GAUGE, "bytes",
	    "What stands in the ring buffers and is not read yet." },
	  get_unread },
	{ { "channel_fullest_ratio", METRICS_GAUGE, "ratio",
	    "Share of the fullest ring buffer that is not read yet." },
	  get_fullest },
};

static void add_rings(struct channel *channel, const struct top_rings *rings)
{
	channel->rings += rings->nr_rings;
	channel->bytes += rings->nr_rings * rings->size;
	for (size_t i = 0; i < rings->nr_rings; i++)
		channel->unread += rings->fill[i] * (double)rings->size;
	if (rings->fullest > channel->fullest)
		channel->fullest = rings->fullest;
}

/* Adds up the rings of each channel. Returns the number of channels. */
static size_t take_channels(const struct top_sample *sample, struct channel *channels, size_t most)
{
	size_t count = 0, at;

	for (size_t i = 0; i < sample->nr_rings; i++) {
		const struct top_rings *rings = &sample->rings[i];

		for (at = 0; at < count; at++)
			if (strcmp(channels[at].first->session, rings->session) == 0 &&
			    strcmp(channels[at].first->channel, rings->channel) == 0)
				break;
		if (at == most)
			continue;
		if (at == count)
			channels[count++] = (struct channel){ .first = rings };
		add_rings(&channels[at], rings);
	}
	return count;
}

static void print_channels(const struct metrics *metrics, enum metrics_format format, FILE *out)
{
	struct channel channels[METRICS_SESSIONS_MOST];
	size_t count = take_channels(&metrics->daemon.sample, channels, METRICS_SESSIONS_MOST);

	for (size_t i = 0; i < sizeof(of_channels) / sizeof(of_channels[0]); i++) {
		metrics_begin_family(out, format, &of_channels[i].family);
		for (size_t j = 0; j < count; j++) {
			const struct metrics_label labels[METRICS_LABELS] = {
				{ "session", channels[j].first->session },
				{ "channel", channels[j].first->channel },
			};

			metrics_put_real(out, &of_channels[i].family, "", labels,
					 of_channels[i].get(&channels[j]));
		}
	}
}

/* ---- all ------------------------------------------------------------------------------ */

void metrics_print(const struct metrics *metrics, enum metrics_format format, FILE *out)
{
	print_up(metrics, format, out);
	if (metrics->is_up) {
		print_daemons(metrics, format, out);
		print_sessions(metrics, format, out);
		print_channels(metrics, format, out);
		metrics_print_maps(metrics, format, out);
	}
	if (format == METRICS_OPENMETRICS)
		fputs("# EOF\n", out);
}
