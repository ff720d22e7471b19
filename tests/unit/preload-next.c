/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * preload-next.c - a dlsym() that calls the very function that it is to find
 * does no harm, and the right one is found.
 */
#include <errno.h>
#include <pthread.h>

#include "tests/utils/preloaded.h"

int main(int argc, char **argv)
{
	static const char *const libraries[] = {
		".libs/liblttngmap-pthread.so",
		"tests/utils/.libs/liblocking-dlsym.so",
		NULL,
	};
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	(void)argc;
	run_preloaded(argv, libraries);
	is(errno, 0, "looking up leaves errno alone");
	ok(*(int *)preloaded_symbol("locking_dlsym_calls") > 20,
	   "the dlsym() that takes a lock was used");
	is(pthread_mutex_lock(&mutex), 0, "a mutex is locked");
	is(pthread_mutex_trylock(&mutex), EBUSY, "  ... and is, indeed");
	is(pthread_mutex_unlock(&mutex), 0, "  ... and unlocked");
	is(pthread_mutex_trylock(&mutex), 0, "  ... and is, indeed");
	return done_testing();
}
