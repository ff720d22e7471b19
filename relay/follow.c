/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "relay/follow.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "common/live-time.h"
#include "common/relay-journal.h"

#define METADATA "metadata"
#define METADATA_MAX (UINT64_C(256) << 20)
/* Less is not worth a hole: file systems give back whole blocks. */
#define HOLE_MIN (UINT64_C(256) << 10)
#define PAGE UINT64_C(4096)

/* ---- streams ------------------------------------------------------------------------ */

static int compare_streams(const void *one, const void *other)
{
	const struct follow_stream *a = one, *b = other;

	return strcmp(a->name, b->name);
}

static int compare_key(const void *name, const void *stream)
{
	return strcmp(name, ((const struct follow_stream *)stream)->name);
}

struct follow_stream *follow_find(const struct follow *follow, const char *name)
{
	void *node = tfind(name, (void *const *)&follow->by_name, compare_key);

	return node ? *(struct follow_stream **)node : NULL;
}

static struct follow_stream *add_stream(struct follow *follow, const char *name)
{
	size_t size = strlen(name) + 1;
	struct follow_stream *stream = calloc(1, sizeof(*stream) + size);

	if (!stream)
		return NULL;
	memcpy(stream->name, name, size);
	stream->held = UINT64_MAX;
	if (!tsearch(stream, &follow->by_name, compare_streams)) {
		free(stream);
		return NULL;
	}
	cds_list_add_tail(&stream->node, &follow->streams);
	return stream;
}

static void make_due(struct follow *follow, struct follow_stream *stream)
{
	if (stream->is_due || stream->is_broken)
		return;
	stream->is_due = true;
	cds_list_add_tail(&stream->due, &follow->due);
}

int follow_touch(struct follow *follow, const char *index_name)
{
	size_t length = strlen(index_name), suffix = sizeof(CTF_INDEX_SUFFIX) - 1;
	struct follow_stream *stream;
	char name[NAME_MAX + 1];

	if (length <= suffix || length > NAME_MAX || index_name[0] == '.' ||
	    strcmp(index_name + length - suffix, CTF_INDEX_SUFFIX) != 0)
		return 0;
	memcpy(name, index_name, length - suffix);
	name[length - suffix] = '\0';
	stream = follow_find(follow, name);
	if (!stream)
		stream = add_stream(follow, name);
	if (!stream)
		return -ENOMEM;
	make_due(follow, stream);
	return 0;
}

void follow_rouse(struct follow *follow)
{
	struct follow_stream *stream;

	cds_list_for_each_entry(stream, &follow->streams, node) {
		if (stream->held != UINT64_MAX)
			make_due(follow, stream);
	}
}

