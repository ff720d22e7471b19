/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* reach.h - makes a running process serve a request of common/protocol/inside.h. */
#ifndef CLI_ATTACH_REACH_H
#define CLI_ATTACH_REACH_H

#include <sys/types.h>

#include "cli/base/problem.h"
#include "common/protocol/inside.h"

/*
 * Serves the request, which then has the answer. 0; or -errno, `problem`, and a process in its
 * former state. Takes some ten seconds at most; signals that would end the caller wait until the
 * end.
 */
int reach_run(pid_t pid, struct inside_request *request, struct problem *problem);

#endif /* CLI_ATTACH_REACH_H */
