/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sdt/operand.h"

#include <errno.h>
#include <string.h>

/* Below the stack pointer, where functions that call nobody may keep things. */
#define RED_ZONE 128u
/*
 * How far above the stack pointer is taken for the frame's. %rbp may hold anything
 * else instead.
 */
#define FRAME_MAX (64u * 1024u)

struct cursor {
	const char *at;
	const char *end;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_symbol(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
	       c == '.' || c == '$' || c == '@';
}

static bool take(struct cursor *cursor, char c)
{
	if (cursor->at >= cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

static unsigned digit_value(char c)
{
	if (is_digit(c))
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* Decimal or 0x..., no sign. */
static bool take_number(struct cursor *cursor, uint64_t *number)
{
	unsigned base = 10;
	const char *begin;

	*number = 0;
	if (cursor->end - cursor->at > 2 && cursor->at[0] == '0' && (cursor->at[1] | 0x20) == 'x') {
		base = 16;
		cursor->at += 2;
	}
	begin = cursor->at;
	while (cursor->at < cursor->end && digit_value(*cursor->at) < base) {
		if (__builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, digit_value(*cursor->at), number))
			return false;
		cursor->at++;
	}
	return cursor->at > begin;
}

/* ---- registers --------------------------------------------------------------------- */

/* Without %, and without the r or e of the old ones. */
static const char old_names[8][3] = { "ax", "cx", "dx", "bx", "sp", "bp", "si", "di" };

/* r8 to r15, with d, w or b behind. */
static bool find_new(const char *name, size_t length, uint8_t *number, uint8_t *size)
{
	unsigned n = 0;
	size_t i = 1;

	while (i < length && i < 3 && is_digit(name[i]))
		n = n * 10 + (unsigned)(name[i++] - '0');
	if (n < SDT_R8 || n > SDT_R15 || length - i > 1)
		return false;
	*number = (uint8_t)n;
	if (i == length)
		*size = 8;
	else if (name[i] == 'd')
		*size = 4;
	else if (name[i] == 'w')
		*size = 2;
	else if (name[i] == 'b')
		*size = 1;
	else
		return false;
	return true;
}

/* al, ah, ..., sil, dil, bpl, spl. */
static bool find_byte(const char *name, size_t length, uint8_t *number, uint8_t *shift)
{
	if (length == 2 && (name[1] == 'l' || name[1] == 'h')) {
		for (uint8_t i = 0; i < 4; i++) {
			if (old_names[i][0] != name[0])
				continue;
			*number = i;
			*shift = name[1] == 'h' ? 8 : 0;
			return true;
		}
	}
	for (uint8_t i = 4; length == 3 && name[2] == 'l' && i < 8; i++) {
		if (memcmp(old_names[i], name, 2) == 0) {
			*number = i;
			return true;
		}
	}
	return false;
}

static bool find_register(const char *name, size_t length, uint8_t *number, uint8_t *size,
			  uint8_t *shift)
{
	*shift = 0;
	if (length >= 2 && name[0] == 'r' && is_digit(name[1]))
		return find_new(name, length, number, size);
	*size = 1;
	if (find_byte(name, length, number, shift))
		return true;
	*size = 2;
	if (length == 3 && (name[0] == 'r' || name[0] == 'e')) {
		*size = name[0] == 'r' ? 8 : 4;
		name++;
		length--;
	}
	for (uint8_t i = 0; length == 2 && i < 8; i++) {
		if (memcmp(old_names[i], name, 2) == 0) {
			*number = i;
			return true;
		}
	}
	return false;
}

/* %NAME: 0, -EINVAL for no register at all, -ENXIO for another one. */
static int take_register(struct cursor *cursor, uint8_t *number, uint8_t *size, uint8_t *shift)
{
	const char *begin;

	if (!take(cursor, '%'))
		return -EINVAL;
	begin = cursor->at;
	while (cursor->at < cursor->end && is_symbol(*cursor->at))
		cursor->at++;
	return find_register(begin, (size_t)(cursor->at - begin), number, size, shift) ? 0 : -ENXIO;
}

/* ---- operands ---------------------------------------------------------------------- */

/* Text before the parenthesis: numbers, and at most one name. */
struct sum {
	uint64_t value;
	struct sdt_symbol symbol;
	bool has_symbol;
};

static int take_term(struct cursor *cursor, bool negative, struct sum *sum, sdt_find_symbol *find,
		     void *context)
{
	const char *begin = cursor->at;
	uint64_t number;
	int error;

	if (cursor->at < cursor->end && is_digit(*cursor->at)) {
		if (!take_number(cursor, &number))
			return -EINVAL;
		sum->value += negative ? 0 - number : number;
		return 0;
	}
	while (cursor->at < cursor->end && is_symbol(*cursor->at))
		cursor->at++;
	if (cursor->at == begin || negative || sum->has_symbol)
		return -EINVAL;
	sum->has_symbol = true;
	error = find(context, begin, (size_t)(cursor->at - begin), &sum->symbol);
	sum->value += sum->symbol.address;
	return error;
}

static int take_sum(struct cursor *cursor, struct sum *sum, sdt_find_symbol *find, void *context)
{
	*sum = (struct sum){ .value = 0 };
	if (cursor->at < cursor->end && *cursor->at == '(')
		return 0;
	do {
		bool negative = take(cursor, '-');
		int error = take_term(cursor, negative, sum, find, context);

		if (error)
			return error;
		take(cursor, '+');
	} while (cursor->at < cursor->end && *cursor->at != '(');
	return 0;
}

static int take_address_register(struct cursor *cursor, uint8_t *number, bool *is_rip)
{
	uint8_t size, shift;
	int error;

	if (is_rip && cursor->end - cursor->at >= 4 && memcmp(cursor->at, "%rip", 4) == 0) {
		cursor->at += 4;
		*is_rip = true;
		return 0;
	}
	error = take_register(cursor, number, &size, &shift);
	return error ? error : size == 8 ? 0 : -EINVAL;
}

/* (BASE,INDEX,SCALE), of which each may be missing, or nothing at all. */
static int take_registers(struct cursor *cursor, struct sdt_operand *operand, bool *is_rip)
{
	uint64_t scale;
	int error = 0;

	if (!take(cursor, '('))
		return 0;
	if (cursor->at < cursor->end && *cursor->at != ',')
		error = take_address_register(cursor, &operand->base, is_rip);
	if (!error && take(cursor, ','))
		error = take_address_register(cursor, &operand->index, NULL);
	if (!error && take(cursor, ',')) {
		if (!take_number(cursor, &scale) || scale > 8 || !scale || (scale & (scale - 1)))
			return -EINVAL;
		operand->scale = (uint8_t)scale;
	}
	return error ? error : take(cursor, ')') ? 0 : -EINVAL;
}

static int take_memory(struct cursor *cursor, struct sdt_operand *operand, sdt_find_symbol *find,
		       void *context)
{
	bool is_rip = false;
	struct sum sum;
	int error = take_sum(cursor, &sum, find, context);

	if (!error)
		error = take_registers(cursor, operand, &is_rip);
	if (error)
		return error;
	operand->value = (int64_t)sum.value;
	if (sum.has_symbol) {
		operand->kind = SDT_OBJECT;
		operand->low = sum.symbol.low;
		operand->high = sum.symbol.high;
		return is_rip && operand->index != SDT_NO_REGISTER ? -EINVAL : 0;
	}
	operand->kind = SDT_STACK;
	if (is_rip || operand->base == SDT_NO_REGISTER)
		return -EINVAL;
	return operand->base == SDT_RSP || operand->base == SDT_RBP ? 0 : -EFAULT;
}

static int take_constant(struct cursor *cursor, struct sdt_operand *operand, sdt_find_symbol *find,
			 void *context)
{
	struct sum sum;
	int error = take_sum(cursor, &sum, find, context);

	operand->kind = SDT_CONSTANT;
	operand->value = (int64_t)sum.value;
	return error;
}

/* N@, -N@ or Nf@; without it, as old notes are, eight bytes. */
static int take_size(struct cursor *cursor, struct sdt_operand *operand)
{
	const char *begin = cursor->at, *sign = memchr(begin, '@', (size_t)(cursor->end - begin));
	uint64_t size;

	operand->size = 8;
	if (!sign || (!is_digit(*begin) && *begin != '-'))
		return 0;
	operand->is_signed = take(cursor, '-');
	if (!take_number(cursor, &size))
		return -EINVAL;
	operand->is_float = take(cursor, 'f');
	if (!take(cursor, '@')) {
		/* A symbol that has an @ in it, and no size. */
		*operand = (struct sdt_operand){ .size = 8 };
		cursor->at = begin;
		return 0;
	}
	operand->size = (uint8_t)size;
	if ((size != 1 && size != 2 && size != 4 && size != 8) || (operand->is_float && size < 4))
		return -EINVAL;
	return 0;
}

static int parse_one(struct cursor *cursor, struct sdt_operand *operand, sdt_find_symbol *find,
		     void *context)
{
	uint8_t size;
	int error;

	*operand = (struct sdt_operand){ .size = 0 };
	error = take_size(cursor, operand);
	if (error)
		return error;
	operand->base = SDT_NO_REGISTER;
	operand->index = SDT_NO_REGISTER;
	operand->scale = 1;
	if (cursor->at == cursor->end)
		return -EINVAL;
	if (take(cursor, '$')) {
		error = take_constant(cursor, operand, find, context);
	} else if (*cursor->at == '%') {
		operand->kind = SDT_REGISTER;
		error = take_register(cursor, &operand->base, &size, &operand->shift);
		if (!error && size < operand->size)
			error = -EINVAL;
	} else {
		error = take_memory(cursor, operand, find, context);
	}
	operand->field_size = operand->size;
	return error ? error : cursor->at == cursor->end ? 0 : -EINVAL;
}

int sdt_operands_parse(const char *text, struct sdt_operand operands[SDT_OPERANDS_MAX],
		       sdt_find_symbol *find, void *context, const char **at, size_t *length)
{
	unsigned count = 0;

	for (;; count++) {
		struct cursor cursor;
		int error;

		text += strspn(text, " \t");
		*length = strcspn(text, " \t");
		*at = text;
		if (*length == 0)
			return (int)count;
		if (count == SDT_OPERANDS_MAX)
			return -E2BIG;
		cursor = (struct cursor){ text, text + *length };
		error = parse_one(&cursor, &operands[count], find, context);
		if (error)
			return error;
		text += *length;
	}
}

/* ---- values ------------------------------------------------------------------------ */

static bool load(const struct sdt_operand *operand, uint64_t address, uint64_t low, uint64_t high,
		 uint64_t *value)
{
	if (address < low || address >= high || high - address < operand->size)
		return false;
	/* A part of the eight bytes is all that is there. */
	switch (operand->size) {
	case 1:
		*value = *(const volatile uint8_t *)address;
		break;
	case 2:
		__builtin_memcpy(value, (const void *)address, 2);
		break;
	case 4:
		__builtin_memcpy(value, (const void *)address, 4);
		break;
	default:
		__builtin_memcpy(value, (const void *)address, 8);
		break;
	}
	return true;
}

static bool load_operand(const struct sdt_operand *operand, const uint64_t *registers,
			 uint64_t *value)
{
	uint64_t address = (uint64_t)operand->value, stack = registers[SDT_RSP];

	if (operand->base != SDT_NO_REGISTER)
		address += registers[operand->base];
	if (operand->index != SDT_NO_REGISTER)
		address += registers[operand->index] * operand->scale;
	if (operand->kind == SDT_OBJECT)
		return load(operand, address, operand->low, operand->high, value);
	return load(operand, address, stack - RED_ZONE, stack + FRAME_MAX, value);
}

bool sdt_operand_value(const struct sdt_operand *operand, const uint64_t registers[SDT_REGISTERS],
		       uint64_t *value)
{
	unsigned unused = 64 - 8 * operand->size;
	uint64_t whole = 0;

	if (operand->kind == SDT_CONSTANT)
		whole = (uint64_t)operand->value;
	else if (operand->kind == SDT_REGISTER)
		whole = registers[operand->base] >> operand->shift;
	else if (!load_operand(operand, registers, &whole))
		return false;
	whole <<= unused;
	*value = operand->is_signed ? (uint64_t)((int64_t)whole >> unused) : whole >> unused;
	return true;
}
