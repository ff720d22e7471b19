/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* filter-value.c - code that leaves a number in r0. */
#include "sessiond/filter/filter-emit.h"

#include "common/base/filter-float.h"

/* r0 = the value, as a double. */
static void value_double(struct filter_emitter *emitter, const struct filter_node *node,
			 struct filter_label *miss)
{
	filter_value(emitter, node, miss);
	if (node->type == FILTER_TYPE_DOUBLE)
		return;
	filter_move(emitter, 1, 0);
	filter_call(emitter, node->type == FILTER_TYPE_UNSIGNED
				     ? LTTNGMAP_FILTER_FLOAT_FROM_UNSIGNED
				     : LTTNGMAP_FILTER_FLOAT_FROM_SIGNED);
}

void filter_call_double(struct filter_emitter *emitter, const struct filter_node *node,
			enum lttngmap_filter_helper helper, bool is_reversed,
			struct filter_label *miss)
{
	unsigned left_to = is_reversed ? 2 : 1, right_to = is_reversed ? 1 : 2;

	value_double(emitter, node->left, miss);
	filter_push(emitter);
	value_double(emitter, node->right, miss);
	filter_move(emitter, right_to, 0);
	filter_move(emitter, left_to, filter_pop(emitter, left_to));
	filter_call(emitter, helper);
}

static unsigned alu_code(enum filter_operator operation, bool is_signed)
{
	switch (operation) {
	case FILTER_BIT_OR:
		return FILTER_ALU(OR);
	case FILTER_BIT_XOR:
		return FILTER_ALU(XOR);
	case FILTER_BIT_AND:
		return FILTER_ALU(AND);
	case FILTER_SHIFT_LEFT:
		return FILTER_ALU(LSH);
	case FILTER_SHIFT_RIGHT:
		return is_signed ? FILTER_ALU(ARSH) : FILTER_ALU(RSH);
	case FILTER_ADD:
		return FILTER_ALU(ADD);
	case FILTER_SUBTRACT:
		return FILTER_ALU(SUB);
	case FILTER_MULTIPLY:
		return FILTER_ALU(MUL);
	case FILTER_DIVIDE:
		return FILTER_ALU(DIV);
	default:
		return FILTER_ALU(MOD);
	}
}

static void value_integer_arithmetic(struct filter_emitter *emitter, const struct filter_node *node,
				     struct filter_label *miss)
{
	const struct filter_node *right = node->right;
	bool is_signed = node->type == FILTER_TYPE_SIGNED;
	unsigned code = alu_code(node->operation, is_signed);
	bool is_division = node->operation == FILTER_DIVIDE || node->operation == FILTER_MODULO;
	int offset = is_division && is_signed;

	filter_value(emitter, node->left, miss);
	if (right->is_constant) {
		if (filter_is_immediate(right->value)) {
			filter_emit(emitter, code, 0, 0, offset, (int32_t)right->value);
			return;
		}
		filter_move_constant(emitter, 1, right->value);
	} else {
		filter_push(emitter);
		filter_value(emitter, right, miss);
		filter_move(emitter, 1, 0);
		filter_move(emitter, 0, filter_pop(emitter, 0));
		if (node->operation == FILTER_SHIFT_LEFT || node->operation == FILTER_SHIFT_RIGHT)
			filter_emit_jump(emitter, FILTER_JMP(JGT), 1, 0, 63, &emitter->reject);
	}
	filter_emit(emitter, code | LTTNGMAP_FILTER_X, 0, 1, offset, 0);
}

static void value_double_arithmetic(struct filter_emitter *emitter, const struct filter_node *node,
				    struct filter_label *miss)
{
	enum lttngmap_filter_helper helper =
		node->operation == FILTER_ADD        ? LTTNGMAP_FILTER_FLOAT_ADD
		: node->operation == FILTER_SUBTRACT ? LTTNGMAP_FILTER_FLOAT_SUB
		: node->operation == FILTER_MULTIPLY ? LTTNGMAP_FILTER_FLOAT_MUL
						     : LTTNGMAP_FILTER_FLOAT_DIV;

	filter_call_double(emitter, node, helper, false, miss);
}

/* r0 = 1 or 0. */
static void value_truth(struct filter_emitter *emitter, const struct filter_node *node)
{
	struct filter_label is_false = { 0 }, end = { 0 };

	filter_jump(emitter, node, false, &is_false);
	filter_move_constant(emitter, 0, 1);
	filter_emit_jump(emitter, FILTER_JMP(JA), 0, 0, 0, &end);
	filter_bind_label(emitter, &is_false);
	filter_move_constant(emitter, 0, 0);
	filter_bind_label(emitter, &end);
}

static void value_unary(struct filter_emitter *emitter, const struct filter_node *node,
			struct filter_label *miss)
{

	filter_value(emitter, node->left, miss);
	if (node->operation == FILTER_INVERT) {
		filter_emit(emitter, FILTER_ALU(XOR), 0, 0, 0, -1);
	} else if (node->operation == FILTER_NEGATE && node->type == FILTER_TYPE_DOUBLE) {
		filter_move_constant(emitter, 1, FILTER_FLOAT_SIGN);
		filter_emit(emitter, FILTER_ALU(XOR) | LTTNGMAP_FILTER_X, 0, 1, 0, 0);
	} else if (node->operation == FILTER_NEGATE) {
		filter_emit(emitter, FILTER_ALU(NEG), 0, 0, 0, 0);
	}
}

/* Is it made of jumps? */
static bool is_truth(const struct filter_node *node)
{
	return filter_is_comparison(node) ||
	       (node->kind == FILTER_NODE_UNARY && node->operation == FILTER_NOT) ||
	       (node->kind == FILTER_NODE_BINARY &&
		(node->operation == FILTER_OR || node->operation == FILTER_AND));
}

void filter_value(struct filter_emitter *emitter, const struct filter_node *node,
		  struct filter_label *miss)
{
	if (node->is_constant)
		filter_move_constant(emitter, 0, node->value);
	else if (is_truth(node))
		value_truth(emitter, node);
	else if (node->kind == FILTER_NODE_UNARY)
		value_unary(emitter, node, miss);
	else if (node->kind != FILTER_NODE_BINARY)
		filter_load(emitter, node, false, miss);
	else if (node->type == FILTER_TYPE_DOUBLE)
		value_double_arithmetic(emitter, node, miss);
	else
		value_integer_arithmetic(emitter, node, miss);
}
