/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <config.h>

#include "cli/attach/tracee.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/attach/target.h"
#include "cli/attach/tracee-frame.h"
#include "common/base/time.h"

#define STOP_TIMEOUT_MS 500
/* For a thread that only lacks a CPU to run on. */
#define TURN_TIMEOUT_MS 10000
#define PAGE 4096u

/* ---- what the thread tells ---------------------------------------------------- */

enum event {
	EVENT_NONE,    /* none in time */
	EVENT_STOPPED, /* stopped by PTRACE_INTERRUPT, or with its process by a signal */
	EVENT_SYSCALL, /* at the begin or the end of a system call */
	EVENT_BROKEN,  /* did something that a signal ends it for */
	EVENT_GONE,
};

static void wait_for_child(void)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigtimedwait(&child, NULL, &pause);
}

/* Signals that a thread's own instructions raise, and that cannot be blocked. */
#define SYNCHRONOUS                                                                                \
	(1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGILL - 1) |                     \
	 1ull << (SIGFPE - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1))

/*
 * Keeps a signal that another process sent: the thread did not fail, and gets the signal after the
 * call. False: the thread raised the signal itself.
 */
static bool keep_if_sent(struct tracee *tracee)
{
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, tracee->thread, NULL, &info) != 0 || info.si_code > 0)
		return false;
	for (unsigned i = 0; i < tracee->nr_kept; i++) {
		if (tracee->kept[i].si_signo == info.si_signo)
			return true;
	}
	if (tracee->nr_kept < TRACEE_KEPT_MAX)
		tracee->kept[tracee->nr_kept++] = info;
	return true;
}

/* Sends the kept signals again, to the thread or the process, with their data. */
static void send_kept(struct tracee *tracee)
{
	for (unsigned i = 0; i < tracee->nr_kept; i++) {
		siginfo_t *info = &tracee->kept[i];

		if (info->si_code == SI_TKILL)
			syscall(SYS_tgkill, tracee->pid, tracee->thread, info->si_signo);
		else if (info->si_code == SI_USER ||
			 syscall(SYS_rt_sigqueueinfo, tracee->pid, info->si_signo, info) != 0)
			kill(tracee->pid, info->si_signo);
	}
	tracee->nr_kept = 0;
}

/*
 * A thread that executes a program becomes the process's first thread and takes its number: wait
 * for that one.
 */
static void let_executed_go(const struct tracee *tracee)
{
	int64_t deadline = time_now_ms() + STOP_TIMEOUT_MS;
	int status = 0;
	pid_t pid;

	while ((pid = waitpid(tracee->pid, &status, __WALL | WNOHANG)) == 0 &&
	       time_now_ms() < deadline)
		wait_for_child();
	if (pid > 0 && WIFSTOPPED(status))
		ptrace(PTRACE_DETACH, tracee->pid, NULL, NULL);
}

/* Waits for the thread's next event. Passes signals on, except those that end a call. */
static enum event next_event(struct tracee *tracee, bool is_calling, int64_t deadline)
{
	for (;;) {
		int status, signal;
		pid_t pid = waitpid(tracee->thread, &status, __WALL | WNOHANG);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid == 0) {
			if (time_now_ms() >= deadline)
				return EVENT_NONE;
			wait_for_child();
			continue;
		}
		if (pid < 0 && tracee->thread != tracee->pid)
			let_executed_go(tracee);
		if (pid < 0 || !WIFSTOPPED(status))
			return EVENT_GONE;
		if (status >> 16 == PTRACE_EVENT_EXEC) {
			ptrace(PTRACE_DETACH, tracee->thread, NULL, NULL);
			return EVENT_GONE;
		}
		if (status >> 16 == PTRACE_EVENT_STOP)
			return EVENT_STOPPED;
		signal = WSTOPSIG(status);
		if (signal == (SIGTRAP | 0x80))
			return EVENT_SYSCALL;
		if (is_calling && signal < 64 && SYNCHRONOUS & 1ull << (signal - 1)) {
			if (!keep_if_sent(tracee))
				return EVENT_BROKEN;
			signal = 0;
		}
		ptrace(is_calling ? PTRACE_SYSCALL : PTRACE_CONT, tracee->thread, NULL, signal);
		if (time_now_ms() >= deadline)
			return EVENT_NONE;
	}
}

