/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/breakpoint.h"

#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "liblttngmap/base/arch.h"
#include "tests/utils/tap.h"

#define TRAP_FLAG 0x100
#define RSEQ_AREA_SIZE 32
#define RSEQ_SIGNATURE 0x53053053
#define BREAKPOINT 0xcc

static uint8_t *armed;
static uint8_t overwritten;
static void (*on_hit)(void);
static unsigned hits;
static uint8_t **traced; /* NULL: not now */
static unsigned nr_traced, most_traced;

static void patch(uint8_t *at, uint8_t byte)
{
	uintptr_t page = (uintptr_t)at & ~(uintptr_t)4095;

	if (mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		bail_out("the code cannot be changed");
	*(volatile uint8_t *)at = byte;
	mprotect((void *)page, 4096, PROT_READ | PROT_EXEC);
}

void breakpoint_arm(uint8_t *at, void (*hit)(void))
{
	armed = at;
	on_hit = hit;
	overwritten = *at;
	patch(at, BREAKPOINT);
}

static void disarm(void)
{
	if (armed)
		patch(armed, overwritten);
	armed = NULL;
}

unsigned breakpoint_disarm(void)
{
	unsigned count = hits;

	disarm();
	hits = 0;
	return count;
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint8_t *at = (uint8_t *)registers[REG_RIP];

	(void)number;
	(void)info;
	if (traced) {
		if (nr_traced < most_traced)
			traced[nr_traced++] = at;
		return;
	}
	hits++;
	/* Where a section was aborted, it goes on elsewhere. */
	if (at == armed + 1)
		registers[REG_RIP]--;
	disarm();
	on_hit();
}

void breakpoint_prepare(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGTRAP, &action, NULL);
}

unsigned breakpoint_trace(void (*event)(void), uint8_t **addresses, unsigned most)
{
	struct rseq *area = (void *)(arch_thread_token() + (uint64_t)__rseq_offset);

	if (syscall(SYS_rseq, area, RSEQ_AREA_SIZE, RSEQ_FLAG_UNREGISTER, RSEQ_SIGNATURE) < 0)
		bail_out("the kernel does not forget the restartable sequences");
	area->cpu_id = 0;
	nr_traced = 0;
	most_traced = most;
	traced = addresses;
	__asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" : : "i"(TRAP_FLAG) : "memory", "cc");
	event();
	__asm__ volatile("pushfq\n\tandq %0, (%%rsp)\n\tpopfq"
			 :
			 : "i"(~TRAP_FLAG)
			 : "memory", "cc");
	traced = NULL;
	if (syscall(SYS_rseq, area, RSEQ_AREA_SIZE, 0, RSEQ_SIGNATURE) < 0)
		bail_out("the kernel does not take the restartable sequences again");
	return nr_traced;
}
