/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/filter-assembler.h"
#include "tests/utils/filter-check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u
#define AREA (18 * PAGE)

/* What ends at the end of an area has no readable byte behind it. */
static uint8_t *code_area, *field_area;

static void *make_area(void)
{
	uint8_t *area =
		mmap(NULL, AREA + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED || mprotect(area + AREA, PAGE, PROT_NONE) < 0)
		abort();
	return area;
}

static void make_areas(void)
{
	if (!code_area)
		code_area = make_area();
	if (!field_area)
		field_area = make_area();
}

static uint8_t *at_end(uint8_t *area, const void *bytes, size_t size)
{
	return memcpy(area + AREA - size, bytes, size);
}

/* ---- programs by hand ------------------------------------------------------ */

struct assembled_program asm_program;
uint8_t asm_pool[LTTNGMAP_FILTER_POOL_MAX + 8];
uint8_t asm_filter[LTTNGMAP_FILTER_SIZE_MAX] __attribute__((aligned(8)));
size_t asm_size;

void asm_begin(void)
{
	memset(&asm_program, 0, sizeof(asm_program));
	memset(asm_pool, 0, sizeof(asm_pool));
	asm_size = 0;
}

void asm_add(unsigned code, unsigned destination, unsigned source, int offset, int64_t immediate)
{
	asm_program.code[asm_program.header.nr_instructions++] =
		(struct lttngmap_filter_instruction){
			.code = (uint8_t)code,
			.registers = (uint8_t)(destination | source << 4),
			.offset = (int16_t)offset,
			.immediate = (int32_t)immediate,
		};
}

void asm_set(unsigned destination, uint64_t value)
{
	asm_add(LD(DW, IMM), destination, 0, 0, (int64_t)value);
	asm_add(0, 0, 0, 0, (int64_t)(value >> 32));
}

void asm_add_exit(void)
{
	asm_add(JMP(EXIT), 0, 0, 0, 0);
}

/* Return whether r0 is `value`. */
void asm_add_test(uint64_t value)
{
	asm_set(9, value);
	asm_add(JMP(JEQ) | X, 0, 9, 2, 0);
	asm_add(ALU(MOV), 0, 0, 0, 0);
	asm_add_exit();
	asm_add(ALU(MOV), 0, 0, 0, 1);
	asm_add_exit();
}

void asm_put(void)
{
	size_t code_size = asm_program.header.nr_instructions * sizeof(asm_program.code[0]);

	memcpy(asm_filter + asm_size, &asm_program, sizeof(asm_program.header) + code_size);
	asm_size += sizeof(asm_program.header) + code_size;
	memcpy(asm_filter + asm_size, asm_pool, asm_program.header.pool_size);
	asm_size += asm_program.header.pool_size;
}

void asm_call(unsigned helper, uint64_t r1, uint64_t r2, uint64_t r3, uint64_t r4)
{
	asm_set(1, r1);
	asm_set(2, r2);
	asm_set(3, r3);
	asm_set(4, r4);
	asm_add(JMP(CALL), 0, 0, 0, helper);
}

bool asm_run_filter(const void *fields, size_t size, const struct filter_contexts *with)
{
	make_areas();
	return filter_run_checked(at_end(code_area, asm_filter, asm_size), asm_size,
				  at_end(field_area, fields, size), size, with);
}

bool asm_filter_is_valid(void)
{
	make_areas();
	return filter_check(at_end(code_area, asm_filter, asm_size), asm_size);
}

bool asm_run(const void *fields, size_t size, const struct filter_contexts *with)
{
	asm_put();
	return asm_run_filter(fields, size, with);
}

bool asm_valid(void)
{
	asm_put();
	return asm_filter_is_valid();
}

static bool get(const struct filter_contexts *self, uint32_t id, struct filter_value *value)
{
	(void)self;
	value->number = 77;
	if (id == 2)
		value->string = "abc\0d";
	if (id == 3)
		value->string = "abc";
	value->size = id == 3 ? 2 : 5;
	return id == 1 || id == 2 || id == 3;
}

const struct filter_contexts asm_contexts = { .get = get };
