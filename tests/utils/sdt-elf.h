/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-elf.h - a file with SDT probes as small as it can be, which is at the same time what
 * is loaded of it: its addresses are its offsets.
 */
#ifndef TESTS_SDT_ELF_H
#define TESTS_SDT_ELF_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SDT_ELF_READ, SDT_ELF_CODE, SDT_ELF_DATA, SDT_ELF_ID, SDT_ELF_RELRO, SDT_ELF_SEGMENTS };
enum {
	SDT_ELF_NONE,
	SDT_ELF_NAMES,
	SDT_ELF_NOTES,
	SDT_ELF_BASE,
	SDT_ELF_SYMBOLS,
	SDT_ELF_STRINGS,
	SDT_ELF_SECTIONS
};

struct sdt_elf {
	Elf64_Ehdr header;
	Elf64_Phdr segments[SDT_ELF_SEGMENTS];
	Elf64_Shdr sections[SDT_ELF_SECTIONS];
	struct {
		Elf64_Nhdr head;
		char text[4], id[20];
	} id;
	char names[64], strings[64];
	Elf64_Sym symbols[4];
	uint64_t base;
	char code[64];
	uint64_t data[8];
	char notes[1024];
};

#define SDT_ELF_AT(field) offsetof(struct sdt_elf, field)

/* A note, behind the others, where the section of notes is. */
static inline void sdt_elf_add(struct sdt_elf *elf, uint64_t location, uint64_t semaphore,
			       const char *texts, size_t texts_size)
{
	const uint64_t addresses[3] = { location, SDT_ELF_AT(base), semaphore };
	Elf64_Nhdr head = { 8, (Elf64_Word)(sizeof(addresses) + texts_size), 3 };
	Elf64_Shdr *section = &elf->sections[SDT_ELF_NOTES];
	char *at = (char *)elf + section->sh_offset + section->sh_size;

	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), "stapsdt", 8);
	memcpy(at + sizeof(head) + 8, addresses, sizeof(addresses));
	memcpy(at + sizeof(head) + 8 + sizeof(addresses), texts, texts_size);
	section->sh_size += (sizeof(head) + 8 + head.n_descsz + 3) & ~UINT64_C(3);
}

#define SDT_ELF_ADD(elf, location, semaphore, texts)                                               \
	sdt_elf_add(elf, location, semaphore, texts, sizeof(texts))

static inline void sdt_elf_fill(struct sdt_elf *elf)
{
	static const char names[] = "\0.note.stapsdt\0.stapsdt.base";
	static const char strings[] = "\0table\0once\0beyond";
#define SDT_ELF_PART(field)                                                                        \
	.p_offset = SDT_ELF_AT(field), .p_vaddr = SDT_ELF_AT(field),                               \
	.p_filesz = sizeof(elf->field), .p_memsz = sizeof(elf->field)
#define SDT_ELF_SECTION(field)                                                                     \
	.sh_offset = SDT_ELF_AT(field), .sh_addr = SDT_ELF_AT(field), .sh_size = sizeof(elf->field)

	*elf = (struct sdt_elf){
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
			.e_phoff = SDT_ELF_AT(segments),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = SDT_ELF_SEGMENTS,
			.e_shoff = SDT_ELF_AT(sections),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = SDT_ELF_SECTIONS,
			.e_shstrndx = SDT_ELF_NAMES,
		},
		.segments = {
			[SDT_ELF_READ] = { .p_type = PT_LOAD, .p_flags = PF_R,
					   .p_memsz = SDT_ELF_AT(code), .p_filesz = SDT_ELF_AT(code) },
			[SDT_ELF_CODE] = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
					   SDT_ELF_PART(code) },
			[SDT_ELF_DATA] = { .p_type = PT_LOAD, .p_flags = PF_R | PF_W,
					   SDT_ELF_PART(data) },
			[SDT_ELF_ID] = { .p_type = PT_NOTE, .p_flags = PF_R, SDT_ELF_PART(id) },
		},
		.sections = {
			[SDT_ELF_NAMES] = { .sh_type = SHT_STRTAB, SDT_ELF_SECTION(names) },
			[SDT_ELF_NOTES] = { .sh_name = 1, .sh_type = SHT_NOTE,
					    .sh_offset = SDT_ELF_AT(notes) },
			[SDT_ELF_BASE] = { .sh_name = 15, .sh_type = SHT_PROGBITS,
					   SDT_ELF_SECTION(base) },
			[SDT_ELF_SYMBOLS] = { .sh_type = SHT_SYMTAB, .sh_link = SDT_ELF_STRINGS,
					      SDT_ELF_SECTION(symbols) },
			[SDT_ELF_STRINGS] = { .sh_type = SHT_STRTAB, SDT_ELF_SECTION(strings) },
		},
		.id = { { 4, 20, NT_GNU_BUILD_ID }, "GNU", "one build, a number" },
		.symbols = {
			{ .st_name = 0 },
			{ .st_name = 1, .st_info = STT_OBJECT, .st_shndx = 1,
			  .st_value = SDT_ELF_AT(data) },
			{ .st_name = 7, .st_info = STT_OBJECT, .st_shndx = 1,
			  .st_value = SDT_ELF_AT(data) + 8 },
			{ .st_name = 12, .st_info = STT_OBJECT, .st_shndx = 1,
			  .st_value = UINT64_C(1) << 40 },
		},
	};
	memcpy(elf->names, names, sizeof(names));
	memcpy(elf->strings, strings, sizeof(strings));
#undef SDT_ELF_PART
#undef SDT_ELF_SECTION
}

#endif /* TESTS_SDT_ELF_H */
