/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/storage/saved-state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "common/protocol/attach-request.h"
#include "sessiond/base/geometry.h"

static uint64_t page_up(uint64_t size)
{
	uint64_t page = memory_page_size();

	return (size + page - 1) / page * page;
}

/* ---- making ---------------------------------------------------------------------- */

void saved_lay_out(uint32_t cpu_rings, struct saved_layout *layout)
{
	layout->set_stride = (ring_set_saved_size(cpu_rings) + 63) & ~UINT64_C(63);
	layout->process_stride = page_up(sizeof(struct saved_process)) +
				 page_up(LTTNGMAP_CHANNELS * layout->set_stride);
	layout->text[0] = page_up(sizeof(struct saved_head));
	layout->text[1] = layout->text[0] + SAVED_TEXT_MAX;
	layout->log[0] = layout->text[1] + SAVED_TEXT_MAX;
	layout->log[1] = layout->log[0] + SAVED_LOG_MAX;
	layout->described = layout->log[1] + SAVED_LOG_MAX;
	layout->records = layout->described +
			  (uint64_t)SAVED_SESSIONS * LTTNGMAP_CHANNELS * SAVED_DESCRIBED_SIZE;
	layout->size = layout->records + SAVED_PROCESSES * layout->process_stride;
}

uint64_t saved_set_offset(const struct saved_layout *layout, uint32_t slot)
{
	return page_up(sizeof(struct saved_process)) + slot * layout->set_stride;
}

void saved_state_abi(uint32_t numbers[SAVED_ABI_NUMBERS])
{
	const uint32_t all[] = {
		LTTNGMAP_SUBBUF_HEAD,
		LTTNGMAP_SUBBUF_TAIL,
		LTTNGMAP_RECORD_HEADER_SIZE,
		LTTNGMAP_EXTRA_RINGS,
		LTTNGMAP_CHANNELS,
		LTTNGMAP_EVENT_IDS,
		LTTNGMAP_POSITION_BITS,
		LTTNGMAP_SLOT_STATE_SHIFT,
		LTTNGMAP_SLOT_SEQ_SHIFT,
		sizeof(struct lttngmap_ring),
		offsetof(struct lttngmap_ring, commit),
		offsetof(struct lttngmap_ring, discards),
		offsetof(struct lttngmap_ring, opened),
		offsetof(struct lttngmap_ring, events_base),
		sizeof(struct lttngmap_subbuf),
		offsetof(struct lttngmap_subbuf, begin),
		offsetof(struct lttngmap_subbuf, content_size),
		offsetof(struct lttngmap_subbuf, events_end),
		offsetof(struct lttngmap_subbuf, discards),
		sizeof(struct saved_head),
		sizeof(struct saved_process),
		(uint32_t)ring_set_saved_size(0), /* no CPU's ring: the extra ones */
		(uint32_t)ring_set_saved_size(1),
	};

	_Static_assert(sizeof(all) <= SAVED_ABI_NUMBERS * sizeof(all[0]), "room for all numbers");
	memset(numbers, 0, SAVED_ABI_NUMBERS * sizeof(numbers[0]));
	memcpy(numbers, all, sizeof(all));
}

