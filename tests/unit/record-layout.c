/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* record-layout.c - each kind of wrong record is found, where it stands; a sound one is let pass.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <lttngmap/abi.h>
#include <lttngmap/event-class.h>

#include "common/record/record-layout.h"
#include "tests/utils/tap.h"

#define STREAM 2
#define FIXED 7                          /* 8 bytes */
#define VARIED 70                        /* 2 bytes, a string, a sequence of 4 bytes each */
#define LARGE 65535                      /* more than any packet */
#define SUM 1002                         /* likewise, the sum of its fields */
#define WRAPPED 1001                     /* likewise, by more than 64 bits have */
#define SKIPPED 1000                     /* likewise, before a string */
#define BEGIN ((UINT64_C(3) << 48) - 10) /* 2^48 is passed by 10 later */
#define END (BEGIN + 1000)

static struct record_layout *layout;
static char body[4096], *guarded;
static size_t size;

static void put(const void *bytes, size_t length)
{
	memcpy(body + size, bytes, length);
	size += length;
}

static void put_header(unsigned id, uint64_t time)
{
	uint64_t header = id | time << 16;

	put(&header, sizeof(header));
}

static void put_fixed(uint64_t time)
{
	put_header(FIXED, time);
	put("contextsfields", 12);
}

static void put_varied(uint64_t time, const char *text, uint32_t count)
{
	put_header(VARIED, time);
	put("ctxt", 4);
	put("12", 2);
	put(text, strlen(text) + 1);
	put(&count, sizeof(count));
	for (uint32_t i = 0; i < count && i < 10; i++)
		put("elem", 4);
}

static enum record_wrong check(uint64_t events, struct record_fault *fault)
{
	/* The page behind these bytes cannot be read. */
	char *copy = guarded + sizeof(body) - size;
	struct record_span span = { copy, size, BEGIN, END, events };
	bool sound;

	memcpy(copy, body, size);
	*fault = (struct record_fault){ .wrong = RECORD_SOUND };
	sound = record_layout_check(layout, STREAM, &span, fault);
	size = 0;
	if (sound != (fault->wrong == RECORD_SOUND))
		return RECORD_COUNT + 1;
	return fault->wrong;
}

static void is_wrong(enum record_wrong wrong, uint64_t offset, const char *name)
{
	struct record_fault fault;
	enum record_wrong got = check(RECORD_COUNT_UNKNOWN, &fault);

	ok(got == wrong && fault.offset == offset, "%s (%u at %llu)", name, got,
	   (unsigned long long)fault.offset);
}

static void make_layout(void)
{
	const struct record_part fixed[] = { { RECORD_PART_FIXED, 3 }, { RECORD_PART_FIXED, 5 } };
	const struct record_part varied[] = { { RECORD_PART_FIXED, 2 },
					      { RECORD_PART_STRING, 0 },
					      { RECORD_PART_SEQUENCE, 4 } };
	const struct record_part large = { RECORD_PART_FIXED, UINT64_C(1) << 40 };
	const struct record_part sum[] = { large, large, large, large, { RECORD_PART_FIXED, 12 } };
	const struct record_part wrapped[] = { { RECORD_PART_FIXED, UINT64_MAX },
					       { RECORD_PART_FIXED, 9 } };
	const struct record_part skipped[] = { large, { RECORD_PART_STRING, 0 } };

	layout = record_layout_create();
	is(record_layout_add_event(layout, STREAM, FIXED, fixed, 2), -EINVAL, "no such stream yet");
	is(record_layout_add_stream(layout, LTTNGMAP_CHANNELS, 0, 0), -EINVAL,
	   "nor can there be one");
	is(record_layout_add_stream(layout, STREAM, 4, 0), 0, "a stream with contexts");
	ok(record_layout_add_event(layout, STREAM, FIXED, fixed, 2) == 0 &&
		   record_layout_add_event(layout, STREAM, VARIED, varied, 3) == 0 &&
		   record_layout_add_event(layout, STREAM, LARGE, &large, 1) == 0 &&
		   record_layout_add_event(layout, STREAM, SUM, sum, 5) == 0 &&
		   record_layout_add_event(layout, STREAM, WRAPPED, wrapped, 2) == 0 &&
		   record_layout_add_event(layout, STREAM, SKIPPED, skipped, 2) == 0,
	   "events in it");
	is(record_layout_add_event(layout, STREAM + LTTNGMAP_CHANNELS, FIXED, fixed, 2), -EINVAL,
	   "none in a stream that cannot be");
	is(record_layout_add_stream(layout, STREAM, UINT64_C(1) << 32, 0), -EINVAL,
	   "contexts that no packet holds");
	is(record_layout_add_event(layout, STREAM, FIXED, varied, 3), 0, "one again: it stays");
}

