/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * query-packets.c - the table `packets`: what the headers of all packets say, stream after
 * stream. `processes` and `losses` are views of it.
 */
#include <config.h>

#include "cli/query/query.h"

#include <errno.h>
#include <string.h>

enum column {
	COLUMN_BEGIN,
	COLUMN_END,
	COLUMN_PROCESS,
	COLUMN_PID,
	COLUMN_UID,
	COLUMN_CPU,
	COLUMN_SIZE,
	COLUMN_NUMBER,
	COLUMN_LOST_EVENTS,
	COLUMN_LOST_PACKETS,
	COLUMN_OFFSET,
	COLUMN_STREAM,
	COLUMN_HOST,
	COLUMN_TRACE,
};

static const char declaration[] =
	"CREATE TABLE packets(\"begin\" INTEGER, \"end\" INTEGER, process TEXT, pid INTEGER, "
	"uid INTEGER, cpu INTEGER, size INTEGER, number INTEGER, lost_events INTEGER, "
	"lost_packets INTEGER, \"offset\" INTEGER, stream TEXT, host TEXT, trace TEXT HIDDEN)";

static const struct query_wanted packets = { INT64_MIN, INT64_MAX, -1, -1, .packets = true };

struct table {
	sqlite3_vtab base;
	struct query *query;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct query_reader reader;
	size_t next; /* stream */
	bool is_begun, has_packet;
	sqlite3_int64 row;
};

static int connect(sqlite3 *db, void *data, int argc, const char *const *argv, sqlite3_vtab **base,
		   char **error)
{
	struct table *table;
	int status = query_declare(db, declaration);

	(void)argc;
	(void)argv;
	(void)error;
	if (status != SQLITE_OK)
		return status;
	table = sqlite3_malloc(sizeof(*table));
	if (!table)
		return SQLITE_NOMEM;
	*table = (struct table){ .query = data };
	*base = &table->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct query *query = ((struct table *)base)->query;

	info->estimatedCost = 1000.0 * (double)(query->nr_streams + 1);
	info->estimatedRows = (sqlite3_int64)(query->bytes / 65536 + query->nr_streams) + 1;
	return SQLITE_OK;
}

/* Goes to the next packet, in this stream or the next one. */
static int next(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;
	struct query *query = ((struct table *)base->pVtab)->query;
	int got = cursor->is_begun ? query_reader_next(&cursor->reader) : 0;

	while (got == 0 && cursor->next < query->nr_streams) {
		if (cursor->is_begun)
			query_reader_end(&cursor->reader);
		query_reader_begin(&cursor->reader, query, &query->streams[cursor->next++],
				   &packets);
		cursor->is_begun = true;
		got = query_reader_next(&cursor->reader);
	}
	cursor->has_packet = got > 0;
	cursor->row++;
	if (got >= 0)
		return SQLITE_OK;
	return query_status(got);
}

static void end(struct cursor *cursor)
{
	if (cursor->is_begun)
		query_reader_end(&cursor->reader);
	cursor->is_begun = cursor->has_packet = false;
	cursor->next = 0;
	cursor->row = 0;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
		  sqlite3_value **argv)
{
	(void)number;
	(void)plan;
	(void)argc;
	(void)argv;
	end((struct cursor *)base);
	return next(base);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return !((struct cursor *)base)->has_packet;
}

static void result_process(sqlite3_context *context, const struct ctf_packet_header *header)
{
	int length = (int)strnlen(header->procname, sizeof(header->procname));

	if (length > 0)
		sqlite3_result_text(context, header->procname, length, SQLITE_TRANSIENT);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct query_reader *reader = &((struct cursor *)base)->reader;
	const struct ctf_packet_header *header = &reader->header;

	switch ((enum column)number) {
	case COLUMN_BEGIN:
		sqlite3_result_int64(context, query_time(reader->trace, header->timestamp_begin));
		break;
	case COLUMN_END:
		sqlite3_result_int64(context, query_time(reader->trace, header->timestamp_end));
		break;
	case COLUMN_PROCESS:
		result_process(context, header);
		break;
	case COLUMN_PID:
		if (header->pid > 0)
			sqlite3_result_int64(context, header->pid);
		break;
	case COLUMN_UID:
		sqlite3_result_int64(context, header->uid);
		break;
	case COLUMN_CPU:
		if (header->cpu_id != CTF_CPU_UNKNOWN)
			sqlite3_result_int64(context, header->cpu_id);
		break;
	case COLUMN_SIZE:
		sqlite3_result_int64(context, (sqlite3_int64)(header->packet_size / 8));
		break;
	case COLUMN_NUMBER:
		sqlite3_result_int64(context, (sqlite3_int64)header->packet_seq_num);
		break;
	case COLUMN_LOST_EVENTS:
		sqlite3_result_int64(context, (sqlite3_int64)reader->lost_events);
		break;
	case COLUMN_LOST_PACKETS:
		sqlite3_result_int64(context, (sqlite3_int64)reader->lost_packets);
		break;
	case COLUMN_OFFSET:
		sqlite3_result_int64(context, (sqlite3_int64)reader->offset);
		break;
	case COLUMN_STREAM:
		sqlite3_result_text(context, reader->stream->name, -1, SQLITE_STATIC);
		break;
	case COLUMN_HOST:
		sqlite3_result_text(context, reader->trace->format.trace.host, -1, SQLITE_STATIC);
		break;
	case COLUMN_TRACE:
		sqlite3_result_text(context, reader->trace->path, -1, SQLITE_STATIC);
		break;
	}
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *row)
{
	*row = ((struct cursor *)base)->row;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **cursor)
{
	struct cursor *new = sqlite3_malloc(sizeof(*new));

	(void)base;
	if (!new)
		return SQLITE_NOMEM;
	*new = (struct cursor){ .is_begun = false };
	*cursor = &new->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	end((struct cursor *)base);
	sqlite3_free(base);
	return SQLITE_OK;
}

const sqlite3_module query_packets_module = {
	.xConnect = connect,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = is_at_end,
	.xColumn = column,
	.xRowid = row_id,
};
