/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/filter-oracle.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRING_SIZE 600

enum sort { MISSING, SIGNED, UNSIGNED, DOUBLE, STRING, LABELLED };

struct value {
	enum sort sort;
	uint64_t integer;
	double number;
	char string[STRING_SIZE];
	bool any[STRING_SIZE]; /* the byte stands for any text */
	bool is_missing_string;
	const char *labels; /* LABELLED: which enumeration */
};

struct reader {
	const char *at;
	const struct filter_values *values;
	bool ended; /* a division by 0, a shift too far: not recorded */
};

static void read_level(struct reader *reader, unsigned level, bool skip, struct value *value);

static void fail(const struct reader *reader)
{
	fprintf(stderr, "the oracle cannot read '%s'\n", reader->at);
	abort();
}

static void skip_space(struct reader *reader)
{
	while (isspace((unsigned char)*reader->at))
		reader->at++;
}

static void set_signed(struct value *value, int64_t integer)
{
	value->sort = SIGNED;
	value->integer = (uint64_t)integer;
}

static void set_unsigned(struct value *value, uint64_t integer)
{
	value->sort = UNSIGNED;
	value->integer = integer;
}

static void set_double(struct value *value, double number)
{
	value->sort = DOUBLE;
	value->number = number;
}

static void set_string(struct value *value, const char *string, size_t most)
{
	value->sort = STRING;
	memset(value->string, 0, sizeof(value->string));
	memcpy(value->string, string, strnlen(string, most < STRING_SIZE ? most : STRING_SIZE - 1));
	memset(value->any, 0, sizeof(value->any));
	value->is_missing_string = false;
}

static double to_double(const struct value *value)
{
	return value->sort == DOUBLE     ? value->number
	       : value->sort == UNSIGNED ? (double)value->integer
					 : (double)(int64_t)value->integer;
}

static bool truth(const struct value *value)
{
	if (value->sort == MISSING)
		return false;
	return value->sort == DOUBLE ? value->number != 0 : value->integer != 0;
}

/* ---- fields and contexts --------------------------------------------------- */

static bool is(const char *name, const char *other)
{
	return strcmp(name, other) == 0;
}

static bool field_number(const char *name, const struct filter_values *v, struct value *value)
{
	const struct {
		const char *name;
		int64_t value;
	} narrow[] = {
		{ "i8", v->i8 },   { "u8", v->u8 },     { "i16", v->i16 }, { "u16", v->u16 },
		{ "i32", v->i32 }, { "u32", v->u32 },   { "i64", v->i64 }, { "n16", v->n16 },
		{ "n32", v->n32 }, { "tail", v->tail },
	};

	for (size_t i = 0; i < sizeof(narrow) / sizeof(narrow[0]); i++) {
		if (is(name, narrow[i].name)) {
			set_signed(value, narrow[i].value);
			return true;
		}
	}
	if (is(name, "u64"))
		set_unsigned(value, v->u64);
	else if (is(name, "n64"))
		set_unsigned(value, v->n64);
	else if (is(name, "last"))
		set_unsigned(value, v->last);
	else if (is(name, "f32"))
		set_double(value, (double)v->f32);
	else if (is(name, "f64"))
		set_double(value, v->f64);
	else if (is(name, "nf64"))
		set_double(value, v->nf64);
	else
		return false;
	return true;
}

static bool field_other(const char *name, const struct filter_values *v, struct value *value)
{
	value->labels = NULL;
	if (is(name, "color")) {
		set_signed(value, v->color);
		value->labels = "color";
	} else if (is(name, "state")) {
		set_signed(value, v->state);
		value->labels = "state";
	} else if (is(name, "wide")) {
		set_unsigned(value, v->wide);
		value->labels = "state";
	} else if (is(name, "text")) {
		set_string(value, v->text, sizeof(v->text));
	} else if (is(name, "name")) {
		set_string(value, v->name, STRING_SIZE);
	} else if (is(name, "tseq")) {
		set_string(value, v->tseq, STRING_SIZE);
	} else if (is(name, "other")) {
		set_string(value, v->other, STRING_SIZE);
	} else {
		return false;
	}
	return true;
}

