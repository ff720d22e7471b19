/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/attach/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/protocol/places.h"

/* ---- FUSE file systems ------------------------------------------------------------- */

struct device {
	unsigned int major, minor;
};

/* Reads "user_id=" of a FUSE file system's options. `mount`: from its type on. */
static bool is_other_user(const char *mount)
{
	unsigned int uid = UINT_MAX;
	const char *option;

	if (strncmp(mount, "fuse", 4) != 0)
		return false;
	/* The server chooses the source, which stands before the options. */
	mount += strcspn(mount, " ");
	mount += strspn(mount, " ");
	option = strstr(mount + strcspn(mount, " "), ",user_id=");
	return !option || sscanf(option, ",user_id=%u", &uid) != 1 ||
	       (uid != 0 && uid != geteuid());
}

/* True for a FUSE file system of neither root's nor this user's. */
static bool is_foreign(struct device device)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	bool is_found = false;
	struct device at;
	char *line = NULL;
	size_t size = 0;

	while (mounts && !is_found && getline(&line, &size, mounts) > 0) {
		const char *type = strstr(line, " - ");

		is_found = type && sscanf(line, "%*u %*u %u:%u", &at.major, &at.minor) == 2 &&
			   at.major == device.major && at.minor == device.minor &&
			   is_other_user(type + 3);
	}
	free(line);
	if (mounts)
		fclose(mounts);
	return is_found;
}

/* Asks no server. */
static bool look(int fd, struct statx *status)
{
	return statx(fd, "", AT_EMPTY_PATH | PLACES_LOOK, STATX_BASIC_STATS, status) == 0;
}

static struct device device_of(const struct statx *status)
{
	return (struct device){ status->stx_dev_major, status->stx_dev_minor };
}

/* ---- what is mapped ------------------------------------------------------------------ */

struct mapping {
	unsigned long long begin, end, inode;
	struct device device;
	const char *path; /* within the line */
};

static FILE *open_maps(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	return fopen(path, "re");
}

static bool next_mapping(FILE *maps, char **line, size_t *size, struct mapping *mapping)
{
	int path = 0;

	if (!maps || getline(line, size, maps) <= 0 ||
	    sscanf(*line, "%llx-%llx %*s %*s %x:%x %llu %n", &mapping->begin, &mapping->end,
		   &mapping->device.major, &mapping->device.minor, &mapping->inode, &path) != 5)
		return false;
	(*line)[strcspn(*line, "\n")] = '\0';
	mapping->path = *line + path;
	return true;
}

static int refuse(struct problem *problem, pid_t pid, const char *path)
{
	return problem_set(problem, -EPERM, "attach as the user who mounted it",
			   "process %d uses %.200s, which is on another user's FUSE file system: "
			   "reading it could last for ever",
			   (int)pid, path);
}

int mapped_check(pid_t pid, struct problem *problem)
{
	struct device last = { 0, 0 };
	struct mapping mapping;
	char exe[64], program[PATH_MAX];
	struct statx status;
	char *line = NULL;
	ssize_t length;
	size_t size = 0;
	int error = 0, fd;
	FILE *maps;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	fd = open(exe, O_PATH | O_CLOEXEC);
	length = readlink(exe, program, sizeof(program) - 1);
	program[length > 0 ? length : 0] = '\0';
	if (fd >= 0 && look(fd, &status) && is_foreign(device_of(&status)))
		error = refuse(problem, pid, program);
	if (fd >= 0)
		close(fd);
	maps = open_maps(pid);
	while (!error && next_mapping(maps, &line, &size, &mapping)) {
		if (mapping.inode == 0 ||
		    (mapping.device.major == last.major && mapping.device.minor == last.minor))
			continue;
		last = mapping.device;
		if (is_foreign(last))
			error = refuse(problem, pid, mapping.path);
	}
	free(line);
	if (maps)
		fclose(maps);
	return error;
}

/* ---- opening ------------------------------------------------------------------------- */

/* Opens a path of /proc/PID/maps by O_PATH. It has no link, unless its owner changed it. */
static int walk_to(const char *path, struct statx *status)
{
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct device last;

	if (fd < 0 || !look(fd, status))
		goto close;
	while (*(path += strspn(path, "/")) != '\0') {
		size_t length = strcspn(path, "/");
		char name[NAME_MAX + 1];
		int next;

		if (length > NAME_MAX)
			goto close;
		memcpy(name, path, length);
		name[length] = '\0';
		path += length;
		next = openat(fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		close(fd);
		fd = next;
		last = device_of(status);
		if (fd < 0 || !look(fd, status))
			goto close;
		if ((status->stx_dev_major != last.major || status->stx_dev_minor != last.minor) &&
		    is_foreign(device_of(status)))
			goto close;
	}
	return fd;
close:
	if (fd >= 0)
		close(fd);
	return -1;
}

/* False if another file than the mapped one has its name. Some file systems do not tell. */
static bool is_mapped(pid_t pid, uint64_t base, const struct statx *status)
{
	FILE *maps = open_maps(pid);
	struct mapping mapping;
	bool is_same = false;
	char *line = NULL;
	size_t size = 0;

	while (next_mapping(maps, &line, &size, &mapping)) {
		if (base < mapping.begin || base >= mapping.end)
			continue;
		is_same = mapping.device.major != status->stx_dev_major ||
			  mapping.device.minor != status->stx_dev_minor ||
			  mapping.inode == status->stx_ino;
		break;
	}
	free(line);
	if (maps)
		fclose(maps);
	return is_same;
}

int mapped_find_elf(Dwfl_Module *module, void **data, const char *path, Dwarf_Addr base,
		    char **found, Elf **elf)
{
	const pid_t *pid = *data;
	struct statx status;
	char name[64];
	int place, fd = -1;

	if (path[0] != '/')
		return dwfl_linux_proc_find_elf(module, data, path, base, found, elf);
	place = walk_to(path, &status);
	if (place >= 0 && S_ISREG(status.stx_mode) && pid && is_mapped(*pid, base, &status)) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
		fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	}
	if (place >= 0)
		close(place);
	*found = fd >= 0 ? strdup(path) : NULL;
	return fd;
}
