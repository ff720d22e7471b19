/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * rule.h - the patterns of event rules: which event classes a channel records.
 * rule-list.h has a rule's other properties, and the list of rules.
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
#ifndef SESSIOND_RULE_RULE_H
#define SESSIOND_RULE_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "sessiond/class/registry.h"

#define RULE_LENGTH_MAX 4096u /* bytes of a rule's text */

struct rule;

/*
 * 0 or -errno; on -EINVAL `why`, if not NULL, says what is wrong with the
 * text and what a rule looks like.
 */
int rule_parse(const char *text, struct rule **rule, char *why, size_t why_size);
/* NULL is allowed. */
void rule_destroy(struct rule *rule);
/* The text that was given. */
const char *rule_text(const struct rule *rule);
bool rule_match(const struct rule *rule, const struct registry_class *event_class);

#endif /* SESSIOND_RULE_RULE_H */
