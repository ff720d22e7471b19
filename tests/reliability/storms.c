/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Row 26: thousands of processes register, hang up and die at once. Each costs the daemon
 * the same CPU time however many there are, and `status` and the registrations of others
 * are answered meanwhile.
 *
 *   LTTNGMAP_SOAK_SECONDS   3000 processes instead of 1250, and shared rings too
 */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/json-message.h"
#include "tests/utils/siege.h"
#include "tests/utils/tap.h"

#define FEW 250
#define MANY_SHORT 1250
#define MANY_LONG 3000
#define HANG_UPS_SHORT 750
/* A process of MANY may cost so many percent of what one of FEW does. */
#define GROWTH_PERCENT 130
/* The longest that `status` may take, and others' registration: programs wait 100 ms. */
#define STATUS_US 50000
#define STATUS_TIMES 5
#define REGISTER_US 100000
#define OTHERS 20
/* A machine may stand still for a while. Instrumented, a registration takes ten times as long. */
#define STORM_US (siege_is_sanitized() ? INT64_C(300000000) : INT64_C(60000000))
#define STATUS_BEFORE 20
/* A daemon that nobody asks takes less than that in 20 ms. */
#define CALM_US 10000
#define ROUNDS 3
#define DESCRIPTORS_IDLE 500

static struct sessiond sessiond;
static char trace[64];
static int64_t written; /* events of the session */

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

struct crowd {
	pid_t pid; /* and process group */
	int said, tell;
};

struct storm {
	int64_t cpu_us;    /* of the daemon */
	int64_t status_us; /* the slowest */
	int64_t others_us; /* the slowest registration */
	int others;        /* registrations */
	int late;          /* and those that nobody would have waited for */
};

static int64_t status_time(void)
{
	int64_t begin = siege_now_us();

	if (sessiond_status(&sessiond, "s", "processes") < 0)
		bail_out("there is no status");
	return siege_now_us() - begin;
}

static int64_t registered(void)
{
	struct json_object *answer = sessiond_ask(&sessiond, "{\"verb\": \"usage\"}");
	uint64_t count = 0;

	if (json_message_get_uint64(answer, "processes", 0, INT64_MAX, &count) != 0)
		bail_out("the daemon does not count processes");
	json_object_put(answer);
	return (int64_t)count;
}

static void expect(const struct crowd *crowd, const char *line)
{
	char text[16];
	size_t size = 0;

	while (size < sizeof(text) - 1 && read(crowd->said, text + size, 1) == 1)
		if (text[size++] == '\n')
			break;
	text[size] = '\0';
	if (strcmp(text, line) != 0)
		bail_out("sleepers said '%s'", text);
}

static struct crowd crowd_start(int processes)
{
	/* The daemon is what is tried: a thousand sanitizers beside it take minutes to start. */
	const char *plain = getenv(siege_is_sanitized() ? "LTTNGMAP_PLAIN" : "LTTNGMAP_BUILD");
	int said[2], tell[2];
	char program[PATH_MAX], number[16];
	struct crowd crowd;

	if (pipe(said) != 0 || pipe(tell) != 0)
		bail_out("pipe");
	snprintf(program, sizeof(program), "%s/tests/utils/sleepers", plain);
	snprintf(number, sizeof(number), "%d", processes);
	fflush(stdout);
	crowd.pid = fork();
	if (crowd.pid == 0) {
		setpgid(0, 0);
		dup2(tell[0], STDIN_FILENO);
		dup2(said[1], STDOUT_FILENO);
		close_range(STDERR_FILENO + 1, ~0u, 0);
		setenv("LTTNGMAP_RUNTIME_DIR", sessiond.dir, 1);
		setenv("LTTNGMAP_ALLOW_BLOCKING", "1", 1);
		execl(program, program, number, NULL);
		_exit(127);
	}
	setpgid(crowd.pid, crowd.pid);
	close(said[1]);
	close(tell[0]);
	crowd.said = said[0];
	crowd.tell = tell[1];
	expect(&crowd, "started\n");
	return crowd;
}

static void watch(struct storm *storm)
{
	int64_t status = status_time(), others;

	if (status > storm->status_us)
		storm->status_us = status;
	if (storm->others >= OTHERS)
		return;
	others = siege_register(&sessiond);
	if (others < 0)
		bail_out("a registration is refused");
	storm->others++;
	if (others > storm->others_us)
		storm->others_us = others;
	storm->late += others > REGISTER_US;
}

