/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * exec.h - how each wrapper of exec and posix_spawn calls the function behind it: a program that
 * cannot take our libraries is executed without them (liblttngmap/attach/exec.h). exec.c has these
 * wrappers for each family, proc-exec.c the family's own, with events.
 *
 * With several families preloaded, each wrapper inspects the file; the first one removes all of our
 * libraries from the environment. A program that takes them, and gets them, is called with what the
 * caller gave, by a jump where the compiler can: so the next family sees the caller's address.
 *
 * A file that includes this, and wraps more, defines MORE_NEXT_FUNCTIONS(X) before.
 */
#ifndef PRELOAD_EXEC_H
#define PRELOAD_EXEC_H

#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <unistd.h>

/* An error: for these calls, 0 would be the opposite of the truth. */
#ifndef NEXT_WHILE_FINDING
#define NEXT_WHILE_FINDING (-1)
#endif
#ifndef MORE_NEXT_FUNCTIONS
#define MORE_NEXT_FUNCTIONS(X)
#endif

#define NEXT_FUNCTIONS(X)                                                                          \
	X(execv)                                                                                   \
	X(execve)                                                                                  \
	X(execvp)                                                                                  \
	X(execvpe)                                                                                 \
	X(fexecve)                                                                                 \
	X(execveat)                                                                                \
	X(posix_spawn)                                                                             \
	X(posix_spawnp)                                                                            \
	MORE_NEXT_FUNCTIONS(X)

/* The older ones run a file that is no program by the shell. */
#define NEXT_VERSIONS(X)                                                                           \
	X(posix_spawn, "GLIBC_2.2.5", "GLIBC_2.15")                                                \
	X(posix_spawnp, "GLIBC_2.2.5", "GLIBC_2.15")

#include "liblttngmap/attach/exec.h"
#include "preload/next.h"

/* The arguments of execveat(); `search`: of execvpe(). */
struct exec_call {
	const char *path;
	char *const *argv;
	char *const *envp;
	int dirfd;
	int flags;
	bool search;
};

static inline int exec_without(const struct exec_call *call, char *const *envp)
{
	if (call->search)
		return NEXT(execvpe)(call->path, call->argv, envp);
	if (call->flags & AT_EMPTY_PATH && !*call->path)
		return NEXT(fexecve)(call->dirfd, call->argv, envp);
	if (call->flags || call->dirfd != AT_FDCWD)
		return NEXT(execveat)(call->dirfd, call->path, call->argv, envp, call->flags);
	return NEXT(execve)(call->path, call->argv, envp);
}

/* An environment without our libraries gives the program none, whatever it would take. */
static inline enum lttngmap_exec_file exec_judge(enum lttngmap_exec_file file, const char *path,
						 char *const *envp)
{
	return lttngmap_exec_is_bare(path, envp) ? LTTNGMAP_EXEC_BARE : file;
}

static __attribute__((noinline)) int exec_left(const struct exec_call *call,
					       enum lttngmap_exec_file file)
{
	size_t size = lttngmap_exec_room(call->envp);
	bool is_named = size > 0 || file == LTTNGMAP_EXEC_BARE;
	char room[size + sizeof(char *)] __attribute__((aligned(sizeof(char *))));
	char *const *envp = call->envp;
	int result;

	if (is_named)
		lttngmap_exec_untraced(0, *call->path ? call->path : call->argv[0]);
	if (size > 0 && file == LTTNGMAP_EXEC_FOREIGN)
		envp = lttngmap_exec_clean(envp, room);
	result = exec_without(call, envp);
	if (is_named)
		lttngmap_exec_untraced(0, "");
	return result;
}

/* EXEC_NEXT(look, path, environment, call, other members of struct exec_call): `call`, where the
 * program takes our libraries, and gets them. */
#define EXEC_NEXT(look, path_, environment, call, ...)                                             \
	({                                                                                         \
		char *const *envp_ = (environment);                                                \
		enum lttngmap_exec_file file_ = exec_judge((look), path_, envp_);                  \
		file_ == LTTNGMAP_EXEC_TAKES ? (call)                                              \
					     : exec_left(&(struct exec_call){ .path = path_,       \
									      .envp = envp_,       \
									      __VA_ARGS__ },       \
							 file_);                                   \
	})

