/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Every kind of field is described as it was declared and packed as
 * event-class.h says, by source files in C and in C++: this one is compiled
 * as either.
 */
#include <stdbool.h>

#include <lttngmap/tracepoint.h>

#include "tests/unit/tracepoint-backend.h"
#include "tests/utils/tap.h"

#ifdef __cplusplus
#include <cmath>
#else
#include <math.h>
#endif

LTTNGMAP_ENUM(state, { "open", 0, 0 }, { "closed", 1, 5 }, { "lost", -7, -1 });

LTTNGMAP_TRACEPOINT(fields, none, LTTNGMAP_LOGLEVEL_EMERG);
LTTNGMAP_TRACEPOINT(fields, widths, LTTNGMAP_LOGLEVEL_INFO,
	(integer, int8_t, i8), (integer, int16_t, i16), (integer, int32_t, i32),
	(integer, int64_t, i64), (integer, uint8_t, u8), (integer, uint16_t, u16),
	(integer, uint32_t, u32), (integer, uint64_t, u64));
LTTNGMAP_TRACEPOINT(fields, c_types, LTTNGMAP_LOGLEVEL_INFO,
	(integer, bool, b), (integer, char, c), (integer, unsigned char, uc),
	(integer, unsigned long long, ull), (integer, long, l));
LTTNGMAP_TRACEPOINT(fields, bases, LTTNGMAP_LOGLEVEL_DEBUG_LINE,
	(hex, uint32_t, x), (octal, uint16_t, o), (binary, uint8_t, b),
	(network, uint16_t, port), (network_hex, int32_t, address), (pointer, where));
LTTNGMAP_TRACEPOINT(fields, floats, LTTNGMAP_LOGLEVEL_DEBUG,
	(floating, float, f), (floating, double, d));
LTTNGMAP_TRACEPOINT(fields, enums, LTTNGMAP_LOGLEVEL_INFO,
	(enumeration, state, int, s), (enumeration, state, uint8_t, t));
LTTNGMAP_TRACEPOINT(fields, strings, LTTNGMAP_LOGLEVEL_INFO, (string, one), (string, two));
LTTNGMAP_TRACEPOINT(fields, texts, LTTNGMAP_LOGLEVEL_INFO,
	(text, tag, 4), (text_sequence, note));
LTTNGMAP_TRACEPOINT(fields, arrays, LTTNGMAP_LOGLEVEL_INFO,
	(array, uint8_t, mac, 3), (array_hex, int16_t, y, 2),
	(array_network, uint32_t, z, 1), (array_network_hex, uint16_t, w, 1));
LTTNGMAP_TRACEPOINT(fields, sequences, LTTNGMAP_LOGLEVEL_INFO,
	(sequence, uint16_t, a), (sequence_hex, int64_t, b), (sequence_network, uint32_t, c),
	(sequence_network_hex, int8_t, d));
LTTNGMAP_TRACEPOINT(fields, sixteen, LTTNGMAP_LOGLEVEL_INFO,
	(integer, uint8_t, a), (integer, uint16_t, b), (string, c), (integer, uint8_t, d),
	(integer, uint8_t, e), (integer, uint8_t, f), (integer, uint8_t, g),
	(integer, uint8_t, h), (integer, uint8_t, i), (integer, uint8_t, j),
	(integer, uint8_t, k), (integer, uint8_t, l), (integer, uint8_t, m),
	(sequence, uint8_t, n), (integer, uint8_t, o), (integer, uint32_t, p));
LTTNGMAP_TRACEPOINT(fields, cut, LTTNGMAP_LOGLEVEL_INFO,
	(string, first), (sequence, uint32_t, second), (string, third), (integer, uint64_t, last));
/* As many as a record can hold. */
#define FULL ((LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE) / 8)
LTTNGMAP_TRACEPOINT(fields, full, LTTNGMAP_LOGLEVEL_INFO, (array, uint64_t, all, FULL));

/* What a record should hold, written as one thinks of it. */
static unsigned char expected[LTTNGMAP_RECORD_MAX];
static size_t expected_size;

static void expect(const void *bytes, size_t size)
{
	memcpy(expected + expected_size, bytes, size);
	expected_size += size;
}

#define EXPECT(type, value)                                                                        \
	do {                                                                                       \
		type expected_value = (type)(value);                                               \
		expect(&expected_value, sizeof(expected_value));                                   \
	} while (0)
