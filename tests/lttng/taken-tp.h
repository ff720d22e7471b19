/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * taken-tp.h - what LTTng-UST's headers take, though its manual does not say so: an instance
 * before its class, log levels of no event, a provider whose name is a macro, 70 fields.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER taken

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./taken-tp.h"

#if !defined(TAKEN_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TAKEN_TP_H

#include <lttng/tracepoint.h>

#define TAKEN_PROVIDER taken

/* clang-format off */
LTTNG_UST_TRACEPOINT_LOGLEVEL(taken, early, LTTNG_UST_TRACEPOINT_LOGLEVEL_ERR)

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
	taken, number, taken, early,
	LTTNG_UST_TP_ARGS(int, n)
)

LTTNG_UST_TRACEPOINT_ENUM(
	taken, names,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("ONE", 1)
	)
)

LTTNG_UST_TRACEPOINT_EVENT_CLASS(
	taken, number,
	LTTNG_UST_TP_ARGS(int, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_enum(taken, names, int, n, n)
	)
)

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
	taken, number, taken, late,
	LTTNG_UST_TP_ARGS(int, n)
)

LTTNG_UST_TRACEPOINT_LOGLEVEL(taken, nothing, LTTNG_UST_TRACEPOINT_LOGLEVEL_EMERG)
LTTNG_UST_TRACEPOINT_LOGLEVEL(other, late, LTTNG_UST_TRACEPOINT_LOGLEVEL_EMERG)
LTTNG_UST_TRACEPOINT_LOGLEVEL(taken, number, LTTNG_UST_TRACEPOINT_LOGLEVEL_EMERG)

