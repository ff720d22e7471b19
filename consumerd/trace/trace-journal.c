/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/trace/trace.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/beneath.h"
#include "common/protocol/relay-journal.h"
#include "common/protocol/relay-progress.h"
#include "consumerd/packet/file.h"

/* So many places are looked at; streams beyond them are as if nothing of them were sent. */
#define SLOTS_MAX 4096u
#define SLOTS_READ 64u

static void open_note(int *fd, int folder, const char *name)
{
	if (*fd < 0)
		*fd = beneath_open(folder, name, O_RDONLY, 0, BENEATH_ANYBODY);
}

void trace_open_notes(struct trace *trace)
{
	open_note(&trace->journal, trace->dir, RELAY_JOURNAL_NAME);
	open_note(&trace->progress, trace->output, RELAY_PROGRESS_NAME);
}

/* From the one at `slot` on, counted from 1. How many there are. */
static size_t read_records(const struct trace *trace, uint64_t slot, size_t number,
			   struct relay_journal_record *records)
{
	ssize_t got = file_read(trace->journal, records, number * sizeof(*records),
				(slot - 1) * sizeof(*records));

	return got < 0 ? 0 : (size_t)got / sizeof(*records);
}

static bool is_about(const struct relay_journal_record *record, const char *name, uint64_t inode)
{
	return record->inode == inode && strncmp(record->name, name, sizeof(record->name)) == 0;
}

bool trace_find_record(const struct trace *trace, const char *name, uint64_t inode, uint64_t *slot,
		       struct relay_journal_record *record)
{
	struct relay_journal_record records[SLOTS_READ];
	size_t got = SLOTS_READ;

	if (trace->journal < 0)
		return false;
	if (*slot && read_records(trace, *slot, 1, record) && is_about(record, name, inode))
		return true;
	for (uint64_t first = 1; first <= SLOTS_MAX && got == SLOTS_READ; first += got) {
		got = read_records(trace, first, SLOTS_READ, records);
		for (size_t i = 0; i < got; i++) {
			if (!is_about(&records[i], name, inode))
				continue;
			*slot = first + i;
			*record = records[i];
			return true;
		}
	}
	*slot = 0;
	return false;
}

uint64_t trace_lost(const struct trace *trace)
{
	struct relay_progress progress;

	if (trace->progress < 0 ||
	    file_read(trace->progress, &progress, sizeof(progress), 0) != sizeof(progress) ||
	    progress.magic != RELAY_PROGRESS_MAGIC)
		return 0;
	return progress.lost;
}

bool trace_is_reused(const struct trace *trace)
{
	struct stat status;

	return beneath_stat(trace->dir, RELAY_JOURNAL_NAME, &status) == 0 && status.st_size > 0;
}
