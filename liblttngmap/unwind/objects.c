/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/unwind/objects.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#define OBJECTS_MAX 4096u

static const struct unwind_objects *published;
static uint64_t bytes_used;

struct update {
	const struct unwind_objects *before;
	struct unwind_objects *made;
	int result;
};

/* Memory that is never given back, or NULL. */
static void *take_memory(size_t size)
{
	void *memory;

	if (__atomic_add_fetch(&bytes_used, size, __ATOMIC_RELAXED) <= UNWIND_BYTES_MAX) {
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
		if (memory != MAP_FAILED)
			return memory;
	}
	__atomic_sub_fetch(&bytes_used, size, __ATOMIC_RELAXED);
	return NULL;
}

static void give_memory(void *memory, size_t size)
{
	munmap(memory, size);
	__atomic_sub_fetch(&bytes_used, size, __ATOMIC_RELAXED);
}

/* The segments of `info`: where its code lies, its tables, and the segment that has these. */
static bool read_segments(const struct dl_phdr_info *info, struct unwind_object *object,
			  struct unwind_memory *memory)
{
	object->start = UINTPTR_MAX;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const uintptr_t begin = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_GNU_EH_FRAME)
			object->header = begin;
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		if (begin < object->start)
			object->start = begin;
		if (begin + segment->p_memsz > object->end)
			object->end = begin + segment->p_memsz;
	}
	for (unsigned i = 0; i < info->dlpi_phnum && object->header; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const uintptr_t begin = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) &&
		    object->header - begin < segment->p_filesz) {
			memory->begin = (const unsigned char *)begin;
			memory->end = memory->begin + segment->p_filesz;
		}
	}
	return object->start < object->end && memory->begin;
}

static uint64_t sum_of(const unsigned char *header, struct unwind_memory memory)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325), word;
	uint32_t entries = 0;

	if (memory.end - header >= 12)
		memcpy(&entries, header + 8, sizeof(entries));
	for (uint64_t i = 0; i <= entries && memory.end - header >= 8; i++, header += 8) {
		memcpy(&word, header, sizeof(word));
		sum = (sum ^ word) * UINT64_C(0x100000001b3);
	}
	return sum;
}

static bool reuse_table(const struct unwind_objects *before, struct unwind_object *object)
{
	for (size_t i = 0; before && i < before->count; i++) {
		const struct unwind_object *old = &before->objects[i];

		if (old->start == object->start && old->end == object->end &&
		    old->header == object->header && old->sum == object->sum) {
			*object = *old;
			return true;
		}
	}
	return false;
}

static int copy_table(struct unwind_object *object, struct unwind_memory memory)
{
	const unsigned char *header = (const unsigned char *)object->header;
	struct unwind_row *rows;
	size_t count;

	if (unwind_table_make(header, memory, object->start, NULL, 0, &object->count) != 0)
		object->count = 0;
	if (!object->count)
		return 0;
	rows = take_memory(object->count * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	(void)unwind_table_make(header, memory, object->start, rows, object->count, &count);
	object->rows = rows;
	return 0;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct update *update = data;
	struct unwind_objects *made = update->made;
	struct unwind_object object = { .start = 0 };
	struct unwind_memory memory = { .begin = NULL };
	size_t at = made->count;

	(void)size;
	if (!read_segments(info, &object, &memory))
		return 0;
	if (made->count == OBJECTS_MAX) {
		update->result = -ENOMEM;
		return 1;
	}
	object.sum = sum_of((const unsigned char *)object.header, memory);
	if (!reuse_table(update->before, &object))
		update->result = copy_table(&object, memory);
	if (update->result)
		return 1;
	for (; at && made->objects[at - 1].start > object.start; at--)
		made->objects[at] = made->objects[at - 1];
	made->objects[at] = object;
	made->count++;
	if ((uintptr_t)add_object - object.start < object.end - object.start) {
		made->own_start = object.start;
		made->own_end = object.end;
	}
	return 0;
}

/* True if `made` says what `before` said. */
static bool is_same(const struct unwind_objects *before, const struct unwind_objects *made)
{
	return before && before->count == made->count &&
	       memcmp(before->objects, made->objects, made->count * sizeof(made->objects[0])) == 0;
}

/* Not a program's own function of this name, which may tell of what was once. */
static void look_at_objects(struct update *update)
{
	static int (*iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
	void *found = __atomic_load_n((void **)&iterate, __ATOMIC_RELAXED);

	if (!found) {
		found = dlsym(RTLD_NEXT, "dl_iterate_phdr");
		__atomic_store_n((void **)&iterate, found, __ATOMIC_RELAXED);
	}
	if (found)
		__atomic_load_n(&iterate, __ATOMIC_RELAXED)(add_object, update);
}

int unwind_objects_update(void)
{
	const size_t room =
		sizeof(struct unwind_objects) + OBJECTS_MAX * sizeof(struct unwind_object);
	const struct unwind_objects *before = unwind_objects_now();
	struct update update = { .before = before, .made = take_memory(room) };
	struct unwind_objects *kept = NULL;
	size_t size;

	if (!update.made)
		return -ENOMEM;
	look_at_objects(&update);
	size = sizeof(*kept) + update.made->count * sizeof(kept->objects[0]);
	if (!update.result && !is_same(before, update.made)) {
		kept = take_memory(size);
		if (!kept)
			update.result = -ENOMEM;
	}
	if (kept) {
		memcpy(kept, update.made, size);
		kept->generation = before ? before->generation + 1 : 1;
		/* Pairs with the acquire in unwind_objects_now(). A thread that was faster wins. */
		if (!__atomic_compare_exchange_n(&published, &before, kept, false, __ATOMIC_RELEASE,
						 __ATOMIC_RELAXED))
			give_memory(kept, size);
	}
	give_memory(update.made, room);
	return update.result;
}

const struct unwind_objects *unwind_objects_now(void)
{
	return __atomic_load_n(&published, __ATOMIC_ACQUIRE);
}

uint32_t unwind_objects_find(const struct unwind_objects *objects, uintptr_t pc)
{
	size_t low = 0, count = objects->count;
	const struct unwind_object *object;

	while (count > 1) {
		const size_t half = count / 2;

		if (objects->objects[low + half].start <= pc)
			low += half;
		count -= half;
	}
	object = &objects->objects[low];
	if (!count || pc < object->start || pc >= object->end)
		return unwind_rule(UNWIND_STOP, 0, 0, 0);
	return unwind_table_find(object->rows, object->count, (uint32_t)(pc - object->start));
}
