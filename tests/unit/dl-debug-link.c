/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * dl-debug-link.c - the debug link of an ELF file is found, and a file that makes
 * no sense, in whatever field, has none.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <elf.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/dl-debug-link.h"
#include "tests/utils/tap.h"

#define NAME "program.debug" /* 13 bytes and a NUL: two more to the checksum */

/* A file: header, three sections (none, the link, the names), and what is in them. */
static struct file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[3];
	char link[20];
	char names[32];
} file;

static void make(void)
{
	const uint32_t crc = 0x12345678;

	memset(&file, 0, sizeof(file));
	memcpy(file.header.e_ident, ELFMAG, SELFMAG);
	file.header.e_ident[EI_CLASS] = ELFCLASS64;
	file.header.e_shoff = offsetof(struct file, sections);
	file.header.e_shentsize = sizeof(Elf64_Shdr);
	file.header.e_shnum = 3;
	file.header.e_shstrndx = 2;
	file.sections[1].sh_name = 1;
	file.sections[1].sh_type = SHT_PROGBITS;
	file.sections[1].sh_offset = offsetof(struct file, link);
	file.sections[1].sh_size = sizeof(file.link);
	file.sections[2].sh_offset = offsetof(struct file, names);
	file.sections[2].sh_size = sizeof(file.names);
	strcpy(file.link, NAME);
	memcpy(file.link + 16, &crc, sizeof(crc));
	strcpy(file.names + 1, ".gnu_debuglink");
}

static bool found(size_t size, size_t room, char *name, uint32_t *crc)
{
	int fd = memfd_create("elf", 0);
	char path[40];
	bool result;

	if (fd < 0 || write(fd, &file, size) != (ssize_t)size)
		bail_out("cannot make a file: %m");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	result = dl_debug_link(path, name, room, crc);
	close(fd);
	return result;
}

/* As found, with one thing wrong that `what` tells. */
static void refused(const char *what)
{
	char name[64];
	uint32_t crc;

	ok(!found(sizeof(file), sizeof(name), name, &crc), "refused: %s", what);
	make();
}

#define BREAK(field, value)                                                                        \
	do {                                                                                       \
		file.field = (value);                                                              \
		refused(#field " is " #value);                                                     \
	} while (0)

int main(void)
{
	char name[64];
	uint32_t crc = 0;

	make();
	ok(found(sizeof(file), sizeof(name), name, &crc), "a debug link is found");
	is_string(name, NAME, "  ... its name");
	is(crc, 0x12345678, "  ... and its checksum");
	ok(found(sizeof(file), sizeof(NAME), name, &crc), "  ... into as much room as it takes");
	ok(!found(sizeof(file), sizeof(NAME) - 1, name, &crc), "  ... not into less");
	ok(!dl_debug_link("/nosuch", name, sizeof(name), &crc), "no file has none");
	ok(!dl_debug_link("/dev/null", name, sizeof(name), &crc), "an empty one neither");
	for (size_t size = 1; size < sizeof(file) - sizeof(file.names); size += 17)
		if (found(size, sizeof(name), name, &crc))
			ok(false, "a file cut at %zu bytes has one", size);

	BREAK(header.e_ident[0], 0);
	BREAK(header.e_ident[EI_CLASS], ELFCLASS32);
	BREAK(header.e_shentsize, 8);
	BREAK(header.e_shnum, 0);
	BREAK(header.e_shnum, 257);
	BREAK(header.e_shstrndx, 3);
	BREAK(header.e_shoff, UINT64_MAX);
	BREAK(header.e_shoff, INT64_MAX / 2);
	BREAK(sections[2].sh_offset, UINT64_MAX - 4);
	BREAK(sections[2].sh_offset, sizeof(file));
	BREAK(sections[1].sh_name, sizeof(file.names));
	BREAK(sections[1].sh_name, 2);
	BREAK(sections[1].sh_type, SHT_NOBITS);
	BREAK(sections[1].sh_size, 7);
	BREAK(sections[1].sh_size, 19);
	BREAK(sections[1].sh_size, 513);
	BREAK(sections[1].sh_offset, UINT64_MAX);
	BREAK(sections[1].sh_offset, sizeof(file));
	BREAK(link[0], 0);
	memset(file.link, 'x', sizeof(file.link));
	refused("a name without an end");
	ok(found(sizeof(file), sizeof(name), name, &crc), "what was broken is whole again");
	return done_testing();
}
