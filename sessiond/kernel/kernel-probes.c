/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/kernel/kernel-probes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include <tracefs.h>

#define LIST "dynamic_events"
/* Before the text of what was refused, and before the caret below it, in error_log. */
#define COMMAND "  Command: "

/* ---- what a definition may have ------------------------------------------------------ */

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define DIGITS "0123456789"

static bool is_name(const char *text)
{
	return text[0] && !strchr(DIGITS, text[0]) && strspn(text, LETTERS DIGITS) == strlen(text);
}

/* One word of one line to the kernel, which takes '#' for a comment and 0xa0 for a space. */
static bool is_word(const char *text)
{
	for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++)
		if (*byte <= ' ' || *byte == '#' || *byte == 0xa0)
			return false;
	return text[0] != '\0';
}

static bool is_line(const char *text)
{
	for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++)
		if (*byte < ' ' || *byte == '#')
			return false;
	return true;
}

int kernel_probe_check(const struct kernel_probe *probe, struct kernel_problem *problem)
{
	if (!is_name(probe->name) || strlen(probe->name) >= KERNEL_PROBE_NAME_SIZE)
		return kernel_problem_tell(
			problem, -EINVAL,
			"use at most 63 letters, digits and '_', and no digit first",
			"'%.100s' is no name for a probe", probe->name);
	if (!probe->is_kernel &&
	    (probe->path[0] != '/' || !is_word(probe->path) || strlen(probe->path) >= PATH_MAX / 2))
		return kernel_problem_tell(
			problem, -EINVAL,
			"give a path from '/' on, without white space and '#', which the "
			"kernel does not take; a link to the file may have such a one",
			"there can be no probe in '%.100s'", probe->path);
	if (probe->is_kernel &&
	    strspn(probe->symbol, LETTERS DIGITS ".:$") != strlen(probe->symbol))
		return kernel_problem_tell(problem, -EINVAL,
					   "give a name that is in /proc/kallsyms",
					   "'%.100s' is no function of the kernel's",
					   probe->symbol);
	if (probe->is_kernel && (!probe->symbol[0] || strlen(probe->symbol) >= PATH_MAX / 4 ||
				 probe->offset > INT32_MAX))
		return kernel_problem_tell(problem, -EINVAL,
					   "give a name that is in /proc/kallsyms",
					   "there is no such function of the kernel's");
	if (probe->args && (!is_line(probe->args) || strlen(probe->args) > KERNEL_PROBE_ARGS_MAX))
		return kernel_problem_tell(problem, -EINVAL,
					   "give at most 1024 bytes, on one line, without '#'",
					   "the kernel does not take such arguments of a probe");
	return 0;
}

static char *append(char **end, const char *text)
{
	char *begin = *end;

	if (!text)
		return NULL;
	*end = stpcpy(begin, text) + 1;
	return begin;
}

struct kernel_probe *kernel_probe_copy(const struct kernel_probe *probe)
{
	const char *texts[] = { probe->name, probe->path, probe->file, probe->symbol, probe->args };
	size_t size = sizeof(*probe);
	struct kernel_probe *copy;
	char *end;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		size += texts[i] ? strlen(texts[i]) + 1 : 0;
	copy = malloc(size);
	if (!copy)
		return NULL;
	end = (char *)(copy + 1);
	*copy = *probe;
	copy->name = append(&end, probe->name);
	copy->path = append(&end, probe->path);
	copy->file = append(&end, probe->file);
	copy->symbol = append(&end, probe->symbol);
	copy->args = append(&end, probe->args);
	return copy;
}

const char *kernel_probe_system(const struct kernel_probe *probe)
{
	return probe->is_kernel ? "kprobes" : "uprobes";
}

/* ---- groups ---------------------------------------------------------------------------- */

/* FNV-1a: names that differ, differ in it. */
static uint64_t hash(const char *text)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return value;
}

void kernel_probes_group(const char *instance, char group[KERNEL_PROBE_NAME_SIZE])
{
	uint64_t start = 0;
	int pid = 0;

	/* Another's name gives a group that nobody has. */
	(void)sscanf(instance, "lttngmap-%d-%" SCNu64 "-", &pid, &start);
	snprintf(group, KERNEL_PROBE_NAME_SIZE, KERNEL_PROBES_PREFIX "%d_%" PRIu64 "_%016" PRIx64,
		 pid, start, hash(instance));
}

bool kernel_probes_is_group(const char *system)
{
	return strncmp(system, KERNEL_PROBES_PREFIX, strlen(KERNEL_PROBES_PREFIX)) == 0;
}

/* A line "p:GROUP/NAME PLACE ARGUMENTS" or "r4:…", cut up. */
static bool parse_line(char *line, const char **group, const char **name)
{
	char *colon = strchr(line, ':'), *slash = colon ? strchr(colon, '/') : NULL;

	if (!slash)
		return false;
	*slash = '\0';
	slash[1 + strcspn(slash + 1, " ")] = '\0';
	*group = colon + 1;
	*name = slash + 1;
	return kernel_probes_is_group(*group);
}

