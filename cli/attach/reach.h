/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * reach.h - have a running process do what a request of common/inside.h says.
 */
#ifndef LTTNGMAP_CLI_ATTACH_REACH_H
#define LTTNGMAP_CLI_ATTACH_REACH_H

#include <sys/types.h>

#include "cli/base/problem.h"
#include "common/inside.h"

/*
 * The request's answer is in it afterwards. 0 or -errno, and `problem` says why;
 * the process is then as it was. At most some ten seconds; signals that
 * would end the caller wait until it is done.
 */
int reach_run(pid_t pid, struct inside_request *request, struct problem *problem);

#endif /* LTTNGMAP_CLI_ATTACH_REACH_H */
