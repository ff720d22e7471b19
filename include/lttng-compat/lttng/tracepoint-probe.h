/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttng/tracepoint-probe.h - how a class of events becomes its description
 * and the function that writes it; for lttng/tracepoint-event.h.
 *
 * Fields come as a row of parenthesized shapes without commas between them:
 * (VALUE, int, a, x, 10, 0u) (STRING, b, y). Two macros that call each other by
 * turns go through such a row, however long it is: A_ takes the first one and
 * leaves B_ before the second. Pasting END removes
 * the name that is left at the end.
 */
#ifndef LTTNGMAP_LTTNG_TRACEPOINT_PROBE_H
#define LTTNGMAP_LTTNG_TRACEPOINT_PROBE_H

/* The headers that LTTng-UST brings along for providers. */
#include <byteswap.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <lttngmap/tracepoint.h>

/* Data that a header gives after the class or the enumeration it belongs to. */
struct lttngmap_lttng_later_ {
	const char *provider; /* of an event, and its name; NULL for an enumeration */
	const char *name;
	uint16_t loglevel;
	struct lttngmap_enum_value *values;
	size_t nr_values;
};

/*
 * Gives an event its log level; does nothing if there is no such event. The search begins where the
 * last one ended, for a level mostly stands near its event.
 */
static inline LTTNGMAP_UNUSED_ void
lttngmap_lttng_tell_level_(const struct lttngmap_lttng_later_ *later,
			   const struct lttngmap_module *module, size_t *at)
{
	size_t count = (size_t)(module->end - module->begin), i;

	for (i = 0; i < count; i++) {
		const struct lttngmap_event_class *found = module->begin[*at]->event_class;

		if (__builtin_strcmp(found->name, later->name) == 0 &&
		    __builtin_strcmp(found->provider, later->provider) == 0) {
			/* The class is constant to everybody else. */
			((struct lttngmap_event_class *)found)->loglevel = later->loglevel;
			return;
		}
		*at = *at + 1 < count ? *at + 1 : 0;
	}
}

static inline LTTNGMAP_UNUSED_ void
lttngmap_lttng_tell_later_(const struct lttngmap_lttng_later_ *later, size_t count,
			   const struct lttngmap_module *module)
{
	size_t i, j, at = 0;

	for (i = 0; i < count; i++) {
		struct lttngmap_enum_value *values = later[i].values;

		if (later[i].name)
			lttngmap_lttng_tell_level_(&later[i], module, &at);
		for (j = 0; j < later[i].nr_values; j++)
			if (values[j].first == INT64_MAX && values[j].last == INT64_MIN)
				values[j].first = values[j].last = j ? values[j - 1].last + 1 : 0;
	}
}

/* Whether a type is signed, or not of integers: pointers are unsigned numbers. */
#ifdef __cplusplus
extern "C++" {
template <typename T> struct lttngmap_lttng_type_ {
	enum { is_signed = (T)-1 < (T)1, is_floating = (T)1.5 != (T)1 };
};
template <typename T> struct lttngmap_lttng_type_<T *> {
	enum { is_signed = 0, is_floating = 0 };
};
}
#define LTTNGMAP_LTTNG_SIGNED_(T)                                                                  \
	(lttngmap_lttng_type_<T>::is_signed ? (unsigned)LTTNGMAP_FIELD_SIGNED : 0u)
#define LTTNGMAP_LTTNG_IS_FLOATING_(T) (lttngmap_lttng_type_<T>::is_floating != 0)
#else
#define LTTNGMAP_LTTNG_NUMBER_(T)                                                                  \
	__typeof__(__builtin_choose_expr(__builtin_classify_type((T)0) == 5, (uintptr_t)0, (T)0))
#define LTTNGMAP_LTTNG_SIGNED_(T) LTTNGMAP_SIGNED_(LTTNGMAP_LTTNG_NUMBER_(T))
#define LTTNGMAP_LTTNG_IS_FLOATING_(T) LTTNGMAP_IS_FLOATING_(T)
#endif

/*
 * How an instance calls the writer of its class. In C++, LTTng-UST's headers take one whose
 * arguments are of other types, and never record it. So do these, unless the arguments convert.
 */
