/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-filter.c - chooses events by name, process and time, and their fields by name. Names are
 * compared once for each event class of a stream.
 */
#include <config.h>

#include "cli/view/view.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/base/message.h"

#define NS_PER_S INT64_C(1000000000)
#define HALF_A_DAY (12 * 3600 * NS_PER_S)
/* Classes with higher numbers are compared at each event. */
#define REMEMBERED_MOST 65536

char **view_option_events, **view_option_processes, **view_option_fields;
char *view_option_from, *view_option_to;

/* ---- times -------------------------------------------------------------------- */

/* Parses ".123" of a second into nanoseconds; advances *text. */
static int parse_fraction(const char **text, int64_t *ns)
{
	int64_t unit = NS_PER_S / 10;

	*ns = 0;
	if (**text != '.')
		return 0;
	for ((*text)++; **text >= '0' && **text <= '9'; (*text)++, unit /= 10)
		*ns += (**text - '0') * unit;
	return (*text)[-1] == '.' ? -EINVAL : 0;
}

int view_time_parse(const char *text, struct view_time *time)
{
	struct tm *tm = &time->tm;
	const char *rest;
	int64_t fraction;

	memset(time, 0, sizeof(*time));
	if (*text == '+') {
		char *end;
		long long seconds = strtoll(text + 1, &end, 10);

		if (end == text + 1 || text[1] < '0' || text[1] > '9' || seconds > 1000000000)
			return -EINVAL;
		time->kind = VIEW_TIME_OFFSET;
		time->ns = seconds * NS_PER_S;
		rest = end;
	} else if ((rest = strptime(text, "%Y-%m-%d %H:%M:%S", tm)) ||
		   (rest = strptime(text, "%Y-%m-%dT%H:%M:%S", tm))) {
		time->kind = VIEW_TIME_DATE;
	} else if ((rest = strptime(text, "%H:%M:%S", tm))) {
		time->kind = VIEW_TIME_CLOCK;
	} else {
		return -EINVAL;
	}
	if (parse_fraction(&rest, &fraction) || *rest != '\0')
		return -EINVAL;
	time->ns += fraction;
	return 0;
}

void view_time_resolve(struct view_time *time, int64_t first)
{
	time_t second = first / NS_PER_S;
	struct tm day = time->tm;

	switch (time->kind) {
	case VIEW_TIME_OFFSET:
		time->ns += first;
		break;
	case VIEW_TIME_CLOCK:
		localtime_r(&second, &day);
		day.tm_hour = time->tm.tm_hour;
		day.tm_min = time->tm.tm_min;
		day.tm_sec = time->tm.tm_sec;
		/* fall through */
	case VIEW_TIME_DATE:
		day.tm_isdst = -1;
		time->ns += (int64_t)mktime(&day) * NS_PER_S;
		/* The trace began before midnight, and the time is after it. */
		if (time->kind == VIEW_TIME_CLOCK && time->ns < first - HALF_A_DAY)
			time->ns += 2 * HALF_A_DAY;
		break;
	default:
		return;
	}
	time->kind = VIEW_TIME_KNOWN;
}

/* ---- names -------------------------------------------------------------------- */

/* Compares PROVIDER:NAME, or NAME for any provider; both may have wildcards. */
static bool name_matches(const char *pattern, const char *name)
{
	const char *colon = strchr(name, ':');

	if (!strchr(pattern, ':') && colon)
		name = colon + 1;
	return fnmatch(pattern, name, 0) == 0;
}

/* True if a word of the comma-separated lists matches. */
static bool is_in(char **lists, bool (*matches)(const char *, const void *), const void *what)
{
	char word[256];

	for (; *lists; lists++) {
		for (const char *at = *lists; *at; at += *at == ',') {
			size_t length = strcspn(at, ",");

			snprintf(word, sizeof(word), "%.*s", (int)length, at);
			if (length > 0 && matches(word, what))
				return true;
			at += length;
		}
	}
	return false;
}

bool view_filter_names_event(const char *word, const char *name)
{
	return name_matches(word, name);
}

static bool matches_event(const char *word, const void *name)
{
	return name_matches(word, name);
}

