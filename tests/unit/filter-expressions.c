/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-expressions.c - what expressions say of four records: as written down
 * by hand here, as the oracle finds it, and as compiled and run.
 */
#include "tests/utils/filter-check.h"
#include "tests/utils/filter-oracle.h"
#include "tests/utils/tap.h"

static const struct {
	const char *text;
	const char *expected; /* a digit for each of filter_records */
} cases[] = {
	/* Each integer field, equal to and in order with constants. */
	{ "i8 == 5", "1000" },
	{ "i8 == -5", "0100" },
	{ "i8 == -128", "0001" },
	{ "i8 == 251", "0000" },
	{ "i8 < 0", "0101" },
	{ "u8 == 251", "0100" },
	{ "u8 == -5", "0000" },
	{ "u8 >= 251", "0101" },
	{ "i16 == -300", "0100" },
	{ "i16 > 299", "1010" },
	{ "u16 == 65535", "0100" },
	{ "u16 != 65535", "1011" },
	{ "i32 == 5", "1000" },
	{ "i32 == -1", "0100" },
	{ "i32 == 4294967295", "0000" },
	{ "i32 == 2147483647", "0010" },
	{ "i32 == -2147483648", "0001" },
	{ "i32 > -2", "1110" },
	{ "i32 <= 5", "1101" },
	{ "u32 == 4294967295", "0100" },
	{ "u32 == 0xffffffff", "0100" },
	{ "u32 > 0x7fffffff", "0101" },
	{ "u32 == -1", "0000" },
	{ "i64 == -1", "0100" },
	{ "i64 < 0", "0101" },
	{ "i64 == 9223372036854775807", "0010" },
	{ "i64 == -9223372036854775807 - 1", "0001" },
	{ "u64 == 18446744073709551615", "0100" },
	{ "u64 > 5", "0101" },
	{ "u64 >= 5", "1101" },
	{ "u64 < 5", "0010" },
	{ "u64 <= 5", "1010" },
	{ "u64 == 0x8000000000000000", "0001" },
	{ "n16 == 0x1234", "1000" },
	{ "n16 > 1", "1001" },
	{ "n32 == -5", "0100" },
	{ "n32 == 5", "1000" },
	{ "n32 == 0x01020304", "0001" },
	{ "n64 == 1", "0001" },
	{ "n64 > 0x7fffffffffffffff", "0100" },
	{ "tail == 7", "1000" },
	{ "tail < 0", "0100" },
	{ "last == 42", "1000" },
	{ "last == 0xffffffffffffffffull", "0001" },

	/* Constants in all their spellings. */
	{ "i32 == 05", "1000" },
	{ "i32 == 0x5", "1000" },
	{ "i32 == 5u", "1000" },
	{ "i32 == 5L", "1000" },
	{ "i32 == 5ull", "1000" },
	{ "i32 == 5LLU", "1000" },
	{ "i16 == 0454", "1000" },
	{ "i32 == '\\005'", "1000" },
	{ "i32 == '\\x05'", "1000" },
	{ "i8 == 'a' - 92", "1000" },
	{ "tail == '\\a'", "1000" },
	{ "i32 == +5", "1000" },
	{ "5 == i32", "1000" },
	{ "1", "1111" },
	{ "0", "0000" },
	{ "1.5", "1111" },
	{ "0.0", "0000" },
	{ "-0.0", "0000" },
	{ "2 > 1", "1111" },
	{ "2 > 1 > 1", "0000" },
	{ " \t( ( i32 ) )\n== 5 ", "1000" },

	/* Signed beside unsigned: by value. */
	{ "u64 > -1", "1111" },
	{ "u64 == -1", "0000" },
	{ "u64 != -1", "1111" },
	{ "-1 < u64", "1111" },
	{ "u64 < -1", "0000" },
	{ "i64 < u64", "0101" },
	{ "i64 == u64", "1000" },
	{ "i64 != u64", "0111" },
	{ "u64 >= i64", "1101" },
	{ "u64 > i64", "0101" },
	{ "u64 <= i64", "1010" },
	{ "i64 > u64", "0010" },
	{ "i64 < 18446744073709551615", "1111" },
	{ "i64 == 18446744073709551615", "0000" },
	{ "i64 >= 0x8000000000000000", "0000" },
	{ "i32 < u32", "0101" },
	{ "i32 == u32", "1000" },
	{ "i32 < u64", "0101" },
	{ "u64 == last", "0000" },

	/* Arithmetic: C's, and wraps around. */
	{ "i32 + 1 == 6", "1000" },
	{ "i32 - 6 == -1", "1000" },
	{ "i32 * 2 == 10", "1000" },
	{ "i32 / 2 == 2", "1000" },
	{ "i32 % 3 == 2", "1000" },
	{ "i8 / 2 == -2", "0100" },
	{ "i8 % 3 == -2", "0101" },
	{ "i64 / -1 == -5", "1000" },
	{ "i64 / -1 == i64", "0001" },
	{ "i64 % -1 == 0", "1111" },
	{ "i64 + 1 < 0", "0011" },
	{ "i64 * i64 == 25", "1000" },
	{ "u64 / 2 == 0x7fffffffffffffff", "0100" },
	{ "u64 + 1 == 0", "0100" },
	{ "u64 - 1 > u64", "0010" },
	{ "u64 % 10 == 5", "1100" },
	{ "i32 * 4294967296 == 21474836480", "1000" },
	{ "100 - i32 == 95", "1000" },
	{ "100 / i32 == 20", "1000" },
	{ "2 + 3 * 4 == 14", "1111" },
	{ "(2 + 3) * 4 == 20", "1111" },
	{ "10 - 4 - 3 == 3", "1111" },
	{ "100 / 10 / 5 == 2", "1111" },
	{ "-i32 == -5", "1000" },
	{ "- - i32 == 5", "1000" },
	{ "-i64 == i64", "0001" },
	{ "~i32 == -6", "1000" },
	{ "~u64 == 0", "0100" },
	{ "u8 + u16 + u32 == 310", "1000" },
	{ "u8 * (u16 + u32) - i8 == 1520", "1000" },
	{ "(i32 == 5) + (u8 == 5) + (name == \"main\") == 3", "1000" },
	{ "(i32 == 5) == 1", "1000" },
	{ "!i32 + 1 == 1", "1111" },

	/* Division by what is 0 in the record: not recorded, and no side is taken. */
	{ "100 / u8 > 0", "1000" },
	{ "100 / u8 >= 0", "1101" },
	{ "100 / u8 == 0 || 1", "1101" },
	{ "1 || 100 / u8 == 0", "1111" },
	{ "!(100 % u8 == 77)", "1101" },
	{ "u8 != 0 && 100 / u8 == 20", "1000" },
	{ "u64 / u64 == 1", "1101" },
	{ "u64 % u64 == 0", "1101" },

	/* Bits and shifts. */
	{ "(u8 & 4) == 4", "1001" },
	{ "(u8 | 2) == 7", "1000" },
	{ "(u8 ^ 1) == 4", "1000" },
	{ "u8 & 4", "1001" },
	{ "u8 & 4 && i32 == 5", "1000" },
	{ "u8 << 2 == 20", "1000" },
	{ "i8 >> 1 == -3", "0100" },
	{ "u64 >> 63 == 1", "0101" },
	{ "i64 >> 63 == -1", "0101" },
	{ "1 << u8 == 32", "1000" },
	{ "1 << i8 == 32", "1000" },
	{ "!(1 << i8 == 7)", "1000" },
	{ "i64 << 63 == 0", "0001" },
	{ "1 << 2 << 3 == 32", "1111" },
	{ "1 + 1 << 2 == 8", "1111" },
	{ "u64 & 0x8000000000000000", "0101" },

	/* Precedence: C's. LTTng would take the bits first. */
	{ "u8 & 4 == 4", "1101" },
	{ "4 == u8 & 4", "0000" },
	{ "u8 | 0 == 1", "1101" },
	{ "1 | 2 ^ 3 & 4", "1111" },
	{ "(1 | 2 ^ 3 & 4) == 3", "1111" },
	{ "(6 ^ 2 | 1) == 5", "1111" },
	{ "(7 ^ 2 & 3) == 5", "1111" },
	{ "i32 == 5 || i32 == -1 && u8 == 0", "1000" },
	{ "(i32 == 5 || i32 == -1) && u8 == 0", "0000" },
	{ "0 && 0 || 1", "1111" },
	{ "1 || 0 && 0", "1111" },
	{ "1 < 2 == 1", "1111" },
	{ "3 > 2 > 1 == 0", "1111" },
	{ "!0 == 1", "1111" },
	{ "!(0 == 1)", "1111" },
	{ "!i32 == 5", "0000" },
	{ "-1 * 2 + 3 << 1 < 3 == 1", "1111" },
	{ "~0 << 1 == -2", "1111" },

	/* Logic. */
	{ "i32 == 5 && u8 > 3", "1000" },
	{ "i32 == 5 && u8 > 5", "0000" },
	{ "i32 == 5 || u8 == 251", "1100" },
	{ "!(i32 == 5)", "0111" },
	{ "!(i32 == 5 || u8 == 251)", "0011" },
	{ "!(i32 == 5 && u8 == 5)", "0111" },
	{ "!!i32", "1111" },
	{ "!u8", "0010" },
	{ "u8", "1101" },
	{ "u8 && i8 && last", "1001" },
	{ "i32 == 5 && 0", "0000" },
	{ "i32 == 5 || 1", "1111" },
	{ "(i32 == 5 || u8 == 0) && (u16 == 300 || u16 == 0) && !(i8 == 127)", "1000" },
	{ "!(!(i32 == 5) && !(u8 == 0))", "1010" },

	/* Floating point. */
	{ "f32 == 1.5", "1000" },
	{ "f32 < 0", "0100" },
	{ "f32 >= 0", "1010" },
	{ "f32 != 1.5", "0111" },
	{ "f32 == f32", "1110" },
	{ "!(f32 >= 0)", "0101" },
	{ "f32", "1101" },
	{ "!f32", "0010" },
	{ "f64 == 2.5", "1000" },
	{ "f64 == 0", "0100" },
	{ "f64 > 1e299", "0011" },
	{ "f64 > 1.7e308", "0001" },
	{ "f64", "1011" },
	{ "nf64 == .1", "1000" },
	{ "nf64 <= -2", "0100" },
	{ "nf64 == 0x0p0", "0010" },
	{ "f64 + f32 == 4", "1000" },
	{ "f64 - f32 == 1.", "1000" },
	{ "f64 * 2 == i32", "1000" },
	{ "i32 == f64 * 2", "1000" },
	{ "f64 / 0 > 1e300", "1011" },
	{ "f32 / f32 == 1", "1100" },
	{ "-f32 == -1.5", "1000" },
	{ "-f64 == 0", "0100" },
	{ "u64 > 1.8e19", "0100" },
	{ "i64 < -9.2e18", "0001" },
	{ "i32 / 2 * 1.0 == 2", "1000" },
	{ "i32 / 2.0 == 2.5", "1000" },
	{ "1e3 == 1000", "1111" },
	{ "2.5 < f64", "0011" },
	{ "2.5 >= f64", "1100" },
	{ "f64 && f32", "1001" },

	/* Enumerations, by number and by label. */
	{ "color == 0", "1000" },
	{ "color == \"RED\"", "1000" },
	{ "color != \"RED\"", "0111" },
	{ "color == \"GREEN\"", "0100" },
	{ "\"BLUE\" == color", "0010" },
	{ "color == \"*E*\"", "1110" },
	{ "color != \"*E*\"", "0001" },
	{ "color == \"light blue\"", "0000" },
	{ "color > 4", "0011" },
	{ "color + 1 == 3", "0100" },
	{ "state == \"BAD\"", "1000" },
	{ "state == \"OK\" || state == \"HUGE\"", "0110" },
	{ "!(state == \"BAD\")", "0111" },
	{ "state != \"*\"", "0001" },
	{ "state < 0", "1000" },
	{ "wide == \"BAD\"", "0000" },
	{ "wide == \"OK\"", "0010" },
	{ "wide != \"OK\"", "1101" },

	/* Strings, of each kind. */
	{ "name == \"main\"", "1000" },
	{ "name != \"main\"", "0111" },
	{ "\"main\" == name", "1000" },
	{ "name == \"\"", "0100" },
	{ "name != \"\"", "1011" },
	{ "name == \"mai\"", "0000" },
	{ "name == \"main.\"", "0000" },
	{ "name == \"path/to/file.c\"", "0010" },
	{ "text == \"hello\"", "1000" },
	{ "text == \"12345678\"", "0100" },
	{ "text == \"1234567\"", "0000" },
	{ "text == \"123456789\"", "0000" },
	{ "text == \"\"", "0010" },
	{ "tseq == \"hello\"", "1000" },
	{ "tseq == \"\"", "0100" },
	{ "tseq != \"xxxyz\"", "1110" },
	{ "other == \"zz\"", "0001" },
	{ "name < \"n\"", "1101" },
	{ "name >= \"main\"", "1010" },
	{ "name > \"main\"", "0010" },
	{ "name <= \"main\"", "1101" },
	{ "\"main\" < name", "0010" },
	{ "name == other", "1010" },
	{ "name != other", "0101" },
	{ "text == tseq", "1000" },
	{ "tseq == text", "1000" },
	{ "name < other", "0101" },
	{ "other > tseq", "1111" },
	{ "text > name", "0100" },

	/* Globs. */
	{ "name == \"*\"", "1111" },
	{ "name != \"*\"", "0000" },
	{ "name == \"m*\"", "1000" },
	{ "name == \"*n\"", "1000" },
	{ "name == \"*ai*\"", "1000" },
	{ "name == \"m*n\"", "1000" },
	{ "name == \"ma*in\"", "1000" },
	{ "name == \"mai*in\"", "0000" },
	{ "name == \"*/to/*.c\"", "0010" },
	{ "name == \"*t*t*\"", "0010" },
	{ "name == \"*t*t*t*\"", "0000" },
	{ "name == \"***main***\"", "1000" },
	{ "name != \"*a*\"", "0100" },
	{ "\"m*\" == name", "1000" },
	{ "text == \"*8\"", "0100" },
	{ "text == \"*5678*\"", "0100" },
	{ "text == \"1*4*8\"", "0100" },
	{ "tseq == \"*l*l*\"", "1000" },
	{ "tseq == \"*xxy*\"", "0001" },
	{ "tseq == \"*xxxxy*\"", "0000" },
	{ "tseq == \"*xy*xy*\"", "0000" },
	{ "tseq == \"h*\" && text == \"h*\"", "1000" },

	/* Escapes. */
	{ "name == \"a\\*b*\"", "0001" },
	{ "name == \"a\\*b\\\\c\\\"\"", "0001" },
	{ "name == \"a\\*\"", "0000" },
	{ "text == \"a\\*b\"", "0001" },
	{ "text == \"a\\x2ab\"", "0001" },
	{ "text == \"a\\052b\"", "0001" },
	{ "text == \"\\x61\\52b\"", "0001" },
	{ "name == \"\\155ain\"", "1000" },
	{ "name == \"mai\\n\"", "0000" },
	{ "name == \"main\\?\"", "0000" },

	/* Elements. */
	{ "arr[0] == 1", "1000" },
	{ "arr[1] == -2", "1000" },
	{ "arr[3] == 8", "0001" },
	{ "arr[2] < 0", "0010" },
	{ "arr[ 1 + 1 ] == 3", "1000" },
	{ "arr[0] + arr[1] + arr[2] + arr[3] == 26", "0001" },
	{ "seq[0] == 10", "1000" },
	{ "seq[2] == 30", "1000" },
	{ "seq[0] == -1", "0010" },
	{ "seq[4] == 5", "0001" },
	{ "seq[0]", "1011" },
	{ "nseq[0] == 1", "1000" },
	{ "nseq[0] == 256", "0001" },
	{ "nseq[0] > 255", "0011" },

	/* An element beyond the end: its comparison is false. */
	{ "seq[1] == 20", "1000" },
	{ "seq[1] != 20", "0001" },
	{ "!(seq[1] == 20)", "0111" },
	{ "seq[1] == 20 || i32 == -1", "1100" },
	{ "seq[1] < 1000 || u8 == 0", "1011" },
	{ "!seq[3]", "1110" },
	{ "seq[1] + 1 == seq[1] + 1", "1001" },
	{ "(seq[1] == 20) + 1 == 1", "0111" },
	{ "seq[100] == 0 || seq[4294967296] == 0 || seq[0xffffffffffffffff] == 0", "0000" },
	{ "seq[1] == 1 / (u8 - u8)", "0000" },
	{ "!(seq[1] == 1 / (u8 - u8))", "0110" },
	{ "seq[1] > 0.5", "1001" },
	{ "seq[1] && tail > 0", "1001" },

	/* What comes behind strings and sequences is found, once and again. */
	{ "tail == 7 && tail < 8 && last == 42", "1000" },
	{ "seq[0] == 99 || tail == -7", "0100" },
	{ "i32 == 5 && tail == 7 || last == 0", "1100" },
	{ "i32 == 77 && last == 1 || other == \"x\" || last == 1", "0110" },
	{ "seq[2] == 30 && tseq == \"hello\" && nseq[1] == 2 && other == name", "1000" },
	{ "(seq[1] == 20) * tail + (nseq[1] == 2) * last == 49", "1000" },
	{ "!(seq[4] == 5) && last != 42", "0110" },

	/* Contexts. */
	{ "$ctx.vpid == 1234", "1111" },
	{ "$ctx.vpid != 1234", "0000" },
	{ "$ctx.vpid == 1234 && i32 == 5", "1000" },
	{ "$ctx.cpu_id < 2", "1111" },
	{ "$ctx.cpu_id == u8 - 4", "1000" },
	{ "$ctx.procname == \"main\"", "1111" },
	{ "$ctx.procname == \"m*\"", "1111" },
	{ "$ctx.procname != \"m*\"", "0000" },
	{ "$ctx.procname == name", "1000" },
	{ "name == $ctx.procname", "1000" },
	{ "name < $ctx.procname", "0101" },
	{ "$ctx.ratio == .5", "1111" },
	{ "$ctx.ratio * u8 == 2.5", "1000" },
	{ "$ctx.perf:none > 0", "0000" },
	{ "!($ctx.perf:none > 0)", "1111" },
	{ "$ctx.perf:none >= 0 || u8 == 0", "0010" },
	{ "$ctx.nostring == \"\"", "0000" },
	{ "$ctx.nostring != \"\"", "0000" },
	{ "$ctx.nostring != \"a*\" || i32 == 5", "1000" },
	{ "$ctx.nostring < name", "0000" },
};

