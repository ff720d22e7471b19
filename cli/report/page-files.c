/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * page-files.c - which files programs opened, read and wrote, and for how long, of the events of
 * the io family.
 *
 * A descriptor is of the file whose opening returned it, in this process, until it is closed or
 * becomes another one's copy. A child has what its parent had, where the trace has the fork (family
 * proc), and a program that is executed what was not to be closed then. One of no file, as a
 * socket, is named by what it is and its number; one that was opened otherwise, or before, by its
 * number. A path that is relative to a descriptor is below its file.
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
#define PROC "lttngmap_proc:"
/* CLOSE_RANGE_CLOEXEC: the descriptors are closed by exec only. */
#define CLOSES_NOTHING 4u

static const struct {
	const char *name;
	enum page_file_call call;
	const char *kind; /* of what it makes that has no path */
} calls[] = {
	{ "open", PAGE_FILE_OPENS, NULL },
	{ "openat", PAGE_FILE_OPENS, NULL },
	{ "creat", PAGE_FILE_OPENS, NULL },
	{ "fopen", PAGE_FILE_OPENS_STREAM, NULL },
	{ "freopen", PAGE_FILE_OPENS_STREAM, NULL },
	{ "opendir", PAGE_FILE_OPENS_STREAM, NULL },
	{ "scandir", PAGE_FILE_OPENS_STREAM, NULL },
	{ "tmpfile", PAGE_FILE_OPENS_STREAM, "temporary file" },
	{ "close", PAGE_FILE_CLOSES, NULL },
	{ "read", PAGE_FILE_MOVES, NULL },
	{ "pread", PAGE_FILE_MOVES, NULL },
	{ "readv", PAGE_FILE_MOVES, NULL },
	{ "write", PAGE_FILE_MOVES, NULL },
	{ "pwrite", PAGE_FILE_MOVES, NULL },
	{ "writev", PAGE_FILE_MOVES, NULL },
	{ "send", PAGE_FILE_MOVES, NULL },
	{ "sendto", PAGE_FILE_MOVES, NULL },
	{ "sendmsg", PAGE_FILE_MOVES, NULL },
	{ "recv", PAGE_FILE_MOVES, NULL },
	{ "recvfrom", PAGE_FILE_MOVES, NULL },
	{ "recvmsg", PAGE_FILE_MOVES, NULL },
	{ "dprintf", PAGE_FILE_MOVES, NULL },
	{ "fstat", PAGE_FILE_ASKS, NULL },
	{ "connect", PAGE_FILE_ASKS, NULL },
	{ "dup", PAGE_FILE_COPIES, NULL },
	{ "dup2", PAGE_FILE_COPIES, NULL },
	{ "dup3", PAGE_FILE_COPIES, NULL },
	{ "fcntl", PAGE_FILE_COMMANDS, NULL },
	{ "pipe", PAGE_FILE_PAIRS, "pipe" },
	{ "socketpair", PAGE_FILE_PAIRS, "socket" },
	{ "socket", PAGE_FILE_MAKES, "socket" },
	{ "accept", PAGE_FILE_MAKES, "accepted connection" },
	{ "epoll_create", PAGE_FILE_MAKES, "epoll" },
	{ "eventfd", PAGE_FILE_MAKES, "eventfd" },
	{ "fdopen", PAGE_FILE_STREAMS, NULL },
	{ "fdopendir", PAGE_FILE_STREAMS, NULL },
	{ "fclose", PAGE_FILE_CLOSES_STREAM, NULL },
	{ "closedir", PAGE_FILE_CLOSES_STREAM, NULL },
	{ "close_range", PAGE_FILE_CLOSES_RANGE, NULL },
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
		class->flags = member_of(class, "argument", false);
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
		break;
	default:
		break;
	}
}

/* Calls after which the child goes on with its parent's descriptors. */
static void find_fork(struct page_class *class)
{
	static const char *const forks[] = { PROC "fork", PROC "vfork", PROC "clone" };

	for (size_t i = 0; i < sizeof(forks) / sizeof(forks[0]); i++)
		if (strcmp(class->name, forks[i]) == 0)
			class->file_call = PAGE_FILE_FORKS;
	class->result = member_of(class, "result", false);
	class->error = member_of(class, "error", false);
	if (class->result < 0 || class->error < 0)
		class->file_call = PAGE_FILE_NONE;
}