LTTNG_UST_TRACEPOINT_EVENT(
	TAKEN_PROVIDER, macro,
	LTTNG_UST_TP_ARGS(int, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, n, n)
	)
)
LTTNG_UST_TRACEPOINT_LOGLEVEL(TAKEN_PROVIDER, macro, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
	TAKEN_PROVIDER, half_macro,
	LTTNG_UST_TP_ARGS(int, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, n, n)
	)
)
LTTNG_UST_TRACEPOINT_LOGLEVEL(taken, half_macro, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
	taken, seventy,
	LTTNG_UST_TP_ARGS(int, n, const char *, text),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, i0, n + 0) lttng_ust_field_string(s0, text)
		lttng_ust_field_integer(int, i1, n + 1) lttng_ust_field_string(s1, text)
		lttng_ust_field_integer(int, i2, n + 2) lttng_ust_field_string(s2, text)
		lttng_ust_field_integer(int, i3, n + 3) lttng_ust_field_string(s3, text)
		lttng_ust_field_integer(int, i4, n + 4) lttng_ust_field_string(s4, text)
		lttng_ust_field_integer(int, i5, n + 5) lttng_ust_field_string(s5, text)
		lttng_ust_field_integer(int, i6, n + 6) lttng_ust_field_string(s6, text)
		lttng_ust_field_integer(int, i7, n + 7) lttng_ust_field_string(s7, text)
		lttng_ust_field_integer(int, i8, n + 8) lttng_ust_field_string(s8, text)
		lttng_ust_field_integer(int, i9, n + 9) lttng_ust_field_string(s9, text)
		lttng_ust_field_integer(int, i10, n + 10) lttng_ust_field_string(s10, text)
		lttng_ust_field_integer(int, i11, n + 11) lttng_ust_field_string(s11, text)
		lttng_ust_field_integer(int, i12, n + 12) lttng_ust_field_string(s12, text)
		lttng_ust_field_integer(int, i13, n + 13) lttng_ust_field_string(s13, text)
		lttng_ust_field_integer(int, i14, n + 14) lttng_ust_field_string(s14, text)
		lttng_ust_field_integer(int, i15, n + 15) lttng_ust_field_string(s15, text)
		lttng_ust_field_integer(int, i16, n + 16) lttng_ust_field_string(s16, text)
		lttng_ust_field_integer(int, i17, n + 17) lttng_ust_field_string(s17, text)
		lttng_ust_field_integer(int, i18, n + 18) lttng_ust_field_string(s18, text)
		lttng_ust_field_integer(int, i19, n + 19) lttng_ust_field_string(s19, text)
		lttng_ust_field_integer(int, i20, n + 20) lttng_ust_field_string(s20, text)
		lttng_ust_field_integer(int, i21, n + 21) lttng_ust_field_string(s21, text)
		lttng_ust_field_integer(int, i22, n + 22) lttng_ust_field_string(s22, text)
		lttng_ust_field_integer(int, i23, n + 23) lttng_ust_field_string(s23, text)
		lttng_ust_field_integer(int, i24, n + 24) lttng_ust_field_string(s24, text)
		lttng_ust_field_integer(int, i25, n + 25) lttng_ust_field_string(s25, text)
		lttng_ust_field_integer(int, i26, n + 26) lttng_ust_field_string(s26, text)
		lttng_ust_field_integer(int, i27, n + 27) lttng_ust_field_string(s27, text)
		lttng_ust_field_integer(int, i28, n + 28) lttng_ust_field_string(s28, text)
		lttng_ust_field_integer(int, i29, n + 29) lttng_ust_field_string(s29, text)
		lttng_ust_field_integer(int, i30, n + 30) lttng_ust_field_string(s30, text)
		lttng_ust_field_integer(int, i31, n + 31) lttng_ust_field_string(s31, text)
		lttng_ust_field_integer(int, i32, n + 32) lttng_ust_field_string(s32, text)
		lttng_ust_field_integer(int, i33, n + 33) lttng_ust_field_string(s33, text)
		lttng_ust_field_integer(int, i34, n + 34) lttng_ust_field_string(s34, text)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(
	taken, far,
	LTTNG_UST_TP_ARGS(int, n, const char *, text),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, first, n)
		lttng_ust_field_string(early, text)
		lttng_ust_field_integer(int, i0, n + 0)
		lttng_ust_field_integer(int, i1, n + 1)
		lttng_ust_field_integer(int, i2, n + 2)
		lttng_ust_field_integer(int, i3, n + 3)
		lttng_ust_field_integer(int, i4, n + 4)
		lttng_ust_field_integer(int, i5, n + 5)
		lttng_ust_field_integer(int, i6, n + 6)
		lttng_ust_field_integer(int, i7, n + 7)
		lttng_ust_field_integer(int, i8, n + 8)
		lttng_ust_field_integer(int, i9, n + 9)
		lttng_ust_field_integer(int, i10, n + 10)
		lttng_ust_field_integer(int, i11, n + 11)
		lttng_ust_field_integer(int, i12, n + 12)
		lttng_ust_field_integer(int, i13, n + 13)
		lttng_ust_field_integer(int, i14, n + 14)
		lttng_ust_field_integer(int, i15, n + 15)
		lttng_ust_field_integer(int, i16, n + 16)
		lttng_ust_field_integer(int, i17, n + 17)
		lttng_ust_field_integer(int, i18, n + 18)
		lttng_ust_field_integer(int, i19, n + 19)
		lttng_ust_field_integer(int, i20, n + 20)
		lttng_ust_field_integer(int, i21, n + 21)
		lttng_ust_field_integer(int, i22, n + 22)
		lttng_ust_field_integer(int, i23, n + 23)
		lttng_ust_field_integer(int, i24, n + 24)
		lttng_ust_field_integer(int, i25, n + 25)
		lttng_ust_field_integer(int, i26, n + 26)
		lttng_ust_field_integer(int, i27, n + 27)
		lttng_ust_field_integer(int, i28, n + 28)
		lttng_ust_field_integer(int, i29, n + 29)
		lttng_ust_field_integer(int, i30, n + 30)
		lttng_ust_field_integer(int, i31, n + 31)
		lttng_ust_field_integer(int, i32, n + 32)
		lttng_ust_field_integer(int, i33, n + 33)
		lttng_ust_field_integer(int, i34, n + 34)
		lttng_ust_field_integer(int, i35, n + 35)
		lttng_ust_field_integer(int, i36, n + 36)
		lttng_ust_field_integer(int, i37, n + 37)
		lttng_ust_field_integer(int, i38, n + 38)
		lttng_ust_field_integer(int, i39, n + 39)
		lttng_ust_field_integer(int, i40, n + 40)
		lttng_ust_field_integer(int, i41, n + 41)
		lttng_ust_field_integer(int, i42, n + 42)
		lttng_ust_field_integer(int, i43, n + 43)
		lttng_ust_field_integer(int, i44, n + 44)
		lttng_ust_field_integer(int, i45, n + 45)
		lttng_ust_field_integer(int, i46, n + 46)
		lttng_ust_field_integer(int, i47, n + 47)
		lttng_ust_field_integer(int, i48, n + 48)
		lttng_ust_field_integer(int, i49, n + 49)
		lttng_ust_field_integer(int, i50, n + 50)
		lttng_ust_field_integer(int, i51, n + 51)
		lttng_ust_field_integer(int, i52, n + 52)
		lttng_ust_field_integer(int, i53, n + 53)
		lttng_ust_field_integer(int, i54, n + 54)
		lttng_ust_field_integer(int, i55, n + 55)
		lttng_ust_field_integer(int, i56, n + 56)
		lttng_ust_field_integer(int, i57, n + 57)
		lttng_ust_field_integer(int, i58, n + 58)
		lttng_ust_field_integer(int, i59, n + 59)
		lttng_ust_field_integer(int, i60, n + 60)
		lttng_ust_field_integer(int, i61, n + 61)
		lttng_ust_field_integer(int, i62, n + 62)
		lttng_ust_field_string(late, text)
		lttng_ust_field_integer(int, last, n)
	)
)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
