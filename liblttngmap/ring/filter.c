/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter.c - the machine that runs filters.
 *
 * A filter is read from memory that the daemon may change meanwhile, so each
 * word of it is loaded once, and what was loaded is checked: a load or store
 * outside of record, pool and stack is impossible whatever the code is. That
 * costs one comparison an instruction.
 */
#include "liblttngmap/ring/filter.h"

#include <string.h>

#include <lttngmap/filter-code.h>

#include "liblttngmap/ring/filter-decode.h"
#include "common/base/filter-float.h"
#include "liblttngmap/ring/filter-string.h"
#include "liblttngmap/ring/filter-test.h"

/* A code has 8 bits, a register's number 4: no value of them is outside. */
#define REGISTERS 16

typedef uint64_t register_pair __attribute__((vector_size(16)));

struct machine {
	union {
		uint64_t registers[REGISTERS];
		register_pair pairs[REGISTERS / 2];
	};
	struct filter_source source;
	/*
	 * For filter_may_pass() only: the bytes that are known, and if the program asked for
	 * another one.
	 */
	const struct lttngmap_known *known;
	size_t nr_known;
	bool asked;
	struct filter_key *key; /* of a map's filter, or NULL */
	uint64_t stored;        /* bit i: stack[i] was written */
	uint64_t stack[FILTER_STACK_WORDS];
};
_Static_assert(FILTER_STACK_WORDS == 64, "one bit a word");

/* ---- helpers ------------------------------------------------------------- */

static bool call_context(struct machine *machine)
{
	const struct filter_contexts *contexts = machine->source.contexts;
	struct filter_value value = { .number = 0 };
	uint64_t id = machine->registers[1];

	machine->registers[1] = contexts && id <= UINT32_MAX &&
				contexts->get(contexts, (uint32_t)id, &value);
	machine->registers[0] = value.number;
	return true;
}

/* False: the program ends here. */
static __attribute__((noinline)) bool call(struct machine *machine, int32_t helper)
{
	const struct filter_source *source = &machine->source;
	uint64_t *registers = machine->registers;
	uint64_t a = registers[1], b = registers[2];

	switch (helper) {
	case LTTNGMAP_FILTER_SKIP_STRING:
		return filter_string_skip(source, a, registers);
	case LTTNGMAP_FILTER_SKIP_SEQUENCE:
		return filter_sequence_skip(source, a, b, registers);
	case LTTNGMAP_FILTER_STRING_COMPARE:
		return filter_string_compare(source, registers + 1, registers);
	case LTTNGMAP_FILTER_STRING_GLOB:
		return filter_string_glob(source, registers + 1, registers);
	case LTTNGMAP_FILTER_FLOAT_EQUAL:
		registers[0] = filter_float_equal(a, b);
		return true;
	case LTTNGMAP_FILTER_FLOAT_LESS:
		registers[0] = filter_float_less(a, b);
		return true;
	case LTTNGMAP_FILTER_FLOAT_LESS_EQUAL:
		registers[0] = filter_float_less_equal(a, b);
		return true;
	case LTTNGMAP_FILTER_FLOAT_ADD:
		registers[0] = filter_float_calculate(FILTER_FLOAT_ADD, a, b);
		return true;
	case LTTNGMAP_FILTER_FLOAT_SUB:
		registers[0] = filter_float_calculate(FILTER_FLOAT_SUB, a, b);
		return true;
	case LTTNGMAP_FILTER_FLOAT_MUL:
		registers[0] = filter_float_calculate(FILTER_FLOAT_MUL, a, b);
		return true;
	case LTTNGMAP_FILTER_FLOAT_DIV:
		registers[0] = filter_float_calculate(FILTER_FLOAT_DIV, a, b);
		return true;
	case LTTNGMAP_FILTER_FLOAT_FROM_FLOAT32:
		registers[0] = filter_float_from_float32((uint32_t)a);
		return true;
	case LTTNGMAP_FILTER_FLOAT_FROM_SIGNED:
		registers[0] = filter_float_from_signed(a);
		return true;
	case LTTNGMAP_FILTER_FLOAT_FROM_UNSIGNED:
		registers[0] = filter_float_from_unsigned(a);
		return true;
	case LTTNGMAP_FILTER_CONTEXT_NUMBER:
		return call_context(machine);
	case LTTNGMAP_FILTER_BUCKET:
		registers[0] = lttngmap_filter_bucket(a);
		return true;
	case LTTNGMAP_FILTER_KEY_NUMBER:
		return machine->key && filter_key_number(machine->key, registers + 1, registers);
	case LTTNGMAP_FILTER_KEY_STRING:
		return machine->key &&
		       filter_key_string(source, machine->key, registers + 1, registers);
	default:
		return false;
	}
}

