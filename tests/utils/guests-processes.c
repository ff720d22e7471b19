/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* Guests that are about processes, their descriptors and their maps. */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/utils/guests.h"

static void run_work(const char *argument)
{
	for (int i = argument ? atoi(argument) : 1000; i > 0; i--)
		work();
}

static void ends_well(pid_t child)
{
	int status = -1;

	expect(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

/* ---- children, while threads have events --------------------------------------------- */

#define CHILDREN 25

static _Atomic bool ended;

static void *work_on(void *unused)
{
	while (!ended) {
		work();
		usleep(1000);
	}
	return unused;
}

static void fork_one(void)
{
	pid_t child = fork();

	if (child == 0) {
		work();
		_exit(0);
	}
	ends_well(child);
}

/* The grandchild is nobody's: it is over when its end of the pipe is. */
static void fork_twice(void)
{
	int ends[2];
	pid_t child;
	char byte;

	expect(pipe(ends) == 0);
	child = fork();
	if (child == 0) {
		work();
		if (fork() == 0)
			work();
		_exit(0);
	}
	close(ends[1]);
	ends_well(child);
	expect(read(ends[0], &byte, 1) == 0);
	close(ends[0]);
}

static void vfork_one(void)
{
	pid_t child = vfork();

	if (child == 0) {
		mark();
		_exit(0);
	}
	ends_well(child);
}

static void spawn_one(void)
{
	static char *arguments[] = { "true", NULL };
	pid_t child = -1;

	expect(posix_spawnp(&child, "true", NULL, NULL, arguments, environ) == 0);
	ends_well(child);
}

static void run_children(const char *argument)
{
	pthread_t threads[4];

	(void)argument;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work_on, NULL);
	for (int i = 0; i < CHILDREN; i++) {
		fork_one();
		fork_twice();
		vfork_one();
		spawn_one();
	}
	ended = true;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* Of these the C library does not know. */
static void run_clone3(const char *argument)
{
	(void)argument;
	for (int i = 0; i < CHILDREN; i++) {
		struct clone_args how = { .exit_signal = SIGCHLD };
		pid_t child = (pid_t)syscall(SYS_clone3, &how, sizeof(how));

		if (child == 0) {
			mark();
			syscall(SYS_exit_group, 0);
		}
		ends_well(child);
		work();
	}
}

/* Where nobody can read, the kernel says so. */
static void run_exec(const char *argument)
{
	static char *arguments[] = { "true", NULL };
	char *volatile page =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char **volatile nowhere = (char **)16, *nothing[] = { (char *)nowhere, NULL };
	char *bare[] = { NULL };

	(void)argument;
	munmap(page + 4096, 4096);
	expect(execve((char *)nowhere, arguments, environ) == -1 && errno == EFAULT);
	expect(execve((char *)nowhere, arguments, bare) == -1 && errno == EFAULT);
	expect(execve("/bin/true", arguments, nowhere) == -1 && errno == EFAULT);
	expect(execve("/bin/true", arguments, nothing) == -1 && errno == EFAULT);
	memcpy(page + 4096 - 12, "LD_PRELOAD=/", 12);
	nothing[0] = page + 4096 - 12;
	expect(execvpe("true", arguments, nothing) == -1 && errno == EFAULT);
	work();
}

/* ---- steps of a debugger ---------------------------------------------------------------- */

static void run_steps(const char *argument)
{
	pid_t child = fork();
	int status;

	(void)argument;
	if (child == 0) {
		work();
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		work();
		work();
		_exit(0);
	}
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status))
		ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
	expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- descriptors ------------------------------------------------------------------------ */

#define FILES 1100

static void run_descriptors(const char *argument)
{
	int files[FILES], opened = 0, file;

	(void)argument;
	run_work("100");
	closefrom(3);
	work();
	while (opened < FILES && (files[opened] = memfd_create("file", 0)) >= 0)
		opened++;
	run_work("5000");
	fork_one();
	for (int i = 0; i < opened; i++)
		expect(lseek(files[i], 0, SEEK_END) == 0);
	expect(close_range(3, ~0u, 0) == 0);
	run_work("100");
	file = memfd_create("file", 0);
	for (int fd = 3; fd < FILES; fd++)
		dup2(file, fd);
	run_work("5000");
	fork_one();
	expect(lseek(file, 0, SEEK_END) == 0);
	printf("%d files\n", opened);
}

/* ---- maps ------------------------------------------------------------------------------- */

#define HUGE (UINT64_C(32) << 40)

static void run_huge(const char *argument)
{
	void *map = mmap(NULL, HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)argument;
	printf("32 TiB: %s\n", map == MAP_FAILED ? strerror(errno) : "mapped");
	run_work("100");
	fork_one();
	if (map != MAP_FAILED)
		expect(munmap(map, HUGE) == 0);
	work();
}

/* A file's name is not there before another thread brings it, while the kernel reads it. */
static int faults;
static char *missing;

static void *bring(void *unused)
{
	static char page[4096] __attribute__((aligned(4096))) = "/nowhere/of/a/page";
	struct uffdio_copy copy = { .src = (uintptr_t)page,
				    .dst = (uintptr_t)missing,
				    .len = 4096 };
	struct uffd_msg message;

	expect(read(faults, &message, sizeof(message)) == sizeof(message));
	work();
	expect(ioctl(faults, UFFDIO_COPY, &copy) == 0);
	return unused;
}

static void run_faults(const char *argument)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t thread;

	(void)argument;
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	printf("userfaultfd: %s\n", faults < 0 ? strerror(errno) : "there");
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0)
		return;
	missing = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (uintptr_t)missing;
	range.range.len = 4096;
	expect(ioctl(faults, UFFDIO_REGISTER, &range) == 0);
	pthread_create(&thread, NULL, bring, NULL);
	expect(open(missing, O_RDONLY) == -1 && errno == ENOENT);
	pthread_join(thread, NULL);
	work();
}

