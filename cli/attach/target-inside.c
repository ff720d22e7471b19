/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* target-inside.c - what a process has mapped, and where in it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <config.h>

#include "cli/attach/target-private.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBC "libc.so.6"
/* Functions of malloc.c that are not exported lie among and around those that are. */
#define MALLOC_MARGIN (16u * 1024u)

/* No file of debugging information is looked for: what is mapped is enough. */
static int find_no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			     const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	*found = NULL;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = find_no_debuginfo,
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A defined function that others may call, in a module; 0: there is none. */
static uint64_t find_function(Dwfl_Module *module, const char *name)
{
	int count = dwfl_module_getsymtab(module);

	for (int i = 0; i < count; i++) {
		GElf_Word section;
		GElf_Addr address;
		GElf_Sym symbol;
		const char *found =
			dwfl_module_getsym_info(module, i, &symbol, &address, &section, NULL, NULL);

		if (found && section != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    GELF_ST_BIND(symbol.st_info) != STB_LOCAL && strcmp(found, name) == 0)
			return address;
	}
	return 0;
}

static void find_malloc(struct target *target, Dwfl_Module *libc)
{
	static const char *const names[] = {
		"malloc",  "free",     "calloc",       "realloc",       "memalign",
		"valloc",  "pvalloc",  "malloc_trim",  "malloc_info",   "malloc_usable_size",
		"mallopt", "mallinfo", "malloc_stats", "aligned_alloc", "posix_memalign"
	};

	target->libc_malloc.begin = UINT64_MAX;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint64_t at = find_function(libc, names[i]);

		if (!at)
			continue;
		if (at - MALLOC_MARGIN < target->libc_malloc.begin)
			target->libc_malloc.begin = at - MALLOC_MARGIN;
		if (at + MALLOC_MARGIN > target->libc_malloc.end)
			target->libc_malloc.end = at + MALLOC_MARGIN;
	}
}

static void find_in_libc(struct target *target, Dwfl_Module *libc)
{
	target->dlopen = find_function(libc, "dlopen");
	target->dlclose = find_function(libc, "dlclose");
	target->dlerror = find_function(libc, "dlerror");
	target->dlsym = find_function(libc, "dlsym");
	target->places.errno_location = find_function(libc, "__errno_location");
	find_malloc(target, libc);
}

static int see_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
		      void *context)
{
	struct target *target = context;
	Dwarf_Addr begin, end;

	(void)data, (void)start;
	dwfl_module_info(module, NULL, &begin, &end, NULL, NULL, NULL, NULL);
	name = base_name(name);
	if (strcmp(name, LIBC) == 0) {
		target->libc = (struct target_range){ begin, end };
		find_in_libc(target, module);
	} else if (strncmp(name, "ld-linux", 8) == 0) {
		target->loader = (struct target_range){ begin, end };
	} else if (strncmp(name, "liblttngmap", 11) != 0 && find_function(module, "malloc")) {
		GElf_Addr bias;
		Elf *elf = dwfl_module_getelf(module, &bias);

		if (elf && target_has_loader(elf))
			target->program_allocates = true;
		else if (target->nr_allocators < TARGET_ALLOCATORS_MAX)
			target->allocators[target->nr_allocators++] =
				(struct target_range){ begin, end };
	}
	return DWARF_CB_OK;
}

static const unsigned char syscall_return[] = { 0x0f, 0x05, 0xc3 };
static const unsigned char return_from_signal[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00,
						    0x00, 0x00, 0x0f, 0x05 };

/* Two pieces of code, wherever they are in what of the C library can be executed. */
static bool find_code(struct target *target)
{
	char line[PATH_MAX + 256];
	FILE *maps = NULL;
	int fd = target_open_proc(target->pid, "maps", O_RDONLY);

	if (fd >= 0)
		maps = fdopen(fd, "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long long begin, end;
		char rights[5], *code, *found;

		if (sscanf(line, "%llx-%llx %4s", &begin, &end, rights) != 3 || rights[2] != 'x' ||
		    !target_in_range(target->libc, begin) || end - begin > (64u << 20))
			continue;
		code = malloc(end - begin);
		if (!code)
			continue;
		if (pread(target->memory, code, end - begin, (off_t)begin) ==
		    (ssize_t)(end - begin)) {
			found = memmem(code, end - begin, syscall_return, sizeof(syscall_return));
			if (found)
				target->places.syscall_return = begin + (uint64_t)(found - code);
			found = memmem(code, end - begin, return_from_signal,
				       sizeof(return_from_signal));
			if (found)
				target->places.sigreturn = begin + (uint64_t)(found - code);
		}
		free(code);
	}
	if (maps)
		fclose(maps);
	return target->places.syscall_return && target->places.sigreturn;
}

bool target_has_code(const struct target *target)
{
	unsigned char code[sizeof(return_from_signal)];

	return pread(target->memory, code, sizeof(syscall_return),
		     (off_t)target->places.syscall_return) == sizeof(syscall_return) &&
	       memcmp(code, syscall_return, sizeof(syscall_return)) == 0 &&
	       pread(target->memory, code, sizeof(return_from_signal),
		     (off_t)target->places.sigreturn) == sizeof(return_from_signal) &&
	       memcmp(code, return_from_signal, sizeof(return_from_signal)) == 0;
}

int target_look_inside(struct target *target, struct problem *problem)
{
	target->dwfl = dwfl_begin(&callbacks);
	if (!target->dwfl)
		return problem_tell(problem, -ENOMEM, "", "out of memory");
	dwfl_report_begin(target->dwfl);
	if (dwfl_linux_proc_report(target->dwfl, target->pid) != 0 ||
	    dwfl_report_end(target->dwfl, NULL, NULL) != 0)
		return problem_tell(problem, -EACCES,
				    "another user's, or one that changed its rights, is for root",
				    "process %d: what it has mapped cannot be read",
				    (int)target->pid);
	dwfl_getmodules(target->dwfl, see_module, target, 0);
	if (!target->libc.end)
		return problem_tell(problem, -EAGAIN, "",
				    "process %d does not use the GNU C library", (int)target->pid);
	if (!target->dlopen || !target->dlclose || !target->dlerror || !target->dlsym ||
	    !target->places.errno_location || !find_code(target))
		return problem_tell(problem, -EAGAIN, "restart it",
				    "process %d: its C library is older than 2.34, or its file was "
				    "replaced since the process started",
				    (int)target->pid);
	return 0;
}
