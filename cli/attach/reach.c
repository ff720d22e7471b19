/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <config.h>

#include "cli/attach/reach.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/attach/target.h"
#include "cli/attach/tracee-safe.h"
#include "cli/attach/tracee.h"
#include "cli/base/locate.h"
#include "common/base/time.h"

/* Time for finding a thread at a safe point, and for each call. */
#define SAFE_TIMEOUT_MS 5000
#define LOOK_AGAIN_MS 500
/* Time for a process that has just started to load its C library. */
#define BEGIN_TIMEOUT_MS 2000
#define CALL_TIMEOUT_MS 10000
#define THREADS_MAX 64
/*
 * A thread is left alone after so many restarts of its system call, because each restart resets the
 * call's timeout.
 */
#define ANEW_MAX 3

_Static_assert(sizeof(struct inside_request) + PATH_MAX <= TRACEE_ROOM_SIZE, "room");

struct reach {
	struct target target;
	struct tracee tracee;
	char library[PATH_MAX];
	struct problem *problem;
	struct anew {
		pid_t thread;
		unsigned times;
	} anew[THREADS_MAX];
};

/* ---- a thread ------------------------------------------------------------------ */

static const char *unsafe(struct reach *reach)
{
	/*
	 * libdw knows no thread's registers until these functions are attached, once for a process.
	 */
	if (dwfl_pid(reach->target.dwfl) < 0 &&
	    dwfl_linux_proc_attach(reach->target.dwfl, reach->target.pid, true) != 0)
		return "its callers cannot be told";
	return tracee_unsafe(&reach->target, &reach->tracee);
}

static struct anew *find_anew(struct reach *reach, pid_t thread)
{
	unsigned i = 0;

	while (i < THREADS_MAX - 1 && reach->anew[i].thread && reach->anew[i].thread != thread)
		i++;
	return &reach->anew[i];
}

static bool had_enough(struct reach *reach, pid_t thread)
{
	return find_anew(reach, thread)->times >= ANEW_MAX;
}

/* The last entry counts for all threads without an entry. */
static void count_anew(struct reach *reach, pid_t thread)
{
	struct anew *anew = find_anew(reach, thread);

	anew->thread = thread;
	anew->times++;
}

/*
 * 0: stopped at a safe point; -EAGAIN: not safe, *why says why; -ESTALE: look at the process again.
 */
static int try_thread(struct reach *reach, pid_t thread, const char **why)
{
	int error = tracee_stop(&reach->tracee, reach->target.pid, thread, reach->problem);

	/* The thread may have ended since it was listed. */
	if (error == -ESRCH && thread != reach->target.pid)
		return -EAGAIN;
	if (error)
		return error;
	if (!target_is_same(&reach->target)) {
		tracee_release(&reach->tracee);
		return -ESTALE;
	}
	reach->tracee.memory = reach->target.memory;
	reach->tracee.places = reach->target.places;
	*why = unsafe(reach);
	if (!*why)
		return 0;
	if (tracee_begins_anew(&reach->tracee))
		count_anew(reach, thread);
	tracee_release(&reach->tracee);
	return -EAGAIN;
}

static int stop_somewhere(struct reach *reach, int64_t deadline)
{
	struct timespec pause = { .tv_nsec = 500000 };
	const char *why = "it cannot be interrupted";
	pid_t threads[THREADS_MAX];

	do {
		unsigned count = target_threads(&reach->target, threads, THREADS_MAX);

		for (unsigned i = 0; i < count; i++) {
			int error;

			if (had_enough(reach, threads[i])) {
				why = "it is in a system call that would be interrupted again and "
				      "again";
				continue;
			}
			error = try_thread(reach, threads[i], &why);
			if (error == -ESTALE)
				break;
			if (error != -EAGAIN)
				return error;
		}
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 50000000)
			pause.tv_nsec += pause.tv_nsec / 4;
	} while (time_now_ms() < deadline);
	return problem_set(reach->problem, -EAGAIN, "try again, or when it does something else",
			   "no thread of process %d came to a point where it can be made to "
			   "load a library: %s",
			   (int)reach->target.pid, why);
}

