/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "common/base/rings-note.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/beneath.h"

void rings_note_write(int folder, const char *rings)
{
	char path[PATH_MAX];
	int fd;

	(void)unlinkat(folder, RINGS_NOTE, 0);
	if (!rings || !realpath(rings, path))
		return;
	fd = beneath_create(folder, RINGS_NOTE, 0600);
	if (fd < 0)
		return;
	if (write(fd, path, strlen(path)) != (ssize_t)strlen(path))
		(void)unlinkat(folder, RINGS_NOTE, 0);
	close(fd);
}

bool rings_note_read(int folder, char rings[PATH_MAX])
{
	int fd = openat(folder, RINGS_NOTE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;
	ssize_t length = 0;

	if (fd < 0)
		return false;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid())
		length = read(fd, rings, PATH_MAX - 1);
	close(fd);
	rings[length > 0 ? length : 0] = '\0';
	return rings[0] == '/';
}

static void remove_from(int folder, const char *rings)
{
	char noted[PATH_MAX];

	if (rings_note_read(folder, noted) && strcmp(noted, rings) == 0)
		(void)unlinkat(folder, RINGS_NOTE, 0);
}

void rings_note_remove(const char *output, const char *rings)
{
	char path[PATH_MAX], name[NAME_MAX + 1];
	int folder = beneath_open_path(output, 0), above = beneath_open_parent(output, name);

	if (realpath(rings, path)) {
		if (folder >= 0)
			remove_from(folder, path);
		if (above >= 0)
			remove_from(above, path);
	}
	if (folder >= 0)
		close(folder);
	if (above >= 0)
		close(above);
}
