/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * page-descriptors.c - files by their names, and by the descriptors and streams that processes
 * have of them.
 */
#include <config.h>

#include "cli/report/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define FILES_MOST (1u << 18)
#define DESCRIPTORS_MOST (1u << 18)
#define PLACES_AT_FIRST 1024
/* Numbers of descriptors that are followed through fork and exec. */
#define INHERITED_MOST 256
/* The entry of a process's program: the number of its text, plus 1, as `file`. */
#define PROGRAM (UINT64_C(1) << 62)

/* ---- files by name -------------------------------------------------------------------- */

static int grow_places(struct page_files *files)
{
	uint32_t nr = files->nr_places ? files->nr_places * 2 : PLACES_AT_FIRST;
	uint32_t *places = calloc(nr, sizeof(*places));
	struct page_file *larger = realloc(files->list, nr / 2 * sizeof(*larger));

	if (larger)
		files->list = larger;
	if (!places || !larger) {
		free(places);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < files->count; i++) {
		uint32_t place = files->list[i].name * 0x9e3779b1u & (nr - 1);

		while (places[place])
			place = (place + 1) & (nr - 1);
		places[place] = i + 1;
	}
	free(files->places);
	files->places = places;
	files->nr_places = nr;
	return 0;
}

/* The number of the file, plus 1; 0: there is no room. */
uint32_t page_file_named(struct export *export, const char *path)
{
	struct page_files *files = &page_of(export)->files;
	uint32_t name, place;

	if (files->count >= FILES_MOST)
		path = "(other files)";
	name = export_text(export, path);
	if (files->count * 2 >= files->nr_places && grow_places(files) < 0) {
		export_fail(export, ENOMEM);
		return 0;
	}
	place = name * 0x9e3779b1u & (files->nr_places - 1);
	while (files->places[place] && files->list[files->places[place] - 1].name != name)
		place = (place + 1) & (files->nr_places - 1);
	if (!files->places[place]) {
		files->list[files->count++] = (struct page_file){ .name = name };
		files->places[place] = files->count;
	}
	return files->places[place];
}

/* ---- descriptors ------------------------------------------------------------------------ */

static struct page_descriptor *descriptor_at(const struct page_files *files, int64_t process,
					     uint64_t fd)
{
	uint64_t hash = (fd + (uint64_t)process * 31) * UINT64_C(0x9e3779b97f4a7c15);
	size_t place = (hash ^ hash >> 32) & (files->nr_descriptor_places - 1);

	while (files->descriptors[place].file &&
	       (files->descriptors[place].fd != fd || files->descriptors[place].process != process))
		place = (place + 1) & (files->nr_descriptor_places - 1);
	return &files->descriptors[place];
}

static int grow_descriptors(struct page_files *files)
{
	struct page_files larger = *files;

	larger.nr_descriptor_places = files->nr_descriptor_places ? files->nr_descriptor_places * 2
								  : PLACES_AT_FIRST;
	larger.descriptors = calloc(larger.nr_descriptor_places, sizeof(*larger.descriptors));
	if (!larger.descriptors)
		return -ENOMEM;
	for (size_t i = 0; i < files->nr_descriptor_places; i++) {
		const struct page_descriptor *old = &files->descriptors[i];

		if (old->file)
			*descriptor_at(&larger, old->process, old->fd) = *old;
	}
	free(files->descriptors);
	*files = larger;
	return 0;
}

/* From now on the descriptor is of that file. Entries stay, for the number will be used again. */
void page_descriptor_set(struct export *export, int64_t process, uint64_t fd, uint32_t file)
{
	struct page_files *files = &page_of(export)->files;
	struct page_descriptor *descriptor;

	if (files->nr_descriptors >= DESCRIPTORS_MOST) {
		descriptor = descriptor_at(files, process, fd);
		if (descriptor->file)
			descriptor->file = file;
		return;
	}
	if (files->nr_descriptors * 2 >= files->nr_descriptor_places &&
	    grow_descriptors(files) < 0) {
		export_fail(export, ENOMEM);
		return;
	}
	descriptor = descriptor_at(files, process, fd);
	files->nr_descriptors += !descriptor->file;
	*descriptor = (struct page_descriptor){ process, fd, file, false };
}

/* The descriptor is of an unknown file. Those of the numbers 0 to 2 are known without being set. */
void page_descriptor_forget(struct export *export, int64_t process, uint64_t fd)
{
	struct page_files *files = &page_of(export)->files;

	if (fd < 3 || (files->nr_descriptor_places && descriptor_at(files, process, fd)->file))
		page_descriptor_set(export, process, fd, PAGE_FILE_UNKNOWN);
}

void page_descriptor_forget_range(struct export *export, int64_t process, uint64_t first,
				  uint64_t last)
{
	struct page_files *files = &page_of(export)->files;

	for (uint64_t fd = first; fd < 3 && fd <= last; fd++)
		page_descriptor_forget(export, process, fd);
	for (size_t i = 0; i < files->nr_descriptor_places; i++) {
		struct page_descriptor *descriptor = &files->descriptors[i];

		if (descriptor->file && descriptor->process == process && descriptor->fd >= first &&
		    descriptor->fd <= last)
			descriptor->file = PAGE_FILE_UNKNOWN;
	}
}

