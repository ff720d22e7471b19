/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-oracle.h - what a filter says of a record, found out in another way.
 *
 * A reader of its own calculates the value of an expression while it reads
 * it, from the values a record was packed of. It shares no code with the
 * compiler or the machine, and takes for granted that the filter is right.
 */
#ifndef FILTER_ORACLE_H
#define FILTER_ORACLE_H

#include "tests/utils/filter-record.h"

bool filter_oracle(const char *text, const struct filter_values *values);

#endif /* FILTER_ORACLE_H */
