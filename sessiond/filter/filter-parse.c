/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-parse.c - a filter expression as a tree. By precedence climbing: an
 * operator takes as its right operand what binds tighter than it does.
 */
#include "sessiond/filter/filter-tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Maximum nesting of parentheses, indexes and operators before an operand. */
#define NESTING_MAX 64

/* C's; 0 is no operator between two operands. */
static const unsigned char precedence[] = {
	[FILTER_OR] = 1,          [FILTER_AND] = 2,           [FILTER_BIT_OR] = 3,
	[FILTER_BIT_XOR] = 4,     [FILTER_BIT_AND] = 5,       [FILTER_EQUAL] = 6,
	[FILTER_NOT_EQUAL] = 6,   [FILTER_LESS] = 7,          [FILTER_LESS_EQUAL] = 7,
	[FILTER_GREATER] = 7,     [FILTER_GREATER_EQUAL] = 7, [FILTER_SHIFT_LEFT] = 8,
	[FILTER_SHIFT_RIGHT] = 8, [FILTER_ADD] = 9,           [FILTER_SUBTRACT] = 9,
	[FILTER_MULTIPLY] = 10,   [FILTER_DIVIDE] = 10,       [FILTER_MODULO] = 10,
	[FILTER_PLUS] = 0,
};

struct parser {
	struct filter_lexer lexer;
	struct filter_token token; /* the next one */
	struct filter_expression *expression;
	struct filter_error *error;
	unsigned nesting;
};

static int parse_binary(struct parser *parser, unsigned least, struct filter_node **node);

static int advance(struct parser *parser)
{
	return filter_lex(&parser->lexer, &parser->token);
}

static struct filter_node *new_node(struct parser *parser, enum filter_node_kind kind,
				    struct filter_span span)
{
	struct filter_node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	node->kind = kind;
	node->span = span;
	node->next = parser->expression->nodes;
	parser->expression->nodes = node;
	return node;
}

/* A span of all from the first to the last byte of both. */
static struct filter_span join(struct filter_span first, struct filter_span last)
{
	return (struct filter_span){ first.start, last.start + last.length - first.start };
}

static int refuse_token(struct parser *parser)
{
	const struct filter_token *token = &parser->token;

	if (token->kind == FILTER_TOKEN_END)
		return filter_refuse(parser->error, &token->span,
				     token->span.start == 0
					     ? "this filter is empty"
					     : "the filter ends here, but a value has to follow");
	return filter_refuse(parser->error, &token->span,
			     "a value has to stand here: a field, $ctx.NAME, a number or a string");
}

static int expect(struct parser *parser, enum filter_token_kind kind, struct filter_span opened,
		  const char *what)
{
	const struct filter_token *token = &parser->token;

	if (token->kind == kind)
		return 0;
	if (token->kind == FILTER_TOKEN_END)
		return filter_refuse(parser->error, &opened, "no '%s' closes this", what);
	return filter_refuse(parser->error, &token->span, "an operator or '%s' has to stand here",
			     what);
}

static int enter(struct parser *parser)
{
	if (++parser->nesting > NESTING_MAX)
		return filter_refuse(parser->error, &parser->token.span,
				     "parentheses and operators before operands are nested more "
				     "than %u deep",
				     NESTING_MAX);
	return 0;
}

/* ---- operands ------------------------------------------------------------ */

static int parse_index(struct parser *parser, struct filter_node *node)
{
	struct filter_span opened = parser->token.span;
	int error = enter(parser);

	if (error == 0)
		error = advance(parser);
	if (error == 0)
		error = parse_binary(parser, 1, &node->right);
	if (error == 0)
		error = expect(parser, FILTER_TOKEN_CLOSE_INDEX, opened, "]");
	if (error < 0)
		return error;
	parser->nesting--;
	node->span = join(node->span, parser->token.span);
	return advance(parser);
}

static int parse_leaf(struct parser *parser, struct filter_node **node)
{
	static const enum filter_node_kind kinds[] = {
		[FILTER_TOKEN_NUMBER] = FILTER_NODE_NUMBER,
		[FILTER_TOKEN_STRING] = FILTER_NODE_STRING,
		[FILTER_TOKEN_NAME] = FILTER_NODE_FIELD,
		[FILTER_TOKEN_CONTEXT] = FILTER_NODE_CONTEXT,
	};
	const struct filter_token *token = &parser->token;
	struct filter_node *leaf = new_node(parser, kinds[token->kind], token->span);
	int error;

	if (!leaf)
		return -ENOMEM;
	*node = leaf;
	leaf->number_type = token->type;
	leaf->number = token->value;
	leaf->bytes = token->bytes;
	leaf->size = token->size;
	leaf->has_any = token->has_any;
	error = advance(parser);
	if (error == 0 && leaf->kind == FILTER_NODE_FIELD &&
	    parser->token.kind == FILTER_TOKEN_OPEN_INDEX)
		error = parse_index(parser, leaf);
	return error;
}

static int parse_parentheses(struct parser *parser, struct filter_node **node)
{
	struct filter_span opened = parser->token.span;
	int error = enter(parser);

	if (error == 0)
		error = advance(parser);
	if (error == 0)
		error = parse_binary(parser, 1, node);
	if (error == 0)
		error = expect(parser, FILTER_TOKEN_CLOSE, opened, ")");
	if (error < 0)
		return error;
	parser->nesting--;
	(*node)->in_parentheses = true;
	(*node)->span = join(opened, parser->token.span);
	return advance(parser);
}

