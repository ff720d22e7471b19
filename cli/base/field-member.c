/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/base/field-member.h"

#include <string.h>

int64_t field_member(const bt_field_class *structure, const char *name, bt_field_class_type *type)
{
	uint64_t count = structure ? bt_field_class_structure_get_member_count(structure) : 0;

	for (uint64_t i = 0; i < count; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(structure, i);

		if (strcmp(bt_field_class_structure_member_get_name(member), name) == 0) {
			*type = bt_field_class_get_type(
				bt_field_class_structure_member_borrow_field_class_const(member));
			return (int64_t)i;
		}
	}
	*type = 0;
	return -1;
}
