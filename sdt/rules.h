/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * rules.h - which probes somebody wants. Pure.
 */
#ifndef SDT_RULES_H
#define SDT_RULES_H

#include <stdbool.h>

/*
 * Does one of the rules, PROVIDER:NAME with '*' for any text, between commas, match this
 * one? Not if both names together have more than 510 bytes.
 */
bool sdt_rules_match(const char *rules, const char *provider, const char *name);

#endif /* SDT_RULES_H */
