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
/* Maximum bytes compared of a file's notes, one of which is as a rule its build id. */
#define COMPARED_MAX 1024u
#define IDENTITY_MAX 8192u
/* Longer names are not looked for. */
#define SYMBOL_NAME_MAX 512u

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

/* ---- what is to be in memory -------------------------------------------------------- */

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

/*
 * The bytes of a file's note that are compared: those that are in memory with the rest. 0: none,
 * or there is no more room for them.
 */
static size_t compared_size(const struct sdt_image *image, const ElfW(Phdr) * note, size_t room)
{
	size_t size = note->p_filesz < COMPARED_MAX ? note->p_filesz : COMPARED_MAX;

	if (note->p_type != PT_NOTE || size > room ||
	    !sdt_image_segment(image, note->p_vaddr, size, PF_R))
		return 0;
	return size;
}

bool sdt_image_is(const struct sdt_image *loaded, const struct sdt_image *file,
		  const char *identity, size_t identity_size)
{
	if (loaded->bias != file->bias || loaded->nr_segments != file->nr_segments ||
	    memcmp(loaded->segments, file->segments, file->nr_segments * sizeof(*file->segments)) !=
		    0)
		return false;
	for (unsigned i = 0; i < file->nr_segments; i++) {
		const ElfW(Phdr) *note = &file->segments[i];
		size_t size = compared_size(file, note, identity_size);

		if (memcmp(identity, (const void *)(loaded->bias + note->p_vaddr), size) != 0)
			return false;
		identity += size;
		identity_size -= size;
	}
	return true;
}

static int read_segments(struct sdt_file *file, const ElfW(Ehdr) * header)
{
	size_t size = header->e_phnum * sizeof(*file->segments);
	int error;

	if (header->e_phentsize != sizeof(*file->segments))
		return -EBADMSG;
	if (header->e_phnum != file->image.nr_segments)
		return -ESTALE;
	file->segments = read_part(file->fd, header->e_phoff, size, size, &error);
	file->image.segments = file->segments;
	return error;
}

static int read_identity(struct sdt_file *file)
{
	size_t room = IDENTITY_MAX, size;

	file->identity = take_memory(IDENTITY_MAX);
	if (!file->identity)
		return -ENOMEM;
	for (unsigned i = 0; i < file->image.nr_segments; i++) {
		const ElfW(Phdr) *note = &file->segments[i];

		size = compared_size(&file->image, note, room);
		if (size > 0 &&
		    !read_at(file->fd, note->p_offset, file->identity + IDENTITY_MAX - room, size))
			return -EBADMSG;
		room -= size;
	}
	file->identity_size = IDENTITY_MAX - room;
	return 0;
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
	if (!error)
		error = read_segments(file, &header);
	return error ? error : read_identity(file);
}

