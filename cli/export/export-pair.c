/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * export-pair.c - begin and end of a slice, by their names.
 *
 * Two classes of one provider are a pair if their names differ in an ending of the table below, and
 * both are in the trace: where a rule took only one of them, its events stand for themselves. So
 * are a system call's, by their beginning.
 */
#include <config.h>

#include "cli/export/export.h"

#include <string.h>

static const struct {
	const char *begin, *end;
} endings[] = {
	{ "_entry", "_exit" }, { "_req", "_acq" },    { "_req", "_ret" },
	{ "_begin", "_end" },  { "_start", "_done" }, { "_start", "_stop" },
};
#define ENDINGS (sizeof(endings) / sizeof(endings[0]))

/* System calls: those of tracefs, and LTTng's. */
static const struct {
	const char *begin, *end;
} beginnings[] = {
	{ "syscalls:sys_enter_", "syscalls:sys_exit_" },
	{ "syscall_entry_", "syscall_exit_" },
};
#define BEGINNINGS (sizeof(beginnings) / sizeof(beginnings[0]))

static bool ends_in(const char *name, const char *ending)
{
	size_t length = strlen(name), n = strlen(ending);

	return length > n && strcmp(name + length - n, ending) == 0;
}

/* The length of the name before the underscores in front of an ending: SDT probes have two. */
static size_t without_underscores(const char *name, size_t length)
{
	while (length > 1 && name[length - 1] == '_' && name[length - 2] != ':')
		length--;
	return length;
}

static struct export_pair pair_of(enum export_kind kind, const char *name, size_t stem)
{
	const char *colon = strchr(name, ':');
	size_t provider = colon ? (size_t)(colon + 1 - name) : 0;

	return (struct export_pair){ kind, name + provider, stem > provider ? stem - provider : 0 };
}

/* A system call's event has the call's name. */
static struct export_pair pair_of_call(const char *name, export_has_event *has, const void *data)
{
	for (size_t i = 0; i < BEGINNINGS; i++) {
		const char *begin = beginnings[i].begin, *end = beginnings[i].end, *call;

		call = name + strlen(begin);
		if (strncmp(name, begin, strlen(begin)) == 0 && has(data, end, strlen(end), call))
			return (struct export_pair){ EXPORT_BEGIN, call, strlen(call) };
		call = name + strlen(end);
		if (strncmp(name, end, strlen(end)) == 0 && has(data, begin, strlen(begin), call))
			return (struct export_pair){ EXPORT_END, call, strlen(call) };
	}
	return pair_of(EXPORT_INSTANT, name, strlen(name));
}

struct export_pair export_pair_of(const char *name, export_has_event *has, const void *data)
{
	for (size_t i = 0; i < ENDINGS; i++) {
		const char *begin = endings[i].begin, *end = endings[i].end;
		size_t stem = strlen(name) - strlen(begin);

		if (ends_in(name, begin) && has(data, name, stem, end))
			return pair_of(EXPORT_BEGIN, name, without_underscores(name, stem));
		stem = strlen(name) - strlen(end);
		if (ends_in(name, end) && has(data, name, stem, begin))
			return pair_of(EXPORT_END, name, without_underscores(name, stem));
	}
	return pair_of_call(name, has, data);
}
