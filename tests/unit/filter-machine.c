/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-machine.c - each instruction and helper of the filter machine: what
 * it does, and when it ends the program.
 */
#include <fenv.h>

#include "liblttngmap/ring/filter-test.h"
#include "tests/utils/filter-assembler.h"
#include "tests/utils/tap.h"

/* ---- instructions ------------------------------------------------------------ */

static const struct {
	const char *name;
	unsigned code;
	int offset;
	uint64_t a, b, result;
} alu[] = {
	{ "add", ALU(ADD), 0, 5, 7, 12 },
	{ "add, around", ALU(ADD), 0, UINT64_MAX, 7, 6 },
	{ "add of a negative", ALU(ADD), 0, 5, -7ull, -2ull },
	{ "sub", ALU(SUB), 0, 5, 7, -2ull },
	{ "mul", ALU(MUL), 0, 1ull << 40, 1 << 20, 1ull << 60 },
	{ "mul, around", ALU(MUL), 0, 1ull << 63, 3, 1ull << 63 },
	{ "div", ALU(DIV), 0, 100, 7, 14 },
	{ "div, unsigned", ALU(DIV), 0, -100ull, 7, -100ull / 7 },
	{ "div, signed", ALU(DIV), 1, -100ull, 7, -14ull },
	{ "div, signed, of the least by -1", ALU(DIV), 1, 1ull << 63, -1ull, 1ull << 63 },
	{ "mod", ALU(MOD), 0, 100, 7, 2 },
	{ "mod, unsigned", ALU(MOD), 0, -100ull, 7, -100ull % 7 },
	{ "mod, signed", ALU(MOD), 1, -100ull, 7, -2ull },
	{ "mod, signed, of the least by -1", ALU(MOD), 1, 1ull << 63, -1ull, 0 },
	{ "or", ALU(OR), 0, 0xf0, 0x3c, 0xfc },
	{ "and", ALU(AND), 0, 0xf0, 0x3c, 0x30 },
	{ "xor", ALU(XOR), 0, 0xf0, 0x3c, 0xcc },
	{ "xor with a negative", ALU(XOR), 0, 0xf0, -1ull, ~0xf0ull },
	{ "lsh", ALU(LSH), 0, 3, 62, 3ull << 62 },
	{ "rsh", ALU(RSH), 0, -1ull, 60, 15 },
	{ "arsh", ALU(ARSH), 0, -16ull, 2, -4ull },
	{ "mov", ALU(MOV), 0, 1, -7ull, -7ull },
};

static const struct {
	const char *name;
	unsigned code;
	uint64_t a, b;
	bool taken;
} jumps[] = {
	{ "jeq", JMP(JEQ), 5, 5, true },           { "jeq", JMP(JEQ), 5, 6, false },
	{ "jne", JMP(JNE), 5, 6, true },           { "jne", JMP(JNE), -6ull, -6ull, false },
	{ "jset", JMP(JSET), 6, 4, true },         { "jset", JMP(JSET), 6, 9, false },
	{ "jgt", JMP(JGT), -1ull, 5, true },       { "jgt", JMP(JGT), 5, 5, false },
	{ "jge", JMP(JGE), 5, 5, true },           { "jge", JMP(JGE), 5, -1ull, false },
	{ "jlt", JMP(JLT), 5, -1ull, true },       { "jlt", JMP(JLT), 5, 5, false },
	{ "jle", JMP(JLE), 5, 5, true },           { "jle", JMP(JLE), -1ull, 5, false },
	{ "jsgt", JMP(JSGT), 5, -1ull, true },     { "jsgt", JMP(JSGT), 5, 5, false },
	{ "jsge", JMP(JSGE), -1ull, -1ull, true }, { "jsge", JMP(JSGE), -2ull, -1ull, false },
	{ "jslt", JMP(JSLT), -2ull, -1ull, true }, { "jslt", JMP(JSLT), 5, 5, false },
	{ "jsle", JMP(JSLE), 5, 5, true },         { "jsle", JMP(JSLE), 5, -1ull, false },
};

static void check_alu(void)
{
	for (unsigned i = 0; i < sizeof(alu) / sizeof(alu[0]); i++) {
		for (unsigned by_register = 0; by_register < 2; by_register++) {
			if (!by_register && alu[i].code == ALU(MOV) && alu[i].offset)
				continue;
			asm_begin();
			asm_set(0, alu[i].a);
			asm_set(3, alu[i].b);
			asm_add(alu[i].code | (by_register ? X : 0), 0, by_register ? 3 : 0,
				alu[i].offset, by_register ? 0 : (int64_t)alu[i].b);
			asm_add_test(alu[i].result);
			ok(asm_run("", 0, NULL) && (asm_size = 0, asm_valid()), "%s, %s",
			   alu[i].name, by_register ? "registers" : "immediate");
		}
	}
}

