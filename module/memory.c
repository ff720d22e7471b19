// SPDX-License-Identifier: GPL-2.0
// SPDX-FileCopyrightText: 2026 The lttngmap authors
/*
 * memory.c - a ring set's memory, as the kernel sees it.
 *
 * The memory is a sealed memfd: the process's pages come into being when they are first written,
 * on the writer's node, and count in the writer's memory cgroup. The kernel maps a ring's control
 * only once its process has touched it, so that an idle ring costs nothing.
 */
#include "module/set.h"

#include <linux/cred.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/xarray.h>

/* One page, as often as the largest ring control has pages: read-only. */
static struct page *zero_page;
static void *zeros;

int memory_begin(void)
{
	uint64_t size = lttngmap_ring_stride(1ULL << LTTNGMAP_SUBBUFS_SHIFT_MAX);
	unsigned int count = DIV_ROUND_UP(size, PAGE_SIZE);
	struct page **pages;

	zero_page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	pages = kcalloc(count, sizeof(*pages), GFP_KERNEL);
	if (zero_page && pages) {
		for (unsigned int i = 0; i < count; i++)
			pages[i] = zero_page;
		zeros = vmap(pages, count, VM_MAP, PAGE_KERNEL_RO);
	}
	kfree(pages);
	if (zeros)
		return 0;
	if (zero_page)
		__free_page(zero_page);
	return -ENOMEM;
}

void memory_end(void)
{
	vunmap(zeros);
	__free_page(zero_page);
}

struct lttngmap_ring *memory_zeros(void)
{
	return zeros;
}

/* ---- pages -------------------------------------------------------------------------- */

static void unmap(struct unit *unit, uint32_t count)
{
	if (unit->map)
		vunmap(unit->map);
	for (uint32_t i = 0; unit->pages && i < count && unit->pages[i]; i++) {
		set_page_dirty_lock(unit->pages[i]);
		put_page(unit->pages[i]);
	}
	kfree(unit->pages);
	*unit = (struct unit){ .map = NULL };
}

/* Maps `count` pages of the memory, from `first` on. They stay where they are until unmap(). */
static int map(struct lttngmap_set *set, pgoff_t first, uint32_t count, struct unit *unit)
{
	struct address_space *mapping = set->memory->f_mapping;

	unit->pages = kcalloc(count, sizeof(*unit->pages), GFP_KERNEL_ACCOUNT);
	if (!unit->pages)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct page *page = shmem_read_mapping_page(mapping, first + i);

		if (IS_ERR(page)) {
			unmap(unit, count);
			return PTR_ERR(page);
		}
		unit->pages[i] = page;
	}
	unit->map = vmap(unit->pages, count, VM_MAP, PAGE_KERNEL);
	if (unit->map)
		return 0;
	unmap(unit, count);
	return -ENOMEM;
}

static uint32_t unit_of(const struct lttngmap_set *set, uint32_t ring)
{
	return div_u64(ring * set->stride, set->unit_pages * PAGE_SIZE);
}

bool memory_is_mapped(const struct lttngmap_set *set, uint32_t ring)
{
	return set->units[unit_of(set, ring)].map;
}

void memory_look(struct lttngmap_set *set, uint32_t ring)
{
	uint32_t number = unit_of(set, ring);
	struct unit *unit = &set->units[number];
	uint64_t unit_size = (uint64_t)set->unit_pages * PAGE_SIZE;
	pgoff_t first = (set->info.control_at + number * unit_size) >> PAGE_SHIFT;
	struct lttngmap_ring *at;

	/* Not NULL for a page that is swapped out, too. */
	if (!unit->map && !xa_load(&set->memory->f_mapping->i_pages, first))
		return;
	if (!unit->map && map(set, first, set->unit_pages, unit) != 0)
		return;
	at = unit->map + (ring * set->stride - number * unit_size);
	if (set->readers[ring].ring != at)
		ring_reader_move(&set->readers[ring], &set->geometry, at);
}

int memory_make_meta(struct lttngmap_set *set)
{
	const struct lttngmap_set_info *info = &set->info;
	struct lttngmap_meta *meta;
	int error;

	if (set->meta.map)
		return 0;
	error = map(set, 0, 1, &set->meta);
	if (error)
		return error;
	meta = set->meta.map;
	*meta = (struct lttngmap_meta){
		.meta = {
			.meta_page_size = PAGE_SIZE,
			.meta_struct_len = sizeof(*meta),
			.subbuf_size = 1u << info->subbuf_shift,
			.nr_subbufs = set->rings * ((1u << info->subbufs_shift) + 1),
		},
		.magic = LTTNGMAP_META_MAGIC,
		.major = LTTNGMAP_ABI_MAJOR,
		.minor = LTTNGMAP_ABI_MINOR,
		.rings = set->rings,
		.subbufs_per_ring = (1u << info->subbufs_shift) + 1,
		.pid = info->pid,
		.uid = info->uid,
		.clock = info->clock,
	};
	memcpy(meta->procname, info->procname, sizeof(meta->procname));
	return 0;
}

/* ---- the descriptor ----------------------------------------------------------------- */

/* Memory that can be swapped, does not shrink, and is as large as the rings. */
static int check(const struct lttngmap_set *set, struct file *memory)
{
	struct inode *inode = file_inode(memory);
	uint64_t control = set->rings * set->stride, size = i_size_read(inode);

	if (!S_ISREG(inode->i_mode) || inode->i_sb->s_magic != TMPFS_MAGIC ||
	    !(SHMEM_I(inode)->seals & F_SEAL_SHRINK))
		return -EINVAL;
	if ((memory->f_mode & (FMODE_READ | FMODE_WRITE)) != (FMODE_READ | FMODE_WRITE))
		return -EBADF;
	if (set->info.control_at & ~PAGE_MASK || set->info.control_at < set->data_size ||
	    set->info.control_at > size || control > size - set->info.control_at)
		return -EINVAL;
	return 0;
}

/* After a failure, memory_drop() gives back what was taken until then. */
int memory_take(struct lttngmap_set *set)
{
	struct file *memory = fget(set->info.memory);
	int error;

	if (!memory)
		return -EBADF;
	error = check(set, memory);
	if (error) {
		fput(memory);
		return error;
	}
	set->memory = memory;
	set->units = kvcalloc(set->units_count, sizeof(*set->units), GFP_KERNEL_ACCOUNT);
	if (!set->units)
		return -ENOMEM;
	/* A map of it cannot be made writable, whatever is done with the map. */
	set->readable = dentry_open(&memory->f_path, O_RDONLY | O_LARGEFILE, current_cred());
	return PTR_ERR_OR_ZERO(set->readable);
}

void memory_drop(struct lttngmap_set *set)
{
	for (uint32_t i = 0; set->units && i < set->units_count; i++)
		unmap(&set->units[i], set->unit_pages);
	unmap(&set->meta, 1);
	kvfree(set->units);
	if (!IS_ERR_OR_NULL(set->readable))
		fput(set->readable);
	if (set->memory)
		fput(set->memory);
}
