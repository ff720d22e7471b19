/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "preload/dl-debug-link.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECTION ".gnu_debuglink"
/* Files have some tens of sections; what has more is not looked through. */
#define SECTIONS_MAX 256u

/* All of it or nothing. Plain system calls, for the functions may be traced. */
static bool read_at(int fd, uint64_t offset, void *to, size_t size)
{
	return offset <= INT64_MAX &&
	       syscall(SYS_pread64, fd, to, size, (off_t)offset) == (long)size;
}

/* A name and its NUL, filled up to a multiple of four, then the checksum. */
static bool read_link(int fd, const Elf64_Shdr *section, char *name, size_t size, uint32_t *crc)
{
	char content[512];
	size_t length;

	if (section->sh_type == SHT_NOBITS || section->sh_size > sizeof(content) ||
	    section->sh_size < 8 || !read_at(fd, section->sh_offset, content, section->sh_size))
		return false;
	length = strnlen(content, section->sh_size);
	if (length == 0 || length >= size || (length + 4) / 4 * 4 + 4 > section->sh_size)
		return false;
	memcpy(name, content, length + 1);
	memcpy(crc, content + (length + 4) / 4 * 4, sizeof(*crc));
	return true;
}

static bool find_link(int fd, char *name, size_t size, uint32_t *crc)
{
	Elf64_Shdr section, names;
	Elf64_Ehdr header;
	char section_name[sizeof(SECTION)];

	if (!read_at(fd, 0, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(section) ||
	    header.e_shnum > SECTIONS_MAX || header.e_shstrndx >= header.e_shnum ||
	    header.e_shoff > INT64_MAX / 2 ||
	    !read_at(fd, header.e_shoff + header.e_shstrndx * sizeof(section), &names,
		     sizeof(names)) ||
	    names.sh_offset > INT64_MAX / 2)
		return false;
	for (unsigned i = 0; i < header.e_shnum; i++) {
		if (!read_at(fd, header.e_shoff + i * sizeof(section), &section, sizeof(section)))
			return false;
		if (section.sh_name < names.sh_size &&
		    read_at(fd, names.sh_offset + section.sh_name, section_name,
			    sizeof(section_name)) &&
		    memcmp(section_name, SECTION, sizeof(SECTION)) == 0)
			return read_link(fd, &section, name, size, crc);
	}
	return false;
}

bool dl_debug_link(const char *path, char *name, size_t size, uint32_t *crc)
{
	long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool found;

	if (fd < 0)
		return false;
	found = find_link((int)fd, name, size, crc);
	syscall(SYS_close, fd);
	return found;
}
