/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* filter-lex.c - the words of a filter expression. */
#include "sessiond/filter/filter-tree.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Longer ones first. */
static const struct {
	const char *text;
	enum filter_operator operation;
} operators[] = {
	{ "||", FILTER_OR },         { "&&", FILTER_AND },
	{ "==", FILTER_EQUAL },      { "!=", FILTER_NOT_EQUAL },
	{ "<<", FILTER_SHIFT_LEFT }, { ">>", FILTER_SHIFT_RIGHT },
	{ "<=", FILTER_LESS_EQUAL }, { ">=", FILTER_GREATER_EQUAL },
	{ "<", FILTER_LESS },        { ">", FILTER_GREATER },
	{ "|", FILTER_BIT_OR },      { "^", FILTER_BIT_XOR },
	{ "&", FILTER_BIT_AND },     { "+", FILTER_ADD },
	{ "-", FILTER_SUBTRACT },    { "*", FILTER_MULTIPLY },
	{ "/", FILTER_DIVIDE },      { "%", FILTER_MODULO },
	{ "!", FILTER_NOT },         { "~", FILTER_INVERT },
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

int filter_refuse(struct filter_error *error, const struct filter_span *span, const char *format,
		  ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->message, sizeof(error->message), format, arguments);
	va_end(arguments);
	error->column = span->start + 1;
	error->length = span->length ? span->length : 1;
	return -EINVAL;
}

const char *filter_operator_text(enum filter_operator operation)
{
	for (size_t i = 0; i < LENGTH(operators); i++) {
		if (operators[i].operation == operation)
			return operators[i].text;
	}
	return operation == FILTER_PLUS ? "+" : "-";
}

/* Not ctype.h's: a locale must not change what a filter says. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* ---- numbers ------------------------------------------------------------- */

/* Suffixes of C's numbers, in upper or lower case. */
static bool is_suffix(const char *text, size_t length)
{
	static const char *const suffixes[] = { "", "u", "l", "ul", "lu", "ll", "ull", "llu" };

	for (size_t i = 0; i < LENGTH(suffixes); i++) {
		if (strlen(suffixes[i]) == length && strncasecmp(text, suffixes[i], length) == 0)
			return true;
	}
	return false;
}

static int lex_integer(struct filter_lexer *lexer, struct filter_token *token)
{
	const char *digits = lexer->text + token->span.start;
	const char *end = digits + token->span.length;
	bool is_unsigned = false;
	unsigned base = 10;
	uint64_t value = 0;

	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
		base = 16;
		digits += 2;
		if (digits == end || digit_value(*digits) >= 16)
			return filter_refuse(lexer->error, &token->span,
					     "no hexadecimal digit stands after 0x");
	} else if (digits[0] == '0') {
		base = 8;
	}
	for (; digits < end && digit_value(*digits) < (int)base; digits++) {
		unsigned digit = (unsigned)digit_value(*digits);

		if (value > (UINT64_MAX - digit) / base)
			return filter_refuse(lexer->error, &token->span,
					     "this number is over 2^64 - 1");
		value = value * base + digit;
	}
	if (!is_suffix(digits, (size_t)(end - digits)))
		return filter_refuse(lexer->error, &token->span,
				     "'%.*s' is no number%s: write it as in C",
				     (int)(token->span.length < 40 ? token->span.length : 40),
				     lexer->text + token->span.start,
				     base == 8 && is_digit(*digits)
					     ? ", for a 0 before it makes it "
					       "octal"
					     : "");
	for (; digits < end; digits++)
		is_unsigned |= *digits == 'u' || *digits == 'U';
	token->value = value;
	token->type = is_unsigned || value > INT64_MAX ? FILTER_TYPE_UNSIGNED : FILTER_TYPE_SIGNED;
	return 0;
}

static int lex_double(struct filter_lexer *lexer, struct filter_token *token)
{
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	char digits[FILTER_TEXT_MAX + 1];
	double value;
	char *end;

	if (!c_locale)
		return -ENOMEM;
	memcpy(digits, lexer->text + token->span.start, token->span.length);
	digits[token->span.length] = '\0';
	value = strtod_l(digits, &end, c_locale);
	freelocale(c_locale);
	if (*end == 'f' || *end == 'F' || *end == 'l' || *end == 'L')
		end++;
	if (*end != '\0')
		return filter_refuse(lexer->error, &token->span,
				     "'%.40s' is no number: write it as in C", digits);
	if (value > __DBL_MAX__)
		return filter_refuse(lexer->error, &token->span,
				     "this number is more than a double can hold");
	token->type = FILTER_TYPE_DOUBLE;
	memcpy(&token->value, &value, sizeof(value));
	return 0;
}

