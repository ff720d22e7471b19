/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/attach/own-limits.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/memory-map.h"
#include "liblttngmap/attach/sandbox.h"

/* The runtime of a sanitizer asks for limits before it is ready for what it instruments. */
#define UNSANITIZED __attribute__((no_sanitize("address", "thread")))

/* By how much the kernel's limit of the address space is higher than what the program set. */
static struct rlimit lifted;

UNSANITIZED static long give_back(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

UNSANITIZED static long ask(pid_t pid, int resource, const struct rlimit *new, struct rlimit *old)
{
	return arch_syscall(SYS_prlimit64, pid, resource, new, old);
}

static rlim_t lift(rlim_t limit, uint64_t bytes)
{
	return limit >= RLIM_INFINITY - bytes ? RLIM_INFINITY : limit + bytes;
}

UNSANITIZED static rlim_t lower(rlim_t limit, uint64_t bytes)
{
	if (limit == RLIM_INFINITY)
		return limit;
	return limit > bytes ? limit - bytes : 0;
}

bool limits_are_set(void)
{
	struct rlimit now;

	return ask(0, RLIMIT_AS, NULL, &now) < 0 || now.rlim_cur != RLIM_INFINITY;
}

void limits_make_room(uint64_t bytes)
{
	struct rlimit now, wanted;

	if (ask(0, RLIMIT_AS, NULL, &now) < 0 || now.rlim_cur == RLIM_INFINITY)
		return;
	wanted.rlim_cur = lift(now.rlim_cur, bytes);
	wanted.rlim_max = wanted.rlim_cur > now.rlim_max ? wanted.rlim_cur : now.rlim_max;
	if (ask(0, RLIMIT_AS, &wanted, NULL) < 0)
		return;
	lifted.rlim_cur += bytes;
	lifted.rlim_max += wanted.rlim_max - now.rlim_max;
}

/*
 * The hard limit is raised by twice as much: so a program that is executed has room for its own
 * maps, without the right to raise a limit.
 */
static long set_address_space(const struct rlimit *limit)
{
	uint64_t ours = memory_map_bytes();
	struct rlimit now, wanted = {
		.rlim_cur = lift(limit->rlim_cur, ours),
		.rlim_max = lift(limit->rlim_max, 2 * ours),
	};
	long result = limit->rlim_cur > limit->rlim_max ? -EINVAL : ask(0, RLIMIT_AS, NULL, &now);

	if (result >= 0)
		result = ask(0, RLIMIT_AS, &wanted, NULL);
	/* Beyond what it may; but not beyond what it sees as its hard limit. */
	if (result == -EPERM && limit->rlim_max <= lower(now.rlim_max, lifted.rlim_max)) {
		wanted.rlim_max = now.rlim_max;
		if (wanted.rlim_cur > wanted.rlim_max)
			wanted.rlim_cur = wanted.rlim_max;
		result = ask(0, RLIMIT_AS, &wanted, NULL);
	}
	if (result < 0)
		return result;
	lifted.rlim_cur = wanted.rlim_cur == RLIM_INFINITY ? 0 : wanted.rlim_cur - limit->rlim_cur;
	lifted.rlim_max = wanted.rlim_max == RLIM_INFINITY ? 0 : wanted.rlim_max - limit->rlim_max;
	return 0;
}

/* Like the C library's: `new` and `old` may be NULL. */
UNSANITIZED __attribute__((visibility("default"))) int
lttngmap_prlimit(pid_t pid, int resource, const struct rlimit *new, struct rlimit *old)
{
	struct rlimit before = lifted;
	long result;

	if (resource != RLIMIT_AS || (pid != 0 && pid != (pid_t)arch_syscall(SYS_getpid)))
		return (int)give_back(ask(pid, resource, new, old));
	/* Pointers that lead nowhere are the kernel's to find. */
	result = ask(pid, resource, NULL, old);
	if (result >= 0 && new) {
		struct rlimit wanted = *new;

		result = set_address_space(&wanted);
	}
	if (result >= 0 && old) {
		old->rlim_cur = lower(old->rlim_cur, before.rlim_cur);
		old->rlim_max = lower(old->rlim_max, before.rlim_max);
	}
	return (int)give_back(result);
}

UNSANITIZED __attribute__((visibility("default"))) int
lttngmap_setrlimit(int resource, const struct rlimit *limit)
{
	return lttngmap_prlimit(0, resource, limit, NULL);
}

UNSANITIZED __attribute__((visibility("default"))) int lttngmap_getrlimit(int resource,
									  struct rlimit *limit)
{
	return lttngmap_prlimit(0, resource, NULL, limit);
}

/* ---- mlockall() ----------------------------------------------------------------------- */

static bool may_lock_all(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { { .effective = 0 } };

	return arch_syscall(SYS_capget, &head, sets) >= 0 &&
	       sets[0].effective & (1u << CAP_IPC_LOCK);
}

/* Pages of the address space, the library's among them; 0: not known. */
static uint64_t pages_mapped(void)
{
	char text[32];
	uint64_t pages = 0;
	long fd = arch_syscall(SYS_open, "/proc/self/statm", O_RDONLY | O_CLOEXEC), size;

	if (fd < 0)
		return 0;
	size = arch_syscall(SYS_read, fd, text, sizeof(text));
	arch_syscall(SYS_close, fd);
	for (long i = 0; i < size && text[i] >= '0' && text[i] <= '9'; i++)
		pages = pages * 10 + (uint64_t)(text[i] - '0');
	return pages;
}

/* Would the kernel lock all that is mapped, if the library's maps were not there? */
static bool would_lock_rest(void)
{
	uint64_t pages = pages_mapped();
	struct rlimit limit;

	if (pages == 0 || ask(0, RLIMIT_MEMLOCK, NULL, &limit) < 0)
		return false;
	return may_lock_all() || pages * 4096 <= lift(limit.rlim_cur, memory_map_bytes());
}

struct line {
	uint64_t begin;
	uint64_t end;
	unsigned int field; /* 0: in `begin`; 1: in `end`; 2: in the rights; 3: beyond */
	bool is_accessible;
};

static void lock_line(const struct line *line, int flags)
{
	struct memory_map_extent ours;

	/*
	 * Like mlockall(): skips maps that cannot be locked. The last page of all is the kernel's
	 * own.
	 */
	if (line->is_accessible && line->end < UINT64_C(1) << 63 &&
	    !memory_map_find(line->begin, line->end, &ours))
		arch_syscall(SYS_mlock2, line->begin, line->end - line->begin, flags);
}

static void read_byte(struct line *line, char byte, int flags)
{
	uint64_t *number = line->field == 0 ? &line->begin : &line->end;

	if (byte == '\n') {
		lock_line(line, flags);
		*line = (struct line){ .field = 0 };
	} else if (line->field < 2 && byte != '-' && byte != ' ') {
		*number = *number << 4 | (uint64_t)(byte <= '9' ? byte - '0' : byte - 'a' + 10);
	} else if (line->field == 2 && (byte == 'r' || byte == 'w' || byte == 'x')) {
		line->is_accessible = true;
	} else if (byte == ' ' || (line->field == 0 && byte == '-')) {
		line->field++;
	}
}

/* False: what is mapped is not to be seen. */
static bool lock_rest(int flags)
{
	long fd = arch_syscall(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC), size;
	struct line line = { .field = 0 };
	char text[1024];

	if (fd < 0)
		return false;
	while ((size = arch_syscall(SYS_read, fd, text, sizeof(text))) > 0)
		for (long i = 0; i < size; i++)
			read_byte(&line, text[i], flags);
	arch_syscall(SYS_close, fd);
	return true;
}

__attribute__((visibility("default"))) int lttngmap_mlockall(int flags)
{
	bool by_lines = flags & MCL_CURRENT &&
			!(flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) &&
			memory_map_bytes() && !sandbox_is_on() && would_lock_rest();

	if (!by_lines || !lock_rest(flags & MCL_ONFAULT ? MLOCK_ONFAULT : 0))
		return (int)give_back(arch_syscall(SYS_mlockall, flags));
	if (!(flags & MCL_FUTURE))
		return 0;
	return (int)give_back(arch_syscall(SYS_mlockall, flags & ~MCL_CURRENT));
}

/* ---- by the names that programs know ---------------------------------------------------- */

/* By name, for the C library declares some of them with pointers of other types. */
#define ALIAS(name, of)                                                                            \
	__asm__(".globl " #name "\n.type " #name ", @function\n.set " #name ", " #of "\n")

ALIAS(setrlimit, lttngmap_setrlimit);
ALIAS(setrlimit64, lttngmap_setrlimit);
ALIAS(getrlimit, lttngmap_getrlimit);
ALIAS(getrlimit64, lttngmap_getrlimit);
ALIAS(prlimit, lttngmap_prlimit);
ALIAS(prlimit64, lttngmap_prlimit);
ALIAS(mlockall, lttngmap_mlockall);
