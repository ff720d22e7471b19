/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* sdt-rules.c - which probes are meant by which rules. */
#include <string.h>

#include "sdt/rules.h"
#include "tests/utils/tap.h"

int main(void)
{
	static const struct {
		const char *rules, *provider, *name;
		bool is_meant;
	} rows[] = {
		{ "a:b", "a", "b", true },
		{ "a:b", "a", "bb", false },
		{ "a:b", "a", "", false },
		{ "a:b", "aa", "b", false },
		{ "", "a", "b", false },
		{ ",", "a", "b", false },
		{ ",,a:b,", "a", "b", true },
		{ "c:d,a:b", "a", "b", true },
		{ "c:d,a:b,e:f", "a", "c", false },
		{ "*:*", "a", "b", true },
		{ "*", "a", "b", true },
		{ "a:*", "a", "", true },
		{ "a:*b", "a", "xbxb", true },
		{ "a:*b", "a", "xbxbx", false },
		{ "a:*b*d", "a", "abcd", true },
		{ "a:*b*d", "a", "adcb", false },
		{ "*a*a*a*b", "aaaaaaaaaaaaaaaa", "a", false },
		{ "a:b*,c:d", "a", "b,c:d", true },
		{ "a:**b**", "a", "b", true },
	};
	char name[600] = "";

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is(sdt_rules_match(rows[i].rules, rows[i].provider, rows[i].name), rows[i].is_meant,
		   rows[i].rules);
	memset(name, 'x', 508);
	ok(sdt_rules_match("a:*", "a", name), "names of 509 bytes");
	memset(name, 'x', 510);
	ok(!sdt_rules_match("a:*", "a", name), "but no longer ones");
	return done_testing();
}
