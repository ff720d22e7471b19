/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The saved state as a file: what a process takes of the file system that the
 * runtime directory is on, that it is counted, and that it comes back; what a session's metadata
 * describes; and that a ring of another layout makes a saved state another version's.
 */
#include "sessiond/storage/saved-state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sessiond/storage/recover-saved.h"
#include "tests/utils/tap.h"

#define PROCESSES 64
#define PAGE 4096u

static struct saved_state *saved_state;

/* On disk. Blocks are of 512 bytes. */
static uint64_t size_now(void)
{
	struct stat status;

	return fstat(saved_state->fd, &status) == 0 ? (uint64_t)status.st_blocks * 512 : 0;
}

static bool is_thousand(uint32_t uid, const void *data)
{
	(void)data;
	return uid == 1000;
}

static void test_processes(void)
{
	uint64_t before = size_now(), taken;
	int index[PROCESSES];

	for (int i = 0; i < PROCESSES; i++) {
		struct saved_process *record;

		index[i] = saved_process_take(saved_state);
		record = saved_process(saved_state, (uint32_t)index[i]);
		record->payer = i < PROCESSES / 2 ? 1000 : 1001;
		/* As of the first few hundred ids. */
		saved_process_reserve_classes(saved_state, (uint32_t)index[i], 8);
		record->class_words = 8;
		record->classes[7] = 1;
		saved_process_set(saved_state, (uint32_t)index[i], SAVED_LIVE);
	}
	taken = size_now() - before;
	ok(taken <= PROCESSES * PAGE, "a process takes a page: %llu bytes in all",
	   (unsigned long long)taken);
	is(saved_memory_of(saved_state, is_thousand, NULL), PROCESSES / 2 * PAGE,
	   "which is its user's memory");
	for (int i = 0; i < PROCESSES; i++) {
		saved_process_reserve_classes(saved_state, (uint32_t)index[i], 1024);
		saved_process(saved_state, (uint32_t)index[i])->class_words = 1024;
	}
	ok(size_now() - before > taken, "one with all ids takes more");
	is(saved_memory_of(saved_state, is_thousand, NULL),
	   size_now() > before ? (size_now() - before) / 2 : 0, "and is counted as it is");
	for (int i = 0; i < PROCESSES; i++)
		saved_process_drop(saved_state, (uint32_t)index[i]);
	is(size_now(), before, "all is given back");
	is(saved_memory_of(saved_state, is_thousand, NULL), 0, "to the user, too");
}

static void test_described(void)
{
	uint64_t *ids = saved_described(saved_state, SAVED_SESSIONS - 1, LTTNGMAP_CHANNELS - 1);
	uint64_t before = size_now();

	is(saved_described_reserve(saved_state, SAVED_SESSIONS - 1, LTTNGMAP_CHANNELS - 1), 0,
	   "room for the last stream of the last session");
	ids[LTTNGMAP_EVENT_IDS / 64 - 1] = 1;
	is(saved_described(saved_state, 1, 0) - saved_described(saved_state, 0, 0),
	   LTTNGMAP_CHANNELS * LTTNGMAP_EVENT_IDS / 64, "a session has as many as channels");
	saved_described_clear(saved_state, SAVED_SESSIONS - 1);
	is(size_now(), before, "cleared, they are given back");
	is(ids[LTTNGMAP_EVENT_IDS / 64 - 1], 0, "and zeros");
}

static bool is_kept(uint32_t id, uint32_t *user, const void *data)
{
	const uint32_t *only = data;

	*user += 1;
	return id % 2 == *only;
}

/* What it says of ids, and of users. */
static int add_up(const struct saved_entry *entry, void *data)
{
	uint64_t *sums = data;

	sums[0]++;
	sums[1] += entry->id;
	sums[2] += entry->user;
	return entry->size == 100 + entry->id && entry->bytes[entry->size - 1] == 'x' ? 0
										      : -EBADMSG;
}

static void test_log(void)
{
	uint64_t before = size_now(), full, sums[3] = { 0 };
	uint32_t odd = 1;
	char bytes[4096];

	memset(bytes, 'x', sizeof(bytes));
	for (uint32_t id = 0; id < 1000; id++)
		if (saved_log_append(saved_state, id, 5, bytes, 100 + id) != 0)
			bail_out("no room");
	full = size_now() - before;
	is(saved_log_compact(saved_state, is_kept, &odd), 0, "half of the classes are forgotten");
	is(saved_log_read(saved_state, add_up, sums), 0, "the others are as they were");
	ok(sums[0] == 500 && sums[1] == 250000 && sums[2] == 6 * 500, "each with its id");
	ok(size_now() - before < full * 3 / 5, "in little more than half of the room");
	is(saved_log_append(saved_state, 0, 5, bytes, 100), 0, "there is one more");
	/* One that was killed while it wrote the other log anew. */
	memset(saved_state->log[!saved_state->head->log], 0xff, 65536);
	saved_state->head->log_size[!saved_state->head->log] = 12345;
	memset(sums, 0, sizeof(sums));
	is(saved_log_read(saved_state, add_up, sums), 0, "what is half written is not read");
	is(sums[0], 501, "but the whole one");
	is(saved_log_compact(saved_state, is_kept, &odd), 0, "it is written over");
	memset(sums, 0, sizeof(sums));
	ok(saved_log_read(saved_state, add_up, sums) == 0 && sums[0] == 500, "and read");
	odd = 2;
	is(saved_log_compact(saved_state, is_kept, &odd), 0, "all are forgotten");
	memset(sums, 0, sizeof(sums));
	ok(saved_log_read(saved_state, add_up, sums) == 0 && sums[0] == 0, "there is none");
	ok(size_now() - before <= full, "in no room but what was written over");
}

