/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* filter-check.c - whether bytes are a filter that a compiler may have made. */
#include <stdio.h>
#include <stdlib.h>

#include "liblttngmap/ring/filter-decode.h"
#include "liblttngmap/ring/filter-test.h"
#include "tests/utils/filter-check.h"

static bool check_alu(const struct lttngmap_filter_instruction *code, bool has_source)
{
	unsigned operation = code->code & 0xf0;
	int32_t immediate = code->immediate;

	if (has_source && immediate != 0)
		return false;
	switch (operation) {
	case LTTNGMAP_FILTER_DIV:
	case LTTNGMAP_FILTER_MOD:
		return (code->offset == 0 || code->offset == 1) && (has_source || immediate != 0);
	case LTTNGMAP_FILTER_MOV:
		return code->offset == 0 ||
		       (has_source &&
			(code->offset == 8 || code->offset == 16 || code->offset == 32));
	case LTTNGMAP_FILTER_LSH:
	case LTTNGMAP_FILTER_RSH:
	case LTTNGMAP_FILTER_ARSH:
		return code->offset == 0 && immediate >= 0 && immediate < 64;
	case LTTNGMAP_FILTER_NEG:
		return code->offset == 0 && !has_source;
	case LTTNGMAP_FILTER_END:
		return code->offset == 0 && !has_source &&
		       (immediate == 16 || immediate == 32 || immediate == 64);
	default:
		return code->offset == 0 && operation <= LTTNGMAP_FILTER_ARSH;
	}
}

static bool check_jump(const struct lttngmap_filter_instruction *code, bool has_source, uint32_t i,
		       uint32_t nr_codes)
{
	switch (code->code & 0xf0) {
	case LTTNGMAP_FILTER_CALL:
		return !has_source && code->immediate > 0 &&
		       code->immediate < LTTNGMAP_FILTER_HELPERS_END;
	case LTTNGMAP_FILTER_EXIT:
		return !has_source;
	case LTTNGMAP_FILTER_JA:
		if (has_source)
			return false;
		break;
	default:
		if ((code->code & 0xf0) > LTTNGMAP_FILTER_JSLE)
			return false;
	}
	return code->offset >= 0 && (uint32_t)code->offset < nr_codes - 1 - i;
}

static bool check_load(const struct lttngmap_filter_instruction *code)
{
	switch (code->code & 0xe0) {
	case LTTNGMAP_FILTER_IMM:
		return (code->code & 0x18) == LTTNGMAP_FILTER_DW;
	case LTTNGMAP_FILTER_ABS:
	case LTTNGMAP_FILTER_IND:
		return true;
	default:
		return false;
	}
}

/* The instruction alone; where it jumps to is for the caller. */
static bool check_code(const struct lttngmap_filter_instruction *code, uint32_t i,
		       uint32_t nr_codes)
{
	bool has_source = code->code & LTTNGMAP_FILTER_X;
	unsigned destination = code->registers & 0xf, source = code->registers >> 4;

	switch (code->code & 0x07) {
	case LTTNGMAP_FILTER_LD:
		return check_load(code) && destination < LTTNGMAP_FILTER_FRAME &&
		       source < LTTNGMAP_FILTER_FRAME;
	case LTTNGMAP_FILTER_LDX:
		return code->code == 0x79 && destination < LTTNGMAP_FILTER_FRAME &&
		       source == LTTNGMAP_FILTER_FRAME &&
		       filter_stack_word(code->offset) < FILTER_STACK_WORDS;
	case LTTNGMAP_FILTER_STX:
		return code->code == 0x7b && destination == LTTNGMAP_FILTER_FRAME &&
		       source < LTTNGMAP_FILTER_FRAME &&
		       filter_stack_word(code->offset) < FILTER_STACK_WORDS;
	case LTTNGMAP_FILTER_JMP:
		return destination < LTTNGMAP_FILTER_FRAME && source < LTTNGMAP_FILTER_FRAME &&
		       check_jump(code, has_source, i, nr_codes);
	case LTTNGMAP_FILTER_TEST:
		return code->code < 0x40 && code->offset >= 0 && code->registers < 0x10;
	case LTTNGMAP_FILTER_ALU64:
		return destination < LTTNGMAP_FILTER_FRAME && source < LTTNGMAP_FILTER_FRAME &&
		       check_alu(code, has_source);
	default:
		return false;
	}
}

/* Each instruction is right, none jumps into the middle of another, the last one is EXIT. */
static bool check_program(const uint64_t *codes, uint32_t nr_codes)
{
	uint8_t middle[LTTNGMAP_FILTER_INSTRUCTIONS_MAX / 8] = { 0 };
	uint8_t target[LTTNGMAP_FILTER_INSTRUCTIONS_MAX / 8] = { 0 };
	bool is_exit = false;

	for (uint32_t i = 0; i < nr_codes; i++) {
		struct lttngmap_filter_instruction code = filter_fetch(&codes[i]);
		unsigned operation = code.code & 0xf0;

		if (!check_code(&code, i, nr_codes))
			return false;
		is_exit = code.code == JMP(EXIT);
		if (code.code == LD(DW, IMM)) {
			if (++i >= nr_codes)
				return false;
			code = filter_fetch(&codes[i]);
			if (code.code != 0 || code.registers != 0 || code.offset != 0)
				return false;
			middle[i / 8] |= (uint8_t)(1 << i % 8);
		} else if ((code.code & 0x07) == LTTNGMAP_FILTER_JMP &&
			   operation != LTTNGMAP_FILTER_CALL && !is_exit) {
			uint32_t to = i + 1 + (uint32_t)code.offset;

			target[to / 8] |= (uint8_t)(1 << to % 8);
		}
	}
	for (size_t i = 0; i < sizeof(middle); i++) {
		if (middle[i] & target[i])
			return false;
	}
	return is_exit;
}

bool filter_check(const void *filter, size_t size)
{
	const uint64_t *at = filter;

	if ((uintptr_t)filter % 8 != 0 || size == 0 || size > LTTNGMAP_FILTER_SIZE_MAX)
		return false;
	while (size >= sizeof(struct lttngmap_filter_program)) {
		struct lttngmap_filter_program program = filter_fetch_program(at);
		size_t taken = filter_program_size(&program, size);

		if (taken == 0 || !check_program(at + 1, program.nr_instructions))
			return false;
		at += taken / sizeof(*at);
		size -= taken;
	}
	return size == 0;
}

bool filter_run_checked(const void *filter, size_t size, const void *fields, size_t fields_size,
			const struct filter_contexts *contexts)
{
	bool result = filter_run(filter, size, fields, fields_size, contexts);

	if (result && filter_fails_at_once(filter, size, fields, fields_size)) {
		fputs("a filter that is true fails at once\n", stderr);
		abort();
	}
	for (size_t part = 0; result && part <= 2; part++) {
		struct lttngmap_known known = { 0, fields_size / 2 * part };

		if (!filter_may_pass(filter, size, fields, fields_size, &known, 1)) {
			fputs("a filter that is true may not pass\n", stderr);
			abort();
		}
	}
	return result;
}
