/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cli-options.c - sizes, counts, rules and letters as the command takes them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/options.h"
#include "cli/base/shell-quote.h"
#include "cli/view/view.h"
#include "common/base/amount.h"
#include "tests/utils/tap.h"

static void size_is(const char *text, uint64_t expected)
{
	uint64_t size = 0;
	int error = options_parse_size(text, &size);

	ok(error == 0 && size == expected, "'%s' is %llu", text, (unsigned long long)expected);
}

static void size_fails(const char *text, int expected)
{
	uint64_t size = 0;

	ok(options_parse_size(text, &size) == expected, "'%s' is no size", text);
}

static void duration_is(const char *text, uint64_t expected)
{
	uint64_t ms = 77;

	ok(options_parse_duration(text, &ms) == 0 && ms == expected, "'%s' is %llu ms", text,
	   (unsigned long long)expected);
}

static void test_durations(void)
{
	static const char *const wrong[] = { "", "10", "-1s", "1 s", "s", "1500us", "1d", "1sec" };
	char text[32];
	uint64_t ms;

	duration_is("0", 0);
	duration_is("0s", 0);
	duration_is("5000us", 5);
	duration_is("250ms", 250);
	duration_is("90s", 90000);
	duration_is("2m", 120000);
	duration_is("2min", 120000);
	duration_is("24h", 86400000);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ok(options_parse_duration(wrong[i], &ms) == -EINVAL, "'%s' is no duration",
		   wrong[i]);
	ok(options_parse_duration("9999999999999999h", &ms) == -ERANGE, "ages are out of range");
	ok(strcmp(options_format_duration(1500, text), "1500 ms") == 0, "1500 ms");
	ok(strcmp(options_format_duration(90000, text), "90 s") == 0, "90 s");
	ok(strcmp(options_format_duration(7200000, text), "2 h") == 0, "2 h");
	ok(strcmp(options_format_duration(0, text), "0 ms") == 0, "0 ms");
}

static void test_levels(void)
{
	unsigned level = 99;
	uint64_t number = 99;

	ok(options_parse_loglevel("0", &level) == 0 && level == 0, "level 0");
	ok(options_parse_loglevel("warning", &level) == 0 && level == 4, "level warning");
	ok(options_parse_loglevel("TRACE_DEBUG_LINE", &level) == 0 && level == 13,
	   "level TRACE_DEBUG_LINE");
	ok(options_parse_loglevel("15", &level) == -EINVAL, "no level 15");
	ok(options_parse_loglevel("loud", &level) == -EINVAL, "no level loud");
	ok(strcmp(options_loglevel_name(14), "DEBUG") == 0, "the last level's name");
	ok(strcmp(options_loglevel_name(15), "?") == 0, "and no more");
	ok(options_parse_number("10", 10, &number) == 0 && number == 10, "the largest number");
	ok(options_parse_number("11", 10, &number) == -ERANGE, "one too large");
	ok(options_parse_number("0x1", 10, &number) == -EINVAL, "none in hexadecimal");
}

static void test_sizes(void)
{
	size_is("0", 0);
	size_is("4096", 4096);
	size_is("4k", 4096);
	size_is("64K", 65536);
	size_is("1KiB", 1024);
	size_is("3M", UINT64_C(3) << 20);
	size_is("1G", UINT64_C(1) << 30);
	size_is("18446744073709551615", UINT64_MAX);
	size_is("17179869183G", UINT64_C(17179869183) << 30);
	size_fails("", -EINVAL);
	size_fails("K", -EINVAL);
	size_fails("-1", -EINVAL);
	size_fails("+1", -EINVAL);
	size_fails(" 1", -EINVAL);
	size_fails("1 K", -EINVAL);
	size_fails("1T", -EINVAL);
	size_fails("1KB", -EINVAL);
	size_fails("0x10", -EINVAL);
	size_fails("18446744073709551616", -ERANGE);
	size_fails("17179869184G", -ERANGE);
}

