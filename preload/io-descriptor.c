/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * io-descriptor.c - descriptors that come of others, come in pairs or without a file, or go in
 * numbers, in the family io: the kinds of dup and pipe, socketpair, eventfd, close_range, and
 * fcntl.
 *
 * Events are as in io.c. fcntl's third argument is passed on as the C library takes it, as a
 * pointer, whatever it is and whether or not there is one.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "preload/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

/* Since glibc 2.34. */
int close_range(unsigned first, unsigned last, int flags);

#define NEXT_FUNCTIONS(X)                                                                          \
	X(dup)                                                                                     \
	X(dup2)                                                                                    \
	X(dup3)                                                                                    \
	X(fcntl)                                                                                   \
	X(fcntl64)                                                                                 \
	X(pipe)                                                                                    \
	X(pipe2)                                                                                   \
	X(socketpair)                                                                              \
	X(eventfd)                                                                                 \
	X(close_range)

#define NEXT_WHILE_FINDING (-1)
#include "preload/next.h"

#define EVENT IO_EVENT
#define CALL IO_CALL

EVENT(dup, (integer, int, fd));
EVENT(dup2, (integer, int, fd), (integer, int, to));
EVENT(dup3, (integer, int, fd), (integer, int, to), (hex, int, flags));
EVENT(fcntl, (integer, int, fd), (integer, int, command), (integer, int, argument));
EVENT(pipe, (integer, int, from), (integer, int, to), (hex, int, flags));
EVENT(socketpair, (integer, int, domain), (hex, int, type), (integer, int, protocol),
      (integer, int, from), (integer, int, to));
EVENT(eventfd, (integer, unsigned, value), (hex, int, flags));
EVENT(close_range, (integer, unsigned, first), (integer, unsigned, last), (hex, int, flags));

int dup(int fd)
{
	CALL(dup, int, NEXT(dup)(fd), fd);
}

int dup2(int fd, int to)
{
	CALL(dup2, int, NEXT(dup2)(fd, to), fd, to);
}

int dup3(int fd, int to, int flags)
{
	CALL(dup3, int, NEXT(dup3)(fd, to, flags), fd, to, flags);
}

#define TAKE_ARGUMENT(command)                                                                     \
	({                                                                                         \
		va_list arguments;                                                                 \
		void *argument_;                                                                   \
                                                                                                   \
		va_start(arguments, command);                                                      \
		argument_ = va_arg(arguments, void *);                                             \
		va_end(arguments);                                                                 \
		argument_;                                                                         \
	})

int fcntl(int fd, int command, ...)
{
	void *argument = TAKE_ARGUMENT(command);
	CALL(fcntl, int, NEXT(fcntl)(fd, command, argument), fd, command, (int)(intptr_t)argument);
}

int fcntl64(int fd, int command, ...)
{
	void *argument = TAKE_ARGUMENT(command);
	CALL(fcntl, int, NEXT(fcntl64)(fd, command, argument), fd, command,
	     (int)(intptr_t)argument);
}

/* The two descriptors are read only where the kernel has written them. */
#define END(i) (result == 0 ? ends[i] : -1)

int pipe(int ends[2])
{
	CALL(pipe, int, NEXT(pipe)(ends), END(0), END(1), 0);
}

int pipe2(int ends[2], int flags)
{
	CALL(pipe, int, NEXT(pipe2)(ends, flags), END(0), END(1), flags);
}

int socketpair(int domain, int type, int protocol, int ends[2])
{
	CALL(socketpair, int, NEXT(socketpair)(domain, type, protocol, ends), domain, type,
	     protocol, END(0), END(1));
}

int eventfd(unsigned value, int flags)
{
	CALL(eventfd, int, NEXT(eventfd)(value, flags), value, flags);
}

/* A program may look for the function, and find this one where the C library has none. */
static int next_close_range(unsigned first, unsigned last, int flags)
{
	__typeof__(&close_range) next = NEXT(close_range);

	if (next)
		return next(first, last, flags);
	errno = ENOSYS;
	return -1;
}

int close_range(unsigned first, unsigned last, int flags)
{
	CALL(close_range, int, next_close_range(first, last, flags), first, last, flags);
}
