/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef SESSIOND_BASE_TIME_H
#define SESSIOND_BASE_TIME_H

#include <stdint.h>

/* CLOCK_MONOTONIC in microseconds, as sd-event's timers have it. Any thread. */
uint64_t time_now_usec(void);

#endif /* SESSIOND_BASE_TIME_H */
