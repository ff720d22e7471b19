/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * query-value.c - values of fields: as SQL's, and in JSON as `view --json` writes them.
 *
 * SQL has integers of 63 bits and a sign. A larger unsigned one is the negative number of the same
 * bits; JSON has it as it is.
 */
#include <config.h>

#include "cli/query/query.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/name.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* ---- fields ------------------------------------------------------------------------- */

const char *query_field_find(const struct query_fields *fields, uint32_t number, const char *begin,
			     const char *end, size_t *size)
{
	const char *at = begin;
	uint32_t i = number;

	/* Go on from the last field with a known place. */
	while (i > 0 && fields->all[i].offset == QUERY_OFFSET_UNKNOWN)
		i--;
	if (fields->all[i].offset > (size_t)(end - begin))
		return NULL;
	at += fields->all[i].offset;
	for (; i < number; i++) {
		uint64_t more = query_member_size(&fields->all[i].member, at, (size_t)(end - at));

		if (more == UINT64_MAX)
			return NULL;
		at += more;
	}
	*size = query_member_size(&fields->all[number].member, at, (size_t)(end - at));
	return *size == UINT64_MAX ? NULL : at;
}

static uint64_t take_unsigned(const struct record_member *member, const char *at)
{
	bool is_big_endian = member->is_big_endian || __BYTE_ORDER == __BIG_ENDIAN;
	uint64_t value = 0;

	if (member->size == sizeof(value) && is_big_endian == (__BYTE_ORDER == __BIG_ENDIAN)) {
		memcpy(&value, at, sizeof(value));
		return value;
	}
	for (unsigned i = 0; i < member->size; i++) {
		unsigned shift = 8 * (is_big_endian ? member->size - 1 - i : i);

		value |= (uint64_t)(unsigned char)at[i] << shift;
	}
	return value;
}

static int64_t take_integer(const struct record_member *member, const char *at)
{
	uint64_t value = take_unsigned(member, at);
	unsigned unused = 64 - 8 * member->size;

	if (member->type != RECORD_TYPE_SIGNED)
		return (int64_t)value;
	return (int64_t)(value << unused) >> unused;
}

static double take_real(const struct record_member *member, const char *at)
{
	uint64_t bits = take_unsigned(member, at);
	uint32_t half = (uint32_t)bits;
	double value;
	float single;

	if (member->size == sizeof(single)) {
		memcpy(&single, &half, sizeof(single));
		return single;
	}
	memcpy(&value, &bits, sizeof(value));
	return value;
}

bool query_integer(const struct query_fields *fields, int64_t number, const char *begin,
		   const char *end, int64_t *value)
{
	const char *at;
	size_t size;

	if (number < 0)
		return false;
	at = query_field_find(fields, (uint32_t)number, begin, end, &size);
	if (!at)
		return false;
	*value = take_integer(&fields->all[number].member, at);
	return true;
}

/* ---- JSON ---------------------------------------------------------------------------- */

/* A letter by its number, one of 17 bits or more by two. */
static void json_letter(sqlite3_str *json, uint32_t letter)
{
	if (letter < 0x10000)
		sqlite3_str_appendf(json, "\\u%04x", letter);
	else
		sqlite3_str_appendf(json, "\\u%04x\\u%04x", 0xd800 + ((letter - 0x10000) >> 10),
				    0xdc00 + (letter & 0x3ff));
}

void query_json_text(sqlite3_str *json, const char *text, size_t length)
{
	const char *end = text + length;

	sqlite3_str_appendchar(json, 1, '"');
	while (text < end) {
		/* The letter in front of the end, with a NUL behind it. */
		char letter[5] = { 0 };
		size_t bytes;

		memcpy(letter, text, end - text < 4 ? (size_t)(end - text) : 4);
		bytes = text_letter_length(letter);
		if (*text == '"' || *text == '\\')
			sqlite3_str_appendchar(json, 1, '\\');
		if (name_directs(letter))
			json_letter(json, name_letter(letter, bytes));
		else if (bytes > 0)
			sqlite3_str_append(json, text, (int)bytes);
		else if ((unsigned char)*text >= 0x80)
			sqlite3_str_appendall(json, REPLACEMENT);
		else
			sqlite3_str_appendf(json, "\\u%04x", (unsigned char)*text);
		text += bytes ? bytes : 1;
	}
	sqlite3_str_appendchar(json, 1, '"');
}

