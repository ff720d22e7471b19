/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-code.h - the code that a filter is compiled to.
 *
 * The session daemon compiles a filter expression for one event class into a
 * program; the traced process runs it over a record's fields before they are
 * written. A machine of eleven 64-bit registers, a stack of 512 bytes, and
 * jumps that only go forward: a program ends after at most as many steps as
 * it has instructions. It reads the record, its own constants and the
 * channel's contexts. It writes its stack and, in a map, the text of the
 * event's key, and nothing else.
 *
 *   a filter: one program, or several, one directly after another. The event
 *   is recorded when one of them returns something other than 0. Each begins
 *   at a multiple of 8 bytes.
 *
 *   +-----------------------+--------------------------+------------------+
 *   | struct                | struct                   | u8               |
 *   | lttngmap_filter_      | lttngmap_filter_         | pool[pool_size]  |
 *   | program               | instruction[nr]          | constant strings |
 *   +-----------------------+--------------------------+------------------+
 *
 * The code is modelled on eBPF: the encoding and the numbers are eBPF's, with
 * these differences:
 *   - LD ABS and LD IND read the record, in the machine's byte order, and
 *     leave r1 to r9 alone;
 *   - LDX and STX have r10 as their base and 8 bytes as their size, and a
 *     stack word is read only after it was written;
 *   - TEST, in the place of eBPF's class JMP32, compares a field with a constant,
 *     in one step; if the comparison is false, the program ends with 0. Most
 *     events go no further than that;
 *   - KEY, in the place of eBPF's class ST, ends a map's program;
 *   - the helpers that CALL knows are those below.
 *
 * A map's program (LTTNGMAP_CHANNEL_MAP in lttngmap/abi.h) returns 0, and the
 * event is not counted; or enum lttngmap_filter_role, COUNTS in most maps. Then
 * r1 is the key, and r2 the number to add to the sum; in a map of latencies r2
 * is the length of a tick instead. A key that is a text, or several values, is
 * made by the helpers KEY_NUMBER and KEY_STRING, part by part.
 *
 * A program ends with 0 after a load or a string outside of the record, after a
 * division by 0, and at code that is not known.
 */
#ifndef LTTNGMAP_FILTER_CODE_H
#define LTTNGMAP_FILTER_CODE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define LTTNGMAP_FILTER_ASSERT(condition) static_assert(condition, #condition)
#else
#define LTTNGMAP_FILTER_ASSERT(condition) __extension__ _Static_assert(condition, #condition)
#endif

#define LTTNGMAP_FILTER_INSTRUCTIONS_MAX 4096u /* of a program */
#define LTTNGMAP_FILTER_POOL_MAX 4096u         /* bytes of a program, a multiple of 8 */
#define LTTNGMAP_FILTER_SIZE_MAX 65536u        /* of a filter, bytes */
#define LTTNGMAP_FILTER_STACK_SIZE 512

struct lttngmap_filter_program {
	uint32_t nr_instructions;
	uint32_t pool_size;
};
LTTNGMAP_FILTER_ASSERT(sizeof(struct lttngmap_filter_program) == 8);

struct lttngmap_filter_instruction {
	uint8_t code;
	uint8_t registers; /* bits 0-3: destination, bits 4-7: source */
	int16_t offset;
	int32_t immediate;
};
LTTNGMAP_FILTER_ASSERT(sizeof(struct lttngmap_filter_instruction) == 8);

/* r0 is a helper's and the program's result, r1 to r5 are a helper's arguments. */
#define LTTNGMAP_FILTER_FRAME 10 /* the stack's end; LDX and STX only */

/* Low three bits of a code. */
enum lttngmap_filter_class {
	LTTNGMAP_FILTER_LD = 0x00,
	LTTNGMAP_FILTER_LDX = 0x01,
	LTTNGMAP_FILTER_KEY = 0x02,
	LTTNGMAP_FILTER_STX = 0x03,
	LTTNGMAP_FILTER_JMP = 0x05,
	LTTNGMAP_FILTER_TEST = 0x06,
	LTTNGMAP_FILTER_ALU64 = 0x07,
};

