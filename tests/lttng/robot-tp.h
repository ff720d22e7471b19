/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * robot-tp.h - a provider as large as that of a framework for robots: 35
 * events of few kinds of field, the provider's name being a macro.
 */
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER robot

#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "robot-tp.h"

#if !defined(ROBOT_TP_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define ROBOT_TP_H

#include <lttng/tracepoint.h>

#include <stdbool.h>
#include <stdint.h>

#ifndef ROBOT_GID_SIZE
#define ROBOT_GID_SIZE 16u
#endif

/* clang-format off */
TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	context_init,
	TP_ARGS(
		const void *, context_arg,
		const char *, version_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, context, context_arg)
		ctf_string(version, version_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	node_init,
	TP_ARGS(
		const void *, node_arg,
		const void *, context_arg,
		const char *, name_arg,
		const char *, space_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, node, node_arg)
		ctf_integer_hex(const void *, context, context_arg)
		ctf_string(name, name_arg)
		ctf_string(space, space_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	publisher_init,
	TP_ARGS(
		const void *, publisher_arg,
		const void *, node_arg,
		const void *, driver_arg,
		const char *, topic_arg,
		const size_t, depth_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, publisher, publisher_arg)
		ctf_integer_hex(const void *, node, node_arg)
		ctf_integer_hex(const void *, driver, driver_arg)
		ctf_string(topic, topic_arg)
		ctf_integer(size_t, depth, depth_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	driver_publisher_init,
	TP_ARGS(
		const void *, driver_arg,
		const uint8_t *, gid_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, driver, driver_arg)
		ctf_array(uint8_t, gid, gid_arg, ROBOT_GID_SIZE)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	publish,
	TP_ARGS(
		const void *, publisher_arg,
		const void *, message_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, publisher, publisher_arg)
		ctf_integer_hex(const void *, message, message_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	driver_publish,
	TP_ARGS(
		const void *, driver_arg,
		const void *, message_arg,
		int64_t, stamp_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, driver, driver_arg)
		ctf_integer_hex(const void *, message, message_arg)
		ctf_integer(int64_t, stamp, stamp_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	subscription_init,
	TP_ARGS(
		const void *, subscription_arg,
		const void *, node_arg,
		const void *, driver_arg,
		const char *, topic_arg,
		const size_t, depth_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, subscription, subscription_arg)
		ctf_integer_hex(const void *, node, node_arg)
		ctf_integer_hex(const void *, driver, driver_arg)
		ctf_string(topic, topic_arg)
		ctf_integer(size_t, depth, depth_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	driver_subscription_init,
	TP_ARGS(
		const void *, driver_arg,
		const uint8_t *, gid_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, driver, driver_arg)
		ctf_array(uint8_t, gid, gid_arg, ROBOT_GID_SIZE)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	subscription_object,
	TP_ARGS(
		const void *, subscription_arg,
		const void *, object_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, subscription, subscription_arg)
		ctf_integer_hex(const void *, object, object_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	subscription_callback,
	TP_ARGS(
		const void *, object_arg,
		const void *, callback_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, object, object_arg)
		ctf_integer_hex(const void *, callback, callback_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	take,
	TP_ARGS(
		const void *, message_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, message, message_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	driver_take,
	TP_ARGS(
		const void *, driver_arg,
		const void *, message_arg,
		int64_t, stamp_arg,
		bool, taken_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, driver, driver_arg)
		ctf_integer_hex(const void *, message, message_arg)
		ctf_integer(int64_t, stamp, stamp_arg)
		ctf_integer(int, taken, (taken_arg ? 1 : 0))
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	service_init,
	TP_ARGS(
		const void *, service_arg,
		const void *, node_arg,
		const void *, driver_arg,
		const char *, name_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, service, service_arg)
		ctf_integer_hex(const void *, node, node_arg)
		ctf_integer_hex(const void *, driver, driver_arg)
		ctf_string(name, name_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	service_callback,
	TP_ARGS(
		const void *, service_arg,
		const void *, callback_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, service, service_arg)
		ctf_integer_hex(const void *, callback, callback_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	service_request,
	TP_ARGS(
		const void *, service_arg,
		const void *, request_arg,
		int64_t, number_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, service, service_arg)
		ctf_integer_hex(const void *, request, request_arg)
		ctf_integer(int64_t, number, number_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	service_answer,
	TP_ARGS(
		const void *, service_arg,
		const void *, answer_arg,
		int64_t, number_arg,
		bool, sent_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, service, service_arg)
		ctf_integer_hex(const void *, answer, answer_arg)
		ctf_integer(int64_t, number, number_arg)
		ctf_integer(int, sent, (sent_arg ? 1 : 0))
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	client_init,
	TP_ARGS(
		const void *, client_arg,
		const void *, node_arg,
		const void *, driver_arg,
		const char *, name_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, client, client_arg)
		ctf_integer_hex(const void *, node, node_arg)
		ctf_integer_hex(const void *, driver, driver_arg)
		ctf_string(name, name_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	client_request,
	TP_ARGS(
		const void *, client_arg,
		const void *, request_arg,
		int64_t, number_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, client, client_arg)
		ctf_integer_hex(const void *, request, request_arg)
		ctf_integer(int64_t, number, number_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	client_answer,
	TP_ARGS(
		const void *, client_arg,
		const void *, answer_arg,
		int64_t, number_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, client, client_arg)
		ctf_integer_hex(const void *, answer, answer_arg)
		ctf_integer(int64_t, number, number_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	timer_init,
	TP_ARGS(
		const void *, timer_arg,
		int64_t, period_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, timer, timer_arg)
		ctf_integer(int64_t, period, period_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	timer_callback,
	TP_ARGS(
		const void *, timer_arg,
		const void *, callback_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, timer, timer_arg)
		ctf_integer_hex(const void *, callback, callback_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	timer_node,
	TP_ARGS(
		const void *, timer_arg,
		const void *, node_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, timer, timer_arg)
		ctf_integer_hex(const void *, node, node_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	callback_name,
	TP_ARGS(
		const void *, callback_arg,
		const char *, symbol_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, callback, callback_arg)
		ctf_string(symbol, symbol_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	callback_start,
	TP_ARGS(
		const void *, callback_arg,
		bool, is_inner_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, callback, callback_arg)
		ctf_integer(int, is_inner, (is_inner_arg ? 1 : 0))
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	callback_end,
	TP_ARGS(
		const void *, callback_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, callback, callback_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	machine_init,
	TP_ARGS(
		const void *, machine_arg,
		const void *, node_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, machine, machine_arg)
		ctf_integer_hex(const void *, node, node_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	machine_change,
	TP_ARGS(
		const void *, machine_arg,
		const char *, from_arg,
		const char *, to_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, machine, machine_arg)
		ctf_string(from, from_arg)
		ctf_string(to, to_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	executor_next,
	TP_ARGS(),
	TP_FIELDS()
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	executor_wait,
	TP_ARGS(
		int64_t, timeout_arg
	),
	TP_FIELDS(
		ctf_integer(int64_t, timeout, timeout_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	executor_run,
	TP_ARGS(
		const void *, what_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, what, what_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	buffer_init,
	TP_ARGS(
		const void *, buffer_arg,
		const size_t, size_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, buffer, buffer_arg)
		ctf_integer(size_t, size, size_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	buffer_put,
	TP_ARGS(
		const void *, buffer_arg,
		const size_t, index_arg,
		const size_t, size_arg,
		bool, overwritten_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, buffer, buffer_arg)
		ctf_integer(size_t, index, index_arg)
		ctf_integer(size_t, size, size_arg)
		ctf_integer(int, overwritten, (overwritten_arg ? 1 : 0))
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	buffer_get,
	TP_ARGS(
		const void *, buffer_arg,
		const size_t, index_arg,
		const size_t, size_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, buffer, buffer_arg)
		ctf_integer(size_t, index, index_arg)
		ctf_integer(size_t, size, size_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	buffer_clear,
	TP_ARGS(
		const void *, buffer_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, buffer, buffer_arg)
	)
)

TRACEPOINT_EVENT(
	TRACEPOINT_PROVIDER,
	parameter_set,
	TP_ARGS(
		const void *, node_arg,
		const char *, name_arg,
		double, value_arg
	),
	TP_FIELDS(
		ctf_integer_hex(const void *, node, node_arg)
		ctf_string(name, name_arg)
		ctf_float(double, value, value_arg)
	)
)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
