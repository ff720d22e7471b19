/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-tree.h - what the steps of the filter compiler hand to each other.
 *
 *   filter-lex.c      text to tokens
 *   filter-parse.c    tokens to a tree of nodes, for no class yet
 *   filter-types.c    each node's type for a class; filter-fold.c calculates
 *                     what is constant
 *   filter-code.c     code of the tree; filter-compare.c of comparisons,
 *                     filter-value.c of numbers, filter-operand.c of leaves,
 *                     filter-emit.c instruction by instruction
 */
#ifndef SESSIOND_FILTER_FILTER_TREE_H
#define SESSIOND_FILTER_FILTER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sessiond/filter/filter.h"

/* In a string constant: any text. No other byte of it is 0. */
#define FILTER_ANY '\0'

enum filter_operator {
	FILTER_NONE = 0,
	FILTER_OR,
	FILTER_AND,
	FILTER_BIT_OR,
	FILTER_BIT_XOR,
	FILTER_BIT_AND,
	FILTER_EQUAL,
	FILTER_NOT_EQUAL,
	FILTER_LESS,
	FILTER_LESS_EQUAL,
	FILTER_GREATER,
	FILTER_GREATER_EQUAL,
	FILTER_SHIFT_LEFT,
	FILTER_SHIFT_RIGHT,
	FILTER_ADD,
	FILTER_SUBTRACT, /* NEGATE, where it has one operand */
	FILTER_MULTIPLY,
	FILTER_DIVIDE,
	FILTER_MODULO,
	FILTER_NOT,
	FILTER_INVERT,
	FILTER_NEGATE,
	FILTER_PLUS,
};

/* A place in the text, bytes. */
struct filter_span {
	unsigned start;
	unsigned length;
};

/* ---- tokens -------------------------------------------------------------- */

enum filter_token_kind {
	FILTER_TOKEN_END,
	FILTER_TOKEN_NUMBER,
	FILTER_TOKEN_STRING,
	FILTER_TOKEN_NAME,    /* a.b too */
	FILTER_TOKEN_CONTEXT, /* the name behind $ctx. */
	FILTER_TOKEN_OPERATOR,
	FILTER_TOKEN_OPEN,
	FILTER_TOKEN_CLOSE,
	FILTER_TOKEN_OPEN_INDEX,
	FILTER_TOKEN_CLOSE_INDEX,
};

struct filter_token {
	enum filter_token_kind kind;
	enum filter_operator operation;
	struct filter_span span;
	enum filter_type type; /* NUMBER */
	uint64_t value;        /* NUMBER: integer, or the bits of a double */
	const char *bytes;     /* STRING, NAME, CONTEXT; no NUL behind it */
	size_t size;
	bool has_any; /* STRING */
};

struct filter_lexer {
	const char *text;
	unsigned at;
	char *strings; /* room for what strings say, as much as the text has */
	struct filter_error *error;
};

/* 0 or -EINVAL. */
int filter_lex(struct filter_lexer *lexer, struct filter_token *token);

/* Fill `error`, which may be told once only; -EINVAL. */
int filter_refuse(struct filter_error *error, const struct filter_span *span, const char *format,
		  ...) __attribute__((format(printf, 3, 4)));

/* How an operator is written. */
const char *filter_operator_text(enum filter_operator operation);

/* ---- the tree ------------------------------------------------------------ */

enum filter_node_kind {
	FILTER_NODE_NUMBER,
	FILTER_NODE_STRING,
	FILTER_NODE_FIELD, /* right: its index, or NULL */
	FILTER_NODE_CONTEXT,
	FILTER_NODE_UNARY, /* left */
	FILTER_NODE_BINARY,
};

struct filter_node {
	struct filter_node *next; /* all of the expression */
	enum filter_node_kind kind;
	enum filter_operator operation;
	struct filter_span span;
	struct filter_node *left;
	struct filter_node *right;
	const char *bytes; /* STRING, FIELD, CONTEXT */
	size_t size;
	bool has_any; /* STRING */
	bool in_parentheses;
	enum filter_type number_type; /* NUMBER */
	uint64_t number;

	/* Set by filter_types for a class. */
	enum filter_type type;
	bool is_constant; /* a number, `value` */
	uint64_t value;
	const struct registry_field *field; /* FIELD */
	uint32_t index;                     /* FIELD of an array or sequence */
	uint32_t context_id;                /* CONTEXT */
};

struct filter_expression {
	struct filter_node *nodes;
	struct filter_node *root;
	const char *text;
	char *strings;
};

/* 0, -EINVAL or -ENOENT, as filter_compile. `is_condition`: it is to be true or false. */
int filter_types(struct filter_expression *expression, const struct registry_class *event_class,
		 const struct filter_context_list *contexts, bool is_condition,
		 struct filter_error *error);

/* Make a node with its type constant if its operands are; what has no value was refused. */
void filter_fold_unary(struct filter_node *node);
void filter_fold_binary(struct filter_node *node);

static inline bool filter_is_comparison(const struct filter_node *node)
{
	return node->kind == FILTER_NODE_BINARY && node->operation >= FILTER_EQUAL &&
	       node->operation <= FILTER_GREATER_EQUAL;
}

static inline bool filter_is_integer(const struct filter_node *node)
{
	return node->type == FILTER_TYPE_SIGNED || node->type == FILTER_TYPE_UNSIGNED;
}

/* A field of several values: it needs an index. */
static inline bool filter_has_elements(const struct registry_field *field)
{
	return field->kind == LTTNGMAP_FIELD_ARRAY || field->kind == LTTNGMAP_FIELD_SEQUENCE;
}

/* An enumeration beside a string: is its value one of those labels? */
bool filter_is_label_test(const struct filter_node *node);
/* Does the label match the string, with its globs? */
bool filter_label_matches(const struct filter_node *string, const char *label);

#endif /* SESSIOND_FILTER_FILTER_TREE_H */