static void check_unary(void)
{
	static const struct {
		const char *name;
		unsigned code;
		int offset, immediate;
		uint64_t a, result;
	} cases[] = {
		{ "neg", ALU(NEG), 0, 0, 5, -5ull },
		{ "mov of 8 bits", ALU(MOV) | X, 8, 0, 0x1ff, -1ull },
		{ "mov of 16 bits", ALU(MOV) | X, 16, 0, 0x18000, -0x8000ull },
		{ "mov of 32 bits", ALU(MOV) | X, 32, 0, 0x180000001, 0xffffffff80000001 },
		{ "swap of 16 bits", ALU(END), 0, 16, 0x11223344, 0x4433 },
		{ "swap of 32 bits", ALU(END), 0, 32, 0x0102030411223344, 0x44332211 },
		{ "swap of 64 bits", ALU(END), 0, 64, 0x0102030405060708, 0x0807060504030201 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		asm_begin();
		asm_set(0, cases[i].a);
		asm_add(cases[i].code, 0, 0, cases[i].offset, cases[i].immediate);
		asm_add_test(cases[i].result);
		ok(asm_run("", 0, NULL) && (asm_size = 0, asm_valid()), "%s", cases[i].name);
	}
}

static void check_jumps(void)
{
	for (unsigned i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		for (unsigned by_register = 0; by_register < 2; by_register++) {
			asm_begin();
			asm_set(2, jumps[i].a);
			asm_set(3, jumps[i].b);
			asm_add(jumps[i].code | (by_register ? X : 0), 2, by_register ? 3 : 0, 2,
				by_register ? 0 : (int64_t)jumps[i].b);
			asm_add(ALU(MOV), 0, 0, 0, 0);
			asm_add_exit();
			asm_add(ALU(MOV), 0, 0, 0, 1);
			asm_add_exit();
			ok(asm_run("", 0, NULL) == jumps[i].taken && (asm_size = 0, asm_valid()),
			   "%s is%s taken, %s", jumps[i].name, jumps[i].taken ? "" : " not",
			   by_register ? "registers" : "immediate");
		}
	}
	asm_begin();
	asm_add(ALU(MOV), 0, 0, 0, 1);
	asm_add(JMP(JA), 0, 0, 1, 0);
	asm_add(ALU(MOV), 0, 0, 0, 0);
	asm_add_exit();
	ok(asm_run("", 0, NULL), "ja is taken");
}

/* Each size, from each place of a record up to its last byte and beyond. */
static void check_loads(void)
{
	static const struct {
		unsigned code, size;
	} loads[] = {
		{ LD(B, ABS), 1 }, { LD(H, ABS), 2 }, { LD(W, ABS), 4 }, { LD(DW, ABS), 8 },
		{ LD(B, IND), 1 }, { LD(H, IND), 2 }, { LD(W, IND), 4 }, { LD(DW, IND), 8 },
	};
	static const uint8_t fields[11] = { 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255 };

	for (unsigned i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		bool is_indirect = loads[i].code & LTTNGMAP_FILTER_IND;
		unsigned wrong = 0;

		for (unsigned at = 0; at < sizeof(fields) + 2; at++) {
			bool inside = at + loads[i].size <= sizeof(fields);
			uint64_t value = 0;

			if (inside)
				memcpy(&value, fields + at, loads[i].size);
			asm_begin();
			asm_set(4, at + 3);
			asm_add(loads[i].code, 0, is_indirect ? 4 : 0, 0,
				is_indirect ? -3 : (int)at);
			asm_add_test(value);
			wrong += asm_run(fields, sizeof(fields), NULL) != inside;
		}
		ok(wrong == 0, "a load of %u bytes, code %#x", loads[i].size, loads[i].code);
	}
}

/* Integers of each size against constants around theirs, at each place of a record. */
static void check_test(unsigned bytes, unsigned sort, const char *name)
{
	static const int64_t values[] = { INT64_MIN, -129,       -128,     -2,  -1,
					  0,         1,          127,      255, 65535,
					  INT32_MAX, UINT32_MAX, INT64_MAX };
	static const int32_t constants[] = { INT32_MIN, -129, -1, 0, 1, 127, 255, INT32_MAX };
	unsigned size = 1u << bytes, wrong = 0, holds = 0;
	uint8_t fields[12];

	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]) * 8 * 8 * 6; i++) {
		int32_t constant = constants[i % 8];
		unsigned cases = i / 8 % 8, at = i / 64 % 6;
		int64_t value = values[i / (64 * 6)];
		uint64_t bits = (uint64_t)value;
		bool less, inside = at + size <= sizeof(fields), expected;

		memset(fields, 0xa5, sizeof(fields));
		memcpy(fields + at, &bits, inside ? size : sizeof(fields) - at);
		if (size < 8)
			bits &= (UINT64_C(1) << size * 8) - 1;
		if (sort & LTTNGMAP_FILTER_SIGNED && bits >> (size * 8 - 1))
			bits |= -(UINT64_C(1) << (size * 8 - 1));
		less = sort & LTTNGMAP_FILTER_UNSIGNED ? bits < (uint64_t)(int64_t)constant
						       : (int64_t)bits < constant;
		expected = inside && (less                                  ? cases & 1
				      : bits == (uint64_t)(int64_t)constant ? cases & 2
									    : cases & 4);
		asm_begin();
		asm_add(LTTNGMAP_FILTER_TEST | cases << 3, bytes | sort, 0, (int)at, constant);
		asm_add(ALU(MOV), 0, 0, 0, 1);
		asm_add_exit();
		wrong += asm_run(fields, sizeof(fields), NULL) != expected;
		holds += expected;
		/* Once more where it is not the first instruction. */
		asm_begin();
		asm_add(ALU(MOV), 0, 0, 0, 1);
		asm_add(LTTNGMAP_FILTER_TEST | cases << 3, bytes | sort, 0, (int)at, constant);
		asm_add_exit();
		wrong += asm_run(fields, sizeof(fields), NULL) != expected;
	}
	ok(wrong == 0 && holds > 100, "a test of %u bytes, %s", size, name);
}

