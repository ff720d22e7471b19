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

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(lttngmap_sdt, refused, LTTNGMAP_LOGLEVEL_WARNING,
	(string, provider), (string, name), (string, path), (hex, uint64_t, offset), (string, why));

/* What `lttngmap record` has put on its own file, and no other one has by chance. */
#define SEALS (F_SEAL_SHRINK | F_SEAL_SEAL)

/* One write, so that lines of several processes do not mix. */
static void append(const char *line, size_t length)
{
	const char *path = secure_getenv("LTTNGMAP_SDT_REPORT");
	long fd = path ? syscall(SYS_openat, AT_FDCWD, path,
				 O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
		       : -1;

	if (fd < 0)
		return;
	if (syscall(SYS_fcntl, fd, F_GET_SEALS) == SEALS)
		syscall(SYS_write, fd, line, length);
	syscall(SYS_close, fd);
}

void sdt_report(const char *provider, const char *name, const char *path, uint64_t offset,
		const char *why)
{
	char line[PATH_MAX + 1024];
	int saved_errno = errno, length;

	lttngmap_tracepoint(lttngmap_sdt, refused, provider, name, path, offset, why);
	length = snprintf(line, sizeof(line), "%s:%s\t%s:0x%" PRIx64 "\t%s\n", provider, name, path,
			  offset, why);
	if (length > 0 && (size_t)length < sizeof(line))
		append(line, (size_t)length);
	errno = saved_errno;
}
