/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * preload-pthread.c - each wrapper of liblttngmap-pthread.so does what the
 * function does, errno included, and says so in the right events.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "tests/utils/watched.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
/* Long ago by any clock, and far off by CLOCK_MONOTONIC. */
static const struct timespec past = { .tv_sec = 1 };
static const struct timespec future = { .tv_sec = 100000000 };

static struct timespec soon(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += 1000;
	return now;
}

static void test_classes(void)
{
	static const struct watched_class expected[] = {
		{ "pthread_mutex_lock_req", " mutex:16" },
		{ "pthread_mutex_lock_acq", " mutex:16 status:10s" },
		{ "pthread_mutex_trylock", " mutex:16 status:10s" },
		{ "pthread_mutex_unlock", " mutex:16 status:10s" },
		{ "pthread_cond_timedwait_ret", " cond:16 mutex:16 status:10s" },
		{ "pthread_rwlock_wrlock_acq", " rwlock:16 status:10s" },
		{ "pthread_create_ret", " start_routine:16 arg:16 status:10s" },
		{ "pthread_join_ret", " thread:16 retval:16 status:10s" },
	};

	test_watched_classes("lttng_ust_pthread", expected, sizeof(expected) / sizeof(expected[0]),
			     LTTNGMAP_LOGLEVEL_DEBUG_LINE);
}