void page_files_class(struct page_class *class)
{
	const char *name = class->name + strlen(PROVIDER);

	if (strncmp(class->name, PROC, strlen(PROC)) == 0)
		find_fork(class);
	if (strncmp(class->name, PROVIDER, strlen(PROVIDER)) != 0)
		return;
	class->path = member_of(class, "path", true);
	class->fd = member_of(class, "fd", false);
	class->dirfd = member_of(class, "dirfd", false);
	class->other = -1;
	class->flags = member_of(class, "flags", false);
	if (class->flags < 0)
		class->flags = member_of(class, "type", false);
	class->mode = member_of(class, "mode", true);
	class->result = member_of(class, "result", false);
	class->error = member_of(class, "error", false);
	class->duration = member_of(class, "duration", false);
	if (class->duration < 0 || class->error < 0 || class->result < 0)
		return;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(name, calls[i].name) == 0) {
			class->file_call = calls[i].call;
			class->file_kind = calls[i].kind;
		}
	}
	/* Whatever else has a path asks for it. */
	if (class->file_call == PAGE_FILE_NONE && class->path >= 0)
		class->file_call = PAGE_FILE_ASKS;
	find_others(class);
	if (class->path < 0 && class->fd < 0 && class->file_call != PAGE_FILE_MAKES)
		class->file_call = PAGE_FILE_NONE;
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

/* The same of one that the call made of no file: it is named by what it is. */
static uint32_t file_of_kind(struct export *export, const struct page_class *class, uint64_t fd)
{
	char text[PAGE_DESCRIPTOR_NAME_SIZE];

	snprintf(text, sizeof(text), "(%s %lld)", class->file_kind, (long long)(int32_t)fd);
	return page_file_named(export, text);
}

/* Is what the call makes closed by exec? O_CLOEXEC is the number that all of these have. */
static bool ends_at_exec(const struct page_class *class, const bt_field *payload)
{
	switch (class->file_call) {
	case PAGE_FILE_OPENS_STREAM:
		if (class->mode >= 0)
			return strchr(
				field_string(bt_field_structure_borrow_member_field_by_index_const(
					payload, (uint64_t) class->mode)),
				'e');
		return class->path >= 0; /* opendir() */
	case PAGE_FILE_COMMANDS:
		return number_of(payload, class->other) == F_DUPFD_CLOEXEC;
	default:
		return number_of(payload, class->flags) & O_CLOEXEC;
	}
}

/* The number of the file of that path below the descriptor's, plus 1; 0: there is no room. */
static uint32_t file_below(struct export *export, int64_t process, uint64_t fd, const char *path)
{
	char text[PAGE_DESCRIPTOR_NAME_SIZE], *whole;
	const char *folder;
	uint32_t file;

	if (!*path)
		return page_file_of_descriptor(export, process, fd);
	folder = page_descriptor_name(export, process, fd, text);
	if (asprintf(&whole, "%s%s%s", folder, strcmp(folder, "/") == 0 ? "" : "/", path) < 0) {
		export_fail(export, ENOMEM);
		return 0;
	}
	file = page_file_named(export, whole);
	free(whole);
	return file;
}

static void count_call(struct export *export, const struct page_class *class,
		       const bt_field *payload, uint32_t number)
{
	struct page_file *file;

	if (!number)
		return;
	file = &page_of(export)->files.list[number - 1];
	file->ns += number_of(payload, class->duration);
	file->calls++;
}

/* The descriptor is what the call made of no file. */
static void make_descriptor(struct export *export, const struct page_class *class,
			    const bt_field *payload, int64_t process, uint64_t fd, uint32_t *file)
{
	*file = file_of_kind(export, class, fd);
	if (!*file)
		return;
	page_of(export)->files.list[*file - 1].opens++;
	page_descriptor_set(export, process, fd, *file);
	page_descriptor_end_at_exec(export, process, fd, ends_at_exec(class, payload));
}

