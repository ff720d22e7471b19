/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * pthread.c - liblttngmap-pthread.so: locks, conditions and threads, traced.
 *
 *   LD_PRELOAD=liblttngmap-pthread.so PROGRAM
 *
 * The four events of mutexes have the names and fields that readers of LTTng
 * traces know; the others are named after their functions in the same manner.
 *
 * A function that can wait has two events: NAME_req before the call, and NAME_acq, for
 * conditions and joins NAME_ret, after it, with its result. A function that cannot wait
 * has one, after the call. So an unlock is written when the mutex is free
 * again, and another thread's NAME_acq of it may stand before it by a little:
 * its result is known only then. A thread that is cancelled while it waits, or
 * whose robust mutex takes the process down, leaves a NAME_req alone.
 *
 * A condition's wait frees and takes the mutex within: there are no events of
 * the mutex for that.
 *
 * The wrappers call nothing that is wrapped here, and neither does
 * lttngmap_event_write(): no event leads to another one.
 *
 * Not seen: what the C library does for itself (stdio's locks, mtx_lock() and
 * the other functions of threads.h), and programs that have their own locks.
 */
#include <pthread.h>
#include <time.h>

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

#define NEXT_FUNCTIONS(X)                                                                          \
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

#define NEXT_VERSIONS(X)                                                                           \
	X(pthread_cond_wait, "GLIBC_2.2.5", "GLIBC_2.3.2")                                         \
	X(pthread_cond_timedwait, "GLIBC_2.2.5", "GLIBC_2.3.2")                                    \
	X(pthread_cond_signal, "GLIBC_2.2.5", "GLIBC_2.3.2")                                       \
	X(pthread_cond_broadcast, "GLIBC_2.2.5", "GLIBC_2.3.2")

#include "preload/next.h"

#define LEVEL LTTNGMAP_LOGLEVEL_DEBUG_LINE
#define EVENT(name, ...) LTTNGMAP_TRACEPOINT(lttng_ust_pthread, name, LEVEL, __VA_ARGS__)
#define EMIT(name, ...)                                                                            \
	lttngmap_tracepoint_at(__builtin_return_address(0), lttng_ust_pthread, name, __VA_ARGS__)

/* To the compiler a thread's name is a number; readers know it as the pthread_id context. */
#define THREAD(thread) ((const void *)(thread))

/* ---- mutexes ------------------------------------------------------------------- */

EVENT(pthread_mutex_lock_req, (pointer, mutex));
EVENT(pthread_mutex_lock_acq, (pointer, mutex), (integer, int, status));
EVENT(pthread_mutex_trylock, (pointer, mutex), (integer, int, status));
EVENT(pthread_mutex_unlock, (pointer, mutex), (integer, int, status));
EVENT(pthread_mutex_timedlock_req, (pointer, mutex));
EVENT(pthread_mutex_timedlock_acq, (pointer, mutex), (integer, int, status));
EVENT(pthread_mutex_clocklock_req, (pointer, mutex), (integer, clockid_t, clock));
EVENT(pthread_mutex_clocklock_acq, (pointer, mutex), (integer, int, status));

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int status;

	EMIT(pthread_mutex_lock_req, mutex);
	status = NEXT(pthread_mutex_lock)(mutex);
	EMIT(pthread_mutex_lock_acq, mutex, status);
	return status;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	int status = NEXT(pthread_mutex_trylock)(mutex);

	EMIT(pthread_mutex_trylock, mutex, status);
	return status;
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	int status;

	EMIT(pthread_mutex_timedlock_req, mutex);
	status = NEXT(pthread_mutex_timedlock)(mutex, until);
	EMIT(pthread_mutex_timedlock_acq, mutex, status);
	return status;
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	int status;

	EMIT(pthread_mutex_clocklock_req, mutex, clock);
	status = NEXT(pthread_mutex_clocklock)(mutex, clock, until);
	EMIT(pthread_mutex_clocklock_acq, mutex, status);
	return status;
}

/* The mutex may be gone when this returns: only its address is written. */
int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	int status = NEXT(pthread_mutex_unlock)(mutex);

	EMIT(pthread_mutex_unlock, mutex, status);
	return status;
}

/* ---- conditions ----------------------------------------------------------------- */

