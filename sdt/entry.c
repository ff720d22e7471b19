/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * entry.c - from a program's probe to an event of it.
 *
 * Runs in any thread, in signal handlers, in the midst of any function: what is
 * in registers there is the program's, vector registers included. An event that goes
 * to this thread's ring at once needs the low halves of %xmm0 to %xmm15 only; the rest
 * is not touched by instructions that know nothing of it. For all others, which may
 * call the C library's memcpy() with all that the CPU has, they are saved by xsave:
 * it takes several times as long as the event.
 *
 * The direction flag is not touched: it is clear wherever compiled code has a
 * probe. Nothing of the x87 is saved, for nothing of it is used.
 */
#include "common/base/vector-save.h"
#include "sdt/site.h"

#include <cpuid.h>

/* XSAVE's header begins there, and has so many bytes. */
#define XSAVE_HEADER 512u
#define XSAVE_HEADER_SIZE 64u
/* Vector state: SSE, AVX, and AVX-512's three parts. */
#define XSAVE_SSE (1u << 1)
#define XSAVE_VECTORS (XSAVE_SSE | 1u << 2 | 7u << 5)
#define XSAVE_PARTS 8u

#define CPU_OSXSAVE (1u << 27)
#define CPU_XSAVEC (1u << 1)
#define CPU_LAHF (1u << 0)

/* The assembly's; set once, by sdt_entry_prepare(). */
__attribute__((used, visibility("hidden"))) uint32_t sdt_xsave_mask, sdt_xsave_compact;
__attribute__((used, visibility("hidden"))) uint64_t sdt_xsave_size;

static uint64_t read_xcr0(void)
{
	uint32_t low, high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

bool sdt_entry_prepare(void)
{
	uint32_t a, b, c, d, size = XSAVE_HEADER + XSAVE_HEADER_SIZE;

	if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c & CPU_LAHF) ||
	    !__get_cpuid(1, &a, &b, &c, &d) || !(c & CPU_OSXSAVE))
		return false;
	sdt_xsave_mask = (uint32_t)read_xcr0() & XSAVE_VECTORS;
	/* Where each part ends in the form that has a place for all. */
	for (unsigned part = 2; part < XSAVE_PARTS; part++) {
		if (sdt_xsave_mask & 1u << part && __get_cpuid_count(13, part, &a, &b, &c, &d) &&
		    a + b > size)
			size = a + b;
	}
	sdt_xsave_size = (size + 63) & ~UINT64_C(63);
	sdt_xsave_compact = __get_cpuid_count(13, 1, &a, &b, &c, &d) ? a & CPU_XSAVEC : 0;
	return sdt_xsave_mask & XSAVE_SSE;
}

/* Fields, packed. A value is written whole: the next one covers what is beyond its field. */
struct packed {
	uint64_t words[SDT_OPERANDS_MAX + 1];
	size_t size;
};

static inline bool pack(struct packed *packed, const struct sdt_site *site,
			const uint64_t registers[SDT_REGISTERS])
{
	char *at = (char *)packed->words;

	for (unsigned i = 0; i < site->nr_operands; i++) {
		uint64_t value;

		if (!sdt_operand_value(&site->operands[i], registers, &value))
			return false;
		__builtin_memcpy(at, &value, sizeof(value));
		at += site->operands[i].field_size;
	}
	packed->size = (size_t)(at - (char *)packed->words);
	/* Readable to the next word's end, and zero there. */
	__builtin_memset(at, 0, sizeof(uint64_t));
	return true;
}

/* Called by sdt_entry: with the low halves of %xmm0 to %xmm15 saved. 0: not done. */
__attribute__((used, visibility("hidden"))) int
sdt_hit_at_once(const struct sdt_site *site, const uint64_t registers[SDT_REGISTERS])
{
	struct packed packed;

	return pack(&packed, site, registers) &&
	       lttngmap_event_write_at_once(site->tracepoint, packed.words, packed.size,
					    (const void *)site->address);
}

/*
 * Called by sdt_entry: with everything saved. Where an operand cannot be read, the event
 * is lost, which a size that is none counts.
 */
