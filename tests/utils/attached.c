/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * attached MODE: programs to attach to, which tell whether they were harmed.
 *
 *   count           allocates as many blocks of 12345 bytes as each line on standard
 *                   input says, and answers with a line
 *   serve           threads that wait in all the ways there are, allocate, load and
 *                   fork, until SIGTERM; then a line of what they did
 *   sleep           sleeps again and again until SIGTERM; fails where that is
 *                   interrupted by anything else, or too short
 *   filtered        its system calls are filtered, which allows all of them
 *   filtered-thread those of one of its threads are, and mmap(2) would end it
 *   vfork           waits for a child of vfork(2), which tells its number, until standard
 *                   input ends
 *   trace PID       traces that process until standard input ends
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SIZE 12345
#define MESSAGE 64

static volatile sig_atomic_t stop;
static unsigned long done[16];

static _Noreturn void harmed(const char *what)
{
	printf("harmed: %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(1);
}

static void check(bool holds, const char *what)
{
	if (!holds)
		harmed(what);
}

static void allocate(long count)
{
	while (count-- > 0) {
		volatile char *block = malloc(SIZE);

		block[0] = 1;
		free((void *)block);
	}
}

static int count(void)
{
	char line[32];

	while (fgets(line, sizeof(line), stdin)) {
		allocate(atol(line));
		puts("done");
		fflush(stdout);
	}
	return 0;
}

/* ---- serve ----------------------------------------------------------------------- */

static int pairs[4][2];

/* One end of each pair asks, the other answers: by epoll, poll, recv and read. */
static void *ask(void *number)
{
	int which = (int)(long)number;
	unsigned char sent[MESSAGE], got[MESSAGE];

	for (unsigned round = 0; !stop; round++) {
		unsigned char *copy = malloc(MESSAGE);

		memset(sent, (int)(round * 7 + (unsigned)which), sizeof(sent));
		memcpy(copy, sent, MESSAGE);
		check(send(pairs[which][0], copy, MESSAGE, 0) == MESSAGE, "send");
		free(copy);
		check(recv(pairs[which][0], got, MESSAGE, MSG_WAITALL) == MESSAGE, "recv");
		check(memcmp(sent, got, MESSAGE) == 0, "an answer");
		done[which]++;
		usleep(500 + round % 1000);
	}
	shutdown(pairs[which][0], SHUT_RDWR);
	return NULL;
}

static void wait_for_input(int which, int epoll)
{
	struct epoll_event event;
	struct pollfd poll_fd = { .fd = pairs[which][1], .events = POLLIN };
	fd_set set;

	if (which == 0) {
		check(epoll_wait(epoll, &event, 1, -1) == 1, "epoll_wait");
	} else if (which == 1) {
		check(poll(&poll_fd, 1, 60000) == 1, "poll");
	} else if (which == 2) {
		FD_ZERO(&set);
		FD_SET(pairs[which][1], &set);
		check(select(pairs[which][1] + 1, &set, NULL, NULL, NULL) == 1, "select");
	}
}

static void *answer(void *number)
{
	int which = (int)(long)number, epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN };
	unsigned char message[MESSAGE];

	check(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, pairs[which][1], &event) == 0, "epoll");
	for (;;) {
		ssize_t length;

		wait_for_input(which, epoll);
		length = read(pairs[which][1], message, MESSAGE);
		check(length >= 0, "read");
		if (length == 0)
			break;
		check(write(pairs[which][1], message, (size_t)length) == length, "write");
	}
	close(epoll);
	return NULL;
}

/* Blocks of known contents, of all sizes. */
static void *churn(void *unused)
{
	unsigned char *blocks[64] = { NULL };
	unsigned state = 1;

	for (unsigned round = 0; !stop; round++) {
		unsigned which = (state = state * 1103515245 + 12345) >> 26;
		size_t size = 16 + (state >> 12) % 4096;

		if (blocks[which]) {
			check(blocks[which][0] == (unsigned char)which &&
				      blocks[which][8] == (unsigned char)~which,
			      "a block");
			free(blocks[which]);
		}
		blocks[which] = malloc(size);
		blocks[which][0] = (unsigned char)which;
		blocks[which][8] = (unsigned char)~which;
		done[4]++;
		if (round % 4096 == 0)
			usleep(100);
	}
	for (int i = 0; i < 64; i++)
		free(blocks[i]);
	return unused;
}

static void *load(void *unused)
{
	while (!stop) {
		void *handle = dlopen("libutil.so.1", RTLD_NOW);
		void *other = dlopen("libanl.so.1", RTLD_NOW);

		check(handle && other, "dlopen");
		check(dlclose(other) == 0 && dlclose(handle) == 0, "dlclose");
		done[5]++;
		usleep(2000);
	}
	return unused;
}

