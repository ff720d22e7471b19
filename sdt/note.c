/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sdt/note.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECTIONS_MAX 1024u
#define NOTES_SIZE_MAX (16u << 20)
#define SYMBOLS_SIZE_MAX (64u << 20)
#define OWNER "stapsdt"
#define NOTE_TYPE 3u
/* What is compared of a file's notes, of which one is as a rule its build id. */
#define COMPARED_MAX 1024u

/* ---- bytes of the file -------------------------------------------------------------- */

/* All of it or nothing. Plain system calls, for the functions may be traced. */
static bool read_at(int fd, uint64_t offset, void *to, size_t size)
{
	char *at = to;

	while (size > 0) {
		long got = offset > INT64_MAX ? -1 : syscall(SYS_pread64, fd, at, size, offset);

		if (got <= 0)
			return false;
		at += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return true;
}

static void *take_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* A part of the file in memory of its own; NULL, and -errno in *error. */
static void *read_part(int fd, uint64_t offset, uint64_t size, uint64_t size_max, int *error)
{
	void *memory;

	*error = -EBADMSG;
	if (size == 0 || size > size_max)
		return NULL;
	memory = take_memory(size);
	if (!memory)
		*error = -ENOMEM;
	else if (read_at(fd, offset, memory, size))
		*error = 0;
	else
		munmap(memory, size);
	return *error ? NULL : memory;
}

/* ---- is it the file that is in memory? ---------------------------------------------- */

const ElfW(Phdr) * sdt_image_segment(const struct sdt_image *image, uint64_t address, uint64_t size,
				     unsigned rights)
{
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const ElfW(Phdr) *segment = &image->segments[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & rights) == rights &&
		    address >= segment->p_vaddr && size <= segment->p_memsz &&
		    address - segment->p_vaddr <= segment->p_memsz - size)
			return segment;
	}
	return NULL;
}

static bool is_same_note(int fd, const struct sdt_image *image, const ElfW(Phdr) * note)
{
	char content[COMPARED_MAX];
	size_t size = note->p_filesz < sizeof(content) ? note->p_filesz : sizeof(content);

	if (!sdt_image_segment(image, note->p_vaddr, size, PF_R))
		return true; /* not loaded */
	return read_at(fd, note->p_offset, content, size) &&
	       memcmp(content, (const void *)(image->bias + note->p_vaddr), size) == 0;
}

/* Replaced by an upgrade, it has another build id, or other segments at least. */
static bool is_loaded(int fd, const ElfW(Ehdr) * header, const struct sdt_image *image)
{
	ElfW(Phdr) segment;

	if (header->e_phentsize != sizeof(segment) || header->e_phnum != image->nr_segments)
		return false;
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const ElfW(Phdr) *loaded = &image->segments[i];

		if (!read_at(fd, header->e_phoff + i * sizeof(segment), &segment,
			     sizeof(segment)) ||
		    memcmp(&segment, loaded, sizeof(segment)) != 0)
			return false;
		if (segment.p_type == PT_NOTE && !is_same_note(fd, image, loaded))
			return false;
	}
	return true;
}

/* ---- sections ----------------------------------------------------------------------- */

static int read_sections(struct sdt_file *file, const ElfW(Ehdr) * header)
{
	int error;

	if (header->e_shnum == 0)
		return -ENODATA;
	if (header->e_shentsize != sizeof(ElfW(Shdr)) || header->e_shnum > SECTIONS_MAX ||
	    header->e_shstrndx >= header->e_shnum)
		return -EBADMSG;
	file->sections = read_part(file->fd, header->e_shoff, header->e_shnum * sizeof(ElfW(Shdr)),
				   SECTIONS_MAX * sizeof(ElfW(Shdr)), &error);
	file->nr_sections = header->e_shnum;
	return error;
}

static const ElfW(Shdr) * find_section(const struct sdt_file *file, const char *names,
				       size_t names_size, const char *name)
{
	size_t size = strlen(name) + 1;

	for (size_t i = 0; i < file->nr_sections; i++) {
		const ElfW(Shdr) *section = &file->sections[i];

		if (section->sh_name < names_size && size <= names_size - section->sh_name &&
		    memcmp(names + section->sh_name, name, size) == 0)
			return section;
	}
	return NULL;
}

static int read_notes(struct sdt_file *file, const ElfW(Ehdr) * header)
{
	const ElfW(Shdr) *table = &file->sections[header->e_shstrndx], *notes, *base;
	int error;
	char *names = read_part(file->fd, table->sh_offset, table->sh_size, NOTES_SIZE_MAX, &error);

	if (!names)
		return error;
	notes = find_section(file, names, table->sh_size, ".note.stapsdt");
	base = find_section(file, names, table->sh_size, ".stapsdt.base");
	munmap(names, table->sh_size);
	if (!notes || notes->sh_type == SHT_NOBITS)
		return -ENODATA;
	file->base = base ? base->sh_addr : 0;
	file->notes = read_part(file->fd, notes->sh_offset, notes->sh_size, NOTES_SIZE_MAX, &error);
	file->notes_size = notes->sh_size;
	return error;
}

