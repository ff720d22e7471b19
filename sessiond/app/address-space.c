/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/app/address-space.h"

#include <stdio.h>
#include <unistd.h>

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

/* Not prlimit(2): asking is free to all, and the call, which can also set, is not. */
void address_space_limit(pid_t pid, uint64_t *soft, uint64_t *hard)
{
	FILE *limits = open_proc(pid, "limits");
	unsigned long long found[2];
	char line[256];

	*soft = *hard = UINT64_MAX;
	while (limits && fgets(line, sizeof(line), limits)) {
		int count = sscanf(line, "Max address space %llu %llu", &found[0], &found[1]);

		if (count >= 1)
			*soft = found[0];
		if (count == 2)
			*hard = found[1];
	}
	if (limits)
		fclose(limits);
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