static bool matches_process(const char *word, const void *of)
{
	const struct view_stream *stream = of;
	char *end;
	long pid = strtol(word, &end, 10);

	if (*end == '\0')
		return pid == stream->pid || (stream->tid >= 0 && pid == stream->tid);
	return fnmatch(word, stream->program, 0) == 0;
}

bool view_filter_names_process(const char *word, const struct view_stream *stream)
{
	return matches_process(word, stream);
}

/* The first 64 words of --fields; a bit is set if some field had the name. */
static uint64_t fields_seen;

static bool is_field_in(char **lists, const char *name, bool tell, const char *path)
{
	unsigned number = 0;

	for (; *lists; lists++) {
		for (const char *at = *lists; *at; at += *at == ',', number++) {
			size_t length = strcspn(at, ",");

			if (name && strlen(name) == length && strncmp(at, name, length) == 0) {
				fields_seen |= number < 64 ? UINT64_C(1) << number : 0;
				return true;
			}
			if (tell && length > 0 && number < 64 && !(fields_seen >> number & 1))
				message_note("%s: no field '%.*s' in what is shown of '%s'",
					     view_verb, (int)length, at, path);
			at += length;
		}
	}
	return false;
}

static bool is_wanted_class(const struct view_filter *filter, struct view_stream *stream,
			    const bt_event *event)
{
	const bt_event_class *class = bt_event_borrow_class_const(event);
	uint64_t id = bt_event_class_get_id(class);
	const char *name;
	bool is_wanted;

	if (id < stream->nr_classes && stream->classes[id])
		return stream->classes[id] > 0;
	name = bt_event_class_get_name(class);
	is_wanted = is_in(filter->events, matches_event, name ? name : "");
	if (id >= stream->nr_classes && id < REMEMBERED_MOST) {
		size_t count = (id + 1) * 2;
		signed char *larger = realloc(stream->classes, count);

		if (larger) {
			memset(larger + stream->nr_classes, 0, count - stream->nr_classes);
			stream->classes = larger;
			stream->nr_classes = count;
		}
	}
	if (id < stream->nr_classes)
		stream->classes[id] = is_wanted ? 1 : -1;
	return is_wanted;
}

/* ---- what is shown -------------------------------------------------------------- */

int view_filter_set(struct view_filter *filter)
{
	static const char form[] = "[YYYY-MM-DD ]HH:MM:SS[.FRACTION] or +SECONDS[.FRACTION]";

	*filter = (struct view_filter){
		.events = view_option_events,
		.processes = view_option_processes,
		.fields = view_option_fields,
	};
	if (view_option_from && view_time_parse(view_option_from, &filter->from)) {
		message_error("%s: --from '%s' is no time: %s", view_verb, view_option_from, form);
		return -EINVAL;
	}
	if (view_option_to && view_time_parse(view_option_to, &filter->to)) {
		message_error("%s: --to '%s' is no time: %s", view_verb, view_option_to, form);
		return -EINVAL;
	}
	return 0;
}

void view_filter_begin(struct view_filter *filter, int64_t ns)
{
	if (filter->has_begun)
		return;
	filter->has_begun = true;
	view_time_resolve(&filter->from, ns);
	view_time_resolve(&filter->to, ns);
}

bool view_filter_is_past(const struct view_filter *filter, int64_t ns)
{
	return filter->to.kind == VIEW_TIME_KNOWN && ns > filter->to.ns;
}

bool view_filter_shows(const struct view_filter *filter, struct view_stream *stream,
		       const bt_event *event, int64_t ns)
{
	if (filter->from.kind == VIEW_TIME_KNOWN && ns < filter->from.ns)
		return false;
	if (event && filter->events && !is_wanted_class(filter, stream, event))
		return false;
	/* Lost events of an unknown process may be those of a wanted one. */
	if (!event && stream->pid < 0)
		return true;
	return !filter->processes || is_in(filter->processes, matches_process, stream);
}

bool view_filter_shows_field(const struct view_filter *filter, const char *name)
{
	return !filter || !filter->fields || is_field_in(filter->fields, name, false, NULL);
}

void view_filter_report_fields(const struct view_filter *filter, const char *path)
{
	if (filter->fields)
		is_field_in(filter->fields, NULL, true, path);
}
