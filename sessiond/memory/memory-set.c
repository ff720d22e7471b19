/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/memory/memory-set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sessiond/memory/memory-stock.h"
#include "sessiond/quota/quota.h"

#define POOL_MAX 16u

struct memory_pool {
	struct memory_set_config config;
	unsigned int wanted;
	unsigned int count;
	sd_event_source *refill;
	struct memory_set *sets[POOL_MAX];
	struct memory_stock stock;
};

/* Any thread. */
static void drop_rings(struct memory_set *set, uint32_t slot)
{
	saved_rings_drop(set->saved_state, set->index, slot);
	memory_destroy(&set->rings[slot]);
	if (set->user) {
		__atomic_sub_fetch(&set->charged, 1, __ATOMIC_RELAXED);
		quota_drop(set->user, 0, 1);
	}
}

static void set_rings(struct memory_set *set, uint32_t slot, const struct memory *memory)
{
	struct saved_process *record = memory_set_record(set);

	set->rings[slot] = *memory;
	set->users[slot] = 1;
	record->file[slot] = memory->file;
	record->control_at[slot] = memory->mapped_from;
	record->rings[slot] = memory->fd;
}

static void memory_set_free(struct memory_set *set)
{
	/* All numbers at once: nothing of the record is looked at any more. */
	saved_process_retire(set->saved_state, set->index);
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		memory_destroy(&set->rings[slot]);
	if (set->doorbell >= 0)
		close(set->doorbell);
	memory_drop_folder(set->place, set->folder);
	saved_process_drop(set->saved_state, set->index);
	if (set->user) {
		quota_drop(set->user, 1, set->charged);
		quota_drop_disk(set->user, set->disk);
	}
	free(set);
}

/* Without any memory. */
static struct memory_set *memory_set_new(const struct memory_set_config *config, uint32_t index)
{
	struct memory_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	urcu_ref_init(&set->references);
	set->saved_state = config->saved_state;
	set->place = config->place;
	set->stock = config->stock;
	set->index = index;
	set->doorbell = -1;
	set->descriptors = config->descriptors;
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		set->rings[slot] = MEMORY_NONE;
	return set;
}

/* The last numbers are not for sets. */
static bool is_beyond(const struct memory_set *set, int fd)
{
	return set->descriptors && fd >= set->descriptors;
}

int memory_set_create(const struct memory_set_config *config, struct memory_set **result)
{
	int error, index = saved_process_take(config->saved_state);
	struct memory_set *set;

	*result = NULL;
	if (index < 0)
		return index;
	set = memory_set_new(config, (uint32_t)index);
	if (!set) {
		saved_process_drop(config->saved_state, (uint32_t)index);
		return -ENOMEM;
	}
	set->doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (set->doorbell < 0) {
		error = -errno;
		goto fail;
	}
	memory_set_record(set)->doorbell = set->doorbell;
	error = -EMFILE;
	if (is_beyond(set, set->doorbell))
		goto fail;
	*result = set;
	return 0;

fail:
	memory_set_free(set);
	return error;
}

int memory_set_restore(const struct memory_set_config *config, uint32_t index,
		       struct memory_set **result)
{
	const struct saved_process *record = saved_process(config->saved_state, index);
	struct memory_set *set = memory_set_new(config, index);

	*result = NULL;
	if (!set)
		return -ENOMEM;
	set->doorbell = record->doorbell;
	set->folder = record->folder;
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++) {
		int error;

		if (!record->rings[slot])
			continue;
		error = memory_adopt(record->rings[slot], record->control_at[slot],
				     record->file[slot], config->place, &set->rings[slot]);
		if (error) {
			memory_set_free(set);
			return error;
		}
		set->users[slot] = 1;
	}
	*result = set;
	return 0;
}

static void memory_set_release(struct urcu_ref *references)
{
	memory_set_free(caa_container_of(references, struct memory_set, references));
}

static int charge_disk(struct memory_set *set, struct quota_user *user, uint64_t bytes, bool force)
{
	struct saved_disk disk = { .left = 0 };
	int error;

	if (user->limited && !force)
		saved_state_look(set->saved_state, &disk);
	error = quota_take_disk(user, bytes, &disk, force);
	if (error == 0)
		set->disk += bytes;
	return error;
}

