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

#include "common/knock.h"
#include "sessiond/base/geometry.h"

static uint64_t page_up(uint64_t size)
{
	uint64_t page = memory_page_size();

	return (size + page - 1) / page * page;
}

/* ---- making ---------------------------------------------------------------------- */

void ledger_lay_out(uint32_t cpu_rings, struct ledger_layout *layout)
{
	layout->set_stride = (ring_set_saved_size(cpu_rings) + 63) & ~UINT64_C(63);
	layout->process_stride = page_up(sizeof(struct ledger_process)) +
				 page_up(LTTNGMAP_CHANNELS * layout->set_stride);
	layout->text[0] = page_up(sizeof(struct ledger_head));
	layout->text[1] = layout->text[0] + LEDGER_TEXT_MAX;
	layout->log[0] = layout->text[1] + LEDGER_TEXT_MAX;
	layout->log[1] = layout->log[0] + LEDGER_LOG_MAX;
	layout->described = layout->log[1] + LEDGER_LOG_MAX;
	layout->records = layout->described +
			  (uint64_t)LEDGER_SESSIONS * LTTNGMAP_CHANNELS * LEDGER_DESCRIBED_SIZE;
	layout->size = layout->records + LEDGER_PROCESSES * layout->process_stride;
}

uint64_t ledger_set_offset(const struct ledger_layout *layout, uint32_t slot)
{
	return page_up(sizeof(struct ledger_process)) + slot * layout->set_stride;
}

