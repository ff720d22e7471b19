/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-read.c - the probes of a file: as classes and sites; what of it is refused, and why;
 * and files that are wrong in each way that is looked for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sdt/object.h"
#include "tests/utils/sdt-elf.h"
#include "tests/utils/tap.h"

#define CODE SDT_ELF_AT(code)
#define DATA SDT_ELF_AT(data)

static struct sdt_elf elf;

/* As what is at `bytes` is read, being loaded there. */
static struct sdt_object *read_bytes(const void *bytes, size_t size, unsigned nr_segments)
{
	const struct sdt_image image = { (uint64_t)bytes, (const void *)1, nr_segments };
	int fd = memfd_create("file", MFD_CLOEXEC);
	struct sdt_object *object;
	char path[64];

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	object = sdt_object_create(path, "the file", &image);
	close(fd);
	return object;
}

static void forget(struct sdt_object *object)
{
	munmap(object->memory, object->size);
}

/* What it says of the only thing that is refused; "" for nothing, "more" for more. */
static const char *why(const struct sdt_object *object)
{
	if (!object->refused)
		return "";
	return object->refused->next ? "more" : object->refused->why;
}

/* ---- what can be read ---------------------------------------------------------------- */

static void test_plain(void)
{
	struct sdt_object *object;

	sdt_elf_fill(&elf);
	SDT_ELF_ADD(&elf, CODE, 0, "p\0one\0-4@%eax 8@$1");
	SDT_ELF_ADD(&elf, CODE + 10, DATA, "p\0one\0002@%ax -1@%bl");
	SDT_ELF_ADD(&elf, CODE + 20, 0, "p\0one\0");
	SDT_ELF_ADD(&elf, CODE + 30, 0, "p\0two\0008f@%rax 8@once(%rip)");
	SDT_ELF_ADD(&elf, CODE + 40, 0, "p\0two\0004f@%rax 8@once(%rip)");
	object = read_bytes(&elf, sizeof(elf), SDT_ELF_SEGMENTS);
	is_string(why(object), "", "nothing is refused");
	is(object->nr_sites, 5, "each probe is a site");
	is(object->nr_classes, 4, "those of a name and shape are one class");
	is(object->sites[0].tracepoint == object->sites[1].tracepoint, 1, "as these two are");
	is(object->classes[0].fields[0].size, 4, "with the larger field of each");
	is(object->classes[0].fields[1].flags, LTTNGMAP_FIELD_SIGNED, "signed if one is");
	is(object->sites[1].operands[1].field_size, 8, "and each site knows its field's size");
	is(object->sites[1].semaphore == (uint16_t *)elf.data, 1, "a semaphore is in memory");
	is(object->sites[3].address - (uint64_t)elf.code, 30, "and so is the probe");
	is(object->sites[3].file_offset, CODE + 30, "whose place in the file is told");
	is(object->sites[3].operands[1].value, (int64_t)(elf.data + 1), "a symbol's is found");
	is(object->classes[2].fields[0].kind, LTTNGMAP_FIELD_FLOAT, "a floating number is one");
	is(object->classes[2].fields[1].base, 16, "and eight bytes without a sign an address");
	forget(object);
}

static void test_moved(void)
{
	struct sdt_object *object;

	sdt_elf_fill(&elf);
	SDT_ELF_ADD(&elf, CODE - 64, 0, "p\0one\0");
	/* prelink(8) moved it all by as much as the base is elsewhere. */
	elf.sections[SDT_ELF_BASE].sh_addr += 64;
	object = read_bytes(&elf, sizeof(elf), SDT_ELF_SEGMENTS);
	is(object->nr_sites == 1 && object->sites[0].address == (uint64_t)elf.code, 1,
	   "a file that was moved after it was linked");
	forget(object);
}

/* ---- what is refused ------------------------------------------------------------------ */

static const struct refusal {
	const char *name, *why;
	uint64_t location, semaphore;
	const char *arguments;
} refusals[] = {
	{ "beyond the code", "it is not in the file's code", CODE + 60, 0, "" },
	{ "in no code", "it is not in the file's code", DATA, 0, "" },
	{ "far away", "it is not in the file's code", UINT64_MAX - 2, 0, "" },
	{ "semaphore in code", "its semaphore is not in the file's data", CODE, CODE, "" },
	{ "odd semaphore", "its semaphore is not in the file's data", CODE, DATA + 1, "" },
	{ "semaphore beyond", "its semaphore is not in the file's data", CODE, DATA + 64, "" },
	{ "no such symbol", "is at a symbol that the file no longer names", CODE, 0,
	  "8@none(%rip)" },
	{ "part of a name", "is at a symbol that the file no longer names", CODE, 0,
	  "8@tab(%rip)" },
	{ "symbol beyond", "is in memory that cannot be read safely", CODE, 0, "8@beyond(%rip)" },
	{ "no text", "is not understood", CODE, 0, "8@" },
};

