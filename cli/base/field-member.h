/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * field-member.h - finds a field in an event class, once for all its events, and reads integers
 * and strings.
 */
#ifndef CLI_BASE_FIELD_MEMBER_H
#define CLI_BASE_FIELD_MEMBER_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The index of the structure's member `name`; its type goes into *type. -1, and a *type that no
 * field has: `structure` has no such member, or is NULL or no structure.
 */
int64_t field_member(const bt_field_class *structure, const char *name, bt_field_class_type *type);

/*
 * Reads an integer or an enumeration; a negative value as its 64 bits. False: `field` is neither,
 * or NULL.
 */
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

/*
 * A string field's text, which lives as long as the field. babeltrace2 2.0 knows an empty one by
 * its length only: its value is what the event before had there.
 */
static inline const char *field_string(const bt_field *field)
{
	return bt_field_string_get_length(field) ? bt_field_string_get_value(field) : "";
}

#endif /* CLI_BASE_FIELD_MEMBER_H */
