/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * FUSE requests on names and attributes. Names come and go by the helper's
 * hand only; for everybody else the file system cannot be changed.
 */
#include "sessiond/mediator/ring-fs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "sessiond/mediator/ring-dirs.h"

/* readdir offsets: 1 and 2 stand behind "." and "..", a node's id + 2 behind it. */
#define OFFSET_SELF 1
#define OFFSET_PARENT 2

/*
 * Seconds for which the kernel keeps names and attributes: for ever. Attributes never change. Names
 * come and go by calls on the mount, by which the kernel learns of it. So a reader that opens a
 * ring file costs one request, in place of one for each directory on the way.
 */
#define KEPT_SECONDS ((double)INT32_MAX)

static struct mediator *mediator_of(fuse_req_t request)
{
	return fuse_req_userdata(request);
}

static struct ring_fs_node *node_of(fuse_req_t request, fuse_ino_t id)
{
	return ring_fs_tree_find(&mediator_of(request)->tree, id);
}

static bool is_helper(fuse_req_t request)
{
	return ring_fs_helper_is(mediator_of(request)->helper, fuse_req_ctx(request)->pid);
}

/*
 * Root's alone: others cannot look a name up, nor open or watch anything, and so hold nothing of
 * the daemon's. The kernel sees to it (default_permissions).
 */
static void fill_attributes(const struct ring_fs_node *node, struct stat *status)
{
	static const mode_t modes[] = {
		/*
		 * A process that may list a directory can hold its lock for ever (runtime-dir.c).
		 */
		[RING_FS_DIRECTORY] = S_IFDIR | 0700,
		[RING_FS_RING] = S_IFREG | 0440,
		[RING_FS_STATS] = S_IFREG | 0400,
	};

	memset(status, 0, sizeof(*status));
	status->st_ino = node->id;
	status->st_mode = modes[node->kind];
	/* A directory's of 1 says: not counted. */
	status->st_nlink = node->parent || node->depth == 0;
	status->st_atim = node->made;
	status->st_mtim = node->made;
	status->st_ctim = node->made;
}

static void reply_entry(fuse_req_t request, struct ring_fs_node *node)
{
	struct fuse_entry_param entry = {
		.ino = node->id,
		.attr_timeout = KEPT_SECONDS,
		.entry_timeout = KEPT_SECONDS,
	};

	fill_attributes(node, &entry.attr);
	node->lookups++;
	/* Interrupted: the kernel did not take its reference. */
	if (fuse_reply_entry(request, &entry) < 0)
		node->lookups--;
}

static void handle_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
	struct ring_fs_node *directory = node_of(request, parent);
	struct ring_fs_node *node = NULL;

	if (directory)
		node = ring_fs_tree_find_child(&mediator_of(request)->tree, directory, name);
	if (node && node->visible)
		reply_entry(request, node);
	else
		fuse_reply_err(request, ENOENT);
}

static void handle_forget(fuse_req_t request, fuse_ino_t id, uint64_t lookups)
{
	ring_fs_tree_forget(&mediator_of(request)->tree, id, lookups);
	fuse_reply_none(request);
}

static void handle_getattr(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
	const struct ring_fs_node *node = node_of(request, id);
	struct stat status;

	(void)info;
	if (!node) {
		fuse_reply_err(request, ENOENT);
		return;
	}
	fill_attributes(node, &status);
	fuse_reply_attr(request, &status, KEPT_SECONDS);
}

static void handle_statfs(fuse_req_t request, fuse_ino_t id)
{
	const struct statvfs status = { .f_bsize = 4096, .f_frsize = 4096, .f_namemax = NAME_MAX };

	(void)id;
	fuse_reply_statfs(request, &status);
}

/* ---- reading directories ------------------------------------------------------- */

struct listing {
	fuse_req_t request;
	char *buffer;
	size_t size;
	size_t used;
};

/* False: no more fits. */
static bool list_entry(struct listing *listing, const char *name, const struct ring_fs_node *node,
		       off_t next)
{
	size_t left = listing->size - listing->used, needed;
	struct stat status;

	fill_attributes(node, &status);
	needed = fuse_add_direntry(listing->request, listing->buffer + listing->used, left, name,
				   &status, next);
	if (needed > left)
		return false;
	listing->used += needed;
	return true;
}

static void list_directory(struct listing *listing, const struct ring_fs_node *directory,
			   off_t offset)
{
	const struct ring_fs_node *up = directory->parent ? directory->parent : directory;
	struct ring_fs_node *child;

	if (offset < OFFSET_SELF && !list_entry(listing, ".", directory, OFFSET_SELF))
		return;
	if (offset < OFFSET_PARENT && !list_entry(listing, "..", up, OFFSET_PARENT))
		return;
	cds_list_for_each_entry(child, &directory->children, sibling) {
		off_t next = child->id + OFFSET_PARENT;

		if (next > offset && child->visible &&
		    !list_entry(listing, child->name, child, next))
			return;
	}
}

static void handle_readdir(fuse_req_t request, fuse_ino_t id, size_t size, off_t offset,
			   struct fuse_file_info *info)
{
	const struct ring_fs_node *directory = node_of(request, id);
	struct listing listing = { .request = request, .size = size };

	(void)info;
	if (!directory || directory->kind != RING_FS_DIRECTORY) {
		fuse_reply_err(request, ENOTDIR);
		return;
	}
	listing.buffer = malloc(size);
	if (!listing.buffer) {
		fuse_reply_err(request, ENOMEM);
		return;
	}
	list_directory(&listing, directory, offset);
	fuse_reply_buf(request, listing.buffer, listing.used);
	free(listing.buffer);
}

