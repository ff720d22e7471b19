/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/base/pid-state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Reads /proc/PID/stat from the state field on into `text`. NULL: no such process. The name in
 * front of the state may contain any character, a parenthesis too.
 */
static const char *read_stat(pid_t pid, char *text, size_t size)
{
	const char *name_end;
	char path[32];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	length = fread(text, 1, size - 1, file);
	fclose(file);
	text[length] = '\0';
	name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' ? name_end + 2 : NULL;
}

char pid_state(pid_t pid)
{
	char text[512];
	const char *state = read_stat(pid, text, sizeof(text));

	return state ? *state : 0;
}

int pid_parent(pid_t pid, pid_t *parent)
{
	char text[512];
	const char *state = read_stat(pid, text, sizeof(text));

	return state && sscanf(state, "%*c %d", parent) == 1 ? 0 : -ESRCH;
}

int pid_start(pid_t pid, uint64_t *start)
{
	char text[1024];
	const char *field = read_stat(pid, text, sizeof(text));

	/* From the third field, the state, to the 22nd. */
	for (int i = 3; field && i < 22; i++) {
		field = strchr(field, ' ');
		field = field ? field + 1 : NULL;
	}
	if (!field)
		return -ESRCH;
	return sscanf(field, "%" SCNu64, start) == 1 ? 0 : -EBADMSG;
}

/* Its real and its effective user. 0 or -errno. */
static int read_users(pid_t pid, uid_t *real, uid_t *effective)
{
	char path[32], text[1024];
	const char *line;
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return errno == EMFILE || errno == ENFILE ? -errno : -ESRCH;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	/* The kernel escapes a newline in the name that stands before it. */
	line = strstr(text, "\nUid:");
	return line && sscanf(line, "\nUid: %u %u", real, effective) == 2 ? 0 : -ESRCH;
}

int pid_effective_user(pid_t pid, uid_t *uid)
{
	uid_t real;

	return read_users(pid, &real, uid);
}

bool pid_is_of_user(pid_t pid, uid_t uid)
{
	uid_t real, effective;

	return read_users(pid, &real, &effective) == 0 && real == uid && effective == uid;
}

int pid_name(pid_t pid, char name[NAME_PROGRAM_SIZE])
{
	char path[32], text[NAME_PROGRAM_SIZE] = "?";
	size_t length;
	FILE *file;

	snprintf(name, NAME_PROGRAM_SIZE, "?");
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return -ESRCH;
	length = fread(text, 1, sizeof(text), file);
	fclose(file);
	if (length > 0 && text[length - 1] == '\n')
		length--;
	if (length > 0)
		name_clean_program(text, length, name);
	return length > 0 ? 0 : -ESRCH;
}