/*
 * Looks at the process again every now and then: it may load and unload libraries meanwhile, or may
 * only be starting.
 */
static int find_point(struct reach *reach)
{
	int64_t deadline = time_now_ms() + SAFE_TIMEOUT_MS,
		begun = time_now_ms() + BEGIN_TIMEOUT_MS;
	const struct timespec pause = { .tv_nsec = 20000000 };
	pid_t pid = reach->target.pid;
	int error;

	for (;;) {
		error = target_open(&reach->target, pid, reach->problem);
		if (error == -EAGAIN && time_now_ms() >= begun)
			return -ENOEXEC;
		if (error && error != -EAGAIN)
			return error;
		if (!error) {
			error = stop_somewhere(reach, time_now_ms() + LOOK_AGAIN_MS);
			if (error != -EAGAIN || time_now_ms() >= deadline)
				return error;
		}
		target_close(&reach->target);
		nanosleep(&pause, NULL);
	}
}

/* ---- calls ------------------------------------------------------------------------- */

static int call(struct reach *reach, uint64_t function, uint64_t first, uint64_t second,
		uint64_t third, uint64_t *result)
{
	int error = tracee_call(&reach->tracee, function, first, second, third, CALL_TIMEOUT_MS,
				result);

	if (error == -ETIMEDOUT)
		return problem_set(reach->problem, error, "give the same command again when it has",
				   "a thread of process %d has to wait for another one that loads "
				   "a library, and will finish this by itself",
				   (int)reach->target.pid);
	if (error == -ESRCH)
		return problem_set(reach->problem, error, "",
				   "process %d ended, or became another program, meanwhile",
				   (int)reach->target.pid);
	if (error)
		return problem_set(reach->problem, error,
				   "what it held is not given back: the process may wait for ever "
				   "when it loads a library next; please report this",
				   "process %d: loading broke in the middle, and was given up",
				   (int)reach->target.pid);
	return 0;
}

static uint64_t room(const struct reach *reach)
{
	return TRACEE_ROOM(&reach->tracee);
}

static uint64_t room_for_text(const struct reach *reach)
{
	return room(reach) + sizeof(struct inside_request);
}

/* Reads a text that the process may have made: limits its length, replaces unprintable letters. */
static void read_text(const struct reach *reach, uint64_t at, char *text, size_t size)
{
	size_t length = 0;

	while (length + 1 < size && tracee_read(&reach->tracee, at + length, text + length, 1) &&
	       text[length]) {
		if (!isprint((unsigned char)text[length]))
			text[length] = '?';
		length++;
	}
	text[length] = '\0';
}

static int explain_loader(struct reach *reach)
{
	char text[INSIDE_MESSAGE_SIZE] = "";
	uint64_t at = 0;
	int error = call(reach, reach->target.dlerror, 0, 0, 0, &at);

	if (error)
		return error;
	read_text(reach, at, text, sizeof(text));
	return problem_set(reach->problem, -ENOENT,
			   "is lttngmap installed where that process's user may read it?",
			   "process %d cannot load %s: %s", (int)reach->target.pid, reach->library,
			   text);
}

static int put_text(struct reach *reach, const char *text)
{
	if (tracee_write(&reach->tracee, room_for_text(reach), text, strlen(text) + 1))
		return 0;
	return problem_set(reach->problem, -EIO, "", "process %d cannot be written to",
			   (int)reach->target.pid);
}

/* Reads the answer that the process wrote; checks all counts and sizes in it. */
static bool read_answer(const struct reach *reach, struct inside_request *request)
{
	static struct inside_request answer;

	if (!tracee_read(&reach->tracee, room(reach), &answer, sizeof(answer)))
		return false;
	request->status = answer.status;
	memcpy(request->message, answer.message, sizeof(request->message));
	request->message[sizeof(request->message) - 1] = '\0';
	memcpy(request->refused, answer.refused, sizeof(request->refused));
	request->refused[sizeof(request->refused) - 1] = '\0';
	for (uint32_t i = 0; i < request->nr_libraries; i++) {
		struct inside_library *library = &request->libraries[i];

		library->was_loaded = answer.libraries[i].was_loaded != 0;
		library->changed = answer.libraries[i].changed;
		library->unchanged = answer.libraries[i].unchanged;
		library->foreign = answer.libraries[i].foreign;
		library->refused = answer.libraries[i].refused;
	}
	return true;
}

