/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * symbol-file.h - names and source lines of functions in a program or library, by libdwfl. They
 * come from the file itself and from separate debugging information, which is found by build ID or
 * debug link.
 *
 * The path comes from a trace. Any user may have made the file, and it may have been replaced
 * since: only a regular file is opened. It is used only if its build ID matches the trace's, or,
 * without one, its size in memory. One thread.
 */
#ifndef CLI_SYMBOLS_SYMBOL_FILE_H
#define CLI_SYMBOLS_SYMBOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBOL_BUILD_ID_MAX 64u

/* A program or library as a trace describes it. */
struct symbol_object {
	const char *path;
	uint64_t memsz; /* from its first byte in memory to its last; 0: unknown */
	uint8_t build_id[SYMBOL_BUILD_ID_MAX];
	size_t build_id_size; /* 0: unknown */
};

struct symbol {
	const char *object;   /* path of the file, as in the trace */
	const char *function; /* NULL: unknown; demangled */
	uint64_t offset;      /* from the function's start; without a function, from the object's */
	const char *source;   /* path of the source file; NULL: unknown */
	int line;
	/* For the caller's use; 0 at first. */
	uint32_t mark;
	char *text; /* freed by symbol_file_destroy() */
};

/* State of a file. */
enum symbol_file_state {
	SYMBOL_FILE_UNSEEN, /* not opened yet */
	SYMBOL_FILE_GOOD,
	SYMBOL_FILE_MISSING, /* missing, or not readable as ELF */
	SYMBOL_FILE_CHANGED, /* not the traced file */
};

struct symbol_file;

/*
 * Opens nothing yet. Later searches the file below `root`; NULL: at its path. Copies the object.
 * NULL without memory.
 */
struct symbol_file *symbol_file_create(const struct symbol_object *object, const char *root);
void symbol_file_destroy(struct symbol_file *file);
bool symbol_file_is(const struct symbol_file *file, const struct symbol_object *object);
enum symbol_file_state symbol_file_state(const struct symbol_file *file);
/* Forgets what was read; the next question reads the file again. */
void symbol_file_close(struct symbol_file *file);
/* Grows with every question to any file. */
uint64_t symbol_file_used(const struct symbol_file *file);
const char *symbol_file_path(const struct symbol_file *file);

/*
 * Describes the place `offset` bytes behind the object's first byte in memory. `is_return`: the
 * place is a return address, so the call before it is meant. The symbol is valid until the next
 * call. NULL without memory.
 */
struct symbol *symbol_file_find(struct symbol_file *file, uint64_t offset, bool is_return);

#endif /* CLI_SYMBOLS_SYMBOL_FILE_H */
