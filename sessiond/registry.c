/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/registry.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <urcu.h>
#include <urcu/compiler.h>
#include <urcu/rculfhash.h>

#include "sessiond/class-parse.h"

/*
 * As many as ids would save little. Fixed, because a table that grows has a
 * thread of its own.
 */
#define BUCKETS 16384

struct entry {
	struct cds_lfht_node node;
	struct parsed_class *parsed;
};

struct registry {
	struct cds_lfht *table; /* main thread; canonical form to entry */
	uint64_t key[2];        /* of the hash: nobody can aim at one bucket */
	uint64_t bytes;         /* that all classes take */
	uint64_t overflows;     /* relaxed atomics */
	uint32_t count;         /* stored with release once classes[] is */
	struct entry *classes[REGISTRY_CLASSES_MAX];
};

int registry_create(struct registry **registry)
{
	struct registry *new = calloc(1, sizeof(*new));

	if (!new)
		return -ENOMEM;
	if (getrandom(new->key, sizeof(new->key), 0) != sizeof(new->key)) {
		free(new);
		return -EIO;
	}
	new->table = cds_lfht_new(BUCKETS, BUCKETS, BUCKETS, 0, NULL);
	if (!new->table) {
		free(new);
		return -ENOMEM;
	}
	*registry = new;
	return 0;
}

static void free_entry(struct entry *entry)
{
	free(entry->parsed);
	free(entry);
}

void registry_destroy(struct registry *registry)
{
	if (!registry)
		return;
	rcu_read_lock();
	for (uint32_t id = 0; id < registry->count; id++)
		cds_lfht_del(registry->table, &registry->classes[id]->node);
	rcu_read_unlock();
	cds_lfht_destroy(registry->table, NULL);
	for (uint32_t id = 0; id < registry->count; id++)
		free_entry(registry->classes[id]);
	free(registry);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static unsigned long hash_bytes(const struct registry *registry, const uint8_t *bytes, size_t size)
{
	uint64_t hash = registry->key[0] ^ size;

	for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
		uint64_t word = 0;
		size_t left = size - at;

		memcpy(&word, bytes + at, left < sizeof(word) ? left : sizeof(word));
		hash = mix(hash ^ word, registry->key[1] | 1) + registry->key[0];
	}
	return (unsigned long)mix(hash, registry->key[0] | 1);
}

static int is_same(struct cds_lfht_node *node, const void *key)
{
	const struct parsed_class *mine = caa_container_of(node, struct entry, node)->parsed;
	const struct parsed_class *other = key;

	return mine->canonical_size == other->canonical_size &&
	       memcmp(mine->canonical, other->canonical, mine->canonical_size) == 0;
}

/* NULL: not known yet. */
static struct entry *find(struct registry *registry, const struct parsed_class *parsed,
			  unsigned long hash)
{
	struct cds_lfht_iter iter;
	struct cds_lfht_node *node;

	cds_lfht_lookup(registry->table, hash, is_same, parsed, &iter);
	node = cds_lfht_iter_get_node(&iter);
	return node ? caa_container_of(node, struct entry, node) : NULL;
}

static int overflow(struct registry *registry, const struct parsed_class *parsed,
		    const char *problem, char *why)
{
	snprintf(why, REGISTRY_WHY_SIZE,
		 "event class '%s': %s: it stays off; start the daemon anew to forget the classes "
		 "of programs that are gone",
		 parsed->event_class.full_name, problem);
	__atomic_fetch_add(&registry->overflows, 1, __ATOMIC_RELAXED);
	return -ENOSPC;
}

/* Takes `parsed`, but on failure. */
static int add_new(struct registry *registry, struct parsed_class *parsed, unsigned long hash,
		   const struct registry_room *room, struct registry_room *taken, char *why)
{
	struct entry *entry;
	uint32_t id = registry->count;

	if (id >= REGISTRY_CLASSES_MAX)
		return overflow(registry, parsed, "all 65535 event ids are given out", why);
	if (registry->bytes + parsed->allocated > REGISTRY_BYTES_MAX)
		return overflow(registry, parsed, "the memory for event classes is used up", why);
	if (taken->ids >= room->ids || parsed->allocated > room->bytes - taken->bytes) {
		snprintf(
			why, REGISTRY_WHY_SIZE,
			"event class '%s': its user has as many event classes, or as long ones, as "
			"one user may: it stays off",
			parsed->event_class.full_name);
		return -EDQUOT;
	}
	entry = malloc(sizeof(*entry));
	if (!entry)
		return overflow(registry, parsed, "no memory", why);
	cds_lfht_node_init(&entry->node);
	entry->parsed = parsed;
	parsed->event_class.id = (uint16_t)id;
	cds_lfht_add(registry->table, hash, &entry->node);
	registry->bytes += parsed->allocated;
	taken->ids++;
	taken->bytes += parsed->allocated;
	registry->classes[id] = entry;
	/* The class is whole before its id is known: pairs with registry_get. */
	__atomic_store_n(&registry->count, id + 1, __ATOMIC_RELEASE);
	return 0;
}