static void json_real(sqlite3_str *json, const struct record_member *member, const char *at)
{
	double value = take_real(member, at);
	char text[TEXT_REAL_SIZE];

	sqlite3_str_appendall(
		json, isfinite(value) ? text_format_real(value, member->size == 4, text) : "null");
}

static void json_element(sqlite3_str *json, const struct record_member *member, const char *at)
{
	int64_t value;
	const char *label;
	size_t length;

	if (member->type == RECORD_TYPE_FLOAT) {
		json_real(json, member, at);
		return;
	}
	value = take_integer(member, at);
	if (member->labels && record_member_label(member, value, &label, &length)) {
		char *text = query_text(label, length);

		query_json_text(json, text ? text : "", text ? strlen(text) : 0);
		free(text);
	} else if (member->type == RECORD_TYPE_SIGNED) {
		sqlite3_str_appendf(json, "%lld", (long long)value);
	} else {
		sqlite3_str_appendf(json, "%llu", (unsigned long long)value);
	}
}

/* The elements of an array or a sequence, of `size` bytes with a sequence's count. */
static const char *elements_of(const struct record_member *member, const char *at, size_t *size)
{
	size_t head = member->part.kind == RECORD_PART_SEQUENCE ? sizeof(uint32_t) : 0;

	*size -= head;
	return at + head;
}

static void json_value(sqlite3_str *json, const struct record_member *member, const char *at,
		       size_t size)
{
	if (member->type == RECORD_TYPE_STRING) {
		query_json_text(json, at, size - 1);
		return;
	}
	if (!member->is_array) {
		json_element(json, member, at);
		return;
	}
	at = elements_of(member, at, &size);
	if (member->type == RECORD_TYPE_BYTES) {
		query_json_text(json, at, strnlen(at, size));
		return;
	}
	sqlite3_str_appendchar(json, 1, '[');
	for (size_t i = 0; i + member->size <= size; i += member->size) {
		if (i > 0)
			sqlite3_str_appendchar(json, 1, ',');
		json_element(json, member, at + i);
	}
	sqlite3_str_appendchar(json, 1, ']');
}

/* `hidden`: numbers of fields that are left out; -1: none. */
static void result_object(sqlite3_context *context, const struct query_fields *fields,
			  const char *begin, const char *end, const int64_t hidden[2])
{
	sqlite3_str *json = sqlite3_str_new(sqlite3_context_db_handle(context));
	bool is_first = true;
	int length;

	sqlite3_str_appendchar(json, 1, '{');
	for (uint32_t i = 0; i < fields->count; i++) {
		const struct query_field *field = &fields->all[i];
		uint64_t size = query_member_size(&field->member, begin, (size_t)(end - begin));

		if (size == UINT64_MAX)
			break;
		if (i != hidden[0] && i != hidden[1]) {
			if (!is_first)
				sqlite3_str_appendchar(json, 1, ',');
			is_first = false;
			query_json_text(json, field->name, strlen(field->name));
			sqlite3_str_appendchar(json, 1, ':');
			json_value(json, &field->member, begin, size);
		}
		begin += size;
	}
	sqlite3_str_appendchar(json, 1, '}');
	length = sqlite3_str_length(json);
	if (sqlite3_str_errcode(json))
		sqlite3_result_error_code(context, sqlite3_str_errcode(json));
	else
		sqlite3_result_text(context, sqlite3_str_finish(json), length, sqlite3_free);
}

void query_result_fields(sqlite3_context *context, const struct query_reader *event)
{
	static const int64_t none[2] = { -1, -1 };

	result_object(context, &event->class->fields, event->fields, event->fields_end, none);
}

void query_result_contexts(sqlite3_context *context, const struct query_reader *event)
{
	const struct query_format *format = event->class->format;
	/* They name the process, where the packet does not. */
	int64_t hidden[2] = { -1, -1 };

	if (event->header.pid == 0) {
		hidden[0] = format->vpid;
		hidden[1] = format->procname;
	}
	if (format->contexts.count > 0)
		result_object(context, &format->contexts, event->record + sizeof(uint64_t),
			      event->fields, hidden);
}

/* ---- SQL ----------------------------------------------------------------------------- */