static void check_tests(void)
{
	for (unsigned bytes = 0; bytes < 4; bytes++) {
		check_test(bytes, 0, "as they are");
		check_test(bytes, LTTNGMAP_FILTER_SIGNED, "with a sign");
	}
	check_test(3, LTTNGMAP_FILTER_UNSIGNED, "without one");
}

static void check_outside(void)
{
	static const uint64_t offsets[] = { 12, 1ull << 32, 1ull << 63, -1ull, -4ull, -8ull };
	unsigned wrong = 0;

	for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		asm_begin();
		asm_set(4, offsets[i]);
		asm_add(LD(W, IND), 0, 4, 0, 0);
		asm_add(ALU(MOV), 0, 0, 0, 1);
		asm_add_exit();
		wrong += asm_run("twelve bytes", 12, NULL);
	}
	is(wrong, 0, "loads from far outside end the program");
	asm_begin();
	asm_add(LD(B, ABS), 0, 0, 0, -1);
	asm_add(ALU(MOV), 0, 0, 0, 1);
	asm_add_exit();
	ok(!asm_run("twelve bytes", 12, NULL), "an immediate is no negative offset");
	asm_begin();
	asm_add(LD(B, ABS), 0, 0, 0, 0);
	asm_add(ALU(MOV), 0, 0, 0, 1);
	asm_add_exit();
	ok(!asm_run("", 0, NULL), "nor is anything in an event without fields");
}

static void check_stack(void)
{
	asm_begin();
	asm_set(5, 0x1122334455667788);
	for (int offset = -512; offset < 0; offset += 8) {
		asm_add(STX_STACK, 10, 5, offset, 0);
		asm_add(ALU(ADD), 5, 0, 0, 1);
	}
	asm_add(LDX_STACK, 0, 10, -512, 0);
	asm_add(LDX_STACK, 1, 10, -8, 0);
	asm_add(ALU(ADD) | X, 0, 1, 0, 0);
	asm_add_test(2 * 0x1122334455667788 + 63);
	ok(asm_run("", 0, NULL) && (asm_size = 0, asm_valid()), "the stack keeps 64 words");
	asm_begin();
	asm_add(STX_STACK, 10, 0, -8, 0);
	asm_add(LDX_STACK, 0, 10, -16, 0);
	asm_add(ALU(MOV), 0, 0, 0, 1);
	asm_add_exit();
	ok(!asm_run("", 0, NULL), "a word that was not written cannot be read");
	for (unsigned i = 0; i < 5; i++) {
		static const int offsets[] = { 0, 8, -4, -7, -520 };

		asm_begin();
		asm_add(STX_STACK, 10, 0, offsets[i], 0);
		asm_add(ALU(MOV), 0, 0, 0, 1);
		asm_add_exit();
		ok(!asm_run("", 0, NULL), "no word is stored at %d", offsets[i]);
	}
}

/* ---- helpers ------------------------------------------------------------------- */

#define ENDS UINT64_C(0xdead) /* no result: the program ends */

static void check_call(const char *what, unsigned helper, const uint64_t arguments[4],
		       const void *fields, size_t size, const void *strings, size_t pool_size,
		       uint64_t result)
{
	bool got;

	asm_begin();
	memcpy(asm_pool, strings, pool_size);
	asm_program.header.pool_size = (uint32_t)pool_size;
	asm_call(helper, arguments[0], arguments[1], arguments[2], arguments[3]);
	if (result == ENDS) {
		asm_add(ALU(MOV), 0, 0, 0, 1);
		asm_add_exit();
	} else {
		asm_add_test(result);
	}
	got = asm_run(fields, size, &asm_contexts);
	ok(got == (result != ENDS), "%s", what);
}

