/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/kernel/kernel-probe-child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "/proc/self/exe"
#define ACCURACY_USEC 1000

/* ---- the child ------------------------------------------------------------------------ */

/* Its arguments; an empty one stands for NULL. */
enum {
	PROGRAM_NAME,
	MAKE_PROBE,
	GROUP,
	KIND, /* "u" or "k", and "r" where the function returns */
	NAME,
	PLACE, /* path or symbol */
	WHICH_FILE,
	OFFSET,
	FIELDS,
	NR_ARGUMENTS,
};

static const char *text_or_null(const char *text)
{
	return text[0] ? text : NULL;
}

static int make(const char *group, struct kernel_probe *probe, struct kernel_probe_result *result)
{
	struct kernel_probe_file file = { .fd = -1 };
	int error = kernel_probe_open(probe, &file, &result->problem);

	if (error == 0 && group)
		error = kernel_probe_create(group, probe, &file, &result->problem);
	if (error == 0 && probe->file)
		snprintf(result->file, sizeof(result->file), "%s", probe->file);
	return error;
}

int kernel_probe_child_run(int argc, const char **argv)
{
	struct kernel_probe_result result = { .error = -EINVAL };
	struct kernel_probe probe = { .is_kernel = false };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, argv[0]);
	if (argc != NR_ARGUMENTS)
		return EXIT_FAILURE;
	probe.is_kernel = argv[KIND][0] == 'k';
	probe.is_return = argv[KIND][1] == 'r';
	probe.name = argv[NAME];
	probe.path = probe.is_kernel ? NULL : argv[PLACE];
	probe.symbol = probe.is_kernel ? argv[PLACE] : NULL;
	probe.file = text_or_null(argv[WHICH_FILE]);
	probe.offset = strtoull(argv[OFFSET], NULL, 16);
	probe.args = text_or_null(argv[FIELDS]);
	result.error = make(text_or_null(argv[GROUP]), &probe, &result);
	return write(STDOUT_FILENO, &result, sizeof(result)) == sizeof(result) ? EXIT_SUCCESS
									       : EXIT_FAILURE;
}

/* ---- the daemon ------------------------------------------------------------------------- */

struct kernel_probe_child {
	pid_t pid;
	int answer; /* a pipe's end, from which it is read that its other end is closed */
	sd_event_source *source;
	sd_event_source *timer;
	kernel_probe_done done; /* NULL: it was left behind */
	void *data;
	char path[PATH_MAX / 2]; /* of the file; "": none */
};

static unsigned int hanging;

static void child_free(struct kernel_probe_child *child)
{
	sd_event_source_disable_unref(child->source);
	sd_event_source_disable_unref(child->timer);
	if (child->answer >= 0)
		close(child->answer);
	free(child);
}

/* It has ended. One that could not say why has been killed. */
static void read_answer(const struct kernel_probe_child *child, struct kernel_probe_result *result)
{
	if (read(child->answer, result, sizeof(*result)) == sizeof(*result))
		return;
	*result = (struct kernel_probe_result){ .error = -EIO };
	kernel_problem_tell(&result->problem, -EIO, "try again",
			    "the process that was to make the probe died");
}

static int on_end(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct kernel_probe_child *child = data;
	struct kernel_probe_result result;

	(void)source;
	(void)fd;
	(void)revents;
	waitpid(child->pid, NULL, 0);
	if (child->done) {
		read_answer(child, &result);
		child->done(&result, child->data);
	} else {
		hanging--;
	}
	child_free(child);
	return 0;
}

/* It is read no more, and reaped when it ends. */
static void leave_behind(struct kernel_probe_child *child)
{
	child->done = NULL;
	child->timer = sd_event_source_disable_unref(child->timer);
	hanging++;
	kill(child->pid, SIGKILL);
}