/* Look on until so many processes are registered and the daemon has calmed down. */
static struct storm watch_until(int64_t count, int64_t cpu_before)
{
	int64_t begin = siege_now_us(), cpu, left, idle_us;
	struct storm storm = { .cpu_us = 0 };

	for (;;) {
		watch(&storm);
		left = registered();
		/* The looks themselves take as long as they like: their time is not in this. */
		cpu = siege_cpu_us(sessiond.pid);
		usleep(20000); /* in which nobody asks */
		idle_us = siege_cpu_us(sessiond.pid) - cpu;
		/* Those of watch() end as they like. */
		if (left - count < OTHERS && storm.others >= OTHERS && idle_us < CALM_US)
			break;
		if (siege_now_us() - begin > STORM_US)
			bail_out(
				"it does not calm down: there are %lld processes, %lld us in 20 ms",
				(long long)left, (long long)idle_us);
	}
	storm.cpu_us = cpu - cpu_before;
	return storm;
}

static void reap(const struct crowd *crowd, int processes)
{
	close(crowd->said);
	close(crowd->tell);
	for (int i = 0; i < processes + 1; i++)
		if (waitpid(-crowd->pid, NULL, 0) < 0)
			bail_out("a process is lost: %s", strerror(errno));
}

static unsigned int descriptors(void)
{
	unsigned int count = 0;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)sessiond.pid);
	dir = opendir(path);
	if (!dir)
		bail_out("%s: %s", path, strerror(errno));
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* What ended has descriptors until the consumer has read it. */
static void wait_read(void)
{
	int64_t begin = siege_now_us();

	while (descriptors() > DESCRIPTORS_IDLE) {
		if (siege_now_us() - begin > STORM_US)
			bail_out("%u descriptors are left", descriptors());
		usleep(20000);
	}
}

struct round {
	struct storm birth, hang_up, death;
};

static struct round run_round(int processes, bool hangs_up)
{
	struct crowd crowd = crowd_start(processes);
	struct round round = { .birth = { .cpu_us = 0 } };
	int64_t cpu = siege_cpu_us(sessiond.pid);

	if (write(crowd.tell, "g", 1) != 1)
		bail_out("write");
	while (registered() < processes / 2)
		watch(&round.birth);
	expect(&crowd, "ready\n");
	round.birth.cpu_us = siege_cpu_us(sessiond.pid) - cpu;
	if (hangs_up) {
		cpu = siege_cpu_us(sessiond.pid);
		kill(-crowd.pid, SIGUSR1);
		round.hang_up = watch_until(processes, cpu);
	}
	cpu = siege_cpu_us(sessiond.pid);
	kill(-crowd.pid, SIGKILL);
	round.death = watch_until(0, cpu);
	reap(&crowd, processes);
	wait_read();
	return round;
}

static int64_t status_most(int64_t status_us)
{
	return status_us * STATUS_TIMES > STATUS_US ? status_us * STATUS_TIMES : STATUS_US;
}

/*
 * As the time before, for those who register: 1 s. They are of the user who asks for the status,
 * and share its turns; no other user waits for them.
 */
#define BIRTH_US (INT64_C(1000000) / STATUS_TIMES)

/* A machine that stands still for a moment says nothing about the daemon: once more, then. */
static struct round run_rounds(int processes, bool hangs_up, int64_t status_us)
{
	int64_t most = status_most(status_us);
	struct round round;

	for (int i = 0; i < ROUNDS; i++) {
		round = run_round(processes, hangs_up);
		written += processes;
		if (round.birth.status_us <= status_most(BIRTH_US) &&
		    round.hang_up.status_us <= most && round.death.status_us <= most &&
		    !round.hang_up.late && !round.death.late)
			break;
	}
	return round;
}

static void check_storm(const struct storm *storm, int processes, const char *what,
			int64_t status_us)
{
	ok(siege_is_sanitized() || storm->status_us <= status_most(status_us),
	   "%d processes %s: status takes %lld us at most", processes, what,
	   (long long)storm->status_us);
	diag("%d %s: daemon %lld ms, %lld us each; slowest of %d registrations %lld us", processes,
	     what, (long long)storm->cpu_us / 1000, (long long)(storm->cpu_us / processes),
	     storm->others, (long long)storm->others_us);
}

/* Those who register with thousands of their own user's wait for these. */
static void check_others(const struct storm *storm)
{
	ok(siege_is_sanitized() || storm->late == 0,
	   "%d of %d programs that start meanwhile are untraced", storm->late, storm->others);
}