static void test_refused(void)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *row = &refusals[i];
		struct sdt_object *object;
		char texts[128] = "p\0one\0";

		strcpy(texts + 6, row->arguments);
		sdt_elf_fill(&elf);
		sdt_elf_add(&elf, row->location, row->semaphore, texts, 7 + strlen(row->arguments));
		SDT_ELF_ADD(&elf, CODE + 20, 0, "p\0other\0");
		object = read_bytes(&elf, sizeof(elf), SDT_ELF_SEGMENTS);
		is_string(why(object), row->why, row->name);
		is(object->nr_sites, 1, "  ... and the other one is served");
		forget(object);
	}
}

static void refuse_relro(void)
{
	elf.segments[SDT_ELF_RELRO] = (Elf64_Phdr){
		.p_type = PT_GNU_RELRO,
		.p_vaddr = DATA,
		.p_memsz = 8192,
	};
}

static void name_twice(void)
{
	elf.symbols[1].st_name = 7;
}

static void name_the_same_twice(void)
{
	name_twice();
	elf.symbols[1].st_value = elf.symbols[2].st_value;
}

static void test_changed(void)
{
	static const struct {
		const char *name, *why;
		void (*change)(void);
		const char *arguments;
	} rows[] = {
		{ "a semaphore that is read-only later", "its semaphore is not in the file's data",
		  refuse_relro, "p\0one\0" },
		{ "a symbol that is there twice", "is at a symbol that the file has several of",
		  name_twice, "p\0one\0008@once(%rip)" },
		{ "and twice the same", "", name_the_same_twice, "p\0one\0008@once(%rip)" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sdt_object *object;

		sdt_elf_fill(&elf);
		sdt_elf_add(&elf, CODE, DATA, rows[i].arguments, 7 + strlen(rows[i].arguments + 6));
		rows[i].change();
		object = read_bytes(&elf, sizeof(elf), SDT_ELF_SEGMENTS);
		is_string(why(object), rows[i].why, rows[i].name);
		forget(object);
	}
}

static void test_same_place(void)
{
	struct sdt_object *object;

	sdt_elf_fill(&elf);
	for (int i = 0; i < 5; i++)
		SDT_ELF_ADD(&elf, CODE, 0, "p\0one\0");
	object = read_bytes(&elf, sizeof(elf), SDT_ELF_SEGMENTS);
	is(object->nr_sites, 4, "of probes at one place four are kept");
	is_string(why(object), "there are too many others at its place",
		  "and the fifth is refused");
	forget(object);
}

static void test_names(void)
{
	struct sdt_object *object;
	char texts[512] = "p";

	memset(texts + 2, 'x', 300);
	sdt_elf_fill(&elf);
	sdt_elf_add(&elf, CODE, 0, texts, 304);
	SDT_ELF_ADD(&elf, CODE, 0, "p q\0one\0");
	SDT_ELF_ADD(&elf, CODE, 0, "p\0\0");
	object = read_bytes(&elf, sizeof(elf), SDT_ELF_SEGMENTS);
	is(object->nr_sites == 0 && !object->refused, 1, "what nobody can ask for is left out");
	forget(object);
}

/* ---- notes that are wrong ---------------------------------------------------------------- */

static void set_head(Elf64_Word name_size, Elf64_Word size, Elf64_Word type)
{
	const Elf64_Nhdr head = { name_size, size, type };

	memcpy(elf.notes, &head, sizeof(head));
}

static void test_notes(void)
{
	/* Of 48 bytes: 12, 8, and 28 + 0. */
	static const struct {
		const char *name;
		Elf64_Word name_size, size, type;
		unsigned sites;
	} rows[] = {
		{ "as it should be", 8, 31, 3, 2 },
		{ "of another type", 8, 31, 4, 1 },
		{ "of another owner", 7, 31, 3, 1 },
		{ "too short for its addresses", 8, 23, 3, 0 },
		{ "whose last text has no end", 8, 30, 3, 1 },
		{ "with a size beyond all", 8, 0xffffffff, 3, 0 },
		{ "with a name beyond all", 0xffffffff, 31, 3, 0 },
		{ "with both", 0xfffffffe, 0xfffffffe, 3, 0 },
		{ "a little longer than what is left", 8, 1000, 3, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sdt_object *object;

		sdt_elf_fill(&elf);
		SDT_ELF_ADD(&elf, CODE, 0, "p\0one\0");
		SDT_ELF_ADD(&elf, CODE + 10, 0, "p\0two\0");
		set_head(rows[i].name_size, rows[i].size, rows[i].type);
		object = read_bytes(&elf, sizeof(elf), SDT_ELF_SEGMENTS);
		is(object->nr_sites, rows[i].sites, rows[i].name);
		forget(object);
	}
}

/* ---- files that are wrong ---------------------------------------------------------------- */

#define BROKEN(name, change)                                                                       \
	static void name(void)                                                                     \
	{                                                                                          \
		change;                                                                            \
	}

BROKEN(break_nothing, (void)0)
BROKEN(break_magic, elf.header.e_ident[0] = 0)
BROKEN(break_class, elf.header.e_ident[EI_CLASS] = ELFCLASS32)
BROKEN(break_section_size, elf.header.e_shentsize--)
BROKEN(break_section_names, elf.header.e_shstrndx = SDT_ELF_SECTIONS)
BROKEN(break_sections, elf.header.e_shoff = UINT64_MAX - 100)
BROKEN(break_many_sections, elf.header.e_shnum = 1025)
BROKEN(break_no_sections, elf.header.e_shnum = 0)
BROKEN(break_names, elf.sections[SDT_ELF_NAMES].sh_offset = sizeof(elf))
BROKEN(break_names_size, elf.sections[SDT_ELF_NAMES].sh_size = UINT64_MAX)
BROKEN(break_name, elf.sections[SDT_ELF_NOTES].sh_name = 0xffffffff)
BROKEN(break_notes, elf.sections[SDT_ELF_NOTES].sh_offset = sizeof(elf) - 10)
BROKEN(break_notes_size, elf.sections[SDT_ELF_NOTES].sh_size = (16 << 20) + 1)
BROKEN(break_notes_type, elf.sections[SDT_ELF_NOTES].sh_type = SHT_NOBITS)
BROKEN(break_segment_size, elf.header.e_phentsize++)
BROKEN(break_segments, elf.header.e_phnum--)
BROKEN(break_segments_offset, elf.header.e_phoff = UINT64_MAX)
BROKEN(break_id, elf.segments[SDT_ELF_ID].p_offset = sizeof(elf))
BROKEN(break_symbols, elf.sections[SDT_ELF_SYMBOLS].sh_offset = sizeof(elf))
BROKEN(break_symbols_size, elf.sections[SDT_ELF_SYMBOLS].sh_size = (64 << 20) + 1)
BROKEN(break_few_symbols, elf.sections[SDT_ELF_SYMBOLS].sh_size = 23)
BROKEN(break_link, elf.sections[SDT_ELF_SYMBOLS].sh_link = SDT_ELF_SECTIONS)
BROKEN(break_strings, elf.sections[SDT_ELF_STRINGS].sh_offset = UINT64_MAX)
BROKEN(break_strings_end, elf.sections[SDT_ELF_STRINGS].sh_size = 9)
BROKEN(break_symbol_name, elf.symbols[2].st_name = 0xffffffff)
BROKEN(break_symbol_type, elf.symbols[2].st_info = STT_FUNC)
BROKEN(break_symbol_section, elf.symbols[2].st_shndx = SHN_UNDEF)

#define WRONG "the file cannot be read"
#define UNNAMED "is at a symbol that the file no longer names"

static void test_broken(void)
{
	static const struct {
		const char *name;
		void (*change)(void);
		const char *why;
	} rows[] = {
		{ "nothing is wrong", break_nothing, "" },
		{ "no ELF", break_magic, WRONG },
		{ "32 bits", break_class, WRONG },
		{ "sections of another size", break_section_size, WRONG },
		{ "no section of names", break_section_names, WRONG },
		{ "sections beyond the file", break_sections, WRONG },
		{ "too many sections", break_many_sections, WRONG },
		{ "no sections", break_no_sections, "" },
		{ "names beyond the file", break_names, WRONG },
		{ "too many names", break_names_size, WRONG },
		{ "a name beyond the names", break_name, "" },
		{ "notes beyond the file", break_notes, WRONG },
		{ "too many notes", break_notes_size, WRONG },
		{ "notes that are not there", break_notes_type, "" },
		{ "segments of another size", break_segment_size, WRONG },
		{ "one segment less", break_segments, SDT_FILE_IS_ANOTHER },
		{ "segments beyond the file", break_segments_offset, WRONG },
		{ "a build id beyond the file", break_id, WRONG },
		{ "symbols beyond the file", break_symbols, UNNAMED },
		{ "too many symbols", break_symbols_size, UNNAMED },
		{ "not one symbol", break_few_symbols, UNNAMED },
		{ "symbols without names", break_link, UNNAMED },
		{ "names beyond the file, of symbols", break_strings, UNNAMED },
		{ "a symbol's name without end", break_strings_end, UNNAMED },
		{ "a symbol's name beyond the names", break_symbol_name, UNNAMED },
		{ "a symbol of code", break_symbol_type, UNNAMED },
		{ "a symbol of another file", break_symbol_section, UNNAMED },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sdt_object *object;

		sdt_elf_fill(&elf);
		SDT_ELF_ADD(&elf, CODE, 0, "p\0one\0008@once(%rip)");
		rows[i].change();
		object = read_bytes(&elf, sizeof(elf), SDT_ELF_SEGMENTS);
		is_string(why(object), rows[i].why, rows[i].name);
		is(object->nr_sites, rows[i].change == break_nothing,
		   "  ... it has no probes then");
		forget(object);
	}
}

/* ---- is it what is loaded? ---------------------------------------------------------------- */

static void test_identity(void)
{
	struct sdt_image loaded = { (uint64_t)&elf, elf.segments, SDT_ELF_SEGMENTS };
	struct sdt_object *object;

	sdt_elf_fill(&elf);
	SDT_ELF_ADD(&elf, CODE, 0, "p\0one\0");
	object = read_bytes(&elf, sizeof(elf), SDT_ELF_SEGMENTS);
#define IS_LOADED sdt_image_is(&loaded, &object->file, object->identity, object->identity_size)
	is(IS_LOADED, 1, "it is what is loaded");
	elf.id.id[19]++;
	is(IS_LOADED, 0, "not with another build id");
	elf.id.id[19]--;
	elf.segments[SDT_ELF_DATA].p_memsz++;
	is(IS_LOADED, 0, "nor other segments");
	elf.segments[SDT_ELF_DATA].p_memsz--;
	loaded.nr_segments--;
	is(IS_LOADED, 0, "nor fewer");
	loaded.nr_segments++;
	loaded.bias++;
	is(IS_LOADED, 0, "nor elsewhere");
	loaded.bias--;
	is(IS_LOADED, 1, "it is still");
	forget(object);
}

/* ---- much of everything --------------------------------------------------------------------- */

struct large {
	struct sdt_elf *elf;
	size_t size;
	unsigned nr_probes;
	uint64_t code; /* its address */
};

/* So many probes, of different names, each with a symbol; and so many symbols, of one name. */
static struct large make_large(unsigned nr_probes, unsigned nr_symbols)
{
	const size_t code_size = nr_probes * 16, notes_size = nr_probes * 96;
	struct large large = { .nr_probes = nr_probes, .code = sizeof(elf) };
	Elf64_Phdr *code;
	Elf64_Shdr *symbols;

	large.size = sizeof(elf) + code_size + notes_size + nr_symbols * sizeof(Elf64_Sym);
	large.elf =
		mmap(NULL, large.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sdt_elf_fill(large.elf);
	code = &large.elf->segments[SDT_ELF_CODE];
	code->p_offset = code->p_vaddr = sizeof(elf);
	code->p_memsz = code->p_filesz = code_size;
	large.elf->sections[SDT_ELF_NOTES].sh_offset = sizeof(elf) + code_size;
	for (unsigned i = 0; i < nr_probes; i++) {
		char texts[64];
		int length = snprintf(texts, sizeof(texts), "p%cn%u%c8@once(%%rip)", 0, i, 0);

		sdt_elf_add(large.elf, large.code + i * 16, 0, texts, (size_t)length + 1);
	}
	symbols = &large.elf->sections[SDT_ELF_SYMBOLS];
	if (nr_symbols > 0) {
		symbols->sh_offset = sizeof(elf) + code_size + notes_size;
		symbols->sh_size = nr_symbols * sizeof(Elf64_Sym);
	}
	for (unsigned i = 0; i < nr_symbols; i++)
		memcpy((char *)large.elf + symbols->sh_offset + i * sizeof(Elf64_Sym),
		       &large.elf->symbols[2], sizeof(Elf64_Sym));
	return large;
}

static struct sdt_object *read_large(const struct large *large)
{
	struct timespec begin, end;
	struct sdt_object *object;
	double ms;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	object = read_bytes(large->elf, large->size, SDT_ELF_SEGMENTS);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	ms = (double)(end.tv_sec - begin.tv_sec) * 1e3 +
	     (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
	/* Some 10 ms; by the square it would be 10 s. */
	ok(ms < 2000, "%u probes are read in a moment", large->nr_probes);
	diag("%.1f ms", ms);
	return object;
}

static void test_many(void)
{
	struct large large = make_large(9000, 0);
	struct sdt_object *object = read_large(&large);

	is(object->nr_sites, 8192, "as many probes as can be");
	is(object->nr_classes, 8192, "each with a name of its own");
	is_string(why(object), "it has more than 8192 probes: the others are left out",
		  "and that there are more is said");
	forget(object);
	munmap(large.elf, large.size);
}

static void test_many_symbols(void)
{
	struct large large = make_large(8192, 200000);
	struct sdt_object *object = read_large(&large);

	is(object->nr_sites, 8192, "many symbols of one name, which is found each time");
	forget(object);
	munmap(large.elf, large.size);
}

/* Sites that are all looked for in the same list, which none can be by chance. */
static void test_long_list(void)
{
	struct large large = make_large(8192, 0);
	struct sdt_object *object = read_bytes(large.elf, large.size, SDT_ELF_SEGMENTS);
	uint64_t code = (uint64_t)large.elf + large.code, count = 0;
	const uint16_t *place = sdt_object_place(object, code);

	large.elf->sections[SDT_ELF_NOTES].sh_size = 0;
	large.elf->segments[SDT_ELF_CODE].p_memsz = UINT64_C(1) << 32;
	for (uint64_t i = 0; count < 8192 && i < UINT64_C(1) << 31; i += 8) {
		char texts[] = "p\0n\0";

		if (sdt_object_place(object, code + i) != place)
			continue;
		sdt_elf_add(large.elf, large.code + i, 0, texts, sizeof(texts));
		count++;
	}
	forget(object);
	object = read_bytes(large.elf, large.size, SDT_ELF_SEGMENTS);
	is(object->nr_sites, 64, "of sites that are looked for in one list some are kept");
	is(object->refused && object->refused->next, 1, "and the others refused");
	forget(object);
	munmap(large.elf, large.size);
}

/* As the index of symbols has it. */
static uint32_t hash(const char *name)
{
	uint32_t value = 2166136261u;

	while (*name)
		value = (value ^ (uint8_t)*name++) * 16777619u;
	return value;
}

/* Symbols of other names in front of it, all looked for in the same list. */
static void test_long_list_of_symbols(void)
{
	struct {
		struct sdt_elf elf;
		Elf64_Sym symbols[32];
		char strings[32 * 8];
	} file;
	unsigned number = 0;

	for (unsigned others = 15; others <= 16; others++) {
		struct sdt_object *object;

		memset(&file, 0, sizeof(file));
		sdt_elf_fill(&file.elf);
		SDT_ELF_ADD(&file.elf, CODE, 0, "p\0one\0008@once(%rip)");
		for (unsigned i = 0; i < 32; i++) {
			file.symbols[i] = file.elf.symbols[2];
			file.symbols[i].st_name = i * 8;
			file.symbols[i].st_shndx = i <= others ? 1 : SHN_UNDEF;
			if (i == others)
				strcpy(file.strings + i * 8, "once");
			do
				if (i < others)
					snprintf(file.strings + i * 8, 8, "%u", number++);
			while (i < others && hash(file.strings + i * 8) % 32 != hash("once") % 32);
		}
		file.elf.sections[SDT_ELF_SYMBOLS].sh_offset =
			(uint64_t)file.symbols - (uint64_t)&file;
		file.elf.sections[SDT_ELF_SYMBOLS].sh_size = sizeof(file.symbols);
		file.elf.sections[SDT_ELF_STRINGS].sh_offset =
			(uint64_t)file.strings - (uint64_t)&file;
		file.elf.sections[SDT_ELF_STRINGS].sh_size = sizeof(file.strings);
		object = read_bytes(&file, sizeof(file), SDT_ELF_SEGMENTS);
		is(object->nr_sites, others < 16,
		   others < 16 ? "the sixteenth symbol of a list is found"
			       : "and the seventeenth is not there");
		forget(object);
	}
}

int main(void)
{
	test_plain();
	test_moved();
	test_refused();
	test_changed();
	test_same_place();
	test_names();
	test_notes();
	test_broken();
	test_identity();
	test_many();
	test_many_symbols();
	test_long_list();
	test_long_list_of_symbols();
	return done_testing();
}