/*
 * TEST: `code` is the class | the cases of enum lttngmap_filter_order in which
 * to go on. `registers` is an enum lttngmap_filter_integer: how to read the
 * integer at `offset` of the record, 0 to 32767. `immediate`, sign-extended, is
 * what it is compared with. No register is changed.
 */
enum lttngmap_filter_order {
	LTTNGMAP_FILTER_IF_LESS = 0x08,
	LTTNGMAP_FILTER_IF_EQUAL = 0x10,
	LTTNGMAP_FILTER_IF_GREATER = 0x20,
};
enum lttngmap_filter_integer {
	LTTNGMAP_FILTER_BYTES = 0x03,    /* mask of log2 of the size; in the machine's byte order */
	LTTNGMAP_FILTER_SIGNED = 0x04,   /* to be sign-extended */
	LTTNGMAP_FILTER_UNSIGNED = 0x08, /* compare as numbers of 64 bits without a sign */
};

/*
 * KEY: the program ends with COUNTS, the key of this kind in r1, and 0 in r2. `code` is the class |
 * the kind; `registers` and `offset` are as those of a TEST. Most maps' programs are this one
 * instruction.
 */
enum lttngmap_filter_key_kind {
	LTTNGMAP_FILTER_KEY_NONE = 0x00,   /* 0 */
	LTTNGMAP_FILTER_KEY_FIELD = 0x08,  /* an integer of the record */
	LTTNGMAP_FILTER_KEY_BUCKET = 0x10, /* its bucket; of one below 0 the first */
};

/* LD, LDX, STX: size, then mode. */
enum lttngmap_filter_size {
	LTTNGMAP_FILTER_W = 0x00,  /* 4 bytes */
	LTTNGMAP_FILTER_H = 0x08,  /* 2 */
	LTTNGMAP_FILTER_B = 0x10,  /* 1 */
	LTTNGMAP_FILTER_DW = 0x18, /* 8 */
};
enum lttngmap_filter_mode {
	/* LD, DW: destination = this immediate, and the next one's above it. Two places. */
	LTTNGMAP_FILTER_IMM = 0x00,
	/* LD: r0 = what stands at the unsigned immediate in the record, zero-extended. */
	LTTNGMAP_FILTER_ABS = 0x20,
	/* LD: the same at source + signed immediate. */
	LTTNGMAP_FILTER_IND = 0x40,
	/* LDX, STX: the stack at `offset`, -512 to -8, a multiple of 8. */
	LTTNGMAP_FILTER_MEM = 0x60,
};

/* ALU64, JMP: the second operand is the immediate (sign-extended), or the source. */
enum lttngmap_filter_operand {
	LTTNGMAP_FILTER_K = 0x00,
	LTTNGMAP_FILTER_X = 0x08,
};

enum lttngmap_filter_alu {
	LTTNGMAP_FILTER_ADD = 0x00,
	LTTNGMAP_FILTER_SUB = 0x10,
	LTTNGMAP_FILTER_MUL = 0x20,
	LTTNGMAP_FILTER_DIV = 0x30, /* unsigned; offset 1: signed, towards 0 */
	LTTNGMAP_FILTER_OR = 0x40,
	LTTNGMAP_FILTER_AND = 0x50,
	LTTNGMAP_FILTER_LSH = 0x60, /* shifts take the count's low six bits */
	LTTNGMAP_FILTER_RSH = 0x70,
	LTTNGMAP_FILTER_NEG = 0x80, /* K */
	LTTNGMAP_FILTER_MOD = 0x90, /* as DIV */
	LTTNGMAP_FILTER_XOR = 0xa0,
	LTTNGMAP_FILTER_MOV = 0xb0, /* X, offset 8, 16 or 32: sign-extends so many bits */
	LTTNGMAP_FILTER_ARSH = 0xc0,
	LTTNGMAP_FILTER_END = 0xd0, /* K: swaps the low 16, 32 or 64 bits' bytes, clears the rest */
};