EVENT(pthread_cond_wait_req, (pointer, cond), (pointer, mutex));
EVENT(pthread_cond_wait_ret, (pointer, cond), (pointer, mutex), (integer, int, status));
EVENT(pthread_cond_timedwait_req, (pointer, cond), (pointer, mutex));
EVENT(pthread_cond_timedwait_ret, (pointer, cond), (pointer, mutex), (integer, int, status));
EVENT(pthread_cond_clockwait_req, (pointer, cond), (pointer, mutex), (integer, clockid_t, clock));
EVENT(pthread_cond_clockwait_ret, (pointer, cond), (pointer, mutex), (integer, int, status));
EVENT(pthread_cond_signal, (pointer, cond), (integer, int, status));
EVENT(pthread_cond_broadcast, (pointer, cond), (integer, int, status));

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	int status;

	EMIT(pthread_cond_wait_req, cond, mutex);
	status = NEXT(pthread_cond_wait)(cond, mutex);
	EMIT(pthread_cond_wait_ret, cond, mutex, status);
	return status;
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
			   const struct timespec *until)
{
	int status;

	EMIT(pthread_cond_timedwait_req, cond, mutex);
	status = NEXT(pthread_cond_timedwait)(cond, mutex, until);
	EMIT(pthread_cond_timedwait_ret, cond, mutex, status);
	return status;
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
			   const struct timespec *until)
{
	int status;

	EMIT(pthread_cond_clockwait_req, cond, mutex, clock);
	status = NEXT(pthread_cond_clockwait)(cond, mutex, clock, until);
	EMIT(pthread_cond_clockwait_ret, cond, mutex, status);
	return status;
}

int pthread_cond_signal(pthread_cond_t *cond)
{
	int status = NEXT(pthread_cond_signal)(cond);

	EMIT(pthread_cond_signal, cond, status);
	return status;
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
	int status = NEXT(pthread_cond_broadcast)(cond);

	EMIT(pthread_cond_broadcast, cond, status);
	return status;
}

/* ---- locks of readers and writers ----------------------------------------------- */

EVENT(pthread_rwlock_rdlock_req, (pointer, rwlock));
EVENT(pthread_rwlock_rdlock_acq, (pointer, rwlock), (integer, int, status));
EVENT(pthread_rwlock_tryrdlock, (pointer, rwlock), (integer, int, status));
EVENT(pthread_rwlock_timedrdlock_req, (pointer, rwlock));
EVENT(pthread_rwlock_timedrdlock_acq, (pointer, rwlock), (integer, int, status));
EVENT(pthread_rwlock_clockrdlock_req, (pointer, rwlock), (integer, clockid_t, clock));
EVENT(pthread_rwlock_clockrdlock_acq, (pointer, rwlock), (integer, int, status));
EVENT(pthread_rwlock_wrlock_req, (pointer, rwlock));
EVENT(pthread_rwlock_wrlock_acq, (pointer, rwlock), (integer, int, status));
EVENT(pthread_rwlock_trywrlock, (pointer, rwlock), (integer, int, status));
EVENT(pthread_rwlock_timedwrlock_req, (pointer, rwlock));
EVENT(pthread_rwlock_timedwrlock_acq, (pointer, rwlock), (integer, int, status));
EVENT(pthread_rwlock_clockwrlock_req, (pointer, rwlock), (integer, clockid_t, clock));
EVENT(pthread_rwlock_clockwrlock_acq, (pointer, rwlock), (integer, int, status));
EVENT(pthread_rwlock_unlock, (pointer, rwlock), (integer, int, status));

int pthread_rwlock_rdlock(pthread_rwlock_t *rwlock)
{
	int status;

	EMIT(pthread_rwlock_rdlock_req, rwlock);
	status = NEXT(pthread_rwlock_rdlock)(rwlock);
	EMIT(pthread_rwlock_rdlock_acq, rwlock, status);
	return status;
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *rwlock)
{
	int status = NEXT(pthread_rwlock_tryrdlock)(rwlock);

	EMIT(pthread_rwlock_tryrdlock, rwlock, status);
	return status;
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *rwlock, const struct timespec *until)
{
	int status;

	EMIT(pthread_rwlock_timedrdlock_req, rwlock);
	status = NEXT(pthread_rwlock_timedrdlock)(rwlock, until);
	EMIT(pthread_rwlock_timedrdlock_acq, rwlock, status);
	return status;
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *rwlock, clockid_t clock,
			       const struct timespec *until)
{
	int status;

	EMIT(pthread_rwlock_clockrdlock_req, rwlock, clock);
	status = NEXT(pthread_rwlock_clockrdlock)(rwlock, clock, until);
	EMIT(pthread_rwlock_clockrdlock_acq, rwlock, status);
	return status;
}