void saved_state_read_boot(char boot[40])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, boot, 36);

	boot[length > 0 ? length : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

/*
 * Room for a part that is about to be written for the first time: a full file
 * system is to say so here. Where there is no file, or one that cannot tell,
 * there is room.
 */
static int reserve(const struct saved_state *saved_state, const void *at, uint64_t size)
{
	off_t offset = (const char *)at - (const char *)saved_state->head;

	if (saved_state->fd < 0 || fallocate(saved_state->fd, 0, offset, (off_t)size) == 0 ||
	    errno == EOPNOTSUPP)
		return 0;
	return -errno;
}

static void clear_pages(char *at, const char *end)
{
	static const char zeros[4096];

	for (; at < end; at += sizeof(zeros))
		if (memcmp(at, zeros, sizeof(zeros)) != 0)
			memset(at, 0, sizeof(zeros));
}

/* The same, where the file has something: to look at a page that was never used costs a fault. */
static void clear_data(const struct saved_state *saved_state, char *part, uint64_t size)
{
	char *begin = (char *)saved_state->head;
	off_t at = part - begin, end = at + (off_t)size;

	while ((at = lseek(saved_state->fd, at, SEEK_DATA)) >= 0 && at < end) {
		off_t hole = lseek(saved_state->fd, at, SEEK_HOLE);

		if (hole < 0 || hole > end)
			hole = end;
		clear_pages(begin + at, begin + hole);
		at = hole;
	}
	/* ENXIO: nothing is behind that. Others: it cannot be asked. */
	if (at < 0 && errno != ENXIO)
		clear_pages(part, part + size);
}

/*
 * Makes a part zeros. A file in memory gives its room back. On a disk the room stays: to
 * punch a hole there takes a millisecond, and waits for the file system's journal.
 */
static void clear_part(const struct saved_state *saved_state, char *part, uint64_t size)
{
	if (!saved_state->is_on_disk && madvise(part, size, MADV_REMOVE) == 0)
		return;
	if (saved_state->fd >= 0)
		clear_data(saved_state, part, size);
	else
		clear_pages(part, part + size);
	/* They stay the file's, and are the daemon's memory no more: it goes round all records. */
	madvise(part, size, MADV_DONTNEED);
}

/* A file, so that nobody accounts for what is not used. */
static int open_file(int dir, uint64_t size)
{
	int error, fd = dir < 0 ? memfd_create("lttngmap-ledger", MFD_CLOEXEC)
				: openat(dir, SAVED_FILE,
					 O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) == 0 && (dir < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0))
		return fd;
	error = -errno;
	if (dir >= 0)
		unlinkat(dir, SAVED_FILE, 0);
	close(fd);
	return error;
}

static void fill_head(struct saved_state *saved_state, uint32_t cpu_rings,
		      const struct saved_layout *layout)
{
	struct saved_head *head = saved_state->head;

	head->version = SAVED_VERSION;
	saved_state_abi(head->abi);
	head->cpu_rings = cpu_rings;
	head->page_size = (uint32_t)memory_page_size();
	head->size = saved_state->size;
	head->address = (uintptr_t)head;
	head->set_stride = layout->set_stride;
	head->process_stride = layout->process_stride;
	saved_state_read_boot(head->boot);
	/* Release: who finds it finds the others. */
	__atomic_store_n(&head->magic, SAVED_MAGIC, __ATOMIC_RELEASE);
}

static bool is_on_disk(int fd)
{
	struct statfs status;

	return fstatfs(fd, &status) == 0 && status.f_type != TMPFS_MAGIC &&
	       status.f_type != RAMFS_MAGIC;
}

/*
 * By MAP_SYNC, if the file is on persistent memory that is mapped directly: what is stored there is
 * found after a panic, without any work of the file system's. MAP_FAILED and errno.
 */
static char *map_file(int fd, uint64_t size, int dir)
{
	void *at = MAP_FAILED;

	if (dir >= 0)
		at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC, fd,
			  0);
	if (at != MAP_FAILED) {
		/* Its name, too. */
		(void)fsync(dir);
		return at;
	}
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static int map_all(struct saved_state *saved_state, uint32_t cpu_rings, int dir)
{
	struct saved_layout layout;
	int fd, error;
	char *at;

	saved_lay_out(cpu_rings, &layout);
	saved_state->size = layout.size;
	fd = open_file(dir, layout.size);
	if (fd < 0)
		return fd;
	at = map_file(fd, saved_state->size, dir);
	if (at == MAP_FAILED) {
		error = -errno;
		close(fd);
		return error;
	}
	madvise(at, saved_state->size, MADV_DONTDUMP);
	/* On a disk: a record is read by the page, not with the hundreds of KiB behind it. */
	madvise(at, saved_state->size, MADV_RANDOM);
	saved_state->head = (struct saved_head *)at;
	saved_state->text[0] = at + layout.text[0];
	saved_state->text[1] = at + layout.text[1];
	saved_state->log[0] = at + layout.log[0];
	saved_state->log[1] = at + layout.log[1];
	saved_state->described = at + layout.described;
	saved_state->records = at + layout.records;
	saved_state->is_on_disk = dir >= 0 && is_on_disk(fd);
	if (dir < 0)
		close(fd);
	else
		saved_state->fd = fd;
	error = reserve(saved_state, at, layout.text[0]);
	if (error == 0)
		fill_head(saved_state, cpu_rings, &layout);
	return error;
}