enum lttngmap_filter_jmp {
	LTTNGMAP_FILTER_JA = 0x00, /* K */
	LTTNGMAP_FILTER_JEQ = 0x10,
	LTTNGMAP_FILTER_JGT = 0x20,
	LTTNGMAP_FILTER_JGE = 0x30,
	LTTNGMAP_FILTER_JSET = 0x40,
	LTTNGMAP_FILTER_JNE = 0x50,
	LTTNGMAP_FILTER_JSGT = 0x60,
	LTTNGMAP_FILTER_JSGE = 0x70,
	LTTNGMAP_FILTER_CALL = 0x80, /* K: a helper's id */
	LTTNGMAP_FILTER_EXIT = 0x90, /* K */
	LTTNGMAP_FILTER_JLT = 0xa0,
	LTTNGMAP_FILTER_JLE = 0xb0,
	LTTNGMAP_FILTER_JSLT = 0xc0,
	LTTNGMAP_FILTER_JSLE = 0xd0,
};

/*
 * Functions for CALL; ids are never used again. A call leaves its result in r0 and nothing to rely
 * on in r1 to r5, r1 of CONTEXT_NUMBER excepted. A double is in a register as its 64 bits. A string
 * is two arguments: its address, and its sort (below). It ends at its first NUL, or at the end that
 * its sort gives.
 */
enum lttngmap_filter_helper {
	/* (offset) -> the offset behind the string that begins there, NUL included. */
	LTTNGMAP_FILTER_SKIP_STRING = 1,
	/* (offset, element size) -> the offset behind the sequence that begins there. */
	LTTNGMAP_FILTER_SKIP_SEQUENCE = 2,
	/*
	 * (where, sort, where, sort) -> -1, 0 or 1, as the first is less than,
	 * equal to or greater than the second, by unsigned bytes; NO_VALUE where
	 * one of them is a context that there is not.
	 */
	LTTNGMAP_FILTER_STRING_COMPARE = 3,
	/* (where, sort, pool offset, pool size) -> 1: the glob there matches; 0; or NO_VALUE. */
	LTTNGMAP_FILTER_STRING_GLOB = 4,
	/* (a, b) -> 1 or 0; 0 where one is not a number. */
	LTTNGMAP_FILTER_FLOAT_EQUAL = 5,
	LTTNGMAP_FILTER_FLOAT_LESS = 6,
	LTTNGMAP_FILTER_FLOAT_LESS_EQUAL = 7,
	/* (a, b) -> a double; rounds to nearest, and raises no exception. */
	LTTNGMAP_FILTER_FLOAT_ADD = 8,
	LTTNGMAP_FILTER_FLOAT_SUB = 9,
	LTTNGMAP_FILTER_FLOAT_MUL = 10,
	LTTNGMAP_FILTER_FLOAT_DIV = 11,
	/* (a) -> a double, of a float's 32 bits, a signed and an unsigned integer. */
	LTTNGMAP_FILTER_FLOAT_FROM_FLOAT32 = 12,
	LTTNGMAP_FILTER_FLOAT_FROM_SIGNED = 13,
	LTTNGMAP_FILTER_FLOAT_FROM_UNSIGNED = 14,
	/* (context id) -> its value, integer or double; r1 = 1, or 0: there is none. */
	LTTNGMAP_FILTER_CONTEXT_NUMBER = 15,
	/* (a) -> the bucket of a histogram that an unsigned number belongs into. */
	LTTNGMAP_FILTER_BUCKET = 16,
	/*
	 * One more part of a map's key: (a, has it no sign?, 0, seed), and (where, sort, most bytes
	 * to keep, seed). -> 1; or 0: a context that there is not. The seed is that of the hash.
	 */
	LTTNGMAP_FILTER_KEY_NUMBER = 17,
	LTTNGMAP_FILTER_KEY_STRING = 18,
};
#define LTTNGMAP_FILTER_HELPERS_END 19

