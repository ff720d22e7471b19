/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-check.c - what is no filter, and that whatever is none does no harm:
 * programs of random instructions end, and read nothing outside.
 */
#include "tests/utils/filter-assembler.h"
#include "tests/utils/filter-check.h"
#include "tests/utils/tap.h"

static const struct {
	const char *what;
	struct lttngmap_filter_instruction code;
} refused[] = {
	{ "code 0", { 0, 0, 0, 0 } },
	{ "a 32-bit calculation", { 0x04, 0, 0, 1 } },
	{ "a jump of 32 bits, with a register", { 0x5e, 0, 0, 0 } },
	{ "a test of more than there is to compare", { 0x46, 0, 0, 0 } },
	{ "a test of an unknown integer", { 0x16, 0x10, 0, 0 } },
	{ "a test before the record", { 0x16, 0, -1, 0 } },
	{ "a load by another register", { LDX_STACK, 0x10, -8, 0 } },
	{ "a load of a word from the stack", { 0x61, 0xa0, -8, 0 } },
	{ "a store by another register", { STX_STACK, 0x01, -8, 0 } },
	{ "a store of a constant", { 0x7a, 0x0a, -8, 0 } },
	{ "a load behind the stack", { LDX_STACK, 0xa0, 0, 0 } },
	{ "a load before the stack", { LDX_STACK, 0xa0, -520, 0 } },
	{ "a load not aligned", { LDX_STACK, 0xa0, -12, 0 } },
	{ "a store behind the stack", { STX_STACK, 0x0a, 8, 0 } },
	{ "r10 changed", { ALU(MOV), 0x0a, 0, 0 } },
	{ "r10 calculated with", { ALU(ADD) | X, 0xa0, 0, 0 } },
	{ "r11 calculated with", { ALU(ADD) | X, 0xb0, 0, 0 } },
	{ "r12 loaded", { LD(DW, IMM), 0x0c, 0, 0 } },
	{ "r10 compared", { JMP(JEQ), 0x0a, 0, 0 } },
	{ "a load of an unknown mode", { 0x80, 0, 0, 0 } },
	{ "a constant of 32 bits", { 0x00, 1, 0, 0 } },
	{ "a jump back", { JMP(JA), 0, -1, 0 } },
	{ "a jump behind the end", { JMP(JA), 0, 3, 0 } },
	{ "a conditional jump behind the end", { JMP(JEQ), 0, 3, 0 } },
	{ "a conditional jump back", { JMP(JSLE), 0, -2, 0 } },
	{ "a jump by a register", { JMP(JA) | X, 0, 0, 0 } },
	{ "a jump that is none", { 0xe5, 0, 0, 0 } },
	{ "helper 0", { JMP(CALL), 0, 0, 0 } },
	{ "helper -1", { JMP(CALL), 0, 0, -1 } },
	{ "a helper that is none", { JMP(CALL), 0, 0, LTTNGMAP_FILTER_HELPERS_END } },
	{ "a call by a register", { JMP(CALL) | X, 0, 0, 1 } },
	{ "an exit by a register", { JMP(EXIT) | X, 0, 0, 0 } },
	{ "a calculation that is none", { 0xe7, 0, 0, 0 } },
	{ "division by a constant 0", { ALU(DIV), 0, 0, 0 } },
	{ "modulo by a constant 0", { ALU(MOD), 0, 1, 0 } },
	{ "division of a third sign", { ALU(DIV), 0, 2, 5 } },
	{ "a shift by 64", { ALU(LSH), 0, 0, 64 } },
	{ "a shift by -1", { ALU(ARSH), 0, 0, -1 } },
	{ "a swap of 8 bits", { ALU(END), 0, 0, 8 } },
	{ "a swap by a register", { ALU(END) | X, 0, 0, 16 } },
	{ "neg by a register", { ALU(NEG) | X, 0, 0, 0 } },
	{ "mov of 24 bits", { ALU(MOV) | X, 0, 24, 0 } },
	{ "mov of 8 bits of a constant", { ALU(MOV), 0, 8, 0 } },
	{ "an addition with an offset", { ALU(ADD), 0, 1, 0 } },
	{ "a register and a constant at once", { ALU(ADD) | X, 0, 0, 1 } },
};

