/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-preload.c - chooses the libraries to preload.
 *
 * --preload names the families to preload. Without that option, the rules choose: any rule that
 * could match an event of libc preloads libc; the other families need a rule with their provider
 * without '*'. So a rule for everything does not slow a program down in every way. Without rules,
 * dl is preloaded beside libc: its events cost next to nothing and give names to addresses.
 */
#include <config.h>

#include "cli/record/record.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/locate.h"
#include "cli/base/message.h"
#include "cli/base/suggest.h"

/* The rules that choose a family. */
enum reach {
	REACHED_BY_NAME,     /* a rule without a '*' in the provider */
	REACHED_BY_NO_RULES, /* that, or no rule at all */
	REACHED_BY_PATTERNS, /* that, or any matching rule */
};

static const struct family {
	const char *name;
	const char *library;
	const char *provider; /* of its events; a table below has more */
	enum reach reach;
	const char *instead; /* the family that wraps the same functions */
	bool has_functions;  /* traces the functions that --functions names */
	bool is_from_start;  /* must be there before the program runs */
} families[] = {
	/* First, so that its exec events come before other families look at the executed file. */
	{ "proc", "liblttngmap-proc.so", "lttngmap_proc", REACHED_BY_NAME, NULL, false, false },
	{ "libc", "liblttngmap-libc.so", "lttng_ust_libc", REACHED_BY_PATTERNS, NULL, false,
	  false },
	{ "pthread", "liblttngmap-pthread.so", "lttng_ust_pthread", REACHED_BY_NAME, NULL, false,
	  false },
	{ "io", "liblttngmap-io.so", "lttngmap_io", REACHED_BY_NAME, NULL, false, false },
	{ "dl", "liblttngmap-dl.so", "lttng_ust_dl", REACHED_BY_NO_RULES, NULL, false, false },
	{ "syslog", "liblttngmap-syslog.so", "lttngmap_syslog", REACHED_BY_NAME, NULL, false,
	  false },
	{ "function", "liblttngmap-function.so", "lttngmap_function", REACHED_BY_NAME, NULL, true,
	  true },
	{ "cyg-profile", "liblttngmap-cyg-profile.so", "lttng_ust_cyg_profile", REACHED_BY_NAME,
	  NULL, true, false },
	{ "cyg-profile-fast", "liblttngmap-cyg-profile-fast.so", "lttng_ust_cyg_profile_fast",
	  REACHED_BY_NAME, "cyg-profile", true, false },
};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

/* Providers of families that have several. */
static const struct provider {
	const char *family;
	const char *provider;
} more_providers[] = {
	{ "dl", "lttng_ust_lib" },
	{ "dl", "lttng_ust_statedump" },
};

/* An installed library has only its soname. */
static const char *const tracing_library[] = { "liblttngmap.so.0", "liblttngmap.so" };

static const struct family *find_family(const char *name, size_t length)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		if (strlen(families[i].name) == length &&
		    strncmp(families[i].name, name, length) == 0)
			return &families[i];
	}
	return NULL;
}

const char *record_family(size_t index, const char **library)
{
	if (index >= FAMILIES)
		return NULL;
	*library = families[index].library;
	return families[index].name;
}

/* True if a word of the comma-separated list names the family. */
static bool is_listed(const char *list, const struct family *family)
{
	for (size_t length; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (find_family(list, length) == family)
			return true;
	}
	return false;
}

static bool rule_reaches(const char *rule, const struct family *family)
{
	char pattern[256];
	size_t length = strcspn(rule, ":");

	if (length >= sizeof(pattern))
		return false;
	memcpy(pattern, rule, length);
	pattern[length] = '\0';
	for (size_t i = 0; i < sizeof(more_providers) / sizeof(more_providers[0]); i++) {
		if (strcmp(more_providers[i].family, family->name) == 0 &&
		    strcmp(more_providers[i].provider, pattern) == 0)
			return true;
	}
	if (family->reach != REACHED_BY_PATTERNS)
		return strcmp(pattern, family->provider) == 0;
	return fnmatch(pattern, family->provider, 0) == 0;
}

static bool is_wanted(const struct record_options *options, const struct family *family)
{
	if (options->preload)
		return is_listed(options->preload, family);
	if (options->nr_rules == 0)
		return family->reach != REACHED_BY_NAME;
	for (size_t i = 0; i < options->nr_rules; i++) {
		if (options->rules[i].kind == RECORD_RULE_EVENTS &&
		    rule_reaches(options->rules[i].rule, family))
			return true;
	}
	return false;
}

bool record_preload_has(const struct record_options *options, const char *name)
{
	const struct family *family = find_family(name, strlen(name));

	return family && is_wanted(options, family);
}

bool record_family_may_come_late(const char *name)
{
	const struct family *family = find_family(name, strlen(name));

	return family && !family->is_from_start;
}

bool record_families_clash(const char *list, const char **one, const char **other)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		*one = families[i].instead;
		*other = families[i].name;
		if (*one && is_listed(list, &families[i]) &&
		    is_listed(list, find_family(*one, strlen(*one))))
			return true;
	}
	return false;
}

void record_families_hint(const char *typed, size_t length)
{
	struct suggestion best = suggestion_begin(typed, length);

	for (size_t i = 0; i < FAMILIES; i++)
		suggestion_offer(&best, families[i].name);
	if (best.word)
		message_hint("did you mean '%s'?", best.word);
	message_hint("families: " RECORD_FAMILIES "; or 'none'");
}

