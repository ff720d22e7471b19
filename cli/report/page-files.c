/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * page-files.c - which files programs opened, read and wrote, and for how long, of the events of
 * the io family.
 *
 * A descriptor is of the file whose opening returned it, in this process, until it is closed or
 * becomes another one's copy. One that was opened otherwise, or before, has its number for a name.
 */
#include <config.h>

#include "cli/report/page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/field-member.h"

#define PROVIDER "lttngmap_io:"
#define FILES_MOST (1u << 18)
#define DESCRIPTORS_MOST (1u << 18)
#define PLACES_AT_FIRST 1024
/* CLOSE_RANGE_CLOEXEC: the descriptors are closed by exec only. */
#define CLOSES_NOTHING 4u

static const struct {
	const char *name;
	enum page_file_call call;
} calls[] = {
	{ "open", PAGE_FILE_OPENS },
	{ "openat", PAGE_FILE_OPENS },
	{ "creat", PAGE_FILE_OPENS },
	{ "fopen", PAGE_FILE_OPENS_STREAM },
	{ "freopen", PAGE_FILE_OPENS_STREAM },
	{ "opendir", PAGE_FILE_OPENS_STREAM },
	{ "scandir", PAGE_FILE_OPENS_STREAM },
	{ "close", PAGE_FILE_CLOSES },
	{ "read", PAGE_FILE_MOVES },
	{ "pread", PAGE_FILE_MOVES },
	{ "readv", PAGE_FILE_MOVES },
	{ "write", PAGE_FILE_MOVES },
	{ "pwrite", PAGE_FILE_MOVES },
	{ "writev", PAGE_FILE_MOVES },
	{ "send", PAGE_FILE_MOVES },
	{ "sendto", PAGE_FILE_MOVES },
	{ "sendmsg", PAGE_FILE_MOVES },
	{ "recv", PAGE_FILE_MOVES },
	{ "recvfrom", PAGE_FILE_MOVES },
	{ "recvmsg", PAGE_FILE_MOVES },
	{ "fstat", PAGE_FILE_ASKS },
	{ "dup", PAGE_FILE_COPIES },
	{ "dup2", PAGE_FILE_COPIES },
	{ "dup3", PAGE_FILE_COPIES },
	{ "fcntl", PAGE_FILE_COMMANDS },
	{ "pipe", PAGE_FILE_PAIRS },
	{ "socket", PAGE_FILE_MAKES },
	{ "accept", PAGE_FILE_MAKES },
	{ "epoll_create", PAGE_FILE_MAKES },
	{ "fdopen", PAGE_FILE_STREAMS },
	{ "fdopendir", PAGE_FILE_STREAMS },
	{ "fclose", PAGE_FILE_CLOSES_STREAM },
	{ "closedir", PAGE_FILE_CLOSES_STREAM },
	{ "close_range", PAGE_FILE_CLOSES_RANGE },
};

/* The index of the payload's member; -1: it has none, or none of that type. */
static int64_t member_of(const struct page_class *class, const char *name, bool is_string)
{
	bt_field_class_type type;
	int64_t member = field_member(
		bt_event_class_borrow_payload_field_class_const(class->class->bt), name, &type);

	if (member < 0 || is_string != (type == BT_FIELD_CLASS_TYPE_STRING))
		return -1;
	return member;
}

/* The members of a call that has other ones than `path` and `fd`. */
static void find_others(struct page_class *class)
{
	switch (class->file_call) {
	case PAGE_FILE_OPENS_STREAM:
		class->other = member_of(class, "file", false); /* freopen: the old one */
		break;
	case PAGE_FILE_COMMANDS:
		class->other = member_of(class, "command", false);
		break;
	case PAGE_FILE_PAIRS:
		class->fd = member_of(class, "from", false);
		class->other = member_of(class, "to", false);
		break;
	case PAGE_FILE_CLOSES_STREAM:
		class->fd = member_of(class, "file", false);
		if (class->fd < 0)
			class->fd = member_of(class, "directory", false);
		break;
	case PAGE_FILE_CLOSES_RANGE:
		class->fd = member_of(class, "first", false);
		class->other = member_of(class, "last", false);
		class->flags = member_of(class, "flags", false);
		break;
	default:
		break;
	}
}

