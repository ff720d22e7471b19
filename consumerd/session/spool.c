/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/session/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/beneath.h"
#include "common/protocol/relay-progress.h"
#include "common/base/time.h"
#include "consumerd/packet/file.h"
#include "consumerd/packet/packet.h"

/* For so long a spool may be full before it is worth a message. */
#define FULL_TOLD_MS 1000
/* Packets that may wait when a consumer begins; more than that are not counted. */
#define WAITING_MAX (UINT64_C(1) << 20)

struct spool {
	uint64_t max;
	bool is_open;
	bool is_lifted;
	int progress; /* OUTPUT/.relay; -1: it cannot be opened */
	enum relay_progress_part part;
	/* There is written + found, of which `gone` is known to be sent. */
	uint64_t found;
	uint64_t written;
	uint64_t gone;
	int64_t changed_ms; /* when it became full, or had room again */
	bool is_full;
	bool is_told;
};

struct spool *spool_create(uint64_t max)
{
	struct spool *spool = calloc(1, sizeof(*spool));

	if (!spool)
		return NULL;
	spool->max = max;
	spool->progress = -1;
	return spool;
}

void spool_destroy(struct spool *spool)
{
	if (spool && spool->progress >= 0)
		close(spool->progress);
	free(spool);
}

/* 0; -ENODATA: nothing was sent yet, as far as can be told. */
static int read_progress(const struct spool *spool, struct relay_progress *progress)
{
	ssize_t got = spool->progress < 0
			      ? -EBADF
			      : file_read(spool->progress, progress, sizeof(*progress), 0);

	if (got != sizeof(*progress) || progress->magic != RELAY_PROGRESS_MAGIC)
		return -ENODATA;
	return 0;
}

struct measure {
	struct trace *trace; /* or a chunk of it */
	int archives;        /* its chunks' folder */
	uint64_t bytes;
	uint64_t *left; /* entries that may be read */
};

/* From packet `first` on. Their owner wrote that: there is an end to what is read. */
static uint64_t packet_bytes(int index, uint64_t first, uint64_t *left)
{
	struct ctf_index_entry entries[256];
	uint64_t at, bytes = 0;
	size_t got = sizeof(entries) / sizeof(entries[0]);

	for (; *left && got == sizeof(entries) / sizeof(entries[0]); first += got) {
		ssize_t size;

		at = sizeof(struct ctf_index_header) + first * sizeof(entries[0]);
		size = file_read(index, entries, sizeof(entries), at);
		got = size < 0 ? 0 : (size_t)size / sizeof(entries[0]);
		for (size_t i = 0; i < got; i++)
			bytes += packet_index_extent(&entries[i]).size;
		*left -= got < *left ? got : *left;
	}
	return bytes;
}

/* Adds the bytes written of a stream: not its file's size, since room in the file is reused. */
static int add_stream(void *data, const char *index_name)
{
	size_t length = strlen(index_name), suffix = sizeof(CTF_INDEX_SUFFIX) - 1;
	struct relay_journal_record record;
	struct measure *measure = data;
	char name[NAME_MAX + 1];
	uint64_t slot = 0;
	struct stat status;
	int fd = beneath_open(measure->trace->index, index_name, O_RDONLY, 0, BENEATH_ANYBODY);

	if (fd < 0)
		return 0;
	snprintf(name, sizeof(name), "%.*s", length > suffix ? (int)(length - suffix) : 0,
		 index_name);
	if (fstat(fd, &status) < 0 ||
	    !trace_find_record(measure->trace, name, status.st_ino, &slot, &record))
		record = (struct relay_journal_record){ .confirmed = 0 };
	measure->bytes += record.bytes + packet_bytes(fd, record.confirmed, measure->left);
	close(fd);
	return 0;
}

