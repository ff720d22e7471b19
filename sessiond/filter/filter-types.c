/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-types.c - what each part of an expression is for one event class:
 * its type, the field it names, its value where that is constant.
 *
 * The whole tree is gone through even where a field is missing, so that what
 * is wrong is told whatever else there is.
 */
#include "sessiond/filter/filter-tree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <lttngmap/abi.h>

struct binder {
	const char *text;
	const struct registry_class *event_class;
	const struct filter_context_list *contexts;
	struct filter_error *error;
	struct filter_error missing;
	bool has_error;
	bool has_missing;
};

/* Keeps the first only; the node's type is unknown from there on. */
#define REFUSE(binder, node, ...)                                                                  \
	do {                                                                                       \
		if (!(binder)->has_error)                                                          \
			filter_refuse((binder)->error, &(node)->span, __VA_ARGS__);                \
		(binder)->has_error = true;                                                        \
	} while (0)

static void bind(struct binder *binder, struct filter_node *node);

/* For messages: "the field 'a'", or what sort of thing else. */
static const char *describe(const struct filter_node *node, char *to, size_t size)
{
	static const char *const types[] = {
		[FILTER_TYPE_UNKNOWN] = "nothing",
		[FILTER_TYPE_SIGNED] = "an integer",
		[FILTER_TYPE_UNSIGNED] = "an integer",
		[FILTER_TYPE_DOUBLE] = "a floating-point number",
		[FILTER_TYPE_STRING] = "a string",
	};

	if (node->kind == FILTER_NODE_FIELD)
		snprintf(to, size, "the field '%.*s', %s", (int)(node->size < 80 ? node->size : 80),
			 node->bytes, types[node->type]);
	else if (node->kind == FILTER_NODE_CONTEXT)
		snprintf(to, size, "the context '%.*s', %s",
			 (int)(node->size < 80 ? node->size : 80), node->bytes, types[node->type]);
	else
		snprintf(to, size, "%s", types[node->type]);
	return to;
}

