/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-errors.c - what is no filter, or none for a class: the message and
 * the place it points at.
 */
#include <errno.h>

#include <lttngmap/filter-code.h>

#include "tests/utils/filter-check.h"
#include "tests/utils/filter-record.h"
#include "tests/utils/tap.h"

/* `place` has carets under the text, from the first column to the last. */
struct refused {
	const char *text;
	const char *place;
	const char *message;
};

static const struct refused no_filter[] = {
	{ "", "^", "this filter is empty" },
	{ "   ", "   ^", "the filter ends here" },
	{ "i32 ==", "      ^", "a value has to follow" },
	{ "== 5", "^^", "a value has to stand here" },
	{ "i32 == == 5", "       ^^", "a value has to stand here" },
	{ "i32 5", "    ^", "an operator has to stand here" },
	{ "i32 and u8", "    ^^^", "an operator has to stand here" },
	{ "i32 = 5", "    ^", "write '=='" },
	{ "(i32 == 5", "^", "no ')' closes this" },
	{ "(i32 == 5 u8", "          ^^", "an operator or ')'" },
	{ "i32 == 5)", "        ^", "no '(' stands before" },
	{ "arr[1", "   ^", "no ']' closes this" },
	{ "arr[]", "    ^", "a value has to stand here" },
	{ "arr[1)", "     ^", "an operator or ']'" },
	{ "i32 == 5 ]", "         ^", "an operator has to stand here" },
	{ "i32 @ 5", "    ^", "'@' means nothing" },
	{ "i32 ? 1 : 0", "    ^", "'?' means nothing" },
	{ "i32 == \xc3\xa4", "       ^", "the byte 0xc3 means nothing" },
	{ "i32 == \x01", "       ^", "the byte 0x01 means nothing" },
	{ "a.", " ^", "'.' means nothing" },
	{ "i32 * / 2", "      ^", "a value has to stand here" },

	{ "i32 == 5x", "       ^^", "'5x' is no number" },
	{ "i32 == 08", "       ^^", "makes it octal" },
	{ "i32 == 0x", "       ^^", "no hexadecimal digit" },
	{ "i32 == 0xg", "       ^^^", "no hexadecimal digit" },
	{ "i32 == 5uu", "       ^^^", "is no number" },
	{ "i32 == 5lul", "       ^^^^", "is no number" },
	{ "i32 == 18446744073709551616", "       ^^^^^^^^^^^^^^^^^^^^", "over 2^64 - 1" },
	{ "i32 == 0x10000000000000000", "       ^^^^^^^^^^^^^^^^^^^", "over 2^64 - 1" },
	{ "f64 == 1.2.3", "       ^^^^^", "is no number" },
	{ "f64 == 1e", "       ^^", "is no number" },
	{ "f64 == 1e999", "       ^^^^^", "more than a double can hold" },

	{ "name == \"main", "        ^", "no '\"' at its end" },
	{ "name == \"a\\q\"", "          ^^", "'\\' stands before none" },
	{ "name == \"a\\xg\"", "          ^^", "'\\' stands before none" },
	{ "name == \"a\\400\"", "          ^^", "'\\' stands before none" },
	{ "name == \"a\\", "          ^^", "'\\' stands before none" },
	{ "name == \"a\\0b\"", "          ^^", "no string has a byte 0" },
	{ "name == \"a\\x00b\"", "          ^^^^", "no string has a byte 0" },
	{ "name == \"a\tb\"", "          ^", "write it as \\x09" },
	{ "name == 'main'", "        ^", "a character is one byte" },
	{ "i8 == ''", "      ^", "a character is one byte" },
	{ "i8 == 'a", "      ^", "a character is one byte" },
	{ "i8 == '", "      ^", "a character is one byte" },

	{ "$vpid == 1", "^", "$ctx.NAME" },
	{ "$app.a:b == 1", "^", "$ctx.NAME" },
	{ "$ctx. == 1", "^^^^^", "the name of a context has to follow" },
};

