/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/present-user.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t present_user(uint64_t pid, uint64_t registered)
{
	char path[64], line[256];
	uint64_t effective;
	FILE *file;

	/* The owner of /proc/PID is root once a program has changed its user. */
	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/status", pid);
	file = fopen(path, "re");
	if (!file)
		return registered;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Uid: %*u %" SCNu64, &effective) == 1) {
			registered = effective;
			break;
		}
	}
	fclose(file);
	return registered;
}
