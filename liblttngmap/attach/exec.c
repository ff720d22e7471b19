/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/attach/exec.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/base/elf-loader.h"
#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/attach.h"
#include "liblttngmap/attach/sandbox.h"

#define EXPORT __attribute__((visibility("default")))

#define SCRIPTS_DEEP 4 /* a script's interpreter may be a script, as the kernel allows */
#define HEAD_SIZE 256  /* of a file, as much as the kernel looks at */
#define PATH_SIZE 1024 /* longer ones are not looked for: this may be a small stack */
#define PAGE_SIZE 4096u

static const char preload_name[] = "LD_PRELOAD=";
/* The child of this thread that was told last: wrappers of several families tell of it. */
static __thread int told_pid __attribute__((tls_model("initial-exec")));

/* ---- the file ------------------------------------------------------------------------------ */

struct head {
	char bytes[HEAD_SIZE + 1]; /* a NUL behind it */
	long length;
};

/*
 * Has the program of this file other rights than who started this process? Then its loader
 * ignores LD_PRELOAD. The kernel heeds neither mode nor capabilities where nosuid or
 * no_new_privs is set. `fd`: negative where the file cannot be read.
 */
static bool is_secure(long fd, const struct stat *status)
{
	uint32_t uid = (uint32_t)arch_syscall(SYS_getuid), gid = (uint32_t)arch_syscall(SYS_getgid);
	uint32_t user = (uint32_t)arch_syscall(SYS_geteuid);
	uint32_t group = (uint32_t)arch_syscall(SYS_getegid);
	struct statfs mount;

	if (sandbox_is_on())
		return false;
	if (arch_syscall(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
	    (fd >= 0 && arch_syscall(SYS_fstatfs, fd, &mount) == 0 && mount.f_flags & ST_NOSUID))
		return user != uid || group != gid;
	if (status->st_mode & S_ISUID)
		user = status->st_uid;
	if ((status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
		group = status->st_gid;
	if (user != uid || group != gid)
		return true;
	/* Root has them all. */
	return uid != 0 && fd >= 0 &&
	       arch_syscall(SYS_fgetxattr, fd, "security.capability", NULL, 0) > 0;
}

static enum lttngmap_exec_file judge_elf(long fd, const struct head *head)
{
	char loader[HEAD_SIZE];
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	memcpy(&header, head->bytes, sizeof(header));
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64)
		return LTTNGMAP_EXEC_FOREIGN;
	if (header.e_phentsize != sizeof(segment))
		return LTTNGMAP_EXEC_TAKES;
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		long length;

		if (arch_syscall(SYS_pread64, fd, &segment, sizeof(segment),
				 header.e_phoff + i * sizeof(segment)) != sizeof(segment))
			return LTTNGMAP_EXEC_TAKES;
		if (segment.p_type != PT_INTERP)
			continue;
		length =
			arch_syscall(SYS_pread64, fd, loader, sizeof(loader) - 1, segment.p_offset);
		if (length < 0)
			return LTTNGMAP_EXEC_TAKES;
		loader[length] = '\0';
		return elf_loader_is_glibc(loader) ? LTTNGMAP_EXEC_TAKES : LTTNGMAP_EXEC_FOREIGN;
	}
	return LTTNGMAP_EXEC_STATIC;
}

/* The interpreter of a "#!" line; NULL: there is none. */
static const char *script_interpreter(struct head *head)
{
	char *name = head->bytes + 2;

	if (head->bytes[0] != '#' || head->bytes[1] != '!')
		return NULL;
	name += strspn(name, " \t");
	name[strcspn(name, " \t\n")] = '\0';
	return *name ? name : NULL;
}

struct program {
	long fd; /* negative: it cannot be read */
	struct stat status;
};

/* Opens the file. False: nobody can execute it. No FIFO is opened. */
static bool open_program(int dirfd, const char *path, int flags, struct program *program)
{
	if (arch_syscall(SYS_newfstatat, dirfd, path, &program->status, flags & AT_EMPTY_PATH) <
		    0 ||
	    !S_ISREG(program->status.st_mode) || !(program->status.st_mode & 0111))
		return false;
	/* An empty path means the descriptor itself, of which only its name can be opened. */
	program->fd = flags & AT_EMPTY_PATH && !*path
			      ? arch_syscall(SYS_fcntl, dirfd, F_DUPFD_CLOEXEC, 0)
			      : arch_syscall(SYS_openat, dirfd, path,
					     O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return true;
}

/* Closes the file. */
static enum lttngmap_exec_file look(struct program *program)
{
	enum lttngmap_exec_file found = LTTNGMAP_EXEC_TAKES;
	bool is_found = true;

	for (int depth = 0; is_found; depth++) {
		const char *interpreter;
		struct head head;

		head.length = arch_syscall(SYS_pread64, program->fd, head.bytes, HEAD_SIZE, 0);
		head.bytes[head.length > 0 ? head.length : 0] = '\0';
		if (head.length >= (long)sizeof(Elf64_Ehdr) &&
		    memcmp(head.bytes, ELFMAG, SELFMAG) == 0)
			found = judge_elf(program->fd, &head);
		interpreter = depth < SCRIPTS_DEEP ? script_interpreter(&head) : NULL;
		/* The kernel ignores the mode of a script. */
		if (found == LTTNGMAP_EXEC_TAKES && !interpreter &&
		    is_secure(program->fd, &program->status))
			found = LTTNGMAP_EXEC_SECURE;
		if (program->fd >= 0)
			arch_syscall(SYS_close, program->fd);
		is_found = interpreter && open_program(AT_FDCWD, interpreter, 0, program);
	}
	return found;
}

EXPORT enum lttngmap_exec_file lttngmap_exec_look(int dirfd, const char *path, int flags)
{
	struct program program;

	/* Each of these wrappers looks before the first one has a child. */
	told_pid = 0;
	return open_program(dirfd, path, flags, &program) ? look(&program) : LTTNGMAP_EXEC_TAKES;
}

EXPORT enum lttngmap_exec_file lttngmap_exec_search(const char *name)
{
	const char *list = getenv("PATH");
	size_t length = strlen(name);
	struct program program;
	char path[PATH_SIZE];

	if (strchr(name, '/'))
		return lttngmap_exec_look(AT_FDCWD, name, 0);
	told_pid = 0;
	for (list = list ? list : "/bin:/usr/bin";; list++) {
		size_t prefix = strcspn(list, ":");

		if (prefix + length + 2 <= sizeof(path)) {
			memcpy(path, list, prefix);
			path[prefix] = '/';
			memcpy(path + prefix + (prefix > 0), name, length + 1);
			if (open_program(AT_FDCWD, path, 0, &program))
				return look(&program);
		}
		list += prefix;
		if (!*list)
			return LTTNGMAP_EXEC_TAKES;
	}
}

/* ---- its environment ------------------------------------------------------------------------- */

/* A path of LD_PRELOAD's whose file is one of ours. */
static bool is_ours(const char *word, size_t length)
{
	static const char ours[] = "liblttngmap";
	size_t begin = length;

	while (begin > 0 && word[begin - 1] != '/')
		begin--;
	return length - begin > strlen(ours) && memcmp(word + begin, ours, strlen(ours)) == 0;
}

/* The words that are not ours go into `to`, unless that is NULL. True: some were. */
static bool leave_out(const char *list, char *to)
{
	bool found = false;
	char *begin = to;

	while (*list) {
		size_t length = strcspn(list, " :");

		if (is_ours(list, length)) {
			found = true;
		} else if (to && length > 0) {
			if (to > begin)
				*to++ = ':';
			memcpy(to, list, length);
			to += length;
		}
		list += length + (list[length] != '\0');
	}
	if (to)
		*to = '\0';
	return found;
}

static bool is_preload(const char *variable)
{
	return strncmp(variable, preload_name, strlen(preload_name)) == 0;
}

EXPORT size_t lttngmap_exec_room(char *const *envp)
{
	size_t size = sizeof(*envp);
	bool found = false;

	for (; envp && *envp; envp++) {
		size += sizeof(*envp);
		if (!is_preload(*envp))
			continue;
		size += strlen(*envp) + 1;
		found |= leave_out(*envp + strlen(preload_name), NULL);
	}
	return found ? size : 0;
}

/*
 * True if this program began with the library preloaded: it may empty its environment before it
 * executes another one.
 */
static bool is_preloaded;

__attribute__((constructor)) static void look_at_environment(void)
{
	is_preloaded = lttngmap_exec_room(environ) > 0;
}

/*
 * May the byte be read? `page` was found to be readable. The kernel is asked for a copy: valgrind,
 * which looks at what other system calls are given, says nothing of this one.
 */
static bool is_readable(const void *at, uintptr_t *page)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { (void *)at, 1 };

	if ((uintptr_t)at / PAGE_SIZE == *page)
		return true;
	if (arch_syscall(SYS_process_vm_readv, arch_syscall(SYS_getpid), &here, 1, &there, 1, 0) !=
	    1)
		return false;
	*page = (uintptr_t)at / PAGE_SIZE;
	return true;
}

static bool is_text(const char *at, uintptr_t *page)
{
	while (is_readable(at, page)) {
		if (!*at++)
			return true;
	}
	return false;
}

/* Arguments that cannot be read are left for the kernel to refuse. */
EXPORT bool lttngmap_exec_is_bare(const char *path, char *const *envp)
{
	uintptr_t page = UINTPTR_MAX, text_page = UINTPTR_MAX;

	if (!is_preloaded || sandbox_is_on() || !is_text(path, &text_page))
		return false;
	for (; envp; envp++) {
		if (!is_readable(envp, &page) || !is_readable((const char *)(envp + 1) - 1, &page))
			return false;
		if (!*envp)
			break;
		if (!is_text(*envp, &text_page))
			return false;
		if (is_preload(*envp) && leave_out(*envp + strlen(preload_name), NULL))
			return false;
	}
	return true;
}

EXPORT char **lttngmap_exec_clean(char *const *envp, void *room)
{
	char **clean = room, **to = clean, *text;
	size_t count = 0;

	while (envp[count])
		count++;
	text = (char *)(clean + count + 1);
	for (; *envp; envp++) {
		*to = *envp;
		if (is_preload(*envp)) {
			memcpy(text, preload_name, sizeof(preload_name));
			leave_out(*envp + strlen(preload_name), text + strlen(preload_name));
			*to = text;
			text += strlen(text) + 1;
			if (!(*to)[strlen(preload_name)])
				continue;
		}
		to++;
	}
	*to = NULL;
	return clean;
}

EXPORT void lttngmap_exec_untraced(int pid, const char *path)
{
	const char *base = strrchr(path, '/');

	if (pid > 0 && pid == told_pid)
		return;
	told_pid = pid;
	attach_tell_executed(pid, base ? base + 1 : path);
}
