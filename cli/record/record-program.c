/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-program.c - finds the file of a command, and decides whether a library can be preloaded
 * into it.
 */
#include <config.h>

#include "cli/record/record.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/program-search.h"
#include "cli/base/verb.h"
#include "common/base/elf-loader.h"

#define SCRIPTS_DEEP 4 /* a script's interpreter may be a script, as the kernel allows */

#if __SIZEOF_POINTER__ == 8
#define NATIVE_CLASS ELFCLASS64
#define native_ehdr Elf64_Ehdr
#define native_phdr Elf64_Phdr
#else
#define NATIVE_CLASS ELFCLASS32
#define native_ehdr Elf32_Ehdr
#define native_phdr Elf32_Phdr
#endif

/* Copies the interpreter of a "#!" line at the start of `head` to `path`. */
static bool script_interpreter(const char *head, size_t length, char *path, size_t size)
{
	size_t begin = 2, end;

	if (length < 3 || head[0] != '#' || head[1] != '!')
		return false;
	while (begin < length && (head[begin] == ' ' || head[begin] == '\t'))
		begin++;
	end = begin;
	while (end < length && !strchr(" \t\n", head[end]))
		end++;
	if (end == begin || end == length || end - begin >= size)
		return false;
	memcpy(path, head + begin, end - begin);
	path[end - begin] = '\0';
	return true;
}

/* Another C library's loader would end the program because of the preloaded libraries. */
static enum record_program_note judge_loader(int fd, const native_phdr *segment)
{
	char loader[257] = "";
	size_t size = segment->p_filesz < sizeof(loader) ? segment->p_filesz : sizeof(loader) - 1;

	if (pread(fd, loader, size, (off_t)segment->p_offset) < 0)
		return RECORD_PROGRAM_TRACEABLE;
	return elf_loader_is_glibc(loader) ? RECORD_PROGRAM_TRACEABLE : RECORD_PROGRAM_LIBC;
}

static enum record_program_note judge_elf(int fd, const char *head, size_t length)
{
	native_ehdr header;
	native_phdr segment;

	if (length < sizeof(header) || memcmp(head, ELFMAG, SELFMAG) != 0)
		return RECORD_PROGRAM_TRACEABLE; /* binfmt_misc knows the format */
	memcpy(&header, head, sizeof(header));
	if (header.e_ident[EI_CLASS] != NATIVE_CLASS)
		return RECORD_PROGRAM_FOREIGN;
	if (header.e_phentsize != sizeof(segment))
		return RECORD_PROGRAM_TRACEABLE;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		if (pread(fd, &segment, sizeof(segment), header.e_phoff + i * sizeof(segment)) !=
		    (ssize_t)sizeof(segment))
			return RECORD_PROGRAM_TRACEABLE;
		if (segment.p_type == PT_INTERP)
			return judge_loader(fd, &segment);
	}
	return RECORD_PROGRAM_STATIC;
}

/* True if the loader would run it in secure mode, and so ignore preloads. */
static bool is_secure(int fd)
{
	struct stat status;

	/* Such a program runs like any other if it cannot gain privileges. */
	if (geteuid() == 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || fstat(fd, &status) < 0)
		return false;
	if ((status.st_mode & S_ISUID) && status.st_uid != geteuid())
		return true;
	if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) && status.st_gid != getegid())
		return true;
	return fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* Judges the file. An unreadable file may still run. */
static enum record_program_note judge(struct record *record, unsigned depth)
{
	enum record_program_note note = RECORD_PROGRAM_TRACEABLE;
	char head[4096];
	ssize_t length;
	int fd;

	fd = open(record->interpreter, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return note;
	length = pread(fd, head, sizeof(head), 0);
	if (length > 0 &&
	    script_interpreter(head, length, record->interpreter, sizeof(record->interpreter))) {
		close(fd);
		return depth < SCRIPTS_DEEP ? judge(record, depth + 1) : note;
	}
	if (is_secure(fd))
		note = RECORD_PROGRAM_SECURE;
	else if (length > 0)
		note = judge_elf(fd, head, length);
	close(fd);
	return note;
}

int record_program_find(struct record *record)
{
	const char *name = record->command[0];
	int error = name[0] ? program_search(name, record->program, sizeof(record->program))
			    : ENOENT;

	if (error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG) {
		message_error("%s: cannot run '%s': %s", record->options.verb, name,
			      strchr(name, '/') ? strerror(error) : "command not found");
		message_hint(strchr(name, '/') ? "is the path right?"
					       : "is it installed, and in a directory of PATH?");
		return CLI_STATUS_NOT_FOUND;
	}
	if (error) {
		message_error("%s: cannot run '%s': %s", record->options.verb, name,
			      error == EISDIR ? "it is a directory" : strerror(error));
		if (error == EACCES)
			message_hint("it is not a file that you may execute; see chmod(1)");
		return CLI_STATUS_NOT_EXECUTABLE;
	}
	strcpy(record->interpreter, record->program);
	record->program_note = judge(record, 0);
	return 0;
}

bool record_program_refuses_preload(const struct record *record)
{
	return record->program_note == RECORD_PROGRAM_LIBC ||
	       record->program_note == RECORD_PROGRAM_FOREIGN;
}

const char *record_program_explain(const struct record *record)
{
	switch (record->program_note) {
	case RECORD_PROGRAM_STATIC:
		return "is statically linked: no library can be preloaded into it";
	case RECORD_PROGRAM_FOREIGN:
		return "is of another word size than the preloaded library";
	case RECORD_PROGRAM_LIBC:
		return "is linked with musl, or another C library that is not the preloaded "
		       "library's";
	case RECORD_PROGRAM_SECURE:
		return "gains privileges when executed (set-user-ID, set-group-ID or "
		       "capabilities), so that the dynamic loader preloads nothing into it";
	case RECORD_PROGRAM_TRACEABLE:
		break;
	}
	return NULL;
}
