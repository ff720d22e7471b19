/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Files are read by plain system calls into memory of its own: a map of a file that somebody cuts
 * short meanwhile would be a SIGBUS in the program, and the functions of the C library may
 * be traced.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "preload/function-select.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAMES_ENVIRONMENT "LTTNGMAP_FUNCTIONS"
#define NAMES_MAX 4096u
/* Maximum size of symbol and name tables: more than the largest programs have. */
#define TABLE_MAX (UINT64_C(1) << 30)

bool function_names_given;
static char names[NAMES_MAX];
static struct function_object objects[FUNCTION_OBJECTS_MAX];
static unsigned nr_objects;

/* ---- names ------------------------------------------------------------------------ */

void function_select_names(void)
{
	const char *given = secure_getenv(NAMES_ENVIRONMENT);

	/* A text that is too long selects nothing: better than all. */
	if (!given || !given[0])
		return;
	if (strlen(given) < sizeof(names))
		strcpy(names, given);
	function_names_given = true;
}

const char *function_select_given(void)
{
	return names;
}

/* Does the whole name match? A '*' is tried again, longer, where what follows does not. */
static bool matches(const char *glob, size_t length, const char *name)
{
	const char *end = glob + length, *star = NULL, *again = NULL;

	while (*name) {
		if (glob < end && *glob == '*') {
			star = ++glob;
			again = name;
		} else if (glob < end && *glob == *name) {
			glob++;
			name++;
		} else if (star) {
			glob = star;
			name = ++again;
		} else {
			return false;
		}
	}
	while (glob < end && *glob == '*')
		glob++;
	return glob == end;
}

static bool is_wanted(const char *name)
{
	bool wanted = false, any = false;
	const char *at = names;

	if (!function_names_given)
		return true;
	for (size_t length; *at; at += length + (at[length] == ',')) {
		bool is_excluded = *at == '!';

		length = strcspn(at, ",");
		if (is_excluded && matches(at + 1, length - 1, name))
			return false;
		if (!is_excluded && length > 0) {
			any = true;
			wanted = wanted || matches(at, length, name);
		}
	}
	/* Nothing but what is taken out: of all. */
	return wanted || (!any && names[0]);
}

/* ---- in memory ---------------------------------------------------------------------- */

static bool is_code(const Elf64_Phdr *segment)
{
	return segment->p_type == PT_LOAD && segment->p_flags & PF_X && segment->p_flags & PF_R;
}

/* Is all of it in memory that the loader made readable of the file? */
static bool is_loaded(const struct dl_phdr_info *info, uint64_t address, uint64_t size)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &info->dlpi_phdr[i];
		uint64_t begin = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_R && address >= begin &&
		    size <= segment->p_memsz && address - begin <= segment->p_memsz - size)
			return true;
	}
	return false;
}

struct dynamic {
	const Elf64_Sym *symbols;
	const char *names;
	const Elf64_Rela *calls, *data;
	uint64_t names_size, calls_size, data_size;
};

/*
 * Objects whose addresses the loader has not relocated, such as the kernel's own, are not wanted.
 */
static bool find_dynamic(const struct dl_phdr_info *info, struct dynamic *found)
{
	const Elf64_Dyn *entry = NULL;

	*found = (struct dynamic){ .symbols = NULL };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	}
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			found->symbols = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRTAB)
			found->names = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRSZ)
			found->names_size = entry->d_un.d_val;
		else if (entry->d_tag == DT_JMPREL)
			found->calls = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_PLTRELSZ)
			found->calls_size = entry->d_un.d_val;
		else if (entry->d_tag == DT_RELA)
			found->data = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_RELASZ)
			found->data_size = entry->d_un.d_val;
	}
	return found->symbols && found->names &&
	       is_loaded(info, (uint64_t)found->symbols, sizeof(Elf64_Sym)) &&
	       is_loaded(info, (uint64_t)found->names, found->names_size) &&
	       (!found->calls_size || is_loaded(info, (uint64_t)found->calls, found->calls_size)) &&
	       (!found->data_size || is_loaded(info, (uint64_t)found->data, found->data_size));
}

static void find_in(const struct dl_phdr_info *info, const struct dynamic *dynamic,
		    const Elf64_Rela *entry, uint64_t size, const char *symbol,
		    struct function_slots *slots)
{
	for (const Elf64_Rela *end = entry + size / sizeof(*entry); entry < end; entry++) {
		const Elf64_Sym *of = dynamic->symbols + ELF64_R_SYM(entry->r_info);
		uint32_t type = ELF64_R_TYPE(entry->r_info);

		if ((type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) &&
		    is_loaded(info, (uint64_t)of, sizeof(*of)) &&
		    of->st_name < dynamic->names_size &&
		    strcmp(dynamic->names + of->st_name, symbol) == 0 && slots->count < 2)
			slots->at[slots->count++] = info->dlpi_addr + entry->r_offset;
	}
}

