/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * note.h - what a program's or library's file says of the probes in it: its
 * section .note.stapsdt, which is not loaded with the rest.
 *
 * Read by plain system calls into memory of its own, without malloc; every
 * offset and size is checked against the file. Threads: one per file.
 */
#ifndef LTTNGMAP_SDT_NOTE_H
#define LTTNGMAP_SDT_NOTE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An object as it lies in memory; the loader's words for it. */
struct sdt_image {
	uint64_t bias; /* from the file's addresses to those in memory */
	const ElfW(Phdr) * segments;
	unsigned nr_segments;
};

struct sdt_file {
	const struct sdt_image *image;
	int fd;
	ElfW(Shdr) * sections;
	size_t nr_sections;
	char *notes, *symbols, *strings; /* NULL: not read */
	size_t notes_size, symbols_size, strings_size;
	uint64_t base; /* address of the section .stapsdt.base; 0: there is none */
	bool has_symbols;
};

/* Addresses are the file's; 0 for no semaphore. The texts are the file's. */
struct sdt_note {
	uint64_t location, semaphore;
	const char *provider, *name, *arguments;
};

/*
 * Read the notes of the file at `path`, which `image` is to be a map of. 0, or
 * -errno: -ENODATA where there are none, -ESTALE if it is another file by now,
 * -EBADMSG for a file that is not what it should be. Only after 0 it is closed.
 */
int sdt_file_open(struct sdt_file *file, const char *path, const struct sdt_image *image);
void sdt_file_close(struct sdt_file *file);

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

#endif /* LTTNGMAP_SDT_NOTE_H */
