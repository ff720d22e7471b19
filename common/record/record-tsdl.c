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
	struct record_part all[PARTS_MAX];
	size_t count;
	/* The last part is a 32-bit integer of this name, which may be a length; "": it is not. */
	char last[NAME_SIZE];
};

/* ---- types ------------------------------------------------------------------------- */

/* "integer { size = 32; align = 8; ... }", the first word taken. Bytes. */
static uint64_t take_integer(struct tsdl_scan *scan)
{
	uint64_t bits = 0, align = 1;

	tsdl_expect(scan, "{");
	while (!tsdl_is(scan, "}") && scan->token != TSDL_END) {
		if (tsdl_take_if(scan, "size")) {
			tsdl_expect(scan, "=");
			bits = tsdl_take_value(scan);
		} else if (tsdl_take_if(scan, "align")) {
			tsdl_expect(scan, "=");
			align = tsdl_take_value(scan);
		}
		tsdl_skip_statement(scan);
	}
	tsdl_expect(scan, "}");
	if (bits == 0 || bits > BITS_MAX || bits % 8 != 0 || align != 8)
		tsdl_fail(scan, "an integer of whole bytes, up to 64 bits");
	return bits / 8;
}

static uint64_t take_float(struct tsdl_scan *scan)
{
	uint64_t exponent = 0, mantissa = 0;

	tsdl_expect(scan, "{");
	while (!tsdl_is(scan, "}") && scan->token != TSDL_END) {
		if (tsdl_take_if(scan, "exp_dig")) {
			tsdl_expect(scan, "=");
			exponent = tsdl_take_value(scan);
		} else if (tsdl_take_if(scan, "mant_dig")) {
			tsdl_expect(scan, "=");
			mantissa = tsdl_take_value(scan);
		}
		tsdl_skip_statement(scan);
	}
	tsdl_expect(scan, "}");
	if (!(exponent == 8 && mantissa == 24) && !(exponent == 11 && mantissa == 53))
		tsdl_fail(scan, "a float or a double");
	return (exponent + mantissa) / 8;
}

static uint64_t take_enum(struct tsdl_scan *scan)
{
	uint64_t size;

	tsdl_expect(scan, ":");
	tsdl_expect(scan, "integer");
	size = take_integer(scan);
	tsdl_expect(scan, "{");
	tsdl_skip_block(scan);
	return size;
}

/* *is_length: an integer that may be the length of a sequence. */
static struct record_part take_type(struct tsdl_scan *scan, bool *is_length)
{
	struct record_part part = { .kind = RECORD_PART_FIXED };

	*is_length = false;
	if (tsdl_take_if(scan, "uint32_t")) {
		part.size = sizeof(uint32_t);
		*is_length = true;
	} else if (tsdl_take_if(scan, "integer")) {
		part.size = take_integer(scan);
	} else if (tsdl_take_if(scan, "floating_point")) {
		part.size = take_float(scan);
	} else if (tsdl_take_if(scan, "enum")) {
		part.size = take_enum(scan);
	} else if (tsdl_take_if(scan, "string")) {
		part.kind = RECORD_PART_STRING;
		tsdl_expect(scan, "{");
		tsdl_skip_block(scan);
	} else {
		tsdl_fail(scan, "a type");
	}
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
	bool is_length;
	struct record_part part = take_type(scan, &is_length);
	size_t length = (size_t)(scan->at - scan->begin);

	if (scan->token != TSDL_WORD || length >= sizeof(name)) {
		tsdl_fail(scan, "a name");
		return;
	}
	memcpy(name, scan->begin, length);
	tsdl_next(scan);
	if (tsdl_take_if(scan, "[")) {
		take_elements(scan, parts, &part);
		is_length = false;
	}
	tsdl_expect(scan, ";");
	if (parts->count == PARTS_MAX)
		tsdl_fail(scan, "fewer fields");
	else
		parts->all[parts->count++] = part;
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
		if (tsdl_take_if(scan, "lttngmap_abi_major"))
			trace->is_ours = take_assigned(scan) == LTTNGMAP_ABI_MAJOR;
		else
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
	uint64_t id = 0, contexts = 0;

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
			take_struct(scan, parts);
			for (size_t i = 0; i < parts->count; i++) {
				if (parts->all[i].kind != RECORD_PART_FIXED)
					tsdl_fail(scan, "fields of a fixed size");
				contexts += parts->all[i].size;
			}
		} else {
			tsdl_skip_statement(scan);
		}
	}
	if (scan->error || id > UINT32_MAX)
		return -ENOTSUP;
	return record_layout_add_stream(layout, (uint32_t)id, contexts);
}

static int take_event(struct tsdl_scan *scan, struct record_layout *layout, struct parts *parts)
{
	uint64_t id = 0, stream_id = 0;

	parts->count = 0;
	while (!tsdl_is(scan, "}") && scan->token != TSDL_END) {
		if (tsdl_take_if(scan, "id"))
			id = take_assigned(scan);
		else if (tsdl_take_if(scan, "stream_id"))
			stream_id = take_assigned(scan);
		else if (tsdl_take_if(scan, "fields"))
			take_struct(scan, parts);
		else
			tsdl_skip_statement(scan);
	}
	if (scan->error || id > UINT16_MAX || stream_id > UINT32_MAX)
		return -ENOTSUP;
	return record_layout_add_event(layout, (uint32_t)stream_id, (uint16_t)id, parts->all,
				       parts->count);
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
	struct tsdl_scan scan = { .at = text, .end = text + size };
	struct parts *parts = malloc(sizeof(*parts));
	int error = 0;

	if (!parts)
		return -ENOMEM;
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
