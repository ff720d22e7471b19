/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-dirs.h - the directories SESSION/CHANNEL below the rings' one, by
 * ordinary calls, whatever file system lies there.
 *
 * A channel may be removed while files of withdrawn rings still stand in it:
 * its directory then goes with the last of them. A session's directory goes
 * with its last channel's.
 *
 * Any thread; ring_dirs_destroy when no other uses it any more. No lock is
 * held that the event loops take while a file system of our own answers:
 * with ring-fs, only the mediator's helper thread calls.
 */
#ifndef SESSIOND_MEDIATOR_RING_DIRS_H
#define SESSIOND_MEDIATOR_RING_DIRS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct ring_dirs;

/* `root` exists. 0 or -errno. */
int ring_dirs_create(const char *root, struct ring_dirs **dirs);
/* Frees; the directories stay. NULL is allowed. */
void ring_dirs_destroy(struct ring_dirs *dirs);

/* Not empty, not hidden, no slash: one component of a path. */
bool ring_dirs_name_is_valid(const char *name);
/* ROOT/SESSION/CHANNEL/PREFIX NAME. 0, -EINVAL or -ENAMETOOLONG. */
int ring_dirs_path(const struct ring_dirs *dirs, const char *session, const char *channel,
		   const char *prefix, const char *name, char path[PATH_MAX]);

/* There when it returns 0, new or not. */
int ring_dirs_add_channel(struct ring_dirs *dirs, const char *session, const char *channel);
void ring_dirs_remove_channel(struct ring_dirs *dirs, const char *session, const char *channel);
void ring_dirs_remove_file(struct ring_dirs *dirs, const char *session, const char *channel,
			   const char *name);
/* All channels that were added and not removed. */
void ring_dirs_remove_all(struct ring_dirs *dirs);

#endif /* SESSIOND_MEDIATOR_RING_DIRS_H */
