/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * dl-objects.h - the program and its libraries, as they lie in memory: what a
 * reader needs to make a function's name of an address.
 *
 * The list is kept by dl_objects_update(), from dl_iterate_phdr(), under the
 * loader's own lock, so that there is none of ours that a fork could lose. It is
 * read without a lock, in signal handlers too: an object that was in it once
 * stays, and is marked when it is unloaded. One that is loaded again, from the
 * same file, takes its old place.
 *
 * Not in it are the objects of other namespaces (dlmopen), the kernel's vDSO,
 * and what there is no memory for.
 */
#ifndef PRELOAD_DL_OBJECTS_H
#define PRELOAD_DL_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#define DL_BUILD_ID_MAX 64u
#define DL_DEBUG_LINK_MAX 256u

enum dl_object_news {
	DL_OBJECT_LOADED = 1,
	DL_OBJECT_UNLOADED = 2,
};

struct dl_object {
	struct dl_object *next;
	uint64_t baddr; /* where the first loaded byte is: atomic, as memsz and the next two */
	uint64_t memsz; /* from there to the end of the last segment */
	uint32_t is_live;
	uint32_t news; /* enum dl_object_news; who takes them has to tell them */
	uint32_t seen; /* the update's that found it last; the loader's lock */
	uint32_t crc;
	uint8_t is_pic;
	uint8_t build_id_size; /* 0: there is none */
	uint8_t build_id[DL_BUILD_ID_MAX];
	char debug_link[DL_DEBUG_LINK_MAX]; /* "": there is none */
	char path[];                        /* absolute */
};

#define DL_OBJECT_FIELD(object, field) __atomic_load_n(&(object)->field, __ATOMIC_RELAXED)

/* The first of all objects; then `next`, which is final. Signal-safe. */
const struct dl_object *dl_objects_first(void);
struct dl_object *dl_objects_news(void); /* the same, to take their news */

/* That with this address in it, or NULL. Signal-safe. */
const struct dl_object *dl_objects_find(const void *address);

/* See what is loaded now. Not in signal handlers. Keeps errno. */
void dl_objects_update(void);

#endif /* PRELOAD_DL_OBJECTS_H */