__attribute__((used, visibility("hidden"))) void sdt_hit(const struct sdt_site *site,
							 const uint64_t registers[SDT_REGISTERS])
{
	struct packed packed;
	bool is_read = pack(&packed, site, registers);

	lttngmap_event_write(site->tracepoint, is_read ? packed.words : NULL,
			     is_read ? packed.size : SIZE_MAX, (const void *)site->address);
}

/*
 * On the stack, from above: the program's red zone and %rcx, the way back to the
 * stub, %rax, flags, and the registers as sdt_hit() has them. Nothing between
 * sahf and the program changes a flag.
 */
/* Else all lines beside a macro are put into one. */
/* clang-format off */
__asm__(".pushsection .text, \"ax\", @progbits\n"
	".globl sdt_entry\n"
	".hidden sdt_entry\n"
	".type sdt_entry, @function\n"
	"sdt_entry:\n\t"
	"pushq %rax\n\t"
	"lahf\n\t"
	"seto %al\n\t"
	"pushq %rax\n\t"
	"leaq -128(%rsp), %rsp\n\t"
	"movq 136(%rsp), %rax\n\t"
	"movq %rax, 0(%rsp)\n\t"
	"movq 152(%rsp), %rax\n\t"
	"movq %rax, 8(%rsp)\n\t"
	"movq %rdx, 16(%rsp)\n\t"
	"movq %rbx, 24(%rsp)\n\t"
	"leaq 288(%rsp), %rax\n\t" /* 128 + flags, %rax, return, %rcx + 128 */
	"movq %rax, 32(%rsp)\n\t"
	"movq %rbp, 40(%rsp)\n\t"
	"movq %rsi, 48(%rsp)\n\t"
	"movq %rdi, 56(%rsp)\n\t"
	"movq %r8, 64(%rsp)\n\t"
	"movq %r9, 72(%rsp)\n\t"
	"movq %r10, 80(%rsp)\n\t"
	"movq %r11, 88(%rsp)\n\t"
	"movq %r12, 96(%rsp)\n\t"
	"movq %r13, 104(%rsp)\n\t"
	"movq %r14, 112(%rsp)\n\t"
	"movq %r15, 120(%rsp)\n\t"
	"movq %rsp, %rbx\n\t"
	"movq %rcx, %r12\n\t"
	VECTOR_SAVE_SSE
	"movq %r12, %rdi\n\t"
	"movq %rbx, %rsi\n\t"
	"call sdt_hit_at_once\n\t"
	VECTOR_RESTORE_SSE
	"movq %r12, %rdi\n\t"
	"movq 96(%rbx), %r12\n\t"
	"testl %eax, %eax\n\t"
	"jne 3f\n\t"
	"subq sdt_xsave_size(%rip), %rsp\n\t"
	"andq $-64, %rsp\n\t"
	VECTOR_CLEAR_XSAVE_HEADER
	"movl sdt_xsave_mask(%rip), %eax\n\t"
	"cmpl $0, sdt_xsave_compact(%rip)\n\t"
	"je 1f\n\t"
	"xsavec64 (%rsp)\n\t"
	"jmp 2f\n"
	"1:\txsave64 (%rsp)\n"
	"2:\tmovq %rbx, %rsi\n\t"
	"call sdt_hit\n\t"
	"movl sdt_xsave_mask(%rip), %eax\n\t"
	"xorl %edx, %edx\n\t"
	"xrstor64 (%rsp)\n"
	"3:\tmovq %rbx, %rsp\n\t"
	"movq 16(%rsp), %rdx\n\t"
	"movq 24(%rsp), %rbx\n\t"
	"movq 48(%rsp), %rsi\n\t"
	"movq 56(%rsp), %rdi\n\t"
	"movq 64(%rsp), %r8\n\t"
	"movq 72(%rsp), %r9\n\t"
	"movq 80(%rsp), %r10\n\t"
	"movq 88(%rsp), %r11\n\t"
	"leaq 128(%rsp), %rsp\n\t"
	"popq %rax\n\t"
	"addb $0x7f, %al\n\t"
	"sahf\n\t"
	"popq %rax\n\t"
	"ret\n\t"
	".size sdt_entry, . - sdt_entry\n"
	".popsection\n");
/* clang-format on */
