/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttng/tracepoint-pass.h - what a header of tracepoints makes when it is
 * read; for lttng/tracepoint.h and lttng/tracepoint-event.h, which say why
 * they have it read by LTTNGMAP_LTTNG_PASS_:
 *
 *   1  declarations, for calls
 *   2  the same, and placeholders for what is in a module that is not linked
 *   3  enumerations
 *   4  classes of events, and the functions that write them
 *   5  instances: the tracepoints of these classes
 *   6  the elements of an array: the tracepoints
 *   7  the elements of an array: what is known of a class only after it
 *   8  the elements of an array: what leads placeholders to tracepoints
 *
 * Enumerations, classes and instances may so stand in any order.
 *
 * No include guard: each time, it is for the pass at hand.
 */
#undef LTTNGMAP_LTTNG_CLASS_
#undef LTTNGMAP_LTTNG_INSTANCE_
#undef LTTNGMAP_LTTNG_ENUM_
#undef LTTNGMAP_LTTNG_LEVEL_

/* clang-format off */

#ifndef LTTNGMAP_LTTNG_C_
#ifdef __cplusplus
#define LTTNGMAP_LTTNG_C_ extern "C"
#else
#define LTTNGMAP_LTTNG_C_ extern
#endif
#endif

#undef LTTNGMAP_LTTNG_DECLARE_
#define LTTNGMAP_LTTNG_DECLARE_(provider, name, args, seen)                                        \
	LTTNGMAP_LTTNG_C_ struct lttngmap_tracepoint                                               \
		lttngmap_lttng_tracepoint_##provider##___##name                                    \
		__attribute__((visibility(seen)));                                                 \
	LTTNGMAP_LTTNG_C_ void lttngmap_lttng_emit_##provider##___##name(                          \
		LTTNGMAP_LTTNG_PARAMETERS_ args const void *lttngmap_ip)                           \
		__attribute__((visibility(seen)));

#if LTTNGMAP_LTTNG_PASS_ == 1

#define LTTNGMAP_LTTNG_CLASS_(provider, name, args, fields)
#define LTTNGMAP_LTTNG_INSTANCE_(class_provider, class_name, provider, name, args)                 \
	LTTNGMAP_LTTNG_DECLARE_(provider, name, args, "default")
#define LTTNGMAP_LTTNG_ENUM_(provider, name, ...)
#define LTTNGMAP_LTTNG_LEVEL_(event, provider, name, level)

#elif LTTNGMAP_LTTNG_PASS_ == 2

#include <lttng/tracepoint-dynamic.h>

#define LTTNGMAP_LTTNG_CLASS_(provider, name, args, fields)
#define LTTNGMAP_LTTNG_INSTANCE_(class_provider, class_name, provider, name, args)                 \
	LTTNGMAP_LTTNG_DECLARE_(provider, name, args, "hidden")                                    \
	LTTNGMAP_LTTNG_STAND_IN_(provider, name, args)
#define LTTNGMAP_LTTNG_ENUM_(provider, name, ...)
#define LTTNGMAP_LTTNG_LEVEL_(event, provider, name, level)

#elif LTTNGMAP_LTTNG_PASS_ == 3

#define LTTNGMAP_LTTNG_CLASS_(provider, name, args, fields)
#define LTTNGMAP_LTTNG_INSTANCE_(class_provider, class_name, provider, name, args)
#define LTTNGMAP_LTTNG_ENUM_(provider, name, ...) \
	LTTNGMAP_LTTNG_DEFINE_ENUM_(provider, name, __VA_ARGS__)
#define LTTNGMAP_LTTNG_LEVEL_(event, provider, name, level)

#elif LTTNGMAP_LTTNG_PASS_ == 4

#define LTTNGMAP_LTTNG_CLASS_(provider, name, args, fields)                                        \
	LTTNGMAP_LTTNG_DEFINE_CLASS_(provider, name, args, fields)
#define LTTNGMAP_LTTNG_INSTANCE_(class_provider, class_name, provider, name, args)
#define LTTNGMAP_LTTNG_ENUM_(provider, name, ...)
/* If no instance defines the function in pass 5, GCC warns of it by this name. */
#define LTTNGMAP_LTTNG_LEVEL_(event, provider, name, level)                                        \
	static void lttngmap_loglevel_without_event_##event(void);

#elif LTTNGMAP_LTTNG_PASS_ == 5

#define LTTNGMAP_LTTNG_CLASS_(provider, name, args, fields)
#define LTTNGMAP_LTTNG_INSTANCE_(class_provider, class_name, provider, name, args)                 \
	LTTNGMAP_LTTNG_DECLARE_(provider, name, args, "default")                                   \
	LTTNGMAP_LTTNG_DEFINE_INSTANCE_(class_provider, class_name, provider, name, args)
#define LTTNGMAP_LTTNG_ENUM_(provider, name, ...)
#define LTTNGMAP_LTTNG_LEVEL_(event, provider, name, level)

#elif LTTNGMAP_LTTNG_PASS_ == 6

#define LTTNGMAP_LTTNG_CLASS_(provider, name, args, fields)
#define LTTNGMAP_LTTNG_INSTANCE_(class_provider, class_name, provider, name, args)                 \
	&lttngmap_lttng_tracepoint_##provider##___##name,
#define LTTNGMAP_LTTNG_ENUM_(provider, name, ...)
#define LTTNGMAP_LTTNG_LEVEL_(event, provider, name, level)

#elif LTTNGMAP_LTTNG_PASS_ == 7

#define LTTNGMAP_LTTNG_CLASS_(provider, name, args, fields)
#define LTTNGMAP_LTTNG_INSTANCE_(class_provider, class_name, provider, name, args)
#define LTTNGMAP_LTTNG_ENUM_(provider, name, ...) \
	{ NULL, NULL, 0, lttngmap_lttng_values_##provider##___##name,                                    \
	  sizeof(lttngmap_lttng_values_##provider##___##name) /                                    \
		  sizeof(struct lttngmap_enum_value) },
#define LTTNGMAP_LTTNG_LEVEL_(event, provider, name, level)                                        \
	{ provider, name, (uint16_t)(level), NULL, 0 },

#else

#define LTTNGMAP_LTTNG_CLASS_(provider, name, args, fields)
#define LTTNGMAP_LTTNG_INSTANCE_(class_provider, class_name, provider, name, args)                 \
	{ &lttngmap_lttng_tracepoint_##provider##___##name,                                        \
	  (void (*)(void))lttngmap_lttng_emit_##provider##___##name, #args, NULL },
#define LTTNGMAP_LTTNG_ENUM_(provider, name, ...)
#define LTTNGMAP_LTTNG_LEVEL_(event, provider, name, level)

#endif

/* clang-format on */

#undef LTTNGMAP_LTTNG_PASS_