static void run_uring(const char *argument)
{
	struct io_uring_params params = { 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 8, &params);
	struct io_uring_sqe *entries;
	char *queue;

	(void)argument;
	printf("io_uring: %s\n", ring < 0 ? strerror(errno) : "there");
	if (ring < 0)
		return;
	queue = mmap(NULL, params.sq_off.array + params.sq_entries * sizeof(uint32_t),
		     PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	entries = mmap(NULL, params.sq_entries * sizeof(*entries), PROT_READ | PROT_WRITE,
		       MAP_SHARED, ring, IORING_OFF_SQES);
	for (uint32_t i = 0; i < 100; i++) {
		uint32_t index = i % params.sq_entries;

		memset(&entries[index], 0, sizeof(entries[index]));
		entries[index].opcode = IORING_OP_NOP;
		((uint32_t *)(queue + params.sq_off.array))[index] = index;
		__atomic_store_n((uint32_t *)(queue + params.sq_off.tail), i + 1, __ATOMIC_RELEASE);
		expect(syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0) == 1);
		work();
	}
	close(ring);
}

/* What no child of its own is to have, as some crypto libraries say of all their memory. */
static void for_each_shared_map(void (*use)(void *begin, size_t size))
{
	static char text[1 << 20];
	int file = open("/proc/self/maps", O_RDONLY);
	ssize_t part, size = 0;

	while ((part = read(file, text + size, sizeof(text) - 1 - (size_t)size)) > 0)
		size += part;
	close(file);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long begin, end;
		char rights[5];

		if (sscanf(line, "%lx-%lx %4s", &begin, &end, rights) == 3 && rights[3] == 's')
			use((void *)begin, end - begin);
	}
}

static void keep_from_children(void *begin, size_t size)
{
	madvise(begin, size, MADV_DONTFORK);
}

static void run_dontfork(const char *argument)
{
	pid_t child;

	(void)argument;
	work();
	for_each_shared_map(keep_from_children);
	child = fork();
	if (child == 0) {
		/* It has no counts. */
		free(malloc(1));
		_exit(0);
	}
	ends_well(child);
	work();
}

const struct guest process_guests[] = {
	{ "work", run_work },     { "children", run_children },
	{ "clone3", run_clone3 }, { "exec", run_exec },
	{ "steps", run_steps },   { "descriptors", run_descriptors },
	{ "huge", run_huge },     { "faults", run_faults },
	{ "uring", run_uring },   { "dontfork", run_dontfork },
	{ NULL, NULL },
};
