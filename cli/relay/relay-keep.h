/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-keep.h - runs a sender in a child process and starts another one when it is killed. The
 * sender notes on disk what was sent, so the next sender continues there.
 *
 * The parent passes SIGTERM, SIGINT and SIGHUP on, and ends with its child's status when that ends
 * by itself. If the parent is killed, the child continues alone.
 */
#ifndef CLI_RELAY_RELAY_KEEP_H
#define CLI_RELAY_RELAY_KEEP_H

#include "relay/relay.h"

/*
 * Runs `send` in a child and returns its status. SIGTERM, SIGINT and SIGHUP are blocked in the
 * child until it sets their handlers (relay-run.h). -EBUSY without a message: another process sends
 * this trace. Other -errno without a message.
 */
int relay_keep(const struct relay_config *config, int (*send)(void *data), void *data);

#endif /* CLI_RELAY_RELAY_KEEP_H */
