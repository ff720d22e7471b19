/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/class/tsdl.h"

#include <endian.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <systemd/sd-id128.h>

#include "common/base/context.h"
#include "sessiond/class/metadata.h"

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define BYTE_ORDER_NAME "le"
#else
#define BYTE_ORDER_NAME "be"
#endif

#define UTF8_BYTE "integer { size = 8; align = 8; signed = 0; encoding = UTF8; base = 10; }"

void tsdl_quote(FILE *out, const char *text)
{
	const char *begin = text;

	fputc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\%03o", c);
		else if (c == '/' && text != begin && text[-1] == '*')
			fputs("\\057", out);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

void tsdl_trace(FILE *out, const uint8_t uuid[CTF_UUID_SIZE])
{
	static const unsigned sizes[] = { 8, 16, 32, 64 };
	char uuid_text[METADATA_UUID_TEXT_SIZE];

	/* Readers know the format by this very line. */
	fputs("/* CTF 1.8 */\n\n", out);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		fprintf(out,
			"typealias integer { size = %u; align = 8; signed = 0; } := uint%u_t;\n",
			sizes[i], sizes[i]);

	metadata_uuid_text(uuid, uuid_text);
	fprintf(out,
		"\n"
		"trace {\n"
		"\tmajor = 1;\n"
		"\tminor = 8;\n"
		"\tuuid = \"%s\";\n"
		"\tbyte_order = " BYTE_ORDER_NAME ";\n"
		"\tpacket.header := struct {\n"
		"\t\tuint32_t magic;\n"
		"\t\tuint8_t uuid[16];\n"
		"\t\tuint32_t stream_id;\n"
		"\t\tuint64_t stream_instance_id;\n"
		"\t};\n"
		"};\n\n",
		uuid_text);
}

/*
 * Readers compare the UUIDs of clocks before they show several traces
 * together. That of the boot is what LTTng's clock has too, and says the
 * truth: both are offsets to one time of day on one machine.
 */
static void write_clock_uuid(FILE *out)
{
	char text[METADATA_UUID_TEXT_SIZE];
	sd_id128_t boot;

	if (sd_id128_get_boot(&boot) < 0)
		return;
	metadata_uuid_text(boot.bytes, text);
	fprintf(out, "\tuuid = \"%s\";\n", text);
}

void tsdl_clock(FILE *out, const struct clock_description *clock)
{
	const char *name = clock_name(clock->clock);

	fprintf(out, "clock {\n\tname = \"%s\";\n", name);
	write_clock_uuid(out);
	fprintf(out,
		"\tdescription = \"%s\";\n"
		"\tfreq = %" PRIu64 ";\n"
		"\toffset_s = %" PRId64 ";\n"
		"\toffset = %" PRIu64 ";\n"
		/* Since 1970: readers merge only clocks that say so. */
		"\tabsolute = TRUE;\n"
		"};\n\n"
		"typealias integer {\n"
		"\tsize = 64; align = 8; signed = 0;\n"
		"\tmap = clock.%s.value;\n"
		"} := clock_value_t;\n\n",
		clock->clock == LTTNGMAP_CLOCK_TSC ? "Time stamp counter of the CPU"
						   : "Monotonic clock of the kernel",
		clock->frequency, clock->offset_s, clock->offset, name);
}

/* One word, id:16 | timestamp:48: which half comes first is up to the byte order. */
static void write_record_header(FILE *out, const char *clock)
{
	bool id_first = __BYTE_ORDER == __LITTLE_ENDIAN;

	fputs("\tevent.header := struct {\n", out);
	if (id_first)
		fputs("\t\tuint16_t id;\n", out);
	fprintf(out,
		"\t\tinteger { size = 48; align = 8; signed = 0; map = clock.%s.value; } "
		"timestamp;\n",
		clock);
	if (!id_first)
		fputs("\t\tuint16_t id;\n", out);
	fputs("\t};\n", out);
}

/*
 * Writes the context fields, which stand before the fields of each event; a bit set of enum
 * lttngmap_context.
 */
static void write_contexts(FILE *out, uint64_t contexts)
{
	fprintf(out, "\tevent.context := struct {\n");
	for (unsigned i = 0; i < LTTNGMAP_CONTEXTS; i++) {
		const struct context_kind *kind = &context_kinds[i];

		if (!(contexts >> i & 1))
			continue;
		if (kind->is_text)
			fprintf(out, "\t\t" UTF8_BYTE " _%s[%u];\n", kind->name, kind->size);
		else if (kind->is_sequence)
			/* As LTTng's kernel tracer names the stack of a program. */
			fprintf(out,
				"\t\tuint32_t __%s_user_length;\n"
				"\t\tinteger { size = %u; align = 8; signed = 0; base = %u; } "
				"_%s_user[ __%s_user_length ];\n",
				kind->name, kind->size * 8u, kind->base, kind->name, kind->name);
		else
			fprintf(out,
				"\t\tinteger { size = %u; align = 8; signed = %d; base = %u; } "
				"_%s;\n",
				kind->size * 8u, kind->is_signed, kind->base, kind->name);
	}
	fprintf(out, "\t};\n");
}

void tsdl_stream(FILE *out, const struct clock_description *clock, uint32_t stream_id,
		 uint64_t contexts)
{
	fprintf(out, "stream {\n\tid = %" PRIu32 ";\n", stream_id);
	write_record_header(out, clock_name(clock->clock));
	fprintf(out,
		"\tpacket.context := struct {\n"
		"\t\tclock_value_t timestamp_begin;\n"
		"\t\tclock_value_t timestamp_end;\n"
		"\t\tuint64_t content_size;\n"
		"\t\tuint64_t packet_size;\n"
		"\t\tuint64_t packet_seq_num;\n"
		"\t\tuint64_t events_discarded;\n"
		"\t\tuint32_t cpu_id;\n"
		"\t\tuint32_t pid;\n"
		"\t\tuint32_t uid;\n"
		"\t\t" UTF8_BYTE " procname[%d];\n"
		"\t};\n",
		CTF_PROCNAME_SIZE);
	if (contexts)
		write_contexts(out, contexts);
	fprintf(out, "};\n\n");
}

static void write_integer(FILE *out, const struct registry_field *field)
{
	fprintf(out, "integer { size = %u; align = 8; signed = %d; encoding = none; base = %u;%s }",
		field->size * 8u, !!(field->flags & LTTNGMAP_FIELD_SIGNED), field->base,
		field->flags & LTTNGMAP_FIELD_BIG_ENDIAN ? " byte_order = be;" : "");
}

static void write_float(FILE *out, const struct registry_field *field)
{
	fprintf(out, "floating_point { exp_dig = %u; mant_dig = %u; align = 8;%s }",
		field->size == 4 ? 8u : 11u, field->size == 4 ? 24u : 53u,
		field->flags & LTTNGMAP_FIELD_BIG_ENDIAN ? " byte_order = be;" : "");
}

/* Cut a range to what the field can hold; false: nothing is left of it. */
static bool clamp_value(const struct registry_field *field, int64_t *first, int64_t *last)
{
	unsigned bits = field->size * 8u;
	int64_t min = 0, max = INT64_MAX;

	if (field->flags & LTTNGMAP_FIELD_SIGNED) {
		min = INT64_MIN >> (64 - bits);
		max = INT64_MAX >> (64 - bits);
	} else if (bits < 64) {
		max = (INT64_C(1) << bits) - 1;
	}
	if (*first < min)
		*first = min;
	if (*last > max)
		*last = max;
	return *first <= *last;
}

/*
 * An enumeration may serve fields of several types: labels that this one
 * cannot have are left out, and without any label it is an integer.
 */
static void write_enum(FILE *out, const struct registry_field *field)
{
	bool opened = false;

	for (uint32_t i = 0; i < field->nr_values; i++) {
		int64_t first = field->values[i].first;
		int64_t last = field->values[i].last;

		if (!clamp_value(field, &first, &last))
			continue;
		if (!opened) {
			fputs("enum : ", out);
			write_integer(out, field);
			fputs(" {\n", out);
		}
		opened = true;
		fputs("\t\t\t", out);
		tsdl_quote(out, field->values[i].label);
		fprintf(out, " = %" PRId64, first);
		if (last != first)
			fprintf(out, " ... %" PRId64, last);
		fputs(",\n", out);
	}
	if (opened)
		fputs("\t\t}", out);
	else
		write_integer(out, field);
}

/*
 * The names of a class's fields in the metadata: the program's fields in order, then the lengths of
 * its sequences. A prefix, which readers remove, keeps names apart from keywords. babeltrace2 also
 * refuses a prefixed name that equals an earlier name without prefix, such as "x_length" after the
 * length of "x". Names that would clash get trailing underscores, the names of lengths first.
 */
struct field_names {
	unsigned count;
	char texts[2 * LTTNGMAP_FIELDS_MAX][512];
};

_Static_assert(sizeof("__") + LTTNGMAP_NAME_MAX + sizeof("_length") + 2 * LTTNGMAP_FIELDS_MAX < 512,
	       "the longest name, and an underscore for each other one");

static bool is_taken(const struct field_names *names, const char *name)
{
	for (unsigned i = 0; i < names->count; i++) {
		const char *other = names->texts[i];

		if (strcmp(name, other) == 0 || strcmp(name + 1, other) == 0 ||
		    strcmp(name, other + 1) == 0)
			return true;
	}
	return false;
}

static void add_name(struct field_names *names, const char *prefix, const char *name,
		     const char *suffix)
{
	char *text = names->texts[names->count];

	snprintf(text, sizeof(names->texts[0]), "%s%s%s", prefix, name, suffix);
	while (is_taken(names, text))
		strcat(text, "_");
	names->count++;
}

static bool is_sequence(const struct registry_field *field)
{
	return field->kind == LTTNGMAP_FIELD_SEQUENCE ||
	       field->kind == LTTNGMAP_FIELD_TEXT_SEQUENCE;
}

static void make_names(struct field_names *names, const struct registry_class *event_class)
{
	names->count = 0;
	for (unsigned i = 0; i < event_class->nr_fields; i++)
		add_name(names, "_", event_class->fields[i].name, "");
	for (unsigned i = 0; i < event_class->nr_fields; i++)
		if (is_sequence(&event_class->fields[i]))
			add_name(names, "__", event_class->fields[i].name, "_length");
}

/* `length`: of a sequence, how it is called; else NULL. */
static void write_field(FILE *out, const struct registry_field *field, const char *name,
			const char *length)
{
	if (length)
		fprintf(out, "\t\tuint32_t %s;\n", length);
	fputs("\t\t", out);
	switch (field->kind) {
	case LTTNGMAP_FIELD_FLOAT:
		write_float(out, field);
		break;
	case LTTNGMAP_FIELD_STRING:
		fputs("string { encoding = UTF8; }", out);
		break;
	case LTTNGMAP_FIELD_TEXT:
	case LTTNGMAP_FIELD_TEXT_SEQUENCE:
		fputs(UTF8_BYTE, out);
		break;
	case LTTNGMAP_FIELD_ENUM:
		write_enum(out, field);
		break;
	default:
		write_integer(out, field);
		break;
	}
	fprintf(out, " %s", name);
	if (length)
		fprintf(out, "[%s]", length);
	else if (field->count > 0)
		fprintf(out, "[%" PRIu32 "]", field->count);
	fputs(";\n", out);
}

void tsdl_event(FILE *out, uint32_t stream_id, const struct registry_class *event_class)
{
	struct field_names names;
	unsigned length = event_class->nr_fields;

	make_names(&names, event_class);
	fputs("event {\n\tname = ", out);
	tsdl_quote(out, event_class->full_name);
	fprintf(out,
		";\n"
		"\tid = %u;\n"
		"\tstream_id = %" PRIu32 ";\n"
		"\tloglevel = %u;\n"
		"\tfields := struct {\n",
		event_class->id, stream_id, event_class->loglevel);
	for (unsigned i = 0; i < event_class->nr_fields; i++) {
		const struct registry_field *field = &event_class->fields[i];

		write_field(out, field, names.texts[i],
			    is_sequence(field) ? names.texts[length++] : NULL);
	}
	fputs("\t};\n};\n\n", out);
}