/* Descriptors of no file. The call is with each, or with the one that it takes. */
static void make(struct export *export, const struct page_class *class, const bt_field *payload,
		 int64_t process)
{
	uint32_t file;

	if (class->file_call == PAGE_FILE_MAKES) {
		make_descriptor(export, class, payload, process,
				descriptor_of(payload, class->result), &file);
		if (class->fd < 0)
			count_call(export, class, payload, file);
		return;
	}
	make_descriptor(export, class, payload, process, descriptor_of(payload, class->fd), &file);
	count_call(export, class, payload, file);
	make_descriptor(export, class, payload, process, descriptor_of(payload, class->other),
			&file);
	count_call(export, class, payload, file);
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
		page_descriptor_set(export, process, result, file);
		page_descriptor_end_at_exec(export, process, result, ends_at_exec(class, payload));
		break;
	case PAGE_FILE_OPENS_STREAM:
		if (class->fd < 0)
			break;
		page_descriptor_set(export, process, fd, file);
		page_descriptor_end_at_exec(export, process, fd, ends_at_exec(class, payload));
		page_stream_set(export, process, number_of(payload, class->result), fd);
		break;
	case PAGE_FILE_CLOSES:
		page_descriptor_forget(export, process, fd);
		break;
	case PAGE_FILE_COMMANDS:
		if (other == F_SETFD)
			page_descriptor_end_at_exec(export, process, fd,
						    number_of(payload, class->flags) & FD_CLOEXEC);
		if (other != F_DUPFD && other != F_DUPFD_CLOEXEC)
			break;
		/* fall through */
	case PAGE_FILE_COPIES:
		page_descriptor_copy(export, process, fd, result);
		page_descriptor_end_at_exec(export, process, result, ends_at_exec(class, payload));
		break;
	case PAGE_FILE_MAKES:
	case PAGE_FILE_PAIRS:
		make(export, class, payload, process);
		break;
	case PAGE_FILE_STREAMS:
		page_stream_set(export, process, number_of(payload, class->result), fd);
		break;
	case PAGE_FILE_CLOSES_RANGE:
		if (!(number_of(payload, class->flags) & CLOSES_NOTHING))
			page_descriptor_forget_range(export, process, fd, other);
		break;
	default:
		break;
	}
}

/* The number of the file that the call is told by a path, plus 1; 0: there is no room. */
static uint32_t file_of_path(struct export *export, const struct page_class *class,
			     const bt_field *payload, int64_t process, bool has_failed)
{
	const char *path = field_string(bt_field_structure_borrow_member_field_by_index_const(
		payload, (uint64_t) class->path));
	uint64_t dirfd = descriptor_of(payload, class->dirfd);
	bool is_none = strcmp(path, "(null)") == 0;

	/* freopen() without a path: the stream's file stays. */
	if (class->file_call == PAGE_FILE_OPENS_STREAM && class->fd >= 0 && is_none && !has_failed)
		return page_file_of_descriptor(export, process, descriptor_of(payload, class->fd));
	if (class->dirfd < 0 || (int32_t)dirfd == AT_FDCWD || *path == '/' || is_none)
		return page_file_named(export, path);
	return file_below(export, process, dirfd, path);
}

/* The number of the call's file, plus 1; 0: it has none, or there is no room. */
static uint32_t file_of_call(struct export *export, const struct page_class *class,
			     const bt_field *payload, int64_t process, bool has_failed)
{
	uint64_t fd = descriptor_of(payload, class->fd);

	switch (class->file_call) {
	case PAGE_FILE_PAIRS:
	case PAGE_FILE_CLOSES_STREAM:
	case PAGE_FILE_CLOSES_RANGE:
	case PAGE_FILE_FORKS:
		return 0;
	default:
		break;
	}
	if (class->path >= 0)
		return file_of_path(export, class, payload, process, has_failed);
	if (class->file_call == PAGE_FILE_OPENS_STREAM)
		return has_failed ? 0 : file_of_kind(export, class, fd);
	return class->fd < 0 ? 0 : page_file_of_descriptor(export, process, fd);
}

void page_files_event(struct export *export, const struct page_class *class,
		      const struct page_track *track, const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	int64_t process = track->track->process->pid;
	bool has_failed = number_of(payload, class->error) != 0;
	uint32_t number;

	page_descriptors_program(export, process, track->track->process->program);
	if (class->file_call == PAGE_FILE_FORKS) {
		if (!has_failed)
			page_descriptors_fork(export, process,
					      (int32_t)number_of(payload, class->result));
		return;
	}
	number = file_of_call(export, class, payload, process, has_failed);
	count_call(export, class, payload, number);
	if (number) {
		struct page_file *file = &page_of(export)->files.list[number - 1];
		bool opens = class->file_call == PAGE_FILE_OPENS ||
			     class->file_call == PAGE_FILE_OPENS_STREAM;

		file->opens += opens;
		file->failed += opens && has_failed;
		if (class->file_call == PAGE_FILE_MOVES && !has_failed)
			file->bytes += number_of(payload, class->result);
	}
	/* A stream is gone even where its closing fails, or its opening anew. */
	if (class->file_call == PAGE_FILE_CLOSES_STREAM)
		page_stream_close(export, process, number_of(payload, class->fd));
	else if (class->file_call == PAGE_FILE_OPENS_STREAM)
		page_stream_close(export, process, number_of(payload, class->other));
	if (!has_failed && (number || class->path < 0))
		follow(export, class, payload, process, number);
}

void page_files_free(struct page_files *files)
{
	free(files->list);
	free(files->places);
	free(files->descriptors);
}