int sdt_file_open(struct sdt_file *file, const char *path, uint64_t bias, unsigned nr_segments)
{
	int error;

	*file = (struct sdt_file){ .image = { .bias = bias, .nr_segments = nr_segments } };
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
	if (file->index)
		munmap(file->index, file->index_size);
	if (file->segments)
		munmap(file->segments, file->image.nr_segments * sizeof(*file->segments));
	if (file->identity)
		munmap(file->identity, IDENTITY_MAX);
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

static bool is_data(const ElfW(Sym) * symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && (type == STT_OBJECT || type == STT_NOTYPE);
}

static void get_symbol(const struct sdt_file *file, size_t number, ElfW(Sym) * symbol)
{
	memcpy(symbol, file->symbols + number * sizeof(*symbol), sizeof(*symbol));
}

/* NULL: it has none that ends, or a longer one than is looked for. */
static const char *name_of(const struct sdt_file *file, const ElfW(Sym) * symbol, size_t *length)
{
	const char *name = file->strings + symbol->st_name;
	size_t room;

	if (symbol->st_name >= file->strings_size)
		return NULL;
	room = file->strings_size - symbol->st_name;
	if (room > SYMBOL_NAME_MAX + 1)
		room = SYMBOL_NAME_MAX + 1;
	*length = strnlen(name, room);
	return *length < room ? name : NULL;
}

/* FNV-1a. */
static uint32_t hash(const char *name, size_t length)
{
	uint32_t value = 2166136261u;

	while (length-- > 0)
		value = (value ^ (uint8_t)*name++) * 16777619u;
	return value;
}

/*
 * The index: as many heads of lists as there are symbols, in each the number of one, from 1;
 * then for each symbol the next one's of its list. A name is in it once; NOT_UNIQUE stands beside
 * the next one's number where symbols of that name are at different places.
 */
#define NOT_UNIQUE (UINT32_C(1) << 31)
/* So many are in a list; of names that chance spreads a list has some ten, at most. */
#define LIST_MAX 16u

/* Is the name in the list that begins at *number? Then its number; else where a new one's goes. */
static bool find_in_list(const struct sdt_file *file, uint32_t **number, const char *name,
			 size_t length, ElfW(Sym) * symbol)
{
	size_t count = file->symbols_size / sizeof(*symbol), its_length = 0;

	for (unsigned i = 0; i < LIST_MAX; i++) {
		uint32_t at = **number & ~NOT_UNIQUE;
		const char *its_name;

		if (!at)
			return false;
		get_symbol(file, at - 1, symbol);
		its_name = name_of(file, symbol, &its_length);
		if (its_length == length && memcmp(its_name, name, length) == 0)
			return true;
		*number = &file->index[count + at - 1];
	}
	*number = NULL;
	return false;
}

static void add_symbol(struct sdt_file *file, size_t i)
{
	size_t count = file->symbols_size / sizeof(ElfW(Sym)), length;
	ElfW(Sym) symbol, other;
	const char *name;
	uint32_t *number;

	get_symbol(file, i, &symbol);
	name = is_data(&symbol) ? name_of(file, &symbol, &length) : NULL;
	if (!name)
		return;
	number = &file->index[hash(name, length) % count];
	if (!find_in_list(file, &number, name, length, &other)) {
		if (number)
			*number |= (uint32_t)i + 1;
	} else if (other.st_value != symbol.st_value) {
		file->index[count + (*number & ~NOT_UNIQUE) - 1] |= NOT_UNIQUE;
	}
}

static bool make_index(struct sdt_file *file)
{
	size_t count = file->symbols_size / sizeof(ElfW(Sym));

	if (!file->symbols || !file->strings || count == 0)
		return false;
	file->index_size = 2 * count * sizeof(*file->index);
	file->index = take_memory(file->index_size);
	for (size_t i = 0; file->index && i < count; i++)
		add_symbol(file, i);
	return file->index;
}

int sdt_file_find(struct sdt_file *file, const char *name, size_t length, uint64_t *address,
		  uint64_t *low, uint64_t *high)
{
	const ElfW(Phdr) * segment;
	ElfW(Sym) found;
	uint32_t *number;
	size_t count;

	if (!file->has_symbols)
		read_symbols(file);
	if (length == 0 || (!file->index && !make_index(file)))
		return -ENOENT;
	count = file->symbols_size / sizeof(found);
	number = &file->index[hash(name, length) % count];
	if (!find_in_list(file, &number, name, length, &found))
		return -ENOENT;
	if (file->index[count + (*number & ~NOT_UNIQUE) - 1] & NOT_UNIQUE)
		return -ENOTUNIQ;
	segment = sdt_image_segment(&file->image, found.st_value, 1, PF_R);
	if (!segment)
		return -EFAULT;
	*address = file->image.bias + found.st_value;
	*low = file->image.bias + segment->p_vaddr;
	return __builtin_add_overflow(*low, segment->p_memsz, high) ? -EFAULT : 0;
}
