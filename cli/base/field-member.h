/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* field-member.h - where a class of events has a field, to be asked once for all of them; and its
 * number. */
#ifndef LTTNGMAP_CLI_BASE_FIELD_MEMBER_H
#define LTTNGMAP_CLI_BASE_FIELD_MEMBER_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The number of the structure's member of that name, and *type what it is; -1, with a *type
 * that is none: there is none, or no structure (NULL).
 */
int64_t field_member(const bt_field_class *structure, const char *name, bt_field_class_type *type);

/* An integer or enumeration, a negative one as its 64 bits. False: it is none, or NULL. */
static inline bool field_integer(const bt_field *field, uint64_t *value)
{
	bt_field_class_type type = field ? bt_field_get_class_type(field) : 0;

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		*value = bt_field_integer_unsigned_get_value(field);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		*value = (uint64_t)bt_field_integer_signed_get_value(field);
	else
		return false;
	return true;
}

#endif /* LTTNGMAP_CLI_BASE_FIELD_MEMBER_H */
