/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/kernel/kernel-class.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "common/kernel/kernel-format.h"
#include "common/kernel/kernel-step.h"

/* ---- what a format says of one field ----------------------------------------- */

/* The type's words are a C identifier's bytes; "u8" is not found in "u8x". */
static bool has_word(const char *type, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(type, word); at; at = strstr(at + 1, word)) {
		bool begins = at == type || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
		unsigned char next = (unsigned char)at[length];

		if (begins && !(isalnum(next) || next == '_'))
			return true;
	}
	return false;
}

/* Bytes of `unsigned char` and `u8` are numbers, as in addresses. */
static bool is_text(const struct tep_format_field *from)
{
	return has_word(from->type, "char") && !has_word(from->type, "unsigned") &&
	       !has_word(from->type, "signed");
}

static bool is_integer_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static uint8_t element_size(const struct tep_format_field *from)
{
	/* A bit for each CPU, in words. */
	if (has_word(from->type, "cpumask_t"))
		return sizeof(long);
	return is_integer_size(from->elementsize) ? (uint8_t)from->elementsize : 1;
}

static enum kernel_place place_of(const struct tep_format_field *from)
{
	if (from->flags & TEP_FIELD_IS_DYNAMIC)
		return from->flags & TEP_FIELD_IS_RELATIVE ? KERNEL_PLACE_RELATIVE
							   : KERNEL_PLACE_DYNAMIC;
	/* Some versions do not know __rel_loc, and take it for a part of the type. */
	if (has_word(from->type, "__rel_loc"))
		return KERNEL_PLACE_RELATIVE;
	if (has_word(from->type, "__data_loc"))
		return KERNEL_PLACE_DYNAMIC;
	return from->size == 0 ? KERNEL_PLACE_REST : KERNEL_PLACE_FIXED;
}

static bool is_identifier(const char *name)
{
	size_t length = strlen(name);

	if (length == 0 || length > LTTNGMAP_NAME_MAX || isdigit((unsigned char)name[0]))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return true;
}

/* One without labels; where it lies is the step's. 0 or -EBADMSG. */
static int take_field(const struct tep_format_field *from, enum kernel_place place,
		      struct lttngmap_field *field)
{
	uint8_t size = element_size(from);

	*field = (struct lttngmap_field){
		.base = from->flags & TEP_FIELD_IS_POINTER ? 16 : 10,
		.flags = from->flags & TEP_FIELD_IS_SIGNED ? LTTNGMAP_FIELD_SIGNED : 0,
		.size = size,
	};
	if (!is_identifier(from->name))
		return -EBADMSG;
	if (place != KERNEL_PLACE_FIXED) {
		if (place != KERNEL_PLACE_REST && from->size != sizeof(uint32_t))
			return -EBADMSG;
		field->kind = is_text(from) ? LTTNGMAP_FIELD_STRING : LTTNGMAP_FIELD_SEQUENCE;
		if (field->kind == LTTNGMAP_FIELD_STRING)
			field->size = 1;
		return 0;
	}
	if (!(from->flags & TEP_FIELD_IS_ARRAY) && is_integer_size((unsigned)from->size)) {
		field->kind = LTTNGMAP_FIELD_INTEGER;
		field->size = (uint8_t)from->size;
		return 0;
	}
	/* An array, or a struct: of that, its bytes. */
	if (!(from->flags & TEP_FIELD_IS_ARRAY) || (unsigned)from->size % size != 0)
		field->size = 1;
	field->kind = from->flags & TEP_FIELD_IS_ARRAY && is_text(from) ? LTTNGMAP_FIELD_TEXT
									: LTTNGMAP_FIELD_ARRAY;
	if (field->kind == LTTNGMAP_FIELD_TEXT)
		field->size = 1;
	field->count = (uint32_t)from->size / field->size;
	return 0;
}

/* ---- labels ------------------------------------------------------------------ */

/* One allocation for an enumeration; its labels' texts stand behind the values. */
struct labels {
	struct lttngmap_enum enumeration;
	struct lttngmap_enum_value values[];
};

static const struct tep_print_arg *strip_casts(const struct tep_print_arg *arg)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	return arg;
}