/* Chunks that are complete, and not sent yet. */
static int add_chunk(void *data, const char *name)
{
	struct trace trace = { .output = -1, .index = -1, .journal = -1, .progress = -1 };
	struct measure *measure = data, chunk = { .trace = &trace, .left = measure->left };
	int folder = beneath_open_directory(measure->archives, name, BENEATH_ANYBODY);

	if (folder < 0)
		return 0;
	trace.dir = beneath_open_directory(folder, TRACE_DIRECTORY, BENEATH_ANYBODY);
	close(folder);
	if (trace.dir < 0)
		return 0;
	trace.index = beneath_open_directory(trace.dir, CTF_INDEX_DIRECTORY, BENEATH_ANYBODY);
	trace_open_notes(&trace);
	if (trace.index >= 0)
		(void)trace_for_each(trace.index, add_stream, &chunk);
	trace_close(&trace);
	measure->bytes += chunk.bytes;
	return 0;
}

static uint64_t measure(struct trace *trace)
{
	uint64_t left = WAITING_MAX;
	struct measure measure = { .trace = trace, .archives = -1, .left = &left };

	trace_open_notes(trace);
	(void)trace_for_each(trace->index, add_stream, &measure);
	if (!trace->is_kernel)
		measure.archives =
			beneath_open_directory(trace->output, TRACE_ARCHIVES, BENEATH_ANYBODY);
	if (measure.archives >= 0) {
		(void)trace_for_each(measure.archives, add_chunk, &measure);
		close(measure.archives);
	}
	return measure.bytes;
}

void spool_open(struct spool *spool, struct trace *trace)
{
	struct relay_progress progress = { .magic = 0 };

	if (!spool || spool->is_open)
		return;
	trace_become_owner(trace);
	spool->is_open = true;
	spool->part = trace->is_kernel ? RELAY_PROGRESS_KERNEL : RELAY_PROGRESS_USER;
	spool->progress = beneath_open(trace->output, RELAY_PROGRESS_NAME, O_RDWR | O_CREAT, 0660,
				       trace->made_as);
	/* Files that went are in what was sent, and not in what is found. */
	if (read_progress(spool, &progress) == 0)
		spool->found = progress.parts[spool->part].removed;
	spool->found += measure(trace);
	/*
	 * Counts streams removed meanwhile, or by a process that was killed before it noted that.
	 */
	if (read_progress(spool, &progress) == 0 &&
	    spool->found < progress.parts[spool->part].confirmed)
		spool->found = progress.parts[spool->part].confirmed;
	trace_become_self();
}

void spool_count(struct spool *spool, uint64_t bytes)
{
	if (spool)
		spool->written += bytes;
}

void spool_lift(struct spool *spool, bool is_lifted)
{
	if (spool)
		spool->is_lifted = is_lifted;
}

static bool fits_in(const struct spool *spool, uint64_t max)
{
	uint64_t all = spool->found + spool->written;

	return all <= spool->gone || all - spool->gone < max;
}

static bool fits(const struct spool *spool)
{
	return spool->is_lifted || fits_in(spool, spool->max);
}

bool spool_has_reserve(const struct spool *spool)
{
	return fits_in(spool, 2 * spool->max);
}

static enum spool_news tell(struct spool *spool, bool is_full)
{
	int64_t now;

	if (is_full == spool->is_full && is_full == spool->is_told)
		return SPOOL_NEWS_NONE;
	now = time_now_ms();
	if (is_full != spool->is_full)
		spool->changed_ms = now;
	spool->is_full = is_full;
	/* Room is told at once: it may be the last time that anybody asks. */
	if (is_full == spool->is_told || (is_full && now - spool->changed_ms < FULL_TOLD_MS))
		return SPOOL_NEWS_NONE;
	spool->is_told = is_full;
	return is_full ? SPOOL_NEWS_FULL : SPOOL_NEWS_ROOM;
}

bool spool_has_room(struct spool *spool, enum spool_news *news)
{
	struct relay_progress progress;
	bool has_room = fits(spool);

	if (!has_room && read_progress(spool, &progress) == 0) {
		spool->gone = progress.parts[spool->part].confirmed;
		has_room = fits(spool);
	}
	*news = tell(spool, !has_room);
	return has_room;
}