/*
 * Returned by a map's program. FIRST and SECOND belong to maps of latencies: a pair's two events
 * have the same key, and r2 is not a number to add, but how many nanoseconds a tick of the clock
 * has, times 2^32.
 */
enum lttngmap_filter_role {
	LTTNGMAP_FILTER_COUNTS = 1,
	LTTNGMAP_FILTER_FIRST = 2,     /* begins a pair */
	LTTNGMAP_FILTER_SECOND = 4,    /* ends one */
	LTTNGMAP_FILTER_BY_THREAD = 8, /* the key is the thread, not r1 */
};

/*
 * The text of a key: a part for each value, in order, then zeros; LTTNGMAP_MAP_TEXT_SIZE bytes. A
 * part is its kind, u8, and: of a number its 8 bytes, in the machine's order; of a string its
 * number of bytes, u8, and these. The hash is of all values, and of whole strings.
 */
enum lttngmap_filter_part {
	LTTNGMAP_FILTER_PART_NONE = 0, /* the end */
	LTTNGMAP_FILTER_PART_SIGNED = 1,
	LTTNGMAP_FILTER_PART_UNSIGNED = 2,
	LTTNGMAP_FILTER_PART_STRING = 3,
	LTTNGMAP_FILTER_PART_BEGIN = 4, /* of a string that is longer */
};

/*
 * Buckets: 0 to 63 are these numbers; then each power of two has 32, so that no number in a bucket
 * is further than 1/32 of it from the others. The last is that of 2^64 - 1.
 */
#define LTTNGMAP_FILTER_BUCKETS 1920u

static inline uint32_t lttngmap_filter_bucket(uint64_t value)
{
	unsigned shift;

	if (value < 64)
		return (uint32_t)value;
	shift = 58u - (unsigned)__builtin_clzll(value);
	return shift * 32 + (uint32_t)(value >> shift);
}

/* The least number of a bucket; its greatest is one below that of the next. */
static inline uint64_t lttngmap_filter_bucket_begin(uint32_t bucket)
{
	if (bucket < 64)
		return bucket;
	return ((uint64_t)bucket % 32 + 32) << (bucket / 32 - 1);
}

/* STRING_COMPARE's and STRING_GLOB's result where a string is a context that there is not. */
#define LTTNGMAP_FILTER_NO_VALUE 2

/*
 * Contexts are those of enum lttngmap_context, and the number of the CPU, which
 * each packet tells of. The event's name is a context to who writes filters, and a string of the
 * pool in the code.
 */
#define LTTNGMAP_FILTER_CONTEXT_CPU_ID 64

/*
 * A string's sort says where it is. From 0 on: `where` is an offset of the record, and the sort how
 * many bytes a fixed array has there; the string ends before its first NUL.
 */
#define LTTNGMAP_FILTER_STRING_NUL (-1)      /* at an offset of the record, with a NUL */
#define LTTNGMAP_FILTER_STRING_SEQUENCE (-2) /* likewise; u32 number of bytes first */
#define LTTNGMAP_FILTER_STRING_CONTEXT (-3)  /* `where` is a context's id */
#define LTTNGMAP_FILTER_STRING_POOL (-4)     /* pool offset | number of bytes << 32 */

/*
 * A glob, in the pool: u16 number of parts, at least 2, then the parts, in
 * order: between each two the string may have anything. A part is a u16
 * number of bytes n and the bytes. Parts other than the first and the last
 * have n >= 1, and then u16 border[n]: how many of the part's first i + 1
 * bytes, fewer than all, both begin and end them. Machine byte order,
 * unaligned. The string begins with the first part and ends in the last one.
 */

#ifdef __cplusplus
}
#endif

#endif /* LTTNGMAP_FILTER_CODE_H */