static void *make_children(void *unused)
{
	while (!stop) {
		int status = -1;
		pid_t child = fork();

		check(child >= 0, "fork");
		if (child == 0) {
			free(malloc(SIZE));
			_exit(7);
		}
		check(waitpid(child, &status, 0) == child, "waitpid");
		check(WIFEXITED(status) && WEXITSTATUS(status) == 7, "a child");
		done[6]++;
		usleep(10000); /* the pace of its children */
	}
	return unused;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

/* Waits that end by their time: it is to be neither short nor interrupted. */
static void *wait_in_time(void *unused)
{
	while (!stop) {
		struct timespec begin, end, pause = { .tv_nsec = 20000000 };
		sigset_t none;

		clock_gettime(CLOCK_MONOTONIC, &begin);
		check(nanosleep(&pause, NULL) == 0, "nanosleep");
		clock_gettime(CLOCK_MONOTONIC, &end);
		check((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec >=
			      20000000,
		      "the time of nanosleep");
		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_nsec += 20000000;
		end.tv_sec += end.tv_nsec / 1000000000;
		end.tv_nsec %= 1000000000;
		pthread_mutex_lock(&mutex);
		check(pthread_cond_timedwait(&condition, &mutex, &end) == ETIMEDOUT,
		      "pthread_cond_timedwait");
		pthread_mutex_unlock(&mutex);
		sigemptyset(&none);
		sigaddset(&none, SIGUSR2);
		errno = 0;
		check(sigtimedwait(&none, NULL, &pause) == -1 && errno == EAGAIN, "sigtimedwait");
		done[7]++;
	}
	return unused;
}

/* Numbers that are wrong if a register was. */
static void *compute(void *unused)
{
	while (!stop) {
		double sum = 0;
		unsigned long whole = 0;

		for (unsigned long i = 1; i < 200000; i++) {
			sum += 1.0 / (double)i;
			whole = whole * 31 + i;
		}
		check(sum > 12.7832 && sum < 12.7833, "a sum");
		check(whole == 9024581596163622560ul, "a number");
		done[8]++;
	}
	return unused;
}

static void on_term(int number)
{
	(void)number;
	stop = 1;
}

static int serve(void)
{
	static void *(*const others[])(void *) = { churn, load, make_children, wait_in_time,
						   compute };
	struct sigaction action = { .sa_handler = on_term };
	pthread_t threads[16];
	int count = 0;
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, NULL);
	for (long i = 0; i < 4; i++) {
		check(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]) == 0, "socketpair");
		pthread_create(&threads[count++], NULL, answer, (void *)i);
		pthread_create(&threads[count++], NULL, ask, (void *)i);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		pthread_create(&threads[count++], NULL, others[i], NULL);
	sigaction(SIGTERM, &action, NULL);
	puts("ready");
	fflush(stdout);
	/* SIGTERM comes here alone, and ends this wait as it would without us. */
	while (!stop) {
		sigset_t open;

		sigemptyset(&open);
		sigsuspend(&open);
		check(stop, "sigsuspend");
	}
	while (count > 0)
		pthread_join(threads[--count], NULL);
	for (int i = 0; i < 9; i++)
		check(done[i] > 0, "a thread did nothing");
	printf("well: %lu answers, %lu blocks, %lu loads, %lu children, %lu waits\n",
	       done[0] + done[1] + done[2] + done[3], done[4], done[5], done[6], done[7]);
	return 0;
}

/* ---- others ------------------------------------------------------------------------ */

/* Nothing but SIGTERM, which ends it, interrupts a sleep. */
static int sleep_on(void)
{
	struct sigaction action = { .sa_handler = on_term };
	struct timespec time = { .tv_nsec = 700000000 }, begin, end;

	sigaction(SIGTERM, &action, NULL);
	puts("ready");
	fflush(stdout);
	while (!stop) {
		clock_gettime(CLOCK_MONOTONIC, &begin);
		if (nanosleep(&time, NULL) != 0) {
			check(stop, "nanosleep");
			break;
		}
		clock_gettime(CLOCK_MONOTONIC, &end);
		check((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec >=
			      time.tv_nsec,
		      "the time of nanosleep");
	}
	puts("well: slept");
	return 0;
}

static int filtered(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { .len = 1, .filter = &allow };

	check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0,
	      "seccomp");
	puts("ready");
	fflush(stdout);
	return getchar() == EOF ? 0 : 1;
}

static int pipe_of_thread[2];

static void *wait_filtered(void *unused)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };
	char byte;

	check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0,
	      "seccomp");
	check(write(STDOUT_FILENO, "ready\n", 6) == 6, "write");
	check(read(pipe_of_thread[0], &byte, 1) == 0, "read");
	return unused;
}

static int filtered_thread(void)
{
	pthread_t thread;
	char byte;

	check(pipe(pipe_of_thread) == 0, "pipe");
	pthread_create(&thread, NULL, wait_filtered, NULL);
	check(read(STDIN_FILENO, &byte, 1) == 0, "read");
	close(pipe_of_thread[1]);
	pthread_join(thread, NULL);
	return 0;
}

static int wait_for_child(void)
{
	int status = -1;
	pid_t child = vfork();

	if (child == 0) {
		char line[32], byte;
		int length = snprintf(line, sizeof(line), "child %d\n", (int)getpid());

		if (write(STDOUT_FILENO, line, (size_t)length) != length ||
		    read(STDIN_FILENO, &byte, 1) != 0)
			_exit(1);
		_exit(0);
	}
	check(waitpid(child, &status, 0) == child && status == 0, "the child");
	allocate(10);
	return 0;
}

static int trace(pid_t pid)
{
	check(ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0, "ptrace");
	puts("ready");
	fflush(stdout);
	return getchar() == EOF ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "count") == 0)
		return count();
	if (argc == 2 && strcmp(argv[1], "serve") == 0)
		return serve();
	if (argc == 2 && strcmp(argv[1], "sleep") == 0)
		return sleep_on();
	if (argc == 2 && strcmp(argv[1], "filtered") == 0)
		return filtered();
	if (argc == 2 && strcmp(argv[1], "filtered-thread") == 0)
		return filtered_thread();
	if (argc == 2 && strcmp(argv[1], "vfork") == 0)
		return wait_for_child();
	if (argc == 3 && strcmp(argv[1], "trace") == 0)
		return trace((pid_t)atoi(argv[2]));
	fputs("usage: attached count|serve|sleep|filtered|filtered-thread|vfork|trace PID\n",
	      stderr);
	return 2;
}
