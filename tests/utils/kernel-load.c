/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-load writes N: N writes to /dev/null, of 1, 2, 3, ... bytes, from 1 again after SIZES,
 * each between two events that say which. kernel-load calls DIR: many different system calls, in
 * DIR, strings and arrays among what the kernel's events of them have. Prints its process id first.
 */
#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lttngmap/tracepoint.h>

/* Such as nobody else writes. */
#define SIZE_FIRST 70001
#define SIZES 1000

LTTNGMAP_TRACEPOINT(load, before, LTTNGMAP_LOGLEVEL_INFO, (integer, int, size));
LTTNGMAP_TRACEPOINT(load, after, LTTNGMAP_LOGLEVEL_INFO, (integer, int, size));

static int do_writes(int count)
{
	static char bytes[SIZE_FIRST + SIZES];
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (int i = 0; i < count; i++) {
		int size = SIZE_FIRST + i % SIZES;

		lttngmap_tracepoint(load, before, size);
		if (write(fd, bytes, (size_t)size) != size)
			return 1;
		lttngmap_tracepoint(load, after, size);
	}
	return 0;
}

static void on_signal(int number)
{
	(void)number;
}

static atomic_bool is_over;

static void *spin(void *unused)
{
	(void)unused;
	while (!is_over)
		sched_yield();
	return NULL;
}

/* The kernel tells other CPUs: several at once, where there are as many. */
static void do_threads(void)
{
	pthread_t threads[3];
	char *pages;

	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, spin, NULL);
	for (int i = 0; i < 20; i++) {
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
		pages = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
		memset(pages, 1, 65536);
		mprotect(pages, 65536, PROT_READ);
		munmap(pages, 65536);
		usleep(100);
	}
	is_over = true;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void do_files(int i)
{
	char name[64], other[64], bytes[300];
	struct stat status;
	int fd, ends[2];

	snprintf(name, sizeof(name), "file-%d", i);
	snprintf(other, sizeof(other), "other-%d", i);
	fd = open(name, O_RDWR | O_CREAT, 0600);
	memset(bytes, i, sizeof(bytes));
	(void)!write(fd, bytes, sizeof(bytes));
	(void)!pwrite(fd, bytes, 100, 50);
	(void)!pread(fd, bytes, 200, 7);
	(void)!ftruncate(fd, 5000);
	lseek(fd, 3, SEEK_SET);
	fsync(fd);
	fstat(fd, &status);
	close(dup(fd));
	close(fd);
	(void)!rename(name, other);
	(void)!symlink(other, name);
	(void)!readlink(name, bytes, sizeof(bytes));
	unlink(name);
	unlink(other);
	mkdir(name, 0700);
	rmdir(name);
	if (pipe(ends) == 0) {
		(void)!write(ends[1], "x", 1);
		(void)!read(ends[0], bytes, 1);
		close(ends[0]);
		close(ends[1]);
	}
}

static int do_calls(const char *directory)
{
	struct sigaction action = { .sa_handler = on_signal };

	if (chdir(directory) < 0)
		return 1;
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 50; i++) {
		pid_t child;

		do_files(i);
		kill(getpid(), SIGUSR1);
		umask(022);
		(void)!getuid();
		usleep(10);
		if (i % 10 != 0)
			continue;
		child = fork();
		if (child == 0) {
			execl("/bin/true", "true", "an argument", (char *)NULL);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
	do_threads();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	printf("%d\n", getpid());
	fflush(stdout);
	return strcmp(argv[1], "writes") == 0 ? do_writes(atoi(argv[2])) : do_calls(argv[2]);
}
