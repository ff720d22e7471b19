/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/memory-set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sessiond/process.h"

#define POOL_MAX 16u

struct memory_pool {
	struct memory_set_config config;
	unsigned int wanted;
	unsigned int count;
	sd_event_source *refill;
	struct memory_set *sets[POOL_MAX];
};

/* Wiped first: the number may soon be another descriptor's. */
static void drop_data(struct memory_set *set, uint32_t slot)
{
	if (set->ring_data[slot].fd < 0)
		return;
	memory_set_record(set)->ring_data[slot] = 0;
	memory_destroy(&set->ring_data[slot]);
}

static void set_data(struct memory_set *set, uint32_t slot, const struct memory *memory)
{
	set->ring_data[slot] = *memory;
	memory_set_record(set)->data_file[slot] = memory->file;
	memory_set_record(set)->ring_data[slot] = memory->fd;
}

static void memory_set_free(struct memory_set *set)
{
	/* All numbers at once: nothing of the record is looked at any more. */
	ledger_process_retire(set->ledger, set->index);
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		memory_destroy(&set->ring_data[slot]);
	if (set->doorbell >= 0)
		close(set->doorbell);
	memory_destroy(&set->ring_control);
	memory_drop_folder(set->place, set->folder);
	ledger_process_drop(set->ledger, set->index);
	if (set->user)
		quota_drop(set->user, 1, set->charged);
	free(set);
}

/* Without any memory. */
static struct memory_set *memory_set_new(const struct memory_set_config *config, uint32_t index)
{
	struct memory_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	urcu_ref_init(&set->references);
	set->ledger = config->ledger;
	set->place = config->place;
	set->index = index;
	set->reserve = config->reserve;
	set->slot_stride = config->slot_stride;
	set->doorbell = -1;
	set->ring_control = MEMORY_NONE;
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		set->ring_data[slot] = MEMORY_NONE;
	return set;
}

/* The largest number of its descriptors. */
static int highest_of(const struct memory_set *set)
{
	int highest = set->ring_control.fd > set->doorbell ? set->ring_control.fd : set->doorbell;

	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		if (set->ring_data[slot].fd > highest)
			highest = set->ring_data[slot].fd;
	return highest;
}

int memory_set_create(const struct memory_set_config *config, struct memory_set **result)
{
	int error, index = ledger_process_take(config->ledger);
	struct memory_set *set;

	*result = NULL;
	if (index < 0)
		return index;
	set = memory_set_new(config, (uint32_t)index);
	if (!set) {
		ledger_process_drop(config->ledger, (uint32_t)index);
		return -ENOMEM;
	}
	set->doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (set->doorbell < 0) {
		error = -errno;
		goto fail;
	}
	memory_set_record(set)->doorbell = set->doorbell;
	error = memory_make_folder(config->place, &set->folder);
	if (error == 0)
		error = memory_create_in(config->place, set->folder, MEMORY_RING_CONTROL,
					 LTTNGMAP_CHANNELS * config->slot_stride,
					 &set->ring_control);
	if (error)
		goto fail;
	memory_set_record(set)->control_file = set->ring_control.file;
	memory_set_record(set)->ring_control = set->ring_control.fd;
	for (uint32_t slot = 0; slot < config->reserve; slot++) {
		struct memory memory;

		error = memory_create_in(config->place, set->folder, MEMORY_RING_DATA,
					 config->reserve_size, &memory);
		if (error)
			goto fail;
		set_data(set, slot, &memory);
	}
	error = -EMFILE;
	if (config->descriptors && highest_of(set) >= config->descriptors)
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
	const struct ledger_process *record = ledger_process(config->ledger, index);
	struct memory_set *set = memory_set_new(config, index);
	int error;

	*result = NULL;
	if (!set)
		return -ENOMEM;
	set->doorbell = record->doorbell;
	set->folder = record->control_file;
	error = memory_adopt(MEMORY_RING_CONTROL, record->ring_control, record->control_file,
			     config->place, &set->ring_control);
	for (uint32_t slot = 0; error == 0 && slot < LTTNGMAP_CHANNELS; slot++)
		if (record->ring_data[slot])
			error = memory_adopt(MEMORY_RING_DATA, record->ring_data[slot],
					     record->data_file[slot], config->place,
					     &set->ring_data[slot]);
	if (error) {
		memory_set_free(set);
		return error;
	}
	/* It may be one of another pool. */
	while (set->reserve && set->ring_data[set->reserve - 1].fd < 0)
		set->reserve--;
	*result = set;
	return 0;
}

static void memory_set_release(struct urcu_ref *references)
{
	memory_set_free(caa_container_of(references, struct memory_set, references));
}

int memory_set_charge(struct memory_set *set, struct quota_user *user, bool force)
{
	uint32_t descriptors = PROCESS_DESCRIPTORS;
	int error;

	if (!user)
		return 0;
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		descriptors += set->ring_data[slot].fd >= 0;
	error = quota_take_process(user, force);
	if (error)
		return error;
	error = quota_take_descriptors(user, descriptors, force);
	if (error) {
		quota_drop(user, 1, 0);
		return error;
	}
	set->user = user;
	set->charged = descriptors;
	return 0;
}

int memory_set_charge_one(struct memory_set *set, bool force)
{
	int error = set->user ? quota_take_descriptors(set->user, 1, force) : 0;

	if (error == 0)
		__atomic_add_fetch(&set->charged, 1, __ATOMIC_RELAXED);
	return error;
}

void memory_set_drop_one(struct memory_set *set)
{
	if (!set->user)
		return;
	__atomic_sub_fetch(&set->charged, 1, __ATOMIC_RELAXED);
	quota_drop(set->user, 0, 1);
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
	return (struct lttngmap_ring *)((char *)set->ring_control.map + slot * set->slot_stride);
}

int memory_set_fit(struct memory_set *set, uint32_t slot, uint64_t size)
{
	struct memory larger;
	int error;

	if (set->ring_data[slot].fd >= 0 && set->ring_data[slot].size >= size)
		return 0;
	error = set->ring_data[slot].fd >= 0 ? 0 : memory_set_charge_one(set, false);
	if (error == 0)
		error = memory_create_in(set->place, set->folder, MEMORY_RING_DATA, size, &larger);
	if (error)
		return error;
	drop_data(set, slot);
	set_data(set, slot, &larger);
	return 0;
}

void memory_set_zero(struct memory_set *set, uint32_t slot, uint64_t control)
{
	memset(memory_set_rings(set, slot), 0, control);
}

int memory_set_reserve(const struct memory_set *set, uint32_t slot, uint64_t control)
{
	return memory_reserve(&set->ring_control, slot * set->slot_stride, control);
}

void memory_set_close_fds(struct memory_set *set, uint64_t keep)
{
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		if (!(keep & UINT64_C(1) << slot))
			drop_data(set, slot);
}

static int pool_refill(sd_event_source *source, void *data)
{
	struct memory_pool *pool = data;

	if (pool->count >= pool->wanted ||
	    memory_set_create(&pool->config, &pool->sets[pool->count]) != 0) {
		/* Full, or out of descriptors: the next take tries again. */
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
		return 0;
	}
	pool->count++;
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
	pool->wanted = ready < POOL_MAX ? ready : POOL_MAX;
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
	free(pool);
}

bool memory_pool_shrink(struct memory_pool *pool)
{
	sd_event_source_set_enabled(pool->refill, SD_EVENT_OFF);
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