void page_files_class(struct page_class *class)
{
	const char *name = class->name + strlen(PROVIDER);

	if (strncmp(class->name, PROVIDER, strlen(PROVIDER)) != 0)
		return;
	class->path = member_of(class, "path", true);
	class->fd = member_of(class, "fd", false);
	class->other = class->flags = -1;
	class->result = member_of(class, "result", false);
	class->error = member_of(class, "error", false);
	class->duration = member_of(class, "duration", false);
	if (class->duration < 0 || class->error < 0 || class->result < 0)
		return;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(name, calls[i].name) == 0)
			class->file_call = calls[i].call;
	}
	/* Whatever else has a path asks for it. */
	if (class->file_call == PAGE_FILE_NONE && class->path >= 0)
		class->file_call = PAGE_FILE_ASKS;
	find_others(class);
	if (class->path < 0 && class->fd < 0 && class->file_call != PAGE_FILE_MAKES)
		class->file_call = PAGE_FILE_NONE;
}

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
static uint32_t file_of(struct export *export, const char *path)
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
static void set_descriptor(struct export *export, int64_t process, uint64_t fd, uint32_t file)
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
	*descriptor = (struct page_descriptor){ process, fd, file };
}

/* The descriptor is of an unknown file. Those of the numbers 0 to 2 are known without being set. */
static void forget_descriptor(struct export *export, int64_t process, uint64_t fd)
{
	struct page_files *files = &page_of(export)->files;

	if (fd < 3 || (files->nr_descriptor_places && descriptor_at(files, process, fd)->file))
		set_descriptor(export, process, fd, PAGE_FILE_UNKNOWN);
}

static void forget_range(struct export *export, int64_t process, uint64_t first, uint64_t last)
{
	struct page_files *files = &page_of(export)->files;

	for (uint64_t fd = first; fd < 3 && fd <= last; fd++)
		forget_descriptor(export, process, fd);
	for (size_t i = 0; i < files->nr_descriptor_places; i++) {
		struct page_descriptor *descriptor = &files->descriptors[i];

		if (descriptor->file && descriptor->process == process && descriptor->fd >= first &&
		    descriptor->fd <= last)
			descriptor->file = PAGE_FILE_UNKNOWN;
	}
}

#define STREAM(address) ((address) | UINT64_C(1) << 63)

/* A descriptor's file is forgotten at its stream's end. */
static void close_stream(struct export *export, int64_t process, uint64_t address)
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
	forget_descriptor(export, process, fd);
}

/* The number of the descriptor's file, plus 1; 0: there is no room. */
static uint32_t file_of_descriptor(struct export *export, int64_t process, uint64_t fd)
{
	static const char *const standard[] = { "(standard input)", "(standard output)",
						"(standard error)" };
	struct page_files *files = &page_of(export)->files;
	const struct page_descriptor *descriptor =
		files->nr_descriptor_places ? descriptor_at(files, process, fd) : NULL;
	char text[40];

	if (descriptor && descriptor->file && descriptor->file != PAGE_FILE_UNKNOWN)
		return descriptor->file;
	if (fd < 3 && !(descriptor && descriptor->file))
		return file_of(export, standard[fd]);
	snprintf(text, sizeof(text), "(descriptor %lld)", (long long)(int32_t)fd);
	return file_of(export, text);
}

/* `to` is what `fd` is. */
static void copy_descriptor(struct export *export, int64_t process, uint64_t fd, uint64_t to)
{
	const struct page_files *files = &page_of(export)->files;
	uint32_t file = files->nr_descriptor_places ? descriptor_at(files, process, fd)->file : 0;

	if (fd == to)
		return;
	if (!file && fd < 3)
		file = file_of_descriptor(export, process, fd);
	if (file && file != PAGE_FILE_UNKNOWN)
		set_descriptor(export, process, to, file);
	else
		forget_descriptor(export, process, to);
}

