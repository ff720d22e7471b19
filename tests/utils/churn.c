/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * churn COUNTS THREADS ROUNDS CHILDREN: a program of tests/utils/churn.py,
 * which reads COUNTS while sessions come and go. Each thread is a source: it
 * emits an event of each class in turn, ROUNDS times a second, a few or many at
 * a time, until the program is killed or its standard input ends. So does the
 * main thread of each of CHILDREN forked children, one a second.
 *
 * Before and after each event a source counts it in COUNTS: what was emitted
 * at a moment is at least `done` and at most `begun`. There a source also says
 * who it is, by other means than the library's.
 *
 * A program that is not registered in time is not traced, and is run again:
 * the class churn:ready is on whenever programs start.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <lttngmap/tracepoint.h>

#define FIELDS (integer, uint32_t, source), (integer, uint64_t, number)

LTTNGMAP_TRACEPOINT(churn, ready, LTTNGMAP_LOGLEVEL_INFO, FIELDS);
LTTNGMAP_TRACEPOINT(alpha, red, LTTNGMAP_LOGLEVEL_EMERG, FIELDS);
LTTNGMAP_TRACEPOINT(alpha, green, LTTNGMAP_LOGLEVEL_INFO, FIELDS);
LTTNGMAP_TRACEPOINT(alpha, blue, LTTNGMAP_LOGLEVEL_DEBUG, FIELDS);
LTTNGMAP_TRACEPOINT(al, pha, LTTNGMAP_LOGLEVEL_WARNING, FIELDS);
LTTNGMAP_TRACEPOINT(alpha_two, red, LTTNGMAP_LOGLEVEL_DEBUG_SYSTEM, FIELDS);
LTTNGMAP_TRACEPOINT(beta, red, LTTNGMAP_LOGLEVEL_ERR, FIELDS);
LTTNGMAP_TRACEPOINT(beta, green, LTTNGMAP_LOGLEVEL_NOTICE, FIELDS);
LTTNGMAP_TRACEPOINT(beta, grey, LTTNGMAP_LOGLEVEL_DEBUG_LINE, FIELDS);

/* churn.py knows the classes by their places here, and these structures. */
#define CLASSES 8
#define SOURCES_MAX 4096u
#define TRIES_MAX 50
#define BURST_MAX 64

struct source {
	uint32_t pid;
	uint32_t tid;
	uint64_t thread;
	char name[16];
	uint64_t begun[CLASSES];
	uint64_t done[CLASSES];
};

struct counts {
	uint32_t next; /* source to be given away */
	uint32_t reserved[7];
	struct source sources[SOURCES_MAX];
};

static struct counts *counts;
static long round_ns;

/*
 * Held for reading while an event is counted. The program's exit holds it for writing: exit turns
 * events off while other threads still run, for long where a leak detector looks at them then.
 */
static pthread_rwlock_t counting = PTHREAD_RWLOCK_INITIALIZER;

static void emit(unsigned int class, uint32_t source, uint64_t number)
{
	switch (class) {
	case 0:
		lttngmap_tracepoint(alpha, red, source, number);
		break;
	case 1:
		lttngmap_tracepoint(alpha, green, source, number);
		break;
	case 2:
		lttngmap_tracepoint(alpha, blue, source, number);
		break;
	case 3:
		lttngmap_tracepoint(al, pha, source, number);
		break;
	case 4:
		lttngmap_tracepoint(alpha_two, red, source, number);
		break;
	case 5:
		lttngmap_tracepoint(beta, red, source, number);
		break;
	case 6:
		lttngmap_tracepoint(beta, green, source, number);
		break;
	default:
		lttngmap_tracepoint(beta, grey, source, number);
		break;
	}
}

static void emit_round(struct source *self, uint32_t id)
{
	for (unsigned int i = 0; i < CLASSES; i++) {
		uint64_t number = self->done[i];

		pthread_rwlock_rdlock(&counting);
		__atomic_store_n(&self->begun[i], number + 1, __ATOMIC_SEQ_CST);
		emit(i, id, number);
		__atomic_store_n(&self->done[i], number + 1, __ATOMIC_SEQ_CST);
		pthread_rwlock_unlock(&counting);
	}
}

static void *run(void *unused)
{
	uint32_t id = __atomic_fetch_add(&counts->next, 1, __ATOMIC_RELAXED);
	unsigned int seed = id;
	struct timespec next;
	struct source *self;

	if (id >= SOURCES_MAX)
		abort();
	self = &counts->sources[id];
	snprintf(self->name, sizeof(self->name), "source-%u", id);
	prctl(PR_SET_NAME, self->name);
	self->tid = (uint32_t)syscall(SYS_gettid);
	self->thread = (uint64_t)pthread_self();
	__atomic_store_n(&self->pid, (uint32_t)syscall(SYS_getpid), __ATOMIC_RELEASE);
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (;;) {
		/* Mostly one. */
		int burst = 1 + rand_r(&seed) % (rand_r(&seed) % 8 ? 1 : BURST_MAX);

		for (int i = 0; i < burst; i++)
			emit_round(self, id);
		next.tv_nsec += burst * round_ns;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	return unused;
}

static void open_counts(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *map = MAP_FAILED;

	if (fd >= 0)
		map = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	close(fd);
	counts = map;
}

/* Once more where the daemon was too busy. */
static void be_traced(char **argv)
{
	const char *tries = getenv("CHURN_TRIES");
	char next[16];

	if (lttngmap_tracepoint_enabled(churn, ready))
		return;
	snprintf(next, sizeof(next), "%d", tries ? atoi(tries) + 1 : 1);
	if (atoi(next) > TRIES_MAX)
		exit(3);
	setenv("CHURN_TRIES", next, 1);
	execv("/proc/self/exe", argv);
	exit(4);
}

static void start_child(void)
{
	pid_t parent = getpid();

	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent)
		run(NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	struct pollfd end = { .fd = STDIN_FILENO, .events = POLLIN };
	pthread_t thread;
	int children;

	if (argc != 5) {
		fprintf(stderr, "usage: churn COUNTS THREADS ROUNDS CHILDREN\n");
		return 2;
	}
	be_traced(argv);
	open_counts(argv[1]);
	round_ns = 1000000000 / atoi(argv[3]);
	children = atoi(argv[4]);
	for (int i = atoi(argv[2]); i > 0; i--)
		pthread_create(&thread, NULL, run, NULL);
	while (poll(&end, 1, 1000) == 0) {
		if (children-- > 0)
			start_child();
	}
	pthread_rwlock_wrlock(&counting);
	/* Children die with us, or with the thread that forked them: this one. */
	return 0;
}
