/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * dump-file.c - the pages of a file, which the kernel keeps in a tree (xarray).
 *
 * An entry of the tree is the address of a page's structure, or with the last two bits
 *   10  a node's address, or, if it is small, the number of the slot of the same node in which a
 *       larger page is that reaches as far as this slot;
 *   x1  no page: it is swapped out.
 *
 * No node is visited twice, however a damaged dump leads there.
 */
#include "sessiond/vmcore/dump-private.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#define ENTRY_KIND 3u
#define ENTRY_INTERNAL 2u
#define ENTRY_SWAPPED 1u
/* Smaller ones are no address. */
#define ENTRY_NODE_MIN 4096u

struct walk {
	struct dump *dump;
	const struct lttngmap_anchor *anchor;
	struct dump_file_counts *counts;
	int fd;
	uint64_t pages; /* of the file */
	void *seen;     /* nodes; of tsearch() */
	char *page;
};

static uint64_t page_size(const struct walk *walk)
{
	return UINT64_C(1) << walk->anchor->page_shift;
}

/* `behind`: how many pages lie between the one of the entry and the one that is meant. */
static int copy_page(struct walk *walk, uint64_t entry, uint64_t behind, uint64_t index)
{
	const struct lttngmap_anchor *anchor = walk->anchor;
	uint64_t offset = entry - anchor->page_array, size = page_size(walk);
	uint64_t number = offset / anchor->page_struct + behind;

	if (index >= walk->pages)
		return 0;
	if (entry < anchor->page_array || offset % anchor->page_struct != 0 ||
	    dump_read_physical(walk->dump, number << anchor->page_shift, walk->page, size) != 0) {
		walk->counts->absent++;
		return 0;
	}
	if (pwrite(walk->fd, walk->page, size, (off_t)(index * size)) != (ssize_t)size)
		return errno ? -errno : -EIO;
	walk->counts->copied++;
	return 0;
}

/* A slot stands for 1 << `shift` pages, of one larger page where there are several. */
static int copy_slot(struct walk *walk, uint64_t entry, uint64_t behind, uint64_t index,
		     uint32_t shift)
{
	int error = 0;

	/* Twice 2 MiB, and no more in one slot. */
	if (shift > 10) {
		walk->counts->absent++;
		return 0;
	}
	for (uint64_t i = 0; error == 0 && i < UINT64_C(1) << shift; i++)
		error = copy_page(walk, entry, (behind << shift) + i, index + i);
	return error;
}

static int compare(const void *a, const void *b)
{
	uint64_t one = (uint64_t)(uintptr_t)a, two = (uint64_t)(uintptr_t)b;

	return one < two ? -1 : one > two;
}

/* True where it was not there before. */
static bool note(struct walk *walk, uint64_t node)
{
	const void *key = (void *)(uintptr_t)node; // NOLINT

	if (tfind(key, &walk->seen, compare))
		return false;
	return tsearch(key, &walk->seen, compare) != NULL;
}

static bool is_node(uint64_t entry)
{
	return (entry & ENTRY_KIND) == ENTRY_INTERNAL && entry >= ENTRY_NODE_MIN;
}

static int walk_node(struct walk *walk, uint64_t node, uint32_t above, uint64_t index);

/* Slot `number` of a node whose slots are `slots`. */
static int walk_slot(struct walk *walk, const uint64_t *slots, uint64_t number, uint32_t shift,
		     uint64_t index)
{
	uint64_t entry = slots[number], first = number;

	if ((entry & ENTRY_KIND) == ENTRY_INTERNAL && !is_node(entry)) {
		first = entry >> 2;
		if (first >= number)
			return 0;
		entry = slots[first];
	}
	if (entry == 0 || (entry & ENTRY_KIND) == ENTRY_INTERNAL)
		return is_node(entry) && first == number
			       ? walk_node(walk, entry - ENTRY_INTERNAL, shift, index)
			       : 0;
	if (entry & ENTRY_SWAPPED) {
		walk->counts->swapped++;
		return 0;
	}
	return copy_slot(walk, entry, number - first, index, shift);
}

/* `above`: how many bits of the index its parent's slots leave; the recursion ends with them. */
static int walk_node(struct walk *walk, uint64_t node, uint32_t above, uint64_t index)
{
	const struct lttngmap_anchor_node *tree = &walk->anchor->tree;
	uint64_t slots[1u << DUMP_SLOTS_SHIFT_MAX];
	uint64_t count = UINT64_C(1) << tree->slots_shift;
	uint8_t shift;
	int error = 0;

	if (!note(walk, node) || dump_read(walk->dump, node + tree->shift, &shift, 1) != 0 ||
	    shift >= above ||
	    dump_read(walk->dump, node + tree->slots, slots, count * sizeof(*slots)) != 0) {
		walk->counts->absent++;
		return 0;
	}
	for (uint64_t i = 0; error == 0 && i < count; i++) {
		uint64_t at = index + (i << shift);

		if (at >= walk->pages)
			break;
		error = walk_slot(walk, slots, i, shift, at);
	}
	return error;
}

static void forget(void *node)
{
	(void)node;
}

static int copy_tree(struct walk *walk, uint64_t entry)
{
	int error = 0;

	if (is_node(entry))
		error = walk_node(walk, entry - ENTRY_INTERNAL, 64, 0);
	else if (entry & ENTRY_SWAPPED)
		walk->counts->swapped++;
	else if (entry != 0 && (entry & ENTRY_KIND) == 0)
		error = copy_page(walk, entry, 0, 0);
	tdestroy(walk->seen, forget);
	return error;
}

int dump_copy_file(struct dump *dump, uint64_t file, uint64_t size_max, int fd,
		   struct dump_file_counts *counts)
{
	const struct lttngmap_anchor_file *layout = &dump->anchor.file;
	uint64_t inode = dump_read_address(dump, file + layout->inode);
	uint64_t mapping = dump_read_address(dump, file + layout->mapping);
	struct walk walk = {
		.dump = dump,
		.anchor = &dump->anchor,
		.counts = counts,
		.fd = fd,
	};
	uint64_t size, tree;
	int error;

	if (!inode || !mapping || dump_read(dump, inode + layout->size, &size, sizeof(size)) != 0 ||
	    dump_read(dump, mapping + layout->pages, &tree, sizeof(tree)) != 0 || size == 0 ||
	    size > size_max)
		return -EBADMSG;
	if (ftruncate(fd, (off_t)size) != 0)
		return -errno;
	walk.pages = (size + page_size(&walk) - 1) >> walk.anchor->page_shift;
	walk.page = malloc(page_size(&walk));
	error = walk.page ? copy_tree(&walk, tree) : -ENOMEM;
	free(walk.page);
	/* The last page may have reached beyond. */
	if (error == 0 && ftruncate(fd, (off_t)size) != 0)
		error = -errno;
	return error;
}
