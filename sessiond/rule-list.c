/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/rule-list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void entry_free(struct rule_entry *entry)
{
	rule_destroy(entry->patterns);
	rule_destroy(entry->exclude);
	free(entry->filter);
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
	       same_text(entry->filter, config->filter) &&
	       entry->has_loglevel == config->has_loglevel &&
	       (!entry->has_loglevel || (entry->loglevel == config->loglevel &&
					 entry->loglevel_only == config->loglevel_only));
}

static int take_filter(struct rule_entry *entry, const char *filter, struct rule_problem *problem)
{
	if (!filter)
		return 0;
	entry->filter = strdup(filter);
	if (!entry->filter)
		return -ENOMEM;
	snprintf(problem->why, sizeof(problem->why), "filters are not supported yet");
	return -EOPNOTSUPP;
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

	*problem = (struct rule_problem){ .why = "out of memory" };
	for (size_t i = 0; i < list->nr_entries; i++) {
		if (is_same(list->entries[i], config)) {
			list->entries[i]->enabled = true;
			*result = list->entries[i];
			return 0;
		}
	}
	if (list->nr_entries >= RULE_LIST_MAX) {
		snprintf(problem->why, sizeof(problem->why),
			 "a channel has no more than %u rules: use patterns", RULE_LIST_MAX);
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

bool rule_list_match(const struct rule_list *list, const struct registry_class *event_class)
{
	for (size_t i = 0; i < list->nr_entries; i++)
		if (list->entries[i]->enabled && rule_entry_match(list->entries[i], event_class))
			return true;
	return false;
}

void rule_list_clear(struct rule_list *list)
{
	for (size_t i = 0; i < list->nr_entries; i++)
		entry_free(list->entries[i]);
	free(list->entries);
	*list = (struct rule_list){ .entries = NULL };
}
