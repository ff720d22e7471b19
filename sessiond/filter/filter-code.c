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

#include <lttngmap/abi.h>

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

/* The program of what was written to the emitter. */
static int finish(struct filter_emitter *emitter, const struct filter_node *root,
		  struct filter_program **program, struct filter_error *error)
{
	if (emitter->too_big) {
		filter_refuse(error, &root->span,
			      "this needs more code than a filter may have: make it shorter, or "
			      "nest it less");
		return -E2BIG;
	}
	*program = make_program(emitter);
	return *program ? 0 : -ENOMEM;
}

static void code_exit(struct filter_emitter *emitter, uint64_t result)
{
	filter_move_constant(emitter, 0, result);
	filter_emit(emitter, FILTER_JMP(EXIT), 0, 0, 0, 0);
	filter_bind_label(emitter, &emitter->reject);
	filter_move_constant(emitter, 0, 0);
	filter_emit(emitter, FILTER_JMP(EXIT), 0, 0, 0, 0);
}

int filter_compile(struct filter_expression *expression, const struct registry_class *event_class,
		   const struct filter_context_list *contexts, struct filter_program **program,
		   struct filter_error *error)
{
	int status = filter_types(expression, event_class, contexts, true, error);
	struct filter_emitter *emitter;

	if (status < 0)
		return status;
	emitter = calloc(1, sizeof(*emitter));
	if (!emitter)
		return -ENOMEM;
	emitter->event_class = event_class;
	filter_require(emitter, expression->root);
	code_exit(emitter, 1);
	status = finish(emitter, expression->root, program, error);
	free(emitter);
	return status;
}

/* ---- maps ---------------------------------------------------------------- */

/* Bytes up to the comma behind a key, or the text's end. */
static size_t key_length(const char *text)
{
	bool in_string = false;
	unsigned deep = 0;
	size_t i;

	for (i = 0; text[i]; i++) {
		if (in_string && text[i] == '\\' && text[i + 1])
			i++;
		else if (text[i] == '"')
			in_string = !in_string;
		else if (!in_string && strchr("([", text[i]))
			deep++;
		else if (!in_string && strchr(")]", text[i]))
			deep -= deep > 0;
		else if (!in_string && !deep && text[i] == ',')
			break;
	}
	return i;
}

int filter_map_parse(struct filter_map *map, const char *text, bool is_histogram,
		     struct filter_error *error)
{
	const char *at = text;
	size_t length;

	map->is_histogram = is_histogram;
	for (;; at += length + 1) {
		struct filter_span span = { (unsigned)(at - text), 1 };
		char *key;
		int status;

		length = key_length(at);
		if (map->nr_keys == (is_histogram ? 1 : FILTER_MAP_KEYS_MAX))
			return filter_refuse(error, &span,
					     is_histogram ? "a histogram is of one number"
							  : "a map has no more than 4 keys");
		key = strndup(at, length);
		if (!key)
			return -ENOMEM;
		status = filter_expression_parse(key, &map->keys[map->nr_keys], error);
		free(key);
		error->in = "by";
		error->column += (unsigned)(at - text);
		map->key_at[map->nr_keys] = (unsigned)(at - text);
		if (status < 0)
			return status;
		map->nr_keys++;
		if (!at[length])
			return 0;
	}
}

void filter_map_clear(struct filter_map *map)
{
	for (size_t i = 0; i < map->nr_keys; i++)
		filter_expression_destroy(map->keys[i]);
	filter_expression_destroy(map->add);
	*map = (struct filter_map){ .nr_keys = 0 };
}

bool filter_map_may_have_texts(const struct filter_map *map)
{
	const struct filter_node *root = map->nr_keys ? map->keys[0]->root : NULL;

	if (map->is_histogram || map->is_latency || !root)
		return false;
	return map->nr_keys > 1 || root->kind == FILTER_NODE_FIELD ||
	       root->kind == FILTER_NODE_CONTEXT;
}

/* NULL is allowed. 0, -EINVAL or -ENOENT. */
static int type_number(struct filter_expression *expression,
		       const struct registry_class *event_class,
		       const struct filter_context_list *contexts, struct filter_error *error)
{
	int status;

	if (!expression)
		return 0;
	status = filter_types(expression, event_class, contexts, false, error);
	if (status < 0 || filter_is_integer(expression->root))
		return status;
	return filter_refuse(error, &expression->root->span,
			     "a histogram and a sum are of integers, and this is none");
}

static bool is_string(const struct filter_node *node)
{
	return node->type == FILTER_TYPE_STRING;
}

/* Returns the same as type_number(). */
static int type_key(struct filter_expression *expression, const struct registry_class *event_class,
		    const struct filter_context_list *contexts, struct filter_error *error)
{
	int status = filter_types(expression, event_class, contexts, false, error);

	if (status < 0 || filter_is_integer(expression->root) ||
	    (is_string(expression->root) && expression->root->kind != FILTER_NODE_STRING))
		return status;
	return filter_refuse(error, &expression->root->span,
			     "a map counts by integers and by strings of the event, and this is "
			     "neither");
}

