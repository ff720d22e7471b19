/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * symbol-open.h - opens programs, libraries and debugging information by paths that a traced
 * program may have made. Such a path may lead to anything.
 */
#ifndef CLI_SYMBOLS_SYMBOL_OPEN_H
#define CLI_SYMBOLS_SYMBOL_OPEN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

/* Where debugging information is searched; the callback below gets it as *data. */
struct symbol_search {
	const char *root; /* search below it; NULL: / */
	const char *path; /* of the program, below the root */
};

/*
 * Opens a regular file for reading; -1: no regular file, or not readable. Never opens a device or
 * another file whose opening waits or has effects.
 */
int symbol_open_regular(const char *path);

/*
 * The path at which distributions keep the file with that build ID; false: no valid ID, or the path
 * is too long.
 */
bool symbol_open_by_id(const char *root, const uint8_t *id, size_t size, char path[PATH_MAX]);

/*
 * find_debuginfo of Dwfl_Callbacks. libdwfl's own function opens any file, and may fetch files from
 * other machines. This function searches a file with the module's build ID, or, for a module
 * without one, with the checksum of its debug link: by build ID; by link beside the file, in .debug
 * there, and where distributions keep it.
 */
int symbol_open_debuginfo(Dwfl_Module *module, void **data, const char *module_name,
			  Dwarf_Addr base, const char *path, const char *link, GElf_Word crc,
			  char **found);

#endif /* CLI_SYMBOLS_SYMBOL_OPEN_H */
