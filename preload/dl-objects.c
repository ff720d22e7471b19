/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "preload/dl-objects.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/dl-debug-link.h"

/* Not a program's own one, which may take no lock, or tell of what was once. */
#define NEXT_FUNCTIONS(X) X(dl_iterate_phdr)

#include "preload/next.h"

#define CHUNK_SIZE (64u * 1024u)
#define PAGE 4096u

static struct dl_object *objects;
/* The loader's lock protects these. */
static struct dl_object **objects_end = &objects;
static char *chunk;
static size_t chunk_left;
static uint32_t round;

/*
 * Objects that are new, whose files are looked into without the loader's lock: one that hangs
 * is not to keep other threads from loading theirs, or from unwinding. The findings are kept
 * here until the objects are seen again.
 */
#define NEWCOMERS_MAX 64u
/* Rounds at most; the rest comes with the next update. */
#define TRIES_MAX 64

struct newcomer {
	char path[PATH_MAX];
	char debug_link[DL_DEBUG_LINK_MAX];
	uint32_t crc;
};

struct update {
	struct newcomer *newcomers; /* NULL: none so far */
	unsigned count, known;      /* the first ones' files were looked into */
	bool is_behind;             /* an object was left out, for its file was not */
	bool have_memory;
};

const struct dl_object *dl_objects_first(void)
{
	return __atomic_load_n(&objects, __ATOMIC_ACQUIRE);
}

struct dl_object *dl_objects_news(void)
{
	return __atomic_load_n(&objects, __ATOMIC_ACQUIRE);
}

const struct dl_object *dl_objects_find(const void *address)
{
	const struct dl_object *object;

	for (object = dl_objects_first(); object;
	     object = __atomic_load_n(&object->next, __ATOMIC_ACQUIRE)) {
		if (__atomic_load_n(&object->is_live, __ATOMIC_ACQUIRE) &&
		    (uintptr_t)address - DL_OBJECT_FIELD(object, baddr) <
			    DL_OBJECT_FIELD(object, memsz))
			return object;
	}
	return NULL;
}

/* Memory that is never given back, and that no allocator is asked for. */
static void *take(size_t size)
{
	void *taken;

	size = (size + 15) & ~(size_t)15;
	if (size > CHUNK_SIZE)
		return NULL;
	if (size > chunk_left) {
		taken = mmap(NULL, CHUNK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
		if (taken == MAP_FAILED)
			return NULL;
		chunk = taken;
		chunk_left = CHUNK_SIZE;
	}
	taken = chunk;
	chunk += size;
	chunk_left -= size;
	return taken;
}

/* The loader's name "" is the program. The vDSO has a name, but no path. */
static bool find_path(const struct dl_phdr_info *info, char *path, size_t size)
{
	size_t used = 0;
	long length;

	if (!info->dlpi_name || !info->dlpi_name[0]) {
		length = syscall(SYS_readlink, "/proc/self/exe", path, size - 1);
		if (length <= 0)
			return false;
		path[length] = '\0';
		return true;
	}
	if (!strchr(info->dlpi_name, '/'))
		return false;
	if (info->dlpi_name[0] != '/') {
		length = syscall(SYS_getcwd, path, size);
		if (length <= 0)
			return false;
		used = (size_t)length;
		path[used - 1] = '/';
	}
	if (strlen(info->dlpi_name) >= size - used)
		return false;
	strcpy(path + used, info->dlpi_name);
	return true;
}

static void find_extent(const struct dl_phdr_info *info, struct dl_object *object)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_vaddr < begin)
			begin = segment->p_vaddr;
		if (segment->p_vaddr + segment->p_memsz > end)
			end = segment->p_vaddr + segment->p_memsz;
		/* The file's header lies at its begin. */
		if (segment->p_offset == 0 && segment->p_filesz >= sizeof(Elf64_Ehdr) &&
		    segment->p_flags & PF_R) {
			const Elf64_Ehdr *header =
				(const void *)(info->dlpi_addr + segment->p_vaddr);

			object->is_pic = header->e_type == ET_DYN;
		}
	}
	if (end <= begin)
		return;
	begin &= ~(uint64_t)(PAGE - 1);
	object->baddr = info->dlpi_addr + begin;
	object->memsz = end - begin;
}

static void find_build_id(const struct dl_phdr_info *info, const Elf64_Phdr *segment,
			  struct dl_object *object)
{
	const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr);
	const char *end = at + segment->p_memsz;
	uint64_t align = segment->p_align == 8 ? 8 : 4;
	Elf64_Nhdr note;

	while ((size_t)(end - at) >= sizeof(note)) {
		uint64_t name_size, desc_size;

		memcpy(&note, at, sizeof(note));
		at += sizeof(note);
		name_size = (note.n_namesz + align - 1) & ~(align - 1);
		desc_size = (note.n_descsz + align - 1) & ~(align - 1);
		if (name_size > (uint64_t)(end - at) ||
		    note.n_descsz > (uint64_t)(end - at) - name_size)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(at, "GNU", 4) == 0 && note.n_descsz <= DL_BUILD_ID_MAX) {
			object->build_id_size = (uint8_t)note.n_descsz;
			memcpy(object->build_id, at + name_size, note.n_descsz);
			return;
		}
		if (desc_size > (uint64_t)(end - at) - name_size)
			return;
		at += name_size + desc_size;
	}
}