static inline int exec_path(const char *path, char *const argv[], char *const envp[])
{
	return EXEC_NEXT(lttngmap_exec_look(AT_FDCWD, path, 0), path, envp,
			 NEXT(execve)(path, argv, envp), .dirfd = AT_FDCWD, .argv = argv);
}

static inline int exec_path_same(const char *path, char *const argv[])
{
	return EXEC_NEXT(lttngmap_exec_look(AT_FDCWD, path, 0), path, environ,
			 NEXT(execv)(path, argv), .dirfd = AT_FDCWD, .argv = argv);
}

static inline int exec_search_same(const char *name, char *const argv[])
{
	return EXEC_NEXT(lttngmap_exec_search(name), name, environ, NEXT(execvp)(name, argv),
			 .argv = argv, .search = true);
}

static inline int exec_search(const char *name, char *const argv[], char *const envp[])
{
	return EXEC_NEXT(lttngmap_exec_search(name), name, envp, NEXT(execvpe)(name, argv, envp),
			 .argv = argv, .search = true);
}

static inline int exec_fd(int fd, char *const argv[], char *const envp[])
{
	return EXEC_NEXT(lttngmap_exec_look(fd, "", AT_EMPTY_PATH), "", envp,
			 NEXT(fexecve)(fd, argv, envp), .dirfd = fd, .flags = AT_EMPTY_PATH,
			 .argv = argv);
}

static inline int exec_at(int dirfd, const char *path, char *const argv[], char *const envp[],
			  int flags)
{
	return EXEC_NEXT(lttngmap_exec_look(dirfd, path, flags), path, envp,
			 NEXT(execveat)(dirfd, path, argv, envp, flags), .dirfd = dirfd,
			 .flags = flags, .argv = argv);
}

typedef int spawn_function(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes, char *const argv[],
			   char *const envp[]);

static __attribute__((noinline)) int spawn_left(spawn_function *next, enum lttngmap_exec_file file,
						pid_t *pid, const char *path,
						const posix_spawn_file_actions_t *actions,
						const posix_spawnattr_t *attributes,
						char *const argv[], char *const envp[])
{
	size_t size = lttngmap_exec_room(envp);
	bool is_named = size > 0 || file == LTTNGMAP_EXEC_BARE;
	char room[size + sizeof(char *)] __attribute__((aligned(sizeof(char *))));
	pid_t child = 0;
	int result;

	if (size > 0 && file == LTTNGMAP_EXEC_FOREIGN)
		envp = lttngmap_exec_clean(envp, room);
	result = next(&child, path, actions, attributes, argv, envp);
	if (pid && result == 0)
		*pid = child;
	if (is_named && result == 0)
		lttngmap_exec_untraced(child, path);
	return result;
}

static inline int spawn_next(spawn_function *next, enum lttngmap_exec_file file, pid_t *pid,
			     const char *path, const posix_spawn_file_actions_t *actions,
			     const posix_spawnattr_t *attributes, char *const argv[],
			     char *const envp[])
{
	file = exec_judge(file, path, envp);
	if (file == LTTNGMAP_EXEC_TAKES)
		return next(pid, path, actions, attributes, argv, envp);
	return spawn_left(next, file, pid, path, actions, attributes, argv, envp);
}

/* An array of what the caller lists, and the NULL after it: on the stack, as in the C library. */
#define TAKE_LIST(argv, first)                                                                     \
	size_t count_ = 1;                                                                         \
	va_list list_;                                                                             \
                                                                                                   \
	va_start(list_, first);                                                                    \
	while (va_arg(list_, char *))                                                              \
		count_++;                                                                          \
	va_end(list_);                                                                             \
	char *argv[count_ + 1];                                                                    \
	va_start(list_, first);                                                                    \
	argv[0] = (char *)first;                                                                   \
	for (size_t i_ = 1; i_ <= count_; i_++)                                                    \
	argv[i_] = va_arg(list_, char *)

#endif /* PRELOAD_EXEC_H */
