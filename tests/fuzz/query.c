/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * query.c - any bytes as a trace's metadata, as a stream and as its index, under SQL: each
 * statement ends, and all rows of one table are rows of the other.
 *
 * The input is a message that is the metadata, a message that is the index, then the stream.
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/query/query.h"
#include "cli/symbols/symbols.h"
#include "tests/fuzz/fuzz.h"

/* Rows of a statement that are looked at. */
#define ROWS_MOST 2000

static void write_file(const char *name, const void *bytes, size_t size)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fuzz_directory(), name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

/* All columns of all rows. The number of rows; -1: the statement failed, with a cause. */
static long run(struct query *query, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	long rows = 0;
	int status = sqlite3_prepare_v2(query->db, sql, -1, &statement, NULL);

	if (status != SQLITE_OK) {
		FUZZ_CHECK(sqlite3_errmsg(query->db)[0]);
		return -1;
	}
	while (rows < ROWS_MOST && (status = sqlite3_step(statement)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(statement); i++)
			(void)sqlite3_column_text(statement, i);
		rows++;
	}
	sqlite3_finalize(statement);
	return status == SQLITE_ROW || status == SQLITE_DONE ? rows : -1;
}

/* Each table by an event's name has as many rows as there are events of the name. */
static void ask_tables(struct query *query)
{
	for (size_t i = 0; i < query->nr_tables && i < 8; i++) {
		const char *name = query->tables[i]->name;
		char *by_table = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
		char *by_name = sqlite3_mprintf("SELECT * FROM events WHERE name = %Q", name);

		if (strchr(name, ':'))
			FUZZ_CHECK(run(query, by_table) == run(query, by_name));
		sqlite3_free(by_table);
		sqlite3_free(by_name);
	}
}

static void ask(struct query *query)
{
	static const char *const statements[] = {
		"SELECT * FROM packets",
		"SELECT * FROM spans",
		"SELECT * FROM processes",
		"SELECT * FROM threads",
		"SELECT * FROM losses",
		"SELECT * FROM classes",
		"SELECT * FROM counts",
		"SELECT symbol(1, pid), symbol(time) FROM events LIMIT 10",
		"SELECT *, host, trace FROM events WHERE pid = 1 AND cpu = 1 AND name GLOB '*:*'",
	};
	long all = run(query, "SELECT * FROM events");
	long before, behind;

	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		run(query, statements[i]);
	/* Seeking leaves nothing out. */
	before = run(query, "SELECT 1 FROM events WHERE time < (SELECT avg(time) FROM events)");
	behind = run(query, "SELECT 1 FROM events WHERE time >= (SELECT avg(time) FROM events)");
	if (all > 0 && all < ROWS_MOST && before >= 0 && behind >= 0 && query->broken == 0)
		FUZZ_CHECK(before + behind == all);
	ask_tables(query);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	struct query query = { .db = NULL };
	const char *folder = fuzz_directory();
	const uint8_t *metadata, *index;
	size_t metadata_size, index_size;
	char path[PATH_MAX];

	view_verb = "query";
	metadata = fuzz_take_message(&input, &metadata_size);
	index = fuzz_take_message(&input, &index_size);
	snprintf(path, sizeof(path), "%s/index", folder);
	(void)mkdir(path, 0700);
	write_file("metadata", metadata, metadata_size);
	write_file("stream", input.data, input.size);
	write_file("index/stream.idx", index, index_size);
	if (query_open(&query, &folder, 1) == 0 && query_database_open(&query) == 0)
		ask(&query);
	query_database_close(&query);
	symbols_destroy(query.symbols);
	query_close(&query);
	return 0;
}
