/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sdt/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/sdt-environment.h"

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(lttngmap_sdt, refused, LTTNGMAP_LOGLEVEL_WARNING,
	(string, provider), (string, name), (string, path), (hex, uint64_t, offset), (string, why));

/*
 * What has been told and is not an event yet: at the program's start the places of
 * stubs are taken before anything is registered.
 */
#define KEPT_MAX 64u

static struct kept {
	char provider[64], name[64], path[256], why[128];
	uint64_t offset;
} kept[KEPT_MAX];
static unsigned nr_kept, nr_dropped;

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

static void keep(const char *provider, const char *name, const char *path, uint64_t offset,
		 const char *why)
{
	struct kept *it = &kept[nr_kept];

	if (nr_kept == KEPT_MAX) {
		nr_dropped++;
		return;
	}
	snprintf(it->provider, sizeof(it->provider), "%s", provider);
	snprintf(it->name, sizeof(it->name), "%s", name);
	snprintf(it->path, sizeof(it->path), "%s", path);
	snprintf(it->why, sizeof(it->why), "%s", why);
	it->offset = offset;
	nr_kept++;
}

void sdt_report(const char *provider, const char *name, const char *path, uint64_t offset,
		const char *why)
{
	char line[PATH_MAX + 1024];
	int saved_errno = errno, length;

	keep(provider, name, path, offset, why);
	length = snprintf(line, sizeof(line), "%s:%s\t%s:0x%" PRIx64 "\t%s\n", provider, name, path,
			  offset, why);
	if (length > 0 && (size_t)length < sizeof(line))
		append(line, (size_t)length);
	errno = saved_errno;
}

void sdt_report_emit(void)
{
	for (unsigned i = 0; i < nr_kept; i++)
		lttngmap_tracepoint(lttngmap_sdt, refused, kept[i].provider, kept[i].name,
				    kept[i].path, kept[i].offset, kept[i].why);
	if (nr_dropped)
		lttngmap_tracepoint(lttngmap_sdt, refused, "*", "*", "", nr_dropped,
				    "so many more are refused, by the offset's number");
	nr_kept = 0;
	nr_dropped = 0;
}
