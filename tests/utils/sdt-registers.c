/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-registers [TIMES] - comes by the probe odd:registers with random content of
 * all registers, flags, vector registers and the red zone, and compares it with
 * what is there behind it. Prints what the probe's arguments are, a line each
 * time. Ends with 1 if something has changed.
 */
#include <cpuid.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RED_ZONE 16
#define VECTORS 0xe6u
#define FLAGS 0x8d5u

/* The assembly below knows the offsets. */
struct state {
	uint64_t registers[16]; /* %rsp's is not used */
	uint64_t flags;
	uint64_t red_zone[RED_ZONE];
	uint64_t unused[15];
	unsigned char vectors[4096] __attribute__((aligned(64)));
};

_Static_assert(offsetof(struct state, flags) == 128, "flags");
_Static_assert(offsetof(struct state, red_zone) == 136, "red_zone");
_Static_assert(offsetof(struct state, vectors) == 384, "vectors");

void pass(const struct state *in, struct state *out, uint32_t vectors);

__asm__(".pushsection .bss\n"
	"kept: .skip 8\n"
	".popsection\n"
	".text\n"
	".globl pass\n"
	"pass:\n\t"
	"pushq %rbx\n\tpushq %rbp\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
	"pushq %rdx\n\tpushq %rsi\n\tpushq %rdi\n\t"
	"movl %edx, %eax\n\txorl %edx, %edx\n\t"
	"xrstor64 384(%rdi)\n\t"
	"pushq 128(%rdi)\n\tpopfq\n\t"
	".set i, 0\n"
	".rept 16\n\t"
	"movq 136 + i * 8(%rdi), %rax\n\tmovq %rax, -128 + i * 8(%rsp)\n\t"
	".set i, i + 1\n"
	".endr\n\t"
	"movq 0(%rdi), %rax\n\tmovq 8(%rdi), %rcx\n\tmovq 16(%rdi), %rdx\n\t"
	"movq 24(%rdi), %rbx\n\tmovq 40(%rdi), %rbp\n\tmovq 48(%rdi), %rsi\n\t"
	"movq 64(%rdi), %r8\n\tmovq 72(%rdi), %r9\n\tmovq 80(%rdi), %r10\n\t"
	"movq 88(%rdi), %r11\n\tmovq 96(%rdi), %r12\n\tmovq 104(%rdi), %r13\n\t"
	"movq 112(%rdi), %r14\n\tmovq 120(%rdi), %r15\n\tmovq 56(%rdi), %rdi\n"
	"1:\tnop\n\t"
	/* Whose second half is the distance of the jump: 512 MiB. */
	".byte 0x0f, 0x1f, 0x40, 0x20\n\t"
	"movq %rdi, kept(%rip)\n\tmovq 8(%rsp), %rdi\n\t"
	"movq %rax, 0(%rdi)\n\tmovq %rcx, 8(%rdi)\n\tmovq %rdx, 16(%rdi)\n\t"
	"movq %rbx, 24(%rdi)\n\tmovq %rbp, 40(%rdi)\n\tmovq %rsi, 48(%rdi)\n\t"
	"movq %r8, 64(%rdi)\n\tmovq %r9, 72(%rdi)\n\tmovq %r10, 80(%rdi)\n\t"
	"movq %r11, 88(%rdi)\n\tmovq %r12, 96(%rdi)\n\tmovq %r13, 104(%rdi)\n\t"
	"movq %r14, 112(%rdi)\n\tmovq %r15, 120(%rdi)\n\t"
	"movq kept(%rip), %rax\n\tmovq %rax, 56(%rdi)\n\t"
	".set i, 0\n"
	".rept 16\n\t"
	"movq -128 + i * 8(%rsp), %rax\n\tmovq %rax, 136 + i * 8(%rdi)\n\t"
	".set i, i + 1\n"
	".endr\n\t"
	"pushfq\n\tpopq 128(%rdi)\n\t"
	"movl 16(%rsp), %eax\n\txorl %edx, %edx\n\t"
	"xsave64 384(%rdi)\n\t"
	"addq $24, %rsp\n\t"
	"popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbp\n\tpopq %rbx\n\t"
	"ret\n"
	".pushsection .note.stapsdt, \"\", @note\n\t"
	".balign 4\n\t"
	".long 3f - 2f, 5f - 4f, 3\n"
	"2:\t.asciz \"stapsdt\"\n"
	"3:\t.balign 4\n"
	"4:\t.quad 1b, 0, 0\n\t"
	".asciz \"odd\"\n\t.asciz \"registers\"\n\t"
	".asciz \"8@%rax -4@%ecx 2@%dx -1@%bl 8@%rbp 8@%rsi -8@%rdi 1@%ah 4@%r9d -2@%r10w 1@%r15b "
	"8@-8(%rsp)\"\n"
	"5:\t.balign 4\n"
	".popsection\n");

