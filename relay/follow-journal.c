/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * follow-journal.c - how far the streams of a trace were sent, and what of a spool goes
 * for that: see common/protocol/relay-journal.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/protocol/relay-journal.h"
#include "relay/follow-parts.h"

/* Less is not worth a hole: file systems give back whole blocks. */
#define HOLE_MIN (UINT64_C(256) << 10)
#define PAGE UINT64_C(4096)

/* ---- records --------------------------------------------------------------------------- */

/* Without memory for it, it is left out. */
static void free_slot(struct follow *follow, uint64_t slot)
{
	uint64_t *slots = NULL;

	/* Room for a power of two of them. */
	if (follow->nr_free & (follow->nr_free - 1))
		slots = follow->free_slots;
	else
		slots = reallocarray(follow->free_slots, follow->nr_free ? follow->nr_free * 2 : 1,
				     sizeof(slots[0]));
	if (!slots)
		return;
	follow->free_slots = slots;
	follow->free_slots[follow->nr_free++] = slot;
}

void follow_empty_record(struct follow *follow, const struct follow_stream *stream)
{
	const struct relay_journal_record record = { .confirmed = 0 };

	/* If the note fails, the file does not exist: the next sender sees that. */
	if (stream->slot && pwrite(follow->journal, &record, sizeof(record),
				   (off_t)((stream->slot - 1) * sizeof(record))) == sizeof(record))
		free_slot(follow, stream->slot);
}

