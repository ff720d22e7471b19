/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* Files that are cut short while they are mapped: what the guard does, and leaves alone. */
#include "common/base/map-guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/utils/tap.h"

#define SIZE (UINT64_C(64) << 10)

/* A map of a file of its own, with a 7 at the start; -1 in *fd on failure. */
static volatile char *map_file(int *fd)
{
	char *map;

	*fd = memfd_create("map-guard", MFD_CLOEXEC);
	if (*fd < 0 || ftruncate(*fd, (off_t)SIZE) != 0)
		bail_out("no file");
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (map == MAP_FAILED)
		bail_out("no map");
	map[0] = 7;
	return map;
}

static void drop(volatile char *map, int fd)
{
	map_guard_remove((void *)map);
	munmap((void *)map, SIZE);
	close(fd);
}

static void test_cut(void)
{
	int fd, other_fd;
	volatile char *map = map_file(&fd), *other = map_file(&other_fd);

	is(map_guard_add((void *)map, SIZE), 0, "a map is watched over");
	is(map_guard_add((void *)other, SIZE), 0, "and another");
	ok(!map_guard_is_lost((void *)map), "it is not lost");
	ftruncate(fd, 4096);
	is(map[0], 7, "what is left of a file that is cut is there");
	errno = ENOTTY;
	is(map[SIZE - 1], 0, "what is gone is zeros");
	is(errno, ENOTTY, "errno is as it was");
	is(map[0], 0, "and so is all of it, for good");
	ok(map_guard_is_lost((void *)(map + 100)), "it is lost");
	map[0] = 3;
	ok(map[0] == 3 && map_guard_is_lost((void *)map), "it may be written to");
	ok(!map_guard_is_lost((void *)other) && other[0] == 7, "the other one is not lost");
	drop(map, fd);
	ok(!map_guard_is_lost((void *)map), "nor is what is gone");
	drop(other, other_fd);
}

/* A place is as new for the next map. */
static void test_again(void)
{
	int fd;
	volatile char *map = map_file(&fd);

	is(map_guard_add((void *)map, SIZE), 0, "the next map in its place");
	ok(!map_guard_is_lost((void *)map), "is not lost");
	drop(map, fd);
}

static void test_many(void)
{
	enum { MAPS = 3 * 32768 };
	char *base = mmap(NULL, MAPS * UINT64_C(4096), PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int added = 0;

	if (base == MAP_FAILED)
		bail_out("no address space");
	while (added <= MAPS && map_guard_add(base + added * UINT64_C(4096), 4096) == 0)
		added++;
	is(added, MAPS, "as many maps as the table has room for");
	is(map_guard_add(base, 4096), -ENOSPC, "one more is refused");
	/* Not all: each is looked for from the table's beginning. */
	for (int i = 0; i < 3; i++)
		map_guard_remove(base + i * (MAPS / 2 - 1) * UINT64_C(4096));
	added = 0;
	while (added <= 3 && map_guard_add(base + added * UINT64_C(4096), 4096) == 0)
		added++;
	is(added, 3, "there is room again for as many as were removed");
}

/* What ends a child in which `act` runs: a signal's number, or 0. */
static int killed_by(void (*act)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		alarm(20);
		act();
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		bail_out("no child");
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void touch_unwatched(void)
{
	int fd;
	volatile char *map = map_file(&fd);

	ftruncate(fd, 0);
	map[0] = 1;
}

static void touch_removed(void)
{
	int fd;
	volatile char *map = map_file(&fd);

	map_guard_add((void *)map, SIZE);
	map_guard_remove((void *)map);
	ftruncate(fd, 0);
	map[0] = 1;
}

static void send_it(void)
{
	kill(getpid(), SIGBUS);
}

static void touch_watched(void)
{
	int fd;
	volatile char *map = map_file(&fd);

	map_guard_add((void *)map, SIZE);
	ftruncate(fd, 0);
	map[0] = 1;
}

/* The kernel copies, and so finds pages that cannot be had. */
static void test_copy(void)
{
	static char to[SIZE];
	int fd;
	volatile char *map = map_file(&fd);

	ok(map_guard_copy(to, (void *)map, SIZE) == 0 && to[0] == 7, "a map is copied");
	munmap((char *)map + SIZE / 2, SIZE / 2);
	is(map_guard_copy(to, (void *)map, SIZE), -ENODATA, "not where pages cannot be had");
	drop(map, fd);
}

int main(void)
{
	int fd;
	volatile char *map = map_file(&fd);

	/* A sanitizer's own handler would report it. */
	signal(SIGBUS, SIG_DFL);
	ok(!map_guard_is_installed(), "it is not there before it is asked for");
	is(map_guard_add((void *)map, SIZE), 0, "a map before that is no error");
	map_guard_remove((void *)map);
	is(killed_by(touch_watched), SIGBUS, "but does not help");
	is(map_guard_install(), 0, "it is installed");
	ok(map_guard_is_installed(), "it is there");
	drop(map, fd);

	test_cut();
	test_again();
	test_copy();
	is(killed_by(touch_watched), 0, "who touches a map that is watched over lives");
	is(killed_by(touch_unwatched), SIGBUS, "one that is not: the signal ends it");
	is(killed_by(touch_removed), SIGBUS, "one that was: likewise");
	is(killed_by(send_it), SIGBUS, "a signal that is sent: likewise");
	/* Last, for most of them stay. */
	test_many();
	return done_testing();
}