static int call_inside(struct reach *reach, uint64_t handle, struct inside_request *request)
{
	uint64_t function = 0, result = 0;
	int error = put_text(reach, INSIDE_FUNCTION);

	request->status = INSIDE_NOT_RUN;
	if (!error && !tracee_write(&reach->tracee, room(reach), request, sizeof(*request)))
		error = problem_set(reach->problem, -EIO, "", "process %d cannot be written to",
				    (int)reach->target.pid);
	if (!error)
		error = call(reach, reach->target.dlsym, handle, room_for_text(reach), 0,
			     &function);
	if (!error && !function)
		return explain_loader(reach);
	if (!error)
		error = call(reach, function, room(reach), 0, 0, &result);
	if (!error && !read_answer(reach, request))
		error = problem_set(reach->problem, -EIO, "", "process %d cannot be read from",
				    (int)reach->target.pid);
	return error;
}

static int work(struct reach *reach, struct inside_request *request)
{
	uint64_t handle = 0, ignored;
	int error = tracee_prepare(&reach->tracee, reach->problem);

	if (!error)
		error = put_text(reach, reach->library);
	if (!error)
		error = call(reach, reach->target.dlopen, room_for_text(reach), RTLD_NOW, 0,
			     &handle);
	if (error)
		return error;
	if (!handle)
		return explain_loader(reach);
	error = call_inside(reach, handle, request);
	if (reach->tracee.is_stopped && error != -EFAULT &&
	    tracee_call(&reach->tracee, reach->target.dlclose, handle, 0, 0, CALL_TIMEOUT_MS,
			&ignored) == -ETIMEDOUT &&
	    !error)
		error = problem_set(reach->problem, -ETIMEDOUT, "",
				    "process %d is still at it, and goes on by itself",
				    (int)reach->target.pid);
	return error;
}

static int explain_answer(const struct reach *reach, struct inside_request *request)
{
	for (char *at = request->message; *at; at++)
		*at = isprint((unsigned char)*at) ? *at : '?';
	switch (request->status) {
	case INSIDE_DONE:
		return 0;
	case INSIDE_NOT_FOUND:
		return problem_set(reach->problem, -ENOENT,
				   "is lttngmap installed where that process's user may read it?",
				   "process %d: %s", (int)reach->target.pid, request->message);
	case INSIDE_ELSEWHERE:
		return problem_set(reach->problem, -EBUSY,
				   "a process keeps to the place where it found its first "
				   "daemon: use that one, or start the process anew",
				   "process %d is traced by the daemon of %s already",
				   (int)reach->target.pid, request->message);
	case INSIDE_NO_PROBES:
		return problem_set(reach->problem, -EACCES,
				   "a process that may not write to its own /proc/self/mem cannot "
				   "be served: as root, the kernel's --uprobe can",
				   "process %d: SDT probes cannot be changed: %s",
				   (int)reach->target.pid, request->message);
	default:
		return problem_set(reach->problem, -EPROTO, "is lttngmap installed as a whole?",
				   "process %d: %s is of another version", (int)reach->target.pid,
				   reach->library);
	}
}

static int run(struct reach *reach, struct inside_request *request)
{
	int error = find_point(reach);

	if (error)
		return error;
	error = work(reach, request);
	tracee_release(&reach->tracee);
	return error ? error : explain_answer(reach, request);
}

int reach_run(pid_t pid, struct inside_request *request, struct problem *problem)
{
	static struct reach reach; /* large */
	sigset_t all, before;
	int error;

	reach = (struct reach){ .target = { .pid = pid, .memory = -1, .lock = -1 },
				.problem = problem };
	if (locate_library(INSIDE_LIBRARY, reach.library, sizeof(reach.library)) != 0)
		return problem_set(problem, -ENOENT,
				   "is lttngmap installed as a whole? LTTNGMAP_LIBDIR says where "
				   "its libraries are",
				   "cannot find " INSIDE_LIBRARY);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	error = run(&reach, request);
	target_close(&reach.target);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}
