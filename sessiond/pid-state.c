/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/pid-state.h"

#include <stdio.h>
#include <string.h>

char pid_state(pid_t pid)
{
	char path[32], text[512];
	const char *name_end;
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	/* A name may hold anything, a parenthesis too. */
	name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' ? name_end[2] : 0;
}
