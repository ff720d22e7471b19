/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Attacks by a process on what it has from the daemon: the eventfd, whose
 * open file description both have, and memories, whose inodes both have.
 */
#include "tests/attack/attacker.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lttngmap/abi.h>

#define CONTROL_MAPPED (64u << 10)
#define RINGS_TOUCHED 32u

static struct app_answer answer;

/* Until the daemon lets us in. */
static int join(struct attacker *attacker)
{
	int fd;

	while ((fd = attacker_register(attacker, &answer)) < 0)
		usleep(50000);
	return fd;
}

static int given(unsigned int which)
{
	return which < answer.nr_fds ? answer.fds[which] : -1;
}

/* Where ring control stands in the first rings that it was given. */
static uint64_t control_at(void)
{
	const struct protocol_app_slot *rings = app_rings(&answer);

	return rings ? app_rings_control_at(rings) : 0;
}

#define BURST_US 50000
#define BURSTS 3

/* Rings, and takes the count away before the daemon has read it. */
static void ring_and_drain(int bell, int64_t until)
{
	uint64_t one = 1, count;
	struct iovec part = { .iov_base = &count, .iov_len = sizeof(count) };

	for (unsigned int i = 0; attacker_now_us() < until; i++) {
		(void)!write(bell, &one, sizeof(one));
		for (volatile unsigned int spin = i * 7 % 3000; spin > 0; spin--)
			continue;
		(void)!preadv2(bell, &part, 1, -1, RWF_NOWAIT);
	}
}

/*
 * The eventfd is made to block whoever reads it: the flag is the description's,
 * which the daemon has, too. Then all is quiet, so that nothing wakes the daemon.
 */
void attack_bell(struct attacker *attacker)
{
	int bell;

	join(attacker);
	bell = given(PROTOCOL_APP_FD_DOORBELL);
	fcntl(bell, F_SETFL, 0);
	/* One worker at a time: the daemon is to have a CPU. */
	usleep(attacker->worker * BURST_US);
	for (unsigned int i = 0; i < BURSTS; i++) {
		ring_and_drain(bell, attacker_now_us() + BURST_US);
		usleep(8 * BURST_US);
	}
	for (;;)
		pause();
}

static int hanging_file;

static void *write_page_that_never_comes(void *fd)
{
	void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, hanging_file, 0);

	(void)!write((int)(intptr_t)fd, page, 4096);
	return NULL;
}

/* Holds the inode lock of each memory, by a write whose page never comes. */
void attack_inode(struct attacker *attacker)
{
	struct stat status;
	pthread_t thread;

	join(attacker);
	hanging_file = open(attacker->argument, O_RDONLY);
	/* Before that the file system's root has no size, and no page. */
	(void)fstat(hanging_file, &status);
	for (unsigned int i = PROTOCOL_APP_FD_RINGS; i < answer.nr_fds; i++)
		pthread_create(&thread, NULL, write_page_that_never_comes,
			       (void *)(intptr_t)answer.fds[i]);
	for (;;)
		pause();
}

/* Every lock and lease that a descriptor can have, on every one that we have. */
void attack_locks(struct attacker *attacker)
{
	join(attacker);
	for (unsigned int i = 0; i < answer.nr_fds; i++) {
		struct flock all = { .l_type = F_WRLCK }, some = { .l_type = F_RDLCK };
		int fd = answer.fds[i];

		(void)!flock(fd, LOCK_EX | LOCK_NB);
		(void)!fcntl(fd, F_OFD_SETLK, &all);
		(void)!fcntl(fd, F_OFD_SETLK, &some);
		(void)!fcntl(fd, F_SETLEASE, F_RDLCK);
		(void)!fcntl(fd, F_SETLEASE, F_WRLCK);
		(void)!fcntl(fd, F_SETPIPE_SZ, 4096);
		(void)!fcntl(fd, F_SETSIG, SIGKILL);
		(void)!fcntl(fd, F_SETOWN, getppid());
		(void)!fcntl(fd, F_SETFL, O_ASYNC | O_APPEND | O_NOATIME);
	}
	for (;;)
		pause();
}