static enum filter_operator prefix_of(enum filter_operator operation)
{
	switch (operation) {
	case FILTER_ADD:
		return FILTER_PLUS;
	case FILTER_SUBTRACT:
		return FILTER_NEGATE;
	case FILTER_NOT:
	case FILTER_INVERT:
		return operation;
	default:
		return FILTER_NONE;
	}
}

static int parse_operand(struct parser *parser, struct filter_node **node);

static int parse_prefixed(struct parser *parser, enum filter_operator operation,
			  struct filter_node **node)
{
	struct filter_node *unary = new_node(parser, FILTER_NODE_UNARY, parser->token.span);
	int error;

	if (!unary)
		return -ENOMEM;
	unary->operation = operation;
	error = enter(parser);
	if (error == 0)
		error = advance(parser);
	if (error == 0)
		error = parse_operand(parser, &unary->left);
	if (error < 0)
		return error;
	parser->nesting--;
	unary->span = join(unary->span, unary->left->span);
	*node = unary;
	return 0;
}

static int parse_operand(struct parser *parser, struct filter_node **node)
{
	enum filter_operator prefix;

	switch (parser->token.kind) {
	case FILTER_TOKEN_NUMBER:
	case FILTER_TOKEN_STRING:
	case FILTER_TOKEN_NAME:
	case FILTER_TOKEN_CONTEXT:
		return parse_leaf(parser, node);
	case FILTER_TOKEN_OPEN:
		return parse_parentheses(parser, node);
	case FILTER_TOKEN_OPERATOR:
		prefix = prefix_of(parser->token.operation);
		return prefix ? parse_prefixed(parser, prefix, node) : refuse_token(parser);
	default:
		return refuse_token(parser);
	}
}

/* ---- operators ----------------------------------------------------------- */

/*
 * `flags & 4 == 4`: C and we compare first, LTTng takes the bits first. It
 * stays what it is in C, and whoever wrote it is told.
 */
static void remark_precedence(struct parser *parser, const struct filter_node *node)
{
	bool is_bits = node->operation == FILTER_BIT_AND || node->operation == FILTER_BIT_OR ||
		       node->operation == FILTER_BIT_XOR;
	const struct filter_node *operands[] = { node->left, node->right };

	for (unsigned i = 0; is_bits && i < 2; i++) {
		if (!filter_is_comparison(operands[i]) || operands[i]->in_parentheses ||
		    parser->error->message[0])
			continue;
		filter_refuse(parser->error, &operands[i]->span,
			      "as in C, and unlike in LTTng, this '%s' is done before the '%s': "
			      "parentheses say which is meant",
			      filter_operator_text(operands[i]->operation),
			      filter_operator_text(node->operation));
	}
}

static unsigned token_precedence(const struct parser *parser)
{
	return parser->token.kind == FILTER_TOKEN_OPERATOR &&
			       parser->token.operation < sizeof(precedence)
		       ? precedence[parser->token.operation]
		       : 0;
}

/* An expression of operators that bind at least as tightly as `least`. */
static int parse_binary(struct parser *parser, unsigned least, struct filter_node **node)
{
	struct filter_node *left;
	int error = parse_operand(parser, &left);
	unsigned binds;

	while (error == 0 && (binds = token_precedence(parser)) >= least && binds > 0) {
		struct filter_node *binary =
			new_node(parser, FILTER_NODE_BINARY, parser->token.span);

		if (!binary)
			return -ENOMEM;
		binary->operation = parser->token.operation;
		binary->left = left;
		error = advance(parser);
		if (error == 0)
			error = parse_binary(parser, binds + 1, &binary->right);
		if (error < 0)
			return error;
		binary->span = join(left->span, binary->right->span);
		remark_precedence(parser, binary);
		left = binary;
	}
	*node = left;
	return error;
}

/* ---- the whole ----------------------------------------------------------- */

static int parse(struct filter_expression *expression, struct filter_error *error)
{
	struct parser parser = {
		.lexer = { .text = expression->text,
			   .strings = expression->strings,
			   .error = error },
		.expression = expression,
		.error = error,
	};
	int status = advance(&parser);

	if (status == 0)
		status = parse_binary(&parser, 1, &expression->root);
	if (status == 0 && parser.token.kind == FILTER_TOKEN_CLOSE)
		return filter_refuse(error, &parser.token.span, "no '(' stands before this ')'");
	if (status == 0 && parser.token.kind != FILTER_TOKEN_END)
		return filter_refuse(error, &parser.token.span,
				     "an operator has to stand here, as '&&' or '=='");
	return status;
}

int filter_expression_parse(const char *text, struct filter_expression **expression,
			    struct filter_error *error)
{
	size_t length = strnlen(text, FILTER_TEXT_MAX + 1);
	struct filter_expression *new;
	char *copy;
	int status;

	*error = (struct filter_error){ .message = "" };
	if (length > FILTER_TEXT_MAX) {
		struct filter_span span = { FILTER_TEXT_MAX, 1 };

		return filter_refuse(error, &span, "a filter has no more than %u bytes",
				     FILTER_TEXT_MAX);
	}
	new = calloc(1, sizeof(*new) + 2 * (length + 1));
	if (!new)
		return -ENOMEM;
	copy = (char *)(new + 1);
	memcpy(copy, text, length);
	new->text = copy;
	new->strings = copy + length + 1;
	status = parse(new, error);
	if (status < 0) {
		filter_expression_destroy(new);
		return status;
	}
	*expression = new;
	return 0;
}

void filter_expression_destroy(struct filter_expression *expression)
{
	struct filter_node *node, *next;

	if (!expression)
		return;
	for (node = expression->nodes; node; node = next) {
		next = node->next;
		free(node);
	}
	free(expression);
}

const char *filter_expression_text(const struct filter_expression *expression)
{
	return expression->text;
}
