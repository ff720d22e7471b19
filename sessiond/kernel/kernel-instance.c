/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/kernel/kernel-instance.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>
#include <tracefs.h>

#include "sessiond/base/memory.h"

/*
 * Fewer, larger sub-buffers: less work for the consumer, up to here. The kernel goes over the
 * events of each with interrupts off.
 */
#define SUBBUF_KB "16"
/* The consumer is woken when so much of a ring is full, per cent. */
#define WAKE_PERCENT "25"
#define NAMES_MAX 100u
/* No machine has more. */
#define CPUS_MAX 65536u

#define PLACE "/sys/kernel/tracing"

struct kernel_instance {
	struct tracefs_instance *tracefs;
	char *path;
	/* A file of it that is open: the kernel removes no instance that has one. */
	int hold;
	bool is_mapped;
};

int kernel_problem_tell(struct kernel_problem *problem, int error, const char *hint,
			const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(problem->why, sizeof(problem->why), format, arguments);
	va_end(arguments);
	snprintf(problem->hint, sizeof(problem->hint), "%s", hint);
	problem->column = -1;
	return error;
}

/* ---- what the machine has ------------------------------------------------------- */

/* Where it belongs; libtracefs would also take another mount of it, which may go. */
static bool is_in_place(void)
{
	struct statfs system;

	return statfs(PLACE, &system) == 0 && system.f_type == TRACEFS_MAGIC &&
	       tracefs_set_tracing_dir(PLACE) == 0;
}

/*
 * To be asked before anything else of libtracefs is used, which would mount it
 * by itself.
 */
int kernel_tracing_find(struct kernel_problem *problem)
{
	const char *path = PLACE;

	if (geteuid() != 0)
		return kernel_problem_tell(problem, -EPERM, "start the session daemon as root",
					   "kernel events are root's");
	if (!is_in_place() && (tracefs_tracing_dir_is_mounted(false, &path) <= 0 || !path))
		return kernel_problem_tell(
			problem, -ENODEV,
			"run `mount -t tracefs nodev " PLACE "` as root; a "
			"container is to be given it",
			"the kernel's events cannot be had: tracefs is not mounted");
	if (access(path, R_OK | W_OK | X_OK) != 0)
		return kernel_problem_tell(problem, -errno, "mount it with all rights for root",
					   "the kernel's events cannot be had in %s: %s", path,
					   strerror(errno));
	return 0;
}

int kernel_tracing_events(char **text, struct kernel_problem *problem)
{
	*text = tracefs_instance_file_read(NULL, "available_events", NULL);
	return *text ? 0
		     : kernel_problem_tell(problem, -EIO, "see whether root can read that file",
					   "cannot read tracefs's available_events: %s",
					   strerror(errno));
}

int kernel_tracing_format(const char *system, const char *name, char **text, size_t *size,
			  struct kernel_problem *problem)
{
	char file[PATH_MAX];
	int read = 0;

	snprintf(file, sizeof(file), "events/%s/%s/format", system, name);
	*text = tracefs_instance_file_read(NULL, file, &read);
	if (!*text)
		return kernel_problem_tell(problem, -EIO, "see whether root can read that file",
					   "cannot read tracefs's %.200s: %s", file,
					   strerror(errno));
	*size = (size_t)read;
	return 0;
}