static void field_element(const char *name, const struct filter_values *v, uint64_t index,
			  struct value *value)
{
	value->sort = MISSING;
	if (is(name, "arr") && index < 4)
		set_signed(value, v->arr[index]);
	else if (is(name, "seq") && index < v->nr_seq)
		set_signed(value, v->seq[index]);
	else if (is(name, "nseq") && index < v->nr_nseq)
		set_signed(value, v->nseq[index]);
}

static void read_context(struct reader *reader, const char *name, struct value *value)
{
	if (is(name, "vpid")) {
		set_signed(value, 1234);
	} else if (is(name, "cpu_id")) {
		set_unsigned(value, 1);
	} else if (is(name, "procname")) {
		set_string(value, "main", STRING_SIZE);
	} else if (is(name, "ratio")) {
		set_double(value, 0.5);
	} else if (is(name, "perf:none")) {
		value->sort = MISSING;
	} else if (is(name, "nostring")) {
		set_string(value, "", 0);
		value->is_missing_string = true;
	} else {
		fail(reader);
	}
}

static void read_name(struct reader *reader, struct value *value)
{
	bool is_context = strncmp(reader->at, "$ctx.", 5) == 0;
	size_t length = 0;
	char name[64];

	reader->at += is_context ? 5 : 0;
	while (isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_' ||
	       (is_context && reader->at[length] == ':'))
		length++;
	snprintf(name, sizeof(name), "%.*s", (int)length, reader->at);
	reader->at += length;
	skip_space(reader);
	if (is_context) {
		read_context(reader, name, value);
	} else if (*reader->at == '[') {
		struct value index;

		reader->at++;
		read_level(reader, 0, false, &index);
		if (*reader->at++ != ']')
			fail(reader);
		field_element(name, reader->values, index.integer, value);
	} else if (!field_number(name, reader->values, value) &&
		   !field_other(name, reader->values, value)) {
		fail(reader);
	}
}

/* ---- constants ---------------------------------------------------------------- */

static char read_escaped(struct reader *reader)
{
	static const char *const escapes[] = { "a\a", "b\b", "e\033", "f\f", "n\n",
					       "r\r", "t\t", "v\v",   NULL };
	unsigned code;
	int taken = 0;

	for (unsigned i = 0; escapes[i]; i++) {
		if (*reader->at == escapes[i][0]) {
			reader->at++;
			return escapes[i][1];
		}
	}
	if (*reader->at == 'x' && sscanf(reader->at + 1, "%2x%n", &code, &taken) == 1)
		taken++;
	else if (*reader->at < '0' || *reader->at > '7' ||
		 sscanf(reader->at, "%3o%n", &code, &taken) != 1)
		return *reader->at++;
	reader->at += taken;
	return (char)code;
}

static void read_string(struct reader *reader, struct value *value)
{
	size_t size = 0;

	set_string(value, "", 0);
	for (reader->at++; *reader->at != '"'; size++) {
		if (!*reader->at || size + 1 >= STRING_SIZE)
			fail(reader);
		value->any[size] = *reader->at == '*';
		if (*reader->at == '\\') {
			reader->at++;
			value->string[size] = read_escaped(reader);
		} else {
			value->string[size] = *reader->at++;
		}
	}
	value->string[size] = '\0';
	reader->at++;
}

static void read_number(struct reader *reader, struct value *value)
{
	char *integer_end, *double_end;
	uint64_t integer = strtoull(reader->at, &integer_end, 0);
	double number = strtod(reader->at, &double_end);

	if (double_end > integer_end) {
		set_double(value, number);
		reader->at = double_end;
		return;
	}
	set_signed(value, (int64_t)integer);
	if (integer > INT64_MAX)
		value->sort = UNSIGNED;
	for (; *integer_end && strchr("uUlL", *integer_end); integer_end++) {
		if (*integer_end == 'u' || *integer_end == 'U')
			value->sort = UNSIGNED;
	}
	reader->at = integer_end;
}

