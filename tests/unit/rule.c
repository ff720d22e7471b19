/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* rule.c - which rules match which events, and which texts are no rule. */
#include <errno.h>

#include "sessiond/rule/rule-list.h"
#include "tests/utils/tap.h"

static bool is_recorded(const struct rule_list *list, const struct registry_class *event_class)
{
	struct filter_program *filter;
	int result = rule_list_decide(list, event_class, &filter);

	filter_program_destroy(filter);
	return result == 1;
}

static const struct {
	const char *rule;
	const char *event;
	bool matches;
} matches[] = {
	{ "*", "a:b", true },
	{ "***", "a:b", true },
	{ "a:b", "a:b", true },
	{ "a:b", "a:bc", false },
	{ "a:b", "aa:b", false },
	{ "a:b", "a:B", false },
	{ "a:*", "a:b", true },
	{ "a:*", "ab:c", false },
	{ "a*", "ab:c", true },
	{ "*:b", "a:b", true },
	{ "*:b", "a:x:b", true },
	{ "*b", "a:ab", true },
	{ "*b", "a:ba", false },
	{ "a:b*", "a:b", true },
	{ "a:*b*", "a:xbx", true },
	{ "a:*b*", "a:xx", false },
	{ "a:*ab", "a:aab", true },
	{ "*a*b*c*", "a:b:c", true },
	{ "*a*b*c*", "a:c:b", false },
	{ "a:*x*yx", "a:xyxyx", true },
	{ "a:b,c:d", "a:b", true },
	{ "a:b,c:d", "c:d", true },
	{ "a:b,c:d", "a:d", false },
	{ "a:b,c:*", "c:x", true },
	{ "a:b,c:d,e:f", "e:f", true },
	/* A star that is meant as such is no wildcard, and no name has one. */
	{ "a:\\*", "a:b", false },
	{ "a:b\\,c:d", "c:d", false },
	{ "a:b\\\\*", "a:bc", false },
	{ "lttng_ust_libc:*alloc", "lttng_ust_libc:malloc", true },
	{ "lttng_ust_libc:*alloc", "lttng_ust_libc:free", false },
	{ "a-b.c:d.e-f", "a-b.c:d.e-f", true },
};

static const struct {
	const char *rule;
	const char *why;
} refused[] = {
	{ "", "a pattern is empty" },
	{ ",", "a pattern is empty" },
	{ "a:b,", "a pattern is empty" },
	{ ",a:b", "a pattern is empty" },
	{ "a:b,,c:d", "a pattern is empty" },
	{ "malloc", "'malloc' has no ':'" },
	{ "a:b,malloc", "'malloc' has no ':'" },
	{ ":b", "no provider" },
	{ "a:", "no name" },
	{ "a:\\", "'\\' stands before" },
	{ "a:\\x", "'\\' stands before" },
	{ "a:b?", "no event has '?'" },
	{ "a:[bc]", "no event has '['" },
	{ "a: b", "byte 0x20" },
	{ "a:b\n", "byte 0x0a" },
	{ "a:\1", "byte 0x01" },
	{ "a:\xc3\xa4", "byte 0xc3" },
};

static struct registry_class make_class(const char *full_name)
{
	return (struct registry_class){ .full_name = full_name };
}

static void check_matches(void)
{
	for (unsigned i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
		struct registry_class event_class = make_class(matches[i].event);
		struct rule *rule = NULL;
		char why[256] = "";

		if (rule_parse(matches[i].rule, &rule, why, sizeof(why)) < 0) {
			ok(false, "'%s' is a rule", matches[i].rule);
			diag("%s", why);
			continue;
		}
		ok(rule_match(rule, &event_class) == matches[i].matches &&
			   strcmp(rule_text(rule), matches[i].rule) == 0,
		   "'%s' %s '%s'", matches[i].rule,
		   matches[i].matches ? "matches" : "does not match", matches[i].event);
		rule_destroy(rule);
	}
}

