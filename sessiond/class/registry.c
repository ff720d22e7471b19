/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/class/registry.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <urcu.h>
#include <urcu/compiler.h>
#include <urcu/rculfhash.h>

#include "sessiond/class/class-parse.h"

/*
 * A table with as many buckets as ids would save little. Its size is fixed, because a growing table
 * has a thread of its own.
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
	uint32_t used;          /* ids */
	uint32_t lowest;        /* no id below it is free */
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

void registry_destroy(struct registry *registry)
{
	if (!registry)
		return;
	for (uint32_t id = 0; id < registry->count; id++)
		registry_remove(registry, (uint16_t)id);
	cds_lfht_destroy(registry->table, NULL);
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

/* A class's canonical form. */
struct form {
	const uint8_t *bytes;
	size_t size;
};

static int is_same(struct cds_lfht_node *node, const void *key)
{
	const struct parsed_class *mine = caa_container_of(node, struct entry, node)->parsed;
	const struct form *other = key;

	return mine->canonical_size == other->size &&
	       memcmp(mine->canonical, other->bytes, other->size) == 0;
}

/* NULL: not known yet. */
static struct entry *find(struct registry *registry, const uint8_t *bytes, size_t size,
			  unsigned long hash)
{
	const struct form form = { bytes, size };
	struct cds_lfht_iter iter;
	struct cds_lfht_node *node;

	cds_lfht_lookup(registry->table, hash, is_same, &form, &iter);
	node = cds_lfht_iter_get_node(&iter);
	return node ? caa_container_of(node, struct entry, node) : NULL;
}

static int overflow(struct registry *registry, const struct parsed_class *parsed,
		    const char *problem, char *why)
{
	snprintf(why, REGISTRY_WHY_SIZE,
		 "event class '%s': %s: it stays off; end programs, or destroy sessions, that have "
		 "many event classes",
		 parsed->event_class.full_name, problem);
	__atomic_fetch_add(&registry->overflows, 1, __ATOMIC_RELAXED);
	return -ENOSPC;
}

/* Takes `parsed`. 0 or -ENOMEM. */
static int put(struct registry *registry, uint32_t id, struct parsed_class *parsed,
	       unsigned long hash)
{
	struct entry *entry = malloc(sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	cds_lfht_node_init(&entry->node);
	entry->parsed = parsed;
	parsed->event_class.id = (uint16_t)id;
	cds_lfht_add(registry->table, hash, &entry->node);
	registry->used++;
	registry->bytes += parsed->allocated;
	/* The class is whole before its id is known: pairs with registry_get. */
	__atomic_store_n(&registry->classes[id], entry, __ATOMIC_RELEASE);
	if (id >= registry->count)
		__atomic_store_n(&registry->count, id + 1, __ATOMIC_RELEASE);
	return 0;
}

static uint32_t lowest_free(struct registry *registry)
{
	while (registry->lowest < REGISTRY_CLASSES_MAX && registry->classes[registry->lowest])
		registry->lowest++;
	return registry->lowest;
}

/* Takes `parsed`, but on failure. */
static int add_new(struct registry *registry, struct parsed_class *parsed, unsigned long hash,
		   const struct registry_room *room, struct registry_room *taken, char *why)
{
	uint32_t id = lowest_free(registry);

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
	if (put(registry, id, parsed, hash) != 0)
		return overflow(registry, parsed, "no memory", why);
	taken->ids++;
	taken->bytes += parsed->allocated;
	return 0;
}

/*
 * The id of a class whose bytes are the canonical form of a known one, as all that liblttngmap
 * sends. Parsing would change nothing in them.
 */
static uint16_t find_id(struct registry *registry, const uint8_t *bytes, size_t size)
{
	unsigned long hash = hash_bytes(registry, bytes, size);
	uint16_t id = PROTOCOL_APP_NO_ID;
	struct entry *known;

	rcu_read_lock();
	known = find(registry, bytes, size, hash);
	if (known)
		id = known->parsed->event_class.id;
	rcu_read_unlock();
	return id;
}

/* The id of one class; PROTOCOL_APP_NO_ID with `why`: refused. */
static uint16_t add_class(struct registry *registry, uint32_t user, const uint8_t *bytes,
			  const struct class_measure *measure, const struct registry_room *room,
			  struct registry_room *taken, char *why)
{
	uint16_t id = find_id(registry, bytes, measure->size);
	struct parsed_class *parsed;
	struct entry *known;
	unsigned long hash;
	int error;

	if (id != PROTOCOL_APP_NO_ID)
		return id;
	error = class_parse(bytes, measure, &parsed, why, REGISTRY_WHY_SIZE);
	if (error == -ENOMEM) {
		snprintf(why, REGISTRY_WHY_SIZE, "no memory for an event class: it stays off");
		__atomic_fetch_add(&registry->overflows, 1, __ATOMIC_RELAXED);
	}
	if (error < 0)
		return PROTOCOL_APP_NO_ID;

	parsed->event_class.user = user;
	hash = hash_bytes(registry, parsed->canonical, parsed->canonical_size);
	rcu_read_lock();
	known = find(registry, parsed->canonical, parsed->canonical_size, hash);
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

int registry_add_within(struct registry *registry, uint32_t user, const struct registry_room *room,
			const void *bytes, size_t size, uint32_t nr_classes, uint16_t *ids,
			struct registry_result *result)
{
	const uint8_t *at = bytes;
	char why[REGISTRY_WHY_SIZE];
	int error;

	result->refused = 0;
	result->taken = (struct registry_room){ .ids = 0 };
	result->why[0] = '\0';
	error = check_lengths(at, size, nr_classes, result);
	if (error < 0)
		return error;
	for (uint32_t i = 0; i < nr_classes; i++) {
		uint32_t before = result->taken.ids;
		struct class_measure measure;

		error = class_measure(at, size, &measure, why, sizeof(why));
		if (error < 0)
			return error;
		ids[i] = add_class(registry, user, at, &measure, room, &result->taken, why);
		if (result->taken.ids > before)
			result->added[before] = (uint16_t)i;
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

	return registry_add_within(registry, 0, &all, bytes, size, nr_classes, ids, result);
}

int registry_restore(struct registry *registry, uint16_t id, uint32_t user, const void *bytes,
		     size_t size, struct registry_room *taken)
{
	struct class_measure measure;
	struct parsed_class *parsed;
	char why[REGISTRY_WHY_SIZE];
	unsigned long hash;
	int error = -EBADMSG;

	if (id >= REGISTRY_CLASSES_MAX || registry->classes[id] ||
	    class_measure(bytes, size, &measure, why, sizeof(why)) != 0 || measure.size != size ||
	    class_parse(bytes, &measure, &parsed, why, sizeof(why)) != 0)
		return -EBADMSG;
	parsed->event_class.user = user;
	hash = hash_bytes(registry, parsed->canonical, parsed->canonical_size);
	*taken = (struct registry_room){ .ids = 1, .bytes = parsed->allocated };
	rcu_read_lock();
	if (!find(registry, parsed->canonical, parsed->canonical_size, hash))
		error = put(registry, id, parsed, hash);
	rcu_read_unlock();
	if (error)
		free(parsed);
	return error;
}

struct registry_room registry_remove(struct registry *registry, uint16_t id)
{
	struct entry *entry = id < REGISTRY_CLASSES_MAX ? registry->classes[id] : NULL;
	struct registry_room room = { .ids = 0 };

	if (!entry)
		return room;
	room = (struct registry_room){ .ids = 1, .bytes = entry->parsed->allocated };
	rcu_read_lock();
	cds_lfht_del(registry->table, &entry->node);
	rcu_read_unlock();
	__atomic_store_n(&registry->classes[id], NULL, __ATOMIC_RELAXED);
	registry->used--;
	registry->bytes -= room.bytes;
	if (id < registry->lowest)
		registry->lowest = id;
	/* The table is of a fixed size and this thread's alone: nobody else walks over the node. */
	free(entry->parsed);
	free(entry);
	return room;
}

struct registry_room registry_charge(struct registry *registry, uint16_t id, uint32_t user)
{
	struct parsed_class *parsed = registry->classes[id]->parsed;

	parsed->event_class.user = user;
	return (struct registry_room){ .ids = 1, .bytes = parsed->allocated };
}

struct registry_room registry_room(const struct registry *registry)
{
	return (struct registry_room){
		.ids = REGISTRY_CLASSES_MAX - registry->used,
		.bytes = REGISTRY_BYTES_MAX - registry->bytes,
	};
}

uint32_t registry_count(const struct registry *registry)
{
	return __atomic_load_n(&registry->count, __ATOMIC_ACQUIRE);
}

const struct registry_class *registry_get(const struct registry *registry, uint32_t id)
{
	const struct entry *entry = NULL;

	/* Acquire: see the class that stands there. */
	if (id < registry_count(registry))
		entry = __atomic_load_n(&registry->classes[id], __ATOMIC_ACQUIRE);
	return entry ? &entry->parsed->event_class : NULL;
}

uint64_t registry_overflows(const struct registry *registry)
{
	return __atomic_load_n(&registry->overflows, __ATOMIC_RELAXED);
}