int pthread_rwlock_wrlock(pthread_rwlock_t *rwlock)
{
	int status;

	EMIT(pthread_rwlock_wrlock_req, rwlock);
	status = NEXT(pthread_rwlock_wrlock)(rwlock);
	EMIT(pthread_rwlock_wrlock_acq, rwlock, status);
	return status;
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *rwlock)
{
	int status = NEXT(pthread_rwlock_trywrlock)(rwlock);

	EMIT(pthread_rwlock_trywrlock, rwlock, status);
	return status;
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *rwlock, const struct timespec *until)
{
	int status;

	EMIT(pthread_rwlock_timedwrlock_req, rwlock);
	status = NEXT(pthread_rwlock_timedwrlock)(rwlock, until);
	EMIT(pthread_rwlock_timedwrlock_acq, rwlock, status);
	return status;
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *rwlock, clockid_t clock,
			       const struct timespec *until)
{
	int status;

	EMIT(pthread_rwlock_clockwrlock_req, rwlock, clock);
	status = NEXT(pthread_rwlock_clockwrlock)(rwlock, clock, until);
	EMIT(pthread_rwlock_clockwrlock_acq, rwlock, status);
	return status;
}

int pthread_rwlock_unlock(pthread_rwlock_t *rwlock)
{
	int status = NEXT(pthread_rwlock_unlock)(rwlock);

	EMIT(pthread_rwlock_unlock, rwlock, status);
	return status;
}

/* ---- threads -------------------------------------------------------------------- */

EVENT(pthread_create_req, (pointer, start_routine), (pointer, arg));
EVENT(pthread_create_ret, (pointer, start_routine), (pointer, arg), (integer, int, status));
EVENT(pthread_join_req, (pointer, thread));
EVENT(pthread_join_ret, (pointer, thread), (pointer, retval), (integer, int, status));
EVENT(pthread_tryjoin_np, (pointer, thread), (pointer, retval), (integer, int, status));
EVENT(pthread_timedjoin_np_req, (pointer, thread));
EVENT(pthread_timedjoin_np_ret, (pointer, thread), (pointer, retval), (integer, int, status));
EVENT(pthread_clockjoin_np_req, (pointer, thread), (integer, clockid_t, clock));
EVENT(pthread_clockjoin_np_ret, (pointer, thread), (pointer, retval), (integer, int, status));
EVENT(pthread_detach, (pointer, thread), (integer, int, status));

/*
 * The new thread may run, end and free what *thread is in before the call
 * returns: so the events do not tell its name. Its own ones do, by their
 * contexts.
 */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start_routine)(void *),
		   void *arg)
{
	int status;

	EMIT(pthread_create_req, (const void *)start_routine, arg);
	status = NEXT(pthread_create)(thread, attr, start_routine, arg);
	EMIT(pthread_create_ret, (const void *)start_routine, arg, status);
	return status;
}

/* The value is in the trace also where the caller does not want it. */
static void give(void **retval, void *value, int status)
{
	if (retval && !status)
		*retval = value;
}

int pthread_join(pthread_t thread, void **retval)
{
	void *value = NULL;
	int status;

	EMIT(pthread_join_req, THREAD(thread));
	status = NEXT(pthread_join)(thread, &value);
	give(retval, value, status);
	EMIT(pthread_join_ret, THREAD(thread), value, status);
	return status;
}

int pthread_tryjoin_np(pthread_t thread, void **retval)
{
	void *value = NULL;
	int status = NEXT(pthread_tryjoin_np)(thread, &value);

	give(retval, value, status);
	EMIT(pthread_tryjoin_np, THREAD(thread), value, status);
	return status;
}

int pthread_timedjoin_np(pthread_t thread, void **retval, const struct timespec *until)
{
	void *value = NULL;
	int status;

	EMIT(pthread_timedjoin_np_req, THREAD(thread));
	status = NEXT(pthread_timedjoin_np)(thread, &value, until);
	give(retval, value, status);
	EMIT(pthread_timedjoin_np_ret, THREAD(thread), value, status);
	return status;
}

int pthread_clockjoin_np(pthread_t thread, void **retval, clockid_t clock,
			 const struct timespec *until)
{
	void *value = NULL;
	int status;

	EMIT(pthread_clockjoin_np_req, THREAD(thread), clock);
	status = NEXT(pthread_clockjoin_np)(thread, &value, clock, until);
	give(retval, value, status);
	EMIT(pthread_clockjoin_np_ret, THREAD(thread), value, status);
	return status;
}

int pthread_detach(pthread_t thread)
{
	int status = NEXT(pthread_detach)(thread);

	EMIT(pthread_detach, THREAD(thread), status);
	return status;
}
