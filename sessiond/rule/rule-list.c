/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/rule/rule-list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lttngmap/filter-code.h>

#include "common/base/context.h"

static void entry_free(struct rule_entry *entry)
{
	rule_destroy(entry->patterns);
	rule_destroy(entry->exclude);
	filter_expression_destroy(entry->filter);
	free(entry);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same(const struct rule_entry *entry, const struct rule_config *config)
{
	return strcmp(rule_text(entry->patterns), config->patterns) == 0 &&
	       same_text(entry->exclude ? rule_text(entry->exclude) : NULL, config->exclude) &&
	       same_text(entry->filter ? filter_expression_text(entry->filter) : NULL,
			 config->filter) &&
	       entry->has_loglevel == config->has_loglevel &&
	       (!entry->has_loglevel || (entry->loglevel == config->loglevel &&
					 entry->loglevel_only == config->loglevel_only));
}

static size_t text_size(const char *patterns, const char *exclude, const char *filter)
{
	return strlen(patterns) + (exclude ? strlen(exclude) : 0) + (filter ? strlen(filter) : 0);
}

static size_t entry_size(const struct rule_entry *entry)
{
	return text_size(rule_text(entry->patterns),
			 entry->exclude ? rule_text(entry->exclude) : NULL,
			 entry->filter ? filter_expression_text(entry->filter) : NULL);
}

/* Names that $ctx.NAME accepts: each context of one value, the CPU and the event's name. */
static const struct filter_context_list *context_list(void)
{
	static struct filter_context contexts[LTTNGMAP_CONTEXTS + 2];
	static struct filter_context_list list = { contexts, 0 };
	size_t count = 0;

	for (uint32_t i = 0; i < LTTNGMAP_CONTEXTS; i++) {
		const struct context_kind *kind = &context_kinds[i];
		bool is_unsigned = kind->size == 8 && !kind->is_signed;

		if (kind->is_sequence)
			continue;
		contexts[count++] = (struct filter_context){
			.name = kind->name,
			.id = i,
			.type = kind->is_text ? FILTER_TYPE_STRING
				: is_unsigned ? FILTER_TYPE_UNSIGNED
					      : FILTER_TYPE_SIGNED,
		};
	}
	contexts[count++] = (struct filter_context){
		.name = "cpu_id",
		.id = LTTNGMAP_FILTER_CONTEXT_CPU_ID,
		.type = FILTER_TYPE_SIGNED,
	};
	contexts[count++] = (struct filter_context){
		.name = "event",
		.id = FILTER_CONTEXT_EVENT,
		.type = FILTER_TYPE_STRING,
	};
	list.nr_contexts = count;
	return &list;
}

static void tell_problem(struct rule_problem *problem, const struct filter_error *error)
{
	snprintf(problem->why, sizeof(problem->why), "%s", error->message);
	problem->in_filter = true;
	problem->in = error->in;
	problem->column = error->column - 1;
	problem->length = error->length;
}

static int take_filter(struct rule_entry *entry, const char *filter, struct rule_problem *problem)
{
	struct filter_error why;
	int error;

	if (!filter)
		return 0;
	error = filter_expression_parse(filter, &entry->filter, &why);
	if (error != -ENOMEM && why.message[0] != '\0')
		tell_problem(problem, &why);
	return error;
}

static int entry_create(const struct rule_config *config, struct rule_entry **result,
			struct rule_problem *problem)
{
	struct rule_entry *entry = calloc(1, sizeof(*entry));
	int error;

	if (!entry)
		return -ENOMEM;
	error = rule_parse(config->patterns, &entry->patterns, problem->why, sizeof(problem->why));
	if (error == 0 && config->exclude)
		error = rule_parse(config->exclude, &entry->exclude, problem->why,
				   sizeof(problem->why));
	if (error == 0)
		error = take_filter(entry, config->filter, problem);
	if (error) {
		entry_free(entry);
		return error;
	}
	entry->enabled = true;
	entry->has_loglevel = config->has_loglevel;
	entry->loglevel = config->loglevel;
	entry->loglevel_only = config->has_loglevel && config->loglevel_only;
	*result = entry;
	return 0;
}

int rule_list_add(struct rule_list *list, const struct rule_config *config,
		  struct rule_entry **result, struct rule_problem *problem)
{
	struct rule_entry **entries, *entry;
	int error;

	*problem = (struct rule_problem){ .in_filter = false };
	for (size_t i = 0; i < list->nr_entries; i++) {
		if (is_same(list->entries[i], config)) {
			list->entries[i]->enabled = true;
			*result = list->entries[i];
			return 0;
		}
	}
	if (list->nr_entries >= RULE_LIST_MAX ||
	    text_size(config->patterns, config->exclude, config->filter) >
		    RULE_LIST_BYTES_MAX - list->bytes) {
		snprintf(problem->why, sizeof(problem->why),
			 "a channel has no more than %u rules, of %u KiB together", RULE_LIST_MAX,
			 RULE_LIST_BYTES_MAX >> 10);
		return -ENOSPC;
	}
	error = entry_create(config, &entry, problem);
	if (error)
		return error;
	entries = reallocarray(list->entries, list->nr_entries + 1, sizeof(*entries));
	if (!entries) {
		entry_free(entry);
		return -ENOMEM;
	}
	entry->id = ++list->last_id;
	list->entries = entries;
	list->entries[list->nr_entries++] = entry;
	list->bytes += entry_size(entry);
	*result = entry;
	return 0;
}

struct rule_entry *rule_list_find(const struct rule_list *list, uint32_t id)
{
	for (size_t i = 0; i < list->nr_entries; i++)
		if (list->entries[i]->id == id)
			return list->entries[i];
	return NULL;
}

void rule_list_remove(struct rule_list *list, struct rule_entry *entry)
{
	size_t at = 0;

	while (list->entries[at] != entry)
		at++;
	list->nr_entries--;
	list->bytes -= entry_size(entry);
	memmove(list->entries + at, list->entries + at + 1,
		(list->nr_entries - at) * sizeof(list->entries[0]));
	entry_free(entry);
}

bool rule_entry_match(const struct rule_entry *entry, const struct registry_class *event_class)
{
	if (entry->has_loglevel && (entry->loglevel_only ? event_class->loglevel != entry->loglevel
							 : event_class->loglevel > entry->loglevel))
		return false;
	return rule_match(entry->patterns, event_class) &&
	       !(entry->exclude && rule_match(entry->exclude, event_class));
}

static int compile(const struct rule_entry *entry, struct filter_map *map, uint64_t roles,
		   const struct registry_class *event_class, struct filter_program **program,
		   struct filter_error *why)
{
	if (!map)
		return filter_compile(entry->filter, event_class, context_list(), program, why);
	return filter_compile_map(entry->filter, map, roles, event_class, context_list(), program,
				  why);
}

int rule_entry_check(const struct rule_entry *entry, struct filter_map *map,
		     const struct registry_class *event_class, struct rule_problem *problem)
{
	struct filter_program *program;
	struct filter_error why;
	int error;

	if (!entry->filter && !map)
		return 0;
	error = compile(entry, map, map && map->is_latency ? LTTNGMAP_FILTER_FIRST : 0, event_class,
			&program, &why);
	if (error == 0)
		filter_program_destroy(program);
	else if (error != -ENOMEM)
		tell_problem(problem, &why);
	return error;
}

/* One program of all roles that the event has in a map of latencies; as below. */
static int compile_pair(const struct rule_list *list, const struct registry_class *event_class,
			struct filter_program **program)
{
	static const uint64_t roles_of[] = { LTTNGMAP_FILTER_FIRST, LTTNGMAP_FILTER_SECOND };
	const struct rule_entry *matching = NULL;
	struct filter_error why;
	uint64_t roles = 0;
	int error;

	for (size_t i = 0; i < list->nr_entries && i < 2; i++) {
		if (!list->entries[i]->enabled || !rule_entry_match(list->entries[i], event_class))
			continue;
		matching = list->entries[i];
		roles |= roles_of[i];
	}
	if (!matching)
		return 0;
	if (list->map->is_one_rule)
		roles = LTTNGMAP_FILTER_FIRST | LTTNGMAP_FILTER_SECOND;
	error = compile(matching, list->map, roles, event_class, program, &why);
	return error == 0 ? 1 : error == -ENOMEM || error == -E2BIG ? error : 0;
}

/*
 * The filters of those that match: as many as are returned, 0 where an event
 * is not recorded; -EEXIST: one that matches has none.
 */
static int compile_matching(const struct rule_list *list, const struct registry_class *event_class,
			    struct filter_program **programs)
{
	struct filter_error why;
	int nr_programs = 0;

	if (list->map && list->map->is_latency)
		return compile_pair(list, event_class, programs);
	for (size_t i = 0; i < list->nr_entries; i++) {
		struct rule_entry *entry = list->entries[i];

		if (entry->enabled && !entry->filter && !list->map &&
		    rule_entry_match(entry, event_class))
			return -EEXIST;
	}
	for (size_t i = 0; i < list->nr_entries; i++) {
		struct rule_entry *entry = list->entries[i];
		int error;

		if (!entry->enabled || !rule_entry_match(entry, event_class))
			continue;
		error = compile(entry, list->map, 0, event_class, &programs[nr_programs], &why);
		if (error == 0)
			nr_programs++;
		else if (error == -ENOMEM || error == -E2BIG)
			return error;
	}
	return nr_programs;
}

int rule_list_decide(const struct rule_list *list, const struct registry_class *event_class,
		     struct filter_program **filter)
{
	struct filter_program **programs;
	int result;

	*filter = NULL;
	if (list->disabled)
		return 0;
	programs = calloc(list->nr_entries + 1, sizeof(*programs));
	if (!programs)
		return -ENOMEM;
	result = compile_matching(list, event_class, programs);
	if (result > 0)
		result = filter_combine((const struct filter_program *const *)programs,
					(size_t)result, filter)
				 ?: 1;
	else if (result == -EEXIST)
		result = 1;
	for (size_t i = 0; i < list->nr_entries; i++)
		filter_program_destroy(programs[i]);
	free(programs);
	return result;
}

void rule_list_clear(struct rule_list *list)
{
	for (size_t i = 0; i < list->nr_entries; i++)
		entry_free(list->entries[i]);
	free(list->entries);
	*list = (struct rule_list){ .map = list->map };
}