int saved_state_create_in(uint32_t cpu_rings, int dir, struct saved_state **result)
{
	struct saved_state *saved_state = calloc(1, sizeof(*saved_state));
	int error;

	*result = NULL;
	if (!saved_state)
		return -ENOMEM;
	saved_state->fd = -1;
	saved_state->control = MEMORY_NONE;
	saved_state->words = MEMORY_NONE;
	pthread_mutex_init(&saved_state->asked, NULL);
	error = map_all(saved_state, cpu_rings, dir);
	if (error == 0)
		error = memory_create(GEOMETRY_GLOBAL_SIZE, &saved_state->control);
	if (error == 0)
		error = memory_create(SAVED_PROCESSES * sizeof(struct lttngmap_process),
				      &saved_state->words);
	if (error == 0) {
		/* Charged to the daemon's control group, as in memory_create_rings(). */
		madvise(saved_state->control.map, sizeof(struct lttngmap_control),
			MADV_POPULATE_WRITE);
		madvise(saved_state->words.map, saved_state->words.size, MADV_POPULATE_WRITE);
	}
	if (error) {
		if (saved_state->fd >= 0)
			unlinkat(dir, SAVED_FILE, 0);
		saved_state_destroy(saved_state);
		return error;
	}
	*result = saved_state;
	return 0;
}

int saved_state_create(uint32_t cpu_rings, struct saved_state **result)
{
	return saved_state_create_in(cpu_rings, -1, result);
}

void saved_state_name_files(struct saved_state *saved_state, int dir, bool is_dax, int sweeper,
			    uint64_t first)
{
	saved_state->place = (struct memory_place){
		.dir = dir,
		.is_dax = is_dax,
		.sweeper = sweeper,
		.last = &saved_state->head->last_file,
	};
	saved_state->head->last_file = first - 1;
	saved_state->head->named_files = true;
}

const struct memory_place *saved_state_place(const struct saved_state *saved_state)
{
	return saved_state->head->named_files ? &saved_state->place : NULL;
}

void saved_state_leave(struct saved_state *saved_state)
{
	struct lttngmap_control *control = saved_state->control.map;
	bool counts = __atomic_load_n(&control->left, __ATOMIC_RELAXED) & LTTNGMAP_LEFT_COUNTS;

	/* Release: who finds a word of ones finds out why. */
	__atomic_or_fetch(&control->left, LTTNGMAP_LEFT_GONE, __ATOMIC_RELEASE);
	for (uint32_t id = 0; id < LTTNGMAP_EVENT_IDS; id++)
		if (!counts || !__atomic_load_n(&control->event_words[id], __ATOMIC_RELAXED))
			__atomic_store_n(&control->event_words[id], ATTACH_REQUEST_WORD,
					 __ATOMIC_RELEASE);
}

void saved_state_destroy(struct saved_state *saved_state)
{
	if (!saved_state)
		return;
	memory_destroy(&saved_state->control);
	memory_destroy(&saved_state->words);
	if (saved_state->head)
		munmap(saved_state->head, saved_state->size);
	if (saved_state->fd >= 0)
		close(saved_state->fd);
	pthread_mutex_destroy(&saved_state->asked);
	free(saved_state);
}

bool saved_state_is_new(const struct saved_state *saved_state)
{
	return saved_state->head->lives <= 1;
}

bool saved_state_is_taken_over(const struct saved_state *saved_state)
{
	return saved_state_is_new(saved_state) && saved_state->head->took_over;
}

void saved_state_look(const struct saved_state *saved_state, struct saved_disk *disk)
{
	struct statfs status;

	*disk = (struct saved_disk){ .left = UINT32_MAX * UINT64_C(4096),
				     .all = UINT32_MAX * UINT64_C(4096) };
	/* A file system in memory without a limit has no blocks. */
	if (saved_state->fd < 0 || fstatfs(saved_state->fd, &status) != 0 || status.f_blocks == 0)
		return;
	disk->left = (uint64_t)status.f_bavail * (uint64_t)status.f_bsize;
	disk->all = (uint64_t)status.f_blocks * (uint64_t)status.f_bsize;
}

/* ---- processes ------------------------------------------------------------------ */

enum saved_process_state saved_process_state(const struct saved_state *saved_state, uint32_t index)
{
	/* Acquire: what was given up by another thread is all given up. */
	return __atomic_load_n(&saved_state->head->processes[index], __ATOMIC_ACQUIRE);
}

void saved_process_set(struct saved_state *saved_state, uint32_t index,
		       enum saved_process_state state)
{
	/* Release: a record is whole before its state says so. */
	__atomic_store_n(&saved_state->head->processes[index], state, __ATOMIC_RELEASE);
}