#define NUL ((uint64_t)LTTNGMAP_FILTER_STRING_NUL)
#define SEQUENCE ((uint64_t)LTTNGMAP_FILTER_STRING_SEQUENCE)
#define CONTEXT ((uint64_t)LTTNGMAP_FILTER_STRING_CONTEXT)
#define POOL ((uint64_t)LTTNGMAP_FILTER_STRING_POOL)
#define IN_POOL(offset, size) ((offset) | (uint64_t)(size) << 32)

static void check_skips(void)
{
	static const char string[] = "ab\0cd"; /* the last NUL is left out */
	static const uint8_t sequence[] = { 3, 0, 0, 0, 1, 2, 3 },
			     huge[] = { 255, 255, 255, 255, 1 };
	const struct {
		const char *what;
		unsigned helper;
		uint64_t offset, element;
		const void *fields;
		size_t size;
		uint64_t result;
	} cases[] = {
		{ "a string is skipped", LTTNGMAP_FILTER_SKIP_STRING, 0, 0, string, 5, 3 },
		{ "an empty one", LTTNGMAP_FILTER_SKIP_STRING, 2, 0, string, 5, 3 },
		{ "one without an end is not", LTTNGMAP_FILTER_SKIP_STRING, 3, 0, string, 5, ENDS },
		{ "nor what is behind the end", LTTNGMAP_FILTER_SKIP_STRING, 5, 0, string, 5,
		  ENDS },
		{ "nor far behind it", LTTNGMAP_FILTER_SKIP_STRING, -1ull, 0, string, 5, ENDS },
		{ "a sequence is skipped", LTTNGMAP_FILTER_SKIP_SEQUENCE, 0, 1, sequence, 7, 7 },
		{ "one that is cut is not", LTTNGMAP_FILTER_SKIP_SEQUENCE, 0, 1, sequence, 6,
		  ENDS },
		{ "nor if its length is", LTTNGMAP_FILTER_SKIP_SEQUENCE, 4, 1, sequence, 7, ENDS },
		{ "nor with larger elements", LTTNGMAP_FILTER_SKIP_SEQUENCE, 0, 2, sequence, 7,
		  ENDS },
		{ "nor with absurd ones", LTTNGMAP_FILTER_SKIP_SEQUENCE, 0, 1ull << 62, sequence, 7,
		  ENDS },
		{ "nor an absurd length", LTTNGMAP_FILTER_SKIP_SEQUENCE, 0, 8, huge, 5, ENDS },
		{ "nor from far away", LTTNGMAP_FILTER_SKIP_SEQUENCE, -2ull, 1, sequence, 7, ENDS },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t arguments[4] = { cases[i].offset, cases[i].element };

		check_call(cases[i].what, cases[i].helper, arguments, cases[i].fields,
			   cases[i].size, "", 0, cases[i].result);
	}
}