static void test_geometry(void)
{
	const char *why = "";

	ok(options_check_subbuf_size(4096, &why) == 0, "4096 bytes can be");
	ok(options_check_subbuf_size(UINT64_C(1) << 30, &why) == 0, "1 GiB can be");
	ok(options_check_subbuf_size(2048, &why) < 0 && strstr(why, "4K"), "2048 is too small");
	ok(options_check_subbuf_size(UINT64_C(1) << 31, &why) < 0 && strstr(why, "1G"),
	   "2 GiB is too large");
	ok(options_check_subbuf_size(5000, &why) < 0 && strstr(why, "power"), "5000 is none");
	ok(options_check_subbuf_size(0, &why) < 0 && strstr(why, "power"), "0 is none");
	ok(options_check_subbufs(2, &why) == 0 && options_check_subbufs(4096, &why) == 0,
	   "2 and 4096 sub-buffers can be");
	ok(options_check_subbufs(1, &why) < 0 && options_check_subbufs(8192, &why) < 0 &&
		   options_check_subbufs(6, &why) < 0 &&
		   options_check_subbufs(UINT64_MAX, &why) < 0,
	   "1, 6, 8192 and -1 cannot");
}

static void test_rules(void)
{
	const char *why;

	ok(options_check_rule("*:*", &why) == 0, "*:* is a rule");
	ok(options_check_rule("lttng_ust_libc:mal*", &why) == 0, "a provider and a glob are");
	ok(options_check_rule("malloc", &why) < 0, "without a colon none");
	ok(options_check_rule(":a", &why) < 0 && options_check_rule("a:", &why) < 0,
	   "nor with nothing on a side");
	ok(options_check_rule("a:b c", &why) < 0 && options_check_rule("a:\n", &why) < 0,
	   "nor with blanks");
}

static void test_formats(void)
{
	char text[32];

	ok(strcmp(amount_format_size(0, text), "0 bytes") == 0, "0 bytes");
	ok(strcmp(amount_format_size(1023, text), "1023 bytes") == 0, "1023 bytes");
	ok(strcmp(amount_format_size(1536, text), "1.5 KiB") == 0, "1.5 KiB");
	ok(strcmp(amount_format_size((1 << 20) - 1, text), "1.0 MiB") == 0, "1.0 MiB");
	ok(strcmp(amount_format_size(UINT64_MAX, text), "16.0 EiB") == 0, "16.0 EiB");
	ok(strcmp(amount_format_count(0, text), "0") == 0, "0");
	ok(strcmp(amount_format_count(999, text), "999") == 0, "999");
	ok(strcmp(amount_format_count(1000, text), "1,000") == 0, "1,000");
	ok(strcmp(amount_format_count(UINT64_MAX, text), "18,446,744,073,709,551,615") == 0,
	   "the largest");
}

static void test_letters(void)
{
	ok(text_letter_length("a") == 1, "a letter");
	ok(text_letter_length("") == 0, "not the end");
	ok(text_letter_length("\x1b[2J") == 0 && text_letter_length("\x7f") == 0,
	   "no control character");
	ok(text_letter_length("\xc3\xa9") == 2 && text_letter_length("\xe2\x82\xac") == 3 &&
		   text_letter_length("\xf0\x9f\x98\x80") == 4,
	   "two, three and four bytes");
	ok(text_letter_length("\xc2\x9b") == 0, "no control character of two bytes");
	ok(text_letter_length("\xc3") == 0 && text_letter_length("\xe2\x82") == 0 &&
		   text_letter_length("\xf0\x9f\x98") == 0,
	   "nothing cut");
	ok(text_letter_length("\xc0\xaf") == 0 && text_letter_length("\xe0\x80\xaf") == 0 &&
		   text_letter_length("\xf0\x80\x80\xaf") == 0,
	   "nothing overlong");
	ok(text_letter_length("\xed\xa0\x80") == 0 && text_letter_length("\xf4\x90\x80\x80") == 0,
	   "no surrogate, nothing beyond Unicode");
}

static void test_quote(const char *text, const char *expected)
{
	char *quoted = shell_quote(text);

	is_string(quoted, expected, "a word of a shell's");
	free(quoted);
}

static void test_quotes(void)
{
	test_quote("net://127.0.0.1:5342/a", "net://127.0.0.1:5342/a");
	test_quote("", "''");
	test_quote("net://[::1]", "'net://[::1]'");
	test_quote("a b;$(id)", "'a b;$(id)'");
	test_quote("it's", "'it'\\''s'");
}

int main(void)
{
	test_sizes();
	test_durations();
	test_levels();
	test_geometry();
	test_rules();
	test_formats();
	test_letters();
	test_quotes();
	return done_testing();
}