int saved_process_take(struct saved_state *saved_state)
{
	int error;

	for (uint32_t i = 0; i < SAVED_PROCESSES; i++) {
		uint32_t index = saved_state->next++ % SAVED_PROCESSES;

		if (saved_process_state(saved_state, index) != SAVED_FREE)
			continue;
		error = reserve(saved_state, saved_process(saved_state, index),
				saved_classes_size(0));
		if (error)
			return error;
		saved_process_set(saved_state, index, SAVED_TAKEN);
		return (int)index;
	}
	return -ENOSPC;
}

int saved_process_reserve_classes(const struct saved_state *saved_state, uint32_t index,
				  uint32_t words)
{
	const struct saved_process *process = saved_process(saved_state, index);

	return reserve(saved_state, process->classes, words * sizeof(process->classes[0]));
}

void saved_process_drop(struct saved_state *saved_state, uint32_t index)
{
	const struct lttngmap_control *control = saved_state->control.map;

	saved_process_set(saved_state, index, SAVED_TAKEN);
	/*
	 * A process that is not traced any more may still read the words and finds zeros. One that
	 * waits for the next daemon still counts its lost events by them.
	 */
	if (!(__atomic_load_n(&control->left, __ATOMIC_RELAXED) & LTTNGMAP_LEFT_COUNTS))
		memset(saved_words(saved_state, index), 0, sizeof(struct lttngmap_process));
	clear_part(saved_state, (char *)saved_process(saved_state, index),
		   saved_state->head->process_stride);
	saved_process_set(saved_state, index, SAVED_FREE);
}

struct saved_process *saved_process(const struct saved_state *saved_state, uint32_t index)
{
	return (struct saved_process *)(saved_state->records +
					index * saved_state->head->process_stride);
}

const struct saved_process *saved_process_by_token(const struct saved_state *saved_state,
						   uint64_t token)
{
	const uint32_t index = (uint32_t)(token % SAVED_PROCESSES);
	const struct saved_process *process = saved_process(saved_state, index);

	return token && saved_process_state(saved_state, index) == SAVED_LIVE &&
			       process->token == token
		       ? process
		       : NULL;
}

struct ring_saved *saved_set(const struct saved_state *saved_state, uint32_t index, uint32_t slot)
{
	char *sets =
		(char *)saved_process(saved_state, index) + page_up(sizeof(struct saved_process));

	return (struct ring_saved *)(sets + slot * saved_state->head->set_stride);
}

int saved_set_reserve(const struct saved_state *saved_state, uint32_t index, uint32_t slot)
{
	return reserve(saved_state, saved_set(saved_state, index, slot),
		       saved_state->head->set_stride);
}

void saved_set_populate(const struct saved_state *saved_state, uint32_t index, uint32_t slot)
{
	const uintptr_t page = memory_page_size();
	const uintptr_t begin = (uintptr_t)saved_set(saved_state, index, slot) & -page;
	const uintptr_t end = (uintptr_t)saved_set(saved_state, index, slot + 1);

	madvise((void *)begin, page_up(end - begin), MADV_POPULATE_WRITE);
}

uint64_t saved_set_size(const struct saved_state *saved_state)
{
	return page_up(saved_state->head->set_stride);
}

uint64_t saved_classes_size(uint32_t words)
{
	return page_up(offsetof(struct saved_process, classes) + words * sizeof(uint64_t));
}

uint64_t saved_process_size(const struct saved_state *saved_state, uint32_t index)
{
	const struct saved_process *process = saved_process(saved_state, index);
	uint64_t bytes = saved_classes_size(process->class_words);

	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		if (process->dirty[slot])
			bytes += saved_set_size(saved_state);
	return bytes;
}

struct lttngmap_process *saved_words(const struct saved_state *saved_state, uint32_t index)
{
	return (struct lttngmap_process *)saved_state->words.map + index;
}

/* ---- sessions ------------------------------------------------------------------- */

int saved_text_write(struct saved_state *saved_state, const char *text, size_t size)
{
	uint32_t other = !saved_state->head->text;
	int error;

	if (size >= SAVED_TEXT_MAX)
		return -E2BIG;
	error = reserve(saved_state, saved_state->text[other], size + 1);
	if (error)
		return error;
	memcpy(saved_state->text[other], text, size);
	saved_state->text[other][size] = '\0';
	/* Release: the text before the word that makes it the one in force. */
	__atomic_store_n(&saved_state->head->text, other, __ATOMIC_RELEASE);
	return 0;
}

