/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/base/map-guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Three for each process that a saved state has room for; pages of it that are not used cost
 * nothing. */
#define MAPS_MAX (3u * 32768u)

/*
 * The handler walks over the table while others change it: `map` is written
 * last and cleared first, and nobody faults on a map that is being added or
 * removed.
 */
static struct {
	uintptr_t map; /* 0: free */
	size_t size;
	bool lost;
} maps[MAPS_MAX];
static uint32_t used;  /* of them, so many were ever */
static uint32_t where; /* to look for a free one */
static bool installed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* -1: none. Async-signal-safe. */
static int find(uintptr_t address)
{
	uint32_t end = __atomic_load_n(&used, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < end; i++) {
		uintptr_t map = __atomic_load_n(&maps[i].map, __ATOMIC_ACQUIRE);

		if (map && address >= map && address - map < maps[i].size)
			return (int)i;
	}
	return -1;
}

static void on_sigbus(int signal_number, siginfo_t *info, void *context)
{
	int saved = errno, i = find((uintptr_t)info->si_addr);

	(void)context;
	/* Sent by somebody, or elsewhere: back there it ends us. */
	if (info->si_code <= 0 || i < 0 ||
	    mmap((void *)maps[i].map, maps[i].size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED) {
		signal(signal_number, SIG_DFL);
		if (info->si_code <= 0)
			raise(signal_number);
	} else {
		__atomic_store_n(&maps[i].lost, true, __ATOMIC_RELEASE);
	}
	errno = saved;
}

int map_guard_install(void)
{
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	if (sigaction(SIGBUS, &action, NULL) != 0)
		return -errno;
	__atomic_store_n(&installed, true, __ATOMIC_RELEASE);
	return 0;
}

bool map_guard_is_installed(void)
{
	return __atomic_load_n(&installed, __ATOMIC_ACQUIRE);
}

int map_guard_add(void *map, size_t size)
{
	int error = -ENOSPC;

	if (!__atomic_load_n(&installed, __ATOMIC_ACQUIRE))
		return 0;
	pthread_mutex_lock(&lock);
	for (uint32_t tries = 0; error && tries < MAPS_MAX; tries++) {
		uint32_t i = where++ % MAPS_MAX;

		if (maps[i].map)
			continue;
		maps[i].size = size;
		maps[i].lost = false;
		/* Release: who finds the map finds its size. */
		__atomic_store_n(&maps[i].map, (uintptr_t)map, __ATOMIC_RELEASE);
		if (i >= used)
			__atomic_store_n(&used, i + 1, __ATOMIC_RELEASE);
		error = 0;
	}
	pthread_mutex_unlock(&lock);
	return error;
}

void map_guard_remove(const void *map)
{
	if (!__atomic_load_n(&installed, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < used; i++) {
		if (maps[i].map != (uintptr_t)map)
			continue;
		__atomic_store_n(&maps[i].map, 0, __ATOMIC_RELEASE);
		/* Low places first: the handler has fewer to walk over. */
		if (i < where % MAPS_MAX)
			where = i;
		break;
	}
	pthread_mutex_unlock(&lock);
}

bool map_guard_is_lost(const void *address)
{
	int i = find((uintptr_t)address);

	return i >= 0 && __atomic_load_n(&maps[i].lost, __ATOMIC_ACQUIRE);
}

/* The page that an address lies in. */
static void *page_of(const void *address)
{
	return (void *)((uintptr_t)address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1));
}

int map_guard_fetch(const void *from, size_t size)
{
	char *begin = page_of(from);
	size_t length = (size_t)((const char *)from + size - begin);

	if (madvise(begin, length, MADV_POPULATE_READ) == 0 || errno == EINVAL) /* Linux < 5.14 */
		return 0;
	return -ENODATA;
}

int map_guard_copy(void *to, const void *from, size_t size)
{
	char *begin = page_of(from);
	size_t length = (size_t)((const char *)from + size - begin);
	bool is_had = true;

	/*
	 * Locked, a page stays until it is copied. Where no more may be locked, it is there now.
	 * By number: the mlock() of a sanitizer's runtime does nothing.
	 */
	if (syscall(SYS_mlock, begin, length) != 0)
		is_had = errno != EAGAIN && map_guard_fetch(from, size) == 0;
	if (is_had)
		memcpy(to, from, size);
	syscall(SYS_munlock, begin, length);
	if (map_guard_is_lost(from))
		return -EFAULT;
	return is_had ? 0 : -ENODATA;
}
