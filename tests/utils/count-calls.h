/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * count-calls.h - the functions that libcount-calls.so counts: those of the
 * preloaded families but libc.
 */
#ifndef COUNT_CALLS_H
#define COUNT_CALLS_H

#define COUNT_CALLS_PTHREAD(X)                                                                     \
	X(pthread_mutex_lock)                                                                      \
	X(pthread_mutex_trylock)                                                                   \
	X(pthread_mutex_timedlock)                                                                 \
	X(pthread_mutex_clocklock)                                                                 \
	X(pthread_mutex_unlock)                                                                    \
	X(pthread_cond_wait)                                                                       \
	X(pthread_cond_timedwait)                                                                  \
	X(pthread_cond_clockwait)                                                                  \
	X(pthread_cond_signal)                                                                     \
	X(pthread_cond_broadcast)                                                                  \
	X(pthread_rwlock_rdlock)                                                                   \
	X(pthread_rwlock_tryrdlock)                                                                \
	X(pthread_rwlock_timedrdlock)                                                              \
	X(pthread_rwlock_clockrdlock)                                                              \
	X(pthread_rwlock_wrlock)                                                                   \
	X(pthread_rwlock_trywrlock)                                                                \
	X(pthread_rwlock_timedwrlock)                                                              \
	X(pthread_rwlock_clockwrlock)                                                              \
	X(pthread_rwlock_unlock)                                                                   \
	X(pthread_create)                                                                          \
	X(pthread_join)                                                                            \
	X(pthread_tryjoin_np)                                                                      \
	X(pthread_timedjoin_np)                                                                    \
	X(pthread_clockjoin_np)                                                                    \
	X(pthread_detach)

#define COUNT_CALLS_CYG_PROFILE(X) X(__cyg_profile_func_enter) X(__cyg_profile_func_exit)

#define COUNT_CALLS_DL(X) X(dlopen) X(dlmopen) X(dlclose)

#define COUNT_CALLS_FUNCTIONS(X)                                                                   \
	COUNT_CALLS_PTHREAD(X)                                                                     \
	COUNT_CALLS_CYG_PROFILE(X)                                                                 \
	COUNT_CALLS_DL(X)

#endif /* COUNT_CALLS_H */
