/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * rule.h - event rules: which event classes a channel records.
 *
 * A rule is one or more patterns, separated by commas; it matches a class
 * when one of them matches the whole of PROVIDER:NAME. In a pattern '*' stands
 * for any bytes, or none; "\*", "\," and "\\" stand for what follows the
 * backslash. "*" alone is everything.
 *
 *   app:request_*            lttng_ust_libc:malloc,lttng_ust_libc:free
 *
 * One thread.
 */
#ifndef LTTNGMAP_SESSIOND_RULE_H
#define LTTNGMAP_SESSIOND_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "sessiond/registry.h"

#define RULE_LENGTH_MAX 4096u /* bytes of a rule's text */
#define RULE_LIST_MAX 1024u   /* rules of a channel */

struct rule;

/*
 * 0 or -errno; on -EINVAL `why`, if not NULL, says what is wrong with the
 * text and what a rule looks like.
 */
int rule_parse(const char *text, struct rule **rule, char *why, size_t why_size);
/* NULL is allowed. */
void rule_destroy(struct rule *rule);
/* As it was given. */
const char *rule_text(const struct rule *rule);
bool rule_match(const struct rule *rule, const struct registry_class *event_class);

/* The rules of a channel; all zeros is an empty list. */
struct rule_list {
	struct rule **rules;
	size_t nr_rules;
};

/* A rule that is there already changes nothing. 0, or as rule_parse, or -ENOSPC. */
int rule_list_add(struct rule_list *list, const char *text, char *why, size_t why_size);
bool rule_list_match(const struct rule_list *list, const struct registry_class *event_class);
/* Leaves an empty list. */
void rule_list_clear(struct rule_list *list);

#endif /* LTTNGMAP_SESSIOND_RULE_H */