static void check_compares(void)
{
	/* abc NUL, 2 0 0 0 ab, abX without an end */
	static const char fields[] = "abc\0\2\0\0\0ababX", strings[] = "abcd\0xyz";
	const struct {
		const char *what;
		uint64_t arguments[4];
		uint64_t result;
	} cases[] = {
		{ "strings are equal", { 0, NUL, IN_POOL(0, 3), POOL }, 0 },
		{ "are less", { 0, NUL, IN_POOL(0, 4), POOL }, -1ull },
		{ "are greater", { 0, NUL, IN_POOL(0, 2), POOL }, 1 },
		{ "and than nothing", { 0, NUL, IN_POOL(8, 0), POOL }, 1 },
		{ "a constant ends at its NUL", { IN_POOL(0, 8), POOL, IN_POOL(0, 4), POOL }, 0 },
		{ "a sequence of bytes", { 4, SEQUENCE, IN_POOL(0, 2), POOL }, 0 },
		{ "is less than a longer one", { 4, SEQUENCE, 0, NUL }, -1ull },
		{ "text of so many bytes", { 0, 2, IN_POOL(0, 2), POOL }, 0 },
		{ "ends at a NUL before", { 0, 8, IN_POOL(0, 3), POOL }, 0 },
		{ "text of no bytes", { 13, 0, IN_POOL(0, 0), POOL }, 0 },
		{ "differs before its end is missed", { 10, NUL, IN_POOL(0, 4), POOL }, -1ull },
		{ "no NUL at the end", { 10, NUL, 10, 3 }, ENDS },
		{ "text over the end", { 10, 4, IN_POOL(0, 3), POOL }, ENDS },
		{ "text from behind the end", { 14, 0, IN_POOL(0, 3), POOL }, ENDS },
		{ "a sequence over the end", { 8, SEQUENCE, IN_POOL(0, 3), POOL }, ENDS },
		{ "a sequence's length over the end", { 11, SEQUENCE, IN_POOL(0, 3), POOL }, ENDS },
		{ "a string from the end", { 13, NUL, IN_POOL(0, 3), POOL }, ENDS },
		{ "a string from far away", { -1ull, NUL, IN_POOL(0, 3), POOL }, ENDS },
		{ "a constant over the pool's end", { 0, NUL, IN_POOL(6, 3), POOL }, ENDS },
		{ "a constant behind the pool", { 0, NUL, IN_POOL(9, 0), POOL }, ENDS },
		{ "a sort that is none", { 0, -5ull, IN_POOL(0, 3), POOL }, ENDS },
		{ "a length that is none", { 0, 1ull << 32, IN_POOL(0, 3), POOL }, ENDS },
		{ "a context's string", { 2, CONTEXT, 0, NUL }, 0 },
		{ "a context's string without a NUL", { 3, CONTEXT, IN_POOL(0, 2), POOL }, 0 },
		{ "a context without a string", { 1, CONTEXT, 0, NUL }, LTTNGMAP_FILTER_NO_VALUE },
		{ "a context unknown", { 4, CONTEXT, 0, NUL }, LTTNGMAP_FILTER_NO_VALUE },
		{ "a context's id of more bits",
		  { 1ull << 32 | 2, CONTEXT, 0, NUL },
		  LTTNGMAP_FILTER_NO_VALUE },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_call(cases[i].what, LTTNGMAP_FILTER_STRING_COMPARE, cases[i].arguments,
			   fields, 13, strings, 8, cases[i].result);
}

/* Parts: "a", "bb" in the middle with its borders, "c". */
static const uint8_t glob[] = { 3, 0, 1, 0, 'a', 2, 0, 'b', 'b', 0, 0, 1, 0, 1, 0, 'c' };

static void check_globs(void)
{
	const struct {
		const char *what, *string;
		size_t size; /* of the glob */
		uint64_t result;
	} cases[] = {
		{ "a glob matches", "a-bb-c", 16, 1 },
		{ "with nothing between", "abbc", 16, 1 },
		{ "not without a part", "ab-c", 16, 0 },
		{ "not without its end", "a-bb-", 16, 0 },
		{ "not without its beginning", "-bb-c", 16, 0 },
		{ "not an empty string", "", 16, 0 },
		{ "a glob that is cut in its last part", "abbc", 15, ENDS },
		{ "or before it", "abbc", 13, ENDS },
		{ "or in its table", "abbc", 12, ENDS },
		{ "or in its first part", "abbc", 4, ENDS },
		{ "or in its count", "abbc", 1, ENDS },
		{ "or is over the pool's end", "abbc", 17, ENDS },
	};
	uint8_t bad[16];
	const uint64_t all[4] = { 0, NUL, 0, 16 };

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t arguments[4] = { 0, NUL, 0, cases[i].size };

		check_call(cases[i].what, LTTNGMAP_FILTER_STRING_GLOB, arguments, cases[i].string,
			   strlen(cases[i].string) + 1, glob, 16, cases[i].result);
	}
	memcpy(bad, glob, 16);
	bad[0] = 1;
	check_call("a glob of one part is none", LTTNGMAP_FILTER_STRING_GLOB, all, "abbc", 5, bad,
		   16, ENDS);
	memcpy(bad, glob, 16);
	bad[9] = 255;
	check_call("a table that points outside is not followed", LTTNGMAP_FILTER_STRING_GLOB, all,
		   "ab-b-bb-c", 10, bad, 16, 1);
	memcpy(bad, glob, 16);
	bad[9] = 1;
	check_call("nor one that leads nowhere", LTTNGMAP_FILTER_STRING_GLOB, all, "ab-b-bb-c", 10,
		   bad, 16, 1);
	memcpy(bad, glob, 16);
	bad[5] = 0;
	check_call("a part of nothing in the middle is none", LTTNGMAP_FILTER_STRING_GLOB, all,
		   "abbc", 5, bad, 16, ENDS);
	check_call("a string without its NUL", LTTNGMAP_FILTER_STRING_GLOB, all, "abbc", 4, glob,
		   16, ENDS);
	{
		const uint64_t arguments[4] = { 4, CONTEXT, 0, 16 };

		check_call("a context unknown", LTTNGMAP_FILTER_STRING_GLOB, arguments, "", 0, glob,
			   16, LTTNGMAP_FILTER_NO_VALUE);
	}
}

