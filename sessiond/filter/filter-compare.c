/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* filter-compare.c - code that goes one way or another by a comparison. */
#include "sessiond/filter/filter-emit.h"

static bool is_mirrored(const struct filter_node *node)
{
	return node->left->is_constant && !node->right->is_constant;
}

/* The same comparison with its sides exchanged. */
static enum filter_operator mirror(enum filter_operator operation)
{
	switch (operation) {
	case FILTER_LESS:
		return FILTER_GREATER;
	case FILTER_LESS_EQUAL:
		return FILTER_GREATER_EQUAL;
	case FILTER_GREATER:
		return FILTER_LESS;
	case FILTER_GREATER_EQUAL:
		return FILTER_LESS_EQUAL;
	default:
		return operation;
	}
}

static enum filter_operator negate(enum filter_operator operation)
{
	switch (operation) {
	case FILTER_EQUAL:
		return FILTER_NOT_EQUAL;
	case FILTER_NOT_EQUAL:
		return FILTER_EQUAL;
	case FILTER_LESS:
		return FILTER_GREATER_EQUAL;
	case FILTER_LESS_EQUAL:
		return FILTER_GREATER;
	case FILTER_GREATER:
		return FILTER_LESS_EQUAL;
	default:
		return FILTER_LESS;
	}
}

/* Is it so where the left side is less (-1) or greater (1)? */
static bool holds(enum filter_operator operation, int order)
{
	if (order < 0)
		return operation == FILTER_LESS || operation == FILTER_LESS_EQUAL ||
		       operation == FILTER_NOT_EQUAL;
	return operation == FILTER_GREATER || operation == FILTER_GREATER_EQUAL ||
	       operation == FILTER_NOT_EQUAL;
}

static unsigned jump_code(enum filter_operator operation, bool is_signed)
{
	switch (operation) {
	case FILTER_EQUAL:
		return FILTER_JMP(JEQ);
	case FILTER_NOT_EQUAL:
		return FILTER_JMP(JNE);
	case FILTER_LESS:
		return is_signed ? FILTER_JMP(JSLT) : FILTER_JMP(JLT);
	case FILTER_LESS_EQUAL:
		return is_signed ? FILTER_JMP(JSLE) : FILTER_JMP(JLE);
	case FILTER_GREATER:
		return is_signed ? FILTER_JMP(JSGT) : FILTER_JMP(JGT);
	default:
		return is_signed ? FILTER_JMP(JSGE) : FILTER_JMP(JGE);
	}
}

static struct filter_label *outcome_label(struct filter_outcome *outcome, bool result)
{
	return result == outcome->when ? outcome->to : &outcome->end;
}

/* By a register's value: 0 is false. */
static void jump_by_register(struct filter_emitter *emitter, unsigned number, bool when,
			     struct filter_outcome *outcome)
{
	filter_emit_jump(emitter, when == outcome->when ? FILTER_JMP(JNE) : FILTER_JMP(JEQ), number,
			 0, 0, outcome->to);
}

static void compare_doubles(struct filter_emitter *emitter, const struct filter_node *node,
			    struct filter_outcome *outcome)
{
	enum filter_operator operation = node->operation;
	bool is_reversed = operation == FILTER_GREATER || operation == FILTER_GREATER_EQUAL;
	enum lttngmap_filter_helper helper =
		operation == FILTER_EQUAL || operation == FILTER_NOT_EQUAL
			? LTTNGMAP_FILTER_FLOAT_EQUAL
		: operation == FILTER_LESS || operation == FILTER_GREATER
			? LTTNGMAP_FILTER_FLOAT_LESS
			: LTTNGMAP_FILTER_FLOAT_LESS_EQUAL;

	filter_call_double(emitter, node, helper, is_reversed, outcome_label(outcome, false));
	jump_by_register(emitter, 0, operation != FILTER_NOT_EQUAL, outcome);
}

static void compare_strings(struct filter_emitter *emitter, const struct filter_node *node,
			    struct filter_outcome *outcome)
{
	const struct filter_node *a = node->left, *b = node->right;
	enum filter_operator operation = node->operation;
	bool is_glob = a->has_any || b->has_any;

