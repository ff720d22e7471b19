/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */

#include "cli/symbols/loaded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Larger than any address space, and small enough that sums do not overflow. */
#define MEMSZ_MOST (UINT64_C(1) << 56)
/* Objects kept for a process; a trace may contain any number. */
#define OBJECTS_MOST 4096

static void drop(struct loaded *loaded, size_t i)
{
	free((char *)loaded->objects[i].what.path);
	loaded->count--;
	memmove(&loaded->objects[i], &loaded->objects[i + 1],
		(loaded->count - i) * sizeof(*loaded->objects));
}

/* The first object that ends behind the address. */
static size_t first_from(const struct loaded *loaded, uint64_t address)
{
	size_t low = 0, high = loaded->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (loaded->objects[middle].baddr + loaded->objects[middle].memsz <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct loaded_object *loaded_find(struct loaded *loaded, uint64_t address)
{
	size_t i = first_from(loaded, address);

	return i < loaded->count && loaded->objects[i].baddr <= address ? &loaded->objects[i]
									: NULL;
}

/* Forgets all objects at these addresses. */
static void drop_range(struct loaded *loaded, uint64_t baddr, uint64_t memsz)
{
	size_t i = first_from(loaded, baddr);

	while (i < loaded->count && loaded->objects[i].baddr < baddr + memsz)
		drop(loaded, i);
}

void loaded_end_dump(struct loaded *loaded)
{
	for (size_t i = loaded->count; i-- > 0;) {
		if (loaded->objects[i].dump != loaded->dump)
			drop(loaded, i);
	}
}

static int make_room(struct loaded *loaded)
{
	size_t room = loaded->room ? loaded->room * 2 : 8;
	struct loaded_object *larger;

	if (loaded->count < loaded->room)
		return 0;
	larger = realloc(loaded->objects, room * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	loaded->objects = larger;
	loaded->room = room;
	return 0;
}

int loaded_add(struct loaded *loaded, uint64_t baddr, uint64_t memsz, const char *path)
{
	struct loaded_object *there;
	char *copy;
	size_t i;

	if (memsz == 0 || memsz > MEMSZ_MOST || baddr > UINT64_MAX - memsz)
		return 0;
	there = loaded_find(loaded, baddr);
	if (there && there->baddr == baddr && there->memsz == memsz &&
	    strcmp(there->what.path, path) == 0) {
		there->dump = loaded->dump;
		return 0;
	}
	drop_range(loaded, baddr, memsz);
	if (loaded->count == OBJECTS_MOST)
		return -ENOSPC;
	copy = make_room(loaded) == 0 ? strdup(path) : NULL;
	if (!copy)
		return -ENOMEM;
	i = first_from(loaded, baddr);
	memmove(&loaded->objects[i + 1], &loaded->objects[i],
		(loaded->count++ - i) * sizeof(*loaded->objects));
	loaded->objects[i] = (struct loaded_object){
		.baddr = baddr,
		.memsz = memsz,
		.dump = loaded->dump,
		.what = { .path = copy, .memsz = memsz },
	};
	return 0;
}

void loaded_drop(struct loaded *loaded, uint64_t baddr)
{
	struct loaded_object *object = loaded_find(loaded, baddr);

	if (object && object->baddr == baddr)
		drop(loaded, object - loaded->objects);
}

void loaded_clear(struct loaded *loaded)
{
	while (loaded->count > 0)
		drop(loaded, loaded->count - 1);
	free(loaded->objects);
}
