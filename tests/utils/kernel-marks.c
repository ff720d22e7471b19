/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/kernel-marks.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK "<mark "

static char instance[256], ring[320];
static unsigned int marks;

static void give_up(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static void skip(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	exit(EXIT_SUCCESS);
}

/* Whatever ends the test; the kernel lets go of what was mapped a little later. */
static void clean_up(void)
{
	for (int tries = 0; kernel_marks_end() == -EBUSY && tries < 200; tries++)
		usleep(10000);
}

void kernel_marks_begin(const char *name, unsigned int buffer_kib)
{
	char size[16];
	cpu_set_t first;

	if (geteuid() != 0)
		skip("the kernel's tracing is root's");
	if (access(KERNEL_MARKS_TRACEFS "/instances", F_OK) < 0)
		(void)!mount("tracefs", KERNEL_MARKS_TRACEFS, "tracefs",
			     MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	snprintf(instance, sizeof(instance), KERNEL_MARKS_TRACEFS "/instances/lttngmap-test-%s-%d",
		 name, (int)getpid());
	snprintf(ring, sizeof(ring), "%s/per_cpu/cpu0/trace_pipe_raw", instance);
	if (mkdir(instance, 0700) < 0)
		skip("there can be no instance of the kernel's tracing");
	atexit(clean_up);
	snprintf(size, sizeof(size), "%u", buffer_kib);
	if (!kernel_marks_put("buffer_size_kb", size) ||
	    !kernel_marks_put("buffer_percent", "25") || !kernel_marks_put("trace_clock", "mono"))
		give_up("the instance cannot be set up");
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first) < 0)
		give_up("not on the first CPU");
}

int kernel_marks_end(void)
{
	return rmdir(instance) < 0 ? -errno : 0;
}

const char *kernel_marks_instance(void)
{
	return instance;
}

const char *kernel_marks_ring(void)
{
	return ring;
}

static int open_file(const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", instance, file);
	return open(path, O_WRONLY | O_CLOEXEC);
}

bool kernel_marks_put(const char *file, const char *text)
{
	int fd = open_file(file);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

void kernel_marks_write_tailed(unsigned int count, const char *tail)
{
	int fd = open_file("trace_marker");
	char text[64];

	for (unsigned int i = 0; i < count; i++) {
		int length = snprintf(text, sizeof(text), MARK "%08u>%s", marks++, tail);

		if (write(fd, text, (size_t)length) < 0)
			give_up("a mark");
	}
	close(fd);
}

void kernel_marks_write(unsigned int count)
{
	kernel_marks_write_tailed(count, "");
}

unsigned int kernel_marks_written(void)
{
	return marks;
}

const char *kernel_marks_find(const char *begin, const char *end, unsigned int *number)
{
	const char *found = memmem(begin, (size_t)(end - begin), MARK, strlen(MARK));

	if (found)
		*number = (unsigned int)strtoul(found + strlen(MARK), NULL, 10);
	return found;
}