void kernel_probes_find(void (*take)(const char *group, void *data), void *data)
{
	char *text = tracefs_instance_file_read(NULL, LIST, NULL), *rest = NULL;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *group, *name;

		if (parse_line(line, &group, &name))
			take(group, data);
	}
	free(text);
}

/* It is appended: to open that file anew would remove everybody's. */
static int remove_one(const char *group, const char *name)
{
	char command[2 * KERNEL_PROBE_NAME_SIZE + 8];

	snprintf(command, sizeof(command), "-:%.63s/%.63s", group, name);
	errno = EIO;
	if (tracefs_instance_file_append(NULL, LIST, command) >= 0 || errno == ENOENT)
		return 0;
	return -errno;
}

int kernel_probes_remove(const char *group, const char *name)
{
	char *text, *rest = NULL;
	unsigned int removed = 0;
	int error = 0;

	errno = 0; /* readdir() returns NULL at the end and on an error. */
	text = tracefs_instance_file_read(NULL, LIST, NULL);
	if (!text && errno && errno != ENOENT)
		return -errno;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *its_group, *its_name;
		int this_error;

		if (!parse_line(line, &its_group, &its_name) || strcmp(its_group, group) != 0 ||
		    (name && strcmp(its_name, name) != 0))
			continue;
		if (removed == KERNEL_PROBES_AT_ONCE) {
			error = -EAGAIN;
			break;
		}
		this_error = remove_one(its_group, its_name);
		removed += this_error == 0;
		error = error ? error : this_error;
	}
	free(text);
	return error;
}

/* ---- its file ------------------------------------------------------------------------------ */

#define DESCRIPTORS "/proc/self/fd/"

static void tell_which(const struct stat *status, char text[KERNEL_PROBE_FILE_SIZE])
{
	snprintf(text, KERNEL_PROBE_FILE_SIZE, "%" PRIx64 ":%" PRIx64, (uint64_t)status->st_dev,
		 (uint64_t)status->st_ino);
}

int kernel_probe_open(struct kernel_probe *probe, struct kernel_probe_file *file,
		      struct kernel_problem *problem)
{
	struct stat status;
	struct statfs system;

