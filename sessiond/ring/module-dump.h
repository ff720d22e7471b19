/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * module-dump.h - how rings of the kernel module are found in a dump of the kernel's memory.
 *
 * The module's data has one page-aligned anchor. Kernel memory alone lies in the range of modules,
 * so that no process can make another one:
 *
 *   anchor -> list of ring sets -> each set's memory: tree of pages
 *          -> list of saved states (files) -> likewise
 *
 * A list is the kernel's struct list_head; a tree of pages its xarray. The anchor says where the
 * members of these lie in this very kernel. Addresses are the kernel's, offsets bytes.
 */
#ifndef SESSIOND_RING_MODULE_DUMP_H
#define SESSIOND_RING_MODULE_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "sessiond/ring/ring-reader.h"

/* A packet that a reader was given, or will be given again. */
struct lttngmap_held {
	struct lttngmap_packet packet;
	struct ring_lease lease;
	bool overrun; /* was overwritten before its copy was checked */
};

/* The part of a set that changes together with one of its readers, and goes back with it. */
struct lttngmap_set_state {
	uint32_t from, to; /* of the packets that are held */
	uint32_t chunk;    /* of the packets that are given now */
	uint32_t next_chunk;
	uint64_t delivered;
	uint64_t delivered_cleared; /* what of `delivered` was before a clear */
	uint32_t closed;            /* rings */
	bool rotating;              /* not all of `chunk` was read */
};

#define LTTNGMAP_ANCHOR_MAGIC UINT64_C(0x726f68636e614c01) /* as little-endian text "\1Lanchor" */
/* Raised with each change of this structure. */
#define LTTNGMAP_ANCHOR_VERSION 1u
#define LTTNGMAP_ANCHOR_ALIGN 4096u

/* An open file: offsets from struct file, and from what that leads to. */
struct lttngmap_anchor_file {
	uint32_t inode;   /* in struct file: address of struct inode */
	uint32_t size;    /* in struct inode: bytes */
	uint32_t mapping; /* in struct file: address of struct address_space */
	uint32_t pages;   /* in struct address_space: the tree's first entry */
};

/* A node of a tree of pages. */
struct lttngmap_anchor_node {
	uint32_t shift; /* in struct xa_node: the byte that says how many bits are below */
	uint32_t slots;
	uint32_t slots_shift; /* a node has 1 << so many slots */
	uint32_t unused;
};

/* A ring set: offsets in the module's own structure, but for the sizes. */
struct lttngmap_anchor_set {
	uint32_t node; /* in its list */
	uint32_t info; /* struct lttngmap_set_info */
	uint32_t info_size;
	uint32_t memory; /* address of a struct file */
	uint32_t rings;  /* uint32_t */
	uint32_t readers;
	uint32_t reader_size;
	uint32_t undo; /* struct ring_undo */
	uint32_t undo_size;
	uint32_t state; /* struct lttngmap_set_state, and what it was before an unfinished change */
	uint32_t before;
	uint32_t state_size;
	uint32_t held; /* struct lttngmap_held[] */
	uint32_t held_size;
};

/* A saved state. */
struct lttngmap_anchor_state {
	uint32_t node;
	uint32_t file; /* address of a struct file */
};

struct lttngmap_anchor {
	uint64_t magic;
	uint64_t address; /* its own */
	uint32_t version;
	uint32_t page_shift;
	uint64_t page_array; /* address of the structure of page 0; 0: they are in no array */
	uint32_t page_struct;
	uint32_t unused;
	uint64_t sets; /* address of the list's head */
	uint64_t states;
	struct lttngmap_anchor_file file;
	struct lttngmap_anchor_node tree;
	struct lttngmap_anchor_set set;
	struct lttngmap_anchor_state state;
};

#endif /* SESSIOND_RING_MODULE_DUMP_H */