static const struct refused wrong_types[] = {
	{ "i32 == \"x\"", "       ^^^",
	  "a number and a string cannot be compared: the field 'i32'" },
	{ "\"x\" == i32", "^^^", "a number and a string" },
	{ "name == 5", "        ^", "a number and a string cannot be compared: the field 'name'" },
	{ "name == i32", "        ^^^", "a number and a string" },
	{ "f64 < name", "      ^^^^", "a number and a string" },
	{ "i32 == 5 && (u8 == 1 || name > 7)", "                               ^",
	  "a number and a string" },
	{ "$ctx.procname == 1", "                 ^", "the context 'procname', a string" },
	{ "$ctx.vpid == \"1\"", "             ^^^", "the context 'vpid', an integer" },
	{ "name", "^^^^", "a string is neither true nor false" },
	{ "\"x\"", "^^^", "a string is neither true nor false" },
	{ "i32 && name", "       ^^^^", "a string is neither true nor false" },
	{ "!name", " ^^^^", "a string is neither true nor false" },
	{ "name + 1 == 2", "^^^^", "'+' calculates with numbers, and this is the field 'name', a" },
	{ "1 - \"x\"", "    ^^^", "'-' calculates with numbers, and this is a string" },
	{ "-name", " ^^^^", "'-' calculates with numbers" },
	{ "~f64", " ^^^", "'~' is for integers, and this is the field 'f64', a floating" },
	{ "~name", " ^^^^", "'~' is for integers" },
	{ "f64 & 1", "^^^", "'&' is for integers" },
	{ "1 | f32", "    ^^^", "'|' is for integers" },
	{ "i32 ^ 1.5", "      ^^^", "'^' is for integers" },
	{ "f64 % 2", "^^^", "'%' is for integers" },
	{ "i32 << 2.0", "       ^^^", "'<<' is for integers" },
	{ "name >> 2", "^^^^", "'>>' is for integers" },
	{ "i32 / 0", "      ^", "a division by 0" },
	{ "i32 % (1 - 1)", "      ^^^^^^^", "a division by 0" },
	{ "1 / 0 == 1", "    ^", "a division by 0" },
	{ "i32 << 64", "       ^^", "a shift is by 0 to 63 bits" },
	{ "i32 >> -1", "       ^^", "a shift is by 0 to 63 bits" },
	{ "arr == 1", "^^^", "has several values: say which, as in arr[0]" },
	{ "seq", "^^^", "has several values" },
	{ "i32[0] == 1", "^^^^^^", "has no elements" },
	{ "name[0] == 'm'", "^^^^^^^", "has no elements" },
	{ "arr[i32] == 1", "    ^^^", "an index has to be a constant" },
	{ "arr[1.0] == 1", "    ^^^", "an index has to be a constant" },
	{ "arr[\"a\"] == 1", "    ^^^", "an index has to be a constant" },
	{ "arr[-1] == 1", "    ^^", "an index is not less than 0" },
	{ "\"a\" == \"a\"", "^^^^^^^^^^", "both sides are constant" },
	{ "name < \"m*\"", "       ^^^^", "'*' stands for any text beside '==' and '!='" },
	{ "color == \"PINK\"", "         ^^^^^^",
	  "'colors' has no label \"PINK\"; its first is \"RED\"" },
	{ "color == \"X*\"", "         ^^^^", "has no label \"X*\"" },
	{ "color < \"RED\"", "^^^^^^^^^^^^^", "labels have no order" },
	{ "color == name", "         ^^^^", "a number and a string" },
	{ "$ctx.nothing == 1", "^^^^^^^^^^^^", "there is no context 'nothing'" },
	/* What is wrong comes before what is missing. */
	{ "none == 1 && i32 == \"x\"", "                    ^^^", "a number and a string" },
};

static const struct {
	struct refused refused;
	const char *field;
} missing[] = {
	{ { "none == 1", "^^^^", "the event 'test:all' has no field 'none'" }, "none" },
	{ { "i32 == 5 || none", "            ^^^^", "no field 'none'" }, "none" },
	{ { "a.b.c == 1", "^^^^^", "no field 'a.b.c'" }, "a.b.c" },
	{ { "none[3] == 1", "^^^^^^^", "no field 'none'" }, "none" },
	{ { "none == \"x\" && none < 1", "^^^^", "no field 'none'" }, "none" },
	{ { "first + second", "^^^^^", "no field 'first'" }, "first" },
	{ { "arr[4] == 1", "^^^^^^", "'arr' of event 'test:all' has 4 elements: the last one" },
	  "arr" },
};