/* The next event after PTRACE_INTERRUPT, which a thread sees when a CPU runs it. */
static enum event next_stop(struct tracee *tracee, bool is_calling)
{
	int64_t deadline = time_now_ms() + TURN_TIMEOUT_MS;
	enum event event;
	char state;

	do {
		event = next_event(tracee, is_calling, time_now_ms() + STOP_TIMEOUT_MS);
		state = event == EVENT_NONE ? target_thread_state(tracee->pid, tracee->thread)
					    : '\0';
		/* 't': the thread has stopped since. */
	} while ((state == 'R' || state == 't') && time_now_ms() < deadline);
	return event;
}

/* ---- stop and go ---------------------------------------------------------------- */

static int explain_seize(pid_t pid, int error, struct problem *problem)
{
	char path[64], scope[16] = "";
	int fd;

	if (error == ESRCH)
		return problem_set(problem, -ESRCH, "", "it ended");
	snprintf(path, sizeof(path), "/proc/sys/kernel/yama/ptrace_scope");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (read(fd, scope, sizeof(scope) - 1) < 0)
			scope[0] = '\0';
		close(fd);
	}
	if (error == EPERM && scope[0] >= '1')
		return problem_set(problem, -EPERM,
				   "run this as root, or see kernel.yama.ptrace_scope",
				   "process %d may not be traced: the system allows it to "
				   "parents or to root only",
				   (int)pid);
	return problem_set(problem, -error,
			   error == EPERM ? "another user's, or one that changed its rights, is "
					    "for root; so is what holds secrets"
					  : "",
			   "process %d may not be traced: %s", (int)pid, strerror(error));
}

static bool get_registers(const struct tracee *tracee, struct user_regs_struct *registers)
{
	return ptrace(PTRACE_GETREGS, tracee->thread, NULL, registers) == 0;
}

int tracee_stop(struct tracee *tracee, pid_t pid, pid_t thread, struct problem *problem)
{
	struct tracee_places places = tracee->places;
	int memory = tracee->memory;
	enum event event;

	*tracee =
		(struct tracee){ .pid = pid, .thread = thread, .memory = memory, .places = places };
	if (ptrace(PTRACE_SEIZE, thread, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC) != 0)
		return explain_seize(pid, errno, problem);
	ptrace(PTRACE_INTERRUPT, thread, NULL, NULL);
	event = next_stop(tracee, false);
	if (event == EVENT_GONE)
		return problem_set(problem, -ESRCH, "", "it ended");
	/*
	 * The thread is in a system call that nothing interrupts. It can be neither stopped nor let
	 * go; only the end of this process lets it go.
	 */
	if (event == EVENT_NONE)
		return problem_set(problem, -EBUSY, "try again later",
				   "thread %d is in a system call that cannot be interrupted",
				   (int)thread);
	tracee->is_stopped = true;
	if (!get_registers(tracee, &tracee->registers) ||
	    ptrace(PTRACE_GETSIGMASK, thread, sizeof(tracee->signals), &tracee->signals) != 0) {
		int error = -errno;

		tracee_release(tracee);
		return problem_set(problem, error, "", "its registers cannot be read");
	}
	return 0;
}

/*
 * Some system calls fail with EINTR after a stop, without any signal. Programs without signal
 * handlers do not expect that.
 */
