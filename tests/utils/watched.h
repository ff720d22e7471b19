/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * watched.h - the events of one call, as text. For tests that run with
 * libfake-lttngmap.so preloaded:
 *
 *   watch();
 *   ptr = malloc(100);
 *   happened("malloc", ERRNO_BEFORE, "malloc size=100 ptr=%p", ptr);
 */
#ifndef WATCHED_H
#define WATCHED_H

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/utils/fake-lttngmap.h"
#include "tests/utils/preloaded.h"

#define ERRNO_BEFORE 4711
#define EVENTS_MAX 8

static fake_lttngmap_set_hook_function *set_hook;

static char events[EVENTS_MAX][400];
static int nr_events;
/* Of other threads, nothing is kept. */
static __thread bool is_watched;

__attribute__((format(printf, 3, 4))) static void append(char *line, size_t size,
							 const char *format, ...)
{
	size_t used = strlen(line);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line + used, size - used, format, arguments);
	va_end(arguments);
}

/* Write a field at `at` after the line; returns what is behind it. */
static const unsigned char *
append_field(char *line, size_t size, const struct lttngmap_field *field, const unsigned char *at)
{
	uint64_t value = 0;
	uint32_t length;

	switch (field->kind) {
	case LTTNGMAP_FIELD_STRING:
		append(line, size, " %s=\"%s\"", field->name, (const char *)at);
		return at + strlen((const char *)at) + 1;
	case LTTNGMAP_FIELD_SEQUENCE:
		memcpy(&length, at, sizeof(length));
		append(line, size, " %s=[%" PRIu32 "]", field->name, length);
		return at + sizeof(length) + (size_t)length * field->size;
	case LTTNGMAP_FIELD_TEXT_SEQUENCE:
		memcpy(&length, at, sizeof(length));
		append(line, size, " %s=\"%.*s\"", field->name, (int)length,
		       (const char *)at + sizeof(length));
		return at + sizeof(length) + length;
	default:
		memcpy(&value, at, field->size);
		if (field->size == 4 && field->flags & LTTNGMAP_FIELD_SIGNED)
			value = (uint64_t)(int32_t)value;
		append(line, size, field->base == 16 ? " %s=%#llx" : " %s=%lld", field->name,
		       (unsigned long long)value);
		return at + field->size;
	}
}

static void keep_event(const struct lttngmap_event_class *event_class, const void *fields,
		       size_t size)
{
	const unsigned char *at = fields;
	char *line = events[nr_events];
	int i;

	if (!is_watched || nr_events == EVENTS_MAX)
		return;
	nr_events++;
	snprintf(line, sizeof(events[0]), "%s", event_class->name);
	for (i = 0; i < event_class->nr_fields; i++)
		at = append_field(line, sizeof(events[0]), &event_class->fields[i], at);
	if (at != (const unsigned char *)fields + size)
		append(line, sizeof(events[0]), " wrong size %zu", size);
}

static void watch(void)
{
	nr_events = 0;
	memset(events, 0, sizeof(events));
	is_watched = true;
	set_hook(keep_event);
	errno = ERRNO_BEFORE;
}

/*
 * The call that was watched left errno, and events: all that the format's
 * lines say, or, where it is one line, that as the last one.
 */
__attribute__((format(printf, 3, 4), unused)) static void
happened(const char *what, int expected_errno, const char *format, ...)
{
	int errno_after = errno, first = nr_events > 0 ? nr_events - 1 : 0, i;
	char expected[1000], got[sizeof(events)] = "";
	va_list arguments;

	set_hook(NULL);
	va_start(arguments, format);
	vsnprintf(expected, sizeof(expected), format, arguments);
	va_end(arguments);
	if (strchr(expected, '\n'))
		first = 0;
	for (i = first; i < nr_events; i++)
		append(got, sizeof(got), "%s%s", i > first ? "\n" : "", events[i]);
	is_string(got, expected, what);
	if (errno_after != expected_errno)
		is(errno_after, expected_errno, "  ... and errno");
}

/* The fields of a class, in order, with base and s for signed: " size:10 ptr:16". */
static const char *fields_of(const struct lttngmap_event_class *event_class)
{
	static char fields[400];
	int f;

	fields[0] = '\0';
	for (f = 0; f < event_class->nr_fields; f++) {
		const struct lttngmap_field *field = &event_class->fields[f];

		if (field->kind == LTTNGMAP_FIELD_STRING)
			append(fields, sizeof(fields), " %s:string", field->name);
		else if (field->kind == LTTNGMAP_FIELD_TEXT_SEQUENCE)
			append(fields, sizeof(fields), " %s:text", field->name);
		else
			append(fields, sizeof(fields), " %s:%d%s%s", field->name, field->base,
			       field->flags & LTTNGMAP_FIELD_SIGNED ? "s" : "",
			       field->kind == LTTNGMAP_FIELD_SEQUENCE ? "[]" : "");
	}
	return fields;
}

struct watched_class {
	const char *name;
	const char *fields;
};

/* The provider has these classes, with these fields and this level. */
__attribute__((unused)) static void test_watched_classes(const char *provider,
							 const struct watched_class *expected,
							 size_t count, int level)
{
	fake_lttngmap_class_function *find = preloaded_symbol("fake_lttngmap_class");
	const struct lttngmap_event_class *event_class;
	size_t i;

	for (i = 0; i < count; i++) {
		event_class = find(provider, expected[i].name);
		if (!ok(event_class, "there is an event %s:%s", provider, expected[i].name))
			continue;
		is_string(fields_of(event_class), expected[i].fields,
			  "  ... its fields, in order, and their base");
		is(event_class->loglevel, level, "  ... its level");
	}
}

/* Begin: go on with the libraries preloaded, and find the hook. */
__attribute__((unused)) static void watch_preloaded(char **argv, const char *library)
{
	const char *const libraries[] = {
		"tests/utils/.libs/libfake-lttngmap.so",
		library,
		NULL,
	};

	run_preloaded(argv, libraries);
	set_hook = (fake_lttngmap_set_hook_function *)preloaded_symbol("fake_lttngmap_set_hook");
}

#endif /* WATCHED_H */