static int lex_number(struct filter_lexer *lexer, struct filter_token *token)
{
	const char *start = lexer->text + lexer->at, *c = start;
	bool is_hex = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
	bool is_double = false;

	for (; is_digit(*c) || is_letter(*c) || *c == '.'; c++) {
		bool has_exponent = is_hex ? *c == 'p' || *c == 'P' : *c == 'e' || *c == 'E';

		is_double |= has_exponent || *c == '.';
		if (has_exponent && (c[1] == '+' || c[1] == '-'))
			c++;
	}
	token->kind = FILTER_TOKEN_NUMBER;
	token->span.length = (unsigned)(c - start);
	return is_double ? lex_double(lexer, token) : lex_integer(lexer, token);
}

/* ---- strings ------------------------------------------------------------- */

/* Behind a backslash; moves `c` behind what it read. -1: no escape. */
static int read_escape(const char **c)
{
	static const char letters[] = "abefnrtv", values[] = "\a\b\033\f\n\r\t\v";
	char first = *(*c)++;
	const char *letter = first ? strchr(letters, first) : NULL;
	int value = 0, digits = 0;

	if (letter)
		return values[letter - letters];
	if (first && strchr("\\\"'?*", first))
		return (unsigned char)first;
	if (first == 'x') {
		for (; digits < 2 && digit_value(**c) < 16; digits++)
			value = value * 16 + digit_value(*(*c)++);
		return digits ? value : -1;
	}
	if (digit_value(first) >= 8)
		return -1;
	--*c;
	for (; digits < 3 && digit_value(**c) < 8; digits++)
		value = value * 8 + digit_value(*(*c)++);
	return value < 256 ? value : -1;
}

/* One byte of a string or character, as it is meant. */
static int lex_byte(struct filter_lexer *lexer, char *byte)
{
	const char *c = lexer->text + lexer->at;
	struct filter_span span = { lexer->at, 2 };
	int value;

	if (*c != '\\') {
		span.length = 1;
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return filter_refuse(lexer->error, &span,
					     "a control character stands here: write it as \\x%02x",
					     (unsigned char)*c);
		*byte = *c;
		lexer->at++;
		return 0;
	}
	c++;
	value = *c ? read_escape(&c) : -1;
	if (value < 0)
		return filter_refuse(lexer->error, &span,
				     "'\\' stands before none of what it may: \\ \" ' ? * a b e f "
				     "n r t v, x and hexadecimal digits, or octal digits");
	lexer->at = (unsigned)(c - lexer->text);
	*byte = (char)value;
	return 0;
}

static int lex_string(struct filter_lexer *lexer, struct filter_token *token)
{
	const char *text = lexer->text;
	char *to = lexer->strings;

	token->kind = FILTER_TOKEN_STRING;
	token->bytes = to;
	lexer->at++;
	while (text[lexer->at] != '"') {
		struct filter_span span = { lexer->at, 1 };
		int error;

		if (text[lexer->at] == '\0')
			return filter_refuse(lexer->error, &token->span,
					     "this string has no '\"' at its end");
		if (text[lexer->at] == '*') {
			/* Many in a row say the same as one. */
			if (to == token->bytes || to[-1] != FILTER_ANY)
				*to++ = FILTER_ANY;
			token->has_any = true;
			lexer->at++;
			continue;
		}
		error = lex_byte(lexer, to);
		if (error < 0)
			return error;
		span.length = lexer->at - span.start;
		if (*to++ == '\0')
			return filter_refuse(lexer->error, &span,
					     "no string has a byte 0: it ends there");
	}
	lexer->at++;
	token->size = (size_t)(to - token->bytes);
	token->span.length = lexer->at - token->span.start;
	lexer->strings = to;
	return 0;
}