static bool is_interrupted_by_stop(long number)
{
	switch (number) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_io_getevents:
	case SYS_rt_sigtimedwait:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_sendmmsg:
	case SYS_read:
	case SYS_readv:
	case SYS_preadv2:
	case SYS_write:
	case SYS_writev:
	case SYS_pwritev2:
	case SYS_io_pgetevents:
	case SYS_io_uring_enter:
	case SYS_msgrcv:
	case SYS_msgsnd:
		return true;
	default:
		return false;
	}
}

/* True if a signal is pending whose handler will run at once. EINTR is right then. */
static bool has_caught_signal(const struct tracee *tracee)
{
	char path[64], text[4096];
	uint64_t pending = 0, caught = 0;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)tracee->pid,
		 (int)tracee->thread);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	for (char *line = text; line; line = strchr(line, '\n')) {
		unsigned long long value;

		line += *line == '\n';
		if (sscanf(line, "SigPnd: %llx", &value) == 1 ||
		    sscanf(line, "ShdPnd: %llx", &value) == 1)
			pending |= value;
		if (sscanf(line, "SigCgt: %llx", &value) == 1)
			caught = value;
	}
	return length <= 0 || pending & caught & ~tracee->signals;
}

bool tracee_begins_anew(const struct tracee *tracee)
{
	return (long long)tracee->registers.rax == -EINTR &&
	       is_interrupted_by_stop(tracee_system_call(tracee)) && !has_caught_signal(tracee);
}

static struct user_regs_struct registers_to_go_on(const struct tracee *tracee)
{
	struct user_regs_struct registers = tracee->registers;

	if (tracee_begins_anew(tracee)) {
		registers.rax = registers.orig_rax;
		registers.rip -= TRACEE_SYSCALL_SIZE;
		registers.orig_rax = (unsigned long long)-1;
	}
	return registers;
}

static void let_go(struct tracee *tracee)
{
	struct user_regs_struct registers = registers_to_go_on(tracee);

	ptrace(PTRACE_SETREGS, tracee->thread, NULL, &registers);
	ptrace(PTRACE_DETACH, tracee->thread, NULL, NULL);
	tracee->is_stopped = false;
	send_kept(tracee);
}

/* ---- its memory ----------------------------------------------------------------- */

bool tracee_read(const struct tracee *tracee, uint64_t address, void *bytes, size_t size)
{
	return pread(tracee->memory, bytes, size, (off_t)address) == (ssize_t)size;
}

bool tracee_write(const struct tracee *tracee, uint64_t address, const void *bytes, size_t size)
{
	return pwrite(tracee->memory, bytes, size, (off_t)address) == (ssize_t)size;
}

long tracee_system_call(const struct tracee *tracee)
{
	return (long)tracee->registers.orig_rax;
}

/* ---- calls ------------------------------------------------------------------------ */

/*
 * Moves the thread to an instruction of ours. If the thread stands at the begin of a system call,
 * that call is skipped.
 */
static bool set_registers(struct tracee *tracee, const struct user_regs_struct *registers)
{
	struct user_regs_struct set = *registers;

	set.orig_rax = (unsigned long long)-1;
	return ptrace(PTRACE_SETREGS, tracee->thread, NULL, &set) == 0;
}

static bool set_signals(const struct tracee *tracee, uint64_t signals)
{
	return ptrace(PTRACE_SETSIGMASK, tracee->thread, sizeof(signals), &signals) == 0;
}

/* Registers for running `code` on `stack`. */
static struct user_regs_struct fresh_registers(const struct tracee *tracee, uint64_t code,
					       uint64_t stack)
{
	struct user_regs_struct registers = tracee->registers;

	registers.rip = code;
	registers.rsp = stack;
	/* Clears single step, direction, nested task; the kernel sets interrupts. */
	registers.eflags &= ~(0x100ull | 0x400ull | 0x4000ull | 0x40000ull);
	return registers;
}

/*
 * Makes a system call by the C library's own instruction, which returns into rt_sigreturn on the
 * thread's stack. This needs no page of ours.
 */
