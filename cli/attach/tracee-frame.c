/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <config.h>

#include "cli/attach/tracee-frame.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include <asm/sigcontext.h>

/* The kernel's internal error numbers for interrupted system calls; programs never see them. */
#define ERESTARTSYS 512
#define ERESTARTNOINTR 513
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516

/* The extended state that the kernel restores: x87, SSE, AVX and all up to protection keys. */
#define STATE_HEADER_SIZE 64u
#define STATE_FEATURES_AT 512u
#define STATE_KEPT_AT 464u
#define STATE_LARGE_FEATURES (1ull << 17 | 1ull << 18)
/* The standard format up to PKRU, the last component in front of the large ones. */
#define STATE_SMALL_SIZE 2696u

/* The kernel's layout; its headers use names that the C library uses, too. */
struct frame {
	uint64_t return_address;
	uint64_t flags;
	uint64_t link;
	uint64_t alternate_stack;
	int32_t alternate_flags;
	int32_t padding;
	uint64_t alternate_size;
	struct sigcontext_64 context;
	uint64_t signals;
};
_Static_assert(sizeof(struct sigcontext_64) == 256, "as the kernel has it");

#define UC_FP_XSTATE 1u
#define UC_SIGCONTEXT_SS 2u
#define UC_STRICT_RESTORE_SS 4u
/* An invalid flag for sigaltstack(2): the kernel refuses it and keeps its alternate stack. */
#define ALTERNATE_KEPT 0x40

struct user_regs_struct tracee_frame_registers(const struct user_regs_struct *registers)
{
	struct user_regs_struct result = *registers;
	long long value = (long long)registers->rax;

	result.orig_rax = (unsigned long long)-1;
	if ((long long)registers->orig_rax < 0)
		return result;
	if (value == -ERESTARTSYS || value == -ERESTARTNOINTR || value == -ERESTARTNOHAND) {
		result.rax = registers->orig_rax;
		result.rip -= TRACEE_SYSCALL_SIZE;
	} else if (value == -ERESTART_RESTARTBLOCK) {
		/* The kernel has forgotten how much time was left. */
		result.rax = (unsigned long long)-EINTR;
	}
	return result;
}

static void fill_context(struct frame *frame, const struct user_regs_struct *registers)
{
	struct sigcontext_64 *context = &frame->context;

	context->r8 = registers->r8;
	context->r9 = registers->r9;
	context->r10 = registers->r10;
	context->r11 = registers->r11;
	context->r12 = registers->r12;
	context->r13 = registers->r13;
	context->r14 = registers->r14;
	context->r15 = registers->r15;
	context->di = registers->rdi;
	context->si = registers->rsi;
	context->bp = registers->rbp;
	context->bx = registers->rbx;
	context->dx = registers->rdx;
	context->ax = registers->rax;
	context->cx = registers->rcx;
	context->sp = registers->rsp;
	context->ip = registers->rip;
	context->flags = registers->eflags;
	context->cs = (uint16_t)registers->cs;
	context->ss = (uint16_t)registers->ss;
}

/*
 * Copies the state that ptrace(2) gives, which is laid out as in a frame, and adds its size. Does
 * not restore the large state of matrices (AMX): returns 0 if they are in use.
 */
static size_t fill_state(unsigned char *to, const unsigned char *state, size_t size)
{
	struct _fpx_sw_bytes *software = (struct _fpx_sw_bytes *)(void *)(to + STATE_KEPT_AT);
	const uint32_t end = FP_XSTATE_MAGIC2;
	uint64_t kept, used;

	if (size < STATE_FEATURES_AT + STATE_HEADER_SIZE)
		return 0;
	memcpy(&kept, state + STATE_KEPT_AT, sizeof(kept));
	memcpy(&used, state + STATE_FEATURES_AT, sizeof(used));
	if (kept & STATE_LARGE_FEATURES) {
		if (used & STATE_LARGE_FEATURES)
			return 0;
		/* All components that come before the large ones, in this order. */
		kept &= ~STATE_LARGE_FEATURES;
		size = STATE_SMALL_SIZE;
	}
	if (size > TRACEE_FRAME_MAX - sizeof(struct frame) - 256)
		return 0;
	memcpy(to, state, size);
	memset(software, 0, sizeof(*software));
	software->magic1 = FP_XSTATE_MAGIC1;
	software->extended_size = (uint32_t)(size + sizeof(end));
	software->xfeatures = kept;
	software->xstate_size = (uint32_t)size;
	memcpy(to + size, &end, sizeof(end));
	return size + sizeof(end);
}

uint64_t tracee_frame_make(const struct user_regs_struct *registers, uint64_t signals,
			   const unsigned char *state, size_t state_size, uint64_t sigreturn,
			   unsigned char *bytes, size_t *size)
{
	unsigned char filled[TRACEE_FRAME_MAX];
	struct user_regs_struct going_on = tracee_frame_registers(registers);
	size_t filled_size = fill_state(filled, state, state_size);
	uint64_t state_at, at;
	struct frame frame = {
		.return_address = sigreturn,
		.flags = UC_FP_XSTATE | UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS,
		.alternate_flags = ALTERNATE_KEPT,
		.signals = signals,
	};

	if (!filled_size)
		return 0;
	state_at = (registers->rsp - TRACEE_RED_ZONE - filled_size) & ~UINT64_C(63);
	at = (state_at - sizeof(frame)) & ~UINT64_C(15);
	fill_context(&frame, &going_on);
	frame.context.fpstate = state_at;
	*size = state_at - at + filled_size;
	memset(bytes, 0, *size);
	memcpy(bytes, &frame, sizeof(frame));
	memcpy(bytes + (state_at - at), filled, filled_size);
	return at;
}

/* See the header. The stack is 16-byte aligned at the start, and so at both calls. */
__asm__(".pushsection .rodata\n"
	".globl tracee_stub\n"
	"tracee_stub:\n\t"
	"pushq %rdi\n\t"
	"pushq %rsi\n\t"
	"pushq %rdx\n\t"
	"pushq %rdx\n\t"
	"call *%r12\n\t"
	"movq %rax, %r14\n\t"
	"movl (%rax), %r15d\n\t"
	"popq %rdx\n\t"
	"popq %rdx\n\t"
	"popq %rsi\n\t"
	"popq %rdi\n\t"
	"xorl %eax, %eax\n\t"
	"call *%rbx\n\t"
	"movl %r15d, (%r14)\n\t"
	"movq %rax, %rdi\n\t"
	"movq %r13, %rsp\n\t"
	"movl $15, %eax\n\t" /* SYS_rt_sigreturn */
	"syscall\n"
	"1:\n\t"
	".balign 8\n\t"
	".globl tracee_stub_size\n"
	"tracee_stub_size:\n\t"
	".quad 1b - tracee_stub\n"
	".popsection\n");

_Static_assert(SYS_rt_sigreturn == 15, "the assembly above knows the number");