#define EXPECT_BYTES(literal) expect(literal, sizeof(literal) - 1)

static void packed(const char *what)
{
	size_t i, padding;

	ok(backend.size == expected_size && memcmp(backend.fields, expected, expected_size) == 0,
	   "%s: packed as expected", what);
	if (backend.size != expected_size)
		diag("got %zu bytes, expected %zu", backend.size, expected_size);
	for (i = 0; i < expected_size && i < backend.size; i++)
		if (backend.fields[i] != expected[i])
			diag("byte %zu is %#x, expected %#x", i, backend.fields[i], expected[i]);
	for (padding = 0, i = backend.size; i % 8 != 0; i++)
		padding += backend.fields[i] != 0;
	is(padding, 0, "and the bytes up to the next word are zeros");
	expected_size = 0;
}

/* Whether a field of the last event's class reads as declared. */
static void described(unsigned int index, const char *name, enum lttngmap_field_kind kind,
		      unsigned int size, unsigned int flags, unsigned int base, unsigned int count)
{
	const struct lttngmap_event_class *c = backend.tracepoint->event_class;
	const struct lttngmap_field *f = &c->fields[index];

	ok(index < c->nr_fields && strcmp(f->name, name) == 0 && f->kind == kind &&
		   f->size == size && f->flags == flags && f->base == base && f->count == count,
	   "%s:%s describes field %s", c->provider, c->name, name);
}

enum { NO = 0, SIGNED = LTTNGMAP_FIELD_SIGNED, BE = LTTNGMAP_FIELD_BIG_ENDIAN };

static void test_none(void)
{
	const struct lttngmap_event_class *c;

	lttngmap_tracepoint(fields, none);
	packed("no field");
	c = backend.tracepoint->event_class;
	is(c->nr_fields, 0, "no field is described");
	is(c->loglevel, LTTNGMAP_LOGLEVEL_EMERG, "the log level is the one given");
	is(c->struct_size, sizeof(*c), "the class says its size");
	is_string(c->provider, "fields", "the provider's name");
	is_string(c->name, "none", "the event's name");
}

static void test_integers(void)
{
	lttngmap_tracepoint(fields, widths, INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN, UINT8_MAX,
			    0xfedc, 0xfedcba98u, UINT64_C(0xfedcba9876543210));
	EXPECT(int8_t, INT8_MIN);
	EXPECT(int16_t, INT16_MIN);
	EXPECT(int32_t, INT32_MIN);
	EXPECT(int64_t, INT64_MIN);
	EXPECT(uint8_t, UINT8_MAX);
	EXPECT(uint16_t, 0xfedc);
	EXPECT(uint32_t, 0xfedcba98u);
	EXPECT(uint64_t, UINT64_C(0xfedcba9876543210));
	packed("integers");
	described(0, "i8", LTTNGMAP_FIELD_INTEGER, 1, SIGNED, 10, 0);
	described(1, "i16", LTTNGMAP_FIELD_INTEGER, 2, SIGNED, 10, 0);
	described(2, "i32", LTTNGMAP_FIELD_INTEGER, 4, SIGNED, 10, 0);
	described(3, "i64", LTTNGMAP_FIELD_INTEGER, 8, SIGNED, 10, 0);
	described(4, "u8", LTTNGMAP_FIELD_INTEGER, 1, NO, 10, 0);
	described(5, "u16", LTTNGMAP_FIELD_INTEGER, 2, NO, 10, 0);
	described(6, "u32", LTTNGMAP_FIELD_INTEGER, 4, NO, 10, 0);
	described(7, "u64", LTTNGMAP_FIELD_INTEGER, 8, NO, 10, 0);

	lttngmap_tracepoint(fields, c_types, true, 'c', 200, 1ull << 63, -1L);
	EXPECT(bool, true);
	EXPECT(char, 'c');
	EXPECT(unsigned char, 200);
	EXPECT(unsigned long long, 1ull << 63);
	EXPECT(long, -1);
	packed("C's own types");
	described(0, "b", LTTNGMAP_FIELD_INTEGER, 1, NO, 10, 0);
	described(1, "c", LTTNGMAP_FIELD_INTEGER, 1, (char)-1 < 0 ? SIGNED : NO, 10, 0);
	described(3, "ull", LTTNGMAP_FIELD_INTEGER, 8, NO, 10, 0);
	described(4, "l", LTTNGMAP_FIELD_INTEGER, sizeof(long), SIGNED, 10, 0);
}