static void test_sound(void)
{
	struct record_fault fault;
	unsigned passed = 0;

	is_wrong(RECORD_SOUND, 0, "nothing at all is sound");
	put_fixed(BEGIN);
	put_fixed(BEGIN);
	put_varied(BEGIN + 5, "", 0);
	put_varied(BEGIN + 11, "longer than a word or two, and than four of them", 3);
	put_fixed(END);
	is(check(5, &fault), RECORD_SOUND,
	   "records of all kinds, at the ends of time, beyond 2^48");
	put_fixed(BEGIN);
	is(check(2, &fault), RECORD_COUNT, "fewer than were said");
	put_fixed(BEGIN);
	put_fixed(BEGIN);
	is(check(1, &fault), RECORD_COUNT, "more than were said");
	for (size_t length = 0; length < 40; length++) {
		char text[41] = "";

		memset(text, 'x', length);
		put_varied(BEGIN, text, 1);
		put_fixed(BEGIN);
		passed += check(2, &fault) == RECORD_SOUND;
	}
	is(passed, 40, "strings of each length up to 39");
}

static void test_wrong(void)
{
	put_fixed(BEGIN);
	put_header(FIXED + 1, BEGIN);
	put("contextsfields", 12);
	is_wrong(RECORD_ID, 20, "an id between those that there are");
	put_header(UINT16_MAX - 1, BEGIN);
	is_wrong(RECORD_ID, 0, "an id beyond");
	put_fixed(BEGIN + 5);
	put_fixed(BEGIN + 4);
	is_wrong(RECORD_TIME, 20, "earlier than the record before");
	put_fixed(BEGIN - 1);
	is_wrong(RECORD_TIME, 0, "earlier than the packet");
	put_fixed(END + 1);
	is_wrong(RECORD_TIME, 0, "later than the packet");
	put_fixed(BEGIN);
	put("1234567", 7);
	is_wrong(RECORD_TORN, 20, "bytes that are no record");
	put_fixed(BEGIN);
	size--;
	is_wrong(RECORD_LENGTH, 0, "a byte too few");
	put_header(VARIED, BEGIN);
	put("ct", 2);
	is_wrong(RECORD_LENGTH, 0, "no room for the contexts");
	put_header(VARIED, BEGIN);
	put("ctxt12never ends", 16);
	is_wrong(RECORD_STRING, 0, "a string without an end");
	put_varied(BEGIN, "text", 11);
	is_wrong(RECORD_LENGTH, 0, "a sequence of more than there is");
	put_varied(BEGIN, "text", UINT32_MAX);
	size = 8 + 4 + 2 + 5 + 4;
	is_wrong(RECORD_LENGTH, 0, "a sequence of more than can be");
	put_header(VARIED, BEGIN);
	put("ctxt12text\0\1\0", 13);
	is_wrong(RECORD_LENGTH, 0, "half a count");
	put_header(LARGE, BEGIN);
	put("contextsfields", 12);
	is_wrong(RECORD_LENGTH, 0, "an event that no packet holds");
	for (unsigned id = SKIPPED; id <= SUM; id++) {
		put_header(id, BEGIN);
		put("contextsfields\0x", 16);
		is_wrong(RECORD_LENGTH, 0, "one that is too large in all");
	}
	put_header(VARIED, BEGIN);
	put("ctxt1", 5);
	is_wrong(RECORD_LENGTH, 0, "half a field in front of a string");
}

static void test_packet(void)
{
	struct record_span span = { body, 0, BEGIN, BEGIN - 1, RECORD_COUNT_UNKNOWN };
	struct record_fault fault;
	char text[RECORD_FAULT_TEXT_SIZE];

	ok(!record_layout_check(layout, STREAM, &span, &fault) && fault.wrong == RECORD_SPAN,
	   "a packet that ends before it begins");
	span.end = BEGIN + (LTTNGMAP_TIMESTAMP_MASK >> 1) + 1;
	ok(!record_layout_check(layout, STREAM, &span, &fault) && fault.wrong == RECORD_SPAN,
	   "one that lasts too long");
	ok(!record_layout_check(layout, STREAM + 1, &span, &fault) && fault.wrong == RECORD_STREAM,
	   "an unknown stream");
	ok(!record_layout_check(layout, UINT32_MAX, &span, &fault) && fault.wrong == RECORD_STREAM,
	   "one that cannot be");
	fault = (struct record_fault){ RECORD_ID, 4711, 16 };
	is_string(record_fault_text(&fault, text),
		  "unknown event (event id 4711, 16 bytes into the packet)", "for people");
}

