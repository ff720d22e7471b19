/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */

#include "cli/symbols/elf-symbol.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

/* Version table: the symbol's version is old, for programs linked long ago. */
#define VERSION_HIDDEN 0x8000

/* Symbols of one name in the order of preference. */
enum rank {
	RANK_NONE,
	RANK_OLD,    /* an old version */
	RANK_LOCAL,  /* visible only in its source file */
	RANK_GLOBAL, /* exported */
};

struct search {
	Elf *elf;
	const char *name;
	enum rank rank;
	GElf_Sym found;
	bool ambiguous; /* other symbols of that rank have other addresses */
	bool undefined; /* another file defines the symbol */
	bool has_table; /* the file has the linker's table; stripped files do not */
};

/* ---- opening ------------------------------------------------------------------------- */

static int open_elf(const char *path, int *fd, Elf **elf, struct elf_place *place,
		    struct problem *problem)
{
	struct stat status;
	GElf_Ehdr header;

	*elf = NULL;
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		return problem_set(problem, -errno, "see whether the path is right",
				   "cannot open %.200s: %s", path, strerror(errno));
	if (fstat(*fd, &status) == 0 && S_ISREG(status.st_mode) && elf_version(EV_CURRENT))
		*elf = elf_begin(*fd, ELF_C_READ, NULL);
	if (*elf && elf_kind(*elf) == ELF_K_ELF && gelf_getehdr(*elf, &header) &&
	    (header.e_type == ET_EXEC || header.e_type == ET_DYN)) {
		*place = (struct elf_place){ .device = status.st_dev, .inode = status.st_ino };
		return 0;
	}
	elf_end(*elf);
	close(*fd);
	return problem_set(problem, -ENOEXEC, "of a script, the program that runs it can be probed",
			   "%.200s is no program and no library (ELF)", path);
}

static void close_elf(int fd, Elf *elf)
{
	elf_end(elf);
	close(fd);
}

/* ---- tables of symbols ---------------------------------------------------------------- */

/* The version table of exported symbols, or NULL. */
static Elf_Data *find_versions(Elf *elf, size_t table)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_GNU_versym &&
		    header.sh_link == table)
			return elf_getdata(section, NULL);
	return NULL;
}

/*
 * In the linker's table, NAME@@VERSION is the current version, and NAME@VERSION an old one. For
 * exported symbols, `versions` tells.
 */
static enum rank rank_symbol(const struct search *search, const GElf_Sym *symbol, const char *name,
			     Elf_Data *versions, int index)
{
	size_t length = strlen(search->name);
	GElf_Versym version;

	if (strncmp(name, search->name, length) != 0)
		return RANK_NONE;
	if (name[length] == '@')
		return name[length + 1] == '@' ? RANK_GLOBAL : RANK_OLD;
	if (name[length] != '\0')
		return RANK_NONE;
	if (versions && gelf_getversym(versions, index, &version) && version & VERSION_HIDDEN)
		return RANK_OLD;
	return GELF_ST_BIND(symbol->st_info) == STB_LOCAL ? RANK_LOCAL : RANK_GLOBAL;
}

static void take_symbol(struct search *search, const GElf_Sym *symbol, enum rank rank)
{
	unsigned int type = GELF_ST_TYPE(symbol->st_info);

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return;
	if (symbol->st_shndx == SHN_UNDEF) {
		search->undefined = true;
		return;
	}
	if (rank > search->rank) {
		search->rank = rank;
		search->found = *symbol;
		search->ambiguous = false;
	} else if (rank == search->rank && symbol->st_value != search->found.st_value) {
		search->ambiguous = true;
	}
}

static void search_table(struct search *search, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *symbols = elf_getdata(section, NULL), *versions = NULL;
	GElf_Xword count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	if (header->sh_type == SHT_DYNSYM)
		versions = find_versions(search->elf, elf_ndxscn(section));
	else
		search->has_table = true;
	for (int i = 0; symbols && i < INT_MAX && (GElf_Xword)i < count; i++) {
		const char *name;
		enum rank rank;
		GElf_Sym symbol;

		if (!gelf_getsym(symbols, i, &symbol))
			break;
		name = elf_strptr(search->elf, header->sh_link, symbol.st_name);
		rank = name ? rank_symbol(search, &symbol, name, versions, i) : RANK_NONE;
		if (rank != RANK_NONE)
			take_symbol(search, &symbol, rank);
	}
}