/* Backtracking would be felt here: a^4000 against *a^600b*a^600b*. */
static void check_glob_time(void)
{
	static char fields[4001];
	uint8_t *to = asm_pool;
	uint16_t part = 600, borders[600], zero = 0, parts = 4;

	memset(fields, 'a', 4000);
	asm_begin();
	for (unsigned i = 0; i < 600; i++)
		borders[i] = (uint16_t)(i == 599 ? 0 : i);
	to = mempcpy(to, &parts, 2);
	to = mempcpy(to, &zero, 2);
	for (unsigned i = 0; i < 2; i++) {
		to = mempcpy(to, &part, 2);
		memset(to, 'a', 599);
		to[599] = 'b';
		to = mempcpy(to + 600, borders, sizeof(borders));
	}
	to = mempcpy(to, &zero, 2);
	asm_program.header.pool_size = (uint32_t)(to - asm_pool + 7) & ~7u;
	for (unsigned i = 0; i < 400; i++)
		asm_call(LTTNGMAP_FILTER_STRING_GLOB, 0, NUL, 0, (uint64_t)(to - asm_pool));
	asm_add_test(0);
	ok(asm_run(fields, sizeof(fields), NULL),
	   "400 globs that nearly match everywhere end soon");
}

static uint64_t bits(double value)
{
	uint64_t result;

	memcpy(&result, &value, sizeof(result));
	return result;
}

static void check_floats(void)
{
	float widened[] = { 1.5f, -0.0f, 1e-40f, -1.17549435e-38f, __builtin_inff(), 3.4e38f };
	const uint64_t unsigneds[] = {
		0,          1,          1ull << 53,          (1ull << 53) + 1,   (1ull << 53) + 3,
		UINT64_MAX, 1ull << 63, (1ull << 63) + 1024, (1ull << 63) + 1025
	};
	const struct {
		const char *what;
		unsigned helper;
		double a, b;
		uint64_t result;
	} cases[] = {
		{ "1 == 1", LTTNGMAP_FILTER_FLOAT_EQUAL, 1, 1, 1 },
		{ "0 == -0", LTTNGMAP_FILTER_FLOAT_EQUAL, 0, -0.0, 1 },
		{ "NaN == NaN", LTTNGMAP_FILTER_FLOAT_EQUAL, __builtin_nan(""), __builtin_nan(""),
		  0 },
		{ "-1 < 1", LTTNGMAP_FILTER_FLOAT_LESS, -1, 1, 1 },
		{ "-1 < -2", LTTNGMAP_FILTER_FLOAT_LESS, -1, -2, 0 },
		{ "-inf < -1e308", LTTNGMAP_FILTER_FLOAT_LESS, -__builtin_inf(), -1e308, 1 },
		{ "NaN < 1", LTTNGMAP_FILTER_FLOAT_LESS, __builtin_nan(""), 1, 0 },
		{ "1 <= 1", LTTNGMAP_FILTER_FLOAT_LESS_EQUAL, 1, 1, 1 },
		{ "1 <= NaN", LTTNGMAP_FILTER_FLOAT_LESS_EQUAL, 1, __builtin_nan(""), 0 },
		{ "0.1 + 0.2", LTTNGMAP_FILTER_FLOAT_ADD, 0.1, 0.2, bits(0.1 + 0.2) },
		{ "1 - 0.9", LTTNGMAP_FILTER_FLOAT_SUB, 1, 0.9, bits(1 - 0.9) },
		{ "0.1 * 3", LTTNGMAP_FILTER_FLOAT_MUL, 0.1, 3, bits(0.1 * 3) },
		{ "1 / 3", LTTNGMAP_FILTER_FLOAT_DIV, 1, 3, bits(1.0 / 3) },
		{ "1 / 0", LTTNGMAP_FILTER_FLOAT_DIV, 1, 0, bits(__builtin_inf()) },
	};
	unsigned wrong = 0;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t arguments[4] = { bits(cases[i].a), bits(cases[i].b) };

		check_call(cases[i].what, cases[i].helper, arguments, "", 0, "", 0,
			   cases[i].result);
	}
	for (unsigned i = 0; i < sizeof(widened) / sizeof(widened[0]); i++) {
		uint32_t narrow;

		memcpy(&narrow, &widened[i], sizeof(narrow));
		asm_begin();
		asm_call(LTTNGMAP_FILTER_FLOAT_FROM_FLOAT32, narrow, 0, 0, 0);
		asm_add_test(bits((double)widened[i]));
		wrong += !asm_run("", 0, NULL);
	}
	is(wrong, 0, "floats are widened as the processor does");
	for (unsigned i = 0; i < sizeof(unsigneds) / sizeof(unsigneds[0]); i++) {
		asm_begin();
		asm_call(LTTNGMAP_FILTER_FLOAT_FROM_UNSIGNED, unsigneds[i], 0, 0, 0);
		asm_add_test(bits((double)unsigneds[i]));
		wrong += !asm_run("", 0, NULL);
		asm_begin();
		asm_call(LTTNGMAP_FILTER_FLOAT_FROM_SIGNED, unsigneds[i], 0, 0, 0);
		asm_add_test(bits((double)(int64_t)unsigneds[i]));
		wrong += !asm_run("", 0, NULL);
	}
	is(wrong, 0, "integers become doubles as the processor makes them");
}

