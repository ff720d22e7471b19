/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sdt/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/protocol/sdt-environment.h"

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(lttngmap_sdt, refused, LTTNGMAP_LOGLEVEL_WARNING,
	(string, provider), (string, name), (string, path), (hex, uint64_t, offset), (string, why));

/*
 * Reports that are not events yet: at the program's start, stubs are placed before anything is
 * registered. A reporting thread has the loader's lock and only adds; the emitting one has
 * `emitter`.
 */
#define KEPT_MAX 64u

static struct kept {
	char provider[256], name[256], path[PATH_MAX], why[160];
	uint64_t offset;
} kept[KEPT_MAX];
static unsigned nr_kept, nr_lines, nr_events;
/* The process whose thread it is: that of a fork's parent is not in the child. */
static long emitter;

static bool begin(void)
{
	long self = syscall(SYS_getpid), other = 0;

	while (!__atomic_compare_exchange_n(&emitter, &other, self, false, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED))
		if (other == self)
			return false;
	return true;
}

static void end(void)
{
	__atomic_store_n(&emitter, 0, __ATOMIC_RELEASE);
}

/* One write, so that lines of several processes do not mix. */
static void append(const char *line, size_t length)
{
	const char *path = secure_getenv(SDT_ENVIRONMENT_REPORT);
	long fd = path ? syscall(SYS_openat, AT_FDCWD, path,
				 O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
		       : -1;

	if (fd < 0)
		return;
	if (syscall(SYS_fcntl, fd, F_GET_SEALS) == SDT_REPORT_SEALS)
		syscall(SYS_write, fd, line, length);
	syscall(SYS_close, fd);
}

static void write_line(const struct kept *it)
{
	char line[PATH_MAX + 1024];
	int length = snprintf(line, sizeof(line), SDT_REPORT_LINE, it->provider, it->name, it->path,
			      it->offset, it->why);

	append(line, (size_t)length);
}

/* All that is kept was emitted: begin from the first place. */
static void make_room(void)
{
	if (nr_kept == 0 || !begin())
		return;
	if (nr_events == nr_kept)
		nr_kept = nr_lines = nr_events = 0;
	end();
}

bool sdt_report(const char *provider, const char *name, const char *path, uint64_t offset,
		const char *why)
{
	struct kept *it;

	make_room();
	if (nr_kept == KEPT_MAX)
		return false;
	it = &kept[nr_kept];
	snprintf(it->provider, sizeof(it->provider), "%s", provider);
	snprintf(it->name, sizeof(it->name), "%s", name);
	snprintf(it->path, sizeof(it->path), "%s", path);
	snprintf(it->why, sizeof(it->why), "%s", why);
	it->offset = offset;
	/* Release: who emits it has no lock. */
	__atomic_store_n(&nr_kept, nr_kept + 1, __ATOMIC_RELEASE);
	return true;
}

static void emit(const struct kept *it)
{
	lttngmap_tracepoint(lttngmap_sdt, refused, it->provider, it->name, it->path, it->offset,
			    it->why);
}

bool sdt_report_emit(bool events)
{
	int saved_errno = errno;
	bool is_room;

	if (!begin())
		return false;
	for (unsigned i = nr_lines; i < __atomic_load_n(&nr_kept, __ATOMIC_ACQUIRE); i++) {
		write_line(&kept[i]);
		nr_lines = i + 1;
	}
	for (unsigned i = nr_events; events && i < nr_lines; i++) {
		emit(&kept[i]);
		nr_events = i + 1;
	}
	is_room = nr_events == __atomic_load_n(&nr_kept, __ATOMIC_RELAXED);
	end();
	errno = saved_errno;
	return is_room;
}