static int type_map(struct filter_map *map, const struct registry_class *event_class,
		    const struct filter_context_list *contexts, struct filter_error *error)
{
	int status = 0;

	for (size_t i = 0; i < map->nr_keys; i++) {
		status = map->is_histogram && !map->is_latency
				 ? type_number(map->keys[i], event_class, contexts, error)
				 : type_key(map->keys[i], event_class, contexts, error);
		if (status == 0)
			continue;
		error->in = "by";
		error->column += map->key_at[i];
		return status;
	}
	status = type_number(map->add, event_class, contexts, error);
	if (status < 0) {
		error->in = "sum";
		return status;
	}
	if (map->nr_keys == 1 && map->keys[0]->root->type == FILTER_TYPE_SIGNED)
		map->is_signed = !map->is_histogram;
	if (map->add && map->add->root->type == FILTER_TYPE_UNSIGNED)
		map->is_sum_unsigned = true;
	return 0;
}

/* r0 = the bucket of r0; a number below 0 is in the first one. */
static void code_bucket(struct filter_emitter *emitter, bool is_signed)
{
	struct filter_label is_positive = { 0 };

	if (is_signed) {
		filter_emit_jump(emitter, FILTER_JMP(JSGE), 0, 0, 0, &is_positive);
		filter_move_constant(emitter, 0, 0);
		filter_bind_label(emitter, &is_positive);
	}
	filter_move(emitter, 1, 0);
	filter_call(emitter, LTTNGMAP_FILTER_BUCKET);
}

/* The whole map by one KEY; false: it needs more. */
static bool code_key(struct filter_emitter *emitter, const struct filter_map *map)
{
	unsigned kind = LTTNGMAP_FILTER_KEY_NONE, offset = 0, integer = 0;

	if (map->add || map->nr_keys > 1 || map->is_latency)
		return false;
	if (map->nr_keys) {
		if (!filter_find_integer(emitter, map->keys[0]->root, &offset, &integer))
			return false;
		kind = map->is_histogram ? LTTNGMAP_FILTER_KEY_BUCKET : LTTNGMAP_FILTER_KEY_FIELD;
	}
	filter_emit(emitter, LTTNGMAP_FILTER_KEY | kind, integer & 0xf, integer >> 4, (int)offset,
		    0);
	return true;
}

/* Makes a key that is a text, of a part for each. Numbers take 9 bytes, strings share the rest. */
static void code_text(struct filter_emitter *emitter, const struct filter_map *map)
{
	unsigned room = LTTNGMAP_MAP_TEXT_SIZE, strings = 0;

	for (size_t i = 0; i < map->nr_keys; i++) {
		bool is_text = is_string(map->keys[i]->root);

		strings += is_text;
		room -= is_text ? 0 : 9;
	}
	for (size_t i = 0; i < map->nr_keys; i++) {
		const struct filter_node *root = map->keys[i]->root;

		if (is_string(root)) {
			filter_code_key_string(emitter, root, room / strings - 2, map->seed);
		} else {
			filter_value(emitter, root, &emitter->reject);
			filter_move(emitter, 1, 0);
			filter_move_constant(emitter, 2, root->type == FILTER_TYPE_UNSIGNED);
			filter_move_constant(emitter, 4, map->seed);
			filter_call(emitter, LTTNGMAP_FILTER_KEY_NUMBER);
		}
		filter_emit_jump(emitter, FILTER_JMP(JEQ), 0, 0, 0, &emitter->reject);
	}
	filter_move_constant(emitter, 1, 0);
}

static void code_map(struct filter_emitter *emitter, const struct filter_map *map, uint64_t roles)
{
	if (map->add) {
		filter_value(emitter, map->add->root, &emitter->reject);
		filter_push(emitter);
	}
	if (map->nr_keys > 1 || (map->nr_keys && is_string(map->keys[0]->root))) {
		code_text(emitter, map);
	} else if (map->nr_keys) {
		const struct filter_node *root = map->keys[0]->root;

		filter_value(emitter, root, &emitter->reject);
		if (map->is_histogram && !map->is_latency)
			code_bucket(emitter, root->type == FILTER_TYPE_SIGNED);
		filter_move(emitter, 1, 0);
	} else {
		filter_move_constant(emitter, 1, 0);
	}
	if (map->add)
		filter_move(emitter, 2, filter_pop(emitter, 2));
	else
		filter_move_constant(emitter, 2, map->is_latency ? map->scale : 0);
	if (roles && !map->nr_keys)
		roles |= LTTNGMAP_FILTER_BY_THREAD;
	code_exit(emitter, LTTNGMAP_FILTER_COUNTS | roles);
}

int filter_compile_map(struct filter_expression *filter, struct filter_map *map, uint64_t roles,
		       const struct registry_class *event_class,
		       const struct filter_context_list *contexts, struct filter_program **program,
		       struct filter_error *error)
{
	static const struct filter_node nowhere;
	struct filter_emitter *emitter;
	int status = filter ? filter_types(filter, event_class, contexts, true, error) : 0;

	if (status == 0)
		status = type_map(map, event_class, contexts, error);
	if (status < 0)
		return status;
	emitter = calloc(1, sizeof(*emitter));
	if (!emitter)
		return -ENOMEM;
	emitter->event_class = event_class;
	if (filter)
		filter_require(emitter, filter->root);
	if (!code_key(emitter, map))
		code_map(emitter, map, roles);
	else if (filter)
		code_exit(emitter, LTTNGMAP_FILTER_COUNTS);
	status = finish(emitter, filter ? filter->root : &nowhere, program, error);
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
