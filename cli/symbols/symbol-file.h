/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * symbol-file.h - names and source lines of the functions in one program or library,
 * by libdwfl: from its own tables, and from a separate file of debugging information,
 * which is found by build ID or debug link.
 *
 * The path is what a trace says, and the file may be anybody's, or another one by now:
 * only a regular file is opened, and only that is taken which has the build ID, or else
 * the size in memory, that the trace tells. One thread.
 */
#ifndef LTTNGMAP_CLI_SYMBOLS_SYMBOL_FILE_H
#define LTTNGMAP_CLI_SYMBOLS_SYMBOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBOL_BUILD_ID_MAX 64u

/* What a trace tells of a program or library. */
struct symbol_object {
	const char *path;
	uint64_t memsz; /* from its first byte in memory to its last; 0: not known */
	uint8_t build_id[SYMBOL_BUILD_ID_MAX];
	size_t build_id_size; /* 0: not known */
};

struct symbol {
	const char *object;   /* path of the file, as in the trace */
	const char *function; /* NULL: not known. Of C++, as the source has it */
	uint64_t offset;      /* bytes from the function's begin; without one, the object's */
	const char *source;   /* path of the source file; NULL: not known */
	int line;
	/* Of whoever asks, 0 at first. */
	uint32_t mark;
	char *text; /* freed here */
};

/* How a file was found. */
enum symbol_file_state {
	SYMBOL_FILE_UNSEEN, /* nothing was asked for yet */
	SYMBOL_FILE_GOOD,
	SYMBOL_FILE_MISSING, /* not there, or not readable as what it should be */
	SYMBOL_FILE_CHANGED, /* not what was traced */
};

struct symbol_file;

/*
 * Looks at nothing yet. The file is searched for below `root`, NULL: where the path
 * says. The object is copied. NULL without memory.
 */
struct symbol_file *symbol_file_create(const struct symbol_object *object, const char *root);
void symbol_file_destroy(struct symbol_file *file);
bool symbol_file_is(const struct symbol_file *file, const struct symbol_object *object);
enum symbol_file_state symbol_file_state(const struct symbol_file *file);
/* What was read of a good one is forgotten; the next question reads it again. */
void symbol_file_close(struct symbol_file *file);
/* The greater, the later it was asked something. */
uint64_t symbol_file_used(const struct symbol_file *file);
const char *symbol_file_path(const struct symbol_file *file);

/*
 * What is `offset` bytes behind the object's first byte in memory. `is_return`: it is
 * where a call returns to, so what is meant is before. The symbol is the file's, until
 * the next call. NULL without memory.
 */
struct symbol *symbol_file_find(struct symbol_file *file, uint64_t offset, bool is_return);

#endif /* LTTNGMAP_CLI_SYMBOLS_SYMBOL_FILE_H */