#define TEXT(MAJOR, FIELDS)                                                                        \
	"/* CTF 1.8 */ trace { uuid = \"00112233-4455-6677-8899-aabbccddeeff\"; byte_order "       \
	"= " ORDER "; };\n"                                                                        \
	"env { name = \"event { id = 1; \\\" }\"; lttngmap_abi_major = " MAJOR "; };\n"            \
	"clock { freq = 1000; offset_s = -3; };\n"                                                 \
	"stream { id = 2; event.header := struct { uint16_t id; }; };\n"                           \
	"event { name = \"} event\"; id = 9; stream_id = 2; fields := struct { " FIELDS " }; };"
/* A program's name of so many bytes ends the packet header. */
#define STREAM_WITH(SIZE)                                                                          \
	"stream { id = 3; packet.context := struct { uint32_t uid; integer { size = 8; } "         \
	"procname[" SIZE "]; }; };"
#if __BYTE_ORDER == __LITTLE_ENDIAN
#define ORDER "le"
#else
#define ORDER "be"
#endif

static int parse(const char *text, struct record_trace *trace)
{
	struct record_layout *other = record_layout_create();
	int error;

	*trace = (struct record_trace){ .is_ours = false };
	error = record_layout_parse(other, text, strlen(text), trace);

	record_layout_destroy(layout);
	layout = other;
	return error;
}

/* One change makes a text that is understood one that is not. */
static void test_changed(void)
{
	static char name[600], digits[2000], many[32768], text[sizeof(many) + 1024];
	const struct {
		const char *from, *to;
	} changes[] = {
		{ "size = 16", "size = 0" },
		{ "size = 16", "size = 128" },
		{ "size = 16", "size = 12" },
		{ "align = 8", "align = 16" },
		{ "_a;", "_a[4294967296];" },
		{ "_a;", name },
		{ "_a;", many },
		{ "ccddeeff", "ccddeeff00" },
		{ "ccddeeff", digits },
		{ "ccddeeff", "ccddee" },
		{ "ccddeeff", "ccddeefg" },
		{ "byte_order = " ORDER, "byte_order = xx" },
		{ "offset_s = -3", "offset_s = 9223372036854775808" },
		{ "freq = 1000", "freq = 0" },
		{ "freq = 1000", "freq = 18446744073709551616" },
		{ "stream { id = 2;",
		  "stream { id = 2; event.context := struct { string { } _c; };" },
		{ "stream { id = 2;", "stream { id = 4294967298;" },
		{ "id = 9", "id = 65545" },
		{ "stream_id = 2", "stream_id = 4294967298" },
	};
	const char *base = TEXT("1", "integer { size = 16; align = 8; } _a;");
	struct record_trace trace;
	size_t length = 0;

	memset(name, 'n', sizeof(name) - 2);
	name[sizeof(name) - 2] = ';';
	memset(digits, '0', sizeof(digits) - 1);
	length = (size_t)sprintf(many, "_a;");
	for (unsigned i = 0; i < 2 * LTTNGMAP_FIELDS_MAX; i++)
		length += (size_t)sprintf(many + length, "uint32_t _b%u;", i);
	is(parse(base, &trace), 0, "a text that is understood");
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const char *at = strstr(base, changes[i].from);

		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - base), base, changes[i].to,
			 at + strlen(changes[i].from));
		is(parse(text, &trace), -ENOTSUP, changes[i].from);
	}
}

/* Each text is parsed, and what is damaged in it is named with its line. */
static void test_damaged_text(void)
{
	static const struct {
		const char *text, *fault;
	} damaged[] = {
		{ TEXT("1", "integer { size = 7; align = 8; } _a;"),
		  "line 5: an integer of whole bytes, up to 64 bits is expected there" },
		{ TEXT("1", "") "\n\nevent { id 3; };", "line 7: '=' is expected there" },
		{ TEXT("1", "") "\nevent { id = 3; stream_id = 2;\n",
		  "line 7: '}' is expected there" },
		{ TEXT("1", "") "\nevent { id = 3; stream_id = 7; };",
		  "line 6: a stream or event that can be is expected there" },
		{ TEXT("1", "") "\n/* event {\n",
		  "line 6: the end of this comment is expected there" },
	};
	char text[RECORD_TRACE_FAULT_SIZE];
	struct record_trace trace;

	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		parse(damaged[i].text, &trace);
		is_string(record_trace_fault(&trace, text), damaged[i].fault, "what is damaged");
	}
	parse("trace {\n;", &trace);
	ok(!record_trace_fault(&trace, text), "another tracer's text is not said to be damaged");
}

