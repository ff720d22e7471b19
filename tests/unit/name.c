/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* name.c - which names are allowed, and what cleaning makes of the others. */
#include "common/base/name.h"
#include "tests/utils/tap.h"

static const struct {
	const char *bytes;
	size_t size;
	const char *clean;
} programs[] = {
	{ "sort", 16, "sort" },
	{ "a.out", 16, "a.out" },
	{ "g++", 16, "g++" },
	{ "", 0, "_" },
	{ "", 16, "_" },
	{ ".", 16, "_" },
	{ "..", 16, "_." },
	{ "../../etc/x", 16, "_._.._etc_x" },
	{ "a/b c\n\x01\xff", 16, "a_b_c___" },
	{ "0123456789abcdef", 16, "0123456789abcde" },
	{ "abcdef", 3, "abc" },
	{ "$(id);*?", 16, "__id____" },
	{ "-rf", 16, "_rf" },
};

static const struct {
	const char *name;
	bool session, identifier, provider, event;
} names[] = {
	{ "a", true, true, true, true },        { "_a1", true, true, true, true },
	{ "", false, false, false, false },     { "1a", true, false, false, false },
	{ "a-b", true, false, true, true },     { "a.b", true, false, true, true },
	{ "a:b", false, false, false, true },   { "a+b", true, false, false, false },
	{ "-a", false, false, false, false },   { ".a", false, false, false, false },
	{ "..", false, false, false, false },   { "a/b", false, false, false, false },
	{ "a b", false, false, false, false },  { "a\"b", false, false, false, false },
	{ "a\nb", false, false, false, false }, { "\xc3\xa4", false, false, false, false },
};

static const struct {
	const char *bytes;
	bool is_text;
} texts[] = {
	{ "", true },
	{ "plain, \"quoted\" \\", true },
	{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xc2\xa0", true },
	{ "\xf4\x8f\xbf\xbf", true },
	{ "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80", true },
	{ "a\tb", false },
	{ "a\nb", false },
	{ "a\033[1m", false },
	{ "a\x7f", false },
	{ "\xc2\x9b", false },
	{ "\x80", false },
	{ "\xc3", false },
	{ "\xe2\x82", false },
	{ "\xe2\x82(", false },
	{ "\xc0\x80", false },
	{ "\xe0\x80\x80", false },
	{ "\xed\xa0\x80", false },
	{ "\xf0\x80\x80\x80", false },
	{ "\xf4\x90\x80\x80", false },
	{ "\xf8\x88\x80\x80\x80", false },
};

static void check_long_names(void)
{
	char name[NAME_SESSION_MAX + 2];

	memset(name, 'a', sizeof(name));
	name[NAME_SESSION_MAX + 1] = '\0';
	ok(!name_is_session(name), "a session's name of 65 bytes is too long");
	name[NAME_SESSION_MAX] = '\0';
	ok(name_is_session(name), "one of 64 is not");
}

int main(void)
{
	for (unsigned i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		char clean[NAME_PROGRAM_SIZE];

		memset(clean, 'x', sizeof(clean));
		name_clean_program(programs[i].bytes, programs[i].size, clean);
		ok(memchr(clean, '\0', sizeof(clean)) && strcmp(clean, programs[i].clean) == 0,
		   "program %u is cleaned: %.16s", i, clean);
	}
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = names[i].name;
		size_t length = strlen(name);

		ok(name_is_session(name) == names[i].session &&
			   name_is_identifier(name, length) == names[i].identifier &&
			   name_is_provider(name, length) == names[i].provider &&
			   name_is_event(name, length) == names[i].event,
		   "name %u is what it is", i);
	}
	ok(!name_is_identifier("a\0b", 3) && !name_is_event("a\0b", 3), "no name has a NUL inside");
	ok(name_is_identifier("abc/", 3), "nothing is read beyond the length");
	check_long_names();
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ok(name_is_text(texts[i].bytes, strlen(texts[i].bytes)) == texts[i].is_text,
		   "text %u is %s text", i, texts[i].is_text ? "a" : "no");
	return done_testing();
}