void ledger_read_boot(char boot[40])
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
static int reserve(const struct ledger *ledger, const void *at, uint64_t size)
{
	off_t offset = (const char *)at - (const char *)ledger->head;

	if (ledger->fd < 0 || fallocate(ledger->fd, 0, offset, (off_t)size) == 0 ||
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
static void clear_data(const struct ledger *ledger, char *part, uint64_t size)
{
	char *begin = (char *)ledger->head;
	off_t at = part - begin, end = at + (off_t)size;

	while ((at = lseek(ledger->fd, at, SEEK_DATA)) >= 0 && at < end) {
		off_t hole = lseek(ledger->fd, at, SEEK_HOLE);

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
 * Make a part zeros. Of a file in memory that gives its room back. On a disk the room stays: to
 * punch a hole there takes a millisecond, and waits for the file system's journal.
 */
static void clear_part(const struct ledger *ledger, char *part, uint64_t size)
{
	if (!ledger->is_on_disk && madvise(part, size, MADV_REMOVE) == 0)
		return;
	if (ledger->fd >= 0)
		clear_data(ledger, part, size);
	else
		clear_pages(part, part + size);
	/* They stay the file's, and are the daemon's memory no more: it goes round all records. */
	madvise(part, size, MADV_DONTNEED);
}

/* A file, so that nobody accounts for what is not used. */
static int open_file(int dir, uint64_t size)
{
	int error, fd = dir < 0 ? memfd_create("lttngmap-ledger", MFD_CLOEXEC)
				: openat(dir, LEDGER_FILE,
					 O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) == 0 && (dir < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0))
		return fd;
	error = -errno;
	if (dir >= 0)
		unlinkat(dir, LEDGER_FILE, 0);
	close(fd);
	return error;
}

static void fill_head(struct ledger *ledger, uint32_t cpu_rings, const struct ledger_layout *layout)
{
	struct ledger_head *head = ledger->head;

	head->version = LEDGER_VERSION;
	head->cpu_rings = cpu_rings;
	head->page_size = (uint32_t)memory_page_size();
	head->size = ledger->size;
	head->address = (uintptr_t)head;
	head->set_stride = layout->set_stride;
	head->process_stride = layout->process_stride;
	ledger_read_boot(head->boot);
	/* Release: who finds it finds the others. */
	__atomic_store_n(&head->magic, LEDGER_MAGIC, __ATOMIC_RELEASE);
}

static bool is_on_disk(int fd)
{
	struct statfs status;

	return fstatfs(fd, &status) == 0 && status.f_type != TMPFS_MAGIC &&
	       status.f_type != RAMFS_MAGIC;
}

static int map_all(struct ledger *ledger, uint32_t cpu_rings, int dir)
{
	struct ledger_layout layout;
	int fd, error;
	char *at;

	ledger_lay_out(cpu_rings, &layout);
	ledger->size = layout.size;
	fd = open_file(dir, layout.size);
	if (fd < 0)
		return fd;
	at = mmap(NULL, ledger->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		error = -errno;
		close(fd);
		return error;
	}
	madvise(at, ledger->size, MADV_DONTDUMP);
	/* On a disk: a record is read by the page, not with the hundreds of KiB behind it. */
	madvise(at, ledger->size, MADV_RANDOM);
	ledger->head = (struct ledger_head *)at;
	ledger->text[0] = at + layout.text[0];
	ledger->text[1] = at + layout.text[1];
	ledger->log[0] = at + layout.log[0];
	ledger->log[1] = at + layout.log[1];
	ledger->described = at + layout.described;
	ledger->records = at + layout.records;
	ledger->is_on_disk = dir >= 0 && is_on_disk(fd);
	if (dir < 0)
		close(fd);
	else
		ledger->fd = fd;
	error = reserve(ledger, at, layout.text[0]);
	if (error == 0)
		fill_head(ledger, cpu_rings, &layout);
	return error;
}

int ledger_create_in(uint32_t cpu_rings, int dir, struct ledger **result)
{
	struct ledger *ledger = calloc(1, sizeof(*ledger));
	int error;

	*result = NULL;
	if (!ledger)
		return -ENOMEM;
	ledger->fd = -1;
	ledger->control = MEMORY_NONE;
	ledger->words = MEMORY_NONE;
	pthread_mutex_init(&ledger->asked, NULL);
	error = map_all(ledger, cpu_rings, dir);
	if (error == 0)
		error = memory_create(GEOMETRY_GLOBAL_SIZE, &ledger->control);
	if (error == 0)
		error = memory_create(LEDGER_PROCESSES * sizeof(struct lttngmap_process),
				      &ledger->words);
	if (error) {
		if (ledger->fd >= 0)
			unlinkat(dir, LEDGER_FILE, 0);
		ledger_destroy(ledger);
		return error;
	}
	*result = ledger;
	return 0;
}

int ledger_create(uint32_t cpu_rings, struct ledger **result)
{
	return ledger_create_in(cpu_rings, -1, result);
}

void ledger_name_files(struct ledger *ledger, int dir, int sweeper, uint64_t first)
{
	ledger->place = (struct memory_place){
		.dir = dir,
		.sweeper = sweeper,
		.last = &ledger->head->last_file,
	};
	ledger->head->last_file = first - 1;
	ledger->head->named_files = true;
}

const struct memory_place *ledger_place(const struct ledger *ledger)
{
	return ledger->head->named_files ? &ledger->place : NULL;
}

void ledger_leave(struct ledger *ledger)
{
	struct lttngmap_control *control = ledger->control.map;
	bool counts = __atomic_load_n(&control->left, __ATOMIC_RELAXED) & LTTNGMAP_LEFT_COUNTS;

	/* Release: who finds a word of ones finds out why. */
	__atomic_or_fetch(&control->left, LTTNGMAP_LEFT_GONE, __ATOMIC_RELEASE);
	for (uint32_t id = 0; id < LTTNGMAP_EVENT_IDS; id++)
		if (!counts || !__atomic_load_n(&control->event_words[id], __ATOMIC_RELAXED))
			__atomic_store_n(&control->event_words[id], KNOCK_WORD, __ATOMIC_RELEASE);
}

void ledger_destroy(struct ledger *ledger)
{
	if (!ledger)
		return;
	memory_destroy(&ledger->control);
	memory_destroy(&ledger->words);
	if (ledger->head)
		munmap(ledger->head, ledger->size);
	if (ledger->fd >= 0)
		close(ledger->fd);
	pthread_mutex_destroy(&ledger->asked);
	free(ledger);
}

bool ledger_is_new(const struct ledger *ledger)
{
	return ledger->head->lives <= 1;
}

bool ledger_is_taken_over(const struct ledger *ledger)
{
	return ledger_is_new(ledger) && ledger->head->took_over;
}

/* ---- processes ------------------------------------------------------------------ */

enum ledger_state ledger_process_state(const struct ledger *ledger, uint32_t index)
{
	/* Acquire: what was given up by another thread is all given up. */
	return __atomic_load_n(&ledger->head->processes[index], __ATOMIC_ACQUIRE);
}

void ledger_process_set(struct ledger *ledger, uint32_t index, enum ledger_state state)
{
	/* Release: a record is whole before its state says so. */
	__atomic_store_n(&ledger->head->processes[index], state, __ATOMIC_RELEASE);
}

int ledger_process_take(struct ledger *ledger)
{
	int error;

	for (uint32_t i = 0; i < LEDGER_PROCESSES; i++) {
		uint32_t index = ledger->next++ % LEDGER_PROCESSES;

		if (ledger_process_state(ledger, index) != LEDGER_FREE)
			continue;
		error = reserve(ledger, ledger_process(ledger, index),
				page_up(offsetof(struct ledger_process, classes)));
		if (error)
			return error;
		ledger_process_set(ledger, index, LEDGER_TAKEN);
		return (int)index;
	}
	return -ENOSPC;
}

int ledger_process_reserve_classes(const struct ledger *ledger, uint32_t index, uint32_t words)
{
	const struct ledger_process *process = ledger_process(ledger, index);

	return reserve(ledger, process->classes, words * sizeof(process->classes[0]));
}

void ledger_process_drop(struct ledger *ledger, uint32_t index)
{
	const struct lttngmap_control *control = ledger->control.map;

	ledger_process_set(ledger, index, LEDGER_TAKEN);
	/*
	 * Who may still look at them, a process that is not traced any more, finds zeros; but one
	 * that waits for the next daemon counts by them.
	 */
	if (!(__atomic_load_n(&control->left, __ATOMIC_RELAXED) & LTTNGMAP_LEFT_COUNTS))
		memset(ledger_words(ledger, index), 0, sizeof(struct lttngmap_process));
	clear_part(ledger, (char *)ledger_process(ledger, index), ledger->head->process_stride);
	ledger_process_set(ledger, index, LEDGER_FREE);
}

struct ledger_process *ledger_process(const struct ledger *ledger, uint32_t index)
{
	return (struct ledger_process *)(ledger->records + index * ledger->head->process_stride);
}

const struct ledger_process *ledger_process_by_token(const struct ledger *ledger, uint64_t token)
{
	const uint32_t index = (uint32_t)(token % LEDGER_PROCESSES);
	const struct ledger_process *process = ledger_process(ledger, index);

	return token && ledger_process_state(ledger, index) == LEDGER_LIVE &&
			       process->token == token
		       ? process
		       : NULL;
}

struct ring_saved *ledger_set(const struct ledger *ledger, uint32_t index, uint32_t slot)
{
	char *sets = (char *)ledger_process(ledger, index) + page_up(sizeof(struct ledger_process));

	return (struct ring_saved *)(sets + slot * ledger->head->set_stride);
}

int ledger_set_reserve(const struct ledger *ledger, uint32_t index, uint32_t slot)
{
	return reserve(ledger, ledger_set(ledger, index, slot), ledger->head->set_stride);
}

struct lttngmap_process *ledger_words(const struct ledger *ledger, uint32_t index)
{
	return (struct lttngmap_process *)ledger->words.map + index;
}

/* ---- sessions ------------------------------------------------------------------- */

int ledger_text_write(struct ledger *ledger, const char *text, size_t size)
{
	uint32_t other = !ledger->head->text;
	int error;

	if (size >= LEDGER_TEXT_MAX)
		return -E2BIG;
	error = reserve(ledger, ledger->text[other], size + 1);
	if (error)
		return error;
	memcpy(ledger->text[other], text, size);
	ledger->text[other][size] = '\0';
	/* Release: the text before the word that makes it the one in force. */
	__atomic_store_n(&ledger->head->text, other, __ATOMIC_RELEASE);
	return 0;
}

const char *ledger_text(const struct ledger *ledger)
{
	return ledger->text[ledger->head->text];
}

bool ledger_text_is_empty(const char *text)
{
	/* As state_save_sessions() writes it. */
	return text[0] == '\0' || strcmp(text, "{\"sessions\":[]}") == 0;
}

void ledger_totals_add(struct ledger_session *session, uint64_t set,
		       const struct ring_totals *counts)
{
	uint32_t other = !session->which;
	struct ledger_totals *totals = &session->totals[other];

	*totals = session->totals[session->which];
	ring_total_add(&totals->counts.written, counts->written);
	ring_total_add(&totals->counts.delivered, counts->delivered);
	ring_total_add(&totals->counts.discarded, counts->discarded);
	ring_total_add(&totals->counts.overwritten, counts->overwritten);
	ring_total_add(&totals->counts.closed_rings, counts->closed_rings);
	totals->last_set = set;
	/* Release: as of a text. */
	__atomic_store_n(&session->which, other, __ATOMIC_RELEASE);
}

void ledger_totals_clear(struct ledger_session *session)
{
	uint32_t other = !session->which;

	session->totals[other] = (struct ledger_totals){ .last_set = 0 };
	__atomic_store_n(&session->which, other, __ATOMIC_RELEASE);
}

const struct ledger_totals *ledger_totals(const struct ledger_session *session)
{
	return &session->totals[session->which];
}

/* ---- classes -------------------------------------------------------------------- */

/* Entries stand at multiples of 8. */
static uint64_t entry_size(size_t size)
{
	return (sizeof(struct ledger_entry) + size + 7) & ~UINT64_C(7);
}

int ledger_log_reserve(struct ledger *ledger, size_t size, uint32_t nr_classes)
{
	const struct ledger_head *head = ledger->head;
	/* Each may be rounded up. */
	uint64_t begin = head->log_size[head->log];
	uint64_t taken = size + nr_classes * entry_size(0) + nr_classes * 7;

	if (taken > LEDGER_LOG_MAX - begin)
		return -ENOSPC;
	return reserve(ledger, ledger->log[head->log] + begin, taken);
}

static void put_entry(struct ledger_entry *entry, uint32_t id, uint32_t user, const void *bytes,
		      size_t size)
{
	*entry = (struct ledger_entry){ .user = user, .id = id, .size = size };
	memcpy(entry->bytes, bytes, size);
}

int ledger_log_append(struct ledger *ledger, uint32_t id, uint32_t user, const void *bytes,
		      size_t size)
{
	uint64_t *used = &ledger->head->log_size[ledger->head->log];
	int error = ledger_log_reserve(ledger, size, 1);

	if (error)
		return error;
	put_entry((struct ledger_entry *)(ledger->log[ledger->head->log] + *used), id, user, bytes,
		  size);
	/* Release: the entry before what says that it is there. */
	__atomic_store_n(used, *used + entry_size(size), __ATOMIC_RELEASE);
	return 0;
}

int ledger_log_read(const struct ledger *ledger,
		    int (*take)(const struct ledger_entry *entry, void *data), void *data)
{
	const char *log = ledger->log[ledger->head->log];
	uint64_t at = 0;
	int error = 0;

	while (error == 0 && at < ledger->head->log_size[ledger->head->log]) {
		const struct ledger_entry *entry = (const struct ledger_entry *)(log + at);

		error = take(entry, data);
		at += entry_size(entry->size);
	}
	return error;
}

/* Copy what is kept to the other log, or nowhere: its bytes. */
static uint64_t copy_log(const struct ledger *ledger, char *log,
			 bool (*keep)(uint32_t id, uint32_t *user, const void *data),
			 const void *data)
{
	const char *from = ledger->log[ledger->head->log];
	const uint64_t size = ledger->head->log_size[ledger->head->log];
	uint64_t to = 0;

	for (uint64_t at = 0; at < size;) {
		const struct ledger_entry *entry = (const struct ledger_entry *)(from + at);
		uint32_t user = entry->user;

		at += entry_size(entry->size);
		if (!keep(entry->id, &user, data))
			continue;
		if (log)
			put_entry((struct ledger_entry *)(log + to), entry->id, user, entry->bytes,
				  entry->size);
		to += entry_size(entry->size);
	}
	return to;
}

int ledger_log_compact(struct ledger *ledger,
		       bool (*keep)(uint32_t id, uint32_t *user, const void *data),
		       const void *data)
{
	struct ledger_head *head = ledger->head;
	const uint32_t old = head->log, new = !old;
	const uint64_t size = copy_log(ledger, NULL, keep, data);
	int error = size > 0 ? reserve(ledger, ledger->log[new], size) : 0;

	if (error)
		return error;
	head->log_size[new] = copy_log(ledger, ledger->log[new], keep, data);
	/* Release: the new log before the word that makes it the one in force. */
	__atomic_store_n(&head->log, new, __ATOMIC_RELEASE);
	/* Where it keeps its room, it is written over next. */
	if (head->log_size[old] > 0 && !ledger->is_on_disk)
		madvise(ledger->log[old], page_up(head->log_size[old]), MADV_REMOVE);
	return 0;
}

/* ---- what is described ------------------------------------------------------------ */

uint64_t *ledger_described(const struct ledger *ledger, uint32_t session, uint32_t stream)
{
	return (uint64_t *)(ledger->described + ((uint64_t)session * LTTNGMAP_CHANNELS + stream) *
							LEDGER_DESCRIBED_SIZE);
}

int ledger_described_reserve(const struct ledger *ledger, uint32_t session, uint32_t stream)
{
	return reserve(ledger, ledger_described(ledger, session, stream), LEDGER_DESCRIBED_SIZE);
}

void ledger_described_clear(const struct ledger *ledger, uint32_t session)
{
	clear_part(ledger, (char *)ledger_described(ledger, session, 0),
		   (uint64_t)LTTNGMAP_CHANNELS * LEDGER_DESCRIBED_SIZE);
}

/* ---- descriptors ---------------------------------------------------------------- */

void ledger_descriptors(const struct ledger *ledger, void (*take)(int fd, void *data), void *data)
{
	take(ledger->head->idle.pidfd, data);
	for (uint32_t i = 0; i < LEDGER_SESSIONS; i++)
		take(ledger->head->sessions[i].consumer.pidfd, data);
	for (uint32_t index = 0; index < LEDGER_PROCESSES; index++) {
		enum ledger_state state = ledger_process_state(ledger, index);
		const struct ledger_process *process = ledger_process(ledger, index);

		if (state != LEDGER_LIVE && state != LEDGER_ENDED)
			continue;
		take(process->socket, data);
		take(process->pidfd, data);
		take(process->doorbell, data);
		for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
			take(process->rings[slot], data);
	}
}

static uint64_t memory_in(int fd)
{
	struct stat status;

	/* Blocks are of 512 bytes whatever the file system. */
	return fd > 0 && fstat(fd, &status) == 0 ? (uint64_t)status.st_blocks * 512 : 0;
}

/* Pages of the record that were written to, at most. */
static uint64_t record_size(const struct ledger *ledger, const struct ledger_process *process)
{
	uint64_t bytes = page_up(offsetof(struct ledger_process, classes) +
				 process->class_words * sizeof(process->classes[0]));

	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		if (process->dirty[slot])
			bytes += page_up(ledger->head->set_stride);
	return bytes;
}

static uint64_t memory_of_process(const struct ledger *ledger, uint32_t index,
				  bool (*is_of)(uint32_t uid, const void *data), const void *data)
{
	enum ledger_state state = ledger_process_state(ledger, index);
	const struct ledger_process *process = ledger_process(ledger, index);
	uint64_t bytes;

	if ((state != LEDGER_LIVE && state != LEDGER_ENDED) || !is_of(process->payer, data))
		return 0;
	bytes = record_size(ledger, process);
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		bytes += memory_in(process->rings[slot]);
	return bytes;
}

uint64_t ledger_memory_of(struct ledger *ledger, bool (*is_of)(uint32_t uid, const void *data),
			  const void *data)
{
	uint64_t bytes = 0;

	for (uint32_t index = 0; index < LEDGER_PROCESSES; index++) {
		pthread_mutex_lock(&ledger->asked);
		bytes += memory_of_process(ledger, index, is_of, data);
		pthread_mutex_unlock(&ledger->asked);
	}
	return bytes;
}

void ledger_process_retire(struct ledger *ledger, uint32_t index)
{
	pthread_mutex_lock(&ledger->asked);
	ledger_process_set(ledger, index, LEDGER_TAKEN);
	pthread_mutex_unlock(&ledger->asked);
}