/* ---- what is known of a record ------------------------------------------- */

static bool is_known(struct machine *machine, uint64_t offset, uint64_t size)
{
	for (size_t i = 0; i < machine->nr_known; i++) {
		const struct lttngmap_known *known = &machine->known[i];

		if (offset >= known->begin && filter_inside(offset, size, known->end))
			return true;
	}
	machine->asked = true;
	return false;
}

static bool is_string_known(struct machine *machine, uint64_t where, int64_t sort)
{
	if (sort == LTTNGMAP_FILTER_STRING_POOL)
		return true;
	/* To its NUL, which is known, too. Other sorts: contexts, and what has a length of its own.
	 */
	return is_known(machine, where, sort == LTTNGMAP_FILTER_STRING_NUL ? 1 : UINT64_MAX);
}

/* Does the helper read only what is known? Where fields lie is. */
static bool is_call_known(struct machine *machine, int32_t helper)
{
	const uint64_t *registers = machine->registers;

	switch (helper) {
	case LTTNGMAP_FILTER_STRING_COMPARE:
		return is_string_known(machine, registers[1], (int64_t)registers[2]) &&
		       is_string_known(machine, registers[3], (int64_t)registers[4]);
	case LTTNGMAP_FILTER_STRING_GLOB:
		return is_string_known(machine, registers[1], (int64_t)registers[2]);
	case LTTNGMAP_FILTER_CONTEXT_NUMBER:
		machine->asked = true;
		return false;
	default:
		return true;
	}
}

/* ---- instructions that are more than one expression ---------------------- */

static bool stack_load(const struct machine *machine, int16_t offset, uint64_t *value)
{
	unsigned word = filter_stack_word(offset);

	if (word == FILTER_STACK_WORDS || !(machine->stored >> word & 1))
		return false;
	*value = machine->stack[word];
	return true;
}

static bool stack_store(struct machine *machine, int16_t offset, uint64_t value)
{
	unsigned word = filter_stack_word(offset);

	if (word == FILTER_STACK_WORDS)
		return false;
	machine->stack[word] = value;
	machine->stored |= UINT64_C(1) << word;
	return true;
}

/* Division and modulo; `is_signed` is the offset of the instruction. */
static bool divide(uint64_t *a, uint64_t b, bool modulo, int16_t is_signed)
{
	if (b == 0 || (is_signed != 0 && is_signed != 1))
		return false;
	if (!is_signed)
		*a = modulo ? *a % b : *a / b;
	else if (b == UINT64_MAX) /* -1: the most negative number by it would trap */
		*a = modulo ? 0 : -*a;
	else if (modulo)
		*a = (uint64_t)((int64_t)*a % (int64_t)b);
	else
		*a = (uint64_t)((int64_t)*a / (int64_t)b);
	return true;
}

static bool move(uint64_t *to, uint64_t from, int16_t bits)
{
	switch (bits) {
	case 0:
		*to = from;
		return true;
	case 8:
		*to = (uint64_t)(int8_t)from;
		return true;
	case 16:
		*to = (uint64_t)(int16_t)from;
		return true;
	case 32:
		*to = (uint64_t)(int32_t)from;
		return true;
	default:
		return false;
	}
}

static bool swap(uint64_t *value, int32_t bits)
{
	switch (bits) {
	case 16:
		*value = __builtin_bswap16((uint16_t)*value);
		return true;
	case 32:
		*value = __builtin_bswap32((uint32_t)*value);
		return true;
	case 64:
		*value = __builtin_bswap64(*value);
		return true;
	default:
		return false;
	}
}

/* ---- the loop ------------------------------------------------------------ */

/* Both forms of an instruction: b is the immediate or the source. */
#define BOTH(make, operation, statement)                                                           \
	case make(operation) | LTTNGMAP_FILTER_K: {                                                \
		const uint64_t b = (uint64_t)(int64_t)code.immediate;                              \
		statement;                                                                         \
		break;                                                                             \
	}                                                                                          \
	case make(operation) | LTTNGMAP_FILTER_X: {                                                \
		const uint64_t b = *source;                                                        \
		statement;                                                                         \
		break;                                                                             \
	}

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (__builtin_expect(!(condition), 0))                                             \
			return false;                                                              \
	} while (0)

