/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* filter-decode.h - taking a filter's bytes apart. */
#ifndef LIBLTTNGMAP_RING_FILTER_DECODE_H
#define LIBLTTNGMAP_RING_FILTER_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lttngmap/filter-code.h>

#define FILTER_STACK_WORDS (LTTNGMAP_FILTER_STACK_SIZE / 8)

#define ALU(operation) (LTTNGMAP_FILTER_ALU64 | LTTNGMAP_FILTER_##operation)
#define JMP(operation) (LTTNGMAP_FILTER_JMP | LTTNGMAP_FILTER_##operation)
#define LD(size, mode) (LTTNGMAP_FILTER_LD | LTTNGMAP_FILTER_##size | LTTNGMAP_FILTER_##mode)

union filter_code {
	uint64_t word;
	struct lttngmap_filter_instruction instruction;
};

static inline struct lttngmap_filter_instruction filter_fetch(const uint64_t *code)
{
	/* One load: the compiler may not look a second time after a check. */
	union filter_code fetched = { .word = __atomic_load_n(code, __ATOMIC_RELAXED) };

	return fetched.instruction;
}

static inline struct lttngmap_filter_program filter_fetch_program(const uint64_t *at)
{
	union {
		uint64_t word;
		struct lttngmap_filter_program program;
	} fetched = { .word = __atomic_load_n(at, __ATOMIC_RELAXED) };

	return fetched.program;
}

/* Bytes of the program that begins with this, 0 if it cannot be one. */
static inline size_t filter_program_size(const struct lttngmap_filter_program *program, size_t left)
{
	size_t size;

	if (program->nr_instructions == 0 ||
	    program->nr_instructions > LTTNGMAP_FILTER_INSTRUCTIONS_MAX ||
	    program->pool_size > LTTNGMAP_FILTER_POOL_MAX || program->pool_size % 8 != 0)
		return 0;
	size = sizeof(*program) +
	       program->nr_instructions * sizeof(struct lttngmap_filter_instruction) +
	       program->pool_size;
	return size <= left ? size : 0;
}

static inline bool filter_is_test(struct lttngmap_filter_instruction code)
{
	return (code.code & 0x07) == LTTNGMAP_FILTER_TEST;
}

static inline bool filter_is_key(struct lttngmap_filter_instruction code)
{
	return (code.code & 0x07) == LTTNGMAP_FILTER_KEY;
}

/* Which word of the stack, or FILTER_STACK_WORDS. */
static inline unsigned filter_stack_word(int16_t offset)
{
	if (offset < -LTTNGMAP_FILTER_STACK_SIZE || offset > -8 || offset % 8 != 0)
		return FILTER_STACK_WORDS;
	return (unsigned)(LTTNGMAP_FILTER_STACK_SIZE + offset) / 8;
}

#endif /* LIBLTTNGMAP_RING_FILTER_DECODE_H */
