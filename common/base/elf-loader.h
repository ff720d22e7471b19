/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * elf-loader.h - whose C library a program is for, by the name of its loader (PT_INTERP).
 *
 * The libraries that are preloaded are glibc's. Other C libraries have loaders of other names:
 * ld-musl-x86_64.so.1, ld64-uClibc.so.0, linker64.
 */
#ifndef COMMON_BASE_ELF_LOADER_H
#define COMMON_BASE_ELF_LOADER_H

#include <stdbool.h>
#include <string.h>

/* "ld-linux-x86-64.so.2"; ld-2.31.so, ld.so, and the standard base's ld-lsb-x86-64.so.3. */
static inline bool elf_loader_is_glibc(const char *path)
{
	static const char *const names[] = { "ld-linux", "ld-2.", "ld.so", "ld-lsb" };
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(base, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

#endif /* COMMON_BASE_ELF_LOADER_H */
