/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * symbol-file.c - libdwfl searches all symbols for each address. This file sorts the symbols once,
 * and keeps the answers.
 */
#include <config.h>

#include "cli/symbols/symbol-file.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "cli/symbols/symbol-open.h"

#define PLACES_AT_FIRST 64
/* Addresses remembered for a file; a trace may have any number. */
#define REMEMBERED_MOST (1u << 16)
/* Symbols read from a file. */
#define FUNCTIONS_MOST (1 << 22)
/* Mangled names up to this length are demangled. */
#define MANGLED_MOST 1024
#define NAME_MOST 4096
#define REFERENCES_MOST 16
#define PACKS_MOST 2
/* Overlapping symbols that are looked at. */
#define NESTED_MOST 64

/* The greatest rank wins among symbols at one address. */
enum rank {
	RANK_NONE,
	RANK_LABEL, /* without a type, as assemblers make them */
	RANK_LOCAL,
	RANK_WEAK,
	RANK_GLOBAL,
};

struct function {
	uint64_t begin, end;
	const char *name; /* owned by libelf */
	enum rank rank;
	bool has_size; /* else it reaches to the next symbol, at most to its section's end */
};

struct place {
	uint64_t key; /* offset and is_return; 0: free */
	struct symbol symbol;
	char *name; /* allocated if the function's name was demangled */
};

struct symbol_file {
	struct symbol_object object;
	char *root;
	struct symbol_search search;
	enum symbol_file_state state;
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t begin; /* the first loaded address */
	bool has_lines;
	uint64_t used; /* number of the last question */
	struct function *functions;
	size_t nr_functions;
	struct place *places; /* open addressing, a power of two of places */
	size_t nr_places, nr_used;
};

/* ---- the file --------------------------------------------------------------------- */

static bool report_module(struct symbol_file *file, const char *path)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = symbol_open_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	int fd = symbol_open_regular(path);
	void **data = NULL;

	if (fd < 0)
		return false;
	file->dwfl = dwfl_begin(&callbacks);
	if (file->dwfl) {
		dwfl_report_begin(file->dwfl);
		/* On success, the module owns the descriptor. */
		file->module = dwfl_report_elf(file->dwfl, path, path, fd, 0, true);
		dwfl_report_end(file->dwfl, NULL, NULL);
	}
	if (!file->module) {
		close(fd);
		return false;
	}
	dwfl_module_info(file->module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	if (data)
		*data = &file->search;
	return true;
}

static void forget_module(struct symbol_file *file)
{
	dwfl_end(file->dwfl);
	file->dwfl = NULL;
	file->module = NULL;
}

/* Finds the address of the first loaded byte, and the distance to the last. */
static bool find_extent(struct symbol_file *file, uint64_t *memsz)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(file->module, &bias);
	uint64_t begin = UINT64_MAX, end = 0;
	GElf_Phdr segment;
	size_t count;

	if (!elf || elf_getphdrnum(elf, &count) != 0)
		return false;
	for (int i = 0; i < INT_MAX && (size_t)i < count && gelf_getphdr(elf, i, &segment); i++) {
		if (segment.p_type != PT_LOAD)
			continue;
		if (segment.p_vaddr < begin)
			begin = segment.p_vaddr;
		if (segment.p_memsz <= UINT64_MAX - segment.p_vaddr &&
		    segment.p_vaddr + segment.p_memsz > end)
			end = segment.p_vaddr + segment.p_memsz;
	}
	file->begin = begin + bias;
	*memsz = end - begin;
	return begin < end;
}

static enum symbol_file_state judge(struct symbol_file *file)
{
	const struct symbol_object *object = &file->object;
	const unsigned char *bits;
	GElf_Addr address;
	uint64_t memsz;
	int size;

	if (!find_extent(file, &memsz))
		return SYMBOL_FILE_MISSING;
	if (object->memsz && object->memsz != memsz)
		return SYMBOL_FILE_CHANGED;
	if (!object->build_id_size)
		return SYMBOL_FILE_GOOD;
	size = dwfl_module_build_id(file->module, &bits, &address);
	return size > 0 && (size_t)size == object->build_id_size &&
			       memcmp(bits, object->build_id, size) == 0
		       ? SYMBOL_FILE_GOOD
		       : SYMBOL_FILE_CHANGED;
}

static enum symbol_file_state open_at(struct symbol_file *file, const char *path)
{
	enum symbol_file_state state = SYMBOL_FILE_MISSING;

	if (report_module(file, path))
		state = judge(file);
	if (state != SYMBOL_FILE_GOOD)
		forget_module(file);
	return state;
}

/* Distributions keep debugging information after the program was removed. */
static void open_by_build_id(struct symbol_file *file)
{
	char path[PATH_MAX];

	if (symbol_open_by_id(file->root, file->object.build_id, file->object.build_id_size,
			      path) &&
	    open_at(file, path) == SYMBOL_FILE_GOOD)
		file->state = SYMBOL_FILE_GOOD;
}