static void search_all(struct search *search)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(search->elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			search_table(search, section, &header);
}

static int judge(const struct search *search, const char *path, uint64_t offset,
		 struct problem *problem)
{
	const char *name = search->name;

	if (search->rank == RANK_NONE && search->undefined)
		return problem_set(problem, -ENOENT, "give the path of the library that has it",
				   "%.200s calls %.100s, which is in another file", path, name);
	if (search->rank == RANK_NONE && !search->has_table)
		return problem_set(problem, -ENOENT,
				   "give one that is not stripped, or the place as "
				   "PATH:0xOFFSET, in bytes from the file's begin",
				   "%.200s is stripped, and %.100s is none of the functions "
				   "that it still names",
				   path, name);
	if (search->rank == RANK_NONE)
		return problem_set(problem, -ENOENT,
				   "nm(1) lists them; one of C++ is called as the linker calls it",
				   "%.200s has no function %.100s", path, name);
	if (search->ambiguous)
		return problem_set(problem, -ENOTUNIQ,
				   "give the place as PATH:0xOFFSET, in bytes from the file's "
				   "begin; nm(1) lists them",
				   "%.200s has several functions %.100s", path, name);
	if (GELF_ST_TYPE(search->found.st_info) == STT_GNU_IFUNC)
		return problem_set(problem, -EINVAL,
				   "probe one of its variants, where the file names them, or who "
				   "calls it",
				   "%.100s of %.200s has variants, of which each program chooses "
				   "one at its start",
				   name, path);
	if (search->found.st_size && offset >= search->found.st_size)
		return problem_set(problem, -ERANGE, "give an offset within it",
				   "%.100s of %.200s has %" PRIu64 " bytes", name, path,
				   search->found.st_size);
	return 0;
}

/* ---- segments ------------------------------------------------------------------------- */

/* The executable segment with that address, or with that file offset if `in_file`. */
static bool find_segment(Elf *elf, uint64_t at, bool in_file, GElf_Phdr *segment)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) != 0)
		return false;
	for (int i = 0; i < INT_MAX && (size_t)i < count && gelf_getphdr(elf, i, segment); i++) {
		uint64_t begin = in_file ? segment->p_offset : segment->p_vaddr;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && at >= begin &&
		    at - begin < segment->p_filesz)
			return true;
	}
	return false;
}

int elf_symbol_find(const char *path, const char *symbol, uint64_t offset, struct elf_place *place,
		    struct problem *problem)
{
	struct search search = { .name = symbol };
	GElf_Phdr segment;
	uint64_t address;
	int fd, error = open_elf(path, &fd, &search.elf, place, problem);

	if (error)
		return error;
	search_all(&search);
	error = judge(&search, path, offset, problem);
	address = search.found.st_value + offset;
	if (error == 0 && (address < offset || !find_segment(search.elf, address, false, &segment)))
		error = problem_set(problem, -ERANGE, "give a function, and an offset within it",
				    "there is no code at %.100s+0x%" PRIx64 " of %.200s", symbol,
				    offset, path);
	if (error == 0)
		place->offset = address - segment.p_vaddr + segment.p_offset;
	close_elf(fd, search.elf);
	return error;
}

int elf_symbol_check(const char *path, uint64_t file_offset, struct elf_place *place,
		     struct problem *problem)
{
	GElf_Phdr segment;
	Elf *elf;
	int fd, error = open_elf(path, &fd, &elf, place, problem);

	if (error)
		return error;
	if (!find_segment(elf, file_offset, true, &segment))
		error = problem_set(problem, -ERANGE,
				    "an offset is in bytes from the file's begin: "
				    "`readelf --segments` shows what is executable",
				    "there is no code at 0x%" PRIx64 " of %.200s", file_offset,
				    path);
	place->offset = file_offset;
	close_elf(fd, elf);
	return error;
}