bool function_find_slots(const struct dl_phdr_info *info, const char *symbol,
			 struct function_slots *slots)
{
	struct dynamic dynamic;

	slots->count = 0;
	if (!find_dynamic(info, &dynamic))
		return false;
	find_in(info, &dynamic, dynamic.calls, dynamic.calls_size, symbol, slots);
	find_in(info, &dynamic, dynamic.data, dynamic.data_size, symbol, slots);
	return slots->count > 0;
}

uint64_t function_body(const struct function_object *object, uint64_t address)
{
	static const unsigned char landing_pad[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (object->end - address > sizeof(landing_pad) &&
	    memcmp((const void *)address, landing_pad, sizeof(landing_pad)) == 0)
		return address + sizeof(landing_pad);
	return address;
}

bool function_is_listed(const void *function)
{
	uint64_t address = (uint64_t)function;
	unsigned count = __atomic_load_n(&nr_objects, __ATOMIC_ACQUIRE);

	for (unsigned i = 0; i < count; i++) {
		uint64_t bit = address - objects[i].begin;

		if (address >= objects[i].begin && address < objects[i].end)
			return objects[i].selected && objects[i].selected[bit / 64] >> bit % 64 & 1;
	}
	return false;
}

const struct function_object *function_object_at(unsigned index)
{
	return index < __atomic_load_n(&nr_objects, __ATOMIC_ACQUIRE) ? &objects[index] : NULL;
}

/* ---- in the file ---------------------------------------------------------------------- */

static void *take(uint64_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static bool read_at(int fd, uint64_t offset, void *to, uint64_t size)
{
	return offset <= INT64_MAX && size <= TABLE_MAX &&
	       syscall(SYS_pread64, fd, to, size, (off_t)offset) == (long)size;
}

/* The file's header and segments have to be those in memory: it is the file that was loaded. */
static bool is_that_file(int fd, const struct dl_phdr_info *info, Elf64_Ehdr *header)
{
	Elf64_Phdr segment;

	if (!read_at(fd, 0, header, sizeof(*header)) ||
	    memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64 ||
	    header->e_phentsize != sizeof(segment) || header->e_phnum != info->dlpi_phnum ||
	    header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0)
		return false;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *loaded = &info->dlpi_phdr[i];

		if (!read_at(fd, header->e_phoff + i * sizeof(segment), &segment,
			     sizeof(segment)) ||
		    memcmp(&segment, loaded, sizeof(segment)) != 0)
			return false;
		if (loaded->p_type == PT_LOAD && loaded->p_offset == 0 &&
		    loaded->p_filesz >= sizeof(*header) && loaded->p_flags & PF_R &&
		    memcmp((const void *)(info->dlpi_addr + loaded->p_vaddr), header,
			   sizeof(*header)) != 0)
			return false;
	}
	return true;
}

struct file {
	int fd;
	Elf64_Ehdr header;
	Elf64_Shdr *sections;
	char *names; /* of the sections, with a NUL behind */
	uint64_t names_size;
};

static void close_file(struct file *file)
{
	if (file->sections)
		munmap(file->sections, file->header.e_shnum * sizeof(*file->sections));
	if (file->names)
		munmap(file->names, file->names_size + 1);
	syscall(SYS_close, file->fd);
}

static bool read_sections(struct file *file)
{
	uint64_t size = file->header.e_shnum * sizeof(*file->sections);
	const Elf64_Shdr *names_section;

	file->sections = take(size);
	if (!file->sections || file->header.e_shstrndx >= file->header.e_shnum ||
	    !read_at(file->fd, file->header.e_shoff, file->sections, size))
		return false;
	names_section = &file->sections[file->header.e_shstrndx];
	if (!names_section->sh_size || names_section->sh_size > TABLE_MAX)
		return false;
	file->names_size = names_section->sh_size;
	file->names = take(file->names_size + 1);
	return file->names &&
	       read_at(file->fd, names_section->sh_offset, file->names, file->names_size);
}

static bool open_file(const struct dl_phdr_info *info, struct file *file)
{
	const char *path = info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name
								 : "/proc/self/exe";
	long fd;

	*file = (struct file){ .fd = -1 };
	if (!strchr(path, '/'))
		return false;
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	file->fd = (int)fd;
	if (is_that_file(file->fd, info, &file->header) && read_sections(file))
		return true;
	close_file(file);
	return false;
}

static const Elf64_Shdr *find_section(const struct file *file, const char *name)
{
	for (unsigned i = 0; i < file->header.e_shnum; i++) {
		if (file->sections[i].sh_name < file->names_size &&
		    strcmp(file->names + file->sections[i].sh_name, name) == 0)
			return &file->sections[i];
	}
	return NULL;
}

bool function_find_section(const struct dl_phdr_info *info, const char *name, uint64_t *begin,
			   uint64_t *size)
{
	const Elf64_Shdr *section;
	struct file file;

	*size = 0;
	if (!open_file(info, &file))
		return false;
	section = find_section(&file, name);
	if (section && is_loaded(info, info->dlpi_addr + section->sh_addr, section->sh_size)) {
		*begin = info->dlpi_addr + section->sh_addr;
		*size = section->sh_size;
	}
	close_file(&file);
	return *size > 0;
}

struct walk {
	const struct dl_phdr_info *info;
	struct function_object *object;
	void (*each)(const struct function_object *object, uint64_t address, bool is_selected,
		     void *argument);
	void *argument;
};

static void mark(struct function_object *object, uint64_t address)
{
	uint64_t bit = address - object->begin;

	object->selected[bit / 64] |= UINT64_C(1) << bit % 64;
}

static void see_symbol(const struct walk *walk, const Elf64_Sym *symbol, const char *name)
{
	struct function_object *object = walk->object;
	uint64_t address = object->base + symbol->st_value;
	bool is_selected;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
	    address < object->begin || address >= object->end ||
	    !is_loaded(walk->info, address, FUNCTION_READ))
		return;
	is_selected = is_wanted(name);
	object->functions++;
	if (is_selected) {
		object->chosen++;
		mark(object, address);
		mark(object, function_body(object, address));
	}
	if (walk->each)
		walk->each(object, address, is_selected, walk->argument);
}

