/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * proc-exec.c - programs that are started, in this process or in one of their own.
 *
 * The wrapper looks at the file before the kernel does, for afterwards the program is gone:
 * see proc_text(). A vfork's child does this on its parent's stack, like all that it does.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>

#include "preload/proc.h"

#define MORE_NEXT_FUNCTIONS(X)                                                                     \
	X(system)                                                                                  \
	X(popen)                                                                                   \
	X(pclose)

#include "preload/exec.h"

/* ---- in this process ----------------------------------------------------------------- */

EVENT(exec_req, (string, path), (string, arguments));
EVENT(exec_ret, RESULT);
EVENT(fexecve_req, (integer, int, fd), (string, arguments));
EVENT(fexecve_ret, RESULT);
EVENT(execveat_req, (integer, int, dirfd), (string, path), (string, arguments), (hex, int, flags));
EVENT(execveat_ret, RESULT);

static __attribute__((noinline)) void tell_exec(const void *ip, const char *path, char *const *argv)
{
	char text[PROC_TEXT_MAX], arguments[PROC_TEXT_MAX];

	proc_text(text, sizeof(text), path);
	proc_arguments(arguments, sizeof(arguments), argv);
	lttngmap_tracepoint_at(ip, lttngmap_proc, exec_req, text, arguments);
}

#define EXEC(path, argv, call)                                                                     \
	int result;                                                                                \
                                                                                                   \
	if (lttngmap_tracepoint_enabled(lttngmap_proc, exec_req))                                  \
		tell_exec(__builtin_return_address(0), path, argv);                                \
	result = (call);                                                                           \
	EMIT(exec_ret, result, errno);                                                             \
	return result

int execve(const char *path, char *const argv[], char *const envp[])
{
	EXEC(path, argv, exec_path(path, argv, envp));
}

int execv(const char *path, char *const argv[])
{
	EXEC(path, argv, exec_path_same(path, argv));
}

int execvp(const char *file, char *const argv[])
{
	EXEC(file, argv, exec_search_same(file, argv));
}

int execvpe(const char *file, char *const argv[], char *const envp[])
{
	EXEC(file, argv, exec_search(file, argv, envp));
}

int execl(const char *path, const char *first, ...)
{
	TAKE_LIST(argv, first);
	va_end(list_);
	EXEC(path, argv, exec_path_same(path, argv));
}

int execlp(const char *file, const char *first, ...)
{
	TAKE_LIST(argv, first);
	va_end(list_);
	EXEC(file, argv, exec_search_same(file, argv));
}

int execle(const char *path, const char *first, ...)
{
	char *const *envp;
	TAKE_LIST(argv, first);
	envp = va_arg(list_, char *const *);
	va_end(list_);
	EXEC(path, argv, exec_path(path, argv, envp));
}

static __attribute__((noinline)) void tell_fexecve(const void *ip, int fd, char *const *argv)
{
	char arguments[PROC_TEXT_MAX];

	proc_arguments(arguments, sizeof(arguments), argv);
	lttngmap_tracepoint_at(ip, lttngmap_proc, fexecve_req, fd, arguments);
}

int fexecve(int fd, char *const argv[], char *const envp[])
{
	int result;

	if (lttngmap_tracepoint_enabled(lttngmap_proc, fexecve_req))
		tell_fexecve(__builtin_return_address(0), fd, argv);
	result = exec_fd(fd, argv, envp);
	EMIT(fexecve_ret, result, errno);
	return result;
}

static __attribute__((noinline)) void tell_execveat(const void *ip, int dirfd, const char *path,
						    char *const *argv, int flags)
{
	char text[PROC_TEXT_MAX], arguments[PROC_TEXT_MAX];

	proc_text(text, sizeof(text), path);
	proc_arguments(arguments, sizeof(arguments), argv);
	lttngmap_tracepoint_at(ip, lttngmap_proc, execveat_req, dirfd, text, arguments, flags);
}

int execveat(int dirfd, const char *path, char *const argv[], char *const envp[], int flags)
{
	int result;

	if (lttngmap_tracepoint_enabled(lttngmap_proc, execveat_req))
		tell_execveat(__builtin_return_address(0), dirfd, path, argv, flags);
	result = exec_at(dirfd, path, argv, envp, flags);
	EMIT(execveat_ret, result, errno);
	return result;
}

/* ---- in one of their own ------------------------------------------------------------- */

EVENT(posix_spawn, (string, path), (string, arguments), (integer, int, child), WAITED);
EVENT(system, (string, command), WAITED);
EVENT(popen, (string, command), (string, type), (pointer, result), (integer, int, error));
EVENT(pclose, (pointer, stream), WAITED);

/* The error is what the call returns. */
static __attribute__((noinline)) void tell_spawn(const void *ip, const char *path,
						 char *const *argv, int child, int result,
						 uint64_t duration)
{
	char text[PROC_TEXT_MAX], arguments[PROC_TEXT_MAX];

	proc_text(text, sizeof(text), path);
	proc_arguments(arguments, sizeof(arguments), argv);
	lttngmap_tracepoint_at(ip, lttngmap_proc, posix_spawn, text, arguments, child, result,
			       result, duration);
}

#define SPAWN(call)                                                                                \
	uint64_t begin = lttngmap_tracepoint_enabled(lttngmap_proc, posix_spawn) ? proc_now() : 0; \
	pid_t child = 0;                                                                           \
	int result = (call);                                                                       \
                                                                                                   \
	if (pid && result == 0)                                                                    \
		*pid = child;                                                                      \
	if (begin)                                                                                 \
		tell_spawn(__builtin_return_address(0), path, argv, child, result,                 \
			   proc_now() - begin);                                                    \
	return result

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	SPAWN(spawn_next(NEXT(posix_spawn), lttngmap_exec_look(AT_FDCWD, path, 0), &child, path,
			 actions, attributes, argv, envp));
}

int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	SPAWN(spawn_next(NEXT(posix_spawnp), lttngmap_exec_search(path), &child, path, actions,
			 attributes, argv, envp));
}

static __attribute__((noinline)) void tell_system(const void *ip, const char *command, int result,
						  int error, uint64_t duration)
{
	char text[PROC_TEXT_MAX];

	proc_text(text, sizeof(text), command);
	lttngmap_tracepoint_at(ip, lttngmap_proc, system, command ? text : NULL, result, error,
			       duration);
}

int system(const char *command)
{
	uint64_t begin = lttngmap_tracepoint_enabled(lttngmap_proc, system) ? proc_now() : 0;
	int result = NEXT(system)(command);

	if (begin)
		tell_system(__builtin_return_address(0), command, result, result < 0 ? errno : 0,
			    proc_now() - begin);
	return result;
}

static __attribute__((noinline)) void tell_popen(const void *ip, const char *command,
						 const char *type, const void *result)
{
	char text[PROC_TEXT_MAX], how[8];

	proc_text(text, sizeof(text), command);
	proc_text(how, sizeof(how), type);
	lttngmap_tracepoint_at(ip, lttngmap_proc, popen, text, how, result, result ? 0 : errno);
}

/* Never what is no stream, as -1 would be. */
FILE *popen(const char *command, const char *type)
{
	FILE *result = next_finding ? NULL : NEXT(popen)(command, type);

	if (lttngmap_tracepoint_enabled(lttngmap_proc, popen))
		tell_popen(__builtin_return_address(0), command, type, result);
	return result;
}

int pclose(FILE *stream)
{
	WAITING_CALL(pclose, int, NEXT(pclose)(stream), stream, );
}