static void check_growth(int64_t few_us, int64_t many_us, int many, const char *what)
{
	int64_t percent = many_us * FEW * 100 / (many * (few_us > 0 ? few_us : 1));

	ok(siege_is_sanitized() || percent <= GROWTH_PERCENT,
	   "%s: of %d, each costs the daemon %lld %% of what each of %d does", what, many,
	   (long long)percent, FEW);
}

static void start(const char *buffers)
{
	char consumer[PATH_MAX + 32];

	strcpy(trace, "/tmp/lttngmap-storms.XXXXXX");
	if (!mkdtemp(trace))
		bail_out("%s: %s", trace, strerror(errno));
	snprintf(consumer, sizeof(consumer), "--consumer=%s/lttngmap-consumerd",
		 getenv("LTTNGMAP_BUILD"));
	sessiond_start(&sessiond, 0, "--no-supervise", consumer, NULL);
	sessiond_do(&sessiond, "{\"verb\": \"create\", \"session\": \"s\", \"output\": \"%s/t\"}",
		    trace);
	sessiond_do(&sessiond,
		    "{\"verb\": \"channel\", \"session\": \"s\", \"channel\": \"c\", "
		    "\"subbuf_size\": 4096, \"subbufs\": 4, \"mode\": \"discard\", "
		    "\"buffers\": \"%s\"}",
		    buffers);
	sessiond_do(&sessiond, "{\"verb\": \"enable\", \"session\": \"s\", \"channel\": \"c\", "
			       "\"rule\": \"*\"}");
	sessiond_do(&sessiond, "{\"verb\": \"start\", \"session\": \"s\"}");
}

static void check_storms(const char *buffers, int many)
{
	/* The most of the time is the sleepers' own. */
	int hang_ups = siege_is_long() ? many : HANG_UPS_SHORT;
	int64_t status_us = 0;
	struct round few, more;

	start(buffers);
	for (int i = 0; i < STATUS_BEFORE; i++)
		status_us += status_time() / STATUS_BEFORE;
	written = 0;
	few = run_rounds(FEW, true, INT64_MAX / STATUS_TIMES);
	more = run_rounds(hang_ups, true, status_us);
	check_storm(&more.birth, hang_ups, "register", BIRTH_US);
	check_storm(&more.hang_up, hang_ups, "hang up", status_us);
	check_others(&more.hang_up);
	check_storm(&more.death, hang_ups, "die that had hung up", status_us);
	check_others(&more.death);
	check_growth(few.hang_up.cpu_us, more.hang_up.cpu_us, hang_ups, "hanging up");
	few = run_rounds(FEW, false, INT64_MAX / STATUS_TIMES);
	more = run_rounds(many, false, status_us);
	check_storm(&more.death, many, "die", status_us);
	check_others(&more.death);
	check_growth(few.death.cpu_us, more.death.cpu_us, many, "dying");
	is(sessiond_status(&sessiond, "s", "written"), written, "each event was written");
	sessiond_do(&sessiond, "{\"verb\": \"stop\", \"session\": \"s\"}");
	is(sessiond_status(&sessiond, "s", "kept"), written, "and kept");
	sessiond_do(&sessiond, "{\"verb\": \"destroy\", \"session\": \"s\"}");
	is(sessiond_stop(&sessiond, SIGTERM), 0, "the daemon ends well");
	nftw(trace, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	tap_figure(26,
		   "%d processes killed at once, --buffers %s: %lld us of the daemon each, status "
		   "answered within %lld ms, registrations within %lld ms",
		   many, buffers, (long long)(more.death.cpu_us / many),
		   (long long)more.death.status_us / 1000, (long long)more.death.others_us / 1000);
}

/* Each process has six descriptors in the daemon; root may raise the limit. */
static bool have_room(int processes)
{
	rlim_t wanted = (rlim_t)processes * 6 + 1024;
	struct rlimit files, tasks;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || getrlimit(RLIMIT_NPROC, &tasks) != 0)
		return false;
	if (files.rlim_max < wanted)
		files.rlim_max = wanted;
	files.rlim_cur = files.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &files) == 0 && tasks.rlim_cur >= (rlim_t)processes * 2;
}

int main(void)
{
	int many = siege_is_long() ? MANY_LONG : MANY_SHORT;

	if (siege_is_sanitized() && !getenv("LTTNGMAP_PLAIN"))
		skip_all("a build with sanitizers has no sleepers: set LTTNGMAP_PLAIN to one "
			 "without");
	if (!have_room(many)) {
		skip(1, "the limits of descriptors or processes are too low here");
		return done_testing();
	}
	/* What sleepers leaves is ours to wait for. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	check_storms("process", many);
	if (siege_is_long())
		check_storms("user", many);
	return done_testing();
}