static void check_refused(void)
{
	static char text[RULE_LENGTH_MAX + 2];
	struct rule *rule = NULL;
	char why[256];

	for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		int error;

		why[0] = '\0';
		error = rule_parse(refused[i].rule, &rule, why, sizeof(why));
		if (!ok(error == -EINVAL && strstr(why, refused[i].why) &&
				strstr(why, "a rule is PROVIDER:NAME"),
			"text %u is no rule: %s", i, refused[i].why))
			diag("error %d, '%s'", error, why);
	}
	is(rule_parse("a", &rule, NULL, 0), -EINVAL, "the reason may be left out");
	is(rule_parse("a", &rule, why, 10), -EINVAL, "or be short");
	is(strlen(why), 9, "and is cut then");
	memset(text, '*', sizeof(text) - 1);
	is(rule_parse(text, &rule, why, sizeof(why)), -EINVAL, "a text over the limit is no rule");
	text[RULE_LENGTH_MAX] = '\0';
	is(rule_parse(text, &rule, why, sizeof(why)), 0, "one at the limit is");
	rule_destroy(rule);
	rule_destroy(NULL);
}

/* Exponential ways to match would be felt here: the test would not end. */
static void check_time(void)
{
	static char text[RULE_LENGTH_MAX + 1];
	char name[256] = "a:";
	struct registry_class event_class = make_class(name);
	struct rule *rule;

	memset(name + 2, 'a', 253);
	for (unsigned i = 0; i + 2 < RULE_LENGTH_MAX; i += 2)
		memcpy(text + i, "*a", 3);
	strcat(text, "b");
	if (rule_parse(text, &rule, NULL, 0) < 0)
		bail_out("no rule");
	ok(!rule_match(rule, &event_class),
	   "a rule of 2047 stars does not match, and says so soon");
	rule_destroy(rule);
}

static int add(struct rule_list *list, const char *patterns, struct rule_problem *problem)
{
	struct rule_config config = { .patterns = patterns };
	struct rule_entry *entry;

	return rule_list_add(list, &config, &entry, problem);
}

static void check_list(void)
{
	struct registry_class a = make_class("a:x"), b = make_class("b:x");
	struct rule_list list = { .entries = NULL };
	struct rule_problem problem;
	unsigned wrong = 0;
	char text[32];

	ok(!is_recorded(&list, &a), "an empty list matches nothing");
	is(add(&list, "a:*", &problem), 0, "a rule in a list");
	ok(is_recorded(&list, &a) && !is_recorded(&list, &b), "matches what it matches");
	is(add(&list, "b:*", &problem), 0, "another");
	ok(is_recorded(&list, &a) && is_recorded(&list, &b), "matches also");
	is(add(&list, "a:*", &problem), 0, "the first once more");
	is(list.nr_entries, 2, "is in it already");
	is(add(&list, "a", &problem), -EINVAL, "what is no rule is refused");
	for (unsigned i = 2; i < RULE_LIST_MAX; i++) {
		snprintf(text, sizeof(text), "a:%u", i);
		wrong += add(&list, text, &problem) != 0;
	}
	is(wrong, 0, "1024 rules");
	is(add(&list, "c:*", &problem), -ENOSPC, "and no more");
	ok(strstr(problem.why, "1024"), "with the reason: %s", problem.why);
	rule_list_clear(&list);
	ok(list.nr_entries == 0 && !is_recorded(&list, &a), "a cleared list is empty");
}

/* Nor all the bytes that the saved state has for everybody's rules. */
static void check_bytes(void)
{
	struct rule_list list = { .entries = NULL };
	struct rule_problem problem;
	char text[RULE_LENGTH_MAX + 1];
	unsigned int count = 0;

	memset(text, 'x', RULE_LENGTH_MAX);
	text[RULE_LENGTH_MAX] = '\0';
	do
		snprintf(text, 8, "a:%05u", count);
	while ((text[7] = 'x') && add(&list, text, &problem) == 0 && ++count < RULE_LIST_MAX);
	is(count, RULE_LIST_BYTES_MAX / RULE_LENGTH_MAX, "long rules are fewer");
	ok(strstr(problem.why, "256 KiB"), "with the reason: %s", problem.why);
	rule_list_remove(&list, list.entries[0]);
	is(add(&list, text, &problem), 0, "one that goes makes room for another");
	rule_list_clear(&list);
	is(add(&list, text, &problem), 0, "and so does a list that is cleared");
	rule_list_clear(&list);
}

