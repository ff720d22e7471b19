/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-fs.h - the parts of the mediator that shows rings as a file system.
 * Private to sessiond/mediator/ring-fs*.c.
 *
 *   ring-fs.c         the mediator's operations, mount, event loop
 *   ring-fs-init.c    the connection's first exchange: passthrough
 *   ring-fs-tree.c    directories, rings and `stats` as nodes
 *   ring-fs-dir.c     FUSE requests on names and attributes
 *   ring-fs-file.c    FUSE requests on open files: open, ioctl, poll
 *   ring-fs-helper.c  the thread that makes names appear through the mount
 *
 * Threads:
 *
 *   what                     ring thread      helper     main thread
 *   nodes, open files        all              -          destroy only, no loop then
 *   FUSE requests            answers          makes      never, while the loop may
 *                                                        be waiting for it
 *   queue of jobs            enqueue          dequeue    enqueue
 *
 * A file that only came to be in the server would give no inotify event. So
 * the helper calls mkdir, mknod, unlink, rmdir on the mount as anybody would;
 * the kernel asks the server, which grants these to the helper alone. Nobody
 * else may wait for a request on the mount while he keeps the ring thread
 * from answering: that is why the ring thread only ever queues jobs.
 */
#ifndef SESSIOND_MEDIATOR_RING_FS_H
#define SESSIOND_MEDIATOR_RING_FS_H

#ifndef FUSE_USE_VERSION
#define FUSE_USE_VERSION 35
#endif
#include <fuse_lowlevel.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include <urcu/hlist.h>
#include <urcu/list.h>

#include "sessiond/mediator/mediator.h"

/* ---- nodes ------------------------------------------------------------------- */

enum ring_fs_kind {
	RING_FS_DIRECTORY,
	RING_FS_RING,
	RING_FS_STATS,
};

/* Root, session, channel: how deep a directory lies. */
#define RING_FS_DEPTH_CHANNEL 2

#define RING_FS_STATS_NAME "stats"

struct ring_fs_node {
	uint64_t id; /* the kernel's name for it; never used again */
	enum ring_fs_kind kind;
	unsigned depth;
	/* A ring that was announced is invisible until the helper's mknod. */
	bool visible;
	uint64_t lookups; /* the kernel's references */
	struct timespec made;
	struct ring_fs_node *parent; /* NULL: the root, or removed */
	char *name;
	struct cds_hlist_node by_id;
	struct cds_hlist_node by_name; /* while it has a parent */
	struct cds_list_head sibling;  /* likewise */
	struct cds_list_head children; /* of a directory, oldest first */
	struct ring_set *set;          /* of a ring, until it is withdrawn; a reference */
	struct ring_fs_file *file;     /* of a ring, while it is open */
};

#define RING_FS_BUCKETS 1024

struct ring_fs_tree {
	uint64_t last_id;
	struct ring_fs_node *root;
	struct cds_hlist_head by_id[RING_FS_BUCKETS];
	struct cds_hlist_head by_name[RING_FS_BUCKETS];
};

int ring_fs_tree_init(struct ring_fs_tree *tree);
/* Frees all nodes; what they refer to is the caller's, who goes first. */
void ring_fs_tree_destroy(struct ring_fs_tree *tree);
/* NULL where there is none. */
struct ring_fs_node *ring_fs_tree_find(struct ring_fs_tree *tree, uint64_t id);
struct ring_fs_node *ring_fs_tree_find_child(struct ring_fs_tree *tree,
					     const struct ring_fs_node *parent, const char *name);
/* Visible, unless it is a ring. NULL: no memory. */
struct ring_fs_node *ring_fs_tree_add(struct ring_fs_tree *tree, struct ring_fs_node *parent,
				      const char *name, enum ring_fs_kind kind);
/* Take it out of its directory; freed once the kernel has forgotten it. */
void ring_fs_tree_remove(struct ring_fs_node *node);
/* The kernel drops references. */
void ring_fs_tree_forget(struct ring_fs_tree *tree, uint64_t id, uint64_t lookups);

/* ---- the helper ---------------------------------------------------------------- */

struct ring_fs_helper;

/* Begins the thread; it works on what lies at `root`. 0 or -errno. */
int ring_fs_helper_create(const char *root, struct ring_fs_helper **helper);
/*
 * Jobs that are left are not done. After the mount was taken away, for the
 * thread may be waiting for an answer. NULL is allowed.
 */
void ring_fs_helper_destroy(struct ring_fs_helper *helper);
/* Is a request with this process id one of the helper's own? */
bool ring_fs_helper_is(const struct ring_fs_helper *helper, pid_t pid);

/* From the main thread; waits until it is done. 0 or -errno. */
int ring_fs_helper_add_channel(struct ring_fs_helper *helper, const char *session,
			       const char *channel);
/* From any thread; only queued. 0 or -ENOMEM. */
int ring_fs_helper_remove_channel(struct ring_fs_helper *helper, const char *session,
				  const char *channel);
int ring_fs_helper_make_file(struct ring_fs_helper *helper, const char *session,
			     const char *channel, const char *name);
int ring_fs_helper_remove_file(struct ring_fs_helper *helper, const char *session,
			       const char *channel, const char *name);

/* ---- the connection -------------------------------------------------------------- */

struct ring_fs_init {
	bool seen;    /* the kernel's INIT was read */
	bool offered; /* it has passthrough */
	bool done;    /* our answer, which takes it, was sent */
};

/* How libfuse reads and writes: as ever, but for INIT. User data: struct mediator. */
extern const struct fuse_custom_io ring_fs_init_io;

/* A memory that passthrough shall map; an id > 0, or -errno. */
int ring_fs_backing_open(struct fuse_session *session, int fd);
void ring_fs_backing_close(struct fuse_session *session, int backing);

/* ---- the mediator ------------------------------------------------------------------ */

struct mediator {
	struct fuse_session *session;
	struct fuse_buf buffer;
	struct ring_fs_init init;
	struct ring_fs_tree tree;
	struct ring_fs_helper *helper;
	sd_event *loop;
	sd_event_source *source;
	bool mounted;
	char mountpoint[];
};

/* Add a part's handlers to the table. */
void ring_fs_dir_handlers(struct fuse_lowlevel_ops *ops);
void ring_fs_file_handlers(struct fuse_lowlevel_ops *ops);

/* Wake those who wait for the ring: it may have something, or it was withdrawn. */
void ring_fs_file_notify(struct ring_fs_node *node);
/* Its set is to be dropped: detach the reader from it, who is told ENODATA. */
void ring_fs_file_withdraw(struct ring_fs_node *node);
/* The connection is gone: free what an open file holds. */
void ring_fs_file_abandon(struct ring_fs_node *node);

#endif /* SESSIOND_MEDIATOR_RING_FS_H */