/* ---- changes: the helper's ------------------------------------------------------ */

static void handle_mkdir(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode)
{
	struct ring_fs_tree *tree = &mediator_of(request)->tree;
	struct ring_fs_node *directory = ring_fs_tree_find(tree, parent), *node;

	(void)mode;
	if (!is_helper(request) || !directory || directory->depth >= RING_FS_DEPTH_CHANNEL ||
	    !ring_dirs_name_is_valid(name)) {
		fuse_reply_err(request, EPERM);
		return;
	}
	if (ring_fs_tree_find_child(tree, directory, name)) {
		fuse_reply_err(request, EEXIST);
		return;
	}
	node = ring_fs_tree_add(tree, directory, name, RING_FS_DIRECTORY);
	if (node && node->depth == RING_FS_DEPTH_CHANNEL &&
	    !ring_fs_tree_add(tree, node, RING_FS_STATS_NAME, RING_FS_STATS)) {
		ring_fs_tree_remove(node);
		node = NULL;
	}
	if (node)
		reply_entry(request, node);
	else
		fuse_reply_err(request, ENOMEM);
}

/* Only what was announced: then the node is there and still invisible. */
static void handle_mknod(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode,
			 dev_t device)
{
	struct ring_fs_tree *tree = &mediator_of(request)->tree;
	struct ring_fs_node *directory = ring_fs_tree_find(tree, parent), *node = NULL;

	(void)mode;
	(void)device;
	if (directory && is_helper(request))
		node = ring_fs_tree_find_child(tree, directory, name);
	if (!node || node->visible) {
		fuse_reply_err(request, node ? EEXIST : EPERM);
		return;
	}
	node->visible = true;
	reply_entry(request, node);
}

/* Only what was withdrawn. */
static void handle_unlink(fuse_req_t request, fuse_ino_t parent, const char *name)
{
	struct ring_fs_tree *tree = &mediator_of(request)->tree;
	struct ring_fs_node *directory = ring_fs_tree_find(tree, parent), *node = NULL;

	if (directory && is_helper(request))
		node = ring_fs_tree_find_child(tree, directory, name);
	if (!node || node->kind != RING_FS_RING || node->set) {
		fuse_reply_err(request, EPERM);
		return;
	}
	ring_fs_tree_remove(node);
	fuse_reply_err(request, 0);
}

/* But for `stats`, and for withdrawn rings that could never be made visible. */
static bool is_empty(const struct ring_fs_node *directory)
{
	struct ring_fs_node *child;

	cds_list_for_each_entry(child, &directory->children, sibling) {
		if (child->kind != RING_FS_STATS && (child->visible || child->set))
			return false;
	}
	return true;
}

static void handle_rmdir(fuse_req_t request, fuse_ino_t parent, const char *name)
{
	struct ring_fs_tree *tree = &mediator_of(request)->tree;
	struct ring_fs_node *directory = ring_fs_tree_find(tree, parent), *node = NULL;
	struct ring_fs_node *child, *next;

	if (directory && is_helper(request))
		node = ring_fs_tree_find_child(tree, directory, name);
	if (!node || node->kind != RING_FS_DIRECTORY || !is_empty(node)) {
		fuse_reply_err(request, node ? ENOTEMPTY : EPERM);
		return;
	}
	cds_list_for_each_entry_safe(child, next, &node->children, sibling)
		ring_fs_tree_remove(child);
	ring_fs_tree_remove(node);
	fuse_reply_err(request, 0);
}

/* ---- changes: nobody's ------------------------------------------------------------ */

static void handle_setattr(fuse_req_t request, fuse_ino_t id, struct stat *attributes, int which,
			   struct fuse_file_info *info)
{
	(void)id;
	(void)attributes;
	(void)which;
	(void)info;
	fuse_reply_err(request, EPERM);
}

static void handle_symlink(fuse_req_t request, const char *target, fuse_ino_t parent,
			   const char *name)
{
	(void)target;
	(void)parent;
	(void)name;
	fuse_reply_err(request, EPERM);
}

static void handle_link(fuse_req_t request, fuse_ino_t id, fuse_ino_t parent, const char *name)
{
	(void)id;
	(void)parent;
	(void)name;
	fuse_reply_err(request, EPERM);
}

static void handle_rename(fuse_req_t request, fuse_ino_t parent, const char *name,
			  fuse_ino_t new_parent, const char *new_name, unsigned int flags)
{
	(void)parent;
	(void)name;
	(void)new_parent;
	(void)new_name;
	(void)flags;
	fuse_reply_err(request, EPERM);
}

static void handle_create(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode,
			  struct fuse_file_info *info)
{
	(void)parent;
	(void)name;
	(void)mode;
	(void)info;
	fuse_reply_err(request, EPERM);
}

void ring_fs_dir_handlers(struct fuse_lowlevel_ops *ops)
{
	ops->lookup = handle_lookup;
	ops->forget = handle_forget;
	ops->getattr = handle_getattr;
	ops->statfs = handle_statfs;
	ops->readdir = handle_readdir;
	ops->mkdir = handle_mkdir;
	ops->mknod = handle_mknod;
	ops->unlink = handle_unlink;
	ops->rmdir = handle_rmdir;
	ops->setattr = handle_setattr;
	ops->symlink = handle_symlink;
	ops->link = handle_link;
	ops->rename = handle_rename;
	ops->create = handle_create;
}
