/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * own-user.h - a traced process becomes another user: the daemon is told, so that the trace says
 * which user each part is of.
 *
 * Each family of preload wraps the C library's functions (preload/sandbox.c). Not seen are bare
 * system calls, by which one thread alone may have another user.
 */
#ifndef LIBLTTNGMAP_ATTACH_OWN_USER_H
#define LIBLTTNGMAP_ATTACH_OWN_USER_H

/*
 * Call when the effective user may be another one. Does nothing where it is not, in a child that
 * has not registered, and under a seccomp filter. Signal-safe; errno stays as it was.
 */
void lttngmap_user_changed(void);

#endif /* LIBLTTNGMAP_ATTACH_OWN_USER_H */
