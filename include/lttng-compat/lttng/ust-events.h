/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttng/ust-events.h - the version of LTTng-UST's interface between a provider and its tracer. Of
 * the interface itself lttngmap has nothing: providers are made by lttng/tracepoint-event.h alone.
 * A program that includes this header without using what it describes compiles.
 */
#ifndef LTTNGMAP_LTTNG_UST_EVENTS_H
#define LTTNGMAP_LTTNG_UST_EVENTS_H

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include <lttng/tracepoint.h>

#define LTTNG_UST_PROVIDER_MAJOR 3
#define LTTNG_UST_PROVIDER_MINOR 0

#endif /* LTTNGMAP_LTTNG_UST_EVENTS_H */
