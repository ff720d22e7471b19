/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * exec.h - programs that this process executes, and into which our libraries are not preloaded.
 *
 * A program of another C library ends when its loader preloads a library of glibc's; one of
 * another word size or machine complains. The wrappers of exec (preload/exec.h) look at the file
 * before, execute such a program without our libraries in LD_PRELOAD, and name it to the daemon; as
 * they name a program whose caller leaves them out of its environment.
 *
 * All here is called in children of vfork and in handlers of signals: bare system calls, no
 * malloc, errno stays. Nothing is kept but what the registration keeps (attach.h).
 */
#ifndef LIBLTTNGMAP_ATTACH_EXEC_H
#define LIBLTTNGMAP_ATTACH_EXEC_H

#include <stdbool.h>
#include <stddef.h>

enum lttngmap_exec_file {
	LTTNGMAP_EXEC_TAKES,   /* our libraries; also a file that cannot be read */
	LTTNGMAP_EXEC_STATIC,  /* has no loader: nothing is preloaded, and nothing breaks */
	LTTNGMAP_EXEC_SECURE,  /* gains privileges: its loader ignores LD_PRELOAD */
	LTTNGMAP_EXEC_BARE,    /* is given none of them: see lttngmap_exec_is_bare() */
	LTTNGMAP_EXEC_FOREIGN, /* another C library's, another word size or machine */
};

/* The file that execveat() would execute. */
enum lttngmap_exec_file lttngmap_exec_look(int dirfd, const char *path, int flags);
/* The same of execvp(): without a '/' in the name, the first such program of PATH. */
enum lttngmap_exec_file lttngmap_exec_search(const char *name);

/* Bytes that lttngmap_exec_clean() wants; 0: `envp` preloads no library of ours. */
size_t lttngmap_exec_room(char *const *envp);
/* Does this program have our libraries by LD_PRELOAD, and `envp` none? False: where nobody can
 * read. */
bool lttngmap_exec_is_bare(const char *path, char *const *envp);
/* `envp` without our libraries in LD_PRELOAD, in `room`; LD_PRELOAD goes when nothing is left. */
char **lttngmap_exec_clean(char *const *envp, void *room);

/*
 * Process `pid`, a child, executes that program and is not traced; 0: this process is about to.
 * "" afterwards: this process could not.
 */
void lttngmap_exec_untraced(int pid, const char *path);

#endif /* LIBLTTNGMAP_ATTACH_EXEC_H */
