/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-tsdl.c - record layouts from a metadata text as sessiond/class/tsdl.c writes it.
 *
 * It knows the few constructs that stand there, and refuses everything else: a reader then has
 * no layouts, which is better than wrong ones. Texts between quotes are the programs', and are
 * passed over. A failure is sticky: scanning goes on as if the text had ended.
 */
#include "common/record/record-layout.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lttngmap/abi.h>
#include <lttngmap/event-class.h>

#include "common/record/tsdl-scan.h"

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define BYTE_ORDER_NAME "le"
#else
#define BYTE_ORDER_NAME "be"
#endif

/* Parts of one event: its fields, and the lengths of its sequences. */
#define PARTS_MAX (2 * LTTNGMAP_FIELDS_MAX)
#define NAME_SIZE 512
/* Maximum size of integers and floats. */
#define BITS_MAX 64

struct parts {
	const struct record_visitor *visitor; /* or NULL */
	struct record_part all[PARTS_MAX];
	struct record_member members[PARTS_MAX];
	size_t count;
	/* The last part is a 32-bit integer of this name, which may be a length; "": it is not. */
	char last[NAME_SIZE];
};

/* ---- types ------------------------------------------------------------------------- */

/* "= 8", of a word that was taken. */
static uint64_t take_number(struct tsdl_scan *scan)
{
	tsdl_expect(scan, "=");
	return tsdl_take_value(scan);
}

/* "byte_order = be;" and the like, which lengths do not depend on. False: it is none of these. */
static bool take_detail(struct tsdl_scan *scan, struct record_member *member)
{
	if (tsdl_take_if(scan, "byte_order")) {
		tsdl_expect(scan, "=");
		member->is_big_endian = tsdl_is(scan, "be");
	} else if (tsdl_take_if(scan, "encoding")) {
		tsdl_expect(scan, "=");
		if (tsdl_is(scan, "UTF8"))
			member->type = RECORD_TYPE_BYTES;
	} else if (tsdl_take_if(scan, "signed")) {
		tsdl_expect(scan, "=");
		if (!tsdl_is(scan, "0") && !tsdl_is(scan, "false"))
			member->type = RECORD_TYPE_SIGNED;
	} else if (tsdl_take_if(scan, "base")) {
		tsdl_expect(scan, "=");
		if (scan->token == TSDL_NUMBER)
			member->base = (uint8_t)scan->number;
	} else {
		return false;
	}
	return true;
}

/* "integer { size = 32; align = 8; ... }", the first word taken. Bytes. */
static uint64_t take_integer(struct tsdl_scan *scan, struct record_member *member)
{
	uint64_t bits = 0, align = 1;

	tsdl_expect(scan, "{");
	while (!tsdl_is(scan, "}") && scan->token != TSDL_END) {
		if (tsdl_take_if(scan, "size"))
			bits = take_number(scan);
		else if (tsdl_take_if(scan, "align"))
			align = take_number(scan);
		else
			(void)take_detail(scan, member);
		tsdl_skip_statement(scan);
	}
	tsdl_expect(scan, "}");
	if (bits == 0 || bits > BITS_MAX || bits % 8 != 0 || align != 8)
		tsdl_fail(scan, "an integer of whole bytes, up to 64 bits");
	return bits / 8;
}

static uint64_t take_float(struct tsdl_scan *scan, struct record_member *member)
{
	uint64_t exponent = 0, mantissa = 0;

	tsdl_expect(scan, "{");
	while (!tsdl_is(scan, "}") && scan->token != TSDL_END) {
		if (tsdl_take_if(scan, "exp_dig"))
			exponent = take_number(scan);
		else if (tsdl_take_if(scan, "mant_dig"))
			mantissa = take_number(scan);
		else
			(void)take_detail(scan, member);
		tsdl_skip_statement(scan);
	}
	tsdl_expect(scan, "}");
	if (!(exponent == 8 && mantissa == 24) && !(exponent == 11 && mantissa == 53))
		tsdl_fail(scan, "a float or a double");
	member->type = RECORD_TYPE_FLOAT;
	return (exponent + mantissa) / 8;
}

static uint64_t take_enum(struct tsdl_scan *scan, struct record_member *member)
{
	uint64_t size;

	tsdl_expect(scan, ":");
	tsdl_expect(scan, "integer");
	size = take_integer(scan, member);
	tsdl_expect(scan, "{");
	member->labels = scan->begin;
	tsdl_skip_block(scan);
	member->labels_size = (size_t)(scan->begin - member->labels);
	return size;
}

