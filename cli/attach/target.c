/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/attach/target.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/attach/mapped.h"
#include "common/protocol/places.h"

#define LIBC "libc.so.6"
/* Functions of malloc.c that are not exported lie among and around exported ones. */
#define MALLOC_MARGIN (16u * 1024u)

bool target_in_range(struct target_range range, uint64_t address)
{
	return address - range.begin < range.end - range.begin;
}

/* ---- what /proc says ------------------------------------------------------------ */

struct status {
	char text[8192];
};

/* A descriptor of /proc/PID/NAME; -1 and errno after a failure. */
static int open_proc(pid_t pid, const char *name, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, flags | O_CLOEXEC);
}

/* Reads /proc/PID/`name`, "status" or "task/TID/status". */
static int read_status(pid_t pid, const char *name, struct status *status)
{
	int fd = open_proc(pid, name, O_RDONLY);
	ssize_t length = fd >= 0 ? read(fd, status->text, sizeof(status->text) - 1) : -1;

	if (fd >= 0)
		close(fd);
	status->text[length > 0 ? length : 0] = '\0';
	return length > 0 ? 0 : -ESRCH;
}

/* Copies the text behind "KEY:\t"; "" if there is no such key. */
static void status_text(const struct status *status, const char *key, char *value, size_t size)
{
	size_t length = strlen(key);

	value[0] = '\0';
	for (const char *line = status->text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) != 0 || line[length] != ':')
			continue;
		line += length + 1;
		line += strspn(line, "\t ");
		snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
		for (char *at = value; *at; at++)
			*at = isprint((unsigned char)*at) ? *at : '?';
		return;
	}
}

static int status_number(const struct status *status, const char *key)
{
	char value[32];

	status_text(status, key, value, sizeof(value));
	return atoi(value);
}

/* The root may be on a FUSE file system, whose server is not asked. */
static bool is_same_namespace(pid_t pid, const char *name)
{
	struct statx ours, theirs;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/%s", name);
	if (statx(AT_FDCWD, path, PLACES_LOOK, STATX_INO, &ours) != 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	/* An unreadable namespace is refused later: such a process cannot be traced. */
	return statx(AT_FDCWD, path, PLACES_LOOK, STATX_INO, &theirs) != 0 ||
	       (ours.stx_ino == theirs.stx_ino && places_is_of(&ours, &theirs));
}

bool target_is_filtered(const struct target *target, pid_t thread)
{
	struct status status;
	char name[64];

	snprintf(name, sizeof(name), "task/%d/status", (int)thread);
	return read_status(target->pid, name, &status) == 0 && status_number(&status, "Seccomp");
}

/* Each thread may have its own filter, and any of them may execute traced code. */
static bool has_filtered_thread(const struct target *target)
{
	struct dirent *entry;
	bool found = false;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)target->pid);
	tasks = opendir(path);
	while (tasks && !found && (entry = readdir(tasks)) != NULL) {
		pid_t thread = (pid_t)atoi(entry->d_name);

		found = thread > 0 && target_is_filtered(target, thread);
	}
	if (tasks)
		closedir(tasks);
	return found;
}

/* True for a child of vfork before its exec: any change to its memory changes the parent's. */
static bool is_in_memory_of(pid_t pid, pid_t parent)
{
	return parent > 0 && syscall(SYS_kcmp, pid, parent, KCMP_VM, 0ul, 0ul) == 0;
}

static int check_status(struct target *target, struct problem *problem)
{
	struct status status;
	char text[256];
	int tracer;

	if (read_status(target->pid, "status", &status) != 0)
		return problem_set(problem, -ESRCH, "`ps -e` lists processes",
				   "there is no process %d", (int)target->pid);
	if (status_number(&status, "Tgid") != target->pid)
		return problem_set(problem, -EINVAL, "name the process",
				   "%d is a thread of process %d", (int)target->pid,
				   status_number(&status, "Tgid"));
	status_text(&status, "State", text, sizeof(text));
	if (text[0] == 'Z' || text[0] == 'X')
		return problem_set(problem, -ESRCH, "", "process %d has ended", (int)target->pid);
	tracer = status_number(&status, "TracerPid");
	if (tracer)
		return problem_set(problem, -EBUSY, "end the debugger or strace first",
				   "process %d is traced by process %d already", (int)target->pid,
				   tracer);
	if (text[0] == 'T' || text[0] == 't')
		return problem_set(problem, -EBUSY, "`kill -CONT` lets it go on",
				   "process %d is stopped", (int)target->pid);
	if (has_filtered_thread(target))
		return problem_set(problem, -EPERM,
				   "start it with tracing: `lttngmap record -- PROGRAM`",
				   "process %d has its system calls filtered (seccomp), in one "
				   "thread at least, and might be killed for those that tracing "
				   "needs",
				   (int)target->pid);
	/* The child may execute its program at any moment. */
	if (is_in_memory_of(target->pid, status_number(&status, "PPid")))
		return problem_set(problem, -EAGAIN, "try again when it has",
				   "process %d has not begun a program of its own yet, and shares "
				   "the memory of process %d (vfork)",
				   (int)target->pid, status_number(&status, "PPid"));
	status_text(&status, "x86_Thread_features", text, sizeof(text));
	if (strstr(text, "shstk"))
		return problem_set(problem, -ENOTSUP,
				   "start it with tracing: `lttngmap record -- PROGRAM`",
				   "process %d has a shadow stack, which a call from outside "
				   "would break",
				   (int)target->pid);
	if (!is_same_namespace(target->pid, "ns/mnt") || !is_same_namespace(target->pid, "root"))
		return problem_set(problem, -EXDEV, "run lttngmap within it",
				   "process %d sees other files than this one: it is in a "
				   "container or a changed root",
				   (int)target->pid);
	return 0;
}