static void check_refused(void)
{
	for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		asm_begin();
		asm_program.code[asm_program.header.nr_instructions++] = refused[i].code;
		asm_add(ALU(MOV), 0, 0, 0, 1);
		asm_add_exit();
		ok(!asm_valid(), "no filter: %s", refused[i].what);
	}
}

static void check_shape(void)
{
	asm_begin();
	asm_add(ALU(MOV), 0, 0, 0, 1);
	asm_add_exit();
	ok(asm_valid(), "two instructions are a filter");
	ok(!filter_check(asm_filter, asm_size - 8) &&
		   !filter_run(asm_filter, asm_size - 8, "", 0, NULL),
	   "but not when cut");
	ok(!filter_check(asm_filter, 0) && !filter_run(asm_filter, 0, "", 0, NULL),
	   "nor is nothing");
	ok(!filter_check(asm_filter, 4) && !filter_run(asm_filter, 4, "", 0, NULL),
	   "nor half a header");
	ok(!filter_check(asm_filter, asm_size + 1), "nor with a byte behind it");
	memmove(asm_filter + 4, asm_filter, asm_size);
	ok(!filter_check(asm_filter + 4, asm_size), "nor where it is not aligned");
	asm_begin();
	asm_add(ALU(MOV), 0, 0, 0, 1);
	ok(!asm_valid() && (asm_size = 0, !asm_run("", 0, NULL)), "nor without an exit");
	asm_begin();
	asm_add(JMP(JEQ), 0, 0, 1, 0);
	asm_set(0, 1);
	asm_add_exit();
	ok(!asm_valid() && (asm_size = 0, !asm_run("", 0, NULL)),
	   "nor with a jump into the middle of a constant");
	asm_begin();
	asm_add(LD(DW, IMM), 0, 0, 0, 0);
	ok(!asm_valid() && (asm_size = 0, !asm_run("", 0, NULL)), "nor with half a constant");
	asm_begin();
	asm_add(LD(DW, IMM), 0, 0, 0, 0);
	asm_add_exit();
	asm_add_exit();
	ok(!asm_valid(), "nor with an instruction in a constant");
	asm_begin();
	ok(!asm_valid() && (asm_size = 0, !asm_run("", 0, NULL)), "nor without instructions");
	asm_begin();
	asm_add(ALU(MOV), 0, 0, 0, 1);
	asm_add_exit();
	asm_program.header.pool_size = 4;
	ok(!asm_valid() && (asm_size = 0, !asm_run("", 0, NULL)), "nor with a pool of 4 bytes");
	asm_begin();
	while (asm_program.header.nr_instructions <= LTTNGMAP_FILTER_INSTRUCTIONS_MAX)
		asm_add(ALU(MOV), 0, 0, 0, 1);
	asm_add_exit();
	ok(!asm_valid() && (asm_size = 0, !asm_run("", 0, NULL)),
	   "nor of more than 4096 instructions");
	asm_begin();
	asm_add(ALU(MOV), 0, 0, 0, 1);
	asm_add_exit();
	asm_program.header.pool_size = LTTNGMAP_FILTER_POOL_MAX + 8;
	ok(!asm_valid() && (asm_size = 0, !asm_run("", 0, NULL)),
	   "nor with a pool over 4096 bytes");
}

static void check_several(void)
{
	asm_begin();
	asm_add(ALU(MOV), 0, 0, 0, 0);
	asm_add_exit();
	asm_put();
	asm_put();
	ok(!asm_run("", 0, NULL), "three programs that say no");
	asm_add(ALU(MOV), 0, 0, 0, 0);
	asm_program.header.nr_instructions = 0;
	asm_add(ALU(MOV), 0, 0, 0, 1);
	asm_add_exit();
	ok(asm_run("", 0, NULL), "and a fourth one that says yes");
	ok(filter_check(asm_filter, asm_size), "are a filter");
}

/* ---- anything ----------------------------------------------------------------------- */