	if (is_glob)
		filter_match_string(emitter, a->has_any ? b : a, a->has_any ? a : b);
	else
		filter_compare_strings(emitter, a, b);
	if (a->kind == FILTER_NODE_CONTEXT || b->kind == FILTER_NODE_CONTEXT) {
		filter_emit_jump(emitter, FILTER_JMP(JEQ), 0, 0, LTTNGMAP_FILTER_NO_VALUE,
				 outcome_label(outcome, false));
		emitter->known_at_exit &= emitter->known;
	}
	if (is_glob) {
		jump_by_register(emitter, 0, operation == FILTER_EQUAL, outcome);
		return;
	}
	filter_emit_jump(emitter, jump_code(outcome->when ? operation : negate(operation), true), 0,
			 0, 0, outcome->to);
}

/*
 * Compares a signed with an unsigned register by value: a negative number is less than any unsigned
 * one.
 */
static void compare_mixed(struct filter_emitter *emitter, const struct filter_node *node,
			  unsigned left, unsigned right, struct filter_outcome *outcome)
{
	bool left_is_signed = node->left->type == FILTER_TYPE_SIGNED;
	bool result = holds(node->operation, left_is_signed ? -1 : 1);

	filter_emit_jump(emitter, FILTER_JMP(JSLT), left_is_signed ? left : right, 0, 0,
			 outcome_label(outcome, result));
	filter_emit_jump(emitter,
			 jump_code(outcome->when ? node->operation : negate(node->operation),
				   false) |
				 LTTNGMAP_FILTER_X,
			 left, right, 0, outcome->to);
}

/* May it be compared as that type without a change of value? */
static bool fits(const struct filter_node *node, enum filter_type type)
{
	return node->type == type || (node->is_constant && node->value <= INT64_MAX);
}

/* Narrower than 64 bits and signed, against a constant that has no sign: bits are enough. */
static bool is_plain_enough(const struct filter_node *variable, const struct filter_node *constant,
			    enum filter_operator operation)
{
	return (operation == FILTER_EQUAL || operation == FILTER_NOT_EQUAL) &&
	       variable->kind == FILTER_NODE_FIELD && variable->field->size < 8 &&
	       constant->value <= (uint64_t)INT64_MAX >> (64 - variable->field->size * 8);
}

static void compare_with_constant(struct filter_emitter *emitter, const struct filter_node *node,
				  struct filter_outcome *outcome)
{
	const struct filter_node *variable = is_mirrored(node) ? node->right : node->left;
	const struct filter_node *constant = is_mirrored(node) ? node->left : node->right;
	enum filter_operator operation = is_mirrored(node) ? mirror(node->operation)
							   : node->operation;
	struct filter_label *miss = outcome_label(outcome, false);
	unsigned code;

	if (is_plain_enough(variable, constant, operation))
		filter_load(emitter, variable, true, miss);
	else
		filter_value(emitter, variable, miss);
	if (!outcome->when)
		operation = negate(operation);
	code = jump_code(operation, variable->type == FILTER_TYPE_SIGNED);
	if (filter_is_immediate(constant->value)) {
		filter_emit_jump(emitter, code, 0, 0, (int32_t)constant->value, outcome->to);
		return;
	}
	filter_move_constant(emitter, 1, constant->value);
	filter_emit_jump(emitter, code | LTTNGMAP_FILTER_X, 0, 1, 0, outcome->to);
}

static void compare_integers(struct filter_emitter *emitter, const struct filter_node *node,
			     struct filter_outcome *outcome)
{
	const struct filter_node *a = node->left, *b = node->right;
	struct filter_label *miss = outcome_label(outcome, false);
	enum filter_operator operation = outcome->when ? node->operation : negate(node->operation);
	unsigned left;

	if ((b->is_constant && fits(b, a->type)) || (a->is_constant && fits(a, b->type))) {
		compare_with_constant(emitter, node, outcome);
		return;
	}
	filter_value(emitter, a, miss);
	filter_push(emitter);
	filter_value(emitter, b, miss);
	left = filter_pop(emitter, 1);
	if (a->type != b->type)
		compare_mixed(emitter, node, left, 0, outcome);
	else
		filter_emit_jump(emitter,
				 jump_code(operation, a->type == FILTER_TYPE_SIGNED) |
					 LTTNGMAP_FILTER_X,
				 left, 0, 0, outcome->to);
}

/* Is the enumeration's value one of those that the labels stand for? */
static void test_labels(struct filter_emitter *emitter, const struct filter_node *node,
			struct filter_outcome *outcome)
{
	bool is_left = node->left->kind == FILTER_NODE_FIELD;
	const struct filter_node *variable = is_left ? node->left : node->right;
	const struct filter_node *string = is_left ? node->right : node->left;
	const struct registry_field *field = variable->field;
	struct filter_label *inside = outcome_label(outcome, node->operation == FILTER_EQUAL);
	struct filter_label *outside = outcome_label(outcome, node->operation != FILTER_EQUAL);