static void miss(struct binder *binder, const struct filter_node *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void miss(struct binder *binder, const struct filter_node *node, const char *format, ...)
{
	char what[FILTER_MESSAGE_SIZE];
	va_list arguments;

	if (binder->has_missing)
		return;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	filter_refuse(&binder->missing, &node->span, "%s", what);
	snprintf(binder->missing.field, sizeof(binder->missing.field), "%.*s", (int)node->size,
		 node->bytes);
	binder->has_missing = true;
}

/* ---- leaves -------------------------------------------------------------- */

static enum filter_type integer_type(const struct registry_field *field)
{
	return field->size == 8 && !(field->flags & LTTNGMAP_FIELD_SIGNED) ? FILTER_TYPE_UNSIGNED
									   : FILTER_TYPE_SIGNED;
}

static enum filter_type field_type(const struct registry_field *field)
{
	switch (field->kind) {
	case LTTNGMAP_FIELD_FLOAT:
		return FILTER_TYPE_DOUBLE;
	case LTTNGMAP_FIELD_STRING:
	case LTTNGMAP_FIELD_TEXT:
	case LTTNGMAP_FIELD_TEXT_SEQUENCE:
		return FILTER_TYPE_STRING;
	default:
		return integer_type(field);
	}
}

static const struct registry_field *find_field(const struct registry_class *event_class,
					       const char *name, size_t size)
{
	for (unsigned i = 0; i < event_class->nr_fields; i++) {
		const struct registry_field *field = &event_class->fields[i];

		if (strlen(field->name) == size && memcmp(field->name, name, size) == 0)
			return field;
	}
	return NULL;
}

/* False: there is no such element, which was told. */
static bool bind_index(struct binder *binder, struct filter_node *node)
{
	struct filter_node *index = node->right;

	bind(binder, index);
	if (index->type == FILTER_TYPE_UNKNOWN)
		return false;
	if (!index->is_constant || !filter_is_integer(index)) {
		REFUSE(binder, index, "an index has to be a constant integer");
		return false;
	}
	if (index->type == FILTER_TYPE_SIGNED && (int64_t)index->value < 0) {
		REFUSE(binder, index, "an index is not less than 0");
		return false;
	}
	if (node->field && !filter_has_elements(node->field)) {
		REFUSE(binder, node, "the field '%s' has no elements: only arrays and sequences do",
		       node->field->name);
		return false;
	}
	/* No record has room for more, so all beyond are missing alike. */
	node->index = index->value > UINT32_C(1) << LTTNGMAP_SUBBUF_SHIFT_MAX
			      ? UINT32_C(1) << LTTNGMAP_SUBBUF_SHIFT_MAX
			      : (uint32_t)index->value;
	if (node->field && node->field->kind == LTTNGMAP_FIELD_ARRAY &&
	    node->index >= node->field->count) {
		miss(binder, node,
		     "the array '%s' of event '%s' has %u elements: the last one is %s[%u]",
		     node->field->name, binder->event_class->full_name, node->field->count,
		     node->field->name, node->field->count - 1);
		return false;
	}
	return true;
}

static void bind_field(struct binder *binder, struct filter_node *node)
{
	node->field = find_field(binder->event_class, node->bytes, node->size);
	if (node->right && !bind_index(binder, node))
		return;
	if (!node->field) {
		miss(binder, node, "the event '%s' has no field '%.*s'",
		     binder->event_class->full_name, (int)node->size, node->bytes);
		return;
	}
	if (!node->right && filter_has_elements(node->field)) {
		REFUSE(binder, node, "the field '%s' has several values: say which, as in %s[0]",
		       node->field->name, node->field->name);
		return;
	}
	node->type = field_type(node->field);
}

static void bind_context(struct binder *binder, struct filter_node *node)
{
	size_t nr_contexts = binder->contexts ? binder->contexts->nr_contexts : 0;

	for (size_t i = 0; i < nr_contexts; i++) {
		const struct filter_context *context = &binder->contexts->contexts[i];

		if (strlen(context->name) == node->size &&
		    memcmp(context->name, node->bytes, node->size) == 0) {
			node->context_id = context->id;
			node->type = context->type;
			return;
		}
	}
	REFUSE(binder, node, "there is no context '%.*s'; see lttngmap-filter(7)", (int)node->size,
	       node->bytes);
}

/* ---- operators ----------------------------------------------------------- */

static bool need_truth(struct binder *binder, const struct filter_node *node)
{
	if (node->type == FILTER_TYPE_STRING)
		REFUSE(binder, node,
		       "a string is neither true nor false: compare it by '==' or '!='");
	return node->type != FILTER_TYPE_STRING;
}

static bool need_number(struct binder *binder, const struct filter_node *node,
			enum filter_operator operation)
{
	char what[160];

	if (node->type != FILTER_TYPE_STRING)
		return true;
	REFUSE(binder, node, "'%s' calculates with numbers, and this is %s",
	       filter_operator_text(operation), describe(node, what, sizeof(what)));
	return false;
}

static bool need_integer(struct binder *binder, const struct filter_node *node,
			 enum filter_operator operation)
{
	char what[160];

	if (node->type != FILTER_TYPE_STRING && node->type != FILTER_TYPE_DOUBLE)
		return true;
	REFUSE(binder, node, "'%s' is for integers, and this is %s",
	       filter_operator_text(operation), describe(node, what, sizeof(what)));
	return false;
}

static void bind_unary(struct binder *binder, struct filter_node *node)
{
	struct filter_node *operand = node->left;
	bool is_right;

	bind(binder, operand);
	if (node->operation == FILTER_NOT)
		is_right = need_truth(binder, operand);
	else if (node->operation == FILTER_INVERT)
		is_right = need_integer(binder, operand, node->operation);
	else
		is_right = need_number(binder, operand, node->operation);
	if (!is_right || operand->type == FILTER_TYPE_UNKNOWN)
		return;
	node->type = node->operation == FILTER_NOT ? FILTER_TYPE_SIGNED : operand->type;
	filter_fold_unary(node);
}

static bool is_enum(const struct filter_node *node)
{
	return node->kind == FILTER_NODE_FIELD && node->field &&
	       node->field->kind == LTTNGMAP_FIELD_ENUM;
}

bool filter_is_label_test(const struct filter_node *node)
{
	return filter_is_comparison(node) &&
	       ((is_enum(node->left) && node->right->kind == FILTER_NODE_STRING) ||
		(is_enum(node->right) && node->left->kind == FILTER_NODE_STRING));
}

bool filter_label_matches(const struct filter_node *string, const char *label)
{
	const char *pattern = string->bytes, *end = string->bytes + string->size;
	const char *after = NULL, *taken = NULL;

	/* Where bytes differ after an ANY, let that one take a byte more. */
	while (*label) {
		if (pattern < end && *pattern == FILTER_ANY) {
			after = ++pattern;
			taken = label;
		} else if (pattern < end && *pattern == *label) {
			pattern++;
			label++;
		} else if (after) {
			pattern = after;
			label = ++taken;
		} else {
			return false;
		}
	}
	return pattern == end || (end - pattern == 1 && *pattern == FILTER_ANY);
}

static void check_label(struct binder *binder, const struct filter_node *node)
{
	bool is_left = is_enum(node->left);
	const struct registry_field *field = (is_left ? node->left : node->right)->field;
	const struct filter_node *string = is_left ? node->right : node->left;

	if (node->operation != FILTER_EQUAL && node->operation != FILTER_NOT_EQUAL) {
		REFUSE(binder, node,
		       "labels have no order: use '==' or '!=', or compare with a number");
		return;
	}
	for (uint32_t i = 0; i < field->nr_values; i++) {
		if (filter_label_matches(string, field->values[i].label))
			return;
	}
	REFUSE(binder, string, "the enumeration '%.80s' has no label %.*s; its first is \"%.80s\"",
	       field->enum_name ? field->enum_name : field->name,
	       (int)(string->span.length < 80 ? string->span.length : 80),
	       binder->text + string->span.start, field->values[0].label);
}

static void check_strings(struct binder *binder, const struct filter_node *node)
{
	const struct filter_node *a = node->left, *b = node->right;
	bool for_equality = node->operation == FILTER_EQUAL || node->operation == FILTER_NOT_EQUAL;
	const struct filter_node *any = a->has_any ? a : b->has_any ? b : NULL;

	if (a->kind == FILTER_NODE_STRING && b->kind == FILTER_NODE_STRING)
		REFUSE(binder, node,
		       "both sides are constant: compare a string with a field or a context");
	else if (any && !for_equality)
		REFUSE(binder, any,
		       "'*' stands for any text beside '==' and '!=' only: write \\* for a star");
}

static void bind_comparison(struct binder *binder, struct filter_node *node)
{
	const struct filter_node *a = node->left, *b = node->right;
	bool a_is_string = a->type == FILTER_TYPE_STRING,
	     b_is_string = b->type == FILTER_TYPE_STRING;
	char what_a[160], what_b[160];

	if (a->type == FILTER_TYPE_UNKNOWN || b->type == FILTER_TYPE_UNKNOWN)
		return;
	node->type = FILTER_TYPE_SIGNED;
	if (filter_is_label_test(node)) {
		check_label(binder, node);
	} else if (a_is_string && b_is_string) {
		check_strings(binder, node);
	} else if (a_is_string || b_is_string) {
		/* Point at the constant: that is what can be written otherwise. */
		REFUSE(binder, a->kind == FILTER_NODE_STRING || a->is_constant ? a : b,
		       "a number and a string cannot be compared: %s, beside %s",
		       describe(a, what_a, sizeof(what_a)), describe(b, what_b, sizeof(what_b)));
	} else {
		filter_fold_binary(node);
	}
}

static void bind_logical(struct binder *binder, struct filter_node *node)
{
	bool left = need_truth(binder, node->left), right = need_truth(binder, node->right);

	if (!left || !right || node->left->type == FILTER_TYPE_UNKNOWN ||
	    node->right->type == FILTER_TYPE_UNKNOWN)
		return;
	node->type = FILTER_TYPE_SIGNED;
	filter_fold_binary(node);
}

/* A constant right operand that could never give a value. */
static bool check_right(struct binder *binder, const struct filter_node *node)
{
	const struct filter_node *right = node->right;

	if (!right->is_constant)
		return true;
	if ((node->operation == FILTER_DIVIDE || node->operation == FILTER_MODULO) &&
	    node->type != FILTER_TYPE_DOUBLE && right->value == 0) {
		REFUSE(binder, right, "this is a division by 0");
		return false;
	}
	if ((node->operation == FILTER_SHIFT_LEFT || node->operation == FILTER_SHIFT_RIGHT) &&
	    right->value > 63) {
		REFUSE(binder, right, "a shift is by 0 to 63 bits");
		return false;
	}
	return true;
}

static void bind_arithmetic(struct binder *binder, struct filter_node *node)
{
	const struct filter_node *a = node->left, *b = node->right;
	enum filter_operator operation = node->operation;
	bool is_shift = operation == FILTER_SHIFT_LEFT || operation == FILTER_SHIFT_RIGHT;
	bool for_doubles = operation == FILTER_ADD || operation == FILTER_SUBTRACT ||
			   operation == FILTER_MULTIPLY || operation == FILTER_DIVIDE;

	for (unsigned i = 0; i < 2; i++) {
		const struct filter_node *operand = i ? b : a;

		if (!(for_doubles ? need_number(binder, operand, operation)
				  : need_integer(binder, operand, operation)))
			return;
	}
	if (a->type == FILTER_TYPE_UNKNOWN || b->type == FILTER_TYPE_UNKNOWN)
		return;
	if (a->type == FILTER_TYPE_DOUBLE || b->type == FILTER_TYPE_DOUBLE)
		node->type = FILTER_TYPE_DOUBLE;
	else if (a->type == FILTER_TYPE_UNSIGNED || (b->type == FILTER_TYPE_UNSIGNED && !is_shift))
		node->type = FILTER_TYPE_UNSIGNED;
	else
		node->type = FILTER_TYPE_SIGNED;
	if (check_right(binder, node))
		filter_fold_binary(node);
}

static void bind(struct binder *binder, struct filter_node *node)
{
	node->type = FILTER_TYPE_UNKNOWN;
	node->is_constant = false;
	node->field = NULL;
	switch (node->kind) {
	case FILTER_NODE_NUMBER:
		node->type = node->number_type;
		node->is_constant = true;
		node->value = node->number;
		return;
	case FILTER_NODE_STRING:
		node->type = FILTER_TYPE_STRING;
		return;
	case FILTER_NODE_FIELD:
		bind_field(binder, node);
		return;
	case FILTER_NODE_CONTEXT:
		bind_context(binder, node);
		return;
	case FILTER_NODE_UNARY:
		bind_unary(binder, node);
		return;
	case FILTER_NODE_BINARY:
		break;
	}
	bind(binder, node->left);
	bind(binder, node->right);
	if (filter_is_comparison(node))
		bind_comparison(binder, node);
	else if (node->operation == FILTER_OR || node->operation == FILTER_AND)
		bind_logical(binder, node);
	else
		bind_arithmetic(binder, node);
}

int filter_types(struct filter_expression *expression, const struct registry_class *event_class,
		 const struct filter_context_list *contexts, bool is_condition,
		 struct filter_error *error)
{
	struct binder binder = {
		.text = expression->text,
		.event_class = event_class,
		.contexts = contexts,
		.error = error,
	};

	*error = (struct filter_error){ .message = "" };
	bind(&binder, expression->root);
	if (is_condition)
		need_truth(&binder, expression->root);
	if (binder.has_error)
		return -EINVAL;
	if (!binder.has_missing)
		return 0;
	*error = binder.missing;
	return -ENOENT;
}