/* If two families wrap the same functions, the second one sees no calls. */
static int check_together(const struct record_options *options)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		const char *other = families[i].instead;

		if (!other || !is_wanted(options, &families[i]) ||
		    !is_wanted(options, find_family(other, strlen(other))))
			continue;
		message_error("%s: --preload: %s and %s cannot be used together", options->verb,
			      other, families[i].name);
		message_hint("they trace the same calls: choose one by --preload");
		return -EINVAL;
	}
	return 0;
}

/* --functions needs a family that traces functions. */
static int check_functions(const struct record_options *options)
{
	if (!options->functions)
		return 0;
	for (size_t i = 0; i < FAMILIES; i++) {
		if (families[i].has_functions && is_wanted(options, &families[i]))
			return 0;
	}
	message_error("%s: --functions: nothing would trace '%s'", options->verb,
		      options->functions);
	message_hint("say how the program was built: --preload function for -mfentry or "
		     "-fpatchable-function-entry, cyg-profile for -finstrument-functions");
	return -EINVAL;
}

int record_preload_check(const struct record_options *options)
{
	const char *list = options->preload;

	if (check_functions(options))
		return -EINVAL;
	if (!list)
		return check_together(options);
	if (strcmp(list, "none") == 0)
		return 0;
	for (size_t length; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (find_family(list, length))
			continue;
		message_error("%s: --preload: there is no family '%.*s'", options->verb,
			      (int)length, list);
		record_families_hint(list, length);
		return -EINVAL;
	}
	return check_together(options);
}

/*
 * LD_PRELOAD is split at blanks and colons. A library whose path has one is preloaded by a symbolic
 * link in the runtime directory.
 */
static int make_nameable(const struct record *record, char *path, size_t size)
{
	char link[PATH_MAX];

	if (!strpbrk(path, " :"))
		return 0;
	if ((size_t)snprintf(link, sizeof(link), "%s%s", record->runtime_dir, strrchr(path, '/')) >=
	    sizeof(link))
		return -ENAMETOOLONG;
	if (symlink(path, link) < 0 && errno != EEXIST)
		return -errno;
	snprintf(path, size, "%s", link);
	return 0;
}

static int append(struct record *record, const char *library, int missing_is_fatal)
{
	char path[PATH_MAX];
	size_t used = strlen(record->preload);
	int error = locate_library(library, path, sizeof(path));

	if (error == -ENOENT && !missing_is_fatal)
		return error;
	if (!error)
		error = make_nameable(record, path, sizeof(path));
	if (error) {
		message_error("%s: cannot preload %s: %s", record->options.verb, library,
			      strerror(-error));
		message_hint("is lttngmap installed as a whole? LTTNGMAP_LIBDIR says where its "
			     "libraries are; --preload none does without");
		return error;
	}
	if ((size_t)snprintf(record->preload + used, sizeof(record->preload) - used, "%s%s",
			     used ? ":" : "", path) >= sizeof(record->preload) - used) {
		message_error("%s: LD_PRELOAD is too long", record->options.verb);
		return -ENAMETOOLONG;
	}
	return 0;
}

/*
 * The user's preloaded libraries come behind ours: an allocator before them would be called in
 * their place. Libraries that an outer `lttngmap record` left there are not repeated.
 */
static int append_inherited(struct record *record)
{
	const char *list = getenv("LD_PRELOAD");
	size_t used = strlen(record->preload);

	if (!list)
		return 0;
	if (used + strlen(list) + 1 >= sizeof(record->preload)) {
		message_error("%s: LD_PRELOAD is too long", record->options.verb);
		return -ENAMETOOLONG;
	}
	while (*list) {
		size_t length = strcspn(list, " :");
		char word[PATH_MAX];

		snprintf(word, sizeof(word), "%.*s", (int)length, list);
		if (length > 0 && !strstr(word, "/liblttngmap"))
			used += snprintf(record->preload + used, sizeof(record->preload) - used,
					 "%s%s", used ? ":" : "", word);
		list += length + (list[length] != '\0');
	}
	return 0;
}

static int append_ours(struct record *record)
{
	bool any = false;
	int error = 0;

	for (size_t i = 0; i < FAMILIES && !error; i++) {
		if (!is_wanted(&record->options, &families[i]))
			continue;
		any = true;
		error = append(record, families[i].library, true);
	}
	if (record->sdt_rules && !error) {
		any = true;
		error = append(record, RECORD_SDT_LIBRARY, true);
	}
	if (error || !any)
		return error;
	/*
	 * The families need this library anyway. Named here, it is also found in a build tree,
	 * where the loader would not search.
	 */
	for (size_t i = 0; i < sizeof(tracing_library) / sizeof(tracing_library[0]); i++) {
		bool last = i + 1 == sizeof(tracing_library) / sizeof(tracing_library[0]);

		error = append(record, tracing_library[i], last);
		if (error != -ENOENT)
			break;
	}
	return error;
}

int record_preload_choose(struct record *record)
{
	int error;

	record->preload[0] = '\0';
	error = record_program_refuses_preload(record) ? 0 : append_ours(record);
	return error ? error : append_inherited(record);
}
