/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttng/tracepoint.h - programs written for LTTng-UST, on lttngmap.
 *
 * Found where `pkg-config --cflags lttngmap-lttng-compat` says, and nowhere
 * else: a program that is built without that knows nothing of it. A program
 * writes what LTTng-UST's manual says, in both of its spellings
 * (LTTNG_UST_TRACEPOINT_EVENT and TRACEPOINT_EVENT, ...); with
 * LTTNG_UST_COMPAT_API_VERSION above 0 only in the first. lttngmap-lttng(7)
 * tells what is different.
 *
 * A tracepoint `p:n` has these symbols, in whatever module the parts are:
 *
 *   lttngmap_lttng_tracepoint_p___n   what a call looks at, one load and a branch
 *   lttngmap_lttng_emit_p___n()       what a call does that finds it on
 *
 * Both are defined where the header of the tracepoints is included under
 * LTTNG_UST_TRACEPOINT_CREATE_PROBES (tracepoint-event.h), and the linker finds
 * them. Only where a program says LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE,
 * LTTNG_UST_TRACEPOINT_DEFINE has a meaning: it makes placeholders there, which
 * liblttngmap leads to the real ones once these are loaded.
 */
#ifndef LTTNGMAP_LTTNG_TRACEPOINT_H
#define LTTNGMAP_LTTNG_TRACEPOINT_H

/* A program may use what LTTng-UST's headers bring along, without including it. */
#include <assert.h>
#include <dlfcn.h>
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <lttngmap/event-class.h>

#if !defined(LTTNG_UST_COMPAT_API_VERSION) || LTTNG_UST_COMPAT_API_VERSION == 0
#define LTTNGMAP_LTTNG_OLD_NAMES_
#endif

enum {
	LTTNG_UST_TRACEPOINT_LOGLEVEL_EMERG = LTTNGMAP_LOGLEVEL_EMERG,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_ALERT = LTTNGMAP_LOGLEVEL_ALERT,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_CRIT = LTTNGMAP_LOGLEVEL_CRIT,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_ERR = LTTNGMAP_LOGLEVEL_ERR,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING = LTTNGMAP_LOGLEVEL_WARNING,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_NOTICE = LTTNGMAP_LOGLEVEL_NOTICE,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO = LTTNGMAP_LOGLEVEL_INFO,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_SYSTEM = LTTNGMAP_LOGLEVEL_DEBUG_SYSTEM,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_PROGRAM = LTTNGMAP_LOGLEVEL_DEBUG_PROGRAM,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_PROCESS = LTTNGMAP_LOGLEVEL_DEBUG_PROCESS,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_MODULE = LTTNGMAP_LOGLEVEL_DEBUG_MODULE,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_UNIT = LTTNGMAP_LOGLEVEL_DEBUG_UNIT,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_FUNCTION = LTTNGMAP_LOGLEVEL_DEBUG_FUNCTION,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_LINE = LTTNGMAP_LOGLEVEL_DEBUG_LINE,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG = LTTNGMAP_LOGLEVEL_DEBUG,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEFAULT = LTTNGMAP_LOGLEVEL_DEBUG_LINE,
};

/* To clang-format, macros that make declarations are expressions. */
/* clang-format off */

/* ---- calls ------------------------------------------------------------------ */

/* The 0 at the end is the emitter's last parameter: a list is never empty. */
#define lttng_ust_tracepoint(provider, ...) LTTNGMAP_LTTNG_CALL_(provider, __VA_ARGS__, 0)
#define lttng_ust_do_tracepoint(provider, ...) LTTNGMAP_LTTNG_DO_(provider, __VA_ARGS__, 0)
#define lttng_ust_tracepoint_enabled(provider, name) LTTNGMAP_LTTNG_ENABLED_(provider, name)