/* The traced thread may have any floating-point environment, and must keep it. */
static void check_float_environment(void)
{
	const uint64_t arguments[4] = { bits(1), bits(0) };

	feclearexcept(FE_ALL_EXCEPT);
	fesetround(FE_UPWARD);
	feenableexcept(FE_DIVBYZERO | FE_INEXACT | FE_INVALID);
	asm_begin();
	asm_call(LTTNGMAP_FILTER_FLOAT_DIV, arguments[0], bits(0), 0, 0);
	asm_call(LTTNGMAP_FILTER_FLOAT_DIV, arguments[0], bits(3), 0, 0);
	asm_add_test(0x3fd5555555555555); /* 1/3 to nearest */
	ok(asm_run("", 0, NULL),
	   "a program that traps on 1/0 and rounds upward is filtered as any");
	ok(fetestexcept(FE_ALL_EXCEPT) == 0 && fegetround() == FE_UPWARD &&
		   fegetexcept() == (FE_DIVBYZERO | FE_INEXACT | FE_INVALID),
	   "and finds nothing changed");
	fedisableexcept(FE_ALL_EXCEPT);
	fesetround(FE_TONEAREST);
}

static void check_contexts(void)
{
	asm_begin();
	asm_call(LTTNGMAP_FILTER_CONTEXT_NUMBER, 1, 0, 0, 0);
	asm_add(ALU(MUL) | X, 0, 1, 0, 0);
	asm_add_test(77);
	ok(asm_run("", 0, &asm_contexts),
	   "a context's value is in r0, and r1 says that there is one");
	asm_begin();
	asm_call(LTTNGMAP_FILTER_CONTEXT_NUMBER, 9, 0, 0, 0);
	asm_add(ALU(MOV) | X, 0, 1, 0, 0);
	asm_add_test(0);
	ok(asm_run("", 0, &asm_contexts), "or that there is none");
	asm_size = 0;
	ok(asm_run("", 0, NULL), "as where there are no contexts");
}

/* ---- maps -------------------------------------------------------------------- */

static void check_buckets(void)
{
	unsigned wrong = 0;

	for (uint32_t bucket = 0; bucket < LTTNGMAP_FILTER_BUCKETS; bucket++) {
		uint64_t begin = lttngmap_filter_bucket_begin(bucket);
		uint64_t next = bucket + 1 < LTTNGMAP_FILTER_BUCKETS
					? lttngmap_filter_bucket_begin(bucket + 1)
					: 0;

		wrong += lttngmap_filter_bucket(begin) != bucket ||
			 lttngmap_filter_bucket(next - 1) != bucket || (next && next <= begin) ||
			 next - 1 - begin > begin / 32;
	}
	is(wrong, 0, "each bucket is where it begins, and 1/32 wide at most");
	is(lttngmap_filter_bucket(UINT64_MAX), LTTNGMAP_FILTER_BUCKETS - 1, "the last one");
}

