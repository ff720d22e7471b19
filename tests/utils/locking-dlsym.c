/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * locking-dlsym.c - liblocking-dlsym.so: a dlsym() that takes a lock and writes,
 * which is what it may have been called to find. As glibc's before 2.36 it gives
 * the oldest version of what there are several of. To be preloaded behind the
 * library whose dlsym() calls it shall serve.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int locking_dlsym_calls;
/* How often write() was one that is not found yet. */
EXPORT int locking_dlsym_refused;
/* And how often it was given another version than the newest. */
EXPORT int locking_dlsym_older;

typedef void *dlsym_function(void *handle, const char *name);

EXPORT void *dlsym(void *handle, const char *name)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static dlsym_function *real;
	int saved_errno = errno;
	void *found, *older;

	pthread_mutex_lock(&mutex);
	locking_dlsym_calls++;
	if (write(-1, "", 0) < 0 && errno == ENOSYS)
		locking_dlsym_refused++;
	errno = saved_errno;
	if (!real)
		real = (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	if (!real)
		real = (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	found = real(handle, name);
	if (handle == RTLD_NEXT && strncmp(name, "pthread_cond_", 13) == 0) {
		older = dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5");
		if (older && older != found) {
			found = older;
			locking_dlsym_older++;
		}
	}
	pthread_mutex_unlock(&mutex);
	return found;
}
