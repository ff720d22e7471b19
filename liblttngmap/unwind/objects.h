/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * objects.h - the unwind tables of all objects that are loaded.
 *
 * A snapshot is never changed or freed once it is published, nor are its tables. So a walk that
 * has one may go on beside any dlopen or dlclose. What all snapshots take together is bounded by
 * UNWIND_BYTES_MAX; a table of an object that is loaded again at the same place is used again.
 */
#ifndef LIBLTTNGMAP_UNWIND_OBJECTS_H
#define LIBLTTNGMAP_UNWIND_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#include "liblttngmap/unwind/table.h"

#define UNWIND_BYTES_MAX (UINT64_C(64) << 20)

struct unwind_object {
	uintptr_t start, end; /* from the first to behind the last segment with code */
	uintptr_t header;     /* of the tables it was made of */
	uint64_t sum;         /* of that header, which tells another object at this place */
	const struct unwind_row *rows;
	size_t count;
};

struct unwind_objects {
	uint64_t generation;          /* from 1 on */
	uintptr_t own_start, own_end; /* the object that has this library's code */
	size_t count;
	struct unwind_object objects[]; /* by start */
};

/*
 * Copies the tables of what is loaded now, and publishes them. Takes the loader's lock and makes
 * system calls, so it is not for the event's path nor for signal handlers. Threads may call it
 * beside each other. Returns 0, -ENOMEM if there is no memory or the bound is reached; then what
 * was published stays.
 */
int unwind_objects_update(void);

/* The snapshot published last; NULL if there is none. Signal-safe. */
const struct unwind_objects *unwind_objects_now(void);

/* The rule for the instruction at `pc`, UNWIND_STOP if no object has it. Signal-safe. */
uint32_t unwind_objects_find(const struct unwind_objects *objects, uintptr_t pc);

#endif /* LIBLTTNGMAP_UNWIND_OBJECTS_H */
