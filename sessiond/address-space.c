/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/address-space.h"

#include <stdio.h>
#include <unistd.h>

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

/* Not prlimit(2): asking is free to all, and the call, which can also set, is not. */
uint64_t address_space_limit(pid_t pid)
{
	FILE *limits = open_proc(pid, "limits");
	unsigned long long bytes, found = UINT64_MAX;
	char line[256];

	while (limits && fgets(line, sizeof(line), limits))
		if (sscanf(line, "Max address space %llu", &bytes) == 1)
			found = bytes;
	if (limits)
		fclose(limits);
	return found;
}

uint64_t address_space_used(pid_t pid)
{
	FILE *statm = open_proc(pid, "statm");
	unsigned long long pages = 0;

	if (!statm)
		return 0;
	if (fscanf(statm, "%llu", &pages) != 1)
		pages = 0;
	fclose(statm);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