	file->fd = -1;
	if (probe->is_kernel)
		return 0;
	file->fd = open(probe->path, O_PATH | O_CLOEXEC);
	if (file->fd < 0 || fstat(file->fd, &status) < 0 || fstatfs(file->fd, &system) < 0)
		return kernel_problem_tell(problem, -errno, "see whether the path is right",
					   "cannot find %.300s: %s", probe->path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return kernel_problem_tell(problem, -EINVAL, "give a program or a library",
					   "there can be no probe in %.300s: it is no file",
					   probe->path);
	if (system.f_type == FUSE_SUPER_MAGIC)
		return kernel_problem_tell(problem, -EOPNOTSUPP,
					   "run the program from another file system: the server "
					   "of this one can stop the kernel's tracing",
					   "there can be no probe in %.250s: it lies on a FUSE "
					   "file system",
					   probe->path);
	tell_which(&status, file->text);
	if (probe->file && strcmp(probe->file, file->text) != 0)
		return kernel_problem_tell(problem, -ESTALE,
					   "try again, and where it is a container's, run the "
					   "session daemon there",
					   "%.200s is another file than the one that was looked at",
					   probe->path);
	probe->file = file->text;
	return 0;
}

void kernel_probe_close(struct kernel_probe_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

/* Root's, and nobody else may put another one in its place. */
static bool is_steady(const char *path)
{
	char domain[PATH_MAX];
	struct stat status;

	snprintf(domain, sizeof(domain), "%s", path);
	if (lstat(domain, &status) < 0 || status.st_uid != 0)
		return false;
	for (char *slash = strrchr(domain, '/'); slash; slash = strrchr(domain, '/')) {
		slash[slash == domain] = '\0';
		if (lstat(domain, &status) < 0 || !S_ISDIR(status.st_mode) || status.st_uid != 0 ||
		    (status.st_mode & (S_IWGRP | S_IWOTH) && !(status.st_mode & S_ISVTX)))
			return false;
		if (slash == domain)
			break;
	}
	return true;
}

/*
 * The path given to the kernel, which opens the file by itself. In another user's directory the
 * file may have been replaced by then: so the path names the open descriptor, though it says little
 * to a reader of dynamic_events.
 */
static void name_file(const struct kernel_probe *probe, const struct kernel_probe_file *file,
		      char path[PATH_MAX])
{
	struct stat status;
	char text[KERNEL_PROBE_FILE_SIZE];

	if (realpath(probe->path, path) && strlen(path) < PATH_MAX / 2 && is_word(path) &&
	    is_steady(path) && stat(path, &status) == 0) {
		tell_which(&status, text);
		if (strcmp(text, file->text) == 0)
			return;
	}
	snprintf(path, PATH_MAX, DESCRIPTORS "%d", file->fd);
}

/* ---- making one -------------------------------------------------------------------------- */

/*
 * The last thing that error_log says of `command`, which has lines
 *
 *   [  123.456789] trace_uprobe: error: Invalid register name
 *     Command: p:GROUP/NAME PATH:0xOFFSET a=%zz
 *                                           ^
 *
 * *at: what of the command the caret points to. NULL: nothing.
 */
static char *find_error(char *log, const char *command, const char **at)
{
	char *line, *found = NULL, *why = NULL;
	size_t column;

	for (line = log; (line = strstr(line, command)); line += strlen(command))
		found = line;
	*at = "";
	if (!found || found == log || found[-1] != '\n')
		return NULL;
	found[-1] = '\0';
	line = strrchr(log, '\n');
	why = strstr(line ? line : log, "error: ");
	line = strchr(found, '\n');
	if (!why || !line)
		return NULL;
	*line++ = '\0';
	column = strspn(line, " ");
	if (line[column] == '^' && column >= strlen(COMMAND) && column < strlen(found))
		*at = found + column;
	return why + strlen("error: ");
}

/* Reads the kernel's reason from its log, which stays unchanged. */
static int tell_refused(const char *group, const struct kernel_probe *probe, int error,
			struct kernel_problem *problem)
{
	char command[2 * KERNEL_PROBE_NAME_SIZE + 32];
	char *log = tracefs_error_all(NULL), *why = NULL;
	const char *at = "";

	snprintf(command, sizeof(command), COMMAND "%c:%s/%s ", probe->is_return ? 'r' : 'p', group,
		 probe->name);
	if (log)
		why = find_error(log, command, &at);
	/* People know it by its path. */
	if (strncmp(at, DESCRIPTORS, strlen(DESCRIPTORS)) == 0)
		at = probe->path;
	if (why)
		kernel_problem_tell(
			problem, error,
			"the kernel's Documentation/trace/uprobetracer.rst and kprobetrace.rst say "
			"what a probe can be",
			"the kernel refuses the probe %s: %.100s%s%.150s%s", probe->name, why,
			at[0] ? ": '" : "", at, at[0] ? "'" : "");
	else
		kernel_problem_tell(
			problem, error,
			probe->is_kernel
				? "see whether /proc/kallsyms has that function, and whether "
				  "the kernel may be probed there"
				: "see whether that file may be executed",
			"the kernel refuses the probe %s: %s", probe->name, strerror(-error));
	free(log);
	return error;
}

static struct tracefs_dynevent *define(const char *group, const struct kernel_probe *probe,
				       const struct kernel_probe_file *file)
{
	char place[PATH_MAX / 4 + 24], path[PATH_MAX];

	if (!probe->is_kernel) {
		name_file(probe, file, path);
		return (probe->is_return ? tracefs_uretprobe_alloc : tracefs_uprobe_alloc)(
			group, probe->name, path, probe->offset, probe->args);
	}
	if (probe->offset)
		snprintf(place, sizeof(place), "%s+0x%" PRIx64, probe->symbol, probe->offset);
	else
		snprintf(place, sizeof(place), "%s", probe->symbol);
	if (probe->is_return)
		return tracefs_kretprobe_alloc(group, probe->name, place, probe->args, 0);
	return tracefs_kprobe_alloc(group, probe->name, place, probe->args);
}

int kernel_probe_create(const char *group, const struct kernel_probe *probe,
			const struct kernel_probe_file *file, struct kernel_problem *problem)
{
	struct tracefs_dynevent *event;
	int error = 0;

	if (!tracefs_file_exists(NULL, probe->is_kernel ? "kprobe_events" : "uprobe_events"))
		return kernel_problem_tell(problem, -EOPNOTSUPP,
					   probe->is_kernel
						   ? "use a kernel with CONFIG_KPROBE_EVENTS"
						   : "use a kernel with CONFIG_UPROBE_EVENTS",
					   "this kernel has no %s", kernel_probe_system(probe));
	/*
	 * Removes a probe of that name from an earlier instance. Otherwise the kernel would add a
	 * place to it.
	 */
	if (kernel_probes_remove(group, probe->name) != 0)
		return kernel_problem_tell(problem, -EBUSY, "give it another name: NAME=...",
					   "a probe %s that was there before is still in use",
					   probe->name);
	event = define(group, probe, file);
	if (!event)
		return kernel_problem_tell(problem, -ENOMEM, "try again", "out of memory");
	errno = EIO;
	if (tracefs_dynevent_create(event) != 0)
		error = -errno;
	tracefs_dynevent_free(event);
	return error ? tell_refused(group, probe, error, problem) : 0;
}