int memory_set_charge_disk(struct memory_set *set, uint64_t bytes)
{
	return set->user ? charge_disk(set, set->user, bytes, false) : 0;
}

int memory_set_charge(struct memory_set *set, struct quota_user *user, bool force)
{
	uint32_t descriptors = QUOTA_PROCESS_DESCRIPTORS;
	int error;

	if (!user)
		return 0;
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		descriptors += set->rings[slot].fd >= 0;
	error = quota_take_process(user, force);
	if (error)
		return error;
	error = quota_take_descriptors(user, descriptors, force);
	if (error)
		goto drop_process;
	error = charge_disk(set, user, saved_process_size(set->saved_state, set->index), force);
	if (error)
		goto drop_descriptors;
	set->user = user;
	set->charged = descriptors;
	return 0;

drop_descriptors:
	quota_drop(user, 0, descriptors);
drop_process:
	quota_drop(user, 1, 0);
	return error;
}

struct memory_set *memory_set_get(struct memory_set *set)
{
	urcu_ref_get(&set->references);
	return set;
}

void memory_set_put(struct memory_set *set)
{
	if (set)
		urcu_ref_put(&set->references, memory_set_release);
}

struct lttngmap_ring *memory_set_rings(const struct memory_set *set, uint32_t slot)
{
	return set->rings[slot].map;
}

bool memory_set_fits(const struct memory_set *set, uint32_t slot, uint64_t data, uint64_t control)
{
	const struct memory *memory = &set->rings[slot];

	return memory->fd >= 0 && memory->mapped_from >= data &&
	       memory->size - memory->mapped_from >= control;
}

/* Its one more descriptor is charged. 0 or -errno. */
static int make_rings(struct memory_set *set, uint64_t data, uint64_t control,
		      struct memory *memory)
{
	int error = set->user ? quota_take_descriptors(set->user, 1, false) : 0;

	if (error)
		return error;
	if (!set->folder)
		error = memory_make_folder(set->place, &set->folder);
	memory_set_record(set)->folder = set->folder;
	if (error == 0 &&
	    (set->place || !set->stock || !memory_stock_take(set->stock, data, control, memory)))
		error = memory_create_rings(set->place, set->folder, data, control, memory);
	if (error == 0 && is_beyond(set, memory->fd)) {
		memory_destroy(memory);
		error = -EMFILE;
	}
	if (set->user && error)
		quota_drop(set->user, 0, 1);
	else
		__atomic_add_fetch(&set->charged, 1, __ATOMIC_RELAXED);
	return error;
}

int memory_set_fit(struct memory_set *set, uint32_t slot, uint64_t data, uint64_t control)
{
	return memory_set_fits(set, slot, data, control)
		       ? 0
		       : memory_set_make(set, slot, data, control);
}

int memory_set_make(struct memory_set *set, uint32_t slot, uint64_t data, uint64_t control)
{
	struct memory made;
	int error = make_rings(set, data, control, &made);

	if (error)
		return error;
	if (set->rings[slot].fd >= 0)
		drop_rings(set, slot);
	set_rings(set, slot, &made);
	return 0;
}

int memory_set_adopt(struct memory_set *set, uint32_t slot, int fd, uint64_t control_at)
{
	struct memory memory;
	int error = memory_adopt(fd, control_at, 0, NULL, &memory);

	if (error == 0)
		set_rings(set, slot, &memory);
	return error;
}

void memory_set_use(struct memory_set *set, uint32_t slot)
{
	__atomic_add_fetch(&set->users[slot], 1, __ATOMIC_RELAXED);
}

void memory_set_unuse(struct memory_set *set, uint32_t slot)
{
	/* Acquire and release: whoever closes it does so after all others' use. */
	if (__atomic_sub_fetch(&set->users[slot], 1, __ATOMIC_ACQ_REL) == 0)
		drop_rings(set, slot);
}

void memory_set_zero(struct memory_set *set, uint32_t slot, uint64_t control)
{
	if (set->rings[slot].map)
		memset(set->rings[slot].map, 0, control);
}