int kernel_instance_probe(const char *path)
{
	char file[PATH_MAX];
	int fd, error = 0;
	void *map;

	snprintf(file, sizeof(file), "%s/per_cpu/cpu0/trace_pipe_raw", path);
	fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	map = mmap(NULL, memory_page_size(), PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		error = errno == ENODEV ? -EOPNOTSUPP : -errno;
	else
		munmap(map, memory_page_size());
	close(fd);
	return error;
}

/* ---- making and undoing ---------------------------------------------------------- */

/* 0 or -errno. */
static int write_file(struct kernel_instance *instance, const char *file, const char *text)
{
	errno = EIO;
	return tracefs_instance_file_write(instance->tracefs, file, text) < 0 ? -errno : 0;
}

/* A name is taken while the instance of a session before is still being removed. */
static int make(const struct kernel_instance_config *config, struct kernel_instance *instance)
{
	char name[KERNEL_INSTANCE_NAME_SIZE];

	for (unsigned int number = 1; number <= NAMES_MAX; number++) {
		int length = snprintf(name, sizeof(name), "lttngmap-%d-%" PRIu64 "-%s",
				      (int)config->pid, config->start, config->key);

		if (number > 1)
			snprintf(name + length, sizeof(name) - (size_t)length, "~%u", number);
		errno = ENOMEM;
		instance->tracefs = tracefs_instance_create(name);
		if (!instance->tracefs)
			return -errno;
		if (tracefs_instance_is_new(instance->tracefs))
			return 0;
		tracefs_instance_free(instance->tracefs);
		instance->tracefs = NULL;
	}
	return -EEXIST;
}

/*
 * Sets the instance up before anything is recorded. Options that an older kernel lacks are left
 * out.
 */
static int set_up(struct kernel_instance *instance, enum lttngmap_clock clock)
{
	const struct {
		const char *file, *text;
		bool is_needed;
	} settings[] = {
		{ "tracing_on", "0", true },
		{ "trace_clock", clock == LTTNGMAP_CLOCK_TSC ? "x86-tsc" : "mono", true },
		{ "buffer_subbuf_size_kb", SUBBUF_KB, false },
		{ "buffer_percent", WAKE_PERCENT, true },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		int error = write_file(instance, settings[i].file, settings[i].text);

		if (error && settings[i].is_needed)
			return error;
	}
	return 0;
}

/* The directory is there, is held, and is known. */
static int open_instance(const struct kernel_instance_config *config,
			 struct kernel_instance *instance)
{
	int error = make(config, instance);

	if (error)
		return error;
	instance->path = tracefs_instance_get_dir(instance->tracefs);
	if (!instance->path)
		return -ENOMEM;
	instance->hold = tracefs_instance_file_open(instance->tracefs, "tracing_on", O_RDONLY);
	if (instance->hold < 0)
		return -errno;
	fcntl(instance->hold, F_SETFD, FD_CLOEXEC);
	return 0;
}

static int probe_mapping(struct kernel_instance *instance)
{
	int error = kernel_instance_probe(instance->path);

	instance->is_mapped = error == 0;
	/* Then they are read. */
	return error == -EOPNOTSUPP ? 0 : error;
}

static int create(const struct kernel_instance_config *config, bool is_idle,
		  struct kernel_instance **result, struct kernel_problem *problem)
{
	struct kernel_instance *instance = calloc(1, sizeof(*instance));
	int error;

	*result = NULL;
	if (!instance)
		return kernel_problem_tell(problem, -ENOMEM, "try again", "out of memory");
	instance->hold = -1;
	error = open_instance(config, instance);
	if (error == 0 && is_idle)
		error = kernel_instance_record(instance, false);
	if (error == 0 && !is_idle)
		error = set_up(instance, config->clock);
	if (error == 0 && !is_idle)
		error = probe_mapping(instance);
	if (error == 0) {
		*result = instance;
		return 0;
	}
	kernel_problem_tell(problem, error,
			    "see whether root can make directories there: " PLACE "/instances",
			    "cannot make a tracefs instance: %s", strerror(-error));
	if (instance->hold >= 0)
		close(instance->hold);
	instance->hold = -1;
	if (instance->tracefs)
		tracefs_instance_destroy(instance->tracefs);
	kernel_instance_close(instance);
	return error;
}

int kernel_instance_create(const struct kernel_instance_config *config,
			   struct kernel_instance **instance, struct kernel_problem *problem)
{
	return create(config, false, instance, problem);
}

int kernel_instance_create_idle(const struct kernel_instance_config *config,
				struct kernel_instance **instance, struct kernel_problem *problem)
{
	return create(config, true, instance, problem);
}

void kernel_instance_close(struct kernel_instance *instance)
{
	if (!instance)
		return;
	if (instance->hold >= 0) {
		kernel_instance_record(instance, false);
		kernel_instance_disable_all(instance);
		close(instance->hold);
	}
	if (instance->path)
		tracefs_put_tracing_file(instance->path);
	if (instance->tracefs)
		tracefs_instance_free(instance->tracefs);
	free(instance);
}

const char *kernel_instance_name(const struct kernel_instance *instance)
{
	return tracefs_instance_get_name(instance->tracefs);
}

const char *kernel_instance_path(const struct kernel_instance *instance)
{
	return instance->path;
}

bool kernel_instance_is_mapped(const struct kernel_instance *instance)
{
	return instance->is_mapped;
}

int kernel_instance_cpus(const struct kernel_instance *instance, uint32_t *cpus)
{
	char path[PATH_MAX];
	struct dirent *entry;
	uint32_t number;
	DIR *directory;

	snprintf(path, sizeof(path), "%s/per_cpu", instance->path);
	directory = opendir(path);
	if (!directory)
		return -errno;
	*cpus = 0;
	while ((entry = readdir(directory)) != NULL)
		if (sscanf(entry->d_name, "cpu%" SCNu32, &number) == 1 && number < CPUS_MAX &&
		    number >= *cpus)
			*cpus = number + 1;
	closedir(directory);
	return *cpus > 0 ? 0 : -ENOENT;
}

/* ---- settings -------------------------------------------------------------------- */

int kernel_instance_tell_busy(struct kernel_problem *problem)
{
	return kernel_problem_tell(
		problem, -EBUSY, "give the size before the session is started, or make another one",
		"the kernel does not change the size of a buffer that is being read");
}

int kernel_instance_set_buffer(struct kernel_instance *instance, uint64_t size,
			       struct kernel_problem *problem)
{
	char text[32];
	int error;

	snprintf(text, sizeof(text), "%" PRIu64, size / 1024);
	error = write_file(instance, "buffer_size_kb", text);
	if (error == -EBUSY)
		return kernel_instance_tell_busy(problem);
	if (error)
		return kernel_problem_tell(problem, error,
					   "give a smaller size: each CPU has so much of its own",
					   "the kernel makes no buffers of %" PRIu64 " bytes: %s",
					   size, strerror(-error));
	return 0;
}

int kernel_instance_set_pids(struct kernel_instance *instance, const uint32_t *pids, size_t nr_pids,
			     struct kernel_problem *problem)
{
	char *text = malloc(nr_pids * 11 + 1);
	size_t length = 0;
	int error;

	if (!text)
		return kernel_problem_tell(problem, -ENOMEM, "try again", "out of memory");
	text[0] = '\0';
	for (size_t i = 0; i < nr_pids; i++)
		length += (size_t)sprintf(text + length, "%" PRIu32 " ", pids[i]);
	error = write_file(instance, "options/event-fork", nr_pids ? "1" : "0");
	/* That there is none, opening the file for writing says by itself. */
	if (error == 0 && nr_pids == 0)
		error = tracefs_instance_file_clear(instance->tracefs, "set_event_pid") < 0 ? -EIO
											    : 0;
	else if (error == 0)
		error = write_file(instance, "set_event_pid", text);
	free(text);
	return error ? kernel_problem_tell(problem, error, "see whether all of them run",
					   "the kernel does not record these processes alone: %s",
					   strerror(-error))
		     : 0;
}

char *kernel_instance_pids(const struct kernel_instance *instance)
{
	return tracefs_instance_file_read(instance->tracefs, "set_event_pid", NULL);
}

/* Takes the first line of the kernel's message about a filter, without its time. */
static void tell_filter(struct kernel_instance *instance, const char *system, const char *name,
			struct kernel_problem *problem)
{
	static const char hint[] = "the language is the kernel's: field names from the event's "
				   "`format` file, == != < > & ~ && || ( )";
	static const char command[] = "\n  Command: ";
	char *text = tracefs_error_last(instance->tracefs);
	char *why = text ? strstr(text, "error: ") : NULL;
	char *place = text ? strstr(text, command) : NULL;
	size_t column = 0;

	/* "[time] event filter parse error: error: Field not found\n  Command: no == 1\n", and ^ */
	while (why && strncmp(why, "error: ", 7) == 0)
		why += 7;
	if (place)
		place = strchr(place + 1, '\n');
	if (place)
		column = strspn(place + 1, " ");
	if (place && (column + 2 < sizeof(command) || place[1 + column] != '^'))
		place = NULL;
	if (why)
		why[strcspn(why, "\n")] = '\0';
	kernel_problem_tell(problem, -EINVAL, hint, "the filter is wrong for %.100s:%.100s: %.100s",
			    system, name, why && why[0] ? why : "the kernel does not say why");
	/* Below the text, which the kernel indents by as much. */
	if (place)
		problem->column = (int)(column + 2 - sizeof(command));
	free(text);
}

int kernel_instance_set_filter(struct kernel_instance *instance, const char *system,
			       const char *name, const char *filter, struct kernel_problem *problem)
{
	char file[PATH_MAX];
	int error;

	snprintf(file, sizeof(file), "events/%s/%s/filter", system, name);
	tracefs_error_clear(instance->tracefs);
	error = write_file(instance, file, filter ? filter : "0");
	/* Where a parenthesis is missing, the kernel answers ENOENT, or EPERM. */
	if (error == -EINVAL || error == -ENOENT || error == -EPERM)
		tell_filter(instance, system, name, problem);
	else if (error)
		kernel_problem_tell(problem, error, "leave the event out, or the filter",
				    "the kernel takes no filter for %.100s:%.100s: %s", system,
				    name, strerror(-error));
	/* It keeps the wrong one, to say in that file what is wrong with it. */
	if (error && filter)
		write_file(instance, file, "0");
	return error;
}

int kernel_instance_enable(struct kernel_instance *instance, const char *system, const char *name,
			   struct kernel_problem *problem)
{
	char file[PATH_MAX];
	int error;

	snprintf(file, sizeof(file), "events/%s/%s/enable", system, name);
	error = write_file(instance, file, "1");
	return error ? kernel_problem_tell(problem, error, "leave that event out",
					   "the kernel does not turn on %.100s:%.100s: %s", system,
					   name, strerror(-error))
		     : 0;
}

void kernel_instance_disable(struct kernel_instance *instance, const char *system, const char *name)
{
	char file[PATH_MAX];

	snprintf(file, sizeof(file), "events/%s/%s/enable", system, name);
	write_file(instance, file, "0");
}

void kernel_instance_disable_all(struct kernel_instance *instance)
{
	write_file(instance, "events/enable", "0");
}

int kernel_instance_record(struct kernel_instance *instance, bool on)
{
	return write_file(instance, "tracing_on", on ? "1" : "0");
}

static uint64_t read_count(const char *stats, const char *key)
{
	const char *line = strstr(stats, key);

	return line ? strtoull(line + strlen(key), NULL, 10) : 0;
}

uint64_t kernel_instance_overrun(const struct kernel_instance *instance)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t lost = 0;

	for (long cpu = 0; cpu < cpus; cpu++) {
		char file[64], *stats;

		snprintf(file, sizeof(file), "per_cpu/cpu%ld/stats", cpu);
		stats = tracefs_instance_file_read(instance->tracefs, file, NULL);
		if (!stats)
			continue;
		/* Behind "entries", so that it is not "commit overrun". */
		lost += read_count(stats, "\noverrun: ") + read_count(stats, "\ndropped events: ");
		free(stats);
	}
	return lost;
}