static void read_operand(struct reader *reader, bool skip, struct value *value)
{
	char c;

	skip_space(reader);
	c = *reader->at;
	value->labels = NULL;
	if (c == '(') {
		reader->at++;
		read_level(reader, 0, skip, value);
		if (*reader->at++ != ')')
			fail(reader);
	} else if (c == '"') {
		read_string(reader, value);
	} else if (c == '\'') {
		reader->at++;
		set_signed(value, *reader->at == '\\' ? (reader->at++, read_escaped(reader))
						      : *reader->at++);
		reader->at++;
	} else if (isdigit((unsigned char)c) || c == '.') {
		read_number(reader, value);
	} else if (c == '!') {
		reader->at++;
		read_operand(reader, skip, value);
		set_signed(value, !truth(value));
	} else if (c == '-' || c == '+' || c == '~') {
		reader->at++;
		read_operand(reader, skip, value);
		if (c == '-' && value->sort == DOUBLE)
			value->number = -value->number;
		else if (c != '+')
			value->integer = c == '-' ? -value->integer : ~value->integer;
	} else {
		read_name(reader, value);
	}
	skip_space(reader);
}

/* ---- operators ------------------------------------------------------------------ */

static bool glob(const char *pattern, const bool *any, const char *string)
{
	if (*any) {
		if (glob(pattern + 1, any + 1, string))
			return true;
		return *string && glob(pattern, any, string + 1);
	}
	if (!*pattern)
		return !*string;
	return *pattern == *string && glob(pattern + 1, any + 1, string + 1);
}

static bool has_label(const struct value *number, const struct value *label)
{
	static const struct {
		const char *of, *label;
		int64_t first, last;
	} all[] = {
		{ "color", "RED", 0, 0 },
		{ "color", "GREEN", 1, 3 },
		{ "color", "BLUE", 5, 5 },
		{ "color", "light blue", 7, 7 },
		{ "state", "BAD", -10, -1 },
		{ "state", "OK", 0, 0 },
		{ "state", "HUGE", 1000000, 2000000 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!is(all[i].of, number->labels) ||
		    !glob(label->string, label->any, all[i].label))
			continue;
		if (number->sort == UNSIGNED && number->integer > INT64_MAX)
			continue;
		if ((int64_t)number->integer >= all[i].first &&
		    (int64_t)number->integer <= all[i].last)
			return true;
	}
	return false;
}

/* By value, in a type that holds both. */
static bool compare_numbers(const char *operator, const struct value * a, const struct value *b)
{
	bool less, equal;

	if (a->sort == DOUBLE || b->sort == DOUBLE) {
		less = to_double(a) < to_double(b);
		equal = to_double(a) == to_double(b);
		if (operator[0] == '>')
			return to_double(a) > to_double(b) || (operator[1] && equal);
	} else {
		__int128 x = a->sort == UNSIGNED ? (__int128)a->integer : (int64_t)a->integer;
		__int128 y = b->sort == UNSIGNED ? (__int128)b->integer : (int64_t)b->integer;

		less = x < y;
		equal = x == y;
		if (operator[0] == '>')
			return x > y || (operator[1] && equal);
	}
	return operator[0] == '=' ? equal :
	       operator[0] == '!' ? !equal
				  : less ||(operator[1] && equal);
}

static bool compare_strings(const char *operator, const struct value * a, const struct value *b)
{
	bool a_is_glob = memchr(a->any, true, sizeof(a->any)) != NULL;
	int order;

	if (a->is_missing_string || b->is_missing_string)
		return false;
	if (operator[0] == '=' || operator[0] == '!') {
		bool equal = a_is_glob ? glob(a->string, a->any, b->string)
				       : glob(b->string, b->any, a->string);

		return equal == (operator[0] == '=');
	}
	order = strcmp(a->string, b->string);
	return operator[0] == '<' ? order < 0 || (operator[1] && order == 0)
				  : order> 0 ||(operator[1] && order == 0);
}

static bool compare(const char *operator, const struct value * a, const struct value *b)
{
	if (a->sort == MISSING || b->sort == MISSING)
		return false;
	if (a->sort == STRING && b->sort == STRING)
		return compare_strings(operator, a, b);
	if (a->sort == STRING)
		return has_label(b, a) == (operator[0] == '=');
	if (b->sort == STRING)
		return has_label(a, b) == (operator[0] == '=');
	return compare_numbers(operator, a, b);
}

static double calculate_double(char operator, double a, double b)
{
	return operator== '+' ? a + b : operator== '-' ? a - b : operator== '*' ? a * b : a / b;
}

