/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-assembler.h - filters made by hand, instruction by instruction, and
 * run where memory ends: what reads behind a filter or a record is killed.
 *
 * One filter at a time, in static memory: asm_begin() one, add to its program,
 * then asm_run() or asm_valid(), each of which puts it to the filter; asm_put()
 * alone does so too. `asm_size = 0` takes all out again.
 */
#ifndef FILTER_ASSEMBLER_H
#define FILTER_ASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lttngmap/filter-code.h>

#include "liblttngmap/ring/filter.h"

#define ALU(operation) (LTTNGMAP_FILTER_ALU64 | LTTNGMAP_FILTER_##operation)
#define JMP(operation) (LTTNGMAP_FILTER_JMP | LTTNGMAP_FILTER_##operation)
#define LD(size, mode) (LTTNGMAP_FILTER_LD | LTTNGMAP_FILTER_##size | LTTNGMAP_FILTER_##mode)
#define X LTTNGMAP_FILTER_X
#define LDX_STACK 0x79
#define STX_STACK 0x7b

struct assembled_program {
	struct lttngmap_filter_program header;
	struct lttngmap_filter_instruction code[LTTNGMAP_FILTER_INSTRUCTIONS_MAX + 8];
};

extern struct assembled_program asm_program;
extern uint8_t asm_pool[LTTNGMAP_FILTER_POOL_MAX + 8];
extern uint8_t asm_filter[LTTNGMAP_FILTER_SIZE_MAX];
extern size_t asm_size;

/* 1: 77. 2: 77 and "abc", a NUL and more. 3: 77 and "ab" without a NUL. No others. */
extern const struct filter_contexts asm_contexts;

void asm_begin(void);
void asm_add(unsigned code, unsigned destination, unsigned source, int offset, int64_t immediate);
void asm_set(unsigned destination, uint64_t value);
void asm_add_exit(void);
/* The end: return whether r0 is `value`. */
void asm_add_test(uint64_t value);
void asm_call(unsigned helper, uint64_t r1, uint64_t r2, uint64_t r3, uint64_t r4);
void asm_put(void);

bool asm_run(const void *fields, size_t size, const struct filter_contexts *with);
bool asm_valid(void);

/* Run and check what is in `filter`, be it what it may: a multiple of 8 bytes. */
bool asm_run_filter(const void *fields, size_t size, const struct filter_contexts *with);
bool asm_filter_is_valid(void);

#endif /* FILTER_ASSEMBLER_H */
