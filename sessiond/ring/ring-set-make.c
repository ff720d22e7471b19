/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* ring-set-make.c - making ring sets, anew or again, and the table of them. */
#include "sessiond/ring/ring-set-private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/map-guard.h"
#include "sessiond/ring/module-abi.h"

static struct cds_lfht *table;
static uint64_t last_id;

int ring_set_table_create(void)
{
	table = cds_lfht_new(64, 64, 0, CDS_LFHT_AUTO_RESIZE | CDS_LFHT_ACCOUNTING, NULL);
	return table ? 0 : -ENOMEM;
}

void ring_set_table_destroy(void)
{
	if (!table)
		return;
	rcu_barrier(); /* sets that were put last are freed before their table */
	cds_lfht_destroy(table, NULL);
	table = NULL;
}

/* Ids count up; neighbours should not share a bucket. */
static unsigned long hash_id(uint64_t id)
{
	return id * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static int match_id(struct cds_lfht_node *node, const void *key)
{
	return caa_container_of(node, struct ring_set, node)->id == *(const uint64_t *)key;
}

static void free_set(struct ring_set *set)
{
	if (set->meta && set->config.can_shrink)
		map_guard_remove(set->meta);
	if (set->meta)
		munmap(set->meta, set->config.meta_page_size);
	pthread_mutex_destroy(&set->mutex);
	free(set->own);
	free(set->session);
	free(set->channel);
	free(set->file_name);
	free(set);
}

static void free_by_rcu(struct rcu_head *head)
{
	struct ring_set *set = caa_container_of(head, struct ring_set, rcu);
	void (*release)(void *) = set->config.release;
	void *data = set->config.release_data;

	free_set(set);
	if (release)
		release(data);
}

static void release_last(struct urcu_ref *references)
{
	struct ring_set *set = caa_container_of(references, struct ring_set, references);

	call_rcu(&set->rcu, free_by_rcu);
}

size_t ring_set_saved_size(uint32_t cpu_rings)
{
	return sizeof(struct ring_saved) +
	       (cpu_rings + LTTNGMAP_EXTRA_RINGS) * sizeof(struct ring_reader);
}

uint64_t ring_set_saved_generation(const struct ring_saved *saved)
{
	return saved->id ? saved->life : 0;
}

uint64_t ring_set_saved_id(const struct ring_saved *saved)
{
	return saved->id;
}

static int make_names(struct ring_set *set)
{
	const struct ring_set_config *config = &set->config;

	snprintf(set->procname, sizeof(set->procname), "%s", config->procname);
	set->session = strdup(config->session);
	set->channel = strdup(config->channel);
	if (asprintf(&set->file_name, "%s-%u-%llu", config->procname, config->pid,
		     (unsigned long long)set->id) < 0)
		set->file_name = NULL;
	return set->session && set->channel && set->file_name ? 0 : -ENOMEM;
}

static struct lttngmap_ring *ring_of(const struct ring_set *set, uint32_t ring)
{
	uint64_t stride = lttngmap_ring_stride(UINT64_C(1) << set->config.subbufs_shift);

	return (struct lttngmap_ring *)((char *)set->config.rings + ring * stride);
}

/* All but what is saved. */
static struct ring_set *set_create(const struct ring_set_config *config, uint64_t id)
{
	uint64_t subbufs = UINT64_C(1) << config->subbufs_shift;
	struct ring_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	urcu_ref_init(&set->references);
	pthread_mutex_init(&set->mutex, NULL);
	set->id = id;
	set->device = config->module ? config->module->device : -1;
	set->config = *config;
	set->config.module = NULL;
	set->rings = config->cpu_rings + LTTNGMAP_EXTRA_RINGS;
	set->data_size =
		config->meta_page_size + set->rings * ((subbufs + 1) << config->subbuf_shift);
	set->geometry = (struct ring_geometry){
		.mode = config->mode,
		.clock = config->clock,
		.subbuf_shift = config->subbuf_shift,
		.subbufs_shift = config->subbufs_shift,
		.begin = config->begin,
		.past = config->past,
	};
	set->saved = config->saved;
	if (!set->saved)
		set->saved = set->own = calloc(1, ring_set_saved_size(config->cpu_rings));
	if (!set->saved || make_names(set) != 0) {
		free_set(set);
		return NULL;
	}
	set->in_flight = &set->saved->in_flight;
	set->told = &set->saved->told;
	set->readers = set->saved->readers;
	return set;
}

int ring_set_create(const struct ring_set_config *config, struct ring_set **result)
{
	uint64_t *ids = config->last_id ? config->last_id : &last_id;
	struct ring_saved *saved;
	struct ring_set *set;
	uint64_t id = 0;
	int error = 0;

	if (config->module)
		error = ring_set_module_make(config, &id);
	else
		id = __atomic_add_fetch(ids, 1, __ATOMIC_RELAXED);
	if (error)
		return error;
	set = set_create(config, id);
	if (!set && config->module)
		ioctl(config->module->device, LTTNGMAP_SET_REMOVE, &id);
	if (!set)
		return -ENOMEM;
	saved = set->saved;
	saved->life = config->life;
	saved->begin = config->begin;
	saved->told = (struct ring_account){ .written = 0 };
	saved->claims = (struct ring_account){ .written = 0 };
	saved->closed = 0;
	saved->base = (struct ring_totals){ .written = 0 };
	saved->chunk = config->chunk;
	saved->next_chunk = config->chunk;
	saved->rotating = false;
	saved->awake = false;
	saved->user_before = config->uid;
	saved->in_flight = (struct in_flight){ .holds = false };
	saved->undo.in_force = false;
	saved->events = saved->offset = 0;
	for (uint32_t i = 0; i < set->rings; i++)
		ring_reader_init(&saved->readers[i], &set->geometry, ring_of(set, i), &saved->undo);
	/* A process counts there, too, how many events it lost before. */
	saved->readers[0].lost_before_most = RING_LOST_BEFORE_MAX;
	/* Release: whoever finds the id in the restarted daemon finds all of the above. */
	__atomic_store_n(&saved->id, set->id, __ATOMIC_RELEASE);
	*result = set;
	return 0;
}

static bool is_there(struct ring_set *set)
{
	struct lttngmap_set_counts counts = { .id = set->id };

	return ioctl(set->device, LTTNGMAP_SET_COUNT, &counts) == 0;
}

int ring_set_restore(const struct ring_set_config *config, struct ring_set **result)
{
	struct ring_set_config again = *config;
	struct ring_saved *saved = config->saved;
	struct ring_set *set;

	again.begin = saved->begin;
	set = set_create(&again, saved->id);
	if (!set)
		return -ENOMEM;
	if (ring_set_is_module(set) && !is_there(set)) {
		free_set(set);
		return -ENOENT;
	}
	for (uint32_t i = 0; i < set->rings; i++)
		ring_reader_move(&saved->readers[i], &set->geometry, ring_of(set, i));
	/* Killed in between, the restarted daemon does both again. */
	if (ring_undo_restore(&saved->undo)) {
		saved->in_flight = saved->before;
		ring_undo_end(&saved->undo);
	}
	ring_set_account_freed(set);
	/* That reader is gone; the next one looks before it sleeps. */
	ring_set_set_awake(set, false);
	*result = set;
	return 0;
}

void ring_set_forget(struct ring_set *set)
{
	if (ring_set_is_module(set))
		ring_set_module_ask(set, LTTNGMAP_SET_REMOVE);
	__atomic_store_n(&set->saved->id, 0, __ATOMIC_RELEASE);
}

struct ring_set *ring_set_get(struct ring_set *set)
{
	urcu_ref_get(&set->references);
	return set;
}

void ring_set_put(struct ring_set *set)
{
	if (set)
		urcu_ref_put(&set->references, release_last);
}

void ring_set_publish(struct ring_set *set)
{
	rcu_read_lock();
	cds_lfht_add(table, hash_id(set->id), &set->node);
	rcu_read_unlock();
}

void ring_set_unpublish(struct ring_set *set)
{
	rcu_read_lock();
	cds_lfht_del(table, &set->node);
	rcu_read_unlock();
}

struct ring_set *ring_set_lookup(uint64_t id)
{
	struct ring_set *set = NULL;
	struct cds_lfht_node *node;
	struct cds_lfht_iter iter;

	rcu_read_lock();
	cds_lfht_lookup(table, hash_id(id), match_id, &id, &iter);
	node = cds_lfht_iter_get_node(&iter);
	if (node)
		set = caa_container_of(node, struct ring_set, node);
	/* The last reference may be gone already, while RCU still keeps the memory. */
	if (set && !urcu_ref_get_unless_zero(&set->references))
		set = NULL;
	rcu_read_unlock();
	return set;
}

uint64_t ring_set_id(const struct ring_set *set)
{
	return set->id;
}

const char *ring_set_session(const struct ring_set *set)
{
	return set->session;
}

const char *ring_set_channel(const struct ring_set *set)
{
	return set->channel;
}

const char *ring_set_file_name(const struct ring_set *set)
{
	return set->file_name;
}

int ring_set_data_fd(const struct ring_set *set)
{
	return set->config.data_fd;
}

uint64_t ring_set_data_size(const struct ring_set *set)
{
	return set->data_size;
}

void ring_set_set_mediator_data(struct ring_set *set, void *data)
{
	set->mediator_data = data;
}

void *ring_set_mediator_data(const struct ring_set *set)
{
	return set->mediator_data;
}
