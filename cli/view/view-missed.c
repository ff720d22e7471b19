/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* view-missed.c - reports the wanted processes, events and fields that the trace lacks. */
#include <config.h>

#include "cli/view/view.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/base/message.h"
#include "cli/base/suggest.h"
#include "cli/client/left-recordings.h"
#include "cli/view/event-names.h"
#include "common/base/name.h"

#define WORD_SIZE 256
#define NS_PER_S INT64_C(1000000000)

/* A word to find among the trace's names. */
struct looked_for {
	const char *word;
	bool is_found;
	struct suggestion best;
	char like[WORD_SIZE]; /* copy of `best`, whose memory does not last */
};

static void look_at_event(const char *name, void *data)
{
	struct looked_for *looked = data;
	const char *before = looked->best.word, *colon = strchr(name, ':');

	looked->is_found |= view_filter_names_event(looked->word, name);
	if (!strchr(looked->word, ':') && colon)
		name = colon + 1;
	suggestion_offer(&looked->best, name);
	if (looked->best.word == before)
		return;
	snprintf(looked->like, sizeof(looked->like), "%s", name);
	looked->best.word = looked->like;
}

static void look_at_process(const struct view_stream *stream, void *data)
{
	struct looked_for *looked = data;
	const char *before = looked->best.word;

	looked->is_found |= view_filter_names_process(looked->word, stream);
	suggestion_offer(&looked->best, stream->program);
	if (looked->best.word == before)
		return;
	snprintf(looked->like, sizeof(looked->like), "%s", stream->program);
	looked->best.word = looked->like;
}

/* Where was looked: the folders, for messages that quote one. */
struct places {
	const char *const *paths;
	size_t count;
	char text[PATH_MAX];
};

static void find_places(struct places *places, const char *const *paths, size_t count)
{
	int length = 0;

	*places = (struct places){ .paths = paths, .count = count };
	for (size_t i = 0; i < count && (size_t)length < sizeof(places->text); i++)
		length += snprintf(places->text + length, sizeof(places->text) - (size_t)length,
				   "%s%s", i > 0 ? "', '" : "", paths[i]);
}

static bool tell_missed(const struct view *view, const char *word, bool is_process,
			const struct places *places)
{
	struct looked_for looked = { .word = word, .best = suggestion_begin(word, strlen(word)) };

	if (is_process)
		view_threads_each(&view->threads, look_at_process, &looked);
	for (size_t i = 0; !is_process && i < places->count; i++)
		event_names_of_trace(places->paths[i], look_at_event, &looked);
	if (looked.is_found)
		return false;
	/* The rest of the trace, later than --to, may have the process: it was not read. */
	message_note("%s: no %s '%s' in '%s'%s", view_verb, is_process ? "process" : "event", word,
		     places->text, is_process && view->is_past ? " up to --to" : "");
	if (is_process && strlen(word) >= NAME_PROGRAM_SIZE)
		message_hint("traces have the first %d bytes of a program's name: '%.*s'",
			     NAME_PROGRAM_SIZE - 1, NAME_PROGRAM_SIZE - 1, word);
	else if (looked.best.word)
		message_hint("did you mean '%s'?", looked.best.word);
	return true;
}

static bool tell_all_missed(const struct view *view, char **lists, bool is_process,
			    const struct places *places)
{
	bool any = false;
	char word[WORD_SIZE];

	for (; lists && *lists; lists++) {
		for (const char *at = *lists; *at; at += *at == ',') {
			size_t length = strcspn(at, ",");

			snprintf(word, sizeof(word), "%.*s", (int)length, at);
			any |= length > 0 && tell_missed(view, word, is_process, places);
			at += length;
		}
	}
	return any;
}

/* True: no time is both from --from on and up to --to. */
static bool tell_no_time(const struct view_filter *filter)
{
	if (filter->from.kind != VIEW_TIME_KNOWN || filter->to.kind != VIEW_TIME_KNOWN ||
	    filter->from.ns <= filter->to.ns)
		return false;
	message_note("%s: nothing is shown: --to %s lies before --from %s", view_verb,
		     view_option_to, view_option_from);
	return true;
}

/* Nothing is from --from on; what was read is the whole trace. */
static bool tell_ended(const struct view *view, const char *path)
{
	time_t seconds = (time_t)(view->last_ns / NS_PER_S);
	struct tm tm;
	char end[sizeof("2026-12-31 23:59:59")];

	if (view->filter.from.kind != VIEW_TIME_KNOWN || view->last_ns >= view->filter.from.ns ||
	    !localtime_r(&seconds, &tm) || !strftime(end, sizeof(end), "%F %T", &tm))
		return false;
	message_note("%s: nothing is shown: the last event of '%s' is of %s.%09" PRId64
		     ", before --from %s",
		     view_verb, path, end, view->last_ns % NS_PER_S, view_option_from);
	return true;
}

bool view_missed_report(const struct view *view, const char *const *paths, size_t nr_paths)
{
	const struct view_filter *filter = &view->filter;
	struct places places;
	bool told;

	find_places(&places, paths, nr_paths);
	for (size_t i = 0; i < nr_paths; i++)
		(void)left_recordings_tell(view_verb, paths[i]);
	if (view->events == 0 && !filter->has_begun) {
		message_note("%s: no event in '%s'", view_verb, places.text);
		return false;
	}
	if (view->events == 0 && (tell_no_time(filter) || tell_ended(view, places.text)))
		return true;
	told = tell_all_missed(view, filter->processes, true, &places);
	told |= tell_all_missed(view, filter->events, false, &places);
	if (view->events > 0) {
		view_filter_report_fields(filter, places.text);
		return false;
	}
	if (!told)
		message_note("%s: no such event in '%s'", view_verb, places.text);
	return told;
}
