/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * operand.h - the arguments of a probe, as its note writes them, and their
 * values where the program stands in the probe.
 *
 *   N@OP ...   N bytes, or -N if signed, or Nf if a floating number, of
 *              %rax, $1, -8(%rbp), (%rsp,%rcx,8), name(%rip), name+8(,%rcx,8)
 *
 * A value in memory is read only where that cannot fail: in the frame of the
 * function that the probe is in, or in the object that it belongs to.
 */
#ifndef SDT_OPERAND_H
#define SDT_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* sys/sdt.h has macros for so many. */
#define SDT_OPERANDS_MAX 12u
#define SDT_NO_REGISTER 0xffu

/* Numbered as instructions number them; what entry.c stores, in this order. */
enum sdt_register {
	SDT_RAX,
	SDT_RCX,
	SDT_RDX,
	SDT_RBX,
	SDT_RSP,
	SDT_RBP,
	SDT_RSI,
	SDT_RDI,
	SDT_R8,
	SDT_R15 = 15,
	SDT_REGISTERS,
};

enum sdt_operand_kind {
	SDT_CONSTANT, /* value */
	SDT_REGISTER, /* base, from bit `shift` on */
	SDT_STACK,    /* at value + base + index * scale, base being %rsp or %rbp */
	SDT_OBJECT,   /* the same, anywhere between low and high */
};

struct sdt_operand {
	int64_t value;
	uint64_t low, high; /* SDT_OBJECT: where memory is readable, addresses */
	uint8_t kind;       /* enum sdt_operand_kind */
	uint8_t size;       /* bytes: 1, 2, 4 or 8 */
	uint8_t field_size; /* of the event's field: that, or more */
	bool is_signed, is_float;
	uint8_t base, index; /* enum sdt_register, or SDT_NO_REGISTER */
	uint8_t scale, shift;
};

/* The address of what an object calls so, and the readable range about it. */
struct sdt_symbol {
	uint64_t address, low, high;
};

/* 0, or -errno: who knows the object's symbols. */
typedef int sdt_find_symbol(void *context, const char *name, size_t length,
			    struct sdt_symbol *symbol);

/*
 * Read `text`, which ends in a NUL. The number of operands, or -errno: -E2BIG,
 * -EINVAL for what is not understood, -ENXIO for a register that is not kept,
 * -EFAULT for memory that might not be there, or of `find`. *at is then the
 * operand that is meant, *length its bytes.
 */
int sdt_operands_parse(const char *text, struct sdt_operand operands[SDT_OPERANDS_MAX],
		       sdt_find_symbol *find, void *context, const char **at, size_t *length);

/*
 * The value, extended to 64 bits as the operand's sign says. False: it is in
 * memory beyond what was said to be readable. Signal-safe.
 */
bool sdt_operand_value(const struct sdt_operand *operand, const uint64_t registers[SDT_REGISTERS],
		       uint64_t *value);

#endif /* SDT_OPERAND_H */