/* The values and names that a print format shows for the field itself. */
static const struct tep_print_flag_sym *find_symbols(const struct tep_event *event,
						     const char *name)
{
	for (const struct tep_print_arg *arg = event->print_fmt.args; arg; arg = arg->next) {
		const struct tep_print_arg *field;

		if (arg->type != TEP_PRINT_SYMBOL)
			continue;
		field = strip_casts(arg->symbol.field);
		if (field && field->type == TEP_PRINT_FIELD && strcmp(field->field.name, name) == 0)
			return arg->symbol.symbols;
	}
	return NULL;
}

/* ASCII without control characters: what a reader of metadata cannot stumble over. */
static bool is_label(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] > 0x7e)
			return false;
	return length > 0 && length <= LTTNGMAP_NAME_MAX;
}

/* A number, of either sign; some formats have but a name that the kernel's sources know. */
static bool get_value(const char *text, int64_t *value)
{
	char *end;

	*value = (int64_t)strtoull(text, &end, 0);
	return end != text && end[strspn(end, "uUlL")] == '\0';
}

static struct labels *copy_labels(const struct tep_print_flag_sym *first, const char *name)
{
	const struct tep_print_flag_sym *symbol;
	size_t texts = 0;
	uint32_t count = 0;
	struct labels *labels;
	char *text;

	for (symbol = first; symbol; symbol = symbol->next) {
		texts += strlen(symbol->str) + 1;
		count++;
	}
	labels = calloc(1, sizeof(*labels) + count * sizeof(labels->values[0]) + texts);
	if (!labels)
		return NULL;
	labels->enumeration = (struct lttngmap_enum){ .name = name, .values = labels->values };
	text = (char *)&labels->values[count];
	for (symbol = first; symbol; symbol = symbol->next) {
		int64_t value;
		uint32_t index = labels->enumeration.nr_values;

		if (!is_label(symbol->str) || !get_value(symbol->value, &value) ||
		    index == LTTNGMAP_ENUM_VALUES_MAX)
			continue;
		strcpy(text, symbol->str);
		labels->values[index] = (struct lttngmap_enum_value){ text, value, value };
		labels->enumeration.nr_values = index + 1;
		text += strlen(text) + 1;
	}
	return labels;
}

/* 0 or -ENOMEM. */
static int take_labels(const struct tep_event *event, struct lttngmap_field *field)
{
	const struct tep_print_flag_sym *first;
	struct labels *labels;

	if (field->kind != LTTNGMAP_FIELD_INTEGER)
		return 0;
	first = find_symbols(event, field->name);
	if (!first)
		return 0;
	labels = copy_labels(first, field->name);
	if (!labels)
		return -ENOMEM;
	if (labels->enumeration.nr_values == 0) {
		free(labels);
		return 0;
	}
	field->kind = LTTNGMAP_FIELD_ENUM;
	field->enumeration = &labels->enumeration;
	return 0;
}

/* ---- a class ------------------------------------------------------------------ */

static int add_field(struct kernel_class *class, const struct tep_event *event,
		     const struct tep_format_field *from)
{
	struct lttngmap_field *field = &class->fields[class->nr_fields];
	enum kernel_place place = place_of(from);
	int error;

	if (class->nr_fields == LTTNGMAP_FIELDS_MAX)
		return -E2BIG;
	if (from->offset < 0 || from->size < 0 || from->offset > KERNEL_STEP_OFFSET_MAX ||
	    from->size > KERNEL_STEP_OFFSET_MAX)
		return -EBADMSG;
	error = take_field(from, place, field);
	if (error)
		return error;
	field->name = strdup(from->name);
	if (!field->name)
		return -ENOMEM;
	class->nr_fields++;
	kernel_step_add(class->steps, &class->nr_steps,
			&(struct kernel_step){
				.offset = (uint32_t)from->offset,
				.size = (uint32_t)from->size,
				.place = (uint8_t)place,
				.element = field->kind == LTTNGMAP_FIELD_STRING ? 0 : field->size,
			});
	return take_labels(event, field);
}

