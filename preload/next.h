/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * next.h - the functions behind the wrappers of a family. libc.c has its own way, for it must
 * not allocate.
 *
 * A file of wrappers defines, before it includes this, what it wraps:
 *
 *   #define NEXT_FUNCTIONS(X) X(pthread_mutex_lock) X(pthread_mutex_unlock)
 *
 * and calls NEXT(pthread_mutex_lock)(mutex). "Behind" is what
 * dlsym(RTLD_NEXT) finds. A constructor looks all of them up. At a call, a
 * thread may hold the loader's lock, or have yet to ask dlerror() for an error of its own. A call
 * before the constructor looks them up, and the family's events begin with it (early.h).
 *
 * A file whose wrappers write no events defines NEXT_WITHOUT_EVENTS: its calls register nothing.
 *
 * A dlsym() that somebody put in front of the C library's might call the function that it
 * looks up. Such a nested call returns NEXT_WHILE_FINDING and does nothing. The value is 0, which
 * is right for locks as long as there is one thread, as there is as a rule at the first call; or
 * -1, with errno ENOSYS.
 *
 * If the C library has two versions of a function that do not mix, dlsym() gives the older one
 * before glibc 2.36. A file that wraps such functions names them, with the versions
 * that they have on x86-64:
 *
 *   #define NEXT_VERSIONS(X) X(pthread_cond_wait, "GLIBC_2.2.5", "GLIBC_2.3.2")
 *
 * Threads: any, at any time; all that look a function up store the same value.
 * errno: as the functions behind set it.
 */
#ifndef PRELOAD_NEXT_H
#define PRELOAD_NEXT_H

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef NEXT_WITHOUT_EVENTS
#include "preload/early.h"
#endif

enum {
#define NEXT_ENUM(name) NEXT_##name,
	NEXT_FUNCTIONS(NEXT_ENUM)
#undef NEXT_ENUM
		NEXT_FUNCTIONS_NR,
};

static const char *const next_names[] = {
#define NEXT_NAME(name) #name,
	NEXT_FUNCTIONS(NEXT_NAME)
#undef NEXT_NAME
};

static void *next_functions[NEXT_FUNCTIONS_NR];

/*
 * This thread is inside dlsym() for us. Volatile, because dlsym() is declared to
 * be one that never calls us: the compiler would leave the stores out.
 */
static __thread volatile bool next_finding __attribute__((tls_model("initial-exec")));

#ifndef NEXT_WHILE_FINDING
#define NEXT_WHILE_FINDING 0
#endif

static long next_while_finding(void)
{
	if (NEXT_WHILE_FINDING < 0)
		errno = ENOSYS;
	return NEXT_WHILE_FINDING;
}

#ifdef NEXT_VERSIONS
static void *next_newer(int function, void *found)
{
	static const struct {
		int function;
		const char *older, *newer;
	} versions[] = {
#define NEXT_VERSION(name, older, newer) { NEXT_##name, older, newer },
		NEXT_VERSIONS(NEXT_VERSION)
#undef NEXT_VERSION
	};
	const char *name = next_names[function];
	void *newer;

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (versions[i].function != function ||
		    found != dlvsym(RTLD_NEXT, name, versions[i].older))
			continue;
		newer = dlvsym(RTLD_NEXT, name, versions[i].newer);
		return newer ? newer : found;
	}
	return found;
}
#else
static void *next_newer(int function, void *found)
{
	(void)function;
	return found;
}
#endif

/*
 * All at once, and published when all are found, and events can begin, or `now`: what dlsym()
 * calls meanwhile finds either all of them or none.
 */
static __attribute__((noinline, cold)) void *next_find(int wanted, bool now)
{
	void *found[NEXT_FUNCTIONS_NR];
	int saved_errno = errno;

	next_finding = true;
	for (int function = 0; function < NEXT_FUNCTIONS_NR; function++)
		found[function] = next_newer(function, dlsym(RTLD_NEXT, next_names[function]));
	next_finding = false;
#ifndef NEXT_WITHOUT_EVENTS
	now = early_begin() || now;
#else
	now = true;
#endif
	if (now)
		for (int function = 0; function < NEXT_FUNCTIONS_NR; function++)
			__atomic_store_n(&next_functions[function], found[function],
					 __ATOMIC_RELAXED);
	errno = saved_errno;
	return found[wanted];
}

static inline void *next_get(int function)
{
	void *found = __atomic_load_n(&next_functions[function], __ATOMIC_RELAXED);

	if (__builtin_expect(found != NULL, 1))
		return found;
	if (next_finding)
		return (void *)next_while_finding;
	return next_find(function, false);
}

static __attribute__((constructor)) void next_find_all(void)
{
	if (!__atomic_load_n(&next_functions[0], __ATOMIC_RELAXED))
		next_find(0, true);
}

/* The function behind a wrapper, to be called at once. */
#define NEXT(name) ((__typeof__(&name))next_get(NEXT_##name))

#endif /* PRELOAD_NEXT_H */