static const struct refused remarks[] = {
	{ "u8 & 4 == 4", "     ^^^^^^", "this '==' is done before the '&'" },
	{ "u8 == 4 | i32", "^^^^^^^", "this '==' is done before the '|'" },
	{ "1 ^ u8 < 4", "    ^^^^^^", "this '<' is done before the '^'" },
	{ "(u8 & 4) == 4", "", "" },
	{ "u8 & (4 == 4)", "", "" },
	{ "u8 & 4 && i32 == 4", "", "" },
};

static void check_place(const struct refused *refused, int status, int expected,
			const struct filter_error *error)
{
	unsigned first = (unsigned)strspn(refused->place, " ");
	unsigned length = (unsigned)strlen(refused->place) - first;

	if (!ok(status == expected && strstr(error->message, refused->message) &&
			error->column == first + 1 && error->length == length,
		"'%s': %s", refused->text, refused->message))
		diag("%d, column %u, %u bytes: %s", status, error->column, error->length,
		     error->message);
}

static int compile(const char *text, struct filter_error *error)
{
	struct filter_expression *expression;
	struct filter_program *program = NULL;
	int status = filter_expression_parse(text, &expression, error);

	if (status < 0) {
		diag("'%s' cannot be read: %s", text, error->message);
		return -EIO;
	}
	status = filter_compile(expression, &filter_class, &filter_known_contexts, &program, error);
	filter_program_destroy(program);
	filter_expression_destroy(expression);
	return status;
}

static void check_tables(void)
{
	struct filter_expression *expression;
	struct filter_error error;

	for (unsigned i = 0; i < sizeof(no_filter) / sizeof(no_filter[0]); i++)
		check_place(&no_filter[i],
			    filter_expression_parse(no_filter[i].text, &expression, &error),
			    -EINVAL, &error);
	for (unsigned i = 0; i < sizeof(wrong_types) / sizeof(wrong_types[0]); i++)
		check_place(&wrong_types[i], compile(wrong_types[i].text, &error), -EINVAL, &error);
	for (unsigned i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
		check_place(&missing[i].refused, compile(missing[i].refused.text, &error), -ENOENT,
			    &error);
		is_string(error.field, missing[i].field, "and names the field");
	}
}

static void check_remarks(void)
{
	for (unsigned i = 0; i < sizeof(remarks) / sizeof(remarks[0]); i++) {
		struct filter_expression *expression;
		struct filter_error error;
		int status = filter_expression_parse(remarks[i].text, &expression, &error);

		if (remarks[i].message[0])
			check_place(&remarks[i], status, 0, &error);
		else
			ok(status == 0 && error.message[0] == '\0', "'%s' needs no remark",
			   remarks[i].text);
		if (status == 0)
			filter_expression_destroy(expression);
	}
}

/* ---- limits ---------------------------------------------------------------- */

static char text[FILTER_TEXT_MAX + 2];

static void repeat(const char *part, unsigned times)
{
	for (size_t at = strlen(text); times > 0; times--, at += strlen(part)) {
		if (at + strlen(part) >= sizeof(text))
			bail_out("the text is too long for the test");
		strcpy(text + at, part);
	}
}

static int parse_only(struct filter_error *error)
{
	struct filter_expression *expression;
	int status = filter_expression_parse(text, &expression, error);

	if (status == 0)
		filter_expression_destroy(expression);
	return status;
}