static int on_timeout(sd_event_source *source, uint64_t usec, void *data)
{
	struct kernel_probe_child *child = data;
	struct kernel_probe_result result = { .error = -ETIMEDOUT };
	kernel_probe_done done = child->done;

	(void)source;
	(void)usec;
	kernel_problem_tell(&result.problem, -ETIMEDOUT,
			    child->path[0] ? "see which file systems are on its way, and whether "
					     "their servers answer"
					   : "see whether the kernel has another probe made, in a "
					     "file that does not answer",
			    "no probe in %.200s: in %u s the kernel did not %s",
			    child->path[0] ? child->path : "the kernel", KERNEL_PROBE_MS / 1000,
			    child->path[0] ? "find the file" : "make it");
	leave_behind(child);
	done(&result, child->data);
	return 0;
}

static int watch(sd_event *event, struct kernel_probe_child *child)
{
	int fd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	int error = fd < 0 ? -errno
			   : sd_event_add_io(event, &child->source, fd, EPOLLIN, on_end, child);

	if (error >= 0)
		sd_event_source_set_io_fd_own(child->source, 1);
	else if (fd >= 0)
		close(fd);
	if (error >= 0)
		error = sd_event_add_time_relative(event, &child->timer, CLOCK_MONOTONIC,
						   KERNEL_PROBE_MS * UINT64_C(1000), ACCURACY_USEC,
						   on_timeout, child);
	return error;
}

/* Its standard output is the pipe, and it has nothing else of ours. */
static int spawn(pid_t *pid, int output, char *const *arguments)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return -error;
	error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
							 O_RDWR, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
	if (!error)
		error = posix_spawn(pid, PROGRAM, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

static int start(sd_event *event, struct kernel_probe_child *child, const char *group,
		 const struct kernel_probe *probe)
{
	char kind[] = { probe->is_kernel ? 'k' : 'u', probe->is_return ? 'r' : '\0', '\0' };
	char offset[24];
	const char *const arguments[] = {
		[PROGRAM_NAME] = "lttngmap-probe",
		[MAKE_PROBE] = KERNEL_PROBE_ARGUMENT,
		[GROUP] = group ? group : "",
		[KIND] = kind,
		[NAME] = probe->name,
		[PLACE] = probe->is_kernel ? probe->symbol : probe->path,
		[WHICH_FILE] = probe->file ? probe->file : "",
		[OFFSET] = offset,
		[FIELDS] = probe->args ? probe->args : "",
		[NR_ARGUMENTS] = NULL,
	};
	int ends[2], error;

	snprintf(offset, sizeof(offset), "%" PRIx64, probe->offset);
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return -errno;
	child->answer = ends[0];
	error = spawn(&child->pid, ends[1], (char *const *)arguments);
	close(ends[1]);
	return error ? error : watch(event, child);
}

int kernel_probe_child_start(sd_event *event, const char *group, const struct kernel_probe *probe,
			     kernel_probe_done done, void *data, struct kernel_probe_child **result,
			     struct kernel_problem *problem)
{
	struct kernel_probe_child *child;
	int error = -ENOMEM;

	if (hanging == KERNEL_PROBE_HANGING_MAX)
		return kernel_problem_tell(problem, -EBUSY, "end the servers of these file systems",
					   "%u files of probes before do not answer yet", hanging);
	child = calloc(1, sizeof(*child));
	if (child) {
		child->answer = -1;
		child->done = done;
		child->data = data;
		snprintf(child->path, sizeof(child->path), "%s", probe->path ? probe->path : "");
		error = start(event, child, group, probe);
	}
	if (error >= 0) {
		*result = child;
		return 0;
	}
	if (child && child->pid > 0)
		kill(child->pid, SIGKILL);
	if (child)
		child_free(child);
	return kernel_problem_tell(problem, error, "try again",
				   "no process can be made that makes the probe: %s",
				   strerror(-error));
}

void kernel_probe_child_cancel(struct kernel_probe_child *child)
{
	if (child)
		leave_behind(child);
}
