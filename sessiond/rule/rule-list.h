/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * rule-list.h - the rules of a channel, as people give them: patterns, less
 * exclusions, log levels, a filter; on or off, each with a number.
 *
 * An event class is recorded when one rule that is on matches it: once,
 * however many do. Where all that match it have filters, its events are
 * recorded for which one of these is true.
 *
 * One thread.
 */
#ifndef SESSIOND_RULE_RULE_LIST_H
#define SESSIOND_RULE_RULE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sessiond/filter/filter.h"
#include "sessiond/rule/rule.h"

#define RULE_LIST_MAX 1024u /* rules of a channel */
/*
 * Bytes of all their texts, so that the rules of all channels of limited users are a part of what
 * the saved state holds (SAVED_TEXT_MAX).
 */
#define RULE_LIST_BYTES_MAX (256u << 10)
#define RULE_LIST_WHY_SIZE 384

/* A rule as it is requested; its texts are copied. */
struct rule_config {
	const char *patterns;
	const char *exclude; /* patterns; NULL: nothing */
	const char *filter;  /* NULL: every event */
	bool has_loglevel;
	uint8_t loglevel;   /* enum lttngmap_loglevel */
	bool loglevel_only; /* just that level, else at least as severe */
};

struct rule_entry {
	uint32_t id; /* from 1 on, never again in the channel */
	bool enabled;
	struct rule *patterns;
	struct rule *exclude;             /* or NULL */
	struct filter_expression *filter; /* or NULL */
	bool has_loglevel;
	uint8_t loglevel;
	bool loglevel_only;
};

/* All zeros is an empty list. */
struct rule_list {
	struct rule_entry **entries;
	size_t nr_entries;
	uint32_t last_id;
	size_t bytes;           /* of their texts */
	bool disabled;          /* none of them counts, whatever each one is */
	struct filter_map *map; /* of a map's channel, or NULL */
};

/* The reason why a rule is wrong, and the place if its filter is. */
struct rule_problem {
	char why[RULE_LIST_WHY_SIZE];
	bool in_filter;
	const char *in;      /* as of struct filter_error */
	unsigned int column; /* from 0 */
	unsigned int length;
};

/*
 * One more rule, enabled; the same as one that is there enables that. 0, and
 * problem->why is "", or a remark worth showing; -EINVAL, -ENOSPC with
 * *problem filled; -ENOMEM.
 */
int rule_list_add(struct rule_list *list, const struct rule_config *config,
		  struct rule_entry **entry, struct rule_problem *problem);
/* NULL: there is none. */
struct rule_entry *rule_list_find(const struct rule_list *list, uint32_t id);
void rule_list_remove(struct rule_list *list, struct rule_entry *entry);
/* Whether it is enabled is not asked. */
bool rule_entry_match(const struct rule_entry *entry, const struct registry_class *event_class);
/*
 * Does its filter, and the map that it is for (or NULL), fit a class that it matches? 0; -ENOENT:
 * the class lacks a field, so none of its events is recorded by this rule; -EINVAL: it is wrong for
 * the class; -E2BIG; -ENOMEM. Where it is not 0, *problem is filled.
 */
int rule_entry_check(const struct rule_entry *entry, struct filter_map *map,
		     const struct registry_class *event_class, struct rule_problem *problem);
/*
 * Decides by the enabled rules about a class. 0: its events are not recorded. 1: they are recorded,
 * all of them if *filter is NULL, else those that pass the filter, which the caller destroys. Else
 * -E2BIG or -ENOMEM.
 */
int rule_list_decide(const struct rule_list *list, const struct registry_class *event_class,
		     struct filter_program **filter);
/* Leaves an empty list. */
void rule_list_clear(struct rule_list *list);

#endif /* SESSIOND_RULE_RULE_LIST_H */