/* Of levels 0 to 14, one bit each: those that a rule of this level records. */
static unsigned levels_of(uint8_t level, bool only)
{
	struct rule_config config = {
		.patterns = "*", .has_loglevel = true, .loglevel = level, .loglevel_only = only
	};
	struct registry_class event_class = make_class("a:x");
	struct rule_list list = { .entries = NULL };
	struct rule_problem problem;
	struct rule_entry *entry;
	unsigned levels = 0;

	if (rule_list_add(&list, &config, &entry, &problem) < 0)
		bail_out("no rule");
	for (uint8_t i = 0; i <= LTTNGMAP_LOGLEVEL_DEBUG; i++) {
		event_class.loglevel = i;
		levels |= is_recorded(&list, &event_class) << i;
	}
	rule_list_clear(&list);
	return levels;
}

static void check_properties(void)
{
	struct registry_class a = make_class("a:x"), ab = make_class("a:by");
	struct rule_config config = { .patterns = "a:*", .exclude = "a:b*" };
	struct rule_list list = { .entries = NULL };
	struct rule_entry *first, *second, *again;
	struct rule_problem problem;

	is(levels_of(LTTNGMAP_LOGLEVEL_ERR, false), 0x000f, "at least as severe as an error");
	is(levels_of(LTTNGMAP_LOGLEVEL_ERR, true), 0x0008, "an error only");
	is(levels_of(LTTNGMAP_LOGLEVEL_EMERG, false), 0x0001, "the most severe");
	is(levels_of(LTTNGMAP_LOGLEVEL_DEBUG, false), 0x7fff, "all of them");

	is(rule_list_add(&list, &config, &first, &problem), 0, "a rule with an exclusion");
	ok(is_recorded(&list, &a) && !is_recorded(&list, &ab), "excludes");
	config.exclude = "nonsense";
	is(rule_list_add(&list, &config, &second, &problem), -EINVAL, "which has to be patterns");
	config.exclude = NULL;
	is(rule_list_add(&list, &config, &second, &problem), 0, "the same without it");
	ok(second->id != first->id && is_recorded(&list, &ab), "is another rule");
	second->enabled = false;
	ok(!is_recorded(&list, &ab) && is_recorded(&list, &a), "that can be disabled");
	is(rule_list_add(&list, &config, &again, &problem), 0, "and given again");
	ok(again == second && is_recorded(&list, &ab), "which enables it");
	rule_list_remove(&list, rule_list_find(&list, first->id));
	is(list.nr_entries, 1, "one is removed");
	config.exclude = "a:b*";
	is(rule_list_add(&list, &config, &first, &problem), 0, "and given again");
	is(first->id, 3, "with a new number");
	rule_list_clear(&list);
}

static void check_filters(void)
{
	struct registry_class a = make_class("a:x");
	struct rule_config config = { .patterns = "a:*", .filter = "x ==" };
	struct rule_list list = { .entries = NULL };
	struct rule_entry *entry, *same;
	struct rule_problem problem;

	is(rule_list_add(&list, &config, &entry, &problem), -EINVAL, "a filter that is none");
	ok(problem.in_filter && problem.column == 4, "with its place, from 0: %s, %u", problem.why,
	   problem.column);
	is(list.nr_entries, 0, "and there is no rule");
	config.filter = "x == 1";
	is(rule_list_add(&list, &config, &entry, &problem), 0, "a filter");
	is(rule_list_add(&list, &config, &same, &problem), 0, "and the same again");
	ok(same == entry, "are one rule");
	is(rule_entry_check(entry, NULL, &a, &problem), -ENOENT, "of a class that lacks its field");
	ok(strstr(problem.why, "'x'"), "which is said: %s", problem.why);
	ok(!is_recorded(&list, &a), "nothing is recorded");
	config.filter = "$ctx.vpid > 1";
	is(rule_list_add(&list, &config, &entry, &problem), 0, "a filter of contexts");
	ok(is_recorded(&list, &a), "fits any class");
	rule_list_clear(&list);
}

int main(void)
{
	check_matches();
	check_refused();
	check_time();
	check_list();
	check_bytes();
	check_properties();
	check_filters();
	return done_testing();
}