	filter_load(emitter, variable, false, outside);
	for (uint32_t i = 0; i < field->nr_values; i++) {
		int64_t first = field->values[i].first, last = field->values[i].last;
		struct filter_label next = { 0 };

		if (!filter_label_matches(string, field->values[i].label))
			continue;
		/* One enumeration may serve signed and unsigned fields. */
		if (variable->type == FILTER_TYPE_UNSIGNED && first < 0)
			first = 0;
		if (first > last)
			continue;
		if (first == last && filter_is_immediate((uint64_t)first)) {
			filter_emit_jump(emitter, FILTER_JMP(JEQ), 0, 0, (int32_t)first, inside);
			continue;
		}
		filter_move_constant(emitter, 1, (uint64_t)first);
		filter_move_constant(emitter, 2, (uint64_t)last);
		filter_emit_jump(emitter, FILTER_JMP(JSLT) | LTTNGMAP_FILTER_X, 0, 1, 0, &next);
		filter_emit_jump(emitter, FILTER_JMP(JSLE) | LTTNGMAP_FILTER_X, 0, 2, 0, inside);
		filter_bind_label(emitter, &next);
	}
	filter_emit_jump(emitter, FILTER_JMP(JA), 0, 0, 0, outside);
}

void filter_jump_leaf(struct filter_emitter *emitter, const struct filter_node *node,
		      struct filter_outcome *outcome)
{
	if (!filter_is_comparison(node)) {
		filter_value(emitter, node, outcome_label(outcome, false));
		if (node->type == FILTER_TYPE_DOUBLE) {
			/* Both zeros are false; what is not a number is true, as in C. */
			filter_move(emitter, 1, 0);
			filter_move_constant(emitter, 2, 0);
			filter_call(emitter, LTTNGMAP_FILTER_FLOAT_EQUAL);
		}
		jump_by_register(emitter, 0, node->type != FILTER_TYPE_DOUBLE, outcome);
	} else if (filter_is_label_test(node)) {
		test_labels(emitter, node, outcome);
	} else if (node->left->type == FILTER_TYPE_STRING) {
		compare_strings(emitter, node, outcome);
	} else if (filter_is_integer(node->left) && filter_is_integer(node->right)) {
		compare_integers(emitter, node, outcome);
	} else {
		compare_doubles(emitter, node, outcome);
	}
}

static unsigned order_code(enum filter_operator operation)
{
	return (holds(operation, -1) ? LTTNGMAP_FILTER_IF_LESS : 0) |
	       (holds(operation, 1) ? LTTNGMAP_FILTER_IF_GREATER : 0) |
	       (operation == FILTER_EQUAL || operation == FILTER_LESS_EQUAL ||
				operation == FILTER_GREATER_EQUAL
			? LTTNGMAP_FILTER_IF_EQUAL
			: 0);
}

/* Emits the comparison as one instruction if there is one. */
static bool require_by_test(struct filter_emitter *emitter, const struct filter_node *node)
{
	const struct filter_node *variable, *constant;
	unsigned offset, integer;

	if (node->is_constant || !filter_is_comparison(node) || filter_is_label_test(node))
		return false;
	variable = is_mirrored(node) ? node->right : node->left;
	constant = is_mirrored(node) ? node->left : node->right;
	if (!constant->is_constant || !filter_is_integer(constant) ||
	    !filter_find_integer(emitter, variable, &offset, &integer) ||
	    !fits(constant, variable->type) || !filter_is_immediate(constant->value))
		return false;
	filter_emit(emitter,
		    LTTNGMAP_FILTER_TEST | order_code(is_mirrored(node) ? mirror(node->operation)
									: node->operation),
		    integer, 0, (int)offset, (int32_t)constant->value);
	return true;
}

void filter_require(struct filter_emitter *emitter, const struct filter_node *node)
{
	if (!node->is_constant && node->kind == FILTER_NODE_BINARY &&
	    node->operation == FILTER_AND) {
		filter_require(emitter, node->left);
		filter_require(emitter, node->right);
	} else if (!require_by_test(emitter, node)) {
		filter_jump(emitter, node, false, &emitter->reject);
	}
}