int memory_set_reserve_saved(struct memory_set *set, uint32_t slot)
{
	int error = 0;

	if (!(set->roomy & UINT64_C(1) << slot))
		error = saved_set_reserve(set->saved_state, set->index, slot);
	if (error == 0)
		set->roomy |= UINT64_C(1) << slot;
	return error;
}

int memory_set_reserve(const struct memory_set *set, uint32_t slot, uint64_t control)
{
	return memory_reserve(&set->rings[slot], 0, control);
}

void memory_set_close_fds(struct memory_set *set, uint64_t keep)
{
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		if (set->rings[slot].fd >= 0 && !(keep & UINT64_C(1) << slot))
			memory_set_unuse(set, slot);
}

/* Makes room for the ring set that is expected, in one set that has none. False: all have it. */
static bool prepare_one(struct memory_pool *pool)
{
	const uint32_t slot = pool->stock.slot;

	for (unsigned int i = 0; pool->stock.data && i < pool->count; i++) {
		struct memory_set *set = pool->sets[i];

		if (set->roomy & UINT64_C(1) << slot)
			continue;
		if (memory_set_reserve_saved(set, slot) != 0)
			return false;
		saved_set_populate(set->saved_state, set->index, slot);
		return true;
	}
	return false;
}

/* One thing a call, so that the loop looks at others in between. */
static int pool_refill(sd_event_source *source, void *data)
{
	struct memory_pool *pool = data;

	if (pool->count < pool->wanted &&
	    memory_set_create(&pool->config, &pool->sets[pool->count]) == 0)
		pool->count++;
	else if (!prepare_one(pool) && !memory_stock_refill(&pool->stock))
		/* Full, or out of descriptors: the next take tries again. */
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
	return 0;
}

int memory_pool_create(const struct memory_set_config *config, unsigned int ready, sd_event *event,
		       struct memory_pool **result)
{
	struct memory_pool *pool = calloc(1, sizeof(*pool));
	int error;

	*result = NULL;
	if (!pool)
		return -ENOMEM;
	pool->config = *config;
	pool->config.stock = &pool->stock;
	pool->wanted = ready < POOL_MAX ? ready : POOL_MAX;
	pool->stock.wanted = config->place ? 0 : pool->wanted;
	pool->stock.descriptors = config->descriptors;
	error = sd_event_add_defer(event, &pool->refill, pool_refill, pool);
	if (error < 0)
		goto fail;
	error = sd_event_source_set_priority(pool->refill, SD_EVENT_PRIORITY_IDLE);
	if (error < 0)
		goto fail;
	error = sd_event_source_set_enabled(pool->refill, SD_EVENT_ON);
	if (error < 0)
		goto fail;
	*result = pool;
	return 0;

fail:
	memory_pool_destroy(pool);
	return error;
}

void memory_pool_destroy(struct memory_pool *pool)
{
	if (!pool)
		return;
	sd_event_source_disable_unref(pool->refill);
	while (pool->count > 0)
		memory_set_put(pool->sets[--pool->count]);
	while (memory_stock_shrink(&pool->stock))
		continue;
	free(pool);
}

void memory_pool_expect(struct memory_pool *pool, uint32_t slot, uint64_t data, uint64_t control)
{
	memory_stock_expect(&pool->stock, slot, data, control);
	sd_event_source_set_enabled(pool->refill, SD_EVENT_ON);
}

void memory_pool_forget(struct memory_pool *pool, uint32_t slot)
{
	memory_stock_forget(&pool->stock, slot);
}

bool memory_pool_shrink(struct memory_pool *pool)
{
	sd_event_source_set_enabled(pool->refill, SD_EVENT_OFF);
	if (memory_stock_shrink(&pool->stock))
		return true;
	if (pool->count == 0)
		return false;
	memory_set_put(pool->sets[--pool->count]);
	return true;
}

int memory_pool_restore(const struct memory_pool *pool, uint32_t index, struct memory_set **set)
{
	return memory_set_restore(&pool->config, index, set);
}

int memory_pool_take(struct memory_pool *pool, struct memory_set **set)
{
	sd_event_source_set_enabled(pool->refill, SD_EVENT_ON);
	if (pool->count == 0)
		return memory_set_create(&pool->config, set);
	*set = pool->sets[--pool->count];
	return 0;
}