const char *saved_text(const struct saved_state *saved_state)
{
	return saved_state->text[saved_state->head->text];
}

bool saved_text_is_empty(const char *text)
{
	/* The text that state_save_sessions() writes without sessions. */
	return text[0] == '\0' || strcmp(text, "{\"sessions\":[]}") == 0;
}

void saved_totals_add(struct saved_session *session, uint64_t set, const struct ring_totals *counts)
{
	uint32_t other = !session->which;
	struct saved_totals *totals = &session->totals[other];

	*totals = session->totals[session->which];
	ring_totals_add(&totals->counts, counts);
	totals->last_set = set;
	/* Release: as of a text. */
	__atomic_store_n(&session->which, other, __ATOMIC_RELEASE);
}

void saved_totals_clear(struct saved_session *session)
{
	uint32_t other = !session->which;

	session->totals[other] = (struct saved_totals){ .last_set = 0 };
	__atomic_store_n(&session->which, other, __ATOMIC_RELEASE);
}

const struct saved_totals *saved_totals(const struct saved_session *session)
{
	return &session->totals[session->which];
}

/* ---- classes -------------------------------------------------------------------- */

/* Entries stand at multiples of 8. */
static uint64_t entry_size(size_t size)
{
	return (sizeof(struct saved_entry) + size + 7) & ~UINT64_C(7);
}

int saved_log_reserve(struct saved_state *saved_state, size_t size, uint32_t nr_classes)
{
	const struct saved_head *head = saved_state->head;
	/* Each may be rounded up. */
	uint64_t begin = head->log_size[head->log];
	uint64_t taken = size + nr_classes * entry_size(0) + nr_classes * 7;
	int error;

	if (taken > SAVED_LOG_MAX - begin)
		return -ENOSPC;
	/* Most classes are known, and nothing is appended. */
	if (begin + taken <= saved_state->log_room[head->log])
		return 0;
	error = reserve(saved_state, saved_state->log[head->log] + begin, taken);
	if (error == 0)
		saved_state->log_room[head->log] = begin + taken;
	return error;
}

static void put_entry(struct saved_entry *entry, uint32_t id, uint32_t user, const void *bytes,
		      size_t size)
{
	*entry = (struct saved_entry){ .user = user, .id = id, .size = size };
	memcpy(entry->bytes, bytes, size);
}

int saved_log_append(struct saved_state *saved_state, uint32_t id, uint32_t user, const void *bytes,
		     size_t size)
{
	uint64_t *used = &saved_state->head->log_size[saved_state->head->log];
	int error = saved_log_reserve(saved_state, size, 1);

	if (error)
		return error;
	put_entry((struct saved_entry *)(saved_state->log[saved_state->head->log] + *used), id,
		  user, bytes, size);
	/* Release: the entry before what says that it is there. */
	__atomic_store_n(used, *used + entry_size(size), __ATOMIC_RELEASE);
	return 0;
}

int saved_log_read(const struct saved_state *saved_state,
		   int (*take)(const struct saved_entry *entry, void *data), void *data)
{
	const char *log = saved_state->log[saved_state->head->log];
	uint64_t at = 0;
	int error = 0;

	while (error == 0 && at < saved_state->head->log_size[saved_state->head->log]) {
		const struct saved_entry *entry = (const struct saved_entry *)(log + at);

		error = take(entry, data);
		at += entry_size(entry->size);
	}
	return error;
}

/* Copy what is kept to the other log, or nowhere: its bytes. */
static uint64_t copy_log(const struct saved_state *saved_state, char *log,
			 bool (*keep)(uint32_t id, uint32_t *user, const void *data),
			 const void *data)
{
	const char *from = saved_state->log[saved_state->head->log];
	const uint64_t size = saved_state->head->log_size[saved_state->head->log];
	uint64_t to = 0;

	for (uint64_t at = 0; at < size;) {
		const struct saved_entry *entry = (const struct saved_entry *)(from + at);
		uint32_t user = entry->user;

		at += entry_size(entry->size);
		if (!keep(entry->id, &user, data))
			continue;
		if (log)
			put_entry((struct saved_entry *)(log + to), entry->id, user, entry->bytes,
				  entry->size);
		to += entry_size(entry->size);
	}
	return to;
}

