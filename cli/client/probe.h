/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * probe.h - parses --uprobe and --kprobe, which make a place in code an event of the kernel's:
 *
 *   uprobe   [NAME=]PATH:SYMBOL[+OFFSET][%return] [ARGUMENT...]
 *            [NAME=]PATH:OFFSET[%return] [ARGUMENT...]
 *   kprobe   [NAME=]SYMBOL[+OFFSET][%return] [ARGUMENT...]
 *
 * A PATH without a slash is searched along the variable PATH. The kernel parses the ARGUMENTs:
 * FIELD=%di:u64, FIELD=$retval, FIELD=+0(%si):string. The default NAME is made of the symbol. One
 * thread.
 */
#ifndef CLI_CLIENT_PROBE_H
#define CLI_CLIENT_PROBE_H

#include <json-c/json.h>
#include <stdbool.h>

#include "cli/base/problem.h"

/*
 * Adds the parsed place to a request "kernel-probe" (common/protocol/protocol-control.h). 0, or
 * -errno and `problem`.
 */
int probe_parse(const char *text, bool is_kernel, struct json_object *request,
		struct problem *problem);

#endif /* CLI_CLIENT_PROBE_H */
