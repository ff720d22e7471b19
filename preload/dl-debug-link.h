/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * dl-debug-link.h - where the debugging information of an ELF file is, as the
 * file says in its section .gnu_debuglink, which is not loaded.
 */
#ifndef PRELOAD_DL_DEBUG_LINK_H
#define PRELOAD_DL_DEBUG_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The name, cut by nothing, and the checksum. False: there is none, or the file
 * cannot be read, or is no ELF file that makes sense. Calls no function that is
 * traced. May change errno.
 */
bool dl_debug_link(const char *path, char *name, size_t size, uint32_t *crc);

#endif /* PRELOAD_DL_DEBUG_LINK_H */
