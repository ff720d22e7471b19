/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-rings.c - the default size of rings.
 *
 * A program may write two million events at once, faster than a disk takes them: its rings should
 * hold them. Only written pages take memory, but a program that writes without end uses all pages.
 * So a process's rings get a share of the available memory: the machine's, the control group's, and
 * the program's address space.
 */
#include <config.h>

#include "cli/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <lttngmap/abi.h>

#include "cli/base/message.h"
#include "cli/base/options.h"

/* At most 64 MiB for a ring. */
#define SUBBUFS 64
#define SUBBUF_SIZE_MOST (UINT64_C(1) << 20)
#define SUBBUF_SIZE_LEAST (UINT64_C(64) << 10)
/* The least that a channel may have, and what a file needs beside a sub-buffer. */
#define SUBBUF_SIZE_IN_FILE (UINT64_C(4) << 10)
#define FILE_BLOCK (UINT64_C(4) << 10)
#define SUBBUFS_IN_FILES 1024
/* All rings of a process get this part of the available memory. */
#define MEMORY_PART 8
/* A sub-buffer is written whole or not at all: at least so many fit on the disk. */
#define DISK_PART 16

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t memory_available(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[128];

	while (file && kib == 0 && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %llu", &kib) != 1)
			kib = 0;
	if (file)
		fclose(file);
	return kib ? kib << 10 : UINT64_MAX;
}

/* The memory limit of the control group in that folder of the unified hierarchy. */
static uint64_t group_limit(const char *folder)
{
	char path[PATH_MAX];
	unsigned long long bytes = 0;
	FILE *file;

	if ((size_t)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", folder) >=
	    sizeof(path))
		return UINT64_MAX;
	file = fopen(path, "re");
	if (!file)
		return UINT64_MAX;
	if (fscanf(file, "%llu", &bytes) != 1)
		bytes = 0; /* "max" */
	fclose(file);
	return bytes ? bytes : UINT64_MAX;
}

/* The smallest limit of our control group and its parents. */
static uint64_t groups_limit(void)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	uint64_t limit = UINT64_MAX;
	char line[PATH_MAX];

	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "0::", 3) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		for (char *slash = line + strlen(line); slash; slash = strrchr(line + 3, '/')) {
			*slash = '\0';
			limit = least_of(limit, group_limit(line + 3));
		}
	}
	if (file)
		fclose(file);
	return limit;
}

static uint64_t address_space(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

static uint64_t rings_size(const struct record *record)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t rings = (cpus > 0 ? (uint64_t)cpus : 1) + LTTNGMAP_EXTRA_RINGS;

	return rings * ((uint64_t)record->options.subbufs + 1) * record->subbuf_size;
}

/*
 * A stream's file holds a sub-buffer and a block: sub-buffers are halved until it does. There are
 * more of them then, up to `most`.
 */
static void fit_file(struct record *record, int most)
{
	while (record->file_size && record->subbuf_size > SUBBUF_SIZE_IN_FILE &&
	       record->subbuf_size + FILE_BLOCK > record->file_size) {
		record->subbuf_size /= 2;
		if (record->options.subbufs < most)
			record->options.subbufs *= 2;
	}
}

/* Rings in files take their whole size on disk at once, so they keep the small default. */
static void choose(struct record *record)
{
	uint64_t room = least_of(least_of(memory_available(), groups_limit()), address_space());

	record->options.subbufs = SUBBUFS;
	record->subbuf_size = SUBBUF_SIZE_MOST;
	while (record->subbuf_size > SUBBUF_SIZE_LEAST && rings_size(record) > room / MEMORY_PART)
		record->subbuf_size /= 2;
	fit_file(record, SUBBUFS_IN_FILES);
}

void record_rings_fit(struct record *record)
{
	struct statvfs status;
	uint64_t room;

	if (record->options.subbuf_size || statvfs(record->output.path, &status) < 0 ||
	    status.f_blocks == 0)
		return;
	room = (uint64_t)status.f_bavail * status.f_frsize;
	while (record->subbuf_size > SUBBUF_SIZE_LEAST && record->subbuf_size > room / DISK_PART)
		record->subbuf_size /= 2;
}

int record_rings_check(struct record *record)
{
	struct record_options *options = &record->options;
	bool is_given = options->subbuf_size != NULL;
	const char *why;
	int error;

	if (!options->subbuf_size && options->subbufs == RECORD_SUBBUFS_DEFAULT &&
	    !options->ring_dir) {
		choose(record);
		return 0;
	}
	if (!options->subbuf_size)
		options->subbuf_size = (char *)OPTIONS_SUBBUF_SIZE;
	if (options->subbufs == RECORD_SUBBUFS_DEFAULT)
		options->subbufs = OPTIONS_SUBBUFS;
	error = options_parse_size(options->subbuf_size, &record->subbuf_size);
	if (error) {
		message_error("record: --subbuf-size: '%s' is not a size", options->subbuf_size);
		message_hint("write a number of bytes, or one with K, M or G");
		return error;
	}
	if (!is_given)
		fit_file(record, 0);
	error = options_check_subbuf_size(record->subbuf_size, &why);
	if (error) {
		message_error("record: --subbuf-size: '%s' cannot be used", options->subbuf_size);
		message_hint("%s", why);
		return error;
	}
	error = options_check_subbufs((uint64_t)options->subbufs, &why);
	if (error) {
		message_error("record: --subbufs: '%d' cannot be used", options->subbufs);
		message_hint("%s", why);
	}
	return error;
}