static int add_fields(struct kernel_class *class, const struct tep_event *event,
		      const struct tep_format_field *from)
{
	int error = 0;

	for (; from && !error; from = from->next)
		if (strcmp(from->name, "common_type") != 0)
			error = add_field(class, event, from);
	return error;
}

/* Finds the leading steps that copy bytes without a look at the record. */
static void find_first_steps(struct kernel_class *class)
{
	for (uint32_t i = 0; i < class->nr_steps; i++) {
		const struct kernel_step *step = &class->steps[i];

		if (step->place != KERNEL_PLACE_FIXED)
			break;
		if (step->offset + step->size > class->first_end)
			class->first_end = step->offset + step->size;
		class->first_size += step->size;
		class->nr_first++;
	}
}

static int take_event(struct kernel_class *class, const struct tep_event *event)
{
	int error;

	if (event->id < 0 || event->id > UINT16_MAX || !is_identifier(event->name) ||
	    !is_identifier(event->system))
		return -EBADMSG;
	class->id = (uint16_t)event->id;
	class->system = strdup(event->system);
	class->name = strdup(event->name);
	class->fields = calloc(LTTNGMAP_FIELDS_MAX + 1, sizeof(*class->fields));
	class->steps = calloc(LTTNGMAP_FIELDS_MAX, sizeof(*class->steps));
	if (!class->system || !class->name || !class->fields || !class->steps)
		return -ENOMEM;
	error = add_fields(class, event, event->format.common_fields);
	if (!error)
		error = add_fields(class, event, event->format.fields);
	find_first_steps(class);
	return !error && class->nr_fields == 0 ? -EBADMSG : error;
}

/* A handle for each: what it knows of one event shall not bear upon another. */
static int parse(struct kernel_class *class, const char *system, const char *text, size_t size,
		 const struct kernel_format *format)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event;
	int error = -EBADMSG;

	if (!tep)
		return -ENOMEM;
	tep_set_long_size(tep, sizeof(long));
	tep_set_loglevel(TEP_LOG_NONE);
	/* The result also covers the print format, which matters for labels only. */
	tep_parse_event(tep, text, size, system);
	event = tep_get_first_event(tep);
	/* It leaves out fields that it does not understand. */
	if (event && event->name && event->system &&
	    event->format.nr_common + event->format.nr_fields == (int)format->fields)
		error = take_event(class, event);
	tep_free(tep);
	return error;
}

static int parse_text(const char *system, const char *text, size_t size,
		      const struct kernel_format *format, struct kernel_class **result)
{
	struct kernel_class *class = calloc(1, sizeof(*class));
	int error;

	if (!class)
		return -ENOMEM;
	error = parse(class, system, text, size, format);
	if (error)
		kernel_class_destroy(class);
	else
		*result = class;
	return error;
}

int kernel_class_parse(const char *system, const char *text, size_t size,
		       struct kernel_class **result)
{
	struct kernel_format format;

	*result = NULL;
	if (size > KERNEL_FORMAT_MAX)
		return -E2BIG;
	if (!kernel_format_check(text, size, &format))
		return -EBADMSG;
	return parse_text(system, text, size, &format, result);
}

int kernel_class_parse_fields(const char *system, const char *text, size_t size,
			      struct kernel_class **result)
{
	static const char print[] = "print fmt: \"\"\n";
	struct kernel_format format;
	char *fields;
	int error;

	*result = NULL;
	if (size > KERNEL_FORMAT_MAX)
		return -E2BIG;
	if (!kernel_format_check(text, size, &format))
		return -EBADMSG;
	fields = malloc(format.print + sizeof(print));
	if (!fields)
		return -ENOMEM;
	memcpy(fields, text, format.print);
	memcpy(fields + format.print, print, sizeof(print));
	error = parse_text(system, fields, format.print + sizeof(print) - 1, &format, result);
	free(fields);
	return error;
}

void kernel_class_destroy(struct kernel_class *class)
{
	if (!class)
		return;
	for (unsigned i = 0; i < class->nr_fields; i++) {
		/* An enumeration is the first member of its labels. */
		free((void *)class->fields[i].enumeration);
		free((void *)class->fields[i].name);
	}
	free(class->fields);
	free(class->steps);
	free(class->system);
	free(class->name);
	free(class);
}
