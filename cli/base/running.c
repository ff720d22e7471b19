/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/base/running.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At most so many descendants are looked at. */
#define DESCENDANTS_MAX 4096

/* The program's name, or "?". */
static void read_name(pid_t pid, char name[NAME_PROGRAM_SIZE])
{
	char path[32], text[64];
	FILE *file;
	size_t size = 0;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	if (file) {
		size = fread(text, 1, sizeof(text), file);
		fclose(file);
	}
	if (size && text[size - 1] == '\n')
		size--;
	if (size)
		name_clean_program(text, size, name);
	else
		snprintf(name, NAME_PROGRAM_SIZE, "?");
}

void running_add(struct running *running, pid_t pid)
{
	size_t used = strlen(running->text);
	char name[NAME_PROGRAM_SIZE];

	if (running->count == RUNNING_NAMED_MAX)
		snprintf(running->text + used, sizeof(running->text) - used, " and others");
	if (running->count++ >= RUNNING_NAMED_MAX)
		return;
	read_name(pid, name);
	snprintf(running->text + used, sizeof(running->text) - used, "%s%d (%s)", used ? ", " : "",
		 (int)pid, name);
}

/* ---- descendants ----------------------------------------------------------------------- */

struct descendants {
	pid_t all[DESCENDANTS_MAX];
	unsigned count;
};

static void add_children_of_thread(struct descendants *descendants, pid_t pid, const char *thread)
{
	char path[64];
	FILE *file;
	int child;

	if ((size_t)snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)pid, thread) >=
	    sizeof(path))
		return;
	file = fopen(path, "re");
	while (file && descendants->count < DESCENDANTS_MAX && fscanf(file, "%d", &child) == 1)
		descendants->all[descendants->count++] = child;
	if (file)
		fclose(file);
}

static void add_children(struct descendants *descendants, pid_t pid)
{
	const struct dirent *thread;
	char path[64];
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	while (threads && (thread = readdir(threads)))
		if (thread->d_name[0] != '.')
			add_children_of_thread(descendants, pid, thread->d_name);
	if (threads)
		closedir(threads);
}

/* True also if nobody may know. */
static bool is_without(pid_t pid, const char *library)
{
	bool is_with = false;
	char path[32], *line = NULL;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps && !is_with && getline(&line, &size, maps) > 0) {
		const char *name = strrchr(line, '/');

		is_with = name && strncmp(name + 1, library, strlen(library)) == 0;
	}
	free(line);
	if (maps)
		fclose(maps);
	return !is_with;
}

void running_add_descendants_without(struct running *running, pid_t pid, const char *library)
{
	struct descendants *descendants = calloc(1, sizeof(*descendants));

	if (!descendants)
		return;
	add_children(descendants, pid);
	for (unsigned i = 0; i < descendants->count; i++) {
		if (is_without(descendants->all[i], library))
			running_add(running, descendants->all[i]);
		add_children(descendants, descendants->all[i]);
	}
	free(descendants);
}