static void test_bases(void)
{
	const unsigned char port[2] = { 0x1f, 0x90 };
	uint16_t network_port;

	memcpy(&network_port, port, 2);
	lttngmap_tracepoint(fields, bases, 0xabcdef01u, 0644, 5, network_port, -2, expected);
	EXPECT(uint32_t, 0xabcdef01u);
	EXPECT(uint16_t, 0644);
	EXPECT(uint8_t, 5);
	expect(port, 2);
	EXPECT(int32_t, -2);
	EXPECT(const void *, expected);
	packed("integers of other bases and order");
	described(0, "x", LTTNGMAP_FIELD_INTEGER, 4, NO, 16, 0);
	described(1, "o", LTTNGMAP_FIELD_INTEGER, 2, NO, 8, 0);
	described(2, "b", LTTNGMAP_FIELD_INTEGER, 1, NO, 2, 0);
	described(3, "port", LTTNGMAP_FIELD_INTEGER, 2, BE, 10, 0);
	described(4, "address", LTTNGMAP_FIELD_INTEGER, 4, BE | SIGNED, 16, 0);
	described(5, "where", LTTNGMAP_FIELD_INTEGER, sizeof(void *), NO, 16, 0);
	is(backend.tracepoint->event_class->loglevel, LTTNGMAP_LOGLEVEL_DEBUG_LINE,
	   "another log level");
}

static void test_floats(void)
{
	lttngmap_tracepoint(fields, floats, 1.5f, -HUGE_VAL);
	EXPECT(float, 1.5f);
	EXPECT(double, -HUGE_VAL);
	packed("floats");
	described(0, "f", LTTNGMAP_FIELD_FLOAT, sizeof(float), NO, 10, 0);
	described(1, "d", LTTNGMAP_FIELD_FLOAT, sizeof(double), NO, 10, 0);
}

static void test_enums(void)
{
	const struct lttngmap_enum *e;

	lttngmap_tracepoint(fields, enums, -7, 3);
	EXPECT(int, -7);
	EXPECT(uint8_t, 3);
	packed("enums");
	described(0, "s", LTTNGMAP_FIELD_ENUM, sizeof(int), SIGNED, 10, 0);
	described(1, "t", LTTNGMAP_FIELD_ENUM, 1, NO, 10, 0);
	e = backend.tracepoint->event_class->fields[0].enumeration;
	is_string(e->name, "state", "the enum's name");
	is(e->nr_values, 3, "all its labels");
	is_string(e->values[1].label, "closed", "a label");
	is(e->values[1].first, 1, "the first value of a label");
	is(e->values[1].last, 5, "the last value of a label");
	is(e->values[2].first, -7, "a negative value of a label");
	ok(backend.tracepoint->event_class->fields[1].enumeration == e, "fields share the enum");
}

static void test_strings(void)
{
	lttngmap_tracepoint(fields, strings, "Ada", "");
	EXPECT_BYTES("Ada\0");
	EXPECT_BYTES("\0");
	packed("strings");
	described(0, "one", LTTNGMAP_FIELD_STRING, 1, NO, 10, 0);
	lttngmap_tracepoint(fields, strings, NULL, "x");
	EXPECT_BYTES("(null)\0x\0");
	packed("a NULL string");

	lttngmap_tracepoint(fields, texts, "abcd", "note, longer", 4);
	EXPECT_BYTES("abcd");
	EXPECT(uint32_t, 4);
	EXPECT_BYTES("note");
	packed("texts");
	described(0, "tag", LTTNGMAP_FIELD_TEXT, 1, NO, 10, 4);
	described(1, "note", LTTNGMAP_FIELD_TEXT_SEQUENCE, 1, NO, 10, 0);
	lttngmap_tracepoint(fields, texts, NULL, NULL, 4);
	EXPECT_BYTES("\0\0\0\0");
	EXPECT(uint32_t, 0);
	packed("NULL texts");
}