#ifdef __cplusplus
extern "C++" {
template <typename W, typename... A>
static inline __attribute__((always_inline)) auto lttngmap_lttng_write_(int, W writer, A &&...args)
	-> decltype(writer(static_cast<A &&>(args)...))
{
	writer(static_cast<A &&>(args)...);
}
template <typename W, typename... A>
__attribute__((deprecated("an event's arguments do not convert to those of its class: it is never "
			  "recorded"))) static inline void
lttngmap_lttng_write_(long, W, A &&...)
{
}
}
#define LTTNGMAP_LTTNG_WRITE_(writer, ...) lttngmap_lttng_write_(0, writer, __VA_ARGS__)
#else
#define LTTNGMAP_LTTNG_WRITE_(writer, ...) writer(__VA_ARGS__)
#endif

/* clang-format off */

/* ---- the definitions ----------------------------------------------------------- */

#define LTTNGMAP_LTTNG_DEFINE_ENUM_(provider, name, ...) \
	static struct lttngmap_enum_value lttngmap_lttng_values_##provider##___##name[] = {        \
		__VA_ARGS__ \
	};                                                                                         \
	static const struct lttngmap_enum lttngmap_lttng_enum_##provider##___##name                \
		LTTNGMAP_UNUSED_ = {                                                               \
			#name, lttngmap_lttng_values_##provider##___##name,                        \
			sizeof(lttngmap_lttng_values_##provider##___##name) /                      \
				sizeof(struct lttngmap_enum_value)                                 \
		};

#define LTTNGMAP_LTTNG_DEFINE_CLASS_(provider, name, args, fields)                                 \
	static const struct lttngmap_field lttngmap_lttng_fields_##provider##___##name[]           \
		LTTNGMAP_UNUSED_ = {                                                               \
			LTTNGMAP_LTTNG_EACH_(DESCRIBE, fields){ NULL, NULL, 0, 0, 0, 0, 0 }        \
		};                                                                                 \
	LTTNGMAP_CHECK_(sizeof(lttngmap_lttng_fields_##provider##___##name) /                      \
					sizeof(struct lttngmap_field) - 1 <=                       \
				LTTNGMAP_FIELDS_MAX,                                               \
			"a tracepoint has no more than 120 fields");                                \
	static __attribute__((noinline, unused)) void lttngmap_lttng_write_##provider##___##name(  \
		LTTNGMAP_LTTNG_PARAMETERS_ args const struct lttngmap_tracepoint *lttngmap_tp,     \
		const void *lttngmap_ip)                                                           \
	{                                                                                          \
		enum {                                                                             \
			lttngmap_size = 0 LTTNGMAP_LTTNG_EACH_(SIZE, fields),                      \
			lttngmap_varies = (0 LTTNGMAP_LTTNG_EACH_(VARIES, fields)) != 0            \
		};                                                                                 \
		size_t lttngmap_left = LTTNGMAP_QUICK_SIZE_;                                       \
		uint64_t lttngmap_words[LTTNGMAP_WORDS_(lttngmap_varies, lttngmap_size)];          \
		unsigned char *lttngmap_begin = (unsigned char *)lttngmap_words;                   \
		unsigned char *lttngmap_at = lttngmap_begin;                                       \
                                                                                                   \
		LTTNGMAP_CHECK_((0 LTTNGMAP_LTTNG_EACH_(SIZE, fields)) <=                          \
					LTTNGMAP_FIELDS_SIZE_MAX_,                                 \
				"the fields of this tracepoint do not fit in a record");           \
		LTTNGMAP_LTTNG_USES_ args                                                          \
		LTTNGMAP_LTTNG_EACH_(TAKE, fields)                                                 \
		(void)lttngmap_left;                                                               \
		if (lttngmap_size < 8)                                                             \
			lttngmap_words[0] = 0;                                                     \
		lttngmap_words[LTTNGMAP_WORDS_(lttngmap_varies, lttngmap_size) - 1] = 0;           \
		do {                                                                               \
			LTTNGMAP_LTTNG_EACH_(QUICK, fields)                                        \
		} while (0);                                                                       \
		if (lttngmap_varies == 1 && __builtin_expect(!lttngmap_at, 0)) {                   \
			LTTNGMAP_LAY_LONG_(lttngmap_tp, lttngmap_ip,                               \
					   LTTNGMAP_LTTNG_EACH_(BOUND, fields),                    \
					   LTTNGMAP_LTTNG_EACH_(PACK, fields))                     \
		}                                                                                  \
		if (lttngmap_varies == 1)                                                          \
			__builtin_memset(lttngmap_at, 0, 16);                                      \
		lttngmap_event_write(lttngmap_tp, lttngmap_begin,                                  \
				     (size_t)(lttngmap_at - lttngmap_begin), lttngmap_ip);         \
	}

#define LTTNGMAP_LTTNG_DEFINE_INSTANCE_(class_provider, class_name, provider, name, args)          \
	LTTNGMAP_CHECK_(sizeof(#provider ":" #name) - 1 <= LTTNGMAP_NAME_MAX,                      \
			"the name of this tracepoint is too long");                                \
	static struct lttngmap_event_class lttngmap_lttng_class_##provider##___##name = {          \
		sizeof(struct lttngmap_event_class),                                               \
		sizeof(lttngmap_lttng_fields_##class_provider##___##class_name) /                  \
				sizeof(struct lttngmap_field) - 1,                                 \
		LTTNG_UST_TRACEPOINT_LOGLEVEL_DEFAULT, #provider, #name,                           \
		lttngmap_lttng_fields_##class_provider##___##class_name                            \
	};                                                                                         \
	struct lttngmap_tracepoint lttngmap_lttng_tracepoint_##provider##___##name = {             \
		&lttngmap_off_, &lttngmap_lttng_class_##provider##___##name, 0, 0                  \
	};                                                                                         \
	void lttngmap_lttng_emit_##provider##___##name(                                            \
		LTTNGMAP_LTTNG_PARAMETERS_ args const void *lttngmap_ip)                           \
	{                                                                                          \
		if (!lttngmap_ip)                                                                  \
			lttngmap_ip = LTTNGMAP_LTTNG_IP_;                                          \
		LTTNGMAP_LTTNG_WRITE_(                                                             \
			lttngmap_lttng_write_##class_provider##___##class_name,                    \
			LTTNGMAP_LTTNG_NAMES_ args &lttngmap_lttng_tracepoint_##provider##___##name, \
			lttngmap_ip);                                                              \
	}                                                                                          \
	static LTTNGMAP_UNUSED_ void lttngmap_loglevel_without_event_##provider##___##name(void)   \
	{                                                                                          \
	}