/* ---- events ------------------------------------------------------------------------------ */

static uint64_t number_of(const bt_field *payload, int64_t member)
{
	uint64_t value = 0;

	if (member >= 0)
		(void)field_integer(bt_field_structure_borrow_member_field_by_index_const(
					    payload, (uint64_t)member),
				    &value);
	return value;
}

/* Streams have the highest bit, whatever a trace claims to be a descriptor. */
static uint64_t descriptor_of(const bt_field *payload, int64_t member)
{
	return (uint32_t)number_of(payload, member);
}

/* The descriptors that a call which succeeded opens, copies or closes. */
static void follow(struct export *export, const struct page_class *class, const bt_field *payload,
		   int64_t process, uint32_t file)
{
	uint64_t fd = descriptor_of(payload, class->fd);
	uint64_t other = descriptor_of(payload, class->other);
	uint64_t result = descriptor_of(payload, class->result);

	switch (class->file_call) {
	case PAGE_FILE_OPENS:
		set_descriptor(export, process, result, file);
		break;
	case PAGE_FILE_CLOSES:
		forget_descriptor(export, process, fd);
		break;
	case PAGE_FILE_COMMANDS:
		if (other != F_DUPFD && other != F_DUPFD_CLOEXEC)
			break;
		/* fall through */
	case PAGE_FILE_COPIES:
		copy_descriptor(export, process, fd, result);
		break;
	case PAGE_FILE_MAKES:
		forget_descriptor(export, process, result);
		break;
	case PAGE_FILE_PAIRS:
		forget_descriptor(export, process, fd);
		forget_descriptor(export, process, other);
		break;
	case PAGE_FILE_STREAMS:
		if (fd < PAGE_FILE_UNKNOWN - 1)
			set_descriptor(export, process, STREAM(number_of(payload, class->result)),
				       (uint32_t)fd + 1);
		break;
	case PAGE_FILE_CLOSES_RANGE:
		if (!(number_of(payload, class->flags) & CLOSES_NOTHING))
			forget_range(export, process, fd, other);
		break;
	default:
		break;
	}
}

/* The number of the call's file, plus 1; 0: it has none, or there is no room. */
static uint32_t file_of_call(struct export *export, const struct page_class *class,
			     const bt_field *payload, int64_t process)
{
	switch (class->file_call) {
	case PAGE_FILE_MAKES:
	case PAGE_FILE_PAIRS:
	case PAGE_FILE_CLOSES_STREAM:
	case PAGE_FILE_CLOSES_RANGE:
		return 0;
	default:
		break;
	}
	if (class->path >= 0)
		return file_of(export,
			       field_string(bt_field_structure_borrow_member_field_by_index_const(
				       payload, (uint64_t) class->path)));
	return file_of_descriptor(export, process, descriptor_of(payload, class->fd));
}

void page_files_event(struct export *export, const struct page_class *class,
		      const struct page_track *track, const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	int64_t process = (int64_t)track->track->process->uuid;
	bool has_failed = number_of(payload, class->error) != 0;
	uint32_t number = file_of_call(export, class, payload, process);

	if (number) {
		struct page_file *file = &page_of(export)->files.list[number - 1];
		bool opens = class->file_call == PAGE_FILE_OPENS ||
			     class->file_call == PAGE_FILE_OPENS_STREAM;

		file->ns += number_of(payload, class->duration);
		file->calls++;
		file->opens += opens;
		file->failed += opens && has_failed;
		if (class->file_call == PAGE_FILE_MOVES && !has_failed)
			file->bytes += number_of(payload, class->result);
	}
	/* A stream is gone even where its closing fails. */
	if (class->file_call == PAGE_FILE_CLOSES_STREAM)
		close_stream(export, process, number_of(payload, class->fd));
	else if (class->file_call == PAGE_FILE_OPENS_STREAM)
		close_stream(export, process, number_of(payload, class->other));
	else if (!has_failed && (number || class->path < 0))
		follow(export, class, payload, process, number);
}

void page_files_free(struct page_files *files)
{
	free(files->list);
	free(files->places);
	free(files->descriptors);
}
