/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "preload/inside-slots.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096u
/* All that we load ourselves begins so: their own calls are theirs. */
#define OUR_NAME "liblttngmap"

struct change {
	const struct inside_functions *functions;
	struct inside_library *library;
	bool to_wrappers;
};

/* The parts of an object needed to find its words. Addresses as the loader left them. */
struct object {
	const struct dl_phdr_info *info;
	const Elf64_Sym *symbols;
	const char *names;
	const Elf64_Rela *tables[2];
	size_t sizes[2];
	/* Made read-only when the loader was done with it. */
	uintptr_t relro_begin, relro_end;
	bool is_opened;
};

/* ---- what an object has ------------------------------------------------------- */

static const Elf64_Dyn *find_dynamic(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	}
	return NULL;
}

static bool is_in_segment(const struct dl_phdr_info *info, uintptr_t address, uint32_t flags)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & flags) == flags &&
		    address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
			return true;
	}
	return false;
}

static void find_relro(struct object *object)
{
	for (int i = 0; i < object->info->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &object->info->dlpi_phdr[i];
		uintptr_t begin = object->info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_GNU_RELRO)
			continue;
		/* Rounded like the loader does: never a page with other data. */
		object->relro_begin = begin & ~(uintptr_t)(PAGE - 1);
		object->relro_end = (begin + segment->p_memsz) & ~(uintptr_t)(PAGE - 1);
	}
}

/*
 * False: nothing to be found there. The loader writes addresses over the
 * offsets that the file has, but not in the vDSO, nor in what it is only about to
 * load: whose are no addresses within it.
 */
static bool look_at(const struct dl_phdr_info *info, struct object *object)
{
	const Elf64_Dyn *entry = find_dynamic(info);
	bool has_plain_addends = true;

	*object = (struct object){ .info = info };
	if (!entry)
		return false;
	for (; entry->d_tag != DT_NULL; entry++) {
		switch (entry->d_tag) {
		case DT_SYMTAB:
			object->symbols = (const void *)entry->d_un.d_ptr;
			break;
		case DT_STRTAB:
			object->names = (const void *)entry->d_un.d_ptr;
			break;
		case DT_JMPREL:
			object->tables[0] = (const void *)entry->d_un.d_ptr;
			break;
		case DT_PLTRELSZ:
			object->sizes[0] = entry->d_un.d_val / sizeof(Elf64_Rela);
			break;
		case DT_PLTREL:
			has_plain_addends = entry->d_un.d_val == DT_RELA;
			break;
		case DT_RELA:
			object->tables[1] = (const void *)entry->d_un.d_ptr;
			break;
		case DT_RELASZ:
			object->sizes[1] = entry->d_un.d_val / sizeof(Elf64_Rela);
			break;
		}
	}
	find_relro(object);
	return has_plain_addends && is_in_segment(info, (uintptr_t)object->symbols, PF_R) &&
	       is_in_segment(info, (uintptr_t)object->names, PF_R);
}

static bool is_ours(const struct dl_phdr_info *info)
{
	const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	/* The loader has its own malloc(), and is not to be interposed. */
	return info->dlpi_addr == getauxval(AT_BASE) ||
	       (name && strncmp(name + 1, OUR_NAME, strlen(OUR_NAME)) == 0);
}

/* ---- pages that the loader made read-only ---------------------------------------- */

/* One line of /proc/self/maps, by its first three fields. */
struct line {
	uintptr_t begin, end;
	char rights[5];
	int field;
	int letters;
};

/* True: a line is complete in *line. */
static bool take_letter(struct line *line, char letter)
{
	uintptr_t digit = letter >= 'a' ? (uintptr_t)(letter - 'a' + 10)
					: (uintptr_t)(letter - '0');

	if (letter == '\n') {
		line->field = 3;
		return true;
	}
	if (line->field == 0 && letter == '-')
		line->field = 1;
	else if (letter == ' ' && line->field < 3)
		line->field++;
	else if (line->field == 0)
		line->begin = line->begin << 4 | digit;
	else if (line->field == 1)
		line->end = line->end << 4 | digit;
	else if (line->field == 2 && line->letters < 4)
		line->rights[line->letters++] = letter;
	return false;
}

/*
 * Is the page read-only, as it is once the loader is done with the object? While
 * it works on one, the page is its own, and would be made read-only under our hands.
 */