/* ---- the passes over a row of fields ---------------------------------------------- */

#define LTTNGMAP_LTTNG_EACH_(pass, fields)                                                         \
	LTTNGMAP_LTTNG_END_(LTTNGMAP_LTTNG_EACH_##pass##_A_ fields)
#define LTTNGMAP_LTTNG_END_(...) LTTNGMAP_LTTNG_END1_(__VA_ARGS__)
#define LTTNGMAP_LTTNG_END1_(...) __VA_ARGS__##END

#define LTTNGMAP_LTTNG_EACH_DESCRIBE_A_(shape, ...)                                                \
	LTTNGMAP_LTTNG_DESCRIBE_##shape##_(__VA_ARGS__) LTTNGMAP_LTTNG_EACH_DESCRIBE_B_
#define LTTNGMAP_LTTNG_EACH_DESCRIBE_B_(shape, ...)                                                \
	LTTNGMAP_LTTNG_DESCRIBE_##shape##_(__VA_ARGS__) LTTNGMAP_LTTNG_EACH_DESCRIBE_A_
#define LTTNGMAP_LTTNG_EACH_DESCRIBE_A_END
#define LTTNGMAP_LTTNG_EACH_DESCRIBE_B_END
#define LTTNGMAP_LTTNG_EACH_SIZE_A_(shape, ...)                                                    \
	LTTNGMAP_LTTNG_SIZE_##shape##_(__VA_ARGS__) LTTNGMAP_LTTNG_EACH_SIZE_B_
#define LTTNGMAP_LTTNG_EACH_SIZE_B_(shape, ...)                                                    \
	LTTNGMAP_LTTNG_SIZE_##shape##_(__VA_ARGS__) LTTNGMAP_LTTNG_EACH_SIZE_A_
#define LTTNGMAP_LTTNG_EACH_SIZE_A_END
#define LTTNGMAP_LTTNG_EACH_SIZE_B_END
#define LTTNGMAP_LTTNG_EACH_VARIES_A_(shape, ...)                                                  \
	LTTNGMAP_LTTNG_VARIES_##shape##_ LTTNGMAP_LTTNG_EACH_VARIES_B_
#define LTTNGMAP_LTTNG_EACH_VARIES_B_(shape, ...)                                                  \
	LTTNGMAP_LTTNG_VARIES_##shape##_ LTTNGMAP_LTTNG_EACH_VARIES_A_
#define LTTNGMAP_LTTNG_EACH_VARIES_A_END
#define LTTNGMAP_LTTNG_EACH_VARIES_B_END
#define LTTNGMAP_LTTNG_EACH_TAKE_A_(shape, ...)                                                    \
	LTTNGMAP_LTTNG_TAKE_##shape##_(__VA_ARGS__) LTTNGMAP_LTTNG_EACH_TAKE_B_
#define LTTNGMAP_LTTNG_EACH_TAKE_B_(shape, ...)                                                    \
	LTTNGMAP_LTTNG_TAKE_##shape##_(__VA_ARGS__) LTTNGMAP_LTTNG_EACH_TAKE_A_
#define LTTNGMAP_LTTNG_EACH_TAKE_A_END
#define LTTNGMAP_LTTNG_EACH_TAKE_B_END
#define LTTNGMAP_LTTNG_EACH_QUICK_A_(shape, ...)                                                   \
	LTTNGMAP_LTTNG_LAY_##shape##_(QUICK, __VA_ARGS__) LTTNGMAP_LTTNG_EACH_QUICK_B_
#define LTTNGMAP_LTTNG_EACH_QUICK_B_(shape, ...)                                                   \
	LTTNGMAP_LTTNG_LAY_##shape##_(QUICK, __VA_ARGS__) LTTNGMAP_LTTNG_EACH_QUICK_A_
#define LTTNGMAP_LTTNG_EACH_QUICK_A_END
#define LTTNGMAP_LTTNG_EACH_QUICK_B_END
#define LTTNGMAP_LTTNG_EACH_BOUND_A_(shape, ...)                                                   \
	LTTNGMAP_LTTNG_LAY_##shape##_(BOUND, __VA_ARGS__) LTTNGMAP_LTTNG_EACH_BOUND_B_
#define LTTNGMAP_LTTNG_EACH_BOUND_B_(shape, ...)                                                   \
	LTTNGMAP_LTTNG_LAY_##shape##_(BOUND, __VA_ARGS__) LTTNGMAP_LTTNG_EACH_BOUND_A_
#define LTTNGMAP_LTTNG_EACH_BOUND_A_END
#define LTTNGMAP_LTTNG_EACH_BOUND_B_END
#define LTTNGMAP_LTTNG_EACH_PACK_A_(shape, ...)                                                    \
	LTTNGMAP_LTTNG_LAY_##shape##_(PACK, __VA_ARGS__) LTTNGMAP_LTTNG_EACH_PACK_B_
#define LTTNGMAP_LTTNG_EACH_PACK_B_(shape, ...)                                                    \
	LTTNGMAP_LTTNG_LAY_##shape##_(PACK, __VA_ARGS__) LTTNGMAP_LTTNG_EACH_PACK_A_
#define LTTNGMAP_LTTNG_EACH_PACK_A_END
#define LTTNGMAP_LTTNG_EACH_PACK_B_END

/* DESCRIBE: the field's descriptor. */
#define LTTNGMAP_LTTNG_FIELD_(T, name, enumeration, count, kind, flags, base)                      \
	{ #name, enumeration, count, (uint8_t)LTTNGMAP_FIELD_##kind, (uint8_t)sizeof(T),           \
	  (uint8_t)(flags), base },
#define LTTNGMAP_LTTNG_DESCRIBE_VALUE_(T, name, expr, base, flags)                                 \
	LTTNGMAP_LTTNG_FIELD_(T, name, NULL, 0, INTEGER,                                           \
			      LTTNGMAP_LTTNG_SIGNED_(T) | (unsigned)(flags), base)
#define LTTNGMAP_LTTNG_DESCRIBE_FLOAT_(T, name, expr)                                              \
	LTTNGMAP_LTTNG_FIELD_(T, name, NULL, 0, FLOAT, 0u, 10)
#define LTTNGMAP_LTTNG_DESCRIBE_ENUM_(provider, enumeration, T, name, expr)                        \
	LTTNGMAP_LTTNG_FIELD_(T, name, &lttngmap_lttng_enum_##provider##___##enumeration, 0, ENUM, \
			      LTTNGMAP_LTTNG_SIGNED_(T), 10)
#define LTTNGMAP_LTTNG_DESCRIBE_STRING_(name, expr)                                                \
	LTTNGMAP_LTTNG_FIELD_(char, name, NULL, 0, STRING, 0u, 10)
#define LTTNGMAP_LTTNG_DESCRIBE_ARRAY_(T, name, expr, count, base, flags)                          \
	LTTNGMAP_LTTNG_FIELD_(T, name, NULL, count, ARRAY,                                         \
			      LTTNGMAP_LTTNG_SIGNED_(T) | (unsigned)(flags), base)
#define LTTNGMAP_LTTNG_DESCRIBE_TEXT_(T, name, expr, count)                                        \
	LTTNGMAP_LTTNG_FIELD_(char, name, NULL, count, TEXT, 0u, 10)
#define LTTNGMAP_LTTNG_DESCRIBE_SEQUENCE_(T, name, expr, LT, length, base, flags)                  \
	LTTNGMAP_LTTNG_FIELD_(T, name, NULL, 0, SEQUENCE,                                          \
			      LTTNGMAP_LTTNG_SIGNED_(T) | (unsigned)(flags), base)
#define LTTNGMAP_LTTNG_DESCRIBE_TEXT_SEQUENCE_(T, name, expr, LT, length)                          \
	LTTNGMAP_LTTNG_FIELD_(char, name, NULL, 0, TEXT_SEQUENCE, 0u, 10)
#define LTTNGMAP_LTTNG_DESCRIBE_NONE_(...)

/* SIZE: the least that the field takes in the record. */
#define LTTNGMAP_LTTNG_SIZE_VALUE_(T, ...) +sizeof(T)
#define LTTNGMAP_LTTNG_SIZE_FLOAT_(T, ...) +sizeof(T)
#define LTTNGMAP_LTTNG_SIZE_ENUM_(provider, enumeration, T, ...) +sizeof(T)
#define LTTNGMAP_LTTNG_SIZE_STRING_(...) +1
#define LTTNGMAP_LTTNG_SIZE_ARRAY_(T, name, expr, count, ...) +(count) * sizeof(T)
#define LTTNGMAP_LTTNG_SIZE_TEXT_(T, name, expr, count) +(count)
#define LTTNGMAP_LTTNG_SIZE_SEQUENCE_(...) +sizeof(uint32_t)
#define LTTNGMAP_LTTNG_SIZE_TEXT_SEQUENCE_(...) +sizeof(uint32_t)
#define LTTNGMAP_LTTNG_SIZE_NONE_(...)

/* VARIES: whether it may take more. */
#define LTTNGMAP_LTTNG_VARIES_VALUE_
#define LTTNGMAP_LTTNG_VARIES_FLOAT_
#define LTTNGMAP_LTTNG_VARIES_ENUM_
#define LTTNGMAP_LTTNG_VARIES_STRING_ +1
#define LTTNGMAP_LTTNG_VARIES_ARRAY_
#define LTTNGMAP_LTTNG_VARIES_TEXT_
#define LTTNGMAP_LTTNG_VARIES_SEQUENCE_ +1
#define LTTNGMAP_LTTNG_VARIES_TEXT_SEQUENCE_ +1
#define LTTNGMAP_LTTNG_VARIES_NONE_

/* TAKE: what would go wrong later; and the expressions, which are worked out once. */
#define LTTNGMAP_LTTNG_CHECK_INTEGER_(T, name)                                                     \
	LTTNGMAP_CHECK_(!LTTNGMAP_LTTNG_IS_FLOATING_(T),                                           \
			"field " #name " is not of an integer type");                              \
	LTTNGMAP_CHECK_SIZE_(T, name)
#define LTTNGMAP_LTTNG_CHECK_CHAR_(T, name)                                                        \
	LTTNGMAP_CHECK_(sizeof(T) == 1, "text field " #name " is not of char");
#define LTTNGMAP_LTTNG_CHECK_COUNT_(name, count)                                                   \
	LTTNGMAP_CHECK_((count) > 0, "the length of field " #name " is not above 0");
#define LTTNGMAP_LTTNG_TAKE_POINTER_(name, expr)                                                   \
	const void *lttngmap_arg_##name = (const void *)(expr);
#define LTTNGMAP_LTTNG_TAKE_LENGTH_(name, LT, length)                                              \
	size_t lttngmap_length_##name = (size_t)(LT)(length);

#define LTTNGMAP_LTTNG_TAKE_VALUE_(T, name, expr, ...)                                             \
	LTTNGMAP_LTTNG_CHECK_INTEGER_(T, name)                                                     \
	T lttngmap_arg_##name = (expr);
#define LTTNGMAP_LTTNG_TAKE_FLOAT_(T, name, expr)                                                  \
	LTTNGMAP_CHECK_FLOATING(T, name, ~)                                                        \
	T lttngmap_arg_##name = (expr);
#define LTTNGMAP_LTTNG_TAKE_ENUM_(provider, enumeration, T, name, expr)                            \
	LTTNGMAP_LTTNG_TAKE_VALUE_(T, name, expr, ~)
#define LTTNGMAP_LTTNG_TAKE_STRING_(name, expr)                                                    \
	const char *lttngmap_arg_##name = (const char *)(expr);
#define LTTNGMAP_LTTNG_TAKE_ARRAY_(T, name, expr, count, ...)                                      \
	LTTNGMAP_LTTNG_CHECK_INTEGER_(T, name)                                                     \
	LTTNGMAP_LTTNG_CHECK_COUNT_(name, count)                                                   \
	LTTNGMAP_LTTNG_TAKE_POINTER_(name, expr)
#define LTTNGMAP_LTTNG_TAKE_TEXT_(T, name, expr, count)                                            \
	LTTNGMAP_LTTNG_CHECK_CHAR_(T, name)                                                        \
	LTTNGMAP_LTTNG_CHECK_COUNT_(name, count)                                                   \
	LTTNGMAP_LTTNG_TAKE_POINTER_(name, expr)
#define LTTNGMAP_LTTNG_TAKE_SEQUENCE_(T, name, expr, LT, length, ...)                              \
	LTTNGMAP_LTTNG_CHECK_INTEGER_(T, name)                                                     \
	LTTNGMAP_LTTNG_TAKE_POINTER_(name, expr)                                                   \
	LTTNGMAP_LTTNG_TAKE_LENGTH_(name, LT, length)
#define LTTNGMAP_LTTNG_TAKE_TEXT_SEQUENCE_(T, name, expr, LT, length)                              \
	LTTNGMAP_LTTNG_CHECK_CHAR_(T, name)                                                        \
	LTTNGMAP_LTTNG_TAKE_POINTER_(name, expr)                                                   \
	LTTNGMAP_LTTNG_TAKE_LENGTH_(name, LT, length)
#define LTTNGMAP_LTTNG_TAKE_NONE_(...)

/* QUICK, BOUND, PACK: as lttngmap/tracepoint.h has them, for PASS. */
#define LTTNGMAP_LTTNG_LAY_VALUE_(pass, T, name, ...) LTTNGMAP_##pass##_VALUE(T, name, ~)
#define LTTNGMAP_LTTNG_LAY_FLOAT_(pass, T, name, ...) LTTNGMAP_##pass##_FLOATING(T, name, ~)
#define LTTNGMAP_LTTNG_LAY_ENUM_(pass, provider, enumeration, T, name, ...)                        \
	LTTNGMAP_##pass##_VALUE(T, name, ~)
#define LTTNGMAP_LTTNG_LAY_STRING_(pass, name, ...) LTTNGMAP_##pass##_STRING(char, name, ~)
#define LTTNGMAP_LTTNG_LAY_ARRAY_(pass, T, name, expr, count, ...)                                 \
	LTTNGMAP_##pass##_ARRAY(T, name, count, ~)
#define LTTNGMAP_LTTNG_LAY_TEXT_(pass, T, name, expr, count)                                       \
	LTTNGMAP_##pass##_ARRAY(char, name, count, ~)
#define LTTNGMAP_LTTNG_LAY_SEQUENCE_(pass, T, name, ...) LTTNGMAP_##pass##_SEQUENCE(T, name, ~)
#define LTTNGMAP_LTTNG_LAY_TEXT_SEQUENCE_(pass, T, name, ...)                                      \
	LTTNGMAP_##pass##_SEQUENCE(T, name, ~)
#define LTTNGMAP_LTTNG_LAY_NONE_(...)

/* clang-format on */

#endif /* LTTNGMAP_LTTNG_TRACEPOINT_PROBE_H */
