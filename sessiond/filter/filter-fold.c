/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-fold.c - calculating what is constant in an expression, with the
 * same results as the machine's.
 */
#include "common/base/filter-float.h"

#include "sessiond/filter/filter-tree.h"

static uint64_t as_double(const struct filter_node *node)
{
	if (node->type == FILTER_TYPE_DOUBLE)
		return node->value;
	return node->type == FILTER_TYPE_UNSIGNED ? filter_float_from_unsigned(node->value)
						  : filter_float_from_signed(node->value);
}

static bool is_true(const struct filter_node *node)
{
	return node->type == FILTER_TYPE_DOUBLE ? !filter_float_equal(node->value, 0)
						: node->value != 0;
}

/* -1, 0 or 1 by value, whatever the signs; 2: one is not a number. */
static int compare_constants(const struct filter_node *a, const struct filter_node *b)
{
	bool a_negative = a->type == FILTER_TYPE_SIGNED && (int64_t)a->value < 0;
	bool b_negative = b->type == FILTER_TYPE_SIGNED && (int64_t)b->value < 0;

	if (!filter_is_integer(a) || !filter_is_integer(b)) {
		uint64_t x = as_double(a), y = as_double(b);

		if (filter_float_unordered(x, y))
			return 2;
		return filter_float_less(y, x) - filter_float_less(x, y);
	}
	if (a_negative != b_negative)
		return a_negative ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

static bool decide(enum filter_operator operation, int order)
{
	switch (operation) {
	case FILTER_EQUAL:
		return order == 0;
	case FILTER_NOT_EQUAL:
		return order != 0;
	case FILTER_LESS:
		return order == -1;
	case FILTER_LESS_EQUAL:
		return order == -1 || order == 0;
	case FILTER_GREATER:
		return order == 1;
	default:
		return order == 1 || order == 0;
	}
}

static uint64_t calculate_double(enum filter_operator operation, uint64_t a, uint64_t b)
{
	switch (operation) {
	case FILTER_ADD:
		return filter_float_calculate(FILTER_FLOAT_ADD, a, b);
	case FILTER_SUBTRACT:
		return filter_float_calculate(FILTER_FLOAT_SUB, a, b);
	case FILTER_MULTIPLY:
		return filter_float_calculate(FILTER_FLOAT_MUL, a, b);
	default:
		return filter_float_calculate(FILTER_FLOAT_DIV, a, b);
	}
}

static uint64_t divide_signed(enum filter_operator operation, int64_t a, int64_t b)
{
	/* The most negative number has no positive one. */
	if (b == -1)
		return operation == FILTER_DIVIDE ? -(uint64_t)a : 0;
	return (uint64_t)(operation == FILTER_DIVIDE ? a / b : a % b);
}

/* Division by 0 and long shifts were refused. Wraps around as the machine. */
static uint64_t calculate_integer(enum filter_operator operation, uint64_t a, uint64_t b,
				  bool is_signed)
{
	switch (operation) {
	case FILTER_BIT_OR:
		return a | b;
	case FILTER_BIT_XOR:
		return a ^ b;
	case FILTER_BIT_AND:
		return a & b;
	case FILTER_SHIFT_LEFT:
		return a << b;
	case FILTER_SHIFT_RIGHT:
		return is_signed ? (uint64_t)((int64_t)a >> b) : a >> b;
	case FILTER_ADD:
		return a + b;
	case FILTER_SUBTRACT:
		return a - b;
	case FILTER_MULTIPLY:
		return a * b;
	default:
		if (is_signed)
			return divide_signed(operation, (int64_t)a, (int64_t)b);
		return operation == FILTER_DIVIDE ? a / b : a % b;
	}
}

void filter_fold_binary(struct filter_node *node)
{
	const struct filter_node *a = node->left, *b = node->right;

	if (!a->is_constant || !b->is_constant)
		return;
	node->is_constant = true;
	if (node->operation == FILTER_OR)
		node->value = is_true(a) || is_true(b);
	else if (node->operation == FILTER_AND)
		node->value = is_true(a) && is_true(b);
	else if (filter_is_comparison(node))
		node->value = decide(node->operation, compare_constants(a, b));
	else if (node->type == FILTER_TYPE_DOUBLE)
		node->value = calculate_double(node->operation, as_double(a), as_double(b));
	else
		node->value = calculate_integer(node->operation, a->value, b->value,
						node->type == FILTER_TYPE_SIGNED);
}

void filter_fold_unary(struct filter_node *node)
{
	const struct filter_node *operand = node->left;

	if (!operand->is_constant)
		return;
	node->is_constant = true;
	switch (node->operation) {
	case FILTER_NOT:
		node->value = !is_true(operand);
		break;
	case FILTER_INVERT:
		node->value = ~operand->value;
		break;
	case FILTER_NEGATE:
		node->value = node->type == FILTER_TYPE_DOUBLE ? operand->value ^ FILTER_FLOAT_SIGN
							       : -operand->value;
		break;
	default:
		node->value = operand->value;
	}
}
