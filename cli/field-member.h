/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* field-member.h - where a class of events has a field, to be asked once for all of them. */
#ifndef LTTNGMAP_CLI_FIELD_MEMBER_H
#define LTTNGMAP_CLI_FIELD_MEMBER_H

#include <babeltrace2/babeltrace.h>
#include <stdint.h>

/*
 * The number of the structure's member of that name, and *type what it is; -1, with a *type
 * that is none: there is none, or no structure (NULL).
 */
int64_t field_member(const bt_field_class *structure, const char *name, bt_field_class_type *type);

#endif /* LTTNGMAP_CLI_FIELD_MEMBER_H */
