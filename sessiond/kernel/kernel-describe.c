/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/kernel/kernel-describe.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of their alignment: the one allocation. */
struct description {
	struct registry_class class;
	struct registry_field fields[LTTNGMAP_FIELDS_MAX];
	struct registry_enum_value values[];
};

/*
 * The one number with names that Trace Compass's analysis of a kernel reads: which soft
 * interrupt it is. Where that has names it ends, and the whole analysis with it.
 */
static bool must_be_number(const struct kernel_class *class, const struct lttngmap_field *field)
{
	return strcmp(class->system, "irq") == 0 && strncmp(class->name, "softirq_", 8) == 0 &&
	       strcmp(field->name, "vec") == 0;
}

static uint32_t count_values(const struct kernel_class *class, const struct lttngmap_field *field)
{
	if (field->kind != LTTNGMAP_FIELD_ENUM || must_be_number(class, field))
		return 0;
	return field->enumeration->nr_values;
}

/* Its labels begin at `values`. */
static void describe_field(const struct kernel_class *class, const struct lttngmap_field *from,
			   struct registry_enum_value *values, struct registry_field *field)
{
	*field = (struct registry_field){
		.name = from->name,
		.kind = must_be_number(class, from) ? LTTNGMAP_FIELD_INTEGER : from->kind,
		.size = from->size,
		.flags = from->flags,
		.base = from->base,
		.count = from->count,
		.nr_values = count_values(class, from),
	};
	if (field->nr_values == 0)
		return;
	field->enum_name = from->enumeration->name;
	field->values = values;
	for (uint32_t i = 0; i < field->nr_values; i++) {
		const struct lttngmap_enum_value *value = &from->enumeration->values[i];

		values[i] = (struct registry_enum_value){ value->label, value->first, value->last };
	}
}

struct registry_class *kernel_class_describe(const struct kernel_class *class)
{
	size_t name_size = strlen(class->system) + strlen(class->name) + sizeof(":");
	struct registry_enum_value *values;
	struct description *description;
	size_t nr_values = 0;
	char *name;

	for (unsigned int i = 0; i < class->nr_fields; i++)
		nr_values += count_values(class, &class->fields[i]);
	description = calloc(1, sizeof(*description) + nr_values * sizeof(*values) + name_size);
	if (!description)
		return NULL;
	values = description->values;
	name = (char *)(values + nr_values);
	snprintf(name, name_size, "%s:%s", class->system, class->name);
	for (unsigned int i = 0; i < class->nr_fields; i++) {
		describe_field(class, &class->fields[i], values, &description->fields[i]);
		values += description->fields[i].nr_values;
	}
	description->class = (struct registry_class){
		.id = class->id,
		.loglevel = LTTNGMAP_LOGLEVEL_INFO,
		.nr_fields = (uint8_t) class->nr_fields,
		.provider = class->system,
		.name = class->name,
		.full_name = name,
		.fields = description->fields,
	};
	return &description->class;
}