int follow_scan(struct follow *follow)
{
	int error = 0, fd = openat(follow->index, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct dirent *entry;
	DIR *folder;

	if (fd < 0)
		return -errno;
	folder = fdopendir(fd);
	if (!folder) {
		error = -errno;
		close(fd);
		return error;
	}
	while (!error && (entry = readdir(folder)))
		error = follow_touch(follow, entry->d_name);
	closedir(folder);
	return error;
}

void follow_restart(struct follow *follow)
{
	struct follow_stream *stream;

	cds_list_for_each_entry(stream, &follow->streams, node) {
		if (stream->is_open)
			cds_list_del(&stream->open);
		stream->is_open = false;
		stream->is_added = false;
		if (stream->is_closed)
			cds_list_add_tail(&stream->ended, &follow->ended);
		stream->is_closed = false;
		stream->quiet = 0;
		stream->sent = stream->confirmed;
		stream->bytes = stream->mark.bytes = 0;
		/* Of what was on the way, nothing goes. */
		stream->last = 0;
		make_due(follow, stream);
	}
	follow->has_news = true;
	follow->anchor.is_added = follow->has_unseen = false;
	follow->has_metadata_stream = false;
	follow->is_described = false;
	follow->metadata = (struct stat){ .st_ino = 0 };
	relay_metadata_sent(&follow->sent, NULL, 0);
}

/* ---- how far they were sent ----------------------------------------------------------- */

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

void follow_forget(struct follow *follow, struct follow_stream *stream)
{
	const struct relay_journal_record record = { .confirmed = 0 };

	/* What is not noted is of a file that is not there: the next one sees that. */
	if (stream->slot && pwrite(follow->journal, &record, sizeof(record),
				   (off_t)((stream->slot - 1) * sizeof(record))) == sizeof(record))
		free_slot(follow, stream->slot);
	if (stream->is_due)
		cds_list_del(&stream->due);
	if (stream->is_open)
		cds_list_del(&stream->open);
	if (stream->is_ended && !stream->is_closed)
		cds_list_del(&stream->ended);
	cds_list_del(&stream->node);
	tdelete(stream, &follow->by_name, compare_streams);
	free(stream);
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

/* Of both journals, what is about the file that is there; of that, the farther one. */
static int take_record(struct follow *follow, struct relay_journal_record *record, uint64_t slot)
{
	struct follow_stream *stream;
	uint64_t inode;
	bool is_name;

	record->name[NAME_MAX] = '\0';
	is_name = record->name[0] && !strchr(record->name, '/');
	inode = is_name ? index_inode(follow, record->name) : 0;
	/* Of a spool, those that have ended are gone. */
	if (!is_name || (!inode && follow->is_spool)) {
		if (slot)
			free_slot(follow, slot);
		return 0;
	}
	stream = follow_find(follow, record->name);
	if (!stream)
		stream = add_stream(follow, record->name);
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

/* ---- files ----------------------------------------------------------------------------- */

/* Packets that were sent, and that the machine lost when it died: others have their numbers now. */
static void forget_lost(struct follow_stream *stream, uint64_t index_size)
{
	uint64_t header = sizeof(struct ctf_index_header), packets = 0;

	if (index_size > header)
		packets = (index_size - header) / sizeof(struct ctf_index_entry);
	if (stream->confirmed > packets)
		stream->confirmed = stream->sent = packets;
}

/* Is the index the one that was read before? Else nothing of it was sent yet. */
static int check_index(struct follow_stream *stream, int index_fd)
{
	struct stat status;
	bool is_other;

	if (fstat(index_fd, &status) < 0)
		return -errno;
	is_other = stream->inode && stream->inode != status.st_ino;
	stream->inode = status.st_ino;
	if (!is_other) {
		forget_lost(stream, (uint64_t)status.st_size);
		return 0;
	}
	stream->sent = stream->confirmed = stream->had = 0;
	stream->hole = stream->last = stream->mark.last = 0;
	return -ESTALE;
}

int follow_open_stream(const struct follow *follow, struct follow_stream *stream, int *stream_fd,
		       int *index_fd)
{
	char name[NAME_MAX + sizeof(CTF_INDEX_SUFFIX)];
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int error;

	snprintf(name, sizeof(name), "%s" CTF_INDEX_SUFFIX, stream->name);
	*index_fd = openat(follow->index, name, flags);
	if (*index_fd < 0)
		return -errno;
	error = check_index(stream, *index_fd);
	*stream_fd = error ? -1 : openat(follow->dir, stream->name, flags);
	if (*stream_fd >= 0)
		return 0;
	error = error ? error : -errno;
	close(*index_fd);
	return error;
}

int follow_read(const struct follow *follow, struct follow_stream *stream, int index_fd,
		struct ctf_index_entry entries[FOLLOW_ENTRIES])
{
	ssize_t got =
		pread(index_fd, entries, FOLLOW_ENTRIES * sizeof(entries[0]),
		      (off_t)(sizeof(struct ctf_index_header) + stream->sent * sizeof(entries[0])));
	int nr_entries;

	if (got < 0)
		return -errno;
	nr_entries = (int)((size_t)got / sizeof(entries[0]));
	stream->held = UINT64_MAX;
	for (int i = 0; i < nr_entries && !follow->is_final && !follow->is_pressed; i++) {
		if (be64toh(entries[i].timestamp_end) <= follow->horizon)
			continue;
		stream->held = be64toh(entries[i].timestamp_begin);
		return i;
	}
	return nr_entries;
}

void follow_read_live(struct follow *follow)
{
	struct live_time live;
	int fd =
		openat(follow->dir, LIVE_TIME_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (pread(fd, &live, sizeof(live), 0) == sizeof(live) && live.magic == LIVE_TIME_MAGIC) {
		follow->told = live.time;
		follow->is_pressed = live.is_full != 0;
	}
	close(fd);
}

static int read_all(int fd, char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, bytes + done, size - done, (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		done += (size_t)got;
	}
	return 0;
}

static bool is_same(const struct stat *one, const struct stat *other)
{
	return one->st_ino == other->st_ino && one->st_size == other->st_size &&
	       one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
	       one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

int follow_read_metadata(struct follow *follow, char **text, size_t *size)
{
	struct stat status;
	int error, fd;

	if (fstatat(follow->dir, METADATA, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (is_same(&status, &follow->metadata))
		return -EALREADY;
	fd = openat(follow->dir, METADATA, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = fstat(fd, &status) < 0 ? -errno : 0;
	if (!error && (!S_ISREG(status.st_mode) || status.st_size > (off_t)METADATA_MAX))
		error = -EBADMSG;
	*size = (size_t)status.st_size;
	*text = error ? NULL : malloc(*size + 1);
	if (!error)
		error = *text ? read_all(fd, *text, *size) : -ENOMEM;
	close(fd);
	if (error)
		free(*text);
	else
		follow->metadata = status;
	return error;
}

bool follow_is_abandoned(const struct follow *follow)
{
	/* Its writer holds it shared, for as long as it has it open. */
	if (flock(follow->dir, LOCK_EX | LOCK_NB) < 0)
		return false;
	(void)flock(follow->dir, LOCK_UN);
	return true;
}

/* ---- the folder -------------------------------------------------------------------------- */

static int add_watch(int watch, int fd, uint32_t events)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return inotify_add_watch(watch, path, events);
}

static int open_folders(struct follow *follow, int output, const char *path)
{
	follow->dir = openat(output, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (follow->dir < 0)
		return -errno;
	follow->index = openat(follow->dir, CTF_INDEX_DIRECTORY,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return follow->index < 0 ? -errno : 0;
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

/*
 * Of two that send the same to the same, one is too many; and while one sends a spool, which goes,
 * so is any other.
 */
static int open_journals(struct follow *follow, const char *collector)
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

int follow_open(int output, const char *path, const char *name, const char *collector,
		bool is_spool, int watch, struct follow **result)
{
	struct follow *follow = calloc(1, sizeof(*follow));
	int error;

	*result = NULL;
	if (!follow)
		return -ENOMEM;
	CDS_INIT_LIST_HEAD(&follow->streams);
	CDS_INIT_LIST_HEAD(&follow->due);
	CDS_INIT_LIST_HEAD(&follow->open);
	CDS_INIT_LIST_HEAD(&follow->ended);
	follow->dir = follow->index = follow->journal = follow->other = follow->ended_file = -1;
	follow->watch_dir = follow->watch_index = -1;
	follow->is_spool = is_spool;
	follow->horizon = UINT64_MAX;
	snprintf(follow->name, sizeof(follow->name), "%s", name);
	error = open_folders(follow, output, path);
	if (!error)
		error = open_journals(follow, collector);
	if (!error) {
		/* First, so that nothing falls between. */
		follow->watch_dir = add_watch(watch, follow->dir, IN_MOVED_TO);
		follow->watch_index = add_watch(watch, follow->index, IN_CREATE | IN_MODIFY);
		if (follow->watch_dir < 0 || follow->watch_index < 0)
			error = -errno;
	}
	if (!error)
		error = follow_scan(follow);
	if (error) {
		follow_close(follow, watch);
		return error;
	}
	*result = follow;
	return 0;
}

void follow_close(struct follow *follow, int watch)
{
	struct follow_stream *stream, *next;

	if (!follow)
		return;
	if (follow->watch_dir >= 0)
		(void)inotify_rm_watch(watch, follow->watch_dir);
	if (follow->watch_index >= 0)
		(void)inotify_rm_watch(watch, follow->watch_index);
	cds_list_for_each_entry_safe(stream, next, &follow->streams, node) {
		tdelete(stream, &follow->by_name, compare_streams);
		free(stream);
	}
	relay_metadata_sent(&follow->sent, NULL, 0);
	if (follow->journal >= 0)
		close(follow->journal);
	if (follow->other >= 0)
		close(follow->other);
	if (follow->ended_file >= 0)
		close(follow->ended_file);
	free(follow->free_slots);
	if (follow->index >= 0)
		close(follow->index);
	if (follow->dir >= 0)
		close(follow->dir);
	free(follow);
}