void page_descriptor_end_at_exec(struct export *export, int64_t process, uint64_t fd, bool ends)
{
	struct page_files *files = &page_of(export)->files;
	struct page_descriptor *descriptor;

	if (!files->nr_descriptor_places)
		return;
	descriptor = descriptor_at(files, process, fd);
	if (descriptor->file)
		descriptor->ends_at_exec = ends;
}

void page_descriptors_program(struct export *export, int64_t process, const char *program)
{
	struct page_files *files = &page_of(export)->files;
	uint32_t before = files->nr_descriptor_places ? descriptor_at(files, process, PROGRAM)->file
						      : 0;
	uint32_t now = export_text(export, program) + 1;

	if (before == now)
		return;
	for (uint64_t fd = 0; before && fd < INHERITED_MOST; fd++)
		if (descriptor_at(files, process, fd)->ends_at_exec)
			page_descriptor_set(export, process, fd, PAGE_FILE_UNKNOWN);
	page_descriptor_set(export, process, PROGRAM, now);
}

/* The child's own changes, made before its parent's event, stay. */
static void inherit(struct export *export, int64_t parent, int64_t child, uint64_t fd)
{
	struct page_files *files = &page_of(export)->files;
	struct page_descriptor of_parent = *descriptor_at(files, parent, fd);

	if (!of_parent.file || descriptor_at(files, child, fd)->file)
		return;
	page_descriptor_set(export, child, fd, of_parent.file);
	page_descriptor_end_at_exec(export, child, fd, of_parent.ends_at_exec);
}

void page_descriptors_fork(struct export *export, int64_t parent, int64_t child)
{
	if (!page_of(export)->files.nr_descriptor_places)
		return;
	for (uint64_t fd = 0; fd < INHERITED_MOST; fd++)
		inherit(export, parent, child, fd);
	inherit(export, parent, child, PROGRAM);
}

#define STREAM(address) ((address) | UINT64_C(1) << 63)

/* A descriptor's file is forgotten at its stream's end. */
void page_stream_close(struct export *export, int64_t process, uint64_t address)
{
	struct page_files *files = &page_of(export)->files;
	struct page_descriptor *stream;
	uint64_t fd;

	if (!files->nr_descriptor_places)
		return;
	stream = descriptor_at(files, process, STREAM(address));
	if (!stream->file || stream->file == PAGE_FILE_UNKNOWN)
		return;
	fd = stream->file - 1;
	stream->file = PAGE_FILE_UNKNOWN;
	page_descriptor_forget(export, process, fd);
}

/* From now on the stream is of the descriptor. */
void page_stream_set(struct export *export, int64_t process, uint64_t address, uint64_t fd)
{
	if (fd < PAGE_FILE_UNKNOWN - 1)
		page_descriptor_set(export, process, STREAM(address), (uint32_t)fd + 1);
}

/* The number of the descriptor's file, plus 1; 0: it is not known. */
static uint32_t known_file(const struct page_files *files, int64_t process, uint64_t fd)
{
	uint32_t file = files->nr_descriptor_places ? descriptor_at(files, process, fd)->file : 0;

	return file == PAGE_FILE_UNKNOWN ? 0 : file;
}

/* The descriptor is not what the process began with. */
static bool is_changed(const struct page_files *files, int64_t process, uint64_t fd)
{
	return files->nr_descriptor_places && descriptor_at(files, process, fd)->file;
}

/* The name of the descriptor's file. It may be in `text`. */
const char *page_descriptor_name(const struct export *export, int64_t process, uint64_t fd,
				 char text[PAGE_DESCRIPTOR_NAME_SIZE])
{
	static const char *const standard[] = { "(standard input)", "(standard output)",
						"(standard error)" };
	const struct page_files *files = &page_of(export)->files;
	uint32_t file = known_file(files, process, fd);

	if (file)
		return export_text_of(export, files->list[file - 1].name);
	if (fd < 3 && !is_changed(files, process, fd))
		return standard[fd];
	snprintf(text, PAGE_DESCRIPTOR_NAME_SIZE, "(descriptor %lld)", (long long)(int32_t)fd);
	return text;
}

/* The number of the descriptor's file, plus 1; 0: there is no room. */
uint32_t page_file_of_descriptor(struct export *export, int64_t process, uint64_t fd)
{
	uint32_t file = known_file(&page_of(export)->files, process, fd);
	char text[PAGE_DESCRIPTOR_NAME_SIZE];

	return file ? file
		    : page_file_named(export, page_descriptor_name(export, process, fd, text));
}

/* `to` is what `fd` is. */
void page_descriptor_copy(struct export *export, int64_t process, uint64_t fd, uint64_t to)
{
	const struct page_files *files = &page_of(export)->files;
	uint32_t file;

	if (fd == to)
		return;
	file = known_file(files, process, fd);
	if (!file && fd < 3 && !is_changed(files, process, fd))
		file = page_file_of_descriptor(export, process, fd);
	if (file)
		page_descriptor_set(export, process, to, file);
	else
		page_descriptor_forget(export, process, to);
}