static void result_integer(sqlite3_context *context, const struct record_member *member,
			   const char *at)
{
	int64_t value = take_integer(member, at);
	const char *label;
	size_t length;
	char *text;

	if (!member->labels || !record_member_label(member, value, &label, &length)) {
		sqlite3_result_int64(context, value);
		return;
	}
	text = query_text(label, length);
	if (text)
		sqlite3_result_text(context, text, -1, free);
	else
		sqlite3_result_error_nomem(context);
}

void query_result_member(sqlite3_context *context, const struct query_reader *event, int member_of)
{
	const struct query_format *format = event->class->format;
	bool is_field = member_of >= 0;
	const struct query_fields *fields = is_field ? &event->class->fields : &format->contexts;
	uint32_t number = (uint32_t)(is_field ? member_of : -2 - member_of);
	const char *begin = is_field ? event->fields : event->record + sizeof(uint64_t);
	const struct record_member *member;
	sqlite3_str *json;
	const char *at;
	size_t size;

	if (member_of == -1)
		return;
	member = &fields->all[number].member;
	at = query_field_find(fields, number, begin, is_field ? event->fields_end : event->fields,
			      &size);
	if (!at) {
		return;
	} else if (member->type == RECORD_TYPE_STRING) {
		sqlite3_result_text(context, at, (int)size - 1, SQLITE_TRANSIENT);
	} else if (!member->is_array && member->type == RECORD_TYPE_FLOAT) {
		sqlite3_result_double(context, take_real(member, at));
	} else if (!member->is_array) {
		result_integer(context, member, at);
	} else if (member->type == RECORD_TYPE_BYTES) {
		at = elements_of(member, at, &size);
		sqlite3_result_text(context, at, (int)strnlen(at, size), SQLITE_TRANSIENT);
	} else {
		json = sqlite3_str_new(sqlite3_context_db_handle(context));
		json_value(json, member, at, size);
		sqlite3_result_text(context, sqlite3_str_finish(json), -1, sqlite3_free);
	}
}

/* ---- whose it is ----------------------------------------------------------------------- */

static bool context_integer(const struct query_reader *event, int64_t number, int64_t *value)
{
	return query_integer(&event->class->format->contexts, number,
			     event->record + sizeof(uint64_t), event->fields, value);
}

int64_t query_event_tid(const struct query_reader *event)
{
	int64_t tid = -1;

	if (!context_integer(event, event->class->format->vtid, &tid))
		query_integer(&event->class->fields, event->class->common_pid, event->fields,
			      event->fields_end, &tid);
	return tid;
}

/* The traced process with that number, on the machine of a kernel's trace. */
static const struct query_stream *find_process(const struct query_reader *event, int64_t pid)
{
	const struct query *query = event->query;
	size_t low = 0, high = query->nr_processes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (query->processes[middle]->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < query->nr_processes && query->processes[low]->pid == pid; low++)
		if (strcmp(query->processes[low]->trace->format.trace.host,
			   event->trace->format.trace.host) == 0)
			return query->processes[low];
	return NULL;
}

int64_t query_event_pid(const struct query_reader *event)
{
	int64_t pid = -1;

	if (event->header.pid > 0)
		return event->header.pid;
	if (context_integer(event, event->class->format->vpid, &pid))
		return pid;
	if (event->class->common_pid < 0)
		return -1;
	pid = query_event_tid(event);
	return pid > 0 && find_process(event, pid) ? pid : -1;
}

void query_event_process(const struct query_reader *event, char name[CTF_PROCNAME_SIZE + 1])
{
	const struct query_format *format = event->class->format;
	const struct query_stream *stream;
	const char *at;
	size_t size;

	memcpy(name, event->header.procname, CTF_PROCNAME_SIZE);
	name[CTF_PROCNAME_SIZE] = '\0';
	if (event->header.pid > 0)
		return;
	if (event->class->common_pid >= 0) {
		stream = find_process(event, query_event_tid(event));
		memcpy(name, stream ? stream->process : "", stream ? CTF_PROCNAME_SIZE : 1);
		return;
	}
	if (format->procname < 0)
		return;
	at = query_field_find(&format->contexts, (uint32_t)format->procname,
			      event->record + sizeof(uint64_t), event->fields, &size);
	if (!at)
		return;
	size = size < CTF_PROCNAME_SIZE ? size : CTF_PROCNAME_SIZE;
	memcpy(name, at, size);
	name[size] = '\0';
}