static long system_call(struct tracee *tracee, long number, uint64_t first, uint64_t second,
			uint64_t third, uint64_t fourth)
{
	struct user_regs_struct registers =
		fresh_registers(tracee, tracee->places.syscall_return, tracee->frame);
	int64_t deadline = time_now_ms() + 10000;
	enum event event;
	bool has_begun = false;

	registers.rax = (unsigned long long)number;
	registers.rdi = first;
	registers.rsi = second;
	registers.rdx = third;
	registers.r10 = fourth;
	registers.r8 = (unsigned long long)-1;
	registers.r9 = 0;
	/* From here on the frame restores the signal mask, too. Signals are blocked only now. */
	if (!set_registers(tracee, &registers) || !set_signals(tracee, ~SYNCHRONOUS))
		return -ESRCH;
	for (;;) {
		if (ptrace(PTRACE_SYSCALL, tracee->thread, NULL, NULL) != 0)
			break;
		event = next_event(tracee, true, deadline);
		if (event == EVENT_GONE || event == EVENT_NONE)
			break;
		if (event == EVENT_BROKEN)
			return -EFAULT;
		if (event != EVENT_SYSCALL || !get_registers(tracee, &registers))
			continue;
		/* A skipped system call also stops at its end. */
		if (!has_begun) {
			has_begun = (long)registers.orig_rax == number;
			continue;
		}
		return (long)registers.rax;
	}
	tracee->is_gone = true;
	tracee->is_stopped = false;
	return -ESRCH;
}

static bool make_frame(struct tracee *tracee)
{
	unsigned char bytes[TRACEE_FRAME_MAX];
	size_t size;

	tracee->frame = tracee_frame_make(&tracee->registers, tracee->signals, tracee->state,
					  tracee->state_size, tracee->places.sigreturn, bytes,
					  &size);
	return tracee->frame && tracee_write(tracee, tracee->frame, bytes, size);
}

static bool get_state(struct tracee *tracee)
{
	struct iovec vector = { tracee->state, sizeof(tracee->state) };

	if (ptrace(PTRACE_GETREGSET, tracee->thread, NT_X86_XSTATE, &vector) != 0 ||
	    vector.iov_len == sizeof(tracee->state))
		return false;
	tracee->state_size = vector.iov_len;
	return true;
}