static void check_limits(void)
{
	struct filter_error error;

	memset(text, ' ', FILTER_TEXT_MAX);
	text[0] = '1';
	text[FILTER_TEXT_MAX] = '\0';
	is(parse_only(&error), 0, "a text at the limit is a filter");
	text[FILTER_TEXT_MAX] = ' ';
	is(parse_only(&error), -EINVAL, "one over it is none");
	ok(strstr(error.message, "no more than 4096 bytes"), "and that is told");

	text[0] = '\0';
	repeat("(", 64);
	repeat("1", 1);
	repeat(")", 64);
	is(compile(text, &error), 0, "64 parentheses are nested");
	text[0] = '\0';
	repeat("(", 65);
	is(parse_only(&error), -EINVAL, "65 are not");
	ok(error.column == 65 && strstr(error.message, "nested more than 64 deep"), "and where");
	text[0] = '\0';
	repeat("!", 65);
	is(parse_only(&error), -EINVAL, "nor are 65 operators before an operand");
	text[0] = '\0';
	repeat("a[", 65);
	is(parse_only(&error), -EINVAL, "nor 65 indexes");

	text[0] = '\0';
	repeat("(i8+i16*(i32|i64^u16&", 10);
	repeat("1", 1);
	repeat("))", 10);
	is(compile(text, &error), -E2BIG, "values that wait for more of them than there is room");
	ok(strstr(error.message, "more code than a filter may have"), "are told to be too many");
	text[0] = '\0';
	repeat("i8+(i16+(", 17);
	repeat("1", 1);
	repeat("))", 17);
	is(compile(text, &error), 0, "34 of them fit");

	text[0] = '\0';
	repeat("1", 1);
	repeat("&&u8", 1000);
	is(compile(text, &error), 0, "a thousand comparisons fit in a program");
	text[0] = '\0';
	repeat("nf64", 1);
	repeat("+nf64", 800);
	is(compile(text, &error), -E2BIG, "800 additions of doubles do not");
	text[0] = '\0';
	repeat("name==\"*", 1);
	repeat("abcdefgh", 200);
	repeat("*\"", 1);
	is(compile(text, &error), -E2BIG, "nor does a glob whose table is over the pool's size");
	text[0] = '\0';
	repeat("name==\"", 1);
	repeat("abcdefgh", 500);
	repeat("\"", 1);
	is(compile(text, &error), 0, "a long string does");
}

/* ---- several programs ---------------------------------------------------------- */

static struct filter_program *make(const char *source)
{
	struct filter_expression *expression;
	struct filter_program *program;
	struct filter_error error;

	if (filter_expression_parse(source, &expression, &error) < 0 ||
	    filter_compile(expression, &filter_class, NULL, &program, &error) < 0)
		bail_out("'%s': %s", source, error.message);
	filter_expression_destroy(expression);
	return program;
}

static void check_combine(void)
{
	struct filter_program *programs[] = { make("i32 == 5"), make("1 / u8 == 9"),
					      make("i32 == 5"), make("name == \"p*\"") };
	const struct filter_program *const *all = (const struct filter_program *const *)programs;
	struct filter_program *combined = NULL;
	uint8_t fields[512];
	char results[FILTER_RECORDS + 1] = "";

	is(filter_combine(all, 0, &combined), -EINVAL, "nothing cannot be combined");
	is(filter_combine(all, 4, &combined), 0, "four programs are combined");
	is(combined->size, programs[0]->size + programs[1]->size + programs[3]->size,
	   "and the one that is there twice is kept once");
	ok(filter_check(combined->bytes, combined->size), "that is a filter");
	for (unsigned i = 0; i < FILTER_RECORDS; i++) {
		size_t size = filter_pack(&filter_records[i], fields, sizeof(fields));

		results[i] = filter_run(combined->bytes, combined->size, fields, size, NULL) ? '1'
											     : '0';
	}
	is_string(results, "1010", "each is asked, also after one that divides by 0");
	filter_program_destroy(combined);

	for (unsigned i = 0; i < 4; i++)
		filter_program_destroy(programs[i]);
	filter_program_destroy(NULL);
	filter_expression_destroy(NULL);
}

static void check_combined_size(void)
{
	struct filter_program *programs[20], *combined = NULL;
	const struct filter_program *const *all = (const struct filter_program *const *)programs;

	for (unsigned i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "name == \"%u", i);
		repeat("abcdefgh", 450);
		repeat("\"", 1);
		programs[i] = make(text);
	}
	is(filter_combine(all, 15, &combined), 0, "programs of 15 long strings are combined");
	ok(combined->size <= LTTNGMAP_FILTER_SIZE_MAX &&
		   filter_check(combined->bytes, combined->size),
	   "to a filter");
	is(filter_combine(all, 20, &combined), -E2BIG, "those of 20 are too big");
	filter_program_destroy(combined);
	for (unsigned i = 0; i < 20; i++)
		filter_program_destroy(programs[i]);
}

static void check_text(void)
{
	struct filter_expression *expression;
	struct filter_error error;

	if (filter_expression_parse(" i32 ==  5 ", &expression, &error) < 0)
		bail_out("%s", error.message);
	is_string(filter_expression_text(expression), " i32 ==  5 ",
		  "an expression keeps its text");
	filter_expression_destroy(expression);
}

int main(void)
{
	check_text();
	check_tables();
	check_remarks();
	check_limits();
	check_combine();
	check_combined_size();
	return done_testing();
}
