/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/session/tracker.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "sessiond/session/process.h"

static const char *const kind_names[TRACKER_KINDS] = {
	[TRACKER_PID] = "pid",
	[TRACKER_UID] = "uid",
	[TRACKER_GID] = "gid",
	[TRACKER_NAME] = "name",
};

const char *tracker_kind_name(enum tracker_kind kind)
{
	return kind_names[kind];
}

int tracker_kind_parse(const char *name, enum tracker_kind *kind)
{
	for (unsigned int i = 0; i < TRACKER_KINDS; i++) {
		if (strcmp(name, kind_names[i]) == 0) {
			*kind = (enum tracker_kind)i;
			return 0;
		}
	}
	return -EINVAL;
}

static struct tracker *find(const struct trackers *trackers, enum tracker_kind kind, uint32_t value,
			    const char *pattern)
{
	for (size_t i = 0; i < trackers->nr_trackers; i++) {
		struct tracker *tracker = &trackers->trackers[i];

		if (tracker->kind == kind &&
		    (kind == TRACKER_NAME ? strcmp(tracker->pattern, pattern) == 0
					  : tracker->value == value))
			return tracker;
	}
	return NULL;
}

int trackers_add(struct trackers *trackers, enum tracker_kind kind, uint32_t value,
		 const char *pattern)
{
	struct tracker tracker = { .kind = kind, .value = value };
	struct tracker *more;

	if (find(trackers, kind, value, pattern))
		return -EEXIST;
	if (trackers->nr_trackers >= TRACKERS_MAX)
		return -ENOSPC;
	more = reallocarray(trackers->trackers, trackers->nr_trackers + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	trackers->trackers = more;
	if (kind == TRACKER_NAME) {
		tracker.pattern = strdup(pattern);
		if (!tracker.pattern)
			return -ENOMEM;
	}
	more[trackers->nr_trackers++] = tracker;
	return 0;
}

int trackers_remove(struct trackers *trackers, enum tracker_kind kind, uint32_t value,
		    const char *pattern)
{
	struct tracker *tracker = find(trackers, kind, value, pattern);
	size_t after;

	if (!tracker)
		return -ENOENT;
	free(tracker->pattern);
	trackers->nr_trackers--;
	after = trackers->nr_trackers - (size_t)(tracker - trackers->trackers);
	memmove(tracker, tracker + 1, after * sizeof(*tracker));
	return 0;
}

static bool take(const struct tracker *tracker, const struct process *process)
{
	switch (tracker->kind) {
	case TRACKER_PID:
		return tracker->value == process->pid;
	case TRACKER_UID:
		return tracker->value == process->uid;
	case TRACKER_GID:
		return tracker->value == process->gid;
	default:
		return fnmatch(tracker->pattern, process->name, 0) == 0;
	}
}

bool trackers_take(const struct trackers *trackers, const struct process *process)
{
	unsigned int asked = 0, taken = 0;

	for (size_t i = 0; i < trackers->nr_trackers; i++) {
		unsigned int kind = 1u << trackers->trackers[i].kind;

		asked |= kind;
		if (!(taken & kind) && take(&trackers->trackers[i], process))
			taken |= kind;
	}
	return asked == taken;
}

void trackers_clear(struct trackers *trackers)
{
	for (size_t i = 0; i < trackers->nr_trackers; i++)
		free(trackers->trackers[i].pattern);
	free(trackers->trackers);
	*trackers = (struct trackers){ .trackers = NULL };
}
