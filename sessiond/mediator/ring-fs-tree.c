/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The nodes of ring-fs: a tree of names over a table of ids. The ring thread
 * alone works on it, so plain hash chains do.
 */
#include "sessiond/mediator/ring-fs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct cds_hlist_head *id_bucket(struct ring_fs_tree *tree, uint64_t id)
{
	return &tree->by_id[id % RING_FS_BUCKETS];
}

static struct cds_hlist_head *name_bucket(struct ring_fs_tree *tree,
					  const struct ring_fs_node *parent, const char *name)
{
	uint64_t hash = parent->id;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * UINT64_C(0x100000001b3);
	return &tree->by_name[(hash ^ hash >> 32) % RING_FS_BUCKETS];
}

static struct ring_fs_node *node_create(struct ring_fs_tree *tree, const char *name,
					enum ring_fs_kind kind)
{
	struct ring_fs_node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	node->name = strdup(name);
	if (!node->name) {
		free(node);
		return NULL;
	}
	node->id = ++tree->last_id;
	node->kind = kind;
	node->visible = kind != RING_FS_RING;
	clock_gettime(CLOCK_REALTIME, &node->made);
	CDS_INIT_LIST_HEAD(&node->children);
	cds_hlist_add_head(&node->by_id, id_bucket(tree, node->id));
	return node;
}

static void node_free(struct ring_fs_node *node)
{
	cds_hlist_del(&node->by_id);
	free(node->name);
	free(node);
}

int ring_fs_tree_init(struct ring_fs_tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	tree->root = node_create(tree, "", RING_FS_DIRECTORY);
	/* The first id is 1, and that is what the kernel calls the root. */
	return tree->root ? 0 : -ENOMEM;
}

void ring_fs_tree_destroy(struct ring_fs_tree *tree)
{
	struct ring_fs_node *node, *next;

	for (size_t i = 0; i < RING_FS_BUCKETS; i++)
		cds_hlist_for_each_entry_safe_2(node, next, &tree->by_id[i], by_id)
			node_free(node);
}

struct ring_fs_node *ring_fs_tree_find(struct ring_fs_tree *tree, uint64_t id)
{
	struct ring_fs_node *node;

	cds_hlist_for_each_entry_2(node, id_bucket(tree, id), by_id) {
		if (node->id == id)
			return node;
	}
	return NULL;
}

struct ring_fs_node *ring_fs_tree_find_child(struct ring_fs_tree *tree,
					     const struct ring_fs_node *parent, const char *name)
{
	struct ring_fs_node *node;

	cds_hlist_for_each_entry_2(node, name_bucket(tree, parent, name), by_name) {
		if (node->parent == parent && strcmp(node->name, name) == 0)
			return node;
	}
	return NULL;
}

struct ring_fs_node *ring_fs_tree_add(struct ring_fs_tree *tree, struct ring_fs_node *parent,
				      const char *name, enum ring_fs_kind kind)
{
	struct ring_fs_node *node = node_create(tree, name, kind);

	if (!node)
		return NULL;
	node->parent = parent;
	node->depth = parent->depth + 1;
	cds_list_add_tail(&node->sibling, &parent->children);
	cds_hlist_add_head(&node->by_name, name_bucket(tree, parent, name));
	return node;
}

static void free_if_unused(struct ring_fs_node *node)
{
	if (!node->parent && node->lookups == 0)
		node_free(node);
}

void ring_fs_tree_remove(struct ring_fs_node *node)
{
	cds_hlist_del(&node->by_name);
	cds_list_del(&node->sibling);
	node->parent = NULL;
	free_if_unused(node);
}

void ring_fs_tree_forget(struct ring_fs_tree *tree, uint64_t id, uint64_t lookups)
{
	struct ring_fs_node *node = ring_fs_tree_find(tree, id);

	if (!node || node == tree->root)
		return;
	node->lookups -= lookups < node->lookups ? lookups : node->lookups;
	free_if_unused(node);
}