#define LTTNGMAP_LTTNG_ENABLED_(provider, name)                                                    \
	(__builtin_expect(lttngmap_is_on_(&lttngmap_lttng_tracepoint_##provider##___##name), 0))
#define LTTNGMAP_LTTNG_DO_(provider, name, ...) lttngmap_lttng_emit_##provider##___##name(__VA_ARGS__)
#define LTTNGMAP_LTTNG_CALL_(provider, name, ...)                                                  \
	do {                                                                                       \
		if (LTTNGMAP_LTTNG_ENABLED_(provider, name))                                       \
			LTTNGMAP_LTTNG_DO_(provider, name, __VA_ARGS__);                           \
	} while (0)

/* ---- events, classes and enumerations --------------------------------------- */

/* The expansion of these macros depends on the pass: tracepoint-pass.h. */
#define LTTNG_UST_TRACEPOINT_EVENT(provider, name, args, fields)                                   \
	LTTNGMAP_LTTNG_CLASS_(provider, name, args, fields)                                        \
	LTTNGMAP_LTTNG_INSTANCE_(provider, name, provider, name, args)
#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields)                             \
	LTTNGMAP_LTTNG_CLASS_(provider, name, args, fields)
#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class_name, provider, name, args)      \
	LTTNGMAP_LTTNG_INSTANCE_(class_provider, class_name, provider, name, args)
#define LTTNG_UST_TRACEPOINT_ENUM(provider, name, values)                                          \
	LTTNGMAP_LTTNG_ENUM_(provider, name, values)
/* Both names as they are spelled: as with LTTng-UST, the name of a macro is that of no event. */
#define LTTNG_UST_TRACEPOINT_LOGLEVEL(provider, name, level)                                       \
	LTTNGMAP_LTTNG_LEVEL_(provider##___##name, #provider, #name, level)
/* A reference to documentation, for which a trace has no place. */
#define LTTNG_UST_TRACEPOINT_MODEL_EMF_URI(provider, name, uri)

#define LTTNG_UST_TP_ARGS(...) (__VA_ARGS__)
#define LTTNG_UST_TP_FIELDS(...) __VA_ARGS__
#define LTTNG_UST_TP_ENUM_VALUES(...) __VA_ARGS__

/* ---- fields: (SHAPE, what tracepoint-probe.h wants of that shape) -------------- */

#define lttng_ust_field_integer(T, name, expr) (VALUE, T, name, expr, 10, 0u)
#define lttng_ust_field_integer_hex(T, name, expr) (VALUE, T, name, expr, 16, 0u)
#define lttng_ust_field_integer_network(T, name, expr)                                             \
	(VALUE, T, name, expr, 10, LTTNGMAP_FIELD_BIG_ENDIAN)
#define lttng_ust_field_integer_network_hex(T, name, expr)                                         \
	(VALUE, T, name, expr, 16, LTTNGMAP_FIELD_BIG_ENDIAN)
#define lttng_ust_field_float(T, name, expr) (FLOAT, T, name, expr)
#define lttng_ust_field_string(name, expr) (STRING, name, expr)
#define lttng_ust_field_enum(provider, enumeration, T, name, expr)                                 \
	(ENUM, provider, enumeration, T, name, expr)

#define lttng_ust_field_array(T, name, expr, count) (ARRAY, T, name, expr, count, 10, 0u)
#define lttng_ust_field_array_hex(T, name, expr, count) (ARRAY, T, name, expr, count, 16, 0u)
#define lttng_ust_field_array_network(T, name, expr, count)                                        \
	(ARRAY, T, name, expr, count, 10, LTTNGMAP_FIELD_BIG_ENDIAN)
#define lttng_ust_field_array_network_hex(T, name, expr, count)                                    \
	(ARRAY, T, name, expr, count, 16, LTTNGMAP_FIELD_BIG_ENDIAN)
#define lttng_ust_field_array_text(T, name, expr, count) (TEXT, T, name, expr, count)

#define lttng_ust_field_sequence(T, name, expr, LT, length)                                        \
	(SEQUENCE, T, name, expr, LT, length, 10, 0u)
#define lttng_ust_field_sequence_hex(T, name, expr, LT, length)                                    \
	(SEQUENCE, T, name, expr, LT, length, 16, 0u)
#define lttng_ust_field_sequence_network(T, name, expr, LT, length)                                \
	(SEQUENCE, T, name, expr, LT, length, 10, LTTNGMAP_FIELD_BIG_ENDIAN)
#define lttng_ust_field_sequence_network_hex(T, name, expr, LT, length)                            \
	(SEQUENCE, T, name, expr, LT, length, 16, LTTNGMAP_FIELD_BIG_ENDIAN)
#define lttng_ust_field_sequence_text(T, name, expr, LT, length)                                   \
	(TEXT_SEQUENCE, T, name, expr, LT, length)

/* Filters look at what is written, so that these are for nothing. */
#define lttng_ust_field_unused(expr) (NONE, ~)
#define lttng_ust_field_integer_nowrite(T, name, expr) (NONE, ~)
#define lttng_ust_field_float_nowrite(T, name, expr) (NONE, ~)
#define lttng_ust_field_string_nowrite(name, expr) (NONE, ~)
#define lttng_ust_field_enum_nowrite(provider, enumeration, T, name, expr) (NONE, ~)
#define lttng_ust_field_array_nowrite(T, name, expr, count) (NONE, ~)
#define lttng_ust_field_array_nowrite_hex(T, name, expr, count) (NONE, ~)
#define lttng_ust_field_array_network_nowrite(T, name, expr, count) (NONE, ~)
#define lttng_ust_field_array_network_nowrite_hex(T, name, expr, count) (NONE, ~)
#define lttng_ust_field_array_text_nowrite(T, name, expr, count) (NONE, ~)
#define lttng_ust_field_sequence_nowrite(T, name, expr, LT, length) (NONE, ~)
#define lttng_ust_field_sequence_nowrite_hex(T, name, expr, LT, length) (NONE, ~)
#define lttng_ust_field_sequence_network_nowrite(T, name, expr, LT, length) (NONE, ~)
#define lttng_ust_field_sequence_network_nowrite_hex(T, name, expr, LT, length) (NONE, ~)
#define lttng_ust_field_sequence_text_nowrite(T, name, expr, LT, length) (NONE, ~)

/* Values of an enumeration; one that is `auto` follows the one before it. */
#define lttng_ust_field_enum_value(label, value)                                                   \
	{ label, (int64_t)(value), (int64_t)(value) },
#define lttng_ust_field_enum_range(label, first, last)                                             \
	{ label, (int64_t)(first), (int64_t)(last) },
#define lttng_ust_field_enum_auto(label) { label, INT64_MAX, INT64_MIN },

/* ---- arguments: pairs of a type and a name ----------------------------------- */

/* LTTNGMAP_LTTNG_PARAMETERS_ args: `int a, char *b,`; NAMES_: `a, b,`. */
#define LTTNGMAP_LTTNG_PARAMETERS_(...) LTTNGMAP_LTTNG_PAIRS_(PARAMETER, __VA_ARGS__)
#define LTTNGMAP_LTTNG_NAMES_(...) LTTNGMAP_LTTNG_PAIRS_(NAME, __VA_ARGS__)
#define LTTNGMAP_LTTNG_USES_(...) LTTNGMAP_LTTNG_PAIRS_(USE, __VA_ARGS__)
#define LTTNGMAP_LTTNG_PARAMETER_(type, name) type name,
#define LTTNGMAP_LTTNG_NAME_(type, name) name,
#define LTTNGMAP_LTTNG_USE_(type, name) (void)name;

#define LTTNGMAP_LTTNG_PASTE_(a, b) LTTNGMAP_LTTNG_PASTE1_(a, b)
#define LTTNGMAP_LTTNG_PASTE1_(a, b) a##b
#define LTTNGMAP_LTTNG_COUNT_(...)                                                                 \
	LTTNGMAP_LTTNG_COUNT1_(__VA_ARGS__, MANY, MANY, MANY, MANY, 20, ODD, 18, ODD, 16, ODD, 14, \
			       ODD, 12, ODD, 10, ODD, 8, ODD, 6, ODD, 4, ODD, 2, NONE, ~)
#define LTTNGMAP_LTTNG_COUNT1_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15,   \
			       a16, a17, a18, a19, a20, a21, a22, a23, a24, count, ...)            \
	count
#define LTTNGMAP_LTTNG_PAIRS_(pass, ...)                                                           \
	LTTNGMAP_LTTNG_PASTE_(LTTNGMAP_LTTNG_PAIRS_, LTTNGMAP_LTTNG_COUNT_(__VA_ARGS__))           \
	(pass, __VA_ARGS__)
#define LTTNGMAP_LTTNG_PAIRS_MANY(...) a_tracepoint_has_no_more_than_10_arguments
#define LTTNGMAP_LTTNG_PAIRS_ODD(...) an_argument_has_a_type_and_a_name
#define LTTNGMAP_LTTNG_PAIRS_NONE(pass, nothing)
#define LTTNGMAP_LTTNG_PAIRS_2(pass, T, name) LTTNGMAP_LTTNG_##pass##_(T, name)
#define LTTNGMAP_LTTNG_PAIRS_4(pass, T, name, ...)                                                 \
	LTTNGMAP_LTTNG_##pass##_(T, name) LTTNGMAP_LTTNG_PAIRS_2(pass, __VA_ARGS__)
#define LTTNGMAP_LTTNG_PAIRS_6(pass, T, name, ...)                                                 \
	LTTNGMAP_LTTNG_##pass##_(T, name) LTTNGMAP_LTTNG_PAIRS_4(pass, __VA_ARGS__)
#define LTTNGMAP_LTTNG_PAIRS_8(pass, T, name, ...)                                                 \
	LTTNGMAP_LTTNG_##pass##_(T, name) LTTNGMAP_LTTNG_PAIRS_6(pass, __VA_ARGS__)
#define LTTNGMAP_LTTNG_PAIRS_10(pass, T, name, ...)                                                \
	LTTNGMAP_LTTNG_##pass##_(T, name) LTTNGMAP_LTTNG_PAIRS_8(pass, __VA_ARGS__)
#define LTTNGMAP_LTTNG_PAIRS_12(pass, T, name, ...)                                                \
	LTTNGMAP_LTTNG_##pass##_(T, name) LTTNGMAP_LTTNG_PAIRS_10(pass, __VA_ARGS__)
#define LTTNGMAP_LTTNG_PAIRS_14(pass, T, name, ...)                                                \
	LTTNGMAP_LTTNG_##pass##_(T, name) LTTNGMAP_LTTNG_PAIRS_12(pass, __VA_ARGS__)
#define LTTNGMAP_LTTNG_PAIRS_16(pass, T, name, ...)                                                \
	LTTNGMAP_LTTNG_##pass##_(T, name) LTTNGMAP_LTTNG_PAIRS_14(pass, __VA_ARGS__)
#define LTTNGMAP_LTTNG_PAIRS_18(pass, T, name, ...)                                                \
	LTTNGMAP_LTTNG_##pass##_(T, name) LTTNGMAP_LTTNG_PAIRS_16(pass, __VA_ARGS__)
#define LTTNGMAP_LTTNG_PAIRS_20(pass, T, name, ...)                                                \
	LTTNGMAP_LTTNG_##pass##_(T, name) LTTNGMAP_LTTNG_PAIRS_18(pass, __VA_ARGS__)

/* clang-format on */

#ifdef LTTNGMAP_LTTNG_OLD_NAMES_
#include <lttng/tracepoint-old.h>
#endif

#endif /* LTTNGMAP_LTTNG_TRACEPOINT_H */

/* Each header of tracepoints includes this one, and is read for the first time. */
#ifndef LTTNGMAP_LTTNG_READING_
#if (defined(LTTNG_UST_TRACEPOINT_DEFINE) &&                                                       \
     defined(LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE)) ||                                       \
	(defined(LTTNGMAP_LTTNG_OLD_NAMES_) && defined(TRACEPOINT_DEFINE) &&                       \
	 defined(TRACEPOINT_PROBE_DYNAMIC_LINKAGE))
#define LTTNGMAP_LTTNG_PASS_ 2
#else
#define LTTNGMAP_LTTNG_PASS_ 1
#endif
#include <lttng/tracepoint-pass.h>
#endif
