/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttng/ust-getcpu.h - plugins of LTTng-UST that say on which CPU a thread is. An event of lttngmap
 * lies in the ring of the CPU that wrote it: a plugin compiles, and its call is refused by -ENOSYS,
 * with a message on standard error.
 */
#ifndef LTTNGMAP_LTTNG_UST_GETCPU_H
#define LTTNGMAP_LTTNG_UST_GETCPU_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static inline __attribute__((unused)) int lttng_ust_getcpu_override(int (*getcpu)(void))
{
	(void)getcpu;
	fputs("lttngmap: a getcpu plugin is not used: events are in the ring of their CPU\n",
	      stderr);
	return -ENOSYS;
}

#endif /* LTTNGMAP_LTTNG_UST_GETCPU_H */