/* .symtab has all of them; what was stripped has .dynsym. */
static void walk_symbols(const struct file *file, const struct walk *walk)
{
	const Elf64_Shdr *table = find_section(file, ".symtab"), *strings;
	Elf64_Sym *symbols;
	char *text;

	if (!table)
		table = find_section(file, ".dynsym");
	if (!table || table->sh_link >= file->header.e_shnum || table->sh_type == SHT_NOBITS)
		return;
	strings = &file->sections[table->sh_link];
	if (!table->sh_size || !strings->sh_size || table->sh_size > TABLE_MAX ||
	    strings->sh_size > TABLE_MAX || strings->sh_type == SHT_NOBITS)
		return;
	symbols = take(table->sh_size);
	text = take(strings->sh_size + 1);
	if (symbols && text && read_at(file->fd, table->sh_offset, symbols, table->sh_size) &&
	    read_at(file->fd, strings->sh_offset, text, strings->sh_size)) {
		for (uint64_t i = 0; i < table->sh_size / sizeof(*symbols); i++) {
			if (symbols[i].st_name < strings->sh_size)
				see_symbol(walk, &symbols[i], text + symbols[i].st_name);
		}
	}
	if (symbols)
		munmap(symbols, table->sh_size);
	if (text)
		munmap(text, strings->sh_size + 1);
}

struct function_object *function_object_add(const struct dl_phdr_info *info,
					    void (*each)(const struct function_object *object,
							 uint64_t address, bool is_selected,
							 void *argument),
					    void *argument)
{
	struct function_object *object = &objects[nr_objects];
	const struct walk walk = { info, object, each, argument };
	struct file file;

	if (nr_objects == FUNCTION_OBJECTS_MAX)
		return NULL;
	*object = (struct function_object){ .base = info->dlpi_addr, .begin = UINT64_MAX };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &info->dlpi_phdr[i];
		uint64_t begin = info->dlpi_addr + segment->p_vaddr;

		if (!is_code(segment))
			continue;
		if (begin < object->begin)
			object->begin = begin;
		if (begin + segment->p_memsz > object->end)
			object->end = begin + segment->p_memsz;
	}
	if (object->end <= object->begin || object->end - object->begin > TABLE_MAX)
		return NULL;
	if (function_names_given) {
		object->selected = take((object->end - object->begin) / 8 + 8);
		if (object->selected && open_file(info, &file)) {
			walk_symbols(&file, &walk);
			close_file(&file);
		}
	}
	__atomic_store_n(&nr_objects, nr_objects + 1, __ATOMIC_RELEASE);
	return object;
}
