/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/proc.h"

#define PAGE 4096u
#define NO_SUCH_WAY (-1)

/* A pointer that a program hands over, and up to where it is known that it can be read. */
struct reader {
	uintptr_t readable_end;
};

struct writer {
	char *at;
	char *end; /* of what there is room for, without the NUL */
};

/*
 * The kernel is asked for a copy, of which valgrind says nothing. Where that is not allowed, it
 * reads a signal mask there before it finds that it does not know what to do with it: a system call
 * that is allowed wherever a program may start others.
 */
static bool is_readable(struct reader *reader, uintptr_t address)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { (void *)address, 1 };

	if (address < reader->readable_end && reader->readable_end - address <= PAGE)
		return true;
	if (syscall(SYS_process_vm_readv, getpid(), &here, 1, &there, 1, 0) != 1 &&
	    (errno == EFAULT ||
	     syscall(SYS_rt_sigprocmask, NO_SUCH_WAY, address & ~(uintptr_t)7, NULL, 8) == 0 ||
	     errno != EINVAL))
		return false;
	reader->readable_end = (address & ~(uintptr_t)(PAGE - 1)) + PAGE;
	return true;
}

/* False: it could not be read to its end. */
static bool copy_text(struct writer *writer, const char *from)
{
	struct reader reader = { 0 };

	for (; is_readable(&reader, (uintptr_t)from); from++) {
		if (!*from || writer->at == writer->end)
			return true;
		*writer->at++ = *from;
	}
	return false;
}

void proc_text(char *to, size_t size, const char *from)
{
	struct writer writer = { to, to + size - 1 };
	int saved_errno = errno;

	copy_text(&writer, from);
	*writer.at = '\0';
	errno = saved_errno;
}

/* The pointer at `argv`; NULL also where there is none that can be read. */
static const char *argument(struct reader *reader, char *const *argv)
{
	uintptr_t first = (uintptr_t)argv;
	char *found;

	if (!is_readable(reader, first) || !is_readable(reader, first + sizeof(*argv) - 1))
		return NULL;
	memcpy(&found, argv, sizeof(found));
	return found;
}

void proc_arguments(char *to, size_t size, char *const *argv)
{
	struct writer writer = { to, to + size - 1 };
	struct reader reader = { 0 };
	int saved_errno = errno;
	const char *from;

	for (; writer.at < writer.end && (from = argument(&reader, argv)) != NULL; argv++) {
		if (writer.at > to)
			*writer.at++ = ' ';
		if (!copy_text(&writer, from))
			break;
	}
	*writer.at = '\0';
	errno = saved_errno;
}
