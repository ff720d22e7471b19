/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* address-space.h - how much of it a process may have (ulimit -v). */
#ifndef SESSIOND_APP_ADDRESS_SPACE_H
#define SESSIOND_APP_ADDRESS_SPACE_H

#include <stdint.h>
#include <sys/types.h>

/* Bytes that it may map in all, and may raise that to; UINT64_MAX: no limit, or nobody knows. */
void address_space_limit(pid_t pid, uint64_t *soft, uint64_t *hard);
/* Bytes that it has mapped; 0: nobody knows. */
uint64_t address_space_used(pid_t pid);

#endif /* SESSIOND_APP_ADDRESS_SPACE_H */