/* *is_length: an integer that may be the length of a sequence. */
static struct record_part take_type(struct tsdl_scan *scan, struct record_member *member,
				    bool *is_length)
{
	struct record_part part = { .kind = RECORD_PART_FIXED };

	*is_length = false;
	*member = (struct record_member){ .type = RECORD_TYPE_UNSIGNED, .base = 10 };
	if (tsdl_take_if(scan, "uint32_t")) {
		part.size = sizeof(uint32_t);
		*is_length = true;
	} else if (tsdl_take_if(scan, "integer")) {
		part.size = take_integer(scan, member);
	} else if (tsdl_take_if(scan, "floating_point")) {
		part.size = take_float(scan, member);
	} else if (tsdl_take_if(scan, "enum")) {
		part.size = take_enum(scan, member);
	} else if (tsdl_take_if(scan, "string")) {
		part.kind = RECORD_PART_STRING;
		member->type = RECORD_TYPE_STRING;
		tsdl_expect(scan, "{");
		tsdl_skip_block(scan);
	} else {
		tsdl_fail(scan, "a type");
	}
	member->size = (uint8_t)part.size;
	return part;
}

/* Reads "[8]", or "[__name_length]" with the length of the preceding member. */
static void take_elements(struct tsdl_scan *scan, struct parts *parts, struct record_part *part)
{
	uint64_t count;

	if (part->kind != RECORD_PART_FIXED) {
		tsdl_fail(scan, "elements of a fixed size");
	} else if (scan->token == TSDL_NUMBER) {
		count = tsdl_take_value(scan);
		if (count > UINT32_MAX)
			tsdl_fail(scan, "a number of elements");
		else
			part->size *= count;
	} else {
		if (!tsdl_take_if(scan, parts->last))
			tsdl_fail(scan, "a length, or a number of elements");
		else
			parts->count--;
		part->kind = RECORD_PART_SEQUENCE;
	}
	tsdl_expect(scan, "]");
}

static void take_member(struct tsdl_scan *scan, struct parts *parts)
{
	char name[NAME_SIZE] = "";
	struct record_member member;
	bool is_length;
	struct record_part part = take_type(scan, &member, &is_length);
	size_t length = (size_t)(scan->at - scan->begin);

	if (scan->token != TSDL_WORD || length >= sizeof(name)) {
		tsdl_fail(scan, "a name");
		return;
	}
	memcpy(name, scan->begin, length);
	member.name = scan->begin + (*scan->begin == '_');
	member.name_length = length - (*scan->begin == '_');
	tsdl_next(scan);
	if (tsdl_take_if(scan, "[")) {
		take_elements(scan, parts, &part);
		is_length = false;
		member.is_array = true;
	}
	member.part = part;
	tsdl_expect(scan, ";");
	if (parts->count == PARTS_MAX) {
		tsdl_fail(scan, "fewer fields");
	} else {
		parts->members[parts->count] = member;
		parts->all[parts->count++] = part;
	}
	strcpy(parts->last, is_length ? name : "");
}

/* "= struct { ... };", of a member whose name was taken. */
static void take_struct(struct tsdl_scan *scan, struct parts *parts)
{
	parts->count = 0;
	parts->last[0] = '\0';
	/* It says ":=". */
	tsdl_expect(scan, ":");
	tsdl_expect(scan, "=");
	tsdl_expect(scan, "struct");
	tsdl_expect(scan, "{");
	while (!tsdl_is(scan, "}") && scan->token != TSDL_END)
		take_member(scan, parts);
	tsdl_expect(scan, "}");
	tsdl_expect(scan, ";");
}

static uint64_t take_assigned(struct tsdl_scan *scan)
{
	uint64_t value;

	tsdl_expect(scan, "=");
	value = tsdl_take_value(scan);
	tsdl_expect(scan, ";");
	return value;
}

/* ---- blocks ------------------------------------------------------------------------ */

