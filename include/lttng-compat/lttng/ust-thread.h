/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* lttng/ust-thread.h - what a thread calls before its first event: lttngmap needs no such call. */
#ifndef LTTNGMAP_LTTNG_UST_THREAD_H
#define LTTNGMAP_LTTNG_UST_THREAD_H

#include <signal.h>

static inline __attribute__((unused)) void lttng_ust_init_thread(void)
{
}

#endif /* LTTNGMAP_LTTNG_UST_THREAD_H */