/*
 * Holes are punched while the rings' control is mapped as often as may be: who
 * faults there waits until the kernel has been through all maps.
 */
void attack_holes(struct attacker *attacker)
{
	uint64_t one = 1;
	char *map = MAP_FAILED;
	int control;

	join(attacker);
	control = given(PROTOCOL_APP_FD_RINGS);
	for (unsigned int i = 0; i < 60000; i++) {
		/* Each apart from its neighbours, so that they stay as many. */
		map = mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED,
			   control, (off_t)control_at());
		if (map == MAP_FAILED)
			break;
		(void)*(volatile char *)map;
	}
	for (;;) {
		(void)!fallocate(control, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				 (off_t)control_at(), 1 << 20);
		(void)!write(given(PROTOCOL_APP_FD_DOORBELL), &one, sizeof(one));
	}
}

/* Whoever takes from the eventfd has to wake all these. */
void attack_watchers(struct attacker *attacker)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLIN };
	uint64_t one = 1;
	int bell;

	join(attacker);
	bell = given(PROTOCOL_APP_FD_DOORBELL);
	for (unsigned int i = 0; i < 15000; i++) {
		int watcher = epoll_create1(0);

		if (watcher < 0 || epoll_ctl(watcher, EPOLL_CTL_ADD, bell, &event) != 0)
			break;
	}
	for (;;) {
		(void)!write(bell, &one, sizeof(one));
		usleep(100);
	}
}

/* Counts of events that were lost, of any size. */
void attack_discards(struct attacker *attacker)
{
	uint64_t one = 1;
	char *control;

	join(attacker);
	control = mmap(NULL, CONTROL_MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED,
		       given(PROTOCOL_APP_FD_RINGS), (off_t)control_at());
	if (control == MAP_FAILED)
		return;
	for (uint64_t k = 1;; k++) {
		/* Of a channel of four sub-buffers or eight, both are tried. */
		for (unsigned int ring = 0; ring < RINGS_TOUCHED; ring++) {
			uint64_t at = ring * lttngmap_ring_stride(k % 2 ? 4 : 8);

			if (at + sizeof(struct lttngmap_ring) <= CONTROL_MAPPED)
				((struct lttngmap_ring *)(control + at))->discards =
					k % 4 < 2 ? UINT64_MAX - 1000 : k << 40;
		}
		(void)!write(given(PROTOCOL_APP_FD_DOORBELL), &one, sizeof(one));
		usleep(1000);
	}
}

/*
 * Says all the time that the reader of its rings looks by itself, so that nobody rings for them:
 * a process that is registered, and a child that is not and outlives it.
 */
void attack_awake(struct attacker *attacker)
{
	struct lttngmap_ring *rings;
	bool outlives = attacker->worker % 2;
	int fd;

	while ((fd = attacker_connect(attacker, PROTOCOL_APP_SOCKET)) < 0)
		usleep(50000);
	app_register(fd, PROTOCOL_APP_RSEQ | PROTOCOL_APP_SHARES, NULL, 0, 0, &answer);
	if (answer.size <= 0 || !app_rings(&answer))
		return;
	rings = mmap(NULL, CONTROL_MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED,
		     given(PROTOCOL_APP_FD_RINGS), (off_t)control_at());
	if (rings == MAP_FAILED)
		return;
	if (outlives && fork() != 0)
		return;
	if (outlives) {
		close(fd);
		/* Not beyond the attack: the alarm clock is not inherited. */
		alarm(120);
	}
	for (;;) {
		__atomic_store_n(&rings->awake, 1, __ATOMIC_SEQ_CST);
		for (volatile unsigned int spin = 0; spin < 2000; spin++)
			continue;
	}
}

#define SCRIBBLES 10

static uint64_t scribble_seed;

static uint64_t scribble_word(void)
{
	scribble_seed ^= scribble_seed << 13;
	scribble_seed ^= scribble_seed >> 7;
	scribble_seed ^= scribble_seed << 17;
	return scribble_seed;
}

