/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * mapped.h - opens the files that a process has mapped. Any user may have made them: a FIFO, a
 * link or a device may have a mapped file's name, and the FUSE server of another user may never
 * answer. Only regular files are opened, and no such server is asked.
 *
 * The FUSE file system is known by the mounts of this process. One that nobody can see any more
 * (umount -l) is not recognized.
 */
#ifndef CLI_ATTACH_MAPPED_H
#define CLI_ATTACH_MAPPED_H

#include <elfutils/libdwfl.h>
#include <sys/types.h>

#include "cli/base/problem.h"

/*
 * 0; -EPERM: the process executes or maps a file of a FUSE file system whose server is neither
 * root's nor this user's. Reading the process's memory there could last for ever. `problem` says
 * which file.
 */
int mapped_check(pid_t pid, struct problem *problem);

/* libdwfl's callback find_elf. The module's user data is a `const pid_t`. */
int mapped_find_elf(Dwfl_Module *module, void **data, const char *path, Dwarf_Addr base,
		    char **found, Elf **elf);

#endif /* CLI_ATTACH_MAPPED_H */
