/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * query-output.c - a statement's rows: as a table, CSV (RFC 4180, lines that end in LF), or JSON,
 * an object a line.
 *
 * A table's columns are as wide as its first ROWS_SEEN rows want; a later value that is wider
 * moves its row. So rows are printed as they come, and memory does not grow with them.
 */
#include <config.h>

#include "cli/query/query.h"

#include <inttypes.h>
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/name.h"

#define ROWS_SEEN 500
/* A column is at most so wide; longer values move their row. */
#define WIDTH_MAX 60

/* ---- values --------------------------------------------------------------------------- */

/* The value's text; a real as the shortest decimal that is read back as the same number. */
static const char *text_of(sqlite3_stmt *statement, int column, char buffer[TEXT_REAL_SIZE])
{
	const char *text;

	if (sqlite3_column_type(statement, column) == SQLITE_FLOAT) {
		double value = sqlite3_column_double(statement, column);

		return isfinite(value) ? text_format_real(value, false, buffer)
		       : value > 0     ? "Inf"
				       : "-Inf";
	}
	text = (const char *)sqlite3_column_text(statement, column);
	return text ? text : "";
}

static bool is_number(sqlite3_stmt *statement, int column)
{
	int type = sqlite3_column_type(statement, column);

	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* 0: a letter that no terminal is to get. */
static size_t letter_length(const char *text)
{
	return name_directs(text) ? 0 : text_letter_length(text);
}

static void put_escape(struct text_output *output, const char *text)
{
	char escape[8];

	snprintf(escape, sizeof(escape), "\\x%02x", (unsigned char)*text);
	text_output_text(output, escape);
}

size_t query_output_text(struct text_output *output, const char *text)
{
	size_t width = 0;

	while (*text) {
		size_t length = letter_length(text);

		if (length > 0) {
			if (output)
				text_output_bytes(output, text, length);
			text += length;
			width++;
			continue;
		}
		if (output)
			put_escape(output, text);
		text++;
		width += 4;
	}
	return width;
}

bool query_output_is_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static void spaces(struct text_output *output, size_t count)
{
	while (count-- > 0)
		text_output_char(output, ' ');
}

/* ---- tables ---------------------------------------------------------------------------- */

struct cell {
	char *text;
	bool is_number;
};

struct sheet {
	int columns;
	size_t *widths;
	bool *are_numbers; /* by column: no text was seen */
	struct cell *cells;
	size_t rows;
};

/* `owed`: spaces before the next text, so that no line ends in them; 0 at first. */
static void put_cell(struct text_output *output, const char *text, size_t width, bool is_right,
		     size_t *owed)
{
	size_t own = query_output_text(NULL, text), left = width > own ? width - own : 0;

	*owed += is_right ? left : 0;
	if (own > 0) {
		spaces(output, *owed);
		query_output_text(output, text);
		*owed = 0;
	}
	*owed += (is_right ? 0 : left) + 2;
}

static void put_line(struct text_output *output, size_t width, bool is_last)
{
	while (width-- > 0)
		text_output_text(output, query_output_is_utf8() ? "\xe2\x94\x80" : "-");
	text_output_text(output, is_last ? "\n" : "  ");
}

static void put_head(const struct sheet *sheet, sqlite3_stmt *statement, struct text_output *output)
{
	size_t owed = 0;

	for (int i = 0; i < sheet->columns; i++)
		put_cell(output, sqlite3_column_name(statement, i), sheet->widths[i],
			 sheet->are_numbers[i], &owed);
	text_output_char(output, '\n');
	for (int i = 0; i < sheet->columns; i++)
		put_line(output, sheet->widths[i], i + 1 == sheet->columns);
}

static void widen(struct sheet *sheet, int column, const char *text)
{
	size_t width = query_output_text(NULL, text);

	width = width < WIDTH_MAX ? width : WIDTH_MAX;
	if (width > sheet->widths[column])
		sheet->widths[column] = width;
}

/* Keeps the current row, to see how wide columns are. 0; SQLITE_NOMEM. */
static int keep_row(struct sheet *sheet, sqlite3_stmt *statement)
{
	for (int i = 0; i < sheet->columns; i++) {
		struct cell *cell = &sheet->cells[sheet->rows * (size_t)sheet->columns + (size_t)i];
		char buffer[TEXT_REAL_SIZE];

		cell->is_number = is_number(statement, i);
		cell->text = strdup(text_of(statement, i, buffer));
		if (!cell->text)
			return SQLITE_NOMEM;
		if (!cell->is_number && cell->text[0])
			sheet->are_numbers[i] = false;
		widen(sheet, i, cell->text);
	}
	sheet->rows++;
	return SQLITE_OK;
}

static void put_kept(struct sheet *sheet, sqlite3_stmt *statement, struct text_output *output)
{
	put_head(sheet, statement, output);
	for (size_t row = 0; row < sheet->rows; row++) {
		size_t owed = 0;

		for (int i = 0; i < sheet->columns; i++) {
			const struct cell *cell =
				&sheet->cells[row * (size_t)sheet->columns + (size_t)i];

			put_cell(output, cell->text, sheet->widths[i], cell->is_number, &owed);
		}
		text_output_char(output, '\n');
	}
}

static void put_row(const struct sheet *sheet, sqlite3_stmt *statement, struct text_output *output)
{
	size_t owed = 0;

	for (int i = 0; i < sheet->columns; i++) {
		char buffer[TEXT_REAL_SIZE];

		put_cell(output, text_of(statement, i, buffer), sheet->widths[i],
			 is_number(statement, i), &owed);
	}
	text_output_char(output, '\n');
}

static int put_rows(struct sheet *sheet, sqlite3_stmt *statement, struct text_output *output)
{
	int status;

	for (int i = 0; i < sheet->columns; i++) {
		sheet->are_numbers[i] = true;
		widen(sheet, i, sqlite3_column_name(statement, i));
	}
	while ((status = sqlite3_step(statement)) == SQLITE_ROW && sheet->rows < ROWS_SEEN)
		if (keep_row(sheet, statement) != SQLITE_OK)
			return SQLITE_NOMEM;
	if (status == SQLITE_ROW || status == SQLITE_DONE || sheet->rows > 0)
		put_kept(sheet, statement, output);
	for (; status == SQLITE_ROW && !output->error; status = sqlite3_step(statement))
		put_row(sheet, statement, output);
	return status;
}

static int output_table(sqlite3_stmt *statement, struct text_output *output)
{
	struct sheet sheet = { .columns = sqlite3_column_count(statement) };
	size_t columns = (size_t)sheet.columns;
	int status = SQLITE_NOMEM;

	sheet.widths = calloc(columns + 1, sizeof(*sheet.widths));
	sheet.are_numbers = calloc(columns + 1, sizeof(*sheet.are_numbers));
	sheet.cells = calloc(columns * ROWS_SEEN + 1, sizeof(*sheet.cells));
	if (sheet.widths && sheet.are_numbers && sheet.cells)
		status = put_rows(&sheet, statement, output);
	for (size_t i = 0; sheet.cells && i < columns * ROWS_SEEN; i++)
		free(sheet.cells[i].text);
	free(sheet.cells);
	free(sheet.are_numbers);
	free(sheet.widths);
	return status;
}

/* ---- CSV -------------------------------------------------------------------------------- */

/* A terminal gets no control characters; a file, a value as it is. */
static void put_csv(struct text_output *output, const char *text, bool to_people, bool is_last)
{
	bool is_quoted = text[strcspn(text, ",\"\r\n")] != '\0';

	if (is_quoted)
		text_output_char(output, '"');
	while (*text) {
		size_t length = to_people ? letter_length(text) : 1;

		if (*text == '"')
			text_output_char(output, '"');
		if (length > 0 || *text == '\n')
			text_output_bytes(output, text, length ? length : 1);
		else
			put_escape(output, text);
		text += length ? length : 1;
	}
	if (is_quoted)
		text_output_char(output, '"');
	text_output_text(output, is_last ? "\n" : ",");
}

static int output_csv(sqlite3_stmt *statement, struct text_output *output)
{
	int columns = sqlite3_column_count(statement), status;
	bool to_people = isatty(STDOUT_FILENO);

	for (int i = 0; i < columns; i++)
		put_csv(output, sqlite3_column_name(statement, i), to_people, i + 1 == columns);
	while ((status = sqlite3_step(statement)) == SQLITE_ROW && !output->error)
		for (int i = 0; i < columns; i++) {
			char buffer[TEXT_REAL_SIZE];

			put_csv(output, text_of(statement, i, buffer), to_people, i + 1 == columns);
		}
	return status;
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void json_value(sqlite3_str *json, sqlite3_stmt *statement, int column)
{
	char buffer[TEXT_REAL_SIZE];
	const char *text;

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		sqlite3_str_appendall(json, "null");
		break;
	case SQLITE_FLOAT:
		text = isfinite(sqlite3_column_double(statement, column))
			       ? text_of(statement, column, buffer)
			       : "null";
		sqlite3_str_appendall(json, text);
		break;
	case SQLITE_INTEGER:
		sqlite3_str_appendf(json, "%lld",
				    (long long)sqlite3_column_int64(statement, column));
		break;
	default:
		text = text_of(statement, column, buffer);
		query_json_text(json, text, strlen(text));
		break;
	}
}

static int output_json(sqlite3_stmt *statement, struct text_output *output)
{
	int columns = sqlite3_column_count(statement), status;

	while ((status = sqlite3_step(statement)) == SQLITE_ROW && !output->error) {
		sqlite3_str *json = sqlite3_str_new(NULL);

		for (int i = 0; i < columns; i++) {
			const char *name = sqlite3_column_name(statement, i);

			sqlite3_str_appendchar(json, 1, i ? ',' : '{');
			query_json_text(json, name, strlen(name));
			sqlite3_str_appendchar(json, 1, ':');
			json_value(json, statement, i);
		}
		sqlite3_str_appendall(json, "}\n");
		if (sqlite3_str_errcode(json)) {
			sqlite3_free(sqlite3_str_finish(json));
			return SQLITE_NOMEM;
		}
		text_output_bytes(output, sqlite3_str_value(json),
				  (size_t)sqlite3_str_length(json));
		sqlite3_free(sqlite3_str_finish(json));
	}
	return status;
}

int query_output_rows(sqlite3_stmt *statement, enum query_format_kind kind,
		      struct text_output *output)
{
	if (kind == QUERY_AS_CSV)
		return output_csv(statement, output);
	if (kind == QUERY_AS_JSON)
		return output_json(statement, output);
	return output_table(statement, output);
}
