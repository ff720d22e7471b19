/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The ledger as a file: what a process takes of the file system that the
 * runtime directory is on, that it is counted, and that it comes back; and what
 * a session's metadata describes.
 */
#include "sessiond/storage/saved-state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/utils/tap.h"

#define PROCESSES 64
#define PAGE 4096u

static struct ledger *ledger;

/* On disk. Blocks are of 512 bytes. */
static uint64_t size_now(void)
{
	struct stat status;

	return fstat(ledger->fd, &status) == 0 ? (uint64_t)status.st_blocks * 512 : 0;
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
		struct ledger_process *record;

		index[i] = ledger_process_take(ledger);
		record = ledger_process(ledger, (uint32_t)index[i]);
		record->payer = i < PROCESSES / 2 ? 1000 : 1001;
		/* As of the first few hundred ids. */
		ledger_process_reserve_classes(ledger, (uint32_t)index[i], 8);
		record->class_words = 8;
		record->classes[7] = 1;
		ledger_process_set(ledger, (uint32_t)index[i], LEDGER_LIVE);
	}
	taken = size_now() - before;
	ok(taken <= PROCESSES * PAGE, "a process takes a page: %llu bytes in all",
	   (unsigned long long)taken);
	is(ledger_memory_of(ledger, is_thousand, NULL), PROCESSES / 2 * PAGE,
	   "which is its user's memory");
	for (int i = 0; i < PROCESSES; i++) {
		ledger_process_reserve_classes(ledger, (uint32_t)index[i], 1024);
		ledger_process(ledger, (uint32_t)index[i])->class_words = 1024;
	}
	ok(size_now() - before > taken, "one with all ids takes more");
	is(ledger_memory_of(ledger, is_thousand, NULL),
	   size_now() > before ? (size_now() - before) / 2 : 0, "and is counted as it is");
	for (int i = 0; i < PROCESSES; i++)
		ledger_process_drop(ledger, (uint32_t)index[i]);
	is(size_now(), before, "all is given back");
	is(ledger_memory_of(ledger, is_thousand, NULL), 0, "to the user, too");
}

static void test_described(void)
{
	uint64_t *ids = ledger_described(ledger, LEDGER_SESSIONS - 1, LTTNGMAP_CHANNELS - 1);
	uint64_t before = size_now();

	is(ledger_described_reserve(ledger, LEDGER_SESSIONS - 1, LTTNGMAP_CHANNELS - 1), 0,
	   "room for the last stream of the last session");
	ids[LTTNGMAP_EVENT_IDS / 64 - 1] = 1;
	is(ledger_described(ledger, 1, 0) - ledger_described(ledger, 0, 0),
	   LTTNGMAP_CHANNELS * LTTNGMAP_EVENT_IDS / 64, "a session has as many as channels");
	ledger_described_clear(ledger, LEDGER_SESSIONS - 1);
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
static int add_up(const struct ledger_entry *entry, void *data)
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
		if (ledger_log_append(ledger, id, 5, bytes, 100 + id) != 0)
			bail_out("no room");
	full = size_now() - before;
	is(ledger_log_compact(ledger, is_kept, &odd), 0, "half of the classes are forgotten");
	is(ledger_log_read(ledger, add_up, sums), 0, "the others are as they were");
	ok(sums[0] == 500 && sums[1] == 250000 && sums[2] == 6 * 500, "each with its id");
	ok(size_now() - before < full * 3 / 5, "in little more than half of the room");
	is(ledger_log_append(ledger, 0, 5, bytes, 100), 0, "there is one more");
	/* One that was killed while it wrote the other log anew. */
	memset(ledger->log[!ledger->head->log], 0xff, 65536);
	ledger->head->log_size[!ledger->head->log] = 12345;
	memset(sums, 0, sizeof(sums));
	is(ledger_log_read(ledger, add_up, sums), 0, "what is half written is not read");
	is(sums[0], 501, "but the whole one");
	is(ledger_log_compact(ledger, is_kept, &odd), 0, "it is written over");
	memset(sums, 0, sizeof(sums));
	ok(ledger_log_read(ledger, add_up, sums) == 0 && sums[0] == 500, "and read");
	odd = 2;
	is(ledger_log_compact(ledger, is_kept, &odd), 0, "all are forgotten");
	memset(sums, 0, sizeof(sums));
	ok(ledger_log_read(ledger, add_up, sums) == 0 && sums[0] == 0, "there is none");
	ok(size_now() - before <= full, "in no room but what was written over");
}

static void test_tokens(void)
{
	int index = ledger_process_take(ledger);
	struct ledger_process *record = ledger_process(ledger, (uint32_t)index);
	const uint64_t token = UINT64_C(7) * LEDGER_PROCESSES + (uint32_t)index;

	record->token = token;
	ok(!ledger_process_by_token(ledger, token), "a process that is not there yet is not found");
	ledger_process_set(ledger, (uint32_t)index, LEDGER_LIVE);
	ok(ledger_process_by_token(ledger, token) == record, "then it is");
	ok(!ledger_process_by_token(ledger, token + LEDGER_PROCESSES), "by no other token");
	ok(!ledger_process_by_token(ledger, 0), "nor by none");
	ledger_process_set(ledger, (uint32_t)index, LEDGER_ENDED);
	ok(!ledger_process_by_token(ledger, token), "nor when it has ended");
	ledger_process_drop(ledger, (uint32_t)index);
}

/* Pages of a process's record that were read from the file. */
static unsigned int pages_read(uint32_t index)
{
	unsigned char pages[64] = { 0 };
	uint64_t size = ledger->head->process_stride;
	unsigned int count = 0;

	if (size > sizeof(pages) * PAGE)
		size = sizeof(pages) * PAGE;
	if (mincore(ledger_process(ledger, index), size, pages) != 0)
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
	const struct ledger_process *record;
	struct ledger *before = ledger;
	uint64_t taken;

	if (fd < 0 || ledger_create_in(2, fd, &ledger) != 0)
		bail_out("no ledger on a disk");
	if (!ledger->is_on_disk) {
		skip(5, "the build folder is in memory");
	} else {
		index = ledger_process_take(ledger);
		record = ledger_process(ledger, (uint32_t)index);
		ledger_process(ledger, (uint32_t)index)->uid = 1000;
		taken = size_now();
		is(pages_read((uint32_t)index), 1, "on a disk a record is read by the page");
		ledger_process_drop(ledger, (uint32_t)index);
		is(pages_read((uint32_t)index), 1, "what was never used is not read");
		is(size_now(), taken, "on a disk a process that ended keeps its room");
		is(record->uid, 0, "which is zeros");
		is(ledger_process_state(ledger, (uint32_t)index), LEDGER_FREE, "and free");
	}
	unlinkat(fd, LEDGER_FILE, 0);
	rmdir(dir);
	close(fd);
	ledger_destroy(ledger);
	ledger = before;
}

int main(void)
{
	char dir[] = "/dev/shm/lttngmap-ledger-XXXXXX";
	int fd;

	if (sysconf(_SC_PAGESIZE) != PAGE)
		skip_all("pages of another size");
	fd = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd < 0 || ledger_create_in(2, fd, &ledger) != 0)
		bail_out("no ledger");
	plan(32);
	test_processes();
	test_described();
	test_log();
	test_tokens();
	test_disk();
	unlinkat(fd, LEDGER_FILE, 0);
	rmdir(dir);
	close(fd);
	ledger_destroy(ledger);
	return done_testing();
}
