/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * probe.h - a place that a person wants to be an event of the kernel's, as typed:
 *
 *   uprobe   [NAME=]PATH:SYMBOL[+OFFSET][%return] [ARGUMENT...]
 *            [NAME=]PATH:OFFSET[%return] [ARGUMENT...]
 *   kprobe   [NAME=]SYMBOL[+OFFSET][%return] [ARGUMENT...]
 *
 * PATH without a slash is looked for along the variable PATH; ARGUMENTs are the
 * kernel's to understand: FIELD=%di:u64, FIELD=$retval, FIELD=+0(%si):string. Where no
 * NAME is given, it is made of the symbol. One thread.
 */
#ifndef LTTNGMAP_CLI_CLIENT_PROBE_H
#define LTTNGMAP_CLI_CLIENT_PROBE_H

#include <json-c/json.h>
#include <stdbool.h>

#include "cli/base/problem.h"

/*
 * Adds what it says to a request "kernel-probe" (common/protocol-control.h). 0 or -errno:
 * `problem` says why.
 */
int probe_parse(const char *text, bool is_kernel, struct json_object *request,
		struct problem *problem);

#endif /* LTTNGMAP_CLI_CLIENT_PROBE_H */
