/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-float.h - doubles as their 64 bits: for the filter machine, and for the
 * compiler, whose constants have to come out the same.
 *
 * The traced thread's floating-point environment is not ours: a flag raised
 * here would be seen by the program, and where it asked for traps it would be
 * killed. So comparisons and conversions are done on the bits, and arithmetic
 * under an environment of its own.
 */
#ifndef COMMON_BASE_FILTER_FLOAT_H
#define COMMON_BASE_FILTER_FLOAT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FILTER_FLOAT_SIGN (UINT64_C(1) << 63)
#define FILTER_FLOAT_INFINITY (UINT64_C(0x7ff) << 52)

enum filter_float_operation {
	FILTER_FLOAT_ADD,
	FILTER_FLOAT_SUB,
	FILTER_FLOAT_MUL,
	FILTER_FLOAT_DIV,
};

static inline bool filter_float_is_nan(uint64_t a)
{
	return (a & ~FILTER_FLOAT_SIGN) > FILTER_FLOAT_INFINITY;
}

/* Integers in the order of the doubles; both zeros are 0. */
static inline int64_t filter_float_order(uint64_t a)
{
	return a & FILTER_FLOAT_SIGN ? -(int64_t)(a & ~FILTER_FLOAT_SIGN) : (int64_t)a;
}

static inline bool filter_float_unordered(uint64_t a, uint64_t b)
{
	return filter_float_is_nan(a) || filter_float_is_nan(b);
}

static inline bool filter_float_equal(uint64_t a, uint64_t b)
{
	return !filter_float_unordered(a, b) && filter_float_order(a) == filter_float_order(b);
}

static inline bool filter_float_less(uint64_t a, uint64_t b)
{
	return !filter_float_unordered(a, b) && filter_float_order(a) < filter_float_order(b);
}

static inline bool filter_float_less_equal(uint64_t a, uint64_t b)
{
	return !filter_float_unordered(a, b) && filter_float_order(a) <= filter_float_order(b);
}

/* To nearest, ties to even. */
static inline uint64_t filter_float_from_unsigned(uint64_t value)
{
	uint64_t exponent, mantissa, rest;
	int zeros;

	if (value == 0)
		return 0;
	zeros = __builtin_clzll(value);
	value <<= zeros;
	exponent = 1023 + 63 - (unsigned)zeros;
	mantissa = value >> 11; /* 53 bits, the first of which is 1 and is not stored */
	rest = value & 0x7ff;
	if (rest > 0x400 || (rest == 0x400 && (mantissa & 1)))
		mantissa++;
	/* A mantissa that overflowed makes the exponent one more, as it should. */
	return ((exponent - 1) << 52) + mantissa;
}

static inline uint64_t filter_float_from_signed(uint64_t value)
{
	if ((int64_t)value < 0)
		return FILTER_FLOAT_SIGN | filter_float_from_unsigned(-value);
	return filter_float_from_unsigned(value);
}

static inline uint64_t filter_float_from_float32(uint32_t value)
{
	uint64_t sign = (uint64_t)(value >> 31) << 63;
	uint64_t exponent = value >> 23 & 0xff;
	uint64_t mantissa = value & 0x7fffff;
	int shift;

	if (exponent == 0xff)
		return sign | FILTER_FLOAT_INFINITY | mantissa << 29;
	if (exponent != 0)
		return sign | (exponent - 127 + 1023) << 52 | mantissa << 29;
	if (mantissa == 0)
		return sign;
	/* Too small for a float's exponent, but not for a double's. */
	shift = __builtin_clz((uint32_t)mantissa) - 8;
	return sign | ((uint64_t)(1023 - 126 - shift) << 52) | (mantissa << shift & 0x7fffff) << 29;
}

#ifdef __x86_64__
/* One statement, for the compiler could move a calculation out of two. */
#define FILTER_FLOAT_CALCULATE(instruction, a, b)                                                  \
	__asm__ volatile("stmxcsr %1\n\t"                                                          \
			 "ldmxcsr %2\n\t" instruction " %3, %0\n\t"                                \
			 "ldmxcsr %1"                                                              \
			 : "+x"(a), "=&m"(saved)                                                   \
			 : "m"(quiet), "x"(b))
#else
#define FILTER_FLOAT_CALCULATE(instruction, a, b) filter_float_plain(instruction, &(a), b)

static inline void filter_float_plain(const char *instruction, double *a, double b)
{
	switch (instruction[0]) {
	case 'a':
		*a += b;
		break;
	case 's':
		*a -= b;
		break;
	case 'm':
		*a *= b;
		break;
	default:
		*a /= b;
	}
}
#endif

static inline uint64_t filter_float_calculate(enum filter_float_operation operation, uint64_t left,
					      uint64_t right)
{
	/* All exceptions masked, to nearest, denormal numbers kept. */
	uint32_t quiet = 0x1f80, saved = 0;
	double a, b;

	memcpy(&a, &left, sizeof(a));
	memcpy(&b, &right, sizeof(b));
	switch (operation) {
	case FILTER_FLOAT_ADD:
		FILTER_FLOAT_CALCULATE("addsd", a, b);
		break;
	case FILTER_FLOAT_SUB:
		FILTER_FLOAT_CALCULATE("subsd", a, b);
		break;
	case FILTER_FLOAT_MUL:
		FILTER_FLOAT_CALCULATE("mulsd", a, b);
		break;
	case FILTER_FLOAT_DIV:
		FILTER_FLOAT_CALCULATE("divsd", a, b);
		break;
	}
	(void)quiet;
	(void)saved;
	memcpy(&left, &a, sizeof(a));
	return left;
}

#endif /* COMMON_BASE_FILTER_FLOAT_H */
