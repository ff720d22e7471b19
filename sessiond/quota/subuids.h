/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * subuids.h - whose subordinate user ids are whose: ranges of /etc/subuid
 * (subuid(5)). A user owns all of its ranges, and can be any of their ids in a
 * user namespace.
 *
 * The file is read when it has changed, as far as SUBUIDS_MAX ranges. Names are
 * looked up in /etc/passwd alone: no other database is asked, which could be on
 * the network. Ranges of a name that is not there, of root and of the daemon's
 * user count as one user for each range, named by its first id. Where ranges
 * overlap, an id belongs to the owner of the one that begins first.
 *
 * Main thread.
 */
#ifndef SESSIOND_QUOTA_SUBUIDS_H
#define SESSIOND_QUOTA_SUBUIDS_H

#include <stdint.h>

#define SUBUIDS_FILE "/etc/subuid"
#define SUBUIDS_MAX 4096u

struct subuids;

/* `path` is copied; it need not be there. NULL: no memory. */
struct subuids *subuids_create(const char *path);
/* NULL is allowed. */
void subuids_destroy(struct subuids *subuids);
/* Read the file again, if it has changed. A file that cannot be read has no ranges. */
void subuids_refresh(struct subuids *subuids);
/* The owner of the id: the id itself if it is in no range. NULL is allowed. */
uint32_t subuids_owner(const struct subuids *subuids, uint32_t uid);

#endif /* SESSIOND_QUOTA_SUBUIDS_H */
