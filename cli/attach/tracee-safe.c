/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tracee-safe.c - decides from a thread's callers whether the thread is at a safe point. Two kinds
 * of points are safe:
 *
 * - in a system call that waits, entered from the C library, if no caller holds a lock of
 *   the loader or the allocator;
 * - in code of the program or its libraries, if all callers are known, and none is the C
 *   library except where a thread begins.
 *
 * In doubt a point is unsafe: other threads and later moments remain.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <config.h>

#include "cli/attach/tracee-safe.h"

#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#define FRAMES_MAX 512
/* The kernel's signal frame needs less. */
#define STACK_ROOM (16u * 1024u)

struct walk {
	const struct target *target;
	const struct tracee *tracee;
	bool is_waiting;
	bool is_complete;
	int frames;
	const char *why;
};

/* ---- where it stands -------------------------------------------------------------- */

/*
 * System calls that threads wait in, and that continue after a stop (tracee.c). An allocator waits
 * only in futex; its callers tell which futex it is.
 */
static bool is_wait(long number)
{
	switch (number) {
	case SYS_futex:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_restart_syscall:
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_wait4:
	case SYS_waitid:
	case SYS_pause:
	case SYS_rt_sigsuspend:
	case SYS_rt_sigtimedwait:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_msgrcv:
	case SYS_flock:
		return true;
	default:
		return false;
	}
}

/* True if the stop interrupted a system call, which the kernel's error numbers tell. */
static bool is_interrupted(const struct tracee *tracee)
{
	long long result = (long long)tracee->registers.rax;

	return (result <= -512 && result >= -516) || result == -4;
}

/*
 * True if the thread may be in a restartable sequence, which would continue after the call as if
 * nothing had happened. Always true before Linux 5.13, which does not tell.
 */
static bool may_be_in_sequence(const struct tracee *tracee)
{
#ifdef PTRACE_GET_RSEQ_CONFIGURATION
	struct __ptrace_rseq_configuration rseq = { .rseq_abi_pointer = 0 };
	struct {
		uint32_t version, flags;
		uint64_t begin, length, abort;
	} sequence;
	uint64_t at = 0;

	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, tracee->thread, sizeof(rseq), &rseq) <= 0)
		return true;
	if (!rseq.rseq_abi_pointer)
		return false;
	/* struct rseq: cpu_id_start, cpu_id, then the running sequence. */
	if (!tracee_read(tracee, rseq.rseq_abi_pointer + 8, &at, sizeof(at)))
		return true;
	if (!at)
		return false;
	return !tracee_read(tracee, at, &sequence, sizeof(sequence)) ||
	       tracee->registers.rip - sequence.begin < sequence.length;
#else
	(void)tracee;
	return true;
#endif
}

/* True if the stack has the room that a signal handler would need. */
static bool has_stack(const struct tracee *tracee)
{
	uint64_t pointer = tracee->registers.rsp;
	char line[1024], path[64];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)tracee->pid);
	maps = fopen(path, "re");
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		unsigned long long begin, end;
		char rights[5];

		found = sscanf(line, "%llx-%llx %4s", &begin, &end, rights) == 3 &&
			pointer - begin < end - begin && pointer - begin >= STACK_ROOM &&
			rights[1] == 'w';
	}
	if (maps)
		fclose(maps);
	return found;
}

/* ---- who called ----------------------------------------------------------------------- */