static uint8_t packed[FILTER_RECORDS][512];
static size_t sizes[FILTER_RECORDS];

static void check(const char *text, const char *expected)
{
	char machine[FILTER_RECORDS + 1] = "", oracle[FILTER_RECORDS + 1] = "";
	struct filter_expression *expression;
	struct filter_program *program;
	struct filter_error error;
	bool passed;

	if (filter_expression_parse(text, &expression, &error) < 0) {
		ok(false, "%s", text);
		diag("column %u: %s", error.column, error.message);
		return;
	}
	if (filter_compile(expression, &filter_class, &filter_known_contexts, &program, &error) <
	    0) {
		ok(false, "%s", text);
		diag("column %u: %s", error.column, error.message);
		filter_expression_destroy(expression);
		return;
	}
	passed = filter_check(program->bytes, program->size);
	for (unsigned i = 0; i < FILTER_RECORDS; i++) {
		machine[i] = filter_run_checked(program->bytes, program->size, packed[i], sizes[i],
						&filter_test_contexts)
				     ? '1'
				     : '0';
		oracle[i] = filter_oracle(text, &filter_records[i]) ? '1' : '0';
	}
	if (!ok(passed && strcmp(machine, expected) == 0 && strcmp(oracle, expected) == 0, "%s",
		text))
		diag("expected %s, machine %s, oracle %s%s", expected, machine, oracle,
		     passed ? "" : ", not a valid program");
	filter_program_destroy(program);
	filter_expression_destroy(expression);
}

