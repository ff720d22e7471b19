/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-state.h - a session's kernel domain as JSON: for `list`, and for the next daemon, or life
 * of it, which makes the domain anew (doc/design/kernel.md).
 *
 * The next domain has the same rules under the same numbers, and an instance of its own. It has a
 * trace of its own beside the earlier one, because its rings begin anew, and the kernel may have
 * given an event's id to another event. Probes are made one after another, once the loop runs.
 *
 * Main thread.
 */
#ifndef SESSIOND_KERNEL_KERNEL_STATE_H
#define SESSIOND_KERNEL_KERNEL_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

struct kernel_domain;
struct session;

/* The description that "list" sends (common/protocol/protocol-control.h). */
struct json_object *kernel_domain_describe(const struct kernel_domain *domain);

/* NULL: the session has none. */
struct json_object *kernel_domain_save(const struct session *session);
/*
 * Restores the domain of a session that has none. The session's messages name what could not be
 * restored. The domain records from kernel_domain_start() on.
 */
void kernel_domain_restore(struct session *session, struct json_object *saved);
/* Are probes of an earlier daemon still to be made? They count among the rules of the session. */
bool kernel_domain_is_restoring(const struct kernel_domain *domain);
/* For a domain that is made new: how many traces of earlier daemons there may be. */
uint32_t kernel_domain_folder(const struct session *session);

#endif /* SESSIOND_KERNEL_KERNEL_STATE_H */