/* ---- its functions ----------------------------------------------------------------- */

static enum rank rank_of(const GElf_Sym *symbol, const GElf_Shdr *section)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	if (!(section->sh_flags & SHF_EXECINSTR))
		return RANK_NONE;
	if (type == STT_NOTYPE)
		return RANK_LABEL;
	if (type != STT_FUNC && type != STT_GNU_IFUNC)
		return RANK_NONE;
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_LOCAL:
		return RANK_LOCAL;
	case STB_WEAK:
		return RANK_WEAK;
	default:
		return RANK_GLOBAL;
	}
}

static bool make_function(struct symbol_file *file, int index, struct function *function)
{
	GElf_Addr begin, bias = 0;
	GElf_Word number = SHN_UNDEF;
	GElf_Shdr section;
	GElf_Sym symbol;
	Elf *elf = NULL;

	function->name =
		dwfl_module_getsym_info(file->module, index, &symbol, &begin, &number, &elf, &bias);
	if (!function->name || !*function->name || number == SHN_UNDEF || !elf ||
	    !gelf_getshdr(elf_getscn(elf, number), &section))
		return false;
	function->rank = rank_of(&symbol, &section);
	function->begin = begin;
	function->has_size = symbol.st_size > 0;
	function->end = symbol.st_size ? begin + symbol.st_size
				       : section.sh_addr + bias + section.sh_size;
	return function->rank != RANK_NONE && function->end > begin;
}

static int compare(const void *one, const void *other)
{
	const struct function *a = one, *b = other;
	size_t a_length, b_length;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	/* Prefers the public one of two names. */
	a_length = strspn(a->name, "_");
	b_length = strspn(b->name, "_");
	if (a_length != b_length)
		return a_length < b_length ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static void read_functions(struct symbol_file *file)
{
	int count = dwfl_module_getsymtab(file->module);
	size_t kept = 0;

	if (count > FUNCTIONS_MOST)
		count = FUNCTIONS_MOST;
	if (count <= 0)
		return;
	file->functions = calloc(count, sizeof(*file->functions));
	if (!file->functions)
		return;
	for (int i = 1; i < count; i++)
		file->nr_functions += make_function(file, i, &file->functions[file->nr_functions]);
	qsort(file->functions, file->nr_functions, sizeof(*file->functions), compare);
	for (size_t i = 0; i < file->nr_functions; i++) {
		if (i == 0 || file->functions[i].begin != file->functions[kept - 1].begin)
			file->functions[kept++] = file->functions[i];
	}
	file->nr_functions = kept;
}

static const struct function *find_function(const struct symbol_file *file, uint64_t address)
{
	size_t low = 0, high = file->nr_functions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->functions[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = 0; i < NESTED_MOST && i < low; i++) {
		const struct function *function = &file->functions[low - 1 - i];

		if (address < function->end && (i == 0 || function->has_size))
			return function;
	}
	return NULL;
}

/* Avoids debugging information that several files share: libdw would open any path. */
static bool has_lines(struct symbol_file *file)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(file->module, &bias);
	const char *name;
	const void *id;

	return dwarf && dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) == 0;
}

static void see(struct symbol_file *file)
{
	char path[PATH_MAX];

	file->state = SYMBOL_FILE_MISSING;
	if (file->object.path[0] == '/' &&
	    (size_t)snprintf(path, sizeof(path), "%s%s", file->root ? file->root : "",
			     file->object.path) < sizeof(path))
		file->state = open_at(file, path);
	if (file->state != SYMBOL_FILE_GOOD)
		open_by_build_id(file);
	if (file->state != SYMBOL_FILE_GOOD)
		return;
	read_functions(file);
	file->has_lines = has_lines(file);
}

/* ---- names ------------------------------------------------------------------------ */

/*
 * In a mangled name, `S` or `T`, a number and `_` repeat an earlier part; each may double the
 * length. Packs of arguments may, too. Counts every such letter, whatever it means.
 */
