/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* lttng/ust-common.h - what a library calls before it is traced: lttngmap needs no such call. */
#ifndef LTTNGMAP_LTTNG_UST_COMMON_H
#define LTTNGMAP_LTTNG_UST_COMMON_H

static inline __attribute__((unused)) void lttng_ust_common_ctor(void)
{
}

static inline __attribute__((unused)) void lttng_ust_common_alloc_tls(void)
{
}

#endif /* LTTNGMAP_LTTNG_UST_COMMON_H */