static uint64_t divide(struct reader *reader, char operator, uint64_t a, uint64_t b, bool is_signed)
{
	__int128 x = is_signed ? (__int128)(int64_t)a : (__int128)a;
	__int128 y = is_signed ? (__int128)(int64_t)b : (__int128)b;

	if (y == 0) {
		reader->ended = true;
		return 0;
	}
	return (uint64_t)(operator== '/' ? x / y : x % y);
}

static uint64_t shift(struct reader *reader, char operator, uint64_t a, uint64_t b, bool is_signed)
{
	if (b > 63) {
		reader->ended = true;
		return 0;
	}
	for (; b > 0; b--) {
		if (operator== '<')
			a = a * 2;
		else
			a = is_signed && (int64_t)a < 0 ? ~(~a / 2) : a / 2;
	}
	return a;
}

static void calculate(struct reader *reader, char operator, struct value * a, const struct value *b)
{
	bool is_shift = operator== '<' || operator== '>';

	if (a->sort == MISSING || b->sort == MISSING) {
		a->sort = MISSING;
		return;
	}
	if (a->sort == DOUBLE || b->sort == DOUBLE) {
		set_double(a, calculate_double(operator, to_double(a), to_double(b)));
		return;
	}
	if (b->sort == UNSIGNED && !is_shift)
		a->sort = UNSIGNED;
	if (is_shift)
		a->integer = shift(reader, operator, a->integer, b->integer, a->sort == SIGNED);
	else if (operator== '+')
		a->integer += b->integer;
	else if (operator== '-')
		a->integer -= b->integer;
	else if (operator== '*')
		a->integer *= b->integer;
	else if (operator== '&')
		a->integer &= b->integer;
	else if (operator== '|')
		a->integer |= b->integer;
	else if (operator== '^')
		a->integer ^= b->integer;
	else
		a->integer = divide(reader, operator, a->integer, b->integer, a->sort == SIGNED);
}

/* Loosest first; a level's operators bind from the left. */
static const char *const levels[][5] = {
	{ "||" },
	{ "&&" },
	{ "|" },
	{ "^" },
	{ "&" },
	{ "==", "!=" },
	{ "<=", ">=", "<", ">" },
	{ "<<", ">>" },
	{ "+", "-" },
	{ "*", "/", "%" },
};
#define LEVELS (sizeof(levels) / sizeof(levels[0]))

/* Which operator of the level stands here; not one that only begins like it. */
static const char *find_operator(const struct reader *reader, unsigned level)
{
	const char *at = reader->at;

	for (unsigned i = 0; i < 5 && levels[level][i]; i++) {
		const char *operator= levels[level][i];

		if (strncmp(at, operator, strlen(operator)) != 0)
			continue;
		if (strlen(operator) == 1 && strchr("&|<>", operator[0]) && at[1] == operator[0])
			continue;
		return operator;
	}
	return NULL;
}

static void read_level(struct reader *reader, unsigned level, bool skip, struct value *value)
{
	const char *operator;

	if (level == LEVELS) {
		read_operand(reader, skip, value);
		return;
	}
	read_level(reader, level + 1, skip, value);
	while ((operator= find_operator(reader, level))) {
		bool left = truth(value), ended = reader->ended;
		/* What cannot change the result is not calculated. */
		bool skip_right = skip || (level == 0 && left) || (level == 1 && !left) ||
				  (level > 1 && value->sort == MISSING);
		struct value *right = malloc(sizeof(*right));

		reader->at += strlen(operator);
		read_level(reader, level + 1, skip_right, right);
		if (skip_right)
			reader->ended = ended;
		if (level == 0)
			set_signed(value, left || truth(right));
		else if (level == 1)
			set_signed(value, left && truth(right));
		else if (level == 5 || level == 6)
			set_signed(value, compare(operator, value, right));
		else
			calculate(reader, operator[0], value, right);
		value->labels = NULL;
		if (skip_right)
			reader->ended = ended;
		free(right);
	}
}

bool filter_oracle(const char *text, const struct filter_values *values)
{
	struct reader reader = { .at = text, .values = values };
	struct value *value = calloc(1, sizeof(*value));
	bool result;

	read_level(&reader, 0, false, value);
	if (*reader.at)
		fail(&reader);
	result = truth(value) && !reader.ended;
	free(value);
	return result;
}