/* 0: there is none. */
static uint64_t index_inode(const struct follow *follow, const char *name)
{
	char index_name[NAME_MAX + sizeof(CTF_INDEX_SUFFIX)];
	struct stat status;

	snprintf(index_name, sizeof(index_name), "%s" CTF_INDEX_SUFFIX, name);
	if (fstatat(follow->index, index_name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	return status.st_ino;
}

/* Takes the record about the existing file from both journals; of two, the farther one. */
static int take_record(struct follow *follow, struct relay_journal_record *record, uint64_t slot)
{
	struct follow_stream *stream;
	uint64_t inode;
	bool is_name;

	record->name[NAME_MAX] = '\0';
	is_name = record->name[0] && !strchr(record->name, '/');
	inode = is_name ? index_inode(follow, record->name) : 0;
	/* A spool's ended streams are gone. */
	if (!is_name || (!inode && follow->is_spool)) {
		if (slot)
			free_slot(follow, slot);
		return 0;
	}
	stream = follow_find(follow, record->name);
	if (!stream)
		stream = follow_add(follow, record->name);
	if (!stream)
		return -ENOMEM;
	if (slot)
		stream->slot = slot;
	if (stream->inode == inode &&
	    (record->inode != inode || stream->confirmed >= record->confirmed))
		return 0;
	stream->confirmed = stream->sent = record->confirmed;
	stream->had = record->bytes;
	stream->inode = record->inode;
	return 0;
}

static int read_journal(struct follow *follow, int fd, bool is_own)
{
	uint64_t nr_records = 0;
	struct relay_journal_record record;
	int error = 0;

	while (!error && pread(fd, &record, sizeof(record), (off_t)(nr_records * sizeof(record))) ==
				 sizeof(record)) {
		nr_records++;
		error = take_record(follow, &record, is_own ? nr_records : 0);
	}
	if (is_own)
		follow->nr_slots = nr_records;
	return error;
}

static int write_journal(struct follow *follow, struct follow_stream *stream)
{
	struct relay_journal_record record = {
		.confirmed = stream->confirmed,
		.bytes = stream->had,
		.inode = stream->inode,
	};
	off_t at;

	if (!stream->slot)
		stream->slot = follow->nr_free ? follow->free_slots[--follow->nr_free]
					       : ++follow->nr_slots;
	at = (off_t)((stream->slot - 1) * sizeof(record));
	snprintf(record.name, sizeof(record.name), "%s", stream->name);
	return pwrite(follow->journal, &record, sizeof(record), at) == sizeof(record) ? 0 : -EIO;
}

/* One that may be there already. A descriptor, or -errno; -EBUSY: somebody else has it. */
static int open_journal(const struct follow *follow, const char *name, int lock)
{
	int error, fd = openat(follow->dir, name,
			       O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0660);

	if (fd < 0)
		return -errno;
	if (flock(fd, lock | LOCK_NB) == 0)
		return fd;
	error = errno == EWOULDBLOCK ? -EBUSY : -errno;
	close(fd);
	return error;
}

int follow_open_journals(struct follow *follow, const char *collector)
{
	char name[sizeof(RELAY_JOURNAL_NAME "-") + NAME_MAX];
	int error = 0;

	snprintf(name, sizeof(name), RELAY_JOURNAL_NAME "-%s", collector);
	if (follow->is_spool) {
		follow->journal = open_journal(follow, RELAY_JOURNAL_NAME, LOCK_EX);
		follow->other =
			openat(follow->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	} else {
		follow->other = open_journal(follow, RELAY_JOURNAL_NAME, LOCK_SH);
		follow->journal = follow->other < 0 ? follow->other
						    : open_journal(follow, name, LOCK_EX);
	}
	if (follow->journal < 0)
		return follow->journal;
	if (follow->other >= 0)
		error = read_journal(follow, follow->other, false);
	return error ? error : read_journal(follow, follow->journal, true);
}

void follow_close_journals(struct follow *follow)
{
	if (follow->journal >= 0)
		close(follow->journal);
	if (follow->other >= 0)
		close(follow->other);
	free(follow->free_slots);
}

/* ---- what is confirmed ------------------------------------------------------------------ */

/*
 * The pages of what is confirmed, and not its writer's to use again; what cannot be given back is
 * there a while longer. Whole pages: one in part would be zeroed, also where a lost connection has
 * it.
 */
static void make_hole(const struct follow *follow, struct follow_stream *stream)
{
	uint64_t end = stream->mark.last & ~(PAGE - 1);
	int fd;

	if (stream->hole < RELAY_CIRCLE_SIZE)
		stream->hole = RELAY_CIRCLE_SIZE;
	if (end < stream->hole + HOLE_MIN)
		return;
	fd = openat(follow->dir, stream->name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)stream->hole,
		      (off_t)(end - stream->hole)) == 0)
		stream->hole = end;
	close(fd);
}

/* It is asked about the others first, whose marks are older. */
void follow_mark(struct follow *follow, struct follow_stream *stream, uint64_t now)
{
	stream->mark.time = now;
	stream->mark.sent = stream->sent;
	stream->mark.bytes = stream->bytes;
	stream->mark.last = stream->last;
	if (stream->is_open)
		cds_list_del(&stream->open);
	stream->is_open = stream->sent != stream->confirmed;
	if (stream->is_open)
		cds_list_add_tail(&stream->open, &follow->open);
}

void follow_mark_sent(struct follow *follow)
{
	struct follow_stream *stream;

	cds_list_for_each_entry(stream, &follow->open, open) {
		stream->mark.time = 0;
		stream->mark.sent = stream->sent;
		stream->mark.bytes = stream->bytes;
		stream->mark.last = stream->last;
	}
}

int follow_confirm(struct follow *follow, struct follow_stream *stream, uint64_t now,
		   uint64_t *bytes)
{
	int error;

	stream->confirmed = stream->mark.sent;
	*bytes = stream->mark.bytes;
	stream->bytes -= stream->mark.bytes;
	stream->had += stream->mark.bytes;
	error = write_journal(follow, stream);
	/* A stream of which it is not known is sent again, and needs its bytes. */
	if (!error && follow->is_spool)
		make_hole(follow, stream);
	follow_mark(follow, stream, now);
	return error;
}

uint64_t follow_confirmed(const struct follow *follow)
{
	const struct follow_stream *stream;
	uint64_t bytes = 0;

	cds_list_for_each_entry(stream, &follow->streams, node)
		bytes += stream->had;
	return bytes;
}

bool follow_is_confirmed(struct follow *follow)
{
	return cds_list_empty(&follow->due) && cds_list_empty(&follow->open);
}
