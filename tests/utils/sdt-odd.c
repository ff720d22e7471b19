/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-odd - probes that are written by hand: what is refused, for each reason,
 * and what can be read at one time only. Each is passed once.
 */
#include <stdint.h>
#include <stdio.h>

#include "sdt-probe.h"

static long table[4] __attribute__((used)) = { 11, 22, 33, 44 };
static unsigned short counter __attribute__((used));
/* The build puts it where the jump of odd:taken would lead. */
static char far[16384] __attribute__((used, section(".far"))) = "taken";
static const unsigned short constant __attribute__((used, section(".rodata"))) = 0;

/* nop 0xNN(%rax): 256 MiB and more ahead. */
#define AHEAD(n) "0x0f, 0x1f, 0x40, 0x" #n

/* clang-format off */
static __attribute__((noinline)) void refuse_all(void)
{
	__asm__ volatile(PROBE("memory", "0", "8@(%rax)", AHEAD(21))
			 PROBE("vector", "0", "8f@%xmm0", AHEAD(22))
			 PROBE("segment", "0", "8@%fs:16", AHEAD(23))
			 PROBE("symbol", "0", "8@nobody(%rip)", AHEAD(24))
			 PROBE("many", "0", "8@$1 8@$2 8@$3 8@$4 8@$5 8@$6 8@$7 8@$8 8@$9 8@$10 "
			       "8@$11 8@$12 8@$13", AHEAD(25))
			 PROBE("text", "0", "8@%rax)", AHEAD(26))
			 PROBE("width", "0", "8@%eax", AHEAD(27))
			 PROBE("constant", "constant", "", AHEAD(28))
			 PROBE("below", "0", "", "0x0f, 0x1f, 0x80, 0x80, 0x80, 0x80, 0x80")
			 PROBE("before", "0", "8@$1", "0x66, 0x90")
			 PROBE("beside", "0", "8@$2", AHEAD(29))
			 PROBE("taken", "0", "", AHEAD(33))
			 /* jmp 2 bytes further: some 4 MiB back. */
			 PROBE("low", "0", "", "0xeb, 0x02, 0xc0, 0xff"));
	/* 64 KiB apart, and their distances, too. */
	__asm__ volatile(PROBE("lands", "0", "8@$3", "0x0f, 0x1f, 0x41, 0x32")
			 ".byte 0xe9\n\t.long 9f - (. + 4)\n\t.skip 0x10000 - 10\n9:\t"
			 PROBE("twice", "0", "8@$4", "0x0f, 0x1f, 0x40, 0x32"));
	/* Its byte is no nop: a compiler of the future might write five at once. */
	__asm__ volatile(".byte 0x0f, 0x1f, 0x44\n"
			 ".set behind, .\n"
			 ".byte 0, 0\n"
			 ".pushsection .note.stapsdt, \"\", @note\n\t"
			 ".balign 4\n\t.long 3f - 2f, 5f - 4f, 3\n"
			 "2:\t.asciz \"stapsdt\"\n"
			 "3:\t.balign 4\n"
			 "4:\t.quad behind, 0, 0\n\t"
			 ".asciz \"odd\"\n\t.asciz \"long\"\n\t.asciz \"\"\n"
			 "5:\t.balign 4\n\t"
			 /* Its text has no end. */
			 ".long 8, 28, 3\n\t.asciz \"stapsdt\"\n\t.quad behind, 0, 0\n\t"
			 ".ascii \"oddx\"\n\t"
			 ".popsection\n");
}

/* %rbp is a frame's here, or anything else. */
static __attribute__((noinline)) void pass_frame(uint64_t rbp)
{
	__asm__ volatile("pushq %%rbp\n\tmovq %0, %%rbp\n\t"
			 PROBE("frame", "0", "8@8(%%rbp)", AHEAD(30))
			 "popq %%rbp" : : "r"(rbp) : "memory");
}

static __attribute__((noinline)) void pass_index(uint64_t index)
{
	__asm__ volatile(PROBE("index", "counter", "8@table(,%%rcx,8) -4@table+8(%%rip)", AHEAD(31))
			 : : "c"(index) : "memory");
}
/* clang-format on */

int main(void)
{
	uint64_t frame[] = { 1, 4711 };

	refuse_all();
	pass_frame((uint64_t)frame);
	pass_frame(0x10);
	pass_frame((uint64_t)frame - (1 << 20));
	pass_index(2);
	pass_index((uint64_t)1 << 40);
	printf("%u\n", counter);
	return 0;
}