static bool grows(const char *mangled)
{
	unsigned references = 0, packs = 0;

	for (const char *c = mangled; *c; c++) {
		if (*c == 'S' || *c == 'T')
			references +=
				c[1 + strspn(c + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '_';
		packs += (*c == 'D' || *c == 's') && c[1] == 'p';
	}
	return references > REFERENCES_MOST || packs > PACKS_MOST;
}

/*
 * Demangles a C++ name by the C++ library, if the machine has it. NULL: the name stays as it is.
 * Long names, and short ones that may expand to more than memory holds, stay mangled.
 */
static char *take_apart(const char *mangled)
{
	static char *(*demangle)(const char *, char *, size_t *, int *);
	static bool is_sought;
	char *name;
	int status;

	if (mangled[0] != '_' || mangled[1] != 'Z' ||
	    strnlen(mangled, MANGLED_MOST) == MANGLED_MOST || grows(mangled))
		return NULL;
	if (!is_sought) {
		void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);

		if (library)
			*(void **)&demangle = dlsym(library, "__cxa_demangle");
		is_sought = true;
	}
	name = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
	if (name && strlen(name) <= NAME_MOST)
		return name;
	free(name);
	return NULL;
}

static void find_line(const struct symbol_file *file, uint64_t address, struct symbol *symbol)
{
	Dwfl_Line *line = file->has_lines ? dwfl_module_getsrc(file->module, address) : NULL;

	if (line)
		symbol->source = dwfl_lineinfo(line, NULL, &symbol->line, NULL, NULL, NULL);
}

static void resolve(struct symbol_file *file, uint64_t offset, bool is_return, struct place *place)
{
	uint64_t address = file->begin + offset, meant = address - (is_return && offset > 0);
	struct symbol *symbol = &place->symbol;
	const struct function *function = NULL;

	*symbol = (struct symbol){ .object = file->object.path, .offset = offset };
	if (file->state != SYMBOL_FILE_GOOD)
		return;
	function = find_function(file, meant);
	if (function) {
		place->name = take_apart(function->name);
		symbol->function = place->name ? place->name : function->name;
		symbol->offset = address - function->begin;
	}
	find_line(file, meant, symbol);
}

/* ---- what was found ----------------------------------------------------------------- */

static size_t place_of(const struct symbol_file *file, uint64_t key)
{
	size_t place = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

	place &= file->nr_places - 1;
	while (file->places[place].key && file->places[place].key != key)
		place = (place + 1) & (file->nr_places - 1);
	return place;
}

static void forget_places(struct symbol_file *file)
{
	for (size_t i = 0; i < file->nr_places; i++) {
		free(file->places[i].name);
		free(file->places[i].symbol.text);
	}
	free(file->places);
	file->places = NULL;
	file->nr_places = file->nr_used = 0;
}

static int grow(struct symbol_file *file)
{
	struct symbol_file larger = *file;

	if (file->nr_places >= REMEMBERED_MOST * 2) {
		forget_places(file);
		larger = *file;
	}
	larger.nr_places = file->nr_places ? file->nr_places * 2 : PLACES_AT_FIRST;
	larger.places = calloc(larger.nr_places, sizeof(*larger.places));
	if (!larger.places)
		return -ENOMEM;
	for (size_t i = 0; i < file->nr_places; i++) {
		if (file->places[i].key)
			larger.places[place_of(&larger, file->places[i].key)] = file->places[i];
	}
	free(file->places);
	*file = larger;
	return 0;
}

struct symbol *symbol_file_find(struct symbol_file *file, uint64_t offset, bool is_return)
{
	/* No object is so large that this shift would lose bits. */
	uint64_t key = (offset << 2 | (uint64_t)is_return << 1) + 1;
	static uint64_t questions;
	size_t place;

	file->used = ++questions;
	if (file->state == SYMBOL_FILE_UNSEEN)
		see(file);
	if (file->nr_used * 2 >= file->nr_places && grow(file) < 0)
		return NULL;
	place = place_of(file, key);
	if (!file->places[place].key) {
		file->places[place].key = key;
		file->nr_used++;
		resolve(file, offset, is_return, &file->places[place]);
	}
	return &file->places[place].symbol;
}

struct symbol_file *symbol_file_create(const struct symbol_object *object, const char *root)
{
	struct symbol_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->object = *object;
	file->object.path = strdup(object->path);
	file->root = root ? strdup(root) : NULL;
	file->search = (struct symbol_search){ file->root, file->object.path };
	if (file->object.path && (file->root || !root))
		return file;
	symbol_file_destroy(file);
	return NULL;
}

void symbol_file_close(struct symbol_file *file)
{
	if (file->state != SYMBOL_FILE_GOOD)
		return;
	forget_places(file);
	free(file->functions);
	file->functions = NULL;
	file->nr_functions = 0;
	forget_module(file);
	file->state = SYMBOL_FILE_UNSEEN;
}

uint64_t symbol_file_used(const struct symbol_file *file)
{
	return file->used;
}

void symbol_file_destroy(struct symbol_file *file)
{
	if (!file)
		return;
	symbol_file_close(file);
	forget_places(file);
	free((char *)file->object.path);
	free(file->root);
	free(file);
}

bool symbol_file_is(const struct symbol_file *file, const struct symbol_object *object)
{
	return file->object.memsz == object->memsz &&
	       file->object.build_id_size == object->build_id_size &&
	       memcmp(file->object.build_id, object->build_id, object->build_id_size) == 0 &&
	       strcmp(file->object.path, object->path) == 0;
}

enum symbol_file_state symbol_file_state(const struct symbol_file *file)
{
	return file->state;
}

const char *symbol_file_path(const struct symbol_file *file)
{
	return file->object.path;
}
