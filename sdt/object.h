/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * object.h - the probes of one loaded object, as event classes and as sites.
 *
 * Probes of one name in one object are one class; an argument that differs in
 * size between them gets the largest one's field. An object, and all of it, is
 * in one range of memory of its own, and nothing of it goes before the object
 * itself is unloaded: threads may be in its stubs.
 *
 * It is made from its file without any lock, for files may take their time, and
 * is compared with what is loaded under the loader's: from then on it is only
 * touched under that, but by sdt_object_register() and sdt_object_unregister().
 */
#ifndef SDT_OBJECT_H
#define SDT_OBJECT_H

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
	uint16_t next; /* of the same hash: a number, from 1 */
	bool selected, registered;
};

/* Classes that were registered at once. */
struct sdt_batch {
	struct lttngmap_module module;
	struct sdt_batch *next;
	struct lttngmap_tracepoint *tracepoints[];
};

/* A probe of the file that never can be served; provider "*": the file itself. */
struct sdt_refused {
	struct sdt_refused *next;
	const char *provider, *name;
	const char *argument; /* the one that is meant, or NULL */
	const char *why;
	uint64_t offset;
	bool is_told;
};

struct sdt_object {
	struct sdt_object *next;
	struct sdt_image image; /* the loader's, of which the segments are only compared */
	const char *path;
	char *memory; /* where this is, too */
	size_t size, used;
	unsigned seen; /* the last round in which it was there */
	unsigned busy; /* somebody is registering its batches, without the lock */
	bool is_kept;  /* liblttngmap may still look at it: its memory stays */
	/* The file's content for a comparison; no segments if it has no probes. */
	struct sdt_image file;
	char *identity;
	size_t identity_size;
	struct sdt_batch *batches;
	struct sdt_refused *refused;
	struct sdt_class *classes;
	struct sdt_site *sites;
	unsigned nr_classes, nr_sites;
	/* Numbers from 1 of classes and sites, by hash; a power of two of them. */
	uint16_t *classes_by_name, *sites_by_place;
	unsigned nr_hashes;
};

/*
 * Read the probes of `file`, which is called `path` and loaded as `image`; nothing but the file
 * is looked at. There may be none, so that it is not looked at once more. NULL: no memory.
 */
struct sdt_object *sdt_object_create(const char *file, const char *path,
				     const struct sdt_image *image);
/* The code is no longer in memory, or was never looked at. Its batches are unregistered before. */
void sdt_object_destroy(struct sdt_object *object);

/* Is what is loaded as `image` what was read from the file, if it has probes? */
bool sdt_object_is(const struct sdt_object *object, const struct sdt_image *image);
/* It is not, and has no probes from now on. Only before anything else is done with it. */
void sdt_object_empty(struct sdt_object *object);

#define SDT_FILE_IS_ANOTHER "the file is another one since it was loaded"

typedef bool sdt_selected(const char *provider, const char *name);

/* Choose anew what is selected; a batch is made of the classes that are so for the first time. */
void sdt_object_select(struct sdt_object *object, sdt_selected *selected);
/* Make the stubs of what is selected. */
void sdt_object_prepare(struct sdt_object *object, struct sdt_writer *writer);
/* Arm what is selected and has a stub, disarm the rest. */
void sdt_object_arm(struct sdt_object *object, struct sdt_writer *writer);

/*
 * Reports selected probes that are not traced: `told` says for each whether it was reported before;
 * `tell` gets it and returns whether it is reported now. False: `tell` returned false, and the
 * report ended.
 */
struct sdt_telling {
	sdt_selected *selected;
	bool again; /* also what was told before, without remembering it */
	bool (*tell)(void *data, const char *provider, const char *name, const char *path,
		     uint64_t offset, const char *why);
	void *data;
};
bool sdt_object_tell(struct sdt_object *object, const struct sdt_telling *telling);

/* Without the loader's lock, `busy` being held. */
void sdt_object_register(struct sdt_object *object);
/* False: somebody else is at its modules for too long, and may look at it for ever. */
bool sdt_object_unregister(struct sdt_object *object);

/* For reading: memory of the object's. NULL only where the size was reckoned wrongly. */
void *sdt_object_take(struct sdt_object *object, size_t size);
/* The object's probes, from a file that was opened; in sdt/read.c. NULL: no memory. */
struct sdt_object *sdt_object_read(struct sdt_file *file, const char *path);
/* The list of sites that begin in the same eight bytes as `address`, and others: a number. */
uint16_t *sdt_object_place(const struct sdt_object *object, uint64_t address);
/* Nothing of it can be served; `argument` may be NULL, texts are copied. */
void sdt_object_refuse(struct sdt_object *object, const struct sdt_note *note, uint64_t offset,
		       const char *argument, size_t length, const char *why);

#endif /* SDT_OBJECT_H */
