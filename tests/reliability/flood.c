/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * One user connects ten thousand times a second, registers, hangs up, talks
 * nonsense: another user's programs register as if it were not there. Takes
 * root, for only root can be two users.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lttngmap/abi.h>

#include "common/base/socket.h"
#include "tests/utils/siege.h"
#include "tests/utils/tap.h"

#define FLOODER 64123
#define HONEST 65534
#define RATE 10000
#define FLOODERS 2
#define SECONDS 4u
#define P99_US 50000
/*
 * Where the machine is at something else, what a registration takes without a
 * flood, before and after it, says how much that is.
 */
#define DISTURBED_TIMES 10
#define TRIES 3
#define SAMPLES_MAX 200000
#define SAMPLE_PAUSE_US 4000

static struct sessiond sessiond;

/* Shared with the children. */
struct shared {
	unsigned long connects;
	unsigned long full; /* the backlog was, for a while */
	unsigned long refused;
	size_t samples;
	int64_t sample[SAMPLES_MAX];
	int end;
};
static struct shared *shared;

static struct protocol_app_register right(void)
{
	return (struct protocol_app_register){
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_REGISTER,
			    .size = sizeof(struct protocol_app_register) },
		.abi_major = LTTNGMAP_ABI_MAJOR,
		.word_size = sizeof(long),
	};
}

static void become(uid_t uid)
{
	if (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0)
		_exit(1);
}

/* One connection of the flood. Some are kept open for a while. */
static void connect_once(const char *path, unsigned long n)
{
	static int kept[64];
	struct protocol_app_register message = right();
	int fd;

	if (socket_connect(path, SOCK_SEQPACKET | SOCK_NONBLOCK, &fd) != 0) {
		__atomic_add_fetch(&shared->full, 1, __ATOMIC_RELAXED);
		return;
	}
	__atomic_add_fetch(&shared->connects, 1, __ATOMIC_RELAXED);
	if (n % 4 == 1)
		send(fd, "nonsense", 8, MSG_NOSIGNAL | MSG_DONTWAIT);
	else if (n % 4 != 2)
		send(fd, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
	if (kept[n % 64] > 0)
		close(kept[n % 64]);
	kept[n % 64] = fd;
}

/* At its rate, whatever the daemon does. */
static void flood(const char *path)
{
	int64_t begin = siege_now_us();

	become(FLOODER);
	for (unsigned long n = 0; !__atomic_load_n(&shared->end, __ATOMIC_RELAXED); n++) {
		int64_t due = begin + (int64_t)n * 1000000 * FLOODERS / RATE;

		if (siege_now_us() < due)
			usleep(500);
		connect_once(path, n);
	}
	_exit(0);
}

static void register_often(void)
{
	become(HONEST);
	while (!__atomic_load_n(&shared->end, __ATOMIC_RELAXED) && shared->samples < SAMPLES_MAX) {
		int64_t took = siege_register(&sessiond);

		if (took < 0)
			shared->refused++;
		else
			shared->sample[shared->samples++] = took;
		usleep(SAMPLE_PAUSE_US);
	}
	_exit(0);
}

/* Runs children for so long; how many connects a second were tried. */
static unsigned long run_round(unsigned int seconds, bool flooded)
{
	char path[128];
	pid_t children[FLOODERS + 1];
	int64_t begin, took;

	memset(shared, 0, offsetof(struct shared, sample));
	shared->end = 0;
	snprintf(path, sizeof(path), "%s/%s", sessiond.dir, PROTOCOL_APP_SOCKET);
	fflush(stdout);
	begin = siege_now_us();
	for (int i = 0; i <= FLOODERS; i++) {
		children[i] = i == FLOODERS || flooded ? fork() : -1;
		if (children[i] == 0 && i == FLOODERS)
			register_often();
		else if (children[i] == 0)
			flood(path);
	}
	sleep(seconds); /* It is flooded for so long. */
	__atomic_store_n(&shared->end, 1, __ATOMIC_RELAXED);
	took = siege_now_us() - begin;
	for (int i = 0; i <= FLOODERS; i++)
		if (children[i] > 0)
			waitpid(children[i], NULL, 0);
	return (unsigned long)((int64_t)(shared->connects + shared->full) * 1000000 / took);
}

/* What a registration may take, by what it takes without a flood. */
static int64_t find_bound(int64_t *quiet)
{
	int64_t p99;

	run_round(2, false);
	p99 = shared->samples ? siege_percentile(shared->sample, shared->samples, 99) : -1;
	diag("undisturbed, p99 %lld us of %zu", (long long)p99, shared->samples);
	*quiet = p99 > *quiet ? p99 : *quiet;
	return *quiet * DISTURBED_TIMES > P99_US ? *quiet * DISTURBED_TIMES : P99_US;
}

int main(void)
{
	unsigned int seconds = siege_is_long() ? siege_seconds(SECONDS) / 2 + 1 : SECONDS;
	int64_t quiet = -1, bound, p99 = 0, cpu;
	unsigned long rate = 0, refused = 0;

	if (geteuid() != 0)
		skip_all("only root can be two users");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		bail_out("memory");
	sessiond_start(&sessiond, 0, "--no-supervise", NULL);
	if (chmod(sessiond.dir, 0711) != 0)
		bail_out("%s", sessiond.dir);

	bound = find_bound(&quiet);
	ok(shared->samples > 0 && shared->refused == 0, "another user registers");
	for (int i = 0; i < TRIES; i++) {
		cpu = siege_cpu_us(sessiond.pid);
		rate = run_round(seconds, true);
		p99 = shared->samples ? siege_percentile(shared->sample, shared->samples, 99)
				      : INT64_MAX;
		diag("%lu connects a second, %lu found no room in the backlog; p99 %lld us of %zu, "
		     "longest %lld us; the daemon took %lld %% of a CPU",
		     rate, shared->full, (long long)p99, shared->samples,
		     shared->samples ? (long long)shared->sample[shared->samples - 1] : -1,
		     (long long)(siege_cpu_us(sessiond.pid) - cpu) / (10000 * seconds));
		refused = shared->refused;
		if (p99 <= bound && rate >= RATE / 4)
			break;
		bound = find_bound(&quiet);
		refused += shared->refused;
		if (p99 <= bound && rate >= RATE / 4)
			break;
	}
	ok(rate >= RATE / 4, "one user connects %lu times a second", rate);
	is(refused, 0, "no program of another user's is refused");
	ok(siege_is_sanitized() || p99 <= bound, "its programs register within %lld us (p99)",
	   (long long)p99);
	ok(kill(sessiond.pid, 0) == 0, "the daemon lives on");
	is(sessiond_stop(&sessiond, SIGTERM), 0, "and ends well");
	tap_figure(8,
		   "%lu connects a second of one user: another's registration p99 %lld us of %zu "
		   "(%lld us undisturbed)",
		   rate, (long long)p99, shared->samples, (long long)quiet);
	return done_testing();
}