static void test_arrays(void)
{
	const uint8_t mac[3] = { 1, 2, 3 };
	const int16_t y[2] = { -1, 256 };
	const uint32_t z[1] = { 0x01020304 };
	const uint16_t w[1] = { 0x0506 };

	lttngmap_tracepoint(fields, arrays, mac, y, z, w);
	expect(mac, sizeof(mac));
	expect(y, sizeof(y));
	expect(z, sizeof(z));
	expect(w, sizeof(w));
	packed("arrays");
	described(0, "mac", LTTNGMAP_FIELD_ARRAY, 1, NO, 10, 3);
	described(1, "y", LTTNGMAP_FIELD_ARRAY, 2, SIGNED, 16, 2);
	described(2, "z", LTTNGMAP_FIELD_ARRAY, 4, BE, 10, 1);
	described(3, "w", LTTNGMAP_FIELD_ARRAY, 2, BE, 16, 1);
	lttngmap_tracepoint(fields, arrays, NULL, y, NULL, w);
	EXPECT_BYTES("\0\0\0");
	expect(y, sizeof(y));
	EXPECT(uint32_t, 0);
	expect(w, sizeof(w));
	packed("NULL arrays");
}

static void test_sequences(void)
{
	const uint16_t a[3] = { 10, 20, 30 };
	const int64_t b[1] = { INT64_MIN };
	const uint32_t c[1] = { 7 };
	const int8_t d[2] = { -1, 1 };
	int minus_one = -1;

	lttngmap_tracepoint(fields, sequences, a, 3, b, 1, c, 0, d, 2);
	EXPECT(uint32_t, 3);
	expect(a, sizeof(a));
	EXPECT(uint32_t, 1);
	expect(b, sizeof(b));
	EXPECT(uint32_t, 0);
	EXPECT(uint32_t, 2);
	expect(d, sizeof(d));
	packed("sequences");
	described(0, "a", LTTNGMAP_FIELD_SEQUENCE, 2, NO, 10, 0);
	described(1, "b", LTTNGMAP_FIELD_SEQUENCE, 8, SIGNED, 16, 0);
	described(2, "c", LTTNGMAP_FIELD_SEQUENCE, 4, BE, 10, 0);
	described(3, "d", LTTNGMAP_FIELD_SEQUENCE, 1, BE | SIGNED, 16, 0);
	lttngmap_tracepoint(fields, sequences, NULL, 3, b, (size_t)minus_one, c, 1, NULL, 0);
	EXPECT(uint32_t, 0);
	EXPECT(uint32_t, 0);
	EXPECT(uint32_t, 1);
	expect(c, sizeof(c));
	EXPECT(uint32_t, 0);
	packed("NULL sequences, and one of a negative length");
}

static void test_sixteen(void)
{
	const uint8_t n[2] = { 14, 15 };
	unsigned int i;

	lttngmap_tracepoint(fields, sixteen, 1, 2, "three", 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, n, 2,
			    16, 17);
	EXPECT(uint8_t, 1);
	EXPECT(uint16_t, 2);
	EXPECT_BYTES("three\0");
	for (i = 4; i <= 13; i++)
		EXPECT(uint8_t, i);
	EXPECT(uint32_t, 2);
	expect(n, 2);
	EXPECT(uint8_t, 16);
	EXPECT(uint32_t, 17);
	packed("16 fields");
	is(backend.tracepoint->event_class->nr_fields, 16, "all are described");
	described(15, "p", LTTNGMAP_FIELD_INTEGER, 4, NO, 10, 0);
}

#define ROOM (LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE)

