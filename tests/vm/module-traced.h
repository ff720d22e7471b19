/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * module-traced.h - a traced process whose rings lttngmap.ko has, for the tests of it. Included by
 * one file a program, as tap.h is.
 */
#ifndef MODULE_TRACED_H
#define MODULE_TRACED_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "liblttngmap/base/descriptors.h"
#include "sessiond/ring/module-abi.h"
#include "tests/utils/ring-check.h"
#include "tests/utils/tap.h"

#define DIRECTORY "/sys/kernel/debug/lttngmap"
#define WRITERS 4
#define PATIENCE_MS 60000

static int device;

/* ---- a traced process ------------------------------------------------------------------- */

/* What it shares with the test. */
struct shared {
	uint64_t emitted[WRITERS];
	uint32_t go;
};

struct traced {
	struct bench_set bench;
	struct shared *shared;
	uint64_t events; /* of each writer */
	int doorbell;
	pid_t pid;
	uint64_t id;
	char path[256];
};

struct writer {
	struct traced *traced;
	uint32_t number;
};

__attribute__((unused)) static void *write_events(void *data)
{
	const struct writer *writer = data;
	struct traced *traced = writer->traced;

	for (uint64_t i = 0; i < traced->events; i++) {
		ring_check_emit(&traced->bench, writer->number, i, i * 7 % RING_CHECK_WORDS_MAX);
		__atomic_store_n(&traced->shared->emitted[writer->number], i + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

__attribute__((unused)) static void run_process(struct traced *traced)
{
	struct exchange_fds fds = { .count = 0 };
	struct writer writers[WRITERS];
	pthread_t threads[WRITERS];

	fds.fd[PROTOCOL_APP_FD_DOORBELL] = traced->doorbell;
	descriptors_keep(traced->bench.local, traced->bench.local->socket, &fds);
	while (!__atomic_load_n(&traced->shared->go, __ATOMIC_ACQUIRE))
		usleep(1000);
	for (uint32_t i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){ traced, i };
		pthread_create(&threads[i], NULL, write_events, &writers[i]);
	}
	for (uint32_t i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

__attribute__((unused)) static struct lttngmap_set_info info_of(const struct traced *traced)
{
	const struct ring_set_config *config = &traced->bench.config;

	return (struct lttngmap_set_info){
		.memory = traced->bench.data_fd,
		.doorbell = traced->doorbell,
		.process = (uint32_t)traced->pid,
		.pid = (uint32_t)traced->pid,
		.cpu_rings = config->cpu_rings,
		.flags = traced->bench.local->use_rseq ? LTTNGMAP_SET_BY_RSEQ : 0,
		.mode = config->mode,
		.clock = config->clock,
		.subbuf_shift = config->subbuf_shift,
		.subbufs_shift = config->subbufs_shift,
		.control_at = traced->bench.data_size,
		.begin = config->begin,
		.session = "first",
		.channel = "channel0",
		.procname = "bench",
	};
}

/* A process that waits for `go`, with a ring set. */
__attribute__((unused)) static void traced_begin(struct traced *traced, enum lttngmap_mode mode,
						 uint64_t events)
{
	const struct bench_set_config config = {
		.mode = mode,
		.clock = LTTNGMAP_CLOCK_MONOTONIC,
		.subbuf_shift = 14,
		.subbufs_shift = 3,
		.use_rseq = true,
	};
	struct lttngmap_set_info info;

	*traced = (struct traced){ .events = events };
	traced->shared =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	traced->doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	bench_set_create(&traced->bench, &config);
	traced->pid = fork();
	if (traced->pid == 0)
		run_process(traced);
	info = info_of(traced);
	is(ioctl(device, LTTNGMAP_SET_MAKE, &info), 0, "a ring set is made");
	traced->id = info.id;
	snprintf(traced->path, sizeof(traced->path), DIRECTORY "/first/channel0/bench-%d-%llu",
		 (int)traced->pid, (unsigned long long)info.id);
}

__attribute__((unused)) static void traced_go(struct traced *traced)
{
	__atomic_store_n(&traced->shared->go, 1, __ATOMIC_RELEASE);
}

__attribute__((unused)) static void traced_wait(struct traced *traced)
{
	waitpid(traced->pid, NULL, 0);
	traced->pid = 0;
}

__attribute__((unused)) static void traced_end(struct traced *traced)
{
	if (traced->pid) {
		kill(traced->pid, SIGKILL);
		traced_wait(traced);
	}
	is(ioctl(device, LTTNGMAP_SET_REMOVE, &traced->id), 0, "the ring set is removed");
	ok(access(traced->path, F_OK) != 0, "and its file");
	bench_set_destroy(&traced->bench);
	close(traced->doorbell);
	munmap(traced->shared, 4096);
}

__attribute__((unused)) static bool becomes(const char *path)
{
	for (int tries = 0; tries < PATIENCE_MS / 10; tries++) {
		if (access(path, F_OK) == 0)
			return true;
		usleep(10000);
	}
	return false;
}

__attribute__((unused)) static bool is_ready(int fd, int timeout_ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	return poll(&wait, 1, timeout_ms) == 1 && wait.revents & (POLLIN | POLLHUP);
}

__attribute__((unused)) static struct lttngmap_set_counts counts_of(const struct traced *traced)
{
	struct lttngmap_set_counts counts = { .id = traced->id };

	if (ioctl(device, LTTNGMAP_SET_COUNT, &counts) < 0)
		diag("no counts: %s", strerror(errno));
	return counts;
}

__attribute__((unused)) static uint64_t emitted_by(const struct traced *traced)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < WRITERS; i++)
		sum += __atomic_load_n(&traced->shared->emitted[i], __ATOMIC_ACQUIRE);
	return sum;
}

struct module_case {
	const char *name;
	void (*run)(void);
};

/* Those cases that are named, or all. The exit status. */
static int run_cases(const struct module_case *cases, int argc, char **argv)
{
	device = open(LTTNGMAP_MODULE_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0)
		bail_out("%s: %s", LTTNGMAP_MODULE_DEVICE, strerror(errno));
	for (; cases->name; cases++) {
		bool wanted = argc < 2;

		for (int i = 1; i < argc; i++)
			wanted = wanted || strcmp(argv[i], cases->name) == 0;
		if (wanted)
			cases->run();
	}
	return done_testing();
}

#endif /* MODULE_TRACED_H */
