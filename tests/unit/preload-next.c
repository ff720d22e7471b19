/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * preload-next.c - a dlsym() that calls the very function that it is to find
 * does no harm, and the right one is found, in the right version.
 */
#include <errno.h>
#include <pthread.h>

#include "tests/utils/preloaded.h"

int main(int argc, char **argv)
{
	static const char *const libraries[] = {
		".libs/liblttngmap-pthread.so",
		".libs/liblttngmap-io.so",
		"tests/utils/.libs/liblocking-dlsym.so",
		NULL,
	};
	static const pthread_cond_t untouched = PTHREAD_COND_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	(void)argc;
	run_preloaded(argv, libraries);
	is(errno, 0, "looking up leaves errno alone");
	ok(*(int *)preloaded_symbol("locking_dlsym_calls") > 20,
	   "the dlsym() that takes a lock was used");
	ok(*(int *)preloaded_symbol("locking_dlsym_refused") > 0,
	   "what it called of what it was to find was an error");
	errno = 0;
	is(write(-1, "", 0), -1, "a file is written");
	is(errno, EBADF, "  ... or not, indeed");
	is(pthread_mutex_lock(&mutex), 0, "a mutex is locked");
	is(pthread_mutex_trylock(&mutex), EBUSY, "  ... and is, indeed");
	is(pthread_mutex_unlock(&mutex), 0, "  ... and unlocked");
	is(pthread_mutex_trylock(&mutex), 0, "  ... and is, indeed");
	/* The older one would put an address there of what it has allocated. */
	is(*(int *)preloaded_symbol("locking_dlsym_older"), 4, "older versions were found");
	is(pthread_cond_signal(&cond) | pthread_cond_broadcast(&cond), 0, "nobody is woken");
	ok(!memcmp(&cond, &untouched, sizeof(cond)), "  ... by the newer versions");
	return done_testing();
}