/* NAME is called with ARGUMENTS and gives STATUS; ON is what its events are about. */
#define CALL(name, status, about, ...)                                                             \
	do {                                                                                       \
		int got_;                                                                          \
                                                                                                   \
		watch();                                                                           \
		got_ = name(__VA_ARGS__);                                                          \
		happened(#name, ERRNO_BEFORE, #name " %s status=%d", about, status);               \
		is(got_, status, "  ... and returns " #status);                                    \
	} while (0)

/* The same of one that can wait: two events, END in the second one's name. */
#define WAIT(name, status, end, about, more, between, ...)                                         \
	do {                                                                                       \
		int got_;                                                                          \
                                                                                                   \
		watch();                                                                           \
		got_ = name(__VA_ARGS__);                                                          \
		happened(#name, ERRNO_BEFORE, #name "_req %s%s\n" #name end " %s%s status=%d",     \
			 about, more, about, between, status);                                     \
		is(got_, status, "  ... and returns " #status);                                    \
	} while (0)

static const char *about(const char *first, const void *pointer)
{
	static char text[100];

	snprintf(text, sizeof(text), "%s=%p", first, pointer);
	return text;
}

static void test_mutexes(void)
{
	struct timespec until = soon();
	const char *it = about("mutex", &mutex);
	pthread_mutexattr_t attributes;
	pthread_mutex_t checking;

	WAIT(pthread_mutex_lock, 0, "_acq", it, "", "", &mutex);
	CALL(pthread_mutex_trylock, EBUSY, it, &mutex);
	WAIT(pthread_mutex_timedlock, ETIMEDOUT, "_acq", it, "", "", &mutex, &past);
	WAIT(pthread_mutex_clocklock, ETIMEDOUT, "_acq", it, " clock=1", "", &mutex,
	     CLOCK_MONOTONIC, &past);
	CALL(pthread_mutex_unlock, 0, it, &mutex);
	CALL(pthread_mutex_trylock, 0, it, &mutex);
	CALL(pthread_mutex_unlock, 0, it, &mutex);
	WAIT(pthread_mutex_timedlock, 0, "_acq", it, "", "", &mutex, &until);
	CALL(pthread_mutex_unlock, 0, it, &mutex);
	WAIT(pthread_mutex_clocklock, 0, "_acq", it, " clock=1", "", &mutex, CLOCK_MONOTONIC,
	     &future);
	CALL(pthread_mutex_unlock, 0, it, &mutex);

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checking, &attributes);
	it = about("mutex", &checking);
	CALL(pthread_mutex_unlock, EPERM, it, &checking);
	WAIT(pthread_mutex_lock, 0, "_acq", it, "", "", &checking);
	WAIT(pthread_mutex_lock, EDEADLK, "_acq", it, "", "", &checking);
	CALL(pthread_mutex_unlock, 0, it, &checking);
}

static void test_rwlocks(void)
{
	struct timespec until = soon();
	const char *it = about("rwlock", &rwlock);

	WAIT(pthread_rwlock_rdlock, 0, "_acq", it, "", "", &rwlock);
	CALL(pthread_rwlock_tryrdlock, 0, it, &rwlock);
	CALL(pthread_rwlock_trywrlock, EBUSY, it, &rwlock);
	WAIT(pthread_rwlock_timedrdlock, 0, "_acq", it, "", "", &rwlock, &until);
	WAIT(pthread_rwlock_clockrdlock, 0, "_acq", it, " clock=1", "", &rwlock, CLOCK_MONOTONIC,
	     &future);
	WAIT(pthread_rwlock_timedwrlock, ETIMEDOUT, "_acq", it, "", "", &rwlock, &past);
	WAIT(pthread_rwlock_clockwrlock, ETIMEDOUT, "_acq", it, " clock=1", "", &rwlock,
	     CLOCK_MONOTONIC, &past);
	CALL(pthread_rwlock_unlock, 0, it, &rwlock);
	CALL(pthread_rwlock_unlock, 0, it, &rwlock);
	CALL(pthread_rwlock_unlock, 0, it, &rwlock);
	CALL(pthread_rwlock_unlock, 0, it, &rwlock);
	CALL(pthread_rwlock_trywrlock, 0, it, &rwlock);
	WAIT(pthread_rwlock_wrlock, EDEADLK, "_acq", it, "", "", &rwlock);
	CALL(pthread_rwlock_unlock, 0, it, &rwlock);
	WAIT(pthread_rwlock_wrlock, 0, "_acq", it, "", "", &rwlock);
	CALL(pthread_rwlock_unlock, 0, it, &rwlock);
	WAIT(pthread_rwlock_timedwrlock, 0, "_acq", it, "", "", &rwlock, &until);
	CALL(pthread_rwlock_unlock, 0, it, &rwlock);
	WAIT(pthread_rwlock_clockwrlock, 0, "_acq", it, " clock=1", "", &rwlock, CLOCK_MONOTONIC,
	     &future);
	CALL(pthread_rwlock_unlock, 0, it, &rwlock);
}

static sem_t waits;
static bool woken;

static void *wait_for_it(void *unused)
{
	pthread_mutex_lock(&mutex);
	sem_post(&waits);
	while (!woken)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *wake(void *unused)
{
	pthread_mutex_lock(&mutex);
	woken = true;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void test_conditions(void)
{
	char it[100];
	pthread_t thread;
	int status = 0;

	snprintf(it, sizeof(it), "cond=%p mutex=%p", (void *)&cond, (void *)&mutex);
	pthread_mutex_lock(&mutex);
	WAIT(pthread_cond_timedwait, ETIMEDOUT, "_ret", it, "", "", &cond, &mutex, &past);
	WAIT(pthread_cond_clockwait, ETIMEDOUT, "_ret", it, " clock=1", "", &cond, &mutex,
	     CLOCK_MONOTONIC, &past);

	woken = false;
	pthread_create(&thread, NULL, wake, NULL);
	watch();
	while (!woken && nr_events < EVENTS_MAX - 2)
		status |= pthread_cond_wait(&cond, &mutex);
	happened("pthread_cond_wait", ERRNO_BEFORE, "pthread_cond_wait_ret %s status=0", it);
	ok(!strncmp(events[0], "pthread_cond_wait_req cond=", 27),
	   "  ... and before that the wish");
	ok(status == 0 && woken, "  ... and it waits until it is woken");
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);

	woken = false;
	pthread_create(&thread, NULL, wait_for_it, NULL);
	sem_wait(&waits);
	pthread_mutex_lock(&mutex);
	woken = true;
	CALL(pthread_cond_signal, 0, about("cond", &cond), &cond);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	CALL(pthread_cond_broadcast, 0, about("cond", &cond), &cond);
}

static sem_t may_end;

static void *end_with(void *argument)
{
	while (sem_wait(&may_end))
		;
	return argument;
}

static void test_threads(void)
{
	void *const retval = (void *)0x4711;
	pthread_t thread;
	void *got = NULL;
	char about_create[100], it[100];
	int status;

	snprintf(about_create, sizeof(about_create), "start_routine=%#llx arg=%p",
		 (unsigned long long)(uintptr_t)end_with, retval);
	WAIT(pthread_create, 0, "_ret", about_create, "", "", &thread, NULL, end_with, retval);
	snprintf(it, sizeof(it), "thread=%#lx", (unsigned long)thread);
	CALL(pthread_tryjoin_np, EBUSY, (strcat(it, " retval=0"), it), thread, &got);
	WAIT(pthread_timedjoin_np, ETIMEDOUT, "_ret", about("thread", (void *)thread), "",
	     " retval=0", thread, &got, &past);
	WAIT(pthread_clockjoin_np, ETIMEDOUT, "_ret", about("thread", (void *)thread), " clock=1",
	     " retval=0", thread, &got, CLOCK_MONOTONIC, &past);
	ok(!got, "a join that fails gives nothing");
	sem_post(&may_end);
	WAIT(pthread_join, 0, "_ret", about("thread", (void *)thread), "", " retval=0x4711", thread,
	     &got);
	ok(got == retval, "pthread_join gives what the thread returned");

	sem_post(&may_end);
	pthread_create(&thread, NULL, end_with, retval);
	watch();
	status = pthread_join(thread, NULL);
	happened(
		"pthread_join of no value", ERRNO_BEFORE,
		"pthread_join_req thread=%#lx\npthread_join_ret thread=%#lx retval=0x4711 status=0",
		(unsigned long)thread, (unsigned long)thread);
	is(status, 0, "  ... and succeeds");

	pthread_create(&thread, NULL, end_with, NULL);
	CALL(pthread_detach, 0, about("thread", (void *)thread), thread);
	sem_post(&may_end);
}

/* A thread that is cancelled in a wait unwinds through the wrapper. */
static void unlock(void *unused)
{
	(void)unused;
	pthread_mutex_unlock(&mutex);
}

static void *wait_for_ever(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, NULL);
	sem_post(&waits);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(1);
	return unused;
}

static void test_cancel(void)
{
	pthread_t thread;
	void *got;

	pthread_create(&thread, NULL, wait_for_ever, NULL);
	sem_wait(&waits);
	pthread_cancel(thread);
	pthread_join(thread, &got);
	ok(got == PTHREAD_CANCELED, "a thread in pthread_cond_wait can be cancelled");
	is(pthread_mutex_trylock(&mutex), 0, "  ... and what it was to do then is done");
	pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv)
{
	(void)argc;
	watch_preloaded(argv, ".libs/liblttngmap-pthread.so");
	sem_init(&waits, 0, 0);
	sem_init(&may_end, 0, 0);
	test_classes();
	test_mutexes();
	test_rwlocks();
	test_conditions();
	test_threads();
	test_cancel();
	return done_testing();
}
