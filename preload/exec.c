/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * exec.c - what a traced program executes, where it cannot take our libraries, is executed without
 * them: see exec.h. In each family but proc, which has events of these.
 *
 * vfork() leads to liblttngmap's (liblttngmap/base/vfork.c). In a program that is only preloaded
 * into, liblttngmap comes behind the C library: the loader's order is the program, what is
 * preloaded, what the program needs, and then what that needs.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "preload/exec.h"

int execve(const char *path, char *const argv[], char *const envp[])
{
	return exec_path(path, argv, envp);
}

int execv(const char *path, char *const argv[])
{
	return exec_path_same(path, argv);
}

int execvp(const char *file, char *const argv[])
{
	return exec_search_same(file, argv);
}

int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return exec_search(file, argv, envp);
}

int execl(const char *path, const char *first, ...)
{
	TAKE_LIST(argv, first);
	va_end(list_);
	return exec_path_same(path, argv);
}

int execlp(const char *file, const char *first, ...)
{
	TAKE_LIST(argv, first);
	va_end(list_);
	return exec_search_same(file, argv);
}

int execle(const char *path, const char *first, ...)
{
	char *const *envp;
	TAKE_LIST(argv, first);
	envp = va_arg(list_, char *const *);
	va_end(list_);
	return exec_path(path, argv, envp);
}

int fexecve(int fd, char *const argv[], char *const envp[])
{
	return exec_fd(fd, argv, envp);
}

int execveat(int dirfd, const char *path, char *const argv[], char *const envp[], int flags)
{
	return exec_at(dirfd, path, argv, envp, flags);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	return spawn_next(NEXT(posix_spawn), lttngmap_exec_look(AT_FDCWD, path, 0), pid, path,
			  actions, attributes, argv, envp);
}

int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	return spawn_next(NEXT(posix_spawnp), lttngmap_exec_search(path), pid, path, actions,
			  attributes, argv, envp);
}

/* A jump, for the return address is to be on top of the stack there. */
__asm__(".pushsection .text, \"ax\", @progbits\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n\t"
	".cfi_startproc\n\t"
	"jmp *lttngmap_vfork@GOTPCREL(%rip)\n\t"
	".cfi_endproc\n\t"
	".size vfork, . - vfork\n"
	".popsection\n");
