/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * note.h - what a program's or library's file says of the probes in it: its
 * section .note.stapsdt, which is not loaded with the rest.
 *
 * Read by plain system calls into memory of its own, without malloc; every
 * offset and size is checked against the file. Threads: one per file.
 */
#ifndef SDT_NOTE_H
#define SDT_NOTE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An object as it lies in memory: the loader's words for it, or its file's. */
struct sdt_image {
	uint64_t bias; /* from the file's addresses to those in memory */
	const ElfW(Phdr) * segments;
	unsigned nr_segments;
};

struct sdt_file {
	struct sdt_image image; /* as the file says; its segments are the file's */
	int fd;
	ElfW(Phdr) * segments;
	ElfW(Shdr) * sections;
	size_t nr_sections;
	char *notes, *symbols, *strings; /* NULL: not read */
	size_t notes_size, symbols_size, strings_size;
	uint32_t *index; /* of the symbols, by their names; NULL: not made */
	size_t index_size;
	uint64_t base; /* address of the section .stapsdt.base; 0: there is none */
	bool has_symbols;
	/* Expected content of memory where the file is loaded: its notes, such as its build id. */
	char *identity;
	size_t identity_size;
};

/* Addresses are the file's; 0 for no semaphore. The texts are the file's. */
struct sdt_note {
	uint64_t location, semaphore;
	const char *provider, *name, *arguments;
};

/*
 * Read the notes of the file at `path`, which is loaded at `bias` as so many segments: that
 * memory is not looked at. 0, or -errno: -ENODATA where there are none, -ESTALE if the file has
 * another number of segments, -EBADMSG for one that is not what it should be. Only after 0 it
 * is closed.
 */
int sdt_file_open(struct sdt_file *file, const char *path, uint64_t bias, unsigned nr_segments);
void sdt_file_close(struct sdt_file *file);

/*
 * Is `loaded`, which is in memory, what `file` and its `identity` say? Replaced by an upgrade,
 * it has another build id, or other segments at least. Under the loader's lock.
 */
bool sdt_image_is(const struct sdt_image *loaded, const struct sdt_image *file,
		  const char *identity, size_t identity_size);

/* The notes one after another, *offset being 0 at first. False: no more. */
bool sdt_file_next(struct sdt_file *file, size_t *offset, struct sdt_note *note);

/*
 * Where the symbol is, as an address in memory, and what is readable about it.
 * 0, or -errno: -ENOENT, -ENOTUNIQ where several have that name, -EFAULT.
 */
int sdt_file_find(struct sdt_file *file, const char *name, size_t length, uint64_t *address,
		  uint64_t *low, uint64_t *high);

/* The loaded segment with all of these bytes, and these rights; or NULL. */
const ElfW(Phdr) * sdt_image_segment(const struct sdt_image *image, uint64_t address, uint64_t size,
				     unsigned rights);

#endif /* SDT_NOTE_H */