static void test_tokens(void)
{
	int index = saved_process_take(saved_state);
	struct saved_process *record = saved_process(saved_state, (uint32_t)index);
	const uint64_t token = UINT64_C(7) * SAVED_PROCESSES + (uint32_t)index;

	record->token = token;
	ok(!saved_process_by_token(saved_state, token),
	   "a process that is not there yet is not found");
	saved_process_set(saved_state, (uint32_t)index, SAVED_LIVE);
	ok(saved_process_by_token(saved_state, token) == record, "then it is");
	ok(!saved_process_by_token(saved_state, token + SAVED_PROCESSES), "by no other token");
	ok(!saved_process_by_token(saved_state, 0), "nor by none");
	saved_process_set(saved_state, (uint32_t)index, SAVED_ENDED);
	ok(!saved_process_by_token(saved_state, token), "nor when it has ended");
	saved_process_drop(saved_state, (uint32_t)index);
}

/* Pages of a process's record that were read from the file. */
static unsigned int pages_read(uint32_t index)
{
	unsigned char pages[64] = { 0 };
	uint64_t size = saved_state->head->process_stride;
	unsigned int count = 0;

	if (size > sizeof(pages) * PAGE)
		size = sizeof(pages) * PAGE;
	if (mincore(saved_process(saved_state, index), size, pages) != 0)
		bail_out("mincore");
	for (unsigned int i = 0; i < sizeof(pages); i++)
		count += pages[i] & 1;
	return count;
}

/* A disk keeps the room of a process that ended, and its journal is left alone. */
static void test_disk(void)
{
	char dir[] = "lttngmap-ledger-XXXXXX";
	int fd = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1, index;
	const struct saved_process *record;
	struct saved_state *before = saved_state;
	uint64_t taken;

	if (fd < 0 || saved_state_create_in(2, fd, &saved_state) != 0)
		bail_out("no saved state on a disk");
	if (!saved_state->is_on_disk) {
		skip(5, "the build folder is in memory");
	} else {
		index = saved_process_take(saved_state);
		record = saved_process(saved_state, (uint32_t)index);
		saved_process(saved_state, (uint32_t)index)->uid = 1000;
		taken = size_now();
		is(pages_read((uint32_t)index), 1, "on a disk a record is read by the page");
		saved_process_drop(saved_state, (uint32_t)index);
		is(pages_read((uint32_t)index), 1, "what was never used is not read");
		is(size_now(), taken, "on a disk a process that ended keeps its room");
		is(record->uid, 0, "which is zeros");
		is(saved_process_state(saved_state, (uint32_t)index), SAVED_FREE, "and free");
	}
	unlinkat(fd, SAVED_FILE, 0);
	rmdir(dir);
	close(fd);
	saved_state_destroy(saved_state);
	saved_state = before;
}

/* Each number that rings and records depend on makes a saved state another version's. */
static void test_abi(void)
{
	char why[RECOVER_WHY_SIZE];
	struct recover_saved old;
	uint32_t abi[SAVED_ABI_NUMBERS];
	unsigned refused = 0;

	saved_state->head->calibration.clock = LTTNGMAP_CLOCK_MONOTONIC;
	is(recover_saved_open(saved_state->fd, &old, why), 0, "a saved state of this version");
	recover_saved_close(&old);
	saved_state_abi(abi);
	is(abi[0], LTTNGMAP_SUBBUF_HEAD, "the head of a sub-buffer is among the numbers");
	for (unsigned i = 0; i < SAVED_ABI_NUMBERS; i++) {
		saved_state->head->abi[i] ^= 20;
		refused += recover_saved_open(saved_state->fd, &old, why) == -EPROTO &&
			   strstr(why, "another version of lttngmap");
		recover_saved_close(&old);
		saved_state->head->abi[i] ^= 20;
	}
	is(refused, SAVED_ABI_NUMBERS, "a ring of any other layout is refused");
}

int main(void)
{
	char dir[] = "/dev/shm/lttngmap-ledger-XXXXXX";
	int fd;

	if (sysconf(_SC_PAGESIZE) != PAGE)
		skip_all("pages of another size");
	fd = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd < 0 || saved_state_create_in(2, fd, &saved_state) != 0)
		bail_out("no saved state");
	plan(35);
	test_processes();
	test_described();
	test_log();
	test_tokens();
	test_disk();
	test_abi();
	unlinkat(fd, SAVED_FILE, 0);
	rmdir(dir);
	close(fd);
	saved_state_destroy(saved_state);
	return done_testing();
}
