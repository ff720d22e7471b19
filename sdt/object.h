/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * object.h - the probes of one loaded object, as event classes and as sites.
 *
 * Probes of one name in one object are one class; an argument that differs in
 * size between them gets the largest one's field. An object, and all of it, is
 * in one stretch of memory of its own, and nothing of it goes before the object
 * itself is unloaded: threads may be in its stubs.
 *
 * All but sdt_object_register() under the loader's lock.
 */
#ifndef LTTNGMAP_SDT_OBJECT_H
#define LTTNGMAP_SDT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lttngmap/event-class.h>

#include "sdt/note.h"
#include "sdt/stub.h"

struct sdt_class {
	struct lttngmap_tracepoint tracepoint;
	struct lttngmap_event_class event_class;
	struct lttngmap_field fields[SDT_OPERANDS_MAX];
	bool selected, registered;
};

/* Classes that were registered at once. */
struct sdt_batch {
	struct lttngmap_module module;
	struct sdt_batch *next;
	struct lttngmap_tracepoint *tracepoints[];
};

struct sdt_object {
	struct sdt_object *next;
	struct sdt_image image;
	const char *path;
	char *memory; /* where this is, too */
	size_t size, used;
	unsigned seen; /* the last round in which it was there */
	unsigned busy; /* somebody is registering its batches, without the lock */
	bool is_kept;  /* liblttngmap still knows of it: its memory stays */
	struct sdt_batch *batches;
	struct sdt_class *classes;
	struct sdt_site *sites;
	unsigned nr_classes, nr_sites;
};

/*
 * Read the probes of `file`, which is called `path`, mapped as `image`. There may be none, so
 * that it is not looked at once more. What cannot be served is reported, if it
 * is `selected`, and left out. NULL: no memory.
 */
struct sdt_object *sdt_object_create(const char *file, const char *path,
				     const struct sdt_image *image,
				     bool (*selected)(const char *provider, const char *name));
/* The code is no longer in memory. Its batches are unregistered before. */
void sdt_object_destroy(struct sdt_object *object);

/* Choose anew what is selected; a batch is made of the classes that are so for the first time. */
void sdt_object_select(struct sdt_object *object,
		       bool (*selected)(const char *provider, const char *name));
/* Make the stubs of what is selected. */
void sdt_object_prepare(struct sdt_object *object, struct sdt_writer *writer);
/* Arm what is selected and has a stub, disarm the rest. */
void sdt_object_arm(struct sdt_object *object, struct sdt_writer *writer);

/* Without the loader's lock, `busy` being held. */
void sdt_object_register(struct sdt_object *object);
/* False: somebody else is at its modules for too long, and it stays as it is. */
bool sdt_object_unregister(struct sdt_object *object);

#endif /* LTTNGMAP_SDT_OBJECT_H */
