/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/symbols/symbol-open.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <zlib.h>

#include "cli/symbols/symbol-file.h"

/* A larger file is not read for its checksum: it may be one large hole. */
#define SUMMED_MOST (INT64_C(1) << 30)

int symbol_open_regular(const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1;
	struct stat status;
	char name[64];

	if (place >= 0 && fstat(place, &status) == 0 && S_ISREG(status.st_mode)) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
		fd = open(name, O_RDONLY | O_CLOEXEC);
	}
	if (place >= 0)
		close(place);
	return fd;
}

/* Identifies a module's debugging information: its build ID, or else a checksum. */
struct mark {
	const unsigned char *id;
	int size; /* of the ID; 0: none */
	uint32_t crc;
};

static bool has_mark(int fd, const struct mark *mark)
{
	unsigned char data[65536];
	uLong crc = crc32(0, NULL, 0);
	const void *id;
	struct stat status;
	ssize_t length;
	bool is_same;
	Elf *elf;

	if (mark->size > 0) {
		elf = elf_begin(fd, ELF_C_READ, NULL);
		is_same = elf && dwelf_elf_gnu_build_id(elf, &id) == mark->size &&
			  memcmp(id, mark->id, mark->size) == 0;
		elf_end(elf);
		return is_same;
	}
	if (fstat(fd, &status) != 0 || status.st_size > SUMMED_MOST)
		return false;
	for (off_t at = 0; (length = pread(fd, data, sizeof(data), at)) > 0; at += length)
		crc = crc32(crc, data, (uInt)length);
	return length == 0 && crc == mark->crc;
}

/* Opens NAME in BELOW in the first `length` bytes of DIRECTORY if the file has the mark. */
static int open_marked(const struct mark *mark, const char *directory, int length,
		       const char *below, const char *name, char **found)
{
	char path[PATH_MAX];
	int fd = -1;

	if (snprintf(path, sizeof(path), "%.*s%s/%s", length, directory, below, name) < PATH_MAX)
		fd = symbol_open_regular(path);
	if (fd >= 0 && has_mark(fd, mark)) {
		*found = strdup(path);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

bool symbol_open_by_id(const char *root, const uint8_t *id, size_t size, char path[PATH_MAX])
{
	int used = snprintf(path, PATH_MAX, "%s/usr/lib/debug/.build-id/%02x/", root ? root : "",
			    size ? id[0] : 0);

	if (size < 2 || size > SYMBOL_BUILD_ID_MAX || used + 2 * size + sizeof(".debug") > PATH_MAX)
		return false;
	for (size_t i = 1; i < size; i++)
		used += snprintf(path + used, PATH_MAX - used, "%02x", id[i]);
	memcpy(path + used, ".debug", sizeof(".debug"));
	return true;
}

int symbol_open_debuginfo(Dwfl_Module *module, void **data, const char *module_name,
			  Dwarf_Addr base, const char *path, const char *link, GElf_Word crc,
			  char **found)
{
	const struct symbol_search *search = *data;
	const char *inside = search ? search->path : "", *slash = path ? strrchr(path, '/') : NULL;
	struct mark mark = { .crc = crc };
	char below[PATH_MAX];
	GElf_Addr address;
	int length, fd = -1;

	(void)module_name;
	(void)base;
	/* A link without a checksum leads to information that several files share. */
	if (!search || !slash || (link && crc == 0))
		return -1;
	length = (int)(slash - path);
	mark.size = dwfl_module_build_id(module, &mark.id, &address);
	if (mark.size > 0 && symbol_open_by_id(search->root, mark.id, mark.size, below))
		fd = open_marked(&mark, below, (int)(strrchr(below, '/') - below), "",
				 strrchr(below, '/') + 1, found);
	if (!link || strchr(link, '/') || fd >= 0)
		return fd;
	fd = open_marked(&mark, path, length, "", link, found);
	if (fd < 0)
		fd = open_marked(&mark, path, length, "/.debug", link, found);
	if (fd < 0 && strrchr(inside, '/') &&
	    snprintf(below, sizeof(below), "%s/usr/lib/debug%.*s", search->root ? search->root : "",
		     (int)(strrchr(inside, '/') - inside), inside) < PATH_MAX)
		fd = open_marked(&mark, below, (int)strlen(below), "", link, found);
	return fd;
}
