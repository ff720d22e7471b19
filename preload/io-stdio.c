/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * io-stdio.c - which files and directories a program opens as streams, in the family io: fopen,
 * freopen, fdopen, tmpfile, fclose; opendir, fdopendir and closedir; and dprintf. popen and pclose
 * are in the family proc.
 *
 * Events are as in io.c, and `result` of a call that returns a stream is its address, 0 where the
 * call failed; `fd` is the descriptor of the stream, -1 where there is none. A wrapper reads a path
 * only after the kernel has read it, and of a mode the bytes that the C library has read.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

#define NEXT_FUNCTIONS(X)                                                                          \
	X(fopen)                                                                                   \
	X(fopen64)                                                                                 \
	X(freopen)                                                                                 \
	X(freopen64)                                                                               \
	X(fdopen)                                                                                  \
	X(tmpfile)                                                                                 \
	X(tmpfile64)                                                                               \
	X(fclose)                                                                                  \
	X(opendir)                                                                                 \
	X(fdopendir)                                                                               \
	X(closedir)                                                                                \
	X(vdprintf)                                                                                \
	X(__vdprintf_chk)

/* A nested call returns no stream (NEXT_WHILE_FINDING: 0). */
#include "preload/io.h"
#include "preload/next.h"

/* The C library reads at least so many bytes of a mode that it does not refuse. */
#define MODE_SIZE 5

#define EVENT(name, ...)                                                                           \
	LTTNGMAP_TRACEPOINT(lttngmap_io, name, IO_LEVEL, __VA_ARGS__, (integer, int, error),       \
			    (integer, uint64_t, duration))
EVENT(fopen, (string, path), (string, mode), (integer, int, fd), (pointer, result));
EVENT(freopen, (string, path), (string, mode), (pointer, file), (integer, int, fd),
      (pointer, result));
EVENT(fdopen, (integer, int, fd), (string, mode), (pointer, result));
EVENT(tmpfile, (integer, int, fd), (pointer, result));
EVENT(fclose, (pointer, file), (integer, int64_t, result));
EVENT(opendir, (string, path), (integer, int, fd), (pointer, result));
EVENT(fdopendir, (integer, int, fd), (pointer, result));
EVENT(closedir, (pointer, directory), (integer, int64_t, result));

/* Does what IO_CALL() does, for a call that returns a stream. */
#define OPEN(name, call, ...)                                                                      \
	uint64_t begin = lttngmap_tracepoint_enabled(lttngmap_io, name) ? io_now() : 0;            \
	__auto_type result = (call);                                                               \
	int error = result ? 0 : errno;                                                            \
	char known_mode[MODE_SIZE + 1];                                                            \
                                                                                                   \
	(void)error;                                                                               \
	(void)known_mode;                                                                          \
	if (begin)                                                                                 \
		lttngmap_tracepoint_at(__builtin_return_address(0), lttngmap_io, name,             \
				       ##__VA_ARGS__, result, error, io_now() - begin);            \
	return result

/* EINVAL: a mode may have been refused for its first byte. ENOMEM: none was read. */
static const char *copy_mode(const char *mode, int error, char copy[MODE_SIZE + 1])
{
	size_t known = error == ENOMEM ? 0 : error == EINVAL ? 1 : MODE_SIZE, i;

	for (i = 0; i < known && mode[i]; i++)
		copy[i] = mode[i];
	copy[i] = '\0';
	return copy;
}

#define PATH io_known_path(path, error)
#define MODE copy_mode(mode, error, known_mode)
#define FILENO (result ? fileno(result) : -1)

FILE *fopen(const char *path, const char *mode)
{
	OPEN(fopen, NEXT(fopen)(path, mode), PATH, MODE, FILENO);
}

FILE *fopen64(const char *path, const char *mode)
{
	OPEN(fopen, NEXT(fopen64)(path, mode), PATH, MODE, FILENO);
}

/* Without a path it changes the mode alone. */
FILE *freopen(const char *path, const char *mode, FILE *file)
{
	OPEN(freopen, NEXT(freopen)(path, mode, file), PATH, MODE, file, FILENO);
}

FILE *freopen64(const char *path, const char *mode, FILE *file)
{
	OPEN(freopen, NEXT(freopen64)(path, mode, file), PATH, MODE, file, FILENO);
}

FILE *fdopen(int fd, const char *mode)
{
	OPEN(fdopen, NEXT(fdopen)(fd, mode), fd, MODE);
}

FILE *tmpfile(void)
{
	OPEN(tmpfile, NEXT(tmpfile)(), FILENO);
}

FILE *tmpfile64(void)
{
	OPEN(tmpfile, NEXT(tmpfile64)(), FILENO);
}

/* Does what IO_CALL() does, for a call after which its argument is no stream any more. */
#define CLOSE(name, stream)                                                                        \
	uint64_t begin = lttngmap_tracepoint_enabled(lttngmap_io, name) ? io_now() : 0;            \
	uintptr_t address = (uintptr_t)(stream);                                                   \
	int result = NEXT(name)(stream), error = result ? errno : 0;                               \
                                                                                                   \
	if (begin)                                                                                 \
		lttngmap_tracepoint_at(__builtin_return_address(0), lttngmap_io, name,             \
				       (void *)address, result, error, io_now() - begin);          \
	return result

int fclose(FILE *file)
{
	CLOSE(fclose, file);
}

DIR *opendir(const char *path)
{
	OPEN(opendir, NEXT(opendir)(path), PATH, result ? dirfd(result) : -1);
}

DIR *fdopendir(int fd)
{
	OPEN(fdopendir, NEXT(fdopendir)(fd), fd);
}

int closedir(DIR *directory)
{
	CLOSE(closedir, directory);
}

/* ---- formatted writing ------------------------------------------------------------- */

int __dprintf_chk(int fd, int flag, const char *format, ...);
int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments);

IO_EVENT(dprintf, (integer, int, fd));

#define CALL IO_CALL
#define WITH_ARGUMENTS(call)                                                                       \
	({                                                                                         \
		va_list arguments;                                                                 \
		int result_;                                                                       \
                                                                                                   \
		va_start(arguments, format);                                                       \
		result_ = (call);                                                                  \
		va_end(arguments);                                                                 \
		result_;                                                                           \
	})

int dprintf(int fd, const char *format, ...)
{
	CALL(dprintf, int, WITH_ARGUMENTS(NEXT(vdprintf)(fd, format, arguments)), fd);
}

int vdprintf(int fd, const char *format, va_list arguments)
{
	CALL(dprintf, int, NEXT(vdprintf)(fd, format, arguments), fd);
}

int __dprintf_chk(int fd, int flag, const char *format, ...)
{
	CALL(dprintf, int, WITH_ARGUMENTS(NEXT(__vdprintf_chk)(fd, flag, format, arguments)), fd);
}

int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
{
	CALL(dprintf, int, NEXT(__vdprintf_chk)(fd, flag, format, arguments), fd);
}