static int lex_character(struct filter_lexer *lexer, struct filter_token *token)
{
	const char *text = lexer->text;
	char byte = '\0';
	int error = 0;

	token->kind = FILTER_TOKEN_NUMBER;
	token->type = FILTER_TYPE_SIGNED;
	lexer->at++;
	if (text[lexer->at] != '\'' && text[lexer->at] != '\0') {
		error = lex_byte(lexer, &byte);
		if (error == 0 && text[lexer->at] == '\'') {
			lexer->at++;
			token->span.length = lexer->at - token->span.start;
			/* Like the compiler of the traced program: char may be signed. */
			token->value = (uint64_t)(int64_t)byte;
			return 0;
		}
	}
	return error < 0
		       ? error
		       : filter_refuse(lexer->error, &token->span,
				       "a character is one byte between two \"'\"; a string stands "
				       "between '\"'");
}

/* ---- names and the rest -------------------------------------------------- */

/* a, a.b; a context's name may have colons inside too. */
static size_t name_length(const char *name, bool is_context)
{
	size_t length = 0;

	while (is_letter(name[length]) || (length && is_digit(name[length])) ||
	       (length && (name[length] == '.' || (is_context && name[length] == ':')) &&
		(is_letter(name[length + 1]) || is_digit(name[length + 1]))))
		length++;
	return length;
}

static int lex_name(struct filter_lexer *lexer, struct filter_token *token)
{
	static const char prefix[] = "$ctx.";
	bool is_context = lexer->text[lexer->at] == '$';
	size_t skipped = 0;

	token->kind = is_context ? FILTER_TOKEN_CONTEXT : FILTER_TOKEN_NAME;
	if (is_context) {
		skipped = strlen(prefix);
		if (strncmp(lexer->text + lexer->at, prefix, skipped) != 0)
			return filter_refuse(lexer->error, &token->span,
					     "'$' begins a context only: $ctx.NAME");
	}
	token->bytes = lexer->text + lexer->at + skipped;
	token->size = name_length(token->bytes, is_context);
	token->span.length = (unsigned)(skipped + token->size);
	if (token->size == 0)
		return filter_refuse(lexer->error, &token->span,
				     "the name of a context has to follow '$ctx.'");
	if (token->size > LTTNGMAP_NAME_MAX)
		return filter_refuse(lexer->error, &token->span, "no name is longer than %u bytes",
				     LTTNGMAP_NAME_MAX);
	lexer->at += token->span.length;
	return 0;
}

static int lex_operator(struct filter_lexer *lexer, struct filter_token *token)
{
	const char *text = lexer->text + lexer->at;
	unsigned char c = (unsigned char)*text;

	for (size_t i = 0; i < LENGTH(operators); i++) {
		size_t length = strlen(operators[i].text);

		if (strncmp(text, operators[i].text, length) == 0) {
			token->kind = FILTER_TOKEN_OPERATOR;
			token->operation = operators[i].operation;
			token->span.length = (unsigned)length;
			lexer->at += (unsigned)length;
			return 0;
		}
	}
	if (c == '=')
		return filter_refuse(lexer->error, &token->span,
				     "a filter changes nothing: to compare, write '=='");
	if (c > 0x20 && c < 0x7f)
		return filter_refuse(lexer->error, &token->span,
				     "'%c' means nothing in a filter; see lttngmap-filter(7)", c);
	return filter_refuse(lexer->error, &token->span,
			     "the byte %#04x means nothing outside of a string", c);
}

int filter_lex(struct filter_lexer *lexer, struct filter_token *token)
{
	static const char punctuation[] = "()[]";
	const char *text = lexer->text;
	const char *found;
	char c;

	lexer->at += (unsigned)strspn(text + lexer->at, " \t\n\r\v\f");
	c = text[lexer->at];
	*token = (struct filter_token){ .span = { lexer->at, 1 } };
	if (c == '\0') {
		token->kind = FILTER_TOKEN_END;
		return 0;
	}
	if (is_digit(c) || (c == '.' && is_digit(text[lexer->at + 1]))) {
		int error = lex_number(lexer, token);

		lexer->at += token->span.length;
		return error;
	}
	if (is_letter(c) || c == '$')
		return lex_name(lexer, token);
	if (c == '"')
		return lex_string(lexer, token);
	if (c == '\'')
		return lex_character(lexer, token);
	found = strchr(punctuation, c);
	if (found) {
		token->kind = FILTER_TOKEN_OPEN + (enum filter_token_kind)(found - punctuation);
		lexer->at++;
		return 0;
	}
	return lex_operator(lexer, token);
}