/* Of record 0, i8, other and last are known: 5, "main", 42. */
static void check_partly(void)
{
	static const struct {
		const char *text;
		bool may_pass;
	} partly[] = {
		{ "last == 42", true },
		{ "last == 41", false },
		{ "i8 == 6", false },
		{ "i8 == 5 && u8 == 77", true },
		{ "i8 == 6 && u8 == 77", false },
		{ "i8 == 6 || u8 == 77", true },
		{ "i8 == 6 && $ctx.cpu_id == 1", false },
		{ "i8 == 5 && $ctx.cpu_id == 1", true },
		{ "i8 == 5 && $ctx.nostring == \"x\"", true },
		{ "u8 == 77", true },
		{ "f32 > 1e30", true },
		{ "other == \"main\"", true },
		{ "other == \"x\"", false },
		{ "other == \"ma*\"", true },
		{ "other == \"mb*\"", false },
		{ "(other == \"x\" || other == \"y*\") && name == \"z\"", false },
		{ "(other == \"main\" || other == \"y*\") && name == \"z\"", true },
		{ "name == \"z\"", true },
		{ "name == \"z*\"", true },
		{ "text == \"z\"", true },
		{ "tseq == \"z\"", true },
		{ "seq[0] == 99", true },
	};
	const struct lttngmap_known known[] = { { 0, 1 }, { sizes[0] - 13, sizes[0] } };

	for (unsigned i = 0; i < sizeof(partly) / sizeof(partly[0]); i++) {
		struct filter_expression *expression;
		struct filter_program *program;
		struct filter_error error;

		if (filter_expression_parse(partly[i].text, &expression, &error) < 0 ||
		    filter_compile(expression, &filter_class, &filter_known_contexts, &program,
				   &error) < 0)
			bail_out("%s: %s", partly[i].text, error.message);
		is(filter_may_pass(program->bytes, program->size, packed[0], sizes[0], known, 2),
		   partly[i].may_pass, partly[i].text);
		filter_program_destroy(program);
		filter_expression_destroy(expression);
	}
}

int main(void)
{
	for (unsigned i = 0; i < FILTER_RECORDS; i++)
		sizes[i] = filter_pack(&filter_records[i], packed[i], sizeof(packed[i]));
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(cases[i].text, cases[i].expected);
	check_partly();
	return done_testing();
}