/*
 * Forward only, which is why each program ends: a jump back is, unsigned, one
 * behind the end of any program.
 */
#define JUMP_IF(condition)                                                                         \
	do {                                                                                       \
		if (condition)                                                                     \
			i += (uint16_t)code.offset;                                                \
	} while (0)
_Static_assert(LTTNGMAP_FILTER_INSTRUCTIONS_MAX < 0x8000, "an offset of 16 bits, less its sign");
#define SIGNED(a, operator, b) ((int64_t)(a) operator(int64_t)(b))

#define LOADS(size, bytes)                                                                         \
	case LD(size, ABS):                                                                        \
		MUST(!partly || is_known(machine, (uint32_t)code.immediate, bytes));               \
		MUST(filter_load(&machine->source, (uint32_t)code.immediate, bytes,                \
				 machine->registers));                                             \
		break;                                                                             \
	case LD(size, IND):                                                                        \
		MUST(!partly ||                                                                    \
		     is_known(machine, *source + (uint64_t)(int64_t)code.immediate, bytes));       \
		MUST(filter_load(&machine->source, *source + (uint64_t)(int64_t)code.immediate,    \
				 bytes, machine->registers));                                      \
		break;

/* Long because it is one table: what each instruction does. `partly`: the record is known so; a
 * constant. */
static inline __attribute__((always_inline)) bool
run(struct machine *machine, const uint64_t *codes, uint32_t nr_codes, const bool partly)
{
	for (uint32_t i = 0; i < nr_codes; i++) {
		const struct lttngmap_filter_instruction code = filter_fetch(&codes[i]);
		uint64_t *a = &machine->registers[code.registers & 0xf];
		const uint64_t *source = &machine->registers[code.registers >> 4];

		/* clang-format off */
		switch (code.code) {
		LOADS(B, 1)
		LOADS(H, 2)
		LOADS(W, 4)
		LOADS(DW, 8)
		case LD(DW, IMM):
			MUST(++i < nr_codes);
			*a = (uint32_t)code.immediate |
			     (uint64_t)(uint32_t)filter_fetch(&codes[i]).immediate << 32;
			break;
		case LTTNGMAP_FILTER_LDX | LTTNGMAP_FILTER_DW | LTTNGMAP_FILTER_MEM:
			MUST(stack_load(machine, code.offset, a));
			break;
		case LTTNGMAP_FILTER_STX | LTTNGMAP_FILTER_DW | LTTNGMAP_FILTER_MEM:
			MUST(stack_store(machine, code.offset, *source));
			break;

		BOTH(ALU, ADD, *a += b)
		BOTH(ALU, SUB, *a -= b)
		BOTH(ALU, MUL, *a *= b)
		BOTH(ALU, DIV, MUST(divide(a, b, false, code.offset)))
		BOTH(ALU, MOD, MUST(divide(a, b, true, code.offset)))
		BOTH(ALU, OR, *a |= b)
		BOTH(ALU, AND, *a &= b)
		BOTH(ALU, XOR, *a ^= b)
		BOTH(ALU, LSH, *a <<= b & 63)
		BOTH(ALU, RSH, *a >>= b & 63)
		BOTH(ALU, ARSH, *a = (uint64_t)((int64_t)*a >> (b & 63)))
		BOTH(ALU, MOV, MUST(move(a, b, code.offset)))
		case ALU(NEG):
			*a = -*a;
			break;
		case ALU(END):
			MUST(swap(a, code.immediate));
			break;

		BOTH(JMP, JEQ, JUMP_IF(*a == b))
		BOTH(JMP, JNE, JUMP_IF(*a != b))
		BOTH(JMP, JSET, JUMP_IF(*a & b))
		BOTH(JMP, JGT, JUMP_IF(*a > b))
		BOTH(JMP, JGE, JUMP_IF(*a >= b))
		BOTH(JMP, JLT, JUMP_IF(*a < b))
		BOTH(JMP, JLE, JUMP_IF(*a <= b))
		BOTH(JMP, JSGT, JUMP_IF(SIGNED(*a, >, b)))
		BOTH(JMP, JSGE, JUMP_IF(SIGNED(*a, >=, b)))
		BOTH(JMP, JSLT, JUMP_IF(SIGNED(*a, <, b)))
		BOTH(JMP, JSLE, JUMP_IF(SIGNED(*a, <=, b)))
		case JMP(JA):
			JUMP_IF(true);
			break;
		case JMP(CALL):
			MUST(!partly || is_call_known(machine, code.immediate));
			MUST(call(machine, code.immediate));
			break;
		case JMP(EXIT):
			return machine->registers[0] != 0;
		case LTTNGMAP_FILTER_KEY | LTTNGMAP_FILTER_KEY_NONE:
		case LTTNGMAP_FILTER_KEY | LTTNGMAP_FILTER_KEY_FIELD:
		case LTTNGMAP_FILTER_KEY | LTTNGMAP_FILTER_KEY_BUCKET:
			machine->registers[0] = LTTNGMAP_FILTER_COUNTS;
			machine->registers[2] = 0;
			return partly || filter_key(code, machine->source.fields,
						    machine->source.size, &machine->registers[1]);
		default:
			MUST(filter_is_test(code) &&
			     (!partly || is_known(machine, (uint16_t)code.offset,
						  UINT64_C(1) << (code.registers & LTTNGMAP_FILTER_BYTES))) &&
			     filter_test(code, machine->source.fields, machine->source.size));
		}
		/* clang-format on */
	}
	return false;
}