static void test_cut(void)
{
	static char string[2 * LTTNGMAP_RECORD_MAX];
	static uint32_t sequence[LTTNGMAP_RECORD_MAX];
	const uint64_t last = UINT64_C(0x0123456789abcdef);
	const size_t fixed = 1 + 4 + 1 + 8;
	size_t i, length;

	for (i = 0; i < LTTNGMAP_RECORD_MAX; i++)
		sequence[i] = (uint32_t)(i * 2654435761u);
	memset(string, 's', sizeof(string) - 1);

	for (length = i = 0; i < 150; i++) {
		const char *some = string + sizeof(string) - 1 - i;

		lttngmap_tracepoint(fields, strings, some, some);
		length += backend.size == 2 * (i + 1) && memcmp(backend.fields, some, i + 1) == 0 &&
			  memcmp(backend.fields + i + 1, some, i + 1) == 0;
	}
	is(length, 150, "two strings of each length, whether it takes one pass or two");

	lttngmap_tracepoint(fields, cut, string, sequence, 9, "third", last);
	expect(string, ROOM - fixed);
	EXPECT_BYTES("\0");
	EXPECT(uint32_t, 0);
	EXPECT_BYTES("\0");
	expect(&last, 8);
	packed("a string that takes all");
	is(backend.size, ROOM, "fills the record to its last byte");
	is(backend.cut, 1, "and is said to be cut");

	lttngmap_tracepoint(fields, cut, "abc", sequence, LTTNGMAP_RECORD_MAX, "third", last);
	length = (ROOM - fixed - 3) / 4;
	EXPECT_BYTES("abc\0");
	EXPECT(uint32_t, length);
	expect(sequence, length * 4);
	expect("third", (ROOM - fixed - 3) % 4);
	EXPECT_BYTES("\0");
	expect(&last, 8);
	packed("a sequence is cut to whole elements, the string after it to what is left");

	lttngmap_tracepoint(fields, cut, "abc", sequence, 2, string, last);
	EXPECT_BYTES("abc\0");
	EXPECT(uint32_t, 2);
	expect(sequence, 8);
	expect(string, ROOM - fixed - 3 - 8);
	EXPECT_BYTES("\0");
	expect(&last, 8);
	packed("the last string is cut first");
	is(backend.cut, 3, "each of these is said to be cut");

	lttngmap_tracepoint(fields, full, (const uint64_t *)(const void *)sequence);
	expect(sequence, ROOM);
	packed("fixed fields that fill the record");
}

static void test_long(void)
{
	static unsigned char memory[3 * LTTNGMAP_RECORD_MAX + 16];
	static char string[2 * LTTNGMAP_RECORD_MAX];
	const uint32_t sequence[2] = { 4711, 4712 };
	const size_t length = sizeof(string) - 1;

	memset(string, 's', length);
	backend.cut = 0;
	backend.room = length + 1 + 4 + 8 + 4 + 8;
	backend.reserved = memory;
	lttngmap_tracepoint(fields, cut, string, sequence, 2, "end", 1);
	is(backend.size, length + 1 + 4 + 8 + 4 + 8, "an event that just fits in what is reserved");
	ok(memcmp(memory, string, length + 1) == 0 &&
		   memcmp(memory + length + 1 + 4, sequence, 8) == 0 &&
		   memcmp(memory + length + 1 + 4 + 8, "end", 4) == 0,
	   "  ... is there, whole");
	is(backend.cut, 0, "  ... and not said to be cut");
	backend.room--;
	lttngmap_tracepoint(fields, cut, string, sequence, 2, "end", 1);
	is(backend.size, length + 1 + 4 + 8 + 3 + 8, "one byte less: the last string loses one");
	ok(memcmp(memory + length + 1 + 4 + 8, "en", 3) == 0, "  ... and stays a string");
	is(backend.cut, 1, "  ... and is said to be cut");
	backend.reserved = NULL;
	lttngmap_tracepoint(fields, cut, string, sequence, 2, "end", 1);
	is(backend.size, ROOM, "without memory it is cut to what a stack may have");
	is(backend.cut, 2, "  ... and is said to be");
	backend.room = 0;
}

static int evaluated;

static int evaluate(void)
{
	return ++evaluated;
}

static void test_off(void)
{
	unsigned int before = backend.events;

	ok(!lttngmap_tracepoint_enabled(fields, widths), "off: enabled() says so");
	lttngmap_tracepoint(fields, floats, (float)evaluate(), evaluate());
	lttngmap_tracepoint(fields, none);
	is(evaluated, 0, "off: no argument is evaluated");
	is(backend.events, before, "off: no event is written");
}

static void test_on(void)
{
	unsigned int before = backend.events;

	ok(lttngmap_tracepoint_enabled(fields, widths), "on: enabled() says so");
	if (lttngmap_tracepoint_enabled(fields, none))
		lttngmap_tracepoint(fields, floats, (float)evaluate(), evaluate());
	else
		evaluated = 100;
	is(evaluated, 2, "on: each argument is evaluated once");
	is(backend.events, before + 1, "on: one event is written");
	ok(backend.tracepoint == backend_find("fields", "floats"), "on: by its own tracepoint");
}

int main(void)
{
	test_off();
	backend_switch(1);
	test_on();
	test_none();
	test_integers();
	test_bases();
	test_floats();
	test_enums();
	test_strings();
	test_arrays();
	test_sequences();
	test_sixteen();
	test_cut();
	test_long();
	backend_switch(0);
	evaluated = 0;
	test_off();
	return done_testing();
}
