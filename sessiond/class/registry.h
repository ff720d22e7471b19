/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * registry.h - the event classes of all processes, and their ids.
 *
 * A class is provider:name, log level and fields. The same class has the same
 * id whoever registers it; the same name with another layout is another class
 * with another id, and both may stand in one trace. A new class gets the lowest
 * id that no class has. A class lives until registry_remove(): class-reclaim.h
 * says when that is.
 *
 * Synchronization:
 *
 *   what              main thread      any thread           how
 *   parse, add        yes              no                   -
 *   get, count        yes              yes                  release, acquire
 *   remove            yes              no                   no other thread uses the class
 *   destroy           yes, when no other thread has the registry any more
 *
 * registry_add uses RCU's hash table: its thread is a registered RCU thread.
 */
#ifndef SESSIOND_CLASS_REGISTRY_H
#define SESSIOND_CLASS_REGISTRY_H

#include <stddef.h>
#include <stdint.h>

#include <lttngmap/event-class.h>

#include "common/protocol/protocol-app.h"
#include "sessiond/quota/quota.h"

#define REGISTRY_WHY_SIZE 256

struct registry;

struct registry_enum_value {
	const char *label; /* valid UTF-8, no control characters */
	int64_t first;
	int64_t last; /* not less than first */
};

/* All checked; what a kind does not use is 0 or NULL. */
struct registry_field {
	const char *name; /* a C identifier, unique in the class */
	uint8_t kind;     /* enum lttngmap_field_kind */
	uint8_t size;     /* of an element, bytes */
	uint8_t flags;    /* enum lttngmap_field_flag */
	uint8_t base;     /* INTEGER, ENUM, ARRAY, SEQUENCE: 2, 8, 10 or 16 */
	uint32_t count;   /* ARRAY, TEXT: elements, at least 1 */
	const char *enum_name;
	const struct registry_enum_value *values; /* ENUM: at least one */
	uint32_t nr_values;
};

struct registry_class {
	uint16_t id;
	uint32_t user;    /* who is charged for it (quota.h) */
	uint8_t loglevel; /* enum lttngmap_loglevel */
	uint8_t nr_fields;
	const char *provider;
	const char *name;
	const char *full_name; /* "provider:name" */
	const struct registry_field *fields;
};

/* The result of registering the classes of a message. */
struct registry_result {
	uint32_t refused;           /* ids that are PROTOCOL_APP_NO_ID */
	struct registry_room taken; /* by classes that are new */
	/* taken.ids entries: the index in the message of each class that was added. */
	uint16_t added[PROTOCOL_APP_CLASSES_MAX];
	/* The first refused class: its name, the reason, and a remedy. */
	char why[REGISTRY_WHY_SIZE];
};

/* 0 or -errno. */
int registry_create(struct registry **registry);
/* NULL is allowed. */
void registry_destroy(struct registry *registry);

/*
 * Parse `nr_classes` classes in the wire form of common/protocol/protocol-app.h, which
 * fill `size` bytes exactly, and give each an id: the one that it has already, or
 * the lowest that is free. `bytes` are a process's, and may be anything; nothing else writes
 * them meanwhile. `ids` has room for nr_classes.
 *
 * A class that cannot be (a bad name, no id or memory left) has
 * PROTOCOL_APP_NO_ID, and the others go on. 0; -EBADMSG: the lengths do not
 * fit the message: nothing was added, result->why says where.
 */
int registry_add(struct registry *registry, const void *bytes, size_t size, uint32_t nr_classes,
		 uint16_t *ids, struct registry_result *result);

/* The same, where new classes are the user's, and may take no more than that. */
int registry_add_within(struct registry *registry, uint32_t user, const struct registry_room *room,
			const void *bytes, size_t size, uint32_t nr_classes, uint16_t *ids,
			struct registry_result *result);
/*
 * One class, that has that id already, in a registry that has none for it: from what
 * was saved. 0 and what it takes; -EBADMSG: it is no class, or another one has the id.
 */
int registry_restore(struct registry *registry, uint16_t id, uint32_t user, const void *bytes,
		     size_t size, struct registry_room *taken);
/* Forget a class, which nobody uses: its id is free. Returns the room it took. */
struct registry_room registry_remove(struct registry *registry, uint16_t id);
/* Another user is charged for the class from now on. Returns the room it takes. */
struct registry_room registry_charge(struct registry *registry, uint16_t id, uint32_t user);
/* The room that is left. */
struct registry_room registry_room(const struct registry *registry);

/* All ids that were ever given out are below it; no class may have some of them. */
uint32_t registry_count(const struct registry *registry);
/* NULL: no class has that id. Valid until registry_remove. */
const struct registry_class *registry_get(const struct registry *registry, uint32_t id);
/* Classes refused since the start because no id, or no memory, was left. */
uint64_t registry_overflows(const struct registry *registry);

#endif /* SESSIOND_CLASS_REGISTRY_H */
