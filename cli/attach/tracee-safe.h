/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tracee-safe.h - decides whether a stopped thread can call a function now. It can if it holds no
 * lock that the loader or the allocator needs, which its callers tell (doc/design/attach.md).
 */
#ifndef CLI_ATTACH_TRACEE_SAFE_H
#define CLI_ATTACH_TRACEE_SAFE_H

#include "cli/attach/target.h"
#include "cli/attach/tracee.h"

/* NULL: safe; else the reason, a static text for people. */
const char *tracee_unsafe(const struct target *target, const struct tracee *tracee);

#endif /* CLI_ATTACH_TRACEE_SAFE_H */
