/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * confine-calls.h - what the two daemons' lists of system calls have in
 * common, on libseccomp.
 */
#ifndef COMMON_BASE_CONFINE_CALLS_H
#define COMMON_BASE_CONFINE_CALLS_H

#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* Neither daemon ever makes these, so whoever does has taken it over. Ends with NULL. */
extern const char *const confine_calls_hostile[];

/*
 * One rule for each name, up to a NULL. Those of other machines, or newer than
 * the library, are left out. 0 or -errno.
 */
int confine_calls_add(scmp_filter_ctx filter, uint32_t action, const char *const *names);
/* A socket that is not of Unix is EAFNOSUPPORT. 0 or -errno. */
int confine_calls_sockets(scmp_filter_ctx filter);
/* In force from now on. 0 or -errno. */
int confine_calls_load(scmp_filter_ctx filter);

#endif /* COMMON_BASE_CONFINE_CALLS_H */
