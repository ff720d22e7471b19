/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * own-limits.h - rings do not count in the limits that a program sets itself.
 *
 * The kernel counts the library's maps in RLIMIT_AS as the program's own, and mlockall() locks
 * them. So the library has setrlimit(), getrlimit(), prlimit() and mlockall() of its own: the
 * kernel's limit is higher by the library's maps, the program reads back what it set, and the
 * library's maps are not locked.
 *
 * `lifted` is a record of this program's alone. A program that is executed starts with none, and
 * with a limit that is higher than it was meant by the maps of the one before.
 */
#ifndef LIBLTTNGMAP_ATTACH_OWN_LIMITS_H
#define LIBLTTNGMAP_ATTACH_OWN_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * So many bytes are mapped next: raise the limit of the address space by them, where there is
 * one and the program may. Signal-safe; keeps errno.
 */
void limits_make_room(uint64_t bytes);
/* Does the kernel limit the address space? Signal-safe. */
bool limits_are_set(void);

#endif /* LIBLTTNGMAP_ATTACH_OWN_LIMITS_H */