static bool is_read_only(uintptr_t page)
{
	struct line line = { .begin = 0 };
	bool found = false, answer = false;
	char text[1024];
	ssize_t length;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	while (!found && (length = read(fd, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < length && !found; i++) {
			if (!take_letter(&line, text[i]))
				continue;
			found = page - line.begin < line.end - line.begin;
			answer = found && line.rights[0] == 'r' && line.rights[1] == '-' &&
				 line.rights[2] == '-';
			line = (struct line){ .begin = 0 };
		}
	}
	close(fd);
	return answer;
}

/* False: it is not to be written to, now or ever. */
static bool open_relro(struct object *object)
{
	if (object->is_opened)
		return true;
	if (!is_read_only(object->relro_begin) ||
	    mprotect((void *)object->relro_begin, object->relro_end - object->relro_begin,
		     PROT_READ | PROT_WRITE) != 0)
		return false;
	object->is_opened = true;
	return true;
}

static void close_relro(const struct object *object)
{
	if (object->is_opened)
		mprotect((void *)object->relro_begin, object->relro_end - object->relro_begin,
			 PROT_READ);
}

/* ---- words ------------------------------------------------------------------------ */

static void store(struct object *object, const struct change *change, void **word, void *value)
{
	uintptr_t address = (uintptr_t)word;

	if (address % sizeof(*word) ||
	    (address - object->relro_begin < object->relro_end - object->relro_begin &&
	     !open_relro(object)) ||
	    !is_in_segment(object->info, address, PF_W)) {
		change->library->refused++;
		return;
	}
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	change->library->changed++;
}

/*
 * Before its first call such a word leads to code of the object's own, which asks the
 * loader. Not so in an object that defines the function itself, and may have been bound to
 * that; but the C library, whose definition it is anyway.
 */
static bool is_unbound(const struct object *object, const Elf64_Rela *relocation, const void *value,
		       const struct inside_function *function)
{
	const Elf64_Sym *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];

	return ELF64_R_TYPE(relocation->r_info) == R_X86_64_JUMP_SLOT &&
	       is_in_segment(object->info, (uintptr_t)value, PF_X) &&
	       (symbol->st_shndx == SHN_UNDEF ||
		object->info->dlpi_addr + symbol->st_value == (uintptr_t)function->next);
}

static void visit(struct object *object, const struct change *change, const Elf64_Rela *relocation,
		  const struct inside_function *function)
{
	void **word = (void **)(object->info->dlpi_addr + relocation->r_offset);
	void *value;

	if (!is_in_segment(object->info, (uintptr_t)word, PF_R))
		return;
	value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	if (value == function->wrapper) {
		if (change->to_wrappers)
			change->library->unchanged++;
		else
			store(object, change, word, function->next);
	} else if (change->to_wrappers) {
		if (value == function->next ||
		    (!function->is_foreign && is_unbound(object, relocation, value, function)))
			store(object, change, word, function->wrapper);
		else
			change->library->foreign++;
	}
}

static const struct inside_function *find_function(const struct inside_functions *functions,
						   const char *name)
{
	for (unsigned i = 0; i < functions->count; i++) {
		if (strcmp(functions->functions[i].name, name) == 0)
			return &functions->functions[i];
	}
	return NULL;
}

static int change_object(struct dl_phdr_info *info, size_t size, void *context)
{
	const struct change *change = context;
	struct object object;

	(void)size;
	if (is_ours(info) || !look_at(info, &object))
		return 0;
	for (int table = 0; table < 2; table++) {
		const Elf64_Rela *relocation = object.tables[table];

		if (!is_in_segment(info, (uintptr_t)relocation, PF_R))
			continue;
		for (size_t i = 0; i < object.sizes[table]; i++, relocation++) {
			uint32_t type = ELF64_R_TYPE(relocation->r_info);
			const struct inside_function *function;

			if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
				continue;
			function = find_function(
				change->functions,
				object.names +
					object.symbols[ELF64_R_SYM(relocation->r_info)].st_name);
			if (function)
				visit(&object, change, relocation, function);
		}
	}
	close_relro(&object);
	return 0;
}

void inside_slots_change(const struct inside_functions *functions, bool to_wrappers,
			 struct inside_library *library)
{
	struct change change = { functions, library, to_wrappers };

	dl_iterate_phdr(change_object, &change);
}

/* ---- functions of a family ---------------------------------------------------------- */

/* How many symbols there are is said by the longest chain of the hash table alone. */
static uint32_t count_symbols(const uint32_t *hash)
{
	uint32_t nr_buckets = hash[0], first = hash[1], bloom_size = hash[2];
	const uint32_t *buckets = hash + 4 + bloom_size * 2;
	const uint32_t *chains = buckets + nr_buckets;
	uint32_t last = 0;

	for (uint32_t i = 0; i < nr_buckets; i++) {
		if (buckets[i] > last)
			last = buckets[i];
	}
	if (last < first)
		return first;
	while (!(chains[last - first] & 1))
		last++;
	return last + 1;
}

static bool add(struct inside_functions *functions, const char *name, void *wrapper)
{
	struct inside_function *function;
	void *next = dlsym(RTLD_NEXT, name);

	/* A function that nobody else has is not one that is wrapped. */
	if (!next || next == wrapper)
		return true;
	if (functions->count >= INSIDE_FUNCTIONS_MAX)
		return false;
	function = &functions->functions[functions->count++];
	function->name = name;
	function->wrapper = wrapper;
	function->next = next;
	function->is_foreign = dlsym(RTLD_DEFAULT, name) != next;
	return true;
}

bool inside_functions_find(void *handle, struct inside_functions *functions)
{
	const struct link_map *map = handle;
	const Elf64_Sym *symbols = NULL;
	const uint32_t *hash = NULL;
	const char *names = NULL;
	uint32_t count;

	functions->count = 0;
	for (const Elf64_Dyn *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			symbols = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRTAB)
			names = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_GNU_HASH)
			hash = (const void *)entry->d_un.d_ptr;
	}
	if (!symbols || !names || !hash)
		return false;
	count = count_symbols(hash);
	for (uint32_t i = 0; i < count; i++) {
		if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC ||
		    symbols[i].st_shndx == SHN_UNDEF)
			continue;
		if (!add(functions, names + symbols[i].st_name,
			 (void *)(map->l_addr + symbols[i].st_value)))
			return false;
	}
	return true;
}
