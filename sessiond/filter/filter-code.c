/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-code.c - code of an expression whose types are known, as a program.
 *
 * Conditions become jumps, numbers end in r0. A value
 * that is missing (an element beyond a sequence's end, a context that there is
 * not) makes the comparison it is in false: code that may find it so has a
 * label to go to, `miss`.
 */
#include "sessiond/filter/filter-emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/filter-float.h"

void filter_jump(struct filter_emitter *emitter, const struct filter_node *node, bool when,
		 struct filter_label *to)
{
	struct filter_outcome outcome = { .to = to, .when = when };
	uint64_t known;

	if (node->is_constant) {
		bool is_true = node->type == FILTER_TYPE_DOUBLE
				       ? !filter_float_equal(node->value, 0)
				       : node->value != 0;

		if (is_true == when)
			filter_emit_jump(emitter, FILTER_JMP(JA), 0, 0, 0, to);
	} else if (node->kind == FILTER_NODE_UNARY && node->operation == FILTER_NOT) {
		filter_jump(emitter, node->left, !when, to);
	} else if (node->kind == FILTER_NODE_BINARY &&
		   (node->operation == FILTER_AND || node->operation == FILTER_OR)) {
		/* Does the left side alone decide for `to`, or for going on? */
		bool decides = (node->operation == FILTER_OR) == when;

		filter_jump(emitter, node->left, decides ? when : !when,
			    decides ? to : &outcome.end);
		known = emitter->known;
		filter_jump(emitter, node->right, when, to);
		filter_bind_label(emitter, &outcome.end);
		/* The right side may have been left out. */
		emitter->known = known;
	} else {
		known = emitter->known_at_exit;
		emitter->known_at_exit = UINT64_MAX;
		filter_jump_leaf(emitter, node, &outcome);
		filter_bind_label(emitter, &outcome.end);
		emitter->known &= emitter->known_at_exit;
		emitter->known_at_exit = known;
	}
}

/* ---- programs ------------------------------------------------------------ */

static struct filter_program *new_program(size_t size)
{
	struct filter_program *program = calloc(1, sizeof(*program) + size);

	if (program)
		program->size = size;
	return program;
}

static struct filter_program *make_program(const struct filter_emitter *emitter)
{
	struct lttngmap_filter_program header = {
		.nr_instructions = emitter->nr_codes,
		.pool_size = (emitter->pool_size + 7) & ~7u,
	};
	size_t code_size = emitter->nr_codes * sizeof(emitter->code[0]);
	struct filter_program *program = new_program(sizeof(header) + code_size + header.pool_size);
	uint8_t *to;

	if (!program)
		return NULL;
	to = (uint8_t *)program->bytes;
	memcpy(to, &header, sizeof(header));
	memcpy(to + sizeof(header), emitter->code, code_size);
	memcpy(to + sizeof(header) + code_size, emitter->pool, emitter->pool_size);
	return program;
}

static void code_expression(struct filter_emitter *emitter, const struct filter_node *root)
{
	filter_require(emitter, root);
	filter_move_constant(emitter, 0, 1);
	filter_emit(emitter, FILTER_JMP(EXIT), 0, 0, 0, 0);
	filter_bind_label(emitter, &emitter->reject);
	filter_move_constant(emitter, 0, 0);
	filter_emit(emitter, FILTER_JMP(EXIT), 0, 0, 0, 0);
}

int filter_compile(struct filter_expression *expression, const struct registry_class *event_class,
		   const struct filter_context_list *contexts, struct filter_program **program,
		   struct filter_error *error)
{
	int status = filter_types(expression, event_class, contexts, error);
	struct filter_emitter *emitter;

	if (status < 0)
		return status;
	emitter = calloc(1, sizeof(*emitter));
	if (!emitter)
		return -ENOMEM;
	emitter->event_class = event_class;
	code_expression(emitter, expression->root);
	if (emitter->too_big) {
		filter_refuse(error, &expression->root->span,
			      "this needs more code than a filter may have: make it shorter, or "
			      "nest it less");
		status = -E2BIG;
	} else {
		*program = make_program(emitter);
		status = *program ? 0 : -ENOMEM;
	}
	free(emitter);
	return status;
}

static bool is_same(const struct filter_program *a, const struct filter_program *b)
{
	return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Is it there among those before it? */
static bool is_repeated(const struct filter_program *const *programs, size_t number)
{
	for (size_t i = 0; i < number; i++) {
		if (is_same(programs[i], programs[number]))
			return true;
	}
	return false;
}

int filter_combine(const struct filter_program *const *programs, size_t nr_programs,
		   struct filter_program **combined)
{
	struct filter_program *new;
	size_t size = 0, at = 0;

	for (size_t i = 0; i < nr_programs; i++) {
		if (is_repeated(programs, i))
			continue;
		size += programs[i]->size;
		if (size > LTTNGMAP_FILTER_SIZE_MAX)
			return -E2BIG;
	}
	if (size == 0)
		return -EINVAL;
	new = new_program(size);
	if (!new)
		return -ENOMEM;
	for (size_t i = 0; i < nr_programs; i++) {
		if (is_repeated(programs, i))
			continue;
		memcpy(new->bytes + at, programs[i]->bytes, programs[i]->size);
		at += programs[i]->size / sizeof(new->bytes[0]);
	}
	*combined = new;
	return 0;
}

void filter_program_destroy(struct filter_program *program)
{
	free(program);
}
