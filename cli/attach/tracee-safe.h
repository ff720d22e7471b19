/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tracee-safe.h - may a function be called here, in a thread that was stopped
 * somewhere? It may where the thread holds no lock that the loader or the allocator will
 * want, which is told from what it was called by (doc/design/attach.md).
 */
#ifndef LTTNGMAP_CLI_ATTACH_TRACEE_SAFE_H
#define LTTNGMAP_CLI_ATTACH_TRACEE_SAFE_H

#include "cli/attach/target.h"
#include "cli/attach/tracee.h"

/* NULL: it is safe; else why not, for people, statically. */
const char *tracee_unsafe(const struct target *target, const struct tracee *tracee);

#endif /* LTTNGMAP_CLI_ATTACH_TRACEE_SAFE_H */