/* ---- its program ------------------------------------------------------------------ */

static bool has_section(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		const char *found = gelf_getshdr(section, &header)
					    ? elf_strptr(elf, names, header.sh_name)
					    : NULL;

		if (found && strcmp(found, name) == 0)
			return true;
	}
	return false;
}

/* Does the file name a dynamic loader? Programs do, libraries do not. */
static bool has_loader(Elf *elf)
{
	GElf_Phdr segment;
	size_t count;

	if (elf_getphdrnum(elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static int check_elf(const struct target *target, Elf *elf, struct problem *problem)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64 ||
	    gelf_getclass(elf) != ELFCLASS64)
		return problem_set(problem, -ENOEXEC, "",
				   "process %d is not of this machine's kind: only x86-64 with "
				   "64 bits can be attached to",
				   (int)target->pid);
	if (!has_loader(elf))
		return problem_set(problem, -ENOEXEC, "link it with shared libraries",
				   "process %d is statically linked: it has no loader to bring "
				   "tracing in",
				   (int)target->pid);
	if (has_section(elf, ".go.buildinfo") || has_section(elf, ".note.go.buildid"))
		return problem_set(problem, -ENOEXEC, "",
				   "process %d is a Go program, whose stacks are its own affair",
				   (int)target->pid);
	return 0;
}

static int check_program(const struct target *target, struct problem *problem)
{
	int fd = open_proc(target->pid, "exe", O_RDONLY);
	int error;
	Elf *elf;

	if (fd < 0 && errno == ENOENT)
		return problem_set(problem, -ENOEXEC, "", "process %d is the kernel's own",
				   (int)target->pid);
	if (fd < 0)
		return problem_set(problem, -errno,
				   "another user's, or one that changed its rights, is for root",
				   "process %d cannot be looked at: %s", (int)target->pid,
				   strerror(errno));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	error = elf ? check_elf(target, elf, problem)
		    : problem_set(problem, -ENOEXEC, "", "process %d: its program is no ELF file",
				  (int)target->pid);
	elf_end(elf);
	close(fd);
	return error;
}

/* ---- what it has mapped ------------------------------------------------------------- */

/* Searches for no debugging information: the mapped files suffice. */
static int find_no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			     const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	*found = NULL;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = mapped_find_elf,
	.find_debuginfo = find_no_debuginfo,
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Finds a defined, exported function of a module; 0: none. */
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

	(void)start;
	*data = &target->pid;
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

		if (elf && has_loader(elf))
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

/* Finds two sequences of code anywhere in the C library's executable memory. */
static bool find_code(struct target *target)
{
	char line[PATH_MAX + 256];
	FILE *maps = NULL;
	int fd = open_proc(target->pid, "maps", O_RDONLY);

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

static bool has_code(const struct target *target)
{
	unsigned char code[sizeof(return_from_signal)];

	return pread(target->memory, code, sizeof(syscall_return),
		     (off_t)target->places.syscall_return) == sizeof(syscall_return) &&
	       memcmp(code, syscall_return, sizeof(syscall_return)) == 0 &&
	       pread(target->memory, code, sizeof(return_from_signal),
		     (off_t)target->places.sigreturn) == sizeof(return_from_signal) &&
	       memcmp(code, return_from_signal, sizeof(return_from_signal)) == 0;
}

static int look_inside(struct target *target, struct problem *problem)
{
	target->dwfl = dwfl_begin(&callbacks);
	if (!target->dwfl)
		return problem_set(problem, -ENOMEM, "", "out of memory");
	dwfl_report_begin(target->dwfl);
	if (dwfl_linux_proc_report(target->dwfl, target->pid) != 0 ||
	    dwfl_report_end(target->dwfl, NULL, NULL) != 0)
		return problem_set(problem, -EACCES,
				   "another user's, or one that changed its rights, is for root",
				   "process %d: what it has mapped cannot be read",
				   (int)target->pid);
	dwfl_getmodules(target->dwfl, see_module, target, 0);
	if (!target->libc.end)
		return problem_set(problem, -EAGAIN, "",
				   "process %d does not use the GNU C library", (int)target->pid);
	if (!target->dlopen || !target->dlclose || !target->dlerror || !target->dlsym ||
	    !target->places.errno_location || !find_code(target))
		return problem_set(problem, -EAGAIN, "restart it",
				   "process %d: its C library is older than 2.34, or its file was "
				   "replaced since the process started",
				   (int)target->pid);
	return 0;
}

/* ---- open and close -------------------------------------------------------------------- */

static int lock(struct target *target, struct problem *problem)
{
	/* Locks a file that only few may open, so that nobody else can hold the lock. */
	target->lock = open_proc(target->pid, "mem", O_RDONLY);
	if (target->lock >= 0 && flock(target->lock, LOCK_EX | LOCK_NB) != 0 &&
	    errno == EWOULDBLOCK)
		return problem_set(problem, -EBUSY, "try again when that is done",
				   "another lttngmap is attaching to process %d", (int)target->pid);
	return 0;
}

static size_t read_auxv(pid_t pid, unsigned char *auxv, size_t size)
{
	int fd = open_proc(pid, "auxv", O_RDONLY);
	ssize_t length = fd >= 0 ? read(fd, auxv, size) : -1;

	if (fd >= 0)
		close(fd);
	return length > 0 ? (size_t)length : 0;
}

int target_open(struct target *target, pid_t pid, struct problem *problem)
{
	int error;

	*target = (struct target){ .pid = pid, .memory = -1, .lock = -1 };
	error = check_status(target, problem);
	if (!error)
		error = mapped_check(pid, problem);
	if (!error)
		error = check_program(target, problem);
	if (!error)
		error = lock(target, problem);
	if (error)
		return error;
	target->auxv_size = read_auxv(pid, target->auxv, sizeof(target->auxv));
	target->memory = open_proc(pid, "mem", O_RDWR);
	if (target->memory < 0)
		return problem_set(problem, -errno,
				   "another user's, or one that changed its rights, is for root",
				   "process %d: its memory cannot be read: %s", (int)pid,
				   strerror(errno));
	return look_inside(target, problem);
}

/*
 * An exec since target_open() gave the process another memory. After a vfork, the memory seen
 * before was the parent's.
 */
bool target_is_same(struct target *target)
{
	unsigned char auxv[sizeof(target->auxv)];
	int memory = open_proc(target->pid, "mem", O_RDWR);

	if (memory < 0)
		return false;
	close(target->memory);
	target->memory = memory;
	return read_auxv(target->pid, auxv, sizeof(auxv)) == target->auxv_size &&
	       target->auxv_size && memcmp(auxv, target->auxv, target->auxv_size) == 0 &&
	       has_code(target);
}

void target_close(struct target *target)
{
	dwfl_end(target->dwfl);
	if (target->memory >= 0)
		close(target->memory);
	if (target->lock >= 0)
		close(target->lock);
	target->dwfl = NULL;
	target->memory = -1;
	target->lock = -1;
}

/* ---- its threads ------------------------------------------------------------------------- */

char target_thread_state(pid_t pid, pid_t thread)
{
	char name[64], text[512], *end;
	ssize_t length;
	int fd;

	snprintf(name, sizeof(name), "task/%d/stat", (int)thread);
	fd = open_proc(pid, name, O_RDONLY);
	if (fd < 0)
		return '\0';
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : '\0';
}

unsigned target_threads(const struct target *target, pid_t *threads, unsigned max)
{
	struct dirent *entry;
	unsigned count = 0, waiting;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)target->pid);
	tasks = opendir(path);
	while (tasks && count < max && (entry = readdir(tasks)) != NULL) {
		pid_t thread = (pid_t)atoi(entry->d_name);
		char state = thread > 0 ? target_thread_state(target->pid, thread) : '\0';

		if (state == 'S' || state == 'R')
			threads[count++] = thread;
	}
	if (tasks)
		closedir(tasks);
	/* Keep the main thread first, as the kernel lists it. */
	waiting = count && threads[0] == target->pid;
	for (unsigned i = waiting; i < count; i++) {
		pid_t thread = threads[i];

		if (target_thread_state(target->pid, thread) != 'S')
			continue;
		threads[i] = threads[waiting];
		threads[waiting++] = thread;
	}
	return count;
}
