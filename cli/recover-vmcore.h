/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* recover-vmcore.h - lttngmap recover --vmcore: traces from a dump of a kernel that panicked. */
#ifndef CLI_RECOVER_VMCORE_H
#define CLI_RECOVER_VMCORE_H

#include <stdbool.h>

/*
 * The rings of each session daemon that the dump has, brought into its traces, or into traces below
 * `output`, unless that is NULL. An exit status; what was wrong was said.
 */
int recover_vmcore(const char *dump, const char *output, bool as_json);

#endif /* CLI_RECOVER_VMCORE_H */