static uint64_t random_state = 88172645463325252ull;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Mostly codes that there are, and numbers near what matters. */
static void add_random(unsigned left)
{
	static const uint8_t codes[] = { 0x18, 0x20, 0x28, 0x30, 0x38, 0x40, 0x48, 0x50, 0x58, 0x79,
					 0x7b, 0x07, 0x0f, 0x17, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x47,
					 0x4f, 0x57, 0x5f, 0x67, 0x6f, 0x77, 0x7f, 0x87, 0x97, 0x9f,
					 0xa7, 0xaf, 0xb7, 0xbf, 0xc7, 0xcf, 0xd7, 0x0e, 0x16, 0x2e,
					 0x36, 0x05, 0x15, 0x1d, 0x25, 0x2d, 0x35, 0x3d, 0x45, 0x4d,
					 0x55, 0x5d, 0x65, 0x6d, 0x75, 0x7d, 0xa5, 0xad, 0xb5, 0xbd,
					 0xc5, 0xcd, 0xd5, 0xdd };
	static const int64_t numbers[] = { 0, 1,  -1, 2,   -2,        -3,       -4,
					   8, 63, 64, 100, INT32_MAX, INT32_MIN };
	uint64_t random = next_random();
	unsigned code = random & 7 ? codes[(random >> 3) % sizeof(codes)] : (random >> 3) & 0xff;
	int offset = (int)(next_random() % (left + 1));
	int64_t number = next_random() & 3 ? (int64_t)(next_random() % 40)
					   : numbers[next_random() % 13];
	unsigned registers = next_random() & 0xff;

	if ((random >> 16 & 3) == 0) {
		code = JMP(CALL);
		number = (int64_t)(next_random() % 16);
	} else if (code == 0x79 || code == 0x7b) {
		offset = -8 * (int)(next_random() % 66);
		registers = code == 0x79 ? (registers & 0xf) | 0xa0 : (registers & 0xf0) | 10;
	} else if ((code & 7) == LTTNGMAP_FILTER_ALU64) {
		offset = (int)(next_random() & 1) * (code == 0xbf ? 32 : 1);
	} else if ((next_random() & 31) == 0) {
		offset = -offset;
	}
	asm_add(code, registers & 0xf, registers >> 4, offset, number);
}

static void check_random(void)
{
	static uint8_t fields[64];
	uint64_t instructions = 0, recorded = 0, valid_ones = 0;

	while (instructions < 20000000) {
		unsigned nr_codes = 4 + (unsigned)(next_random() % 60);
		unsigned size = (unsigned)(next_random() % (sizeof(fields) + 1));

		asm_begin();
		for (unsigned i = 1; i < nr_codes; i++)
			add_random(nr_codes - 1 - i);
		asm_add_exit();
		for (unsigned i = 0; i < size; i++)
			fields[i] =
				(uint8_t)(next_random() % 5 ? next_random() % 8 : next_random());
		asm_program.header.pool_size = (uint32_t)(next_random() % 6) * 8;
		for (unsigned i = 0; i < asm_program.header.pool_size; i++)
			asm_pool[i] = (uint8_t)(next_random() % 4);
		recorded += asm_run(fields, size, &asm_contexts);
		valid_ones += asm_filter_is_valid();
		instructions += nr_codes;
	}
	ok(recorded > 1000 && valid_ones > 100,
	   "20 million random instructions end, and read nothing outside");
	diag("%llu of their programs record, %llu are valid", (unsigned long long)recorded,
	     (unsigned long long)valid_ones);
	for (unsigned i = 0; i < 100000; i++) {
		asm_size = next_random() % 25 * 8;
		for (size_t at = 0; at < asm_size; at++)
			asm_filter[at] = (uint8_t)next_random();
		/* A header that may be one, or nothing would be run. */
		memcpy(asm_filter, (uint32_t[]){ (uint32_t)(next_random() % 20), 0 }, 8);
		recorded += asm_run_filter(fields, sizeof(fields), &asm_contexts);
	}
	ok(recorded > 0, "nor do 100000 filters of random bytes");
}

int main(void)
{
	check_refused();
	check_shape();
	check_several();
	check_random();
	return done_testing();
}
