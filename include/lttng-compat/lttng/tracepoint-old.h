/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttng/tracepoint-old.h - the names that LTTng-UST had for all this before
 * version 2.13, and still takes; included by lttng/tracepoint.h.
 */
#ifndef LTTNGMAP_LTTNG_TRACEPOINT_OLD_H
#define LTTNGMAP_LTTNG_TRACEPOINT_OLD_H

enum {
	TRACE_EMERG = LTTNG_UST_TRACEPOINT_LOGLEVEL_EMERG,
	TRACE_ALERT = LTTNG_UST_TRACEPOINT_LOGLEVEL_ALERT,
	TRACE_CRIT = LTTNG_UST_TRACEPOINT_LOGLEVEL_CRIT,
	TRACE_ERR = LTTNG_UST_TRACEPOINT_LOGLEVEL_ERR,
	TRACE_WARNING = LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING,
	TRACE_NOTICE = LTTNG_UST_TRACEPOINT_LOGLEVEL_NOTICE,
	TRACE_INFO = LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO,
	TRACE_DEBUG_SYSTEM = LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_SYSTEM,
	TRACE_DEBUG_PROGRAM = LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_PROGRAM,
	TRACE_DEBUG_PROCESS = LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_PROCESS,
	TRACE_DEBUG_MODULE = LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_MODULE,
	TRACE_DEBUG_UNIT = LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_UNIT,
	TRACE_DEBUG_FUNCTION = LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_FUNCTION,
	TRACE_DEBUG_LINE = LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_LINE,
	TRACE_DEBUG = LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG,
	TRACE_DEFAULT = LTTNG_UST_TRACEPOINT_LOGLEVEL_DEFAULT,
};

/* clang-format off */

#define tracepoint(...) lttng_ust_tracepoint(__VA_ARGS__)
#define do_tracepoint(...) lttng_ust_do_tracepoint(__VA_ARGS__)
#define tracepoint_enabled(provider, name) lttng_ust_tracepoint_enabled(provider, name)

#define TRACEPOINT_EVENT LTTNG_UST_TRACEPOINT_EVENT
#define TRACEPOINT_EVENT_CLASS LTTNG_UST_TRACEPOINT_EVENT_CLASS
/* Here class and event are of one provider. */
#define TRACEPOINT_EVENT_INSTANCE(provider, class_name, name, args)                                \
	LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(provider, class_name, provider, name, args)
#define TRACEPOINT_ENUM LTTNG_UST_TRACEPOINT_ENUM
#define TRACEPOINT_LOGLEVEL LTTNG_UST_TRACEPOINT_LOGLEVEL
#define TRACEPOINT_MODEL_EMF_URI LTTNG_UST_TRACEPOINT_MODEL_EMF_URI

#define TP_ARGS LTTNG_UST_TP_ARGS
#define TP_FIELDS LTTNG_UST_TP_FIELDS
#define TP_ENUM_VALUES LTTNG_UST_TP_ENUM_VALUES

#define ctf_integer lttng_ust_field_integer
#define ctf_integer_hex lttng_ust_field_integer_hex
#define ctf_integer_network lttng_ust_field_integer_network
#define ctf_integer_network_hex lttng_ust_field_integer_network_hex
#define ctf_integer_nowrite lttng_ust_field_integer_nowrite
#define ctf_float lttng_ust_field_float
#define ctf_float_nowrite lttng_ust_field_float_nowrite
#define ctf_string lttng_ust_field_string
#define ctf_string_nowrite lttng_ust_field_string_nowrite
#define ctf_enum lttng_ust_field_enum
#define ctf_enum_nowrite lttng_ust_field_enum_nowrite
#define ctf_enum_value lttng_ust_field_enum_value
#define ctf_enum_range lttng_ust_field_enum_range
#define ctf_enum_auto lttng_ust_field_enum_auto
#define ctf_array lttng_ust_field_array
#define ctf_array_hex lttng_ust_field_array_hex
#define ctf_array_network lttng_ust_field_array_network
#define ctf_array_network_hex lttng_ust_field_array_network_hex
#define ctf_array_text lttng_ust_field_array_text
#define ctf_array_nowrite lttng_ust_field_array_nowrite
#define ctf_array_nowrite_hex lttng_ust_field_array_nowrite_hex
#define ctf_array_network_nowrite lttng_ust_field_array_network_nowrite
#define ctf_array_network_nowrite_hex lttng_ust_field_array_network_nowrite_hex
#define ctf_array_text_nowrite lttng_ust_field_array_text_nowrite
#define ctf_sequence lttng_ust_field_sequence
#define ctf_sequence_hex lttng_ust_field_sequence_hex
#define ctf_sequence_network lttng_ust_field_sequence_network
#define ctf_sequence_network_hex lttng_ust_field_sequence_network_hex
#define ctf_sequence_text lttng_ust_field_sequence_text
#define ctf_sequence_nowrite lttng_ust_field_sequence_nowrite
#define ctf_sequence_nowrite_hex lttng_ust_field_sequence_nowrite_hex
#define ctf_sequence_network_nowrite lttng_ust_field_sequence_network_nowrite
#define ctf_sequence_network_nowrite_hex lttng_ust_field_sequence_network_nowrite_hex
#define ctf_sequence_text_nowrite lttng_ust_field_sequence_text_nowrite
#define ctf_unused lttng_ust_field_unused

/* clang-format on */

#endif /* LTTNGMAP_LTTNG_TRACEPOINT_OLD_H */