static uint64_t draw(void)
{
	static uint64_t seed = 88172645463325252u;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static uint32_t find_vectors(void)
{
	uint32_t a, b, c, d, low, high;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27))
		return 0;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low & VECTORS;
}

static void fill(struct state *state, uint32_t vectors)
{
	for (int i = 0; i < 16; i++) {
		state->registers[i] = draw();
		state->red_zone[i] = draw();
	}
	state->flags = (draw() & FLAGS) | 0x202;
	for (size_t i = 0; i < sizeof(state->vectors); i += 8) {
		uint64_t value = draw();

		memcpy(state->vectors + i, &value, 8);
	}
	/* The header, and no exception of SSE's unmasked. */
	memset(state->vectors + 512, 0, 64);
	memcpy(state->vectors + 512, &vectors, sizeof(vectors));
	memcpy(state->vectors + 24, &(uint32_t){ 0x1f80 }, 4);
}

static int compare(const struct state *in, const struct state *out, uint32_t vectors)
{
	static const struct {
		unsigned part, offset, size;
	} parts[] = { { 1, 160, 256 }, { 2, 0, 0 }, { 5, 0, 0 }, { 6, 0, 0 }, { 7, 0, 0 } };
	int changed = 0;

	for (int i = 0; i < 16; i++)
		changed |= i != 4 && in->registers[i] != out->registers[i];
	changed |= memcmp(in->red_zone, out->red_zone, sizeof(in->red_zone)) ? 2 : 0;
	changed |= (in->flags ^ out->flags) & FLAGS ? 4 : 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		unsigned size = parts[i].size, offset = parts[i].offset, c, d;

		if (!(vectors & 1u << parts[i].part))
			continue;
		if (!size)
			__get_cpuid_count(13, parts[i].part, &size, &offset, &c, &d);
		changed |= memcmp(in->vectors + offset, out->vectors + offset, size) ? 8 : 0;
	}
	return changed;
}

int main(int argc, char **argv)
{
	static struct state in, out;
	uint32_t vectors = find_vectors();
	int times = argc > 1 ? atoi(argv[1]) : 1000;

	for (int i = 0; i < times; i++) {
		const uint64_t *r = in.registers;
		int changed;

		fill(&in, vectors);
		memset(&out, 0, sizeof(out));
		pass(&in, &out, vectors);
		changed = compare(&in, &out, vectors);
		if (changed) {
			fprintf(stderr, "changed: %d\n", changed);
			return 1;
		}
		printf("0x%lX %d %d %d 0x%lX 0x%lX %ld %d %u %d %d 0x%lX\n", r[0], (int)r[1],
		       (uint16_t)r[2], (int8_t)r[3], r[5], r[6], (long)r[7], (uint8_t)(r[0] >> 8),
		       (uint32_t)r[9], (int16_t)r[10], (uint8_t)r[15], in.red_zone[15]);
	}
	return 0;
}