/* "01234567-89ab-..." between quotes. */
static void take_uuid(struct tsdl_scan *scan, uint8_t uuid[CTF_UUID_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	unsigned count = 0;

	tsdl_expect(scan, "=");
	if (scan->token != TSDL_TEXT) {
		tsdl_fail(scan, "a UUID");
		return;
	}
	for (const char *c = scan->begin + 1; c < scan->at - 1; c++) {
		const char *digit = *c ? strchr(digits, *c) : NULL;

		if (*c == '-')
			continue;
		if (!digit || count == 2 * CTF_UUID_SIZE) {
			tsdl_fail(scan, "a UUID");
			return;
		}
		uuid[count / 2] = (uint8_t)(uuid[count / 2] << 4 | (digit - digits));
		count++;
	}
	if (count != 2 * CTF_UUID_SIZE)
		tsdl_fail(scan, "a UUID");
	tsdl_skip_statement(scan);
}

static void take_trace(struct tsdl_scan *scan, struct record_trace *trace)
{
	while (!tsdl_is(scan, "}") && scan->token != TSDL_END) {
		if (tsdl_take_if(scan, "uuid")) {
			take_uuid(scan, trace->uuid);
		} else {
			if (tsdl_take_if(scan, "byte_order")) {
				tsdl_expect(scan, "=");
				if (!tsdl_is(scan, BYTE_ORDER_NAME))
					tsdl_fail(scan, BYTE_ORDER_NAME);
			}
			tsdl_skip_statement(scan);
		}
	}
}

static void take_clock(struct tsdl_scan *scan, struct record_trace *trace)
{
	while (!tsdl_is(scan, "}") && scan->token != TSDL_END) {
		if (tsdl_take_if(scan, "freq")) {
			trace->frequency = take_assigned(scan);
		} else if (tsdl_take_if(scan, "offset")) {
			trace->offset = take_assigned(scan);
		} else if (tsdl_take_if(scan, "offset_s")) {
			tsdl_expect(scan, "=");
			if (scan->token != TSDL_NUMBER || scan->number > INT64_MAX)
				tsdl_fail(scan, "an offset");
			trace->offset_s = scan->is_negative ? -(int64_t)scan->number
							    : (int64_t)scan->number;
			tsdl_skip_statement(scan);
		} else {
			tsdl_skip_statement(scan);
		}
	}
}

/* Ours, by the version of the ABI that records follow. */
static void take_env(struct tsdl_scan *scan, struct record_trace *trace)
{
	while (!tsdl_is(scan, "}") && scan->token != TSDL_END) {
		if (tsdl_take_if(scan, "lttngmap_abi_major")) {
			trace->is_ours = take_assigned(scan) == LTTNGMAP_ABI_MAJOR;
			continue;
		}
		if (tsdl_take_if(scan, "hostname")) {
			tsdl_expect(scan, "=");
			if (scan->token == TSDL_TEXT)
				snprintf(trace->host, sizeof(trace->host), "%.*s",
					 (int)(scan->at - scan->begin) - 2, scan->begin + 1);
		} else if (tsdl_take_if(scan, "domain")) {
			tsdl_expect(scan, "=");
			trace->is_kernel = tsdl_is(scan, "\"kernel\"");
		}
		tsdl_skip_statement(scan);
	}
}

/*
 * The packet context. Before 2026-11-24 the program's name, its last field, was shorter: such a
 * packet's records do not begin behind a struct ctf_packet_header.
 */
static void take_packet_context(struct tsdl_scan *scan, struct record_trace *trace)
{
	static const char name[] = " procname[";
	const char *begin = scan->begin, *found;

	tsdl_skip_statement(scan);
	found = memmem(begin, (size_t)(scan->begin - begin), name, strlen(name));
	if (found && strtoul(found + strlen(name), NULL, 10) != CTF_PROCNAME_SIZE)
		trace->has_other_header = true;
}

static int take_stream(struct tsdl_scan *scan, struct record_layout *layout, struct parts *parts,
		       struct record_trace *trace)
{
	uint64_t id = 0, contexts = 0, sequence = 0;
	bool has_contexts = false;
	int error;

	parts->count = 0;
	while (!tsdl_is(scan, "}") && scan->token != TSDL_END) {
		if (tsdl_take_if(scan, "id")) {
			id = take_assigned(scan);
		} else if (tsdl_is(scan, "packet")) {
			take_packet_context(scan, trace);
		} else if (tsdl_take_if(scan, "event")) {
			tsdl_expect(scan, ".");
			if (!tsdl_take_if(scan, "context")) {
				tsdl_skip_statement(scan);
				continue;
			}
			if (has_contexts)
				tsdl_fail(scan, "one event.context of a stream");
			has_contexts = true;
			take_struct(scan, parts);
			for (size_t i = 0; i < parts->count; i++) {
				if (parts->all[i].kind == RECORD_PART_FIXED && !sequence)
					contexts += parts->all[i].size;
				else if (parts->all[i].kind == RECORD_PART_SEQUENCE && !sequence)
					sequence = parts->all[i].size;
				else
					tsdl_fail(scan, "fields of a fixed size, then a sequence");
			}
		} else {
			tsdl_skip_statement(scan);
		}
	}
	if (scan->error || id > UINT32_MAX)
		return -ENOTSUP;
	error = record_layout_add_stream(layout, (uint32_t)id, contexts, sequence);
	if (error || !parts->visitor)
		return error;
	return parts->visitor->stream(parts->visitor->data, (uint32_t)id, parts->members,
				      parts->count);
}

/* Its name, or its level. False: neither. */
static bool take_event_detail(struct tsdl_scan *scan, struct record_event *event)
{
	if (tsdl_take_if(scan, "loglevel")) {
		event->level = (int64_t)(take_assigned(scan) & INT64_MAX);
		return true;
	}
	if (!tsdl_take_if(scan, "name"))
		return false;
	tsdl_expect(scan, "=");
	if (scan->token == TSDL_TEXT) {
		event->name = scan->begin + 1;
		event->name_length = (size_t)(scan->at - scan->begin) - 2;
	}
	tsdl_skip_statement(scan);
	return true;
}

static int take_event(struct tsdl_scan *scan, struct record_layout *layout, struct parts *parts)
{
	struct record_event event = { .level = -1 };
	uint64_t id = 0, stream_id = 0;
	bool has_fields = false;
	int error;

	parts->count = 0;
	while (!tsdl_is(scan, "}") && scan->token != TSDL_END) {
		if (tsdl_take_if(scan, "id"))
			id = take_assigned(scan);
		else if (tsdl_take_if(scan, "stream_id"))
			stream_id = take_assigned(scan);
		else if (tsdl_take_if(scan, "fields")) {
			if (has_fields)
				tsdl_fail(scan, "the fields of an event once");
			has_fields = true;
			take_struct(scan, parts);
		} else if (!take_event_detail(scan, &event))
			tsdl_skip_statement(scan);
	}
	if (scan->error || id > UINT16_MAX || stream_id > UINT32_MAX)
		return -ENOTSUP;
	event.stream_id = (uint32_t)stream_id;
	event.id = (uint16_t)id;
	event.fields = parts->members;
	event.nr_fields = parts->count;
	error = record_layout_add_event(layout, event.stream_id, event.id, parts->all,
					parts->count);
	if (error || !parts->visitor)
		return error;
	return parts->visitor->event(parts->visitor->data, &event);
}

/* One statement of the whole. 0 or -errno. */
static int take_block(struct tsdl_scan *scan, struct record_layout *layout, struct parts *parts,
		      struct record_trace *trace)
{
	int error = 0;

	if (tsdl_take_if(scan, "typealias")) {
		tsdl_skip_statement(scan);
		return scan->error;
	}
	if (tsdl_take_if(scan, "trace")) {
		tsdl_expect(scan, "{");
		take_trace(scan, trace);
	} else if (tsdl_take_if(scan, "env")) {
		tsdl_expect(scan, "{");
		take_env(scan, trace);
	} else if (tsdl_take_if(scan, "clock")) {
		tsdl_expect(scan, "{");
		take_clock(scan, trace);
	} else if (tsdl_take_if(scan, "stream")) {
		tsdl_expect(scan, "{");
		error = take_stream(scan, layout, parts, trace);
	} else if (tsdl_take_if(scan, "event")) {
		tsdl_expect(scan, "{");
		error = take_event(scan, layout, parts);
	} else {
		tsdl_fail(scan, "a declaration");
	}
	tsdl_expect(scan, "}");
	tsdl_expect(scan, ";");
	return error ? error : scan->error;
}

/*
 * Notes where a text of ours is wrong. Another tracer's is not wrong, but other. An event that the
 * scanner let pass may still not be added: there was no such stream, or the values are too large.
 */
static void note_fault(const struct tsdl_scan *scan, const char *text, size_t size,
		       struct record_trace *trace)
{
	static const char key[] = "lttngmap_abi_major";
	const char *wrong = scan->error ? scan->wrong : scan->begin;

	if (!trace->is_ours && !memmem(text, size, key, sizeof(key) - 1))
		return;
	trace->wrong_line = 1;
	trace->expected = scan->error ? scan->expected : "a stream or event that can be";
	for (const char *c = text; c < wrong; c++)
		trace->wrong_line += *c == '\n';
}

const char *record_trace_fault(const struct record_trace *trace, char text[RECORD_TRACE_FAULT_SIZE])
{
	if (!trace->wrong_line)
		return NULL;
	snprintf(text, RECORD_TRACE_FAULT_SIZE, "line %" PRIu64 ": %s%s%s is expected there",
		 trace->wrong_line, strlen(trace->expected) == 1 ? "'" : "", trace->expected,
		 strlen(trace->expected) == 1 ? "'" : "");
	return text;
}

int record_layout_parse(struct record_layout *layout, const char *text, size_t size,
			struct record_trace *trace)
{
	return record_layout_visit(layout, text, size, trace, NULL);
}

int record_layout_visit(struct record_layout *layout, const char *text, size_t size,
			struct record_trace *trace, const struct record_visitor *visitor)
{
	struct tsdl_scan scan = { .at = text, .end = text + size };
	struct parts *parts = malloc(sizeof(*parts));
	int error = 0;

	if (!parts)
		return -ENOMEM;
	parts->visitor = visitor;
	tsdl_next(&scan);
	while (!error && scan.token != TSDL_END)
		error = take_block(&scan, layout, parts, trace);
	free(parts);
	if (!error)
		error = scan.error;
	if (error && error != -ENOMEM)
		note_fault(&scan, text, size, trace);
	if (!error && (!trace->is_ours || trace->frequency == 0 || trace->has_other_header))
		error = -ENOTSUP;
	return error == -EINVAL ? -ENOTSUP : error;
}
