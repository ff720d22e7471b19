// SPDX-License-Identifier: GPL-2.0
// SPDX-FileCopyrightText: 2026 The lttngmap authors
/*
 * anchor.c - what `lttngmap recover --vmcore` finds in a dump of the kernel's memory: all ring
 * sets, and the saved states of their daemons (module-dump.h).
 *
 * Nothing is done at a panic. The anchor says at any time where everything is.
 */
#include "module/set.h"

#include <linux/cred.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/xarray.h>

/* A session daemon has one; one that is killed leaves one. */
#define STATES_MAX 64

struct state {
	struct list_head node;
	struct file *file;
	const void *owner; /* NULL: it is gone */
};

static DEFINE_MUTEX(states_lock);
static LIST_HEAD(states);
static unsigned int states_count;

static struct lttngmap_anchor anchor __aligned(LTTNGMAP_ANCHOR_ALIGN) = {
	.version = LTTNGMAP_ANCHOR_VERSION,
	.page_shift = PAGE_SHIFT,
	.page_struct = sizeof(struct page),
	.file = {
		.inode = offsetof(struct file, f_inode),
		.size = offsetof(struct inode, i_size),
		.mapping = offsetof(struct file, f_mapping),
		.pages = offsetof(struct address_space, i_pages.xa_head),
	},
	.tree = {
		.shift = offsetof(struct xa_node, shift),
		.slots = offsetof(struct xa_node, slots),
		.slots_shift = XA_CHUNK_SHIFT,
	},
	.set = {
		.node = offsetof(struct lttngmap_set, node),
		.info = offsetof(struct lttngmap_set, info),
		.info_size = sizeof(struct lttngmap_set_info),
		.memory = offsetof(struct lttngmap_set, memory),
		.rings = offsetof(struct lttngmap_set, rings),
		.readers = offsetof(struct lttngmap_set, readers),
		.reader_size = sizeof(struct ring_reader),
		.undo = offsetof(struct lttngmap_set, undo),
		.undo_size = sizeof(struct ring_undo),
		.state = offsetof(struct lttngmap_set, state),
		.before = offsetof(struct lttngmap_set, before),
		.state_size = sizeof(struct lttngmap_set_state),
		.held = offsetof(struct lttngmap_set, held),
		.held_size = sizeof(struct lttngmap_held),
	},
	.state = {
		.node = offsetof(struct state, node),
		.file = offsetof(struct state, file),
	},
};

void anchor_begin(struct list_head *sets)
{
	anchor.address = (uintptr_t)&anchor;
	anchor.sets = (uintptr_t)sets;
	anchor.states = (uintptr_t)&states;
#ifdef CONFIG_SPARSEMEM_VMEMMAP
	anchor.page_array = (uintptr_t)pfn_to_page(0);
#endif
	anchor.magic = LTTNGMAP_ANCHOR_MAGIC;
}

static void drop(struct state *state)
{
	list_del(&state->node);
	states_count--;
	fput(state->file);
	kfree(state);
}

static void drop_orphans(void)
{
	struct state *state, *after;

	list_for_each_entry_safe(state, after, &states, node)
	{
		if (!state->owner)
			drop(state);
	}
}

void anchor_drop_states(void)
{
	mutex_lock(&states_lock);
	drop_orphans();
	mutex_unlock(&states_lock);
}

void anchor_leave_states(const void *owner)
{
	struct state *state;

	mutex_lock(&states_lock);
	list_for_each_entry(state, &states, node)
	{
		if (state->owner == owner)
			state->owner = NULL;
	}
	mutex_unlock(&states_lock);
}

void anchor_end(void)
{
	anchor.magic = 0;
	anchor_drop_states();
}

static int add_state(struct file *file, const void *owner)
{
	struct state *state;

	list_for_each_entry(state, &states, node)
	{
		if (file_inode(state->file) != file_inode(file))
			continue;
		state->owner = owner;
		return 0;
	}
	if (states_count >= STATES_MAX)
		return -ENOSPC;
	state = kzalloc(sizeof(*state), GFP_KERNEL_ACCOUNT);
	if (!state)
		return -ENOMEM;
	/* Not the requester's own: its lock is to end with the requester. */
	state->file = dentry_open(&file->f_path, O_RDONLY | O_LARGEFILE, current_cred());
	if (IS_ERR(state->file)) {
		int error = PTR_ERR(state->file);

		kfree(state);
		return error;
	}
	state->owner = owner;
	list_add_tail(&state->node, &states);
	states_count++;
	return 0;
}

int anchor_add_state(int fd, const void *owner)
{
	struct file *file = fget(fd);
	int error = -EINVAL;

	if (!file)
		return -EBADF;
	mutex_lock(&states_lock);
	if (S_ISREG(file_inode(file)->i_mode))
		error = add_state(file, owner);
	mutex_unlock(&states_lock);
	fput(file);
	return error;
}