/* The id of one class; PROTOCOL_APP_NO_ID with `why`: refused. */
static uint16_t add_class(struct registry *registry, const uint8_t *bytes,
			  const struct class_measure *measure, const struct registry_room *room,
			  struct registry_room *taken, char *why)
{
	uint16_t id = PROTOCOL_APP_NO_ID;
	struct parsed_class *parsed;
	struct entry *known;
	unsigned long hash;
	int error = class_parse(bytes, measure, &parsed, why, REGISTRY_WHY_SIZE);

	if (error == -ENOMEM) {
		snprintf(why, REGISTRY_WHY_SIZE, "no memory for an event class: it stays off");
		__atomic_fetch_add(&registry->overflows, 1, __ATOMIC_RELAXED);
	}
	if (error < 0)
		return PROTOCOL_APP_NO_ID;

	hash = hash_bytes(registry, parsed->canonical, parsed->canonical_size);
	rcu_read_lock();
	known = find(registry, parsed, hash);
	if (known)
		id = known->parsed->event_class.id;
	else if (add_new(registry, parsed, hash, room, taken, why) == 0)
		id = parsed->event_class.id;
	rcu_read_unlock();
	if (known || id == PROTOCOL_APP_NO_ID)
		free(parsed);
	return id;
}

/* All lengths first: a message that is cut anywhere changes nothing. */
static int check_lengths(const uint8_t *bytes, size_t size, uint32_t nr_classes,
			 struct registry_result *result)
{
	struct class_measure measure;

	if (nr_classes > PROTOCOL_APP_CLASSES_MAX) {
		snprintf(result->why, sizeof(result->why), "%u classes in one message are too many",
			 nr_classes);
		return -EBADMSG;
	}
	for (uint32_t i = 0; i < nr_classes; i++) {
		int error = class_measure(bytes, size, &measure, result->why, sizeof(result->why));

		if (error < 0)
			return error;
		bytes += measure.size;
		size -= measure.size;
	}
	if (size > 0) {
		snprintf(result->why, sizeof(result->why), "%zu bytes follow the last class", size);
		return -EBADMSG;
	}
	return 0;
}

int registry_add_within(struct registry *registry, const struct registry_room *room,
			const void *bytes, size_t size, uint32_t nr_classes, uint16_t *ids,
			struct registry_result *result)
{
	const uint8_t *at = bytes;
	char why[REGISTRY_WHY_SIZE];
	int error;

	*result = (struct registry_result){ .refused = 0 };
	error = check_lengths(at, size, nr_classes, result);
	if (error < 0)
		return error;
	for (uint32_t i = 0; i < nr_classes; i++) {
		struct class_measure measure;

		error = class_measure(at, size, &measure, why, sizeof(why));
		if (error < 0)
			return error;
		ids[i] = add_class(registry, at, &measure, room, &result->taken, why);
		if (ids[i] == PROTOCOL_APP_NO_ID && result->refused++ == 0)
			memcpy(result->why, why, sizeof(why));
		at += measure.size;
		size -= measure.size;
	}
	return 0;
}

int registry_add(struct registry *registry, const void *bytes, size_t size, uint32_t nr_classes,
		 uint16_t *ids, struct registry_result *result)
{
	const struct registry_room all = { .ids = UINT32_MAX, .bytes = UINT64_MAX };

	return registry_add_within(registry, &all, bytes, size, nr_classes, ids, result);
}

struct registry_room registry_room(const struct registry *registry)
{
	return (struct registry_room){
		.ids = REGISTRY_CLASSES_MAX - registry->count,
		.bytes = REGISTRY_BYTES_MAX - registry->bytes,
	};
}

uint32_t registry_count(const struct registry *registry)
{
	return __atomic_load_n(&registry->count, __ATOMIC_ACQUIRE);
}

const struct registry_class *registry_get(const struct registry *registry, uint32_t id)
{
	/* Acquire: see the class that the count tells of. */
	return id < registry_count(registry) ? &registry->classes[id]->parsed->event_class : NULL;
}

uint64_t registry_overflows(const struct registry *registry)
{
	return __atomic_load_n(&registry->overflows, __ATOMIC_RELAXED);
}
