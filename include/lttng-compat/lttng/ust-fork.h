/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttng/ust-fork.h - what a program calls around fork() and after calls that change who it is.
 * lttngmap follows a fork by itself: none of these does anything, and no signal is blocked between
 * the first and the second.
 */
#ifndef LTTNGMAP_LTTNG_UST_FORK_H
#define LTTNGMAP_LTTNG_UST_FORK_H

#include <signal.h>

static inline __attribute__((unused)) void lttng_ust_before_fork(sigset_t *saved)
{
	(void)saved;
}

static inline __attribute__((unused)) void lttng_ust_after_fork_parent(sigset_t *saved)
{
	(void)saved;
}

static inline __attribute__((unused)) void lttng_ust_after_fork_child(sigset_t *saved)
{
	(void)saved;
}

static inline __attribute__((unused)) void lttng_ust_after_setns(void)
{
}

static inline __attribute__((unused)) void lttng_ust_after_unshare(void)
{
}

static inline __attribute__((unused)) void lttng_ust_after_setuid(void)
{
}

static inline __attribute__((unused)) void lttng_ust_after_setgid(void)
{
}

static inline __attribute__((unused)) void lttng_ust_after_seteuid(void)
{
}

static inline __attribute__((unused)) void lttng_ust_after_setegid(void)
{
}

static inline __attribute__((unused)) void lttng_ust_after_setreuid(void)
{
}

static inline __attribute__((unused)) void lttng_ust_after_setregid(void)
{
}

static inline __attribute__((unused)) void lttng_ust_after_setresuid(void)
{
}

static inline __attribute__((unused)) void lttng_ust_after_setresgid(void)
{
}

#endif /* LTTNGMAP_LTTNG_UST_FORK_H */