static int read_file(struct sdt_file *file)
{
	ElfW(Ehdr) header;
	int error;

	if (!read_at(file->fd, 0, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
		return -EBADMSG;
	error = read_sections(file, &header);
	if (!error)
		error = read_notes(file, &header);
	return error ? error : is_loaded(file->fd, &header, file->image) ? 0 : -ESTALE;
}

int sdt_file_open(struct sdt_file *file, const char *path, const struct sdt_image *image)
{
	int error;

	*file = (struct sdt_file){ .image = image };
	/* O_NONBLOCK: not for ever at what is a pipe now. */
	file->fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0)
		return -errno;
	error = read_file(file);
	if (error)
		sdt_file_close(file);
	return error;
}

void sdt_file_close(struct sdt_file *file)
{
	if (file->sections)
		munmap(file->sections, file->nr_sections * sizeof(ElfW(Shdr)));
	if (file->notes)
		munmap(file->notes, file->notes_size);
	if (file->symbols)
		munmap(file->symbols, file->symbols_size);
	if (file->strings)
		munmap(file->strings, file->strings_size);
	syscall(SYS_close, file->fd);
}

/* ---- notes -------------------------------------------------------------------------- */

/* The next text of a description; NULL where no NUL ends it. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, '\0', (size_t)(end - text));

	if (nul)
		*at = nul + 1;
	return nul ? text : NULL;
}

/* Three addresses, three texts. */
static bool read_description(const struct sdt_file *file, const char *at, size_t size,
			     struct sdt_note *note)
{
	const char *end = at + size;
	uint64_t addresses[3], moved;

	if (size < sizeof(addresses))
		return false;
	memcpy(addresses, at, sizeof(addresses));
	at += sizeof(addresses);
	/* Where the linker put things, and a later tool put them elsewhere. */
	moved = file->base && addresses[1] ? file->base - addresses[1] : 0;
	note->location = addresses[0] + moved;
	note->semaphore = addresses[2] ? addresses[2] + moved : 0;
	note->provider = take_text(&at, end);
	note->name = note->provider ? take_text(&at, end) : NULL;
	note->arguments = note->name ? take_text(&at, end) : NULL;
	return note->arguments != NULL;
}

bool sdt_file_next(struct sdt_file *file, size_t *offset, struct sdt_note *note)
{
	while (file->notes_size - *offset >= sizeof(ElfW(Nhdr))) {
		const char *at = file->notes + *offset;
		size_t left = file->notes_size - *offset - sizeof(ElfW(Nhdr));
		uint64_t name_size, size;
		ElfW(Nhdr) header;

		memcpy(&header, at, sizeof(header));
		at += sizeof(header);
		name_size = ((uint64_t)header.n_namesz + 3) & ~UINT64_C(3);
		size = ((uint64_t)header.n_descsz + 3) & ~UINT64_C(3);
		if (name_size > left || size > left - name_size)
			break;
		*offset += sizeof(header) + name_size + size;
		if (header.n_type == NOTE_TYPE && header.n_namesz == sizeof(OWNER) &&
		    memcmp(at, OWNER, sizeof(OWNER)) == 0 &&
		    read_description(file, at + name_size, header.n_descsz, note))
			return true;
	}
	return false;
}

/* ---- symbols ------------------------------------------------------------------------ */

/* The linker's table, or what the loader has. */
static void read_symbols(struct sdt_file *file)
{
	const ElfW(Shdr) *table = NULL, *strings;
	int error;

	file->has_symbols = true;
	for (size_t i = 0; i < file->nr_sections; i++) {
		const ElfW(Shdr) *section = &file->sections[i];

		if (section->sh_type == SHT_SYMTAB || (section->sh_type == SHT_DYNSYM && !table))
			table = section;
	}
	if (!table || table->sh_link >= file->nr_sections)
		return;
	strings = &file->sections[table->sh_link];
	file->symbols_size = table->sh_size;
	file->symbols =
		read_part(file->fd, table->sh_offset, table->sh_size, SYMBOLS_SIZE_MAX, &error);
	file->strings_size = strings->sh_size;
	file->strings =
		read_part(file->fd, strings->sh_offset, strings->sh_size, SYMBOLS_SIZE_MAX, &error);
}

static bool is_called(const struct sdt_file *file, const ElfW(Sym) * symbol, const char *name,
		      size_t length)
{
	return symbol->st_name < file->strings_size &&
	       length < file->strings_size - symbol->st_name &&
	       memcmp(file->strings + symbol->st_name, name, length) == 0 &&
	       file->strings[symbol->st_name + length] == '\0';
}

static bool is_data(const ElfW(Sym) * symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && (type == STT_OBJECT || type == STT_NOTYPE);
}

int sdt_file_find(struct sdt_file *file, const char *name, size_t length, uint64_t *address,
		  uint64_t *low, uint64_t *high)
{
	const ElfW(Phdr) * segment;
	ElfW(Sym) symbol, found = { .st_name = 0 };

	if (!file->has_symbols)
		read_symbols(file);
	if (!file->symbols || !file->strings || length == 0)
		return -ENOENT;
	for (size_t at = 0; file->symbols_size - at >= sizeof(symbol); at += sizeof(symbol)) {
		memcpy(&symbol, file->symbols + at, sizeof(symbol));
		if (!is_data(&symbol) || !is_called(file, &symbol, name, length))
			continue;
		if (found.st_name && found.st_value != symbol.st_value)
			return -ENOTUNIQ;
		found = symbol;
	}
	if (!found.st_name)
		return -ENOENT;
	segment = sdt_image_segment(file->image, found.st_value, 1, PF_R);
	if (!segment)
		return -EFAULT;
	*address = file->image->bias + found.st_value;
	*low = file->image->bias + segment->p_vaddr;
	*high = *low + segment->p_memsz;
	return 0;
}
