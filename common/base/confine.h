/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * confine.h - a daemon gives up what it will not need, so that who takes it
 * over gets no more than that either. doc/design/security.md says what is
 * kept and why.
 *
 * For a process of one thread; those made later inherit it, as do children.
 */
#ifndef COMMON_BASE_CONFINE_H
#define COMMON_BASE_CONFINE_H

#include <stddef.h>

/*
 * Programs that it executes gain no rights (no_new_privs), and of the
 * capabilities that it has only those `kept` stay (CAP_...). It never gains
 * one by this. 0 or -errno.
 */
int confine_privileges(const int *kept, size_t nr_kept);

#endif /* COMMON_BASE_CONFINE_H */