/* Claims losses that are possible, and small events in the first sub-buffer of eight. */
static void claim(char *control, uint64_t size)
{
	for (uint64_t at = 0; at + sizeof(struct lttngmap_ring) <= size;
	     at += lttngmap_ring_stride(8)) {
		struct lttngmap_ring *ring = (struct lttngmap_ring *)(control + at);

		ring->discards = 1000000;
		ring->commit[0] = UINT64_C(100) << LTTNGMAP_COUNT_SHIFT | 800;
	}
}

static void scribble(char *control, uint64_t size)
{
	uint64_t *words = (uint64_t *)control;

	for (unsigned int i = 0; i < 200; i++) {
		uint64_t at = scribble_word() % (size / sizeof(*words));

		/* Small changes reach further than noise. */
		words[at] = i & 1 ? scribble_word() : words[at] + (scribble_word() & 0xfff);
	}
}

/* Claims losses that are impossible: the daemon closes each ring when the process has ended. */
static void spoil(char *control, uint64_t size)
{
	for (uint64_t at = 0; at + sizeof(struct lttngmap_ring) <= size;
	     at += lttngmap_ring_stride(8))
		((struct lttngmap_ring *)(control + at))->discards = UINT64_MAX;
}

static void live_scribbling(struct attacker *attacker)
{
	const struct protocol_app_slot *rings;
	uint64_t one = 1;
	char *control;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	scribble_seed = (uint64_t)getpid() << 20 | 1;
	join(attacker);
	rings = app_rings(&answer);
	if (!rings)
		return;
	control = mmap(NULL, rings->control, PROT_READ | PROT_WRITE, MAP_SHARED,
		       given(PROTOCOL_APP_FD_RINGS), (off_t)control_at());
	if (control == MAP_FAILED)
		return;
	claim(control, rings->control);
	for (unsigned int i = 0; i < SCRIBBLES; i++) {
		(void)!write(given(PROTOCOL_APP_FD_DOORBELL), &one, sizeof(one));
		usleep(2000);
		scribble(control, rings->control);
	}
	spoil(control, rings->control);
}

/*
 * One short life after another: counts that may be right, random words in ring control, and counts
 * that cannot be right. Each life comes to its end; no other begins once there is a file ARGUMENT.
 */
void attack_scribble(struct attacker *attacker)
{
	while (access(attacker->argument, F_OK) != 0) {
		pid_t child = fork();

		if (child == 0) {
			live_scribbling(attacker);
			_exit(0);
		}
		if (child > 0)
			waitpid(child, NULL, 0);
	}
}

/* Stopped for ever, with all that it has. */
void attack_frozen(struct attacker *attacker)
{
	for (unsigned int i = 0; i < 20; i++)
		if (attacker_register(attacker, &answer) < 0)
			break;
	raise(SIGSTOP);
}

/* Registers again and again, and keeps what each registration gave. */
void attack_hoard(struct attacker *attacker)
{
	for (;;)
		if (attacker_register(attacker, &answer) < 0)
			usleep(10000);
}

/*
 * As soon as there is a file ARGUMENT/inodes, maps a file of each number in it, of the name that a
 * ring's memory has, and writes how many these are to ARGUMENT/mapped.
 */
void attack_impostor(struct attacker *attacker)
{
	char path[512];
	unsigned long number;
	unsigned int mapped = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/inodes", attacker->argument);
	while (!(file = fopen(path, "re")))
		usleep(10000);
	while (fscanf(file, "%lu", &number) == 1) {
		int fd;

		snprintf(path, sizeof(path), "%s/file/memfd:lttngmap-ring-%lu", attacker->argument,
			 number);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		mapped += fd >= 0 &&
			  mmap(NULL, 64 << 20, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED;
	}
	snprintf(path, sizeof(path), "%s/mapped", attacker->argument);
	file = fopen(path, "we");
	if (file) {
		fprintf(file, "%u\n", mapped);
		fclose(file);
	}
	for (;;)
		pause();
}

/* Has a file mapped that others may take for the library. */
void attack_library(struct attacker *attacker)
{
	int fd = open(attacker->argument, O_RDONLY);
	struct stat status;

	(void)fstat(fd, &status);
	if (mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return;
	for (;;)
		pause();
}