/* A note that no segment brings into memory, as of files that were worked over, is not looked at.
 */
static bool is_mapped(const struct dl_phdr_info *info, const Elf64_Phdr *part)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_R &&
		    part->p_vaddr >= segment->p_vaddr && part->p_memsz <= segment->p_filesz &&
		    part->p_vaddr - segment->p_vaddr <= segment->p_filesz - part->p_memsz)
			return true;
	}
	return false;
}

static bool is_same_file(const struct dl_object *object, const struct dl_object *other)
{
	return object->build_id_size == other->build_id_size &&
	       memcmp(object->build_id, other->build_id, other->build_id_size) == 0 &&
	       object->is_pic == other->is_pic && object->crc == other->crc &&
	       strcmp(object->debug_link, other->debug_link) == 0;
}

static void add(struct dl_object *found, const char *path)
{
	struct dl_object *object;
	size_t size = sizeof(*object) + strlen(path) + 1;

	/* Extents differ from time to time; readers take them one by one. */
	for (object = objects; object; object = object->next) {
		if (!object->is_live && strcmp(object->path, path) == 0 &&
		    is_same_file(object, found)) {
			__atomic_store_n(&object->baddr, found->baddr, __ATOMIC_RELAXED);
			__atomic_store_n(&object->memsz, found->memsz, __ATOMIC_RELAXED);
			break;
		}
	}
	if (!object) {
		object = take(size);
		if (!object)
			return;
		memcpy(object, found, sizeof(*object));
		strcpy(object->path, path);
		__atomic_store_n(objects_end, object, __ATOMIC_RELEASE);
		objects_end = &object->next;
	}
	object->seen = round;
	__atomic_store_n(&object->is_live, 1, __ATOMIC_RELEASE);
	__atomic_fetch_or(&object->news, DL_OBJECT_LOADED, __ATOMIC_RELEASE);
}

/* Was its file looked into? If not, it is next time. True also where there is no memory for that.
 */
static bool find_debug_link(struct update *update, const char *path, struct dl_object *found)
{
	const struct newcomer *newcomer;
	void *memory;

	for (unsigned i = 0; i < update->known; i++) {
		newcomer = &update->newcomers[i];
		if (strcmp(newcomer->path, path) == 0) {
			strcpy(found->debug_link, newcomer->debug_link);
			found->crc = newcomer->crc;
			return true;
		}
	}
	if (!update->newcomers && update->have_memory) {
		memory = mmap(NULL, NEWCOMERS_MAX * sizeof(struct newcomer), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		update->have_memory = memory != MAP_FAILED;
		update->newcomers = update->have_memory ? memory : NULL;
	}
	if (!update->newcomers)
		return true;
	update->is_behind = true;
	if (update->count < NEWCOMERS_MAX)
		strcpy(update->newcomers[update->count++].path, path);
	return false;
}

static int see(struct dl_phdr_info *info, size_t size, void *data)
{
	struct dl_object found = { .next = NULL };
	struct dl_object *object;
	char path[PATH_MAX];

	(void)size;
	find_extent(info, &found);
	if (!found.memsz)
		return 0;
	for (object = objects; object; object = object->next) {
		if (object->is_live && object->baddr == found.baddr &&
		    object->memsz == found.memsz && object->seen != round &&
		    (!info->dlpi_name || info->dlpi_name[0] != '/' ||
		     strcmp(object->path, info->dlpi_name) == 0)) {
			object->seen = round;
			return 0;
		}
	}
	if (!find_path(info, path, sizeof(path)) || !find_debug_link(data, path, &found))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_NOTE && !found.build_id_size &&
		    is_mapped(info, &info->dlpi_phdr[i]))
			find_build_id(info, &info->dlpi_phdr[i], &found);
	}
	add(&found, path);
	return 0;
}

/* Called for the first object only, with the loader's lock held, which lets us in again. */
static int see_all(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	round++;
	NEXT(dl_iterate_phdr)(see, data);
	for (struct dl_object *object = objects; object; object = object->next) {
		if (object->is_live && object->seen != round) {
			__atomic_store_n(&object->is_live, 0, __ATOMIC_RELEASE);
			__atomic_fetch_or(&object->news, DL_OBJECT_UNLOADED, __ATOMIC_RELEASE);
		}
	}
	return 1;
}

static void look_into_files(struct update *update)
{
	/* There was no room for more: these are in the list by now. */
	if (update->known == update->count)
		update->count = 0;
	for (unsigned i = update->known; i < update->count; i++) {
		struct newcomer *newcomer = &update->newcomers[i];

		newcomer->crc = 0;
		if (!dl_debug_link(newcomer->path, newcomer->debug_link,
				   sizeof(newcomer->debug_link), &newcomer->crc))
			newcomer->debug_link[0] = '\0';
	}
	update->known = update->count;
}

void dl_objects_update(void)
{
	struct update update = { .have_memory = true };
	int saved_errno = errno;

	for (int tries = 0; tries < TRIES_MAX; tries++) {
		update.is_behind = false;
		NEXT(dl_iterate_phdr)(see_all, &update);
		if (!update.is_behind)
			break;
		look_into_files(&update);
	}
	if (update.newcomers)
		munmap(update.newcomers, NEWCOMERS_MAX * sizeof(struct newcomer));
	errno = saved_errno;
}