/* A text that this version does not write is refused. */
static void test_foreign_text(void)
{
	static const char *const foreign[] = {
		TEXT("99", ""),
		TEXT("1", "integer { size = 7; align = 8; } _a;"),
		TEXT("1", "integer { size = 8; align = 1; } _a;"),
		TEXT("1", "struct { uint32_t a; } _b;"),
		TEXT("1", "uint32_t __a_length; uint32_t _b; integer { size = 8; align = 8; } "
			  "_a[__a_length];"),
		TEXT("1", "string { } _a[3];"),
		"event {",
		"",
	};
	char text[RECORD_TRACE_FAULT_SIZE];
	struct record_trace trace;
	unsigned refused = 0;

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		refused += parse(foreign[i], &trace) == -ENOTSUP;
	is(refused, sizeof(foreign) / sizeof(foreign[0]), "what is not known is refused");
	is(parse(TEXT("1", "") STREAM_WITH("36"), &trace), 0, "a packet header of this version");
	is(parse(TEXT("1", "") STREAM_WITH("16"), &trace), -ENOTSUP, "one of an earlier version");
	ok(!record_trace_fault(&trace, text), "its text is not said to be damaged");
}

static void test_text(void)
{
	const char *ours =
		TEXT("1", "integer { size = 16; align = 8; } _a; string { encoding = UTF8; } _s; "
			  "uint32_t __q_length; enum : integer { size = 8; align = 8; } { \"}\" = "
			  "1, } _q[__q_length];"
			  "floating_point { exp_dig = 11; mant_dig = 53; align = 8; } _f;");
	char text[RECORD_TRACE_FAULT_SIZE];
	struct record_trace trace;

	is(parse(ours, &trace), 0, "a text as the daemon writes it");
	ok(!record_trace_fault(&trace, text), "nothing is wrong with it");
	ok(trace.frequency == 1000 && trace.offset_s == -3 && trace.uuid[1] == 0x11 &&
		   trace.uuid[15] == 0xff,
	   "its clock and its UUID");
	put_header(9, BEGIN);
	put("ab"
	    "text\0"
	    "\2\0\0\0"
	    "12"
	    "12345678",
	    21);
	is_wrong(RECORD_SOUND, 0, "its event");
	put_header(9, BEGIN);
	put("ab"
	    "text\0"
	    "\3\0\0\0"
	    "12"
	    "12345678",
	    21);
	is_wrong(RECORD_LENGTH, 0, "one that is too long");
}

/* A sequence between the contexts of a fixed size and the fields: as the context callstack. */
static void test_sequence_context(void)
{
	const struct record_part fixed = { RECORD_PART_FIXED, 3 };
	const struct record_part varied[] = { { RECORD_PART_STRING, 0 }, { RECORD_PART_FIXED, 1 } };
	static const char text[] =
		"/* CTF 1.8 */ env { lttngmap_abi_major = 1; }; clock { freq = 1; }; "
		"stream { id = 3; event.context := struct { uint32_t _vtid; uint32_t __s_length; "
		"integer { size = 64; align = 8; } _s[ __s_length ]; }; }; "
		"event { id = 7; stream_id = 3; fields := struct { integer { size = 24; align = 8; "
		"} "
		"_a; }; };";
	struct record_layout *before = layout, *parsed = record_layout_create();
	struct record_trace trace = { .is_ours = false };

	layout = record_layout_create();
	is(record_layout_add_stream(layout, STREAM, 2, 8), 0, "a stream with a sequence");
	ok(record_layout_add_event(layout, STREAM, FIXED, &fixed, 1) == 0 &&
		   record_layout_add_event(layout, STREAM, VARIED, varied, 2) == 0,
	   "events in it");
	for (unsigned i = 0; i < 2; i++) {
		put_header(FIXED, BEGIN);
		put("ct\2\0\0\0"
		    "address1address2fld",
		    25);
		put_header(FIXED, BEGIN);
		put("ct\0\0\0\0fld", 9);
		put_header(VARIED, BEGIN);
		put("ct\1\0\0\0"
		    "address1text\0f",
		    20);
	}
	is_wrong(RECORD_SOUND, 0, "sequences of several lengths");
	put_header(FIXED, BEGIN);
	put("ct\2\0\0\0"
	    "address1address2fl",
	    24);
	is_wrong(RECORD_LENGTH, 0, "one that leaves no room for the fields");
	put_header(VARIED, BEGIN);
	put("ct\2\0\0\0"
	    "address1",
	    14);
	is_wrong(RECORD_LENGTH, 0, "one that runs past the packet");
	put_header(FIXED, BEGIN);
	put("ct\xff\xff\xff\xff"
	    "address1fld",
	    17);
	is_wrong(RECORD_LENGTH, 0, "one that is too long for any");
	put_header(FIXED, BEGIN);
	put("ct\1\0", 4);
	is_wrong(RECORD_LENGTH, 0, "half a length");
	ok(!record_layout_covers(before, layout), "a layout without it has not the same lengths");
	is(record_layout_parse(parsed, text, strlen(text), &trace), 0, "a text with one");
	record_layout_destroy(layout);
	layout = parsed;
	{
		char bytes[] = "\7\0xxxxxx"
			       "vtid\1\0\0\0"
			       "address1abc";
		struct record_span span = { bytes, sizeof(bytes) - 1, 0, UINT64_C(1) << 46, 1 };
		struct record_fault fault;

		memset(bytes + 2, 0, 6);
		ok(record_layout_check(parsed, 3, &span, &fault), "its event");
	}
	record_layout_destroy(parsed);
	layout = before;
}

