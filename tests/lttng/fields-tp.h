/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * fields-tp.h - every kind of field, in the spelling that LTTng-UST had before
 * version 2.13; types that are no plain integers; long names of macros.
 */
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER fields

#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "./fields-tp.h"

#if !defined(FIELDS_TP_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define FIELDS_TP_H

#include <stdbool.h>
#include <stdint.h>

#include <lttng/tracepoint.h>

#include "fields.h"

/* clang-format off */
TRACEPOINT_EVENT(
	fields, integers,
	TP_ARGS(int, n, unsigned long long, big, const void *, address),
	TP_FIELDS(
		ctf_integer(int8_t, s8, (int8_t)n)
		ctf_integer(uint8_t, u8, (uint8_t)n)
		ctf_integer(int16_t, s16, (int16_t)n)
		ctf_integer(uint16_t, u16, (uint16_t)n)
		ctf_integer(int32_t, s32, n)
		ctf_integer(uint32_t, u32, (uint32_t)n)
		ctf_integer(int64_t, s64, n)
		ctf_integer(uint64_t, u64, big)
		ctf_integer(char, character, (char)n)
		ctf_integer(bool, truth, n != 0)
		ctf_integer(enum color, color, GREEN)
		ctf_integer(long long, ll, -1LL - (long long)(big >> 1))
		ctf_integer_hex(uint8_t, x8, (uint8_t)n)
		ctf_integer_hex(int, x32, n)
		ctf_integer_hex(unsigned long, x64, (unsigned long)big)
		ctf_integer_hex(const void *, pointer, address)
		ctf_integer_network(uint16_t, net16, fields_net16(0x1234))
		ctf_integer_network(int32_t, net32, (int32_t)fields_net32((uint32_t)n))
		ctf_integer_network_hex(uint32_t, net_hex, fields_net32(0xcafe1234))
		ctf_integer_nowrite(int, unseen, n)
	)
)

TRACEPOINT_EVENT(
	fields, floats,
	TP_ARGS(float, f, double, d),
	TP_FIELDS(
		ctf_float(float, single, f)
		ctf_float(double, twofold, d)
		ctf_float(double, product, f * d)
		ctf_float_nowrite(float, unseen, f)
	)
)

TRACEPOINT_EVENT(
	fields, strings,
	TP_ARGS(const char *, a, char *, b),
	TP_FIELDS(
		ctf_string(first, a)
		ctf_string(second, b)
		ctf_string_nowrite(unseen, a)
		ctf_string(chosen, a ? a : b)
	)
)

TRACEPOINT_EVENT(
	fields, arrays,
	TP_ARGS(const struct block *, block, const char *, text),
	TP_FIELDS(
		ctf_array(uint8_t, bytes, block->bytes, 4)
		ctf_array_hex(uint8_t, hex_bytes, block->bytes, sizeof(((struct block *)0)->bytes))
		ctf_array(int16_t, shorts, block->shorts, 3)
		ctf_array(long, longs, block->longs, 2)
		ctf_array_network(uint16_t, net, block->bytes, 2)
		ctf_array_network_hex(uint32_t, net_hex, block->bytes, 1)
		ctf_array_text(char, label, text, 6)
		ctf_array_nowrite(uint8_t, unseen, block->bytes, 4)
		ctf_array_text_nowrite(char, unseen_text, text, 4)
	)
)

TRACEPOINT_EVENT(
	fields, sequences,
	TP_ARGS(const struct block *, block, size_t, count, const char *, text),
	TP_FIELDS(
		ctf_sequence(uint8_t, bytes, block->bytes, size_t, count)
		ctf_sequence_hex(uint8_t, hex_bytes, block->bytes, uint8_t, (uint8_t)count)
		ctf_sequence(int16_t, shorts, block->shorts, unsigned int, (unsigned int)count / 2)
		ctf_sequence(long, longs, block->longs, uint16_t, count > 1 ? 2 : 0)
		ctf_sequence_network(uint16_t, net, block->bytes, size_t, count / 2)
		ctf_sequence_network_hex(uint32_t, net_hex, block->bytes, size_t, count / 4)
		ctf_sequence_text(char, label, text, size_t, count)
		ctf_sequence_nowrite(uint8_t, unseen, block->bytes, size_t, count)
		ctf_sequence_text_nowrite(char, unseen_text, text, size_t, count)
		ctf_integer(int, last, (int)count)
	)
)

TRACEPOINT_ENUM(
	fields, color,
	TP_ENUM_VALUES(
		ctf_enum_value("RED", RED)
		ctf_enum_auto("GREEN")
		ctf_enum_value("BLUE", 4)
		ctf_enum_range("GREY", 10, 19)
		ctf_enum_auto("AFTER GREY")
	)
)

TRACEPOINT_ENUM(
	fields, far,
	TP_ENUM_VALUES(
		ctf_enum_auto("zero")
		ctf_enum_range("below", -100, -1)
		ctf_enum_value("large", 0x100000000LL)
	)
)

TRACEPOINT_EVENT(
	fields, enumerations,
	TP_ARGS(int, n, long, far),
	TP_FIELDS(
		ctf_enum(fields, color, int, signed_color, n)
		ctf_enum(fields, color, uint8_t, small_color, (uint8_t)n)
		ctf_enum(fields, far, long, distance, far)
		ctf_enum_nowrite(fields, color, int, unseen, n)
	)
)

TRACEPOINT_EVENT(fields, nothing, TP_ARGS(void), TP_FIELDS())

/* Arguments that no field names, and a value that comes by two. */
TRACEPOINT_EVENT(
	fields, ten,
	TP_ARGS(int, a1, int, a2, int, a3, int, a4, int, a5, int, a6, int, a7, int, a8, int, a9,
		int, a10),
	TP_FIELDS(
		ctf_integer(int, sum, a1 + a2 + a3 + a4 + a5)
		ctf_integer(int, of_two, FIELDS_SUM(a9, a10))
	)
)

TRACEPOINT_EVENT_CLASS(fields, with_level, TP_ARGS(int, n), TP_FIELDS(ctf_integer(int, n, n)))
#define FIELDS_LEVEL(name, level)                                                                  \
	TRACEPOINT_EVENT_INSTANCE(fields, with_level, name, TP_ARGS(int, n))                            \
	TRACEPOINT_LOGLEVEL(fields, name, level)
FIELDS_LEVEL(emerg, TRACE_EMERG)
FIELDS_LEVEL(alert, TRACE_ALERT)
FIELDS_LEVEL(crit, TRACE_CRIT)
FIELDS_LEVEL(err, TRACE_ERR)
FIELDS_LEVEL(warning, TRACE_WARNING)
FIELDS_LEVEL(notice, TRACE_NOTICE)
FIELDS_LEVEL(info, TRACE_INFO)
FIELDS_LEVEL(system, TRACE_DEBUG_SYSTEM)
FIELDS_LEVEL(program, TRACE_DEBUG_PROGRAM)
FIELDS_LEVEL(process, TRACE_DEBUG_PROCESS)
FIELDS_LEVEL(module, TRACE_DEBUG_MODULE)
FIELDS_LEVEL(unit, TRACE_DEBUG_UNIT)
FIELDS_LEVEL(function, TRACE_DEBUG_FUNCTION)
FIELDS_LEVEL(line, TRACE_DEBUG_LINE)
FIELDS_LEVEL(debug, TRACE_DEBUG)
TRACEPOINT_MODEL_EMF_URI(fields, debug, "http://example.org/model")
#undef FIELDS_LEVEL
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