static inline __attribute__((always_inline)) void
prepare(struct machine *machine, const uint64_t *at, const struct lttngmap_filter_program *program,
	const void *fields, size_t fields_size, const struct filter_contexts *contexts)
{
	/* Two at a time, and not as one: gcc makes `rep stos` of that, longer than a filter. */
	for (unsigned i = 0; i < REGISTERS / 2; i++) {
		machine->pairs[i] = (register_pair){ 0, 0 };
		__asm__ volatile("" ::: "memory");
	}
	machine->stored = 0;
	machine->source = (struct filter_source){
		.fields = fields_size ? fields : "",
		.size = fields_size,
		.pool = (const uint8_t *)(at + 1 + program->nr_instructions),
		.pool_size = program->pool_size,
		.contexts = contexts,
	};
}

/* `key` and `add`: of a map's filter, or NULL. */
static bool run_program(const uint64_t *at, const struct lttngmap_filter_program *program,
			const void *fields, size_t fields_size,
			const struct filter_contexts *contexts, struct filter_key *key,
			uint64_t *add)
{
	struct machine machine; /* the stack is not worth 512 bytes of zeros an event */
	bool passes;

	prepare(&machine, at, program, fields, fields_size, contexts);
	machine.key = key;
	if (key)
		key->size = 0;
	passes = run(&machine, at + 1, program->nr_instructions, false);
	if (!passes || !key)
		return passes;
	if (!key->size)
		key->key = machine.registers[1];
	key->roles = (uint32_t)machine.registers[0] & ~(uint32_t)LTTNGMAP_FILTER_COUNTS;
	*add = machine.registers[2];
	return true;
}

static bool run_filter(const void *filter, size_t size, const void *fields, size_t fields_size,
		       const struct filter_contexts *contexts, struct filter_key *key,
		       uint64_t *add)
{
	const uint64_t *at = filter;

	while (size >= sizeof(struct lttngmap_filter_program)) {
		struct lttngmap_filter_program program = filter_fetch_program(at);
		size_t taken = filter_program_size(&program, size);

		if (taken == 0)
			return false;
		if (run_program(at, &program, fields, fields_size, contexts, key, add))
			return true;
		at += taken / sizeof(*at);
		size -= taken;
	}
	return false;
}

bool filter_run(const void *filter, size_t size, const void *fields, size_t fields_size,
		const struct filter_contexts *contexts)
{
	return run_filter(filter, size, fields, fields_size, contexts, NULL, NULL);
}

bool filter_run_map(const void *filter, size_t size, const void *fields, size_t fields_size,
		    const struct filter_contexts *contexts, struct filter_key *key, uint64_t *add)
{
	return run_filter(filter, size, fields, fields_size, contexts, key, add);
}

bool filter_may_pass(const void *filter, size_t size, const void *fields, size_t fields_size,
		     const struct lttngmap_known *known, size_t nr_known)
{
	const uint64_t *at = filter;
	struct machine machine;

	while (size >= sizeof(struct lttngmap_filter_program)) {
		struct lttngmap_filter_program program = filter_fetch_program(at);
		size_t taken = filter_program_size(&program, size);

		if (taken == 0)
			return false;
		prepare(&machine, at, &program, fields, fields_size, NULL);
		machine.known = known;
		machine.nr_known = nr_known;
		machine.asked = false;
		machine.key = NULL;
		if (run(&machine, at + 1, program.nr_instructions, true) || machine.asked)
			return true;
		at += taken / sizeof(*at);
		size -= taken;
	}
	return false;
}