/* The key of a map's filter that is one KEY, by the machine and by a word that has all of it. */
static bool key_of(unsigned kind, unsigned integer, int offset, uint64_t *key)
{
	static const uint8_t fields[16] = { 1,    2,    3,    4,    0xff, 0xff, 0xff, 0xff,
					    0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct filter_key by_machine;
	uint64_t add = 99;
	bool found, found_by_word;

	asm_begin();
	asm_add(LTTNGMAP_FILTER_KEY | kind, integer, 0, offset, 0);
	asm_put();
	found = filter_run_map(asm_filter, asm_size, fields, sizeof(fields), NULL, &by_machine,
			       &add);
	found_by_word =
		filter_key_of_word(lttngmap_filter_key_word((uint8_t)(LTTNGMAP_FILTER_KEY | kind),
							    (uint8_t)integer, (uint16_t)offset),
				   fields, sizeof(fields), key);
	return found && found_by_word && by_machine.key == *key && by_machine.size == 0 && add == 0;
}

static void check_keys(void)
{
	uint64_t key;

	ok(key_of(LTTNGMAP_FILTER_KEY_NONE, 0, 0, &key) && key == 0, "no key is 0");
	ok(key_of(LTTNGMAP_FILTER_KEY_FIELD, 1, 0, &key) && key == 0x201, "a field is a key");
	ok(key_of(LTTNGMAP_FILTER_KEY_FIELD, 2 | LTTNGMAP_FILTER_SIGNED, 4, &key) && key == -1ull,
	   "  ... with its sign");
	ok(key_of(LTTNGMAP_FILTER_KEY_FIELD, 3 | LTTNGMAP_FILTER_UNSIGNED, 8, &key) && key == -2ull,
	   "  ... of 64 bits");
	ok(key_of(LTTNGMAP_FILTER_KEY_BUCKET, 1, 0, &key) && key == lttngmap_filter_bucket(0x201),
	   "its bucket is");
	ok(key_of(LTTNGMAP_FILTER_KEY_BUCKET, 2 | LTTNGMAP_FILTER_SIGNED, 4, &key) && key == 0,
	   "  ... the first one below 0");
	ok(!key_of(LTTNGMAP_FILTER_KEY_FIELD, 3, 9, &key), "a field beyond the record is none");
	ok(!key_of(0x18, 3, 0, &key), "nor is what is no kind of key");
}

/* A key of parts, by calls of `helper` with three arguments each; the last call is of 0. */
struct part_call {
	int helper;
	uint64_t a, b, c;
};

static bool text_of(const struct part_call *calls, const char *fields, size_t size,
		    struct filter_key *key)
{
	uint64_t add;

	asm_begin();
	for (; calls->helper; calls++)
		asm_call(calls->helper, calls->a, calls->b, calls->c, 0x1234567890abcdef);
	asm_set(2, 7);
	asm_add(ALU(MOV), 0, 0, 0, 1);
	asm_add_exit();
	asm_put();
	return filter_run_map(asm_filter, asm_size, fields, size, &asm_contexts, key, &add) &&
	       add == 7;
}

#define KEY_NUMBER LTTNGMAP_FILTER_KEY_NUMBER
#define KEY_STRING LTTNGMAP_FILTER_KEY_STRING

static void check_texts(void)
{
	static const char fields[] = "alpha\0alphabet\0alpha\0\xffz";
	static const char two[] = "\x03\x05"
				  "alpha\x01\xfe\xff\xff\xff\xff\xff\xff\xff";
	struct filter_key a, b;
	uint64_t cut;

#define TEXT(key, ...)                                                                             \
	text_of((struct part_call[]){ __VA_ARGS__, { 0 } }, fields, sizeof(fields) - 1, key)
	ok(TEXT(&a, { KEY_STRING, 0, NUL, 90 }) && a.size == 7 &&
		   memcmp(a.text,
			  "\x03\x05"
			  "alpha\0\0",
			  9) == 0,
	   "a string is a key");
	ok(TEXT(&b, { KEY_STRING, 15, NUL, 90 }) && a.key == b.key, "  ... the same elsewhere");
	ok(TEXT(&b, { KEY_STRING, 6, NUL, 90 }) && a.key != b.key, "  ... and another is another");
	ok(TEXT(&b, { KEY_STRING, 6, NUL, 5 }) && b.size == 7 &&
		   memcmp(b.text,
			  "\x04\x05"
			  "alpha\0\0",
			  9) == 0 &&
		   a.key != b.key,
	   "one that is longer is cut, which its kind tells");
	cut = b.key;
	ok(TEXT(&b, { KEY_STRING, 6, NUL, 4 }) && cut == b.key,
	   "  ... and its hash is of all of it");
	ok(TEXT(&a, { KEY_STRING, 0, NUL, 40 }, { KEY_NUMBER, -2ull, 0, 0 }) && a.size == 16 &&
		   memcmp(a.text, two, 17) == 0,
	   "a string and a number are a key");
	ok(TEXT(&b, { KEY_STRING, 0, NUL, 40 }, { KEY_NUMBER, -2ull, 1, 0 }) && a.key != b.key,
	   "  ... whose sign counts");
	ok(TEXT(&b, { KEY_NUMBER, -2ull, 0, 0 }, { KEY_STRING, 0, NUL, 40 }) && a.key != b.key,
	   "  ... and whose order");
	ok(TEXT(&a, { KEY_STRING, 2, 3, 40 }) && memcmp(a.text,
							"\x03\x03"
							"pha\0",
							6) == 0,
	   "a text without a NUL is a key");
	ok(!TEXT(&a, { KEY_STRING, 21, NUL, 40 }) && !TEXT(&a, { KEY_STRING, 99, NUL, 40 }),
	   "a string that does not end is none, nor one outside");
	ok(!TEXT(&a, { KEY_NUMBER, 1, 0, 0 }, { KEY_NUMBER, 1, 0, 0 }, { KEY_NUMBER, 1, 0, 0 },
		 { KEY_NUMBER, 1, 0, 0 }, { KEY_NUMBER, 1, 0, 0 }, { KEY_NUMBER, 1, 0, 0 },
		 { KEY_NUMBER, 1, 0, 0 }, { KEY_NUMBER, 1, 0, 0 }, { KEY_NUMBER, 1, 0, 0 },
		 { KEY_NUMBER, 1, 0, 0 }, { KEY_NUMBER, 1, 0, 0 }),
	   "more than a key has room for is none");
	ok(!filter_run(asm_filter, asm_size, fields, sizeof(fields), NULL),
	   "a filter makes no key");
}

int main(void)
{
	check_texts();
	check_buckets();
	check_keys();
	check_alu();
	check_unary();
	check_jumps();
	check_loads();
	check_tests();
	check_outside();
	check_stack();
	check_skips();
	check_compares();
	check_globs();
	check_glob_time();
	check_floats();
	check_float_environment();
	check_contexts();
	return done_testing();
}
