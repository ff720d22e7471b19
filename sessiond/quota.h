/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * quota.h - what one user's processes may take of what all share, in a daemon
 * that traces several users: descriptors and event ids. The daemon's own user
 * and root are not limited.
 *
 * Main thread.
 */
#ifndef SESSIOND_QUOTA_H
#define SESSIOND_QUOTA_H

#include <stdint.h>

/* Of the 65535 event ids. */
#define QUOTA_CLASSES 16384u

struct quota;

/* `processes`: how many of one user may be registered. 0 or -errno. */
int quota_create(uint32_t processes, struct quota **quota);
/* NULL is allowed. */
void quota_destroy(struct quota *quota);

/* One more process of a user: 0, -EDQUOT or -ENOMEM. */
int quota_take_process(struct quota *quota, uint32_t uid);
void quota_drop_process(struct quota *quota, uint32_t uid);
/* So many new ids were given to a user's process. */
void quota_add_classes(struct quota *quota, uint32_t uid, uint32_t classes);
/* 0 while the user may register further classes; -EDQUOT. */
int quota_check_classes(const struct quota *quota, uint32_t uid);

/* How many processes of one user a daemon with so many descriptors allows. */
uint32_t quota_processes(uint64_t descriptors, uint32_t reserve);

#endif /* SESSIOND_QUOTA_H */