int tracee_prepare(struct tracee *tracee, struct problem *problem)
{
	long area, code;

	if (!get_state(tracee))
		return problem_set(problem, -ENOTSUP, "",
				   "the state of its processor cannot be kept");
	if (!make_frame(tracee))
		return problem_set(problem, -ENOMEM, "", "its stack has no room");
	tracee->is_prepared = true;
	area = system_call(tracee, SYS_mmap, 0, TRACEE_STACK_SIZE + TRACEE_ROOM_SIZE,
			   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
	if (area < 0)
		return problem_set(problem, (int)area, "", "no memory can be mapped there: %s",
				   strerror((int)-area));
	tracee->area = (uint64_t)area;
	code = system_call(tracee, SYS_mmap, 0, PAGE, PROT_READ | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS);
	if (code < 0)
		return problem_set(problem, (int)code,
				   "SELinux's execmem, or the like, keeps new code from it",
				   "no code can be mapped there: %s", strerror((int)-code));
	tracee->code = (uint64_t)code;
	if (!tracee_write(tracee, tracee->code, tracee_stub, tracee_stub_size))
		return problem_set(problem, -EPERM,
				   "the kernel may be told not to let debuggers write "
				   "(proc_mem.force_override)",
				   "no code can be written there: %s", strerror(errno));
	return 0;
}

static bool is_at_end(const struct tracee *tracee, struct user_regs_struct *registers)
{
	return get_registers(tracee, registers) && registers->orig_rax == SYS_rt_sigreturn &&
	       registers->rip == tracee->code + tracee_stub_size;
}

/* Lets the thread go in the middle of the call; the frame returns it when the call is done. */
static int leave_alone(struct tracee *tracee, bool is_running)
{
	enum event event = EVENT_STOPPED;

	if (is_running) {
		ptrace(PTRACE_INTERRUPT, tracee->thread, NULL, NULL);
		event = next_stop(tracee, true);
	}
	/* A thread that does not stop is let go when this process ends. */
	if (event != EVENT_NONE && event != EVENT_GONE)
		ptrace(PTRACE_DETACH, tracee->thread, NULL, NULL);
	tracee->is_stopped = false;
	send_kept(tracee);
	return -ETIMEDOUT;
}

int tracee_call(struct tracee *tracee, uint64_t function, uint64_t first, uint64_t second,
		uint64_t third, unsigned timeout_ms, uint64_t *result)
{
	struct user_regs_struct registers =
		fresh_registers(tracee, tracee->code, tracee->area + TRACEE_STACK_SIZE - 256);
	int64_t deadline = time_now_ms() + timeout_ms;

	registers.rbx = function;
	registers.rdi = first;
	registers.rsi = second;
	registers.rdx = third;
	registers.r12 = tracee->places.errno_location;
	registers.r13 = tracee->frame + sizeof(uint64_t);
	if (!set_registers(tracee, &registers))
		return -ESRCH;
	while (ptrace(PTRACE_SYSCALL, tracee->thread, NULL, NULL) == 0) {
		enum event event = next_event(tracee, true, deadline);

		if (event == EVENT_GONE)
			break;
		if (event == EVENT_BROKEN)
			return -EFAULT;
		if (event == EVENT_NONE)
			return leave_alone(tracee, true);
		if (event != EVENT_SYSCALL)
			continue;
		if (is_at_end(tracee, &registers)) {
			*result = registers.rdi;
			return 0;
		}
		if (time_now_ms() >= deadline)
			return leave_alone(tracee, false);
	}
	tracee->is_gone = true;
	tracee->is_stopped = false;
	return -ESRCH;
}

/* ---- back ----------------------------------------------------------------------------- */

static void unmap(struct tracee *tracee)
{
	if (tracee->area)
		system_call(tracee, SYS_munmap, tracee->area, TRACEE_STACK_SIZE + TRACEE_ROOM_SIZE,
			    0, 0);
	if (tracee->code && !tracee->is_gone)
		system_call(tracee, SYS_munmap, tracee->code, PAGE, 0, 0);
}

/*
 * The kernel restarts an interrupted system call where it looks for signals. Brings the thread
 * there before its registers are restored. Until then the thread would return by the frame.
 */
static bool stop_where_signals_are(struct tracee *tracee)
{
	struct user_regs_struct registers =
		fresh_registers(tracee, tracee->places.sigreturn, tracee->frame + sizeof(uint64_t));
	enum event event;

	if (!set_registers(tracee, &registers))
		return false;
	ptrace(PTRACE_INTERRUPT, tracee->thread, NULL, NULL);
	do {
		if (ptrace(PTRACE_CONT, tracee->thread, NULL, NULL) != 0)
			return false;
		event = next_event(tracee, true, time_now_ms() + 10000);
	} while (event == EVENT_SYSCALL || event == EVENT_BROKEN);
	return event == EVENT_STOPPED;
}

void tracee_release(struct tracee *tracee)
{
	struct iovec vector = { tracee->state, tracee->state_size };

	if (!tracee->is_stopped || tracee->is_gone)
		return;
	if (tracee->is_prepared) {
		unmap(tracee);
		if (tracee->is_gone)
			return;
		if (!stop_where_signals_are(tracee)) {
			tracee->is_stopped = false;
			send_kept(tracee);
			return;
		}
		ptrace(PTRACE_SETREGSET, tracee->thread, NT_X86_XSTATE, &vector);
		set_signals(tracee, tracee->signals);
	}
	let_go(tracee);
}