int saved_log_compact(struct saved_state *saved_state,
		      bool (*keep)(uint32_t id, uint32_t *user, const void *data), const void *data)
{
	struct saved_head *head = saved_state->head;
	const uint32_t old = head->log, new = !old;
	const uint64_t size = copy_log(saved_state, NULL, keep, data);
	int error = size > 0 ? reserve(saved_state, saved_state->log[new], size) : 0;

	if (error)
		return error;
	head->log_size[new] = copy_log(saved_state, saved_state->log[new], keep, data);
	/* Release: the new log before the word that makes it the one in force. */
	__atomic_store_n(&head->log, new, __ATOMIC_RELEASE);
	/* Where it keeps its room, it is written over next. */
	saved_state->log_room[old] = 0;
	if (head->log_size[old] > 0 && !saved_state->is_on_disk)
		madvise(saved_state->log[old], page_up(head->log_size[old]), MADV_REMOVE);
	return 0;
}

/* ---- what is described ------------------------------------------------------------ */

uint64_t *saved_described(const struct saved_state *saved_state, uint32_t session, uint32_t stream)
{
	return (uint64_t *)(saved_state->described +
			    ((uint64_t)session * LTTNGMAP_CHANNELS + stream) *
				    SAVED_DESCRIBED_SIZE);
}

int saved_described_reserve(const struct saved_state *saved_state, uint32_t session,
			    uint32_t stream)
{
	return reserve(saved_state, saved_described(saved_state, session, stream),
		       SAVED_DESCRIBED_SIZE);
}

void saved_described_clear(const struct saved_state *saved_state, uint32_t session)
{
	clear_part(saved_state, (char *)saved_described(saved_state, session, 0),
		   (uint64_t)LTTNGMAP_CHANNELS * SAVED_DESCRIBED_SIZE);
}

/* ---- descriptors ---------------------------------------------------------------- */

void saved_state_descriptors(const struct saved_state *saved_state,
			     void (*take)(int fd, void *data), void *data)
{
	take(saved_state->head->idle.pidfd, data);
	for (uint32_t i = 0; i < SAVED_SESSIONS; i++)
		take(saved_state->head->sessions[i].consumer.pidfd, data);
	for (uint32_t index = 0; index < SAVED_PROCESSES; index++) {
		enum saved_process_state state = saved_process_state(saved_state, index);
		const struct saved_process *process = saved_process(saved_state, index);

		if (state != SAVED_LIVE && state != SAVED_ENDED)
			continue;
		take(process->socket, data);
		take(process->pidfd, data);
		take(process->doorbell, data);
		for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
			take(process->rings[slot], data);
	}
}

static uint64_t memory_in(int ring)
{
	struct stat status;

	if (ring <= 0 || fstat(ring, &status) != 0)
		return 0;
	/* Blocks are of 512 bytes whatever the file system. */
	return (uint64_t)status.st_blocks * 512;
}

static uint64_t memory_of_process(const struct saved_state *saved_state, uint32_t index,
				  bool (*is_of)(uint32_t uid, const void *data), const void *data)
{
	enum saved_process_state state = saved_process_state(saved_state, index);
	const struct saved_process *process = saved_process(saved_state, index);
	uint64_t bytes;

	if ((state != SAVED_LIVE && state != SAVED_ENDED) || !is_of(process->payer, data))
		return 0;
	bytes = saved_process_size(saved_state, index);
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		bytes += memory_in(process->rings[slot]);
	return bytes;
}

uint64_t saved_memory_of(struct saved_state *saved_state,
			 bool (*is_of)(uint32_t uid, const void *data), const void *data)
{
	uint64_t bytes = 0;

	for (uint32_t index = 0; index < SAVED_PROCESSES; index++) {
		pthread_mutex_lock(&saved_state->asked);
		bytes += memory_of_process(saved_state, index, is_of, data);
		pthread_mutex_unlock(&saved_state->asked);
	}
	return bytes;
}

void saved_process_retire(struct saved_state *saved_state, uint32_t index)
{
	pthread_mutex_lock(&saved_state->asked);
	saved_process_set(saved_state, index, SAVED_TAKEN);
	pthread_mutex_unlock(&saved_state->asked);
}

void saved_rings_drop(struct saved_state *saved_state, uint32_t index, uint32_t slot)
{
	pthread_mutex_lock(&saved_state->asked);
	saved_process(saved_state, index)->rings[slot] = 0;
	pthread_mutex_unlock(&saved_state->asked);
}
