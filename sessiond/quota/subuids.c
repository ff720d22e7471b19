/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/quota/subuids.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PASSWD_FILE "/etc/passwd"
#define NAME_MAX_SIZE 64

struct range {
	uint32_t first;
	uint32_t last;
	uint32_t owner;
};

struct subuids {
	struct range *ranges; /* by their first id */
	uint32_t nr_ranges;
	struct stat status; /* of the file that was read */
	char path[];
};

struct subuids *subuids_create(const char *path)
{
	size_t size = strlen(path) + 1;
	struct subuids *subuids = calloc(1, sizeof(*subuids) + size);

	if (!subuids)
		return NULL;
	memcpy(subuids->path, path, size);
	subuids->ranges = calloc(SUBUIDS_MAX, sizeof(*subuids->ranges));
	if (!subuids->ranges) {
		free(subuids);
		return NULL;
	}
	subuids_refresh(subuids);
	return subuids;
}

void subuids_destroy(struct subuids *subuids)
{
	if (subuids)
		free(subuids->ranges);
	free(subuids);
}

static bool is_number(const char *text)
{
	return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* False: there is no such user in the local file. */
static bool find_user(const char *name, uint32_t *uid)
{
	FILE *file;
	const struct passwd *entry;
	bool found = false;

	if (is_number(name)) {
		*uid = (uint32_t)strtoul(name, NULL, 10);
		return true;
	}
	file = fopen(PASSWD_FILE, "re");
	while (file && !found && (entry = fgetpwent(file))) {
		found = strcmp(entry->pw_name, name) == 0;
		if (found)
			*uid = (uint32_t)entry->pw_uid;
	}
	if (file)
		fclose(file);
	return found;
}

/* A line: NAME:FIRST:COUNT. */
static void add_range(struct subuids *subuids, const char *line)
{
	char name[NAME_MAX_SIZE + 1];
	unsigned long first, count;
	struct range range;

	if (sscanf(line, "%64[^:]:%lu:%lu", name, &first, &count) != 3 || first == 0 ||
	    count == 0 || first > UINT32_MAX || count > UINT32_MAX - first)
		return;
	range = (struct range){ (uint32_t)first, (uint32_t)(first + count - 1), 0 };
	/* Their first id stands for those who are no limited user of this machine. */
	if (!find_user(name, &range.owner) || range.owner == 0 || range.owner == geteuid())
		range.owner = range.first;
	subuids->ranges[subuids->nr_ranges++] = range;
}

static int compare_ranges(const void *one, const void *other)
{
	const struct range *a = one, *b = other;

	return (a->first > b->first) - (a->first < b->first);
}

static void read_ranges(struct subuids *subuids, FILE *file)
{
	char line[256];

	while (subuids->nr_ranges < SUBUIDS_MAX && fgets(line, sizeof(line), file))
		add_range(subuids, line);
	qsort(subuids->ranges, subuids->nr_ranges, sizeof(*subuids->ranges), compare_ranges);
}

void subuids_refresh(struct subuids *subuids)
{
	struct stat status = { .st_ino = 0 };
	FILE *file;

	(void)stat(subuids->path, &status);
	if (status.st_ino == subuids->status.st_ino && status.st_size == subuids->status.st_size &&
	    status.st_mtim.tv_sec == subuids->status.st_mtim.tv_sec &&
	    status.st_mtim.tv_nsec == subuids->status.st_mtim.tv_nsec)
		return;
	subuids->status = status;
	subuids->nr_ranges = 0;
	file = fopen(subuids->path, "re");
	if (!file)
		return;
	read_ranges(subuids, file);
	fclose(file);
}

uint32_t subuids_owner(const struct subuids *subuids, uint32_t uid)
{
	/* Ranges may overlap: all are looked at, once for each user that comes. */
	for (uint32_t i = 0; subuids && i < subuids->nr_ranges; i++) {
		const struct range *range = &subuids->ranges[i];

		if (uid >= range->first && uid <= range->last)
			return range->owner;
	}
	return uid;
}
