/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * locking-dlsym.c - liblocking-dlsym.so: a dlsym() that takes a lock, which is
 * what it may have been called to find. To be preloaded behind the library
 * whose dlsym() calls it shall serve.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int locking_dlsym_calls;

typedef void *dlsym_function(void *handle, const char *name);

EXPORT void *dlsym(void *handle, const char *name)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static dlsym_function *real;
	void *found;

	pthread_mutex_lock(&mutex);
	locking_dlsym_calls++;
	if (!real)
		real = (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	if (!real)
		real = (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	found = real(handle, name);
	pthread_mutex_unlock(&mutex);
	return found;
}
