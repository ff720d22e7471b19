/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * symbol-open.h - programs, libraries and their debugging information, opened with care: what
 * a path of a traced program's making leads to may be anything.
 */
#ifndef LTTNGMAP_CLI_SYMBOLS_SYMBOL_OPEN_H
#define LTTNGMAP_CLI_SYMBOLS_SYMBOL_OPEN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

/* Where debugging information is looked for: what *data of the callback below points at. */
struct symbol_search {
	const char *root; /* below it; NULL: / */
	const char *path; /* of the program, below the root */
};

/*
 * To read; -1 where it is no regular file or cannot be read. Nothing is opened that waits, or
 * that does something when it is opened, as devices may.
 */
int symbol_open_regular(const char *path);

/* Where distributions keep what has that build ID; false: no ID has that size, or no path. */
bool symbol_open_by_id(const char *root, const uint8_t *id, size_t size, char path[PATH_MAX]);

/*
 * find_debuginfo of Dwfl_Callbacks. libdwfl's own opens whatever is there, only on this
 * machine, or fetches it from others. This one looks for a file with the module's build ID,
 * or, of a module that has none, the sum of its debug link: by build ID; by link beside the file,
 * in .debug there, and where distributions keep it.
 */
int symbol_open_debuginfo(Dwfl_Module *module, void **data, const char *module_name,
			  Dwarf_Addr base, const char *path, const char *link, GElf_Word crc,
			  char **found);

#endif /* LTTNGMAP_CLI_SYMBOLS_SYMBOL_OPEN_H */
