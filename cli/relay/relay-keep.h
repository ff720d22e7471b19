/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-keep.h - a process that sends a trace, and a parent of it that starts another one when
 * it is killed. What is sent is noted on disk, so the next one goes on there.
 *
 * The parent hands SIGTERM, SIGINT and SIGHUP on, and ends with its child's status when that
 * ends by itself. Where the parent is killed, the child goes on alone.
 */
#ifndef LTTNGMAP_CLI_RELAY_RELAY_KEEP_H
#define LTTNGMAP_CLI_RELAY_RELAY_KEEP_H

#include "relay/relay.h"

/*
 * `send` in a child, whose status it returns; SIGTERM, SIGINT and SIGHUP are blocked there
 * until it has said what they do (relay-run.h). The exit status of all, or -EBUSY: there
 * is somebody who does the same already, or another -errno, without a message.
 */
int relay_keep(const struct relay_config *config, int (*send)(void *data), void *data);

#endif /* LTTNGMAP_CLI_RELAY_RELAY_KEEP_H */