/* Event `id` of stream `stream_id` with these parts, in a layout of its own. */
static struct record_layout *one_event(uint32_t stream_id, uint64_t contexts, uint16_t id,
				       const struct record_part *parts, size_t nr_parts)
{
	struct record_layout *other = record_layout_create();

	if (!other || record_layout_add_stream(other, stream_id, contexts, 0) != 0 ||
	    record_layout_add_event(other, stream_id, id, parts, nr_parts) != 0)
		bail_out("no layout");
	return other;
}

static void test_covers(void)
{
	static const struct record_part short_one = { RECORD_PART_FIXED, 4 },
					long_one = { RECORD_PART_FIXED, 8 };
	static const struct record_part text[] = { { RECORD_PART_STRING, 0 },
						   { RECORD_PART_FIXED, 4 } };
	const struct {
		const char *name;
		uint32_t stream_id;
		uint64_t contexts;
		uint16_t id;
		const struct record_part *parts;
		size_t nr_parts;
		bool covers;
	} cases[] = {
		{ "the same", 1, 4, 70, text, 2, true },
		{ "another stream", 2, 4, 70, text, 2, false },
		{ "other contexts", 1, 8, 70, text, 2, false },
		{ "another id", 1, 4, 69, text, 2, false },
		{ "an id behind the table", 1, 4, 7000, text, 2, false },
		{ "less fields", 1, 4, 70, text, 1, false },
		{ "fixed, not a program", 1, 4, 70, &short_one, 1, false },
		{ "a known fixed one", 1, 4, 3, &short_one, 1, true },
		{ "a longer fixed one", 1, 4, 3, &long_one, 1, false },
		{ "a program, not fixed", 1, 4, 3, text, 2, false },
	};
	struct record_layout *all = one_event(1, 4, 70, text, 2), *nothing = record_layout_create();

	is(record_layout_add_event(all, 1, 3, &short_one, 1), 0, "a second event");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record_layout *other = one_event(cases[i].stream_id, cases[i].contexts,
							cases[i].id, cases[i].parts,
							cases[i].nr_parts);

		ok(record_layout_covers(all, other) == cases[i].covers, "covered or not: %s",
		   cases[i].name);
		record_layout_destroy(other);
	}
	ok(record_layout_covers(all, nothing) && !record_layout_covers(nothing, all),
	   "nothing is covered by all, and covers nothing");
	record_layout_destroy(nothing);
	record_layout_destroy(all);
}

int main(void)
{
	_Static_assert(LTTNGMAP_ABI_MAJOR == 1, "the texts say so");

	guarded = mmap(NULL, 2 * sizeof(body), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	if (guarded == MAP_FAILED || mprotect(guarded + sizeof(body), sizeof(body), PROT_NONE) < 0)
		bail_out("no memory");
	make_layout();
	test_sound();
	test_wrong();
	test_packet();
	test_damaged_text();
	test_foreign_text();
	test_text();
	test_changed();
	test_sequence_context();
	test_covers();
	record_layout_destroy(layout);
	return done_testing();
}