/* Functions of the C library that hold such a lock while they wait or call others. */
static bool is_holder(const char *name)
{
	static const char *const names[] = {
		"fork",
		"_Fork",
		"vfork",
		"posix_spawn",
		"posix_spawnp",
		"system",
		"popen",
		"pthread_create",
		"pthread_exit",
		"pthread_getattr_np",
		"dl_iterate_phdr",
		"dlopen",
		"dlmopen",
		"dlclose",
		"dlsym",
		"dlvsym",
		"dladdr",
		"dladdr1",
		"dlinfo",
		"exit",
		"quick_exit",
		"__cxa_finalize",
		"setuid",
		"setgid",
		"seteuid",
		"setegid",
		"setresuid",
		"setresgid",
		"setreuid",
		"setregid",
		"setgroups",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* Functions where threads begin. The second is not always exported. */
static bool is_begin(const char *name)
{
	return strncmp(name, "__libc_start", 12) == 0 || strncmp(name, "clone", 5) == 0 ||
	       strncmp(name, "__clone", 7) == 0;
}

static bool is_allocator(const struct target *target, uint64_t at)
{
	for (unsigned i = 0; i < target->nr_allocators; i++) {
		if (target_in_range(target->allocators[i], at))
			return true;
	}
	return target_in_range(target->libc_malloc, at);
}

/* The library itself; those of families call other functions. */
static bool is_tracer(Dwfl_Module *module)
{
	const char *name =
		module ? dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL;
	const char *slash = name ? strrchr(name, '/') : NULL;

	return slash && (strncmp(slash, "/liblttngmap.so", 15) == 0 ||
			 strncmp(slash, "/liblttngmap-inside.so", 22) == 0);
}

static const char *judge_frame(struct walk *walk, uint64_t at)
{
	const struct target *target = walk->target;
	Dwfl_Module *module = dwfl_addrmodule(target->dwfl, at);
	const char *name = module ? dwfl_module_addrname(module, at) : NULL;

	if (target_in_range(target->loader, at))
		return "it is loading a library";
	if (is_allocator(target, at))
		return "it is allocating memory";
	if (is_tracer(module))
		return "it is writing an event";
	if (!target_in_range(target->libc, at))
		return module || walk->is_waiting ? NULL : "it is in code of no file";
	if (name && is_holder(name))
		return "it is in a function of the C library that holds locks";
	if (walk->is_waiting)
		return NULL;
	return walk->frames > 0 && (!name || is_begin(name)) ? NULL : "it is in the C library";
}

static int see_frame(Dwfl_Frame *frame, void *context)
{
	struct walk *walk = context;
	bool is_activation;
	Dwarf_Addr at;

	if (!dwfl_frame_pc(frame, &at, &is_activation) || walk->frames >= FRAMES_MAX)
		return DWARF_CB_ABORT;
	/*
	 * A handler may have interrupted any code. Its stack may be small, with other data below
	 * it.
	 */
	if (walk->frames > 0 && is_activation)
		walk->why = "it is in a signal's handler";
	else /* A return address may be the first instruction behind the caller. */
		walk->why = judge_frame(walk, is_activation ? at : at - 1);
	walk->frames++;
	return walk->why ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static const char *judge_callers(struct walk *walk)
{
	int result =
		dwfl_getthread_frames(walk->target->dwfl, walk->tracee->thread, see_frame, walk);

	if (walk->why)
		return walk->why;
	walk->is_complete = result == 0;
	if (!walk->frames)
		return "nothing is known of its callers";
	if (walk->is_complete)
		return NULL;
	/*
	 * Code made at run time stands between: the frames below it belong to a handler that may
	 * have interrupted an allocator.
	 */
	if (!walk->is_waiting || walk->tracee->signals)
		return "its callers are not all known";
	return NULL;
}

const char *tracee_unsafe(const struct target *target, const struct tracee *tracee)
{
	struct walk walk = { .target = target, .tracee = tracee };
	long number = tracee_system_call(tracee);

	if (tracee->registers.cs != 0x33)
		return "it runs code of 32 bits";
	if (!has_stack(tracee))
		return "its stack is too small";
	if (target_is_filtered(target, tracee->thread))
		return "its system calls are filtered (seccomp)";
	walk.is_waiting = number >= 0 && is_wait(number) && is_interrupted(tracee) &&
			  target_in_range(target->libc, tracee->registers.rip);
	if (!walk.is_waiting && number >= 0 && is_interrupted(tracee))
		return "it is in a system call";
	if (!walk.is_waiting && may_be_in_sequence(tracee))
		return "it is in a restartable sequence, or the kernel cannot tell";
	if (!walk.is_waiting && target->program_allocates)
		return "its program allocates memory itself, and may be at that";
	return judge_callers(&walk);
}
